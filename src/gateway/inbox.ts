// From raw updates to the log: what each means, who wrote it, what belongs together; then append and wake.
//
//   stored row ─read→ Inbound ─┬ message ─→ seat (join a burst, fetch files) ─→ append + inbound-done ─→ queue.wake
//                              ├ command ─→ at once, or in the seat's order
//                              ├ edit, deletion ─→ the burst, or the log
//                              └ press, stop, moved ─→ control lane
import type { Channel, Inbound, Platform } from "../core/channel.ts";
import { personKey, roomKey, type Person, type Room } from "../core/message.ts";
import type { InboundRow } from "../store/port.ts";
import { Seat, type InOrder } from "./bursts.ts";
import { actsAtOnce, isCommand, runCommand, type CommandParts } from "./commands.ts";
import { deliver, type DeliveryParts, type Said } from "./delivery.ts";
import { noteOwner, turnAway } from "./doorway.ts";
import { logDeletion, logEdit } from "./edits.ts";
import { pasteAddress, signInAddress, type PasteParts } from "./offer-paste.ts";
import type { Outbox } from "./outbox.ts";
import { press, refusePress } from "./presses.ts";
import { surely } from "./surely.ts";
import { couldAnswer, type TypedParts } from "./typed-answers.ts";

/** What the inbox works with. */
export type InboxParts = DeliveryParts & {
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly joinWithinMs: number;
  readonly outbox: Outbox;
  readonly commands: CommandParts;
  readonly presses: TypedParts;
  readonly finishSignIn: PasteParts["finishSignIn"];
  /** Shows a person how things stand, on the page that the app has for itself. */
  readonly home: (opened: Extract<Inbound, { kind: "home" }>) => Promise<void>;
};

/** An album, and a text that the app may have cut, get this long for their next piece. */
const PIECE_WAIT_MS = 1000;
const MALFORMED = "malformed";

