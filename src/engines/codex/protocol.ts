// The part of Codex's app-server protocol that is used here, as `codex app-server generate-ts --experimental` of PINNED_VERSION writes
// it: of what goes out the fields that are sent, of what comes in those that are read (incoming.ts parses them).

/** The version that all of this is proven against. */
export const PINNED_VERSION = "0.171.0";
/** Older ones can't pick a thread up from its file alone. */
export const OLDEST_VERSION = "0.159.1";

/** On every start and every resume: each command and each patch is asked about, and nothing runs unasked outside a read-only sandbox. */
export const SEALED = { approvalPolicy: "untrusted", sandbox: "read-only" } as const;

export type TextInput = { readonly type: "text"; readonly text: string; readonly text_elements: [] };
export type ImageInput = { readonly type: "image"; readonly url: string };

export type DynamicTool = {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
};

type ThreadParams = typeof SEALED & {
  readonly cwd: string;
  readonly model?: string;
  readonly baseInstructions?: string;
  readonly developerInstructions: string;
};

/** What each request takes. An empty list of environments takes away the program's own commands, patches and looks at files. */
export type Requests = {
  readonly initialize: {
    readonly clientInfo: { readonly name: string; readonly title: null; readonly version: string };
    readonly capabilities: { readonly experimentalApi: true; readonly requestAttestation: false };
  };
  readonly "thread/start": ThreadParams & {
    /** The other kind of file leans on the files of its ancestors. */
    readonly historyMode: "legacy";
    readonly dynamicTools: DynamicTool[];
    readonly environments?: [];
  };
  readonly "thread/resume": ThreadParams & { readonly threadId: string; readonly excludeTurns: true };
  readonly "thread/fork": typeof SEALED & {
    readonly threadId: string;
    readonly lastTurnId: string;
    readonly excludeTurns: true;
    readonly developerInstructions: string;
  };
  readonly "thread/inject_items": { readonly threadId: string; readonly items: readonly InjectedItem[] };
  readonly "turn/start": {
    readonly threadId: string;
    readonly input: (TextInput | ImageInput)[];
    readonly additionalContext?: Record<string, { readonly value: string; readonly kind: "application" }>;
    /** Not kept over a resume: goes with every turn. */
    readonly environments?: [];
  };
  readonly "turn/interrupt": { readonly threadId: string; readonly turnId: string };
};

/** An item of OpenAI's Responses, as history. */
export type InjectedItem =
  | {
      readonly type: "message";
      readonly role: "user" | "assistant" | "developer";
      readonly content: readonly { readonly type: "input_text" | "output_text"; readonly text: string }[];
    }
  | { readonly type: "function_call"; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string };

type Opened = { readonly thread: { readonly id: string; readonly path: string | null }; readonly model: string };

/** What each request is answered with. */
export type Answers = {
  readonly initialize: { readonly userAgent: string };
  readonly "thread/start": Opened;
  readonly "thread/resume": Opened;
  readonly "thread/fork": Opened;
  readonly "thread/inject_items": object;
  readonly "turn/start": { readonly turn: { readonly id: string } };
  readonly "turn/interrupt": object;
};

export type FileChange = {
  readonly path: string;
  readonly kind: { readonly type: "update"; readonly move_path: string | null } | { readonly type: "add" | "delete" };
  readonly diff: string;
};

type Status = "inProgress" | "completed" | "failed" | "declined";

/** The items that are known here, by their types. */
export type Items = {
  readonly agentMessage: { readonly type: "agentMessage"; readonly id: string; readonly text: string };
  readonly commandExecution: {
    readonly type: "commandExecution";
    readonly id: string;
    readonly command: string;
    readonly status: Status;
    readonly aggregatedOutput: string | null;
    readonly exitCode: number | null;
  };
  readonly fileChange: {
    readonly type: "fileChange";
    readonly id: string;
    readonly changes: readonly FileChange[];
    readonly status: Status;
  };
  readonly mcpToolCall: {
    readonly type: "mcpToolCall";
    readonly id: string;
    readonly server: string;
    readonly tool: string;
    readonly status: string;
    readonly arguments?: unknown;
  };
  readonly webSearch: { readonly type: "webSearch"; readonly id: string; readonly query: string };
  readonly imageView: { readonly type: "imageView"; readonly id: string; readonly path: string };
};

/** Any other is known by its type alone. */
export type Item = Items[keyof Items] | { readonly type: string; readonly id: string };

/** Tokens. */
export type Tokens = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteInputTokens?: number | undefined;
  readonly outputTokens: number;
};

/** `codexErrorInfo`: a name, or a name with details under it. */
export type ServerError = {
  readonly message: string;
  readonly codexErrorInfo: string | { readonly [name: string]: unknown } | null;
};

type OfTurn = { readonly threadId: string; readonly turnId: string };
type Piece = OfTurn & { readonly itemId: string; readonly delta: string };

/** What the program tells of a turn. Everything else that it tells is left alone. */
export type Told = {
  readonly "item/started": OfTurn & { readonly item: Item };
  readonly "item/completed": OfTurn & { readonly item: Item };
  readonly "item/agentMessage/delta": Piece;
  readonly "item/reasoning/summaryTextDelta": Piece;
  readonly "item/reasoning/textDelta": Piece;
  readonly "item/commandExecution/terminalInteraction": OfTurn & { readonly itemId: string; readonly stdin: string };
  readonly "turn/plan/updated": OfTurn & {
    readonly plan: readonly { readonly step: string; readonly status: "pending" | "inProgress" | "completed" }[];
  };
  readonly "thread/tokenUsage/updated": OfTurn & {
    readonly tokenUsage: { readonly total: Tokens; readonly last: Tokens };
  };
  readonly error: OfTurn & { readonly error: ServerError; readonly willRetry: boolean };
  readonly "turn/completed": {
    readonly threadId: string;
    readonly turn: {
      readonly id: string;
      readonly status: "completed" | "interrupted" | "failed" | "inProgress";
      readonly error: ServerError | null;
    };
  };
};

export type Notification = {
  [M in keyof Told]: { readonly method: M; readonly params: Told[M] };
}[keyof Told];

/** What the program asks for. Whatever else it may ask is refused. */
export type Asked = {
  readonly "item/tool/call": OfTurn & { readonly callId: string; readonly tool: string; readonly arguments?: unknown };
  readonly "item/commandExecution/requestApproval": OfTurn & {
    readonly itemId: string;
    /** Older versions know only commands. */
    readonly kind?: string | undefined;
    readonly command?: string | null | undefined;
    readonly cwd?: string | null | undefined;
    /** More than a command would have by itself: a host of the network, places. */
    readonly networkApprovalContext?: unknown;
    readonly additionalPermissions?: unknown;
  };
  readonly "item/fileChange/requestApproval": OfTurn & {
    readonly itemId: string;
    readonly grantRoot?: string | null | undefined;
  };
};

export type Ask = { [M in keyof Asked]: { readonly method: M; readonly params: Asked[M] } }[keyof Asked];
