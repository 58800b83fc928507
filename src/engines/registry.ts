// From an engine's lines in the config to the engine. The only importer of the folders here; each is loaded when it is named.
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { ApiOptions } from "./api/engine.ts";

/** What the config may say of an engine behind an API, apart from its kind. */
export type ApiSettings = Omit<ApiOptions, "name" | "kind">;

/** One engine of the config. */
export type EngineSettings =
  | ({ readonly kind: "openai" | "anthropic" | "google"; readonly apiKey: string } & ApiSettings)
  | ({ readonly kind: "openai-compatible"; readonly baseUrl: string } & ApiSettings)
  /** `wordMs`: how long each word takes; 0 by default, about 15 for a person who watches. */
  | { readonly kind: "demo"; readonly wordMs?: number | undefined };

/** Makes the engine `name`. Throws a GatewayError when the settings can't make one. */
export async function createEngine(
  name: string,
  settings: EngineSettings,
  surroundings: Surroundings,
): Promise<Engine> {
  switch (settings.kind) {
    case "demo": {
      const { demoEngine } = await import("./demo/engine.ts");
      return demoEngine({ name, clock: surroundings.clock, wordMs: settings.wordMs });
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
