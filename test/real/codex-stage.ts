// The real Codex before the loopback model, with the world that it needs.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { createEngine, type CodexSettings } from "../../src/engines/registry.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import type { Act, Stage } from "../contracts/engine.ts";
import { CODEX_TONGUE, removeKept, scriptModels, type Tongue } from "../contracts/session-script.ts";
import type { SessionStage } from "../contracts/sessions.ts";
import { testHost, type TestHost } from "../engines/host.ts";
import { keepingLog } from "../engines/play.ts";
import { fieldsOf, textOf } from "../wire/models-script.ts";
import type { ModelRequest, Step } from "../wire/models-script.ts";
import { startModels, type ModelsWire } from "../wire/models.ts";

/** The native program, without the launcher before it. */
export const PROGRAM: string = join(
  import.meta.dirname,
  "programs/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
);
export const KEY = "key-that-nobody-may-see-4711";
/** The model takes plain functions; of the other kind each call goes through a program of the model's. */
export const PLAIN = "gpt-5.5";
export const CODE_MODE = "gpt-6.2-sol";

export type CodexStage = {
  readonly engine: Engine;
  readonly models: ModelsWire;
  readonly host: TestHost;
  readonly log: { readonly lines: string[] };
  readonly work: string;
  /** Where threads are kept. */
  readonly sessions: string;
  /** The homes that are there now. */
  readonly homes: () => Promise<readonly string[]>;
  /** A second gateway on the same folders. */
  readonly again: () => Promise<Engine>;
};

export type StageOptions = {
  readonly settings?: Partial<CodexSettings>;
  readonly clock?: Clock;
  readonly env?: Readonly<Record<string, string>>;
  /** With the owner's own sign-in, which is a key that the program keeps. */
  readonly signedIn?: boolean;
};

