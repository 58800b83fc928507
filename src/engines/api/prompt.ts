// A turn as the messages of a model: standing words, native history, pictures from disk, and where the provider may cache.
// The same history gives the same bytes each turn, so that what a provider has cached still fits.
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4TextPart } from "@ai-sdk/provider";
import type { HistoryBlock, HistoryItem, PromptPart, TurnInput } from "../../core/turn.ts";
import type { ToolResult } from "../../core/tool.ts";

/** What Anthropic takes at most for one picture; the other vendors take more. */
const MAX_IMAGE_BYTES = 5_000_000;
/** All pictures of one request together, the newest first; the vendors' limits on a request start at 20 MB after base64. */
const MAX_IMAGES_BYTES = 12_000_000;
const IMAGE_TYPES: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** How a turn is to be put. */
export type PromptWay = {
  /** The model is given pictures; else they are named in words. */
  readonly images: boolean;
  /** History beyond this many characters becomes one block of text. Left out: all of it goes natively. */
  readonly contextChars?: number | undefined;
  /** Put Anthropic's cache marks. */
  readonly cacheMarks: boolean;
};

/** The finished messages and how many characters of history they hold. */
export type BuiltPrompt = { readonly messages: LanguageModelV4Message[]; readonly historyChars: number };

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type Pictures = ReadonlyMap<PromptPart, Uint8Array | string>;

export async function buildPrompt(
  input: Pick<TurnInput, "instructions" | "history" | "prompt">,
  way: PromptWay,
): Promise<BuiltPrompt> {
  const historyChars = input.history.reduce((sum, item) => sum + itemChars(item), 0);
  const { kept, earlier } = cut(input.history, historyChars, way.contextChars);
  const pictures = await readPictures([...kept, { role: "user", parts: input.prompt }], way.images);
  const messages: LanguageModelV4Message[] = [];
  if (input.instructions !== "") messages.push({ role: "system", content: input.instructions });
  if (earlier !== undefined) pushUser(messages, [{ type: "text", text: earlier }]);
  let calls = 0;
  for (const item of kept) {
    if (item.role === "user") pushUser(messages, userParts(item.parts, pictures));
    else calls = pushAssistant(messages, item.blocks, calls);
  }
  pushUser(messages, userParts(input.prompt, pictures));
  return { messages: way.cacheMarks ? withCacheMarks(messages) : messages, historyChars };
}

type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;

/** What a tool answered, as a part of the message that goes back to the model. All answers to one step go in one message: Gemini counts. */
export function toolAnswer(id: string, name: string, result: ToolResult): ToolMessage["content"][number] {
  const type = result.outcome === "ok" ? "text" : "error-text";
  const value = result.text === "" ? "(nothing)" : result.text;
  return { type: "tool-result", toolCallId: id, toolName: toolName(name), output: { type, value } };
}

