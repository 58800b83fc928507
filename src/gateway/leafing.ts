// Cards that can be leafed through: a page goes out as a row of the outbox, its buttons are durable, and a press draws the next page
// into the same message. The row's text is forgotten as soon as it is shown: it holds words of other chats.
import type { Page } from "../core/card.ts";
import type { Outlet } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import type { Button, Reply, ReplyFile } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { PASSING_KEY, type Change, type Store } from "../store/port.ts";
import type { Search } from "../search/port.ts";
import type { Outbox } from "./outbox.ts";
import { beginAct, type ItemActParts } from "./item-acts.ts";
import { drawPage, type Drawn, type Leaf } from "./pages.ts";
import type { Way } from "./plans.ts";
import { partKey } from "./replies.ts";

const KEY_BYTES = 9;
/** What a page may take, tried in this order until it is one message: escapes and addresses take more on one platform than on another. */
const PAGE_CHARS = [1700, 1200, 800, 400] as const;

/** What leafing works with. */
export type LeafingParts = {
  readonly store: Store;
  readonly search: Search;
  readonly outbox: Outbox;
  readonly ways: ReadonlyMap<string, Way>;
  readonly acts: ItemActParts;
  /** Pages that are on their way to be shown anew. */
  readonly drawing: Set<Promise<void>>;
  /** Pages with a sign-in's address on them, by the key of their card. A sign-in ends with this process, and so do they. */
  readonly signIns: Map<string, SignInPage>;
  readonly surroundings: Surroundings;
};

/** A page that waits for a sign-in, where it stands. */
export type SignInPage = {
  readonly page: Extract<Page, { of: "item" }>;
  readonly conversation: Pick<Conversation, "id" | "room">;
  readonly on: string | undefined;
};

/**
 * The changes that show a page in a conversation's room as a new card. The rows that the commit gives are to be handed to the outbox.
 */
export async function leafChanges(
  page: Page,
  conversation: Pick<Conversation, "id" | "room">,
  parts: LeafingParts,
): Promise<readonly Change[]> {
  const key = `${PASSING_KEY}page/${parts.surroundings.random.key(KEY_BYTES)}`;
  const { reply, buttons } = await cardOf(page, key, conversation, parts);
  return [...buttons, parts.outbox.planned(conversation.room, reply, conversation.id)];
}

/**
 * Shows the page that a button opens, under the card that it stands on: the platform's message `on`, where that is known. What opening
 * it does is begun first; where that takes a while, the page is shown once more when it is done.
 */
export async function leaf(
  { page, key }: { readonly page: Page; readonly key: string },
  conversation: Pick<Conversation, "id" | "room">,
  how: { readonly more: readonly Change[]; readonly on: string | undefined },
  parts: LeafingParts,
): Promise<void> {
  // Another page stands there now.
  parts.signIns.delete(key);
  const { now, later } = beginAct(page, parts.acts);
  await turn({ page: await now, key }, conversation, how, parts);
  if (later === undefined) return;
  const { acts, drawing, surroundings } = parts;
  const drawn = later
    .then(async (done) => {
      // Our own end cut it off.
      if (acts.signal.aborted) return;
      if (done.of === "item" && done.stage?.is === "sign-in")
        parts.signIns.set(key, { page: done, conversation, on: how.on });
      await turn({ page: done, key }, conversation, { ...how, more: [] }, parts);
    })
    .catch((error: unknown) => surroundings.log.error({ err: error }, "a page can't be shown anew"))
    .finally(() => drawing.delete(drawn));
  drawing.add(drawn);
}

/** Shows pages anew whose sign-in is done, for their address leads nowhere any more; until the signal fires. */
export async function followSignIns(parts: LeafingParts, signal: AbortSignal): Promise<void> {
  for await (const { app, signedIn } of parts.acts.catalog.changes(signal)) {
    const done = signedIn ? [...parts.signIns].filter(([, { page }]) => page.id === app) : [];
    for (const [key, { page, conversation, on }] of done) {
      parts.signIns.delete(key);
      const { stage: _, ...plain } = page;
      await turn({ page: plain, key }, conversation, { more: [], on }, parts).catch((error: unknown) =>
        parts.surroundings.log.error({ err: error }, "a page can't be shown anew"),
      );
    }
  }
}

