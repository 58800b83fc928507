// What the tests of the index share: a log written at random, the index over it, and all that an index holds as one value.
import fc from "fast-check";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Message, Origin, Part, Person } from "../../src/core/message.ts";
import { Index, type IndexOptions } from "../../src/search/index.ts";
import { makeIndex } from "../../src/search/schema.ts";
import type { Database } from "../../src/store/database.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { secretsIn } from "../../src/taint/shapes.ts";
import { append, open, surroundings } from "../store/world.ts";

export const OWNER: Person = { platform: "telegram", id: "1001", name: "Sam", role: "owner" };
export const ANA: Person = { platform: "telegram", id: "7", name: "Ana", role: "guest" };

const OWN: Origin = { kind: "own" };

export function textPart(text: string, messageId: string, origin: Origin = OWN): Part {
  return { kind: "text", messageId, origin, text };
}

export function filePart(name: string, messageId: string, origin: Origin = OWN): Part {
  return { kind: "file", messageId, origin, file: { kind: "document", name, mediaType: "text/plain", handle: "h" } };
}

/** A message of these parts, from the owner unless it says else. */
export function message(parts: readonly Part[], from: Person = OWNER, at = 5): EntryBody {
  const said: Message = { from, at, ids: [...new Set(parts.map(({ messageId }) => messageId))], parts };
  return { kind: "message", message: said };
}

export function said(text: string, messageId: string, from?: Person): EntryBody {
  return message([textPart(text, messageId)], from);
}

export function answer(text: string, turn = "t1", part = 0): EntryBody {
  return { kind: "text", turn, part, text };
}

export function edited(messageId: string, text: string): EntryBody {
  return { kind: "edited", messageId, parts: [textPart(text, messageId)] };
}

export function gone(messageId: string): EntryBody {
  return { kind: "edited", messageId, parts: [], gone: true };
}

export function toolStart(input: unknown, more: Partial<Extract<EntryBody, { kind: "tool-start" }>> = {}): EntryBody {
  return {
    kind: "tool-start",
    turn: "t1",
    call: { id: "c", name: "Bash", input },
    effect: "act",
    by: "engine",
    ...more,
  };
}

/** Known to the gateway, so never to be found. Made of pieces: it is nobody's. */
export const SECRET: string = ["swallow", "tail", "9041", "moth"].join("_");

/** What an index over a store is given. */
export function optionsOver(store: Store, more: Partial<IndexOptions> = {}): IndexOptions {
  return {
    path: ":memory:",
    store,
    secretsIn: secretsIn([SECRET]),
    forgotten: new Set(),
    ending: new AbortController().signal,
    ...surroundings,
    ...more,
  };
}

/** An index over a store, in memory, that has taken in nothing yet. */
export function indexOver(store: Store, more: Partial<IndexOptions> = {}): Index {
  const options = optionsOver(store, more);
  return new Index(makeIndex(options.path, "none"), options);
}

/** Everything that can be asked of an index: chats by name, passages with their numbers, which passage holds which token, counts of terms. */
export function contents(database: Database): unknown {
  database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.posted USING fts5vocab(main, posting, 'instance')");
  // A chat's number is the index's own affair: its token is told by its name.
  return {
    chats: database.all("SELECT id, place, seq, at FROM chat ORDER BY id"),
    passages: database.all(
      "SELECT p.n, chat.id AS chat, line, who, p.at, text FROM passage p JOIN chat ON chat.n = p.chat ORDER BY p.n",
    ),
    strays: database.all("SELECT n FROM passage WHERE chat NOT IN (SELECT n FROM chat)"),
    posted: database.all(
      `SELECT coalesce((SELECT 'chat ' || id FROM chat WHERE char(0xe000) || n = term), term) AS token, doc
       FROM temp.posted ORDER BY doc, token`,
    ),
    terms: database.all("SELECT term, df FROM term ORDER BY term"),
    counted: database.all(
      "SELECT term, count(*) AS df FROM temp.posted WHERE unicode(term) <> 0xe000 GROUP BY term ORDER BY term",
    ),
    place: database.get("SELECT value FROM fact WHERE name = 'place'"),
  };
}

