// A Reply as Telegram messages: formatted text, and its buttons as an inline keyboard under the last one.
import * as z from "zod";
import type { Button, Piece, Reply, ReplyFile } from "../../core/reply.ts";
import { clipUnits, dropControls, escapeMarkdown, isVisible, oneLine } from "../../core/text.ts";
import { renderTelegram } from "./render.ts";

const key = z.union([
  z.object({ text: z.string(), callback_data: z.string() }),
  z.object({ text: z.string(), url: z.string() }),
  z.object({ text: z.string(), copy_text: z.object({ text: z.string() }) }),
]);

const file = z.union([
  z.object({ name: z.string(), text: z.string() }),
  z.object({ name: z.string(), path: z.string(), mediaType: z.literal("image/png"), alt: z.string() }),
]);

/** What is kept in the store of one message. `plain` lives beside it in the piece. */
const body = z.object({
  html: z.string(),
  keyboard: z.array(z.array(key)).optional(),
  keys: z.array(z.string()).optional(),
  unkeyed: z.literal(true).optional(),
  silent: z.literal(true).optional(),
  file: file.optional(),
});

export type Key =
  | { readonly text: string; readonly callback_data: string }
  | { readonly text: string; readonly url: string }
  | { readonly text: string; readonly copy_text: { readonly text: string } };

export type Body = {
  readonly html: string;
  readonly keyboard?: Key[][] | undefined;
  /** The keys of a reply keyboard, in a private chat; each sends its text. */
  readonly keys?: string[] | undefined;
  /** Takes a reply keyboard away. */
  readonly unkeyed?: true | undefined;
  readonly silent?: true | undefined;
  /** Sent as a document or a photo instead of the text. */
  readonly file?: ReplyFile | undefined;
};

/** A text message holds 4,096 UTF-16 units after parsing (Bot API 10.3). */
export const MAX_TEXT_UNITS: number = 4096;

/** The line above a message that may stand there twice; room for it is kept in every piece. */
export const REPEAT_LINE: string = "(This may be a repeat.)";

/** The platform states no number; more in a row can't be read on a phone. */
const MAX_ROW = 8;

/** A copy button holds 1 to 256 characters (Bot API 10.3, CopyTextButton). */
const MAX_COPY_UNITS = 256;

/** The server refuses more than 10 kB of markup ("reply markup is too long"), which no documentation states. */
const MAX_MARKUP_BYTES = 9 * 1024;

/** How long labels may be, and whether texts to copy go along: what is tried in turn until the markup is small enough. */
const TIGHTER = [
  { labelUnits: 128, copies: true },
  { labelUnits: 48, copies: true },
  { labelUnits: 128, copies: false },
  { labelUnits: 32, copies: false },
] as const;

/** Longer notices are set as they are: a paragraph in italics is hard to read. */
const MAX_NOTICE_UNITS = 200;

/** Shown with buttons that come without any text: a message can't be empty. */
const NO_TEXT = "…";

