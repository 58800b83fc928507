// Claude Code, the real program, before a loopback model: everything in a folder of its own.
import { readFile, writeFile } from "node:fs/promises";
import type { Engine } from "../../src/core/engine.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { claudeEngine } from "../../src/engines/claude-code/engine.ts";
import type { ClaudeOptions } from "../../src/engines/claude-code/engine.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { CLAUDE_TONGUE, keptFiles, removeKept, scriptModels } from "../contracts/session-script.ts";
import type { SessionStage } from "../contracts/sessions.ts";
import { inFolder, testHost } from "../engines/host.ts";
import { keepingLog } from "../engines/play.ts";
import { fieldsOf, textOf } from "../wire/models-script.ts";
import type { ModelRequest } from "../wire/models-script.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import { PROGRAMS } from "./where.ts";

export const KEY = "key-that-nobody-may-see-4711";
export const MODEL = "claude-sonnet-5";
const HIDDEN = [KEY, "the provider's very own words"];

export type ClaudeStage = SessionStage & { readonly models: ModelsWire; readonly log: { readonly lines: string[] } };

export async function claudeStage(
  options: Partial<ClaudeOptions> = {},
  clock: Clock = realClock,
): Promise<ClaudeStage> {
  const host = await testHost();
  const models = await startModels({ apiKey: KEY });
  const log = keepingLog();
  const make = async (): Promise<Engine> => {
    const given = { name: "claude", sdk: PROGRAMS, apiKey: KEY, model: MODEL, baseUrl: models.baseUrl, ...options };
    return inFolder(await claudeEngine(given, { clock, random: realRandom, log }, host), `${host.root}/work/c0`);
  };
  let engine = await make();
  return {
    get engine() {
      return engine;
    },
    ...{ host, models, log, hidden: HIDDEN, reads: true },
    cue: scriptModels(models, CLAUDE_TONGUE, HIDDEN),
    system: () => (models.last === undefined ? "" : ourWords(models.last)),
    told: () => JSON.stringify(models.last?.body ?? ""),
    requests: () => models.requestCount,
    closed: async () => await models.until(() => models.requests.some((request) => request.state === "aborted")),
    async restart() {
      await engine[Symbol.asyncDispose]();
      engine = await make();
      return engine;
    },
    async damage(resumeId) {
      const file = await sessionFile(host.sessions, resumeId);
      // It passes over a line that it can't read: with some left it would go on half knowing.
      const lines = (await readFile(file, "utf8")).split("\n");
      await writeFile(file, lines.map((line) => line.slice(0, -2)).join("\n"));
    },
    lose: async (resumeId) => await removeKept(host.sessions, resumeId),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** The file of a session's lines. */
export async function sessionFile(sessions: string, resumeId: string): Promise<string> {
  const file = (await keptFiles(sessions, resumeId)).find((path) => path.endsWith(".jsonl"));
  if (file === undefined) throw new Error("Nothing is kept under that id.");
  return file;
}

/** The standing words: the program puts lines of its own before them. */
export function ourWords(request: ModelRequest): string {
  return textOf(fieldsOf(request.body["system"]).slice(-1));
}
