// Deleting chats: files first, then rows, then what engines keep; and what a crash in the middle left.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Conversation } from "../core/conversation.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { escapeMarkdown } from "../core/text.ts";
import type { Search } from "../search/port.ts";
import type { Store } from "../store/port.ts";
import type { Forgetting } from "./forgetting.ts";
import { CONVERSATION_ID, openConversation } from "./opening.ts";
import type { Queue } from "./queue.ts";

/** What deleting works with. `owner`: what the owner is called. */
export type DeletingParts = {
  readonly store: Store;
  readonly search: Pick<Search, "forget">;
  readonly queue: Queue;
  readonly forgetting: Forgetting;
  readonly workFolder: (conversation: string) => string;
  readonly owner: string;
  /** What stands open there is over. */
  readonly leave: (conversation: { readonly id: string }) => Promise<void>;
  readonly surroundings: Surroundings;
};

/** What was deleted, and the engines that still keep something of it, since they can't forget it now. */
type Deleted = { readonly conversation: Conversation; readonly kept: readonly string[] };

/** Deletes a conversation without traces, its turns ended first; undefined when there is none. */
export async function deleteConversation(id: string, parts: DeletingParts): Promise<Deleted | undefined> {
  const { store, search, queue, forgetting, workFolder, surroundings } = parts;
  const { log } = surroundings;
  const conversation = await store.conversations.get(id);
  if (conversation === undefined) return undefined;
  // What is said from now on belongs to a new chat: it must not go with this one.
  await store.commit([{ do: "archive", conversation: id, archived: true }]);
  await queue.close(id, async () => {
    // Once no turn is left that could leave a card behind.
    await parts.leave(conversation);
    await forgetting.note(id);
    // Files first: once the rows are gone, nothing leads to them any more.
    await rm(workFolder(id), { recursive: true, force: true });
    await store.conversations.delete(id).catch(async (error: unknown) => {
      if ((await store.conversations.get(id)) !== undefined) throw error;
      log.warn(
        { err: error, conversation: id },
        "a chat is deleted; its last traces in the data file go at the next start",
      );
    });
  });
  await search
    .forget(id)
    .catch((error: unknown) =>
      log.warn({ err: error, conversation: id }, "what the index holds of a deleted chat goes at the next start"),
    );
  const left = await forgetting.carryOut().catch((error: unknown) => {
    log.warn({ err: error, conversation: id }, "what engines keep of a deleted chat goes at the next start");
    return [];
  });
  const kept = left.filter((one) => one.conversation === id).map(({ engine }) => engine);
  return { conversation, kept };
}

/** After a deletion asked for in the chat, the current conversation says so, or a new one where there is none. */
export async function deleteChat(id: string, inbound: readonly number[], parts: DeletingParts): Promise<string> {
  const { store, owner, surroundings } = parts;
  const deleted = await deleteConversation(id, parts);
  if (deleted === undefined) return "It is deleted already.";
  const { conversation, kept } = deleted;
  const { platform } = conversation.room;
  const person = conversation.person.slice(platform.length + 1);
  const current = await store.conversations.current(conversation.room, conversation.person);
  const next =
    current === undefined
      ? openConversation(conversation.room, { platform, id: person, name: owner, role: "owner" }, surroundings)
      : { id: current.id, changes: [] };
  await store.commit([
    ...next.changes,
    {
      do: "append",
      conversation: next.id,
      at: surroundings.clock.now(),
      body: {
        kind: "notice",
        text: `${goneWords(kept)} Your next message starts a new one.`,
        quiet: true,
      },
    },
    { do: "inbound-done", ids: inbound, outcome: "deleted", forget: true },
  ]);
  return "Deleted.";
}

function goneWords(kept: readonly string[]): string {
  if (kept.length === 0) return "That chat is deleted: its messages, its files and all that was kept of it here.";
  const names = kept.map((name) => `**${escapeMarkdown(name)}**`).join(" and ");
  return `That chat is deleted: its messages and its files. What ${names} kept of it can't be deleted now; it goes at the next start with which that engine works.`;
}

/** Folders of chats that are gone: a crash in the middle of a deletion may have left one. What isn't named like a chat is left alone. */
export async function sweepFolders(work: string, store: Store): Promise<void> {
  const names = await readdir(work).catch(() => []);
  for (const name of names.filter((one) => CONVERSATION_ID.test(one))) {
    if ((await store.conversations.get(name)) === undefined)
      await rm(join(work, name), { recursive: true, force: true });
  }
}
