// What every loopback platform shares: a listening server, `until` (wait for a state without
// sleeping) and a control port, so that another process can drive the platform by JSON.
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on loopback only; port 0 picks a free one. Closing also cuts connections that are still open. */
export async function listen(handle: RequestListener, port = 0): Promise<Listening> {
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, handle);
  // A client that goes away is one of the things under test, never a fault of the server.
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Rejects when the client goes away in the middle. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  if (response.destroyed) return;
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, {
    ...headers,
    "content-type": "application/json",
    "content-length": body.length,
  });
  response.end(body);
}

export interface UntilOptions {
  /** Real time, default 12,000. */
  timeoutMs?: number;
  /** Says in the error what was waited for. */
  what?: string;
}

/** Passing waits: false, null and undefined mean "not yet", anything else is the answer. */
export type Seen<T> = Exclude<T, false | null | undefined>;

interface Waiter {
  check(): void;
  fail(error: Error): void;
}

/** The state's watchers. `changed()` looks at every waiting predicate at once, so that nothing short-lived is missed. */
export class Watch {
  readonly #describe: () => string;
  readonly #waiters: Set<Waiter> = new Set();

  constructor(describe: () => string) {
    this.#describe = describe;
  }

  changed(): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of [...this.#waiters]) waiter.check();
  }

  until<T>(predicate: () => T, options: UntilOptions = {}): Promise<Seen<T>> {
    const { timeoutMs = 12_000, what } = options;
    // The stack of the caller is what helps; that of the timer says nothing.
    const trace = new Error("Not seen");
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        check: () => {
          try {
            const value = predicate();
            if (value === false || value === null || value === undefined) return;
            finish();
            resolve(value as Seen<T>);
          } catch (error) {
            finish();
            reject(error);
          }
        },
        fail: (error) => {
          finish();
          reject(error);
        },
      };
      const timer = setTimeout(() => {
        const wanted = what ?? predicate.toString();
        trace.message = `Not seen within ${timeoutMs} ms: ${wanted}\nSeen so far:\n${this.#describe()}`;
        waiter.fail(trace);
      }, timeoutMs);
      this.#waiters.add(waiter);
      waiter.check();
    });
  }

  /** Ends every wait, for a server that closes. */
  close(): void {
    for (const waiter of [...this.#waiters]) {
      waiter.fail(new Error(`The server closed. Seen so far:\n${this.#describe()}`));
    }
  }
}

/** What may be asked over the control port: a method's name and its arguments as a JSON array. */
export type Verbs = Record<string, (...args: never[]) => unknown>;

/**
 * POST /control/VERB with a JSON array of arguments (or one JSON value, taken as the only argument)
 * answers {"ok":true,"result":…} or, with status 400, {"ok":false,"error":"…"}.
 */
export function serveControl(verbs: Verbs, port = 0): Promise<Listening> {
  return listen((request, response) => {
    void answerControl(verbs, request, response);
  }, port);
}

async function answerControl(verbs: Verbs, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const name = (request.url ?? "").replace(/^\/control\//, "").replace(/\?.*$/, "");
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
    if (!verb) throw new Error(`No verb "${name}". There are: ${Object.keys(verbs).join(", ")}`);
    const body = (await readBody(request)).toString("utf8");
    const given: unknown = body === "" ? [] : JSON.parse(body);
    const args = Array.isArray(given) ? given : [given];
    const result: unknown = await verb(...(args as never[]));
    sendJson(response, 200, { ok: true, result: result ?? null });
  } catch (error) {
    sendJson(response, 400, {
      ok: false,
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

/** Calls one verb of a control port in another process. */
export async function control(url: string, verb: string, ...args: unknown[]): Promise<unknown> {
  const response = await fetch(`${url}/control/${verb}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
  });
  const answer = (await response.json()) as { ok: boolean; result?: unknown; error?: string };
  if (!answer.ok) throw new Error(`${verb}: ${answer.error ?? "refused"}`);
  return answer.result;
}

/** `--port N --control N` of a server that is run as a program. */
export function portsFromArgs(args: string[]): { port: number; control: number } {
  const read = (name: string): number => {
    const at = args.indexOf(name);
    return at === -1 ? 0 : Number(args[at + 1] ?? 0);
  };
  return { port: read("--port"), control: read("--control") };
}

/** The newest `cap` to `2 × cap` entries; old ones go in blocks, so that adding stays cheap. */
export function pushCapped<T>(list: T[], item: T, cap: number): void {
  if (cap <= 0) return;
  list.push(item);
  if (list.length >= cap * 2) list.splice(0, list.length - cap);
}
