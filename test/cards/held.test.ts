// Cards that outlive their turns, over a real store in memory, with a clock that moves when told, and further lives over the same store.
import { describe, expect, it } from "vitest";
import { Approvals, EXPIRES_MS, type ApprovalAsk } from "../../src/cards/approvals.ts";
import { isHeld } from "../../src/cards/held.ts";
import { Questions } from "../../src/cards/questions.ts";
import type { QuestionAsk } from "../../src/cards/question-changes.ts";
import type { Approval, ApprovalAnswer, Question, QuestionField } from "../../src/core/card.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Person, Room } from "../../src/core/message.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Committed, Store } from "../../src/store/port.ts";
import { pass, stageSurroundings } from "../gateway/stage.ts";

const HOME: Room = { platform: "stage", chat: "1", kind: "private" };
const SAM: Person = { platform: "stage", id: "1", name: "Sam", role: "owner" };
const DAY_MS = 86_400_000;
const HOLD_MS = 1000;
const SEAT: QuestionField = {
  ...{ id: "seat", label: "Which seat?", kind: "choice", several: false, other: false },
  options: [{ label: "Window" }, { label: "Aisle" }],
};
const DAY: QuestionField = { id: "day", label: "Day", kind: "date" };

class Desk {
  readonly surroundings = stageSurroundings();
  readonly store: Store;
  questions: Questions;
  approvals: Approvals;
  #life = new AbortController();
  /** Commits fail while it is above 0. */
  failing = 0;
  /** Commits wait for it. */
  gate = Promise.resolve();

