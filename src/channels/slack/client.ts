// The way to Slack's Web API: the library's WebClient with its repeats turned off, over a transport of our own, and what a call that
// failed means, by Slack's own codes (docs.slack.dev/reference/methods/chat.postMessage, chat.update, "Errors").
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import {
  LogLevel,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from "@slack/web-api";
import type { FetchFunction, Logger as LibraryLogger, WebClientOptions } from "@slack/web-api";
import { GatewayError } from "../../core/error.ts";
import type { Shown } from "../../core/reply.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { STOPPED, isNoAnswer, noAnswer, openTransport, readBody } from "../transport.ts";

/** Why a call came to nothing. Never holds an address, a token or the text of a message. */
export type Failure =
  /** The platform said no. `code` is its own word for why. */
  | { readonly kind: "refused"; readonly code: string; readonly retryAfterMs?: number }
  /** No answer, or none that can be read. `sent` is false only when nothing of the request can have arrived. */
  | { readonly kind: "no-answer"; readonly sent: boolean; readonly what: string };

export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

export type Client = {
  readonly api: WebClient;
  /** Runs one call, which ends when `signal` fires or after `limitMs`. Never throws. */
  call<T>(limitMs: number, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<Outcome<T>>;
  /** Options for a client that the library makes for itself, each time new ones: it writes into them. */
  options(): WebClientOptions;
  /** A file of Slack's, with the bot's token. No redirect is followed. */
  download(url: string, signal: AbortSignal): Promise<IncomingMessage>;
  /** Sends bytes to the address that Slack named for them. */
  upload(url: string, name: string, bytes: Buffer, signal: AbortSignal): Promise<void>;
  /** What the libraries note goes here. */
  readonly logger: LibraryLogger;
  refresh(): void;
  close(): void;
};

/** After "too many requests" that names no time. */
const TOO_FAST_SECONDS = "3";

export function openClient(botToken: string, apiUrl: string, { clock, random, log }: Surroundings): Client {
  const transport = openTransport();
  // The library takes no signal for a call; what it does within one carries it along.
  const calls = new AsyncLocalStorage<AbortSignal>();
  const never = new AbortController().signal;

  const fetch: FetchFunction = async (url, init = {}) => {
    const { body, headers = {} } = init;
    if (typeof body !== "string" && body !== undefined) throw noAnswer("a form that is not sent this way", false);
    const response = await transport.ask(
      String(url),
      { method: "POST", headers, ...(body === undefined ? {} : { body }) },
      calls.getStore() ?? never,
    );
    const answer = (await readBody(response)).toString("utf8");
    const status = response.statusCode ?? 0;
    const given = (name: string): string | null => {
      const value = response.headers[name.toLowerCase()];
      const text = Array.isArray(value) ? value.join(", ") : (value ?? null);
      // Without it the library's error would be one that holds the address.
      return name === "retry-after" && status === 429 && Number.isNaN(Number.parseInt(text ?? "", 10))
        ? TOO_FAST_SECONDS
        : text;
    };
    return {
      ok: status >= 200 && status < 300,
      status,
      statusText: response.statusMessage ?? "",
      url: String(url),
      headers: { get: given, entries: () => [] },
      text: () => Promise.resolve(answer),
      json: () => Promise.resolve(JSON.parse(answer) as unknown),
      arrayBuffer: () => Promise.resolve(new Uint8Array(Buffer.from(answer)).buffer),
    };
  };

  const logger: LibraryLogger = libraryLogger(log);
  const options = (): WebClientOptions => ({
    slackApiUrl: apiUrl,
    logger,
    fetch,
    // A repeat of a post is a second post: Slack knows no key that would make them one.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    // A queue would run calls within each other's signals.
    maxRequestConcurrency: Number.POSITIVE_INFINITY,
  });

  return {
    api: new WebClient(botToken, options()),
    logger,
    options,
    async call(limitMs, signal, run) {
      const call = new AbortController();
      const done = new AbortController();
      const stop = (): void => call.abort(STOPPED);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      clock.sleep(limitMs, done.signal).then(stop, () => undefined);
      try {
        return { ok: true, value: await calls.run(call.signal, () => run(call.signal)) };
      } catch (thrown) {
        return { ok: false, failure: failureOf(thrown) };
      } finally {
        done.abort();
        signal.removeEventListener("abort", stop);
      }
    },
    download: (url, signal) =>
      transport.ask(url, { method: "GET", headers: { authorization: `Bearer ${botToken}` } }, signal),
    async upload(url, name, bytes, signal) {
      const boundary = `tidegate-${random.key(12)}`;
      const head = `--${boundary}\r\nContent-Disposition: form-data; name="body"; filename="${name.replaceAll(/["\r\n\\]/gu, "_")}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
      const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
      const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
      // The address is a secret of its own and takes no token.
      const response = await transport.ask(url, { method: "POST", headers, body }, signal);
      (await readBody(response)).toString("utf8");
      if (response.statusCode !== 200) throw noAnswer(`status ${response.statusCode ?? 0}`, true);
    },
    refresh: () => transport.refresh(),
    close: () => transport.close(),
  };
}

/** Words of the libraries may hold what was sent or an address: only the worst get into the log, with those taken out. */
function libraryLogger(log: Surroundings["log"]): LibraryLogger {
  const note = (...given: unknown[]): void => {
    const words = given
      .filter((one) => typeof one === "string")
      .join(" ")
      .replaceAll(/\b(?:wss?|https?):\S+|\bx(?:ox[a-z]|app)-\S+/giu, "…")
      .slice(0, 200);
    log.debug({ library: words }, "Slack's library notes something.");
  };
  const nothing = (): void => undefined;
  return {
    debug: nothing,
    info: nothing,
    warn: note,
    error: note,
    setLevel: nothing,
    setName: nothing,
    getLevel: () => LogLevel.ERROR,
  };
}

/** What a rejected call means. Whatever isn't known counts as sent. */
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof WebAPIPlatformError) {
    const { error, response_metadata: more } = thrown.data;
    // A page that is no JSON is handed on by the library as the name of an error.
    if (typeof error !== "string" || !/^[\w.:-]{1,80}$/u.test(error))
      return { kind: "no-answer", sent: true, what: "no JSON" };
    const seconds = more?.retryAfter;
    return {
      kind: "refused",
      code: error,
      ...(typeof seconds === "number" ? { retryAfterMs: Math.max(0, seconds) * 1000 } : {}),
    };
  }
  if (thrown instanceof WebAPIRateLimitedError)
    return { kind: "refused", code: "ratelimited", retryAfterMs: Math.max(0, thrown.retryAfter) * 1000 };
  if (thrown instanceof WebAPIHTTPError) return { kind: "no-answer", sent: true, what: `status ${thrown.statusCode}` };
  const inner = thrown instanceof WebAPIRequestError ? thrown.original : thrown;
  if (isNoAnswer(inner)) return { kind: "no-answer", sent: inner.sent, what: inner.message };
  return { kind: "no-answer", sent: true, what: "not understood" };
}

/** A failure in a few words for the log. */
export function describeFailure(failure: Failure): string {
  return failure.kind === "no-answer" ? failure.what : failure.code;
}

/** Whether the platform asks for fewer calls. */
export function isTooFast(failure: Failure): failure is Extract<Failure, { kind: "refused" }> {
  return failure.kind === "refused" && /^rate_?limited$/u.test(failure.code);
}

/** The token is none, or none any more (docs.slack.dev/reference/methods/auth.test). */
const REFUSED_TOKEN: ReadonlySet<string> = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "user_removed_from_team",
  "team_disabled",
  "not_allowed_token_type",
]);

/** A failure of `method` as an error for the channel's supervisor. */
export function channelError(
  method: string,
  failure: Failure,
  token: "botToken" | "appToken" = "botToken",
): GatewayError {
  const cause = new Error(`${method}: ${describeFailure(failure)}`);
  if (failure.kind === "refused" && REFUSED_TOKEN.has(failure.code))
    return new GatewayError(
      "channel-unauthorized",
      `Slack refused the ${token === "botToken" ? "bot" : "app"}'s token.`,
      {
        hint: `Check channels.slack.${token} in the config; the app's page at api.slack.com/apps shows the right one.`,
        cause,
      },
    );
  if (failure.kind === "refused" && (failure.code === "missing_scope" || failure.code === "no_permission"))
    return new GatewayError("channel-unauthorized", "The Slack app lacks a right that is needed.", {
      hint: "Run ./tidegate doctor for a manifest with all of them, and install the app again.",
      cause,
    });
  return new GatewayError("channel-unreachable", "Slack can't be reached.", { cause });
}

// ---- What a failed show means

/** How long to leave the platform alone when it can't be reached. */
export const UNREACHABLE_WAIT_MS = 3000;
/** How long to wait after "too many requests" that names no time. */
const TOO_FAST_WAIT_MS = 3000;

type RefusedWhy = Extract<Shown, { is: "refused" }>["why"];

const REFUSALS: readonly { readonly why: RefusedWhy; readonly codes: readonly string[]; readonly detail: string }[] = [
  {
    why: "not-parseable",
    codes: ["invalid_blocks", "invalid_blocks_format", "invalid_attachments", "no_text", "only_one_table_allowed"],
    detail: "The formatting was refused.",
  },
  {
    why: "too-long",
    codes: ["msg_too_long", "msg_blocks_too_long", "markdown_text_too_long"],
    detail: "The text is too long.",
  },
  {
    why: "edit-gone",
    codes: ["message_not_found", "cant_update_message", "edit_window_closed"],
    detail: "The message to edit is gone.",
  },
  {
    why: "gone",
    codes: [
      "channel_not_found",
      "is_archived",
      "thread_not_found",
      "user_not_found",
      "user_disabled",
      "messages_tab_disabled",
    ],
    detail: "The place is gone.",
  },
  {
    why: "gone",
    codes: [
      ...["not_in_channel", "restricted_action", "restricted_action_read_only_channel", "channel_type_not_supported"],
      ...["restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "cannot_dm_bot"],
      ...["restricted_action_thread_locked", "team_access_not_granted", "cannot_reply_to_message"],
    ],
    detail: "The bot may not write there.",
  },
];

/** The server says that it failed, and that some of it may have been done. */
const BROKEN: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "server_error",
]);

export function isUnsent(failure: Failure): boolean {
  return failure.kind === "no-answer" && !failure.sent;
}

/** What a failed show means. `edit`: the message that was to be edited; an edit may be repeated, a new message may not. */
export function shownOf(failure: Failure, edit: string | undefined): Shown {
  const later: Shown = { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  if (failure.kind === "no-answer") return failure.sent ? { is: "unknown" } : later;
  const { code } = failure;
  if (isTooFast(failure)) return { is: "wait", waitMs: failure.retryAfterMs ?? TOO_FAST_WAIT_MS, why: "too-fast" };
  if (BROKEN.has(code)) return edit === undefined ? { is: "unknown" } : later;
  if (REFUSED_TOKEN.has(code)) return { is: "refused", why: "unauthorized", detail: "Slack refused the bot's token." };
  const known = REFUSALS.find(({ codes }) => codes.includes(code));
  if (known) return { is: "refused", why: known.why, detail: known.detail };
  return { is: "refused", why: "other", detail: describeFailure(failure) };
}
