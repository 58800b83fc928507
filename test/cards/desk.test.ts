// Each reason why nothing is offered, what an offer holds, and what no way of asking gets past.
import fc from "fast-check";
import { expect, it } from "vitest";
import { openTurnDesk, type OfferTurn, type Proposed, type TurnDesk } from "../../src/cards/desk.ts";
import { mute, MUTES } from "../../src/cards/mutes.ts";
import { askOffer } from "../../src/cards/offers.ts";
import { closeOpen } from "../../src/cards/open.ts";
import type { Item } from "../../src/catalog/port.ts";
import type { Offer } from "../../src/core/card.ts";
import type { Message, Part } from "../../src/core/message.ts";
import { ownWords } from "../../src/core/message.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { told } from "../../src/turn/input.ts";
import { runs } from "../deep.ts";
import { surroundings } from "../gateway/bare.ts";
import { app, skill, toyCatalog } from "./catalog.ts";

const CAN: OfferTurn["engine"] = {
  ...{ tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 },
};
const ITEMS = [app("mail"), app("drive"), skill("trips"), skill("notes", { state: "asked" })];

const OWNER = { platform: "stage", id: "1", name: "Sam", role: "owner" } as const;

async function newStore(): Promise<Store & AsyncDisposable> {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const room = { platform: "stage", chat: "1", kind: "private" } as const;
  for (const id of ["c", "d"]) await store.commit([{ do: "open", id, room, person: "stage/1", title: id, at: 1 }]);
  return store;
}

const turnOf = (more: Partial<OfferTurn> = {}): OfferTurn => ({
  ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", engine: CAN },
  ...{ words: "What is in my letters?", clean: async () => true },
  ...more,
});

async function deskOf(store: Store, more: Partial<OfferTurn> = {}, items: readonly Item[] = ITEMS): Promise<TurnDesk> {
  return await openTurnDesk({ catalog: toyCatalog(items), store, surroundings }, turnOf(more));
}

const mail = { kind: "app", id: "mail" } as const;
const codeOf = (proposed: Proposed): string => (proposed.is === "none" ? proposed.reason : "offer");

async function proposed(more: Partial<OfferTurn> = {}, items: readonly Item[] = ITEMS): Promise<Proposed> {
  await using store = await newStore();
  return await (await deskOf(store, more, items)).propose(mail, "It reads your letters", "assistant");
}

it("O10, O18: what could be turned on and clearly fits is offered, and the model is told that a card stands there", async () => {
  const made = await proposed();
  expect(made.is).toBe("offer");
  expect(made.words).toMatch(/stands under your reply.*as far as you can.*carry on/u);
});

it.each([
  ["unknown", {}, []],
  ["on", {}, [app("mail", { state: "on" })]],
  ["retired", {}, [app("mail", { state: "retired" })]],
  ["reached", { engine: { ...CAN, reaches: ["mail"] } }, ITEMS],
  ["unusable", {}, [app("mail", { state: "changed" })]],
  ["unusable", {}, [app("mail", { trouble: "It can't be reached." })]],
] as const)("O12: a target that is not on the map is refused: %s", async (code, more, items) => {
  expect(codeOf(await proposed(more, items))).toBe(code);
});

it("O13: what is muted is refused, apps by their id and skills by skill:id", async () => {
  await using store = await newStore();
  await store.settings.set(MUTES, ["mail", "skill:trips", "notes"]);
  const desk = await deskOf(store);
  expect(codeOf(await desk.propose(mail, "", "assistant"))).toBe("muted");
  expect(codeOf(await desk.propose({ kind: "skill", id: "trips" }, "", "cue"))).toBe("muted");
  // An app may be called what a skill is.
  expect(codeOf(await desk.propose({ kind: "skill", id: "notes" }, "", "cue"))).toBe("offer");
});

it("O14: what this chat was offered before is refused, also when it was put away; another chat is offered it", async () => {
  await using store = await newStore();
  const first = await (await deskOf(store)).propose(mail, "", "assistant");
  if (first.is !== "offer") throw new Error("Nothing was offered.");
  await store.commit(askOffer(first.offer, "c", 2));
  expect(codeOf(await (await deskOf(store)).propose(mail, "", "assistant"))).toBe("offered");
  await closeOpen(store, { id: "c" }, 3);
  expect(codeOf(await (await deskOf(store)).propose(mail, "", "cue"))).toBe("offered");
  expect(codeOf(await (await deskOf(store, { conversation: "d" })).propose(mail, "", "assistant"))).toBe("offer");
});

