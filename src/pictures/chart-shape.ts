// What of the figures a chart shows: the kind that fits, the order, names that can be read, and what is left out.
import type { Figures } from "../core/figures.ts";
import type { Metrics } from "./font.ts";
import { NotDrawn, type ChartKind } from "./port.ts";

/** What is asked for. */
export type ChartOrder = { readonly figures: Figures; readonly kind?: ChartKind; readonly title?: string };
/** What is drawn. `leftOut`: what of the order it doesn't show, a sentence each. */
export type Shape = ChartOrder & { readonly kind: ChartKind; readonly leftOut: readonly string[] };

/** What fits on a phone's screen and can still be told apart. */
const MAX_SERIES = 8;
const MAX_CATEGORIES = 100;
const MAX_SLICES = 8;

/** Throws NotDrawn in words when there is more than a picture can show, or nothing that fits the kind. */
export function shapeOf(asked: ChartOrder, metrics: Metrics): Shape {
  return withLegibleNames(withKind(asked), metrics);
}

function withKind(asked: ChartOrder): Shape {
  const { figures } = asked;
  const { categories, series } = figures;
  if (series.length === 0 || categories.length === 0) throw new NotDrawn("There are no numbers to draw.");
  if (series.length > MAX_SERIES)
    throw new NotDrawn(`A chart shows at most ${MAX_SERIES} columns of numbers, and this table has ${series.length}.`);
  if (categories.length > MAX_CATEGORIES)
    throw new NotDrawn(`A chart shows at most ${MAX_CATEGORIES} rows, and this table has ${categories.length}.`);
  const kind = asked.kind ?? (figures.ordered && categories.length > 2 ? "line" : "bar");
  return kind === "pie"
    ? shapePie(asked)
    : { ...asked, figures: kind === "line" ? inTime(figures) : figures, kind, leftOut: figures.leftOut };
}

/** A line through points in time goes forward. */
function inTime(figures: Figures): Figures {
  const { times } = figures;
  if (times === undefined) return figures;
  const order = times.map((_, index) => index).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0));
  const pick = <T>(list: readonly T[]): T[] => order.flatMap((index) => list.slice(index, index + 1));
  return {
    ...figures,
    times: pick(times),
    categories: pick(figures.categories),
    series: figures.series.map((one) => ({ ...one, values: pick(one.values) })),
  };
}

/** Shares of one whole: one series of what is not negative, largest first, what is small together. */
function shapePie(asked: ChartOrder): Shape {
  const { figures } = asked;
  const [first, ...others] = figures.series;
  const leftOut = [...figures.leftOut];
  if (others.length > 0)
    leftOut.push(`Left out: ${others.map(({ name }) => name).join(", ")}; a pie shows one column.`);
  const values = first?.values.map((value) => value ?? 0) ?? [];
  if (values.some((value) => value < 0)) throw new NotDrawn("A pie can't show negative numbers; a bar chart can.");
  const slices = values
    .map((value, index) => ({ value, name: figures.categories[index] ?? "" }))
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value);
  if (slices.length === 0) throw new NotDrawn("A pie of nothing but zeros shows nothing.");
  const shown = slices.length > MAX_SLICES ? slices.slice(0, MAX_SLICES - 1) : slices;
  const rest = slices.slice(shown.length);
  if (rest.length > 0) {
    leftOut.push(`The ${rest.length} smallest are together in “Other”.`);
    shown.push({ name: "Other", value: rest.reduce((sum, { value }) => sum + value, 0) });
  }
  const { times: _, ...plain } = figures;
  return {
    ...asked,
    kind: "pie",
    leftOut,
    figures: {
      ...plain,
      categories: shown.map(({ name }) => name),
      series: [{ name: first?.name ?? "", unit: first?.unit ?? "", values: shown.map(({ value }) => value) }],
    },
  };
}

/**
 * Names in letters that the font lacks (Chinese, Korean, Thai and others) become numbers, explained in words beside the picture:
 * empty boxes would say nothing. Emoji beside letters are just left out.
 */
function withLegibleNames(shape: Shape, metrics: Metrics): Shape {
  const { figures, title } = shape;
  const keys: string[] = [];
  const legible = (text: string): string | undefined => {
    const kept = Array.from(text).filter((one) => /\p{Cf}|\p{M}/u.test(one) || metrics.has(one.codePointAt(0) ?? 0));
    const lost = Array.from(text).filter((one) => /[\p{L}\p{N}]/u.test(one) && !metrics.has(one.codePointAt(0) ?? 0));
    const left = kept.join("").replaceAll("\uFE0F", "").trim();
    return lost.length > 0 || (left === "" && text !== "") ? undefined : left;
  };
  const name = (text: string, number: string): string => {
    const drawn = legible(text);
    if (drawn === undefined) keys.push(`${number}: ${text}`);
    return drawn ?? number;
  };
  const categories = figures.categories.map((one, index) => name(one, String(index + 1)));
  const series = figures.series.map((one, index) => ({
    ...one,
    name: name(one.name, String.fromCharCode(65 + index)),
    unit: legible(one.unit) ?? "",
  }));
  const drawnTitle = legible(title ?? "");
  const { title: _, ...rest } = shape;
  return {
    ...rest,
    ...(drawnTitle !== undefined && drawnTitle !== "" && { title: drawnTitle }),
    figures: { ...figures, categories, series },
    leftOut: keys.length > 0 ? [...shape.leftOut, `In the picture ${keys.join(", ")}.`] : shape.leftOut,
  };
}
