// A loopback model server: OpenAI Chat Completions and Responses, Anthropic Messages and Google
// generateContent, by one script of replies. It refuses what the vendors refuse (no key, no model,
// tool results out of place) in their words. In the same process use the object; from another one
// POST /control/VERB. As a program: `node test/wire/models.ts --port N --control N`.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Watch, listen, portsFromArgs, pushCapped, readBody, sendJson, serveControl } from "./http.ts";
import type { Seen, Listening, UntilOptions, Verbs } from "./http.ts";
import { anthropicDialect } from "./models-anthropic.ts";
import { googleDialect } from "./models-google.ts";
import { chatDialect, responsesDialect } from "./models-openai.ts";
import { speak } from "./models-speak.ts";
import type { Dialect, Gate, ModelRequest, Replier, Reply } from "./models-script.ts";

export interface ModelsOptions {
  port?: number;
  /** Also listen for control: true picks a free port. */
  control?: number | true;
  /** Asked for in every vendor's own header; without one no key is needed. */
  apiKey?: string;
  /** What /v1/models lists; with `onlyThese`, others answer "no such model". */
  models?: string[];
  onlyThese?: boolean;
  /** Requests kept, default 1,000; 0 keeps none. */
  requestCap?: number;
}

export class ModelsWire implements AsyncDisposable {
  readonly requests: ModelRequest[] = [];
  /** `http://127.0.0.1:PORT`. */
  baseUrl = "";
  controlUrl: string | undefined;
  readonly #options: ModelsOptions;
  readonly #watch: Watch = new Watch(() => this.describe());
  readonly #queue: Replier[] = [];
  readonly #gates: Map<string, OpenableGate> = new Map();
  readonly #servers: Listening[] = [];
  #always: Replier = (request) => `You said: ${request.lastUserText}`;
  #count = 0;

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    const server = await listen((request, response) => {
      void this.#serve(request, response);
    }, this.#options.port);
    this.#servers.push(server);
    this.baseUrl = server.url;
    const { control } = this.#options;
    if (control !== undefined) {
      const listening = await serveControl(controlVerbs(this), control === true ? 0 : control);
      this.#servers.push(listening);
      this.controlUrl = listening.url;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch.close();
    for (const gate of this.#gates.values()) gate.release();
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  /** For OpenAI and compatible clients. */
  get openaiUrl(): string {
    return `${this.baseUrl}/v1`;
  }

  /** For the AI SDK; Anthropic's own programs take `baseUrl`. */
  get anthropicUrl(): string {
    return `${this.baseUrl}/v1`;
  }

  get googleUrl(): string {
    return `${this.baseUrl}/v1beta`;
  }

  /** Queues replies: each answers one request, in order of arrival. */
  reply(...replies: Replier[]): void {
    this.#queue.push(...replies);
  }

  /** What answers when the queue is empty; at first an echo of the user's last words. */
  always(replier: Replier): void {
    this.#always = replier;
  }

  /** Replies still waiting for their request. */
  get queued(): number {
    return this.#queue.length;
  }

  forget(): void {
    this.#queue.length = 0;
    this.requests.length = 0;
    this.#watch.changed();
  }

  /** A gate by name; the same name is the same gate. */
  gate(name = `gate-${this.#gates.size + 1}`): Gate {
    const known = this.#gates.get(name);
    if (known) return known;
    const gate = new OpenableGate(name);
    this.#gates.set(name, gate);
    return gate;
  }

  /** All requests so far, also those that the cap dropped. */
  get requestCount(): number {
    return this.#count;
  }

  get last(): ModelRequest | undefined {
    return this.requests.at(-1);
  }

  until<T>(predicate: (wire: this) => T, options?: UntilOptions): Promise<Seen<T>> {
    const what = options?.what ?? predicate.toString();
    return this.#watch.until(() => predicate(this), { ...options, what });
  }

  describe(): string {
    const lines = this.requests.slice(-15).map((request) => {
      const { index, path, model, state, lastUserText, toolNames } = request;
      const words = JSON.stringify(lastUserText.slice(0, 120));
      return `  #${index} ${path} ${model} ${state} ${words} tools: ${toolNames.join(", ")}`;
    });
    const gates = [...this.#gates.values()].map(
      (gate) => `  gate ${gate.name}: reached ${gate.reached}, released ${gate.released}`,
    );
    return [`${this.#count} requests, ${this.queued} replies queued`, ...lines, ...gates].join("\n");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? "/", this.baseUrl);
      const route = routeOf(url);
      const { apiKey } = this.#options;
      const bytes = await readBody(request);
      if (!route) return sendJson(response, 404, { error: { message: "Not Found" } });
      const { dialect } = route;
      // A client that would rather have a socket takes this as a no at once.
      if (request.headers.upgrade !== undefined)
        return sendJson(response, 426, { error: { message: "Upgrade Required" } });
      if (apiKey !== undefined && !keyFits(request, url, apiKey)) {
        const { status, body } = dialect.failure("badKey", "");
        return sendJson(response, status, body);
      }
      if (route.kind === "list") return sendJson(response, 200, this.#list(dialect));
      const body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
      if (route.kind === "count") {
        return sendJson(response, 200, { input_tokens: Math.ceil(bytes.length / 4) });
      }
      await this.#answer(request, response, { ...route, body, size: bytes.length });
    } catch (error) {
      if (request.destroyed && !response.writable) return;
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { message: String(error), type: "server_error" } });
    }
  }