it("O15: a turn has one, the assistant's and the cue's counted together, also of two proposals at once", async () => {
  await using store = await newStore();
  const desk = await deskOf(store, { words: "Look into my drive" });
  expect((await desk.cue())?.target.id).toBe("drive");
  expect(codeOf(await desk.propose(mail, "", "assistant"))).toBe("second");
  const other = await deskOf(store);
  const both = await Promise.all([
    other.propose(mail, "", "assistant"),
    other.propose({ kind: "app", id: "drive" }, "", "assistant"),
  ]);
  expect(both.map(codeOf).toSorted()).toEqual(["offer", "second"]);
});

it("O16, O66: a chat that holds words from outside, or may, gets none of the assistant's, and the cue's all the same", async () => {
  for (const clean of [false, undefined]) {
    const more = { clean: async () => clean, words: "What is in my mail?" };
    expect(codeOf(await proposed(more))).toBe("outside");
    await using store = await newStore();
    expect((await (await deskOf(store, more)).cue())?.by).toBe("cue");
  }
});

it.each([
  ["nobody", { attendance: "nobody" }],
  ["guest", { attendance: "guest" }],
  ["shared", { room: "shared" }],
] as const)(
  "O17: with nobody there who could take it nothing is offered and nothing listed: %s",
  async (code, more) => {
    expect(codeOf(await proposed(more))).toBe(code);
    await using store = await newStore();
    const desk = await deskOf(store, { ...more, words: "What is in my mail?" });
    expect(desk.sections).toEqual([]);
    expect(await desk.cue()).toBeUndefined();
  },
);

it.each([
  ["no-request", ""],
  ["no-request", "\u200B \n"],
  ["long-request", "x".repeat(4_001)],
  ["offer", "x".repeat(4_000)],
])("O21, O20: words that can't go on just as they are carry nothing on: %s", async (code, words) => {
  expect(codeOf(await proposed({ words }))).toBe(code);
});

it("O18: each reason has a code and words of its own", async () => {
  const made = await Promise.all([
    proposed({}, []),
    proposed({}, [app("mail", { state: "on" })]),
    proposed({}, [app("mail", { state: "retired" })]),
    proposed({}, [app("mail", { state: "changed" })]),
    proposed({ engine: { ...CAN, reaches: ["mail"] } }),
    proposed({ clean: async () => false }),
    proposed({ attendance: "nobody" }),
    proposed({ attendance: "guest" }),
    proposed({ room: "shared" }),
    proposed({ words: "" }),
    proposed({ words: "x".repeat(5_000) }),
  ]);
  expect(new Set(made.map(codeOf)).size).toBe(made.length);
  expect(new Set(made.map(({ words }) => words)).size).toBe(made.length);
  expect(made.every(({ words }) => words.length > 20)).toBe(true);
});

const offerFor = async (item: Item, why = "so"): Promise<Offer> => {
  await using store = await newStore();
  const made = await (await deskOf(store, {}, [item])).propose(item, why, "assistant");
  if (made.is !== "offer") throw new Error(`Nothing was offered: ${made.reason}`);
  return made.offer;
};
const actsOf = ({ options }: Offer): readonly string[] => options.map(({ act, label }) => `${act}: ${label}`);

it("O22, O33, O34: an app has Connect and Details, a skill Turn on with what it may do, one that is used when asked Use it and Always", async () => {
  const away = ["not-now: Not now", "mute: Don't suggest"];
  expect(actsOf(await offerFor(app("mail")))).toEqual(["take: Connect", "details: Details", ...away]);
  const off = await offerFor(skill("trips"));
  expect(actsOf(off)).toEqual(["take: Turn on", ...away]);
  expect(off.may).toEqual(["Run commands"]);
  expect(actsOf(await offerFor(skill("trips", { state: "asked" })))).toEqual([
    "use: Use it",
    "always: Always",
    ...away,
  ]);
  const keys = off.options.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
});

it("O20, O65: names, descriptions and reasons are one line each and within their length, whatever they are made of", async () => {
  const text = fc.string({ unit: "binary", maxLength: 900 });
  await fc.assert(
    fc.asyncProperty(text, text, text, async (name, about, why) => {
      const offer = await offerFor(app("mail", { name, about }), why);
      for (const [words, most] of [
        [offer.target.name, 80],
        [offer.description, 300],
        [offer.why, 200],
      ] as const) {
        expect(words.length).toBeLessThanOrEqual(most);
        expect(words).not.toMatch(/[\n\r]/u);
      }
      expect(offer.target.name).not.toBe("");
    }),
    { numRuns: runs(60) },
  );
  expect(codeOf(await proposed({}, [app("mail".repeat(30))]))).toBe("unknown");
});

