// Each mutant still fits the source it was written for. That each is caught is shown by `npm run test:mutants`, which takes minutes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ALL_MUTANTS } from "./all.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("A59: each named mutant takes away one thing that is there, once, and names the tests that catch it", () => {
  expect(ALL_MUTANTS.length).toBeGreaterThanOrEqual(60);
  const names = ALL_MUTANTS.map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const sources = new Map(ALL_MUTANTS.map(({ file }) => [file, readFileSync(join(root, file), "utf8")]));
  const misfits = ALL_MUTANTS.filter(
    ({ file, from, to, tests }) =>
      from === to ||
      sources.get(file)?.split(from).length !== 2 ||
      tests.length === 0 ||
      tests.some((test) => !existsSync(join(root, test))),
  );
  expect(misfits.map(({ name }) => name)).toEqual([]);
});
