// What a process is started with, and the folders that it needs, made when they are needed.
import { mkdir, rm } from "node:fs/promises";
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
    await privateFolder(folders.scratch);
    const cwd = input.locked ? await this.#emptyFolder() : input.workFolder;
    if (!input.locked) await privateFolder(cwd);
    const asks = input.locked && apiKey === undefined;
    const token = asks ? await lockedToken(folders.kept.owner, this.#surroundings.clock.now()) : undefined;
    return startOf(this.#setup, input, cwd, token);
  }

  /** Everything that was started has ended by now. */
  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#setup.folders.scratch, { recursive: true, force: true });
    const empty = await this.#empty?.catch(() => undefined);
    if (empty !== undefined) await rm(empty, { recursive: true, force: true });
    this.#release();
  }

  /** Holds nothing and says nothing of this machine. */
  async #emptyFolder(): Promise<string> {
    const make = async (): Promise<string> => {
      const { temporary, watchdog } = this.#setup.host;
      const path = join(temporary, `empty-${this.#surroundings.random.key(9)}`);
      await mkdir(path, { mode: 0o700 });
      this.#release = watchdog.folder(path);
      return path;
    };
    this.#empty ??= make();
    return await this.#empty;
  }
}
