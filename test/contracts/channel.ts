// What every platform must do, whatever it is: run with a driver that plays the platform and the people on it.
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Inbound, Platform, RawUpdate, Since } from "../../src/core/channel.ts";
import type { FileRef, Room } from "../../src/core/message.ts";
import { roomKey } from "../../src/core/message.ts";
import type { Piece, Reply, Showing, Shown } from "../../src/core/reply.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";

/** A message as the platform shows it. */
export type Seen = {
  readonly ref: string;
  readonly text: string;
  /** Labels of press buttons and of link buttons. */
  readonly buttons: readonly string[];
  /** True when nothing in it can load by itself. */
  readonly inert: boolean;
};

/** What a person may write, beyond words. */
export type Saying = {
  readonly file?: { readonly name: string; readonly bytes: Uint8Array; readonly claimedBytes?: number };
  /** Brought in from a stranger by forwarding. */
  readonly forwarded?: boolean;
  /** Answers the message with this id. */
  readonly replyTo?: string;
};

export type FaultName = "too-fast" | "not-parseable" | "lost-before" | "lost-after" | "gone";

/** Plays the platform and its people. `Where`: the owner's private chat, or a shared one with the owner in it. */
export type ChannelDriver = AsyncDisposable & {
  /** A new client, as after a restart; what the platform remembers stays. */
  connect(surroundings: Surroundings): Platform;
  /** The owner writes; answers the platform's id of the message, where the channel doesn't give it one of its own. */
  say(where: Where, text: string, saying?: Saying): Promise<string | undefined>;
  /** The owner deletes what they wrote. */
  remove(where: Where, messageId: string): Promise<void>;
  /** The connection by which updates come breaks. */
  cut(): Promise<void>;
  /** The owner edits what they wrote. */
  edit(where: Where, messageId: string, text: string): Promise<void>;
  /** The address of a message as the platform itself gives it; undefined where it has none. */
  linkTo(where: Where, messageId: string): Promise<string | undefined>;
  /** Everything of the bot that the chat shows now, in order. */
  seen(where: Where): Promise<readonly Seen[]>;
  /** The owner presses a button of a message of the bot. */
  press(where: Where, ref: string, label: string): Promise<void>;
  /** The words that the last press was answered with; undefined: not answered. */
  answered(): Promise<string | undefined>;
  /** The next call that shows something goes wrong. */
  fault(fault: FaultName): Promise<void>;
  /** How many updates the platform would deliver again to a new connection; undefined where none ever is: its history is read instead. */
  unacknowledged(): Promise<number | undefined>;
  /** Everything the platform was told that must not be in any log, such as the token. */
  readonly secrets: readonly string[];
};

export type Where = "private" | "shared";

/** What a platform can't do, each with the reason that its skipped tests show. */
export type Lacks = Partial<
  Record<
    | "edits"
    | "files"
    | "forwards"
    | "shared"
    | "presses"
    | "faults"
    | "redelivery"
    | "largeFiles"
    | "quotes"
    | "deletions"
    | "cuts"
    | "rewrites"
    | "splits"
    | "restarts",
    string
  >
>;

/** Notes of the operator's log, as one text per line. */
export function recordedSurroundings(): { surroundings: Surroundings; lines: string[] } {
  const lines: string[] = [];
  const note = (fields: Record<string, unknown>, words: string): void => {
    lines.push(`${words} ${JSON.stringify(fields)}`);
  };
  return {
    lines,
    surroundings: {
      clock: realClock,
      random: realRandom,
      log: { debug: note, info: note, warn: note, error: note },
    },
  };
}

/** Pulls a channel's batches by hand, so that a test decides when one is acknowledged. */
export class Pull implements AsyncDisposable {
  readonly platform: Platform;
  /** How far it was heard, as the store would keep it. */
  readonly since: { readonly marks: Map<string, string>; heardAt?: number };
  readonly #stop = new AbortController();
  #batches: AsyncIterator<readonly RawUpdate[]>;
  #given: readonly RawUpdate[] = [];
  #left: RawUpdate[] = [];
  #asked: Promise<IteratorResult<readonly RawUpdate[]>> | undefined;

