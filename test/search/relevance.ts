// How well something finds what people look for: the share of queries and of misspelt words that come to the right chat.
import type { Change } from "../../src/store/port.ts";
import { opening, utterance, type Speaker } from "../bench/search-entries.ts";
import { CHATS, QUERIES, TYPOS } from "./relevance-set.ts";

/** One of the chats. */
export type SetChat = {
  readonly id: string;
  readonly said: readonly { readonly who: Speaker; readonly text: string }[];
};

/** Finds chats, best first, 8 at most. */
export type Finder = (query: string) => Promise<readonly string[]>;

/**
 * Shares from 0 to 1. `first`, `third`: queries with a right answer in front, or among the first three. `gain`: nDCG at 8, a right
 * answer counting 2 and a further one 1. `typos`: misspelt words whose right word is in one of 8 chats. `missed`: what was not found.
 */
export type Score = {
  readonly first: number;
  readonly third: number;
  readonly gain: number;
  readonly typos: number;
  readonly missed: readonly string[];
};

const HOUR_MS = 3_600_000;
const START_AT = Date.UTC(2025, 0, 6, 9);

export function setChats(): readonly SetChat[] {
  return CHATS.split("\n# ")
    .slice(1)
    .map((block) => {
      const [id = "", ...lines] = block.trim().split("\n");
      const said = lines.map((line) => {
        const [who = "", ...words] = line.split(" ");
        return { who: speakerOf(who), text: words.join(" ") };
      });
      return { id, said };
    });
}

function speakerOf(word: string): Speaker {
  return word === "you" || word === "assistant" ? word : "them";
}

/** The chats as changes of a store, a day apart. */
export function setChanges(): readonly Change[] {
  return setChats().flatMap(({ id, said }, nth) => {
    const from = START_AT + nth * 24 * HOUR_MS;
    return [
      opening(id, nth, from),
      ...said.map(({ who, text }, line) => utterance(id, who, text, 100 * nth + line + 1, from + line * 60_000)),
    ];
  });
}

/** Asks everything of the set. */
export async function scoreOf(find: Finder): Promise<Score> {
  const missed: string[] = [];
  let [first, third, gain, typos] = [0, 0, 0, 0];
  const queries = lines(QUERIES);
  for (const line of queries) {
    const [query = "", answers = ""] = line.split(" > ");
    const [best = [], also = []] = answers.split(" / ").map((ids) => ids.split(" "));
    const found = (await find(query)).slice(0, 8);
    const place = found.findIndex((id) => best.includes(id));
    if (place === 0) first += 1;
    if (place >= 0 && place < 3) third += 1;
    else missed.push(`${query} (${place < 0 ? "not among" : `at ${place + 1} of`} ${found.join(", ") || "none"})`);
    const worth = (id: string): number => (best.includes(id) ? 2 : also.includes(id) ? 1 : 0);
    gain += discounted(found.map(worth)) / discounted([...best, ...also].map(worth));
  }
  const words = new Map(setChats().map(({ id, said }) => [id, new Set(said.flatMap(({ text }) => wordsOf(text)))]));
  const pairs = typoPairs();
  for (const { wrong, right } of pairs) {
    const found = (await find(wrong)).slice(0, 8);
    if (found.some((id) => words.get(id)?.has(right.toLowerCase()) === true)) typos += 1;
    else missed.push(`${wrong} for ${right} (${found.join(", ") || "none"})`);
  }
  const share = (count: number): number => count / queries.length;
  return { first: share(first), third: share(third), gain: share(gain), typos: typos / pairs.length, missed };
}

export function typoPairs(): readonly { readonly wrong: string; readonly right: string }[] {
  return TYPOS.replaceAll("\n", " ")
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [wrong = "", right = ""] = pair.split(" ");
      return { wrong, right };
    });
}

/** The words of a text, small. */
export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function discounted(worths: readonly number[]): number {
  return worths.reduce((sum, worth, place) => sum + worth / Math.log2(place + 2), 0);
}

export function lines(block: string): readonly string[] {
  return block.trim().split("\n");
}
