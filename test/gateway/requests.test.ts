// What becomes of a stranger's message, and what the owner can decide about it.
import { describe, expect, test } from "vitest";
import { DAY, MINUTE, alone, doorstep, GROUP, known, owner, sender, type Doorstep } from "./doorstep.ts";
import type { Choice } from "../../src/core/card.ts";
import type { Entry } from "../../src/core/conversation.ts";
import { personKey, type Room } from "../../src/core/message.ts";
import type { AccessRules, People } from "../../src/gateway/people.ts";
import { decide, Requests, type Stranger } from "../../src/gateway/requests.ts";
import type { Change, Committed, OutgoingRow } from "../../src/store/port.ts";

const CHAT = alone("1001");
const PASSED_ON = "I only talk with people I've been introduced to. I've passed on that you'd like to.";
const TURNED = "I only talk with people I've been introduced to.";

type Door = {
  readonly people: People;
  readonly requests: Requests;
  readonly inOrder: string[];
  /** Brings a stranger's message in, stored raw as any. */
  readonly knock: (id: string, more?: Partial<Stranger>) => Promise<void>;
  /** What was shown in rooms, outside of any conversation. */
  readonly said: readonly OutgoingRow[];
  readonly cards: () => Promise<readonly Extract<Entry, { kind: "asked" }>[]>;
  /** What was committed, in order. */
  readonly changes: readonly Change[];
  readonly pending: () => Promise<number>;
};

/** The owner has written in private, unless `chat` is false; the commit `refuses` first what it says it does. */
async function door(
  here: Doorstep,
  how: {
    readonly chat?: boolean;
    readonly conversation?: boolean;
    readonly rules?: Partial<AccessRules>;
    readonly platforms?: readonly string[];
  } = {},
): Promise<Door> {
  const people = await here.people(how.rules);
  const said: OutgoingRow[] = [];
  const inOrder: string[] = [];
  const changes: Change[] = [];
  const person = owner("1001");
  if (how.chat !== false) await here.store.commit(people.notePrivate(CHAT, person));
  if (how.chat !== false && how.conversation !== false)
    await here.store.commit([{ do: "open", id: "current", room: CHAT, person: personKey(person), title: "t", at: 1 }]);
  const requests = new Requests({
    store: here.store,
    people,
    platforms: new Set(how.platforms ?? ["telegram"]),
    reply: (room: Room, key: string, text: string): Change => ({
      do: "plan",
      rows: [
        {
          room,
          conversation: "",
          key,
          index: 0,
          weight: "notice",
          piece: { body: { text }, plain: text },
          place: 0,
          at: here.now(),
        },
      ],
    }),
    commit: async (asked): Promise<Committed> => {
      const done = await people.commit(asked);
      changes.push(...asked);
      if (done.ok) said.push(...done.rows);
      return done;
    },
    inOrder: async (room, who, task) => {
      inOrder.push(`${room.chat} ${personKey(who)}`);
      return await task();
    },
    surroundings: here.surroundings,
  });
  let keys = 0;
  return {
    people,
    requests,
    inOrder,
    said,
    changes,
    knock: async (id, more = {}) => {
      keys += 1;
      const key = `${here.surroundings.random.key(6)}${keys}`;
      const [row] = await here.store.inbound.keep("telegram", [{ key, raw: { words: "let me in" } }], here.now());
      if (row === undefined) throw new Error("The row is not new.");
      const stranger = { platform: "telegram", sender: sender(id), room: alone(id), addressed: true, rowId: row.id };
      await requests.turnAway({ ...stranger, ...more });
    },
    cards: async () => {
      const entries = await Promise.all(
        (await here.store.conversations.list()).map(async ({ id }) => await here.store.log.read(id)),
      );
      return entries.flat().flatMap((entry) => (entry.kind === "asked" ? [entry] : []));
    },
    pending: async () => (await here.store.inbound.pending("telegram")).length,
  };
}

const choice = (entry: Extract<Entry, { kind: "asked" }> | undefined): Choice => {
  if (entry?.card.kind !== "choice") throw new Error("That is no choice.");
  return entry.card;
};

