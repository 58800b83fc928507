// What a Discord event means. Pure: nothing is asked, nothing is remembered, nothing is thrown.
import type * as z from "zod";
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Origin, Part, Room } from "../../core/message.ts";
import { cleanName, contentOf, nameOf } from "./content.ts";
import type { Standing } from "./content.ts";
import { DM_CHANNEL, EVENT, timeOf } from "./event.ts";
import type { Author, Deletion, DiscordMessage, Kept, Me, RepliedTo } from "./event.ts";
import { readInteraction } from "./interactions.ts";

const OWN = { kind: "own" } as const;

/** What people write: an ordinary message, and one that answers another. All else is told by the platform itself. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);

/** A reference of this type is a forward (discord.com/developers/docs/resources/message#message-reference-types). */
const FORWARD = 1;

export function readEvent(raw: unknown, me: Me): Inbound {
  const kept = EVENT.kept.safeParse(raw);
  if (!kept.success) return malformed("event", kept.error);
  const { t, d } = kept.data;
  switch (t) {
    case "MESSAGE_CREATE":
      return parsed(t, EVENT.message, d, (message) => readMessage(message, kept.data, me));
    case "MESSAGE_UPDATE":
      return parsed(t, EVENT.message, d, (message) => readEdit(message, kept.data, me));
    case "MESSAGE_DELETE":
      return parsed(t, EVENT.deletion, d, (deletion) => readDeletion(deletion, kept.data));
    case "INTERACTION_CREATE":
      return parsed(t, EVENT.interaction, d, (interaction) => readInteraction(interaction, kept.data, me));
    default:
      return { kind: "ignored", because: `an event that is not used: ${/^[A-Z_]{1,48}$/u.test(t) ? t : "(no name)"}` };
  }
}

function parsed<T>(kind: string, shape: z.ZodType<T>, given: unknown, then: (value: T) => Inbound): Inbound {
  const result = shape.safeParse(given);
  return result.success ? then(result.data) : malformed(kind, result.error);
}

/** Path and expectation come from the shape; nothing of what was received is repeated. */
function malformed(kind: string, { issues: [issue] }: z.ZodError): Inbound {
  return { kind: "malformed", problem: `${[kind, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "wrong"}` };
}

function readMessage(message: DiscordMessage, kept: Kept, me: Me): Inbound {
  if (!WRITTEN.has(message.type ?? 0)) return { kind: "ignored", because: "a message of the platform's own" };
  const from = senderOf(message);
  if (from === undefined) return { kind: "malformed", problem: "MESSAGE_CREATE.author: nobody wrote it" };
  if (from.id === me.id) return { kind: "ignored", because: "our own message" };
  if (from.bot) return { kind: "ignored", because: "another program's message" };

  const room = roomOf(message, kept);
  const own = partsOf(message, kept, me);
  const command = isForward(message) ? undefined : commandOf(own);
  const parts = command === undefined ? own : own.filter((part) => part !== command.part);
  if (parts.length === 0 && command === undefined) return { kind: "ignored", because: "nothing in it to answer" };
  const name = cleanName(kept.place?.name ?? "");
  return {
    kind: "message",
    room,
    from,
    at: atOf(message, message.timestamp),
    messageId: message.id,
    parts: [...quotedBy(message, me), ...parts],
    ...(name === "" || room.kind === "private" ? {} : { roomName: name }),
    addressed: room.kind === "private" || speaksTo(message, kept, me),
    ...(command === undefined ? {} : { command: { name: command.name, args: command.args, typed: command.part } }),
  };
}

/**
 * An edit never is a command: an old one must not run again because something beside it changed. Only words are given, since the
 * files of the message are where they were. Without a time of its own it is no edit, but a preview or a pin that came to it.
 */
function readEdit(message: DiscordMessage, kept: Kept, me: Me): Inbound {
  if (!message.edited_timestamp) return { kind: "ignored", because: "a preview or a pin, no edit" };
  if (!WRITTEN.has(message.type ?? 0)) return { kind: "ignored", because: "a message of the platform's own" };
  const from = senderOf(message);
  if (from === undefined) return { kind: "ignored", because: "an edit that names nobody" };
  if (from.id === me.id) return { kind: "ignored", because: "our own message" };
  if (from.bot) return { kind: "ignored", because: "another program's message" };
  const own = partsOf(message, kept, me);
  if (own.length === 0) return { kind: "ignored", because: "an edit that leaves nothing to read" };
  return {
    kind: "edit",
    room: roomOf(message, kept),
    from,
    at: atOf(message, message.edited_timestamp),
    messageId: message.id,
    parts: [...quotedBy(message, me), ...own].filter((part) => part.kind === "text"),
  };
}

