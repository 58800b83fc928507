// The commands as people use them: what each says, does and leaves.
import { expect, it } from "vitest";
import { journey, PATIENT, SAM, toldTo } from "./gateway.ts";
import type { Journey } from "./gateway.ts";

/** A turn that has begun to say something and waits. */
async function answering(day: Journey, begin = "So far. "): Promise<{ release(): void }> {
  const gate = day.models.gate();
  day.models.reply([begin, { wait: gate }, "And the rest."]);
  day.say("Write something long");
  await day.models.until(() => gate.reached, PATIENT);
  await day.telegram.until((wire) => wire.drafts(SAM).length > 0, PATIENT);
  return gate;
}

it("G11, G20: /new starts afresh; the next turn knows nothing of before, which stays in the log", async () => {
  await using day = await journey();
  day.say("My secret word is heron");
  await day.shown("heron");
  day.say("/new");
  await day.shown("New chat");
  day.say("What is my word?");
  await day.shown("You said: What is my word?");
  expect(toldTo(await day.asked(2))).toEqual(["user: What is my word?"]);
  expect(JSON.stringify(await day.entries())).toContain("heron");
});

it("G12: /new stops the turn that runs; what it had said stands above the new chat, and nothing of it below", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  await answering(day);
  day.say("/new");
  const line = await day.shown("New chat");
  await day.settled();
  day.say("Next");
  await day.shown("You said: Next");
  expect(toldTo(await day.asked(2))).toEqual(["user: Next"]);
  expect(day.models.requests[0]?.aborted).toBe(true);
  expect(day.texts().slice(day.texts().indexOf(line.text))).toEqual([line.text, "You said: Next"]);
  expect(day.texts()).toEqual(["So far.", "Stopped.", line.text, "You said: Next"]);
});

it("G13, D27: /stop ends the turn at once, keeps what was said and says that it was stopped; with nothing running it says so", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  await answering(day);
  day.say("/stop");
  await day.shown("Stopped.");
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped."]);
  expect(day.models.requests[0]?.aborted).toBe(true);
  day.say("/stop");
  await day.shown("Nothing is running.");
  day.say("Go on");
  await day.shown("You said: Go on");
});

it("G13, T21: the draft's own stop button does the same", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  await answering(day);
  day.telegram.stopDraft(SAM);
  await day.shown("Stopped.");
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped."]);
});

it("G13, G1: /stop right behind a message that still waits to be joined stops that one too", async () => {
  await using day = await journey({ joinWithinMs: 500 });
  const gate = day.models.gate();
  day.models.always([{ wait: gate }, "Too late."]);
  day.say("Do it");
  day.say("/stop");
  await day.telegram.until((wire) => wire.sent(SAM).length > 0, PATIENT);
  await day.settled();
  expect(day.texts()).toEqual(["Stopped."]);
});

it("G14: /help lists exactly the commands of the menu, a line each, also as /start", async () => {
  await using day = await journey();
  day.say("/help");
  const help = await day.shown("/new");
  await day.telegram.until((wire) => wire.commands["default"] ?? false, PATIENT);
  const listed = [...help.text.matchAll(/^• \/(\w+)/gmu)].map(([, name]) => name);
  expect(listed).toEqual(day.telegram.commands["default"]?.map(({ command }) => command));
  day.say("/start");
  expect((await day.shown("/new", { after: help.id })).text).toBe(help.text);
  await day.settled();
  expect(day.models.requestCount).toBe(0);
});

it("G15, E7: /status during a turn shows engine, what runs and waits, usage, and the channel", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  day.models.reply(["Hello.", { usage: { input: 1200, output: 34 } }]);
  day.say("Plan the garden");
  await day.shown("Hello.");
  const gate = await answering(day);
  day.say("and this");
  await day.shown("answer that next");
  day.say("/status");
  const status = await day.shown("Engine");
  expect(status.text).toContain("Plan the garden");
  expect(status.text).toMatch(/Engine: local/);
  expect(status.text).toMatch(/answering.*wait/);
  expect(status.text).toContain("1,200 tokens in, 34 out, in 1 answer");
  expect(status.text).toContain("Telegram: connected");
  gate.release();
  await day.shown("You said: and this");
});

