// What comes while an answer is being written: it waits, is acknowledged once, and becomes the next turn's message. Edits run nothing.
import { expect, it } from "vitest";
import { journey, PATIENT, toldTo } from "./gateway.ts";

it("G4, G6, G7: messages during a turn wait, are acknowledged once, and are answered together next", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "The first answer."]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  day.say("two");
  await day.shown("answer that next");
  // Stored before it is acknowledged: two and its acknowledgement are one commit.
  expect((await day.entries()).filter((entry) => entry.kind === "message")).toHaveLength(2);
  day.say("three");
  day.say("four");
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  expect(day.models.requestCount).toBe(1);
  gate.release();
  await day.shown("You said");
  await day.settled();
  expect(day.texts()).toEqual(["Got it. I'll answer that next.", "The first answer.", "You said: two\nthree\nfour"]);
  expect(day.models.requestCount).toBe(2);
  expect(toldTo(await day.asked(2))).toEqual(["user: one", "assistant: The first answer.", "user: two\nthree\nfour"]);
});

it("G5, D27: another chat's turn is not delayed by one that hangs, and status answers meanwhile", async () => {
  await using day = await journey({ wire: { topicsInPrivate: true } });
  const topic = day.telegram.addTopic(day.owner, "Side");
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "At last."]);
  day.say("slow");
  await day.models.until(() => gate.reached, PATIENT);
  day.say("quick", { threadId: topic });
  expect((await day.shown("You said: quick")).threadId).toBe(topic);
  day.say("/status");
  expect((await day.shown("Engine: local")).text).toContain("answering");
  gate.release();
  await day.shown("At last.");
});

it("G8: an edit while a message waits changes what its turn is given", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "first"]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  const id = day.say("buy 10");
  await day.shown("answer that next");
  day.telegram.edit(day.owner, id, "buy 100");
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  gate.release();
  await day.shown("You said: buy 100");
  await day.settled();
  expect(day.models.requestCount).toBe(2);
});

it("G8: an edit within the join window changes the message before it is in the log", async () => {
  await using day = await journey({ joinWithinMs: 500 });
  const id = day.say("helo");
  day.telegram.edit(day.owner, id, "hello");
  await day.shown("You said: hello");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  expect((await day.entries()).map(({ kind }) => kind)).not.toContain("edited");
});

it("G9, T9: an edit of what was answered changes the log for later, runs nothing and says nothing", async () => {
  await using day = await journey();
  const id = day.say("My dog is Rex");
  await day.shown("You said: My dog is Rex");
  day.telegram.edit(day.owner, id, "My dog is Max");
  // The same words again: what a changed reaction or tag looks like.
  day.telegram.edit(day.owner, id, "My dog is Max");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  expect(day.texts()).toHaveLength(1);
  expect((await day.entries()).filter(({ kind }) => kind === "edited")).toHaveLength(1);
  day.say("What is it called?");
  await day.shown("What is it called?");
  expect(toldTo(await day.asked(2))[0]).toBe("user: My dog is Max");
});

it("G9, T9: an invisible edit of an old /stop stops nothing, and an edit into a command runs none", async () => {
  await using day = await journey();
  const stop = day.say("/stop");
  await day.shown("Nothing is running.");
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "Undisturbed."]);
  const asked = day.say("write");
  await day.models.until(() => gate.reached, PATIENT);
  day.telegram.edit(day.owner, stop, "/stop");
  day.telegram.edit(day.owner, asked, "/new");
  await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
  gate.release();
  await day.shown("Undisturbed.");
  await day.settled();
  expect(day.texts()).toEqual(["Nothing is running.", "Undisturbed."]);
  expect(new Set((await day.entries()).map(({ conversation }) => conversation)).size).toBe(1);
});

it("D2: an update that Telegram delivers again after a restart starts nothing", async () => {
  await using day = await journey();
  const id = day.say("Once");
  await day.shown("You said: Once");
  const update = {
    message: { ...day.telegram.state.chats.get(day.owner)!.messages.get(id)!.api },
    update_id: 100_000_001,
  };
  await day.stop();
  day.telegram.push(update as Parameters<typeof day.telegram.push>[0]);
  await day.start();
  day.say("Twice");
  await day.shown("You said: Twice");
  await day.settled();
  expect(day.texts()).toEqual(["You said: Once", "You said: Twice"]);
});

it("T9, T2: an edited caption changes the words, and the picture stays", async () => {
  await using day = await journey({ engines: { local: { images: true } } });
  const id = day.say("My cat", { photo: { bytes: new Uint8Array([0xff, 0xd8, 0xff]) } });
  await day.shown("My cat");
  day.telegram.edit(day.owner, id, "My dog");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  day.say("What is it?");
  const told = toldTo(await day.asked(2))[0]!;
  expect(told).toContain("My dog");
  expect(told).not.toContain("My cat");
  expect(told).toContain("data:image/jpeg;base64,");
});

it("G6, D4, G13: what came while the gateway was down is taken in its order, a stop behind what it was meant for", async () => {
  await using day = await journey();
  await day.stop();
  for (const text of ["Write a novel", "/stop", "Just a line"]) day.say(text);
  await day.start();
  await day.shown("You said: Just a line");
  await day.settled();
  expect(day.texts()).toEqual(["Stopped.", "You said: Just a line"]);
});

it("G12, G11: messages that wait when /new comes end with the old chat, and nothing of it follows the new one's first line", async () => {
  await using day = await journey();
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "never"]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  day.say("two");
  await day.shown("answer that next");
  day.say("/new");
  const line = await day.shown("New chat");
  day.say("three");
  await day.shown("You said: three");
  await day.settled();
  expect(day.texts().slice(day.texts().indexOf(line.text))).toEqual([line.text, "You said: three"]);
});
