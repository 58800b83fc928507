// From the log to the platforms: follows every entry, plans what it shows, and has it shown room by room.
//
//   log ─follow→ replyFor(entry) ─pieces→ planned rows + cursor (one transaction) ─→ a lane per room ─→ outlet.show
//                                                             drafts of running turns ─→ outlet.hint, or edits of one message
import type { Conversation, PlacedEntry } from "../core/conversation.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Reply } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, OutgoingRow, Store } from "../store/port.ts";
import { doingStatus, type DoingStatus } from "./doing.ts";
import { newestPiece } from "./growing.ts";
import { Lane } from "./lane.ts";
import { Live } from "./live.ts";
import { cosmeticPerMinute, Pacer } from "./pace.ts";
import { Plans, type Way } from "./plans.ts";
import { partKey, partOf } from "./replies.ts";
import { afterFault, surely } from "./surely.ts";
import { Touches } from "./touches.ts";

const KEY_BYTES = 9;
const LAST_MOMENT_MS = 3000;
/** An edit of a message that is itself on its way is tried again after this long. */
const NOT_YET_MS = 500;

/** A turn that waits for a person is at work again at most this long before that shows. */
const LOOK_AGAIN_MS = 2000;

/** Opens what was left from last time and follows the log from there. Disposing it ends every lane; what was not shown stays planned. */
export class Outbox {
  readonly #store: Store;
  readonly #waits: (conversation: string) => boolean;
  readonly #holdBack: (text: string) => string;
  readonly #ways: ReadonlyMap<string, Way>;
  readonly #pacers: ReadonlyMap<string, Pacer>;
  readonly #surroundings: Surroundings;
  /** No further row is begun. */
  readonly #stopping = new AbortController();
  /** What is on its way is cut off. */
  readonly #over = new AbortController();
  readonly #lanes = new Map<string, { readonly lane: Lane; readonly work: Promise<void> }>();
  readonly #lives = new Map<string, Live>();
  readonly #touches: Touches;
  readonly #plans: Plans;
  #place = 0;
  #following: Promise<void> = Promise.resolve();
  #moves: Promise<void> = Promise.resolve();
  /** Chats that another is becoming: what is planned for them waits in the store until that one's last row is over. */
  readonly #becoming = new Set<string>();
  #progress = Promise.withResolvers<void>();

  /**
   * `holdBack` cuts off the end of a text under way where a secret could begin. `waits`: whether a conversation's turn waits for a
   * person: then it is not shown to be at work.
   */
  constructor(
    store: Store,
    ways: ReadonlyMap<string, Way>,
    surroundings: Surroundings,
    holdBack: (text: string) => string = (text) => text,
    waits: (conversation: string) => boolean = () => false,
  ) {
    this.#waits = waits;
    this.#holdBack = holdBack;
    this.#store = store;
    this.#ways = ways;
    this.#surroundings = surroundings;
    this.#plans = new Plans(store, ways, surroundings);
    this.#touches = new Touches(surroundings.clock, this.#over.signal);
    this.#pacers = new Map([...ways].map(([name, { limits }]) => [name, new Pacer(limits.pace, surroundings.clock)]));
  }

