// The terminal as a platform: a chat on a TTY, a line for a line on a pipe. Whoever sits there is the owner.
//
// On a TTY the bottom of the screen is redrawn: the rows of an answer that may still change, and under them the prompt with
// what is being typed. Everything above is printed once and never touched again.
import { type Interface, createInterface } from "node:readline";
import type { Channel, ChannelLimits, Hint, Outlet, Platform } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { Piece, Showing, Shown } from "../../core/reply.ts";
import type { Clock, Surroundings } from "../../core/surroundings.ts";
import { dropControls, isVisible } from "../../core/text.ts";
import { type Body, type OpenCard, choices, openAfter, piecesOf, pressFor, readBody } from "./cards.ts";
import { Intake, Pipe, readLine, typed } from "./inbound.ts";
import { type Look, Stream, dim, height, quietRows, renderRows } from "./render.ts";

/** Where a terminal chat reads and writes, and how it may look. It is a chat on a TTY only when both ends are one. */
export type TerminalOptions = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
  /** Colours and weights may be used. False where the person asked for none. */
  readonly color: boolean;
  /** Instead of the output's own width. */
  readonly columns?: number;
};

const NAME = "terminal";
const PROMPT = "you> ";
const TYPING_MS = 5000;
/** An answer under way that nobody renews for this long stays as it is. */
const DRAFT_MS = 30_000;
const DRAFT_PACE_MS = 40;
/** Rows of the screen that are left alone above what may still change. */
const SPARE_ROWS = 6;
/** So many texts and answers under way are remembered, the newest ones. */
const REMEMBERED = 100;

/**
 * The terminal's two ports. Ctrl-C sends `/stop`; a second one within two seconds ends the chat, as does Ctrl-D on an empty
 * line, and the end of a pipe.
 */
