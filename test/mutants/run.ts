// Takes each guard away in a copy of the project and sees a test go red. `node test/mutants/run.ts [name…]`; by a part of a name too.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type Vitest } from "vitest/node";
import { ALL_MUTANTS } from "./all.ts";
import type { Mutant } from "./patches.ts";

type Failed = { readonly title: string; readonly message: string };
/** `ran`: tests that were not skipped. `broken`: what kept a file's tests from running at all. */
type Outcome = { readonly ran: number; readonly failed: readonly Failed[]; readonly broken: string | undefined };
/** A copy of the project, and what runs its tests. */
type Copy = { readonly folder: string; readonly vitest: Vitest; readonly real: Vitest };
type Judged = { readonly mutant: Mutant; readonly caughtBy: string | undefined; readonly note: string };

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Large, and never mutated: linked. */
const PROGRAMS = join(ROOT, "test/real/programs/node_modules");
const WORKERS = 2;
/** Red for these the patch itself would be at fault, not what it takes away. */
const NO_ASSERTION =
  /SyntaxError|ReferenceError|Cannot find (?:module|package)|Failed to (?:resolve|load)|does not provide an export|is not a function|Transform failed/u;

async function main(wanted: readonly string[]): Promise<number> {
  const mutants = ALL_MUTANTS.filter(({ name }) => wanted.length === 0 || wanted.some((one) => name.includes(one)));
  const home = mkdtempSync(join(tmpdir(), "tidegate-mutants-"));
  try {
    const copies = await Promise.all(
      Array.from({ length: WORKERS }, async (_, at) => await opened(copyTo(join(home, String(at))))),
    );
    const red = await redBefore(mutants, copies);
    for (const [tests, why] of red) console.log(`red without any mutant: ${tests}: ${why}`);
    const judged = await share(mutants, copies, async (mutant, copy) => {
      const one = await judge(mutant, copy, red);
      console.log(line(one));
      return one;
    });
    const survived = judged.filter(({ caughtBy }) => caughtBy === undefined);
    console.log(survived.length === 0 ? "" : `\nSurvived:\n${survived.map(line).join("\n")}`);
    console.log(`${judged.length - survived.length} caught, ${survived.length} survived`);
    await Promise.all(copies.flatMap(({ vitest, real }) => [vitest, real]).map(async (one) => await one.close()));
    return survived.length === 0 && red.size === 0 && judged.length > 0 ? 0 : 1;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function line({ mutant, caughtBy, note }: Judged): string {
  return `${mutant.name.padEnd(72)} → ${caughtBy ?? "NOT CAUGHT"}${note}`;
}

/** A copy of the project of its own, with the installed packages linked: what a test run keeps beside them stays in the copy. */
function copyTo(copy: string): string {
  mkdirSync(join(copy, "node_modules"), { recursive: true });
  for (const name of readdirSync(ROOT)) {
    if (name === "node_modules" || name === ".git") continue;
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (path) => path !== PROGRAMS });
  }
  if (existsSync(PROGRAMS)) symlinkSync(PROGRAMS, join(copy, relative(ROOT, PROGRAMS)));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (!name.startsWith(".vite")) symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
  }
  return copy;
}

async function opened(folder: string): Promise<Copy> {
  const options = { root: folder, watch: false, bail: 1, maxWorkers: 1, reporters: [{}] };
  const made = async (config: string): Promise<Vitest> =>
    await createVitest({ ...options, config: join(folder, config) });
  return { folder, vitest: await made("vitest.config.ts"), real: await made("test/real/vitest.config.ts") };
}

/** Which tests are red already, and why: they would catch anything. */
async function redBefore(mutants: readonly Mutant[], copies: readonly Copy[]): Promise<ReadonlyMap<string, string>> {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
  const outcomes = await share(tests, copies, async (test, copy) => ({
    test,
    outcome: await run(copy, test, undefined),
  }));
  return new Map(
    outcomes.flatMap(({ test, outcome: { ran, failed, broken } }): [string, string][] => {
      const why = broken ?? failed[0]?.title ?? (ran === 0 ? "no test runs" : undefined);
      return why === undefined ? [] : [[test, why]];
    }),
  );
}

async function judge(mutant: Mutant, copy: Copy, red: ReadonlyMap<string, string>): Promise<Judged> {
  const path = join(copy.folder, mutant.file);
  const before = readFileSync(path, "utf8");
  const notes: string[] = [];
  try {
    writeFileSync(path, mutated(before, mutant));
    for (const one of [copy.vitest, copy.real]) one.invalidateFile(path);
    for (const test of mutant.tests) {
      if (red.has(test)) continue;
      const { ran, failed, broken } = await run(copy, test, mutant.filter);
      const by = failed.find(({ message }) => !NO_ASSERTION.test(message));
      if (by !== undefined) return { mutant, caughtBy: `${test}: ${by.title}`, note: "" };
      const why = broken ?? failed[0]?.message ?? (ran === 0 ? "no test runs" : undefined);
      if (why !== undefined) notes.push(`\n    ${test} is red for no assertion: ${why.slice(0, 300)}`);
    }
    return { mutant, caughtBy: undefined, note: notes.join("") };
  } catch (error) {
    return { mutant, caughtBy: undefined, note: `\n    ${String(error)}` };
  } finally {
    writeFileSync(path, before);
    for (const one of [copy.vitest, copy.real]) one.invalidateFile(path);
  }
}

function mutated(source: string, { from, to }: Mutant): string {
  const [before, after, ...more] = source.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`The patch applies ${source.split(from).length - 1} times, not once.`);
  return before + to + after;
}

/** Runs some tests in a copy, up to the first that is red. */
async function run(copy: Copy, test: string, filter: string | undefined): Promise<Outcome> {
  const vitest = test.startsWith("test/real/") ? copy.real : copy.vitest;
  if (filter === undefined) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(filter);
  const files = await vitest.globTestSpecifications([test]);
  await vitest.runTestSpecifications(files);
  // By file: what a run gives holds what earlier runs found, too.
  const modules = files.flatMap((file) => file.testModule ?? []);
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const [wrong] = modules.flatMap((module) => module.errors());
  return {
    ran: tests.filter((one) => ["passed", "failed"].includes(one.result().state)).length,
    failed: tests
      .filter((one) => one.result().state === "failed")
      .map((one) => ({
        title: one.fullName,
        message: (one.result().errors ?? []).map(({ message, name }) => `${name ?? ""}: ${message}`).join("\n"),
      })),
    broken: wrong?.message,
  };
}

/** Shares tasks among the copies, each copy doing one at a time; gives what came of them in their order. */
async function share<T, R>(
  tasks: readonly T[],
  copies: readonly Copy[],
  perform: (task: T, copy: Copy) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const left = [...tasks.entries()];
  await Promise.all(
    copies.map(async (copy) => {
      for (let next = left.shift(); next !== undefined; next = left.shift())
        results[next[0]] = await perform(next[1], copy);
    }),
  );
  return results;
}

delete process.env["TIDEGATE_DEEP"];
process.exitCode = await main(process.argv.slice(2));
