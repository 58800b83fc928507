// What belongs together becomes one message: bursts, albums, a long text that the app cut. What doesn't, doesn't.
import { expect, it } from "vitest";
import { EVE, journey, PATIENT, SAM, toldTo, words } from "./gateway.ts";

it("G1: three messages in a burst are one message, in order, and answered once", async () => {
  await using day = await journey({ joinWithinMs: 400 });
  for (const text of ["one", "two", "three"]) day.say(text);
  const answer = await day.shown("You said");
  expect(answer.text).toBe("You said: one\ntwo\nthree");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  const messages = (await day.entries()).filter((entry) => entry.kind === "message");
  expect(messages).toHaveLength(1);
  expect(messages[0]?.message.parts.map((part) => part.kind === "text" && part.text)).toEqual(["one", "two", "three"]);
});

it("G1: with joinWithinMs 0 nothing is joined; a second message is the next turn's", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "first"]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  day.say("two");
  gate.release();
  await day.shown("You said: two");
  expect(day.models.requestCount).toBe(2);
});

it("G2, T5, T2: an album of three photos with one caption is one message, though nothing else is joined", async () => {
  await using day = await journey({ engines: { local: { images: true } } });
  for (const [at, text] of ["Which one is best?", "", ""].entries()) {
    day.say(text, {
      mediaGroupId: "5001",
      photo: { bytes: new Uint8Array([0xff, 0xd8, 0xff, at]), name: `${at}.jpg` },
    });
  }
  await day.shown("You said");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  const told = toldTo(await day.asked(1)).join("\n");
  expect(told.match(/image_url/g)).toHaveLength(6);
  expect(told).toContain("Which one is best?");
  const message = (await day.entries()).find((entry) => entry.kind === "message");
  expect(message?.message.parts.map(({ kind }) => kind)).toEqual(["file", "text", "file", "file"]);
  expect(message?.message.ids).toHaveLength(3);
});

it("G2: a text that the app cut at its limit waits for its second piece, though nothing else is joined", async () => {
  await using day = await journey();
  const whole = words(5000);
  const cut = whole.lastIndexOf(" ", 4096);
  day.say(whole.slice(0, cut));
  day.say(whole.slice(cut + 1));
  await day.asked(1);
  const told = toldTo(await day.asked(1));
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  expect(told[0]?.replaceAll(/\s+/g, " ")).toBe(`user: ${whole.replaceAll(/\s+/g, " ")}`);
});

it("G3: a command is never joined with the text around it, and takes its place in the order", async () => {
  await using day = await journey({ joinWithinMs: 400 });
  day.say("before");
  day.say("/new");
  day.say("after");
  await day.shown("You said: after");
  await day.settled();
  const conversations = new Map<string, string[]>();
  for (const entry of await day.entries()) {
    const said = conversations.get(entry.conversation) ?? [];
    if (entry.kind === "message")
      said.push(...entry.message.parts.map((part) => (part.kind === "text" ? part.text : "")));
    conversations.set(entry.conversation, said);
  }
  expect([...conversations.values()]).toEqual([["before"], ["after"]]);
});

it("G3: rooms, threads and people are not joined with each other, however close their messages are", async () => {
  const group = -1_000_000_000_500;
  await using day = await journey({ joinWithinMs: 400, groups: "mention", wire: { username: "gate_bot" } });
  day.telegram.addSupergroup(group, { forum: true });
  const [red, blue] = [day.telegram.addTopic(group, "Red"), day.telegram.addTopic(group, "Blue")];
  day.telegram.say(group, SAM, "@gate_bot red", { threadId: red });
  day.telegram.say(group, SAM, "@gate_bot blue", { threadId: blue });
  day.say("private");
  await day.shown("private");
  await day.telegram.until((wire) => wire.sent(group).length === 2, PATIENT);
  await day.settled();
  expect(day.models.requestCount).toBe(3);
  expect(day.texts(group)).toHaveLength(2);
  const shown = new Map(day.telegram.sent(group).map(({ text, threadId }) => [threadId, text.split(" ").at(-1)]));
  expect(shown).toEqual(
    new Map([
      [red, "red"],
      [blue, "blue"],
    ]),
  );
  // Nor are people with each other: the group counts by now.
  day.telegram.say(group, SAM, "@gate_bot sam", { threadId: blue });
  day.telegram.say(group, EVE, "@gate_bot eve", { threadId: blue });
  await day.telegram.until((wire) => wire.sent(group).length === 4, PATIENT);
  await day.settled();
  expect(day.models.requestCount).toBe(5);
});
