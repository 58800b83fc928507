// Texts and options as Block Kit takes them, and what of an option doesn't fit into one: that is said beside it, and never cut.
// Limits: docs.slack.dev/reference/block-kit/composition-objects/option-object.
import type { PlainTextElement, PlainTextOption } from "@slack/types";
import type { Pick } from "../../core/reply.ts";
import { clipUnits, isVisible, oneLine } from "../../core/text.ts";
import { calm } from "./words.ts";

/** Shown where there is no text: Slack takes no empty one. */
export const NO_TEXT = "…";

/** A label and a description have the same room. */
const OPTION_UNITS = 75;

/** What didn't fit: the words, and the number that stands for a label. */
export type Said = { readonly number?: number; readonly label: string; readonly description?: string };

/** `bare`: without descriptions. `numbered`: nothing but numbers. */
export type Fullness = "whole" | "bare" | "numbered";

/** One line that formats nothing and calls nobody. */
export function plainText(text: string, maxUnits: number): PlainTextElement {
  return { type: "plain_text", text: clipUnits(shown(text), maxUnits, "…"), emoji: false };
}

function shown(text: string): string {
  return isVisible(text) ? calm(oneLine(text)) : NO_TEXT;
}

/** The options, and what is said beside them. Labels that are too long bear numbers, from `from` on. */
export function optionsOf(
  picks: readonly Pick[],
  fullness: Fullness = "whole",
  from = 1,
): { readonly options: PlainTextOption[]; readonly said: readonly Said[]; readonly next: number } {
  const said: Said[] = [];
  let next = from;
  const options = picks.map(({ value, label: words, description: more = "" }): PlainTextOption => {
    const label = shown(words);
    const description = isVisible(more) ? shown(more) : "";
    const fits = fullness !== "numbered" && label.length <= OPTION_UNITS;
    const stays = fits && fullness === "whole" && description.length <= OPTION_UNITS;
    const number = fits ? undefined : next++;
    if (number !== undefined || (description !== "" && !stays))
      said.push({
        label,
        ...(number === undefined ? {} : { number }),
        ...(description === "" ? {} : { description }),
      });
    return {
      text: { type: "plain_text", text: number === undefined ? label : String(number), emoji: false },
      value,
      ...(stays && description !== "" ? { description: { type: "plain_text", text: description, emoji: false } } : {}),
    };
  });
  return { options, said, next };
}
