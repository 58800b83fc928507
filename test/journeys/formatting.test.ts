// Whatever a model writes, on a phone's screen: formatted, split where it must be, never twice, never broken.
import { expect, it } from "vitest";
import { journey, words } from "./gateway.ts";
import type { PlatformName } from "./stage.ts";
import { PLATFORMS, SAM } from "./stage.ts";

/** Words alone: where lines and messages break is the layout's business. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

it.each(PLATFORMS)(
  "T15, G40: tags, ampersands and tokens that a model writes are shown as they are, and half-open marks still render (%s)",
  async (on) => {
    await using day = await journey({ on });
    const cases: readonly [markdown: string, shown: string][] = [
      [
        "<think>no</think> a < b && c > d <script>alert(1)</script>",
        "<think>no</think> a < b && c > d <script>alert(1)</script>",
      ],
      ["<|im_start|>assistant &amp; <b>bold</b>", "<|im_start|>assistant & <b>bold</b>"],
      ["Half **bold and `code and [a link](https://exa", "Half **bold and `code and [a link](https://exa"],
      ["```js\nconst open = 1;", "const open = 1;"],
      ["[press](javascript:alert(1)) ![picture](https://example.org/x.png)", "press (javascript:alert(1)) picture"],
    ];
    let after = "";
    for (const [markdown, shown] of cases) {
      day.models.reply(markdown);
      day.say("Go");
      const message = await day.shown(() => true, after === "" ? {} : { after });
      expect(flat(message.text).replaceAll("\u2060", "")).toContain(shown);
      expect(message.previewsOff).toBe(true);
      after = message.id;
    }
    expect(day.on.refused).toBe(0);
  },
);

const NARROW_TABLE = ["Name   │ Price", "───────┼──────", "Tea    │  3.50", "Coffee │    12", ""];
const AS_FIELDS = [
  "Feature: Search",
  "What it does in a long sentence: Looks through all of the earlier conversations",
  "Where it is described: the guide, chapter four",
];
/** How each platform lays it out, message by message. Slack draws tables itself, one in a message. */
const LAYOUT: Readonly<Record<PlatformName, readonly (readonly string[])[]>> = {
  telegram: [[...NARROW_TABLE, "1. First", "  ◦ inner", "    ▪ deeper", "2. Second", "", "☑ done", "", ...AS_FIELDS]],
  slack: [
    [
      "Name | Price",
      "Tea | 3.50",
      "Coffee | 12",
      "",
      "1. First",
      "  • inner",
      "    • deeper",
      "2. Second",
      "",
      "• [x] done",
    ],
    [
      "Feature | What it does in a long sentence | Where it is described",
      "Search | Looks through all of the earlier conversations | the guide, chapter four",
    ],
  ],
  discord: [
    [...NARROW_TABLE, "1. First", "   • inner", "     • deeper", "2. Second", "", "• ☑ done", "", ...AS_FIELDS],
  ],
};

it.each(PLATFORMS)("T16: a table and nested lists read well on a narrow screen (%s)", async (on) => {
  await using day = await journey({ on });
  day.models.reply(
    [
      "| Name | Price |",
      "| --- | ---: |",
      "| Tea | 3.50 |",
      "| Coffee | 12 |",
      "",
      "1. First",
      "   - inner",
      "     - deeper",
      "2. Second",
      "- [x] done",
      "",
      "| Feature | What it does in a long sentence | Where it is described |",
      "| --- | --- | --- |",
      "| Search | Looks through all of the earlier conversations | the guide, chapter four |",
    ].join("\n"),
  );
  day.say("Show me");
  await day.shown("guide, chapter four");
  await day.settled();
  expect(day.texts()).toEqual(LAYOUT[on].map((lines) => lines.join("\n")));
});