  constructor(platform: Platform, since: Since = { marks: new Map() }) {
    this.platform = platform;
    this.since = { ...since, marks: new Map(since.marks) };
    this.#batches = this.#open();
  }

  /** The next batch, which acknowledges the one before; undefined at the end. */
  async batch(): Promise<readonly RawUpdate[] | undefined> {
    this.ask();
    const { done, value } = await this.#asked!.finally(() => (this.#asked = undefined));
    if (done === true) return undefined;
    this.#given = value;
    return value;
  }

  /** As the supervisor does: what ended the channel is over, and it is asked again. */
  reopen(): void {
    this.#asked = undefined;
    this.#batches = this.#open();
  }

  #open(): AsyncIterator<readonly RawUpdate[]> {
    return this.platform.channel.inbound(this.#stop.signal, this.since)[Symbol.asyncIterator]();
  }

  /** The next update that is there, and what it means. A batch is asked past once all of it was looked at. */
  async next(): Promise<{ update: RawUpdate; inbound: Inbound }> {
    while (this.#left.length === 0) {
      const batch = await this.batch();
      if (batch === undefined) throw new Error("The channel ended.");
      this.#left = [...batch];
    }
    const update = this.#left.shift()!;
    return { update, inbound: this.platform.channel.read(roundTrip(update.raw)) };
  }

  async message(): Promise<Extract<Inbound, { kind: "message" }>> {
    const { inbound } = await this.next();
    if (inbound.kind !== "message") throw new Error(`A message was awaited: ${JSON.stringify(inbound)}`);
    return inbound;
  }

