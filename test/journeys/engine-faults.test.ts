// A model that fails, falls silent, rambles or breaks its own tools: a sentence for the person, and the next message works.
import { describe, expect, it } from "vitest";
import { journey } from "./gateway.ts";
import type { Reply } from "../wire/models-script.ts";
import type { JourneyOptions } from "./gateway.ts";
import { onEach, PLATFORMS } from "./stage.ts";

type Case = {
  readonly ids: string;
  readonly what: string;
  readonly replies: readonly Reply[];
  readonly says: RegExp;
  readonly options?: JourneyOptions;
  readonly kept?: string;
};

const CASES: readonly Case[] = [
  { ids: "E11, E12, G40", what: "a wrong key", replies: [[{ fail: "badKey" }]], says: /refused the key.*apiKey/ },
  {
    ids: "E11, E12, G40",
    what: "an unknown model",
    replies: [[{ fail: "noModel" }]],
    says: /doesn't know this model.*model/,
  },
  { ids: "E11, E12, G40", what: "no credit", replies: [[{ fail: "quota" }]], says: /credit or quota/ },
  { ids: "E11, E12, G40", what: "an over-long chat", replies: [[{ fail: "contextLength" }]], says: /too long.*\bnew/ },
  {
    ids: "E11, G40",
    what: "a connection that breaks in mid-answer",
    replies: [["Half an answer", { wait: "said" }, { cut: true }]],
    says: /connection broke/,
    kept: "Half an answer",
  },
  {
    ids: "E11, G40",
    what: "an error in mid-stream",
    replies: [["Half an answer", { errorEvent: "secret internals" }]],
    says: /./,
    kept: "Half an answer",
  },
  { ids: "E15, G40", what: "empty output", replies: [[]], says: /gave no answer/ },
  { ids: "E15, G40", what: "only white space", replies: ["  \n\n "], says: /gave no answer/ },
  { ids: "E15, G40", what: "only thinking", replies: [[{ thinking: "hmm" }]], says: /no answer/ },
  {
    ids: "E15, G40",
    what: "an endless stream",
    replies: [[{ endless: "blah ".repeat(2000) }]],
    says: /too long/,
    kept: "blah blah",
  },
  {
    ids: "E8, G40",
    what: "no first byte",
    replies: [[{ hang: true }]],
    says: /stopped answering in time/,
    options: { engines: { local: { firstByteMs: 250 } } },
  },
  {
    ids: "E9, G40",
    what: "silence in mid-answer",
    replies: [["Half an answer", { hang: true }]],
    says: /stopped answering in time/,
    options: { engines: { local: { idleMs: 250 } } },
    kept: "Half an answer",
  },
  {
    ids: "G41, G40",
    what: "a loop of tool calls",
    replies: [1, 2, 3].map((at) => [{ tool: "now", args: {}, id: `call${at}` }]),
    says: /more steps than/,
    options: { engines: { local: { maxSteps: 3 } } },
  },
];

describe("what a person reads when a model fails", () => {
  it.each(onEach(CASES))(
    "$ids: $what ends in one sentence, and the next message works ($on)",
    async ({ replies, says, options, kept, on }) => {
      await using day = await journey({ on, pace: { draftMs: 0 }, ...options });
      day.models.reply(...replies);
      day.say("Go");
      // Before anything of an answer has come, a broken connection is tried again instead.
      if (JSON.stringify(replies).includes('"said"')) await day.growing("Half");
      day.models.gate("said").release();
      await day.shown(says);
      await day.settled();
      const texts = day.texts();
      expect(texts.at(-1)).toMatch(says);
      expect(texts.at(-1)).not.toContain("secret internals");
      if (kept === undefined) expect(texts).toHaveLength(1);
      else expect(texts[0]).toContain(kept);
      day.say("Still there?");
      await day.shown("You said: Still there?");
    },
  );
});

it.each(PLATFORMS)(
  "G40, E14, G41: a tool call with broken JSON and one of an unknown tool are answered in words, and the turn goes on (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.models.reply(
      [{ tool: "now", args: '{"zone": "Euro' }],
      [{ tool: "delete_all", args: {} }],
      [{ tool: "now", args: { zone: "Europe/Berlin" } }],
      "It is late.",
    );
    day.say("What time is it?");
    await day.shown("It is late.");
    await day.settled();
    expect(day.texts()).toEqual(["It is late."]);
    expect(JSON.stringify(day.models.requests[1]?.body)).toContain("not a valid JSON object");
    expect(JSON.stringify(day.models.requests[2]?.body)).toContain("no such tool");
    const tools = (await day.entries()).filter((entry) => entry.kind === "tool-start");
    expect(tools.map(({ call }) => call.name)).toEqual(["now"]);
  },
);

it.each(PLATFORMS)("G39: text, a tool, and text again are two messages, each shown once (%s)", async (on) => {
  await using day = await journey({ on, pace: { draftMs: 0 } });
  const gate = day.models.gate();
  day.models.reply(["Let me look.", { tool: "now", args: {} }], ["It is ", { wait: gate }, "late."]);
  day.say("What time is it?");
  await day.shown("Let me look.");
  gate.release();
  await day.shown("It is late.");
  await day.settled();
  expect(day.texts()).toEqual(["Let me look.", "It is late."]);
  const ends = (await day.entries()).filter((entry) => entry.kind === "turn-ended");
  expect(ends.map(({ reason }) => reason)).toEqual(["done"]);
});
