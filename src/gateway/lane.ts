// One room's rows on their way out, one after the other: attempt, show, and what to do with each outcome.
import type { ChannelLimits, Outlet } from "../core/channel.ts";
import type { Room } from "../core/message.ts";
import type { Shown } from "../core/reply.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { OutgoingRow, PlannedShow, ShowResult, ShowState, Store } from "../store/port.ts";
import type { Pacer } from "./pace.ts";

/** What a lane works with. */
export type LaneParts = {
  readonly store: Store;
  readonly outlet: Outlet;
  readonly limits: ChannelLimits;
  readonly pacer: Pacer;
  readonly surroundings: Surroundings;
  /** Fires when no further row is to be begun. */
  readonly stopping: AbortSignal;
  /** Fires when what is on its way is to be cut off. */
  readonly signal: AbortSignal;
  /** Called before a row is shown; resolves when no hint of the same part, and no edit of a draft in this room, can overtake it. */
  readonly settleHints: (row: OutgoingRow) => Promise<void>;
  /** A chat got a new id: everything moves, and open rows are read anew. */
  readonly moved: (room: Room, chat: string) => void;
};

/** A create whose outcome stayed unknown is shown again at most this often. */
const MAX_REPEATS = 2;
const FIRST_BACKOFF_MS = 1000;
const LAST_BACKOFF_MS = 60_000;
/** What may have been shown is looked for no more often than this. */
const LEAST_LOOK_MS = 500;

/**
 * Shows rows in order. A row is attempted only after that attempt is durable, and an attempt whose outcome is not known is
 * never simply made again. The lane ends when nothing is left; whoever holds it makes a new one for the next row.
 */
export class Lane {
  readonly room: Room;
  readonly #parts: LaneParts;
  readonly #rows: OutgoingRow[] = [];
  /** Keys that the platform no longer lets be edited: shown anew. */
  readonly #fresh = new Set<string>();
  #failures = 0;
  /** The row being shown now. */
  #current: OutgoingRow | undefined;

  constructor(room: Room, parts: LaneParts) {
    this.room = room;
    this.#parts = parts;
  }

  get idle(): boolean {
    return this.#rows.length === 0;
  }

  /** The id of the row that is being shown now. */
  get current(): number | undefined {
    return this.#current?.id;
  }

