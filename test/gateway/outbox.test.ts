import { describe, expect, test } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import { PRIVATE, stage } from "./stage.ts";

const text = (words: string, part = 0, turn = "t"): EntryBody => ({ kind: "text", turn, part, text: words });
const notice = (words: string): EntryBody => ({ kind: "notice", text: words, quiet: true });
const SECOND = 1000;
const LONG = 600 * SECOND;

describe("what becomes of a message that is shown", () => {
  test("D11, D12: each entry is planned once and shown once, also over restarts", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    const first = await outbox();
    await append("private", text("one"));
    await first[Symbol.asyncDispose]();
    await append("private", text("two", 1));
    const second = await outbox();
    await pass(0);
    expect(platform.told).toEqual(["new one", "new two"]);
    expect(await store.outbox.counts()).toEqual({ planned: 0, unknown: 0, refused: 0 });
    await second[Symbol.asyncDispose]();
  });

  test("D13: a message that was not sent is tried again until it is", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "wait", waitMs: 0, why: "unreachable" }, { is: "wait", waitMs: 0, why: "unreachable" });
    await append("private", text("one"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new one", "new one"]);
    expect(platform.calls[0]?.how.nonce).toBe(platform.calls[2]?.how.nonce);
  });

  test("D18, T26: the platform's wait is kept to the millisecond, and nothing goes to that chat meanwhile", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "wait", waitMs: 35 * SECOND, why: "too-fast" });
    await append("private", text("one"));
    await append("private", text("two", 1));
    await pass(34 * SECOND);
    expect(platform.calls).toHaveLength(1);
    await pass(2 * SECOND);
    expect(platform.told).toEqual(["new one", "new one", "new two"]);
    expect((platform.calls[1]?.at ?? 0) - (platform.calls[0]?.at ?? 0)).toBe(35 * SECOND);
  });

  test("D15: a final part of unknown outcome is shown again with a mark, at most twice, and then given up", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "unknown" }, { is: "unknown" }, { is: "unknown" });
    await append("private", text("one"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new repeat one", "new repeat one"]);
    expect(await store.outbox.counts()).toMatchObject({ refused: 1 });
  });

  test("D15: a notice of unknown outcome is dropped", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "unknown" });
    await append("private", notice("status"));
    await pass(LONG);
    expect(platform.told).toEqual(["new status"]);
  });

  test("D12: where the platform can be asked, it is asked before anything is sent again", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "unknown" });
    platform.recovered = { is: "shown", ref: "found" };
    await append("private", text("one"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one"]);
    platform.script.push({ is: "unknown" });
    platform.recovered = { is: "absent" };
    await append("private", text("two", 1));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new two", "new two"]);
  });

  test("D12, D16, D17: it is asked for by what was sent, since when, and again while it can't be asked", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "unknown" });
    platform.recovered = { is: "wait", waitMs: 5000 };
    await append("private", text("one"));
    await append("private", text("two", 1));
    await pass(60_000);
    const [sent] = platform.calls;
    expect(platform.told).toEqual(["new one"]);
    expect(platform.looked.length).toBeGreaterThan(1);
    for (const { nonce, since, piece } of platform.looked)
      expect({ nonce, since, text: piece.plain }).toEqual({ nonce: sent?.how.nonce, since: sent?.at, text: "one" });
    const [first, second] = platform.looked;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(5000);
    platform.recovered = { is: "absent" };
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new one", "new two"]);
    // Under the same nonce, by which a platform knows the repeat.
    expect(platform.calls[1]?.how.nonce).toBe(sent?.how.nonce);
    expect(platform.calls[2]?.how.nonce).not.toBe(sent?.how.nonce);
  });

  test("D14: an edit of unknown outcome is made again", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    await append("private", text("one"));
    platform.script.push({ is: "unknown" });
    await append("private", text("one, better"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "edit ref1 one, better", "edit ref1 one, better"]);
  });

  test("D12: an attempt that a crash cut off is judged at the next start, and never simply made again", async () => {
    const { outbox, append, platform, pass } = await stage();
    const first = await outbox();
    platform.script.push("hang");
    await append("private", text("one"));
    const closing = first[Symbol.asyncDispose]();
    await pass(5 * SECOND);
    await closing;
    const second = await outbox();
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new repeat one"]);
    await second[Symbol.asyncDispose]();
  });

  test("D19: what can't be parsed goes once as plain text; refused again, it is given up", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    await using _ = await outbox();
    const refusal = { is: "refused", why: "not-parseable", detail: "" } as const;
    platform.script.push(refusal);
    await append("private", text("one"));
    platform.script.push(refusal, refusal);
    await append("private", text("two", 1));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new plain one", "new two", "new plain two"]);
    expect(await store.outbox.counts()).toMatchObject({ refused: 1 });
  });

  test("D21: another refusal is tried once as plain text and then given up, and what follows is shown", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    const refusal = { is: "refused", why: "other", detail: "BUTTON_DATA_INVALID" } as const;
    platform.script.push(refusal, refusal);
    await append("private", text("one"), text("two", 1));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new plain one", "new two"]);
  });

  test("D21: a text too long for the platform is shown as two, in its place", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "refused", why: "too-long", detail: "" });
    await append("private", text("first half second half"), text("after", 1));
    await pass(LONG);
    expect(platform.told).toEqual([
      "new first half second half",
      "new plain first half ",
      "new plain second half",
      "new after",
    ]);
  });

  test("D20: a room that is gone takes what waits for it along, and other rooms go on", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "refused", why: "gone", detail: "blocked" });
    await append("private", text("one"), text("two", 1), text("three", 2));
    await append("group", text("four", 0, "g"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new four"]);
    expect(await store.outbox.counts()).toEqual({ planned: 0, unknown: 0, refused: 3 });
  });

  test("D12: an edit whose message is gone is shown as a new one", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    await append("private", text("one"));
    platform.script.push({ is: "refused", why: "edit-gone", detail: "" });
    await append("private", text("one, better"));
    await append("private", text("one, best"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "edit ref1 one, better", "new one, better", "edit ref3 one, best"]);
  });

  test("D18: a later edit takes the place of one that still waits", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    await append("private", text("one"));
    platform.script.push({ is: "wait", waitMs: 10 * SECOND, why: "too-fast" });
    await append("private", text("a"));
    await append("private", text("b"));
    await append("private", text("c"));
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "edit ref1 a", "edit ref1 c"]);
  });

  test("D22: nothing overtakes in a room, and a long answer's pieces stay together", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "shown", ref: "x" }, { is: "wait", waitMs: 5 * SECOND, why: "too-fast" });
    await append("private", text("1\n\n2\n\n3"));
    await append("private", notice("later"));
    await pass(LONG);
    expect(platform.told).toEqual(["new 1", "new 2", "new 2", "new 3", "new later"]);
  });

  test("T13: a chat that got a new id is written to there, with everything that waited", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "moved", chat: "2" });
    await append("private", text("one"), text("two", 1));
    await pass(LONG);
    expect(platform.calls.map(({ room, text: words }) => `${room.chat} ${words}`)).toEqual(["1 one", "2 one", "2 two"]);
    expect((await store.conversations.get("private"))?.room.chat).toBe("2");
  });

  test("T26: messages to one chat keep its pace, other chats don't wait for it", async () => {
    const { outbox, append, platform, pass, surroundings } = await stage({
      pace: { perChatMs: SECOND, perGroupPerMinute: 0, perSecond: 0, draftMs: SECOND },
    });
    await using _ = await outbox();
    const begin = surroundings.clock.now();
    await append("private", text("a"), text("b", 1), text("c", 2));
    await append("group", text("d", 0, "g"));
    await pass(LONG);
    expect(platform.calls.map(({ text: words, at }) => `${words} ${at - begin}`)).toEqual([
      "a 0",
      "d 0",
      "b 1000",
      "c 2000",
    ]);
  });

  test("T26: a group gets no more than its messages a minute", async () => {
    const { outbox, append, platform, pass, surroundings } = await stage({
      pace: { perChatMs: 0, perGroupPerMinute: 2, perSecond: 0, draftMs: SECOND },
    });
    await using _ = await outbox();
    const begin = surroundings.clock.now();
    await append("group", ...[0, 1, 2, 3].map((part) => text(`${part}`, part)));
    await pass(LONG);
    expect(platform.calls.map(({ at }) => at - begin)).toEqual([0, 0, 60 * SECOND, 60 * SECOND]);
  });
});

