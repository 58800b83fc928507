// What is typed or piped in: lines, one update each. A pipe is read no faster than it is answered; a keyboard may interrupt.
import type { Interface } from "node:readline";
import { z } from "zod";
import type { Inbound, RawUpdate } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { Room } from "../../core/message.ts";
import type { Clock, Random } from "../../core/surroundings.ts";
import { dropControls, isVisible } from "../../core/text.ts";

/** The one room there is: whoever sits there started the program. */
export const ROOM: Room = { platform: "terminal", chat: "terminal", kind: "private" };

const OWNER = { id: "owner", name: "you", bot: false } as const;

/** The longest line that is taken, in UTF-16 units. */
const MAX_LINE_UNITS = 1_000_000;
/** Said to whoever sends a longer one. */
export const TOO_LONG = "That line is longer than a million characters, so it was left out. Send it in parts.";
/** A second Ctrl-C within this time ends the chat. */
const SECOND_INTERRUPT_MS = 2000;
const KEY_BYTES = 9;

/** A line as it is stored. `press` is the button that its number stood for when it came in, so that `read` needs no memory. */
const LINE = z.object({
  id: z.string().min(1),
  at: z.number(),
  line: z.string(),
  press: z.string().min(1).optional(),
  /** Ctrl-C instead of a line. */
  interrupt: z.literal(true).optional(),
  tooLong: z.literal(true).optional(),
});

/** Makes the updates of one channel: ids that are unique also across restarts, and what a number stands for right now. */
export class Intake {
  readonly #clock: Clock;
  readonly #start: string;
  readonly #pressFor: (line: string) => string | undefined;
  readonly #tell: (words: string) => void;
  #count = 0;

  constructor(
    world: { readonly clock: Clock; readonly random: Random },
    on: { readonly pressFor: (line: string) => string | undefined; readonly tell: (words: string) => void },
  ) {
    this.#clock = world.clock;
    this.#start = world.random.key(KEY_BYTES);
    this.#pressFor = on.pressFor;
    this.#tell = on.tell;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#clock.now();
  }

  /** A line that came in; undefined: longer than can be taken, which is said at once. */
  line(line: string | undefined): RawUpdate {
    if (line === undefined || line.length > MAX_LINE_UNITS) {
      this.#tell(TOO_LONG);
      return this.#update({ line: "", tooLong: true });
    }
    const press = this.#pressFor(line);
    return this.#update(press === undefined ? { line } : { line, press });
  }

  /** Ctrl-C: the same as typing the command. */
  interrupt(): RawUpdate {
    this.#tell("Stopping. Press Ctrl-C again to quit.");
    return this.#update({ line: "/stop", interrupt: true });
  }

  #update(what: Omit<z.input<typeof LINE>, "id" | "at">): RawUpdate {
    this.#count += 1;
    const id = `${this.#start}-${this.#count}`;
    return { key: id, raw: { id, at: this.now(), ...what } };
  }
}

/** What a line means. Pure, and never throws whatever the raw thing is. */
export function readLine(raw: unknown): Inbound {
  const parsed = LINE.safeParse(raw);
  if (!parsed.success) return { kind: "malformed", problem: "This is not a line of the terminal." };
  const { id, at, press, tooLong } = parsed.data;
  if (tooLong === true) return { kind: "malformed", problem: TOO_LONG };
  if (press !== undefined) return { kind: "press", room: ROOM, from: OWNER, data: press, ref: id };
  const text = dropControls(parsed.data.line);
  if (!isVisible(text)) return { kind: "ignored", because: "The line is empty." };
  const message = { kind: "message", room: ROOM, from: OWNER, at, messageId: id, addressed: true } as const;
  const command = /^\/(\S+)(?:\s+([^]*))?$/u.exec(text.trim());
  if (command?.[1] !== undefined) {
    return { ...message, parts: [], command: { name: command[1].toLowerCase(), args: command[2] ?? "" } };
  }
  return { ...message, parts: [{ kind: "text", messageId: id, origin: { kind: "own" }, text }] };
}

/**
 * The lines of a pipe, one per batch. A line is cut off, and its number looked up, only when it is asked for: by then the one
 * before has been answered. What has been read beyond it waits here, so that a second `lines` goes on where the first stopped.
 */
