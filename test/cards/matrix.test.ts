// Every kind of engine in every column of the table of authority, as whole turns: which tools it is told of, what its system text says of
// apps and skills, what a tool that it names all the same comes to, and what stands under the reply.
import { describe, expect, it } from "vitest";
import { Approvals } from "../../src/cards/approvals.ts";
import { Questions } from "../../src/cards/questions.ts";
import { turnCards, type CardParts } from "../../src/cards/turn-cards.ts";
import type { Offer } from "../../src/core/card.ts";
import type { Engine, EngineAbilities } from "../../src/core/engine.ts";
import type { Message, Room } from "../../src/core/message.ts";
import type { Taint } from "../../src/core/taint.ts";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { pictureTools } from "../../src/gateway/picture-tools.ts";
import { openStore } from "../../src/store/open.ts";
import { COLUMNS, type Column } from "../../src/taint/table.ts";
import { runTurn } from "../../src/turn/run.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { PLAIN_PARTS } from "../gateway/plain-parts.ts";
import { ANA, MAIL } from "../taint/standings.ts";
import { app, skill, toyCatalog, type ToyCatalog } from "./catalog.ts";

const { surroundings } = recordedSurroundings();
const ENGINES = ["tools", "tools and a plan", "only chats"] as const;
type EngineKind = (typeof ENGINES)[number];

const BARE: EngineAbilities = {
  ...{ tools: false, images: false, plan: false, ownTools: false, sessions: false, holdMs: 0 },
};
const CAN: Readonly<Record<EngineKind, EngineAbilities>> = {
  tools: { ...BARE, tools: true },
  "tools and a plan": { ...BARE, tools: true, plan: true },
  "only chats": BARE,
};

/** Who is there, where, and whose words the chat holds. */
const PLACES: Readonly<
  Record<
    Column,
    { readonly who: "owner" | "guest" | "nobody"; readonly room: Room["kind"]; readonly marks: readonly Taint[] }
  >
> = {
  clean: { who: "owner", room: "private", marks: [] },
  marked: { who: "owner", room: "private", marks: [MAIL] },
  person: { who: "owner", room: "private", marks: [ANA] },
  shared: { who: "owner", room: "shared", marks: [] },
  guest: { who: "guest", room: "private", marks: [] },
  nobody: { who: "nobody", room: "shared", marks: [] },
};

const ITEMS = [
  app("mail", { state: "on" }),
  app("drive"),
  skill("notes", { state: "on" }),
  skill("trips", { state: "asked", cues: { words: [], not: [] } }),
];

function appTool(name: string, row: "app-read" | "app-act"): Tool<object> {
  return {
    ...{ name, description: name, input: { type: "object" }, row, effect: row === "app-read" ? "read" : "act" },
    check: () => ({}),
    run: async () => ({ outcome: "ok", text: "It ran.", marks: [MAIL] }),
  };
}

const TABLE = "Here it is.\n\n| City | People |\n|---|---|\n| A | 100 |\n| B | 50 |";
const CALLS: readonly (readonly [name: string, input: object])[] = [
  ["offer", { kind: "skill", target: "trips", why: "It plans trips" }],
  ["suggest_replies", { replies: ["Book the first one"] }],
  ["update_plan", { steps: [{ text: "Look", state: "active" }] }],
  ["use_skill", { name: "notes" }],
  ["mail__read", {}],
  ["mail__send", {}],
  ["never_heard_of", {}],
  ["ask", { fields: [{ id: "a", label: "Which?", kind: "text" }] }],
];

type Seen = {
  readonly listed: readonly string[];
  readonly instructions: string;
  readonly outcomes: Readonly<Record<string, ToolResult["outcome"]>>;
  readonly texts: Readonly<Record<string, string>>;
  readonly offers: readonly Offer[];
  readonly chips: readonly string[];
  readonly turned: ToyCatalog["turned"];
};

