// Bringing commits to the disk without holding up the event loop while the disk writes.
import { open, type FileHandle } from "node:fs/promises";

/** Syncs the write-ahead log of one database. Owned by the store; disposed after the database. */
export type WalSync = {
  /** Resolves when everything committed before the call is on the disk. Calls that wait at the same time share one sync. */
  sync(): Promise<void>;
} & AsyncDisposable;

/**
 * For the database at `path`, in WAL mode and with `synchronous = NORMAL`: there a commit is written to the log and not synced. The
 * log is one file for as long as a connection is open, and SQLite holds no locks on it, so a descriptor of our own is safe.
 */
export function walSync(path: string): WalSync {
  let file: Promise<FileHandle> | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = async (): Promise<void> => {
    // Not before the first commit: the log is made by that.
    file ??= open(`${path}-wal`, "r+");
    await (await file).datasync();
  };
  const start = (): Promise<void> => {
    const mine = begin().finally(() => {
      if (running === mine) running = undefined;
    });
    running = mine;
    return mine;
  };
  return {
    sync() {
      if (running === undefined) return start();
      // The one under way may have begun before this commit was written.
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return start();
        });
      return next;
    },
    async [Symbol.asyncDispose]() {
      await next?.catch(() => undefined);
      await running?.catch(() => undefined);
      await (await file?.catch(() => undefined))?.close();
    },
  };
}
