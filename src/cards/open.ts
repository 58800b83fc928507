// What stands open under a conversation's newest answer: an offer, or replies to send next. Something newer ends it.
//
//   asked ─→ asked again, further on … ─→ answered (taken, put away, muted, expired)
//
// Each step claims the entry that it goes on from, so that of two at once one is refused and looks again.
import type { Offer } from "../core/card.ts";
import { escapeMarkdown, oneLine } from "../core/text.ts";
import type { Change, Store } from "../store/port.ts";
import { chipsGone } from "./chips.ts";

/** An offer that stands open. `seq`: of the entry that shows it as it is now. */
export type OpenOffer = { readonly conversation: string; readonly offer: Offer; readonly seq: number };

/** The offer that stands open in a conversation, if one does. */
export async function openOfferIn(
  { log, conversations }: Pick<Store, "log" | "conversations">,
  conversation: string,
): Promise<OpenOffer | undefined> {
  const seq = (await conversations.get(conversation))?.stands;
  if (seq === undefined) return undefined;
  const [entry] = await log.read(conversation, { after: seq - 1, limit: 1 });
  return entry?.kind === "asked" && entry.card.kind === "offer" ? { conversation, offer: entry.card, seq } : undefined;
}

/**
 * Goes on from an offer that stands open, by the changes that `step` gives for it as it is; false when it is over by then. A step that
 * another was quicker than is thought through again.
 */
export async function stepOffer(
  store: Store,
  conversation: string,
  card: string,
  step: (open: OpenOffer) => readonly Change[],
): Promise<boolean> {
  for (;;) {
    const open = await openOfferIn(store, conversation);
    if (open?.offer.id !== card) return false;
    const done = await store.commit(step(open));
    if (done.ok) return true;
    if (done.because !== "claimed" || (await store.records.claim(cardClaim(card))) !== undefined) return false;
  }
}

/** The changes that show an offer as it stands from now on. */
export function redrawOffer(
  { conversation, offer, seq }: OpenOffer,
  stage: Offer["stage"],
  at: number,
): readonly Change[] {
  const { stage: _, ...bare } = offer;
  const card: Offer = stage === undefined ? bare : { ...bare, stage };
  return [
    { do: "claim", key: stepClaim(offer.id, seq), by: NOBODY, at },
    { do: "append", conversation, at, body: { kind: "asked", card }, stands: true },
  ];
}

/** What became of an offer, and what its card says from then on, as Markdown. */
export type OfferEnd = { readonly is: "accepted" | "dismissed" | "muted" | "expired"; readonly text: string };

/** The changes that end an offer. */
export function endOffer(
  { conversation, offer, seq }: OpenOffer,
  { is, text }: OfferEnd,
  by: string,
  at: number,
): readonly Change[] {
  return [
    { do: "claim", key: cardClaim(offer.id), by, at },
    { do: "claim", key: stepClaim(offer.id, seq), by, at },
    { do: "append", conversation, at, body: { kind: "answered", card: offer.id, by, text, offer: is } },
    { do: "none-stands", conversation },
  ];
}

/** How an offer ends that was not taken: as a small line. */
export function putAway({ target }: Offer, is: Exclude<OfferEnd["is"], "accepted">): OfferEnd {
  return { is, text: `_Suggested: ${escapeMarkdown(oneLine(target.name))} – ${PUT_AWAY[is]}._` };
}

const PUT_AWAY = {
  dismissed: "not now",
  muted: "won't be suggested again; /settings undoes that",
  expired: "the chat has moved on",
} as const;

/** Whether a card that is over was answered by someone; false: the chat has moved on. */
export async function wasAnswered({ records }: Pick<Store, "records">, card: string): Promise<boolean> {
  const by = await records.claim(cardClaim(card));
  return by !== undefined && by !== NOBODY;
}

/** Who ends what nobody answered. */
const NOBODY = "gateway";

function cardClaim(card: string): string {
  return `card:${card}`;
}

function stepClaim(card: string, seq: number): string {
  return `card:${card}@${seq}`;
}

/**
 * Something newer comes into a conversation: what stands open there is over. `by`: words that are a message end an offer too; what a
 * command shows ends only replies to send next, since an offer can be looked into by one. Committed by itself, before what is newer:
 * an offer that was taken at the same moment must not refuse a message.
 */
export async function closeOpen(
  store: Store,
  { id }: { readonly id: string },
  at: number,
  by: "message" | "command" = "message",
): Promise<void> {
  const stands = (await store.conversations.get(id))?.stands;
  if (stands === undefined) return;
  const [entry] = await store.log.read(id, { after: stands - 1, limit: 1 });
  if (entry?.kind === "asked" && entry.card.kind === "offer") {
    if (by === "command") return;
    await stepOffer(store, id, entry.card.id, (open) => endOffer(open, putAway(open.offer, "expired"), NOBODY, at));
    return;
  }
  const gone: readonly Change[] =
    entry?.kind === "text" ? chipsGone(entry, at) : [{ do: "none-stands", conversation: id }];
  // Lost in a power cut it is done again by the next message: nothing has left by it.
  await store.commit(gone, { sync: false });
}
