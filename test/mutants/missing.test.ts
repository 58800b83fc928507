// What only a mutant had asked about: stories that no other test tells.
import { expect, it } from "vitest";
import { emptyCatalog } from "../catalog/empty.ts";
import { Questions } from "../../src/cards/questions.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Origin, Part } from "../../src/core/message.ts";
import type { Taint } from "../../src/core/taint.ts";
import { logEdit } from "../../src/gateway/edits.ts";
import { hear } from "../../src/gateway/hearing.ts";
import { Limits } from "../../src/gateway/limits.ts";
import { openConversation } from "../../src/gateway/opening.ts";
import { chooseEngines } from "../../src/gateway/engine-choice.ts";
import { scrubbedOutlet } from "../../src/gateway/last-hop.ts";
import { press, type PressParts } from "../../src/gateway/presses.ts";
import { answeredApproval, textAnswer } from "../../src/gateway/text-answers.ts";
import { openReadOnly } from "../../src/store/open.ts";
import type { Change } from "../../src/store/port.ts";
import { scrubber } from "../../src/taint/scrub.ts";
import type { Outlet } from "../../src/core/channel.ts";
import type { Live } from "../../src/cards/approvals.ts";
import { couldCarry } from "../../src/taint/carries.ts";
import type { Standing } from "../../src/taint/guard.ts";
import { runTurn } from "../../src/turn/run.ts";
import { toolbox, type ToolboxTurn } from "../../src/turn/toolbox.ts";
import { Approvals } from "../../src/cards/approvals.ts";
import { alone, doorstep, GROUP as ROOM, owner, type Doorstep } from "../gateway/doorstep.ts";
import { journey } from "../journeys/gateway.ts";
import { notingTool, puppet } from "../journeys/puppet.ts";
import { BOB, EVE } from "../journeys/stage.ts";

it("A60, A24: a reply to the line on what was closed, to /status or to /people brings in whose names are there", async () => {
  await using day = await journey();
  day.meet(EVE, "Eve");
  day.say("Read this", { forward: { of: EVE } });
  const replies = [await day.shown("A new chat starts clean.")];
  day.command("status");
  replies.push(await day.shown("Words from outside in this chat: Eve"));
  day.say("May I?", { by: EVE });
  await day.shown("would like to talk");
  day.command("people");
  replies.push(await day.shown(/^• asked: Eve/mu), await day.shown("Asks to talk to me: Eve"));
  for (const [at, { id }] of replies.entries()) {
    day.command("new");
    await day.until(() => day.sent().filter(({ text }) => text.startsWith("New chat.")).length > at);
    day.say("Who?", { replyTo: id });
    await day.until(() => day.texts().filter((text) => text.endsWith("Who?")).length > at);
  }
  await day.settled();
  const marks = (await day.entries()).flatMap((entry) => (entry.kind === "marked" ? [entry.taint.kind] : []));
  expect(marks).toEqual(Array.from({ length: 1 + replies.length }, () => "person"));
});

it("A65: “allow 1” in another private chat of the owner's is a message there, and answers nothing here", async () => {
  const toy = puppet();
  const mail = notingTool("send_mail", "app-act");
  await using day = await journey({ puppet: toy.engine, tools: [mail], terminal: true });
  day.say("call send_mail {}");
  const card = await day.shown("May I? (no. 1)");
  day.keyboard.write("allow 1\n");
  await day.until(() => day.screen.includes("I was told: allow 1"));
  expect(mail.ran).toEqual([]);
  day.press(card, "Don't allow");
  await day.shown("send_mail denied: The owner did not allow");
});

it("A56, A11: in a group /status says neither what the chat is called nor whose words it holds or how the gateway does", async () => {
  await using day = await journey({ groups: "mention" });
  day.mention("heron", { in: day.group });
  await day.shown("heron", { in: day.group });
  day.command("status", { in: day.group });
  const { text } = await day.shown("Engine:", { in: day.group });
  expect(text.split("\n").map((line) => line.split(":")[0])).toEqual(["• Engine", "• Now", "• Used so far"]);
});

it("A50: of two at once one takes the last, also when the disk answers the second late", async () => {
  await using here = await doorstep();
  const { records } = here.store;
  const first = Promise.withResolvers<void>();
  let reads = 0;
  const cursor: typeof records.cursor = async (name) => {
    reads += 1;
    if (reads > 1) await first.promise;
    return await records.cursor(name);
  };
  const slow = { ...here.store, records: { ...records, cursor } };
  const limits = new Limits(slow, { hourly: 1, daily: 60 }, here.surroundings.clock);
  const taken = [limits.take({ guest: "telegram/1" }), limits.take({ guest: "telegram/1" })];
  await taken[0];
  first.resolve();
  expect((await Promise.all(taken)).map(({ is }) => is)).toEqual(["ok", "over"]);
});

