// The commands as people use them: what each says, does and leaves.
import { expect, it } from "vitest";
import { journey, PATIENT, toldTo, unknownKey } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { except, only, PLATFORMS, SAM } from "./stage.ts";

/** The commands that there are. */
const MENU = [
  ...["new", "stop", "status", "mode", "search", "activity", "apps", "skills", "people", "settings"],
  ...["engine", "archive", "delete", "help"],
];

/** A turn that has begun to say something and waits. */
async function answering(day: Journey, begin = "So far. "): Promise<{ release(): void }> {
  const gate = day.models.gate();
  day.models.reply([begin, { wait: gate }, "And the rest."]);
  day.say("Write something long");
  await day.models.until(() => gate.reached, PATIENT);
  await day.growing();
  return gate;
}

it.concurrent.each(PLATFORMS)(
  "G11, G20: /new starts afresh; the next turn knows nothing of before, which stays in the log (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.say("My secret word is heron");
    await day.shown("heron");
    day.command("new");
    await day.shown("New chat");
    day.say("What is my word?");
    await day.shown("You said: What is my word?");
    expect(toldTo(await day.asked(2))).toEqual(["user: What is my word?"]);
    expect(JSON.stringify(await day.entries())).toContain("heron");
  },
);

it.concurrent.each(PLATFORMS)(
  "G12: /new stops the turn that runs; what it had said stands above the new chat, and nothing of it below (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    await answering(day);
    day.command("new");
    const line = await day.shown("New chat");
    await day.settled();
    day.say("Next");
    await day.shown("You said: Next");
    expect(toldTo(await day.asked(2))).toEqual(["user: Next"]);
    expect(day.models.requests[0]?.aborted).toBe(true);
    expect(day.texts().slice(day.texts().indexOf(line.text))).toEqual([line.text, "You said: Next"]);
    expect(day.texts()).toEqual(["So far.", "Stopped.", line.text, "You said: Next"]);
  },
);

it.concurrent.each(PLATFORMS)(
  "G13, D27: /stop ends the turn at once, keeps what was said and says that it was stopped; with nothing running it says so (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    await answering(day);
    day.command("stop");
    await day.shown("Stopped.");
    await day.settled();
    expect(day.texts()).toEqual(["So far.", "Stopped."]);
    expect(day.models.requests[0]?.aborted).toBe(true);
    day.command("stop");
    await day.shown("Nothing is running.");
    day.say("Go on");
    await day.shown("You said: Go on");
  },
);

// The other platforms have no draft with a button of its own: there a message grows, with a button of ours (T23, below).
it.concurrent.each(only("telegram"))("G13, T21: the draft's own stop button does the same (%s)", async (on) => {
  await using day = await journey({ on, pace: { draftMs: 0 } });
  await answering(day);
  day.telegram.stopDraft(Number(day.on.id(SAM)));
  await day.shown("Stopped.");
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped."]);
});

it.concurrent.each(PLATFORMS)(
  "G13, G1: /stop right behind a message that still waits to be joined stops that one too (%s)",
  async (on) => {
    await using day = await journey({ on, joinWithinMs: 500 });
    const gate = day.models.gate();
    day.models.always([{ wait: gate }, "Too late."]);
    day.say("Do it");
    day.command("stop");
    await day.until(() => day.sent().length > 0);
    await day.settled();
    expect(day.texts()).toEqual(["Stopped."]);
  },
);

it.concurrent.each(PLATFORMS)(
  "G14: /help lists exactly the commands of the menu, a line each, also as /start (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.command("help");
    const help = await day.shown(day.cmd("new"));
    expect(day.listed(help)).toEqual(MENU);
    expect(day.on.facts.setsMenu ? await day.until(() => day.on.menu) : MENU).toEqual(MENU);
    day.command("start", { typed: true });
    expect((await day.shown(day.cmd("new"), { after: help })).text).toBe(help.text);
    await day.settled();
    expect(day.models.requestCount).toBe(0);
  },
);

it.concurrent.each(PLATFORMS)(
  "G15, E7: /status during a turn shows engine, what runs and waits, usage, and the channel (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    day.models.reply(["Hello.", { usage: { input: 1200, output: 34 } }]);
    day.say("Plan the garden");
    await day.shown("Hello.");
    const gate = await answering(day);
    day.say("and this");
    await day.shown("answer that next");
    day.command("status");
    const status = await day.shown("Engine");
    expect(status.text).toContain("Plan the garden");
    expect(status.text).toMatch(/Engine: local/);
    expect(status.text).toMatch(/answering.*wait/);
    expect(status.text).toContain("1,200 tokens in, 34 out, in 1 answer");
    expect(status.text).toContain(`${day.on.facts.label}: connected`);
    gate.release();
    await day.shown("You said: and this");
  },
);

