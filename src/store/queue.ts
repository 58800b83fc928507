// Group commit: everything that waits when the event loop comes round is written by one transaction and at most one sync to disk.
import type { Clock } from "../core/surroundings.ts";
import { GatewayError } from "../core/error.ts";
import { isDiskFailure, isDiskFull, type Database } from "./database.ts";
import type { WalSync } from "./wal.ts";

/** Work inside a transaction: synchronous, and touching nothing but the database. `keep: false` undoes what it did there. */
export type Job<T> = () => { readonly value: T; readonly keep: boolean };

/** The one way to write. Owned by the store. */
export type Queue = {
  /**
   * Resolves with the job's value once it is committed, or once it was undone. A commit survives the process; with `sync` the
   * disk has it too, and all that was committed before it. What a job throws rejects only its own caller;
   * a failing disk or file rejects everyone in that transaction with `data-broken`. Later jobs start afresh in either case.
   *
   * `after` runs between the commit and the answer, with no transaction open and none begun until it ends: jobs wait
   * meanwhile. What it throws rejects the caller, though the job's work is done.
   */
  add<T>(job: Job<T>, how?: { readonly sync?: boolean; readonly after?: () => Promise<void> }): Promise<T>;
  /** Writes what waits, lets tasks under way end, and refuses whatever comes later. */
  close(): Promise<void>;
};

type Waiting = {
  readonly sync: boolean;
  /** Runs the job; true when what it did is to be kept. */
  readonly run: () => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * `committed` is called after each transaction that kept something. With `wal` the disk is waited for off the event loop:
 * transactions go on meanwhile, and whoever asked for a sync is told when it has come.
 */
export function openQueue(database: Database, clock: Clock, committed: () => void, wal?: Pick<WalSync, "sync">): Queue {
  let waiting: Waiting[] = [];
  let scheduled = false;
  let syncing: boolean | undefined;
  const synced = new Set<Promise<void>>();
  let closed = false;
  /** How many tasks want the database for themselves, and the end of the last of them. */
  let tasks = 0;
  let lastTask: Promise<unknown> = Promise.resolve();

  const schedule = (): void => {
    if (scheduled || tasks > 0 || waiting.length === 0) return;
    scheduled = true;
    clock.soon(() => {
      scheduled = false;
      flush();
    });
  };

  const flush = (): void => {
    if (tasks > 0 || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    let done: { readonly told: readonly Told[]; readonly kept: boolean };
    try {
      const sync = wal === undefined && batch.some((one) => one.sync);
      // In WAL mode the log is synced at each commit with FULL, and with NORMAL only when it is moved into the main file.
      if (sync !== syncing) database.exec(`PRAGMA synchronous = ${sync ? "FULL" : "NORMAL"}`);
      syncing = sync;
      done = transact(database, batch);
    } catch (thrown) {
      rollBack(database);
      const error = writeError(thrown);
      for (const { reject } of batch) reject(error);
      return;
    }
    const aside = wal !== undefined && done.kept;
    for (const { one, settle } of done.told) if (!aside || !one.sync) settle();
    if (done.kept) committed();
    const later = aside ? done.told.filter(({ one }) => one.sync) : [];
    if (wal === undefined || later.length === 0) return;
    const settled = wal.sync().then(
      () => {
        for (const { settle } of later) settle();
      },
      (thrown: unknown) => {
        const error = writeError(thrown);
        for (const { one } of later) one.reject(error);
      },
    );
    synced.add(settled);
    void settled.then(() => synced.delete(settled));
  };

  const runAlone = async (task: () => Promise<void>): Promise<void> => {
    tasks += 1;
    const mine = lastTask.then(task);
    lastTask = mine.catch(() => undefined);
    try {
      await mine;
    } finally {
      tasks -= 1;
      schedule();
    }
  };

  return {
    add: <T>(
      job: Job<T>,
      { sync = true, after }: { readonly sync?: boolean; readonly after?: () => Promise<void> } = {},
    ) =>
      new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new GatewayError("internal", "The store is closed."));
          return;
        }
        let outcome: ReturnType<Job<T>>;
        waiting.push({
          sync,
          run() {
            outcome = job();
            return outcome.keep;
          },
          resolve() {
            if (after === undefined || !outcome.keep) resolve(outcome.value);
            else runAlone(after).then(() => resolve(outcome.value), reject);
          },
          reject,
        });
        schedule();
      }),
    async close() {
      closed = true;
      await lastTask;
      flush();
      await lastTask;
      await Promise.all(synced);
    },
  };
}

/** What is to be told to a caller once its commit stands. */
type Told = { readonly one: Waiting; readonly settle: () => void };

/** One transaction over the batch. Gives what to tell each caller; throws when the transaction as a whole failed. */
function transact(database: Database, batch: readonly Waiting[]): { told: Told[]; kept: boolean } {
  const lone = batch.length === 1;
  let kept = false;
  database.run("BEGIN IMMEDIATE");
  const told = batch.map((one): Told => {
    // A lone job needs no savepoint: undoing it is undoing the transaction.
    if (!lone) database.run("SAVEPOINT job");
    let keep = false;
    let tell = one.resolve;
    try {
      keep = one.run();
    } catch (thrown) {
      if (isDiskFailure(thrown) || !database.inTransaction()) throw thrown;
      tell = () =>
        one.reject(
          thrown instanceof GatewayError ? thrown : new GatewayError("internal", undefined, { cause: thrown }),
        );
    }
    if (!keep) database.run(lone ? "ROLLBACK" : "ROLLBACK TO job");
    if (!lone) database.run("RELEASE job");
    kept ||= keep;
    return { one, settle: tell };
  });
  if (database.inTransaction()) database.run("COMMIT");
  return { told, kept };
}

function rollBack(database: Database): void {
  try {
    // SQLite has rolled back by itself after most failures of the disk.
    if (database.inTransaction()) database.run("ROLLBACK");
  } catch {
    // The file is beyond even that; the next BEGIN says so to the next caller.
  }
}

function writeError(thrown: unknown): GatewayError {
  const full = isDiskFull(thrown);
  return new GatewayError(
    "data-broken",
    full ? "The disk is full: nothing more can be written to the data folder." : "The data folder can't be written to.",
    { cause: thrown, ...(full ? { hint: "Free some space; Tidegate goes on by itself." } : {}) },
  );
}
