// What Codex is relied on for, seen with the real program before a loopback model.
import { execFile } from "node:child_process";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import type { Clock } from "../../src/core/surroundings.ts";
import type { ToolSpec, Verdict } from "../../src/core/tool.ts";
import { closedPlaces } from "../../src/gateway/places.ts";
import { realClock } from "../../src/gateway/real.ts";
import { toolbox } from "../../src/turn/toolbox.ts";
import { LOOK, play, turn, type Played } from "../engines/play.ts";
import type { Replier, Step } from "../wire/models-script.ts";
import { CODE_MODE, KEY, call, keptFile, readKept, stageHere, type CodexStage } from "./codex-stage.ts";

type More = Parameters<typeof turn>[1];

const ALLOW = async (): Promise<Exclude<Verdict, { is: "ask" }>> => await Promise.resolve({ is: "allow" });

async function say(stage: CodexStage, words: string, more: More = {}, ...replies: Replier[]): Promise<Played> {
  if (replies.length > 0) stage.models.reply(...replies);
  return await play(stage.engine, turn(words, { workFolder: stage.work, ...more }));
}

function idOf(played: Played): string {
  const told = played.events.findLast((event) => event.kind === "session");
  if (told === undefined) throw new Error("No session was told.");
  return told.resumeId;
}

function restarts(played: Played): readonly (string | undefined)[] {
  return played.events.flatMap((event) => (event.kind === "session" ? [event.restarted] : []));
}

function told(stage: CodexStage): string {
  return JSON.stringify(stage.models.last?.body["input"]);
}

function times(text: string, part: string): number {
  return text.split(part).length - 1;
}

it("C6, C7, C8: a run leaves its thread and nothing else, and no key anywhere, whether it went well or failed", async () => {
  const stage = await stageHere();
  let during: readonly string[] = [];
  stage.models.reply(async () => {
    during = await stage.homes();
    return "hello";
  });
  const well = await say(stage, "hi");
  expect(well.reason).toBe("done");
  expect(during).toHaveLength(1);
  expect(await stage.homes()).toEqual([]);
  const file = await keptFile(stage);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(stage.sessions)).mode & 0o777).toBe(0o700);
  const kept = await readFile(file, "utf8");
  expect(kept).toContain('"history_mode":"legacy"');
  expect(kept).not.toContain(KEY);
  stage.models.always([{ fail: "badKey" }]);
  const failed = await say(stage, "fail");
  expect(failed.error?.code).toBe("engine-unauthorized");
  expect(await stage.homes()).toEqual([]);
  expect([...stage.host.watchdog.folders, ...stage.host.watchdog.groups]).toEqual([]);
});

it("C10, C11: another set of tools begins another thread with the whole conversation, once, and drops the old one", async () => {
  const stage = await stageHere();
  const other: ToolSpec = { ...LOOK, name: "other" };
  const catchUp = { whole: () => "THE-WHOLE", missed: () => "" };
  stage.models.always("yes");
  const first = await say(stage, "one", { tools: [LOOK] });
  const old = await keptFile(stage);
  const same = await say(stage, "two", { tools: [LOOK], resumeId: idOf(first), catchUp });
  expect(idOf(same)).toBe(idOf(first));
  const changed = await say(stage, "three", { tools: [other, LOOK], resumeId: idOf(same), catchUp });
  expect(restarts(changed)).toContain("replaced");
  expect(told(stage)).toContain("THE-WHOLE");
  expect(await keptFile(stage)).not.toBe(old);
  // The same tools in another order are the same tools.
  const after = await say(stage, "four", { tools: [LOOK, other], resumeId: idOf(changed), catchUp });
  expect(idOf(after)).toBe(idOf(changed));
  expect(times(told(stage), "THE-WHOLE")).toBe(1);
});

it("C9: a model that the program has never heard of calls our tools all the same", async () => {
  const stage = await stageHere({ settings: { model: "a-model-nobody-knows" } });
  const input = turn("go", {
    workFolder: stage.work,
    tools: [LOOK],
    answer: () => ({ outcome: "ok", text: "TIDE-42" }),
  });
  stage.models.reply(
    (request) => [call(request, "look", { at: "sea" })],
    (request) => (JSON.stringify(request.body).includes("TIDE-42") ? "it is TIDE-42" : "nothing"),
  );
  expect(await play(stage.engine, input)).toMatchObject({ text: "it is TIDE-42", reason: "done" });
  expect(input.calls).toEqual([{ id: expect.any(String), name: "look", input: { at: "sea" } }]);
});

