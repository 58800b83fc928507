// What a loopback model says: replies made of steps, the same for every vendor's wire, and how a
// vendor's dialect turns them into bytes.
import type { Failure } from "./models-failures.ts";

/** Tokens a reply claims; what is left out is counted from the lengths. */
export interface Usage {
  /** All input tokens, cached ones included. */
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  reasoning?: number;
}

export type Finish = "stop" | "tool" | "length" | "filter";

/** Holds a reply until it is released; the name is what travels over the control port. */
export interface Gate {
  readonly name: string;
  /** A reply waits (or waited) here. */
  readonly reached: boolean;
  readonly released: boolean;
  release(): void;
}

export type Step =
  /** One chunk of text. */
  | string
  /** Text, cut into chunks of `chunk` characters when given. */
  | { text: string; chunk?: number }
  | { thinking: string }
  /** A call of a tool; a string is sent as it is, so it may be broken JSON. */
  | { tool: string; args?: object | string; id?: string }
  | { usage: Usage }
  | { finish: Finish }
  /** Send the opening of the stream now; without it the first output does. */
  | { open: true }
  | { wait: Gate | string }
  /** Destroy the connection. */
  | { cut: true }
  /** The vendor's error event inside the stream, then the end. */
  | { errorEvent: string }
  /** An HTTP error instead of an answer; only before the first output. */
  | { fail: Failure; retryAfter?: number }
  | { status: number; message?: string; body?: unknown; retryAfter?: number }
  /** Say nothing more and keep the connection open. */
  | { hang: true }
  /** This chunk again and again until the client goes. */
  | { endless: string };

/** A string alone is a reply of one chunk; an empty list is an empty output. */
export type Reply = string | Step[];

export type DialectName = "chat" | "responses" | "anthropic" | "google";

export interface ModelRequest {
  index: number;
  path: string;
  dialect: DialectName;
  model: string;
  stream: boolean;
  body: Record<string, unknown>;
  /** Without the ones that carry keys. */
  headers: Record<string, string>;
  lastUserText: string;
  system: string;
  toolNames: string[];
  atMs: number;
  /** "waiting" at a gate or hanging, "done", "cut" by us, "refused", or "aborted" by the client. */
  state: "open" | "waiting" | "done" | "cut" | "refused" | "aborted";
  /** The client closed before the answer was whole. */
  aborted: boolean;
}

export type Replier = Reply | ((request: ModelRequest) => Reply | Promise<Reply>);

export interface SaidTool {
  id: string;
  name: string;
  /** JSON text, perhaps broken on purpose. */
  args: string;
}

/** A whole answer, for requests without streaming. */
export interface Whole {
  text: string;
  thinking: string;
  tools: SaidTool[];
  finish: Finish;
  usage: Required<Usage>;
}

/** Writes one answer as a stream; each function gives the text to send. */
export interface StreamWriter {
  open(usage: Required<Usage>): string;
  text(text: string): string;
  thinking(text: string): string;
  tool(tool: SaidTool): string;
  errorEvent(message: string): string;
  end(finish: Finish, usage: Required<Usage>): string;
}

/** One vendor's wire. */
export interface Dialect {
  readonly name: DialectName;
  /** What is wrong with the request, in the vendor's words, or undefined. */
  check(body: Record<string, unknown>, headers: Record<string, unknown>): string | undefined;
  describe(body: Record<string, unknown>): Pick<ModelRequest, "lastUserText" | "system" | "toolNames">;
  writer(request: ModelRequest): StreamWriter;
  whole(request: ModelRequest, answer: Whole): unknown;
  failure(failure: Failure, model: string): { status: number; body: unknown };
  /** The vendor's error body for a status and message of one's own. */
  errorBody(status: number, message: string): unknown;
}

export function sse(data: unknown, event?: string): string {
  const line = `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
  return event === undefined ? line : `event: ${event}\n${line}`;
}

type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of a list that are objects; anything else counts as none. */
export function fieldsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The words in a content field: plain text, or the text parts of a list. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return fieldsOf(content)
    .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
    .filter((text) => text !== "")
    .join("\n");
}

export function argsText(args: object | string | undefined): string {
  return typeof args === "string" ? args : JSON.stringify(args ?? {});
}

/** For vendors whose wire wants an object; broken text is handed on as a field. */
export function argsObject(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return { broken: args };
  }
}