  /** Asks for more without waiting for it: what came so far is stored. */
  ask(): void {
    for (const { mark } of this.#given) if (mark !== undefined) this.since.marks.set(mark.place, mark.at);
    if (this.#given.length > 0) this.since.heardAt = realClock.now();
    this.#given = [];
    this.#asked ??= this.#batches.next();
    this.#asked.catch(() => undefined);
  }

  /** A clean stop. */
  async stop(): Promise<void> {
    this.#stop.abort();
    while ((await this.batch()) !== undefined);
  }

  /** What a crash leaves: nothing more is asked, nothing is said to the platform. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.platform.channel[Symbol.asyncDispose]();
    this.#stop.abort();
  }
}

let nonces = 0;
export const ONCE: Showing = { plain: false, repeat: false, nonce: "contract-nonce" };

export function reply(text: string, more: Partial<Reply> = {}): Reply {
  return { key: "contract/1", text, rows: [], quiet: false, ...more };
}

/** The store keeps both as JSON. */
function roundTrip<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

const never = new AbortController().signal;

export function describeChannel(name: string, start: () => Promise<ChannelDriver>, lacks: Lacks = {}): void {
  type Run = (title: string, body: () => Promise<void>) => void;
  const needs = (...things: (keyof Lacks)[]): { run: Run; why: string } => {
    const missing = things.find((thing) => lacks[thing] !== undefined);
    return missing === undefined ? { run: test, why: "" } : { run: test.skip, why: ` (skipped: ${lacks[missing]})` };
  };

  const setUp = async (): Promise<{
    driver: ChannelDriver;
    pull: Pull;
    lines: string[];
    /** Connects a new client beside what the platform remembers. */
    again: () => Promise<Pull>;
  }> => {
    const driver = await start();
    onTestFinished(() => driver[Symbol.asyncDispose]());
    const { surroundings, lines } = recordedSurroundings();
    let last: Pull | undefined;
    const connect = async (): Promise<Pull> => {
      const pull = new Pull(driver.connect(surroundings), last?.since);
      last = pull;
      onTestFinished(() => pull[Symbol.asyncDispose]());
      await pull.batch();
      return pull;
    };
    return { driver, lines, pull: await connect(), again: connect };
  };

  const roomOf = async (driver: ChannelDriver, pull: Pull, where: Where): Promise<Room> => {
    await driver.say(where, "where am I?");
    return (await pull.message()).room;
  };

  const showAll = async (pull: Pull, room: Room, pieces: readonly Piece[], how = ONCE): Promise<Shown[]> => {
    const shown: Shown[] = [];
    for (const piece of roundTrip(pieces)) {
      // No two pieces share one: a platform may take the second for a repeat of the first.
      nonces += 1;
      const nonce = `${how.nonce}-${nonces}`;
      shown.push(await pull.platform.outlet.show(room, piece, { ...how, nonce }, never));
    }
    return shown;
  };

  const refOf = (shown: Shown | undefined): string => {
    if (shown?.is !== "shown") throw new Error(`Not shown: ${JSON.stringify(shown)}`);
    return shown.ref;
  };

  describe(`the channel contract: ${name}`, () => {
    test("T1 T40: words arrive with the room, the person and the time", async () => {
      const { driver, pull } = await setUp();
      const before = realClock.now();
      const said = await driver.say("private", "hello there");
      const message = await pull.message();
      const id = said ?? message.messageId;
      expect(message).toMatchObject({
        messageId: id,
        addressed: true,
        from: { bot: false },
        room: { kind: "private" },
      });
      expect(message.parts).toEqual([{ kind: "text", messageId: id, origin: { kind: "own" }, text: "hello there" }]);
      expect(message.from.id).not.toBe("");
      expect(Math.abs(message.at - before)).toBeLessThan(60_000);
    });

    test("T40: messages of a room come in the order they were written, under keys of their own", async () => {
      const { driver, pull } = await setUp();
      const words = Array.from({ length: 12 }, (_, at) => `line ${at}`);
      for (const text of words) await driver.say("private", text);
      const updates: RawUpdate[] = [];
      while (updates.length < words.length) updates.push(...((await pull.batch()) ?? []));
      const read = updates.map(({ raw }) => pull.platform.channel.read(raw));
      expect(
        read.flatMap((one) =>
          one.kind === "message" ? one.parts.map((part) => part.kind === "text" && part.text) : [],
        ),
      ).toEqual(words);
      expect(new Set(updates.map(({ key }) => key)).size).toBe(words.length);
    });

    const again = needs("redelivery");
    again.run(
      `T40: what was not asked past comes again under the same key, and nothing else does${again.why}`,
      async () => {
        const { driver, pull, again } = await setUp();
        await driver.say("private", "first");
        const first = await pull.next();
        await driver.say("private", "second");
        const second = await pull.next();
        // An acknowledgement may still be on its way.
        await expect.poll(async () => (await driver.unacknowledged()) ?? 1, { timeout: 5_000 }).toBe(1);
        // Dies with the second in its hands.
        await pull[Symbol.asyncDispose]();
        const after = await again();
        const repeated = await after.next();
        expect(repeated.update.key).toBe(second.update.key);
        expect(repeated.update.key).not.toBe(first.update.key);
        expect(repeated.inbound).toEqual(second.inbound);
      },
    );

    again.run(`T40: a clean stop acknowledges what was stored, within a second${again.why}`, async () => {
      const { driver, pull } = await setUp();
      await driver.say("private", "kept");
      await pull.next();
      pull.ask();
      const before = realClock.now();
      await pull.stop();
      expect(realClock.now() - before).toBeLessThan(1000);
      await expect.poll(async () => (await driver.unacknowledged()) ?? 0, { timeout: 5_000 }).toBe(0);
    });

    test("T39: an aborted signal ends the channel within a second", async () => {
      const { pull } = await setUp();
      pull.ask();
      const before = realClock.now();
      await pull.stop();
      expect(realClock.now() - before).toBeLessThan(1000);
    });

    test("T40: nothing that comes makes reading throw", async () => {
      const { pull } = await setUp();
      fc.assert(
        fc.property(fc.jsonValue({ maxDepth: 5 }), (raw) => {
          expect(pull.platform.channel.read(raw)).toHaveProperty("kind");
        }),
      );
    });

    const shared = needs("shared");
    shared.run(`T40: rooms are told apart, and a shared one is shared${shared.why}`, async () => {
      const { driver, pull } = await setUp();
      const own = await roomOf(driver, pull, "private");
      const other = await roomOf(driver, pull, "shared");
      expect(own.kind).toBe("private");
      expect(other.kind).toBe("shared");
      expect(roomKey(own)).not.toBe(roomKey(other));
      await showAll(pull, other, pull.platform.outlet.pieces(reply("for all")));
      expect((await driver.seen("shared")).map(({ text }) => text)).toEqual(["for all"]);
      expect(await driver.seen("private")).toEqual([]);
    });

    const rewrites = needs("rewrites");
    rewrites.run(`T40: a reply is shown, edited under the same id, and never echoed back${rewrites.why}`, async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const [shown] = await showAll(pull, room, pull.platform.outlet.pieces(reply("one **bold** word")));
      const ref = refOf(shown);
      expect(await driver.seen("private")).toMatchObject([{ ref, text: "one bold word", inert: true }]);
      const edited = await showAll(pull, room, pull.platform.outlet.pieces(reply("two words")), { ...ONCE, edit: ref });
      expect(edited).toEqual([{ is: "shown", ref }]);
      expect(await driver.seen("private")).toMatchObject([{ ref, text: "two words", inert: true }]);
      // What was shown twice is not shown a third time because the platform finds nothing to change.
      expect(
        await showAll(pull, room, pull.platform.outlet.pieces(reply("two words")), { ...ONCE, edit: ref }),
      ).toEqual(edited);
      await driver.say("private", "after");
      expect((await pull.message()).parts).toMatchObject([{ text: "after" }]);
    });

    const splits = needs("splits");
    splits.run(`T40: a long reply is several messages within the limits, in order and whole${splits.why}`, async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const words = Array.from({ length: 2500 }, (_, at) => `word${at}`);
      const pieces = pull.platform.outlet.pieces(reply(words.join(" ")));
      expect(pieces.length).toBeGreaterThan(1);
      for (const shown of await showAll(pull, room, pieces)) refOf(shown);
      const seen = await driver.seen("private");
      expect(seen.flatMap(({ text }) => text.split(/\s+/u))).toEqual(words);
    });

    test("T17 T40: any Markdown of any length is pieces that the platform takes, with every word in its place", async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const { outlet } = pull.platform;
      const shows = async (text: string): Promise<void> => {
        const pieces = outlet.pieces(reply(text));
        expect(wordsIn(pieces.map(({ plain }) => plain).join(" "))).toEqual(wordsIn(text));
        for (const shown of await showAll(pull, room, pieces)) refOf(shown);
      };
      await fc.assert(fc.asyncProperty(markdown, shows), { numRuns: 25 });
      expect((await driver.seen("private")).every(({ inert }) => inert)).toBe(true);
    });

    test("T40: an empty reply shows nothing, and one with only buttons shows them", async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      expect(pull.platform.outlet.pieces(reply(""))).toEqual([]);
      expect(pull.platform.outlet.pieces(reply(" \n "))).toEqual([]);
      const pieces = pull.platform.outlet.pieces(reply("", { rows: [[{ label: "Go", press: "go-key" }]] }));
      expect((await showAll(pull, room, pieces)).map(refOf)).toHaveLength(1);
      expect(await driver.seen("private")).toMatchObject([{ buttons: ["Go"] }]);
    });

    const presses = needs("presses", "restarts");
    presses.run(
      `T33 T40: a button's key comes back after a restart, and its press is answered${presses.why}`,
      async () => {
        const { driver, pull, again } = await setUp();
        const room = await roomOf(driver, pull, "private");
        const rows = [
          [
            { label: "Yes", press: "k3y-yes" },
            { label: "No", press: "k3y-no" },
          ],
          [{ label: "Read", url: "https://example.com/a?b=1&c=2" }],
        ];
        const pieces = pull.platform.outlet.pieces(reply("Well?", { rows }));
        const ref = refOf((await showAll(pull, room, pieces)).at(-1));
        expect((await driver.seen("private")).at(-1)?.buttons).toEqual(["Yes", "No", "Read"]);
        await pull.stop();
        const after = await again();
        await driver.press("private", ref, "No");
        const { inbound } = await after.next();
        expect(inbound).toMatchObject({ kind: "press", data: "k3y-no", room, messageId: ref, from: { bot: false } });
        if (inbound.kind !== "press") return;
        await after.platform.outlet.answer(inbound.ref, { words: "Noted." }, never);
        expect(await driver.answered()).toBe("Noted.");
        // Twice is harmless.
        await after.platform.outlet.answer(inbound.ref, { words: "Noted." }, never);
        // An edit without buttons takes them away.
        await showAll(after, room, after.platform.outlet.pieces(reply("Well? No.")), { ...ONCE, edit: ref });
        expect((await driver.seen("private")).at(-1)).toMatchObject({ text: "Well? No.", buttons: [] });
      },
    );

    const edits = needs("edits");
    edits.run(`T9 T40: an edit carries the new words and the old id${edits.why}`, async () => {
      const { driver, pull } = await setUp();
      const id = await driver.say("private", "teh words");
      await pull.message();
      await driver.edit("private", id ?? "", "/stop the words");
      expect((await pull.next()).inbound).toMatchObject({
        kind: "edit",
        messageId: id,
        parts: [{ kind: "text", messageId: id, origin: { kind: "own" }, text: "/stop the words" }],
      });
    });

    const deletions = needs("deletions");
    deletions.run(`T48 T40: a message that is taken back says so, once${deletions.why}`, async () => {
      const { driver, pull } = await setUp();
      const id = await driver.say("private", "never mind");
      const { room } = await pull.message();
      await driver.remove("private", id ?? "");
      expect((await pull.next()).inbound).toEqual({ kind: "deleted", room, messageId: id });
      await driver.say("private", "after");
      expect((await pull.message()).parts).toMatchObject([{ text: "after" }]);
    });

    const cuts = needs("cuts");
    cuts.run(
      `T54 T40: after a cut everything arrives once, at the latest when the channel is asked again${cuts.why}`,
      async () => {
        const { driver, pull } = await setUp();
        // Whoever stores them knows each by its key.
        const keys = new Set<string>();
        const fresh = async (): Promise<Inbound> => {
          for (;;) {
            const got = await pull.next().catch(() => pull.reopen());
            if (got === undefined || keys.has(got.update.key)) continue;
            keys.add(got.update.key);
            return got.inbound;
          }
        };
        await driver.say("private", "before");
        const before = await fresh();
        if (before.kind !== "message") throw new Error("no message");
        const { room } = before;
        for (const round of ["first", "second"]) {
          await driver.cut();
          await driver.say("private", round);
          expect(await fresh()).toMatchObject({ kind: "message", room, parts: [{ text: round }] });
        }
        await driver.say("private", "after");
        expect(await fresh()).toMatchObject({ kind: "message", room, parts: [{ text: "after" }] });
      },
    );

    const forwards = needs("forwards");
    forwards.run(`T8 T40: what was brought in by forwarding is not the writer's own${forwards.why}`, async () => {
      const { driver, pull } = await setUp();
      await driver.say("private", "/stop what a stranger wrote", { forwarded: true });
      const message = await pull.message();
      expect(message.parts).toMatchObject([{ kind: "text", origin: { kind: "forwarded" } }]);
      expect(message.command).toBeUndefined();
    });

    const quotes = needs("quotes");
    quotes.run(`T6: a reply says what it answers, and whose words those are${quotes.why}`, async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const ref = refOf((await showAll(pull, room, pull.platform.outlet.pieces(reply("ours")))).at(0));
      await driver.say("private", "about that", { replyTo: ref });
      expect((await pull.message()).parts).toMatchObject([
        { kind: "text", origin: { kind: "quoted", ours: true, messageId: ref }, text: "ours" },
        { kind: "text", origin: { kind: "own" }, text: "about that" },
      ]);
    });

