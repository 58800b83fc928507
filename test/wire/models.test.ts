// The loopback models against plain fetch and the AI SDK's real providers; nothing sleeps.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, onTestFinished, test } from "vitest";
import { control } from "./http.ts";
import { startModels } from "./models.ts";
import type { ModelsOptions, ModelsWire } from "./models.ts";

type Model = ReturnType<ReturnType<typeof createOpenAICompatible>>;
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;

const apiKey = "key-for-tests";

async function start(options?: ModelsOptions): Promise<ModelsWire> {
  const models = await startModels({ apiKey, ...options });
  onTestFinished(() => models[Symbol.asyncDispose]());
  return models;
}

const vendors: [string, (models: ModelsWire) => Model][] = [
  [
    "openai-compatible",
    (models) =>
      createOpenAICompatible({
        name: "local",
        baseURL: models.openaiUrl,
        apiKey,
        includeUsage: true,
      })("m"),
  ],
  ["openai chat", (models) => createOpenAI({ baseURL: models.openaiUrl, apiKey }).chat("m")],
  ["openai responses", (models) => createOpenAI({ baseURL: models.openaiUrl, apiKey }).responses("m")],
  ["anthropic", (models) => createAnthropic({ baseURL: models.anthropicUrl, apiKey })("m")],
  ["google", (models) => createGoogle({ baseURL: models.googleUrl, apiKey })("m")],
];

type Options = Partial<Parameters<Model["doStream"]>[0]>;

async function ask(model: Model, words = "hi", options: Options = {}): Promise<Part[]> {
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: words }] }],
    ...options,
  });
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function textOf(parts: Part[], type: "text-delta" | "reasoning-delta" = "text-delta"): string {
  return parts.map((part) => (part.type === type ? part.delta : "")).join("");
}

function finishOf(parts: Part[]): Extract<Part, { type: "finish" }> {
  const finish = parts.find((part) => part.type === "finish");
  if (finish?.type !== "finish") throw new Error("no finish");
  return finish;
}

const tools: Options["tools"] = [
  {
    type: "function",
    name: "look",
    inputSchema: { type: "object", properties: { at: { type: "string" } } },
  },
];

