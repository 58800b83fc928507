// Every way in which a provider can fail, as one code and one sentence of ours.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ERRORS } from "../../src/core/error.ts";
import type { ErrorCode } from "../../src/core/error.ts";
import { explain } from "../../src/engines/api/errors.ts";
import type { Failure } from "../wire/models-failures.ts";
import { KEY, KINDS, apiStage, engineAt } from "./api-stage.ts";
import type { Kind } from "./api-stage.ts";
import { play, turn } from "./play.ts";

const FAILURES: readonly [Failure, ErrorCode][] = [
  ["badKey", "engine-unauthorized"],
  ["noModel", "engine-model-missing"],
  ["rateLimit", "engine-rate-limited"],
  ["quota", "engine-no-credit"],
  ["serverError", "engine-failed"],
  ["overloaded", "engine-overloaded"],
  ["contextLength", "engine-context-full"],
];

describe.each(KINDS)("E11, E12: %s, by what the vendor's reference says", (kind) => {
  test.each(FAILURES)("%s is %s, in our words", async (fail, code) => {
    const { engine, models, log } = await apiStage(kind, { maxRetries: 0 });
    models.reply([{ fail }]);
    const { error, text } = await play(engine, turn("hi"));
    expect(error?.code).toBe(code);
    expect(text).toBe("");
    expectOurWords(error?.message);
    expect(log.lines.join("\n")).not.toContain(KEY);
    expect(models.requestCount).toBe(1);
  });

  test("a refusal in a web page instead of JSON is explained by its status", async () => {
    const { engine, models } = await apiStage(kind, { maxRetries: 0 });
    models.reply([{ status: 502, body: "<html>Bad gateway at 10.0.0.7</html>" }]);
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-overloaded");
    expectOurWords(error?.message);
  });

  test("an error event in place of the answer is one too", async () => {
    const { engine, models } = await apiStage(kind, { maxRetries: 0 });
    models.reply([{ open: true }, { errorEvent: `raw words of theirs ${KEY}` }]);
    const { error } = await play(engine, turn("hi"));
    expect(["engine-overloaded", "engine-failed"]).toContain(error?.code);
    expectOurWords(error?.message);
  });

  test("E9: an error event in the middle keeps what was said", async () => {
    const { engine, models } = await apiStage(kind);
    models.reply(["Half a ", "sentence", { errorEvent: `raw words of theirs ${KEY}` }]);
    const { error, text } = await play(engine, turn("hi"));
    expect(text).toBe("Half a sentence");
    expect(["engine-overloaded", "engine-failed"]).toContain(error?.code);
    expectOurWords(error?.message);
    expect(models.requestCount).toBe(1);
  });

  test("E9: a connection cut in the middle keeps what was said and is not tried again", async () => {
    const { engine, models } = await apiStage(kind);
    // A reset may overtake what was sent before it, so it waits until that was heard.
    const heard = models.gate();
    models.reply(["Half a ", "sentence", { wait: heard }, { cut: true }]);
    const { error, text } = await play(engine, turn("hi"), (event) => {
      if (event.kind === "text" && event.delta === "sentence") heard.release();
    });
    expect(text).toBe("Half a sentence");
    expect(error?.code).toBe("engine-cut");
    expect(models.requestCount).toBe(1);
  });

  test("a stream that just ends in the middle is cut as well", async () => {
    const page = await serve(200, "text/event-stream", HALVES[kind]);
    const { engine } = await engineAt(kind, page, { maxRetries: 0 });
    const { error, text } = await play(engine, turn("hi"));
    expect(text).toBe("half");
    expect(error?.code).toBe("engine-cut");
  });

  test("nobody at the address is engine-unreachable", async () => {
    const { engine, models } = await apiStage(kind, { maxRetries: 0 });
    await models[Symbol.asyncDispose]();
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unreachable");
    await expect(engine.check(new AbortController().signal)).rejects.toMatchObject({ code: "engine-unreachable" });
  });

  test("a web page at the address points to baseUrl", async () => {
    const page = await serve(200, "text/html; charset=utf-8", "<html>Welcome to your router</html>");
    const { engine } = await engineAt(kind, page, { maxRetries: 0 });
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unreachable");
    expect(error?.message).toContain("baseUrl");
    await expect(engine.check(new AbortController().signal)).rejects.toMatchObject({ code: "engine-unreachable" });
  });

  test("something that is neither can't be understood", async () => {
    const page = await serve(200, "text/plain", "Welcome");
    const { engine } = await engineAt(kind, page, { maxRetries: 0 });
    const { error } = await play(engine, turn("hi"));
    expect(["engine-bad-answer", "engine-cut"]).toContain(error?.code);
    expectOurWords(error?.message);
  });

  test("E19: a key that can't be a key is refused without a request and without being shown", async () => {
    const { engine, models } = await apiStage(kind, { apiKey: "sk-käy\nwith lines 4711 ☃" });
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unauthorized");
    expectOurWords(error?.message);
    expect(models.requestCount).toBe(0);
  });

  test("broken JSON in the stream can't be understood", async () => {
    const page = await serve(200, "text/event-stream", "data: {broken\n\n");
    const { engine } = await engineAt(kind, page, { maxRetries: 0 });
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-bad-answer");
  });

  test("a path that isn't there points to baseUrl", async () => {
    const { engine } = await engineAt(kind, await serve(404, "text/html", "<h1>Not here</h1>"));
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unreachable");
    expect(error?.message).toContain("baseUrl");
  });

  test("E19: a redirect is not followed, so the key stays with its own provider", async () => {
    const seen: string[] = [];
    const elsewhere = await serve(200, "text/event-stream", "", (headers) => seen.push(headers));
    const { engine } = await engineAt(kind, await serve(307, "text/plain", "", undefined, { location: elsewhere }));
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unreachable");
    expect(seen).toEqual([]);
  });

  test("E19: a vendor's engine without a key asks nobody and says what to set", async () => {
    const vendors: readonly Kind[] = ["openai", "anthropic", "google"];
    if (!vendors.includes(kind)) return;
    const { engine } = await engineAt(kind, "unused", { apiKey: "", baseUrl: undefined });
    const { error } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-unauthorized");
    expect(error?.message).toContain("apiKey");
  });
});

