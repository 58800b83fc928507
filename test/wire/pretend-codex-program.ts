// The program behind pretend-codex.ts: `codex --version`, `codex app-server`. JSON lines on stdin and stdout, as measured.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  RpcFault,
  appendLines,
  isFields,
  listOf,
  newThreadPath,
  readConfig,
  readThread,
  wordsOf,
} from "./pretend-codex-files.ts";
import type { Fields } from "./pretend-codex-files.ts";
import { ModelFault } from "./pretend-codex-model.ts";
import type { Provider } from "./pretend-codex-model.ts";
import { CodexThread, NO_TOKENS, flag } from "./pretend-codex-turn.ts";
import type { ThreadState, Tokens } from "./pretend-codex-turn.ts";

const VERSION = process.env["PRETEND_CODEX_VERSION"] ?? "0.171.0";
const STOCK_INSTRUCTIONS = "You are Codex, a coding agent in a terminal.";
/** Fields that need `capabilities.experimentalApi`. */
const EXPERIMENTAL: Readonly<Record<string, readonly string[]>> = {
  "thread/start": ["dynamicTools", "historyMode", "environments", "permissions"],
  "thread/resume": ["path", "history", "permissions"],
  "thread/fork": ["beforeTurnId", "path", "permissions"],
  "turn/start": ["additionalContext", "environments", "permissions", "collaborationMode"],
  "turn/steer": ["additionalContext"],
};

const threads = new Map<string, CodexThread>();
const waiting = new Map<number, (answer: unknown) => void>();
let asked = 0;
let experimental = false;
let ready = false;
let home = "";
let config: Fields = {};

function write(message: Fields): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

const wire = {
  notify: (method: string, params: Fields): void => write({ method, params, emittedAtMs: Date.now() }),
  request: async (method: string, params: Fields, over: AbortSignal): Promise<unknown> => {
    const id = asked++;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    const onOver = (): void => resolve(undefined);
    over.addEventListener("abort", onOver, { once: true });
    write({ method, id, params });
    const answer = over.aborted ? undefined : await promise;
    over.removeEventListener("abort", onOver);
    waiting.delete(id);
    wire.notify("serverRequest/resolved", { threadId: params["threadId"], requestId: id });
    return answer;
  },
};

function provider(id: string): Provider {
  const given = flag(config, "model_providers", id);
  if (!isFields(given)) {
    if (id !== "openai") throw new Error(`Model provider \`${id}\` not found`);
    const baseUrl = wordsOf(config["openai_base_url"], "https://api.openai.invalid/v1");
    return { id, baseUrl, key: signedIn(), requestRetries: 4, streamRetries: 5 };
  }
  const name = given["env_key"];
  const key = typeof name === "string" ? process.env[name] : undefined;
  if (typeof name === "string" && !key)
    throw new ModelFault(`Missing environment variable: \`${name}\`.`, "other", true);
  const retries = (of: string, standard: number): number => {
    const value = given[of];
    return typeof value === "number" ? value : standard;
  };
  return {
    ...{ id, key, baseUrl: String(given["base_url"]) },
    ...{ requestRetries: retries("request_max_retries", 4), streamRetries: retries("stream_max_retries", 5) },
  };
}

function signedIn(): string | undefined {
  const path = join(home, "auth.json");
  if (!existsSync(path)) return undefined;
  const auth = JSON.parse(readFileSync(path, "utf8")) as Fields;
  const tokens = auth["tokens"];
  const key = auth["OPENAI_API_KEY"] ?? (isFields(tokens) ? tokens["access_token"] : undefined);
  return typeof key === "string" ? key : undefined;
}

function text(params: Fields, name: string, standard: string): string {
  return wordsOf(params[name], standard);
}

function threadOf(params: Fields): CodexThread {
  const id = String(params["threadId"]);
  const thread = threads.get(id);
  if (thread === undefined) throw new RpcFault(-32600, `thread not found: ${id}`);
  return thread;
}

function refusePolicy(params: Fields): void {
  if (isFields(params["config"]) && "approval_policy" in params["config"]) {
    throw new RpcFault(
      -32600,
      "failed to load configuration: approval_policy `untrusted` is no longer supported; remove this setting",
    );
  }
}

