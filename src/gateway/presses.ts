// A press: from the platform's button to the card it answers, once. On the control lane: it never waits behind a turn.
import type { Inbound, PressAnswer } from "../core/channel.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { personKey, roomKey, type Person, type Room } from "../core/message.ts";
import type { Mode } from "../core/taint.ts";
import type { Approvals } from "../cards/approvals.ts";
import { takeChoice } from "../cards/choices.ts";
import type { Button, Change, Committed, Store } from "../store/port.ts";
import { freshChat } from "./opening.ts";
import { changesForm, keepPlanning, startPlan } from "./plan-presses.ts";
import type { Outbox } from "./outbox.ts";
import type { People } from "./people.ts";
import type { Way } from "./plans.ts";
import type { Queue } from "./queue.ts";
import { decide } from "./requests.ts";
import { answeredApproval, type TextAnswer } from "./text-answers.ts";

/** What presses work with. */
export type PressParts = {
  readonly store: Store;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly approvals: Approvals;
  readonly people: People;
  readonly engineNames: readonly string[];
  /** What a chat that chose none is in. */
  readonly mode: Mode;
  readonly ways: ReadonlyMap<string, Way>;
  /** Shows the page that a button opens, with these changes in the same transaction. */
  readonly leaf: (
    button: Extract<Button, { does: "leaf" }>,
    conversation: { readonly id: string; readonly room: Room },
    how: { readonly more: readonly Change[]; readonly on: string | undefined },
  ) => Promise<void>;
  /** Deletes a conversation without traces and says so where it was; gives the words for who pressed. */
  readonly deleteChat: (conversation: string, inbound: readonly number[]) => Promise<string>;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

/** Runs a task behind all that the person who pressed has said in a room, and before what they say from now on. */
export type InOrder = <T>(room: Room, task: () => Promise<T>) => Promise<T>;

type Press = Extract<Inbound, { kind: "press" }>;

const STALE = "That button is no longer in use.";
const TAKEN = "That was already answered.";
const FINISHED = "That answer is already finished.";
const NOT_YOURS = "That button isn't for you.";
const OVER = "Nothing waits for that answer any more.";
const NOT_NOW = "Not while I'm answering. Press again when I'm done, or stop me first.";

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
  { approvals, store }: PressParts,
  answer: TextAnswer,
  { room }: Extract<Inbound, { kind: "message" }>,
  row: number,
  person: Person,
): Promise<boolean> {
  const live = await answeredApproval(answer, room, approvals.live, store);
  if (live === undefined) return false;
  const done: Change = { do: "inbound-done", ids: [row], outcome: "an approval answered", forget: true };
  // A press a moment before was first: what was written then is about something that is over.
  if (!(await approvals.answer(live.card.id, answer.took, personKey(person), [done]))) await store.commit([done]);
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

  const taken = {
    conversation: conversation.id,
    card: button.card,
    done: button.done,
    by: personKey(person),
    at: parts.surroundings.clock.now(),
    outside: button.outside,
  };
  const take = async (outcome: string, more: readonly Change[] = []): Promise<string | undefined> =>
    told(await parts.people.commit([...takeChoice(taken), ...more, { do: "inbound-done", ids: [row], outcome }]));
  switch (button.action.do) {
    case "nothing":
      return await take("chosen");
    case "let-in":
    case "not-now":
    case "block":
    case "forget":
      if (person.role !== "owner") return NOT_YOURS;
      return await take(button.action.do, decide(parts.people, button.action, parts.surroundings.clock));
    case "new-chat":
      return await inOrder(conversation.room, async () => {
        const current = await parts.store.conversations.current(conversation.room, conversation.person);
        if (current?.id !== conversation.id) return "That was about an earlier chat. A new one is open already.";
        await parts.queue.end(conversation.id);
        return await take("new chat", freshChat(conversation.room, person, parts.surroundings));
      });
    case "set-mode": {
      const { mode } = button.action;
      if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;
      return await take("mode set", [{ do: "mode", conversation: conversation.id, mode }]);
    }
    case "start-plan": {
      if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;
      if (parts.queue.running(conversation.id) !== undefined) return NOT_NOW;
      const words = await take("plan started", startPlan(conversation.id, person, taken.card, taken.at, parts.mode));
      parts.queue.wake(conversation.id);
      return words;
    }
    case "keep-planning": {
      if (person.role !== "owner" || conversation.room.kind !== "private") return NOT_YOURS;
      const forms = parts.ways.get(inbound.room.platform)?.limits.forms === true;
      if (forms && inbound.fields === undefined) {
        const open = (await parts.store.records.claim(`card:${taken.card}`)) === undefined;
        return open ? changesForm(inbound.data) : TAKEN;
      }
      const words = await take(
        "kept planning",
        keepPlanning(conversation.id, person, taken.card, taken.at, inbound.fields),
      );
      parts.queue.wake(conversation.id);
      return words;
    }
    case "set-engine": {
      const { engine } = button.action;
      const current = await parts.store.conversations.current(conversation.room, conversation.person);
      // "This chat" on the card is the one that it was asked in.
      if (current?.id !== conversation.id) return "That was about an earlier chat. /engine asks for this one.";
      if (!parts.engineNames.includes(engine)) return `The config has no engine ${engine} any more.`;
      if (parts.queue.running(conversation.id) !== undefined) return NOT_NOW;
      return await take("engine set", [{ do: "engine", conversation: conversation.id, engine }]);
    }
    case "delete-chat": {
      // Claimed for this one press: after a crash in the middle it alone goes on, and "Keep it" can't win meanwhile.
      const mine = { ...taken, by: `${taken.by} press ${row}` };
      const { conversation: doomed } = button.action;
      const words = await inOrder(conversation.room, async () => {
        const done = await parts.store.commit(takeChoice(mine));
        return done.ok || done.by === mine.by ? await parts.deleteChat(doomed, [row]) : TAKEN;
      });
      if (words === TAKEN) return words;
      // The card's own row went with the chat; its message would keep its buttons for ever.
      if (inbound.messageId !== undefined) {
        parts.outbox.touchUp(inbound.room, inbound.messageId, {
          key: button.card,
          text: button.done,
          rows: [],
          quiet: true,
        });
      }
      return words;
    }
    case "approve":
      return OVER;
  }
}

function told(done: Committed): string | undefined {
  return done.ok ? undefined : TAKEN;
}

/** The owner answers an approval, where it is shown. One that nothing waits for any more says so and changes nothing. */
async function approve(
  { approvals, store }: PressParts,
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
  if (await approvals.answer(card, took, personKey(person), [done])) return undefined;
  return (await store.records.claim(`card:${card}`)) === undefined ? OVER : TAKEN;
}
