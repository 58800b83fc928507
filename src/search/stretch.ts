// Reading a chat: some lines of it, in their order.
import type { Database } from "../store/database.ts";
import { STRETCH_LINES, type Line, type Place, type Scope, type Stretch } from "./port.ts";
import { WHO } from "./schema.ts";

type Row = {
  readonly n: number;
  readonly line: number;
  readonly who: number;
  readonly at: number;
  readonly text: string;
};

const BEFORE = `SELECT DISTINCT line FROM passage WHERE chat = ? AND line < ? AND text <> '' ORDER BY line DESC LIMIT ${STRETCH_LINES + 1}`;
const AFTER = `SELECT DISTINCT line FROM passage WHERE chat = ? AND line > ? AND text <> '' ORDER BY line LIMIT ${STRETCH_LINES + 1}`;
const ROWS =
  "SELECT n, line, who, at, text FROM passage WHERE chat = ? AND line BETWEEN ? AND ? AND text <> '' ORDER BY line, n";

/**
 * At most 12 lines of a chat, a message with several speakers whole; undefined when the chat has none, is not there, or may not be seen: the
 * same is read for each. Throws what SQLite throws.
 */
export function readStretch(database: Database, chat: string, place: Place, { except }: Scope): Stretch | undefined {
  const known = database.get("SELECT n FROM chat WHERE id = ? AND id IS NOT ?", chat, except ?? null) as
    | { readonly n: number }
    | undefined;
  // No chat has this number.
  const number = known?.n ?? -1;
  const { direction } = place;
  const from = direction === "end" ? Number.MAX_SAFE_INTEGER : place.line;
  // Nearest first.
  const before = direction === "after" ? [] : numbersOf(database, BEFORE, number, from);
  const after = direction === "after" || direction === "around" ? numbersOf(database, AFTER, number, from) : [];
  const asked = direction === "around" ? [from] : [];
  const rows = database.all(ROWS, number, before.at(-1) ?? asked[0] ?? from, after.at(-1) ?? asked[0] ?? from);
  const messages = Map.groupBy(linesOf(chat, rows as readonly Row[]), ({ line }) => line);

  const lines: Line[] = [...(messages.get(from) ?? [])].filter(() => direction === "around");
  const take = (numbers: number[], put: (message: readonly Line[]) => void): boolean => {
    const [next] = numbers;
    const message = next === undefined ? undefined : messages.get(next);
    if (message === undefined || (lines.length > 0 && lines.length + message.length > STRETCH_LINES)) return false;
    numbers.shift();
    put(message);
    return true;
  };
  // By turns; what one side has not, the other gets.
  let [earlier, later] = [true, true];
  while (earlier || later) {
    earlier &&= take(before, (message) => lines.unshift(...message));
    later &&= take(after, (message) => lines.push(...message));
  }
  if (lines.length === 0 && numbersOf(database, AFTER, number, 0).length === 0) return undefined;
  return {
    lines,
    before: before.length > 0 || (direction === "after" && numbersOf(database, BEFORE, number, from + 1).length > 0),
    after: after.length > 0 || (direction === "before" && numbersOf(database, AFTER, number, from - 1).length > 0),
  };
}

function numbersOf(database: Database, sql: string, chat: number, line: number): number[] {
  return (database.all(sql, chat, line) as readonly { readonly line: number }[]).map((row) => row.line);
}

/** Passages that follow each other are one text again. */
function linesOf(chat: string, rows: readonly Row[]): readonly Line[] {
  const lines: Line[] = [];
  let before: Row | undefined;
  for (const row of rows) {
    const last = lines.at(-1);
    if (last !== undefined && before?.n === row.n - 1 && before.line === row.line && before.who === row.who) {
      lines[lines.length - 1] = { ...last, text: last.text + row.text };
    } else {
      const { line, who, at, text } = row;
      lines.push({ chat, line, who: WHO[who] ?? "step", at, text });
    }
    before = row;
  }
  return lines;
}
