import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeHtml, renderTelegram } from "../../src/channels/telegram/render.ts";
import { runs } from "../deep.ts";
import { parseHtml, trimShown } from "../wire/telegram-html.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Markdown beside the one message it becomes. */
const cases: [behaviour: string, markdown: string, html: string][] = [
  ["escapes the signs of HTML", 'a < b & c > "d"', "a &lt; b &amp; c &gt; &quot;d&quot;"],
  ["keeps words in angle brackets", "use <tokens> and <b>this</b>", "use &lt;tokens&gt; and &lt;b&gt;this&lt;/b&gt;"],
  ["shows a block of HTML as text", "<script>\nx\n</script>", "&lt;script&gt;\nx\n&lt;/script&gt;"],
  ["makes a heading bold, once", "# Plan **B**", "<b>Plan B</b>"],
  ["mixes bold, italic and strikethrough", "**a *b*** ~~c~~", "<b>a <i>b</i></b> <s>c</s>"],
  ["ends bold around code, which holds no style", "**a `b` c**", "<b>a </b><code>b</code><b> c</b>"],
  ["takes one tilde for a tilde", "~5 to ~10", "~5 to ~10"],
  ["keeps line breaks, soft and hard", "a\nb  \nc\\\nd", "a\nb\nc\nd"],
  ["puts a language on a fence", "```ts\na < b\n```", '<pre><code class="language-ts">a &lt; b</code></pre>'],
  ["leaves out a language that is no name", '```a"b c\nx\n```', "<pre>x</pre>"],
  ["closes a fence that is still open", "```\nx", "<pre>x</pre>"],
  ["draws lists that nest", "- a\n  - b\n    - c\n- d", "• a\n  ◦ b\n    ▪ c\n• d"],
  ["counts from where the list does", "3. a\n4. b", "3. a\n4. b"],
  ["draws a task list", "- [ ] a\n- [x] b", "☐ a\n☑ b"],
  ["keeps code in a list free of indents", "- a\n  ```\n  x\n    y\n  ```", "• a\n<pre>x\n  y</pre>"],
  ["quotes", "> a\n> b", "<blockquote>a\nb</blockquote>"],
  ["marks a quote in a quote by line", "> a\n>> b", "<blockquote>a\n\n&gt; b</blockquote>"],
  ["draws a rule", "a\n\n---\n\nb", "a\n\n──────────\n\nb"],
  ["links", "[a & b](https://x.y/?a=1&b=2)", '<a href="https://x.y/?a=1&amp;b=2">a &amp; b</a>'],
  ["escapes a quote in an address", '[a](<https://x.y/"b>)', '<a href="https://x.y/&quot;b">a</a>'],
  ["follows a reference", "[a][r]\n\n[r]: https://x.y", '<a href="https://x.y">a</a>'],
  ["puts code in a link as text", "[`a`](https://x.y)", '<a href="https://x.y">a</a>'],
  ["says an address that must not be a link", "[a](javascript:b)", "a (javascript:b)"],
  ["says a relative address", "[a](./b.md)", "a (./b.md)"],
  ["makes no link that mentions a person", "[a](tg://user?id=1)", "a (tg://user?id=1)"],
  ["makes an image a link", "![a](https://x.y/b.png)", '<a href="https://x.y/b.png">a</a>'],
  ["names an image without a text", "![](https://x.y/b.png)", '<a href="https://x.y/b.png">image</a>'],
  ["keeps one link of an image in a link", "[![a](https://i.j)](https://x.y)", '<a href="https://x.y">a</a>'],
  ["keeps a name from being a mention", "ask @durov or a@b", "ask @\u2060durov or a@b"],
  ["numbers footnotes and puts them at the end", "a[^x] b\n\n[^x]: note\n\nc", "a[1] b\n\nc\n\n[1] note"],
  ["aligns a small table", "|a|b|\n|-|-:|\n|x|10|\n|yy|2|", "<pre>a  │  b\n───┼───\nx  │ 10\nyy │  2</pre>"],
  [
    "writes a wide table row by row",
    "|A long header here|Another long header|\n|-|-|\n|1|**2**|\n|3||",
    "<b>A long header here:</b> 1\n<b>Another long header:</b> <b>2</b>\n\n<b>A long header here:</b> 3",
  ],
  ["writes a table with links row by row", "|a|\n|-|\n|[l](https://x.y)|", '<b>a:</b> <a href="https://x.y">l</a>'],
  ["shows a text of only a mark", "#", "#"],
  ["shows a fence with nothing in it", "```", "```"],
  ["shows a definition that nothing uses", "[a]: https://x.y", "[a]: https://x.y"],
  ["leaves an unclosed mark as text", "**a", "**a"],
  ["keeps a backslash at the end", "a\\", "a\\"],
  ["keeps right-to-left text and combining marks", "שלום e\u0301\u200F", "שלום e\u0301\u200F"],
  ["drops controls and direction overrides", "a\u0000\u202Eb", "ab"],
];

