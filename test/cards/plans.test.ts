// The checklist of a turn: what is taken of it, and how it looks.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedPlan, drawPlan, planTool, readPlan, samePlan, wholePlan } from "../../src/cards/plans.ts";
import type { Plan } from "../../src/core/card.ts";
import { graphemes } from "../../src/core/text.ts";

const step = (text: string, state: Plan["steps"][number]["state"]): Plan["steps"][number] => ({ text, state });
const THREE: Plan = {
  kind: "plan",
  steps: [step("Look", "done"), step("Pack", "active"), step("Go", "pending")],
};

describe("O56: update_plan", () => {
  test("gives the plan on, and says that it is seen", async () => {
    const tool = planTool();
    const context = { conversation: "c", turn: "t", signal: new AbortController().signal, taints: async () => [] };
    const result = await tool.run(tool.check({ steps: THREE.steps }), context);
    expect(result).toMatchObject({ outcome: "ok", plan: THREE });
  });

  test.each([
    ["nothing", undefined, /list of at least one step/u],
    ["no steps", { steps: [] }, /list of at least one step/u],
    ["a text for steps", { steps: "Look, go" }, /list of at least one step/u],
    ["31 steps", { steps: Array.from({ length: 31 }, () => step("x", "pending")) }, /at most 30 steps/u],
    ["a step that is a text", { steps: ["Look"] }, /has a text and a state/u],
    ["a step that is null", { steps: [null] }, /has a text and a state/u],
    ["an unknown state", { steps: [{ text: "Look", state: "soon" }] }, /done, active, pending/u],
    ["a blank text", { steps: [{ text: " \u200B", state: "done" }] }, /has a text and a state/u],
  ])("refuses %s in words", (_, input, words) => {
    expect(() => readPlan(input)).toThrow(words);
  });
});

test("O59: an engine's own plan has at most 30 steps of 200 characters on one line each, and says what it leaves out", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: fc.string({ maxLength: 500, unit: "grapheme" }),
          state: fc.constantFrom("done", "active", "pending"),
        }),
        {
          minLength: 1,
          maxLength: 60,
        },
      ),
      (steps) => {
        const plan = boundedPlan(steps);
        expect(plan.steps.length).toBe(Math.min(steps.length, 30));
        for (const { text } of plan.steps) {
          expect([...graphemes(text)].length).toBeLessThanOrEqual(200);
          // One that a reader counts can be thousands of units.
          expect(text.length).toBeLessThanOrEqual(200);
          expect(text).not.toMatch(/[\n\r\u2028]/u);
        }
        if (steps.length > 30) expect(plan.steps.at(-1)?.text).toBe(`and ${steps.length - 29} more`);
      },
    ),
  );
});

test("O59: a plan that says the same is told from one that doesn't", () => {
  expect(samePlan(THREE, { ...THREE, steps: [...THREE.steps] })).toBe(true);
  expect(samePlan(undefined, THREE)).toBe(false);
  expect(samePlan(THREE, { ...THREE, steps: THREE.steps.slice(0, 2) })).toBe(false);
  expect(
    samePlan(THREE, { ...THREE, steps: [step("Look", "done"), step("Pack", "done"), step("Go", "pending")] }),
  ).toBe(false);
  expect(
    samePlan(THREE, { ...THREE, steps: [step("Look", "done"), step("Pick", "active"), step("Go", "pending")] }),
  ).toBe(false);
});

test("O57, O65: each step has its state, and no step is markup", () => {
  const hostile: Plan = { kind: "plan", steps: [step("**Buy** [it](https://x.example) @everyone", "active")] };
  expect(drawPlan(THREE, false)).toMatchInlineSnapshot(`
    {
      "quiet": true,
      "rows": [],
      "text": "☑ ~~Look~~  
    ▶ **Pack** …  
    ☐ Go",
    }
  `);
  expect(drawPlan(hostile, false).text).toContain(String.raw`\*\*Buy\*\*`);
});

test("O57, O58: a long one stays one message, around the step that is under way", () => {
  const states = (at: number, length = 30): Plan => ({
    kind: "plan",
    steps: Array.from(
      { length },
      (_, step) =>
        ({
          text: `${step} ${"*".repeat(150)}`,
          state: step < at ? "done" : step === at ? "active" : "pending",
        }) as const,
    ),
  });
  for (const at of [0, 1, 15, 29, 30]) {
    const { text } = drawPlan(states(at), false);
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(text).toContain(`${at} of 30 done`);
    if (at < 30) expect(text).toContain(`▶ **${at} `);
    if (at > 0) expect(text).toContain(`☑ ~~${at - 1} `);
  }
  expect(wholePlan(states(3)).split("\n")).toHaveLength(30);
});

test("O58: it folds to how far it came", () => {
  const all = { ...THREE, steps: THREE.steps.map(({ text }) => step(text, "done")) };
  expect(drawPlan(all, true).text).toBe("☑ 3 of 3 done");
  // Not ticked off: it ended before.
  expect(drawPlan(THREE, true).text).toBe("☐ 1 of 3 done");
});
