// Made-up chats in twelve languages, the same from the same seed, as many as wanted without holding them; and questions about them
// whose answers are known.
import { LANGUAGES, type Language } from "./search-languages.ts";

/** Something that somebody says in one of the chats. `n` counts from 0, `at` grows, `language` indexes LANGUAGES. */
export type Said = {
  readonly n: number;
  readonly chat: number;
  readonly who: "you" | "assistant" | "them";
  readonly at: number;
  readonly language: number;
  readonly text: string;
};

/** What is looked for, and the message that is meant. `misspelt`: the same with its rarest word spelt wrong, where words stand apart. */
export type KnownItem = {
  readonly n: number;
  readonly chat: number;
  readonly query: string;
  readonly misspelt: string | undefined;
};

/** Kinds of queries, each with its examples. */
export type QueryClass = { readonly name: string; readonly queries: readonly string[] };

export type Questions = { readonly classes: readonly QueryClass[]; readonly items: readonly KnownItem[] };

export const CHATS = 2_000;

const START_AT = Date.UTC(2023, 0, 2);
const SPAN_MS = 3 * 365 * 86_400_000;
/** Chats that go on side by side. */
const OPEN_CHATS = 60;
const TYPO_SHARE = 0.02;
const ENGLISH_SHARE = 0.1;
const TOPIC_SHARE = 0.06;
const CODE_SHARE = 0.004;
/** The logarithm of a message's bytes is spread like a bell; these give 75 on average. */
const LOG_BYTES = 3.91;
const LOG_SPREAD = 0.8;
const MOST_BYTES = 2_000;

/** Numbers from 0 to 1 (never 1), the same from the same seed. */
export type Dice = () => number;

export function dice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The words of a language to draw from, often used ones more often. */
type Stock = {
  readonly words: readonly string[];
  readonly bytes: readonly number[];
  readonly unspaced: boolean;
  readonly draw: (roll: Dice) => number;
};

/** All that is said, in order. */
export function* chatter(messages: number, seed = 1): Generator<Said, void, undefined> {
  const roll = dice(seed);
  const stocks = LANGUAGES.map((language, nth) => stockOf(language, dice(1000 + nth)));
  const topics = Array.from({ length: CHATS }, (_, chat) => topicsOf(stocks[chat % LANGUAGES.length], roll));
  let chat = 0;
  for (let n = 0; n < messages; n += 1) {
    // People stay in a chat for a few messages; later chats come later.
    if (n === 0 || roll() < 0.15) {
      const newest = Math.floor((n / messages) * (CHATS + OPEN_CHATS));
      chat = Math.min(CHATS - 1, Math.max(0, newest - Math.floor(roll() * OPEN_CHATS)));
    }
    const own = chat % LANGUAGES.length;
    const language = roll() < ENGLISH_SHARE ? 0 : own;
    const stock = stocks[language];
    if (stock === undefined) return;
    const text = sentence(stock, language === own ? (topics[chat] ?? []) : [], roll);
    yield { n, chat, who: speaker(chat, roll()), at: START_AT + Math.floor((n / messages) * SPAN_MS), language, text };
  }
}

function speaker(chat: number, rolled: number): Said["who"] {
  // Every fifth chat has somebody else in it.
  if (chat % 5 === 0 && rolled < 0.3) return "them";
  return rolled < 0.65 ? "you" : "assistant";
}

function sentence(stock: Stock, topics: readonly number[], roll: Dice): string {
  // Three rolls added up are bell enough.
  const bell = (roll() + roll() + roll() - 1.5) * 2;
  const wanted = Math.min(MOST_BYTES, Math.exp(LOG_BYTES + LOG_SPREAD * bell));
  const { words, bytes, unspaced } = stock;
  let text = "";
  let size = 0;
  do {
    const nth = topics.length > 0 && roll() < TOPIC_SHARE ? pick(topics, roll) : stock.draw(roll);
    const word = words[nth] ?? "";
    const spelt = !unspaced && roll() < TYPO_SHARE ? misspell(word, stock, roll) : word;
    text += text === "" || (unspaced && roll() > 0.12) ? spelt : ` ${spelt}`;
    size += (bytes[nth] ?? 0) + (unspaced ? 0 : 1);
  } while (size < wanted);
  if (roll() < CODE_SHARE) text += ` INV-${2020 + Math.floor(roll() * 6)}-${Math.floor(roll() * 10_000)}`;
  const end = roll();
  if (end < 0.1) return `${text}?`;
  return end < 0.35 ? `${text}.` : text;
}

function topicsOf(stock: Stock | undefined, roll: Dice): readonly number[] {
  const count = stock?.words.length ?? 0;
  return Array.from({ length: 15 }, () => 60 + Math.floor(roll() ** 2 * (count - 60)));
}

const stocked = new Map<string, Stock>();

