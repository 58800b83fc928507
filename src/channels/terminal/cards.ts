// Buttons in a terminal: choices with numbers, of which the newest card's are open.
import type { Button } from "../../core/reply.ts";
import { oneLine } from "../../core/text.ts";

/** The card whose numbers can be typed now: its reply's key, and the press of each number from 1 on. */
export type OpenCard = { readonly key: string; readonly presses: readonly string[] };

/** The rows of buttons as lines: `  1) Delete it   2) Keep it`. A button that opens an address prints it and takes no number. */
export function choices(rows: readonly (readonly Button[])[]): {
  readonly lines: readonly string[];
  readonly presses: readonly string[];
} {
  const presses: string[] = [];
  const lines = rows.map((row) => {
    const words = row.map((button) => {
      const label = oneLine(button.label);
      if ("url" in button) return `${label}: ${oneLine(button.url)}`;
      presses.push(button.press);
      return `${presses.length}) ${label}`;
    });
    return `  ${words.join("   ")}`;
  });
  return { lines, presses };
}

/**
 * What is open after a reply was shown: its own choices, or what was open before. An answer closes what was asked before it: a
 * number typed after that may well be meant for the answer. `aside`: a quiet line or an edit, which answers nothing.
 */
export function openAfter(
  open: OpenCard | undefined,
  shown: { readonly key: string; readonly presses: readonly string[]; readonly aside: boolean },
): OpenCard | undefined {
  if (shown.presses.length > 0) return { key: shown.key, presses: shown.presses };
  return open?.key === shown.key || !shown.aside ? undefined : open;
}

/** The press that a typed line stands for: only a number, and one that is on show. */
export function pressFor(open: OpenCard | undefined, line: string): string | undefined {
  const number = /^\s*(\d{1,3})\s*$/u.exec(line)?.[1];
  return number === undefined ? undefined : open?.presses[Number(number) - 1];
}
