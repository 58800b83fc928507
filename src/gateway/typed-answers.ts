// Words that answer something that waits: an approval by "allow 3", a question by anything its person types in that room. In own words
// only, at once and never behind a turn; what turns out to be no answer is taken as any other words.
import type { LiveQuestion, Questions } from "../cards/questions.ts";
import type { Inbound } from "../core/channel.ts";
import { ownWords, personKey, roomKey, type Person, type Room } from "../core/message.ts";
import { isVisible } from "../core/text.ts";
import type { Store } from "../store/port.ts";
import { answerByText, type PressParts } from "./presses.ts";
import { cardKey } from "./replies.ts";
import { isShownAs, textAnswer } from "./text-answers.ts";

type Said = Extract<Inbound, { kind: "message" }>;

/** What typed answers work with. */
export type TypedParts = PressParts & { readonly questions: Questions };

/** Tries a message as an answer; false when it was none, and keeps its place among what is said. */
export type Try = () => Promise<boolean>;

/** How a message could answer something that waits now; undefined when it can't. `whole`: it is no piece of something longer. */
export function couldAnswer(
  parts: TypedParts,
  inbound: Said,
  from: { readonly person: Person; readonly row: number; readonly whole: boolean },
): Try | undefined {
  const { person, row, whole } = from;
  const { room } = inbound;
  const text = person.role === "owner" && room.kind === "private" ? textAnswer(inbound) : undefined;
  const approval = parts.approvals.live.length === 0 ? undefined : text;
  const asked = whole && isPlain(inbound) ? questionsFor(parts.questions, room, person) : [];
  if (approval === undefined && asked.length === 0) return undefined;
  return async () => {
    if (approval !== undefined && (await answerByText(parts, approval, inbound, row, person))) return true;
    for (const question of asked)
      if (
        (await isTo(question, inbound, parts.store)) &&
        (await parts.questions.typed({
          ...{ card: question.card.id, words: ownWords(inbound), messageId: inbound.messageId, by: personKey(person) },
          from: person,
          more: [{ do: "inbound-done", ids: [row], outcome: "a question answered", forget: true }],
        }))
      ) {
        // No turn may have waited for it.
        if (question.held === true) parts.queue.wake(question.conversation);
        return true;
      }
    return false;
  };
}

/** Own words and nothing else: no command, nothing forwarded or attached, no words of somebody else beside them. */
function isPlain(inbound: Said): boolean {
  if (inbound.command !== undefined || !isVisible(ownWords(inbound))) return false;
  return inbound.parts.every(
    ({ kind, origin }) => kind === "text" && (origin.kind === "own" || (origin.kind === "quoted" && origin.ours)),
  );
}

/** Those that wait for this person's words there, or in the thread that may have been opened under their card. */
function questionsFor(questions: Questions, room: Room, person: Person): readonly LiveQuestion[] {
  return questions.live.filter(
    (one) =>
      one.card.for === personKey(person) &&
      one.room.platform === room.platform &&
      one.room.chat === room.chat &&
      (one.room.thread === room.thread || one.room.thread === undefined),
  );
}

/** Whether it is said to the question: in its room and to nothing else there, or in the thread under its card. */
async function isTo(question: LiveQuestion, { room, parts }: Said, store: Store): Promise<boolean> {
  const isCard = async (messageId: string | undefined): Promise<boolean> =>
    messageId !== undefined && (await isShownAs(store, question.room, cardKey(question.card.id, question), messageId));
  if (roomKey(room) !== roomKey(question.room) && !(await isCard(room.thread))) return false;
  for (const { origin } of parts) {
    if (origin.kind === "quoted" && !(await isCard(origin.messageId))) return false;
  }
  return true;
}
