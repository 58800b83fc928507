// What goes wrong on purpose in the loopback Discord: planned faults per route, and rate limits.
import { tooMany } from "./discord-refusal.ts";
import type { Refusal } from "./discord-refusal.ts";

export type FaultKind =
  /** A JSON error of the platform: `status`, `code`, `message`. */
  | "error"
  /** 429 for this bucket, or for everything with `global`. */
  | "rateLimited"
  /** Status 500 and nothing was done. */
  | "http500"
  /** Done and visible, then status 500. */
  | "status500AfterStore"
  /** A proxy's HTML page, status 502. */
  | "html502"
  /** The connection is destroyed and nothing was done. */
  | "resetBeforeStore"
  /** Done and visible, then the connection is destroyed. */
  | "resetAfterStore"
  /** Accepted and never answered, nothing done. */
  | "hang"
  /** Done and visible, and never answered. */
  | "hangAfterStore"
  /** A 204 that claims to be JSON. */
  | "json204"
  /** Answered after `delayMs`. */
  | "slow";

export interface Fault {
  kind: FaultKind;
  /** How many calls it hits, default 1. */
  times?: number | "always";
  status?: number;
  code?: number;
  message?: string;
  /** Default 300. */
  retryAfterMs?: number;
  global?: boolean;
  delayMs?: number;
}

interface Planned extends Fault {
  route: string;
  left: number;
}

/** Short names of the routes that matter most. */
const routes: Record<string, string> = {
  send: "POST /channels/*/messages",
  edit: "PATCH /channels/*/messages/*",
  delete: "DELETE /channels/*/messages/*",
  history: "GET /channels/*/messages",
  typing: "POST /channels/*/typing",
  callback: "POST /interactions/*/*/callback",
  followup: "POST /webhooks/*/*",
  original: "PATCH /webhooks/*/*/messages/@original",
  commands: "PUT /applications/*/commands",
  opendm: "POST /users/@me/channels",
  me: "GET /users/@me",
  gateway: "GET /gateway/bot",
};

/** `METHOD /path` where a step may be `*`, `:name` or `{name}`; a short name; or "*" for every call. */
export function matchesRoute(wanted: string, method: string, path: string): boolean {
  if (wanted === "*") return true;
  const [wantedMethod = "", wantedPath = ""] = (routes[wanted.toLowerCase()] ?? wanted).split(" ", 2);
  if (wantedMethod.toUpperCase() !== method) return false;
  const steps = wantedPath.split("/");
  const there = path.split("/");
  return (
    steps.length === there.length &&
    steps.every((step, index) => step === "*" || /^(?::|\{)/.test(step) || step === there[index])
  );
}

export class Faults {
  #planned: Planned[] = [];

  plan(route: string, fault: Fault): void {
    const left = fault.times === "always" ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
    this.#planned.push({ ...fault, route, left });
  }

  clear(): void {
    this.#planned = [];
  }

  take(method: string, path: string): Fault | undefined {
    const fault = this.#planned.find((one) => matchesRoute(one.route, method, path));
    if (!fault) return undefined;
    fault.left--;
    if (fault.left <= 0) this.#planned.splice(this.#planned.indexOf(fault), 1);
    return fault;
  }
}

export interface Rates {
  /** Writes to the messages of one channel; the platform's own is about 5 in 5 s. */
  perChannel?: { limit: number; windowMs: number };
  /** All calls but interaction callbacks; the platform's own is 50 in 1 s. */
  perSecond?: number;
}

interface Window {
  startMs: number;
  count: number;
}

/** Counts calls per bucket; the headers say how much is left. */
export class Buckets {
  readonly #rates: Rates;
  readonly #now: () => number;
  readonly #windows: Map<string, Window> = new Map();

  constructor(rates: Rates, now: () => number) {
    this.#rates = rates;
    this.#now = now;
  }

  /** The headers of an answer to this call; throws the 429 when it is one too many. */
  count(method: string, path: string): Record<string, string> {
    const { perSecond } = this.#rates;
    const callback = /^\/interactions\/.*\/callback$/.test(path);
    if (perSecond !== undefined && !callback) {
      const { window, leftMs } = this.#step("all", 1000);
      if (window.count > perSecond) throw tooMany(leftMs, "global");
    }
    const [, place = "", id = "", messages] = path.split("/");
    const major = place === "channels" || place === "webhooks" ? `${place}/${id}` : place;
    const bucket = `${method} ${major} ${messages ?? ""}`;
    const writes = place === "channels" && messages === "messages" && method !== "GET";
    const limits = writes ? (this.#rates.perChannel ?? relaxed) : relaxed;
    const { window, leftMs } = this.#step(bucket, limits.windowMs);
    const hash = Buffer.from(bucket.replace(id, "")).toString("hex").padEnd(32, "0").slice(0, 32);
    if (window.count > limits.limit) throw withLimit(tooMany(leftMs, "user", hash), limits.limit);
    return {
      "x-ratelimit-bucket": hash,
      "x-ratelimit-limit": String(limits.limit),
      "x-ratelimit-remaining": String(limits.limit - window.count),
      "x-ratelimit-reset": ((this.#now() + leftMs) / 1000).toFixed(3),
      "x-ratelimit-reset-after": (leftMs / 1000).toFixed(3),
    };
  }

  #step(key: string, windowMs: number): { window: Window; leftMs: number } {
    const nowMs = this.#now();
    let window = this.#windows.get(key);
    if (!window || nowMs - window.startMs >= windowMs) {
      window = { startMs: nowMs, count: 0 };
      this.#windows.set(key, window);
    }
    window.count++;
    return { window, leftMs: windowMs - (nowMs - window.startMs) };
  }
}

/** So many that no test meets them unless it asks for real ones. */
const relaxed = { limit: 1000, windowMs: 1000 };

function withLimit(refusal: Refusal, limit: number): Refusal {
  refusal.headers["x-ratelimit-limit"] = String(limit);
  return refusal;
}
