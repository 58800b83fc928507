// Going on after a fault of the disk: said in the log, and tried again after a while.
import type { Surroundings } from "../core/surroundings.ts";

const AFTER_FAULT_MS = 5000;

/** Says what failed and waits until it may be tried again, or until the signal fires. */
export async function afterFault(
  thrown: unknown,
  note: string,
  { clock, log }: Pick<Surroundings, "clock" | "log">,
  signal: AbortSignal,
): Promise<void> {
  log.error({ err: thrown }, note);
  await clock.sleep(AFTER_FAULT_MS, signal).catch(() => undefined);
}

/** Runs something until it succeeds, or until the signal fires. It must be fit to be run again from its beginning. */
export async function surely(
  run: () => Promise<void>,
  note: string,
  surroundings: Pick<Surroundings, "clock" | "log">,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await run();
      return;
    } catch (error) {
      if (signal.aborted) return;
      await afterFault(error, note, surroundings, signal);
    }
  }
}
