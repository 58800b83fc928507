// Replies to send next: which are worth a button, and whose.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AS_CHART, chipsUnder, keyedChips, suggestTool, worthShowing } from "../../src/cards/chips.ts";

const TABLE = "| town | trains |\n| --- | ---: |\n| Kiel | 12 |\n| Ulm | 9 |";
const CONTEXT = { conversation: "c", turn: "t", signal: new AbortController().signal, taints: async () => [] };

describe("O47: of what is suggested", () => {
  test("one of 120 characters is shown and one of 121 is not, and none is cut", () => {
    const [fits, long] = ["x".repeat(120), "y".repeat(121)];
    expect(worthShowing([long, fits])).toEqual([fits]);
  });

  test("what was suggested twice is shown once", () => {
    expect(worthShowing(["Book it", "book it", "Cancel it"])).toEqual(["Book it", "Cancel it"]);
  });

  test.each(["Tell me more", "tell me more about this!", "Continue", "OK", "thanks", "Go on…", "What else?", "Yes."])(
    "%j says nothing of its own",
    (filler) => {
      expect(worthShowing([filler, "Book the 18:05"])).toEqual(["Book the 18:05"]);
    },
  );

  test.each(["two\nlines", " padded ", "\u202Egnirts", "\u200B", "", "tab\there"])(
    "%j would not be sent as it is drawn",
    (odd) => {
      expect(worthShowing([odd])).toEqual([]);
    },
  );

  test("every chip is one of the suggestions, character for character", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 8 }), (replies) => {
        const shown = worthShowing(replies);
        expect(shown.length).toBeLessThanOrEqual(3);
        for (const words of shown) {
          expect(replies).toContain(words);
          expect(Array.from(words).length).toBeLessThanOrEqual(120);
        }
      }),
    );
  });
});

test("O47: 120 of any sign are shown, as a reader counts them", () => {
  const trains = "🚂".repeat(120);
  expect(worthShowing([trains, `${trains}🚂`])).toEqual([trains]);
});

test.each([
  "/new",
  "/delete it",
  "!new",
  "allow 3",
  "Yes, 12",
  "ok #4",
  "no 7.",
  "don’t allow 2",
  "approve",
  "Allow once",
])("O47, O64: %j would be a command or leave for something, and is no message", (words) => {
  expect(worthShowing([words, "No trains, please", "Allow 30 minutes for it"])).toEqual([
    "No trains, please",
    "Allow 30 minutes for it",
  ]);
});

test("O46: at most 3 are shown, the first ones", () => {
  expect(worthShowing(["Book one", "Book two", "Book three", "Book four"])).toEqual([
    "Book one",
    "Book two",
    "Book three",
  ]);
});

describe("O49, O50, O52: the gateway's own", () => {
  const plain = { text: TABLE, suggested: ["Book it"], clean: true, tools: true };

  test("stands under a table of numbers, before the assistant's", () => {
    expect(chipsUnder(plain)).toEqual([AS_CHART, "Book it"]);
    expect(chipsUnder({ ...plain, text: "no table" })).toEqual(["Book it"]);
  });

  test("is not there for an engine without tools", () => {
    expect(chipsUnder({ ...plain, tools: false })).toEqual(["Book it"]);
  });

  test("is all that stands in a chat with words from outside", () => {
    expect(chipsUnder({ ...plain, clean: false })).toEqual([AS_CHART]);
  });

  test("is not a table without numbers", () => {
    expect(chipsUnder({ ...plain, text: "| a | b |\n| --- | --- |\n| x | y |\n| v | w |" })).toEqual(["Book it"]);
  });
});

test("O51: no chip is about doing something again and again", () => {
  expect(chipsUnder({ text: `Every day, as always.\n\n${TABLE}`, suggested: [], clean: true, tools: true })).toEqual([
    AS_CHART,
  ]);
});

describe("O48: suggest_replies", () => {
  const tool = suggestTool();

  test("gives on what is worth showing, and says what is not", async () => {
    const result = await tool.run(tool.check({ replies: ["Book it", "Tell me more"] }), CONTEXT);
    expect(result).toMatchObject({ outcome: "ok", chips: ["Book it"] });
    expect(result.text).toMatch(/1 left out/u);
  });

  test.each([undefined, {}, { replies: "Book it" }, { replies: [1] }, { replies: [null] }])(
    "refuses %j in words",
    (input) => {
      expect(() => tool.check(input)).toThrow(/list of texts/u);
    },
  );
});

test("O47: a chip's button holds its words", () => {
  let nth = 0;
  const key = (): string => `key-${(nth += 1)}`;
  const { chips, buttons } = keyedChips(
    ["Book it", "Leave it"],
    { conversation: "c", turn: "t", part: 2 },
    { key, fraction: () => 0 },
  );
  expect(chips).toEqual([
    { words: "Book it", key: "key-1" },
    { words: "Leave it", key: "key-2" },
  ]);
  expect(buttons).toEqual(
    chips.map(({ words, key }) => ({
      do: "button",
      key,
      button: { conversation: "c", does: "chip", turn: "t", part: 2, words },
    })),
  );
});
