// Cutting a text down to what was found in it: pure.
import { clipUnits, graphemes, graphemeStart } from "../core/text.ts";
import type { Range } from "./port.ts";

/** A cut text on one line, and what of it is lit. */
export type Snippet = { readonly text: string; readonly lit: readonly Range[] };

const CUT = "…";
/** How far a cut is moved to fall between two words. */
const MAX_WORD_CHARS = 24;
/** More than these say nothing about where to cut. */
const MAX_LIT = 64;

/**
 * At most `maxChars` units of `text` on one line, cut between graphemes (between words where there are some) around the stretch that
 * holds the most different words of `lit`. "…" stands where something is left out. `lit` is in order, and so is what is given back.
 */
export function snippetOf(text: string, lit: readonly Range[], maxChars: number): Snippet {
  const flat = flatten(text);
  const ranges = follow(text, flat, lit, flatten);
  // White space at the ends is left out, unless marks are drawn on it.
  const low = flat.startsWith(" ") && graphemeEnd(flat, 1) === 1 ? 1 : 0;
  const high = flat.endsWith(" ") ? Math.max(low, flat.length - 1) : flat.length;
  if (high - low <= maxChars) return cutOut(flat, ranges, { start: low, end: high }, { low, high });
  const room = Math.max(1, maxChars - 2 * CUT.length);
  const shown = densest(flat, ranges, room) ?? { start: low, end: low };
  return cutOut(flat, ranges, widened(flat, shown, { low, high }, room), { low, high });
}

/**
 * Where ranges of a text are in `changed`, which `change` made of it by taking away or replacing short stretches: as far in as what
 * stands before them is long after the change.
 */
export function follow(
  text: string,
  changed: string,
  ranges: readonly Range[],
  change: (text: string) => string,
): readonly Range[] {
  if (changed === text) return ranges;
  const moved = (at: number): number => Math.min(change(text.slice(0, at)).length, changed.length);
  return ranges
    .slice(0, MAX_LIT)
    .map(({ start, end }) => ({ start: moved(start), end: moved(end) }))
    .filter(({ start, end }) => start < end);
}

function flatten(text: string): string {
  return text.replaceAll(/\s+/gu, " ");
}

/** The stretch of at most `room` units that begins with a lit word and holds the most different ones; the first of equals. */
export function densest(flat: string, lit: readonly Range[], room: number): Range | undefined {
  let best: Range | undefined;
  let most = 0;
  for (const [index, first] of lit.slice(0, MAX_LIT).entries()) {
    const words = new Set<string>();
    let { end } = first;
    for (const one of lit.slice(index, index + MAX_LIT)) {
      if (one.end - first.start > room) break;
      words.add(flat.slice(one.start, one.end).toLowerCase());
      end = Math.max(end, one.end);
    }
    best ??= first;
    if (words.size <= most) continue;
    most = words.size;
    best = { start: first.start, end };
  }
  return best;
}

/** As much around a stretch as there is room for, as much before it as after. */
function widened(
  flat: string,
  shown: Range,
  { low, high }: { readonly low: number; readonly high: number },
  room: number,
): Range {
  const from = graphemeStart(flat, shown.start);
  const to = graphemeEnd(flat, shown.end);
  // A single word, or a character with hundreds of marks, may be longer than a snippet.
  if (to - from > room) return { start: from, end: from + clipUnits(flat.slice(from), room).length };
  const before = Math.max(low, from - Math.floor((room - (to - from)) / 2));
  const end = Math.min(high, before + room);
  const start = Math.max(low, end - room);
  return {
    start: start === low ? low : cutBefore(flat, start, from),
    end: end === high ? high : cutAfter(flat, end, to),
  };
}

/** The first good place for a cut at or after `at`, and not after `from`. */
function cutBefore(flat: string, at: number, from: number): number {
  const space = flat.indexOf(" ", at - 1);
  const between = space !== -1 && space < from && space - at < MAX_WORD_CHARS ? space + 1 : at;
  return Math.min(from, graphemeEnd(flat, between));
}

/** The last good place for a cut at or before `at`, and not before `to`. */
function cutAfter(flat: string, at: number, to: number): number {
  const space = flat.lastIndexOf(" ", at);
  return Math.max(to, graphemeStart(flat, space >= to && at - space < MAX_WORD_CHARS ? space : at));
}

/** The smallest grapheme boundary at or after `at`. */
function graphemeEnd(text: string, at: number): number {
  const start = graphemeStart(text, at);
  if (start >= at) return start;
  for (const grapheme of graphemes(text.slice(start))) return start + grapheme.length;
  return text.length;
}

function cutOut(
  flat: string,
  lit: readonly Range[],
  { start, end }: Range,
  { low, high }: { readonly low: number; readonly high: number },
): Snippet {
  const lead = start > low ? CUT : "";
  const text = lead + flat.slice(start, end) + (end < high ? CUT : "");
  const moved = (at: number): number => Math.min(Math.max(at, start), end) - start + lead.length;
  return {
    text,
    lit: lit.map((one) => ({ start: moved(one.start), end: moved(one.end) })).filter((one) => one.start < one.end),
  };
}
