// The linter's config, on files that break it: a config that is not read, or rules without types, would pass everything.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const project = fileURLToPath(new URL("..", import.meta.url));

const FILES: Readonly<Record<string, string>> = {
  "src/turn/lost.ts": "const work = async (): Promise<void> => {};\nexport function run(): void {\n  work();\n}\n",
  "src/turn/timer.ts": "export const wait = (then: () => void): void => void setTimeout(then, 1);\n",
  "src/turn/now.ts": "export const now = (): number => Date.now();\n",
  "src/turn/any.ts": "export const get = (from: any): string => from.text;\n",
  "src/turn/missed.ts":
    'export function f(kind: "a" | "b"): number {\n  switch (kind) {\n    case "a":\n      return 1;\n  }\n  return 2;\n}\n',
  "src/turn/print.ts": 'export const print = (): void => console.log("x");\n',
  "src/gateway/real.ts": "export const real = { now: (): number => Date.now(), later: setTimeout };\n",
  "src/gateway/cli.ts": 'export const print = (): void => console.log(process.env["HOME"]);\n',
};

test("lint reports a lost promise, a real timer, any, a missed case and printing, and allows them their places", () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "tidegate-lint-")));
  try {
    for (const name of [".oxlintrc.json", ".gitignore", "tsconfig.json"])
      cpSync(join(project, name), join(place, name));
    symlinkSync(join(project, "node_modules"), join(place, "node_modules"));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(place, path)), { recursive: true });
      writeFileSync(join(place, path), text);
    }
    expect(lint(place)).toEqual([
      "src/turn/any.ts typescript(explicit-module-boundary-types)",
      "src/turn/any.ts typescript(no-explicit-any)",
      "src/turn/any.ts typescript(no-unsafe-member-access)",
      "src/turn/any.ts typescript(no-unsafe-return)",
      "src/turn/lost.ts typescript(no-floating-promises)",
      "src/turn/missed.ts typescript(switch-exhaustiveness-check)",
      "src/turn/now.ts eslint(no-restricted-properties)",
      "src/turn/print.ts eslint(no-console)",
      "src/turn/timer.ts eslint(no-restricted-globals)",
    ]);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

function lint(cwd: string): string[] {
  const oxlint = join(project, "node_modules/oxlint/bin/oxlint");
  try {
    execFileSync(process.execPath, [oxlint, "--type-aware", "--format=json", "src"], { cwd, encoding: "utf8" });
  } catch (error) {
    // It ends with 1 when it finds something; what it found is on its output.
    const { stdout } = error as { stdout: string };
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
    return diagnostics.map(({ filename, code }) => `${filename.replace(`${cwd}/`, "")} ${code}`).toSorted();
  }
  return [];
}
