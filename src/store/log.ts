// The log's reading side: one conversation's lines, and following all of them.
import type { Entry, PlacedEntry } from "../core/conversation.ts";
import type { Database } from "./database.ts";
import type { Log } from "./port.ts";

type EntryRow = { readonly seq: number; readonly at: number; readonly kind: string; readonly body: string };
type PlacedRow = EntryRow & { readonly place: number; readonly conversation: string };

const BATCH = 500;

// No column that is known already: a turn reads hundreds of rows.
const OLDEST = "SELECT seq, at, kind, body FROM entry WHERE conversation = ? AND seq > ? ORDER BY seq LIMIT ?";
const NEWEST = "SELECT seq, at, kind, body FROM entry WHERE conversation = ? AND seq > ? ORDER BY seq DESC LIMIT ?";

const PAGE = "SELECT * FROM entry WHERE place > ? ORDER BY place LIMIT ?";
const LOOKS = "SELECT * FROM entry WHERE kind = 'looked' AND place < ? ORDER BY place DESC LIMIT ?";

/** All of the log but following it. Works on a read-only connection too. */
export function readLog(database: Database): Omit<Log, "follow"> {
  return {
    async head() {
      const newest = database.get("SELECT max(place) AS place FROM entry") as { place: number | null };
      return newest.place ?? 0;
    },
    async page(after, limit) {
      return readPage(database, PAGE, after, limit);
    },
    async looks(limit, before = Number.MAX_SAFE_INTEGER) {
      return readPage(database, LOOKS, before, limit);
    },
    async read(conversation, range = {}) {
      const { after = 0, limit = -1, last = false } = range;
      const rows = database.all(last ? NEWEST : OLDEST, conversation, after, limit) as readonly EntryRow[];
      return (last ? rows.toReversed() : rows).map((row) => toEntry(conversation, row));
    },
  };
}

function readPage(database: Database, sql: string, place: number, limit: number): readonly PlacedEntry[] {
  const rows = database.all(sql, place, limit) as readonly PlacedRow[];
  return rows.map((row): PlacedEntry => ({ place: row.place, entry: toEntry(row.conversation, row) }));
}

/** What was read of one conversation: all entries above `after`, up to the newest that there was. Seqs have no gaps. */
type Tail = { readonly after: number; readonly entries: Entry[]; chars: number };

/** At most this many characters of bodies are kept, those read last. */
const KEPT_CHARS = 4_000_000;

/**
 * Reads a conversation to its end from memory as far as it can: a turn reads what the turn before it read and a few lines
 * more. An entry never changes, so what is kept holds until `forget`.
 */
function keepTails(database: Database): Pick<Log, "read"> & { readonly forget: (conversation: string) => void } {
  const { read } = readLog(database);
  // In the order of use.
  const tails = new Map<string, Tail>();
  let chars = 0;
  const forget = (conversation: string): void => {
    chars -= tails.get(conversation)?.chars ?? 0;
    tails.delete(conversation);
  };
  return {
    forget,
    async read(conversation, range = {}) {
      const { after = 0, limit, last = false } = range;
      if (limit !== undefined || last) return await read(conversation, range);
      const known = tails.get(conversation);
      const tail: Tail = known !== undefined && known.after <= after ? known : { after, entries: [], chars: 0 };
      forget(conversation);
      const head = tail.after + tail.entries.length;
      for (const row of database.all(OLDEST, conversation, head, -1) as readonly EntryRow[]) {
        tail.entries.push(toEntry(conversation, row));
        tail.chars += row.body.length;
      }
      tails.set(conversation, tail);
      chars += tail.chars;
      for (const [oldest] of tails) {
        if (chars <= KEPT_CHARS) break;
        forget(oldest);
      }
      return tail.entries.slice(after - tail.after);
    },
  };
}

/** The log with its followers, who hold nothing but a place each: a slow one reads from the table when it asks again. */
export type FollowedLog = Log & {
  /** Keeps nothing more of a conversation in memory. */
  forget(conversation: string): void;
  /** Entries were committed. */
  wake(): void;
  /** Ends every follower. */
  end(): void;
};

export function followLog(database: Database): FollowedLog {
  const asleep = new Set<() => void>();
  const ending = new AbortController();
  const woken = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const rouse = (): void => {
        asleep.delete(rouse);
        signal.removeEventListener("abort", rouse);
        resolve();
      };
      asleep.add(rouse);
      signal.addEventListener("abort", rouse);
    });
  return {
    ...readLog(database),
    ...keepTails(database),
    async *follow(after, signal) {
      let place = after;
      const over = AbortSignal.any([signal, ending.signal]);
      while (!over.aborted) {
        const rows = readPage(database, PAGE, place, BATCH);
        const newest = rows.at(-1);
        if (newest === undefined) {
          // Nothing can be committed between the look above and falling asleep: both are in one step of the event loop.
          await woken(over);
          continue;
        }
        place = newest.place;
        yield rows;
      }
    },
    wake: () => {
      for (const rouse of [...asleep]) rouse();
    },
    end: () => ending.abort(),
  };
}

/** Written into what was parsed: copying it first costs more than the parsing. */
function toEntry(conversation: string, { seq, at, kind, body }: EntryRow): Entry {
  return Object.assign(JSON.parse(body) as object, { kind, conversation, seq, at }) as Entry;
}
