// The two ports of a platform: in (Channel) and out (Outlet).
import type { FileRef, Part, Room, Untrusted } from "./message.ts";
import type { Filled, Form, Piece, Reply, Showing, Shown } from "./reply.ts";

/** Numbers and habits of a platform that the gateway goes by. */
export type ChannelLimits = {
  /** False: each message is a turn of its own, and the next is taken only when the one before is answered (a pipe). */
  readonly joins: boolean;
  /** A message of at least this many UTF-16 units may be one piece of a longer text that the app cut. */
  readonly nearLimitUnits: number;
  /** How a text under way is shown: by the platform's own drafts, by edits of one message, or not at all. */
  readonly drafts: { readonly private: DraftStyle; readonly shared: DraftStyle };
  /** At most this many UTF-16 units of a text under way stand in the message that grows by edits; of a longer one its end. */
  readonly growingUnits: number;
  /** What people type before a command's name: "/", or "/tidegate " where one command stands for all. */
  readonly commandPrefix: string;
  /** Whether a button can open a form, and a card hold a menu of which several can be picked. */
  readonly forms: boolean;
  /** Whether what a person may send next is a keyboard in a private chat, whose keys send their words as the person's own message. */
  readonly keyboard: boolean;
  /** Whether a button can put a text on the clipboard. */
  readonly copies: boolean;
  /** How long a typing hint lasts, in milliseconds. */
  readonly typingMs: number;
  /** The largest file that can be fetched, in bytes. */
  readonly maxFileBytes: number;
  readonly pace: Pace;
};

export type DraftStyle = "native" | "edit" | "none";

/** The platform's rates. 0 means none. */
export type Pace = {
  readonly perChatMs: number;
  readonly perGroupPerMinute: number;
  readonly perSecond: number;
  readonly draftMs: number;
};

/**
 * A raw update as the platform gave it: `key` is unique for this channel, also after restarts, and the same when the platform's
 * history gives it again; `raw` survives JSON. `mark`: how far a place of the platform has been heard, kept with the update and
 * handed back by `since`.
 */
export type RawUpdate = {
  readonly key: string;
  readonly raw: unknown;
  readonly mark?: { readonly place: string; readonly at: string };
};

/** How far the platform was heard before: by its own places, and the time of the last update of all (milliseconds since 1970). */
export type Since = { readonly marks: ReadonlyMap<string, string>; readonly heardAt?: number };

/**
 * Who wrote or pressed, as the platform says. `bot`: a program, an anonymous admin or a channel's own post: never a person.
 * `homeId`: what the id may be called for short, where the person belongs to the workspace of the bot's own token.
 */
export type Sender = {
  readonly id: string;
  readonly homeId?: string;
  readonly name: Untrusted;
  readonly bot: boolean;
};

/** What a raw update means. */
export type Inbound =
  | {
      readonly kind: "message";
      readonly room: Room;
      readonly from: Sender;
      readonly at: number;
      readonly messageId: string;
      readonly parts: readonly Part[];
      /** Messages of one album carry the same one. */
      readonly album?: string;
      /** What the room is called, where it has a name. Anyone there may have chosen it. */
      readonly roomName?: Untrusted;
      /** In a shared room: the bot was mentioned or replied to. */
      readonly addressed: boolean;
      /**
       * The writer's own leading command; its words are not in `parts`. `typed`: the part as it was written, where such words
       * may be no command at all (`!name`, on platforms that keep `/` for themselves).
       */
      readonly command?: { readonly name: string; readonly args: string; readonly typed?: Part };
    }
  | {
      readonly kind: "edit";
      readonly room: Room;
      readonly from: Sender;
      readonly at: number;
      readonly messageId: string;
      readonly parts: readonly Part[];
    }
  | {
      readonly kind: "press";
      readonly room: Room;
      readonly from: Sender;
      readonly data: string;
      readonly ref: string;
      readonly messageId?: string;
      /** What was filled into the form that the button had opened. */
      readonly fields?: Filled;
      /** What was picked from the menu that `data` stands for, by value. Outside input. */
      readonly picked?: readonly Untrusted[];
    }
  /** The writer took a message back. Not every platform says who did. */
  | { readonly kind: "deleted"; readonly room: Room; readonly messageId: string }
  /** Someone opened the page that the app has for itself; what is shown in `room` stands there. */
  | { readonly kind: "home"; readonly room: Room; readonly from: Sender }
  /** The platform's own stop button of a draft. */
  | { readonly kind: "stop"; readonly room: Room; readonly from: Sender }
  /** The chat has a new id; every key of the old one moves. */
  | {
      readonly kind: "moved";
      readonly platform: string;
      readonly from: string;
      readonly to: string;
    }
  /** Nobody can be written to there any more, or again. */
  | { readonly kind: "reach"; readonly room: Room; readonly reachable: boolean }
  /** Deliberately not acted on. */
  | { readonly kind: "ignored"; readonly because: string }
  /** Can't be understood; kept for a look, said in the log. */
  | { readonly kind: "malformed"; readonly problem: string };

