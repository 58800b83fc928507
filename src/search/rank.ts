// Which of the passages that answer a query are the best, and the chats they are in. The same passages give the same order every time.
import type { Hit, Line, Who } from "./port.ts";
import { MAX_HITS } from "./port.ts";
import { litRanges, type Spot } from "./match.ts";

/** A passage that answers something of the query. `n`: its number in the index, higher for newer ones; `chat`: the chat's. */
export type Candidate = {
  readonly n: number;
  readonly chat: number;
  readonly who: Who;
  readonly line: number;
  readonly at: number;
  readonly text: string;
  readonly spots: readonly Spot[];
};

/** How rare each wanted thing is: its weight. In the order of the query. */
export type Weights = readonly number[];

/** Chats with their best passages, best first. `exact`: one of those has everything as it was typed. */
export type Ranked = {
  readonly exact: boolean;
  readonly chats: readonly {
    readonly chat: number;
    readonly exact: boolean;
    readonly hits: readonly Omit<Hit, "chat">[];
  }[];
};

/** One's own words are meant more often than the assistant's, and both more often than what was done. */
const WORTH: Readonly<Record<Who, number>> = { you: 1, them: 0.95, assistant: 0.92, step: 0.8 };
/** The newest passage is worth this much more, half of it after so long. */
const NEWEST_EXTRA = 0.15;
const RECENCY_HALF_MS = 90 * 86_400_000;
/** A passage with everything as typed is worth this much more. */
const EXACT_EXTRA = 0.25;
/** What stands side by side as in the query, or at least near, adds this share of the rarer one's weight. */
const BESIDE = 0.4;
const NEAR = 0.15;
const NEAR_PIECES = 5;
/** How fast further occurrences stop counting, how much length counts against a text, and the length it is measured by. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.4;
const USUAL_UNITS = 300;
/** What other passages of a chat add that the best one lacks, and what a further good one adds. */
const SPREAD = 0.5;
const FURTHER = 0.1;
/** The smallest share of the query's weight that a chat must answer; more is asked where something answers all of it. */
const LEAST_SHARE = 0.25;
const LEAST_BESIDE_EXACT = 0.6;
/** The weight of a word that every two-hundredth passage holds. */
const RARE_WEIGHT = Math.log(200);

type Scored = Candidate & { readonly score: number; readonly qualities: readonly number[] };

/** Orders candidates by chat. */
export function rank(candidates: readonly Candidate[], weights: Weights, maxChats: number): Ranked {
  const newest = candidates.reduce((at, candidate) => Math.max(at, candidate.at), 0);
  const chats = new Map<number, Scored[]>();
  let anyExact = false;
  for (const candidate of candidates) {
    const scored = scoreOf(candidate, weights, newest);
    anyExact ||= isExact(scored);
    const others = chats.get(candidate.chat);
    if (others === undefined) chats.set(candidate.chat, [scored]);
    else others.push(scored);
  }
  const least = leastWeight(sum(weights), anyExact);
  const ranked = Array.from(chats, ([chat, all]) => chatOf(chat, all, weights))
    .filter(({ answered }) => answered >= least)
    .toSorted((one, other) => other.score - one.score || other.newest - one.newest || one.chat - other.chat)
    .slice(0, maxChats);
  return {
    exact: ranked.some(({ best }) => best.some(isExact)),
    chats: ranked.map(({ chat, best }) => ({ chat, exact: best.some(isExact), hits: best.map(hitOf) })),
  };
}

/**
 * The weight below which a chat is no answer. Where nothing holds everything as it was typed, a rare word says enough by itself;
 * `total`: of all that was asked for.
 */
export function leastWeight(total: number, anyExact: boolean): number {
  return anyExact ? LEAST_BESIDE_EXACT * total : Math.min(LEAST_SHARE * total, RARE_WEIGHT);
}

/** Whether everything that was asked for stands in it as it was typed. */
export function isExact({ qualities }: { readonly qualities: readonly number[] }): boolean {
  return qualities.every((quality) => quality === 1);
}

/** How well each of the `count` wanted things stands in a text with these spots, from 0 to 1. */
export function qualitiesOf(spots: readonly Spot[], count: number): readonly number[] {
  const qualities = Array.from({ length: count }, () => 0);
  for (const { wanted, quality } of spots) qualities[wanted] = Math.max(qualities[wanted] ?? 0, quality);
  return qualities;
}

