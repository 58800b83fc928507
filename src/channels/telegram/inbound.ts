// What a Telegram update means. Pure: nothing is asked, nothing is remembered, nothing is thrown.
import type * as z from "zod";
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Origin, Part, Room, Untrusted } from "../../core/message.ts";
import { clipGraphemes, clipUnits, oneLine } from "../../core/text.ts";
import { contentOf, quotedWords } from "./content.ts";
import { UPDATE } from "./update.ts";
import type {
  Author,
  Brought,
  Chat,
  Entity,
  ForwardOrigin,
  Press,
  RepliedTo,
  TelegramMessage,
  Threaded,
  User,
} from "./update.ts";

/** This bot itself. The name comes with `getMe`; until then no mention is ours. */
export type Me = { readonly id: number; readonly username: string };

/** Telegram's own accounts that write for others: anonymous admins, posts in a channel's name, a linked channel's posts. */
const STAND_INS: ReadonlySet<number> = new Set([1_087_968_824, 136_817_688, 777_000]);

const MAX_NAME = 64;
/** One grapheme can be piled up without end. */
const MAX_NAME_UNITS = 256;

const OWN = { kind: "own" } as const;

export function readUpdate(raw: unknown, me: Me): Inbound {
  if (!isRecord(raw)) return { kind: "malformed", problem: "The update is no object." };
  const kind = Object.keys(raw).find((key) => key !== "update_id" && raw[key] !== null && raw[key] !== undefined);
  if (kind === undefined) return { kind: "malformed", problem: "The update holds nothing." };
  const given = raw[kind];
  switch (kind) {
    case "message":
      return parsed(kind, UPDATE.message, given, (message) => readMessage(message, given, me));
    case "edited_message":
      return parsed(kind, UPDATE.message, given, (message) => readEdit(message, me));
    case "callback_query":
      return parsed(kind, UPDATE.callback_query, given, readPress);
    case "my_chat_member":
      return parsed(kind, UPDATE.my_chat_member, given, ({ chat, new_chat_member: member }) => ({
        kind: "reach",
        room: roomOf(chat, undefined),
        reachable:
          member.status !== "left" &&
          member.status !== "kicked" &&
          !(member.status === "restricted" && (member.is_member === false || member.can_send_messages === false)),
      }));
    case "stopped_message_generation":
      return parsed(kind, UPDATE.stopped_message_generation, given, ({ chat, message_thread_id: thread }) => ({
        kind: "stop",
        room: roomOf(chat, thread ?? undefined),
        // Drafts exist in private chats only, where the chat's id is the person's.
        from: { id: String(chat.id), name: nameOf(chat), bot: false },
      }));
    default:
      return { kind: "ignored", because: UNUSED.get(kind) ?? `unknown kind of update: ${fieldName(kind)}` };
  }
}

/** Kinds that are known and never acted on; most are not even asked for. */
const UNUSED: ReadonlyMap<string, string> = new Map([
  ["channel_post", "a channel's post"],
  ["edited_channel_post", "a channel's post"],
  ["guest_message", "a guest message"],
  ["message_reaction", "a reaction"],
  ["message_reaction_count", "a reaction"],
  ["business_connection", "business accounts are not served"],
  ["business_message", "business accounts are not served"],
  ["edited_business_message", "business accounts are not served"],
  ["deleted_business_messages", "business accounts are not served"],
]);

function parsed<T>(kind: string, shape: z.ZodType<T>, given: unknown, then: (value: T) => Inbound): Inbound {
  const result = shape.safeParse(given);
  if (result.success) return then(result.data);
  const [issue] = result.error.issues;
  // Path and expectation come from the shape; nothing of what was received is repeated.
  return { kind: "malformed", problem: `${[kind, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "wrong"}` };
}

function readMessage(message: TelegramMessage, raw: unknown, me: Me): Inbound {
  const chat = String(message.chat.id);
  if (message.migrate_to_chat_id)
    return { kind: "moved", platform: "telegram", from: chat, to: String(message.migrate_to_chat_id) };
  if (message.migrate_from_chat_id)
    return { kind: "moved", platform: "telegram", from: String(message.migrate_from_chat_id), to: chat };
  if (message.chat.type === "channel") return { kind: "ignored", because: "a channel's post" };
  const from = senderOf(message);
  if (from === undefined) return { kind: "malformed", problem: "message.from: nobody wrote it" };
  if (from.id === String(me.id)) return { kind: "ignored", because: "our own message" };

  const origin = originOf(message);
  const command = origin.kind === "own" ? commandOf(message) : undefined;
  const forUs = command?.bot !== undefined && sameName(command.bot, me.username);
  if (command?.bot !== undefined && !forUs) return { kind: "ignored", because: "a command for another bot" };
  const room = roomOf(message.chat, threadOf(message));
  const id = String(message.message_id);
  const own = command === undefined ? contentOf(message, id, origin) : [];
  if (own.length === 0 && command === undefined)
    return { kind: "ignored", because: `nothing in it to answer: ${contentName(raw)}` };
  return {
    kind: "message",
    room,
    from,
    at: message.date * 1000,
    messageId: id,
    parts: [...quotedBy(message, me), ...own],
    ...(message.chat.title ? { roomName: cleanName(message.chat.title) } : {}),
    ...(message.media_group_id ? { album: message.media_group_id } : {}),
    addressed: room.kind === "private" || forUs || (origin.kind === "own" && speaksTo(message, me)),
    ...(command === undefined ? {} : { command: { name: command.name, args: command.args } }),
  };
}

