// The thread that rewrites the file after a deletion; see erase.ts.
import { workerData } from "node:worker_threads";
import { openDatabase } from "./database.ts";

const { path, chore, waitMs } = workerData as {
  readonly path: string;
  readonly chore: string;
  readonly waitMs: number;
};
using database = openDatabase(path, { waitMs });
database.exec("PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -4000; VACUUM");
const cut = database.get("PRAGMA wal_checkpoint(TRUNCATE)") as { busy: number } | undefined;
if (cut?.busy !== 0) throw new Error("another connection is reading an old state of the file");
// Noted as done only now: a crash before this repeats all of it.
database.run("DELETE FROM chore WHERE name = ?", chore);