export function terminal(options: TerminalOptions, surroundings: Surroundings): Platform {
  const { input, output, color } = options;
  const tty = input.isTTY === true && output.isTTY === true;
  const screen = new Screen(options, tty);
  const look = (): Look => ({ columns: screen.columns, color });
  const pipe = tty ? undefined : new Pipe(input);
  let open: OpenCard | undefined;
  const intake = new Intake(surroundings, {
    pressFor: (line) => pressFor(open, line),
    tell: (words) => void screen.print(quiet(words)),
  });
  const lease = new Lease(surroundings.clock);
  const streams = new Map<string, Stream>();
  const texts = new Map<string, string>();
  let streaming: string | undefined;

  const quiet = (text: string): readonly string[] => quietRows(text, tty ? look() : undefined);

  /** What is on its way stays as it is: something else is shown now. */
  const freeze = (): readonly string[] => {
    const rows = streaming === undefined ? [] : (streams.get(streaming)?.freeze() ?? []);
    streaming = undefined;
    return rows;
  };

  const answerRows = (body: Body): readonly string[] => {
    // It lies on this machine: whoever sits here can open it.
    if (body.picture !== undefined) return [body.picture.alt, `  ${body.picture.path}`];
    // An answer's Markdown goes on as it is; what ends the lines of a card is no part of what they say.
    if (!tty && body.rows.length > 0) return dropControls(body.text).replace(/ {2}$/gmu, "").split("\n");
    if (!tty) return dropControls(body.text).replace(/\n+$/u, "").split("\n");
    const stream = streams.get(body.key);
    streams.delete(body.key);
    return stream === undefined ? renderRows(body.text, look()) : stream.finish(body.text, look());
  };

  const show = async (piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> => {
    const kept = readBody(piece.body);
    const body: Body =
      kept !== undefined && !how.plain
        ? kept
        : { key: how.nonce, rows: [], quiet: false, ...kept, text: dropControls(piece.plain) };
    const { key, text } = body;
    const { lines, presses } = choices(body);
    const shown: Shown = { is: "shown", ref: key };
    open = openAfter(open, { key, presses, aside: body.quiet || how.edit !== undefined });
    const same = how.edit !== undefined && texts.get(key) === text && presses.size === 0;
    if (same) return shown;
    remember(texts, key, text);
    lease.end();
    const own = streaming === key;
    if (own) streaming = undefined;
    const rows = [
      ...(how.repeat ? quiet("(may be a repeat)") : []),
      ...(!isVisible(text) ? [] : body.quiet ? quiet(text) : answerRows(body)),
      ...lines,
      ...(tty && !body.quiet ? [""] : []),
    ];
    // An answer under way keeps its place below what is shown beside it.
    if (own || streaming === undefined) screen.keep([]);
    else lease.start(DRAFT_MS, expire);
    const outcome = await screen.print(rows, signal);
    if (outcome === "gone") return { is: "refused", why: "gone", detail: "The terminal is closed." };
    return outcome === "unknown" ? { is: "unknown" } : shown;
  };

  const expire = (): void => {
    screen.keep([]);
    void screen.print(freeze());
  };

  const draft = async (key: string, text: string, signal: AbortSignal): Promise<void> => {
    const before = streaming === key ? [] : freeze();
    streaming = key;
    const stream = streams.get(key) ?? new Stream();
    remember(streams, key, stream);
    const { fixed, live } = stream.grow(text, look(), screen.liveRows);
    lease.start(DRAFT_MS, expire);
    screen.keep(live);
    await screen.print([...before, ...fixed], signal);
  };

  const hint = async (what: Hint, signal: AbortSignal): Promise<void> => {
    if (!tty) return;
    if (what.kind === "draft" && what.doing === true) {
      const before = freeze();
      lease.start(isVisible(what.text) ? DRAFT_MS : TYPING_MS, expire);
      screen.keep(isVisible(what.text) ? quiet(dropControls(what.text)) : [dim("…", color)]);
      await screen.print(before, signal);
    } else if (what.kind === "draft" && isVisible(what.text)) {
      await draft(what.key, dropControls(what.text), signal);
    } else if (streaming === undefined) {
      lease.start(TYPING_MS, expire);
      screen.keep([dim("…", color)]);
      await screen.print([], signal);
    } else {
      lease.start(DRAFT_MS, expire);
    }
  };

  const channel: Channel = {
    name: NAME,
    limits: limitsFor(tty),
    inbound(signal) {
      if (pipe !== undefined) return pipe.lines(intake, signal);
      const keyboard = screen.open();
      return typed(
        keyboard,
        intake,
        { entered: (line) => screen.entered(line), closed: () => screen.close(keyboard) },
        signal,
      );
    },
    read: readLine,
    async fetch() {
      throw new GatewayError("file-unavailable", "There are no files in a terminal chat.");
    },
    invite: () => undefined,
    async [Symbol.asyncDispose]() {
      lease.end();
      pipe?.[Symbol.dispose]();
      screen[Symbol.dispose]();
    },
  };

  const outlet: Outlet = {
    name: NAME,
    pieces: piecesOf,
    show: async (_room, piece, how, signal) => await show(piece, how, signal),
    async hint(_room, what, signal) {
      await hint(what, signal);
      return undefined;
    },
    async answer(_ref, answer, signal) {
      // A line of words is all there is: nothing that opens a form is drawn so here.
      const words = answer !== undefined && "words" in answer ? answer.words : undefined;
      if (words !== undefined && isVisible(words)) await screen.print(quiet(words), signal);
    },
    // What was printed before a crash nobody can read back.
    recover: async () => ({ is: "unknowable" }),
    link: () => undefined,
    menu: async () => undefined,
  };
  return { channel, outlet };
}

function limitsFor(tty: boolean): ChannelLimits {
  return {
    joins: tty,
    // No line is ever cut in pieces here.
    nearLimitUnits: Number.MAX_SAFE_INTEGER,
    drafts: { private: tty ? "native" : "none", shared: "none" },
    growingUnits: 0,
    commandPrefix: "/",
    forms: false,
    keyboard: false,
    copies: false,
    typingMs: TYPING_MS,
    maxFileBytes: 0,
    pace: { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, draftMs: tty ? DRAFT_PACE_MS : 0 },
  };
}

/** Puts an entry last and forgets the oldest ones. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED) return;
    map.delete(oldest);
  }
}

/** Something that ends by itself unless it is started again. */
class Lease {
  readonly #clock: Clock;
  #running = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  start(ms: number, expired: () => void): void {
    this.end();
    this.#running = new AbortController();
    this.#clock.sleep(ms, this.#running.signal).then(expired, () => undefined);
  }

  end(): void {
    this.#running.abort();
  }
}

type Outcome = "shown" | "gone" | "unknown";

