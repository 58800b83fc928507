// Waiting for others, but not for ever.
import type { Clock } from "../core/surroundings.ts";

/**
 * What `work` comes to, unless the time is over or `signal` fires first: then the signal that `work` was given fires, and this rejects at
 * once, with what `over` makes or the signal's reason, whether or not `work` heeds it.
 */
export async function within<T>(
  clock: Clock,
  waitMs: number,
  signal: AbortSignal,
  over: () => Error,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const done = new AbortController();
  const either = AbortSignal.any([signal, late.signal]);
  void clock.sleep(waitMs, done.signal).then(
    () => late.abort(over()),
    () => undefined,
  );
  const cut = Promise.withResolvers<never>();
  const stop = (): void => cut.reject(either.reason);
  either.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work(either), cut.promise]);
  } catch (thrown) {
    // What the work says of being cut short is not why it was.
    throw either.aborted ? either.reason : thrown;
  } finally {
    either.removeEventListener("abort", stop);
    done.abort();
  }
}

/** `work`, given up when `signal` fires: the work itself goes on. */
export async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    throw signal.reason;
  }
  const cut = Promise.withResolvers<never>();
  const stop = (): void => cut.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, cut.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
