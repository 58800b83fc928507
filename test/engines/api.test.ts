// What a turn behind a model API does and sends, against the loopback server. Errors have a test of their own.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HistoryItem } from "../../src/core/turn.ts";
import { newStep, take } from "../../src/engines/api/events.ts";
import { readBody } from "../wire/http.ts";
import type { ModelRequest, Step } from "../wire/models-script.ts";
import { KEY, KINDS, apiStage, engineAt } from "./api-stage.ts";
import type { Kind } from "./api-stage.ts";
import { LOOK, assistant, play, stillClock, turn, user, words } from "./play.ts";

/** The kind whose wire is shortest to read, where the rule is the same for all. */
const ANY: Kind = "openai-compatible";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const PAST: readonly HistoryItem[] = [
  user("where is the lamp?"),
  {
    role: "assistant",
    blocks: [
      { kind: "text", text: "I look." },
      {
        kind: "call",
        call: { id: "x y/1", name: "look", input: { at: "shelf" } },
        result: { outcome: "ok", text: "dust" },
      },
      {
        kind: "call",
        call: { id: "x y/1", name: "Read file (old)", input: "nonsense" },
        result: { outcome: "denied", text: "not allowed" },
      },
      { kind: "text", text: "Not there." },
    ],
  },
  user("and the cat?"),
  user("well?"),
  {
    role: "assistant",
    blocks: [
      {
        kind: "call",
        call: { id: "z", name: "look", input: { at: "sofa" } },
        result: { outcome: "ok", text: "a cat" },
      },
    ],
  },
];

describe("E1, E2: the conversation on each wire", () => {
  test("openai-compatible: roles, calls paired with results, nothing twice", async () => {
    const { engine, models } = await apiStage("openai-compatible");
    await play(engine, turn("thanks", { history: PAST }));
    expect(models.last?.path).toBe("/v1/chat/completions");
    const call = (id: string, name: string, args: object): object => ({
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    });
    expect(models.last?.body["messages"]).toEqual([
      { role: "system", content: "You are under test." },
      { role: "user", content: "where is the lamp?" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [call("h00000001", "look", { at: "shelf" }), call("h00000002", "Read_file__old_", {})],
      },
      { role: "tool", tool_call_id: "h00000001", content: "dust" },
      { role: "tool", tool_call_id: "h00000002", content: "not allowed" },
      { role: "assistant", content: "Not there." },
      { role: "user", content: "and the cat?\n\nwell?" },
      { role: "assistant", content: null, tool_calls: [call("h00000003", "look", { at: "sofa" })] },
      { role: "tool", tool_call_id: "h00000003", content: "a cat" },
      { role: "user", content: "thanks" },
    ]);
  });

  test("openai: the Responses wire, nothing kept there", async () => {
    const { engine, models } = await apiStage("openai");
    await play(engine, turn("thanks", { history: PAST }));
    expect(models.last?.path).toBe("/v1/responses");
    expect(models.last?.body["store"]).toBe(false);
    const input = models.last?.body["input"] as readonly Record<string, unknown>[];
    expect(input.map((item) => item["role"] ?? `${String(item["type"])} ${String(item["call_id"])}`)).toEqual([
      ...["system", "user", "assistant", "function_call h00000001", "function_call h00000002"],
      ...["function_call_output h00000001", "function_call_output h00000002", "assistant", "user"],
      ...["function_call h00000003", "function_call_output h00000003", "user"],
    ]);
  });

  test("anthropic: results come back in the user's message right after the calls", async () => {
    const { engine, models } = await apiStage("anthropic");
    await play(engine, turn("thanks", { history: PAST }));
    expect(models.last?.path).toBe("/v1/messages");
    const messages = models.last?.body["messages"] as readonly { role: string; content: readonly { type: string }[] }[];
    expect(messages.map(({ role, content }) => `${role}: ${content.map((block) => block.type).join(" ")}`)).toEqual([
      "user: text",
      "assistant: text tool_use tool_use",
      "user: tool_result tool_result",
      "assistant: text",
      "user: text",
      "assistant: tool_use",
      "user: tool_result text",
    ]);
  });

  test("google: model and user turns, with calls and answers", async () => {
    const { engine, models } = await apiStage("google");
    await play(engine, turn("thanks", { history: PAST }));
    expect(models.last?.path).toContain("/v1beta/models/test-model:streamGenerateContent");
    const contents = models.last?.body["contents"] as readonly { role: string; parts: readonly object[] }[];
    expect(
      contents.map(({ role, parts }) => `${role}: ${parts.map((part) => Object.keys(part)[0]).join(" ")}`),
    ).toEqual([
      "user: text",
      "model: text functionCall functionCall",
      "user: functionResponse functionResponse",
      "model: text",
      "user: text",
      "model: functionCall",
      "user: functionResponse",
      "user: text",
    ]);
  });

  test.each(KINDS)("%s: a conversation that the assistant opened, with blank texts in it, is taken", async (kind) => {
    const { engine, models } = await apiStage(kind);
    const history: readonly HistoryItem[] = [
      assistant("Good morning"),
      user("   "),
      { role: "assistant", blocks: [{ kind: "text", text: " \n" }] },
    ];
    const { reason } = await play(engine, turn("", { history, prompt: [words(" ")] }));
    expect(reason).toBe("done");
    expect(JSON.stringify(models.last?.body)).toContain("Good morning");
  });

  test.each(KINDS)("%s: tools are offered as they are described", async (kind) => {
    const { engine, models } = await apiStage(kind);
    await play(engine, turn("hi", { tools: [LOOK] }));
    expect(models.last?.toolNames).toEqual(["look"]);
    expect(JSON.stringify(models.last?.body)).toContain("Looks somewhere.");
  });
});

