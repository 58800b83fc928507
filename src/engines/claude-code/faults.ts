// What the program or the model's service fails with, as one code and one sentence of ours. Their own words are only looked at.
import { GatewayError, type ErrorCode } from "../../core/error.ts";
import type { Fault } from "./events.ts";

/** How the sign-in is had: words about it differ. */
export type Access = "key" | "sign-in";

/** Why a turn failed, from what the program said last. `begun`: something of the answer was shown. */
export function explain(fault: Fault | undefined, access: Access): GatewayError {
  if (fault === undefined) return new GatewayError("engine-failed", "Claude Code ended the turn with an error.");
  const { kind, status, says, refused } = fault;
  if (refused)
    return new GatewayError("engine-refused", "The model declined this request because of its content rules.");
  if (/prompt is too long|context (?:window|length|limit)/iu.test(says) || status === 413)
    return new GatewayError("engine-context-full");
  const code = CODES[kind];
  if (kind === "authentication_failed" && (access === "sign-in" || status === undefined)) return signedOut();
  if (kind === "server_error" && status === 529) return new GatewayError("engine-overloaded");
  if (code !== undefined) return new GatewayError(code, WORDS[code], { ...hinted(code) });
  if (status !== undefined && status >= 500) return new GatewayError("engine-failed", WORDS["engine-failed"]);
  if (status !== undefined && status >= 400) return new GatewayError("engine-refused");
  return new GatewayError("engine-failed", "Claude Code ended the turn with an error.");
}

/** Nobody is signed in and there is no key. `program`: its file where that is known, since the SDK puts no command on the PATH. */
export function signedOut(program?: string): GatewayError {
  const more = program === undefined ? " ./tidegate doctor names its file." : "";
  return new GatewayError("engine-unauthorized", "Claude Code isn't signed in.", {
    hint: `Run ${program ?? "claude"} in a terminal, as the user that Tidegate runs as, and sign in there (/login); or set the engine's apiKey in the config.${more}`,
  });
}

/** The kinds are those of the SDK's `SDKAssistantMessageError`, and two of ours for a connection. */
const CODES: Readonly<Partial<Record<string, ErrorCode>>> = {
  authentication_failed: "engine-unauthorized",
  oauth_org_not_allowed: "engine-unauthorized",
  billing_error: "engine-no-credit",
  rate_limit: "engine-rate-limited",
  overloaded: "engine-overloaded",
  model_not_found: "engine-model-missing",
  max_output_tokens: "engine-too-long",
  server_error: "engine-failed",
  unreachable: "engine-unreachable",
  cut: "engine-cut",
};

const WRITE_AGAIN = "Write again, and it is started anew; what was said before is kept.";

const WORDS: Readonly<Partial<Record<ErrorCode, string>>> = {
  "engine-failed": "The model's service had a fault of its own. Try again in a minute.",
};

function hinted(code: ErrorCode): { readonly hint?: string } {
  return code === "engine-rate-limited"
    ? { hint: "A smaller model, or a higher limit of the account, also helps." }
    : {};
}

/**
 * Why the program ended by itself. `complaints` is the end of its error output: only looked at.
 */
export function ended(complaints: string): GatewayError {
  if (/root\/sudo privileges/iu.test(complaints))
    return new GatewayError("engine-failed", "Claude Code refuses to run as root like this.", {
      hint: "Run Tidegate as an ordinary user.",
    });
  return new GatewayError("engine-failed", "Claude Code ended in the middle of the turn.", { hint: WRITE_AGAIN });
}
