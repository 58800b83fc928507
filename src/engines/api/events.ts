// One step of the model: its stream's parts become turn events, and are kept as the message that the next step is given back.
import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { TurnEvent, Usage } from "../../core/turn.ts";
import { toolName } from "./prompt.ts";

type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];
type Block = { type: "text" | "reasoning"; text: string; providerOptions?: SharedV4ProviderMetadata };

/** A tool call of the model's. `id` is unique in the turn whatever the service sent; `input` is undefined when it is no JSON object. */
export type StepCall = { readonly id: string; readonly name: string; readonly input: object | undefined };

/** What a step has said so far. Written by `take` only. */
export type Step = {
  /** In the order of the stream, with what the provider needs back: signatures, encrypted reasoning, item ids. */
  readonly content: Content[];
  readonly calls: StepCall[];
  readonly open: Map<string, Block>;
  /** The ids of all calls of the turn. */
  readonly ids: Set<string>;
  textChars: number;
  /** Thinking and the arguments of tool calls: what may grow without a word being said. */
  otherChars: number;
  /** A thought is under way that the service need not show. */
  thinking: boolean;
  finish?: LanguageModelV4FinishReason["unified"];
  usage?: LanguageModelV4Usage;
};

/** `ids` is the turn's own and shared by its steps. */
export function newStep(ids: Set<string>): Step {
  return { content: [], calls: [], open: new Map(), ids, textChars: 0, otherChars: 0, thinking: false };
}

/** The step as the assistant's message for the next one. Blank texts go: Anthropic refuses them. */
export function said(step: Step): LanguageModelV4Message {
  const blank = (part: Content): boolean =>
    part.type === "text" && part.providerOptions === undefined && part.text.trim() === "";
  return { role: "assistant", content: step.content.filter((part) => !blank(part)) };
}

/** True for a part that belongs to the answer: from then on a retry would say it twice. */
export function begins(part: LanguageModelV4StreamPart): boolean {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
      return part.delta !== "";
    case "tool-input-start":
    case "tool-call":
    case "finish":
      return true;
    default:
      return false;
  }
}

/** Takes one part in; the event it is to the turn, if any. An `error` part is the caller's. */
export function take(step: Step, part: LanguageModelV4StreamPart): TurnEvent | undefined {
  switch (part.type) {
    case "text-start":
    case "reasoning-start":
      open(step, part.type === "text-start" ? "text" : "reasoning", part.id, part.providerMetadata);
      return undefined;
    case "text-delta":
      return grow(step, "text", part);
    case "reasoning-delta":
      return grow(step, "reasoning", part);
    case "text-end":
    case "reasoning-end":
      note(step.open.get(part.id), part.providerMetadata);
      step.open.delete(part.id);
      step.thinking = false;
      return undefined;
    case "tool-input-delta":
      step.otherChars += part.delta.length;
      return undefined;
    case "tool-call":
      // A tool that the provider ran itself was never offered; it has no place in the loop.
      if (part.providerExecuted !== true) addCall(step, part);
      return undefined;
    case "custom":
      step.content.push({ type: "custom", kind: part.kind, ...carried(part.providerMetadata) });
      return undefined;
    case "finish":
      step.finish = part.finishReason.unified;
      step.usage = part.usage;
      return undefined;
    default:
      return undefined;
  }
}

function addCall(step: Step, part: LanguageModelV4ToolCall): void {
  // Some servers number their calls anew in each step.
  let id = part.toolCallId;
  for (let count = 2; step.ids.has(id); count += 1) id = `${part.toolCallId}_${count}`;
  step.ids.add(id);
  const input = parsedInput(part.input);
  step.calls.push({ id, name: part.toolName, input });
  const { toolName: name, providerMetadata } = part;
  step.content.push({
    type: "tool-call",
    toolCallId: id,
    toolName: toolName(name),
    input: input ?? {},
    ...carried(providerMetadata),
  });
}

/** No arguments at all is how many servers write an empty object. */
function parsedInput(text: string): object | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function open(step: Step, type: Block["type"], id: string, metadata: SharedV4ProviderMetadata | undefined): Block {
  const block: Block = { type, text: "", ...carried(metadata) };
  step.open.set(id, block);
  step.content.push(block);
  step.thinking = type === "reasoning";
  return block;
}

function grow(
  step: Step,
  type: Block["type"],
  part: { readonly id: string; readonly delta: string; readonly providerMetadata?: SharedV4ProviderMetadata },
): TurnEvent | undefined {
  const { id, delta } = part;
  const block = step.open.get(id) ?? open(step, type, id, undefined);
  block.text += delta;
  note(block, part.providerMetadata);
  if (type === "text") step.textChars += delta.length;
  else step.otherChars += delta.length;
  if (delta === "") return undefined;
  return type === "text" ? { kind: "text", delta } : { kind: "thinking", delta };
}

/** A signature may come at the start, in the middle or at the end of its block; the newest word of each provider counts. */
function note(block: Block | undefined, metadata: SharedV4ProviderMetadata | undefined): void {
  if (block !== undefined && metadata !== undefined) block.providerOptions = { ...block.providerOptions, ...metadata };
}

/** What a provider hung on a part, to be handed back on the next step. */
function carried(metadata: SharedV4ProviderMetadata | undefined): {
  providerOptions?: SharedV4ProviderMetadata;
} {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

/** US dollars per million tokens. A cache price left out counts as plain input. */
export type Prices = {
  readonly inputPerMillion: number;
  readonly outputPerMillion: number;
  readonly cacheReadPerMillion?: number | undefined;
  readonly cacheWritePerMillion?: number | undefined;
};

/** The sum of all steps so far, or undefined while no step has said anything of it. */
export function addUsage(
  sum: Usage | undefined,
  model: string,
  more: LanguageModelV4Usage | undefined,
): Usage | undefined {
  const { inputTokens: input, outputTokens: output } = more ?? {};
  const read = input?.cacheRead ?? 0;
  const write = input?.cacheWrite ?? 0;
  const inputTokens = input?.total ?? (input?.noCache ?? 0) + read + write;
  const outputTokens = output?.total ?? (output?.text ?? 0) + (output?.reasoning ?? 0);
  if (inputTokens + outputTokens === 0) return sum;
  return {
    model,
    inputTokens: (sum?.inputTokens ?? 0) + inputTokens,
    outputTokens: (sum?.outputTokens ?? 0) + outputTokens,
    cacheReadTokens: (sum?.cacheReadTokens ?? 0) + read,
    cacheWriteTokens: (sum?.cacheWriteTokens ?? 0) + write,
  };
}

/** The usage with its cost in US dollars, rounded to a millionth. */
export function priced(usage: Usage, prices: Prices | undefined): Usage {
  if (prices === undefined) return usage;
  const { inputPerMillion, cacheReadPerMillion = inputPerMillion, cacheWritePerMillion = inputPerMillion } = prices;
  const plain = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const micros =
    plain * inputPerMillion +
    usage.cacheReadTokens * cacheReadPerMillion +
    usage.cacheWriteTokens * cacheWritePerMillion +
    usage.outputTokens * prices.outputPerMillion;
  return { ...usage, costUsd: Math.round(micros) / 1_000_000 };
}
