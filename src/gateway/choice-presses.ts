// A press of one of the gateway's own choices: the first one wins, and what it does is one transaction with that.
import type { Inbound, PressAnswer } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { personKey, type Person } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Mode } from "../core/taint.ts";
import { takeChoice } from "../cards/choices.ts";
import type { Button, Change, Committed, Store } from "../store/port.ts";
import type { InOrder } from "./bursts.ts";
import { freshChat } from "./opening.ts";
import type { Outbox } from "./outbox.ts";
import type { People } from "./people.ts";
import { changesForm, keepPlanning, startPlan } from "./plan-presses.ts";
import type { Way } from "./plans.ts";
import type { Queue } from "./queue.ts";
import { decide } from "./requests.ts";

/** What these work with. */
export type ChoicePressParts = {
  readonly store: Store;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly people: People;
  readonly engineNames: readonly string[];
  /** What a chat that chose none is in. */
  readonly mode: Mode;
  readonly ways: ReadonlyMap<string, Way>;
  /** Something newer is in the chat: what stands open there is over. */
  readonly moveOn: (conversation: { readonly id: string }) => Promise<void>;
  /** The same, and what outlived its turns there is over too: another chat takes its place. */
  readonly leave: (conversation: { readonly id: string }) => Promise<void>;
  /** Deletes a conversation without traces and says so where it was; gives the words for who pressed. */
  readonly deleteChat: (conversation: string, inbound: readonly number[]) => Promise<string>;
  readonly surroundings: Surroundings;
};

/** A press of one, by whom it was shown to, in the chat it was shown in. */
export type OptionPress = {
  readonly conversation: Conversation;
  readonly inbound: Extract<Inbound, { kind: "press" }>;
  readonly row: number;
  readonly person: Person;
  readonly inOrder: InOrder;
};

export const TAKEN: string = "That was already answered.";
export const NOT_YOURS: string = "That button isn't for you.";
export const OVER: string = "Nothing waits for that answer any more.";
const NOT_NOW = "Not while I'm answering. Press again when I'm done, or stop me first.";

/** Takes an option; gives what the press is answered with, if anything. */
export async function pressOption(
  parts: ChoicePressParts,
  button: Extract<Button, { does: "option" }>,
  { conversation, inbound, row, person, inOrder }: OptionPress,
): Promise<string | PressAnswer | undefined> {
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
        await parts.leave(conversation);
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
      if (words === undefined) await parts.moveOn(conversation);
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
      if (words === undefined) await parts.moveOn(conversation);
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
