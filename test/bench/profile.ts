// Where the gateway's processor time goes under the bench's load: the functions with the most time of their own, and the
// packages and files they are of.
//
//   node test/bench/profile.ts [--channel telegram] [--replies 2000] [--top 25] [--project FOLDER] [--keep FILE]
//
// --channel: telegram, slack or discord. --replies 0: the start alone. --keep: also writes the profile, for a browser's tools.
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Server } from "./calls.ts";
import { MODELS, PLATFORMS, profiled } from "./run.ts";
import { tidegateOn, type PlatformName } from "./subject.ts";

type Profile = {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
};

const { values: options } = parseArgs({
  options: {
    channel: { type: "string", default: "telegram" },
    replies: { type: "string", default: "2000" },
    top: { type: "string", default: "25" },
    project: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) },
    keep: { type: "string" },
  },
});

const channel = Object.keys(PLATFORMS).find((name): name is PlatformName => name === options.channel) ?? "telegram";
const folder = mkdtempSync(join(tmpdir(), "tidegate-profile-"));
try {
  await using models = new Server(MODELS);
  await using platform = new Server(PLATFORMS[channel]);
  await profiled(
    platform,
    models,
    (settings, modelUrl) => tidegateOn({ [channel]: settings }, options.project, join(folder, "data"), modelUrl),
    Number(options.replies),
    folder,
  );
  const file = readdirSync(folder).find((name) => name.endsWith(".cpuprofile")) ?? "";
  if (options.keep !== undefined) copyFileSync(join(folder, file), options.keep);
  tell(JSON.parse(readFileSync(join(folder, file), "utf8")) as Profile);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tell({ nodes, samples, timeDeltas }: Profile): void {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byFunction = new Map<string, number>();
  const byPlace = new Map<string, number>();
  let busy = 0;
  for (const [nth, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)") continue;
    const ms = (timeDeltas[nth] ?? 0) / 1000;
    const place = placeOf(frame.url);
    busy += ms;
    add(byPlace, place === "" ? "V8 itself" : place, ms);
    const line = place === "" ? "" : ` ${place}:${frame.lineNumber + 1}`;
    add(byFunction, `${frame.functionName === "" ? "(anonymous)" : frame.functionName}${line}`, ms);
  }
  list("Functions, by time of their own", byFunction, busy);
  list("Packages and files", byPlace, busy);
}

/** A file of ours, a package, or a module of Node's. */
function placeOf(url: string): string {
  const [, inside] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url) ?? [];
  if (inside !== undefined) return inside;
  return url.replace(/^file:\/\//, "").replace(`${options.project.replace(/\/$/, "")}/`, "");
}

function add(sums: Map<string, number>, key: string, ms: number): void {
  sums.set(key, (sums.get(key) ?? 0) + ms);
}

function list(title: string, sums: ReadonlyMap<string, number>, busy: number): void {
  process.stdout.write(`\n${title} (${busy.toFixed(0)} ms in all)\n\n`);
  const most = [...sums].toSorted(([, one], [, other]) => other - one).slice(0, Number(options.top));
  for (const [name, ms] of most) {
    process.stdout.write(`${((100 * ms) / busy).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${name}\n`);
  }
}
