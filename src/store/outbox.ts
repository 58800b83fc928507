// Rows on their way out: planned in an order that holds within each room, then changed by compare-and-set only.
import { roomKey, type Room } from "../core/message.ts";
import type { Piece } from "../core/reply.ts";
import type { Random } from "../core/surroundings.ts";
import { holdMessage, toRoom } from "./conversations.ts";
import type { Database } from "./database.ts";
import { OUTSIDE_KEY, PASSING_KEY } from "./port.ts";
import type { Change, OutboxRows, OutgoingRow, PlannedShow, ShowState, ShowWeight } from "./port.ts";

// A row's place in the order is (slot, sub). `slot` grows over all rooms; rows that come instead of another share its slot
// and stand behind it by `sub`, which is renumbered within that one slot. So nothing ever runs out, and rooms can be merged.

/** Puts rows behind everything planned before. Rows of a conversation that is gone are left out: its text must not come back. */
export function plan(database: Database, random: Random, rows: readonly PlannedShow[]): readonly OutgoingRow[] {
  return rows.flatMap((row) => {
    const newest = database.get("SELECT slot FROM outbox ORDER BY slot DESC LIMIT 1") as { slot: number } | undefined;
    return insert(database, random, row, (newest?.slot ?? 0) + 1, 0);
  });
}

function insert(database: Database, random: Random, row: PlannedShow, slot: number, sub: number): OutgoingRow[] {
  const { room, conversation, key, index, weight, piece, place, at } = row;
  // An empty conversation: words of the gateway's own that belong to none.
  const owner = conversation === "" ? null : conversation;
  const nonce = random.key(9);
  const { changes, lastId } = database.run(
    `INSERT INTO outbox
       (room, platform, chat, thread, room_kind, conversation, key, idx, weight, piece, place, at, nonce, slot, sub, plain)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
     WHERE ? IS NULL OR EXISTS (SELECT 1 FROM conversation WHERE id = ?)`,
    ...[roomKey(room), room.platform, room.chat, room.thread ?? null, room.kind, owner, key, index, weight],
    ...[JSON.stringify(piece), place, at, nonce, slot, sub, flag(row.plain), owner, owner],
  );
  return changes === 0 ? [] : [{ ...row, id: lastId, nonce, state: "planned", attempt: 0 }];
}

/** Compare-and-set on (state, attempt). Gives the rows that come instead; undefined, and nothing changed, when the row was not as expected. */
export function change(
  database: Database,
  random: Random,
  { id, from, to, instead = [] }: Extract<Change, { do: "outgoing" }>,
): readonly OutgoingRow[] | undefined {
  const { state, attempt, ref, detail, plain, repeat, firstAttemptAt } = to;
  const changed = database.get(
    `UPDATE outbox SET state = ?, attempt = ?, ref = coalesce(?, ref), detail = coalesce(?, detail), plain = coalesce(?, plain),
       repeat = coalesce(?, repeat), first_attempt_at = coalesce(first_attempt_at, ?)
     WHERE id = ? AND state = ? AND attempt = ? RETURNING room, conversation, key, slot, sub`,
    ...[state, attempt, ref ?? null, detail ?? null, flag(plain), flag(repeat), firstAttemptAt ?? null],
    ...[id, from.state, from.attempt],
  ) as { room: string; conversation: string | null; key: string; slot: number; sub: number } | undefined;
  if (changed === undefined) return undefined;
  const { room, conversation, key, slot, sub } = changed;
  // A quote of what we showed is recognised by this, like one of what a person wrote.
  if (state === "shown" && ref !== undefined && conversation !== null && !key.startsWith(OUTSIDE_KEY))
    holdMessage(database, room, ref, conversation);
  if ((state === "shown" || state === "refused") && key.startsWith(PASSING_KEY))
    database.run("UPDATE outbox SET piece = ? WHERE id = ?", state === "shown" ? null : JSON.stringify(PRUNED), id);
  if (instead.length === 0) return [];
  database.run("UPDATE outbox SET sub = sub + ? WHERE slot = ? AND sub > ?", instead.length, slot, sub);
  return instead.flatMap((row, nth) => insert(database, random, row, slot, sub + 1 + nth));
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

type OutboxRow = {
  readonly id: number;
  readonly platform: string;
  readonly chat: string;
  readonly thread: string | null;
  readonly room_kind: Room["kind"];
  readonly conversation: string | null;
  readonly key: string;
  readonly idx: number;
  readonly weight: ShowWeight;
  readonly piece: string | null;
  readonly place: number;
  readonly at: number;
  readonly state: ShowState["state"];
  readonly attempt: number;
  readonly nonce: string;
  readonly ref: string | null;
  readonly detail: string | null;
  readonly plain: number | null;
  readonly repeat: number | null;
  readonly first_attempt_at: number | null;
};

export function findOutgoing(database: Database): OutboxRows {
  return {
    async open() {
      return (
        database.all(
          "SELECT * FROM outbox WHERE state IN ('planned', 'attempting', 'unknown') ORDER BY room, slot, sub",
        ) as readonly OutboxRow[]
      ).map(toOutgoing);
    },
    async shown(room, key, index) {
      const row = database.get(
        `SELECT * FROM outbox WHERE state = 'shown' AND room = ? AND key = ? AND idx = ?
         ORDER BY slot DESC, sub DESC LIMIT 1`,
        roomKey(room),
        key,
        index,
      ) as OutboxRow | undefined;
      return row === undefined ? undefined : toOutgoing(row);
    },
    async counts() {
      const counts = { planned: 0, attempting: 0, unknown: 0, refused: 0 };
      for (const { state, rows } of database.all(
        // Refused ones that matter to people: nothing shown since took their place, and they are not too old to look into.
        `SELECT state, count(*) AS rows FROM outbox WHERE state <> 'shown' AND (state <> 'refused' OR (
           weight <> 'cosmetic' AND piece IS NOT NULL AND NOT EXISTS (SELECT 1 FROM outbox AS later
             WHERE later.state = 'shown' AND later.room = outbox.room AND later.key = outbox.key AND later.idx = outbox.idx)
         )) GROUP BY state`,
      ) as readonly { state: keyof typeof counts; rows: number }[]) {
        counts[state] = rows;
      }
      return { planned: counts.planned + counts.attempting, unknown: counts.unknown, refused: counts.refused };
    },
  };
}

/** What a row whose piece was pruned shows: nothing. */
const PRUNED: Piece = { body: null, plain: "" };

function toOutgoing(row: OutboxRow): OutgoingRow {
  return {
    id: row.id,
    room: toRoom(row),
    conversation: row.conversation ?? "",
    key: row.key,
    index: row.idx,
    weight: row.weight,
    piece: row.piece === null ? PRUNED : (JSON.parse(row.piece) as Piece),
    place: row.place,
    at: row.at,
    state: row.state,
    attempt: row.attempt,
    nonce: row.nonce,
    ...(row.ref === null ? {} : { ref: row.ref }),
    ...(row.detail === null ? {} : { detail: row.detail }),
    ...(row.plain === null ? {} : { plain: row.plain === 1 }),
    ...(row.repeat === null ? {} : { repeat: row.repeat === 1 }),
    ...(row.first_attempt_at === null ? {} : { firstAttemptAt: row.first_attempt_at }),
  };
}
