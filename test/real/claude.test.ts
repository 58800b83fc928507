// Claude Code as an engine, with the real program before a loopback model: what the contracts don't ask of every engine.
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Clock } from "../../src/core/surroundings.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import type { ClaudeOptions } from "../../src/engines/claude-code/engine.ts";
import { realClock } from "../../src/gateway/real.ts";
import { processesOf } from "../contracts/session-script.ts";
import { LOOK, play, turn, words } from "../engines/play.ts";
import type { Played } from "../engines/play.ts";
import type { Reply } from "../wire/models-script.ts";
import { claudeStage, KEY, ourWords } from "./claude-stage.ts";
import type { ClaudeStage } from "./claude-stage.ts";

async function stage(options: Partial<ClaudeOptions> = {}, clock?: Clock): Promise<ClaudeStage> {
  const made = await claudeStage(options, clock);
  onTestFinished(async () => await made[Symbol.asyncDispose]());
  return made;
}

function at({ host }: ClaudeStage, text: string, more: Parameters<typeof turn>[1] = {}): ReturnType<typeof turn> {
  return turn(text, { workFolder: join(host.root, "work", "c1"), ...more });
}

function resuming(played: Played): Pick<TurnInput, "resumeId" | "catchUp"> {
  const session = played.events.findLast((event) => event.kind === "session");
  if (session?.kind !== "session") throw new Error("No session was told.");
  return { resumeId: session.resumeId, catchUp: { whole: () => "ALL-OF-IT", missed: () => "" } };
}

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** As the program writes it where somebody signs in. */
async function signIn(made: ClaudeStage, token: string, expiresAt: number): Promise<void> {
  const claudeAiOauth = { accessToken: token, refreshToken: "again", expiresAt, scopes: ["user:inference"] };
  await plant(join(made.host.home, ".claude", ".credentials.json"), JSON.stringify({ claudeAiOauth }));
}

describe("failures", () => {
  it("E24: each ends in words of ours with its code, and the session goes on", async () => {
    const made = await stage();
    const secret = `the provider's very own words ${KEY}`;
    const faults: Readonly<Record<string, readonly [reply: Reply, code: string]>> = {
      "bad key": [[{ status: 401, message: secret }], "engine-unauthorized"],
      "too often": [[{ status: 429, message: secret }], "engine-rate-limited"],
      broken: [[{ status: 500, message: secret }], "engine-failed"],
      full: [[{ status: 529, message: secret }], "engine-overloaded"],
      "no credit": [[{ fail: "quota" }], "engine-no-credit"],
      "no model": [[{ fail: "noModel" }], "engine-model-missing"],
      "too much": [[{ fail: "contextLength" }], "engine-context-full"],
      cut: [[{ cut: true }], "engine-unreachable"],
      refused: [["I will", { finish: "filter" }], "engine-refused"],
      long: [["half", { finish: "length" }], "engine-too-long"],
      strange: [[{ status: 418, message: secret }], "engine-refused"],
    };
    made.models.always((request) => {
      const told = JSON.stringify(request.body["messages"]);
      if (told.includes("go on")) return ["here again"];
      const name = Object.keys(faults).find((one) => told.includes(`fault: ${one}.`));
      return faults[name ?? ""]?.[0] ?? ["Hi."];
    });
    const names = Object.keys(faults);
    const played: Played[] = [];
    // Some at a time: each is a process.
    for (let from = 0; from < names.length; from += 4)
      played.push(
        ...(await Promise.all(
          names.slice(from, from + 4).map(async (name) => await play(made.engine, at(made, `fault: ${name}.`))),
        )),
      );
    const codes = Object.fromEntries(names.map((name, n) => [name, played[n]?.error?.code]));
    expect(codes).toEqual(Object.fromEntries(names.map((name) => [name, faults[name]?.[1]])));
    for (const { error, events } of played) {
      expect(error?.message).toMatch(/^[A-Z].*\.$/u);
      expect(`${error?.message} ${error?.hint} ${JSON.stringify(events)}`).not.toMatch(/very own words|key-that/u);
      expect(error?.cause).toBeUndefined();
    }
    const [first] = played;
    if (first === undefined) throw new Error("Nothing was played.");
    expect(await play(made.engine, at(made, "go on", resuming(first)))).toMatchObject({
      ...{ text: "here again", reason: "done" },
    });
  });

  it("E24: a connection that breaks in the middle of the answer ends the turn, and nothing is said twice", async () => {
    const made = await stage();
    const gate = made.models.gate("said");
    made.models.reply(["On and ", { wait: gate }, { cut: true }]);
    made.models.always(["On and on."]);
    const played = await play(made.engine, at(made, "hello"), (event) => event.kind === "text" && gate.release());
    expect(played).toMatchObject({ text: "On and ", reason: "error", error: { code: "engine-cut" } });
    made.models.always(["here again"]);
    expect(await play(made.engine, at(made, "go on", resuming(played)))).toMatchObject({ text: "here again" });
  });

  it("E24: a service that says nothing any more is waited for no longer than so long, and the program is ended", async () => {
    const late = Promise.withResolvers<void>();
    let offsetMs = 0;
    const clock: Clock = {
      ...realClock,
      now: () => realClock.now() + offsetMs,
      // The long waits are over when told.
      sleep: async (waitMs, signal) =>
        waitMs < 100_000
          ? await realClock.sleep(waitMs, signal)
          : await Promise.race([late.promise, realClock.sleep(waitMs, signal)]),
    };
    const made = await stage({}, clock);
    made.models.always(["And ", { hang: true }]);
    const played = await play(made.engine, at(made, "hello"), (event) => {
      if (event.kind !== "text") return;
      offsetMs = 200_000;
      late.resolve();
    });
    expect(played).toMatchObject({ text: "And ", reason: "error", error: { code: "engine-silent" } });
    expect(await processesOf(made.host.root)).toEqual([]);
  });
});

