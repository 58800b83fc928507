// What people do in the loopback Telegram: write, edit, forward, press buttons, stop drafts, block
// the bot, upgrade a group. Each makes the update that the platform would send (Bot API 10.3).
import type { Chat, Message, MessageEntity, MessageOrigin, Update, User } from "@grammyjs/types";
import { messageHead } from "./telegram-content.ts";
import type { Target } from "./telegram-content.ts";
import { mediaFields, shownFile } from "./telegram-files.ts";
import type { FileKind } from "./telegram-files.ts";
import { withFoundEntities } from "./telegram-html.ts";
import { liveDrafts, shownKeyboard } from "./telegram-state.ts";
import type { ChatState, StoredFile, TelegramState } from "./telegram-state.ts";

/** Over the control port bytes are base64 text. */
export interface GivenFile {
  bytes: Uint8Array | string;
  name?: string;
  mimeType?: string;
  /** Claim another size than the bytes have, to try the 20 MB limit. */
  size?: number;
}

export type GivenForward =
  | { type: "user"; user: number | User }
  | { type: "hidden_user"; name: string }
  | { type: "chat"; chat: number; signature?: string }
  | { type: "channel"; chat: number; messageId?: number; signature?: string };

export interface SayExtra {
  threadId?: number;
  replyTo?: number;
  /** Part of the message replied to. */
  quote?: string;
  forward?: GivenForward;
  mediaGroupId?: string;
  document?: GivenFile;
  photo?: GivenFile;
  voice?: GivenFile;
  /** Instead of what the server finds in the text. */
  entities?: MessageEntity[];
  /** Any further field of the Message, as the platform names it. */
  fields?: Partial<Message>;
}

export function chatOf(state: TelegramState, chatId: number): ChatState {
  const chat = state.chats.get(chatId);
  if (chat) return chat;
  if (chatId > 0) {
    state.addUser(chatId);
    return state.chats.get(chatId) as ChatState;
  }
  throw new Error(`No chat ${chatId}: make it with addChat first`);
}

export function userOf(state: TelegramState, userId: number): User {
  return state.users.get(userId) ?? state.addUser(userId, false);
}

/** A person's message. Answers it as the platform sends it; the update is already queued. */
export function say(state: TelegramState, chatId: number, userId: number, text: string, extra: SayExtra = {}): Message {
  const chat = chatOf(state, chatId);
  const user = userOf(state, userId);
  const replyTo = extra.replyTo === undefined ? undefined : chat.messages.get(extra.replyTo);
  if (extra.replyTo !== undefined && !replyTo) {
    throw new Error(`No message ${extra.replyTo} in chat ${chatId} to reply to`);
  }
  const target: Target = {
    ...(extra.threadId === undefined ? {} : { threadId: extra.threadId }),
    ...(replyTo ? { replyTo } : {}),
    ...(extra.quote === undefined ? {} : { quote: extra.quote }),
  };
  const entities = extra.entities ?? withFoundEntities({ text, entities: [] }).entities;
  const media = givenMedia(state, extra);
  const id = chat.nextId++;
  const message = {
    ...messageHead(state, chat, id, target, user),
    ...(extra.forward ? { forward_origin: origin(state, extra.forward) } : {}),
    ...(extra.mediaGroupId === undefined ? {} : { media_group_id: extra.mediaGroupId }),
    ...(media ? mediaFields(media.stored, media.kind) : {}),
    ...textFields(text, entities, media !== undefined),
    ...extra.fields,
  } as Message & Update.NonChannel;
  state.store(
    chat,
    {
      id,
      chatId,
      fromId: userId,
      byBot: false,
      text,
      entities,
      source: text,
      keyboard: [],
      linkPreviewDisabled: false,
      silent: false,
      ...(target.threadId === undefined ? {} : { threadId: target.threadId }),
      ...(replyTo ? { replyTo: replyTo.shown.id } : {}),
      ...(extra.quote === undefined ? {} : { quote: extra.quote }),
      ...(media ? { file: { ...shownFile(media.stored), kind: media.kind } } : {}),
      edits: [],
      atMs: state.nowMs,
    },
    message,
  );
  if (seenByBot(state, chat, message)) state.push({ message });
  return message;
}

/** In privacy mode the bot gets commands, mentions of it and replies to it, nothing else of a group. */
function seenByBot(state: TelegramState, chat: ChatState, message: Message): boolean {
  if (chat.chat.type === "private" || state.options.readsAllGroupMessages) return true;
  if (message.reply_to_message?.from?.id === state.me.id) return true;
  const text = message.text ?? message.caption ?? "";
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some(({ type, offset, length }) => {
    const words = text.slice(offset, offset + length);
    if (type === "mention") return words.toLowerCase() === `@${state.me.username.toLowerCase()}`;
    return type === "bot_command" && (!words.includes("@") || words.endsWith(state.me.username));
  });
}

