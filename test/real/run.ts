// `npm run test:real [-- vitest's arguments]`: the suites for engines against the real, pinned programs. They are installed apart from
// the gateway (test/real/programs), only when they are missing or the lock names others; nothing else is fetched.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { changed, type LockedPackages, thisMachine } from "./lock.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PROGRAMS = join(ROOT, "test/real/programs");
/** The programs are large: some 900 MB on the disk. */
const INSTALL_MS = 15 * 60_000;
const TYPES_MS = 3 * 60_000;

/** Runs a program to its end, its output shown; its exit code, or why there is none. */
async function run(command: string, args: readonly string[], cwd: string, limitMs?: number): Promise<number | string> {
  return await new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      stdio: "inherit",
      ...(limitMs === undefined ? {} : { timeout: limitMs }),
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code, signal) => resolve(code ?? `ended by ${signal}`));
  });
}

function packagesOf(lock: string): LockedPackages | undefined {
  if (!existsSync(lock)) return undefined;
  return (JSON.parse(readFileSync(lock, "utf8")) as { readonly packages: LockedPackages }).packages;
}

/** What is installed otherwise than the lock says, in words; undefined when all is as it should be. */
function amiss(): string | undefined {
  const wanted = packagesOf(join(PROGRAMS, "package-lock.json"));
  const installed = packagesOf(join(PROGRAMS, "node_modules/.package-lock.json"));
  if (wanted === undefined) return "test/real/programs/package-lock.json is missing";
  if (installed === undefined) return "they are not installed";
  return changed(wanted, installed, thisMachine(), (path) => existsSync(join(PROGRAMS, path, "package.json")))[0];
}

/** Undefined once the programs are there; else why not. */
async function install(): Promise<string | undefined> {
  const before = amiss();
  if (before === undefined) return undefined;
  console.log(`The real programs are installed into test/real/programs: ${before}.`);
  const quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts"];
  const ended = await run("npm", ["ci", ...quiet], PROGRAMS, INSTALL_MS);
  if (ended !== 0) return `"npm ci" in test/real/programs failed (${ended}), see above`;
  // A program for this machine is an optional package: npm goes on without it when its download fails.
  return amiss();
}

async function main(args: readonly string[]): Promise<number> {
  const missing = await install();
  if (missing !== undefined) {
    console.error(`The real programs could not be installed: ${missing}. Nothing was run and nothing was proven.`);
    return 1;
  }
  // A wrong type is told after the tests, which say more about what it breaks.
  const types = "test/real/tsconfig.json";
  const typed = existsSync(join(ROOT, types))
    ? await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", types], ROOT, TYPES_MS)
    : "it is missing";
  const tested = await run(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--config", "test/real/vitest.config.ts", ...args],
    ROOT,
  );
  if (typed !== 0)
    console.error(`Whether the real programs' types fit ours is not proven: ${types} failed (${typed}).`);
  if (typeof tested === "string") console.error(`The tests did not run to their end: ${tested}.`);
  return typed === 0 && tested === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
