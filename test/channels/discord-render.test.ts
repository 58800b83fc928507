import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeLines } from "../../src/channels/discord/inline.ts";
import { renderDiscord } from "../../src/channels/discord/render.ts";
import type { DiscordPiece } from "../../src/channels/discord/render.ts";
import { escapeMarkdown, isVisible, oneLine } from "../../src/core/text.ts";
import { runs } from "../deep.ts";
import { READERS, pingsIn, readDiscord } from "./discord-reader.ts";
import type { Mark } from "./discord-reader.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const J = "\u2060";
const T = "```";

/** Markdown beside the one message it becomes. */
const cases: [behaviour: string, markdown: string, content: string][] = [
  ["keeps three headings, close to their text", "# A\nx\n## B\n### C", "# A\nx\n\n## B\n### C"],
  ["makes a deeper heading bold", "#### Plan **B**\n\nx", "**Plan B**\n\nx"],
  ["keeps what closes a heading for Discord", "# Learn C\\#", `# Learn C#${J}`],
  ["makes a heading in a list bold", "- # a", "- **a**"],
  ["mixes bold, italics and strikethrough", "**a *b*** ~~c~~", "**a *b*** ~~c~~"],
  ["lets italics go on after bold", "***a** b*", `*${J}**a** b*`],
  ["keeps styles apart that touch", "**a***b*", `**a**${J}*b*`],
  ["ends a style before a space, and begins it after", "a** b **c", "a\\*\\* b \\*\\*c"],
  ["ends a style at each line", "**a\nb**", "**a**\n**b**"],
  ["keeps a style's end apart from a like sign", "**a\\***", `**a\\*${J}**`],
  ["keeps code in bold", "**a `b` c**", "**a `b` c**"],
  ["ends a style around code with its mark", "**a `b**` c**", "**a** `b**` **c**"],
  ["holds a backtick in code", "`` a`b ``", "``a`b``"],
  ["sets a backtick at the edge of code apart", "`` `a` ``", "`` `a` ``"],
  ["shows code of more backticks as text", "``` a``b ```", "a\\`\\`b"],
  ["keeps code that touches code apart", "`a```b``", "\\`a\\`\\`\\`b\\`\\`"],
  ["keeps a fence with its language", "~~~ts\na < b\n~~~", `${T}ts\na < b\n${T}`],
  ["knows C# by the name Discord has", "```c#\nx\n```", `${T}cs\nx\n${T}`],
  ["leaves out a language that is no name", '```a"b c\nx\n```', `${T}\nx\n${T}`],
  ["closes a fence that is still open", "```\nx", `${T}\nx\n${T}`],
  [
    "breaks up backticks that would close a fence",
    "````\n```js\nx\n```\n````",
    `${T}\n\`\`${J}\`js\nx\n\`\`${J}\`\n${T}`,
  ],
  ["draws lists that nest", "- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d"],
  ["counts from where the list does", "3. a\n4. b\n   - c", "3. a\n4. b\n   - c"],
  ["draws a task list", "- [ ] a\n- [x] b", "- ☐ a\n- ☑ b"],
  ["keeps a paragraph in its item", "- a\n\n  b\n- c", "- a\n  b\n- c"],
  ["keeps code in a list free of indents", "- a\n  ```\n  x\n    y\n  ```\n- b", `- a\n${T}\nx\n  y\n${T}\n- b`],
  ["quotes line by line", "> a\n> b\n>\n> c", "> a\n> b\n> \n> c"],
  ["flattens a quote in a quote", "> a\n>> b\n\nc", "> a\n> \n> b\n\nc"],
  ["quotes code", "> ```js\n> x\n> ```", `> ${T}js\n> x\n> ${T}`],
  ["quotes in a list", "- a\n  > b", "- a\n  > b"],
  ["draws a rule", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
  ["links", "[a & b](https://x.y/?a=1&b=2)", "[a & b](https://x.y/?a=1&b=2)"],
  ["links code", "[`a()`](https://x.y)", "[`a()`](https://x.y)"],
  ["puts a style around a link", "**[a](https://x.y)**", "**[a](https://x.y)**"],
  ["takes signs out of an address", "[a](<https://x.y/(b)_*c*_>)", "[a](https://x.y/%28b%29%5F%2Ac%2A%5F)"],
  ["leaves a bare address as it is", "see https://x.y/a_b_c, ok", "see https://x.y/a_b_c, ok"],
  ["ends an address where it ends", "see <https://x.y>; **https://x.y**", "see <https://x.y>; **<https://x.y>**"],
  ["says the address of a text that looks like another", "[bank.com](https://x.y)", "bank.com (<https://x.y>)"],
  ["says the address of a text with a scheme", "[http://b.c/](https://x.y)", "http\\://b.c/ (<https://x.y>)"],
  ["links a text that is its own host", "[x.yz](https://x.yz/a)", "[x.yz](https://x.yz/a)"],
  ["links www by its text", "www.x.yz", "[www.x.yz](http://www.x.yz)"],
  ["says the address of a text that Discord links nothing to", "[🔥 a](https://x.y)", "🔥 a (<https://x.y>)"],
  ["says the address of a text that needs escapes", "[a*b](https://x.y)", "a\\*b (<https://x.y>)"],
  ["says a mail address", "[me](mailto:a@b.c) a@b.c", "me (a@b.c) a@b.c"],
  ["follows a reference", "[a][r]\n\n[r]: https://x.y", "[a](https://x.y)"],
  ["says an address that must not be a link", "[a](javascript:b) [c](./d.md)", "a (javascript:b) c (./d.md)"],
  ["makes no link to a page of the app", "[a](discord://x/y)", "a (discord\\://x/y)"],
  ["makes an image a link", "![a](https://x.y/b.png)", "[a](https://x.y/b.png)"],
  ["aligns a small table", "|a|b|\n|-|-:|\n|x|10|\n|yy|2|", `${T}\na  │  b\n───┼───\nx  │ 10\nyy │  2\n${T}`],
  [
    "writes a wide table row by row",
    "|A long header here|Another long header|\n|-|-|\n|1|**2**|\n|3||",
    "**A long header here:** 1\n**Another long header: 2**\n\n**A long header here:** 3",
  ],
  ["numbers footnotes and puts them at the end", "a[^x] b\n\n[^x]: note\n\nc", "a\\[1\\] b\n\nc\n\n\\[1\\] note"],
  ["leaves underscores in words alone", "snake_case and a_b_c", "snake_case and a_b_c"],
  ["escapes them where code could close one", "snake_case `_x_`", "snake\\_case `_x_`"],
  ["escapes underscores around words", "\\_a_ \\_\\_init\\_\\_", "\\_a\\_ \\_\\_init\\_\\_"],
  ["escapes spoilers", "||a|| | b", "\\|\\|a\\|\\| \\| b"],
  ["escapes a tilde", "~5 to ~10", "\\~5 to \\~10"],
  ["escapes small print, headings and quotes", "\\-# a\n\\# b\n\\> c\n\\>>> d", "\\-# a\n\\# b\n\\> c\n\\>>> d"],
  ["escapes lists", "\\- a\n\\* b\n1\\. c\n\\+ d", "\\- a\n\\* b\n1\\. c\n\\+ d"],
  ["leaves such signs within a line", "a - b # c > d 1. e", "a - b # c > d 1. e"],
  ["leaves numbers and names at a line's start", "\\#1 -5", "#1 -5"],
  ["escapes masked links", "\\[a](b) \\[a\\](https://x.y)", "\\[a\\]\\(b) \\[a\\]\\(<https://x.y>)"],
  ["breaks up mentions", "<@1> <@!1> <@&1> <#1>", "\\<\\@1> \\<\\@!1> \\<\\@&1> \\<\\#1>"],
  ["breaks up what stands in angle brackets", "</a b:1> <a:b:1>", "\\</a b:1> \\<a\\:b:1>"],
  ["escapes custom emoji", "<:b:1> :fire: 10:30:45", "\\<\\:b:1> \\:fire: 10:30:45"],
  ["escapes times and pages of a server", "<t:1:R> \\<id:customize>", "\\<t:1:R> \\<id:customize>"],
  ["breaks up mentions of all", "@everyone **@here** a@here.b", `@${J}everyone **@${J}here** a@${J}here.b`],
  ["keeps arms", "¯\\\\\\_(ツ)\\_/¯", "¯\\\\\\_(ツ)\\_/¯"],
  ["keeps a backslash at the end", "a\\", "a\\\\"],
  ["keeps words in angle brackets", "use <tokens> and <b>this</b>", "use \\<tokens> and \\<b>this\\</b>"],
  ["keeps line breaks, soft and hard", "a\nb  \nc\\\nd", "a\nb\nc\nd"],
  ["shows a text of only a mark", "#", "\\#"],
  ["shows a definition that nothing uses", "[a]: https://x.y", "\\[a\\]: https\\://x.y"],
  ["leaves an unclosed mark as text", "**a", "\\*\\*a"],
  ["keeps right-to-left text and combining marks", "שלום e\u0301\u200F", "שלום e\u0301\u200F"],
  ["drops controls and direction overrides", "a\u0000\u202Eb", "ab"],
];

describe("Markdown for Discord", () => {
  it.each(cases)("T44: %s", (_, markdown, content) => {
    const pieces = renderDiscord(markdown);
    expect(pieces.map((piece) => piece.content)).toEqual([content]);
    expectGood(pieces, 2000);
  });

  it("A44: an image is a link that loads nothing, wherever it stands", () => {
    for (const markdown of [
      "![a](https://x.y/b.png)",
      "x ![a][r] y\n\n[r]: https://x.y/b.png",
      "> - ![a](https://x.y/b.png)",
    ]) {
      const [piece] = renderDiscord(markdown);
      expect(marksOf(piece)).toContainEqual({ kind: "link", text: "a", to: "https://x.y/b.png" });
      expect(piece?.content).not.toContain("!");
    }
  });

  it.each(["", " \n\t", "\u200B", "\u0000", "&nbsp;", "\u3164"])(
    "T44: gives no message for %j, which shows nothing",
    (nothing) => {
      expect(renderDiscord(nothing).filter(({ plain }) => plain.trim() === "")).toEqual([]);
    },
  );

  it("T44: says the address of a link in the plain form, and draws no marks there", () => {
    const markdown = "# T\n\n[a](https://x.y) https://z.z/ **b** `c`\n\n- d\n  1. e\n\n> f\n\n```js\ng\n```";
    expect(renderDiscord(markdown)[0]?.plain).toBe("T\na (https://x.y) https://z.z/ b c\n\n- d\n  1. e\n\nf\n\ng");
  });

  it("T44: puts notes below a text that is left open, as the words they are", () => {
    const notes = [
      { name: "1", text: "*a_b* <@1> https://x.y/c_d" },
      { name: "2", text: "x.y", url: "https://x.y/e_f" },
    ];
    const [piece] = renderDiscord("```\nx", { notes });
    expect(piece?.plain).toBe("x\n\n1 *a_b* <@1> https://x.y/c_d\n\n2 x.y (https://x.y/e_f)");
    expectGood(renderDiscord("```\nx", { notes }), 2000);
  });
});

describe("long Markdown for Discord", () => {
  it("T44: carries bold over the boundary", () => {
    const pieces = renderDiscord(`**${"bold ".repeat(700)}end**`);
    expect(pieces.length).toBe(2);
    for (const { content } of pieces) expect(content).toMatch(/^\*\*[a-z ]+\*\*$/);
  });

  it("T18, T44: keeps every piece of three hundred lines of code fenced in its language", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `    if (a < ${index}) return "${"x".repeat(30)}";`);
    const pieces = renderDiscord(`\`\`\`ts\n${lines.join("\n")}\n\`\`\``);
    expect(pieces.length).toBeGreaterThan(7);
    for (const { content } of pieces) expect(content).toMatch(/^```ts\n[^`]*\n```$/);
    expect(pieces.map(({ plain }) => plain).join("\n")).toBe(lines.join("\n"));
    expectGood(pieces, 2000);
  });

  it.each(["😀", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0302"])("T44: cuts 4,090 times %s between them", (character) => {
    const pieces = renderDiscord(character.repeat(4090));
    for (const { plain } of pieces) {
      expect(plain.length % character.length).toBe(0);
      expect(plain.length).toBeLessThanOrEqual(2000);
    }
    expect(pieces.map(({ plain }) => plain).join("")).toBe(character.repeat(4090));
  });

  it("T44: takes twenty thousand characters of every kind", () => {
    const part =
      "## Title\n\nSome **bold** text & `code`, [a link](https://x.y).\n\n1. one\n2. two\n\n> quote\n\n|a|b|\n|-|-|\n|1|2|\n\n";
    expectGood(renderDiscord(part.repeat(Math.ceil(20_000 / part.length))), 2000);
  });

  it("T44: cuts an address too long for a message, and every other text without a space", () => {
    for (const text of [
      `https://x.y/${"a_b".repeat(1500)}`,
      `[a](https://x.y/${"b".repeat(3000)})`,
      "*_".repeat(3000),
    ]) {
      const pieces = renderDiscord(text);
      expectGood(pieces, 2000);
    }
  });

  it("T44: keeps to a smaller limit, down to 16", () => {
    expectGood(renderDiscord("- **one** two three\n- four `five six seven` eight", { maxUnits: 16 }), 16);
    expectGood(renderDiscord(`${"> ".repeat(12)}a ${"b".repeat(50)}`, { maxUnits: 16 }), 16);
    // A table that begins with an empty cell, and is too wide for a block of code.
    expectGood(renderDiscord("||*\n|-|-|\n", { maxUnits: 16 }), 16);
  });

  it("T44: takes nesting of ten thousand levels", () => {
    for (const mark of [">", "- ", "*", "[", "![", "1. "])
      expectGood(renderDiscord(`${mark.repeat(10_000)} x`), 2000, false);
  });
});

