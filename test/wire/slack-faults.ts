// What goes wrong on purpose in the loopback Slack: planned faults per method, and rate limits.
import type { ServerResponse } from "node:http";
import { Refusal } from "./slack-state.ts";

export type FaultKind =
  /** The platform's envelope with ok:false; `error` names the code. */
  | "error"
  /** HTTP 429 with Retry-After. */
  | "rateLimited"
  /** HTTP 500, nothing done. */
  | "http500"
  /** A proxy's HTML page, status 502: no envelope at all. */
  | "html502"
  /** The connection is destroyed and nothing was done. */
  | "resetBeforeStore"
  /** Done and visible in the conversation, then the connection is destroyed. */
  | "resetAfterStore"
  /** Done and visible, then HTTP 500. */
  | "status500AfterStore"
  /** Accepted and never answered, nothing done. */
  | "hang"
  /** Done and visible, and never answered. */
  | "hangAfterStore"
  /** Answered after `delayMs`. */
  | "slow";

export interface Fault {
  kind: FaultKind;
  /** How many calls it hits, default 1. */
  times?: number | "always";
  /** Only calls about this conversation. */
  channel?: string;
  /** The code of an "error", default `internal_error`. */
  error?: string;
  /** Seconds, default 1. */
  retryAfter?: number;
  delayMs?: number;
}

interface Planned extends Fault {
  left: number;
}

export class Faults {
  readonly #byMethod: Map<string, Planned[]> = new Map();

  /** `"*"` is every method. */
  plan(method: string, fault: Fault): void {
    const left = fault.times === "always" ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
    const list = this.#byMethod.get(method) ?? [];
    list.push({ ...fault, left });
    this.#byMethod.set(method, list);
  }

  clear(): void {
    this.#byMethod.clear();
  }

  take(method: string, channel: unknown): Fault | undefined {
    if (this.#byMethod.size === 0) return undefined;
    const own = this.#takeFrom(method, channel);
    // A download is no method.
    return own ?? (method === "download" ? undefined : this.#takeFrom("*", channel));
  }

  #takeFrom(key: string, channel: unknown): Fault | undefined {
    const list = this.#byMethod.get(key);
    const fault = list?.find((one) => one.channel === undefined || one.channel === channel);
    if (!list || !fault) return undefined;
    fault.left--;
    if (fault.left <= 0) {
      list.splice(list.indexOf(fault), 1);
      if (list.length === 0) this.#byMethod.delete(key);
    }
    return fault;
  }
}

/** A hard reset (RST), so that the client sees ECONNRESET rather than a tidy end. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** True when the fault has dealt with the call and no method may run. */
export async function failEarly(fault: Fault, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case "error":
      throw new Refusal(fault.error ?? "internal_error");
    case "rateLimited":
      throw tooMany(fault.retryAfter ?? 1);
    case "http500":
      response.writeHead(500, { "content-type": "text/plain" });
      response.end("Internal Server Error");
      return true;
    case "html502":
      response.writeHead(502, { "content-type": "text/html" });
      response.end("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>");
      return true;
    case "resetBeforeStore":
      reset(response);
      return true;
    case "hang":
      return true;
    case "slow":
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 100));
      return false;
    default:
      return false;
  }
}

/** True when the fault has dealt with an answer that would have gone out. */
export function failLate(fault: Fault | undefined, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case "resetAfterStore":
      reset(response);
      return true;
    case "hangAfterStore":
      return true;
    case "status500AfterStore":
      response.writeHead(500, { "content-type": "text/plain" });
      response.end("Internal Server Error");
      return true;
    default:
      return false;
  }
}

export function tooMany(seconds: number): Refusal {
  return new Refusal("ratelimited", {}, seconds);
}

/** Rates above which posts are refused with 429. */
export interface FloodLimits {
  /** chat.postMessage per conversation and second; the platform tolerates short bursts. */
  postsPerChannelPerSecond?: number;
  /** chat.update calls per minute in the whole workspace (tier 3: 50 and more). */
  updatesPerMinute?: number;
  /** Seconds, default 1. */
  retryAfter?: number;
}

export class Flood {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  readonly #windows: Map<string, { startMs: number; count: number }> = new Map();

  constructor(limits: FloodLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Throws the 429 when this call is one too many. */
  count(method: string, channel: string): void {
    const { postsPerChannelPerSecond: posts, updatesPerMinute: updates, retryAfter = 1 } = this.#limits;
    const over =
      (method === "chat.postMessage" && this.#over(`post ${channel}`, posts, 1000)) ||
      (method === "chat.update" && this.#over("update", updates, 60_000));
    if (over) throw tooMany(retryAfter);
  }

  #over(key: string, limit: number | undefined, lengthMs: number): boolean {
    if (limit === undefined) return false;
    const nowMs = this.#now();
    const window = this.#windows.get(key);
    if (!window || nowMs - window.startMs >= lengthMs) {
      this.#windows.set(key, { startMs: nowMs, count: 1 });
      return false;
    }
    window.count++;
    return window.count > limit;
  }
}
