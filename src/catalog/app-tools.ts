// An app's tools as the gateway's own kind: names, caps, what their claims count for, and what their results become.
import { createHash } from "node:crypto";
import type { JsonSchemaType } from "@modelcontextprotocol/sdk/validation";
import { GatewayError } from "../core/error.ts";
import { clipUnits, dropControls, oneLine } from "../core/text.ts";
import type { JsonSchema, Tool, ToolContext, ToolResult } from "../core/tool.ts";
import { toolDigest, toolsDigest, type ListedTool } from "./digest.ts";
import type { AppEntry } from "./entries.ts";
import type { Called } from "./link.ts";
import { viewOf } from "./views.ts";

/** One tool that can be used, and the server's own name for it. `digest`: of what was listed of it. */
export type AppTool = { readonly tool: Tool<object>; readonly listed: string; readonly digest: string };

/** What a server listed. `leftOut`: how many can't be used here, by why, in words. */
export type Toolset = {
  readonly digest: string;
  readonly tools: readonly AppTool[];
  readonly leftOut: readonly string[];
};

/** Calls the server, with the tool by the name and digest it had when it was listed. Throws a GatewayError in words. */
export type CallApp = (listed: string, digest: string, input: object, signal: AbortSignal) => Promise<Called>;

const MAX_TOOLS = 128;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 4_000;
const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_SCHEMA_DEPTH = 20;
const MAX_TEXT = 100_000;
const MAX_LINE = 300;

/** The tools of an app as listed. What is wrong with one takes none of the others away. */
export async function appTools(entry: AppEntry, listed: readonly ListedTool[], call: CallApp): Promise<Toolset> {
  // The protocol's own compiler of schemas, there with its client.
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv");
  const compiler = new AjvJsonSchemaValidator();
  const digest = toolsDigest(listed);
  // What a server says of its tools is believed only where somebody looked at just these.
  const believed = entry.reviewed && entry.annotations && (entry.digest === undefined || entry.digest === digest);
  const reasons = new Map<string, number>();
  const leaveOut = (why: string): void => void reasons.set(why, (reasons.get(why) ?? 0) + 1);
  const names = new Map<string, number>();
  for (const { name } of listed) names.set(name, (names.get(name) ?? 0) + 1);
  const tools: AppTool[] = [];
  for (const one of listed) {
    const name = toolName(entry.id, one.name);
    const problem = schemaProblem(one.inputSchema) ?? compileProblem(one.inputSchema, compiler);
    if (name === undefined || names.get(one.name) !== 1) leaveOut("its name can't be used");
    else if (problem !== undefined) leaveOut(problem);
    else if (tools.length === MAX_TOOLS) leaveOut(`more than ${MAX_TOOLS} tools`);
    else tools.push(toolOf(entry, one, name, one.inputSchema as JsonSchema, believed && onlyReads(one), call));
  }
  return { digest, tools, leftOut: [...reasons].map(([why, count]) => `${count} left out: ${why}`) };
}

/**
 * `app__tool` in the characters that every engine takes, at most 64, different for every tool of an app whatever their order: a name that had
 * to be changed ends with part of its digest. Undefined when nothing of it can be kept, or the engines would take it for one of ours.
 */
export function toolName(app: string, listed: string): string | undefined {
  const prefix = `${app}__`;
  const plain = `${prefix}${listed}`;
  if (app === "mcp" || prefix.length > MAX_NAME - 10 || !/[A-Za-z0-9]/u.test(listed)) return undefined;
  // The mark of a changed name stays free for those.
  if (/^[A-Za-z0-9_-]{1,64}$/u.test(plain) && !/_x[0-9a-f]{6}$/u.test(plain)) return plain;
  const mark = `_x${createHash("sha256").update(listed).digest("hex").slice(0, 6)}`;
  const kept = plain.replaceAll(/[^A-Za-z0-9_-]+/gu, "_").slice(0, MAX_NAME - mark.length);
  return kept.length > prefix.length ? kept + mark : undefined;
}

/** Why no engine could list it: one tool that Claude Code can't list takes all others away there. Undefined when it is fine. */
function schemaProblem(schema: unknown): string | undefined {
  const wrong = "its input is not described as an object";
  if (!isObject(schema) || schema["type"] !== "object") return wrong;
  const { properties = {}, required = [] } = schema;
  if (!isObject(properties) || !Object.values(properties).every(isObject)) return wrong;
  if (!Array.isArray(required) || !required.every((one) => typeof one === "string")) return wrong;
  // Anthropic's API refuses a whole request for one of these.
  if (["oneOf", "anyOf", "allOf"].some((key) => key in schema)) return "its input is a choice between several kinds";
  if (!Object.keys(properties).every((key) => /^[A-Za-z0-9_.-]{1,64}$/u.test(key)))
    return "a part of its input has a name that can't be used";
  if (depth(schema, 0) > MAX_SCHEMA_DEPTH) return "its input is nested too deep";
  return Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES
    ? "its input takes too long to describe"
    : undefined;
}