describe("any text for Discord", () => {
  const tokens = [
    "*",
    "**",
    "***",
    "_",
    "__",
    "`",
    "``",
    "```",
    "~~",
    "~",
    "||",
    "|",
    "[",
    "]",
    "(",
    ")",
    "](https://a.b)",
    "](x)",
    "![",
    ">",
    ">>> ",
    "#",
    "# ",
    "-# ",
    "- ",
    "1. ",
    "<@1>",
    "<@!12>",
    "<@&1>",
    "<#1>",
    "</a b:1>",
    "<:e:1>",
    "<a:e:1>",
    "<t:1:R>",
    "<id:home>",
    "<https://a.b>",
    "@everyone",
    "@here",
    "@",
    ":fire:",
    ":",
    "https://a.b/c_d",
    "https://",
    "<",
    "&amp;",
    "\\",
    "a",
    "word",
    " ",
    "😀",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "שלום",
    "\u202E",
    "\u0000",
    "\uD800",
    "\u200D",
  ];
  const breaks = [
    "\n",
    "\n\n",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n|-|-|\n",
    "[^1]",
    "\n[^1]: ",
    "- [ ] ",
    "    ",
    "---\n",
    "\n# ",
  ];
  const words = fc.array(fc.constantFrom(...tokens), { maxLength: 40 }).map((parts) => parts.join(""));
  const soup = fc.array(fc.constantFrom(...tokens, ...breaks), { maxLength: 120 }).map((parts) => parts.join(""));

  it("T44, T46: becomes messages within the limit that show its plain text, and mention nobody", () => {
    fc.assert(
      fc.property(
        fc.oneof(soup, fc.string({ unit: "binary" })),
        fc.oneof(fc.integer({ min: 16, max: 200 }), fc.constant(2000)),
        (markdown, maxUnits) => {
          expectGood(renderDiscord(markdown, { maxUnits }), maxUnits);
        },
      ),
      { numRuns: runs(600) },
    );
  });

  it("T44, T46: without Markdown of its own shows exactly itself, with no mark and no mention", () => {
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), (lines) => {
        const text = lines.join("\n").toWellFormed();
        const content = escapeLines(text);
        for (const reader of READERS) {
          const reading = readDiscord(content, reader);
          expect(reading.marks).toEqual([]);
          expect(reading.text.replaceAll(J, "")).toBe(text);
        }
        expect(pingsIn(content)).toEqual([]);
      }),
      { numRuns: runs(600) },
    );
  });

  it("T44, T46: as words of a person in Markdown of ours makes no mark", () => {
    fc.assert(
      fc.property(words, (given) => {
        const line = oneLine(given);
        if (/:\/\//.test(line)) return;
        const [piece] = renderDiscord(`x ${escapeMarkdown(line)}`);
        expect(marksOf(piece)).toEqual([]);
        expect(bare(piece?.plain ?? "")).toBe(bare(`x ${line}`));
      }),
      { numRuns: runs(400) },
    );
  });

  it("T44: shows a style, code and a link around just the words that have it", () => {
    const kinds = {
      bold: "**",
      italics: "*",
      strike: "~~",
      code: "`",
    } as const;
    const styled = fc.record({
      kind: fc.constantFrom("bold", "italics", "strike", "code"),
      text: words.map((text) => oneLine(text).replace(/[`\s]|https?:/g, "")).filter((text) => /^[a-z]/.test(text)),
    });
    fc.assert(
      fc.property(fc.array(styled, { minLength: 1, maxLength: 6 }), (spans) => {
        const markdown = spans
          .map(({ kind, text }) => `${kinds[kind]}${kind === "code" ? text : `${escapeMarkdown(text)}x`}${kinds[kind]}`)
          .join(" - ");
        const expected = spans.map(({ kind, text }) => ({ kind, text: bare(kind === "code" ? text : `${text}x`) }));
        for (const reader of READERS) {
          const content = renderDiscord(markdown)[0]?.content ?? "";
          const marks = readDiscord(content, reader).marks.map(({ kind, text }) => ({ kind, text: bare(text) }));
          expect(marks).toEqual(expected);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it("T44: is cut in no character, wherever its styles begin and end", () => {
    const part = fc.constantFrom(
      "ab",
      "👨‍👩‍👧‍👦",
      "🇩🇪",
      "e\u0301\u0302",
      "**😀b**",
      "*👍🏽*",
      "`🏳️‍🌈`",
      "[नि](https://a.b)",
      " ",
      "한",
      "각",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 32, max: 80 }), (parts, maxUnits) => {
        const markdown = `x${parts.join("")}`;
        const whole = renderDiscord(markdown).map(({ plain }) => withoutAddresses(plain));
        const pieces = renderDiscord(markdown, { maxUnits }).map(({ plain }) => withoutAddresses(plain));
        expect(pieces.join("").replace(/\s/g, "")).toBe(whole.join("").replace(/\s/g, ""));
        expect(graphemesIn(pieces)).toBe(graphemesIn(whole));
      }),
      { numRuns: runs(200) },
    );
  });

  it("T44: keeps all its words in their order, in both forms, and cuts no table's word", () => {
    const phrase = fc.constantFrom(
      (w: string) => w,
      (w: string) => `**${w}**`,
      (w: string) => `*${w}*`,
      (w: string) => `***${w}***`,
      (w: string) => `\`${w}\``,
      (w: string) => `[${w}](https://a.b)`,
      (w: string) => `~~${w}~~`,
      (w: string) => `\\*${w}_${w}`,
    );
    const line = fc.array(phrase, { minLength: 1, maxLength: 12 });
    const block = fc.record({
      line,
      open: fc.constantFrom("", "# ", "##### ", "- ", "1. ", "> ", "- [ ] ", "  - ", "> - ", "|a|b|\n|-|-|\n|"),
      fence: fc.boolean(),
      between: fc.constantFrom(" ", ""),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 100, max: 200 }), (blocks, maxUnits) => {
        let count = 0;
        const markdown = blocks.map(({ line, open, fence, between }) => {
          const words = line.map((put) => (fence ? `w${count++}w` : put(`w${count++}w`)));
          return fence
            ? `\`\`\`js\n${words.join("\n")}\n\`\`\``
            : open + words.join(open.startsWith("|") ? " " : between);
        });
        const whole = renderDiscord(markdown.join("\n\n"));
        const pieces = renderDiscord(markdown.join("\n\n"), { maxUnits });
        expectGood(pieces, maxUnits);
        const expected = wordsIn(markdown.join("\n"));
        expect(wordsIn(whole.map(({ plain }) => plain).join(""))).toEqual(expected);
        expect(wordsIn(pieces.map(({ plain }) => plain).join(""))).toEqual(expected);
        for (const reader of READERS)
          expect(wordsIn(pieces.map(({ content }) => readDiscord(content, reader).text).join(""))).toEqual(expected);
      }),
      { numRuns: runs(200) },
    );
  });
});

function marksOf(piece: DiscordPiece | undefined): readonly Mark[] {
  return readDiscord(piece?.content ?? "", "minds escapes").marks;
}

/** Each within the limit, well-formed, without a token that pings, and in every reading of it the same words as its plain form. */
function expectGood(pieces: readonly DiscordPiece[], maxUnits: number, reads = true): void {
  for (const { content, plain } of pieces) {
    expect(content.length).toBeLessThanOrEqual(maxUnits);
    expect(plain.length).toBeLessThanOrEqual(maxUnits);
    expect(isVisible(plain)).toBe(true);
    expect(content.trim()).toBe(content);
    expect(content.isWellFormed()).toBe(true);
    expect(pingsIn(content)).toEqual([]);
    for (const reader of reads ? READERS : []) expect(bare(readDiscord(content, reader).text)).toBe(bare(plain));
  }
}

/** What is compared: without white space, what an address has in other signs, and the joiners. */
function bare(text: string): string {
  return text
    .replace(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[\s\u2060]/gu, "");
}

function wordsIn(text: string): string[] {
  return withoutAddresses(text).replaceAll(J, "").match(/w\d+w/g) ?? [];
}

function withoutAddresses(text: string): string {
  return text.replaceAll(" (https://a.b)", "");
}

/** How many graphemes a reader sees in all pieces, white space aside. */
function graphemesIn(texts: readonly string[]): number {
  return texts.flatMap((text) => [...segmenter.segment(text.replace(/\s/g, ""))]).length;
}
