// Approvals: the guard asks, the owner answers once, and the waiting turn learns it by following the log.
//
//   ask ─→ asked + buttons (one transaction) ─→ press, text answer, expiry or stop: claim + answered ─→ the turn reads what was answered
//
// Past the engine's hold time nothing waits for it any more: its answer starts the next turn (held.ts), and what it allowed is asked for once
// more by that turn and found allowed, once (grants.ts).
import { createHash } from "node:crypto";
import type { Approval, ApprovalAnswer, ApprovalOutcome } from "../core/card.ts";
import type { Person, Room } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { escapeMarkdown } from "../core/text.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Change, Store } from "../store/port.ts";
import { alwaysKey, answerChanges, answeredText, TOOK_WORDS, type How } from "./approval-changes.ts";
import { boundTo, grant, spend } from "./grants.ts";
import { heldCards, hold, oneByOne, surelyDone, whenDue } from "./held.ts";
import { sorted } from "./exactly.ts";
import { askedCall } from "./own-tools.ts";

/** What is asked. `showIn`: the owner's private chat, where the turn is elsewhere. */
export type ApprovalAsk = {
  readonly conversation: string;
  readonly turn: string;
  readonly call: ToolCall;
  readonly reason: string;
  /** May be answered for good, for this tool in this chat. */
  readonly always: boolean;
  /** What the tool is, where it can become another under the same name: then it is asked about anew. */
  readonly means?: string;
  /** How many marks the chat has; left out: that can't be told. */
  readonly marks?: number | undefined;
  /** How long its turn may wait for the answer, in milliseconds; left out: until it expires. */
  readonly holdMs?: number;
  readonly showIn?: Room;
  /** The chat holds words from outside: so may the arguments, and what is said of them names sources. */
  readonly outside?: true;
};

/** An approval that can be answered. `held`: no turn waits for it. */
export type Live = {
  readonly card: Approval;
  readonly conversation: string;
  /** Where it is shown. */
  readonly room: Room;
  readonly held?: true;
  readonly showIn?: Room;
  readonly outside?: true;
};

type Waiting = Omit<Live, "held"> & {
  held?: true;
  /** What its answer is for, should no turn wait for it any more; empty: nothing can be kept. */
  readonly bound: string;
  /** Fires when it is over. */
  readonly end: AbortController;
  over: boolean;
  /** What is done to it, one after the other. */
  busy: Promise<unknown>;
};

/** An approval that nobody answers is denied after this long. */
export const EXPIRES_MS = 3_600_000;
const KEY_BYTES = 9;
const LEFT = "The chat has moved on. It was not done.";
/** How far back a chat's last approval is looked for, in entries. */
const RECENT = 200;

/** The digest that an approval is bound to: of the tool's name and its exact arguments. */
export function digestOf({ name, input }: Pick<ToolCall, "name" | "input">): string {
  return createHash("sha256")
    .update(`${name}\n${exactly(input)}`)
    .digest("hex");
}

/** Hands out approvals, and knows which of them can be answered. */
export class Approvals {
  readonly #store: Store;
  readonly #surroundings: Surroundings;
  readonly #signal: AbortSignal;
  readonly #live = new Map<string, Waiting>();
  #count = 0;

  /** `signal`: nothing expires any more once it fires. */
  constructor(store: Store, surroundings: Surroundings, signal: AbortSignal = new AbortController().signal) {
    this.#store = store;
    this.#surroundings = surroundings;
    this.#signal = signal;
  }

