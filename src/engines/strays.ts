// What a program started and is no longer in its process group: found by the program's own mark in the environment that it handed down.
import { open, readdir } from "node:fs/promises";
import type { Clock } from "../core/surroundings.ts";

/** Looks that often until nothing is left: a process needs a moment to go, and one that was being started is seen by the next look. */
const MAX_LOOKS = 30;
const LOOK_AGAIN_MS = 20;
/** Few environments are larger; those take more than one reading. */
const ROOM_BYTES = 65_536;

/**
 * Kills what is left of a group and every process whose environment holds the variable, and looks until those are gone, for 0.6 s at most
 * and the time of looking. Only Linux shows environments (proc(5)); elsewhere the group is all that is known.
 */
export async function endRest(pid: number, variable: string, clock: Clock): Promise<void> {
  // All that is in it: nothing can begin in a group while this is sent to it, and nothing survives it.
  signal(-pid, "SIGKILL");
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const strays = await holders(variable);
    for (const stray of strays) signal(stray, "SIGKILL");
    if (strays.length === 0) return;
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

/** False when nothing of it is left. `pid`: a group's, when negative. */
export function signal(pid: number, name: "SIGTERM" | "SIGKILL"): boolean {
  if (Math.abs(pid) <= 1) return false;
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/** The processes in whose environment exactly this is, as far as this user may see it. Those that have ended have none. */
async function holders(variable: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^[1-9]\d{0,9}$/u.test(name));
  const room = Buffer.allocUnsafe(ROOM_BYTES);
  const held: number[] = [];
  // One after the other, into the same memory: a tenth of a millisecond each, and the gateway goes on meanwhile.
  for (const pid of pids)
    if (`\0${await environmentOf(pid, room)}\0`.includes(`\0${variable}\0`)) held.push(Number(pid));
  return held;
}

async function environmentOf(pid: string, room: Buffer): Promise<string> {
  try {
    await using file = await open(`/proc/${pid}/environ`);
    let all = "";
    for (;;) {
      const { bytesRead } = await file.read(room);
      all += room.toString("latin1", 0, bytesRead);
      // Less than was asked for: that was the end.
      if (bytesRead < room.length) return all;
    }
  } catch {
    // Another user's, or gone meanwhile.
    return "";
  }
}
