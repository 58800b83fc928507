// `query()` of the stand-in for the Agent SDK: a session, its turns, and the messages of both, in the order that was measured. What keeps
// it from doing harm must be told to it: when an option is missing, it does what the real program then does.
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { SessionFile, isFields, listOf, textBlock, wordsOf } from "./pretend-claude-files.ts";
import type { Fields } from "./pretend-claude-files.ts";
import { ModelFault, ask } from "./pretend-claude-model.ts";
import { OWN, run, unasked } from "./pretend-claude-tools.ts";
import type { ToolEnd } from "./pretend-claude-tools.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type UserMessage = { readonly message: { readonly content: unknown } };
type Program = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: "error", listener: (error: Error) => void): void;
};
type Server = { connect(transport: Transport): Promise<void>; close(): Promise<void> };
type Transport = {
  onmessage?: (message: Fields) => void;
  onclose?: () => void;
  start(): Promise<void>;
  send(message: Fields): Promise<void>;
  close(): Promise<void>;
};
type Decision = {
  readonly behavior: string;
  readonly updatedInput?: Fields;
  readonly message?: string;
  readonly interrupt?: boolean;
};
type Hook = (input: Fields, id: string | undefined, about: { signal: AbortSignal }) => Promise<Fields>;

export type Options = {
  readonly cwd?: string;
  readonly env?: Environment;
  readonly model?: string;
  readonly pathToClaudeCodeExecutable?: string;
  readonly tools?: unknown;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly mcpServers?: Readonly<Record<string, Fields>>;
  readonly strictMcpConfig?: boolean;
  readonly settingSources?: readonly string[];
  readonly settings?: unknown;
  readonly systemPrompt?: unknown;
  readonly permissionMode?: string;
  readonly verbatimPrompts?: boolean;
  readonly includePartialMessages?: boolean;
  readonly resume?: string;
  readonly extraArgs?: Readonly<Record<string, string | null>>;
  readonly canUseTool?: (name: string, input: Fields, about: Fields) => Promise<Decision>;
  readonly hooks?: { readonly PreToolUse?: readonly { readonly hooks: readonly Hook[] }[] };
  readonly spawnClaudeCodeProcess?: (order: Fields) => Program;
  readonly abortController?: AbortController;
};

export type Order = { readonly prompt: string | AsyncIterable<UserMessage>; readonly options?: Options };

const NEVER = new AbortController().signal;

/** What the SDK throws when its program is gone. */
class ProcessError extends Error {
  readonly errorClass: string;

  constructor(message: string, errorClass: string) {
    super(message);
    this.errorClass = errorClass;
  }
}

export function queryWith(
  order: Order,
  program: string,
): AsyncGenerator<Fields> & { interrupt(): Promise<unknown>; close(): void } {
  const running = new Running(order, program);
  return Object.assign(running.messages(), {
    interrupt: async () => await running.interrupt(),
    close: () => running.close(),
  });
}

class Running {
  readonly #options: Options;
  readonly #env: Environment;
  readonly #cwd: string;
  readonly #config: string;
  readonly #out: Fields[] = [];
  #wake: () => void = () => undefined;
  #over: { readonly thrown?: unknown } | undefined;
  readonly #program: Program;
  #key: Promise<string> = Promise.resolve("");
  /** Fires when the program has ended. */
  readonly #gone: AbortController = new AbortController();
  #turn: AbortController | undefined;
  #servers: ReadonlyMap<string, Connected> = new Map();
  #session: SessionFile | undefined;
  readonly #known: Set<string> = new Set();
  readonly #prompt: Order["prompt"];

  constructor({ prompt, options = {} }: Order, program: string) {
    this.#options = options;
    this.#prompt = prompt;
    this.#env = options.env ?? process.env;
    this.#cwd = resolve(options.cwd ?? process.cwd());
    this.#config = this.#env["CLAUDE_CONFIG_DIR"] ?? join(this.#env["HOME"] ?? "/nowhere", ".claude");
    const command = options.pathToClaudeCodeExecutable ?? program;
    const args = ["--output-format", "stream-json", "--input-format", "stream-json"];
    const start = options.spawnClaudeCodeProcess ?? plainSpawn;
    this.#program = start({ command, args, cwd: this.#cwd, env: this.#env, signal: this.#gone.signal });
    this.#watch();
  }

