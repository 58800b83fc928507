// The model played as an enemy: it obeys every order it reads, whoever wrote it, keeps all it ever saw, and repeats all of that.
import type { Engine } from "../../src/core/engine.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import type { OwnUse } from "../../src/core/tool.ts";
import type { HistoryItem, PromptPart, TurnEvent, TurnInput } from "../../src/core/turn.ts";
import { ANOTHER } from "./steps.ts";

/** What the world learns of what a puppet is given. */
export type PuppetEars = {
  readonly clock: Clock;
  /** All that was told, the puppet's own memory of the conversation included. */
  readonly given: (input: TurnInput, what: string) => void;
  /** The id of another chat, for orders that leave it open. */
  readonly another: (input: TurnInput) => string;
  readonly calling: (input: TurnInput, name: string, args: unknown) => void;
  readonly came: (input: TurnInput, name: string, args: unknown, outcome: string, text: string) => void;
};

/** What a puppet remembers: by the id that it gave its session, across restarts of the gateway. */
export type PuppetMemory = Map<string, Set<string>>;

/** An engine that keeps sessions. `own`: it has tools of its own besides the gateway's. */
export function puppet(name: "plain" | "own", memory: PuppetMemory, ears: PuppetEars): Engine {
  return {
    name,
    can: { tools: true, images: false, plan: false, ownTools: name === "own", sessions: true, holdMs: 60_000 },
    run: (input) => act(name, input, memory, ears),
    forget: async (id) => void memory.delete(id),
    check: async () => ({ words: "fine" }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

const MOST_CALLS = 4;
const THINK_MS = 20;
const ORDER = /^call (\w+) (\{.*\})$/u;

async function* act(
  name: string,
  input: TurnInput,
  memory: PuppetMemory,
  { clock, given, another, calling, came }: PuppetEars,
): AsyncGenerator<TurnEvent> {
  const id = input.resumeId ?? `${name} session ${memory.size + 1}`;
  const seen = memory.get(id) ?? new Set<string>();
  memory.set(id, seen);
  const told = textOf(input.prompt);
  const before = input.history.map(pastOf).join("\n");
  const all = [told, ...seen, before, input.instructions, JSON.stringify(input.tools)].join("\n");
  given(input, all);
  for (const line of all.split("\n")) seen.add(line);
  yield { kind: "session", resumeId: id, kept: true };
  try {
    await clock.sleep(THINK_MS, input.signal);
    // The newest first; what was ordered in the past is ordered still.
    const orders = [...new Set(all.split("\n").filter((line) => ORDER.test(line)))].slice(0, MOST_CALLS);
    for (const [nth, line] of orders.entries()) {
      const [, tool = "", json = ""] = ORDER.exec(line) ?? [];
      const args = parsed(json.replace(ANOTHER, another(input)));
      if (args === undefined) continue;
      calling(input, tool, args);
      const call = { id: `c${nth}`, name: tool, input: args };
      const use = ownUse(tool, args, input.workFolder);
      if (use === undefined) {
        const result = await input.call(call);
        came(input, tool, args, result.outcome, result.text);
        for (const one of wordsOf(result.text).split("\n")) seen.add(one);
      } else {
        const leave = await input.allow({ ...call, ...use });
        came(input, tool, args, leave.is === "allow" ? "ok" : "denied", leave.is === "allow" ? "" : leave.words);
        if (leave.is === "allow" && use.does !== "read") {
          yield { kind: "tool-start", call, effect: "act" };
          yield { kind: "tool-end", callId: call.id, result: { outcome: "ok", text: "done" } };
        }
      }
      await clock.sleep(THINK_MS, input.signal);
    }
  } catch (thrown) {
    if (!input.signal.aborted) throw thrown;
    yield { kind: "end", reason: "stopped" };
    return;
  }
  yield { kind: "text", delta: [...seen].join("\n") };
  yield { kind: "end", reason: "done" };
}

/** What is written in a result, as whoever reads it sees it: of JSON every text in it, its lines as lines. */
function wordsOf(result: string): string {
  const json = parsed(result);
  return json === undefined ? result : [result, ...textsIn(json)].join("\n");
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function parsed(json: string): object | undefined {
  try {
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}

const OWN: Readonly<Record<string, OwnUse["does"]>> = {
  run_command: "command",
  write_file: "write",
  read_file: "read",
  fetch: "fetch",
};

function ownUse(
  tool: string,
  args: object,
  workFolder: string,
): Pick<OwnUse, "does" | "paths" | "command"> | undefined {
  const does = OWN[tool];
  if (does === undefined) return undefined;
  const path = "path" in args && typeof args.path === "string" ? args.path : undefined;
  const command = "command" in args && typeof args.command === "string" ? args.command : undefined;
  return {
    does,
    ...(path === undefined ? {} : { paths: [path.replace("WORK", workFolder)] }),
    ...(command === undefined ? {} : { command }),
  };
}

function textOf(parts: readonly PromptPart[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : part.path)).join("\n");
}

function pastOf(item: HistoryItem): string {
  if (item.role === "user") return textOf(item.parts);
  return item.blocks
    .map((block) => (block.kind === "text" ? block.text : `${JSON.stringify(block.call)}\n${block.result.text}`))
    .join("\n");
}
