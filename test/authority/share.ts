// One share of the plots, in a thread of its own: the worlds are work for a processor and nothing else.
import { parentPort, workerData } from "node:worker_threads";
import { report, type Report } from "./check.ts";
import { PLANTS } from "./plants.ts";
import type { Plot } from "./steps.ts";

/** What a share is told. `plants`: one after the other, each until it is caught; left out: no fault is planted. `first`: lived before the plots. */
export type Share = {
  readonly seed: number;
  readonly plots: number;
  readonly plants?: readonly string[];
  readonly first?: readonly Plot[];
};

/** What it tells: of each plant, or of the one world without any, named "". */
export type Told = Readonly<Record<string, Report>>;

const { seed, plots, plants = [""], first } = workerData as Share;
const told: Record<string, Report> = {};
for (const name of plants) told[name] = await report(seed, plots, { ...PLANTS[name], first });
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(told satisfies Told);
