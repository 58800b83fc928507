// The Bot API methods that the loopback Telegram plays. Names, parameters and results are held to
// @grammyjs/types (Bot API 10.3): an answer of the wrong shape does not compile.
import type { ApiMethods, BotCommand, BotCommandScope, ChatFullInfo, Message, Update } from "@grammyjs/types";
import { draftLimits, messageHead, readContent, readLinkPreview, readTarget, textLimits } from "./telegram-content.ts";
import { editCaption, editKeyboard, editText, storedMessage } from "./telegram-edits.ts";
import { sendFile } from "./telegram-files.ts";
import { inlineIn, placeKeyboard, readMarkup } from "./telegram-markup.ts";
import type { Params } from "./telegram-params.ts";
import { Refusal, badRequest, forgetMessage, shownKeyboard } from "./telegram-state.ts";
import type { ChatState, TelegramState } from "./telegram-state.ts";

type Answers = ApiMethods<never>;

/** `closed` tells a long poll that its client has gone. */
export type Method<R = unknown> = (params: Params, closed: () => AbortSignal) => R | Promise<R>;

type MethodTable = { [M in keyof Answers]?: Method<ReturnType<Answers[M]>> };

export function telegramMethods(state: TelegramState): Map<string, Method> {
  const table = {
    getMe: () => state.me,
    getUpdates: (params, closed) => getUpdates(state, params, closed),
    deleteWebhook: (params) => {
      state.webhook = undefined;
      if (params.flag("drop_pending_updates")) state.queue.forgetAll();
      return true;
    },
    setWebhook: (params) => setWebhook(state, params),
    getWebhookInfo: () => ({
      url: state.webhook?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: state.queue.pending,
      ...(state.queue.allowed ? { allowed_updates: state.queue.allowed as Exclude<keyof Update, "update_id">[] } : {}),
    }),

    sendMessage: (params) => sendMessage(state, params),
    sendMessageDraft: (params) => sendMessageDraft(state, params),
    editMessageText: (params) => editText(state, params),
    editMessageCaption: (params) => editCaption(state, params),
    editMessageReplyMarkup: (params) => editKeyboard(state, params),
    deleteMessage: (params) => deleteMessage(state, params),
    sendChatAction: (params) => {
      const chat = state.reachable(params.chatId);
      const { threadId } = readTarget(state, chat, params);
      state.actions.push({
        chatId: chat.chat.id,
        action: params.text("action") ?? "",
        ...(threadId === undefined ? {} : { threadId }),
        atMs: state.nowMs,
      });
      if (state.actions.length > 2000) state.actions.splice(0, 1000);
      state.watch.changed();
      return true;
    },
    setMessageReaction: (params) => {
      storedMessage(state, params, "message to react not found");
      return true;
    },

    sendDocument: (params) => sendFile(state, params, "document"),
    sendPhoto: (params) => sendFile(state, params, "photo"),
    sendVoice: (params) => sendFile(state, params, "voice"),
    getFile: (params) => {
      const stored = state.files.get(params.text("file_id") ?? "");
      if (!stored) throw badRequest("wrong file_id or the file is temporarily unavailable");
      if ((stored.file.file_size ?? 0) > 20 * 1024 * 1024) throw badRequest("file is too big");
      return stored.file;
    },

    answerCallbackQuery: (params) => answerCallback(state, params),
    setMyCommands: (params) => setCommands(state, params),
    getMyCommands: (params) => state.commands.get(commandKey(params)) ?? [],
    deleteMyCommands: (params) => {
      state.commands.delete(commandKey(params));
      return true;
    },

    getChat: (params) => chatInfo(state.reachable(params.chatId)),
    getChatMember: (params) => {
      const chat = state.reachable(params.chatId);
      const user = state.users.get(params.number("user_id") ?? 0);
      if (!user) throw badRequest("member not found");
      if (chat.chat.type === "private" && chat.chat.id !== user.id) {
        throw badRequest("member not found");
      }
      return { status: "member", user };
    },
    leaveChat: (params) => {
      const chat = state.reachable(params.chatId);
      chat.forbidden = `bot is not a member of the ${chat.chat.type} chat`;
      state.watch.changed();
      return true;
    },
    createForumTopic: (params) => {
      const chat = state.reachable(params.chatId);
      const name = params.text("name") ?? "";
      const inPrivate = chat.chat.type === "private" && state.options.topicsInPrivate;
      if (chat.chat.is_forum !== true && !inPrivate) throw badRequest("the chat is not a forum");
      if (name.length < 1 || name.length > 128) throw badRequest("TOPIC_NAME_INVALID");
      const id = addTopic(state, chat, name);
      return { message_thread_id: id, name, icon_color: 7_322_096 };
    },
    closeForumTopic: (params) => setTopicClosed(state, params, true),
    reopenForumTopic: (params) => setTopicClosed(state, params, false),
    editForumTopic: (params) => {
      const topic = topicOf(state, params);
      topic.name = params.text("name") ?? topic.name;
      return true;
    },
  } satisfies MethodTable;
  return new Map(Object.entries(table).map(([name, method]) => [name.toLowerCase(), method as Method]));
}