  #watch(): void {
    const said = Promise.withResolvers<string>();
    this.#key = said.promise;
    let heard = "";
    this.#program.stdout.on("data", (piece: Buffer) => {
      heard += piece.toString();
      if (heard.includes("\n")) said.resolve(heard.slice(0, heard.indexOf("\n")));
    });
    this.#program.on("exit", (code, signal) => {
      const thrown =
        signal === null
          ? new ProcessError(`Claude Code process exited with code ${code}`, "process_exited")
          : new ProcessError(`Claude Code process terminated by signal ${signal}`, "process_killed_by_signal");
      said.resolve("");
      this.#end(code === 0 && signal === null ? {} : { thrown });
    });
    this.#program.on("error", (thrown) => {
      said.resolve("");
      this.#end({ thrown });
    });
    this.#options.abortController?.signal.addEventListener("abort", () => {
      this.#end({ thrown: new Error("Claude Code process aborted by user") });
      this.#program.kill("SIGTERM");
    });
  }

  // ---- what the host sees

  async *messages(): AsyncGenerator<Fields> {
    void this.#live().catch((thrown: unknown) => this.#end({ thrown }));
    try {
      for (;;) {
        const message = this.#out.shift();
        if (message !== undefined) {
          yield message;
          continue;
        }
        if (this.#over !== undefined) {
          if ("thrown" in this.#over) throw this.#over.thrown;
          return;
        }
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    } finally {
      this.close();
    }
  }

  async interrupt(): Promise<unknown> {
    this.#turn?.abort(new Error("interrupted"));
    return await Promise.resolve({ still_queued: [] });
  }

  close(): void {
    this.#program.stdin.end();
    this.#end({});
  }

  #tell(message: Fields): void {
    this.#out.push({
      ...message,
      session_id: this.#session?.id ?? message["session_id"],
      uuid: message["uuid"] ?? randomUUID(),
    });
    this.#wake();
  }

  #end(over: { readonly thrown?: unknown }): void {
    this.#over ??= over;
    this.#gone.abort(new Error("the program has ended"));
    this.#turn?.abort(new Error("the program has ended"));
    for (const server of this.#servers.values()) server.close();
    this.#wake();
  }

  // ---- the program's life

  async #live(): Promise<void> {
    const { resume, permissionMode } = this.#options;
    if (permissionMode === "bypassPermissions") {
      this.#program.stdin.end();
      throw new ProcessError("Claude Code process exited with code 1", "process_exited");
    }
    // It must be there before anything comes of it.
    const key = await this.#key;
    if (this.#gone.signal.aborted) return;
    if (resume !== undefined) {
      const found = UUID.test(resume) ? SessionFile.find(this.#config, resume) : undefined;
      if (found === undefined) return this.#noConversation(resume);
      this.#session = found;
      this.#recall(found);
    } else this.#session = SessionFile.create(this.#config, this.#cwd, this.#env);
    if (this.#options.strictMcpConfig !== true) this.#plantedServers();
    this.#servers = await connectAll(this.#options.mcpServers ?? {});
    void this.#hook("SessionStart");
    const queue: Fields[][] = [];
    let more: () => void = () => undefined;
    let closed = false;
    void (async () => {
      for await (const { message } of promptsOf(this.#prompt)) {
        const { content } = message;
        queue.push(typeof content === "string" ? [textBlock(content)] : listOf(content));
        more();
      }
      closed = true;
      more();
    })();
    while (!this.#gone.signal.aborted) {
      const content = queue.splice(0).flat();
      if (content.length > 0) {
        await this.#answer(content, key);
        continue;
      }
      if (closed) break;
      await new Promise<void>((wake) => {
        more = wake;
        this.#gone.signal.addEventListener("abort", () => wake(), { once: true });
      });
    }
    this.#program.stdin.end();
  }

  /** What the session read before, it knows. */
  #recall(session: SessionFile): void {
    for (const block of session.messages.flatMap((message) => message.content)) {
      if (block["name"] === "Read" && isFields(block["input"]))
        this.#known.add(resolve(this.#cwd, String(block["input"]["file_path"])));
    }
  }

  #noConversation(resume: string): void {
    const error = UUID.test(resume)
      ? `No conversation found with session ID: ${resume}`
      : `--resume requires a valid session ID. Provided value "${resume}" is not a UUID`;
    this.#tell({
      ...RESULT,
      subtype: "error_during_execution",
      is_error: true,
      session_id: resume,
      errors: [error],
      num_turns: 0,
    });
    this.#program.stdin.end();
    this.#end({ thrown: new ProcessError(`Claude Code returned an error result: ${error}`, "error_result") });
  }

  get #sources(): readonly string[] {
    return this.#bare ? [] : (this.#options.settingSources ?? ["user", "project", "local"]);
  }

  get #bare(): boolean {
    return this.#env["CLAUDE_CODE_SIMPLE"] === "1";
  }

  /** Files of settings and of standing words that it reads unless it is told not to. */
  #planted(what: "settings" | "words"): string[] {
    const places: Record<string, string[]> =
      what === "settings"
        ? {
            user: [join(this.#config, "settings.json")],
            project: [join(this.#cwd, ".claude", "settings.json")],
            local: [join(this.#cwd, ".claude", "settings.local.json")],
          }
        : {
            user: [join(this.#config, "CLAUDE.md")],
            project: [join(this.#cwd, "CLAUDE.md"), join(this.#cwd, ".claude", "CLAUDE.md")],
          };
    return this.#sources.flatMap((source) => places[source] ?? []).filter((path) => existsSync(path));
  }

  /** Resolves when they have run: the program waits for them, whatever becomes of it meanwhile. */
  async #hook(event: string): Promise<void> {
    for (const path of this.#planted("settings")) {
      const { hooks } = JSON.parse(readFileSync(path, "utf8")) as { hooks?: Record<string, unknown> };
      for (const one of listOf(hooks?.[event]).flatMap((group) => listOf(group["hooks"]))) {
        await run(String(one["command"]), this.#cwd, this.#env, NEVER);
      }
    }
  }

  #plantedServers(): void {
    for (const path of [join(this.#cwd, ".mcp.json"), join(this.#env["HOME"] ?? "", ".claude.json")]) {
      if (!existsSync(path)) continue;
      const { mcpServers = {} } = JSON.parse(readFileSync(path, "utf8")) as { mcpServers?: Record<string, Fields> };
      for (const { command, args } of Object.values(mcpServers)) {
        spawn(String(command), (args as string[] | undefined) ?? [], { stdio: "ignore" }).on("error", () => undefined);
      }
    }
  }

  // ---- one turn

  async #answer(content: Fields[], key: string): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    const turn = new AbortController();
    this.#turn = turn;
    if (this.#gone.signal.aborted) turn.abort(this.#gone.signal.reason);
    this.#tell(this.#init());
    await this.#hook("UserPromptSubmit");
    const spoken = content.map((block) => wordsOf(block["text"])).join("\n");
    if (this.#options.verbatimPrompts !== true && spoken.startsWith("/")) return this.#command(spoken);
    session.say("user", this.#withAttachments(content, spoken));
    this.#standing(session);
    const ask = new Asking(key, this.#env, this.#config);
    const usage = { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const denials: Fields[] = [];
    let partial = "";
    try {
      for (let steps = 1; ; steps += 1) {
        const said = await this.#step(session, ask, usage, turn.signal, (text) => {
          partial = text;
        });
        partial = "";
        const calls = said.filter((block) => block["type"] === "tool_use");
        if (calls.length === 0) {
          const result = said.map((block) => (block["type"] === "text" ? String(block["text"]) : "")).join("");
          return this.#finish({
            subtype: "success",
            is_error: false,
            result,
            num_turns: steps,
            usage,
            permission_denials: denials,
          });
        }
        for (const call of calls) await this.#use(session, call, denials, turn.signal);
        turn.signal.throwIfAborted();
      }
    } catch (error) {
      if (this.#gone.signal.aborted) return;
      if (turn.signal.aborted) return this.#interrupted(session, partial, usage);
      const fault = error instanceof ModelFault ? error : new ModelFault(String(error), "unknown", undefined, true);
      this.#failed(session, fault, usage);
    } finally {
      this.#turn = undefined;
      await this.#hook("Stop");
    }
  }

  #init(): Fields {
    const servers = [...this.#servers.keys()].map((name) => ({ name, status: "connected" }));
    const tools = [...this.#own(), ...this.#ours().map((tool) => tool.name)];
    const { model = MODEL, permissionMode = "default" } = this.#options;
    return { type: "system", subtype: "init", tools, mcp_servers: servers, model, permissionMode, cwd: this.#cwd };
  }

  #command(spoken: string): void {
    const set = /^\/config (\w+)=(\S+)/u.exec(spoken);
    if (set !== null && this.#options.extraArgs?.["disable-slash-commands"] === undefined) {
      mkdirSync(this.#config, { recursive: true });
      writeFileSync(join(this.#config, "settings.json"), JSON.stringify({ [set[1] ?? ""]: set[2] }));
    }
    this.#turn = undefined;
    this.#finish({ subtype: "success", is_error: false, result: "", num_turns: 0, usage: {} });
  }

  #withAttachments(content: Fields[], spoken: string): Fields[] {
    if (this.#options.verbatimPrompts === true || this.#env["CLAUDE_CODE_DISABLE_ATTACHMENTS"] === "1") return content;
    const files = [...spoken.matchAll(/@(\S+)/gu)]
      .map((match) => resolve(this.#cwd, match[1] ?? ""))
      .filter((path) => existsSync(path));
    return [
      ...content,
      ...files.map((path) => textBlock(`<system-reminder>${path}:\n${readFileSync(path, "utf8")}</system-reminder>`)),
    ];
  }

  /** What it tells its model beside the prompt, once in a session. */
  #standing(session: SessionFile): void {
    if (session.messages.length > 1 || this.#bare) return;
    const words = this.#env["CLAUDE_CODE_DISABLE_CLAUDE_MDS"] === "1" ? [] : this.#planted("words");
    const skills =
      this.#sources.length === 0 ? [] : skillsIn([join(this.#config, "skills"), join(this.#cwd, ".claude", "skills")]);
    const texts = [`cwd: ${this.#cwd}`, ...[...words, ...skills].map((path) => readFileSync(path, "utf8"))];
    session.messages.at(-1)?.content.push(textBlock(`<system-reminder>${texts.join("\n")}</system-reminder>`));
  }

  async #step(
    session: SessionFile,
    asking: Asking,
    usage: Record<string, number>,
    signal: AbortSignal,
    onPartial: (text: string) => void,
  ): Promise<Fields[]> {
    const retries = Number(this.#env["CLAUDE_CODE_MAX_RETRIES"] ?? 10);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(session, asking, usage, signal, onPartial);
      } catch (error) {
        if (!(error instanceof ModelFault) || error.final || attempt > retries) throw error;
        this.#tell({
          type: "system",
          subtype: "api_retry",
          attempt,
          max_retries: retries,
          error: error.kind,
          error_status: error.status ?? null,
        });
      }
    }
  }

  async #attempt(
    session: SessionFile,
    asking: Asking,
    usage: Record<string, number>,
    signal: AbortSignal,
    onPartial: (text: string) => void,
  ): Promise<Fields[]> {
    const { model = MODEL, includePartialMessages } = this.#options;
    const body = {
      ...{ model, max_tokens: 32_000, stream: true, system: this.#system(session), messages: session.messages },
      tools: [
        ...this.#own().map((name) => described(name)),
        ...this.#ours().map(({ name, spec }) => ({ ...spec, name })),
      ],
      metadata: { user_id: JSON.stringify({ session_id: session.id }) },
    };
    const said: Fields[] = [];
    let message: Fields = {};
    let open: Fields = {};
    let json = "";
    try {
      for await (const event of ask(asking.url, asking.headers(), body, signal)) {
        if (includePartialMessages === true) this.#tell({ type: "stream_event", event, parent_tool_use_id: null });
        const delta = isFields(event["delta"]) ? event["delta"] : {};
        switch (event["type"]) {
          case "message_start":
            message = isFields(event["message"]) ? event["message"] : {};
            this.#count(usage, message["usage"], [
              "input_tokens",
              "cache_read_input_tokens",
              "cache_creation_input_tokens",
            ]);
            break;
          case "content_block_start":
            open = isFields(event["content_block"]) ? { ...event["content_block"] } : {};
            json = "";
            break;
          case "content_block_delta":
            for (const field of ["text", "thinking", "signature"]) {
              if (typeof delta[field] === "string") open[field] = `${wordsOf(open[field])}${delta[field]}`;
            }
            json += typeof delta["partial_json"] === "string" ? delta["partial_json"] : "";
            if (open["type"] === "text") onPartial(String(open["text"]));
            break;
          case "content_block_stop": {
            const block = open["type"] === "tool_use" ? { ...open, input: parsed(json) } : open;
            said.push(block);
            const { id } = message;
            const told = { id, type: "message", role: "assistant", model, content: [block], stop_reason: null };
            const uuid = session.say("assistant", [block], { id, model });
            this.#tell({ type: "assistant", message: told, parent_tool_use_id: null, uuid });
            break;
          }
          case "message_delta":
            this.#count(usage, event["usage"], ["output_tokens"]);
            this.#spend(session, model, message["usage"], event["usage"]);
            break;
          default:
        }
      }
    } catch (error) {
      session.takeBack(said);
      throw error;
    }
    return said;
  }

  #count(usage: Record<string, number>, given: unknown, names: readonly string[]): void {
    for (const name of names) usage[name] = (usage[name] ?? 0) + Number(isFields(given) ? (given[name] ?? 0) : 0);
  }

  #spend(session: SessionFile, model: string, input: unknown, output: unknown): void {
    const { spent } = session;
    const used = spent.models[model] ?? {};
    const add = (key: string, from: unknown, name: string): number => {
      const more = Number(isFields(from) ? (from[name] ?? 0) : 0);
      used[key] = Number(used[key] ?? 0) + more;
      return more;
    };
    const costUsd =
      add("inputTokens", input, "input_tokens") * 3e-6 +
      add("outputTokens", output, "output_tokens") * 15e-6 +
      add("cacheReadInputTokens", input, "cache_read_input_tokens") * 3e-7 +
      add("cacheCreationInputTokens", input, "cache_creation_input_tokens") * 4e-6;
    spent.costUsd += costUsd;
    spent.models[model] = { ...used, costUSD: Number(used["costUSD"] ?? 0) + costUsd, contextWindow: 1_000_000 };
    session.write({ type: "running-totals", spent });
  }

  #system(session: SessionFile): Fields[] {
    const { systemPrompt } = this.#options;
    const given = isFields(systemPrompt) ? systemPrompt : { prompt: systemPrompt };
    let prompt = wordsOf(given["prompt"], "You are Claude Code, Anthropic's official CLI for Claude.");
    if (given["snapshot"] !== false) {
      if (session.recordedPrompt === undefined) session.write({ type: "system-prompt", prompt });
      session.recordedPrompt ??= prompt;
      prompt = session.recordedPrompt;
    }
    const billing = this.#env["CLAUDE_CODE_ATTRIBUTION_HEADER"] === "0" ? [] : ["x-anthropic-billing-header: pretend"];
    return [...billing, "You are a Claude agent, built on Anthropic's Claude Agent SDK.", prompt].map((text) =>
      textBlock(text),
    );
  }

  // ---- tools

  #own(): string[] {
    const { tools, disallowedTools = [] } = this.#options;
    const asked = Array.isArray(tools) ? tools.map(String) : Object.keys(OWN);
    // Off by default; and behind its search of tools, unless they are listed one by one.
    const todo = this.#env["CLAUDE_CODE_ENABLE_TASKS"] === "0" && this.#env["CLAUDE_CODE_ENABLE_TODO_TOOLS"] === "1";
    const plans = todo && (Array.isArray(tools) || this.#env["ENABLE_TOOL_SEARCH"] === "0");
    return asked.filter(
      (name) => Object.hasOwn(OWN, name) && !disallowedTools.includes(name) && (name !== "TodoWrite" || plans),
    );
  }

  #ours(): { readonly name: string; readonly spec: Fields }[] {
    return [...this.#servers].flatMap(([server, connected]) =>
      connected.tools.map((tool) => ({
        name: `mcp__${server}__${String(tool["name"])}`,
        spec: { description: tool["description"], input_schema: tool["inputSchema"] },
      })),
    );
  }

  async #use(session: SessionFile, call: Fields, denials: Fields[], signal: AbortSignal): Promise<void> {
    const name = String(call["name"]);
    const id = String(call["id"]);
    let end: ToolEnd;
    try {
      end = await this.#useOf(name, id, isFields(call["input"]) ? call["input"] : {}, denials, signal);
    } catch (error) {
      end = { text: String(error), failed: true, shown: `Error: ${String(error)}` };
    }
    if (this.#gone.signal.aborted) return;
    if (signal.aborted)
      end = { text: "The user doesn't want to take this action right now.", failed: true, shown: "Error: interrupted" };
    const content = [
      {
        type: "tool_result",
        tool_use_id: id,
        content: [textBlock(end.text)],
        ...(end.failed ? { is_error: true } : {}),
      },
    ];
    const uuid = session.say("user", content);
    this.#tell({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      tool_use_result: end.shown,
      uuid,
    });
  }

  async #useOf(name: string, id: string, input: Fields, denials: Fields[], signal: AbortSignal): Promise<ToolEnd> {
    const [, server = "", tool = ""] = /^mcp__(.+?)__(.+)$/u.exec(name) ?? [];
    const connected = this.#servers.get(server);
    const known = connected?.tools.some((one) => one["name"] === tool) ?? this.#own().includes(name);
    if (!known) {
      const text = `<tool_use_error>Error: No such tool available: ${name}</tool_use_error>`;
      return { text, failed: true, shown: text };
    }
    const decision = await this.#decide(name, id, input, signal);
    signal.throwIfAborted();
    if (decision.behavior !== "allow") {
      denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
      if (decision.interrupt === true) this.#turn?.abort(new Error("interrupted"));
      const text = decision.message ?? "Permission to use this tool has been denied.";
      return { text, failed: true, shown: `Error: ${text}` };
    }
    const given = decision.updatedInput ?? input;
    if (connected !== undefined) return await connected.call(tool, given, id, signal);
    const act = OWN[name];
    if (act === undefined) throw new Error(`${name} is not pretended`);
    return await act(given, { cwd: this.#cwd, env: this.#env, signal, known: this.#known });
  }

  async #decide(name: string, id: string, input: Fields, signal: AbortSignal): Promise<Decision> {
    const { allowedTools = [], permissionMode, canUseTool, settings } = this.#options;
    let hooked: unknown;
    for (const hook of this.#bare ? [] : (this.#options.hooks?.PreToolUse ?? []).flatMap((group) => group.hooks)) {
      const about = {
        hook_event_name: "PreToolUse",
        tool_name: name,
        tool_input: input,
        tool_use_id: id,
        session_id: this.#session?.id,
        cwd: this.#cwd,
      };
      const said = (await hook(about, id, { signal }))["hookSpecificOutput"];
      hooked = isFields(said) ? said["permissionDecision"] : hooked;
      if (hooked === "deny" && isFields(said))
        return { behavior: "deny", message: wordsOf(said["permissionDecisionReason"], "denied") };
    }
    const rules = isFields(settings) && isFields(settings["permissions"]) ? settings["permissions"]["ask"] : [];
    const must = hooked === "ask" || (Array.isArray(rules) && rules.includes(name));
    const free = hooked === "allow" || allowedTools.includes(name) || unasked(name, input, this.#cwd);
    if (!must && free) return { behavior: "allow" };
    if (canUseTool === undefined || permissionMode === "dontAsk") {
      return {
        behavior: "deny",
        message: `Claude requested permissions to use ${name}, but you haven't granted it yet.`,
      };
    }
    const about = { signal, toolUseID: id, requestId: randomUUID(), suggestions: [], displayName: name };
    const asked = canUseTool(name, input, about).catch((error: unknown) => ({
      behavior: "deny",
      message: String(error),
    }));
    return await Promise.race([asked, rejected(signal)]);
  }

  // ---- ends

  #finish(result: Fields): void {
    const { spent } = this.#session ?? { spent: { costUsd: 0, models: {} } };
    this.#tell({ ...RESULT, total_cost_usd: spent.costUsd, modelUsage: structuredClone(spent.models), ...result });
  }

  #interrupted(session: SessionFile, partial: string, usage: Fields): void {
    const last = session.messages.at(-1);
    if (partial !== "" && last?.role === "user") {
      const { model = MODEL } = this.#options;
      const content = [textBlock(partial)];
      const uuid = session.say("assistant", content, { model });
      this.#tell({
        type: "assistant",
        aborted: true,
        message: { role: "assistant", model, content, stop_reason: null },
        parent_tool_use_id: null,
        uuid,
      });
    }
    const content = [textBlock("[Request interrupted by user]")];
    const uuid = session.say("user", content);
    this.#tell({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
    this.#finish({
      subtype: "error_during_execution",
      is_error: true,
      errors: [],
      terminal_reason: "aborted_streaming",
      usage,
    });
  }

  /** A failure of the model's service is told as a success that is an error. */
  #failed(session: SessionFile, { message, kind, status, cut }: ModelFault, usage: Fields): void {
    const content = [textBlock(message)];
    const model = "<synthetic>";
    const uuid = session.say("assistant", content, { model });
    const about = { error: kind, api_error_status: status ?? null, ...(cut ? { api_error: "connection_failed" } : {}) };
    const told = { id: randomUUID(), role: "assistant", model, content, stop_reason: "stop_sequence" };
    this.#tell({ type: "assistant", message: told, parent_tool_use_id: null, uuid, ...about });
    this.#finish({ subtype: "success", is_error: true, result: message, api_error_status: status ?? null, usage });
    if (typeof this.#prompt === "string")
      this.#end({ thrown: new ProcessError(`Claude Code returned an error result: ${message}`, "error_result") });
  }
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;
const MODEL = "claude-sonnet-5";
const RESULT = {
  ...{ type: "result", num_turns: 1, stop_reason: "end_turn", terminal_reason: "completed", api_error_status: null },
  ...{
    total_cost_usd: 0,
    usage: {},
    modelUsage: {},
    permission_denials: [],
    errors: [],
    result_index: 0,
    duration_ms: 1,
  },
};