it("A50: in a group two guests share the group's answers", async () => {
  await using day = await journey({ groups: "mention", access: { guestHourly: 1 } });
  day.mention("hello", { in: day.group });
  await day.shown("hello", { in: day.group });
  day.mention("one", { by: EVE, in: day.group });
  await day.shown("one", { in: day.group });
  day.mention("two", { by: BOB, in: day.group });
  await day.shown("as much as I can answer", { in: day.group });
  await day.settled();
  expect(day.models.requestCount).toBe(2);
  // Nor is a chat called by what somebody else said in it.
  await day.stop();
  await using store = await openReadOnly(day.data);
  const titles = (await store.conversations.list()).map(({ title }) => title);
  expect(titles.filter((title) => /one|two/u.test(title))).toEqual([]);
});

it("A70: in a group a plan is followed by no card", async () => {
  await using day = await journey({ groups: "mention", authority: { mode: "plan" } });
  day.mention("heron", { in: day.group });
  await day.shown("heron", { in: day.group });
  await day.settled();
  expect(day.sent(day.group)).toHaveLength(1);
});

it("A32: a name before the host of an address could carry data out", () => {
  expect(couldCarry("https://example.org/a/page/to/read")).toBe(false);
  expect(couldCarry("https://heron@example.org/a/page/to/read")).toBe(true);
});

it("A32: many short pieces could carry out as much as one long one", () => {
  expect(couldCarry(Array.from({ length: 9 }, () => "some words here"))).toBe(false);
  expect(couldCarry(Array.from({ length: 99 }, () => "some words here"))).toBe(true);
});

// ---- what is heard

const SELF = owner("1");
const HOME = alone("1");
const QUOTED = { kind: "quoted", from: "Sam", ours: false } as const;

function text(messageId: string, origin: Origin, words = "words"): Part {
  return { kind: "text", messageId, origin, text: words };
}

/** An earlier chat that holds message 5, and the one that is open now. */
async function twoChats(here: Doorstep): Promise<{ readonly id: string; readonly before: string }> {
  const before = openConversation(HOME, SELF, here.surroundings);
  const message = { from: SELF, at: 1, ids: ["5"], parts: [text("5", { kind: "own" })] };
  await here.store.commit([
    ...before.changes,
    { do: "append", conversation: before.id, at: 1, body: { kind: "message", message } },
  ]);
  const { id, changes } = openConversation(HOME, SELF, here.surroundings);
  await here.store.commit(changes);
  return { id, before: before.id };
}

it("A24, A47: a quote of a held message is the owner's by the platform's id alone, whatever name it shows", async () => {
  await using here = await doorstep();
  const { before } = await twoChats(here);
  const conversation = (await here.store.conversations.get(before))!;
  const marks = async (id: string): Promise<number> => {
    const parts = [text("9", { ...QUOTED, id, messageId: "5" })];
    return (await hear(here.store, conversation, { from: SELF, parts }, false, here.surroundings)).marks.length;
  };
  expect([await marks("1"), await marks("6666")]).toEqual([0, 1]);
});

it("A61: beside others' words a quoted file of another chat does not come in", async () => {
  await using here = await doorstep();
  const { id } = await twoChats(here);
  const conversation = (await here.store.conversations.get(id))!;
  const file = { kind: "document", name: "a.txt", mediaType: "text/plain", handle: "h", path: "/work/a.txt" } as const;
  const parts: readonly Part[] = [
    { kind: "file", messageId: "9", origin: { ...QUOTED, id: "1", messageId: "5" }, file },
    text("9", { kind: "forwarded", as: "user", from: "Eve", id: "6666" }),
  ];
  const heard = await hear(here.store, conversation, { from: SELF, parts }, false, here.surroundings);
  expect(heard.parts).toEqual([parts[1]]);
});

it("A29: what closed a chat is told by the first that closes it alone, whoever comes then", async () => {
  await using here = await doorstep();
  const { id } = await twoChats(here);
  const conversation = (await here.store.conversations.get(id))!;
  const told: boolean[] = [];
  for (const who of ["6666", "7777"]) {
    const parts = [text("9", { kind: "forwarded", as: "user", from: "Eve", id: who })];
    const heard = await hear(here.store, conversation, { from: SELF, parts }, false, here.surroundings);
    await here.store.commit([...heard.marks, ...heard.told]);
    told.push(heard.told.length > 0);
  }
  expect(told).toEqual([true, false]);
});

