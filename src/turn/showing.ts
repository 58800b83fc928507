// What people see of a turn besides its text: what its tools found, its plan, and what stands under the reply when it ended well.
import { attention, type Asks } from "../cards/attention.ts";
import { chipsUnder, keyedChips } from "../cards/chips.ts";
import { askChoice } from "../cards/choices.ts";
import { lookChanges } from "../cards/looks.ts";
import { askOffer } from "../cards/offers.ts";
import { boundedPlan, samePlan, wholePlan } from "../cards/plans.ts";
import { viewChanges } from "../cards/views.ts";
import type { Chips, Offer, Plan } from "../core/card.ts";
import type { Entry, EntryBody } from "../core/conversation.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Random } from "../core/surroundings.ts";
import type { Change } from "../store/port.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import type { ShownResult } from "./toolbox.ts";

/** Where and when. */
export type Here = { readonly conversation: string; readonly turn: string; readonly at: number };

/** What of a turn is shown later than it came up. */
export type Held = { plan: Plan | undefined; offer: Offer | undefined; chips: readonly string[] };

/** The changes that show a result. A plan that says what the last one said is left out. */
export function shownChanges(
  shown: ShownResult | undefined,
  here: Here,
  held: Pick<Held, "plan">,
  random: Random,
): readonly Change[] {
  if (shown === undefined) return [];
  const { conversation, turn, at } = here;
  const { looked, view, picture, plan } = shown;
  const append = (body: EntryBody): Change => ({ do: "append", conversation, at, body });
  return [
    ...(looked === undefined ? [] : lookChanges({ ...here, look: looked }, random)),
    ...(view === undefined ? [] : viewChanges({ ...here, view }, random)),
    ...(picture === undefined ? [] : [append({ kind: "pictured", turn, picture })]),
    ...(plan === undefined || samePlan(held.plan, plan) ? [] : [append({ kind: "plan", turn, plan })]),
  ];
}

/** An engine's own plan, within bounds, as a result of a tool would bring one. One without a step shows nothing. */
export function planShown(plan: Plan): ShownResult {
  return plan.steps.length === 0 ? {} : { plan: boundedPlan(plan.steps) };
}

/** Without known secrets: a step loses them; a reply to send that holds one is left out, since it is sent as it is shown. */
export function withoutSecrets(
  shown: ShownResult | undefined,
  scrub: (text: string) => string,
): ShownResult | undefined {
  if (shown?.plan === undefined && shown?.chips === undefined) return shown;
  const { plan, chips } = shown;
  const steps = plan?.steps.map((step) => ({ ...step, text: scrub(step.text) }));
  return {
    ...shown,
    ...(plan === undefined || steps === undefined ? {} : { plan: { ...plan, steps } }),
    ...(chips === undefined ? {} : { chips: chips.filter((words) => scrub(words) === words) }),
  };
}

/** What the log keeps of a step of an engine's own tools: whatever known secret it met there is taken out, and other engines are told no other. */
export function stepWithoutSecrets<T>(step: T, scrub: (text: string) => string): T {
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return scrub(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clean(one)]));
  };
  return clean(step) as T;
}

/** What was shown is the turn's from now on. */
export function hold(held: Held, shown: ShownResult | undefined): void {
  if (shown?.plan !== undefined) held.plan = shown.plan;
  if (shown?.offer !== undefined) held.offer ??= shown.offer;
  if (shown?.chips !== undefined) held.chips = shown.chips;
}

/** The plan that a turn's first try left: the second goes on from it, and folds it if it makes none. */
export function planSoFar(entries: readonly Entry[], turn: string): Plan | undefined {
  const last = entries.findLast((entry) => entry.kind === "plan" && entry.turn === turn);
  return last?.kind === "plan" ? last.plan : undefined;
}

/** The turn is over: its plan is folded to how far it came. */
export function foldOf({ plan }: Pick<Held, "plan">, turn: string): readonly EntryBody[] {
  return plan === undefined ? [] : [{ kind: "plan", turn, plan, folded: true }];
}

/** What waits for an answer in a room by now, if anything does. */
export function asksIn(
  room: Room,
  approvals: readonly { readonly room: Room }[],
  questions: readonly { readonly room: Room }[],
): "approval" | "question" | undefined {
  const isHere = (one: { readonly room: Room }): boolean => roomKey(one.room) === roomKey(room);
  return approvals.some(isHere) ? "approval" : questions.some(isHere) ? "question" : undefined;
}

/** How a turn ended. `text`: its last part; empty when there is none. */
export type Ended = {
  /** Well, before the owner in their private chat, and with nothing newer there by now. */
  readonly well: boolean;
  readonly text: string;
  readonly part: number;
  /** No words from outside are in the chat. */
  readonly clean: boolean;
  readonly tools: boolean;
  /** The chat only plans. */
  readonly plans: boolean;
  /** What waits there already. */
  readonly asks: "approval" | "question" | undefined;
};

/** What stands under the reply: one thing that asks for attention, with its changes. */
export function underReply(
  ended: Ended,
  held: Held,
  here: Here,
  random: Random,
): { readonly chips: Chips; readonly changes: readonly Change[]; readonly offers: boolean } {
  const none = { chips: [], changes: [], offers: false };
  if (!ended.well) return none;
  const offer = held.offer?.by === "cue" || ended.clean ? held.offer : undefined;
  const words = ended.text === "" ? [] : chipsUnder({ ...ended, suggested: held.chips });
  const wanted = new Set<Asks>(ended.asks === undefined ? [] : [ended.asks]);
  if (ended.plans) wanted.add("approval");
  if (offer !== undefined) wanted.add("offer");
  if (words.length > 0) wanted.add("chips");
  switch (attention(wanted)) {
    case "approval":
      return ended.plans ? { ...none, changes: planCard(held.plan, here, random) } : none;
    case "offer":
      return offer === undefined
        ? none
        : { ...none, changes: askOffer(offer, here.conversation, here.at), offers: true };
    case "chips": {
      const { chips, buttons } = keyedChips(words, { ...here, part: ended.part }, random);
      return { ...none, chips, changes: buttons };
    }
    default:
      return none;
  }
}

/**
 * The model was told that a card stands under its reply, and has likely said so. Where none came to stand there (something newer came,
 * or words from outside did), a small line says where the thing is found.
 */
export function promisedCard(
  { offer }: Pick<Held, "offer">,
  under: { readonly offers: boolean },
): readonly EntryBody[] {
  if (offer?.by !== "assistant" || under.offers) return [];
  const where = offer.target.kind === "app" ? "/apps connects it" : "/skills turns it on";
  return [
    { kind: "notice", text: `No card for ${escapeMarkdown(oneLine(offer.target.name))} here: ${where}.`, quiet: true },
  ];
}

/** What follows an answer in the mode that only plans: the steps, where the turn had any, and what may come of them. */
function planCard(plan: Plan | undefined, { conversation, at }: Here, random: Random): readonly Change[] {
  const steps = plan === undefined ? "" : `${wholePlan(plan)}\n\n`;
  const text = `${steps}This chat only plans. Shall I start on it?`;
  const options = [
    { label: "Start", action: { do: "start-plan" }, done: `${steps}Started.` },
    {
      label: "Keep planning",
      action: { do: "keep-planning" },
      done: `${steps}Still planning. /mode changes that.`,
    },
  ] as const;
  return askChoice({ conversation, at, text, options }, random);
}