/** Reads rows and routes them. Keeps a seat in memory only while something of it is under way. */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #seats = new Map<string, Seat<Said>>();
  readonly #tasks = new Set<Promise<void>>();
  /** A chat's new id is being noted: what is said there since must find what was said before. */
  #moved: Promise<void> = Promise.resolve();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** Takes stored rows, in order. Each is done with once what it caused is durable. */
  take(rows: readonly InboundRow[]): void {
    for (const row of rows) {
      const channel = this.#parts.platforms.get(row.channel)?.channel;
      if (channel !== undefined) this.#route(row, channel);
    }
  }

  /** Resolves when everything taken so far is in the log; `platform`: all that came from there. */
  async settled(platform?: string): Promise<void> {
    for (;;) {
      const seats = [...this.#seats].filter(([key]) => platform === undefined || key.startsWith(`${platform}/`));
      if (seats.length + this.#tasks.size === 0) return;
      await Promise.all([...seats.map(async ([, seat]) => await seat.settled()), ...this.#tasks]);
    }
  }

  #route(row: InboundRow, channel: Channel): void {
    const inbound = channel.read(row.raw);
    switch (inbound.kind) {
      case "message":
        this.#message(row, inbound, channel);
        return;
      case "edit":
        this.#edit(row, inbound, channel);
        return;
      case "press":
        this.#let(row, inbound, async (person) => {
          const inOrder: InOrder = async (room, task) => await this.#within(room, person, channel, task);
          await press(this.#parts.presses, inbound, row.id, person, inOrder);
        });
        return;
      case "stop":
        this.#let(row, inbound, async (person) => {
          await this.#stop(inbound.room, person);
          await this.#done(row, "stop");
        });
        return;
      case "deleted":
        this.#deleted(row, inbound);
        return;
      case "home":
        this.#task(async () => {
          await this.#parts.home(inbound);
          await this.#done(row, "home");
        });
        return;
      case "moved":
        this.#moved = this.#surely(async () => {
          await this.#parts.outbox.moveRoom(inbound.platform, inbound.from, inbound.to);
          this.#parts.doorway.people.move(inbound.platform, inbound.from, inbound.to);
          await this.#done(row, "moved");
        });
        this.#task(async () => await this.#moved);
        return;
      case "reach":
        this.#parts.surroundings.log.info(
          { channel: row.channel, reachable: inbound.reachable },
          "a chat can or can't be written to",
        );
        this.#task(async () => await this.#done(row, inbound.reachable ? "reachable" : "unreachable"));
        return;
      case "ignored":
        this.#task(async () => await this.#done(row, `ignored: ${inbound.because}`));
        return;
      case "malformed":
        this.#parts.surroundings.log.warn(
          { channel: row.channel, row: row.id, problem: inbound.problem },
          "an update can't be understood; it is kept for a look",
        );
        this.#task(async () => await this.#done(row, `${MALFORMED}: ${inbound.problem}`));
    }
  }

  #message(row: InboundRow, inbound: Extract<Inbound, { kind: "message" }>, channel: Channel): void {
    const { doorway } = this.#parts;
    const speaker = doorway.people.who(row.channel, inbound.from, inbound.room);
    if (!("person" in speaker)) {
      this.#task(async () => await turnAway(doorway, row, inbound, speaker));
      return;
    }
    const { person } = speaker;
    const { groups } = doorway.people.rules;
    if (inbound.room.kind === "shared" && (groups === "off" || !inbound.addressed)) {
      this.#task(async () => await this.#done(row, groups === "off" ? "groups are off" : "not addressed"));
      return;
    }
    const mine = person.role === "owner" && inbound.room.kind === "private";
    const address = mine ? signInAddress(inbound) : undefined;
    if (address !== undefined) {
      this.#inOrder(inbound.room, person, channel, async () => {
        const here = await this.#parts.store.conversations.current(inbound.room, personKey(person));
        if (!(await pasteAddress(address, here, row.id, this.#parts)))
          await deliver([{ rows: [row.id], inbound, person }], channel, this.#parts);
      });
      return;
    }
    const said = asMeant(inbound);
    // What belongs to something that is still being joined, or may be cut off, is a piece of that.
    const joining = this.#seats.get(seatKey(inbound.room, person))?.joining === true;
    const whole = !joining && !isLong(said, channel);
    const answer = couldAnswer(this.#parts.presses, said, { person, row: row.id, whole });
    if (answer === undefined) {
      this.#say(row, said, person, channel);
      return;
    }
    // Answered at once; what turns out to be no answer has kept its place.
    let answered = false;
    const decided = this.#surely(async () => {
      answered = await answer();
    });
    this.#inOrder(inbound.room, person, channel, async () => {
      await decided;
      if (!answered) await deliver([{ rows: [row.id], inbound: said, person }], channel, this.#parts);
    });
  }

  /** Takes what someone who is let in said: a command, or words for an answer. */
  #say(row: InboundRow, inbound: Extract<Inbound, { kind: "message" }>, person: Person, channel: Channel): void {
    if (person.role === "owner") this.#task(async () => await noteOwner(this.#parts.doorway, inbound, person));
    const { command } = inbound;
    if (command !== undefined) {
      const { room } = inbound;
      const { store, commands } = this.#parts;
      const typed = { ...command, room, person, row: row.id };
      const inPlace = async (stopped: boolean): Promise<void> => {
        for (let done = false; !done;) {
          const conversation = await store.conversations.current(room, personKey(person));
          done = await runCommand({ ...typed, conversation, stopped }, commands);
        }
      };
      const atOnce = async (): Promise<void> => {
        const conversation = await store.conversations.current(room, personKey(person));
        // With none it opens one, which must not take the place of the one that words just before it are about to open.
        if (conversation === undefined || !(await runCommand({ ...typed, conversation }, commands)))
          await this.#within(room, person, channel, async () => await inPlace(false));
      };
      // What was said before a stop is meant too: what runs ends now, and what still waits to be joined as soon as it begins.
      const both = command.name === "stop" && this.#seats.has(seatKey(room, person));
      const stopped = both ? this.#stop(room, person).catch(() => false) : Promise.resolve(false);
      if (actsAtOnce(command.name) && !both) this.#task(atOnce);
      else this.#inOrder(room, person, channel, async () => await inPlace(await stopped));
      return;
    }
    const { joinWithinMs } = this.#parts;
    const isPiece = inbound.album !== undefined || isLong(inbound, channel);
    const waitMs = channel.limits.joins ? Math.max(joinWithinMs, isPiece ? PIECE_WAIT_MS : 0) : 0;
    this.#seat(inbound.room, person, channel).join({
      id: inbound.messageId,
      waitMs,
      item: { rows: [row.id], inbound, person },
    });
  }

  /** An edit changes what waits, or the log; it never starts anything. */
  #edit(row: InboundRow, inbound: Extract<Inbound, { kind: "edit" }>, channel: Channel): void {
    const speaker = this.#parts.doorway.people.who(row.channel, inbound.from, inbound.room);
    if (!("person" in speaker)) {
      this.#task(async () => await this.#done(row, "not let in"));
      return;
    }
    const { person } = speaker;
    const words = inbound.parts.filter((part) => part.kind === "text");
    const waits = this.#seats.get(seatKey(inbound.room, person))?.replace(inbound.messageId, (said) => ({
      ...said,
      rows: [...said.rows, row.id],
      inbound: { ...said.inbound, parts: [...said.inbound.parts.filter((part) => part.kind === "file"), ...words] },
    }));
    if (waits === true) return;
    this.#inOrder(
      inbound.room,
      person,
      channel,
      async () => await logEdit(this.#parts.store, row.id, inbound, person, this.#parts.surroundings),
    );
  }

  /** What was taken back before it was in the log never comes into it. */
  #deleted(row: InboundRow, inbound: Extract<Inbound, { kind: "deleted" }>): void {
    const there = [...this.#seats].filter(([key]) => key.startsWith(`${roomKey(inbound.room)} `));
    for (const [, seat] of there) {
      const said = seat.withdraw(inbound.messageId);
      if (said === undefined) continue;
      const ids = [...said.rows, row.id];
      const done = { do: "inbound-done", ids, outcome: "taken back", forget: true } as const;
      this.#task(async () => void (await this.#parts.store.commit([done])));
      return;
    }
    const log = async (): Promise<void> => {
      await this.#moved;
      await this.#surely(async () => await logDeletion(this.#parts.store, row.id, inbound, this.#parts.surroundings));
    };
    // Behind whatever of that room is on its way into the log.
    const seats = Promise.all(there.map(async ([, seat]) => await seat.settled()));
    this.#task(async () => {
      await seats;
      await log();
    });
  }

  /** Runs what someone who is let in asked for by a button; everyone else is told that it isn't theirs. */
  #let(
    row: InboundRow,
    inbound: Extract<Inbound, { kind: "press" | "stop" }>,
    run: (person: Person) => Promise<void>,
  ): void {
    const speaker = this.#parts.doorway.people.who(row.channel, inbound.from, inbound.room);
    this.#task(async () => {
      if ("person" in speaker) await run(speaker.person);
      else if (inbound.kind === "press") await refusePress(this.#parts.presses, inbound, row.id);
      else await this.#done(row, "not let in");
    });
  }

  /** Stops the turn that runs for that person there; false when there is none. */
  async #stop(room: Room, person: Person): Promise<boolean> {
    const conversation = await this.#parts.store.conversations.current(room, personKey(person));
    return conversation !== undefined && this.#parts.queue.stop(conversation.id);
  }

  #seat(room: Room, person: Person, channel: Channel): Seat<Said> {
    const key = seatKey(room, person);
    const there = this.#seats.get(key);
    if (there !== undefined) return there;
    const seat = new Seat<Said>(
      this.#parts.surroundings.clock,
      async (said) => {
        await this.#moved;
        await this.#surely(async () => await deliver(said, channel, this.#parts));
      },
      () => this.#seats.delete(key),
    );
    this.#seats.set(key, seat);
    return seat;
  }

  /** Runs a task behind all that a person has said in a room, and gives what came of it. */
  async within<T>(room: Room, person: Person, task: () => Promise<T>): Promise<T> {
    const channel = this.#parts.platforms.get(room.platform)?.channel;
    return channel === undefined ? await task() : await this.#within(room, person, channel, task);
  }

  #inOrder(room: Room, person: Person, channel: Channel, task: () => Promise<void>): void {
    void this.#within(room, person, channel, async () => await this.#surely(task));
  }

  /** Runs a task behind all that was said before it, and gives what came of it; failures are the caller's. */
  async #within<T>(room: Room, person: Person, channel: Channel, task: () => Promise<T>): Promise<T> {
    const done = Promise.withResolvers<T>();
    this.#seat(room, person, channel).inOrder(async () => {
      await this.#moved;
      await task().then(done.resolve, done.reject);
    });
    return await done.promise;
  }

  #task(run: () => Promise<void>): void {
    const task = this.#surely(run).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  /** Tries again after a fault of the disk; the row stays undone meanwhile, so a restart takes it up too. */
  async #surely(run: () => Promise<void>): Promise<void> {
    const { signal, surroundings } = this.#parts;
    await surely(run, "an update can't be taken in; it is tried again", surroundings, signal);
  }

  async #done(row: InboundRow, outcome: string): Promise<void> {
    // What can't be understood is kept for a look; of the rest nothing is needed any more, and no chat's deletion would find it.
    const forget = !outcome.startsWith(MALFORMED);
    await this.#parts.store.commit([{ do: "inbound-done", ids: [row.id], outcome, forget }], { sync: false });
  }
}

/** Words that only look like a command are words: "!important". */
function asMeant(inbound: Extract<Inbound, { kind: "message" }>): Extract<Inbound, { kind: "message" }> {
  const { command, ...message } = inbound;
  if (command?.typed === undefined || isCommand(command.name)) return inbound;
  return { ...message, parts: [...message.parts, command.typed] };
}

/** So long that the app may have cut it there. */
function isLong({ parts }: Extract<Inbound, { kind: "message" }>, { limits }: Channel): boolean {
  return parts.some((part) => part.kind === "text" && part.text.length >= limits.nearLimitUnits);
}

function seatKey(room: Room, person: Person): string {
  return `${roomKey(room)} ${personKey(person)}`;
}
