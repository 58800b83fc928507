// Edits of messages that are no rows of the outbox: the draft of a running turn, and a card whose chat is gone. Losing one is
// harmless; coming after what a row has shown there since is not, so rows wait for those that are on their way.
import type { Outlet } from "../core/channel.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Piece } from "../core/reply.ts";
import type { Clock } from "../core/surroundings.ts";
import type { Pacer } from "./pace.ts";

/** Where an edit goes, and the pace there. */
export type TouchWay = { readonly outlet: Outlet; readonly pacer: Pacer };

/** The edits on their way, by room. */
export class Touches {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Edits if the pace allows it now; gives how long to leave that chat alone, if it does not or the platform says so. */
  async now(
    room: Room,
    ref: string,
    piece: Piece,
    { outlet, pacer }: TouchWay,
    growing?: true,
  ): Promise<number | undefined> {
    const waitMs = pacer.waitMs(room, true);
    if (waitMs > 0) return waitMs;
    pacer.took(room);
    const how = { edit: ref, plain: false, repeat: false, nonce: ref, ...(growing && { growing }) };
    const edit = outlet.show(room, piece, how, this.#signal);
    this.#track(room, edit);
    const shown = await edit;
    if (shown.is !== "wait") return undefined;
    pacer.pause(room, shown.waitMs);
    return shown.waitMs;
  }

  /** Edits once, as soon as the pace allows. */
  soon(room: Room, ref: string, piece: Piece, way: TouchWay): void {
    const edit = async (): Promise<void> => {
      for (let waitMs = way.pacer.waitMs(room, true); waitMs > 0; waitMs = way.pacer.waitMs(room, true)) {
        await this.#clock.sleep(waitMs, this.#signal);
      }
      await this.now(room, ref, piece, way);
    };
    this.#track(room, edit());
  }

  /** Resolves when none is on its way in that room. */
  async over(room: Room): Promise<void> {
    await this.#underWay.get(roomKey(room));
  }

  #track(room: Room, edit: Promise<unknown>): void {
    const key = roomKey(room);
    const all = Promise.allSettled([edit, this.#underWay.get(key)]);
    this.#underWay.set(key, all);
    void all.then(() => {
      if (this.#underWay.get(key) === all) this.#underWay.delete(key);
    });
  }
}
