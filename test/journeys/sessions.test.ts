// An engine that keeps a session of its own, beside one that keeps none: what each is told when a chat goes from one to the other.
import { describe, expect, it } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";
import { journey } from "./gateway.ts";
import { promptOf } from "./puppet.ts";

/** What it was told in a turn. */
type Told = Pick<TurnInput, "resumeId" | "prompt" | "locked"> & { readonly whole: string; readonly missed: string };

/** An engine with sessions; `sessions` are the events that each of its turns tells, one list a turn. */
function keeper(sessions: readonly (readonly Session[])[]): { readonly told: Told[]; readonly engine: () => Engine } {
  const told: Told[] = [];
  async function* run(input: TurnInput): AsyncGenerator<TurnEvent, void> {
    const { resumeId, prompt, locked, catchUp } = input;
    const about = { prompt, locked, whole: catchUp.whole(), missed: catchUp.missed() };
    const events = sessions[told.push({ ...about, ...(resumeId === undefined ? {} : { resumeId }) }) - 1] ?? [];
    for (const event of events) yield { kind: "session", ...event };
    yield { kind: "text", delta: `Kept: ${promptOf(input)}` };
    yield { kind: "end", reason: "done" };
  }
  const can = { tools: false, images: false, plan: false, ownTools: false, sessions: true, holdMs: 1000 } as const;
  return {
    told,
    engine: () => ({
      ...{ name: "puppet", can, run },
      forget: async () => undefined,
      check: async () => ({ words: "It is there." }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

type Session = Omit<Extract<TurnEvent, { kind: "session" }>, "kind">;

const BEGUN = { resumeId: "s1", kept: false } as const;
const KEPT = { resumeId: "s1", kept: true } as const;

it("A54: what an engine's own tool was given and found is in the log, and told to other engines, without known secrets", async () => {
  const call = { id: "1", name: "Bash", input: { command: "cat heron-1234567", more: ["heron-1234567"] } };
  async function* run(input: TurnInput): AsyncGenerator<TurnEvent, void> {
    yield { kind: "tool-start", call, effect: "act" };
    yield { kind: "tool-end", callId: "1", result: { outcome: "ok", text: "it says heron-1234567" } };
    yield { kind: "text", delta: `Told: ${input.catchUp.whole()}` };
    yield { kind: "end", reason: "done" };
  }
  const engine = { ...keeper([]).engine(), run };
  await using day = await journey({ puppet: () => engine, secrets: ["heron-1234567"] });
  day.say("Look");
  await day.shown("Told:");
  day.say("And again");
  await day.shown("Bash");
  await day.settled();
  const entries = JSON.stringify(await day.entries());
  expect(entries).toContain("it says [hidden]");
  expect(entries).toContain("cat [hidden]");
  expect(entries).not.toContain("heron-1234567");
});

describe("an engine with sessions", () => {
  it("C1, C2: gets its session back, and of the rest just what another engine answered meanwhile", async () => {
    const one = keeper([
      [BEGUN, KEPT],
      [BEGUN, KEPT],
      [BEGUN, KEPT],
    ]);
    await using day = await journey({ puppet: one.engine });
    day.say("The cat is called Miso.");
    await day.shown("Kept: The cat is called Miso.");
    day.command("engine local");
    await day.shown("local");
    day.say("The dog is called Rex.");
    await day.shown("You said: The dog is called Rex.");
    day.command("engine puppet");
    await day.shown(/puppet/u);
    day.say("And the bird?");
    await day.shown("Kept: And the bird?");
    // A restart between two turns changes nothing of it.
    await day.restart();
    day.say("And the fish?");
    await day.shown("Kept: And the fish?");
    const [first, second, third] = one.told;
    expect(first).toEqual({ prompt: first?.prompt, locked: false, whole: "", missed: "" });
    expect(second?.resumeId).toBe("s1");
    expect(second?.missed).toContain("Person:\nThe dog is called Rex.\n\nAssistant:\nYou said: The dog is called Rex.");
    expect(second?.missed).not.toContain("Miso");
    expect(second?.whole).toMatch(/could not be continued[^]*Miso[^]*Rex/u);
    expect(third).toMatchObject({ resumeId: "s1", missed: "" });
  });

  it("C2, N16: an id is stored as soon as it is told, and the place it has seen moves on only when the session was kept", async () => {
    const one = keeper([[BEGUN, KEPT], [BEGUN], [{ resumeId: "s2", kept: false }], []]);
    await using day = await journey({ puppet: one.engine });
    for (const words of ["one", "two", "three", "four"]) {
      day.say(words);
      await day.shown(`Kept: ${words}`);
    }
    expect(one.told.map(({ resumeId }) => resumeId)).toEqual([undefined, "s1", "s1", "s2"]);
    // The second turn was not kept: the third is told of it, and of nothing more.
    expect(one.told[2]?.missed).toContain("Kept: two");
    expect(one.told[2]?.missed).not.toContain("Kept: one");
    // Another session that was never kept holds nothing.
    expect(one.told[3]?.missed).toMatch(/Kept: one[^]*Kept: two[^]*Kept: three/u);
  });

  it("C3, C4, C19: a session that was lost is said in one quiet line, one that was replaced on purpose is not", async () => {
    const lost = [
      { resumeId: "s2", kept: false, restarted: "lost" },
      { resumeId: "s2", kept: true, restarted: "lost" },
    ] as const;
    const replaced = [
      { resumeId: "s3", kept: false, restarted: "replaced" },
      { resumeId: "s3", kept: true },
    ] as const;
    const one = keeper([[BEGUN, KEPT], lost, replaced]);
    await using day = await journey({ puppet: one.engine });
    for (const words of ["one", "two", "three"]) {
      day.say(words);
      await day.shown(`Kept: ${words}`);
    }
    await day.settled();
    const notices = (await day.entries()).filter(({ kind }) => kind === "notice");
    expect(notices).toMatchObject([{ quiet: true, text: expect.stringContaining("could not be continued") }]);
  });
});
