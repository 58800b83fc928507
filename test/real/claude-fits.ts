// Checked by the compiler alone: the real Agent SDK fits what the engine takes it for.
import type {
  CanUseTool,
  HookCallback,
  Options,
  Query,
  SDKUserMessage,
  SpawnedProcess,
  query,
} from "@anthropic-ai/claude-agent-sdk";
import type * as ours from "../../src/engines/claude-code/sdk.ts";

/** Compiles only where a value of the first may stand for one of the second. */
type Fits<A extends B, B> = A;

/** What we hand to it. */
export type Given =
  | Fits<ours.UserMessage, SDKUserMessage>
  | Fits<Omit<ours.QueryOptions, "mcpServers">, Options>
  | Fits<ours.CanUseTool, CanUseTool>
  | Fits<ours.PreToolUse, HookCallback>
  | Fits<ours.SpawnedProcess, SpawnedProcess>;

/** What it hands to us. */
export type Taken = Fits<Query, ours.Query> | Fits<Awaited<ReturnType<CanUseTool>>, unknown>;

/** It is called in our way. The server's type is that of another copy of the MCP SDK: it is checked by running. */
export type Called = Fits<
  [{ prompt: AsyncIterable<ours.UserMessage>; options: Omit<ours.QueryOptions, "mcpServers"> }],
  Parameters<typeof query>
>;
