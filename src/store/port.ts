// The store as everyone else sees it. Nothing here says that it is SQLite.
import type { ChoiceAction, OfferAct, Page, QuestionAct } from "../core/card.ts";
import type { Conversation, Entry, EntryBody, PlacedEntry } from "../core/conversation.ts";
import type { RawUpdate } from "../core/channel.ts";
import type { Room, Untrusted } from "../core/message.ts";
import type { Mode, Taint } from "../core/taint.ts";
import type { Piece } from "../core/reply.ts";

/**
 * One thing to be done in a transaction. Those that state a condition (`claim`, `outgoing`, `expect-marks`, `append` to a
 * conversation that was deleted) refuse the whole transaction when it does not hold.
 */
export type Change =
  /** Opens a conversation; it becomes the current one of its room and person. `id` is drawn by the caller. */
  | {
      readonly do: "open";
      readonly id: string;
      readonly room: Room;
      readonly person: string;
      readonly title: string;
      readonly engine?: string;
      readonly at: number;
    }
  /** `stands`: it is what stands open in the conversation from now on. */
  | {
      readonly do: "append";
      readonly conversation: string;
      readonly body: EntryBody;
      readonly at: number;
      readonly stands?: true;
    }
  /** Nothing stands open there any more. */
  | { readonly do: "none-stands"; readonly conversation: string }
  | { readonly do: "title"; readonly conversation: string; readonly title: string }
  | { readonly do: "engine"; readonly conversation: string; readonly engine: string }
  | { readonly do: "mode"; readonly conversation: string; readonly mode: Mode }
  /**
   * Refused when the conversation has more marks than this, or is gone: what was judged by them no longer holds. Marks only grow, so
   * their number says whether they are the same.
   */
  | { readonly do: "expect-marks"; readonly conversation: string; readonly count: number }
  /** An archived conversation is nobody's current one. Taken back it is again, unless its place was taken meanwhile. */
  | { readonly do: "archive"; readonly conversation: string; readonly archived: boolean }
  /**
   * Raw updates are done with; `outcome` is a word or two for a later look. Done rows that are done again stay as they were.
   * `forget`: what they held goes at once, since no chat's deletion would find it; their keys stay.
   */
  | {
      readonly do: "inbound-done";
      readonly ids: readonly number[];
      readonly outcome: string;
      readonly forget?: boolean;
    }
  /** Refused when `key` was claimed before, by anyone. */
  | { readonly do: "claim"; readonly key: string; readonly by: string; readonly at: number }
  /** A durable button. */
  | { readonly do: "button"; readonly key: string; readonly button: Button }
  /** Takes the place of what was known of them before. */
  | { readonly do: "know"; readonly known: Known }
  | { readonly do: "forget-known"; readonly platform: string; readonly id: string }
  | { readonly do: "session"; readonly session: EngineSession }
  | { readonly do: "forget-session"; readonly conversation: string; readonly engine: string }
  | { readonly do: "cursor"; readonly name: string; readonly value: string }
  /** Rows to show, in this order, behind all that were planned for their room before. */
  | { readonly do: "plan"; readonly rows: readonly PlannedShow[] }
  /** Compare-and-set on (state, attempt). `instead`: further rows that take this one's place in the order, right behind it. */
  | {
      readonly do: "outgoing";
      readonly id: number;
      readonly from: ShowState;
      readonly to: ShowState & ShowResult;
      readonly instead?: readonly PlannedShow[];
    }
  /** Forgets done raw updates and the pieces of shown or refused rows from before then (milliseconds since 1970). */
  | { readonly do: "prune"; readonly before: number }
  /**
   * Every key of the old chat (bindings, conversations, planned and shown rows, message ids) becomes the new chat's. Where both
   * have a current conversation of one person, the old chat's stays current.
   */
  | { readonly do: "move-room"; readonly platform: string; readonly from: string; readonly to: string };

/** What came of a transaction: all of it, with the entries appended and the rows planned, each in order; or none of it. */
export type Committed =
  | { readonly ok: true; readonly entries: readonly Entry[]; readonly rows: readonly OutgoingRow[] }
  /** `claimed`: by whom before; `changed`: an outgoing row was not as expected; `marked`: more marks than expected; `gone`: no such conversation. */
  | { readonly ok: false; readonly because: "claimed" | "changed" | "marked" | "gone"; readonly by?: string };

/**
 * Someone, or a group, that the owner has decided about or is asked about. `asked`: waits for the owner's answer. `later`: the
 * owner said not now. `at`: since when, milliseconds since 1970.
 */
