// What the outbox plans when a start is not like the last one: a platform that was away, a turn that begins anew, a slow stop.
import { describe, expect, test } from "vitest";
import type { Room } from "../../src/core/message.ts";
import type { Piece, Showing, Shown } from "../../src/core/reply.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import type { Store } from "../../src/store/port.ts";
import { LIMITS, stage, StagePlatform } from "./stage.ts";

const SECOND = 1000;
const LONG = 600 * SECOND;
const ANEW = "_I was interrupted here and began anew._";
const text = (words: string, part = 0, turn = "t"): EntryBody => ({ kind: "text", turn, part, text: words });
const started = (again: boolean): EntryBody => ({
  kind: "turn-started",
  turn: "t",
  engine: "demo",
  upTo: 1,
  attendance: "owner",
  again,
});
const done: EntryBody = { kind: "turn-ended", turn: "t", reason: "done" };

/** A platform whose next message is held until it is let go. */
class Held extends StagePlatform {
  readonly gate = Promise.withResolvers<void>();
  #held = false;

  override async show(room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> {
    if (!this.#held) {
      this.#held = true;
      await this.gate.promise;
      // Cut off: whoever asks can't know whether it arrived.
      if (signal.aborted) return { is: "unknown" };
    }
    return await super.show(room, piece, how, signal);
  }
}

describe("a platform that is not there at a start", () => {
  /** A second platform beside the stage's own, with a conversation there; `life` opens an outbox for the platforms named. */
  async function two() {
    const here = await stage();
    const { store, surroundings, platform, pass } = here;
    const other = new StagePlatform(surroundings.clock);
    const ways = { stage: { outlet: platform, limits: LIMITS }, other: { outlet: other, limits: LIMITS } };
    const settle = async <T>(work: Promise<T>): Promise<T> => {
      await pass(0);
      return await work;
    };
    const room: Room = { platform: "other", chat: "7", kind: "private" };
    await settle(store.commit([{ do: "open", id: "there", room, person: "other/7", title: "there", at: 1 }]));
    const say = async (words: string): Promise<void> => {
      const body = text(words, 0, words);
      await settle(store.commit([{ do: "append", conversation: "there", body, at: surroundings.clock.now() }]));
      await pass(0);
    };
    const life = async (...names: readonly (keyof typeof ways)[]): Promise<Outbox> => {
      const outbox = new Outbox(store, new Map(names.map((name) => [name, ways[name]])), surroundings);
      await settle(outbox.open());
      return outbox;
    };
    const over = async (outbox: Outbox): Promise<void> => {
      const closing = outbox[Symbol.asyncDispose]();
      await pass(10 * SECOND);
      await closing;
    };
    return { ...here, other, say, life, over };
  }

  test("D11: what was said for it meanwhile is shown when it is back, and nothing of the others again", async () => {
    const { append, say, life, over, platform, other, pass } = await two();
    const both = await life("stage", "other");
    await say("before");
    await over(both);
    await say("while nothing runs");
    const alone = await life("stage");
    await append("private", text("shown here"));
    await say("while only the other one runs");
    await append("private", text("and this", 1));
    await pass(LONG);
    await over(alone);
    expect(other.told).toEqual(["new before"]);
    const again = await life("stage", "other");
    await pass(LONG);
    await over(again);
    expect(other.told).toEqual(["new before", "new while nothing runs", "new while only the other one runs"]);
    expect(platform.told).toEqual(["new shown here", "new and this"]);
  });

  test("D11: a row that was planned for it and not shown waits for it", async () => {
    const { append, say, life, over, platform, other, pass } = await two();
    const both = await life("stage", "other");
    other.script.push({ is: "wait", waitMs: LONG, why: "unreachable" });
    await say("before");
    await over(both);
    const alone = await life("stage");
    await append("private", text("shown here"));
    await pass(LONG);
    await over(alone);
    const again = await life("stage", "other");
    await pass(LONG);
    await over(again);
    expect(other.told).toEqual(["new before", "new before"]);
    expect(platform.told).toEqual(["new shown here"]);
  });

  test("D11, D25: entries that are read again for it take nothing back of what a turn's second try waits to show", async () => {
    const { append, life, over, platform, pass } = await two();
    await over(await life("stage", "other"));
    const alone = await life("stage");
    platform.script.push({ is: "wait", waitMs: LONG, why: "too-fast" });
    await append("private", started(false));
    await append("private", started(true), text("The answer."), text("And more.", 1), done);
    await over(alone);
    platform.script.push({ is: "wait", waitMs: SECOND, why: "too-fast" });
    const both = await life("stage", "other");
    await pass(LONG);
    await over(both);
    expect(platform.told).toEqual(["new The answer.", "new The answer.", "new The answer.", "new And more."]);
  });

  test("D11: one that is there for the first time is shown nothing of what was said before", async () => {
    const { append, say, life, over, other, pass } = await two();
    const alone = await life("stage");
    await say("long ago");
    await append("private", text("shown here"));
    await over(alone);
    const both = await life("stage", "other");
    await say("now");
    await pass(LONG);
    await over(both);
    expect(other.told).toEqual(["new now"]);
  });
});

describe("a turn that begins anew", () => {
  test("D25: what its first try showed and the second has no words for says that it began anew", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    await append("private", started(false), text("Let me look."), text("It is 5 pm; one more look.", 1));
    await pass(SECOND);
    await append("private", started(true), text("It is 6 pm."), done);
    await pass(LONG);
    expect(platform.told.slice(0, 2)).toEqual(["new Let me look.", "new It is 5 pm; one more look."]);
    expect(platform.told.slice(2)).toContain(`edit ref2 ${ANEW}`);
    // Both messages are still the same two, and this is what they say in the end.
    expect(platform.calls.filter((call) => call.how.edit === undefined)).toHaveLength(2);
    const last = (ref: string): string | undefined => platform.calls.findLast((call) => call.how.edit === ref)?.text;
    expect(last("ref1")).toBe("It is 6 pm.");
    expect(last("ref2")).toBe(ANEW);
  });

  test("D25: every message of a long part says so, and a second try that says as much takes all of them back", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    await append("private", started(false), text("one\n\ntwo"), text("three", 1));
    await pass(SECOND);
    await append("private", started(true));
    await pass(SECOND);
    expect(platform.told.slice(3)).toEqual([`edit ref1 ${ANEW}`, `edit ref2 ${ANEW}`, `edit ref3 ${ANEW}`]);
    await append("private", text("1\n\n2"), text("3", 1), done);
    await pass(LONG);
    expect(platform.told.slice(6)).toEqual(["edit ref1 1", "edit ref2 2", "edit ref3 3"]);
  });

