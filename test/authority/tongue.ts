// What a platform makes of what people do: its ids, what it can say at all, the payload that says it, and its adapter's own reader.
import type { ChannelLimits, Inbound } from "../../src/core/channel.ts";
import type { Part, Room } from "../../src/core/message.ts";
import { clipGraphemes, clipUnits, oneLine } from "../../src/core/text.ts";
import type { Where, Who } from "./steps.ts";

/** Something that somebody does, by what it is to mean. */
export type Deed = {
  readonly means: Inbound;
  /** Chosen from a message's own menu: the forwarded part is the message that was chosen. */
  readonly by?: "message-menu";
  /** Of a press: the button opens a form. */
  readonly opens?: true;
  /** Of an edit: what the message said before. */
  readonly before?: string;
};

export type Tongue = {
  readonly name: "telegram" | "slack" | "discord";
  readonly people: Readonly<Record<Who, { readonly id: string; readonly homeId?: string }>>;
  /** Who the owner is, as the config states it. */
  readonly owner: string;
  /** This bot as the author of a message. */
  readonly bot: string;
  /** Whose words are forwarded. */
  readonly sources: Readonly<Record<"user" | "chat" | "channel", string>>;
  /** The id of a message that nobody here has seen. */
  readonly unseen: string;
  /** Whether a message can be answered so that it is quoted, and not only be shared. */
  readonly quotes: boolean;
  readonly limits: Pick<ChannelLimits, "commandPrefix" | "forms"> & Partial<Pick<ChannelLimits, "keyboard" | "copies">>;
  places(platform: string): Readonly<Record<Where, Room>>;
  /** A new id of a message or of anything else; ids of some platforms hold the time. */
  id(now: number, nth: number): string;
  /** The deeds that the platform knows for one, in order: it may be several, others than was meant, or none. `next` gives new ids. */
  says(deed: Deed, next: () => string): readonly Deed[];
  /** The payload, as the adapter keeps it, of a deed that the platform can say. */
  encode(deed: Deed): unknown;
  /** The adapter's own reading. */
  read(raw: unknown, platform: string): Inbound;
};

type Said = Extract<Inbound, { kind: "message" | "edit" }>;
export type TextPart = Extract<Part, { kind: "text" }>;
export type FilePart = Extract<Part, { kind: "file" }>;

/** The parts of a message by whose words they are. */
export function sorted({ parts }: Pick<Said, "parts">): {
  readonly own: string;
  readonly files: readonly FilePart[];
  readonly quoted: readonly TextPart[];
  readonly forwarded: readonly Part[];
} {
  const own = parts.filter((part) => part.origin.kind === "own");
  return {
    own: own.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n"),
    files: own.filter((part) => part.kind === "file"),
    quoted: parts.filter((part) => part.kind === "text" && part.origin.kind === "quoted") as readonly TextPart[],
    forwarded: parts.filter((part) => part.origin.kind === "forwarded"),
  };
}

export function ownText(messageId: string, text: string): readonly Part[] {
  return text.trim() === "" ? [] : [{ kind: "text", messageId, origin: { kind: "own" }, text }];
}

/** What every adapter is to make of names and of what is quoted, whatever stands in the payload. */
export function tidy(inbound: Inbound): Inbound {
  const name = (given: string): string => clipUnits(clipGraphemes(oneLine(given), 64), 256);
  const from =
    "from" in inbound && typeof inbound.from === "object"
      ? { from: { ...inbound.from, name: name(inbound.from.name) } }
      : {};
  if (!("parts" in inbound)) return { ...inbound, ...from } as Inbound;
  const parts = inbound.parts.map((part): Part => {
    const origin = part.origin.kind === "own" ? part.origin : { ...part.origin, from: name(part.origin.from) };
    if (part.kind === "file")
      return { ...part, origin, file: { ...part.file, name: clipGraphemes(oneLine(part.file.name), 120) } };
    return { ...part, origin, text: origin.kind === "quoted" ? clipUnits(part.text, 4000, "…") : part.text };
  });
  return { ...inbound, ...from, parts };
}

/** What was read, with the world's own name in place of the platform's: worlds share a store. */
export function placed(inbound: Inbound, platform: string): Inbound {
  if (inbound.kind === "moved") return { ...inbound, platform };
  return "room" in inbound ? { ...inbound, room: { ...inbound.room, platform } } : inbound;
}

/** All of a meaning that matters, for comparing: who, where, whose words, which command, which key. */
export function gist(inbound: Inbound): string {
  const { kind } = inbound;
  if (!("room" in inbound)) return JSON.stringify(inbound);
  const { platform, chat, thread = "", kind: audience } = inbound.room;
  const from =
    "from" in inbound ? [inbound.from.id, inbound.from.homeId ?? "", inbound.from.name, inbound.from.bot] : [];
  const parts = "parts" in inbound ? inbound.parts.map(partGist) : [];
  return JSON.stringify({
    kind,
    room: [platform, chat, thread, audience],
    from,
    parts,
    ...("messageId" in inbound ? { messageId: inbound.messageId } : {}),
    ...("picked" in inbound ? { picked: inbound.picked } : {}),
    ...("at" in inbound ? { at: inbound.at } : {}),
    ...(inbound.kind === "message" ? { addressed: inbound.addressed, command: commandGist(inbound.command) } : {}),
    ...(inbound.kind === "press" ? { data: inbound.data, fields: inbound.fields ?? {} } : {}),
  });
}

/** How it was typed may be told beside it, as the writer's own words and no others. */
function commandGist(command: Extract<Inbound, { kind: "message" }>["command"]): unknown {
  if (command === undefined) return [];
  const { name, args, typed } = command;
  return typed === undefined || typed.origin.kind === "own" ? [name, args] : [name, args, partGist(typed)];
}

function partGist(part: Part): unknown {
  const { kind, messageId, origin } = part;
  const whose = Object.entries(origin).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const what = part.kind === "text" ? part.text : [part.file.kind, part.file.name, part.file.mediaType];
  return [kind, messageId, whose, what];
}
