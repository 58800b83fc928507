// The font of every picture: DejaVu, read from its own file, so that the same order gives the same bytes on every machine. Its
// metrics are read here as well, because neither library can measure text without a browser.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** The fonts' names, as SVG gives them. */
export const FONT = "DejaVu Sans";
export const MONO_FONT = "DejaVu Sans Mono";

/** What is known of a font: whether it has a character, and how wide it draws a text, in ems. */
export type Metrics = {
  readonly has: (codePoint: number) => boolean;
  readonly widthEm: (text: string) => number;
};

/** The files of the fonts, for what draws. */
export function fontFiles(): { readonly sans: string; readonly bold: string; readonly mono: string } {
  const require = createRequire(import.meta.url);
  return {
    sans: require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
    bold: require.resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
    mono: require.resolve("dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf"),
  };
}

/** Reads the metrics of a TrueType file. */
export function readMetrics(path: string): Metrics {
  const file = readFileSync(path);
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + 16 * file.readUInt16BE(4); at += 16)
    tables.set(file.toString("latin1", at, at + 4), file.readUInt32BE(at + 8));
  const table = (name: string): number => {
    const at = tables.get(name);
    if (at === undefined) throw new Error(`the font has no table ${name}`);
    return at;
  };
  const perEm = file.readUInt16BE(table("head") + 18);
  const measured = file.readUInt16BE(table("hhea") + 34);
  const widths = table("hmtx");
  const glyphs = glyphsOf(file, table("cmap"));
  const widthOf = (codePoint: number): number => {
    const glyph = glyphs.get(codePoint);
    // What the font lacks is counted as a square: ECharts takes the width of "国" for a line's height.
    if (glyph === undefined) return perEm;
    return file.readUInt16BE(widths + 4 * Math.min(glyph, measured - 1));
  };
  return {
    has: (codePoint) => glyphs.has(codePoint),
    widthEm(text) {
      let units = 0;
      for (const character of text) units += widthOf(character.codePointAt(0) ?? 0);
      return units / perEm;
    },
  };
}

/** The table of all characters (format 12 of the TrueType specification), as glyph numbers. */
function glyphsOf(file: Buffer, cmap: number): ReadonlyMap<number, number> {
  const glyphs = new Map<number, number>();
  for (let nth = 0; nth < file.readUInt16BE(cmap + 2); nth++) {
    const at = cmap + file.readUInt32BE(cmap + 4 + 8 * nth + 4);
    if (file.readUInt16BE(at) !== 12) continue;
    for (let group = at + 16; group < at + 16 + 12 * file.readUInt32BE(at + 12); group += 12) {
      const first = file.readUInt32BE(group);
      const glyph = file.readUInt32BE(group + 8);
      for (let code = first; code <= file.readUInt32BE(group + 4); code++) glyphs.set(code, glyph + code - first);
    }
    return glyphs;
  }
  throw new Error("the font has no table of all characters");
}
