// The one family of errors. A code comes from the table; the message is for people and holds no outside text.

/** Every code with what it means, for docs and for the sentence shown when nothing better is known. */
export const ERRORS = {
  "config-missing": "The config file can't be read.",
  "config-invalid": "The config has a mistake.",
  "data-locked": "Another Tidegate is already running on this data folder.",
  "data-newer": "The data folder was written by a newer Tidegate.",
  "data-broken": "The data folder can't be opened.",
  "not-found": "There is no such conversation.",
  "search-building": "The index of earlier chats is being built. Try again in a minute.",
  "search-broken": "Earlier chats can't be looked through now. A restart of Tidegate builds the index anew.",
  "not-running": "Tidegate isn't running on this data folder.",
  "bad-request": "That can't be done as asked.",
  "channel-unauthorized": "The chat app refused the token.",
  "channel-conflict": "Another program is reading this bot's messages.",
  "channel-unreachable": "The chat app can't be reached.",
  "file-too-large": "The file is too large to fetch.",
  "file-empty": "The file is empty.",
  "file-unavailable": "The file can't be fetched.",
  "engine-missing": "That engine isn't set up.",
  "engine-not-locked": "The engine here has tools of its own, so it does not answer guests or in groups.",
  "engine-unauthorized": "The model's service refused the key. Check the engine's apiKey in the config.",
  "engine-model-missing": "The model's service doesn't know this model. Check the engine's model in the config.",
  "engine-no-credit": "The model's service says that the account has no credit or quota left.",
  "engine-rate-limited": "The model's service says that it is being asked too often. Try again in a minute.",
  "engine-overloaded": "The model's service is overloaded. Try again in a minute.",
  "engine-context-full": "This chat has grown too long for the model. Start a new one with /new.",
  "engine-refused": "The model's service refused this request.",
  "engine-unreachable": "The model's service can't be reached. Check the address and the network.",
  "engine-silent": "The model stopped answering in time.",
  "engine-cut": "The connection broke while the model was answering.",
  "engine-empty": "The model gave no answer.",
  "engine-bad-answer": "The model's service gave an answer that can't be understood.",
  "engine-too-long": "The answer grew too long and was ended.",
  "engine-failed": "Something went wrong while the model was answering.",
  "tool-unknown": "There is no such tool.",
  "tool-input": "The tool was called with input that it can't use.",
  "tool-failed": "The tool failed.",
  "app-failed": "The app can't be used now.",
  "app-signed-out": "The app asks for a sign-in.",
  internal: "Something went wrong inside Tidegate. The log has the details.",
} as const;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;

/** An error with a code, a sentence for people, perhaps a hint on what to do, and its cause (which is never shown). */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;

  constructor(code: ErrorCode, words?: string, more: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(words ?? ERRORS[code], more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "GatewayError";
    this.code = code;
    this.hint = more.hint;
  }
}

/** Any thrown thing as a GatewayError: itself when it is one, else `code` with the thing as its cause. */
export function asGatewayError(thrown: unknown, code: ErrorCode = "internal"): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError(code, undefined, { cause: thrown });
}
