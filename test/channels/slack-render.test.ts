import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MESSAGE, bytesOf, linkTo, renderSlack } from "../../src/channels/slack/render.ts";
import type { SlackPiece } from "../../src/channels/slack/render.ts";
import { parseMarkdown, plainRoot } from "../../src/markdown/parse.ts";
import type { Nodes, Root } from "../../src/markdown/parse.ts";
import { simplify } from "../../src/markdown/simplify.ts";
import { dropControls } from "../../src/core/text.ts";
import { runs } from "../deep.ts";

const SPACE = { bytes: 12_000, blocks: 45 };
const JOINER = "\u2060";

/** What Slack takes for a mention, wherever it stands. */
const PING = /<(?:!(?:channel|here|everyone|group|subteam|date)|[@#][A-Z0-9])/iu;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Markdown beside the one message it becomes; `|` stands for the invisible joiner. */
const cases: [behaviour: string, markdown: string, written: string][] = [
  ["escapes the signs that Slack reads", 'a < b & c > "d"', 'a &lt; b &amp; c &gt; "d"'],
  ["shows raw HTML as text", "use <b>this</b>", "use &lt;b&gt;this&lt;/b&gt;"],
  ["shows a block of HTML as text", "<script>\nx\n</script>", "&lt;script&gt;  \nx  \n&lt;/script&gt;"],
  ["keeps a heading", "## Plan **B**", "## Plan **B**"],
  ["keeps the signs at a heading's end", "# a \\#", "# a \\#"],
  ["keeps a heading of signs", "\\#\n-", "## \\#"],
  ["mixes bold, italic and strikethrough", "**a *b*** ~~c~~", "**a *b*** ~~c~~"],
  ["opens marks inside words", "a**b**c d*e*f", "a**b**c d*e*f"],
  ["keeps marks inside words apart where signs meet", "\u200D***~***", "\u200D**|*|\\~***"],
  ["opens marks on a sign inside a word", "a**“b”**c", "a\\*\\*“b”\\*\\*c"],
  ["moves spaces out of marks", "a** b **c", "a\\*\\* b \\*\\*c"],
  ["takes one tilde for a tilde", "~5 to ~10~", "~5 to ~10\\~"],
  ["leaves underscores in words alone", "snake_case and _x", "snake_case and \\_x"],
  ["keeps line breaks, soft and hard", "a\nb  \nc\\\nd", "a  \nb  \nc  \nd"],
  ["keeps a fence's language", "```ts\na < b\n```", "```ts\na < b\n```"],
  ["leaves out a language that is no name", '```a"b c\nx\n```', "```\nx\n```"],
  ["closes a fence that is still open", "```\nx", "```\nx\n```"],
  ["fences fences", "````\n```\nx\n```\n````", "````\n```\nx\n```\n````"],
  ["quotes backticks in code", "`` a`b ``", "``a`b``"],
  ["nests lists", "* a\n  * b\n    1. c\n* d", "- a\n  - b\n    1. c\n- d"],
  ["counts from where the list does", "3. a\n4. b", "3. a\n4. b"],
  ["keeps two lists apart", "1. a\n\n1) b", "1. a\n\n1) b"],
  ["keeps a task list", "- [ ] a\n- [x] b", "- [ ] a\n- [x] b"],
  ["keeps code in a list", "- a\n  ```\n  x\n    y\n  ```", "- a\n  ```\n  x\n    y\n  ```"],
  ["quotes", "> a\n> b", "> a  \n> b"],
  ["quotes in a quote", "> a\n>> b", "> a\n>\n> > b"],
  ["keeps a rule", "a\n\n***\n\nb", "a\n\n---\n\nb"],
  [
    "keeps text from being a list, a heading or a rule",
    "\\- a\n\\# b\n1\\. c\n\\---",
    "\\- a  \n\\# b  \n1\\. c  \n\\---",
  ],
  ["links", "[a & b](https://x.y/?a=1&b=2)", "[a &amp; b](https://x.y/?a=1&b=2)"],
  ["keeps an entity in an address from being one", "[a](https://x.y/?a&amp;copy;)", "[a](https://x.y/?a&amp;copy;)"],
  ["encodes what could end an address", "[a](<https://x.y/)(> )", "[a](https://x.y/%29%28)"],
  ["encodes bars and quotes in an address", '[a](<https://x.y/(b"c|d>)', "[a](https://x.y/%28b%22c%7Cd)"],
  ["says an address that must not be a link", "[a](javascript:b)", "a (javascript:b)"],
  ["links to no app", "[a](slack://user?id=1)", "a (slack://user?id=1)"],
  ["makes an image a link", "![a](https://x.y/b.png)", "[a](https://x.y/b.png)"],
  ["makes no image of a link after a shout", "a\\![b](https://x.y)", "a\\![b](https://x.y)"],
  ["numbers footnotes and puts them at the end", "a[^x] b\n\n[^x]: note", "a\\[1\\] b\n\n\\[1\\] note"],
  ["keeps a table", "|a|b|\n|-|-:|\n|x|`1\\|0`|", "| a | b |\n| --- | --: |\n| x | `1\\|0` |"],
  ["draws a second small table", "|a|\n|-|\n|x|\n\n|b|\n|-|\n|y|", "| a |\n| --- |\n| x |\n\n```\nb\n─\ny\n```"],
  ["draws a table in a quote", "> |b|\n> |-|\n> |y|", "> ```\n> b\n> ─\n> y\n> ```"],
  ["makes no table of text", "a \\| b\n\\--|--", "a | b  \n\\--|--"],
  ["shows a text of only a mark", "#", "\\#"],
  ["leaves an unclosed mark as text", "**a", "\\*\\*a"],
  ["keeps a backslash at the end", "a\\", "a\\\\"],
  ["drops controls and direction overrides", "a\u0000\u202Eb", "ab"],
  ["lets nothing call a channel", "<!channel> @here", "&lt;|!channel&gt; @|here"],
  ["lets nothing mention anyone", "<@U123> <#C1>, <!subteam^S1>", "&lt;|@U123&gt; &lt;|#C1&gt;, &lt;|!subteam^S1&gt;"],
  ["lets nothing in code mention anyone", "`<@U123>` `@here`", "`<|@U123>` `@|here`"],
  [
    "keeps an address of mail, and names",
    "a@here.de, @Sam, `@Channel`",
    "[a@here.de](mailto:a@here.de), @Sam, `@Channel`",
  ],
  ["keeps code that only looks like it", "`<!DOCTYPE html> x < y`", "`<!DOCTYPE html> x < y`"],
];

describe("Markdown for Slack", () => {
  it.each(cases)("%s", (_, markdown, written) => {
    const pieces = renderSlack([markdown], SPACE);
    // In these cases a bar next to a sign of a mention stands for the joiner.
    expect(pieces.map((piece) => piece.markdown.replaceAll(JOINER, "|"))).toEqual([written]);
    expectGood(pieces, SPACE.bytes);
    expect(wordsOf(shownBy(pieces))).toBe(wordsOf(meantBy(markdown)));
  });
});

describe("long Markdown for Slack", () => {
  const small = { bytes: 400, blocks: 12 };

  it("carries bold over the boundary", () => {
    const pieces = renderSlack([`**${"bold ".repeat(4000)}end**`], SPACE);
    expect(pieces.length).toBe(2);
    for (const { markdown } of pieces) expect(markdown).toMatch(/^\*\*[a-z ]+\*\*$/u);
  });

  it("keeps every piece of a thousand lines of code fenced in its language", () => {
    const code = Array.from({ length: 1000 }, (_, index) => `    if (a < ${index}) return "${"x".repeat(30)}";`);
    const pieces = renderSlack([`\`\`\`ts\n${code.join("\n")}\n\`\`\``], SPACE);
    expect(pieces.length).toBeGreaterThan(3);
    for (const { markdown } of pieces) expect(markdown).toMatch(/^```ts\n[^]*\n```$/u);
    expect(pieces.map(({ plain }) => plain).join("\n")).toBe(code.join("\n"));
    expectGood(pieces, SPACE.bytes);
  });

  it("repeats a long table's header, and keeps to a hundred rows", () => {
    const rows = Array.from({ length: 250 }, (_, index) => `| ${index} | x |`);
    const pieces = renderSlack([`| n | v |\n|---|---|\n${rows.join("\n")}`], SPACE);
    for (const { markdown } of pieces) {
      expect(markdown).toMatch(/^\| n \| v \|\n\| --- \| --- \|\n/u);
      expect(markdown.split("\n").length - 1).toBeLessThanOrEqual(MESSAGE.tableRows);
    }
    expect(pieces.flatMap(({ markdown }) => markdown.match(/^\| \d+ \| x \|$/gmu) ?? [])).toEqual(rows);
  });

  it("gives a second table with links a message of its own, and writes one of too many columns as lines", () => {
    const linked = "|a|\n|-|\n|[l](https://x.y)|";
    expect(renderSlack([`${linked}\n\nthen\n\n${linked}`], SPACE).map(({ markdown }) => markdown)).toEqual([
      "| a |\n| --- |\n| [l](https://x.y) |\n\nthen",
      "| a |\n| --- |\n| [l](https://x.y) |",
    ]);
    const wide = ["h", "-", "c"].map((cell) => `|${`${cell}|`.repeat(21)}`).join("\n");
    expect(renderSlack([wide], SPACE)[0]?.markdown).not.toContain("|");
  });

  it("goes on with a list where it was cut, under its numbers", () => {
    const items = Array.from({ length: 60 }, (_, index) => `${index + 1}. item ${index + 1} of the list`);
    const pieces = renderSlack([items.join("\n")], small);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ markdown }) => markdown).join("\n")).toBe(items.join("\n"));
  });

  it("counts the blocks that Slack makes of headings, code and rules", () => {
    const pieces = renderSlack([Array.from({ length: 60 }, (_, index) => `# ${index}\n\ntext`).join("\n\n")], SPACE);
    expect(pieces.length).toBeGreaterThan(2);
    for (const { markdown } of pieces) expect(markdown.match(/^(?:# \d+|text)$/gmu)?.length).toBeLessThanOrEqual(45);
    // Paragraphs of one run are one block.
    expect(renderSlack([Array.from({ length: 80 }, () => "text").join("\n\n")], SPACE)).toHaveLength(1);
  });

  it.each(["😀", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0302", "漢"])("cuts 9,000 times %s between them", (character) => {
    const pieces = renderSlack([character.repeat(9000)], SPACE);
    for (const { plain } of pieces) expect(plain.length % character.length).toBe(0);
    expectGood(pieces, SPACE.bytes);
    expect(pieces.map(({ plain }) => plain).join("")).toBe(character.repeat(9000));
  });

  it("takes fifty thousand characters of every kind", () => {
    const part =
      "## Title\n\nSome **bold** text & `code`, [a link](https://x.y).\n\n1. one\n2. two\n\n> quote\n\n|a|b|\n|-|-|\n|1|2|\n\n";
    expectGood(renderSlack([part.repeat(Math.ceil(50_000 / part.length))], SPACE), SPACE.bytes);
  });

  it("takes nesting of ten thousand levels", () => {
    for (const mark of [">", "- ", "*", "[", "![", "1. "])
      expectGood(renderSlack([`${mark.repeat(10_000)} x`], SPACE), SPACE.bytes);
    expectGood(renderSlack([`${"> ".repeat(60)}a ${"b".repeat(500)}`], small), small.bytes);
  });

  it("keeps texts apart, whatever the first leaves open", () => {
    const [piece, ...more] = renderSlack(["```\nx", "**1.** y", " \n"], SPACE);
    expect(more).toEqual([]);
    expect(piece?.markdown).toBe("```\nx\n```\n\n**1.** y");
  });

  it.each(["", " \n\t", "\u200B", "\u0000", "&nbsp;", "\u3164"])(
    "gives no message for %j, which shows nothing",
    (nothing) => {
      expect(renderSlack([nothing], SPACE).filter(({ plain }) => plain.trim() === "")).toEqual([]);
    },
  );

  it("says the address of a link in the plain form", () => {
    expect(renderSlack(["[a](https://x.y) https://z.z/ **b**"], SPACE)[0]?.plain).toBe(
      "a (https://x.y) https://z.z/ b",
    );
  });
});

describe("any text for Slack", () => {
  const marks = [
    ...["*", "**", "***", "_", "__", "`", "``", "```", "~", "~~", "[", "](https://a.b)", "](x)", "![", "!", "(", ")"],
    ...[">", "\n> ", "\n- ", "\n1. ", "\n3) ", "\n* ", "\n+ ", "\n", "\n\n", "|", "\n|-|-|\n", "#", "\n# ", "\n=\n"],
    ...["<", ">", "&", "&amp;", "&#10;", "&nbsp;", "\\", "<b>", "</b>", '"', ".", "@name", "[^1]", "\n[^1]: "],
    ...["- [ ] ", "    ", "a", "word", "😀", "👨‍👩‍👧‍👦", "e\u0301", "שלום", "漢字。", "\u202E", "\u0000", "\uD800", "\u200D"],
    ...[
      "<!channel>",
      "<!here|x>",
      "<@U123>",
      "<#C1>",
      "<!subteam^S1>",
      "@here",
      "@",
      "everyone",
      "---\n",
      " ",
      " ",
      "\t",
    ],
    ...["https://x.y/_a_", "a@b.cd", "<https://x.y>", "[r]: https://x.y\n", "[r]", "\n***\n", "\n~~~\n", "\u2060"],
  ];
  const soup = fc.array(fc.constantFrom(...marks), { maxLength: 80 }).map((parts) => parts.join(""));

  it("T46: shows the same words when Markdown is read again, formats nothing else, mentions nobody", () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 4, arbitrary: soup }, fc.string({ unit: "binary" })), (markdown) => {
        const pieces = renderSlack([markdown], SPACE);
        expectGood(pieces, SPACE.bytes);
        if (pieces.length !== 1) return;
        expect(wordsOf(shownBy(pieces))).toBe(wordsOf(meantBy(markdown)));
        const tree = simplified(parseMarkdown(dropControls(markdown)));
        // Another table than the first is drawn as text.
        if ([...allIn(tree)].some(({ type }) => type === "table")) return;
        if (wordsOf(textIn(tree)) !== "") expect(stylesOf(parseMarkdown(pieces[0]!.markdown))).toEqual(stylesOf(tree));
      }),
      { numRuns: runs(1500) },
    );
  });

  it("is written the same when it is written again", () => {
    fc.assert(
      fc.property(soup, (markdown) => {
        const [first, ...more] = renderSlack([markdown], SPACE);
        if (first === undefined || more.length > 0) return;
        const again = renderSlack([first.markdown], SPACE);
        expect(wordsOf(shownBy(again))).toBe(wordsOf(shownBy([first])));
        expectGood(again, SPACE.bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  it("becomes messages within the limit, whatever that is", () => {
    fc.assert(
      fc.property(
        fc.oneof({ weight: 4, arbitrary: soup }, fc.string({ unit: "binary" })),
        fc.integer({ min: 200, max: 600 }),
        (markdown, bytes) => {
          expectGood(renderSlack([markdown], { bytes, blocks: 15 }), bytes);
        },
      ),
      { numRuns: runs(600) },
    );
  });

  it("keeps all that is said however long it is", () => {
    // A table that is cut says its header again.
    const long = fc
      .array(fc.constantFrom(...marks.filter((mark) => !mark.includes("|"))), { minLength: 20, maxLength: 80 })
      .map((parts) => `${parts.join("")}\n\n`.repeat(60));
    fc.assert(
      fc.property(long, (markdown) => {
        const pieces = renderSlack([markdown], SPACE);
        expectGood(pieces, SPACE.bytes);
        expect(wordsOf(shownBy(pieces))).toBe(wordsOf(meantBy(markdown)));
      }),
      { numRuns: 15 },
    );
  });

  it("is cut in no character, wherever its elements begin and end", () => {
    const part = fc.constantFrom(
      ...["ab", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0302", "**😀b**", "*👍🏽*", "`🏳️‍🌈`", "[नि](https://a.b)", " ", "한", "각"],
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 120 }), fc.integer({ min: 150, max: 300 }), (parts, bytes) => {
        const markdown = `x${parts.join("")}`;
        const whole = renderSlack([markdown], SPACE).map(shownIn);
        const pieces = renderSlack([markdown], { bytes, blocks: 15 }).map(shownIn);
        expect(pieces.join("")).toBe(whole.join(""));
        expect(graphemesIn(pieces)).toBe(graphemesIn(whole));
      }),
      { numRuns: runs(500) },
    );
  });

  it("keeps all its words in their order, in both forms", () => {
    const phrase = fc.constantFrom(
      (w: string) => w,
      (w: string) => `**${w}**`,
      (w: string) => `*${w}*`,
      (w: string) => `\`${w}\``,
      (w: string) => `[${w}](https://a.b)`,
      (w: string) => `~~${w}~~`,
    );
    const words = fc.array(phrase, { minLength: 1, maxLength: 12 });
    const block = fc.record({
      words,
      open: fc.constantFrom("", "# ", "- ", "1. ", "> ", "- [ ] ", "  - ", "> - ", "|a|\n|-|\n|"),
      fence: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 200, max: 600 }), (blocks, bytes) => {
        let count = 0;
        const markdown = blocks.map(({ words, open, fence }) => {
          const said = words.map((put) => (fence ? `w${count++}w` : put(`w${count++}w`)));
          return fence ? `\`\`\`js\n${said.join("\n")}\n\`\`\`` : open + said.join(" ");
        });
        const expected = Array.from({ length: count }, (_, index) => `w${index}w`);
        const pieces = renderSlack([markdown.join("\n\n")], { bytes, blocks: 15 });
        expectGood(pieces, bytes);
        expect(shownBy(pieces).match(/w\d+w/gu) ?? []).toEqual(expected);
        expect(pieces.flatMap(({ plain }) => plain.match(/w\d+w/gu) ?? [])).toEqual(expected);
      }),
      { numRuns: runs(300) },
    );
  });
});

/** The words that a reader of Slack's sees: each message read as standard Markdown. */
function shownBy(pieces: readonly SlackPiece[]): string {
  return pieces.map(({ markdown }) => textIn(parseMarkdown(markdown))).join("\n");
}

/** The words that the text means. */
function meantBy(markdown: string): string {
  const text = dropControls(markdown);
  const shown = textIn(simplified(parseMarkdown(text)));
  return wordsOf(shown) === "" ? textIn(plainRoot(text)) : shown;
}

function simplified(root: Root): Root {
  return simplify(root, { linkTo, keepTable: () => true });
}

function textIn(node: Nodes): string {
  if (node.type === "break") return "\n";
  if (node.type === "thematicBreak") return "§";
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textIn).join("") : "";
}