describe("E4: a history past the model's window", () => {
  const long: readonly HistoryItem[] = Array.from({ length: 40 }, (_, at) => [
    user(`question ${at} ${"x".repeat(90)}`),
    assistant(`answer ${at} ${"y".repeat(90)}`),
  ]).flat();

  test("the newest exchanges go natively and the older part as one block in front", async () => {
    const { engine, models } = await apiStage(ANY, { contextChars: 2_000 });
    await play(engine, turn("now", { history: long }));
    const messages = models.last?.body["messages"] as readonly { role: string; content: string }[];
    const [, first] = messages;
    expect(first?.content).toMatch(/^\[Earlier in this conversation, its beginning left out:/);
    expect(first?.content).toMatch(/End of the earlier part\.\]/);
    const natively =
      messages
        .slice(1)
        .map((message) => message.content)
        .join("\n")
        .split("End of the earlier part.]")[1] ?? "";
    expect(natively).toContain("question 39");
    expect(natively).not.toContain("question 20 ");
    expect(natively.length).toBeLessThanOrEqual(2_100);
  });

  test("the cut stays where it is for several turns, so that the prefix does", async () => {
    const { engine, models } = await apiStage(ANY, { contextChars: 4_000 });
    const firsts: unknown[] = [];
    for (let upTo = 60; upTo <= 70; upTo += 2) {
      await play(engine, turn("now", { history: long.slice(0, upTo) }));
      const messages = models.last?.body["messages"] as readonly { content: string }[] | undefined;
      firsts.push(messages?.[1]?.content.slice(0, 400));
    }
    expect(new Set(firsts).size).toBeLessThanOrEqual(2);
  });

  test("when the service says that it is too long, half of it goes, and the next turn fits at once", async () => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ fail: "contextLength" }], "fits now");
    expect(await play(engine, turn("now", { history: long }))).toMatchObject({ text: "fits now", reason: "done" });
    const sizes = models.requests.map((request) => JSON.stringify(request.body).length);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.75);
    await play(engine, turn("again", { history: long }));
    expect(models.requestCount).toBe(3);
  });

  test("a message that alone is too long ends in words", async () => {
    const { engine, models } = await apiStage(ANY);
    models.always([{ fail: "contextLength" }]);
    expect((await play(engine, turn("too long"))).error?.code).toBe("engine-context-full");
    expect(models.requestCount).toBe(1);
  });
});

