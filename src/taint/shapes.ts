// Taking secrets out of text by what they look like and by the words before them; and the face of both scrubbers for everyone.
import { folded, foldText, isPlain, masked, union, type Find, type Range } from "./folded.ts";
import { CODE_HINT, findSetInCode } from "./labels.ts";
import { findKnown, HIDDEN } from "./scrub.ts";
import { findSaid, SPOKEN_HINT } from "./spoken.ts";
import { findTokens, TOKEN_SHAPES, type Shape } from "./tokens.ts";

/** Every kind of secret by itself, for measuring; they read a folded text. */
export const SHAPES: readonly Shape[] = [
  ...TOKEN_SHAPES,
  { name: "set in code", hint: CODE_HINT, find: findSetInCode },
  { name: "said", hint: SPOKEN_HINT, find: findSaid },
];

/** Nearly every text has none of these in it. */
const HINT = new RegExp(SHAPES.map(({ hint }) => hint).join("|"), "iu");

/**
 * Where something stands that looks like a secret: keys and tokens by their shape, and what follows "password:", "token=", "my PIN is"
 * and the like in many languages. Full width, accents and what draws nothing make no difference. Time in proportion to the text.
 */
export const findShapes: Find = (text) => {
  if (!HINT.test(isPlain(text) ? text : foldText(text))) return [];
  const { text: plain, back } = folded(text);
  const found = [...findTokens(plain), ...findSetInCode(plain), ...findSaid(plain)];
  return union(found.map(({ start, end }) => back(start, end)));
};

/** Puts the marker in the place of whatever looks like a secret; a text that was scrubbed before stays as it is. */
export function scrubShapes(text: string): string {
  return scrubbed(text, findShapes);
}

/** Where a known secret stands, in any form it travels in, or something that looks like one. */
export function secretsIn(known: readonly string[]): Find {
  const find = findKnown(known);
  const findFolded = findKnown(known.map(foldText));
  return (text) => union([...find(text), ...foldedKnown(text, findFolded), ...findShapes(text)]);
}

/** In full width or with accents: the index and every reader take those for the plain letters. */
function foldedKnown(text: string, find: Find): readonly Range[] {
  if (isPlain(text) || find(foldText(text)).length === 0) return [];
  const { text: plain, back } = folded(text);
  return find(plain).map(({ start, end }) => back(start, end));
}

/** Makes the function that takes out both. To be asked with a whole text, before anything is cut from it. */
export function allScrubbed(known: readonly string[]): (text: string) => string {
  const find = secretsIn(known);
  return (text) => scrubbed(text, find);
}

/**
 * Scrubs messages that followed each other: each by itself, and what stands across their borders, as platforms and people split what is
 * long; each piece then has the marker in the place of its part.
 */
export function scrubAcross(
  pieces: readonly string[],
  find: Find,
  borders: readonly string[] = ["", "\n"],
): readonly string[] {
  const hidden = pieces.map((piece): Range[] => [...find(piece)]);
  if (pieces.length > 1) {
    for (const border of borders) hideAcross(pieces, border, find, hidden);
  }
  // Two by themselves too: the end of a third, put before them without a space, may make another word of a secret's beginning.
  if (pieces.length > 2 && borders.includes("")) {
    for (let at = 0; at + 1 < pieces.length; at++)
      hideAcross(pieces.slice(at, at + 2), "", find, hidden.slice(at, at + 2));
  }
  return pieces.map((piece, index) => scrubbed(piece, find, union(hidden[index] ?? [])));
}

/** Adds to each piece's ranges what is found in the pieces as one text. */
function hideAcross(pieces: readonly string[], border: string, find: Find, hidden: readonly Range[][]): void {
  const ranges = find(pieces.join(border));
  let from = 0;
  let first = 0;
  for (const [index, { length }] of pieces.entries()) {
    while ((ranges[first]?.end ?? Infinity) <= from) first++;
    for (let at = first; at < ranges.length; at++) {
      const range = ranges[at];
      if (range === undefined || range.start >= from + length) break;
      hidden[index]?.push({ start: Math.max(range.start - from, 0), end: Math.min(range.end - from, length) });
    }
    from += length + border.length;
  }
}

/** As often as a marker's place may make something beside it look like another's value: seldom more than once. */
const MAX_ROUNDS = 8;

/** The text with the marker for each range, and for what is found beside the markers then: scrubbing once more changes nothing. */
function scrubbed(text: string, find: Find, ranges: readonly Range[] = find(text)): string {
  let shown = text;
  let next = ranges;
  for (let round = 0; round < MAX_ROUNDS && next.length > 0; round++) {
    const before = shown;
    shown = masked(before, next, HIDDEN);
    if (shown === before) break;
    next = find(shown);
  }
  return shown;
}
