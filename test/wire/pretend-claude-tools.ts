// The tools of its own that the stand-in for Claude Code has: they really act.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Fields } from "./pretend-claude-files.ts";

export type ToolEnd = { readonly text: string; readonly failed: boolean; readonly shown: unknown };
export type Room = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Files that were read in this session: only those may be changed. */
  readonly known: Set<string>;
};

type Tool = (input: Fields, room: Room) => ToolEnd | Promise<ToolEnd>;

const failed = (text: string): ToolEnd => ({ text, failed: true, shown: `Error: ${text}` });
const ended = (text: string, shown: unknown): ToolEnd => ({ text, failed: false, shown });

export const OWN: Readonly<Record<string, Tool>> = {
  Bash: async (input, { cwd, env, signal }) => await run(String(input["command"]), cwd, env, signal),
  Read: (input, { cwd, known }) => {
    const path = resolve(cwd, String(input["file_path"]));
    if (!existsSync(path)) return failed("File does not exist.");
    const content = readFileSync(path, "utf8");
    known.add(path);
    const numbered = content.split("\n").map((line, at) => `${at + 1}\t${line}`);
    return ended(numbered.join("\n"), { type: "text", file: { filePath: path, content, numLines: numbered.length } });
  },
  Write: (input, { cwd, known }) => {
    const path = resolve(cwd, String(input["file_path"]));
    const content = String(input["content"]);
    if (existsSync(path) && !known.has(path)) return failed(UNREAD);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    known.add(path);
    return ended(`File created successfully at: ${path}`, {
      type: "create",
      filePath: path,
      content,
      structuredPatch: [],
    });
  },
  Edit: (input, { cwd, known }) => {
    const path = resolve(cwd, String(input["file_path"]));
    if (!existsSync(path)) return failed("File does not exist.");
    if (!known.has(path)) return failed(UNREAD);
    const before = readFileSync(path, "utf8");
    const from = String(input["old_string"]);
    if (!before.includes(from)) return failed(`String to replace not found in file.\nString: ${from}`);
    const to = String(input["new_string"]);
    writeFileSync(
      path,
      before.replace(from, () => to),
    );
    const lines = [`-${from}`, `+${to}`];
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }];
    const shown = { filePath: path, oldString: from, newString: to, originalFile: before, structuredPatch };
    return ended(`The file ${path} has been updated successfully.`, shown);
  },
  Grep: (input, { cwd }) => {
    const found = filesIn(resolve(cwd, typeof input["path"] === "string" ? input["path"] : ".")).filter((path) =>
      new RegExp(String(input["pattern"]), "u").test(readFileSync(path, "utf8")),
    );
    return ended(found.join("\n") || "No files found", { mode: "files_with_matches", filenames: found });
  },
  TodoWrite: (input) => ended("Todos have been modified successfully.", { oldTodos: [], newTodos: input["todos"] }),
};

const UNREAD = "File has not been read yet. Read it first before writing to it.";

/** What runs unasked unless something says otherwise: a harmless command, and reading in the folder it is in. */
export function unasked(name: string, input: Fields, cwd: string): boolean {
  if (name === "TodoWrite") return true;
  if (name === "Bash") return /^(?:echo|ls|pwd|cat)\b[^;&|><$`]*$/u.test(String(input["command"]));
  if (name === "Read") return resolve(cwd, String(input["file_path"])).startsWith(`${cwd}/`);
  return name === "Grep";
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path).flatMap((name) => filesIn(join(path, name)));
}

/** Runs in a process group of its own; ends with the signal. */
export async function run(
  command: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<ToolEnd> {
  const child = spawn("/bin/bash", ["-c", command], { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (piece: Buffer) => {
    stdout += piece.toString();
  });
  child.stderr.on("data", (piece: Buffer) => {
    stderr += piece.toString();
  });
  const kill = (): void => {
    try {
      process.kill(-(child.pid ?? Number.NaN), "SIGKILL");
    } catch {
      // It has ended, and what it started too.
    }
  };
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const code = await new Promise<number>((done) => {
    child.once("error", () => done(127));
    child.once("close", (status) => done(status ?? 137));
  });
  signal.removeEventListener("abort", kill);
  if (code !== 0) return failed(`Exit code ${code}\n${stdout}${stderr}`);
  return ended(`${stdout}${stderr}`, { stdout, stderr, interrupted: false, isImage: false });
}