describe("Markdown for Telegram", () => {
  it.each(cases)("%s", (_, markdown, html) => {
    expect(renderTelegram(markdown).map((piece) => piece.html)).toEqual([html]);
    expect(shown(html).text).toBeTypeOf("string");
  });

  it("A44: an image is a link that loads nothing, wherever it stands", () => {
    for (const markdown of [
      "![a](https://x.y/b.png)",
      "x ![a][r] y\n\n[r]: https://x.y/b.png",
      "> - ![a](https://x.y/b.png)",
    ]) {
      const html = renderTelegram(markdown)
        .map((piece) => piece.html)
        .join("");
      expect(html).toContain('<a href="https://x.y/b.png">a</a>');
      expect(html).not.toMatch(/<img|src=/u);
    }
  });

  it.each(["", " \n\t", "\u200B", "\u0000", "&nbsp;", "\u3164"])(
    "gives no message for %j, which shows nothing",
    (nothing) => {
      expect(renderTelegram(nothing).filter(({ plain }) => plain.trim() === "")).toEqual([]);
    },
  );

  it("escapes text for an element and for an attribute", () => {
    expect(escapeHtml(`<a href="b">&'`)).toBe("&lt;a href=&quot;b&quot;&gt;&amp;'");
  });

  it("says the address of a link in the plain form", () => {
    expect(renderTelegram("[a](https://x.y) https://z.z/ **b**")[0]?.plain).toBe("a (https://x.y) https://z.z/ b");
  });

  it("folds a long quote", () => {
    expect(renderTelegram(`> ${"word ".repeat(200)}`)[0]?.html).toMatch(/^<blockquote expandable>/);
  });
});

describe("long Markdown for Telegram", () => {
  it("carries bold over the boundary", () => {
    const pieces = renderTelegram(`**${"bold ".repeat(1500)}end**`);
    expect(pieces.length).toBe(2);
    for (const { html } of pieces) expect(html).toMatch(/^<b>[a-z ]+<\/b>$/);
  });

  it("keeps every piece of three hundred lines of code fenced in its language", () => {
    const lines = Array.from({ length: 300 }, (_, index) => `    if (a < ${index}) return "${"x".repeat(30)}";`);
    const pieces = renderTelegram(`\`\`\`ts\n${lines.join("\n")}\n\`\`\``);
    expect(pieces.length).toBeGreaterThan(3);
    for (const { html } of pieces) expect(html).toMatch(/^<pre><code class="language-ts">[^]*<\/code><\/pre>$/);
    expect(pieces.map(({ plain }) => plain).join("\n")).toBe(lines.join("\n"));
  });

  it.each(["😀", "👨‍👩‍👧‍👦", "🇩🇪", "e\u0301\u0302"])("cuts 4,090 times %s between them", (character) => {
    const pieces = renderTelegram(character.repeat(4090));
    for (const { plain } of pieces) {
      expect(plain.length % character.length).toBe(0);
      expect(plain.length).toBeLessThanOrEqual(4000);
    }
    expect(pieces.map(({ plain }) => plain).join("")).toBe(character.repeat(4090));
  });

  it("takes two hundred thousand characters of every kind", () => {
    const part =
      "## Title\n\nSome **bold** text & `code`, [a link](https://x.y).\n\n1. one\n2. two\n\n> quote\n\n|a|b|\n|-|-|\n|1|2|\n\n";
    expectGood(renderTelegram(part.repeat(Math.ceil(200_000 / part.length))), 4000);
  });

  it("keeps to a smaller limit, down to 16", () => {
    expectGood(renderTelegram("- **one** two three\n- four `five six seven` eight", { maxUnits: 16 }), 16);
    expectGood(renderTelegram(`${"> ".repeat(12)}a ${"b".repeat(50)}`, { maxUnits: 16 }), 16);
  });

  it("takes nesting of ten thousand levels", () => {
    for (const mark of [">", "- ", "*", "[", "![", "1. "]) expectGood(renderTelegram(`${mark.repeat(10_000)} x`), 4000);
  });
});

