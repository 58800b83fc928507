// Bringing commits to the disk without holding up the event loop while the disk writes.
import { open, type FileHandle } from "node:fs/promises";
import type { Surroundings } from "../core/surroundings.ts";

const TRY_AGAIN_MS = 1000;

/** Syncs the write-ahead log of one database. Owned by the store; disposed after the database. */
export type WalSync = {
  /**
   * Resolves when everything committed before the call is on the disk. Calls that wait at the same time share one sync. A disk that
   * fails is tried again, since the commit stands and its caller must not make it twice; rejects only once `closing` has fired.
   */
  sync(): Promise<void>;
} & AsyncDisposable;

/**
 * For the database at `path`, in WAL mode and with `synchronous = NORMAL`: there a commit is written to the log and not synced. The
 * log is one file for as long as a connection is open, and SQLite holds no locks on it, so a descriptor of our own is safe.
 */
export function walSync(
  path: string,
  { clock, log }: Pick<Surroundings, "clock" | "log">,
  closing: AbortSignal,
): WalSync {
  let file: Promise<FileHandle> | undefined;
  const once = async (): Promise<void> => {
    // Not before the first commit: the log is made by that.
    file ??= open(`${path}-wal`, "r+").catch((thrown: unknown) => {
      file = undefined;
      throw thrown;
    });
    await (await file).datasync();
  };
  const untilDone = async (): Promise<void> => {
    for (;;) {
      try {
        await once();
        return;
      } catch (thrown) {
        if (closing.aborted) throw thrown;
        log.error({ err: thrown }, "the disk can't be written to; what waits for it goes on when it can");
        await clock.sleep(TRY_AGAIN_MS, closing).catch(() => undefined);
      }
    }
  };
  const sync = gathered(untilDone);
  return {
    sync,
    async [Symbol.asyncDispose]() {
      await sync.idle();
      await (await file?.catch(() => undefined))?.close();
    },
  };
}

/**
 * Makes a call that serves all who ask while it has not begun: who asks while it runs waits for one more, since the one under way
 * may not know of what was done just before. `idle` resolves when none is left, however they ended.
 */
export function gathered(run: () => Promise<void>): { (): Promise<void>; idle(): Promise<void> } {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    const mine = run().finally(() => {
      if (running === mine) running = undefined;
    });
    running = mine;
    return mine;
  };
  const ask = (): Promise<void> => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined)
      .then(async () => {
        next = undefined;
        await start();
      });
    return next;
  };
  const idle = async (): Promise<void> => {
    await next?.catch(() => undefined);
    await running?.catch(() => undefined);
  };
  return Object.assign(ask, { idle });
}
