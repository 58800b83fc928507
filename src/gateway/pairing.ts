// The one-time code by which the owner becomes known on a platform whose owner the config doesn't name.
import { createHash, timingSafeEqual } from "node:crypto";
import type { Sender } from "../core/channel.ts";
import { personKey, type Person, type Room } from "../core/message.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import type { Change, Store } from "../store/port.ts";
import { shownName, type People } from "./people.ts";

/** Who presents a code, and where. */
export type Presented = {
  readonly platform: string;
  readonly sender: Sender;
  readonly room: Room;
  readonly at: number;
};

/**
 * Whether a code was right. The changes use it up and make who presented it the owner; committed together with whatever goes with
 * that, by `People.commit`. Refused with `claimed` when another was faster.
 */
export type Paired =
  | { readonly ok: true; readonly person: Person; readonly changes: readonly Change[] }
  | { readonly ok: false };

/** A code is good for this long. */
export const PAIRING_MS = 600_000;
const CODE_BYTES = 16;
const CURSOR = "pairing";
/** The code alone, or as a link or a person hands it over. */
const CODE_IN_TEXT = /^(?:\/start(?:@\w+)?\s+|\/?[Pp]air\s+)?([A-Za-z0-9_-]{22})$/u;
const WRONG = { ok: false } as const;

/** Draws a code that takes the place of any before it. Only its digest is kept. */
export async function issuePairing(
  store: Store,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<string> {
  const code = random.key(CODE_BYTES);
  const kept = { hash: digest(code).toString("hex"), until: clock.now() + PAIRING_MS };
  await store.commit([{ do: "cursor", name: CURSOR, value: JSON.stringify(kept) }]);
  return code;
}

/** Judges a code: it must come from a person, in a one-to-one chat, in time, on a platform whose owner the config leaves open. */
export async function takePairing(
  store: Store,
  people: People,
  code: string,
  { platform, sender, room, at }: Presented,
  { clock }: { readonly clock: Clock },
): Promise<Paired> {
  const stated = people.owner.ids.has(platform) || people.isOwner(personKey({ platform, id: sender.id }));
  if (sender.bot || room.kind !== "private" || room.platform !== platform || stated) return WRONG;
  const cursor = await store.records.cursor(CURSOR);
  if (cursor === undefined || cursor === "") return WRONG;
  const { hash, until } = JSON.parse(cursor) as { readonly hash: string; readonly until: number };
  if (!timingSafeEqual(digest(code), Buffer.from(hash, "hex")) || clock.now() >= until) return WRONG;
  const before = people.list().filter((one) => one.platform === platform && one.standing === "owner");
  return {
    ok: true,
    person: { platform, id: sender.id, name: people.owner.name, role: "owner" },
    changes: [
      { do: "claim", key: `pairing:${hash}`, by: personKey({ platform, id: sender.id }), at },
      { do: "cursor", name: CURSOR, value: "" },
      ...before.map(({ id }): Change => ({ do: "forget-known", platform, id })),
      {
        do: "know",
        known: {
          platform,
          id: sender.id,
          kind: "person",
          name: shownName(sender.name, sender.id),
          standing: "owner",
          at,
        },
      },
    ],
  };
}

/** What in a text may be a code: the whole of it, or what follows "/start" or "pair". */
export function pairingCodeIn(text: string): string | undefined {
  return CODE_IN_TEXT.exec(text.trim())?.[1];
}

function digest(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
