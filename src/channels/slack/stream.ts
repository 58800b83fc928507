// Texts that grow by Slack's own streams, in threads of private chats. Slack ends a stream after some minutes, and a reader may end it
// as well; a message whose stream has ended is an ordinary one and goes on by updates.
import type { Room } from "../../core/message.ts";
import type { Shown } from "../../core/reply.ts";
import { isTooFast, isUnsent, shownOf } from "./client.ts";
import type { Client, Failure } from "./client.ts";

/** What a stream still takes: chunks of text hold 12,000 characters (docs.slack.dev/reference/methods/chat.appendStream). */
const MAX_STREAMED_UNITS = 12_000;
/** Streams that nobody ended; an old one has been closed by Slack long since. */
const MOST_OPEN = 200;
const LIMIT_MS = 30_000;

export type Streams = {
  /** A new message that grows. */
  start(room: Room, markdown: string, signal: AbortSignal): Promise<Shown>;
  /** Whether that message is one that streams. */
  has(room: Room, ref: string): boolean;
  /** The text so far. Undefined: it doesn't go on from what stands there, or the stream has ended; then the message takes an update. */
  grow(room: Room, ref: string, markdown: string, signal: AbortSignal): Promise<Shown | undefined>;
  /** Ends the stream. Undefined: the message takes an update now. */
  end(room: Room, ref: string, signal: AbortSignal): Promise<Shown | undefined>;
};

export function openStreams(client: Client): Streams {
  const { api } = client;
  /** By place and message: the text that was streamed. */
  const open = new Map<string, string>();
  const keyOf = (room: Room, ref: string): string => `${room.chat}/${ref}`;
  const chunk = (text: string): { type: "markdown_text"; text: string }[] => [{ type: "markdown_text", text }];

  const end = async (room: Room, ref: string, signal: AbortSignal): Promise<Shown | undefined> => {
    const result = await client.call(LIMIT_MS, signal, () => api.chat.stopStream({ channel: room.chat, ts: ref }));
    // Ended already, by Slack or by its reader, is ended too. Unsure: the update says, and if it is refused it is ended once more.
    if (!result.ok && (isUnsent(result.failure) || isTooFast(result.failure))) return shownOf(result.failure, ref);
    open.delete(keyOf(room, ref));
    return undefined;
  };

  return {
    has: (room, ref) => open.has(keyOf(room, ref)),
    async start(room, markdown, signal) {
      const { chat: channel, thread = "" } = room;
      const text = steady(markdown);
      const result = await client.call(LIMIT_MS, signal, () =>
        api.chat.startStream({
          channel,
          thread_ts: thread,
          ...(text === "" ? {} : { chunks: chunk(text) }),
        }),
      );
      if (!result.ok) return shownOf(result.failure, undefined);
      const { ts } = result.value;
      if (!ts) return { is: "unknown" };
      if (open.size >= MOST_OPEN) open.delete(open.keys().next().value ?? "");
      open.set(keyOf(room, ts), text);
      return { is: "shown", ref: ts };
    },
    async grow(room, ref, markdown, signal) {
      const there = open.get(keyOf(room, ref)) ?? "";
      const text = steady(markdown);
      // What is held back now may have been less before.
      if (there.startsWith(text)) return { is: "shown", ref };
      if (!text.startsWith(there) || text.length > MAX_STREAMED_UNITS) return await end(room, ref, signal);
      const more = text.slice(there.length);
      const result = await client.call(LIMIT_MS, signal, () =>
        api.chat.appendStream({ channel: room.chat, ts: ref, chunks: chunk(more) }),
      );
      if (result.ok) {
        open.set(keyOf(room, ref), text);
        return { is: "shown", ref };
      }
      return await after(result.failure, room, ref, signal);
    },
    end,
  };

  /** A part that may have arrived would be doubled by a repeat; an update sets the whole text. */
  async function after(failure: Failure, room: Room, ref: string, signal: AbortSignal): Promise<Shown | undefined> {
    if (isUnsent(failure) || isTooFast(failure)) return shownOf(failure, ref);
    if (failure.kind === "no-answer") return await end(room, ref, signal);
    open.delete(keyOf(room, ref));
    return undefined;
  }
}

/**
 * The part of a growing text that will stay as it is: a sign that is escaped only because its partner has not been written yet
 * would have to be taken back, and a stream takes nothing back.
 */
export function steady(markdown: string): string {
  const paragraph = markdown.lastIndexOf("\n\n") + 1;
  const open = markdown.slice(paragraph).search(/\\[*_`[~|]/u);
  return open === -1 ? markdown : markdown.slice(0, paragraph + open);
}
