// Telegram by long polling: what arrives is handed on before it is acknowledged, and files are fetched within limits.
//
// The loop is ours and not the library's, which confirms a batch whose handling has not ended and gives up for good on 401 and 409.
import type { Channel, Pace, Platform, RawUpdate } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { FileRef } from "../../core/message.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { keepFile } from "../keep-file.ts";
import { channelError, describeFailure, openClient } from "./client.ts";
import type { Client, Failure } from "./client.ts";
import { readUpdate } from "./inbound.ts";
import type { Me } from "./inbound.ts";
import { telegramOutlet } from "./outlet.ts";

export type TelegramSettings = {
  readonly token: string;
  readonly apiRoot: string;
  /** What differs from the platform's own rates. */
  readonly pace?: Partial<Pace>;
};

/** For tests, which can't wait as long as the platform lets a poll last. */
export type TelegramTimes = {
  /** How long one poll may wait for updates; the platform allows up to 50. */
  readonly pollSeconds?: number;
  /** How much longer than that an answer may take before the connection counts as dead. */
  readonly graceMs?: number;
};

/** Sent with every poll, since the server remembers the last list: whatever another program asked for must not stay. */
const WANTED = ["message", "edited_message", "callback_query", "my_chat_member", "stopped_message_generation"] as const;

/** A bot can download files of up to 20 MB (Bot API 10.3). */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
const CALL_LIMIT_MS = 30_000;
const FILE_LIMIT_MS = 300_000;
/** A stop waits no longer than this for the last batch to be confirmed; unconfirmed, it comes again and is known by its key. */
const CONFIRM_LIMIT_MS = 800;

/** The platform's rates as its FAQ names them; a draft per second passes. */
const PACE: Pace = { perChatMs: 1000, perGroupPerMinute: 20, perSecond: 30, draftMs: 1000 };

export function telegram(settings: TelegramSettings, surroundings: Surroundings, times: TelegramTimes = {}): Platform {
  const client = openClient(settings.token, settings.apiRoot, surroundings.clock);
  return {
    channel: telegramChannel(client, settings, surroundings, times),
    outlet: telegramOutlet(client, surroundings.log),
  };
}

function telegramChannel(
  client: Client,
  settings: TelegramSettings,
  { clock, log }: Surroundings,
  { pollSeconds = 30, graceMs = 10_000 }: TelegramTimes,
): Channel {
  const { api } = client;
  // A token begins with the bot's id; what `getMe` says takes its place.
  let me: Me = { id: Number.parseInt(settings.token, 10) || 0, username: "" };
  // Both outlive a broken connection: what is below `next` is stored, what is below `confirmed` the platform has heard so.
  let next = 0;
  let confirmed = 0;

  const connect = async (signal: AbortSignal): Promise<boolean> => {
    const [who, hook] = await Promise.all([
      client.call(CALL_LIMIT_MS, signal, (signal) => api.getMe(signal)),
      client.call(CALL_LIMIT_MS, signal, (signal) => api.deleteWebhook({ drop_pending_updates: false }, signal)),
    ]);
    if (signal.aborted) return false;
    if (!who.ok) throw channelError("getMe", who.failure);
    if (!hook.ok) throw channelError("deleteWebhook", hook.failure);
    me = { id: who.value.id, username: who.value.username };
    return true;
  };

  /** One completed poll; undefined when it was stopped. Anything but updates, a stop or "too fast" throws. */
  const poll = async (signal: AbortSignal): Promise<readonly unknown[] | undefined> => {
    while (!signal.aborted) {
      const offset = next;
      const result = await client.call(pollSeconds * 1000 + graceMs, signal, (signal) =>
        api.getUpdates({ offset, timeout: pollSeconds, allowed_updates: WANTED }, signal),
      );
      if (result.ok) {
        // The library takes what comes for what it should be.
        const updates: readonly unknown[] = result.value;
        if (!Array.isArray(updates)) throw channelError("getUpdates", UNREADABLE);
        confirmed = offset;
        return result.value;
      }
      const { failure } = result;
      if (signal.aborted) return undefined;
      if (failure.kind !== "refused" || failure.code !== 429) {
        // After a silence the other connections may lead nowhere as well.
        if (failure.kind === "no-answer") client.refresh();
        throw channelError("getUpdates", failure);
      }
      log.warn({ waitMs: failure.retryAfterMs ?? TOO_FAST_WAIT_MS }, "Telegram asks for fewer polls.");
      await clock.sleep(failure.retryAfterMs ?? TOO_FAST_WAIT_MS, signal).catch(() => undefined);
    }
    return undefined;
  };

  /** Lets the platform forget what is stored. Not reached in time, it sends that again; the keys tell. */
  const confirm = async (): Promise<void> => {
    if (next === confirmed) return;
    const result = await client.call(CONFIRM_LIMIT_MS, new AbortController().signal, (signal) =>
      api.getUpdates({ offset: next, limit: 1, timeout: 0, allowed_updates: WANTED }, signal),
    );
    if (result.ok) confirmed = next;
    else log.debug({ why: describeFailure(result.failure) }, "The last Telegram updates are not confirmed.");
  };

  return {
    name: "telegram",
    limits: {
      joins: true,
      // The apps cut at 4,096, at a space where one is near.
      nearLimitUnits: 4000,
      drafts: { private: "native", shared: "edit" },
      growingUnits: 2000,
      commandPrefix: "/",
      forms: false,
      keyboard: true,
      copies: true,
      typingMs: 5000,
      maxFileBytes: MAX_FILE_BYTES,
      pace: { ...PACE, ...settings.pace },
    },
    async *inbound(signal) {
      if (!(await connect(signal))) return;
      yield [];
      for (let updates = await poll(signal); updates !== undefined; updates = await poll(signal)) {
        const ids = updates.map(idOf);
        const last = Math.max(...ids.filter((id) => id !== undefined), -1);
        // Not one that could be confirmed: to ask again at once would be to ask for ever.
        if (updates.length > 0 && last < 0) throw channelError("getUpdates", UNREADABLE);
        yield updates.flatMap((raw, at): RawUpdate[] => {
          const id = ids[at];
          return id === undefined ? [] : [{ key: `${me.id}:${id}`, raw: worthKeeping(raw) }];
        });
        // Asked for more: this batch is stored.
        if (last >= 0) next = last + 1;
      }
      await confirm();
    },
    read: (raw) => readUpdate(raw, me),
    fetch: (file, path, signal) => fetchFile(client, file, path, signal),
    invite: (code) => (me.username === "" ? undefined : `https://t.me/${me.username}?start=${code}`),
    [Symbol.asyncDispose]() {
      client.close();
      return Promise.resolve();
    },
  };
}