/** One thing that happens: something is written to a chat, or the index catches up. */
export type Happening =
  | { readonly do: "write"; readonly chat: string; readonly body: EntryBody }
  | { readonly do: "catch up" }
  | { readonly do: "delete"; readonly chat: string };

const CHATS = ["a", "b", "c"];
const IDS = ["m1", "m2", "m3", "m4"];

const words = fc.oneof(
  fc.constantFrom("the venue", "venue in Lisbon", "会議は明日", "привет", "", "key:", "?!", SECRET),
  // The two parts of a secret, so that some stand in two messages that follow each other.
  fc.constantFrom(SECRET.slice(0, 9), SECRET.slice(9), `it is ${SECRET.slice(0, 14)}`, `${SECRET.slice(14)} ok`),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.integer({ min: 1, max: 900 }).map((count) => "many words. ".repeat(count)),
);
const person = fc.constantFrom(OWNER, ANA);
const origin: fc.Arbitrary<Origin> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(OWN) },
  fc.constantFrom<Origin>(
    { kind: "forwarded", as: "user", from: "Bo", id: "8" },
    { kind: "forwarded", as: "hidden-user", from: "Bo" },
    { kind: "quoted", from: "Tidegate", ours: true },
    { kind: "quoted", from: "Sam", id: "1001", ours: false },
    { kind: "quoted", from: "Cy", ours: false },
  ),
);
const part = fc
  .tuple(fc.constantFrom(...IDS), origin, words, fc.boolean())
  .map(([id, from, text, isFile]) =>
    isFile && text.length < 30 ? filePart(text, id, from) : textPart(text, id, from),
  );

const body: fc.Arbitrary<EntryBody> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), person)
      .map(([parts, from]) => message(parts, from)),
  },
  { weight: 3, arbitrary: words.map((text) => answer(text === "" ? "…" : text)) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...IDS), words).map(([id, text]) => edited(id, text)) },
  { weight: 1, arbitrary: fc.constantFrom(...IDS).map(gone) },
  { weight: 2, arbitrary: fc.record({ command: words }).map((input) => toolStart(input)) },
  {
    weight: 2,
    arbitrary: fc.boolean().map((again): EntryBody => ({
      ...{ kind: "turn-started", turn: "t1", engine: "demo", upTo: 1, attendance: "owner" },
      again,
    })),
  },
  { weight: 1, arbitrary: fc.constant<EntryBody>({ kind: "notice", text: "venue", quiet: true }) },
);

export const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ do: fc.constant("write"), chat: fc.constantFrom(...CHATS), body }) },
    { weight: 2, arbitrary: fc.constant({ do: "catch up" } as const) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("delete"), chat: fc.constantFrom(...CHATS) }) },
  ) as fc.Arbitrary<Happening>,
  { maxLength: 40 },
);

/** Lets things happen; a chat is opened again when it is written to after its deletion. */
export async function happen(
  store: Store,
  index: Index,
  all: readonly Happening[],
  forgotten: Set<string> = new Set(),
): Promise<void> {
  const names = new Map<string, string>();
  for (const [at, one] of all.entries()) {
    if (one.do === "catch up") {
      await index.take(await store.log.head());
    } else if (one.do === "delete") {
      const id = names.get(one.chat);
      if (id === undefined) continue;
      names.delete(one.chat);
      await store.conversations.delete(id);
      forgotten.add(id);
      await index.erase([id]);
    } else {
      const id = names.get(one.chat) ?? `${one.chat}${at}`;
      const first: readonly Change[] = names.has(one.chat) ? [] : [open(id)];
      names.set(one.chat, id);
      await store.commit([...first, append(id, one.body, at)]);
    }
  }
}