    const files = needs("files");
    files.run(
      `T2 T3 T40: a file arrives with its caption and its bytes, readable by nobody else${files.why}`,
      async () => {
        const { driver, pull } = await setUp();
        const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 251);
        await driver.say("private", "have a look", { file: { name: "odd näme; (1) \u202E.txt", bytes } });
        const message = await pull.message();
        // In the order in which the platform shows them.
        expect(message.parts.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
          { kind: "file", origin: { kind: "own" } },
          { kind: "text", text: "have a look" },
        ]);
        const path = join(await folder(), "here.txt");
        await pull.platform.channel.fetch(fileIn(message), path, never);
        expect(new Uint8Array(await readFile(path)) as Uint8Array).toEqual(bytes);
        expect((await stat(path)).mode & 0o777).toBe(0o600);
      },
    );

    files.run(`T4: an empty file is refused in words, and leaves nothing behind${files.why}`, async () => {
      const { driver, pull } = await setUp();
      await driver.say("private", "", { file: { name: "nothing.txt", bytes: new Uint8Array(0) } });
      const path = join(await folder(), "nothing.txt");
      const fetched = pull.platform.channel.fetch(fileIn(await pull.message()), path, never);
      await expect(fetched).rejects.toMatchObject({ code: "file-empty" });
      expect(await readdir(dirname(path))).toEqual([]);
    });

    const large = needs("files", "largeFiles");
    large.run(`T4: a file above the limit is refused in words, whatever size it claims${large.why}`, async () => {
      const { driver, pull } = await setUp();
      const { maxFileBytes } = pull.platform.channel.limits;
      const bytes = new Uint8Array(maxFileBytes + 1);
      for (const claimedBytes of [maxFileBytes + 1, 1000]) {
        await driver.say("private", "", { file: { name: "large.bin", bytes, claimedBytes } });
        const path = join(await folder(), "large.bin");
        const fetched = pull.platform.channel.fetch(fileIn(await pull.message()), path, never);
        await expect(fetched).rejects.toMatchObject({ code: "file-too-large" });
        expect(await readdir(dirname(path))).toEqual([]);
      }
    });

    const faults = needs("faults");
    const ends: readonly [FaultName, Partial<Shown>, shown: number][] = [
      ["too-fast", { is: "wait", why: "too-fast" }, 0],
      ["not-parseable", { is: "refused", why: "not-parseable" }, 0],
      ["gone", { is: "refused", why: "gone" }, 0],
      ["lost-before", { is: "unknown" }, 0],
      ["lost-after", { is: "unknown" }, 1],
    ];
    for (const [fault, end, times] of ends) {
      faults.run(
        `T26 T27: a message that meets "${fault}" is ${end.is}, and nothing is sent twice${faults.why}`,
        async () => {
          const { driver, pull } = await setUp();
          const room = await roomOf(driver, pull, "private");
          await driver.fault(fault);
          const [shown] = await showAll(pull, room, pull.platform.outlet.pieces(reply("*once*")));
          expect(shown).toMatchObject(end);
          expect(await driver.seen("private")).toHaveLength(times);
        },
      );
    }

    faults.run(`T20: what could not be parsed is shown plain, with the same words${faults.why}`, async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const shown = await showAll(pull, room, pull.platform.outlet.pieces(reply("a **b** <c> & `d`")), {
        ...ONCE,
        plain: true,
      });
      refOf(shown[0]);
      expect(await driver.seen("private")).toMatchObject([{ text: "a b <c> & d", inert: true }]);
    });

    const twice = needs("splits");
    twice.run(`T40: what may stand there twice says so${twice.why}`, async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const pieces = pull.platform.outlet.pieces(reply(`${"long ".repeat(3000)}end`));
      for (const shown of await showAll(pull, room, pieces, { ...ONCE, repeat: true })) refOf(shown);
      for (const { text } of await driver.seen("private")) expect(text.split("\n")[0]).toMatch(/repeat/u);
    });

    rewrites.run(
      `P34 T40: a quiet line opens into a list and closes again, as one message with its buttons${rewrites.why}`,
      async () => {
        const { driver, pull } = await setUp();
        const room = await roomOf(driver, pull, "private");
        const { outlet } = pull.platform;
        let edit: { edit?: string } = {};
        for (const form of [LINE, LIST, LINE, OTHER_LIST, LIST, LINE]) {
          const pieces = outlet.pieces(form);
          expect(pieces).toHaveLength(1);
          const [shown] = await showAll(pull, room, pieces, { ...ONCE, ...edit });
          const ref = refOf(shown);
          expect(edit.edit ?? ref).toBe(ref);
          edit = { edit: ref };
          const seen = await driver.seen("private");
          expect(seen).toHaveLength(1);
          expect(seen[0]).toMatchObject({ ref, inert: true, buttons: form.rows.flat().map(({ label }) => label) });
          expect(linesOf(seen[0]?.text ?? "")).toEqual(linesOf(form.text));
        }
      },
    );

    test("P34 T40: a message is opened by the address that the platform itself gives it, and what is none has none", async () => {
      const { driver, pull } = await setUp();
      const { outlet } = pull.platform;
      for (const where of lacks.shared === undefined ? (["private", "shared"] as const) : (["private"] as const)) {
        const said = await driver.say(where, "here it is");
        const { room, messageId } = await pull.message();
        expect(said ?? messageId).toBe(messageId);
        expect(outlet.link(room, messageId)).toBe(await driver.linkTo(where, messageId));
        const [shown] = await showAll(pull, room, outlet.pieces(reply("and here")));
        const ref = refOf(shown);
        expect(outlet.link(room, ref)).toBe(await driver.linkTo(where, ref));
        for (const none of NO_MESSAGES) expect(outlet.link(room, none)).toBeUndefined();
        // What can't be one stays where it is, and nothing of it gets into the address of another.
        const part = fc.oneof(fc.string(), fc.constantFrom(...NO_MESSAGES, messageId, room.chat));
        fc.assert(
          fc.property(fc.record({ chat: part, thread: fc.option(part, { nil: undefined }), id: part }), (given) => {
            const { thread: _, ...elsewhere } = { ...room, chat: given.chat };
            const place = given.thread === undefined ? elsewhere : { ...elsewhere, thread: given.thread };
            const link = outlet.link(place, given.id);
            if (link === undefined) return;
            expect(link).toMatch(
              /^https:\/\/[a-z.]+(?:\/(?:archives|channels|c|@me|p?\d+|[CDG][A-Z0-9]+))+(?:\?thread_ts=[\d.]+&cid=[A-Z0-9]+)?$/u,
            );
            expect(new URL(link).href).toBe(link);
          }),
        );
      }
    });

    test("T25: hints never throw and leave no message", async () => {
      const { driver, pull } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const { outlet } = pull.platform;
      expect(await outlet.hint(room, { kind: "typing" }, never)).toBeUndefined();
      for (const text of ["", "so **far", "so **far** `so", "x ".repeat(9000)])
        expect(await outlet.hint(room, { kind: "draft", key: "k", text }, never)).toBeUndefined();
      expect(await driver.seen("private")).toEqual([]);
    });

    test("T36: no secret is in any note, even when everything fails", async () => {
      const { driver, pull, lines } = await setUp();
      const room = await roomOf(driver, pull, "private");
      const { outlet, channel } = pull.platform;
      await driver[Symbol.asyncDispose]();
      const told: unknown[] = [await showAll(pull, room, outlet.pieces(reply("anyone?")))];
      told.push(await outlet.hint(room, { kind: "typing" }, never));
      await outlet.answer("ref", { words: "words" }, never);
      const thrown: unknown[] = [];
      await outlet.menu([{ name: "new", description: "New" }], never).catch((error: unknown) => thrown.push(error));
      const file: FileRef = { kind: "document", name: "n", mediaType: "text/plain", handle: "h" };
      await channel.fetch(file, join(await folder(), "f"), never).catch((error: unknown) => thrown.push(error));
      await pull.batch().catch((error: unknown) => thrown.push(error));
      const all = [...lines, JSON.stringify(told), ...thrown.map(everythingIn)].join("\n");
      for (const secret of driver.secrets) expect(all).not.toContain(secret);
    });
  });
}

