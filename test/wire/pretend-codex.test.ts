// The stand-in for Codex does what was measured of the real one, the traps above all.
import { spawn } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startModels } from "./models.ts";
import type { ModelsWire } from "./models.ts";
import { pretendCodex } from "./pretend-codex.ts";

type Fields = Record<string, unknown>;
type Client = {
  /** Resolves with the result; rejects with the error's code and words. */
  readonly call: (method: string, params?: Fields) => Promise<Fields>;
  /** One turn to its end; gives what it ended with. */
  readonly turn: (threadId: string, text: string, more?: Fields) => Promise<Fields>;
  readonly seen: Fields[];
  /** What answers the program's own requests. */
  readonly answers: { answer: (method: string) => Fields };
  readonly end: () => Promise<number | null>;
};

const START = {
  approvalPolicy: "untrusted",
  sandbox: "read-only",
  historyMode: "legacy",
  developerInstructions: "STANDING",
};

async function world(): Promise<{
  models: ModelsWire;
  home: string;
  work: string;
  open: (more?: string) => Promise<Client>;
}> {
  const root = await mkdtemp(join(tmpdir(), "pretend-codex-"));
  const models = await startModels();
  const [home, work] = [join(root, "home"), join(root, "work")];
  await Promise.all([mkdir(home), mkdir(work)]);
  const command = await pretendCodex(root);
  onTestFinished(async () => {
    await models[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });
  const open = async (more = "[features]\nshell_tool = true\n"): Promise<Client> => {
    const head = `model = "m"\nmodel_provider = "mock"\nproject_doc_max_bytes = 0\nweb_search = "disabled"\n`;
    const provider = `[model_providers.mock]\nbase_url = "${models.openaiUrl}"\nrequest_max_retries = 0\nstream_max_retries = 1\n`;
    await writeFile(join(home, "config.toml"), `${head}${provider}${more}`);
    return await connect(command, { CODEX_HOME: home, HOME: home, PATH: process.env["PATH"] ?? "" });
  };
  return { models, home, work, open };
}

async function connect(command: string, env: Record<string, string>): Promise<Client> {
  const child = spawn(command, ["app-server"], { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const waiting = new Map<number, PromiseWithResolvers<Fields>>();
  const seen: Fields[] = [];
  const answers = { answer: (_method: string): Fields => ({ decision: "accept" }) };
  let onEnd: (params: Fields) => void = () => undefined;
  let count = 0;
  const send = (message: Fields): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line) as Fields & { params?: Fields; error?: { code: number; message: string } };
    const { id, method, params = {}, error } = message;
    if (typeof method === "string") {
      seen.push(message);
      if (id !== undefined) send({ id, result: answers.answer(method) });
      if (method === "turn/completed") onEnd(params);
      return;
    }
    const asked = waiting.get(Number(id));
    if (error === undefined) asked?.resolve((message["result"] ?? {}) as Fields);
    else asked?.reject(new Error(`${error.code} ${error.message}`));
  });
  const call = async (method: string, params: Fields = {}): Promise<Fields> => {
    const id = (count += 1);
    const asked = Promise.withResolvers<Fields>();
    waiting.set(id, asked);
    send({ id, method, params });
    return await asked.promise;
  };
  await call("initialize", { clientInfo: { name: "t", version: "1" }, capabilities: { experimentalApi: true } });
  return {
    ...{ call, seen, answers },
    turn: async (threadId, text, more = {}) => {
      const ended = Promise.withResolvers<Fields>();
      onEnd = ended.resolve;
      await call("turn/start", { threadId, input: [{ type: "text", text }], ...more });
      return (await ended.promise)["turn"] as Fields;
    },
    end: async () => {
      child.stdin.end();
      return await new Promise((done) => void child.once("exit", done));
    },
  };
}

const idOf = (result: Fields): string => String((result["thread"] as Fields)["id"]);
const told = (models: ModelsWire): string => JSON.stringify(models.last?.body ?? "");

test("C58: a thread is picked up from its file alone, and lacks without a word what was cut off it", async () => {
  const { models, home, work, open } = await world();
  const first = await open();
  const id = idOf(await first.call("thread/start", { ...START, cwd: work }));
  expect(await readdir(home)).not.toContain("sessions");
  await first.turn(id, "my cat is Miso");
  await first.turn(id, "my dog is Tofu");
  expect(await first.end()).toBe(0);
  const file = String(
    (await readdir(join(home, "sessions"), { recursive: true })).find((name) => name.endsWith(`${id}.jsonl`)),
  );
  const path = join(home, "sessions", file);
  const second = await open();
  await second.call("thread/resume", { threadId: id, approvalPolicy: "untrusted" });
  await second.turn(id, "hm");
  expect(told(models)).toContain("Miso");
  expect(told(models)).toContain("Tofu");
  // What it was told to hold to at the start is history.
  expect(told(models)).toContain("STANDING");
  await second.end();
  const lines = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, lines.filter((line) => !line.includes("Tofu")).join("\n"));
  await appendFile(path, '{"torn');
  const third = await open();
  await third.call("thread/resume", { threadId: id });
  await third.turn(id, "hm");
  expect(told(models)).toContain("Miso");
  expect(told(models)).not.toContain("Tofu");
  await third.end();
  await writeFile(path, lines.slice(1).join("\n"));
  const fourth = await open();
  await expect(fourth.call("thread/resume", { threadId: id })).rejects.toThrow(/-32603 failed to read thread/u);
  await expect(fourth.call("thread/resume", { threadId: id.replaceAll(/[^-]/gu, "0") })).rejects.toThrow(
    /-32600 no rollout found/u,
  );
  await expect(fourth.call("thread/resume", { threadId: "mine" })).rejects.toThrow(/invalid session id/u);
});

