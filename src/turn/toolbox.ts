// This turn's tools. Every call passes the guard and is in the log before anything runs; there is no other way to a tool.
import { digestOf, type ApprovalAsk } from "../cards/approvals.ts";
import type { ApprovalOutcome } from "../core/card.ts";
import type { EntryBody } from "../core/conversation.ts";
import { asGatewayError } from "../core/error.ts";
import type { OwnUse, Tool, ToolCall, ToolResult, ToolSpec, Verdict } from "../core/tool.ts";
import type { TurnInput } from "../core/turn.ts";
import type { Taint } from "../core/taint.ts";
import { couldCarry } from "../taint/carries.ts";
import { frame } from "../taint/frame.ts";
import { judge, present, type Call, type Standing } from "../taint/guard.ts";
import { newMarks, ownUseMarks } from "../taint/marks.ts";

/** Where an engine's own tools may not go: told by the gateway, which can look at the disk. */
export type Places = {
  /** Whether all paths lie in the work folder, and whether any of them touches a closed place. */
  readonly judge: (
    paths: readonly string[],
    workFolder: string,
  ) => Promise<{ readonly inside: boolean; readonly closed: boolean }>;
  readonly namesClosed: (command: string) => boolean;
};

/** What people see of a tool's result, and not the model. */
export type ShownResult = {
  readonly [K in "looked" | "view" | "picture" | "plan" | "offer" | "chips"]?: ToolResult[K] | undefined;
};

/** What a toolbox needs of its turn. */
export type ToolboxTurn = {
  readonly conversation: string;
  readonly turn: string;
  readonly workFolder: string;
  /** Asked anew for each call: a forward may come in mid-turn. */
  readonly standing: () => Promise<Standing>;
  /** The tools that a run with nobody there was given. */
  readonly given: ReadonlySet<string>;
  readonly places: Places;
  readonly signal: AbortSignal;
  /** What was said since the last call and is not in the log yet. */
  readonly said: () => readonly EntryBody[];
  /**
   * Commits entries. `expected`: the marks that a verdict went by; false, and nothing is committed, when there are others by now.
   * `acts`: on the disk before this resolves. `shown`: what people see of a result.
   */
  readonly append: (
    bodies: readonly EntryBody[],
    how?: { readonly expected?: Standing["marks"]; readonly acts?: boolean; readonly shown?: ShownResult | undefined },
  ) => Promise<boolean>;
  /** Asks the owner; undefined when there is no private chat to ask in. `held`: the answer starts the next turn. */
  readonly ask: (
    ask: Pick<ApprovalAsk, "call" | "reason" | "always" | "means" | "marks" | "outside">,
    signal: AbortSignal,
  ) => Promise<ApprovalOutcome | "held" | undefined>;
};

/** The tools as a turn hands them to its engine. */
export type Toolbox = {
  readonly specs: readonly ToolSpec[];
  /** What the model is to be told of those tools. */
  readonly guidance: readonly string[];
} & Pick<TurnInput, "call" | "allow">;

type Leave = Exclude<Verdict, { is: "ask" }>;

const WITHHELD =
  "Someone else's words came into this chat while this ran, so what it found is not shown here. A new chat can look.";
const REFUSED: Readonly<Record<Exclude<ApprovalOutcome, "once" | "always"> | "held", string>> = {
  held: "Asked; end your turn now. The owner has not answered yet, so this was not done: what you asked stands on a card, and the answer will start your next turn. End this turn with a short line; don't guess the answer, don't retry, and don't go another way.",
  no: "The owner did not allow this. It was not done.",
  expired: "The owner did not answer in time. It was not done.",
  stopped: "The turn was stopped before this ran.",
};
const NO_CHAT =
  "This needs the owner's leave, and there is no private chat to ask in. The owner opens one by writing to the bot directly.";

/** Makes the toolbox of one turn. Neither `call` nor `allow` ever throws: what goes wrong is said in words, and nothing ran. */
export async function toolbox(tools: readonly Tool[], turn: ToolboxTurn): Promise<Toolbox> {
  const standing = await turn.standing();
  const listed = tools.filter(({ unlisted }) => unlisted !== true);
  const here = listed.filter((tool) => present(tool.row, turn.given.has(tool.name), standing));
  return {
    specs: here.map(({ name, description, input }) => ({ name, description, input })),
    guidance: here.flatMap(({ guidance }) => (guidance === undefined ? [] : [guidance])),
    call: async (call) => await callTool(tools, call, turn),
    allow: async (use) => {
      try {
        return await leave(use, turn);
      } catch (thrown) {
        return { is: "deny", words: asGatewayError(thrown).message };
      }
    },
  };
}

