// Claude Code as an engine, by its Agent SDK.
import type { Engine } from "../../core/engine.ts";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { EngineHost } from "../host.ts";

/** What the config may say of Claude Code. */
export type ClaudeOptions = {
  readonly name: string;
  /** Left out: the program's own choice. */
  readonly model?: string | undefined;
  /** Left out: the owner's own sign-in of the program. */
  readonly apiKey?: string | undefined;
  /** Another address that speaks the same; left out: Anthropic's. */
  readonly baseUrl?: string | undefined;
  /** The program's file, where it is not the one that comes with the SDK. */
  readonly command?: string | undefined;
  /** The folder whose node_modules holds the Agent SDK, where it isn't installed beside Tidegate. */
  readonly sdk?: string | undefined;
};

export async function claudeEngine(options: ClaudeOptions, _s: Surroundings, _h: EngineHost): Promise<Engine> {
  await Promise.resolve();
  throw new GatewayError("engine-missing", `${options.name} is not built yet.`);
}
