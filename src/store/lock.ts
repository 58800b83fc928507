// One gateway per data folder: a lock that the system frees when its holder is gone, however that came about.
import { GatewayError } from "../core/error.ts";
import { isBusy, openDatabase } from "./database.ts";
import { cannotOpen, makePrivateFile, makePrivateFolder, storeFiles } from "./file.ts";

/** Held until it is disposed or the process ends. */
export type Lock = Disposable;

/**
 * Takes the folder, making it if need be. Throws `data-locked`, naming the folder, when anyone holds it: another process, or
 * another lock of this one. The lock is SQLite's own exclusive one on a file that never holds anything, which works alike on
 * every system and needs no process ids that a later process may bear again.
 */
export function lockFolder(folder: string): Lock {
  makePrivateFolder(folder);
  const path = storeFiles(folder).lock;
  try {
    makePrivateFile(path);
    const database = openDatabase(path, { waitMs: 0 });
    try {
      // No journal file: there is nothing to roll back.
      database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (thrown) {
      database[Symbol.dispose]();
      throw thrown;
    }
    return { [Symbol.dispose]: () => database[Symbol.dispose]() };
  } catch (thrown) {
    if (!isBusy(thrown)) throw cannotOpen(folder, thrown);
    throw new GatewayError("data-locked", `Another Tidegate is already running on the data folder ${folder}.`, {
      hint: "Stop it first, or choose another data folder.",
      cause: thrown,
    });
  }
}
