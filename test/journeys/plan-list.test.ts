// The checklist of a turn, from end to end: one message that ticks itself off, and folds when the turn is over.
import { expect, it } from "vitest";
import { journey, type Journey } from "./gateway.ts";
import { newHold, allToolsOf } from "./puppet.ts";
import { letIn, plans, scripted, stepsOf, type Step } from "./scripted.ts";
import { EVE, PLATFORMS, SAM } from "./stage.ts";

const HALF = ["x Look", "- Pack", "  Go"] as const;
const DONE = ["x Look", "x Pack", "x Go"] as const;

/** The plans that the log has, as the states of their steps, and "folded". */
async function logged(day: Journey): Promise<readonly string[]> {
  return (await day.entries()).flatMap((entry) =>
    entry.kind === "plan"
      ? [`${entry.plan.steps.map(({ state }) => state).join(" ")}${entry.folded === true ? " folded" : ""}`]
      : [],
  );
}

it.each(PLATFORMS)(
  "O56, O57, O58, O59: update_plan is one message that is edited in place and folds at the end; a plan that says the same is not logged (%s)",
  async (on) => {
    const [begun, going] = [newHold(), newHold()];
    const toy = scripted({
      Go: [
        plans("- Look", "  Pack", "  Go"),
        { wait: begun },
        plans(...HALF),
        plans(...HALF),
        { wait: going },
        plans(...DONE),
        "There we are.",
      ],
    });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    const plan = await day.shown("▶ Look …");
    // Slack has no quiet messages of several lines.
    expect(plan).toMatchObject({ quiet: on !== "slack", buttons: [] });
    expect(plan.text).toMatch(/☐ Pack[\s\S]*☐ Go/u);
    begun.released.resolve();
    const half = await day.becomes(plan, "▶ Pack …");
    expect(half.text).toContain("☑ Look");
    going.released.resolve();
    await day.becomes(plan, "3 of 3 done");
    await day.shown("There we are.");
    await day.settled();
    expect(day.sent()).toHaveLength(2);
    expect(await logged(day)).toEqual([
      "active pending pending",
      "done active pending",
      "done done done",
      "done done done folded",
    ]);
    expect(allToolsOf(toy.turns[0])).toContain("update_plan");
    await day.restart();
    await day.settled();
    expect(day.now(plan)?.text).toContain("3 of 3 done");
  },
);

it.each(PLATFORMS)(
  "O55, O56: an engine's own plan is drawn the same way, and it is given no update_plan (%s)",
  async (on) => {
    const hold = newHold();
    const toy = scripted(
      { Go: ["Look here. ", { plan: stepsOf(HALF) }, { wait: hold }, "And there.", { plan: stepsOf(DONE) }] },
      { plan: true },
    );
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    const plan = await day.shown("▶ Pack …");
    hold.released.resolve();
    await day.becomes(plan, "3 of 3 done");
    await day.shown("Look here. And there.");
    await day.settled();
    expect(allToolsOf(toy.turns[0])).not.toContain("update_plan");
  },
);

it.each(PLATFORMS)(
  "O58: a stopped turn folds its plan to how far it came, and so does one that failed; the next turn has a message of its own (%s)",
  async (on) => {
    const hold = newHold();
    const failed: Step = { end: { kind: "end", reason: "limit" } };
    const toy = scripted({ Go: [plans(...HALF), { wait: hold }], On: [plans("x Look", "x Pack", "- Go"), failed] });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    const first = await day.shown("▶ Pack …");
    day.command("stop");
    await day.becomes(first, "☐ 1 of 3 done");
    await day.shown("Stopped.");
    day.say("On");
    const second = await day.shown("☐ 2 of 3 done");
    await day.shown("I ended here");
    await day.settled();
    expect(second.id).not.toBe(first.id);
    expect(day.now(first)?.text).toContain("1 of 3 done");
  },
);

it.each(PLATFORMS)(
  "O57, O58: a turn that begins anew after the program's end goes on in the same message, and folds what its first try had planned (%s)",
  async (on) => {
    const hold = newHold();
    let lives = 0;
    const first = scripted({ Go: [plans(...HALF), { wait: hold }] });
    const second = scripted({ Go: [plans(...HALF), "Well."] });
    const none = scripted({ Go: ["Well."] });
    for (const [again, entries] of [
      [second, ["done active pending", "done active pending folded"]],
      [none, ["done active pending", "done active pending folded"]],
    ] as const) {
      lives = 0;
      await using day = await journey({ on, puppet: () => (lives++ === 0 ? first : again).engine() });
      day.say("Go");
      const plan = await day.shown("▶ Pack …");
      await day.restart();
      await day.becomes(plan, "☐ 1 of 3 done");
      await day.shown("Well.");
      await day.settled();
      expect(day.texts().filter((text) => text.includes("of 3 done"))).toHaveLength(1);
      expect(await logged(day)).toEqual(entries);
    }
  },
);