function stockOf(language: Language, roll: Dice): Stock {
  const known = stocked.get(language.name);
  if (known !== undefined) return known;
  const words = new Set(split(language.common));
  const { formed } = language;
  const next =
    formed.by === "syllables"
      ? bySyllables(formed, roll, language.words)
      : formed.by === "roots"
        ? byRoots(formed, roll)
        : byCharacters(formed, roll);
  for (let tries = 0; words.size < language.words && tries < 20 * language.words; tries += 1) words.add(next());
  const list = [...words];
  const stock = {
    words: list,
    bytes: list.map((word) => Buffer.byteLength(word)),
    unspaced: language.unspaced ?? false,
    draw: zipf(list.length),
  };
  stocked.set(language.name, stock);
  return stock;
}

/** First every stem with one ending, then with another, and so on: common forms and rare ones. */
function bySyllables(
  formed: Extract<Language["formed"], { by: "syllables" }>,
  roll: Dice,
  words: number,
): () => string {
  const [onsets, vowels, codas, endings] = [formed.onsets, formed.vowels, formed.codas, formed.endings].map(parts);
  const syllable = (): string => pick(onsets ?? [], roll) + pick(vowels ?? [], roll) + pick(codas ?? [], roll);
  const stems = Array.from({ length: Math.ceil(words / 4) }, () => {
    const stem = syllable() + syllable();
    return roll() < 0.15 ? stem + syllable() : stem;
  });
  let nth = 0;
  return () => (stems[nth++ % stems.length] ?? "") + pick(endings ?? [], roll);
}

function byRoots(formed: Extract<Language["formed"], { by: "roots" }>, roll: Dice): () => string {
  const [consonants, patterns] = [parts(formed.consonants), parts(formed.patterns)];
  const roots = Array.from({ length: 2_500 }, () => [
    pick(consonants, roll),
    pick(consonants, roll),
    pick(consonants, roll),
  ]);
  let nth = 0;
  return () => {
    const root = roots[nth++ % roots.length] ?? [];
    return pick(patterns, roll).replaceAll(/[123]/gu, (digit) => root[Number(digit) - 1] ?? "");
  };
}

function byCharacters(formed: Extract<Language["formed"], { by: "characters" }>, roll: Dice): () => string {
  const characters = Array.from(formed.characters);
  return () => {
    const length = 2 + Math.floor(roll() ** 3 * (formed.longest - 1));
    return Array.from({ length }, () => characters[Math.floor(roll() ** 3 * characters.length)] ?? "").join("");
  };
}

/** Draws 0 most, 1 less, and so on, as words are used; in constant time (two tables after Walker and Vose). */
function zipf(count: number): (roll: Dice) => number {
  const weights = Array.from({ length: count }, (_, rank) => 1 / (rank + 2.7) ** 1.02);
  const sum = weights.reduce((one, other) => one + other, 0);
  const share = Float64Array.from(weights, (weight) => (weight / sum) * count);
  const other = new Int32Array(count);
  const small: number[] = [];
  const large: number[] = [];
  for (let nth = 0; nth < count; nth += 1) ((share[nth] ?? 0) < 1 ? small : large).push(nth);
  while (small.length > 0 && large.length > 0) {
    const [low, high] = [small.pop() ?? 0, large.at(-1) ?? 0];
    other[low] = high;
    const left = (share[high] ?? 0) - (1 - (share[low] ?? 0));
    share[high] = left;
    if (left < 1) small.push(large.pop() ?? 0);
  }
  for (const nth of [...small, ...large]) share[nth] = 1;
  return (roll) => {
    const at = roll() * count;
    const nth = Math.floor(at);
    return at - nth < (share[nth] ?? 1) ? nth : (other[nth] ?? nth);
  };
}

/** One slip of the finger, never in the first letter: two letters swapped, one left out, doubled, or another instead. */
function misspell(word: string, stock: Pick<Stock, "words">, roll: Dice): string {
  if (word.length < 4) return word;
  const at = 1 + Math.floor(roll() * (word.length - 2));
  const [one, two] = [word[at] ?? "", word[at + 1] ?? ""];
  const kind = roll();
  if (kind < 0.3 && one !== two) return word.slice(0, at) + two + one + word.slice(at + 2);
  if (kind < 0.55) return word.slice(0, at) + word.slice(at + 1);
  if (kind < 0.7) return word.slice(0, at) + one + word.slice(at);
  const donor = pick(stock.words, roll);
  const letter = donor[Math.floor(roll() * donor.length)] ?? one;
  return word.slice(0, at) + letter + word.slice(at + (kind < 0.85 ? 1 : 0));
}

/** How many of each kind of query. */
const EACH = 150;
const ITEMS = 1_000;