  test("D25, D12: what its first try never showed is not made by it", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    await using _ = await outbox();
    const refusal = { is: "refused", why: "other", detail: "" } as const;
    platform.script.push({ is: "shown", ref: "kept" }, refusal, refusal);
    await append("private", started(false), text("Shown."), text("Refused.", 1));
    await pass(SECOND);
    await append("private", started(true), text("Anew."), done);
    await pass(LONG);
    expect(platform.told.slice(0, 3)).toEqual(["new Shown.", "new Refused.", "new plain Refused."]);
    expect(new Set(platform.calls.slice(3).map((call) => call.how.edit))).toEqual(new Set(["kept"]));
    expect(platform.told.at(-1)).toBe("edit kept Anew.");
    expect(await store.outbox.counts()).toMatchObject({ planned: 0, unknown: 0 });
  });

  test("D25: what its first try said and could not show yet is not shown behind it any more", async () => {
    const { outbox, append, platform, pass } = await stage();
    await using _ = await outbox();
    platform.script.push({ is: "shown", ref: "kept" }, { is: "wait", waitMs: LONG, why: "too-fast" });
    await append("private", started(false), text("Let me look."), text("It is 5 pm.", 1), text("Look again.", 2));
    await pass(SECOND);
    await append("private", started(true), text("It is 6 pm."), done);
    await pass(2 * LONG);
    expect(platform.told.slice(0, 2)).toEqual(["new Let me look.", "new It is 5 pm."]);
    expect(new Set(platform.calls.slice(2).map((call) => call.how.edit))).toEqual(new Set(["kept"]));
    expect(platform.told.at(-1)).toBe("edit kept It is 6 pm.");
  });

  test("D25: a message of its first try that is on its way when the second begins says so once it stands there", async () => {
    const { outbox, append, platform, store, pass } = await stage();
    const first = await outbox();
    platform.script.push({ is: "shown", ref: "kept" }, { is: "wait", waitMs: LONG, why: "too-fast" });
    await append("private", started(false), text("Let me look."), text("It is 5 pm.", 1));
    await first[Symbol.asyncDispose]();
    // Planned rows are taken up before the log is followed on.
    const committing = store.commit([{ do: "append", conversation: "private", body: started(true), at: 1 }]);
    await pass(0);
    await committing;
    await using _ = await outbox();
    await append("private", text("It is 6 pm."), done);
    await pass(LONG);
    const shown = platform.calls.findLast((call) => call.text === "It is 5 pm.");
    const at = platform.calls.findLastIndex((call) => call.text === ANEW);
    expect(platform.calls.indexOf(shown!)).toBeLessThan(at);
    expect(platform.calls.filter((call) => call.how.edit === "ref3").map((call) => call.text)).toEqual([ANEW]);
    expect(platform.calls.findLast((call) => call.how.edit === "kept")?.text).toBe("It is 6 pm.");
  });

  test("D25, D12: a message that begins to be shown just as it is withdrawn says so once it stands there", async () => {
    const { append, surroundings, store, pass } = await stage();
    const platform = new Held(surroundings.clock);
    let stale = false;
    // As it was a moment ago: what was read is no longer so when it is committed.
    const late: Store = {
      ...store,
      outbox: {
        ...store.outbox,
        open: async () => {
          const rows = await store.outbox.open();
          const then = stale ? rows.map((row) => ({ ...row, state: "planned", attempt: 0 }) as const) : rows;
          stale = false;
          return then;
        },
      },
    };
    const outbox = new Outbox(late, new Map([["stage", { outlet: platform, limits: LIMITS }]]), surroundings);
    const opening = outbox.open();
    await pass(0);
    await opening;
    await using _ = outbox;
    await append("private", started(false), text("It is 5 pm."));
    stale = true;
    await append("private", started(true));
    await pass(0);
    expect(stale).toBe(false);
    platform.gate.resolve();
    await pass(LONG);
    expect(platform.told).toEqual(["new It is 5 pm.", `edit ref1 ${ANEW}`]);
  });
});

