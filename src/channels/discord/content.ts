// What a Discord message holds, as parts: its files, its words, and in words what has none of its own. Pure.
import type { FileRef, Origin, Part, Untrusted } from "../../core/message.ts";
import { clipGraphemes, clipUnits, oneLine } from "../../core/text.ts";
import type { Attachment, Content, Member, User } from "./event.ts";

const MAX_NAME = 64;
/** One grapheme can be piled up without end. */
const MAX_NAME_UNITS = 256;
const MAX_FILE_NAME = 120;
const MAX_QUOTED_UNITS = 4000;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/u;

/** Where a file can be found again: its link is signed and expires, the message it hangs on gives a fresh one. */
export type FileHandle = {
  readonly channel: string;
  readonly message: string;
  readonly attachment: string;
  readonly url: string;
};

/** Where a message stands, and the mentions of ours to leave out of its words. */
export type Standing = { readonly channel: string; readonly message: string; readonly ours: Ours };

/** How this bot may be mentioned. */
export type Ours = { readonly user: string; readonly role?: string };

/** All that can be read of a message, in the order it shows. Embeds are left out: nobody wrote them. */
export function contentOf(content: Content, at: Standing, origin: Origin): Part[] {
  const { message: messageId } = at;
  const parts = (content.attachments ?? []).map((attachment): Part => {
    return { kind: "file", messageId, origin, file: fileOf(attachment, at) };
  });
  const own = origin.kind === "own";
  const words = inWords(content.content ?? "", content, own ? at.ours : undefined) || otherwise(content);
  if (words === "") return parts;
  const text = origin.kind === "quoted" ? clipUnits(words, MAX_QUOTED_UNITS, "…") : words;
  return [...parts, { kind: "text", messageId, origin, text }];
}

export function nameOf(user: User, member: Member | null | undefined): Untrusted {
  for (const name of [member?.nick, user.global_name, user.username]) {
    const clean = cleanName(name ?? "");
    if (clean !== "") return clean;
  }
  return user.id;
}

export function cleanName(name: string): Untrusted {
  return clipUnits(clipGraphemes(oneLine(name), MAX_NAME), MAX_NAME_UNITS);
}

/** Discord's marks for people, channels and emoji, as a reader sees them. The mention that calls us is no word of the message. */
function inWords(text: string, { mentions }: Content, ours: Ours | undefined): string {
  const called = ours === undefined ? text : withoutCall(text, ours);
  const names = new Map((mentions ?? []).map((user) => [user.id, nameOf(user, user.member)]));
  return called
    .replaceAll(/<@!?(\d{1,20})>/gu, (_, id: string) => `@${names.get(id) ?? id}`)
    .replaceAll(/<@&(\d{1,20})>/gu, "@role $1")
    .replaceAll(/<#(\d{1,20})>/gu, "#$1")
    .replaceAll(/<a?(:\w{1,64}:)\d{1,20}>/gu, "$1")
    .trim();
}

function withoutCall(text: string, { user, role }: Ours): string {
  const calls = [`<@${user}>`, `<@!${user}>`, ...(role === undefined ? [] : [`<@&${role}>`])];
  let rest = text.trimStart();
  for (let call = startOf(rest, calls); call !== undefined; call = startOf(rest, calls))
    rest = rest.slice(call.length).trimStart();
  return rest;
}

function startOf(text: string, calls: readonly string[]): string | undefined {
  return calls.find((call) => text.startsWith(call));
}

/** What has no words of its own, in words. Empty: it says nothing that could be answered. */
function otherwise({ poll, sticker_items: stickers }: Content): string {
  if (poll) {
    const answers = (poll.answers ?? []).map((answer) => answer.poll_media.text ?? "");
    return `[poll: ${[poll.question.text ?? "", ...answers].map(oneLine).join(" / ")}]`;
  }
  return (stickers ?? []).map(({ name }) => `[sticker: ${cleanName(name)}]`).join(" ");
}

function fileOf(attachment: Attachment, { channel, message }: Standing): FileRef {
  const given = attachment.content_type?.split(";", 1)[0]?.trim() ?? "";
  const mediaType = MEDIA_TYPE.test(given) ? given : "application/octet-stream";
  const handle: FileHandle = { channel, message, attachment: attachment.id, url: attachment.url };
  return {
    kind: kindOf(attachment, mediaType),
    name: clipGraphemes(oneLine(attachment.filename), MAX_FILE_NAME) || `file-${attachment.id}`,
    mediaType,
    ...(typeof attachment.size === "number" ? { bytes: attachment.size } : {}),
    handle: JSON.stringify(handle),
  };
}

function kindOf({ waveform }: Attachment, mediaType: string): FileRef["kind"] {
  // Only a recording made in the app has one.
  if (waveform) return "voice";
  const [group] = mediaType.split("/", 1);
  return group === "image" ? "photo" : group === "audio" || group === "video" ? group : "document";
}
