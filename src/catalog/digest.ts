// What an app's tools are by, to tell whether they are still the ones that were agreed to.
import { createHash } from "node:crypto";

/** A tool as a server lists it: what of it is looked at, unchecked. */
export type ListedTool = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly annotations?: unknown;
};

/** Deeper than any tool that is taken: what lies below changes nothing, since that tool is left out whatever it says there. */
const MAX_DEPTH = 64;

/** SHA-256 as hex of a tool's name, description, schema and annotations, whatever the order of their keys. */
export function toolDigest(tool: ListedTool): string {
  return sha256(describe(tool));
}

/** SHA-256 as hex of all tools of an app, whatever the order they are listed in. */
export function toolsDigest(tools: readonly ListedTool[]): string {
  return sha256(tools.map(toolDigest).toSorted().join("\n"));
}

function describe(tool: ListedTool): string {
  const { name, description = "", inputSchema = null, annotations = {} } = tool;
  return canonical([name, description, inputSchema, annotations], 0);
}

/** JSON with the keys of each object in order. */
function canonical(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth > MAX_DEPTH) return '"…"';
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join(",")}]`;
  const fields = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${canonical(one, depth + 1)}`);
  return `{${fields.join(",")}}`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
