// What comes while an answer is being written: it waits, is acknowledged once, and becomes the next turn's message. Edits run nothing.
import { expect, it } from "vitest";
import { journey, PATIENT, toldTo } from "./gateway.ts";
import { PLATFORMS, SAM } from "./stage.ts";

it.each(PLATFORMS)(
  "G4, G6, G7: messages during a turn wait, are acknowledged once, and are answered together next (%s)",
  async (on) => {
    await using day = await journey({ on });
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
    await day.taken();
    expect(day.models.requestCount).toBe(1);
    gate.release();
    await day.shown("You said");
    await day.settled();
    expect(day.texts()).toEqual(["Got it. I'll answer that next.", "The first answer.", "You said: two\nthree\nfour"]);
    expect(day.models.requestCount).toBe(2);
    expect(toldTo(await day.asked(2))).toEqual(["user: one", "assistant: The first answer.", "user: two\nthree\nfour"]);
  },
);

it.each(PLATFORMS)(
  "G5, D27: another chat's turn is not delayed by one that hangs, and status answers meanwhile (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention" });
    const side = day.side("Side");
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "At last."]);
    day.say("slow");
    await day.models.until(() => gate.reached, PATIENT);
    day.mention("quick", { in: side });
    await day.shown("quick", { in: side });
    day.command("status");
    expect((await day.shown("Engine: local")).text).toContain("answering");
    gate.release();
    await day.shown("At last.");
  },
);

it.each(PLATFORMS)("G8: an edit while a message waits changes what its turn is given (%s)", async (on) => {
  await using day = await journey({ on });
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "first"]);
  day.say("one");
  await day.models.until(() => gate.reached, PATIENT);
  const id = day.say("buy 10");
  await day.shown("answer that next");
  day.edit(id, "buy 100");
  await day.taken();
  gate.release();
  await day.shown("You said: buy 100");
  await day.settled();
  expect(day.models.requestCount).toBe(2);
});

it.each(PLATFORMS)(
  "G8: an edit within the join window changes the message before it is in the log (%s)",
  async (on) => {
    await using day = await journey({ on, joinWithinMs: 500 });
    const id = day.say("helo");
    day.edit(id, "hello");
    await day.shown("You said: hello");
    await day.settled();
    expect(day.models.requestCount).toBe(1);
    expect((await day.entries()).map(({ kind }) => kind)).not.toContain("edited");
  },
);

it.each(PLATFORMS)(
  "G9, T9: an edit of what was answered changes the log for later, runs nothing and says nothing (%s)",
  async (on) => {
    await using day = await journey({ on });
    const id = day.say("My dog is Rex");
    await day.shown("You said: My dog is Rex");
    day.edit(id, "My dog is Max");
    // The same words again: what a changed reaction or tag looks like.
    day.edit(id, "My dog is Max");
    await day.settled();
    expect(day.models.requestCount).toBe(1);
    expect(day.texts()).toHaveLength(1);
    expect((await day.entries()).filter(({ kind }) => kind === "edited")).toHaveLength(1);
    day.say("What is it called?");
    await day.shown("What is it called?");
    expect(toldTo(await day.asked(2))[0]).toBe("user: My dog is Max");
  },
);

it.each(PLATFORMS)(
  "G9, T9: an invisible edit of an old /stop stops nothing, and an edit into a command runs none (%s)",
  async (on) => {
    await using day = await journey({ on });
    const typed = day.on.facts.typed;
    const stop = day.say(`${typed}stop`);
    await day.shown("Nothing is running.");
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "Undisturbed."]);
    const asked = day.say("write");
    await day.models.until(() => gate.reached, PATIENT);
    day.edit(stop, `${typed}stop`);
    day.edit(asked, `${typed}new`);
    await day.taken();
    gate.release();
    await day.shown("Undisturbed.");
    await day.settled();
    expect(day.texts()).toEqual(["Nothing is running.", "Undisturbed."]);
    expect(new Set((await day.entries()).map(({ conversation }) => conversation)).size).toBe(1);
  },
);

it.each(PLATFORMS)("D2: a message that the platform delivers again after a restart starts nothing (%s)", async (on) => {
  await using day = await journey({ on });
  const id = day.say("Once");
  await day.shown("You said: Once");
  await day.restart();
  day.on.redeliver(day.place(SAM), id);
  day.say("Twice");
  await day.shown("You said: Twice");
  await day.settled();
  expect(day.texts()).toEqual(["You said: Once", "You said: Twice"]);
});

it.each(PLATFORMS)("T9, T2: an edited caption changes the words, and the picture stays (%s)", async (on) => {
  await using day = await journey({ on, engines: { local: { images: true } } });
  const id = day.say("My cat", { photo: { bytes: new Uint8Array([0xff, 0xd8, 0xff]) } });
  await day.shown("My cat");
  day.edit(id, "My dog");
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  day.say("What is it?");
  const told = toldTo(await day.asked(2))[0]!;
  expect(told).toContain("My dog");
  expect(told).not.toContain("My cat");
  expect(told).toContain("data:image/jpeg;base64,");
});

it.each(PLATFORMS)(
  "G6, D4, G13: what came while the gateway was down is taken in its order, a stop behind what it was meant for (%s)",
  async (on) => {
    await using day = await journey({ on });
    await day.stop();
    for (const text of ["Write a novel", `${day.on.facts.typed}stop`, "Just a line"]) day.say(text);
    await day.start();
    await day.shown("You said: Just a line");
    await day.settled();
    expect(day.texts()).toEqual(["Stopped.", "You said: Just a line"]);
  },
);

it.each(PLATFORMS)(
  "G12, G11: messages that wait when /new comes end with the old chat, and nothing of it follows the new one's first line (%s)",
  async (on) => {
    await using day = await journey({ on });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "never"]);
    day.say("one");
    await day.models.until(() => gate.reached, PATIENT);
    day.say("two");
    await day.shown("answer that next");
    day.command("new");
    const line = await day.shown("New chat");
    day.say("three");
    await day.shown("You said: three");
    await day.settled();
    expect(day.texts().slice(day.texts().indexOf(line.text))).toEqual([line.text, "You said: three"]);
  },
);
