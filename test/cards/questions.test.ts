// Questions over a real store in memory, with a clock that moves when told.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expireQuestion, type QuestionAsk } from "../../src/cards/question-changes.ts";
import { Questions } from "../../src/cards/questions.ts";
import { formFor, readForm } from "../../src/cards/question-answers.ts";
import type { Question, QuestionField } from "../../src/core/card.ts";
import type { PressAnswer } from "../../src/core/channel.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Room } from "../../src/core/message.ts";
import type { Filled } from "../../src/core/reply.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { pass, stageSurroundings } from "../gateway/stage.ts";

const HOME: Room = { platform: "stage", chat: "1", kind: "private" };
const SAM = "stage/1";
const TAKEN = "That was already answered.";
const OVER = "Nothing waits for that answer any more.";

const SEAT: QuestionField = {
  ...{ id: "seat", label: "Which seat?", kind: "choice", several: false, other: false },
  options: [{ label: "Window" }, { label: "Aisle" }],
};
const MEALS: QuestionField = {
  ...{ id: "meals", label: "Meals", kind: "choice", several: true, other: true },
  options: [{ label: "Lunch" }, { label: "Dinner" }, { label: "Snack, salty" }],
};
const DAY: QuestionField = { id: "day", label: "Day", kind: "date", suggested: "2026-11-30" };
const WEIGHT: QuestionField = { id: "kg", label: "Weight", kind: "number", unit: "kg" };
const WHY: QuestionField = { id: "why", label: "Why", kind: "text", long: false };

type Asking = { readonly outcome: Promise<string | null | undefined>; over?: string | null | undefined };
type Answer = string | PressAnswer | undefined;

class Desk {
  readonly surroundings = stageSurroundings();
  readonly stop = new AbortController();
  readonly store: Store;
  readonly questions: Questions;

  private constructor(store: Store, surroundings: ReturnType<typeof stageSurroundings>) {
    this.store = store;
    this.surroundings = surroundings;
    this.questions = new Questions(store, surroundings);
  }

  static async open(): Promise<Desk> {
    const surroundings = stageSurroundings();
    const store = await openStore({ folder: ":memory:", ...surroundings });
    const desk = new Desk(store, surroundings);
    const open = (id: string): Change => ({ do: "open", id, room: HOME, person: SAM, title: id, at: 1 });
    await desk.settle(store.commit([open("other"), open("c")]));
    return desk;
  }

  async settle<T>(work: Promise<T>): Promise<T> {
    await pass(this.surroundings.clock, 0);
    return await work;
  }

  async pass(ms: number): Promise<void> {
    await pass(this.surroundings.clock, ms);
  }

  async ask(fields: readonly QuestionField[], more: Partial<QuestionAsk> = {}): Promise<Asking> {
    const ask = { conversation: "c", turn: "t", for: SAM, fields, forms: false, holdMs: 1000, ...more };
    const outcome = this.questions.ask(ask, HOME, this.stop.signal);
    const asking: Asking = { outcome };
    void outcome.then(
      (over) => (asking.over = over),
      () => undefined,
    );
    await this.pass(0);
    return asking;
  }

  /** The card that waits. */
  get card(): Question {
    const card = this.questions.live.at(-1)?.card;
    if (card === undefined) throw new Error("No question waits.");
    return card;
  }

  get labels(): readonly string[] {
    return this.card.options.map(({ label }) => label);
  }

  async press(
    label: string,
    more: { fields?: Filled; picked?: readonly string[]; card?: Question } = {},
  ): Promise<Answer> {
    const card = more.card ?? this.card;
    const key = card.options.find((option) => option.label === label)?.key ?? "unknown";
    const { fields, picked } = more;
    return await this.settle(this.questions.press(card.id, { key, by: SAM, fields, picked, more: [] }));
  }

  async type(words: string, card: Question = this.card): Promise<boolean> {
    const typed = { card: card.id, words, messageId: "m1", by: SAM, more: [] };
    return await this.settle(this.questions.typed(typed));
  }

