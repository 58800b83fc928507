import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clipGraphemes,
  clipUnits,
  codePointStart,
  dropControls,
  graphemeStart,
  graphemes,
  isVisible,
  oneLine,
} from "../../src/core/text.ts";

const family = "👨‍👩‍👧‍👦";
const anyText = fc.string({ unit: "grapheme", maxLength: 60 });

describe("cutting text", () => {
  it("leaves a text that fits as it is", () => {
    expect(clipGraphemes("abc", 3, "…")).toBe("abc");
    expect(clipUnits("abc", 3, "…")).toBe("abc");
  });

  it("counts a family of emoji, a flag and a letter with marks as one character each", () => {
    expect(clipGraphemes(`${family}🇩🇪e\u0301x`, 3)).toBe(`${family}🇩🇪e\u0301`);
  });

  it("puts the mark inside the limit", () => {
    expect(clipGraphemes("abcdef", 4, "…")).toBe("abc…");
    expect(clipUnits("abcdef", 4, "…")).toBe("abc…");
    expect(clipUnits(`ab${family}`, 6, "…")).toBe("ab…");
  });

  it("gives nothing for a limit of nothing", () => {
    expect(clipGraphemes("abc", 0)).toBe("");
    expect(clipUnits("abc", 0)).toBe("");
  });

  it("cuts a single character longer than the limit between code points", () => {
    expect(clipUnits(family, 4)).toBe("👨‍");
    expect(clipUnits("😀", 1)).toBe("");
  });

  it("is always a beginning of the text, within the limit, ending where a character ends", () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), (text, max) => {
        const cut = clipUnits(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(max);
        const ends = new Set([0]);
        let at = 0;
        for (const grapheme of graphemes(text)) ends.add((at += grapheme.length));
        const first = graphemes(text).next().value ?? "";
        if (first.length <= max) expect(ends.has(cut.length)).toBe(true);
        expect([...graphemes(clipGraphemes(text, max))].length).toBeLessThanOrEqual(max);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });

  it("finds the same boundaries as segmenting the whole text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const starts: number[] = [];
        let at = 0;
        for (const grapheme of graphemes(text)) {
          starts.push(at);
          at += grapheme.length;
        }
        for (let unit = 0; unit < text.length; unit++) {
          expect(graphemeStart(text, unit)).toBe(starts.findLast((start) => start <= unit));
        }
      }),
    );
  });

  it("never points into a surrogate pair", () => {
    expect(codePointStart("a😀", 2)).toBe(1);
    expect(codePointStart("a😀", 1)).toBe(1);
    expect(codePointStart("a😀", 3)).toBe(3);
  });
});

describe("taking out what can't be seen", () => {
  it("drops controls and direction overrides, and keeps tabs, newlines, joiners and marks", () => {
    expect(dropControls("a\u0000\u001B[1m\u202Eb\u2066c\u2069\td\r\ne\rf")).toBe("a[1mbc\td\ne\nf");
    expect(dropControls(`${family}\u200F\u05D0e\u0301`)).toBe(`${family}\u200F\u05D0e\u0301`);
  });

  it("replaces half a surrogate pair", () => {
    expect(dropControls("a\uD800b")).toBe("a\uFFFDb");
  });

  it("puts a text on one line", () => {
    expect(oneLine("  a\n\n b\u2028c\u0007\t\u202Ed  ")).toBe("a b c d");
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[\n\r\u2028\u202E]/.test(oneLine(text))));
  });

  it("knows a text that shows nothing", () => {
    for (const nothing of ["", " \n\t", "\u200B\u200D", "\u2800\u3164", "\uFE0F"])
      expect(isVisible(nothing)).toBe(false);
    for (const something of [".", "א", "😀", "\u0301"]) expect(isVisible(something)).toBe(true);
  });
});
