// One turn at a time in a conversation, different conversations side by side. What comes during a turn is the next turn's.
import type { Tool } from "../core/tool.ts";
import type { Conversation, Entry } from "../core/conversation.ts";
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Store, Unsettled } from "../store/port.ts";
import { expireApproval } from "../cards/approval-changes.ts";
import { isHeld } from "../cards/held.ts";
import { expireQuestion } from "../cards/question-changes.ts";
import type { CardParts } from "../cards/turn-cards.ts";
import type { TurnAuthority } from "../turn/authority.ts";
import { runTurn, STOP } from "../turn/run.ts";
import { UNATTENDED_PLATFORM } from "../core/message.ts";
import { appsReached } from "./apps-reached.ts";
import type { Outbox } from "./outbox.ts";
import { afterFault } from "./surely.ts";

/** What the queue works with. */
export type QueueParts = {
  readonly store: Store;
  readonly outbox: Outbox;
  /** The conversation's engine; one that is missing answers so in words. */
  readonly engineOf: (conversation: Conversation) => Promise<Engine>;
  readonly tools: readonly Tool[];
  readonly cards: CardParts;
  readonly owner: string;
  readonly workFolder: (conversation: Conversation) => string;
  /** Others read along or write there. */
  readonly locked: (conversation: Conversation) => boolean;
  readonly authority: TurnAuthority;
  readonly scrub: (text: string) => string;
  readonly surroundings: Surroundings;
};

type Running = {
  readonly turn: string;
  readonly stop: AbortController;
  readonly ended: PromiseWithResolvers<void>;
  acknowledged: boolean;
};

const TURN_BYTES = 9;
/** Why turns end when the gateway does: they are left as after a crash, and the next start decides. */
const CLOSING: unique symbol = Symbol("the gateway ends");

const INTERRUPTED =
  "I was interrupted in the middle of this and didn't do it again, since something may have been done already. Ask me to go on if you want that.";
const INTERRUPTED_TWICE = "I was interrupted twice while answering this, so I stopped trying. Write again and I will.";