async function turn(
  { page, key }: { readonly page: Page; readonly key: string },
  conversation: Pick<Conversation, "id" | "room">,
  { more, on }: { readonly more: readonly Change[]; readonly on: string | undefined },
  parts: LeafingParts,
): Promise<void> {
  const { store, outbox, surroundings } = parts;
  const { reply, buttons: leaves, file } = await cardOf(page, key, conversation, parts);
  // A message of its own, that stays when the page is left.
  const beside = `${PASSING_KEY}page/${surroundings.random.key(KEY_BYTES)}`;
  const buttons: readonly Change[] = [
    ...leaves,
    ...(file === undefined
      ? []
      : [outbox.planned(conversation.room, { key: beside, text: "", rows: [], quiet: true, file }, conversation.id)]),
  ];
  // Nobody could say that it arrived, and there it is.
  if (on !== undefined && (await store.outbox.shown(conversation.room, key, 0)) === undefined) {
    const done = await store.commit([...buttons, ...more]);
    if (done.ok) outbox.take(done.rows);
    outbox.touchUp(conversation.room, on, reply);
    return;
  }
  const done = await store.commit([...buttons, outbox.planned(conversation.room, reply, conversation.id), ...more]);
  if (done.ok) outbox.take(done.rows);
}

/** A page as a reply, with its durable buttons. */
async function cardOf(
  page: Page,
  key: string,
  { id, room }: Pick<Conversation, "id" | "room">,
  parts: LeafingParts,
): Promise<{ readonly reply: Reply; readonly buttons: readonly Change[]; readonly file: ReplyFile | undefined }> {
  const { random } = parts.surroundings;
  const { text, rows, quiet, file } = await drawn(page, parts.ways.get(room.platform)?.outlet, parts);
  const buttons: Change[] = [];
  const button = (one: Leaf): Button => {
    if ("url" in one) return one;
    const press = random.key(KEY_BYTES);
    buttons.push({ do: "button", key: press, button: { conversation: id, does: "leaf", key, page: one.page } });
    return { label: one.label, press };
  };
  return { reply: { key, text, rows: rows.map((row) => row.map(button)), quiet }, buttons, file };
}

/** The page, short enough to be one message: a second one would stay when the page is left. */
async function drawn(page: Page, outlet: Outlet | undefined, parts: LeafingParts): Promise<Drawn> {
  const { store, search, acts } = parts;
  const linkTo = async (of: Conversation, line: number): Promise<string | undefined> => await link(of, line, parts);
  let one: Drawn | undefined;
  for (const maxChars of PAGE_CHARS) {
    one = await drawPage(page, { store, search, catalog: acts.catalog, linkTo, maxChars });
    const { text, rows, quiet } = one;
    const buttons = rows.map((row) => row.map((leaf) => ("url" in leaf ? leaf : { label: leaf.label, press: "" })));
    if ((outlet?.pieces({ key: "", text, rows: buttons, quiet }).length ?? 1) <= 1) break;
  }
  return one ?? { text: "", rows: [], quiet: true };
}

/** Where a line's message stands: a person's by its own id, an answer's by what was shown of it. */
async function link(
  { id, room }: Conversation,
  line: number,
  { store, ways }: Pick<LeafingParts, "store" | "ways">,
): Promise<string | undefined> {
  const outlet = ways.get(room.platform)?.outlet;
  const [entry] = outlet === undefined ? [] : await store.log.read(id, { after: line - 1, limit: 1 });
  if (outlet === undefined || entry === undefined) return undefined;
  if (entry.kind === "message") return outlet.link(room, entry.message.ids[0] ?? "");
  if (entry.kind !== "text") return undefined;
  const shown = await store.outbox.shown(room, partKey(entry.turn, entry.part), 0);
  return shown?.ref === undefined ? undefined : outlet.link(room, shown.ref);
}