  #list(dialect: Dialect): unknown {
    const ids = this.#options.models ?? ["test-model"];
    if (dialect.name === "google") {
      return { models: ids.map((id) => ({ name: `models/${id}` })) };
    }
    const data = ids.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "x" }));
    return { object: "list", data };
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> {
    const { dialect, body } = asked;
    const model = asked.model ?? (typeof body["model"] === "string" ? body["model"] : "");
    const request: ModelRequest = {
      index: this.#count++,
      path: incoming.url ?? "",
      dialect: dialect.name,
      model,
      stream: asked.stream ?? body["stream"] === true,
      body,
      headers: withoutKeys(incoming),
      ...dialect.describe(body),
      atMs: Date.now(),
      state: "open",
      aborted: false,
    };
    pushCapped(this.requests, request, this.#options.requestCap ?? 1000);
    const setState = (state: ModelRequest["state"]): void => {
      if (request.aborted) return;
      request.state = state;
      this.#watch.changed();
    };
    response.once("close", () => {
      if (request.state !== "open" && request.state !== "waiting") return;
      request.aborted = true;
      request.state = "aborted";
      this.#watch.changed();
    });
    this.#watch.changed();

    const refused = this.#refusal(dialect, request, incoming);
    if (refused) {
      setState("refused");
      return sendJson(response, refused.status, refused.body);
    }
    const replier = this.#queue.shift() ?? this.#always;
    const reply: Reply = typeof replier === "function" ? await replier(request) : replier;
    await speak(reply, {
      dialect,
      request,
      response,
      requestSize: asked.size,
      setState,
      pass: (gate) => {
        const one = typeof gate === "string" ? (this.gate(gate) as OpenableGate) : gate;
        const passed = (one as OpenableGate).pass();
        setState("waiting");
        return passed.then(() => setState("open"));
      },
    });
  }

  #refusal(
    dialect: Dialect,
    request: ModelRequest,
    incoming: IncomingMessage,
  ): { status: number; body: unknown } | undefined {
    const fault = dialect.check(request.body, incoming.headers);
    if (fault !== undefined) return { status: 400, body: dialect.errorBody(400, fault) };
    const { onlyThese, models = ["test-model"] } = this.#options;
    if (onlyThese && !models.includes(request.model)) {
      return dialect.failure("noModel", request.model);
    }
    return undefined;
  }
}

class OpenableGate implements Gate {
  readonly name: string;
  reached = false;
  released = false;
  readonly #opened: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(name: string) {
    this.name = name;
  }

  release(): void {
    this.released = true;
    this.#opened.resolve();
  }

  pass(): Promise<void> {
    this.reached = true;
    return this.#opened.promise;
  }
}

interface Route {
  kind: "list" | "count" | "answer";
  dialect: Dialect;
  /** Where the path says it. */
  model?: string;
  stream?: boolean;
}

interface Asked extends Route {
  body: Record<string, unknown>;
  /** In bytes, for the tokens a reply claims by default. */
  size: number;
}

function routeOf(url: URL): Route | undefined {
  const { pathname } = url;
  switch (pathname) {
    case "/v1/chat/completions":
      return { kind: "answer", dialect: chatDialect };
    case "/v1/responses":
      return { kind: "answer", dialect: responsesDialect };
    case "/v1/messages":
      return { kind: "answer", dialect: anthropicDialect };
    case "/v1/messages/count_tokens":
      return { kind: "count", dialect: anthropicDialect };
    case "/v1/models":
      return { kind: "list", dialect: chatDialect };
    case "/v1beta/models":
      return { kind: "list", dialect: googleDialect };
    default: {
      const match = /^\/v1beta\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(pathname);
      if (!match) return undefined;
      return {
        kind: "answer",
        dialect: googleDialect,
        model: decodeURIComponent(match[1] ?? ""),
        stream: match[2] === "streamGenerateContent",
      };
    }
  }
}

function keyFits(request: IncomingMessage, url: URL, key: string): boolean {
  const { headers } = request;
  return (
    headers.authorization === `Bearer ${key}` ||
    headers["x-api-key"] === key ||
    headers["x-goog-api-key"] === key ||
    url.searchParams.get("key") === key
  );
}

const keyHeaders: ReadonlySet<string> = new Set(["authorization", "x-api-key", "x-goog-api-key", "cookie"]);

function withoutKeys(request: IncomingMessage): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (!keyHeaders.has(name) && value !== undefined) kept[name] = String(value);
  }
  return kept;
}

function controlVerbs(wire: ModelsWire): Verbs {
  return {
    /** Replies for the next requests, in order. */
    script: (...replies: Reply[]) => wire.reply(...replies),
    always: (reply: Reply) => wire.always(reply),
    forget: () => wire.forget(),
    release: (gate: string) => wire.gate(gate).release(),
    untilReached: (gate: string, options?: UntilOptions) => wire.until(() => wire.gate(gate).reached, options),
    requests: () => wire.requests,
    requestCount: () => wire.requestCount,
    untilRequests: (count: number, options?: UntilOptions) => wire.until(() => wire.requestCount >= count, options),
    describe: () => wire.describe(),
  };
}

export async function startModels(options: ModelsOptions = {}): Promise<ModelsWire> {
  const wire = new ModelsWire(options);
  await wire.listen();
  return wire;
}

if (import.meta.main) {
  const { port, control } = portsFromArgs(process.argv.slice(2));
  const wire = await startModels({ port, control, requestCap: 100 });
  const { baseUrl, controlUrl } = wire;
  process.stdout.write(`${JSON.stringify({ baseUrl, controlUrl })}\n`);
}