it.concurrent.each(PLATFORMS)(
  "G16, D10: /engine shows a choice; a press takes it once, and a later press is answered in words (%s)",
  async (on) => {
    await using day = await journey({
      on,
      engines: { small: { model: "small-model" }, large: { model: "large-model" } },
    });
    day.command("engine");
    const card = await day.shown("Which engine");
    expect(day.labels(card)).toEqual(["small (now)", "large"]);
    const first = card.buttons[0]![0]!.data!;
    day.press(card, "large");
    await day.becomes(card, "answered by large");
    expect(day.now(card)?.buttons).toEqual([]);
    const second = day.pressData(card, first);
    expect(await day.answered(second)).toBe("That was already answered.");
    day.say("Hi");
    await day.shown("You said: Hi");
    expect(day.models.last?.model).toBe("large-model");
    day.command("engine smal");
    expect((await day.shown("no engine")).text).toContain("Did you mean small?");
    day.command("engine SMALL");
    await day.shown("answered by small");
    day.say("Hi again");
    await day.shown("You said: Hi again");
    expect(day.models.last?.model).toBe("small-model");
  },
);

it.concurrent.each(PLATFORMS)(
  "G16: during a turn the engine is not switched, neither by name nor by a press (%s)",
  async (on) => {
    await using day = await journey({
      on,
      engines: { small: {}, large: { model: "large-model" } },
      pace: { draftMs: 0 },
    });
    day.command("engine");
    const card = await day.shown("Which engine");
    const gate = await answering(day);
    day.command("engine large");
    await day.shown("can't switch");
    const press = day.press(card, "large");
    expect(await day.answered(press)).toContain("Not while");
    gate.release();
    await day.shown("And the rest.");
    await day.settled();
    // Nothing was taken: the same button works now.
    day.press(card, "large");
    await day.becomes(card, "answered by large");
  },
);

// Only Telegram sends a press of a message that it no longer has: without the message.
it.concurrent.each(only("telegram"))(
  "T33: a press of a message that is too old to come along works (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { small: {}, large: {} } });
    day.command("engine");
    const card = await day.shown("Which engine");
    const sam = Number(day.on.id(SAM));
    const press = day.telegram.press(sam, sam, Number(card.id), "large", { inaccessible: true });
    await day.answer(press);
    await day.becomes(card, "answered by large");
  },
);

it.concurrent.each(PLATFORMS)(
  "D10, T33: buttons work after a restart; unknown and outdated ones are answered in words (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { small: {}, large: {} } });
    day.command("engine");
    const card = await day.shown("Which engine");
    for (const button of card.buttons.flat()) expect(Buffer.byteLength(button.data ?? "")).toBeLessThanOrEqual(64);
    await day.restart();
    const press = day.press(card, "large");
    await day.answer(press);
    await day.becomes(card, "answered by large");
    const unknown = day.pressData(card, unknownKey(card));
    expect(await day.answered(unknown)).toBe("That button is no longer in use.");
  },
);

it.concurrent.each(PLATFORMS)(
  "G17: /archive puts the chat away, still there to export, and the next message starts a new one (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.say("Old matters");
    await day.shown("You said: Old matters");
    day.command("archive");
    expect((await day.shown("put away")).text).toContain("“Old matters”");
    day.say("New matters");
    await day.shown("You said: New matters");
    expect(toldTo(await day.asked(2))).toEqual(["user: New matters"]);
    const entries = await day.entries();
    expect(JSON.stringify(entries)).toContain("Old matters");
    await day.settled();
  },
);

it.concurrent.each(PLATFORMS)("G18: /delete asks; Keep leaves everything as it was (%s)", async (on) => {
  await using day = await journey({ on });
  day.say("Keep me");
  await day.shown("You said: Keep me");
  day.command("delete");
  const card = await day.shown("for good");
  day.press(card, "Keep it");
  await day.becomes(card, "is kept");
  day.say("What now?");
  await day.shown("You said: What now?");
  expect(toldTo(await day.asked(2))).toHaveLength(3);
});