  async log(): Promise<readonly Entry[]> {
    return await this.store.log.read("c");
  }

  /** What the log says of answers. */
  async answers(): Promise<readonly object[]> {
    return (await this.log()).flatMap((entry) => {
      if (entry.kind !== "answered") return [];
      const { given, text, by, messageId } = entry;
      return [{ given, text, by, ...(messageId === undefined ? {} : { messageId }) }];
    });
  }
}

describe("O35, O39: one answer", () => {
  it("O35, O39: a press answers, is logged, and resolves the call; a second one is told", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT], { title: "Your trip" });
    const { card } = desk;
    expect(asked.over).toBeUndefined();
    expect(await desk.press("Aisle")).toBeUndefined();
    expect(await asked.outcome).toBe("Which seat?: Aisle");
    expect(await desk.answers()).toEqual([{ given: "Which seat?: Aisle", text: "**Your trip** – Aisle", by: SAM }]);
    expect(await desk.press("Window", { card })).toBe(TAKEN);
    expect(await desk.type("Window", card)).toBe(false);
    expect(await desk.answers()).toHaveLength(1);
  });

  it("O39: of presses and words at the same moment one counts, and the words of the others are not lost", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    const { card, questions } = desk;
    const press = async (label: string): Promise<Answer> => await desk.press(label, { card });
    const typed = questions.typed({ card: card.id, words: "Window", messageId: "m", by: SAM, more: [] });
    const presses = [press("Aisle"), press("Window"), press("Skip")];
    await desk.pass(0);
    expect([await typed, ...(await Promise.all(presses))]).toEqual([true, TAKEN, TAKEN, TAKEN]);
    expect(await asked.outcome).toBe("Which seat?: Window");
    expect(await desk.answers()).toHaveLength(1);
  });

  it("O39: what comes at the same moment sees what came before it: no toggle is lost, and nothing opens a card again", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([MEALS]);
    const both = [desk.press("☐ Lunch"), desk.press("☐ Dinner")];
    await Promise.all(both);
    expect(desk.labels.slice(0, 2)).toEqual(["☑ Lunch", "☑ Dinner"]);
    await desk.press("Done");
    expect(await asked.outcome).toBe("Meals: Lunch, Dinner");

    const again = await desk.ask([DAY]);
    const { card } = desk;
    const words = [desk.type("3.4.2026", card), desk.type("31.2.2026", card)];
    expect(await Promise.all(words)).toEqual([true, false]);
    expect(await again.outcome).toBe("Day: 2026-04-03");
    expect((await desk.log()).at(-1)).toMatchObject({ kind: "answered", card: card.id });
  });

  it("O39: what comes with an answer is committed with it, and with nothing else", async () => {
    const desk = await Desk.open();
    await desk.ask([DAY]);
    const { card } = desk;
    const mark = (name: string): Change => ({ do: "claim", key: name, by: SAM, at: 1 });
    const type = async (words: string, name: string): Promise<boolean> =>
      await desk.settle(desk.questions.typed({ card: card.id, words, messageId: "m", by: SAM, more: [mark(name)] }));
    expect(await type("31.2.2026", "problem")).toBe(true);
    expect(await type("3.4.2026", "answer")).toBe(true);
    expect(await type("5.6.2026", "late")).toBe(false);
    const claims = await Promise.all(["problem", "answer", "late"].map((name) => desk.store.records.claim(name)));
    expect(claims).toEqual([SAM, SAM, undefined]);
  });

  it("O39: a button of an earlier life, or of no question, does nothing", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    const { card } = desk;
    const other = new Questions(desk.store, desk.surroundings);
    const key = card.options[0]?.key ?? "";
    expect(await desk.settle(other.press(card.id, { key, by: SAM, more: [] }))).toBe(OVER);
    expect(await desk.press("No such button")).toBe(TAKEN);
    await desk.press("Skip");
    expect(await asked.outcome).toBeNull();
    expect(await desk.settle(other.press(card.id, { key, by: SAM, more: [] }))).toBe(TAKEN);
  });

  it("O35: its buttons are kept with the card in one transaction", async () => {
    const desk = await Desk.open();
    await desk.ask([SEAT]);
    const { id, options } = desk.card;
    for (const { key, act } of options)
      expect(await desk.store.records.button(key)).toEqual({ conversation: "c", does: "question", card: id, act });
    expect(await desk.log()).toMatchObject([{ kind: "asked", card: { id, for: SAM, turn: "t" } }]);
  });

  it("O37: one question waits at a time in a chat; another chat has its own", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    const second = await desk.ask([DAY]);
    await expect(second.outcome).rejects.toThrow("A question already waits for the person in this chat.");
    const elsewhere = await desk.ask([DAY], { conversation: "other" });
    expect(desk.questions.live.map(({ conversation }) => conversation)).toEqual(["c", "other"]);
    await desk.press("Skip");
    expect(await elsewhere.outcome).toBeNull();
    await desk.press("Skip");
    expect(await asked.outcome).toBeNull();
    const third = await desk.ask([DAY]);
    await desk.press("2026-11-30");
    expect(await third.outcome).toBe("Day: 2026-11-30");
  });
});

