// Pictures are drawn in a process of its own, one after the other. What a model wrote may take minutes and gigabytes inside a library
// that is no JavaScript: a thread can't be ended there, and what it broke would end the gateway. The process begins with the first
// order and ends when there was none for a while, so that an idle gateway keeps nothing of it.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Clock, Watchdog } from "../core/surroundings.ts";
import type { Figures } from "../core/figures.ts";
import type { ChartKind, Drawn, PictureOrder } from "./port.ts";
import { BEGAN_LINE, orderLine, readAnswer } from "./wire.ts";

/** Draws pictures. Each call resolves to a PNG or to words; none rejects. Disposed of, it ends the process. */
export type Pictures = {
  drawChart(chart: { readonly figures: Figures; readonly kind?: ChartKind; readonly title?: string }): Promise<Drawn>;
  drawDiagram(mermaid: string): Promise<Drawn>;
  drawSvg(svg: string): Promise<Drawn>;
  [Symbol.asyncDispose](): Promise<void>;
};

/**
 * `startMs`: for the program to start and load what an order needs. `deadlineMs`: for drawing it. `idleMs`: after that long without an
 * order the program ends. `maxWaiting`: orders at once.
 */
export type PictureLimits = {
  readonly startMs: number;
  readonly deadlineMs: number;
  readonly idleMs: number;
  readonly maxWaiting: number;
};

const LIMITS: PictureLimits = { startMs: 20_000, deadlineMs: 5000, idleMs: 60_000, maxWaiting: 8 };
/** Longer texts aren't worth a process. */
const MAX_TEXT_UNITS = 500_000;
const FLAGS = [
  // What would get at every object by a name in a text finds nothing.
  "--disable-proto=delete",
  ...["--max-old-space-size=192", "--max-semi-space-size=8", "--stack-size=2000"],
];

const TOO_LONG = "Drawing the picture took too long, so it was given up.";
const TOO_LARGE = "That is too large for a picture.";
const FAILED = "The picture couldn't be drawn.";
const BUSY = "Too many pictures are being drawn. Try again in a moment.";
const CLOSED = "Tidegate is stopping, so no picture is drawn.";

type Program = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
  readonly gone: Promise<unknown>;
};

/** Starts nothing yet. */
export function openPictures(clock: Clock, limits: Partial<PictureLimits> = {}, watchdog?: Watchdog): Pictures {
  const { startMs, deadlineMs, idleMs, maxWaiting } = { ...LIMITS, ...limits };
  const closing = new AbortController();
  let program: Program | undefined;
  let idle = new AbortController();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const end = (): void => {
    program?.child.kill("SIGKILL");
    program = undefined;
  };

  const drawNow = async (order: PictureOrder): Promise<Drawn> => {
    idle.abort();
    if (closing.signal.aborted) return { drawn: false, words: CLOSED };
    program ??= start(watchdog);
    const { child, lines, gone } = program;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, closing.signal]);
    const failed = (): undefined => undefined;
    const began = Promise.withResolvers<boolean>();
    const answer = answerOf(lines, signal, () => began.resolve(true)).catch(failed);
    const tooLong = async (): Promise<Drawn> => {
      const hasBegun = await Promise.race([began.promise, clock.sleep(startMs, signal).then(() => false)]);
      if (hasBegun) await clock.sleep(deadlineMs, signal);
      return { drawn: false, words: TOO_LONG };
    };
    const late = tooLong().catch(failed);
    child.stdin.write(orderLine(order));
    const drawn = await Promise.race([answer, late, gone.then(failed)]);
    over.abort();
    if (drawn === undefined || (!drawn.drawn && drawn.words === TOO_LONG)) end();
    else rest();
    return drawn ?? { drawn: false, words: closing.signal.aborted ? CLOSED : FAILED };
  };

  /** Ends the program when nothing is asked of it for a while. */
  const rest = (): void => {
    idle = new AbortController();
    const { signal } = idle;
    void clock.sleep(idleMs, signal).then(
      () => (signal.aborted ? undefined : end()),
      () => undefined,
    );
  };

  const ask = async (order: PictureOrder): Promise<Drawn> => {
    if (closing.signal.aborted) return { drawn: false, words: CLOSED };
    if (waiting >= maxWaiting) return { drawn: false, words: BUSY };
    waiting += 1;
    const drawn = last.then(() => drawNow(order)).catch((): Drawn => ({ drawn: false, words: FAILED }));
    last = drawn;
    try {
      return await drawn;
    } finally {
      waiting -= 1;
    }
  };
  const askText = async (order: PictureOrder & { readonly text: string }): Promise<Drawn> =>
    order.text.length > MAX_TEXT_UNITS ? { drawn: false, words: TOO_LARGE } : ask(order);

  return {
    drawChart: (chart) => ask({ draw: "chart", ...chart }),
    drawDiagram: (text) => askText({ draw: "diagram", text }),
    drawSvg: (text) => askText({ draw: "svg", text }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      idle.abort();
      await last;
      const gone = program?.gone;
      end();
      await gone;
    },
  };
}

/** With nothing of the gateway's environment, where keys are. */
function start(watchdog: Watchdog | undefined): Program {
  const file = fileURLToPath(new URL("./draw-process.ts", import.meta.url));
  const child = spawn(process.execPath, [...FLAGS, file], {
    env: { ...watchdog?.mark },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  const release = child.pid === undefined ? undefined : watchdog?.group(child.pid);
  child.once("exit", () => release?.());
  // Its end is told by `gone`; a pipe that broke says no more than that.
  child.stdin.on("error", () => undefined);
  return {
    child,
    lines: createInterface({ input: child.stdout }),
    gone: once(child, "exit").catch(() => undefined),
  };
}

/** The next answer; undefined when there are no more lines. Rejects when the signal fires. */
async function answerOf(lines: Interface, signal: AbortSignal, began: () => void): Promise<Drawn | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Drawn | undefined>();
  const hear = (line: string): void => {
    const drawn = readAnswer(line);
    if (drawn !== undefined) resolve(drawn);
    else if (line === BEGAN_LINE.trim()) began();
  };
  const close = (): void => resolve(undefined);
  const stop = (): void => reject(signal.reason);
  lines.on("line", hear).on("close", close);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await promise;
  } finally {
    lines.off("line", hear).off("close", close);
    signal.removeEventListener("abort", stop);
  }
}
