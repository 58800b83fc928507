// The process's own life: what ends it, and what must not.
import type { Logger } from "../core/surroundings.ts";
import { realClock } from "./real.ts";

/** A signal this long after the first one means that draining takes too long for whoever sent it. */
const IMPATIENT_AFTER_MS = 1000;

/**
 * Resolves at the first SIGINT, SIGTERM or SIGHUP from now on; a further one ends the process at once. Launchers and
 * supervisors often signal a whole group, so an echo of the first is not a second. Called before anything is opened, so that a
 * stop in the middle of that is an orderly one too.
 */
export async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    let first: number | undefined;
    const stop = (): void => {
      const now = realClock.now();
      if (first !== undefined && now - first > IMPATIENT_AFTER_MS) process.exit(130);
      first ??= now;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  });
}

/** From here on a stray rejection or exception, such as a platform library's, is logged and ends nothing. */
export function surviveFaults(log: Logger): void {
  process.on("uncaughtException", (error) =>
    log.error({ err: error }, "a fault that nobody caught; the gateway goes on"),
  );
  process.on("unhandledRejection", (error) =>
    log.error({ err: error }, "a failure that nobody handled; the gateway goes on"),
  );
}
