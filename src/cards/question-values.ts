// What people write for a date, a time or a number, read by us whatever the platform made of it: what exists and can be meant in one
// way only is taken, for the rest they are told what to write.

/** What was read, in one spelling; or why it is not taken, in plain words. */
export type Read = { readonly value: string } | { readonly problem: string };

/** The kinds of value that have a spelling of their own. */
export type ValueKind = "date" | "time" | "datetime" | "number";

const READERS: Readonly<Record<ValueKind, (text: string) => Read>> = {
  date: readDate,
  time: readTime,
  datetime: readDateTime,
  number: readNumber,
};

/** How a value of that kind is written. */
export const WRITTEN: Readonly<Record<ValueKind, string>> = {
  date: "2026-11-30",
  time: "14:05",
  datetime: "2026-11-30 14:05",
  number: "12.5",
};

const MAX_CHARS = 60;
const MAX_DIGITS = 30;

/**
 * Reads a value: dates become `2026-11-30`, times `14:05`, both together `2026-11-30 14:05`, numbers plain digits with a point.
 * `unit`: may stand beside a number.
 */
export function readValue(kind: ValueKind, text: string, unit?: string): Read {
  const plain = westernDigits(text.normalize("NFKC")).replaceAll(/\s+/gu, " ").trim();
  if (plain === "" || plain.length > MAX_CHARS) return unclear(kind, plain);
  return READERS[kind](kind === "number" ? withoutUnit(plain, unit) : plain);
}

/** A sentence for what can't be read at all. */
function unclear(kind: ValueKind, text: string): Read {
  const what = { date: "a date", time: "a time", datetime: "a date and time", number: "a number" }[kind];
  const shown = text === "" || text.length > MAX_CHARS ? "That" : `“${text}”`;
  return { problem: `${shown} is not ${what} that I can read. Write it like ${WRITTEN[kind]}.` };
}

/** What each zero of a script with digits of its own stands before; others NFKC has made western already. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

function westernDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = ZEROS.find((one) => code >= one && code < one + 10);
    return zero === undefined ? digit : String(code - zero);
  });
}

// ---- dates

type Day = { readonly year: number; readonly month: number; readonly day: number };

const YEAR_FIRST = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})$/u;
const DOTTED = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/u;
const YEAR_LAST = /^(\d{1,2})([-/])(\d{1,2})\2(\d{4})$/u;
const DAY_NAMED =
  /^(?:\p{L}{2,12}\.?,? )?(\d{1,2})(?:st|nd|rd|th|er|\.)? (?:of |de |di )?(\p{L}{3,12})\.?,? (?:de )?(\d{4})$/u;
const NAMED_DAY = /^(?:\p{L}{2,12}\.?,? )?(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/u;

function readDate(text: string): Read {
  const numbers = (found: RegExpExecArray | null, ...at: readonly number[]): readonly number[] | undefined =>
    found === null ? undefined : at.map((one) => Number(found[one]));
  const [year, month, day] = numbers(YEAR_FIRST.exec(text), 1, 3, 4) ?? numbers(DOTTED.exec(text), 3, 2, 1) ?? [];
  if (year !== undefined && month !== undefined && day !== undefined) return existing({ year, month, day });
  const slashed = numbers(YEAR_LAST.exec(text), 1, 3, 4);
  if (slashed !== undefined) return eitherOrder(slashed);
  const dayNamed = DAY_NAMED.exec(text);
  const namedDay = NAMED_DAY.exec(text);
  const name = monthOf(dayNamed?.[2] ?? namedDay?.[1] ?? "");
  const named = numbers(dayNamed, 3, 1) ?? numbers(namedDay, 3, 2);
  if (name !== undefined && named !== undefined)
    return existing({ year: named[0] ?? 0, month: name, day: named[1] ?? 0 });
  return unclear("date", text);
}

function existing(day: Day): Read {
  return exists(day) ? { value: spelled(day) } : { problem: `There is no ${inWords(day)}. Which date is it?` };
}

/** Two numbers before the year: who writes the month first is not known. */
function eitherOrder([first = 0, second = 0, year = 0]: readonly number[]): Read {
  const possible = [
    { year, month: second, day: first },
    ...(first === second ? [] : [{ year, month: first, day: second }]),
  ];
  const [one, other] = possible.filter(exists);
  if (one === undefined)
    return existing(second <= 12 ? { year, month: second, day: first } : { year, month: first, day: second });
  if (other === undefined) return { value: spelled(one) };
  return { problem: `That can be ${inWords(one)} or ${inWords(other)}. Write ${spelled(one)} or ${spelled(other)}.` };
}

