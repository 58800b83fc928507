// Whatever a model writes, on a phone's screen: formatted, split where it must be, never twice, never broken.
import { expect, it } from "vitest";
import { journey, PATIENT, SAM, words } from "./gateway.ts";

/** Words alone: where lines and messages break is the layout's business. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

it("T15, G40: tags, ampersands and tokens that a model writes are shown as they are, and half-open marks still render", async () => {
  await using day = await journey();
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
  let after = 0;
  for (const [markdown, shown] of cases) {
    day.models.reply(markdown);
    day.say("Go");
    const message = await day.shown(() => true, { after });
    expect(flat(message.text).replaceAll("\u2060", "")).toContain(shown);
    expect(message.linkPreviewDisabled).toBe(true);
    after = message.id;
  }
  expect(day.telegram.calls.every(({ outcome }) => outcome !== "refused")).toBe(true);
});

it("T16: a table and nested lists read well on a narrow screen", async () => {
  await using day = await journey();
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
  const message = await day.shown("Coffee");
  expect(message.text).toBe(
    [
      "Name   │ Price",
      "───────┼──────",
      "Tea    │  3.50",
      "Coffee │    12",
      "",
      "1. First",
      "  ◦ inner",
      "    ▪ deeper",
      "2. Second",
      "",
      "☑ done",
      "",
      "Feature: Search",
      "What it does in a long sentence: Looks through all of the earlier conversations",
      "Where it is described: the guide, chapter four",
    ].join("\n"),
  );
});

it("T17, T23, T21: 9,000 characters are drafted, then stand there once, in parts that join to the whole", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const text = words(9000);
  const gate = day.models.gate();
  day.models.reply([{ text: text.slice(0, 8000), chunk: 500 }, { wait: gate }, { text: text.slice(8000), chunk: 500 }]);
  day.say("Tell me all");
  await day.telegram.until(
    (wire) => flat(wire.drafts(SAM)[0]?.text ?? "").includes(flat(text.slice(7900, 7980))),
    PATIENT,
  );
  expect(day.texts()).toEqual([]);
  gate.release();
  await day.shown(text.slice(-20));
  await day.settled();
  const sent = day.telegram.sent(SAM);
  expect(sent).toHaveLength(3);
  expect(flat(sent.map((message) => message.text).join(" "))).toBe(flat(text));
  expect(
    sent.every((message) => message.text.length <= 4096 && message.edits.length === 0 && message.linkPreviewDisabled),
  ).toBe(true);
  expect(day.telegram.drafts(SAM)).toEqual([]);
});

it("T18, T17: a long code block is closed and opened again with its language in each part", async () => {
  await using day = await journey();
  const lines = Array.from({ length: 300 }, (_, at) => `print("line ${at}")  # <${at}>`);
  day.models.reply(`Here:\n\n\`\`\`python\n${lines.join("\n")}\n\`\`\`\n\nDone.`);
  day.say("Code");
  await day.shown("Done.");
  await day.settled();
  const sent = day.telegram.sent(SAM);
  expect(sent.length).toBeGreaterThan(1);
  for (const { entities } of sent)
    expect(entities.find(({ type }) => type === "pre")).toMatchObject({ language: "python" });
  expect(sent.map(({ text }) => text).join("\n")).toBe(`Here:\n\n${lines.join("\n")}\n\nDone.`);
});

it("T19: emoji, combining marks and right-to-left text are cut between graphemes only", async () => {
  await using day = await journey();
  const texts = ["👩‍👩‍👧‍👦".repeat(900), "e\u0301\u0323".repeat(4000), "مرحبا ".repeat(1500), "🏳️‍🌈".repeat(1200)];
  for (const text of texts) {
    const before = day.telegram.sent(SAM).length;
    day.models.reply(text);
    day.say("Go");
    await day.telegram.until(
      (wire) =>
        flat(
          wire
            .sent(SAM)
            .slice(before)
            .map((message) => message.text)
            .join(""),
        ).replaceAll(" ", "") === text.replaceAll(" ", ""),
      PATIENT,
    );
    const parts = day.telegram
      .sent(SAM)
      .slice(before)
      .map((message) => message.text);
    const graphemes = new Set([...new Intl.Segmenter().segment(text)].map(({ segment }) => segment));
    for (const part of parts)
      for (const { segment } of new Intl.Segmenter().segment(part))
        expect(graphemes.has(segment) || segment.trim() === "").toBe(true);
  }
});

it("T37: 200 KB of output arrive whole, in order and within the pace", async () => {
  await using day = await journey({ pace: { perChatMs: 15 } });
  const text = words(199_000);
  day.models.reply([{ text, chunk: 4000 }]);
  day.say("Everything");
  await day.shown(text.slice(-15));
  await day.settled();
  const sent = day.telegram.sent(SAM);
  expect(flat(sent.map((message) => message.text).join(" "))).toBe(flat(text));
  const times = day.telegram.callsOf("sendMessage").map(({ atMs }) => atMs);
  // Together, since two calls may be on their way for different lengths of time.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(14 * (times.length - 1) - 30);
});

it("T20, D19: what Telegram can't parse is sent once more, plain, and only once", async () => {
  await using day = await journey();
  const fault = {
    kind: "error",
    code: 400,
    description: 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 3',
  } as const;
  day.telegram.fail("sendMessage", fault);
  day.models.reply("Some **bold** and [a link](https://example.org/page).");
  day.say("Go");
  const message = await day.shown("Some bold");
  expect(message).toMatchObject({
    text: "Some bold and a link (https://example.org/page).",
    linkPreviewDisabled: true,
  });
  expect(message.parseMode).toBeUndefined();
  await day.settled();
  expect(day.telegram.callCount("sendMessage")).toBe(2);

  day.telegram.fail("sendMessage", { ...fault, times: 2 });
  day.models.reply("Never **shown**.");
  day.say("Again");
  await day.asked(2);
  await day.settled();
  expect(day.telegram.callCount("sendMessage")).toBe(4);
  expect(day.texts()).toHaveLength(1);
  day.say("/status");
  expect((await day.shown("Engine")).text).toContain("1 message could not be shown in the last 7 days");
});
