// Apps that are programs on this machine, spoken to over their input and output. Not by the SDK's own transport: its buffer copies all
// that it holds with each piece that comes (ten seconds of computing for a message of 10 MB), and it leaves behind what a program started.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdir } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { GatewayError } from "../core/error.ts";
import type { Clock, Surroundings } from "../core/surroundings.ts";
import { tooLarge } from "./fetching.ts";
import type { Bounds, Wire } from "./link.ts";

type Program = ChildProcessByStdio<Writable, Readable, null>;

const TERMINATE_AFTER_MS = 1_000;
const KILL_AFTER_MS = 1_000;
const GIVE_UP_AFTER_MS = 500;

/**
 * A program in a folder of its own, which is made. Its environment is PATH, HOME and the like, and what the entry names. What it writes
 * to its error output goes nowhere: it is no word of ours and may hold secrets. Whatever it started ends with it.
 */
export async function stdioWire(
  name: string,
  [command, ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
  folder: string,
  bounds: Bounds,
  { clock, watchdog }: Pick<Surroundings, "clock" | "watchdog">,
): Promise<Wire> {
  const [{ getDefaultEnvironment }, { JSONRPCMessageSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/stdio.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  if (command === undefined) throw new GatewayError("app-failed", `${name} has no command.`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const env = { ...getDefaultEnvironment(), ...variables, ...watchdog?.mark };
  let why: GatewayError | undefined;
  let program: Program | undefined;
  let ending: Promise<void> | undefined;
  const gone = new AbortController();
  const isGone = (): void => {
    if (gone.signal.aborted) return;
    gone.abort();
    transport.onclose?.();
  };
  const end = async (): Promise<void> => {
    if (program === undefined || gone.signal.aborted) return;
    ending ??= endProgram(program, gone.signal, clock).then(isGone);
    await ending;
  };
  const transport: Transport = {
    async start() {
      // A group of its own: what it starts is in it as well.
      const started = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"], detached: true });
      program = started;
      started.stdin.on("error", (error) => transport.onerror?.(error));
      const release = started.pid === undefined ? undefined : watchdog?.group(started.pid);
      started.once("exit", () => {
        signalGroup(started, "SIGKILL");
        release?.();
      });
      started.once("close", isGone);
      const read = lineReader(
        bounds.maxBytes,
        (line) => {
          // A program that says something else on its output is passed over.
          const message = JSONRPCMessageSchema.safeParse(parsed(line));
          if (message.success) transport.onmessage?.(message.data);
        },
        () => {
          why = tooLarge(name, bounds.maxBytes);
          signalGroup(started, "SIGKILL");
        },
      );
      started.stdout.on("data", read);
      await new Promise<void>((resolve, reject) => {
        started.once("spawn", resolve);
        started.once("error", (cause) => {
          why ??= new GatewayError("app-failed", `${name} can't be started: its program isn't there.`, { cause });
          isGone();
          reject(why);
        });
      });
    },
    async send(message) {
      const input = program?.stdin;
      if (input?.writable !== true) throw new GatewayError("app-failed", `${name} has ended.`);
      await new Promise<void>((resolve, reject) => {
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    close: end,
  };
  return { transport, why: () => why, end };
}

/** Closes a program's input, and uses more force as time goes by. Resolves when it is gone, or nothing helps. */
async function endProgram(program: Program, gone: AbortSignal, clock: Clock): Promise<void> {
  program.stdin.end();
  try {
    await clock.sleep(TERMINATE_AFTER_MS, gone);
    signalGroup(program, "SIGTERM");
    await clock.sleep(KILL_AFTER_MS, gone);
    signalGroup(program, "SIGKILL");
    await clock.sleep(GIVE_UP_AFTER_MS, gone);
  } catch {
    // It is gone.
  }
}

function signalGroup({ pid }: Program, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

/** Gathers pieces to lines, each byte looked at once. A line longer than `maxBytes` ends the reading. */
function lineReader(maxBytes: number, take: (line: string) => void, tooLong: () => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  let over = false;
  return (piece) => {
    if (over) return;
    let from = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", from)) {
      const line = Buffer.concat([...pieces, piece.subarray(from, end)]).toString("utf8");
      pieces = [];
      size = 0;
      from = end + 1;
      take(line);
    }
    pieces.push(piece.subarray(from));
    size += piece.length - from;
    if (size <= maxBytes) return;
    over = true;
    pieces = [];
    tooLong();
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
