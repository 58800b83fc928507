// Questions: the assistant asks, the person answers once, by presses, a form or words, and the waiting turn learns it by following the log.
//
//   ask ─→ asked + buttons (one transaction) ─→ press or words: asked again, a step further, or claim + answered ─→ the turn reads it
import type { Question, QuestionField } from "../core/card.ts";
import type { PressAnswer } from "../core/channel.ts";
import { GatewayError } from "../core/error.ts";
import type { Room } from "../core/message.ts";
import type { Filled } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, Committed, Store } from "../store/port.ts";
import { answerByOption, answerByPicks, answerByWords, formFor, readForm, readPicks } from "./question-answers.ts";
import { buttonsOf, closedText, givenText, stepOf, type Ended } from "./question-card.ts";

/** What is asked, of whom, where. */
export type QuestionAsk = {
  readonly conversation: string;
  readonly turn: string;
  /** Who is asked, as a person key. */
  readonly for: string;
  /** What they are called, where others are. */
  readonly name?: string;
  readonly title?: string;
  readonly fields: readonly QuestionField[];
  /** Whether the platform has forms. */
  readonly forms: boolean;
  /** How long it may wait, in milliseconds. */
  readonly holdMs: number;
  /** It holds words that someone else chose, or will. */
  readonly outside?: true;
};

/** A question that something waits for. */
export type LiveQuestion = {
  readonly card: Question;
  readonly conversation: string;
  readonly room: Room;
  readonly outside?: true;
};

/** What a press brought. `key`: of the button; `more`: what is committed with what comes of it. */
export type QuestionPress = {
  readonly key: string;
  readonly by: string;
  readonly fields?: Filled | undefined;
  readonly picked?: readonly string[] | undefined;
  readonly more: readonly Change[];
};

/** Words that were typed while a question waits. */
export type TypedWords = {
  readonly card: string;
  readonly words: string;
  readonly messageId: string;
  readonly by: string;
  readonly more: readonly Change[];
};

type Waiting = Omit<LiveQuestion, "card"> & {
  card: Question;
  /** What was sent in a form and not taken. */
  draft: Filled;
  over: boolean;
  /** The person was told that it waits while they went on. */
  reminded: boolean;
  /** What is done to it, one after the other. */
  busy: Promise<unknown>;
};

const KEY_BYTES = 9;
const MAX_HOLD_MS = 86_400_000;
const CLOSE_TRIES = 5;
const CLOSE_WAIT_MS = 1000;
const TAKEN = "That was already answered.";
const OVER = "Nothing waits for that answer any more.";
const PICK_FIRST = "Nothing is picked yet: pick at least one, or press Skip.";
const NO_SUCH = "That can't be picked there.";
const ONE_AT_A_TIME =
  "A question already waits for the person in this chat. Ask the next one when that is answered, or put both into one call.";

/** Asks questions, and knows which of them something waits for. Those of an earlier life have nobody who waits. */
export class Questions {
  readonly #store: Store;
  readonly #surroundings: Surroundings;
  readonly #live = new Map<string, Waiting>();

  constructor(store: Store, surroundings: Surroundings) {
    this.#store = store;
    this.#surroundings = surroundings;
  }

  /** Those that can be answered now, oldest first. */
  get live(): readonly LiveQuestion[] {
    return [...this.#live.values()].filter((one) => !one.over);
  }

  /**
   * Asks and waits for the answer, in words for the model; null when it was skipped, stopped or not answered in time. Throws a
   * GatewayError when another one waits in the conversation.
   */
  async ask(ask: QuestionAsk, room: Room, signal: AbortSignal): Promise<string | null> {
    const { clock } = this.#surroundings;
    if (this.live.some(({ conversation }) => conversation === ask.conversation))
      throw new GatewayError("bad-request", ONE_AT_A_TIME);
    if (signal.aborted) return null;
    const card = this.#keyed(newCard(ask, this.#surroundings.random.key(KEY_BYTES)));
    const { conversation } = ask;
    const state = { over: false, reminded: false, draft: {}, busy: Promise.resolve() };
    const waiting: Waiting = { card, conversation, room, ...outsideOf(ask), ...state };
    this.#live.set(card.id, waiting);
    const over = new AbortController();
    try {
      const place = await this.#store.log.head();
      const asked = await this.#inTurn(waiting, async () => await this.#store.commit(this.#shown(waiting, card)));
      if (!asked.ok) return null;
      const answered = this.#answerTo(card.id, place, over.signal);
      const enough = AbortSignal.any([over.signal, signal]);
      const first = await Promise.race([
        answered,
        clock.sleep(Math.min(ask.holdMs, MAX_HOLD_MS), enough).then(
          () => ({ is: "late" }) as const,
          () => ({ is: "stopped" }) as const,
        ),
      ]);
      if (first === null || typeof first === "string") return first;
      // An answer may have been first: then that stands.
      const closed = await this.#inTurn(waiting, async () => await this.#closeSurely(waiting, first));
      return closed ? null : await answered;
    } finally {
      over.abort();
      waiting.over = true;
      this.#live.delete(card.id);
    }
  }

  /** A press of one of its buttons, by whom it was asked; gives what the press is answered with. */
  async press(card: string, press: QuestionPress): Promise<string | PressAnswer | undefined> {
    const waiting = this.#live.get(card);
    if (waiting === undefined) return (await this.#store.records.claim(`card:${card}`)) === undefined ? OVER : TAKEN;
    return await this.#inTurn(waiting, async () => {
      // A button of a step before: it was drawn away a moment ago.
      const pressed = waiting.card.options.find(({ key }) => key === press.key);
      return waiting.over || pressed === undefined ? TAKEN : await this.#pressed(waiting, pressed.act, press);
    });
  }