/** Button keys are at most 64 bytes (Bot API 10.3); the store's are 12 characters. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const keyboard = keyboardOf(reply);
  const pressed = keyboard.length > 0;
  const keys = pressed ? [] : keysOf(reply.keyboard ?? []);
  const drawn = drawAll(reply, pressed || (keys.length > 0 && reply.file === undefined));
  const lastText = drawn.findLastIndex(({ body }) => body.file === undefined);
  // A message that brings a keyboard or takes one away can't be edited any more, and what has buttons is.
  const unkeyed = reply.unkeyed === true && !pressed && keys.length === 0;
  return drawn.map(({ body, plain }, at): Piece => {
    const made: Body = {
      ...body,
      ...(at === lastText && pressed ? { keyboard } : {}),
      ...(at === drawn.length - 1 && keys.length > 0 ? { keys } : {}),
      ...(at === 0 && unkeyed ? { unkeyed } : {}),
    };
    return { body: made, plain };
  });
}

/** The messages of a reply, without what can be pressed. */
function drawAll(reply: Reply, needsText: boolean): { readonly body: Body; readonly plain: string }[] {
  const text = [reply.text, ...reply.rows.flat().flatMap(addressLine)].join("\n\n");
  const rendered = renderTelegram(text, { maxUnits: MAX_TEXT_UNITS - REPEAT_LINE.length - 1 });
  if (rendered.length === 0 && needsText) rendered.push({ html: NO_TEXT, plain: NO_TEXT });
  const texts = rendered.map(({ html, plain }): { body: Body; plain: string } => ({
    body: {
      html: reply.quiet && rendered.length === 1 && isShortLine(html, plain) ? `<i>${html}</i>` : html,
      ...(reply.quiet ? { silent: true } : {}),
    },
    plain,
  }));
  const { file } = reply;
  if (file === undefined) return texts;
  // Behind the text, whose first message is what later forms of this reply edit.
  return [...texts, { body: { html: NO_TEXT, file, silent: true }, plain: "text" in file ? file.text : wordsOf(file) }];
}

/** What stands in a picture's place where it can't be shown. */
function wordsOf({ name, alt }: Extract<ReplyFile, { path: string }>): string {
  const words = dropControls(alt).trim();
  return isVisible(words) ? words : oneLine(name);
}

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const result = body.safeParse(given);
  return result.success ? result.data : undefined;
}

/** The buttons under the text; a menu, which the platform has not, is a row for each of its options. */
function keyboardOf({ rows, menu }: Reply): Key[][] {
  const picks = menu?.options.map(({ label }): readonly Button[] => [{ label, press: menu.press }]) ?? [];
  const all = [...picks, ...rows].map((row) => row.filter((button) => addressLine(button).length === 0));
  for (const limits of TIGHTER) {
    const keyboard = all.flatMap((row) => {
      const keys = row.map((button) => keyOf(button, limits));
      return Array.from({ length: Math.ceil(keys.length / MAX_ROW) }, (_, at) =>
        keys.slice(at * MAX_ROW, (at + 1) * MAX_ROW),
      );
    });
    if (limits === TIGHTER.at(-1) || Buffer.byteLength(JSON.stringify(keyboard)) <= MAX_MARKUP_BYTES) return keyboard;
  }
  return [];
}

function keyOf(button: Button, limits: (typeof TIGHTER)[number]): Key {
  const text = clipUnits(oneLine(button.label), limits.labelUnits, "…") || NO_TEXT;
  if ("url" in button) return { text, url: button.url };
  const { copy, press } = button;
  const copied = limits.copies && copy !== undefined && copy !== "" && copy.length <= MAX_COPY_UNITS;
  return copied ? { text, copy_text: { text: copy } } : { text, callback_data: press };
}

/** The address of a button that the platform would refuse, and the whole message with it, as a line of the text instead. */
function addressLine(button: Button): readonly string[] {
  if ("press" in button || TAKEN_URL.test(button.url)) return [];
  return [escapeMarkdown(`${oneLine(button.label)}: ${oneLine(button.url)}`)];
}

/** A host without a dot, such as this machine's own, is no address for Telegram ("Wrong HTTP URL"). */
const TAKEN_URL = /^(?:https?:\/\/[^\s/]+\.[^\s/]|tg:\/\/.)/iu;

/** What a key says is what it sends: a key is never shortened. What can't be seen, or would go out twice, is left out. */
function keysOf(keyboard: readonly string[]): string[] {
  const keys = [...new Set(keyboard.map(oneLine))].filter(isVisible);
  while (Buffer.byteLength(JSON.stringify(keys)) > MAX_MARKUP_BYTES) keys.pop();
  return keys;
}

/** Code can't lie inside italics, and a quotation or a block is no line. */
function isShortLine(html: string, plain: string): boolean {
  return plain.length <= MAX_NOTICE_UNITS && !plain.includes("\n") && !/<(?:code|pre|blockquote|i)\b/u.test(html);
}
