// A table of numbers, read: what a chart is drawn from.

/**
 * Columns of numbers over one column of names; each series has a value for each category, null where there is none.
 * `times`: what the categories are as points in time, milliseconds since 1970 (UTC). `ordered`: they follow each other, as years do.
 * Texts are plain and on one line. `leftOut`: columns and rows that can't be drawn with the others, in words.
 */
export type Figures = {
  readonly heading: string;
  readonly categories: readonly string[];
  readonly times?: readonly number[];
  readonly ordered: boolean;
  readonly series: readonly {
    readonly name: string;
    readonly unit: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly leftOut: readonly string[];
};