describe("O41, O42, O43: no answer", () => {
  it("O41: Skip gives null", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    await desk.press("Skip");
    expect(await asked.outcome).toBeNull();
    expect(await desk.answers()).toEqual([{ given: null, text: "**Which seat?** – _skipped_", by: SAM }]);
  });

  it("O42: stopped is null too, at once, and the card says so", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    const { card } = desk;
    desk.stop.abort();
    expect(await desk.settle(asked.outcome)).toBeNull();
    const text = "**Which seat?** – _skipped: I was stopped before it was answered_";
    expect(await desk.answers()).toEqual([{ given: null, text, by: "gateway" }]);
    expect(await desk.press("Window", { card })).toBe(TAKEN);
    // A turn that is being stopped asks nothing more.
    expect(await (await desk.ask([SEAT])).outcome).toBeNull();
    expect(await desk.log()).toHaveLength(2);
  });

  it("O41: what an engine may hold for a day and longer counts as skipped after a day", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT], { holdMs: 100_000_000 });
    await desk.pass(86_399_999);
    expect(asked.over).toBeUndefined();
    await desk.pass(1);
    expect(await asked.outcome).toBeNull();
    expect(await desk.answers()).toMatchObject([{ text: "**Which seat?** – _skipped: it was not answered in time_" }]);
  });

  it("O43: what an earlier life left open is closed once, as skipped", async () => {
    const desk = await Desk.open();
    await desk.ask([SEAT, DAY]);
    await desk.press("Window");
    for (const entry of await desk.log()) {
      if (entry.kind !== "asked" || entry.card.kind !== "question") throw new Error("It was not asked.");
      await desk.settle(desk.store.commit(expireQuestion(entry.card, entry, 5)));
    }
    const text = "**Which seat? · Day** – _skipped: I was restarted before it was answered_";
    expect(await desk.answers()).toEqual([{ given: null, text, by: "gateway" }]);
  });

  it("O35: a chat that is deleted meanwhile has no answer", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT]);
    await desk.settle(desk.store.conversations.delete("c"));
    desk.stop.abort();
    expect(await desk.settle(asked.outcome)).toBeNull();
    expect(desk.questions.live).toEqual([]);
  });
});

