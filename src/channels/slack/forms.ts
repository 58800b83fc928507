// Forms as Slack's modals, and what of them comes back. A modal is opened with the trigger of a press, which lives three seconds.
import * as z from "zod";
import type { ModalView } from "@slack/types";
import type { Form, FormField } from "../../core/reply.ts";
import { clipUnits } from "../../core/text.ts";
import { fieldBlocks } from "./fields.ts";
import { plainText } from "./options.ts";
import { calm } from "./words.ts";

/** What a form of a button is called, and the one of the message shortcut. */
export const FORM_VIEW = "tidegate_form";
export const ASK_VIEW = "tidegate_ask_form";
export const ASK_FIELD = "what";

/** Titles and buttons of a modal (docs.slack.dev/reference/views/modal-views). */
const MAX_TITLE = 24;
const MAX_SECTION = 3000;

/** Where a form was opened, kept in the form itself so that a restart loses nothing. */
export type FormPlace = {
  press: string;
  channel?: string | undefined;
  thread?: string | undefined;
  message?: string | undefined;
};

const place = z.object({
  press: z.string().min(1),
  channel: z.string().optional(),
  thread: z.string().optional(),
  message: z.string().optional(),
});

export function readFormPlace(given: string | null | undefined): FormPlace | undefined {
  return parse(place, given);
}

/** Which message a shortcut was used on: its key in memory, and enough of it to go on after a restart. */
export type AskPlace = {
  key: string;
  team: string;
  ts: string;
  user?: string | undefined;
  bot?: string | undefined;
  text: string;
};

const ask = z.object({
  key: z.string(),
  team: z.string(),
  ts: z.string(),
  user: z.string().optional(),
  bot: z.string().optional(),
  text: z.string(),
});

export function readAskPlace(given: string | null | undefined): AskPlace | undefined {
  return parse(ask, given);
}

function parse<T>(shape: z.ZodType<T>, given: string | null | undefined): T | undefined {
  if (!given) return undefined;
  try {
    const result = shape.safeParse(JSON.parse(given));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

export function formView(form: Form, from: Omit<FormPlace, "press">): ModalView {
  return view(FORM_VIEW, form.title, form.submit, form.fields, JSON.stringify({ ...from, press: form.press }));
}

/** What a modal carries with it is at most 3,000 characters. */
const MAX_CARRIED = 2500;

export function askView(from: AskPlace): ModalView {
  const label = "What should I do with it?";
  const field: FormField = { id: ASK_FIELD, kind: "text", label, long: true, optional: true };
  let carried = JSON.stringify(from);
  // Characters that JSON escapes take more room than they show.
  for (let keep = MAX_CARRIED; carried.length > MAX_CARRIED && keep > 0; keep = Math.floor(keep * 0.8))
    carried = JSON.stringify({ ...from, text: clipUnits(from.text, keep, "…") });
  return view(ASK_VIEW, "Ask about this", "Ask", [field], carried);
}

/** Words of several lines in a window of their own, with nothing to send. A section takes 3,000 characters. */
export function wordsView(title: string, words: string): ModalView {
  const text = clipUnits(calm(words), MAX_SECTION, "…");
  return {
    type: "modal",
    title: plainText(title, MAX_TITLE),
    close: plainText("Close", MAX_TITLE),
    blocks: [{ type: "section", text: { type: "plain_text", text, emoji: false } }],
  };
}

function view(
  callback: string,
  title: string,
  submit: string,
  fields: readonly FormField[],
  carried: string,
): ModalView {
  return {
    type: "modal",
    callback_id: callback,
    private_metadata: carried,
    title: plainText(title, MAX_TITLE),
    submit: plainText(submit, MAX_TITLE),
    close: plainText("Cancel", MAX_TITLE),
    blocks: fieldBlocks(fields),
  };
}
