// The program's own tools: which it is given, what each use of one touches, and how it is shown. A tool that is not in the table is refused.
import { isAbsolute, relative, resolve } from "node:path";
import type { Plan } from "../../core/card.ts";
import { clipUnits } from "../../core/text.ts";
import type { OwnUse, ToolCall } from "../../core/tool.ts";

type Fields = Readonly<Record<string, unknown>>;

/** One use, as the guard is to judge it and as people are to see it. */
export type Understood = {
  readonly use: OwnUse;
  /** What then runs: exactly what was asked about. */
  readonly runs: Record<string, unknown>;
  readonly shown: ToolCall;
  readonly effect: "read" | "act";
};

type OwnTool = {
  readonly does: OwnUse["does"];
  /** The input that says where. A search without one is one of the work folder. */
  readonly at?: { readonly key: string; readonly orHere?: true };
  /** What it touches beyond that; undefined when that can't be told from what it was given. */
  readonly besides?: (input: Fields) => readonly string[] | undefined;
  readonly command?: (input: Fields) => string | undefined;
  /** The row's input. */
  readonly row: (input: Fields, work: string) => Readonly<Record<string, string>>;
};

const MAX_DIFF_CHARS = 20_000;
const MAX_SHOWN_CHARS = 4_000;

const TOOLS: Readonly<Record<string, OwnTool>> = {
  Read: { does: "read", at: { key: "file_path" }, row: ({ file_path }, work) => ({ path: near(file_path, work) }) },
  Grep: {
    does: "read",
    at: { key: "path", orHere: true },
    row: ({ pattern, path }, work) => ({ pattern: words(pattern), ...within(path, work) }),
  },
  Glob: {
    does: "read",
    at: { key: "path", orHere: true },
    besides: globbed,
    row: ({ pattern, path }, work) => ({ pattern: words(pattern), ...within(path, work) }),
  },
  Edit: {
    does: "write",
    at: { key: "file_path" },
    row: ({ file_path, old_string, new_string }, work) => ({
      path: near(file_path, work),
      diff: difference(text(old_string), text(new_string)),
    }),
  },
  Write: {
    does: "write",
    at: { key: "file_path" },
    row: ({ file_path, content }, work) => ({ path: near(file_path, work), diff: difference("", text(content)) }),
  },
  NotebookEdit: {
    does: "write",
    at: { key: "notebook_path" },
    row: ({ notebook_path, new_source }, work) => ({
      path: near(notebook_path, work),
      diff: difference("", text(new_source)),
    }),
  },
  Bash: {
    does: "command",
    command: ({ command }) => (typeof command === "string" ? command : undefined),
    row: ({ command }) => ({ command: words(command) }),
  },
  WebFetch: { does: "fetch", row: ({ url }) => ({ url: words(url) }) },
  WebSearch: { does: "search", row: ({ query }) => ({ query: words(query) }) },
};

/** The tool by which the program keeps its plan: it touches nothing. */
export const PLAN_TOOL = "TodoWrite";

/** What the program is given. Nothing that runs on by itself: no subagents, no background, no schedule; and no questions of its own. */
export const OWN_TOOLS: readonly string[] = [...Object.keys(TOOLS), PLAN_TOOL];

/** What a use of one of its tools means; undefined for a tool that isn't known, or a use that can't be understood. `work`: absolute. */
export function understand(id: string, name: string, given: unknown, work: string): Understood | undefined {
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  const asked = fields(given);
  if (tool === undefined || asked === undefined) return undefined;
  const where = tool.at === undefined ? [] : placeOf(asked, tool.at, work);
  const besides = tool.besides === undefined ? [] : tool.besides(asked);
  if (where === undefined || besides === undefined) return undefined;
  const paths = [...where, ...besides];
  // The program may have gone to another folder meanwhile: what is judged is what it does.
  const input = tool.at === undefined ? asked : { ...asked, [tool.at.key]: where[0] };
  const command = tool.command?.(input);
  if (tool.command !== undefined && command === undefined) return undefined;
  return {
    use: {
      ...{ id, name, input, does: tool.does },
      ...(tool.at === undefined ? {} : { paths }),
      ...(command === undefined ? {} : { command }),
    },
    runs: { ...input },
    shown: { id, name, input: tool.row(asked, work) },
    effect: tool.does === "read" ? "read" : "act",
  };
}

