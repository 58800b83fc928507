// Single facts by key: buttons, claims, people, sessions, cursors.
import type { Database } from "./database.ts";
import type { Button, Change, EngineSession, Known, Records } from "./port.ts";

type Do<K extends Change["do"]> = Extract<Change, { do: K }>;

/** Claims `key`; gives who has claimed it before, if anyone. */
export function claim(database: Database, { key, by, at }: Do<"claim">): string | undefined {
  const { changes } = database.run("INSERT OR IGNORE INTO claim (key, by, at) VALUES (?, ?, ?)", key, by, at);
  return changes === 1 ? undefined : claimant(database, key);
}

function claimant(database: Database, key: string): string | undefined {
  return (database.get("SELECT by FROM claim WHERE key = ?", key) as { by: string } | undefined)?.by;
}

/** Ties a claim to the conversation whose card it is about, so that deleting that takes it too. */
export function tieClaim(database: Database, key: string, conversation: string): void {
  database.run("UPDATE claim SET conversation = ? WHERE key = ?", conversation, key);
}

/** Buttons, people, sessions and cursors. What would belong to a conversation that is gone is left out. */
export function record(
  database: Database,
  change: Do<"button"> | Do<"know"> | Do<"forget-known"> | Do<"session"> | Do<"forget-session"> | Do<"cursor">,
): void {
  switch (change.do) {
    case "button": {
      const { conversation } = change.button;
      database.run(
        "INSERT OR REPLACE INTO button (key, conversation, body) SELECT ?, id, ? FROM conversation WHERE id = ?",
        ...[change.key, JSON.stringify(change.button), conversation],
      );
      break;
    }
    case "know": {
      const { platform, id, kind, name, standing, at } = change.known;
      database.run(
        "INSERT OR REPLACE INTO known (platform, id, kind, name, standing, at) VALUES (?, ?, ?, ?, ?, ?)",
        ...[platform, id, kind, name, standing, at],
      );
      break;
    }
    case "forget-known":
      database.run("DELETE FROM known WHERE platform = ? AND id = ?", change.platform, change.id);
      break;
    case "session": {
      const { conversation, engine, resumeId, seen, redacted } = change.session;
      database.run(
        `INSERT OR REPLACE INTO session (conversation, engine, resume_id, seen, redacted)
         SELECT id, ?, ?, ?, ? FROM conversation WHERE id = ?`,
        ...[engine, resumeId, seen, Number(redacted), conversation],
      );
      break;
    }
    case "forget-session":
      database.run("DELETE FROM session WHERE conversation = ? AND engine = ?", change.conversation, change.engine);
      break;
    case "cursor":
      database.run("INSERT OR REPLACE INTO cursor (name, value) VALUES (?, ?)", change.name, change.value);
      break;
  }
}

type SessionRow = {
  readonly conversation: string;
  readonly engine: string;
  readonly resume_id: string;
  readonly seen: number;
  readonly redacted: number;
};

/** Every session that engines keep of a conversation. */
export function sessionsOf(database: Database, conversation: string): readonly EngineSession[] {
  return (
    database.all("SELECT * FROM session WHERE conversation = ? ORDER BY engine", conversation) as readonly SessionRow[]
  ).map(toSession);
}

export function findRecords(database: Database): Records {
  return {
    async button(key) {
      const row = database.get("SELECT body FROM button WHERE key = ?", key) as { body: string } | undefined;
      return row === undefined ? undefined : (JSON.parse(row.body) as Button);
    },
    async claim(key) {
      return claimant(database, key);
    },
    async cursor(name) {
      return (database.get("SELECT value FROM cursor WHERE name = ?", name) as { value: string } | undefined)?.value;
    },
    async cursors(prefix) {
      const rows = database.all(
        "SELECT name, value FROM cursor WHERE substr(name, 1, ?) = ?",
        prefix.length,
        prefix,
      ) as readonly { readonly name: string; readonly value: string }[];
      return new Map(rows.map(({ name, value }) => [name.slice(prefix.length), value]));
    },
    async known() {
      return database.all(
        "SELECT platform, id, kind, name, standing, at FROM known ORDER BY at, platform, id",
      ) as readonly Known[];
    },
    async session(conversation, engine) {
      const row = database.get("SELECT * FROM session WHERE conversation = ? AND engine = ?", conversation, engine) as
        | SessionRow
        | undefined;
      return row === undefined ? undefined : toSession(row);
    },
    async sessions(conversation) {
      return sessionsOf(database, conversation);
    },
  };
}

function toSession(row: SessionRow): EngineSession {
  const { conversation, engine, resume_id: resumeId, seen, redacted } = row;
  return { conversation, engine, resumeId, seen, redacted: redacted === 1 };
}
