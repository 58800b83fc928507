// Chats on a shelf: a store and an index in a folder of their own, and what leafing through them needs.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyCatalog } from "../catalog/empty.ts";
import type { Page } from "../../src/core/card.ts";
import type { Conversation } from "../../src/core/conversation.ts";
import type { Person, Room } from "../../src/core/message.ts";
import type { Piece } from "../../src/core/reply.ts";
import type { LeafingParts } from "../../src/gateway/leafing.ts";
import { openConversation } from "../../src/gateway/opening.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { drawPage, type Drawn } from "../../src/gateway/pages.ts";
import type { Way } from "../../src/gateway/plans.ts";
import type { Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { surroundings } from "./bare.ts";

export const HOME: Room = { platform: "stage", chat: "1001", kind: "private" };
export const SAM: Person = { platform: "stage", id: "1001", name: "Sam", role: "owner" };

export type Shelf = AsyncDisposable & {
  readonly store: Store;
  readonly search: Search;
  readonly ids: readonly string[];
  /** The owner's chat that shows the cards. */
  readonly here: Conversation;
  readonly parts: LeafingParts;
  readonly draw: (page: Page) => Promise<Drawn>;
  /** Whether any file of the folder holds these words. */
  readonly holds: (words: string) => boolean;
  readonly erase: (id: string) => Promise<void>;
};

/** Chats by title and words. `messageChars`: what the platform's messages hold. */
export async function shelf(
  chats: readonly { readonly title: string; readonly says: readonly string[] }[],
  messageChars = 100_000,
): Promise<Shelf> {
  const stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "tg-")), (one) => rmSync(one, { recursive: true }));
  const store = stack.use(await openStore({ folder, ...surroundings }));
  const search = stack.use(await openSearch({ folder, store, secrets: [], ...surroundings }));
  const ids: string[] = [];
  for (const [nth, { title, says }] of chats.entries()) {
    const opened = openConversation({ ...HOME, thread: String(nth) }, SAM, surroundings);
    ids.push(opened.id);
    await store.commit([
      ...opened.changes,
      { do: "title", conversation: opened.id, title },
      ...says.map((text, at): Change => {
        const part = { kind: "text", messageId: `${nth}-${at}`, origin: { kind: "own" }, text } as const;
        const message = { from: SAM, at: 1_796_000_000_000 + at, ids: [`${nth}-${at}`], parts: [part] };
        return { do: "append", conversation: opened.id, at: message.at, body: { kind: "message", message } };
      }),
    ]);
  }
  const here = openConversation(HOME, SAM, surroundings);
  await store.commit(here.changes);
  const ways = new Map([["stage", { outlet: outletOf(messageChars), limits: { pace: {} } } as unknown as Way]]);
  const outbox = new Outbox(store, ways, surroundings);
  stack.defer(async () => await outbox[Symbol.asyncDispose]());
  const catalog = emptyCatalog();
  const acts = { catalog, store, signal: new AbortController().signal };
  const parts: LeafingParts = {
    store,
    search,
    outbox,
    ways,
    acts,
    drawing: new Set(),
    signIns: new Map(),
    surroundings,
  };
  const draw = async (page: Page): Promise<Drawn> =>
    await drawPage(page, { store, search, catalog, linkTo: async () => undefined, maxChars: 1700 });
  const holds = (words: string): boolean =>
    readdirSync(folder).some((file) => readFileSync(join(folder, file)).includes(Buffer.from(words)));
  const erase = async (id: string): Promise<void> => {
    await store.conversations.delete(id);
    await search.forget(id);
  };
  return {
    store,
    search,
    ids,
    here: here.conversation,
    parts,
    draw,
    holds,
    erase,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function outletOf(messageChars: number): object {
  return {
    pieces: ({ text, rows }: { text: string; rows: readonly unknown[] }): readonly Piece[] =>
      (text.match(new RegExp(`[\\s\\S]{1,${messageChars}}`, "gu")) ?? []).map((plain) => ({
        body: { plain, rows },
        plain,
      })),
    link: (_room: Room, id: string): string => `https://stage.example/${id}`,
  };
}
