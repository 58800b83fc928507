// The plan of a turn: the tool that states it, how it is drawn, and what it folds to.
import type { Plan } from "../core/card.ts";
import { GatewayError } from "../core/error.ts";
import { clipUnits, escapeMarkdown, isVisible, oneLine } from "../core/text.ts";
import type { Tool } from "../core/tool.ts";
import type { Drawn } from "./drawn.ts";

const MAX_STEPS = 30;
const MAX_STEP_UNITS = 200;
/** As drawn: more could take a second message, which would still stand there when the first is folded. */
const MAX_DRAWN = 1500;
const BREAK = "  \n";
const STATES = ["done", "active", "pending"] as const;
const MARKS: Readonly<Record<Plan["steps"][number]["state"], string>> = { done: "☑", active: "▶", pending: "☐" };

/** `update_plan({steps})`, for engines without a plan of their own. */
export function planTool(): Tool<Plan> {
  return {
    name: "update_plan",
    description:
      "Shows the person your plan as a checklist that ticks itself off. Call it with all steps when a task takes three steps or more, and again each time one is begun or done.",
    input: {
      type: "object",
      properties: {
        steps: {
          type: "array",
          minItems: 1,
          maxItems: MAX_STEPS,
          items: {
            type: "object",
            properties: {
              text: { type: "string", description: "What is done, in a few words" },
              state: { type: "string", enum: [...STATES] },
            },
            required: ["text", "state"],
            additionalProperties: false,
          },
        },
      },
      required: ["steps"],
      additionalProperties: false,
    },
    row: "plan",
    effect: "read",
    guidance:
      "For a task of three steps or more, keep a plan with update_plan: one step active at a time, each ticked off when it is done.",
    check: readPlan,
    run: async (plan) => ({ outcome: "ok", text: "The person sees the plan as it is now.", plan }),
  };
}

/** A plan as it came from outside, within its bounds. Throws a GatewayError in words. */
export function readPlan(input: unknown): Plan {
  const steps: unknown = typeof input === "object" && input !== null && "steps" in input ? input.steps : undefined;
  if (!Array.isArray(steps) || steps.length === 0)
    throw new GatewayError("tool-input", "steps must be a list of at least one step, each with text and state.");
  if (steps.length > MAX_STEPS)
    throw new GatewayError("tool-input", `A plan has at most ${MAX_STEPS} steps; put some of them together.`);
  return boundedPlan(
    steps.map((step: unknown) => {
      const { text, state } = typeof step === "object" && step !== null ? { text: "", state: "", ...step } : NO_STEP;
      const known = STATES.find((one) => one === state);
      if (typeof text !== "string" || !isVisible(text) || known === undefined)
        throw new GatewayError("tool-input", `Each step has a text and a state out of ${STATES.join(", ")}.`);
      return { text, state: known };
    }),
  );
}

const NO_STEP: { readonly text: unknown; readonly state: unknown } = { text: "", state: "" };

/** An engine's own plan within the same bounds: steps beyond them are left out, and counted in the last. */
export function boundedPlan(steps: Plan["steps"]): Plan {
  const shown = steps.length > MAX_STEPS ? steps.slice(0, MAX_STEPS - 1) : steps;
  const rest = steps.slice(shown.length);
  const state = rest.every((step) => step.state === "done") ? "done" : "pending";
  return {
    kind: "plan",
    steps: [...shown, ...(rest.length === 0 ? [] : [{ text: `and ${rest.length} more`, state } as const])].map(
      (step) => ({ text: clipUnits(oneLine(step.text), MAX_STEP_UNITS, "…"), state: step.state }),
    ),
  };
}

/** Whether two plans say the same. */
export function samePlan(one: Plan | undefined, other: Plan): boolean {
  return (
    one?.steps.length === other.steps.length &&
    one.steps.every((step, at) => step.text === other.steps[at]?.text && step.state === other.steps[at].state)
  );
}

/**
 * The checklist, in one message: of a long one what is under way, and how far it is. Folded it is one line that says how far it came.
 */
export function drawPlan({ steps }: Plan, folded: boolean): Drawn {
  const done = steps.filter((step) => step.state === "done").length;
  const far = `${done === steps.length ? MARKS.done : MARKS.pending} ${done} of ${steps.length} done`;
  return { text: folded ? far : linesOf(steps, far).join(BREAK), rows: [], quiet: true };
}

/** All of the steps, for whom they wait. */
export function wholePlan({ steps }: Plan): string {
  return steps.map(lineOf).join(BREAK);
}

function linesOf(steps: Plan["steps"], far: string): readonly string[] {
  const lines = steps.map(lineOf);
  if (lines.join(BREAK).length <= MAX_DRAWN) return lines;
  const now = steps.findIndex(({ state }) => state === "active");
  const next = now === -1 ? steps.findIndex(({ state }) => state === "pending") : now;
  // What was done last, what is done now, and what comes next.
  const from = Math.max(0, (next === -1 ? steps.length : next) - 1);
  let drawn = 0;
  const end = lines.findIndex((line, at) => {
    drawn += at < from ? 0 : line.length;
    return drawn > MAX_DRAWN;
  });
  const to = end === -1 ? lines.length : end;
  return [far, ...(from > 0 ? ["…"] : []), ...lines.slice(from, to), ...(to < lines.length ? ["…"] : [])];
}

function lineOf({ text, state }: Plan["steps"][number]): string {
  const words = escapeMarkdown(text);
  return `${MARKS[state]} ${state === "done" ? `~~${words}~~` : state === "active" ? `**${words}** …` : words}`;
}
