// What a bot may put into a message: text with formatting, reply targets, topics.
// Limits from the Bot API 10.3 text; error texts as the live server gives them.
import type { LinkPreviewOptions, Message, MessageEntity, ReplyParameters } from "@grammyjs/types";
import { ParseFault, parseHtml, trimShown, withFoundEntities } from "./telegram-html.ts";
import type { ShownText } from "./telegram-html.ts";
import type { Params } from "./telegram-params.ts";
import { badRequest } from "./telegram-state.ts";
import type { ChatState, Stored, TelegramState } from "./telegram-state.ts";

export interface Content extends ShownText {
  source: string;
  parseMode?: string;
}

export interface ContentLimits {
  max: number;
  tooLong: string;
  /** Undefined: empty is fine. */
  empty?: string;
}

export const textLimits: ContentLimits = {
  max: 4096,
  tooLong: "message is too long",
  empty: "message text is empty",
};
/** The live server names the same limit differently on edits. */
export const editLimits: ContentLimits = { ...textLimits, tooLong: "MESSAGE_TOO_LONG" };
export const draftLimits: ContentLimits = { max: 4096, tooLong: "message is too long" };
export const captionLimits: ContentLimits = { max: 1024, tooLong: "message caption is too long" };

export function readContent(
  state: TelegramState,
  params: Params,
  field: "text" | "caption",
  limits: ContentLimits,
): Content {
  const source = params.text(field) ?? "";
  const parseMode = params.text("parse_mode");
  const entitiesField = field === "text" ? "entities" : "caption_entities";
  let parsed: ShownText;
  if (parseMode === undefined || parseMode === "") {
    const entities = params.object<MessageEntity[]>(entitiesField) ?? [];
    parsed = { text: source, entities: [...entities] };
    for (const { offset, length } of entities) {
      if (offset < 0 || length <= 0 || offset + length > source.length) {
        throw badRequest("entity begins after the end of the message text");
      }
    }
  } else if (parseMode.toLowerCase() === "html") {
    parsed = parseMarked(source, state.options.lenientHtml);
  } else {
    // MarkdownV2 exists on the platform, but nothing here needs it yet.
    throw badRequest("unsupported parse_mode (this loopback server only plays HTML)");
  }
  const shown = withFoundEntities(trimShown(parsed));
  if (shown.text.length > limits.max) throw badRequest(limits.tooLong);
  if (shown.text === "" && limits.empty !== undefined) throw badRequest(limits.empty);
  return { ...shown, source, ...(parseMode ? { parseMode } : {}) };
}

function parseMarked(source: string, lenient: boolean): ShownText {
  try {
    return parseHtml(source, { lenient });
  } catch (error) {
    if (error instanceof ParseFault) throw badRequest(`can't parse entities: ${error.message}`);
    throw error;
  }
}

export function readLinkPreview(params: Params): {
  disabled: boolean;
  options: LinkPreviewOptions | undefined;
} {
  const options = params.object<LinkPreviewOptions>("link_preview_options");
  const disabled = options?.is_disabled === true || params.flag("disable_web_page_preview");
  return { disabled, options };
}

export interface Target {
  threadId?: number;
  replyTo?: Stored;
  quote?: string;
}

/** The topic and the message replied to, checked against what the chat has. */
export function readTarget(state: TelegramState, chat: ChatState, params: Params): Target {
  const target: Target = {};
  const threadId = params.number("message_thread_id");
  if (threadId !== undefined && threadId !== 0) {
    const topic = chat.topics.get(threadId);
    const general = threadId === 1 && chat.chat.is_forum === true;
    const inPrivate = chat.chat.type === "private" && state.options.topicsInPrivate;
    if (!topic && !general && !(inPrivate && chat.messages.has(threadId))) {
      throw badRequest("message thread not found");
    }
    if (topic?.closed) throw badRequest("TOPIC_CLOSED");
    target.threadId = threadId;
  }
  const reply = params.object<ReplyParameters>("reply_parameters");
  const replyId = reply?.message_id ?? params.number("reply_to_message_id");
  if (replyId !== undefined) {
    const stored = chat.messages.get(replyId);
    if (stored) {
      target.replyTo = stored;
      if (reply?.quote !== undefined) {
        if (!stored.shown.text.includes(reply.quote)) throw badRequest("QUOTE_TEXT_INVALID");
        target.quote = reply.quote;
      }
    } else if (reply?.allow_sending_without_reply !== true) {
      throw badRequest("message to be replied not found");
    }
  }
  return target;
}

/** The fields every message has, in the shape the platform sends. */
export function messageHead(
  state: TelegramState,
  chat: ChatState,
  id: number,
  target: Target,
  from: Message["from"] = state.bot,
): Message.CommonMessage {
  const { threadId, replyTo, quote } = target;
  return {
    message_id: id,
    ...(from ? { from } : {}),
    chat: chat.chat,
    date: state.nowSeconds,
    ...(threadId === undefined ? {} : { message_thread_id: threadId, is_topic_message: true }),
    ...(replyTo ? { reply_to_message: withoutReply(replyTo.api) } : {}),
    ...(quote === undefined || !replyTo
      ? {}
      : { quote: { text: quote, position: replyTo.shown.text.indexOf(quote), is_manual: true } }),
  };
}

/** A quoted message never carries what it replied to itself. */
function withoutReply(api: Message): NonNullable<Message["reply_to_message"]> {
  const { reply_to_message: _inner, ...rest } = api;
  return rest as NonNullable<Message["reply_to_message"]>;
}