  /** A row that is here already is left as it is. */
  add(row: OutgoingRow): void {
    if (!this.#rows.some((one) => one.id === row.id)) this.#rows.push(row);
  }

  /** Takes out what has not been attempted, to be loaded anew. */
  empty(): void {
    this.#rows.splice(this.#current === undefined ? 0 : 1);
  }

  /** Works until nothing is left or the signal fires. */
  async work(): Promise<void> {
    const { stopping, pacer, surroundings } = this.#parts;
    while (!stopping.aborted) {
      const row = this.#rows[0];
      if (row === undefined) return;
      if (this.#superseded(row)) {
        await this.#settle(row, { state: "refused", attempt: row.attempt }, { detail: "a later edit took its place" });
        continue;
      }
      if (row.state === "attempting" || row.state === "unknown") {
        await this.#judge(row);
        continue;
      }
      const waitMs = pacer.waitMs(this.room);
      if (waitMs > 0) await surroundings.clock.sleep(waitMs, stopping);
      else await this.#attempt(row);
    }
  }

  /**
   * A later row for the same message makes an earlier one pointless, as long as that one is known not to stand there. A draft
   * that was planned late takes nothing's place but another draft's.
   */
  #superseded(row: OutgoingRow): boolean {
    return (
      row.state === "planned" &&
      this.#rows.length > 1 &&
      this.#rows.some(
        (later) =>
          later.id !== row.id &&
          messageKey(later) === messageKey(row) &&
          (later.weight !== "cosmetic" || row.weight === "cosmetic"),
      )
    );
  }

  async #attempt(row: OutgoingRow): Promise<void> {
    const { store, outlet, pacer, surroundings, signal, settleHints } = this.#parts;
    const { clock } = surroundings;
    this.#current = row;
    try {
      await settleHints(row);
      // What was on its way may have been asked to wait; and no other thread of this chat may take the turn that is ours.
      if (pacer.waitMs(this.room) > 0) return;
      pacer.took(this.room);
      const earlier = this.#fresh.has(messageKey(row))
        ? undefined
        : await store.outbox.shown(row.room, row.key, row.index);
      if (row.weight === "cosmetic" && earlier !== undefined) {
        await this.#settle(row, { state: "refused", attempt: row.attempt }, { detail: "it stands there already" });
        return;
      }
      const attempting = await this.#settle(
        row,
        { state: "attempting", attempt: row.attempt + 1 },
        { firstAttemptAt: row.firstAttemptAt ?? clock.now() },
      );
      if (attempting === undefined) return;
      const shown = await outlet.show(
        row.room,
        row.piece,
        {
          plain: row.plain ?? false,
          repeat: row.repeat ?? false,
          nonce: row.nonce,
          ...(row.weight === "cosmetic" ? { growing: true } : {}),
          ...(earlier?.ref === undefined ? {} : { edit: earlier.ref }),
        },
        signal,
      );
      await this.#conclude(attempting, shown, earlier?.ref);
    } finally {
      this.#current = undefined;
    }
  }

  async #conclude(row: OutgoingRow, shown: Shown, edited: string | undefined): Promise<void> {
    const { log } = this.#parts.surroundings;
    const { attempt } = row;
    const unsent = unsentOf(row);
    switch (shown.is) {
      case "shown":
        this.#failures = 0;
        this.#fresh.delete(messageKey(row));
        await this.#settle(row, { state: "shown", attempt }, { ref: shown.ref });
        return;
      case "moved":
        await this.#settle(row, unsent, {});
        // All that waits here is read anew once it has moved, and this lane has nothing left.
        this.#rows.length = 0;
        this.#parts.moved(this.room, shown.chat);
        return;
      case "wait":
        // Before anything else: this chat's other threads go by it too.
        this.#parts.pacer.pause(this.room, shown.waitMs);
        if (row.weight === "cosmetic") {
          await this.#settle(row, { state: "refused", attempt }, { detail: `dropped: ${shown.why}` });
          return;
        }
        await this.#settle(row, unsent, { detail: shown.why });
        log.warn({ room: this.room.platform, why: shown.why, waitMs: shown.waitMs }, "a message has to wait");
        if (shown.why === "unreachable") this.#parts.pacer.pause(this.room, this.#backoff(shown.waitMs));
        return;
      case "unknown":
        // An edit can be made again: it says the same. A create can't.
        await this.#settle(row, edited === undefined ? { state: "unknown", attempt } : unsent, {
          detail: "the outcome is not known",
        });
        this.#parts.pacer.pause(this.room, this.#backoff(0));
        return;
      case "refused":
        await this.#refused(row, shown, edited);
        if (shown.why === "unauthorized") this.#parts.pacer.pause(this.room, LAST_BACKOFF_MS);
        log.warn({ room: this.room.platform, why: shown.why, detail: shown.detail }, "a message was refused");
    }
  }

  async #refused(
    row: OutgoingRow,
    shown: Extract<Shown, { is: "refused" }>,
    edited: string | undefined,
  ): Promise<void> {
    const { attempt } = row;
    const detail = `${shown.why}: ${shown.detail}`;
    const again = async (more: ShowResult): Promise<void> =>
      void (await this.#settle(row, unsentOf(row), { detail, ...more }));
    switch (shown.why) {
      case "unchanged":
        await this.#settle(row, { state: "shown", attempt }, edited === undefined ? {} : { ref: edited });
        return;
      case "edit-gone":
        this.#fresh.add(messageKey(row));
        await (edited === undefined ? this.#settle(row, { state: "refused", attempt }, { detail }) : again({}));
        return;
      case "unauthorized":
        await again({});
        return;
      case "too-long":
        await this.#halve(row, detail);
        return;
      case "not-parseable":
      case "other":
        await (row.plain === true
          ? this.#settle(row, { state: "refused", attempt }, { detail })
          : again({ plain: true }));
        return;
      case "gone":
        // Nobody reads there any more: what waits behind it would only be refused one by one.
        for (const waiting of [row, ...this.#rows.filter((one) => one !== row && one.state === "planned")]) {
          await this.#settle(waiting, { state: "refused", attempt: waiting.attempt }, { detail });
        }
    }
  }

  /** A piece that the platform finds too long is shown as two, as plain text. */
  async #halve(row: OutgoingRow, detail: string): Promise<void> {
    const text = row.piece.plain;
    const middle =
      text.lastIndexOf("\n", text.length / 2) + 1 ||
      text.lastIndexOf(" ", text.length / 2) + 1 ||
      Math.ceil(text.length / 2);
    const halves = text.length < 2 ? [] : [text.slice(0, middle), text.slice(middle)];
    const instead = halves
      .filter((half) => half.trim() !== "")
      .map((half, at): PlannedShow => {
        // The body still has the buttons; of the text only the plain one is shown.
        const piece = { body: row.piece.body, plain: half };
        return { ...plannedOf(row), key: `${row.key}/${row.index}/${at}`, index: 0, piece, plain: true };
      });
    await this.#settle(row, { state: "refused", attempt: row.attempt }, { detail }, instead);
  }

  /** What becomes of a row that may have been shown. */
  async #judge(row: OutgoingRow): Promise<void> {
    const { store, outlet, signal, surroundings } = this.#parts;
    const { attempt } = row;
    const edited = await store.outbox.shown(row.room, row.key, row.index);
    if (edited !== undefined && !this.#fresh.has(messageKey(row))) {
      await this.#settle(row, unsentOf(row), {});
      return;
    }
    const lost = { piece: row.piece, nonce: row.nonce, since: row.firstAttemptAt ?? surroundings.clock.now() };
    const found = await outlet.recover(row.room, lost, signal);
    if (found.is === "shown") await this.#settle(row, { state: "shown", attempt }, { ref: found.ref });
    else if (found.is === "wait")
      await surroundings.clock.sleep(Math.max(found.waitMs, LEAST_LOOK_MS), this.#parts.stopping);
    else if (found.is === "absent") await this.#settle(row, unsentOf(row), {});
    else if ((row.weight === "final" || row.weight === "card") && attempt <= MAX_REPEATS) {
      await this.#settle(row, { state: "planned", attempt }, { repeat: true });
    } else {
      surroundings.log.warn(
        { room: this.room.platform, weight: row.weight, attempt },
        "a message may or may not have been shown; it is not sent again",
      );
      await this.#settle(row, { state: "refused", attempt }, { detail: "nobody can say whether it was shown" });
    }
  }

  /** Moves a row on, durably. Undefined when it is no longer there: its chat was deleted. */
  async #settle(
    row: OutgoingRow,
    to: ShowState,
    result: ShowResult,
    instead?: readonly PlannedShow[],
  ): Promise<OutgoingRow | undefined> {
    const from = { state: row.state, attempt: row.attempt };
    const change = { do: "outgoing", id: row.id, from, to: { ...to, ...result } } as const;
    // The attempt must be on the disk before a byte goes out, and with it all that led to it; the rest may follow.
    const done = await this.#parts.store.commit([instead === undefined ? change : { ...change, instead }], {
      sync: to.state === "attempting",
    });
    const next = done.ok ? { ...row, ...to, ...result } : undefined;
    const over = next === undefined || next.state === "shown" || next.state === "refused";
    const at = this.#rows.findIndex((one) => one.id === row.id);
    if (at === -1) return next;
    if (over) this.#rows.splice(at, 1, ...(done.ok ? done.rows : []));
    else this.#rows[at] = next;
    if (this.#current?.id === row.id && next !== undefined) this.#current = next;
    return next;
  }

  #backoff(atLeastMs: number): number {
    this.#failures += 1;
    const { random } = this.#parts.surroundings;
    const waitMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(10, this.#failures - 1));
    return Math.max(atLeastMs, waitMs * (0.75 + random.fraction() / 2));
  }
}

function messageKey(row: OutgoingRow): string {
  return `${row.key}/${row.index}`;
}

/** Planned again after an attempt that put nothing new there: only those of unknown outcome count towards `MAX_REPEATS`. */
function unsentOf({ attempt }: OutgoingRow): ShowState {
  return { state: "planned", attempt: attempt - 1 };
}

function plannedOf({ room, conversation, key, index, weight, piece, place, at }: OutgoingRow): PlannedShow {
  return { room, conversation, key, index, weight, piece, place, at };
}
