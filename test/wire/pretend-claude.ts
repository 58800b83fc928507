// A stand-in for the Agent SDK, version 0.3.332, with its program, as they were measured. Against the real ones it is held by
// test/contracts/sessions.ts. What it leaves out: subagents, compaction, plugins, the files API, forks, warm starts, tools of the web.
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Installs it into the folder's node_modules, to be given as an engine's `sdk`. Its program does nothing but live, and tell the key that it
 * was given: what it would do is done by the module, and ends when it does.
 */
export async function pretendClaude(folder: string): Promise<string> {
  const at = join(folder, "node_modules", "@anthropic-ai", "claude-agent-sdk");
  await mkdir(at, { recursive: true });
  const about = { name: "@anthropic-ai/claude-agent-sdk", version: "0.3.332" };
  await writeFile(
    join(at, "package.json"),
    JSON.stringify({ ...about, type: "module", main: "sdk.mjs", exports: { ".": "./sdk.mjs" } }),
  );
  // Node does not take the types out of what lies under node_modules.
  const from = (file: string): string => JSON.stringify(pathToFileURL(join(import.meta.dirname, file)).href);
  // The program is a package of its own, one for each kind of machine.
  const program = join(`${at}-${platform()}-${arch()}`, "claude");
  await mkdir(dirname(program), { recursive: true });
  await writeFile(
    join(at, "sdk.mjs"),
    [
      `import { queryWith } from ${from("pretend-claude-query.ts")};`,
      `export const query = (order) => queryWith(order, ${JSON.stringify(program)});`,
      "",
    ].join("\n"),
  );
  await writeFile(program, PROGRAM);
  await chmod(program, 0o755);
  return folder;
}

const PROGRAM = `#!/bin/sh
[ "$1" = --version ] && { echo "2.1.332 (Claude Code)"; exit 0; }
key="$ANTHROPIC_API_KEY"
if [ -n "$CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR" ]; then IFS= read -r key <&"$CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR"; fi
printf '%s\\n' "$key"
exec cat >/dev/null
`;