/** All of it ends with the test. */
export async function codexStage(options: StageOptions = {}): Promise<CodexStage & AsyncDisposable> {
  const models = await startModels({ apiKey: KEY });
  const host = await testHost(options.env);
  const log = keepingLog();
  const work = join(host.root, "work");
  await mkdir(work);
  if (options.signedIn === true) {
    await mkdir(join(host.home, ".codex"), { recursive: true });
    await writeFile(join(host.home, ".codex", "auth.json"), JSON.stringify({ OPENAI_API_KEY: KEY }), { mode: 0o600 });
  }
  const access = options.signedIn === true ? {} : { apiKey: KEY };
  const settings = { kind: "codex", command: PROGRAM, model: PLAIN, baseUrl: models.openaiUrl, ...access } as const;
  const surroundings = { clock: options.clock ?? realClock, random: realRandom, log };
  const engines: Engine[] = [];
  const again = async (): Promise<Engine> => {
    const engine = await createEngine("codex", { ...settings, ...options.settings }, surroundings, host);
    engines.push(engine);
    return engine;
  };
  const engine = await again();
  return {
    ...{ engine, models, host, log, work, again },
    sessions: join(host.sessions, "codex", "codex"),
    homes: async () => (await readdir(host.root)).filter((name) => name.startsWith("tidegate-codex-")),
    async [Symbol.asyncDispose]() {
      for (const one of engines) await one[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** The same, ended by the test that asked for it. */
export async function stageHere(options: StageOptions = {}): Promise<CodexStage> {
  const stage = await codexStage(options);
  onTestFinished(async () => await stage[Symbol.asyncDispose]());
  return stage;
}

/** An engine whose turns have a folder to work in. */
export function inFolder(engine: Engine, workFolder: string): Engine {
  return { ...engine, run: (input: TurnInput) => engine.run({ ...input, workFolder }) };
}

/** The stage for the contract: what a cue brings about goes by its words, so that turns may run side by side. */
export async function contractStage(model: string): Promise<Stage> {
  const stage = await codexStage({ settings: { model } });
  const acts = new Map<string, Act>();
  const asked = new Map<string, number>();
  stage.models.always((request) => {
    const cue = request.lastUserText.split("\n").at(-1) ?? "";
    const act = acts.get(cue);
    const count = (asked.get(cue) ?? 0) + 1;
    asked.set(cue, count);
    return act === undefined ? ["Hi."] : reply(act, count, request);
  });
  return {
    engine: inFolder(stage.engine, stage.work),
    cue: (act) => {
      const words = `cue ${acts.size + 1}`;
      acts.set(words, act);
      return words;
    },
    system: () => ownInstructions(stage.models.last),
    closed: async () => await stage.models.until(() => stage.models.requests.some(({ state }) => state === "aborted")),
    hidden: [KEY, "the provider's very own words"],
    [Symbol.asyncDispose]: async () => await stage[Symbol.asyncDispose](),
  };
}

/** Of all that the program tells its model by itself, the part that is the gateway's. */
export function ownInstructions(request: ModelRequest | undefined): string {
  const said = fieldsOf(request?.body["input"]).filter(({ role }) => role === "developer");
  return (
    said
      .flatMap(({ content }) => fieldsOf(content).map((part) => textOf([part])))
      .find((text) => text.startsWith("Speak")) ?? ""
  );
}

/** A call as this model makes it: plainly, or in a program. */
export function call(request: ModelRequest, tool: string, args: object): Step {
  if (!request.toolNames.includes("exec")) return { tool, args };
  return { tool: "exec", args: `text(JSON.stringify(await tools.${tool}(${JSON.stringify(args)})))` };
}

function reply(act: Act, count: number, request: ModelRequest): Step[] {
  const told = JSON.stringify(request.body);
  switch (act.is) {
    case "says":
      return [{ text: act.text, chunk: 5 }];
    case "calls": {
      const tool = act.tools[count - 1];
      if (tool !== undefined) return ["Let me see. ", call(request, tool, { at: "sea" })];
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

/** The kept thread's file. */
export async function keptFile(stage: CodexStage): Promise<string> {
  const name = (await readdir(stage.sessions)).find((one) => one.endsWith(".jsonl"));
  if (name === undefined) throw new Error("No thread is kept.");
  return join(stage.sessions, name);
}

export async function readKept(stage: CodexStage): Promise<string> {
  return await readFile(await keptFile(stage), "utf8");
}

/** A command that was allowed stays in the read-only sandbox unless its model asks for more with it. */
const REAL_TONGUE: Tongue = {
  ...CODEX_TONGUE,
  own(use) {
    const step = CODEX_TONGUE.own(use);
    if (use.does !== "command") return step;
    const more = { sandbox_permissions: "require_escalated", justification: "It is to be done." };
    return { ...step, args: { ...(step.args as object), ...more } };
  },
};

/** The stage for the contract of engines with sessions. */
export async function sessionStage(): Promise<SessionStage> {
  const stage = await codexStage();
  const hidden = [KEY, "the provider's very own words"];
  let { engine } = stage;
  return {
    ...{ hidden, host: stage.host, reads: false },
    get engine() {
      return engine;
    },
    cue: scriptModels(stage.models, REAL_TONGUE, hidden),
    told: () => (stage.models.last === undefined ? "" : JSON.stringify(stage.models.last.body)),
    requests: () => stage.models.requestCount,
    async restart() {
      await engine[Symbol.asyncDispose]();
      engine = await stage.again();
      return engine;
    },
    // A line less: the program resumes it without a word, and lacks what was in it.
    async damage() {
      const path = await keptFile(stage);
      const lines = (await readFile(path, "utf8")).split("\n");
      await writeFile(path, lines.filter((line) => !line.includes("Miso")).join("\n"));
    },
    lose: async (resumeId) => await removeKept(stage.host.sessions, resumeId),
    closed: async () => await stage.models.until(() => stage.models.requests.some(({ state }) => state === "aborted")),
    [Symbol.asyncDispose]: async () => await stage[Symbol.asyncDispose](),
  };
}
