// Bars and lines over two axes.
import { graphemes } from "../core/text.ts";
import { clipEm, COLOURS, heading, INK, SIDE_PX, TEXT_PX, WIDTH_PX, type Layout } from "./chart-look.ts";
import type { Shape } from "./chart-shape.ts";
import { FONT, type Metrics } from "./font.ts";
import { axisNumber } from "./numbers.ts";

const HEIGHT_PX = 640;
const MAX_HEIGHT_PX = 4000;
const FAINT = "#DDDDDD";
const MAX_LEGEND_EM = 14;
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond"];

/** Bars stand, or lie where their names are long; lines go through points in time as far apart as those are. */
export function barsOrLines(shape: Shape, metrics: Metrics): Layout {
  const { figures, kind } = shape;
  const { categories, series, times } = figures;
  const widestEm = Math.max(...categories.map((one) => metrics.widthEm(one)));
  const slotPx = (WIDTH_PX - 4 * SIDE_PX) / categories.length;
  // Names that don't fit side by side are read best from the left, one under the other.
  const isLying = kind === "bar" && !figures.ordered && (widestEm * TEXT_PX > slotPx - 8 || categories.length > 24);
  const ticks = kind === "line" && times !== undefined ? ticksOf(times) : undefined;
  const top = shape.title === undefined ? 36 : 84;
  const legend = legendRows(
    series.map(({ name }) => name),
    metrics,
  );
  const bottom = legend === 0 ? 24 : 30 + legend * 36;
  const rowPx = Math.max(10, 10 + Math.min(34, 120 / series.length) * series.length);
  const height = isLying
    ? Math.min(MAX_HEIGHT_PX, top + bottom + 50 + categories.length * rowPx)
    : HEIGHT_PX + (bottom - 24);
  const labelEm = isLying
    ? 13
    : Math.max(4, (slotPx / TEXT_PX) * Math.ceil((categories.length * 80) / (WIDTH_PX - 4 * SIDE_PX)));
  const textPx = isLying ? Math.min(TEXT_PX, Math.max(12, rowPx - 6)) : TEXT_PX;
  const label = { color: INK, fontSize: textPx, fontFamily: FONT };
  const names = {
    ...(ticks === undefined
      ? { type: "category", data: clipAll(categories, labelEm, metrics), boundaryGap: true }
      : { type: "value", min: ticks.from, max: ticks.to }),
    ...(isLying && { inverse: true }),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: INK }, onZero: true },
    splitLine: { show: false },
    axisLabel: {
      ...label,
      hideOverlap: true,
      ...(isLying && { interval: 0 }),
      ...(ticks !== undefined && { customValues: ticks.at, formatter: ticks.label }),
    },
  };
  const unit = series[0]?.unit ?? "";
  const numbers = {
    type: "value",
    axisLabel: {
      ...label,
      fontSize: TEXT_PX,
      hideOverlap: true,
      formatter: (value: number) => axisNumber(value, unit),
    },
    axisLine: { show: false },
    axisTick: { show: false },
    splitNumber: isLying ? 4 : 5,
    splitLine: { lineStyle: { color: FAINT } },
    // Bars are compared by their length, so they start at zero; lines by their slope.
    scale: kind === "line",
  };
  const isValued = series.length === 1 && (isLying ? rowPx >= 26 : categories.length <= 12) && kind === "bar";
  return {
    height: Math.round(height),
    option: {
      ...heading(shape, metrics),
      ...(legend > 0 && {
        legend: {
          bottom: 10,
          left: SIDE_PX,
          right: SIDE_PX,
          itemGap: 24,
          itemWidth: 30,
          textStyle: { ...label, fontSize: TEXT_PX },
          data: series.map((_, index) => String(index)),
          formatter: (nth: string) => legendName(series[Number(nth)]?.name ?? "", Number(nth), metrics),
        },
      }),
      grid: {
        left: SIDE_PX - 12,
        right: SIDE_PX + (isValued && isLying ? 50 : 10),
        top,
        bottom,
        outerBoundsMode: "same",
        outerBoundsContain: "axisLabel",
      },
      xAxis: isLying ? numbers : names,
      yAxis: isLying ? names : numbers,
      series: series.map(({ values }, index) => ({
        type: kind,
        // By number, since two columns may have one name.
        name: String(index),
        data: ticks === undefined ? values : values.map((value, at) => [times?.[at], value]),
        itemStyle: { color: COLOURS[index] },
        ...(kind === "bar"
          ? { barMaxWidth: 90, barGap: "8%", barCategoryGap: "28%" }
          : {
              lineStyle: { width: 4, color: COLOURS[index] },
              symbol: SYMBOLS[index],
              symbolSize: values.length > 40 ? 0 : 11,
              showSymbol: values.length <= 40,
              connectNulls: false,
            }),
        ...(isValued && {
          label: {
            show: true,
            position: "outside",
            ...label,
            fontSize: textPx - 2,
            formatter: ({ value }: { value: unknown }) => (typeof value === "number" ? axisNumber(value, unit) : ""),
          },
          labelLayout: { hideOverlap: true },
        }),
      })),
    },
  };
}

