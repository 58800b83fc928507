// Deleting for good. SQLite overwrites what it frees (secure_delete), but rows that it once moved from page to page leave
// copies in gaps that it does not; only rewriting the file (VACUUM) removes those, and the write-ahead log must be cut after it.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { GatewayError } from "../core/error.ts";
import type { Database } from "./database.ts";
import { ABOUT_ONE, PASSING_KEY, type EngineSession } from "./port.ts";
import { sessionsOf } from "./records.ts";

/** What must still be done to the file, noted in the same transaction as the deletion, so that a crash can't skip it. */
const CHORE = "erase";

/** Takes a conversation's rows out, and gives the sessions it had. The file is to be rewritten after the commit. */
export function removeConversation(database: Database, id: string): readonly EngineSession[] {
  const sessions = sessionsOf(database, id);
  database.run("UPDATE inbound SET raw = NULL, outcome = 'deleted', conversation = NULL WHERE conversation = ?", id);
  database.run("DELETE FROM conversation WHERE id = ?", id);
  for (const about of ABOUT_ONE) {
    const mine = `${about}${id}/`;
    database.run("DELETE FROM cursor WHERE name > ? AND name < ?", mine, `${mine}\uFFFF`);
  }
  // Pages that wait to be shown may hold its words, whoever asked for them.
  database.run(
    "DELETE FROM outbox WHERE state IN ('planned', 'attempting', 'unknown') AND key >= ? AND key < ?",
    PASSING_KEY,
    `${PASSING_KEY}\uffff`,
  );
  database.run("INSERT OR IGNORE INTO chore (name) VALUES (?)", CHORE);
  return sessions;
}

/** True when a deletion was committed and the file was not rewritten since. */
export function mustErase(database: Database): boolean {
  return database.get("SELECT name FROM chore WHERE name = ?", CHORE) !== undefined;
}

/**
 * Rewrites the file at `path` and cuts its write-ahead log. Takes seconds for a file of hundreds of megabytes, so it runs in a
 * thread of its own: this one goes on reading. Nobody may write meanwhile. Throws a GatewayError when it can't be done, as when
 * another connection goes on reading an old state for longer than `waitMs`; the chore then stays noted.
 */
export async function eraseFreed(path: string, waitMs = 10_000): Promise<void> {
  const worker = new Worker(new URL("./erase-worker.ts", import.meta.url), {
    workerData: { path, chore: CHORE, waitMs },
    execArgv: [],
  });
  try {
    // Throws what the thread throws, if anything.
    await once(worker, "exit");
  } catch (cause) {
    throw new GatewayError("data-broken", "The chat is deleted, but traces of it may still be in the data file.", {
      hint: "Traces are removed when Tidegate is started the next time.",
      cause,
    });
  }
}
