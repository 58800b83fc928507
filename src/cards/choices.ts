// The gateway's own choice as a card: a line and a few buttons, of which the first press wins.
import type { Choice, ChoiceAction } from "../core/card.ts";
import type { Room } from "../core/message.ts";
import type { Random } from "../core/surroundings.ts";
import type { Change } from "../store/port.ts";

/** One thing that can be chosen, and what the card says once it was. */
export type ChoiceOption = { readonly label: string; readonly action: ChoiceAction; readonly done: string };

const KEY_BYTES = 9;

/** The changes that ask a choice in a conversation: its entry and its durable buttons, for one transaction. */
export function askChoice(
  ask: {
    readonly conversation: string;
    readonly text: string;
    readonly options: readonly ChoiceOption[];
    readonly at: number;
    readonly showIn?: Room;
    /** Said in passing. */
    readonly quiet?: true;
    /** Its text holds words that someone else chose. */
    readonly outside?: true;
  },
  random: Random,
): readonly Change[] {
  const card: Choice = {
    kind: "choice",
    id: random.key(KEY_BYTES),
    text: ask.text,
    ...(ask.quiet === undefined ? {} : { quiet: ask.quiet }),
    options: ask.options.map((option) => ({ ...option, key: random.key(KEY_BYTES) })),
  };
  const showIn = ask.showIn === undefined ? {} : { showIn: ask.showIn };
  const outside = ask.outside === undefined ? {} : { outside: ask.outside };
  return [
    {
      do: "append",
      conversation: ask.conversation,
      at: ask.at,
      body: { kind: "asked", card, ...showIn, ...outside },
    },
    ...card.options.map((option): Change => ({
      do: "button",
      key: option.key,
      button: {
        conversation: ask.conversation,
        does: "option",
        card: card.id,
        action: option.action,
        done: option.done,
        ...outside,
      },
    })),
  ];
}

/** The changes that take an option, once: refused with `claimed` when another press was first. */
export function takeChoice(taken: {
  readonly conversation: string;
  readonly card: string;
  readonly done: string;
  readonly by: string;
  readonly at: number;
  readonly outside?: true | undefined;
}): readonly Change[] {
  return [
    { do: "claim", key: `card:${taken.card}`, by: taken.by, at: taken.at },
    {
      do: "append",
      conversation: taken.conversation,
      at: taken.at,
      body: {
        kind: "answered",
        card: taken.card,
        by: taken.by,
        text: taken.done,
        ...(taken.outside === undefined ? {} : { outside: taken.outside }),
      },
    },
  ];
}