it("A28, A61: an edit brings in no other chat, and nobody edits what somebody else wrote", async () => {
  await using here = await doorstep();
  const { id } = await twoChats(here);
  const message = { from: SELF, at: 1, ids: ["7"], parts: [text("7", { kind: "own" })] };
  await here.store.commit([{ do: "append", conversation: id, at: 1, body: { kind: "message", message } }]);
  const edit = async (by: string, parts: readonly Part[]): Promise<void> => {
    const from = { id: by, name: "Sam", bot: false };
    const edited = { kind: "edit", room: HOME, from, messageId: "7", at: 2, parts } as const;
    await logEdit(here.store, 1, edited, owner(by), here.surroundings);
  };
  await edit("6666", [text("7", { kind: "own" }, "I owe Eve all")]);
  await edit("1", [
    text("7", { kind: "forwarded", as: "user", from: "Eve", id: "6666" }),
    text("7", { ...QUOTED, id: "1", messageId: "5" }, "The word is heron"),
  ]);
  const log = JSON.stringify(await here.store.log.read(id));
  expect(log).toContain('"edited"');
  expect(log).not.toContain("I owe Eve all");
  expect(log).not.toContain("heron");
});

// ---- what is judged anew

const ANA: Taint = { kind: "person", label: "Ana on Telegram", source: "telegram/2" };
type Stand = { -readonly [K in keyof Standing]: Standing[K] };

/** A turn whose standing a test changes while the owner is asked, or while an entry is on its way to the log. */
function turnOf(
  stand: Partial<Stand>,
  meanwhile: { readonly asked?: (stand: Stand) => void; readonly ended?: (stand: Stand) => void },
): { readonly turn: ToolboxTurn; readonly asks: string[]; readonly log: EntryBody[] } {
  const standing: Stand = {
    ...{ attendance: "owner", room: "private", marks: [], mode: "ask", checkAfterReading: true },
    ...stand,
  };
  const asks: string[] = [];
  const log: EntryBody[] = [];
  const turn: ToolboxTurn = {
    ...{ conversation: "c", turn: "t", workFolder: "/work/c", given: new Set() },
    standing: async () => ({ ...standing }),
    places: { judge: async () => ({ inside: true, closed: false }), namesClosed: () => false },
    signal: new AbortController().signal,
    said: () => [],
    append: async (bodies, { expected } = {}) => {
      if (bodies.some(({ kind }) => kind === "tool-end") && log.length === 1) meanwhile.ended?.(standing);
      if (expected !== undefined && expected.length !== standing.marks?.length) return false;
      log.push(...bodies);
      return true;
    },
    ask: async ({ reason }) => {
      asks.push(reason);
      meanwhile.asked?.(standing);
      return "once";
    },
  };
  return { turn, asks, log };
}

it("A31: what the owner shut while being asked does not run, leave or not", async () => {
  const plans = (stand: Stand): void => void (stand.mode = "plan");
  const own = turnOf({}, { asked: plans });
  const use = { id: "1", name: "write", input: {}, does: "write", paths: ["a"] } as const;
  expect(await (await toolbox([], own.turn)).allow(use)).toMatchObject({ is: "deny" });
  const ours = turnOf({}, { asked: plans });
  const box = await toolbox([notingTool("send_mail", "app-act")], ours.turn);
  expect(await box.call({ id: "1", name: "send_mail", input: {} })).toMatchObject({ outcome: "denied" });
  expect([own.asks.length, ours.asks.length, ours.log.length]).toEqual([1, 1, 0]);
});

it("A31, A39: leave for an engine's own tool does not stand for others' words that came in since", async () => {
  const own = turnOf({}, { asked: (stand) => void (stand.marks = [ANA]) });
  const use = { id: "1", name: "write", input: {}, does: "write", paths: ["a"] } as const;
  expect(await (await toolbox([], own.turn)).allow(use)).toEqual({ is: "allow" });
  expect(own.asks).toEqual([expect.not.stringContaining("Ana"), expect.stringContaining("Ana on Telegram")]);
});

it("A35: in mode edits a command asks, also one that is kept to the work folder", async () => {
  const own = turnOf({ mode: "edits" }, {});
  const use = { id: "1", name: "sh", input: {}, does: "command", command: "ls", paths: ["a"], confined: true } as const;
  await (await toolbox([], own.turn)).allow(use);
  expect(own.asks).toHaveLength(1);
});

