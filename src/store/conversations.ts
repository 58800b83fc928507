// Conversations: opening, appending to their logs, what is current where, and what is unsettled.
import type { Conversation, Entry, EntryBody } from "../core/conversation.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Mode, Taint } from "../core/taint.ts";
import type { Database } from "./database.ts";
import type { Change, Conversations, Unsettled } from "./port.ts";

type Do<K extends Change["do"]> = Extract<Change, { do: K }>;

/** Opens it and makes it the current one of its room and person. */
export function open(database: Database, { id, room, person, title, engine, at }: Do<"open">): void {
  const key = roomKey(room);
  unseat(database, key, person);
  database.run(
    `INSERT INTO conversation (id, room, platform, chat, thread, room_kind, person, title, engine, opened_at, last_at, current)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`,
    ...[id, key, room.platform, room.chat, room.thread ?? null, room.kind, person, title, engine ?? null, at, at],
  );
}

function unseat(database: Database, room: string, person: string): void {
  database.run("UPDATE conversation SET current = 0 WHERE room = ? AND person = ? AND current = 1", room, person);
}

type StateRow = {
  readonly room: string;
  readonly head: number;
  readonly last_at: number;
  readonly waiting: number;
  readonly open_turn: string | null;
  readonly open_seq: number | null;
  readonly open_again: number | null;
  /** The place of the entry that made it unsettled. */
  readonly since: number | null;
  readonly stands: number | null;
};

/** Appends entries with the next seqs, in order; undefined when there is no such conversation. */
export function append(
  database: Database,
  conversation: string,
  appends: readonly Do<"append">[],
): readonly Entry[] | undefined {
  const before = database.get(
    "SELECT room, head, last_at, waiting, open_turn, open_seq, open_again, since, stands FROM conversation WHERE id = ?",
    conversation,
  ) as StateRow | undefined;
  if (before === undefined) return undefined;
  let state = before;
  const entries = appends.map(({ body, at, stands }): Entry => {
    const seq = state.head + 1;
    const { kind, ...rest } = body;
    const { lastId: place } = database.run(
      "INSERT INTO entry (conversation, seq, at, kind, body) VALUES (?, ?, ?, ?, ?)",
      ...[conversation, seq, at, kind, JSON.stringify(rest)],
    );
    state = { ...state, ...settle(state, body, seq, place), head: seq, last_at: Math.max(state.last_at, at) };
    if (stands === true) state = { ...state, stands: seq };
    if (body.kind === "message") {
      for (const message of body.message.ids) holdMessage(database, before.room, message, conversation);
    }
    if (body.kind === "answered" && body.messageId !== undefined)
      holdMessage(database, before.room, body.messageId, conversation);
    if (body.kind === "marked") mark(database, conversation, body.taint);
    return { ...body, conversation, seq, at };
  });
  const { head, last_at, waiting, open_turn, open_seq, open_again, since, stands } = state;
  database.run(
    `UPDATE conversation SET head = ?, last_at = ?, waiting = ?, open_turn = ?, open_seq = ?, open_again = ?, since = ?,
       stands = ? WHERE id = ?`,
    ...[head, last_at, waiting, open_turn, open_seq, open_again, since, stands, conversation],
  );
  return entries;
}

type Unsettling = Pick<StateRow, "waiting" | "open_turn" | "open_seq" | "open_again" | "since">;

/** What is unsettled after the entry. */
function settle(before: StateRow, body: EntryBody, seq: number, place: number): Unsettling {
  let { waiting, open_turn, open_seq, open_again } = before;
  if (body.kind === "message" || body.kind === "carried-on" || body.kind === "resumed") waiting = seq;
  if (body.kind === "turn-started") {
    if (waiting <= body.upTo) waiting = 0;
    [open_turn, open_seq, open_again] = [body.turn, seq, Number(body.again)];
  }
  if (body.kind === "turn-ended" && open_turn === body.turn) [open_turn, open_seq, open_again] = [null, null, null];
  const unsettled = waiting > 0 || open_turn !== null;
  return { waiting, open_turn, open_seq, open_again, since: unsettled ? (before.since ?? place) : null };
}

/** Notes that a platform's message is part of a conversation. A copy of it in another one (a fork) is noted beside it. */
export function holdMessage(database: Database, room: string, message: string, conversation: string): void {
  database.run(
    "INSERT OR IGNORE INTO message_id (room, message, conversation) VALUES (?, ?, ?)",
    room,
    message,
    conversation,
  );
}

function mark(database: Database, conversation: string, { kind, label, source }: Taint): void {
  database.run(
    "INSERT OR IGNORE INTO mark (conversation, kind, source, label) VALUES (?, ?, ?, ?)",
    ...[conversation, kind, source, label],
  );
}

/** How many marks it has; undefined when it is gone. */
export function marksCount(database: Database, conversation: string): number | undefined {
  const row = database.get(
    "SELECT (SELECT count(*) FROM mark WHERE conversation = ?) AS count FROM conversation WHERE id = ?",
    conversation,
    conversation,
  ) as { count: number } | undefined;
  return row?.count;
}