it.concurrent.each(PLATFORMS)(
  "G18, D34: Delete leaves no byte of the chat in the data folder, files and half-shown text included, and says so (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { local: { images: true } }, groups: "mention" });
    const side = day.side("Other");
    day.mention("This stays: albatross", { in: side });
    await day.shown("albatross", { in: side });
    day.models.reply("The answer holds kingfisher and more.");
    day.say("wagtail in words", {
      photo: { bytes: new TextEncoder().encode("nightjar-bytes"), name: "goldcrest.jpg" },
    });
    await day.shown("kingfisher");
    const edited = day.say("siskin");
    await day.shown("You said: siskin");
    day.edit(edited, "redstart");
    await day.settled();
    const traces = ["kingfisher", "wagtail", "nightjar-bytes", "siskin", "redstart"];
    expect(traces.filter((word) => day.holds(word))).toEqual(traces);
    day.command("delete");
    const card = await day.shown("for good");
    const first = card.buttons[0]![0]!.data!;
    const press = day.press(card, "Delete it");
    expect(await day.answered(press)).toBe("Deleted.");
    expect(traces.filter((word) => day.holds(word))).toEqual([]);
    expect(day.holds("albatross")).toBe(true);
    await day.settled();
    expect(day.now(card)).toMatchObject({ text: "Deleted.", buttons: [] });
    await day.shown("That chat is deleted: its messages, its files and all that was kept of it here.");
    day.say("Anything left?");
    await day.shown("You said: Anything left?");
    expect(toldTo(day.models.last!)).toEqual(["user: Anything left?"]);
    // A press of the card that is gone, as from another device that has not yet seen the edit.
    const late = day.pressData(card, first);
    expect(await day.answered(late)).toBe("That button is no longer in use.");
  },
);

it.concurrent.each(PLATFORMS)(
  "G18, D34: Delete during a turn ends it, and nothing of it comes back (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    day.command("delete");
    await day.shown("no chat here to delete");
    day.say("First");
    await day.shown("You said: First");
    day.command("delete");
    const card = await day.shown("for good");
    const gate = await answering(day, "Oystercatcher so far. ");
    const press = day.press(card, "Delete it");
    expect(await day.answered(press)).toBe("Deleted.");
    gate.release();
    await day.settled();
    expect(day.holds("Oystercatcher")).toBe(false);
    expect(day.texts().at(-1)).toContain("That chat is deleted");
  },
);

// Discord takes only commands that there are; words that look like one are words (F24).
it.concurrent.each(except("discord"))(
  "G19: an unknown command is answered with the nearest and reaches no engine (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.command("stauts please");
    const cmd = (name: string): string => day.cmd(name);
    expect((await day.shown("stauts")).text).toBe(
      `I know no command stauts. Did you mean ${cmd("status")}? ${cmd("help")} lists what I know.`,
    );
    day.command("xyzzyplugh");
    expect((await day.shown("xyzzy")).text).toBe(`I know no command xyzzyplugh. ${cmd("help")} lists what I know.`);
    await day.settled();
    expect(day.models.requestCount).toBe(0);
  },
);

it.concurrent.each(PLATFORMS)(
  "G20, T36: a title is the first words, one line, at most 60 graphemes, without the bot's token (%s)",
  async (on) => {
    await using day = await journey({ on });
    const [token] = day.on.secrets;
    day.say(`My token is ${token}\nand 👩‍👩‍👧‍👦`);
    await day.shown("You said");
    day.command("status");
    const status = await day.shown("Engine");
    expect(status.text.split("\n")[0]).toBe("My token is [hidden] and 👩‍👩‍👧‍👦");
    day.command("new");
    await day.shown("New chat");
    day.say("👩‍👩‍👧‍👦".repeat(80));
    await day.shown("👩‍👩‍👧‍👦".repeat(80));
    day.command("status");
    const title = (await day.shown("Engine", { after: status })).text.split("\n")[0]!;
    expect([...new Intl.Segmenter().segment(title)].length).toBe(60);
  },
);

it.concurrent.each(PLATFORMS)(
  "G20: a chat that begins with a file has a title that says where and when (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.say("", { document: { bytes: new Uint8Array([1, 2, 3]), name: "notes.bin" } });
    await day.shown("You said");
    day.command("status");
    expect((await day.shown("Engine")).text.split("\n")[0]).toMatch(
      new RegExp(String.raw`^Sam on ${day.on.facts.label}, \d{4}-\d\d-\d\d$`, "u"),
    );
  },
);

it.concurrent.each(PLATFORMS)(
  "G16, G44: a chat whose engine is no longer in the config says so, and another can be chosen (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { small: {}, large: {} } });
    day.command("engine large");
    await day.shown("answered by large");
    await day.restart({ engines: { small: {} } });
    day.say("Hi");
    expect((await day.shown("no longer in the config")).text).toBe(
      `The engine of this chat, large, is no longer in the config. Choose another with ${day.cmd("engine")}.`,
    );
    day.command("engine small");
    await day.shown("answered by small");
    day.say("Hi again");
    await day.shown("You said: Hi again");
  },
);
