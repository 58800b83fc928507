// This turn's tools. Every call passes the guard and is in the log before anything runs; there is no other way to a tool.
import { asGatewayError } from "../core/error.ts";
import type { EntryBody } from "../core/conversation.ts";
import type { Attendance, Taint } from "../core/taint.ts";
import type { Tool, ToolCall, ToolResult, ToolSpec, Verdict } from "../core/tool.ts";
import { judge, present } from "../taint/guard.ts";

/** What a toolbox needs of its turn. `marks` is asked anew for each call: a forward may come in mid-turn. */
export type ToolboxTurn = {
  readonly conversation: string;
  readonly turn: string;
  readonly attendance: Attendance;
  readonly marks: () => readonly Taint[];
  readonly signal: AbortSignal;
  /** Commits an entry; resolves once it is durable. */
  readonly append: (body: EntryBody) => Promise<void>;
};

/** The tools as a turn hands them to its engine. */
export type Toolbox = {
  readonly specs: readonly ToolSpec[];
  readonly call: (call: ToolCall) => Promise<ToolResult>;
  readonly allow: (call: ToolCall) => Promise<Verdict>;
};

/** Makes the toolbox of one turn. `call` never throws: what goes wrong is a result in words. */
export function toolbox(tools: readonly Tool[], turn: ToolboxTurn): Toolbox {
  const judged = (tool: Tool): Parameters<typeof judge>[0] => ({
    tool,
    attendance: turn.attendance,
    marks: turn.marks(),
  });
  return {
    specs: tools
      .filter((tool) => present(judged(tool)))
      .map(({ name, description, input }) => ({ name, description, input })),

    async call(call) {
      const tool = tools.find((one) => one.name === call.name);
      if (tool === undefined)
        return { outcome: "not-run", text: `There is no tool named ${JSON.stringify(call.name.slice(0, 80))}.` };
      const verdict = judge(judged(tool));
      if (verdict.is !== "allow")
        return { outcome: "denied", text: verdict.is === "deny" ? verdict.words : verdict.reason };
      if (turn.signal.aborted) return { outcome: "not-run", text: "The turn was stopped before this ran." };
      await turn.append({ kind: "tool-start", turn: turn.turn, call, effect: tool.effect, by: "gateway" });
      const result = await run(tool, call, turn);
      await turn.append({ kind: "tool-end", turn: turn.turn, callId: call.id, result });
      return result;
    },

    // No engine with tools of its own is built yet, and what nobody judges does not run.
    async allow() {
      return { is: "deny", words: "Tools of the engine's own are not open here." };
    },
  };
}

async function run(tool: Tool, call: ToolCall, turn: ToolboxTurn): Promise<ToolResult> {
  try {
    return await tool.run(tool.check(call.input), {
      conversation: turn.conversation,
      turn: turn.turn,
      signal: turn.signal,
    });
  } catch (thrown) {
    const error = asGatewayError(thrown, "tool-failed");
    return { outcome: "error", text: error.message };
  }
}
