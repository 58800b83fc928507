// One request to a model's service: closed when the turn stops, when the service falls silent, or when it is no longer wanted.
import type { Clock } from "../../core/surroundings.ts";

/** Named as fetch names it, so that every layer below takes it for an abort and none for a fault. One for all: nobody reads its stack. */
const CLOSED = Object.assign(new Error("the request is no longer wanted"), { name: "AbortError" });

/**
 * Owns the request's signal and its watch. The watch runs only between `expect` and `rest`, so that a slow reader is never
 * taken for a silent service. After `close` nothing is left: no timer, no listener, no open connection.
 */
export class Attempt implements Disposable {
  /** True once the request was ended because nothing came in time. */
  silent = false;
  readonly #clock: Clock;
  readonly #stop: AbortSignal;
  readonly #request = new AbortController();
  readonly #napMs: number;
  #until = 0;
  #watching = false;
  readonly #onStop = (): void => this.#request.abort(CLOSED);

  /** `napMs`: the shortest limit that `expect` will be given. */
  constructor(clock: Clock, stop: AbortSignal, napMs: number) {
    this.#clock = clock;
    this.#stop = stop;
    this.#napMs = napMs;
    if (stop.aborted) this.#onStop();
    else stop.addEventListener("abort", this.#onStop, { once: true });
  }

  /** For the request; fires at `close` at the latest. */
  get signal(): AbortSignal {
    return this.#request.signal;
  }

  /** From now on something is to come within `limitMs`. */
  expect(limitMs: number): void {
    this.#until = this.#clock.now() + limitMs;
    if (!this.#watching) {
      this.#watching = true;
      void this.#watch();
    }
  }

  /** It came; nothing is awaited for now. */
  rest(): void {
    this.#until = Number.POSITIVE_INFINITY;
  }

  /** Ends the request; may be called twice. */
  close(): void {
    this.#stop.removeEventListener("abort", this.#onStop);
    this.#request.abort(CLOSED);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /**
   * One sleep at a time for the whole request, not one per part. No nap is longer than any limit, so each ends before what is
   * expected meanwhile can be late; the last one ends exactly then.
   */
  async #watch(): Promise<void> {
    try {
      while (!this.#request.signal.aborted) {
        const left = this.#until - this.#clock.now();
        if (left <= 0) {
          this.silent = true;
          this.#request.abort(CLOSED);
          return;
        }
        await this.#clock.sleep(Math.min(left, this.#napMs), this.#request.signal);
      }
    } catch {
      // The request was closed.
    }
  }
}
