// Messages of one person in one room, in order: those that close together become one, and everything else waits its turn.
import type { Clock } from "../core/surroundings.ts";
import type { Room } from "../core/message.ts";

/** Something said, waiting to be joined with what follows. */
export type Joinable<T> = { readonly item: T; readonly id: string; readonly waitMs: number };

/** A burst is closed when it has grown this large or this old, so that someone who never pauses is answered too. */
const MAX_ITEMS = 50;
const MAX_AGE_MS = 5000;

/**
 * One seat: a person in a room. `deliver` gets each burst whole; `inOrder` runs tasks in order behind the bursts before them.
 * `idle` is called when nothing is left and the seat can be forgotten.
 */
export class Seat<T> {
  readonly #clock: Clock;
  readonly #deliver: (items: readonly T[]) => Promise<void>;
  readonly #idle: () => void;
  #burst: { items: Joinable<T>[]; readonly openedAt: number; timer?: AbortController } | undefined;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(clock: Clock, deliver: (items: readonly T[]) => Promise<void>, idle: () => void) {
    this.#clock = clock;
    this.#deliver = deliver;
    this.#idle = idle;
  }

  /** Adds to the burst and starts its wait anew; without a wait it is delivered as it is. */
  join(joinable: Joinable<T>): void {
    const now = this.#clock.now();
    this.#burst ??= { items: [], openedAt: now };
    const burst = this.#burst;
    burst.timer?.abort();
    burst.items.push(joinable);
    const waitMs = Math.min(
      Math.max(0, ...burst.items.slice(-1).map((one) => one.waitMs)),
      burst.openedAt + MAX_AGE_MS - now,
    );
    if (waitMs <= 0 || burst.items.length >= MAX_ITEMS) {
      this.flush();
      return;
    }
    const timer = new AbortController();
    burst.timer = timer;
    void this.#clock.sleep(waitMs, timer.signal).then(
      () => {
        if (this.#burst === burst) this.flush();
      },
      () => undefined,
    );
  }

  /** Whether something waits to be joined with what follows. */
  get joining(): boolean {
    return this.#burst !== undefined;
  }

  /** Replaces what waits under an id, if it still does. */
  replace(id: string, change: (item: T) => T): boolean {
    const at = this.#burst?.items.findIndex((one) => one.id === id) ?? -1;
    const found = this.#burst?.items[at];
    if (this.#burst === undefined || found === undefined) return false;
    this.#burst.items[at] = { ...found, item: change(found.item) };
    return true;
  }

  /** Takes out what waits under an id; undefined when nothing does. */
  withdraw(id: string): T | undefined {
    const burst = this.#burst;
    const at = burst?.items.findIndex((one) => one.id === id) ?? -1;
    if (burst === undefined || at === -1) return undefined;
    const [found] = burst.items.splice(at, 1);
    if (burst.items.length === 0) this.flush();
    return found?.item;
  }

  /** Closes the burst now. */
  flush(): void {
    const burst = this.#burst;
    if (burst === undefined) return;
    burst.timer?.abort();
    this.#burst = undefined;
    this.inOrder(async () => {
      if (burst.items.length > 0) await this.#deliver(burst.items.map((one) => one.item));
    });
  }

  /** Runs a task behind all that came before it; the burst is closed first. A task handles its own failures. */
  inOrder(task: () => Promise<void>): void {
    this.flush();
    this.#waiting += 1;
    this.#tail = this.#tail.then(task).finally(() => {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#burst === undefined) this.#idle();
    });
  }

  /** Resolves when nothing is left, bursts that still wait included. */
  async settled(): Promise<void> {
    this.flush();
    await this.#tail;
  }
}

/** Runs a task behind all that the person who pressed has said in a room, and before what they say from now on. */
export type InOrder = <T>(room: Room, task: () => Promise<T>) => Promise<T>;
