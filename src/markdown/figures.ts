// Numbers as people write them in tables, and which columns of a table are numbers.
import { oneLine } from "../core/text.ts";
import type { Figures } from "../core/figures.ts";

/** Most units of a cell that can be a number with its unit. */
const MAX_CELL_UNITS = 60;
/** Beyond these an axis has no use for them. */
const MAX_NUMBER = 1e15;
const MIN_NUMBER = 1e-12;
/** Rows that are looked at: more are more than any chart shows. */
const MAX_ROWS = 2000;
const MAX_COLUMNS = 60;

/** What stands before and after the digits. */
type Written = {
  readonly sign: 1 | -1;
  readonly digits: string;
  readonly exponent: number;
  readonly unit: string;
};

/** The mark before decimals: "unsaid" when nothing tells, "both" when cells disagree. */
type Style = "comma" | "point" | "unsaid" | "both";

type Column = { readonly unit: string; readonly values: readonly (number | null)[] };

/** What people write where there is no value. */
const BLANK = /^(?:|[-–—−.…?]{1,3}|n\/?a\.?|none|null|nil|tbd|k\. ?a\.)$/iu;
const NUMBER =
  /^(?<open>\()?\s?(?<about>[~≈<>≤≥±]|ca\.|c\.|about)?\s?(?<sign>[-−–+])?\s?(?<before>\p{Sc}|[A-Z]{1,3}\p{Sc}|[A-Z]{3}(?=[\s\d+−-]))?\s?(?<sign2>[-−–+])?\s?(?<digits>\d[\d.,'’\s_]{0,38}\d|\d)(?:e(?<exponent>[-+]?\d{1,2}))?\s?(?<after>[%‰°\p{Sc}]?[\p{L}°µΩ/²³·%]{0,12})\s?(?<close>\))?\s?(?:\*{1,3}|\[\d{1,2}\]|[¹²³†])?$/u;
// No "m" and no "b": those are metres, minutes and bits as well.
const SCALES: Readonly<Record<string, number>> = {
  k: 1e3,
  K: 1e3,
  M: 1e6,
  Mio: 1e6,
  mn: 1e6,
  million: 1e6,
  B: 1e9,
  bn: 1e9,
  Mrd: 1e9,
  billion: 1e9,
  T: 1e12,
  tn: 1e12,
  trillion: 1e12,
};
/** Digits that tell which mark their decimals have. */
const DECIMAL_COMMA = /^0,\d|^\d+,(?:\d{1,2}|\d{4,})$|\d\.\d{3},\d|(?:\d\.\d{3}){2}|['’\s]\d{3},\d/u;
const DECIMAL_POINT = /^0\.\d|^\d+\.(?:\d{1,2}|\d{4,})$|\d,\d{3}\.\d|(?:\d,\d{2,3}){2}|['’\s]\d{3}\.\d/u;
const GROUPED = /^\d{1,3}(?:(?:,\d{3})+|(?:,\d{2})+,\d{3}|(?:[.'’\s_]\d{3})+)$/u;

/** The numbers of a table; undefined when it has no column of at least two. Cells are plain text. */
export function readFigures(head: readonly string[], rows: readonly (readonly string[])[]): Figures | undefined {
  const width = Math.min(head.length, MAX_COLUMNS);
  if (rows.length < 2 || rows.length > MAX_ROWS || width < 1) return undefined;
  const names = head.slice(0, width).map(oneLine);
  const texts = names.map((_, column) => rows.map((row) => oneLine(row[column] ?? "")));
  const style = styleOf(texts.flat());
  const columns = texts.map((cells) => readColumn(cells, style));
  const at = categoryColumn(names, texts, columns);
  const drawable = columns.flatMap((column, index) =>
    column === undefined || index === at || (index < at && isRank(names[index] ?? "")) ? [] : [{ column, index }],
  );
  if (drawable.length === 0) return undefined;
  const unit = drawable[0]?.column.unit;
  const alike = drawable.filter(({ column }) => column.unit === unit);
  const other = drawable.filter(({ column }) => column.unit !== unit);
  const labels = at < 0 ? rows.map((_, row) => String(row + 1)) : (texts[at] ?? []);
  // A total beside its parts would dwarf them.
  const last = rows.length > 2 && isTotal(labels.at(-1) ?? "") ? rows.length - 1 : rows.length;
  const categories = labels.slice(0, last);
  const times = readTimes(categories);
  return {
    heading: names[at] ?? "",
    categories,
    ...(times !== undefined && { times }),
    ordered: times !== undefined || isOrdered(categories),
    series: alike.map(({ column, index }) => ({
      name: names[index] ?? "",
      unit: column.unit,
      values: column.values.slice(0, last),
    })),
    leftOut: [
      ...other.map(({ index }) => `Left out: ${names[index] ?? ""}, which is in another unit.`),
      ...(last < rows.length ? [`Left out: the row ${labels.at(-1) ?? ""}.`] : []),
    ],
  };
}

function readCell(cell: string): Written | undefined {
  if (cell.length > MAX_CELL_UNITS) return undefined;
  const found = NUMBER.exec(cell)?.groups;
  if (found === undefined) return undefined;
  const { open, close, sign, sign2, before = "", after = "", digits = "", exponent } = found;
  if ((open === undefined) !== (close === undefined) || (sign !== undefined && sign2 !== undefined)) return undefined;
  const isNegative = open !== undefined || /[-−–]/u.test(`${sign ?? ""}${sign2 ?? ""}`);
  return {
    sign: isNegative ? -1 : 1,
    digits,
    exponent: Number(exponent ?? 0),
    unit: [before, after].filter((part) => part !== "").join(" "),
  };
}

/** Undefined when the digits are not grouped as numbers are. */
function valueOf({ sign, digits, exponent }: Written, comma: boolean): number | undefined {
  const cut = digits.lastIndexOf(comma ? "," : ".");
  const isWhole = cut < 0;
  const whole = isWhole ? digits : digits.slice(0, cut);
  const fraction = isWhole ? "" : digits.slice(cut + 1);
  const grouped = comma ? whole.replaceAll(".", ",") : whole;
  if (!/^\d*$/u.test(fraction) || !(/^\d+$/u.test(whole) || (GROUPED.test(grouped) && !(comma && whole.includes(",")))))
    return undefined;
  const value = Number(`${whole.replace(/\D/gu, "")}.${fraction === "" ? "0" : fraction}e${exponent}`);
  if (value === 0) return 0;
  return value >= MIN_NUMBER && value <= MAX_NUMBER ? sign * value : undefined;
}

/** Which decimal mark the numbers among these cells have, as far as they tell. */
function styleOf(cells: readonly string[]): Style {
  let comma = false;
  let point = false;
  for (const cell of cells) {
    const digits = readCell(cell)?.digits;
    if (digits === undefined) continue;
    comma ||= DECIMAL_COMMA.test(digits);
    point ||= DECIMAL_POINT.test(digits);
  }
  if (comma && point) return "both";
  return comma ? "comma" : point ? "point" : "unsaid";
}

function readColumn(cells: readonly string[], table: Style): Column | undefined {
  const own = styleOf(cells);
  const style = own === "unsaid" ? table : own;
  if (own === "both" || (style !== "comma" && style !== "point" && isUnclear(cells))) return undefined;
  const comma = style === "comma";
  const written = cells.map((cell) => (BLANK.test(cell) ? null : readCell(cell)));
  const units = new Set<string>();
  const scales = new Set<string>();
  for (const one of written) {
    if (one === undefined) return undefined;
    if (one === null) continue;
    const { unit, scale } = scaleOf(one.unit);
    units.add(unit);
    scales.add(scale);
  }
  // A unit that some cells leave out is meant there as well.
  units.delete("");
  if (units.size > 1) return undefined;
  const isScaled = scales.size > 1;
  // "5 kg" and "7 M" are no thousands of one thing.
  if (isScaled && [...units].some((unit) => !/^\p{Sc}$|^[A-Z]{3}$/u.test(unit))) return undefined;
  const unit = isScaled || scales.size === 0 ? [...units].join("") : unitOf(written);
  const values: (number | null)[] = [];
  for (const one of written) {
    const value = one === null || one === undefined ? null : valueOf(one, comma);
    if (value === undefined) return undefined;
    const scale = one === null || one === undefined || !isScaled ? 1 : (SCALES[scaleOf(one.unit).scale] ?? 1);
    values.push(value === null ? null : value * scale);
  }
  const filled = values.filter((value) => value !== null).length;
  return filled >= 2 && filled * 2 >= values.length ? { unit, values } : undefined;
}

/** "1.200" beside "900" is a thousand and two hundred in one country and one and a fifth in another: a chart would be a guess. */
function isUnclear(cells: readonly string[]): boolean {
  const digits = cells.flatMap((cell) => readCell(cell)?.digits ?? []);
  return digits.some((one) => /^[1-9]\d{0,2}\.\d{3}$/u.test(one)) && digits.some((one) => /^\d+$/u.test(one));
}

function unitOf(written: readonly (Written | null | undefined)[]): string {
  return written.reduce<string>((unit, one) => (unit === "" ? (one?.unit ?? "") : unit), "");
}

/** "$ k" is dollars, in thousands. */
function scaleOf(unit: string): { readonly unit: string; readonly scale: string } {
  const parts = unit.split(" ");
  const scale = parts.find((part) => Object.hasOwn(SCALES, part)) ?? "";
  return { unit: parts.filter((part) => part !== scale).join(" "), scale };
}

/** The column of names: the first that is not of numbers, else the first if it counts something up or others are left. -1: none. */
function categoryColumn(
  names: readonly string[],
  texts: readonly (readonly string[])[],
  columns: readonly (Column | undefined)[],
): number {
  const counting = columns.findIndex((column, index) => column !== undefined && isOrdered(texts[index] ?? []));
  const named = columns.findIndex(
    (column, index) => column === undefined && (texts[index] ?? []).some((text) => text !== ""),
  );
  if (counting === 0 && !isRank(names[0] ?? "")) return 0;
  if (named >= 0) return named;
  return columns.length > 1 ? 0 : -1;
}

function isRank(name: string): boolean {
  return /^(?:#|№|no\.?|nr\.?|rank|id|pos\.?|place|)$/iu.test(name);
}

function isTotal(label: string): boolean {
  return /^(?:grand |sub)?-?(?:total|totals|totale|sum|summe|gesamt|insgesamt|итого|всего|合計|总计|總計|합계)$/iu.test(
    label,
  );
}

const MONTH =
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,7}\.?(?:[ '’-]{1,2}\d{2,4})?$|^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?$/iu;
const STEP =
  /^(?:(?:Q|H|W|KW|CW|FY|week|day|month|year|sprint)[ -]?\d{1,4}(?:[ /'’-]{1,3}\d{2,4})?|\d{4}[ -/]?(?:Q|H|W)\d{1,2})$/iu;

/** Whether these follow each other in time: years, months, weekdays, quarters, numbered weeks and days. */
function isOrdered(labels: readonly string[]): boolean {
  const isYears = labels.every((label) => /^(?:1[5-9]|20|21)\d\d$/u.test(label));
  const isUp = labels.every((label, index) => index === 0 || label > (labels[index - 1] ?? ""));
  const isDown = labels.every((label, index) => index === 0 || label < (labels[index - 1] ?? ""));
  return (
    labels.length >= 2 &&
    ((isYears && (isUp || isDown)) ||
      labels.every((label) => MONTH.test(label)) ||
      labels.every((label) => STEP.test(label)))
  );
}

const ISO = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2})?(?:Z|\s?UTC)?)?)?$/u;

/** Points in time, where every label is an ISO date that is on the calendar, and no two are the same. */
function readTimes(labels: readonly string[]): readonly number[] | undefined {
  const times = labels.map((label) => {
    const [, year, month, day = "01", hour = "00", minute = "00"] = ISO.exec(label) ?? [];
    if (year === undefined || month === undefined) return Number.NaN;
    const written = `${year}-${month}-${day}T${hour}:${minute}`;
    const time = Date.parse(`${written}Z`);
    // The 31st of February is taken for the 3rd of March.
    return Number.isNaN(time) || !new Date(time).toISOString().startsWith(written) ? Number.NaN : time;
  });
  return times.length >= 2 && times.every((time) => !Number.isNaN(time)) && new Set(times).size === times.length
    ? times
    : undefined;
}