/** The program's list of steps as a plan. */
export function planOf(given: unknown): Plan | undefined {
  const todos = fields(given)?.["todos"];
  if (!Array.isArray(todos)) return undefined;
  const steps = todos.flatMap((todo: unknown): Plan["steps"] => {
    const { content, status } = fields(todo) ?? {};
    if (typeof content !== "string" || content.trim() === "") return [];
    const state = status === "completed" ? "done" : status === "in_progress" ? "active" : "pending";
    return [{ text: clipUnits(content, 200, "…"), state }];
  });
  return { kind: "plan", steps: steps.slice(0, 30) };
}

function fields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function words(value: unknown): string {
  return clipUnits(text(value), MAX_SHOWN_CHARS, "…");
}

function placeOf(
  input: Fields,
  { key, orHere }: NonNullable<OwnTool["at"]>,
  work: string,
): readonly [string] | undefined {
  const path = input[key];
  if (typeof path === "string" && path !== "") {
    const given = asTaken(path);
    const full = given.startsWith("~") ? given : resolve(work, given);
    // Another place than the one that was asked about, once it is tidied again.
    return given !== "" && asTaken(full) === full ? [full] : undefined;
  }
  return orHere === true && (path === undefined || path === "") ? [work] : undefined;
}

/** A path as the program takes it: without white space around it, and composed. */
function asTaken(path: string): string {
  return path.trim().normalize("NFC");
}

/**
 * A pattern that begins with a path is looked for there and not in the folder. One that climbs, or begins in some other way that the
 * program may take for a path, is not understood.
 */
function globbed({ pattern }: Fields): readonly string[] | undefined {
  if (typeof pattern !== "string" || pattern === "" || asTaken(pattern) !== pattern) return undefined;
  if (/(?:^|[/\\{,(|])\.\.|^[~{(]|[{,(|][/~]/u.test(pattern)) return undefined;
  if (!isAbsolute(pattern)) return [];
  const fixed = /^[^*?[\]{}()!+@|\\]*/u.exec(pattern)?.[0] ?? "/";
  const folder = resolve("/", fixed.slice(0, fixed.lastIndexOf("/") + 1));
  return asTaken(folder) === folder ? [folder] : undefined;
}

function within(path: unknown, work: string): { readonly path?: string } {
  return typeof path === "string" && path !== "" ? { path: near(path, work) } : {};
}

/** A path in the work folder by its place there. */
function near(path: unknown, work: string): string {
  const given = text(path);
  if (!isAbsolute(given)) return words(given);
  const inside = relative(work, given);
  return words(inside !== "" && !inside.startsWith("..") ? inside : given);
}

/** Unified text, without line numbers: the program tells none before it has done it. */
function difference(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let same = 0;
  while (same < Math.min(old.length, now.length) && old[same] === now[same]) same += 1;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - same && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const lines = [
    ...old.slice(0, same).map((line) => ` ${line}`),
    ...old.slice(same, old.length - tail).map((line) => `-${line}`),
    ...now.slice(same, now.length - tail).map((line) => `+${line}`),
    ...now.slice(now.length - tail).map((line) => ` ${line}`),
  ];
  return clipUnits(lines.join("\n"), MAX_DIFF_CHARS, "…");
}

function linesOf(value: string): readonly string[] {
  if (value === "") return [];
  return (value.endsWith("\n") ? value.slice(0, -1) : value).split("\n");
}
