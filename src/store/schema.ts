// The tables, and how a file of an older version becomes one of this version.
import { GatewayError } from "../core/error.ts";
import type { Database } from "./database.ts";

/** Marks a SQLite file as a Tidegate store ("Tide"), so that somebody else's database is never migrated. */
const APPLICATION_ID = 0x54696465;

/**
 * What leads from version n to n+1, at index n. Never edit a step that was released; add one.
 *
 * All that belongs to a conversation hangs on its row by ON DELETE CASCADE, so that a table added later can't be forgotten by
 * `delete`. Inbound rows outlive it, because their keys are what recognises a repeat; `delete` empties them.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE conversation (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    room TEXT NOT NULL, platform TEXT NOT NULL, chat TEXT NOT NULL, thread TEXT, room_kind TEXT NOT NULL,
    person TEXT NOT NULL,
    title TEXT NOT NULL,
    engine TEXT,
    opened_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0,
    current INTEGER NOT NULL DEFAULT 0,
    head INTEGER NOT NULL DEFAULT 0,
    waiting INTEGER NOT NULL DEFAULT 0,
    open_turn TEXT, open_seq INTEGER, open_again INTEGER,
    since INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX conversation_current ON conversation (room, person) WHERE current = 1;
  CREATE INDEX conversation_unsettled ON conversation (since) WHERE since IS NOT NULL;
  CREATE INDEX conversation_newest ON conversation (last_at, n);
  CREATE INDEX conversation_chat ON conversation (platform, chat);

  CREATE TABLE entry (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX entry_seq ON entry (conversation, seq);

  CREATE TABLE message_id (
    room TEXT NOT NULL, message TEXT NOT NULL,
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    PRIMARY KEY (room, message, conversation)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_id_conversation ON message_id (conversation);

  CREATE TABLE inbound (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL, key TEXT NOT NULL,
    raw TEXT,
    at INTEGER NOT NULL,
    done INTEGER NOT NULL DEFAULT 0,
    outcome TEXT,
    conversation TEXT
  ) STRICT;
  CREATE UNIQUE INDEX inbound_key ON inbound (channel, key);
  CREATE INDEX inbound_pending ON inbound (channel, id) WHERE done = 0;
  CREATE INDEX inbound_conversation ON inbound (conversation) WHERE conversation IS NOT NULL;
  CREATE INDEX inbound_old ON inbound (at) WHERE done = 1 AND raw IS NOT NULL;

  CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    room TEXT NOT NULL, platform TEXT NOT NULL, chat TEXT NOT NULL, thread TEXT, room_kind TEXT NOT NULL,
    conversation TEXT REFERENCES conversation (id) ON DELETE CASCADE,
    key TEXT NOT NULL, idx INTEGER NOT NULL,
    weight TEXT NOT NULL,
    piece TEXT,
    place INTEGER NOT NULL,
    at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'planned', attempt INTEGER NOT NULL DEFAULT 0,
    nonce TEXT NOT NULL,
    ref TEXT, detail TEXT, plain INTEGER, repeat INTEGER, first_attempt_at INTEGER,
    slot INTEGER NOT NULL, sub INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX outbox_order ON outbox (slot, sub);
  CREATE INDEX outbox_open ON outbox (room, slot, sub) WHERE state IN ('planned', 'attempting', 'unknown');
  CREATE INDEX outbox_shown ON outbox (room, key, idx, slot, sub) WHERE state = 'shown';
  CREATE INDEX outbox_state ON outbox (state) WHERE state <> 'shown';
  CREATE INDEX outbox_old ON outbox (at) WHERE state IN ('shown', 'refused') AND piece IS NOT NULL;
  CREATE INDEX outbox_conversation ON outbox (conversation);
  CREATE INDEX outbox_chat ON outbox (platform, chat);

  CREATE TABLE claim (
    key TEXT PRIMARY KEY,
    by TEXT NOT NULL,
    at INTEGER NOT NULL,
    conversation TEXT REFERENCES conversation (id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX claim_conversation ON claim (conversation) WHERE conversation IS NOT NULL;

  CREATE TABLE button (
    key TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX button_conversation ON button (conversation);

  CREATE TABLE session (
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    engine TEXT NOT NULL,
    resume_id TEXT NOT NULL,
    seen INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    PRIMARY KEY (conversation, engine)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE person (
    platform TEXT NOT NULL, id TEXT NOT NULL,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (platform, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE cursor (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Settings that came with a backup, until the settings' own file takes them over.
  CREATE TABLE kept_setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- What is still to be done to the file after a crash: 'erase'.
  CREATE TABLE chore (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE conversation ADD COLUMN mode TEXT;

  -- What the log's marks come to, so that they are found however long it is.
  CREATE TABLE mark (
    n INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, source TEXT NOT NULL, label TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX mark_source ON mark (conversation, kind, source);

  -- Chats from before there were marks: what may hold words from outside counts as holding them.
  CREATE TEMP TABLE unmarked AS SELECT id FROM conversation WHERE room_kind <> 'private' AND platform <> 'cli' OR EXISTS (
    SELECT 1 FROM entry WHERE entry.conversation = conversation.id AND entry.kind IN ('message', 'edited')
      AND (body LIKE '%"kind":"forwarded"%' OR body LIKE '%"kind":"quoted"%' OR body LIKE '%"kind":"file"%'));
  INSERT INTO entry (conversation, seq, at, kind, body)
    SELECT id, head + 1, last_at, 'marked', '{"taint":{"kind":"person","label":"words from before marks were kept","source":"before"}}'
    FROM conversation WHERE id IN (SELECT id FROM unmarked);
  INSERT INTO mark (conversation, kind, source, label)
    SELECT id, 'person', 'before', 'words from before marks were kept' FROM unmarked;
  UPDATE conversation SET head = head + 1 WHERE id IN (SELECT id FROM unmarked);
  DROP TABLE unmarked;

  DROP TABLE person;
  CREATE TABLE known (
    platform TEXT NOT NULL, id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    standing TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (platform, id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What was looked at, found among all that was ever said.
  CREATE INDEX entry_looked ON entry (place) WHERE kind = 'looked';
  `,
  `
  -- The seq of the entry that stands open: something newer ends it.
  ALTER TABLE conversation ADD COLUMN stands INTEGER;
  `,
];

/** What a file says it is. `empty`: a database with nothing in it. */
export type FileVersion = number | "empty" | "foreign";

