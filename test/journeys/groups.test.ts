// Groups: silence unless spoken to, one message that grows while an answer is written, and a group that becomes another.
import { describe, expect, it } from "vitest";
import { EVE, journey, PATIENT, SAM, words } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";

const GROUP = -1_000_000_000_900;

async function group(options: JourneyOptions = {}): Promise<Journey> {
  const day = await journey({
    groups: "mention",
    pace: { draftMs: 0 },
    ...options,
    wire: { username: "gate_bot", ...options.wire },
  });
  day.telegram.addSupergroup(GROUP);
  return day;
}

it("T11: groups are off by default", async () => {
  await using day = await group({ groups: "off" });
  day.telegram.say(GROUP, SAM, "@gate_bot hello");
  day.say("hello");
  await day.shown("You said: hello");
  await day.settled();
  expect(day.texts(GROUP)).toEqual([]);
});

it("T11, T12, T6, A52: only a mention, a reply to us or a command with our name counts, and others' once the owner has spoken there", async () => {
  await using day = await group();
  const say = (text: string, from = SAM, replyTo?: number): void =>
    void day.telegram.say(GROUP, from, text, replyTo === undefined ? {} : { replyTo });
  say("just chatting");
  say("@gate_bot let me in", EVE);
  say("/status@other_bot");
  say("/status@gate_bot", EVE);
  say("not @gate_bottle");
  await day.settled();
  expect(day.texts(GROUP)).toEqual([]);
  say("@Gate_Bot first");
  const first = await day.shown("first", { chat: GROUP });
  say("second", SAM, first.id);
  await day.shown("second", { chat: GROUP });
  say("/status@gate_bot");
  await day.shown("Engine", { chat: GROUP });
  await day.settled();
  expect(day.models.requestCount).toBe(2);
  expect(day.texts(GROUP)).toHaveLength(3);
  say("chatting on", EVE);
  say("a reply", EVE, first.id);
  await day.shown("a reply", { chat: GROUP });
  await day.settled();
  expect(day.models.requestCount).toBe(3);
  expect(day.texts(GROUP)).toHaveLength(4);
});

it("T22, T23, T24: an answer is one message, edited while it grows, with a Stop button until it is done", async () => {
  await using day = await group();
  const [one, two] = [day.models.gate("one"), day.models.gate("two")];
  day.models.reply(["The **first** half", { wait: one }, " and the second", { wait: two }, " are one."]);
  day.telegram.say(GROUP, SAM, "@gate_bot go");
  const growing = await day.shown("first half", { chat: GROUP });
  expect(growing.keyboard.flat().map(({ text }) => text)).toEqual(["Stop"]);
  // The one notification of this answer: edits make none.
  expect(growing.silent).toBe(false);
  expect(growing.entities.map(({ type }) => type)).toEqual(["bold"]);
  one.release();
  await day.shown("the second", { chat: GROUP });
  two.release();
  const final = await day.shown("are one.", { chat: GROUP });
  await day.settled();
  expect(day.texts(GROUP)).toEqual(["The first half and the second are one."]);
  expect(final.id).toBe(growing.id);
  expect(final.keyboard).toEqual([]);
  const versions = [...final.edits, final];
  expect(versions.every(({ linkPreviewDisabled }) => linkPreviewDisabled)).toBe(true);
  expect(new Set(versions.map(({ text, keyboard }) => JSON.stringify([text, keyboard]))).size).toBe(versions.length);
  expect(day.telegram.callCount("sendMessageDraft")).toBe(0);
});

