// The architecture, checked: the table and every exemption are in architecture/table.ts, the rules in architecture/rules.ts.
import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PLANTS } from "./architecture/plants.ts";
import { type Break, RULE_NAMES, check } from "./architecture/rules.ts";
import { readSource } from "./architecture/source.ts";
import { EXEMPTIONS, FOLDERS } from "./architecture/table.ts";

const root = new URL("../", import.meta.url);

/** All of src as it is on disk; a missing file shows as a break, an empty tree as a failure of its own. */
function readSrc(): Map<string, string> {
  const entries = readdirSync(new URL("src/", root), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));
  return new Map(paths.map((path) => [path.slice(path.lastIndexOf("/src/") + 1), readFileSync(path, "utf8")]));
}

const told = ({ file, rule, says }: Break): string => `${file} [${rule}] ${says}`;

describe("src", () => {
  const tree = readSrc();

  test("keeps every rule of the architecture (an exemption is a line with a reason in test/architecture/table.ts)", () => {
    expect(check(tree, EXEMPTIONS).map(told)).toEqual([]);
  });

  test("was seen by the check: its files, and imports between them", () => {
    expect([...tree.keys()].filter((path) => path.startsWith("src/core/")).length).toBeGreaterThan(5);
    const imports = [...tree.values()].flatMap((text) => readSource(text).imports);
    expect(imports.length).toBeGreaterThan(tree.size / 2);
  });

  test("has a table whose rows name folders of the table", () => {
    const rows = Object.values(FOLDERS).flatMap((may) => (may === "all" ? [] : may));
    expect(rows.filter((folder) => !(folder in FOLDERS) || folder === "gateway")).toEqual([]);
  });
});

describe("the check", () => {
  test.for(PLANTS)("finds exactly what is wrong with $title", ({ tree, exemptions = [], breaks }) => {
    const found = check(new Map(Object.entries(tree)), exemptions);
    expect(found.map(({ rule, file }) => `${rule} ${file}`).toSorted()).toEqual([...breaks].toSorted());
  });

  test("has a plant for every rule", () => {
    const planted = new Set(PLANTS.flatMap(({ breaks }) => breaks).map((broken) => broken.split(" ")[0]));
    expect(RULE_NAMES.filter((rule) => !planted.has(rule))).toEqual([]);
  });

  test("says the file, the rule and what to do", () => {
    const [broken] = check(new Map([["src/turn/a.ts", "export const a = Math.random();"]]), []);
    expect(broken && told(broken)).toBe(
      "src/turn/a.ts [clock] uses Math.random; take the Clock or Random that is handed in (src/core/surroundings.ts); the real ones live in src/gateway/real.ts",
    );
  });

  test("counts lines of code past comments, strings and characters outside the basic plane", () => {
    const text =
      '#!/usr/bin/env node\n// one\nconst a = "😀 // no"; // two\n/* three\n*/ const b = `\n// code\n`;\n\nvoid /\\/\\*/u; // */\n';
    expect(readSource(text).codeLines).toBe(5);
  });
});
