// What a page is made of.
import type { Page } from "../core/card.ts";

/** A button of a page: opens another one under the same card, or an address. */
export type Leaf = { readonly label: string } & ({ readonly page: Page } | { readonly url: string });

/** A page as it is to be shown. `quiet`: said in passing. */
export type Drawn = { readonly text: string; readonly rows: readonly (readonly Leaf[])[]; readonly quiet: boolean };
