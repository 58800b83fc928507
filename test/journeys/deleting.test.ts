// Deleting a chat for good: its files, its words wherever they came from, and what happens when the disk or a crash is in the way.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { journey, PATIENT, SAM } from "./gateway.ts";
import type { Journey } from "./gateway.ts";

const launcher = fileURLToPath(new URL("../../tidegate", import.meta.url));
const run = promisify(execFile);
const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);

/** A command beside the running program, as typed. */
async function command(day: Journey, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [launcher, ...args, "--config", join(day.folder, "tidegate.yaml")], {
    cwd: day.folder,
    env: { PATH: process.env["PATH"], HOME: day.folder },
  });
  return stdout;
}

/** Asks for the deletion in the chat and presses Yes. */
async function deleteHere(day: Journey): Promise<void> {
  day.say("/delete");
  const card = await day.shown("for good?");
  day.telegram.press(SAM, SAM, card.id, "Delete it");
  await day.shown("That chat is deleted");
}

/** Waits until an update pushed before is done with: a command sent behind it in the same seat was answered. */
async function caughtUp(day: Journey): Promise<void> {
  const after = day.say("/status");
  await day.shown("Engine:", { after });
}

const filesOf = (day: Journey): readonly string[] =>
  readdirSync(join(day.data, "work"), { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));

