// Trying again what failed, with longer and longer pauses.
import type { Surroundings } from "../core/surroundings.ts";

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/**
 * Does `work` again and again until it works, `failed` says to let it be, or the signal fires. Pauses are a second at first and twice as
 * long each time, up to a minute, a little less by chance so that apps don't all try at once.
 */
export async function untilItWorks(
  work: () => Promise<unknown>,
  failed: (thrown: unknown) => Promise<"again" | "enough">,
  { clock, random }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      await work();
      return;
    } catch (thrown) {
      if (signal.aborted || (await failed(thrown)) === "enough") return;
    }
    await clock.sleep(waitMs * (1 - random.fraction() / 4), signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}