/** One turn. `calls`: which tools the engine names, whether it was told of them or not. */
async function turn(
  kind: EngineKind,
  column: Column,
  words: string,
  calls: readonly string[] = [],
  reaches: readonly string[] = [],
): Promise<Seen> {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openStore({ folder: ":memory:", ...surroundings }));
  const pictures = stack.use(pictureTools(store, () => "/nowhere", surroundings));
  const { who, room: place, marks } = PLACES[column];
  const room: Room = { platform: "stage", chat: "1", kind: place };
  const person = { platform: "stage", id: "1", name: "Sam", role: who === "guest" ? "guest" : "owner" } as const;
  const part = { kind: "text", messageId: "1", origin: { kind: "own" }, text: words } as const;
  const message: Message = { from: person, at: 1, ids: ["1"], parts: [part] };
  await store.commit([
    { do: "open", id: "c", room, person: "stage/1", title: "c", at: 1 },
    { do: "append", conversation: "c", at: 1, body: { kind: "message", message } },
    ...marks.map((taint) => ({ do: "append", conversation: "c", at: 1, body: { kind: "marked", taint } }) as const),
  ]);
  const conversation = await store.conversations.get("c");
  if (conversation === undefined) throw new Error("The store opened no conversation.");
  const toy = toyCatalog(ITEMS);
  const tools = [appTool("mail__read", "app-read"), appTool("mail__send", "app-act")];
  const cards: CardParts = {
    catalog: { ...toy, items: toy.items, tools },
    ...{ store, questions: new Questions(store, surroundings), own: pictures.tools, surroundings },
    forms: () => false,
    // Nobody answers here: a question would wait for ever.
    waits: () => who === "nobody" || !calls.includes("ask"),
  };
  let told: TurnInput | undefined;
  const outcomes: Record<string, ToolResult["outcome"]> = {};
  const texts: Record<string, string> = {};
  const engine: Engine = {
    name: "scripted",
    can: { ...CAN[kind], reaches },
    async *run(input) {
      told = input;
      for (const [name, given] of CALLS) {
        if (!calls.includes(name)) continue;
        const { outcome, text } = await input.call({ id: name, name, input: given });
        outcomes[name] = outcome;
        texts[name] = text;
      }
      yield { kind: "text", delta: TABLE };
      yield { kind: "end", reason: "done" };
    },
    forget: async () => undefined,
    check: async () => ({ words: "Fine." }),
    [Symbol.asyncDispose]: async () => undefined,
  };
  const { mode, checkAfterReading, places, scrub } = PLAIN_PARTS;
  const approvals = new Approvals(store, surroundings);
  const order = {
    ...{
      conversation,
      turn: "t",
      again: false,
      upTo: 1,
      unattended: who === "nobody",
      locked: false,
      engine,
      tools: [],
      cards,
    },
    ...{ owner: "Sam", workFolder: "/nowhere", scrub, signal: new AbortController().signal },
    authority: { approvals, mode, checkAfterReading, places, given: new Set<string>(), ownerRoom: () => undefined },
  };
  for await (const _ of runTurn(order, store, surroundings));
  const log = await store.log.read("c");
  return {
    ...{ listed: told?.tools.map(({ name }) => name) ?? [], instructions: told?.instructions ?? "", outcomes, texts },
    offers: log.flatMap((entry) => (entry.kind === "asked" && entry.card.kind === "offer" ? [entry.card] : [])),
    chips: log.flatMap((entry) => (entry.kind === "text" ? (entry.chips ?? []).map((chip) => chip.words) : [])),
    turned: toy.turned,
  };
}

const OWNERS = ["ask", "offer", "suggest_replies", "update_plan", "show", "use_skill", "mail__read", "mail__send"];
const ANYONES = ["ask", "update_plan", "show"];
const LISTED: Readonly<Record<Column, readonly string[]>> = {
  ...{ clean: OWNERS, marked: OWNERS, person: OWNERS },
  ...{ shared: ANYONES, guest: ANYONES },
  nobody: ["update_plan", "show"],
};
/** Where anything can be turned on at all. */
const OPEN: readonly Column[] = ["clean", "marked", "person"];
const CALLED_FOR = "Put it on my drive";
const NOTHING_CALLED_FOR = "What is it?";
const SECTIONS = {
  connected: "Apps that are connected",
  missing: "Not connected yet: Drive",
  map: "What could be turned on.",
} as const;

/** What the system text says of each tool that it says something of. */
const ADVICE: Readonly<Record<string, string>> = {
  ask: "Ask with the ask tool",
  offer: "call offer.",
  suggest_replies: "call suggest_replies last",
  update_plan: "keep a plan with update_plan",
  show: "call show;",
  use_skill: "Skills that are on",
};
const compare = (one: string, other: string): number => (one < other ? -1 : 1);

