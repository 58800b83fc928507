import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IN_MEMORY, makeIndex } from "../../src/search/schema.ts";
import { wordForms } from "../../src/search/stems.ts";
import { loadVocabulary, Vocabulary } from "../../src/search/spelling.ts";

function vocabularyOf(counts: Readonly<Record<string, number>>): Vocabulary {
  const vocabulary = new Vocabulary();
  for (const [term, count] of Object.entries(counts)) vocabulary.count(term, count);
  return vocabulary;
}

const nearTo = (vocabulary: Vocabulary, word: string): readonly string[] =>
  vocabulary.near(word).map(({ term, distance }) => `${term} ${distance}`);

describe("spelling", () => {
  it("P2: a letter left out, put in, changed, or swapped with its neighbour is one wrong letter", () => {
    const vocabulary = vocabularyOf({ budget: 9, garden: 3 });
    for (const wrong of ["budet", "buddget", "bucget", "bugdet", "udget", "budgets"]) {
      expect(nearTo(vocabulary, wrong)).toEqual(["budget 1"]);
    }
    expect(nearTo(vocabulary, "budget")).toEqual([]);
  });

  it("P2: none wrong in three letters, one from four, two from eight", () => {
    const vocabulary = vocabularyOf({ cats: 1, milk: 1, tomorrow: 5, morrow: 5 });
    expect(nearTo(vocabulary, "cat")).toEqual([]);
    expect(nearTo(vocabulary, "mlik")).toEqual(["milk 1"]);
    expect(nearTo(vocabulary, "mlki")).toEqual([]);
    expect(nearTo(vocabulary, "tommorow")).toEqual(["tomorrow 2"]);
    expect(nearTo(vocabulary, "tommorrrow")).toEqual(["tomorrow 2"]);
    expect(nearTo(vocabulary, "ttommorrrow")).toEqual([]);
  });

  it("P2: from six letters two may be wrong when nothing is nearer and the first letter is right", () => {
    const vocabulary = vocabularyOf({ bicycle: 5, dessert: 2 });
    expect(nearTo(vocabulary, "bycicle")).toEqual(["bicycle 2"]);
    expect(nearTo(vocabulary, "dezert")).toEqual(["dessert 2"]);
    expect(nearTo(vocabulary, "pycicle")).toEqual([]);
    vocabulary.count("bycycle", 1);
    expect(nearTo(vocabulary, "bycicle")).toEqual(["bycycle 1"]);
  });

  it("P2: nearest first, then what is written more, then by letters; eight at most", () => {
    const near = { sand: 4, send: 9, seed: 2, sned: 2, seend: 2, sened: 1, senda: 1, fend: 1, mend: 1, lend: 1 };
    const found = nearTo(vocabularyOf(near), "sendd");
    expect(found).toEqual(["send 1", "senda 1", "sened 1"]);
    const many = nearTo(vocabularyOf({ ...near, bend: 1, tend: 1, vend: 1, rend: 1 }), "zend");
    expect(many).toEqual(["send 1", "bend 1", "fend 1", "lend 1", "mend 1", "rend 1", "tend 1", "vend 1"]);
  });

  it("P2: letters of every script", () => {
    const vocabulary = vocabularyOf({ привет: 3, φιλος: 1, नमस्ते: 2, كتاب: 4, שלום: 5 });
    expect(nearTo(vocabulary, "првиет")).toEqual(["привет 1"]);
    expect(nearTo(vocabulary, "φλιος")).toEqual(["φιλος 1"]);
    expect(nearTo(vocabulary, "नमसते")).toEqual(["नमस्ते 1"]);
    expect(nearTo(vocabulary, "كتتاب")).toEqual(["كتاب 1"]);
    expect(nearTo(vocabulary, "שלןם")).toEqual(["שלום 1"]);
  });

  it("P2: what nobody misspells is not kept: numbers, pairs of characters, symbols, keys", () => {
    const vocabulary = vocabularyOf({ inv2024: 1, 米饭: 1, "🎉": 1, กา: 1, ["k".repeat(25)]: 1, ab: 1, word: 1 });
    expect(vocabulary.df("inv2024")).toBe(0);
    expect(vocabulary.df("米饭")).toBe(0);
    expect(vocabulary.df("k".repeat(25))).toBe(0);
    expect(vocabulary.df("word")).toBe(1);
  });

  it("D35: a word that nothing holds any more is never given", () => {
    const vocabulary = vocabularyOf({ secretly: 2 });
    vocabulary.count("secretly", -1);
    expect(nearTo(vocabulary, "secrelty")).toEqual(["secretly 1"]);
    vocabulary.count("secretly", -1);
    expect(nearTo(vocabulary, "secrelty")).toEqual([]);
    vocabulary.count("secretly", 1);
    expect(vocabulary.df("secretly")).toBe(1);
  });

  it("P2: the same neighbours as by comparing each word in full", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d", "e"), minLength: 3, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(fc.tuple(word, fc.integer({ min: 1, max: 5 })), { maxLength: 60 }), word, (words, asked) => {
        const counts = new Map<string, number>();
        const vocabulary = new Vocabulary();
        for (const [term, count] of words) {
          counts.set(term, (counts.get(term) ?? 0) + count);
          vocabulary.count(term, count);
        }
        const most = asked.length >= 8 ? 2 : asked.length >= 4 ? 1 : 0;
        const within = (limit: number, like: string): readonly string[] =>
          [...counts]
            .map(([term, df]) => ({ term, df, distance: distanceOf(asked, term) }))
            .filter(({ term, distance }) => distance > 0 && distance <= limit && term.startsWith(like))
            .toSorted((a, b) => a.distance - b.distance || b.df - a.df || (a.term < b.term ? -1 : 1))
            .slice(0, 8)
            .map(({ term, distance }) => `${term} ${distance}`);
        const near = within(most, "");
        const expected = near.length === 0 && most === 1 && asked.length >= 6 ? within(2, asked.slice(0, 1)) : near;
        expect(nearTo(vocabulary, asked)).toEqual(expected);
        for (const [term, df] of counts) expect(vocabulary.df(term)).toBe(df);
      }),
    );
  });

  it("P2: loads what the index holds, in slices, past what it has room for at first", async () => {
    const database = makeIndex(IN_MEMORY, "");
    const words = Array.from(
      { length: 5_000 },
      (_, nth) => `w${String(nth).replaceAll(/\d/gu, (digit) => "abcdefghij".charAt(Number(digit)))}x`,
    );
    for (const [nth, word] of words.entries()) database.run("INSERT INTO term (term, df) VALUES (?, ?)", word, nth + 1);
    let pauses = 0;
    const vocabulary = await loadVocabulary(database, {
      soon: (task) => {
        pauses += 1;
        queueMicrotask(task);
      },
    });
    expect(pauses).toBeGreaterThanOrEqual(5);
    expect(words.map((word) => vocabulary.df(word))).toEqual(
      words.filter((word) => word.length >= 3).map((_, nth) => nth + 1),
    );
    database[Symbol.dispose]();
  });
});

