// The work of the program that draws: one order in, one picture out. A library is loaded when the first order needs it.
import { chartSvg, loadCharts } from "./chart.ts";
import { DIAGRAM_COLOURS, diagramSvg, loadDiagrams } from "./diagram.ts";
import { fontFiles, readMetrics, type Metrics } from "./font.ts";
import { NotDrawn, type Drawn, type PictureOrder } from "./port.ts";
import { cleanSvg } from "./svg.ts";

const WIDTH_PX = 1000;
/** Small pictures are not blown up further than this. */
const MAX_ZOOM = 2;

let metrics: Metrics | undefined;

/** Draws it. `began` is called when all that it needs is loaded. What can't be drawn is said in words; whatever else goes wrong is, too. */
export async function draw(order: PictureOrder, began: () => void): Promise<Drawn> {
  try {
    return await drawn(order, began);
  } catch (thrown) {
    return { drawn: false, words: thrown instanceof NotDrawn ? thrown.message : "The picture couldn't be drawn." };
  }
}

async function drawn(order: PictureOrder, began: () => void): Promise<Drawn> {
  metrics ??= readMetrics(fontFiles().sans);
  const { has } = metrics;
  const { rasterize } = await import("./raster.ts");
  switch (order.draw) {
    case "chart": {
      const charts = await loadCharts();
      began();
      const { svg, size, shows, leftOut } = chartSvg(charts, order, metrics);
      return { drawn: true, png: rasterize(svg, size, WIDTH_PX), shows, leftOut };
    }
    case "diagram": {
      const diagrams = await loadDiagrams();
      began();
      const diagram = diagramSvg(diagrams, order.text);
      const { svg, size, texts } = cleanSvg(diagram.svg, { has, colours: DIAGRAM_COLOURS });
      if (lacksLetters(texts, metrics))
        throw new NotDrawn("The diagram has letters that the font here doesn't have, so its boxes would be empty.");
      return { drawn: true, png: rasterize(svg, size, widthOf(size)), shows: diagram.shows, leftOut: [] };
    }
    case "svg": {
      began();
      const { svg, size, texts, leftOut } = cleanSvg(order.text, { has });
      const lacks = lacksLetters(texts, metrics) ? ["Some letters are missing: the font here doesn't have them."] : [];
      return {
        drawn: true,
        png: rasterize(svg, size, widthOf(size)),
        shows: "Preview of an SVG.",
        leftOut: [...leftOut, ...lacks],
      };
    }
  }
}

function widthOf({ width }: { readonly width: number }): number {
  return Math.min(WIDTH_PX, Math.max(1, Math.round(width * MAX_ZOOM)));
}

function lacksLetters(texts: readonly string[], { has }: Metrics): boolean {
  return texts.some((text) =>
    Array.from(text).some((one) => /[\p{L}\p{N}]/u.test(one) && !has(one.codePointAt(0) ?? 0)),
  );
}