function startThread(params: Fields): Fields {
  refusePolicy(params);
  const tools = listOf(params["dynamicTools"]);
  const names = tools.map((tool) => String(tool["name"]));
  for (const name of names) {
    if (
      !/^[a-zA-Z0-9_-]{1,128}$/u.test(name) ||
      name.startsWith("mcp__") ||
      names.indexOf(name) !== names.lastIndexOf(name)
    ) {
      throw new RpcFault(-32600, `dynamic tool name is not allowed: ${name}`);
    }
  }
  if (tools.some((tool) => !isFields(tool["inputSchema"])))
    throw new RpcFault(-32600, "dynamic tool input schema is not supported");
  const id = randomUUID();
  const cwd = text(params, "cwd", process.cwd());
  const model = text(params, "model", wordsOf(config["model"], "gpt-6.2-sol"));
  const providerId = text(params, "modelProvider", wordsOf(config["model_provider"], "openai"));
  const historyMode = text(params, "historyMode", "paginated");
  const meta = {
    ...{
      id,
      session_id: id,
      cwd,
      originator: "gw",
      cli_version: VERSION,
      source: "vscode",
      model_provider: providerId,
    },
    ...{ base_instructions: STOCK_INSTRUCTIONS, dynamic_tools: tools, history_mode: historyMode, model },
    approval_policy: text(params, "approvalPolicy", "on-request"),
  };
  const path = newThreadPath(home, id, new Date());
  return open({ id, path, meta, items: [], totals: NO_TOKENS }, params, true);
}

type Found = Pick<ThreadState, "id" | "path" | "meta" | "items"> & { readonly totals: Tokens };

function open(found: Found, params: Fields, fresh: boolean): Fields {
  const { id, path, meta } = found;
  const providerId = String(meta["model_provider"]);
  if (providerId !== "openai" && !isFields(flag(config, "model_providers", providerId))) {
    const data = { type: "modelProviderNotConfigured", modelProvider: providerId };
    throw new RpcFault(-32600, `Model provider \`${providerId}\` not found`, data);
  }
  const state: ThreadState = {
    ...found,
    cwd: text(params, "cwd", String(meta["cwd"])),
    model: text(params, "model", String(meta["model"])),
    provider: () => provider(providerId),
    ...{ config, home },
    historyMode: String(meta["history_mode"]),
    dynamicTools: listOf(meta["dynamic_tools"]),
    approvalPolicy: text(params, "approvalPolicy", String(meta["approval_policy"])),
    baseInstructions: text(params, "baseInstructions", STOCK_INSTRUCTIONS),
    developerInstructions: text(params, "developerInstructions", ""),
    // Never kept over a resume.
    environments: fresh ? params["environments"] : undefined,
  };
  threads.set(id, new CodexThread(state, wire));
  const { cwd, model, historyMode, approvalPolicy } = state;
  const more = {
    preview: "",
    ephemeral: false,
    forkedFromId: null,
    createdAt: 1,
    updatedAt: 1,
    cliVersion: VERSION,
    source: "vscode",
  };
  const thread = {
    id,
    sessionId: id,
    path,
    cwd,
    historyMode,
    modelProvider: providerId,
    status: { type: "idle" },
    turns: [],
    ...more,
  };
  const sandbox = { type: params["sandbox"] === "read-only" ? "readOnly" : "workspaceWrite" };
  return { thread, model, modelProvider: providerId, cwd, approvalPolicy, sandbox, reasoningEffort: null };
}

function resumeThread(params: Fields): Fields {
  refusePolicy(params);
  const id = String(params["threadId"]);
  const { meta, items, totals, path } = readThread(home, id);
  return open({ id, path, meta, items, totals: { ...NO_TOKENS, ...totals } }, params, false);
}

function forkThread(params: Fields): Fields {
  const from = String(params["threadId"]);
  const { meta, items, path } = readThread(home, from);
  const id = randomUUID();
  const target = newThreadPath(home, id, new Date());
  const last = typeof params["lastTurnId"] === "string" ? params["lastTurnId"] : undefined;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const ends = lines.findIndex((line) => line.includes('"task_complete"') && line.includes(last ?? ""));
  if (last !== undefined && ends < 0) throw new RpcFault(-32600, `turn not found: ${last}`);
  const kept = last === undefined ? lines : lines.slice(0, ends + 1);
  const paginated = meta["history_mode"] === "paginated";
  const count = kept.filter((line) => line.includes('"response_item"')).length;
  const base = { thread_id: from, end_ordinal_exclusive: count, end_byte_offset: 0 };
  const forked = { ...meta, id, session_id: id, forked_from_id: from, ...(paginated ? { history_base: base } : {}) };
  appendLines(target, [{ type: "session_meta", payload: forked }]);
  if (!paginated) cpLines(target, kept.slice(1));
  const result = open(
    { id, path: target, meta: forked, items: items.slice(0, count), totals: NO_TOKENS },
    params,
    false,
  );
  return { ...result, thread: { ...(result["thread"] as Fields), forkedFromId: from } };
}

