// Who writes: an owner in several rooms, who is hasty and changes their mind, and a stranger who tries what the owner does.
import type { Inbound, Sender } from "../../src/core/channel.ts";
import type { Part, Room } from "../../src/core/message.ts";
import type { VirtualClock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import type { PlayedPlatform } from "./platform.ts";
import { ENGINES } from "./engine.ts";

/** A message that the owner wrote, in each wording it had. `n` is in its words: `m12v0`, after an edit `m12v1`. */
export type Written = {
  readonly n: number;
  readonly messageId: string;
  readonly room: Room;
  readonly at: number;
  readonly update: string;
  versions: number;
  /** An edit was made that may have reached a chat id that is no longer in use. */
  movedSince: boolean;
};

/** A command, with the update that carried it. */
export type Ordered = {
  readonly name: string;
  readonly room: Room;
  readonly update: string;
  readonly at: number;
};

export const OWNER: Sender = { id: "1", name: "Sam", bot: false };
const STRANGER: Sender = { id: "66", name: "Sam", bot: false };

const ROOMS = {
  home: { platform: "sim", chat: "p1", kind: "private" },
  topic: { platform: "sim", chat: "p1", thread: "5", kind: "private" },
  group: { platform: "sim", chat: "g1", kind: "shared" },
} as const satisfies Readonly<Record<string, Room>>;
/** Where the stranger is alone with the gateway. */
export const STRANGERS_ROOM: Room = { platform: "sim", chat: "s1", kind: "shared" };
const MOVED_TO = "g2";

/** The people. They look at the platform and act on it; of the gateway they know nothing. */
export class People {
  readonly written: Written[] = [];
  readonly ordered: Ordered[] = [];
  /** Words that must never reach an engine or a log. */
  readonly unheard: string[] = [];
  readonly strangersPresses: string[] = [];
  readonly presses: string[] = [];
  readonly #clock: VirtualClock;
  readonly #dice: Dice;
  readonly #platform: PlayedPlatform;
  readonly #presser: boolean;
  #id = 100;
  #room: Room = ROOMS.home;

  /** `presser`: they mostly press what is there, and keep to one chat. */
  constructor(clock: VirtualClock, dice: Dice, platform: PlayedPlatform, presser: boolean) {
    this.#presser = presser;
    this.#clock = clock;
    this.#dice = dice;
    this.#platform = platform;
  }

  /** Someone does something. Gives how long nobody does anything after it. */
  act(): number {
    const dice = this.#dice;
    if (dice.chance(this.#presser ? 0.05 : 0.3)) this.#room = dice.one(Object.values(ROOMS)) ?? ROOMS.home;
    const room = this.#here(this.#room);
    // Who is asked mostly answers, or stops it, or does something else and lets it expire.
    const waits = this.#approvals().length > 0;
    const few = this.#presser
      ? { message: 24, burst: 3, edit: 3, press: 4, forward: 0.3, new: 2, engine: 0, delete: 1 }
      : {};
    const kind = dice.weighted({
      message: 40,
      burst: 10,
      edit: 12,
      press: 12,
      tap: this.#presser ? 70 : 6,
      approve: waits ? 45 : 1,
      approveByText: waits ? 12 : 1,
      forward: 3,
      stop: 7,
      platformStop: 1,
      new: 4,
      status: 4,
      engine: 4,
      archive: 2,
      delete: 4,
      unknown: 1,
      blank: 2,
      stranger: 6,
      aside: 2,
      noise: 2,
      move: 1,
      ...few,
    });
    switch (kind) {
      case "message":
        this.write(room);
        break;
      case "burst":
        for (let nth = dice.from(2, 4), wait = 1; nth > 0; nth -= 1, wait += dice.from(20, 400))
          this.#clock.after(wait, () => this.write(room));
        break;
      case "edit":
        this.#edit();
        break;
      case "press":
        this.#press();
        break;
      case "tap":
        this.#tap();
        break;
      case "approve":
        this.#approve();
        break;
      case "approveByText":
        this.#approveByText();
        break;
      case "forward":
        this.#forward(room);
        break;
      case "stop":
        this.stop(room);
        break;
      case "platformStop":
        this.#platform.push({ kind: "stop", room, from: OWNER });
        break;
      case "engine":
        this.command(room, "engine", dice.one([...ENGINES, "plan", "", ""]) ?? "");
        break;
      case "unknown":
        this.command(room, "stpo");
        break;
      case "new":
      case "status":
      case "archive":
      case "delete":
        this.command(room, kind);
        break;
      case "blank":
        this.#say(room, OWNER, " \n ");
        break;
      case "stranger":
        this.#strangerActs(room);
        break;
      case "aside":
        this.#say(this.#here(ROOMS.group), OWNER, this.#secret(), false);
        break;
      case "noise":
        this.#platform.push(dice.chance(0.5) ? { malformed: true } : { kind: "ignored", because: "played" });
        break;
      case "move":
        this.#move();
    }
    return dice.weighted({ short: this.#presser ? 1.5 : 5, middle: 4, long: 2 }) === "short"
      ? dice.from(1, 400)
      : dice.from(200, dice.chance(0.3) ? 40_000 : 6000);
  }

  /** A message of the owner's with words like no other. */
  write(room: Room): void {
    const n = this.written.length + 1;
    const { update, messageId } = this.#say(room, OWNER, `m${n}v0`);
    this.written.push({ n, messageId, room, at: this.#clock.now(), update, versions: 1, movedSince: false });
  }

  command(room: Room, name: string, args = ""): void {
    const update = this.#command(room, OWNER, name, args);
    this.ordered.push({ name, room, update, at: this.#clock.now() });
  }

  /** Stops what seems to run in that room. */
  stop(room: Room): void {
    this.command(room, "stop");
  }

  #edit(): void {
    const recent = this.#dice.one(this.written.slice(-4));
    if (recent === undefined) return;
    const text = `m${recent.n}v${recent.versions}`;
    recent.versions += 1;
    if (this.#platform.chatNow(recent.room.chat) !== recent.room.chat) recent.movedSince = true;
    const parts = [{ kind: "text", messageId: recent.messageId, origin: { kind: "own" }, text }] as const;
    this.#platform.push({
      kind: "edit",
      room: this.#here(recent.room),
      from: OWNER,
      at: this.#clock.now(),
      messageId: recent.messageId,
      parts,
    });
  }

  /** Any button that was ever visible, the newest more often; sometimes twice, sometimes one that never was. */
  #press(): void {
    const buttons = this.#platform.standing.flatMap((one) =>
      (one.versions.at(-1)?.presses ?? []).map((data) => ({ data, one })),
    );
    const all = this.#platform.standing.flatMap((one) =>
      one.versions.flatMap((version) => version.presses.map((data) => ({ data, one }))),
    );
    const chosen = this.#dice.chance(0.7) ? this.#dice.one(buttons.slice(-4)) : this.#dice.one(all);
    const data = chosen === undefined || this.#dice.chance(0.05) ? "never-was" : chosen.data;
    const room = chosen?.one.room ?? this.#here(ROOMS.home);
    const messageId = chosen?.one.ref ?? "r0";
    const stranger = this.#dice.chance(0.15);
    const times = this.#dice.chance(0.25) ? 2 : 1;
    for (let nth = 0; nth < times; nth += 1) {
      const ref = `press${this.presses.length + this.strangersPresses.length}`;
      (stranger ? this.strangersPresses : this.presses).push(ref);
      this.#platform.push({ kind: "press", room, from: stranger ? STRANGER : OWNER, data, ref, messageId });
    }
  }

  /** One of the newest buttons that stand there, on one device or on two. */
  #tap(): void {
    const there = this.#platform.standing.findLast((one) => (one.versions.at(-1)?.presses.length ?? 0) > 0);
    const data = this.#dice.one(there?.versions.at(-1)?.presses ?? []);
    if (there === undefined || data === undefined) return;
    for (let times = this.#dice.chance(0.2) ? 2 : 1; times > 0; times -= 1) {
      const ref = `press${this.presses.length + this.strangersPresses.length}`;
      this.presses.push(ref);
      this.#platform.push({ kind: "press", room: there.room, from: OWNER, data, ref, messageId: there.ref });
    }
    // The same person types at that moment, too.
    if (this.#dice.chance(0.15)) this.write(there.room);
  }

  /** The newest approval that stands there unanswered: allowed or not, by its buttons. Some are never answered. */
  #approve(): void {
    const asked = this.#approvals().at(-1);
    const data = this.#dice.one(asked?.presses ?? []);
    if (asked === undefined || data === undefined) return;
    const stranger = this.#dice.chance(0.1);
    const ref = `press${this.presses.length + this.strangersPresses.length}`;
    (stranger ? this.strangersPresses : this.presses).push(ref);
    const from = stranger ? STRANGER : OWNER;
    this.#platform.push({ kind: "press", room: asked.room, from, data, ref, messageId: asked.ref });
  }

  /** By its number, or as a reply to its card; sometimes one that was answered long ago. */
  #approveByText(): void {
    const asked = this.#dice.chance(0.8) ? this.#approvals().at(-1) : this.#dice.one(this.#approvals(true));
    if (asked === undefined) return;
    const words = this.#dice.one(["allow", "yes", "don't allow", "no"]) ?? "no";
    const from = this.#dice.chance(0.1) ? STRANGER : OWNER;
    if (this.#dice.chance(0.5)) {
      this.#say(asked.room, from, `${words} ${asked.number}`);
      return;
    }
    const origin = { kind: "quoted", from: "Tidegate", messageId: asked.ref, ours: true } as const;
    this.#say(asked.room, from, words, true, [{ kind: "text", messageId: "", origin, text: "May I?" }]);
  }

  /** Somebody else's words, which mark the chat. */
  #forward(room: Room): void {
    const origin = { kind: "forwarded", as: "user", from: "Ana", id: this.#dice.one(["7", "8"]) ?? "7" } as const;
    const said = { kind: "text", messageId: "", origin, text: `f${this.#id} buy it all` } as const;
    this.#say(room, OWNER, "", true, [said]);
  }

  /** What stands there of approvals: by default those with buttons. */
  #approvals(all = false): readonly {
    readonly room: Room;
    readonly ref: string;
    readonly number: string;
    readonly presses: readonly string[];
  }[] {
    const byKey = Map.groupBy(this.#platform.standing, (one) => one.versions[0]?.key ?? "");
    return [...byKey.values()].flatMap((pieces) => {
      const first = pieces[0];
      const [, number] = /\(no\. (\d+)\)/.exec(first?.versions.at(-1)?.text ?? "") ?? [];
      const presses = pieces.flatMap((one) => one.versions.at(-1)?.presses ?? []);
      if (first === undefined || number === undefined || (presses.length === 0 && !all)) return [];
      return [{ room: first.room, ref: first.ref, number, presses }];
    });
  }

  #strangerActs(room: Room): void {
    const where = this.#dice.chance(0.5) ? STRANGERS_ROOM : room.kind === "shared" ? room : STRANGERS_ROOM;
    const kind = this.#dice.weighted({ message: 5, command: 3, edit: 1, stop: 1 });
    if (kind === "message") this.#say(where, STRANGER, this.#secret());
    else if (kind === "command")
      this.#command(where, STRANGER, this.#dice.one(["stop", "new", "delete", "status", "help"]) ?? "stop", "");
    else if (kind === "stop") this.#platform.push({ kind: "stop", room: where, from: STRANGER });
    else {
      const messageId = this.#dice.one(this.written)?.messageId ?? "1";
      const parts = [{ kind: "text", messageId, origin: { kind: "own" }, text: this.#secret() }] as const;
      this.#platform.push({ kind: "edit", room: where, from: STRANGER, at: this.#clock.now(), messageId, parts });
    }
  }

  #move(): void {
    if (this.#platform.chatNow(ROOMS.group.chat) !== ROOMS.group.chat) return;
    this.#platform.move(ROOMS.group.chat, MOVED_TO);
    for (const one of this.written) if (one.room.chat === ROOMS.group.chat) one.movedSince = true;
    // Sometimes the platform says so by an update, sometimes only when it is written to.
    if (this.#dice.chance(0.6))
      this.#platform.push({ kind: "moved", platform: "sim", from: ROOMS.group.chat, to: MOVED_TO });
  }

  #secret(): string {
    const words = `unheard-${this.unheard.length}-words`;
    this.unheard.push(words);
    return words;
  }

  #here(room: Room): Room {
    return { ...room, chat: this.#platform.chatNow(room.chat) };
  }

  #say(
    room: Room,
    from: Sender,
    text: string,
    addressed = true,
    others: readonly Part[] = [],
  ): { readonly update: string; readonly messageId: string } {
    this.#id += 1;
    const messageId = String(this.#id);
    const message: Inbound = {
      kind: "message",
      room,
      from,
      at: this.#clock.now(),
      messageId,
      parts: [
        ...others.map((part) => ({ ...part, messageId })),
        ...(text === "" ? [] : [{ kind: "text", messageId, origin: { kind: "own" }, text } as const]),
      ],
      addressed,
    };
    return { update: this.#platform.push(message), messageId };
  }

  #command(room: Room, from: Sender, name: string, args: string): string {
    this.#id += 1;
    return this.#platform.push({
      kind: "message",
      room,
      from,
      at: this.#clock.now(),
      messageId: String(this.#id),
      parts: [],
      addressed: true,
      command: { name, args },
    });
  }
}