/**
 * An edit never is a command: an old one must not run again because something beside it changed. Only words are given, since the
 * files of the message are where they were.
 */
function readEdit(message: TelegramMessage, me: Me): Inbound {
  if (message.chat.type === "channel") return { kind: "ignored", because: "a channel's post" };
  const from = senderOf(message);
  if (from === undefined) return { kind: "malformed", problem: "edited_message.from: nobody wrote it" };
  if (from.id === String(me.id)) return { kind: "ignored", because: "our own message" };
  if (message.location) return { kind: "ignored", because: "a live location that moved" };
  const id = String(message.message_id);
  const own = contentOf(message, id, originOf(message));
  if (own.length === 0) return { kind: "ignored", because: "an edit that leaves nothing to read" };
  return {
    kind: "edit",
    room: roomOf(message.chat, threadOf(message)),
    from,
    at: (message.edit_date ?? message.date) * 1000,
    messageId: id,
    parts: [...quotedBy(message, me), ...own].filter((part) => part.kind === "text"),
  };
}

function readPress(press: Press): Inbound {
  if (!press.message) return { kind: "ignored", because: "a press on a message outside any chat" };
  if (!press.data) return { kind: "ignored", because: "a press that carries no data" };
  return {
    kind: "press",
    room: roomOf(press.message.chat, threadOf(press.message)),
    from: { id: String(press.from.id), name: nameOf(press.from), bot: press.from.is_bot === true },
    data: press.data,
    ref: press.id,
    messageId: String(press.message.message_id),
  };
}

// ---- Where and who

function roomOf(chat: Chat, thread: number | undefined): Room {
  return {
    platform: "telegram",
    chat: String(chat.id),
    ...(thread === undefined ? {} : { thread: String(thread) }),
    kind: chat.type === "private" ? "private" : "shared",
  };
}

/** Every reply in a supergroup carries a thread id; only with `is_topic_message` is it a topic. The General topic has none. */
function threadOf(message: Threaded): number | undefined {
  return message.is_topic_message === true ? (message.message_thread_id ?? undefined) : undefined;
}

function senderOf(message: Author): Sender | undefined {
  const { from, sender_chat: chat } = message;
  if (chat) return { id: String(chat.id), name: nameOf(chat), bot: true };
  if (!from) return undefined;
  return { id: String(from.id), name: nameOf(from), bot: from.is_bot === true || STAND_INS.has(from.id) };
}

function nameOf(who: Partial<User & Chat>): Untrusted {
  const full = who.title ?? [who.first_name, who.last_name].filter(Boolean).join(" ");
  return cleanName(full) || cleanName(who.username ?? "") || String(who.id);
}

function cleanName(name: string): Untrusted {
  return clipUnits(clipGraphemes(oneLine(name), MAX_NAME), MAX_NAME_UNITS);
}

// ---- Whose words

/** A message from an inline bot (`via_bot`) shows that bot's words under the sender's name: no more own than a forward. */
function originOf(message: Brought): Origin & { kind: "own" | "forwarded" } {
  if (message.forward_origin) return forwarded(message.forward_origin);
  if (message.forward_date || message.forward_sender_name || message.is_automatic_forward)
    return { kind: "forwarded", as: "hidden-user", from: cleanName(message.forward_sender_name ?? "") };
  const { via_bot: bot } = message;
  return bot ? { kind: "forwarded", as: "user", from: nameOf(bot), id: String(bot.id) } : OWN;
}

function forwarded(origin: ForwardOrigin): Origin & { kind: "forwarded" } {
  const { type, sender_user: user, sender_chat: group, chat: channel } = origin;
  if (type === "user" && user) return { kind: "forwarded", as: "user", from: nameOf(user), id: String(user.id) };
  if (type === "chat" && group) return { kind: "forwarded", as: "chat", from: nameOf(group), id: String(group.id) };
  if (type === "channel" && channel)
    return { kind: "forwarded", as: "channel", from: nameOf(channel), id: String(channel.id) };
  return { kind: "forwarded", as: "hidden-user", from: cleanName(origin.sender_user_name ?? "") };
}

