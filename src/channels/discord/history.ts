// What was said while nothing was heard: read back from the platform's history.
import type { Since } from "../../core/channel.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { channelError, describeFailure, isGeneral, patiently } from "./client.ts";
import type { Client, Outcome } from "./client.ts";
import { idAt, isLater, laterOf, timeOf } from "./event.ts";
import type { Place } from "./event.ts";
import type { Places } from "./places.ts";

/** Discord gives at most 100 messages at a time (discord.com/developers/docs/resources/message#get-channel-messages). */
const PAGE = 100;
/** More than that in one place is a flood, of which the newest part would be worth most, but the order matters more. */
const MAX_PAGES = 10;
/** Events of different places may come in another order than that of their ids, and our clock and theirs may differ by so much. */
const SKEW_MS = 300_000;
/** Of places that were never heard before the latest few are looked at. */
const MAX_OTHERS = 20;
const AT_ONCE = 4;

export type HistoryParts = {
  readonly client: Client;
  readonly places: Places;
  readonly surroundings: Surroundings;
};

/**
 * Up to when everything was heard, in an earlier life, in milliseconds since 1970: the newest mark, since messages of all places are
 * handed on in one order. The time of the last update would be too late: when reading back breaks off half-way, it is now.
 */
export function heardUntil({ marks, heardAt }: Since): number | undefined {
  const newest = [...marks.values()].reduce((one, other) => laterOf(one, other), "0");
  return newest === "0" ? heardAt : timeOf(newest);
}

/**
 * Where to look, each place with the id behind which nothing was heard. Between a place's mark and the last thing heard anywhere the
 * connection stood, so nothing is missing there. A private chat of the owner counts even when nothing was ever said in it.
 */
export function gapsOf(
  marks: ReadonlyMap<string, string>,
  heardAt: number | undefined,
  ownerDm: string | undefined,
  places: Pick<Places, "activeSince">,
  now: number,
): ReadonlyMap<string, string> {
  const heard = heardAt === undefined ? "0" : idAt(heardAt - SKEW_MS);
  const gaps = new Map([...marks].map(([place, at]) => [place, laterOf(at, heard)]));
  // Where nothing was ever heard, nothing may be missing; what was written a moment before the first start is meant for it.
  if (ownerDm !== undefined && !gaps.has(ownerDm)) gaps.set(ownerDm, idAt((heardAt ?? now) - SKEW_MS));
  // The bot may have been mentioned where it never was before.
  if (heardAt !== undefined)
    for (const id of places.activeSince(heard).slice(0, MAX_OTHERS)) if (!gaps.has(id)) gaps.set(id, heard);
  return gaps;
}

/**
 * Reads each gap and gives its messages page by page. A place that is gone or closed is left out; when the platform can't be asked it
 * throws a GatewayError, since what is heard next would hide the gap.
 */
export async function fillGaps(
  parts: HistoryParts,
  gaps: ReadonlyMap<string, string>,
  give: (messages: readonly unknown[], place: Place) => void,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...gaps];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const [id, after] = next;
      const place = await parts.places.find(id, signal);
      if (place === undefined) continue;
      // Not set where nothing was ever said.
      if (place.last_message_id && !isLater(place.last_message_id, after)) continue;
      await fillGap(parts, place, after, give, signal);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function fillGap(
  parts: HistoryParts,
  place: Place,
  after: string,
  give: (messages: readonly unknown[], place: Place) => void,
  signal: AbortSignal,
): Promise<void> {
  const { log } = parts.surroundings;
  let from = after;
  for (let page = 0; page < MAX_PAGES; page++) {
    const asked = await readPage(parts, place.id, from, signal);
    if (signal.aborted) return;
    if (!asked.ok) {
      const { failure } = asked;
      if (isGeneral(failure)) throw channelError("messages", failure);
      log.info({ place: place.id, why: describeFailure(failure) }, "What was missed on Discord can't be read there.");
      return;
    }
    const messages = oldestFirst(asked.value);
    const last = messages.at(-1)?.id;
    if (last === undefined) return;
    give(
      messages.map(({ message }) => message),
      place,
    );
    if (messages.length < PAGE) return;
    from = last;
  }
  log.warn({ place: place.id, read: MAX_PAGES * PAGE }, "More was said on Discord meanwhile than is read back.");
}

async function readPage(
  { client, surroundings: { clock } }: HistoryParts,
  place: string,
  after: string,
  signal: AbortSignal,
): Promise<Outcome<unknown>> {
  const query = { after, limit: String(PAGE) };
  const read = { method: "GET", path: `/channels/${place}/messages`, query } as const;
  return await patiently(async () => await client.call(read, signal), clock, signal);
}

/** A page comes newest first. */
export function oldestFirst(page: unknown): { readonly id: string; readonly message: unknown }[] {
  if (!Array.isArray(page)) return [];
  return page
    .flatMap((message: unknown) => {
      const id: unknown = typeof message === "object" && message !== null && "id" in message ? message.id : undefined;
      return typeof id === "string" ? [{ id, message }] : [];
    })
    .sort((one, other) => (isLater(one.id, other.id) ? 1 : -1));
}
