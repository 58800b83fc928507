// Pure functions on text: cutting where a reader sees a character end, and taking out what a reader can't see.
// Lengths are named: a grapheme is what a reader calls one character, a unit is a UTF-16 code unit (`string.length`).

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How many units of context a boundary check between two strings needs: longer than any cluster people type. */
const CONTEXT_UNITS = 64;

/** The graphemes of `text`, lazily, so that a caller who stops early pays only for what it took. */
export function* graphemes(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/**
 * The largest grapheme boundary in `text` at or before the unit `at`, and never before `from`, which must be a boundary itself.
 * Looks at the text between `from` and `at` only as far back as it must, so it stays cheap inside a large text.
 */
export function graphemeStart(text: string, at: number, from = 0): number {
  if (at >= text.length) return text.length;
  if (at <= from) return from;
  // Between two ordinary Latin characters there is always a boundary (CR LF excepted): segmenting can start there.
  let anchor = at;
  while (anchor > from && !(isPlain(text, anchor) && isPlain(text, anchor - 1))) anchor--;
  if (anchor === at) return at;
  const window = text.slice(anchor, at + CONTEXT_UNITS);
  const found = segmenter.segment(window).containing(at - anchor);
  return found === undefined ? at : anchor + found.index;
}

/**
 * At most `maxGraphemes` graphemes of `text`. When something was cut, `mark` (such as "…") takes the place of the last ones,
 * so the result is within the limit with the mark in it.
 */
export function clipGraphemes(text: string, maxGraphemes: number, mark = ""): string {
  const markSize = mark === "" ? 0 : [...graphemes(mark)].length;
  const keep = Math.max(0, maxGraphemes - markSize);
  let count = 0;
  let keepUnits = 0;
  let units = 0;
  for (const grapheme of graphemes(text)) {
    if (count === maxGraphemes) return maxGraphemes < markSize ? text.slice(0, units) : text.slice(0, keepUnits) + mark;
    count++;
    units += grapheme.length;
    if (count === keep) keepUnits = units;
  }
  return text;
}

/**
 * At most `maxUnits` UTF-16 units of `text`, cut where a grapheme ends. A first grapheme longer than the limit is cut between
 * code points. When something was cut and there is room, `mark` ends the result, within the limit.
 */
export function clipUnits(text: string, maxUnits: number, mark = ""): string {
  if (text.length <= maxUnits) return text;
  if (maxUnits <= 0) return "";
  const room = mark.length < maxUnits ? maxUnits - mark.length : maxUnits;
  const end = graphemeStart(text, room) || codePointStart(text, room);
  return text.slice(0, end) + (room === maxUnits ? "" : mark);
}

/** The unit at or before `at` that does not stand inside a surrogate pair. */
export function codePointStart(text: string, at: number): number {
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? at - 1 : at;
}

/**
 * `text` without control characters (tab and newline stay; CR LF and CR become a newline) and without the bidi embeddings,
 * overrides and isolates that can make a line read differently from what it says. Left-to-right and right-to-left marks,
 * joiners and combining marks stay: scripts need them. Half a surrogate pair becomes U+FFFD.
 */
export function dropControls(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069\uFEFF]/gu, "");
}

/** `text` on one line: controls dropped, every run of white space one space, none at the ends. For titles, names, labels. */
export function oneLine(text: string): string {
  return dropControls(text).replace(/\s+/gu, " ").trim();
}

/** Whether a reader would see anything: false for white space, joiners, fillers and other characters that draw nothing. */
export function isVisible(text: string): boolean {
  return /\S/u.test(
    text.replace(
      /[\p{Cc}\p{Cf}\p{Z}\p{Variation_Selector}]|\u034F|\u115F|\u1160|\u17B4|\u17B5|\u2800|\u3164|\uFFA0/gu,
      "",
    ),
  );
}

function isPlain(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 0x300 && code !== 0x0d && code !== 0x0a && code !== 0xad && code !== 0xa9 && code !== 0xae;
}

/** One line of text as Markdown that shows exactly it, inside a line of ours: what means something at a line's start stays as it is. */
export function escapeMarkdown(text: string): string {
  // An address would take our backslashes in: what makes it one is escaped as well.
  return text.replaceAll(/[\\`*_[\]<~|@]|&(?=[a-z#])|:(?=\/\/)|(?<=www)\./gi, String.raw`\$&`);
}

/** Escaped text as it may begin a line: a mark there would begin a list, a heading or a quotation. */
export function lineStart(text: string): string {
  return text.replace(/^(\d{0,9})([#>+\-=.)])/u, String.raw`$1\$2`);
}
