// What Codex's app-server sends, parsed. What doesn't fit is not acted upon.
import { z } from "zod";
import type {
  Answers,
  Ask,
  Asked,
  FileChange,
  Item,
  Items,
  Notification,
  ServerError,
  Told,
  Tokens,
} from "./protocol.ts";

const opened = z.object({ thread: z.object({ id: z.string(), path: z.string().nullable() }), model: z.string() });

const ANSWERS: { readonly [M in keyof Answers]: z.ZodType<Answers[M]> } = {
  initialize: z.object({ userAgent: z.string() }),
  "thread/start": opened,
  "thread/resume": opened,
  "thread/fork": opened,
  "thread/inject_items": z.object({}),
  "turn/start": z.object({ turn: z.object({ id: z.string() }) }),
  "turn/interrupt": z.object({}),
};

const fileChange: z.ZodType<FileChange> = z.object({
  path: z.string(),
  kind: z.union([
    z.object({ type: z.literal("update"), move_path: z.string().nullable() }),
    z.object({ type: z.enum(["add", "delete"]) }),
  ]),
  diff: z.string(),
});

const status = z.enum(["inProgress", "completed", "failed", "declined"]);

const ITEMS: { readonly [T in keyof Items]: z.ZodType<Items[T]> } = {
  agentMessage: z.object({ type: z.literal("agentMessage"), id: z.string(), text: z.string() }),
  commandExecution: z.object({
    type: z.literal("commandExecution"),
    id: z.string(),
    command: z.string(),
    status,
    aggregatedOutput: z.string().nullable(),
    exitCode: z.number().nullable(),
  }),
  fileChange: z.object({ type: z.literal("fileChange"), id: z.string(), changes: z.array(fileChange), status }),
  mcpToolCall: z.object({
    type: z.literal("mcpToolCall"),
    id: z.string(),
    server: z.string(),
    tool: z.string(),
    status: z.string(),
    arguments: z.unknown().optional(),
  }),
  webSearch: z.object({ type: z.literal("webSearch"), id: z.string(), query: z.string() }),
  imageView: z.object({ type: z.literal("imageView"), id: z.string(), path: z.string() }),
};
const item: z.ZodType<Item> = z.union([...Object.values(ITEMS), z.object({ type: z.string(), id: z.string() })]);

const tokens: z.ZodType<Tokens> = z.object({
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  cacheWriteInputTokens: z.number().optional(),
  outputTokens: z.number(),
});

const serverError: z.ZodType<ServerError> = z.object({
  message: z.string(),
  codexErrorInfo: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
});

const ofTurn = { threadId: z.string(), turnId: z.string() };
const piece = z.object({ ...ofTurn, itemId: z.string(), delta: z.string() });

const TOLD: { readonly [M in keyof Told]: z.ZodType<Told[M]> } = {
  "item/started": z.object({ ...ofTurn, item }),
  "item/completed": z.object({ ...ofTurn, item }),
  "item/agentMessage/delta": piece,
  "item/reasoning/summaryTextDelta": piece,
  "item/reasoning/textDelta": piece,
  "item/commandExecution/terminalInteraction": z.object({ ...ofTurn, itemId: z.string(), stdin: z.string() }),
  "turn/plan/updated": z.object({
    ...ofTurn,
    plan: z.array(z.object({ step: z.string(), status: z.enum(["pending", "inProgress", "completed"]) })),
  }),
  "thread/tokenUsage/updated": z.object({ ...ofTurn, tokenUsage: z.object({ total: tokens, last: tokens }) }),
  error: z.object({ ...ofTurn, error: serverError, willRetry: z.boolean() }),
  "turn/completed": z.object({
    threadId: z.string(),
    turn: z.object({
      id: z.string(),
      status: z.enum(["completed", "interrupted", "failed", "inProgress"]),
      error: serverError.nullable(),
    }),
  }),
};

const ASKED: { readonly [M in keyof Asked]: z.ZodType<Asked[M]> } = {
  "item/tool/call": z.object({ ...ofTurn, callId: z.string(), tool: z.string(), arguments: z.unknown().optional() }),
  "item/commandExecution/requestApproval": z.object({
    ...ofTurn,
    itemId: z.string(),
    kind: z.string().optional(),
    command: z.string().nullish(),
    cwd: z.string().nullish(),
    networkApprovalContext: z.unknown().optional(),
    additionalPermissions: z.unknown().optional(),
  }),
  "item/fileChange/requestApproval": z.object({ ...ofTurn, itemId: z.string(), grantRoot: z.string().nullish() }),
};

/** Undefined when it doesn't fit. */
export function readAnswer<M extends keyof Answers>(method: M, result: unknown): Answers[M] | undefined {
  return ANSWERS[method].safeParse(result).data;
}

/** Undefined for what isn't known here, or doesn't fit. */
export function readTold(method: string, params: unknown): Notification | undefined {
  if (!has(TOLD, method)) return undefined;
  const read = TOLD[method].safeParse(params);
  // The schema of this very method.
  return read.success ? ({ method, params: read.data } as Notification) : undefined;
}

/** The same for what is asked. */
export function readAsk(method: string, params: unknown): Ask | undefined {
  if (!has(ASKED, method)) return undefined;
  const read = ASKED[method].safeParse(params);
  return read.success ? ({ method, params: read.data } as Ask) : undefined;
}

function has<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}
