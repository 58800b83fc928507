// Programs that engines run: each leads a process group of its own, and when it ends, or is ended, everything that it started does too.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { GatewayError } from "../core/error.ts";
import type { Clock, Watchdog } from "../core/surroundings.ts";

/** What to run. `env` is the whole environment: nothing of ours is added but the watchdog's mark. */
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

const MAX_COMPLAINTS_UNITS = 16_384;
/** After its input is closed, and after SIGTERM. */
const TERMINATE_AFTER_MS = 500;
const KILL_AFTER_MS = 1_000;

/** Starts a program; throws a GatewayError in words when it isn't there. */
export async function startProgram(order: ProgramOrder, clock: Clock, watchdog: Watchdog): Promise<Program> {
  const { command, args, cwd, env, called } = order;
  const child = spawn(command, args, {
    ...{ cwd, detached: true, stdio: ["pipe", "pipe", "pipe"] },
    env: { ...env, ...watchdog.mark },
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-MAX_COMPLAINTS_UNITS);
  });
  // It may be gone already when something is written.
  child.stdin.on("error", () => undefined);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", () =>
      reject(new GatewayError("engine-missing", `${called} can't be started: its program isn't there.`)),
    );
  });
  const pid = child.pid ?? 0;
  const release = watchdog.group(pid);
  const gone = new AbortController();
  child.once("exit", () => signalGroup(pid, "SIGKILL"));
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("close", (code, signal) => {
      gone.abort();
      release();
      resolve({ code, signal });
    });
  });
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    child.stdin.end();
    try {
      await clock.sleep(TERMINATE_AFTER_MS, gone.signal);
      signalGroup(pid, "SIGTERM");
      await clock.sleep(KILL_AFTER_MS, gone.signal);
      signalGroup(pid, "SIGKILL");
    } catch {
      // It is gone.
    }
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

function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid <= 1) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