const TARGETS = ["mail", "drive", "trips", "notes", "nothing"] as const;

it("O14, O15: whatever is proposed, in whatever order, no turn has two offers and no chat the same target twice", async () => {
  const step = fc.record({
    target: fc.constantFrom(...TARGETS),
    by: fc.constantFrom("assistant", "cue"),
    newTurn: fc.boolean(),
    ends: fc.constantFrom("stands", "closed"),
  } as const);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await using store = await newStore();
      let desk = await deskOf(store);
      let inTurn = 0;
      const seen: string[] = [];
      for (const { target, by, newTurn, ends } of steps) {
        if (newTurn) [desk, inTurn] = [await deskOf(store), 0];
        const kind = target === "trips" || target === "notes" ? "skill" : "app";
        const made = await desk.propose({ kind, id: target }, "", by);
        if (made.is === "none") continue;
        inTurn += 1;
        seen.push(target);
        await store.commit(askOffer(made.offer, "c", 1));
        if (ends === "closed") await closeOpen(store, { id: "c" }, 2);
        expect(inTurn).toBe(1);
      }
      expect(new Set(seen).size).toBe(seen.length);
    }),
    { numRuns: runs(60) },
  );
});

it("O21, O67: the request is the person's own words character for character, and never what was forwarded, quoted or attached", async () => {
  const words = fc.string({ unit: "binary", minLength: 1, maxLength: 60 });
  const origins = fc.constantFrom(
    { kind: "own" },
    { kind: "forwarded", as: "user", from: "Ana" },
    { kind: "quoted", from: "Bob", ours: false },
  ) as fc.Arbitrary<Part["origin"]>;
  await using store = await newStore();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(words, origins), { minLength: 1, maxLength: 5 }), async (given) => {
      const parts = given.map(([text, origin], at): Part => ({ kind: "text", messageId: String(at), origin, text }));
      const message: Message = { from: OWNER, at: 1, ids: parts.map(({ messageId }) => messageId), parts };
      const at = { conversation: "c", at: 1 };
      const heard = told([
        { kind: "message", message, seq: 1, ...at },
        ...[
          { kind: "turn-started", turn: "t", engine: "e", upTo: 1, attendance: "owner", again: false, seq: 2, ...at },
        ],
      ] as Parameters<typeof told>[0]);
      const own = given.filter(([, { kind }]) => kind === "own").map(([text]) => text);
      const made = await (await deskOf(store, { words: heard.words })).propose(mail, "", "assistant");
      if (made.is === "offer") expect(made.offer.resume.request).toBe(own.join("\n"));
      else expect(ownWords(message)).toBe(own.join("\n"));
    }),
    { numRuns: runs(100) },
  );
});

it("O19, O11: what the person's own words name is offered as a cue's, by the same list", async () => {
  await using store = await newStore();
  const desk = await deskOf(store, { words: "Is there anything new in my mail?" });
  const offer = await desk.cue();
  expect(offer).toMatchObject({ by: "cue", target: { kind: "app", id: "mail", name: "Mail" } });
  expect(offer?.resume.request).toBe("Is there anything new in my mail?");
  await mute("mail", true, store.settings);
  expect(await (await deskOf(store, { words: "my mail" })).cue()).toBeUndefined();
  // With the other put aside, the next that fits is.
  expect((await (await deskOf(store, { words: "my mail and my drive" })).cue())?.target.id).toBe("drive");
});

it("O34: a skill that is used when asked for and is asked for by its name is not offered first; without tools it is", async () => {
  await using store = await newStore();
  const words = "Take notes of this";
  expect(await (await deskOf(store, { words })).cue()).toBeUndefined();
  const chats = { ...CAN, tools: false };
  expect((await (await deskOf(store, { words, engine: chats })).cue())?.target.id).toBe("notes");
});

it("O2, O62, O69: the map is part of an attended turn with tools, with what a cue is about, and of no other", async () => {
  await using store = await newStore();
  const { sections } = await deskOf(store, { words: "my mail" });
  expect(sections.join("\n")).toContain("app drive");
  expect(sections.join("\n")).toContain("Not connected yet: Mail");
  expect((await deskOf(store, { engine: { ...CAN, tools: false } })).sections).toEqual([]);
  // What an engine reaches itself is not said to be missing.
  const reaching = await deskOf(store, { words: "my mail", engine: { ...CAN, reaches: ["mail"] } });
  expect(reaching.sections.join("\n")).not.toContain("ail");
  expect((await deskOf(store, {}, [])).sections).toEqual([]);
});