/** The output, and on a TTY what is redrawn at its bottom. All that is drawn is drawn at once, so that nothing can come between. */
class Screen implements Disposable {
  readonly #options: TerminalOptions;
  readonly #tty: boolean;
  readonly #waiting = new Set<(outcome: Outcome) => void>();
  #gone = false;
  #keyboard: Interface | undefined;
  /** Rows that may still change; `#drawn` of them are on the screen. */
  #live: readonly string[] = [];
  #drawn: readonly string[] = [];

  constructor(options: TerminalOptions, tty: boolean) {
    this.#options = options;
    this.#tty = tty;
    // These stay on when the screen is disposed: a write that fails later must not end the process.
    const gone = (): void => {
      this.#gone = true;
      for (const resolve of this.#waiting) resolve("gone");
    };
    options.output.on("error", gone);
    options.output.on("close", gone);
    // A terminal that hangs up fails its reader.
    if (tty) options.input.on("error", () => this.#keyboard?.close());
  }

  get columns(): number {
    return Math.max(20, this.#options.columns ?? this.#options.output.columns ?? 80);
  }

  /** How many rows may still change without any of them leaving the screen. */
  get liveRows(): number {
    const typedRows = this.#keyboard?.getCursorPos().rows ?? 0;
    return Math.max(1, (this.#options.output.rows ?? 24) - SPARE_ROWS - typedRows);
  }

  /** Shows the prompt. */
  open(): Interface {
    const { input, output, color } = this.#options;
    const prompt = color ? `\u001B[1;36m${PROMPT.trim()}\u001B[0m ` : PROMPT;
    const keyboard = createInterface({ input, output, terminal: true, prompt });
    this.#keyboard = keyboard;
    keyboard.prompt();
    return keyboard;
  }

  /** The keyboard is closed: what is below the last line goes, and the next shell prompt gets a line of its own. */
  close(keyboard: Interface): void {
    if (this.#keyboard !== keyboard) return;
    const erase = this.#erase();
    this.#keyboard = undefined;
    this.#live = [];
    this.#drawn = [];
    void this.#write(`${erase}${PROMPT}${dropControls(keyboard.line)}\n`);
  }

  /** A line was entered, and stands above the cursor: it goes above what may still change. */
  entered(line: string): void {
    const text = `${PROMPT}${dropControls(line)}`;
    const up = height([...this.#drawn, text], this.columns);
    const erase = this.#drawn.length === 0 ? "" : `\u001B[${up}A\r\u001B[J${text}\n`;
    this.#drawn = this.#live;
    void this.#write(erase + lines(this.#live));
    this.#keyboard?.prompt();
  }

  /** These rows may still change; drawn with the next `print`. */
  keep(rows: readonly string[]): void {
    this.#live = rows;
  }

  /** Prints rows for good. */
  async print(rows: readonly string[], signal?: AbortSignal): Promise<Outcome> {
    if (!this.#tty) return rows.length === 0 ? "shown" : await this.#write(lines(rows), signal);
    const erase = this.#erase();
    this.#drawn = this.#live;
    const written = this.#write(erase + lines(rows) + lines(this.#live), signal);
    const keyboard: (Interface & { prevRows?: number }) | undefined = this.#keyboard;
    if (keyboard !== undefined) {
      // readline would go up by the rows of what is being typed before it draws it again; they are gone already.
      keyboard.prevRows = 0;
      keyboard.prompt(true);
    }
    return await written;
  }

  [Symbol.dispose](): void {
    if (this.#keyboard === undefined) void this.#write(this.#erase());
    this.#keyboard?.close();
  }

  /** Moves to where the redrawn part begins and clears from there. */
  #erase(): string {
    if (this.#keyboard === undefined && this.#drawn.length === 0) return "";
    const up = height(this.#drawn, this.columns) + (this.#keyboard?.getCursorPos().rows ?? 0);
    return `${up > 0 ? `\u001B[${up}A` : ""}\r\u001B[J`;
  }

  /** Writes, and waits until the output has taken it. */
  async #write(text: string, signal?: AbortSignal): Promise<Outcome> {
    if (this.#gone) return "gone";
    if (text === "") return "shown";
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const abort = (): void => resolve("unknown");
    this.#waiting.add(resolve);
    signal?.addEventListener("abort", abort);
    this.#options.output.write(text, (problem) =>
      resolve(problem === undefined || problem === null ? "shown" : "gone"),
    );
    try {
      return await promise;
    } finally {
      this.#waiting.delete(resolve);
      signal?.removeEventListener("abort", abort);
    }
  }
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}
