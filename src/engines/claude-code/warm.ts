// Processes that wait for their session's next turn: a few, for a few minutes, and only while nothing that they were started with changes.
import type { Clock } from "../../core/surroundings.ts";
import type { Live } from "./live.ts";

const MAX_WARM = 4;
const IDLE_MS = 180_000;

export class WarmProcesses implements AsyncDisposable {
  readonly #clock: Clock;
  /** By session, the one that has waited longest first. */
  readonly #lives = new Map<string, { readonly live: Live; readonly taken: AbortController }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The session's process if it was started with just this; one that was started with anything else is ended first. */
  async take(session: string, key: string): Promise<Live | undefined> {
    const found = this.#remove(session);
    if (found === undefined) return undefined;
    if (found.key === key && !found.gone.aborted) return found;
    await found[Symbol.asyncDispose]();
    return undefined;
  }

  /** Keeps it for its session's next turn. */
  async keep(live: Live): Promise<void> {
    const { session } = live;
    if (session === undefined || live.gone.aborted) return await live[Symbol.asyncDispose]();
    await this.end(session);
    const taken = new AbortController();
    this.#lives.set(session, { live, taken });
    void this.#idle(session, AbortSignal.any([taken.signal, live.gone]));
    const [oldest] = this.#lives.keys();
    if (this.#lives.size > MAX_WARM && oldest !== undefined) await this.end(oldest);
  }

  /** Ends the session's process, if one waits. */
  async end(session: string): Promise<void> {
    await this.#remove(session)?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#lives.keys()].map(async (session) => await this.end(session)));
  }

  async #idle(session: string, until: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(IDLE_MS, until);
    } catch {
      // It was taken, or it ended by itself: then it is of no more use.
      if (this.#lives.get(session)?.live.gone.aborted === true) await this.end(session);
      return;
    }
    await this.end(session);
  }

  #remove(session: string): Live | undefined {
    const found = this.#lives.get(session);
    this.#lives.delete(session);
    found?.taken.abort();
    return found?.live;
  }
}