it.each(PLATFORMS)(
  "T17, T23, T21: what is longer than two messages shows while it is written, then stands there once, in parts that join to the whole (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    const { maxUnits, drafts } = day.on.facts;
    const text = words(Math.floor(maxUnits * 2.2));
    const gate = day.models.gate();
    const come = maxUnits * 2 - 200;
    day.models.reply([
      { text: text.slice(0, come), chunk: 500 },
      { wait: gate },
      { text: text.slice(come), chunk: 500 },
    ]);
    day.say("Tell me all");
    await day.until(() =>
      day.on.underWay(day.place(SAM)).some((shown) => flat(shown).includes(flat(text.slice(come - 100, come - 20)))),
    );
    // A preview of the platform's own is no message.
    const grew = day.sent().map(({ id }) => id);
    expect(grew).toHaveLength(drafts === "native" ? 0 : 1);
    gate.release();
    await day.shown(text.slice(-20));
    await day.settled();
    const sent = day.sent();
    expect(sent).toHaveLength(3);
    expect(flat(sent.map((message) => message.text).join(" "))).toBe(flat(text));
    expect(sent.every((message) => message.text.length <= maxUnits && message.previewsOff)).toBe(true);
    expect(sent.filter(({ edits }) => edits.length > 0).map(({ id }) => id)).toEqual(grew);
    expect(day.on.underWay(day.place(SAM))).toEqual([]);
  },
);

it.each(PLATFORMS)(
  "T18, T17: a long code block is closed and opened again with its language in each part (%s)",
  async (on) => {
    await using day = await journey({ on });
    const lines = Array.from(
      { length: Math.ceil(day.on.facts.maxUnits / 13) },
      (_, at) => `print("line ${at}")  # <${at}>`,
    );
    day.models.reply(`Here:\n\n\`\`\`python\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
    day.say("Code");
    await day.shown("Done.");
    await day.settled();
    const sent = day.sent();
    expect(sent.length).toBeGreaterThan(1);
    for (const { languages } of sent) expect(languages).toEqual(["python"]);
    expect(sent.map(({ text }) => text).join("\n")).toBe(`Here:\n\n${lines.join("\n")}\n\nDone.`);
  },
);

it.each(PLATFORMS)(
  "T19: emoji, combining marks and right-to-left text are cut between graphemes only (%s)",
  async (on) => {
    await using day = await journey({ on });
    const most = day.on.facts.maxUnits;
    const texts = ["👩‍👩‍👧‍👦", "e\u0301\u0323", "مرحبا ", "🏳️‍🌈"].map((one) =>
      one.repeat(Math.ceil((most * 2.3) / one.length)),
    );
    for (const text of texts) {
      const before = day.sent().length;
      day.models.reply(text);
      day.say("Go");
      await day.until(
        () => flat(day.texts().slice(before).join("")).replaceAll(" ", "") === text.replaceAll(" ", ""),
        "the whole of it",
      );
      const parts = day.texts().slice(before);
      const graphemes = new Set([...new Intl.Segmenter().segment(text)].map(({ segment }) => segment));
      for (const part of parts)
        for (const { segment } of new Intl.Segmenter().segment(part))
          expect(graphemes.has(segment) || segment.trim() === "").toBe(true);
    }
  },
);

it.each(PLATFORMS)("T37: 200 KB of output arrive whole, in order and within the pace (%s)", async (on) => {
  await using day = await journey({ on, pace: { perChatMs: 15 } });
  const text = words(199_000);
  day.models.reply([{ text, chunk: 4000 }]);
  day.say("Everything");
  await day.shown(text.slice(-15));
  await day.settled();
  const sent = day.sent();
  expect(flat(sent.map((message) => message.text).join(" "))).toBe(flat(text));
  const times = day.calls("post").map(({ atMs }) => atMs);
  // Together, since two calls may be on their way for different lengths of time.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(14 * (times.length - 1) - 30);
});

it.each(PLATFORMS)(
  "T20, D19: what the platform can't parse is sent once more, plain, and only once (%s)",
  async (on) => {
    await using day = await journey({ on });
    const fault = { kind: "notParseable" } as const;
    day.fail("post", fault);
    day.models.reply("Some **bold** and [a link](https://example.org/page).");
    day.say("Go");
    const message = await day.shown("Some bold");
    expect(message).toMatchObject({
      text: "Some bold and a link (https://example.org/page).",
      previewsOff: true,
    });
    expect(message.styles).toEqual([]);
    await day.settled();
    expect(day.calls("post").length).toBe(2);

    day.fail("post", { ...fault, times: 2 });
    day.models.reply("Never **shown**.");
    day.say("Again");
    await day.asked(2);
    await day.settled();
    expect(day.calls("post").length).toBe(4);
    expect(day.texts()).toHaveLength(1);
    day.command("status");
    expect((await day.shown("Engine")).text).toContain("1 message could not be shown in the last 7 days");
  },
);
