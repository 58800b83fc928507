// The process's own life: what ends it, and what must not.
import type { Logger } from "../core/surroundings.ts";
import { realClock } from "./real.ts";

/** A signal this long after the first one means that draining takes too long for whoever sent it. */
const IMPATIENT_AFTER_MS = 1000;

/**
 * Resolves when `ended` does or at the first SIGINT, SIGTERM or SIGHUP; a further one ends the process at once. Launchers and
 * supervisors often signal a whole group, so an echo of the first is not a second. From here on a stray rejection or
 * exception, such as a platform library's, is logged and ends nothing.
 */
export async function untilStopped(ended: Promise<void>, log: Logger): Promise<void> {
  process.on("uncaughtException", (error) =>
    log.error({ err: error }, "a fault that nobody caught; the gateway goes on"),
  );
  process.on("unhandledRejection", (error) =>
    log.error({ err: error }, "a failure that nobody handled; the gateway goes on"),
  );
  const stopped = new Promise<void>((resolve) => {
    let first: number | undefined;
    const stop = (): void => {
      const now = realClock.now();
      if (first !== undefined && now - first > IMPATIENT_AFTER_MS) process.exit(130);
      first ??= now;
      resolve();
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  });
  await Promise.race([ended, stopped]);
}
