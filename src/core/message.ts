// What a person said, where, and whose words each part of it holds.

declare const outside: unique symbol;

/** Text that came from outside. It reaches a model only through `frame`, a platform only through that channel's escape. */
export type Untrusted = string & { readonly [outside]?: never };

/** One place on a platform where people talk. `private` is one-to-one with the owner as the platform types it; all else is shared. */
export type Room = {
  readonly platform: string;
  readonly chat: string;
  readonly thread?: string;
  readonly kind: "private" | "shared";
};

/** A platform as people write it. */
export function platformName(platform: string): string {
  return platform.slice(0, 1).toUpperCase() + platform.slice(1);
}

/** The platform of `tidegate run`: nobody is there, and nobody reads along. */
export const UNATTENDED_PLATFORM = "cli";

/** Where a room is, in words; never what it is called there, which anyone may have chosen. */
export function placeInWords({ platform, kind }: Pick<Room, "platform" | "kind">): string {
  if (platform === UNATTENDED_PLATFORM) return "the command line";
  return kind === "shared" ? `${platformName(platform)}, a group` : platformName(platform);
}

/** The room as one string, for maps and tables. Two rooms are the same place exactly when their keys are equal. */
export function roomKey(room: Room): string {
  return room.thread === undefined ? `${room.platform}/${room.chat}` : `${room.platform}/${room.chat}/${room.thread}`;
}

/** Who speaks. Known by the platform's immutable id, never by the name. */
export type Person = {
  readonly platform: string;
  readonly id: string;
  readonly name: Untrusted;
  readonly role: "owner" | "guest";
};

/** The person as one string, for maps and tables. */
export function personKey(person: { readonly platform: string; readonly id: string }): string {
  return `${person.platform}/${person.id}`;
}

/**
 * Whose words a part holds: the writer's own, brought in by forwarding, or quoted from elsewhere. A forward's `from` is the
 * name shown by the platform; `id` is there only when the platform gives one (a hidden user has none).
 */
export type Origin =
  | { readonly kind: "own" }
  | {
      readonly kind: "forwarded";
      readonly as: "user" | "hidden-user" | "chat" | "channel";
      readonly from: Untrusted;
      readonly id?: string;
    }
  | {
      readonly kind: "quoted";
      readonly from: Untrusted;
      readonly id?: string;
      /** The quoted message's own id on the platform, where it is in the same room. */
      readonly messageId?: string;
      /** True when the quoted words are this gateway's own. */
      readonly ours: boolean;
    };

/** A file that came with a message. `path` is there once its bytes lie in the conversation's work folder; else `problem` says why not, in words for people. */
export type FileRef = {
  readonly kind: "photo" | "document" | "voice" | "audio" | "video" | "sticker";
  readonly name: Untrusted;
  readonly mediaType: string;
  /** Size in bytes as the platform states it, where it does. */
  readonly bytes?: number;
  /** What the channel needs to fetch it. */
  readonly handle: string;
  readonly path?: string;
  readonly problem?: string;
};

/** One part of a message, with its origin and the platform's id of the message it arrived in (an edit replaces the parts of one id). */
export type Part =
  | {
      readonly kind: "text";
      readonly messageId: string;
      readonly origin: Origin;
      readonly text: Untrusted;
    }
  | {
      readonly kind: "file";
      readonly messageId: string;
      readonly origin: Origin;
      readonly file: FileRef;
    };

/** What one person said in one room. Several platform messages that came close together are one Message. */
export type Message = {
  readonly from: Person;
  /** When the last of its parts was sent, milliseconds since 1970. */
  readonly at: number;
  /** Platform ids of all that were joined, in order; never empty. */
  readonly ids: readonly string[];
  /** In the order received; never empty. */
  readonly parts: readonly Part[];
};

/** The words a person typed, joined by line breaks: never a forwarded, quoted or attached part. */
export function ownWords(message: Pick<Message, "parts">): Untrusted {
  return message.parts
    .flatMap((part) => (part.kind === "text" && part.origin.kind === "own" ? [part.text] : []))
    .join("\n");
}