/** In: what people do on the platform. @port */
export interface Channel {
  /** The platform's name, as in the config. */
  readonly name: string;
  readonly limits: ChannelLimits;
  /**
   * Connects and yields what arrives, in order. The first batch comes as soon as the channel is connected, and may be empty.
   * The caller asks for the next batch only when it has stored this one; only then is this one acknowledged. Ends when the
   * platform has no more (a pipe at its end); throws a GatewayError when the connection dies, and can then be called again.
   * `since` says what was heard before, for platforms that don't deliver again what was missed.
   */
  inbound(signal: AbortSignal, since: Since): AsyncIterable<readonly RawUpdate[]>;
  /** What a raw update means. Pure, never throws; may be asked again after a restart, once `inbound` has yielded. */
  read(raw: unknown): Inbound;
  /** Writes a file's bytes to `path` (0600). Throws `file-too-large`, `file-empty` or `file-unavailable`. */
  fetch(file: FileRef, path: string, signal: AbortSignal): Promise<void>;
  /** How to hand the bot this code in a private chat: a link, or words with one. Undefined where there is none, or not before it has connected. */
  invite(code: string): string | undefined;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What may be hinted at while a turn runs; losing one is harmless. */
export type Hint =
  | { readonly kind: "typing" }
  /**
   * The text so far of the part `key`; empty: still thinking. Markdown, perhaps half-open. `doing`: it is none of the answer's, but says
   * what is being done, and goes with whatever is shown next.
   */
  | { readonly kind: "draft"; readonly key: string; readonly text: string; readonly doing?: true };

/** A command for the platform's native menu. */
export type MenuItem = { readonly name: string; readonly description: string };

/**
 * What a press is answered with: plain words, or a form, which only a button that `opens` one can show. `title`: what words of several
 * lines are called where they can stand in a window of their own.
 */
export type PressAnswer = { readonly words: string; readonly title?: string } | { readonly form: Form };

/** A new message of unknown outcome. `since`: its first attempt, milliseconds since 1970. */
export type LostPiece = { readonly piece: Piece; readonly nonce: string; readonly since: number };

/** `absent`: shown again under the same nonce it stands there once. `unknowable`: nobody can say, and a repeat may double it. */
export type Recovered =
  | { readonly is: "shown"; readonly ref: string }
  | { readonly is: "absent" | "unknowable" }
  /** Can't be asked now. */
  | { readonly is: "wait"; readonly waitMs: number };

/** Out: what the gateway shows there. Nothing here retries by itself. @port */
export interface Outlet {
  readonly name: string;
  /** The platform's messages for a reply, each within its limits. Pure. An empty reply gives none. */
  pieces(reply: Reply): readonly Piece[];
  /** Shows one piece. Never throws: what happened is the answer. */
  show(room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown>;
  /** Shows a hint. Never throws; `wait` says how long to give no more. */
  hint(room: Room, hint: Hint, signal: AbortSignal): Promise<Extract<Shown, { is: "wait" }> | undefined>;
  /** Ends the press's spinner, with what is shown only to who pressed, if anything. Losing it is harmless. Never throws. */
  answer(ref: string, answer: PressAnswer | undefined, signal: AbortSignal): Promise<void>;
  /** Looks up a piece that may have been shown. Never throws. */
  recover(room: Room, lost: LostPiece, signal: AbortSignal): Promise<Recovered>;
  /** The address that opens a message where it stands, where the platform has one. Pure. */
  link(room: Room, messageId: string): string | undefined;
  /** Fills the platform's native command menu. Throws a GatewayError. */
  menu(items: readonly MenuItem[], signal: AbortSignal): Promise<void>;
}

/** A connected platform: both ports over one client. */
export type Platform = { readonly channel: Channel; readonly outlet: Outlet };
