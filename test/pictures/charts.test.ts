// Charts, looked at as people see them: by their pixels.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { draw } from "../../src/pictures/draw.ts";
import type { ChartKind, Drawn } from "../../src/pictures/port.ts";
import { colours, readPng, type Png } from "./png.ts";
import { figures } from "./stage.ts";

const BLUE = "#0072B2";
const RED = "#D55E00";
const GREEN = "#009E73";

async function chart(
  text: string,
  more: { readonly kind?: ChartKind; readonly title?: string } = {},
): Promise<Drawn & { readonly drawn: true } & { readonly png: Uint8Array }> {
  const drawn = await draw({ draw: "chart", figures: figures(text), ...more }, () => undefined);
  if (!drawn.drawn) throw new Error(drawn.words);
  return drawn;
}

async function refusal(text: string, kind?: ChartKind): Promise<string> {
  const drawn = await draw({ draw: "chart", figures: figures(text), ...(kind && { kind }) }, () => undefined);
  return drawn.drawn ? "" : drawn.words;
}

/** The runs of a colour along a line of the picture, as [from, to]. */
function runs(length: number, isIn: (at: number) => boolean): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (let at = 0, from = -1; at <= length; at++) {
    if (at < length && isIn(at)) from = from < 0 ? at : from;
    else if (from >= 0) {
      found.push([from, at]);
      from = -1;
    }
  }
  return found;
}

/** How high each bar of a colour is, from left to right. */
function heights(png: Png, colour: string): number[] {
  const tops = Array.from({ length: png.width }, (_, x) => {
    let high = 0;
    // The legend's mark is small and at the bottom.
    for (let y = 0; y < png.height - 60; y++) if (png.at(x, y) === colour) high += 1;
    return high;
  });
  return runs(png.width, (x) => (tops[x] ?? 0) > 4).map(([from, to]) => tops[(from + to) >> 1] ?? 0);
}

describe("bars", () => {
  it("O61d: each value is a bar as high as it is large, on white, 1,000 pixels wide", async () => {
    const { png: bytes, shows } = await chart("City | People\nA | 100\nB | 50\nC | 25", { title: "Large cities" });
    const png = readPng(bytes);
    expect([png.width, png.height, png.at(0, 0), png.at(999, 639)]).toEqual([1000, 640, "#FFFFFF", "#FFFFFF"]);
    const [a = 0, b = 0, c = 0, ...more] = heights(png, BLUE);
    expect(more).toEqual([]);
    expect(Math.abs(a - 2 * b)).toBeLessThan(12);
    expect(Math.abs(b - 2 * c)).toBeLessThan(12);
    expect(a).toBeGreaterThan(300);
    expect(shows).toBe("Bar chart “Large cities”: People for 3 rows, from A to C; values from 25 to 100.");
  });

  it("O61d: several columns stand side by side in their own colours, negative ones below zero", async () => {
    const png = readPng((await chart("Name | North | South\nA | $12 | -$5\nB | -$3 | $8")).png);
    const middle = (colour: string): number[] =>
      runs(
        png.width,
        (x) => Array.from({ length: png.height - 60 }, (_, y) => png.at(x, y) === colour).filter(Boolean).length > 4,
      ).map(
        ([from, to]) =>
          Array.from({ length: png.height }, (_, y) => y).find((y) => png.at((from + to) >> 1, y) === colour) ?? 0,
      );
    const [up = 0, down = 0] = middle(BLUE);
    const [below = 0, above = 0] = middle(RED);
    expect(up).toBeLessThan(down);
    expect(above).toBeLessThan(below);
    expect(heights(png, BLUE)).toHaveLength(2);
    expect(heights(png, RED)).toHaveLength(2);
  });

  it("O61d: long names lie beside lying bars, and none that differ look the same", async () => {
    const rows = Array.from(
      { length: 12 },
      (_, row) => `A department with a long name number ${row} of internal affairs | ${row + 1}`,
    );
    const png = readPng((await chart(`Department | Budget\n${rows.join("\n")}`)).png);
    const bars = runs(png.height, (y) => png.at(320, y) === BLUE);
    expect(bars).toHaveLength(12);
    expect(png.width * png.height).toBeLessThanOrEqual(4_000_000);
  });
});

describe("lines", () => {
  it("O61d: what follows each other in time is a line, and dates are as far apart as they are", async () => {
    const { png: bytes, shows } = await chart("Day | Visits\n2025-01-01 | 1\n2025-01-02 | 1\n2025-01-11 | 1");
    expect(shows).toMatch(/^Line chart: Visits for 3 rows, from 2025-01-01 to 2025-01-11/u);
    const png = readPng(bytes);
    const columns = Array.from(
      { length: png.width },
      (_, x) => Array.from({ length: png.height }, (_, y) => png.at(x, y) === BLUE).filter(Boolean).length,
    );
    const marks = runs(png.width, (x) => (columns[x] ?? 0) > 6).map(([from, to]) => (from + to) / 2);
    const [first = 0, second = 0, third = 0] = marks;
    expect(marks).toHaveLength(3);
    expect((third - first) / (second - first)).toBeCloseTo(10, 0);
  });

  it("O61d: a gap stays a gap", async () => {
    const png = readPng((await chart("Year | A\n2020 | 5\n2021 | 5\n2022 | -\n2023 | 5\n2024 | 5")).png);
    const row = Array.from({ length: png.height }, (_, y) => runs(png.width, (x) => png.at(x, y) === BLUE));
    // The two stretches are never joined.
    expect(Math.max(...row.flat().map(([from, to]) => to - from))).toBeLessThan(png.width / 3);
    expect(row.some((stretches) => stretches.length === 2)).toBe(true);
  });
});

