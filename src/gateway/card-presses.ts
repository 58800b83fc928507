// Presses of what stands under an answer: an offer, a question, a reply to send next, a row's next step.
import type { PressAnswer } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { personKey, type Person } from "../core/message.ts";
import type { Filled, Form } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { isVisible } from "../core/text.ts";
import { chipsGone } from "../cards/chips.ts";
import { closeOpen } from "../cards/open.ts";
import type { Questions } from "../cards/questions.ts";
import type { Button, Change, Store } from "../store/port.ts";
import type { OfferPresses } from "./offer-presses.ts";
import { saidBy } from "./own-words.ts";
import type { Queue } from "./queue.ts";

/** Buttons that are pressed here. */
export type CardButton = Extract<Button, { does: "offer" | "question" | "chip" | "compose" }>;

/** A press of one, by whom it was shown to. `done`: marks its raw update as done with. */
export type CardPress = {
  readonly key: string;
  readonly conversation: Conversation;
  readonly person: Person;
  readonly fields: Filled | undefined;
  readonly picked: readonly string[] | undefined;
  readonly forms: boolean;
  readonly done: Change;
};

/** What these presses work with. */
export type CardPressParts = {
  readonly store: Store;
  readonly queue: Queue;
  readonly questions: Questions;
  readonly offers: OfferPresses;
  readonly surroundings: Surroundings;
};

const MOVED_ON = "The chat has moved on.";
const NOT_YOURS = "That button isn't for you.";
const NOTHING_WRITTEN = "Nothing was written, so nothing was sent.";
const TEXT = "text";
const MAX_CHARS = 2000;
const KEY_BYTES = 9;

/** Carries a press out; gives what it is answered with, if anything. */
export async function pressCard(
  button: CardButton,
  press: CardPress,
  parts: CardPressParts,
): Promise<string | PressAnswer | undefined> {
  const { store } = parts;
  switch (button.does) {
    case "question": {
      const { key, fields, picked, person, done } = press;
      const answer = { key, by: personKey(person), from: person, fields, picked, more: [done] };
      const words = await parts.questions.press(button.card, answer);
      // No turn may have waited for it.
      parts.queue.wake(press.conversation.id);
      return words;
    }
    case "offer":
      return await parts.offers.press(button.card, button.act, press);
    case "chip": {
      if (press.person.role !== "owner") return NOT_YOURS;
      const { stands } = press.conversation;
      const [under] =
        stands === undefined ? [] : await store.log.read(press.conversation.id, { after: stands - 1, limit: 1 });
      if (under?.kind !== "text" || under.turn !== button.turn || under.part !== button.part) return MOVED_ON;
      // In one with what it sends: a crash in between would have taken the chips away for nothing.
      const at = parts.surroundings.clock.now();
      const id = `chip/${button.turn}`;
      const claim = {
        do: "claim",
        key: `said:${press.conversation.id}:${id}`,
        by: personKey(press.person),
        at,
      } as const;
      return await say(button.words, id, press, parts, [claim, ...chipsGone(under, at)]);
    }
    case "compose": {
      // Guests are answered so and so often: what they say comes in by the one door that counts.
      if (press.person.role !== "owner") return NOT_YOURS;
      // Where there are no forms the text is there to be copied.
      if (!press.forms) return button.text;
      // What a row is answered with holds words of that row: it is for the chat that has read it, and for no other.
      const { id, room, person } = press.conversation;
      if ((await store.conversations.current(room, person))?.id !== id) return MOVED_ON;
      if (press.fields === undefined) return { form: composeForm(press.key, button.text) };
      const written = press.fields[TEXT]?.[0]?.trim() ?? "";
      if (!isVisible(written)) return NOTHING_WRITTEN;
      await closeOpen(store, press.conversation, parts.surroundings.clock.now());
      // It may be sent again, in other words.
      return await say(written, `compose/${parts.surroundings.random.key(KEY_BYTES)}`, press, parts);
    }
  }
}

function composeForm(press: string, value: string): Form {
  const field = { kind: "text", id: TEXT, label: "What you send", long: true, optional: false, value } as const;
  return { press, title: "Send", submit: "Send", fields: [{ ...field, maxChars: MAX_CHARS }] };
}

/** Sends words as the person's own and shows what was said: no message of theirs stands there. */
async function say(
  words: string,
  id: string,
  press: CardPress,
  { store, queue, surroundings }: CardPressParts,
  more: readonly Change[] = [],
): Promise<string | undefined> {
  const { conversation, person, done } = press;
  const said = await store.commit([
    ...more,
    ...saidBy(person, words, id, conversation.id, surroundings.clock.now(), true),
    done,
  ]);
  if (!said.ok) return "That was already sent.";
  queue.wake(conversation.id);
  return undefined;
}
