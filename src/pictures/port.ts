// What is drawn here, and what comes of it.
import type { Figures } from "../core/figures.ts";

/** How a table of numbers is drawn. */
export type ChartKind = "bar" | "line" | "pie";

/** What to draw. The title is drawn above a chart. `text` of a diagram is Mermaid. */
export type PictureOrder =
  | { readonly draw: "chart"; readonly figures: Figures; readonly kind?: ChartKind; readonly title?: string }
  | { readonly draw: "diagram"; readonly text: string }
  | { readonly draw: "svg"; readonly text: string };

/**
 * A PNG with what it shows, as plain words for whom doesn't see it; or in words why there is none. `leftOut`: what of the order it
 * doesn't show, a sentence each.
 */
export type Drawn =
  | {
      readonly drawn: true;
      readonly png: Uint8Array<ArrayBuffer>;
      readonly shows: string;
      readonly leftOut: readonly string[];
    }
  | { readonly drawn: false; readonly words: string };

/** What can't be drawn, and why: a sentence for people. */
export class NotDrawn extends Error {}
