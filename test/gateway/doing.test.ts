// What a turn is at, before anything of it is final: in a platform's own draft, or in one quiet message that is edited.
import { describe, expect, test } from "vitest";
import { Outbox } from "../../src/gateway/outbox.ts";
import type { Live } from "../../src/gateway/live.ts";
import { PASSING_KEY } from "../../src/store/port.ts";
import { LIMITS, PRIVATE, stage } from "./stage.ts";

const SECOND = 1000;
const EDITS = { drafts: { private: "edit", shared: "edit" } } as const;
type Stage = Awaited<ReturnType<typeof stage>>;
type Running = Stage & {
  readonly live: Live;
  readonly all: Outbox;
  readonly waiting: { is: boolean };
  readonly end: () => Promise<void>;
};

/** A turn that runs in the owner's private chat. */
async function running(limits: Parameters<typeof stage>[0] = {}): Promise<Running> {
  const on = await stage(limits);
  const waiting = { is: false };
  const ways = new Map([["stage", { outlet: on.platform, limits: { ...LIMITS, ...limits } }]]);
  const all = new Outbox(on.store, ways, on.surroundings, undefined, () => waiting.is);
  const opening = all.open();
  await on.pass(0);
  await opening;
  const conversation = await on.store.conversations.get("private");
  if (conversation === undefined) throw new Error("There is no chat.");
  const live = all.live(conversation, "t");
  const end = async (): Promise<void> => {
    all.endLive("t");
    await on.pass(2 * SECOND);
  };
  return { ...on, live, all, waiting, end };
}

const draft = (text: string, doing?: string): Parameters<Live["update"]>[0] => ({
  ...{ turn: "t", part: 0, text },
  ...(doing === undefined ? {} : { doing }),
});

describe("in a platform's own draft", () => {
  test("C43, G42: it stands there while it is done, goes with it, and gives way to the text", async () => {
    const { live, platform, pass, store, end } = await running();
    live.update(draft("", "_Reading a.ts_"));
    await pass(2 * SECOND);
    live.update(draft(""));
    await pass(2 * SECOND);
    live.update(draft("Now", "_Reading b.ts_"));
    await pass(2 * SECOND);
    expect(
      platform.hints.map((hint) => (hint.kind === "draft" ? hint.text : hint.kind)).filter((text) => text !== "typing"),
    ).toEqual(["_Reading a.ts_", "", "Now"]);
    expect(platform.calls).toEqual([]);
    expect(await store.log.read("private")).toEqual([]);
    await end();
  });

  test("C43: while a person is waited for it is not shown to be at work", async () => {
    const { live, platform, pass, waiting, end } = await running();
    waiting.is = true;
    live.update(draft("", "_Bash: ls_"));
    await pass(5 * SECOND);
    expect(platform.hints).toEqual([]);
    waiting.is = false;
    await pass(3 * SECOND);
    expect(platform.hints).toMatchObject([{ kind: "draft", text: "_Bash: ls_" }]);
    await end();
  });
});

describe("where messages are edited", () => {
  test("C43: it is one quiet message of its own, that says in the end where the steps are found", async () => {
    const { live, platform, pass, waiting, end, append, store } = await running(EDITS);
    live.update(draft("", "_Reading a.ts_"));
    await pass(2 * SECOND);
    live.update(draft(""));
    await pass(2 * SECOND);
    waiting.is = true;
    await pass(8 * SECOND);
    waiting.is = false;
    live.update(draft("", "_Bash: ls_"));
    await pass(4 * SECOND);
    await append("private", { kind: "text", turn: "t", part: 0, text: "Well." });
    await end();
    expect(platform.told).toEqual([
      "new _Reading a.ts_",
      "edit ref1 _Thinking …_",
      "edit ref1 _Waiting for you_",
      "edit ref1 _Bash: ls_",
      "new Well.",
      "edit ref1 /activity shows what I did here.",
    ]);
    const rows = platform.bodies.map((body) => (body as { rows: readonly unknown[] }).rows);
    expect(rows[0]).toMatchObject([[{ label: "Stop" }]]);
    expect(rows.at(-1)).toEqual([]);
    // Nothing of it is kept.
    expect((await store.log.read("private")).map(({ kind }) => kind)).toEqual(["text"]);
    expect((await store.outbox.shown(PRIVATE, `${PASSING_KEY}doing/t`, 0))?.piece.plain).toBe("");
  });

  test("C43: what was over before it could be shown is not shown below the answer", async () => {
    const { live, platform, pass, end, append } = await running({
      ...EDITS,
      pace: { ...LIMITS.pace, perChatMs: 10 * SECOND },
    });
    await append("private", { kind: "notice", text: "Before.", quiet: true });
    live.update(draft("", "_Reading a.ts_"));
    await pass(2 * SECOND);
    await append("private", { kind: "text", turn: "t", part: 0, text: "Well." });
    await end();
    await pass(60 * SECOND);
    expect(platform.told).toEqual(["new Before.", "new Well."]);
  });

  test("C43: a turn without a step of its own leaves no such line", async () => {
    const { live, platform, pass, end } = await running(EDITS);
    live.update(draft(""));
    await pass(5 * SECOND);
    await end();
    expect(platform.calls).toEqual([]);
  });
});
