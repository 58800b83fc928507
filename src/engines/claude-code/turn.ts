// One turn on a running process: what the program says → the turn's events → how it ended.
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import { clipUnits } from "../../core/text.ts";
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import type { Fault, Result, Said } from "./events.ts";
import { explain, type Access } from "./faults.ts";
import { OURS, type Live } from "./live.ts";
import { PLAN_TOOL, planOf, understand } from "./own-tools.ts";
import type { Block } from "./sdk.ts";
import { resumeIdOf, usageOf, type Folders, type Level } from "./sessions.ts";
import { TurnFeed } from "./turn-feed.ts";

/** The last event of a turn. */
export type End = Extract<TurnEvent, { kind: "end" }>;

/** How a turn came out. `reuse`: its process may serve the next. */
export type Outcome =
  | { readonly is: "no-session" }
  /** The process was gone before it took the turn up. */
  | { readonly is: "unheard"; readonly why: GatewayError }
  | { readonly is: "ended"; readonly end: End; readonly reuse: boolean };

/** What a turn is followed with. */
export type Following = {
  readonly clock: Clock;
  readonly access: Access;
  readonly level: Level;
  /** The folder that it works in, absolute. */
  readonly work: string;
  readonly folders: Folders;
  /** The session was there before. */
  readonly resumed: boolean;
  readonly restarted: "lost" | "replaced" | undefined;
};

/** Without any sign of the program, and none of a call of ours. */
const SILENT_MS = 180_000;
/** The same while a tool of its own runs: its longest command takes 10 minutes. */
const SILENT_TOOL_MS = 900_000;
/** After it was told to leave off. */
const STOP_MS = 1_000;
const MAX_RESULT_CHARS = 20_000;
const CUT_SHORT = "It was ended before it was done.";

/** Says `blocks`, and yields the turn's events but for the end, which it returns. */
export async function* follow(
  live: Live,
  input: TurnInput,
  blocks: Block[],
  following: Following,
): AsyncGenerator<TurnEvent, Outcome, undefined> {
  const feed = new TurnFeed(input, following.work, following.clock.now());
  live.begin(feed, blocks);
  const telling = new Telling(feed, following);
  const outcome = yield* tell(live, feed, following, telling);
  yield* telling.left();
  return outcome;
}

async function* tell(
  live: Live,
  feed: TurnFeed,
  following: Following,
  telling: Telling,
): AsyncGenerator<TurnEvent, Outcome, undefined> {
  const { clock } = following;
  const { signal } = feed.input;
  let stopAtMs: number | undefined;
  for (;;) {
    if (signal.aborted && stopAtMs === undefined) {
      stopAtMs = clock.now() + STOP_MS;
      feed.close();
      void live.interrupt();
    }
    const item = feed.take();
    if (item === undefined) {
      const leftMs = stopAtMs === undefined ? telling.leftMs(clock.now()) : stopAtMs - clock.now();
      if (leftMs <= 0) {
        if (stopAtMs !== undefined) return over({ kind: "end", reason: "stopped" });
        return over({ kind: "end", reason: "error", error: new GatewayError("engine-silent") });
      }
      await somethingOr(feed, clock, leftMs, stopAtMs === undefined ? signal : undefined);
      continue;
    }
    if (item.is === "show") {
      // It is not run any more.
      if (stopAtMs !== undefined) continue;
      for (const event of item.events) yield telling.shown(event);
      item.taken();
      continue;
    }
    if (item.is === "over") {
      if (signal.aborted) return over({ kind: "end", reason: "stopped" });
      if (!telling.heard) return { is: "unheard", why: item.why };
      return over({ kind: "end", reason: "error", error: item.why });
    }
    const { said } = item;
    if (said.is === "cut") return over({ kind: "end", reason: "error", error: new GatewayError("engine-cut") });
    if (said.is !== "result") {
      yield* telling.told(said);
      continue;
    }
    const { result } = said;
    if (result.noSession) return { is: "no-session" };
    const usage = await usageOf(following.folders, result, following.resumed).catch(() => undefined);
    if (usage !== undefined) yield { kind: "usage", usage };
    const stopped = signal.aborted;
    if (result.ok || result.limit || stopped) {
      yield { kind: "session", resumeId: resumeIdOf(following.level, result.session), kept: true };
    }
    if (stopped) return over({ kind: "end", reason: "stopped" });
    if (result.limit) return over({ kind: "end", reason: "limit" });
    const error = telling.error(result);
    if (error !== undefined) return over({ kind: "end", reason: "error", error });
    return { is: "ended", end: { kind: "end", reason: "done" }, reuse: true };
  }
}