  /** Starts. Rows left from last time go first. */
  async open(): Promise<void> {
    for (const row of await this.#store.outbox.open()) this.#enqueue(row);
    this.#place = await this.#plans.open();
    this.#following = this.#follow();
  }

  /** The lease of a turn that begins to run; dispose it when the turn is over. */
  live(conversation: Conversation, turn: string): Live {
    const { room } = conversation;
    const way = this.#ways.get(room.platform);
    const style = way?.limits.drafts[room.kind] ?? "none";
    const draftMs = way?.limits.pace.draftMs ?? 1000;
    const perMinute = way?.limits.pace.perGroupPerMinute ?? 0;
    const pace = {
      typingMs: way?.limits.typingMs ?? 60_000,
      // Edits count as messages: spread over the minute, so that the last ones are not the ones that wait.
      draftMs: style === "edit" && perMinute > 0 ? Math.max(draftMs, 60_000 / cosmeticPerMinute(perMinute)) : draftMs,
      drafts: style !== "none",
    };
    const edits = style === "edit" ? this.#editor(conversation, turn) : undefined;
    const status =
      style === "edit" && room.kind === "private" && way !== undefined
        ? this.#status(conversation, turn, way)
        : undefined;
    const live = new Live(this.#surroundings.clock, pace, async (given) => {
      const hint = given.kind === "draft" && !given.doing ? { ...given, text: this.#holdBack(given.text) } : given;
      if (way === undefined || this.#over.signal.aborted) return undefined;
      const waits = this.#waits(conversation.id);
      if (status !== undefined && (hint.kind === "typing" || hint.doing)) {
        await status.show(hint.kind === "typing" ? "" : hint.text, waits);
        if (hint.kind === "draft") return undefined;
      }
      if ((hint.kind === "typing" || (hint.doing && hint.text !== "")) && waits) return LOOK_AGAIN_MS;
      if (hint.kind === "draft" && edits !== undefined) return await edits(hint.part, hint.text);
      const wait = await way.outlet.hint(room, hint, this.#over.signal);
      // A chat that is asked too much is left alone altogether: anything else sent there would make the penalty longer.
      if (wait?.why === "too-fast") this.#pacers.get(room.platform)?.pause(room, wait.waitMs);
      return wait?.waitMs;
    });
    void live.ended
      .then(async () => (this.#stopping.signal.aborted ? undefined : await status?.end()))
      .catch((error: unknown) =>
        this.#surroundings.log.warn({ err: error }, "a line of what was done may stand there still"),
      );
    this.#lives.set(turn, live);
    return live;
  }

  #status(conversation: Conversation, turn: string, { limits: { commandPrefix } }: Way): DoingStatus {
    return doingStatus(conversation, turn, {
      ...{ store: this.#store, random: this.#surroundings.random, commandPrefix },
      planned: (reply) => this.planned(conversation.room, reply, conversation.id),
      take: (rows) => this.take(rows),
    });
  }

  /** A running turn is over: its lease ends. */
  endLive(turn: string): void {
    const live = this.#lives.get(turn);
    live?.[Symbol.dispose]();
    // A hint of it may still be on its way: what the turn said in the end waits for that.
    void live?.ended.then(() => {
      if (this.#lives.get(turn) === live) this.#lives.delete(turn);
    });
  }

  /**
   * The rows that show what is in no log, of a conversation's or of none's; hand what the commit gave to `take`. What stands there under
   * the reply's key already is edited.
   */
  planned(room: Room, reply: Reply, conversation = ""): Change {
    const pieces = this.#ways.get(room.platform)?.outlet.pieces(reply) ?? [];
    const at = this.#surroundings.clock.now();
    const rows = pieces.map((piece, index) => ({
      ...{ room, conversation, key: reply.key, index, weight: "notice" as const, piece },
      ...{ place: this.#place, at },
    }));
    return { do: "plan", rows };
  }

  /** Shows rows that were planned by someone else's commit. */
  take(rows: readonly OutgoingRow[]): void {
    for (const row of rows) this.#enqueue(row);
  }

  /** Rewrites a message that was shown, once, when the pace allows and as well as it goes: for a card whose conversation is gone. */
  touchUp(room: Room, ref: string, reply: Reply): void {
    const outlet = this.#ways.get(room.platform)?.outlet;
    const pacer = this.#pacers.get(room.platform);
    const piece = outlet?.pieces(reply)[0];
    if (outlet !== undefined && pacer !== undefined && piece !== undefined)
      this.#touches.soon(room, ref, piece, { outlet, pacer });
  }

  /** A chat has a new id: everything kept under the old one has moved, durably, when this resolves. */
  async moveRoom(platform: string, from: string, to: string): Promise<void> {
    const chat = `${platform}/${to}`;
    const noted = this.#moves.then(async () => {
      this.#becoming.add(chat);
      try {
        await this.#store.commit([{ do: "move-room", platform, from, to }]);
      } catch (error) {
        this.#becoming.delete(chat);
        throw error;
      }
    });
    const reload = async (): Promise<void> => await this.#reload(platform, from, to);
    this.#moves = noted
      .then(async () => await this.#surely("what waits can't be read anew", reload))
      .catch(() => undefined);
    await noted;
  }

  /** The platform said so when something was shown: what waits for that chat is in no lane until it has moved. */
  async #moveSurely(room: Room, chat: string): Promise<void> {
    await this.#surely("a chat's new id can't be noted; it is tried again", async () => {
      await this.moveRoom(room.platform, room.chat, chat);
    });
  }

  /** Tries again after a fault of the disk, until our own end. */
  async #surely(note: string, run: () => Promise<void>): Promise<void> {
    await surely(run, note, this.#surroundings, this.#over.signal);
  }

  /** Resolves when everything in the log up to now has been shown or refused, and no turn shows anything under way. */
  async settled(platform?: string): Promise<void> {
    const head = await this.#store.log.head();
    const meant = (key: string): boolean => platform === undefined || key.startsWith(`${platform}/`);
    await this.#moves;
    while (!this.#over.signal.aborted && (this.#place < head || [...this.#lanes.keys()].some(meant))) {
      await this.#progress.promise;
      await this.#moves;
    }
  }

  /** Wakes all who wait for it to be settled. */
  #progressed(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers<void>();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    for (const live of this.#lives.values()) live[Symbol.dispose]();
    // What is being shown gets a moment to end: cut off, nobody could say whether it stands there.
    const patience = new AbortController();
    const lanes = Promise.all([...this.#lanes.values()].map((one) => one.work));
    await Promise.race([lanes, this.#surroundings.clock.sleep(LAST_MOMENT_MS, patience.signal).catch(() => undefined)]);
    patience.abort();
    this.#over.abort();
    this.#progressed();
    await Promise.all([this.#following, lanes]);
  }

  async #follow(): Promise<void> {
    for await (const batch of this.#store.log.follow(this.#place, this.#stopping.signal)) {
      await this.#surely("what was said can't be planned; it is tried again", async () => await this.#plan(batch));
      if (this.#stopping.signal.aborted) return;
      this.#place = batch.at(-1)?.place ?? this.#place;
      this.#progressed();
    }
  }

  async #plan(batch: readonly PlacedEntry[]): Promise<void> {
    for (;;) {
      const changes = await this.#plans.changes(batch);
      // Without rows the cursors may lag: reading these entries again plans nothing.
      if (changes.length === 0) return;
      const done = await this.#store.commit(changes, { sync: false });
      if (done.ok) for (const row of done.rows) this.#enqueue(row);
      // A row that was to be withdrawn has begun to be shown just now.
      if (done.ok || done.because !== "changed") return;
    }
  }

  #enqueue(row: OutgoingRow): void {
    if (this.#becoming.has(`${row.room.platform}/${row.room.chat}`)) return;
    const key = roomKey(row.room);
    const there = this.#lanes.get(key);
    if (there !== undefined) {
      there.lane.add(row);
      return;
    }
    const way = this.#ways.get(row.room.platform);
    const pacer = this.#pacers.get(row.room.platform);
    if (way === undefined || pacer === undefined) return;
    const lane = new Lane(row.room, {
      store: this.#store,
      outlet: way.outlet,
      limits: way.limits,
      pacer,
      surroundings: this.#surroundings,
      stopping: this.#stopping.signal,
      signal: this.#over.signal,
      settleHints: async (shown) => {
        const part = partOf(shown.key);
        if (part !== undefined && shown.weight !== "cosmetic") await this.#lives.get(part.turn)?.settle(part.part);
        await this.#touches.over(shown.room);
      },
      moved: (room, chat) => void this.#moveSurely(room, chat),
    });
    lane.add(row);
    this.#lanes.set(key, { lane, work: this.#work(key, lane) });
  }

  async #work(key: string, lane: Lane): Promise<void> {
    const { signal } = this.#stopping;
    // A row may come in just as the lane has found that there is none.
    while (!lane.idle && !signal.aborted) {
      try {
        await lane.work();
      } catch (error) {
        if (signal.aborted) break;
        await afterFault(error, "showing in a room failed; it is tried again", this.#surroundings, signal);
      }
    }
    this.#lanes.delete(key);
    this.#progressed();
  }

  /** Rows carry their room, so after a move all that wait are read anew, when what is being shown in the old chat is over. */
  async #reload(platform: string, from: string, to: string): Promise<void> {
    const of = (chat: string): { readonly lane: Lane; readonly work: Promise<void> }[] =>
      [...this.#lanes.values()].filter(({ lane }) => lane.room.platform === platform && lane.room.chat === chat);
    const old = of(from);
    for (const { lane } of old) lane.empty();
    await Promise.all(old.map(({ work }) => work));
    const rows = await this.#store.outbox.open();
    this.#becoming.delete(`${platform}/${to}`);
    const lanes = of(to);
    const current = new Set(lanes.map(({ lane }) => lane.current));
    for (const { lane } of lanes) lane.empty();
    for (const row of rows) {
      if (row.room.platform === platform && row.room.chat === to && !current.has(row.id)) this.#enqueue(row);
    }
  }

  /** Shows a turn's text by edits of one message, whose first form is a row like any other, so that its id is known after a restart. */
  #editor(conversation: Conversation, turn: string): (part: number, text: string) => Promise<number | undefined> {
    const { room } = conversation;
    const stop = this.#surroundings.random.key(KEY_BYTES);
    const begun = new Set<number>();
    let last = "";
    return async (part, text) => {
      const way = this.#ways.get(room.platform);
      const key = partKey(turn, part);
      // Not quiet: its later forms are edits, which notify nobody.
      const reply: Reply = { key, text, rows: [[{ label: "Stop", press: stop }]], quiet: false };
      const piece = way === undefined ? undefined : newestPiece(way, reply);
      if (way === undefined || piece === undefined || last === `${part} ${piece.plain}`) return undefined;
      if (!begun.has(part)) {
        begun.add(part);
        const done = await this.#store.commit([
          ...(begun.size === 1
            ? [{ do: "button", key: stop, button: { conversation: conversation.id, does: "stop", turn } } as const]
            : []),
          {
            do: "plan",
            rows: [
              {
                room,
                conversation: conversation.id,
                key,
                index: 0,
                weight: "cosmetic",
                piece,
                place: this.#place,
                at: this.#surroundings.clock.now(),
              },
            ],
          },
        ]);
        if (done.ok) for (const row of done.rows) this.#enqueue(row);
        last = `${part} ${piece.plain}`;
        return undefined;
      }
      const shown = await this.#store.outbox.shown(room, key, 0);
      if (shown?.ref === undefined) return NOT_YET_MS;
      const pacer = this.#pacers.get(room.platform);
      // What waits to be shown there goes first.
      if (pacer === undefined || this.#lanes.get(roomKey(room))?.lane.idle === false) return undefined;
      const waitMs = await this.#touches.now(room, shown.ref, piece, { outlet: way.outlet, pacer }, true);
      if (waitMs === undefined) last = `${part} ${piece.plain}`;
      return waitMs;
    };
  }
}
