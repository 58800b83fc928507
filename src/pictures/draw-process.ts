// The program that draws; see drawing.ts. It reads an order a line and answers each in one line; its input's end is its own.
import { createInterface } from "node:readline";
import { draw } from "./draw.ts";
import { answerLine, BEGAN_LINE, readOrder } from "./wire.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const order = readOrder(line);
  process.stdout.write(answerLine(await draw(order, () => process.stdout.write(BEGAN_LINE))));
}
