// The launcher, copied beside a small main of its own: from any folder, through a link, on an old Node, and under signals.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

/** Says what it is and what it got, then does what its first argument says. */
const MAIN = `
import { DatabaseSync } from "node:sqlite";
const [what = "", code = "0"]: string[] = process.argv.slice(2);
const say = (fields: object): void => console.log(JSON.stringify(fields));
new DatabaseSync(":memory:").close();
if (what === "warn") process.emitWarning("mind the gap", "ExperimentalWarning");
if (what === "wait") {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => say({ signal }));
  process.on("SIGTERM", () => setTimeout(() => process.exit(7), 200));
  setInterval(() => 1, 1000);
}
if (what === "die") setInterval(() => 1, 1000);
if (what === "read") for await (const text of process.stdin) say({ text: String(text) });
say({ pid: process.pid, node: process.versions.node, cwd: process.cwd(), args: process.argv.slice(2) });
process.exitCode = Number(code);
`;

/** Makes a running Node say that it is an older one. The Node it starts doesn't get this. */
const OLD = [
  "--import",
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.0.0'}})",
];

type Said = { pid?: number; node?: string; cwd?: string; args?: string[]; signal?: string; text?: string };
type Run = {
  readonly child: ChildProcess;
  /** The next line that main says. */
  readonly said: () => Promise<Said>;
  readonly end: Promise<{ code: number | null; signal: string | null; words: string; rest: Said[] }>;
};

let place = "";
let running: ChildProcess[] = [];

beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "tidegate-launcher-")));
  running = [];
  mkdirSync(join(place, "home/src/gateway"), { recursive: true });
  cpSync(join(project, "tidegate"), join(place, "home/tidegate"));
  writeFileSync(join(place, "home/package.json"), '{ "type": "module" }');
  writeFileSync(join(place, "home/src/gateway/main.ts"), MAIN);
  symlinkSync(join(project, "node_modules"), join(place, "home/node_modules"));
});

afterEach(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(place, { recursive: true, force: true });
});

function run(args: readonly string[], { node = [] as string[], file = "home/tidegate", cwd = place } = {}): Run {
  const child = spawn(process.execPath, [...node, join(place, file), ...args], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async (): Promise<Said> => JSON.parse((await lines.next()).value ?? "null") as Said;
  let words = "";
  child.stderr.on("data", (chunk) => (words += String(chunk)));
  const end = once(child, "close").then(async ([code, signal]) => {
    const rest: Said[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next())
      rest.push(JSON.parse(line.value) as Said);
    return { code: code as number | null, signal: signal as string | null, words, rest };
  });
  return { child, said, end };
}

describe.each([
  { on: "the running Node", node: [], bundled: false },
  { on: "the bundled Node, from an older one", node: OLD, bundled: true },
])("on $on, the launcher", ({ node, bundled }) => {
  test("F1: runs main from another folder, with the arguments and the exit code as they are", async () => {
    mkdirSync(join(place, "else where"));
    const args = ["exit", "3", "--config", "a b.yaml", "*", ""];
    const { child, said, end } = run(args, { node, cwd: join(place, "else where") });
    const first = await said();
    expect(first).toMatchObject({ args, cwd: join(place, "else where") });
    expect(Number.parseInt(first.node ?? "", 10)).toBeGreaterThanOrEqual(24);
    expect(first.pid === child.pid).toBe(!bundled);
    expect(await end).toMatchObject({ code: 3, words: "" });
  });

  test("F1: runs main through a link", async () => {
    mkdirSync(join(place, "bin"));
    symlinkSync(join(place, "home/tidegate"), join(place, "bin/tidegate"));
    const { said, end } = run(["exit"], { node, file: "bin/tidegate" });
    expect(await said()).toMatchObject({ args: ["exit"] });
    expect(await end).toMatchObject({ code: 0, words: "" });
  });

  test("hands standard input on", async () => {
    const { child, said, end } = run(["read"], { node });
    child.stdin?.end("hello");
    expect(await said()).toEqual({ text: "hello" });
    expect(await end).toMatchObject({ code: 0 });
  });

  test("lets every warning through but those for SQLite and type stripping", async () => {
    const { end } = run(["warn"], { node });
    const { words } = await end;
    expect(words).toContain("ExperimentalWarning: mind the gap");
    expect(words).not.toMatch(/SQLite|type stripping/iu);
  });

  test("passes each signal on once and ends with what main makes of it", async () => {
    const { child, said, end } = run(["wait"], { node });
    await said();
    child.kill("SIGINT");
    expect(await said()).toEqual({ signal: "SIGINT" });
    child.kill("SIGHUP");
    expect(await said()).toEqual({ signal: "SIGHUP" });
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 7, rest: [{ signal: "SIGTERM" }] });
  });

  test("ends by the signal that ended main", async () => {
    const { said, end } = run(["die"], { node });
    process.kill((await said()).pid ?? 0, "SIGKILL");
    expect(await end).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("says in words that nothing is installed", async () => {
    rmSync(join(place, "home/node_modules"));
    const { code, words } = await run([], { node }).end;
    expect(code).toBe(1);
    expect(words).toContain(`Run "npm ci" in ${join(place, "home")}`);
    expect(words.trim().split("\n").length).toBe(1);
  });
});

test("a main that lacks a package says so in words; any other missing file is shown as the fault it is", async () => {
  writeFileSync(join(place, "home/src/gateway/main.ts"), 'import "tidegate-is-not-installed";');
  const lacking = await run([]).end;
  expect(lacking).toMatchObject({ code: 1 });
  expect(lacking.words).toMatch(/^Tidegate's packages are not all installed .*"npm ci"/u);
  writeFileSync(join(place, "home/src/gateway/main.ts"), 'import "./gone.ts";');
  const broken = await run([]).end;
  expect(broken).toMatchObject({ code: 1 });
  expect(broken.words).toContain("ERR_MODULE_NOT_FOUND");
});

test("an older Node without the bundled one says what it needs", async () => {
  rmSync(join(place, "home/node_modules"));
  mkdirSync(join(place, "home/node_modules"));
  const { code, words } = await run([], { node: OLD }).end;
  expect(code).toBe(1);
  expect(words).toContain("Tidegate needs Node 24");
});

test("main ends when the launcher of an older Node is killed", async () => {
  const { child, said, end } = run(["wait"], { node: OLD });
  await said();
  child.kill("SIGKILL");
  // Its output closes only once main, which holds it too, has ended: asked by SIGTERM, as on any other stop.
  expect(await end).toMatchObject({ signal: "SIGKILL", rest: [{ signal: "SIGTERM" }] });
});
