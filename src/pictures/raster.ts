// SVG to PNG, by resvg: no browser, nothing from the network, no font but ours.
import { Resvg } from "@resvg/resvg-js";
import { FONT, fontFiles, MONO_FONT } from "./font.ts";
import { NotDrawn } from "./port.ts";

/** Most pixels of a picture. */
export const MAX_PIXELS = 4_000_000;
const MAX_SIDE_PX = 4000;

/** The PNG of an SVG of that natural size, so many pixels wide, or less where it would be too high. */
export function rasterize(
  svg: string,
  size: { readonly width: number; readonly height: number },
  widthPx: number,
): Uint8Array<ArrayBuffer> {
  const ratio = size.height / size.width;
  const width = Math.floor(Math.min(widthPx, MAX_SIDE_PX / ratio, Math.sqrt(MAX_PIXELS / ratio)));
  if (!(width >= 1) || width * ratio < 1) throw new NotDrawn("The picture is too narrow to be drawn.");
  const resvg = new Resvg(svg, {
    fitTo: { mode: "width", value: width },
    background: "#FFFFFF",
    logLevel: "off",
    font: {
      loadSystemFonts: false,
      fontFiles: Object.values(fontFiles()),
      defaultFontFamily: FONT,
      sansSerifFamily: FONT,
      serifFamily: FONT,
      cursiveFamily: FONT,
      fantasyFamily: FONT,
      monospaceFamily: MONO_FONT,
    },
  });
  return new Uint8Array(resvg.render().asPng());
}
