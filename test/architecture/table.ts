// The architecture as data: who may import whom, which package lives where, the budgets, and every exemption with its reason.
// The page behind it is docs/architecture.md; change both together.

/** What each folder of src may import from the others (itself always). `"all"`: any of them. Nobody may import gateway. */
export const FOLDERS: Readonly<Record<string, readonly string[] | "all">> = {
  core: [],
  taint: ["core"],
  markdown: ["core"],
  pictures: ["core"],
  store: ["core"],
  search: ["core", "taint", "store"],
  catalog: ["core", "store"],
  cards: ["core", "taint", "store", "catalog", "markdown", "pictures"],
  channels: ["core", "markdown"],
  engines: ["core"],
  turn: ["core", "taint", "store", "search", "cards", "catalog"],
  threads: ["core"],
  gateway: "all",
};

/** Folders that touch nothing outside their arguments, with the built-in modules that only compute. */
export const PURE: Readonly<Record<string, readonly string[]>> = {
  core: [],
  taint: ["node:buffer", "node:crypto", "node:path", "node:url", "node:util"],
  markdown: [],
};

/** Folders with one folder per platform or program inside. Those never know each other; only `registry` knows them all. */
export const FAMILIES: Readonly<Record<string, { readonly registry: string }>> = {
  channels: { registry: "src/channels/registry.ts" },
  engines: { registry: "src/engines/registry.ts" },
};

/** The files that a platform's folder may have, and what one platform has beyond them. */
export const CHANNEL_FILES: {
  readonly every: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
} = {
  every: ["channel.ts", "inbound.ts", "render.ts", "cards.ts"],
  extra: {
    // The transport under grammY, the shape of what Telegram sends, and pictures from the disk.
    telegram: ["client.ts", "update.ts", "content.ts", "files.ts", "outlet.ts"],
    // Two ways in, streams, forms, names and history, each with its own rules there.
    slack: [
      "fields.ts",
      "menu.ts",
      "options.ts",
      "upload.ts",
      "backfill.ts",
      "client.ts",
      "connection.ts",
      "content.ts",
      "directory.ts",
      "event.ts",
      "files.ts",
      "forms.ts",
      "intake.ts",
      "keeping.ts",
      "manifest.ts",
      "outlet.ts",
      "places.ts",
      "pressed.ts",
      "stream.ts",
      "words.ts",
    ],
    // The gateway and REST under discord.js, interactions, places and history.
    discord: [
      "client.ts",
      "commands.ts",
      "content.ts",
      "event.ts",
      "files.ts",
      "forms.ts",
      "history.ts",
      "inline.ts",
      "intake.ts",
      "interactions.ts",
      "invite.ts",
      "outlet.ts",
      "places.ts",
      "presses.ts",
      "socket.ts",
      "transport.ts",
    ],
  },
};

/**
 * Which packages and built-in modules may be imported where. `*` stands for any ending; a place is a folder (ends with `/`) or
 * the beginning of a file's path. A package that no row names may be imported nowhere, so that each new one gets its place here.
 */
export const OWNERS: readonly { readonly what: readonly string[]; readonly only: readonly string[] }[] = [
  { what: ["grammy", "@grammyjs/*"], only: ["src/channels/telegram/"] },
  { what: ["@slack/*"], only: ["src/channels/slack/"] },
  { what: ["discord.js", "@discordjs/*", "discord-api-types*"], only: ["src/channels/discord/"] },
  { what: ["keyv", "@keyv/sqlite"], only: ["src/store/"] },
  { what: ["mdast*", "micromark*", "unist*"], only: ["src/markdown/"] },
  { what: ["ai", "@ai-sdk/*"], only: ["src/engines/api/"] },
  { what: ["@anthropic-ai/claude-agent-sdk"], only: ["src/engines/claude-code/"] },
  { what: ["@agentclientprotocol/sdk"], only: ["src/engines/acp/"] },
  { what: ["@modelcontextprotocol/sdk*"], only: ["src/catalog/", "src/engines/door", "src/threads/"] },
  { what: ["pino", "pino-pretty", "commander"], only: ["src/gateway/"] },
  // The shipped list of apps, and what stands before a skill's text.
  { what: ["yaml"], only: ["src/gateway/", "src/catalog/"] },
  { what: ["echarts*", "@resvg/resvg-js", "beautiful-mermaid"], only: ["src/pictures/"] },
  // Everywhere but core, which takes nothing from outside at all (see PURE).
  { what: ["zod"], only: ["src/"] },
  { what: ["node:sqlite"], only: ["src/store/", "src/search/"] },
  // Engines run programs, and so do apps that are one. The gateway's watchdog is a program of its own, so that the children die when the gateway does.
  // What draws pictures is one too: it can be ended in the middle of a library that is no JavaScript.
  {
    what: ["node:child_process"],
    only: ["src/engines/", "src/catalog/", "src/gateway/watchdog.ts", "src/pictures/drawing.ts"],
  },
  // Real time. node:crypto may be imported for digests; its random functions are banned below.
  { what: ["node:timers", "node:timers/promises", "node:perf_hooks"], only: ["src/gateway/real.ts"] },
  // The process belongs to whoever starts it.
  { what: ["node:process"], only: ["src/gateway/"] },
];

