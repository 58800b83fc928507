import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cueFor, wordsOf } from "../../src/cards/cues.ts";
import type { Item } from "../../src/catalog/port.ts";

function app(id: string, words: readonly string[], not: readonly string[] = [], more: Partial<Item> = {}): Item {
  return {
    kind: "app",
    id,
    name: id,
    tagline: "",
    about: "",
    state: "off",
    may: [],
    featured: false,
    reviewed: true,
    cues: { words, not },
    connects: { by: "nothing" },
    ...more,
  };
}

const ITEMS = [
  app("linear", ["linear", "linear ticket"], ["linear algebra"]),
  app("calendar", ["my calendar", "Termine", "カレンダー", "agenda électronique"]),
  app("drive", ["drive"]),
  app("google-drive", ["google drive"]),
  app("cpp", ["C++"]),
];

describe("cues", () => {
  it.each([
    ["Put it in Linear, please", "linear"],
    ["LINEAR's board", "linear"],
    ["nonlinear", undefined],
    ["linearly", undefined],
    ["linear algebra homework", undefined],
    ["a linear   ALGEBRA-thing for my linear ticket", undefined],
    ["what's in my\ncalendar?", "calendar"],
    ["Wann sind meine termine?", "calendar"],
    ["mon agenda electronique", "calendar"],
    ["ｍｙ ｃａｌｅｎｄａｒ", "calendar"],
    ["明日のカレンダーを見せて", "calendar"],
    ["find it on Google Drive", "google-drive"],
    ["a drive", "drive"],
    ["write it in C++.", "cpp"],
    ["write it in C", undefined],
    ["", undefined],
    ["!?", undefined],
  ])("O69: “%s” calls for %s", (words, id) => {
    expect(cueFor(words, ITEMS)?.id).toBe(id);
  });

  it("O69: only what could be turned on is called for, and what may be", () => {
    const words = "my tea";
    const past = (["on", "changed", "retired"] as const).map((state) => app(state, ["tea"], [], { state }));
    expect(cueFor(words, past)).toBeUndefined();
    expect(cueFor(words, [app("a", ["tea"], [], { trouble: "It can't be reached." })])).toBeUndefined();
    expect(cueFor(words, [app("a", ["tea"], [], { state: "asked", kind: "skill" })])?.id).toBe("a");
    const both = [app("a", ["my tea"]), app("b", ["tea"])];
    expect(cueFor(words, both, ({ id }) => id !== "a")?.id).toBe("b");
    expect(cueFor(words, both, () => false)).toBeUndefined();
  });

  const word = fc.constantFrom("tea", "Tea", "cup", "pot", "thé", "お茶", "teacup", "my", "linear", "c++");
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" "));
  const item = fc
    .tuple(fc.stringMatching(/^[a-z]{1,3}$/u), fc.array(phrase, { maxLength: 4 }), fc.array(phrase, { maxLength: 2 }))
    .map(([id, words, not]) => app(id, words, not));
  const items = fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 8 });
  const message = fc
    .array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 4 })), { maxLength: 12 })
    .map((words) => words.join(" "));

  it("O69: the answer has a cue in the words and none of its negatives, no other has a longer one, and order doesn't matter", () => {
    fc.assert(
      fc.property(items, message, (all, words) => {
        const said = wordsOf(words);
        const longest = ({ cues }: Item): number =>
          cues.not.some((one) => said.includes(wordsOf(one)))
            ? 0
            : Math.max(0, ...cues.words.map(wordsOf).map((one) => (said.includes(one) ? one.length : 0)));
        const found = cueFor(words, all);
        const most = Math.max(0, ...all.map(longest));
        expect(found === undefined ? 0 : longest(found)).toBe(most);
        expect(cueFor(words, all.toReversed())?.id).toBe(found?.id);
        expect(cueFor(words, [...all])?.id).toBe(found?.id);
      }),
    );
  });

  it("O69: whole words of any script match in a sentence of that script", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[а-яёα-ωa-z]{2,12}$/u), fc.constantFrom("", "?", "!", "…"), (cue, end) => {
        fc.pre(wordsOf(cue) !== "");
        const one = [app("a", [cue])];
        expect(cueFor(`please, ${cue.toUpperCase()}${end} now`, one)?.id).toBe(
          wordsOf(cue.toUpperCase()) === wordsOf(cue) ? "a" : undefined,
        );
        expect(cueFor(`please x${cue}`, one)).toBeUndefined();
      }),
    );
  });
});
