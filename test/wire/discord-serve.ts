// The HTTP side of the loopback Discord: reading a call's body, the ways a connection can go wrong.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Refusal, invalidForm, problem, refusalOf, tooMany } from "./discord-refusal.ts";
import type { Fault } from "./discord-faults.ts";
import type { Given } from "./discord-content.ts";
import { sendJson } from "./http.ts";
import { boundaryOf, parseMultipart } from "./multipart.ts";

/** JSON, or multipart with `payload_json` and `files[n]`. */
export function readGiven(request: IncomingMessage, body: Buffer): Given {
  if (body.length === 0) return { body: {}, files: {} };
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    const { fields, files } = parseMultipart(body, boundaryOf(type) ?? "");
    return { body: parseJson(fields["payload_json"] ?? "{}"), files };
  }
  if (!type.startsWith("application/json")) {
    throw new Refusal(400, 50_035, `Expected "Content-Type" header to be one of {'application/json'}.`, {
      problems: invalidForm(problem("", "CONTENT_TYPE_INVALID", "Expected application/json")).problems,
    });
  }
  return { body: parseJson(body.toString("utf8")), files: {} };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw refusalOf(50_109);
  }
}

/** True when the fault has dealt with the call and nothing may be done. */
export async function failEarly(fault: Fault, call: { outcome: string }, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case "error":
      throw new Refusal(fault.status ?? 400, fault.code ?? 0, fault.message ?? refusalOf(fault.code ?? 0).message);
    case "rateLimited":
      throw tooMany(fault.retryAfterMs ?? 300, fault.global === true ? "global" : "user");
    case "http500":
      throw new Refusal(fault.status ?? 500, 0, fault.message ?? "500: Internal Server Error");
    case "html502":
      response.writeHead(502, { "content-type": "text/html" });
      response.end("<html><head><title>502 Bad Gateway</title></head><body>cloudflare</body></html>");
      break;
    case "resetBeforeStore":
      reset(response);
      break;
    case "hang":
      break;
    case "slow":
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 100));
      return false;
    default:
      return false;
  }
  call.outcome = fault.kind;
  return true;
}

/** True when what was done is not answered as it should be. */
export function failLate(fault: Fault | undefined, call: { outcome: string }, response: ServerResponse): boolean {
  switch (fault?.kind) {
    case "resetAfterStore":
      reset(response);
      break;
    case "hangAfterStore":
      break;
    case "status500AfterStore":
      sendJson(response, 500, { message: "500: Internal Server Error", code: 0 });
      break;
    case "json204":
      response.writeHead(204, { "content-type": "application/json" });
      response.end();
      break;
    default:
      return false;
  }
  call.outcome = fault.kind;
  return true;
}

/** A hard reset (RST), so that the client sees ECONNRESET rather than a tidy end. */
function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

export function answer(response: ServerResponse, result: unknown, headers: Record<string, string>): void {
  if (result !== undefined) return sendJson(response, 200, result, headers);
  if (response.destroyed) return;
  // No body, so no type of one: the real client breaks on a 204 that says JSON.
  response.writeHead(204, headers);
  response.end();
}