it("E24: a model that calls tools for ever is ended after so many steps, and the session goes on", async () => {
  const made = await stage();
  made.models.always(({ body }) =>
    JSON.stringify(body).includes("go on") ? ["here again"] : [{ tool: `mcp__tidegate__${LOOK.name}`, args: {} }],
  );
  const input = at(made, "look", { tools: [LOOK] });
  const played = await play(made.engine, input);
  expect(played).toMatchObject({ reason: "limit" });
  expect(input.calls.length).toBeGreaterThan(50);
  expect(input.calls.length).toBeLessThanOrEqual(100);
  const next = await play(made.engine, at(made, "go on", { ...resuming(played), tools: [LOOK] }));
  expect(next).toMatchObject({ text: "here again", reason: "done" });
});

describe("the owner's sign-in", () => {
  it("A21: is used where it is, and a locked program gets its token alone", async () => {
    const made = await stage({ apiKey: undefined });
    await signIn(made, KEY, realClock.now() + 3_600_000);
    expect(await made.engine.check(new AbortController().signal)).toEqual({
      words: expect.stringMatching(/ is there and signed in\.$/u),
    });
    made.models.always(["hello"]);
    const own = await play(made.engine, at(made, "hi"));
    expect(own).toMatchObject({ text: "hello", reason: "done" });
    expect(await readdir(join(made.host.home, ".claude"))).toContain("projects");
    const locked = await play(made.engine, at(made, "hi", { locked: true, ...resuming(own) }));
    expect(locked).toMatchObject({ text: "hello", reason: "done" });
    expect(locked.events.find((event) => event.kind === "session")).toMatchObject({ restarted: "replaced" });
    expect(JSON.stringify(made.models.last?.body)).not.toContain(join(made.host.root, "work"));
    const id = resuming(own).resumeId ?? "";
    await made.engine.forget(id);
    const files = await readdir(join(made.host.home, ".claude"), { recursive: true });
    expect(files.filter((file) => file.includes(id.split(":")[1] ?? "none"))).toEqual([]);
    const kept = await readdir(made.host.root, { recursive: true, withFileTypes: true });
    for (const file of kept.filter((entry) => entry.isFile() && entry.name !== ".credentials.json"))
      expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(KEY);
  });

  it("A21: none, or one that has run out, is said in words, with no request made", async () => {
    const made = await stage({ apiKey: undefined });
    for (const locked of [false, true]) {
      const played = await play(made.engine, at(made, "hi", { locked }));
      expect(played).toMatchObject({ reason: "error", text: "", error: { code: "engine-unauthorized" } });
      expect(played.error?.message).toBe("Claude Code isn't signed in.");
      expect(played.error?.hint).toContain("apiKey");
    }
    await expect(made.engine.check(new AbortController().signal)).rejects.toThrow("isn't signed in.");
    await signIn(made, KEY, realClock.now() - 1);
    const late = await play(made.engine, at(made, "hi", { locked: true }));
    expect(late.error?.message).toContain("renewed");
    expect(made.requests()).toBe(0);
  });
});

