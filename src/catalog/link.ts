// One live connection to an MCP server: tools are listed and called, and nothing else of the protocol is offered or asked for.
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { z } from "zod";
import { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { within } from "./deadline.ts";
import type { ListedTool } from "./digest.ts";

/** How long is waited for a server, and how much it may send in one piece. */
export type Bounds = {
  readonly startMs: number;
  readonly listMs: number;
  readonly callMs: number;
  readonly maxBytes: number;
};

/** The transport of a connection, before it is one. */
export type Wire = {
  readonly transport: Transport;
  /** Why it broke, where the transport knows more than that. */
  readonly why: () => GatewayError | undefined;
  /** Ends it within three seconds. */
  end(): Promise<void>;
};

/** A connection that stands. Every failure is a GatewayError in words that hold nothing from outside. */
export type Link = {
  readonly closed: boolean;
  /** All that the server lists: at most 20 pages and 1,000 tools. What has no name is left out. */
  list(signal: AbortSignal): Promise<readonly ListedTool[]>;
  /** The result as the server sent it; `Refused` when the server answers with an error. */
  call(tool: string, input: object, signal: AbortSignal): Promise<Called>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** What a server answered. `words` come from outside. */
export type Called =
  | { readonly is: "answered"; readonly result: { readonly [key: string]: unknown } }
  | { readonly is: "refused"; readonly words: string }
  /** The server has forgotten this connection; nothing was done. */
  | { readonly is: "forgotten" };

/** What a link tells of. */
export type LinkEvents = {
  /** The server says that its tools are others now. */
  readonly changed: () => void;
  readonly closed: () => void;
};

const MAX_PAGES = 20;
const MAX_LISTED = 1_000;
/** Ours end first. */
const NEVER_MS = 2_147_483_647;

// The SDK's own schemas refuse a whole list for one tool, and a whole result for one block, that are not as they should be.
const anyResult = z.looseObject({});
const listResult = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.unknown().optional() });
const listed = z.looseObject({ name: z.string().min(1), description: z.string().optional().catch(undefined) });

/** Connects: initialize within `startMs`. Throws a GatewayError when that fails; the wire has ended then. */
export async function openLink(
  name: string,
  wire: Wire,
  bounds: Bounds,
  clock: Clock,
  signal: AbortSignal,
  events: LinkEvents,
): Promise<Link> {
  const [{ Client }, { ErrorCode, McpError, ToolListChangedNotificationSchema }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  // No capabilities: a server that asks for sampling, elicitation or roots is answered that there is no such method.
  const client = new Client({ name: "tidegate", version: "1" }, { capabilities: {} });
  const ended = new AbortController();
  client.onclose = () => ended.abort(wire.why() ?? broke(name));
  const silent = (what: string): GatewayError => new GatewayError("app-failed", `${name} did not ${what} in time.`);
  const ask = async <T>(
    waitMs: number,
    what: string,
    outside: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    try {
      return await within(clock, waitMs, outside, () => silent(what), work);
    } catch (thrown) {
      throw outside.aborted ? outside.reason : (wire.why() ?? thrown);
    }
  };
  try {
    // Not ended by the connection's end: the SDK closes it after each failure, before it says which.
    await ask(bounds.startMs, "answer", signal, async (signal) => {
      await client.connect(wire.transport, { signal, timeout: NEVER_MS });
    });
  } catch (thrown) {
    await wire.end();
    if (signal.aborted) throw thrown;
    const closed: number = ErrorCode.ConnectionClosed;
    const wasClosed = thrown instanceof McpError && thrown.code === closed;
    throw wasClosed ? broke(name) : inWords(name, thrown);
  }
  const whileOpen = (outside: AbortSignal): AbortSignal => AbortSignal.any([outside, ended.signal]);
  client.setNotificationHandler(ToolListChangedNotificationSchema, events.changed);
  ended.signal.addEventListener("abort", events.closed, { once: true });
  return {
    get closed() {
      return ended.signal.aborted;
    },
    async list(signal) {
      try {
        return await ask(
          bounds.listMs,
          "list its tools",
          whileOpen(signal),
          async (signal) => await listAll(client, signal),
        );
      } catch (thrown) {
        throw signal.aborted ? thrown : inWords(name, thrown);
      }
    },
    async call(tool, input, signal) {
      try {
        const result = await ask(bounds.callMs, "answer", whileOpen(signal), async (signal) => {
          const request = { method: "tools/call", params: { name: tool, arguments: { ...input } } };
          return await client.request(request, anyResult, { signal, timeout: NEVER_MS });
        });
        return { is: "answered", result };
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        if (statusOf(thrown) === 404) return { is: "forgotten" };
        if (thrown instanceof McpError) return { is: "refused", words: thrown.message };
        throw inWords(name, thrown);
      }
    },
    async [Symbol.asyncDispose]() {
      await wire.end();
    },
  };
}

async function listAll(client: Client, signal: AbortSignal): Promise<readonly ListedTool[]> {
  const all: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && all.length < MAX_LISTED; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: "tools/list", params }, listResult, {
      signal,
      timeout: NEVER_MS,
    });
    for (const tool of tools) {
      const read = listed.safeParse(tool);
      if (read.success) all.push(read.data);
    }
    if (typeof nextCursor !== "string") break;
    cursor = nextCursor;
  }
  return all.slice(0, MAX_LISTED);
}

function statusOf(thrown: unknown): number | undefined {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return typeof code === "number" && code >= 300 && code < 600 ? code : undefined;
}

function broke(name: string): GatewayError {
  return new GatewayError("app-failed", `${name} ended, or the connection to it broke.`);
}

function inWords(name: string, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const status = statusOf(cause);
  if (status === 401) return new GatewayError("app-signed-out", `${name} asks for a sign-in.`, { cause });
  if (status !== undefined) return new GatewayError("app-failed", `${name} answered with status ${status}.`, { cause });
  return new GatewayError("app-failed", `${name} did not answer as an MCP server does.`, { cause });
}
