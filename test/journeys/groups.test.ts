// Groups: silence unless spoken to, one message that grows while an answer is written, and a group that becomes another.
import { expect, it } from "vitest";
import { journey, words } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { EVE, onEach, only, PLATFORMS, SAM } from "./stage.ts";

async function group(options: JourneyOptions): Promise<Journey> {
  return await journey({ groups: "mention", pace: { draftMs: 0 }, ...options });
}

it.each(PLATFORMS)("T11: groups are off by default (%s)", async (on) => {
  await using day = await group({ on, groups: "off" });
  day.mention("hello", { in: day.group });
  day.say("hello");
  await day.shown("You said: hello");
  await day.settled();
  expect(day.texts(day.group)).toEqual([]);
});

it.each(PLATFORMS)(
  "T11, T12, T6, A52: only a mention, a reply to us or a command with our name counts, and others' once the owner has spoken there (%s)",
  async (on) => {
    await using day = await group({ on });
    const here = { in: day.group };
    day.say("just chatting", here);
    day.mention("let me in", { by: EVE, ...here });
    day.command("status", { by: EVE, ...here });
    for (const text of day.on.forOthers) day.say(text, here);
    await day.settled();
    expect(day.texts(day.group)).toEqual([]);
    day.mention("first", here);
    const first = await day.shown("first", here);
    day.on.reply(day.group, SAM, first.id, "second");
    await day.shown("second", here);
    day.command("status", here);
    await day.shown("Engine", here);
    await day.settled();
    expect(day.models.requestCount).toBe(2);
    expect(day.texts(day.group)).toHaveLength(3);
    day.say("chatting on", { by: EVE, ...here });
    day.on.reply(day.group, EVE, first.id, "a reply");
    await day.shown("a reply", here);
    await day.settled();
    expect(day.models.requestCount).toBe(3);
    expect(day.texts(day.group)).toHaveLength(4);
  },
);

it.each(PLATFORMS)(
  "T22, T23, T24: an answer is one message, edited while it grows, with a Stop button until it is done (%s)",
  async (on) => {
    await using day = await group({ on });
    const [one, two] = [day.models.gate("one"), day.models.gate("two")];
    day.models.reply(["The **first** half", { wait: one }, " and the second", { wait: two }, " are one."]);
    day.mention("go", { in: day.group });
    const growing = await day.shown("first half", { in: day.group });
    expect(day.labels(growing)).toEqual(["Stop"]);
    // The one notification of this answer: edits make none.
    expect(growing.quiet).toBe(false);
    expect(growing.styles).toEqual(["bold"]);
    one.release();
    await day.shown("the second", { in: day.group });
    two.release();
    await day.shown("are one.", { in: day.group });
    await day.settled();
    const final = day.sent(day.group)[0]!;
    expect(day.texts(day.group)).toEqual(["The first half and the second are one."]);
    expect(final.id).toBe(growing.id);
    expect(final.buttons).toEqual([]);
    const versions = [...final.edits, final];
    expect(versions.every(({ previewsOff }) => previewsOff)).toBe(true);
    expect(new Set(versions.map(({ text, buttons }) => JSON.stringify([text, buttons]))).size).toBe(versions.length);
    expect(day.calls("draft").length).toBe(0);
  },
);

it.each(PLATFORMS)(
  "T23, T17: a long answer in a group is its parts once, the first of them in the message that grew (%s)",
  async (on) => {
    await using day = await group({ on });
    // Three messages, of which one and a half have come.
    const one = day.on.facts.maxUnits;
    const text = words(Math.floor(one * 2.2));
    const gate = day.models.gate();
    const come = Math.floor(one * 1.5);
    day.models.reply([{ text: text.slice(0, come), chunk: 300 }, { wait: gate }, text.slice(come)]);
    day.mention("go", { in: day.group });
    // Of a long text under way the end is shown.
    const growing = await day.shown(text.slice(come - 40, come - 1).trim(), { in: day.group });
    gate.release();
    await day.shown(text.slice(-15), { in: day.group });
    await day.settled();
    const sent = day.sent(day.group);
    expect(sent[0]?.id).toBe(growing.id);
    expect(
      sent
        .map((message) => message.text)
        .join(" ")
        .replaceAll(/\s+/g, " "),
    ).toBe(text.replaceAll(/\s+/g, " "));
    expect(sent.every(({ buttons }) => buttons.length === 0)).toBe(true);
  },
);

