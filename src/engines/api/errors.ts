// Whatever a provider throws, sends or breaks off with, as one code and one sentence of ours. Its own words are only looked at, never passed on.
import { ERRORS, GatewayError } from "../../core/error.ts";
import type { ErrorCode } from "../../core/error.ts";

/** What a failure means and what may be done about it. */
export type Fault = {
  readonly error: GatewayError;
  /** Trying again may help, as long as nothing of the answer has come. */
  readonly retry: boolean;
  /** How long the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** For the log: numbers and names only, no words. */
  readonly fields: Readonly<Record<string, string | number>>;
};

type Rule = {
  readonly code: ErrorCode;
  /** Left out: any status. */
  readonly status?: readonly number[];
  /** Against type, code and message as one lower-case line. Left out: anything. */
  readonly says?: RegExp;
  readonly retry?: true;
  readonly words?: string;
  readonly hint?: string;
};

const TOO_OFTEN_HINT = "A smaller model, or a higher limit at the provider, also helps.";

/**
 * First match wins. Statuses and names are from the vendors' error references (OpenAI "Error codes", Anthropic "Errors",
 * Google "Troubleshooting guide", 2026) and from what llama.cpp, Ollama, vLLM, OpenRouter, Groq and Mistral send.
 */
const RULES: readonly Rule[] = [
  {
    code: "engine-context-full",
    says: /context[ _](length|window|size|limit)|maximum context|prompt is too long|input is too long|input token count.*exceed|exceeds? the (maximum|max) number of tokens|exceed_context|reduce the length of the messages|too large for model with|request_too_large|string_above_max_length/,
  },
  { code: "engine-context-full", status: [413] },
  {
    code: "engine-no-credit",
    says: /insufficient[_ ](quota|balance|credits|funds)|billing_(hard_limit|error|not_active)|credit balance|out of credits|more credits|perday/,
  },
  // Google says this of every limit; with a time to come back it is only the pace.
  { code: "engine-no-credit", says: /^(?!.*(retry in|retryinfo)).*exceeded your current quota/ },
  { code: "engine-no-credit", status: [402] },
  {
    code: "engine-unauthorized",
    says: /invalid_api_key|authentication_error|api[_ ]key[_ ](not valid|invalid)|invalid_authentication|unauthenticated/,
  },
  { code: "engine-unauthorized", status: [401] },
  {
    code: "engine-unauthorized",
    says: /invalid (header value|value for header)|bytestring/,
    words: "The engine's apiKey holds characters that no key has. Check it in the config.",
  },
  {
    code: "engine-refused",
    says: /unsupported_country|user location is not supported|region.*not supported/,
    words: "The model's service doesn't work from this country.",
  },
  {
    code: "engine-unauthorized",
    status: [403],
    words: "The model's service says that the key may not use this model.",
    hint: "Check the key's rights at the provider, or choose another model.",
  },
  {
    code: "engine-model-missing",
    says: /model_not_found|model[^.]{0,120}(not found|does ?n[o']t exist|not supported for generatecontent)|not_found_error|no such model|unknown model|invalid model/,
  },
  {
    code: "engine-unreachable",
    status: [300, 301, 302, 303, 307, 308, 404, 405],
    words: "The model's service isn't at this address. Check the engine's baseUrl in the config.",
  },
  { code: "engine-overloaded", says: /overloaded|server_overloaded|unavailable|capacity/, retry: true },
  {
    code: "engine-rate-limited",
    says: /rate_?limit|resource_exhausted|too many requests/,
    retry: true,
    hint: TOO_OFTEN_HINT,
  },
  { code: "engine-rate-limited", status: [429], retry: true, hint: TOO_OFTEN_HINT },
  { code: "engine-overloaded", status: [408, 409, 425, 502, 503, 504, 520, 522, 524, 529], retry: true },
  {
    code: "engine-refused",
    says: /content_?(policy|filter)|moderation|safety|prohibited_content|blocked/,
    words: "The model's service declined this request because of its content rules.",
  },
  {
    code: "engine-failed",
    says: /server_error|api_error|internal/,
    retry: true,
    words: "The model's service had a fault of its own. Try again in a minute.",
  },
  {
    code: "engine-refused",
    status: [400, 422],
    hint: "If it happens again, the model may not take tools or pictures; the log has the status.",
  },
];

/** What the socket layers call their failures. A timeout there is the same silence that our own deadlines end. */
const SILENT = /^(UND_ERR_(HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
const NETWORK =
  /^(E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|ERR_(TLS|SSL)_\w+|ERR_INVALID_URL|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/;

/** How the Anthropic package says that the first event was no JSON. */
const NOT_NORMAL = /^expected a normalized/;

/** Explains anything thrown by a model's stream or found in its `error` part. `begun`: something of the answer had come. */
export function explain(thrown: unknown, begun: boolean): Fault {
  const seen = look(thrown);
  const fields = logFields(seen);
  const fault = (rule: Omit<Rule, "status" | "says">): Fault => ({
    error: gatewayError(rule, seen.retryAfterMs),
    retry: rule.retry === true && !begun,
    ...(seen.retryAfterMs === undefined ? {} : { retryAfterMs: seen.retryAfterMs }),
    fields,
  });
  if (thrown instanceof GatewayError) return { error: thrown, retry: false, fields };
  const status = seen.status;
  // A 2xx stands on the errors that broke off a good answer: it says nothing of what went wrong.
  const refused = status !== undefined && (status < 200 || status >= 300);
  if (!refused && seen.socket !== undefined) {
    if (SILENT.test(seen.socket)) return fault({ code: "engine-silent" });
    return fault({ code: begun ? "engine-cut" : "engine-unreachable", retry: true });
  }
  const rule = RULES.find(
    (one) =>
      (one.status === undefined || (status !== undefined && one.status.includes(status))) &&
      (one.says === undefined || one.says.test(seen.says)),
  );
  if (rule !== undefined) return fault(rule);
  if (refused && status >= 500) return fault({ code: "engine-failed", retry: true });
  if (refused) return fault({ code: "engine-refused" });
  // The SDK's own words for a stream that ended before its end.
  if (begun && /InvalidResponseData/.test(seen.name)) return fault({ code: "engine-cut" });
  if (
    /JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody|NoContent/.test(seen.name) ||
    NOT_NORMAL.test(seen.says)
  ) {
    return fault({ code: "engine-bad-answer" });
  }
  if (/UnsupportedFunctionality|InvalidPrompt|InvalidArgument/.test(seen.name))
    return fault({ code: "engine-refused" });
  // No answer, or a good one that broke off, and no name for why: the connection, one way or the other.
  if (/APICallError/.test(seen.name) || status !== undefined) {
    return fault({ code: begun ? "engine-cut" : "engine-unreachable", retry: true });
  }
  return fault({ code: "engine-failed" });
}

function gatewayError(rule: Omit<Rule, "status" | "says">, retryAfterMs: number | undefined): GatewayError {
  const { code } = rule;
  // The provider's own error is left out as a cause: it carries the whole prompt, and headers with the key.
  const long = code === "engine-rate-limited" && retryAfterMs !== undefined && retryAfterMs > 60_000;
  const words = long
    ? `The model's service asks to wait ${duration(retryAfterMs)} before the next try.`
    : (rule.words ?? ERRORS[code]);
  return new GatewayError(code, words, rule.hint === undefined ? {} : { hint: rule.hint });
}

function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

type Seen = {
  readonly name: string;
  readonly status?: number;
  readonly type?: string;
  readonly socket?: string;
  readonly says: string;
  readonly retryAfterMs?: number;
};

type Bag = Readonly<Record<string, unknown>>;

/** The few facts that are looked at, out of the many shapes that providers use. */
function look(thrown: unknown): Seen {
  const top = bag(thrown) ?? {};
  const body = bag(top["data"]) ?? json(top["responseBody"]) ?? {};
  const inner = bag(body["error"]) ?? bag(bag(body["response"])?.["error"]) ?? body;
  const status = number(top["statusCode"]) ?? number(inner["code"]) ?? number(top["code"]) ?? number(inner["status"]);
  const type = text(inner["type"]) ?? text(top["type"]) ?? text(inner["status"]) ?? text(inner["code"]);
  const said = [
    ...[
      type,
      text(inner["code"]),
      text(top["code"]),
      text(inner["status"]),
      text(inner["message"]),
      text(top["message"]),
    ],
    ...[text(body["error"]), text(body["message"]), text(body["detail"]), quotaIds(inner["details"])],
  ];
  const socket = socketCode(thrown);
  const retryAfterMs = waitAsked(bag(top["responseHeaders"]) ?? {}, inner["details"]);
  return {
    name: text(top["name"]) ?? "",
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type }),
    ...(socket === undefined ? {} : { socket }),
    says: said
      .filter((part) => part !== undefined)
      .join(" ")
      .slice(0, 4_000)
      .toLowerCase(),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function logFields(seen: Seen): Fault["fields"] {
  // A name is outside text too: only what looks like one is logged.
  const type = seen.type !== undefined && /^[\w.-]{1,64}$/.test(seen.type) ? seen.type : undefined;
  return {
    ...(seen.status === undefined ? {} : { status: seen.status }),
    ...(type === undefined ? {} : { type }),
    ...(seen.socket === undefined ? {} : { socket: seen.socket }),
  };
}

/** The code of the innermost failure of the socket, a few causes deep. */
function socketCode(thrown: unknown): string | undefined {
  let at: unknown = thrown;
  for (let depth = 0; depth < 6 && at !== undefined; depth += 1) {
    const code = text(bag(at)?.["code"]);
    if (at instanceof Error && code !== undefined && NETWORK.test(code)) return code;
    at = bag(at)?.["cause"];
  }
  return undefined;
}

/** `retry-after` in seconds or as a date against the answer's own `date`, OpenAI's `retry-after-ms`, or Google's RetryInfo. */
function waitAsked(headers: Bag, details: unknown): number | undefined {
  const ms = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] !== undefined && Number.isFinite(ms)) return Math.max(0, ms);
  const after = text(headers["retry-after"]);
  if (after !== undefined) {
    const seconds = Number(after);
    if (Number.isFinite(seconds)) return Math.max(0, seconds * 1_000);
    const until = Date.parse(after) - Date.parse(text(headers["date"]) ?? "");
    if (Number.isFinite(until)) return Math.max(0, until);
  }
  const delay = detailsOf(details).map((detail) => /^([\d.]+)s$/.exec(text(detail["retryDelay"]) ?? "")?.[1]);
  const found = delay.find((seconds) => seconds !== undefined);
  return found === undefined ? undefined : Number(found) * 1_000;
}

/** Google names the exhausted quota in its details; one per day will not come back in a minute. */
function quotaIds(details: unknown): string {
  return detailsOf(details)
    .flatMap((detail) => (Array.isArray(detail["violations"]) ? (detail["violations"] as unknown[]) : []))
    .map((violation) => text(bag(violation)?.["quotaId"]) ?? "")
    .concat(detailsOf(details).map((detail) => text(detail["reason"]) ?? ""))
    .join(" ");
}

function detailsOf(details: unknown): readonly Bag[] {
  return Array.isArray(details) ? details.flatMap((detail: unknown): readonly Bag[] => [bag(detail) ?? {}]) : [];
}

function bag(value: unknown): Bag | undefined {
  return typeof value === "object" && value !== null ? (value as Bag) : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && value >= 100 && value < 600 ? value : undefined;
}

function json(value: unknown): Bag | undefined {
  if (typeof value !== "string") return undefined;
  try {
    return bag(JSON.parse(value));
  } catch {
    return undefined;
  }
}