/** How many lines the legend takes; none for one series. */
function legendRows(names: readonly string[], metrics: Metrics): number {
  if (names.length < 2) return 0;
  let rows = 1;
  let usedPx = 0;
  for (const [index, name] of names.entries()) {
    const px = metrics.widthEm(legendName(name, index, metrics)) * TEXT_PX + 64;
    if (usedPx > 0 && usedPx + px > WIDTH_PX - 2 * SIDE_PX) {
      rows += 1;
      usedPx = 0;
    }
    usedPx += px;
  }
  return rows;
}

function legendName(name: string, index: number, metrics: Metrics): string {
  return clipEm(name === "" ? `Column ${index + 1}` : name, MAX_LEGEND_EM, metrics);
}

/** Cut so that no two look the same because of it: their ends tell them apart, or else their numbers. */
function clipAll(texts: readonly string[], maxEm: number, metrics: Metrics): readonly string[] {
  const cuts = [
    (text: string): string => clipEm(text, maxEm, metrics),
    (text: string): string => {
      const end = [...graphemes(text)].slice(-Math.floor(maxEm * 0.6)).join("");
      return clipEm(text, maxEm - metrics.widthEm(end), metrics) + end;
    },
  ];
  const ways = cuts.map((cut) => texts.map(cut));
  return texts.map((text, index) => {
    const whole = ways[0]?.[index] ?? "";
    if (whole === text) return whole;
    const way = ways.find((drawn) => drawn.filter((one) => one === drawn[index]).length === 1);
    return way?.[index] ?? clipEm(`${index + 1}. ${text}`, maxEm, metrics);
  });
}

const DAY_MS = 86_400_000;

/** The axis of points in time, with some of the points named: dates, or hours where all are within two days. */
function ticksOf(times: readonly number[]): {
  readonly from: number;
  readonly to: number;
  readonly at: readonly number[];
  readonly label: (time: number) => string;
} {
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const span = last - first;
  const named = [last];
  for (const time of times) {
    const before = named.length > 1 ? (named.at(-1) ?? 0) : Number.NEGATIVE_INFINITY;
    if (time - before >= span / 5.5 && last - time >= span / 5.5) named.push(time);
  }
  const isHours = span <= 2 * DAY_MS && times.some((time) => time % DAY_MS !== 0);
  const isMonths = times.every((time) => new Date(time).toISOString().slice(8, 16) === "01T00:00");
  return {
    from: first - 0.03 * span,
    to: last + 0.03 * span,
    at: named.toSorted((a, b) => a - b),
    label: (time) => {
      const iso = new Date(time).toISOString();
      return isHours ? iso.slice(11, 16) : iso.slice(0, isMonths ? 7 : 10);
    },
  };
}
