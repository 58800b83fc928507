// Who may speak. Known by the platform's immutable ids, never by names; answered from memory, so that nothing waits for it.
import type { Sender } from "../core/channel.ts";
import { personKey, roomKey, type Person, type Room, type Untrusted } from "../core/message.ts";
import type { Clock } from "../core/surroundings.ts";
import { clipGraphemes, clipUnits, isVisible, oneLine } from "../core/text.ts";
import type { Change, Committed, Known, Store } from "../store/port.ts";

/** Who the owner is on each platform; a platform left out has no owner there by the config. */
export type OwnerIds = { readonly name: string; readonly ids: ReadonlyMap<string, string> };

/** What the config says of everyone but the owner. `guestHourly`, `guestDaily`: answers. */
export type AccessRules = {
  readonly guests: "ask" | "block";
  readonly groups: "off" | "mention";
  readonly guestHourly: number;
  readonly guestDaily: number;
};

/** Who a sender is. `nobody`: a bot, an anonymous admin, a channel's own post. */
export type Standing = "owner" | "guest" | "stranger" | "blocked" | "nobody";

/** Who a sender is, as whom they speak if they may. */
export type Speaker =
  | { readonly standing: "owner" | "guest"; readonly person: Person }
  | { readonly standing: Exclude<Standing, "owner" | "guest"> };

/** The owner's private chat that was used last. */
export type PrivateChat = { readonly room: Room; readonly person: Person };

/** At a terminal sits whoever started the program: always the owner. */
const OWNERS_OWN_PLATFORMS: ReadonlySet<string> = new Set(["terminal", "cli"]);
const LAST_PRIVATE = "owner/room";
const WHOLE_IDS = "owner/id/";
const NAME_GRAPHEMES = 40;
/** One grapheme can be piled up without end. */
const NAME_UNITS = 200;

/** Everyone that the owner has decided about or is asked about, and who the owner is. */
export class People {
  readonly owner: OwnerIds;
  readonly rules: AccessRules;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();
  /** By platform and the short id that the config states. */
  readonly #wholeIds = new Map<string, string>();
  #lastPrivate: PrivateChat | undefined;

  private constructor(store: Store, owner: OwnerIds, rules: AccessRules, clock: Clock) {
    this.#store = store;
    this.owner = owner;
    this.rules = rules;
    this.#clock = clock;
  }

  /** Reads what is known. */
  static async open(store: Store, owner: OwnerIds, rules: AccessRules, clock: Clock): Promise<People> {
    const people = new People(store, owner, rules, clock);
    for (const known of await store.records.known()) people.#known.set(personKey(known), known);
    const last = await store.records.cursor(LAST_PRIVATE);
    if (last !== undefined) people.#lastPrivate = JSON.parse(last) as PrivateChat;
    for (const [key, id] of await store.records.cursors(WHOLE_IDS)) people.#wholeIds.set(key, id);
    return people;
  }

