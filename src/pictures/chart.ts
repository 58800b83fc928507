// A chart of figures as SVG, by ECharts' own server-side rendering.
import { createRequire } from "node:module";
import type * as ECharts from "echarts/core";
import { barsOrLines } from "./chart-axes.ts";
import { COLOURS, INK, TEXT_PX, WIDTH_PX } from "./chart-look.ts";
import { pie } from "./chart-pie.ts";
import { shapeOf, type ChartOrder, type Shape } from "./chart-shape.ts";
import { FONT, type Metrics } from "./font.ts";
import { exactNumber } from "./numbers.ts";

/** A chart's SVG of that size, with what it shows and what it doesn't. */
export type Drawing = {
  readonly svg: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly shows: string;
  readonly leftOut: readonly string[];
};

/** The library, loaded. */
type Charts = Pick<typeof ECharts, "init" | "setPlatformAPI">;

/** Of its charts and parts only these. They have no types one by one; the list of all of them takes 40 MB more. */
const PARTS = [
  "echarts/lib/chart/bar",
  "echarts/lib/chart/line",
  "echarts/lib/chart/pie",
  "echarts/lib/component/gridSimple",
  "echarts/lib/component/legendPlain",
  "echarts/lib/component/title",
];

/**
 * The library keeps texts as keys of plain objects. One of them, which is any object's own, would change every object of the program for
 * good: it is spelt with a sign that draws nothing.
 */
function harmless<T>(value: T): T;
function harmless(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("__proto__", "__\u200Bproto__");
  if (typeof value === "function")
    return (...given: readonly unknown[]) => harmless<unknown>(Reflect.apply(value, undefined, given));
  if (Array.isArray(value)) return value.map((one: unknown) => harmless(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, harmless(one)]));
}

/** A chart's SVG. Throws NotDrawn in words when there is more than a picture can show, or nothing that fits its kind. */
export function chartSvg({ init, setPlatformAPI }: Charts, asked: ChartOrder, metrics: Metrics): Drawing {
  const shape = shapeOf(asked, metrics);
  const { height, option } = shape.kind === "pie" ? pie(shape, metrics) : barsOrLines(shape, metrics);
  setPlatformAPI({
    measureText(text: string, font?: string) {
      const px = Number(/(\d+(?:\.\d+)?)px/u.exec(font ?? "")?.[1] ?? TEXT_PX);
      return { width: metrics.widthEm(text) * px };
    },
  });
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH_PX, height });
  try {
    chart.setOption({
      animation: false,
      useUTC: true,
      backgroundColor: "#FFFFFF",
      color: [...COLOURS],
      textStyle: { fontFamily: FONT, fontSize: TEXT_PX, color: INK },
      ...harmless(option),
    });
    return {
      svg: chart.renderToSVGString(),
      size: { width: WIDTH_PX, height },
      shows: inWords(shape),
      leftOut: shape.leftOut,
    };
  } finally {
    chart.dispose();
  }
}

/** Takes half a second the first time. */
export async function loadCharts(): Promise<Charts> {
  const [core, { SVGRenderer }] = await Promise.all([import("echarts/core"), import("echarts/renderers")]);
  const load = createRequire(import.meta.url);
  for (const part of PARTS) load(part);
  core.use(SVGRenderer);
  return core;
}

function inWords({ figures, kind, title }: Shape): string {
  const { categories, series } = figures;
  const all = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const unit = series[0]?.unit ?? "";
  const what = { bar: "Bar chart", line: "Line chart", pie: "Pie chart" }[kind];
  const names = series.map(({ name }, index) => (name === "" ? `column ${index + 1}` : name));
  const lowest = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const highest = all.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return [
    `${what}${title === undefined ? "" : ` “${title}”`}: ${names.join(", ")}`,
    `for ${categories.length} rows, from ${categories[0] ?? ""} to ${categories.at(-1) ?? ""};`,
    all.length === 0 ? "no values." : `values from ${exactNumber(lowest, unit)} to ${exactNumber(highest, unit)}.`,
  ].join(" ");
}
