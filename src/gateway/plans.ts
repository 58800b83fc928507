// From entries of the log to the rows that show them, for each platform that is there.
import { isDeepStrictEqual } from "node:util";
import type { ChannelLimits, Outlet } from "../core/channel.ts";
import type { Conversation, Entry, PlacedEntry } from "../core/conversation.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Piece, Reply } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, PlannedShow, ShowWeight, Store } from "../store/port.ts";
import { inPlatformsWords } from "./command-words.ts";
import { partKey, partOf, replyFor } from "./replies.ts";

/** A platform's way out. */
export type Way = { readonly outlet: Outlet; readonly limits: ChannelLimits };

/** A turn's first try is looked for among this many of its conversation's newest entries. */
const RECENT = 500;
const BEGUN_ANEW = "_I was interrupted here and began anew._";
/** Stands in a message that held nothing but what could be said next. */
const MOVED_ON = "_The chat has moved on._";
const NOWHERE = { room: { platform: "", chat: "", kind: "shared" } } as const;

/** Plans rows and the platforms' cursors over the log. One that was away for a while is shown then what it missed. */
export class Plans {
  readonly #store: Store;
  readonly #ways: ReadonlyMap<string, Way>;
  readonly #surroundings: Surroundings;
  /** How far each platform's rows were planned when we began. */
  #planned: ReadonlyMap<string, number> = new Map();
  readonly #hasKeyboards: boolean;

  constructor(store: Store, ways: ReadonlyMap<string, Way>, surroundings: Surroundings) {
    this.#store = store;
    this.#ways = ways;
    this.#surroundings = surroundings;
    this.#hasKeyboards = [...ways.values()].some(({ limits }) => limits.keyboard);
  }

