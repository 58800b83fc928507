// Right after a start the apps that are on are still being connected. A turn that began without their tools would be told that they
// are connected, and find nothing of them.
import type { Clock } from "../core/surroundings.ts";
import type { Catalog } from "../catalog/port.ts";

const PATIENCE_MS = 10_000;
const LOOK_MS = 50;

/** Gives what turns wait for before they begin: until no app is still to be reached, for at most ten seconds since the first asked. */
export function appsReached(
  { items }: { readonly items: () => Catalog["items"] },
  clock: Clock,
): (signal: AbortSignal) => Promise<void> {
  let until: number | undefined;
  return async (signal) => {
    while (!signal.aborted && items().some(({ starting }) => starting === true)) {
      until ??= clock.now() + PATIENCE_MS;
      if (clock.now() >= until) return;
      await clock.sleep(LOOK_MS, signal).catch(() => undefined);
    }
  };
}