/** How it signs in: a key it was given, a token, or the sign-in in its own folder; bare, by a key alone. */
class Asking {
  readonly url: string;
  readonly #key: string;
  readonly #token: string | undefined;

  constructor(key: string, env: Environment, config: string) {
    this.url = env["ANTHROPIC_BASE_URL"] ?? "https://api.anthropic.invalid";
    this.#key = key;
    this.#token =
      env["ANTHROPIC_AUTH_TOKEN"] ??
      env["CLAUDE_CODE_OAUTH_TOKEN"] ??
      (env["CLAUDE_CODE_SIMPLE"] === "1" ? undefined : signIn(config));
  }

  headers(): Record<string, string> {
    if (this.#key !== "") return { "x-api-key": this.#key };
    if (this.#token !== undefined) return { authorization: `Bearer ${this.#token}` };
    throw new ModelFault("Not logged in · Please run /login", "authentication_failed", undefined, true);
  }
}

function signIn(config: string): string | undefined {
  const path = join(config, ".credentials.json");
  if (!existsSync(path)) return undefined;
  const { claudeAiOauth } = JSON.parse(readFileSync(path, "utf8")) as Fields;
  const token = isFields(claudeAiOauth) ? claudeAiOauth["accessToken"] : undefined;
  return typeof token === "string" ? token : undefined;
}

function skillsIn(folders: readonly string[]): string[] {
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name, "SKILL.md")))
    .filter((path) => existsSync(path));
}