describe("O36, O37: step by step, without forms", () => {
  it("O36, O37: each field in turn, by buttons and words, each step the same card", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT, MEALS, WEIGHT, DAY]);
    const { id } = desk.card;
    const first = desk.card;
    await desk.press("Window");
    // A second press of the same button comes late: the next step is not its.
    expect(await desk.press("Window", { card: first })).toBe(TAKEN);
    expect(desk.labels).toEqual(["☐ Lunch", "☐ Dinner", "☐ Snack, salty", "Done", "Skip"]);
    expect(await desk.press("Done")).toBe("Nothing is picked yet: pick at least one, or press Skip.");
    await desk.press("☐ Snack, salty");
    await desk.press("☐ Lunch");
    await desk.press("☐ Dinner");
    expect(desk.labels).toEqual(["☑ Lunch", "☑ Dinner", "☑ Snack, salty", "Done", "Skip"]);
    await desk.press("☑ Dinner");
    const keys = desk.card.options.map(({ key }) => key);
    await desk.press("☐ Dinner");
    expect(desk.card.options.map(({ key }) => key)).toEqual(keys);
    await desk.press("☑ Dinner");
    await desk.press("Done");
    await desk.type("12,5 kg");
    expect(desk.card.soFar?.answers).toEqual(["Window", "Lunch; Snack, salty", "12.5 kg"]);
    await desk.press("2026-11-30");
    expect(await asked.outcome).toBe(
      "Which seat?: Window\nMeals: Lunch; Snack, salty\nWeight: 12.5 kg\nDay: 2026-11-30",
    );
    const cards = (await desk.log()).flatMap((entry) => (entry.kind === "asked" ? [entry.card.id] : []));
    expect(new Set(cards)).toEqual(new Set([id]));
  });

  it("O41: Skip skips all of it, also in the middle", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT, DAY]);
    await desk.press("Window");
    await desk.press("Skip");
    expect(await asked.outcome).toBeNull();
  });

  it("O39: a wrong value keeps the question open and says what is wrong", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([DAY]);
    expect(await desk.type("31 February 2026")).toBe(true);
    expect(desk.card.soFar?.problem).toBe("There is no 31 February 2026. Which date is it?");
    expect(await desk.type("3/4/2026")).toBe(true);
    expect(desk.card.soFar?.problem).toContain("Write 2026-04-03 or 2026-03-04.");
    expect(asked.over).toBeUndefined();
    await desk.type("2026-04-03");
    expect(await asked.outcome).toBe("Day: 2026-04-03");
  });

  it("O40: words that are no value answer in the person's own words", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([DAY]);
    await desk.type("next Tuesday");
    expect(await asked.outcome).toBe("Day: next Tuesday (in their own words)");
    expect(await desk.answers()).toMatchObject([{ by: SAM, messageId: "m1" }]);
  });

  it.each([
    [SEAT, "aisle", "Which seat?: Aisle"],
    [SEAT, " WINDOW. ", "Which seat?: Window"],
    [SEAT, "2", "Which seat?: Aisle"],
    [SEAT, "#1", "Which seat?: Window"],
    [SEAT, "3", "Which seat?: 3 (in their own words)"],
    [SEAT, "neither, I'll walk", "Which seat?: neither, I'll walk (in their own words)"],
    [MEALS, "lunch, dinner", "Meals: Lunch, Dinner"],
    [MEALS, "3 1", "Meals: Lunch; Snack, salty"],
    [MEALS, "Dinner and lunch", "Meals: Lunch, Dinner"],
    [MEALS, "lunch, and a beer", "Meals: lunch, and a beer (in their own words)"],
    [MEALS, "snack, salty", "Meals: Snack, salty"],
    [WHY, "Because\n of it", "Why: Because of it"],
    [{ ...WHY, long: true } as const, "Because\n of it", "Why: Because\n of it"],
    [WEIGHT, "1 234,56", "Weight: 1234.56 kg"],
  ] as const)("O36, O40: %j typed as %j", async (field, words, given) => {
    const desk = await Desk.open();
    const asked = await desk.ask([field]);
    expect(await desk.type(words)).toBe(true);
    expect(await asked.outcome).toBe(given);
  });

  it("O36: an option that is itself called a number is meant before the number of one", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([{ ...SEAT, options: [{ label: "2" }, { label: "3" }] }]);
    await desk.type("2");
    expect(await asked.outcome).toBe("Which seat?: 2");
  });

  it("O39: a text has its limit, and nothing is not a text", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([WHY]);
    await desk.type("x".repeat(4001));
    expect(desk.card.soFar?.problem).toBe("That is too long: at most 4,000 characters.");
    await desk.type("\u200B");
    expect(desk.card.soFar?.problem).toBe("Nothing is written there.");
    await desk.type("x".repeat(4000));
    expect(await asked.outcome).toBe(`Why: ${"x".repeat(4000)}`);
  });
});

