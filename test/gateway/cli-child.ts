// ./tidegate as a program of its own: a home of its own, an environment of its own, and what it prints.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as nextLook } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ask } from "../../src/gateway/socket.ts";

const launcher = fileURLToPath(new URL("../../tidegate", import.meta.url));

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** A program that runs. `seen` resolves once what it printed (both streams) matches; it rejects when it ends before. */
export type Running = {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  readonly say: (line: string) => void;
  readonly seen: (pattern: RegExp) => Promise<string>;
};

type How = {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** For Node itself. */
  readonly node?: readonly string[];
};

/** A home folder with its own config, in which the program runs. Disposing it ends what still runs there. */
export class Home implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "tg-"));
  readonly #running: Running[] = [];

  get data(): string {
    return join(this.folder, ".tidegate");
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    const file = this.path(name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  /** The config that is found by itself. */
  config(text: string): string {
    return this.write("tidegate.yaml", text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  /** Starts it; its input stays open unless `input` says all of it. */
  start(args: readonly string[], how: How = {}): Running {
    return this.#spawn([...(how.node ?? []), launcher, ...args], how);
  }

  #spawn(args: readonly string[], how: How): Running {
    const child = spawn(process.execPath, args, {
      cwd: how.cwd ?? this.folder,
      env: { PATH: "/nowhere", HOME: this.folder, NO_COLOR: "1", ...how.env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    let out = "";
    let err = "";
    let over = false;
    const looks = new Set<() => void>();
    const look = (): void => {
      for (const one of looks) one();
    };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      out += chunk;
      look();
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      err += chunk;
      look();
    });
    child.stdin.on("error", () => undefined);
    if (how.input !== undefined) child.stdin.end(how.input);
    const end = once(child, "close").then(([code]): Ended => {
      over = true;
      look();
      return { code: code as number | null, out, err };
    });
    const running: Running = {
      child,
      end,
      say: (line) => void child.stdin.write(`${line}\n`),
      seen: async (pattern) =>
        await new Promise((resolve, reject) => {
          const one = (): void => {
            const found = pattern.exec(out) ?? pattern.exec(err);
            if (found === null && !over) return;
            looks.delete(one);
            if (found === null) reject(new Error(`Ended without ${pattern}:\n${out}\n${err}`));
            else resolve(found[0]);
          };
          looks.add(one);
          one();
        }),
    };
    this.#running.push(running);
    return running;
  }

  /** Runs it to its end. */
  async run(args: readonly string[], how: How = {}): Promise<Ended> {
    return await this.start(args, { input: "", ...how }).end;
  }

  /** Runs a module of one's own to its end. */
  async node(source: string): Promise<Ended> {
    return await this.#spawn(["--input-type=module", "-e", source], { input: "" }).end;
  }

  /** Starts a gateway with an open pipe and waits until it takes requests. */
  async gateway(how: How = {}): Promise<Running> {
    const running = this.start(["start"], how);
    // Its socket is the last thing that it opens.
    for (;;) {
      if ((await ask(this.data, { do: "status" })) !== undefined) return running;
      if (running.child.exitCode !== null) throw new Error(`The gateway ended: ${(await running.end).err}`);
      await nextLook(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, end } of this.#running) {
      child.kill("SIGKILL");
      await end;
    }
    for (const name of readdirSync(this.folder)) chmodSync(join(this.folder, name), 0o700);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
