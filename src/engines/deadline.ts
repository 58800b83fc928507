// Waiting for a program's answer, but not for ever.
import type { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";

/**
 * What `work` comes to, or `late` as a throw after `waitMs`: then the signal that `work` was given fires with it, and whatever the work
 * still does is not heard.
 */
export async function within<T>(
  clock: Clock,
  waitMs: number,
  late: () => GatewayError,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  const deadline = clock.sleep(waitMs, done.signal).then(() => {
    over.abort(late());
    throw over.signal.reason;
  });
  deadline.catch(() => undefined);
  try {
    return await Promise.race([work(over.signal), deadline]);
  } finally {
    done.abort();
  }
}
