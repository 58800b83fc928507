// Files in messages of the loopback Telegram: sendDocument, sendPhoto, sendVoice, and the same
// for what people send. Limits: upload 50 MB, photo 10 MB and 10,000 pixels of width and height together, caption 1,024 (Bot API
// 10.3 text).
import type { Document, Message, PhotoSize, Voice } from "@grammyjs/types";
import { captionLimits, messageHead, readContent, readTarget } from "./telegram-content.ts";
import { inlineIn, placeKeyboard, readMarkup } from "./telegram-markup.ts";
import type { Params } from "./telegram-params.ts";
import { Refusal, badRequest, shownKeyboard } from "./telegram-state.ts";
import type { ShownFile, StoredFile, TelegramState } from "./telegram-state.ts";

export type FileKind = "document" | "photo" | "voice";

interface Sent {
  document: Message.DocumentMessage;
  photo: Message.PhotoMessage;
  voice: Message.VoiceMessage;
}

const megabyte = 1024 * 1024;

export function sendFile<K extends FileKind>(state: TelegramState, params: Params, kind: K): Sent[K] {
  const chat = state.reachable(params.chatId);
  const stored = takeFile(state, params, kind);
  const content = readContent(state, params, "caption", captionLimits);
  const markup = readMarkup(params, chat);
  const keyboard = inlineIn(markup);
  const target = readTarget(state, chat, params);
  const id = chat.nextId++;
  const message = {
    ...messageHead(state, chat, id, target),
    ...mediaFields(stored, kind),
    ...(content.text === "" ? {} : { caption: content.text }),
    ...(content.entities.length > 0 ? { caption_entities: content.entities } : {}),
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
      linkPreviewDisabled: true,
      silent: params.flag("disable_notification"),
      file: { ...shownFile(stored), kind },
      ...(target.threadId === undefined ? {} : { threadId: target.threadId }),
      ...(target.replyTo ? { replyTo: target.replyTo.shown.id } : {}),
      ...(markup === undefined || markup.kind === "inline" ? {} : { brings: markup.kind }),
      edits: [],
      atMs: state.nowMs,
    },
    message,
  );
  placeKeyboard(chat, id, markup);
  return message as unknown as Sent[K];
}

function takeFile(state: TelegramState, params: Params, kind: FileKind): StoredFile {
  const part = params.file(kind);
  if (part) {
    const limit = kind === "photo" ? 10 * megabyte : 50 * megabyte;
    if (part.bytes.length > limit) throw new Refusal(413, "Request Entity Too Large");
    if (part.bytes.length === 0) throw badRequest("file must be non-empty");
    if (kind === "photo") checkPhoto(part.bytes);
    return state.addFile(part.bytes, part.filename, part.mimeType);
  }
  const reference = params.text(kind);
  if (reference === undefined || reference === "") {
    throw badRequest(`there is no ${kind} in the request`);
  }
  const known = state.files.get(reference);
  if (!known) throw badRequest("wrong file identifier/HTTP URL specified");
  return known;
}

/** Width and height at most 10,000 in total, and neither more than 20 times the other (sendPhoto). Read of a PNG; others pass. */
function checkPhoto(bytes: Buffer): void {
  const size = pngSize(bytes);
  if (size === undefined) return;
  const { width, height } = size;
  const odd = width + height > 10_000 || Math.max(width, height) > 20 * Math.min(width, height);
  if (odd) throw badRequest("PHOTO_INVALID_DIMENSIONS");
}

function pngSize(bytes: Buffer): { width: number; height: number } | undefined {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG);
  return isPng ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

export function shownFile(stored: StoredFile): ShownFile {
  return {
    fileId: stored.file.file_id,
    name: stored.name,
    mimeType: stored.mimeType,
    size: stored.file.file_size ?? stored.bytes.length,
  };
}

/** The media field of a message in the platform's shape. */
export function mediaFields(
  stored: StoredFile,
  kind: FileKind,
): { document: Document } | { photo: PhotoSize[] } | { voice: Voice } {
  const { file_id, file_unique_id, file_size } = stored.file;
  const head = {
    file_id,
    file_unique_id,
    ...(file_size === undefined ? {} : { file_size }),
  };
  if (kind === "document") {
    return { document: { ...head, file_name: stored.name, mime_type: stored.mimeType } };
  }
  if (kind === "voice") return { voice: { ...head, duration: 1, mime_type: stored.mimeType } };
  // The platform always sends several sizes, the largest last.
  const small = { file_id: `${file_id}-s`, file_unique_id: `${file_unique_id}-s` };
  const { width, height } = pngSize(stored.bytes) ?? { width: 1280, height: 960 };
  return {
    photo: [
      { ...small, width: 90, height: 67, file_size: 1000 },
      { ...head, width, height },
    ],
  };
}