it.each(PLATFORMS)(
  "O58: a turn that is not begun anew, since it may have acted, folds its plan as well (%s)",
  async (on) => {
    const hold = newHold();
    const toy = scripted({ Go: [plans(...HALF), { wait: hold }] }, { ownTools: true });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    const plan = await day.shown("▶ Pack …");
    await day.restart();
    await day.shown("I was interrupted");
    await day.becomes(plan, "☐ 1 of 3 done");
  },
);

it.each(PLATFORMS)(
  "O57: of many steps in a row the newest is shown at the platform's pace, and what it came to always arrives (%s)",
  async (on) => {
    const states = Array.from({ length: 20 }, (_, at) =>
      plans(...Array.from({ length: 20 }, (_, step) => `${step < at ? "x" : step === at ? "-" : " "} Step ${step}`)),
    );
    const toy = scripted({ Go: [...states, "Well."] });
    await using day = await journey({ on, puppet: toy.engine, pace: { perChatMs: 150 } });
    day.say("Go");
    const plan = await day.shown("Step 19");
    await day.becomes(plan, "☐ 19 of 20 done");
    await day.settled();
    // Most of them are out of date before they could be shown.
    expect(day.now(plan)?.edits.length).toBeLessThan(12);
    expect(day.texts().filter((text) => text.includes("of 20 done"))).toHaveLength(1);
  },
);

it.each(PLATFORMS)(
  "O57, O65: there is one in a group and for a guest too, and no step is markup or a mention (%s)",
  async (on) => {
    const hostile = plans("- **Buy** [it](https://x.example) @everyone <!channel> /help", "  # Go");
    const toy = scripted({ Go: [hostile, { call: "now" }, "Well."] });
    await using day = await journey({ on, puppet: toy.engine, groups: "mention" });
    day.mention("Go", { in: day.group });
    await day.shown("Well.", { in: day.group });
    await day.settled();
    const [plan] = day.sent(day.group);
    expect(plan?.text).toContain("0 of 2 done");
    const [before] = plan?.edits ?? [];
    expect(before?.text).toContain("**Buy** [it]");
    expect(before?.text).toContain("/help");
    expect(plan?.pings).toEqual([]);

    await letIn(day, EVE);
    day.say("Go", { by: EVE });
    await day.shown("0 of 2 done", { in: EVE });
  },
);

it.each(PLATFORMS)(
  "O59, A70: a plan that waits for the owner's leave is drawn on the card that asks, and stays there when it is given, also by the next program (%s)",
  async (on) => {
    const toy = scripted({ Go: [plans("  Look", "  Pack"), "That is how."] });
    await using day = await journey({ on, puppet: toy.engine });
    day.command("mode plan");
    await day.shown("Mode of this chat: plan.");
    day.say("Go");
    const card = await day.shown("Shall I start on it?");
    await day.settled();
    expect(card.text).toMatch(/☐ Look\n☐ Pack\n+This chat only plans/u);
    expect(day.labels(card)).toEqual(["Start", "Keep planning"]);
    await day.restart();
    day.press(card, "Start");
    await day.shown("Go ahead with the plan.");
    const taken = await day.becomes(card, "Started.");
    expect(taken.text).toMatch(/☐ Look\n☐ Pack\n+Started\./u);
    expect(taken.buttons).toEqual([]);
  },
);

it.each(PLATFORMS)(
  "O57: a plan between two sentences leaves the text that is under way one message (%s)",
  async (on) => {
    const [hold, end] = [newHold(), newHold()];
    const toy = scripted({
      Go: ["First this.", plans(...HALF), { wait: hold }, "Then that.", plans(...DONE), { wait: end }],
    });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    await day.growing("First this.");
    await day.shown("▶ Pack …");
    hold.released.resolve();
    await day.until(() => day.on.underWay(day.place(SAM)).some((text) => /First this\.\n+Then that\./u.test(text)));
    end.released.resolve();
    await day.shown("Then that.");
    await day.settled();
    expect(day.sent().filter(({ text }) => /First this\.\n+Then that\./u.test(text))).toHaveLength(1);
    expect(day.sent(SAM)).toHaveLength(2);
  },
);
