// Pies.
import { clipEm, COLOURS, heading, INK, SIDE_PX, TEXT_PX, WIDTH_PX, type Layout } from "./chart-look.ts";
import type { Shape } from "./chart-shape.ts";
import { FONT, type Metrics } from "./font.ts";
import { exactNumber } from "./numbers.ts";

/** Narrower slices have no room for a name beside them. */
const MIN_NAMED_SHARE = 0.04;

/** One pie, its larger slices named beside it and all of them below. */
export function pie(shape: Shape, metrics: Metrics): Layout {
  const { figures } = shape;
  const values = figures.series[0]?.values ?? [];
  const unit = figures.series[0]?.unit ?? "";
  const sum = values.reduce<number>((all, value) => all + (value ?? 0), 0);
  // Shares as they were given, even where they make no hundred together.
  const share = (value: number): string =>
    unit === "%" ? exactNumber(value, unit) : `${((100 * value) / sum).toFixed(1)}%`;
  const rows = figures.categories.length;
  const top = shape.title === undefined ? 24 : 76;
  return {
    height: top + 520 + 44 * Math.ceil(rows / 2),
    option: {
      ...heading(shape, metrics),
      legend: {
        bottom: 14,
        left: SIDE_PX,
        width: WIDTH_PX - 2 * SIDE_PX,
        itemGap: 18,
        itemWidth: 26,
        textStyle: { color: INK, fontSize: TEXT_PX, fontFamily: FONT, width: 400 },
        data: figures.categories.map((_, index) => String(index)),
        formatter(nth: string) {
          const value = values[Number(nth)] ?? 0;
          const name = clipEm(figures.categories[Number(nth)] ?? "", 10, metrics);
          return `${name}  ${exactNumber(value, unit)}${unit === "%" ? "" : ` (${share(value)})`}`;
        },
      },
      series: [
        {
          type: "pie",
          center: ["50%", top + 250],
          radius: 200,
          itemStyle: { borderColor: "#FFFFFF", borderWidth: 3 },
          label: {
            color: INK,
            fontSize: TEXT_PX,
            fontFamily: FONT,
            formatter: ({ dataIndex }: { dataIndex: number }) =>
              `${clipEm(figures.categories[dataIndex] ?? "", 9, metrics)}\n${share(values[dataIndex] ?? 0)}`,
          },
          labelLine: { length: 14, length2: 12, lineStyle: { color: INK } },
          data: values.map((value, index) => ({
            value,
            name: String(index),
            itemStyle: { color: COLOURS[index] },
            // The legend has the small ones.
            ...((value ?? 0) < sum * MIN_NAMED_SHARE && { label: { show: false }, labelLine: { show: false } }),
          })),
        },
      ],
    },
  };
}
