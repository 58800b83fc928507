// Programs that engines run: each leads a process group of its own, and when it ends, or is ended, everything that it started does too.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { GatewayError } from "../core/error.ts";
import type { Clock, Watchdog } from "../core/surroundings.ts";
import { within } from "./deadline.ts";
import { endRest, signal } from "./strays.ts";

/** What to run. `env` is the whole environment: nothing of ours is added but the watchdog's mark and the program's own. */
export type ProgramOrder = {
  /** A name on the PATH of `env`, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What people call the program, for words about it. */
  readonly called: string;
};

/** How a program ended. */
export type ProgramEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running program. Disposing it ends it with all that it started, and resolves when that is seen to be gone. */
export type Program = AsyncDisposable & {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when it has ended and its output is read; never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** The end of what it wrote to its error output, for the operator: it may hold anything. */
  readonly complaints: () => string;
};

/** A variable that everything hands down which a program starts, whatever group or session that makes for itself. */
const RUN = "TIDEGATE_RUN";
const MAX_COMPLAINTS_UNITS = 16_384;
const START_WITHIN_MS = 10_000;
/** After its input is closed, after SIGTERM, and after SIGKILL. */
const TERMINATE_AFTER_MS = 500;
const KILL_AFTER_MS = 1_000;
const GIVE_UP_AFTER_MS = 500;

let runs = 0;

/** Starts a program; throws a GatewayError in words when it can't be started. */
export async function startProgram(order: ProgramOrder, clock: Clock, watchdog: Watchdog): Promise<Program> {
  const { called } = order;
  runs += 1;
  const run = [...Object.values(watchdog.mark), process.pid, runs].join(".");
  let pid: number | undefined;
  let release: (() => void) | undefined;
  try {
    const child = spawn(order.command, order.args, {
      ...{ cwd: order.cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] },
      env: { ...order.env, ...watchdog.mark, [RUN]: run },
    });
    pid = child.pid;
    // Before anything is waited for: the gateway may end at any time.
    if (pid !== undefined) release = watchdog.group(pid);
    const late = (): GatewayError => new GatewayError("engine-failed", `${called} did not start in time.`);
    await within(clock, START_WITHIN_MS, late, async () => await spawned(child));
    return running(child, pid ?? 0, `${RUN}=${run}`, release, clock);
  } catch (thrown) {
    if (pid !== undefined) signal(-pid, "SIGKILL");
    release?.();
    throw thrown instanceof GatewayError ? thrown : await whyNot(order, thrown);
  }
}

/** The words for a program that ended while something was still awaited of it. */
export function endedEarly(called: string, { code, signal: by }: ProgramEnd): GatewayError {
  const how = by === null ? `exit code ${code ?? "unknown"}` : `signal ${by}`;
  return new GatewayError("engine-failed", `${called} ended in the middle of its work (${how}).`);
}

type Child = Program["child"];

async function spawned(child: Child): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
}

function running(child: Child, pid: number, mark: string, release: (() => void) | undefined, clock: Clock): Program {
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = lastOf(complaints + text);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr])
    // It may be gone already when something is written.
    stream.on("error", () => undefined);
  // What is said of a signal that did not reach it, or of a message; its end is told by "exit".
  child.on("error", () => undefined);
  const gone = new AbortController();
  const rest = Promise.withResolvers<void>();
  child.once("exit", () => {
    gone.abort();
    // In this order: from here on its group's number may be another's.
    const ending = endRest(pid, mark, clock);
    release?.();
    void ending.catch(() => undefined).then(rest.resolve);
  });
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("close", (code, by) => resolve({ code, signal: by }));
  });
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    child.stdin.end();
    try {
      await clock.sleep(TERMINATE_AFTER_MS, gone.signal);
      signal(-pid, "SIGTERM");
      await clock.sleep(KILL_AFTER_MS, gone.signal);
      signal(-pid, "SIGKILL");
      await clock.sleep(GIVE_UP_AFTER_MS, gone.signal);
      // The system itself holds it fast: its watch goes on.
      return;
    } catch {
      // It is gone.
    }
    await rest.promise;
    // Whoever reads its output may have stopped, or something that can't be found holds it open.
    const read = new AbortController();
    void ended.then(() => read.abort());
    await clock.sleep(GIVE_UP_AFTER_MS, read.signal).then(
      () => {
        child.stdout.destroy();
        child.stderr.destroy();
      },
      () => undefined,
    );
    await ended;
  };
  return {
    child,
    ended,
    complaints: () => complaints,
    async [Symbol.asyncDispose]() {
      ending ??= end();
      await ending;
    },
  };
}

/** The last of it, and no half of a character at its beginning. */
function lastOf(text: string): string {
  const last = text.slice(-MAX_COMPLAINTS_UNITS);
  return /^[\uDC00-\uDFFF]/u.test(last) ? last.slice(1) : last;
}

/** In words why it can't be started: the system says ENOENT of its folder, of the program, and of what the program is run by. */
async function whyNot({ command, cwd, env, called }: ProgramOrder, cause: unknown): Promise<GatewayError> {
  const words = (code: "engine-failed" | "engine-missing", why: string): GatewayError =>
    new GatewayError(code, `${called} can't be started: ${why}.`, { cause });
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) return words("engine-failed", "the folder that it is to work in isn't there");
  const places = command.includes("/") ? [""] : (env["PATH"] ?? "/usr/bin:/bin").split(delimiter);
  const files = places.map((place) => resolve(cwd, place === "" ? command : join(place, command)));
  const found = await Promise.all(files.map(async (file) => await stat(file).catch(() => undefined)));
  const there = files.filter((_, at) => found[at]?.isFile() === true);
  if (there.length === 0) return words("engine-missing", "its program isn't there");
  const may = await Promise.all(there.map(async (file) => await access(file, constants.X_OK).then(yes, no)));
  if (!may.includes(true)) return words("engine-missing", "its program's file may not be run");
  const missing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
  if (missing) return words("engine-missing", "what its program is run by isn't there");
  return words("engine-failed", "the system refused to start it");
}

const yes = (): boolean => true;
const no = (): boolean => false;