function over(end: End): Outcome {
  return { is: "ended", end, reuse: false };
}

/** Resolves when something came in, the time is up or the signal fires. */
async function somethingOr(feed: TurnFeed, clock: Clock, waitMs: number, signal?: AbortSignal): Promise<void> {
  const enough = new AbortController();
  const either = signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]);
  try {
    await Promise.race([feed.filled(either), clock.sleep(waitMs, either)]);
  } catch {
    // The signal fired.
  } finally {
    enough.abort();
  }
}

/** What was told of a turn so far. */
class Telling {
  readonly #feed: TurnFeed;
  readonly #following: Following;
  /** The program said anything of the turn, or asked for anything. */
  heard = false;
  #session = false;
  #fault: Fault | undefined;
  #begun = false;
  /** Tools of its own that the model called and that have not answered. */
  readonly #open = new Map<string, { readonly name: string; readonly input: unknown }>();
  /** What came since the last text can't be seen: the next begins a paragraph. */
  #unseen = false;
  #text = false;
  /** Uses that are shown as begun, and as ended. */
  readonly #started = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(feed: TurnFeed, following: Following) {
    this.#feed = feed;
    this.#following = following;
  }

  /** How much longer it may say nothing. */
  leftMs(nowMs: number): number {
    if (this.#feed.waiting > 0) return SILENT_MS;
    return this.#feed.aliveAtMs + (this.#open.size > 0 ? SILENT_TOOL_MS : SILENT_MS) - nowMs;
  }

  shown(event: TurnEvent): TurnEvent {
    this.heard = true;
    this.#unseen = false;
    this.#begun = true;
    if (event.kind === "tool-start") this.#started.add(event.call.id);
    if (event.kind === "tool-end") this.#ended.add(event.callId);
    return event;
  }

  /** Uses that nobody will tell the end of. */
  *left(): Generator<TurnEvent, void> {
    for (const callId of [...this.#started].filter((id) => !this.#ended.has(id)))
      yield this.shown({ kind: "tool-end", callId, result: { outcome: "error", text: CUT_SHORT } });
  }

  error(result: Result): GatewayError | undefined {
    if (!result.ok) return explain(this.#fault, this.#following.access);
    return this.#begun ? undefined : new GatewayError("engine-empty");
  }

  *told(said: Exclude<Said, { is: "result" | "cut" }>): Generator<TurnEvent, void> {
    this.heard = true;
    switch (said.is) {
      case "session": {
        if (this.#session) return;
        this.#session = true;
        const { level, restarted } = this.#following;
        const resumeId = resumeIdOf(level, said.id);
        yield { kind: "session", resumeId, kept: false, ...(restarted === undefined ? {} : { restarted }) };
        return;
      }
      case "text":
        if (this.#unseen && this.#text) yield { kind: "text", delta: "\n\n" };
        this.#unseen = false;
        this.#text = true;
        this.#begun = true;
        yield { kind: "text", delta: said.delta };
        return;
      case "thinking":
        yield { kind: "thinking", delta: said.delta };
        return;
      case "use":
        yield* this.#called(said);
        return;
      case "answered":
        yield* this.#answered(said);
        return;
      case "fault":
        this.#fault = said.fault;
    }
  }

  *#called({ id, name, input }: Extract<Said, { is: "use" }>): Generator<TurnEvent, void> {
    this.#begun = true;
    // Locked, it has none of its own: what the model takes for one is none.
    if (name.startsWith(OURS) || this.#following.level === "locked") return;
    if (name !== PLAN_TOOL) {
      this.#open.set(id, { name, input });
      return;
    }
    this.#unseen = true;
    const plan = planOf(input);
    if (plan !== undefined) yield { kind: "plan", plan };
  }

  *#answered({ id, text, failed }: Extract<Said, { is: "answered" }>): Generator<TurnEvent, void> {
    const use = this.#open.get(id);
    if (use === undefined) return;
    this.#open.delete(id);
    if (this.#ended.has(id)) return;
    const ran = this.#started.has(id);
    if (!ran) {
      // It was never asked about: the program turned it down by itself, or, as none of its versions should, ran it.
      const understood = understand(id, use.name, use.input, this.#feed.work);
      if (understood === undefined && failed) return;
      const { shown: call, effect } = understood ?? { shown: { id, name: use.name, input: {} }, effect: "act" };
      yield this.shown({ kind: "tool-start", call, effect });
    }
    const outcome = !failed ? "ok" : ran ? "error" : "not-run";
    const result = { outcome, text: clipUnits(text, MAX_RESULT_CHARS, "…") } as const;
    yield this.shown({ kind: "tool-end", callId: id, result });
  }
}
