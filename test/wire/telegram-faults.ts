// What goes wrong on purpose in the loopback Telegram: planned faults per method, and flood limits.
import { Refusal } from "./telegram-state.ts";

export type FaultKind =
  /** The platform's envelope with ok:false. */
  | "error"
  /** A proxy's HTML page, status 502: no envelope at all. */
  | "html502"
  /** The connection is destroyed and nothing was done. */
  | "resetBeforeStore"
  /** Done and visible in the chat, then the connection is destroyed. */
  | "resetAfterStore"
  /** Accepted and never answered, nothing done. */
  | "hang"
  /** Done and visible in the chat, and never answered. */
  | "hangAfterStore"
  /** Answered after `delayMs`. */
  | "slow";

export interface Fault {
  kind: FaultKind;
  /** How many calls it hits, default 1. */
  times?: number | "always";
  /** Only calls about this chat. */
  chat?: number;
  code?: number;
  description?: string;
  retryAfter?: number;
  delayMs?: number;
}

interface Planned extends Fault {
  left: number;
}

export class Faults {
  readonly #byMethod: Map<string, Planned[]> = new Map();

  /** `"*"` is every method except getUpdates. */
  plan(method: string, fault: Fault): void {
    const key = method.toLowerCase();
    const left = fault.times === "always" ? Number.POSITIVE_INFINITY : (fault.times ?? 1);
    const list = this.#byMethod.get(key) ?? [];
    list.push({ ...fault, left });
    this.#byMethod.set(key, list);
  }

  clear(): void {
    this.#byMethod.clear();
  }

  take(method: string, chatId: unknown): Fault | undefined {
    if (this.#byMethod.size === 0) return undefined;
    return this.#takeFrom(method, chatId) ?? (method === "getupdates" ? undefined : this.#takeFrom("*", chatId));
  }

  #takeFrom(key: string, chatId: unknown): Fault | undefined {
    const list = this.#byMethod.get(key);
    const fault = list?.find((one) => one.chat === undefined || one.chat === Number(chatId));
    if (!list || !fault) return undefined;
    fault.left--;
    if (fault.left <= 0) {
      list.splice(list.indexOf(fault), 1);
      if (list.length === 0) this.#byMethod.delete(key);
    }
    return fault;
  }
}

export function faultRefusal(fault: Fault): Refusal {
  const code = fault.code ?? (fault.retryAfter === undefined ? 400 : 429);
  const usual: Record<number, string> = {
    400: "Bad Request: chat not found",
    401: "Unauthorized",
    403: "Forbidden: bot was blocked by the user",
    409: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    429: `Too Many Requests: retry after ${fault.retryAfter ?? 1}`,
    500: "Internal Server Error",
    502: "Bad Gateway",
  };
  const retry = fault.retryAfter ?? (code === 429 ? 1 : undefined);
  return new Refusal(
    code,
    fault.description ?? usual[code] ?? "Bad Request",
    retry === undefined ? undefined : { retry_after: retry },
  );
}

/** Rates above which calls that write to a chat are refused with 429; sends and edits count together. */
export interface FloodLimits {
  perChatPerSecond?: number;
  perGroupPerMinute?: number;
  perSecond?: number;
  /** The first penalty in seconds, default 3. */
  retryAfter?: number;
  /** Each call during a penalty makes it longer by this many seconds, default 0. */
  growsBy?: number;
}

interface Window {
  startMs: number;
  count: number;
}

export class Flood {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  readonly #windows: Map<string, Window> = new Map();
  readonly #blockedUntilMs: Map<number, number> = new Map();

  constructor(limits: FloodLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Counts one call about a chat; throws the 429 when it is one too many. */
  count(chatId: number): void {
    const nowMs = this.#now();
    const { perChatPerSecond, perGroupPerMinute, perSecond, retryAfter = 3, growsBy = 0 } = this.#limits;
    const blockedUntil = this.#blockedUntilMs.get(chatId) ?? 0;
    if (blockedUntil > nowMs) {
      const until = blockedUntil + growsBy * 1000;
      this.#blockedUntilMs.set(chatId, until);
      throw tooMany(Math.ceil((until - nowMs) / 1000));
    }
    const over =
      this.#over(`chat ${chatId}`, perChatPerSecond, 1000) ||
      (chatId < 0 && this.#over(`group ${chatId}`, perGroupPerMinute, 60_000)) ||
      this.#over("all", perSecond, 1000);
    if (!over) return;
    this.#blockedUntilMs.set(chatId, nowMs + retryAfter * 1000);
    throw tooMany(retryAfter);
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

function tooMany(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}
