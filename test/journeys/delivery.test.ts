// What a platform does to messages on their way: it refuses, delays, loses the answer, or is gone. The answer arrives all the same, once.
import { describe, expect, it } from "vitest";
import { journey, PATIENT, words } from "./gateway.ts";
import { except, onEach, only, PLATFORMS, SAM } from "./stage.ts";

const REPEAT = "(This may be a repeat.)";

describe.concurrent("T27, D15: an answer whose sending has an unknown outcome", () => {
  const outcomes = [
    { kind: "resetAfterStore", repeated: ["The answer.", `${REPEAT}\nThe answer.`] },
    { kind: "resetBeforeStore", repeated: [`${REPEAT}\nThe answer.`] },
    { kind: "html502", repeated: [`${REPEAT}\nThe answer.`] },
  ] as const;

  // Only there nobody can say what became of it.
  it.concurrent.each(onEach(outcomes, only("telegram")))(
    "T27, D15: after $kind is shown once more, marked, and no more often ($on)",
    async ({ kind, repeated, on }) => {
      await using day = await journey({ on });
      day.fail("post", { kind });
      day.models.reply("The answer.");
      day.say("Go");
      await day.shown(REPEAT);
      await day.settled();
      expect(day.texts()).toEqual(repeated);
      expect(day.calls("post")).toHaveLength(2);
      expect(day.models.requestCount).toBe(1);
    },
  );

  it.concurrent.each(onEach(outcomes, except("telegram")))(
    "D16, D17: after $kind is found out about and stands there once, unmarked ($on)",
    async ({ kind, on }) => {
      await using day = await journey({ on });
      day.fail("post", { kind });
      day.models.reply("The answer.");
      day.say("Go");
      await day.shown("The answer.");
      await day.settled();
      expect(day.texts()).toEqual(["The answer."]);
      expect(day.calls("post").length).toBeLessThanOrEqual(2);
      day.say("And on");
      await day.shown("You said: And on");
      await day.settled();
      expect(day.texts()).toEqual(["The answer.", "You said: And on"]);
      expect(day.models.requestCount).toBe(2);
    },
  );
});

it.concurrent.each(only("telegram"))(
  "D15: a notice of unknown outcome is dropped, never sent again blindly (%s)",
  async (on) => {
    await using day = await journey({ on });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "First."]);
    day.say("one");
    await day.models.until(() => gate.reached, PATIENT);
    day.fail("post", { kind: "resetBeforeStore" });
    day.say("two");
    await day.called("post", 1);
    gate.release();
    await day.shown("You said: two");
    await day.settled();
    expect(day.texts()).toEqual(["First.", "You said: two"]);
  },
);

it.concurrent.each(only("telegram"))("D15, D9: both copies of a question share one claim (%s)", async (on) => {
  await using day = await journey({ on, engines: { small: {}, large: {} } });
  day.fail("post", { kind: "resetAfterStore" });
  day.command("engine");
  const copy = await day.shown(REPEAT);
  await day.settled();
  const first = day.sent()[0]!;
  day.press(first, "large");
  await day.becomes(copy, "answered by large");
  const late = day.pressData(first, first.buttons[0]![0]!.data!);
  expect(await day.answered(late)).toBe("That was already answered.");
});

it.concurrent.each(PLATFORMS)(
  "D14, T27: an edit of unknown outcome is made again, and the message is right once (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention", pace: { draftMs: 0 } });
    const gate = day.models.gate();
    day.models.reply(["Half", { wait: gate }, " and whole."]);
    day.mention("go", { in: day.group });
    await day.shown("Half", { in: day.group });
    day.fail("edit", { kind: "resetAfterStore" });
    day.fail("edit", { kind: "html502" });
    gate.release();
    await day.until(() => day.calls("edit").some(({ outcome }) => outcome === "ok" || outcome === "refused"));
    await day.settled();
    expect(day.texts(day.group)).toEqual(["Half and whole."]);
    expect(day.sent(day.group)[0]?.buttons).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "D13, T27: while nobody answers at the address nothing counts as sent, and the answer comes once, unmarked (%s)",
  async (on) => {
    await using day = await journey({ on });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "The answer."]);
    day.say("Go");
    await day.models.until(() => gate.reached, PATIENT);
    await day.on.goDown();
    gate.release();
    await day.until(() => day.notes.includes("a message has to wait"));
    await day.on.comeBack();
    await day.shown("The answer.");
    await day.settled();
    expect(day.texts()).toEqual(["The answer."]);
  },
);

it.concurrent.each(PLATFORMS)(
  "D18, T26: a 429 on the final is waited out as told, in that chat only, and the final is delivered (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention" });
    day.fail("post", { kind: "tooFast", seconds: 2, in: day.place(SAM) });
    day.models.reply("The answer.");
    day.say("Go");
    await day.called("post", 1);
    day.mention("meanwhile", { in: day.group });
    await day.shown("meanwhile", { in: day.group });
    expect(day.texts()).toEqual([]);
    await day.shown("The answer.");
    const [refused, sent] = day.calls("post").filter(({ chat }) => chat === day.place(SAM).chat);
    expect(sent!.atMs - refused!.atMs).toBeGreaterThanOrEqual(2000);
    expect(day.calls("post").length).toBe(3);
  },
);

