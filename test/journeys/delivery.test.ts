// What Telegram does to messages on their way: it refuses, delays, loses the answer, or is gone. The answer arrives all the same, once.
import { describe, expect, it } from "vitest";
import { EVE, journey, PATIENT, SAM, words } from "./gateway.ts";

const REPEAT = "(This may be a repeat.)";
const GROUP = -1_000_000_000_950;

describe.concurrent("T27, D15: an answer whose sending has an unknown outcome", () => {
  it.concurrent.each([
    { kind: "resetAfterStore", seen: ["The answer.", `${REPEAT}\nThe answer.`] },
    { kind: "resetBeforeStore", seen: [`${REPEAT}\nThe answer.`] },
    { kind: "html502", seen: [`${REPEAT}\nThe answer.`] },
  ] as const)("T27, D15: after $kind is shown once more, marked, and no more often", async ({ kind, seen }) => {
    await using day = await journey();
    day.telegram.fail("sendMessage", { kind });
    day.models.reply("The answer.");
    day.say("Go");
    await day.shown(REPEAT);
    await day.settled();
    expect(day.texts()).toEqual(seen);
    expect(day.telegram.callCount("sendMessage")).toBe(2);
    expect(day.models.requestCount).toBe(1);
  });
});

it.concurrent("D15: a notice of unknown outcome is dropped, never sent again blindly", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "First."]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  day.telegram.fail("sendMessage", { kind: "resetBeforeStore" });
  day.say("two");
  await day.telegram.until((wire) => wire.callCount("sendMessage") === 1, PATIENT);
  gate.release();
  await day.shown("You said: two");
  await day.settled();
  expect(day.texts()).toEqual(["First.", "You said: two"]);
});

it.concurrent("D15, D9: both copies of a question share one claim", async () => {
  await using day = await journey({ engines: { small: {}, large: {} } });
  day.telegram.fail("sendMessage", { kind: "resetAfterStore" });
  day.say("/engine");
  const copy = await day.shown(REPEAT);
  await day.settled();
  const [first] = day.telegram.sent(SAM);
  day.telegram.press(SAM, SAM, first!.id, "large");
  await day.telegram.until((wire) => wire.message(SAM, copy.id)!.text.includes("answered by large"), PATIENT);
  const late = day.telegram.pressData(SAM, SAM, first!.id, first!.keyboard[0]![0]!.data!);
  expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe("That was already answered.");
});

it.concurrent("D14, T27: an edit of unknown outcome is made again, and the message is right once", async () => {
  await using day = await journey({ groups: "mention", pace: { draftMs: 0 }, wire: { username: "gate_bot" } });
  day.telegram.addSupergroup(GROUP);
  const gate = day.models.gate();
  day.models.reply(["Half", { wait: gate }, " and whole."]);
  day.telegram.say(GROUP, SAM, "@gate_bot go");
  await day.shown("Half", { chat: GROUP });
  day.telegram.fail("editMessageText", { kind: "resetAfterStore" });
  day.telegram.fail("editMessageText", { kind: "html502" });
  gate.release();
  await day.telegram.until(
    (wire) =>
      wire.callsOf("editMessageText").filter(({ outcome }) => outcome === "ok" || outcome === "refused").length > 0,
    PATIENT,
  );
  await day.settled();
  expect(day.texts(GROUP)).toEqual(["Half and whole."]);
  expect(day.telegram.sent(GROUP)[0]?.keyboard).toEqual([]);
});

it.concurrent("D13, T27: while nobody answers at the address nothing counts as sent, and the answer comes once, unmarked", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "The answer."]);
  day.say("Go");
  await day.models.until(() => gate.reached, PATIENT);
  await day.telegram.goDown();
  gate.release();
  await day.telegram.until(() => day.notes.includes("a message has to wait"), PATIENT);
  await day.telegram.comeBack();
  await day.shown("The answer.");
  await day.settled();
  expect(day.texts()).toEqual(["The answer."]);
});

