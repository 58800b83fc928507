// Approvals: the guard asks, the owner answers once, and the waiting turn learns it by following the log.
//
//   ask ─→ asked + buttons (one transaction) ─→ press, text answer, expiry or stop: claim + answered ─→ the turn reads what was answered
import { createHash } from "node:crypto";
import type { Approval, ApprovalAnswer, ApprovalOutcome } from "../core/card.ts";
import type { Room } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { clipUnits, escapeMarkdown } from "../core/text.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Change, Committed, Store } from "../store/port.ts";

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
  readonly showIn?: Room;
  /** The chat holds words from outside: so may the arguments, and what is said of them names sources. */
  readonly outside?: true;
};

/** An approval that something waits for. */
export type Live = {
  readonly card: Approval;
  readonly conversation: string;
  /** Where it is shown. */
  readonly room: Room;
  readonly showIn?: Room;
  readonly outside?: true;
};

/** An approval that nobody answers is denied after this long. */
export const EXPIRES_MS = 3_600_000;
const CLOSE_TRIES = 5;
const CLOSE_WAIT_MS = 1000;
const KEY_BYTES = 9;
const MAX_NAME_UNITS = 100;
/** Of long arguments so much of each end is shown: the card stays one message on every platform (Discord: 2,000 characters). */
const HEAD_CHARS = 700;
const TAIL_CHARS = 300;
const TOOK_WORDS: Readonly<Record<ApprovalOutcome, string>> = {
  once: "Allowed once.",
  always: "Allowed, from now on in this chat.",
  no: "Not allowed.",
  expired: "Not answered in time, so it was not done.",
  stopped: "Stopped before this was answered. It was not done.",
};

const RESTARTED = "I was restarted before this was answered. It was not done.";
/** How far back a chat's last approval is looked for, in entries. */
const RECENT = 200;

/** The digest that an approval is bound to: of the tool's name and its exact arguments. */
export function digestOf({ name, input }: Pick<ToolCall, "name" | "input">): string {
  return createHash("sha256")
    .update(`${name}\n${exactly(input)}`)
    .digest("hex");
}

/** Hands out approvals, and knows which of them something waits for. Those of an earlier life have nobody who waits. */
export class Approvals {
  readonly #store: Store;
  readonly #surroundings: Surroundings;
  readonly #live = new Map<string, Live>();
  #count = 0;

  constructor(store: Store, surroundings: Surroundings) {
    this.#store = store;
    this.#surroundings = surroundings;
  }

  /** Those that can be answered now, oldest first. */
  get live(): readonly Live[] {
    return [...this.#live.values()];
  }

  /** Asks the owner and waits for the answer, an hour, or the signal. What was allowed before for good is not asked again. */
  async ask(ask: ApprovalAsk, room: Room, signal: AbortSignal): Promise<ApprovalOutcome> {
    const { clock } = this.#surroundings;
    if (
      ask.always &&
      (await this.#store.records.claim(alwaysKey(ask.conversation, ask.call.name, ask.means))) !== undefined
    )
      return "always";
    await this.#numberAfter(ask.conversation);
    const card = this.#cardFor(ask);
    const place = await this.#store.log.head();
    const at = clock.now();
    const showIn = ask.showIn === undefined ? {} : { showIn: ask.showIn };
    const outside = ask.outside === undefined ? {} : { outside: ask.outside };
    const live: Live = { card, conversation: ask.conversation, room: ask.showIn ?? room, ...showIn, ...outside };
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
        clock.sleep(EXPIRES_MS, enough).then(
          () => "expired" as const,
          () => "stopped" as const,
        ),
      ]);
      if (first !== "expired" && first !== "stopped") return first;
      // A press may have been first: then that stands.
      const done = await this.#close(answerChanges(card, live, first, "gateway", clock.now()));
      return done.ok || done.because === "gone" ? first : await answered;
    } finally {
      over.abort();
      this.#live.delete(card.id);
    }
  }

  /**
   * Answers a live approval, for whoever is entitled to. Gives false when another answer was first, or nothing waits for it any more;
   * then the card says that it is over.
   */
  async answer(card: string, took: ApprovalAnswer, by: string, more: readonly Change[]): Promise<boolean> {
    const live = this.#live.get(card);
    if (live === undefined) return false;
    const done = await this.#store.commit([
      ...answerChanges(live.card, live, took, by, this.#surroundings.clock.now()),
      ...more,
    ]);
    return done.ok;
  }

  /** After a restart numbers go on: an answer to a card that is over must not be taken for one to the next. */
  async #numberAfter(conversation: string): Promise<void> {
    for (const entry of await this.#store.log.read(conversation, { last: true, limit: RECENT }))
      if (entry.kind === "asked" && entry.card.kind === "approval")
        this.#count = Math.max(this.#count, entry.card.number);
  }

  /** Nobody would close the card later: a fault of the disk is waited out for a while. */
  async #close(changes: readonly Change[]): Promise<Committed> {
    for (let left = CLOSE_TRIES; ; left -= 1) {
      try {
        return await this.#store.commit(changes);
      } catch (thrown) {
        if (left === 0) throw thrown;
        await this.#surroundings.clock.sleep(CLOSE_WAIT_MS);
      }
    }
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
    const shown = shownArguments(call.input);
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
      ...(means === undefined ? {} : { means }),
      text: [
        `**May I?** (no. ${number})`,
        escapeMarkdown(reason),
        `\`${codeName(call.name)}\` with:`,
        fenced(clipMiddle(shown)),
        `Or answer “allow ${number}” or “don't allow ${number}”.`,
      ].join("\n\n"),
      ...(shown.length > HEAD_CHARS + TAIL_CHARS ? { whole: { name: `arguments-${number}.json`, text: shown } } : {}),
      options: [
        option("Allow once", "once"),
        ...(always ? [option("Always in this chat", "always")] : []),
        option("Don't allow", "no"),
      ],
    };
  }
}

