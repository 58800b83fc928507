// One thread of the stand-in for Codex and its turns: the model is asked, tools are called or asked for, and all of it is told and
// written down in the order that was measured.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { appendLines, cutMiddle, isFields, listOf, RpcFault, wordsOf } from "./pretend-codex-files.ts";
import type { Fields } from "./pretend-codex-files.ts";
import { ask, ModelFault } from "./pretend-codex-model.ts";
import type { Provider } from "./pretend-codex-model.ts";

/** How the program speaks to whoever started it. */
export type Wire = {
  readonly notify: (method: string, params: Fields) => void;
  /** Resolves with the answer, or with undefined when it was an error or the turn is over. */
  readonly request: (method: string, params: Fields, over: AbortSignal) => Promise<unknown>;
};

export type ThreadState = {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly model: string;
  readonly provider: () => Provider;
  readonly config: Fields;
  readonly home: string;
  readonly historyMode: string;
  readonly dynamicTools: readonly Fields[];
  readonly meta: Fields;
  approvalPolicy: string;
  baseInstructions: string;
  developerInstructions: string;
  environments: unknown;
  items: Fields[];
  totals: Tokens;
};

export type Tokens = {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningOutputTokens: number;
};

export const NO_TOKENS: Tokens = {
  ...{ totalTokens: 0, inputTokens: 0, cachedInputTokens: 0 },
  ...{ cacheWriteInputTokens: 0, outputTokens: 0, reasoningOutputTokens: 0 },
};

const CONTEXT_WINDOW = 258_400;
const COMPACT_AT = CONTEXT_WINDOW * 0.9;
const MAX_CONTEXT_BYTES = 4_000;
const MAX_OUTPUT_BYTES = 12_000;

type Turn = { readonly id: string; readonly over: AbortController; readonly done: Promise<void>; steered: Fields[] };

export class CodexThread {
  readonly state: ThreadState;
  readonly #wire: Wire;
  #turn: Turn | undefined;
  /** Given with the turn before, in this process. */
  #context: Readonly<Record<string, string>> = {};
  #written: boolean;
  #last: Tokens = NO_TOKENS;

  constructor(state: ThreadState, wire: Wire) {
    this.state = state;
    this.#wire = wire;
    this.#written = existsSync(state.path);
  }

  get turnId(): string | undefined {
    return this.#turn?.id;
  }

