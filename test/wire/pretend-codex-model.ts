// How the stand-in for Codex asks its model: one POST, one stream of events, and what it makes of a refusal.
import type { Fields } from "./pretend-codex-files.ts";
import { isFields, wordsOf } from "./pretend-codex-files.ts";

/** Where the model is. `key`: what its environment variable holds, if it names one. */
export type Provider = {
  readonly id: string;
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly requestRetries: number;
  readonly streamRetries: number;
};

/** Why there is no answer: the program's own words and its kind of error. `final`: it is not tried again. */
export class ModelFault extends Error {
  readonly info: unknown;
  readonly final: boolean;

  constructor(message: string, info: unknown, final: boolean) {
    super(message);
    this.info = info;
    this.final = final;
  }
}

/** Yields the events of one answer. Throws a ModelFault, or the signal's reason. */
export async function* ask(provider: Provider, body: Fields, signal: AbortSignal): AsyncGenerator<Fields> {
  let response: Response;
  try {
    response = await fetch(`${provider.baseUrl}/responses`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        ...(provider.key === undefined ? {} : { authorization: `Bearer ${provider.key}` }),
      },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw new ModelFault(
      `error sending request: ${String(error)}`,
      { httpConnectionFailed: { httpStatusCode: null } },
      false,
    );
  }
  if (!response.ok) throw refusal(response.status, await response.text());
  let rest = "";
  let whole = false;
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      rest += piece;
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const event = dataOf(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (event === undefined) continue;
        if (event["type"] === "response.failed") throw failed(event);
        if (event["type"] === "response.incomplete")
          throw new ModelFault("Incomplete response returned", "other", true);
        whole ||= event["type"] === "response.completed";
        yield event;
      }
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ModelFault) throw error;
  }
  if (!whole)
    throw new ModelFault(
      "stream disconnected before completion: stream closed before response.completed",
      "other",
      false,
    );
}

function dataOf(block: string): Fields | undefined {
  const data = block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())
    .join("\n");
  if (data === "" || data === "[DONE]") return undefined;
  const value: unknown = JSON.parse(data);
  return isFields(value) ? value : undefined;
}

function failed(event: Fields): ModelFault {
  const response = event["response"];
  const error = isFields(response) && isFields(response["error"]) ? response["error"] : {};
  const message = wordsOf(error["message"], "response.failed");
  if (error["code"] === "context_length_exceeded") return new ModelFault(message, "contextWindowExceeded", true);
  if (error["code"] === "rate_limit_exceeded") return new ModelFault(message, "rateLimitExceeded", false);
  return new ModelFault(message, "other", false);
}

function refusal(status: number, body: string): ModelFault {
  const code = /"code":\s*"([a-z_]+)"/u.exec(body)?.[1] ?? "";
  const message = `unexpected status ${status}: ${body}`;
  if (code === "insufficient_quota" || code === "usage_limit_reached")
    return new ModelFault(message, "usageLimitExceeded", true);
  if (code === "model_not_found") return new ModelFault(message, "modelNotFound", true);
  if (status === 429) {
    return new ModelFault("exceeded retry limit", { responseTooManyFailedAttempts: { httpStatusCode: 429 } }, false);
  }
  if (status === 401 || status === 403)
    return new ModelFault(message, { httpConnectionFailed: { httpStatusCode: status } }, false);
  if (status === 503) return new ModelFault(message, "serverOverloaded", true);
  if (status >= 500) return new ModelFault(message, "internalServerError", false);
  return new ModelFault(body, "other", true);
}
