// What the real Claude Code can't get at: every tool of its own asks the real guard, and closed places stay closed in every mode.
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { OwnUse } from "../../src/core/tool.ts";
import type { Mode, Taint } from "../../src/core/taint.ts";
import { closedPlaces } from "../../src/gateway/places.ts";
import { toolbox } from "../../src/turn/toolbox.ts";
import { play, turn } from "../engines/play.ts";
import type { Played } from "../engines/play.ts";
import { fieldsOf } from "../wire/models-script.ts";
import type { Step } from "../wire/models-script.ts";
import { claudeStage } from "./claude-stage.ts";
import type { ClaudeStage } from "./claude-stage.ts";

const CANARY = "CANARY-4711";
/** A file's name that no prompt and no call says: only a list of files could. */
const UNSAID = "unsaid-8812.txt";
const FORWARD: Taint = { kind: "person", label: "Kim", source: "telegram:7" };

async function stage(): Promise<ClaudeStage> {
  const made = await claudeStage();
  onTestFinished(async () => await made[Symbol.asyncDispose]());
  return made;
}

async function plant(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The model uses these tools, all at once, and then says that it is done. */
function uses(stage: ClaudeStage, tools: readonly (readonly [name: string, args: object])[]): void {
  stage.models.always((request) => {
    const last = fieldsOf(request.body["messages"]).findLast((message) => message["role"] !== "system");
    const answered = fieldsOf(last?.["content"]).some((block) => block["type"] === "tool_result");
    if (answered) return ["Done."];
    return tools.map(([tool, args], at): Step => ({ tool, args, id: `toolu_${request.index}_${at}` }));
  });
}

/** A turn whose own tools go by the real guard; nobody gives leave. */
async function guarded(
  stage: ClaudeStage,
  {
    mode,
    marks = [],
    locked = false,
  }: { readonly mode: Mode; readonly marks?: readonly Taint[]; readonly locked?: boolean },
): Promise<{ readonly played: Played; readonly used: readonly OwnUse[]; readonly asked: readonly string[] }> {
  const { host } = stage;
  const places = closedPlaces({
    ...{ data: join(host.root, "data"), configFile: join(host.root, "tidegate.yaml"), home: host.home },
    launcher: join(host.root, "tidegate"),
    temporary: join(host.root, "tmp"),
  });
  const asked: string[] = [];
  const workFolder = join(host.root, "work", "c1");
  const { signal } = new AbortController();
  const box = await toolbox([], {
    ...{ conversation: "c1", turn: "t1", workFolder, given: new Set<string>(), places, signal, said: () => [] },
    standing: async () =>
      await Promise.resolve({ attendance: "owner", room: "private", marks, mode, checkAfterReading: true } as const),
    append: async () => await Promise.resolve(true),
    ask: async ({ call }) => {
      asked.push(call.name);
      return await Promise.resolve("no");
    },
  });
  const used: OwnUse[] = [];
  const allow: typeof box.allow = async (use) => {
    used.push(use);
    return await box.allow(use);
  };
  return { played: await play(stage.engine, turn("go", { workFolder, allow, locked })), used, asked };
}

function outcomes(played: Played): Readonly<Record<string, readonly string[]>> {
  const made: Record<string, string[]> = {};
  for (const event of played.events) {
    if (event.kind !== "tool-end") continue;
    const start = played.events.find((one) => one.kind === "tool-start" && one.call.id === event.callId);
    const name = start?.kind === "tool-start" ? start.call.name : "none";
    (made[name] ??= []).push(event.result.outcome);
  }
  return made;
}

it("A20, A31, A35: a canary in the data folder or in the program's own store is unreadable by every own tool, in every mode", async () => {
  const made = await stage();
  const { host } = made;
  const work = join(host.root, "work", "c1");
  const folders = [
    join(host.root, "data"),
    join(host.sessions, "claude-code", "claude", "owner"),
    join(host.home, ".claude"),
  ];
  for (const folder of folders) {
    await plant(join(folder, "canary.txt"), `${CANARY}\n`);
    await plant(join(folder, UNSAID), `${CANARY}\n`);
  }
  const config = join(host.root, "tidegate.yaml");
  await plant(config, `${CANARY}\n`);
  await plant(join(work, "mine.txt"), "MINE-WORDS\n");
  await symlink(folders[0] ?? "", join(work, "link"));
  const ran = join(host.root, "ran");
  const tries = folders.flatMap((folder): [string, object][] => {
    const file = join(folder, "canary.txt");
    return [
      ["Read", { file_path: file }],
      ["Grep", { pattern: "CANARY", path: folder, output_mode: "content" }],
      ["Glob", { pattern: `${folder}/*` }],
      ["Write", { file_path: join(folder, "new.txt"), content: "mine" }],
    ];
  });
  uses(made, [
    ...tries,
    ["Read", { file_path: join(work, "link", "canary.txt") }],
    ["Read", { file_path: "../../data/canary.txt" }],
    // The program takes white space away from around a path.
    ["Read", { file_path: `${config} ` }],
    ["Grep", { pattern: "CANARY", path: `${config}\t`, output_mode: "content" }],
    ["Edit", { file_path: join(folders[0] ?? "", "canary.txt"), old_string: "CANARY", new_string: "mine" }],
    ["Glob", { pattern: "**/*.txt", path: folders[1] }],
    ["Grep", { pattern: "CANARY", path: host.root, output_mode: "content" }],
    ["Grep", { pattern: "CANARY", path: "link", output_mode: "content" }],
    ["Glob", { pattern: "../../data/*" }],
    ["Bash", { command: `touch ${ran}; cat ${folders[0]}/can*`, description: "Looks" }],
    ["Read", { file_path: join(work, "mine.txt") }],
  ]);
  for (const mode of ["ask", "edits", "trust", "plan"] as const) {
    const { played, used } = await guarded(made, { mode });
    expect(played.reason).toBe("done");
    const told = JSON.stringify(made.models.last?.body["messages"]);
    expect(told).not.toContain(CANARY);
    expect(told).not.toContain(UNSAID);
    expect(told).toContain("MINE-WORDS");
    const { Read = [], Bash, ...others } = outcomes(played);
    expect(Read.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(Bash).toEqual(["denied"]);
    expect(Object.values(others).flat()).not.toContain("ok");
    // What the program turned down by itself it need not ask about; all else it did.
    expect(used.length).toBeGreaterThanOrEqual(Read.length + 1);
  }
  for (const folder of folders) expect(await readFile(join(folder, "canary.txt"), "utf8")).toBe(`${CANARY}\n`);
  await expect(readFile(ran)).rejects.toThrow("ENOENT");
}, 120_000);

it("A12, A31, C44: every own tool asks the guard, reads in the work folder too, and only what it allows is done", async () => {
  const made = await stage();
  const work = join(made.host.root, "work", "c1");
  await plant(join(work, "a.txt"), "alpha\nbeta\n");
  const tools: [string, object][] = [
    ["Read", { file_path: join(work, "a.txt") }],
    ["Grep", { pattern: "alpha" }],
    ["Glob", { pattern: "*.txt" }],
    ["Bash", { command: "echo ran > ran.txt", description: "Says so" }],
    ["Write", { file_path: join(work, "b.txt"), content: "mine" }],
    ["Edit", { file_path: join(work, "a.txt"), old_string: "beta", new_string: "gamma" }],
    ["WebFetch", { url: "https://example.invalid/x", prompt: "What is there?" }],
    ["WebSearch", { query: "lighthouses" }],
    ["Task", { description: "d", prompt: "p", subagent_type: "general-purpose" }],
  ];
  uses(made, tools);
  const clean = await guarded(made, { mode: "ask" });
  expect(clean.used.map(({ name }) => name).toSorted()).toEqual(
    ["Bash", "Edit", "Glob", "Grep", "Read", "WebFetch", "WebSearch", "Write"].toSorted(),
  );
  expect(clean.used.find(({ name }) => name === "Grep")?.paths).toEqual([work]);
  expect(outcomes(clean.played)).toEqual({
    ...{ Read: ["ok"], Grep: ["ok"], Glob: ["ok"] },
    ...{ Bash: ["denied"], Write: ["denied"], Edit: ["denied"], WebFetch: ["denied"], WebSearch: ["denied"] },
  });
  expect(clean.asked.toSorted()).toEqual(["Bash", "Edit", "WebFetch", "WebSearch", "Write"]);
  expect(await readFile(join(work, "a.txt"), "utf8")).toBe("alpha\nbeta\n");
  await expect(readFile(join(work, "ran.txt"))).rejects.toThrow("ENOENT");
  const marked = await guarded(made, { mode: "trust", marks: [FORWARD] });
  expect(outcomes(marked.played)).toMatchObject({ Read: ["ok"], Bash: ["denied"], Write: ["denied"] });
  const edits = await guarded(made, { mode: "edits" });
  expect(outcomes(edits.played)).toMatchObject({ Bash: ["denied"], Write: ["ok"], WebFetch: ["denied"] });
  expect(await readFile(join(work, "b.txt"), "utf8")).toBe("mine");
  const locked = await guarded(made, { mode: "trust", locked: true });
  expect(locked.used).toEqual([]);
  expect(outcomes(locked.played)).toEqual({});
  expect(made.models.last?.toolNames).toEqual([]);
});
