// A bot under measurement: started as the program it is, looked at from outside.
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { steadyMs } from "./calls.ts";
import { OWNER } from "./crowd.ts";

/** Where the servers of a run are. */
export type Places = { readonly apiRoot: string; readonly token: string; readonly modelUrl: string };

export type PlatformName = keyof typeof OWNER;

/** What the config says of a platform; its server gives it. */
export type Settings = Readonly<Record<string, string>>;

/** How to start a bot. */
export type Program = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

/** The same program with its compiled code kept in a folder: in a new one, nothing was compiled before. */
export function compiledIn(folder: string, { args, env }: Program): Program {
  return { args, env: { ...env, NODE_COMPILE_CACHE: folder } };
}

const BARE_BOT = fileURLToPath(new URL("bare-bot.ts", import.meta.url));

/** The bare bot. */
export function bareBot({ apiRoot, token, modelUrl }: Places): Program {
  return { args: [BARE_BOT], env: { BENCH_API_ROOT: apiRoot, BENCH_TOKEN: token, BENCH_MODEL_URL: modelUrl } };
}

/** Tidegate of a project folder, by its launcher, on a data folder: as people run it, but for the pace. */
export function tidegate(project: string, data: string, { apiRoot, token, modelUrl }: Places): Program {
  return tidegateOn({ telegram: { apiRoot, token } }, project, data, modelUrl);
}

/** The same on some platforms. */
export function tidegateOn(
  channels: Partial<Record<PlatformName, Settings>>,
  project: string,
  data: string,
  modelUrl: string,
): Program {
  mkdirSync(data, { recursive: true });
  const file = join(data, "bench.yaml");
  const of = (all: Readonly<Record<PlatformName, unknown>>): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name in channels));
  const pace = { perChatMs: 0, perSecond: 0 };
  const config = {
    data,
    owner: { name: "Sam", ...of(OWNER) },
    joinWithinMs: 0,
    channels,
    engines: { local: { kind: "openai-compatible", baseUrl: modelUrl, model: "test-model" } },
    pace: of({ telegram: { ...pace, perGroupPerMinute: 0 }, slack: pace, discord: pace }),
  };
  writeFileSync(file, JSON.stringify(config));
  return { args: [join(project, "tidegate"), "start", "--config", file], env: {} };
}

/** For memory to count as settled it moves less than this, for this long. */
const STILL_KB = 256;
const STILL_MS = 2000;
const LOOK_MS = 100;
/** Kernel clock ticks a second: 100 on every Linux. */
const TICK_MS = 10;

/** A running bot. Disposing it asks it to stop and waits for its end. */
export class Subject implements AsyncDisposable {
  readonly startedAt: number = steadyMs();
  readonly #child: ChildProcess;
  readonly #notes: string;

  /** `notes`: the file that gets what it prints. `nodeArgs`: for Node itself. */
  constructor(program: Program, notes: string, nodeArgs: readonly string[] = []) {
    this.#notes = notes;
    const out = openSync(notes, "w");
    this.#child = spawn(process.execPath, [...nodeArgs, ...program.args], {
      stdio: ["ignore", out, out],
      env: { ...process.env, ...program.env },
    });
    closeSync(out);
  }

  /** Resolves with what `seen` does, unless the bot ends before. */
  async until<T>(seen: Promise<T>): Promise<T> {
    const over = new AbortController();
    const ended = once(this.#child, "exit", { signal: over.signal }).then(() => {
      throw new Error(`The bot ended too early:\n${readFileSync(this.#notes, "utf8").slice(-2000)}`);
    });
    try {
      return await Promise.race([seen, ended]);
    } finally {
      over.abort();
      await ended.catch(() => undefined);
    }
  }

  /** Resident memory in MB, now. */
  residentMb(): number {
    const [, kb = ""] = /^VmRSS:\s+(\d+) kB$/m.exec(this.#proc("status")) ?? [];
    return Number(kb) / 1024;
  }

  /** Resident memory in MB, once it has stood still for two seconds. */
  async settledMb(): Promise<number> {
    let seen = this.residentMb();
    for (let since = steadyMs(); steadyMs() - since < STILL_MS;) {
      await sleep(LOOK_MS);
      const now = this.residentMb();
      if (Math.abs(now - seen) * 1024 < STILL_KB) continue;
      seen = now;
      since = steadyMs();
    }
    return seen;
  }

  /** Processor time used so far, all threads. */
  busyMs(): number {
    // The name may hold spaces; what follows it does not.
    const fields = this.#proc("stat").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }

  #proc(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, "utf8");
  }
}
