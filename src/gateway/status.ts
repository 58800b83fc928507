// How the gateway does as a whole, as /status says it, and the page that the app has for itself on a platform.
import type { Inbound } from "../core/channel.ts";
import type { Entry } from "../core/conversation.ts";
import { platformName } from "../core/message.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { ERRORS } from "../core/error.ts";
import type { IndexState, Search } from "../search/port.ts";
import type { Store } from "../store/port.ts";
import { inPlatformsWords } from "./command-words.ts";
import type { People } from "./people.ts";
import type { Way } from "./plans.ts";
import type { Queue } from "./queue.ts";
import type { ChannelState } from "./supervise.ts";

const STATE_WORDS: Readonly<Record<ChannelState["state"], string>> = {
  connecting: "connecting",
  connected: "connected",
  retrying: "not connected, trying again",
  stopped: "stopped",
  ended: "ended",
};

/** How a chat is: `awaiting-permission` where its turn waits for a person, for leave or for an answer. */
export type ChatStatus = "idle" | "running" | "awaiting-permission";

/** The same in words. */
export const STATUS_WORDS: Readonly<Record<ChatStatus, string>> = {
  idle: "nothing is running",
  running: "answering",
  "awaiting-permission": "waits for you",
};

type Waits = { readonly live: readonly { readonly conversation: string; readonly held?: true }[] };

/** Whether a turn of a conversation waits for a person now. */
export function isWaiting(conversation: string, waits: readonly Waits[]): boolean {
  return waits.some(({ live }) => live.some((one) => one.conversation === conversation && one.held !== true));
}

/** How a chat is now. What outlived its turn waits as well, while nothing else runs. */
export function statusOf(
  conversation: string,
  { queue, waits }: { readonly queue: Pick<Queue, "running">; readonly waits: readonly Waits[] },
): ChatStatus {
  if (isWaiting(conversation, waits)) return "awaiting-permission";
  if (queue.running(conversation) !== undefined) return "running";
  return waits.some(({ live }) => live.some((one) => one.conversation === conversation))
    ? "awaiting-permission"
    : "idle";
}

/** How a chat is by the newest entries of its log: for whoever reads along from outside. */
export function statusIn(entries: readonly Entry[]): ChatStatus {
  let running = false;
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.kind === "turn-started") running = true;
    else if (entry.kind === "turn-ended") running = false;
    else if (entry.kind === "answered") open.delete(entry.card);
    else if (entry.kind === "asked" && (entry.card.kind === "approval" || entry.card.kind === "question")) {
      running = true;
      open.add(entry.card.id);
    }
  }
  // A card may outlive its turn.
  if (open.size > 0) return "awaiting-permission";
  return running ? "running" : "idle";
}

/** Lines about the gateway as a whole. */
export async function statusLines(
  states: readonly ChannelState[],
  {
    store,
    queue,
    search,
    waits,
  }: {
    readonly store: Store;
    readonly queue: Queue;
    readonly search: Pick<Search, "state">;
    readonly waits: readonly Waits[];
  },
): Promise<readonly string[]> {
  const { planned, unknown, refused } = await store.outbox.counts();
  const count = (number: number, one: string, many: string): readonly string[] =>
    number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`];
  return [
    ...states.map(
      (one) => `${platformName(one.name)}: ${STATE_WORDS[one.state]}${one.words === undefined ? "" : `. ${one.words}`}`,
    ),
    ...count(planned + unknown, "message waits to be shown", "messages wait to be shown"),
    ...count(
      refused,
      "message could not be shown in the last 7 days",
      "messages could not be shown in the last 7 days",
    ),
    ...indexLine(search.state()),
    ...count(new Set(waits.flatMap(({ live }) => live.map((one) => one.conversation))).size, ...WAITING),
    ...(queue.count > 1 ? [`Answers being written in all chats: ${queue.count}`] : []),
  ];
}

const WAITING = ["chat waits for an answer", "chats wait for an answer"] as const;

function indexLine(state: IndexState): readonly string[] {
  if (state.is === "ready") return [];
  if (state.is === "broken") return [ERRORS["search-broken"]];
  return [
    `Earlier chats can't be looked through yet: their index is being built, ${Math.floor(state.share * 100)} % done`,
  ];
}

/** What the page is made from. */
export type HomeParts = {
  readonly ways: ReadonlyMap<string, Way>;
  readonly people: People;
  /** Lines about the gateway as a whole. */
  readonly statusLines: () => Promise<readonly string[]>;
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
};

const NOT_IN = "I talk with one person, and with those they let in. Write to me under Messages to ask for that.";
const GUEST = "Write to me under Messages, and I answer there.";

/** Draws the page anew each time it is opened. Losing one is harmless: the next opening draws it again. */
export async function showHome(
  { ways, people, statusLines, surroundings, signal }: HomeParts,
  { room, from }: Extract<Inbound, { kind: "home" }>,
): Promise<void> {
  const way = ways.get(room.platform);
  if (way === undefined) return;
  const { standing } = people.who(room.platform, from, room);
  if (standing === "nobody" || standing === "blocked") return;
  const words =
    standing === "owner"
      ? ["**How things stand**", ...(await statusLines()), "", "Write to me under Messages. /help lists what I can do."]
      : [standing === "guest" ? GUEST : NOT_IN];
  const text = inPlatformsWords(words.join("\n\n"), way.limits.commandPrefix);
  const key = `home/${room.chat}`;
  const how = { plain: false, repeat: false, nonce: surroundings.random.key(9) };
  for (const piece of way.outlet.pieces({ key, text, rows: [], quiet: false }).slice(0, 1)) {
    const shown = await way.outlet.show(room, piece, how, signal);
    if (shown.is !== "shown")
      surroundings.log.debug({ platform: room.platform, is: shown.is }, "the home page isn't drawn");
  }
}
