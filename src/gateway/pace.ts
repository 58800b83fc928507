// How long to wait before the next message to a chat, by the platform's rates.
import type { Pace } from "../core/channel.ts";
import { roomKey, type Room } from "../core/message.ts";
import type { Clock } from "../core/surroundings.ts";

const MINUTE_MS = 60_000;
const COSMETIC_SHARE = 0.7;
/** Past this many remembered chats, those that no longer matter are forgotten. */
const MANY_CHATS = 1000;

/** Keeps to a platform's rates over all chats. Edits count as messages do; a chat's threads share its rate. */
export class Pacer {
  readonly #pace: Pace;
  readonly #clock: Clock;
  /** When each chat was last sent something, newest last. */
  readonly #sent = new Map<string, number[]>();
  /** Chats that the platform asked to leave alone, until when. */
  readonly #paused = new Map<string, number>();
  #second: number[] = [];

  constructor(pace: Pace, clock: Clock) {
    this.#pace = pace;
    this.#clock = clock;
  }

  /** Milliseconds until something may be sent there; 0 is now. `cosmetic` leaves a part of a group's minute to what must arrive. */
  waitMs(room: Room, cosmetic = false): number {
    const now = this.#clock.now();
    const { perChatMs, perGroupPerMinute, perSecond } = this.#pace;
    const sent = this.#sent.get(chatKey(room)) ?? [];
    const last = sent.at(-1);
    let until = this.#paused.get(chatKey(room)) ?? 0;
    if (perChatMs > 0 && last !== undefined) until = Math.max(until, last + perChatMs);
    const perMinute = cosmetic ? cosmeticPerMinute(perGroupPerMinute) : perGroupPerMinute;
    if (room.kind === "shared" && perGroupPerMinute > 0 && sent.length >= perMinute) {
      until = Math.max(until, (sent[sent.length - perMinute] ?? 0) + MINUTE_MS);
    }
    if (perSecond > 0 && this.#second.length >= perSecond) {
      until = Math.max(until, (this.#second[this.#second.length - perSecond] ?? 0) + 1000);
    }
    return Math.max(0, until - now);
  }

  /** Something is being sent there now. */
  took(room: Room): void {
    const now = this.#clock.now();
    const { perChatMs, perGroupPerMinute, perSecond } = this.#pace;
    if (perSecond > 0) {
      this.#second.push(now);
      if (this.#second.length > 2 * perSecond) this.#second = this.#second.slice(-perSecond);
    }
    if (perChatMs === 0 && perGroupPerMinute === 0) return;
    const key = chatKey(room);
    const sent = this.#sent.get(key) ?? [];
    sent.push(now);
    const keep = Math.max(1, room.kind === "shared" ? perGroupPerMinute : 1);
    this.#sent.set(key, sent.length > keep ? sent.slice(-keep) : sent);
    if (this.#sent.size > MANY_CHATS) this.#forget(now);
  }

  /** The platform asked for a pause in that chat. It never ends an earlier, longer one. */
  pause(room: Room, waitMs: number): void {
    const key = chatKey(room);
    this.#paused.set(key, Math.max(this.#paused.get(key) ?? 0, this.#clock.now() + waitMs));
  }

  #forget(now: number): void {
    for (const [key, sent] of this.#sent) if ((sent.at(-1) ?? 0) < now - MINUTE_MS) this.#sent.delete(key);
    for (const [key, until] of this.#paused) if (until < now) this.#paused.delete(key);
  }
}

/** Of a group's messages a minute, how many may be edits of a text under way. */
export function cosmeticPerMinute(perGroupPerMinute: number): number {
  return Math.max(1, Math.floor(perGroupPerMinute * COSMETIC_SHARE));
}

function chatKey(room: Room): string {
  return roomKey({ platform: room.platform, chat: room.chat, kind: room.kind });
}
