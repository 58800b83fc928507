// How the gateway and the program that draws talk: one line of JSON each way.
import type { Drawn, PictureOrder } from "./port.ts";

/** What an answer's line begins with: whatever else a library may print is passed over. */
const MARK = "drawn:";

/** Said when an order's drawing begins: what came before was loading. */
export const BEGAN_LINE = "began:\n";

/** An order as a line. */
export function orderLine(order: PictureOrder): string {
  return lineOf(order);
}

/** The order that a line of `orderLine` says. */
export function readOrder(line: string): PictureOrder {
  return JSON.parse(line) as PictureOrder;
}

/** An answer as a line. */
export function answerLine(drawn: Drawn): string {
  return MARK + lineOf(drawn.drawn ? { ...drawn, png: Buffer.from(drawn.png).toString("base64") } : drawn);
}

/** What reads lines ends them at two more characters, which JSON leaves as they are. */
function lineOf(value: unknown): string {
  return `${JSON.stringify(value)
    .replaceAll("\u2028", String.raw`\u2028`)
    .replaceAll("\u2029", String.raw`\u2029`)}\n`;
}

/** The answer that a line says; undefined when it is none. */
export function readAnswer(line: string): Drawn | undefined {
  if (!line.startsWith(MARK)) return undefined;
  const answer = JSON.parse(line.slice(MARK.length)) as Drawn;
  // In a line its bytes are text.
  return answer.drawn ? { ...answer, png: new Uint8Array(Buffer.from(String(answer.png), "base64")) } : answer;
}
