// Which tables are numbers, and which numbers.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { hasNumberTable, numberTable } from "../../src/markdown/tables.ts";

/** A Markdown table. */
function table(head: readonly string[], ...rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** The values of a table of these cells beside names. */
function values(...cells: readonly string[]): readonly (number | null)[] | undefined {
  const rows = cells.map((cell, index) => [`row ${"abcdefghij"[index] ?? ""}`, cell]);
  return numberTable(table(["name", "value"], ...rows))?.series[0]?.values;
}

describe("numbers as people write them", () => {
  test.each([
    [
      ["1,234.5", "10"],
      [1234.5, 10],
    ],
    [
      ["1.234,5", "1.000"],
      [1234.5, 1000],
    ],
    [
      ["1 234", "5"],
      [1234, 5],
    ],
    [
      ["1'234'567", "5"],
      [1_234_567, 5],
    ],
    [
      ["1,23,456", "5"],
      [123_456, 5],
    ],
    [
      ["12 %", "3%"],
      [12, 3],
    ],
    [
      ["−5", "-3", "–2", "+4", "(7)"],
      [-5, -3, -2, 4, -7],
    ],
    [
      ["$1,200", "-$5"],
      [1200, -5],
    ],
    [
      ["900,50 €", "1.200 €"],
      [900.5, 1200],
    ],
    [
      ["1.2k", "900", "3M"],
      [1200, 900, 3_000_000],
    ],
    [
      ["$3.5M", "$2M"],
      [3.5, 2],
    ],
    [
      ["1e6", "2"],
      [1_000_000, 2],
    ],
    [
      ["~5", "6*", "7[1]", "8¹"],
      [5, 6, 7, 8],
    ],
    [
      ["**12**", "`13`"],
      [12, 13],
    ],
    [
      ["5", "-", "n/a", "7"],
      [5, null, null, 7],
    ],
    [
      ["0,5", "1,25"],
      [0.5, 1.25],
    ],
    [
      ["0.500", "12"],
      [0.5, 12],
    ],
  ])("O49: %j is read", (cells, numbers) => {
    expect(values(...cells)).toEqual(numbers);
  });

  test.each([
    ["a range", ["10–20", "20–30"]],
    ["a time", ["12:30", "13:30"]],
    ["a share of something", ["3 of 10", "4 of 10"]],
    ["a version", ["1.2.3", "1.2.4"]],
    ["an address", ["192.168.1.1", "10.0.0.1"]],
    ["a fraction", ["1/2", "3/4"]],
    ["words", ["many", "few"]],
    ["two units", ["5 kg", "7 m"]],
    ["a unit and a scale", ["5 kg", "7 M"]],
    ["both decimal marks", ["1,5", "2.25"]],
    ["a point that may group or not", ["1.200", "900"]],
    ["one value alone", ["5", "-", "-"]],
    ["a number that nobody counts", ["99999999999999999999", "1"]],
    ["an endless cell", ["1".repeat(10_000), "1".repeat(10_000)]],
  ])("O49: %s is no number", (_, cells) => {
    expect(values(...cells)).toBeUndefined();
  });

  it("O49: whatever is written by one rule is read by it, with any unit", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -99_999_999, max: 99_999_999 }), { minLength: 2, maxLength: 6 }),
        fc.constantFrom([",", "."], [".", ","], [" ", "."], ["'", "."]),
        fc.constantFrom("", " €", "%", " kg", " km/h"),
        (numbers, [group = "", mark = ""], unit) => {
          const write = (number: number): string => {
            const [whole = "", rest = ""] = (Math.abs(number) / 100).toFixed(2).split(".");
            return `${number < 0 ? "-" : ""}${whole.replace(/\B(?=(?:\d{3})+$)/gu, group)}${mark}${rest}${unit}`;
          };
          expect(values(...numbers.map(write))).toEqual(numbers.map((number) => (number === 0 ? 0 : number / 100)));
        },
      ),
    );
  });
});

describe("which tables", () => {
  it("O49: a chat's Markdown has a table of numbers, or it has none", () => {
    expect(hasNumberTable(`Here:\n\n${table(["City", "People"], ["A", "5"], ["B", "7"])}\n\nThat's it.`)).toBe(true);
    expect(hasNumberTable(`> ${table(["City", "People"], ["A", "5"], ["B", "7"]).replaceAll("\n", "\n> ")}`)).toBe(
      true,
    );
    expect(hasNumberTable(table(["City", "Country"], ["A", "X"], ["B", "Y"]))).toBe(false);
    expect(hasNumberTable(table(["City", "People"], ["A", "5"]))).toBe(false);
    expect(hasNumberTable("```\n| a | b |\n|---|---|\n| x | 1 |\n| y | 2 |\n```")).toBe(false);
    expect(hasNumberTable("a | b, no table - 5")).toBe(false);
    expect(hasNumberTable("")).toBe(false);
  });

  it("O49, O61d: the last table counts, with the names of its columns and rows, as plain text on one line", () => {
    const found = numberTable(
      `${table(["a", "b"], ["x", "1"], ["y", "2"])}\n\nand\n\n${table(["**City**", "People<br>2024"], ["A\u0007 &amp; *b*", "5"], ["B", "7"])}`,
    );
    expect(found).toMatchObject({ heading: "City", categories: ["A & b", "B"], ordered: false });
    expect(found?.series).toEqual([{ name: "People<br>2024", unit: "", values: [5, 7] }]);
  });

  it("O61d: years, months and dates follow each other; a date that is on no calendar is a name", () => {
    expect(numberTable(table(["Year", "A"], ["2020", "1"], ["2021", "2"]))).toMatchObject({
      categories: ["2020", "2021"],
      ordered: true,
    });
    expect(numberTable(table(["Month", "A"], ["Jan", "1"], ["Feb", "2"]))?.ordered).toBe(true);
    expect(numberTable(table(["Day", "A"], ["2024-02-28", "1"], ["2024-03-01", "2"]))?.times).toEqual([
      Date.UTC(2024, 1, 28),
      Date.UTC(2024, 2, 1),
    ]);
    const wrong = numberTable(table(["Day", "A"], ["2024-02-31", "1"], ["2024-03-01", "2"]));
    expect(wrong).toBeDefined();
    expect(wrong?.times).toBeUndefined();
  });

  it("O61d: what can't be drawn with the others is left out and said: another unit, the total, a rank", () => {
    const found = numberTable(
      table(["#", "City", "Sales", "Growth"], ["1", "A", "$5", "3%"], ["2", "B", "$7", "4%"], ["", "Total", "$12", ""]),
    );
    expect(found?.series).toEqual([{ name: "Sales", unit: "$", values: [5, 7] }]);
    expect(found?.categories).toEqual(["A", "B"]);
    expect(found?.leftOut).toEqual(["Left out: Growth, which is in another unit.", "Left out: the row Total."]);
  });

  it("O49: no text breaks it", () => {
    const cell = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.constantFrom("|", "5", "1,2", "-", "\\|", "$", "%", "2024-01-01"),
    );
    fc.assert(
      fc.property(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 6 }), (rows) => {
        const found = numberTable(table(["a", "b", "c"], ...rows));
        for (const { values } of found?.series ?? []) {
          expect(values).toHaveLength(found?.categories.length ?? -1);
          expect(values.every((value) => value === null || Number.isFinite(value))).toBe(true);
        }
      }),
    );
  });
});
