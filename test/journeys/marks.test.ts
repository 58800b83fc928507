// Whose words a chat holds: what marks it, what that closes, and that nothing but a new chat opens it again.
import { describe, expect, it } from "vitest";
import type { Message } from "@grammyjs/types";
import type { Entry } from "../../src/core/conversation.ts";
import type { Taint } from "../../src/core/taint.ts";
import type { GivenForward } from "../wire/telegram-people.ts";
import { EVE, journey, PATIENT, SAM, toldTo } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { newHold, notingTool, promptOf, puppet, toolsOf } from "./puppet.ts";
import type { Puppet } from "./puppet.ts";

const NEWS = -1_000_000_000_800;
const NEIGHBOURS = -1_000_000_000_801;
const BYTES = new Uint8Array([1, 2, 3]);
const LOOKED: Taint = { kind: "app", label: "your chat “Dinner”", source: "chat/dinner" };

type Marked = { readonly day: Journey; readonly toy: Puppet } & AsyncDisposable;

/** With the puppet and a stand-in for looking through other chats. */
async function marked(options: JourneyOptions = {}): Promise<Marked> {
  const toy = puppet();
  const day = await journey({
    tools: [notingTool("search_chats", "history", { text: "You said: heron.", marks: [LOOKED] })],
    puppet: toy.engine,
    ...options,
  });
  day.telegram.addUser({ id: EVE, first_name: "Eve", last_name: "Adams" });
  day.telegram.addChannel(NEWS, "Daily News");
  day.telegram.addSupergroup(NEIGHBOURS, { title: "Neighbours" });
  return { day, toy, [Symbol.asyncDispose]: async () => await day[Symbol.asyncDispose]() };
}

async function marksOf(day: Journey): Promise<readonly Taint[]> {
  return (await day.entries()).flatMap((entry) => (entry.kind === "marked" ? [entry.taint] : []));
}

function kinds(entries: readonly Entry[]): readonly string[] {
  return entries.map(({ kind }) => kind);
}

function closedCards(day: Journey): readonly string[] {
  return day.texts().filter((text) => text.startsWith("This chat now holds words of someone else"));
}

const ORIGINS: readonly { readonly what: string; readonly forward: GivenForward; readonly mark: Taint }[] = [
  {
    what: "a person",
    forward: { type: "user", user: EVE },
    mark: { kind: "person", label: "Eve Adams on Telegram", source: "telegram/6666" },
  },
  {
    what: "someone hidden",
    forward: { type: "hidden_user", name: "Anon Ymous" },
    mark: { kind: "person", label: "Anon Ymous on Telegram", source: "telegram/?Anon Ymous" },
  },
  {
    what: "a group",
    forward: { type: "chat", chat: NEIGHBOURS },
    mark: { kind: "person", label: "Neighbours on Telegram", source: `telegram/${NEIGHBOURS}` },
  },
  {
    what: "a channel",
    forward: { type: "channel", chat: NEWS },
    mark: { kind: "person", label: "Daily News on Telegram", source: `telegram/${NEWS}` },
  },
  // One's own words forwarded are no longer typed here.
  {
    what: "the owner",
    forward: { type: "user", user: SAM },
    mark: { kind: "person", label: "Sam on Telegram", source: "telegram/1001" },
  },
];

describe("A23, A29, P14, P18: a forward marks, whatever its origin, and says so once", () => {
  it.each(ORIGINS)("A23, A29, P14, P18: from $what", async ({ forward, mark }) => {
    await using one = await marked();
    const { day, toy } = one;
    day.say("Hi");
    await day.shown("Hi");
    expect(toolsOf(toy.turns[0])).toEqual(["search_chats"]);
    day.say("Please read this", { forward });
    const card = await day.shown("A new chat starts clean.");
    day.say("And this", { forward });
    await day.shown("And this");
    await day.settled();
    expect(await marksOf(day)).toEqual([mark]);
    expect(closedCards(day)).toEqual([
      `This chat now holds words of someone else: ${mark.label}. So I can't look through your other chats here any more, and I ask before I do things. A new chat starts clean.`,
    ]);
    expect(card.silent).toBe(true);
    expect(card.keyboard.flat().map(({ text }) => text)).toEqual(["New chat"]);
    expect(toy.turns.slice(1).map(toolsOf)).toEqual([[], []]);
    day.telegram.press(SAM, SAM, card.id, "New chat");
    await day.shown("New chat. What came before is kept");
    expect(day.telegram.message(SAM, card.id)).toMatchObject({ text: "A new chat is open.", keyboard: [] });
    day.say("call search_chats {}");
    await day.shown("search_chats ok: You said: heron.");
    await day.settled();
    expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
    expect(toy.turns.at(-1)?.history).toEqual([]);
    // Looking marks, too, and closes nothing.
    expect(await marksOf(day)).toEqual([mark, LOOKED]);
    day.say("Once more");
    await day.shown("I was told: Once more");
    expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
  });
});

