// How a question looks in each of its states, with and without forms.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipUnits } from "../../src/core/text.ts";
import { buttonsOf, closedText, drawQuestion, givenText } from "../../src/cards/question-card.ts";
import type { Question, QuestionField } from "../../src/core/card.ts";
import type { Drawn } from "../../src/cards/drawn.ts";

const SEAT: QuestionField = {
  ...{ id: "seat", label: "Which seat?", kind: "choice", several: false, other: false },
  options: [{ label: "Window" }, { label: "Aisle" }],
};
const MEALS: QuestionField = {
  ...{ id: "meal", label: "Which meals?", kind: "choice", several: true, other: true },
  options: [{ label: "Lunch", description: "Cold" }, { label: "Dinner" }, { label: "Snack" }],
};
const DAY: QuestionField = { id: "day", label: "When?", kind: "date", suggested: "2026-11-30" };
const WEIGHT: QuestionField = { id: "kg", label: "How heavy?", kind: "number", unit: "kg" };
const WHY: QuestionField = { id: "why", label: "Why?", kind: "text", long: true };

function card(fields: readonly QuestionField[], more: Partial<Question> = {}): Question {
  const bare = { kind: "question", id: "q", turn: "t", for: "p/1", fields, inForm: false, ...more } as const;
  return { ...bare, options: buttonsOf(bare).map((button, at) => ({ ...button, key: `k${at}` })) };
}

/** The text in lines, and the labels row by row; `…opens` marks what opens a form. */
function look({ text, rows, menu, quiet }: Drawn): object {
  return {
    lines: text.split("  \n"),
    rows: rows.map((row) => row.map((one) => ("opens" in one ? `${one.label} (opens)` : one.label)).join(" | ")),
    ...(menu === undefined ? {} : { menu: menu.options.map(({ value, label }) => `${value} ${label}`) }),
    ...(quiet ? { quiet } : {}),
  };
}

const drawn = (fields: readonly QuestionField[], more: Partial<Question> = {}): object =>
  look(drawQuestion(card(fields, more)));

describe("O35, O36, O71: without forms, step by step in one message", () => {
  it("O36, O41, O71: a choice is a button per option, and Skip", () => {
    expect(drawn([SEAT])).toEqual({ lines: ["**Which seat?**"], rows: ["Window", "Aisle", "Skip"] });
    expect(drawn([{ ...SEAT, other: true }], { title: "Your trip" })).toEqual({
      lines: ["**Your trip**", "▸ Which seat?", "_Or write it in your own words._"],
      rows: ["Window", "Aisle", "Skip"],
    });
  });

  it("O36, O71: a choice of several has toggles and Done; what is described stands in the text", () => {
    expect(drawn([MEALS], { soFar: { answers: [], picked: [1] } })).toEqual({
      lines: [
        "**Which meals?**",
        "• Lunch – Cold",
        "• Dinner",
        "• Snack",
        "_Pick one or more, then Done. Or write it in your own words._",
      ],
      rows: ["☐ Lunch", "☑ Dinner", "☐ Snack", "Done | Skip"],
    });
  });

  it("O37, O71: options too long for a button are numbered, and say all of it above", () => {
    const long = "x".repeat(41);
    expect(drawn([{ ...SEAT, options: [{ label: long }, { label: "B" }] }])).toEqual({
      lines: ["**Which seat?**", `**1.** ${long}`, "**2.** B"],
      rows: ["1 | 2", "Skip"],
    });
    const several: QuestionField = { ...MEALS, other: false, options: [{ label: long }, { label: "B" }] };
    expect(drawn([several], { soFar: { answers: [], picked: [0] } })).toMatchObject({
      rows: ["☑ 1 | ☐ 2", "Done | Skip"],
    });
  });

  it("O36, O71: a date has its suggestion as a button, the others are written", () => {
    expect(drawn([DAY])).toEqual({
      lines: ["**When?**", "_Write it here, like 2026-11-30._"],
      rows: ["2026-11-30", "Skip"],
    });
    expect(drawn([WEIGHT])).toEqual({ lines: ["**How heavy? (kg)**", "_Write it here, like 12.5._"], rows: ["Skip"] });
    expect(drawn([WHY])).toEqual({ lines: ["**Why?**", "_Write it here._"], rows: ["Skip"] });
  });

  it("O36, O71: of several fields one after the other, with what was answered and what is wrong", () => {
    const soFar = { answers: ["Window"], picked: [], problem: "There is no 31 February 2026. Which date is it?" };
    expect(drawn([SEAT, DAY, WHY], { title: "Your trip", soFar })).toEqual({
      lines: [
        "**Your trip** (2 of 3)",
        "✓ Which seat? Window",
        "▸ When?",
        "_Write it here, like 2026-11-30._",
        "⚠️ There is no 31 February 2026. Which date is it?",
      ],
      rows: ["2026-11-30", "Skip"],
    });
    expect(drawn([SEAT, DAY])).toMatchObject({ lines: ["1 of 2", "**Which seat?**"] });
  });
});