function readDeletion(deletion: Deletion, kept: Kept): Inbound {
  // Who took it back is not said.
  const type = kept.place?.type ?? (deletion.guild_id ? undefined : DM_CHANNEL);
  return {
    kind: "deleted",
    room: roomOf({ channel_id: deletion.channel_id, channel_type: type, guild_id: deletion.guild_id }, kept),
    messageId: deletion.id,
  };
}

// ---- Where and who

/** Threads and forum posts are channels of their own on Discord. Private is only what the platform itself calls a direct message. */
function roomOf(at: Pick<DiscordMessage, "channel_id" | "channel_type" | "guild_id">, { place }: Kept): Room {
  const isPrivate = !at.guild_id && (at.channel_type ?? place?.type) === DM_CHANNEL;
  return { platform: "discord", chat: at.channel_id, kind: isPrivate ? "private" : "shared" };
}

function senderOf({ author, member, webhook_id: webhook }: Author): Sender | undefined {
  if (!author) return undefined;
  return { id: author.id, name: nameOf(author, member), bot: author.bot === true || Boolean(webhook) };
}

function atOf({ id }: DiscordMessage, said: string | null | undefined): number {
  const at = Date.parse(said ?? "");
  return Number.isNaN(at) ? (timeOf(id) ?? 0) : at;
}

// ---- Whose words

function isForward({ message_reference: reference, message_snapshots: snapshots }: RepliedTo): boolean {
  return reference?.type === FORWARD || Boolean(snapshots?.length);
}

/** The copies that were brought in, and then what the writer says beside them. Whose words a copy holds Discord doesn't tell. */
function partsOf(message: DiscordMessage, kept: Kept, me: Me): Part[] {
  const at = standing(message, kept, me);
  const forwarded: Origin = { kind: "forwarded", as: "hidden-user", from: "" };
  const brought = (message.message_snapshots ?? []).flatMap((snapshot) => contentOf(snapshot.message, at, forwarded));
  return [...brought, ...contentOf(message, at, OWN)];
}

function standing({ id, channel_id: channel }: DiscordMessage, { place }: Kept, me: Me): Standing {
  return { channel, message: id, ours: { user: me.id, ...(place?.role ? { role: place.role } : {}) } };
}

/** What the message answers, as parts of their own. */
function quotedBy(message: DiscordMessage, me: Me): Part[] {
  const answered = message.referenced_message;
  if (!answered || isForward(message)) return [];
  const reference = message.message_reference;
  const here = !reference?.channel_id || reference.channel_id === message.channel_id;
  const sender = isForward(answered) ? undefined : senderOf(answered);
  const origin: Origin = {
    kind: "quoted",
    from: sender?.name ?? "",
    ...(sender === undefined ? {} : { id: sender.id }),
    ...(here ? { messageId: answered.id } : {}),
    ours: sender?.id === me.id,
  };
  const copies = (answered.message_snapshots ?? []).map((snapshot) => snapshot.message);
  const at: Standing = { channel: message.channel_id, message: answered.id, ours: { user: me.id } };
  return [...copies, answered].flatMap((content) =>
    contentOf(content, at, origin).map((part) => ({ ...part, messageId: message.id })),
  );
}

/** In a shared room: we are mentioned, by name or by the role that is ours alone, or one of our messages is answered. */
function speaksTo(message: DiscordMessage, { place }: Kept, me: Me): boolean {
  if (isForward(message) && !message.content) return false;
  if (message.referenced_message?.author?.id === me.id) return true;
  if (place?.role && message.mention_roles?.includes(place.role)) return true;
  return (
    message.mentions?.some(({ id }) => id === me.id) === true ||
    new RegExp(`<@!?${me.id}>`, "u").test(message.content ?? "")
  );
}

/**
 * The command that the writer's own words begin with. `!` stands for `/`, which the app keeps for commands of its own. The words may
 * be no command at all, so the part goes with it.
 */
function commandOf(parts: readonly Part[]): { name: string; args: string; part: Part } | undefined {
  const part = parts.find((part) => part.kind === "text" && part.origin.kind === "own");
  if (part?.kind !== "text") return undefined;
  const [, name, args = ""] = /^[/!]([a-z][a-z_-]{0,31})(?:\s+([^]*))?$/iu.exec(part.text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim(), part };
}
