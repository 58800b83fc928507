// Settings in memory.
import type { Settings } from "../../src/store/port.ts";

export function settingsOf(
  kept: Readonly<Record<string, unknown>> = {},
): Settings & { readonly all: ReadonlyMap<string, unknown> } {
  const all = new Map(Object.entries(kept));
  return {
    all,
    get: async <T>(key: string) => all.get(key) as T | undefined,
    set: async (key, value) => void all.set(key, value),
    delete: async (key) => void all.delete(key),
  };
}