describe("what reaches the model", () => {
  it("A21: slash text and @paths are words and nothing more, locked or not", async () => {
    const made = await stage();
    const file = join(made.host.root, "secret.txt");
    await plant(file, "CANARY-4711\n");
    made.models.always(["hello"]);
    for (const locked of [false, true]) {
      for (const said of [`look @${file} please`, "/config model=opus", "/context"]) {
        const played = await play(made.engine, at(made, said, { locked }));
        expect(played).toMatchObject({ text: "hello", reason: "done" });
        const told = JSON.stringify(made.models.last?.body["messages"]);
        expect(told).toContain(said);
        expect(told).not.toContain("CANARY-4711");
      }
    }
    const all = await readdir(made.host.sessions, { recursive: true });
    expect(all.filter((path) => path.endsWith("settings.json"))).toEqual([]);
  });

  it("E24: pictures, and in words those that can't be shown", async () => {
    const made = await stage();
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const path = join(made.host.root, "work", "c1", "dot.png");
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, Buffer.from(png, "base64"));
    made.models.always(["a dot"]);
    const prompt = [
      words("What is this?"),
      { kind: "image", path, mediaType: "image/png" } as const,
      { kind: "image", path, mediaType: "image/tiff" } as const,
      { kind: "image", path: `${path}.gone`, mediaType: "image/png" } as const,
    ];
    expect(await play(made.engine, at(made, "", { prompt }))).toMatchObject({ text: "a dot", reason: "done" });
    const told = JSON.stringify(made.models.last?.body["messages"]);
    expect(told).toMatch(/"type":"base64","media_type":"image\/png"/u);
    expect(told).toContain("[Picture dot.png: this kind of picture can't be shown]");
    expect(told).toContain("[Picture dot.png.gone: its file is not there any more]");
  });

  it("C14, C11: the standing words and the tools of the turn, in a session that goes on, and each in its process", async () => {
    const made = await stage();
    made.models.always(["aye"]);
    const pid = async (): Promise<number | undefined> => (await processesOf(made.host.root))[0]?.pid;
    const first = await play(made.engine, at(made, "one", { tools: [LOOK] }));
    const warm = await pid();
    expect(warm).toBeDefined();
    const second = await play(made.engine, at(made, "two", { tools: [LOOK], ...resuming(first) }));
    expect(await pid()).toBe(warm);
    expect(second.usage?.costUsd).toBeLessThan((first.usage?.costUsd ?? 0) * 1.9);
    const other = { ...LOOK, description: "Looks through the glass." };
    const changed = { instructions: "Speak like a ferry captain.", tools: [other] };
    const third = await play(made.engine, at(made, "three", { ...changed, ...resuming(second) }));
    expect(third).toMatchObject({ text: "aye", reason: "done" });
    expect(await processesOf(made.host.root)).toHaveLength(1);
    expect(await pid()).not.toBe(warm);
    const { last } = made.models;
    if (last === undefined) throw new Error("Nothing was asked.");
    expect(ourWords(last)).toBe("Speak like a ferry captain.");
    expect(JSON.stringify(last.body["tools"])).toContain("through the glass");
    expect(JSON.stringify(last.body["messages"])).toContain("one");
    expect(JSON.stringify(last.body["messages"])).not.toContain("ALL-OF-IT");
    await made.engine[Symbol.asyncDispose]();
    expect(await processesOf(made.host.root)).toEqual([]);
  });
});

