// Seeded randomness.
import type { Random } from "../../src/core/surroundings.ts";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** A stream of numbers that a seed and a name decide wholly. Streams of different names don't disturb each other. */
export class Dice implements Random {
  #state: number;

  constructor(seed: number, name: string) {
    let hash = 2_166_136_261;
    for (const char of `${seed}/${name}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
    this.#state = hash >>> 0;
  }

  /** In [0, 1). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  key(bytes: number): string {
    return Array.from({ length: Math.ceil((bytes * 8) / 6) }, () => LETTERS[this.below(64)]).join("");
  }

  /** A whole number from 0 to `count` - 1. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** A whole number in a range, both ends included. */
  from(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of these, or undefined when there is none. */
  one<T>(values: readonly T[]): T | undefined {
    return values[this.below(values.length)];
  }

  /** One of the names, by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)?.[0] as K;
  }
}