it.concurrent("D18, T26: a 429 on the final is waited out as told, in that chat only, and the final is delivered", async () => {
  await using day = await journey({ wire: { topicsInPrivate: true }, groups: "mention" });
  day.telegram.addSupergroup(GROUP);
  day.telegram.fail("sendMessage", { kind: "error", retryAfter: 2, chat: SAM });
  day.models.reply("The answer.");
  day.say("Go");
  await day.telegram.until((wire) => wire.callCount("sendMessage") === 1, PATIENT);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} meanwhile`);
  await day.shown("meanwhile", { chat: GROUP });
  expect(day.texts()).toEqual([]);
  await day.shown("The answer.");
  const [refused, sent] = day.telegram.callsOf("sendMessage").filter(({ payload }) => payload["chat_id"] === SAM);
  expect(sent!.atMs - refused!.atMs).toBeGreaterThanOrEqual(2000);
  expect(day.telegram.callCount("sendMessage")).toBe(3);
});

it.concurrent("D18, T26, T22: a 429 on an edit under way stops the edits for as long as told; the final comes after it", async () => {
  await using day = await journey({ groups: "mention", pace: { draftMs: 20 } });
  day.telegram.addSupergroup(GROUP);
  const [one, two] = [day.models.gate("one"), day.models.gate("two")];
  day.models.reply(["One", { wait: one }, { text: words(900), chunk: 20 }, { wait: two }, " final."]);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} go`);
  await day.shown("One", { chat: GROUP });
  day.telegram.fail("editMessageText", { kind: "error", retryAfter: 2 });
  one.release();
  await day.telegram.until((wire) => wire.callCount("editMessageText") === 1, PATIENT);
  two.release();
  await day.shown("final.", { chat: GROUP });
  await day.settled();
  const edits = day.telegram.callsOf("editMessageText");
  expect(edits).toHaveLength(2);
  expect(edits[1]!.atMs - edits[0]!.atMs).toBeGreaterThanOrEqual(2000);
  expect(day.texts(GROUP)).toHaveLength(1);
});

it.concurrent("T21, T26: a 429 on a draft silences drafts, turns into no message, and the final comes when the time is over", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const [one, two] = [day.models.gate("one"), day.models.gate("two")];
  day.models.reply(["One", { wait: one }, " two", { wait: two }, " three."]);
  day.telegram.fail("sendMessageDraft", { kind: "error", retryAfter: 1 });
  day.say("Go");
  await day.telegram.until((wire) => wire.callCount("sendMessageDraft") === 1, PATIENT);
  one.release();
  two.release();
  await day.shown("One two three.");
  await day.settled();
  expect(day.texts()).toEqual(["One two three."]);
  expect(day.telegram.callCount("sendMessageDraft")).toBe(1);
  const [draft] = day.telegram.callsOf("sendMessageDraft");
  const [sent] = day.telegram.callsOf("sendMessage");
  expect(sent!.atMs - draft!.atMs).toBeGreaterThanOrEqual(1000);
});

it.concurrent("T21: drafts that always fail give up quietly", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const gate = day.models.gate();
  day.models.reply([{ text: words(400), chunk: 10 }, { wait: gate }, " end."]);
  day.telegram.fail("sendMessageDraft", {
    kind: "error",
    code: 400,
    description: "Bad Request: drafts are not available",
    times: "always",
  });
  day.say("Go");
  await day.telegram.until((wire) => wire.callCount("sendMessageDraft") > 0, PATIENT);
  gate.release();
  await day.shown("end.");
  await day.settled();
  expect(day.telegram.sent(SAM)).toHaveLength(1);
  expect(day.telegram.callCount("editMessageText")).toBe(0);
});