/** The changes that record an answer, once: refused with `claimed` when another was first. */
function answerChanges(
  card: Approval,
  live: Pick<Live, "conversation" | "showIn" | "outside">,
  took: ApprovalOutcome,
  by: string,
  at: number,
  words: string = TOOK_WORDS[took],
): readonly Change[] {
  const { conversation, showIn, outside } = live;
  return [
    { do: "claim", key: `card:${card.id}`, by, at },
    {
      do: "append",
      conversation,
      at,
      body: {
        kind: "answered",
        card: card.id,
        by,
        took,
        text: answeredText(card, words),
        ...(showIn === undefined ? {} : { showIn }),
        ...(outside === undefined ? {} : { outside }),
      },
    },
    ...(took === "always"
      ? [{ do: "claim", key: alwaysKey(conversation, card.tool, card.means), by, at } as const]
      : []),
  ];
}

/** What the card of an approval that nothing waits for any more is changed to: after a crash. */
export function expireApproval(
  card: Approval,
  asked: Pick<Live, "conversation" | "showIn" | "outside">,
  at: number,
): readonly Change[] {
  return answerChanges(card, asked, "expired", "gateway", at, RESTARTED);
}

function answeredText(card: Approval, words: string): string {
  return `\`${codeName(card.tool)}\` (no. ${card.number}): ${words}`;
}

/** What "always" was said about; it goes with its conversation. */
function alwaysKey(conversation: string, tool: string, means?: string): string {
  return `always:${conversation}:${tool}${means === undefined ? "" : `:${means}`}`;
}

/** A tool's name came from a model or a program. */
function codeName(name: string): string {
  return clipUnits(visibly(name).replaceAll("`", "'").replaceAll(/\s+/gu, " "), MAX_NAME_UNITS, "…");
}

/** Arguments as a reader must see them: exactly, with what draws nothing or turns a line around spelled out. */
function shownArguments(input: unknown): string {
  return visibly(JSON.stringify(sorted(input), undefined, 2) ?? "null");
}

function visibly(text: string): string {
  return text.replaceAll(
    /(?![\n\x20])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  );
}

function clipMiddle(text: string): string {
  if (text.length <= HEAD_CHARS + TAIL_CHARS) return text;
  const [head, tail] = [clipUnits(text, HEAD_CHARS), text.slice(-TAIL_CHARS).replace(/^[\uDC00-\uDFFF]/u, "")];
  return `${head}\n… ${text.length - head.length - tail.length} characters more, all of them in the file below …\n${tail}`;
}

/** A block of code that its text can't end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The same value with its keys in order, so that the same arguments have the same digest. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

function exactly(input: unknown): string {
  return JSON.stringify(sorted(input)) ?? "null";
}
