// A chat platform that plays its part badly on purpose: it repeats updates, cuts connections, asks to wait, stores and then does
// not say so. It remembers all that was ever visible on it.
import type { Channel, ChannelLimits, Hint, Inbound, Outlet, Platform, RawUpdate } from "../../src/core/channel.ts";
import { GatewayError } from "../../src/core/error.ts";
import { roomKey, type Room } from "../../src/core/message.ts";
import type { Piece, Reply, Showing, Shown } from "../../src/core/reply.ts";
import type { Clock } from "../../src/core/surroundings.ts";
import type { VirtualClock } from "./clock.ts";
import type { Dice } from "./dice.ts";
import type { Gate } from "./gate.ts";

/** What a piece of this platform holds. */
type Body = {
  readonly key: string;
  readonly index: number;
  readonly text: string;
  readonly presses: readonly string[];
};

/** A message as it stood at some time. */
type Version = Body & { readonly at: number; readonly repeat: boolean; readonly plain: boolean };

/** A message of ours on the platform. */
export type Standing = { readonly ref: string; readonly nonce: string; room: Room; readonly versions: Version[] };

/** One try to show something, and what came of it there. */
export type Try = {
  readonly key: string;
  readonly index: number;
  readonly nonce: string;
  readonly room: string;
  readonly text: string;
  readonly edit: boolean;
  readonly begunAt: number;
  /** Which life of the gateway tried. */
  readonly gate: Gate;
  readonly nth: number;
  /** When it was stored, in the order of everything that was. */
  storedAt?: number;
  /** What the gateway was told, and when; left out: it never learned. */
  told?: Shown["is"];
  toldAt?: number;
  /** It was asked to leave the chat alone until then. */
  waitUntil?: number;
  goneEdit?: boolean;
};

/** A hint that was shown. */
export type Hinted = { readonly key: string; readonly nth: number; readonly at: number };

const PIECE_UNITS = 60;
const NAME = "sim";

/** The platform. It lives on while gateways come and go. */
export class PlayedPlatform {
  readonly standing: Standing[] = [];
  readonly tries: Try[] = [];
  readonly hints: Hinted[] = [];
  readonly answers: { readonly ref: string; readonly words: string | undefined }[] = [];
  /** True while it misbehaves. */
  faulty = true;
  readonly #clock: VirtualClock;
  readonly #dice: Dice;
  readonly #trace: (line: string) => void;
  readonly #limits: ChannelLimits;
  readonly #looksUp: boolean;
  #updates: { readonly key: string; readonly raw: Inbound | { readonly malformed: true } }[] = [];
  readonly #acknowledged: RawUpdate[] = [];
  readonly #moved = new Map<string, string>();
  #arrived = Promise.withResolvers<void>();
  #nth = 0;
  #lastRef = 0;

