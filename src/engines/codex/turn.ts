// One turn of Codex's, while it runs: what it tells becomes events, what it asks for goes to the turn.
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { clipUnits } from "../../core/text.ts";
import type { TurnEvent, TurnInput, Usage } from "../../core/turn.ts";
import { orStopped } from "../stop.ts";
import { faultOf } from "./faults.ts";
import { readAsk, readTold } from "./incoming.ts";
import { messages } from "./messages.ts";
import { ownTools } from "./own.ts";
import type { Notification, Tokens } from "./protocol.ts";
import { gone, type Ears } from "./rpc.ts";
import type { NamedTool } from "./tools.ts";

export type TurnParts = {
  readonly input: TurnInput;
  readonly thread: string;
  readonly model: string;
  readonly tools: readonly NamedTool[];
  /** Folders of Codex's own that no tool of its may touch. */
  readonly closed: readonly string[];
  /** Says something to the model beside its tools. */
  readonly note: (words: string) => Promise<void>;
  readonly signedIn: boolean;
  readonly surroundings: Surroundings;
};

export type RunningTurn = {
  readonly ears: Ears;
  /** Codex named it: what it told of it before is taken now. */
  readonly began: (turn: string) => void;
  readonly fail: (error: GatewayError) => void;
  /** Until it is over; throws what it failed with, or the signal's reason. */
  readonly events: () => AsyncGenerator<TurnEvent, void>;
  /** What is to be told after that: rows that stand open, and what it cost. */
  readonly close: () => readonly TurnEvent[];
  /** How it went so far: what is kept of the thread goes by it. */
  readonly went: () => { readonly completed: boolean; readonly compacted: boolean; readonly limit: boolean };
};

/** Nothing was heard, and nothing of its tools runs. Codex itself gives up on a silent service after as long. */
const SILENT_MS = 320_000;
/** Without a network Codex waits for one for ever, and says so at longer and longer intervals: 5 s, 10 s, 20 s. A person is told sooner. */
const NO_NETWORK_MS = 12_000;
const NO_NETWORK = /waiting for network/iu;
/** Calls of tools in one turn: work on files takes many, and a model that runs in circles ends. */
const MAX_CALLS = 100;
const MAX_STEPS = 30;
const MAX_STEP_UNITS = 200;
const STATES = { completed: "done", inProgress: "active", pending: "pending" } as const;