  /** Own words of whom it was asked; false when it was over before, and they are to be taken as any other. */
  async typed({ card, words, messageId, by, more }: TypedWords): Promise<boolean> {
    const waiting = this.#live.get(card);
    if (waiting === undefined) return false;
    return await this.#inTurn(waiting, async () => {
      const { fields, inForm } = waiting.card;
      const field = fields[stepOf(waiting.card)];
      if (waiting.over || field === undefined) return false;
      const how = { by, more, messageId };
      if (inForm && fields.length > 1) {
        const given = answerByWords({ kind: "text", id: "", label: "", long: true }, words);
        if ("problem" in given) return await this.#problem(waiting, given.problem, more);
        return (await this.#close(waiting, { is: "words", words: given.answer }, how)).ok;
      }
      const given = answerByWords(field, words);
      if ("problem" in given) return await this.#problem(waiting, given.problem, more);
      return await this.#answered(waiting, given.answer, how);
    });
  }

  /** True once for each question that waits in a conversation: the one time that the person is reminded of it. */
  remindOnce(conversation: string): boolean {
    const waiting = [...this.#live.values()].find((one) => one.conversation === conversation && !one.over);
    if (waiting === undefined || waiting.reminded) return false;
    waiting.reminded = true;
    return true;
  }

  async #pressed(
    waiting: Waiting,
    act: Question["options"][number]["act"],
    { key, by, fields, picked, more }: QuestionPress,
  ): Promise<string | PressAnswer | undefined> {
    const { card } = waiting;
    const field = card.fields[stepOf(card)];
    const how = { by, more };
    const told = (done: boolean): string | undefined => (done ? undefined : TAKEN);
    switch (act.do) {
      case "skip":
        return told((await this.#close(waiting, { is: "skipped" }, how)).ok);
      case "pick": {
        if (field?.kind === "choice" && field.several) return told(await this.#toggle(waiting, act.option, more));
        const answer = field && answerByOption(field, act.option);
        return answer === undefined ? NO_SUCH : told(await this.#answered(waiting, answer, how));
      }
      case "done": {
        const answer = field && answerByPicks(field, card.soFar?.picked ?? []);
        return answer === undefined ? PICK_FIRST : told(await this.#answered(waiting, answer, how));
      }
      case "menu": {
        const picks = readPicks(picked ?? []);
        if (picks?.length === 0) return PICK_FIRST;
        const answer = field && picks && answerByPicks(field, picks);
        return answer === undefined ? NO_SUCH : told(await this.#answered(waiting, answer, how));
      }
      case "open": {
        if (fields === undefined) return { form: formFor(card, key, waiting.draft) };
        const read = readForm(card, fields);
        if ("problem" in read) {
          // What was written stands there when the form is opened again.
          waiting.draft = fields;
          return read.problem;
        }
        return told((await this.#close(waiting, { is: "answered", ...read }, how)).ok);
      }
    }
  }

  async #toggle(waiting: Waiting, option: number, more: readonly Change[]): Promise<boolean> {
    const { answers, picked } = soFar(waiting.card);
    const now = picked.includes(option) ? picked.filter((one) => one !== option) : [...picked, option];
    return await this.#again(waiting, { answers, picked: now }, more, true);
  }

  /** What was typed is not taken: the card says why, and waits on. */
  async #problem(waiting: Waiting, problem: string, more: readonly Change[]): Promise<boolean> {
    return await this.#again(waiting, { ...soFar(waiting.card), problem }, more, true);
  }

  /** The field under way has its answer: the next one is asked, or it was the last. */
  async #answered(waiting: Waiting, answer: string, how: How): Promise<boolean> {
    const answers = [...soFar(waiting.card).answers, answer];
    if (answers.length >= waiting.card.fields.length)
      return (await this.#close(waiting, { is: "answered", answers }, how)).ok;
    return await this.#again(waiting, { answers, picked: [] }, how.more, false);
  }

  /** Asks again under the same id. `same`: the step is the same, and its buttons keep their keys. */
  async #again(
    waiting: Waiting,
    next: NonNullable<Question["soFar"]>,
    more: readonly Change[],
    same: boolean,
  ): Promise<boolean> {
    const { options: before, ...rest } = waiting.card;
    const card = this.#keyed({ ...rest, soFar: next }, same ? before : []);
    const done = await this.#store.commit([...this.#shown(waiting, card), ...more]);
    if (done.ok) waiting.card = card;
    return done.ok;
  }

  /** The changes that show a card as it stands, with those of its buttons that are new. */
  #shown(waiting: Waiting, card: Question): readonly Change[] {
    const { conversation, card: before } = waiting;
    const body = { kind: "asked", card, ...outsideOf(waiting) } as const;
    const kept = new Set(before === card ? [] : before.options.map(({ key }) => key));
    return [
      { do: "append", conversation, at: this.#surroundings.clock.now(), body },
      ...card.options
        .filter(({ key }) => !kept.has(key))
        .map(({ key, act }): Change => ({
          do: "button",
          key,
          button: { conversation, does: "question", card: card.id, act },
        })),
    ];
  }

  #keyed(card: Omit<Question, "options">, before: Question["options"] = []): Question {
    const options = buttonsOf(card).map((button, at) => ({
      ...button,
      key: before[at]?.key ?? this.#surroundings.random.key(KEY_BYTES),
    }));
    return { ...card, options };
  }

  async #close(waiting: Waiting, ended: Ended, how: How): Promise<Committed> {
    const done = await this.#store.commit([
      ...endChanges(waiting.card, waiting, ended, { ...how, at: this.#surroundings.clock.now() }),
      ...how.more,
    ]);
    if (done.ok) waiting.over = true;
    return done;
  }

  /** Nobody would close the card later: a fault of the disk is waited out for a while. False: an answer was first. */
  async #closeSurely(waiting: Waiting, ended: Ended): Promise<boolean> {
    if (waiting.over) return false;
    for (let left = CLOSE_TRIES; ; left -= 1) {
      try {
        const done = await this.#close(waiting, ended, { by: "gateway", more: [] });
        return done.ok || done.because === "gone";
      } catch (thrown) {
        if (left === 0) throw thrown;
        await this.#surroundings.clock.sleep(CLOSE_WAIT_MS);
      }
    }
  }

  /** Two presses, or a press and words, at the same moment: each sees what the one before it did. */
  async #inTurn<T>(waiting: Waiting, task: () => Promise<T>): Promise<T> {
    const done = waiting.busy.then(task);
    waiting.busy = done.catch(() => undefined);
    return await done;
  }

  /** The answer to a card, from the log. */
  async #answerTo(card: string, after: number, signal: AbortSignal): Promise<string | null> {
    for await (const batch of this.#store.log.follow(after, signal)) {
      for (const { entry } of batch) if (entry.kind === "answered" && entry.card === card) return entry.given ?? null;
    }
    return null;
  }
}

