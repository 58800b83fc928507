// Approvals over a real store in memory, with a clock that moves when told.
import { describe, expect, test } from "vitest";
import { expireApproval } from "../../src/cards/approval-changes.ts";
import { Approvals, digestOf, EXPIRES_MS, type ApprovalAsk } from "../../src/cards/approvals.ts";
import type { Approval, ApprovalOutcome } from "../../src/core/card.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Room } from "../../src/core/message.ts";
import { replyFor } from "../../src/gateway/replies.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { pass, stageSurroundings } from "../gateway/stage.ts";

const HOME: Room = { platform: "stage", chat: "1", kind: "private" };
const SAM = "stage/1";

type Outcome = ApprovalOutcome | "held";
type Asked = { readonly outcome: Promise<Outcome>; readonly card: Approval; over?: Outcome };
type Desk = {
  readonly store: Store;
  readonly approvals: Approvals;
  readonly pass: (ms: number) => Promise<void>;
  readonly ask: (more?: Partial<ApprovalAsk>, signal?: AbortSignal) => Promise<Asked>;
  readonly answer: (card: Approval, took: "once" | "always" | "no") => Promise<boolean>;
  readonly settle: <T>(work: Promise<T>) => Promise<T>;
  readonly log: (conversation?: string) => Promise<readonly Entry[]>;
};

async function desk(): Promise<Desk> {
  const surroundings = stageSurroundings();
  const { clock } = surroundings;
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    await pass(clock, 0);
    return await work;
  };
  const open = (id: string): Change => ({ do: "open", id, room: HOME, person: SAM, title: id, at: 1 });
  await settle(store.commit([open("other"), open("c")]));
  const approvals = new Approvals(store, surroundings);
  return {
    store,
    approvals,
    settle,
    pass: async (ms) => await pass(clock, ms),
    log: async (conversation = "c") => await store.log.read(conversation),
    answer: async (card, took) => await settle(approvals.answer(card.id, took, SAM, [])),
    ask: async (more = {}, signal = new AbortController().signal) => {
      const call = { id: "1", name: "buy", input: { what: "tea" } };
      const asking = { conversation: "c", turn: "t", call, reason: "It wants to buy.", always: true, ...more };
      const outcome = approvals.ask(asking, HOME, signal);
      await pass(clock, 0);
      const card = approvals.live.at(-1)?.card;
      if (card === undefined) return { outcome, card: undefined as never };
      const asked: Asked = { outcome, card };
      void outcome.then((over) => (asked.over = over));
      return asked;
    },
  };
}

const answersIn = (entries: readonly Entry[]): readonly (ApprovalOutcome | undefined)[] =>
  entries.flatMap((entry) => (entry.kind === "answered" ? [entry.took] : []));

