// What is not to be suggested any more, anywhere: kept beside the log.
import type { TargetKind } from "../core/card.ts";
import type { Settings } from "../store/port.ts";

/** The key of the setting: a list of what `mutedKey` gives. */
export const MUTES = "mutedSuggestions";

/** What a muted thing is called there. */
export function mutedKey({ kind, id }: { readonly kind: TargetKind; readonly id: string }): string {
  return kind === "skill" ? `skill:${id}` : id;
}

/** All of them, in the order in which they were muted. */
export async function readMutes(settings: Pick<Settings, "get">): Promise<ReadonlySet<string>> {
  const kept = await settings.get<unknown>(MUTES);
  return new Set(Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : []);
}
