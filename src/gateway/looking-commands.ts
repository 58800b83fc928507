// Commands that show a page: what was said, what was looked at, what can be turned on, what was chosen for good.
import type { Page } from "../core/card.ts";
import type { Conversation } from "../core/conversation.ts";
import type { Outcome } from "./authority-commands.ts";
import { leafChanges, type LeafingParts } from "./leafing.ts";

/** `/search WORDS`: what all chats hold of them, the one that asks included. */
export async function lookFor(
  conversation: Pick<Conversation, "id" | "room">,
  args: string,
  leafing: LeafingParts,
): Promise<Outcome> {
  const query = args.trim();
  if (query === "") return { words: "What should I look for? Write it behind the command: /search WORDS", quiet: true };
  return { changes: await leafChanges({ of: "results", query }, conversation, leafing) };
}

/** `/activity`: what was done here, and when earlier chats were looked through, newest first. */
export async function showActivity(
  conversation: Pick<Conversation, "id" | "room">,
  leafing: LeafingParts,
): Promise<Outcome> {
  return { changes: await leafChanges({ of: "activity", chat: conversation.id }, conversation, leafing) };
}

/** `/apps`, `/skills`, `/settings`. */
export async function showPage(
  page: Page,
  conversation: Pick<Conversation, "id" | "room">,
  leafing: LeafingParts,
): Promise<Outcome> {
  return { changes: await leafChanges(page, conversation, leafing) };
}

/** The pages that commands open, by their names. */
export const PAGES: Readonly<Record<"apps" | "skills" | "settings", Page>> = {
  apps: { of: "items", kind: "app", from: 0 },
  skills: { of: "items", kind: "skill", from: 0 },
  settings: { of: "settings" },
};
