// Dates, times and numbers as people write them: what exists and is clear is taken in one spelling, the rest is asked about.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MONTHS, readValue, type ValueKind } from "../../src/cards/question-values.ts";

function value(kind: ValueKind, text: string, unit?: string): string | undefined {
  const read = readValue(kind, text, unit);
  return "value" in read ? read.value : undefined;
}

function problem(kind: ValueKind, text: string): string {
  const read = readValue(kind, text);
  return "problem" in read ? read.problem : `taken as ${read.value}`;
}

const day = fc
  .date({ min: new Date("1000-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

describe("O36, O39: dates", () => {
  it.each([
    ["2026-11-30", "2026-11-30"],
    ["2026-1-5", "2026-01-05"],
    ["2026/11/30", "2026-11-30"],
    ["30.11.2026", "2026-11-30"],
    ["3. 4. 2026", "2026-04-03"],
    ["30/11/2026", "2026-11-30"],
    ["11/30/2026", "2026-11-30"],
    ["4/4/2026", "2026-04-04"],
    ["30 November 2026", "2026-11-30"],
    ["November 30, 2026", "2026-11-30"],
    ["Mon, Nov 30, 2026", "2026-11-30"],
    ["the 30th", undefined],
    ["30th of November 2026", "2026-11-30"],
    ["30. November 2026", "2026-11-30"],
    ["1er février 2026", "2026-02-01"],
    ["30 de noviembre de 2026", "2026-11-30"],
    ["15 listopada 2026", "2026-11-15"],
    ["２０２６-11-30", "2026-11-30"],
    ["٢٠٢٦-١١-٣٠", "2026-11-30"],
    ["  2026-11-30 ", "2026-11-30"],
    ["29.2.2024", "2024-02-29"],
    ["29.2.2000", "2000-02-29"],
    ["30.11.26", undefined],
    ["2026-11", undefined],
    ["2026-11-30 and more", undefined],
    ["30 Novembruary 2026", undefined],
    ["", undefined],
    ["2026-11-30".padEnd(70, "0"), undefined],
  ])("O36, O39: %j is %j", (text, wanted) => {
    expect(value("date", text)).toBe(wanted);
  });

  it.each([
    ["31 February 2026", "There is no 31 February 2026. Which date is it?"],
    ["2026-02-31", "There is no 31 February 2026. Which date is it?"],
    ["31/02/2026", "There is no 31 February 2026. Which date is it?"],
    ["29.2.2100", "There is no 29 February 2100. Which date is it?"],
    ["2026-13-01", "There is no 2026-13-01. Which date is it?"],
    ["0.1.2026", "There is no 0 January 2026. Which date is it?"],
    ["3/4/2026", "That can be 3 April 2026 or 4 March 2026. Write 2026-04-03 or 2026-03-04."],
    ["soon", "“soon” is not a date that I can read. Write it like 2026-11-30."],
  ])("O39: %j is asked about: %s", (text, words) => {
    expect(problem("date", text)).toBe(words);
  });

  it("O39: every day that exists is read back, in each spelling", () => {
    fc.assert(
      fc.property(day, (iso) => {
        const [year = "", month = "", date = ""] = iso.split("-");
        const named = new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }).format(new Date(iso));
        for (const text of [iso, `${date}.${month}.${year}`, `${Number(date)}. ${Number(month)}. ${year}`, named])
          expect(value("date", text)).toBe(iso);
      }),
    );
  });

  it("O39: what is taken exists", () => {
    fc.assert(
      fc.property(fc.nat(9999), fc.nat(14), fc.nat(33), (year, month, date) => {
        const text = [String(year).padStart(4, "0"), String(month), String(date)].join("-");
        const read = value("date", text);
        const at = new Date(0);
        at.setUTCFullYear(year, month - 1, date);
        const exists = year > 0 && at.getUTCMonth() === month - 1 && at.getUTCDate() === date;
        expect(read !== undefined).toBe(exists);
      }),
    );
  });

  it("O36: a name of a month is one month, whatever the language", () => {
    const named = [...MONTHS.keys()];
    expect(named.length).toBeGreaterThan(100);
    const languages = ["en", "en-GB", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl"];
    for (const language of languages)
      for (const month of ["long", "short"] as const)
        for (let at = 0; at < 12; at += 1) {
          const parts = new Intl.DateTimeFormat(language, { month, day: "numeric", timeZone: "UTC" }).formatToParts(
            Date.UTC(2026, at, 15),
          );
          const name = parts.find(({ type }) => type === "month")?.value ?? "";
          expect([name, value("date", `15 ${name} 2026`)]).toEqual([
            name,
            `2026-${String(at + 1).padStart(2, "0")}-15`,
          ]);
        }
  });
});

describe("O36, O39: times", () => {
  it.each([
    ["14:05", "14:05"],
    ["9:30", "09:30"],
    ["14.05", "14:05"],
    ["14h05", "14:05"],
    ["14h", "14:00"],
    ["14 Uhr", "14:00"],
    ["14", "14:00"],
    ["2 pm", "14:00"],
    ["2:05pm", "14:05"],
    ["12 am", "00:00"],
    ["12 p.m.", "12:00"],
    ["14:05:59", "14:05"],
    ["0:00", "00:00"],
    ["24:00", undefined],
    ["14:60", undefined],
    ["13 pm", undefined],
    ["noonish", undefined],
  ])("O36, O39: %j is %j", (text, wanted) => {
    expect(value("time", text)).toBe(wanted);
  });

  it("O39: what can be in the morning or the evening is asked about", () => {
    expect(problem("time", "5")).toBe("That can be 05:00 or 17:00. Which one is it?");
    expect(problem("time", "25:00")).toBe("There is no 25:00 on a clock. Write it like 14:05.");
  });

  it.each([
    ["2026-11-30 14:05", "2026-11-30 14:05"],
    ["2026-11-30T14:05", "2026-11-30 14:05"],
    ["30.11.2026, 14.05", "2026-11-30 14:05"],
    ["30 November 2026 at 2 pm", "2026-11-30 14:00"],
    ["30. November 2026 um 14 Uhr", "2026-11-30 14:00"],
    ["14:05", undefined],
  ])("O36, O39: %j is %j", (text, wanted) => {
    expect(value("datetime", text)).toBe(wanted);
  });

  it.each([
    ["2026-11-30", "At what time on that day? Write it like 2026-11-30 14:05."],
    ["2026-02-31 14:05", "There is no 31 February 2026. Which date is it?"],
    ["2026-11-30 25:00", "There is no 25:00 on a clock. Write it like 14:05."],
    ["whenever", "“whenever” is not a date and time that I can read. Write it like 2026-11-30 14:05."],
  ])("O39: %j is asked about: %s", (text, words) => {
    expect(problem("datetime", text)).toBe(words);
  });
});

describe("O36, O39: numbers", () => {
  it.each([
    ["5", "5"],
    ["-5", "-5"],
    ["−5", "-5"],
    ["+5", "5"],
    ["1.5", "1.5"],
    ["1,5", "1.5"],
    ["1 234,56", "1234.56"],
    ["1\u202F234,56", "1234.56"],
    ["1'234.56", "1234.56"],
    ["1,234.56", "1234.56"],
    ["1.234,56", "1234.56"],
    ["1,234,567", "1234567"],
    ["0,125", "0.125"],
    [".5", "0.5"],
    ["1234.567", "1234.567"],
    ["007", "7"],
    ["-0", "0"],
    ["٣", "3"],
    ["1,5,2", undefined],
    ["1.2.3.4", undefined],
    ["12 34", undefined],
    ["1e5", undefined],
    ["5 or 6", undefined],
    ["0x10", undefined],
    ["1,", undefined],
    ["1,234.", undefined],
    ["9".repeat(31), undefined],
  ])("O36, O39: %j is %j", (text, wanted) => {
    expect(value("number", text)).toBe(wanted);
  });

  it("O39: a comma that can mark thousands or decimals is asked about", () => {
    expect(problem("number", "1,234")).toBe("“1,234” can be 1.234 or 1234. Write 1.2340 or 1234.");
    expect(value("number", "1.2340")).toBe("1.2340");
    expect(problem("number", "many")).toBe("“many” is not a number that I can read. Write it like 12.5.");
  });

  it("O36: the unit may stand beside it", () => {
    expect(value("number", "12,5 kg", "kg")).toBe("12.5");
    expect(value("number", "€ 1 234,50", "€")).toBe("1234.50");
    expect(value("number", "5 KM", "km")).toBe("5");
    expect(value("number", "5 km", "kg")).toBeUndefined();
  });

  it("O39: a number as any of these countries writes it is that number, or asked about", () => {
    const number = fc.tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 0, max: 99 }));
    const country = fc.constantFrom("en", "de", "fr", "de-CH", "es", "sv", "pl");
    fc.assert(
      fc.property(number, country, ([whole, hundredths], language) => {
        const meant = `${whole}.${String(hundredths).padStart(2, "0")}`;
        const style = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
        const written = new Intl.NumberFormat(language, style).format(Number(meant));
        const wanted = Number(meant).toFixed(2);
        expect([written, value("number", written)]).toEqual([written, wanted.replace(/^-(?=0\.00$)/u, "")]);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: -99_999_999, max: 99_999_999 }), country, (meant, language) => {
        const written = new Intl.NumberFormat(language).format(meant);
        // One group of three alone could be decimals as well.
        const read = value("number", written);
        if (read === undefined) expect(problem("number", written)).toContain(" or ");
        else expect(Number(read)).toBe(meant);
      }),
    );
  });

  it("O39: whatever comes, something clear is said", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("date", "time", "datetime", "number"),
        fc.string({ unit: "binary" }),
        (kind, text) => {
          const read = readValue(kind, text);
          if ("value" in read) expect(readValue(kind, read.value)).toEqual(read);
          else expect(read.problem).toMatch(/[.?]$/u);
        },
      ),
    );
  });
});