/** Ids of our own, of a command or a file, and what could lead elsewhere. */
const NO_MESSAGES = [
  "",
  "0",
  "-5",
  " 1",
  "1 ",
  "1\n",
  "1.5",
  "1/2",
  "1?a=b",
  "1#a",
  "1&a",
  "../1",
  "٣",
  "１２",
  "0x10",
  "1e3",
  "start/1",
  "changes/1",
  "command:1700000000000.1",
  "ask:V01",
  "file:F01",
  "home:U01",
  "home",
  "1700000000.123",
  "1700000000.1234567",
  "https://example.com/",
  "__proto__",
  "9".repeat(40),
];

const LINE: Reply = reply("Looked through your chats · “a\\_b” · 8 chats", {
  quiet: true,
  rows: [[{ label: "Show", press: "key-show" }]],
});

/** As long as such a list gets, with links. */
const LIST: Reply = listOf(8, 70, ["Older", "Close"]);
const OTHER_LIST: Reply = listOf(5, 12, ["Back", "Newer", "Close"]);

function listOf(chats: number, length: number, below: readonly string[]): Reply {
  const blocks = Array.from({ length: chats }, (_, at) =>
    [
      `**${at + 1}.** Venue no\\. ${at + 1} · Telegram`,
      `you: ${"the \\*venue\\* and ".repeat(9).slice(0, length).trimEnd().replace(/\\$/u, "")}`,
      `assistant: [12 May](https://example.com/archives/C0${at}/p1700000000000100?thread_ts=1.2&cid=C0)`,
    ].join("\n"),
  );
  const numbers = blocks.map((_, at) => ({ label: `${at + 1}`, press: `key-${at}` }));
  return reply(["Looked through your chats", ...blocks].join("\n\n"), {
    quiet: true,
    rows: [numbers, below.map((label) => ({ label, press: `key-${label}` }))],
  });
}

