// Tools, calls, results and the guard's answers.
import type { Attendance, Taint } from "./taint.ts";

/** A JSON Schema, as handed to an engine. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What an engine is told of a tool. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
};

/**
 * A tool of the gateway's own. `check` turns outside input into `I` or throws a GatewayError in words; `run` gets only
 * checked input. `effect` is what it does to the world; the guard decides by it, by who is there and by the marks it refuses.
 */
export type Tool<I = unknown> = ToolSpec & {
  readonly effect: "read" | "act";
  readonly needs: {
    readonly attendance: readonly Attendance[];
    readonly refusesMarks: readonly Taint["kind"][];
  };
  check(input: unknown): I;
  run(input: I, context: ToolContext): Promise<ToolResult>;
};

/** What a running tool may know of its turn. */
export type ToolContext = {
  readonly conversation: string;
  readonly turn: string;
  readonly signal: AbortSignal;
};

/** One call as the engine made it. `input` is unchecked; `id` is the engine's own and unique in its turn. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: unknown };

/** What came of a call: words for the model. `denied` and `not-run` mean that nothing happened. */
export type ToolResult = {
  readonly outcome: "ok" | "error" | "denied" | "not-run";
  readonly text: string;
};

/** The guard's answer to one call. */
export type Verdict =
  | { readonly is: "allow" }
  | { readonly is: "ask"; readonly reason: string }
  | { readonly is: "deny"; readonly words: string };
