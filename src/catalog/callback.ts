// Where a browser comes back to after a sign-in: a small server on this machine, open only while one is awaited.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { GatewayError } from "../core/error.ts";
import type { Settings } from "../store/port.ts";

/** What the page says: plain sentences of ours. */
export type Page = { readonly title: string; readonly words: string };

/** The server. `open` gives the address that browsers come back to, the same each time unless another program has taken its port. */
export type CallbackServer = {
  open(): Promise<string>;
  close(): Promise<void>;
};

const PORT_KEY = "sign-in-port";
const PATH = "/callback";
const HOST = "127.0.0.1";

/** `answer` gets what stands in the address that a browser asked for, and gives the page to show. */
export function callbackServer(settings: Settings, answer: (params: URLSearchParams) => Promise<Page>): CallbackServer {
  let opening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  const openNow = async (): Promise<{ readonly server: Server; readonly url: string }> => {
    const handle = (request: IncomingMessage, response: ServerResponse): void => void serve(request, response, answer);
    const kept = await settings.get<unknown>(PORT_KEY);
    const usual = typeof kept === "number" && Number.isInteger(kept) && kept > 0 && kept < 65_536 ? kept : 0;
    const server = (await listen(handle, usual)) ?? (usual === 0 ? undefined : await listen(handle, 0));
    if (server === undefined) throw new GatewayError("app-failed", "No port is free for a sign-in to come back to.");
    const { port } = server.address() as AddressInfo;
    if (port !== usual) await settings.set(PORT_KEY, port);
    return { server, url: `http://${HOST}:${port}${PATH}` };
  };
  return {
    async open() {
      opening ??= openNow();
      try {
        return (await opening).url;
      } catch (thrown) {
        opening = undefined;
        throw thrown;
      }
    },
    async close() {
      // Whoever asks for it from here on gets another: this one's address leads nowhere in a moment.
      const closing = opening;
      opening = undefined;
      const open = await closing?.catch(() => undefined);
      if (open === undefined) return;
      await new Promise<void>((done) => {
        open.server.close(() => done());
        open.server.closeIdleConnections();
      });
    },
  };
}

/** Undefined when the port is taken. */
async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
): Promise<Server | undefined> {
  const { createServer } = await import("node:http");
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 16_384 }, handle);
  return await new Promise((resolve) => {
    server.once("error", () => resolve(undefined));
    server.listen(port, HOST, () => {
      // Later ones, such as too many open files, end nothing.
      server.on("error", () => undefined);
      resolve(server);
    });
  });
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (params: URLSearchParams) => Promise<Page>,
): Promise<void> {
  const url = URL.parse(request.url ?? "", `http://${HOST}`);
  // Only a browser that was sent to this very address: no other name that leads here.
  const meant = request.headers.host === `${HOST}:${request.socket.localPort}`;
  if (request.method !== "GET" || url === null || url.pathname !== PATH || !meant) {
    response.writeHead(404, { connection: "close" }).end();
    return;
  }
  const { title, words } = await answer(url.searchParams);
  response.writeHead(200, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${escapeHtml(title)}</title><style>body{font:1.1rem/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}</style>` +
      `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(words)}</p></html>\n`,
  );
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
