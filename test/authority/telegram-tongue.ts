// Telegram's payloads (Bot API updates). A forward is a message of its own, whose words are all somebody else's: what is said beside
// it is another message, sent just before. It tells nothing of deletions, and has no forms and no menu on a message.
import type { Inbound } from "../../src/core/channel.ts";
import type { Origin, Part, Room } from "../../src/core/message.ts";
import { readUpdate } from "../../src/channels/telegram/inbound.ts";
import { ownText, placed, sorted, type FilePart, type TextPart, type Tongue } from "./tongue.ts";

type Message = Extract<Inbound, { kind: "message" }>;
type Edit = Extract<Inbound, { kind: "edit" }>;
type Press = Extract<Inbound, { kind: "press" }>;

const BOT = { id: 99, username: "gateway_test_bot" };
const MENTION = `@${BOT.username}`;

export const TELEGRAM: Tongue = {
  name: "telegram",
  people: { owner: { id: "1" }, eve: { id: "66" }, gus: { id: "7" } },
  owner: "1",
  bot: String(BOT.id),
  sources: { user: "500", chat: "-500", channel: "-600" },
  unseen: "999999999",
  quotes: true,
  limits: { commandPrefix: "/", forms: false },
  places: (platform) => {
    const home: Room = { platform, chat: "1", kind: "private" };
    return {
      a: { ...home, thread: "11" },
      b: { ...home, thread: "12" },
      c: home,
      group: { platform, chat: "-1009", kind: "shared" },
      eve: { platform, chat: "66", kind: "private" },
      gus: { platform, chat: "7", kind: "private" },
      run: { platform: "cli", chat: `run on ${platform}`, kind: "shared" },
    };
  },
  id: (_now, nth) => String(1000 + nth),
  says(deed, next) {
    const { means } = deed;
    if (deed.by === "message-menu" || means.kind === "deleted") return [];
    if (means.kind === "edit") return [{ ...deed, means: edited(means) }];
    return means.kind === "message" ? sent(means, next).map((message) => ({ means: message })) : [deed];
  },
  encode: ({ means }) => {
    if (means.kind === "press") return { update_id: 1, callback_query: pressed(means) };
    if (means.kind === "edit")
      return { update_id: 1, edited_message: { ...written(means), edit_date: means.at / 1000 } };
    if (means.kind === "message") return { update_id: 1, message: written(means) };
    throw new Error(`Telegram has no update for: ${means.kind}`);
  },
  read: (raw, platform) => placed(readUpdate(raw, BOT), platform),
};

function secondsOf(at: number): number {
  return Math.floor(at / 1000) * 1000;
}

function sent(means: Message, next: () => string): readonly Message[] {
  const base: Message = { ...means, at: secondsOf(means.at) };
  const { own, files, quoted, forwarded } = sorted(means);
  const shared = means.room.kind === "shared";
  const file = files.slice(0, 1).map((one) => fileOf(one));
  const typed = means.command ?? (file.length === 0 ? commandIn(own) : undefined);
  const text = typed === undefined ? ownText(means.messageId, shared && own !== "" ? `${MENTION}\n${own}` : own) : [];
  const mine: readonly Message[] =
    typed === undefined && text.length + file.length === 0
      ? []
      : [
          {
            ...base,
            parts: [...quoted, ...file, ...text],
            addressed: !shared || means.addressed,
            ...(typed === undefined ? {} : { command: typed }),
          },
        ];
  const brought = forwarded.map((part, nth): Message => {
    const messageId = mine.length + nth === 0 ? means.messageId : next();
    const whole: Part = part.kind === "text" ? part : fileOf({ ...part, messageId });
    return { ...base, messageId, parts: [{ ...whole, messageId }], addressed: !shared };
  });
  return [...mine, ...brought];
}

/** A message that was forwarded has no words of its own beside it. */
function edited(means: Edit): Edit {
  const { own, quoted, forwarded } = sorted(means);
  const [brought] = forwarded;
  const words: readonly Part[] = brought === undefined ? ownText(means.messageId, own) : [brought];
  return {
    ...means,
    at: secondsOf(means.at),
    parts: [...quoted, ...words],
  };
}

function commandIn(text: string): Message["command"] {
  const [, name, args = ""] = /^\/(\w{1,64})(?!\w)(?!@)([^]*)$/u.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), args: args.trim() };
}