describe.each(vendors)("%s", (name, modelOf) => {
  test("echoes by default, and the request is kept without the key", async () => {
    const models = await start();
    expect(textOf(await ask(modelOf(models), "good day"))).toBe("You said: good day");
    expect(models.last).toMatchObject({ model: "m", stream: true, lastUserText: "good day", state: "done" });
    expect(JSON.stringify(models.requests)).not.toContain(apiKey);
  });

  test("text in chunks, usage and finish", async () => {
    const models = await start();
    models.reply(["Hel", "lo", { usage: { input: 100, output: 7, cacheRead: 60 } }, { finish: "length" }]);
    const parts = await ask(modelOf(models));
    expect(parts.filter((part) => part.type === "text-delta" && part.delta !== "")).toHaveLength(2);
    const { usage, finishReason } = finishOf(parts);
    expect(usage).toMatchObject({ inputTokens: { total: 100, cacheRead: 60 }, outputTokens: { total: 7 } });
    expect(finishReason.unified).toBe("length");
  });

  test("thinking, then a tool call with arguments", async () => {
    const models = await start();
    models.reply([{ thinking: "let me see" }, "Looking.", { tool: "look", args: { at: "sky" }, id: "call-1" }]);
    const parts = await ask(modelOf(models), "look up", { tools });
    // The chat provider of OpenAI drops reasoning_content; the compatible one keeps it.
    if (name !== "openai chat") expect(textOf(parts, "reasoning-delta")).toBe("let me see");
    const call = parts.find((part) => part.type === "tool-call");
    expect(call).toMatchObject({ toolName: "look", input: '{"at":"sky"}' });
    expect(finishOf(parts).finishReason.unified).toBe("tool-calls");
    expect(models.last?.toolNames).toEqual(["look"]);
  });

  test("an error before the answer carries the vendor's words", async () => {
    const models = await start();
    models.reply([{ fail: "rateLimit", retryAfter: 2 }], [{ fail: "contextLength" }]);
    await expect(ask(modelOf(models))).rejects.toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { "retry-after": "2" },
    });
    await expect(ask(modelOf(models))).rejects.toMatchObject({ statusCode: 400, isRetryable: false });
  });

  test("an error inside the stream", async () => {
    const models = await start();
    models.reply(["Hel", { errorEvent: "Overloaded" }]);
    const parts = await ask(modelOf(models));
    const error = parts.find((part) => part.type === "error");
    expect(JSON.stringify(error)).toContain("Overloaded");
  });

  test("a connection cut in the middle throws", async () => {
    const models = await start();
    models.reply(["Hel", { cut: true }]);
    await expect(ask(modelOf(models))).rejects.toThrow();
    expect(models.last?.state).toBe("cut");
  });

  test("a client that goes away is seen, at a gate and in an endless answer", async () => {
    const models = await start();
    const stop = new AbortController();
    const gate = models.gate();
    models.reply(["Hel", { wait: gate }, "lo"]);
    const asked = ask(modelOf(models), "hi", { abortSignal: stop.signal }).catch(() => "stopped");
    await models.until(() => gate.reached);
    stop.abort();
    expect(await asked).toBe("stopped");
    await models.until((wire) => wire.last?.aborted);

    models.reply([{ endless: "more " }]);
    const { stream } = await modelOf(models).doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "go on" }] }],
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await models.until((wire) => wire.requestCount === 2 && wire.last?.aborted);
  });

  test("an empty output and a very long one", async () => {
    const models = await start();
    models.reply([], [{ text: "x".repeat(200_000), chunk: 1000 }]);
    expect(textOf(await ask(modelOf(models)))).toBe("");
    expect(textOf(await ask(modelOf(models)))).toHaveLength(200_000);
  });

  test("no key is refused", async () => {
    const models = await start({ apiKey: "another" });
    await expect(ask(modelOf(models))).rejects.toMatchObject({
      statusCode: name === "google" ? 400 : 401,
    });
    expect(models.requestCount).toBe(0);
  });

  test("a model that is not there", async () => {
    const models = await start({ models: ["other"], onlyThese: true });
    await expect(ask(modelOf(models))).rejects.toMatchObject({ statusCode: 404 });
  });

  test("without streaming the same script gives one answer", async () => {
    const models = await start();
    models.reply(["Hel", "lo", { tool: "look", args: { at: "sea" } }]);
    const { content } = await modelOf(models).doGenerate({
      prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      tools,
    });
    expect(content).toMatchObject([
      { type: "text", text: "Hello" },
      { type: "tool-call", toolName: "look", input: '{"at":"sea"}' },
    ]);
  });

  test("tool results are taken when they follow their call", async () => {
    const models = await start();
    const model = modelOf(models);
    models.reply([{ tool: "look", args: {}, id: "call-1" }], "done");
    const call = (await ask(model, "look", { tools })).find((part) => part.type === "tool-call");
    if (call?.type !== "tool-call") throw new Error("no call");
    const { toolCallId, toolName } = call;
    const parts = await ask(model, "", {
      tools,
      prompt: [
        { role: "user", content: [{ type: "text", text: "look" }] },
        { role: "assistant", content: [{ type: "tool-call", toolCallId, toolName, input: {} }] },
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: "a bird" } }],
        },
      ],
    });
    expect(textOf(parts)).toBe("done");
    expect(JSON.stringify(models.last?.body)).toContain("a bird");
  });
});

test("broken tool arguments arrive as they were written", async () => {
  const models = await start();
  models.reply([{ tool: "look", args: '{"at": "sk' }]);
  const model = createAnthropic({ baseURL: models.anthropicUrl, apiKey })("m");
  const call = (await ask(model, "hi", { tools })).find((part) => part.type === "tool-call");
  expect(call).toMatchObject({ input: '{"at": "sk' });
});

