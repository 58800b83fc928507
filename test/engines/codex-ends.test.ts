// How runs of Codex end that do not go as they should: stopped while a thread is picked up, and homes that can't be cleared away. The
// program is a script that does just what it is told.
import { access, lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import { codexEngine } from "../../src/engines/codex/engine.ts";
import { openHome } from "../../src/engines/codex/home.ts";
import { keptThreads, threadsFolder } from "../../src/engines/codex/kept.ts";
import { digestOf, resumeId } from "../../src/engines/codex/tools.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { testHost, type TestHost } from "./host.ts";
import { keepingLog, play, turn } from "./play.ts";

const THREAD = "01a22df0-6422-7340-a28f-578e31214ceb";
const FILE = `rollout-2026-11-30T19-30-58-${THREAD}.jsonl`;
const PATIENT = { timeout: 15_000 };

type Stage = {
  readonly engine: Engine;
  readonly host: TestHost;
  readonly surroundings: { readonly log: ReturnType<typeof keepingLog> };
  readonly input: (more?: Parameters<typeof turn>[1]) => ReturnType<typeof turn>;
};

/** `does`: what the script does, by method; it has `id`, `say(message)`, `home` and `fs`. What isn't named is never answered. */
async function stage(does: Readonly<Record<string, string>>, apiKey: string | undefined = "k"): Promise<Stage> {
  const host = await testHost();
  const cases = Object.entries({ initialize: `say({ id, result: { userAgent: "codex" } })`, ...does });
  const script = `
    const fs = require("fs");
    const home = process.env.CODEX_HOME;
    const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
    require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      switch (method) {
        ${cases.map(([method, code]) => `case ${JSON.stringify(method)}: ${code}; break;`).join("\n")}
      }
    }).on("close", () => process.exit(0));`;
  await writeFile(join(host.root, "script.cjs"), script);
  const command = join(host.root, "codex");
  const lines = [
    "#!/bin/sh",
    'if [ "$1" = --version ]; then echo "codex-cli 0.171.0"; exit 0; fi',
    `exec "${process.execPath}" "${join(host.root, "script.cjs")}"`,
  ];
  await writeFile(command, `${lines.join("\n")}\n`, { mode: 0o755 });
  const surroundings = { clock: realClock, random: realRandom, log: keepingLog() };
  const engine = await codexEngine({ name: "codex", command, apiKey }, surroundings, host);
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });
  const input = (more: Parameters<typeof turn>[1] = {}): ReturnType<typeof turn> =>
    turn("hi", { workFolder: join(host.root, "work"), ...more });
  return { engine, host, surroundings, input };
}

it("C8, G13: a turn that is stopped while its thread is picked up leaves the thread to the next", async () => {
  const { engine, host, surroundings, input } = await stage({
    "thread/resume": `fs.writeFileSync(home + "/../../asked", "")`,
  });
  const folder = threadsFolder(host.sessions, "codex");
  const kept = keptThreads(folder, { clock: realClock, random: realRandom, log: surroundings.log });
  await writeFile(join(host.root, FILE), "{}\n");
  await kept.keep(THREAD, join(host.root, FILE), "told");
  const stop = new AbortController();
  const [played] = await Promise.all([
    play(engine, input({ signal: stop.signal, resumeId: resumeId(THREAD, digestOf([], "own/key")) })),
    vi.waitFor(async () => await access(join(host.root, "asked")), PATIENT).then(() => stop.abort()),
  ]);
  expect(played.reason).toBe("stopped");
  expect((await readdir(folder)).toSorted()).toEqual([`${THREAD}.json`, `${THREAD}.jsonl`]);
});

it("E24: what a program complains of that ends before it has a thread is noted for the operator, and told to nobody", async () => {
  const { engine, host, surroundings, input } = await stage({
    initialize: `process.stderr.write("unknown setting: skills", () => process.exit(1))`,
  });
  const played = await play(engine, input());
  expect(played).toMatchObject({ text: "", reason: "error", error: { code: "engine-failed" } });
  expect(played.error?.message).not.toContain("skills");
  expect(surroundings.log.lines.join()).toContain("unknown setting: skills");
  expect([...host.watchdog.groups, ...host.watchdog.folders]).toEqual([]);
});

it("C7, E24: what can't be cleared away after a turn is no fault of its answer", async () => {
  const ofTurn = { threadId: THREAD, turnId: "t" };
  const done = { threadId: THREAD, turn: { id: "t", status: "completed", error: null } };
  const { engine, host, surroundings, input } = await stage(
    {
      "thread/start": `say({ id, result: { thread: { id: "${THREAD}", path: null }, model: "m" } })`,
      // A token that was drawn anew, and nowhere to put it.
      "turn/start": `
        const owners = fs.readlinkSync(home + "/auth.json");
        fs.rmSync(home + "/auth.json");
        fs.writeFileSync(home + "/auth.json", "{}");
        fs.rmSync(owners);
        fs.mkdirSync(owners);
        say({ id, result: { turn: { id: "t" } } });
        say({ method: "item/agentMessage/delta", params: ${JSON.stringify({ ...ofTurn, itemId: "m", delta: "hello" })} });
        say({ method: "turn/completed", params: ${JSON.stringify(done)} })`,
    },
    "",
  );
  await mkdir(join(host.home, ".codex"), { recursive: true });
  await writeFile(join(host.home, ".codex", "auth.json"), '{"OPENAI_API_KEY":"k"}');
  expect(await play(engine, input())).toMatchObject({ text: "hello", reason: "done" });
  expect(surroundings.log.lines.join()).toContain("can't be cleared away");
  expect((await readdir(host.root)).filter((name) => name.startsWith("tidegate-codex-"))).toEqual([]);
});

it("C7: two runs that end at once both give back the owner's sign-in", async () => {
  await using host = await testHost();
  const auth = join(host.home, ".codex", "auth.json");
  await mkdir(join(host.home, ".codex"), { recursive: true });
  await writeFile(auth, "old");
  const homes = await Promise.all(["one", "two"].map(async () => await openHome(host, "", true)));
  for (const [at, { folder }] of homes.entries()) {
    await rm(join(folder, "auth.json"));
    await writeFile(join(folder, "auth.json"), `new ${at}`);
  }
  await Promise.all(homes.map(async (home) => await home[Symbol.asyncDispose]()));
  expect(await readFile(auth, "utf8")).toMatch(/^new [01]$/u);
  expect((await lstat(auth)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(host.home, ".codex"))).toEqual(["auth.json"]);
  expect([...host.watchdog.folders]).toEqual([]);
});