it("G16, D10: /engine shows a choice; a press takes it once, and a later press is answered in words", async () => {
  await using day = await journey({ engines: { small: { model: "small-model" }, large: { model: "large-model" } } });
  day.say("/engine");
  const card = await day.shown("Which engine");
  expect(card.keyboard.flat().map(({ text }) => text)).toEqual(["small (now)", "large"]);
  const first = card.keyboard[0]![0]!.data!;
  day.telegram.press(SAM, SAM, card.id, "large");
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("answered by large"), PATIENT);
  expect(day.telegram.message(SAM, card.id)!.keyboard).toEqual([]);
  const second = day.telegram.pressData(SAM, SAM, card.id, first);
  const words = await day.telegram.until((wire) => wire.answerTo(second), PATIENT);
  expect(words.text).toBe("That was already answered.");
  day.say("Hi");
  await day.shown("You said: Hi");
  expect(day.models.last?.model).toBe("large-model");
  day.say("/engine smal");
  expect((await day.shown("no engine")).text).toContain("Did you mean small?");
  day.say("/engine SMALL");
  await day.shown("answered by small");
  day.say("Hi again");
  await day.shown("You said: Hi again");
  expect(day.models.last?.model).toBe("small-model");
});

it("G16: during a turn the engine is not switched, neither by name nor by a press", async () => {
  await using day = await journey({ engines: { small: {}, large: { model: "large-model" } }, pace: { draftMs: 0 } });
  day.say("/engine");
  const card = await day.shown("Which engine");
  const gate = await answering(day);
  day.say("/engine large");
  await day.shown("can't switch");
  const press = day.telegram.press(SAM, SAM, card.id, "large");
  expect((await day.telegram.until((wire) => wire.answerTo(press), PATIENT)).text).toContain("Not while");
  gate.release();
  await day.shown("And the rest.");
  await day.settled();
  // Nothing was taken: the same button works now.
  day.telegram.press(SAM, SAM, card.id, "large");
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("answered by large"), PATIENT);
});

it("D10, T33: buttons work after a restart; unknown and outdated ones are answered in words", async () => {
  await using day = await journey({ engines: { small: {}, large: {} } });
  day.say("/engine");
  const card = await day.shown("Which engine");
  for (const button of card.keyboard.flat()) expect(Buffer.byteLength(button.data ?? "")).toBeLessThanOrEqual(64);
  await day.restart();
  const press = day.telegram.press(SAM, SAM, card.id, "large", { inaccessible: true });
  await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("answered by large"), PATIENT);
  const unknown = day.telegram.pressData(SAM, SAM, card.id, "no-such-key");
  expect((await day.telegram.until((wire) => wire.answerTo(unknown), PATIENT)).text).toBe(
    "That button is no longer in use.",
  );
});

it("G17: /archive puts the chat away, still there to export, and the next message starts a new one", async () => {
  await using day = await journey();
  day.say("Old matters");
  await day.shown("You said: Old matters");
  day.say("/archive");
  expect((await day.shown("put away")).text).toContain("“Old matters”");
  day.say("New matters");
  await day.shown("You said: New matters");
  expect(toldTo(await day.asked(2))).toEqual(["user: New matters"]);
  const entries = await day.entries();
  expect(JSON.stringify(entries)).toContain("Old matters");
  await day.settled();
});

it("G18: /delete asks; Keep leaves everything as it was", async () => {
  await using day = await journey();
  day.say("Keep me");
  await day.shown("You said: Keep me");
  day.say("/delete");
  const card = await day.shown("for good");
  day.telegram.press(SAM, SAM, card.id, "Keep it");
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("is kept"), PATIENT);
  day.say("What now?");
  await day.shown("You said: What now?");
  expect(toldTo(await day.asked(2))).toHaveLength(3);
});

