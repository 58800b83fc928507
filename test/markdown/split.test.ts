import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Nodes, type Root, parseMarkdown } from "../../src/markdown/parse.ts";
import { splitTree } from "../../src/markdown/split.ts";
import { runs } from "../deep.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

function wordsIn(node: Nodes): string {
  if ("value" in node) return node.value;
  if (node.type === "break") return "\n";
  return "children" in node ? node.children.map(wordsIn).join("") : "";
}

function split(markdown: string, budget: number): Root[] {
  return splitTree(parseMarkdown(markdown), { measure: (piece) => wordsIn(piece).length, budget });
}

function graphemesIn(text: string): string[] {
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}

describe("splitting a tree", () => {
  it("gives one piece for what fits, and none for nothing", () => {
    expect(split("a **b**", 100)).toEqual([parseMarkdown("a **b**")]);
    expect(split("", 100)).toEqual([]);
  });

  it("prefers the end of a block to the end of a line, and that to the end of a word", () => {
    expect(split(`${"a".repeat(30)}\n\n${"b".repeat(30)}`, 40).map(wordsIn)).toEqual(["a".repeat(30), "b".repeat(30)]);
    expect(split("one two three\nfour five six", 20).map(wordsIn)).toEqual(["one two three\n", "four five six"]);
    expect(split("one two three four", 10).map(wordsIn)).toEqual(["one two ", "three four"]);
  });

  it("leaves no heading alone at the end of a piece", () => {
    const pieces = split(`${"a".repeat(30)}\n\n# Title\n\n${"b".repeat(30)}`, 45);
    expect(pieces.map((piece) => piece.children[0]?.type)).toEqual(["paragraph", "heading"]);
  });

  it("reopens bold in the next piece", () => {
    for (const piece of split(`**${"bold ".repeat(20)}end**`, 30)) {
      expect(piece.children[0]).toMatchObject({ type: "paragraph", children: [{ type: "strong" }] });
    }
  });

  it("closes a fence and reopens it with its language, at a line", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `  const line${index} = ${index};`);
    const pieces = split(`\`\`\`ts\n${lines.join("\n")}\n\`\`\``, 500);
    expect(pieces.length).toBeGreaterThan(10);
    for (const piece of pieces) expect(piece.children).toMatchObject([{ type: "code", lang: "ts" }]);
    expect(pieces.map(wordsIn).join("\n")).toBe(lines.join("\n"));
  });

  it("goes on counting a list, and marks an item that goes on", () => {
    const pieces = split(`5. ${"a ".repeat(12)}\n6. ${"b ".repeat(40)}\n7. c`, 30);
    expect(pieces[1]?.children[0]).toMatchObject({ type: "list", start: 6 });
    const later = pieces[2]?.children[0];
    expect(later).toMatchObject({ type: "list", start: 6, children: [{ data: { continued: true } }] });
  });

  it("repeats a table's header over later rows", () => {
    const pieces = split(`| h1 | h2 |\n|---|---|\n${"| aaa | bbb |\n".repeat(10)}`, 30);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) {
      expect(wordsIn(piece)).toMatch(/^h1h2(aaabbb)+$/);
      expect(piece.children.map((child) => child.type)).toEqual(["table"]);
    }
  });

  it("keeps the columns of a row that is cut", () => {
    const pieces = split(`| h | i |\n|---|---|\n| ${"a ".repeat(20)} | ${"b ".repeat(20)} |`, 20);
    for (const piece of pieces) {
      const table = piece.children[0];
      for (const row of table?.type === "table" ? table.children : []) expect(row.children).toHaveLength(2);
    }
  });

  it("cuts before a link or code rather than inside it, and inside when it is longer than a piece", () => {
    expect(split("some words [a link to it](https://x.y) end", 22).map(wordsIn)[0]).toBe("some words ");
    expect(split("some words `a b c d e f g` end", 20).map(wordsIn)[0]).toBe("some words ");
    const pieces = split(`[${"long ".repeat(20)}](https://x.y)`, 30);
    for (const piece of pieces)
      expect(piece.children).toMatchObject([{ children: [{ type: "link", url: "https://x.y" }] }]);
  });

  it("keeps a mark that stands in another element with its letter", () => {
    const pieces = split(`${"a".repeat(9)}e*\u0301b*`, 10).map(wordsIn);
    expect(pieces.every((piece) => !piece.startsWith("\u0301"))).toBe(true);
  });

  it("moves on when not even one character fits", () => {
    expect(split("abc", 0).map(wordsIn).join("")).toBe("abc");
    expect(split("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 5).map(wordsIn).join("")).toBe("👨‍👩‍👧‍👦👨‍👩‍👧‍👦");
  });

  it("asks the measure a bounded number of times per piece, about little more than a piece", () => {
    const root = parseMarkdown("Some **words** in a row, and `code`.\n\n- item\n\n".repeat(2000));
    let asked = 0;
    let largest = 0;
    const pieces = splitTree(root, {
      budget: 1000,
      measure: (piece) => {
        asked++;
        const size = wordsIn(piece).length;
        largest = Math.max(largest, size);
        return size;
      },
    });
    expect(asked / pieces.length).toBeLessThan(8);
    expect(largest).toBeLessThan(2500);
  });

  it("loses and adds no text, stays in the budget and cuts between characters, whatever the tree", () => {
    const unit = fc.constantFrom(
      "word",
      "**b c**",
      "*i*",
      "`co de`",
      "[l k](https://a.b)",
      "👨‍👩‍👧‍👦",
      "e\u0301",
      "🇩🇪🇫🇷",
      "שלום",
      "\n",
      "\n\n",
      "\n- ",
      "\n> ",
      "\n1. ",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.integer({ min: 12, max: 80 }), (units, budget) => {
        const root = parseMarkdown(units.join(" "));
        const before = JSON.stringify(root);
        const pieces = splitTree(root, { measure: (piece) => wordsIn(piece).length, budget });
        expect(JSON.stringify(root)).toBe(before);
        const texts = pieces.map(wordsIn);
        expect(texts.join("")).toBe(wordsIn(root));
        for (const text of texts) {
          expect(text.length).toBeLessThanOrEqual(budget);
          expect(text).not.toMatch(/^[\u0301\u200D]|\u200D$/u);
        }
        const cut = texts.flatMap(graphemesIn).length;
        expect(cut).toBe(graphemesIn(wordsIn(root)).length);
      }),
      { numRuns: runs(300) },
    );
  });
});
