// From an engine's lines in the config to the engine. The only importer of the folders here; each is loaded when it is named.
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { ApiOptions } from "./api/engine.ts";
import type { ClaudeOptions } from "./claude-code/engine.ts";
import type { CodexOptions } from "./codex/engine.ts";
import type { EngineHost } from "./host.ts";

/** What the config may say of an engine behind an API, apart from its kind. */
export type ApiSettings = Omit<ApiOptions, "name" | "kind">;

/** What the config may say of the programs. */
export type ClaudeSettings = Omit<ClaudeOptions, "name">;
export type CodexSettings = Omit<CodexOptions, "name">;

/** One engine of the config. */
export type EngineSettings =
  | ({ readonly kind: "openai" | "anthropic" | "google"; readonly apiKey: string } & ApiSettings)
  | ({ readonly kind: "openai-compatible"; readonly baseUrl: string } & ApiSettings)
  | ({ readonly kind: "claude-code" } & ClaudeSettings)
  | ({ readonly kind: "codex" } & CodexSettings)
  /** `wordMs`: how long each word takes; 0 by default, about 15 for a person who watches. */
  | { readonly kind: "demo"; readonly wordMs?: number | undefined };

/** Makes the engine `name`. Throws a GatewayError when the settings can't make one. */
export async function createEngine(
  name: string,
  settings: EngineSettings,
  surroundings: Surroundings,
  host: EngineHost,
): Promise<Engine> {
  switch (settings.kind) {
    case "demo": {
      const { demoEngine } = await import("./demo/engine.ts");
      return demoEngine({ name, clock: surroundings.clock, wordMs: settings.wordMs });
    }
    case "claude-code": {
      const { claudeEngine } = await import("./claude-code/engine.ts");
      return await claudeEngine({ ...settings, name }, surroundings, host);
    }
    case "codex": {
      const { codexEngine } = await import("./codex/engine.ts");
      return await codexEngine({ ...settings, name }, surroundings, host);
    }
    case "openai":
    case "anthropic":
    case "google":
    case "openai-compatible": {
      const { apiEngine } = await import("./api/engine.ts");
      return await apiEngine({ ...settings, name }, surroundings);
    }
  }
}