describe("E5: what a provider may cache", () => {
  test.each(KINDS)("%s: the next turn begins with the bytes of this one", async (kind) => {
    const { engine, models } = await apiStage(kind);
    await play(engine, turn("one", { history: PAST, tools: [LOOK] }));
    await play(engine, turn("two", { history: [...PAST, user("one"), assistant("You said: one")], tools: [LOOK] }));
    const [first, second] = models.requests.map((request) => JSON.stringify(withoutMarks(messagesOf(request))));
    expect(second?.startsWith(first?.slice(0, -1) ?? "none")).toBe(true);
    const heads = models.requests.map(({ body }) =>
      JSON.stringify([body["system"], body["systemInstruction"], body["tools"]]),
    );
    expect(heads[0]).toBe(heads[1]);
  });

  test("anthropic: marks stand on the system text, the last two of the user's and the newest tool result", async () => {
    const { engine, models } = await apiStage("anthropic");
    models.reply([{ tool: "look", args: { at: "sea" } }], "ok");
    await play(engine, turn("now", { history: [user("before"), assistant("yes")], tools: [LOOK] }));
    const marked = models.requests.map(
      ({ body }) => [...JSON.stringify(body).matchAll(/"cache_control":\{"type":"ephemeral"\}/g)].length,
    );
    expect(marked).toEqual([3, 4]);
    const messages = models.last?.body["messages"] as readonly { content: readonly object[] }[];
    expect(messages.map(({ content }) => content.some((block) => "cache_control" in block))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  test("openai: requests of one conversation share its cache key", async () => {
    const { engine, models } = await apiStage("openai");
    await play(engine, turn("hi", { conversation: "c-42" }));
    expect(models.last?.body["prompt_cache_key"]).toBe("c-42");
  });
});

describe("E6: pictures", () => {
  async function folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "tidegate-"));
    onTestFinished(async () => await rm(path, { recursive: true }));
    return path;
  }
  const image = (path: string, mediaType = "image/png"): { kind: "image"; path: string; mediaType: string } => ({
    kind: "image",
    path,
    mediaType,
  });

  test.each(KINDS)("%s: one on disk goes along, from history too", async (kind) => {
    const path = join(await folder(), "lamp.png");
    await writeFile(path, PNG);
    const { engine, models } = await apiStage(kind, { images: true });
    expect(engine.can.images).toBe(true);
    const history: readonly HistoryItem[] = [{ role: "user", parts: [words("look"), image(path)] }, assistant("nice")];
    await play(engine, turn("", { history, prompt: [words("and this?"), image(path)] }));
    expect(JSON.stringify(models.last?.body).split(PNG.toString("base64"))).toHaveLength(3);
  });

  test("what can't go along is named in words", async () => {
    const dir = await folder();
    const files = { "big.png": Buffer.alloc(5_000_001), "empty.png": Buffer.alloc(0), "photo.heic": PNG };
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(dir, name), bytes);
    const { engine, models } = await apiStage("anthropic");
    const prompt = [
      image(join(dir, "gone\n](x).png")),
      image(join(dir, "big.png")),
      image(join(dir, "empty.png")),
      image(join(dir, "photo.heic"), "image/heic"),
    ];
    expect((await play(engine, turn("", { prompt }))).reason).toBe("done");
    for (const says of [
      "[Picture gone___x_.png: no longer there]",
      "[Picture big.png: too large for the model]",
      "[Picture empty.png: empty]",
      "[Picture photo.heic: in a format",
    ]) {
      expect(models.last?.lastUserText).toContain(says);
    }
  });

  test("a compatible server gets none unless told to", async () => {
    const path = join(await folder(), "lamp.png");
    await writeFile(path, PNG);
    const { engine, models } = await apiStage("openai-compatible");
    expect(engine.can.images).toBe(false);
    await play(engine, turn("", { prompt: [words("see"), image(path)] }));
    expect(models.last?.lastUserText).toBe("see\n\n[Picture lamp.png: this model isn't given pictures]");
  });

  test("the newest get the room when there are too many", async () => {
    const dir = await folder();
    const paths = ["a.png", "b.png", "c.png"].map((name) => join(dir, name));
    for (const path of paths) await writeFile(path, Buffer.concat([PNG, Buffer.alloc(4_900_000)]));
    const { engine, models } = await apiStage("anthropic");
    await play(engine, turn("", { prompt: paths.map((path) => image(path)) }));
    expect(models.last?.lastUserText).toBe("[Picture a.png: left out, there are too many]");
  });
});

