// The index's own file: its tables, what it notes about itself, and whether a file that is found can be gone on with.
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../store/database.ts";
import type { Who } from "./port.ts";
import { TOKENS_VERSION } from "./words.ts";

/** Marks a SQLite file as an index of Tidegate's ("TideS"), so that somebody else's database is never taken for one. */
const APPLICATION_ID = 0x54696453;
const VERSION = 1;

/** For nobody else to read. */
const MODE = 0o600;

/** What `passage.who` counts by. */
export const WHO: readonly Who[] = ["you", "assistant", "them", "step"];

/**
 * `chat.place`, `seq`, `at`: its newest entry that was taken in. `passage.n` is the log place of its entry times 64 and a number within;
 * passages of one line and speaker that have following numbers are one text. `posting` holds tokens by passage; it is a list only, nothing
 * of it is ranked by FTS5. `term.df`: how many passages hold it.
 */
const TABLES = `
  CREATE TABLE chat (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, place INTEGER NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE passage (
    n INTEGER PRIMARY KEY, chat INTEGER NOT NULL, line INTEGER NOT NULL, who INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX passage_line ON passage (chat, line);
  CREATE TABLE term (term TEXT PRIMARY KEY, df INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE posting USING fts5(tokens, content='', detail=none, columnsize=0, tokenize='ascii')`;

/** The index's file in a data folder, the one that a build makes to take its place, and the one that it works in before. */
export function indexFiles(folder: string): { readonly main: string; readonly next: string; readonly draft: string } {
  const main = join(folder, "search.db");
  return { main, next: `${main}.new`, draft: `${main}.draft` };
}

/** What a file must have been made with to be of use. `scrubber` says which secrets and shapes were taken out of it. */
export type Made = (scrubber: string) => boolean;

/** `foreign`: of another program, to be left whole. */
export type Unfit = { readonly unfit: string; readonly foreign: boolean };

/** Opens the index at `path` for writing. Unfit: missing, of another version, of other secrets. Throws what SQLite throws. */
export function openIndex(path: string, made: Made): Database | Unfit {
  if (!existsSync(path)) return { unfit: "there is none yet", foreign: false };
  const database = openDatabase(path);
  try {
    const unfit = unfitFor(database, made);
    if (unfit === undefined) {
      chmodSync(path, MODE);
      setUp(database);
      return database;
    }
    database[Symbol.dispose]();
    return unfit;
  } catch (thrown) {
    database[Symbol.dispose]();
    throw thrown;
  }
}

/** Makes an empty index; nothing may be at `path`. `scrubber`: what is noted of how it is scrubbed. */
export function makeIndex(path: string, scrubber: string): Database {
  if (path !== IN_MEMORY) makeFile(path);
  const database = openDatabase(path);
  try {
    setUp(database);
    database.exec(`BEGIN; ${TABLES}; PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}`);
    setFact(database, "tokens", String(TOKENS_VERSION));
    setFact(database, "scrubber", scrubber);
    setFact(database, "place", "0");
    database.exec("COMMIT");
    return database;
  } catch (thrown) {
    database[Symbol.dispose]();
    throw thrown;
  }
}

/** Makes an empty file for nobody else to read. SQLite gives the files beside it the same mode. */
export function makeFile(path: string): void {
  closeSync(openSync(path, "wx", MODE));
}

/** For an index that ends with its connection. */
export const IN_MEMORY = ":memory:";

/** Why the index can't be gone on with; undefined when it can. Reads only. */
export function unfitFor(database: Database, made: Made): Unfit | undefined {
  const application = (database.get("PRAGMA application_id") as { application_id: number }).application_id;
  const version = (database.get("PRAGMA user_version") as { user_version: number }).user_version;
  const things = (database.get("SELECT count(*) AS things FROM sqlite_schema") as { things: number }).things;
  if (application !== APPLICATION_ID) {
    return { unfit: things === 0 ? "it is empty" : "it is another program's", foreign: things > 0 };
  }
  if (version !== VERSION) return { unfit: "it is of another version", foreign: false };
  if (factOf(database, "tokens") !== String(TOKENS_VERSION))
    return { unfit: "words are cut differently", foreign: false };
  if (!made(factOf(database, "scrubber") ?? ""))
    return { unfit: "other secrets are to be left out of it", foreign: false };
  return undefined;
}

/**
 * NORMAL: a power cut may take the newest rows, and their place with them, never the file. The write-ahead log is moved into the file by a
 * thread of its own (upkeep.ts), so that nobody here waits for the disk; once it was, it is cut, so that its size tells what is in it.
 */
function setUp(database: Database): void {
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA cache_size = -24000;
    PRAGMA wal_autocheckpoint = 0; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 1000000`);
}

/** `place`: the log is in the index up to there. `erase`: rows were taken out and the file was not rewritten since. */
type FactName = "tokens" | "scrubber" | "place" | "erase";

export function factOf(database: Database, name: FactName): string | undefined {
  const fact = database.get("SELECT value FROM fact WHERE name = ?", name) as { value: string } | undefined;
  return fact?.value;
}

export function setFact(database: Database, name: FactName, value: string): void {
  database.run(
    "INSERT INTO fact (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
    name,
    value,
  );
}

/** Removes an index with SQLite's files beside it. It is made again from the log, and one that is kept would keep deleted chats. */
export function removeIndex(path: string): void {
  for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${ending}`, { force: true });
}

/** Removes what builds have left that did not come to their end. */
export function removeUnfinished(folder: string): void {
  const { next, draft } = indexFiles(folder);
  removeIndex(next);
  removeIndex(draft);
}

/** Puts another program's file aside, one of them. */
export function setAside(path: string): void {
  renameSync(path, `${path}.foreign`);
  removeIndex(path);
}
