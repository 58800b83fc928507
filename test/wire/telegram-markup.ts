// What stands under a message, or in the place of the keyboard, in the loopback Telegram: inline keyboards, reply keyboards and
// their removal. Rules from the Bot API 10.3 text; error texts as the live server gives them.
import type {
  InlineKeyboardMarkup,
  ForceReply,
  KeyboardButton,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from "@grammyjs/types";
import type { Params } from "./telegram-params.ts";
import { badRequest } from "./telegram-state.ts";
import type { ChatState } from "./telegram-state.ts";

/** What a message brings along. Only an inline keyboard is a part of it. */
export type Markup =
  | { readonly kind: "inline"; readonly inline: InlineKeyboardMarkup }
  | { readonly kind: "keyboard"; readonly keyboard: ReplyKeyboardMarkup; readonly keys: string[][] }
  | { readonly kind: "remove" }
  | { readonly kind: "force" };

type AnyMarkup = Partial<InlineKeyboardMarkup & ReplyKeyboardMarkup & ReplyKeyboardRemove & ForceReply>;

/** The documentation names none; the live server takes about 100 inline buttons, 300 keys, and 10 kB of markup. */
const MAX_INLINE = 100;
const MAX_KEYS = 300;
const MAX_MARKUP_BYTES = 10 * 1024;
const MAX_PLACEHOLDER = 64;
const MAX_COPY = 256;

/** The markup of a new message. */
export function readMarkup(params: Params, chat: ChatState): Markup | undefined {
  const markup = markupOf(params);
  if (markup === undefined) return undefined;
  if (markup.inline_keyboard !== undefined) {
    const inline = inlineOf(markup.inline_keyboard);
    return inline && { kind: "inline", inline };
  }
  // Posts of a channel have nobody who types below them.
  if (chat.chat.type === "channel") throw badRequest("inline keyboard expected");
  if (markup.keyboard !== undefined) return keyboardOf(markup as ReplyKeyboardMarkup);
  if (markup.remove_keyboard === true) return { kind: "remove" };
  if (markup.force_reply === true) {
    checkPlaceholder(markup);
    return { kind: "force" };
  }
  return undefined;
}

/** The markup of an edit, which can be an inline keyboard alone. */
export function readInline(params: Params): InlineKeyboardMarkup | undefined {
  const markup = markupOf(params);
  if (markup === undefined) return undefined;
  if (markup.inline_keyboard !== undefined) return inlineOf(markup.inline_keyboard);
  if (Object.keys(markup).length > 0) throw badRequest("inline keyboard expected");
  return undefined;
}

export function inlineIn(markup: Markup | undefined): InlineKeyboardMarkup | undefined {
  return markup?.kind === "inline" ? markup.inline : undefined;
}

/** The keyboard that a new message of the bot leaves in the chat. */
export function placeKeyboard(chat: ChatState, messageId: number, markup: Markup | undefined): void {
  if (markup?.kind === "remove") delete chat.keyboard;
  if (markup?.kind !== "keyboard") return;
  const { one_time_keyboard: oneTime, input_field_placeholder: placeholder } = markup.keyboard;
  chat.keyboard = {
    messageId,
    keys: markup.keys,
    oneTime: oneTime === true,
    hidden: false,
    ...(placeholder === undefined ? {} : { placeholder }),
  };
}

function markupOf(params: Params): AnyMarkup | undefined {
  const markup = params.object<AnyMarkup>("reply_markup");
  if (markup === undefined) return undefined;
  if (typeof markup !== "object" || Array.isArray(markup)) throw badRequest("object expected as reply markup");
  if (Buffer.byteLength(JSON.stringify(markup)) > MAX_MARKUP_BYTES) throw badRequest("reply markup is too long");
  return markup;
}

function inlineOf(rows: InlineKeyboardMarkup["inline_keyboard"]): InlineKeyboardMarkup | undefined {
  if (!Array.isArray(rows)) throw badRequest("object expected as reply markup");
  let count = 0;
  const kept = [];
  for (const row of rows) {
    if (!Array.isArray(row)) {
      throw badRequest("can't parse inline keyboard button: InlineKeyboardButton must be an Object");
    }
    for (const button of row) checkButton(button);
    count += row.length;
    if (row.length > 0) kept.push(row);
  }
  if (count > MAX_INLINE) throw badRequest("REPLY_MARKUP_TOO_LONG");
  return kept.length > 0 ? { inline_keyboard: kept } : undefined;
}

function checkButton(button: InlineKeyboardMarkup["inline_keyboard"][number][number]): void {
  if (typeof button.text !== "string" || button.text === "") {
    throw badRequest('can\'t parse inline keyboard button: Field "text" must be of type String');
  }
  if ("callback_data" in button) {
    const size = Buffer.byteLength(button.callback_data);
    if (size < 1 || size > 64) throw badRequest("BUTTON_DATA_INVALID");
  } else if ("url" in button) {
    const { url } = button;
    if (!/^(https?:\/\/[^\s/]+\.[^\s/]|tg:\/\/|mailto:|tel:)/i.test(url)) {
      throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
    }
  } else if ("copy_text" in button) {
    const { text } = button.copy_text;
    if (typeof text !== "string" || text === "" || text.length > MAX_COPY) throw badRequest("BUTTON_COPY_TEXT_INVALID");
  } else if (Object.keys(button).every((key) => ["text", "style", "icon_custom_emoji_id"].includes(key))) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
}

function keyboardOf(markup: ReplyKeyboardMarkup): Markup | undefined {
  const rows: unknown = markup.keyboard;
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row))) {
    throw badRequest('field "keyboard" of the ReplyKeyboardMarkup should be an Array of Arrays');
  }
  checkPlaceholder(markup);
  const keys = rows.map((row: readonly unknown[]) => row.map(keyText)).filter((row) => row.length > 0);
  if (keys.flat().length > MAX_KEYS) throw badRequest("reply markup is too long");
  return keys.length === 0 ? undefined : { kind: "keyboard", keyboard: markup, keys };
}

function keyText(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key !== "object" || key === null) {
    throw badRequest("can't parse keyboard button: KeyboardButton must be a String or an Object");
  }
  const { text } = key as Partial<KeyboardButton.CommonButton>;
  if (text === undefined) throw badRequest("can't parse keyboard button: Can't find field \"text\"");
  if (typeof text !== "string" || text === "") {
    throw badRequest('can\'t parse keyboard button: Field "text" must be of type String');
  }
  return text;
}

function checkPlaceholder(markup: { input_field_placeholder?: string }): void {
  const { input_field_placeholder: placeholder } = markup;
  if (placeholder === undefined) return;
  if (placeholder.length < 1 || placeholder.length > MAX_PLACEHOLDER) {
    throw badRequest("REPLY_MARKUP_PLACEHOLDER_INVALID");
  }
}
