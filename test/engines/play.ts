// Turns for engines under test: an input with little in it, its events collected, and a clock that stands still until told.
import type { HistoryItem, PromptPart, TurnEvent, TurnInput, Usage } from "../../src/core/turn.ts";
import type { Clock, Logger, Random } from "../../src/core/surroundings.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { GatewayError } from "../../src/core/error.ts";
import type { ToolCall, ToolResult, ToolSpec } from "../../src/core/tool.ts";
import { handoff } from "../../src/turn/handoff.ts";

export function words(text: string): PromptPart {
  return { kind: "text", text };
}

export function user(text: string): HistoryItem {
  return { role: "user", parts: [words(text)] };
}

export function assistant(text: string): HistoryItem {
  return { role: "assistant", blocks: [{ kind: "text", text }] };
}

export const LOOK: ToolSpec = {
  name: "look",
  description: "Looks somewhere.",
  input: { type: "object", properties: { at: { type: "string" } }, additionalProperties: false },
};

/** A turn that says `text`. A tool answers "seen" unless `answer` says otherwise; every call is kept in `calls`. */
export function turn(
  text: string,
  more: Partial<TurnInput> & { readonly answer?: (call: ToolCall) => ToolResult | Promise<ToolResult> } = {},
): TurnInput & { readonly calls: ToolCall[] } {
  const { answer = () => ({ outcome: "ok", text: "seen" }), ...rest } = more;
  const calls: ToolCall[] = [];
  return {
    calls,
    conversation: "conversation-1",
    turn: "turn-1",
    instructions: "You are under test.",
    history: [],
    catchUp: { whole: () => handoff(rest.history ?? [], "begin"), missed: () => "" },
    locked: false,
    prompt: [words(text)],
    attendance: "owner",
    tools: [],
    call: async (call) => {
      calls.push(call);
      return await answer(call);
    },
    allow: async () => ({ is: "deny", words: "not here" }),
    workFolder: "/nowhere",
    signal: new AbortController().signal,
    ...rest,
  };
}

/** A finished turn, taken apart. */
export type Played = {
  readonly events: readonly TurnEvent[];
  readonly text: string;
  readonly thinking: string;
  readonly usage: Usage | undefined;
  readonly reason: string;
  readonly error: GatewayError | undefined;
};

/** Runs a turn to its end; `onEvent` sees each event as it comes. */
export async function play(engine: Engine, input: TurnInput, onEvent?: (event: TurnEvent) => void): Promise<Played> {
  const events: TurnEvent[] = [];
  for await (const event of engine.run(input)) {
    events.push(event);
    onEvent?.(event);
  }
  const end = events.findLast((event) => event.kind === "end");
  const join = (kind: "text" | "thinking"): string =>
    events.map((event) => (event.kind === kind ? event.delta : "")).join("");
  return {
    events,
    text: join("text"),
    thinking: join("thinking"),
    usage: events.find((event) => event.kind === "usage")?.usage,
    reason: end?.reason ?? "none",
    error: end?.reason === "error" ? end.error : undefined,
  };
}

/** Time that passes when told. */
export type StillClock = Clock & {
  /** Waits asked for so far, in milliseconds, in order. */
  readonly waits: readonly number[];
  /** Sleepers now. */
  readonly sleeping: number;
  /** Lets `ms` pass; whoever is due wakes. */
  pass(ms: number): void;
  /** Resolves once at least `count` waits have been asked for. */
  untilWaits(count: number): Promise<void>;
};

export function stillClock(): StillClock {
  let now = 1_700_000_000_000;
  const waits: number[] = [];
  const sleepers = new Set<{ readonly at: number; wake(): void }>();
  const watchers = new Set<() => void>();
  return {
    waits,
    get sleeping() {
      return sleepers.size;
    },
    now: () => now,
    soon: (task) => void setImmediate(task),
    sleep: async (waitMs, signal) => {
      signal?.throwIfAborted();
      waits.push(waitMs);
      for (const look of [...watchers]) look();
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          sleepers.delete(sleeper);
          signal?.removeEventListener("abort", onAbort);
        };
        const onAbort = (): void => {
          leave();
          reject(signal?.reason);
        };
        const sleeper = {
          at: now + waitMs,
          wake: () => {
            leave();
            resolve();
          },
        };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    },
    pass: (ms) => {
      now += ms;
      for (const sleeper of [...sleepers]) if (sleeper.at <= now) sleeper.wake();
    },
    untilWaits: async (count) => {
      if (waits.length >= count) return;
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (waits.length < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
      });
    },
  };
}

/** The middle of the road, always. */
export const evenRandom: Random = { key: (bytes) => "k".repeat(Math.ceil((bytes * 4) / 3)), fraction: () => 0.5 };

/** Keeps what is logged, as one text to search. */
export function keepingLog(): Logger & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (fields: Record<string, unknown>, note: string): void =>
    void lines.push(JSON.stringify({ ...fields, note }));
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}
