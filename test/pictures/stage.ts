// What the tests of pictures share: figures from a table, and a clock whose sleeps end when the test says so.
import type { Figures } from "../../src/core/figures.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import { numberTable } from "../../src/markdown/tables.ts";

/** The figures of a Markdown table written so: cells by " | ", rows by lines, the head first. */
export function figures(text: string): Figures {
  const [head = "", ...rows] = text.trim().split("\n");
  const found = numberTable([head, head.replaceAll(/[^|]+/gu, " --- "), ...rows].map((row) => `|${row}|`).join("\n"));
  if (found === undefined) throw new Error("no table of numbers");
  return found;
}

/** Sleeps wait for `wake`, by how long they are. Time stands still. */
export function handClock(): Clock & { readonly wake: (waitMs: number) => boolean } {
  const asleep = new Map<number, () => void>();
  return {
    now: () => 0,
    soon: queueMicrotask,
    sleep: (waitMs, signal) =>
      new Promise((resolve, reject) => {
        asleep.set(waitMs, resolve);
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
    wake(waitMs) {
      const resolve = asleep.get(waitMs);
      asleep.delete(waitMs);
      resolve?.();
      return resolve !== undefined;
    },
  };
}

/** How many programs this process has running. */
export function running(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;
}
