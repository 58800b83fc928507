// Who speaks next behind a pipe: over real questions and approvals, with an outbox that a test lets show them.
import { describe, expect, it } from "vitest";
import { Approvals } from "../../src/cards/approvals.ts";
import { Questions } from "../../src/cards/questions.ts";
import type { Room } from "../../src/core/message.ts";
import { nobodyLeft, personsTurn, type WhoseTurnParts } from "../../src/gateway/whose-turn.ts";
import { surroundings } from "./bare.ts";
import { HOME, SAM, shelf, type Shelf } from "./shelf.ts";

const { signal } = new AbortController();
const call = { id: "c", name: "shell", input: { command: "ls" } };

/** A chat in which things can be asked; nothing is settled before `settle`. */
function world(here: Shelf) {
  const approvals = new Approvals(here.store, surroundings);
  const questions = new Questions(here.store, surroundings);
  const settled = Promise.withResolvers<void>();
  const shown = Promise.withResolvers<void>();
  const parts: WhoseTurnParts = {
    ...{ store: here.store, approvals, questions },
    heard: async () => undefined,
    shown: async () => await shown.promise,
    settled: async () => await settled.promise,
  };
  const conversation = here.here.id;
  const fields = [{ kind: "text", id: "f", label: "What?", long: false }] as const;
  return {
    ...{ parts, approvals, questions, show: shown.resolve, settle: settled.resolve },
    ask: async (room: Room = HOME) =>
      await questions.ask(
        { ...{ conversation, turn: "t", for: `stage/${SAM.id}`, fields, forms: false }, holdMs: 60_000 },
        room,
        signal,
      ),
    approve: async (room: Room = HOME) =>
      await approvals.ask(
        { ...{ conversation, turn: "t", call, reason: "The mode asks." }, always: false },
        room,
        signal,
      ),
  };
}

/** Whether a promise is still open after all that could happen by itself. */
async function isOpen(promise: Promise<unknown>, here: Shelf): Promise<boolean> {
  for (let nth = 0; nth < 5; nth += 1) await here.store.commit([{ do: "cursor", name: "tick", value: String(nth) }]);
  return await Promise.race([
    promise.then(() => false),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(true))),
  ]);
}

describe("whose turn it is", () => {
  it("G36: a person's when all is answered", async () => {
    await using here = await shelf([]);
    const { parts, settle } = world(here);
    const turn = personsTurn("stage", parts, signal);
    expect(await isOpen(turn, here)).toBe(true);
    settle();
    expect(await turn).toBe(false);
  });

  it.each(["ask", "approve"] as const)(
    "G36, O35: a person's when something waits for them (%s) and is shown, not before",
    async (what) => {
      await using here = await shelf([]);
      const day = world(here);
      const turn = personsTurn("stage", day.parts, signal);
      const answer = day[what]();
      expect(await isOpen(turn, here)).toBe(true);
      day.show();
      expect(await turn).toBe(true);
      // Asked again while it waits: still theirs.
      expect(await personsTurn("stage", day.parts, signal)).toBe(true);
      const over = nobodyLeft("stage", day.parts, signal);
      expect(await answer).toBe(what === "ask" ? null : "no");
      day.settle();
      await over;
    },
  );

  it("G36: what waits on another platform is nobody's turn here, and is not answered when this one ends", async () => {
    await using here = await shelf([]);
    const day = world(here);
    day.show();
    const answer = day.approve({ ...HOME, platform: "other" });
    const mine = day.ask();
    const over = nobodyLeft("stage", day.parts, signal);
    expect(await mine).toBe(null);
    expect(await isOpen(over, here)).toBe(true);
    day.settle();
    await over;
    expect(await isOpen(answer, here)).toBe(true);
    expect(day.approvals.live).toHaveLength(1);
  });

  it("G36, O43: with nobody left, what is asked one after the other is skipped each time, and then it is over", async () => {
    await using here = await shelf([]);
    const day = world(here);
    day.show();
    const all = (async () => [await day.ask(), await day.approve(), await day.ask()])().finally(day.settle);
    await nobodyLeft("stage", day.parts, signal);
    expect(await all).toEqual([null, "no", null]);
    const answered = (await here.store.log.read(here.here.id)).flatMap((entry) =>
      entry.kind === "answered" ? [entry.by] : [],
    );
    expect(answered).toEqual(["gateway", "gateway", "gateway"]);
  });

  it("G36: an answer that is in the log already is not waited for again", async () => {
    await using here = await shelf([]);
    const day = world(here);
    day.show();
    const answer = day.approve();
    expect(await personsTurn("stage", day.parts, signal)).toBe(true);
    const [live] = day.approvals.live;
    await day.approvals.answer(live!.card.id, "once", "stage/1001", []);
    const next = personsTurn("stage", day.parts, signal);
    expect(await isOpen(next, here)).toBe(true);
    day.settle();
    expect(await next).toBe(false);
    expect(await answer).toBe("once");
  });
});