describe("a text too long for the platform", () => {
  test("D21, D12: its halves are plain also when a restart comes between them", async () => {
    const { outbox, append, platform, pass } = await stage();
    const first = await outbox();
    platform.script.push({ is: "refused", why: "too-long", detail: "" });
    platform.script.push({ is: "shown", ref: "half" }, { is: "wait", waitMs: LONG, why: "too-fast" });
    await append("private", text("first *half* second *half*"));
    await first[Symbol.asyncDispose]();
    await using _ = await outbox();
    await pass(LONG);
    expect(platform.told.slice(1)).toEqual([
      "new plain first *half* ",
      "new plain second *half*",
      "new plain second *half*",
    ]);
  });
});

describe("an orderly stop", () => {
  async function held() {
    const here = await stage();
    const platform = new Held(here.surroundings.clock);
    const ways = new Map([["stage", { outlet: platform, limits: LIMITS }]]);
    const life = async (): Promise<Outbox> => {
      const outbox = new Outbox(here.store, ways, here.surroundings);
      const opening = outbox.open();
      await here.pass(0);
      await opening;
      return outbox;
    };
    return { ...here, platform, life };
  }

  test("D43, D12: it waits for what is being sent, begins nothing further, and the next start doubts nothing", async () => {
    const { append, platform, life, pass } = await held();
    const first = await life();
    await append("private", text("one"), text("two", 1));
    const closing = first[Symbol.asyncDispose]();
    await pass(2 * SECOND);
    platform.gate.resolve();
    await pass(0);
    await closing;
    expect(platform.told).toEqual(["new one"]);
    const second = await life();
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new two"]);
    await second[Symbol.asyncDispose]();
  });

  test("D43: it waits no longer than 3 s; then what is on its way is cut off and doubted", async () => {
    const { append, platform, outbox, pass, surroundings } = await stage();
    const first = await outbox();
    platform.script.push("hang");
    await append("private", text("one"));
    const begin = surroundings.clock.now();
    let ended = 0;
    const closing = first[Symbol.asyncDispose]().then(() => (ended = surroundings.clock.now()));
    await pass(10 * SECOND);
    await closing;
    expect(ended - begin).toBe(3 * SECOND);
    const second = await outbox();
    await pass(LONG);
    expect(platform.told).toEqual(["new one", "new repeat one"]);
    await second[Symbol.asyncDispose]();
  });
});

test("F17: our own words name commands as they are typed there; a model's, and the exact arguments of an approval, stay", async () => {
  const { outbox, append, platform, pass } = await stage({ commandPrefix: "/tidegate " });
  await using _ = await outbox();
  const option = { label: "Yes", key: "k", took: "once" } as const;
  const card = { kind: "approval", id: "a", number: 1, turn: "t", tool: "run", digest: "d" } as const;
  const asked = { ...card, text: "**May I?** run `ls /new`", options: [option] };
  await append(
    "private",
    text("Try /new or /help."),
    { kind: "notice", text: "Try /new or /help.", quiet: false },
    { kind: "asked", card: asked },
  );
  await pass(LONG);
  expect(platform.calls.map(({ text }) => text)).toEqual([
    "Try /new or /help.",
    "Try /tidegate new or /tidegate help.",
    "**May I?** run `ls /new`",
  ]);
});

test("T50: only the button that asks what should be different opens a form", async () => {
  const { outbox, append, platform, pass } = await stage();
  await using _ = await outbox();
  const options = [
    { label: "Start", key: "s", action: { do: "start-plan" }, done: "Started." },
    { label: "Keep planning", key: "k", action: { do: "keep-planning" }, done: "Still planning." },
  ] as const;
  await append("private", { kind: "asked", card: { kind: "choice", id: "c", text: "Shall I?", options } });
  await pass(LONG);
  expect(platform.bodies).toEqual([
    {
      text: "Shall I?",
      rows: [[{ label: "Start", press: "s" }], [{ label: "Keep planning", press: "k", opens: true }]],
    },
  ]);
});

test("T53: an outlet is told that a text still grows, and when it is final", async () => {
  const { outbox, platform, pass, store } = await stage({ drafts: { private: "edit", shared: "edit" } });
  await using box = await outbox();
  const conversation = await store.conversations.get("private");
  const live = box.live(conversation!, "t");
  live.update({ turn: "t", part: 0, text: "one" });
  await pass(2 * SECOND);
  live.update({ turn: "t", part: 0, text: "one two" });
  await pass(2 * SECOND);
  box.endLive("t");
  expect(platform.calls.map(({ text, how }) => [text, how.growing ?? false, how.edit])).toEqual([
    ["one", true, undefined],
    ["one two", true, "ref1"],
  ]);
});
