// What scripts are made of.
import type { ErrorCode } from "../../core/error.ts";
import type { OwnUse } from "../../core/tool.ts";

/** One thing that the demo does. `wordMs` overrides the engine's pace. */
export type Act =
  | { readonly do: "say" | "think"; readonly text: string; readonly wordMs?: number }
  | { readonly do: "call"; readonly tool: string; readonly input: unknown }
  /** Asks for leave as for a tool of the engine's own. */
  | { readonly do: "use"; readonly use: Omit<OwnUse, "id"> }
  | { readonly do: "fail"; readonly code: ErrorCode };

/** What came of a call or of asking for leave: whether it was done, and in which words, as a model would get them. */
export type Answer = { readonly done: boolean; readonly text: string };

/** A generator of acts: it is given the answer to each call and goes on from there. */
export type Script = Generator<Act, void, Answer | undefined>;

/** `words` are the person's own; `outside`: something from elsewhere came with them. */
export type Heard = {
  readonly words: string;
  readonly outside: boolean;
  readonly said: readonly string[];
  readonly tools: readonly string[];
};

/** A line of the demo's: what it answers to, and how. */
export type Line = { readonly when: RegExp; readonly does: (found: RegExpExecArray, heard: Heard) => Script };
