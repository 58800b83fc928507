// The real clock and randomness: the one file that may use them.
import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../core/surroundings.ts";

/** Wall time and the event loop's own timers. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep,
  soon: (task) => void setImmediate(task),
};

/** Not the one of node:timers/promises: that makes an error with a stack each time it is cut short, and most sleeps here are. */
async function sleep(waitMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  await promise.finally(() => signal?.removeEventListener("abort", stop));
}

/** The system's generator. */
export const realRandom: Random = {
  key: (bytes) => randomBytes(bytes).toString("base64url"),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
