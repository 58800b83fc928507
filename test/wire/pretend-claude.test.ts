// The stand-in for the Agent SDK does what was measured of the real one, the traps above all.
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startModels } from "./models.ts";
import type { ModelsWire } from "./models.ts";
import { pretendClaude } from "./pretend-claude.ts";
import { queryWith } from "./pretend-claude-query.ts";
import type { Options } from "./pretend-claude-query.ts";

type Message = Record<string, unknown>;
type Ran = { readonly messages: Message[]; readonly thrown: unknown; readonly result: Message };
type World = {
  readonly models: ModelsWire;
  readonly root: string;
  readonly cwd: string;
  readonly config: string;
  /** One query with these prompts, to its end. */
  readonly ask: (prompts: readonly string[], options?: Options, env?: Record<string, string>) => Promise<Ran>;
};

async function world(): Promise<World> {
  const root = await mkdtemp(join(tmpdir(), "pretend-claude-"));
  const models = await startModels({ apiKey: "k" });
  const [cwd, config] = [join(root, "work"), join(root, "config")];
  await Promise.all([mkdir(cwd), mkdir(config)]);
  await pretendClaude(root);
  const part = `claude-agent-sdk-${platform()}-${arch()}`;
  const program = join(root, "node_modules", "@anthropic-ai", part, "claude");
  onTestFinished(async () => {
    await models[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const ask: World["ask"] = async (prompts, options = {}, more = {}) => {
    const base = {
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      CLAUDE_CONFIG_DIR: config,
      CLAUDE_CODE_MAX_RETRIES: "0",
    };
    const env = { ...base, ANTHROPIC_BASE_URL: models.baseUrl, ANTHROPIC_API_KEY: "k", ...more };
    const next = Promise.withResolvers<void>();
    let ready = next;
    async function* prompt(): AsyncGenerator<{ message: { content: string } }> {
      for (const content of prompts) {
        yield { message: { content } };
        await ready.promise;
        ready = Promise.withResolvers<void>();
      }
    }
    const messages: Message[] = [];
    let thrown: unknown;
    try {
      for await (const message of queryWith({ prompt: prompt(), options: { cwd, env, ...options } }, program)) {
        messages.push(message);
        if (message["type"] === "result") ready.resolve();
      }
    } catch (error) {
      thrown = error;
    }
    return { messages, thrown, result: messages.findLast((message) => message["type"] === "result") ?? {} };
  };
  return { models, root, cwd, config, ask };
}

const LOCKED: Options = { tools: [], settingSources: [], strictMcpConfig: true, permissionMode: "default" };
const told = (models: ModelsWire): string => JSON.stringify(models.last?.body ?? "");
const sessionOf = (ran: Ran): string => String(ran.result["session_id"]);

test("C58: no tools and no sources are no lockdown: without verbatim prompts files are attached and commands run", async () => {
  const { models, root, config, ask } = await world();
  const secret = join(root, "secret.txt");
  await writeFile(secret, "PLANTED");
  await ask([`look @${secret}`], LOCKED);
  expect(told(models)).toContain("PLANTED");
  const before = models.requestCount;
  await ask(["/config model=opus"], LOCKED);
  expect(models.requestCount).toBe(before);
  expect(await readdir(config)).toContain("settings.json");
  await ask([`look @${secret}`], { ...LOCKED, verbatimPrompts: true });
  expect(told(models)).not.toContain("PLANTED");
  await ask(["/config model=opus"], { ...LOCKED, verbatimPrompts: true });
  expect(models.last?.lastUserText).toContain("/config model=opus");
});

test("C58: what lies in its folders is read and run unless it is told not to", async () => {
  const { models, root, cwd, ask } = await world();
  const ran = join(root, "hook-ran");
  await mkdir(join(cwd, ".claude"));
  await writeFile(join(cwd, "CLAUDE.md"), "PLANTED");
  const hooks = { Stop: [{ hooks: [{ type: "command", command: `touch ${ran}` }] }] };
  await writeFile(join(cwd, ".claude", "settings.json"), JSON.stringify({ hooks }));
  await ask(["hello"], { ...LOCKED, verbatimPrompts: true });
  expect(told(models)).not.toContain("PLANTED");
  await ask(["hello"], { tools: [], verbatimPrompts: true });
  expect(told(models)).toContain("PLANTED");
  await expect
    .poll(
      async () =>
        await access(ran).then(
          () => true,
          () => false,
        ),
      { timeout: 10_000 },
    )
    .toBe(true);
});

test("C58: a session is found by its id, the first system prompt wins, and an unknown one is a result and a throw", async () => {
  const { models, ask } = await world();
  const first = await ask(["my cat is Miso"], { systemPrompt: "OLD-WORDS" });
  const resume = sessionOf(first);
  await ask(["hm"], { resume, systemPrompt: "NEW-WORDS" });
  expect(told(models)).toContain("Miso");
  expect(models.last?.system).toContain("OLD-WORDS");
  await ask(["hm"], { resume, systemPrompt: { type: "custom", prompt: "NEW-WORDS", snapshot: false } });
  expect(models.last?.system).toContain("NEW-WORDS");
  const before = models.requestCount;
  const unknown = resume.replaceAll(/[^-]/gu, "0");
  const lost = await ask(["hm"], { resume: unknown });
  const words = `No conversation found with session ID: ${unknown}`;
  expect(lost.result).toMatchObject({
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 0,
    errors: [words],
  });
  expect(String(lost.thrown)).toContain(words);
  expect(models.requestCount).toBe(before);
});

test("C58: costs are running totals over a resume, and usage is the turn's", async () => {
  const { models, ask } = await world();
  models.always(["hi", { usage: { input: 100, output: 10 } }]);
  const first = await ask(["one"]);
  const second = await ask(["two"], { resume: sessionOf(first) });
  expect(second.result["usage"]).toMatchObject({ input_tokens: 100, output_tokens: 10 });
  expect(Number(second.result["total_cost_usd"])).toBeCloseTo(2 * Number(first.result["total_cost_usd"]), 10);
});

test("C58: a refused request is a success that is an error, does not throw, and the next turn works", async () => {
  const { models, ask } = await world();
  models.reply([{ status: 500, message: "no" }]);
  const ran = await ask(["one", "two"]);
  const results = ran.messages.filter((message) => message["type"] === "result");
  expect(results).toMatchObject([
    { subtype: "success", is_error: true, api_error_status: 500 },
    { subtype: "success", is_error: false },
  ]);
  expect(ran.thrown).toBeUndefined();
  expect(ran.messages.some((message) => message["error"] === "server_error")).toBe(true);
});

test("C58: harmless commands and reads in its folder run unasked, others ask; plans need their switches", async () => {
  const { models, cwd, ask } = await world();
  const asked: string[] = [];
  const canUseTool: Options["canUseTool"] = async (name) => {
    asked.push(name);
    return await Promise.resolve({ behavior: "deny", message: "no" });
  };
  const call = (tool: string, args: object): void => models.reply([{ tool, args }], "done");
  call("Bash", { command: "echo hi" });
  await ask(["go"], { canUseTool });
  expect(told(models)).toContain("hi\\n");
  call("Bash", { command: "touch made" });
  const denied = await ask(["go"], { canUseTool });
  expect(asked).toEqual(["Bash"]);
  expect(await readdir(cwd)).toEqual([]);
  expect(denied.result["permission_denials"]).toMatchObject([{ tool_name: "Bash" }]);
  call("Bash", { command: "echo hi" });
  await ask(["go"], { canUseTool, settings: { permissions: { ask: ["Bash"] } } });
  expect(asked).toEqual(["Bash", "Bash"]);
  await ask(["go"], { tools: ["TodoWrite"] });
  expect(models.last?.toolNames).toEqual([]);
  await ask(["go"], { tools: ["TodoWrite"] }, { CLAUDE_CODE_ENABLE_TASKS: "0", CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" });
  expect(models.last?.toolNames).toEqual(["TodoWrite"]);
});

test("C58: without any sign-in nothing is sent", async () => {
  const { models, ask } = await world();
  const ran = await ask(["hello"], {}, { ANTHROPIC_API_KEY: "" });
  expect(ran.result).toMatchObject({ subtype: "success", is_error: true, result: "Not logged in · Please run /login" });
  expect(models.requestCount).toBe(0);
});
