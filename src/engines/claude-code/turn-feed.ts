// One turn as its process sees it: what the turn is told, in order, and what it may be asked.
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import type { GatewayError } from "../../core/error.ts";
import { orStopped } from "../stop.ts";
import type { Said } from "./events.ts";

/** What comes in for a turn. `over`: the process has ended; `why` in words. */
export type Item =
  | { readonly is: "said"; readonly said: Said }
  | { readonly is: "show"; readonly events: readonly TurnEvent[]; readonly taken: () => void }
  | { readonly is: "over"; readonly why: GatewayError };

/** The line of things for one turn, from its process to whoever reads the turn. */
export class TurnFeed {
  readonly input: TurnInput;
  /** Absolute. */
  readonly work: string;
  /** When the program, or a call of ours, last gave a sign. */
  aliveAtMs: number;
  /** Calls of ours and questions to the owner that the program waits for now. */
  waiting = 0;
  readonly #over: AbortController = new AbortController();
  readonly #items: Item[] = [];
  #wake: () => void = () => undefined;

  constructor(input: TurnInput, work: string, nowMs: number) {
    this.input = input;
    this.work = work;
    this.aliveAtMs = nowMs;
  }

  /** Fires when nobody reads the turn any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#wake();
  }

  /** Resolves when whoever reads the turn has taken the events in; false when the turn is over. */
  async show(...events: readonly TurnEvent[]): Promise<boolean> {
    if (this.over.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.push({ is: "show", events, taken: resolve });
    try {
      await orStopped(promise, this.over);
      return true;
    } catch {
      return false;
    }
  }

  take(): Item | undefined {
    return this.#items.shift();
  }

  /** Resolves when there is something to take. */
  async filled(signal: AbortSignal): Promise<void> {
    if (this.#items.length > 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await orStopped(promise, signal);
  }

  close(): void {
    this.#over.abort();
  }
}
