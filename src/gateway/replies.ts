// What an entry shows to people: pure, so that the same log always gives the same replies.
import type { Conversation, Entry } from "../core/conversation.ts";
import type { Drawn } from "../cards/drawn.ts";
import { lookKey, lookLine } from "../cards/looks.ts";
import { drawOffer } from "../cards/offers.ts";
import { drawPlan } from "../cards/plans.ts";
import { drawQuestion } from "../cards/question-card.ts";
import { drawView } from "../cards/views.ts";
import { ERRORS } from "../core/error.ts";
import type { Room } from "../core/message.ts";
import type { Button, Reply, ReplyFile } from "../core/reply.ts";
import { OUTSIDE_KEY, type ShowWeight } from "../store/port.ts";

/** A reply, where it goes, and what becomes of it when nobody can say whether it was shown. */
export type ToShow = { readonly reply: Reply; readonly room: Room; readonly weight: ShowWeight };

/** The key under which a part of an answer is shown; drafts of it and its final text share it. */
export function partKey(turn: string, part: number): string {
  return `${turn}:${part}`;
}

/** The part of an answer that a key stands for, if it does; the end of a turn comes after all of its parts. */
export function partOf(key: string): { readonly turn: string; readonly part: number } | undefined {
  const [turn, part] = key.split(":");
  if (turn === undefined || part === undefined) return undefined;
  return { turn, part: part === "end" ? Number.MAX_SAFE_INTEGER - 1 : Number.parseInt(part, 10) };
}

/** What an entry shows, or undefined when it shows nothing. */
export function replyFor(entry: Entry, conversation: Pick<Conversation, "room">): ToShow | undefined {
  const here = conversation.room;
  switch (entry.kind) {
    case "text":
      return show(here, "final", partKey(entry.turn, entry.part), entry.text, {
        rows: (entry.chips ?? []).map(({ words, key }) => [{ label: words, press: key }]),
      });
    case "chips-gone":
      return show(here, "card", partKey(entry.turn, entry.part), entry.text);
    case "plan":
      // Of the steps on their way only the newest counts, and what it came to must arrive.
      return drawn(
        here,
        entry.folded ? "card" : "notice",
        `plan/${entry.turn}`,
        drawPlan(entry.plan, entry.folded === true),
      );
    case "viewed":
      return drawn(
        here,
        "notice",
        `${OUTSIDE_KEY}view/${entry.conversation}/${entry.seq}`,
        drawView(entry.view, entry.keys),
      );
    case "pictured": {
      const { name, path, alt } = entry.picture;
      const file = { name, path, alt, mediaType: "image/png" } as const;
      return show(here, "card", `${OUTSIDE_KEY}picture/${entry.conversation}/${entry.seq}`, "", { file });
    }
    case "turn-ended": {
      const words = endWords(entry);
      // An error stands in an answer's place, so it must arrive as surely as one.
      return words === undefined
        ? undefined
        : show(here, "final", `${entry.turn}:end`, words, { quiet: entry.reason === "stopped" });
    }
    case "notice":
      return show(
        entry.showIn ?? here,
        "notice",
        `${outside(entry)}notice/${entry.conversation}/${entry.seq}`,
        entry.text,
        {
          quiet: entry.quiet,
        },
      );
    case "asked":
      if (entry.card.kind === "offer") return drawn(here, "card", cardKey(entry.card.id, entry), drawOffer(entry.card));
      if (entry.card.kind === "question")
        return drawn(here, "card", cardKey(entry.card.id, entry), drawQuestion(entry.card));
      return show(entry.showIn ?? here, "card", cardKey(entry.card.id, entry), entry.card.text, {
        rows: entry.card.options.map((option) => [
          {
            label: option.label,
            press: option.key,
            ...("action" in option && option.action.do === "keep-planning" ? { opens: true } : {}),
          },
        ]),
        quiet: entry.card.kind === "choice" && entry.card.quiet === true,
        ...(entry.card.kind === "approval" && entry.card.whole !== undefined ? { file: entry.card.whole } : {}),
      });
    case "looked": {
      const { look, button } = entry;
      const rows = look.chats.length === 0 ? [] : [[{ label: "Show", press: button }]];
      return show(here, "notice", lookKey(button), lookLine(look), { rows, quiet: true });
    }
    case "answered":
      return show(entry.showIn ?? here, "card", cardKey(entry.card, entry), entry.text);
    case "message":
    case "edited":
    case "marked":
    case "command":
    case "turn-started":
    case "tool-start":
    case "tool-end":
    case "carried-on":
    case "resumed":
    case "usage":
      return undefined;
  }
}

/** The key under which a card is shown, first as a question and then as what came of it. */
export function cardKey(card: string, flags: { readonly outside?: true } = {}): string {
  return `${outside(flags)}card/${card}`;
}

function drawn(room: Room, weight: ShowWeight, key: string, card: Drawn): ToShow {
  return { room, weight, reply: { key, ...card } };
}

function outside(flags: { readonly outside?: true }): string {
  return flags.outside === true ? OUTSIDE_KEY : "";
}

function show(
  room: Room,
  weight: ShowWeight,
  key: string,
  text: string,
  more: { readonly rows?: readonly (readonly Button[])[]; readonly quiet?: boolean; readonly file?: ReplyFile } = {},
): ToShow {
  return { room, weight, reply: { key, text, rows: [], quiet: false, ...more } };
}

function endWords(entry: Extract<Entry, { kind: "turn-ended" }>): string | undefined {
  switch (entry.reason) {
    case "done":
      return undefined;
    case "stopped":
      return "Stopped.";
    case "limit":
      return "I ended here: this took more steps than one answer may have. Write “go on” to continue.";
    case "error":
      return entry.words ?? ERRORS[entry.code ?? "engine-failed"];
    case "interrupted":
      return entry.words;
  }
}
