// How requests travel: small, and knowing whether one can have left, which decides between "try again" and "may have been sent".
//
// It takes the place of the library's own. That one doesn't tell, its errors hold the address (which may hold a token), and it reads
// any 204 that calls itself JSON as JSON, and fails.
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** An idle connection is given up before the usual server or router does so: a write into a dead one has an unknown outcome. */
const IDLE_MS = 55_000;

/** No answer of the API comes near; without a limit a broken proxy could fill the memory. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** A reason of our own: making the usual one costs a stack trace. */
export const STOPPED = "stopped";

/** No answer, or none that can be read. `sent` is false only when nothing of the request can have arrived. Holds no address. */
export type NoAnswer = Error & { readonly sent: boolean };

export function noAnswer(what: string, sent: boolean): NoAnswer {
  return Object.assign(new Error(what), { sent });
}

/** What the library hands over of a request, as far as it is used here. */
export type LibraryRequest = {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
};

/** What the library reads of an answer. */
export type LibraryAnswer = {
  readonly status: number;
  readonly statusText: string;
  readonly ok: boolean;
  readonly bodyUsed: boolean;
  readonly headers: { get(name: string): string | null; has(name: string): boolean };
  json(): Promise<unknown>;
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
};

export type Transport = {
  /** One request of the library, its answer read to the end. Rejects with NoAnswer. */
  send(url: string, init: LibraryRequest): Promise<LibraryAnswer>;
  /** Opens an address for reading, without any credential. Rejects with NoAnswer, and when it isn't there. */
  open(url: string, signal: AbortSignal): Promise<IncomingMessage>;
  /** Ends everything. */
  close(): void;
};

/** `secure`: nothing may be asked in the clear. */
export function openTransport(secure: boolean): Transport {
  const agents = {
    http: new HttpAgent({ keepAlive: true, timeout: IDLE_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: IDLE_MS }),
  };

  const ask = (
    url: string,
    options: RequestOptions,
    body: Buffer | undefined,
    signal: AbortSignal,
  ): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    if (signal.aborted) return Promise.reject(noAnswer(STOPPED, false));
    const isHttps = url.startsWith("https:");
    if (!isHttps && (secure || !url.startsWith("http:")))
      return Promise.reject(noAnswer("an address in the clear", false));
    const agent = isHttps ? agents.https : agents.http;
    const request: ClientRequest = (isHttps ? httpsRequest : httpRequest)(url, { ...options, agent });
    let connected = false;
    const stop = (): void => {
      request.destroy(noAnswer(STOPPED, connected));
    };
    signal.addEventListener("abort", stop, { once: true });
    request.on("socket", (socket) => {
      if (request.reusedSocket) connected = true;
      else socket.once(isHttps ? "secureConnect" : "connect", () => (connected = true));
    });
    request.on("response", (response) => {
      response.once("close", () => signal.removeEventListener("abort", stop));
      resolve(response);
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      signal.removeEventListener("abort", stop);
      reject("sent" in error ? error : noAnswer(error.code ?? "broken", connected));
    });
    request.end(body);
    return promise;
  };

  return {
    async send(url, { method = "GET", headers, body, signal }) {
      const { bytes, type } = await bodyOf(body);
      const given = {
        ...(headers as Readonly<Record<string, string>>),
        ...(type === undefined ? {} : { "content-type": type }),
        ...(bytes === undefined ? {} : { "content-length": String(bytes.byteLength) }),
      };
      const response = await ask(url, { method, headers: given }, bytes, signal ?? new AbortController().signal);
      return answerOf(response, await readAll(response));
    },
    async open(url, signal) {
      const response = await ask(url, { method: "GET" }, undefined, signal);
      // No other address is followed from here.
      if (response.statusCode === 200) return response;
      response.resume();
      throw noAnswer(`status ${response.statusCode ?? 0}`, true);
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The library hands over text, or a form when a file goes with it. */
async function bodyOf(body: unknown): Promise<{ bytes?: Buffer; type?: string }> {
  if (body === null || body === undefined) return {};
  if (typeof body === "string") return { bytes: Buffer.from(body) };
  if (!(body instanceof FormData)) throw noAnswer("a body that is not understood", false);
  const form = new Response(body);
  return { bytes: Buffer.from(await form.arrayBuffer()), type: form.headers.get("content-type") ?? "" };
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_ANSWER_BYTES) throw noAnswer("an answer without end", true);
      parts.push(part);
    }
  } catch (thrown) {
    response.destroy();
    throw thrown instanceof Error && "sent" in thrown ? thrown : noAnswer("broken off", true);
  }
  return Buffer.concat(parts);
}

function answerOf(response: IncomingMessage, body: Buffer): LibraryAnswer {
  const { statusCode: status = 0, statusMessage = "", headers } = response;
  // An answer without a body is none that can be read as JSON, whatever it calls itself.
  const silent = status === 204 || body.length === 0;
  const valueOf = (name: string): string | null => {
    const key = name.toLowerCase();
    return silent && key === "content-type" ? null : oneOf(headers, key);
  };
  return {
    status,
    statusText: statusMessage,
    ok: status >= 200 && status < 300,
    bodyUsed: false,
    headers: { get: valueOf, has: (name) => valueOf(name) !== null },
    json() {
      try {
        return Promise.resolve(JSON.parse(body.toString("utf8")));
      } catch {
        return Promise.reject(noAnswer(`status ${status}, no JSON`, true));
      }
    },
    text: () => Promise.resolve(body.toString("utf8")),
    arrayBuffer: () => Promise.resolve(new Uint8Array(body).buffer),
  };
}

function oneOf(headers: IncomingHttpHeaders, key: string): string | null {
  const value = headers[key];
  return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
}
