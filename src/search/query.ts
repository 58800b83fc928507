// One search, from the words of the query to chats in order. First what holds all of it as it was typed; when that is little, what holds
// it spelt otherwise; then what holds some of it, and chats whose messages hold it together.
//   query → asked → passages by the posting list → read and matched → ranked by chat
// Every step is bounded by counts, never by time, so that the same index gives the same answer.
import type { Database } from "../store/database.ts";
import { readQuery, type Asked, type Query } from "./asked.ts";
import { matcherFor, type Matcher, type Other, type Wanted } from "./match.ts";
import { othersOf } from "./others.ts";
import type { Found, Scope } from "./port.ts";
import { isExact, leastWeight, qualitiesOf, rank, type Candidate, type Weights } from "./rank.ts";
import { allOf, anyOf, Retrieval, token, type Expression, type Row } from "./retrieval.ts";
import { WHO } from "./schema.ts";
import type { Vocabulary } from "./spelling.ts";
import { chatToken } from "./words.ts";

/** The most things that the posting list is asked for: the rarest. All of them are looked for in what it gives. */
const MOST_ASKED = 12;
/**
 * The passages read for one word, and for several, whose order and nearness make more of a difference; of a quoted phrase, until enough
 * hold it. Read in steps, up to so many UTF-16 units of text.
 */
const MOST_ROWS = { one: 200, several: 200, quoted: 2_400 };
const ROWS_AT_ONCE = 200;
const MOST_UNITS = 60_000;
const MOST_UNITS_QUOTED = 120_000;
/** So many passages that hold everything as typed are enough, and so many that hold it somehow. */
const ENOUGH_TYPED = 24;
const ENOUGH = 8;
/** What is asked of the posting list for passages that hold some of it: numbers in all, of one list, and passages read. */
const MOST_NUMBERS = 9_000;
const MOST_OF_LIST = 2_000;
const MOST_PARTIAL = 40;
/** The same where something holds everything as it was typed. */
const MOST_PARTIAL_BESIDE = 16;
/** The passages of the rarest word whose chats are looked through for the others, so many words, and the passages read for each. */
const MOST_SPREAD_FROM = 30;
const MOST_SPREAD_ROWS = 24;
const MOST_SPREAD_WORDS = 3;
/** In an index of fewer passages, that most of them hold a word doesn't make it a common one. */
const LEAST_SIZE = 1_000;
/** The pairs of characters of one run that are asked for. */
const MOST_PAIRS = 3;
/** The tokens that a single character stands for, at most. */
const MOST_STARTS = 40;

/**
 * Looks for `query` in the index. At most `maxChats` chats with 3 hits each. Reads only. Throws a GatewayError `bad-request` in words for
 * a query that can't be looked for, and what SQLite throws.
 */
export function findIn(
  database: Database,
  vocabulary: Vocabulary,
  query: string,
  scope: Scope,
  maxChats: number,
): Found {
  const read = readQuery(query);
  const retrieval = new Retrieval(database, numberOf(database, scope.except));
  const { candidates, weights } = new Looking(retrieval, vocabulary, read).look();
  const ranked = rank(candidates, weights, maxChats);
  if (ranked.chats.length === 0) return { match: "none", chats: [] };
  const chats = ranked.chats.flatMap(({ chat, exact, hits }) => {
    const row = database.get("SELECT id FROM chat WHERE n = ?", chat) as { readonly id: string } | undefined;
    return row === undefined ? [] : [{ chat: row.id, exact, hits: hits.map((hit) => ({ chat: row.id, ...hit })) }];
  });
  return { match: ranked.exact ? "exact" : "close", chats };
}

function numberOf(database: Database, chat: string | undefined): number {
  if (chat === undefined) return 0;
  const row = database.get("SELECT n FROM chat WHERE id = ?", chat) as { readonly n: number } | undefined;
  return row?.n ?? 0;
}

/** What is asked for with what the index says of it. `df`: how many passages hold it as it was typed, at most. */
type Term = {
  readonly asked: Asked;
  readonly df: number;
  readonly others: readonly Other[];
  readonly typed: Expression;
};

/** One query on its way: what was found so far. */
class Looking {
  readonly #retrieval: Retrieval;
  readonly #vocabulary: Vocabulary;
  readonly #query: Query;
  readonly #size: number;
  readonly #found = new Map<number, Candidate>();
  #units = 0;
  /** How many passages hold everything as it was typed. */
  #typed = 0;
  #terms: readonly Term[];
  #matcher: Matcher;

  constructor(retrieval: Retrieval, vocabulary: Vocabulary, query: Query) {
    this.#retrieval = retrieval;
    this.#vocabulary = vocabulary;
    this.#query = query;
    this.#size = retrieval.size();
    this.#terms = query.asked.map((asked) => this.#termOf(asked));
    this.#matcher = matcherFor(this.#wanted(), query.phrases);
  }