  private constructor(store: Store, surroundings: ReturnType<typeof stageSurroundings>) {
    this.surroundings = surroundings;
    this.store = {
      ...store,
      commit: async (...given): Promise<Committed> => {
        await this.gate;
        if (this.failing > 0) {
          this.failing -= 1;
          throw new Error("The disk fails.");
        }
        return await store.commit(...given);
      },
    };
    this.questions = new Questions(this.store, surroundings, this.#life.signal);
    this.approvals = new Approvals(this.store, surroundings, this.#life.signal);
  }

  static async open(): Promise<Desk> {
    const surroundings = stageSurroundings();
    const store = await openStore({ folder: ":memory:", ...surroundings });
    const desk = new Desk(store, surroundings);
    const open = (id: string): Change => ({ do: "open", id, room: HOME, person: "stage/1", title: id, at: 1 });
    await desk.settle(store.commit([open("other"), open("c")]));
    return desk;
  }

  /** Another life over the same store. */
  async restart(): Promise<void> {
    this.#life.abort();
    this.#life = new AbortController();
    this.questions = new Questions(this.store, this.surroundings, this.#life.signal);
    this.approvals = new Approvals(this.store, this.surroundings, this.#life.signal);
    await this.settle(this.questions.open());
    await this.settle(this.approvals.open());
  }

  async settle<T>(work: Promise<T>): Promise<T> {
    // What it throws is looked at once time has passed.
    work.catch(() => undefined);
    await pass(this.surroundings.clock, 0);
    return await work;
  }

  async pass(ms: number): Promise<void> {
    await pass(this.surroundings.clock, ms);
  }

  /** Asks and waits past the hold. */
  async holdQuestion(more: Partial<QuestionAsk> = {}): Promise<{ card: Question; outcome: unknown }> {
    const ask = {
      conversation: "c",
      turn: "t",
      for: "stage/1",
      fields: [SEAT],
      forms: false,
      holdMs: HOLD_MS,
      ...more,
    };
    const outcome = this.questions.ask(ask, HOME, new AbortController().signal);
    outcome.catch(() => undefined);
    await this.pass(HOLD_MS);
    return { outcome: await outcome, card: this.question };
  }

  async ask(more: Partial<ApprovalAsk> = {}, ms = HOLD_MS): Promise<string> {
    const call = { id: "1", name: "buy", input: { what: "tea" } };
    const rest = { reason: "It wants to buy.", always: false, marks: 0, holdMs: HOLD_MS };
    const ask = { conversation: "c", turn: "t", call, ...rest, ...more };
    const outcome = this.approvals.ask(ask, HOME, new AbortController().signal);
    await this.pass(ms);
    return await outcome;
  }

  get question(): Question {
    const card = this.questions.live.at(-1)?.card;
    if (card === undefined) throw new Error("No question stands there.");
    return card;
  }

  get approval(): Approval {
    const card = this.approvals.live.at(-1)?.card;
    if (card === undefined) throw new Error("No approval stands there.");
    return card;
  }

  async press(label: string, card: Question = this.question, from: Person | undefined = SAM): Promise<unknown> {
    const key = card.options.find((option) => option.label === label)?.key ?? "unknown";
    const press = { key, by: "stage/1", more: [], ...(from === undefined ? {} : { from }) };
    return await this.settle(this.questions.press(card.id, press));
  }

  async answer(took: ApprovalAnswer, card: Approval = this.approval, from: Person | undefined = SAM): Promise<boolean> {
    return await this.settle(this.approvals.answer(card.id, took, "stage/1", [], from));
  }

  async log(): Promise<readonly Entry[]> {
    return await this.store.log.read("c");
  }

  /** What wakes a turn. */
  async resumed(): Promise<readonly object[]> {
    return (await this.log()).flatMap((entry) => (entry.kind === "resumed" ? [entry.answer] : []));
  }

  async answers(): Promise<readonly string[]> {
    return (await this.log()).flatMap((entry) => (entry.kind === "answered" ? [entry.text] : []));
  }

  async waiting(): Promise<number> {
    return (await this.store.conversations.state("c")).waiting;
  }
}

describe("a question past its hold", () => {
  it("E28, O35: it stays, its turn is told, and its answer is recorded with what wakes the next turn, once", async () => {
    const desk = await Desk.open();
    const { card, outcome } = await desk.holdQuestion({ title: "Your trip" });
    expect(outcome).toBeUndefined();
    expect(await desk.waiting()).toBe(0);
    expect(desk.questions.live).toMatchObject([{ card: { id: card.id }, held: true }]);
    expect(await desk.press("Aisle", card)).toBeUndefined();
    const given = "Which seat?: Aisle";
    expect(await desk.resumed()).toEqual([{ to: "question", title: "Your trip", labels: ["Which seat?"], given }]);
    expect((await desk.log()).at(-1)).toMatchObject({ kind: "resumed", from: SAM, card: card.id });
    expect(await desk.waiting()).toBe((await desk.log()).length);
    expect(desk.questions.live).toEqual([]);
    expect(await desk.press("Window", card)).toBe("That was already answered.");
    expect(await desk.resumed()).toHaveLength(1);
  });

  it("E28, O35: one that is answered within it wakes nothing", async () => {
    const desk = await Desk.open();
    const ask = { conversation: "c", turn: "t", for: "stage/1", fields: [SEAT], forms: false, holdMs: HOLD_MS };
    const outcome = desk.questions.ask(ask, HOME, new AbortController().signal);
    await desk.pass(HOLD_MS - 1);
    await desk.press("Aisle");
    expect(await desk.settle(outcome)).toBe("Which seat?: Aisle");
    await desk.pass(DAY_MS);
    expect(await desk.resumed()).toEqual([]);
    expect(await desk.waiting()).toBe(0);
  });

  it("E28, O39: an answer at the very end of the hold is the turn's or the next one's, never both and never lost", async () => {
    for (const before of [0, 1, 2]) {
      const desk = await Desk.open();
      const ask = { conversation: "c", turn: "t", for: "stage/1", fields: [SEAT], forms: false, holdMs: HOLD_MS };
      const outcome = desk.questions.ask(ask, HOME, new AbortController().signal);
      await desk.pass(HOLD_MS - 1);
      const { card } = { card: desk.question };
      const key = card.options[0]?.key ?? "";
      const press = async (): Promise<unknown> =>
        await desk.questions.press(card.id, { key, by: "stage/1", from: SAM, more: [] });
      const pressed = before === 0 ? press() : undefined;
      await desk.pass(before === 2 ? 1 : 0);
      const later = pressed ?? press();
      await desk.pass(1);
      await later;
      const inTurn = (await outcome) !== undefined;
      expect(await desk.resumed()).toHaveLength(inTurn ? 0 : 1);
      expect(await desk.answers()).toHaveLength(1);
    }
  });

  it("E28, O39: an answer whose writing outlasts the hold is the turn's", async () => {
    const desk = await Desk.open();
    const ask = { conversation: "c", turn: "t", for: "stage/1", fields: [SEAT], forms: false, holdMs: HOLD_MS };
    const outcome = desk.questions.ask(ask, HOME, new AbortController().signal);
    await desk.pass(0);
    const written = Promise.withResolvers<void>();
    desk.gate = written.promise;
    const { id, options } = desk.question;
    const pressed = desk.questions.press(id, { key: options[0]?.key ?? "", by: "stage/1", from: SAM, more: [] });
    await desk.pass(HOLD_MS);
    written.resolve();
    await desk.settle(pressed);
    expect(await desk.settle(outcome)).toBe("Which seat?: Window");
    expect(await desk.resumed()).toEqual([]);
  });

  it("E28, E29, O40: words that can't be its answer are no answer: they are taken as any others, and it stays", async () => {
    const desk = await Desk.open();
    const { card } = await desk.holdQuestion({ fields: [DAY] });
    const typed = { card: card.id, messageId: "m", by: "stage/1", from: SAM, more: [] };
    const words = "Book a table for 4 at the harbour, please";
    expect(await desk.settle(desk.questions.typed({ ...typed, words }))).toBe(false);
    expect(desk.question).toEqual(card);
    expect(await desk.resumed()).toEqual([]);
    expect(await desk.settle(desk.questions.typed({ ...typed, words: "2026-12-24" }))).toBe(true);
    expect(await desk.resumed()).toMatchObject([{ given: "Day: 2026-12-24" }]);
  });

  it("E28, O41: Skip starts the next turn as well", async () => {
    const desk = await Desk.open();
    await desk.holdQuestion();
    await desk.press("Skip");
    expect(await desk.resumed()).toEqual([{ to: "question", labels: ["Which seat?"], given: null }]);
  });

  it("E28, O43, D26: it outlives a restart, a step further too, and is answered then", async () => {
    const desk = await Desk.open();
    const { card } = await desk.holdQuestion({ fields: [SEAT, DAY] });
    await desk.restart();
    expect(desk.question).toEqual(card);
    await desk.press("Window");
    await desk.restart();
    expect(desk.question.soFar?.answers).toEqual(["Window"]);
    const typed = { card: card.id, words: "2026-12-24", messageId: "m", by: "stage/1", from: SAM, more: [] };
    expect(await desk.settle(desk.questions.typed(typed))).toBe(true);
    expect(await desk.resumed()).toMatchObject([{ given: "Which seat?: Window\nDay: 2026-12-24" }]);
    await desk.restart();
    expect(desk.questions.live).toEqual([]);
  });

  it("E28, O43: one whose turn still waits is not taken up by another life", async () => {
    const desk = await Desk.open();
    const ask = { conversation: "c", turn: "t", for: "stage/1", fields: [SEAT], forms: false, holdMs: HOLD_MS };
    void desk.questions.ask(ask, HOME, new AbortController().signal);
    await desk.pass(0);
    const { question: card } = desk;
    expect(await isHeld(desk.store, { conversation: "c", card })).toBe(false);
    await desk.restart();
    expect(desk.questions.live).toEqual([]);
  });

  it("E28, O41: nobody answers it for a day: it is over, also in a later life, and nothing is woken", async () => {
    for (const restarted of [false, true]) {
      const desk = await Desk.open();
      await desk.holdQuestion();
      if (restarted) await desk.restart();
      await desk.pass(DAY_MS - HOLD_MS - 1);
      expect(desk.questions.live).toHaveLength(1);
      await desk.pass(1);
      expect(await desk.answers()).toEqual(["**Which seat?** – _skipped: it was not answered in time_"]);
      expect([desk.questions.live, await desk.resumed()]).toEqual([[], []]);
    }
  });

  it("E28, O37: a question of a later turn takes its place; one of the same turn is told that it stands there", async () => {
    const desk = await Desk.open();
    const { card } = await desk.holdQuestion();
    await expect(desk.holdQuestion()).rejects.toThrow("already stands on its card");
    expect(desk.question).toEqual(card);
    await desk.holdQuestion({ turn: "later", fields: [DAY] });
    expect(await desk.answers()).toEqual(["**Which seat?** – _skipped: I asked something else since_"]);
    expect(desk.questions.live).toHaveLength(1);
    expect(await desk.resumed()).toEqual([]);
    expect(await desk.press("Window", card)).toBe("That was already answered.");
  });

  it("E28, G12: in a chat that is left it is over and wakes nothing; others stay", async () => {
    const desk = await Desk.open();
    await desk.holdQuestion();
    await desk.holdQuestion({ conversation: "other" });
    await desk.settle(desk.questions.leave("c"));
    expect(await desk.answers()).toEqual(["**Which seat?** – _skipped: the chat has moved on_"]);
    expect(desk.questions.live.map(({ conversation }) => conversation)).toEqual(["other"]);
    expect(await desk.resumed()).toEqual([]);
  });

  it("E28: answered by nobody who could be there, it wakes nothing", async () => {
    const desk = await Desk.open();
    const { card } = await desk.holdQuestion();
    const key = card.options.at(-1)?.key ?? "";
    await desk.settle(desk.questions.press(card.id, { key, by: "gateway", more: [] }));
    expect([desk.questions.live, await desk.resumed()]).toEqual([[], []]);
  });

  it("E28: a disk that fails as it is to be held is waited out, and the answer is not lost", async () => {
    const desk = await Desk.open();
    const ask = { conversation: "c", turn: "t", for: "stage/1", fields: [SEAT], forms: false, holdMs: HOLD_MS };
    const outcome = desk.questions.ask(ask, HOME, new AbortController().signal);
    await desk.pass(HOLD_MS - 1);
    desk.failing = 2;
    await desk.pass(5000);
    expect(await outcome).toBeUndefined();
    await desk.restart();
    await desk.press("Aisle");
    expect(await desk.resumed()).toHaveLength(1);
  });

  it("O38: it waits for no turn: nobody is reminded of it", async () => {
    const desk = await Desk.open();
    await desk.holdQuestion();
    expect(desk.questions.remindOnce("c")).toBe(false);
  });

  it("E28, D34: a deleted chat takes all of it along", async () => {
    const desk = await Desk.open();
    const { card } = await desk.holdQuestion();
    await desk.ask();
    await desk.answer("once");
    await desk.settle(desk.store.conversations.delete("c"));
    expect(await desk.store.records.cursors("held/")).toEqual(new Map());
    expect(await desk.store.records.cursors("grant/")).toEqual(new Map());
    expect(await desk.press("Window", card)).toBe("That was already answered.");
    expect(desk.questions.live).toEqual([]);
    await desk.restart();
    expect(desk.questions.live).toEqual([]);
  });
});

describe("an approval past its hold", () => {
  it("E28, A40: allowed once, it wakes a turn, and that very call runs once without being asked about", async () => {
    const desk = await Desk.open();
    expect(await desk.ask()).toBe("held");
    const { approval: card } = desk;
    expect(desk.approvals.live).toMatchObject([{ card: { id: card.id }, held: true }]);
    expect(await desk.waiting()).toBe(0);
    expect(await desk.answer("once")).toBe(true);
    expect(await desk.resumed()).toEqual([{ to: "approval", tool: "buy", input: { what: "tea" }, took: "once" }]);
    expect(await desk.waiting()).toBe((await desk.log()).length);
    expect(await desk.answer("no", card)).toBe(false);
    expect(await desk.ask({ turn: "next" })).toBe("once");
    expect(desk.approvals.live).toEqual([]);
    // Never a second time.
    expect(await desk.ask({ turn: "next" })).toBe("held");
    expect(desk.approvals.live).toHaveLength(1);
  });

  it("A40: of two calls at the same moment one finds it", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.answer("once");
    const both = await Promise.all([desk.ask({ turn: "next" }), desk.ask({ turn: "next" })]);
    expect(both.toSorted()).toEqual(["held", "once"]);
  });

  it.each<[string, Partial<ApprovalAsk>]>([
    ["other arguments", { call: { id: "2", name: "buy", input: { what: "coffee" } } }],
    ["another tool", { call: { id: "2", name: "sell", input: { what: "tea" } } }],
    ["another chat", { conversation: "other" }],
    ["another reason", { reason: "This chat holds words from Ana. It wants to buy." }],
    ["a tool that is another by now", { means: "another" }],
    ["nobody knows whose words are there", { marks: undefined }],
  ])("A37, A39, A40: it is for nothing else: %s", async (_, more) => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.answer("once");
    expect(await desk.ask({ turn: "next", ...more })).toBe("held");
    // And is still there.
    expect(await desk.ask({ turn: "next" })).toBe("once");
  });

  it("A39, A40: not once further words from outside came in, whatever they are called", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.answer("once");
    const taint = { kind: "person", label: "Ana", source: "stage/9" } as const;
    const mark: Change = { do: "append", conversation: "c", at: 1, body: { kind: "marked", taint } };
    await desk.settle(desk.store.commit([mark]));
    // As judged a moment before, and as judged now.
    expect(await desk.ask({ turn: "next" })).toBe("held");
    expect(await desk.ask({ turn: "next", marks: 1 })).toBe("held");
  });

  it("A40, A41: not an hour later", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.answer("once");
    await desk.pass(EXPIRES_MS - 1);
    expect(await desk.ask({ turn: "next" }, 0)).toBe("once");
    const other = { call: { id: "2", name: "sell", input: {} } };
    await desk.ask(other);
    await desk.answer("once");
    await desk.pass(EXPIRES_MS);
    expect(await desk.ask({ turn: "next", ...other })).toBe("held");
  });

  it("E28, A40: don't allow and always wake a turn too; always stands for what comes", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.answer("no");
    expect(await desk.ask({ turn: "2", always: true })).toBe("held");
    const more = { call: { id: "2", name: "buy", input: { what: "coffee" } } };
    expect(await desk.ask({ turn: "2", always: true, ...more })).toBe("held");
    const cards = desk.approvals.live.map(({ card }) => card);
    for (const card of cards) expect(await desk.answer("always", card)).toBe(true);
    expect((await desk.resumed()).map((one) => "took" in one && one.took)).toEqual(["no", "always", "always"]);
    expect(await desk.ask({ turn: "3", always: true })).toBe("always");
  });

