// Deleting a chat for good: its files, its words wherever they came from, and what happens when the disk or a crash is in the way.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { DEEP } from "../deep.ts";
import { journey, unknownKey } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { EVE, except, only, PLATFORMS, SAM, standing } from "./stage.ts";
import type { PlatformName } from "./stage.ts";

const launcher = fileURLToPath(new URL("../../tidegate", import.meta.url));
const run = promisify(execFile);
const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);

/** As the real program on one platform; elsewhere in this process, which starts sooner, but for `npm run test:deep`. */
const isProgram = (on: PlatformName): boolean => DEEP || on === "telegram";

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
  day.command("delete");
  const card = await day.shown("for good?");
  day.press(card, "Delete it");
  await day.shown("That chat is deleted");
}

/** Waits until what was sent before is done with: a command that keeps to the order was answered behind it. */
async function caughtUp(day: Journey): Promise<void> {
  const after = day.on.last(day.place(SAM));
  day.command("engine");
  await day.shown("is answered by", { after });
}

/** What is kept of the raw updates, oldest first. */
function rawRows(
  day: Journey,
): readonly { readonly done: number; readonly outcome: string; readonly raw: string | null }[] {
  using kept = new DatabaseSync(join(day.data, "tidegate.db"), { readOnly: true });
  return kept.prepare("SELECT done, outcome, raw FROM inbound ORDER BY id").all() as never;
}

const filesOf = (day: Journey): readonly string[] =>
  readdirSync(join(day.data, "work"), { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));

it.concurrent.each(PLATFORMS)(
  "D34: when the data file can't be rewritten, the person is told all the same, files are gone, and the next start does the rest (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.say("What is this ptarmigan?", { photo: { bytes: PICTURE, name: "bird.jpg" } });
    await day.shown("You said");
    await day.settled();
    expect(filesOf(day)).toHaveLength(1);
    {
      // Another program that goes on reading an old state of the file.
      using reader = new DatabaseSync(join(day.data, "tidegate.db"), { readOnly: true });
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM entry").get();
      day.command("delete");
      const card = await day.shown("for good?");
      const press = day.press(card, "Delete it");
      // Rewriting waits for the reader before it gives up.
      const patient = { timeoutMs: 40_000 };
      expect(await day.on.until(() => day.on.answerTo(press)?.text, patient)).toBe("Deleted.");
      await day.shown("That chat is deleted");
      expect(filesOf(day)).toEqual([]);
      await day.becomes(card, /^Deleted\.$/u);
      expect(day.notes).toContain("its last traces in the data file go at the next start");
    }
    await day.settled();
    expect(JSON.stringify(await day.entries())).not.toContain("ptarmigan");
    await day.restart();
    expect(day.holds("ptarmigan")).toBe(false);
  },
  90_000,
);

it.concurrent.each(PLATFORMS)(
  "D34: a folder that a crash in the middle of a deletion left is swept at the next start, and no other (%s)",
  async (on) => {
    await using day = await journey({ on });
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
  },
);

it.concurrent.each(PLATFORMS)(
  "D34, D5: an edit that changed no words, and one after the deletion, bring nothing of the chat back (%s)",
  async (on) => {
    await using day = await journey({ on, program: isProgram(on) });
    const said = day.say("My word is ptarmigan");
    await day.shown("You said");
    day.edit(said, "My word is ptarmigan");
    await caughtUp(day);
    expect(day.holds("ptarmigan")).toBe(true);
    await deleteHere(day);
    expect(day.holds("ptarmigan")).toBe(false);

    day.edit(said, "My word was ptarmigan, not capercaillie");
    await caughtUp(day);
    expect(JSON.stringify(await day.entries())).not.toContain('"edited"');
    // What was overwritten is out of the write-ahead log when that is cut, at the latest by a stop.
    await day.stop();
    expect(["ptarmigan", "capercaillie"].filter((word) => day.holds(word))).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)(
  "D34, D5: what an update that belongs to no chat held is forgotten at once, and only its key and its outcome stay (%s)",
  async (on) => {
    await using day = await journey({ on, program: isProgram(on) });
    day.command("mode");
    const card = await day.shown("Mode of this chat");
    // Said to nobody: the chat that held it is gone.
    const gone = day.say("A wryneck");
    await day.shown("You said: A wryneck");
    await deleteHere(day);
    const before = rawRows(day).length;
    day.edit(gone, "A wryneck, no doubt");
    await caughtUp(day);
    day.say("hawfinch", { by: EVE });
    await day.until(() => day.sent(EVE).length === 1);
    await day.answer(day.pressData(card, unknownKey(card)));
    await caughtUp(day);
    expect(
      rawRows(day)
        .slice(before)
        .filter(({ outcome }) => outcome !== "/engine"),
    ).toEqual([
      { done: 1, outcome: "edit of something not in the log", raw: null },
      { done: 1, outcome: "turned away", raw: null },
      { done: 1, outcome: "That button is no longer in use.", raw: null },
    ]);
    await day.stop();
    expect(["wryneck", "hawfinch"].filter((word) => day.holds(word))).toEqual([]);
  },
);

// Elsewhere what is for others is not kept at all.
it.concurrent.each(only("telegram"))("D34, D5: what is for another bot is forgotten at once (%s)", async (on) => {
  await using day = await journey({ on, program: isProgram(on) });
  day.say("/status@other_bot bluethroat");
  await caughtUp(day);
  expect(rawRows(day)[0]).toEqual({ done: 1, outcome: expect.stringMatching(/^ignored: /u), raw: null });
  await day.stop();
  expect(day.holds("bluethroat")).toBe(false);
});

// Discord tells of whole servers: what can't be understood may be anybody's words, and is noted without them.
it.concurrent.each(except("discord"))(
  "D5: an update that can't be understood is kept for a look, done with its reason, and what follows is answered (%s)",
  async (on) => {
    await using day = await journey({ on, program: isProgram(on) });
    day.on.garble("garganey");
    day.say("Hello");
    await day.shown("You said: Hello");
    await day.stop();
    const [malformed] = rawRows(day);
    expect(malformed).toMatchObject({ done: 1, outcome: expect.stringMatching(/^malformed: .+/u) });
    expect(malformed?.raw).toContain("garganey");
  },
);

it.concurrent.each(standing("slack"))(
  "D34, G17: /archive says so in the chat that it puts away, so that its deletion takes the title along (%s)",
  async (on) => {
    await using day = await journey({ on, program: true });
    day.say("Nightjar at dusk");
    await day.shown("You said");
    const [first] = await day.entries();
    day.command("archive");
    expect((await day.shown("is put away")).text).toContain("Nightjar at dusk");
    day.say("Something else");
    await day.shown("You said: Something else");
    expect(day.holds("Nightjar")).toBe(true);
    expect(await command(day, "delete", first!.conversation)).toBe("Deleted.\n");
    expect(day.holds("Nightjar")).toBe(false);
    expect(day.holds("Something else")).toBe(true);
  },
);
