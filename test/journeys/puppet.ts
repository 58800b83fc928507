// An engine that obeys: each line of a prompt that is an order is carried out, whoever's words it stands in, and what came of it
// is said. And tools for it that only note what they were asked to do.
import type { Engine } from "../../src/core/engine.ts";
import type { Taint } from "../../src/core/taint.ts";
import type { OwnUse, Row, Tool } from "../../src/core/tool.ts";
import type { TurnEvent, TurnInput } from "../../src/core/turn.ts";

/** A puppet and all that it was ever given. */
export type Puppet = {
  readonly turns: readonly TurnInput[];
  /** For `journey({ puppet })`. */
  readonly engine: () => Engine;
};

/**
 * Orders, a line each: `call TOOL JSON` calls a tool of the gateway's, `own DOES JSON` asks for leave to use one of its own (`WORK` in
 * the JSON is the work folder), `say WORDS` says them. Without any, it repeats what it was told. A call that it is told to make now, since
 * it is allowed by now, it makes once more the way it was asked about.
 */
export function puppet(options: { readonly ownTools?: boolean; readonly holdMs?: number } = {}): Puppet {
  const turns: TurnInput[] = [];
  const { ownTools = false, holdMs = 86_400_000 } = options;
  return {
    turns,
    engine: () => ({
      name: "puppet",
      can: { tools: true, images: false, plan: false, ownTools, sessions: false, holdMs },
      run(input) {
        turns.push(input);
        return obey(input);
      },
      forget: async () => undefined,
      check: async () => ({ words: "The puppet always answers." }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

/** What says nothing about what a chat is let near: the clock, and the tools of the cards. */
const EVERYWHERE: ReadonlySet<string> = new Set([...["now", "ask", "offer", "suggest_replies", "update_plan", "show"]]);

/** The names of all of a turn's tools. */
export function allToolsOf(turn: TurnInput | undefined): readonly string[] {
  return (turn?.tools ?? []).map(({ name }) => name);
}

/** The names of a turn's tools, without those that say nothing. */
export function toolsOf(turn: TurnInput | undefined): readonly string[] {
  return allToolsOf(turn).filter((name) => !EVERYWHERE.has(name));
}

/** What a turn is asked, as text. */
export function promptOf(turn: TurnInput | undefined): string {
  return (turn?.prompt ?? []).map((part) => (part.kind === "text" ? part.text : `(${part.kind})`)).join("\n");
}

async function* obey(input: TurnInput): AsyncGenerator<TurnEvent, void> {
  const prompt = promptOf(input);
  let orders = 0;
  for (const line of [...prompt.split("\n"), ...allowedBy(prompt)]) {
    const [, verb, what = "", rest = ""] = /^(call|own|say) (\S+) ?(.*)$/u.exec(line) ?? [];
    if (verb === undefined || input.signal.aborted) continue;
    orders += 1;
    yield { kind: "text", delta: `${await carryOut(verb, what, rest, `order-${orders}`, input)}\n\n` };
  }
  if (orders === 0) yield { kind: "text", delta: `I was told: ${prompt}` };
  yield { kind: "end", reason: input.signal.aborted ? "stopped" : "done" };
}

/** The calls that are to be made now, as orders. */
function allowedBy(prompt: string): readonly string[] {
  return [...prompt.matchAll(/Tool: "([^"]+)"\. Arguments: (.+?)\. Make it now/gu)].map(([, tool = "", input = ""]) =>
    tool.startsWith("my ") ? `own ${tool.slice(3)} ${input}` : `call ${tool} ${input}`,
  );
}

async function carryOut(verb: string, what: string, rest: string, id: string, input: TurnInput): Promise<string> {
  if (verb === "say") return `${what} ${rest}`;
  const args = JSON.parse((rest === "" ? "{}" : rest).replaceAll("WORK", input.workFolder)) as object;
  if (verb === "call") {
    const { outcome, text } = await input.call({ id, name: what, input: args });
    return `${what} ${outcome}: ${text}`;
  }
  const does = what as OwnUse["does"];
  const verdict = await input.allow({ ...args, id, name: `my ${does}`, input: args, does });
  return verdict.is === "allow" ? `${does} allowed` : `${does} denied: ${verdict.words}`;
}

/** A tool that notes its calls. */
export type NotingTool = Tool & { readonly ran: readonly unknown[] };

/** `hold`: a call waits there before it answers, and says that it began. */
export function notingTool(
  name: string,
  row: Row,
  options: { readonly text?: string; readonly marks?: readonly Taint[]; readonly hold?: Hold } = {},
): NotingTool {
  const ran: unknown[] = [];
  const { text = "Done.", marks, hold } = options;
  return {
    name,
    row,
    ran,
    description: "For a test.",
    input: { type: "object" },
    effect: row === "app-act" ? "act" : "read",
    check: (input) => input,
    async run(input) {
      ran.push(input);
      hold?.begun.resolve();
      await hold?.released.promise;
      return { outcome: "ok", text, ...(marks === undefined ? {} : { marks }) };
    },
  };
}

/** A place where something waits, and where a test sees that it does. */
export type Hold = { readonly begun: PromiseWithResolvers<void>; readonly released: PromiseWithResolvers<void> };

export function newHold(): Hold {
  return { begun: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
}
