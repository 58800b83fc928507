// What may stand for a word that was asked for: a near spelling, another form, a longer word that starts with it, or two words as one.
import type { Asked } from "./asked.ts";
import type { Other } from "./match.ts";
import type { Retrieval } from "./retrieval.ts";
import type { Vocabulary } from "./spelling.ts";
import { wordForms } from "./stems.ts";

/** How much each is worth beside the word itself, which is 1. */
const FORM = 0.85;
const JOINED = 0.8;
const ONE_WRONG = 0.6;
const TWO_WRONG = 0.45;
const LONGER = 0.5;

/** A word that so many passages hold may be misspelt. */
const RARE = 2;
/** One that no more hold is corrected only to a word that many more do. */
const UNUSUAL = 40;
const MANY_MORE = 8;
/** How many words of a query are corrected: each takes a look through the vocabulary. */
const MOST_CORRECTED = 3;

/** For one that more passages hold, nothing else is taken: it would bring in little and cost much. */
const COMMON = 3_000;

const MOST_LONGER = 12;
/** The last word may be cut off from so few letters on, others from so many. */
const CUT_OFF_LAST = 2;
const CUT_OFF = 5;

/**
 * What may stand for each of the words asked for, in their order; `dfs`: how many passages hold each as it was typed;
 * `found`: some hold all of them, so that only the rarest are taken for misspelt.
 */
export function othersOf(
  asked: readonly Asked[],
  dfs: readonly number[],
  retrieval: Retrieval,
  vocabulary: Vocabulary,
  found: boolean,
): readonly (readonly Other[])[] {
  const correctable = asked
    .map((_, nth) => nth)
    .filter((nth) => isWord(asked[nth]) && (dfs[nth] ?? 0) <= (found ? RARE : UNUSUAL))
    .toSorted((one, other) => (dfs[one] ?? 0) - (dfs[other] ?? 0))
    .slice(0, MOST_CORRECTED);
  return asked.map((one, nth) => {
    if (!isWord(one) || (dfs[nth] ?? 0) > COMMON) return [];
    const others = new Map<string, number>();
    const add = (term: string, quality: number): void => {
      if (term !== one.text && (others.get(term) ?? 0) < quality) others.set(term, quality);
    };
    for (const form of wordForms(one.text)) if (vocabulary.df(form) > 0) add(form, FORM);
    for (const joined of joinedWith(asked[nth - 1], one, asked[nth + 1]))
      if (vocabulary.df(joined) > 0) add(joined, JOINED);
    if (correctable.includes(nth))
      for (const { term, quality } of corrected(one.text, dfs[nth] ?? 0, vocabulary, retrieval)) add(term, quality);
    const letters = Array.from(one.text).length;
    if (letters >= (one.last ? CUT_OFF_LAST : CUT_OFF)) {
      for (const { term } of retrieval.startingWith(one.text, MOST_LONGER)) add(term, LONGER);
    }
    return Array.from(others, ([term, quality]) => ({ term, quality }));
  });
}

function corrected(word: string, df: number, vocabulary: Vocabulary, retrieval: Retrieval): readonly Other[] {
  const near = vocabulary
    .near(word, (term) => retrieval.df(term))
    .filter((other) => df <= RARE || other.df >= MANY_MORE * df);
  const most = near.reduce((so, other) => Math.max(so, other.df), 1);
  return near.map(({ term, distance, df: held }) => {
    // Of words as near, the one that is written more is meant.
    const share = Math.log(1 + held) / Math.log(1 + most);
    return { term, quality: (distance === 1 ? ONE_WRONG : TWO_WRONG) * (0.8 + 0.2 * share) };
  });
}

/** A word together with the one before or after it, as one. */
function joinedWith(before: Asked | undefined, one: Asked, after: Asked | undefined): readonly string[] {
  return [...(isWord(before) ? [before.text + one.text] : []), ...(isWord(after) ? [one.text + after.text] : [])];
}

/** Whether other words may stand for it. */
function isWord(asked: Asked | undefined): asked is Asked {
  return asked?.kind === "word" && !asked.quoted;
}