it("T23, T17: a long answer in a group is its parts once, the first of them in the message that grew", async () => {
  await using day = await group();
  const text = words(9000);
  const gate = day.models.gate();
  day.models.reply([{ text: text.slice(0, 6000), chunk: 300 }, { wait: gate }, text.slice(6000)]);
  day.telegram.say(GROUP, SAM, "@gate_bot go");
  // Of a long text under way the end is shown.
  const growing = await day.shown(text.slice(5960, 5999).trim(), { chat: GROUP });
  gate.release();
  await day.shown(text.slice(-15), { chat: GROUP });
  await day.settled();
  const sent = day.telegram.sent(GROUP);
  expect(sent[0]?.id).toBe(growing.id);
  expect(
    sent
      .map((message) => message.text)
      .join(" ")
      .replaceAll(/\s+/g, " "),
  ).toBe(text.replaceAll(/\s+/g, " "));
  expect(sent.every(({ keyboard }) => keyboard.length === 0)).toBe(true);
});

it("G13, T33: the Stop button stops for the owner, not for others, and says so when it is too late", async () => {
  await using day = await group();
  const gate = day.models.gate();
  day.models.reply(["Half of it", { wait: gate }, " never."]);
  day.telegram.say(GROUP, SAM, "@gate_bot go");
  const growing = await day.shown("Half of it", { chat: GROUP });
  const key = growing.keyboard[0]![0]!.data!;
  day.telegram.pressData(GROUP, EVE, growing.id, key);
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  expect(day.models.requests[0]?.aborted).toBe(false);
  day.telegram.pressData(GROUP, SAM, growing.id, key);
  await day.shown("Stopped.", { chat: GROUP });
  await day.settled();
  expect(day.texts(GROUP)).toEqual(["Half of it", "Stopped."]);
  expect(day.telegram.sent(GROUP)[0]?.keyboard).toEqual([]);
  const late = day.telegram.pressData(GROUP, SAM, growing.id, key);
  expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe(
    "That answer is already finished.",
  );
});

it("T10, D45: topics of a forum are rooms of their own, also while several answers are written", async () => {
  await using day = await group();
  const forum = -1_000_000_000_901;
  day.telegram.addSupergroup(forum, { forum: true });
  const topics = ["Red", "Green", "Blue", "Black", "White"].map((name) => ({
    name,
    id: day.telegram.addTopic(forum, name),
  }));
  const gate = day.models.gate();
  day.models.always((request) => [`About ${request.lastUserText.split(" ").at(-1)}`, { wait: gate }, " all."]);
  for (const { name, id } of topics) day.telegram.say(forum, SAM, `@gate_bot ${name}`, { threadId: id });
  await day.asked(5);
  gate.release();
  await day.telegram.until(
    (wire) => wire.sent(forum).filter(({ text }) => text.endsWith("all.")).length === 5,
    PATIENT,
  );
  await day.settled();
  const shown = new Map(day.telegram.sent(forum).map(({ threadId, text }) => [threadId, text]));
  expect(shown).toEqual(new Map(topics.map(({ name, id }) => [id, `About ${name} all.`])));
  expect(day.telegram.sent(forum)).toHaveLength(5);
});

describe("T13: a group that becomes a supergroup while an answer is being written", () => {
  it.each([
    { told: "before", title: "T13: and the gateway hears of it first" },
    { told: "after", title: "T13: and the gateway hears of it from a refused send" },
  ])("$title", async ({ told }) => {
    await using day = await group();
    const old = -901;
    day.telegram.addGroup(old, "Old");
    const gate = day.models.gate();
    day.models.reply(["The answer", { wait: gate }, " goes on."]);
    day.telegram.say(old, SAM, "@gate_bot go");
    await day.shown("The answer", { chat: old });
    if (told === "after") {
      // As when the service message comes late: polls stand still meanwhile.
      day.telegram.fail("getUpdates", { kind: "slow", delayMs: 700 });
      day.telegram.fail("getUpdates", { kind: "slow", delayMs: 700 });
    }
    const moved = day.telegram.migrate(old);
    if (told === "before") await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
    gate.release();
    await day.shown("The answer goes on.", { chat: moved });
    await day.settled();
    expect(day.texts(moved)).toEqual(["The answer goes on."]);
    // The chat goes on where it was.
    day.telegram.say(moved, SAM, "@gate_bot more");
    await day.shown("more", { chat: moved });
    expect((await day.asked(2)).body["messages"]).toHaveLength(4);
  });
});