describe("a stranger in private", () => {
  test("A49: gets one polite reply that names nobody, and becomes a request in the owner's chat, in one transaction", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.knock("2002", { sender: sender("2002", "*Ana* [x](http://y)\nB") });
    expect(at.said.map(({ room, conversation, piece }) => ({ room, conversation, words: piece.plain }))).toEqual([
      { room: alone("2002"), conversation: "", words: PASSED_ON },
    ]);
    expect(PASSED_ON).not.toContain("Sam");
    expect(await at.pending()).toBe(0);
    expect(at.changes).toContainEqual({
      do: "inbound-done",
      ids: [expect.any(Number)],
      outcome: "turned away",
      forget: true,
    });
    expect(at.people.known("telegram", "2002")).toMatchObject({ standing: "asked", kind: "person" });
    const [card, ...more] = await at.cards();
    expect(more).toEqual([]);
    expect(card).toMatchObject({ conversation: "current", outside: true });
    expect(choice(card).text).toBe(
      "“\\*Ana\\* \\[x\\](http\\://y) B” on Telegram would like to talk with me.\n\nNames can be chosen by anyone; the id can't. Id: 2002",
    );
    const who = { platform: "telegram", id: "2002" };
    expect(choice(card).options.map(({ label, action }) => ({ label, action }))).toEqual([
      { label: "Let in", action: { do: "let-in", who } },
      { label: "Not now", action: { do: "not-now", who } },
      { label: "Block", action: { do: "block", who } },
    ]);
    for (const option of choice(card).options) {
      expect(option.done).toContain("(telegram/2002)");
      expect(await here.store.records.button(option.key)).toMatchObject({ conversation: "current", outside: true });
    }
  });

  test("A49: is told again after 30 minutes and not before, and asked about once", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.knock("2002");
    here.wait(30 * MINUTE - 1);
    await at.knock("2002");
    expect(at.said).toHaveLength(1);
    await at.knock("3003");
    expect(at.said).toHaveLength(2);
    here.wait(1);
    await at.knock("2002");
    expect(at.said.map(({ room, piece }) => [room.chat, piece.plain])).toEqual([
      ["2002", PASSED_ON],
      ["3003", PASSED_ON],
      ["2002", PASSED_ON],
    ]);
    expect(await at.cards()).toHaveLength(2);
    expect(await at.pending()).toBe(0);
    // A restart knows who was told when.
    const anew = await door(here, { conversation: false });
    await anew.knock("2002");
    expect(anew.said).toEqual([]);
    expect(await anew.cards()).toHaveLength(2);
  });

  test("A49: of several messages at once one is answered and one becomes a request", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await Promise.all(Array.from({ length: 5 }, async () => await at.knock("2002")));
    expect(at.said).toHaveLength(1);
    expect(await at.cards()).toHaveLength(1);
    expect(await at.pending()).toBe(0);
  });

  test("A49: at most 20 wait; who comes then is told politely and not promised anything", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await Promise.all(Array.from({ length: 22 }, async (_, index) => await at.knock(String(3000 + index))));
    expect(at.people.list().filter(({ standing }) => standing === "asked")).toHaveLength(20);
    expect(await at.cards()).toHaveLength(20);
    expect(at.said.map(({ piece }) => piece.plain)).toEqual([...Array<string>(20).fill(PASSED_ON), TURNED, TURNED]);
    // One decided about makes room.
    const who = { platform: "telegram", id: "3000" };
    await at.people.commit(decide(at.people, { do: "block", who }, here.surroundings.clock));
    await at.knock("3021");
    expect(at.people.known("telegram", "3021")?.standing).toBe("asked");
  });

  test("A49: after not now they may ask again a day later", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.knock("2002");
    const who = { platform: "telegram", id: "2002" };
    await at.people.commit(decide(at.people, { do: "not-now", who }, here.surroundings.clock));
    here.wait(DAY - 1);
    await at.knock("2002");
    expect(at.said.at(-1)?.piece.plain).toBe(TURNED);
    expect(await at.cards()).toHaveLength(1);
    here.wait(1);
    await at.knock("2002");
    expect(await at.cards()).toHaveLength(2);
  });

  test("A49, A51: blocked, a bot, or with guests: block, there is silence and no request", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.people.commit([{ do: "know", known: known("2002", "blocked") }]);
    await at.knock("2002");
    await at.knock("3003", { sender: { ...sender("3003"), bot: true } });
    const closed = await door(here, { conversation: false, rules: { guests: "block" } });
    await closed.knock("4004");
    expect([...at.said, ...closed.said, ...(await at.cards())]).toEqual([]);
    expect(at.people.list()).toHaveLength(1);
    expect(await at.pending()).toBe(0);
  });
});

describe("a group", () => {
  test("A49, A52: becomes a request when someone addresses the bot there, in silence, once", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.knock("2002", { room: GROUP, roomName: "The_fam", addressed: false });
    expect(at.people.list()).toEqual([]);
    await at.knock("2002", { room: GROUP, roomName: "The_fam" });
    await at.knock("3003", { room: { ...GROUP, thread: "4" }, roomName: "The_fam" });
    expect(at.said).toEqual([]);
    expect(at.people.list()).toEqual([known("-100", "asked", { name: "The_fam", at: here.now() })]);
    const cards = await at.cards();
    expect(cards).toHaveLength(1);
    expect(choice(cards[0]).text).toBe(
      "“Name 2002” (id 2002) spoke to me in the group “The\\_fam” on Telegram. Let in, I answer everyone there who speaks to me.\n\nNames can be chosen by anyone; the id can't. Id: -100",
    );
    const [letIn] = choice(cards[0]).options;
    if (letIn?.action.do !== "let-in") throw new Error("That is not it.");
    await at.people.commit(decide(at.people, letIn.action, here.surroundings.clock));
    expect(at.people.group(GROUP)).toBe("open");
    expect(at.people.known("telegram", "-100")?.kind).toBe("group");
    expect(await at.pending()).toBe(0);
  });

  test("A52: blocked, or with groups off, there is silence and no request", async () => {
    await using here = await doorstep();
    const at = await door(here);
    await at.people.commit([{ do: "know", known: known("-100", "blocked") }]);
    await at.knock("2002", { room: GROUP });
    const off = await door(here, { conversation: false, rules: { groups: "off" } });
    await off.knock("2002", { room: { ...GROUP, chat: "-200" } });
    expect([...at.said, ...off.said, ...(await at.cards())]).toEqual([]);
    expect(off.people.list()).toHaveLength(1);
    expect(await at.pending()).toBe(0);
  });
});

