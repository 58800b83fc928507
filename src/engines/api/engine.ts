// The engine behind model APIs: prompt → a step of the model → its tool calls → the next step, until it asks for nothing more.
// The loop, its deadlines, retries and limits are ours; the AI SDK's packages only speak each vendor's wire format.
import type { Checked, Engine } from "../../core/engine.ts";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { ToolResult } from "../../core/tool.ts";
import type { TurnEvent, TurnInput, Usage } from "../../core/turn.ts";
import { orStopped } from "../stop.ts";
import { Attempt } from "./attempt.ts";
import { explain } from "./errors.ts";
import { addUsage, begins, newStep, priced, said, take } from "./events.ts";
import type { Prices, Step, StepCall } from "./events.ts";
import { toolAnswer } from "./prompt.ts";
import { BASE_URLS, listModels, loadModel } from "./providers.ts";
import type { Access, ApiKind } from "./providers.ts";
import { next, openFitting, openTalk } from "./request.ts";
import type { Api, Talk } from "./request.ts";

/** What an engine behind an API may be told. What is left out has the default named here. */
export type ApiOptions = {
  readonly name: string;
  readonly kind: ApiKind;
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Left out: the vendor's own; `openai-compatible` has none. */
  readonly baseUrl?: string | undefined;
  /** Pictures are given to the model: true, but false for `openai-compatible`, where many models fail on them. */
  readonly images?: boolean | undefined;
  /** None: no cost is stated. A list of ours would be wrong within months. */
  readonly prices?: Prices | undefined;
  /** Within which something of the answer must come: 60,000. */
  readonly firstByteMs?: number | undefined;
  /** Between two parts of the answer: 60,000. */
  readonly idleMs?: number | undefined;
  /** Steps of the model in one turn: 25. */
  readonly maxSteps?: number | undefined;
  /** Characters of the answer, and as many of thinking and tool arguments: 400,000. */
  readonly maxOutputChars?: number | undefined;
  /** Further tries of one request, before anything of its answer has come: 2. */
  readonly maxRetries?: number | undefined;
  /** Characters of history that go natively. None: all, until the service says that it is too much. */
  readonly contextChars?: number | undefined;
};

type End = Extract<TurnEvent, { kind: "end" }>;

/** A thought that the service keeps to itself may take this many times `idleMs`. */
const THINKING_FACTOR = 5;
/** So many unusable tool calls in a row end the turn. */
const MAX_BAD_CALLS = 3;
/** No request is open while a tool waits: a day is only a round number. */
const HOLD_MS = 86_400_000;

/** Makes the engine; its kind's package is loaded now, so that the first message does not wait for it. */
export async function apiEngine(options: ApiOptions, surroundings: Surroundings): Promise<Engine> {
  const baseUrl = options.baseUrl ?? BASE_URLS[options.kind];
  if (baseUrl === undefined) throw new GatewayError("config-invalid", `The engine ${options.name} needs a baseUrl.`);
  const access: Access = { kind: options.kind, model: options.model, apiKey: options.apiKey?.trim() ?? "", baseUrl };
  const images = options.images ?? options.kind !== "openai-compatible";
  const api: Api = {
    clock: surroundings.clock,
    random: surroundings.random,
    log: surroundings.log,
    name: options.name,
    access,
    model: await loadModel(access),
    images,
    prices: options.prices,
    firstByteMs: options.firstByteMs ?? 60_000,
    idleMs: options.idleMs ?? 60_000,
    maxSteps: options.maxSteps ?? 25,
    maxOutputChars: options.maxOutputChars ?? 400_000,
    maxRetries: options.maxRetries ?? 2,
    contextChars: options.contextChars,
  };
  return {
    name: options.name,
    can: { tools: true, images, plan: false, ownTools: false, sessions: false, holdMs: HOLD_MS },
    run: (input) => run(api, input),
    forget: async () => {},
    check: async (signal) => await check(api, signal),
    [Symbol.asyncDispose]: async () => {},
  };
}

/** One turn. Usage is told once, before the end, whatever the end is. */
async function* run(api: Api, input: TurnInput): AsyncGenerator<TurnEvent, void> {
  const { signal: stop } = input;
  const ids = new Set<string>();
  let attempt: Attempt | undefined;
  let usage: Usage | undefined;
  let begun = false;
  let textChars = 0;
  let otherChars = 0;
  let anyText = false;
  let badCalls = 0;
  let end: End | undefined;
  try {
    const talk = await openTalk(api, input);
    for (let steps = 1; end === undefined; steps += 1) {
      begun = false;
      const opened = await openFitting(api, talk, stop);
      attempt = opened.attempt;
      begun = true;
      const step = newStep(ids);
      for (;;) {
        const part =
          opened.head.shift() ?? (await next(opened, step.thinking ? api.idleMs * THINKING_FACTOR : api.idleMs));
        if (part === undefined) break;
        if (part.type === "error") throw part.error;
        const event = take(step, part);
        const over = textChars + step.textChars - api.maxOutputChars;
        if (event?.kind === "text" && over > 0) {
          const delta = cutChars(event.delta, event.delta.length - over);
          if (delta !== "") yield { kind: "text", delta };
          throw new GatewayError("engine-too-long");
        }
        if (otherChars + step.otherChars > api.maxOutputChars) throw new GatewayError("engine-too-long");
        if (event === undefined) continue;
        anyText ||= event.kind === "text" && event.delta.trim() !== "";
        yield event;
      }
      attempt.close();
      usage = addUsage(usage, api.access.model, step.usage);
      textChars += step.textChars;
      otherChars += step.otherChars;
      end = endOfStep(step, anyText);
      if (end !== undefined) break;
      if (steps >= api.maxSteps) end = { kind: "end", reason: "limit" };
      else badCalls = await answerCalls(talk, step, input, badCalls);
    }
  } catch (thrown) {
    end = endOfFailure(api, thrown, stop, attempt, begun);
  } finally {
    attempt?.close();
  }
  if (usage !== undefined) yield { kind: "usage", usage: priced(usage, api.prices) };
  yield end ?? { kind: "end", reason: "done" };
}

