// The words of the index in memory, packed, to find those that are spelt nearly like a given one. Reading through 200,000 of them
// takes about half a millisecond: most are passed over by their length and by which letters they have.
import type { Clock } from "../core/surroundings.ts";
import type { Database } from "../store/database.ts";

/** A word of the index and how many letters away from the asked one it is; two neighbouring letters swapped count as one. */
export type Neighbour = { readonly term: string; readonly distance: 1 | 2; readonly df: number };

/** The most neighbours given. */
const MOST_NEIGHBOURS = 8;
const MOST_LOOKED_AT = 24;
/** Shorter words are too near to too many; longer ones are keys and addresses, which nobody types. */
const SHORTEST = 3;
const LONGEST = 24;
/** From this many letters on, two may be wrong. */
const TWO_WRONG_FROM = 8;
const TWO_WRONG_AT_NEED = 6;
const ONE_WRONG_FROM = 4;
/** What a log made of random words may take: some 20 MB. The words met later aren't corrected to. */
const MOST_WORDS = 500_000;

/** A word of a script with spaces, without digits: what people misspell. */
const SPELLABLE =
  /^(?!.*[\p{N}\p{Extended_Pictographic}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}])/u;

/**
 * The words of the index with how many passages hold each. About 40 bytes a word: 8 MB at 200,000. A word that nothing holds any more
 * is never given, but its letters stay in memory until the vocabulary is loaded anew.
 */
export class Vocabulary {
  #size = 0;
  /** Where each word's letters start in `letters`; one more for the end of the last. */
  #starts: Uint32Array = new Uint32Array(1_025);
  #letters: Uint16Array = new Uint16Array(8_192);
  /** Which letters each word has, one bit for those with the same last five bits. */
  #masks: Uint32Array = new Uint32Array(1_024);
  #counts: Uint32Array = new Uint32Array(1_024);
  /** A hash table of places + 1; 0 is free. Twice as long as there is room for words. */
  #table: Int32Array = new Int32Array(2_048);

  /** Takes in that `change` more passages hold `term`, or fewer. What nobody misspells (numbers, pairs of characters) is passed over. */
  count(term: string, change: number): void {
    if (term.length < SHORTEST || term.length > LONGEST || !SPELLABLE.test(term)) return;
    const place = this.#placeOf(term) ?? this.#add(term);
    if (place === undefined) return;
    this.#counts[place] = Math.max(0, (this.#counts[place] ?? 0) + change);
  }

