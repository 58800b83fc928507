// The part of Codex's protocol that we use, against the program itself: its types, and the calls that later steps build on.
import { execFile } from "node:child_process";
import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { startProgram } from "../../src/engines/process.ts";
import { PINNED_VERSION, SEALED } from "../../src/engines/codex/protocol.ts";
import { openRpc, type Rpc } from "../../src/engines/codex/rpc.ts";
import { configToml, KEY_VARIABLE } from "../../src/engines/codex/settings.ts";
import { realClock } from "../../src/gateway/real.ts";
import { countingWatchdog } from "../engines/host.ts";
import { startModels, type ModelsWire } from "../wire/models.ts";
import { KEY, PLAIN, PROGRAM } from "./codex-stage.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");

/** Of each type that the program generates, that it and ours fit: what we send is taken, what it sends is read. */
const FITS = `
import type * as v2 from "./v2/index";
import type { InitializeParams, InitializeResponse } from "./index";
import type { Answers, Asked, Item, Items, Requests, Told } from "${ROOT}/src/engines/codex/protocol";

type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;
type Start = Mutable<Requests>["thread/start"];
// A tool's schema is any JSON.
type Sent = Omit<Mutable<Requests>, "thread/start"> & {
  "thread/start": Omit<Start, "dynamicTools"> & { dynamicTools: (Omit<Start["dynamicTools"][number], "inputSchema"> & { inputSchema: null })[] };
};
declare const ours: Sent;
export const sent: [InitializeParams, v2.ThreadStartParams, v2.ThreadResumeParams, v2.ThreadForkParams, v2.TurnStartParams, v2.TurnInterruptParams] =
  [ours.initialize, ours["thread/start"], ours["thread/resume"], ours["thread/fork"], ours["turn/start"], ours["turn/interrupt"]];
export const injected: Omit<v2.ThreadInjectItemsParams, "items"> = ours["thread/inject_items"];
declare const theirs: {
  initialize: InitializeResponse; start: v2.ThreadStartResponse; resume: v2.ThreadResumeResponse; fork: v2.ThreadForkResponse; turn: v2.TurnStartResponse;
  item: v2.ItemStartedNotification; done: v2.ItemCompletedNotification; delta: v2.AgentMessageDeltaNotification; summary: v2.ReasoningSummaryTextDeltaNotification;
  raw: v2.ReasoningTextDeltaNotification; typed: v2.TerminalInteractionNotification; plan: v2.TurnPlanUpdatedNotification; usage: v2.ThreadTokenUsageUpdatedNotification;
  ended: v2.TurnCompletedNotification; error: v2.ErrorNotification;
  call: v2.DynamicToolCallParams; command: v2.CommandExecutionRequestApprovalParams; change: v2.FileChangeRequestApprovalParams;
};
type Typed<T extends v2.ThreadItem["type"]> = Extract<v2.ThreadItem, { type: T }>;
declare const items: { [T in keyof Items]: Typed<T> };
export const answers: Pick<Answers, "initialize" | "thread/start" | "thread/resume" | "thread/fork" | "turn/start"> =
  { initialize: theirs.initialize, "thread/start": theirs.start, "thread/resume": theirs.resume, "thread/fork": theirs.fork, "turn/start": theirs.turn };
export const read: Items = items;
export const whole: Item = theirs.item.item;
export const told: Told = {
  "item/started": theirs.item, "item/completed": theirs.done, "item/agentMessage/delta": theirs.delta, "item/reasoning/summaryTextDelta": theirs.summary,
  "item/reasoning/textDelta": theirs.raw, "item/commandExecution/terminalInteraction": theirs.typed, "turn/plan/updated": theirs.plan,
  "thread/tokenUsage/updated": theirs.usage, "turn/completed": theirs.ended,
  error: { ...theirs.error, error: { ...theirs.error.error, codexErrorInfo: "other" } },
};
export const asked: Asked = { "item/tool/call": theirs.call, "item/commandExecution/requestApproval": theirs.command, "item/fileChange/requestApproval": theirs.change };
export const accepts: v2.CommandExecutionApprovalDecision & v2.FileChangeApprovalDecision = "accept" as "accept" | "decline";
`;

it("C8: the types that are checked in fit those that the pinned program generates", async () => {
  const folder = await temporary();
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, CODEX_HOME: folder };
  const { stdout } = await run(PROGRAM, ["--version"], { env });
  expect(stdout).toContain(PINNED_VERSION);
  await run(PROGRAM, ["app-server", "generate-ts", "--out", folder, "--experimental"], { env });
  await writeFile(join(folder, "fits.ts"), FITS);
  const compilerOptions = {
    ...{ target: "es2024", module: "preserve", moduleResolution: "bundler", noEmit: true, strict: true },
    ...{ skipLibCheck: true, allowImportingTsExtensions: true, types: [], exactOptionalPropertyTypes: false },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["fits.ts"] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const checked = await run(process.execPath, [tsc, "-p", folder]).catch(
    (thrown: unknown) => thrown as { stdout: string },
  );
  expect(checked.stdout).toBe("");
});

it("C8: the program takes our config files to the last line", async () => {
  for (const locked of [true, false])
    for (const withKey of [true, false]) {
      const home = await temporary();
      const baseUrl = "http://127.0.0.1:9/v1";
      await writeFile(
        join(home, "config.toml"),
        configToml({ locked, model: PLAIN, withKey, baseUrl, home: 'a"b\\c' }),
      );
      const env = { PATH: process.env["PATH"] ?? "", HOME: home, CODEX_HOME: home, [KEY_VARIABLE]: KEY };
      const args = ["app-server", "--strict-config", "--print-startup-config"];
      const { stdout } = await run(PROGRAM, args, { env });
      expect(stdout).toContain(PINNED_VERSION);
    }
});