async function post(models: ModelsWire, path: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${models.baseUrl}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

describe("requests the vendors refuse", () => {
  const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const use = { type: "tool_use", id: "t1", name: "look", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "x" };

  test.each<[string, string, unknown, RegExp]>([
    ["no model", "/v1/chat/completions", { messages: [{ role: "user", content: "x" }] }, /you must provide a model/],
    [
      "a tool message without a call",
      "/v1/chat/completions",
      {
        model: "m",
        messages: [
          { role: "user", content: "x" },
          { role: "tool", tool_call_id: "c1", content: "y" },
        ],
      },
      /must be a response to a preceeding message/,
    ],
    [
      "a call without its answer",
      "/v1/chat/completions",
      {
        model: "m",
        messages: [
          { role: "assistant", tool_calls: [call] },
          { role: "user", content: "x" },
        ],
      },
      /did not have response messages: c1/,
    ],
    [
      "an output without its call",
      "/v1/responses",
      { model: "m", input: [{ type: "function_call_output", call_id: "c1", output: "x" }] },
      /No tool call found for function call output with call_id c1/,
    ],
    [
      "two user turns in a row",
      "/v1/messages",
      {
        model: "m",
        max_tokens: 9,
        messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
      },
      /roles must alternate/,
    ],
    [
      "a tool_use without its result",
      "/v1/messages",
      {
        model: "m",
        max_tokens: 9,
        messages: [
          { role: "user", content: "a" },
          { role: "assistant", content: [use] },
          { role: "user", content: "b" },
        ],
      },
      /messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: t1/,
    ],
    [
      "a result without its tool_use",
      "/v1/messages",
      { model: "m", max_tokens: 9, messages: [{ role: "user", content: [result] }] },
      /unexpected `tool_use_id` found in `tool_result` blocks: t1/,
    ],
    [
      "no max_tokens",
      "/v1/messages",
      { model: "m", messages: [{ role: "user", content: "a" }] },
      /max_tokens: Field required/,
    ],
    [
      "a function response that is not asked for",
      "/v1beta/models/m:generateContent",
      { contents: [{ role: "user", parts: [{ functionResponse: { name: "look", response: {} } }] }] },
      /function response turn comes immediately after a function call turn/,
    ],
  ])("%s", async (_name, path, body, words) => {
    const models = await start();
    const { status, text } = await post(models, path, body);
    expect(status).toBe(400);
    expect(text).toMatch(words);
    expect(models.last?.state).toBe("refused");
  });
});

test("a reply may be made from the request, and a status of one's own given", async () => {
  const models = await start();
  models.always((request) => [`${request.system}/${request.lastUserText}`]);
  const messages = [
    { role: "system", content: "be brief" },
    { role: "user", content: "x" },
  ];
  const answer = await post(models, "/v1/chat/completions", { model: "m", messages });
  expect(JSON.parse(answer.text)).toMatchObject({
    choices: [{ message: { content: "be brief/x" }, finish_reason: "stop" }],
  });
  models.reply([{ status: 418, message: "short and stout" }]);
  const refused = await post(models, "/v1/chat/completions", { model: "m", messages });
  expect(refused).toMatchObject({ status: 418, text: expect.stringContaining("short and stout") as string });
});

test("lists its models", async () => {
  const models = await start({ models: ["a", "b"] });
  const response = await fetch(`${models.openaiUrl}/models`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(await response.json()).toMatchObject({ data: [{ id: "a" }, { id: "b" }] });
});

test("another process writes the script over the control port", async () => {
  const models = await start({ control: true });
  const url = models.controlUrl ?? "";
  await control(url, "script", ["one ", { wait: "half" }, "two"]);
  const model = createOpenAICompatible({ name: "l", baseURL: models.openaiUrl, apiKey })("m");
  const asked = ask(model);
  await control(url, "untilReached", "half");
  await control(url, "release", "half");
  expect(textOf(await asked)).toBe("one two");
  expect(await control(url, "requests")).toMatchObject([{ model: "m", state: "done" }]);
});

test("a hang before the first byte sends no headers", async () => {
  const models = await start();
  models.reply([{ hang: true }]);
  const stop = new AbortController();
  const asked = fetch(`${models.openaiUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x" }] }),
    signal: stop.signal,
  }).catch(() => "no answer");
  await models.until((wire) => wire.last?.state === "waiting");
  stop.abort();
  expect(await asked).toBe("no answer");
});
