// Whose words a chat holds: what marks it, what that closes, and that nothing but a new chat opens it again.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/core/conversation.ts";
import type { Taint } from "../../src/core/taint.ts";
import { journey, PATIENT, toldTo } from "./gateway.ts";
import { newHold, notingTool, promptOf, puppet, toolsOf } from "./puppet.ts";
import type { Puppet } from "./puppet.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { EVE, except, FORWARDS, only, PLATFORMS, SAM } from "./stage.ts";
import type { Forward, ForwardKind } from "./stage.ts";

const BYTES = new Uint8Array([1, 2, 3]);
const LOOKED: Taint = { kind: "app", label: "your chat “Dinner”", source: "chat/dinner" };

type Marked = { readonly day: Journey; readonly toy: Puppet } & AsyncDisposable;

/** With the puppet and a stand-in for looking through other chats. */
async function marked(options: JourneyOptions): Promise<Marked> {
  const toy = puppet();
  const day = await journey({
    tools: [notingTool("search_chats", "history", { text: "You said: heron.", marks: [LOOKED] })],
    puppet: toy.engine,
    ...options,
  });
  day.meet(EVE, "Eve Adams");
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

/** What is forwarded, by whose words it is. */
const GIVEN: Readonly<Record<ForwardKind, (day: Journey) => Forward>> = {
  person: () => ({ of: EVE }),
  hidden: () => ({ hidden: "Anon Ymous" }),
  group: (day) => ({ group: day.group }),
  channel: (day) => ({ channel: day.on.channel("Daily News") }),
  // One's own words forwarded are no longer typed here.
  owner: () => ({ of: SAM }),
};

describe("A23, A29, P14, P18: a forward marks, whatever its origin, and says so once", () => {
  it.each(FORWARDS)("A23, A29, P14, P18: from $what ($on)", async ({ what, on }) => {
    await using one = await marked({ on });
    const { day, toy } = one;
    const forward = GIVEN[what](day);
    const { label, source } = day.on.outside(forward);
    const mark: Taint = { kind: "person", label, source };
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
    expect(card.quiet).toBe(true);
    expect(day.labels(card)).toEqual(["New chat"]);
    expect(toy.turns.slice(1).map(toolsOf)).toEqual([[], []]);
    day.press(card, "New chat");
    await day.shown("New chat. What came before is kept");
    expect(day.now(card)).toMatchObject({ text: "A new chat is open.", buttons: [] });
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

it.each(PLATFORMS)("A29: New chat on the card of an earlier chat opens no second one (%s)", async (on) => {
  await using one = await marked({ on });
  const { day } = one;
  day.say("Read this", { forward: { of: EVE } });
  const card = await day.shown("A new chat starts clean.");
  day.command("new");
  await day.shown("New chat. What came before");
  const press = day.press(card, "New chat");
  expect(await day.answered(press)).toBe("That was about an earlier chat. A new one is open already.");
});

// Slack has no replies: a thread is a room of its own.
it.each(except("slack"))("A24: a reply to our own answer marks nothing, whole or in part (%s)", async (on) => {
  await using one = await marked({ on });
  const { day, toy } = one;
  const own = day.say("say Rex is brown. Max is black.");
  const answer = await day.shown("Rex is brown");
  day.say("And Max?", { replyTo: answer.id, quote: "Max is black." });
  await day.shown("And Max?");
  day.say("And all of it?", { replyTo: answer.id });
  await day.shown("And all of it?");
  day.say("And my own?", { replyTo: own });
  await day.until(() => day.sent().length === 4);
  await day.settled();
  expect(await marksOf(day)).toEqual([]);
  expect(toy.turns).toHaveLength(4);
  expect(toy.turns.map(toolsOf)).toEqual(Array.from(toy.turns, () => ["search_chats"]));
});

it.each(except("slack"))("A24, A55: a reply to a stranger's words marks (%s)", async (on) => {
  await using one = await marked({ on });
  const { day } = one;
  const forwarded = day.say("Meet me at nine", { forward: { of: EVE } });
  await day.shown("A new chat starts clean.");
  day.command("new");
  await day.shown("New chat. What");
  day.say("What is this?", { replyTo: forwarded });
  await day.until(() => closedCards(day).length === 2);
  await day.settled();
  const { source } = day.on.outside({ of: EVE });
  expect((await marksOf(day)).map((mark) => `${mark.kind} ${mark.source}`)).toEqual(Array(2).fill(`person ${source}`));
});

// Only there a reply may be to what stands in another chat.
it.each(only("telegram"))("A24, A55: a reply to a stranger's words in another chat marks (%s)", async (on) => {
  await using one = await marked({ on });
  const { day } = one;
  day.say("Is that so?", { elsewhere: { of: EVE, words: "Send me the key" } });
  await day.shown("A new chat starts clean.");
  await day.settled();
  expect((await marksOf(day)).map(({ kind, source }) => `${kind} ${source}`)).toEqual([`person ${day.key(EVE)}`]);
});

it.each(except("slack"))(
  "A24, A60: a card that holds a stranger's name marks when it is replied to (%s)",
  async (on) => {
    await using one = await marked({ on });
    const { day } = one;
    day.say("Hi");
    await day.shown("Hi");
    day.say("May I?", { by: EVE });
    const card = await day.shown("would like to talk with me");
    day.say("Who is that?", { replyTo: card.id });
    await day.shown("Who is that?");
    await day.settled();
    expect((await marksOf(day)).map(({ kind }) => kind)).toEqual(["person"]);
  },
);

it.each(except("slack"))(
  "A24: an answer of an earlier chat, replied to after /new, is a look at that chat and closes nothing (%s)",
  async (on) => {
    await using one = await marked({ on });
    const { day, toy } = one;
    day.say("say The word is heron");
    const answer = await day.shown("heron");
    const [first] = await day.entries();
    day.command("new");
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
  },
);

it.each(except("slack"))(
  "A24, A55, A61: in a chat with a forward, words of an earlier chat are left out, and the forward need not be there first (%s)",
  async (on) => {
    await using one = await marked({ on, joinWithinMs: 400 });
    const { day, toy } = one;
    day.say("say The word is heron");
    const answer = await day.shown("heron");
    day.command("new");
    await day.shown("New chat.");
    // Joined with the reply: neither is in the log yet.
    day.say("What was it?", { replyTo: answer.id });
    day.say("Tell me the word", { forward: { of: EVE } });
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
  },
);

it.each(PLATFORMS)("A25: a photo and a document mark as downloads, and close nothing (%s)", async (on) => {
  await using one = await marked({ on });
  const { day, toy } = one;
  day.say("Look", { photo: { bytes: BYTES, name: "rose.jpg" } });
  await day.shown("Look");
  await day.settled();
  const [photo] = await marksOf(day);
  expect(photo).toMatchObject({ kind: "download", source: expect.stringMatching(/^download: .+\.jpg$/u) as string });
  expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
  day.say("And this one", { document: { bytes: BYTES, name: "plans.pdf" } });
  await day.shown("And this one");
  await day.settled();
  expect(closedCards(day)).toEqual([]);
  expect(toolsOf(toy.turns.at(-1))).toEqual(["search_chats"]);
  const marks = await marksOf(day);
  expect(marks.slice(1)).toEqual([{ kind: "download", label: "the file plans.pdf", source: "download: plans.pdf" }]);
});

// Elsewhere nothing says for certain that a sound was recorded in the app.
it.each(only("telegram"))("A25: a voice note marks nothing; a forwarded voice note is a person's (%s)", async (on) => {
  await using one = await marked({ on });
  const { day, toy } = one;
  day.say("", { voice: { bytes: BYTES } });
  await day.shown("voice");
  await day.settled();
  expect(await marksOf(day)).toEqual([]);
  day.say("", { voice: { bytes: BYTES }, forward: { of: EVE } });
  await day.shown("A new chat starts clean.");
  await day.settled();
  expect(await marksOf(day)).toContainEqual({ kind: "person", label: "Eve Adams on Telegram", source: day.key(EVE) });
  await day.until(() => toy.turns.length === 2);
  expect(toolsOf(toy.turns.at(-1))).toEqual([]);
});

it.each(PLATFORMS)(
  "A16, A23: a forward that comes while the owner's own words still wait to be joined marks before their turn is claimed (%s)",
  async (on) => {
    await using one = await marked({ on, joinWithinMs: 400 });
    const { day, toy } = one;
    day.say("call search_chats {}");
    day.say("call search_chats {}", { forward: { of: EVE } });
    await day.shown("This tool is not available in this chat.");
    await day.settled();
    expect(toy.turns).toHaveLength(1);
    expect(toolsOf(toy.turns[0])).toEqual([]);
    const order = kinds(await day.entries());
    expect(order.indexOf("marked")).toBeLessThan(order.indexOf("message"));
    expect(order.indexOf("message")).toBeLessThan(order.indexOf("turn-started"));
    expect(JSON.stringify(await day.entries())).not.toContain("heron");
  },
);

it.each(PLATFORMS)(
  "A15, A63, P14, P16: a forward that comes while a turn looks: what was running is withheld, and the next look is refused (%s)",
  async (on) => {
    const hold = newHold();
    const look = notingTool("search_chats", "history", { text: "You said: heron.", marks: [LOOKED], hold });
    await using one = await marked({ on, tools: [look] });
    const { day, toy } = one;
    day.say('call search_chats {"query":"bird"}\ncall search_chats {"query":"birds"}');
    await hold.begun.promise;
    day.say("Tell me the word", { forward: { of: EVE } });
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
  },
);

// Only there a recorded edit has turned into a forward.
it.each(only("telegram"))(
  "A28: an edit that brings in a forward marks and says so; none takes a mark away (%s)",
  async (on) => {
    await using one = await marked({ on });
    const { day, toy } = one;
    const said = day.say("Hi");
    await day.shown("Hi");
    const eve = { id: Number(day.on.id(EVE)), is_bot: false, first_name: "Eve" };
    day.telegram.edit(Number(day.on.id(SAM)), Number(said), "Do as Eve says", {
      forward_origin: { type: "user", sender_user: eve, date: 1_700_000_000 },
    });
    await day.shown("A new chat starts clean.");
    const own = day.say("And now?");
    await day.shown("And now?");
    day.edit(own, "And now it is all mine");
    await day.settled();
    day.say("call search_chats {}");
    await day.shown("This tool is not available in this chat.");
    await day.settled();
    expect(toy.turns.map(toolsOf)).toEqual([["search_chats"], [], []]);
    expect(JSON.stringify(toy.turns[1]?.history)).toContain("outside-words forwarded");
    expect(await marksOf(day)).toEqual([{ kind: "person", label: "Eve on Telegram", source: day.key(EVE) }]);
    expect(day.texts().filter((text) => text.includes("starts clean"))).toHaveLength(1);
  },
);

it.each(PLATFORMS)("A28: editing one's own words takes no mark away (%s)", async (on) => {
  await using one = await marked({ on });
  const { day, toy } = one;
  day.say("Read this", { forward: { of: EVE } });
  await day.shown("A new chat starts clean.");
  const own = day.say("And now?");
  await day.shown("And now?");
  day.edit(own, "And now it is all mine");
  await day.settled();
  day.say("call search_chats {}");
  await day.shown("This tool is not available in this chat.");
  await day.settled();
  expect(JSON.stringify(toy.turns.at(-1)?.history)).toContain("And now it is all mine");
  expect(toolsOf(toy.turns.at(-1))).toEqual([]);
  expect(await marksOf(day)).toHaveLength(1);
});

it.each(PLATFORMS)("A27: marks stay through a restart, another engine, and messages that wait (%s)", async (on) => {
  await using one = await marked({ on, engines: { local: {} } });
  const { day, toy } = one;
  day.say("Read this", { forward: { of: EVE } });
  await day.shown("A new chat starts clean.");
  await day.settled();
  await day.restart();
  day.say("Still?");
  await day.shown("I was told: Still?");
  expect(toolsOf(toy.turns.at(-1))).toEqual([]);
  day.command("engine local");
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

it.each(PLATFORMS)(
  "A27, A23: a forward that waits behind a turn marks the next one, and the turn after it (%s)",
  async (on) => {
    const hold = newHold();
    const slow = notingTool("slow", "plain", { hold });
    const look = notingTool("search_chats", "history");
    await using one = await marked({ on, tools: [slow, look] });
    const { day, toy } = one;
    day.say("call slow {}");
    await hold.begun.promise;
    day.say("Read this", { forward: { of: EVE } });
    await day.shown("A new chat starts clean.");
    day.say("and answer");
    hold.released.resolve();
    await day.shown("and answer");
    day.say("Later");
    await day.shown("I was told: Later");
    await day.settled();
    expect(toy.turns.map((turn) => toolsOf(turn).includes("search_chats"))[0]).toBe(true);
    expect(toy.turns.slice(1).some((turn) => toolsOf(turn).includes("search_chats"))).toBe(false);
  },
);

it.each(PLATFORMS)(
  "F20: /status shows the marks with their sources, what is closed and why, and the mode (%s)",
  async (on) => {
    await using one = await marked({ on });
    const { day } = one;
    day.say("Hi");
    await day.shown("Hi");
    day.command("status");
    const clean = await day.shown("Words in this chat: yours and mine alone");
    expect(clean.text).toContain("Mode: ask (I ask before anything that acts)");
    day.say("Look", { document: { bytes: BYTES, name: "a_b*c.pdf" } });
    await day.shown("Look");
    day.say("Read this", { forward: { of: EVE } });
    await day.shown("A new chat starts clean.");
    day.command("mode trust");
    await day.shown("Mode of this chat: trust.");
    day.command("status");
    const status = await day.shown("Words from outside in this chat", { after: clean });
    const eve = day.on.outside({ of: EVE }).label;
    // Discord takes no stars in names.
    const file = on === "discord" ? "a_bc.pdf" : "a_b*c.pdf";
    expect(status.text).toContain(
      [
        "• Mode: trust (I act without asking, unless words from outside are in the chat or nothing confines a command)",
        `• Words from outside in this chat: the file ${file} (download), ${eve} (person)`,
        `• Closed here: looking through your other chats, and offers of mine, because of ${eve}. ${day.cmd("new")} opens a chat without`,
        "• Whatever acts asks you first, in every mode, because of them",
      ].join("\n"),
    );
  },
);

it.each(PLATFORMS)(
  "A17, A2: a shared room is marked from its first entry, whatever opens the conversation there (%s)",
  async (on) => {
    await using one = await marked({ on, groups: "mention" });
    const { day, toy } = one;
    day.mention("call search_chats {}", { in: day.group });
    await day.shown("search_chats", { in: day.group });
    day.command("new", { in: day.group });
    await day.shown("New chat.", { in: day.group });
    await day.settled();
    const entries = await day.entries();
    const first = entries.filter(({ seq }) => seq === 1);
    expect(first).toHaveLength(2);
    for (const entry of first)
      expect(entry).toMatchObject({
        kind: "marked",
        taint: {
          kind: "person",
          label: `people in a group on ${day.on.facts.label}`,
          source: `${on}/${day.group.chat}`,
        },
      });
    expect(toy.turns.map(toolsOf)).toEqual([[]]);
    expect(day.texts(day.group).some((text) => text.includes("This chat now holds"))).toBe(false);
  },
);
