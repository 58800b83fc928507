// One kind of model API as the AI SDK's model object, and its cheapest live check. Only the package of the kind that is asked for is loaded.
import type { LanguageModelV4 } from "@ai-sdk/provider";

/** The wire formats spoken here: OpenAI Responses, Anthropic Messages, Google Gemini, and Chat Completions for everything compatible. */
export type ApiKind = "openai" | "anthropic" | "google" | "openai-compatible";

export type Access = {
  readonly kind: ApiKind;
  readonly model: string;
  readonly apiKey: string;
  readonly baseUrl: string;
};

/** Where each vendor's service is. Always handed over, because the packages would otherwise look into the environment for an address. */
export const BASE_URLS: { readonly [K in ApiKind]?: string } = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
};

/** Loads the kind's package and binds the model. The key is always given, "" included, so that none is read from the environment. */
export async function loadModel(access: Access): Promise<LanguageModelV4> {
  const { kind, model, apiKey, baseUrl: baseURL } = access;
  switch (kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ apiKey, baseURL, fetch: fetchThere }).responses(model);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ apiKey, baseURL, fetch: fetchThere }).messages(model);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google");
      return createGoogle({ apiKey, baseURL, fetch: fetchThere }).languageModel(model);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      // A local server mostly has no key; without one no header is sent.
      const key = apiKey === "" ? {} : { apiKey };
      return createOpenAICompatible({
        name: "compatible",
        baseURL,
        includeUsage: true,
        fetch: fetchThere,
        ...key,
      }).chatModel(model);
    }
  }
}

/**
 * fetch that follows no redirect, since the key's header would go along to wherever it points; and that takes a web page for
 * what it is: no model API at this address, whatever the status says.
 */
const fetchThere: typeof fetch = async (url, init) => {
  const response = await fetch(url, { ...init, redirect: "manual" });
  if (!response.ok || response.headers.get("content-type")?.startsWith("text/html") !== true) return response;
  await response.body?.cancel();
  return new Response(null, { status: 404 });
};

/** What a service says of its models: their names, or why it refused (in the fields that `explain` reads), or neither when it has no list. */
export type ModelList = { readonly models?: readonly string[]; readonly refusal?: unknown };

/** Asks the service for its models, as OpenAI and most compatible servers have them. Throws what fetch throws. */
export async function listModels(access: Access, signal: AbortSignal): Promise<ModelList> {
  const response = await fetchThere(`${access.baseUrl.replace(/\/+$/, "")}/models`, {
    headers: access.apiKey === "" ? {} : { authorization: `Bearer ${access.apiKey}` },
    signal,
  });
  const responseBody = await response.text();
  if ([404, 405, 501].includes(response.status)) return {};
  if (!response.ok) {
    const responseHeaders = Object.fromEntries(response.headers);
    return { refusal: { statusCode: response.status, responseHeaders, responseBody } };
  }
  const models = names(responseBody);
  return models === undefined ? {} : { models };
}

function names(body: string): readonly string[] | undefined {
  try {
    const { data } = JSON.parse(body) as { readonly data?: unknown };
    if (!Array.isArray(data)) return undefined;
    return data.flatMap((item: { readonly id?: unknown } | null) => (typeof item?.id === "string" ? [item.id] : []));
  } catch {
    return undefined;
  }
}
