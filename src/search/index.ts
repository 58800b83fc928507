// An index in use: it takes in the log in slices, forgets chats, and is asked.
import { statSync } from "node:fs";
import type { PlacedEntry } from "../core/conversation.ts";
import { GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { isDiskFailure, isDiskFull, isBusy, type Database } from "../store/database.ts";
import type { Conversations, Log } from "../store/port.ts";
import type { Find } from "../taint/folded.ts";
import { openReader, type Reader } from "./reading.ts";
import { factOf, IN_MEMORY } from "./schema.ts";
import { loadVocabulary, type Vocabulary } from "./spelling.ts";
import { removeChats, transact, upkeep } from "./upkeep.ts";
import { writeCounts, writeReading, type Counts } from "./writing.ts";

/** What of a store is read. One without `follow` is taken in when something is asked. */
export type SearchedStore = {
  readonly log: Omit<Log, "follow"> & Partial<Pick<Log, "follow">>;
  readonly conversations: Pick<Conversations, "get">;
};

/** What an index in use is given. `forgotten`: chats whose late entries are passed over. */
export type IndexOptions = {
  readonly path: string;
  readonly store: SearchedStore;
  readonly secretsIn: Find;
  readonly forgotten: ReadonlySet<string>;
  readonly ending: AbortSignal;
} & Pick<Surroundings, "clock" | "log">;

/** What the event loop is held up for at a time, a few milliseconds: entries and characters of a slice, chats looked up. */
const SLICE_ENTRIES = 24;
const SLICE_CHARS = 3000;
const SLICE_CHATS = 50;

/** A write-ahead log of more bytes than this is moved into the file, and one of more than that is waited for. */
const MAX_WAL_BYTES = 4_000_000;
const TOO_MUCH_WAL_BYTES = 64_000_000;

/**
 * Owns its connection. Calls that change something must not overlap; they throw what SQLite throws, and what was committed by then
 * stands.
 */
export class Index {
  readonly database: Database;
  readonly #options: IndexOptions;
  #place: number;
  #reader: Reader;
  #vocabulary: Vocabulary | undefined;
  #movingIn: Promise<void> | undefined;
  #mostWalBytes = MAX_WAL_BYTES;

  constructor(database: Database, options: IndexOptions) {
    this.database = database;
    this.#options = options;
    this.#place = placeOf(database);
    this.#reader = this.#newReader();
  }

  /** The log is in it up to there. */
  get place(): number {
    return this.#place;
  }

  /** Undefined before `prepare`. */
  get vocabulary(): Vocabulary | undefined {
    return this.#vocabulary;
  }

  /** Does what was left to do when it was last used, and gets ready to be asked. Nothing to do the second time. */
  async prepare(): Promise<void> {
    if (this.#vocabulary !== undefined) return;
    // The program ended between the store's deletion and ours.
    const gone = await this.#gone();
    if (gone.length > 0 || factOf(this.database, "erase") !== undefined) await this.erase(gone);
    this.#vocabulary = await loadVocabulary(this.database, this.#options.clock);
  }

  async #gone(): Promise<readonly string[]> {
    const gone: string[] = [];
    const chats = this.database.all("SELECT id FROM chat ORDER BY n") as readonly { readonly id: string }[];
    for (const [index, { id }] of chats.entries()) {
      const { forgotten, store } = this.#options;
      if (forgotten.has(id) || (await store.conversations.get(id)) === undefined) gone.push(id);
      if (index % SLICE_CHATS === SLICE_CHATS - 1) await this.#soon();
    }
    return gone;
  }

  /** Takes in the log up to this place of it, or until the signal fires. */
  async take(head: number): Promise<void> {
    const { store, ending } = this.#options;
    while (this.#place < head && !ending.aborted) {
      const slice = sliceOf(await store.log.page(this.#place, SLICE_ENTRIES).catch(unreadable));
      const last = slice.at(-1);
      if (last === undefined) return;
      await this.#takeSlice(slice, last.place);
      await this.#soon();
      this.#moveIn();
      if (this.#walBytes() > TOO_MUCH_WAL_BYTES) await this.#movingIn;
    }
  }

  async #takeSlice(slice: readonly PlacedEntry[], upTo: number): Promise<void> {
    const { forgotten, clock } = this.#options;
    const counts: Counts = new Map();
    let alone = true;
    try {
      const reading = await this.#reader.read(slice.filter(({ entry }) => !forgotten.has(entry.conversation)));
      transact(this.database, () => {
        alone = placeOf(this.database) === this.#place;
        if (!alone) return;
        writeReading(this.database, reading, upTo, counts);
        writeCounts(this.database, counts);
      });
    } catch (thrown) {
      // What it keeps of the chats is of entries that are not in the index.
      this.#reader = this.#newReader();
      throw thrown;
    }
    if (alone) {
      this.#place = upTo;
      for (const [term, change] of counts) this.#vocabulary?.count(term, change);
    } else {
      // Another process has taken in some of it, such as a search from the command line.
      this.#reader = this.#newReader();
      this.#place = placeOf(this.database);
      this.#vocabulary = await loadVocabulary(this.database, clock);
    }
  }

  #newReader(): Reader {
    const { store, secretsIn } = this.#options;
    const read: typeof store.log.read = (...given) => store.log.read(...given).catch(unreadable);
    return openReader({ read }, secretsIn, async () => await this.#soon());
  }

  /** Takes chats out, and rewrites the file without them; takes seconds where it is large. Throws `data-broken` when traces may be left. */
  async erase(chats: readonly string[]): Promise<void> {
    const { path, log, clock } = this.#options;
    for (const chat of chats) this.#reader.forget(chat);
    if (path === IN_MEMORY) await removeChats(this.database, chats, async () => await this.#soon());
    else {
      await this.#movingIn;
      await upkeep({ do: "erase", path, chats }).catch((thrown: unknown) => {
        if (isFileFailure(thrown)) throw thrown;
        log.warn({ err: thrown }, "traces of a deleted chat are still in the search index");
        throw tracesLeft(thrown);
      });
    }
    // Anew: it keeps the letters even of words that nothing holds any more.
    if (this.#vocabulary !== undefined) this.#vocabulary = await loadVocabulary(this.database, clock);
  }

  /** Moves a long write-ahead log into the file, off this thread: nobody here waits for the disk. */
  #moveIn(): void {
    const bytes = this.#walBytes();
    if (this.#movingIn !== undefined || bytes < this.#mostWalBytes) return;
    const { path, log } = this.#options;
    this.#movingIn = upkeep({ do: "checkpoint", path }).then(
      () => {
        this.#movingIn = undefined;
        this.#mostWalBytes = MAX_WAL_BYTES;
      },
      (thrown: unknown) => {
        this.#movingIn = undefined;
        // Not again at once: it will fail again.
        this.#mostWalBytes = 2 * bytes;
        log.warn({ err: thrown }, "the search index's log can't be moved into its file");
      },
    );
  }

  #walBytes(): number {
    const { path } = this.#options;
    if (path === IN_MEMORY) return 0;
    return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #soon(): Promise<void> {
    return new Promise((resolve) => {
      this.#options.clock.soon(resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#movingIn;
    this.database[Symbol.dispose]();
  }
}

/** True when the file itself is of no use any more: not when it only can't be written to for now, nor for a mistake of ours. */
export function isFileFailure(thrown: unknown): boolean {
  return isDiskFailure(thrown) && !isDiskFull(thrown) && !isBusy(thrown);
}

/** A failure of the store is none of the index's: nothing of that is thrown away. */
function unreadable(cause: unknown): never {
  throw new GatewayError("search-broken", "Earlier chats can't be looked through now: what was said can't be read.", {
    cause,
    hint: "Try again in a minute.",
  });
}

function tracesLeft(cause: unknown): GatewayError {
  return new GatewayError("data-broken", "The chat is deleted, but traces of it may still be in the search index.", {
    hint: "Traces are removed when Tidegate is started the next time.",
    cause,
  });
}

function placeOf(database: Database): number {
  return Number(factOf(database, "place") ?? 0);
}

/** As many entries as are read and written in a few milliseconds; one at least. */
function sliceOf(entries: readonly PlacedEntry[]): readonly PlacedEntry[] {
  let chars = 0;
  const end = entries.findIndex(({ entry }) => {
    chars += charsOf(entry);
    return chars > SLICE_CHARS;
  });
  return end === -1 ? entries : entries.slice(0, Math.max(1, end));
}

function charsOf(entry: PlacedEntry["entry"]): number {
  if (entry.kind === "text") return entry.text.length;
  if (entry.kind !== "message") return 0;
  return entry.message.parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 0), 0);
}