it.each(PLATFORMS)(
  "G13, T33: the Stop button stops for the owner, not for others, and says so when it is too late (%s)",
  async (on) => {
    await using day = await group({ on });
    const gate = day.models.gate();
    day.models.reply(["Half of it", { wait: gate }, " never."]);
    day.mention("go", { in: day.group });
    const growing = await day.shown("Half of it", { in: day.group });
    const key = growing.buttons[0]![0]!.data!;
    day.pressData(growing, key, { by: EVE, in: day.group });
    await day.taken();
    expect(day.models.requests[0]?.aborted).toBe(false);
    day.pressData(growing, key, { in: day.group });
    await day.shown("Stopped.", { in: day.group });
    await day.settled();
    expect(day.texts(day.group)).toEqual(["Half of it", "Stopped."]);
    expect(day.sent(day.group)[0]?.buttons).toEqual([]);
    const late = day.pressData(growing, key, { in: day.group });
    expect(await day.answered(late)).toBe("That answer is already finished.");
  },
);

it.each(PLATFORMS)(
  "T10, D45: topics of a forum are rooms of their own, also while several answers are written (%s)",
  async (on) => {
    await using day = await group({ on });
    const topics = ["Red", "Green", "Blue", "Black", "White"].map((name) => ({
      name,
      place: day.on.thread(day.group, name),
    }));
    const gate = day.models.gate();
    day.models.always((request) => [`About ${request.lastUserText.split(" ").at(-1)}`, { wait: gate }, " all."]);
    for (const { name, place } of topics) day.mention(name, { in: place });
    await day.asked(5);
    gate.release();
    for (const { name, place } of topics) await day.shown(`About ${name} all.`, { in: place });
    await day.settled();
    expect(topics.map(({ place }) => day.texts(place))).toEqual(topics.map(({ name }) => [`About ${name} all.`]));
    expect(day.on.everything).toHaveLength(5);
  },
);

// Elsewhere a group keeps its id for good.
const TELLINGS = [
  { told: "before", title: "the gateway hears of it first" },
  { told: "after", title: "the gateway hears of it from a refused send" },
];
it.each(onEach(TELLINGS, only("telegram")))(
  "T13: a group becomes a supergroup while an answer is being written, and $title ($on)",
  async ({ told, on }) => {
    await using day = await group({ on });
    const old = { chat: "-901", shared: true };
    day.telegram.addGroup(-901, "Old");
    const gate = day.models.gate();
    day.models.reply(["The answer", { wait: gate }, " goes on."]);
    day.mention("go", { in: old });
    await day.shown("The answer", { in: old });
    if (told === "after") {
      // As when the service message comes late: polls stand still meanwhile.
      day.telegram.fail("getUpdates", { kind: "slow", delayMs: 700 });
      day.telegram.fail("getUpdates", { kind: "slow", delayMs: 700 });
    }
    const moved = { ...old, chat: String(day.telegram.migrate(-901)) };
    if (told === "before") await day.taken();
    gate.release();
    await day.shown("The answer goes on.", { in: moved });
    await day.settled();
    expect(day.texts(moved)).toEqual(["The answer goes on."]);
    // The chat goes on where it was.
    day.mention("more", { in: moved });
    await day.shown("more", { in: moved });
    expect((await day.asked(2)).body["messages"]).toHaveLength(4);
  },
);
