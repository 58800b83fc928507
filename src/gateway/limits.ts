// How many answers guests get: an hour and a day, each guest and each group for itself.
import type { Clock } from "../core/surroundings.ts";
import type { Change, Store } from "../store/port.ts";

/** Answers for one guest, and for one group. 0: none at all. */
export type LimitRules = { readonly hourly: number; readonly daily: number };

/** Whom an answer counts for: a person key, and for a group its platform and chat in the same form. */
export type LimitKeys = { readonly guest: string; readonly group?: string };

/** Whether there is an answer left. `tell`: it is to be said that there is none, which has not been said since there last was one. */
export type Taken =
  | { readonly is: "ok"; readonly changes: readonly Change[] }
  | { readonly is: "over"; readonly tell: boolean; readonly changes: readonly Change[] };

type Count = { readonly times: readonly number[]; readonly said: boolean };

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const NONE: Count = { times: [], said: false };

/**
 * Counts answers. One counts in memory when it is taken, so that of two at once only one takes the last. The changes make it durable
 * and belong to the message that is to be answered. A crash between the two loses both, and the message, which comes again, is
 * counted then; two messages of one group that are committed in another order than they were taken, and then a crash, leave at
 * worst one answer uncounted. Changes that are never committed leave one counted too many until it is an hour or a day old.
 */
export class Limits {
  readonly #store: Store;
  readonly #rules: LimitRules;
  readonly #clock: Clock;
  readonly #counts = new Map<string, Count>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, rules: LimitRules, clock: Clock) {
    this.#store = store;
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Takes one answer for all of these, or for none when one of them has none left. Who asks first is first. */
  async take(keys: LimitKeys): Promise<Taken> {
    const taken = this.#last.then(async () => await this.#take(keys));
    this.#last = taken.catch(() => undefined);
    return await taken;
  }

  async #take(keys: LimitKeys): Promise<Taken> {
    const meant = [keys.guest, ...(keys.group === undefined ? [] : [keys.group])];
    for (const key of meant) await this.#read(key);
    const now = this.#clock.now();
    const before = meant.map((key) => ({ key, count: this.#recent(key, now) }));
    const over = before.filter(({ count }) => this.#over(count, now));
    if (over.length === 0)
      return { is: "ok", changes: before.map(({ key, count }) => this.#set(key, [...count.times, now], false)) };
    const unsaid = over.filter(({ count }) => !count.said);
    return {
      is: "over",
      tell: unsaid.length > 0,
      changes: unsaid.map(({ key, count }) => this.#set(key, count.times, true)),
    };
  }

  #over({ times }: Count, now: number): boolean {
    return times.length >= this.#rules.daily || times.filter((at) => now - at < HOUR_MS).length >= this.#rules.hourly;
  }

  /** What still counts. */
  #recent(key: string, now: number): Count {
    const count = this.#counts.get(key) ?? NONE;
    return { ...count, times: count.times.filter((at) => now - at < DAY_MS) };
  }

  #set(key: string, times: readonly number[], said: boolean): Change {
    const count = { times, said };
    this.#counts.set(key, count);
    return { do: "cursor", name: cursorOf(key), value: JSON.stringify(count) };
  }

  async #read(key: string): Promise<void> {
    if (this.#counts.has(key)) return;
    const kept = await this.#store.records.cursor(cursorOf(key));
    this.#counts.set(key, kept === undefined ? NONE : (JSON.parse(kept) as Count));
  }
}

function cursorOf(key: string): string {
  return `limit/${key}`;
}
