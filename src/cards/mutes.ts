// What is not to be suggested any more, anywhere: kept beside the log.
import type { TargetKind } from "../core/card.ts";
import type { Settings } from "../store/port.ts";

/** The key of the setting: a list of what `mutedKey` gives. */
export const MUTES = "mutedSuggestions";

/** What a muted thing is called there. */
export function mutedKey({ kind, id }: { readonly kind: TargetKind; readonly id: string }): string {
  return kind === "skill" ? `skill:${id}` : id;
}

/** What each store's setting holds, once it was read: every turn asks, and nobody else writes it. */
const known = new WeakMap<object, Promise<ReadonlySet<string>>>();

/** All of them, in the order in which they were muted. */
export async function readMutes(settings: Pick<Settings, "get">): Promise<ReadonlySet<string>> {
  const there = known.get(settings);
  if (there !== undefined) return await there;
  const read = settings.get<unknown>(MUTES).then((kept) => asKeys(kept));
  known.set(settings, read);
  // A fault of the disk is no answer.
  read.catch(() => known.delete(settings));
  return await read;
}

/** Mutes a thing, or takes that back. Changes are made one after the other, so that none is lost. */
export async function mute(key: string, on: boolean, settings: Pick<Settings, "get" | "set">): Promise<void> {
  const changed = readMutes(settings).then(async (before) => {
    const now = new Set([...before].filter((one) => one !== key).concat(on ? [key] : []));
    await settings.set(MUTES, [...now]);
    return now;
  });
  known.set(settings, changed);
  changed.catch(() => known.delete(settings));
  await changed;
}

function asKeys(kept: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : []);
}
