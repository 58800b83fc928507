// Tables: a small one as aligned text for a fixed-width block, and what is in one as numbers.

import { parseMarkdown, type Nodes, type Table, type TableRow } from "./parse.ts";
import { readFigures } from "./figures.ts";
import type { Figures } from "../core/figures.ts";
import { graphemes, oneLine } from "../core/text.ts";

const BETWEEN = " │ ";

/** Whether a table reads well as aligned text: its lines are within `maxColumns` of a fixed-width font, and it has no link to lose. */
export function isNarrow(table: Table, maxColumns: number): boolean {
  if (table.children.some((row) => row.children.some((cell) => cell.children.some(hasLink)))) return false;
  const widths = widthsOf(table.children.map(cellsOf), table);
  return widths.reduce((sum, width) => sum + width, 0) + (widths.length - 1) * BETWEEN.length <= maxColumns;
}

/** The rows as lines, the header ruled off. A row cut in two by a split keeps its columns. */
export function drawTable(table: Table): string {
  const rows = table.children.map(cellsOf);
  const widths = widthsOf(rows, table);
  const lines = rows.map((row) =>
    widths.map((width, index) => pad(row[index] ?? "", width, table.align?.[index])).join(BETWEEN),
  );
  lines.splice(1, 0, widths.map((width) => "─".repeat(width)).join("─┼─"));
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** Whether a Markdown text has a table that a chart can be drawn from. */
export function hasNumberTable(markdown: string): boolean {
  return numberTable(markdown) !== undefined;
}

/** The last table of numbers in a Markdown text, read. */
export function numberTable(markdown: string): Figures | undefined {
  // Most texts have no table, and parsing them is dear.
  if (!/\|[ \t]*:?-|-:?[ \t]*\|/u.test(markdown)) return undefined;
  return tablesIn(parseMarkdown(markdown))
    .reverse()
    .map((table) => {
      const [head, ...rows] = table.children.map(cellsOf);
      return head === undefined ? undefined : readFigures(head, rows);
    })
    .find((figures) => figures !== undefined);
}

function tablesIn(node: Nodes): Table[] {
  if (node.type === "table") return [node];
  return "children" in node ? node.children.flatMap(tablesIn) : [];
}

function cellsOf(row: TableRow): string[] {
  return row.children.map((cell) => oneLine(cell.children.map(textOf).join("")));
}

function widthsOf(rows: readonly string[][], table: Table): number[] {
  const columns = table.children[0]?.children.length ?? 0;
  return Array.from({ length: columns }, (_, index) =>
    rows.reduce((most, row) => Math.max(most, columnsOf(row[index] ?? "")), 0),
  );
}

function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textOf).join("") : " ";
}

function hasLink(node: Nodes): boolean {
  return node.type === "link" || ("children" in node && node.children.some(hasLink));
}

function pad(text: string, width: number, align: "left" | "right" | "center" | null | undefined): string {
  const spare = width - columnsOf(text);
  const left = align === "right" ? spare : align === "center" ? Math.floor(spare / 2) : 0;
  return " ".repeat(left) + text + " ".repeat(spare - left);
}

/** Columns in a fixed-width font: East Asian characters and emoji take two. */
function columnsOf(text: string): number {
  // Most cells are ASCII.
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const grapheme of graphemes(text)) columns += isWide(grapheme) ? 2 : 1;
  return columns;
}

function isWide(grapheme: string): boolean {
  return /^(?:\p{Emoji_Presentation}|.\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6])|[\u{20000}-\u{3FFFD}]/u.test(
    grapheme,
  );
}