describe.each(ENGINES)("O1, O62: an engine with %s", (kind) => {
  const can = CAN[kind];

  it.each(COLUMNS)("O1, O44, O56, O62: is told of exactly its tools: %s", async (column) => {
    const expected = LISTED[column].filter((name) => can.tools && (name !== "update_plan" || !can.plan));
    expect((await turn(kind, column, CALLED_FOR)).listed).toEqual(expected);
  });

  it.each(COLUMNS)(
    "O2, O62, O69: has in its system text what could be turned on, or nothing of it: %s",
    async (column) => {
      const { instructions } = await turn(kind, column, CALLED_FOR);
      const said = Object.entries(SECTIONS).flatMap(([name, words]) => (instructions.includes(words) ? [name] : []));
      expect(said).toEqual(can.tools && OPEN.includes(column) ? ["connected", "missing", "map"] : []);
      // What it may know of its tools stands there with those, and goes with them.
      const advised = Object.entries(ADVICE).flatMap(([tool, words]) => (instructions.includes(words) ? [tool] : []));
      const expected = LISTED[column].filter((tool) => tool in ADVICE && (tool !== "update_plan" || !can.plan));
      expect(advised.toSorted(compare)).toEqual(can.tools ? expected.toSorted(compare) : []);
    },
  );

  it.each(COLUMNS)(
    "O11, O16, O62, O66: the person's own words bring an offer where the owner is alone: %s",
    async (column) => {
      const { offers, chips, turned } = await turn(kind, column, CALLED_FOR, ["offer", "suggest_replies"]);
      expect(offers.map(({ by, target }) => `${by} ${target.id}`)).toEqual(OPEN.includes(column) ? ["cue drive"] : []);
      // One thing at a time; and nothing is on before a person has pressed.
      if (offers.length > 0) expect(chips).toEqual([]);
      expect(turned).toEqual([]);
    },
  );

  it.each(COLUMNS)(
    "O16, O17, O62, O66: the assistant's offer stands in a clean chat of the owner's alone: %s",
    async (column) => {
      const { offers, outcomes } = await turn(kind, column, NOTHING_CALLED_FOR, ["offer"]);
      const may = can.tools && column === "clean";
      expect(offers.map(({ by, target }) => `${by} ${target.id}`)).toEqual(may ? ["assistant trips"] : []);
      expect(outcomes["offer"]).toBe(may ? "ok" : can.tools ? "denied" : "not-run");
    },
  );

  it.each(COLUMNS)("O49, O50, O52, O62, O66: replies to send: %s", async (column) => {
    const { chips } = await turn(kind, column, NOTHING_CALLED_FOR, ["suggest_replies"]);
    const own = can.tools && OPEN.includes(column) ? ["Show it as a chart"] : [];
    expect(chips).toEqual([...own, ...(can.tools && column === "clean" ? ["Book the first one"] : [])]);
  });

  it("O52, O66: what the assistant put up before words from outside came in is not shown; questions remain", async () => {
    const calls = ["offer", "suggest_replies", "mail__read", "ask"];
    const { offers, chips, outcomes } = await turn(kind, "clean", NOTHING_CALLED_FOR, calls);
    expect(offers).toEqual([]);
    expect(chips).toEqual(can.tools ? ["Show it as a chart"] : []);
    if (can.tools) expect(outcomes).toEqual({ offer: "ok", suggest_replies: "ok", mail__read: "ok", ask: "ok" });
  });

  it.each(COLUMNS)(
    "O44, O62: what it was not told of does nothing when it is called all the same: %s",
    async (column) => {
      const { outcomes, texts } = await turn(kind, column, NOTHING_CALLED_FOR, ["ask", "update_plan", "use_skill"]);
      const plan = can.tools ? (can.plan ? "not-run" : "ok") : "not-run";
      const skills =
        !can.tools || column === "shared" || column === "guest" ? "not-run" : OPEN.includes(column) ? "ok" : "denied";
      expect(outcomes).toEqual({ ask: can.tools ? "ok" : "not-run", update_plan: plan, use_skill: skills });
      if (can.tools) expect(texts["ask"]).toMatch(/Nobody is here/u);
    },
  );
});

it("O4, O62: an app that the engine reaches by itself is neither in its map, nor said to be missing, nor offered", async () => {
  for (const reaches of [[], ["drive"]]) {
    const reached = reaches.length > 0;
    const { instructions, offers, outcomes } = await turn("tools", "clean", CALLED_FOR, ["offer"], reaches);
    expect(instructions.includes(SECTIONS.missing)).toBe(!reached);
    expect(/^- drive\b|Drive/mu.test(instructions)).toBe(!reached);
    expect(offers.map(({ target }) => target.id)).toEqual([reached ? "trips" : "drive"]);
    expect(outcomes["offer"]).toBe(reached ? "ok" : "not-run");
  }
});

it.each(["shared", "guest"] as const)(
  "A14, A56: what the owner has on is answered there as what does not exist, so nobody can try out what it is: %s",
  async (column) => {
    const named = ["mail__read", "mail__send", "use_skill", "never_heard_of"];
    const { outcomes, texts } = await turn("tools", column, NOTHING_CALLED_FOR, named);
    for (const name of named)
      expect([outcomes[name], texts[name]]).toEqual(["not-run", `There is no tool named "${name}".`]);
  },
);

describe("what a tool here may do", () => {
  it("O64: none of ours turns on, sends or spends: each reads, and its row is none that acts", async () => {
    await using stack = new AsyncDisposableStack();
    const store = stack.use(await openStore({ folder: ":memory:", ...surroundings }));
    const pictures = stack.use(pictureTools(store, () => "/nowhere", surroundings));
    const catalog = toyCatalog(ITEMS);
    const room: Room = { platform: "stage", chat: "1", kind: "private" };
    const { tools } = await turnCards(
      {
        ...{ catalog, store, questions: new Questions(store, surroundings), own: pictures.tools, surroundings },
        ...{ forms: () => false, waits: () => true },
      },
      {
        ...{ conversation: "c", turn: "t", attendance: "owner", room: "private", place: room, engine: CAN.tools },
        ...{ words: "Hello", clean: async () => true, person: "stage/1", name: "Sam" },
      },
    );
    expect(tools.map(({ name, row, effect }) => `${name} ${row} ${effect}`)).toEqual([
      "ask ask read",
      "offer offer read",
      "suggest_replies suggest read",
      "update_plan plan read",
      "show plain read",
      "use_skill skill read",
    ]);
  });
});