describe("any text for Telegram", () => {
  const marks = [
    "*",
    "**",
    "_",
    "`",
    "```",
    "~~",
    "[",
    "](https://a.b)",
    "](x)",
    "![",
    ">",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n",
    "\n\n",
    "|",
    "\n|-|-|\n",
    "#",
    "<",
    ">",
    "&",
    "&amp;",
    "\\",
    "<b>",
    "</b>",
    '"',
    "@name",
    "[^1]",
    "\n[^1]: ",
    "- [ ] ",
    "    ",
    "a",
    "word",
    "😀",
    "👨‍👩‍👧‍👦",
    "e\u0301",
    "שלום",
    "\u202E",
    "\u0000",
    "\uD800",
    "\u200D",
    "---\n",
  ];
  const soup = fc.array(fc.constantFrom(...marks), { maxLength: 120 }).map((parts) => parts.join(""));

  it("becomes well-formed messages within the limit", () => {
    fc.assert(
      fc.property(
        fc.oneof(soup, fc.string({ unit: "binary" })),
        fc.integer({ min: 16, max: 200 }),
        (markdown, maxUnits) => {
          expectGood(renderTelegram(markdown, { maxUnits }), maxUnits);
        },
      ),
      { numRuns: runs(1500) },
    );
  });

  it("is cut in no character, wherever its elements begin and end", () => {
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
      fc.property(fc.array(part, { maxLength: 60 }), fc.integer({ min: 16, max: 60 }), (parts, maxUnits) => {
        const markdown = `x${parts.join("")}`;
        const whole = renderTelegram(markdown).map(({ html }) => shown(html).text);
        const pieces = renderTelegram(markdown, { maxUnits }).map(({ html }) => shown(html).text);
        expect(pieces.join("").replace(/\s/g, "")).toBe(whole.join("").replace(/\s/g, ""));
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
    const line = fc.array(phrase, { minLength: 1, maxLength: 12 });
    const block = fc.record({
      line,
      open: fc.constantFrom("", "# ", "- ", "1. ", "> ", "- [ ] ", "  - ", "> - "),
      fence: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), fc.integer({ min: 24, max: 150 }), (blocks, maxUnits) => {
        let count = 0;
        const markdown = blocks.map(({ line, open, fence }) => {
          const words = line.map((put) => (fence ? `w${count++}w` : put(`w${count++}w`)));
          return fence ? `\`\`\`js\n${words.join("\n")}\n\`\`\`` : open + words.join(" ");
        });
        const expected = Array.from({ length: count }, (_, index) => `w${index}w`);
        const pieces = renderTelegram(markdown.join("\n\n"), { maxUnits });
        expectGood(pieces, maxUnits);
        expect(pieces.flatMap(({ html }) => shown(html).text.match(/w\d+w/g) ?? [])).toEqual(expected);
        expect(pieces.flatMap(({ plain }) => plain.match(/w\d+w/g) ?? [])).toEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });
});

function shown(html: string): ReturnType<typeof parseHtml> {
  return trimShown(parseHtml(html));
}

function expectGood(pieces: readonly { html: string; plain: string }[], maxUnits: number): void {
  for (const { html, plain } of pieces) {
    const { text, entities } = parseHtml(html);
    expect(shown(html).text).not.toBe("");
    expect(text.length).toBeLessThanOrEqual(maxUnits);
    expect(plain.length).toBeLessThanOrEqual(maxUnits);
    expect(html.isWellFormed()).toBe(true);
    for (const entity of entities) {
      for (const other of entities) {
        if (
          other === entity ||
          other.offset >= entity.offset + entity.length ||
          entity.offset >= other.offset + other.length
        )
          continue;
        // What Telegram would drop: anything but a quote around code, a quote in a quote.
        expect([entity.type, other.type]).not.toEqual(["blockquote", "blockquote"]);
        if (entity.type === "pre" || entity.type === "code") expect(other.type).toBe("blockquote");
      }
    }
  }
}

/** How many graphemes a reader sees in all pieces, white space aside. */
function graphemesIn(texts: readonly string[]): number {
  return texts.flatMap((text) => [...segmenter.segment(text.replace(/\s/g, ""))]).length;
}
