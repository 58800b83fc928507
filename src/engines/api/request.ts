// What one turn asks of a model: its messages as they grow, and each step's request with its deadline and its retries.
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnInput } from "../../core/turn.ts";
import { Attempt } from "./attempt.ts";
import { explain } from "./errors.ts";
import { begins } from "./events.ts";
import type { Prices } from "./events.ts";
import { buildPrompt, cacheMarked } from "./prompt.ts";
import type { BuiltPrompt } from "./prompt.ts";
import { BASE_URLS } from "./providers.ts";
import type { Access } from "./providers.ts";

/** A longer wait than this is the person's to decide. */
const MAX_RETRY_WAIT_MS = 20_000;
const FIRST_BACKOFF_MS = 500;

type CallOptions = Omit<LanguageModelV4CallOptions, "prompt" | "abortSignal">;

/** The options with their defaults, and what the engine holds between turns. */
export type Api = Surroundings & {
  readonly name: string;
  readonly access: Access;
  readonly model: LanguageModelV4;
  readonly images: boolean;
  readonly prices: Prices | undefined;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly maxSteps: number;
  readonly maxOutputChars: number;
  readonly maxRetries: number;
  /** Shrinks when the service says that a history was too long; the next turns then fit at once. */
  contextChars: number | undefined;
};

/** What one turn says to the model, growing with each step. */
export type Talk = {
  readonly input: TurnInput;
  readonly options: CallOptions;
  built: BuiltPrompt;
  /** This turn's own steps and the tools' answers. */
  readonly since: LanguageModelV4CallOptions["prompt"];
};

/** Begins a turn's talk. Throws when the turn is stopped already, or when no key can be sent to a vendor. */
export async function openTalk(api: Api, input: TurnInput): Promise<Talk> {
  input.signal.throwIfAborted();
  if (api.access.apiKey === "" && BASE_URLS[api.access.kind] === api.access.baseUrl) {
    throw new GatewayError("engine-unauthorized", "The engine has no apiKey. Set one in the config.");
  }
  const tools = input.tools.map(
    (tool) =>
      ({
        type: "function",
        name: tool.name,
        description: tool.description,
        inputSchema: tool.input,
      }) as const,
  );
  const options: CallOptions = {
    ...(tools.length === 0 ? {} : { tools }),
    // Nothing is kept at OpenAI; the key only brings requests of one conversation to the same cache.
    ...(api.access.kind === "openai"
      ? { providerOptions: { openai: { store: false, promptCacheKey: input.conversation.slice(0, 64) } } }
      : {}),
  };
  return { input, options, built: await build(api, input), since: [] };
}

async function build(api: Api, input: TurnInput): Promise<BuiltPrompt> {
  const { images, contextChars } = api;
  return await buildPrompt(input, { images, contextChars, cacheMarks: api.access.kind === "anthropic" });
}

/** A step under way. Whoever holds it closes its attempt. */
export type Opened = {
  readonly attempt: Attempt;
  readonly reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
  /** What came before and with the first part that counts. */
  readonly head: LanguageModelV4StreamPart[];
};

/** Opens a step; when the history is too long for the model, twice more with half of it. */
export async function openFitting(api: Api, talk: Talk, stop: AbortSignal): Promise<Opened> {
  for (let cuts = 0; ; cuts += 1) {
    try {
      return await openStep(api, talk, stop);
    } catch (thrown) {
      const full = thrown instanceof GatewayError && thrown.code === "engine-context-full";
      if (!full || cuts >= 2 || talk.built.historyChars === 0) throw thrown;
      api.contextChars = Math.floor(
        Math.min(api.contextChars ?? Number.POSITIVE_INFINITY, talk.built.historyChars) / 2,
      );
      talk.built = await build(api, talk.input);
    }
  }
}

/** Resolves with the first part of the answer at hand. Until then, and only until then, a failure may be tried again. */
async function openStep(api: Api, talk: Talk, stop: AbortSignal): Promise<Opened> {
  const prompt = [...talk.built.messages, ...talk.since];
  const last = prompt.at(-1);
  if (api.access.kind === "anthropic" && last?.role === "tool") prompt[prompt.length - 1] = cacheMarked(last);
  for (let tries = 0; ; tries += 1) {
    const attempt = new Attempt(api.clock, stop, Math.min(api.firstByteMs, api.idleMs));
    try {
      attempt.expect(api.firstByteMs);
      const { stream } = await api.model.doStream({ ...talk.options, prompt, abortSignal: attempt.signal });
      const opened: Opened = { attempt, reader: stream.getReader(), head: [] };
      for (;;) {
        const { done, value } = await opened.reader.read();
        if (done) break;
        if (value.type === "error") throw value.error;
        opened.head.push(value);
        if (begins(value)) break;
      }
      attempt.rest();
      return opened;
    } catch (thrown) {
      attempt.close();
      stop.throwIfAborted();
      if (attempt.silent) throw new GatewayError("engine-silent");
      const fault = explain(thrown, false);
      api.log.debug({ engine: api.name, code: fault.error.code, tries, ...fault.fields }, "a model request failed");
      const waitMs = fault.retryAfterMs ?? FIRST_BACKOFF_MS * 2 ** tries * (0.5 + api.random.fraction());
      if (!fault.retry || tries >= api.maxRetries || waitMs > MAX_RETRY_WAIT_MS) throw fault.error;
      await api.clock.sleep(waitMs, stop);
    }
  }
}

/** The next part of an open step, or undefined at its end. */
export async function next(opened: Opened, limitMs: number): Promise<LanguageModelV4StreamPart | undefined> {
  opened.attempt.expect(limitMs);
  const { done, value } = await opened.reader.read();
  opened.attempt.rest();
  return done ? undefined : value;
}
