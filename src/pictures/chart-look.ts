// How every chart looks: sizes, colours, its title, and texts cut to their room.
import type * as ECharts from "echarts/core";
import { clipGraphemes } from "../core/text.ts";
import { FONT, type Metrics } from "./font.ts";

/** A chart's height, and its options for ECharts. */
export type Layout = { readonly height: number; readonly option: ECharts.EChartsCoreOption };

export const WIDTH_PX = 1000;
export const TEXT_PX = 22;
export const SIDE_PX = 36;
export const INK = "#222222";
/** Told apart by people who don't see all colours (Okabe and Ito's set, without its yellow, which is too light on white). */
export const COLOURS: readonly string[] = [
  "#0072B2",
  "#D55E00",
  "#009E73",
  "#CC79A7",
  "#E69F00",
  "#56B4E9",
  "#6A3D9A",
  "#555555",
];

const TITLE_PX = 28;
/** In the regular font; titles are bold. */
const MAX_TITLE_EM = 28;

/** The title's part of the options. */
export function heading({ title }: { readonly title?: string }, metrics: Metrics): ECharts.EChartsCoreOption {
  if (title === undefined) return {};
  return {
    title: {
      text: clipEm(title, MAX_TITLE_EM, metrics),
      left: SIDE_PX,
      top: 22,
      textStyle: { color: INK, fontSize: TITLE_PX, fontWeight: "bold", fontFamily: FONT },
    },
  };
}

/** A text that is at most so many ems wide, cut with "…". */
export function clipEm(text: string, maxEm: number, metrics: Metrics): string {
  let most = clipGraphemes(text, 200, "…");
  for (let length = most.length; metrics.widthEm(most) > maxEm && length > 1; length--)
    most = clipGraphemes(text, length, "…");
  return most;
}