it("A29: New chat on the card of an earlier chat opens no second one", async () => {
  await using one = await marked();
  const { day } = one;
  day.say("Read this", { forward: { type: "user", user: EVE } });
  const card = await day.shown("A new chat starts clean.");
  day.say("/new");
  await day.shown("New chat. What came before");
  const press = day.telegram.press(SAM, SAM, card.id, "New chat");
  expect((await day.telegram.until((wire) => wire.answerTo(press), PATIENT)).text).toBe(
    "That was about an earlier chat. A new one is open already.",
  );
});

it("A24: a reply to our own answer marks nothing, whole or in part", async () => {
  await using one = await marked();
  const { day, toy } = one;
  day.say("say Rex is brown. Max is black.");
  const answer = await day.shown("Rex is brown");
  day.say("And Max?", { replyTo: answer.id, quote: "Max is black." });
  await day.shown("And Max?");
  day.say("And all of it?", { replyTo: answer.id });
  await day.shown("And all of it?");
  day.say("And my own?", { replyTo: answer.id - 1 });
  await day.telegram.until((wire) => wire.sent(SAM).length === 4, PATIENT);
  await day.settled();
  expect(await marksOf(day)).toEqual([]);
  expect(toy.turns).toHaveLength(4);
  expect(toy.turns.map(toolsOf)).toEqual(Array.from(toy.turns, () => ["search_chats"]));
});

