// The store as plainly as it can be said: lists and maps, copied for each transaction. The real one must agree with it.
import type { Conversation, Entry } from "../../src/core/conversation.ts";
import { roomKey, type Room } from "../../src/core/message.ts";
import type { Taint } from "../../src/core/taint.ts";
import type { Change, Committed, PlannedShow, ShowState, Unsettled } from "../../src/store/port.ts";

type ModelConversation = Omit<Conversation, "head" | "lastAt"> & { log: Entry[]; current: boolean };
type ModelRow = PlannedShow & ShowState & { readonly id: number };

export type Model = {
  conversations: ModelConversation[];
  rows: ModelRow[];
  nextRow: number;
  claims: Record<string, { readonly by: string; readonly about?: string }>;
  cursors: Record<string, string>;
};

export function emptyModel(): Model {
  return { conversations: [], rows: [], nextRow: 1, claims: {}, cursors: {} };
}

type Outcome = { readonly model: Model; readonly committed: { readonly ok: true } | Extract<Committed, { ok: false }> };

/** The model after a transaction, and what the store must answer. */
export function transact(before: Model, changes: readonly Change[]): Outcome {
  const model = structuredClone(before);
  for (const change of changes) {
    const refused = apply(model, change);
    if (refused !== undefined) return { model: before, committed: refused };
  }
  // What is claimed together with an entry goes when that entry's conversation does.
  const about = changes.find((change) => change.do === "append")?.conversation;
  for (const change of changes) {
    if (change.do === "claim" && about !== undefined) model.claims[change.key] = { by: change.by, about };
  }
  return { model, committed: { ok: true } };
}

function apply(model: Model, change: Change): Extract<Committed, { ok: false }> | undefined {
  const find = (id: string): ModelConversation | undefined => model.conversations.find((one) => one.id === id);
  switch (change.do) {
    case "open": {
      const { id, room, person, title, at } = change;
      const opened = { id, room, person, title, openedAt: at, archived: false, log: [], current: true };
      for (const other of model.conversations) if (samePlace(other, opened)) other.current = false;
      model.conversations.push(opened);
      return undefined;
    }
    case "append": {
      const found = find(change.conversation);
      if (found === undefined) return { ok: false, because: "gone" };
      const { conversation, body, at } = change;
      found.log.push({ ...body, conversation, seq: found.log.length + 1, at });
      return undefined;
    }
    case "expect-marks": {
      const found = find(change.conversation);
      if (found === undefined) return { ok: false, because: "gone" };
      return marksIn(found.log).length === change.count ? undefined : { ok: false, because: "marked" };
    }
    case "archive": {
      const found = find(change.conversation);
      if (found === undefined || found.archived === change.archived) return undefined;
      const vacant = !model.conversations.some((other) => other.current && samePlace(other, found));
      Object.assign(found, { archived: change.archived, current: !change.archived && vacant });
      return undefined;
    }
    case "claim": {
      const rival = model.claims[change.key];
      if (rival !== undefined) return { ok: false, because: "claimed", by: rival.by };
      model.claims[change.key] = { by: change.by };
      return undefined;
    }
    case "cursor":
      model.cursors[change.name] = change.value;
      return undefined;
    case "plan":
      place(model, change.rows, model.rows.length);
      return undefined;
    case "outgoing": {
      const at = model.rows.findIndex(({ id }) => id === change.id);
      const row = model.rows[at];
      if (row === undefined || row.state !== change.from.state || row.attempt !== change.from.attempt) {
        return { ok: false, because: "changed" };
      }
      model.rows[at] = { ...row, ...change.to };
      place(model, change.instead ?? [], at + 1);
      return undefined;
    }
    case "move-room": {
      const moves = (room: Room): boolean => room.platform === change.platform && room.chat === change.from;
      for (const one of model.conversations) {
        const place = { ...one, room: { ...one.room, chat: change.from } };
        const arrives = (other: ModelConversation): boolean =>
          other.current && moves(other.room) && samePlace(other, place);
        if (one.room.chat === change.to && model.conversations.some(arrives)) one.current = false;
      }
      for (const one of model.conversations)
        if (moves(one.room)) Object.assign(one, { room: { ...one.room, chat: change.to } });
      for (const row of model.rows) if (moves(row.room)) Object.assign(row, { room: { ...row.room, chat: change.to } });
      return undefined;
    }
    default:
      throw new Error(`the model doesn't know ${change.do}`);
  }
}

function place(model: Model, rows: readonly PlannedShow[], at: number): void {
  const known = rows.filter(({ conversation }) => model.conversations.some(({ id }) => id === conversation));
  model.rows.splice(
    at,
    0,
    ...known.map((row, nth) => ({ ...row, id: model.nextRow + nth, state: "planned", attempt: 0 }) as const),
  );
  model.nextRow += known.length;
}

/** Forgets a conversation. */
export function without(model: Model, id: string): Model {
  const gone = (one: { readonly conversation: string }): boolean => one.conversation === id;
  return {
    ...model,
    conversations: model.conversations.filter((one) => one.id !== id),
    rows: model.rows.filter((row) => !gone(row)),
    claims: Object.fromEntries(Object.entries(model.claims).filter(([, { about }]) => about !== id)),
  };
}

function samePlace(a: Pick<Conversation, "room" | "person">, b: Pick<Conversation, "room" | "person">): boolean {
  return roomKey(a.room) === roomKey(b.room) && a.person === b.person;
}

/** Which rows wait, in the order of each room. */
export function waitingRows(model: Model): Record<string, readonly number[]> {
  const open = model.rows.filter(({ state }) => state !== "shown" && state !== "refused");
  return byRoom(open);
}

export function byRoom(rows: readonly Pick<ModelRow, "room" | "id">[]): Record<string, readonly number[]> {
  const rooms: Record<string, number[]> = {};
  for (const { room, id } of rows) (rooms[roomKey(room)] ??= []).push(id);
  return rooms;
}

/** The marks that a log sets, told from its beginning. */
export function marksIn(log: readonly Entry[]): readonly Taint[] {
  const marks = new Map<string, Taint>();
  for (const entry of log) {
    if (entry.kind !== "marked") continue;
    const { kind, source } = entry.taint;
    if (!marks.has(`${kind} ${source}`)) marks.set(`${kind} ${source}`, entry.taint);
  }
  return [...marks.values()];
}

/** What is unsettled in a log, told from its beginning. */
export function unsettledIn(conversation: string, log: readonly Entry[]): Unsettled {
  let waiting = 0;
  let openTurn: Unsettled["openTurn"];
  for (const entry of log) {
    if (entry.kind === "message") waiting = entry.seq;
    if (entry.kind === "turn-started") {
      if (waiting <= entry.upTo) waiting = 0;
      openTurn = { turn: entry.turn, seq: entry.seq, again: entry.again };
    }
    if (entry.kind === "turn-ended" && openTurn?.turn === entry.turn) openTurn = undefined;
  }
  return openTurn === undefined ? { conversation, waiting } : { conversation, waiting, openTurn };
}
