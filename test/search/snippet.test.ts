import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Range } from "../../src/search/port.ts";
import { snippetOf } from "../../src/search/snippet.ts";
import { runs } from "../deep.ts";
import { graphemesOf, torture } from "./torture.ts";

const MAX = 150;
const flat = (text: string): string => text.replaceAll(/\s+/gu, " ");
const words = (text: string, lit: readonly Range[]): string[] => lit.map(({ start, end }) => text.slice(start, end));

/** The ranges of some words, wherever they stand. */
function rangesOf(text: string, ...sought: string[]): readonly Range[] {
  return sought
    .flatMap((word) => placesOf(text, word).map((start) => ({ start, end: start + word.length })))
    .toSorted((a, b) => a.start - b.start);
}

/** A text with a word in it that nothing else in it is, and where that stands. */
const withHit = fc
  .tuple(torture, fc.constantFrom("needle", "旅券", "ภาษา", "\u{1F9ED}", "naïve"), torture)
  // A mark at the start of what follows would belong to the hit's last character.
  .map(([before, hit, after]) => ({
    text: `${before} ${hit} ${after.replace(/^\p{M}+/u, "")}`,
    hit,
    start: before.length + 1,
  }));

describe("P9: a snippet", () => {
  it("is the whole text on one line where that is short enough", () => {
    const text = "  The venue\n\nis\tbooked ";
    expect(snippetOf(text, rangesOf(text, "venue", "booked"), MAX)).toEqual({
      text: "The venue is booked",
      lit: [
        { start: 4, end: 9 },
        { start: 13, end: 19 },
      ],
    });
  });

  it("shows what was found, with as much before it as after, and says where it is cut", () => {
    const text = `${"before ".repeat(100)}needle ${"after ".repeat(100)}`;
    const { text: cut, lit } = snippetOf(text, rangesOf(text, "needle"), MAX);
    expect(cut).toMatch(/^…(before )+needle( after)+…$/);
    expect(cut.length).toBeGreaterThan(MAX - 20);
    expect(cut.indexOf("needle")).toBeGreaterThan(55);
    expect(words(cut, lit)).toEqual(["needle"]);
  });

  it("is filled up from the other side at the text's ends", () => {
    const [head, tail] = [`needle${" word".repeat(100)}`, `${"word ".repeat(100)}needle`];
    expect(snippetOf(head, rangesOf(head, "needle"), MAX).text).toMatch(/^needle( word){27,}…$/);
    expect(snippetOf(tail, rangesOf(tail, "needle"), MAX).text).toMatch(/^…(word ){27,}needle$/);
    expect(snippetOf(head, [], MAX).text).toMatch(/^needle( word)+…$/);
  });

  it("is cut around the stretch with the most different words", () => {
    const filler = "filler ".repeat(60);
    const text = `venue venue venue ${filler}the venue by the harbour, ${filler}harbour`;
    expect(snippetOf(text, rangesOf(text, "venue", "harbour"), MAX).text).toContain("the venue by the harbour,");
  });

  it("shows the beginning of a word that is longer than a snippet", () => {
    const text = `see ${"x".repeat(400)} there`;
    expect(snippetOf(text, [{ start: 4, end: 404 }], MAX).text).toBe(`…${"x".repeat(148)}…`);
  });

  it("cuts nothing in two, is within its bound, and shows what was found, whatever the text", () => {
    fc.assert(
      fc.property(withHit, fc.integer({ min: 20, max: 200 }), ({ text, hit, start }, max) => {
        const { text: cut, lit } = snippetOf(text, [{ start, end: start + hit.length }], max);
        expect(cut.length).toBeLessThanOrEqual(max);
        expect(cut).toContain(hit);
        expect(words(cut, lit)).toContain(hit);
      }),
      { numRuns: runs(300) },
    );
  });

  it("begins and ends between characters, whatever the text", () => {
    fc.assert(
      fc.property(torture, fc.nat(), fc.integer({ min: 20, max: 200 }), (text, at, max) => {
        const given = text.toWellFormed();
        const whole = flat(given);
        const start = given.length === 0 ? 0 : at % given.length;
        const { text: cut } = snippetOf(given, [{ start, end: Math.min(start + 3, given.length) }], max);
        expect(cut.isWellFormed()).toBe(true);
        if (cut === whole.trim() || cut === whole) return;
        const lengths = graphemesOf(whole);
        // Of all places where the cut text stands, one is between characters on both sides; a character too long is cut within.
        const fits = [cut, cut.slice(1), cut.slice(0, -1), cut.slice(1, -1)].some((core) =>
          placesOf(whole, core).some((from) => {
            const first = lengths.get(from);
            const end = from + core.length;
            return first !== undefined && (first > max - 2 || lengths.has(end) || end === whole.length);
          }),
        );
        expect(fits).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

function placesOf(whole: string, core: string): readonly number[] {
  const places: number[] = [];
  for (let at = whole.indexOf(core); at !== -1 && places.length < 200; at = whole.indexOf(core, at + 1))
    places.push(at);
  return places;
}
