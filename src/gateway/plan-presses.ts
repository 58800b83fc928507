// The card under a plan: carry it out, or go on planning, with what should be different where the platform has forms.
import type { PressAnswer } from "../core/channel.ts";
import type { Person } from "../core/message.ts";
import type { Mode } from "../core/taint.ts";
import type { Filled } from "../core/reply.ts";
import type { Change } from "../store/port.ts";
import { saidBy } from "./own-words.ts";

const CHANGES = "changes";
const MAX_CHANGES_CHARS = 2000;

/** The plan is to be carried out: the owner's press says so, in the owner's name. */
export function startPlan(conversation: string, from: Person, card: string, at: number, mode: Mode): readonly Change[] {
  return [
    { do: "mode", conversation, mode: mode === "plan" ? "ask" : mode },
    ...saidBy(from, "Go ahead with the plan.", `start/${card}`, conversation, at, false),
  ];
}

/** What "Keep planning" opens; `press` comes back with what was written. */
export function changesForm(press: string): PressAnswer {
  const field = {
    kind: "text",
    id: CHANGES,
    label: "What should be different?",
    long: true,
    optional: true,
    maxChars: MAX_CHANGES_CHARS,
  } as const;
  return { form: { press, title: "Keep planning", submit: "Send", fields: [field] } };
}

/** What was written into it goes on as the owner's own words; nothing was written: nothing goes on. */
export function keepPlanning(
  conversation: string,
  from: Person,
  card: string,
  at: number,
  fields: Filled = {},
): readonly Change[] {
  const said = fields[CHANGES]?.[0]?.trim() ?? "";
  return said === "" ? [] : saidBy(from, said, `changes/${card}`, conversation, at, false);
}
