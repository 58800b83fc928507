// Which thing that could be turned on a person's own words call for. Pure; the cues are prepared once for each list of things.
import type { Item } from "../catalog/port.ts";
import { foldText } from "../taint/folded.ts";

type Prepared = {
  readonly item: Item;
  /** Longest first, each as `wordsOf` gives it. */
  readonly words: readonly string[];
  readonly not: readonly string[];
};

/** No more of a message is looked through. */
const MAX_CHARS = 20_000;
/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter("und", { granularity: "word" });
const prepared = new WeakMap<readonly Item[], readonly Prepared[]>();

/**
 * The item whose longest cue stands in the words, as whole words; case, accents and punctuation don't matter. One that has any of
 * its `not` words there is out. Of equally long cues the one whose id comes first wins, an app before a skill. Only what could be
 * turned on counts, and what `may` lets pass.
 */
export function cueFor(
  words: string,
  items: readonly Item[],
  may: (item: Item) => boolean = () => true,
): Item | undefined {
  const said = wordsOf(words);
  if (said === "") return undefined;
  let best: { readonly item: Item; readonly length: number } | undefined;
  for (const { item, words: cues, not } of prepare(items)) {
    const cue = cues.find((one) => said.includes(one));
    if (cue === undefined || cue.length < (best?.length ?? 0) || not.some((one) => said.includes(one))) continue;
    if (cue.length === best?.length && !comesBefore(item, best.item)) continue;
    if (couldBeOn(item) && may(item)) best = { item, length: cue.length };
  }
  return best?.item;
}

/** Whether turning it on could be offered: it is off or waits to be asked for, can be reached, and is no longer one of the past. */
export function couldBeOn({ state, trouble }: Item): boolean {
  return (state === "off" || state === "asked") && trouble === undefined;
}

/**
 * The words of a text, folded, with a space around each: `" a " ` stands in it exactly when the whole word does. Empty for a text
 * without words.
 */
export function wordsOf(text: string): string {
  const folded = foldText(text.slice(0, MAX_CHARS)).toLowerCase();
  const spaced = UNSPACED.test(folded)
    ? [...segmenter.segment(folded)].map(({ segment }) => segment).join(" ")
    : folded;
  // C++ and C# are other words than C.
  const words = spaced.match(/[\p{L}\p{N}]+(?:(?:\+\+|#)(?![\p{L}\p{N}]))?/gu);
  return words === null ? "" : ` ${words.join(" ")} `;
}

function prepare(items: readonly Item[]): readonly Prepared[] {
  const known = prepared.get(items);
  if (known !== undefined) return known;
  const made = items.map((item) => ({
    item,
    words: item.cues.words
      .map(wordsOf)
      .filter((cue) => cue !== "")
      .toSorted((one, other) => other.length - one.length),
    not: item.cues.not.map(wordsOf).filter((cue) => cue !== ""),
  }));
  prepared.set(items, made);
  return made;
}

function comesBefore(one: Item, other: Item): boolean {
  return one.kind === other.kind ? one.id < other.id : one.kind === "app";
}