describe("O36, O39: with forms", () => {
  const forms = { forms: true } as const;
  const open = "Answer…";

  it("O36, O39: several fields are one form, checked again when it comes back", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT, MEALS, DAY, WEIGHT], { ...forms, title: "Your trip" });
    expect(desk.labels).toEqual([open, "Skip"]);
    const key = desk.card.options[0]?.key;
    expect(await desk.press(open)).toMatchObject({
      form: {
        ...{ press: key, title: "Your trip" },
        fields: [
          {
            id: "field-0",
            kind: "choice",
            several: false,
            optional: false,
            options: [{ value: "0", label: "Window" }, { value: "1" }],
          },
          { id: "field-1", kind: "choice", several: true, optional: true },
          { id: "own-1", kind: "text", optional: true },
          { id: "field-2", kind: "date", value: "2026-11-30" },
          { id: "field-3", kind: "number", note: "kg" },
        ],
      },
    });
    const fields = {
      "field-0": ["1"],
      "field-1": ["2", "0"],
      "own-1": [],
      "field-2": ["2026-02-31"],
      "field-3": ["1,5"],
    };
    expect(await desk.press(open, { fields })).toBe("Day: There is no 31 February 2026. Which date is it?");
    // What was written stands there again; what is no date doesn't, since a platform would refuse the form.
    expect(await desk.press(open)).toMatchObject({
      form: { fields: [{}, {}, {}, { value: "2026-11-30" }, { value: "1,5" }] },
    });
    expect(
      await desk.press(open, { fields: { ...fields, "own-1": ["and tea"], "field-2": ["30.11.2026"] } }),
    ).toBeUndefined();
    expect(await asked.outcome).toBe(
      "Which seat?: Aisle\nMeals: Lunch; Snack, salty; and tea (in their own words)\nDay: 2026-11-30\nWeight: 1.5 kg",
    );
  });

  it.each([
    ["nothing", {}, "Which seat?: Nothing is picked there."],
    ["an option that is none", { "field-0": ["2"] }, "Which seat?: That can't be picked there."],
    ["two of one", { "field-0": ["0", "1"] }, "Which seat?: That can't be picked there."],
    ["no number", { "field-0": ["x"] }, "Which seat?: That can't be picked there."],
    ["an empty date", { "field-0": ["0"], "field-1": [""] }, "Day: Nothing is written there."],
    [
      "words for a date",
      { "field-0": ["0"], "field-1": ["soon"] },
      "Day: “soon” is not a date that I can read. Write it like 2026-11-30.",
    ],
    [
      "a blank text",
      { "field-0": ["0"], "field-1": ["2026-11-30"], "field-2": [" "] },
      "Why: Nothing is written there.",
    ],
    [
      "a text that is too long",
      { "field-0": ["0"], "field-1": ["2026-11-30"], "field-2": ["x".repeat(4001)] },
      "Why: That is too long: at most 4,000 characters.",
    ],
  ])("O39: a form with %s is not taken", async (_, fields, words) => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT, DAY, WHY], forms);
    expect(await desk.press(open, { fields })).toBe(words);
    expect([asked.over, await desk.answers()]).toEqual([undefined, []]);
  });

  it("O36: four choices with own words share one field for them", () => {
    const four = [MEALS, MEALS, MEALS, MEALS];
    const ids = formFor({ fields: four }, "k").fields.map(({ id }) => id);
    expect(ids).toEqual(["field-0", "field-1", "field-2", "field-3", "own"]);
    const picked = { "field-0": ["0"], "field-1": ["1"], "field-2": ["0"], "field-3": ["0"] };
    expect(readForm({ fields: four }, picked)).toEqual({ answers: ["Lunch", "Dinner", "Lunch", "Lunch"] });
    expect(readForm({ fields: four }, { ...picked, own: ["no nuts"] })).toEqual({
      answers: ["Lunch", "Dinner", "Lunch", "Lunch"],
      own: "no nuts",
    });
    expect(readForm({ fields: four }, { ...picked, "field-3": [], own: ["surprise me"] })).toMatchObject({
      answers: ["Lunch", "Dinner", "Lunch", "surprise me (in their own words)"],
    });
  });

  it("O36: a choice of several by its menu, and own words in a form", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([MEALS], forms);
    expect(await desk.press("", { picked: [] })).toBe("Nothing is picked yet: pick at least one, or press Skip.");
    expect(await desk.press("", { picked: ["0", "7"] })).toBe("That can't be picked there.");
    expect(await desk.press("", { picked: ["a"] })).toBe("That can't be picked there.");
    expect(await desk.press("Other…")).toMatchObject({
      form: { fields: [{ id: "own-0", kind: "text", label: "Meals", optional: false }] },
    });
    expect(await desk.press("", { picked: ["1", "0", "1"] })).toBeUndefined();
    expect(await asked.outcome).toBe("Meals: Lunch, Dinner");
    const again = await desk.ask([MEALS], forms);
    expect(await desk.press("Other…", { fields: { "own-0": ["soup"] } })).toBeUndefined();
    expect(await again.outcome).toBe("Meals: soup (in their own words)");
  });

  it("O40: words typed at several fields answer all of it", async () => {
    const desk = await Desk.open();
    const asked = await desk.ask([SEAT, DAY], forms);
    await desk.type("A window, on 31 February");
    expect(await asked.outcome).toBe("In their own words: A window, on 31 February");
  });

  it("O39: whatever a platform sends, every answer that is taken is one that was asked for", async () => {
    const kinds = [SEAT, MEALS, DAY, WEIGHT, WHY];
    const values = fc.array(fc.oneof(fc.constantFrom("0", "1", "2", "9", "-1", "2026-11-30", "1,5", ""), fc.string()), {
      maxLength: 3,
    });
    const ids = ["field-0", "field-1", "field-2", "field-3", "own-0", "own-1", "own", "__proto__"];
    const sent = fc.dictionary(fc.constantFrom(...ids), values);
    fc.assert(
      fc.property(fc.subarray(kinds, { minLength: 1, maxLength: 4 }), sent, (fields, filled) => {
        const read = readForm({ fields }, filled);
        if ("problem" in read) {
          expect(read.problem).toMatch(/[.?]$/u);
          return;
        }
        expect(read.answers).toHaveLength(fields.length);
        for (const [at, answer] of read.answers.entries()) {
          const field = fields[at];
          if (field === DAY) expect(answer).toMatch(/^\d{4}-\d\d-\d\d$/u);
          if (field === WEIGHT) expect(answer).toMatch(/^-?\d+(\.\d+)? kg$/u);
          if (field === SEAT) expect(["Window", "Aisle"]).toContain(answer);
          expect(answer.trim()).not.toBe("");
        }
      }),
    );
  });
});

describe("O40: while it waits", () => {
  it("O40: the person is reminded once for each question", async () => {
    const desk = await Desk.open();
    expect(desk.questions.remindOnce("c")).toBe(false);
    await desk.ask([SEAT]);
    expect([1, 2].map(() => desk.questions.remindOnce("c"))).toEqual([true, false]);
    expect(desk.questions.remindOnce("other")).toBe(false);
    await desk.press("Skip");
    expect(desk.questions.remindOnce("c")).toBe(false);
    await desk.ask([SEAT]);
    expect(desk.questions.remindOnce("c")).toBe(true);
  });

  it("O38: a guest's question is marked as holding words of somebody else, from its first to its last form", async () => {
    const desk = await Desk.open();
    await desk.ask([SEAT, DAY], { outside: true, name: "Eve" });
    expect(desk.questions.live[0]?.outside).toBe(true);
    await desk.press("Window");
    await desk.press("2026-11-30");
    expect((await desk.log()).map((entry) => "outside" in entry && entry.outside)).toEqual([true, true, true]);
  });
});