/** Who answered, in which message where it was typed, and what is committed with it. */
type How = { readonly by: string; readonly more: readonly Change[]; readonly messageId?: string };

function soFar(card: Question): NonNullable<Question["soFar"]> {
  const { answers = [], picked = [] } = card.soFar ?? {};
  return { answers, picked };
}

function newCard(ask: QuestionAsk, id: string): Omit<Question, "options"> {
  const { turn, name, title, fields, forms } = ask;
  return {
    ...{ kind: "question", id, turn, for: ask.for, fields, inForm: forms },
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
  };
}

/** The changes that end a question, once: refused with `claimed` when something else was first. */
function endChanges(
  card: Question,
  asked: { readonly conversation: string; readonly outside?: true },
  ended: Ended,
  { by, at, messageId }: { readonly by: string; readonly at: number; readonly messageId?: string },
): readonly Change[] {
  const { conversation } = asked;
  const given = givenText(card, ended);
  return [
    { do: "claim", key: `card:${card.id}`, by, at },
    {
      do: "append",
      conversation,
      at,
      body: {
        ...{ kind: "answered", card: card.id, by, text: closedText(card, ended), given },
        ...(messageId === undefined ? {} : { messageId }),
        ...outsideOf(asked),
      },
    },
  ];
}

function outsideOf({ outside }: { readonly outside?: true }): { readonly outside?: true } {
  return outside === undefined ? {} : { outside };
}

/** What the card of a question that nothing waits for any more is changed to: after a crash it counts as skipped. */
export function expireQuestion(
  card: Question,
  asked: { readonly conversation: string; readonly outside?: true },
  at: number,
): readonly Change[] {
  return endChanges(card, asked, { is: "restarted" }, { by: "gateway", at });
}