describe("E7: usage and cost", () => {
  const steps: readonly Step[][] = [
    [{ tool: "look", args: {} }, { usage: { input: 1_000, output: 10, cacheRead: 400, cacheWrite: 100 } }],
    ["done", { usage: { input: 1_100, output: 20, cacheRead: 1_000, cacheWrite: 0 } }],
  ];

  test.each(KINDS)("%s: summed over the steps and told once, before the end", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply(...steps);
    const { usage, events } = await play(engine, turn("hi", { tools: [LOOK] }));
    const cacheWriteTokens = kind === "anthropic" ? 100 : 0;
    expect(usage).toEqual({
      model: "test-model",
      inputTokens: 2_100,
      outputTokens: 30,
      cacheReadTokens: 1_400,
      cacheWriteTokens,
    });
    expect(events.map((event) => event.kind).slice(-2)).toEqual(["usage", "end"]);
    expect(events.filter((event) => event.kind === "usage")).toHaveLength(1);
  });

  test("costs what the config says", async () => {
    const prices = { inputPerMillion: 3, outputPerMillion: 15, cacheReadPerMillion: 0.3, cacheWritePerMillion: 3.75 };
    const { engine, models } = await apiStage("anthropic", { prices });
    models.reply(...steps);
    const { usage } = await play(engine, turn("hi", { tools: [LOOK] }));
    // 600 plain, 1,400 read, 100 written, 30 out.
    expect(usage?.costUsd).toBeCloseTo((600 * 3 + 1_400 * 0.3 + 100 * 3.75 + 30 * 15) / 1e6, 6);
  });

  test("a cache price left out counts as plain input", async () => {
    const { engine, models } = await apiStage(ANY, { prices: { inputPerMillion: 10, outputPerMillion: 0 } });
    models.reply(["x", { usage: { input: 100, output: 5, cacheRead: 60 } }]);
    expect((await play(engine, turn("hi"))).usage?.costUsd).toBe(0.001);
  });

  test("is told as well when a later step fails or is stopped", async () => {
    const { engine, models } = await apiStage(ANY, { maxRetries: 0 });
    models.reply(steps[0] ?? [], [{ fail: "serverError" }]);
    expect(await play(engine, turn("hi", { tools: [LOOK] }))).toMatchObject({
      reason: "error",
      usage: { inputTokens: 1_000 },
    });
    const stop = new AbortController();
    models.reply(steps[0] ?? [], ["on", { hang: true }]);
    const played = await play(
      engine,
      turn("hi", { tools: [LOOK], signal: stop.signal }),
      (event) => event.kind === "text" && stop.abort(),
    );
    expect(played).toMatchObject({ reason: "stopped", usage: { inputTokens: 1_000 } });
  });
});

describe("E8, E9: deadlines", () => {
  test.each(KINDS)("E8: %s: no first byte in time ends in words, and the request is closed", async (kind) => {
    const clock = stillClock();
    const { engine, models } = await apiStage(kind, { firstByteMs: 5_000 }, clock);
    models.reply([{ hang: true }]);
    const playing = play(engine, turn("hi"));
    await models.until(() => models.last?.state === "waiting");
    clock.pass(4_999);
    expect(clock.sleeping).toBe(1);
    clock.pass(1);
    expect((await playing).error?.code).toBe("engine-silent");
    await models.until(() => models.last?.aborted);
    expect(models.requestCount).toBe(1);
    expect(clock.sleeping).toBe(0);
  });

  test.each(KINDS)("E8: %s: a stream that opens and says nothing has not begun", async (kind) => {
    const clock = stillClock();
    const { engine, models } = await apiStage(kind, { firstByteMs: 5_000 }, clock);
    models.reply([{ open: true }, { hang: true }]);
    const playing = play(engine, turn("hi"));
    await models.until(() => models.last?.state === "waiting");
    clock.pass(5_000);
    expect((await playing).error?.code).toBe("engine-silent");
    await models.until(() => models.last?.aborted);
  });

  test.each(KINDS)("E9: %s: a silence in the middle ends in words and keeps what was said", async (kind) => {
    const clock = stillClock();
    const { engine, models } = await apiStage(kind, { idleMs: 5_000 }, clock);
    models.reply(["so far", { hang: true }]);
    const playing = play(engine, turn("hi"), (event) => {
      // The next part is waited for once this one has been taken.
      if (event.kind === "text") setImmediate(() => passUntilAwake(clock, 5_000));
    });
    expect(await playing).toMatchObject({ text: "so far", error: { code: "engine-silent" } });
    await models.until(() => models.last?.aborted);
    expect(clock.sleeping).toBe(0);
  });

  test("E9: a thought under way has five times as long", async () => {
    const clock = stillClock();
    const { engine, models } = await apiStage("anthropic", { idleMs: 5_000 }, clock);
    models.reply([{ thinking: "hm" }, { hang: true }]);
    const moment = async (): Promise<void> => await new Promise((resolve) => void setImmediate(resolve));
    const thought = Promise.withResolvers<void>();
    const playing = play(engine, turn("hi"), (event) => event.kind === "thinking" && thought.resolve());
    await thought.promise;
    await moment();
    for (let passed = 0; passed < 24_000; passed += 1_000) {
      clock.pass(1_000);
      await moment();
      expect(clock.sleeping).toBe(1);
    }
    clock.pass(1_000);
    expect((await playing).error?.code).toBe("engine-silent");
    await models.until(() => models.last?.aborted);
  });

  test("E9: a slow reader is no silent service", async () => {
    const clock = stillClock();
    const { engine, models } = await apiStage(ANY, { idleMs: 5_000 }, clock);
    models.reply(["a", "b", "c"]);
    const texts: string[] = [];
    for await (const event of engine.run(turn("hi"))) {
      if (event.kind === "text") texts.push(event.delta);
      clock.pass(60_000);
      await new Promise((resolve) => void setImmediate(resolve));
      if (event.kind === "end") expect(event.reason).toBe("done");
    }
    expect(texts).toEqual(["a", "b", "c"]);
    expect(clock.sleeping).toBe(0);
  });

  function passUntilAwake(clock: ReturnType<typeof stillClock>, ms: number): void {
    if (clock.sleeping === 0) return;
    clock.pass(ms);
    setImmediate(() => passUntilAwake(clock, ms));
  }
});

