// Where the owner is told what is theirs alone: the private chat on a platform that is here now.
import type { Person, Room } from "../core/message.ts";
import type { Store } from "../store/port.ts";
import type { People } from "./people.ts";
import type { Way } from "./plans.ts";

/** Where the owner last spoke in private; undefined where they never did. */
export async function ownerChat({
  people,
  store,
  ways,
}: {
  readonly people: People;
  readonly store: Pick<Store, "conversations">;
  readonly ways: ReadonlyMap<string, Way>;
}): Promise<{ readonly room: Room; readonly person: Person } | undefined> {
  const isHere = ({ platform }: Room): boolean => ways.has(platform);
  const last = people.lastPrivate;
  if (last === undefined || isHere(last.room)) return last;
  const newest = (await store.conversations.list({ archived: true })).find(
    ({ room, person }) => room.kind === "private" && isHere(room) && people.isOwner(person),
  );
  if (newest === undefined) return undefined;
  const { platform } = newest.room;
  const id = newest.person.slice(platform.length + 1);
  return { room: newest.room, person: { platform, id, name: people.owner.name, role: "owner" } };
}
