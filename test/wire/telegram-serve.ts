// The HTTP side of the loopback Telegram: reading a call's arguments, the envelope of a refusal, and
// the ways a connection can go wrong.
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendJson } from "./http.ts";
import { boundaryOf, parseMultipart } from "./multipart.ts";
import { faultRefusal } from "./telegram-faults.ts";
import type { Fault } from "./telegram-faults.ts";
import { Params } from "./telegram-params.ts";
import type { Refusal } from "./telegram-state.ts";
import type { Call } from "./telegram.ts";

/** True when the fault has dealt with the call and no method may run. */
export async function failEarly(fault: Fault, call: Call, response: ServerResponse): Promise<boolean> {
  switch (fault.kind) {
    case "error":
      throw faultRefusal(fault);
    case "html502":
      response.writeHead(502, { "content-type": "text/html" });
      response.end("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>");
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

/** A hard reset (RST), so that the client sees ECONNRESET rather than a tidy end. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { code, message, parameters } = refusal;
  sendJson(
    response,
    code,
    { ok: false, error_code: code, description: message, ...(parameters ? { parameters } : {}) },
    parameters?.retry_after === undefined ? {} : { "retry-after": String(parameters.retry_after) },
  );
}

export function closedSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

export function readParams(request: IncomingMessage, body: Buffer, query: string): Params {
  const raw: Record<string, unknown> = query ? Object.fromEntries(new URLSearchParams(query)) : {};
  if (body.length === 0) return new Params(raw);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/form-data")) {
    const { fields, files } = parseMultipart(body, boundaryOf(type) ?? "");
    return new Params({ ...raw, ...fields }, files);
  }
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return new Params({ ...raw, ...Object.fromEntries(new URLSearchParams(body.toString())) });
  }
  const given = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  return new Params(query ? { ...raw, ...given } : given);
}
