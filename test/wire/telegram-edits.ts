// Edits of the bot's own messages in the loopback Telegram: text, caption, keyboard. An edit that
// changes nothing is refused, and one without a keyboard takes the keyboard away, as on the platform.
import type { InlineKeyboardMarkup, Message, Update } from "@grammyjs/types";
import { captionLimits, editLimits, readContent, readLinkPreview } from "./telegram-content.ts";
import type { Content } from "./telegram-content.ts";
import { readInline } from "./telegram-markup.ts";
import type { Params } from "./telegram-params.ts";
import { badRequest, shownKeyboard } from "./telegram-state.ts";
import type { Stored, TelegramState } from "./telegram-state.ts";

type Edited<M> = M & Update.Edited;

export function storedMessage(state: TelegramState, params: Params, missing: string): Stored {
  const chat = state.reachable(params.chatId);
  const stored = chat.messages.get(params.number("message_id") ?? 0);
  if (!stored) throw badRequest(missing);
  return stored;
}

function editable(state: TelegramState, params: Params): Stored {
  const stored = storedMessage(state, params, "message to edit not found");
  if (!stored.shown.byBot) throw badRequest("message can't be edited");
  // Only what has an inline keyboard or no markup at all can be: a keyboard belongs to what its message says.
  if (stored.shown.brings !== undefined) throw badRequest("message can't be edited");
  return stored;
}

interface Edit {
  content?: Content;
  /** Undefined takes the keyboard away, as on the platform. */
  keyboard: InlineKeyboardMarkup | undefined;
  linkPreviewDisabled?: boolean;
  /** The changed fields in the platform's shape. */
  fields: Partial<Message>;
}

function applyEdit(state: TelegramState, stored: Stored, edit: Edit): Message {
  const { shown } = stored;
  const keyboard = shownKeyboard(edit.keyboard);
  const content = edit.content ?? shown;
  if (
    content.text === shown.text &&
    same(content.entities, shown.entities) &&
    same(edit.keyboard, stored.api.reply_markup)
  ) {
    throw badRequest(
      "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
    );
  }
  const { text, entities, source, parseMode, linkPreviewDisabled, atMs } = shown;
  shown.edits.push({
    text,
    entities,
    source,
    ...(parseMode === undefined ? {} : { parseMode }),
    keyboard: shown.keyboard,
    linkPreviewDisabled,
    atMs,
  });
  shown.keyboard = keyboard;
  shown.atMs = state.nowMs;
  if (edit.content) {
    shown.text = edit.content.text;
    shown.entities = edit.content.entities;
    shown.source = edit.content.source;
    if (edit.content.parseMode === undefined) delete shown.parseMode;
    else shown.parseMode = edit.content.parseMode;
    shown.linkPreviewDisabled = edit.linkPreviewDisabled ?? shown.linkPreviewDisabled;
  }
  const api = { ...stored.api };
  delete api.reply_markup;
  if (edit.content) {
    delete api.entities;
    delete api.caption_entities;
  }
  Object.assign(api, edit.fields, { edit_date: state.nowSeconds });
  if (edit.keyboard) api.reply_markup = edit.keyboard;
  stored.api = api;
  state.watch.changed();
  return stored.api;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

export function editText(state: TelegramState, params: Params): Edited<Message.TextMessage> {
  const stored = editable(state, params);
  const content = readContent(state, params, "text", editLimits);
  if (stored.shown.file) throw badRequest("there is no text in the message to edit");
  const preview = readLinkPreview(params);
  return applyEdit(state, stored, {
    content,
    keyboard: readInline(params),
    linkPreviewDisabled: preview.disabled,
    fields: {
      text: content.text,
      ...(content.entities.length > 0 ? { entities: content.entities } : {}),
    },
  }) as Edited<Message.TextMessage>;
}

export function editCaption(state: TelegramState, params: Params): Edited<Message.CaptionableMessage> {
  const stored = editable(state, params);
  if (!stored.shown.file) throw badRequest("there is no caption in the message to edit");
  const content = readContent(state, params, "caption", captionLimits);
  return applyEdit(state, stored, {
    content,
    keyboard: readInline(params),
    fields: {
      caption: content.text,
      ...(content.entities.length > 0 ? { caption_entities: content.entities } : {}),
    },
  }) as Edited<Message.CaptionableMessage>;
}

export function editKeyboard(state: TelegramState, params: Params): Edited<Message> {
  const stored = editable(state, params);
  return applyEdit(state, stored, {
    keyboard: readInline(params),
    fields: {},
  }) as Edited<Message>;
}
