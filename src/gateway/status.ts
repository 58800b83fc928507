// What /status says of the gateway as a whole: channels, what waits, what could not be shown.
import type { Store } from "../store/port.ts";
import type { Queue } from "./queue.ts";
import type { ChannelState } from "./supervise.ts";

const STATE_WORDS: Readonly<Record<ChannelState["state"], string>> = {
  connecting: "connecting",
  connected: "connected",
  retrying: "not connected, trying again",
  stopped: "stopped",
  ended: "ended",
};

/** A platform as people write it. */
export function channelName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Lines about the gateway as a whole. */
export async function statusLines(
  states: readonly ChannelState[],
  { store, queue }: { readonly store: Store; readonly queue: Queue },
): Promise<readonly string[]> {
  const { planned, unknown, refused } = await store.outbox.counts();
  const count = (number: number, one: string, many: string): readonly string[] =>
    number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`];
  return [
    ...states.map(
      (one) => `${channelName(one.name)}: ${STATE_WORDS[one.state]}${one.words === undefined ? "" : `. ${one.words}`}`,
    ),
    ...count(planned + unknown, "message waits to be shown", "messages wait to be shown"),
    ...count(
      refused,
      "message could not be shown in the last 7 days",
      "messages could not be shown in the last 7 days",
    ),
    ...(queue.count > 1 ? [`Answers being written in all chats: ${queue.count}`] : []),
  ];
}
