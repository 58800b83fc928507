// One small tree per way of breaking a rule, with exactly the breaks it must give. A rule without a plant fails the test.
import type { Exemption } from "./table.ts";

export type Plant = {
  readonly title: string;
  readonly tree: Readonly<Record<string, string>>;
  /** As "rule file". */
  readonly breaks: readonly string[];
  readonly exemptions?: readonly Exemption[];
};

const lines = (count: number): string => `export const a = 1;\n${"let b = 2;\n".repeat(count - 1)}`;
const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");
const core = { "src/core/a.ts": "export const a = 1;" };

export const PLANTS: readonly Plant[] = [
  // What must pass.
  {
    title: "a tree that keeps every rule",
    tree: {
      "src/core/clock.ts": "/** Time. @port */\nexport interface Clock { now(): number }\nexport type Enumeration = 1;",
      "src/taint/guard.ts":
        'import { createHash } from "node:crypto";\nimport type { Clock } from "../core/clock.ts";\nexport const guard = (c: Clock): string => createHash("x").update(`${c.now()} // Date.now()`).digest("hex");',
      "src/gateway/real.ts":
        'import { randomBytes } from "node:crypto";\nexport const real = { now: () => Date.now(), key: () => randomBytes(9), later: setTimeout };',
      "src/gateway/main.ts":
        'import { guard } from "../taint/guard.ts";\nprocess.on("SIGTERM", () => guard);\nvoid process.env;',
      "src/channels/registry.ts": 'import { slack } from "./slack/channel.ts";\nexport const channels = { slack };',
      "src/channels/slack/channel.ts": 'import { App } from "@slack/bolt";\nexport const slack = (): App => new App();',
    },
    breaks: [],
  },
  {
    title: "words of the rules in texts, comments, keys, members and types of one's own",
    tree: {
      "src/turn/run.ts":
        'import type { Later } from "./later.ts";\n// setTimeout(), Date.now() and process.env\n/* import "grammy" */\nexport const text = "import x from \'grammy\'; Date.now()";\nexport const run = (later: Later) => later.setTimeout(new Date(later.now), /process.env/u, { setTimeout: 1, process: 2 });',
      "src/turn/later.ts": "export type Later = { setTimeout(...all: unknown[]): void; now: number };",
    },
    breaks: [],
  },

  // place
  {
    title: "a folder that no row names",
    tree: { "src/stuff/a.ts": "export const a = 1;" },
    breaks: ["place src/stuff/a.ts"],
  },
  { title: "a file beside the folders", tree: { "src/a.ts": "export const a = 1;" }, breaks: ["place src/a.ts"] },
  { title: "data among the code", tree: { "src/store/a.sql": "select 1" }, breaks: ["place src/store/a.sql"] },

  // imports
  {
    title: "an import that the table doesn't name",
    tree: {
      "src/turn/run.ts": 'import { a } from "../engines/a.ts";\nvoid a;',
      "src/engines/a.ts": "export const a = 1;",
    },
    breaks: ["imports src/turn/run.ts"],
  },
  {
    title: "an import for its types only",
    tree: {
      "src/store/log.ts": 'import type { A } from "../turn/a.ts";\nexport type B = A;',
      "src/turn/a.ts": "export type A = 1;",
    },
    breaks: ["imports src/store/log.ts"],
  },
  {
    title: "a type named through import()",
    tree: { "src/store/log.ts": 'export type B = import("../turn/a.ts").A;', "src/turn/a.ts": "export type A = 1;" },
    breaks: ["imports src/store/log.ts"],
  },
  {
    title: "an import at run time",
    tree: {
      "src/core/b.ts": 'export const b = () => import("../taint/a.ts");',
      "src/taint/a.ts": "export const a = 1;",
    },
    breaks: ["imports src/core/b.ts"],
  },
  {
    title: "an export from elsewhere",
    tree: {
      "src/taint/b.ts": 'export { a } from "../store/a.ts";\nexport const b = 1;',
      "src/store/a.ts": "export const a = 1;",
    },
    breaks: ["imports src/taint/b.ts"],
  },
  {
    title: "an import of gateway",
    tree: {
      "src/turn/run.ts": 'import { a } from "../gateway/a.ts";\nvoid a;',
      "src/gateway/a.ts": "export const a = 1;",
    },
    breaks: ["imports src/turn/run.ts"],
  },

  // resolved
  { title: "an import of nothing", tree: { "src/turn/a.ts": 'import "./b.ts";' }, breaks: ["resolved src/turn/a.ts"] },
  {
    title: "a computed import",
    tree: { "src/turn/a.ts": "export const a = (x: string) => import(x);" },
    breaks: ["resolved src/turn/a.ts"],
  },
  {
    title: "an import of a test",
    tree: { "src/turn/a.ts": 'import "../../test/a.ts";' },
    breaks: ["resolved src/turn/a.ts"],
  },

  // circles
  {
    title: "a circle of three files",
    tree: {
      "src/turn/a.ts": 'import { b } from "./b.ts";\nexport const a = () => b;',
      "src/turn/b.ts": 'import { c } from "./c.ts";\nexport const b = () => c;',
      "src/turn/c.ts": 'import { a } from "./a.ts";\nexport const c = () => a;',
    },
    breaks: ["circles src/turn/a.ts"],
  },
  {
    title: "a circle of types in core",
    tree: {
      "src/core/a.ts": 'import type { B } from "./b.ts";\nexport type A = B | 1;',
      "src/core/b.ts": 'import type { A } from "./a.ts";\nexport type B = A | 2;',
    },
    breaks: ["circles src/core/a.ts"],
  },
  {
    title: "a file that imports itself",
    tree: { "src/core/a.ts": 'import type { A } from "./a.ts";\nexport type B = A;\nexport type A = 1;' },
    breaks: ["circles src/core/a.ts"],
  },

  // packages
  ...[
    ["grammy", "src/channels/slack/channel.ts"],
    ["@grammyjs/types", "src/gateway/a.ts"],
    ["@slack/bolt", "src/gateway/a.ts"],
    ["@slack/web-api", "src/channels/discord/render.ts"],
    ["discord.js", "src/channels/telegram/render.ts"],
    ["node:sqlite", "src/turn/a.ts"],
    ["keyv", "src/search/a.ts"],
    ["@keyv/sqlite", "src/gateway/a.ts"],
    ["pino", "src/turn/a.ts"],
    ["mdast", "src/channels/slack/render.ts"],
    ["mdast-util-gfm", "src/cards/a.ts"],
    ["micromark-extension-gfm", "src/cards/a.ts"],
    ["ai", "src/engines/codex/a.ts"],
    ["@ai-sdk/openai", "src/engines/a.ts"],
    ["@anthropic-ai/claude-agent-sdk", "src/engines/a.ts"],
    ["@agentclientprotocol/sdk", "src/engines/codex/a.ts"],
    ["@modelcontextprotocol/sdk/client/index.js", "src/engines/codex/a.ts"],
    ["node:child_process", "src/cards/a.ts"],
    ["node:child_process", "src/gateway/a.ts"],
    ["yaml", "src/cards/a.ts"],
    ["commander", "src/threads/a.ts"],
    ["node:timers/promises", "src/gateway/a.ts"],
    ["node:process", "src/engines/a.ts"],
    ["left-pad", "src/gateway/a.ts"],
    ["fs", "src/gateway/a.ts"],
  ].map(([from = "", file = ""]) => ({
    title: `${from} in ${file}`,
    tree: { [file]: `import * as it from "${from}";\nvoid it;` },
    breaks: [`packages ${file}`],
  })),
  {
    title: "a package for its types only",
    tree: { "src/turn/a.ts": 'export type A = import("grammy").Bot;' },
    breaks: ["packages src/turn/a.ts"],
  },

  // pure
  {
    title: "a built-in module in core",
    tree: { "src/core/a.ts": 'import "node:crypto";' },
    breaks: ["pure src/core/a.ts"],
  },
  {
    title: "zod in core",
    tree: { "src/core/a.ts": 'import type { z } from "zod";\nexport type A = z.infer<never>;' },
    breaks: ["pure src/core/a.ts"],
  },
  {
    title: "a file read by the guard",
    tree: { "src/taint/guard.ts": 'import "node:fs";' },
    breaks: ["pure src/taint/guard.ts"],
  },

  // families
  {
    title: "a platform that imports another",
    tree: {
      "src/channels/slack/render.ts": 'import { a } from "../discord/render.ts";\nvoid a;',
      "src/channels/discord/render.ts": "export const a = 1;",
    },
    breaks: ["families src/channels/slack/render.ts"],
  },
  {
    title: "an engine that imports another",
    tree: {
      "src/engines/acp/engine.ts": 'import type { A } from "../codex/events.ts";\nexport type B = A;',
      "src/engines/codex/events.ts": "export type A = 1;",
    },
    breaks: ["families src/engines/acp/engine.ts"],
  },
  {
    title: "gateway past the registry",
    tree: {
      "src/gateway/a.ts": 'import { a } from "../engines/demo/engine.ts";\nvoid a;',
      "src/engines/demo/engine.ts": "export const a = 1;",
    },
    breaks: ["families src/gateway/a.ts"],
  },
  {
    title: "a shared file that knows one program",
    tree: {
      "src/engines/rpc.ts": 'import { a } from "./codex/a.ts";\nvoid a;',
      "src/engines/codex/a.ts": "export const a = 1;",
    },
    breaks: ["families src/engines/rpc.ts"],
  },

  // channel-files
  {
    title: "a platform with a file of its own kind",
    tree: { "src/channels/slack/modals.ts": "export const a = 1;" },
    breaks: ["channel-files src/channels/slack/modals.ts"],
  },

  // clock
  ...[
    "Date.now()",
    "new Date()",
    "Date()",
    "[1].map(Date.now)",
    'Date["now"]()',
    "globalThis.Date.now()",
    "Math.random()",
    "setTimeout(() => 1, 2)",
    "globalThis.setTimeout(() => 1, 2)",
    "[setInterval]",
    "{ setImmediate }",
    "performance.now()",
    "crypto.randomUUID()",
    "crypto.getRandomValues(new Uint8Array(1))",
    "setTimeout.bind(undefined)",
    "AbortSignal.timeout(5)",
    "process.hrtime.bigint()",
    "(() => { const { now } = Date; return now; })()",
  ].map((code) => ({
    title: `${code} outside the real ones`,
    tree: { "src/gateway/queue.ts": `export const a = ${code};` },
    breaks: ["clock src/gateway/queue.ts"],
  })),
  ...["{ randomUUID }", "{ randomBytes as digest }", "* as it", "it"].map((names) => ({
    title: `${names} of node:crypto`,
    tree: { "src/store/a.ts": `import ${names} from "node:crypto";` },
    breaks: ["clock src/store/a.ts"],
  })),

  // process
  ...[
    'process.env["HOME"]',
    'process.on("SIGINT", () => 1)',
    "process.exit(1)",
    "(({ env }) => env)(process)",
    "globalThis.process.env",
  ].map((code) => ({
    title: `${code} outside gateway`,
    tree: { "src/engines/a.ts": `export const a = ${code};` },
    breaks: ["process src/engines/a.ts"],
  })),

  // length
  { title: "a file of 301 lines of code", tree: { "src/turn/a.ts": lines(301) }, breaks: ["length src/turn/a.ts"] },
  {
    title: "300 lines and a thousand of comments",
    tree: { "src/turn/a.ts": `${lines(300)}${"// x\n\n/* y\n z */\n".repeat(300)}` },
    breaks: [],
  },
  { title: "a main of 120 lines", tree: { "src/gateway/main.ts": lines(120) }, breaks: ["length src/gateway/main.ts"] },

  // faces
  {
    title: "a face of eight values",
    tree: {
      "src/taint/face.ts": many(8, (index) => `export const a${index} = 1;`),
      "src/turn/a.ts": 'import { a1 } from "../taint/face.ts";\nvoid a1;',
    },
    breaks: ["faces src/taint/face.ts"],
  },
  {
    title: "eight types, or eight values for one's own folder, or core",
    tree: {
      "src/taint/face.ts": many(8, (index) => `export type A${index} = 1;`),
      "src/turn/own.ts": many(8, (index) => `export const a${index} = 1;`),
      "src/core/face.ts": many(8, (index) => `export const a${index} = 1;`),
      "src/turn/a.ts":
        'import type { A1 } from "../taint/face.ts";\nimport { a1 } from "./own.ts";\nimport { a2 } from "../core/face.ts";\nexport type A = A1;\nvoid [a1, a2];',
    },
    breaks: [],
  },

  // ports
  {
    title: "a port of nine members, three of them optional",
    tree: {
      "src/store/port.ts": `/** The log.\n * @port */\nexport interface Log { ${many(9, (index) => `m${index}${index < 3 ? "?" : ""}(): void;`)} }`,
    },
    breaks: ["ports src/store/port.ts", "ports src/store/port.ts"],
  },
  {
    title: "a port that doesn't say so",
    tree: { "src/core/engine.ts": "/** Answers. */\nexport interface Engine { run(): void }" },
    breaks: ["ports src/core/engine.ts"],
  },

  // fan-out
  {
    title: "a file that imports sixteen modules",
    tree: {
      ...Object.fromEntries(
        Array.from({ length: 16 }, (_, index) => [`src/turn/m${index}.ts`, `export const m${index} = 1;`]),
      ),
      "src/turn/run.ts": many(16, (index) => `import { m${index} } from "./m${index}.ts";\nvoid m${index};`),
    },
    breaks: ["fan-out src/turn/run.ts"],
  },

  // names
  {
    title: "a file in camel case",
    tree: { "src/turn/runTurn.ts": "export const a = 1;" },
    breaks: ["names src/turn/runTurn.ts"],
  },
  {
    title: "a file of helpers",
    tree: { "src/turn/log-helpers.ts": "export const a = 1;" },
    breaks: ["names src/turn/log-helpers.ts"],
  },
  { title: "a manager", tree: { "src/turn/a.ts": "export class TurnManager {}" }, breaks: ["names src/turn/a.ts"] },
  {
    title: "a base type",
    tree: { "src/turn/a.ts": "export type BaseTurn = { baseUrl: string };" },
    breaks: ["names src/turn/a.ts"],
  },
  {
    title: "a prefixed interface",
    tree: { "src/turn/a.ts": "interface ITurn { a: 1 }\nexport type A = ITurn;" },
    breaks: ["names src/turn/a.ts"],
  },
  {
    title: "words that only look like them",
    tree: {
      "src/turn/a.ts":
        "export const database = 1;\nexport const baseUrl = 2;\nexport const BASE_URLS = 3;\nexport interface IPAddress { a: 1 }",
    },
    breaks: [],
  },

  // default-export
  {
    title: "a default export",
    tree: { "src/turn/a.ts": "export default function run(): void {}" },
    breaks: ["default-export src/turn/a.ts"],
  },
  {
    title: "a default export by name",
    tree: { "src/turn/a.ts": "const a = 1;\nexport { a as default };" },
    breaks: ["default-export src/turn/a.ts"],
  },

  // barrel
  {
    title: "a barrel",
    tree: { ...core, "src/taint/index.ts": 'export { a } from "../core/a.ts";' },
    breaks: ["barrel src/taint/index.ts"],
  },
  {
    title: "a barrel in two steps",
    tree: { ...core, "src/taint/index.ts": 'import { a } from "../core/a.ts";\nexport { a };' },
    breaks: ["barrel src/taint/index.ts"],
  },
  {
    title: "an export of everything",
    tree: { ...core, "src/taint/b.ts": 'export * from "../core/a.ts";\nexport const b = 1;' },
    breaks: ["barrel src/taint/b.ts"],
  },

  // strippable
  ...[
    "export enum A { B }",
    "export namespace A { export const b = 1 }",
    "export class A { constructor(readonly b: number) {} }",
    "declare namespace A {}\nexport type B = 1;",
  ].map((code) => ({ title: code, tree: { "src/turn/a.ts": code }, breaks: ["strippable src/turn/a.ts"] })),

  // parse
  { title: "a file that can't be read", tree: { "src/turn/a.ts": "const = 1" }, breaks: ["parse src/turn/a.ts"] },

  // exemptions
  {
    title: "an exemption at work",
    tree: { "src/turn/a.ts": lines(301) },
    exemptions: [{ file: "src/turn/a.ts", rule: "length", reason: "one table" }],
    breaks: [],
  },
  {
    title: "an exemption of another rule",
    tree: { "src/turn/a.ts": lines(301) },
    exemptions: [{ file: "src/turn/a.ts", rule: "faces", reason: "one table" }],
    breaks: ["length src/turn/a.ts", "exemptions src/turn/a.ts"],
  },
  {
    title: "an exemption that no longer exempts",
    tree: { "src/turn/a.ts": "export const a = 1;" },
    exemptions: [{ file: "src/turn/a.ts", rule: "length", reason: "one table" }],
    breaks: ["exemptions src/turn/a.ts"],
  },
  {
    title: "an exemption without a reason",
    tree: { "src/turn/a.ts": lines(301) },
    exemptions: [{ file: "src/turn/a.ts", rule: "length", reason: " " }],
    breaks: ["exemptions src/turn/a.ts"],
  },
];
