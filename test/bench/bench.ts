// npm run bench: what Tidegate costs, beside the smallest bot that answers the same way. Prints a Markdown table.
//
//   node test/bench/bench.ts [--runs 5] [--replies 2000] [--samples 400] [--big] [--size] [--guard] [--channels] [--programs] [--search [--messages 200000]] [--project FOLDER]
//
// --big: also with 10,000 conversations in the store (made first, in some 15 seconds). --size: the size of a fresh
// `npm ci --omit=dev` (minutes). --project: measures the Tidegate in another folder, for a comparison of two versions.
// --guard: only what the guard and the marks cost, in a few seconds; else that comes as a second table. --channels: only each channel by
// itself and the three together, in some minutes; else that is the last table. --search: only looking through earlier chats, beside plain
// full-text search, and taking secrets out. --programs: only turns of the real engine programs.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { authorityRows, measureAuthority } from "./authority.ts";
import { steadyMs } from "./calls.ts";
import { channelRows, measureChannels, spread } from "./channels.ts";
import { syncedWrites } from "./disk.ts";
import { fillStore } from "./fill.ts";
import { programRows } from "./programs.ts";
import { percentile, run, Servers, start, type Load, type Seen } from "./run.ts";
import { searchBench } from "./search.ts";
import { secretsBench } from "./secrets.ts";
import { freshlyInstalledMb, installedMb } from "./size.ts";
import { bareBot, compiledIn, tidegate, type Places, type Program } from "./subject.ts";

const CONVERSATIONS = 10_000;
const ENTRIES_EACH = 100;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    replies: { type: "string", default: "2000" },
    samples: { type: "string", default: "400" },
    project: { type: "string", default: fileURLToPath(new URL("../..", import.meta.url)) },
    big: { type: "boolean", default: false },
    size: { type: "boolean", default: false },
    guard: { type: "boolean", default: false },
    channels: { type: "boolean", default: false },
    search: { type: "boolean", default: false },
    programs: { type: "boolean", default: false },
    messages: { type: "string", default: "200000" },
  },
});

type Figure = { readonly name: string; readonly of: keyof Seen; readonly digits: number; readonly target: string };

const FIGURES: readonly Figure[] = [
  { name: "start → first poll, ms", of: "firstPollMs", digits: 0, target: "< 1,000" },
  { name: "resident memory, idle, MB", of: "idleMb", digits: 0, target: "< 110" },
  { name: "update → model request, p50, ms", of: "toModelP50Ms", digits: 2, target: "< 5" },
  { name: "update → model request, p99, ms", of: "toModelP99Ms", digits: 2, target: "< 30" },
  { name: "replies/s, 20 chats side by side", of: "repliesPerSecond", digits: 0, target: "> 300" },
  { name: "processor time a reply, ms", of: "busyMsPerReply", digits: 2, target: "" },
  { name: "resident memory after that, MB", of: "loadedMb", digits: 0, target: "" },
];

const load: Load = { samples: Number(options.samples), replies: Number(options.replies) };
const runs = Number(options.runs);
const folder = mkdtempSync(join(tmpdir(), "tidegate-bench-"));

