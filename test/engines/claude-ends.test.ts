// What Claude Code's engine leaves to others, and what it does when something is taken from under it. With the pretend program.
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { claudeEngine } from "../../src/engines/claude-code/engine.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { keptFiles } from "../contracts/session-script.ts";
import { startModels, type ModelsWire } from "../wire/models.ts";
import { pretendClaude } from "../wire/pretend-claude.ts";
import { testHost, type TestHost } from "./host.ts";
import { keepingLog, play, turn, type Played } from "./play.ts";

const KEY = "key-that-nobody-may-see-4711";

type Stage = {
  readonly engine: Engine;
  readonly host: TestHost;
  readonly models: ModelsWire;
  readonly temporary: string;
  /** A second one over the same folders. */
  readonly beside: () => Promise<Engine>;
  readonly input: (more?: Partial<TurnInput>) => TurnInput;
};

async function stage(): Promise<Stage> {
  const host = await testHost();
  const models = await startModels({ apiKey: KEY });
  models.always(["hello"]);
  const temporary = join(host.root, "tmp");
  await mkdir(temporary);
  const sdk = await pretendClaude(join(host.root, "program"));
  const beside = async (): Promise<Engine> =>
    await claudeEngine(
      { name: "claude", sdk, apiKey: KEY, baseUrl: models.baseUrl },
      { clock: realClock, random: realRandom, log: keepingLog() },
      { ...host, temporary },
    );
  const engine = await beside();
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    await models[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  const input = (more: Partial<TurnInput> = {}): TurnInput =>
    turn("hi", { workFolder: join(host.root, "work"), ...more });
  return { engine, host, models, temporary, beside, input };
}

function idOf(played: Played): string {
  const session = played.events.findLast((event) => event.kind === "session");
  return session?.kind === "session" ? session.resumeId : "";
}

it("A21, E24: the empty folder of locked turns is made anew when it was tidied away, or could not be made before", async () => {
  const { engine, temporary, host, input } = await stage();
  await rm(temporary, { recursive: true });
  const none = await play(engine, input({ locked: true }));
  expect(none).toMatchObject({ text: "", reason: "error" });
  await mkdir(temporary);
  const first = await play(engine, input({ locked: true }));
  expect(first).toMatchObject({ text: "hello", reason: "done" });
  const [empty = ""] = await readdir(temporary);
  await rm(join(temporary, empty), { recursive: true });
  const more = { locked: true, resumeId: idOf(first) };
  expect(await play(engine, input(more))).toMatchObject({ text: "hello", reason: "done" });
  expect(await readdir(temporary)).toHaveLength(1);
  expect([...host.watchdog.folders]).toHaveLength(1);
  await engine[Symbol.asyncDispose]();
  expect(await readdir(temporary)).toEqual([]);
  expect([...host.watchdog.folders]).toEqual([]);
});

it("G29, E24: an engine that ran no turn takes nothing away from the gateway beside it", async () => {
  const { engine, host, beside, input } = await stage();
  await play(engine, input());
  const scratch = join(host.sessions, "claude-code", "claude", "scratch");
  await writeFile(join(scratch, "printed"), "by a command that runs");
  const looking = await beside();
  await looking.check(new AbortController().signal);
  await looking[Symbol.asyncDispose]();
  expect(await readdir(scratch)).toContain("printed");
});

it("C17, D48: a session that is replaced is gone before another's id is told, since nothing leads to it then", async () => {
  const { engine, host, input } = await stage();
  const first = idOf(await play(engine, input()));
  expect(await keptFiles(host.sessions, first)).not.toEqual([]);
  // The gateway ends as soon as it has the new id.
  for await (const event of engine.run(input({ locked: true, resumeId: first }))) if (event.kind === "session") break;
  expect(await keptFiles(host.sessions, first)).toEqual([]);
});
