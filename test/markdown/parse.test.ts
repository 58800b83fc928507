import { escapeMarkdown } from "../../src/core/text.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Nodes, parseMarkdown, plainRoot } from "../../src/markdown/parse.ts";

describe("parsing Markdown", () => {
  it("gives a tree for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => parseMarkdown(text).type === "root"),
    );
  });

  it("runs an unclosed fence to the end", () => {
    expect(parseMarkdown("a\n```js\nx\ny").children[1]).toMatchObject({ type: "code", lang: "js", value: "x\ny" });
  });

  it("reads tables, task lists, footnotes and strikethrough", () => {
    const types = new Set(parseMarkdown("|a|\n|-|\n\n- [x] b\n\n~~c~~ d[^1]\n\n[^1]: e").children.flatMap(typesIn));
    for (const type of ["table", "listItem", "delete", "footnoteReference"]) expect(types).toContain(type);
  });

  it("takes one tilde for a tilde", () => {
    expect(parseMarkdown("~5 to ~10").children.flatMap(typesIn)).not.toContain("delete");
  });

  const traps: [string, string, string][] = [
    ["ten thousand quotes in each other", ">".repeat(10_000), "x"],
    ["ten thousand lists in each other", "- ".repeat(10_000), "x"],
    ["a hundred thousand marks that don't match", "*a_ ".repeat(50_000), "x"],
    ["ten thousand images in each other", "![".repeat(10_000), `a${"](b)".repeat(10_000)}`],
    ["fifty thousand open brackets", "[".repeat(50_000), "x"],
  ];
  it.each(traps)("keeps the words of %s, without the formatting", (_, before, after) => {
    const root = parseMarkdown(before + after);
    expect(wordsIn(root)).toBe(before + after);
    expect(root.children.flatMap(typesIn).every((type) => type === "paragraph" || type === "text")).toBe(true);
  });

  it("formats a long answer with thousands of marks in many paragraphs, and code full of brackets", () => {
    const types = parseMarkdown(
      `${"**a** [b](https://c.d)\n\n".repeat(1500)}\`\`\`\n${"[*_".repeat(2000)}\n\`\`\``,
    ).children;
    expect(types[0]).toMatchObject({ children: [{ type: "strong" }, { type: "text" }, { type: "link" }] });
    expect(types.at(-1)?.type).toBe("code");
  });

  it("shows a rule of many dashes as a rule", () => {
    expect(parseMarkdown("- ".repeat(80)).children[0]?.type).toBe("thematicBreak");
  });

  it("reads a long text as the same tree as its parts", () => {
    const parts = [
      "# T **b**",
      "a *b*\nc",
      "- x\n- y\n\n  z",
      "1. x\n   ```\n   code\n\n   more\n   ```",
      "```js\na\n\n- b\n```",
      "> q\n> - r",
      "    code\n\n    more",
      "|a|b|\n|-|-|\n|1|2|",
      "[r] and [^n]",
    ];
    const names = "[r]: https://x.y\n\n[^n]: note";
    const order = Array.from({ length: 900 }, (_, index) => parts[(index * 7 + (index >> 3)) % parts.length]).join(
      "\n\nbetween\n\n",
    );
    const root = parseMarkdown(`${order}\n\n${names}`);
    const small = Object.fromEntries(parts.map((part) => [part, parseMarkdown(`${part}\n\n${names}`).children[0]]));
    const expected = order.split("\n\nbetween\n\n").map((part) => outline(small[part]));
    const between = root.children.filter((child) => wordsIn(child) !== "between").slice(0, -2);
    expect(between.map(outline)).toEqual(expected);
  });

  it("makes plain paragraphs of a text", () => {
    expect(plainRoot("*a*\nb\n\n \n c").children).toEqual([
      { type: "paragraph", children: [{ type: "text", value: "*a*\nb" }] },
      { type: "paragraph", children: [{ type: "text", value: " c" }] },
    ]);
  });
});

function typesIn(node: Nodes): string[] {
  return [node.type, ...("children" in node ? node.children.flatMap(typesIn) : [])];
}

function wordsIn(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(wordsIn).join("") : "";
}

function outline(node: Nodes | undefined): string {
  return JSON.stringify(node, (key, value: unknown) => (key === "position" ? undefined : value));
}

it("T38: escaped text reads as it is, addresses in it too", () => {
  const texts = [
    "https://a.b/c_d*e|f and HTTP://x_y.z/~q",
    "www.a_b.com/c_d, a_b@c_d.org",
    "`x` [y](z) <b> \\ ~~s~~ **t** | &amp; &#35;",
  ];
  for (const text of texts) {
    const tree = parseMarkdown(`see ${escapeMarkdown(text)}`);
    const said = JSON.stringify(tree).match(/"value":"((?:[^"\\]|\\.)*)"/gu) ?? [];
    // Addresses become links; what they say is the same.
    expect(said.map((value) => (JSON.parse(`{${value}}`) as { value: string }).value).join("")).toBe(`see ${text}`);
  }
});