/** Title, engine, mode, archived, what stands open. Nothing happens when there is no such conversation. */
export function alter(
  database: Database,
  change: Do<"title"> | Do<"engine"> | Do<"mode"> | Do<"archive"> | Do<"none-stands">,
): void {
  const id = change.conversation;
  if (change.do === "title") database.run("UPDATE conversation SET title = ? WHERE id = ?", change.title, id);
  else if (change.do === "engine") database.run("UPDATE conversation SET engine = ? WHERE id = ?", change.engine, id);
  else if (change.do === "mode") database.run("UPDATE conversation SET mode = ? WHERE id = ?", change.mode, id);
  else if (change.do === "none-stands") database.run("UPDATE conversation SET stands = NULL WHERE id = ?", id);
  else if (change.archived) database.run("UPDATE conversation SET archived = 1, current = 0 WHERE id = ?", id);
  else {
    // Taken back from the archive it is current again, unless its place was taken meanwhile.
    database.run(
      `UPDATE conversation SET archived = 0, current = NOT EXISTS (
         SELECT 1 FROM conversation AS other
         WHERE other.room = conversation.room AND other.person = conversation.person AND other.current = 1)
       WHERE id = ? AND archived = 1`,
      id,
    );
  }
}

type ConversationRow = {
  readonly id: string;
  readonly platform: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly room_kind: Room["kind"];
  readonly person: string;
  readonly title: string;
  readonly engine: string | null;
  readonly mode: Mode | null;
  readonly opened_at: number;
  readonly last_at: number;
  readonly archived: number;
  readonly head: number;
  /** Not there in a file of an earlier version that is only read. */
  readonly stands?: number | null;
};

/** Single ones and the list. Works on a read-only connection too. */
export function readConversations(database: Database): Pick<Conversations, "get" | "list"> {
  return {
    async get(id) {
      return found(database.get("SELECT * FROM conversation WHERE id = ?", id) as ConversationRow | undefined);
    },
    async list(which = {}) {
      const { archived = false, limit = -1 } = which;
      return (
        database.all(
          "SELECT * FROM conversation WHERE archived <= ? ORDER BY last_at DESC, n DESC LIMIT ?",
          Number(archived),
          limit,
        ) as readonly ConversationRow[]
      ).map(toConversation);
    },
  };
}

type UnsettledRow = Pick<StateRow, "waiting" | "open_turn" | "open_seq" | "open_again"> & { readonly id: string };

/** All of the port but `delete`, which is in erase.ts. */
export function findConversations(database: Database): Omit<Conversations, "delete"> {
  return {
    ...readConversations(database),
    async current(room, person) {
      return found(
        database.get(
          "SELECT * FROM conversation WHERE room = ? AND person = ? AND current = 1",
          roomKey(room),
          person,
        ) as ConversationRow | undefined,
      );
    },
    async holding(room, messageId) {
      return found(
        database.get(
          `SELECT conversation.* FROM message_id JOIN conversation ON conversation.id = message_id.conversation
           WHERE message_id.room = ? AND message_id.message = ? ORDER BY conversation.n DESC LIMIT 1`,
          roomKey(room),
          messageId,
        ) as ConversationRow | undefined,
      );
    },
    async marks(id) {
      const marks = database.all(
        "SELECT kind, label, source FROM mark WHERE conversation = ? ORDER BY n",
        id,
      ) as readonly Taint[];
      return marks.length > 0 || marksCount(database, id) !== undefined ? marks : undefined;
    },
    async unsettled() {
      return (database.all(UNSETTLED) as readonly UnsettledRow[]).map(toUnsettled);
    },
    async state(id) {
      const row = database.get(
        "SELECT id, waiting, open_turn, open_seq, open_again FROM conversation WHERE id = ?",
        id,
      ) as UnsettledRow | undefined;
      return row === undefined ? { conversation: id, waiting: 0 } : toUnsettled(row);
    },
  };
}

/** Must use the partial index: it runs at every start, however many conversations there are. */
export const UNSETTLED: string = `SELECT id, waiting, open_turn, open_seq, open_again FROM conversation
  WHERE since IS NOT NULL ORDER BY since`;

function found(row: ConversationRow | undefined): Conversation | undefined {
  return row === undefined ? undefined : toConversation(row);
}

function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    room: toRoom(row),
    person: row.person,
    title: row.title,
    openedAt: row.opened_at,
    lastAt: row.last_at,
    archived: row.archived === 1,
    ...(row.engine === null ? {} : { engine: row.engine }),
    ...(row.mode === null ? {} : { mode: row.mode }),
    head: row.head,
    ...(typeof row.stands === "number" ? { stands: row.stands } : {}),
  };
}

/** The room that a row's columns spell. */
export function toRoom(row: Pick<ConversationRow, "platform" | "chat" | "thread" | "room_kind">): Room {
  const { platform, chat, thread, room_kind: kind } = row;
  return thread === null ? { platform, chat, kind } : { platform, chat, thread, kind };
}

function toUnsettled(row: UnsettledRow): Unsettled {
  const { id: conversation, waiting, open_turn: turn, open_seq: seq, open_again: again } = row;
  return turn === null || seq === null
    ? { conversation, waiting }
    : { conversation, waiting, openTurn: { turn, seq, again: again === 1 } };
}
