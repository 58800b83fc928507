import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatToken, compoundsOf, pairsOf, piecesOf, tokensOf } from "../../src/search/words.ts";

/** Text, its tokens. */
const CUT: readonly (readonly [script: string, text: string, tokens: string])[] = [
  ["English", "The Café's menu!", "the cafe s menu cafes"],
  ["German", "Straße STRASSE Größe groß", "strasse strasse grosse gross"],
  ["Turkish", "İstanbul ISPARTA ısı", "istanbul isparta isi"],
  ["Polish and Danish", "Łódź Ærø đak", "lodz aero dak"],
  ["Russian", "Ёлка МОЙ мои", "елка мой мои"],
  ["Greek", "Γειά ΣΑΣ σας", "γεια σασ σασ"],
  ["Hindi", "क़लम हाँ १२३", "कलम हां 123"],
  ["Arabic with and without vowels", "كِتَابٌ كتاب أحمد مدرسة ٣٤ مـــد", "كتاب كتاب احمد مدرسه 34 مد"],
  ["Persian", "می‌خواهم کتاب", "ميخواهم كتاب"],
  ["Hebrew with and without points", "שָׁלוֹם שלום", "שלום שלום"],
  ["Chinese", "吃米饭。好", "吃米 米饭 饭 好"],
  ["Japanese, full and half width", "カギを ｶﾞ", "カギ ギを を ガ"],
  ["Korean", "회의에서", "회의 의에 에서 서"],
  ["Thai", "กาแฟ", "กา าแ แฟ ฟ"],
  ["Lao", "ສະບ", "ສະ ະບ ບ"],
  ["Khmer", "សួស", "សួ ួស ស"],
  ["Burmese", "မင်", "မင င် ်"],
  ["full width", "ＡＢＣ１２３", "abc123"],
  ["symbols", "🎉👍🏽 👩‍💻", "🎉 👍 👩 💻"],
  ["scripts side by side", "iPhone手机3月", "iphone 手机 机 3 月"],
  ["punctuation only", "?!… — «»", ""],
];

describe("tokens", () => {
  it.each(CUT)("P2, G48: %s", (_script, text, tokens) => {
    expect(tokensOf(text).join(" ")).toBe(tokens);
  });

  it("P2, G48: ids and numbers are found whole and in parts", () => {
    expect(tokensOf("INV-2024")).toEqual(["inv", "2024", "inv2024"]);
    expect(tokensOf("snake_case")).toEqual(["snake", "case", "snakecase"]);
    expect(tokensOf("1,200 10:30")).toEqual(["1", "200", "10", "30", "1200", "1030"]);
    expect(tokensOf("a,b")).toEqual(["a", "b"]);
    expect(tokensOf("well- known")).toEqual(["well", "known"]);
    // An address is never typed as one word.
    expect(tokensOf("a.b.c.d.e").filter((token) => token.length > 1)).toEqual([]);
  });

  it("P2: a word longer than 32 letters is several, between characters", () => {
    expect(tokensOf("x".repeat(70)).map((token) => token.length)).toEqual([32, 32, 6]);
    const deseret = "\u{10428}".repeat(40);
    expect(tokensOf(deseret).join("")).toBe(deseret);
    expect(tokensOf(deseret).every((token) => token.isWellFormed())).toBe(true);
  });

  it("P2: composed and decomposed letters are the same", () => {
    for (const [, text] of CUT) {
      expect(tokensOf(text.normalize("NFD"))).toEqual(tokensOf(text));
      expect(tokensOf(text.normalize("NFC"))).toEqual(tokensOf(text));
    }
    expect(tokensOf("한국어".normalize("NFD"))).toEqual(["한국", "국어", "어"]);
  });

  it("P2: each character of a run starts a token", () => {
    expect(pairsOf("天")).toEqual(["天"]);
    expect(pairsOf("天気予報")).toEqual(["天気", "気予", "予報", "報"]);
    expect(pairsOf("𠮷野")).toEqual(["𠮷野", "野"]);
  });

  it("P2: no token holds what the index's own tokenizer splits at, nor what marks a chat", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const token of tokensOf(text)) {
          expect(token).toMatch(/^(?:[a-z0-9]|[^\u0000-\u007f])+$/u);
          expect(token).not.toMatch(/[\p{Co}\s]/u);
        }
      }),
    );
    expect(tokensOf(chatToken(7))).toEqual(["7"]);
  });

  it("P2: pieces stand in the text in order, and a run's characters within it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 100 }), (text) => {
        let before = 0;
        for (const { start, end, text: folded, offsets } of piecesOf(text)) {
          // A character that folds to several pieces gives them one place.
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          if (offsets !== undefined) {
            expect(offsets.length).toBe(folded.length);
            expect(offsets.every((offset) => offset >= start && offset < end)).toBe(true);
          }
          before = start;
        }
      }),
    );
  });

  it("P2: hostile text is cut as any other", () => {
    expect(tokensOf("a\ud800b\udc00")).toEqual(["a", "b"]);
    expect(tokensOf("\u0301".repeat(200))).toEqual([]);
    expect(tokensOf(`e${"\u0301".repeat(200)}`)).toEqual(["e"]);
    expect(tokensOf("\u200b\u202e\ufeff")).toEqual([]);
    expect(tokensOf("な".repeat(100_000)).length).toBe(100_000);
    expect(compoundsOf(piecesOf("a-".repeat(50_000)))).toEqual([]);
  });
});
