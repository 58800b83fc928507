// What the posting list and the term table are asked. Which chat may not be seen is part of every question, so it never takes up a place
// of what is limited.
import type { Database } from "../store/database.ts";
import { SLOTS } from "./lines.ts";
import { chatToken } from "./words.ts";

/** A row of the passage table. */
export type Row = {
  readonly n: number;
  readonly chat: number;
  readonly line: number;
  readonly who: number;
  readonly at: number;
  readonly text: string;
};

/** An expression of FTS5 whose tokens are all quoted, and hold no quotes: nothing of it is read as an operator but ours. */
export type Expression = string;

export function token(text: string): Expression {
  return `"${text}"`;
}

export function allOf(parts: readonly Expression[]): Expression {
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(" AND ")})`;
}

export function anyOf(parts: readonly Expression[]): Expression {
  return parts.length === 1 ? (parts[0] ?? "") : `(${parts.join(" OR ")})`;
}

/** Tokens that at most so many passages hold are counted in what may be seen. */
const COUNTED = 64;
const TEN_TIMES = 10;
/** Terms that only the chat that asks holds, at most, for each list of terms. */
const MOST_PASSED_OVER = 60;
/** The most passages of the asking chat that are taken off. */
const MOST_OWN = 5_000;
const NEWEST = Number.MAX_SAFE_INTEGER;

/** Reads the index for one query. `except`: the number of the chat that may not be seen; 0 for none. */
export class Retrieval {
  readonly #database: Database;
  readonly #except: number;
  readonly #dfs = new Map<string, number>();
  #own: number | undefined;

  constructor(database: Database, except: number) {
    this.#database = database;
    this.#except = except;
  }

  /** The newest passages of an expression, older than `before`. */
  rows(expression: Expression, limit: number, before: number = NEWEST): readonly Row[] {
    return this.#database.all(
      `SELECT p.n, p.chat, p.line, p.who, p.at, p.text FROM posting CROSS JOIN passage p ON p.n = posting.rowid
       WHERE posting MATCH ? AND posting.rowid < ? AND p.chat <> ? ORDER BY posting.rowid DESC LIMIT ?`,
      ...[this.#scoped(expression), before, this.#except, limit],
    ) as readonly Row[];
  }

  /** The numbers of the newest passages of an expression. */
  numbers(expression: Expression, limit: number): readonly number[] {
    // One string of all is several times quicker than a row each.
    const { list } = this.#database.get(
      `SELECT group_concat(n) AS list FROM
       (SELECT rowid AS n FROM posting WHERE posting MATCH ? ORDER BY rowid DESC LIMIT ?)`,
      ...[this.#scoped(expression), limit],
    ) as { readonly list: string | number | null };
    return list === null ? [] : String(list).split(",").map(Number);
  }

  row(n: number): Row | undefined {
    return this.#database.get(
      "SELECT n, chat, line, who, at, text FROM passage WHERE n = ? AND chat <> ?",
      ...[n, this.#except],
    ) as Row | undefined;
  }

  /** How many passages hold a token; of a rare one, how many that may be seen: the chat that asks often holds what it asks for. */
  df(term: string): number {
    const known = this.#dfs.get(term);
    if (known !== undefined) return known;
    const row = this.#database.get("SELECT df FROM term WHERE term = ?", term) as { readonly df: number } | undefined;
    const all = row?.df ?? 0;
    const df = this.#except === 0 || all === 0 ? all : this.#seen(term, all);
    this.#dfs.set(term, df);
    return df;
  }

  #ownSize(): number {
    this.#own ??= (
      this.#database.get("SELECT count(*) AS own FROM passage WHERE chat = ?", this.#except) as { readonly own: number }
    ).own;
    return this.#own;
  }

  /** How many of those passages may be seen; about, where the chat that asks can't hold many of them. */
  #seen(term: string, all: number): number {
    if (all > COUNTED && all > TEN_TIMES * this.#ownSize()) return all;
    const newest = this.numbers(token(term), COUNTED).length;
    if (newest < COUNTED) return newest;
    const { own } = this.#database.get(
      "SELECT count(*) AS own FROM (SELECT 1 FROM posting WHERE posting MATCH ? LIMIT ?)",
      ...[allOf([token(term), token(chatToken(this.#except))]), MOST_OWN],
    ) as { readonly own: number };
    return Math.max(newest, all - own);
  }

  /** The tokens that start with `start`, itself left out, those of most passages first. */
  startingWith(start: string, limit: number): readonly { readonly term: string; readonly df: number }[] {
    const most = this.#except === 0 ? limit : limit + MOST_PASSED_OVER;
    const terms = this.#database.all(
      `SELECT term, df FROM term WHERE term > ? AND term < ? AND df > 0 ORDER BY df DESC, term LIMIT ?`,
      ...[start, `${start}\u{10ffff}`, most],
    ) as readonly { readonly term: string; readonly df: number }[];
    if (this.#except === 0) return terms;
    const seen: { readonly term: string; readonly df: number }[] = [];
    for (const { term, df } of terms) {
      if (df > this.#ownSize() || this.numbers(token(term), 1).length > 0) seen.push({ term, df });
      if (seen.length === limit) break;
    }
    return seen;
  }

  /** About how many passages there are. */
  size(): number {
    const { newest } = this.#database.get("SELECT max(n) AS newest FROM passage") as { readonly newest: number | null };
    return Math.ceil((newest ?? 0) / SLOTS);
  }

  #scoped(expression: Expression): Expression {
    return this.#except === 0 ? expression : `${expression} NOT ${token(chatToken(this.#except))}`;
  }
}
