// An engine with tools and a plan of its own: what is being done while it is done, what was asked and what was declined, and /activity,
// where each step is found again.
import { expect, it } from "vitest";
import type { Engine, EngineAbilities } from "../../src/core/engine.ts";
import type { OwnUse, ToolResult } from "../../src/core/tool.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";
import { journey, type Journey } from "./gateway.ts";
import { allToolsOf, newHold, promptOf, type Hold } from "./puppet.ts";
import { stepsOf } from "./scripted.ts";
import { PLATFORMS, SAM } from "./stage.ts";

/** One thing that the program does: it says words, states its plan, or uses a tool of its own. */
type Move =
  | string
  | { readonly plan: readonly string[] }
  | {
      readonly use: Omit<OwnUse, "id">;
      readonly result?: Partial<ToolResult>;
      readonly hold?: Hold;
      readonly insists?: true;
    };

type Program = { readonly turns: readonly TurnInput[]; readonly engine: () => Engine };

/** A program that plays these moves at any words that have them, and asks before each use as engines must. */
function program(parts: Readonly<Record<string, readonly Move[]>>, can: Partial<EngineAbilities> = {}): Program {
  const turns: TurnInput[] = [];
  async function* play(input: TurnInput): AsyncGenerator<TurnEvent, void> {
    let calls = 0;
    for (const move of parts[promptOf(input).replace(/^@\u2060?\S{1,40} /u, "")] ?? ["Well."]) {
      if (input.signal.aborted) break;
      if (typeof move === "string") yield { kind: "text", delta: move };
      else if ("plan" in move) yield { kind: "plan", plan: { kind: "plan", steps: stepsOf(move.plan) } };
      else {
        calls += 1;
        const { use, result, hold, insists } = move;
        const call = { id: `own-${calls}`, name: use.name, input: use.input };
        const verdict = await input.allow({ ...use, id: call.id });
        yield { kind: "tool-start", call, effect: use.does === "read" ? "read" : "act" };
        if (hold !== undefined && (verdict.is === "allow" || insists === true)) {
          hold.begun.resolve();
          const stopped = new Promise<void>((resolve) => input.signal.addEventListener("abort", () => resolve()));
          await Promise.race([hold.released.promise, stopped]);
        }
        const done: ToolResult =
          verdict.is === "allow"
            ? { outcome: "ok", text: "Fine.", ...result }
            : { outcome: "denied", text: verdict.words };
        yield { kind: "tool-end", callId: call.id, result: done };
      }
    }
    yield { kind: "end", reason: input.signal.aborted ? "stopped" : "done" };
  }
  const abilities: EngineAbilities = {
    ...{ tools: true, images: false, plan: true, ownTools: true, sessions: false, holdMs: 86_400_000, ...can },
  };
  return {
    turns,
    engine: () => ({
      name: "puppet",
      can: abilities,
      run(input) {
        turns.push(input);
        return play(input);
      },
      forget: async () => undefined,
      check: async () => ({ words: "It is there." }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

const bash = (command: string): Omit<OwnUse, "id"> => ({ name: "Bash", does: "command", command, input: { command } });
const edit = (path: string, diff: string): Omit<OwnUse, "id"> => ({
  ...{ name: "Edit", does: "write", paths: [path], confined: true, input: { path, diff } },
});
const read = (path: string): Omit<OwnUse, "id"> => ({ name: "Read", does: "read", paths: [path], input: { path } });

/** What stands there now of what is being done, wherever the platform shows it. */
async function sees(day: Journey, words: string): Promise<void> {
  await day.until(() => [...day.on.underWay(day.place(SAM)), ...day.texts()].some((text) => text.includes(words)));
}

/** Every path lies in the work folder, and none is closed. */
const places = { judge: async () => ({ inside: true, closed: false }), namesClosed: () => false };

const PRINT = process.env["PRINT"] !== undefined;
function print(day: Journey, what: string): void {
  if (PRINT) console.log(`==== ${what}\n${day.on.describe()}`);
}

it.each(PLATFORMS)(
  "C43, C44, C47, O55, O56, O62: what it does is one line while it is done; a declined call is a row that says whose no it was; its plan is its own (%s)",
  async (on) => {
    const [reading, testing] = [newHold(), newHold()];
    const toy = program({
      Go: [
        "I look first.",
        { plan: ["- Look", "  Try"] },
        { use: read("src/a_b.ts"), result: { text: "one\ntwo" }, hold: reading },
        { plan: ["x Look", "- Try"] },
        { use: bash("npm test -- --run") },
        { use: bash("ls; rm -rf *"), hold: testing },
        { plan: ["x Look", "x Try"] },
        "All is well.",
      ],
    });
    await using day = await journey({ on, puppet: toy.engine, authority: { mode: "ask", places } });
    day.say("Go");
    await reading.begun.promise;
    await sees(day, "Reading src/a_b.ts");
    print(day, "reading");
    reading.released.resolve();
    const first = await day.shown("May I? (no. 1)");
    expect(first.text).toContain("npm test -- --run");
    expect(first.text).not.toContain('"command"');
    print(day, "asked");
    day.press(first, "Don't allow");
    await day.closed(first);
    const second = await day.shown("May I? (no. 2)");
    day.press(second, "Allow once");
    await testing.begun.promise;
    await sees(day, "Bash: ls; rm -rf *");
    print(day, "running");
    testing.released.resolve();
    await day.shown("All is well.");
    await day.shown("2 of 2 done");
    await day.settled();
    await day.until(() => !day.texts().some((text) => text.includes("Bash: ls")));
    print(day, "over");
    expect(allToolsOf(toy.turns[0])).not.toContain("update_plan");
    expect(allToolsOf(toy.turns[0])).toContain("ask");
    expect(day.sent().filter(({ text }) => text.includes("2 of 2 done"))).toHaveLength(1);
    // Nothing of what was under way is in the log.
    expect(JSON.stringify(await day.entries())).not.toContain("Reading");

    day.command("activity");
    const list = await day.shown("Activity, newest first");
    print(day, "activity");
    const rows = list.text.split("\n").filter((line) => line.includes(" — "));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(/Bash .*ls; rm -rf \*.* — done/u);
    expect(rows[1]).toMatch(/Bash .*npm test -- --run.* — you didn't allow it, so it was not run/u);
    expect(rows[2]).toMatch(/Read .*src\/a_b\.ts.* — done/u);
    day.press(list, "3");
    const step = await day.becomes(list, "It gave:");
    expect(step.text).toMatch(/one\n\s*two/u);
    print(day, "step");
    day.press(step, "Back");
    await day.becomes(list, "Activity, newest first");
  },
);

it.each(PLATFORMS)(
  "C44, A37: a change is asked about and found again as a diff, a long one as a file as well (%s)",
  async (on) => {
    const diff = ["@@ -1 +1,200 @@", "-old", ...Array.from({ length: 200 }, (_, at) => `+line ${at} \`\`\` <b>`)].join(
      "\n",
    );
    const toy = program({
      Go: [{ use: edit("src/a.ts", "@@ -1 +1 @@\n-a\n+b") }, { use: edit("src/b.ts", diff) }, "There."],
    });
    await using day = await journey({ on, puppet: toy.engine, authority: { mode: "ask", places } });
    day.say("Go");
    const small = await day.shown("May I? (no. 1)");
    expect(small.text).toMatch(/src\/a\.ts/u);
    expect(small.text).toMatch(/-a\n\s*\+b/u);
    day.press(small, "Allow once");
    const long = await day.shown("May I? (no. 2)");
    expect(long.text).toContain("characters more, all of them in the file below");
    print(day, "long change");
    const files = (): readonly { readonly name: string; readonly text: string }[] =>
      day.sent().flatMap((one) => one.files);
    await day.until(() => files().length === 1);
    expect(JSON.parse(files()[0]?.text ?? "")).toEqual({ path: "src/b.ts", diff });
    day.press(long, "Allow once");
    await day.shown("There.");
    await day.settled();

    day.command("activity");
    const list = await day.shown("Activity, newest first");
    day.press(list, "1");
    const step = await day.becomes(list, "It gave:");
    expect(day.labels(step)).toEqual(["All of it, as a file", "Back"]);
    day.press(step, "All of it, as a file");
    await day.until(() => files().length === 2);
    expect(files()[1]?.text).toContain(diff);
    print(day, "as a file");
    const again = await day.becomes(list, ({ buttons }) => buttons.flat().length === 1);
    day.press(again, "Back");
    await day.becomes(list, "Activity, newest first");
  },
);

it("A26, A57: a page that it fetches by itself marks the chat before it is fetched, and the next act asks, naming it", async () => {
  const fetching = { name: "WebFetch", does: "fetch", input: { url: "https://example.org/a", prompt: "x" } } as const;
  const toy = program({ Go: [{ use: fetching }, { use: edit("src/a.ts", "-a\n+b") }, "There."] });
  await using day = await journey({ on: "telegram", puppet: toy.engine, authority: { mode: "trust", places } });
  day.say("Go");
  const card = await day.shown("May I? (no. 1)");
  expect(card.text).toContain("This chat holds words from example.org");
  const kinds = (await day.entries()).map(({ kind }) => kind);
  expect(kinds.indexOf("marked")).toBeGreaterThan(0);
  expect(kinds.indexOf("marked")).toBeLessThan(kinds.indexOf("tool-start"));
  day.press(card, "Allow once");
  await day.shown("There.");
  day.command("status");
  await day.shown("example.org");
});

it.each(PLATFORMS)(
  "C43, A18: what it does stands in no group, and /activity there answers in private (%s)",
  async (on) => {
    // Locked it has none of its own tools; a program that uses one all the same is shown to nobody there.
    const hold = newHold();
    const toy = program({ Go: [{ use: read("src/secret-plan.ts"), hold, insists: true }, "There."] }, { locked: true });
    await using day = await journey({ on, puppet: toy.engine, groups: "mention", authority: { places } });
    day.say("Hello");
    await day.shown("Well.");
    const typed = day.calls("typing").length;
    const seen = (): readonly string[] => [...day.on.underWay(day.group), ...day.texts(day.group)];
    day.mention("Go", { in: day.group });
    await hold.begun.promise;
    // Slack has no sign of writing there.
    if (on !== "slack")
      await day.until(() => day.calls("typing").length > typed || seen().some((text) => text.includes("Reading")));
    hold.released.resolve();
    await day.shown("There.", { in: day.group });
    day.command("activity", { in: day.group });
    await day.shown("Nothing yet");
    await day.settled();
    const all = [
      ...day.on.underWayLog(day.group),
      ...day.sent(day.group).flatMap(({ text, edits }) => [text, ...edits.map((one) => one.text)]),
    ];
    expect(all.join("\n")).not.toMatch(/secret-plan|Reading/u);
  },
);

it.each(PLATFORMS)("C43: a turn that is stopped in the middle of a step leaves no line of it (%s)", async (on) => {
  const hold = newHold();
  const toy = program({ Go: [{ use: read("src/a.ts"), hold }, "There."] });
  await using day = await journey({ on, puppet: toy.engine, authority: { places } });
  day.say("Go");
  await hold.begun.promise;
  await sees(day, "Reading src/a.ts");
  day.command("stop");
  await day.shown("Stopped.");
  await day.settled();
  await day.until(() => !day.texts().some((text) => text.includes("Reading")));
  day.command("activity");
  const list = await day.shown("Activity, newest first");
  expect(list.text).toMatch(/Read .*src\/a\.ts/u);
});