  it("E28: the same call while it stands there is not asked about again", async () => {
    const desk = await Desk.open();
    await desk.ask();
    expect(await desk.ask({}, 0)).toBe("held");
    expect(await desk.ask({ turn: "next" }, 0)).toBe("held");
    expect(desk.approvals.live).toHaveLength(1);
  });

  it("E28: the same call in another chat has a card of its own, and its answer wakes that chat", async () => {
    const desk = await Desk.open();
    await desk.ask();
    expect(await desk.ask({ conversation: "other" })).toBe("held");
    expect(desk.approvals.live.map(({ conversation }) => conversation)).toEqual(["c", "other"]);
    await desk.answer("once");
    expect((await desk.store.log.read("other")).at(-1)).toMatchObject({ kind: "resumed" });
    expect(await desk.resumed()).toEqual([]);
  });

  it("A41, D26: after a restart no other card gets the number of one that still stands there", async () => {
    const desk = await Desk.open();
    await desk.ask();
    const { number } = desk.approval;
    const said: Change = { do: "append", conversation: "c", at: 1, body: { kind: "notice", text: "On.", quiet: true } };
    await desk.settle(desk.store.commit(Array.from({ length: 300 }, () => said)));
    await desk.restart();
    await desk.ask({ turn: "next", call: { id: "2", name: "sell", input: {} } });
    expect(desk.approvals.live).toHaveLength(2);
    expect(desk.approval.number).toBeGreaterThan(number);
  });

