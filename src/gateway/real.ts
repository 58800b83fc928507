// The real clock and randomness: the one file that may use them.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Random } from "../core/surroundings.ts";

/** Wall time and the event loop's own timers. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: async (waitMs, signal) => await sleep(waitMs, undefined, signal === undefined ? {} : { signal }),
  soon: (task) => void setImmediate(task),
};

/** The system's generator. */
export const realRandom: Random = {
  key: (bytes) => randomBytes(bytes).toString("base64url"),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
