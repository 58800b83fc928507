// What is said to the program: blocks of text and pictures.
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { PromptPart } from "../../core/turn.ts";
import { oneLine } from "../../core/text.ts";
import type { Block, ImageType } from "./sdk.ts";

/** What Anthropic takes at most for one picture, and for all of a request with its other words. */
const MAX_IMAGE_BYTES = 5_000_000;
const MAX_IMAGES_BYTES = 12_000_000;
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"] satisfies ImageType[];

/** `first`: what the session is to be told before it; may be empty. The newest pictures have the room. */
export async function blocksOf(first: string, prompt: readonly PromptPart[]): Promise<Block[]> {
  const blocks: Block[] = [];
  let room = MAX_IMAGES_BYTES;
  for (const part of prompt.toReversed()) {
    if (part.kind === "text") {
      if (part.text.trim() !== "") blocks.unshift({ type: "text", text: part.text });
      continue;
    }
    const picture = await pictureOf(part, room);
    if (typeof picture === "string") {
      blocks.unshift({ type: "text", text: `[Picture ${oneLine(basename(part.path))}: ${picture}]` });
      continue;
    }
    room -= picture.bytes;
    blocks.unshift(picture.block);
  }
  if (first.trim() !== "") blocks.unshift({ type: "text", text: first });
  return blocks.length === 0 ? [{ type: "text", text: "(an empty message)" }] : blocks;
}

/** Or why it can't be shown, in words. */
async function pictureOf(
  { path, mediaType }: Extract<PromptPart, { kind: "image" }>,
  room: number,
): Promise<{ readonly block: Block; readonly bytes: number } | string> {
  if (!isImageType(mediaType)) return "this kind of picture can't be shown";
  try {
    const { size: bytes } = await stat(path);
    if (bytes > MAX_IMAGE_BYTES) return "too large to be shown";
    if (bytes > room) return "too many pictures to show them all";
    if (bytes === 0) return "it is empty";
    const data = (await readFile(path)).toString("base64");
    return { bytes, block: { type: "image", source: { type: "base64", media_type: mediaType, data } } };
  } catch {
    return "its file is not there any more";
  }
}

function isImageType(type: string): type is ImageType {
  return IMAGE_TYPES.includes(type);
}