function scoreOf(candidate: Candidate, weights: Weights, newest: number): Scored {
  const { spots, text, who, at } = candidate;
  const qualities = qualitiesOf(spots, weights.length);
  const times = weights.map(() => 0);
  for (const { wanted } of spots) times[wanted] = (times[wanted] ?? 0) + 1;
  const slow = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * text.length) / USUAL_UNITS);
  const words = weights.map((weight, nth) => {
    const often = times[nth] ?? 0;
    return (weight * (qualities[nth] ?? 0) * often * (SATURATION + 1)) / (often + slow);
  });
  const recency = 1 + NEWEST_EXTRA * 2 ** ((at - newest) / RECENCY_HALF_MS);
  const exact = isExact({ qualities }) ? 1 + EXACT_EXTRA : 1;
  const score = (sum(words) + togetherness(spots, qualities, weights)) * WORTH[who] * recency * exact;
  return { ...candidate, score, qualities };
}

/** What neighbours in the query add that are neighbours in the text. */
function togetherness(spots: readonly Spot[], qualities: readonly number[], weights: Weights): number {
  if (weights.length < 2) return 0;
  const byWanted = weights.map((): Spot[] => []);
  for (const spot of spots) byWanted[spot.wanted]?.push(spot);
  const pairs = weights.slice(1).map((weight, nth) => {
    const [ones, others] = [byWanted[nth] ?? [], byWanted[nth + 1] ?? []];
    const worth = Math.min(weight * (qualities[nth + 1] ?? 0), (weights[nth] ?? 0) * (qualities[nth] ?? 0));
    let best = 0;
    for (const one of ones) {
      for (const other of others) {
        const apart = other.first - one.last;
        if (apart === 1 || other.first === one.first) return BESIDE * worth;
        if (Math.abs(apart) <= NEAR_PIECES) best = NEAR;
      }
    }
    return best * worth;
  });
  return sum(pairs);
}

type RankedChat = {
  readonly chat: number;
  readonly best: readonly Scored[];
  readonly score: number;
  readonly answered: number;
  readonly newest: number;
};

function chatOf(chat: number, all: readonly Scored[], weights: Weights): RankedChat {
  const ordered = onePerLine(all.toSorted((one, other) => other.score - one.score || other.n - one.n));
  const best = bestOf(ordered, weights);
  const [first, second] = best;
  const union = weights.map((_, nth) =>
    ordered.reduce((most, { qualities }) => Math.max(most, qualities[nth] ?? 0), 0),
  );
  // What stands for a word answers it, though it counts less in the order.
  const answered = sum(weights.map((weight, nth) => weight * Math.min(1, 2 * (union[nth] ?? 0))));
  const missing = weights.map((weight, nth) => weight * ((union[nth] ?? 0) - (first?.qualities[nth] ?? 0)));
  const score = (first?.score ?? 0) + SPREAD * sum(missing) + FURTHER * (second?.score ?? 0);
  return { chat, best, score, answered, newest: first?.n ?? 0 };
}

/** Of a long text in several passages, the best one. */
function onePerLine(ordered: readonly Scored[]): readonly Scored[] {
  const seen = new Set<string>();
  return ordered.filter(({ line, who }) => {
    const key = `${line} ${who}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The passages to show: the best one, then those that answer what the ones before lack, then the next best. */
function bestOf(ordered: readonly Scored[], weights: Weights): readonly Scored[] {
  const best: Scored[] = [];
  const left = [...ordered];
  const answered = weights.map(() => 0);
  while (best.length < MAX_HITS && left.length > 0) {
    let next = 0;
    let most = -1;
    for (const [nth, { score, qualities }] of left.entries()) {
      const more = weights.map((weight, at) => weight * Math.max(0, (qualities[at] ?? 0) - (answered[at] ?? 0)));
      const worth = best.length === 0 ? score : sum(more) * SPREAD * 2 + score * FURTHER;
      if (worth > most) [next, most] = [nth, worth];
    }
    const [taken] = left.splice(next, 1);
    if (taken === undefined) break;
    best.push(taken);
    for (const [at, quality] of taken.qualities.entries()) answered[at] = Math.max(answered[at] ?? 0, quality);
  }
  return best;
}

function hitOf({ line, who, at, text, spots }: Scored): Omit<Hit & Line, "chat"> {
  return { line, who, at, text, lit: litRanges(text, spots) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}