describe("E10: trying again", () => {
  const AGAIN: readonly [string, Step[]][] = [
    ["429", [{ fail: "rateLimit" }]],
    ["500", [{ fail: "serverError" }]],
    ["503 or 529", [{ fail: "overloaded" }]],
    ["a connection reset", [{ cut: true }]],
    ["an error event before any word", [{ open: true }, { errorEvent: "overloaded" }]],
    ["a reset after the stream was opened", [{ open: true }, { cut: true }]],
  ];

  describe.each(KINDS)("%s", (kind) => {
    test.each(AGAIN)("after %s, twice, with growing pauses", async (_what, steps) => {
      const clock = stillClock();
      const { engine, models } = await apiStage(kind, {}, clock);
      models.reply(steps, steps, "third time lucky");
      const playing = play(engine, turn("hi"));
      await clock.untilWaits(2);
      clock.pass(500);
      await clock.untilWaits(4);
      clock.pass(1_000);
      expect(await playing).toMatchObject({ text: "third time lucky", reason: "done" });
      expect(clock.waits.filter((wait) => wait < 60_000)).toEqual([500, 1_000]);
      expect(clock.sleeping).toBe(0);
    });

    test("not after a refusal that stays", async () => {
      for (const fail of ["badKey", "noModel", "quota", "contextLength"] as const) {
        const { engine, models } = await apiStage(kind);
        models.reply([{ fail }]);
        await play(engine, turn("hi"));
        expect(models.requestCount).toBe(1);
      }
    });

    test("waits as long as it was told to", async () => {
      const clock = stillClock();
      const { engine, models } = await apiStage(kind, {}, clock);
      models.reply([{ fail: "rateLimit", retryAfter: 7 }], "now");
      const playing = play(engine, turn("hi"));
      await clock.untilWaits(2);
      clock.pass(7_000);
      expect((await playing).text).toBe("now");
      expect(clock.waits).toContain(7_000);
    });
  });

  test("a third failure is the end", async () => {
    const clock = stillClock();
    const { engine, models } = await apiStage(ANY, {}, clock);
    models.always([{ fail: "overloaded" }]);
    const playing = play(engine, turn("hi"));
    await clock.untilWaits(2);
    clock.pass(500);
    await clock.untilWaits(4);
    clock.pass(1_000);
    expect((await playing).error?.code).toBe("engine-overloaded");
    expect(models.requestCount).toBe(3);
  });

  test("more than 20 seconds are for the person to wait", async () => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ fail: "rateLimit", retryAfter: 21 }]);
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-rate-limited");
    expect(models.requestCount).toBe(1);
  });

  test("a stop while waiting ends the turn at once", async () => {
    const clock = stillClock();
    const stop = new AbortController();
    const { engine, models } = await apiStage(ANY, {}, clock);
    models.reply([{ fail: "rateLimit", retryAfter: 7 }]);
    const playing = play(engine, turn("hi", { signal: stop.signal }));
    await clock.untilWaits(2);
    stop.abort();
    expect((await playing).reason).toBe("stopped");
    expect(clock.sleeping).toBe(0);
    expect(models.requestCount).toBe(1);
  });
});