  /** A turn while one runs is that one, and is told more. */
  start(params: Fields): string {
    const input = listOf(params["input"]);
    if (this.#turn !== undefined) {
      this.#turn.steered.push(...input);
      return this.#turn.id;
    }
    const { state } = this;
    // Not kept over a resume, but over turns.
    if (params["environments"] !== undefined) state.environments = params["environments"];
    if (typeof params["approvalPolicy"] === "string") state.approvalPolicy = params["approvalPolicy"];
    const turn: Turn = { id: randomUUID(), over: new AbortController(), done: Promise.resolve(), steered: [] };
    const begun = Promise.withResolvers<void>();
    this.#turn = { ...turn, done: begun.promise };
    const running = this.#turn;
    // The answer to the request is written first.
    setImmediate(() => void this.#run(running, input, params["additionalContext"]).finally(begun.resolve));
    return turn.id;
  }

  steer(params: Fields): string {
    if (this.#turn === undefined) throw new RpcFault(-32600, "no active turn to steer");
    const expected = String(params["expectedTurnId"]);
    if (expected !== this.#turn.id) {
      throw new RpcFault(-32600, `expected active turn id \`${expected}\` but found \`${this.#turn.id}\``);
    }
    this.#turn.steered.push(...listOf(params["input"]));
    return this.#turn.id;
  }

  interrupt(): void {
    if (this.#turn === undefined) throw new RpcFault(-32600, "no active turn to interrupt");
    this.#turn.over.abort(new Error("interrupted"));
  }

  /** At the end of the process. */
  async close(): Promise<void> {
    this.#turn?.over.abort(new Error("interrupted"));
    await this.#turn?.done;
  }

  inject(items: readonly Fields[]): void {
    if (items.length === 0) throw new RpcFault(-32600, "items must not be empty");
    this.#keep(...items);
  }

  async compact(): Promise<void> {
    await this.#compact(randomUUID(), new AbortController().signal);
  }

  // ---- a turn

  async #run(turn: Turn, input: readonly Fields[], context: unknown): Promise<void> {
    const { state } = this;
    const ids = { threadId: state.id, turnId: turn.id };
    this.#status({ type: "active", activeFlags: [] });
    this.#wire.notify("turn/started", { threadId: state.id, turn: this.#told(turn, "inProgress", [], null) });
    this.#event("task_started", { turn_id: turn.id });
    let status = "completed";
    let fault: ModelFault | undefined;
    let last: Fields | undefined;
    try {
      if (this.#last.totalTokens >= COMPACT_AT) await this.#compact(turn.id, turn.over.signal);
      if (!state.items.some((item) => item["role"] === "developer")) this.#keep(...this.#standing());
      this.#takeContext(context);
      this.#takeInput(ids, input);
      last = await this.#loop(turn, ids);
    } catch (error) {
      if (turn.over.signal.aborted) {
        status = "interrupted";
        const text = "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>";
        this.#keep({ type: "message", role: "user", content: [{ type: "input_text", text }] });
        this.#event("turn_aborted", { turn_id: turn.id, reason: "interrupted" });
      } else {
        status = "failed";
        fault = error instanceof ModelFault ? error : new ModelFault(String(error), "other", true);
      }
    }
    if (status === "completed") this.#event("task_complete", { turn_id: turn.id });
    const said = fault === undefined ? null : errorOf(fault);
    if (said !== null) this.#wire.notify("error", { ...ids, error: said, willRetry: false });
    this.#turn = undefined;
    this.#status({ type: status === "failed" ? "systemError" : "idle" });
    const told = this.#told(turn, status, last === undefined ? [] : [last], said);
    this.#wire.notify("turn/completed", { threadId: state.id, turn: told });
    const notify = state.config["notify"];
    if (Array.isArray(notify)) spawn(String(notify[0]), notify.slice(1).map(String), { stdio: "ignore" });
  }

  #told(turn: Turn, status: string, items: readonly Fields[], error: unknown): Fields {
    const times = { startedAt: 1, completedAt: status === "inProgress" ? null : 2, durationMs: null };
    return { id: turn.id, rootTurnId: turn.id, items, itemsView: "summary", status, error, ...times };
  }

  #takeContext(context: unknown): void {
    const given: Record<string, string> = {};
    for (const [key, entry] of Object.entries(isFields(context) ? context : {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (!isFields(entry)) continue;
      const value = String(entry["value"]);
      given[key] = value;
      if (this.#context[key] === value) continue;
      const text = `<${key}>${cutMiddle(value, MAX_CONTEXT_BYTES)}</${key}>`;
      this.#keep(
        entry["kind"] === "application"
          ? { type: "message", role: "developer", content: [{ type: "input_text", text }] }
          : { type: "function_call_output", name: key, namespace: "agent", call_id: randomUUID(), output: text },
      );
    }
    this.#context = given;
  }

  #takeInput(ids: Ids, input: readonly Fields[]): void {
    const content = input.map((part) =>
      part["type"] === "image"
        ? { type: "input_image", image_url: part["url"] }
        : { type: "input_text", text: String(part["text"]) },
    );
    this.#keep({ type: "message", role: "user", content });
    const item = { type: "userMessage", id: randomUUID(), clientId: null, content: input };
    this.#item("started", ids, item);
    this.#item("completed", ids, item);
  }

  /** Steps until the model asks for nothing more; gives the last message. */
  async #loop(turn: Turn, ids: Ids): Promise<Fields | undefined> {
    let last: Fields | undefined;
    for (;;) {
      if (this.#last.totalTokens >= COMPACT_AT) await this.#compact(turn.id, turn.over.signal);
      const { calls, message } = await this.#answer(turn, ids);
      last = message ?? last;
      if (calls.length > 0) {
        // Parallel, as the program does it; their outputs keep the order of the calls.
        this.#keep(...(await Promise.all(calls.map(async (call) => await this.#call(turn, ids, call)))));
      }
      const steered = turn.steered.splice(0);
      if (steered.length > 0) this.#takeInput(ids, steered);
      else if (calls.length === 0) return last;
    }
  }

  async #answer(turn: Turn, ids: Ids): Promise<{ calls: Fields[]; message: Fields | undefined }> {
    const provider = this.state.provider();
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(turn, ids, provider);
      } catch (error) {
        const retries = (provider.requestRetries + 1) * (provider.streamRetries + 1) - 1;
        if (!(error instanceof ModelFault) || error.final || attempt >= retries) throw error;
        const message = `Reconnecting... ${attempt + 1}/${retries}`;
        this.#wire.notify("error", { ...ids, error: { ...errorOf(error), message }, willRetry: true });
      }
    }
  }

  async #attempt(turn: Turn, ids: Ids, provider: Provider): Promise<{ calls: Fields[]; message: Fields | undefined }> {
    const { state } = this;
    const calls: Fields[] = [];
    let message: Fields | undefined;
    const body = {
      model: state.model,
      stream: true,
      input: [said("developer", state.baseInstructions), ...state.items],
      tools: this.#tools(),
      tool_choice: "auto",
      parallel_tool_calls: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: state.id,
    };
    for await (const event of ask(provider, body, turn.over.signal)) {
      const item = isFields(event["item"]) ? event["item"] : {};
      switch (event["type"]) {
        case "response.output_item.added":
          if (item["type"] === "message") this.#item("started", ids, agentMessage(item));
          if (item["type"] === "reasoning") this.#item("started", ids, reasoning(item));
          break;
        case "response.output_text.delta":
          this.#wire.notify("item/agentMessage/delta", { ...ids, itemId: event["item_id"], delta: event["delta"] });
          break;
        case "response.reasoning_summary_text.delta":
          this.#wire.notify("item/reasoning/summaryTextDelta", {
            ...ids,
            ...{ itemId: event["item_id"], delta: event["delta"], summaryIndex: 0 },
          });
          break;
        case "response.output_item.done":
          this.#keep(item);
          if (item["type"] === "function_call") calls.push(item);
          if (item["type"] === "reasoning") this.#item("completed", ids, reasoning(item));
          if (item["type"] === "message") {
            message = agentMessage(item);
            this.#item("completed", ids, message);
          }
          break;
        case "response.completed":
          this.#count(ids, isFields(event["response"]) ? event["response"]["usage"] : undefined);
          break;
        default:
      }
    }
    return { calls, message };
  }

  #count(ids: Ids, usage: unknown): void {
    const given = isFields(usage) ? usage : {};
    const input = isFields(given["input_tokens_details"]) ? given["input_tokens_details"] : {};
    const output = isFields(given["output_tokens_details"]) ? given["output_tokens_details"] : {};
    this.#last = {
      totalTokens: Number(given["total_tokens"] ?? 0),
      inputTokens: Number(given["input_tokens"] ?? 0),
      cachedInputTokens: Number(input["cached_tokens"] ?? 0),
      cacheWriteInputTokens: 0,
      outputTokens: Number(given["output_tokens"] ?? 0),
      reasoningOutputTokens: Number(output["reasoning_tokens"] ?? 0),
    };
    const { totals } = this.state;
    const add = (key: keyof Tokens): number => totals[key] + this.#last[key];
    this.state.totals = {
      totalTokens: add("totalTokens"),
      inputTokens: add("inputTokens"),
      cachedInputTokens: add("cachedInputTokens"),
      cacheWriteInputTokens: add("cacheWriteInputTokens"),
      outputTokens: add("outputTokens"),
      reasoningOutputTokens: add("reasoningOutputTokens"),
    };
    this.#event("token_count", { info: { total_token_usage: this.state.totals, last_token_usage: this.#last } });
    const tokenUsage = { total: this.state.totals, last: this.#last, modelContextWindow: CONTEXT_WINDOW };
    this.#wire.notify("thread/tokenUsage/updated", { ...ids, tokenUsage });
  }

  // ---- tools

  get #acts(): boolean {
    const none = Array.isArray(this.state.environments) && this.state.environments.length === 0;
    return !none && flag(this.state.config, "features", "shell_tool") !== false;
  }

  get #plans(): boolean {
    return flag(this.state.config, "tools", "update_plan", "enabled") === true;
  }

  #tools(): Fields[] {
    const parameters = { type: "object", properties: {} };
    const own = [...(this.#acts ? ["exec_command", "write_stdin"] : []), ...(this.#plans ? ["update_plan"] : [])];
    const ours = this.state.dynamicTools.filter(
      (tool) => !["exec_command", "write_stdin", "update_plan"].includes(String(tool["name"])),
    );
    const searches = this.state.config["web_search"] === "disabled" ? [] : [{ type: "web_search" }];
    return [
      ...own.map((name) => ({ type: "function", name, description: `The program's own ${name}.`, parameters })),
      ...ours.map((tool) => ({
        type: "function",
        name: tool["name"],
        description: tool["description"],
        parameters: tool["inputSchema"],
      })),
      ...searches,
    ];
  }

  async #call(turn: Turn, ids: Ids, call: Fields): Promise<Fields> {
    const name = String(call["name"]);
    const output = (text: unknown): Fields => ({
      type: "function_call_output",
      call_id: call["call_id"],
      output: typeof text === "string" ? cutMiddle(text, MAX_OUTPUT_BYTES) : text,
    });
    let args: Fields;
    try {
      args = JSON.parse(String(call["arguments"])) as Fields;
    } catch (error) {
      return output(`failed to parse function arguments: ${String(error)}`);
    }
    if (name === "update_plan" && this.#plans) return output(this.#plan(ids, args));
    if (name === "exec_command" && this.#acts)
      return output(await this.#execute(turn, ids, String(call["call_id"]), args));
    if (this.state.dynamicTools.some((tool) => tool["name"] === name)) {
      return output(await this.#dynamic(turn, ids, String(call["call_id"]), name, args));
    }
    return output(`unsupported call: ${name}`);
  }

  #plan(ids: Ids, args: Fields): string {
    const plan = listOf(args["plan"]).map((step) => ({
      step: step["step"],
      status: step["status"] === "in_progress" ? "inProgress" : step["status"],
    }));
    this.#wire.notify("turn/plan/updated", { ...ids, explanation: args["explanation"] ?? null, plan });
    return "Plan updated";
  }

  async #dynamic(turn: Turn, ids: Ids, id: string, tool: string, args: Fields): Promise<unknown> {
    const item = { type: "dynamicToolCall", id, namespace: null, tool, arguments: args, status: "inProgress" };
    this.#item("started", ids, item);
    const params = { ...ids, callId: id, namespace: null, tool, arguments: args };
    const answer = await this.#wire.request("item/tool/call", params, turn.over.signal);
    const end = (success: boolean, contentItems: unknown): void =>
      this.#item("completed", ids, {
        ...item,
        status: success ? "completed" : "failed",
        contentItems,
        success,
        durationMs: 0,
      });
    if (!isFields(answer)) {
      end(false, null);
      turn.over.signal.throwIfAborted();
      return "dynamic tool request failed";
    }
    const parts = listOf(answer["contentItems"]);
    if (!Array.isArray(answer["contentItems"]) || typeof answer["success"] !== "boolean") {
      end(false, null);
      return "dynamic tool response was invalid";
    }
    end(answer["success"], parts);
    if (parts.every((part) => part["type"] === "inputText"))
      return parts.map((part) => String(part["text"])).join("\n");
    return parts.map((part) =>
      part["type"] === "inputText"
        ? { type: "input_text", text: part["text"] }
        : { type: "input_image", image_url: part["imageUrl"] },
    );
  }

  async #execute(turn: Turn, ids: Ids, id: string, args: Fields): Promise<string> {
    const cmd = String(args["cmd"]);
    const patch = /^apply_patch\s+<<\s*'?(\w+)'?\n([\s\S]*)\n\1\s*$/u.exec(cmd)?.[2];
    if (patch !== undefined) return await this.#patch(turn, ids, id, patch);
    const command = `/bin/bash -lc '${cmd}'`;
    const { cwd } = this.state;
    const actions = [{ type: "unknown", command: cmd }];
    const item = {
      ...{
        type: "commandExecution",
        id,
        pluginId: null,
        scriptPath: null,
        command,
        cwd,
        processId: null,
        source: "agent",
      },
      ...{ status: "inProgress", commandActions: actions, aggregatedOutput: null, exitCode: null, durationMs: null },
    };
    const asks = this.state.approvalPolicy === "untrusted";
    if (asks) this.#status({ type: "active", activeFlags: ["waitingOnApproval"] });
    this.#item("started", ids, item);
    const decision = asks
      ? await this.#approval(turn, "item/commandExecution/requestApproval", {
          ...{ kind: "command", ...ids, itemId: id, environmentId: "local", command, cwd, commandActions: actions },
          availableDecisions: ["accept", "cancel"],
        })
      : "accept";
    if (decision === "cancel") turn.over.abort(new Error("cancelled"));
    turn.over.signal.throwIfAborted();
    if (decision !== "accept" && decision !== "acceptForSession") {
      this.#item("completed", ids, { ...item, status: "declined" });
      const why = decision === "decline" ? "rejected by user" : "approval request failed";
      return `exec_command failed: CreateProcess { message: "Rejected(\\"${why}\\")" }`;
    }
    const { text, code } = await execute(cmd, cwd, turn.over.signal, (delta) =>
      this.#wire.notify("item/commandExecution/outputDelta", { ...ids, itemId: id, delta }),
    );
    // An interrupted command has no end of its own.
    turn.over.signal.throwIfAborted();
    const status = code === 0 ? "completed" : "failed";
    const source = "unifiedExecStartup";
    this.#item("completed", ids, { ...item, source, status, aggregatedOutput: text, exitCode: code, durationMs: 0 });
    return `Chunk ID: 4ef4fe\nWall time: 0.0000 seconds\nProcess exited with code ${code}\nOutput:\n${text}`;
  }

  async #patch(turn: Turn, ids: Ids, id: string, text: string): Promise<string> {
    const changes = changesOf(text, this.state.cwd);
    const item = { type: "fileChange", id, changes: changes.map(({ after: _, ...change }) => change) };
    this.#item("started", ids, { ...item, status: "inProgress" });
    if (this.state.approvalPolicy === "untrusted") {
      this.#status({ type: "active", activeFlags: ["waitingOnApproval"] });
      const params = { ...ids, itemId: id, reason: null, grantRoot: null };
      const decision = await this.#approval(turn, "item/fileChange/requestApproval", params);
      if (decision === "cancel") turn.over.abort(new Error("cancelled"));
      turn.over.signal.throwIfAborted();
      if (decision !== "accept" && decision !== "acceptForSession") {
        this.#item("completed", ids, { ...item, status: "declined" });
        return "patch rejected by user";
      }
    }
    for (const { path, after } of changes) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, after);
    }
    this.#item("completed", ids, { ...item, status: "completed" });
    const files = changes.map(({ path, kind }) => `${kind.type === "add" ? "A" : "M"} ${path}`).join("\n");
    return `Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess. Updated the following files:\n${files}\n`;
  }

  async #approval(turn: Turn, method: string, params: Fields): Promise<unknown> {
    const answer = await this.#wire.request(method, params, turn.over.signal);
    if (!turn.over.signal.aborted) this.#status({ type: "active", activeFlags: [] });
    return isFields(answer) ? answer["decision"] : undefined;
  }

  // ---- what is kept and told

  #standing(): Fields[] {
    const { state } = this;
    const parts = [
      state.developerInstructions,
      `<permissions instructions>\n\`approval_policy\` is \`${state.approvalPolicy}\`\n</permissions instructions>`,
      ...(flag(state.config, "skills", "include_instructions") === false ? [] : skillsIn(state.home)),
    ].filter((part) => part !== "");
    const found = [join(state.home, "AGENTS.md"), join(state.cwd, "AGENTS.md")]
      .filter((path) => state.config["project_doc_max_bytes"] !== 0 && existsSync(path))
      .map((path) => said("user", `# AGENTS.md instructions\n${readFileSync(path, "utf8")}`));
    const where = said("user", `<environment_context>\n  <cwd>${state.cwd}</cwd>\n</environment_context>`);
    return [said("developer", ...parts), ...found, where];
  }

  async #compact(turnId: string, signal: AbortSignal): Promise<void> {
    const { state } = this;
    const ids = { threadId: state.id, turnId };
    const item = { type: "contextCompaction", id: randomUUID() };
    this.#item("started", ids, item);
    const asking = said(
      "user",
      "You are performing a CONTEXT CHECKPOINT COMPACTION. Write a summary of what was done.",
    );
    const input = [said("developer", state.baseInstructions), ...state.items, asking];
    let summary = "";
    for await (const event of ask(
      state.provider(),
      { model: state.model, stream: true, input, store: false },
      signal,
    )) {
      if (event["type"] === "response.output_text.delta") summary += String(event["delta"]);
    }
    const users = state.items.filter(
      (one) => one["role"] === "user" && !JSON.stringify(one).includes("<environment_context>"),
    );
    state.items = [
      ...this.#standing(),
      ...users,
      said("user", `Another model summarised the work so far:\n${summary}`),
    ];
    this.#last = NO_TOKENS;
    this.#lines({ type: "compacted", payload: { message: summary, replacement_history: state.items } });
    this.#item("completed", ids, item);
  }

  #keep(...items: Fields[]): void {
    this.state.items.push(...items);
    this.#lines(...items.map((payload) => ({ type: "response_item", payload })));
  }

  #event(type: string, more: Fields): void {
    this.#lines({ type: "event_msg", payload: { type, ...more } });
  }

  /** A thread has no file before there is something in it. */
  #lines(...lines: { type: string; payload: unknown }[]): void {
    const head = this.#written ? [] : [{ type: "session_meta", payload: this.state.meta }];
    this.#written = true;
    appendLines(this.state.path, [...head, ...lines]);
  }

  #item(what: "started" | "completed", ids: Ids, item: Fields): void {
    this.#wire.notify(`item/${what}`, { item, ...ids, [`${what}AtMs`]: 1 });
  }

  #status(status: Fields): void {
    this.#wire.notify("thread/status/changed", { threadId: this.state.id, status });
  }
}

