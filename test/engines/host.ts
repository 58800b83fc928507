// The machine around an engine under test: folders of its own and a bare environment.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../src/core/engine.ts";
import type { Watchdog } from "../../src/core/surroundings.ts";
import type { EngineHost } from "../../src/engines/host.ts";

/** A watchdog that only counts what it was told of and not yet released. */
export type CountingWatchdog = Watchdog & { readonly groups: Set<number>; readonly folders: Set<string> };

export function countingWatchdog(): CountingWatchdog {
  const groups = new Set<number>();
  const folders = new Set<string>();
  return {
    ...{ groups, folders, mark: { TIDEGATE_CHILD: "test" } },
    group(pid) {
      groups.add(pid);
      return () => void groups.delete(pid);
    },
    folder(path) {
      folders.add(path);
      return () => void folders.delete(path);
    },
  };
}

export type TestHost = EngineHost & AsyncDisposable & { readonly root: string; readonly watchdog: CountingWatchdog };

/** Made in a folder of its own, which goes when it is disposed. */
export async function testHost(env: Readonly<Record<string, string>> = {}): Promise<TestHost> {
  const root = await mkdtemp(join(tmpdir(), "tidegate-host-"));
  return {
    root,
    env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...env, HOME: join(root, "home") },
    home: join(root, "home"),
    sessions: join(root, "data", "engine-sessions"),
    temporary: root,
    watchdog: countingWatchdog(),
    [Symbol.asyncDispose]: async () => await rm(root, { recursive: true, force: true }),
  };
}

/** For engines that are no programs: nothing is there. */
export function bareHost(): EngineHost {
  const nowhere = "/nowhere";
  return { env: {}, home: nowhere, sessions: nowhere, temporary: nowhere, watchdog: countingWatchdog() };
}

/** Turns that name no real folder work in this one. */
export function inFolder(engine: Engine, folder: string): Engine {
  return {
    name: engine.name,
    can: engine.can,
    run: (input) => engine.run(input.workFolder === "/nowhere" ? { ...input, workFolder: folder } : input),
    forget: async (resumeId) => await engine.forget(resumeId),
    check: async (signal) => await engine.check(signal),
    [Symbol.asyncDispose]: async () => await engine[Symbol.asyncDispose](),
  };
}
