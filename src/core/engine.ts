// The port that answers turns.
import type { TurnEvent, TurnInput } from "./turn.ts";

/** What an engine can do; what it cannot is left out of its turns on purpose. */
export type EngineAbilities = {
  /** Takes the gateway's tools. */
  readonly tools: boolean;
  /** Sees pictures. */
  readonly images: boolean;
  /** Yields plans of its own. */
  readonly plan: boolean;
  /** Has tools of its own that can act on the machine. */
  readonly ownTools: boolean;
  /** Its locked mode is proven against the real program: in it, it has none of its own tools. Only then may it serve guests and shared rooms. */
  readonly locked?: true;
  /** Keeps a session of its own that a later turn can resume. */
  readonly sessions: boolean;
  /** How long one of its tool calls may wait for a person, in milliseconds; past it the turn ends, and the answer starts the next. */
  readonly holdMs: number;
  /** The catalogue's ids of apps that it reaches by itself. */
  readonly reaches?: readonly string[];
};

/** What an engine found when it looked at itself: that it could answer, and what the owner should see to all the same. Sentences. */
export type Checked = { readonly words: string; readonly warn?: string };

/**
 * Answers turns for any number of conversations at once; keeps nothing of one between turns but what `session` events told.
 * @port
 */
export interface Engine {
  /** Its name in the config. */
  readonly name: string;
  readonly can: EngineAbilities;
  /**
   * Runs one turn. Yields at least one `end`, as the last item, also after `signal` has fired. Text is yielded as it comes.
   * A failure is an `end` with an error, in words for people; a throw is a fault of the engine and is treated as one.
   */
  run(input: TurnInput): AsyncIterable<TurnEvent>;
  /** Forgets a kept session for good, its files included. Forgetting an unknown one is fine. */
  forget(resumeId: string): Promise<void>;
  /** Says in words that it could answer now (key taken, model known, program found); throws a GatewayError when not. */
  check(signal: AbortSignal): Promise<Checked>;
  /** Ends what it still runs. Turns end first, by their signals. */
  [Symbol.asyncDispose](): Promise<void>;
}
