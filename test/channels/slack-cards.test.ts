import type { ActionsBlock, AnyBlock, Button as SlackButton, StaticSelect } from "@slack/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUTTONS, REPEAT_BLOCK, REPEAT_LINE, piecesOf, plainBlocks, readBody } from "../../src/channels/slack/cards.ts";
import type { Body } from "../../src/channels/slack/cards.ts";
import { MESSAGE, bytesOf } from "../../src/channels/slack/render.ts";
import type { Button, Piece, Reply } from "../../src/core/reply.ts";
import { checkBlocks } from "../wire/slack-blocks.ts";
import { pingsOfBareNames, readMarkdown } from "../wire/slack-text.ts";

/** What Slack takes for a mention in text that it reads. */
const PING = /<(?:!(?:channel|here|everyone|group|subteam|date)|[@#][A-Z0-9])/iu;

function reply(text: string, more: Partial<Reply> = {}): Reply {
  return { key: "k", text, rows: [], quiet: false, ...more };
}

/** The body as the store gives it back. */
function bodyOf(piece: Piece | undefined): Body {
  const body = readBody(JSON.parse(JSON.stringify(piece?.body ?? null)));
  if (body === undefined) throw new Error(`No body of ours: ${JSON.stringify(piece)}`);
  return body;
}

function only(given: Reply): Body {
  const pieces = piecesOf(given);
  expect(pieces).toHaveLength(1);
  return bodyOf(pieces[0]);
}

function actionsIn(blocks: readonly AnyBlock[]): ActionsBlock[] {
  return blocks.filter((block): block is ActionsBlock => block.type === "actions");
}

function elementsIn(blocks: readonly AnyBlock[]): (SlackButton | StaticSelect)[] {
  return actionsIn(blocks).flatMap(({ elements }) => elements as (SlackButton | StaticSelect)[]);
}

function labelsIn(blocks: readonly AnyBlock[]): string[][] {
  return actionsIn(blocks).map(({ elements }) => (elements as SlackButton[]).map(({ text }) => text.text));
}

function presses(count: number, label = (at: number): string => `Label ${at}`): Button[] {
  return Array.from({ length: count }, (_, at) => ({ label: label(at), press: `key-${at}` }));
}

describe("a reply on Slack", () => {
  it("T44: is a markdown block with a short fallback", () => {
    expect(only(reply("one **bold** & <b>"))).toEqual({
      text: "one bold &amp; &lt;b&gt;",
      blocks: [{ type: "markdown", text: "one **bold** &amp; &lt;b&gt;" }],
      markdown: "one **bold** &amp; &lt;b&gt;",
    });
  });

  it("T44: is no message when empty, and a sign when it is only buttons", () => {
    expect(piecesOf(reply(" \n"))).toEqual([]);
    expect(piecesOf(reply("", { rows: [[]] }))).toEqual([]);
    const body = only(reply("", { rows: [[{ label: "Go", press: "go" }]] }));
    expect(body.markdown).toBe("…");
    expect(labelsIn(body.blocks)).toEqual([["Go"]]);
  });

  it("keeps what notifications show short, and whole at its end", () => {
    for (const grapheme of ["a", "&", "👨‍👩‍👧‍👦", "漢", "e\u0301\u0302"]) {
      const { text } = bodyOf(piecesOf(reply(grapheme.repeat(5000)))[0]);
      expect(text).toMatch(/…$/u);
      expect(Buffer.byteLength(text)).toBeLessThan(4000);
      expect(text.slice(0, -1).replaceAll("&amp;", "&").length % grapheme.length).toBe(0);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it("says a short notice in small text: plain as it is, formatted in Slack's own marks", () => {
    const plain = only(reply("Stopped after 2 * 3 <steps>.", { quiet: true }));
    expect(plain.silent).toBe(true);
    expect(plain.blocks).toEqual([
      { type: "context", elements: [{ type: "plain_text", text: "Stopped after 2 * 3 <steps>.", emoji: false }] },
    ]);
    expect(only(reply("**Reading** `a<b` of [x & y](https://x.y/?a=1&b=2)", { quiet: true })).blocks).toEqual([
      {
        type: "context",
        elements: [
          { type: "mrkdwn", text: "*Reading* `a&lt;b` of <https://x.y/?a=1&amp;b=2|x &amp; y>", verbatim: true },
        ],
      },
    ]);
  });

  it.each([
    ["of two lines", "a\nb"],
    ["that is long", "word ".repeat(60)],
    ["whose signs Slack's own marks would take", "**a** * b*"],
    ["with a mark inside a word", "a**b**c"],
    ["that is a list", "- a"],
  ])("sets a quiet reply %s as it is", (_, text) => {
    const { blocks, silent } = only(reply(text, { quiet: true }));
    expect(blocks[0]?.type).toBe("markdown");
    expect(silent).toBe(true);
  });

  it("puts a file behind the text", () => {
    const file = { name: "a<b>.txt", text: "the <!channel> text" };
    const [text, second, ...more] = piecesOf(reply("See the file.", { file }));
    expect(more).toEqual([]);
    expect(bodyOf(text).file).toBeUndefined();
    expect(bodyOf(second)).toEqual({ text: "a&lt;b&gt;.txt", blocks: [], markdown: "", silent: true, file });
    expect(second?.plain).toBe(file.text);
    expect(piecesOf(reply("", { file }))).toHaveLength(1);
  });

  it("knows its own bodies only", () => {
    for (const other of [undefined, null, "x", {}, { html: "x" }, { text: "x", blocks: [1], markdown: "" }])
      expect(readBody(other)).toBeUndefined();
  });

  it("T46: calls nobody in any field", () => {
    const cry = "<!channel> <!here|x> <@U123> <#C1> <!subteam^S1> @here @everyone";
    const body = only(reply(cry, { rows: [[{ label: cry, press: "k" }], presses(30, (at) => `${at} <!here>`)] }));
    expect(JSON.stringify(body)).not.toMatch(PING);
    expect(JSON.stringify(body)).not.toMatch(/@(?:here|everyone)/u);
    expect(body.text).not.toMatch(/[<>]/u);
    expect(JSON.stringify(plainBlocks(cry, body))).not.toMatch(PING);
  });
});

describe("the buttons of a reply on Slack", () => {
  it("T44: stand under the last message, by rows, each with its key and an id of its own", () => {
    const pieces = piecesOf(
      reply("word ".repeat(4000), {
        rows: [
          [
            { label: "Yes", press: "k-yes" },
            { label: "Change it", press: "k-change", opens: true },
          ],
          [{ label: "Read", url: "https://example.com/a?b=1&c=2" }],
        ],
      }),
    );
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces.slice(0, -1)) expect(actionsIn(bodyOf(piece).blocks)).toEqual([]);
    const label = (text: string): object => ({ type: "plain_text", text, emoji: false });
    expect(actionsIn(bodyOf(pieces.at(-1)).blocks)).toEqual([
      {
        type: "actions",
        elements: [
          { type: "button", action_id: "b0", text: label("Yes"), value: "k-yes" },
          { type: "button", action_id: "f:1", text: label("Change it"), value: "k-change" },
        ],
      },
      {
        type: "actions",
        elements: [{ type: "button", action_id: "b2", text: label("Read"), url: "https://example.com/a?b=1&c=2" }],
      },
    ]);
  });

  it("stand five in a line", () => {
    expect(labelsIn(only(reply("x", { rows: [presses(12)] })).blocks).map((line) => line.length)).toEqual([5, 5, 2]);
  });

  it("bear a number when their words are too long, and the words stand in the text", () => {
    const long = `*All* of ${"these words ".repeat(12)}`.trim();
    // The text ends in an open fence: the words must not end up in it.
    const body = only(
      reply("```\ncode", {
        rows: [
          [
            { label: long, press: "a" },
            { label: "No", press: "b" },
            { label: `${long}!`, press: "c" },
          ],
        ],
      }),
    );
    expect(labelsIn(body.blocks)).toEqual([["1", "No", "2"]]);
    expect(body.markdown).toBe(
      `\`\`\`\ncode\n\`\`\`\n\n**1.** ${long.replaceAll("*", String.raw`\*`)}  \n**2.** ${long.replaceAll("*", String.raw`\*`)}!`,
    );
  });

  it("P34, T44: stand ten to a line when their labels are short", () => {
    const below: Button[] = [{ label: "Older", press: "older" }];
    const lengths = (count: number, from = 1): number[] =>
      labelsIn(only(reply("x", { rows: [presses(count, (at) => `${at + from}`), below] })).blocks).map(
        (line) => line.length,
      );
    expect(lengths(8)).toEqual([8, 1]);
    expect(lengths(12)).toEqual([10, 2, 1]);
    expect(lengths(8, 100)).toEqual([5, 3, 1]);
  });

  it("are a menu when one row has more than an actions block takes", () => {
    const row: Button[] = [
      ...presses(90),
      { label: "Other", press: "other", opens: true },
      { label: "Site", url: "https://x.y" },
    ];
    const elements = elementsIn(only(reply("Which?", { rows: [row] })).blocks);
    const menus = elements.filter((element) => element.type === "static_select");
    expect(menus.flatMap(({ options = [] }) => options.map(({ value }) => value))).toEqual(
      presses(90).map((button) => "press" in button && button.press),
    );
    for (const { options = [] } of menus) expect(options.length).toBeLessThanOrEqual(BUTTONS.options);
    const ids = elements.filter(({ type }) => type === "button").map(({ action_id = "" }) => action_id);
    expect(ids).toEqual([expect.stringMatching(/^f:\d+$/u), expect.stringMatching(/^b\d+$/u)]);
  });

  it("are a menu when the rows are more than a message has room for", () => {
    const rows = presses(60).map((button) => [button]);
    const elements = elementsIn(only(reply("Which?", { rows })).blocks);
    expect(elements.map(({ type }) => type)).toEqual(["static_select"]);
    expect(labelsIn(only(reply("Which?", { rows: rows.slice(0, 20) })).blocks)).toHaveLength(20);
  });

  it("leave a long text its room", () => {
    const pieces = piecesOf(reply("word ".repeat(4000), { rows: [presses(80)] }));
    expect(pieces.map((piece) => bodyOf(piece).markdown.length > 5000)).toEqual([true, true, false]);
    expect(pieces.at(-1)?.plain).toBe("…");
  });

  it("go on in a message of their own when they are too many for one", () => {
    const pieces = piecesOf(reply("Which?", { rows: [presses(400, (at) => `${at} ${"漢".repeat(60)}`)] }));
    expect(pieces.length).toBeGreaterThan(1);
    const values = pieces.flatMap((piece) =>
      elementsIn(bodyOf(piece).blocks).flatMap((element) =>
        element.type === "static_select" ? (element.options ?? []).map(({ value }) => value) : [],
      ),
    );
    expect(values).toEqual(presses(400).map((button) => "press" in button && button.press));
    for (const piece of pieces) expectFits(piece);
  });

  it("say in the text what no button can open", () => {
    const long = `https://x.y/${"a".repeat(3000)}`;
    const body = only(
      reply("x", {
        rows: [
          [
            { label: "App [1]", url: "slack://open" },
            { label: "Long", url: long },
            { label: "Fine", url: "https://x.y" },
          ],
        ],
      }),
    );
    expect(body.markdown).toBe(`x\n\nApp \\[1\\] (slack://open)  \n[Long](${long})`);
    expect(labelsIn(body.blocks)).toEqual([["Fine"]]);
  });

  it("have a label whatever theirs is", () => {
    expect(
      labelsIn(
        only(
          reply("x", {
            rows: [
              [
                { label: " \u200B", press: "a" },
                { label: "a\nb", press: "b" },
              ],
            ],
          }),
        ).blocks,
      ),
    ).toEqual([["…", "a b"]]);
  });
});

describe("the plain form on Slack", () => {
  it("T20: says the same without markup, and keeps the buttons", () => {
    const [piece] = piecesOf(reply("a **b** <c> & `d`", { rows: [[{ label: "Go", press: "go" }]] }));
    const blocks = plainBlocks(piece?.plain ?? "", bodyOf(piece));
    expect(blocks[0]).toEqual({ type: "section", text: { type: "plain_text", text: "a b <c> & d", emoji: false } });
    expect(labelsIn(blocks)).toEqual([["Go"]]);
  });

  it("is in sections that Slack takes, with all that was said", () => {
    for (const text of ["word ".repeat(2300), "漢字".repeat(1900), "1. [a](https://x.y)\n".repeat(500)]) {
      const [piece] = piecesOf(reply(text));
      const blocks = plainBlocks(piece?.plain ?? "", bodyOf(piece)) as { text: { text: string } }[];
      expect(blocks.length).toBeGreaterThan(1);
      for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3000);
      expect(blocks.map((block) => block.text.text).join("")).toBe(piece?.plain);
      expect(bytesOf([REPEAT_BLOCK, ...blocks])).toBeLessThanOrEqual(MESSAGE.blocksBytes);
    }
  });

  it("T44: has a line for what may stand there twice", () => {
    expect(JSON.stringify(REPEAT_BLOCK)).toContain(REPEAT_LINE);
  });
});

describe("any reply on Slack", () => {
  it("T44, T46: is messages that Slack takes, and calls nobody", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom(
        "<!channel>",
        "@here",
        "**b**",
        "- a\n- b",
        "漢字 ".repeat(30),
        "&".repeat(80),
        "```\nx",
        "😀".repeat(90),
      ),
    );
    const button: fc.Arbitrary<Button> = fc.oneof(
      fc.record({
        label: text,
        press: fc.string({ unit: fc.constantFrom("a", "B", "7"), minLength: 12, maxLength: 12 }),
      }),
      fc.record({ label: text, press: fc.constant("form-key"), opens: fc.constant(true as const) }),
      fc.record({ label: text, url: fc.oneof(fc.webUrl(), text) }),
    );
    const replies = fc.record({
      key: fc.constant("k"),
      text: fc.array(text, { maxLength: 40 }).map((parts) => parts.join("\n\n")),
      rows: fc.array(fc.array(button, { maxLength: 30 }), { maxLength: 40 }),
      quiet: fc.boolean(),
    });
    fc.assert(
      fc.property(replies, (given) => {
        const pieces = piecesOf(given);
        for (const piece of pieces) expectFits(piece);
        const wanted = given.rows.flat().flatMap((one) => ("press" in one ? [one.press] : []));
        const found = pieces.flatMap((piece) =>
          elementsIn(bodyOf(piece).blocks).flatMap((element) =>
            element.type === "button" ? (element.value ?? []) : (element.options ?? []).map(({ value }) => value ?? ""),
          ),
        );
        expect(found.toSorted()).toEqual(wanted.toSorted());
      }),
      { numRuns: 150 },
    );
  });
});

function expectFits(piece: Piece): void {
  const { text, blocks, markdown } = bodyOf(piece);
  expect(bytesOf([REPEAT_BLOCK, ...blocks])).toBeLessThanOrEqual(MESSAGE.blocksBytes);
  expect(bytesOf([REPEAT_BLOCK, ...plainBlocks(piece.plain, bodyOf(piece))])).toBeLessThanOrEqual(MESSAGE.blocksBytes);
  expect(blocks.length).toBeLessThan(MESSAGE.blocks);
  expect(markdown.length).toBeLessThanOrEqual(MESSAGE.markdownChars);
  expect(Buffer.byteLength(text)).toBeLessThan(4000);
  expect(text).not.toMatch(/[<>]/u);
  expect(checkBlocks([REPEAT_BLOCK, ...blocks], "message")).toHaveLength(blocks.length + 1);
  expect(readMarkdown(markdown, String).pings).toEqual([]);
  expect(pingsOfBareNames(markdown)).toEqual([]);
  const all = JSON.stringify(blocks);
  expect(all.isWellFormed() && text.isWellFormed()).toBe(true);
  expect(JSON.parse(all)).toEqual(blocks);
  expect(all).not.toMatch(PING);
  expect(all).not.toMatch(/\\ud[89a-f]/u);
  const ids = elementsIn(blocks).map(({ action_id }) => action_id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const block of actionsIn(blocks)) {
    expect(block.elements.length).toBeGreaterThan(0);
    expect(block.elements.length).toBeLessThanOrEqual(BUTTONS.perBlock);
  }
  for (const element of elementsIn(blocks)) {
    const labels =
      element.type === "button" ? [element.text.text] : (element.options ?? []).map((one) => one.text.text);
    for (const label of labels) {
      expect(label.trim()).not.toBe("");
      expect(label.length).toBeLessThanOrEqual(BUTTONS.labelUnits);
    }
    if (element.type === "button" && element.url !== undefined) expect(element.url).toMatch(/^https?:\/\/./iu);
  }
}