describe("other forms of English words", () => {
  it.each([
    ["invoice", "invoices invoiced invoicing"],
    ["invoices", "invoice"],
    ["party", "parties"],
    ["parties", "party"],
    ["meeting", "meet meets met meetings"],
    ["planned", "plan plans planning"],
    ["boxes", "box"],
    ["hoping", "hope hoped"],
    ["paid", "pay pays paying"],
    ["children", "child"],
    ["quickly", "quick"],
  ])("P2: of %s among others %s", (word, forms) => {
    expect(wordForms(word)).toEqual(expect.arrayContaining(forms.split(" ")));
    expect(wordForms(word)).not.toContain(word);
  });

  it.each(["at", "hôtel", "слово", "inv2024", "x".repeat(30), "bus", "this", "string", "thing"])(
    "P2: %s loses no letters",
    (word) => {
      expect(wordForms(word).filter((form) => form.length < word.length)).toEqual([]);
    },
  );
});

/** Optimal string alignment, by the whole table. */
function distanceOf(one: string, other: string): number {
  const rows = Array.from({ length: one.length + 1 }, (_, down) =>
    Array.from({ length: other.length + 1 }, (__, at) => (down === 0 ? at : at === 0 ? down : 0)),
  );
  const cost = (down: number, at: number): number => rows[down]?.[at] ?? 99;
  for (let down = 1; down <= one.length; down += 1) {
    for (let at = 1; at <= other.length; at += 1) {
      const same = one[down - 1] === other[at - 1] ? 0 : 1;
      let least = Math.min(cost(down - 1, at - 1) + same, cost(down - 1, at) + 1, cost(down, at - 1) + 1);
      if (down > 1 && at > 1 && one[down - 1] === other[at - 2] && one[down - 2] === other[at - 1])
        least = Math.min(least, cost(down - 2, at - 2) + 1);
      const row = rows[down];
      if (row !== undefined) row[at] = least;
    }
  }
  return cost(one.length, other.length);
}