describe("O35, O36, O71: with forms", () => {
  const inForm = true;

  it("O36, O71: one choice is buttons, with own words in a form", () => {
    expect(drawn([SEAT], { inForm })).toEqual({ lines: ["**Which seat?**"], rows: ["Window | Aisle", "Skip"] });
    expect(drawn([{ ...SEAT, other: true }], { inForm })).toMatchObject({
      rows: ["Window | Aisle", "Other… (opens) | Skip"],
    });
    const six = Array.from({ length: 6 }, (_, at) => ({ label: `Seat ${at}` }));
    expect(drawn([{ ...SEAT, options: six }], { inForm })).toMatchObject({
      rows: ["Seat 0 | Seat 1 | Seat 2", "Seat 3 | Seat 4 | Seat 5", "Skip"],
    });
  });

  it("O36, O71: a choice of several is a menu", () => {
    expect(drawn([MEALS], { inForm })).toMatchObject({
      menu: ["0 Lunch", "1 Dinner", "2 Snack"],
      rows: ["Other… (opens) | Skip"],
    });
    expect(drawQuestion(card([MEALS], { inForm })).menu).toMatchObject({ press: "k0", submit: "Done" });
  });

  it("O36, O71: everything else is a form that a button opens, with one date's suggestion beside it", () => {
    expect(drawn([DAY], { inForm })).toEqual({ lines: ["**When?**"], rows: ["2026-11-30", "Answer… (opens) | Skip"] });
    expect(drawn([SEAT, MEALS, DAY, WEIGHT], { inForm, title: "Your trip" })).toEqual({
      lines: ["**Your trip**", "• Which seat?", "• Which meals?", "• When?", "• How heavy? (kg)"],
      rows: ["Answer… (opens) | Skip"],
    });
  });
});

describe("O38, O43, O65: who is asked, and what is shown of outside words", () => {
  it("O38: where others are it names who is asked; it is never in passing", () => {
    expect(drawn([SEAT], { name: "Eve *A*" })).toEqual({
      lines: [String.raw`For Eve \*A\*:`, "**Which seat?**"],
      rows: ["Window", "Aisle", "Skip"],
    });
    expect(drawn([WHY], { name: "Eve" })).toMatchObject({
      lines: ["For Eve:", "**Why?**", "_Write it here, as a reply to this._"],
    });
    expect(drawQuestion(card([SEAT])).quiet).toBe(false);
  });

  it("O65: markup and mentions stand there as they were written", () => {
    const sly = "<@U1> [x](https://evil.example) **b** `c` @all ~~d~~";
    const shown = String.raw`\<\@U1> \[x\](https\://evil.example) \*\*b\*\* \`c\` \@all \~\~d\~\~`;
    const options = [{ label: sly, description: sly }, { label: "B" }];
    const text = drawQuestion(card([{ ...SEAT, label: sly, options }], { title: sly, name: sly })).text;
    expect(text.split("  \n")).toEqual([
      `For ${shown}:`,
      `**${shown}**`,
      `▸ ${shown}`,
      `**1.** ${shown} – ${shown}`,
      "**2.** B",
    ]);
    expect(closedText({ title: sly, fields: [SEAT] }, { is: "words", words: sly })).toBe(`**${shown}** – “${shown}”`);
    const problem = card([{ ...WHY, label: sly }], { soFar: { answers: [], picked: [], problem: sly } });
    expect(drawQuestion(problem).text).toContain(`⚠️ ${shown}`);
  });
});

