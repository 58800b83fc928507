// Files in messages of the loopback Telegram: sendDocument, sendPhoto, sendVoice, and the same
// for what people send. Limits: upload 50 MB, photo 10 MB, caption 1,024 (Bot API 10.3 text).
import type { Document, Message, PhotoSize, Voice } from "@grammyjs/types";
import { captionLimits, messageHead, readContent, readKeyboard, readTarget } from "./telegram-content.ts";
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
  const keyboard = readKeyboard(params);
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
      edits: [],
      atMs: state.nowMs,
    },
    message,
  );
  return message as unknown as Sent[K];
}

function takeFile(state: TelegramState, params: Params, kind: FileKind): StoredFile {
  const part = params.file(kind);
  if (part) {
    const limit = kind === "photo" ? 10 * megabyte : 50 * megabyte;
    if (part.bytes.length > limit) throw new Refusal(413, "Request Entity Too Large");
    if (part.bytes.length === 0) throw badRequest("file must be non-empty");
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
  return {
    photo: [
      { ...small, width: 90, height: 67, file_size: 1000 },
      { ...head, width: 1280, height: 960 },
    ],
  };
}