describe("pies", () => {
  it("O61d: shares of a whole, largest first, the smallest together", async () => {
    const rows = Array.from({ length: 12 }, (_, row) => `Part ${row} | ${row === 0 ? 100 : 10}`);
    const { png, leftOut, shows } = await chart(`Part | Size\n${rows.join("\n")}`, { kind: "pie" });
    const seen = colours(readPng(png));
    expect((seen.get(BLUE) ?? 0) / (seen.get(RED) ?? 1)).toBeGreaterThan(8);
    expect(leftOut).toEqual(["The 5 smallest are together in “Other”."]);
    expect(shows).toMatch(/^Pie chart: Size for 8 rows/u);
  });

  it("O61d: a second column is left out of a pie and said", async () => {
    const { leftOut } = await chart("Part | Size | Cost\nA | 1 | 2\nB | 3 | 4", { kind: "pie" });
    expect(leftOut).toEqual(["Left out: Cost; a pie shows one column."]);
  });
});

describe("what can't be drawn", () => {
  const rows = (count: number): string => Array.from({ length: count }, (_, row) => `r${row} | 1`).join("\n");
  test.each<readonly [string, string, ChartKind | undefined, RegExp]>([
    ["more rows than can be read", `a | b\n${rows(101)}`, undefined, /at most 100 rows, and this table has 101/u],
    [
      "more columns than colours",
      `n${" | c".repeat(9)}\n${`x${" | 1".repeat(9)}\n`.repeat(2)}`,
      undefined,
      /at most 8 columns of numbers, and this table has 9/u,
    ],
    ["a pie of negative parts", "a | b\nx | -1\ny | 2", "pie", /can't show negative/u],
    ["a pie of nothing", "a | b\nx | 0\ny | 0", "pie", /nothing but zeros/u],
  ])("O61d: %s is refused in words", async (_, text, kind, words) => {
    expect(await refusal(text, kind)).toMatch(words);
  });
});

describe("letters", () => {
  it("O61d: names in letters that the font lacks are numbers in the picture, explained beside it", async () => {
    const { leftOut, png } = await chart("都市 | 人口\n東京 | 14\n大阪 | 3\nBerlin | 4", { title: "世界" });
    expect(leftOut).toEqual(["In the picture 1: 東京, 2: 大阪, A: 人口."]);
    expect(colours(readPng(png)).get(BLUE)).toBeGreaterThan(10_000);
  });

  it("O61d: emoji go, letters from right to left stay, and markup is text", async () => {
    const { leftOut } = await chart(
      "City | <b>x</b>&amp;\n🚀 Rocket | 1\nالقاهرة | 2\n</text><image href='http://x/'> | 3",
    );
    expect(leftOut).toEqual([]);
  });

  it("O61d: the same figures give the same bytes", async () => {
    const table = "Name | A | B\nx | 1 | 2\ny | 3 | 4";
    const [one, two] = [await chart(table), await chart(table)];
    expect(Buffer.from(one.png).equals(two.png)).toBe(true);
    expect(colours(readPng(one.png)).has(GREEN)).toBe(false);
  });

  it("O61d: a text that is any object's own name is drawn, and the next chart after it as well", async () => {
    const name = "__proto__";
    const series = [{ name, unit: "", values: [1, 2] }];
    const given = { heading: name, categories: [name, `a ${name} b`], ordered: false, series, leftOut: [] };
    for (const kind of ["bar", "line", "pie"] as const) {
      for (const title of [name, "Plain"])
        expect(await draw({ draw: "chart", figures: given, kind, title }, () => undefined)).toMatchObject({
          drawn: true,
        });
    }
    for (const key in {}) throw new Error(`every object has ${key}`);
  });

  it("O61d: any names and numbers make a picture within its size, or words", async () => {
    const name = fc.string({ unit: "grapheme", maxLength: 60 });
    const value = fc.oneof(
      fc.constant(null),
      fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((one) => (Math.abs(one) < 1e-12 ? 0 : one)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, value, value), { minLength: 1, maxLength: 12 }),
        fc.constantFrom<ChartKind>("bar", "line", "pie"),
        name,
        async (rows, kind, title) => {
          const series = [1, 2].map((column) => ({
            name: rows[0]?.[0] ?? "",
            unit: "",
            values: rows.map((row) => row[column === 1 ? 1 : 2]),
          }));
          const given = { heading: "", categories: rows.map(([one]) => one), ordered: false, series, leftOut: [] };
          const drawn = await draw({ draw: "chart", figures: given, kind, title }, () => undefined);
          if (!drawn.drawn) {
            expect(drawn.words).toMatch(/pie/iu);
            return;
          }
          const header = Buffer.from(drawn.png);
          expect(header.readUInt32BE(16) * header.readUInt32BE(20)).toBeLessThanOrEqual(4_000_000);
        },
      ),
      { numRuns: 20 },
    );
  });
});
