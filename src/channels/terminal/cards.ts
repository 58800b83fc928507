// Replies in a terminal, and their buttons: choices with numbers, of which the newest card's are open.
import { z } from "zod";
import type { Button, Piece, Reply } from "../../core/reply.ts";
import { dropControls, isVisible, oneLine } from "../../core/text.ts";
import { renderRows } from "./render.ts";

const BUTTON: z.ZodType<Button> = z.union([
  z.object({ label: z.string(), press: z.string() }),
  z.object({ label: z.string(), url: z.string() }),
]);
/** A reply as it is kept in the store: Markdown, rendered only when shown, for the width and the kind of output there then is. */
const BODY: z.ZodType<Body> = z.object({
  key: z.string(),
  text: z.string(),
  rows: z.array(z.array(BUTTON).readonly()).readonly(),
  quiet: z.boolean(),
});
export type Body = {
  readonly key: string;
  readonly text: string;
  readonly rows: readonly (readonly Button[])[];
  readonly quiet: boolean;
};

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const parsed = BODY.safeParse(given);
  return parsed.success ? parsed.data : undefined;
}

/** The press of each number that can be typed. */
type Presses = ReadonlyMap<number, string>;

/** The card whose numbers can be typed now: its reply's key, and what they press. */
export type OpenCard = { readonly key: string; readonly presses: Presses };

/**
 * The rows of buttons as lines: `  1) Delete it   2) Keep it`. A button that is called by a number has that one, and others count
 * on behind it. One that opens an address prints it and takes no number.
 */
export function choices(rows: readonly (readonly Button[])[]): {
  readonly lines: readonly string[];
  readonly presses: Presses;
} {
  const presses = new Map<number, string>();
  const called = rows.flat().flatMap((button) => ("press" in button ? (numberIn(oneLine(button.label)) ?? []) : []));
  let last = Math.max(0, ...called);
  const lines = rows.map((row) => {
    const words = row.map((button) => {
      const label = oneLine(button.label);
      if ("url" in button) return `${label}: ${oneLine(button.url)}`;
      const own = numberIn(label);
      if (own !== undefined && !presses.has(own)) {
        presses.set(own, button.press);
        return `${own})`;
      }
      last += 1;
      presses.set(last, button.press);
      return `${last}) ${label}`;
    });
    return `  ${words.join("   ")}`;
  });
  return { lines, presses };
}

/** The number that a label is, if it is one that can be typed. */
function numberIn(label: string): number | undefined {
  return /^[1-9]\d?$/u.test(label) ? Number(label) : undefined;
}

/**
 * What is open after a reply was shown: its own choices, or what was open before. An answer closes what was asked before it: a
 * number typed after that may well be meant for the answer. `aside`: a quiet line or an edit, which answers nothing.
 */
export function openAfter(
  open: OpenCard | undefined,
  shown: { readonly key: string; readonly presses: Presses; readonly aside: boolean },
): OpenCard | undefined {
  if (shown.presses.size > 0) return { key: shown.key, presses: shown.presses };
  return open?.key === shown.key || !shown.aside ? undefined : open;
}

/** The press that a typed line stands for: only a number, and one that is on show. */
export function pressFor(open: OpenCard | undefined, line: string): string | undefined {
  const number = /^\s*(\d{1,3})\s*$/u.exec(line)?.[1];
  return number === undefined ? undefined : open?.presses.get(Number(number));
}

/** A reply as messages of the terminal: its text, and behind it the text of its file. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const text = dropControls(reply.text);
  if (!isVisible(text) && reply.rows.length === 0) return [];
  const body: Body = { key: reply.key, text, rows: reply.rows, quiet: reply.quiet };
  const plain = renderRows(text, { columns: Number.POSITIVE_INFINITY, color: false }).join("\n");
  const { file } = reply;
  if (file === undefined) return [{ body, plain }];
  // A terminal shows a file by its text.
  const whole = dropControls(file.text);
  const shown: Body = {
    key: `${reply.key}/file`,
    text: `${file.name}:\n\n    ${whole.replaceAll("\n", "\n    ")}`,
    rows: [],
    quiet: false,
  };
  return [
    { body, plain },
    { body: shown, plain: whole },
  ];
}
