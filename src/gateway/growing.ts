// What of a text under way stands in the one message that grows by edits: its end.
import type { Piece, Reply } from "../core/reply.ts";
import type { Way } from "./plans.ts";

/** Of a text under way in a group this much is shown, the newest. */
const FEWEST_CHARS = 20;

/** The newest of a long text, so that it stays one message with its button. */
export function newestPiece({ outlet, limits }: Way, reply: Reply): Piece | undefined {
  for (let chars = limits.growingUnits; ; chars = Math.floor(chars / 2)) {
    const pieces = outlet.pieces({ ...reply, text: tailOf(reply.text, chars) });
    if (pieces.length <= 1 || chars < FEWEST_CHARS) return pieces.at(-1);
  }
}

/** The end of a text, from the beginning of a line. */
function tailOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const from = text.length - chars;
  const line = text.indexOf("\n", from) + 1;
  return `…\n${text.slice(line === 0 || line >= text.length ? from : line).replace(/^[\uDC00-\uDFFF]/u, "")}`;
}
