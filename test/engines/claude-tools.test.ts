// How the engine for Claude Code understands the program's own tools, and how a turn's tools are offered over MCP.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolCall, ToolSpec } from "../../src/core/tool.ts";
import type { Engine } from "../../src/core/engine.ts";
import { claudeEngine } from "../../src/engines/claude-code/engine.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { OWN_TOOLS, planOf, understand } from "../../src/engines/claude-code/own-tools.ts";
import { resumeIdOf, sessionOf } from "../../src/engines/claude-code/sessions.ts";
import { toolServer, type TurnTools } from "../../src/engines/door-tools.ts";
import { testHost } from "./host.ts";
import { keepingLog, LOOK, play, turn } from "./play.ts";

const WORK = "/home/sam/work/c1";

function understood(name: string, input: unknown): ReturnType<typeof understand> {
  return understand("toolu_1", name, input, WORK);
}

async function client(now: () => TurnTools | undefined): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await toolServer(now).connect(ours);
  const made = new Client({ name: "test", version: "1" });
  await made.connect(theirs);
  onTestFinished(async () => await made.close());
  return made;
}

describe("a use of an own tool", () => {
  it("C44: has its row by what it does, with paths in the work folder as they lie there", () => {
    expect(understood("Read", { file_path: `${WORK}/a/b.txt` })?.shown.input).toEqual({ path: "a/b.txt" });
    expect(understood("Bash", { command: "ls", description: "looks" })?.shown.input).toEqual({ command: "ls" });
    expect(understood("WebFetch", { url: "https://example.org", prompt: "x" })?.shown).toMatchObject({
      name: "WebFetch",
      input: { url: "https://example.org" },
    });
    expect(understood("Grep", { pattern: "x", path: "/srv" })?.shown.input).toEqual({ pattern: "x", path: "/srv" });
    const edit = { file_path: "a", old_string: "one\ntwo\n", new_string: "one\nthree\n" };
    expect(understood("Edit", edit)?.shown.input).toEqual({ path: "a", diff: " one\n-two\n+three" });
    expect(understood("Write", { file_path: "a", content: "x\n".repeat(30_000) })?.shown.input).toMatchObject({
      diff: expect.stringMatching(/^.{0,20000}$/su),
    });
  });

  it("A20, A31: a search without a folder is one of the work folder, and what runs is what was asked about", () => {
    for (const name of ["Grep", "Glob"]) {
      const use = understood(name, { pattern: "x" });
      expect(use?.use.paths).toEqual([WORK]);
      expect(use?.runs).toEqual({ pattern: "x", path: WORK });
      expect(use?.use.input).toEqual(use?.runs);
    }
    // The program may have changed its folder since: a relative path would mean another place.
    expect(understood("Read", { file_path: "../x" })?.runs).toEqual({ file_path: "/home/sam/work/x" });
  });

  it("A20, A31: a pattern that begins with a path looks there", () => {
    expect(understood("Glob", { pattern: "/data/store/**/*.db" })?.use.paths).toEqual([WORK, "/data/store"]);
    expect(understood("Glob", { pattern: "/data*/x" })?.use.paths).toEqual([WORK, "/"]);
    expect(understood("Glob", { pattern: "src/**" })?.use.paths).toEqual([WORK]);
    for (const pattern of ["../**", "a/../../b", "~/x", "{/data,b}/*", "{../x,b}", "a/{..,b}/x", "{a,~/b}"])
      expect(understood("Glob", { pattern })).toBeUndefined();
  });

  it("A20, A31: a path is judged as the program takes it: without white space around it, and composed", () => {
    for (const path of ["/srv/.env ", "\t/srv/.env", "/srv/.env\u00a0\n", "/srv/x/../.env\ufeff"])
      expect(understood("Read", { file_path: path })).toMatchObject({
        use: { paths: ["/srv/.env"], input: { file_path: "/srv/.env" } },
        runs: { file_path: "/srv/.env" },
      });
    expect(understood("Read", { file_path: " ~/.claude.json" })?.use.paths).toEqual(["~/.claude.json"]);
    const [decomposed, composed] = ["/home/jose\u0301/.env", "/home/jos\u00e9/.env"];
    expect(understood("Write", { file_path: decomposed, content: "" })?.use.paths).toEqual([composed]);
    // What would be another place once it is tidied again.
    for (const path of ["/srv/.env /.", "/srv/.env /x/..", " ", "\u3000"])
      expect(understood("Read", { file_path: path })).toBeUndefined();
    for (const pattern of [" /srv/*", "/srv/* ", "/srv /*", "/home/jose\u0301/*"])
      expect(understood("Glob", { pattern })).toBeUndefined();
  });

  it("A20, A31: what is not known, or can't be understood, is not a use of anything", () => {
    for (const name of ["Task", "Agent", "Skill", "KillShell", "AskUserQuestion", "toString", "__proto__", ""])
      expect(understood(name, { file_path: "a", command: "a", pattern: "a" })).toBeUndefined();
    expect(understood("Read", {})).toBeUndefined();
    expect(understood("Read", { file_path: ["a"] })).toBeUndefined();
    expect(understood("Bash", { command: 7 })).toBeUndefined();
    expect(understood("Bash", undefined)).toBeUndefined();
    expect(understood("Glob", { pattern: "" })).toBeUndefined();
  });

  it("A20, A31: whatever it is given, a use of a file tool names the place that it runs at", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...OWN_TOOLS),
        fc.dictionary(
          fc.constantFrom("file_path", "path", "pattern", "notebook_path", "command", "url"),
          fc.oneof(fc.string(), fc.constantFrom("/data/x", "../x", "~/x", "", "."), fc.integer(), fc.constant(null)),
        ),
        (name, input) => {
          const use = understood(name, input);
          if (use === undefined) return;
          const { does, paths = [], command } = use.use;
          if (does === "command") expect(typeof command).toBe("string");
          if (does !== "read" && does !== "write") return;
          expect(paths.length).toBeGreaterThan(0);
          const at = use.runs["file_path"] ?? use.runs["notebook_path"] ?? use.runs["path"];
          expect(paths).toContain(
            name === "NotebookEdit"
              ? use.runs["notebook_path"]
              : name === "Grep" || name === "Glob"
                ? use.runs["path"]
                : at,
          );
          for (const path of paths) expect(path).toMatch(/^[/~]/u);
        },
      ),
    );
  });

  it("O62: its list of steps is a plan", () => {
    const todos = [{ content: "a", status: "completed" }, { content: " " }, { content: "b", status: "odd" }, 7];
    expect(planOf({ todos })?.steps).toEqual([
      { text: "a", state: "done" },
      { text: "b", state: "pending" },
    ]);
    expect(planOf({ todos: "none" })).toBeUndefined();
  });
});

