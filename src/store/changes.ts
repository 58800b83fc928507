// What each Change does to the tables, inside one transaction.
import type { Entry } from "../core/conversation.ts";
import type { Random } from "../core/surroundings.ts";
import { alter, append, marksCount, open } from "./conversations.ts";
import type { Database } from "./database.ts";
import { finish, tie } from "./inbound.ts";
import { change as changeOutgoing, plan } from "./outbox.ts";
import { ABOUT_ONE, type Change, type Committed, type OutgoingRow } from "./port.ts";
import { claim, record, tieClaim } from "./records.ts";

type Done = { readonly entries: Entry[]; readonly rows: OutgoingRow[] };

type Refused = Extract<Committed, { ok: false }>;

/** Does the changes in their order, up to the first that is refused; the caller then undoes the ones before it. */
export function applyChanges(database: Database, random: Random, changes: readonly Change[]): Committed {
  const done: Done = { entries: [], rows: [] };
  for (const [at, change] of changes.entries()) {
    // Entries of one conversation that stand together are appended together, with the first of them.
    if (change.do === "append" && follows(changes[at - 1], change)) continue;
    const refused =
      change.do === "append" ? appendRun(database, changes, change, done) : apply(database, random, change, done);
    if (refused !== undefined) return refused;
  }
  tieTogether(database, changes);
  return { ok: true, ...done };
}

type Append = Extract<Change, { do: "append" }>;

function follows(before: Change | undefined, change: Append): boolean {
  return before?.do === "append" && before.conversation === change.conversation;
}

function appendRun(database: Database, changes: readonly Change[], first: Append, done: Done): Refused | undefined {
  const run = [first];
  for (const next of changes.slice(changes.indexOf(first) + 1)) {
    if (next.do !== "append" || !follows(first, next)) break;
    run.push(next);
  }
  const entries = append(database, first.conversation, run);
  if (entries === undefined) return { ok: false, because: "gone" };
  done.entries.push(...entries);
  return undefined;
}

function apply(database: Database, random: Random, change: Exclude<Change, Append>, done: Done): Refused | undefined {
  switch (change.do) {
    case "open":
      open(database, change);
      return undefined;
    case "title":
    case "engine":
    case "mode":
    case "none-stands":
    case "archive":
      alter(database, change);
      return undefined;
    case "expect-marks": {
      const count = marksCount(database, change.conversation);
      if (count === undefined) return { ok: false, because: "gone" };
      return count === change.count ? undefined : { ok: false, because: "marked" };
    }
    case "inbound-done":
      finish(database, change.ids, change.outcome, change.forget ?? false);
      return undefined;
    case "claim": {
      const by = claim(database, change);
      return by === undefined ? undefined : { ok: false, because: "claimed", by };
    }
    case "button":
    case "know":
    case "forget-known":
    case "session":
    case "forget-session":
    case "cursor":
      record(database, change);
      return undefined;
    case "plan":
      done.rows.push(...plan(database, random, change.rows));
      return undefined;
    case "outgoing": {
      const instead = changeOutgoing(database, random, change);
      if (instead === undefined) return { ok: false, because: "changed" };
      done.rows.push(...instead);
      return undefined;
    }
    case "prune":
      prune(database, change.before);
      return undefined;
    case "move-room":
      moveRoom(database, change.platform, change.from, change.to);
      return undefined;
  }
}

/** What is done or claimed together with an entry belongs to that entry's conversation. */
function tieTogether(database: Database, changes: readonly Change[]): void {
  const conversations = new Set(changes.flatMap((change) => (change.do === "append" ? [change.conversation] : [])));
  const [first] = conversations;
  if (first === undefined) return;
  for (const change of changes) {
    if (change.do === "inbound-done") tie(database, change.ids, conversations);
    if (change.do === "claim") tieClaim(database, change.key, first);
  }
}

/** The keys of inbound rows stay: they are what recognises a repeat. */
function prune(database: Database, before: number): void {
  database.run("UPDATE inbound SET raw = NULL WHERE done = 1 AND raw IS NOT NULL AND at < ?", before);
  database.run(
    "UPDATE outbox SET piece = NULL WHERE state IN ('shown', 'refused') AND piece IS NOT NULL AND at < ?",
    before,
  );
  for (const about of ABOUT_ONE)
    database.run("DELETE FROM cursor WHERE name > ? AND name < ? AND value = ''", about, `${about}\uFFFF`);
  // When strangers were last told that nobody may talk here yet: of no use once they may be told again.
  database.run(
    "DELETE FROM cursor WHERE name > ? AND name < ? AND CAST(value AS INTEGER) < ?",
    ...[TURNED_AWAY, `${TURNED_AWAY}\uFFFF`, before],
  );
}

/** What the names of cursors that only say when a stranger was last answered begin with. */
export const TURNED_AWAY = "turned-away/";

/**
 * Where the new chat has a current conversation of the same person and thread already, the old chat's one stays current:
 * it is the one that people were talking in. The other is still there, just not current.
 */
function moveRoom(database: Database, platform: string, from: string, to: string): void {
  const [old, target] = [`${platform}/${from}`, `${platform}/${to}`];
  database.run(
    `UPDATE conversation SET current = 0 WHERE platform = ? AND chat = ? AND current = 1 AND EXISTS (
       SELECT 1 FROM conversation AS mover WHERE mover.platform = ? AND mover.chat = ? AND mover.current = 1
         AND mover.person = conversation.person AND mover.thread IS conversation.thread)`,
    ...[platform, to, platform, from],
  );
  for (const table of ["conversation", "outbox"]) {
    database.run(
      `UPDATE ${table} SET chat = ?, room = ? || substr(room, length(?) + 1) WHERE platform = ? AND chat = ?`,
      ...[to, target, old, platform, from],
    );
  }
  database.run(
    "UPDATE OR REPLACE known SET id = ? WHERE platform = ? AND id = ? AND kind = 'group'",
    to,
    platform,
    from,
  );
  // Message ids know only the room's key: the chat itself, or one of its threads ("0" is what follows "/").
  database.run(
    `UPDATE OR REPLACE message_id SET room = ? || substr(room, length(?) + 1) WHERE room = ? OR (room > ? || '/' AND room < ? || '0')`,
    ...[target, old, old, old, old],
  );
}
