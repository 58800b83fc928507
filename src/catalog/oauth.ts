// Signing in to remote apps by OAuth: a browser goes there and comes back; what it brings is exchanged for tokens, which are renewed.
import { createHash, timingSafeEqual } from "node:crypto";
import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Settings } from "../store/port.ts";
import { callbackServer, type Page } from "./callback.ts";
import { within } from "./deadline.ts";
import { assertAddress, guardedFetch, type Fetching } from "./fetching.ts";
import type { Bearer, Challenge } from "./remote.ts";
import type { Kept, Vault } from "./vault.ts";

/** An app that people sign in to. `client`: what its owner registered there by hand. */
export type SignInApp = {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly client?: { readonly id: string; readonly secret?: string | undefined } | undefined;
};

/** What is kept of an app, sealed. `url`: the app's address, which they are for; `redirect`: the one that the client was registered with. */
export type Secrets = {
  readonly url: string;
  readonly client?: OAuthClientInformationMixed | undefined;
  readonly redirect?: string | undefined;
  readonly grant?: { readonly tokens: OAuthTokens; readonly discovery: OAuthDiscoveryState } | undefined;
};

/** Sign-ins under way, and the tokens of those that were finished. */
export type SignInDesk = {
  /** Begins one, or finds the one under way, and gives the address to open. Throws a GatewayError in words. */
  begin(app: SignInApp, challenge: Challenge, signal: AbortSignal): Promise<string>;
  /** Takes what stands in the address a browser came back to. Undefined when no sign-in waits for it; throws when it did not work. */
  finish(params: URLSearchParams): Promise<SignInApp | undefined>;
  bearer(app: SignInApp): Bearer;
  /** Whether there are tokens; `lost`: there are, and can't be read any more. */
  standing(app: string): Promise<Kept<Secrets>["is"]>;
  forget(app: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const PENDING_MS = 10 * 60_000;
const STEP_MS = 30_000;
const MAX_BYTES = 1024 * 1024;

/** A sign-in under way, with all that its second half needs. */
type Pending = {
  readonly app: SignInApp;
  readonly state: string;
  readonly until: number;
  readonly over: AbortController;
  url?: string;
  redirect?: string;
  client?: OAuthClientInformationMixed | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  verifier?: string;
  tokens?: OAuthTokens;
};

/** Opens the desk. `finished` hears of each sign-in that worked. */
export function openSignIns(
  settings: Settings,
  vault: Vault<Secrets>,
  surroundings: Surroundings,
  finished: (app: SignInApp) => void,
): SignInDesk {
  const { clock, random, log } = surroundings;
  const pendings = new Set<Pending>();
  const renewals = new Map<string, Promise<boolean>>();
  const life = new AbortController();
  const callback = callbackServer(settings, async (params) => await page(params));

  const drop = (pending: Pending): void => {
    pendings.delete(pending);
    pending.over.abort();
    if (pendings.size === 0) void callback.close();
  };
  const fetching = (app: SignInApp, signal: AbortSignal): Fetching => {
    const rules = { name: app.name, server: new URL(app.url), clock, wholeMs: STEP_MS, maxBytes: MAX_BYTES };
    const guarded = guardedFetch(rules);
    return async (url, init) => await guarded(url, { ...init, signal });
  };
  const silent = (app: SignInApp) => (): GatewayError =>
    new GatewayError("app-failed", `The service that signs people in to ${app.name} did not answer in time.`);
  // An entry may name another server by now, which is given nothing of what was for the one before.
  const secrets = async ({ id, url }: SignInApp): Promise<Secrets> => {
    const kept = await vault.read(id);
    return kept.is === "kept" && kept.value.url === url ? kept.value : { url };
  };

  const page = async (params: URLSearchParams): Promise<Page> => {
    const retry = "Go back to the chat and start it there again.";
    try {
      const app = await finish(params);
      return app === undefined
        ? {
            title: "This sign-in is not awaited",
            words: `It was used already, is older than ten minutes, or Tidegate was restarted meanwhile. ${retry}`,
          }
        : {
            title: `You are signed in to ${app.name}`,
            words: "It worked. You can close this page and go back to the chat.",
          };
    } catch (thrown) {
      const words = thrown instanceof GatewayError ? thrown.message : "Something went wrong.";
      return { title: "The sign-in did not work", words: `${words} ${retry}` };
    }
  };

  const finish = async (params: URLSearchParams): Promise<SignInApp | undefined> => {
    const pending = [...pendings].find(({ state }) => same(state, params.get("state") ?? ""));
    if (pending === undefined || clock.now() >= pending.until) return undefined;
    // Used once, whatever comes of it.
    drop(pending);
    const { app } = pending;
    const code = params.get("code");
    if (code === null) throw new GatewayError("app-signed-out", `The service did not let Tidegate in to ${app.name}.`);
    // Not what its metadata call it: they could be someone's who gives another service's name and page, and takes the code.
    const issuer = pending.discovery?.authorizationServerUrl ?? "";
    const from = params.get("iss");
    if (from !== null && unslashed(from) !== unslashed(issuer))
      throw new GatewayError("app-signed-out", `The answer did not come from where ${app.name} signs people in.`);
    const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
    try {
      await within(clock, STEP_MS, life.signal, silent(app), async (signal) => {
        const fetchFn = fetching(app, signal);
        await auth(providerOf(pending, clock.now()), { serverUrl: app.url, authorizationCode: code, fetchFn });
      });
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause;
      log.warn({ app: app.id, err: cause }, "a sign-in was refused");
      throw new GatewayError("app-signed-out", `The service did not accept the sign-in to ${app.name}.`, { cause });
    }
    const { tokens, discovery, client, redirect } = pending;
    if (tokens === undefined || discovery === undefined)
      throw new GatewayError("app-signed-out", `The service gave no tokens for ${app.name}.`);
    await vault.write(app.id, { url: app.url, ...ownClient(app, { client, redirect }), grant: { tokens, discovery } });
    finished(app);
    return app;
  };

  const renew = async (app: SignInApp, refused: string): Promise<boolean> => {
    const kept = await secrets(app);
    const { grant } = kept;
    if (grant === undefined) return false;
    const { tokens, discovery } = grant;
    // Another call has renewed it meanwhile.
    if (tokens.access_token !== refused) return true;
    const { refresh_token: refreshToken } = tokens;
    const clientInformation = clientOf(app) ?? kept.client;
    let renewed: OAuthTokens | undefined;
    if (refreshToken !== undefined && clientInformation !== undefined) {
      const { refreshAuthorization } = await import("@modelcontextprotocol/sdk/client/auth.js");
      try {
        renewed = await within(clock, STEP_MS, life.signal, silent(app), async (signal) => {
          const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = discovery;
          return await refreshAuthorization(authorizationServerUrl, {
            ...(authorizationServerMetadata === undefined ? {} : { metadata: authorizationServerMetadata }),
            ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
            clientInformation,
            refreshToken,
            fetchFn: fetching(app, signal),
          });
        });
      } catch (cause) {
        if (!(await isFinal(cause)))
          throw new GatewayError("app-failed", `The sign-in to ${app.name} can't be renewed now.`, { cause });
        log.warn({ app: app.id, err: cause }, "a sign-in was ended by the service");
      }
    }
    // It may have been turned off meanwhile: what was forgotten stays forgotten.
    if ((await secrets(app)).grant === undefined) return false;
    const { issuer } = tokens;
    const next = renewed && { tokens: { ...renewed, ...(issuer === undefined ? {} : { issuer }) }, discovery };
    await vault.write(app.id, { ...kept, grant: next });
    return next !== undefined;
  };

  return {
    finish,
    async begin(app, challenge, signal) {
      const waiting = [...pendings].find((one) => one.app.id === app.id && one.url !== undefined);
      if (waiting?.url !== undefined && clock.now() < waiting.until) return waiting.url;
      const until = clock.now() + PENDING_MS;
      const pending: Pending = { app, state: random.key(32), until, over: new AbortController() };
      pendings.add(pending);
      try {
        pending.redirect = await callback.open();
        const kept = await secrets(app);
        if (kept.redirect === pending.redirect) pending.client = kept.client;
        const { auth } = await import("@modelcontextprotocol/sdk/client/auth.js");
        const url = await within(
          clock,
          STEP_MS,
          AbortSignal.any([signal, life.signal]),
          silent(app),
          async (signal) => {
            const { metadata: resourceMetadataUrl, scope } = challenge;
            await auth(providerOf(pending, clock.now()), {
              serverUrl: app.url,
              fetchFn: fetching(app, signal),
              ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
              ...(scope === undefined ? {} : { scope }),
            });
            return pending.url;
          },
        );
        if (url === undefined) throw new GatewayError("app-failed", `${app.name} does not say where to sign in.`);
        await assertAddress(app.name, new URL(app.url), new URL(url));
        // Registered once, for all sign-ins to come.
        const { client, redirect } = pending;
        await vault.write(app.id, { ...kept, ...ownClient(app, { client, redirect }) });
        void clock.sleep(PENDING_MS, pending.over.signal).then(
          () => drop(pending),
          () => undefined,
        );
        return url;
      } catch (cause) {
        drop(pending);
        if (signal.aborted || cause instanceof GatewayError) throw cause;
        throw new GatewayError("app-failed", beginProblem(pending), { cause });
      }
    },
    bearer: (app) => ({
      token: async () => (await secrets(app)).grant?.tokens.access_token,
      // One at a time: a service that gives a new refresh token each time takes the old one for stolen.
      renew: async (refused) => {
        const under = renewals.get(app.id) ?? renew(app, refused).finally(() => renewals.delete(app.id));
        renewals.set(app.id, under);
        return await under;
      },
    }),
    async standing(app) {
      const kept = await vault.read(app);
      return kept.is === "kept" && kept.value.grant === undefined ? "none" : kept.is;
    },
    async forget(app) {
      for (const pending of pendings) if (pending.app.id === app) drop(pending);
      await vault.delete(app);
    },
    async [Symbol.asyncDispose]() {
      life.abort(new GatewayError("app-failed", "Tidegate is stopping."));
      for (const pending of pendings) drop(pending);
      await callback.close();
    },
  };
}

/** With and without a slash at its end it is the same issuer: addresses without a path are written either way. */
function unslashed(issuer: string): string {
  return issuer.replace(/\/$/u, "");
}

function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function clientOf(app: SignInApp): OAuthClientInformationMixed | undefined {
  if (app.client === undefined) return undefined;
  const { id, secret } = app.client;
  return { client_id: id, ...(secret === undefined ? {} : { client_secret: secret }) };
}

/** What is kept of a client: nothing of one that the owner has in the config. */
function ownClient(app: SignInApp, made: Pick<Secrets, "client" | "redirect">): Pick<Secrets, "client" | "redirect"> {
  return app.client === undefined ? made : {};
}

/** The SDK's side of one sign-in. It never sees old tokens: a sign-in is for new ones. */
function providerOf(pending: Pending, nowMs: number): OAuthClientProvider {
  const redirect = pending.redirect ?? "";
  return {
    redirectUrl: redirect,
    get clientMetadata() {
      const offered = pending.discovery?.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? [];
      // A program on someone's own machine keeps no secret, but some services let none in without.
      const method =
        ["none", "client_secret_post", "client_secret_basic"].find((one) => offered.includes(one)) ?? "none";
      return {
        client_name: "Tidegate",
        redirect_uris: [redirect],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: method,
      };
    },
    state: () => pending.state,
    clientInformation: () => {
      const { client } = pending;
      const endsAt = client !== undefined && "client_secret_expires_at" in client ? client.client_secret_expires_at : 0;
      const ended = typeof endsAt === "number" && endsAt > 0 && endsAt * 1000 < nowMs;
      return clientOf(pending.app) ?? (ended ? undefined : client);
    },
    saveClientInformation: (client) => {
      pending.client = client;
    },
    tokens: () => undefined,
    saveTokens: (tokens) => {
      pending.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      pending.url = url.href;
    },
    saveCodeVerifier: (verifier) => {
      pending.verifier = verifier;
    },
    codeVerifier: () => pending.verifier ?? "",
    discoveryState: () => pending.discovery,
    saveDiscoveryState: (discovery) => {
      pending.discovery = discovery;
    },
    invalidateCredentials: (scope) => {
      if (scope === "all" || scope === "client") pending.client = undefined;
    },
  };
}

function beginProblem({ app, discovery, client }: Pending): string {
  if (discovery === undefined) return `${app.name} does not say where to sign in.`;
  if (client === undefined && app.client === undefined)
    return `The service that signs people in to ${app.name} lets no program register by itself, so Tidegate can't sign in there.`;
  return `The sign-in to ${app.name} can't be begun.`;
}

/** Whether a service has said that a sign-in is over, rather than that it can't answer now. */
async function isFinal(cause: unknown): Promise<boolean> {
  const errors = await import("@modelcontextprotocol/sdk/server/auth/errors.js");
  const passing = [errors.ServerError, errors.TemporarilyUnavailableError, errors.TooManyRequestsError];
  return cause instanceof errors.OAuthError && !passing.some((kind) => cause instanceof kind);
}