  /** Takes up those that outlived their turns in an earlier life. Others of an earlier life have nobody who waits. */
  async open(): Promise<void> {
    for (const { card, at, note, ...where } of await heldCards(this.#store)) {
      if (card.kind !== "approval" || this.#live.has(card.id)) continue;
      const waiting: Waiting = { ...where, card, ...newWaiting(note), held: true };
      this.#count = Math.max(this.#count, card.number);
      this.#live.set(card.id, waiting);
      this.#expire(waiting, at + EXPIRES_MS);
    }
  }

  /** Its chat was left: what is held there is over, and starts nothing. */
  async leave(conversation: string): Promise<void> {
    for (const one of this.#live.values())
      if (one.held === true && one.conversation === conversation) await this.#over(one, "expired", LEFT);
  }

  /** Those that can be answered now, oldest first. */
  get live(): readonly Live[] {
    return [...this.#live.values()];
  }

  /**
   * Asks the owner and waits for the answer, an hour, or the signal. What was allowed before for good is not asked again, and neither is
   * this very call when it was allowed after its turn had ended. `held`: the answer starts the next turn.
   */
  async ask(ask: ApprovalAsk, room: Room, signal: AbortSignal): Promise<ApprovalOutcome | "held"> {
    const { clock } = this.#surroundings;
    const { holdMs = EXPIRES_MS } = ask;
    if (
      ask.always &&
      (await this.#store.records.claim(alwaysKey(ask.conversation, ask.call.name, ask.means))) !== undefined
    )
      return "always";
    const bound = boundTo({ ...ask, digest: digestOf(ask.call) });
    if (await spend(this.#store, ask, bound, clock.now())) return "once";
    // Asked again instead of waited for: it stands on its card.
    const stands = ({ held, conversation, bound: its }: Waiting): boolean =>
      held === true && conversation === ask.conversation && its === bound;
    if (bound !== "" && [...this.#live.values()].some(stands)) return "held";
    await this.#numberAfter(ask.conversation);
    const card = this.#cardFor(ask);
    const place = await this.#store.log.head();
    const at = clock.now();
    const showIn = ask.showIn === undefined ? {} : { showIn: ask.showIn };
    const outside = ask.outside === undefined ? {} : { outside: ask.outside };
    const where = { conversation: ask.conversation, room: ask.showIn ?? room, ...showIn, ...outside };
    const live: Waiting = { ...where, card, ...newWaiting(bound) };
    this.#live.set(card.id, live);
    const over = new AbortController();
    try {
      const asked = await this.#store.commit([
        {
          do: "append",
          conversation: ask.conversation,
          at,
          body: { kind: "asked", card, ...showIn, ...outside },
        },
        ...card.options.map(({ key, took }): Change => ({
          do: "button",
          key,
          button: {
            conversation: ask.conversation,
            does: "option",
            card: card.id,
            action: { do: "approve", took },
            done: answeredText(card, TOOK_WORDS[took]),
          },
        })),
      ]);
      if (!asked.ok) return "stopped";
      const answered = this.#answerTo(card.id, place, over.signal);
      const enough = AbortSignal.any([over.signal, signal]);
      const first = await Promise.race([
        answered,
        clock.sleep(Math.min(holdMs, EXPIRES_MS), enough).then(
          () => "expired" as const,
          () => "stopped" as const,
        ),
      ]);
      if (first !== "expired" && first !== "stopped") return first;
      // A press may have been first: then that stands.
      if (first === "expired" && holdMs < EXPIRES_MS)
        return (await this.#hold(live, asked.entries[0]?.seq ?? 0, at)) ? "held" : await answered;
      return (await this.#over(live, first)) ? first : await answered;
    } finally {
      over.abort();
      if (live.held !== true) this.#end(live);
    }
  }

  /**
   * Answers a live approval, for whoever is entitled to. `from`: whose turn the answer may start. Gives false when another answer was
   * first, or it is over by then; then the card says so.
   */
  async answer(
    card: string,
    took: ApprovalAnswer,
    by: string,
    more: readonly Change[],
    from?: Person,
  ): Promise<boolean> {
    const live = this.#live.get(card);
    if (live === undefined) return false;
    return await oneByOne(live, async () => await this.#answered(live, took, { by, more, from }));
  }

  async #answered(live: Waiting, took: ApprovalOutcome, how: How): Promise<boolean> {
    if (live.over) return false;
    const at = this.#surroundings.clock.now();
    const { conversation, bound, card } = live;
    // Of two that ask about the same tool both may be answered so.
    const isKnown = async (): Promise<boolean> =>
      (await this.#store.records.claim(alwaysKey(conversation, card.tool, card.means))) !== undefined;
    const known = took === "always" && (await isKnown());
    const allows = live.held === true && took === "once" && how.from !== undefined;
    const done = await this.#store.commit([
      ...answerChanges(card, live, took, { ...how, at, known }),
      ...(allows ? grant({ conversation, card }, bound, at + EXPIRES_MS) : []),
      ...how.more,
    ]);
    if (done.ok) live.over = true;
    // Nobody waits who would take it away, and in a chat that is gone nobody answers it either.
    if (live.held === true && (done.ok || done.because === "gone")) this.#end(live);
    return done.ok;
  }

  /** Without an answer; false: one was first. */
  async #over(live: Waiting, as: "expired" | "stopped", words?: string): Promise<boolean> {
    const how = { by: "gateway", more: [], from: undefined, words };
    const closed = async (): Promise<boolean> =>
      (await this.#answered(live, as, how)) || (await this.#store.conversations.get(live.conversation)) === undefined;
    return await oneByOne(live, async () => await surelyDone(this.#surroundings.clock, closed));
  }

  /** Its turn ends without the answer; false: an answer was first. `seq`: of the entry that asked it, `at` its time. */
  async #hold(live: Waiting, seq: number, at: number): Promise<boolean> {
    return await oneByOne(live, async () => {
      if (live.over) return false;
      const held = [hold(live, seq, live.bound)];
      await surelyDone(this.#surroundings.clock, async () => await this.#store.commit(held));
      live.held = true;
      this.#expire(live, at + EXPIRES_MS);
      return true;
    });
  }

  #expire(live: Waiting, untilMs: number): void {
    const signal = AbortSignal.any([this.#signal, live.end.signal]);
    void whenDue(untilMs, signal, this.#surroundings, async () => await this.#over(live, "expired"));
  }

  #end(live: Waiting): void {
    live.over = true;
    this.#live.delete(live.card.id);
    live.end.abort();
  }

  /** After a restart numbers go on: an answer to a card that is over must not be taken for one to the next. */
  async #numberAfter(conversation: string): Promise<void> {
    for (const entry of await this.#store.log.read(conversation, { last: true, limit: RECENT }))
      if (entry.kind === "asked" && entry.card.kind === "approval")
        this.#count = Math.max(this.#count, entry.card.number);
  }

  /** The answer to a card, from the log. */
  async #answerTo(card: string, after: number, signal: AbortSignal): Promise<ApprovalOutcome> {
    for await (const batch of this.#store.log.follow(after, signal)) {
      for (const { entry } of batch)
        if (entry.kind === "answered" && entry.card === card) return entry.took ?? "expired";
    }
    return "stopped";
  }

  #cardFor({ turn, call, reason, always, means }: ApprovalAsk): Approval {
    const { random } = this.#surroundings;
    this.#count += 1;
    const number = this.#count;
    const shown = askedCall(call);
    const option = (label: string, took: ApprovalAnswer): Approval["options"][number] => ({
      label,
      took,
      key: random.key(KEY_BYTES),
    });
    return {
      kind: "approval",
      id: random.key(KEY_BYTES),
      number,
      turn,
      tool: call.name,
      digest: digestOf(call),
      input: call.input,
      ...(means === undefined ? {} : { means }),
      text: [
        `**May I?** (no. ${number})`,
        escapeMarkdown(reason),
        shown.text,
        `Or answer “allow ${number}” or “don't allow ${number}”.`,
      ].join("\n\n"),
      ...(shown.whole === undefined ? {} : { whole: { name: `arguments-${number}.json`, text: shown.whole } }),
      options: [
        option("Allow once", "once"),
        ...(always ? [option("Always in this chat", "always")] : []),
        option("Don't allow", "no"),
      ],
    };
  }
}

function newWaiting(bound: string): Pick<Waiting, "bound" | "end" | "over" | "busy"> {
  return { bound, end: new AbortController(), over: false, busy: Promise.resolve() };
}

function exactly(input: unknown): string {
  return JSON.stringify(sorted(input)) ?? "null";
}