/** An SDK whose program says these messages whatever it is told, and never asks. */
async function saying(messages: readonly object[]): Promise<Engine> {
  const host = await testHost();
  onTestFinished(async () => await host[Symbol.asyncDispose]());
  const at = join(host.root, "program", "node_modules", "@anthropic-ai", "claude-agent-sdk");
  await mkdir(at, { recursive: true });
  await writeFile(join(at, "package.json"), JSON.stringify({ version: "1", type: "module", main: "sdk.mjs" }));
  await writeFile(
    join(at, "sdk.mjs"),
    `export function query() {
       const said = (async function* () { yield* ${JSON.stringify(messages)}; })();
       return Object.assign(said, { interrupt: async () => {}, close: () => {} });
     }`,
  );
  const given = { name: "claude", command: process.execPath, sdk: join(host.root, "program"), apiKey: "key" };
  const engine = await claudeEngine(given, { clock: realClock, random: realRandom, log: keepingLog() }, host);
  onTestFinished(async () => await engine[Symbol.asyncDispose]());
  return { ...engine, run: (input) => engine.run({ ...input, workFolder: join(host.root, "work") }) };
}

it("C43, C47: what the program ran without asking is not told as not run, and a tool that nobody knows has a row too", async () => {
  const use = (id: string, name: string, input: object): object => ({
    type: "assistant",
    message: { id: "m", content: [{ type: "tool_use", id, name, input }] },
  });
  const answer = (id: string, text: string, is_error: boolean): object => ({
    type: "user",
    message: { content: [{ type: "tool_result", tool_use_id: id, content: text, is_error }] },
  });
  const engine = await saying([
    { type: "system", subtype: "init", session_id: "0f8fad5b-d9cb-469f-a165-70867728950e" },
    ...[use("1", "Bash", { command: "ls" }), answer("1", "a.txt", false)],
    ...[use("2", "Task", { prompt: "x" }), answer("2", "all done", false)],
    ...[use("3", "Bash", { command: "rm" }), answer("3", "not allowed", true)],
    ...[use("4", "Task", { prompt: "x" }), answer("4", "No such tool available", true)],
    { type: "result", subtype: "success", is_error: false, session_id: "0f8fad5b-d9cb-469f-a165-70867728950e" },
  ]);
  const { events } = await play(engine, turn("go"));
  const rows = events.flatMap((event) => (event.kind === "tool-start" ? [event.call.name] : []));
  expect(rows).toEqual(["Bash", "Task", "Bash"]);
  const outcomes = events.flatMap((event) => (event.kind === "tool-end" ? [event.result.outcome] : []));
  expect(outcomes).toEqual(["ok", "ok", "not-run"]);
});

