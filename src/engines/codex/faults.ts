// Why a turn of Codex's failed, as one code and one sentence of ours. Its own words, and the service's, are only looked at.
import { GatewayError, type ErrorCode } from "../../core/error.ts";
import type { ServerError } from "./protocol.ts";

/** The names of `CodexErrorInfo`. */
const NAMED: Readonly<Record<string, ErrorCode>> = {
  contextWindowExceeded: "engine-context-full",
  sessionBudgetExceeded: "engine-no-credit",
  usageLimitExceeded: "engine-no-credit",
  rateLimitExceeded: "engine-rate-limited",
  flexUnavailable: "engine-overloaded",
  serverOverloaded: "engine-overloaded",
  policyCapacityUnavailable: "engine-overloaded",
  internalServerError: "engine-overloaded",
  modelNotFound: "engine-model-missing",
  unauthorized: "engine-unauthorized",
  badRequest: "engine-refused",
  inferenceHookDenied: "engine-refused",
  cyberPolicy: "engine-refused",
  bioPolicy: "engine-refused",
  misalignmentPolicyViolation: "engine-refused",
  tooManyDenials: "engine-refused",
  httpConnectionFailed: "engine-unreachable",
  responseStreamConnectionFailed: "engine-unreachable",
  responseStreamDisconnected: "engine-cut",
  responseTooManyFailedAttempts: "engine-overloaded",
};

/** What "other" was, by the program's own sentences. */
const SAYS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/idle timeout/iu, "engine-silent"],
  [/stream disconnected|stream closed|error sending request|connection reset/iu, "engine-cut"],
  [/missing environment variable/iu, "engine-unauthorized"],
  [/context[_ ](?:length|window)/iu, "engine-context-full"],
  [/insufficient_quota|usage limit/iu, "engine-no-credit"],
  [/incomplete response/iu, "engine-cut"],
  [/"error"\s*:|unexpected status 4\d\d|invalid_request/iu, "engine-refused"],
];

const WORDS: Partial<Record<ErrorCode, string>> = {
  "engine-context-full":
    "This chat grew too long for Codex's own session of it. The next message begins a new one, with what fits of the chat.",
  "engine-no-credit": "The model's service says that the account's limit is used up for now.",
};

/** `signedIn`: by the owner's own sign-in, not by a key of the config. */
export function faultOf(error: ServerError | null, signedIn: boolean): GatewayError {
  const code = codeOf(error);
  if (code === "engine-unauthorized" && signedIn) return notSignedIn("The model's service refused Codex's sign-in.");
  return new GatewayError(code, WORDS[code]);
}

export function notSignedIn(words = "Codex isn't signed in."): GatewayError {
  return new GatewayError("engine-unauthorized", words, {
    hint: "Run `codex login` in a terminal, as the user that Tidegate runs as, or set the engine's apiKey in the config.",
  });
}

function codeOf(error: ServerError | null): ErrorCode {
  const info = error?.codexErrorInfo ?? undefined;
  if (error === null || info === undefined) return "engine-failed";
  const [name, detail] =
    typeof info === "string" ? [info, undefined] : (Object.entries(info)[0] ?? ["other", undefined]);
  return (
    byStatus(statusOf(detail)) ?? NAMED[name] ?? SAYS.find(([says]) => says.test(error.message))?.[1] ?? "engine-failed"
  );
}

function statusOf(detail: unknown): number | undefined {
  if (typeof detail !== "object" || detail === null || !("httpStatusCode" in detail)) return undefined;
  return typeof detail.httpStatusCode === "number" ? detail.httpStatusCode : undefined;
}

function byStatus(status: number | undefined): ErrorCode | undefined {
  if (status === undefined) return undefined;
  if (status === 401 || status === 403) return "engine-unauthorized";
  if (status === 402) return "engine-no-credit";
  if (status === 429) return "engine-rate-limited";
  if (status >= 500) return "engine-overloaded";
  return status >= 400 ? "engine-refused" : undefined;
}
