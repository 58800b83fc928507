// What the model behind an engine program does, brought about by words, whatever program stands between: nothing is counted and
// nothing is queued, so retries and turns side by side change nothing. And what of a program is left in the machine.
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fieldsOf, textOf } from "../wire/models-script.ts";
import type { ModelRequest, Step } from "../wire/models-script.ts";
import type { ModelsWire } from "../wire/models.ts";
import type { Act } from "./engine.ts";

/** One use of a tool of the program's own. Paths are absolute. */
export type OwnAct =
  | { readonly does: "command"; readonly command: string }
  | { readonly does: "write"; readonly path: string; readonly text: string }
  | { readonly does: "edit"; readonly path: string; readonly from: string; readonly to: string }
  | { readonly does: "read"; readonly path: string };

/** What a program with sessions and tools of its own is to do in a turn, beside what every engine can. */
export type SessionAct =
  | Act
  /** Uses this tool of the program's own, then says `answer` if and only if it got it from it. */
  | { readonly is: "own"; readonly use: OwnAct; readonly answer: string }
  /** Makes a plan with these steps: the first is done, the second is being done. Says "Planned." */
  | { readonly is: "plans"; readonly steps: readonly string[] };

/** How a model speaks to a program: the names and inputs of the program's own tools. */
export type Tongue = {
  readonly own: (use: OwnAct) => ToolStep;
  readonly plan: (steps: readonly string[]) => ToolStep;
};

type ToolStep = Extract<Step, { tool: string }>;

/** Tokens that every scripted answer claims. */
export const CLAIMED = { input: 1000, output: 10 } as const;

const STATES = ["completed", "in_progress"] as const;

/** Claude Code's own tools. */
export const CLAUDE_TONGUE: Tongue = {
  own: (use) => {
    switch (use.does) {
      case "command":
        return { tool: "Bash", args: { command: use.command, description: "Does as told" } };
      case "write":
        return { tool: "Write", args: { file_path: use.path, content: use.text } };
      case "edit":
        return { tool: "Edit", args: { file_path: use.path, old_string: use.from, new_string: use.to } };
      case "read":
        return { tool: "Read", args: { file_path: use.path } };
    }
  },
  plan: (steps) => ({
    tool: "TodoWrite",
    args: {
      todos: steps.map((content, at) => ({ content, status: STATES[at] ?? "pending", activeForm: `Doing ${content}` })),
    },
  }),
};

/** Codex's own: one that runs commands, which takes patches too. */
export const CODEX_TONGUE: Tongue = {
  own: (use) => ({ tool: "exec_command", args: { cmd: codexCommand(use) } }),
  plan: (steps) => ({
    tool: "update_plan",
    args: { explanation: "why", plan: steps.map((step, at) => ({ step, status: STATES[at] ?? "pending" })) },
  }),
};

function codexCommand(use: OwnAct): string {
  switch (use.does) {
    case "command":
      return use.command;
    case "read":
      return `cat '${use.path}'`;
    case "write":
      return patch(`*** Add File: ${use.path}`, ...use.text.split("\n").map((line) => `+${line}`));
    case "edit":
      return patch(`*** Update File: ${use.path}`, "@@", `-${use.from}`, `+${use.to}`);
  }
}

function patch(...lines: readonly string[]): string {
  return ["apply_patch <<'EOF'", "*** Begin Patch", ...lines, "*** End Patch", "EOF"].join("\n");
}

/** Makes the models act by cues. Gives the function that turns an act into the words that bring it about. */
export function scriptModels(
  models: ModelsWire,
  tongue: Tongue,
  hidden: readonly string[],
): (act: SessionAct) => string {
  const acts: SessionAct[] = [];
  models.always((request) => {
    const asked = lastCue(request);
    const act = asked === undefined ? undefined : acts[asked.cue - 1];
    if (asked === undefined || act === undefined) return ["Hi."];
    return [...reply(act, asked, request, tongue, hidden), { usage: CLAIMED }];
  });
  return (act) => `[cue ${acts.push(act)}]`;
}

