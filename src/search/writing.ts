// Rows of the index: lines put in, replaced and taken out, with their words counted. Everything here runs inside a transaction of the caller.
import type { Database } from "../store/database.ts";
import { SLOTS } from "./lines.ts";
import type { Put, Reading } from "./reading.ts";
import { setFact, WHO } from "./schema.ts";
import { chatToken, tokensOf } from "./words.ts";

/** How many more passages hold a term than before, or fewer. */
export type Counts = Map<string, number>;

type Row = { readonly n: number; readonly who: number; readonly at: number; readonly text: string };

/** Writes what was read; the log is in the index up to `place` then. What that does to the terms is added to `counts`. */
export function writeReading(database: Database, { puts, chats }: Reading, place: number, counts: Counts): void {
  const numbers = new Map<string, number>();
  for (const [id, newest] of chats) {
    const row = database.get(
      `INSERT INTO chat (id, place, seq, at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET place = excluded.place, seq = excluded.seq, at = excluded.at RETURNING n`,
      ...[id, newest.place, newest.seq, newest.at],
    ) as { n: number };
    numbers.set(id, row.n);
  }
  // FTS5 writes its list out early when row numbers go down.
  const steps = puts.flatMap((put) => stepsOf(database, put, numbers.get(put.chat))).toSorted((a, b) => a.n - b.n);
  for (const { n, before, after, put, chat } of steps) {
    if (before !== undefined) removePassage(database, { n, chat, text: before }, counts);
    if (after !== undefined) {
      database.run(
        "INSERT INTO passage (n, chat, line, who, at, text) VALUES (?, ?, ?, ?, ?, ?)",
        ...[n, chat, put.line, after.who, put.at, after.text],
      );
      const tokens = tokensIn(after.text);
      database.run("INSERT INTO posting (rowid, tokens) VALUES (?, ?)", n, posted(tokens, chat));
      for (const token of tokens) add(counts, token, 1);
    }
  }
  setFact(database, "place", String(place));
}

/** What is done at one row. */
type Step = {
  readonly n: number;
  readonly before: string | undefined;
  readonly after: { readonly who: number; readonly text: string } | undefined;
  readonly put: Put;
  readonly chat: number;
};

function stepsOf(database: Database, put: Put, chat: number | undefined): readonly Step[] {
  if (chat === undefined) return [];
  const rows =
    put.place === undefined
      ? (database.all(
          "SELECT n, who, at, text FROM passage WHERE chat = ? AND line = ? ORDER BY n",
          chat,
          put.line,
        ) as readonly Row[])
      : [];
  const [first] = rows;
  if (put.place === undefined && first === undefined) return [];
  const base = first === undefined ? (put.place ?? 0) * SLOTS : first.n - (first.n % SLOTS);
  const passages = put.passages.length === 0 && put.keeps ? [{ slot: 0, who: WHO[0], text: "" }] : put.passages;
  const after = new Map(passages.map(({ slot, who, text }) => [base + slot, { who: WHO.indexOf(who ?? "you"), text }]));
  const before = new Map(rows.map((row) => [row.n, row]));
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((n) => {
    const [old, now] = [before.get(n), after.get(n)];
    if (old?.text === now?.text && old?.who === now?.who && old?.at === (now && put.at)) return [];
    return [{ n, before: old?.text, after: now, put, chat }];
  });
}

function removePassage(
  database: Database,
  { n, chat, text }: { readonly n: number; readonly chat: number; readonly text: string },
  counts: Counts,
): void {
  database.run("DELETE FROM passage WHERE n = ?", n);
  const tokens = tokensIn(text);
  database.run("INSERT INTO posting (posting, rowid, tokens) VALUES ('delete', ?, ?)", n, posted(tokens, chat));
  for (const token of tokens) add(counts, token, -1);
}

/** Takes out up to `limit` passages of a chat, and with the last of them the chat. False when there is nothing more of it. */
export function removeSome(database: Database, chat: string, limit: number, counts: Counts): boolean {
  const known = database.get("SELECT n FROM chat WHERE id = ?", chat) as { n: number } | undefined;
  if (known === undefined) return false;
  const rows = database.all(
    "SELECT n, text FROM passage WHERE chat = ? ORDER BY n LIMIT ?",
    known.n,
    limit,
  ) as readonly Row[];
  for (const { n, text } of rows) removePassage(database, { n, chat: known.n, text }, counts);
  if (rows.length < limit) database.run("DELETE FROM chat WHERE n = ?", known.n);
  return rows.length === limit;
}

/** Writes the counts into the terms, in about the order of the table, so that many are written from one end to the other. */
export function writeCounts(database: Database, counts: Counts): void {
  for (const term of [...counts.keys()].sort()) {
    const change = counts.get(term) ?? 0;
    if (change > 0) {
      database.run(
        "INSERT INTO term (term, df) VALUES (?, ?) ON CONFLICT DO UPDATE SET df = df + excluded.df",
        term,
        change,
      );
    } else if (change < 0) {
      database.run("UPDATE term SET df = df + ? WHERE term = ?", change, term);
      database.run("DELETE FROM term WHERE term = ? AND df <= 0", term);
    }
  }
}

/** Each once: the list knows only which passages hold a token. */
function tokensIn(text: string): ReadonlySet<string> {
  return new Set(tokensOf(text));
}

/** What the list is told of a passage: with the chat among its tokens, a chat is left out by the list itself. */
function posted(tokens: ReadonlySet<string>, chat: number): string {
  return [...tokens, chatToken(chat)].join(" ");
}

function add(counts: Counts, term: string, change: number): void {
  counts.set(term, (counts.get(term) ?? 0) + change);
}

/** Pages of the list that one step of joining it writes. */
const MERGE_PAGES = 2000;

/**
 * Joins the list of postings into one part, as it is read fastest and without what was taken out. False when it was stopped. Nothing may
 * be written meanwhile.
 */
export function compact(database: Database, isStopped: () => boolean): boolean {
  for (;;) {
    if (isStopped()) return false;
    const before = totalChanges(database);
    database.run("INSERT INTO posting (posting, rank) VALUES ('merge', ?)", -MERGE_PAGES);
    // Documented so: fewer than two changes mean that there was nothing to do.
    if (totalChanges(database) - before < 2) return true;
  }
}

function totalChanges(database: Database): number {
  return (database.get("SELECT total_changes() AS total") as { total: number }).total;
}
