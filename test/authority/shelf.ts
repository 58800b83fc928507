// What can be turned on in the worlds: an app and a skill that are on, and one of each to be offered. Every word of theirs that no order
// holds tells where it was read.
import type { Catalog, Item } from "../../src/catalog/port.ts";
import type { Tool } from "../../src/core/tool.ts";
import { app, skill } from "../cards/catalog.ts";
import { emptyCatalog } from "../catalog/empty.ts";

/** Of these nobody but the owner, alone in a chat of theirs, is to see or be told one. */
export const CATALOG_WORDS: RegExp = /CATALOG-\w+/gu;
/** What calls for the app that is off. */
export const CUE = "on my beryl";

/** The catalogue, back to how it was from the next step on: what one chat turns on must not lead to anything in another. */
export type Shelf = Catalog & { reset(): void };

/** `turning` is called with each thing that is to be turned on. */
export function shelf(tools: readonly Tool[], turning: () => void): Shelf {
  const words = (id: string): Partial<Item> => {
    const name = `CATALOG-${id}`;
    return { name, tagline: `${name} tagline`, about: `${name} about`, may: [`${name} may`] };
  };
  const items: readonly Item[] = [
    app("quartz", { ...words("quartz"), state: "on", cues: { words: [], not: [] } }),
    app("beryl", { ...words("beryl"), cues: { words: [CUE], not: [] } }),
    skill("onyx", { ...words("onyx"), state: "on", cues: { words: [], not: [] } }),
    skill("opal", { ...words("opal"), state: "asked", cues: { words: [], not: [] } }),
  ];
  let now = items;
  return {
    ...emptyCatalog(),
    get items() {
      return now;
    },
    tools,
    async turnOn(kind, id) {
      turning();
      now = now.map((item) => (item.kind === kind && item.id === id ? { ...item, state: "on" } : item));
      return { is: "on" };
    },
    skill: async (id) => `CATALOG-${id} instructions`,
    reset() {
      now = items;
    },
  };
}
