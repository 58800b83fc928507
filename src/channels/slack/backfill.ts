// What was written while nobody listened, from the conversations' own history: every private chat with the bot, and every place that
// was heard before, with their threads. Slack itself gives up on an event after a few tries.
import type { Since } from "../../core/channel.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { channelError, describeFailure, isTooFast } from "./client.ts";
import type { Client, Outcome } from "./client.ts";

/** A message as it would have come live. */
export type Missed = { readonly ts: string; readonly event: Record<string, unknown> };

const CALL_LIMIT_MS = 15_000;
/** Calls at the same time; the platform allows about 50 a minute of each kind. */
const SIDE_BY_SIDE = 4;
const PAGE = 200;
/** Of one place only so many pages are read. */
const MOST_PAGES = 10;
const MOST_CHATS = 400;
/** Of marked threads only the newest are asked for; an older one shows in its place's history when it has an answer. */
const MOST_THREADS = 50;
const TRIES = 4;
const LONGEST_WAIT_MS = 60_000;
const TRY_AGAIN_MS = 1000;
/** Clocks differ, and what was heard last need not be what was written last. */
const MARGIN_MS = 60_000;
/** No place is read back further than this before the last update of all, however old its mark: until then all was delivered. */
const MOST_BACK_MS = 24 * 60 * 60_000;

type Message = Readonly<Record<string, unknown>> & { readonly ts: string };

/** All that was missed since then, oldest first. Throws a GatewayError when it can't be read now; a place that is closed to the bot is left out. */
export async function readMissed(
  client: Client,
  since: Since,
  { clock, log }: Pick<Surroundings, "clock" | "log">,
  signal: AbortSignal,
): Promise<readonly Missed[]> {
  const { marks, heardAt } = since;
  if (marks.size === 0 && heardAt === undefined) return [];
  const { api } = client;
  const start = heardAt === undefined ? undefined : stampOf(heardAt - MARGIN_MS);
  const floor = heardAt === undefined ? "" : stampOf(heardAt - MOST_BACK_MS);

  /** Undefined: closed to the bot, or stopped. */
  const ask = async <T>(method: string, run: () => Promise<T>): Promise<T | undefined> => {
    for (let tries = 1; !signal.aborted; tries++) {
      const result: Outcome<T> = await client.call(CALL_LIMIT_MS, signal, run);
      if (result.ok) return result.value;
      if (signal.aborted) return undefined;
      const { failure } = result;
      const tooFast: boolean = isTooFast(failure);
      if (failure.kind === "refused" && !tooFast && !PASSING.has(failure.code)) {
        const error = channelError(method, failure);
        // The token is refused, and so will everything else be.
        if (error.code === "channel-unauthorized" && failure.code !== "missing_scope") throw error;
        log.info(
          { method, why: describeFailure(failure) },
          "Slack shows no history of a place; what was missed there stays so.",
        );
        return undefined;
      }
      if (tries >= TRIES) throw channelError(method, failure);
      const waitMs = isTooFast(failure)
        ? Math.min(failure.retryAfterMs ?? TRY_AGAIN_MS, LONGEST_WAIT_MS)
        : TRY_AGAIN_MS;
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
    return undefined;
  };

  const chats = async (): Promise<readonly string[]> => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask("users.conversations", () =>
        api.users.conversations({ types: "im", exclude_archived: true, limit: PAGE, ...(cursor ? { cursor } : {}) }),
      );
      for (const { id } of page?.channels ?? []) if (id) found.push(id);
      cursor = page?.response_metadata?.next_cursor || undefined;
    } while (cursor !== undefined && found.length < MOST_CHATS);
    if (cursor !== undefined)
      log.warn({ chats: found.length }, "There are more private chats than are looked through for what was missed.");
    return found;
  };

  const missed: Missed[] = [];
  const threads = new Map<string, string>();
  /** How far the threads that were seen on the way go. */
  const answered = new Map<string, string>();
  const note = (channel: string, message: Message): void => {
    // Written to others while it was heard, and changed: an edit starts nothing.
    if (message["edited"] && start !== undefined && message.ts < start && !channel.startsWith("D")) return;
    missed.push({ ts: message.ts, event: { ...message, type: "message", channel } });
  };

  /** The newest messages are read whatever their age, for their threads that were answered since. */
  const readPlace = async (channel: string, oldest: string): Promise<void> => {
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await ask("conversations.history", () =>
        api.conversations.history({ channel, limit: PAGE, ...(cursor ? { cursor } : {}) }),
      );
      const messages = messagesOf(page?.messages);
      for (const message of messages) {
        if (message.ts > oldest) note(channel, message);
        const { latest_reply: latest, ts } = message;
        const thread = `${channel}/${ts}`;
        answered.set(thread, typeof latest === "string" ? latest : "");
        if (typeof latest === "string" && latest > oldest && !marks.has(thread)) threads.set(thread, start ?? oldest);
      }
      cursor = page?.response_metadata?.next_cursor || undefined;
      const last = messages.at(-1);
      if (cursor === undefined || last === undefined || last.ts <= oldest) return;
    }
    log.warn(
      { place: channel, messages: PAGE * MOST_PAGES },
      "More was missed in a Slack conversation than is read back.",
    );
  };

  const readThread = async (channel: string, ts: string, oldest: string): Promise<void> => {
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const page = await ask("conversations.replies", () =>
        api.conversations.replies({ channel, ts, oldest, limit: PAGE, ...(cursor ? { cursor } : {}) }),
      );
      // The first is the message that the thread hangs on, whatever its age.
      for (const message of messagesOf(page?.messages))
        if (message.ts > oldest && message.ts !== ts) note(channel, message);
      cursor = page?.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return;
    }
    log.warn({ place: channel, messages: PAGE * MOST_PAGES }, "More was missed in a Slack thread than is read back.");
  };

  const places = new Map<string, string>();
  const marked: [thread: string, at: string][] = [];
  for (const [place, at] of marks) {
    if (place.includes("/")) marked.push([place, at]);
    else places.set(place, at > floor ? at : floor);
  }
  if (start !== undefined) for (const chat of await chats()) if (!places.has(chat)) places.set(chat, start);
  await sideBySide([...places], async ([channel, oldest]) => await readPlace(channel, oldest));
  marked.sort(([, one], [, other]) => (one < other ? 1 : -1));
  const open = marked.filter(([thread, at]) => (answered.get(thread) ?? "9") > at);
  for (const [thread, at] of open.slice(0, MOST_THREADS)) threads.set(thread, at > floor ? at : floor);
  await sideBySide([...threads], async ([thread, oldest]) => {
    const [channel = "", ts = ""] = thread.split("/");
    await readThread(channel, ts, oldest);
  });
  return missed.sort((one, other) => (one.ts < other.ts ? -1 : one.ts > other.ts ? 1 : 0));
}

/** A time as Slack writes it: seconds, whose digits are as many for all times that matter, so that they compare as texts. */
function stampOf(atMs: number): string {
  return (Math.max(0, atMs) / 1000).toFixed(6);
}

/** Refusals that pass by themselves (docs.slack.dev/reference/methods/conversations.history, "Errors"). */
const PASSING: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
]);

function messagesOf(given: readonly unknown[] | undefined): Message[] {
  return (given ?? []).filter(
    (one): one is Message => typeof one === "object" && one !== null && "ts" in one && typeof one.ts === "string",
  );
}

async function sideBySide<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, items.length) }, worker));
}
