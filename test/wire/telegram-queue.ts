// The queue of updates behind getUpdates: confirming by offset, a long poll, and one poller at a
// time. Behaviour from the Bot API 10.3 text and what the live server is known to do: the kinds
// asked for are remembered, and a second poller ends the first.
import type { Update } from "@grammyjs/types";

/** Kinds that only come when they are asked for by name. */
const askedForOnly: ReadonlySet<string> = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

const keptForMs = 86_400_000;

export interface Poll {
  offset: number;
  limit: number;
  timeoutMs: number;
}

interface Waiting {
  limit: number;
  answer(updates: Update[]): void;
  conflict(): void;
}

export class UpdateQueue {
  /** The highest offset that a poll confirmed: everything below it is gone. */
  confirmedOffset = 0;
  /** Pushed, but of a kind the bot did not ask for. */
  dropped = 0;
  readonly #now: () => number;
  #items: { update: Update; atMs: number }[] = [];
  #head = 0;
  #nextId: number;
  #allowed: ReadonlySet<string> | undefined;
  #waiting: Waiting | undefined;

  constructor(firstId: number, now: () => number) {
    this.#nextId = firstId;
    this.#now = now;
  }

  get pending(): number {
    return this.#items.length - this.#head;
  }

  get polling(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sticky: stays until the next list; an empty list means the default kinds. */
  allow(kinds: readonly string[]): void {
    this.#allowed = kinds.length === 0 ? undefined : new Set(kinds);
  }

  get allowed(): string[] | undefined {
    return this.#allowed && [...this.#allowed];
  }

  /** Answers the update with its id, or undefined when the bot gets no updates of that kind. */
  push(given: Omit<Update, "update_id"> & { update_id?: number }): Update | undefined {
    const kind = Object.keys(given).find((key) => key !== "update_id") ?? "";
    if (this.#allowed ? !this.#allowed.has(kind) : askedForOnly.has(kind)) {
      this.dropped++;
      return undefined;
    }
    const update: Update = { ...given, update_id: given.update_id ?? this.#nextId };
    if (update.update_id >= this.#nextId) this.#nextId = update.update_id + 1;
    this.#items.push({ update, atMs: this.#now() });
    const waiting = this.#waiting;
    if (waiting) {
      this.#waiting = undefined;
      waiting.answer(this.#peek(waiting.limit));
    }
    return update;
  }

  /** One getUpdates. `conflict` is called instead of an answer when another poller takes over. */
  poll(poll: Poll, closed: AbortSignal): Promise<Update[] | "conflict"> {
    this.#confirm(poll.offset);
    this.#waiting?.conflict();
    const ready = this.#peek(poll.limit);
    if (ready.length > 0 || poll.timeoutMs === 0) return Promise.resolve(ready);
    return new Promise((resolve) => {
      const finish = (value: Update[] | "conflict"): void => {
        clearTimeout(timer);
        closed.removeEventListener("abort", gone);
        if (this.#waiting === waiting) this.#waiting = undefined;
        resolve(value);
      };
      const gone = (): void => finish([]);
      const waiting: Waiting = {
        limit: poll.limit,
        answer: finish,
        conflict: () => finish("conflict"),
      };
      const timer = setTimeout(() => finish([]), poll.timeoutMs);
      closed.addEventListener("abort", gone);
      this.#waiting = waiting;
    });
  }

  forgetAll(): void {
    this.#items = [];
    this.#head = 0;
  }

  #confirm(offset: number): void {
    if (offset < 0) {
      this.#head = Math.max(this.#head, this.#items.length + offset);
    } else {
      if (offset > this.confirmedOffset) this.confirmedOffset = offset;
      while (this.pending > 0 && (this.#items[this.#head]?.update.update_id ?? 0) < offset) {
        this.#head++;
      }
    }
    const oldest = this.#now() - keptForMs;
    while (this.pending > 0 && (this.#items[this.#head]?.atMs ?? 0) < oldest) this.#head++;
    if (this.#head > 1000 && this.#head * 2 > this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #peek(limit: number): Update[] {
    return this.#items.slice(this.#head, this.#head + limit).map((item) => item.update);
  }
}