/** Reads what the file is; changes nothing. Throws what SQLite throws when it is no database. */
export function fileVersion(database: Database): FileVersion {
  const application = (database.get("PRAGMA application_id") as { application_id: number } | undefined)?.application_id;
  const version = (database.get("PRAGMA user_version") as { user_version: number } | undefined)?.user_version ?? 0;
  if (application === APPLICATION_ID) return version;
  const things = (database.get("SELECT count(*) AS things FROM sqlite_schema") as { things: number } | undefined)
    ?.things;
  return things === 0 && version === 0 ? "empty" : "foreign";
}

/** Refuses, in words, a file that this program must not write to. `current` is the version that this program writes. */
export function refuseForeign(version: FileVersion, where: string, current: number = MIGRATIONS.length): void {
  if (version === "foreign") {
    throw new GatewayError("data-broken", `The file ${where} is a database of another program.`, {
      hint: "Choose another data folder.",
    });
  }
  if (version !== "empty" && version > current) {
    throw new GatewayError(
      "data-newer",
      `The data in ${where} was written by a newer Tidegate. It was left as it is.`,
      {
        hint: "Update Tidegate, or choose another data folder.",
      },
    );
  }
}

/** Brings the file to this version: all missing steps in one transaction, or none. Throws what SQLite throws. */
export function migrate(database: Database, steps: readonly string[] = MIGRATIONS): void {
  const version = fileVersion(database);
  const from = typeof version === "number" ? version : 0;
  if (from === steps.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const step of steps.slice(from)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${steps.length}; COMMIT`);
  } catch (thrown) {
    if (database.inTransaction()) database.exec("ROLLBACK");
    throw thrown;
  }
}
