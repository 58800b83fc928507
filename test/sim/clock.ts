// Virtual time: it stands still while anything can still happen now, and then jumps to the next timer.
import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../src/core/surroundings.ts";

type Timer = { readonly at: number; readonly nth: number; readonly run: () => void };

/** A clock whose time is moved by whoever holds it, one event at a time, in an order that depends on nothing outside it. */
export class VirtualClock implements Clock {
  #now: number;
  #nth = 0;
  readonly #soon: (() => void)[] = [];
  readonly #timers = new Set<Timer>();

  constructor(startMs = 1_700_000_000_000) {
    this.#now = startMs;
  }

  now(): number {
    return this.#now;
  }

  soon(task: () => void): void {
    this.#soon.push(task);
  }

  /** Runs `task` after that long, unless what this gives is called first. At least a millisecond, as the real ones take. */
  after(waitMs: number, task: () => void): () => void {
    this.#nth += 1;
    const timer = { at: this.#now + Math.max(1, Math.ceil(waitMs)), nth: this.#nth, run: task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  async sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      const cancel = this.after(waitMs, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** When the next event is; infinity when there is none. */
  get nextAt(): number {
    if (this.#soon.length > 0) return this.#now;
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#timers].map((timer) => timer.at));
  }

  /** Whether a task waits for its turn at this very moment. */
  get busy(): boolean {
    return this.#soon.length > 0;
  }

  /** Runs the next event, if it is not later than `until`; what it sets off runs in promises, so call `quiet` before the next. */
  step(until: number): boolean {
    const task = this.#soon.shift();
    if (task !== undefined) {
      task();
      return true;
    }
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.nth < next.nth)) next = timer;
    }
    if (next === undefined || next.at > until) {
      if (until !== Number.POSITIVE_INFINITY) this.#now = Math.max(this.#now, until);
      return false;
    }
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    return true;
  }
}

/** Resolves when no promise has anything left to do: they all wait for the clock. Work of the file system is waited for. */
export async function quiet(): Promise<void> {
  // One turn of the real event loop runs every promise to where it waits; more are needed only while a file is being touched.
  do await turn();
  while (process.getActiveResourcesInfo().some((kind) => kind.startsWith("FSReq")));
}