describe("E13, E14: the loop is ours", () => {
  test.each(KINDS)("%s: several calls in one step are run in order and each gets its answer", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply(["I look. ", { tool: "look", args: { at: "a" } }, { tool: "look", args: { at: "b" } }], "seen both");
    const input = turn("look around", {
      tools: [LOOK],
      answer: (call) => ({ outcome: "ok", text: `found ${JSON.stringify(call.input)}` }),
    });
    expect(await play(engine, input)).toMatchObject({ text: "I look. seen both", reason: "done" });
    expect(input.calls.map((call) => call.input)).toEqual([{ at: "a" }, { at: "b" }]);
    const told = JSON.stringify(models.last?.body);
    expect(told.indexOf('{\\"at\\":\\"a\\"}')).toBeGreaterThan(0);
    expect(told).toMatch(/found.*a.*found.*b/);
    expect(models.requestCount).toBe(2);
  });

  test("blank text before a call is not sent back: Anthropic refuses it", async () => {
    const { engine, models } = await apiStage("anthropic");
    models.reply(["\n\n", { tool: "look", args: {} }], "ok");
    await play(engine, turn("go", { tools: [LOOK] }));
    const messages = models.last?.body["messages"] as readonly { content: readonly { type: string }[] }[];
    expect(messages[1]?.content.map((block) => block.type)).toEqual(["tool_use"]);
  });

  test("ids that a server uses twice are told apart", async () => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ tool: "look", id: "call_0" }], [{ tool: "look", id: "call_0" }], "ok");
    const input = turn("go", { tools: [LOOK] });
    expect((await play(engine, input)).reason).toBe("done");
    expect(input.calls.map((call) => call.id)).toEqual(["call_0", "call_0_2"]);
  });

  test.each(["openai", "anthropic", "openai-compatible"] as const)(
    "%s: broken arguments reach no tool, and the model is told",
    async (kind) => {
      const { engine, models } = await apiStage(kind);
      models.reply([{ tool: "look", args: '{"at": "se' }], [{ tool: "look", args: { at: "sea" } }], "found it");
      const input = turn("look", { tools: [LOOK] });
      expect(await play(engine, input)).toMatchObject({ text: "found it", reason: "done" });
      expect(input.calls).toHaveLength(1);
      expect(JSON.stringify(models.requests[1]?.body)).toContain("not a valid JSON object");
    },
  );

  test.each(['"a string"', "[1]", "null"])("arguments that are %s count as broken", async (args) => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ tool: "look", args }], "ok");
    const input = turn("look", { tools: [LOOK] });
    await play(engine, input);
    expect(input.calls).toEqual([]);
  });

  test("no arguments are an empty object", async () => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ tool: "look", args: "" }], "ok");
    const input = turn("look", { tools: [LOOK] });
    await play(engine, input);
    expect(input.calls.map((call) => call.input)).toEqual([{}]);
  });

  test("an unknown tool is answered with the known ones", async () => {
    const { engine, models } = await apiStage(ANY);
    models.reply([{ tool: "rm -rf", args: {} }], "sorry");
    const input = turn("go", { tools: [LOOK] });
    expect((await play(engine, input)).reason).toBe("done");
    expect(input.calls).toEqual([]);
    expect(JSON.stringify(models.last?.body)).toContain("There are: look.");
  });

  test("three unusable calls in a row end the turn in words; a good one in between does not count", async () => {
    const { engine, models } = await apiStage(ANY);
    const bad: Step[] = [{ tool: "look", args: "{" }];
    models.reply(bad, bad, [{ tool: "look", args: {} }], bad, bad, bad);
    const { error } = await play(engine, turn("go", { tools: [LOOK] }));
    expect(error?.code).toBe("engine-bad-answer");
    expect(models.requestCount).toBe(6);
  });

  test("a tool that the provider runs by itself is not run again", () => {
    const step = newStep(new Set());
    take(step, { type: "tool-call", toolCallId: "1", toolName: "web_search", input: "{}", providerExecuted: true });
    expect(step.calls).toEqual([]);
  });

  test("a turn has a limit of steps, and the last step's calls are not run", async () => {
    const { engine, models } = await apiStage(ANY, { maxSteps: 3 });
    models.always(["step ", { tool: "look", args: {} }]);
    const input = turn("go on", { tools: [LOOK] });
    expect(await play(engine, input)).toMatchObject({ reason: "limit", text: "step step step " });
    expect(models.requestCount).toBe(3);
    expect(input.calls).toHaveLength(2);
  });
});