/** The first words of each line, which no platform writes differently. */
function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replaceAll(/[\\*_[\]]/gu, "").slice(0, 12))
    .filter((line) => line.trim() !== "");
}

/** Numbered words, so that each has its place. */
function wordsIn(text: string): readonly string[] {
  return text.match(/w\d+/gu) ?? [];
}

/** Every kind of block around words that are told apart by their number. */
const markdown: fc.Arbitrary<string> = fc
  .array(
    fc.record({
      kind: fc.constantFrom("words", "bold", "code", "list", "steps", "quote", "heading", "link", "rule", "half"),
      length: fc.oneof({ weight: 5, arbitrary: fc.nat(12) }, fc.nat(900)),
    }),
    { maxLength: 12 },
  )
  .map((blocks) => {
    let next = 0;
    const words = (length: number): string[] => Array.from({ length: length + 1 }, () => `w${(next += 1)}`);
    return blocks
      .map(({ kind, length }) => {
        const all = words(length);
        const lines = all.join("\n");
        switch (kind) {
          case "bold":
            return `**${all.join(" ")}** and _${words(1).join(" ")}_`;
          case "code":
            return `\`\`\`ts\n${lines}\n\`\`\``;
          case "list":
            return all.map((word, at) => `${at % 3 === 2 ? "  " : ""}- ${word}`).join("\n");
          case "steps":
            return all.map((word, at) => `${at + 1}. ${word} \`${words(0).join("")}\``).join("\n");
          case "quote":
            return `> ${all.join(" ")}\n> <@U1> @everyone`;
          case "heading":
            return `## ${all.slice(0, 5).join(" ")}\n\n${all.slice(5).join(" ")}`;
          case "link":
            return `[${all.join(" ")}](https://example.com/a_b)`;
          case "rule":
            return `---\n\n${all.join(" ")}`;
          case "half":
            return `**${all.join(" ")} \`x`;
          default:
            return all.join(" ");
        }
      })
      .join("\n\n");
  });

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "channel-contract-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

export function fileIn(message: Extract<Inbound, { kind: "message" }>): FileRef {
  const part = message.parts.find((one) => one.kind === "file");
  if (part === undefined) throw new Error("The message holds no file.");
  return part.file;
}

/** All that an error says, with everything it carries. */
export function everythingIn(thrown: unknown, depth = 0): string {
  if (depth > 5 || typeof thrown !== "object" || thrown === null) return String(thrown);
  return Object.getOwnPropertyNames(thrown)
    .map((name) => `${name}: ${everythingIn((thrown as Record<string, unknown>)[name], depth + 1)}`)
    .join("\n");
}