function textFields(text: string, entities: MessageEntity[], caption: boolean): Partial<Message> {
  if (text === "") return {};
  const given = entities.length > 0 ? entities : undefined;
  if (caption) return { caption: text, ...(given ? { caption_entities: given } : {}) };
  return { text, ...(given ? { entities: given } : {}) };
}

function givenMedia(state: TelegramState, extra: SayExtra): { kind: FileKind; stored: StoredFile } | undefined {
  const kinds: [FileKind, string, string][] = [
    ["document", "file.bin", "application/octet-stream"],
    ["photo", "photo.jpg", "image/jpeg"],
    ["voice", "voice.ogg", "audio/ogg"],
  ];
  for (const [kind, name, mimeType] of kinds) {
    const given = extra[kind];
    if (!given) continue;
    const bytes = typeof given.bytes === "string" ? Buffer.from(given.bytes, "base64") : Buffer.from(given.bytes);
    const stored = state.addFile(bytes, given.name ?? name, given.mimeType ?? mimeType, given.size ?? bytes.length);
    return { kind, stored };
  }
  return undefined;
}

function origin(state: TelegramState, forward: GivenForward): MessageOrigin {
  const date = state.nowSeconds - 3600;
  switch (forward.type) {
    case "user": {
      const { user } = forward;
      const sender = typeof user === "number" ? userOf(state, user) : user;
      return { type: "user", sender_user: sender, date };
    }
    case "hidden_user":
      return { type: "hidden_user", sender_user_name: forward.name, date };
    case "chat": {
      const signature = forward.signature;
      return {
        type: "chat",
        sender_chat: chatOf(state, forward.chat).chat,
        date,
        ...(signature === undefined ? {} : { author_signature: signature }),
      };
    }
    case "channel": {
      const signature = forward.signature;
      return {
        type: "channel",
        chat: chatOf(state, forward.chat).chat as Chat.ChannelChat,
        message_id: forward.messageId ?? 17,
        date,
        ...(signature === undefined ? {} : { author_signature: signature }),
      };
    }
  }
}

/** An edited_message. The same text again is what an invisible change (a member tag) looks like. */
export function editSaid(
  state: TelegramState,
  chatId: number,
  messageId: number,
  text: string,
  fields: Partial<Message> = {},
): Message {
  const stored = chatOf(state, chatId).messages.get(messageId);
  if (!stored || stored.shown.byBot) throw new Error(`No message ${messageId} of a person`);
  const { shown } = stored;
  const { entities } = withFoundEntities({ text, entities: [] });
  shown.edits.push({
    text: shown.text,
    entities: shown.entities,
    source: shown.source,
    keyboard: [],
    linkPreviewDisabled: false,
    atMs: shown.atMs,
  });
  Object.assign(shown, { text, entities, source: text, atMs: state.nowMs });
  const api = { ...stored.api };
  delete api.text;
  delete api.entities;
  delete api.caption;
  delete api.caption_entities;
  Object.assign(api, textFields(text, entities, shown.file !== undefined), fields);
  api.edit_date = state.nowSeconds;
  stored.api = api;
  state.push({
    edited_message: stored.api as Message & Update.Edited & Update.NonChannel,
  });
  return stored.api;
}

/**
 * A raw update, as recorded from the platform: what it shows becomes part of the chat, so that the
 * bot can reply to it, edit its own message under a press, and answer the press.
 */
export function pushRaw(
  state: TelegramState,
  update: Omit<Update, "update_id"> & { update_id?: number },
): Update | undefined {
  const query = update.callback_query;
  if (query) state.callbacks.set(query.id, state.nowMs);
  const message = update.message ?? update.edited_message ?? query?.message;
  if (message) {
    const chat = state.chats.get(message.chat.id) ?? state.addChat(message.chat);
    if (message.date !== 0) keepRaw(state, chat, message, message === query?.message);
  }
  return state.push(update);
}

function keepRaw(state: TelegramState, chat: ChatState, message: Message, byBot: boolean): void {
  const id = message.message_id;
  const text = message.text ?? message.caption ?? "";
  const thread = message.message_thread_id;
  if (thread !== undefined && message.is_topic_message && !chat.topics.has(thread)) {
    chat.topics.set(thread, { name: "Topic", closed: false });
  }
  if (id >= chat.nextId) chat.nextId = id + 1;
  state.store(
    chat,
    {
      id,
      chatId: chat.chat.id,
      fromId: message.from?.id ?? 0,
      byBot,
      text,
      entities: message.entities ?? message.caption_entities ?? [],
      source: text,
      keyboard: shownKeyboard(message.reply_markup),
      linkPreviewDisabled: false,
      silent: false,
      ...(thread === undefined ? {} : { threadId: thread }),
      edits: [],
      atMs: state.nowMs,
    },
    message,
  );
}