/** Every sign that a reader sees, with the styles it has. */
function stylesOf(node: Nodes, styles = ""): string[] {
  const style = { strong: "b", emphasis: "i", delete: "s" }[node.type as string];
  const inner =
    style === undefined || styles.includes(style)
      ? styles
      : ["b", "i", "s"].filter((one) => one === style || styles.includes(one)).join("");
  if ("value" in node) return Array.from(wordsOf(node.value), (sign) => `${sign}${inner}`);
  return "children" in node ? node.children.flatMap((child) => stylesOf(child, inner)) : [];
}

/** Without white space and what draws nothing. */
function wordsOf(text: string): string {
  return text.replace(/[\s\p{Cf}\u3164│┼─]/gu, "");
}

function expectGood(pieces: readonly SlackPiece[], maxBytes: number): void {
  for (const { markdown, plain, line } of pieces) {
    expect(plain.trim()).not.toBe("");
    expect(markdown.isWellFormed()).toBe(true);
    expect(bytesOf({ type: "markdown", text: markdown })).toBeLessThanOrEqual(maxBytes);
    expect(markdown.length).toBeLessThanOrEqual(MESSAGE.markdownChars);
    const said = [markdown, line?.text ?? ""].join("\n");
    expect(said).not.toMatch(PING);
    expect(Array.from(allIn(parseMarkdown(markdown))).filter(isBad)).toEqual([]);
  }
}

/** Nothing but what the renderer means to write: no HTML, nothing that loads, no other address, no word that calls all. */
function isBad(node: Nodes): boolean {
  switch (node.type) {
    case "html":
    case "image":
    case "imageReference":
    case "linkReference":
    case "definition":
    case "footnoteReference":
    case "footnoteDefinition":
      return true;
    case "link":
      return !/^(?:https?:\/\/|mailto:)./iu.test(node.url);
    case "text":
      return /(?<![\p{L}\p{N}])@(?:channel|here|everyone)(?![\p{L}\p{N}])/iu.test(node.value);
    default:
      return false;
  }
}

function* allIn(node: Nodes): Generator<Nodes> {
  yield node;
  if ("children" in node) for (const child of node.children) yield* allIn(child);
}

function shownIn(piece: SlackPiece): string {
  return shownBy([piece]).replace(/[\s\u2060]/gu, "");
}

/** How many graphemes a reader sees in all pieces. */
function graphemesIn(texts: readonly string[]): number {
  return texts.flatMap((text) => Array.from(segmenter.segment(text))).length;
}
