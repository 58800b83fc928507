// What discord.js's REST client reads of an answer, over the transport that all platforms share. It takes the place of the library's
// own, which doesn't tell whether a request can have left, holds the address (which may hold a token) in its errors, and reads any 204
// that calls itself JSON as JSON, and fails.
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { noAnswer, openTransport, readBody } from "../transport.ts";

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

export type DiscordTransport = {
  /** One request of the library, its answer read to the end. Rejects with NoAnswer. */
  send(url: string, init: LibraryRequest): Promise<LibraryAnswer>;
  /** Opens an address for reading, without any credential. Rejects with NoAnswer, and when it isn't there. */
  open(url: string, signal: AbortSignal): Promise<IncomingMessage>;
  /** Ends everything. */
  close(): void;
};

/** `secure`: nothing may be asked in the clear. */
export function openDiscordTransport(secure: boolean): DiscordTransport {
  const transport = openTransport();
  const ask: typeof transport.ask = (url, asked, signal) =>
    url.startsWith("https:") || (!secure && url.startsWith("http:"))
      ? transport.ask(url, asked, signal)
      : Promise.reject(noAnswer("an address in the clear", false));
  return {
    async send(url, { method = "GET", headers: given, body, signal }) {
      const { bytes, type } = await bodyOf(body);
      const headers = {
        ...(given as Readonly<Record<string, string>>),
        ...(type === undefined ? {} : { "content-type": type }),
      };
      const asked = { method, headers, ...(bytes === undefined ? {} : { body: bytes }) };
      const response = await ask(url, asked, signal ?? new AbortController().signal);
      return answerOf(response, await readBody(response));
    },
    async open(url, signal) {
      const response = await ask(url, { method: "GET", headers: {} }, signal);
      // No other address is followed from here.
      if (response.statusCode === 200) return response;
      response.resume();
      throw noAnswer(`status ${response.statusCode ?? 0}`, true);
    },
    close: () => transport.close(),
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