/** A service that compiles schemas refuses a whole request for one that is none further in. */
function compileProblem(
  schema: unknown,
  compiler: { getValidator(schema: JsonSchemaType): unknown },
): string | undefined {
  try {
    compiler.getValidator(schema as JsonSchemaType);
    return undefined;
  } catch {
    return "its input is described by no schema";
  }
}

/** How deep it nests, counted no further than it matters. */
function depth(value: unknown, from: number): number {
  if (typeof value !== "object" || value === null || from > MAX_SCHEMA_DEPTH) return from;
  let deepest = from;
  for (const one of Object.values(value)) deepest = Math.max(deepest, depth(one, from + 1));
  return deepest;
}

function onlyReads({ annotations }: ListedTool): boolean {
  return isObject(annotations) && annotations["readOnlyHint"] === true && annotations["destructiveHint"] !== true;
}

function toolOf(
  entry: AppEntry,
  listed: ListedTool,
  name: string,
  input: JsonSchema,
  reads: boolean,
  call: CallApp,
): AppTool {
  const digest = toolDigest(listed);
  const description = clipUnits(dropControls(listed.description ?? ""), MAX_DESCRIPTION, "…");
  const tool: Tool<object> = {
    name,
    description: description === "" ? `${listed.name} of ${entry.name}` : description,
    input,
    row: reads ? "app-read" : "app-act",
    effect: reads ? "read" : "act",
    check(given) {
      // Engines leave the arguments away where there are none.
      if (given === undefined || given === null) return {};
      if (!isObject(given)) throw new GatewayError("tool-input", `${name} takes an object of named arguments.`);
      return given;
    },
    async run(given: object, { signal }: ToolContext) {
      return resultOf(entry, listed.name, await call(listed.name, digest, given, signal));
    },
  };
  return { tool, listed: listed.name, digest };
}

/** Whatever of a server's words is in a result is marked as the app's. */
function resultOf(entry: AppEntry, tool: string, called: Called): ToolResult {
  const marks = [{ kind: "app", label: entry.name, source: `app/${entry.id}` }] as const;
  if (called.is === "forgotten")
    throw new GatewayError("app-failed", `${entry.name} lost the connection. It was not done.`);
  if (called.is === "refused") return { outcome: "error", text: capped(called.words), marks };
  const { content, structuredContent, isError } = called.result;
  const blocks = Array.isArray(content) ? content.map(blockText) : [];
  if (blocks.length === 0 && structuredContent !== undefined) blocks.push(JSON.stringify(structuredContent));
  const text = blocks.join("\n");
  if (isError === true)
    return { outcome: "error", text: capped(text === "" ? "It failed, and said nothing more." : text), marks };
  if (text === "") return { outcome: "ok", text: "Done. It gave nothing back.", marks };
  const view = entry.views === undefined ? undefined : viewOf(entry.views, tool, structuredContent, text);
  return { outcome: "ok", text: capped(text), marks, ...(view === undefined ? {} : { view }) };
}

/** One piece of a result as text; what is no text is named. */
function blockText(block: unknown): string {
  if (!isObject(block)) return "[something that is not text]";
  const { type, text, mimeType, uri, name, resource } = block;
  const named = (...parts: readonly unknown[]): string =>
    parts
      .flatMap((part) => (typeof part === "string" && part !== "" ? [clipUnits(oneLine(part), MAX_LINE, "…")] : []))
      .join(", ");
  if (type === "text" && typeof text === "string") return dropControls(text);
  if (type === "resource_link") return `[${named("a link", name, uri, mimeType)}]`;
  if (type === "resource" && isObject(resource)) {
    const head = `[${named("a resource", resource["uri"], resource["mimeType"])}]`;
    return typeof resource["text"] === "string" ? `${head}\n${dropControls(resource["text"])}` : head;
  }
  if (type === "image" || type === "audio") return `[${named(type === "image" ? "an image" : "a sound", mimeType)}]`;
  return "[something that is not text]";
}

function capped(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const note = `\n\n[Cut here: the whole result has ${text.length} characters. Ask for less at a time.]`;
  return clipUnits(text, MAX_TEXT - note.length) + note;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
