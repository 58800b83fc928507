// A line cut into passages: nothing lost, nothing too many, and the cut where a reader would make it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, EntryBody } from "../../src/core/conversation.ts";
import { passagesOf, runsOf, SLOTS, type Passage } from "../../src/search/lines.ts";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { secretsIn } from "../../src/taint/shapes.ts";
import { ANA, answer, message, said, SECRET, textPart, toolStart } from "./index-world.ts";

const find = secretsIn([SECRET]);
const nothing = (): readonly never[] => [];

function passages(body: EntryBody, looked = find): readonly Passage[] {
  const entry: Entry = { ...body, conversation: "c", seq: 1, at: 5 };
  return passagesOf(runsOf(entry, new Map()), {}, looked);
}

function callOf(name: string, input: object): { readonly id: string; readonly name: string; readonly input: object } {
  return { id: "c", name, input };
}

/** The texts of a line's runs, put together again as a reader does. */
function together(all: readonly Passage[]): readonly string[] {
  const texts: string[] = [];
  for (const [index, { slot, text }] of all.entries()) {
    if (all[index - 1]?.slot === slot - 1) texts[texts.length - 1] += text;
    else texts.push(text);
  }
  return texts;
}

describe("passages", () => {
  it("P4: put together again are the words, whatever they are, within the room of a line", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme", maxLength: 9000 }),
          fc
            .array(fc.constantFrom("word ", "第一行。", "\n", "\n\n", "long".repeat(90), "😀", "é"), {
              maxLength: 2000,
            })
            .map((parts) => parts.join("")),
        ),
        (text) => {
          const all = passages(answer(text), nothing);
          expect(together(all).join("")).toBe(together(passages(answer(text), nothing)).join(""));
          const [whole = ""] = together(all);
          expect(whole).toBe(together(all).join(""));
          expect(all.every(({ slot }) => slot < SLOTS)).toBe(true);
          expect(all.every((one) => one.text !== "" && one.text.isWellFormed())).toBe(true);
          if (text.length < 40_000) expect(all.every((one) => one.text.length <= 1500)).toBe(true);
        },
      ),
    );
  });

  it("P4: a line of 100 KB, and one of a megabyte, are whole and within the room of a line", () => {
    for (const size of [100_000, 1_000_000]) {
      for (const unit of ["word ", "字", "x", "a\n\n"]) {
        const text = unit.repeat(size / unit.length).trim();
        const all = passages(answer(text), nothing);
        expect(together(all)).toEqual([text]);
        expect(all.at(-1)?.slot).toBeLessThan(SLOTS);
      }
    }
  });

  it("P4: are cut at a paragraph, else a sentence, else a word, and never inside a character", () => {
    const words = "word ".repeat(240);
    expect(passages(answer(`${words}end.\n\n${words}`))[1]?.text.startsWith("word")).toBe(true);
    expect(passages(answer(`${words}end.\n\n${words}`))[0]?.text.endsWith("end.\n\n")).toBe(true);
    expect(passages(answer(`${words}end. ${words}`))[0]?.text.endsWith("end. ")).toBe(true);
    expect(passages(answer("word ".repeat(600)))[0]?.text.endsWith("word ")).toBe(true);
    // A family is one character of eleven units.
    const family = "👨‍👩‍👧‍👦";
    expect(passages(answer(family.repeat(500)))[0]?.text.length).toBe(Math.floor(1500 / family.length) * family.length);
  });

  it("P4: of several speakers stay apart, those of two strangers too", () => {
    const all = passages(
      message([
        textPart("mine", "1"),
        textPart("Bo's", "1", { kind: "forwarded", as: "user", from: "Bo", id: "8" }),
        textPart("Cy's", "1", { kind: "forwarded", as: "user", from: "Cy", id: "9" }),
      ]),
    );
    expect(all).toEqual([
      { slot: 0, who: "you", text: "mine" },
      { slot: 2, who: "them", text: "Bo's" },
      { slot: 4, who: "them", text: "Cy's" },
    ]);
  });

  it("P27: a message of very many speakers is within the room of a line, and its rest is nobody's own", () => {
    const parts = Array.from({ length: 200 }, (_, nth) =>
      textPart(
        `${nth} ${"words ".repeat(100)}`,
        "1",
        nth % 2 === 0 ? { kind: "own" } : { kind: "forwarded", as: "hidden-user", from: `${nth}` },
      ),
    );
    const all = passages(message(parts));
    expect(all.at(-1)?.slot).toBeLessThan(SLOTS);
    expect(all.at(-1)?.who).toBe("them");
    expect(together(all).join("\n")).toContain("199 words");
  });

  it("C44, P31: of a step of an engine's own what it worked on is found, and nothing of what it wrote", () => {
    const edit = toolStart(
      { path: "src/heron.ts", diff: "+ptarmigan" },
      { call: callOf("Edit", { path: "src/heron.ts", diff: "+ptarmigan" }) },
    );
    expect(passages(edit)[0]?.text).toBe("Edit: src/heron.ts");
    for (const bulk of [
      "diff",
      "content",
      "old_string",
      "new_string",
      "new_source",
      "edits",
      "prompt",
      "patch",
      "changes",
    ])
      expect(
        passages(toolStart({ path: "a", [bulk]: bulk === "edits" ? [{ new_string: "ptarmigan" }] : "ptarmigan" })),
      ).toEqual([{ slot: 0, who: "step", text: "Bash: a" }]);
    expect(passages(toolStart({ command: "grep ptarmigan" }))[0]?.text).toContain("ptarmigan");
    // What an app was asked to write stays: the person may have dictated it.
    expect(passages(toolStart({ content: "ptarmigan" }, { by: "gateway" }))[0]?.text).toContain("ptarmigan");
  });

  it("P28: a secret is out before the cut, wherever it stands, and one that a step's words are called by too", () => {
    const text = `${"word ".repeat(298)}${SECRET} ${"word ".repeat(300)}`;
    expect(together(passages(answer(text))).join("")).toBe(text.replace(SECRET, HIDDEN).trim());
    const cut = `${"x".repeat(480)} ${SECRET}`;
    expect(passages(toolStart({ text: cut }))[0]?.text).not.toContain(SECRET.slice(0, 6));
    expect(passages(toolStart({ password: "hunter2x" }))[0]?.text).toBe(`Bash: ${HIDDEN}`);
    expect(passages(toolStart({ text: "y".repeat(2_000_000) }))[0]?.text.length).toBeLessThanOrEqual(500);
  });

  it("P31: characters that draw nothing, halves of characters and blank words are no words", () => {
    expect(passages(said("\u0000\u202e", "1"))).toEqual([]);
    expect(passages(said("  \n ", "1", ANA))).toEqual([]);
    expect(passages(said("a\ud800b", "1"))).toEqual([{ slot: 0, who: "you", text: "a\ufffdb" }]);
  });
});