it("A63: a mark between what a tool found and the log withholds it", async () => {
  const { turn, log } = turnOf({}, { ended: (stand) => void (stand.marks = [ANA]) });
  const box = await toolbox([notingTool("search_chats", "history", { text: "heron" })], turn);
  expect(await box.call({ id: "1", name: "search_chats", input: {} })).toMatchObject({ outcome: "denied" });
  expect(JSON.stringify(log)).not.toContain("heron");
});

it("A62: a mark that comes between the verdict and the log is seen by the store, and nothing runs", async () => {
  await using here = await doorstep();
  const { id } = await twoChats(here);
  const message = { from: SELF, at: 1, ids: ["8"], parts: [text("8", { kind: "own" }, "call search_chats {}")] };
  await here.store.commit([{ do: "append", conversation: id, at: 1, body: { kind: "message", message } }]);
  const conversation = (await here.store.conversations.get(id))!;
  let late: readonly Change[] = [{ do: "append", conversation: id, at: 1, body: { kind: "marked", taint: ANA } }];
  const commit: typeof here.store.commit = async (changes, how) => {
    if (changes.some((one) => one.do === "append" && one.body.kind === "tool-start")) {
      const now = late;
      late = [];
      if (now.length > 0) await here.store.commit(now);
    }
    return await here.store.commit(changes, how);
  };
  const store = { ...here.store, commit };
  const look = notingTool("search_chats", "history");
  const order = {
    ...{ conversation, turn: "t", again: false, upTo: conversation.head, unattended: false, locked: false },
    ...{ engine: puppet().engine(), tools: [look], owner: "Sam", workFolder: "/work/c" },
    cards: {
      ...{ catalog: emptyCatalog(), store, questions: new Questions(store, here.surroundings) },
      ...{ forms: () => false, waits: () => true, own: [], surroundings: here.surroundings },
    },
    scrub: (text: string) => text,
    signal: new AbortController().signal,
    authority: {
      approvals: new Approvals(store, here.surroundings),
      ...({ mode: "ask", checkAfterReading: true } as const),
      places: { judge: async () => ({ inside: false, closed: false }), namesClosed: () => false },
      given: new Set<string>(),
      ownerRoom: () => HOME,
    },
  };
  for await (const _ of runTurn(order, store, here.surroundings)) continue;
  expect(look.ran).toEqual([]);
});

// ---- who presses and who answers where

it("A54, T36: a secret in the first words is in no title", async () => {
  await using day = await journey({ secrets: ["heron-1234567"] });
  day.say("It is heron-1234567, my password is Sunfl0wer-Kite");
  await day.shown("You said");
  await day.stop();
  await using store = await openReadOnly(day.data);
  expect((await store.conversations.list()).map(({ title }) => title)).toEqual([
    "It is [hidden], my password is [hidden]",
  ]);
});

it("A49, A56: who asked before the owner had a private chat is not shown in a group", async () => {
  await using day = await journey({ groups: "mention" });
  day.say("May I?", { by: EVE });
  await day.shown("I only talk with people", { in: EVE });
  day.mention("heron", { in: day.group });
  await day.shown("heron", { in: day.group });
  await day.settled();
  expect(day.sent(day.group)).toHaveLength(1);
});

it("A38, A40: an approval, like any button of a private chat, is answered in the chat that shows it, by the owner too", async () => {
  const mail = notingTool("send_mail", "app-act");
  const toy = puppet();
  await using day = await journey({ puppet: toy.engine, tools: [mail], groups: "mention" });
  day.mention("heron", { in: day.group });
  const there = await day.shown("heron", { in: day.group });
  day.command("mode");
  const modes = await day.shown("Mode of this chat");
  day.say("call send_mail {}");
  const card = await day.shown("May I? (no. 1)");
  for (const { buttons } of [modes, card]) {
    const asked = day.pressData(there, buttons.flat()[0]!.data!, { in: day.group });
    expect(await day.answered(asked)).toBe("That button isn't for you.");
  }
  day.press(card, "Don't allow");
  await day.shown("send_mail denied: The owner did not allow");
  expect(mail.ran).toEqual([]);
});

it("A70: where every chat plans by the config, Start leaves that for this chat", async () => {
  await using day = await journey({ puppet: puppet().engine, authority: { mode: "plan" } });
  day.say("How?");
  const card = await day.shown("Shall I start on it?");
  day.press(card, "Start");
  await day.shown("Go ahead with the plan.");
  day.command("status");
  expect((await day.shown("Engine")).text).toContain("Mode: ask");
});

