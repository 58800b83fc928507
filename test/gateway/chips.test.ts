// Replies to send next and plans, from entries of the log to rows: where a keyboard stands, and what a message becomes when they go.
import { expect, it } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Piece, Reply } from "../../src/core/reply.ts";
import type { Chips } from "../../src/core/card.ts";
import { stage } from "./stage.ts";

const CHIPS: Chips = [
  { words: "Book it", key: "k1" },
  { words: "Leave it", key: "k2" },
];
const text = (words: string, turn: string, chips?: Chips): EntryBody => ({
  kind: "text",
  ...{ turn, part: 0, text: words },
  ...(chips === undefined ? {} : { chips }),
});
const notice = (words: string): EntryBody => ({ kind: "notice", text: words, quiet: true });
const started = (turn: string, again: boolean): EntryBody => ({
  ...{ kind: "turn-started", turn, engine: "demo", upTo: 1, attendance: "owner", again },
});
const WAIT = { is: "wait", waitMs: 600_000, why: "unreachable" } as const;

type Kept = Pick<Reply, "text" | "rows" | "keyboard" | "unkeyed">;

/** A stage whose pieces are the replies themselves; with buttons there is a second one. */
async function open(
  keyboard: boolean,
  commandPrefix = "/",
): Promise<Awaited<ReturnType<typeof stage>> & { readonly shown: () => Kept[] }> {
  const made = await stage({ keyboard, commandPrefix });
  const { platform } = made;
  platform.pieces = (reply): readonly Piece[] => [
    { body: reply, plain: reply.text },
    ...(reply.rows.length > 0 ? [{ body: { text: "buttons" }, plain: "buttons" }] : []),
  ];
  return { ...made, shown: () => platform.bodies as Kept[] };
}

it("O53: a keyboard goes with the answer as a new message, and the next message of ours takes it away, once, also after a restart", async () => {
  const { append, outbox, platform, shown } = await open(true);
  const first = await outbox();
  await append("private", text("Hello", "t", CHIPS));
  expect(shown().at(-1)).toMatchObject({ text: "Hello", rows: [], keyboard: ["Book it", "Leave it"] });
  await first[Symbol.asyncDispose]();
  await outbox();
  // What it brought can't be taken back by an edit.
  await append("private", { kind: "chips-gone", turn: "t", part: 0, text: "Hello" });
  expect(platform.told).toEqual(["new Hello"]);
  await append("private", notice("one"), notice("two"));
  expect(shown().map(({ unkeyed = false }) => unkeyed)).toEqual([false, true, false]);
});

it("O53: the keyboard of one room is no other room's, and a group has none", async () => {
  const { append, outbox, shown } = await open(true);
  await outbox();
  await append("private", text("Hello", "t", CHIPS));
  await append("group", notice("in the group"));
  await append("private", notice("here"));
  expect(shown().map(({ unkeyed = false }) => unkeyed)).toEqual([false, false, true]);
});

it("O53: what was to take a keyboard away and is not shown, since its turn begins anew, leaves that to the next", async () => {
  const { append, outbox, platform, shown, pass } = await open(true);
  await outbox();
  await append("private", text("Hello", "t", CHIPS), started("u", false));
  platform.script.push(WAIT);
  await append("private", text("First try", "u"));
  await append("private", started("u", true), text("Second try", "u"));
  await pass(700_000);
  expect(shown().at(-1)).toMatchObject({ text: "Second try", unkeyed: true });
});

it("O53: where they are buttons the answer stays one message without them, and one that held nothing else says that the chat has moved on", async () => {
  const { append, outbox, platform } = await open(false);
  await outbox();
  await append("private", text("Hello", "t", CHIPS));
  await append("private", { kind: "chips-gone", turn: "t", part: 0, text: "Hello" });
  expect(platform.told).toEqual(["new Hello", "new buttons", "edit ref1 Hello", "edit ref2 _The chat has moved on._"]);
});

it("O53: an answer whose chips go before it could be shown is shown without them", async () => {
  const { append, outbox, platform, pass } = await open(false);
  await outbox();
  platform.script.push(WAIT);
  await append("private", notice("before"));
  await append("private", text("Hello", "t", CHIPS));
  await append("private", { kind: "chips-gone", turn: "t", part: 0, text: "Hello" });
  await pass(700_000);
  expect(platform.told.filter((words) => !words.endsWith("before"))).toEqual([
    "new Hello",
    "new _The chat has moved on._",
  ]);
});

it("O53, O65: what a model said stays as it is when the chips go, also where commands are typed in another way", async () => {
  const { append, outbox, platform } = await open(false, "/tidegate ");
  await outbox();
  const plan = { kind: "plan", steps: [{ text: "Type /help", state: "pending" }] } as const;
  await append("private", text("Type /help", "t", CHIPS), { kind: "plan", turn: "t", plan });
  await append("private", { kind: "chips-gone", turn: "t", part: 0, text: "Type /help" }, notice("Type /help"));
  expect(platform.told.filter((words) => words.includes("Type"))).toEqual([
    "new Type /help",
    "new ☐ Type /help",
    "edit ref1 Type /help",
    "new Type /tidegate help",
  ]);
});

it("O58: a turn that a crash cut off has its plan folded where it is ended", async () => {
  const { append, outbox, platform } = await open(false);
  await outbox();
  const plan = { kind: "plan", steps: [{ text: "Look", state: "active" }] } as const;
  await append("private", started("t", false), { kind: "plan", turn: "t", plan });
  await append("private", { kind: "turn-ended", turn: "t", reason: "interrupted", words: "Cut off." });
  expect(platform.told).toEqual(["new ▶ **Look** …", "edit ref1 ☐ 0 of 1 done", "new Cut off."]);
});
