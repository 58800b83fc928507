// Files behind a reply: texts as documents, pictures as photos where Telegram takes them as such.
import { readFile, stat } from "node:fs/promises";
import { InputFile } from "grammy/web";
import type { ReplyFile } from "../../core/reply.ts";
import { clipUnits, dropControls } from "../../core/text.ts";
import { calm } from "./render.ts";

/** What can be uploaded: 50 MB, as a photo 10 MB (Bot API 10.3, "Sending files"). */
const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
const MAX_PHOTO_BYTES = 10 * 1024 * 1024;
/** Of a photo: its width and height together, and the one beside the other (Bot API 10.3, sendPhoto). */
const MAX_PHOTO_PIXELS = 10_000;
const MAX_PHOTO_RATIO = 20;
/** A caption holds 1,024 UTF-16 units (Bot API 10.3). */
const MAX_CAPTION_UNITS = 1024;

/** A file that is ready to be sent. `photo`: as a picture that shows in the chat. */
type Ready = { readonly input: InputFile; readonly photo: boolean };

/** Why there is nothing to send, in words. */
type Missing = { readonly why: string };

/** Reads what is to be sent. Never throws. */
export async function readyFile(file: ReplyFile): Promise<Ready | Missing> {
  if ("text" in file) return { input: new InputFile(Buffer.from(file.text), file.name), photo: false };
  try {
    const found = await stat(file.path);
    if (!found.isFile()) return { why: "The picture is no file." };
    if (found.size > MAX_UPLOAD_BYTES) return { why: "The picture is larger than the 50 MB that Telegram takes." };
    const bytes = await readFile(file.path);
    return { input: new InputFile(bytes, file.name), photo: isPhoto(bytes) };
  } catch {
    return { why: "The picture is no longer there." };
  }
}

/**
 * The words under a file, as plain text: a caption without a parse mode holds no markup. `line`: said above them. Undefined when
 * there is nothing to say.
 */
export function captionOf(file: ReplyFile, line: string | undefined): string | undefined {
  const alt = "alt" in file ? calm(dropControls(file.alt)).trim() : "";
  const caption = [...(line === undefined ? [] : [line]), ...(alt === "" ? [] : [alt])].join("\n");
  return caption === "" ? undefined : clipUnits(caption, MAX_CAPTION_UNITS, "…");
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_HEAD_BYTES = 24;

/** Whether Telegram takes these bytes as a photo: a PNG of the right size, which its head says (width and height, 4 bytes each). */
function isPhoto(bytes: Buffer): boolean {
  if (bytes.length > MAX_PHOTO_BYTES || bytes.length < PNG_HEAD_BYTES) return false;
  if (!bytes.subarray(0, PNG.length).equals(PNG)) return false;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0 || width + height > MAX_PHOTO_PIXELS) return false;
  return Math.max(width, height) <= MAX_PHOTO_RATIO * Math.min(width, height);
}
