// An engine that has its part written down: what it does at which words of a person's. And how people see and press what stands
// under an answer, which is a keyboard on one platform and buttons on others.
import type { Plan } from "../../src/core/card.ts";
import type { Engine, EngineAbilities } from "../../src/core/engine.ts";
import type { ToolResult } from "../../src/core/tool.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";
import type { Journey } from "./gateway.ts";
import { promptOf, type Hold } from "./puppet.ts";
import { SAM, type Who } from "./stage.ts";

/** One thing that it does: it says words, calls a tool, states a plan of its own, waits, or ends otherwise than well. */
export type Step =
  | string
  | { readonly call: string; readonly input?: unknown }
  | { readonly plan: Plan["steps"] }
  | { readonly wait: Hold }
  | { readonly end: Extract<TurnEvent, { kind: "end" }> };

/** The engine, with all that it was given and what its calls gave back. */
export type Scripted = {
  readonly turns: readonly TurnInput[];
  readonly results: readonly ToolResult[];
  /** For `journey({ puppet })`. */
  readonly engine: () => Engine;
};

/** `parts`: by the last line that a person said; at any other it says what it was told. */
export function scripted(
  parts: Readonly<Record<string, readonly Step[]>>,
  can: Partial<EngineAbilities> = {},
): Scripted {
  const turns: TurnInput[] = [];
  const results: ToolResult[] = [];
  let calls = 0;
  async function* play(input: TurnInput): AsyncGenerator<TurnEvent, void> {
    const said = lastLine(promptOf(input));
    for (const step of parts[said] ?? [`I was told: ${said}`]) {
      if (input.signal.aborted) break;
      if (typeof step === "string") yield { kind: "text", delta: step };
      else if ("plan" in step) yield { kind: "plan", plan: { kind: "plan", steps: step.plan } };
      else if ("call" in step) {
        calls += 1;
        results.push(await input.call({ id: `call-${calls}`, name: step.call, input: step.input ?? {} }));
      } else if ("wait" in step) {
        step.wait.begun.resolve();
        const stopped = new Promise<void>((resolve) => input.signal.addEventListener("abort", () => resolve()));
        await Promise.race([step.wait.released.promise, stopped]);
      } else {
        yield step.end;
        return;
      }
    }
    yield { kind: "end", reason: input.signal.aborted ? "stopped" : "done" };
  }
  return {
    turns,
    results,
    engine: () => ({
      name: "puppet",
      can: { tools: true, images: false, plan: false, ownTools: false, sessions: false, holdMs: 86_400_000, ...can },
      run(input) {
        turns.push(input);
        return play(input);
      },
      forget: async () => undefined,
      check: async () => ({ words: "It knows its part." }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

/** Without the frame of words from outside, and without the bot's name. */
function lastLine(prompt: string): string {
  const lines = prompt.split("\n").filter((line) => !/^<\/?outside-words/u.test(line));
  return (lines.at(-1) ?? "").replace(/^@\u2060?\S{1,40} /u, "");
}

/** A call that suggests these. */
export function suggests(...replies: readonly string[]): Step {
  return { call: "suggest_replies", input: { replies } };
}

/** A call that states a plan: "x" is done, "-" under way, " " to come. */
export function plans(...steps: readonly string[]): Step {
  return { call: "update_plan", input: { steps: stepsOf(steps) } };
}

/** Steps by their first sign. */
export function stepsOf(steps: readonly string[]): Plan["steps"] {
  return steps.map((step) => ({
    text: step.slice(2),
    state: step.startsWith("x") ? "done" : step.startsWith("-") ? "active" : "pending",
  }));
}

/** What can be sent next in the owner's private chat now, by a touch. */
export function offered(day: Journey): readonly string[] {
  if (day.on.facts.keyboard) return day.on.keyboard(day.place(SAM)) ?? [];
  // Beside a notice of words from outside there is a button of its own.
  return day.sent().flatMap((message) => day.labels(message).filter((label) => label !== "New chat"));
}

/** The owner sends one of those; of buttons by the newest answer that has it. */
export function tap(day: Journey, words: string): void {
  if (day.on.facts.keyboard) {
    day.on.pressKey(day.place(SAM), SAM, words);
    return;
  }
  const under = day.sent().findLast((message) => day.labels(message).includes(words));
  if (under === undefined) throw new Error(`Nothing has a button “${words}”: ${day.on.describe()}`);
  day.press(under, words);
}

/** The owner lets somebody in. */
export async function letIn(day: Journey, who: Who): Promise<void> {
  day.meet(who, "Eve Adams");
  // Whoever asks is shown in the owner's chat, where there must be one.
  day.say("Good morning");
  await day.shown("I was told: Good morning");
  day.say("May I?", { by: who });
  const card = await day.shown(`Id: ${day.on.id(who)}`);
  day.press(card, "Let in");
  await day.closed(card);
}