it.concurrent("T26, T22: at the platform's own rates edits and sends together keep to one message a second and chat", async () => {
  await using day = await journey({
    groups: "mention",
    pace: { perChatMs: 1000, perGroupPerMinute: 20, perSecond: 30 },
  });
  day.telegram.addSupergroup(GROUP);
  const gate = day.models.gate();
  day.models.reply(["Begun. ", { wait: "begun" }, { text: words(2000), chunk: 10 }, { wait: gate }, words(3000)]);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} go`);
  await day.shown("Begun.", { chat: GROUP });
  day.models.gate("begun").release();
  await day.telegram.until((wire) => wire.callCount("editMessageText") === 1, PATIENT);
  gate.release();
  await day.shown(words(3000).slice(-12), { chat: GROUP });
  await day.settled();
  const times = day.telegram.calls
    .filter(({ method }) => method === "sendMessage" || method === "editMessageText")
    .map(({ atMs }) => atMs);
  expect(times.length).toBeGreaterThan(2);
  // Together, since two calls may be on their way for different lengths of time.
  expect(times.at(-1)! - times[0]!).toBeGreaterThanOrEqual(1000 * (times.length - 1) - 300);
});

it.concurrent("T14, D20, D21: a blocked bot stops sending there and goes on elsewhere; writing again brings the chat back", async () => {
  await using day = await journey({ groups: "mention" });
  day.telegram.addSupergroup(GROUP);
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, words(9000)]);
  day.say("Go");
  await day.models.until(() => gate.reached, PATIENT);
  day.telegram.block(SAM);
  gate.release();
  await day.telegram.until((wire) => wire.callCount("sendMessage") >= 1, PATIENT);
  await day.settled();
  // The answer's other parts would only be refused one by one.
  expect(day.telegram.callCount("sendMessage")).toBe(1);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} elsewhere`);
  await day.shown("elsewhere", { chat: GROUP });
  day.telegram.unblock(SAM);
  day.say("I am back");
  await day.shown("You said: I am back");
  day.say("/status");
  expect((await day.shown("Engine")).text).toContain("3 messages could not be shown in the last 7 days");
});

it.concurrent("T14, D20: a deactivated account and a group that threw us out get no second try", async () => {
  await using day = await journey({ groups: "mention" });
  day.telegram.addSupergroup(GROUP);
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "Too late."]);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} go`);
  await day.models.until(() => gate.reached, PATIENT);
  day.telegram.kick(GROUP);
  gate.release();
  await day.telegram.until((wire) => wire.callCount("sendMessage") >= 1, PATIENT);
  await day.settled();
  expect(day.telegram.callCount("sendMessage")).toBe(1);
  expect(EVE).not.toBe(SAM);
});

it.concurrent("D22, D27: nothing overtakes a final that has to wait in its room", async () => {
  await using day = await journey();
  day.telegram.fail("sendMessage", { kind: "error", retryAfter: 1 });
  day.models.reply("The answer.");
  day.say("Go");
  await day.telegram.until((wire) => wire.callCount("sendMessage") === 1, PATIENT);
  day.say("And then?");
  await day.shown("You said: And then?");
  await day.settled();
  expect(day.texts()).toEqual(["The answer.", "You said: And then?"]);
});

it.concurrent("D20: a message that a person deleted while it grew is shown anew", async () => {
  await using day = await journey({ groups: "mention", pace: { draftMs: 0 } });
  day.telegram.addSupergroup(GROUP);
  const gate = day.models.gate();
  day.models.reply(["Half", { wait: gate }, " and whole."]);
  day.telegram.say(GROUP, SAM, `@${day.telegram.state.me.username} go`);
  const half = await day.shown("Half", { chat: GROUP });
  await day.telegram.until((wire) => wire.message(GROUP, half.id)?.keyboard.length === 1, PATIENT);
  day.telegram.deleteMessage(GROUP, half.id);
  gate.release();
  await day.shown("Half and whole.", { chat: GROUP });
  await day.settled();
  expect(day.texts(GROUP)).toEqual(["Half and whole."]);
});