try {
  const one = options.guard || options.channels || options.search || options.programs;
  if (!one) await whole();
  if (!one || options.guard) await guard();
  if (!one || options.channels) await channels();
  if (options.programs) for (const cells of await programRows(runs)) row(cells);
  if (options.search) {
    await searchBench({ messages: Number(options.messages) });
    process.stdout.write(`\n${await secretsBench()}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function guard(): Promise<void> {
  const authority = authorityRows(await measureAuthority(join(folder, "authority")));
  row(["", "Tidegate", "target"]);
  row(["---", "---:", "---"]);
  for (const cells of authority) row(cells);
  process.stdout.write("\n");
}

/** Each channel against its loopback platform. */
async function channels(): Promise<void> {
  // Discord's own limit, which its library keeps to, makes 2,000 replies last.
  const less = { samples: Math.ceil(load.samples / 2), replies: Math.ceil(load.replies / 4) };
  const seen = await measureChannels({ project: options.project, folder, runs, load: less, note });
  for (const cells of channelRows(seen)) row(cells);
  process.stdout.write(`\nMedians of ${runs} runs, in brackets the least and the most.\n`);
  const synced = await syncedWrites(folder);
  tellDisk(synced);
}

/** Both bots against the loopback servers, run by run. */
async function whole(): Promise<void> {
  await using servers = new Servers();
  const bare: Seen[] = [];
  const ours: Seen[] = [];
  const full: Seen[] = [];
  const colds: number[] = [];
  const synced: number[] = [];
  const bigFolder = join(folder, "big");
  if (options.big) {
    const from = steadyMs();
    await fillStore(bigFolder, CONVERSATIONS, ENTRIES_EACH);
    note(
      `${CONVERSATIONS} conversations of ${ENTRIES_EACH} entries made in ${((steadyMs() - from) / 1000).toFixed(0)} s`,
    );
  }
  // Tidegate keeps its compiled code by itself; the bare bot is given the same.
  const bot = (places: Places): Program => compiledIn(join(folder, "compiled"), bareBot(places));
  await start(servers, bot, folder);
  await start(servers, (places) => tidegate(options.project, join(folder, "run-0"), places), folder);
  // By turns, so that a machine that is busy for a while is busy for all of them.
  for (let nth = 1; nth <= runs; nth += 1) {
    const data = join(folder, `run-${nth}`);
    synced.push(...(await syncedWrites(folder)));
    const ourselves = (places: Places): Program => tidegate(options.project, data, places);
    colds.push(await start(servers, (places) => compiledIn(join(data, "compiled"), ourselves(places)), folder));
    rmSync(data, { recursive: true });
    bare.push(await run(servers, bot, load, folder));
    ours.push(await run(servers, ourselves, load, folder));
    rmSync(data, { recursive: true });
    if (options.big)
      full.push(await run(servers, (places) => tidegate(options.project, bigFolder, places), load, folder));
    note(`run ${nth} of ${runs}`);
  }
  print(bare, ours, full, colds);
  tellDisk(synced);
}

function tellDisk(synced: readonly number[]): void {
  process.stdout.write(
    `A small synced write to this disk took ${percentile(synced, 0.5).toFixed(2)} ms (p99 ${percentile(synced, 0.99).toFixed(1)}).\n\n`,
  );
}

function print(bare: readonly Seen[], ours: readonly Seen[], full: readonly Seen[], colds: readonly number[]): void {
  const columns = [bare, ours, ...(full.length > 0 ? [full] : [])];
  const heads = ["bare bot", "Tidegate", ...(full.length > 0 ? [`Tidegate, ${CONVERSATIONS} conversations`] : [])];
  row(["", ...heads, "target"]);
  row(["---", ...heads.map(() => "---:"), "---"]);
  for (const { name, of, digits, target } of FIGURES) {
    row([
      name,
      ...columns.map((seen) =>
        spread(
          seen.map((one) => one[of]),
          digits,
        ),
      ),
      target,
    ]);
  }
  const rest = full.slice(0, 1).map(() => "");
  row(["the same at the first start of all, ms", "", spread(colds, 0), ...rest, ""]);
  const ratios = ours.map((one, nth) => one.repliesPerSecond / (bare[nth]?.repliesPerSecond ?? Number.NaN));
  row(["replies/s, Tidegate ÷ bare bot", "1", spread(ratios, 2), ...rest, "≥ 0.3"]);
  const size = options.size ? freshlyInstalledMb(options.project, folder) : installedMb(options.project);
  row(["installed, without Node, MB", "", size.toFixed(0), ...rest, "< 170"]);
  process.stdout.write(
    `\nMedians of ${runs} runs, in brackets the least and the most. Node ${process.versions.node}, ${process.platform}.\n`,
  );
}

function row(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

function note(words: string): void {
  process.stderr.write(`${words}\n`);
}
