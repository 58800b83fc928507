// What the log is told of a question: its card as it is first asked, and its end.
import type { Question, QuestionField } from "../core/card.ts";
import type { Person } from "../core/message.ts";
import type { Change } from "../store/port.ts";
import { release } from "./held.ts";
import { closedText, givenText, type Ended } from "./question-card.ts";

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
  /** How long its turn may wait for the answer, in milliseconds. */
  readonly holdMs: number;
  /** It holds words that someone else chose, or will. */
  readonly outside?: true;
};

/** Who answered, in which message where it was typed, and what is committed with it. `from`: whose turn it may start. */
export type How = {
  readonly by: string;
  readonly from?: Person | undefined;
  readonly more: readonly Change[];
  readonly messageId?: string;
};

type Asked = { readonly conversation: string; readonly held?: true; readonly outside?: true };

/** How far it was answered, without what is said of a problem. */
export function soFar(card: Question): NonNullable<Question["soFar"]> {
  const { answers = [], picked = [] } = card.soFar ?? {};
  return { answers, picked };
}

/** The card, before it has its buttons. */
export function newCard(ask: QuestionAsk, id: string): Omit<Question, "options"> {
  const { turn, name, title, fields, forms } = ask;
  return {
    ...{ kind: "question", id, turn, for: ask.for, fields, inForm: forms },
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
  };
}

/** The changes that end a question, once: refused with `claimed` when something else was first. */
export function endChanges(
  card: Question,
  asked: Asked,
  ended: Ended,
  { by, from, at, messageId }: Omit<How, "more"> & { readonly at: number },
): readonly Change[] {
  const { conversation } = asked;
  const given = givenText(card, ended);
  const { title, fields } = card;
  const labels = fields.map(({ label }) => label);
  const answer = { to: "question", ...(title === undefined ? {} : { title }), labels, given } as const;
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
    ...(asked.held === true ? release({ conversation, card }, at, { from, answer }) : []),
  ];
}

/** Its flag, where it has one. */
export function outsideOf({ outside }: { readonly outside?: true | undefined }): { readonly outside?: true } {
  return outside === undefined ? {} : { outside };
}

/** What the card of a question that nothing waits for any more is changed to: after a crash it counts as skipped. */
export function expireQuestion(card: Question, asked: Asked, at: number): readonly Change[] {
  return endChanges(card, asked, { is: "restarted" }, { by: "gateway", at });
}