it("E24: a process that ended by itself while it waited costs no turn, though nobody has noticed yet", async () => {
  const made = await stage();
  made.models.always(["aye"]);
  const first = await play(made.engine, at(made, "one"));
  const [waiting] = await processesOf(made.host.root);
  if (waiting === undefined) throw new Error("No process waits.");
  process.kill(waiting.pid, "SIGKILL");
  const second = await play(made.engine, at(made, "two", resuming(first)));
  expect(second).toMatchObject({ text: "aye", reason: "done", error: undefined });
  expect(resuming(second).resumeId).toBe(resuming(first).resumeId);
  expect(JSON.stringify(made.models.last?.body["messages"])).toMatch(/one.*two/su);
  expect((await processesOf(made.host.root)).map(({ pid }) => pid)).not.toContain(waiting.pid);
});

it("E24: a command of its own sees neither the key nor another secret, and only the program has it", async () => {
  const made = await stage();
  const command = "env; cat /proc/$PPID/environ /proc/$PPID/cmdline | tr '\\0' '\\n'; ls -l /proc/$$/fd";
  const said = made.cue({ is: "own", use: { does: "command", command }, answer: "PATH=" });
  const played = await play(made.engine, at(made, said, { allow: async () => await Promise.resolve({ is: "allow" }) }));
  expect(played.text).toBe("It says: PATH=");
  const result = played.events.find((event) => event.kind === "tool-end");
  expect(JSON.stringify(result)).toContain("TIDEGATE_CHILD=test");
  expect(JSON.stringify(result)).not.toContain(KEY);
  const kept = await readdir(made.host.root, { recursive: true, withFileTypes: true });
  for (const file of kept.filter((entry) => entry.isFile()))
    expect(await readFile(join(file.parentPath, file.name), "utf8")).not.toContain(KEY);
});

it("E24: without the SDK it says what to install, and another version of it is named", async () => {
  const bare = await stage();
  const missing = await stage({ sdk: join(bare.host.root, "nothing") });
  const played = await play(missing.engine, at(missing, "hi"));
  expect(played).toMatchObject({ reason: "error", error: { code: "engine-missing" } });
  expect(played.error?.hint).toContain("npm install @anthropic-ai/claude-agent-sdk@");
  const older = join(bare.host.root, "older");
  const at1 = join(older, "node_modules", "@anthropic-ai", "claude-agent-sdk");
  const about = { name: "x", version: "0.1.0", type: "module", main: "sdk.mjs" };
  await plant(join(at1, "package.json"), JSON.stringify(about));
  await plant(join(at1, "sdk.mjs"), "export const query = () => undefined;\n");
  const { signal } = new AbortController();
  // A part of the install may be left out: then nothing is there that could answer.
  const half = await stage({ sdk: older });
  await expect(half.engine.check(signal)).rejects.toMatchObject({ code: "engine-missing" });
  const nothing = await play(half.engine, at(half, "hi"));
  expect(nothing.error?.hint).toContain("--include=optional");
  const command = join(older, "claude");
  await plant(command, "#!/bin/sh\necho '2.0.0 (Claude Code)'\n");
  await chmod(command, 0o755);
  const { engine } = await stage({ sdk: older, command });
  expect(await engine.check(signal)).toEqual({
    words: "Claude Code 2.0.0 is there, with an API key.",
    warn: expect.stringMatching(/^Its SDK is 0\.1\.0; .*\.$/u),
  });
  const gone = await stage({ command: "/nowhere/claude" });
  await expect(gone.engine.check(signal)).rejects.toMatchObject({ code: "engine-missing" });
  expect(existsSync(join(bare.host.root, "nothing"))).toBe(false);
});