it("C13: every start and every resume asks for each command, even one that only lists", async () => {
  const stage = await stageHere();
  const asked: string[] = [];
  const more: More = {
    allow: async ({ command = "" }) => {
      asked.push(command);
      return await Promise.resolve({ is: "deny", words: "no" });
    },
  };
  const list: Replier = (request) => [call(request, "exec_command", { cmd: "ls" })];
  const first = await say(stage, "one", more, list, "done");
  await say(stage, "two", { ...more, resumeId: idOf(first) }, list, "done");
  expect(asked).toEqual([expect.stringContaining("ls"), expect.stringContaining("ls")]);
  const contexts = (await readKept(stage)).split("\n").filter((line) => line.includes('"type":"turn_context"'));
  expect(contexts.length).toBeGreaterThan(1);
  for (const line of contexts) {
    expect(line).toContain('"approval_policy":"untrusted"');
    expect(line).toContain("read-only");
  }
});

it("C13, A31: what a repository in the work folder names in its settings is run by nobody, and an allowed command has it", async () => {
  const stage = await stageHere();
  const ran = join(stage.host.root, "ran");
  const git = async (...args: string[]): Promise<unknown> =>
    await promisify(execFile)("git", [
      "-C",
      stage.work,
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.org",
      ...args,
    ]);
  await git("init", "-q", "-b", "main");
  await writeFile(join(stage.work, "a.txt"), "one\n");
  await git("add", "-A");
  await git("commit", "-q", "-m", "first");
  const spy = `sh -c 'touch ${ran}; cat'`;
  for (const name of ["core.fsmonitor", "filter.spy.clean", "filter.spy.smudge"]) await git("config", name, spy);
  await writeFile(join(stage.work, ".gitattributes"), "* filter=spy\n");
  await writeFile(join(stage.work, "a.txt"), "two\n");
  const played = await say(
    stage,
    "go",
    { allow: ALLOW },
    (request) => [call(request, "exec_command", { cmd: "env; git rev-parse --abbrev-ref HEAD" })],
    "end",
  );
  expect(played).toMatchObject({ text: "end", reason: "done" });
  const out = JSON.stringify(outputs(stage));
  expect(out).toContain("main");
  expect(out).not.toContain("GIT_DIR");
  await expect(stat(ran)).rejects.toThrow("ENOENT");
});

it("C14, C15: changed instructions go beside the turn once, whole however long, and again after a compaction", async () => {
  const stage = await stageHere();
  const long = `NEW-RULES ${"as long as it takes\n".repeat(600)} END-OF-RULES`;
  stage.models.always("yes");
  const first = await say(stage, "one", { instructions: "OLD-RULES" });
  const second = await say(stage, "two", { instructions: long, resumeId: idOf(first) });
  const beside = told(stage);
  expect(beside).toContain("take the place of all earlier ones");
  expect(beside).toContain("END-OF-RULES");
  expect(times(beside, "as long as it takes")).toBe(600);
  expect(beside).not.toContain("tokens truncated");
  const full: Step[] = ["three", { usage: { input: 400_000, output: 10 } }];
  const third = await say(stage, "three", { instructions: long, resumeId: idOf(second) }, full);
  expect(times(told(stage), "END-OF-RULES")).toBe(1);
  const fourth = await say(stage, "four", { instructions: long, resumeId: idOf(third) }, "a summary of it all", "four");
  expect(fourth.text).toBe("four");
  const fifth = await say(stage, "five", { instructions: long, resumeId: idOf(fourth) }, "five");
  expect(fifth).toMatchObject({ text: "five", reason: "done" });
  // As the thread's own since the compaction, and beside this turn.
  expect(times(told(stage), "END-OF-RULES")).toBe(2);
});

it("E24: each failure of the service has a code and words of ours, and the next turn works", async () => {
  const stage = await stageHere();
  const failures = new Map<string, Step[]>([
    ["engine-unauthorized", [{ fail: "badKey" }]],
    ["engine-rate-limited", [{ fail: "rateLimit" }]],
    ["engine-no-credit", [{ fail: "quota" }]],
    ["engine-overloaded", [{ fail: "serverError" }]],
    ["engine-cut", ["some words", { cut: true }]],
    ["engine-refused", [{ status: 400, message: "provider's words" }]],
    ["engine-context-full", [{ fail: "contextLength" }]],
  ]);
  stage.models.always(({ lastUserText }) => failures.get(lastUserText) ?? "at your service");
  // Side by side: the program tries again by itself, and waits before it does.
  await Promise.all(
    [...failures.keys()].map(async (code) => {
      const played = await say(stage, code);
      expect(played.error?.code).toBe(code);
      expect(played.error?.message).toMatch(/^[A-Z].*\.$/u);
      expect(`${played.error?.message} ${played.error?.hint}`).not.toContain("provider's words");
      // What was said before it broke off stands once at most, however often it was tried.
      expect(times(played.text, "some words")).toBeLessThan(2);
      const after = await say(stage, "and now", { resumeId: idOf(played) });
      expect(after).toMatchObject({ text: "at your service", reason: "done" });
    }),
  );
});