export class Pipe implements Disposable {
  readonly #input: NodeJS.ReadableStream;
  readonly #decoder = new TextDecoder();
  #ended: boolean;
  #broken: unknown;
  #text = "";
  /** The line under way grew too long: the rest of it is let pass. */
  #skipping = false;
  #wake: (() => void) | undefined;

  constructor(input: NodeJS.ReadableStream) {
    this.#input = input;
    this.#ended = !input.readable;
    input.on("end", this.#onEnd);
    input.on("close", this.#onEnd);
    input.on("error", this.#onError);
  }

  async *lines(intake: Intake, signal: AbortSignal): AsyncGenerator<readonly RawUpdate[]> {
    yield [];
    for (;;) {
      const taken = await this.#next(signal);
      if (taken === undefined) return;
      yield [intake.line(taken.line)];
    }
  }

  [Symbol.dispose](): void {
    this.#input.off("end", this.#onEnd);
    this.#input.off("close", this.#onEnd);
    this.#input.off("error", this.#onError);
    this.#input.pause();
  }

  /** The next line (without one: it was too long), or undefined at the end. */
  async #next(signal: AbortSignal): Promise<{ readonly line: string | undefined } | undefined> {
    while (!signal.aborted) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const line = this.#text.slice(0, end).replace(/\r$/u, "");
        this.#text = this.#text.slice(end + 1);
        if (!this.#skipping) return { line };
        this.#skipping = false;
        return { line: undefined };
      }
      if (this.#text.length > MAX_LINE_UNITS) this.#skipping = true;
      if (this.#skipping) this.#text = "";
      if (await this.#more(signal)) continue;
      if (signal.aborted) return undefined;
      const rest = this.#text + this.#decoder.decode();
      this.#text = "";
      if (this.#skipping) {
        this.#skipping = false;
        return { line: undefined };
      }
      return rest === "" ? undefined : { line: rest };
    }
    return undefined;
  }

  /** Reads one more chunk; false at the end, or when the signal fires. */
  async #more(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const chunk: string | Buffer | null = this.#input.read();
      if (chunk !== null) {
        this.#text += typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
        return true;
      }
      if (this.#broken !== undefined) {
        throw new GatewayError("channel-unreachable", "The terminal's input can't be read.", { cause: this.#broken });
      }
      if (this.#ended) return false;
      await this.#readable(signal);
    }
    return false;
  }

  async #readable(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    // Listening only while a line is wanted keeps the stream from reading far ahead.
    this.#input.on("readable", resolve);
    const abort = (): void => resolve();
    signal.addEventListener("abort", abort);
    try {
      await promise;
    } finally {
      this.#input.off("readable", resolve);
      signal.removeEventListener("abort", abort);
      this.#wake = undefined;
    }
  }

  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake?.();
  };

  readonly #onError = (problem: unknown): void => {
    this.#broken = problem;
    this.#wake?.();
  };
}

/**
 * The lines of a keyboard, as they are entered. Ctrl-C is `/stop`; a second one within two seconds, or Ctrl-D on an empty
 * line, ends it. Closes `keyboard` when it ends.
 */
export async function* typed(
  keyboard: Interface,
  intake: Intake,
  on: { readonly entered: (line: string) => void; readonly closed: () => void },
  signal: AbortSignal,
): AsyncGenerator<readonly RawUpdate[]> {
  let waiting: RawUpdate[] = [];
  let ended = false;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  let wake = (): void => undefined;
  keyboard.on("line", (line) => {
    on.entered(line);
    waiting.push(intake.line(line));
    wake();
  });
  keyboard.on("SIGINT", () => {
    if (intake.now() - interruptedAt <= SECOND_INTERRUPT_MS) {
      keyboard.close();
      return;
    }
    interruptedAt = intake.now();
    waiting.push(intake.interrupt());
    wake();
  });
  keyboard.on("close", () => {
    ended = true;
    on.closed();
    wake();
  });
  const abort = (): void => keyboard.close();
  keyboard.on("error", abort);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    yield [];
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        yield batch;
      } else if (ended) {
        return;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    }
  } finally {
    signal.removeEventListener("abort", abort);
    keyboard.close();
  }
}