/** A status and a body as a provider sends it: what must come of it. */
const BODIES: readonly [string, number, unknown, ErrorCode][] = [
  [
    "OpenAI, key of another project",
    401,
    { error: { message: "x", type: "invalid_request_error", code: "mismatched_project" } },
    "engine-unauthorized",
  ],
  ["OpenAI, country", 403, { error: { message: "x", code: "unsupported_country_region_territory" } }, "engine-refused"],
  ["OpenAI, no right to the model", 403, { error: { message: "x", code: "permission_denied" } }, "engine-unauthorized"],
  ["OpenAI, budget", 429, { error: { message: "x", code: "billing_hard_limit_reached" } }, "engine-no-credit"],
  [
    "OpenAI, tokens a minute",
    429,
    { error: { message: "x", type: "tokens", code: "rate_limit_exceeded" } },
    "engine-rate-limited",
  ],
  [
    "OpenAI, bad parameter",
    400,
    { error: { message: "Unsupported parameter: 'x'", type: "invalid_request_error" } },
    "engine-refused",
  ],
  ["OpenAI, content", 400, { error: { message: "x", code: "content_policy_violation" } }, "engine-refused"],
  ["Anthropic, credit", 402, { type: "error", error: { type: "billing_error", message: "x" } }, "engine-no-credit"],
  [
    "Anthropic, permission",
    403,
    { type: "error", error: { type: "permission_error", message: "x" } },
    "engine-unauthorized",
  ],
  [
    "Anthropic, request too large",
    413,
    { type: "error", error: { type: "request_too_large", message: "x" } },
    "engine-context-full",
  ],
  [
    "Anthropic, overloaded",
    529,
    { type: "error", error: { type: "overloaded_error", message: "x" } },
    "engine-overloaded",
  ],
  [
    "Anthropic, input and output",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
      },
    },
    "engine-context-full",
  ],
  [
    "Google, key",
    400,
    { error: { code: 400, status: "INVALID_ARGUMENT", message: "x", details: [{ reason: "API_KEY_INVALID" }] } },
    "engine-unauthorized",
  ],
  [
    "Google, country",
    400,
    { error: { code: 400, status: "FAILED_PRECONDITION", message: "User location is not supported for the API use." } },
    "engine-refused",
  ],
  [
    "Google, a minute's pace",
    429,
    {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "You exceeded your current quota, please check your plan. Please retry in 34s.",
        details: [{ violations: [{ quotaId: "GenerateRequestsPerMinutePerProjectPerModel" }] }, { retryDelay: "34s" }],
      },
    },
    "engine-rate-limited",
  ],
  [
    "Google, a day's quota",
    429,
    {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        message: "x Please retry in 34s.",
        details: [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }],
      },
    },
    "engine-no-credit",
  ],
  ["Google, unavailable", 503, { error: { code: 503, status: "UNAVAILABLE", message: "x" } }, "engine-overloaded"],
  [
    "Ollama, model not pulled",
    404,
    { error: { message: 'model "qwen3" not found, try pulling it first', type: "api_error" } },
    "engine-model-missing",
  ],
  [
    "Ollama, a word as the error",
    404,
    { error: 'model "qwen3" not found, try pulling it first' },
    "engine-model-missing",
  ],
  [
    "llama.cpp, context",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
    "engine-context-full",
  ],
  [
    "llama.cpp, still loading",
    503,
    { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
    "engine-overloaded",
  ],
  [
    "vLLM, context",
    400,
    { object: "error", message: "This model's maximum context length is 4096 tokens.", code: 400 },
    "engine-context-full",
  ],
  [
    "vLLM, no such model",
    404,
    { object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 },
    "engine-model-missing",
  ],
  ["OpenRouter, credit", 402, { error: { code: 402, message: "Insufficient credits." } }, "engine-no-credit"],
  [
    "OpenRouter, model",
    400,
    { error: { code: 400, message: "x/y is not a valid model ID, no such model" } },
    "engine-model-missing",
  ],
  ["Mistral, key", 401, { detail: "Unauthorized" }, "engine-unauthorized"],
  ["a gateway's timeout", 504, "timeout", "engine-overloaded"],
  ["something unheard of", 418, { teapot: true }, "engine-refused"],
  ["something unheard of on their side", 599, {}, "engine-failed"],
];

