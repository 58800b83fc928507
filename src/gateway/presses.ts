// A press: from the platform's button to the card it answers, once. On the control lane: it never waits behind a turn.
import type { Inbound } from "../core/channel.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Person, Room } from "../core/message.ts";
import { personKey } from "../core/message.ts";
import { takeChoice } from "../cards/choices.ts";
import type { Button, Store } from "../store/port.ts";
import type { Outbox } from "./outbox.ts";
import type { Way } from "./plans.ts";
import type { Queue } from "./queue.ts";

/** What presses work with. */
export type PressParts = {
  readonly store: Store;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly engineNames: readonly string[];
  readonly ways: ReadonlyMap<string, Way>;
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

/** Carries out a press of someone who is let in, marks its raw update done, and answers the press in words where nothing else shows. */
export async function press(
  parts: PressParts,
  inbound: Press,
  row: number,
  person: Person,
  inOrder: InOrder,
): Promise<void> {
  const button = await parts.store.records.button(inbound.data);
  const words = await carryOut(parts, button, inbound, row, person, inOrder);
  await parts.store.commit([{ do: "inbound-done", ids: [row], outcome: words ?? "pressed", forget: true }]);
  await parts.ways.get(inbound.room.platform)?.outlet.answer(inbound.ref, words, parts.signal);
}

async function carryOut(
  parts: PressParts,
  button: Button | undefined,
  inbound: Press,
  row: number,
  person: Person,
  inOrder: InOrder,
): Promise<string | undefined> {
  if (button === undefined) return STALE;
  const conversation = await parts.store.conversations.get(button.conversation);
  if (conversation === undefined) return STALE;
  // A button is for whom it was shown to, in the chat it was shown in.
  if (conversation.person !== personKey(person) || conversation.room.chat !== inbound.room.chat)
    return "That button isn't for you.";
  if (button.does === "stop") return parts.queue.stop(button.conversation, button.turn) ? undefined : FINISHED;

  const taken = {
    conversation: conversation.id,
    card: button.card,
    done: button.done,
    by: personKey(person),
    at: parts.surroundings.clock.now(),
  };
  switch (button.action.do) {
    case "nothing":
      return (await parts.store.commit([...takeChoice(taken), { do: "inbound-done", ids: [row], outcome: "chosen" }]))
        .ok
        ? undefined
        : TAKEN;
    case "set-engine": {
      const { engine } = button.action;
      const current = await parts.store.conversations.current(conversation.room, conversation.person);
      // "This chat" on the card is the one that it was asked in.
      if (current?.id !== conversation.id) return "That was about an earlier chat. /engine asks for this one.";
      if (!parts.engineNames.includes(engine)) return `The config has no engine ${engine} any more.`;
      if (parts.queue.running(conversation.id) !== undefined)
        return "Not while I'm answering. Press again when I'm done, or stop me first.";
      const done = await parts.store.commit([
        ...takeChoice(taken),
        { do: "engine", conversation: conversation.id, engine },
        { do: "inbound-done", ids: [row], outcome: "engine set" },
      ]);
      return done.ok ? undefined : TAKEN;
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
  }
}
