// What a Telegram message holds, as parts: its file, its words, and in words what has none of its own. Pure.
import type { FileRef, Origin, Part } from "../../core/message.ts";
import { clipGraphemes, clipUnits, oneLine } from "../../core/text.ts";
import type { Content, StoredFile } from "./update.ts";

const MAX_FILE_NAME = 120;
const MAX_QUOTED_UNITS = 4000;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/u;
/** Rich messages nest up to 16 levels (Bot API 10.3), each of a few values. */
const MAX_RICH_DEPTH = 64;

/** The words that somebody picked out of a message to answer them. */
export function quotedWords(words: string, messageId: string, origin: Origin): Part[] {
  return words === "" ? [] : [{ kind: "text", messageId, origin, text: clipUnits(words, MAX_QUOTED_UNITS, "…") }];
}

/** All that can be read of a message, in the order it shows; nothing of a service message. */
export function contentOf(content: Content, messageId: string, origin: Origin): Part[] {
  const parts: Part[] = [];
  const file = fileOf(content, messageId);
  if (file) parts.push({ kind: "file", messageId, origin, file });
  const rich = content.rich_message ? richText(content.rich_message.blocks, 0).trim() : "";
  const words = content.text || content.caption || rich || (file ? "" : inWords(content));
  if (origin.kind === "quoted") return [...parts, ...quotedWords(words, messageId, origin)];
  if (words !== "") parts.push({ kind: "text", messageId, origin, text: words });
  return parts;
}

function fileOf(content: Content, id: string): FileRef | undefined {
  const { photo, sticker } = content;
  if (photo?.length) {
    const largest = photo.reduce((best, size) => (size.width * size.height > best.width * best.height ? size : best));
    return fileRef("photo", largest, `photo-${id}.jpg`, "image/jpeg");
  }
  if (sticker) {
    const [ending, type] = stickerType(sticker);
    const name = clipGraphemes(oneLine(`sticker ${sticker.emoji ?? ""}`), MAX_FILE_NAME);
    return fileRef("sticker", sticker, `${name}.${ending}`, type);
  }
  if (content.live_photo) return fileRef("video", content.live_photo, `live-photo-${id}.mp4`, "video/mp4");
  // An animation comes as a document as well, for apps that know none.
  if (content.animation) return fileRef("video", content.animation, `animation-${id}.mp4`, "video/mp4");
  if (content.video) return fileRef("video", content.video, `video-${id}.mp4`, "video/mp4");
  if (content.video_note) return fileRef("video", content.video_note, `video-note-${id}.mp4`, "video/mp4");
  if (content.voice) return fileRef("voice", content.voice, `voice-${id}.ogg`, "audio/ogg");
  if (content.audio) return fileRef("audio", content.audio, `audio-${id}.mp3`, "audio/mpeg");
  if (content.document) return fileRef("document", content.document, `document-${id}`, "application/octet-stream");
  return undefined;
}

function fileRef(kind: FileRef["kind"], file: StoredFile, name: string, mediaType: string): FileRef {
  const given = clipGraphemes(oneLine(file.file_name ?? ""), MAX_FILE_NAME);
  return {
    kind,
    name: given || name,
    mediaType: MEDIA_TYPE.test(file.mime_type ?? "") ? (file.mime_type ?? mediaType) : mediaType,
    ...(typeof file.file_size === "number" ? { bytes: file.file_size } : {}),
    handle: file.file_id,
  };
}

function stickerType(sticker: NonNullable<Content["sticker"]>): [ending: string, mediaType: string] {
  if (sticker.is_animated) return ["tgs", "application/x-tgsticker"];
  return sticker.is_video ? ["webm", "video/webm"] : ["webp", "image/webp"];
}

/** What has no words of its own, in words. Empty: it says nothing that could be answered. */
function inWords(content: Content): string {
  const { venue, location, contact, poll, checklist, dice } = content;
  // A venue's message has its location beside it.
  if (venue) return `[venue: ${oneLine(`${venue.title}, ${venue.address}`)}, ${point(venue.location)}]`;
  if (location) return `[location: ${point(location)}]`;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(" ");
    return `[contact: ${oneLine(`${name}, ${contact.phone_number}`)}]`;
  }
  if (poll) return `[poll: ${[poll.question, ...poll.options.map((option) => option.text)].map(oneLine).join(" / ")}]`;
  if (checklist)
    return `[checklist: ${[checklist.title, ...checklist.tasks.map((task) => task.text)].map(oneLine).join(" / ")}]`;
  return dice ? `[dice ${oneLine(dice.emoji)}: ${dice.value}]` : "";
}

function point(place: { latitude: number; longitude: number }): string {
  return `${place.latitude}, ${place.longitude}`;
}

/** The words of a rich message in reading order: blocks on lines of their own, cells apart. */
function richText(node: unknown, depth: number): string {
  if (typeof node === "string") return node;
  if (depth > MAX_RICH_DEPTH) return "";
  if (Array.isArray(node)) return node.map((one) => richText(one, depth + 1)).join("");
  if (!isRecord(node)) return "";
  const inner = RICH_FIELDS.map((field) => richText(node[field], depth + 1)).join("");
  const { cells } = node;
  const rows = Array.isArray(cells)
    ? cells.map((row) => (Array.isArray(row) ? row.map((cell) => richText(cell, depth + 1).trim()).join(" | ") : ""))
    : [];
  const isBlock = RICH_BLOCKS.has(String(node["type"])) || "blocks" in node;
  return `${inner}${rows.join("\n")}${isBlock ? "\n" : ""}`;
}

const RICH_FIELDS = [
  "label",
  "summary",
  "text",
  "blocks",
  "items",
  "expression",
  "alternative_text",
  "caption",
  "credit",
];
const RICH_BLOCKS = new Set(["paragraph", "heading", "pre", "footer", "table", "pullquote", "expandable_blockquote"]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