async function callTool(tools: readonly Tool[], call: ToolCall, turn: ToolboxTurn): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === call.name);
  if (tool === undefined)
    return { outcome: "not-run", text: `There is no tool named ${JSON.stringify(call.name.slice(0, 80))}.` };
  const facts: Call = {
    row: tool.row,
    act: "The assistant wants to use this tool.",
    given: turn.given.has(tool.name),
    ...(tool.row === "app-read" ? { carries: couldCarry(call.input) } : {}),
  };
  try {
    // What was said before a call stands before it in the log: with its start, or by itself where there is none.
    // Such a call shows nothing by itself where it stands: what it came after may go on.
    let said = tool.row === "suggest" || tool.row === "plan" ? [] : turn.said();
    const say = async (): Promise<void> => {
      if (said.length > 0) await turn.append(said);
      said = [];
    };
    for (let granted: string | undefined; ;) {
      const standing = await turn.standing();
      const verdict = judge(facts, standing);
      if (verdict.is === "deny") {
        await say();
        return { outcome: "denied", text: verdict.words };
      }
      // Leave is for what the owner was told: with other sources by now, or asked by the guard instead of the mode, it is asked anew.
      if (verdict.is === "ask" && verdict.reason !== granted) {
        // The owner reads it before the question.
        await say();
        const answer = await askFor(call, verdict, standing, turn, meansOf(tool));
        if (answer !== undefined) return { outcome: "denied", text: answer };
        granted = verdict.reason;
        continue;
      }
      if (turn.signal.aborted) {
        await say();
        return { outcome: "not-run", text: REFUSED.stopped };
      }
      const logged = tool.logged === undefined ? call : { ...call, input: tool.logged(call.input) };
      const start = { kind: "tool-start", turn: turn.turn, call: logged, effect: tool.effect, by: "gateway" } as const;
      // Judged and written down in one: a mark that came in between is judged anew.
      if (await turn.append([...said, start], { expected: standing.marks, acts: true })) break;
    }
    return await finish(tool, call, await run(tool, call, turn), turn);
  } catch (thrown) {
    return { outcome: "error", text: asGatewayError(thrown, "tool-failed").message };
  }
}

/** Writes down what came of a call and whose words it holds, before the engine gets it; what is closed by now is withheld. */
async function finish(tool: Tool, call: ToolCall, result: ToolResult, turn: ToolboxTurn): Promise<ToolResult> {
  const { marks: brought = [], looked, view, picture, plan, offer, chips, ...bare } = result;
  const plain = tool.row === "app-read" || tool.row === "app-act" ? framed(tool, bare, brought) : bare;
  const seen: ShownResult = { looked, view, picture, plan, offer, chips };
  for (;;) {
    const standing = await turn.standing();
    const open = present(tool.row, turn.given.has(tool.name), standing);
    const given: ToolResult = open ? plain : { outcome: "denied", text: WITHHELD };
    const marks =
      open && (plain.outcome === "ok" || plain.outcome === "error") ? newMarks(standing.marks ?? [], brought) : [];
    const shown = open && plain.outcome === "ok" ? seen : undefined;
    const entries: readonly EntryBody[] = [
      ...marks.map((taint): EntryBody => ({ kind: "marked", taint })),
      { kind: "tool-end", turn: turn.turn, callId: call.id, result: given },
    ];
    // A mark is on the disk before the words that it is for can be in an engine's own session.
    if (await turn.append(entries, { expected: standing.marks, shown, acts: marks.length > 0 })) return given;
  }
}

/** What an app answered, a failure too, is someone else's words like any other. What it never got to say is ours. */
function framed(tool: Tool, result: ToolResult, brought: readonly Taint[]): ToolResult {
  if (brought.length === 0) return result;
  const from = brought[0]?.label ?? tool.name;
  return { ...result, text: frame(result.text, { how: "app", from, where: tool.name }) };
}

