// A person changed a message after it was taken in: the log gets the new words. Nothing is ever started by it.
import type { Inbound } from "../core/channel.ts";
import type { Entry } from "../core/conversation.ts";
import { personKey, type Part, type Person } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Store } from "../store/port.ts";
import { hear } from "./hearing.ts";

type Edit = Extract<Inbound, { kind: "edit" }>;

/** An edit is compared with what the message says among this many of the newest entries. */
const RECENT = 2000;

/** Appends the edit where its message stands; its raw update is done with when this resolves. */
export async function logEdit(
  store: Store,
  row: number,
  edit: Edit,
  person: Person,
  surroundings: Surroundings,
): Promise<void> {
  const done = async (outcome: string): Promise<void> =>
    void (await store.commit([{ do: "inbound-done", ids: [row], outcome, forget: true }]));
  const conversation = await store.conversations.holding(edit.room, edit.messageId);
  if (conversation === undefined || conversation.person !== personKey(person)) {
    await done("edit of something not in the log");
    return;
  }
  const parts = edit.parts.filter((part) => part.kind === "text");
  // The platform also tells of changes that leave the words alone: a link's preview, a reaction, somebody's tag.
  const before = wordsOf(await store.log.read(conversation.id, { last: true, limit: RECENT }), edit.messageId);
  if (before !== undefined && sameWords(before, parts)) {
    await done("edit that changes no words");
    return;
  }
  // An edit can bring in a forward or a quote; none takes a mark away.
  const heard = await hear(store, conversation, { from: person, parts }, false, surroundings);
  const body = { kind: "edited", messageId: edit.messageId, parts: heard.parts } as const;
  const committed = await store.commit([
    ...heard.marks,
    ...heard.told,
    { do: "append", conversation: conversation.id, at: edit.at, body },
    { do: "inbound-done", ids: [row], outcome: "edited" },
  ]);
  if (!committed.ok) await done("edit in a chat that was deleted");
}

/**
 * A message was taken back: the log says so, and what was not answered yet isn't. Its raw update is done with when this resolves.
 * Who took it back the platforms don't always say; nothing is opened by it and no mark goes.
 */
export async function logDeletion(
  store: Store,
  row: number,
  { room, messageId }: Extract<Inbound, { kind: "deleted" }>,
  { clock }: Surroundings,
): Promise<void> {
  const conversation = await store.conversations.holding(room, messageId);
  const body = { kind: "edited", messageId, parts: [], gone: true } as const;
  const committed = await store.commit([
    ...(conversation === undefined
      ? []
      : [{ do: "append", conversation: conversation.id, at: clock.now(), body } as const]),
    {
      do: "inbound-done",
      ids: [row],
      outcome: conversation === undefined ? "deletion of something not in the log" : "taken back",
      forget: true,
    },
  ]);
  if (!committed.ok)
    await store.commit([
      { do: "inbound-done", ids: [row], outcome: "deletion in a chat that was deleted", forget: true },
    ]);
}

/** What a platform's message says now, by the newest of these entries that states it. */
function wordsOf(entries: readonly Entry[], messageId: string): readonly Part[] | undefined {
  for (const entry of entries.toReversed()) {
    if (entry.kind === "edited" && entry.messageId === messageId) return entry.parts;
    if (entry.kind !== "message" || !entry.message.ids.includes(messageId)) continue;
    return entry.message.parts.filter((part) => part.kind === "text" && part.messageId === messageId);
  }
  return undefined;
}

function sameWords(before: readonly Part[], after: readonly Part[]): boolean {
  const said = (parts: readonly Part[]): string =>
    JSON.stringify(parts.map((part) => [part.origin.kind, part.kind === "text" && part.text]));
  return said(before) === said(after);
}
