// What the search is compared with: SQLite's own full-text search as it comes, by words and by three letters, and MiniSearch.
import { statSync } from "node:fs";
import { join } from "node:path";
import MiniSearch from "minisearch";
import { MAX_CHATS, MAX_HITS } from "../../src/search/port.ts";
import { openDatabase } from "../../src/store/database.ts";

/** A message to be found. */
export type Doc = { readonly id: number; readonly chat: string; readonly text: string };

export type Place = Pick<Doc, "id" | "chat">;

/** Another search over messages. `find` gives the best lines of the best chats, as the search does; `bytes`: what it takes on the disk. */
export type Rival = Disposable & {
  readonly name: string;
  add(docs: readonly Doc[]): void;
  find(query: string): readonly Place[];
  bytes(): number;
};

/** How many lines are taken to find eight chats in. */
const LINES = 200;

const NEWEST_LIKE = "SELECT n AS id, chat FROM message WHERE text LIKE ? ESCAPE '\\' ORDER BY n DESC LIMIT 200";
const BEST = `SELECT message.n AS id, chat FROM fts JOIN message ON message.n = fts.rowid
  WHERE fts MATCH ? ORDER BY bm25(fts) LIMIT ${LINES}`;

/** FTS5 over a table of messages, ranked by its bm25. Every word must be there; where no line has them all, any does. */
export function wordTable(folder: string): Rival {
  return table("FTS5 unicode61", folder, "unicode61", (words) => words);
}

/** The same by parts of three letters, which finds inside words. What is shorter is looked for in every text. */
export function trigramTable(folder: string): Rival {
  return table("FTS5 trigram", folder, "trigram", (words) => words.filter((word) => Array.from(word).length >= 3));
}

function table(
  name: string,
  folder: string,
  tokenize: string,
  usable: (words: readonly string[]) => readonly string[],
): Rival {
  const path = join(folder, `${tokenize}.db`);
  const database = openDatabase(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA cache_size = -64000;
    CREATE TABLE message (n INTEGER PRIMARY KEY, chat TEXT, text TEXT);
    CREATE VIRTUAL TABLE fts USING fts5 (text, content='message', content_rowid='n', tokenize='${tokenize}')`);
  return {
    name,
    add(docs) {
      database.exec("BEGIN");
      for (const { id, chat, text } of docs) {
        database.run("INSERT INTO message VALUES (?, ?, ?)", id, chat, text);
        database.run("INSERT INTO fts (rowid, text) VALUES (?, ?)", id, text);
      }
      database.exec("COMMIT");
    },
    find(query) {
      const words = usable(query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []);
      if (words.length === 0) {
        return byChat(
          database.all(NEWEST_LIKE, `%${query.replaceAll(/[%_\\]/gu, String.raw`\$&`)}%`) as readonly Place[],
        );
      }
      const quoted = words.map((word) => `"${word}"`);
      const all = database.all(BEST, quoted.join(" "));
      return byChat((all.length > 0 ? all : database.all(BEST, quoted.join(" OR "))) as readonly Place[]);
    },
    bytes() {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return statSync(path).size;
    },
    [Symbol.dispose]: () => database[Symbol.dispose](),
  };
}

/** MiniSearch in memory, tolerant of a fifth of a word's letters and of endings. Its bytes are its snapshot's. */
export function miniSearch(): Rival {
  const index = new MiniSearch<Doc>({ fields: ["text"], storeFields: ["chat"] });
  const find = (query: string, combineWith: "AND" | "OR"): readonly Place[] =>
    byChat(
      index
        .search(query, { fuzzy: 0.2, prefix: true, combineWith })
        .map((found) => ({ id: found.id as number, chat: found["chat"] as string })),
    );
  return {
    name: "MiniSearch 7.2",
    add: (docs) => index.addAll(docs),
    find(query) {
      const all = find(query, "AND");
      return all.length > 0 ? all : find(query, "OR");
    },
    bytes: () => Buffer.byteLength(JSON.stringify(index)),
    [Symbol.dispose]: () => index.removeAll(),
  };
}

function byChat(lines: readonly Place[]): readonly Place[] {
  const chats = new Map<string, Place[]>();
  for (const line of lines.slice(0, LINES)) {
    const held = chats.get(line.chat) ?? [];
    if (held.length < MAX_HITS) held.push(line);
    if (chats.size < MAX_CHATS) chats.set(line.chat, held);
  }
  return [...chats.values()].flat();
}