  constructor(clock: VirtualClock, dice: Dice, trace: (line: string) => void) {
    this.#clock = clock;
    this.#dice = dice;
    this.#trace = trace;
    this.#looksUp = dice.chance(0.25);
    const pace = dice.chance(0.5)
      ? { perChatMs: 1000, perGroupPerMinute: 20, perSecond: 30, draftMs: 1000 }
      : { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, draftMs: 300 };
    this.#limits = {
      joins: true,
      nearLimitUnits: 4000,
      drafts: { private: dice.one(["native", "none", "edit"] as const) ?? "native", shared: "edit" },
      growingUnits: 2000,
      commandPrefix: "/",
      forms: false,
      keyboard: false,
      copies: false,
      typingMs: 5000,
      maxFileBytes: 1,
      pace,
    };
  }

  /** Something happens here that the gateway is to be told of. */
  push(raw: Inbound | { readonly malformed: true }): string {
    const key = `u${this.#acknowledged.length + this.#updates.length + 1}`;
    this.#updates.push({ key, raw });
    this.#trace(`update ${key} ${JSON.stringify(raw)}`);
    this.#arrived.resolve();
    return key;
  }

  /** Whether everything was taken. */
  get drained(): boolean {
    return this.#updates.length === 0;
  }

  /** The chat has a new id from now on. */
  move(from: string, to: string): void {
    this.#moved.set(from, to);
    for (const one of this.standing) if (one.room.chat === from) one.room = { ...one.room, chat: to };
  }

  /** The chat's id now. */
  chatNow(chat: string): string {
    return this.#moved.get(chat) ?? chat;
  }

  /** Both ports, as one run of the gateway gets them. */
  connect(clock: Clock, gate: Gate): Platform {
    return { channel: this.#channel(clock, gate), outlet: this.#outlet(clock, gate) };
  }

  #channel(clock: Clock, gate: Gate): Channel {
    // oxlint-disable-next-line typescript/no-this-alias -- a generator can't be an arrow function
    const platform = this;
    return {
      name: NAME,
      limits: this.#limits,
      async *inbound(signal) {
        await clock.sleep(platform.#latency(), signal);
        if (platform.#misbehaves(0.1)) throw new GatewayError("channel-unreachable");
        yield [];
        while (!signal.aborted) {
          if (platform.#updates.length === 0) {
            platform.#arrived = Promise.withResolvers<void>();
            const ended = Promise.withResolvers<void>();
            const end = (): void => ended.resolve();
            signal.addEventListener("abort", end, { once: true });
            await gate.pass(Promise.race([platform.#arrived.promise, ended.promise]));
            signal.removeEventListener("abort", end);
          }
          if (signal.aborted) return;
          await clock.sleep(platform.#latency(), signal);
          if (platform.#misbehaves(0.05)) throw new GatewayError("channel-unreachable");
          const taken = platform.#updates.slice(0, platform.#dice.from(1, 4));
          const batch: RawUpdate[] = taken.map((one) => ({ key: one.key, raw: one.raw }));
          const old = platform.#dice.one(platform.#acknowledged);
          if (old !== undefined && platform.#misbehaves(0.1))
            batch.splice(platform.#dice.below(batch.length + 1), 0, old);
          if (batch[0] !== undefined && platform.#misbehaves(0.05)) batch.push(batch[0]);
          platform.#trace(`pull ${batch.map((one) => one.key).join(" ")}`);
          yield batch;
          // Asking for more is what acknowledges; that may be lost too, and then all of these come again.
          await clock.sleep(platform.#latency(), signal);
          if (platform.#misbehaves(0.05)) throw new GatewayError("channel-unreachable");
          platform.#updates = platform.#updates.slice(taken.length);
          platform.#acknowledged.push(...taken);
        }
      },
      read: (raw) =>
        typeof raw === "object" && raw !== null && "kind" in raw
          ? (raw as Inbound)
          : { kind: "malformed", problem: "no kind" },
      fetch: async () => await Promise.reject(new GatewayError("file-unavailable")),
      invite: () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  #outlet(clock: Clock, gate: Gate): Outlet {
    return {
      name: NAME,
      pieces: (reply) => piecesOf(reply),
      show: async (room, piece, how, signal) =>
        await this.#show(clock, gate, room, piece, how, AbortSignal.any([signal, gate.signal])),
      hint: async (room, hint, signal) => await this.#hint(clock, room, hint, signal),
      answer: async (ref, answer, signal) => {
        const words = answer !== undefined && "words" in answer ? answer.words : undefined;
        await clock.sleep(this.#latency(), signal).catch(() => undefined);
        this.answers.push({ ref, words });
        this.#trace(`answer ${ref} ${words ?? ""}`);
      },
      recover: async (_room, { nonce }, signal) => {
        await clock.sleep(this.#latency(), signal).catch(() => undefined);
        if (!this.#looksUp) return { is: "unknowable" };
        // It knows what it was sent, stored already or not.
        while (this.#underWay.has(nonce)) await clock.sleep(100);
        const found = this.#byNonce.get(nonce);
        return found === undefined ? { is: "absent" } : { is: "shown", ref: found };
      },
      link: () => undefined,
      menu: async (_items, signal) => {
        await clock.sleep(this.#latency(), signal).catch(() => undefined);
        if (signal.aborted || this.#misbehaves(0.2)) throw new GatewayError("channel-unreachable");
      },
    };
  }

  readonly #byNonce = new Map<string, string>();
  readonly #underWay = new Set<string>();

  async #hint(
    clock: Clock,
    room: Room,
    hint: Hint,
    signal: AbortSignal,
  ): Promise<Extract<Shown, { is: "wait" }> | undefined> {
    this.#nth += 1;
    if (hint.kind === "draft") this.hints.push({ key: hint.key, nth: this.#nth, at: this.#clock.now() });
    this.#trace(`hint ${roomKey(room)} ${hint.kind === "draft" ? `${hint.key} ${hint.text}` : hint.kind}`);
    await clock.sleep(this.#latency(), signal).catch(() => undefined);
    return this.#misbehaves(0.05) ? { is: "wait", waitMs: this.#dice.from(500, 8000), why: "too-fast" } : undefined;
  }

  async #show(clock: Clock, gate: Gate, room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> {
    const body = piece.body as Body;
    this.#nth += 1;
    const tried: Try = {
      key: body.key,
      index: body.index,
      nonce: how.nonce,
      room: roomKey(room),
      text: body.text,
      edit: how.edit !== undefined,
      begunAt: this.#clock.now(),
      gate,
      nth: this.#nth,
    };
    this.tries.push(tried);
    this.#trace(
      `show ${tried.room} ${body.key}/${body.index} ${JSON.stringify(body.text)}${how.edit === undefined ? "" : ` edit ${how.edit}`}${how.repeat ? " repeat" : ""}${how.plain ? " plain" : ""}`,
    );
    const told = await this.#outcome(clock, room, body, how, tried, signal);
    tried.told = told.is;
    tried.toldAt = this.#clock.now();
    if (told.is === "wait" && told.why === "too-fast") tried.waitUntil = this.#clock.now() + told.waitMs;
    this.#trace(`shown ${body.key}/${body.index} ${JSON.stringify(told)}`);
    return told;
  }

  async #outcome(clock: Clock, room: Room, body: Body, how: Showing, tried: Try, signal: AbortSignal): Promise<Shown> {
    const slow = this.#misbehaves(0.04);
    const thereMs = slow ? this.#dice.from(3000, 20_000) : this.#latency();
    const backMs = this.#latency();
    const kind = this.faulty
      ? this.#dice.weighted({
          shown: 76,
          fast: 6,
          unreachable: 3,
          stored: 5,
          lost: 4,
          unparsed: 3,
          other: 1,
          unauthorized: 0.5,
          noEdit: 1.5,
        })
      : "shown";
    const wait = async (ms: number): Promise<boolean> => {
      try {
        await clock.sleep(ms, signal);
        return true;
      } catch {
        return false;
      }
    };
    if (kind === "unreachable")
      return (await wait(thereMs)) ? { is: "wait", waitMs: 0, why: "unreachable" } : { is: "unknown" };
    if (kind === "lost") {
      await wait(thereMs);
      return { is: "unknown" };
    }
    // What has left reaches the platform whatever becomes of who sent it, unless the connection was cut with half of it.
    let result: Shown = { is: "unknown" };
    const arrived = Promise.withResolvers<void>();
    if (how.edit === undefined) this.#underWay.add(how.nonce);
    const arrive = (): void => {
      signal.removeEventListener("abort", cut);
      this.#underWay.delete(how.nonce);
      result = this.#receive(room, body, how, tried, kind);
      arrived.resolve();
    };
    const cancel = this.#clock.after(thereMs, arrive);
    const cut = (): void => {
      cancel();
      if (this.#dice.chance(0.5)) arrive();
      else this.#underWay.delete(how.nonce);
    };
    signal.addEventListener("abort", cut, { once: true });
    if (!(await wait(thereMs + backMs))) return { is: "unknown" };
    await arrived.promise;
    return kind === "stored" ? { is: "unknown" } : result;
  }

  /** The platform's own side. */
  #receive(room: Room, body: Body, how: Showing, tried: Try, kind: string): Shown {
    const chat = this.#moved.get(room.chat);
    if (chat !== undefined) return { is: "moved", chat };
    if (kind === "fast") return { is: "wait", waitMs: this.#dice.from(500, 8000), why: "too-fast" };
    if (kind === "unauthorized") return { is: "refused", why: "unauthorized", detail: "played" };
    if (kind === "unparsed" && !how.plain) return { is: "refused", why: "not-parseable", detail: "played" };
    if (kind === "other" && !how.plain) return { is: "refused", why: "other", detail: "played" };
    this.#nth += 1;
    const version: Version = { ...body, at: this.#clock.now(), repeat: how.repeat, plain: how.plain };
    if (how.edit === undefined) {
      this.#lastRef += 1;
      const ref = `r${this.#lastRef}`;
      this.standing.push({ ref, nonce: how.nonce, room, versions: [version] });
      this.#byNonce.set(how.nonce, ref);
      tried.storedAt = this.#nth;
      this.#trace(`stored ${ref} ${body.key}/${body.index}`);
      return { is: "shown", ref };
    }
    const there = this.standing.find((one) => one.ref === how.edit);
    if (there === undefined || kind === "noEdit") {
      tried.goneEdit = true;
      return { is: "refused", why: "edit-gone", detail: "played" };
    }
    tried.storedAt = this.#nth;
    const last = there.versions.at(-1);
    if (last?.text === body.text && last.presses.join(" ") === body.presses.join(" "))
      return { is: "refused", why: "unchanged", detail: "played" };
    there.versions.push(version);
    this.#trace(`edited ${there.ref} ${body.key}/${body.index}`);
    return { is: "shown", ref: there.ref };
  }

  #latency(): number {
    return this.#dice.from(5, 120);
  }

  #misbehaves(probability: number): boolean {
    return this.#dice.chance(probability) && this.faulty;
  }
}

/** The messages of a reply here: short ones, so that an answer is often several. */
export function piecesOf(reply: Reply): readonly Piece[] {
  const texts: string[] = [];
  for (let at = 0; at < reply.text.length; at += PIECE_UNITS) texts.push(reply.text.slice(at, at + PIECE_UNITS));
  const presses = reply.rows.flatMap((row) => row.flatMap((button) => ("press" in button ? [button.press] : [])));
  return texts.map((text, index) => {
    const body: Body = { key: reply.key, index, text, presses: index === texts.length - 1 ? presses : [] };
    return { body, plain: text };
  });
}
