// Telegram HTML → shown text and entities, refusing what the platform refuses.
// Written from the "HTML style" section of the Bot API 10.3 text (in @grammyjs/types).
// It is deliberately stricter than the live server in one way: a bare `&`, an unknown named
// entity or an unknown attribute is refused too. The text forbids them, the live server shows them
// as they are, so whatever passes here passes there; `lenient` gives the live behaviour.
import type { MessageEntity } from "@grammyjs/types";

export interface ShownText {
  text: string;
  entities: MessageEntity[];
}

/** The message is what follows "can't parse entities: ". */
export class ParseFault extends Error {}

interface OpenTag {
  name: string;
  offset: number;
  attributes: Map<string, string>;
  /** Of a pre, told by the code inside it. */
  language?: string;
}

const simpleTags: Record<string, MessageEntity.CommonMessageEntity["type"]> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
};

const allowedAttributes: Record<string, readonly string[]> = {
  span: ["class"],
  a: ["href"],
  "tg-emoji": ["emoji-id"],
  "tg-time": ["unix", "format"],
  code: ["class"],
  pre: [],
  blockquote: ["expandable"],
};

const namedEntities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"' };

export function parseHtml(source: string, options: { lenient?: boolean } = {}): ShownText {
  const strict = options.lenient !== true;
  const entities: MessageEntity[] = [];
  const stack: OpenTag[] = [];
  let text = "";
  let at = 0;
  // Only a refusal pays for counting bytes.
  const bytesBefore = (): number => Buffer.byteLength(source.slice(0, at));

  while (at < source.length) {
    const special = nextSpecial(source, at);
    if (special === -1) {
      text += source.slice(at);
      break;
    }
    text += source.slice(at, special);
    at = special;
    if (source[at] === "&") {
      const entity = readEntity(source, at);
      if (entity) {
        text += entity.text;
        at += entity.length;
        continue;
      }
      if (strict) throw new ParseFault(`Unsupported HTML entity at byte offset ${bytesBefore()}`);
      text += "&";
      at += 1;
      continue;
    }
    const end = tagEnd(source, at);
    const closing = source[at + 1] === "/";
    if (end === -1) {
      throw new ParseFault(`Unclosed ${closing ? "end" : "start"} tag at byte offset ${bytesBefore()}`);
    }
    const inside = source.slice(at + (closing ? 2 : 1), end);
    if (closing) {
      const name = inside.trim().toLowerCase();
      const open = stack.pop();
      if (!open) throw new ParseFault(`Unexpected end tag at byte offset ${bytesBefore()}`);
      if (name !== open.name) {
        throw new ParseFault(
          `Unmatched end tag at byte offset ${bytesBefore()}, expected "</${open.name}>", found "</${name}>"`,
        );
      }
      close(open, text, entities, stack.at(-1));
    } else {
      stack.push(readTag(inside, bytesBefore, text.length, strict));
    }
    at = end + 1;
  }
  const open = stack.pop();
  if (open) throw new ParseFault(`Can't find end tag corresponding to start tag "${open.name}"`);
  return { text, entities: withoutForbiddenNesting(entities) };
}

/** Nothing lies inside code or pre, and no quotation inside another: the server drops the inner one. */
function withoutForbiddenNesting(entities: MessageEntity[]): MessageEntity[] {
  entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
  const kept: MessageEntity[] = [];
  let codeEnd = 0;
  let quoteEnd = 0;
  for (const entity of entities) {
    const end = entity.offset + entity.length;
    if (end <= codeEnd) continue;
    if (entity.type === "code" || entity.type === "pre") codeEnd = end;
    if (entity.type === "blockquote" || entity.type === "expandable_blockquote") {
      if (end <= quoteEnd) continue;
      quoteEnd = end;
    }
    kept.push(entity);
  }
  return kept;
}

function nextSpecial(source: string, from: number): number {
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 0x26 || code === 0x3c) return at;
  }
  return -1;
}

/** Where the `>` of the tag is, looking past quoted attribute values. */
function tagEnd(source: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < source.length; at++) {
    const char = source[at] as string;
    if (quote) {
      if (char === quote) quote = "";
    } else if (char === '"' || char === "'") quote = char;
    else if (char === ">") return at;
    else if (char === "<") return -1;
  }
  return -1;
}

function readEntity(source: string, at: number): { text: string; length: number } | undefined {
  const match = /^&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/.exec(source.slice(at, at + 12));
  if (!match) return undefined;
  const [whole, decimal, hex, name] = match;
  if (name !== undefined) {
    const text = namedEntities[name];
    return text === undefined ? undefined : { text, length: whole.length };
  }
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  if (code === 0 || code > 0x10_ff_ff) return undefined;
  return { text: String.fromCodePoint(code), length: whole.length };
}

