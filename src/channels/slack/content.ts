// What a Slack message holds, as parts: its own words, what was shared with it, its files. Pure.
import type { FileRef, Origin, Part, Untrusted } from "../../core/message.ts";
import { clipGraphemes, clipUnits, oneLine } from "../../core/text.ts";
import { isRecord } from "./event.ts";
import type { Attachment, SlackFile, SlackMessage } from "./event.ts";

/** Names of people and places by their ids; what is not in it goes by its id. */
export type Names = Readonly<Record<string, string>>;

/** An id comes from outside and may be any word, those that every object knows among them. */
export function named(names: Names, id: string): Untrusted | undefined {
  return Object.hasOwn(names, id) ? names[id] : undefined;
}

const MAX_FILE_NAME = 120;
const MAX_NAME = 64;
/** One grapheme can be piled up without end. */
const MAX_NAME_UNITS = 256;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/u;
/** Blocks nest a few levels: a list in a list item's section. */
const MAX_DEPTH = 16;

const OWN = { kind: "own" } as const;

export function cleanName(name: string): Untrusted {
  return clipUnits(clipGraphemes(oneLine(name), MAX_NAME), MAX_NAME_UNITS);
}

/** All that can be read of a message. `words`: its text with what is no part of it taken off, such as a mention of the bot. */
export function contentOf(message: SlackMessage, words: string, home: string, names: Names): Part[] {
  const { ts } = message;
  const shared = (message.attachments ?? []).filter((one) => isShare(one, message.text ?? ""));
  return [
    ...textPart(words, ts, OWN),
    ...filesOf(message.files, ts, OWN),
    ...shared.flatMap((one): Part[] => {
      const origin = sharedFrom(one, home);
      const said = plainWords(one.text ?? "", names) || blockWords(blocksOf(one), names);
      return [...textPart(said, ts, origin), ...filesOf(one.files, ts, origin)];
    }),
  ];
}

/** A message that someone chose, as brought in by whoever chose it. */
export function chosenContent(message: SlackMessage, origin: Origin, names: Names): Part[] {
  const said = plainWords(message.text ?? "", names) || blockWords(message.blocks ?? [], names);
  // What was shared in it is one step further from its author; it is brought in all the same.
  const shared = (message.attachments ?? [])
    .filter((one) => isShare(one, message.text ?? ""))
    .flatMap((one) =>
      textPart(plainWords(one.text ?? "", names) || blockWords(blocksOf(one), names), message.ts, origin),
    );
  return [...textPart(said, message.ts, origin), ...shared, ...filesOf(message.files, message.ts, origin)];
}

/** The words of a message as they are typed, with names in place of ids. */
export function wordsOf(message: SlackMessage, names: Names): string {
  return plainWords(message.text ?? "", names) || blockWords(message.blocks ?? [], names);
}

function textPart(text: string, messageId: string, origin: Origin): Part[] {
  return text.trim() === "" ? [] : [{ kind: "text", messageId, origin, text }];
}

/**
 * Whether the writer brought this message in: by the app's own sharing. What Slack shows of a link that stands in the text is not
 * of the writer's choosing, and is left out like every other preview.
 */
export function isShare(attachment: Attachment, text: string): boolean {
  if (attachment.is_share === true) return true;
  if (attachment.is_msg_unfurl !== true || !attachment.message_blocks?.length) return false;
  const links = [attachment.from_url, attachment.original_url].filter((link) => typeof link === "string");
  return !links.some((link) => text.includes(link.split("?", 1)[0] ?? link));
}

function sharedFrom(attachment: Attachment, home: string): Origin {
  const { author_id: author } = attachment;
  const from = cleanName(attachment.author_name ?? attachment.author_subname ?? "");
  if (!author) return { kind: "forwarded", as: "hidden-user", from };
  const team = attachment.team_id ?? attachment.channel_team ?? home;
  return { kind: "forwarded", as: "user", from: from || author, id: `${team}/${author}` };
}

function blocksOf(attachment: Attachment): unknown[] {
  return (attachment.message_blocks ?? []).flatMap((one) => {
    const message = isRecord(one) ? one["message"] : undefined;
    const blocks = isRecord(message) ? message["blocks"] : undefined;
    return Array.isArray(blocks) ? (blocks as unknown[]) : [];
  });
}

// ---- Files

function filesOf(files: readonly SlackFile[] | null | undefined, messageId: string, origin: Origin): Part[] {
  return (files ?? [])
    .filter((file) => file.mode !== "tombstone" && file.mode !== "hidden_by_limit")
    .map((file): Part => ({ kind: "file", messageId, origin, file: fileRef(file) }));
}