function exists({ year, month, day }: Day): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(year, month);
}

function lengthOf(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function spelled({ year, month, day }: Day): string {
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
}

function inWords({ year, month, day }: Day): string {
  const name = ENGLISH_MONTHS[month - 1];
  return name === undefined ? `${year}-${two(month)}-${two(day)}` : `${day} ${name} ${year}`;
}

const ENGLISH_MONTHS = monthNames("en", "long");

/** The languages in which the names of months are known, in full and short. */
const LANGUAGES = ["en", "en-GB", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "pl"];

/** Every known name of a month, without accents, and which month it is. */
export const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    (["long", "short"] as const).flatMap((width) =>
      monthNames(language, width).map((name, at) => [plainName(name), at + 1] as const),
    ),
  ),
);

function monthNames(language: string, month: "long" | "short"): readonly string[] {
  // With a day, since some languages bend the name then.
  const format = new Intl.DateTimeFormat(language, { month, day: "numeric", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, at) =>
    format
      .formatToParts(Date.UTC(2026, at, 15))
      .flatMap(({ type, value }) => (type === "month" ? [value] : []))
      .join(""),
  );
}

function monthOf(name: string): number | undefined {
  return MONTHS.get(plainName(name));
}

function plainName(name: string): string {
  return name
    .normalize("NFD")
    .replaceAll(/[\p{M}.]/gu, "")
    .toLowerCase();
}

// ---- times