function readTag(inside: string, bytesBefore: () => number, offset: number, strict: boolean): OpenTag {
  const name = (/^[^\s/>]*/.exec(inside)?.[0] ?? "").toLowerCase();
  const allowed = allowedAttributes[name] ?? (simpleTags[name] ? [] : undefined);
  if (!allowed) {
    throw new ParseFault(`Unsupported start tag "${name}" at byte offset ${bytesBefore()}`);
  }
  const attributes = new Map<string, string>();
  let rest = inside.slice(name.length);
  while (rest.trim() !== "") {
    const match = /^\s+([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/.exec(rest);
    if (!match) {
      throw new ParseFault(`Empty attribute name in the tag "${name}" at byte offset ${bytesBefore()}`);
    }
    const key = (match[1] as string).toLowerCase();
    if (strict && !allowed.includes(key)) {
      throw new ParseFault(`Unsupported attribute "${key}" in the tag "${name}" at byte offset ${bytesBefore()}`);
    }
    const value = match[2] ?? match[3] ?? match[4];
    if (value === undefined && key !== "expandable") {
      throw new ParseFault(
        `Expected equal sign in declaration of an attribute of the tag "${name}" at byte offset ${bytesBefore()}`,
      );
    }
    attributes.set(key, decodeAttribute(value ?? ""));
    rest = rest.slice(match[0].length);
  }
  if (name === "span" && attributes.get("class") !== "tg-spoiler") {
    throw new ParseFault(`Tag "span" must have class "tg-spoiler" at byte offset ${bytesBefore()}`);
  }
  return { name, offset, attributes };
}

function decodeAttribute(value: string): string {
  if (!value.includes("&")) return value;
  let result = "";
  for (let at = 0; at < value.length;) {
    const entity = value[at] === "&" ? readEntity(value, at) : undefined;
    result += entity ? entity.text : value[at];
    at += entity ? entity.length : 1;
  }
  return result;
}

function close(tag: OpenTag, text: string, entities: MessageEntity[], parent: OpenTag | undefined): void {
  const { name, offset, attributes } = tag;
  const length = text.length - offset;
  if (length === 0) return;
  const simple = simpleTags[name];
  if (simple) entities.push({ type: simple, offset, length });
  else if (name === "span") entities.push({ type: "spoiler", offset, length });
  else if (name === "blockquote") {
    const type = attributes.has("expandable") ? "expandable_blockquote" : "blockquote";
    entities.push({ type, offset, length });
  } else if (name === "pre") {
    // <pre><code class="language-x"> is one entity: the code inside is taken in by the pre.
    const inner = entities.at(-1);
    const whole = inner?.type === "code" && inner.offset === offset && inner.length === length;
    if (whole) entities.pop();
    const language = whole ? tag.language : undefined;
    entities.push({ type: "pre", offset, length, ...(language === undefined ? {} : { language }) });
  } else if (name === "code") {
    const language = /^language-(.+)$/.exec(attributes.get("class") ?? "")?.[1];
    if (parent?.name === "pre" && language !== undefined) parent.language = language;
    entities.push({ type: "code", offset, length });
  } else if (name === "a") {
    const url = attributes.get("href") ?? text.slice(offset);
    const user = /^tg:\/\/user\?id=(\d+)$/.exec(url)?.[1];
    if (user) {
      entities.push({
        type: "text_mention",
        offset,
        length,
        user: { id: Number(user), is_bot: false, first_name: `User ${user}` },
      });
      // A link to what is no address is shown as plain words, which the live server does as well.
    } else if (/^(https?|tg|ton|mailto|tel):/i.test(url) || /^[^\s/]+\.[a-z]{2,}/i.test(url)) {
      const full = /^[a-z]+:/i.test(url) ? url : `http://${url}`;
      entities.push({ type: "text_link", offset, length, url: full });
    }
  } else if (name === "tg-emoji") {
    const id = attributes.get("emoji-id") ?? "";
    if (!/^\d+$/.test(id)) throw new ParseFault("Invalid custom emoji identifier specified");
    entities.push({ type: "custom_emoji", offset, length, custom_emoji_id: id });
  } else if (name === "tg-time") {
    const format = attributes.get("format") ?? "";
    entities.push({
      type: "date_time",
      offset,
      length,
      unix_time: Number(attributes.get("unix")),
      date_time_format: format as MessageEntity.DateTimeMessageEntity["date_time_format"],
    });
  }
}

/**
 * What the server does after parsing: white space at the end goes, and at the start up to the first
 * entity; entities move and shrink with it.
 */
export function trimShown(shown: ShownText): ShownText {
  const { text, entities } = shown;
  const limit = entities[0]?.offset ?? text.length;
  let start = 0;
  while (start < limit && isBlank(text.charCodeAt(start))) start++;
  let end = text.length;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  if (start === 0 && end === text.length) return shown;
  const kept: MessageEntity[] = [];
  for (const entity of entities) {
    const length = Math.min(entity.offset + entity.length, end) - entity.offset;
    if (length > 0) kept.push({ ...entity, offset: entity.offset - start, length });
  }
  return { text: text.slice(start, end), entities: kept };
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

const found =
  /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]}'])|(?<![\w/<>])(\/[a-zA-Z0-9_]{1,64}(?:@\w{3,32})?)(?![\w/<>])|(?<![\w@])(@[a-zA-Z]\w{3,31})/g;

/** Links, commands and mentions that the server finds by itself, where no given entity lies already. */
export function withFoundEntities(shown: ShownText): ShownText {
  const { text, entities } = shown;
  if (!text.includes("/") && !text.includes("@")) return shown;
  const added: MessageEntity[] = [];
  for (const match of text.matchAll(found)) {
    const offset = match.index;
    const length = match[0].length;
    const covered = entities.some(
      (entity) =>
        (entity.type === "code" || entity.type === "pre" || entity.type === "text_link") &&
        entity.offset < offset + length &&
        offset < entity.offset + entity.length,
    );
    if (covered) continue;
    const type = match[1] ? "url" : match[2] ? "bot_command" : "mention";
    added.push({ type, offset, length });
  }
  if (added.length === 0) return shown;
  const all = [...entities, ...added].sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text, entities: all };
}
