// A text under way in a group, at Telegram's own rates: edits of one message that leave room for what must arrive.
import { expect, test } from "vitest";
import { connectChannel } from "../../src/channels/registry.ts";
import type { ChannelLimits } from "../../src/core/channel.ts";
import type { Live } from "../../src/gateway/live.ts";
import { GROUP, stage, stageSurroundings } from "./stage.ts";

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

test.each([25, 45, 60, 150])(
  "T22, T26: an answer that streams for %i s is shown within 2 s of its end, and the pace is kept",
  async (seconds) => {
    const { outbox, append, platform, store, pass, surroundings } = await stage(await telegramLimits());
    await using all = await outbox();
    const conversation = (await store.conversations.get("group"))!;
    const live = all.live(conversation, "t");
    let text = "";
    for (let n = 0; n < 2 * seconds; n += 1) {
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
    const gaps = [...grown, end].slice(1).map((at, nth) => at - grown[nth]!);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(10 * SECOND);
    const last = calls.at(-1)!;
    expect(last.text).toBe("The whole.");
    expect(last.at - end).toBeLessThanOrEqual(2 * SECOND);
    for (const { at } of calls) {
      expect(calls.filter((other) => other.at > at - 60 * SECOND && other.at <= at).length).toBeLessThanOrEqual(20);
    }
  },
);

test("T26, T10: topics of one group share its rate, and their edits leave room for what must arrive", async () => {
  const { outbox, append, platform, store, pass, surroundings } = await stage(await telegramLimits());
  await using all = await outbox();
  const room = { ...GROUP, thread: "2" };
  const opening = store.commit([{ do: "open", id: "topic", room, person: "stage/1", title: "topic", at: 1 }]);
  await pass(0);
  await opening;
  const conversations = await Promise.all(["group", "topic"].map(async (id) => (await store.conversations.get(id))!));
  const lives = new Map<string, Live>();
  for (let n = 0; n < 100; n += 1) {
    // They begin one after the other, so that neither always finds the other's edit just before its own.
    const next = n % 4 === 0 ? conversations[n / 4] : undefined;
    if (next !== undefined) lives.set(`turn in ${next.id}`, all.live(next, `turn in ${next.id}`));
    for (const [turn, live] of lives) live.update({ turn, part: 0, text: `word${n}` });
    await pass(SECOND / 2);
  }
  const end = surroundings.clock.now();
  await append("group", { kind: "text", turn: "turn in group", part: 0, text: "The whole." });
  all.endLive("turn in group");
  await pass(120 * SECOND);
  const final = platform.calls.find(({ text }) => text === "The whole.")!;
  expect(final.at - end).toBeLessThanOrEqual(2 * SECOND);
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
  // The stage makes a message of its own of each paragraph, as a platform does of what is longer than it takes.
  let text = "The first message.\n\n";
  for (let n = 0; n < 60; n += 1) {
    text += `word${n} `;
    live.update({ turn: "t", part: 0, text });
    await pass(SECOND);
  }
  all.endLive("t");
  expect(platform.calls.length).toBeGreaterThanOrEqual(10);
  expect(repeated(platform.calls.map((call) => call.text))).toEqual([]);
  expect(platform.calls.at(-1)?.text).toMatch(/word5\d $/u);
});