  /** Reads where each platform stands; gives the place from which the log is to be followed. */
  async open(): Promise<number> {
    const head = await this.#store.log.head();
    const places = await Promise.all(
      [...this.#ways.keys()].map(async (name) => {
        // A platform that is here for the first time has nothing to show of what was said before.
        const place = Number((await this.#store.records.cursor(cursorOf(name))) ?? head);
        return [name, place] as const;
      }),
    );
    await this.#store.commit(places.map(([name, place]) => cursorAt(name, place)));
    this.#planned = new Map(places);
    return Math.min(head, ...this.#planned.values());
  }

  /** The rows for these entries with the cursors behind them, for one transaction; nothing when nothing is to be shown. */
  async changes(batch: readonly PlacedEntry[]): Promise<readonly Change[]> {
    let rows: PlannedShow[] = [];
    const before = this.#hasKeyboards ? ((await this.#store.records.cursor(KEYBOARDS)) ?? "[]") : "[]";
    const keyboards = readKeys(before);
    const withdrawn: Change[] = [];
    const conversations = new Map<string, Conversation | undefined>();
    for (const { place, entry } of await this.#withFolds(batch)) {
      if (entry.kind === "turn-started" && entry.again) {
        const back = await this.#takenBack(entry, place);
        const kept = rows.filter((row) => partOf(row.key)?.turn !== entry.turn);
        // What was to take a keyboard away may be among what isn't shown: then the next does.
        if (back.keyed !== undefined && (kept.length < rows.length || back.withdrawn.length > 0))
          keyboards.add(back.keyed);
        rows = [...kept, ...back.rows];
        withdrawn.push(...back.withdrawn);
      }
      // Most entries show nothing, whoever's they are: their conversation need not be read.
      if (replyFor(entry, NOWHERE) === undefined) continue;
      if (!conversations.has(entry.conversation))
        conversations.set(entry.conversation, await this.#store.conversations.get(entry.conversation));
      const conversation = conversations.get(entry.conversation);
      const shows = conversation === undefined ? undefined : replyFor(entry, conversation);
      // Read once more for another platform's sake.
      if (shows !== undefined && place > (this.#planned.get(shows.room.platform) ?? 0)) {
        const prefix = this.#ways.get(shows.room.platform)?.limits.commandPrefix ?? "/";
        const { reply } = shows;
        const said = isOurs(entry) ? { ...reply, text: inPlatformsWords(reply.text, prefix) } : reply;
        const keyed = this.#keyed(entry, said, shows.room, keyboards);
        if (keyed === undefined) continue;
        const planned = this.#rows(keyed, shows.room, shows.weight, entry.conversation, place);
        rows.push(...(entry.kind === "chips-gone" ? await this.#changed(planned) : planned));
      }
    }
    const place = batch.at(-1)?.place;
    if (rows.length + withdrawn.length === 0 || place === undefined) return [];
    const stand = JSON.stringify([...keyboards]);
    return [
      ...withdrawn,
      { do: "plan", rows },
      ...(stand === before ? [] : [{ do: "cursor", name: KEYBOARDS, value: stand } as const]),
      ...[...this.#ways.keys()].map((name) => cursorAt(name, place)),
    ];
  }

  /**
   * Replies to send next as a platform has them: a keyboard, which stands until a later message of ours takes it away, or buttons.
   * Undefined: nothing is to be shown.
   */
  #keyed(entry: Entry, reply: Reply, room: Room, keyboards: Set<string>): Reply | undefined {
    if (room.kind !== "private" || this.#ways.get(room.platform)?.limits.keyboard !== true) return reply;
    // A message that brought a keyboard can't be edited.
    if (entry.kind === "chips-gone") return undefined;
    if (entry.kind !== "text" && entry.kind !== "notice" && entry.kind !== "turn-ended") return reply;
    const key = roomKey(room);
    if (entry.kind === "text" && entry.chips !== undefined) {
      keyboards.add(key);
      // Only a new message brings a keyboard, and the first try of a turn may stand there under the part's own key.
      const fresh = `${reply.key}:keys`;
      return { ...reply, key: fresh, rows: [], keyboard: entry.chips.map(({ words }) => words) };
    }
    return keyboards.delete(key) ? { ...reply, unkeyed: true } : reply;
  }

  /** A turn that a crash has cut off folded no plan of its own: that is done where it is ended. */
  async #withFolds(batch: readonly PlacedEntry[]): Promise<readonly PlacedEntry[]> {
    const all = batch.map(async (one): Promise<readonly PlacedEntry[]> => {
      const { entry, place } = one;
      if (entry.kind !== "turn-ended" || entry.reason !== "interrupted") return [one];
      const log = await this.#store.log.read(entry.conversation, { last: true, limit: RECENT });
      const plan = log.findLast((before) => before.kind === "plan" && before.turn === entry.turn);
      return plan?.kind === "plan" ? [{ place, entry: { ...plan, folded: true } }, one] : [one];
    });
    return (await Promise.all(all)).flat();
  }

  /** Those that differ from what stands there, and one for each message more that stood there. */
  async #changed(rows: readonly PlannedShow[]): Promise<readonly PlannedShow[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const { room, key } = first;
    const waiting = (await this.#store.outbox.open()).filter((row) => row.key === key);
    const stood = async (index: number): Promise<boolean> =>
      waiting.some((row) => row.index === index) || (await this.#store.outbox.shown(room, key, index)) !== undefined;
    const outlet = this.#ways.get(room.platform)?.outlet;
    const [piece] = outlet === undefined ? [] : this.#pieces(outlet, { key, text: MOVED_ON, rows: [], quiet: true });
    const more: PlannedShow[] = [];
    for (let index = rows.length; await stood(index); index += 1)
      if (piece !== undefined) more.push({ ...first, index, piece });
    const stands = await Promise.all(
      rows.map(async ({ room, key, index, piece }) => {
        const shown = await this.#store.outbox.shown(room, key, index);
        return isDeepStrictEqual(shown?.piece, piece);
      }),
    );
    return [...rows.filter((_, at) => !stands[at]), ...more];
  }

  /** A turn begins anew: what its first try had shown says so, until the second takes its place; what still waits is not shown. */
  async #takenBack(
    again: Extract<Entry, { kind: "turn-started" }>,
    place: number,
  ): Promise<{
    readonly rows: readonly PlannedShow[];
    readonly withdrawn: readonly Change[];
    readonly keyed?: string;
  }> {
    const conversation = await this.#store.conversations.get(again.conversation);
    const way = this.#ways.get(conversation?.room.platform ?? "");
    if (conversation === undefined || way === undefined) return { rows: [], withdrawn: [] };
    const { room } = conversation;
    // Read once more for another platform's sake, this must not take back what the second try has said since.
    const open = (await this.#store.outbox.open()).filter(
      (row) => partOf(row.key)?.turn === again.turn && row.place < place,
    );
    const said = (await this.#store.log.read(conversation.id, { last: true, limit: RECENT })).flatMap((entry) =>
      entry.kind === "text" && entry.turn === again.turn && entry.seq < again.seq ? [entry] : [],
    );
    const rows = said.flatMap((entry) =>
      this.#rows(
        { key: partKey(entry.turn, entry.part), text: entry.text, rows: [], quiet: false },
        room,
        "final",
        conversation.id,
        place,
      ),
    );
    const stands = await Promise.all(
      rows.map(
        async ({ key, index }) =>
          open.some((row) => row.state === "attempting" && row.key === key && row.index === index) ||
          (await this.#store.outbox.shown(room, key, index)) !== undefined,
      ),
    );
    const piece = this.#pieces(way.outlet, { key: "", text: BEGUN_ANEW, rows: [], quiet: true })[0];
    const withdrawn = open.flatMap(({ id, state, attempt }): Change[] =>
      state === "attempting"
        ? []
        : [
            {
              do: "outgoing",
              id,
              from: { state, attempt },
              to: { state: "refused", attempt, detail: "its turn began anew" },
            },
          ],
    );
    return {
      rows: piece === undefined ? [] : rows.filter((_, at) => stands[at]).map((row) => ({ ...row, piece })),
      withdrawn,
      ...(room.kind === "private" && way.limits.keyboard ? { keyed: roomKey(room) } : {}),
    };
  }

  #rows(reply: Reply, room: Room, weight: ShowWeight, conversation: string, place: number): PlannedShow[] {
    const way = this.#ways.get(room.platform);
    if (way === undefined || place <= (this.#planned.get(room.platform) ?? 0)) return [];
    const at = this.#surroundings.clock.now();
    return this.#pieces(way.outlet, reply).map((piece, index) => ({
      room,
      conversation,
      key: reply.key,
      index,
      weight,
      piece,
      place,
      at,
    }));
  }

  #pieces(outlet: Outlet, reply: Reply): readonly Piece[] {
    try {
      return outlet.pieces(reply);
    } catch (error) {
      this.#surroundings.log.error({ err: error, key: reply.key }, "a reply can't be drawn; it goes without markup");
      return outlet.pieces({ ...reply, text: reply.text.replaceAll(/[^\p{L}\p{N}\p{Z}\n.,:;!?'"()-]/gu, " ") });
    }
  }
}

/** What a model or anyone else says stays as it is, and so do the exact arguments that an approval shows. */
function isOurs(entry: Entry): boolean {
  switch (entry.kind) {
    case "text":
    case "chips-gone":
    case "plan":
    case "viewed":
    case "pictured":
      return false;
    case "asked":
      return entry.card.kind === "choice";
    case "answered":
      return entry.given === undefined;
    default:
      return true;
  }
}

/** In which rooms, by key, a keyboard stands: kept, since it stands there after a restart. */
const KEYBOARDS = "keyboards";

function readKeys(value: string): Set<string> {
  const keys: unknown = JSON.parse(value);
  return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : []);
}

function cursorOf(platform: string): string {
  return `outbox/${platform}`;
}

function cursorAt(platform: string, place: number): Change {
  return { do: "cursor", name: cursorOf(platform), value: String(place) };
}