/** Questions about the first `messages`: those of each class, and `items` known items. Goes over the chats twice. */
export function questionsAbout(messages: number, seed = 1): Questions {
  const roll = dice(seed + 7);
  const counts = new Map<string, number>();
  for (const { text, language } of chatter(messages, seed)) {
    if (LANGUAGES[language]?.unspaced === true) continue;
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const df = (word: string): number => counts.get(word) ?? 0;
  const stocks = LANGUAGES.map((language, nth) => stockOf(language, dice(1000 + nth)));
  /** A form that nobody uses; undefined when ten slips gave none. */
  const wrong = (word: string, language: number, slips: number): string | undefined => {
    const stock = stocks[language] ?? { words: [word] };
    for (let tries = 0; tries < 10; tries += 1) {
      let spelt = word;
      for (let slip = 0; slip < slips; slip += 1) spelt = misspell(spelt, stock, roll);
      if (df(spelt) <= 2 && spelt !== word) return spelt;
    }
    return undefined;
  };

  const classes = new Map<string, string[]>();
  const add = (name: string, query: string | undefined): void => {
    const queries = classes.get(name) ?? [];
    classes.set(name, queries);
    if (query !== undefined) queries.push(query);
  };
  for (const language of LANGUAGES) {
    if (language.unspaced === true || language.name === "Korean") continue;
    const common = split(language.common).map((word) => word.toLowerCase());
    for (const [nth, word] of common.slice(0, 30).entries()) {
      if (word.length > 1) add("one common word", word);
      add("two common words", `${common[nth] ?? ""} ${common[nth + 7] ?? ""}`);
    }
  }
  const items: KnownItem[] = [];
  // Messages apart from each other, all over the time.
  const stride = Math.max(1, Math.floor(messages / (4 * ITEMS)));
  for (const said of chatter(messages, seed)) {
    if (said.n % stride !== 0) continue;
    ask(said);
  }
  return {
    classes: [...classes].map(([name, queries]) => ({ name, queries: some([...new Set(queries)], EACH, roll) })),
    items: some(items, ITEMS, roll),
  };

  function ask(said: Said): void {
    const { text, language, n, chat } = said;
    const { name = "", unspaced = false } = LANGUAGES[language] ?? {};
    const spelt = name !== "Korean";
    if (unspaced || !spelt) {
      const runs = text.split(/[^\p{L}\p{M}\p{N}]+/u).toSorted((one, other) => other.length - one.length);
      const from = (length: number, run: string = runs[0] ?? ""): string | undefined => {
        const units = Array.from(run);
        const at = Math.floor(roll() * (units.length - length + 1));
        return units.length < length ? undefined : units.slice(at, at + length).join("");
      };
      if (name === "Thai") add("Thai, five characters", from(5));
      else for (const length of [1, 2, 3]) add(`${length} Chinese, Japanese or Korean`, from(length));
      const [one, two] = [from(name === "Thai" ? 9 : 5), from(3, runs[1])];
      if (unspaced && one !== undefined) {
        items.push({ n, chat, query: two === undefined ? one : `${one} ${two}`, misspelt: undefined });
      }
      if (unspaced) return;
    }
    const words = [...new Set(wordsOf(text))].filter((word) => /^\P{N}{2,}$/u.test(word));
    const byRarity = words.toSorted((one, other) => df(one) - df(other));
    const anyOther = (than: string): string =>
      pick(
        words.filter((word) => word !== than),
        roll,
      );
    const rarest = byRarity.find((word) => word.length >= (spelt ? 5 : 3));
    if (rarest === undefined || words.length < 4) return;
    const rare = byRarity.find((word) => df(word) >= 3);
    if (rare !== undefined && df(rare) <= 20) add("rare word", rare);
    if (/^\p{Script=Latin}+$/u.test(rarest)) add("two letters", rarest.slice(0, 2));
    add(
      "three words",
      words
        .toSorted((one, other) => other.length - one.length)
        .slice(0, 3)
        .join(" "),
    );
    const middling = byRarity.find((word) => spelt && df(word) >= 5 && word.length >= 4 && word.length <= 7);
    if (middling !== undefined) add("one typo", wrong(middling, language, 1));
    const long = byRarity.find((word) => spelt && df(word) >= 5 && word.length >= 9);
    const spoilt = long === undefined ? undefined : wrong(long, language, 2);
    if (spoilt !== undefined && spoilt.length >= 8) add("two typos", spoilt);
    const misspelt = spelt ? wrong(rarest, language, 1) : undefined;
    const other = anyOther(rarest);
    if (misspelt !== undefined) add("misspelt word and another", `${misspelt} ${other}`);
    if (df(rarest) < 2) return;
    const third = roll() < 0.5 ? anyOther(rarest) : other;
    const rest = third === other ? [other] : [other, third];
    items.push({
      n,
      chat,
      query: [rarest, ...rest].join(" "),
      misspelt: misspelt === undefined ? undefined : [misspelt, ...rest].join(" "),
    });
  }
}

/** Words of a text in a language that keeps them apart. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function split(list: string): readonly string[] {
  return list.split(" ");
}

function parts(list: string): readonly string[] {
  return split(list).map((part) => (part === "-" ? "" : part));
}

/** `count` of them, drawn without putting back. */
function some<T>(list: readonly T[], count: number, roll: Dice): readonly T[] {
  const left = [...list];
  for (let nth = 0; nth < Math.min(count, left.length); nth += 1) {
    const at = nth + Math.floor(roll() * (left.length - nth));
    const [one, other] = [left[nth] as T, left[at] as T];
    left[nth] = other;
    left[at] = one;
  }
  return left.slice(0, count);
}

function pick<T>(list: readonly T[], roll: Dice): T {
  return list[Math.floor(roll() * list.length)] as T;
}
