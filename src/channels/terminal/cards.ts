// Replies in a terminal, and their buttons: choices with numbers, of which the newest card's are open.
import { z } from "zod";
import type { Button, Piece, Reply } from "../../core/reply.ts";
import { dropControls, isVisible, oneLine } from "../../core/text.ts";
import { renderRows } from "./render.ts";

const BUTTON: z.ZodType<Kept> = z.union([
  z.object({ label: z.string(), press: z.string(), copy: z.string().optional() }),
  z.object({ label: z.string(), url: z.string() }),
]);
/** A button as it is kept: a form is nothing here, so nothing says that it opens one. */
type Kept =
  | { readonly label: string; readonly press: string; readonly copy?: string | undefined }
  | { readonly label: string; readonly url: string };

/** A reply as it is kept in the store: Markdown, rendered only when shown, for the width and the kind of output there then is. */
const BODY: z.ZodType<Body> = z.object({
  key: z.string(),
  text: z.string(),
  rows: z.array(z.array(BUTTON).readonly()).readonly(),
  quiet: z.boolean(),
  written: z.literal(true).optional(),
  picture: z.object({ alt: z.string(), path: z.string() }).optional(),
});
export type Body = {
  readonly key: string;
  readonly text: string;
  readonly rows: readonly (readonly Kept[])[];
  readonly quiet: boolean;
  /** A bare number is an answer: buttons are pressed by `#1`. */
  readonly written?: true | undefined;
  /** Said instead of the text: what it shows, and where it lies. */
  readonly picture?: { readonly alt: string; readonly path: string } | undefined;
};

/** A piece's body as it came back from the store; undefined when it is none of ours. */
export function readBody(given: unknown): Body | undefined {
  const parsed = BODY.safeParse(given);
  return parsed.success ? parsed.data : undefined;
}

/** What each number presses that can be typed: "3", or "#3" where a bare number would be an answer. */
type Presses = ReadonlyMap<string, string>;

/** The card whose numbers can be typed now: its reply's key, and what they press. */
export type OpenCard = { readonly key: string; readonly presses: Presses };

/**
 * The rows of buttons as lines: `  1) Delete it   2) Keep it`, or `  #1) Skip` where a number is written as an answer. A button that is called by a number has that one, and others count
 * on behind it. One that opens an address prints it and takes no number, and neither does one with a text to copy, which stands
 * under its row.
 */
export function choices({ rows, written }: Pick<Body, "rows" | "written">): {
  readonly lines: readonly string[];
  readonly presses: Presses;
} {
  const presses = new Map<string, string>();
  const sign = written === true ? "#" : "";
  const called =
    sign === "#"
      ? []
      : rows.flat().flatMap((button) => (isPress(button) ? (numberIn(oneLine(button.label)) ?? []) : []));
  let last = Math.max(0, ...called);
  const lines = rows.flatMap((row) => {
    const words = row.flatMap((button) => {
      const label = oneLine(button.label);
      if ("url" in button) return [`${label}: ${oneLine(button.url)}`];
      if (!isPress(button)) return [];
      const own = numberIn(label);
      if (own !== undefined && sign === "" && !presses.has(String(own))) {
        presses.set(String(own), button.press);
        return [`${own})`];
      }
      last += 1;
      presses.set(`${sign}${last}`, button.press);
      return [`${sign}${last}) ${label}`];
    });
    return [...(words.length === 0 ? [] : [`  ${words.join("   ")}`]), ...row.flatMap(copyLines)];
  });
  return { lines, presses };
}

function isPress(button: Kept): button is Extract<Kept, { press: string }> {
  return "press" in button && button.copy === undefined;
}

/** A text to copy, as it is: of several lines each has its own. */
function copyLines(button: Kept): readonly string[] {
  if ("url" in button || button.copy === undefined) return [];
  const label = oneLine(button.label);
  const lines = dropControls(button.copy).trim().split("\n");
  return lines.length === 1
    ? [`  ${label}: ${lines.join("")}`]
    : [`  ${label}:`, ...lines.map((line) => `    ${line}`)];
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
  const [, sign = "", number] = /^\s*(#?)0{0,2}(\d{1,3})\s*$/u.exec(line) ?? [];
  return number === undefined ? undefined : open?.presses.get(`${sign}${number}`);
}

/** A reply as messages of the terminal: its text, and behind it the text of its file, or where its picture lies. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const text = dropControls(reply.text);
  const rows = rowsOf(reply);
  const plain = renderRows(text, { columns: Number.POSITIVE_INFINITY, color: false }).join("\n");
  const written = reply.written === true ? ({ written: true } as const) : {};
  const said = { body: { key: reply.key, text, rows, quiet: reply.quiet, ...written } satisfies Body, plain };
  return [...(!isVisible(text) && rows.length === 0 ? [] : [said]), ...filePiece(reply)];
}

/** A menu, which a terminal has not, is a row for each of its options. */
function rowsOf({ rows, menu }: Reply): readonly (readonly Button[])[] {
  const picks = menu?.options.map(({ label }): readonly Button[] => [{ label, press: menu.press }]) ?? [];
  return [...picks, ...rows];
}

function filePiece({ key, file }: Reply): readonly Piece[] {
  if (file === undefined) return [];
  const body = { key: `${key}/file`, rows: [], quiet: false };
  if ("text" in file) {
    const whole = dropControls(file.text);
    const shown: Body = { ...body, text: `${file.name}:\n\n    ${whole.replaceAll("\n", "\n    ")}` };
    return [{ body: shown, plain: whole }];
  }
  const picture = { alt: oneLine(file.alt) || oneLine(file.name), path: oneLine(file.path) };
  const plain = `${picture.alt}\n${picture.path}`;
  return [{ body: { ...body, text: plain, picture } satisfies Body, plain }];
}
