// How fast the disk is under the figures: every durable step waits for it, and disks differ by a factor of a hundred.
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { steadyMs } from "./calls.ts";

const WRITES = 100;
/** About what one commit writes. */
const BYTES = 8192;

/** Milliseconds that each of some small synced writes took. */
export async function syncedWrites(folder: string): Promise<readonly number[]> {
  const path = join(folder, "synced");
  const file = openSync(path, "w");
  const took: number[] = [];
  for (let nth = 0; nth < WRITES; nth += 1) {
    const from = steadyMs();
    writeSync(file, Buffer.alloc(BYTES, nth), 0, BYTES, nth * BYTES);
    fdatasyncSync(file);
    took.push(steadyMs() - from);
    await sleep(2);
  }
  closeSync(file);
  rmSync(path);
  return took;
}
