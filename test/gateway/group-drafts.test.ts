// A text under way in a group, at Telegram's own rates: edits of one message that leave room for what must arrive.
import { expect, test } from "vitest";
import { connectChannel } from "../../src/channels/registry.ts";
import type { ChannelLimits } from "../../src/core/channel.ts";
import { stage, stageSurroundings } from "./stage.ts";

const SECOND = 1000;

/** What the platform itself allows, without a pace in the config. */
async function telegramLimits(): Promise<Partial<ChannelLimits>> {
  const settings = { token: "1:x", apiRoot: "http://127.0.0.1:1", pace: {} };
  const { channel } = await connectChannel({ name: "telegram", settings }, stageSurroundings());
  expect(channel.limits.pace).toMatchObject({ perGroupPerMinute: 20, draftMs: SECOND });
  return { pace: channel.limits.pace };
}

/** Where a text reads the same twice in a row: edits that change nothing. */
function repeated(texts: readonly string[]): readonly string[] {
  return texts.filter((text, at) => at > 0 && texts[at - 1] === text);
}

test("T22, T26: an answer that streams for a minute is shown within 2 s of its end, and never is the pace broken", async () => {
  const { outbox, append, platform, store, pass, surroundings } = await stage(await telegramLimits());
  await using all = await outbox();
  const conversation = (await store.conversations.get("group"))!;
  const live = all.live(conversation, "t");
  let text = "";
  for (let n = 0; n < 120; n += 1) {
    text += `word${n} `;
    live.update({ turn: "t", part: 0, text });
    await pass(SECOND / 2);
  }
  const end = surroundings.clock.now();
  await append("group", { kind: "text", turn: "t", part: 0, text: "The whole." });
  await append("group", { kind: "turn-ended", turn: "t", reason: "done" });
  all.endLive("t");
  await pass(120 * SECOND);

  const { calls } = platform;
  expect(calls.filter((call) => call.how.edit === undefined)).toHaveLength(1);
  // It was seen to grow all along, not only at first.
  const grown = calls.filter(({ at }) => at <= end).map(({ at }) => at);
  expect(grown.length).toBeGreaterThanOrEqual(10);
  const gaps = grown.slice(1).map((at, nth) => at - grown[nth]!);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(10 * SECOND);
  const last = calls.at(-1)!;
  expect(last.text).toBe("The whole.");
  expect(last.at - end).toBeLessThanOrEqual(2 * SECOND);
  for (const { at } of calls) {
    expect(calls.filter((other) => other.at > at - 60 * SECOND && other.at <= at).length).toBeLessThanOrEqual(20);
  }
});

test("T22: a text that stands still is not edited again, and no two edits in a row say the same", async () => {
  const { outbox, platform, store, pass } = await stage(await telegramLimits());
  await using all = await outbox();
  const live = all.live((await store.conversations.get("group"))!, "t");
  for (const text of ["a", "a b"]) {
    live.update({ turn: "t", part: 0, text });
    // Longer than after which a draft of the platform's own would fade and have to be shown again.
    await pass(90 * SECOND);
  }
  all.endLive("t");
  expect(platform.told).toEqual(["new a", "edit ref1 a b"]);
  expect(repeated(platform.calls.map((call) => call.text))).toEqual([]);
});

test("T22: the end of a text that grew past one message is what is shown, each edit with something new", async () => {
  const { outbox, platform, store, pass } = await stage(await telegramLimits());
  await using all = await outbox();
  const live = all.live((await store.conversations.get("group"))!, "t");
  for (let n = 0; n < 60; n += 1) {
    // The stage makes a message of its own of each paragraph, as a platform does of what is longer than it takes.
    live.update({ turn: "t", part: 0, text: `The first message.\n\n${"w ".repeat(n + 1)}` });
    await pass(SECOND);
  }
  all.endLive("t");
  expect(platform.calls.length).toBeGreaterThan(5);
  expect(repeated(platform.calls.map((call) => call.text))).toEqual([]);
  expect(platform.calls.at(-1)?.text).toContain("w w w");
});
