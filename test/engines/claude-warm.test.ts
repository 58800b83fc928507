// Which processes of Claude Code stay for their session's next turn, and that no two turns have one session at once. With the pretend program.
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { claudeEngine } from "../../src/engines/claude-code/engine.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { processesOf } from "../contracts/session-script.ts";
import type { Living } from "../contracts/session-script.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import { pretendClaude } from "../wire/pretend-claude.ts";
import { testHost } from "./host.ts";
import { keepingLog, play, turn } from "./play.ts";

const KEY = "key-that-nobody-may-see-4711";
const IDLE_MS = 180_000;

type Stage = {
  readonly engine: Engine;
  readonly models: ModelsWire;
  /** Lets the idle time of all that waits now pass. */
  readonly idle: () => void;
  /** How many wait their idle time out. */
  readonly waiting: () => number;
  readonly living: () => Promise<readonly Living[]>;
  readonly say: (text: string, resumeId?: string) => Promise<{ readonly resumeId: string; readonly text: string }>;
};

async function stage(): Promise<Stage> {
  const host = await testHost();
  const models = await startModels({ apiKey: KEY });
  const idlers = new Set<() => void>();
  const clock: Clock = {
    ...realClock,
    sleep: async (waitMs, signal) => {
      if (waitMs !== IDLE_MS) return await realClock.sleep(waitMs, signal);
      const { promise, resolve } = Promise.withResolvers<void>();
      idlers.add(resolve);
      try {
        await Promise.race([promise, realClock.sleep(waitMs, signal)]);
      } finally {
        idlers.delete(resolve);
      }
    },
  };
  const sdk = await pretendClaude(join(host.root, "program"));
  const given = { name: "claude", sdk, apiKey: KEY, baseUrl: models.baseUrl };
  const engine = await claudeEngine(given, { clock, random: realRandom, log: keepingLog() }, host);
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    await models[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  return {
    ...{ engine, models, waiting: () => idlers.size },
    idle: () => {
      for (const wake of idlers) wake();
    },
    living: async () => await processesOf(host.root),
    say: async (text, resumeId) => {
      const more = resumeId === undefined ? {} : { resumeId };
      const played = await play(engine, turn(text, { workFolder: join(host.root, "work", "c1"), ...more }));
      const session = played.events.findLast((event) => event.kind === "session");
      return { text: played.text, resumeId: session?.kind === "session" ? session.resumeId : "" };
    },
  };
}

it("E24: the four processes used last stay, each for its session's next turn, and go when nothing comes", async () => {
  const { say, living, idle, waiting } = await stage();
  const ids: string[] = [];
  for (const text of ["one", "two", "three", "four", "five", "six"]) ids.push((await say(text)).resumeId);
  const before = await living();
  expect(before).toHaveLength(4);
  expect(waiting()).toBe(4);
  // The last goes on in its process; the first has none any more and gets one.
  await say("again", ids.at(-1));
  const pids = (all: readonly Living[]): readonly number[] => all.map(({ pid }) => pid).toSorted((a, b) => a - b);
  expect(pids(await living())).toEqual(pids(before));
  await say("again", ids[0]);
  const after = await living();
  expect(after).toHaveLength(4);
  expect(pids(after)).not.toEqual(pids(before));
  idle();
  await vi.waitFor(async () => expect(await living()).toEqual([]), { timeout: 10_000 });
});

it("E24: two turns never have one session at once", async () => {
  const { say, models } = await stage();
  const { resumeId } = await say("hello");
  const gate = models.gate("first");
  models.always((request) => {
    const [said = ""] = request.lastUserText.split("\n");
    return said === "first" ? [{ wait: gate }, "the first"] : [`after ${said}`];
  });
  const first = say("first", resumeId);
  await models.until(() => gate.reached);
  const asked = models.requestCount;
  const second = say("second", resumeId);
  const other = await say("elsewhere");
  expect(other.text).toBe("after elsewhere");
  expect(models.requestCount).toBe(asked + 1);
  gate.release();
  expect((await first).text).toBe("the first");
  expect((await second).text).toBe("after second");
  // Both are in it.
  await say("third", resumeId);
  expect(JSON.stringify(models.last?.body)).toMatch(/the first.*after second/su);
});
