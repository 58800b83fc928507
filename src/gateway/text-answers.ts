// An approval answered by text: "allow 3", or "yes" as a reply to its card. In the owner's own words only, and never behind a turn.
import type { Live } from "../cards/approvals.ts";
import type { ApprovalAnswer } from "../core/card.ts";
import type { Inbound } from "../core/channel.ts";
import { ownWords, roomKey, type Room } from "../core/message.ts";
import type { Store } from "../store/port.ts";
import { cardKey } from "./replies.ts";

/** What was answered, and to which approval: to the one with a number, or to the one whose card was replied to. */
export type TextAnswer = {
  readonly took: ApprovalAnswer;
  readonly to: { readonly number: number } | { readonly messageId: string };
};

const ALLOW = /^(?:allow(?: once)?|yes|ok(?:ay)?|approve)(?:,? (?:no\. ?|#)?(\d{1,9}))?[.!]?$/iu;
const REFUSE = /^(?:don['’]?t allow|do not allow|deny|no|refuse)(?:,? (?:no\. ?|#)?(\d{1,9}))?[.!]?$/iu;
/** A long card is several messages. */
const MAX_PIECES = 8;

/** What a message answers, if it could be an answer at all. Nothing that was forwarded or attached counts, nor comes with it. */
export function textAnswer(inbound: Extract<Inbound, { kind: "message" }>): TextAnswer | undefined {
  if (inbound.command !== undefined) return undefined;
  if (inbound.parts.some((part) => part.origin.kind === "forwarded" || part.kind === "file")) return undefined;
  const words = ownWords(inbound).trim();
  const allow = ALLOW.exec(words);
  const found = allow ?? REFUSE.exec(words);
  if (found === null) return undefined;
  const took = allow === null ? "no" : "once";
  if (found[1] !== undefined) return { took, to: { number: Number(found[1]) } };
  const replied = inbound.parts.flatMap(({ origin }) =>
    origin.kind === "quoted" && origin.ours && origin.messageId !== undefined ? [origin.messageId] : [],
  )[0];
  return replied === undefined ? undefined : { took, to: { messageId: replied } };
}

/** The approval in this room that is answered. */
export async function answeredApproval(
  { to }: TextAnswer,
  room: Extract<Inbound, { kind: "message" }>["room"],
  live: readonly Live[],
  store: Store,
): Promise<Live | undefined> {
  const here = live.filter((one) => roomKey(one.room) === roomKey(room));
  if ("number" in to) return here.find(({ card }) => card.number === to.number);
  for (const one of here) if (await isShownAs(store, room, cardKey(one.card.id, one), to.messageId)) return one;
  return undefined;
}

/** Whether what is shown under a key stands in this message. */
export async function isShownAs(store: Store, room: Room, key: string, messageId: string): Promise<boolean> {
  for (let index = 0; index < MAX_PIECES; index += 1) {
    const shown = await store.outbox.shown(room, key, index);
    if (shown === undefined) return false;
    if (shown.ref === messageId) return true;
  }
  return false;
}