async function getUpdates(state: TelegramState, params: Params, closed: () => AbortSignal): Promise<Update[]> {
  if (state.webhook) {
    throw new Refusal(
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  const allowed = params.object<string[]>("allowed_updates");
  if (allowed) state.queue.allow(allowed);
  const limit = params.number("limit") ?? 100;
  const taken = state.queue.poll(
    {
      offset: params.number("offset") ?? 0,
      limit: limit < 1 || limit > 100 ? 100 : limit,
      timeoutMs: Math.min(Math.max(params.number("timeout") ?? 0, 0), 50) * 1000,
    },
    closed(),
  );
  // The offset has moved and a poller is waiting: both may be what a test waits for.
  state.watch.changed();
  const updates = await taken;
  if (updates === "conflict") {
    throw new Refusal(
      409,
      "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    );
  }
  return updates;
}

function setWebhook(state: TelegramState, params: Params): true {
  const url = params.text("url") ?? "";
  if (url !== "" && !url.startsWith("https://")) {
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  }
  const secret = params.text("secret_token");
  state.webhook = url === "" ? undefined : { url, ...(secret === undefined ? {} : { secret }) };
  const allowed = params.object<string[]>("allowed_updates");
  if (allowed) state.queue.allow(allowed);
  if (params.flag("drop_pending_updates")) state.queue.forgetAll();
  return true;
}

function sendMessage(state: TelegramState, params: Params): Message.TextMessage {
  const chat = state.reachable(params.chatId);
  const content = readContent(state, params, "text", textLimits);
  const markup = readMarkup(params, chat);
  const keyboard = inlineIn(markup);
  const preview = readLinkPreview(params);
  const target = readTarget(state, chat, params);
  const id = chat.nextId++;
  const message: Message.TextMessage = {
    ...messageHead(state, chat, id, target),
    text: content.text,
    ...(content.entities.length > 0 ? { entities: content.entities } : {}),
    ...(preview.options ? { link_preview_options: preview.options } : {}),
    ...(keyboard ? { reply_markup: keyboard } : {}),
  };
  state.store(
    chat,
    {
      id,
      chatId: chat.chat.id,
      fromId: state.me.id,
      byBot: true,
      ...content,
      keyboard: shownKeyboard(keyboard),
      linkPreviewDisabled: preview.disabled,
      silent: params.flag("disable_notification"),
      ...(target.threadId === undefined ? {} : { threadId: target.threadId }),
      ...(target.replyTo ? { replyTo: target.replyTo.shown.id } : {}),
      ...(target.quote === undefined ? {} : { quote: target.quote }),
      ...(markup === undefined || markup.kind === "inline" ? {} : { brings: markup.kind }),
      edits: [],
      atMs: state.nowMs,
    },
    message,
  );
  placeKeyboard(chat, id, markup);
  return message;
}

function sendMessageDraft(state: TelegramState, params: Params): true {
  const chat = state.reachable(params.chatId);
  if (chat.chat.type !== "private") throw badRequest("TEXTDRAFT_PEER_INVALID");
  const draftId = params.number("draft_id") ?? 0;
  if (draftId === 0) throw badRequest("RANDOM_ID_INVALID");
  const content = readContent(state, params, "text", draftLimits);
  const { threadId } = readTarget(state, chat, params);
  const draft = {
    draftId,
    text: content.text,
    entities: content.entities,
    source: content.source,
    ...(threadId === undefined ? {} : { threadId }),
    canStop: params.flag("can_stop"),
    keepOnStop: params.flag("keep_on_stop"),
    atMs: state.nowMs,
  };
  // One preview at a time: another id replaces the one that was there.
  for (const [id, other] of chat.drafts) {
    if (id !== draftId && other.threadId === threadId) chat.drafts.delete(id);
  }
  chat.drafts.set(draftId, draft);
  chat.draftLog.push(draft);
  if (chat.draftLog.length > 4000) chat.draftLog.splice(0, 2000);
  state.watch.changed();
  return true;
}

function deleteMessage(state: TelegramState, params: Params): true {
  const stored = storedMessage(state, params, "message to delete not found");
  const { shown } = stored;
  if (state.nowSeconds - stored.api.date > 48 * 3600) throw badRequest("message can't be deleted");
  forgetMessage(state.reachable(params.chatId), shown.id);
  state.watch.changed();
  return true;
}

function answerCallback(state: TelegramState, params: Params): true {
  const callbackId = params.text("callback_query_id") ?? "";
  const pressedAt = state.callbacks.get(callbackId);
  if (pressedAt === undefined || state.nowMs - pressedAt > state.options.callbackLifeMs) {
    throw badRequest("query is too old and response timeout expired or query ID is invalid");
  }
  const text = params.text("text");
  const url = params.text("url");
  if (text !== undefined && text.length > 200) throw badRequest("MESSAGE_TOO_LONG");
  state.answers.push({
    callbackId,
    ...(text === undefined || text === "" ? {} : { text }),
    showAlert: params.flag("show_alert"),
    ...(url === undefined ? {} : { url }),
    atMs: state.nowMs,
  });
  state.watch.changed();
  return true;
}

/** Scope and language as one key; the default scope without language is "default". */
function commandKey(params: Params): string {
  const scope = params.object<BotCommandScope & { chat_id?: number; user_id?: number }>("scope");
  const parts = [scope?.type ?? "default", scope?.chat_id, scope?.user_id];
  const language = params.text("language_code");
  return [...parts, language].filter((part) => part !== undefined && part !== "").join("/");
}

function setCommands(state: TelegramState, params: Params): true {
  const commands = params.object<BotCommand[]>("commands") ?? [];
  if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
    if (description.length < 1 || description.length > 256) {
      throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    }
  }
  state.commands.set(commandKey(params), commands);
  state.watch.changed();
  return true;
}

export function addTopic(state: TelegramState, chat: ChatState, name: string): number {
  const id = chat.nextId++;
  chat.topics.set(id, { name, closed: false });
  state.watch.changed();
  return id;
}

function topicOf(state: TelegramState, params: Params): { name: string; closed: boolean } {
  const chat = state.reachable(params.chatId);
  const topic = chat.topics.get(params.number("message_thread_id") ?? 0);
  if (!topic) throw badRequest("message thread not found");
  return topic;
}

function setTopicClosed(state: TelegramState, params: Params, closed: boolean): true {
  const topic = topicOf(state, params);
  if (topic.closed === closed) throw badRequest("TOPIC_NOT_MODIFIED");
  topic.closed = closed;
  return true;
}

const fullInfoDefaults = { accent_color_id: 0, max_reaction_count: 11 };

function chatInfo(state: ChatState): ChatFullInfo {
  const { chat } = state;
  const acceptedGifts = {
    unlimited_gifts: false,
    limited_gifts: false,
    unique_gifts: false,
    premium_subscription: false,
    gifts_from_channels: false,
  };
  return {
    ...chat,
    ...fullInfoDefaults,
    accepted_gift_types: acceptedGifts,
  };
}
