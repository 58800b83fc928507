// A press: from the platform's button to the card it answers, once. On the control lane: it never waits behind a turn.
import type { Inbound, PressAnswer } from "../core/channel.ts";
import { personKey, roomKey, type Person, type Room } from "../core/message.ts";
import type { Approvals } from "../cards/approvals.ts";
import type { Button, Change } from "../store/port.ts";
import type { InOrder } from "./bursts.ts";
import type { CardButton, CardPress } from "./card-presses.ts";
import { NOT_YOURS, OVER, pressOption, TAKEN, type ChoicePressParts } from "./choice-presses.ts";
import { answeredApproval, type TextAnswer } from "./text-answers.ts";

/** What presses work with. */
export type PressParts = ChoicePressParts & {
  readonly approvals: Approvals;
  /** Shows the page that a button opens, with these changes in the same transaction. */
  readonly leaf: (
    button: Extract<Button, { does: "leaf" }>,
    conversation: { readonly id: string; readonly room: Room },
    how: { readonly more: readonly Change[]; readonly on: string | undefined },
  ) => Promise<void>;
  /** Carries out a press of an offer, a question, a reply to send next, a row's next step. */
  readonly card: (button: CardButton, press: CardPress) => Promise<string | PressAnswer | undefined>;
  readonly signal: AbortSignal;
};

type Press = Extract<Inbound, { kind: "press" }>;

const STALE = "That button is no longer in use.";
const FINISHED = "That answer is already finished.";

/** Carries out a press of someone who is let in, marks its raw update done, and answers the press in words where nothing else shows. */
export async function press(
  parts: PressParts,
  inbound: Press,
  row: number,
  person: Person,
  inOrder: InOrder,
): Promise<void> {
  const button = await parts.store.records.button(inbound.data);
  const way = parts.ways.get(inbound.room.platform);
  const answer = await carryOut(parts, button, inbound, row, person, inOrder);
  const outcome = typeof answer === "string" ? answer : "pressed";
  await parts.store.commit([{ do: "inbound-done", ids: [row], outcome, forget: true }]);
  await way?.outlet.answer(inbound.ref, typeof answer === "string" ? { words: answer } : answer, parts.signal);
}

/** Tells someone who may not speak that a button isn't theirs; it stays as it is. */
export async function refusePress(
  parts: PressParts,
  inbound: Press | Extract<Inbound, { kind: "stop" }>,
  row: number,
): Promise<void> {
  await parts.store.commit([{ do: "inbound-done", ids: [row], outcome: "not let in", forget: true }]);
  if (inbound.kind === "press")
    await parts.ways.get(inbound.room.platform)?.outlet.answer(inbound.ref, { words: NOT_YOURS }, parts.signal);
}

/** Answers an approval by the owner's text; false when it is no answer to one that waits, and is to be taken as any other words. */
export async function answerByText(
  { approvals, queue, store }: PressParts,
  answer: TextAnswer,
  { room }: Extract<Inbound, { kind: "message" }>,
  row: number,
  person: Person,
): Promise<boolean> {
  const live = await answeredApproval(answer, room, approvals.live, store);
  if (live === undefined) return false;
  const done: Change = { do: "inbound-done", ids: [row], outcome: "an approval answered", forget: true };
  // A press a moment before was first: what was written then is about something that is over.
  if (!(await approvals.answer(live.card.id, answer.took, personKey(person), [done], person)))
    await store.commit([done]);
  // No turn may have waited for it.
  queue.wake(live.conversation);
  return true;
}

async function carryOut(
  parts: PressParts,
  button: Button | undefined,
  inbound: Press,
  row: number,
  person: Person,
  inOrder: InOrder,
): Promise<string | PressAnswer | undefined> {
  if (button === undefined) return STALE;
  const conversation = await parts.store.conversations.get(button.conversation);
  if (conversation === undefined) return STALE;
  // A button is for whom it was shown to, in the chat it was shown in.
  if (button.does === "option" && button.action.do === "approve")
    return await approve(parts, button.card, button.action.took, inbound, row, person);
  if (conversation.person !== personKey(person) || conversation.room.chat !== inbound.room.chat) return NOT_YOURS;
  if (button.does === "leaf") {
    // Never but in the owner's private chat: what it shows is all of theirs.
    if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;
    const done: Change = { do: "inbound-done", ids: [row], outcome: "leafed", forget: true };
    await parts.leaf(button, conversation, { more: [done], on: inbound.messageId });
    return undefined;
  }
  if (button.does === "stop") return parts.queue.stop(button.conversation, button.turn) ? undefined : FINISHED;
  if (button.does !== "option") {
    const forms = parts.ways.get(inbound.room.platform)?.limits.forms === true;
    const { data: key, fields, picked } = inbound;
    const done: Change = { do: "inbound-done", ids: [row], outcome: "a card pressed", forget: true };
    return await parts.card(button, { key, conversation, person, fields, picked, forms, done });
  }
  return await pressOption(parts, button, { conversation, inbound, row, person, inOrder });
}

/** The owner answers an approval, where it is shown. One that nothing waits for any more says so and changes nothing. */
async function approve(
  { approvals, queue, store }: PressParts,
  card: string,
  took: Parameters<Approvals["answer"]>[1],
  inbound: Press,
  row: number,
  person: Person,
): Promise<string | undefined> {
  if (person.role !== "owner") return NOT_YOURS;
  const live = approvals.live.find((one) => one.card.id === card);
  if (live !== undefined && roomKey(live.room) !== roomKey(inbound.room)) return NOT_YOURS;
  const done: Change = { do: "inbound-done", ids: [row], outcome: "an approval answered" };
  if (await approvals.answer(card, took, personKey(person), [done], person)) {
    // No turn may have waited for it.
    if (live !== undefined) queue.wake(live.conversation);
    return undefined;
  }
  return (await store.records.claim(`card:${card}`)) === undefined ? OVER : TAKEN;
}
