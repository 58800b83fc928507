// Made-up chats as entries of a log.
import type { EntryBody } from "../../src/core/conversation.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import type { Change } from "../../src/store/port.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
/** Real time, and nobody who reads notes. */
export const SURROUNDINGS: Surroundings = { clock: realClock, random: realRandom, log: silent };

/** Who says it; a guest for `them`. */
export type Speaker = "you" | "assistant" | "them";

/** Opens a chat of the owner's. */
export function opening(id: string, nth: number, at: number): Change {
  const room = { platform: "telegram", chat: String(5_000_000 + nth), kind: "private" } as const;
  return { do: "open", id, room, person: "telegram/1001", title: `Chat ${nth}`, at };
}

/** One message or one part of an answer. `nth` is unique among them all. */
export function utterance(conversation: string, who: Speaker, text: string, nth: number, at: number): Change {
  return { do: "append", conversation, at, body: bodyOf(who, text, nth, at) };
}

function bodyOf(who: Speaker, text: string, nth: number, at: number): EntryBody {
  if (who === "assistant") return { kind: "text", turn: `turn-${nth}`, part: 0, text };
  const from =
    who === "you"
      ? ({ platform: "telegram", id: "1001", name: "Sam", role: "owner" } as const)
      : ({ platform: "telegram", id: "2002", name: "Ana", role: "guest" } as const);
  const messageId = String(nth);
  const origin = { kind: "own" } as const;
  return {
    kind: "message",
    message: { from, at, ids: [messageId], parts: [{ kind: "text", messageId, origin, text }] },
  };
}