/** A recording has no name of its own. */
function fileOf(part: FilePart): FilePart {
  if (part.file.kind === "document") return part;
  return { ...part, file: { ...part.file, name: `voice-${part.messageId}.ogg`, mediaType: "audio/ogg" } };
}

// ---- Payloads

function written(means: Message | Edit): Readonly<Record<string, unknown>> {
  const { room, from, parts, messageId, at } = means;
  const { own, files, quoted, forwarded } = sorted(means);
  const [brought] = forwarded;
  const [answered] = quoted;
  const file = files[0] ?? (brought?.kind === "file" ? brought : undefined);
  const command = means.kind === "message" ? means.command : undefined;
  const call = command && `/${command.name}${room.kind === "shared" ? MENTION : ""}`;
  const text = call === undefined ? (brought?.kind === "text" ? brought.text : own) : `${call} ${command?.args ?? ""}`;
  const entities = entitiesIn(text, call);
  return {
    message_id: Number(messageId),
    from: userOf(from),
    chat: chatOf(room, from),
    date: Math.floor(at / 1000),
    ...(room.thread === undefined ? {} : { message_thread_id: Number(room.thread), is_topic_message: true }),
    ...(file === undefined
      ? { text, ...(entities.length > 0 ? { entities } : {}) }
      : {
          ...stored(file),
          ...(text === "" ? {} : { caption: text, caption_entities: entities }),
        }),
    ...(brought === undefined ? {} : { forward_origin: forwardOrigin(brought.origin, at), forward_date: at / 1000 }),
    ...(answered === undefined ? {} : answer(answered, room)),
    ...(parts.length === 0 && command === undefined ? { text: "" } : {}),
  };
}

/** The platform marks every mention and every command, whoever's words they are. */
function entitiesIn(text: string, call: string | undefined): readonly object[] {
  if (text.startsWith(MENTION)) return [{ type: "mention", offset: 0, length: MENTION.length }];
  const length = call?.length ?? /^\/\w{1,64}(?!\w)/u.exec(text)?.[0].length;
  return length === undefined ? [] : [{ type: "bot_command", offset: 0, length }];
}

function userOf({ id, name }: { readonly id: string; readonly name: string }): object {
  return { id: Number(id), is_bot: false, first_name: name };
}

function chatOf({ chat, kind }: Room, from: { readonly name: string }): object {
  return kind === "private"
    ? { id: Number(chat), type: "private", first_name: from.name }
    : { id: Number(chat), type: "supergroup", title: "The group" };
}

function stored({ file }: FilePart): object {
  if (file.kind === "voice") return { voice: { file_id: file.handle, duration: 2, mime_type: file.mediaType } };
  return { document: { file_id: file.handle, file_name: file.name, mime_type: file.mediaType } };
}

function forwardOrigin(origin: Origin, at: number): object {
  const date = Math.floor(at / 1000);
  if (origin.kind !== "forwarded") throw new Error("no forward");
  const { as, from, id = "0" } = origin;
  switch (as) {
    case "user":
      return { type: "user", date, sender_user: userOf({ id, name: from }) };
    case "hidden-user":
      return { type: "hidden_user", date, sender_user_name: from };
    case "chat":
      return { type: "chat", date, sender_chat: { id: Number(id), type: "supergroup", title: from } };
    case "channel":
      return { type: "channel", date, message_id: 5, chat: { id: Number(id), type: "channel", title: from } };
  }
}

/** A message of this chat is given whole; of one from elsewhere there are its source and the words that were picked out. */
function answer({ origin, text }: TextPart, room: Room): object {
  if (origin.kind !== "quoted") return {};
  const { from, id, messageId, ours } = origin;
  if (messageId === undefined)
    return {
      external_reply: { origin: { type: "hidden_user", date: 1, sender_user_name: from } },
      quote: { text, position: 0, is_manual: true },
    };
  const author = ours
    ? { id: BOT.id, is_bot: true, first_name: from, username: BOT.username }
    : userOf({ id: id ?? "0", name: from });
  return {
    reply_to_message: {
      message_id: Number(messageId),
      from: author,
      chat: chatOf(room, { name: from }),
      date: 1,
      text,
    },
  };
}

function pressed({ room, from, data, ref, messageId }: Press): object {
  return {
    id: ref,
    from: userOf(from),
    chat_instance: "1",
    data,
    message: {
      message_id: Number(messageId),
      chat: chatOf(room, from),
      date: 1,
      text: "…",
      ...(room.thread === undefined ? {} : { message_thread_id: Number(room.thread), is_topic_message: true }),
    },
  };
}