const TOO_FAST_WAIT_MS = 3000;

const UNREADABLE: Failure = { kind: "no-answer", sent: true, what: "not understood" };

function idOf(update: unknown): number | undefined {
  if (typeof update !== "object" || update === null || !("update_id" in update)) return undefined;
  const { update_id: id } = update;
  return Number.isSafeInteger(id) ? (id as number) : undefined;
}

/**
 * A press comes with the whole message under it, which is our own words: only what says where it was is kept, so that a chat's
 * words are in no row that doesn't belong to it.
 */
function worthKeeping(raw: unknown): unknown {
  if (!isRecord(raw) || !isRecord(raw["callback_query"])) return raw;
  const { message, ...press } = raw["callback_query"];
  if (!isRecord(message)) return raw;
  const place = Object.fromEntries(Object.entries(message).filter(([name]) => PLACE.has(name)));
  return { ...raw, callback_query: { ...press, message: place } };
}

const PLACE: ReadonlySet<string> = new Set(["message_id", "date", "chat", "message_thread_id", "is_topic_message"]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Fetches within limits; whatever goes wrong is said in words. */
async function fetchFile(client: Client, file: FileRef, path: string, signal: AbortSignal): Promise<void> {
  if (file.bytes !== undefined && file.bytes > MAX_FILE_BYTES) throw tooLarge();
  const found = await client.call(CALL_LIMIT_MS, signal, (signal) => client.api.getFile(file.handle, signal));
  if (!found.ok) {
    const { failure } = found;
    if (failure.kind === "refused" && failure.description.includes("file is too big")) throw tooLarge();
    throw unavailable(describeFailure(failure));
  }
  const { file_path: filePath, file_size: size } = found.value;
  if (size !== undefined && size > MAX_FILE_BYTES) throw tooLarge();
  if (filePath === undefined) throw unavailable("no path");

  let problem: unknown;
  const loaded = await client.call(FILE_LIMIT_MS, signal, async (signal) => {
    const source = await client.open(filePath, signal);
    await keepFile(source, path, { maxBytes: MAX_FILE_BYTES, tooLarge }).catch((thrown: unknown) => {
      problem = thrown;
      throw thrown;
    });
  });
  if (problem instanceof GatewayError) throw problem;
  if (!loaded.ok) throw unavailable(describeFailure(loaded.failure));
}

function tooLarge(): GatewayError {
  return new GatewayError("file-too-large", "The file is larger than the 20 MB that Telegram lets a bot fetch.");
}

function unavailable(why: string): GatewayError {
  return new GatewayError("file-unavailable", "Telegram doesn't give the file out. Try sending it again.", {
    cause: new Error(why),
  });
}