/** Marks the end of what may be cached. Anthropic takes four marks; a request carries its instructions', two users' and the newest tool result's. */
export function cacheMarked<M extends LanguageModelV4Message>(message: M): M {
  return { ...message, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
}

/** A name that every vendor takes for a tool: past calls may come from other programs, with names of their own making. */
export function toolName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 64);
  return /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`.slice(0, 64);
}

function withCacheMarks(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const users = messages.flatMap((message, at) => (message.role === "user" ? [at] : [])).slice(-2);
  return messages.map((message, at) =>
    message.role === "system" || users.includes(at) ? cacheMarked(message) : message,
  );
}

/** Adds to the last message when it is the user's too: some chat templates refuse two of one role in a row. */
function pushUser(messages: LanguageModelV4Message[], parts: readonly UserPart[]): void {
  const last = messages.at(-1);
  const content = last?.role === "user" ? last.content : [];
  if (last?.role !== "user") messages.push({ role: "user", content });
  for (const part of parts) {
    const before = content.at(-1);
    // Joined into one text, since plain servers take a string only.
    if (part.type === "text" && before?.type === "text") before.text += `\n\n${part.text}`;
    else content.push(part);
  }
}

function userParts(parts: readonly PromptPart[], pictures: Pictures): readonly UserPart[] {
  const made = parts.flatMap((part): readonly UserPart[] => {
    if (part.kind === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    const picture = pictures.get(part) ?? "missing";
    if (typeof picture === "string") return [{ type: "text", text: `[Picture ${plainName(part.path)}: ${picture}]` }];
    return [{ type: "file", mediaType: part.mediaType, data: { type: "data", data: picture } }];
  });
  return made.length === 0 ? [{ type: "text", text: "(an empty message)" }] : made;
}

/** Each run of calls closes a message of the assistant's; their results follow it. `calls` counts through the history. */
function pushAssistant(messages: LanguageModelV4Message[], blocks: readonly HistoryBlock[], calls: number): number {
  let count = calls;
  // Anthropic and Gemini want the user to open the conversation.
  if (!messages.some((message) => message.role === "user")) {
    pushUser(messages, [{ type: "text", text: "(The conversation begins with the assistant.)" }]);
  }
  let content: Extract<LanguageModelV4Message, { role: "assistant" }>["content"] = [];
  let results: ToolMessage["content"] = [];
  const close = (): void => {
    if (content.length > 0) messages.push({ role: "assistant", content });
    if (results.length > 0) messages.push({ role: "tool", content: results });
    content = [];
    results = [];
  };
  for (const block of blocks) {
    if (block.kind === "text") {
      if (results.length > 0) close();
      if (block.text.trim() !== "") content.push({ type: "text", text: block.text });
      continue;
    }
    count += 1;
    // Nine letters and digits: unique in the conversation and the same each turn, in the one shape that Mistral takes too.
    const id = `h${String(count).padStart(8, "0")}`;
    const name = toolName(block.call.name);
    content.push({ type: "tool-call", toolCallId: id, toolName: name, input: inputObject(block.call.input) });
    results.push(toolAnswer(id, name, block.result));
  }
  close();
  return count;
}

function inputObject(input: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : {};
}

/**
 * Splits a history that is too long. The cut moves in steps of half the budget, so that most turns share their prefix with
 * the one before; the older part keeps its newest words, up to a quarter of the budget.
 */
function cut(
  history: readonly HistoryItem[],
  chars: number,
  budget: number | undefined,
): { readonly kept: readonly HistoryItem[]; readonly earlier?: string } {
  if (budget === undefined || chars <= budget) return { kept: history };
  const step = Math.max(1, budget / 2);
  const drop = Math.ceil((chars - budget) / step) * step;
  let dropped = 0;
  let at = 0;
  while (at < history.length) {
    const item = history[at];
    if (item === undefined || (dropped >= drop && item.role === "user")) break;
    dropped += itemChars(item);
    at += 1;
  }
  const lines = history.slice(0, at).map(itemText).join("\n\n");
  const tail = lines.slice(-Math.floor(budget / 4)).replace(/^[\uDC00-\uDFFF]/, "");
  const earlier = `[Earlier in this conversation${tail.length < lines.length ? ", its beginning left out" : ""}:\n\n${tail}\n\nEnd of the earlier part.]`;
  return { kept: history.slice(at), earlier };
}

function itemText(item: HistoryItem): string {
  if (item.role === "user") {
    return `User: ${item.parts.map((part) => (part.kind === "text" ? part.text : `[picture ${plainName(part.path)}]`)).join("\n")}`;
  }
  return item.blocks
    .map((block) =>
      block.kind === "text"
        ? `Assistant: ${block.text}`
        : `Assistant used ${toolName(block.call.name)}, which answered: ${block.result.text}`,
    )
    .join("\n");
}

function itemChars(item: HistoryItem): number {
  if (item.role === "user") {
    return item.parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 4_000), 0);
  }
  return item.blocks.reduce((sum, block) => sum + blockChars(block), 0);
}

function blockChars(block: HistoryBlock): number {
  return block.kind === "text" ? block.text.length : block.result.text.length + 200;
}

/** The bytes of each picture, or words on why there are none. The newest get the room. */
async function readPictures(items: readonly HistoryItem[], wanted: boolean): Promise<Pictures> {
  const parts = items.flatMap((item) =>
    item.role === "user" ? item.parts.filter((part) => part.kind === "image") : [],
  );
  const pictures = new Map<PromptPart, Uint8Array | string>();
  let room = MAX_IMAGES_BYTES;
  for (const part of parts.toReversed()) {
    const picture = wanted ? await readPicture(part.path, part.mediaType, room) : "this model isn't given pictures";
    pictures.set(part, picture);
    if (typeof picture !== "string") room -= picture.length;
  }
  return pictures;
}

async function readPicture(path: string, mediaType: string, room: number): Promise<Uint8Array | string> {
  if (!IMAGE_TYPES.includes(mediaType)) return "in a format that the model doesn't take";
  try {
    const { size } = await stat(path);
    if (size === 0) return "empty";
    if (size > MAX_IMAGE_BYTES) return "too large for the model";
    if (size > room) return "left out, there are too many";
    return await readFile(path);
  } catch {
    return "no longer there";
  }
}

/** A file's name without anything that could read as more than a name. */
function plainName(path: string): string {
  return basename(path)
    .replace(/[^\p{L}\p{N}._-]/gu, "_")
    .slice(0, 80);
}
