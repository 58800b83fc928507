// Questions: the assistant asks, the person answers once, by presses, a form or words, and the waiting turn learns it by following the log.
//
//   ask ─→ asked + buttons (one transaction) ─→ press or words: asked again, a step further, or claim + answered ─→ the turn reads it
//
// Past the engine's hold time nothing waits for it any more: its answer starts the next turn (held.ts).
import type { Question } from "../core/card.ts";
import type { PressAnswer } from "../core/channel.ts";
import { GatewayError } from "../core/error.ts";
import type { Person, Room } from "../core/message.ts";
import type { Filled } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, Committed, Store } from "../store/port.ts";
import { heldCards, hold, oneByOne, surelyDone, whenDue } from "./held.ts";
import { answerByOption, answerByPicks, answerByWords, formFor, readForm, readPicks } from "./question-answers.ts";
import { buttonsOf, stepOf, type Ended } from "./question-card.ts";
import { endChanges, newCard, outsideOf, soFar, type How, type QuestionAsk } from "./question-changes.ts";

/** A question that can be answered. `held`: no turn waits for it. */
export type LiveQuestion = {
  readonly card: Question;
  readonly conversation: string;
  readonly room: Room;
  readonly held?: true;
  readonly outside?: true;
};

/** What a press brought. `key`: of the button; `from`: whose turn it may start; `more`: what is committed with what comes of it. */
export type QuestionPress = {
  readonly key: string;
  readonly by: string;
  readonly from?: Person;
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
  readonly from?: Person;
  readonly more: readonly Change[];
};

type Waiting = Omit<LiveQuestion, "card" | "held"> & {
  card: Question;
  held?: true;
  /** Fires when it is over. */
  readonly end: AbortController;
  /** What was sent in a form and not taken. */
  draft: Filled;
  over: boolean;
  /** The person was told that it waits while they went on. */
  reminded: boolean;
  /** What is done to it, one after the other. */
  busy: Promise<unknown>;
};

const KEY_BYTES = 9;
/** A question that nobody answers is skipped after this long. */
const EXPIRES_MS = 86_400_000;
const TAKEN = "That was already answered.";
const OVER = "Nothing waits for that answer any more.";
const PICK_FIRST = "Nothing is picked yet: pick at least one, or press Skip.";
const NO_SUCH = "That can't be picked there.";
const ONE_AT_A_TIME =
  "A question already waits for the person in this chat. Ask the next one when that is answered, or put both into one call.";
const STANDS_ALREADY =
  "Your question already stands on its card in this chat, and its answer will start your next turn. End this turn now with a short line, and don't ask again.";

/** Asks questions, and knows which of them can be answered. */
export class Questions {
  readonly #store: Store;
  readonly #surroundings: Surroundings;
  readonly #signal: AbortSignal;
  readonly #live = new Map<string, Waiting>();

  /** `signal`: nothing expires any more once it fires. */
  constructor(store: Store, surroundings: Surroundings, signal: AbortSignal = new AbortController().signal) {
    this.#store = store;
    this.#surroundings = surroundings;
    this.#signal = signal;
  }