describe("resume ids", () => {
  it("C19, A21: carry the level of trust, and nothing else passes for one", () => {
    const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";
    expect(sessionOf(resumeIdOf("locked", uuid))).toEqual({ level: "locked", session: uuid });
    for (const id of [uuid, `guest:${uuid}`, `owner:${uuid}:x`, "owner:../../x", `owner:${uuid}/..`, "owner:", ""])
      expect(sessionOf(id)).toBeUndefined();
  });
});

describe("a turn's tools over MCP", () => {
  const calls: ToolCall[] = [];
  const having = (tools: readonly ToolSpec[]): TurnTools => ({
    tools,
    call: async (call) => {
      calls.push(call);
      return await Promise.resolve(
        call.name === "look" ? { outcome: "ok", text: "seen" } : { outcome: "denied", text: "no" },
      );
    },
  });

  it("C12: a call is checked against the tools of the turn that runs now, and refused when none runs", async () => {
    let now: TurnTools | undefined = having([LOOK]);
    const program = await client(() => now);
    calls.length = 0;
    expect(await program.callTool({ name: "look", arguments: { at: "sea" } })).toEqual({
      content: [{ type: "text", text: "seen" }],
    });
    expect(calls).toEqual([{ id: expect.stringMatching(/^call-\d+$/u), name: "look", input: { at: "sea" } }]);
    now = having([{ ...LOOK, name: "other" }]);
    expect(await program.callTool({ name: "look" })).toMatchObject({ isError: true });
    expect(await program.callTool({ name: "other" })).toMatchObject({ isError: true, content: [{ text: "no" }] });
    expect((await program.listTools()).tools.map((tool) => tool.name)).toEqual(["other"]);
    now = undefined;
    expect(await program.callTool({ name: "other" })).toMatchObject({ isError: true });
    expect((await program.listTools()).tools).toEqual([]);
    expect(calls.map((call) => call.name)).toEqual(["look", "other"]);
  });

  it("C12: a call's id is the program's own where it tells one", async () => {
    const program = await client(() => having([LOOK]));
    calls.length = 0;
    await program.callTool({ name: "look", _meta: { "claudecode/toolUseId": "toolu_9" } });
    expect(calls[0]?.id).toBe("toolu_9");
  });

  it("O70: a schema that no program could list takes no other tool away", async () => {
    const odd: readonly ToolSpec["input"][] = [
      {},
      { type: "string" },
      { type: "object", properties: [] },
      { type: "object", properties: { a: true } },
      { type: "object", required: "a" },
      { type: "object", oneOf: [{ required: ["a"] }], properties: { a: { type: "string" } } },
      { type: "object", properties: { "a b": { type: "string" }, c: { type: "string" } }, required: ["a b", "c"] },
    ];
    const tools = odd.map((input, at) => ({ name: `odd${at}`, description: "", input }));
    const { tools: listed } = await (await client(() => having([...tools, LOOK]))).listTools();
    expect(listed.map(({ name }) => name)).toEqual([...tools.map(({ name }) => name), "look"]);
    expect(listed.at(-1)?.inputSchema).toEqual(LOOK.input);
    expect(listed[5]?.inputSchema).toEqual({ type: "object", properties: { a: { type: "string" } } });
    expect(listed[6]?.inputSchema).toEqual({ type: "object", properties: { c: { type: "string" } }, required: ["c"] });
  });
});