export type Known = {
  readonly platform: string;
  readonly id: string;
  readonly kind: "person" | "group";
  readonly name: Untrusted;
  readonly standing: "owner" | "guest" | "blocked" | "asked" | "later";
  readonly at: number;
};

/** What a pressed key stands for. An option carries all that taking it needs: what it does and what its card says then. */
export type Button = { readonly conversation: string } & (
  | { readonly does: "stop"; readonly turn: string }
  | { readonly does: "offer"; readonly card: string; readonly act: OfferAct }
  | { readonly does: "question"; readonly card: string; readonly act: QuestionAct }
  /** Sends its words as the person's own, while they stand under the newest answer. */
  | { readonly does: "chip"; readonly turn: string; readonly part: number; readonly words: string }
  /** Puts a text where the person writes. */
  | { readonly does: "compose"; readonly text: string }
  /** Shows a page under the key of the card that the button stands on. */
  | { readonly does: "leaf"; readonly key: string; readonly page: Page }
  | {
      readonly does: "option";
      readonly card: string;
      readonly action: ChoiceAction;
      readonly done: string;
      /** What the card says holds words that someone else chose. */
      readonly outside?: true;
    }
);

/** An engine's own memory of a conversation. `seen`: the last seq it knows. */
export type EngineSession = {
  readonly conversation: string;
  readonly engine: string;
  readonly resumeId: string;
  readonly seen: number;
  readonly redacted: boolean;
};

/** A raw update that is not done with. */
export type InboundRow = {
  readonly id: number;
  readonly channel: string;
  readonly key: string;
  readonly raw: unknown;
  readonly at: number;
};

/**
 * What the names of cursors begin with that are about something in one conversation, whose id and a slash come next: they go with it,
 * and empty ones are forgotten after a while. Cards that no turn waits for any more, and calls that were allowed.
 */
export const ABOUT_ONE: readonly ["held/", "grant/"] = ["held/", "grant/"];

/** What a row is for: decides what becomes of it when nobody can say whether it was shown. `cosmetic` may be lost. */
export type ShowWeight = "final" | "card" | "notice" | "cosmetic";

/** What the keys of rows begin with that hold words which someone else chose: quoted, those are not ours. */
export const OUTSIDE_KEY = "outside/";

/** What the keys of rows begin with whose pieces are forgotten as soon as they are shown or refused: they show words of other chats. */
export const PASSING_KEY = "outside/passing/";

/**
 * One piece to show. Rows with the same `key` and `index` are the same message: a later one edits what an earlier one showed.
 * `place` is the log place that asked for it. `conversation` is empty for words that belong to none.
 */
export type PlannedShow = {
  readonly room: Room;
  readonly conversation: string;
  readonly key: string;
  readonly index: number;
  readonly weight: ShowWeight;
  readonly piece: Piece;
  readonly place: number;
  readonly at: number;
  /** Without markup from the start. */
  readonly plain?: boolean;
};

/** Where a row stands. `attempt` counts from 0 (never tried). `unknown` is waiting to be looked up or judged. */
export type ShowState = {
  readonly state: "planned" | "attempting" | "shown" | "refused" | "unknown";
  readonly attempt: number;
};

/** What is known beside the state. `firstAttemptAt` is kept once set. `detail` is for the operator. */
export type ShowResult = {
  readonly ref?: string;
  readonly detail?: string;
  readonly plain?: boolean;
  readonly repeat?: boolean;
  readonly firstAttemptAt?: number;
};

/** A row as kept. `nonce` is unique to it and the same for each of its tries. */
export type OutgoingRow = PlannedShow & ShowState & ShowResult & { readonly id: number; readonly nonce: string };

/** The log. @port */
export interface Log {
  /** Entries of one conversation with a seq above `after` (0: all), oldest first, at most `limit`; `last`: the newest `limit` instead. */
  read(
    conversation: string,
    range?: { readonly after?: number; readonly limit?: number; readonly last?: boolean },
  ): Promise<readonly Entry[]>;
  /** The place of the newest entry of all, 0 when there is none. */
  head(): Promise<number>;
  /** Entries of all conversations with a place above `after`, in order, at most `limit`. */
  page(after: number, limit: number): Promise<readonly PlacedEntry[]>;
  /** The newest looks at earlier chats, with a place below `before` (left out: all), newest first. */
  looks(limit: number, before?: number): Promise<readonly PlacedEntry[]>;
  /**
   * Entries of all conversations with a place above `after`, in order, in batches of at most 500, and then each further one
   * as it is committed, until the signal fires (then it ends).
   */
  follow(after: number, signal: AbortSignal): AsyncIterable<readonly PlacedEntry[]>;
}