  look(): { readonly candidates: readonly Candidate[]; readonly weights: Weights } {
    const typed = this.#terms.map((term) => term.typed);
    this.#typed = this.#terms.every((term) => term.df > 0) ? this.#readAll(typed, "as typed") : 0;
    if (this.#typed < ENOUGH_TYPED) {
      this.#allowOthers();
      if (this.#readSomehow() < ENOUGH) {
        this.#readSome();
        this.#readSpread();
      }
    }
    return { candidates: [...this.#found.values()], weights: this.#weights() };
  }

  #weights(): Weights {
    return this.#terms.map((term) => this.#weightOf(term));
  }

  #wanted(): readonly Wanted[] {
    return this.#terms.map(({ asked, others }) => ({ asked, others }));
  }

  #termOf(asked: Asked): Term {
    if (asked.kind === "run" && asked.parts[0] === asked.text && Array.from(asked.text).length === 1) {
      const starts = this.#retrieval.startingWith(asked.text, MOST_STARTS);
      const alone = this.#retrieval.df(asked.text);
      const df = Math.max(alone, ...starts.map((start) => start.df));
      return { asked, df, others: [], typed: anyOf([asked.text, ...starts.map(({ term }) => term)].map(token)) };
    }
    const parts = Math.min(...asked.parts.map((part) => this.#retrieval.df(part)));
    const typed = allOf((asked.kind === "run" ? this.#rarestOf(asked.parts) : asked.parts).map(token));
    if (asked.kind !== "compound") return { asked, df: parts, others: [], typed };
    const df = Math.max(this.#retrieval.df(asked.text), parts);
    return { asked, df, others: [], typed: anyOf([token(asked.text), typed]) };
  }

  /** The pairs of a long run that the posting list is asked for: the text is read for all of it, so the rarest few will do. */
  #rarestOf(pairs: readonly string[]): readonly string[] {
    if (pairs.length <= MOST_PAIRS) return pairs;
    return pairs.toSorted((one, other) => this.#retrieval.df(one) - this.#retrieval.df(other)).slice(0, MOST_PAIRS);
  }

  /** From here on other words may stand for those that were asked for. */
  #allowOthers(): void {
    const asked = this.#terms.map((term) => term.asked);
    const dfs = this.#terms.map((term) => term.df);
    const others = othersOf(asked, dfs, this.#retrieval, this.#vocabulary, this.#typed > 0);
    this.#terms = this.#terms.map((term, nth) => ({ ...term, others: others[nth] ?? [] }));
    this.#matcher = matcherFor(this.#wanted(), this.#query.phrases);
    for (const candidate of [...this.#found.values()]) this.#take({ ...candidate, who: WHO.indexOf(candidate.who) });
  }

  /** The rarer it is, the more it says. A word that nothing holds as typed is as rare as what is most likely meant. */
  #weightOf({ df, others, asked }: Term): number {
    const best = others.reduce((most, { quality }) => Math.max(most, quality), 0);
    const meant = others.filter(({ quality }) => quality === best).map(({ term }) => this.#retrieval.df(term));
    const held = df > 2 || asked.quoted ? df : Math.max(df, ...meant);
    return Math.log(1 + (Math.max(this.#size, LEAST_SIZE, held) - held + 0.5) / (held + 0.5));
  }

  /**
   * Reads the newest passages that the posting list gives for all the expressions. How many of them hold everything: as it was typed, or
   * somehow.
   */
  #readAll(expressions: readonly Expression[], how: "as typed" | "somehow"): number {
    const rarest = expressions
      .map((expression, nth) => ({ expression, df: this.#terms[nth]?.df ?? 0 }))
      .toSorted((one, other) => one.df - other.df)
      .slice(0, MOST_ASKED);
    const expression = allOf(rarest.map((one) => one.expression));
    const isQuoted = this.#query.phrases.length > 0;
    const most = MOST_ROWS[isQuoted ? "quoted" : this.#terms.length > 1 ? "several" : "one"];
    const mostUnits = this.#units + (isQuoted ? MOST_UNITS_QUOTED : MOST_UNITS);
    let holding = 0;
    let before: number | undefined;
    for (let read = 0; read < most; read += ROWS_AT_ONCE) {
      const rows = this.#retrieval.rows(expression, ROWS_AT_ONCE, before);
      for (const row of rows) {
        if (this.#units > mostUnits) return holding;
        const candidate = this.#take(row);
        if (candidate !== undefined && this.#holdsAll(candidate, how)) holding += 1;
      }
      before = rows.at(-1)?.n;
      if (rows.length < ROWS_AT_ONCE || (isQuoted && holding >= ENOUGH_TYPED)) break;
    }
    return holding;
  }

  /** How many passages hold everything somehow. */
  #readSomehow(): number {
    if (this.#terms.some((term) => term.others.length > 0)) return this.#readAll(this.#terms.map(somehow), "somehow");
    return [...this.#found.values()].filter((candidate) => this.#holdsAll(candidate, "somehow")).length;
  }

  #holdsAll(candidate: Candidate, how: "as typed" | "somehow"): boolean {
    const qualities = qualitiesOf(candidate.spots, this.#terms.length);
    return how === "somehow" ? qualities.every((quality) => quality > 0) : isExact({ qualities });
  }

  /** Reads the passages that hold the most of what was asked for, by weight. */
  #readSome(): void {
    const lists = this.#terms
      .flatMap((term) => {
        const { asked, df } = term;
        const weight = this.#weightOf(term);
        if (asked.kind === "word" || asked.kind === "symbol") return [{ df, weight, expression: somehow(term) }];
        const parts = asked.kind === "run" ? this.#rarestOf(asked.parts) : asked.parts;
        return parts.map((part) => ({
          df: this.#retrieval.df(part),
          weight: weight / parts.length,
          expression: token(part),
        }));
      })
      .toSorted((one, other) => one.df - other.df);
    const most = this.#typed > 0 ? MOST_PARTIAL_BESIDE : MOST_PARTIAL;
    const least = leastWeight(sum(this.#weights()), this.#typed > 0);
    const weights = new Map<number, number>();
    let left = MOST_NUMBERS;
    let ahead = sum(lists.map((list) => list.weight));
    for (const { expression, weight, df } of lists) {
      // A list that is cut off says little of what is in it, and one with too little weight left brings nobody in.
      if (left <= 0 || (df > MOST_OF_LIST && weights.size >= most)) break;
      const numbers = this.#retrieval.numbers(expression, Math.min(left, MOST_OF_LIST));
      left -= numbers.length;
      for (const n of numbers) {
        const before = weights.get(n);
        if (before !== undefined || ahead >= least) weights.set(n, (before ?? 0) + weight);
      }
      ahead -= weight;
    }
    for (const n of heaviest(weights, most, least)) {
      const row = this.#found.has(n) ? undefined : this.#retrieval.row(n);
      if (row !== undefined) this.#take(row);
    }
  }

  /** Looks through the chats that hold the rarest of what was asked for, for the rest of it. */
  #readSpread(): void {
    const rarest = this.#terms
      .map((term, nth) => ({ nth, term, weight: this.#weightOf(term) }))
      .filter(({ term }) => term.df > 0 || term.others.length > 0)
      .toSorted((one, other) => other.weight - one.weight);
    const [first, ...others] = rarest;
    if (first === undefined || others.length === 0) return;
    const holding = this.#retrieval.rows(somehow(first.term), MOST_SPREAD_FROM);
    for (const row of holding) if (!this.#found.has(row.n)) this.#take(row);
    const chats = [...new Set(holding.map(({ chat }) => chat))];
    if (chats.length === 0) return;
    const inChats = anyOf(chats.map((chat) => token(chatToken(chat))));
    for (const { term } of others.slice(0, MOST_SPREAD_WORDS)) {
      for (const row of this.#retrieval.rows(allOf([somehow(term), inChats]), MOST_SPREAD_ROWS)) {
        if (!this.#found.has(row.n)) this.#take(row);
      }
    }
  }

  /** Reads a passage; it is a candidate when something of what was asked for stands in it. */
  #take(row: Row): Candidate | undefined {
    this.#units += row.text.length;
    const spots = this.#matcher(row.text);
    if (spots === undefined || spots.length === 0) return undefined;
    const { n, chat, line, at, text } = row;
    const candidate = { n, chat, line, at, text, who: WHO[row.who] ?? "them", spots };
    this.#found.set(n, candidate);
    return candidate;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

/** A term as it was typed, or what may stand for it. */
function somehow({ typed, others }: Term): Expression {
  return anyOf([typed, ...others.map(({ term }) => token(term))]);
}

/** The `most` numbers of the most weight, and of `least` at least; the newest of equal ones. */
function heaviest(weights: ReadonlyMap<number, number>, most: number, least: number): readonly number[] {
  const best: { readonly n: number; readonly weight: number }[] = [];
  for (const [n, weight] of weights) {
    const last = best.at(-1);
    const isFull = best.length === most;
    if (weight < least) continue;
    if (isFull && last !== undefined && (weight < last.weight || (weight === last.weight && n < last.n))) continue;
    let [from, to] = [0, best.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = best[middle];
      const isBehind = other !== undefined && (other.weight > weight || (other.weight === weight && other.n > n));
      if (isBehind) from = middle + 1;
      else to = middle;
    }
    best.splice(from, 0, { n, weight });
    if (isFull) best.pop();
  }
  return best.map(({ n }) => n);
}