  /** How many passages hold `term`; 0 for one that isn't kept here. */
  df(term: string): number {
    const place = this.#placeOf(term);
    return place === undefined ? 0 : (this.#counts[place] ?? 0);
  }

  /**
   * At most 8 words spelt nearly like `word`, never itself: one letter wrong from 4 letters on, two from 8, or from 6 when nothing is
   * nearer and the first letter is right. The nearest first, then those that more passages hold, then by spelling.
   */
  near(word: string, seen: (term: string, df: number) => number = (_, df) => df): readonly Neighbour[] {
    const [letters, most] = [word.length, wrongLetters(word.length)];
    if (most === 0 || letters > LONGEST) return [];
    const near = this.#within(word, most, false, seen);
    return near.length === 0 && most === 1 && letters >= TWO_WRONG_AT_NEED ? this.#within(word, 2, true, seen) : near;
  }

  /** `alike`: only those that start with the same letter. */
  #within(word: string, most: 1 | 2, alike: boolean, seen: (term: string, df: number) => number): readonly Neighbour[] {
    const asked = Uint16Array.from({ length: word.length }, (_, at) => word.charCodeAt(at));
    const mask = maskOf(asked);
    const found: { place: number; distance: 1 | 2; df: number }[] = [];
    for (let place = 0; place < this.#size; place += 1) {
      // A wrong letter takes away at most one letter of the word and brings at most one in.
      const other = this.#masks[place] ?? 0;
      if (bits(mask & ~other) > most || bits(other & ~mask) > most) continue;
      const start = this.#starts[place] ?? 0;
      const length = (this.#starts[place + 1] ?? 0) - start;
      const df = this.#counts[place] ?? 0;
      if (df === 0 || Math.abs(length - asked.length) > most) continue;
      if (alike && this.#letters[start] !== asked[0]) continue;
      const distance = editDistance(asked, this.#letters.subarray(start, start + length), most);
      if (distance <= most && (distance === 1 || distance === 2)) found.push({ place, distance, df });
    }
    // Only those that may be among the first are spelt out.
    found.sort((one, other) => one.distance - other.distance || other.df - one.df || one.place - other.place);
    const last = found[MOST_LOOKED_AT - 1];
    const kept = found.filter(
      ({ distance, df }) =>
        last === undefined || distance < last.distance || (distance === last.distance && df >= last.df),
    );
    return kept
      .map(({ place, distance, df }) => {
        const term = this.#termAt(place);
        return { term, distance, df: seen(term, df) };
      })
      .filter(({ df }) => df > 0)
      .toSorted((one, other) => one.distance - other.distance || other.df - one.df || (one.term < other.term ? -1 : 1))
      .slice(0, MOST_NEIGHBOURS);
  }

  #termAt(place: number): string {
    return String.fromCharCode(...this.#letters.subarray(this.#starts[place], this.#starts[place + 1]));
  }

  #placeOf(term: string): number | undefined {
    const among = this.#table.length - 1;
    for (let slot = hashOfTerm(term) & among; ; slot = (slot + 1) & among) {
      const place = (this.#table[slot] ?? 0) - 1;
      if (place === -1) return undefined;
      if (this.#isAt(place, term)) return place;
    }
  }

  #isAt(place: number, term: string): boolean {
    const start = this.#starts[place] ?? 0;
    if ((this.#starts[place + 1] ?? 0) - start !== term.length) return false;
    for (let at = 0; at < term.length; at += 1) if (this.#letters[start + at] !== term.charCodeAt(at)) return false;
    return true;
  }

  #add(term: string): number | undefined {
    if (this.#size >= MOST_WORDS) return undefined;
    if (this.#size === this.#masks.length) this.#grow();
    const place = this.#size;
    const start = this.#starts[place] ?? 0;
    if (start + term.length > this.#letters.length)
      this.#letters = longer(this.#letters, new Uint16Array(2 * this.#letters.length));
    for (let at = 0; at < term.length; at += 1) this.#letters[start + at] = term.charCodeAt(at);
    this.#starts[place + 1] = start + term.length;
    this.#masks[place] = maskOf(this.#letters.subarray(start, start + term.length));
    this.#size += 1;
    this.#enter(place);
    return place;
  }

  #grow(): void {
    const room = this.#masks.length * 2;
    this.#starts = longer(this.#starts, new Uint32Array(room + 1));
    this.#masks = longer(this.#masks, new Uint32Array(room));
    this.#counts = longer(this.#counts, new Uint32Array(room));
    this.#table = new Int32Array(room * 2);
    for (let place = 0; place < this.#size; place += 1) this.#enter(place);
  }

  #enter(place: number): void {
    const among = this.#table.length - 1;
    // By the letters as they lie here: a string of each would take tens of milliseconds when the table grows.
    let slot = hashOf(this.#letters, this.#starts[place] ?? 0, this.#starts[place + 1] ?? 0) & among;
    while (this.#table[slot] !== 0) slot = (slot + 1) & among;
    this.#table[slot] = place + 1;
  }
}

const HASH_SEED = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** How many words are read between two chances for others to run: some 2 ms. */
const SLICE = 500;

/** The words of the index's `term` table. Reads in slices with `clock.soon` between them, so nothing may change the table meanwhile. */
export async function loadVocabulary(database: Database, clock: Pick<Clock, "soon">): Promise<Vocabulary> {
  const vocabulary = new Vocabulary();
  for (let after = ""; ;) {
    const rows = database.all(
      "SELECT term, df FROM term WHERE term > ? ORDER BY term LIMIT ?",
      after,
      SLICE,
    ) as readonly { readonly term: string; readonly df: number }[];
    for (const { term, df } of rows) vocabulary.count(term, df);
    const last = rows.at(-1);
    if (last === undefined) return vocabulary;
    after = last.term;
    await new Promise<void>((resolve) => clock.soon(resolve));
  }
}

function longer<T extends Uint16Array | Uint32Array>(packed: T, grown: T): T {
  grown.set(packed);
  return grown;
}

function wrongLetters(length: number): 0 | 1 | 2 {
  if (length >= TWO_WRONG_FROM) return 2;
  return length >= ONE_WRONG_FROM ? 1 : 0;
}

function hashOf(letters: Uint16Array, from: number, to: number): number {
  let hash = HASH_SEED;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (letters[at] ?? 0), HASH_FACTOR);
  return hash ^ (hash >>> 15);
}

/** The same for letters that do not lie here yet. */
function hashOfTerm(term: string): number {
  let hash = HASH_SEED;
  for (let at = 0; at < term.length; at += 1) hash = Math.imul(hash ^ term.charCodeAt(at), HASH_FACTOR);
  return hash ^ (hash >>> 15);
}

function maskOf(letters: Uint16Array): number {
  let mask = 0;
  for (const letter of letters) mask |= 1 << (letter & 31);
  return mask >>> 0;
}

/** How many bits are set. */
function bits(mask: number): number {
  let left = mask - ((mask >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

const ROWS = [0, 1, 2].map(() => new Uint8Array(LONGEST + 3));

/**
 * How many letters must be left out, put in, changed or swapped with their neighbour to make one word of the other (no letter twice);
 * more than `most` when it is more. Both are at most 24 letters.
 */
function editDistance(one: Uint16Array, other: Uint16Array, most: number): number {
  let [before = new Uint8Array(0), last = before, row = before] = ROWS;
  for (let at = 0; at <= other.length; at += 1) last[at] = at;
  for (let down = 1; down <= one.length; down += 1) {
    let least = down;
    row[0] = down;
    // Farther from the diagonal than `most` costs more than `most`.
    const from = Math.max(1, down - most);
    const to = Math.min(other.length, down + most);
    if (from > 1) row[from - 1] = most + 1;
    for (let at = from; at <= to; at += 1) {
      const same = one[down - 1] === other[at - 1];
      let cost = (last[at - 1] ?? 0) + (same ? 0 : 1);
      const above = at === down + most ? most + 1 : (last[at] ?? 0) + 1;
      cost = Math.min(cost, above, (row[at - 1] ?? 0) + 1);
      const isSwap = down > 1 && at > 1 && one[down - 1] === other[at - 2] && one[down - 2] === other[at - 1];
      if (isSwap) cost = Math.min(cost, (before[at - 2] ?? 0) + 1);
      row[at] = cost;
      if (cost < least) least = cost;
    }
    if (least > most) return most + 1;
    [before, last, row] = [last, row, before];
  }
  return last[other.length] ?? most + 1;
}