it("E24: a silent program is given up by our own watch", async () => {
  const clock = skippingClock();
  const stage = await stageHere({ clock });
  stage.models.reply(["Well", { hang: true }]);
  const input = turn("hi", { workFolder: stage.work });
  const played = await play(stage.engine, input, (event) => event.kind === "text" && clock.skip());
  expect(played.error?.code).toBe("engine-silent");
  expect(played.text).toBe("Well");
  expect(await say(stage, "again", { resumeId: idOf(played) }, "here")).toMatchObject({ text: "here", reason: "done" });
});

it("E24: a model that calls tools for ever is ended after so many calls, and the next turn works", async () => {
  const stage = await stageHere();
  stage.models.always((request) => [call(request, "look", { at: "sea" })]);
  const input = turn("go", { workFolder: stage.work, tools: [LOOK] });
  const played = await play(stage.engine, input);
  expect(played.reason).toBe("limit");
  expect(input.calls).toHaveLength(100);
  const next = await say(stage, "again", { resumeId: idOf(played), tools: [LOOK] }, "here");
  expect(next).toMatchObject({ text: "here", reason: "done" });
});

it("A21: locked, a model that calls from code has no tool of the program's own either", async () => {
  const stage = await stageHere({ settings: { model: CODE_MODE } });
  const made = join(stage.host.root, "made");
  const patch = `*** Begin Patch\n*** Add File: ${made}\n+x\n*** End Patch`;
  const tries = [
    `await tools.exec_command({ cmd: "touch ${made}" })`,
    `await tools.apply_patch(${JSON.stringify(patch)})`,
    `(await import("node:fs")).readFileSync("/etc/passwd", "utf8")`,
  ];
  let asked = 0;
  for (const code of tries) {
    const played = await say(
      stage,
      "try",
      {
        locked: true,
        allow: async () => {
          asked += 1;
          return await ALLOW();
        },
      },
      [{ tool: "exec", args: `text(JSON.stringify(${code}))` }],
      "tried",
    );
    expect(played.text).toBe("tried");
    expect(told(stage)).not.toContain("root:x:0:0");
    expect(told(stage)).toMatch(/not a function|No usable|not available|failed|error/iu);
  }
  expect(asked).toBe(0);
  await expect(stat(made)).rejects.toThrow();
});

it("A20, C16: no tool of its own reads the data folder or Codex's own folder, in any mode", async () => {
  const stage = await stageHere({ signedIn: true });
  const data = join(stage.host.root, "data");
  const canaries = [join(stage.sessions, "canary"), join(stage.host.home, ".codex", "canary")];
  await mkdir(stage.sessions, { recursive: true });
  for (const path of canaries) await writeFile(path, "THE-CANARY\n");
  const places = closedPlaces({
    ...{ data, configFile: undefined, home: stage.host.home, launcher: "/opt/tidegate/tidegate" },
    temporary: stage.host.temporary,
  });
  const steal = (path: string): string =>
    `*** Begin Patch\n*** Update File: ${path}\n*** Move to: ${join(stage.work, "stolen")}\n@@\n-THE-CANARY\n+mine\n*** End Patch`;
  for (const mode of ["ask", "edits", "trust", "plan"] as const) {
    const box = await toolbox([], {
      ...{ conversation: "c", turn: "t", workFolder: stage.work, given: new Set(), places },
      standing: async () =>
        await Promise.resolve({ attendance: "owner", room: "private", marks: [], mode, checkAfterReading: true }),
      signal: new AbortController().signal,
      said: () => [],
      append: async () => await Promise.resolve(true),
      // What isn't refused by itself is asked about, and the owner says no.
      ask: async () => await Promise.resolve("no" as const),
    });
    const tries = canaries.flatMap((path): Replier[] => [
      (request) => [call(request, "exec_command", { cmd: `cat ${path}` })],
      (request) => [call(request, "exec_command", { cmd: "cat canary", workdir: join(path, "..") })],
      (request) => [call(request, "exec_command", { cmd: "cat $(find / -name cana* 2>/dev/null)" })],
      () => [{ tool: "apply_patch", args: steal(path) }],
    ]);
    const played = await say(stage, mode, { allow: box.allow }, ...tries, "tried");
    expect(played).toMatchObject({ text: "tried", reason: "done" });
    const outcomes = played.events.flatMap((event) => (event.kind === "tool-end" ? [event.result.outcome] : []));
    expect(new Set(outcomes)).toEqual(new Set(["denied"]));
    expect(outcomes.length).toBeGreaterThanOrEqual(tries.length - canaries.length);
    // Its own patches hold the word: what came back does not.
    expect(JSON.stringify(outputs(stage))).not.toContain("THE-CANARY");
    expect(await readdir(stage.work)).toEqual([]);
  }
});

