// Codex as an engine, by its app-server.
import type { Engine } from "../../core/engine.ts";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { EngineHost } from "../host.ts";

/** What the config may say of Codex. */
export type CodexOptions = {
  readonly name: string;
  /** The program: a name on the PATH or a file. */
  readonly command?: string | undefined;
  /** Left out: the program's own choice. */
  readonly model?: string | undefined;
  /** Left out: the owner's own sign-in of the program. */
  readonly apiKey?: string | undefined;
  /** Another address that speaks OpenAI's Responses; left out: OpenAI's. */
  readonly baseUrl?: string | undefined;
};

export async function codexEngine(options: CodexOptions, _s: Surroundings, _h: EngineHost): Promise<Engine> {
  await Promise.resolve();
  throw new GatewayError("engine-missing", `${options.name} is not built yet.`);
}
