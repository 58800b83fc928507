// From raw updates to the log: what each means, who wrote it, what belongs together; then append and wake.
//
//   stored row ─read→ Inbound ─┬ message ─→ seat (join a burst, fetch files) ─→ append + inbound-done ─→ queue.wake
//                              ├ command ─→ at once, or in the seat's order
//                              ├ edit ───→ the burst, or the log
//                              └ press, stop, moved ─→ control lane
import type { Channel, Inbound, Platform } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import { ownWords, personKey, roomKey, type Message, type Part, type Person, type Room } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { clipGraphemes, isVisible, oneLine } from "../core/text.ts";
import type { Change, InboundRow, Store } from "../store/port.ts";
import type { Access } from "./access.ts";
import { Seat } from "./bursts.ts";
import { actsAtOnce, openConversation, provisionalTitle, runCommand, type CommandParts } from "./commands.ts";
import { logEdit } from "./edits.ts";
import { fetchFiles, fileProblems } from "./files.ts";
import type { Outbox } from "./outbox.ts";
import { press, type InOrder, type PressParts } from "./presses.ts";
import type { Queue } from "./queue.ts";
import { surely } from "./surely.ts";

/** What the inbox works with. */
export type InboxParts = {
  readonly store: Store;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly access: Access;
  readonly groups: "off" | "mention";
  readonly joinWithinMs: number;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly commands: CommandParts;
  readonly presses: PressParts;
  readonly workFolder: (conversation: string) => string;
  /** Takes secrets out of what becomes a title. */
  readonly scrub: (text: string) => string;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

type Said = {
  readonly rows: readonly number[];
  readonly inbound: Extract<Inbound, { kind: "message" }>;
  readonly person: Person;
};

/** An album, and a text that the app may have cut, get this long for their next piece. */
const PIECE_WAIT_MS = 1000;
const TITLE_GRAPHEMES = 60;
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
      case "moved":
        this.#moved = this.#surely(async () => {
          await this.#parts.outbox.moveRoom(inbound.platform, inbound.from, inbound.to);
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
    const person = this.#parts.access(row.channel, inbound.from);
    if (person === undefined) {
      this.#task(async () => await this.#done(row, "not let in"));
      return;
    }
    if (inbound.room.kind === "shared" && (this.#parts.groups === "off" || !inbound.addressed)) {
      this.#task(async () => await this.#done(row, this.#parts.groups === "off" ? "groups are off" : "not addressed"));
      return;
    }
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
    const long = inbound.parts.some(
      (part) => part.kind === "text" && part.text.length >= channel.limits.nearLimitUnits,
    );
    const waitMs = channel.limits.joins
      ? Math.max(joinWithinMs, inbound.album !== undefined || long ? PIECE_WAIT_MS : 0)
      : 0;
    this.#seat(inbound.room, person, channel).join({
      id: inbound.messageId,
      waitMs,
      item: { rows: [row.id], inbound, person },
    });
  }

  /** An edit changes what waits, or the log; it never starts anything. */
  #edit(row: InboundRow, inbound: Extract<Inbound, { kind: "edit" }>, channel: Channel): void {
    const person = this.#parts.access(row.channel, inbound.from);
    if (person === undefined) {
      this.#task(async () => await this.#done(row, "not let in"));
      return;
    }
    const words = inbound.parts.filter((part) => part.kind === "text");
    const waits = this.#seats.get(seatKey(inbound.room, person))?.replace(inbound.messageId, (said) => ({
      ...said,
      rows: [...said.rows, row.id],
      inbound: { ...said.inbound, parts: [...said.inbound.parts.filter((part) => part.kind === "file"), ...words] },
    }));
    if (waits === true) return;
    this.#inOrder(inbound.room, person, channel, async () => await logEdit(this.#parts.store, row.id, inbound, person));
  }

  /** Runs what someone who is let in asked for by a button; everyone else gets silence. */
  #let(
    row: InboundRow,
    inbound: Extract<Inbound, { kind: "press" | "stop" }>,
    run: (person: Person) => Promise<void>,
  ): void {
    const person = this.#parts.access(row.channel, inbound.from);
    this.#task(async () => {
      if (person === undefined) await this.#done(row, "not let in");
      else await run(person);
    });
  }

  async #deliver(said: readonly Said[], channel: Channel): Promise<void> {
    const { store, queue, surroundings, workFolder, signal } = this.#parts;
    const [first] = said;
    if (first === undefined) return;
    const { person } = first;
    const { room } = first.inbound;
    const there = await store.conversations.current(room, personKey(person));
    const opened = there === undefined ? openConversation(room, person, surroundings) : undefined;
    const conversation: Conversation | undefined = there ?? opened?.conversation;
    if (conversation === undefined) return;

    const parts = await fetchFiles(
      said.flatMap((one) => one.inbound.parts),
      channel,
      workFolder(conversation.id),
      surroundings,
      signal,
    );
    // Our own end cut the fetching off: the rows stay undone, and the next start takes them up.
    if (signal.aborted) return;
    const problems = fileProblems(parts);
    const at = surroundings.clock.now();
    const notice = (text: string): Change => ({
      do: "append",
      conversation: conversation.id,
      at,
      body: { kind: "notice", text, quiet: false },
    });
    const done: Change = { do: "inbound-done", ids: said.flatMap((one) => one.rows), outcome: "in the log" };
    const message: Message = {
      from: person,
      at: said.at(-1)?.inbound.at ?? at,
      ids: said.map((one) => one.inbound.messageId),
      parts,
    };
    if (!parts.some(saysSomething)) {
      const words = notice(problems ?? "There was nothing in that message that I can read.");
      if (!(await store.commit([...(opened?.changes ?? []), words, done])).ok) await this.#deliver(said, channel);
      return;
    }
    // A power cut that takes this leaves its raw rows, or an update that was never acknowledged: it is made anew from those.
    const changes: readonly Change[] = [
      ...(opened?.changes ?? []),
      { do: "person", person, at },
      { do: "append", conversation: conversation.id, at, body: { kind: "message", message } },
      ...this.#title(conversation, message),
      ...(problems === undefined ? [] : [notice(problems)]),
      ...(queue.acknowledgeOnce(conversation.id) && channel.limits.joins
        ? [
            {
              do: "append",
              conversation: conversation.id,
              at,
              body: { kind: "notice", text: "Got it. I'll answer that next.", quiet: true },
            } as const,
          ]
        : []),
      done,
    ];
    const committed = await store.commit(changes, { sync: false });
    // Its conversation was deleted a moment ago: the message opens a new one.
    if (committed.ok) queue.wake(conversation.id);
    else await this.#deliver(said, channel);
  }

  /** A conversation is called by the owner's own first words; never by a name or words that someone else chose. */
  #title(conversation: Conversation, message: Message): readonly Change[] {
    if (conversation.title !== provisionalTitle(message.from, conversation.openedAt) || message.from.role !== "owner")
      return [];
    const title = clipGraphemes(oneLine(this.#parts.scrub(ownWords(message))), TITLE_GRAPHEMES);
    return title === "" ? [] : [{ do: "title", conversation: conversation.id, title }];
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
        await this.#surely(async () => await this.#deliver(said, channel));
      },
      () => this.#seats.delete(key),
    );
    this.#seats.set(key, seat);
    return seat;
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

function seatKey(room: Room, person: Person): string {
  return `${roomKey(room)} ${personKey(person)}`;
}

function saysSomething(part: Part): boolean {
  return part.kind === "text" ? isVisible(part.text) : part.file.path !== undefined;
}
