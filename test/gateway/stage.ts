// A stage for parts of the gateway: a real store in memory, a clock that moves when told, and a platform whose answers are scripted.
import { setImmediate as turn } from "node:timers/promises";
import type { ChannelLimits, Hint, Outlet, LostPiece } from "../../src/core/channel.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Room } from "../../src/core/message.ts";
import type { Piece, Showing, Shown } from "../../src/core/reply.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { Outbox } from "../../src/gateway/outbox.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { VirtualClock } from "../sim/clock.ts";

/** Lets `ms` pass: everything that falls due, and what it sets off. */
export async function pass(clock: VirtualClock, ms: number): Promise<void> {
  const until = clock.now() + ms;
  do {
    for (let round = 0; round < 5; round += 1) await turn();
  } while (clock.step(until));
}

/** Keys that count up, no jitter, and a log that keeps what it was told. */
export function stageSurroundings(): Surroundings & { readonly clock: VirtualClock; readonly notes: string[] } {
  const notes: string[] = [];
  let keys = 0;
  const note = (fields: Record<string, unknown>, words: string): void =>
    void notes.push(`${words} ${JSON.stringify(fields)}`);
  return {
    clock: new VirtualClock(),
    random: {
      key: () => {
        keys += 1;
        return `key${keys}`;
      },
      fraction: () => 0.5,
    },
    log: { debug: note, info: note, warn: note, error: note },
    notes,
  };
}

export const PRIVATE: Room = { platform: "stage", chat: "1", kind: "private" };
export const GROUP: Room = { platform: "stage", chat: "-1", kind: "shared" };

type Call = { readonly room: Room; readonly text: string; readonly how: Showing; readonly at: number };

/** A platform that shows what it is given, unless `script` says otherwise for the next calls. A text of several lines is several pieces. */
export class StagePlatform implements Outlet {
  readonly name = "stage";
  readonly calls: Call[] = [];
  readonly hints: (Hint & { readonly at: number })[] = [];
  readonly script: (Shown | "hang")[] = [];
  recovered: Awaited<ReturnType<Outlet["recover"]>> = { is: "unknowable" };
  readonly looked: (LostPiece & { readonly at: number })[] = [];
  hintAnswer: Extract<Shown, { is: "wait" }> | undefined;
  readonly #clock: VirtualClock;
  #refs = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  pieces(reply: { readonly text: string; readonly rows: readonly unknown[] }): readonly Piece[] {
    return reply.text.split("\n\n").map((text) => ({ body: { text, rows: reply.rows }, plain: text }));
  }

  async show(room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> {
    this.calls.push({ room, text: piece.plain, how, at: this.#clock.now() });
    this.bodies.push(piece.body);
    const next = this.script.shift();
    if (next === "hang") {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return { is: "unknown" };
    }
    this.#refs += 1;
    return next ?? { is: "shown", ref: how.edit ?? `ref${this.#refs}` };
  }

  async hint(_room: Room, hint: Hint): Promise<Extract<Shown, { is: "wait" }> | undefined> {
    this.hints.push({ ...hint, at: this.#clock.now() });
    return this.hintAnswer;
  }

  async answer(): Promise<void> {}

  async recover(_room: Room, lost: LostPiece): ReturnType<Outlet["recover"]> {
    this.looked.push({ ...lost, at: this.#clock.now() });
    return this.recovered;
  }

  link(): undefined {}
  async menu(): Promise<void> {}

  /** What it was given, in order. */
  readonly bodies: unknown[] = [];

  /** What was said to the platform, in order: `new` or `edit`, marks, and the text. */
  get told(): readonly string[] {
    return this.calls.map(({ text, how }) =>
      [
        how.edit === undefined ? "new" : `edit ${how.edit}`,
        ...(how.plain ? ["plain"] : []),
        ...(how.repeat ? ["repeat"] : []),
        text,
      ].join(" "),
    );
  }
}

export const LIMITS: ChannelLimits = {
  joins: true,
  nearLimitUnits: 4000,
  drafts: { private: "native", shared: "edit" },
  growingUnits: 2000,
  commandPrefix: "/",
  forms: false,
  keyboard: false,
  copies: false,
  typingMs: 5000,
  maxFileBytes: 0,
  pace: { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, draftMs: 1000 },
};

/** An outbox over a real store, with one conversation in each of the two rooms. */
export async function stage(limits: Partial<ChannelLimits> = {}): Promise<{
  readonly surroundings: ReturnType<typeof stageSurroundings>;
  readonly store: Store;
  readonly platform: StagePlatform;
  readonly outbox: () => Promise<Outbox>;
  readonly append: (conversation: "private" | "group", ...bodies: readonly EntryBody[]) => Promise<void>;
  readonly pass: (ms: number) => Promise<void>;
}> {
  const surroundings = stageSurroundings();
  const { clock } = surroundings;
  const store = await openStore({ folder: ":memory:", ...surroundings });
  const platform = new StagePlatform(clock);
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    await pass(clock, 0);
    return await work;
  };
  const open = (id: string, room: Room): Change => ({
    do: "open",
    id,
    room,
    person: "stage/1",
    title: id,
    at: clock.now(),
  });
  await settle(store.commit([open("private", PRIVATE), open("group", GROUP)]));
  return {
    surroundings,
    store,
    platform,
    outbox: async () => {
      const outbox = new Outbox(
        store,
        new Map([["stage", { outlet: platform, limits: { ...LIMITS, ...limits } }]]),
        surroundings,
      );
      await settle(outbox.open());
      return outbox;
    },
    append: async (conversation, ...bodies) => {
      await settle(store.commit(bodies.map((body): Change => ({ do: "append", conversation, body, at: clock.now() }))));
      await pass(clock, 0);
    },
    pass: async (ms) => await pass(clock, ms),
  };
}