type Ids = { readonly threadId: string; readonly turnId: string };

export function said(role: "developer" | "user", ...texts: readonly string[]): Fields {
  return { type: "message", role, content: texts.map((text) => ({ type: "input_text", text })) };
}

export function flag(config: Fields, ...keys: readonly string[]): unknown {
  let value: unknown = config;
  for (const key of keys) value = isFields(value) ? value[key] : undefined;
  return value;
}

function agentMessage(item: Fields): Fields {
  const text = listOf(item["content"])
    .map((part) => wordsOf(part["text"]))
    .join("");
  return { type: "agentMessage", id: item["id"], text, phase: item["phase"] ?? null, memoryCitation: null };
}

function reasoning(item: Fields): Fields {
  const summary = listOf(item["summary"]).map((part) => wordsOf(part["text"]));
  return { type: "reasoning", id: item["id"], summary, content: [] };
}

function errorOf(fault: ModelFault): Fields {
  return { message: fault.message, codexErrorInfo: fault.info, additionalDetails: null, misalignment: null };
}

function skillsIn(home: string): string[] {
  const folder = join(home, "skills");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => readFileSync(join(folder, name, "SKILL.md"), "utf8"));
}

type Change = {
  readonly path: string;
  readonly kind: { readonly type: "add" } | { readonly type: "update"; readonly move_path: null };
  readonly diff: string;
  readonly after: string;
};