export interface PressOptions {
  /** What is left of a message the platform no longer has: chat, id and date 0. */
  inaccessible?: boolean;
}

/** Answers the callback query's id. The button is found by its data or its label. */
export function press(
  state: TelegramState,
  chatId: number,
  userId: number,
  messageId: number,
  button: string,
  options: PressOptions = {},
): string {
  const stored = chatOf(state, chatId).messages.get(messageId);
  const buttons = stored?.shown.keyboard.flat() ?? [];
  const found = buttons.find((one) => one.data === button) ?? buttons.find((one) => one.text === button);
  if (!stored || found?.data === undefined) {
    const there = buttons.map((one) => `"${one.text}" (${one.data ?? one.url ?? ""})`).join(", ");
    throw new Error(`No button "${button}" on message ${messageId}; there are: ${there || "none"}`);
  }
  return pressData(state, chatId, userId, found.data, {
    message: options.inaccessible ? { chat: stored.api.chat, message_id: messageId, date: 0 } : stored.api,
  });
}

/**
 * Presses a key of the chat's reply keyboard: its words go out as the person's own message. A keyboard for one time is out of sight
 * then, and can still be called back.
 */
export function pressKey(state: TelegramState, chatId: number, userId: number, text: string): Message {
  const chat = chatOf(state, chatId);
  if (chat.chat.type !== "private") throw new Error(`Chat ${chatId} is no private chat`);
  const { keyboard } = chat;
  if (keyboard?.keys.flat().includes(text) !== true) {
    throw new Error(`No key ${JSON.stringify(text)}; there are: ${JSON.stringify(keyboard?.keys ?? [])}`);
  }
  if (keyboard.oneTime) keyboard.hidden = true;
  return say(state, chatId, userId, text);
}

/** A press with any data, also on a message that does not have it (any more). */
export function pressData(
  state: TelegramState,
  chatId: number,
  userId: number,
  data: string,
  fields: Pick<NonNullable<Update["callback_query"]>, "message">,
): string {
  const id = `40000000000${String(state.next()).padStart(8, "0")}`;
  state.callbacks.set(id, state.nowMs);
  state.push({
    callback_query: {
      id,
      from: userOf(state, userId),
      ...fields,
      chat_instance: `5000000000${Math.abs(chatId)}`,
      data,
    },
  });
  return id;
}

/** Presses the stop button of a draft; without an id, of the one that shows. */
export function stopDraft(state: TelegramState, chatId: number, draftId?: number): number {
  const chat = chatOf(state, chatId);
  const drafts = liveDrafts(chat, state.nowMs);
  const draft = draftId === undefined ? drafts.at(-1) : chat.drafts.get(draftId);
  if (!draft) throw new Error(`No draft shows in chat ${chatId}`);
  if (!draft.canStop) throw new Error(`Draft ${draft.draftId} has no stop button (can_stop)`);
  if (!draft.keepOnStop) chat.drafts.delete(draft.draftId);
  state.push({
    stopped_message_generation: {
      chat: chat.chat as Chat.PrivateChat,
      draft_id: draft.draftId,
      ...(draft.threadId === undefined ? {} : { message_thread_id: draft.threadId }),
    },
  });
  return draft.draftId;
}

/** A group becomes a supergroup: a new id, a service message in each, and the old id is refused. */
export function migrate(state: TelegramState, chatId: number, newId?: number): number {
  const old = chatOf(state, chatId);
  if (old.chat.type !== "group") throw new Error(`Chat ${chatId} is no group`);
  const { title } = old.chat;
  const id = newId ?? -1_000_000_000_000 - Math.abs(chatId);
  const fresh = state.addChat({ id, type: "supergroup", title });
  const person = [...state.users.values()].find((user) => !user.is_bot);
  const service = (chat: ChatState, fields: Partial<Message>): void => {
    const head = messageHead(state, chat, chat.nextId++, {}, person ?? userOf(state, 1));
    state.push({ message: { ...head, ...fields } as Message & Update.NonChannel });
  };
  service(old, { migrate_to_chat_id: id });
  service(fresh, { migrate_from_chat_id: chatId });
  old.migratedTo = id;
  state.watch.changed();
  return id;
}

/** The person blocks the bot: sends are refused, and the bot hears of it. */
export function setBlocked(state: TelegramState, userId: number, blocked: boolean): void {
  const chat = chatOf(state, userId);
  const user = userOf(state, userId);
  if (blocked) chat.forbidden = "bot was blocked by the user";
  else delete chat.forbidden;
  const kicked = { status: "kicked" as const, user: state.bot, until_date: 0 };
  const member = { status: "member" as const, user: state.bot };
  state.push({
    my_chat_member: {
      chat: chat.chat,
      from: user,
      date: state.nowSeconds,
      old_chat_member: blocked ? member : kicked,
      new_chat_member: blocked ? kicked : member,
    },
  });
}