function reply(
  act: SessionAct,
  asked: Asked,
  request: ModelRequest,
  tongue: Tongue,
  hidden: readonly string[],
): Step[] {
  const answered = (answer: string): Step[] => [
    asked.told.includes(answer) ? `It says: ${answer}` : "It says nothing.",
  ];
  switch (act.is) {
    case "says":
      return [{ text: act.text, chunk: 5 }];
    case "calls": {
      const tool = act.tools[asked.results];
      if (tool === undefined) return answered(act.answer);
      return ["Let me see. ", { tool: nameOf(tool, request), args: { at: "sea" }, id: callId(request) }];
    }
    case "talks-on":
      return ["On and ", "on", { hang: true }];
    case "recalls":
      return [JSON.stringify(request.body).includes(act.word) ? `It was ${act.word}.` : "I was told nothing."];
    case "fails":
      return [{ status: 418, message: hidden.join(" ") }];
    case "own":
      return asked.results > 0 ? answered(act.answer) : [{ ...tongue.own(act.use), id: callId(request) }];
    case "plans":
      return asked.results > 0 ? ["Planned."] : [{ ...tongue.plan(act.steps), id: callId(request) }];
  }
}

/** Unique over all sessions, as a provider's are. */
function callId(request: ModelRequest): string {
  return `toolu_${request.index}`;
}

/** A tool of ours by the name that the program gives it. */
function nameOf(tool: string, request: ModelRequest): string {
  return request.toolNames.find((name) => name === tool || name.endsWith(`__${tool}`)) ?? tool;
}

type Asked = {
  readonly cue: number;
  /** How many tools answered since. */
  readonly results: number;
  /** All that was said since, by tools or by the program, as JSON text. */
  readonly told: string;
};

/** The cue said last, and what came since. */
function lastCue(request: ModelRequest): Asked | undefined {
  const items = fieldsOf(request.body["messages"] ?? request.body["input"]);
  let found: Asked | undefined;
  for (const item of items) {
    const said = item["role"] === "user" ? textOf(item["content"]) : "";
    const cue = [...said.matchAll(/\[cue (\d{1,6})\]/gu)].at(-1)?.[1];
    if (cue !== undefined) found = { cue: Number(cue), results: 0, told: "" };
    else if (found !== undefined && item["role"] !== "assistant" && item["type"] !== "function_call") {
      found = { ...found, results: found.results + resultsIn(item), told: found.told + JSON.stringify(item) };
    }
  }
  return found;
}

function resultsIn(item: Readonly<Record<string, unknown>>): number {
  const kind = String(item["type"]);
  if (kind === "function_call_output" || kind === "custom_tool_call_output") return 1;
  return fieldsOf(item["content"]).filter((block) => block["type"] === "tool_result").length;
}

// ---- What is left in the machine

/** A living process. */
export type Living = { readonly pid: number; readonly command: string };

/** The processes whose environment names this folder, which no other test's does. */
export async function processesOf(root: string): Promise<readonly Living[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const living = await Promise.all(
    pids.map(async (pid): Promise<readonly Living[]> => {
      try {
        // A process that has ended and is not yet collected has an empty one.
        if (!(await readFile(`/proc/${pid}/environ`, "utf8")).includes(root)) return [];
        return [{ pid: Number(pid), command: (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ") }];
      } catch {
        return [];
      }
    }),
  );
  return living.flat();
}

/** Kills them as a crash would. */
export async function killAll(root: string): Promise<void> {
  for (const { pid } of await processesOf(root)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}

/** The files in which an engine keeps the session of this id: their names or their folders hold its uuid. */
export async function keptFiles(sessions: string, resumeId: string): Promise<readonly string[]> {
  const uuid = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/u.exec(resumeId)?.[0];
  if (uuid === undefined) throw new Error(`No session is named in ${JSON.stringify(resumeId)}.`);
  const entries = await readdir(sessions, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.slice(sessions.length).includes(uuid));
}

/** As if someone had tidied them away. Fails when there were none. */
export async function removeKept(sessions: string, resumeId: string): Promise<void> {
  const files = await keptFiles(sessions, resumeId);
  if (files.length === 0) throw new Error("Nothing is kept under that id.");
  for (const file of files) await rm(file);
}
