// The program's process, started our way and handed to the SDK in the shape that it wants.
import { EventEmitter } from "node:events";
import { access, constants } from "node:fs/promises";
import { PassThrough } from "node:stream";
import { asGatewayError, GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import type { EngineHost } from "../host.ts";
import { startProgram, type Program } from "../process.ts";
import type { SpawnedProcess, SpawnOrder } from "./sdk.ts";

/** A process of the program's; disposing it ends it with all that it started. */
export type Launched = AsyncDisposable & {
  /** Hands it to the SDK, which asks once. */
  readonly spawn: (order: SpawnOrder) => SpawnedProcess;
  /** The end of its error output. */
  readonly complaints: () => string;
  /** Why it could not be started. */
  readonly failure: () => GatewayError | undefined;
};

/**
 * Gives the program a secret through a pipe that only it reads, so that it is neither in its environment, which its own children get,
 * nor among its arguments. It comes as the first line of the input. The program reads descriptor 3 where it is told to.
 */
const HAND_OVER = 'IFS= read -r key; exec 3<<END\n$key\nEND\nunset key; exec "$@"';

/** `secret`: given to the program through descriptor 3. */
export function launch(host: EngineHost, clock: Clock, secret: string | undefined): Launched {
  let starting: Promise<Program> | undefined;
  let program: Program | undefined;
  let failure: GatewayError | undefined;
  return {
    complaints: () => program?.complaints() ?? "",
    failure: () => failure,
    spawn: (order) => {
      const shape = new Shape();
      starting = start(order, host, clock, secret);
      starting.then(
        (started) => {
          program = started;
          shape.attach(started);
        },
        (thrown: unknown) => {
          failure = asGatewayError(thrown, "engine-missing");
          shape.fail(failure);
        },
      );
      return shape;
    },
    async [Symbol.asyncDispose]() {
      const started = await starting?.catch(() => undefined);
      await started?.[Symbol.asyncDispose]();
    },
  };
}

async function start(
  { command, args, cwd = "/", env }: SpawnOrder,
  host: EngineHost,
  clock: Clock,
  secret: string | undefined,
): Promise<Program> {
  if (command.includes("/")) {
    await access(command, constants.X_OK).catch(() => {
      throw new GatewayError("engine-missing", "Claude Code can't be started: its program isn't there.");
    });
  }
  const known = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const plain = { cwd, env: Object.fromEntries(known), called: "Claude Code" };
  if (secret === undefined) return await startProgram({ ...plain, command, args }, clock, host.watchdog);
  const through = ["-c", HAND_OVER, "sh", command, ...args];
  const program = await startProgram({ ...plain, command: "/bin/sh", args: through }, clock, host.watchdog);
  program.child.stdin.write(`${secret}\n`);
  return program;
}

/** Streams that are there before the process is. */
class Shape extends EventEmitter implements SpawnedProcess {
  readonly stdin: PassThrough = new PassThrough();
  readonly stdout: PassThrough = new PassThrough();
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  killed = false;
  #program: Program | undefined;

  attach(program: Program): void {
    this.#program = program;
    const { child } = program;
    this.stdin.pipe(child.stdin);
    child.stdout.pipe(this.stdout);
    child.once("exit", (code, signal) => {
      this.exitCode = code;
      this.signalCode = signal;
      this.emit("exit", code, signal);
    });
    if (this.killed) this.#end();
  }

  fail(thrown: unknown): void {
    this.stdout.end();
    // Nobody may be listening any more.
    if (this.listenerCount("error") > 0) this.emit("error", thrown);
  }

  kill(_signal: NodeJS.Signals): boolean {
    this.killed = true;
    this.#end();
    return true;
  }

  #end(): void {
    void this.#program?.[Symbol.asyncDispose]();
  }
}