describe("E15: answers that are none", () => {
  test.each(KINDS)("%s: an empty answer ends in words", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply([]);
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-empty");
    models.reply([" ", "\n"]);
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-empty");
  });

  test.each(KINDS)("%s: thinking alone is no answer", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply([{ thinking: "let me see" }]);
    const { error, thinking } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-empty");
    expect(error?.message).toContain("thought");
    expect(thinking).toBe("let me see");
  });

  test.each(KINDS)("%s: an endless answer is ended, and its connection closed", async (kind) => {
    const { engine, models } = await apiStage(kind, { maxOutputChars: 10_000 });
    models.reply([{ endless: "and on 😀 " }]);
    const { error, text } = await play(engine, turn("hi"));
    expect(error?.code).toBe("engine-too-long");
    expect(text.length).toBeGreaterThan(9_990);
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text.isWellFormed()).toBe(true);
    await models.until(() => models.last?.aborted);
  });

  test("endless thinking is ended too", async () => {
    const { engine, models } = await apiStage(ANY, { maxOutputChars: 1_000 });
    models.reply(Array.from({ length: 400 }, () => ({ thinking: "round and round " })));
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-too-long");
  });

  test.each(KINDS)("%s: an answer cut at the model's own limit says so", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply(["only so ", { finish: "length" }]);
    expect(await play(engine, turn("hi"))).toMatchObject({ text: "only so ", error: { code: "engine-too-long" } });
  });

  test.each(KINDS)("%s: an answer that the service withholds is refused in words", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply([{ finish: "filter" }]);
    expect((await play(engine, turn("hi"))).error?.code).toBe("engine-refused");
  });

  test.each(KINDS)("%s: 200 KB come through whole", async (kind) => {
    const { engine, models } = await apiStage(kind, { maxOutputChars: 300_000 });
    const text = "0123456789abcde\n".repeat(12_800);
    models.reply([{ text, chunk: 997 }]);
    expect((await play(engine, turn("hi"))).text).toBe(text);
  });

  test("markup and tokens in an answer are text", async () => {
    const { engine, models } = await apiStage(ANY);
    const text = "a <|im_end|> <think> b </s> [INST] \u202E c <tool_call>{}</tool_call>";
    models.reply([{ text, chunk: 3 }]);
    expect(await play(engine, turn("hi", { tools: [LOOK] }))).toMatchObject({ text, reason: "done" });
  });
});

