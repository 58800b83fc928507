// Apps at an address, spoken to by Streamable HTTP.
import type { GatewayError } from "../core/error.ts";
import type { Clock } from "../core/surroundings.ts";
import { within } from "./deadline.ts";
import { guardedFetch, type Fetching } from "./fetching.ts";
import type { Bounds, Wire } from "./link.ts";

/** What a server says with a 401: where it tells who signs people in, and for what. */
export type Challenge = { readonly metadata?: URL | undefined; readonly scope?: string | undefined };

/** The tokens of the one who signed in. */
export type Bearer = {
  /** The access token, when there is one. */
  token(): Promise<string | undefined>;
  /** After `refused` was refused: gets another; false when there is none to be had without a sign-in. Throws when that can't be told now. */
  renew(refused: string, signal: AbortSignal): Promise<boolean>;
};

/** `challenged` is called with each 401 that stays one. */
export type RemoteWire = {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bearer: Bearer;
  readonly challenged: (challenge: Challenge) => void;
};

const GOODBYE_MS = 1_000;

/** A connection by HTTP. Nothing is sent before the first message. */
export async function remoteWire(app: RemoteWire, bounds: Bounds, clock: Clock): Promise<Wire> {
  const [{ StreamableHTTPClientTransport }, { extractWWWAuthenticateParams }] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/client/auth.js"),
  ]);
  let why: GatewayError | undefined;
  const server = new URL(app.url);
  const guarded = guardedFetch({
    name: app.name,
    server,
    clock,
    wholeMs: bounds.callMs + bounds.startMs,
    maxBytes: bounds.maxBytes,
    // The SDK leaves a call unanswered whose stream broke: the connection ends, and with it all that wait.
    broken: (reason) => {
      why = reason;
      void transport.close();
    },
  });
  const signedIn: Fetching = async (url, init = {}) => {
    const token = await app.bearer.token();
    let response = await guarded(url, bearing(init, app.headers, token));
    if (response.status !== 401) return response;
    const stop = init.signal ?? new AbortController().signal;
    if (token !== undefined && (await app.bearer.renew(token, stop))) {
      await response.body?.cancel();
      response = await guarded(url, bearing(init, app.headers, await app.bearer.token()));
      if (response.status !== 401) return response;
    }
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    app.challenged({ metadata: resourceMetadataUrl, scope });
    return response;
  };
  const transport = new StreamableHTTPClientTransport(server, { fetch: signedIn });
  return {
    transport,
    why: () => why,
    async end() {
      // So that the server need not keep what it holds for us. Closing does not wait for it for long.
      if (transport.sessionId !== undefined && why === undefined) {
        const still = new AbortController().signal;
        const enough = (): Error => new Error("It takes too long.");
        await within(clock, GOODBYE_MS, still, enough, async () => await transport.terminateSession()).catch(
          () => undefined,
        );
      }
      await transport.close();
    },
  };
}

function bearing(init: RequestInit, own: Readonly<Record<string, string>>, token: string | undefined): RequestInit {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
