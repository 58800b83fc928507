// An engine behind a loopback model server, of each kind, with the world it needs.
import { onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { createEngine } from "../../src/engines/registry.ts";
import type { ApiSettings } from "../../src/engines/registry.ts";
import { realClock } from "../../src/gateway/real.ts";
import type { Act, Stage } from "../contracts/engine.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import type { Step } from "../wire/models-script.ts";
import { bareHost } from "./host.ts";
import { evenRandom, keepingLog } from "./play.ts";

export const KINDS = ["openai", "anthropic", "google", "openai-compatible"] as const;
export type Kind = (typeof KINDS)[number];
export const KEY = "key-that-nobody-may-see-4711";

export type ApiStage = {
  readonly engine: Engine;
  readonly models: ModelsWire;
  readonly log: { readonly lines: string[] };
};

/** Server and engine for one test; both end with it. */
export async function apiStage(
  kind: Kind,
  settings: Partial<ApiSettings> = {},
  clock: Clock = realClock,
): Promise<ApiStage> {
  const models = await startModels({ apiKey: KEY });
  onTestFinished(async () => await models[Symbol.asyncDispose]());
  return { models, ...(await engineAt(kind, urlOf(kind, models), settings, clock)) };
}

/** An engine for a server at this address. */
export async function engineAt(
  kind: Kind,
  baseUrl: string,
  settings: Partial<ApiSettings> = {},
  clock: Clock = realClock,
): Promise<Omit<ApiStage, "models">> {
  const log = keepingLog();
  const given = { kind, model: "test-model", apiKey: KEY, baseUrl, ...settings } as const;
  // The union's kinds share these fields; which one it is, only the table of kinds knows.
  const engine = await createEngine(
    "model",
    given as Parameters<typeof createEngine>[1],
    {
      clock,
      random: evenRandom,
      log,
    },
    bareHost(),
  );
  return { engine, log };
}

export function urlOf(kind: Kind, models: ModelsWire): string {
  if (kind === "google") return models.googleUrl;
  return kind === "anthropic" ? models.anthropicUrl : models.openaiUrl;
}

/** The stage for the contract: what a cue brings about goes by its words, so that turns may run side by side. */
export async function contractStage(kind: Kind): Promise<Stage> {
  const models = await startModels({ apiKey: KEY });
  const { engine } = await engineAt(kind, urlOf(kind, models), { maxRetries: 0 });
  const acts = new Map<string, Act>();
  const asked = new Map<string, number>();
  models.always((request) => {
    const words = request.lastUserText;
    const act = acts.get(words);
    const count = (asked.get(words) ?? 0) + 1;
    asked.set(words, count);
    return act === undefined ? ["Hi."] : reply(act, count, JSON.stringify(request.body));
  });
  return {
    engine,
    cue: (act) => {
      const words = `cue ${acts.size + 1}`;
      acts.set(words, act);
      return words;
    },
    system: () => models.last?.system ?? "",
    closed: async () => await models.until(() => models.requests.some((request) => request.state === "aborted")),
    hidden: [KEY, "the provider's very own words"],
    [Symbol.asyncDispose]: async () => await models[Symbol.asyncDispose](),
  };
}

function reply(act: Act, count: number, told: string): Step[] {
  switch (act.is) {
    case "says":
      return [{ text: act.text, chunk: 5 }];
    case "calls": {
      const tool = act.tools[count - 1];
      if (tool !== undefined) return ["Let me see. ", { tool, args: { at: "sea" } }];
      return [told.includes(act.answer) ? `It says: ${act.answer}` : "It says nothing."];
    }
    case "talks-on":
      return ["On and ", "on", { hang: true }];
    case "recalls":
      return [told.includes(act.word) ? `It was ${act.word}.` : "I was told nothing."];
    case "fails":
      return [{ status: 418, message: `the provider's very own words with ${KEY}` }];
  }
}
