// What is done to the index's file in threads of their own: its write-ahead log moved in, and deleted chats erased.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { openDatabase, type Database } from "../store/database.ts";
import { setFact } from "./schema.ts";
import { compact, removeSome, writeCounts, type Counts } from "./writing.ts";

/** What the thread is told. */
export type UpkeepOrder = { readonly path: string } & (
  | { readonly do: "checkpoint" }
  | { readonly do: "erase"; readonly chats: readonly string[] }
);

/** Does it. Rejects with what the thread threw. Nobody may write to the file during an erasure. */
export async function upkeep(order: UpkeepOrder): Promise<void> {
  const worker = new Worker(new URL("./upkeep-worker.ts", import.meta.url), { workerData: order, execArgv: [] });
  // Throws what the thread throws, if anything.
  await once(worker, "exit");
}

const SLICE = 200;

/** Takes chats out, each in one transaction, or in several with `between`. With the first the file is noted as to be rewritten. */
export async function removeChats(
  database: Database,
  chats: readonly string[],
  between?: () => Promise<void>,
): Promise<void> {
  const limit = between === undefined ? Number.MAX_SAFE_INTEGER : SLICE;
  const removeSlice = (chat: string): boolean =>
    transact(database, () => {
      const counts: Counts = new Map();
      setFact(database, "erase", "1");
      const more = removeSome(database, chat, limit, counts);
      writeCounts(database, counts);
      return more;
    });
  for (const chat of chats) {
    while (removeSlice(chat)) await between?.();
  }
}

/** Does the work in a transaction of its own, or none of it. Throws what the work and SQLite throw. */
export function transact<T>(database: Database, work: () => T): T {
  database.run("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.run("COMMIT");
    return value;
  } catch (thrown) {
    // SQLite has rolled back by itself after most failures of the disk.
    if (database.inTransaction()) database.run("ROLLBACK");
    throw thrown;
  }
}

/** How long another connection's reading is waited for. */
const WAIT_MS = 10_000;

/** The work of the thread. */
export async function keepUp(order: UpkeepOrder): Promise<void> {
  using database = openDatabase(order.path, { waitMs: WAIT_MS });
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -4000");
  if (order.do === "checkpoint") {
    database.get("PRAGMA wal_checkpoint(PASSIVE)");
    return;
  }
  await removeChats(database, order.chats);
  rewrite(database);
}

/**
 * Rewrites the file without what was taken out: words stay in the list until it is written anew, rows in gaps of pages until the file
 * is, and both in the write-ahead log until that is cut.
 */
function rewrite(database: Database): void {
  compact(database, () => false);
  database.exec("VACUUM");
  const cut = (): void => {
    const done = database.get("PRAGMA wal_checkpoint(TRUNCATE)") as { busy: number } | undefined;
    if (done?.busy !== 0) throw new Error("another connection is reading an old state of the file");
  };
  cut();
  // Noted as done only now: a crash before this repeats all of it.
  database.run("DELETE FROM fact WHERE name = 'erase'");
}
