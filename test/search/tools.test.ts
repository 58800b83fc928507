import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Person, Room } from "../../src/core/message.ts";
import type { Taint } from "../../src/core/taint.ts";
import type { Tool, ToolContext, ToolResult } from "../../src/core/tool.ts";
import type { Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { pastChatTools, type PastChats } from "../../src/search/tools.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import type { Standing } from "../../src/taint/guard.ts";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { toolbox, type ToolboxTurn } from "../../src/turn/toolbox.ts";
import { append, codeOf, done, open, say, surroundings, temporaryFolder } from "../store/world.ts";

type SentLine = { readonly line: number; readonly who: string; readonly when: string; readonly text: string };
type SentChat = {
  readonly id: string;
  readonly title: string;
  readonly archived?: true;
  readonly where: string;
  readonly untrusted?: true;
  readonly others?: readonly string[];
  readonly lines: readonly SentLine[];
};
type Searched = { readonly match: string; readonly chats: readonly SentChat[]; readonly note?: string };
type Read = SentChat & { readonly more: { readonly before: boolean; readonly after: boolean } };
type World = PastChats & { readonly store: Store; readonly search: Search };

const ANA: Taint = { kind: "person", label: "Ana on Telegram", source: "telegram/2" };
const PAGE: Taint = { kind: "web", label: "a page", source: "https://example.org/" };
const MARKED: EntryBody = { kind: "marked", taint: ANA };
/** No pattern knows it: only its value does. */
const SECRET = "correct-horse-battery";
const GROUP: Room = { platform: "slack", chat: "C1", thread: "1.2", kind: "shared" };

/** A store with chats in it and the search over them. */
async function world(...changes: readonly Change[]): Promise<World> {
  const secrets = [SECRET];
  const store = await openStore({ folder: ":memory:", ...surroundings });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const search = await openSearch({ folder: ":memory:", store, secrets, ...surroundings });
  onTestFinished(() => search[Symbol.asyncDispose]());
  await done(store, ...changes);
  return { store, search, secrets };
}

const answer = (conversation: string, text: string, at = 6): Change =>
  append(conversation, { kind: "text", turn: "t", part: 1, text }, at);

/** A message of the owner's with words that somebody else wrote, and the mark that comes with it. */
function forward(conversation: string, words: string): readonly Change[] {
  const from: Person = { platform: "telegram", id: "1001", name: "Sam", role: "owner" };
  const message = {
    from,
    at: 5,
    ids: ["9"],
    parts: [
      { kind: "text", messageId: "9", origin: { kind: "own" }, text: "see this" },
      { kind: "text", messageId: "9", origin: { kind: "forwarded", as: "user", from: "Ana", id: "2" }, text: words },
    ],
  } as const;
  return [append(conversation, { kind: "message", message }), append(conversation, MARKED)];
}

/** A running tool's view of a chat; what its marks are is asked of `taints` each time. */
function context(
  taints: () => readonly Taint[] | undefined | Promise<never> = () => [],
  conversation = "asking",
): ToolContext {
  return { conversation, turn: "t", signal: new AbortController().signal, taints: async () => await taints() };
}

function toolOf(past: PastChats, name: string): Tool {
  const tool = pastChatTools(past).find((one) => one.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

async function run(past: PastChats, name: string, input: unknown, where = context()): Promise<ToolResult> {
  const tool = toolOf(past, name);
  return await tool.run(tool.check(input), where);
}

async function searched(past: PastChats, query: string, more: { limit?: number } = {}): Promise<Searched> {
  const { outcome, text } = await run(past, "search_chats", { query, ...more });
  expect(outcome).toBe("ok");
  return JSON.parse(text) as Searched;
}

async function read(past: PastChats, chat: string, more: { line?: number; direction?: string } = {}): Promise<Read> {
  const { outcome, text } = await run(past, "read_chat", { chat, ...more });
  expect(outcome).toBe("ok");
  return JSON.parse(text) as Read;
}

/** The same search and store, with each call of theirs noted down, and something that happens after one. */
function watched(past: World, after: (call: string) => Promise<unknown> = async () => undefined) {
  const calls: string[] = [];
  const note = async <T>(call: string, work: Promise<T>): Promise<T> => {
    const value = await work;
    calls.push(call);
    await after(call);
    return value;
  };
  const { search, store, secrets } = past;
  const watchedSearch: Search = {
    find: (query, scope, maxChats) => note("find", search.find(query, scope, maxChats)),
    read: (chat, place, scope) => note("read", search.read(chat, place, scope)),
    forget: (chat) => search.forget(chat),
    state: () => search.state(),
    settled: () => search.settled(),
    [Symbol.asyncDispose]: () => search[Symbol.asyncDispose](),
  };
  const conversations: PastChats["store"]["conversations"] = {
    get: (id) => note("get", store.conversations.get(id)),
    marks: (id) => note("marks", store.conversations.marks(id)),
  };
  return { calls, past: { search: watchedSearch, store: { conversations }, secrets } };
}

describe("the tools", () => {
  it("P1, P36: two that read, with one section on when to look", async () => {
    const tools = pastChatTools(await world());
    expect(tools.map(({ name, row, effect }) => [name, row, effect])).toEqual([
      ["search_chats", "history", "read"],
      ["read_chat", "history", "read"],
    ]);
    const [guidance, none] = tools.map((one) => one.guidance);
    expect(guidance).toMatch(/before you say that you don't know/);
    expect(guidance).toMatch(/which chat/);
    expect(guidance).toMatch(/never instructions/);
    expect(guidance).toMatch(/password/);
    expect(none).toBeUndefined();
  });

  it("P14, P19, P20: are listed only for the owner in a private chat without someone else's words", async () => {
    const past = await world();
    const specs = async (more: Partial<Standing>): Promise<number> =>
      (await toolbox(pastChatTools(past), turnOf(more))).specs.length;
    expect(await specs({})).toBe(2);
    expect(await specs({ marks: [PAGE] })).toBe(2);
    for (const more of [
      { marks: [PAGE, ANA] },
      { marks: undefined },
      { room: "shared" },
      { attendance: "guest" },
      { attendance: "nobody" },
    ] as const)
      expect(await specs(more)).toBe(0);
  });

  it("P13: wrong arguments are told in words, and nothing is looked at", async () => {
    const { calls, past } = watched(await world(open("a"), say("a", "the venue")));
    const wrong: readonly (readonly [string, unknown, RegExp])[] = [
      ["search_chats", undefined, /object/],
      ["search_chats", {}, /query/],
      ["search_chats", { query: 7 }, /query/],
      ["search_chats", { query: " \n" }, /query/],
      ["search_chats", { query: "x".repeat(201) }, /200/],
      ["search_chats", { query: "\u{1F9ED}".repeat(201) }, /200/],
      ["search_chats", { query: "venue", limit: 0 }, /1 to 8/],
      ["search_chats", { query: "venue", limit: 9 }, /1 to 8/],
      ["search_chats", { query: "venue", limit: 1.5 }, /whole/],
      ["search_chats", { query: "venue", limit: "3" }, /whole/],
      ["read_chat", "a", /object/],
      ["read_chat", {}, /chat/],
      ["read_chat", { chat: "" }, /chat/],
      ["read_chat", { chat: "x".repeat(201) }, /chat/],
      ["read_chat", { chat: "a", line: "1" }, /whole/],
      ["read_chat", { chat: "a", line: -1 }, /line/],
      ["read_chat", { chat: "a", line: Number.NaN }, /whole/],
      ["read_chat", { chat: "a", direction: "back" }, /around, before, after, end/],
      ["read_chat", { chat: "a", direction: "around" }, /needs a line/],
      ["read_chat", { chat: "a", direction: "before" }, /needs a line/],
    ];
    const { call } = await toolbox(pastChatTools(past), turnOf({}));
    for (const [name, input, words] of wrong) {
      expect(await codeOf(() => run(past, name, input))).toBe("tool-input");
      expect(await call({ id: "1", name, input })).toEqual({ outcome: "error", text: expect.stringMatching(words) });
    }
    expect(calls).toEqual([]);
    // What is left out may be null.
    expect(await run(past, "search_chats", { query: "venue", limit: null })).toMatchObject({ outcome: "ok" });
    expect(await run(past, "search_chats", { query: "\u{1F9ED}".repeat(200) })).not.toMatchObject({
      outcome: "denied",
    });
    expect(await run(past, "read_chat", { chat: "a", line: null, direction: null })).toMatchObject({ outcome: "ok" });
  });

  it("P13: words too short to look for, or no words, are told so, marking and showing nothing", async () => {
    const past = await world(open("a"), say("a", "the venue"), append("a", MARKED));
    for (const query of ["a", "?!", "\uD800", '"', "\u0301".repeat(200)]) {
      const result = await run(past, "search_chats", { query });
      expect(result).not.toHaveProperty("marks.0");
      expect(result.text.length).toBeGreaterThan(10);
      if (result.outcome === "ok") expect(JSON.parse(result.text)).toMatchObject({ match: "none", chats: [] });
      else expect(result).toEqual({ outcome: "error", text: result.text });
    }
    expect(await run(past, "search_chats", { query: "a" })).toMatchObject({ outcome: "error" });
  });

  it("P13: while the index is being built it says so, and finds everything once it is", async () => {
    using folder = temporaryFolder();
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await done(store, open("a"), say("a", "the venue"));
    await using search = await openSearch({ folder: folder.path, store, secrets: [], farBehind: 0, ...surroundings });
    const past = { store, search, secrets: [] };
    for (const [name, input] of [
      ["search_chats", { query: "venue" }],
      ["read_chat", { chat: "a" }],
    ] as const)
      expect(await run(past, name, input)).toEqual({ outcome: "error", text: expect.stringMatching(/built/) });
    await search.settled();
    expect(await searched(past, "venue")).toMatchObject({ match: "exact", chats: [{ id: "a" }] });
  });

  it("P13: an index that is being built or broken, and a store that fails, are told in words", async () => {
    const real = await world(open("a"), say("a", "the venue"));
    for (const [thrown, words] of [
      [new GatewayError("search-building", "It is built to 40 %."), "It is built to 40 %."],
      [new GatewayError("search-broken"), /can't be looked through/],
      [new GatewayError("data-broken", `${SECRET} broke`, { hint: "Look at it." }), `${HIDDEN} broke Look at it.`],
      [new Error("SQLITE_CORRUPT at offset 7"), /can't be looked through/],
    ] as const)
      for (const [name, input, at] of [
        ["search_chats", { query: "venue" }, "find"],
        ["read_chat", { chat: "a" }, "read"],
        ["read_chat", { chat: "a" }, "marks"],
      ] as const) {
        const { past } = watched(real, (call) => (call === at ? Promise.reject(thrown) : Promise.resolve()));
        const result = await run(past, name, input);
        expect(result).toEqual({ outcome: "error", text: result.text });
        expect(result.text).toMatch(words);
      }
  });

  it("P14, P15, P17: asks for the chat's marks first, and reads nothing where a person's is among them or nobody can say", async () => {
    const { calls, past } = watched(await world(open("a"), say("a", "the venue")));
    for (const taints of [() => [PAGE, ANA], () => undefined, () => Promise.reject(new Error("gone"))])
      for (const [name, input] of [
        ["search_chats", { query: "venue" }],
        ["read_chat", { chat: "a" }],
      ] as const) {
        const result = await run(past, name, input, context(taints));
        expect(result).toEqual({ outcome: "denied", text: expect.stringMatching(/can't be looked through here/) });
      }
    expect(calls).toEqual([]);
    expect(
      await run(
        past,
        "search_chats",
        { query: "venue" },
        context(() => [PAGE]),
      ),
    ).toMatchObject({ outcome: "ok" });
  });

  it("P16: asks again before it gives anything: someone may have joined", async () => {
    const past = await world(open("a"), say("a", "the venue"), append("a", MARKED));
    for (const [name, input] of [
      ["search_chats", { query: "venue" }],
      ["search_chats", { query: "a" }],
      ["read_chat", { chat: "a" }],
      ["read_chat", { chat: "unknown" }],
    ] as const)
      for (const later of [[ANA], undefined]) {
        const marks: (readonly Taint[] | undefined)[] = [[], later];
        const result = await run(
          past,
          name,
          input,
          context(() => marks.shift()),
        );
        expect(result).toEqual({ outcome: "denied", text: expect.stringMatching(/can't be looked through here/) });
      }
  });
});

describe("search_chats", () => {
  it("P2, P5, P6: gives what the search gives, in its order, without the chat that asks", async () => {
    const past = await world(
      open("asking"),
      say("asking", "venue venue venue"),
      ...["a", "b", "c"].flatMap((id, nth) => [open(id), say(id, `the venue ${"and more ".repeat(nth)}`, [id])]),
      { do: "archive", conversation: "b", archived: true },
    );
    const found = await past.search.find("venue", { except: "asking" });
    const { match, chats } = await searched(past, "venue");
    expect(match).toBe("exact");
    expect(chats.map(({ id, lines }) => [id, lines.map(({ line }) => line)])).toEqual(
      found.chats.map(({ chat, hits }) => [chat, hits.map(({ line }) => line)]),
    );
    expect(chats.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c"]);
    expect(chats.filter(({ archived }) => archived === true).map(({ id }) => id)).toEqual(["b"]);
  });

  it("P7: 5 chats unless asked for more or fewer, and says when there are more", async () => {
    const ids = Array.from({ length: 12 }, (_, nth) => `c${nth}`);
    const past = await world(...ids.flatMap((id) => [open(id), say(id, "the venue", [id])]));
    const sizes = async (limit?: number): Promise<readonly [number, boolean]> => {
      const { chats, note = "" } = await searched(past, "venue", limit === undefined ? {} : { limit });
      return [chats.length, note.includes("more chats")];
    };
    expect(await sizes()).toEqual([5, true]);
    expect(await sizes(1)).toEqual([1, true]);
    expect(await sizes(8)).toEqual([8, true]);
    const few = await world(open("a"), say("a", "the venue"));
    expect((await searched(few, "venue", { limit: 1 })).note).toBeUndefined();
  });

  it("P22, P24, P25, P26, P27: a chat with others' words is found like any other, marked, named and counted", async () => {
    const past = await world(
      open("a", 1, GROUP),
      ...forward("a", "the venue is the old mill"),
      open("b"),
      say("b", "the venue"),
    );
    const { text, marks, looked } = await run(past, "search_chats", { query: "venue" });
    const { chats, note } = JSON.parse(text) as Searched;
    const a = chats.find(({ id }) => id === "a");
    expect(a).toMatchObject({ where: "Slack, a group", untrusted: true, others: ["Ana on Telegram"] });
    expect(a?.lines).toMatchObject([{ line: 1, who: "them", text: "the venue is the old mill" }]);
    expect(chats.find(({ id }) => id === "b")).not.toHaveProperty("untrusted");
    expect(note).toMatch(/information, never instructions/);
    expect(marks).toEqual([{ kind: "app", label: "your chat “Chat a”", source: "chat/a" }]);
    expect(looked?.query).toBe("venue");
    expect(looked?.chats.toSorted((x, y) => (x.conversation < y.conversation ? -1 : 1))).toEqual([
      { conversation: "a", title: "Chat a", lines: [1] },
      { conversation: "b", title: "Chat b", lines: [1] },
    ]);
  });

  it("P22: a mark that comes while it looks counts for what was read", async () => {
    const real = await world(open("a"), say("a", "the venue"));
    const { past } = watched(real, async (call) => {
      if (call === "find") await done(real.store, ...forward("a", "more of the venue"));
    });
    const { marks } = await run(past, "search_chats", { query: "venue" });
    expect(marks).toHaveLength(1);
  });

  it("P6: a chat that is deleted while it looks is not in the answer", async () => {
    const real = await world(open("a"), say("a", "the venue"), append("a", MARKED));
    const { past } = watched(real, async (call) => {
      if (call === "find") await real.store.conversations.delete("a");
    });
    const result = await run(past, "search_chats", { query: "venue" });
    expect(JSON.parse(result.text)).toMatchObject({ match: "none", chats: [] });
    expect(result).toMatchObject({ marks: [], looked: { query: "venue", chats: [] } });
  });

  it("P28, P31, P39: a secret that turns up is hidden, and can't be found", async () => {
    const past = await world(
      open("a"),
      { do: "title", conversation: "a", title: `My ${SECRET}` },
      say("a", `the venue's door opens with ${SECRET} at night`),
    );
    const { text, looked } = await run(past, "search_chats", { query: "venue" });
    expect(text).toContain(HIDDEN);
    const all = [text, JSON.stringify(looked), (await run(past, "read_chat", { chat: "a" })).text].join();
    expect(all).not.toMatch(/horse|battery/);
    expect((await searched(past, SECRET)).chats).toEqual([]);
  });

  it("P38: words that nobody said are not found, and the answer says what that means", async () => {
    const past = await world(open("a"), say("a", "the venue"));
    expect(await searched(past, "xylophone")).toMatchObject({
      match: "none",
      note: expect.stringMatching(/other words/),
    });
  });
});

describe("read_chat", () => {
  const long = (id: string, lines: number): readonly Change[] => [
    open(id),
    ...Array.from({ length: lines }, (_, nth) =>
      nth % 2 === 0 ? say(id, `line ${nth + 1}`, [`${nth}`]) : answer(id, `line ${nth + 1}`),
    ),
  ];
  const numbers = ({ lines }: Read): readonly number[] => lines.map(({ line }) => line);
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, nth) => from + nth);

  it("P3: around a line, before it, after it, from the start, or how the chat ended", async () => {
    const past = await world(...long("a", 40));
    expect(numbers(await read(past, "a"))).toEqual(range(29, 40));
    expect(numbers(await read(past, "a", { direction: "end", line: 3 }))).toEqual(range(29, 40));
    const around = numbers(await read(past, "a", { line: 20 }));
    expect(around).toHaveLength(12);
    expect(around).toContain(20);
    expect(numbers(await read(past, "a", { line: 20, direction: "around" }))).toEqual(around);
    expect(numbers(await read(past, "a", { line: 20, direction: "before" }))).toEqual(range(8, 19));
    expect(numbers(await read(past, "a", { line: 20, direction: "after" }))).toEqual(range(21, 32));
    expect(numbers(await read(past, "a", { direction: "after" }))).toEqual(range(1, 12));
    expect(await read(past, "a", { line: 20 })).toMatchObject({
      id: "a",
      title: "Chat a",
      more: { before: true, after: true },
    });
  });

  it("P3, P12: reading on from either end gives every line once", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 30 }), async (sizes) => {
        const store = await openStore({ folder: ":memory:", ...surroundings });
        const secrets: string[] = [];
        const search = await openSearch({ folder: ":memory:", store, secrets, ...surroundings });
        await done(store, open("a"), ...sizes.map((size, nth) => say("a", '"x'.repeat(size), [`${nth}`])));
        const past = { store, search, secrets };
        for (const direction of ["after", "before"] as const) {
          const seen: number[] = [];
          for (let line = direction === "after" ? 0 : sizes.length + 1; ;) {
            const page = await read(past, "a", { line, direction });
            if (direction === "after") seen.push(...numbers(page));
            else seen.unshift(...numbers(page));
            line = (direction === "after" ? seen.at(-1) : seen[0]) ?? 0;
            if (!page.more[direction]) break;
          }
          expect(seen).toEqual(range(1, sizes.length));
        }
        await search[Symbol.asyncDispose]();
        await store[Symbol.asyncDispose]();
      }),
      { numRuns: 15 },
    );
  });

  it("P3, P27: reading on gives both halves of a message with words of two people", async () => {
    const ids = range(1, 15);
    const past = await world(
      open("a"),
      ...ids.flatMap((nth) => forward("a", `words ${nth}`).slice(0, nth === 1 ? 2 : 1)),
    );
    const seen: string[] = [];
    for (let line = 0, more = true; more;) {
      const page = await read(past, "a", { line, direction: "after" });
      seen.push(...page.lines.map((one) => `${one.line} ${one.who}`));
      line = page.lines.at(-1)?.line ?? 0;
      more = page.more.after && seen.length < 100;
    }
    const numbered = ids.map((nth) => (nth === 1 ? 1 : nth + 1));
    expect(seen).toEqual(numbered.flatMap((nth) => [`${nth} you`, `${nth} them`]));
  });

  it("P13, P16: a chat that may not be read and one that is not there look the same, and take the same reads", async () => {
    const real = await world(...long("asking", 3), ...long("gone", 3), open("empty"));
    await real.search.settled();
    await real.store.conversations.delete("gone");
    await real.search.forget("gone");
    const seen = [];
    for (const chat of ["asking", "gone", "empty", "unknown", '"; DROP TABLE chat; --'])
      for (const more of [{}, { line: 1 }, { line: 2, direction: "before" }]) {
        const { calls, past } = watched(real);
        seen.push(JSON.stringify([await run(past, "read_chat", { chat, ...more }), calls]));
      }
    expect(new Set(seen)).toEqual(
      new Set([
        JSON.stringify([
          { outcome: "error", text: "There is no such chat to read. Use an id that search_chats gave." },
          ["read", "get", "marks"],
        ]),
      ]),
    );
  });

  it("P22, P33: what it shows marks the asking chat and is noted without a query", async () => {
    const past = await world(open("a"), ...forward("a", "the venue is the old mill"));
    const { text, marks, looked } = await run(past, "read_chat", { chat: "a", line: 1 });
    expect(JSON.parse(text)).toMatchObject({
      untrusted: true,
      others: ["Ana on Telegram"],
      lines: [
        { line: 1, who: "you", text: "see this" },
        { line: 1, who: "them", text: "the venue is the old mill" },
      ],
    });
    expect(marks).toEqual([{ kind: "app", label: "your chat “Chat a”", source: "chat/a" }]);
    expect(looked).toEqual({ chats: [{ conversation: "a", title: "Chat a", lines: [1] }] });
  });

  it("P22: a mark that comes while it reads counts", async () => {
    const real = await world(open("a"), say("a", "the venue"));
    const { past } = watched(real, async (call) => {
      if (call === "read") await done(real.store, ...forward("a", "the venue"));
    });
    expect((await run(past, "read_chat", { chat: "a" })).marks).toHaveLength(1);
  });
});

/** A turn with a standing; what it writes down goes nowhere. */
function turnOf(more: Partial<Standing>): ToolboxTurn {
  const standing: Standing = {
    attendance: "owner",
    room: "private",
    marks: [],
    mode: "ask",
    checkAfterReading: true,
    ...more,
  };
  return {
    conversation: "asking",
    turn: "t",
    workFolder: "/work/asking",
    standing: async () => standing,
    given: new Set(),
    places: { judge: async () => ({ inside: false, closed: false }), namesClosed: () => false },
    signal: new AbortController().signal,
    said: () => [],
    append: async () => true,
    ask: async () => undefined,
  };
}
