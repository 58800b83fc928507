// The way to Telegram's servers: grammY's Api over a small transport of our own, and what a call that failed means.
import type { IncomingMessage } from "node:http";
import { Api, GrammyError, HttpError } from "grammy/web";
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import { STOPPED, isNoAnswer, noAnswer, openTransport, readBody } from "../transport.ts";

/** Why a call came to nothing. Never holds an address, a token or the text of a message. */
export type Failure =
  /** The platform said no. `description` is its own words, for matching only. */
  | {
      readonly kind: "refused";
      readonly code: number;
      readonly description: string;
      readonly retryAfterMs?: number;
      readonly movedTo?: string;
    }
  /** No answer, or none that can be read. `sent` is false only when nothing of the request can have arrived. */
  | { readonly kind: "no-answer"; readonly sent: boolean; readonly what: string };

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** grammY names the type of a polyfill that it doesn't use here; the signals are Node's own. */
export type CallSignal = AbortSignal & NonNullable<Parameters<Api["getMe"]>[0]>;

export type Client = {
  readonly api: Api;
  /** Runs one call, which ends when `signal` fires or after `limitMs`. Never throws. */
  call<T>(limitMs: number, signal: AbortSignal, run: (signal: CallSignal) => Promise<T>): Promise<Outcome<T>>;
  /** Opens the file that `getFile` named. Rejects when it isn't there. */
  open(filePath: string, signal: AbortSignal): Promise<IncomingMessage>;
  /** Drops connections that nobody uses now: after a silence they may lead nowhere. */
  refresh(): void;
  /** Ends everything. */
  close(): void;
};

/** grammY's own timer is the net under ours, which goes by the clock that is handed in. */
const LIBRARY_SECONDS = 180;

/** What the library hands to `fetch`, as far as it is used here. */
type LibraryRequest = {
  readonly body: string | AsyncIterable<Uint8Array>;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

export function openClient(token: string, apiRoot: string, clock: Clock): Client {
  const root = apiRoot.replace(/\/+$/u, "");
  const transport = openTransport();
  const closed = new AbortController();
  const setDeadline = openDeadlines(clock, closed.signal);

  // Of `fetch` the library uses just this much.
  const library = {
    fetch: async (url: string, init: LibraryRequest): Promise<{ json(): Promise<unknown> }> => {
      // A call that brings a file comes as a stream of its parts; ours are small texts.
      const body = typeof init.body === "string" ? init.body : Buffer.concat(await Array.fromAsync(init.body));
      const headers = { "content-type": init.headers["content-type"] ?? "application/json" };
      const response = await transport.ask(url, { method: "POST", headers, body }, init.signal);
      return { json: () => readJson(response) };
    },
  };

  const api = new Api(token, { apiRoot: root, timeoutSeconds: LIBRARY_SECONDS, ...library });

  return {
    api,
    async call(limitMs, signal, run) {
      const call = new AbortController();
      const stop = (): void => call.abort(STOPPED);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      const over = setDeadline(limitMs, stop);
      try {
        return { ok: true, value: await run(call.signal as CallSignal) };
      } catch (thrown) {
        return { ok: false, failure: failureOf(thrown) };
      } finally {
        over();
        signal.removeEventListener("abort", stop);
      }
    },
    async open(filePath, signal) {
      // Odd characters stay within their part of the path, and no part climbs out of the bot's own folder.
      const steps = filePath.split("/");
      if (steps.some((step) => step === "." || step === "..")) throw noAnswer("a path that climbs", false);
      const path = steps.map(encodeURIComponent).join("/");
      const response = await transport.ask(`${root}/file/bot${token}/${path}`, { method: "GET", headers: {} }, signal);
      if (response.statusCode === 200) return response;
      response.resume();
      throw noAnswer(`status ${response.statusCode ?? 0}`, true);
    },
    refresh: () => transport.refresh(),
    close() {
      closed.abort(STOPPED);
      transport.close();
    },
  };
}

type Deadline = { readonly at: number; readonly stop: () => void };

/**
 * Ends calls that take too long. Deadlines of one length pass in the order in which they were set, so one sleep per length watches
 * over all of them: a timer per call, made and taken back, costs a tenth of a send. What is left of a sleep ends with `closed`.
 */
function openDeadlines(clock: Clock, closed: AbortSignal): (limitMs: number, stop: () => void) => () => void {
  const byLength = new Map<number, Set<Deadline>>();
  const watch = async (limitMs: number, waiting: Set<Deadline>): Promise<void> => {
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const asleep = first.at - clock.now();
      if (asleep > 0) await clock.sleep(asleep, closed);
      const now = clock.now();
      for (const deadline of waiting) {
        if (deadline.at > now) break;
        waiting.delete(deadline);
        deadline.stop();
      }
    }
    byLength.delete(limitMs);
  };
  return (limitMs, stop) => {
    const deadline: Deadline = { at: clock.now() + limitMs, stop };
    const waiting = byLength.get(limitMs);
    if (waiting) {
      waiting.add(deadline);
      return () => waiting.delete(deadline);
    }
    const first = new Set([deadline]);
    byLength.set(limitMs, first);
    // Only the end of the client ends a sleep early, and then its connections are gone as well.
    watch(limitMs, first).catch(() => undefined);
    return () => first.delete(deadline);
  };
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const body = await readBody(response);
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // The parser's own words hold a piece of what it read.
    throw noAnswer(`no JSON, status ${response.statusCode ?? 0}`, true);
  }
}

/** A proxy may answer with JSON of its own. */
function isEnvelope(error: { error_code: unknown; description: unknown }): boolean {
  return typeof error.error_code === "number" && typeof error.description === "string";
}

/** What a rejected call means. Whatever isn't known counts as sent. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof GrammyError && isEnvelope(thrown)) {
    const { retry_after: seconds, migrate_to_chat_id: chat } = thrown.parameters;
    return {
      kind: "refused",
      code: thrown.error_code,
      description: thrown.description,
      ...(typeof seconds === "number" ? { retryAfterMs: Math.max(0, seconds) * 1000 } : {}),
      ...(chat === undefined ? {} : { movedTo: String(chat) }),
    };
  }
  const inner = thrown instanceof HttpError ? thrown.error : thrown;
  if (isNoAnswer(inner)) return { kind: "no-answer", sent: inner.sent, what: inner.message };
  return { kind: "no-answer", sent: true, what: "not understood" };
}

/** A failure in a few words for the log. What the platform puts in quotes may be from a message and is left out. */
export function describeFailure(failure: Failure): string {
  if (failure.kind === "no-answer") return failure.what;
  return `${failure.code} ${failure.description.replaceAll(/"[^"]*"?/gu, '"…"').slice(0, 160)}`;
}

/** A failure of `method` as an error for the channel's supervisor. A malformed token is answered with 404. */
export function channelError(method: string, failure: Failure): GatewayError {
  const cause = new Error(`${method}: ${describeFailure(failure)}`);
  if (failure.kind === "refused" && (failure.code === 401 || failure.code === 404)) {
    return new GatewayError("channel-unauthorized", "Telegram refused the bot's token.", {
      hint: "Check channels.telegram.token in the config; @BotFather shows the right one.",
      cause,
    });
  }
  if (failure.kind === "refused" && failure.code === 409) {
    return new GatewayError("channel-conflict", "Another program is reading this Telegram bot's messages.", {
      hint: "Stop the other program, or get a new token from @BotFather.",
      cause,
    });
  }
  return new GatewayError("channel-unreachable", "Telegram can't be reached.", { cause });
}