describe("O39, O41, O42, O43: what it says once it is over", () => {
  it("O39: what was asked and what was answered, in a line or two", () => {
    expect(closedText({ fields: [SEAT] }, { is: "answered", answers: ["Window"] })).toBe("**Which seat?** – Window");
    expect(
      closedText(
        { title: "Your trip", fields: [SEAT, DAY] },
        { is: "answered", answers: ["Window", "2026-11-30"], own: "soon" },
      ),
    ).toBe("**Your trip**  \nWhich seat? Window · When? 2026-11-30 · “soon”");
    expect(closedText({ fields: [SEAT, DAY] }, { is: "words", words: "You\nchoose" })).toBe(
      "**Which seat? · When?** – “You choose”",
    );
    const long = closedText({ fields: [WHY] }, { is: "answered", answers: ["x".repeat(4000)] });
    expect(long).toBe(`**Why?** – ${"x".repeat(199)}…`);
  });

  it.each([
    ["skipped", "skipped"],
    ["stopped", "skipped: I was stopped before it was answered"],
    ["late", "skipped: it was not answered in time"],
    ["restarted", "skipped: I was restarted before it was answered"],
  ] as const)("O41, O42, O43: %s", (is, words) => {
    expect(closedText({ fields: [SEAT] }, { is })).toBe(`**Which seat?** – _${words}_`);
    expect(givenText({ fields: [SEAT] }, { is })).toBeNull();
  });

  it("O39: the model is told each field by its label, whole", () => {
    const answers = ["Window", "x".repeat(4000)];
    expect(givenText({ fields: [SEAT, WHY] }, { is: "answered", answers })).toBe(
      `Which seat?: Window\nWhy?: ${"x".repeat(4000)}`,
    );
    expect(givenText({ fields: [SEAT] }, { is: "answered", answers: ["Window"], own: "please" })).toBe(
      "Which seat?: Window\nIn their own words: please",
    );
    expect(givenText({ fields: [SEAT, DAY] }, { is: "words", words: "You choose" })).toBe(
      "In their own words: You choose",
    );
  });
});

describe("O37, O71: a card is one message on every platform", () => {
  const sly = fc.string({
    unit: fc.constantFrom("*", "_", "a", "👩‍👩‍👧", "`", "<@U1>", "漢"),
    minLength: 1,
    maxLength: 200,
  });
  const label = (maxUnits: number): fc.Arbitrary<string> => sly.map((text) => clipUnits(text, maxUnits) || "x");
  const options = fc.array(fc.record({ label: label(80), description: label(200) }), { minLength: 2, maxLength: 6 });
  const choice = fc.record({
    ...{ id: fc.constant("c"), kind: fc.constant("choice" as const), label: label(200), options },
    ...{ several: fc.boolean(), other: fc.boolean() },
  });
  const text = fc.record({
    id: fc.constant("t"),
    kind: fc.constant("text" as const),
    label: label(200),
    long: fc.boolean(),
  });
  const fields = fc.array(fc.oneof(choice, text), { minLength: 1, maxLength: 4 });

  it("O37, O71: whatever is asked and answered", () => {
    fc.assert(
      fc.property(
        fields,
        label(120),
        fc.array(sly, { maxLength: 3 }),
        fc.boolean(),
        (asked, title, answers, inForm) => {
          const soFar = {
            answers: inForm ? [] : answers.slice(0, asked.length - 1),
            picked: [],
            problem: "x".repeat(4000),
          };
          const { text: shown, rows } = drawQuestion(card(asked, { title, inForm, soFar, name: "E".repeat(300) }));
          // Escapes may double what stands in it, and a platform's own add some more.
          expect(shown.replaceAll("\\", "").length).toBeLessThan(1700);
          expect(rows.every((row) => row.length > 0 && row.length <= 6)).toBe(true);
          for (const { label: words } of rows.flat()) expect(words.length).toBeLessThanOrEqual(42);
          const closed = closedText(
            { title, fields: asked },
            { is: "answered", answers: asked.map(() => "y".repeat(4000)) },
          );
          expect(closed.length).toBeLessThan(1500);
        },
      ),
    );
  });

  it("O37, O71: of options of a menu the labels stand in it, and what is said of them above", () => {
    const long = "x".repeat(80);
    const { text: shown, menu } = drawQuestion(
      card(
        [
          {
            ...MEALS,
            kind: "choice",
            several: true,
            other: false,
            options: [{ label: long, description: "D" }, { label: "B" }],
          },
        ],
        { inForm: true },
      ),
    );
    expect(menu?.options).toEqual([
      { value: "0", label: `1. ${"x".repeat(59)}…` },
      { value: "1", label: "2. B" },
    ]);
    expect(shown).toContain(`**1.** ${long} – D`);
  });
});