it("G18, D34: Delete leaves no byte of the chat in the data folder, files and half-shown text included, and says so", async () => {
  await using day = await journey({ engines: { local: { images: true } }, wire: { topicsInPrivate: true } });
  const topic = day.telegram.addTopic(SAM, "Other");
  day.say("This stays: albatross", { threadId: topic });
  await day.shown("albatross");
  day.models.reply("The answer holds kingfisher and more.");
  day.say("wagtail in words", { photo: { bytes: new TextEncoder().encode("nightjar-bytes"), name: "goldcrest.jpg" } });
  await day.shown("kingfisher");
  const edited = day.say("siskin");
  await day.shown("You said: siskin");
  day.telegram.edit(SAM, edited, "redstart");
  await day.settled();
  const traces = ["kingfisher", "wagtail", "nightjar-bytes", "siskin", "redstart"];
  expect(traces.filter((word) => day.holds(word))).toEqual(traces);
  day.say("/delete");
  const card = await day.shown("for good");
  const first = card.keyboard[0]![0]!.data!;
  const press = day.telegram.press(SAM, SAM, card.id, "Delete it");
  await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  expect(traces.filter((word) => day.holds(word))).toEqual([]);
  expect(day.holds("albatross")).toBe(true);
  await day.settled();
  expect(day.telegram.message(SAM, card.id)).toMatchObject({ text: "Deleted.", keyboard: [] });
  await day.shown("That chat is deleted: its messages, its files and all that was kept of it here.");
  day.say("Anything left?");
  await day.shown("You said: Anything left?");
  expect(toldTo(day.models.last!)).toEqual(["user: Anything left?"]);
  // A press of the card that is gone, as from another device that has not yet seen the edit.
  const late = day.telegram.pressData(SAM, SAM, card.id, first);
  expect((await day.telegram.until((wire) => wire.answerTo(late), PATIENT)).text).toBe(
    "That button is no longer in use.",
  );
});

it("G18, D34: Delete during a turn ends it, and nothing of it comes back", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  day.say("/delete");
  await day.shown("no chat here to delete");
  day.say("First");
  await day.shown("You said: First");
  day.say("/delete");
  const card = await day.shown("for good");
  const gate = await answering(day, "Oystercatcher so far. ");
  const press = day.telegram.press(SAM, SAM, card.id, "Delete it");
  await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  gate.release();
  await day.settled();
  expect(day.holds("Oystercatcher")).toBe(false);
  expect(day.texts().at(-1)).toContain("That chat is deleted");
});

it("G19: an unknown command is answered with the nearest and reaches no engine", async () => {
  await using day = await journey();
  day.say("/stauts please");
  expect((await day.shown("/stauts")).text).toBe(
    "I don't know /stauts. Did you mean /status? /help lists what I know.",
  );
  day.say("/xyzzyplugh");
  expect((await day.shown("xyzzy")).text).toBe("I don't know /xyzzyplugh. /help lists what I know.");
  await day.settled();
  expect(day.models.requestCount).toBe(0);
});

it("G20, T36: a title is the first words, one line, at most 60 graphemes, without the bot's token", async () => {
  await using day = await journey();
  const { token } = day.telegram;
  day.say(`My token is ${token}\nand 👩‍👩‍👧‍👦`);
  await day.shown("You said");
  day.say("/status");
  const status = await day.shown("Engine");
  expect(status.text.split("\n")[0]).toBe("My token is [hidden] and 👩‍👩‍👧‍👦");
  day.say("/new");
  await day.shown("New chat");
  day.say("👩‍👩‍👧‍👦".repeat(80));
  await day.shown("👩‍👩‍👧‍👦".repeat(80));
  day.say("/status");
  const title = (await day.shown("Engine", { after: status.id })).text.split("\n")[0]!;
  expect([...new Intl.Segmenter().segment(title)].length).toBe(60);
});

it("G20: a chat that begins with a file has a title that says where and when", async () => {
  await using day = await journey();
  day.say("", { document: { bytes: new Uint8Array([1, 2, 3]), name: "notes.bin" } });
  await day.shown("You said");
  day.say("/status");
  expect((await day.shown("Engine")).text.split("\n")[0]).toMatch(/^Sam on Telegram, \d{4}-\d\d-\d\d$/);
});

it("G16, G44: a chat whose engine is no longer in the config says so, and another can be chosen", async () => {
  await using day = await journey({ engines: { small: {}, large: {} } });
  day.say("/engine large");
  await day.shown("answered by large");
  await day.restart({ engines: { small: {} } });
  day.say("Hi");
  expect((await day.shown("no longer in the config")).text).toBe(
    "The engine of this chat, large, is no longer in the config. Choose another with /engine.",
  );
  day.say("/engine small");
  await day.shown("answered by small");
  day.say("Hi again");
  await day.shown("You said: Hi again");
});
