// The machine as engines see it, from what the gateway was started with.
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Watchdog } from "../core/surroundings.ts";
import { childEnvironment } from "../engines/environment.ts";
import type { EngineHost } from "../engines/host.ts";

/** `env`: the gateway's own environment. `secrets`: what no child may be told. */
export function engineHost(from: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly data: string;
  readonly secrets: readonly string[];
  readonly watchdog: Watchdog;
}): EngineHost {
  const { env, home, data, secrets, watchdog } = from;
  const { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex } = env;
  return {
    env: childEnvironment(env, secrets),
    home,
    ...(claude === undefined || claude === "" ? {} : { claudeFolder: resolve(claude) }),
    ...(codex === undefined || codex === "" ? {} : { codexFolder: resolve(codex) }),
    sessions: join(data, "engine-sessions"),
    temporary: tmpdir(),
    watchdog,
  };
}
