// What the program is started with, at each level of trust. Measured: what looks like a lockdown is none without all of this, and a resume
// ignores what is not told each time.
import { createHash } from "node:crypto";
import type { TurnInput } from "../../core/turn.ts";
import type { EngineHost } from "../host.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import type { QueryOptions } from "./sdk.ts";
import type { Folders, Level } from "./sessions.ts";

/** What stays the same for all turns of an engine. */
export type Setup = {
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly command: string | undefined;
  readonly host: EngineHost;
  readonly folders: Folders;
};

/** The options of one process, but for what belongs to its run; and the secret that it gets by a pipe. */
export type Start = {
  readonly level: Level;
  readonly cwd: string;
  readonly secret: string | undefined;
  /** The same for two processes that could stand in for each other. */
  readonly key: string;
  readonly options: Omit<QueryOptions, "mcpServers" | "canUseTool" | "spawnClaudeCodeProcess" | "resume">;
};

/** Sessions are ours to forget. */
const KEPT_DAYS = 36_500;
const MAX_RETRIES = 2;
/** Steps of the model in one turn: work on files takes many, and one that runs in circles ends. */
const MAX_STEPS = 100;

/** Nothing by itself: no reports, no updates, no background work, no files read unasked. */
const QUIET: Readonly<Record<string, string>> = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: String(MAX_RETRIES),
  // A second answer after half of one was shown can't take the half back.
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  // Its tool of steps, whole from the start.
  CLAUDE_CODE_ENABLE_TASKS: "0",
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  ENABLE_TOOL_SEARCH: "0",
  // Longer results would be put in a file that no tool may read.
  MAX_MCP_OUTPUT_TOKENS: "200000",
  // Paths that are not absolute mean the work folder, always.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
};

/** `token`: the owner's sign-in for a locked process without an API key. `cwd`: where it runs; empty and neutral when locked. */
export function startOf(
  { model, apiKey, baseUrl, command, host, folders }: Setup,
  input: Pick<TurnInput, "locked" | "instructions" | "tools">,
  cwd: string,
  token: string | undefined,
): Start {
  const level: Level = input.locked ? "locked" : "owner";
  const config = folders.config[level];
  const env: Record<string, string> = {
    ...host.env,
    HOME: input.locked ? folders.kept.locked : host.home,
    ...QUIET,
    CLAUDE_CODE_TMPDIR: folders.scratch,
    ...(config === undefined ? {} : { CLAUDE_CONFIG_DIR: config }),
    ...(baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
    ...(input.locked ? lockedAccess(apiKey, token) : apiKey === undefined ? {} : BY_PIPE),
  };
  const options: Start["options"] = {
    ...{ cwd, env, strictMcpConfig: true, settingSources: [], permissionMode: "default", verbatimPrompts: true },
    includePartialMessages: true,
    maxTurns: MAX_STEPS,
    ...(model === undefined ? {} : { model }),
    ...(command === undefined ? {} : { pathToClaudeCodeExecutable: command }),
    // Without this the session's first words to the model win over later ones.
    systemPrompt: { type: "custom", prompt: input.instructions, snapshot: false },
    ...(input.locked ? LOCKED : OPEN),
  };
  const secret = input.locked ? undefined : apiKey;
  const key = createHash("sha256")
    .update(JSON.stringify([level, options, input.tools, secret]))
    .digest("hex");
  return { level, cwd, secret, key, options };
}

/** The program takes its key from this descriptor, and what it runs gets neither. */
const BY_PIPE: Readonly<Record<string, string>> = { CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR: "3" };

const LOCKED = {
  tools: [],
  settings: { cleanupPeriodDays: KEPT_DAYS },
  extraArgs: { "disable-slash-commands": null },
} satisfies Partial<QueryOptions>;

/**
 * Two ways by which each own tool asks first, reads in the work folder too: a hook, which comes before any rule, and rules. What they bring
 * about is a question to `canUseTool`, which alone decides and may wait for as long as it takes.
 */
const OPEN: Pick<QueryOptions, "tools" | "settings" | "hooks"> = {
  tools: [...OWN_TOOLS],
  settings: { cleanupPeriodDays: KEPT_DAYS, permissions: { ask: [...OWN_TOOLS] } },
  hooks: {
    PreToolUse: [
      {
        hooks: [
          async () =>
            await Promise.resolve({
              hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } as const,
            }),
        ],
      },
    ],
  },
};

/** A locked process runs nothing that could see its environment. The bare way takes a key alone. */
function lockedAccess(apiKey: string | undefined, token: string | undefined): Readonly<Record<string, string>> {
  if (apiKey !== undefined) return { CLAUDE_CODE_SIMPLE: "1", ANTHROPIC_API_KEY: apiKey };
  return token === undefined ? {} : { CLAUDE_CODE_OAUTH_TOKEN: token };
}