it("D34: when the data file can't be rewritten, the person is told all the same, files are gone, and the next start does the rest", async () => {
  await using day = await journey();
  day.say("What is this ptarmigan?", { photo: { bytes: PICTURE, name: "bird.jpg" } });
  await day.shown("You said");
  await day.settled();
  expect(filesOf(day)).toHaveLength(1);
  {
    // Another program that goes on reading an old state of the file.
    using reader = new DatabaseSync(join(day.data, "tidegate.db"), { readOnly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM entry").get();
    day.say("/delete");
    const card = await day.shown("for good?");
    const press = day.telegram.press(SAM, SAM, card.id, "Delete it");
    // Rewriting waits for the reader before it gives up.
    const patient = { timeoutMs: 40_000 };
    expect((await day.telegram.until((wire) => wire.answerTo(press), patient)).text).toBe("Deleted.");
    await day.shown("That chat is deleted");
    expect(filesOf(day)).toEqual([]);
    await day.telegram.until((wire) => wire.message(SAM, card.id)!.text === "Deleted.", PATIENT);
    expect(day.notes).toContain("its last traces in the data file go at the next start");
  }
  await day.settled();
  expect(JSON.stringify(await day.entries())).not.toContain("ptarmigan");
  await day.restart();
  expect(day.holds("ptarmigan")).toBe(false);
}, 90_000);

it("D34: a folder that a crash in the middle of a deletion left is swept at the next start, and no other", async () => {
  await using day = await journey();
  day.say("Keep this", { document: { bytes: PICTURE, name: "kept.bin" } });
  await day.shown("You said");
  await day.settled();
  const [kept] = await day.entries();
  await day.stop();
  const work = join(day.data, "work");
  for (const name of ["gone_chat-01", "notes", "longer-than-any-id"]) {
    mkdirSync(join(work, name));
    writeFileSync(join(work, name, "file.txt"), "bytes");
  }
  writeFileSync(join(work, "read.me"), "bytes");
  await day.start();
  expect(readdirSync(work).toSorted()).toEqual(
    [kept!.conversation, "longer-than-any-id", "notes", "read.me"].toSorted(),
  );
  expect(readdirSync(join(work, kept!.conversation))).toHaveLength(1);
  expect(existsSync(join(work, "notes", "file.txt"))).toBe(true);
});

it("D34, D5: an edit that changed no words, and one after the deletion, bring nothing of the chat back", async () => {
  await using day = await journey({ program: true });
  const said = day.say("My word is ptarmigan");
  await day.shown("You said");
  day.telegram.edit(SAM, said, "My word is ptarmigan");
  await caughtUp(day);
  expect(day.holds("ptarmigan")).toBe(true);
  await deleteHere(day);
  expect(day.holds("ptarmigan")).toBe(false);

  day.telegram.edit(SAM, said, "My word was ptarmigan, not capercaillie");
  await caughtUp(day);
  expect(["ptarmigan", "capercaillie"].filter((word) => day.holds(word))).toEqual([]);
  expect(JSON.stringify(await day.entries())).not.toContain('"edited"');
});

it("D34, D5: what an update that nothing is done with held is forgotten at once", async () => {
  await using day = await journey({ program: true });
  const chat = { id: SAM, type: "private", first_name: "Sam" } as const;
  const from = { id: SAM, is_bot: false, first_name: "Sam" };
  const date = 1_700_000_000;
  const other = { id: 4242, is_bot: true, first_name: "Another" };
  // Of something not in the log, of a bot, of somebody who is not let in.
  day.telegram.push({ edited_message: { message_id: 900, date, edit_date: date, chat, from, text: "wryneck" } });
  day.telegram.push({ message: { message_id: 901, date, chat, from: other, text: "bluethroat" } });
  const eve = { id: 6666, is_bot: false, first_name: "Eve" };
  const theirs = { id: 6666, type: "private", first_name: "Eve" } as const;
  day.telegram.push({ message: { message_id: 902, date, chat: theirs, from: eve, text: "hawfinch" } });
  await caughtUp(day);
  // Freed rows are overwritten when the file is next rewritten, which every deletion does.
  await deleteHere(day);
  expect(["wryneck", "bluethroat", "hawfinch"].filter((word) => day.holds(word))).toEqual([]);
  expect(day.models.requestCount).toBe(0);
});

it("D34, D5: a press carries its card's words, which go with it; the deletion leaves none", async () => {
  await using day = await journey({ program: true });
  day.say("About the ptarmigan");
  await day.shown("You said");
  const [first] = await day.entries();
  day.say("/delete");
  const card = await day.shown("for good?");
  day.telegram.press(SAM, SAM, card.id, "Keep it");
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("is kept"), PATIENT);
  // Pressed once more: answered in words, and its words are forgotten too.
  const late = day.telegram.pressData(SAM, SAM, card.id, card.keyboard[0]![0]!.data!);
  await day.telegram.until((wire) => wire.answerTo(late), PATIENT);
  expect(await command(day, "delete", first!.conversation)).toBe("Deleted.\n");
  expect(day.holds("ptarmigan")).toBe(false);
});

it("D5: an update that can't be understood is kept for a look, done with its reason, and what follows is answered", async () => {
  await using day = await journey({ program: true });
  // No chat, no date: no kind of message.
  day.telegram.push({ message: { message_id: 7, text: "garganey" } as never });
  day.say("Hello");
  await day.shown("You said: Hello");
  await caughtUp(day);
  await day.stop();
  expect(day.holds("garganey")).toBe(true);
  using kept = new DatabaseSync(join(day.data, "tidegate.db"), { readOnly: true });
  const rows = kept.prepare("SELECT done, outcome, raw FROM inbound WHERE outcome LIKE 'malformed%'").all();
  expect(rows).toMatchObject([{ done: 1, outcome: expect.stringMatching(/^malformed: .+/u) }]);
  expect(String(rows[0]!["raw"])).toContain("garganey");
});

it("D34, G17: /archive says so in the chat that it puts away, so that its deletion takes the title along", async () => {
  await using day = await journey({ program: true });
  day.say("Nightjar at dusk");
  await day.shown("You said");
  const [first] = await day.entries();
  day.say("/archive");
  expect((await day.shown("is put away")).text).toContain("Nightjar at dusk");
  day.say("Something else");
  await day.shown("You said: Something else");
  expect(day.holds("Nightjar")).toBe(true);
  expect(await command(day, "delete", first!.conversation)).toBe("Deleted.\n");
  expect(day.holds("Nightjar")).toBe(false);
  expect(day.holds("Something else")).toBe(true);
});