describe("the owner's chat", () => {
  test("A49: requests wait until the owner has a private chat, and are shown there once, restarts included", async () => {
    await using here = await doorstep();
    const at = await door(here, { chat: false });
    await at.knock("2002");
    await at.knock("-", { room: GROUP });
    expect(at.said.map(({ piece }) => piece.plain)).toEqual([PASSED_ON]);
    expect(at.inOrder).toEqual([]);
    const anew = await door(here);
    await anew.people.commit([{ do: "know", known: known("5005", "guest") }]);
    await Promise.all([anew.requests.showPending("current"), anew.requests.showPending("current")]);
    await anew.requests.showPending("current");
    expect((await anew.cards()).map((card) => choice(card).options[0]?.action)).toEqual([
      { do: "let-in", who: { platform: "telegram", id: "-100" } },
      { do: "let-in", who: { platform: "telegram", id: "2002" } },
    ]);
    const third = await door(here, { conversation: false });
    await third.requests.showPending("current");
    await third.knock("2002");
    expect(await third.cards()).toHaveLength(2);
  });

  test("A49: one that could not be shown, since its conversation is gone, is shown the next time", async () => {
    await using here = await doorstep();
    const at = await door(here, { chat: false });
    await at.knock("2002");
    await at.requests.showPending("gone");
    const room = alone("1001");
    await here.store.commit([{ do: "open", id: "there", room, person: "telegram/1001", title: "t", at: 1 }]);
    await at.requests.showPending("there");
    expect(await at.cards()).toHaveLength(1);
  });

  test("A49: with no conversation in it one is opened, in order with what the owner says there", async () => {
    await using here = await doorstep();
    const at = await door(here, { conversation: false });
    await at.knock("2002");
    expect(at.inOrder).toEqual(["1001 telegram/1001"]);
    const current = await here.store.conversations.current(CHAT, "telegram/1001");
    expect((await at.cards()).map(({ conversation }) => conversation)).toEqual([current?.id]);
    await at.knock("3003");
    expect(at.inOrder).toHaveLength(1);
    expect((await at.cards()).map(({ conversation }) => conversation)).toEqual([current?.id, current?.id]);
  });

  test("A49: on a platform that is not connected it counts as none", async () => {
    await using here = await doorstep();
    const at = await door(here, { platforms: ["discord"] });
    await at.knock("2002");
    expect(await at.cards()).toEqual([]);
    expect(at.people.known("telegram", "2002")?.standing).toBe("asked");
  });
});

describe("what the owner decides", () => {
  test("A49, A53: each decision sets the standing of the id it was shown for, and keeps the name that was shown", async () => {
    await using here = await doorstep();
    const people = await here.people();
    const who = { platform: "telegram", id: "2002" };
    await people.commit([{ do: "know", known: known("2002", "asked") }]);
    for (const [action, standing] of [
      ["not-now", "later"],
      ["block", "blocked"],
      ["let-in", "guest"],
    ] as const) {
      here.wait(5);
      await people.commit(decide(people, { do: action, who }, here.surroundings.clock));
      expect(people.list()).toEqual([known("2002", standing, { at: here.now() })]);
    }
    await people.commit(decide(people, { do: "forget", who }, here.surroundings.clock));
    expect(people.list()).toEqual([]);
  });

  test("A49: someone known by the id alone can be let in; a negative id on Telegram is a group's", async () => {
    await using here = await doorstep();
    const people = await here.people();
    for (const id of ["7", "-7"])
      await people.commit(decide(people, { do: "let-in", who: { platform: "telegram", id } }, here.surroundings.clock));
    expect(people.list()).toEqual([
      known("-7", "guest", { name: "-7", at: here.now() }),
      known("7", "guest", { name: "7", at: here.now() }),
    ]);
  });

  test("A47: nothing decided about the owner makes the owner somebody else", async () => {
    await using here = await doorstep();
    const people = await here.people({}, {});
    await people.commit([{ do: "know", known: known("2002", "owner") }]);
    const who = { platform: "telegram", id: "2002" };
    for (const action of ["let-in", "not-now", "block"] as const)
      expect(decide(people, { do: action, who }, here.surroundings.clock)).toEqual([]);
  });
});
