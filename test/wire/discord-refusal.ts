// How Discord says no (REST v10): an HTTP status, a JSON error code and, for a bad form, a tree that
// names each wrong field.

/** One wrong field: where it stands (`components.0.components.1.label`), the code and the words. */
export interface FieldProblem {
  path: string;
  code: string;
  message: string;
}

interface ErrorTree {
  [field: string]: ErrorTree | { code: string; message: string }[];
}

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly problems: readonly FieldProblem[];
  readonly headers: Record<string, string>;
  readonly extra: Record<string, unknown>;

  constructor(
    status: number,
    code: number,
    message: string,
    rest: {
      problems?: readonly FieldProblem[];
      headers?: Record<string, string>;
      extra?: Record<string, unknown>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.problems = rest.problems ?? [];
    this.headers = rest.headers ?? {};
    this.extra = rest.extra ?? {};
  }

  get body(): Record<string, unknown> {
    return {
      message: this.message,
      code: this.code,
      ...(this.problems.length > 0 ? { errors: tree(this.problems) } : {}),
      ...this.extra,
    };
  }
}

function tree(problems: readonly FieldProblem[]): ErrorTree {
  const root: ErrorTree = {};
  for (const { path, code, message } of problems) {
    let at = root;
    for (const step of path.split(".").filter((step) => step !== "")) {
      const next = at[step];
      at = next === undefined || Array.isArray(next) ? (at[step] = {}) : next;
    }
    const list = Array.isArray(at["_errors"]) ? at["_errors"] : (at["_errors"] = []);
    list.push({ code, message });
  }
  return root;
}

/** Text, a number as text, anything else as no text at all. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

/** Code 50035, "Invalid Form Body". */
export function invalidForm(...problems: FieldProblem[]): Refusal {
  return new Refusal(400, 50_035, "Invalid Form Body", { problems });
}

export function problem(path: string, code: string, message: string): FieldProblem {
  return { path, code, message };
}

/** The refusals that name no field, by their JSON error code (rest/common.d.ts of discord-api-types). */
const plain: Record<number, [status: number, message: string]> = {
  10_002: [404, "Unknown Application"],
  10_003: [404, "Unknown Channel"],
  10_004: [404, "Unknown Guild"],
  10_008: [404, "Unknown Message"],
  10_013: [404, "Unknown User"],
  10_015: [404, "Unknown Webhook"],
  10_062: [404, "Unknown interaction"],
  40_005: [413, "Request entity too large"],
  40_060: [400, "Interaction has already been acknowledged."],
  50_001: [403, "Missing Access"],
  50_003: [403, "Cannot execute action on a DM channel"],
  50_005: [403, "Cannot edit a message authored by another user"],
  50_006: [400, "Cannot send an empty message"],
  50_007: [403, "Cannot send messages to this user"],
  50_008: [400, "Cannot send messages in a non-text channel"],
  50_013: [403, "Missing Permissions"],
  50_024: [400, "Cannot execute action on this channel type"],
  50_027: [401, "Invalid Webhook Token"],
  50_083: [400, "Thread is archived"],
  50_109: [400, "The request body contains invalid JSON."],
  160_004: [400, "A thread has already been created for this message"],
};

export function refusalOf(code: number): Refusal {
  const [status, message] = plain[code] ?? [400, `Error ${code}`];
  return new Refusal(status, code, message);
}

/** A wrong or missing token: HTTP 401 with code 0. */
export function unauthorized(): Refusal {
  return new Refusal(401, 0, "401: Unauthorized");
}

export function notFound(): Refusal {
  return new Refusal(404, 0, "404: Not Found");
}

/** HTTP 429 with its headers; `scope` as in X-RateLimit-Scope. */
export function tooMany(retryAfterMs: number, scope: "user" | "global" | "shared", bucket = "bucket"): Refusal {
  const seconds = retryAfterMs / 1000;
  const global = scope === "global";
  return new Refusal(429, 0, "You are being rate limited.", {
    headers: {
      // Whole seconds, as HTTP has it; the body has the fraction.
      "retry-after": String(Math.max(1, Math.ceil(seconds))),
      "x-ratelimit-scope": scope,
      "x-ratelimit-reset-after": seconds.toFixed(3),
      ...(global
        ? { "x-ratelimit-global": "true" }
        : { "x-ratelimit-bucket": bucket, "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0" }),
    },
    extra: { retry_after: seconds, global },
  });
}