  /** Takes up those that outlived their turns in an earlier life. Others of an earlier life have nobody who waits. */
  async open(): Promise<void> {
    for (const { card, conversation, room, outside, at } of await heldCards(this.#store)) {
      if (card.kind !== "question" || this.#live.has(card.id)) continue;
      const waiting: Waiting = { ...newWaiting(), card, conversation, room, ...outsideOf({ outside }), held: true };
      this.#live.set(card.id, waiting);
      this.#expire(waiting, at + EXPIRES_MS);
    }
  }

  /** Its chat was left: what is held there is over, and starts nothing. */
  async leave(conversation: string): Promise<void> {
    for (const one of this.#live.values())
      if (one.held === true && one.conversation === conversation) await this.#over(one, { is: "left" });
  }

  /** Those that can be answered now, oldest first. */
  get live(): readonly LiveQuestion[] {
    return [...this.#live.values()].filter((one) => !one.over);
  }

  /**
   * Asks and waits for the answer, in words for the model; null when it was skipped, stopped or not answered in time; undefined when it
   * is held: its answer starts the next turn. Throws a GatewayError when another one waits in the conversation. One that is held there
   * since an earlier turn gives way.
   */
  async ask(ask: QuestionAsk, room: Room, signal: AbortSignal): Promise<string | null | undefined> {
    const { clock } = this.#surroundings;
    const there = this.live.filter(({ conversation }) => conversation === ask.conversation);
    if (there.some(({ held }) => held !== true)) throw new GatewayError("bad-request", ONE_AT_A_TIME);
    if (there.some(({ card }) => card.turn === ask.turn)) throw new GatewayError("bad-request", STANDS_ALREADY);
    if (signal.aborted) return null;
    const card = this.#keyed(newCard(ask, this.#surroundings.random.key(KEY_BYTES)));
    const { conversation } = ask;
    const waiting: Waiting = { ...newWaiting(), card, conversation, room, ...outsideOf(ask) };
    this.#live.set(card.id, waiting);
    const over = new AbortController();
    try {
      await this.#replace(waiting);
      const place = await this.#store.log.head();
      const at = clock.now();
      const asked = await oneByOne(waiting, async () => await this.#store.commit(this.#shown(waiting, card)));
      if (!asked.ok) return null;
      const answered = this.#answerTo(card.id, place, over.signal);
      const enough = AbortSignal.any([over.signal, signal]);
      const first = await Promise.race([
        answered,
        clock.sleep(Math.min(ask.holdMs, EXPIRES_MS), enough).then(
          () => ({ is: "late" }) as const,
          () => ({ is: "stopped" }) as const,
        ),
      ]);
      if (first === null || typeof first === "string") return first;
      // An answer may have been first: then that stands.
      if (first.is === "late" && ask.holdMs < EXPIRES_MS) {
        if (!(await this.#hold(waiting, asked.entries[0]?.seq ?? 0, at))) return await answered;
        return undefined;
      }
      const closed = await oneByOne(waiting, async () => await this.#closeSurely(waiting, first));
      return closed ? null : await answered;
    } finally {
      over.abort();
      if (waiting.held !== true) this.#end(waiting);
    }
  }

  /** A press of one of its buttons, by whom it was asked; gives what the press is answered with. */
  async press(card: string, press: QuestionPress): Promise<string | PressAnswer | undefined> {
    const waiting = this.#live.get(card);
    if (waiting === undefined) return (await this.#store.records.claim(`card:${card}`)) === undefined ? OVER : TAKEN;
    return await oneByOne(waiting, async () => {
      // A button of a step before: it was drawn away a moment ago.
      const pressed = waiting.card.options.find(({ key }) => key === press.key);
      return waiting.over || pressed === undefined ? TAKEN : await this.#pressed(waiting, pressed.act, press);
    });
  }

  /** Own words of whom it was asked; false when it was over before, and they are to be taken as any other. */
  async typed({ card, words, messageId, by, from, more }: TypedWords): Promise<boolean> {
    const waiting = this.#live.get(card);
    if (waiting === undefined) return false;
    return await oneByOne(waiting, async () => {
      const { fields, inForm } = waiting.card;
      const field = fields[stepOf(waiting.card)];
      if (waiting.over || field === undefined) return false;
      const how = { by, from, more, messageId };
      if (inForm && fields.length > 1) {
        const given = answerByWords({ kind: "text", id: "", label: "", long: true }, words);
        if ("problem" in given) return await this.#noAnswer(waiting, given.problem, more);
        return (await this.#close(waiting, { is: "words", words: given.answer }, how)).ok;
      }
      const given = answerByWords(field, words);
      if ("problem" in given) return await this.#noAnswer(waiting, given.problem, more);
      return await this.#answered(waiting, given.answer, how);
    });
  }

  /** True once for each question that a turn of a conversation waits for: the one time that the person is reminded of it. */
  remindOnce(conversation: string): boolean {
    const waiting = [...this.#live.values()].find((one) => one.conversation === conversation && !one.over);
    if (waiting === undefined || waiting.held === true || waiting.reminded) return false;
    waiting.reminded = true;
    return true;
  }

  async #pressed(
    waiting: Waiting,
    act: Question["options"][number]["act"],
    { key, by, from, fields, picked, more }: QuestionPress,
  ): Promise<string | PressAnswer | undefined> {
    const { card } = waiting;
    const field = card.fields[stepOf(card)];
    const how = { by, from, more };
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

  /**
   * What was typed is not taken: the card says why, and waits on. Long after its turn that may be said of anything else: then it is no
   * answer, and is taken as any other words.
   */
  async #noAnswer(waiting: Waiting, problem: string, more: readonly Change[]): Promise<boolean> {
    if (waiting.held === true) return false;
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
    // Nobody waits who would take it away, and in a chat that is gone nobody answers it either.
    if (waiting.held === true && (done.ok || done.because === "gone")) this.#end(waiting);
    return done;
  }

  /** False: an answer was first. */
  async #closeSurely(waiting: Waiting, ended: Ended): Promise<boolean> {
    if (waiting.over) return false;
    const done = await surelyDone(
      this.#surroundings.clock,
      async () => await this.#close(waiting, ended, { by: "gateway", more: [] }),
    );
    return done.ok || done.because === "gone";
  }

  /** Its turn ends without the answer; false: an answer was first. `seq`: of the entry that first asked it, `at` its time. */
  async #hold(waiting: Waiting, seq: number, at: number): Promise<boolean> {
    return await oneByOne(waiting, async () => {
      if (waiting.over) return false;
      await surelyDone(this.#surroundings.clock, async () => await this.#store.commit([hold(waiting, seq)]));
      waiting.held = true;
      this.#expire(waiting, at + EXPIRES_MS);
      return true;
    });
  }

  #expire(waiting: Waiting, untilMs: number): void {
    const signal = AbortSignal.any([this.#signal, waiting.end.signal]);
    void whenDue(untilMs, signal, this.#surroundings, async () => await this.#over(waiting, { is: "late" }));
  }

  /** Another question takes the place of the one that is held there. */
  async #replace(by: Waiting): Promise<void> {
    for (const one of this.#live.values())
      if (one !== by && one.held === true && one.conversation === by.conversation)
        await this.#over(one, { is: "replaced" });
  }

  async #over(waiting: Waiting, ended: Ended): Promise<void> {
    await oneByOne(waiting, async () => await this.#closeSurely(waiting, ended));
  }

  #end(waiting: Waiting): void {
    waiting.over = true;
    this.#live.delete(waiting.card.id);
    waiting.end.abort();
  }

  /** The answer to a card, from the log. */
  async #answerTo(card: string, after: number, signal: AbortSignal): Promise<string | null> {
    for await (const batch of this.#store.log.follow(after, signal)) {
      for (const { entry } of batch) if (entry.kind === "answered" && entry.card === card) return entry.given ?? null;
    }
    return null;
  }
}

function newWaiting(): Pick<Waiting, "draft" | "over" | "reminded" | "busy" | "end"> {
  return { draft: {}, over: false, reminded: false, busy: Promise.resolve(), end: new AbortController() };
}
