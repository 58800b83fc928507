// Making the index anew from the log, in a thread of its own: seconds for a hundred thousand messages.
import { once } from "node:events";
import { closeSync, fsyncSync, openSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Log } from "../store/port.ts";
import type { Find } from "../taint/folded.ts";
import { openReader } from "./reading.ts";
import { indexFiles, makeFile, makeIndex, removeIndex, removeUnfinished } from "./schema.ts";
import { transact } from "./upkeep.ts";
import { compact, writeCounts, writeReading, type Counts } from "./writing.ts";

/** A build under way. */
export type Build = {
  /** From 0 to 1. */
  share(): number;
  /** Resolves when it has ended, however it did, and what follows it is done. */
  readonly over: Promise<void>;
  /** Ends it; resolves when the thread is gone. The unfinished file stays. */
  stop(): Promise<void>;
};

/** What the thread is told. `stop`: not 0 when it is to end. */
export type BuildOrder = {
  readonly folder: string;
  readonly secrets: readonly string[];
  readonly scrubber: string;
  readonly stop: Int32Array<SharedArrayBuffer>;
};

/**
 * Builds into the file beside the index, from the store's file as it is. `then` is called when the new file is whole and on the disk, or
 * with what the thread threw; not when it was stopped. It must not throw.
 */
export function startBuild(order: Omit<BuildOrder, "stop">, then: (failure: unknown) => Promise<void>): Build {
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(new URL("./build-worker.ts", import.meta.url), {
    workerData: { ...order, stop } satisfies BuildOrder,
    execArgv: [],
    // What it reads lives for a moment only; left to itself the thread takes three times the memory.
    resourceLimits: { maxYoungGenerationSizeMb: 8 },
  });
  let share = 0;
  worker.on("message", (told: number) => {
    share = told;
  });
  const gone = once(worker, "exit").then(
    () => undefined,
    (thrown: unknown) => thrown ?? new Error("the thread that builds the search index failed"),
  );
  const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
  return {
    share: () => share,
    over: gone.then(async (failure) => {
      if (!isStopped()) await then(failure);
    }),
    async stop() {
      Atomics.store(stop, 0, 1);
      await gone;
    },
  };
}

/** Entries of one read and of one transaction. */
const BATCH = 2000;
/** The last part of the work, which no entry counts for: the list is joined and the terms are written. */
const READING_SHARE = 0.85;

/** The work of the thread. `isStopped` is asked between steps; a file that was not finished is of no use. */
export async function build(
  { folder, scrubber }: Pick<BuildOrder, "folder" | "scrubber">,
  {
    log,
    secretsIn,
    told,
    isStopped,
  }: {
    readonly log: Pick<Log, "read" | "head" | "page">;
    readonly secretsIn: Find;
    readonly told: (share: number) => void;
    readonly isStopped: () => boolean;
  },
): Promise<void> {
  const { next, draft } = indexFiles(folder);
  removeUnfinished(folder);
  {
    using database = makeIndex(draft, scrubber);
    // Nothing is ever undone here, and whatever ends this early leaves a file that nobody opens.
    database.exec(`
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16000`);
    const counts: Counts = new Map();
    const reader = openReader(log, secretsIn);
    const head = await log.head();
    for (let place = 0; ;) {
      if (isStopped()) return;
      const entries = await log.page(place, BATCH);
      const last = entries.at(-1);
      if (last === undefined) break;
      const reading = await reader.read(entries);
      const upTo = last.place;
      transact(database, () => writeReading(database, reading, upTo, counts));
      place = upTo;
      told(READING_SHARE * Math.min(1, place / Math.max(1, head)));
    }
    transact(database, () => writeCounts(database, counts));
    if (!compact(database, isStopped)) return;
    // Rows of a chat come from all over the log: written anew, pages are full and lie in order.
    makeFile(next);
    database.run("VACUUM INTO ?", next);
  }
  removeIndex(draft);
  const file = openSync(next, "r+");
  fsyncSync(file);
  closeSync(file);
}