const CLOCK = /^(\d{1,2})(?:[:.h](\d{2}))?(?::[0-5]\d)? ?(?:(am|pm|a\.m\.|p\.m\.)|(h|uhr|o'clock))?$/iu;

function readTime(text: string): Read {
  const [found, hours = "", minutes, half, whole] = CLOCK.exec(text) ?? [];
  if (found === undefined) return unclear("time", text);
  const isPlain = minutes === undefined && half === undefined && whole === undefined;
  const hour = Number(hours);
  if (isPlain && hour <= 12) {
    // Noon and midnight are both called twelve.
    const other = hour === 0 || hour === 12 ? undefined : hour + 12;
    if (other !== undefined) return { problem: `That can be ${two(hour)}:00 or ${two(other)}:00. Which one is it?` };
  }
  const inHalf = half !== undefined;
  if (Number(minutes ?? 0) > 59 || hour > 23 || (inHalf && (hour < 1 || hour > 12)))
    return { problem: `There is no ${text.replaceAll(/[“”]/gu, "")} on a clock. Write it like ${WRITTEN.time}.` };
  const at = inHalf ? (hour % 12) + (half.toLowerCase().startsWith("p") ? 12 : 0) : hour;
  return { value: `${two(at)}:${minutes ?? "00"}` };
}

function readDateTime(text: string): Read {
  let problem: string | undefined;
  // Both halves may have spaces in them: the first cut that gives a date and a time is the one that was meant.
  for (const { index, 0: gap } of text.matchAll(/(?:,? (?:at |um |à |a las |om |kl )?|(?<=\d)T(?=\d))/giu)) {
    const date = readDate(text.slice(0, index).trim());
    const time = readTime(text.slice(index + gap.length).trim());
    if ("value" in date && "value" in time) return { value: `${date.value} ${time.value}` };
    // Half of it is clear: then the other half is what is wrong.
    if ("value" in date && "problem" in time && /\d/u.test(text.slice(index + gap.length))) problem ??= time.problem;
    if ("value" in time && "problem" in date) problem ??= date.problem;
  }
  const date = readDate(text);
  if ("value" in date) return { problem: `At what time on that day? Write it like ${date.value} 14:05.` };
  return problem === undefined ? unclear("datetime", text) : { problem };
}

function two(number: number): string {
  return String(number).padStart(2, "0");
}

// ---- numbers

/** Marks between groups of three, apart from the point and the comma, which mark decimals just as well. */
const GROUP_MARKS = /(?<=\d)[ '’_](?=\d{3}(?!\d))/gu;
const PLAIN = /^[+-]?\d+(?:[.,]\d+)?$/u;

function readNumber(text: string): Read {
  const signed = text
    .replaceAll(/[−–]/gu, "-")
    .replace(/^([+-]) /u, "$1")
    .replace(/^(?<sign>[+-]?)(?=[.,]\d)/u, "$<sign>0");
  const marked = signed.replaceAll(GROUP_MARKS, "");
  // What was left of such marks stood where no group begins.
  if (/[ '’_]/u.test(marked) || !/^[+-]?\d(?:[\d.,]*\d)?$/u.test(marked) || marked.length > MAX_DIGITS)
    return unclear("number", text);
  if (PLAIN.test(marked)) {
    // One mark before three digits: a thousand, or a thousandth. With other marks beside it, or none before it to group, it is clear.
    const [, whole = "", decimals] = /^[+-]?(\d+)[.,](\d+)$/u.exec(marked) ?? [];
    const couldGroup = decimals?.length === 3 && whole.length <= 3 && whole !== "0" && marked === signed;
    return couldGroup ? twoNumbers(marked) : { value: spelledNumber(marked.replace(",", ".")) };
  }
  const last = Math.max(marked.lastIndexOf("."), marked.lastIndexOf(","));
  const mark = marked[last] ?? "";
  const only = !marked.includes(mark === "." ? "," : ".");
  // The same mark more than once groups; of two kinds the last one marks the decimals.
  const whole = only ? marked : marked.slice(0, last);
  const other = only ? mark : mark === "." ? "," : ".";
  if (!inGroups(whole, other)) return unclear("number", text);
  const digits = whole.replaceAll(other, "");
  return { value: spelledNumber(only ? digits : `${digits}.${marked.slice(last + 1)}`) };
}

function inGroups(whole: string, mark: string): boolean {
  const [first = "", ...rest] = whole.replace(/^[+-]/u, "").split(mark);
  return rest.length > 0 && /^[1-9]\d{0,2}$/u.test(first) && rest.every((group) => /^\d{3}$/u.test(group));
}

function twoNumbers(text: string): Read {
  const [small, large] = [text.replace(",", "."), text.replace(/[.,]/u, "")].map((one) => one.replace(/^\+/u, ""));
  return { problem: `“${text}” can be ${small} or ${large}. Write ${small}0 or ${large}.` };
}

function spelledNumber(text: string): string {
  const [, sign = "", whole = "", decimals] = /^([+-]?)0*(\d+?)(?:\.(\d+))?$/u.exec(text) ?? [];
  const isZero = /^0*$/u.test(whole + (decimals ?? ""));
  return `${sign === "-" && !isZero ? "-" : ""}${whole}${decimals === undefined ? "" : `.${decimals}`}`;
}

function withoutUnit(text: string, unit = ""): string {
  const wanted = unit.normalize("NFKC").trim().toLowerCase();
  if (wanted === "") return text;
  const lower = text.toLowerCase();
  if (lower.length > wanted.length && lower.endsWith(wanted)) return text.slice(0, -wanted.length).trim();
  return lower.length > wanted.length && lower.startsWith(wanted) ? text.slice(wanted.length).trim() : text;
}
