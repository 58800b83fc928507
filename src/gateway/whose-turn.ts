// Who speaks next on a platform where each line is answered before the next is taken: a person does when all of it is answered, and
// also when one of them is asked something and can see it. And what becomes of what waits for someone who is gone.
import type { Approvals } from "../cards/approvals.ts";
import type { Questions } from "../cards/questions.ts";
import type { Store } from "../store/port.ts";

/** What this is told by. Each of the three waits is for one platform. */
export type WhoseTurnParts = {
  readonly store: Pick<Store, "log" | "records">;
  readonly approvals: Pick<Approvals, "live" | "answer">;
  readonly questions: Pick<Questions, "live" | "press">;
  /** All that came from there is in the log, and what was pressed is carried out. */
  readonly heard: (platform: string) => Promise<void>;
  /** Everything in the log up to now is shown there. */
  readonly shown: (platform: string) => Promise<void>;
  /** Nothing that concerns it is under way. */
  readonly settled: (platform: string) => Promise<void>;
};

/**
 * Resolves when a person there is to say something: true when they are asked (a question, an approval) and the card is shown, false
 * when all of theirs is answered. After the signal it may never resolve.
 */
export async function personsTurn(platform: string, parts: WhoseTurnParts, signal: AbortSignal): Promise<boolean> {
  await parts.heard(platform);
  const over = new AbortController();
  try {
    return await Promise.race([
      parts.settled(platform).then(() => false),
      isAsked(platform, parts, AbortSignal.any([signal, over.signal])),
    ]);
  } finally {
    over.abort();
  }
}

/** Nobody there answers any more: questions are skipped and approvals denied until all of it is over. */
export async function nobodyLeft(platform: string, parts: WhoseTurnParts, signal: AbortSignal): Promise<void> {
  const { approvals, questions } = parts;
  for (let asked = true; asked && !signal.aborted;) {
    asked = await personsTurn(platform, parts, signal);
    // What outlived its turn stands open when all of theirs is answered, too.
    for (const { card, room } of approvals.live)
      if (room.platform === platform) await approvals.answer(card.id, "no", "gateway", []);
    for (const { card, room } of questions.live) {
      const skip = card.options.find(({ act }) => act.do === "skip");
      if (room.platform === platform && skip !== undefined)
        await questions.press(card.id, { key: skip.key, by: "gateway", more: [] });
    }
  }
}

/** Resolves when something waits for a person there and stands on their screen; after the signal never. */
async function isAsked(platform: string, parts: WhoseTurnParts, signal: AbortSignal): Promise<true> {
  const { store } = parts;
  const place = await store.log.head();
  let found = await isOpen(platform, parts);
  if (!found) {
    // What is asked is in the log before anyone sees it.
    for await (const _ of store.log.follow(place, signal)) {
      found = await isOpen(platform, parts);
      if (found) break;
    }
  }
  if (!found) return await new Promise(() => undefined);
  await parts.shown(platform);
  return true;
}

/** Whether something that waits there was asked by now and not answered: what the log knows, before who waits has heard of it. */
async function isOpen(platform: string, { store, approvals, questions }: WhoseTurnParts): Promise<boolean> {
  for (const { card, room } of [...approvals.live, ...questions.live]) {
    const key = card.options[0]?.key;
    if (room.platform !== platform || key === undefined) continue;
    const asked = (await store.records.button(key)) !== undefined;
    if (asked && (await store.records.claim(`card:${card.id}`)) === undefined) return true;
  }
  return false;
}
