// Whether the index that lies in a data folder can be gone on with.
import { existsSync } from "node:fs";
import { openDatabase, type Database } from "../store/database.ts";
import type { SearchedStore } from "./index.ts";
import { isNoteOf } from "./scrubbed.ts";
import { indexFiles, openIndex, removeIndex, setAside, setFact, unfitFor } from "./schema.ts";

/** Opens the index at `path` when it is of this log, of these secrets and not more than `farBehind` places of the log behind. Else says why not; what was there is gone then. Throws what SQLite throws. */
export async function openCurrent(
  path: string,
  { log, conversations }: SearchedStore,
  { secrets, farBehind }: { readonly secrets: readonly string[]; readonly farBehind: number },
): Promise<Database | { readonly unfit: string }> {
  const opened = openIndex(path, (note) => isNoteOf(note, secrets));
  if ("unfit" in opened) {
    if (opened.foreign) setAside(path);
    removeIndex(path);
    return opened;
  }
  try {
    const place = await placeInLog(opened, { log, conversations });
    const head = await log.head();
    if (place !== undefined && head - place <= farBehind) {
      setFact(opened, "place", String(place));
      return opened;
    }
    opened[Symbol.dispose]();
    removeIndex(path);
    return { unfit: place === undefined ? "it is of another log" : "it is far behind" };
  } catch (thrown) {
    opened[Symbol.dispose]();
    throw thrown;
  }
}

type Chat = { readonly id: string; readonly place: number; readonly seq: number; readonly at: number };

/**
 * Up to where the log is in the index; undefined when it is another log, or one that has lost its end since, as in a power cut. What was
 * lost is always an end of the log, so the newest entry that was taken in tells: of the chats that there still are, since one that was
 * deleted has taken its entries along.
 */
async function placeInLog(database: Database, { log, conversations }: SearchedStore): Promise<number | undefined> {
  const chats = database.all("SELECT id, place, seq, at FROM chat ORDER BY place DESC") as readonly Chat[];
  if (chats.length === 0) return 0;
  for (const { id, place, seq, at } of chats) {
    if ((await conversations.get(id)) === undefined) continue;
    const [entry] = await log.read(id, { after: seq - 1, limit: 1 });
    return entry?.at === at ? place : undefined;
  }
  return undefined;
}

/** Looks at the index in a data folder without changing anything: why the next start makes it anew, undefined when it doesn't. Throws what SQLite throws. */
export function whyUnfit(folder: string): string | undefined {
  const { main } = indexFiles(folder);
  if (!existsSync(main)) return "there is none yet";
  using database = openDatabase(main, { readOnly: true });
  return unfitFor(database, () => true)?.unfit;
}
