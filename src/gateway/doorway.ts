// Who is at the door: pairing, strangers, groups that begin to count, and where the owner was last in private.
import type { Inbound } from "../core/channel.ts";
import { ownWords, type Person } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, Committed, InboundRow, Store } from "../store/port.ts";
import { openConversation } from "./opening.ts";
import { pairingCodeIn, takePairing } from "./pairing.ts";
import type { People, Speaker } from "./people.ts";
import type { Requests } from "./requests.ts";

/** What the doorway works with. */
export type DoorwayParts = {
  readonly store: Store;
  readonly people: People;
  readonly requests: Requests;
  /** Commits, remembers the people in it, and hands the rows to the outbox. */
  readonly commit: (changes: readonly Change[]) => Promise<Committed>;
  readonly surroundings: Surroundings;
};

type Said = Extract<Inbound, { kind: "message" }>;

const PAIRED =
  "You are paired: from now on I answer you here, and nobody else unless you let them in. /help lists what I can do.";

/** Takes a message of someone who may not speak; its raw update is done with, and forgotten, when this resolves. */
export async function turnAway(parts: DoorwayParts, row: InboundRow, inbound: Said, speaker: Speaker): Promise<void> {
  if (speaker.standing === "stranger" && inbound.room.kind === "private" && (await pair(parts, row, inbound))) return;
  const { room, roomName, from, addressed } = inbound;
  await parts.requests.turnAway({ platform: row.channel, sender: from, room, roomName, addressed, rowId: row.id });
}

/** Lets the owner in who shows the code; false when what was said is no code, or not a good one. */
async function pair(
  { store, people, commit, surroundings }: DoorwayParts,
  row: InboundRow,
  inbound: Said,
): Promise<boolean> {
  const { command, room, from, at } = inbound;
  const code = pairingCodeIn(command === undefined ? ownWords(inbound) : `/${command.name} ${command.args}`);
  if (code === undefined) return false;
  const taken = await takePairing(store, people, code, { platform: row.channel, sender: from, room, at }, surroundings);
  if (!taken.ok) return false;
  const { person } = taken;
  const open = openConversation(room, person, surroundings);
  const done = await commit([
    ...taken.changes,
    ...open.changes,
    {
      do: "append",
      conversation: open.id,
      at: surroundings.clock.now(),
      body: { kind: "notice", text: PAIRED, quiet: false },
    },
    ...people.notePrivate(room, person),
    // What was sent holds the code.
    { do: "inbound-done", ids: [row.id], outcome: "paired", forget: true },
  ]);
  return done.ok;
}

/** Notes where the owner has spoken: the private chat last used, or a group that counts from now on. */
export async function noteOwner(parts: DoorwayParts, inbound: Said, person: Person): Promise<void> {
  const { people, commit } = parts;
  const changes =
    inbound.room.kind === "private"
      ? people.notePrivate(inbound.room, person)
      : people.opened(inbound.room, inbound.roomName);
  if (changes.length > 0) await commit(changes);
}
