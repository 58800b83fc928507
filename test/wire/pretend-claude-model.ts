// How the stand-in for Claude Code asks its model: one POST, one stream of events, and what it makes of a refusal.
import type { Fields } from "./pretend-claude-files.ts";
import { isFields } from "./pretend-claude-files.ts";

/** Why there is no answer. `kind`: the program's own name for it. */
export class ModelFault extends Error {
  readonly kind: string;
  readonly status: number | undefined;
  readonly final: boolean;
  readonly cut: boolean;

  constructor(message: string, kind: string, status: number | undefined, final: boolean, cut = false) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.final = final;
    this.cut = cut;
  }
}

/** Yields the events of one answer. Throws a ModelFault, or the signal's reason. */
export async function* ask(
  url: string,
  headers: Record<string, string>,
  body: Fields,
  signal: AbortSignal,
): AsyncGenerator<Fields> {
  let response: Response;
  try {
    response = await fetch(`${url}/v1/messages?beta=true`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ModelFault(`API Error: Connection error. ${String(error)}`, "unknown", undefined, false, true);
  }
  if (!response.ok) throw refusal(response.status, await response.text());
  let rest = "";
  let whole = false;
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += piece;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const block = rest.slice(0, end);
        rest = rest.slice(end + 2);
        const data = /^data: ?(.*)$/mu.exec(block)?.[1];
        const event: unknown = data === undefined ? undefined : JSON.parse(data);
        if (!isFields(event) || event["type"] === "ping") continue;
        if (event["type"] === "error") {
          const error = isFields(event["error"]) ? event["error"] : {};
          throw new ModelFault(`API Error: ${JSON.stringify(error)}`, "server_error", undefined, false);
        }
        whole ||= event["type"] === "message_stop";
        yield event;
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ModelFault) throw error;
  }
  if (!whole) throw new ModelFault("API Error: Connection closed mid-response.", "unknown", undefined, false, true);
}

const KINDS: Readonly<Record<number, string>> = {
  400: "invalid_request",
  401: "authentication_failed",
  403: "authentication_failed",
  404: "model_not_found",
  429: "rate_limit",
};

function refusal(status: number, body: string): ModelFault {
  const kind = KINDS[status] ?? (status >= 500 ? "server_error" : "unknown");
  return new ModelFault(`API Error: ${status} ${body}`, kind, status, status < 500 && status !== 401 && status !== 429);
}
