// A Reply as Telegram messages: formatted text, and its buttons as an inline keyboard under the last one.
import * as z from "zod";
import type { Button, Piece, Reply, ReplyFile } from "../../core/reply.ts";
import { renderTelegram } from "./render.ts";

const key = z.union([
  z.object({ text: z.string(), callback_data: z.string() }),
  z.object({ text: z.string(), url: z.string() }),
]);

/** What is kept in the store of one message. `plain` lives beside it in the piece. */
const body = z.object({
  html: z.string(),
  keyboard: z.array(z.array(key)).optional(),
  silent: z.literal(true).optional(),
  file: z.object({ name: z.string(), text: z.string() }).optional(),
});

export type Key =
  | { readonly text: string; readonly callback_data: string }
  | { readonly text: string; readonly url: string };

export type Body = {
  readonly html: string;
  readonly keyboard?: Key[][] | undefined;
  readonly silent?: true | undefined;
  /** Sent as a document instead of the text. */
  readonly file?: ReplyFile | undefined;
};

/** A text message holds 4,096 UTF-16 units after parsing (Bot API 10.3). */
export const MAX_TEXT_UNITS: number = 4096;

/** The line above a message that may stand there twice; room for it is kept in every piece. */
export const REPEAT_LINE: string = "(This may be a repeat.)";

/** The platform states no number; more in a row can't be read on a phone. */
const MAX_ROW = 8;

/** Longer notices are set as they are: a paragraph in italics is hard to read. */
const MAX_NOTICE_UNITS = 200;

/** Shown with buttons that come without any text: a message can't be empty. */
const NO_TEXT = "…";

/** Button keys are at most 64 bytes (Bot API 10.3); the store's are 12 characters. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const keyboard = keyboardOf(reply.rows);
  const rendered = renderTelegram(reply.text, { maxUnits: MAX_TEXT_UNITS - REPEAT_LINE.length - 1 });
  if (rendered.length === 0 && keyboard.length > 0) rendered.push({ html: NO_TEXT, plain: NO_TEXT });
  const texts = rendered.map(({ html, plain }, index): Piece => {
    const last = index === rendered.length - 1;
    const made: Body = {
      html: reply.quiet && rendered.length === 1 && isShortLine(html, plain) ? `<i>${html}</i>` : html,
      ...(last && keyboard.length > 0 ? { keyboard } : {}),
      ...(reply.quiet ? { silent: true } : {}),
    };
    return { body: made, plain };
  });
  const { file } = reply;
  if (file === undefined) return texts;
  // Behind the text, whose first message is what later forms of this reply edit.
  const made: Body = { html: NO_TEXT, file, silent: true };
  return [...texts, { body: made, plain: file.text }];
}

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const result = body.safeParse(given);
  return result.success ? result.data : undefined;
}

function keyboardOf(rows: Reply["rows"]): Key[][] {
  return rows.flatMap((row) => {
    const keys = row.map(keyOf);
    return Array.from({ length: Math.ceil(keys.length / MAX_ROW) }, (_, at) =>
      keys.slice(at * MAX_ROW, (at + 1) * MAX_ROW),
    );
  });
}

function keyOf(button: Button): Key {
  return "press" in button
    ? { text: button.label, callback_data: button.press }
    : { text: button.label, url: button.url };
}

/** Code can't lie inside italics, and a quotation or a block is no line. */
function isShortLine(html: string, plain: string): boolean {
  return plain.length <= MAX_NOTICE_UNITS && !plain.includes("\n") && !/<(?:code|pre|blockquote|i)\b/u.test(html);
}