describe("E16, E18: thinking", () => {
  test.each(KINDS)("%s: is an event of its own and never in the text", async (kind) => {
    const { engine, models } = await apiStage(kind);
    models.reply([{ thinking: "secretly " }, { thinking: "musing" }, "Openly."]);
    expect(await play(engine, turn("hi"))).toMatchObject({
      thinking: "secretly musing",
      text: "Openly.",
      reason: "done",
    });
  });

  test("anthropic: goes back with its signature in the next step", async () => {
    const { engine, models } = await apiStage("anthropic");
    models.reply([{ thinking: "I should look" }, { tool: "look", args: {} }], "ok");
    await play(engine, turn("hi", { tools: [LOOK] }));
    const messages = models.last?.body["messages"] as readonly { content: readonly object[] }[];
    expect(messages[1]?.content[0]).toEqual({ type: "thinking", thinking: "I should look", signature: "sig-0-0" });
  });

  test("google: the call goes back with its signature", async () => {
    const { engine, models } = await apiStage("google");
    models.reply([{ tool: "look", args: {} }], "ok");
    await play(engine, turn("hi", { tools: [LOOK] }));
    expect(JSON.stringify(models.last?.body["contents"])).toContain('"thoughtSignature":"sig-0"');
  });

  test("openai-compatible: goes back as reasoning_content", async () => {
    const { engine, models } = await apiStage("openai-compatible");
    models.reply([{ thinking: "I should look" }, { tool: "look", args: {} }], "ok");
    await play(engine, turn("hi", { tools: [LOOK] }));
    expect(JSON.stringify(models.last?.body["messages"])).toContain('"reasoning_content":"I should look"');
  });

  test("openai: goes back encrypted, before its call, with nothing kept there", async () => {
    const bodies: { input: readonly Record<string, unknown>[]; include?: readonly string[] }[] = [];
    const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "sealed" };
    const call = {
      id: "fc_1",
      type: "function_call",
      call_id: "call_1",
      name: "look",
      arguments: "{}",
      status: "completed",
    };
    const answers = [
      [
        { type: "response.output_item.added", output_index: 0, item: { ...reasoning, encrypted_content: null } },
        { type: "response.output_item.done", output_index: 0, item: reasoning },
        { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
        { type: "response.output_item.done", output_index: 1, item: call },
      ],
      [
        { type: "response.output_item.added", output_index: 0, item: { id: "msg_1", type: "message" } },
        { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "seen" },
      ],
    ];
    const server = createServer((request, response) => {
      void (async () => {
        bodies.push(JSON.parse((await readBody(request)).toString("utf8")) as (typeof bodies)[number]);
        const events = [
          { type: "response.created", response: { id: "r", created_at: 1, model: "gpt-5" } },
          ...(answers[bodies.length - 1] ?? []),
          { type: "response.completed", response: { usage: { input_tokens: 1, output_tokens: 1 } } },
        ];
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
      })();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve());
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { engine } = await engineAt("openai", `http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      model: "gpt-5",
    });
    expect(await play(engine, turn("hi", { tools: [LOOK] }))).toMatchObject({ text: "seen", reason: "done" });
    expect(bodies[0]?.include).toContain("reasoning.encrypted_content");
    const items = bodies[1]?.input.slice(-3).map((item) => [item["type"], item["encrypted_content"]]);
    expect(items).toEqual([
      ["reasoning", "sealed"],
      ["function_call", undefined],
      ["function_call_output", undefined],
    ]);
  });

  test.each(KINDS)("%s: nothing of it is in a later turn, whatever engine it came from", async (kind) => {
    const { engine, models } = await apiStage(kind);
    await play(engine, turn("hi", { history: PAST }));
    expect(JSON.stringify(models.last?.body)).not.toMatch(/reasoning_content|"thinking"|"type":"reasoning"|sig-/);
  });
});

describe("E17: a stop", () => {
  test.each(KINDS)("%s: closes a request that has not been answered yet", async (kind) => {
    const { engine, models, log } = await apiStage(kind);
    const stop = new AbortController();
    models.reply([{ hang: true }]);
    const playing = play(engine, turn("hi", { signal: stop.signal }));
    await models.until(() => models.last?.state === "waiting");
    stop.abort();
    expect((await playing).reason).toBe("stopped");
    // A stop is no failure, so none is noted.
    expect(log.lines).toEqual([]);
    await models.until(() => models.last?.aborted);
  });
});

test.each(KINDS)("E26: %s: what the engine can do is data", async (kind) => {
  const { engine } = await apiStage(kind);
  const images = kind !== "openai-compatible";
  expect(engine.can).toEqual({
    tools: true,
    images,
    plan: false,
    ownTools: false,
    sessions: false,
    holdMs: 86_400_000,
  });
});

describe("checking an engine", () => {
  test.each(KINDS)("E12: %s: a wrong key is told", async (kind) => {
    const { engine } = await apiStage(kind, { apiKey: "wrong" });
    await expect(engine.check(new AbortController().signal)).rejects.toMatchObject({ code: "engine-unauthorized" });
  });

  test.each(KINDS)("E12: %s: an unknown model is told", async (kind) => {
    const { engine, models } = await apiStage(kind, { model: "nonesuch" });
    models.always([{ fail: "noModel" }]);
    await expect(engine.check(new AbortController().signal)).rejects.toMatchObject({ code: "engine-model-missing" });
  });

  test.each(KINDS)("E8: %s: silence is told", async (kind) => {
    const clock = stillClock();
    const { engine, models } = await apiStage(kind, { model: "slow", firstByteMs: 1_000 }, clock);
    models.reply([{ hang: true }]);
    const checking = engine.check(new AbortController().signal);
    checking.catch(() => {});
    await models.until(() => models.last?.state === "waiting");
    clock.pass(1_000);
    await expect(checking).rejects.toMatchObject({ code: "engine-silent" });
    expect(clock.sleeping).toBe(0);
  });

  test("a model on the list needs no request of its own", async () => {
    const { engine, models } = await apiStage("openai");
    expect(await engine.check(new AbortController().signal)).toEqual({ words: "test-model is there." });
    expect(models.requestCount).toBe(0);
  });
});

test("E20: only the package of the kind that is named is loaded", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const seen = new Set();
    registerHooks({ resolve(specifier, context, next) { if (specifier.startsWith("@ai-sdk/")) seen.add(specifier); return next(specifier, context); } });
    const { createEngine } = await import(${JSON.stringify(new URL("../../src/engines/registry.ts", import.meta.url).href)});
    await createEngine("d", { kind: "demo" }, {});
    const before = [...seen];
    await createEngine("a", { kind: "anthropic", model: "m", apiKey: "k" }, {});
    console.log(JSON.stringify({ before, after: [...seen] }));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const { before, after } = JSON.parse(stdout) as { before: string[]; after: string[] };
  expect(before).toEqual([]);
  expect(after).toContain("@ai-sdk/anthropic");
  expect(after.filter((name) => /openai|google/.test(name))).toEqual([]);
});

test("E19: the key is in no event, no log line and no request's body", async () => {
  for (const kind of KINDS) {
    const { engine, models, log } = await apiStage(kind, { maxRetries: 0 });
    models.reply("fine", [{ status: 400, message: `bad key ${KEY}` }]);
    const played = [await play(engine, turn("hi")), await play(engine, turn("hi"))];
    expect(
      JSON.stringify([played, log.lines, models.requests.map((request) => [request.path, request.body])]),
    ).not.toContain(KEY);
    expect(log.lines.length).toBeGreaterThan(0);
  }
});

function messagesOf({ body }: ModelRequest): unknown {
  return body["messages"] ?? body["input"] ?? body["contents"];
}

function withoutMarks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, held: unknown) =>
    key === "cache_control" ? undefined : held,
  ) as unknown;
}
