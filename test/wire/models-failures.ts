// How each vendor says no: status and error JSON as their public API references describe them.

export type Failure = "badKey" | "noModel" | "rateLimit" | "quota" | "serverError" | "overloaded" | "contextLength";

interface Said {
  status: number;
  body: unknown;
}

function openaiError(
  status: number,
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
): Said {
  return { status, body: { error: { message, type, param, code } } };
}

export function openaiErrorBody(status: number, message: string): unknown {
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return openaiError(status, message, type, null).body;
}

export function openaiFailure(failure: Failure, model: string): Said {
  const request = "invalid_request_error";
  switch (failure) {
    case "badKey":
      return openaiError(401, "Incorrect API key provided.", request, "invalid_api_key");
    case "noModel":
      return openaiError(
        404,
        `The model \`${model}\` does not exist or you do not have access to it.`,
        request,
        "model_not_found",
      );
    case "rateLimit":
      return openaiError(
        429,
        `Rate limit reached for ${model} on requests per min (RPM): Limit 3, Used 3, Requested 1.`,
        "requests",
        "rate_limit_exceeded",
      );
    case "quota":
      return openaiError(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
      );
    case "serverError":
      return openaiError(
        500,
        "The server had an error while processing your request. Sorry about that!",
        "server_error",
        null,
      );
    case "overloaded":
      return openaiError(503, "The engine is currently overloaded, please try again later", "server_error", null);
    case "contextLength":
      return openaiError(
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. Please reduce the length of the messages.",
        request,
        "context_length_exceeded",
        "messages",
      );
  }
}

const anthropicTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

export function anthropicErrorBody(status: number, message: string): unknown {
  const type = anthropicTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message }, request_id: "req_loopback" };
}

const anthropicFailures: Record<Failure, [number, string]> = {
  badKey: [401, "invalid x-api-key"],
  noModel: [404, "model: "],
  rateLimit: [429, "This request would exceed your organization's rate limit."],
  quota: [400, "Your credit balance is too low to access the Anthropic API."],
  serverError: [500, "Internal server error"],
  overloaded: [529, "Overloaded"],
  contextLength: [400, "prompt is too long: 210001 tokens > 200000 maximum"],
};

export function anthropicFailure(failure: Failure, model: string): Said {
  const [status, words] = anthropicFailures[failure];
  const message = failure === "noModel" ? `${words}${model}` : words;
  return { status, body: anthropicErrorBody(status, message) };
}

const googleStatuses: Record<number, string> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

export function googleErrorBody(code: number, message: string): unknown {
  return { error: { code, message, status: googleStatuses[code] ?? "UNKNOWN" } };
}

const googleFailures: Record<Failure, [number, string]> = {
  badKey: [400, "API key not valid. Please pass a valid API key."],
  noModel: [404, ""],
  rateLimit: [429, "Resource has been exhausted (e.g. check quota)."],
  quota: [429, "You exceeded your current quota, please check your plan and billing details."],
  serverError: [500, "An internal error has occurred. Please retry or report the issue."],
  overloaded: [503, "The model is overloaded. Please try again later."],
  contextLength: [400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."],
};

export function googleFailure(failure: Failure, model: string): Said {
  const [status, words] = googleFailures[failure];
  const message =
    failure === "noModel"
      ? `models/${model} is not found for API version v1beta, or is not supported for generateContent.`
      : words;
  return { status, body: googleErrorBody(status, message) };
}