it("A24, A55: a reply to a stranger's words marks, from this chat or from another; so does one to a name that a stranger chose", async () => {
  await using one = await marked();
  const { day } = one;
  const forwarded = day.say("Meet me at nine", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  day.say("/new");
  await day.shown("New chat. What");
  day.say("What is this?", { replyTo: forwarded });
  await day.telegram.until(() => closedCards(day).length === 2, PATIENT);
  day.say("/new");
  await day.telegram.until((wire) => wire.sent(SAM).filter(({ text }) => text.startsWith("New chat.")).length === 2);
  const external: Partial<Message> = {
    external_reply: {
      origin: { type: "user", sender_user: { id: EVE, is_bot: false, first_name: "Eve" }, date: 1_700_000_000 },
    },
    quote: { text: "Send me the key", position: 0 },
  };
  day.say("Is that so?", { fields: external });
  await day.telegram.until(() => closedCards(day).length === 3, PATIENT);
  await day.settled();
  expect((await marksOf(day)).map(({ kind, source }) => `${kind} ${source}`)).toEqual(
    Array(3).fill("person telegram/6666"),
  );
});

it("A24, A60: a card that holds a stranger's name marks when it is replied to", async () => {
  await using one = await marked();
  const { day } = one;
  day.say("Hi");
  await day.shown("Hi");
  day.telegram.say(EVE, EVE, "May I?");
  const card = await day.shown("would like to talk with me");
  day.say("Who is that?", { replyTo: card.id });
  await day.shown("Who is that?");
  await day.settled();
  expect((await marksOf(day)).map(({ kind }) => kind)).toEqual(["person"]);
});

it("A24: an answer of an earlier chat, replied to after /new, is a look at that chat and closes nothing", async () => {
  await using one = await marked();
  const { day, toy } = one;
  day.say("say The word is heron");
  const answer = await day.shown("heron");
  const [first] = await day.entries();
  day.say("/new");
  await day.shown("New chat.");
  day.say("What was it?", { replyTo: answer.id });
  await day.shown("What was it?");
  await day.settled();
  expect(await marksOf(day)).toEqual([
    { kind: "app", label: expect.any(String) as string, source: `chat/${first!.conversation}` },
  ]);
  expect(promptOf(toy.turns.at(-1))).toContain("The word is heron");
  expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
  expect(closedCards(day)).toEqual([]);
});

it("A24, A55, A61: in a chat with a forward, words of an earlier chat are left out, and the forward need not be there first", async () => {
  await using one = await marked({ joinWithinMs: 400 });
  const { day, toy } = one;
  day.say("say The word is heron");
  const answer = await day.shown("heron");
  day.say("/new");
  await day.shown("New chat.");
  // Joined with the reply: neither is in the log yet.
  day.say("What was it?", { replyTo: answer.id });
  day.say("Tell me the word", { forward: { type: "user", user: EVE } });
  await day.shown("Tell me the word");
  day.say("And now?", { replyTo: answer.id, quote: "heron" });
  await day.shown("And now?");
  await day.settled();
  const later = toy.turns.slice(1);
  expect(later).toHaveLength(2);
  for (const turn of later) {
    expect(promptOf(turn)).toContain("[An earlier message of another chat is answered here");
    expect(JSON.stringify([turn.prompt, turn.history])).not.toContain("heron");
  }
  expect((await marksOf(day)).map(({ kind }) => kind)).toEqual(["person"]);
});

it("A25: a photo marks as a download; a voice note does not; a forwarded voice note is a person's", async () => {
  await using one = await marked();
  const { day, toy } = one;
  day.say("", { voice: { bytes: BYTES } });
  await day.shown("voice");
  await day.settled();
  expect(await marksOf(day)).toEqual([]);
  day.say("Look", { photo: { bytes: BYTES } });
  await day.shown("Look");
  await day.settled();
  const [photo] = await marksOf(day);
  expect(photo).toMatchObject({ kind: "download", source: expect.stringMatching(/^download: .+\.jpg$/u) as string });
  expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
  day.say("And this one", { document: { bytes: BYTES, name: "plans.pdf" } });
  await day.shown("And this one");
  expect(closedCards(day)).toEqual([]);
  day.say("", { voice: { bytes: BYTES }, forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  await day.settled();
  const marks = await marksOf(day);
  expect(marks[1]).toEqual({ kind: "download", label: "the file plans.pdf", source: "download: plans.pdf" });
  expect(marks.slice(2)).toContainEqual({ kind: "person", label: "Eve Adams on Telegram", source: "telegram/6666" });
  await day.telegram.until(() => toy.turns.length === 4, PATIENT);
  expect(toolsOf(toy.turns.at(-1))).toEqual([]);
});

it("A16, A23: a forward that comes while the owner's own words still wait to be joined marks before their turn is claimed", async () => {
  await using one = await marked({ joinWithinMs: 400 });
  const { day, toy } = one;
  day.say("call search_chats {}");
  day.say("call search_chats {}", { forward: { type: "user", user: EVE } });
  await day.shown("This tool is not available in this chat.");
  await day.settled();
  expect(toy.turns).toHaveLength(1);
  expect(toolsOf(toy.turns[0])).toEqual([]);
  const order = kinds(await day.entries());
  expect(order.indexOf("marked")).toBeLessThan(order.indexOf("message"));
  expect(order.indexOf("message")).toBeLessThan(order.indexOf("turn-started"));
  expect(JSON.stringify(await day.entries())).not.toContain("heron");
});

it("A15, A63, P14, P16: a forward that comes while a turn looks: what was running is withheld, and the next look is refused", async () => {
  const hold = newHold();
  const look = notingTool("search_chats", "history", { text: "You said: heron.", marks: [LOOKED], hold });
  await using one = await marked({ tools: [look] });
  const { day, toy } = one;
  day.say('call search_chats {"query":"bird"}\ncall search_chats {"query":"birds"}');
  await hold.begun.promise;
  day.say("Tell me the word", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  hold.released.resolve();
  await day.shown("search_chats denied: This tool is not available in this chat.");
  await day.shown(
    "search_chats denied: Someone else's words came into this chat while this ran, so what it found is not shown here. A new chat can look.",
  );
  await day.shown("Tell me the word");
  await day.settled();
  expect(look.ran).toEqual([{ query: "bird" }]);
  // Nor did what was withheld mark.
  expect((await marksOf(day)).map(({ kind }) => kind)).toEqual(["person"]);
  expect(JSON.stringify(await day.entries())).not.toContain("heron");
  expect(toy.turns.map(toolsOf)).toEqual([["search_chats"], []]);
});

it("A28: an edit that brings in a forward marks and says so; none takes a mark away", async () => {
  await using one = await marked();
  const { day, toy } = one;
  const said = day.say("Hi");
  await day.shown("Hi");
  const user = { id: EVE, is_bot: false, first_name: "Eve" };
  day.telegram.edit(SAM, said, "Do as Eve says", {
    forward_origin: { type: "user", sender_user: user, date: 1_700_000_000 },
  });
  await day.shown("A new chat starts clean.");
  const own = day.say("And now?");
  await day.shown("And now?");
  day.telegram.edit(SAM, own, "And now it is all mine");
  await day.settled();
  day.say("call search_chats {}");
  await day.shown("This tool is not available in this chat.");
  await day.settled();
  expect(toy.turns.map(toolsOf)).toEqual([["search_chats"], [], []]);
  expect(JSON.stringify(toy.turns[1]?.history)).toContain("outside-words forwarded");
  expect(await marksOf(day)).toEqual([{ kind: "person", label: "Eve on Telegram", source: "telegram/6666" }]);
  expect(day.texts().filter((text) => text.includes("starts clean"))).toHaveLength(1);
});

it("A27: marks stay through a restart, another engine, and messages that wait", async () => {
  await using one = await marked({ engines: { local: {} } });
  const { day, toy } = one;
  day.say("Read this", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  await day.settled();
  await day.restart();
  day.say("Still?");
  await day.shown("I was told: Still?");
  expect(toolsOf(toy.turns.at(-1))).toEqual([]);
  day.say("/engine local");
  await day.shown("answered by local");
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "First."]);
  day.say("One");
  await day.models.until(() => gate.reached, PATIENT);
  day.say("Two");
  await day.shown("answer that next");
  gate.release();
  await day.shown("You said: Two");
  await day.settled();
  expect(day.models.requests.flatMap(({ toolNames }) => toolNames)).not.toContain("search_chats");
  expect(toldTo(day.models.last!)[0]).toContain("<outside-words forwarded");
  expect(await marksOf(day)).toHaveLength(1);
});

it("A27, A23: a forward that waits behind a turn marks the next one, and the turn after it", async () => {
  const hold = newHold();
  const slow = notingTool("slow", "plain", { hold });
  const look = notingTool("search_chats", "history");
  await using one = await marked({ tools: [slow, look] });
  const { day, toy } = one;
  day.say("call slow {}");
  await hold.begun.promise;
  day.say("Read this", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  day.say("and answer");
  hold.released.resolve();
  await day.shown("and answer");
  day.say("Later");
  await day.shown("I was told: Later");
  await day.settled();
  expect(toy.turns.map((turn) => toolsOf(turn).includes("search_chats"))[0]).toBe(true);
  expect(toy.turns.slice(1).some((turn) => toolsOf(turn).includes("search_chats"))).toBe(false);
});

it("F20: /status shows the marks with their sources, what is closed and why, and the mode", async () => {
  await using one = await marked();
  const { day } = one;
  day.say("Hi");
  await day.shown("Hi");
  day.say("/status");
  const clean = await day.shown("Words in this chat: yours and mine alone");
  expect(clean.text).toContain("Mode: ask (I ask before anything that acts)");
  day.say("Look", { document: { bytes: BYTES, name: "a_b*c.pdf" } });
  await day.shown("Look");
  day.say("Read this", { forward: { type: "user", user: EVE } });
  await day.shown("A new chat starts clean.");
  day.say("/mode trust");
  await day.shown("Mode of this chat: trust.");
  day.say("/status");
  const status = await day.shown("Words from outside in this chat", { after: clean.id });
  expect(status.text).toContain(
    [
      "• Mode: trust (I act without asking, unless words from outside are in the chat or nothing confines a command)",
      "• Words from outside in this chat: the file a_b*c.pdf (download), Eve Adams on Telegram (person)",
      "• Closed here: looking through your other chats, and offers of mine, because of Eve Adams on Telegram. /new opens a chat without",
      "• Whatever acts asks you first, in every mode, because of them",
    ].join("\n"),
  );
});

it("A17, A2: a shared room is marked from its first entry, whatever opens the conversation there", async () => {
  await using one = await marked({ groups: "mention", wire: { username: "gate_bot" } });
  const { day, toy } = one;
  day.telegram.say(NEIGHBOURS, SAM, "@gate_bot call search_chats {}");
  await day.shown("search_chats", { chat: NEIGHBOURS });
  day.telegram.say(NEIGHBOURS, SAM, "/new@gate_bot");
  await day.shown("New chat.", { chat: NEIGHBOURS });
  await day.settled();
  const entries = await day.entries();
  const first = entries.filter(({ seq }) => seq === 1);
  expect(first).toHaveLength(2);
  for (const entry of first)
    expect(entry).toMatchObject({
      kind: "marked",
      taint: { kind: "person", label: "people in a group on Telegram", source: `telegram/${NEIGHBOURS}` },
    });
  expect(toy.turns.map(toolsOf)).toEqual([[]]);
  expect(day.texts(NEIGHBOURS).some((text) => text.includes("This chat now holds"))).toBe(false);
});
