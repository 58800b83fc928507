// Programs that engines run, real ones: what they know, how they end with all that they started, and why one can't be started.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GatewayError } from "../../src/core/error.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { within } from "../../src/engines/deadline.ts";
import { childEnvironment } from "../../src/engines/environment.ts";
import { endedEarly, startProgram, type ProgramOrder } from "../../src/engines/process.ts";
import { endRest } from "../../src/engines/strays.ts";
import { realClock } from "../../src/gateway/real.ts";
import { countingWatchdog } from "./host.ts";
import { alive, allGone, family, LEAVING, LINUX, STUBBORN } from "./processes.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tidegate-process-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const env = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8" };

function order(script: string, more: Partial<ProgramOrder> = {}): ProgramOrder {
  return { command: "sh", args: ["-c", script], cwd: folder, env, called: "The program", ...more };
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const thrown = await work.then(
    () => "it went well",
    (thrown: unknown) => thrown,
  );
  return thrown instanceof GatewayError ? `${thrown.code}: ${thrown.message}` : String(thrown);
}

describe("what a program knows", () => {
  it("A45, D30: a child that prints its environment shows no configured secret, only what is allowed and two marks", async () => {
    const secrets = ["123456:bot-secret", "sk-model/secret"];
    const ours = {
      ...{
        PATH: "/usr/bin:/bin",
        HOME: "/nowhere",
        LANG: "C.UTF-8",
        TERM: "123456:bot-secret",
        USER: "sk-model/secret",
      },
      ...{ TELEGRAM_BOT_TOKEN: "123456:bot-secret", MODEL_KEY: "sk-model/secret", HTTPS_PROXY: "http://me:pass@p:1" },
      ...{ TIDEGATE_RUN: "outer", TIDEGATE_CHILD: "outer", NODE_OPTIONS: "--require /x.js" },
    };
    const print = ["-e", "console.log(JSON.stringify(process.env))"];
    const watchdog = countingWatchdog();
    await using program = await startProgram(
      order("", { command: process.execPath, args: print, env: childEnvironment(ours, secrets) }),
      realClock,
      watchdog,
    );
    const shown = await text(program.child.stdout);
    for (const secret of [...secrets, "pass"]) expect(shown).not.toContain(secret);
    const { TIDEGATE_RUN: run, __CF_USER_TEXT_ENCODING: _, ...rest } = JSON.parse(shown) as Record<string, string>;
    expect(rest).toEqual({ PATH: "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8", ...watchdog.mark });
    expect(run).toMatch(/^test\.\d+\.\d+$/u);
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });
});

