// The way to Discord's REST API: discord.js's own client over a transport of ours, and what a call that failed means.
//
// Of discord.js its two lower parts are used, this one and the gateway's shard (socket.ts). Its Client builds structures and caches
// from everything that arrives; what the caches don't know it drops (an edit in a direct message), what it can't build ends the
// process, and it takes 20 MB and 0.3 s more.
import { DiscordAPIError, HTTPError, REST, RateLimitError, RequestMethod } from "@discordjs/rest";
import type { RESTOptions } from "discord.js";
import { GatewayError } from "../../core/error.ts";
import type { Clock } from "../../core/surroundings.ts";
import { STOPPED } from "../transport.ts";
import { openDiscordTransport } from "./transport.ts";
import type { DiscordTransport, LibraryRequest } from "./transport.ts";

/** Why a call came to nothing. Never holds an address, a token or the text of a message. */
export type Failure =
  /** The platform said no. `code` is its own number; 0 where it gave none. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly code: number;
      /** Its own words, for matching only. */
      readonly words: string;
      readonly retryAfterMs?: number;
    }
  /** No answer, or none that can be read. `sent` is false only when nothing of the request can have arrived. */
  | { readonly kind: "no-answer"; readonly sent: boolean; readonly what: string };

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** The version of the API that everything here is written for. */
const API_VERSION = "10";

/** The library's own timer is the net under ours, which goes by the clock that is handed in. */
const LIBRARY_MS = 600_000;

/** A file that goes with a call. */
export type Upload = { readonly name: string; readonly data: string | Uint8Array; readonly mediaType: string };

export type Call = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH";
  /** Begins with a slash, without the version. */
  readonly path: `/${string}`;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly file?: Upload;
  /** Left out of calls whose address holds a token of its own. */
  readonly auth?: false;
  readonly limitMs?: number;
};

export type Client = {
  readonly transport: DiscordTransport;
  /** Runs one call, which ends when `signal` fires or its time is over. Never throws. */
  call(call: Call, signal: AbortSignal): Promise<Outcome<unknown>>;
  /** Ends everything. */
  close(): void;
};

export const CALL_LIMIT_MS: number = 30_000;

const METHODS = {
  GET: RequestMethod.Get,
  POST: RequestMethod.Post,
  PUT: RequestMethod.Put,
  PATCH: RequestMethod.Patch,
} as const;

export function openClient(token: string, apiUrl: string, clock: Clock): Client {
  const api = apiUrl.replace(/\/+$/u, "");
  const transport = openDiscordTransport(api.startsWith("https:"));
  const closed = new AbortController();
  const rest = new REST({
    api,
    version: API_VERSION,
    timeout: LIBRARY_MS,
    // A repeat is the caller's to decide: a post that was answered 500 may stand there.
    retries: 0,
    // Waiting is the caller's as well, and so are the buckets: what is too fast is said before it is sent.
    rejectOnRateLimit: () => true,
    // The library reads no more of an answer than the transport gives.
    makeRequest: ((url: string, init: LibraryRequest) =>
      transport.send(url, init)) as unknown as RESTOptions["makeRequest"],
  });
  rest.setToken(token);

  return {
    transport,
    async call({ method, path, query, body, file, auth, limitMs = CALL_LIMIT_MS }, signal) {
      const call = new AbortController();
      const done = new AbortController();
      const stop = (): void => call.abort(STOPPED);
      const signals = [signal, closed.signal];
      if (signals.some(({ aborted }) => aborted))
        return { ok: false, failure: { kind: "no-answer", sent: false, what: STOPPED } };
      for (const one of signals) one.addEventListener("abort", stop, { once: true });
      void clock.sleep(limitMs, done.signal).then(stop, () => undefined);
      try {
        const value = await rest.request({
          method: METHODS[method],
          fullRoute: path,
          ...(query === undefined ? {} : { query: new URLSearchParams(query) }),
          ...(body === undefined ? {} : { body }),
          ...(file === undefined ? {} : { files: [{ name: file.name, data: file.data, contentType: file.mediaType }] }),
          ...(auth === undefined ? {} : { auth }),
          signal: call.signal,
        });
        return { ok: true, value };
      } catch (thrown) {
        // The library forgets a token that was refused once; platforms have been seen to refuse good ones.
        rest.setToken(token);
        return { ok: false, failure: failureOf(thrown) };
      } finally {
        done.abort(STOPPED);
        for (const one of signals) one.removeEventListener("abort", stop);
      }
    },
    close() {
      closed.abort(STOPPED);
      rest.clearHashSweeper();
      rest.clearHandlerSweeper();
      transport.close();
    },
  };
}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RateLimitError) {
    const retryAfterMs = Math.max(thrown.retryAfter, thrown.sublimitTimeout, thrown.global ? thrown.timeToReset : 0);
    return { kind: "refused", status: 429, code: 0, words: "", ...(retryAfterMs > 0 ? { retryAfterMs } : {}) };
  }
  if (thrown instanceof DiscordAPIError) {
    const { status, code, message } = thrown;
    return { kind: "refused", status, code: typeof code === "number" ? code : 0, words: message };
  }
  if (thrown instanceof HTTPError) return { kind: "refused", status: thrown.status, code: 0, words: "" };
  if (thrown instanceof Error && "sent" in thrown)
    return { kind: "no-answer", sent: thrown.sent !== false, what: thrown.message };
  // What doesn't come from the transport happened before it was asked: stopped while waiting for its turn.
  return { kind: "no-answer", sent: false, what: STOPPED };
}

/** Whether the same call may end otherwise a little later. */
export function mayPass(failure: Failure): boolean {
  return failure.kind === "no-answer" || failure.status === 429 || failure.status >= 500;
}

const TRIES = 5;
const TRY_AGAIN_MS = 500;

/** Asks for something that must not be passed over, a few times where it may end otherwise a little later. */
export async function patiently<T>(
  ask: () => Promise<Outcome<T>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  for (let tried = 1; ; tried++) {
    const asked = await ask();
    if (asked.ok || tried === TRIES || signal.aborted || !mayPass(asked.failure)) return asked;
    const { failure } = asked;
    const waitMs = failure.kind === "refused" ? (failure.retryAfterMs ?? TRY_AGAIN_MS) : TRY_AGAIN_MS;
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

/** Whether it tells of the platform or the token, and nothing of the one place that was asked for. */
export function isGeneral(failure: Failure): boolean {
  return mayPass(failure) || (failure.kind === "refused" && failure.status === 401);
}

/** A failure in words for the log: no address, no outside text. */
export function describeFailure(failure: Failure): string {
  if (failure.kind === "refused") return `refused with ${failure.status}, code ${failure.code}`;
  return failure.sent ? `no answer (${failure.what})` : `not reached (${failure.what})`;
}

/** What a failed call says about the whole channel. */
export function channelError(what: string, failure: Failure): GatewayError {
  const cause = new Error(`${what}: ${describeFailure(failure)}`);
  if (failure.kind === "refused" && failure.status === 401)
    return new GatewayError("channel-unauthorized", "Discord refused the bot's token.", {
      hint: "Take a new one in the Developer Portal: your application, Bot, Reset Token.",
      cause,
    });
  return new GatewayError("channel-unreachable", "Discord can't be reached.", { cause });
}