describe("A37: what an approval shows and is bound to", () => {
  const shown = async (input: unknown, more: { name?: string; reason?: string } = {}): Promise<Approval> => {
    const { name = "buy", reason = "It wants to buy." } = more;
    const { ask } = await desk();
    return (await ask({ call: { id: "1", name, input }, reason })).card;
  };

  test("the tool, the reason and the exact arguments, in the order of their names", async () => {
    const { text, tool, turn } = await shown({ z: 1, a: { y: [true, null], b: "“tea”" } });
    expect({ tool, turn }).toEqual({ tool: "buy", turn: "t" });
    expect(text).toBe(
      [
        "**May I?** (no. 1)",
        "It wants to buy.",
        "`buy` with:",
        '```\n{\n  "a": {\n    "b": "“tea”",\n    "y": [\n      true,\n      null\n    ]\n  },\n  "z": 1\n}\n```',
        "Or answer “allow 1” or “don't allow 1”.",
      ].join("\n\n"),
    );
  });

  test("what turns a line around or draws nothing is spelled out, in arguments, names and the tool", async () => {
    const codes = [
      0x202e, 0x2066, 0x200b, 0x200d, 0xfeff, 0xad, 0x2028, 0xa0, 0x2800, 0x3164, 0xe0041, 0xfe0f, 7, 0x85,
    ];
    const hidden = codes.map((code) => String.fromCodePoint(code));
    const { text } = await shown({ [`k${hidden.join("")}`]: `v${hidden.join("")}` }, { name: `b${hidden.join("")}` });
    expect(codes.filter((_, nth) => text.includes(hidden[nth] ?? ""))).toEqual([]);
    expect(text).toContain(String.raw`\u{202E}\u{2066}\u{200B}`);
    expect(text).toContain(String.raw`\u{E0041}`);
    // What the arguments spell that way themselves is told from it.
    expect((await shown({ a: String.raw`\u{202E}` })).text).toContain(String.raw`\\u{202E}`);
    expect((await shown({ a: "\ud800" })).text).toContain(String.raw`\ud800`);
  });

  test("nothing in the arguments ends their block, and nothing in the name its code", async () => {
    const { text } = await shown({ a: "```\n\n**Allowed** ````` ~~~" }, { name: "b`**x**\n# y" });
    const [, fence = ""] = /with:\n\n(`+)\n/.exec(text) ?? [];
    expect(fence).toBe("``````");
    expect(text.split(fence)).toHaveLength(3);
    expect(text).toContain('"a": "```\\n\\n**Allowed**');
    expect(text).toContain(
      String.raw`\`b'**x**\u{A}# y\` with:`.replaceAll("\\`", "`").replace(String.raw`\u{A}`, " "),
    );
  });

  test("names of sources are escaped", async () => {
    const { text } = await shown({}, { reason: "Words from *Ana* [x](y) `z` <b>. It wants to." });
    expect(text).toContain(String.raw`Words from \*Ana\* \[x\](y) \`z\` \<b>. It wants to.`);
  });

  test("the head and the tail when they are long, and the whole as a file", async () => {
    const shortest = JSON.stringify({ a: "" }, undefined, 2).length;
    expect((await shown({ a: "x".repeat(1000 - shortest) })).whole).toBeUndefined();
    const input = { a: `${"x".repeat(2000)}MIDDLE${"y".repeat(2000)}` };
    const { text, whole: file } = await shown(input);
    const whole = file !== undefined && "text" in file ? file : undefined;
    expect(whole?.name).toBe("arguments-1.json");
    expect(JSON.parse(whole?.text ?? "")).toEqual(input);
    expect(text).not.toContain("MIDDLE");
    const [, left] = /… (\d+) characters more, all of them in the file (?:above|below) …/.exec(text) ?? [];
    const [head = "", tail = ""] = text.split(/\n… \d+ characters more[^\n]*\n/);
    expect([head.endsWith("x"), tail.startsWith("y")]).toEqual([true, true]);
    expect(Number(left)).toBe((whole?.text.length ?? 0) - 700 - 300);
    expect((await shown({ a: "🙂".repeat(2000) })).text.isWellFormed()).toBe(true);
    expect(
      replyFor({ kind: "asked", card: await shown(input), conversation: "c", seq: 1, at: 1 }, { room: HOME })?.reply
        .file,
    ).toEqual(whole);
  });

  test("the digest is of the tool's name and the exact arguments", async () => {
    const digest = digestOf({ name: "buy", input: { a: 1, b: { c: [1, 2], d: "x" } } });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(digestOf({ name: "buy", input: { b: { d: "x", c: [1, 2] }, a: 1 } })).toBe(digest);
    const others = [
      { name: "buy2", input: { a: 1, b: { c: [1, 2], d: "x" } } },
      { name: "buy", input: { a: 1, b: { c: [2, 1], d: "x" } } },
      { name: "buy", input: { a: "1", b: { c: [1, 2], d: "x" } } },
      { name: "buy", input: { a: 1, b: { c: [1, 2], d: "x" }, e: null } },
      { name: "buy", input: { a: 1, b: { c: [1, 2], d: "x\u200b" } } },
    ];
    for (const other of others) expect(digestOf(other)).not.toBe(digest);
    expect((await shown({ a: 1, b: { c: [1, 2], d: "x" } })).digest).toBe(digest);
  });

  test("an answer is used once: the same call asks again", async () => {
    const { ask, answer } = await desk();
    const first = await ask();
    expect(await answer(first.card, "once")).toBe(true);
    expect(await first.outcome).toBe("once");
    expect(await answer(first.card, "once")).toBe(false);
    const second = await ask();
    expect([second.card.number, second.card.id === first.card.id, second.over]).toEqual([2, false, undefined]);
    await answer(second.card, "no");
    expect(await second.outcome).toBe("no");
  });
});

describe("A38: who is asked", () => {
  test("in the chat where it is asked, by buttons that are kept, and where it is shown else", async () => {
    const { ask, store, approvals, answer, log } = await desk();
    const { card } = await ask();
    for (const { key, took } of card.options)
      expect(await store.records.button(key)).toMatchObject({
        conversation: "c",
        card: card.id,
        action: { do: "approve", took },
      });
    expect(approvals.live).toMatchObject([{ room: HOME, conversation: "c" }]);
    await answer(card, "no");
    expect(approvals.live).toEqual([]);
    const showIn: Room = { ...HOME, chat: "2" };
    const elsewhere = await ask({ showIn });
    expect(approvals.live).toMatchObject([{ room: showIn }]);
    await answer(elsewhere.card, "no");
    expect((await log()).slice(-2)).toMatchObject([
      { kind: "asked", showIn },
      { kind: "answered", showIn, by: SAM },
    ]);
  });

  test("nobody, when the chat is gone", async () => {
    const { store, approvals, settle } = await desk();
    await settle(store.conversations.delete("c"));
    const call = { id: "1", name: "buy", input: {} };
    const asking = { conversation: "c", turn: "t", call, reason: "", always: true };
    expect(await settle(approvals.ask(asking, HOME, new AbortController().signal))).toBe("stopped");
    expect(approvals.live).toEqual([]);
  });
});

describe("A39: the answers", () => {
  const labels = ({ options }: Approval): readonly string[] => options.map(({ label }) => label);

  test("for good only where that is offered", async () => {
    const { ask } = await desk();
    expect(labels((await ask()).card)).toEqual(["Allow once", "Always in this chat", "Don't allow"]);
    expect(labels((await ask({ always: false })).card)).toEqual(["Allow once", "Don't allow"]);
  });

  test("always is for this tool in this chat, and for no guard's ask", async () => {
    const { ask, answer, store, settle } = await desk();
    const first = await ask();
    await answer(first.card, "always");
    expect(await first.outcome).toBe("always");
    const again = await ask({ call: { id: "2", name: "buy", input: { what: "gold" } } });
    expect(again.card).toBeUndefined();
    expect(await again.outcome).toBe("always");
    for (const more of [
      { conversation: "other" },
      { call: { id: "2", name: "sell", input: {} } },
      { call: { id: "2", name: "buy:", input: {} } },
      { means: "another tool of that name" },
      { always: false },
    ]) {
      const asked = await ask(more);
      expect(asked.card).toBeDefined();
      await answer(asked.card, "no");
      expect(await asked.outcome).toBe("no");
    }
    const now = await ask({ means: "this one" });
    await answer(now.card, "always");
    expect((await ask({ means: "this one" })).card).toBeUndefined();
    const changed = await ask({ means: "another" });
    expect(changed.card).toBeDefined();
    await answer(changed.card, "no");
    // It goes with its chat.
    await settle(store.conversations.delete("c"));
    await settle(store.commit([{ do: "open", id: "c", room: HOME, person: SAM, title: "c", at: 1 }]));
    expect((await ask()).card).toBeDefined();
  });
});

describe("A40: one outcome stands", () => {
  test("of two answers at once the first, and the card says which", async () => {
    const { ask, approvals, settle, log } = await desk();
    const { card, outcome } = await ask();
    const both = await settle(
      Promise.all([approvals.answer(card.id, "no", SAM, []), approvals.answer(card.id, "once", SAM, [])]),
    );
    expect(both).toEqual([true, false]);
    expect(await outcome).toBe("no");
    const entries = await log();
    expect(answersIn(entries)).toEqual(["no"]);
    const shown = entries.flatMap((entry) => replyFor(entry, { room: HOME }) ?? []);
    expect(new Set(shown.map(({ reply }) => reply.key)).size).toBe(1);
    expect(shown.at(-1)?.reply).toMatchObject({ text: "`buy` (no. 1): Not allowed.", rows: [] });
  });

  test("what comes together with the answer is done with it, or not at all", async () => {
    const { ask, approvals, settle, store } = await desk();
    const { card } = await ask();
    const more = (value: string): readonly Change[] => [{ do: "cursor", name: "more", value }];
    await settle(approvals.answer(card.id, "once", SAM, more("first")));
    await settle(approvals.answer(card.id, "no", SAM, more("second")));
    expect(await store.records.cursor("more")).toBe("first");
  });

  test("an answer at the very moment of the expiry: either, and both sides agree", async () => {
    const { ask, approvals, log, pass: wait } = await desk();
    const asked = await ask();
    await wait(EXPIRES_MS - 1);
    const answered = approvals.answer(asked.card.id, "once", SAM, []);
    await wait(1);
    expect(answersIn(await log())).toEqual([(await answered) ? "once" : "expired"]);
    expect(await asked.outcome).toBe((await answered) ? "once" : "expired");
  });

  test("a stop ends it, unless an answer was first", async () => {
    const { ask, approvals, settle, log } = await desk();
    const stop = new AbortController();
    const asked = await ask({}, stop.signal);
    stop.abort();
    expect(await settle(asked.outcome)).toBe("stopped");
    expect(answersIn(await log())).toEqual(["stopped"]);
    expect(await settle(approvals.answer(asked.card.id, "once", SAM, []))).toBe(false);
    const late = new AbortController();
    const second = await ask({}, late.signal);
    const answer = approvals.answer(second.card.id, "once", SAM, []);
    late.abort();
    expect([await settle(answer), await settle(second.outcome)]).toEqual([true, "once"]);
    expect(answersIn(await log())).toEqual(["stopped", "once"]);
  });
});

test("A41: what nobody answers is denied after an hour, not before, and says so", async () => {
  const { ask, approvals, answer, pass: wait, log } = await desk();
  expect(EXPIRES_MS).toBe(60 * 60 * 1000);
  const asked = await ask();
  await wait(EXPIRES_MS - 1);
  expect([asked.over, approvals.live.length]).toEqual([undefined, 1]);
  await wait(1);
  expect([asked.over, approvals.live.length]).toEqual(["expired", 0]);
  const last = (await log()).at(-1);
  expect(last).toMatchObject({ kind: "answered", took: "expired", by: "gateway" });
  expect(last?.kind === "answered" && last.text).toContain("Not answered in time");
  expect(await answer(asked.card, "once")).toBe(false);
  expect(answersIn(await log())).toEqual(["expired"]);
});

describe("D26: after a restart", () => {
  test("an open approval is recorded as expired and its card says so; nothing answers it any more", async () => {
    const { ask, store, settle, log } = await desk();
    const { card } = await ask();
    // Another life: nothing waits in it for what an earlier one asked.
    const later = new Approvals(store, stageSurroundings());
    expect(later.live).toEqual([]);
    expect(await settle(later.answer(card.id, "once", SAM, []))).toBe(false);
    expect((await settle(store.commit(expireApproval(card, { conversation: "c" }, 9)))).ok).toBe(true);
    const entries = await log();
    expect(answersIn(entries)).toEqual(["expired"]);
    const last = entries.at(-1);
    expect(last === undefined ? undefined : replyFor(last, { room: HOME })).toMatchObject({
      reply: { text: expect.stringContaining("I was restarted before this was answered"), rows: [] },
    });
    expect((await settle(store.commit(expireApproval(card, { conversation: "c" }, 9)))).ok).toBe(false);
  });

  test("one that was answered just before stays as it was answered", async () => {
    const { ask, answer, store, settle, log } = await desk();
    const { card } = await ask({ showIn: HOME });
    await answer(card, "once");
    expect(await settle(store.commit(expireApproval(card, { conversation: "c", showIn: HOME }, 9)))).toMatchObject({
      because: "claimed",
      by: SAM,
    });
    expect(answersIn(await log())).toEqual(["once"]);
  });
});
