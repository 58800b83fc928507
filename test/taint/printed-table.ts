// The table of authority as docs/trust.md shows it.
import { COLUMNS, TABLE, type Cell, type Column } from "../../src/taint/table.ts";
import type { Row } from "../../src/core/tool.ts";

const ROW_WORDS: Readonly<Record<Row, string>> = {
  plain: "what reads nothing of anyone's, such as the clock",
  history: "looking through your other chats",
  offer: "offers of the assistant's",
  "cue-offer": "offers on a cue",
  ask: "a question",
  suggest: "suggested replies",
  plan: "the steps of an answer",
  skill: "a skill's instructions",
  "app-read": "an app's reading tool",
  "app-act": "an app's acting tool",
  "engine-act": "an engine's own command, write or fetch",
  "engine-read": "an engine's own read",
};

const COLUMN_WORDS: Readonly<Record<Column, string>> = {
  clean: "clean",
  marked: "marked",
  person: "person",
  shared: "shared",
  guest: "guest",
  nobody: "nobody",
};

const CELL_WORDS: Readonly<Record<Cell, string>> = {
  yes: "yes",
  absent: "absent",
  refused: "refused in words",
  mode: "by the mode",
  asks: "asks",
  "carries-asks": "asks if it could carry data out",
  given: "what the run was given",
  inside: "in the work folder; else as a command",
  "inside-asks": "in the work folder; else asks",
  "inside-only": "in the work folder only",
  "own-only": "Tidegate's own only",
  default: "takes a default",
};

/** The table in Markdown: a line for each row of TABLE, a cell for each of COLUMNS. */
export function printTable(): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = Object.entries(TABLE) as [Row, (typeof TABLE)[Row]][];
  return [
    line(["", ...COLUMNS.map((column) => COLUMN_WORDS[column])]),
    line(["---", ...COLUMNS.map(() => "---")]),
    ...rows.map(([row, cells]) => line([ROW_WORDS[row], ...COLUMNS.map((column) => CELL_WORDS[cells[column]])])),
  ].join("\n");
}