describe.runIf(LINUX)("how a program ends", () => {
  it("D30: disposed of, with what is in its group and what has a session of its own, though none heeds SIGTERM", async () => {
    const watchdog = countingWatchdog();
    const program = await startProgram(order(STUBBORN), realClock, watchdog);
    const pids = await family(program.child.stdout);
    expect([...watchdog.groups]).toEqual([pids[0]]);
    expect(pids.filter(alive)).toEqual(pids);
    await Promise.all([program[Symbol.asyncDispose](), program[Symbol.asyncDispose]()]);
    // Seen at once: it was waited for.
    expect(pids.filter(alive)).toEqual([]);
    expect(watchdog.groups.size).toBe(0);
    expect(await program.ended).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("D30: ended by itself, it leaves nothing behind either, and its group is released at once", async () => {
    const watchdog = countingWatchdog();
    const program = await startProgram(order(LEAVING), realClock, watchdog);
    const pids = await family(program.child.stdout);
    const exit = once(program.child, "exit");
    program.child.stdin.write("now\n");
    await exit;
    expect(watchdog.groups.size).toBe(0);
    // What it left held its output open.
    const end = await program.ended;
    await program[Symbol.asyncDispose]();
    expect(pids.filter(alive)).toEqual([]);
    expect(endedEarly("The program", end)).toMatchObject({
      code: "engine-failed",
      message: "The program ended in the middle of its work (exit code 3).",
    });
    expect(endedEarly("It", { code: null, signal: "SIGSEGV" }).message).toContain("(signal SIGSEGV)");
  });

  it("D30: one whose output nobody reads ends all the same", async () => {
    const program = await startProgram(order("yes & exec yes"), realClock, countingWatchdog());
    const { pid = 0 } = program.child;
    await once(program.child.stdout, "readable");
    await program[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
  });

  it("D30: one that heeds the end of its input is given the time to end well", async () => {
    const program = await startProgram(order("cat; echo done; exit 5"), realClock, countingWatchdog());
    const said = text(program.child.stdout);
    await program[Symbol.asyncDispose]();
    expect(await said).toBe("done\n");
    expect(await program.ended).toEqual({ code: 5, signal: null });
  });

  it("D30: what another program started stays, and one whose mark only begins like it", async () => {
    const watchdog = countingWatchdog();
    await using other = await startProgram(order(LEAVING), realClock, watchdog);
    const others = await family(other.child.stdout);
    const program = await startProgram(order(LEAVING), realClock, watchdog);
    const pids = await family(program.child.stdout);
    await program[Symbol.asyncDispose]();
    expect(pids.filter(alive)).toEqual([]);
    expect(others.filter(alive)).toEqual(others);

    const longer = spawn("sleep", ["120"], { env: { ...env, MARKED: "a.12" } });
    // Before it stands more than is read at once.
    const same = spawn("sleep", ["120"], { env: { ...env, A: "x".repeat(90_000), MARKED: "a.1" } });
    await Promise.all([once(longer, "spawn"), once(same, "spawn")]);
    await endRest(0, "MARKED=a.1", realClock);
    expect([same, longer].map(({ pid = 0 }) => alive(pid))).toEqual([false, true]);
    longer.kill("SIGKILL");
    await once(longer, "exit");
  });
});

describe("what a program complains of", () => {
  it("D28: only the end of it is kept, and no half of a character", async () => {
    // Written in pieces that end inside a character, and an odd number of units in all.
    const script = `
      const bytes = Buffer.from("x" + "🙂".repeat(20000) + "z");
      for (let at = 0; at < bytes.length; at += 1001) require("fs").writeSync(2, bytes.subarray(at, at + 1001));`;
    const order_ = order("", { command: process.execPath, args: ["-e", script] });
    await using program = await startProgram(order_, realClock, countingWatchdog());
    await program.ended;
    const complaints = program.complaints();
    expect(complaints.length).toBeLessThanOrEqual(16_384);
    expect(complaints.length).toBeGreaterThan(16_000);
    expect(complaints).toMatch(/^(?:🙂)+z$/u);
  });
});

describe("why a program can't be started", () => {
  it.each([
    [
      "no such file",
      { command: "/nowhere/at/all" },
      "engine-missing: The program can't be started: its program isn't there.",
    ],
    [
      "no such name",
      { command: "tidegate-no-such" },
      "engine-missing: The program can't be started: its program isn't there.",
    ],
    ["a folder", { command: "/usr/bin" }, "engine-missing: The program can't be started: its program isn't there."],
    [
      "no folder",
      { cwd: "/nowhere/at/all" },
      "engine-failed: The program can't be started: the folder that it is to work in isn't there.",
    ],
    [
      "a file as the folder",
      { cwd: process.execPath },
      "engine-failed: The program can't be started: the folder that it is to work in isn't there.",
    ],
    ["a NUL", { args: ["\0"] }, "engine-failed: The program can't be started: the system refused to start it."],
    [
      "arguments without end",
      { args: ["x".repeat(8_000_000)] },
      "engine-failed: The program can't be started: the system refused to start it.",
    ],
  ])("D28: in words: %s", async (_what, more, words) => {
    const watchdog = countingWatchdog();
    expect(await refusal(startProgram(order("", more), realClock, watchdog))).toBe(words);
    expect(watchdog.groups.size).toBe(0);
  });

  it("D28: in words: a file that may not be run, and one whose interpreter is missing, by path and by name", async () => {
    await writeFile(join(folder, "plain"), "#!/bin/sh\n", { mode: 0o600 });
    await writeFile(join(folder, "orphan"), "#!/nowhere/at/all\n");
    await chmod(join(folder, "orphan"), 0o700);
    const start = async (command: string): Promise<string> => {
      const more = { command, env: { PATH: `/usr/bin:${folder}` } };
      return await refusal(startProgram(order("", more), realClock, countingWatchdog()));
    };
    const mayNot = "engine-missing: The program can't be started: its program's file may not be run.";
    const runBy = "engine-missing: The program can't be started: what its program is run by isn't there.";
    expect(await Promise.all([join(folder, "plain"), "./plain", "plain"].map(start))).toEqual([mayNot, mayNot, mayNot]);
    expect(await Promise.all([join(folder, "orphan"), "orphan"].map(start))).toEqual([runBy, runBy]);
  });

  it("D28: one that does not start in time is ended, and one that ends at once is told by its end", async () => {
    const hasty: Clock = { ...realClock, sleep: async () => {} };
    const watchdog = countingWatchdog();
    const told: number[] = [];
    const group = (pid: number): (() => void) => {
      told.push(pid);
      return watchdog.group(pid);
    };
    expect(await refusal(startProgram(order("exec sleep 120"), hasty, { ...watchdog, group }))).toBe(
      "engine-failed: The program did not start in time.",
    );
    expect(watchdog.groups.size).toBe(0);
    await allGone(told);
    await using program = await startProgram(order("exit 7"), realClock, watchdog);
    program.child.stdin.write("x".repeat(1_000_000));
    expect(await program.ended).toEqual({ code: 7, signal: null });
  });
});

describe("a request's deadline", () => {
  const late = (): GatewayError => new GatewayError("engine-silent");

  it("D28: the answer comes in time, its failure is told as it is, and neither leaves a wait behind", async () => {
    const waits: (AbortSignal | undefined)[] = [];
    const clock: Clock = {
      ...realClock,
      sleep: async (_waitMs, signal) => {
        waits.push(signal);
        return await new Promise<void>(() => {});
      },
    };
    expect(await within(clock, 5, late, async () => "answer")).toBe("answer");
    await expect(within(clock, 5, late, async () => await Promise.reject(new Error("own")))).rejects.toThrow("own");
    expect(waits.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it("D28: past it the request is told so, and whoever waits is told in words", async () => {
    let told: AbortSignal | undefined;
    const silent = async (signal: AbortSignal): Promise<never> => {
      told = signal;
      return await new Promise<never>(() => {});
    };
    const clock: Clock = { ...realClock, sleep: async () => {} };
    expect(await refusal(within(clock, 5, late, silent))).toBe("engine-silent: The model stopped answering in time.");
    expect(told?.aborted).toBe(true);
  });
});