/** What the message answers, as parts of their own: the words picked out by hand, else all of it. */
function quotedBy(message: TelegramMessage, me: Me): Part[] {
  const id = String(message.message_id);
  const { quote, external_reply: elsewhere } = message;
  const answered = answeredBy(message);
  if (answered) {
    const origin = quotedFrom(authorOf(answered), me, String(answered.message_id));
    return quote?.text ? quotedWords(quote.text, id, origin) : contentOf(answered, id, origin);
  }
  if (!elsewhere) return [];
  const origin = quotedFrom(forwarded(elsewhere.origin), me);
  return [...quotedWords(quote?.text ?? "", id, origin), ...contentOf(elsewhere, id, origin)];
}

/** Whose words a message that is answered holds: of one that was forwarded, not the one who forwarded it. */
function authorOf(message: RepliedTo): { from: Untrusted; id?: string } {
  const origin = originOf(message);
  if (origin.kind === "forwarded") return origin;
  const sender = senderOf(message);
  return sender === undefined ? { from: "" } : { from: sender.name, id: sender.id };
}

function quotedFrom(author: { from: Untrusted; id?: string }, me: Me, messageId?: string): Origin {
  const { from, id } = author;
  return {
    kind: "quoted",
    from,
    ...(id === undefined ? {} : { id }),
    ...(messageId === undefined ? {} : { messageId }),
    ours: id === String(me.id),
  };
}

/** Every message of a topic "replies" to the one that made the topic; that is its place, not an answer. */
function answeredBy(message: TelegramMessage): RepliedTo | undefined {
  const answered = message.reply_to_message ?? undefined;
  const isTopic = message.is_topic_message === true && answered?.message_id === message.message_thread_id;
  return isTopic ? undefined : answered;
}

/** In a shared room: our name is mentioned, or one of our messages is answered. */
function speaksTo(message: TelegramMessage, me: Me): boolean {
  if (answeredBy(message)?.from?.id === me.id) return true;
  const text = message.text ?? message.caption ?? "";
  const entities = message.text ? message.entities : message.caption_entities;
  // The platform marks every mention. Where nothing at all is marked, a mention by hand still counts.
  if (!entities) return me.username !== "" && mentions(text, me.username);
  return entities.some(({ type, offset, length, user }) => {
    if (type === "text_mention") return user?.id === me.id;
    return type === "mention" && sameName(text.slice(offset + 1, offset + length), me.username);
  });
}

function mentions(text: string, username: string): boolean {
  return [...text.matchAll(/@(\w+)/gu)].some(([, name]) => name !== undefined && sameName(name, username));
}

/** Usernames differ by more than case. */
function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The command that the text begins with, and the bot it names, if any. */
function commandOf(message: TelegramMessage): { name: string; args: string; bot?: string } | undefined {
  const { text, entities } = message;
  if (!text?.startsWith("/")) return undefined;
  const length = entities ? commandLength(entities) : /^\S+/u.exec(text)?.[0].length;
  if (length === undefined) return undefined;
  const [, name, bot] = /^\/(\w{1,64})(?:@(\w+))?$/u.exec(text.slice(0, length)) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase(), args: text.slice(length).trim(), ...(bot === undefined ? {} : { bot }) };
}

function commandLength(entities: readonly Entity[]): number | undefined {
  return entities.find(({ type, offset }) => type === "bot_command" && offset === 0)?.length;
}

/** What kind of message it is, when nothing of it can be read: the first field that is not about the message itself. */
function contentName(raw: unknown): string {
  const about = new Set([...ABOUT, "edit_date"]);
  return fieldName(Object.keys(isRecord(raw) ? raw : {}).find((key) => !about.has(key)) ?? "an empty message");
}

const ABOUT = [
  ...["message_id", "from", "sender_chat", "sender_boost_count", "sender_business_bot", "sender_tag", "chat", "date"],
  ...["message_thread_id", "is_topic_message", "reply_to_message", "external_reply", "quote", "reply_to_story"],
  ...["forward_origin", "forward_date", "forward_from", "forward_from_chat", "forward_sender_name", "via_bot"],
  ...["has_protected_content", "is_from_offline", "is_automatic_forward", "media_group_id", "author_signature"],
];

/** A field's name that came from outside, fit for a log line. */
function fieldName(name: string): string {
  return /^[\w ]{1,48}$/u.test(name) ? name : "(no plain name)";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
