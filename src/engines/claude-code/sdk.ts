// The part of the Agent SDK that is used here, in our own words, and how it is found. The package is heavy and under its vendor's terms:
// it is no dependency, and it is loaded when a turn or a check needs it. That the real one fits is checked at compile time (test/real).
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { GatewayError } from "../../core/error.ts";
import type { toolServer } from "../door-tools.ts";

/** The version that all of this was measured with. */
export const PINNED_VERSION = "0.3.332";

const PACKAGE = "@anthropic-ai/claude-agent-sdk";
const GET_SDK = `npm install ${PACKAGE}@${PINNED_VERSION}`;

/** One message of a person's, as blocks. */
export type UserMessage = {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: Block[] };
  readonly parent_tool_use_id: null;
};

export type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image";
      readonly source: { readonly type: "base64"; readonly media_type: ImageType; readonly data: string };
    };

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type PermissionAnswer =
  | { readonly behavior: "allow"; readonly updatedInput: Record<string, unknown> }
  | { readonly behavior: "deny"; readonly message: string };

/** Asked before a tool runs, and waited for as long as it takes. `signal` fires when the program gives the call up. */
export type CanUseTool = (
  name: string,
  input: Record<string, unknown>,
  about: { readonly signal: AbortSignal; readonly toolUseID: string },
) => Promise<PermissionAnswer>;

/** Asked before any rule of the program's. */
export type PreToolUse = (about: { readonly hook_event_name: string }) => Promise<{
  readonly hookSpecificOutput?: { readonly hookEventName: "PreToolUse"; readonly permissionDecision: "ask" };
}>;

/** The program as the SDK wants it. */
export type SpawnedProcess = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: "exit", listener: OnExit): void;
  on(event: "error", listener: (error: Error) => void): void;
  once(event: "exit", listener: OnExit): void;
  once(event: "error", listener: (error: Error) => void): void;
  off(event: "exit", listener: OnExit): void;
  off(event: "error", listener: (error: Error) => void): void;
};

type OnExit = (code: number | null, signal: NodeJS.Signals | null) => void;

export type SpawnOrder = {
  readonly command: string;
  readonly args: string[];
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type QueryOptions = {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly model?: string;
  readonly maxTurns: number;
  readonly pathToClaudeCodeExecutable?: string;
  readonly tools: string[];
  readonly mcpServers: Record<
    string,
    { type: "sdk"; name: string; instance: ReturnType<typeof toolServer>; alwaysLoad: boolean }
  >;
  readonly strictMcpConfig: true;
  readonly settingSources: [];
  readonly settings: {
    readonly cleanupPeriodDays: number;
    readonly permissions?: { readonly ask: string[] };
  };
  readonly systemPrompt: { readonly type: "custom"; readonly prompt: string; readonly snapshot: false };
  readonly permissionMode: "default";
  readonly verbatimPrompts: true;
  readonly includePartialMessages: true;
  readonly resume?: string;
  readonly extraArgs?: Record<string, string | null>;
  readonly canUseTool: CanUseTool;
  readonly hooks?: { PreToolUse: { hooks: PreToolUse[] }[] };
  readonly spawnClaudeCodeProcess: (order: SpawnOrder) => SpawnedProcess;
};

/** A running query. Its messages are read as data: see `events.ts`. */
export type Query = AsyncIterable<unknown> & {
  interrupt(): Promise<unknown>;
  close(): void;
};

export type AgentSdk = {
  query(order: { prompt: AsyncIterable<UserMessage>; options: QueryOptions }): Query;
};

/** The SDK with its version. `program`: the file of the one that comes with it; undefined where that part was left out. */
export type FoundSdk = { readonly sdk: AgentSdk; readonly version: string; readonly program: string | undefined };

/**
 * Loads the SDK from the `node_modules` of `folder`, else from where Tidegate's own packages are. Throws a GatewayError that says what to
 * install.
 */
export async function loadSdk(folder: string | undefined): Promise<FoundSdk> {
  const hint = `Install it with: ${GET_SDK}${folder === undefined ? ", in Tidegate's folder" : ", in the folder that the engine's sdk names"}.`;
  const from = createRequire(folder === undefined ? import.meta.url : pathToFileURL(join(folder, "package.json")));
  let main: string;
  try {
    main = from.resolve(PACKAGE);
  } catch {
    throw new GatewayError("engine-missing", "The Claude Agent SDK isn't installed.", { hint });
  }
  try {
    const text = await readFile(join(dirname(main), "package.json"), "utf8");
    const about: unknown = JSON.parse(text);
    const version = typeof about === "object" && about !== null && "version" in about ? String(about.version) : "";
    const sdk = (await import(pathToFileURL(main).href)) as AgentSdk;
    if (typeof sdk.query !== "function") throw new TypeError("there is no query");
    return { sdk, version, program: bundledWith(main) };
  } catch (thrown) {
    throw new GatewayError("engine-missing", "The Claude Agent SDK is there but can't be loaded.", {
      hint,
      cause: thrown,
    });
  }
}

/** Where the SDK itself looks: in a package of its own for each kind of machine, which an install may leave out. */
function bundledWith(main: string): string | undefined {
  const from = createRequire(main);
  const here = `${PACKAGE}-${platform()}-${arch()}`;
  for (const file of [`${here}/claude`, `${here}-musl/claude`, `${here}/claude.exe`]) {
    try {
      return from.resolve(file);
    } catch {
      // Another kind of machine's.
    }
  }
  return undefined;
}

/** The program that answers: `command`, else the one that comes with the SDK. Throws in words when that is not there. */
export function programOf({ program }: Pick<FoundSdk, "program">, command: string | undefined): string {
  const file = command ?? program;
  if (file !== undefined) return file;
  throw new GatewayError("engine-missing", "The Claude Agent SDK is there, but not the program that comes with it.", {
    hint: `Install it with its optional packages: ${GET_SDK} --include=optional. Or name the program as the engine's command.`,
  });
}