/** Runs turns. Nothing is kept in memory of a conversation in which nothing runs. */
export class Queue {
  readonly #parts: QueueParts;
  readonly #driving = new Map<string, Promise<void>>();
  /** Woken while being driven: looked at once more before it is let go. */
  readonly #woken = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #given = new Map<string, ReadonlySet<string>>();
  readonly #running = new Map<string, Running>();
  readonly #over = new AbortController();
  readonly #appsReached: (signal: AbortSignal) => Promise<void>;
  /** Resolves when a turn begins somewhere, or a conversation has nothing left to run. */
  #changed = Promise.withResolvers<void>();

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#appsReached = appsReached({ items: () => parts.cards.catalog.items }, parts.surroundings.clock);
  }

  /**
   * Takes up what the last run left on these platforms: messages that wait, and turns that did not end. An answer for a platform
   * that is not there now could not be shown, so it waits until that is.
   */
  async open(platforms: ReadonlySet<string>): Promise<void> {
    const { conversations } = this.#parts.store;
    for (const { conversation } of await conversations.unsettled()) {
      const platform = (await conversations.get(conversation))?.room.platform;
      if (platform !== undefined && platforms.has(platform)) this.wake(conversation);
    }
  }

  /** The turns of this conversation, which nobody attends, have just these tools, for as long as this process lives. */
  give(conversation: string, tools: readonly string[]): void {
    this.#given.set(conversation, new Set(tools));
  }

  /** Something waits in this conversation. Cheap, and harmless when nothing does. */
  wake(conversation: string): void {
    if (this.#over.signal.aborted || this.#closed.has(conversation)) return;
    if (this.#driving.has(conversation)) {
      this.#woken.add(conversation);
      return;
    }
    this.#driving.set(conversation, this.#drive(conversation));
  }

  /** The turn that runs there now. */
  running(conversation: string): string | undefined {
    return this.#running.get(conversation)?.turn;
  }

  /** How many turns run now. */
  get count(): number {
    return this.#running.size;
  }

  /** True once for each running turn: the one time that a message during it is acknowledged. */
  acknowledgeOnce(conversation: string): boolean {
    const running = this.#running.get(conversation);
    // What comes behind a turn that is being stopped is answered at once.
    if (running === undefined || running.acknowledged || running.stop.signal.aborted) return false;
    running.acknowledged = true;
    return true;
  }

  /** Stops the turn that runs there, at once; `turn`: only if it is that one. False when there is none. */
  stop(conversation: string, turn?: string): boolean {
    const running = this.#running.get(conversation);
    if (running === undefined || (turn !== undefined && running.turn !== turn)) return false;
    running.stop.abort(STOP);
    return true;
  }

  /** Stops the turn that runs there, or that what was said before is about to begin; false when there is none. */
  async halt(conversation: string): Promise<boolean> {
    const running = await this.#soon(conversation);
    running?.stop.abort(STOP);
    return running !== undefined;
  }

  /** Stops what runs there and what waits behind it, and resolves when all of it has ended. */
  async end(conversation: string): Promise<void> {
    for (;;) {
      const running = await this.#soon(conversation);
      if (running === undefined) return;
      running.stop.abort(STOP);
      await running.ended.promise;
    }
  }

  /** Stops the turn that runs there and lets no other begin while `then` runs: the conversation is about to go. */
  async close<T>(conversation: string, then: () => Promise<T>): Promise<T> {
    this.#closed.add(conversation);
    try {
      await this.end(conversation);
      await this.#driving.get(conversation);
      return await then();
    } finally {
      this.#closed.delete(conversation);
      this.wake(conversation);
    }
  }

  /** Resolves when nothing runs in a conversation, and nothing is about to. */
  async quiet(conversation: string): Promise<void> {
    await this.#driving.get(conversation);
  }

  /** Resolves when nothing runs at all; `platform`: for people there. */
  async settled(platform?: string): Promise<void> {
    for (;;) {
      const driving = await Promise.all(
        [...this.#driving].map(async ([id, driven]) => {
          const conversation = platform === undefined ? undefined : await this.#parts.store.conversations.get(id);
          return { driven, meant: conversation?.room.platform === platform };
        }),
      );
      const meant = driving.filter((one) => one.meant);
      if (meant.length === 0) return;
      await Promise.all(meant.map((one) => one.driven));
    }
  }

  /** Ends every turn and leaves them open, as a crash would. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    for (const running of this.#running.values()) running.stop.abort(CLOSING);
    await this.settled();
  }

  /** The turn that runs there and was not stopped yet, or the one that is just about to; undefined when nothing is. */
  async #soon(conversation: string): Promise<Running | undefined> {
    for (;;) {
      const running = this.#running.get(conversation);
      if (running?.stop.signal.aborted === false) return running;
      if (!this.#driving.has(conversation)) return undefined;
      await this.#changed.promise;
    }
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #drive(id: string): Promise<void> {
    const { store, surroundings } = this.#parts;
    while (!this.#over.signal.aborted && !this.#closed.has(id)) {
      try {
        this.#woken.delete(id);
        const state = await store.conversations.state(id);
        if (state.openTurn === undefined && state.waiting === 0) {
          if (this.#woken.has(id)) continue;
          break;
        }
        const conversation = await store.conversations.get(id);
        if (conversation === undefined) break;
        await this.#step(conversation, state);
      } catch (error) {
        if (this.#over.signal.aborted) break;
        await afterFault(error, `a turn broke; its conversation goes on (${id})`, surroundings, this.#over.signal);
      }
    }
    this.#driving.delete(id);
    this.#change();
  }

  /** Runs the next turn, or first ends the one that a crash left open. */
  async #step(conversation: Conversation, state: Unsettled): Promise<void> {
    const { store, surroundings } = this.#parts;
    const { openTurn } = state;
    if (openTurn === undefined) {
      await this.#run(conversation, { turn: surroundings.random.key(TURN_BYTES), again: false, upTo: state.waiting });
      return;
    }
    const since = await store.log.read(conversation.id, { after: openTurn.seq - 1 });
    const started = since.find((entry) => entry.kind === "turn-started");
    // By the engine that ran it: another may have been chosen since.
    const engine = await this.#parts.engineOf({
      ...conversation,
      ...(started === undefined ? {} : { engine: started.engine }),
    });
    await this.#expire(since);
    const own = engine.can.ownTools && !this.#parts.locked(conversation);
    const acted = own || since.some((entry) => entry.kind === "tool-start" && entry.effect === "act");
    if (!acted && !openTurn.again && started !== undefined) {
      await this.#run(conversation, { turn: openTurn.turn, again: true, upTo: started.upTo });
      return;
    }
    await store.commit([
      {
        do: "append",
        conversation: conversation.id,
        at: surroundings.clock.now(),
        body: {
          kind: "turn-ended",
          turn: openTurn.turn,
          reason: "interrupted",
          words: acted ? INTERRUPTED : INTERRUPTED_TWICE,
        },
      },
    ]);
  }

  /** Approvals and questions that a crash left open: nobody waits for their answer any more. Those that are held wait for no turn. */
  async #expire(since: readonly Entry[]): Promise<void> {
    const answered = new Set(since.flatMap((entry) => (entry.kind === "answered" ? [entry.card] : [])));
    for (const entry of since) {
      if (entry.kind !== "asked" || answered.has(entry.card.id)) continue;
      const { card } = entry;
      if (await isHeld(this.#parts.store, entry)) continue;
      const at = this.#parts.surroundings.clock.now();
      // One that was answered just now needs nothing more, and neither does one that was asked in several steps.
      if (card.kind === "approval") await this.#parts.store.commit(expireApproval(card, entry, at));
      else if (card.kind === "question") await this.#parts.store.commit(expireQuestion(card, entry, at));
    }
  }

  async #run(
    conversation: Conversation,
    which: { readonly turn: string; readonly again: boolean; readonly upTo: number },
  ): Promise<void> {
    const { store, outbox, tools, cards, owner, workFolder, locked, authority, scrub, surroundings } = this.#parts;
    const engine = await this.#parts.engineOf(conversation);
    // Our end came just now: nothing begins any more, since nobody would stop it.
    if (this.#over.signal.aborted) return;
    const running: Running = {
      turn: which.turn,
      stop: new AbortController(),
      ended: Promise.withResolvers(),
      acknowledged: false,
    };
    this.#running.set(conversation.id, running);
    this.#change();
    const live = outbox.live(conversation, which.turn);
    const startedAt = surroundings.clock.now();
    try {
      const only = this.#given.get(conversation.id);
      const unattended = conversation.room.platform === UNATTENDED_PLATFORM;
      const order = {
        conversation,
        ...which,
        unattended,
        engine,
        tools,
        cards,
        owner,
        workFolder: workFolder(conversation),
        locked: locked(conversation),
        authority: only === undefined ? authority : { ...authority, given: only },
        ...(only === undefined ? {} : { only }),
        scrub,
        signal: running.stop.signal,
      };
      await this.#appsReached(running.stop.signal);
      for await (const draft of runTurn(order, store, surroundings)) live.update(draft);
      surroundings.log.info(
        { conversation: conversation.id, engine: engine.name, tookMs: surroundings.clock.now() - startedAt },
        "a turn ended",
      );
    } finally {
      outbox.endLive(which.turn);
      this.#running.delete(conversation.id);
      running.ended.resolve();
    }
  }
}
