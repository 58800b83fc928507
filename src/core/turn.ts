// One run of an engine: what goes in, what comes out.
import type { GatewayError } from "./error.ts";
import type { Plan } from "./card.ts";
import type { Attendance } from "./taint.ts";
import type { OwnUse, ToolCall, ToolResult, ToolSpec, Verdict } from "./tool.ts";

/** Why a turn ended. `limit`: it used up its steps. `interrupted`: the gateway went down in the middle of it. */
export type StopReason = "done" | "stopped" | "limit" | "error" | "interrupted";

/** What a turn cost. Tokens; `inputTokens` is all input, of which `cacheReadTokens` and `cacheWriteTokens` are parts. US dollars where the price is known. */
export type Usage = {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly costUsd?: number;
};

/** A piece of what is said to a model. Outside words in `text` are framed already. A file lies at `path`, in the work folder. */
export type PromptPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly path: string; readonly mediaType: string };

/** One past exchange item, engine-neutral. */
export type HistoryItem =
  | { readonly role: "user"; readonly parts: readonly PromptPart[] }
  | { readonly role: "assistant"; readonly blocks: readonly HistoryBlock[] };

/** What the assistant said or did, in order. `own`: with a tool of the engine's that answered, which others don't have. */
export type HistoryBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly call: ToolCall; readonly result: ToolResult; readonly own?: true };

/**
 * What an engine that keeps sessions is to be told, in words and framed as data; empty when there is nothing. It goes before the prompt.
 * Made when asked for.
 */
export type CatchUp = {
  /** Everything before this turn, for a session begun anew. */
  readonly whole: () => string;
  /** What the session of `resumeId` has not seen: what other engines answered, and turns that it did not keep. */
  readonly missed: () => string;
};

/** All that an engine gets for one turn. */
export type TurnInput = {
  readonly conversation: string;
  readonly turn: string;
  /** The gateway's standing words to the model. */
  readonly instructions: string;
  /** Everything before this turn, oldest first, for engines that are told it natively. */
  readonly history: readonly HistoryItem[];
  /** The same for engines with sessions of their own. */
  readonly catchUp: CatchUp;
  /** What is said now; never empty. */
  readonly prompt: readonly PromptPart[];
  readonly attendance: Attendance;
  readonly tools: readonly ToolSpec[];
  /** Runs one of `tools`. The guard is asked and the call is in the log before anything runs. Never throws: a failure is a result in words. */
  readonly call: (call: ToolCall) => Promise<ToolResult>;
  /** Must be asked before each use of a tool of the engine's own. Waits for the owner where the guard asks. Never throws. */
  readonly allow: (use: OwnUse) => Promise<Exclude<Verdict, { is: "ask" }>>;
  /** Others read along or write here: the engine runs with none of its own tools, in an empty folder, with a home of its own. */
  readonly locked: boolean;
  /** An absolute path; the conversation's own. It may not be there yet. */
  readonly workFolder: string;
  /** The session this engine kept of this conversation, if any. */
  readonly resumeId?: string;
  /** Fires when the turn is to stop. The engine then ends its stream soon; what it yielded so far is kept. */
  readonly signal: AbortSignal;
};

/** One item of an engine's stream. `tool-start` and `tool-end` are for tools of the engine's own only: the gateway's are logged by `call`. */
export type TurnEvent =
  /**
   * The engine's own session of this conversation. Told as soon as it has an id, and again with `kept` once what this turn said is in it
   * for good. `restarted`: it is another than that of `resumeId`, which was lost, or was replaced on purpose (its tools changed).
   */
  | {
      readonly kind: "session";
      readonly resumeId: string;
      readonly kept: boolean;
      readonly restarted?: "lost" | "replaced";
    }
  | { readonly kind: "text"; readonly delta: string }
  | { readonly kind: "thinking"; readonly delta: string }
  | { readonly kind: "tool-start"; readonly call: ToolCall; readonly effect: "read" | "act" }
  | { readonly kind: "tool-end"; readonly callId: string; readonly result: ToolResult }
  | { readonly kind: "plan"; readonly plan: Plan }
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "end"; readonly reason: "done" | "stopped" | "limit" }
  | { readonly kind: "end"; readonly reason: "error"; readonly error: GatewayError };

/**
 * What a turn shows while it runs: the text of its current part so far. Never logged. Empty text means that it is thinking or working;
 * `doing` then says at what, as one line of Markdown.
 */
export type Draft = { readonly turn: string; readonly part: number; readonly text: string; readonly doing?: string };