it("C43: a command sees neither the key nor the private home, and nothing can be typed into one that runs", async () => {
  const stage = await stageHere();
  const played = await say(
    stage,
    "go",
    { allow: ALLOW },
    (request) => [call(request, "exec_command", { cmd: "env; cat", tty: true })],
    (request) => [call(request, "exec_command", { cmd: "env" })],
    (request) => [call(request, "exec_command", { cmd: "sleep 5; cat", yield_time_ms: 250 })],
    (request) => {
      const running = Number(/session ID (\d{1,9})/u.exec(JSON.stringify(request.body["input"]))?.[1] ?? 1);
      return [call(request, "write_stdin", { session_id: running, chars: "typed-by-a-model\n", yield_time_ms: 250 })];
    },
    "end",
  );
  expect(played.reason).toBe("done");
  const out = JSON.stringify(outputs(stage));
  expect(out).toContain("PATH=");
  expect(out).not.toContain(KEY);
  expect(out).not.toContain("tidegate-codex-");
  expect(out).toContain("TTY execution is disabled");
  expect(out).toMatch(/stdin is closed|Unknown process/u);
});

it("C7: the owner's own sign-in is used where it is, and a token that is drawn anew stays the owner's", async () => {
  const stage = await stageHere({ signedIn: true });
  const played = await say(stage, "hi", {}, "signed in");
  expect(played).toMatchObject({ text: "signed in", reason: "done" });
  expect((await stage.engine.check(new AbortController().signal)).words).toContain("signed in");
  expect(JSON.parse(await readFile(join(stage.host.home, ".codex", "auth.json"), "utf8"))).toMatchObject({
    OPENAI_API_KEY: KEY,
  });
  const nobody = await stageHere({ settings: { apiKey: undefined } });
  const refused = await say(nobody, "hi");
  expect(refused.error?.code).toBe("engine-unauthorized");
  expect(refused.error?.hint).toContain("codex login");
  expect(nobody.models.requestCount).toBe(0);
  await expect(nobody.engine.check(new AbortController().signal)).rejects.toThrow("isn't signed in");
});

it.runIf(process.env["TIDEGATE_DEEP"] === "1")(
  "C20: a tool's answer and an approval are both taken after more than ten minutes",
  async () => {
    const stage = await stageHere();
    const late = async (): Promise<void> => await realClock.sleep(620_000);
    const tool = say(
      stage,
      "tool",
      {
        tools: [LOOK],
        answer: async () => {
          await late();
          return { outcome: "ok", text: "LATE" };
        },
      },
      (request) => [call(request, "look", {})],
      (request) => (JSON.stringify(request.body).includes("LATE") ? "it came" : "nothing"),
    );
    expect(await tool).toMatchObject({ text: "it came", reason: "done" });
    const command = say(
      stage,
      "command",
      {
        allow: async () => {
          await late();
          return { is: "allow" };
        },
      },
      (request) => [call(request, "exec_command", { cmd: "echo LATE" })],
      "ended",
    );
    expect((await command).events).toContainEqual(
      expect.objectContaining({ kind: "tool-end", result: { outcome: "ok", text: "LATE\n" } }),
    );
  },
  1_500_000,
);

/** What tools answered, in the last request. */
function outputs(stage: CodexStage): readonly unknown[] {
  const input = stage.models.last?.body["input"] as readonly { readonly type: string }[];
  return input.filter(({ type }) => type.endsWith("_output"));
}

/** The real clock, but long waits end when told. */
function skippingClock(): Clock & { skip(): void } {
  let ahead = 0;
  const waiting = new Set<() => void>();
  return {
    now: () => realClock.now() + ahead,
    soon: (task) => realClock.soon(task),
    async sleep(waitMs, signal) {
      if (waitMs < 300_000 || waitMs > 3_600_000) return await realClock.sleep(waitMs, signal);
      await new Promise<void>((resolve, reject) => {
        waiting.add(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
    skip() {
      ahead += 3_600_000;
      for (const wake of waiting) wake();
      waiting.clear();
    },
  };
}