/** Undefined: the model wants tools and goes on. */
function endOfStep(step: Step, anyText: boolean): End | undefined {
  switch (step.finish) {
    case undefined:
    case "interrupted":
      return failed("engine-cut");
    case "error":
      return failed("engine-failed");
    case "content-filter":
      return failed("engine-refused", "The model's service ended the answer because of its content rules.");
    case "length":
      if (step.calls.length > 0) return undefined;
      return failed("engine-too-long", anyText ? undefined : "The model used up its room before it said anything.");
    default:
      if (step.calls.length > 0) return undefined;
      if (anyText) return { kind: "end", reason: "done" };
      return failed("engine-empty", step.otherChars > 0 ? "The model thought, but gave no answer." : undefined);
  }
}

function failed(code: GatewayError["code"], words?: string): End {
  return { kind: "end", reason: "error", error: new GatewayError(code, words) };
}

function endOfFailure(api: Api, thrown: unknown, stop: AbortSignal, attempt: Attempt | undefined, begun: boolean): End {
  if (stop.aborted) return { kind: "end", reason: "stopped" };
  if (attempt?.silent === true) return failed("engine-silent");
  const { error, fields } = explain(thrown, begun);
  api.log.debug({ engine: api.name, code: error.code, ...fields }, "a model's answer failed");
  return { kind: "end", reason: "error", error };
}

/** Answers the step's calls in order. Returns how many unusable calls there were in a row; one too many throws. */
async function answerCalls(talk: Talk, step: Step, input: TurnInput, badBefore: number): Promise<number> {
  const answers: ReturnType<typeof toolAnswer>[] = [];
  let bad = badBefore;
  for (const call of step.calls) {
    const problem = unusable(call, input);
    bad = problem === undefined ? 0 : bad + 1;
    if (bad >= MAX_BAD_CALLS)
      throw new GatewayError("engine-bad-answer", "The model kept calling tools in a way that can't be understood.");
    const result =
      problem ?? (await orStopped(input.call({ id: call.id, name: call.name, input: call.input }), input.signal));
    answers.push(toolAnswer(call.id, call.name, result));
  }
  talk.since.push(said(step), { role: "tool", content: answers });
  return bad;
}

/** What is wrong with a call, in words that the model can act on. Such a call reaches no tool. */
function unusable(call: StepCall, input: TurnInput): ToolResult | undefined {
  const known = input.tools.map((tool) => tool.name);
  if (!known.includes(call.name)) {
    const list = known.length === 0 ? "There are none now." : `There are: ${known.join(", ")}.`;
    return { outcome: "error", text: `There is no such tool, so nothing was run. ${list}` };
  }
  if (call.input !== undefined) return undefined;
  return {
    outcome: "error",
    text: "The arguments were not a valid JSON object, so nothing was run. Call it again with the whole arguments as one JSON object.",
  };
}

/** At most `max` UTF-16 units, never half a pair. */
function cutChars(text: string, max: number): string {
  const cut = text.slice(0, Math.max(0, max));
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Looks the model up where the service has a list; else asks for one token. */
async function check(api: Api, signal: AbortSignal): Promise<Checked> {
  const { access } = api;
  const attempt = new Attempt(api.clock, signal, api.firstByteMs);
  try {
    attempt.expect(api.firstByteMs);
    if (access.kind === "openai" || access.kind === "openai-compatible") {
      const { models, refusal } = await listModels(access, attempt.signal);
      if (refusal !== undefined) throw explain(refusal, false).error;
      if (models?.includes(access.model) === true) return { words: `${access.model} is there.` };
      // Lists are not always whole, and names may have aliases: only the model itself can say no.
    }
    const { stream } = await api.model.doStream({
      prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      // The least that OpenAI takes.
      maxOutputTokens: 16,
      abortSignal: attempt.signal,
    });
    for await (const part of stream) {
      if (part.type === "error") throw part.error;
      if (begins(part)) break;
    }
    return { words: `${access.model} answers.` };
  } catch (thrown) {
    signal.throwIfAborted();
    throw attempt.silent ? new GatewayError("engine-silent") : explain(thrown, false).error;
  } finally {
    attempt.close();
  }
}
