// What a page is made of.
import type { Page } from "../core/card.ts";
import type { Conversation } from "../core/conversation.ts";
import type { ReplyFile } from "../core/reply.ts";
import { clipUnits, escapeMarkdown, isVisible } from "../core/text.ts";
import { scrubShapes } from "../taint/shapes.ts";

/** A button of a page: opens another one under the same card, or an address. */
export type Leaf = { readonly label: string } & ({ readonly page: Page } | { readonly url: string });

/** A page as it is to be shown. `quiet`: said in passing. `file`: what was asked for beside it, a message of its own. */
export type Drawn = {
  readonly text: string;
  readonly rows: readonly (readonly Leaf[])[];
  readonly quiet: boolean;
  readonly file?: ReplyFile;
};

/** What stands for the title of a chat that is not there any more. */
export const GONE = "a chat that is deleted";

/** A chat's title as Markdown, without what looks like a secret. */
export function titleOf(conversation: Conversation | undefined): string {
  if (conversation === undefined) return GONE;
  const { title } = conversation;
  return isVisible(title) ? escapeMarkdown(clipUnits(scrubShapes(title), 100, "…")) : "Untitled";
}

const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" });

export function timeOf(at: number): string {
  return TIME.format(at);
}