/** A file from a shared channel may come as its id alone; what it is shows when it is fetched. */
function fileRef(file: SlackFile): FileRef {
  const type = file.mimetype ?? "";
  const mediaType = MEDIA_TYPE.test(type) ? type : "application/octet-stream";
  const name = clipGraphemes(oneLine(file.name || file.title || ""), MAX_FILE_NAME) || `file-${file.id}`;
  const url = file.is_external === true ? undefined : (file.url_private_download ?? file.url_private ?? undefined);
  return {
    kind: kindOf(file, mediaType),
    name,
    mediaType,
    ...(typeof file.size === "number" && file.size > 0 ? { bytes: file.size } : {}),
    handle: JSON.stringify({ id: file.id, ...(url ? { url } : {}), ...(file.is_external ? { external: true } : {}) }),
  };
}

function kindOf(file: SlackFile, mediaType: string): FileRef["kind"] {
  // A clip recorded in the app.
  if (file.subtype === "slack_audio") return "voice";
  const [family] = mediaType.split("/", 1);
  if (family === "image") return "photo";
  return family === "audio" || family === "video" ? family : "document";
}

// ---- Words

/**
 * Slack's text as a person reads it: `<…>` stands for a mention or a link, and `&`, `<` and `>` that were typed come as entities
 * (docs.slack.dev/messaging/formatting-message-text).
 */
function plainWords(text: string, names: Names): string {
  return text
    .split(/(<[^<>\n]*>)/u)
    .map((part, at) => (at % 2 === 1 ? marked(part.slice(1, -1), names) : unescape(part)))
    .join("");
}

function marked(inner: string, names: Names): string {
  const bar = inner.indexOf("|");
  const target = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? "" : unescape(inner.slice(bar + 1));
  switch (target[0]) {
    case "@":
      return nameOf("@", label, target.slice(1), names);
    case "#":
      return nameOf("#", label, target.slice(1), names);
    case "!": {
      const [name = "", more] = target.slice(1).split("^");
      if (label !== "") return name === "date" || label.startsWith("@") ? label : `@${label}`;
      return `@${more ?? name}`;
    }
    default: {
      const url = unescape(target);
      const bare = url.replace(/^(?:https?:\/\/|mailto:|tel:)/u, "");
      if (label === "" || label === url) return url.startsWith("mailto:") || url.startsWith("tel:") ? bare : url;
      return label === bare || `${label}/` === bare ? (/^https?:/u.test(url) ? url : bare) : `${label} (${url})`;
    }
  }
}

function nameOf(sign: string, label: string, id: string, names: Names): string {
  return sign + (oneLine(named(names, id) ?? label) || id);
}

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The words of blocks in reading order, for a message that has no text beside them. */
function blockWords(blocks: readonly unknown[], names: Names): string {
  return blocks
    .map((block) => blockText(block, names, 0))
    .filter((text) => text !== "")
    .join("\n");
}

function blockText(node: unknown, names: Names, depth: number): string {
  if (!isRecord(node) || depth > MAX_DEPTH) return "";
  const inner = (between: string, mark = ""): string => {
    const { elements } = node;
    if (!Array.isArray(elements)) return "";
    return elements.map((one) => mark + blockText(one, names, depth + 1)).join(between);
  };
  const { type, text } = node;
  switch (type) {
    case "rich_text":
      return inner("\n");
    case "rich_text_section":
      return inner("");
    case "rich_text_list":
      return inner("\n", "• ");
    case "rich_text_quote":
      return inner("").replace(/^/gmu, "> ");
    case "rich_text_preformatted":
      return `\`\`\`\n${inner("")}\n\`\`\``;
    case "link":
      return linkText(asText(text), asText(node["url"]));
    case "user":
      return nameOf("@", "", asText(node["user_id"]), names);
    case "channel":
      return nameOf("#", "", asText(node["channel_id"]), names);
    case "usergroup":
      return `@${asText(node["usergroup_id"])}`;
    case "broadcast":
      return `@${asText(node["range"])}`;
    case "emoji":
      return `:${asText(node["name"])}:`;
    case "date":
      return asText(node["fallback"]);
    case "text":
    case "plain_text":
      return asText(text);
    case "markdown":
    case "mrkdwn":
      return plainWords(asText(text), names);
    case "context":
      return inner(" ");
    default:
      // Sections and headings hold a text object.
      return isRecord(text) ? blockText(text, names, depth + 1) : "";
  }
}

function linkText(label: string, url: string): string {
  return label === "" || label === url ? url : `${label} (${url})`;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
