// How requests to the platforms travel: over Node's own http, under each platform's library. It knows whether a request can have left,
// which decides between "try again" and "may have been sent"; its errors hold no address (some hold a token); it follows no redirect,
// so that a token goes nowhere else; and it is the lightest of those measured: Node's own fetch takes twice the processor time per
// call and 160 MB more under load.
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** An idle connection is given up before the usual server or router does so: a write into a dead one has an unknown outcome. */
const IDLE_MS = 55_000;

/** No answer of a platform comes near; without a limit a broken proxy could fill the memory. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** A reason of our own: making the usual one costs a stack trace. */
export const STOPPED = "stopped";

/** No answer, or none that can be read. `sent` is false only when nothing of the request can have arrived. */
export type NoAnswer = Error & { readonly sent: boolean };

export function noAnswer(what: string, sent: boolean): NoAnswer {
  return Object.assign(new Error(what), { sent });
}

export function isNoAnswer(thrown: unknown): thrown is NoAnswer {
  return thrown instanceof Error && "sent" in thrown && typeof thrown.sent === "boolean";
}

export type Asked = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export type Transport = {
  /** Rejects with a NoAnswer when there is none. */
  ask(url: string, asked: Asked, signal: AbortSignal): Promise<IncomingMessage>;
  /** Drops connections that nobody uses now: after a silence they may lead nowhere. */
  refresh(): void;
  /** Ends everything. */
  close(): void;
};

export function openTransport(): Transport {
  const agents = {
    plain: new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
    secure: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  };
  const closed = new AbortController();
  return {
    ask(url, { method, headers, body }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      if (signal.aborted || closed.signal.aborted) return Promise.reject(noAnswer(STOPPED, false));
      const secure = url.startsWith("https:");
      const options: RequestOptions = {
        agent: secure ? agents.secure : agents.plain,
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      };
      const request = secure ? httpsRequest(url, options) : httpRequest(url, options);
      let connected = false;
      const stop = (): void => {
        request.destroy(noAnswer(STOPPED, connected));
      };
      signal.addEventListener("abort", stop, { once: true });
      closed.signal.addEventListener("abort", stop, { once: true });
      const over = (): void => {
        signal.removeEventListener("abort", stop);
        closed.signal.removeEventListener("abort", stop);
      };
      request.on("socket", (socket) => {
        if (request.reusedSocket) connected = true;
        else socket.once(secure ? "secureConnect" : "connect", () => (connected = true));
      });
      request.on("response", (response) => {
        response.once("close", over);
        resolve(response);
      });
      request.on("error", (error: NodeJS.ErrnoException) => {
        over();
        reject("sent" in error ? error : noAnswer(error.code ?? "broken", connected));
      });
      request.end(body);
      return promise;
    },
    refresh() {
      for (const agent of [agents.plain, agents.secure])
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
    close() {
      closed.abort(STOPPED);
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
}

/** All of a response's body. Rejects with a NoAnswer when it breaks off or has no end. */
export async function readBody(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) throw noAnswer("too long", true);
    }
  } catch (thrown) {
    response.destroy();
    throw isNoAnswer(thrown) ? thrown : noAnswer("cut off", true);
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
