// What a process is started with, and the folders that it needs, made when they are needed.
import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnInput } from "../../core/turn.ts";
import { startOf, type Setup, type Start } from "./options.ts";
import { privateFolder } from "./sessions.ts";
import { lockedToken } from "./sign-in.ts";

export class Starting implements AsyncDisposable {
  readonly #setup: Setup;
  readonly #surroundings: Surroundings;
  #empty: Promise<string> | undefined;
  #used = false;
  #release: () => void = () => undefined;

  constructor(setup: Setup, surroundings: Surroundings) {
    this.#setup = setup;
    this.#surroundings = surroundings;
  }

  /** Throws in words where a locked turn has no way to sign in. */
  async start(input: TurnInput): Promise<Start> {
    const { folders, apiKey } = this.#setup;
    const config = input.locked ? folders.config.locked : folders.config.owner;
    if (config !== undefined) await privateFolder(config);
    this.#used = true;
    await privateFolder(folders.scratch);
    const cwd = input.locked ? await this.#emptyFolder() : input.workFolder;
    if (!input.locked) await privateFolder(cwd);
    const asks = input.locked && apiKey === undefined;
    const token = asks ? await lockedToken(folders.kept.owner, this.#surroundings.clock.now()) : undefined;
    return startOf(this.#setup, input, cwd, token);
  }

  /** Everything that was started has ended by now. Who started nothing leaves alone what a gateway beside it uses. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#used) await rm(this.#setup.folders.scratch, { recursive: true, force: true });
    const empty = await this.#empty?.catch(() => undefined);
    if (empty !== undefined) await rm(empty, { recursive: true, force: true });
    this.#release();
  }

  /** Holds nothing and says nothing of this machine. The system may tidy it away meanwhile: then there is another. */
  async #emptyFolder(): Promise<string> {
    for (;;) {
      const made = (this.#empty ??= this.#makeEmpty());
      const path = await made.catch(() => undefined);
      if (path !== undefined && (await isFolder(path))) return path;
      if (this.#empty === made) {
        this.#empty = undefined;
        this.#release();
      }
      // What it was made to fail by is told; the next turn tries anew.
      if (path === undefined) return await made;
    }
  }

  async #makeEmpty(): Promise<string> {
    const { temporary, watchdog } = this.#setup.host;
    const path = join(temporary, `empty-${this.#surroundings.random.key(9)}`);
    await mkdir(path, { mode: 0o700 });
    this.#release = watchdog.folder(path);
    return path;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
