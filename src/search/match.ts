// What of a text answers a query: which of the asked things stand in it, how well, and where. The posting list only says which passages
// may; this reads them.
import { graphemeStart } from "../core/text.ts";
import type { Asked, Phrase } from "./asked.ts";
import type { Range } from "./port.ts";
import { compoundsOf, piecesOf, type Piece } from "./words.ts";

/** A token that may stand for what was asked: another form, a near spelling, a longer word. `quality`: from 0 to 1. */
export type Other = { readonly term: string; readonly quality: number };

/** Something asked for, with what may stand for it. */
export type Wanted = { readonly asked: Asked; readonly others: readonly Other[] };

/** Where one of the wanted things stands. `first`, `last`: among the text's pieces; `start`, `end`: in UTF-16 units. */
export type Spot = {
  readonly wanted: number;
  readonly quality: number;
  readonly first: number;
  readonly last: number;
  readonly start: number;
  readonly end: number;
};

/** Finds the spots of a text, in no order; undefined when a quoted phrase does not stand in it. */
export type Matcher = (text: string) => readonly Spot[] | undefined;

/** A word joined where the query parts it, or the other way round: as good as the word itself, but not as it was typed. */
const JOINED = 0.95;
/** The most that a part of a run is worth, and the smallest share of its pairs that is worth anything. */
const PART_OF_RUN = 0.6;
const SMALLEST_SHARE = 0.5;

/** Makes the matcher of a query. */
export function matcherFor(wanted: readonly Wanted[], phrases: readonly Phrase[]): Matcher {
  const byWord = new Map<string, { readonly wanted: number; readonly quality: number }[]>();
  const enter = (word: string, nth: number, quality: number): void => {
    const known = byWord.get(word);
    if (known === undefined) byWord.set(word, [{ wanted: nth, quality }]);
    else known.push({ wanted: nth, quality });
  };
  const runs: { readonly nth: number; readonly asked: Asked }[] = [];
  const compounds: { readonly nth: number; readonly asked: Asked }[] = [];
  for (const [nth, { asked, others }] of wanted.entries()) {
    if (asked.kind === "run") runs.push({ nth, asked });
    else enter(asked.text, nth, asked.kind === "compound" ? JOINED : 1);
    if (asked.kind === "compound") compounds.push({ nth, asked });
    for (const { term, quality } of others) enter(term, nth, quality);
  }

  return (text) => {
    const pieces = piecesOf(text);
    if (!phrases.every((phrase) => stands(phrase, pieces))) return undefined;
    const spots: Spot[] = [];
    let isGlued = false;
    for (const [at, piece] of pieces.entries()) {
      if (piece.kind === "run") continue;
      isGlued ||= piece.glued;
      for (const { wanted: nth, quality } of byWord.get(piece.text) ?? []) {
        spots.push({ wanted: nth, quality, first: at, last: at, start: piece.start, end: piece.end });
      }
    }
    for (const { text: word, from, to } of isGlued ? compoundsOf(pieces) : []) {
      for (const { wanted: nth, quality } of byWord.get(word) ?? []) {
        spots.push({ wanted: nth, quality: quality * JOINED, ...span(pieces, from, to) });
      }
    }
    for (const { nth, asked } of compounds) {
      for (const at of pieces.keys()) {
        if (!asked.parts.every((part, further) => pieces[at + further]?.text === part)) continue;
        spots.push({ wanted: nth, quality: 1, ...span(pieces, at, at + asked.parts.length) });
      }
    }
    for (const { nth, asked } of runs) spots.push(...runSpots(nth, asked, pieces));
    return spots;
  };
}

/**
 * The spots' ranges in order, joined where they touch, and widened to where a reader sees characters end. Of a word within a worse one
 * (the "istanbul" of "istanbul'da"), only the better.
 */
export function litRanges(text: string, spots: readonly Spot[]): readonly Range[] {
  const covers = (better: Spot, spot: Spot): boolean =>
    better.quality > spot.quality && better.start < spot.end && spot.start < better.end;
  const lit: Range[] = [];
  // No spot is longer than a compound: those that overlap stand near each other in this order.
  const ordered = spots.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const longest = spots.reduce((most, one) => Math.max(most, one.end - one.start), 0);
  const isCovered = (spot: Spot, at: number): boolean => {
    for (let nth = at - 1; nth >= 0; nth -= 1) {
      const other = ordered[nth];
      if (other === undefined || other.start + longest <= spot.start) break;
      if (covers(other, spot)) return true;
    }
    for (let nth = at + 1; nth < ordered.length; nth += 1) {
      const other = ordered[nth];
      if (other === undefined || other.start >= spot.end) break;
      if (covers(other, spot)) return true;
    }
    return false;
  };
  for (const spot of ordered.filter((one, at) => !isCovered(one, at))) {
    const start = graphemeStart(text, spot.start);
    const end = graphemeEnd(text, spot.end);
    const before = lit.at(-1);
    if (before !== undefined && start <= before.end) {
      lit[lit.length - 1] = { start: before.start, end: Math.max(end, before.end) };
    } else {
      lit.push({ start, end });
    }
  }
  return lit;
}

/** The smallest grapheme boundary at or after the unit `at`. */
function graphemeEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && graphemeStart(text, end) !== end) end += 1;
  return end;
}

function span(pieces: readonly Piece[], from: number, to: number): Omit<Spot, "wanted" | "quality"> {
  const [first, last] = [pieces[from], pieces[to - 1]];
  return { first: from, last: to - 1, start: first?.start ?? 0, end: last?.end ?? 0 };
}

/** The whole run wherever it stands; else, of a run of three characters or more, those of its pairs that stand somewhere. */
function runSpots(nth: number, asked: Asked, pieces: readonly Piece[]): readonly Spot[] {
  const whole = pieces.flatMap((piece, at) => spotsIn(piece, at, asked.text, nth, 1));
  if (whole.length > 0 || asked.parts.length < 2) return whole;
  const parts = asked.parts.map((pair) => pieces.flatMap((piece, at) => spotsIn(piece, at, pair, nth, 0)));
  const share = parts.filter((spots) => spots.length > 0).length / parts.length;
  if (share < SMALLEST_SHARE) return [];
  return parts.flat().map((spot) => ({ ...spot, quality: PART_OF_RUN * share }));
}

function spotsIn(piece: Piece, at: number, run: string, nth: number, quality: number): readonly Spot[] {
  const { offsets } = piece;
  if (offsets === undefined) return [];
  const spots: Spot[] = [];
  for (let from = piece.text.indexOf(run); from >= 0; from = piece.text.indexOf(run, from + run.length)) {
    const start = offsets[from] ?? piece.start;
    const end = offsets[from + run.length] ?? piece.end;
    spots.push({ wanted: nth, quality, first: at, last: at, start, end: Math.max(end, start + 1) });
  }
  return spots;
}

/** Whether the phrase's pieces follow each other in the text: words whole, runs as far as the phrase has them. */
function stands(phrase: Phrase, pieces: readonly Piece[]): boolean {
  const isPart = (nth: number, piece: Piece | undefined): boolean => {
    const asked = phrase[nth];
    if (asked === undefined || piece === undefined || asked.kind !== piece.kind) return false;
    if (asked.kind !== "run") return piece.text === asked.text;
    if (phrase.length === 1) return piece.text.includes(asked.text);
    if (nth === 0) return piece.text.endsWith(asked.text);
    return nth === phrase.length - 1 ? piece.text.startsWith(asked.text) : piece.text === asked.text;
  };
  return pieces.some((_, from) => phrase.every((_part, nth) => isPart(nth, pieces[from + nth])));
}
