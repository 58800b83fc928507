// A look at earlier chats, as people see it: one quiet line, with a button that opens what it found.
import type { Look } from "../core/card.ts";
import type { Random } from "../core/surroundings.ts";
import { clipGraphemes, escapeMarkdown, oneLine } from "../core/text.ts";
import { PASSING_KEY, type Change } from "../store/port.ts";

const KEY_BYTES = 9;
const MAX_QUERY_GRAPHEMES = 60;

/** The changes that write down a look: its entry and the durable button under its line, for one transaction. */
export function lookChanges(
  { conversation, turn, look, at }: { conversation: string; turn: string; look: Look; at: number },
  random: Random,
): readonly Change[] {
  const button = random.key(KEY_BYTES);
  return [
    { do: "append", conversation, at, body: { kind: "looked", turn, look, button } },
    {
      do: "button",
      key: button,
      button: { conversation, does: "leaf", key: lookKey(button), page: { of: "look", look, open: true } },
    },
  ];
}

/** The key under which a look is shown, by its first button. */
export function lookKey(button: string): string {
  return `${PASSING_KEY}look/${button}`;
}

/** The line, as Markdown. */
export function lookLine({ query, chats }: Look): string {
  if (query === undefined) return `Read your chat · ${chats.map(({ title }) => quoted(title)).join(", ")}`;
  const count = chats.length === 0 ? "nothing found" : chats.length === 1 ? "1 chat" : `${chats.length} chats`;
  return `Looked through your chats · ${quoted(query)} · ${count}`;
}

function quoted(words: string): string {
  return `“${escapeMarkdown(clipGraphemes(oneLine(words), MAX_QUERY_GRAPHEMES, "…"))}”`;
}