/** The two kinds of change that are used here: a new file, and one line changed. The diff of a new file is its bare text. */
function changesOf(patch: string, cwd: string): Change[] {
  const lines = patch.split("\n");
  const head = /^\*\*\* (Add|Update) File: (.+)$/u.exec(lines[1] ?? "");
  const path = resolve(cwd, head?.[2] ?? "");
  const body = lines.slice(2, -1);
  const marked = (mark: string): string => {
    const chosen = body.filter((line) => line.startsWith(mark)).map((line) => `${line.slice(1)}\n`);
    return chosen.join("");
  };
  if (head?.[1] === "Add") return [{ path, kind: { type: "add" }, diff: marked("+"), after: marked("+") }];
  const before = readFileSync(path, "utf8");
  const kind = { type: "update", move_path: null } as const;
  const changed = body.filter((line) => line !== "@@").join("\n");
  return [{ path, kind, diff: `@@ -1 +1 @@\n${changed}\n`, after: before.replace(marked("-"), marked("+")) }];
}

/** Runs it in a session of its own, as the program does: killing the program's group does not reach it. */
async function execute(
  command: string,
  cwd: string,
  signal: AbortSignal,
  told: (text: string) => void,
): Promise<{ text: string; code: number }> {
  const child: ChildProcess = spawn("/bin/bash", ["-lc", command], {
    cwd,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  const hear = (piece: Buffer): void => {
    text += piece.toString();
    told(piece.toString());
  };
  child.stdout?.on("data", hear);
  child.stderr?.on("data", hear);
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
    } catch {
      // It has ended, and what it started too.
    }
  };
  signal.addEventListener("abort", kill, { once: true });
  const code = await new Promise<number>((done) => {
    child.once("error", () => done(127));
    child.once("close", (status) => done(status ?? 137));
  });
  signal.removeEventListener("abort", kill);
  return { text, code };
}