/** Conversations and where they are bound. @port */
export interface Conversations {
  get(id: string): Promise<Conversation | undefined>;
  /** The current one of a room and person. */
  current(room: Room, person: string): Promise<Conversation | undefined>;
  /** Newest first: by their last entry. Archived ones only when asked for, among the others. */
  list(which?: { readonly archived?: boolean; readonly limit?: number }): Promise<readonly Conversation[]>;
  /**
   * The marks of one, oldest first, however long its log; undefined when it is gone. A log line `marked` is what sets one; the same
   * kind and source marks once.
   */
  marks(id: string): Promise<readonly Taint[] | undefined>;
  /** Which conversation holds the platform's message, a person's or one of ours that holds no words someone else chose. Of copies (a fork) the newest one. */
  holding(room: Room, messageId: string): Promise<Conversation | undefined>;
  /** Those with a message that no turn has taken, or with a turn that has not ended, oldest first. */
  unsettled(): Promise<readonly Unsettled[]>;
  /** What is unsettled in one. */
  state(id: string): Promise<Unsettled>;
  /**
   * Forgets one for good: log, raw updates, rows, buttons, claims, sessions, and what the file still holds of them. Gives the
   * sessions it had. The file is rewritten for it (a second per 50 MB or so): commits wait meanwhile, reads don't. What comes
   * late for it (rows, buttons, sessions, a title) is left out silently; only `append` is refused.
   */
  delete(id: string): Promise<readonly EngineSession[]>;
}

/** `waiting`: the seq of the last message no turn has taken (0: none). `openTurn`: the turn that has not ended. */
export type Unsettled = {
  readonly conversation: string;
  readonly waiting: number;
  readonly openTurn?: { readonly turn: string; readonly seq: number; readonly again: boolean };
};

/** Raw updates. @port */
export interface InboundRows {
  /**
   * Stores what is new of these in one transaction and gives just those rows; a key seen before is left out. They can be worked on
   * at once, and are on the disk with the next synced commit: before that nothing may be acknowledged to the platform.
   */
  keep(channel: string, updates: readonly RawUpdate[], at: number): Promise<readonly InboundRow[]>;
  /** All of a channel that are not done with, oldest first. */
  pending(channel: string): Promise<readonly InboundRow[]>;
}

/** Rows on their way out. @port */
export interface OutboxRows {
  /** All that are neither shown nor refused, in the order of their rooms. */
  open(): Promise<readonly OutgoingRow[]>;
  /** The last one shown for a key and index in a room: what an edit edits. */
  shown(room: Room, key: string, index: number): Promise<OutgoingRow | undefined>;
  /** How many are waiting, by state; one that is being attempted counts as planned. */
  counts(): Promise<{ readonly planned: number; readonly unknown: number; readonly refused: number }>;
}

/** Single facts by key. @port */
export interface Records {
  button(key: string): Promise<Button | undefined>;
  /** Who claimed it. */
  claim(key: string): Promise<string | undefined>;
  cursor(name: string): Promise<string | undefined>;
  /** All whose names begin so, by what follows in the name. */
  cursors(prefix: string): Promise<ReadonlyMap<string, string>>;
  /** Everyone known, in the order of their standing's time. */
  known(): Promise<readonly Known[]>;
  session(conversation: string, engine: string): Promise<EngineSession | undefined>;
  /** What all engines keep of a conversation. */
  sessions(conversation: string): Promise<readonly EngineSession[]>;
}

/** Small choices that need not agree with the log: mutes, skill modes, preferences. @port */
export interface Settings {
  get<T>(key: string): Promise<T | undefined>;
  set(key: string, value: unknown): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Everything durable. One writer per data folder. @port */
export interface Store {
  /**
   * Does all of it or none. What it did survives the process when this resolves, and a power cut too, with all that was
   * committed before it. With `sync: false` a power cut may take it, and then all that was committed since, up to the next that
   * is synced: for what can be made again from what came before, as long as nothing that must not be done twice has left the machine. Throws only when the
   * disk or the file fails.
   */
  commit(changes: readonly Change[], how?: { readonly sync?: boolean }): Promise<Committed>;
  readonly log: Log;
  readonly conversations: Conversations;
  readonly inbound: InboundRows;
  readonly outbox: OutboxRows;
  readonly records: Records;
  readonly settings: Settings;
  /** Closes it. Commits under way end first. */
  [Symbol.asyncDispose](): Promise<void>;
}