function cpLines(path: string, lines: readonly string[]): void {
  for (const line of lines) {
    const { type, payload } = JSON.parse(line) as { type: string; payload: unknown };
    appendLines(path, [{ type, payload }]);
  }
}

async function handle(method: string, params: Fields): Promise<unknown> {
  if (method === "initialize") {
    experimental = flag(params, "capabilities", "experimentalApi") === true;
    ready = true;
    return { userAgent: `gw/${VERSION} (pretend)`, codexHome: home, platformFamily: "unix", platformOs: "linux" };
  }
  if (!ready) throw new RpcFault(-32600, "Not initialized");
  const closed = EXPERIMENTAL[method]?.find((field) => params[field] !== undefined && params[field] !== null);
  if (closed !== undefined && !experimental) {
    throw new RpcFault(-32600, `${method}.${closed} requires experimentalApi capability`);
  }
  switch (method) {
    case "thread/start":
      return startThread(params);
    case "thread/resume":
      return resumeThread(params);
    case "thread/fork":
      return forkThread(params);
    case "thread/inject_items":
      threadOf(params).inject(listOf(params["items"]));
      return {};
    case "thread/compact/start":
      await threadOf(params).compact();
      return {};
    case "turn/start":
      return {
        turn: {
          id: threadOf(params).start(params),
          items: [],
          itemsView: "notLoaded",
          status: "inProgress",
          error: null,
        },
      };
    case "turn/steer":
      return { turnId: threadOf(params).steer(params) };
    case "turn/interrupt":
      threadOf(params).interrupt();
      return {};
    case "account/read": {
      const requires = config["model_provider"] === undefined || config["model_provider"] === "openai";
      return { account: signedIn() === undefined ? null : { type: "apiKey" }, requiresOpenaiAuth: requires };
    }
    case "account/login/start":
      writeFileSync(join(home, "auth.json"), JSON.stringify({ OPENAI_API_KEY: params["apiKey"] }), { mode: 0o600 });
      return { type: "apiKey" };
    default:
      throw new RpcFault(-32600, `Invalid request: unknown variant \`${method}\``);
  }
}

async function take(line: string): Promise<void> {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    process.stderr.write("Failed to deserialize JSONRPCMessage\n");
    return;
  }
  if (!isFields(message)) return;
  const { id, method } = message;
  if (typeof method !== "string") {
    // An answer to what was asked; one that comes too late is ignored.
    waiting.get(Number(id))?.(message["result"]);
    return;
  }
  if (id === undefined) return;
  try {
    write({ id, result: await handle(method, isFields(message["params"]) ? message["params"] : {}) });
  } catch (error) {
    const { code, message: words, data } = error instanceof RpcFault ? error : new RpcFault(-32603, String(error));
    write({ id, error: { code, message: words, ...(data === undefined ? {} : { data }) } });
  }
}

async function leave(): Promise<void> {
  await Promise.all([...threads.values()].map(async (thread) => await thread.close()));
  process.exit(0);
}

function fail(words: string): never {
  process.stderr.write(`${words}\n`);
  process.exit(1);
}

function main(args: readonly string[]): void {
  if (!args.includes("app-server")) fail("error: only `app-server` is pretended");
  home = process.env["CODEX_HOME"] ?? join(process.env["HOME"] ?? "", ".codex");
  if (!existsSync(home)) fail(`Error: CODEX_HOME points to ${JSON.stringify(home)}, but that path does not exist`);
  const overrides = args.flatMap((arg, at) => (arg === "-c" || arg === "--config" ? (args[at + 1] ?? []) : []));
  config = readConfig(home, overrides);
  if (config["approval_policy"] === "untrusted") {
    fail("Error loading configuration: approval_policy `untrusted` is no longer supported; remove this setting");
  }
  const cwd = process.cwd();
  const trust = flag(config, "projects", cwd, "trust_level");
  if (trust !== undefined && typeof trust !== "string") fail("Error loading configuration: trust_level");
  const lines = createInterface({ input: process.stdin });
  lines.on("line", (line) => void take(line));
  lines.on("close", () => void leave());
  process.on("SIGTERM", () => void leave());
}

main(process.argv.slice(2));
