// What stands between one run of the gateway and the world: once it is shut, that run is dead. Nothing it waits for comes, so
// not one more line of it runs, and nothing it was about to do happens.
import type { Clock } from "../../src/core/surroundings.ts";
import type { Change, Settings, Store } from "../../src/store/port.ts";
import type { VirtualClock } from "./clock.ts";

/** One run's lease of life. */
export class Gate {
  readonly #shut = new AbortController();

  get dead(): boolean {
    return this.#shut.signal.aborted;
  }

  /** Fires when the gate is shut; only for what the world itself must tidy up. */
  get signal(): AbortSignal {
    return this.#shut.signal;
  }

  shut(): void {
    this.#shut.abort();
  }

  /** What becomes of the promise, or nothing ever once the gate is shut. */
  async pass<T>(promise: Promise<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      promise.then(
        (value) => {
          if (!this.dead) resolve(value);
        },
        (error: unknown) => {
          if (!this.dead) reject(error);
        },
      );
    });
  }
}

/** The world's clock as one run sees it. */
export function gatedClock(clock: VirtualClock, gate: Gate): Clock {
  return {
    now: () => clock.now(),
    soon: (task) => clock.soon(() => (gate.dead ? undefined : task())),
    sleep: async (waitMs, signal) =>
      // The timer goes with its run: a dead one must not hold up the end of the world.
      await gate.pass(clock.sleep(waitMs, signal === undefined ? gate.signal : AbortSignal.any([signal, gate.signal]))),
  };
}

/** Carries a write from a run to the store; what waits here at a kill never happens, what has passed does, unanswered. */
export type Courier = (deliver: () => void) => void;

/**
 * The store as one run sees it. `failing` says whether the disk fails just now. `settings`: the world's, in memory, since the real ones are
 * kept by a driver with threads of its own, which no seed replays.
 */
export function gatedStore(
  store: Store,
  gate: Gate,
  courier: Courier,
  refuse: () => Error | undefined,
  settings: Settings,
): Store {
  const write = async <T>(work: () => Promise<T>): Promise<T> =>
    await gate.pass(
      new Promise<T>((resolve, reject) => {
        courier(() => {
          if (gate.dead) return;
          const failure = refuse();
          if (failure === undefined) work().then(resolve, reject);
          else reject(failure);
        });
      }),
    );
  const read = async <T>(work: () => Promise<T>): Promise<T> => await gate.pass(work());
  return {
    commit: async (changes: readonly Change[]) => await write(async () => await store.commit(changes)),
    log: {
      read: async (...args) => await read(async () => await store.log.read(...args)),
      head: async () => await read(async () => await store.log.head()),
      page: async (...args) => await read(async () => await store.log.page(...args)),
      looks: async (...args) => await read(async () => await store.log.looks(...args)),
      async *follow(after, signal) {
        for await (const batch of store.log.follow(after, AbortSignal.any([signal, gate.signal]))) {
          await gate.pass(Promise.resolve());
          yield batch;
        }
        await gate.pass(Promise.resolve());
      },
    },
    conversations: {
      get: async (id) => await read(async () => await store.conversations.get(id)),
      current: async (...args) => await read(async () => await store.conversations.current(...args)),
      list: async (which) => await read(async () => await store.conversations.list(which)),
      marks: async (id) => await read(async () => await store.conversations.marks(id)),
      holding: async (...args) => await read(async () => await store.conversations.holding(...args)),
      unsettled: async () => await read(async () => await store.conversations.unsettled()),
      state: async (id) => await read(async () => await store.conversations.state(id)),
      delete: async (id) => await write(async () => await store.conversations.delete(id)),
    },
    inbound: {
      keep: async (...args) => await write(async () => await store.inbound.keep(...args)),
      pending: async (channel) => await read(async () => await store.inbound.pending(channel)),
    },
    outbox: {
      open: async () => await read(async () => await store.outbox.open()),
      shown: async (...args) => await read(async () => await store.outbox.shown(...args)),
      counts: async () => await read(async () => await store.outbox.counts()),
    },
    records: {
      button: async (key) => await read(async () => await store.records.button(key)),
      claim: async (key) => await read(async () => await store.records.claim(key)),
      cursor: async (name) => await read(async () => await store.records.cursor(name)),
      cursors: async (prefix) => await read(async () => await store.records.cursors(prefix)),
      known: async () => await read(async () => await store.records.known()),
      session: async (...args) => await read(async () => await store.records.session(...args)),
      sessions: async (...args) => await read(async () => await store.records.sessions(...args)),
    },
    settings,
    // The world owns the store: it outlives every run.
    [Symbol.asyncDispose]: async () => undefined,
  };
}
