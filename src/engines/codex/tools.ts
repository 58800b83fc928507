// The gateway's tools as Codex's dynamic ones, and the id of a session that has them.
import { createHash } from "node:crypto";
import type { ToolSpec } from "../../core/tool.ts";
import { isThread } from "./kept.ts";
import type { DynamicTool } from "./protocol.ts";

/** A tool under the name that Codex takes. */
export type NamedTool = { readonly name: string; readonly spec: ToolSpec };

const MAX_NAME_CHARS = 128;
const PREFIX = "gateway_";
/** Codex drops a tool of such a name without a word, or refuses the thread. */
const TAKEN: ReadonlySet<string> = new Set([
  ...[
    "exec",
    "wait",
    "exec_command",
    "write_stdin",
    "shell",
    "local_shell",
    "shell_command",
    "apply_patch",
    "view_image",
  ],
  ...["update_plan", "web_search", "image_generation", "tool_search", "request_user_input", "request_permissions"],
  ...["spawn_agent", "send_input", "send_message", "resume_agent", "close_agent", "list_agents", "wait_agent", "clock"],
  ...["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "send_message_to_user_async"],
]);

/** By name, so that the same tools are the same list. */
export function namedTools(specs: readonly ToolSpec[]): readonly NamedTool[] {
  const used = new Set<string>();
  return specs
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((spec) => {
      const plain = spec.name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
      const free = plain === "" || TAKEN.has(plain) || plain.startsWith("mcp__") ? PREFIX + plain : plain;
      let name = free.slice(0, MAX_NAME_CHARS);
      for (let count = 2; used.has(name); count += 1) name = `${free.slice(0, MAX_NAME_CHARS - 6)}_${count}`;
      used.add(name);
      return { name, spec };
    });
}

export function dynamicTools(tools: readonly NamedTool[]): DynamicTool[] {
  return tools.map(({ name, spec }) => ({
    type: "function",
    name,
    description: spec.description,
    inputSchema: spec.input,
  }));
}

/** What a thread was begun with and can't be changed in: its tools with their schemas, and what else it may do. 16 hex digits. */
export function digestOf(tools: readonly NamedTool[], flavour: string): string {
  const body = JSON.stringify([flavour, tools.map(({ spec }) => [spec.name, ordered(spec.input)])]);
  return shortHash(body);
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** `<thread>:<digest>`. */
export function resumeId(thread: string, digest: string): string {
  return `${thread}:${digest}`;
}

/** Undefined for an id of another kind. */
export function readResumeId(id: string): { readonly thread: string; readonly digest: string } | undefined {
  const [thread = "", digest = "", ...more] = id.split(":");
  return isThread(thread) && /^[0-9a-f]{16}$/u.test(digest) && more.length === 0 ? { thread, digest } : undefined;
}

/** The same whatever the order of its keys. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}