export function openTurn(parts: TurnParts): RunningTurn {
  const { input, thread, tools, closed, note, signedIn } = parts;
  const { clock, log } = parts.surroundings;
  const queue: { readonly event?: TurnEvent; readonly taken: () => void }[] = [];
  const over = new AbortController();
  let bell = Promise.withResolvers<void>();
  let turn: string | undefined;
  const early: Notification[] = [];
  let failure: GatewayError | undefined;
  let totals: { readonly first: Tokens; readonly before: Tokens; readonly last: Tokens } | undefined;
  let went = { completed: false, compacted: false, limit: false };
  let calls = 0;
  let waiting = 0;
  let heardAt = clock.now();
  /** Since when it waits for a network; undefined while it doesn't. */
  let offlineAt: number | undefined;

  const put = (event?: TurnEvent): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.push(event === undefined ? { taken: resolve } : { event, taken: resolve });
    bell.resolve();
    return promise;
  };
  const finish = (error?: GatewayError): void => {
    failure ??= error;
    over.abort();
    bell.resolve();
  };
  const text = messages((delta) => void put({ kind: "text", delta }));
  const own = ownTools({
    ...{ input, closed, note },
    push: async (event) => {
      text.pause();
      await put(event);
    },
    unasked: (type) => log.warn({ thread, type }, "Codex used a tool of its own without being asked about it"),
  });

  const take = ({ method, params }: Notification): void => {
    if (method !== "error") offlineAt = undefined;
    switch (method) {
      case "item/started":
        own.started(params.item);
        break;
      case "item/completed":
        if (params.item.type === "agentMessage" && "text" in params.item) text.whole(params.item.id, params.item.text);
        if (params.item.type === "contextCompaction") went = { ...went, compacted: true };
        own.completed(params.item);
        break;
      case "item/agentMessage/delta":
        text.piece(params.itemId, params.delta);
        break;
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        void put({ kind: "thinking", delta: params.delta });
        break;
      case "item/commandExecution/terminalInteraction":
        // Its terminal is taken away, so this can't be; if it is, it was not asked about.
        if (params.stdin !== "")
          finish(
            new GatewayError("engine-failed", "Codex typed into a running command without asking, so it was ended."),
          );
        break;
      case "turn/plan/updated": {
        const steps = params.plan
          .slice(0, MAX_STEPS)
          .map(({ step, status }) => ({ text: clipUnits(step, MAX_STEP_UNITS, "…"), state: STATES[status] }));
        void put({ kind: "plan", plan: { kind: "plan", steps } });
        break;
      }
      case "thread/tokenUsage/updated": {
        const { total, last } = params.tokenUsage;
        totals = { first: totals?.first ?? total, before: totals?.before ?? last, last: total };
        break;
      }
      case "error":
        if (params.willRetry) text.broken();
        if (!NO_NETWORK.test(params.error.message)) break;
        offlineAt ??= clock.now();
        if (clock.now() - offlineAt >= NO_NETWORK_MS) finish(new GatewayError("engine-unreachable"));
        break;
      case "turn/completed": {
        const { status, error } = params.turn;
        went = { ...went, completed: status === "completed" };
        if (status === "completed") return finish();
        // Nobody here asked for that, or the turn's signal has fired and says so.
        if (status !== "failed") return finish(gone());
        log.debug({ thread, info: error?.codexErrorInfo }, "a turn of Codex's failed");
        finish(faultOf(error, signedIn));
      }
    }
  };
  const mine = (notification: Notification): boolean => {
    const { params } = notification;
    return params.threadId === thread && ("turnId" in params ? params.turnId : params.turn.id) === turn;
  };

  // One after the other, each once all that was told before it is in the log.
  let chain: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    waiting += 1;
    const mineToRun = chain.then(async () => {
      await put();
      return await work();
    });
    chain = mineToRun.catch(() => undefined);
    try {
      return await mineToRun;
    } finally {
      waiting -= 1;
      heardAt = clock.now();
    }
  };
  const callTool = async (id: string, name: string, args: unknown): Promise<object> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return toolAnswer("There is no such tool in this turn, so nothing was run.", false);
    const { outcome, text: said } = await input.call({ id, name: tool.spec.name, input: args });
    return toolAnswer(said, outcome === "ok");
  };
  const ask = (method: string, params: unknown): Promise<object> | undefined => {
    heardAt = clock.now();
    const asked = readAsk(method, params);
    if (asked === undefined) return refusalOf(method);
    if (asked.params.threadId !== thread) return undefined;
    calls += 1;
    if (calls > MAX_CALLS) {
      went = { ...went, limit: true };
      finish();
      return undefined;
    }
    return inTurn(async () => {
      switch (asked.method) {
        case "item/tool/call": {
          const { callId, tool, arguments: args } = asked.params;
          return await callTool(callId, tool, args);
        }
        case "item/commandExecution/requestApproval":
          return await own.command(asked.params);
        case "item/fileChange/requestApproval":
          return await own.change(asked.params);
      }
    });
  };

  const watch = async (): Promise<void> => {
    try {
      for (;;) {
        await clock.sleep(Math.max(1, heardAt + SILENT_MS - clock.now()), over.signal);
        if (waiting > 0 || own.running() > 0) heardAt = clock.now();
        else if (clock.now() - heardAt >= SILENT_MS) return finish(new GatewayError("engine-silent"));
      }
    } catch {
      // It is over.
    }
  };

  return {
    ears: {
      tell(method, params) {
        heardAt = clock.now();
        const notification = over.signal.aborted ? undefined : readTold(method, params);
        if (notification === undefined) return;
        if (turn === undefined) early.push(notification);
        else if (mine(notification)) take(notification);
      },
      ask,
    },
    began(id) {
      turn = id;
      heardAt = clock.now();
      void watch();
      for (const notification of early.splice(0)) if (mine(notification)) take(notification);
    },
    fail: finish,
    async *events() {
      try {
        for (;;) {
          input.signal.throwIfAborted();
          const next = queue.shift();
          if (next !== undefined) {
            if (next.event !== undefined) yield next.event;
            next.taken();
          } else if (over.signal.aborted) break;
          else {
            bell = Promise.withResolvers<void>();
            await orStopped(bell.promise, input.signal);
          }
        }
        if (failure !== undefined) throw failure;
      } finally {
        over.abort();
      }
    },
    close: () => [
      ...own.close(),
      ...(totals === undefined ? [] : [{ kind: "usage", usage: usageOf(parts.model, totals) } as const]),
    ],
    went: () => went,
  };
}

/** More rights, a form of another server's, a question of the program's own: none of them is given an answer here. */
function refusalOf(method: string): Promise<object> | undefined {
  switch (method) {
    case "item/permissions/requestApproval":
      return Promise.resolve({ permissions: {}, scope: "turn" });
    case "mcpServer/elicitation/request":
      return Promise.resolve({ action: "decline", content: null, _meta: null });
    case "item/tool/requestUserInput":
      return Promise.resolve({ answers: {} });
    default:
      return undefined;
  }
}

function toolAnswer(text: string, success: boolean): object {
  return { contentItems: [{ type: "inputText", text }], success };
}

/** A thread counts from its beginning on, and may say the same twice: what this turn added to it. */
function usageOf(model: string, of: { readonly first: Tokens; readonly before: Tokens; readonly last: Tokens }): Usage {
  const added = (count: (tokens: Tokens) => number): number =>
    Math.max(0, count(of.last) - count(of.first) + count(of.before));
  return {
    model,
    inputTokens: added(({ inputTokens }) => inputTokens),
    outputTokens: added(({ outputTokens }) => outputTokens),
    cacheReadTokens: added(({ cachedInputTokens }) => cachedInputTokens),
    cacheWriteTokens: added(({ cacheWriteInputTokens = 0 }) => cacheWriteInputTokens),
  };
}