it("A51, A53, G47: no button in a guest's own chat lets anyone in, sets a mode or opens a page", async () => {
  await using here = await doorstep();
  const { store, surroundings } = here;
  const people = await here.people();
  const guest = { platform: "telegram", id: "6666", name: "Eve", role: "guest" } as const;
  const { id, changes } = openConversation(alone("6666"), guest, surroundings);
  const actions = [
    { do: "let-in", who: { platform: "telegram", id: "7777" } },
    { do: "set-mode", mode: "trust" },
  ] as const;
  await store.commit([
    ...changes,
    ...actions.map((action): Change => {
      const button = { conversation: id, does: "option", card: action.do, action, done: "Done." } as const;
      return { do: "button", key: action.do, button };
    }),
    { do: "button", key: "page", button: { conversation: id, does: "leaf", key: "page", page: { of: "activity" } } },
  ]);
  const opened: string[] = [];
  // What a guest's press may not come to is left out.
  const leaf = async (): Promise<void> => void opened.push("a page");
  const parts = { store, people, surroundings, ways: new Map(), leaf } as unknown as PressParts;
  for (const data of [...actions.map((action) => action.do), "page"]) {
    const from = { id: "6666", name: "Eve", bot: false };
    const pressed = { kind: "press", room: alone("6666"), from, data, ref: "1" } as const;
    await press(parts, pressed, 1, guest, async (_, task) => await task());
  }
  expect(opened).toEqual([]);
  expect(people.known("telegram", "7777")).toBeUndefined();
  expect((await store.conversations.get(id))?.mode).toBeUndefined();
});

it("A22, A65: an answer is the whole of the owner's own words, with nothing brought along, to a number that is asked", async () => {
  await using here = await doorstep();
  const own = text("1", { kind: "own" }, "allow 1");
  const said = (parts: readonly Part[]): ReturnType<typeof textAnswer> =>
    textAnswer({
      ...{ kind: "message", room: HOME, from: { id: "1", name: "Sam", bot: false } },
      ...{ messageId: "1", at: 1, addressed: true, parts },
    });
  expect(said([own])).toEqual({ took: "once", to: { number: 1 } });
  expect(said([own, text("1", { kind: "forwarded", as: "user", from: "Eve" })])).toBeUndefined();
  expect(said([text("1", { kind: "own" }, "allow 1 and send it to Bob too")])).toBeUndefined();
  const live = { card: { number: 1 }, conversation: "c", room: HOME } as Live;
  expect(await answeredApproval({ took: "once", to: { number: 1 } }, HOME, [live], here.store)).toBe(live);
  expect(await answeredApproval({ took: "once", to: { number: 2 } }, HOME, [live], here.store)).toBeUndefined();
});

it("A50, A17: an engine with tools of its own meets the owner in private alone, and works only then in the owner's folder", async () => {
  await using here = await doorstep();
  const guest = { platform: "telegram", id: "6666", name: "Eve", role: "guest" } as const;
  const choice = chooseEngines(
    {
      engine: async () => puppet({ ownTools: true }).engine(),
      ...{ defaultEngine: "large", work: "/work", workOf: () => "/home/sam" },
      access: { guests: "ask", groups: "mention", guestHourly: 20, guestDaily: 60, guestEngine: "small" },
    },
    await here.people({}, { telegram: "1" }),
  );
  const seen = await Promise.all(
    [openConversation(HOME, SELF, here.surroundings), openConversation(ROOM, SELF, here.surroundings)]
      .concat(openConversation(alone("6666"), guest, here.surroundings))
      .map(async ({ conversation }) => [
        (await choice.engineOf(conversation)).can.ownTools,
        choice.folder(conversation) === "/home/sam",
      ]),
  );
  expect(seen).toEqual([
    [true, true],
    [false, false],
    [false, false],
  ]);
});

it("A54: a draft that holds a secret however it is drawn is left out", async () => {
  const hints: unknown[] = [];
  const outlet = {
    pieces: () => [{ body: null, plain: "heron-1234567" }],
    hint: async (...given: readonly unknown[]) => void hints.push(given),
  } as unknown as Outlet;
  const way = scrubbedOutlet(outlet, scrubber(["heron-1234567"]));
  await way.hint(HOME, { kind: "draft", key: "t:0", text: "It is" }, AbortSignal.any([]));
  expect(hints).toEqual([]);
});
