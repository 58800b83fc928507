import type { ActionsBlock, AnyBlock, Button as SlackButton, MultiStaticSelect, StaticSelect } from "@slack/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUTTONS, REPEAT_BLOCK, REPEAT_LINE, piecesOf, plainBlocks, readBody } from "../../src/channels/slack/cards.ts";
import type { Body } from "../../src/channels/slack/cards.ts";
import { MESSAGE, bytesOf } from "../../src/channels/slack/render.ts";
import type { Button, Piece, Reply } from "../../src/core/reply.ts";
import { escapeMarkdown } from "../../src/core/text.ts";
import { runs } from "../deep.ts";
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
      { numRuns: runs(150) },
    );
  });
});

// ---- the cards, as the gateway hands them over

/** Taken by the platform, and the same through the store. */
function native(given: Reply): readonly AnyBlock[] {
  const pieces = piecesOf(given);
  for (const piece of pieces) expectFits(piece);
  return pieces.flatMap((piece) => bodyOf(piece).blocks satisfies readonly AnyBlock[]);
}

const HOSTILE = "<!channel> <@U1> **bold** [link](https://x.y) `code` <b>\n# head @here";

describe("a menu of several on Slack", () => {
  const PICKS = ["Sea", "Hills", "City"].map((label, at) => ({ value: `${at}`, label }));
  const menu = { press: "key-send", placeholder: "What do you like?", submit: "Send", options: PICKS };
  const menuIn = (blocks: readonly AnyBlock[]): MultiStaticSelect => {
    const [element] = blocks.flatMap((block) => (block.type === "input" && "element" in block ? [block.element] : []));
    return element as MultiStaticSelect;
  };

  it("O36, O71: stands above the rows, with a button that sends it", () => {
    expect(native(reply("What do you like?", { menu, rows: [[{ label: "Skip", press: "key-skip" }]] })))
      .toMatchInlineSnapshot(`
      [
        {
          "text": "What do you like?",
          "type": "markdown",
        },
        {
          "element": {
            "action_id": "picked",
            "options": [
              {
                "text": {
                  "emoji": false,
                  "text": "Sea",
                  "type": "plain_text",
                },
                "value": "0",
              },
              {
                "text": {
                  "emoji": false,
                  "text": "Hills",
                  "type": "plain_text",
                },
                "value": "1",
              },
              {
                "text": {
                  "emoji": false,
                  "text": "City",
                  "type": "plain_text",
                },
                "value": "2",
              },
            ],
            "placeholder": {
              "emoji": false,
              "text": "Choose…",
              "type": "plain_text",
            },
            "type": "multi_static_select",
          },
          "label": {
            "emoji": false,
            "text": "What do you like?",
            "type": "plain_text",
          },
          "type": "input",
        },
        {
          "elements": [
            {
              "action_id": "m:0",
              "text": {
                "emoji": false,
                "text": "Send",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-send",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "Skip",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-skip",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("O37, O47: words too long for an option stand in the text, and it bears a number; the buttons' numbers go on", () => {
    const long = `*All* of ${"these words ".repeat(8)}`.trim();
    const about = `With ${"many words ".repeat(15)}`.trim();
    const options = [
      { value: "0", label: long, description: "short" },
      { value: "1", label: "Sea", description: "By the water" },
      { value: "2", label: "Hills", description: about },
    ];
    const body = only(reply("Which?", { menu: { ...menu, options }, rows: [[{ label: long, press: "k" }]] }));
    expect(menuIn(body.blocks).options?.map(({ text, description }) => [text.text, description?.text])).toEqual([
      ["1", undefined],
      ["Sea", "By the water"],
      ["Hills", undefined],
    ]);
    expect(labelsIn(body.blocks)).toEqual([["Send"], ["2"]]);
    const escaped = long.replaceAll("*", String.raw`\*`);
    expect(body.markdown).toBe(`Which?\n\n**1.** ${escaped}: short  \nHills: ${about}\n\n**2.** ${escaped}`);
  });

  it("O36, O37: is taken whatever its words are, with the button that sends it beside it", () => {
    const words = fc.oneof(
      fc.string({ unit: "binary", maxLength: 90 }),
      fc.constantFrom("漢".repeat(75), "😀".repeat(500), "<!channel>", "same", "", "漢".repeat(200)),
    );
    const options = fc.array(fc.record({ value: fc.constant("v"), label: words, description: words }), {
      minLength: 1,
      maxLength: 25,
    });
    fc.assert(
      fc.property(words, options, fc.array(words, { maxLength: 4 }), (placeholder, picks, labels) => {
        const rows = [labels.map((label, at) => ({ label, press: `key-${at}` }))];
        const given = reply("Which?", {
          menu: { press: "key-send", placeholder, submit: "Send", options: picks },
          rows,
        });
        const pieces = piecesOf(given);
        for (const piece of pieces) expectFits(piece);
        const holding = pieces.map((piece) => bodyOf(piece).blocks).filter((blocks) => menuIn(blocks) !== undefined);
        expect(holding).toHaveLength(1);
        expect(menuIn(holding[0]!).options).toHaveLength(picks.length);
        const sends = elementsIn(holding[0]!).filter(
          (element) => element.type === "button" && element.value === "key-send",
        );
        expect(sends).toHaveLength(1);
      }),
      { numRuns: runs(60) },
    );
    // What Slack takes at most, in the widest signs.
    const most = Array.from({ length: 100 }, (_, at) => ({
      value: `${at}`,
      label: "漢".repeat(75),
      description: "字".repeat(75),
    }));
    for (const piece of piecesOf(reply("Which?", { menu: { ...menu, options: most } }))) expectFits(piece);
  });

  it("T20: stays when the text is shown without markup", () => {
    const [piece] = piecesOf(reply("a **b**", { menu }));
    const blocks = plainBlocks(piece?.plain ?? "", bodyOf(piece));
    expect(blocks.map(({ type }) => type)).toEqual(["section", "input", "actions"]);
    expect(checkBlocks(blocks, "message")).toHaveLength(3);
  });
});

describe("the cards on Slack", () => {
  it("O33, O71: an offer, and the same with an address to sign in at", () => {
    const text = "**Calendar** could help here: you asked about next week.\n\nReads and writes your calendar.";
    const rows: Button[][] = [
      [
        { label: "Connect", press: "key-take" },
        { label: "Details", press: "key-details" },
      ],
      [
        { label: "Not now", press: "key-not" },
        { label: "Don't suggest", press: "key-mute" },
      ],
    ];
    expect(native(reply(text, { rows }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**Calendar** could help here: you asked about next week.

      Reads and writes your calendar.",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "Connect",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-take",
            },
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "Details",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-details",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b2",
              "text": {
                "emoji": false,
                "text": "Not now",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-not",
            },
            {
              "action_id": "b3",
              "text": {
                "emoji": false,
                "text": "Don't suggest",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-mute",
            },
          ],
          "type": "actions",
        },
      ]
    `);
    const signIn: Button[][] = [
      [{ label: "Sign in", url: "https://auth.example/authorize?client_id=a&state=b" }],
      [{ label: "Not now", press: "key-not" }],
    ];
    expect(native(reply("**Calendar** waits for you to sign in.", { rows: signIn }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**Calendar** waits for you to sign in.",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "Sign in",
                "type": "plain_text",
              },
              "type": "button",
              "url": "https://auth.example/authorize?client_id=a&state=b",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "Not now",
                "type": "plain_text",
              },
              "type": "button",
              "value": "key-not",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("O36, O71: a question of two, of six, and one that opens a form", () => {
    const two: Button[][] = [
      [{ label: "Yes", press: "k0" }],
      [{ label: "No", press: "k1" }],
      [{ label: "Skip", press: "ks" }],
    ];
    expect(native(reply("**Is it a direct flight?**", { rows: two }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**Is it a direct flight?**",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "Yes",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k0",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "No",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k1",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b2",
              "text": {
                "emoji": false,
                "text": "Skip",
                "type": "plain_text",
              },
              "type": "button",
              "value": "ks",
            },
          ],
          "type": "actions",
        },
      ]
    `);
    const six: Button[][] = [presses(6, (at) => `Hotel ${at}`), [{ label: "Skip", press: "ks" }]];
    expect(labelsIn(native(reply("**Which hotel?**", { rows: six })))).toEqual([
      ["Hotel 0", "Hotel 1", "Hotel 2", "Hotel 3", "Hotel 4"],
      ["Hotel 5"],
      ["Skip"],
    ]);
    const form: Button[][] = [
      [
        { label: "Answer…", press: "ka", opens: true },
        { label: "Skip", press: "ks" },
      ],
    ];
    expect(native(reply("**About the trip**\n\n- Which hotel?\n- When?", { rows: form }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**About the trip**

      - Which hotel?
      - When?",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "f:0",
              "text": {
                "emoji": false,
                "text": "Answer…",
                "type": "plain_text",
              },
              "type": "button",
              "value": "ka",
            },
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "Skip",
                "type": "plain_text",
              },
              "type": "button",
              "value": "ks",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("O46, O47, O71: replies to send next, short, and of 120 characters as numbers with all their words in the text", () => {
    const short: Button[][] = [
      [
        { label: "And tomorrow?", press: "k0" },
        { label: "Show it as a chart", press: "k1" },
      ],
    ];
    expect(native(reply("It rains.", { rows: short }))).toMatchInlineSnapshot(`
      [
        {
          "text": "It rains.",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "And tomorrow?",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k0",
            },
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "Show it as a chart",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k1",
            },
          ],
          "type": "actions",
        },
      ]
    `);
    const long = ["a", "b", "c"].map((sign) => `${sign.repeat(59)} ${sign.repeat(60)}`);
    expect(native(reply("It rains.", { rows: [long.map((label, at) => ({ label, press: `k${at}` }))] })))
      .toMatchInlineSnapshot(`
      [
        {
          "text": "It rains.

      **1.** aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  
      **2.** bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb  
      **3.** ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "1",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k0",
            },
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "2",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k1",
            },
            {
              "action_id": "b2",
              "text": {
                "emoji": false,
                "text": "3",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k2",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("O57, O58, O71: a plan under way, and folded", () => {
    const running = "✓ Look up flights\n▸ **Compare prices**\n○ Write it down <!here>";
    expect(native(reply(running, { quiet: true }))).toMatchInlineSnapshot(`
      [
        {
          "text": "✓ Look up flights  
      ▸ **Compare prices**  
      ○ Write it down &lt;⁠!here&gt;",
          "type": "markdown",
        },
      ]
    `);
    expect(native(reply("5 of 5 done", { quiet: true }))).toMatchInlineSnapshot(`
      [
        {
          "elements": [
            {
              "emoji": false,
              "text": "5 of 5 done",
              "type": "plain_text",
            },
          ],
          "type": "context",
        },
      ]
    `);
  });

  it("O60a, O61a, O61b, O71: rows of a view call nobody, format nothing and link to what they say", () => {
    const title = escapeMarkdown(HOSTILE.replaceAll("\n", " "));
    const text = `**Mail**\n\n1. [${title}](<https://mail.example/1>)\n   ${title}\n2. Invoice\n   Ann, 9:30`;
    const rows: Button[][] = [[{ label: "Reply", press: "kc", opens: true, copy: "Dear Ann," }]];
    expect(native(reply(text, { rows, quiet: true }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**Mail**

      1. [&lt;⁠!channel&gt; &lt;⁠@U1&gt; \\*\\*bold\\*\\* \\[link\\](https://x.y) \\\`code\\\` &lt;b&gt; # head @⁠here](https://mail.example/1)  
         &lt;⁠!channel&gt; &lt;⁠@U1&gt; \\*\\*bold\\*\\* \\[link\\]([https://x.y](https://x.y)) \\\`code\\\` &lt;b&gt; # head @⁠here
      2. Invoice  
         Ann, 9:30",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "f:0",
              "text": {
                "emoji": false,
                "text": "Reply",
                "type": "plain_text",
              },
              "type": "button",
              "value": "kc",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("A18, O71: an approval, with the whole of its arguments behind it", () => {
    const rows: Button[][] = [
      [{ label: "Allow once", press: "k0" }],
      [{ label: "Always in this chat", press: "k1" }],
      [{ label: "Don't allow", press: "k2" }],
    ];
    const file = { name: "arguments-3.txt", text: '{"command":"rm -r <!channel>"}' };
    const text = "**3. May I run a command?**\n\n```\nrm -r <!channel>\n```";
    const pieces = piecesOf(reply(text, { rows, file }));
    expect(pieces).toHaveLength(2);
    expect(bodyOf(pieces[1]).file).toEqual(file);
    expect(native(reply(text, { rows }))).toMatchInlineSnapshot(`
      [
        {
          "text": "**3. May I run a command?**

      \`\`\`
      rm -r <⁠!channel>
      \`\`\`",
          "type": "markdown",
        },
        {
          "elements": [
            {
              "action_id": "b0",
              "text": {
                "emoji": false,
                "text": "Allow once",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k0",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b1",
              "text": {
                "emoji": false,
                "text": "Always in this chat",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k1",
            },
          ],
          "type": "actions",
        },
        {
          "elements": [
            {
              "action_id": "b2",
              "text": {
                "emoji": false,
                "text": "Don't allow",
                "type": "plain_text",
              },
              "type": "button",
              "value": "k2",
            },
          ],
          "type": "actions",
        },
      ]
    `);
  });

  it("O65, O71: labels of 500 emoji, equal labels, markup and mentions are shown whole and format nothing", () => {
    const emoji = "😀".repeat(500);
    const labels = [emoji, emoji, "Same", "Same", HOSTILE, `${HOSTILE} ${HOSTILE}`];
    const rows: Button[][] = [labels.map((label, at) => ({ label, press: `k${at}` }))];
    const body = only(reply("Which?", { rows }));
    expect(labelsIn(body.blocks)).toEqual([
      [
        "1",
        "2",
        "Same",
        "Same",
        "<\u2060!channel> <\u2060@U1> **bold** [link](https://x.y) `code` <b> # head @\u2060here",
      ],
      ["3"],
    ]);
    expect(body.markdown.split(emoji)).toHaveLength(3);
    expect(readMarkdown(body.markdown, String).text).toContain(
      "3. <\u2060!channel> <\u2060@U1> **bold** [link](https://x.y) `code` <b> # head @\u2060here",
    );
    native(reply("Which?", { rows }));
  });

  it("O61d: a picture stands behind the text, with its words for whom doesn't see it", () => {
    const picture = { name: "chart.png", path: "/somewhere/chart.png", mediaType: "image/png", alt: "Bars" } as const;
    const [text, second, ...more] = piecesOf(reply("Here it is.", { file: picture }));
    expect(more).toEqual([]);
    expect(bodyOf(text).file).toBeUndefined();
    expect(bodyOf(second)).toEqual({ text: "chart.png", blocks: [], markdown: "", silent: true, file: picture });
    expect(second?.plain).toBe("Bars");
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
