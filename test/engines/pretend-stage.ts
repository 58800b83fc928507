// Claude Code and Codex as engines, with the pretend programs behind them and a loopback model behind those.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../../src/core/engine.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import type { EngineHost } from "../../src/engines/host.ts";
import { claudeEngine } from "../../src/engines/claude-code/engine.ts";
import { codexEngine } from "../../src/engines/codex/engine.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { CLAUDE_TONGUE, CODEX_TONGUE, keptFiles, removeKept, scriptModels } from "../contracts/session-script.ts";
import type { Tongue } from "../contracts/session-script.ts";
import type { SessionStage } from "../contracts/sessions.ts";
import { fieldsOf, textOf } from "../wire/models-script.ts";
import type { ModelRequest } from "../wire/models-script.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import { pretendClaude } from "../wire/pretend-claude.ts";
import { pretendCodex } from "../wire/pretend-codex.ts";
import { inFolder, testHost } from "./host.ts";
import { keepingLog } from "./play.ts";

export const KEY = "key-that-nobody-may-see-4711";
const HIDDEN = [KEY, "the provider's very own words"];

type Kind = {
  readonly tongue: Tongue;
  readonly reads: boolean;
  /** Installs the program; gives what makes an engine before it. */
  readonly install: (
    folder: string,
  ) => Promise<(models: ModelsWire, around: Surroundings, host: EngineHost) => Promise<Engine>>;
  /** The gateway's words of all that the model was told to hold to. */
  readonly system: (request: ModelRequest) => string;
  readonly damage: (file: string) => Promise<void>;
};

const CLAUDE: Kind = {
  ...{ tongue: CLAUDE_TONGUE, reads: true },
  install: async (folder) => {
    const sdk = await pretendClaude(folder);
    return async (models, around, host) =>
      await claudeEngine({ name: "claude", sdk, apiKey: KEY, baseUrl: models.baseUrl }, around, host);
  },
  system: ({ body }) => textOf(fieldsOf(body["system"]).slice(-1)),
  // One without any message in it is no session to the program.
  damage: async (file) => await writeFile(file, "{}\n"),
};

const CODEX: Kind = {
  ...{ tongue: CODEX_TONGUE, reads: false },
  install: async (folder) => {
    const command = await pretendCodex(folder);
    return async (models, around, host) =>
      await codexEngine(
        { name: "codex", command, model: "gpt-5.5", apiKey: KEY, baseUrl: models.openaiUrl },
        around,
        host,
      );
  },
  system: ({ body }) => {
    const said = fieldsOf(body["input"]).filter((item) => item["role"] === "developer");
    const parts = said.flatMap((item) => fieldsOf(item["content"]).map((part) => textOf([part])));
    return parts.find((text) => text.startsWith("Speak")) ?? "";
  },
  // The program takes what is left of it without a word.
  damage: async (file) => {
    const lines = (await readFile(file, "utf8")).split("\n");
    await writeFile(file, `${lines.slice(0, Math.ceil(lines.length / 2)).join("\n")}\n`);
  },
};

export const KINDS: { readonly claude: Kind; readonly codex: Kind } = { claude: CLAUDE, codex: CODEX };

/** A stage for both contracts; everything is in a folder of its own, which goes with it. */
export async function pretendStage(kind: Kind): Promise<SessionStage & { readonly models: ModelsWire }> {
  const host = await testHost();
  const models = await startModels({ apiKey: KEY });
  const make = await kind.install(join(host.root, "program"));
  const surroundings = { clock: realClock, random: realRandom, log: keepingLog() };
  let engine = await make(models, surroundings, host);
  return {
    get engine() {
      return inFolder(engine, join(host.root, "work", "c0"));
    },
    ...{ host, models, hidden: HIDDEN, reads: kind.reads },
    cue: scriptModels(models, kind.tongue, HIDDEN),
    system: () => (models.last === undefined ? "" : kind.system(models.last)),
    told: () => JSON.stringify(models.last?.body ?? ""),
    requests: () => models.requestCount,
    closed: async () => await models.until(() => models.requests.some((request) => request.state === "aborted")),
    restart: async () => {
      await engine[Symbol.asyncDispose]();
      engine = await make(models, surroundings, host);
      return engine;
    },
    damage: async (resumeId) => {
      const file = (await keptFiles(host.sessions, resumeId)).find((path) => path.endsWith(".jsonl"));
      if (file === undefined) throw new Error("Nothing is kept under that id.");
      await kind.damage(file);
    },
    lose: async (resumeId) => await removeKept(host.sessions, resumeId),
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}
