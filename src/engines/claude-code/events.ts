// What the program says, message by message, as the few things that a turn needs of it. Unknown messages are passed over.
import { z } from "zod";

/** One thing said. `id` of a use is the program's own. */
export type Said =
  | { readonly is: "session"; readonly id: string }
  | { readonly is: "text" | "thinking"; readonly delta: string }
  /** The model calls a tool: its input is whole. */
  | { readonly is: "use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly is: "answered"; readonly id: string; readonly text: string; readonly failed: boolean }
  /** Something of the answer was shown, and then its connection broke. */
  | { readonly is: "cut" }
  | { readonly is: "fault"; readonly fault: Fault }
  | { readonly is: "result"; readonly result: Result };

/** How the program names a failure of the model's service. */
export type Fault = {
  readonly kind: string;
  readonly status?: number | undefined;
  readonly says: string;
  readonly refused: boolean;
};

export type Result = {
  readonly ok: boolean;
  /** It used up its steps. */
  readonly limit: boolean;
  /** The session that was asked for is not there. */
  readonly noSession: boolean;
  readonly session: string;
  /** What the turn's main line used, where the running totals are of no use. */
  readonly usage: Tokens;
  readonly totals: Totals;
};

export type Tokens = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
};

/** Running totals of a session, by model; they outlive the process. */
export type Totals = { readonly costUsd: number; readonly models: Readonly<Record<string, Tokens>> };

const count: z.ZodType<number> = z.number().nonnegative().catch(0);
const BLOCK = z.looseObject({ type: z.string() });
const DELTA = z.looseObject({
  type: z.string().optional(),
  text: z.string().optional(),
  thinking: z.string().optional(),
});
const MESSAGE = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  session_id: z.string().optional(),
  parent_tool_use_id: z.string().nullish(),
});
const EVENT = z.object({
  event: z.looseObject({
    type: z.string(),
    message: z.looseObject({ id: z.string().optional() }).optional(),
    delta: DELTA.optional(),
    content_block: BLOCK.optional(),
  }),
});
const ASSISTANT = z.object({
  message: z.looseObject({
    id: z.string().optional(),
    model: z.string().optional(),
    stop_reason: z.string().nullish(),
    content: z.array(BLOCK),
  }),
  error: z.string().nullish(),
  api_error: z.string().nullish(),
  api_error_status: z.number().nullish(),
});
const USE = z.object({ id: z.string(), name: z.string(), input: z.unknown() });
const USER = z.object({ message: z.looseObject({ content: z.union([z.string(), z.array(BLOCK)]) }) });
const ANSWER = z.object({
  tool_use_id: z.string(),
  is_error: z.boolean().nullish(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).optional(),
});
const RESULT = z.object({
  subtype: z.string().catch(""),
  is_error: z.boolean().catch(true),
  session_id: z.string().catch(""),
  errors: z.array(z.string()).catch([]),
  total_cost_usd: count,
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: count,
      cache_creation_input_tokens: count,
    })
    .optional()
    .catch(undefined),
  modelUsage: z
    .record(
      z.string(),
      z.object({
        inputTokens: count,
        outputTokens: count,
        cacheReadInputTokens: count,
        cacheCreationInputTokens: count,
      }),
    )
    .catch({}),
});

/** The message that an answer of the model's service is put in when there is none. */
const SYNTHETIC = "<synthetic>";

