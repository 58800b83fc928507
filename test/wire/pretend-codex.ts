// A stand-in for the program `codex`, version 0.171.0, as it was measured over `app-server`. Against the real one it is held by
// test/contracts/sessions.ts. What it leaves out: code mode, MCP servers, the sandbox, pages of history, sign-in by a browser.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Puts an executable `codex` into the folder and gives its path. `version`: what it says that it is. */
export async function pretendCodex(folder: string, version = "0.171.0"): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "codex");
  const program = join(import.meta.dirname, "pretend-codex-program.ts");
  const run = [process.execPath, "--disable-warning=ExperimentalWarning", program].map(quoted).join(" ");
  const lines = [
    "#!/bin/sh",
    `if [ "$1" = --version ]; then echo ${quoted(`codex-cli ${version}`)}; exit 0; fi`,
    // Each turn starts one: what was compiled once is taken from there.
    `export PRETEND_CODEX_VERSION=${quoted(version)} NODE_COMPILE_CACHE=${quoted(join(tmpdir(), "pretend-codex-cache"))}`,
    `exec ${run} "$@"`,
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  await chmod(path, 0o755);
  return path;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
