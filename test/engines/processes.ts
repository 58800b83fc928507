// Programs that do not go by themselves, and looking whether they are gone.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { vi } from "vitest";

/** Some of this is only seen where the system shows what processes have in their environment. */
export const LINUX: boolean = process.platform === "linux";

const FAMILY = `
trap '' TERM HUP
echo "led $$"
sh -c 'echo "member $$"; exec sleep 120' &
setsid sh -c 'echo "stray $$"; exec sleep 120' &
`;

/**
 * Lines of a shell. Each process prints a name and its number: `led`, which leads the group, `member` of it, and `stray` in a session of its
 * own. None heeds SIGTERM or the end of its input, and all of them hold the output open. By themselves they end
 * after two minutes.
 */
export const STUBBORN: string = `${FAMILY}sleep 120`;

/** The same, but `led` ends with code 3 after a line of input, or at its end, and leaves the others behind. */
export const LEAVING: string = `${FAMILY}read line\nexit 3`;

/** The numbers that a stubborn program prints, once all are there. */
export async function family(
  output: Readable,
  names: readonly string[] = ["led", "member", "stray"],
): Promise<number[]> {
  const found = new Map<string, number>();
  for await (const line of createInterface({ input: output })) {
    const [, name, pid] = /^(\w+) (\d+)$/u.exec(line) ?? [];
    if (name !== undefined) found.set(name, Number(pid));
    if (names.every((one) => found.has(one))) break;
  }
  return names.map((name) => found.get(name) ?? 0);
}

/** Whether a process runs. One that has ended and that nobody has asked after yet does not. */
export function alive(pid: number): boolean {
  try {
    if (LINUX) return !/\) [ZX]/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until none of them runs, for 3 s (D30). Gives how long it took, in milliseconds. */
export async function allGone(pids: readonly number[]): Promise<number> {
  const from = performance.now();
  await vi.waitFor(
    () => {
      const left = pids.filter(alive);
      if (left.length > 0 || pids.includes(0)) throw new Error(`still there: ${left.join(", ")} of ${pids.join(", ")}`);
    },
    { timeout: 3_000, interval: 10 },
  );
  return performance.now() - from;
}