/** Names that only some places may use: globals, members of globals, calls. `a*` means `a` and `a.b`. */
export const BANS: readonly {
  readonly rule: "clock" | "process";
  readonly uses: readonly string[];
  readonly only: readonly string[];
  readonly instead: string;
}[] = [
  {
    rule: "clock",
    uses: [
      ...["Date.now*", "new Date()", "Date()", "performance*", "process.hrtime*", "process.uptime*"],
      ...["setTimeout*", "setInterval*", "setImmediate*", "AbortSignal.timeout*"],
      ...["Math.random*", "crypto", "crypto.getRandomValues*", "crypto.randomUUID*"],
    ],
    only: ["src/gateway/real.ts"],
    instead:
      "take the Clock or Random that is handed in (src/core/surroundings.ts); the real ones live in src/gateway/real.ts",
  },
  {
    rule: "process",
    uses: [
      ...["process", "process.env", "process.on", "process.once", "process.addListener", "process.prependListener"],
      ...["process.prependOnceListener", "process.exit", "process.exitCode", "process.abort", "process.loadEnvFile"],
      ...["process.chdir", "process.umask", "process.getBuiltinModule"],
    ],
    only: ["src/gateway/"],
    instead: "let src/gateway read it and hand it on as a value",
  },
];

/** What node:crypto offers besides digests. */
export const RANDOM_NAMES: readonly string[] = [
  ...[
    "getRandomValues",
    "randomBytes",
    "randomFill",
    "randomFillSync",
    "randomInt",
    "randomUUID",
    "webcrypto",
    "default",
    "*",
  ],
];

/** Files outside src that a folder of src may import. */
export const OUTSIDE: Readonly<Record<string, readonly string[]>> = { gateway: ["package.json"] };

export const MAIN = "src/gateway/main.ts";

/** `main` is the exception each budget states for the composition root. */
export const BUDGETS = {
  codeLines: { most: 300, main: 119 },
  faceExports: { most: 7 },
  portMembers: { most: 8, mostOptional: 2 },
  fanOut: { most: 15 },
} as const;

/** Interfaces of core that are ports whether or not somebody remembered to say so. */
export const PORTS: readonly string[] = ["Channel", "Outlet", "Engine", "Clock", "Random", "Logger"];

/** Words that say nothing about what a thing is. */
export const EMPTY_WORDS: readonly string[] = [
  ...["manager", "managers", "helper", "helpers", "util", "utils", "service", "services", "impl", "base", "common"],
];

/** Names with an empty word that means something here. */
export const MEANT_NAMES: readonly string[] = ["baseUrl", "BaseUrl", "BASE_URL"];

export type Exemption = { readonly file: string; readonly rule: string; readonly reason: string };

/** One line per exemption: the file, the rule's name, and why the rule makes this code worse. A line that exempts nothing is an error. */
export const EXEMPTIONS: readonly Exemption[] = [
  {
    file: "src/engines/claude-code/sdk.ts",
    rule: "resolved",
    reason: "The Agent SDK is no dependency: it lies in a folder that the config names, and may be missing.",
  },
];
