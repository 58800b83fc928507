// The data folder's files: made for nobody else to read, looked at before anything is written, opened for writing or reading.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { GatewayError } from "../core/error.ts";
import { openDatabase, type Database } from "./database.ts";
import { fileVersion, migrate, MIGRATIONS, refuseForeign } from "./schema.ts";

/** The store's files in a data folder. Only `lockFolder` may open `lock`: in one process, any other way of closing it would free the lock. */
export function storeFiles(folder: string): {
  readonly main: string;
  readonly settings: string;
  readonly lock: string;
} {
  return { main: join(folder, "tidegate.db"), settings: join(folder, "settings.db"), lock: join(folder, "lock.db") };
}

/** Makes the folder, or takes it as it is, with mode 0700. Throws `data-broken` when that can't be. */
export function makePrivateFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (cause) {
    throw cannotOpen(folder, cause);
  }
}

/**
 * Makes an empty file where there is none, and gives it and SQLite's files beside it mode 0600; SQLite then makes further ones
 * like it. A file that is there is never opened: closing it would free the locks that SQLite holds on it in this process.
 */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, "wx", 0o600));
  for (const one of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) {
    if (existsSync(one)) chmodSync(one, 0o600);
  }
}

/** Opens the main file for writing, making and migrating it as needed. Throws a GatewayError; a file that is refused stays exactly as it is. */
export function openForWriting(folder: string): Database {
  makePrivateFolder(folder);
  const path = storeFiles(folder).main;
  if (sizeOf(path) > 0) inspect(folder, path);
  let database: Database | undefined;
  try {
    makePrivateFile(path);
    database = openDatabase(path);
    // FULL: a commit that resolved survives a power cut. The log beside the file is cut back to 16 MB after a burst.
    database.exec(`
      PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
      PRAGMA cache_size = -4000; PRAGMA wal_autocheckpoint = 4000; PRAGMA temp_store = MEMORY; PRAGMA journal_size_limit = 16777216`);
    migrate(database);
    return database;
  } catch (thrown) {
    database?.[Symbol.dispose]();
    throw cannotOpen(folder, thrown);
  }
}

/** Opens the main file for reading; makes and changes nothing. Throws a GatewayError unless it is a store of exactly this version. */
export function openForReading(folder: string): Database {
  const path = storeFiles(folder).main;
  if (sizeOf(path) === 0) throw noData(folder);
  if (inspect(folder, path) !== MIGRATIONS.length) {
    throw new GatewayError("data-broken", `The data in ${folder} was written by an older Tidegate.`, {
      hint: "Start Tidegate once: it brings the data up to date.",
    });
  }
  return openDatabase(path, { readOnly: true });
}

/** A store that ends with its connection. */
export function openInMemory(): Database {
  const database = openDatabase(":memory:");
  database.exec("PRAGMA foreign_keys = ON");
  migrate(database);
  return database;
}

/**
 * What a file is, seen through a connection that can't write. Throws a GatewayError unless it is a store of this or an older
 * version, or an empty database.
 */
function inspect(folder: string, path: string): ReturnType<typeof fileVersion> {
  try {
    using database = openDatabase(path, { readOnly: true });
    const version = fileVersion(database);
    refuseForeign(version, path);
    return version;
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    throw cannotOpen(folder, thrown, `The file ${path} can't be read: it is damaged, or no database at all.`);
  }
}

/** 0 when there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** There is no store in the folder, in words. */
export function noData(folder: string): GatewayError {
  return new GatewayError("data-broken", `There is no data in the folder ${folder} yet.`, {
    hint: "Check the data folder in the config, or start Tidegate once.",
  });
}

/** The data folder can't be opened, in words. */
export function cannotOpen(folder: string, cause: unknown, words?: string): GatewayError {
  return new GatewayError("data-broken", words ?? `The data folder ${folder} can't be opened.`, {
    cause,
    hint: "Check that it is a folder, that it is yours, and that there is room on the disk.",
  });
}