test("C58: no environment means no commands, for that turn's process only", async () => {
  const { models, work, open } = await world();
  models.always((request) =>
    JSON.stringify(request.body).includes("function_call_output")
      ? ["done"]
      : [{ tool: "exec_command", args: { cmd: "touch ran" } }],
  );
  const client = await open();
  const id = idOf(await client.call("thread/start", { ...START, cwd: work, environments: [] }));
  await client.turn(id, "go");
  expect(told(models)).toContain("unsupported call: exec_command");
  expect(await readdir(work)).toEqual([]);
  await client.end();
  models.always((request) => (request.toolNames.includes("exec_command") ? "still there" : "gone"));
  const again = await open();
  await again.call("thread/resume", { threadId: id });
  const turn = await again.turn(id, "go");
  expect(JSON.stringify(turn)).toContain("still there");
});

test("C58: without the untrusted policy a command runs unasked, with it it asks, and a decline is not run", async () => {
  const { models, work, open } = await world();
  models.always((request) =>
    JSON.stringify((request.body["input"] as Fields[]).at(-1)).includes("function_call_output")
      ? ["done"]
      : [{ tool: "exec_command", args: { cmd: `touch ${request.lastUserText}` } }],
  );
  const client = await open();
  const free = idOf(await client.call("thread/start", { ...START, approvalPolicy: "never", cwd: work }));
  await client.turn(free, "unasked");
  expect(await readdir(work)).toEqual(["unasked"]);
  expect(client.seen.some(({ id }) => id !== undefined)).toBe(false);
  const id = idOf(await client.call("thread/start", { ...START, cwd: work }));
  client.answers.answer = () => ({ decision: "decline" });
  await client.turn(id, "declined");
  expect(await readdir(work)).toEqual(["unasked"]);
  expect(JSON.stringify(client.seen)).toContain('"status":"declined"');
  expect(told(models)).toContain("rejected by user");
});

test("C58: additional context is cut, is repeated only after it changed, and is dropped by a compaction", async () => {
  const { models, work, open } = await world();
  const client = await open();
  const id = idOf(await client.call("thread/start", { ...START, cwd: work }));
  const additionalContext = { "sys.00": { value: `BEGIN${"x".repeat(5000)}END`, kind: "application" } };
  await client.turn(id, "one", { additionalContext });
  await client.turn(id, "two", { additionalContext });
  expect(told(models).split("BEGIN")).toHaveLength(2);
  expect(told(models)).toContain("tokens truncated");
  models.reply(["big", { usage: { input: 250_000, output: 1 } }]);
  await client.turn(id, "three", { additionalContext });
  await client.turn(id, "four", { additionalContext });
  expect(client.seen.some((message) => JSON.stringify(message).includes("contextCompaction"))).toBe(true);
  expect(told(models)).not.toContain("BEGIN");
  expect(told(models)).toContain("STANDING");
});

test("C58: failures have the kinds that were measured, after the tries that the config allows", async () => {
  const { models, work, open } = await world();
  const client = await open();
  const id = idOf(await client.call("thread/start", { ...START, cwd: work }));
  for (const [status, info, requests] of [
    [401, { httpConnectionFailed: { httpStatusCode: 401 } }, 2],
    [429, { responseTooManyFailedAttempts: { httpStatusCode: 429 } }, 2],
    [500, "internalServerError", 2],
    [418, "other", 1],
  ] as const) {
    models.always([{ status, message: "no" }]);
    const before = models.requestCount;
    const turn = await client.turn(id, "go");
    expect(turn).toMatchObject({ status: "failed", error: { codexErrorInfo: info } });
    expect(models.requestCount - before).toBe(requests);
  }
  models.always("well again");
  expect(await client.turn(id, "go")).toMatchObject({ status: "completed" });
});

test("C58: new fields need the experimental capability, and the retired policy ends the program", async () => {
  const { home, work, open } = await world();
  const client = await open();
  await expect(client.call("thread/rollback", {})).rejects.toThrow(/-32600 .*unknown variant/u);
  await client.call("initialize", { capabilities: {} });
  await expect(client.call("thread/start", { ...START, cwd: work })).rejects.toThrow(
    /requires experimentalApi capability/u,
  );
  await client.end();
  await writeFile(join(home, "config.toml"), 'approval_policy = "untrusted"\n');
  const command = await pretendCodex(join(home, "bin"));
  const child = spawn(command, ["app-server"], {
    env: { CODEX_HOME: home, PATH: process.env["PATH"] ?? "" },
    stdio: "ignore",
  });
  expect(await new Promise((done) => void child.once("exit", done))).toBe(1);
});
