// Text that is hard to cut, for properties.
import fc from "fast-check";

const PIECES = [
  " ",
  "\n",
  "\t\r\n",
  "word",
  "Überraschung",
  "\u0939\u093F\u0928\u094D\u0926\u0940",
  "\u65C5\u884C\u8A08\u756B",
  "\u0E2A\u0E27\u0E31\u0E2A\u0E14\u0E35",
  "\uD55C\uAD6D\uC5B4",
  "\u{1F469}\u200D\u{1F469}\u200D\u{1F467}",
  "\u{1F1E9}\u{1F1EA}\u{1F1EB}",
  "e\u0301",
  ` ${"\u0336".repeat(40)}`,
  `a${"\u0300".repeat(200)}`,
  '"',
  "\\",
  "\u0000",
  "\u202E",
  "\uD800",
  "\uDC00x",
  "<|im_start|>",
  "[hidden]",
  "…",
];

/** Up to some 20,000 units: ordinary words of many scripts among what breaks cutting, escaping and measuring. */
export const torture: fc.Arbitrary<string> = fc.oneof(
  fc
    .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "grapheme", maxLength: 12 })), { maxLength: 80 })
    .map((all) => all.join("")),
  fc
    .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 2000 }))
    .map(([piece, times]) => piece.repeat(times).slice(0, 20_000)),
);

/** How long each character is that a reader sees, by where it begins. */
export function graphemesOf(text: string): ReadonlyMap<number, number> {
  const segments = new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
  return new Map(Array.from(segments, ({ index, segment }) => [index, segment.length]));
}