it.concurrent.each(PLATFORMS)(
  "D18, T26, T22: a 429 on an edit under way stops the edits for as long as told; the final comes after it (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention", pace: { draftMs: 20 } });
    const [one, two] = [day.models.gate("one"), day.models.gate("two")];
    day.models.reply(["One", { wait: one }, { text: words(900), chunk: 20 }, { wait: two }, " final."]);
    day.mention("go", { in: day.group });
    await day.shown("One", { in: day.group });
    day.fail("edit", { kind: "tooFast", seconds: 2 });
    one.release();
    await day.called("edit", 1);
    two.release();
    await day.shown("final.", { in: day.group });
    await day.settled();
    const edits = day.calls("edit");
    expect(edits).toHaveLength(2);
    expect(edits[1]!.atMs - edits[0]!.atMs).toBeGreaterThanOrEqual(2000);
    expect(day.texts(day.group)).toHaveLength(1);
  },
);

// The platform's own drafts are Telegram's alone, as in the next one.
it.concurrent.each(only("telegram"))(
  "T21, T26: a 429 on a draft silences drafts, turns into no message, and the final comes when the time is over (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    const [one, two] = [day.models.gate("one"), day.models.gate("two")];
    day.models.reply(["One", { wait: one }, " two", { wait: two }, " three."]);
    day.fail("draft", { kind: "tooFast", seconds: 1 });
    day.say("Go");
    await day.called("draft", 1);
    one.release();
    two.release();
    await day.shown("One two three.");
    await day.settled();
    expect(day.texts()).toEqual(["One two three."]);
    expect(day.calls("draft").length).toBe(1);
    const [draft] = day.calls("draft");
    const [sent] = day.calls("post");
    expect(sent!.atMs - draft!.atMs).toBeGreaterThanOrEqual(1000);
  },
);

it.concurrent.each(only("telegram"))("T21: drafts that always fail give up quietly (%s)", async (on) => {
  await using day = await journey({ on, pace: { draftMs: 0 } });
  const gate = day.models.gate();
  day.models.reply([{ text: words(400), chunk: 10 }, { wait: gate }, " end."]);
  day.fail("draft", {
    kind: "odd",
    times: "always",
  });
  day.say("Go");
  await day.called("draft");
  gate.release();
  await day.shown("end.");
  await day.settled();
  expect(day.sent()).toHaveLength(1);
  expect(day.calls("edit").length).toBe(0);
});

it.concurrent.each(PLATFORMS)(
  "T26, T22: at the platform's own rates edits and sends together keep to one message a second and chat (%s)",
  async (on) => {
    await using day = await journey({
      on,
      groups: "mention",
      pace: { perChatMs: 1000, perGroupPerMinute: 20, perSecond: 30 },
    });
    const gate = day.models.gate();
    day.models.reply(["Begun. ", { wait: "begun" }, { text: words(2000), chunk: 10 }, { wait: gate }, words(3000)]);
    day.mention("go", { in: day.group });
    await day.shown("Begun.", { in: day.group });
    day.models.gate("begun").release();
    await day.called("edit", 1);
    gate.release();
    await day.shown(words(3000).slice(-12), { in: day.group });
    await day.settled();
    const times = [...day.calls("post"), ...day.calls("edit")].map(({ atMs }) => atMs).toSorted((a, b) => a - b);
    expect(times.length).toBeGreaterThan(2);
    // Together, since two calls may be on their way for different lengths of time.
    expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(1000 * (times.length - 1) - 300);
  },
);

it.concurrent.each(PLATFORMS)(
  "T14, D20, D21: a blocked bot stops sending there and goes on elsewhere; writing again brings the chat back (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention" });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, words(Math.floor(day.on.facts.maxUnits * 2.2))]);
    day.say("Go");
    await day.models.until(() => gate.reached, PATIENT);
    day.on.shut(day.place(SAM));
    gate.release();
    await day.called("post", 1);
    await day.settled();
    // The answer's other parts would only be refused one by one.
    expect(day.calls("post").length).toBe(1);
    day.mention("elsewhere", { in: day.group });
    await day.shown("elsewhere", { in: day.group });
    day.on.reopen(day.place(SAM));
    day.say("I am back");
    await day.shown("You said: I am back");
    day.command("status");
    expect((await day.shown("Engine")).text).toContain("3 messages could not be shown in the last 7 days");
  },
);

it.concurrent.each(PLATFORMS)("T14, D20: a group that threw us out gets no second try (%s)", async (on) => {
  await using day = await journey({ on, groups: "mention" });
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "Too late."]);
  day.mention("go", { in: day.group });
  await day.models.until(() => gate.reached, PATIENT);
  day.on.shut(day.group);
  gate.release();
  await day.called("post", 1);
  await day.settled();
  expect(day.calls("post").length).toBe(1);
});

it.concurrent.each(PLATFORMS)("D22, D27: nothing overtakes a final that has to wait in its room (%s)", async (on) => {
  await using day = await journey({ on });
  day.fail("post", { kind: "tooFast", seconds: 1 });
  day.models.reply("The answer.");
  day.say("Go");
  await day.called("post", 1);
  day.say("And then?");
  await day.shown("You said: And then?");
  await day.settled();
  expect(day.texts()).toEqual(["The answer.", "You said: And then?"]);
});

it.concurrent.each(PLATFORMS)("D20: a message that a person deleted while it grew is shown anew (%s)", async (on) => {
  await using day = await journey({ on, groups: "mention", pace: { draftMs: 0 } });
  const gate = day.models.gate();
  day.models.reply(["Half", { wait: gate }, " and whole."]);
  day.mention("go", { in: day.group });
  const half = await day.shown("Half", { in: day.group });
  await day.becomes(half, ({ buttons }) => buttons.length === 1, day.group);
  day.on.remove(day.group, half.id);
  gate.release();
  await day.shown("Half and whole.", { in: day.group });
  await day.settled();
  expect(day.texts(day.group)).toEqual(["Half and whole."]);
});
