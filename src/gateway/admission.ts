// Everything about who may speak, put together: people, requests, limits, and the invitation to become the owner.
import type { Change, Committed } from "../store/port.ts";
import type { DoorwayParts } from "./doorway.ts";
import { Limits } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { issuePairing } from "./pairing.ts";
import type { GatewayParts } from "./parts.ts";
import { pairingWords } from "./people-command.ts";
import type { People } from "./people.ts";
import { Requests, type RequestParts } from "./requests.ts";
import { platformName } from "../core/message.ts";

/** Who is let in, for the inbox and for whoever starts the gateway. */
export type Admission = {
  readonly doorway: DoorwayParts;
  readonly limits: Limits;
  /** The links that hand a pairing code over, of the platforms where an owner may be paired. */
  readonly invites: (code: string) => readonly string[];
  /** A platform without an owner serves nobody: whoever started the program is told how to become that. Once a start. */
  readonly invite: (platform: string) => Promise<void>;
};

/** Puts it together. `inOrder` runs a task behind all that a person has said in a room. */
export function openAdmission(
  parts: Pick<GatewayParts, "store" | "platforms" | "access" | "owner" | "tell" | "surroundings">,
  people: People,
  outbox: Outbox,
  inOrder: RequestParts["inOrder"],
): Admission {
  const { store, platforms, access, surroundings } = parts;
  /** Commits, remembers the people in it, and has its rows shown. */
  const commit = async (changes: readonly Change[]): Promise<Committed> => {
    const done = await people.commit(changes);
    if (done.ok) outbox.take(done.rows);
    return done;
  };
  const requests = new Requests({
    ...{ store, people, platforms, commit, inOrder, surroundings },
    reply: (room, key, text) => outbox.planned(room, { key, text, rows: [], quiet: false }),
  });
  const invites = (code: string): readonly string[] =>
    [...platforms.values()].flatMap(({ channel }) =>
      parts.owner.ids.has(channel.name) ? [] : (channel.invite(code) ?? []),
    );
  let invited = false;
  return {
    doorway: { store, people, requests, commit, surroundings },
    limits: new Limits(store, { hourly: access.guestHourly, daily: access.guestDaily }, surroundings.clock),
    invites,
    async invite(platform) {
      if (invited || people.owned(platform)) return;
      invited = true;
      const code = await issuePairing(store, surroundings);
      parts.tell(`${platformName(platform)} has no owner yet. ${pairingWords(code, invites(code))}`);
    },
  };
}