function described(name: string): Fields {
  return { name, description: `The program's own ${name}.`, input_schema: { type: "object", properties: {} } };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json === "" ? "{}" : json);
  } catch {
    return {};
  }
}

async function* promptsOf(prompt: Order["prompt"]): AsyncGenerator<UserMessage> {
  if (typeof prompt === "string") yield { message: { content: prompt } };
  else yield* prompt;
}

function plainSpawn({ command, args, cwd, env }: Fields): Program {
  return spawn(String(command), args as string[], {
    cwd: String(cwd),
    env: env as NodeJS.ProcessEnv,
    stdio: ["pipe", "pipe", "ignore"],
  });
}

// ---- servers of tools that run in the host

/** One server that answers; its tools are what it listed at the start. */
class Connected {
  tools: Fields[] = [];
  readonly #waiting: Map<number, (message: Fields) => void> = new Map();
  readonly #server: Server;
  #count = 0;
  readonly #transport: Transport = {
    start: async () => {},
    send: async (message) => {
      await Promise.resolve();
      this.#waiting.get(Number(message["id"]))?.(message);
    },
    close: async () => {},
  };

  constructor(server: Server) {
    this.#server = server;
  }

  async connect(): Promise<void> {
    await this.#server.connect(this.#transport);
    const clientInfo = { name: "claude-code", version: "2.1.332" };
    await this.#request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.#notify("notifications/initialized", {});
    this.tools = listOf((await this.#request("tools/list", {}))["tools"]);
  }

  close(): void {
    this.#transport.onclose?.();
  }

  async call(name: string, args: Fields, toolUseId: string, signal: AbortSignal): Promise<ToolEnd> {
    const requestId = this.#count + 1;
    const onAbort = (): void => this.#notify("notifications/cancelled", { requestId, reason: "interrupted" });
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const params = { name, arguments: args, _meta: { "claudecode/toolUseId": toolUseId } };
      const given = await Promise.race([this.#request("tools/call", params), rejected(signal)]);
      const words = listOf(given["content"]).map((part) => wordsOf(part["text"], `[${String(part["type"])}]`));
      // The model then sees that alone.
      const { structuredContent } = given;
      const text = structuredContent === undefined ? words.join("\n") : JSON.stringify(structuredContent);
      return { text, failed: given["isError"] === true, shown: given["content"] };
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #request(method: string, params: Fields): Promise<Fields> {
    const id = (this.#count += 1);
    const { promise, resolve } = Promise.withResolvers<Fields>();
    this.#waiting.set(id, resolve);
    this.#transport.onmessage?.({ jsonrpc: "2.0", id, method, params });
    const { result, error } = await promise;
    this.#waiting.delete(id);
    if (isFields(error)) throw new Error(String(error["message"]));
    return isFields(result) ? result : {};
  }

  #notify(method: string, params: Fields): void {
    this.#transport.onmessage?.({ jsonrpc: "2.0", method, params });
  }
}

async function rejected(signal: AbortSignal): Promise<never> {
  return await new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function connectAll(servers: Readonly<Record<string, Fields>>): Promise<ReadonlyMap<string, Connected>> {
  const all = new Map<string, Connected>();
  for (const [name, { instance }] of Object.entries(servers)) {
    const connected = new Connected(instance as Server);
    try {
      await connected.connect();
      all.set(name, connected);
    } catch {
      // One that another query holds already has no tools for this one.
    }
  }
  return all;
}
