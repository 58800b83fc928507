// The documents kept true: the paths, commands, scripts and codes that they name exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { describe, expect, test } from "vitest";
import { ERRORS } from "../src/core/error.ts";
import { configShape } from "../src/gateway/config.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const pages = [
  "README.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
];
const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts);
const commands = [...read("src/gateway/cli.ts").matchAll(/\bcommand\(\s*"([a-z]+)"/gu)].map(([, name]) => name);

/** Whether some file is meant by a name in a page: from the root, from src, or as a test's folder. */
function there(path: string): boolean {
  return [path, join("src", path)].some((one) => existsSync(join(root, one)) || existsSync(join(root, `${one}.ts`)));
}

describe.each(pages)("%s", (page) => {
  const text = read(page);

  test("F12: its links lead somewhere", () => {
    const links = [...text.matchAll(/\]\(([^)#]+)/gu)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/u.test(link));
    expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([]);
  });

  test("F12: its paths and scripts exist", () => {
    const named = [
      ...text.matchAll(/`((?:src|test|docs|config|gateway|\.ci)\/[\w./-]*|[\w-]+\.(?:md|json|yaml))`/gu),
    ].map(([, path = ""]) => path);
    // A config of one's own, and the notes to come, are nowhere in the project.
    const outside = new Set(["tidegate.yaml", "docs/reliability.md", "SKILL.md"]);
    expect(named.filter((path) => !there(path.replace(/[./]+$/u, "")) && !there(path) && !outside.has(path))).toEqual(
      [],
    );
    const run = [...text.matchAll(/npm (?:run )?(start|test(?::\w+)?|run \w+|bench|check|fmt|schema)/gu)].map(
      ([, name = ""]) => name,
    );
    expect(run.filter((name) => !scripts.includes(name))).toEqual([]);
  });

  test("F12: the commands that it shows exist", () => {
    const shown = [...text.matchAll(/`\.\/tidegate ([a-z]+)/gu)].map(([, name = ""]) => name);
    const later = page === "docs/spec.md" ? ["mcp", "search", "apps"] : [];
    expect(shown.filter((name) => !commands.includes(name) && !later.includes(name))).toEqual([]);
  });

  test("F12: the configs that it shows load", () => {
    const shown = [...text.matchAll(/```yaml\n([\s\S]*?)```/gu)].map(([, yaml = ""]) => yaml);
    for (const yaml of shown) expect(configShape.safeParse(parse(yaml)).error?.issues ?? []).toEqual([]);
  });
});

test("F9: docs/errors.md and the table name the same codes, each with its sentence and what to do", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `([a-z-]+)` \| (.+) \| (.+) \|$/gmu)];
  expect(Object.fromEntries(rows.map(([, code, words]) => [code, words]))).toEqual(ERRORS);
  for (const [, , , todo] of rows) expect(todo?.trim()).toMatch(/\w+.*\.$/u);
});

test("F12: AGENTS.md fits on its page", () => {
  expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(120);
});