  it("E28, D26: card and leave outlive a restart, and leave is used once all the same", async () => {
    const desk = await Desk.open();
    await desk.ask({ showIn: HOME, outside: true });
    const before = desk.approvals.live;
    await desk.restart();
    expect(desk.approvals.live).toMatchObject([{ card: before[0]?.card, showIn: HOME, outside: true, held: true }]);
    await desk.answer("once");
    await desk.restart();
    expect(desk.approvals.live).toEqual([]);
    expect(await desk.ask({ turn: "next" })).toBe("once");
    await desk.restart();
    expect(await desk.ask({ turn: "next" })).toBe("held");
  });

  it("A41, E28: an hour after it was asked it is over and wakes nothing, also in a later life", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.restart();
    await desk.pass(EXPIRES_MS - HOLD_MS - 1);
    expect(desk.approvals.live).toHaveLength(1);
    await desk.pass(1);
    expect(await desk.answers()).toEqual(["`buy` (no. 1): Not answered in time, so it was not done."]);
    expect([desk.approvals.live, await desk.resumed()]).toEqual([[], []]);
  });

  it("E28, G12: in a chat that is left it is over and wakes nothing", async () => {
    const desk = await Desk.open();
    await desk.ask();
    await desk.settle(desk.approvals.leave("c"));
    expect(await desk.answers()).toEqual(["`buy` (no. 1): The chat has moved on. It was not done."]);
    expect([desk.approvals.live, await desk.resumed()]).toEqual([[], []]);
  });

  it("E28, A41: refused by nobody who could be there, it wakes nothing and allows nothing", async () => {
    const desk = await Desk.open();
    await desk.ask();
    const { approval: card } = desk;
    await desk.settle(desk.approvals.answer(card.id, "once", "gateway", []));
    expect([desk.approvals.live, await desk.resumed()]).toEqual([[], []]);
    expect(await desk.ask({ turn: "next" })).toBe("held");
  });

  it("E28, A40: an answer that the disk refuses is no answer: nothing is woken and nothing is allowed", async () => {
    const desk = await Desk.open();
    await desk.ask();
    desk.failing = 1;
    await expect(desk.answer("once")).rejects.toThrow("disk fails");
    expect([await desk.resumed(), await desk.answers()]).toEqual([[], []]);
    expect(await desk.answer("once")).toBe(true);
    expect(await desk.resumed()).toHaveLength(1);
    expect(await desk.ask({ turn: "next" })).toBe("once");
  });
});