describe("what a running turn shows", () => {
  const draft = (words: string, part = 0): { readonly turn: string; readonly part: number; readonly text: string } => ({
    turn: "t",
    part,
    text: words,
  });

  async function running(room: "private" | "group", limits?: Parameters<typeof stage>[0]) {
    const here = await stage(limits);
    const outbox = await here.outbox();
    const conversation = await here.store.conversations.get(room);
    if (conversation === undefined) throw new Error("no conversation");
    return { ...here, outbox, live: outbox.live(conversation, "t") };
  }

  test("G42: a quick turn hints at nothing", async () => {
    const { outbox, live, append, platform, pass } = await running("private");
    live.update(draft("one"));
    await pass(200);
    await append("private", text("one"));
    outbox.endLive("t");
    await pass(LONG);
    expect(platform.hints).toEqual([]);
    expect(platform.told).toEqual(["new one"]);
  });

  test("G42, T25: typing is renewed before it fades, and ends with the turn", async () => {
    const { outbox, platform, pass } = await running("private");
    await pass(9 * SECOND);
    expect(platform.hints.map((hint) => hint.kind)).toEqual(["typing", "typing", "typing"]);
    outbox.endLive("t");
    await pass(LONG);
    expect(platform.hints).toHaveLength(3);
  });

  test("T21, D44: drafts keep their pace, carry the newest text, and are never in the log", async () => {
    const { live, store, platform, pass } = await running("private");
    for (let n = 1; n <= 40; n += 1) {
      live.update(draft("x".repeat(n)));
      await pass(100);
    }
    const lengths = platform.hints.map((hint) => (hint.kind === "draft" ? hint.text.length : 0));
    expect(lengths.length).toBeLessThanOrEqual(5);
    expect(lengths.at(-1)).toBeGreaterThan(20);
    const gaps = platform.hints.slice(1).map((hint, at) => hint.at - (platform.hints[at]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(SECOND);
    expect(await store.log.read("private")).toEqual([]);
  });

  test("T21: a draft that the platform refuses leaves it alone for as long as it says", async () => {
    const { live, platform, pass } = await running("private");
    platform.hintAnswer = { is: "wait", waitMs: 30 * SECOND, why: "too-fast" };
    for (let n = 1; n <= 100; n += 1) {
      live.update(draft("x".repeat(n)));
      await pass(200);
    }
    expect(platform.hints).toHaveLength(1);
  });

  test("T25: once a part is final no draft of it is shown any more", async () => {
    const { live, append, platform, pass } = await running("private");
    live.update(draft("half"));
    await pass(400);
    await append("private", text("half and whole"));
    live.update(draft("half and whole"));
    await pass(10 * SECOND);
    expect(platform.hints.filter((hint) => hint.kind === "draft").map((hint) => hint.text)).toEqual(["half"]);
    expect(platform.told).toEqual(["new half and whole"]);
  });

  test("T22, T23: in a group one message is edited as the text grows, and the final text takes its place", async () => {
    const { outbox, live, append, platform, pass } = await running("group");
    live.update(draft("a"));
    await pass(1500);
    live.update(draft("a b"));
    await pass(1500);
    await pass(5 * SECOND);
    await append("group", text("a b c"));
    outbox.endLive("t");
    await pass(LONG);
    expect(platform.told).toEqual(["new a", "edit ref1 a b", "edit ref1 a b c"]);
  });

  test("D10, T22: the message under way has a Stop button whose key is kept", async () => {
    const { live, platform, store, pass } = await running("group");
    live.update(draft("a"));
    await pass(SECOND);
    expect(platform.calls).toHaveLength(1);
    const keys = ["key1", "key2", "key3", "key4"];
    const buttons = await Promise.all(keys.map(async (key) => await store.records.button(key)));
    expect(buttons).toContainEqual({ conversation: "group", does: "stop", turn: "t" });
  });

  test("D22: edits under way take no turn of the pace from messages that wait", async () => {
    const pace = { perChatMs: SECOND, perGroupPerMinute: 0, perSecond: 0, draftMs: 100 };
    const { live, append, platform, pass, surroundings } = await running("group", { pace });
    live.update(draft("a"));
    await pass(2 * SECOND);
    const begin = surroundings.clock.now();
    await append("group", text("x", 0, "other"), text("y", 1, "other"), text("z", 2, "other"));
    for (let n = 0; n < 20; n += 1) {
      live.update(draft(`a${n}`));
      await pass(100);
    }
    const finals = platform.calls.filter((call) => /^[xyz]$/.test(call.text));
    expect(finals.map(({ at }) => at - begin)).toEqual([0, SECOND, 2 * SECOND]);
  });

  test("D18: an edit under way that comes too fast is dropped, and the final text is shown after the wait", async () => {
    const { outbox, live, append, platform, pass } = await running("group");
    live.update(draft("a"));
    await pass(SECOND);
    platform.script.push({ is: "wait", waitMs: 35 * SECOND, why: "too-fast" });
    live.update(draft("a b"));
    await pass(2 * SECOND);
    await append("group", text("a b c"));
    outbox.endLive("t");
    await pass(LONG);
    expect(platform.told).toEqual(["new a", "edit ref1 a b", "edit ref1 a b c"]);
  });

  test("T23: a first message under way that may or may not stand there is not sent again", async () => {
    const { outbox, live, append, platform, pass } = await running("group");
    platform.script.push({ is: "unknown" });
    live.update(draft("a"));
    await pass(2 * SECOND);
    await append("group", text("a b"));
    outbox.endLive("t");
    await pass(LONG);
    expect(platform.told).toEqual(["new a", "new a b"]);
    expect(platform.calls[0]?.room).not.toEqual(PRIVATE);
  });
});
