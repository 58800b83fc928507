// Replies that a person may send next: what the assistant suggests, what the gateway itself can offer, and which of them are shown.
import type { Chips } from "../core/card.ts";
import { GatewayError } from "../core/error.ts";
import type { Entry } from "../core/conversation.ts";
import { isVisible, oneLine } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import { hasNumberTable } from "../markdown/tables.ts";
import type { Random } from "../core/surroundings.ts";
import type { Change } from "../store/port.ts";

const MAX_CHIPS = 3;
/** Code points, as a JSON Schema counts. */
const MAX_CHARS = 120;
const KEY_BYTES = 9;
/** What says nothing of its own: it costs a look and saves no typing. */
const FILLER =
  /^(?:(?:please )?(?:tell|say|show) (?:me )?more(?: about (?:it|this|that))?|go on|continue|more|ok(?:ay)?|yes|no|thanks?(?: you)?|great|nice|cool|got it|what else|anything else|next|learn more|help)[\s.!?…]*$/iu;
/**
 * Words that are no message where they are typed: a command, or leave for something that waits. Such a thing is a person's to type,
 * and a key that sends them would do it at a touch.
 */
const ACTS =
  /^(?:[/!]|(?:allow|approve|deny|refuse|do(?:n['’]?t| not) allow|yes|ok(?:ay)?|no)(?: once)?,? ?(?:no\. ?|#)?\d{0,9}[.!]?$)/iu;
/** The gateway's own, where the reply holds a table of numbers. */
export const AS_CHART: string = "Show it as a chart";

/** `suggest_replies({replies})`: the last call of a turn, if at all. */
export function suggestTool(): Tool<readonly string[]> {
  return {
    name: "suggest_replies",
    description:
      "Puts up to 3 short replies under your answer that the person can send with a tap, word for word. Call it last, if at all.",
    input: {
      type: "object",
      properties: {
        replies: {
          type: "array",
          minItems: 1,
          maxItems: MAX_CHIPS,
          items: { type: "string", description: `What the person would send, at most ${MAX_CHARS} characters` },
        },
      },
      required: ["replies"],
      additionalProperties: false,
    },
    row: "suggest",
    effect: "read",
    guidance:
      "When a next step is concrete and likely, call suggest_replies last, with what the person would say in their own words. Never filler such as “Tell me more”; mostly none is needed.",
    check(input) {
      const replies: unknown =
        typeof input === "object" && input !== null && "replies" in input ? input.replies : undefined;
      if (!Array.isArray(replies) || !replies.every((one) => typeof one === "string"))
        throw new GatewayError("tool-input", "replies must be a list of texts.");
      return replies;
    },
    async run(replies) {
      const chips = worthShowing(replies);
      const left = replies.length - chips.length;
      const text =
        chips.length === 0
          ? "None of these is shown: each must say something concrete in at most 120 characters."
          : `They stand under your answer when it ends.${left === 0 ? "" : ` ${left} left out: too long, said twice or too general.`}`;
      return { outcome: "ok", text, chips };
    },
  };
}

/** Those worth a button, as they are: never cut, each once, at most 3. */
export function worthShowing(replies: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const good = replies.filter((words) => {
    // What is shown is what is sent: words that would be drawn otherwise than they are stay out.
    if (words.length > 2 * MAX_CHARS || Array.from(words).length > MAX_CHARS) return false;
    if (!isVisible(words) || oneLine(words) !== words || FILLER.test(words) || ACTS.test(words)) return false;
    const same = words.toLowerCase();
    const fresh = !seen.has(same);
    seen.add(same);
    return fresh;
  });
  return good.slice(0, MAX_CHIPS);
}

/** What stands under a reply: the assistant's suggestions in a clean chat, then the gateway's own where the engine can do them. */
export function chipsUnder(reply: {
  readonly text: string;
  readonly suggested: readonly string[];
  readonly clean: boolean;
  readonly tools: boolean;
}): readonly string[] {
  const own = reply.tools && hasNumberTable(reply.text) ? [AS_CHART] : [];
  return worthShowing([...own, ...(reply.clean ? reply.suggested : [])]);
}

/** Chips with their durable buttons. */
export function keyedChips(
  words: readonly string[],
  at: { readonly conversation: string; readonly turn: string; readonly part: number },
  random: Random,
): { readonly chips: Chips; readonly buttons: readonly Change[] } {
  const chips = words.map((one) => ({ words: one, key: random.key(KEY_BYTES) }));
  return {
    chips,
    buttons: chips.map((chip) => ({
      do: "button",
      key: chip.key,
      button: { conversation: at.conversation, does: "chip", turn: at.turn, part: at.part, words: chip.words },
    })),
  };
}

/** The changes that take away what stands under an answer. */
export function chipsGone(under: Extract<Entry, { kind: "text" }>, at: number): readonly Change[] {
  const { conversation, turn, part, text } = under;
  return [
    { do: "none-stands", conversation },
    { do: "append", conversation, at, body: { kind: "chips-gone", turn, part, text } },
  ];
}
