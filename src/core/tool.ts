// Tools, calls, results and the guard's answers.
import type { Look, Offer, Plan, View } from "./card.ts";
import type { Taint } from "./taint.ts";

/** A JSON Schema, as handed to an engine. */
export type JsonSchema = { readonly [key: string]: unknown };

/** What an engine is told of a tool. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
};

/** The rows of the table of authority (`src/taint/table.ts`). `plain`: reads nothing of anyone's and changes nothing. */
export type Row =
  | "plain"
  | "history"
  | "offer"
  | "cue-offer"
  | "ask"
  | "suggest"
  | "plan"
  | "skill"
  | "app-read"
  | "app-act"
  | "engine-act"
  | "engine-read";

/**
 * A tool of the gateway's own. `check` turns outside input into `I` or throws a GatewayError in words; `run` gets only
 * checked input. `row` is what the guard decides by; `effect` is what a crash in the middle of it leaves behind.
 */
export type Tool<I = unknown> = ToolSpec & {
  readonly row: Row;
  readonly effect: "read" | "act";
  /** What a model is told about when to use it: said only in turns that have the tool. */
  readonly guidance?: string;
  /** Engines are not told of it; a call is answered all the same. */
  readonly unlisted?: true;
  /** What of the unchecked input the log keeps; left out: all of it. */
  logged?(input: unknown): unknown;
  check(input: unknown): I;
  run(input: I, context: ToolContext): Promise<ToolResult>;
};

/** What a running tool may know of its turn. */
export type ToolContext = {
  readonly conversation: string;
  readonly turn: string;
  readonly signal: AbortSignal;
  /** Whose words the chat holds by now, whatever the guard is set to; undefined when that can't be told: then nothing is to be given. */
  readonly taints: () => Promise<readonly Taint[] | undefined>;
};

/** One call as the engine made it. `input` is unchecked; `id` is the engine's own and unique in its turn. */
export type ToolCall = { readonly id: string; readonly name: string; readonly input: unknown };

/**
 * A use of a tool of the engine's own, as its adapter understands it. What is left out is not known and counts as the worse.
 * `confined`: the program's own sandbox keeps it out of every place that is closed to tools.
 */
export type OwnUse = ToolCall & {
  readonly does: "command" | "read" | "write" | "fetch" | "search" | "other";
  /** Files and folders that it touches; relative ones lie in the work folder. */
  readonly paths?: readonly string[];
  readonly command?: string;
  readonly confined?: boolean;
};

/**
 * What came of a call: words for the model. `denied` and `not-run` mean that nothing happened. `marks`: whose words the text
 * holds; they are in the log before the text is handed on. `looked`: what of earlier chats it shows; people see that it was looked at.
 * `view`: what people see of it. `picture`: a file of the conversation's own folder that is shown. `plan`: the turn's from now on.
 * `offer`, `chips`: shown under the reply, when the turn has ended well.
 */
export type ToolResult = {
  readonly outcome: "ok" | "error" | "denied" | "not-run";
  readonly text: string;
  readonly marks?: readonly Taint[];
  readonly looked?: Look;
  readonly view?: View;
  readonly picture?: { readonly name: string; readonly path: string; readonly alt: string };
  readonly plan?: Plan;
  readonly offer?: Offer;
  readonly chips?: readonly string[];
};

/** The guard's answer to one call. `by`: the owner's mode, or the guard itself, whose asks nothing skips. */
export type Verdict =
  | { readonly is: "allow" }
  | { readonly is: "ask"; readonly by: "mode" | "guard"; readonly reason: string }
  | { readonly is: "deny"; readonly words: string };