/** Reads one query's messages, in order. */
export function reader(): (message: unknown) => readonly Said[] {
  // The model's message under way, as it streams; the blocks of one that streamed are not said again when they come whole.
  // When its connection breaks it is closed too, but without its reason to stop; then it is asked for anew.
  let open: { shown: boolean; whole: boolean; closed: boolean } | undefined;
  const streamed = new Set<string>();

  const streams = (message: unknown): readonly Said[] => {
    const { event } = EVENT.parse(message);
    switch (event.type) {
      case "message_start": {
        const cut = open?.shown === true && !open.closed;
        const id = event.message?.id;
        open = { shown: false, whole: false, closed: false };
        if (id !== undefined) streamed.add(id);
        return cut ? [{ is: "cut" }] : [];
      }
      case "message_delta":
        if (open !== undefined && typeof event.delta?.["stop_reason"] === "string") open.whole = true;
        return [];
      case "message_stop":
        if (open?.whole === true) open = undefined;
        else if (open !== undefined) open.closed = true;
        return [];
      case "content_block_delta": {
        const { delta } = event;
        const [is, text] =
          delta?.type === "thinking_delta" ? (["thinking", delta.thinking] as const) : (["text", delta?.text] as const);
        if (text === undefined || text === "") return [];
        if (open !== undefined && is === "text") open.shown = true;
        return [{ is, delta: text }];
      }
      default:
        return [];
    }
  };

  const answers = (message: unknown): readonly Said[] => {
    const { message: said, error, api_error, api_error_status } = ASSISTANT.parse(message);
    const texts = said.content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : []));
    if (said.model === SYNTHETIC) {
      const cut = open?.shown === true;
      open = undefined;
      const refused = said.stop_reason === "refusal";
      if (!refused && (error ?? undefined) === undefined) return [];
      const kind = api_error === "connection_failed" ? (cut ? "cut" : "unreachable") : (error ?? "unknown");
      const fault = { kind, status: api_error_status ?? undefined, says: texts.join(" ").slice(0, 2_000), refused };
      return [{ is: "fault", fault }];
    }
    const whole = said.id === undefined || !streamed.has(said.id);
    return said.content.flatMap((block): readonly Said[] => {
      if (block.type === "text" && whole) return [{ is: "text", delta: String(block["text"]) }];
      if (block.type !== "tool_use") return [];
      return [{ is: "use", ...USE.parse(block) }];
    });
  };

  const hears = (message: unknown): readonly Said[] => {
    const { content } = USER.parse(message).message;
    if (typeof content === "string") return [];
    return content.flatMap((block): readonly Said[] => {
      if (block.type !== "tool_result") return [];
      const { tool_use_id, is_error, content: parts = "" } = ANSWER.parse(block);
      const text = typeof parts === "string" ? parts : parts.map((part) => part.text ?? `[${part.type}]`).join("\n");
      return [{ is: "answered", id: tool_use_id, text, failed: is_error === true }];
    });
  };

  const read = (message: unknown): readonly Said[] => {
    const { type, subtype, session_id, parent_tool_use_id } = MESSAGE.parse(message);
    // What a subagent says is the program's own affair.
    if ((parent_tool_use_id ?? undefined) !== undefined) return [];
    switch (type) {
      case "system":
        if (subtype === "init" && session_id !== undefined) return [{ is: "session", id: session_id }];
        return subtype === "api_retry" && open?.shown === true ? [{ is: "cut" }] : [];
      case "stream_event":
        return streams(message);
      case "assistant":
        return answers(message);
      case "user":
        open = undefined;
        return hears(message);
      case "result":
        return [{ is: "result", result: resultOf(message) }];
      default:
        return [];
    }
  };
  return (message) => {
    try {
      return read(message);
    } catch (thrown) {
      // Of a shape that is not known: another version's. What it lacks then shows in how the turn ends.
      if (thrown instanceof z.ZodError) return [];
      throw thrown;
    }
  };
}

const NO_SESSION = /^No conversation found with session ID/u;

function resultOf(message: unknown): Result {
  const { subtype, is_error, errors, session_id, total_cost_usd, usage, modelUsage } = RESULT.parse(message);
  const models = Object.entries(modelUsage).map(([model, used]): [string, Tokens] => [
    model,
    {
      inputTokens: used.inputTokens + used.cacheReadInputTokens + used.cacheCreationInputTokens,
      outputTokens: used.outputTokens,
      cacheReadTokens: used.cacheReadInputTokens,
      cacheWriteTokens: used.cacheCreationInputTokens,
    },
  ]);
  const read = usage?.cache_read_input_tokens ?? 0;
  const write = usage?.cache_creation_input_tokens ?? 0;
  return {
    // A failure of the model's service comes as a success that is an error.
    ok: subtype === "success" && !is_error,
    limit: subtype === "error_max_turns",
    noSession: errors.some((error) => NO_SESSION.test(error)),
    session: session_id,
    usage: {
      inputTokens: (usage?.input_tokens ?? 0) + read + write,
      outputTokens: usage?.output_tokens ?? 0,
      cacheReadTokens: read,
      cacheWriteTokens: write,
    },
    totals: { costUsd: total_cost_usd, models: Object.fromEntries(models) },
  };
}
