// A remote MCP server with OAuth in front of it, on loopback: the reference server "everything" behind a sign-in that lets anyone in.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { listen, readBody, sendJson } from "./http.ts";

type Everything = {
  createServer(): { server: { connect(transport: Transport): Promise<void> }; cleanup(session?: string): void };
};

/** How it misbehaves; each can be changed while it runs. */
export type RemoteFaults = {
  refuseRegistration?: boolean;
  /** The token endpoint answers 503. */
  tokensDown?: boolean;
  /** What the metadata says of itself, over what is true. */
  metadata?: Record<string, unknown>;
  /** The issuer that it says it is when it sends a browser back. */
  iss?: string;
  deny?: boolean;
  /** Answers every MCP message itself. */
  mcp?: (message: { id?: number; method?: string }, response: ServerResponse) => boolean;
};

/** A remote server. `counts`: how often each endpoint was asked. */
export type Remote = {
  readonly url: string;
  readonly mcp: string;
  readonly faults: RemoteFaults;
  readonly counts: Record<"register" | "code" | "refresh" | "refused", number>;
  /** Every token and secret that it ever gave. */
  readonly secrets: readonly string[];
  /** One that is good now. */
  accessToken(): string;
  /** Access tokens given so far are worth nothing any more. */
  expire(): void;
  revoke(): void;
  forgetSessions(): void;
  /** Goes through a sign-in as a browser does, as far as to the address that it is sent back to. */
  browse(address: string): Promise<URL>;
  close(): Promise<void>;
};

type Code = { readonly client: string; readonly redirect: string; readonly challenge: string };

export async function startRemote(): Promise<Remote> {
  const everything = (await import(
    new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/server/index.js", import.meta.url).href
  )) as Everything;
  const faults: RemoteFaults = {};
  const counts = { register: 0, code: 0, refresh: 0, refused: 0 };
  const clients = new Map<string, string>();
  const codes = new Map<string, Code>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const spent = new Set<string>();
  const secrets: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const cleanups: (() => void)[] = [];

  const secret = (): string => {
    const made = randomBytes(24).toString("base64url");
    secrets.push(made);
    return made;
  };
  const grant = (response: ServerResponse): void => {
    const tokens = { access_token: secret(), refresh_token: secret(), token_type: "Bearer", expires_in: 3600 };
    access.add(tokens.access_token);
    refresh.add(tokens.refresh_token);
    sendJson(response, 200, tokens);
  };
  const token = (form: URLSearchParams, response: ServerResponse): void => {
    if (faults.tokensDown === true) {
      sendJson(response, 503, { error: "temporarily_unavailable" });
      return;
    }
    const refuse = (error: string): void => {
      counts.refused++;
      sendJson(response, 400, { error, error_description: "<script>no</script>" });
    };
    if (form.get("grant_type") === "refresh_token") {
      counts.refresh++;
      const old = form.get("refresh_token") ?? "";
      // Used twice, it was stolen: nothing that was given is worth anything any more.
      if (spent.has(old)) refresh.clear();
      if (!refresh.delete(old)) {
        refuse("invalid_grant");
        return;
      }
      spent.add(old);
      grant(response);
      return;
    }
    counts.code++;
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const fits =
      code?.client === form.get("client_id") &&
      code.redirect === form.get("redirect_uri") &&
      code.challenge === challenge;
    if (fits) grant(response);
    else refuse("invalid_grant");
  };
  const authorize = (params: URLSearchParams, response: ServerResponse): void => {
    const client = params.get("client_id") ?? "";
    const redirect = params.get("redirect_uri") ?? "";
    if (clients.get(client) !== redirect || params.get("code_challenge_method") !== "S256") {
      sendJson(response, 400, { error: "invalid_request" });
      return;
    }
    const back = new URL(redirect);
    back.searchParams.set("state", params.get("state") ?? "");
    if (faults.deny === true) back.searchParams.set("error", "access_denied");
    else {
      const code = secret();
      codes.set(code, { client, redirect, challenge: params.get("code_challenge") ?? "" });
      back.searchParams.set("code", code);
    }
    if (faults.iss !== undefined) back.searchParams.set("iss", faults.iss);
    response.writeHead(302, { location: back.href }).end();
  };
  const mcp = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const bearer = /^Bearer (.+)$/u.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (!access.has(bearer)) {
      const metadata = `${server.url}/.well-known/oauth-protected-resource/mcp`;
      response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${metadata}"` }).end();
      return;
    }
    const body = request.method === "POST" ? (JSON.parse((await readBody(request)).toString()) as object) : undefined;
    if (body !== undefined && faults.mcp?.(body, response) === true) return;
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (typeof id === "string" && known === undefined) {
      sendJson(response, 404, { jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } });
      return;
    }
    if (known !== undefined) {
      await known.handleRequest(request, response, body);
      return;
    }
    const made = everything.createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    cleanups.push(() => made.cleanup(transport.sessionId));
    await made.server.connect(transport);
    await transport.handleRequest(request, response, body);
  };

  const server = await listen((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const answer = async (): Promise<void> => {
      switch (url.pathname) {
        case "/.well-known/oauth-protected-resource/mcp":
          sendJson(response, 200, { resource: `${server.url}/mcp`, authorization_servers: [server.url] });
          return;
        case "/.well-known/oauth-authorization-server":
          sendJson(response, 200, {
            issuer: server.url,
            authorization_endpoint: `${server.url}/authorize`,
            token_endpoint: `${server.url}/token`,
            registration_endpoint: `${server.url}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"],
            ...faults.metadata,
          });
          return;
        case "/register": {
          counts.register++;
          const asked = JSON.parse((await readBody(request)).toString()) as { redirect_uris: string[] };
          if (faults.refuseRegistration === true) {
            sendJson(response, 403, { error: "access_denied" });
            return;
          }
          const client = secret();
          clients.set(client, asked.redirect_uris[0] ?? "");
          sendJson(response, 201, { ...asked, client_id: client });
          return;
        }
        case "/authorize":
          authorize(url.searchParams, response);
          return;
        case "/token":
          token(new URLSearchParams((await readBody(request)).toString()), response);
          return;
        case "/mcp":
          await mcp(request, response);
          return;
        default:
          response.writeHead(404).end();
      }
    };
    void answer().catch(() => response.destroy());
  });
  return {
    url: server.url,
    mcp: `${server.url}/mcp`,
    faults,
    counts,
    secrets,
    accessToken: () => [...access].at(-1) ?? "",
    expire: () => access.clear(),
    revoke: () => {
      access.clear();
      refresh.clear();
    },
    forgetSessions: () => sessions.clear(),
    async browse(address) {
      const response = await fetch(address, { redirect: "manual" });
      return new URL(response.headers.get("location") ?? `about:blank#${await response.text()}`);
    },
    async close() {
      for (const cleanup of cleanups) cleanup();
      await Promise.all([...sessions.values()].map(async (transport) => await transport.close()));
      await server.close();
    },
  };
}
