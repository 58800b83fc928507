// A backup: one file that holds everything, made while a gateway may be running.
//
// The main file is copied by SQLite's own backup. The settings live in a file that another SQLite library writes, and two
// libraries must not open one file in one process; so they are read through Keyv and put beside the copy as rows. To restore,
// put the backup as `tidegate.db` into a new data folder: the settings move back to their own place at their first use.
import { existsSync, linkSync, rmSync } from "node:fs";
import { backup } from "node:sqlite";
import { GatewayError } from "../core/error.ts";
import { openDatabase } from "./database.ts";
import { cannotOpen, makePrivateFile, noData, storeFiles } from "./file.ts";
import { allSettings, fileKeyv } from "./settings.ts";

/**
 * Writes all that the data folder holds in the store to `file` (0600), as of one moment, whether or not a gateway runs. Throws a
 * GatewayError when `file` is there already (it is never overwritten), when there is no store, or when the disk fails; then no
 * file is left behind.
 */
export async function backUp(folder: string, file: string): Promise<void> {
  const { main, settings } = storeFiles(folder);
  if (existsSync(file)) throw occupied(file);
  if (!existsSync(main)) throw noData(folder);
  // Written under another name first: what bears the asked-for name is always whole.
  const draft = `${file}.unfinished`;
  try {
    rmSync(draft, { force: true });
    makePrivateFile(draft);
    {
      using source = openDatabase(main, { readOnly: true });
      // All pages in one step: a writer between two steps would make it start over, perhaps for ever.
      await backup(source.connection, draft, { rate: 2 ** 31 - 1 });
    }
    const kept = existsSync(settings) ? await readSettings(settings) : [];
    {
      using copy = openDatabase(draft);
      // A single file, without a log beside it.
      copy.exec("PRAGMA journal_mode = DELETE; BEGIN");
      for (const [key, value] of kept) {
        copy.run(
          "INSERT OR REPLACE INTO kept_setting (key, value) VALUES (?, ?)",
          key,
          JSON.stringify(value) ?? "null",
        );
      }
      copy.exec("COMMIT");
    }
    // Unlike a rename, a link refuses a name that somebody has taken meanwhile.
    linkSync(draft, file);
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    if (thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST") throw occupied(file);
    throw cannotOpen(folder, thrown, `The backup ${file} can't be written.`);
  } finally {
    for (const path of [draft, `${draft}-journal`]) rmSync(path, { force: true });
  }
}

async function readSettings(path: string): Promise<readonly (readonly [key: string, value: unknown])[]> {
  const keyv = await fileKeyv(path)();
  try {
    return await allSettings(keyv);
  } finally {
    await keyv.disconnect();
  }
}

function occupied(file: string): GatewayError {
  return new GatewayError("bad-request", `There is a file ${file} already. Nothing was overwritten.`, {
    hint: "Choose another name.",
  });
}