  /** Who a sender is in a room. In a private one only who was let in is a guest; in a group that counts, everyone who isn't blocked. */
  who(platform: string, sender: Sender, room: Room): Speaker {
    if (sender.bot) return { standing: "nobody" };
    this.#meet(platform, sender);
    if (this.#isOwner(platform, sender.id))
      return { standing: "owner", person: { platform, id: sender.id, name: this.owner.name, role: "owner" } };
    // The owner may have decided by the short id: at the command line that is what people copy.
    const { id, homeId = id } = sender;
    const known = (this.known(platform, id) ?? this.known(platform, homeId))?.standing;
    if (this.rules.guests === "block" || known === "blocked") return { standing: "blocked" };
    if (room.kind === "shared") {
      const group = this.group(room);
      if (group !== "open") return { standing: group === "blocked" ? "blocked" : "stranger" };
    } else if (known !== "guest") return { standing: "stranger" };
    return { standing: "guest", person: { platform, id: sender.id, name: sender.name, role: "guest" } };
  }

  /** Whether a group counts. `closed`: nobody has let it in, or groups are off altogether. */
  group(room: Room): "open" | "closed" | "blocked" {
    if (this.rules.groups === "off") return "closed";
    const standing = this.known(room.platform, room.chat)?.standing;
    if (standing === "blocked") return "blocked";
    return standing === "guest" ? "open" : "closed";
  }

  /** The changes by which a group counts from now on, since the owner has spoken there; none when it counts, is blocked, or no group may. It holds at once. */
  opened(room: Room, name: Untrusted | undefined): readonly Change[] {
    const { platform, chat: id } = room;
    if (room.kind !== "shared" || this.rules.groups === "off" || this.group(room) !== "closed") return [];
    const known = {
      platform,
      id,
      kind: "group",
      name: shownName(name ?? "", id),
      standing: "guest",
      at: this.#clock.now(),
    } as const;
    // What others say right behind it finds the group open.
    this.#known.set(personKey(known), known);
    return [{ do: "know", known }];
  }

  /** Whether a person key is the owner's. */
  isOwner(person: string): boolean {
    const cut = person.indexOf("/");
    return this.#isOwner(person.slice(0, cut), person.slice(cut + 1));
  }

  /** Whether there is an owner on a platform. */
  owned(platform: string): boolean {
    return (
      OWNERS_OWN_PLATFORMS.has(platform) ||
      this.owner.ids.has(platform) ||
      [...this.#known.values()].some((one) => one.platform === platform && one.standing === "owner")
    );
  }

  /** What is known of a person or a group. */
  known(platform: string, id: string): Known | undefined {
    return this.#known.get(personKey({ platform, id }));
  }

  /** Everyone known, in the order of their standing's time. */
  list(): readonly Known[] {
    return [...this.#known.values()].toSorted((a, b) => a.at - b.at || (personKey(a) < personKey(b) ? -1 : 1));
  }

  /** Commits changes that set standings, together with others, then remembers those. Refused ones change nothing. */
  async commit(changes: readonly Change[]): Promise<Committed> {
    const done = await this.#store.commit(changes);
    if (!done.ok) return done;
    for (const change of changes) {
      if (change.do === "know") this.#known.set(personKey(change.known), change.known);
      if (change.do === "forget-known") this.#known.delete(personKey(change));
    }
    return done;
  }

  /** Where the owner is asked what no other chat may show. Undefined once whoever sat there is the owner no more. */
  get lastPrivate(): PrivateChat | undefined {
    const last = this.#lastPrivate;
    if (last === undefined || !this.isOwner(personKey(last.person))) return undefined;
    return { room: last.room, person: { ...last.person, name: this.owner.name } };
  }

  /** The changes that note where the owner has spoken in private; none when it is the same. It holds at once. */
  notePrivate(room: Room, person: Person): readonly Change[] {
    const last = this.#lastPrivate;
    if (last !== undefined && roomKey(last.room) === roomKey(room) && personKey(last.person) === personKey(person))
      return [];
    this.#lastPrivate = { room, person };
    return [
      { do: "cursor", name: LAST_PRIVATE, value: JSON.stringify(this.#lastPrivate) },
      ...[...this.#wholeIds].map(([key, id]): Change => ({ do: "cursor", name: `${WHOLE_IDS}${key}`, value: id })),
    ];
  }

  /** A group has a new id, in the store already. */
  move(platform: string, from: string, to: string): void {
    const group = this.known(platform, from);
    if (group?.kind !== "group") return;
    this.#known.delete(personKey(group));
    const moved = { ...group, id: to };
    this.#known.set(personKey(moved), moved);
  }

  #isOwner(platform: string, id: string): boolean {
    if (OWNERS_OWN_PLATFORMS.has(platform)) return true;
    const stated = this.owner.ids.get(platform);
    if (stated === undefined) return this.known(platform, id)?.standing === "owner";
    return stated === id || this.#wholeIds.get(`${platform}/${stated}`) === id;
  }

  /** Whom the config calls by a short id is known by the whole one from the first time they are met. */
  #meet(platform: string, { id, homeId }: Sender): void {
    if (homeId !== undefined && this.owner.ids.get(platform) === homeId)
      this.#wholeIds.set(`${platform}/${homeId}`, id);
  }
}

/** A name that someone chose, on one line and not too long; the id where there is nothing to see of it. */
export function shownName(name: Untrusted, id: string): Untrusted {
  const shown = clipUnits(clipGraphemes(oneLine(name), NAME_GRAPHEMES, "…"), NAME_UNITS, "…");
  return isVisible(shown) ? shown : id;
}
