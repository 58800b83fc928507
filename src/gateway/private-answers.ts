// What the owner asks in a group and is nobody else's business there: answered in their private chat.
import type { Conversation } from "../core/conversation.ts";
import { personKey } from "../core/message.ts";
import { closeOpen } from "../cards/open.ts";
import { listPeople, type AuthorityParts, type Outcome } from "./authority-commands.ts";
import type { LeafingParts } from "./leafing.ts";
import { lookFor, PAGES, showActivity, showPage } from "./looking-commands.ts";
import { noticeIn, openConversation } from "./opening.ts";
import { ownerChat } from "./owner-chat.ts";

type Parts = AuthorityParts & { readonly leafing: LeafingParts };
type There = Pick<Conversation, "id" | "room">;

const ANSWERS: Readonly<Record<string, (there: There, args: string, parts: Parts) => Promise<Outcome>>> = {
  people: async ({ id }, args, parts) => await listPeople(id, args, parts),
  search: async (there, args, { leafing }) => await lookFor(there, args, leafing),
  activity: async (there, _, { leafing }) => await showActivity(there, leafing),
  apps: async (there, _, { leafing }) => await showPage(PAGES.apps, there, leafing),
  skills: async (there, _, { leafing }) => await showPage(PAGES.skills, there, leafing),
  settings: async (there, _, { leafing }) => await showPage(PAGES.settings, there, leafing),
};

/** Whether a command of that name is answered in private wherever it is given. */
export function isPrivate(name: string): boolean {
  return Object.hasOwn(ANSWERS, name);
}

/** Answers in the owner's private chat, and marks the raw update done; false when the chat is gone. */
export async function answerInPrivate(
  typed: { readonly name: string; readonly args: string; readonly row: number },
  parts: Parts,
): Promise<boolean> {
  const { store, surroundings } = parts;
  const done = { do: "inbound-done", ids: [typed.row], outcome: `/${typed.name}` } as const;
  const [there, answerer] = [await ownerChat({ ...parts, ways: parts.leafing.ways }), ANSWERS[typed.name]];
  // Nothing is said in the group: that there is something to see is as little theirs.
  if (there === undefined || answerer === undefined) return (await store.commit([done])).ok;
  const current = await store.conversations.current(there.room, personKey(there.person));
  const open = current ?? openConversation(there.room, there.person, surroundings);
  const answer = await answerer({ id: open.id, room: there.room }, typed.args, parts);
  const changes = "changes" in open ? open.changes : [];
  const words =
    answer.words === undefined ? [] : [noticeIn(open.id, answer.words, false, surroundings, answer.outside)];
  if (current !== undefined) await closeOpen(store, current, surroundings.clock.now(), "command");
  const committed = await store.commit([...changes, ...words, ...(answer.changes ?? []), done]);
  if (committed.ok) parts.leafing.outbox.take(committed.rows);
  return committed.ok;
}