test.each(BODIES)("E11: %s (%i) has its code", (_who, statusCode, body, code) => {
  const { error } = explain({ name: "AI_APICallError", statusCode, responseBody: JSON.stringify(body) }, false);
  expect(error.code).toBe(code);
  expectOurWords(error.message);
});

test.each([
  ["ECONNREFUSED", false, "engine-unreachable"],
  ["ENOTFOUND", false, "engine-unreachable"],
  ["CERT_HAS_EXPIRED", false, "engine-unreachable"],
  ["ECONNRESET", true, "engine-cut"],
  ["UND_ERR_SOCKET", true, "engine-cut"],
  ["UND_ERR_BODY_TIMEOUT", true, "engine-silent"],
  ["UND_ERR_HEADERS_TIMEOUT", false, "engine-silent"],
] as const)("E11: a socket's %s (answer begun: %s) is %s", (code, begun, expected) => {
  const cause = Object.assign(new Error("raw"), { code });
  const thrown = new TypeError("fetch failed", { cause: new Error("between", { cause }) });
  expect(explain(thrown, begun).error.code).toBe(expected);
});

test.each([undefined, null, "a word", 7, {}, new Error("raw words"), { code: "x".repeat(1_000_000) }])(
  "E11: nothing that is thrown is left without words (%#)",
  (thrown) => {
    const { error } = explain(thrown, true);
    expect(Object.keys(ERRORS)).toContain(error.code);
    expectOurWords(error.message);
  },
);

describe("E10: how long a service asks to wait", () => {
  test.each([
    [{ "retry-after": "7" }, undefined, 7_000],
    [{ "retry-after-ms": "250", "retry-after": "1" }, undefined, 250],
    [{ date: "Mon, 30 Nov 2026 10:00:00 GMT", "retry-after": "Mon, 30 Nov 2026 10:00:12 GMT" }, undefined, 12_000],
    [{ "retry-after": "soon" }, undefined, undefined],
    [{}, [{ retryDelay: "3.5s" }], 3_500],
    [{}, "nonsense", undefined],
  ])("%j and %j", (responseHeaders, details, expected) => {
    const responseBody = JSON.stringify({ error: { message: "x", details } });
    expect(explain({ statusCode: 429, responseHeaders, responseBody }, false).retryAfterMs).toBe(expected);
  });

  test("hours are told to the person", () => {
    const { error } = explain({ statusCode: 429, responseHeaders: { "retry-after": "7200" } }, false);
    expect(error.message).toContain("2 hours");
  });
});

const RAW = /html|teapot|raw|10\.0\.0\.7|req_|trap|4711|quota(Id|,)|pulling|invalid_|_error|PerDay/;

function expectOurWords(message: string | undefined): void {
  expect(message).toMatch(/^[A-Z].+\.$/s);
  expect(message).not.toMatch(RAW);
}

/** Answers everything alike; gives its address. */
async function serve(
  status: number,
  type: string,
  body: string,
  onRequest: (headers: string) => void = () => {},
  headers: Record<string, string> = {},
): Promise<string> {
  const server = createServer((request, response) => {
    onRequest(JSON.stringify(request.headers));
    response.writeHead(status, { "content-type": type, ...headers }).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve());
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sse = (...events: readonly Record<string, unknown>[]): string =>
  events.map((event) => `event: ${String(event["type"])}\ndata: ${JSON.stringify(event)}\n\n`).join("");

/** A stream of each wire that says one word and then closes in good order, without its end. */
const HALVES: { readonly [K in Kind]: string } = {
  openai: sse(
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: { id: "i", type: "message" } },
    { type: "response.output_text.delta", item_id: "i", output_index: 0, content_index: 0, delta: "half" },
  ),
  anthropic: sse(
    {
      type: "message_start",
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half" } },
  ),
  google: sse({ candidates: [{ content: { role: "model", parts: [{ text: "half" }] }, index: 0 }] }),
  "openai-compatible": sse({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta: { content: "half" } }] }),
};