async function run(tool: Tool, call: ToolCall, turn: ToolboxTurn): Promise<ToolResult> {
  try {
    const { conversation, signal } = turn;
    return await tool.run(tool.check(call.input), {
      conversation,
      turn: turn.turn,
      signal,
      taints: async () => (await turn.standing()).marks,
    });
  } catch (thrown) {
    return { outcome: "error", text: asGatewayError(thrown, "tool-failed").message };
  }
}

/** Leave for a tool of the engine's own, asked for where the guard asks. */
async function leave(use: OwnUse, turn: ToolboxTurn): Promise<Leave> {
  for (let granted: string | undefined; ;) {
    // Looked at anew once the owner has answered: a path may lead elsewhere by then.
    const facts = await factsOf(use, turn);
    const standing = await turn.standing();
    const verdict = judge(facts, standing);
    if (verdict.is === "deny") return verdict;
    if (verdict.is === "allow" || verdict.reason === granted) {
      // Before the engine, and its own session with it, can have the words.
      const marks = newMarks(standing.marks ?? [], ownUseMarks(use));
      const entries = marks.map((taint): EntryBody => ({ kind: "marked", taint }));
      if (marks.length === 0 || (await turn.append(entries, { expected: standing.marks, acts: true })))
        return { is: "allow" };
      continue;
    }
    const said = turn.said();
    if (said.length > 0) await turn.append(said);
    const words = await askFor(use, verdict, standing, turn);
    if (words !== undefined) return { is: "deny", words };
    granted = verdict.reason;
  }
}

/** Asks the owner; undefined when it is allowed, else why not, in words. */
async function askFor(
  call: ToolCall,
  verdict: Extract<Verdict, { is: "ask" }>,
  standing: Standing,
  turn: ToolboxTurn,
  means?: string,
): Promise<string | undefined> {
  const digest = digestOf(call);
  const always = verdict.by === "mode" && standing.marks?.length === 0;
  const { id, name, input } = call;
  const outside = standing.marks?.length === 0 ? {} : ({ outside: true } as const);
  const ask = {
    call: { id, name, input },
    reason: verdict.reason,
    always,
    marks: standing.marks?.length,
    ...(means === undefined ? {} : { means }),
    ...outside,
  };
  const answer = await turn.ask(ask, turn.signal);
  if (answer === undefined) return NO_CHAT;
  if (answer !== "once" && answer !== "always") return REFUSED[answer];
  // What was allowed is this call exactly: an engine that changed it meanwhile asks again.
  return digestOf(call) === digest ? undefined : "The arguments changed while the owner was asked. It was not done.";
}

/** A server can say that a tool of its is another by now: what was allowed for good was the one before. */
function meansOf({ name, description, input, row }: Tool): string | undefined {
  return row === "app-act" || row === "app-read" ? digestOf({ name, input: [description, input] }) : undefined;
}

const OWN_ACTS: Readonly<Record<OwnUse["does"], string>> = {
  command: "The assistant wants to run a command.",
  read: "The assistant wants to read files.",
  write: "The assistant wants to change files.",
  fetch: "The assistant wants to fetch an address.",
  search: "The assistant wants to search the web.",
  other: "The assistant wants to use a tool of the engine's own.",
};

async function factsOf(use: OwnUse, turn: ToolboxTurn): Promise<Call> {
  const { does, paths = [], command } = use;
  const where = await turn.places.judge(paths, turn.workFolder);
  const named =
    (command !== undefined && turn.places.namesClosed(command)) || (does === "fetch" && namesFile(use.input));
  // What touches files and doesn't say which may touch any.
  const aimless = (does === "read" || does === "write") && paths.length === 0;
  const loose = (does === "command" || does === "other" || aimless) && use.confined !== true;
  return {
    row: does === "read" ? "engine-read" : "engine-act",
    act: OWN_ACTS[does],
    inside: where.inside,
    changesFiles: does === "write",
    given: turn.given.has(use.name),
    closed: where.closed || named ? true : loose ? "maybe" : false,
  };
}

/** Whether an address anywhere in it is that of a file: no page, and no path that could be judged. */
function namesFile(input: unknown): boolean {
  if (typeof input === "object" && input !== null) return Object.values(input).some(namesFile);
  // What reads an address passes over these.
  const address = typeof input === "string" ? input.replaceAll(/[\t\n\r]/gu, "") : "";
  return /\bfile:\/|^[\p{Cc}\x20"']{0,200}file:\S/iu.test(address);
}