it("C6, C9: a thread is forked through a turn, and begun with items, which both outlive the program", async () => {
  await using stage = await server();
  const { rpc, models, told } = stage;
  const thread = await started(rpc, stage.work);
  const turns: string[] = [];
  for (const word of ["FIRST-WORD", "SECOND-WORD"]) {
    models.reply(`noted ${word}`);
    turns.push(await stage.turn(thread, word));
  }
  const { thread: fork } = await rpc.request("thread/fork", {
    ...SEALED,
    ...{ threadId: thread, lastTurnId: turns[0] ?? "", excludeTurns: true, developerInstructions: "rules" },
  });
  expect(fork.id).not.toBe(thread);
  await stage.turn(fork.id, "and now");
  expect(told()).toContain("noted FIRST-WORD");
  expect(told()).not.toContain("SECOND-WORD");
  // Its file stands by itself: nothing in it leads to the thread that it came from.
  expect(await readFile(fork.path ?? "", "utf8")).toContain("FIRST-WORD");

  const fresh = await started(rpc, stage.work);
  await rpc.request("thread/inject_items", {
    threadId: fresh,
    items: [
      { type: "message", role: "user", content: [{ type: "input_text", text: "what is the tide?" }] },
      { type: "function_call", call_id: "c1", name: "a_tool_it_lacks", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "TIDE-42" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "It is TIDE-42." }] },
    ],
  });
  await stage.restart();
  const params = { ...SEALED, cwd: stage.work, developerInstructions: "rules", excludeTurns: true } as const;
  await stage.rpc.request("thread/resume", { ...params, threadId: fresh });
  await stage.turn(fresh, "so?");
  expect(told()).toContain("a_tool_it_lacks");
  expect(told()).toContain("It is TIDE-42.");
});

it("C7: what the program writes of a sign-in goes through the link to the owner's file", async () => {
  const owner = await temporary();
  const home = await temporary();
  await writeFile(join(owner, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-old" }), { mode: 0o600 });
  await symlink(join(owner, "auth.json"), join(home, "auth.json"));
  await writeFile(
    join(home, "config.toml"),
    configToml({ locked: true, model: PLAIN, withKey: false, baseUrl: undefined, home }),
  );
  await using program = await start(home);
  program.child.stdout.setEncoding("utf8");
  const send = (body: object): void => void program.child.stdin.write(`${JSON.stringify(body)}\n`);
  const answered = new Promise<void>((resolve) => {
    program.child.stdout.on("data", (text: string) => text.includes('"id":2') && resolve());
  });
  const clientInfo = { name: "tidegate", title: null, version: "1" };
  send({ id: 1, method: "initialize", params: { clientInfo, capabilities: { experimentalApi: true } } });
  send({ method: "initialized" });
  send({ id: 2, method: "account/login/start", params: { type: "apiKey", apiKey: "sk-new" } });
  await answered;
  expect((await lstat(join(home, "auth.json"))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(owner, "auth.json"), "utf8")).toContain("sk-new");
});

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-protocol-"));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  return folder;
}

async function start(home: string): Promise<Awaited<ReturnType<typeof startProgram>>> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, CODEX_HOME: home, [KEY_VARIABLE]: KEY };
  const order = { command: PROGRAM, args: ["app-server"], cwd: home, env, called: "Codex" };
  return await startProgram(order, realClock, countingWatchdog());
}

async function started(rpc: Rpc, cwd: string): Promise<string> {
  const params = { ...SEALED, cwd, developerInstructions: "rules", historyMode: "legacy", dynamicTools: [] } as const;
  return (await rpc.request("thread/start", { ...params, dynamicTools: [] })).thread.id;
}

type Server = AsyncDisposable & {
  readonly rpc: Rpc;
  readonly models: ModelsWire;
  readonly work: string;
  /** The last request's input. */
  readonly told: () => string;
  /** Another program over the same home. */
  readonly restart: () => Promise<void>;
  /** A whole turn; its id. */
  readonly turn: (thread: string, words: string) => Promise<string>;
};

async function server(): Promise<Server> {
  const models = await startModels({ apiKey: KEY });
  const home = await temporary();
  const work = join(home, "work");
  await mkdir(work);
  const config = { locked: false, model: PLAIN, withKey: true, baseUrl: models.openaiUrl, home };
  await writeFile(join(home, "config.toml"), configToml(config));
  let program = await start(home);
  let over = Promise.withResolvers<void>();
  const open = async (): Promise<Rpc> => {
    const rpc = openRpc(program.child.stdin, program.child.stdout, realClock);
    rpc.hear({ ask: () => undefined, tell: (method) => method === "turn/completed" && over.resolve() });
    const clientInfo = { name: "tidegate", title: null, version: "1" } as const;
    const capabilities = { experimentalApi: true, requestAttestation: false } as const;
    await rpc.request("initialize", { clientInfo, capabilities });
    rpc.notify("initialized");
    return rpc;
  };
  let rpc = await open();
  return {
    ...{ models, work },
    get rpc() {
      return rpc;
    },
    told: () => JSON.stringify(models.last?.body["input"]),
    async restart() {
      program.child.kill("SIGKILL");
      await program.ended;
      program = await start(home);
      rpc = await open();
    },
    async turn(threadId, text) {
      over = Promise.withResolvers<void>();
      const { turn } = await rpc.request("turn/start", {
        threadId,
        input: [{ type: "text", text, text_elements: [] }],
      });
      await over.promise;
      return turn.id;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
    },
  };
}
