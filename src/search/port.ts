// Looking through earlier chats, as everyone else sees it. One search for the assistant's tools, /search and the command line.

/** Who said a line: the owner, the assistant, anyone else; or nobody: a step that was taken. */
export type Who = "you" | "assistant" | "them" | "step";

/**
 * One thing that was said or done, without secrets. `line` is the seq of its entry; a message with parts of several people is several
 * lines of one number. `at`: milliseconds since 1970.
 */
export type Line = {
  readonly chat: string;
  readonly line: number;
  readonly who: Who;
  readonly at: number;
  readonly text: string;
};

/** Where something stands in a text, in UTF-16 units. */
export type Range = { readonly start: number; readonly end: number };

/** A line that was found, or the passage of a long one that holds what was found. `lit`: what of it answers the query, in order. */
export type Hit = Line & { readonly lit: readonly Range[] };

/**
 * `exact`: some hits hold every word of the query as it was typed (case, accents and width aside); `close`: they hold it spelt otherwise,
 * or not all of it. Chats best first; in each its hits best first.
 */
export type Found = {
  readonly match: "exact" | "close" | "none";
  readonly chats: readonly { readonly chat: string; readonly exact: boolean; readonly hits: readonly Hit[] }[];
};

/** How well these chats answer. */
export function matchOf(chats: Found["chats"]): Found["match"] {
  if (chats.length === 0) return "none";
  return chats.some(({ exact }) => exact) ? "exact" : "close";
}

/** What may be seen, applied before anything is ranked or limited. `except`: the chat that asks. */
export type Scope = { readonly except?: string };

/** Lines of one chat in their order. `before`, `after`: whether there are more. */
export type Stretch = { readonly lines: readonly Line[]; readonly before: boolean; readonly after: boolean };

/** Which stretch of a chat: `line` itself is in `around` only. `end` needs no line. */
export type Place =
  | { readonly direction: "around" | "before" | "after"; readonly line: number }
  | { readonly direction: "end" };

/** How the index does. `building`: from the log, from 0 to 1; `broken`: it failed twice in one life of the program. */
export type IndexState =
  | { readonly is: "ready" }
  | { readonly is: "building"; readonly share: number }
  | { readonly is: "broken" };

/** The most chats and lines of each that a search gives. */
export const MAX_CHATS = 8;
export const MAX_HITS = 3;
/** The lines of one reading. */
export const STRETCH_LINES = 12;

/**
 * The index over what was said, derived from the log and following it. Whatever is asked is answered as of the log's newest entry.
 * `find` and `read` throw a GatewayError in words: `search-building`, `search-broken`, or `bad-request` for a query that can't be
 * looked for. @port
 */
export interface Search {
  /** The chats that hold what is looked for, at most `maxChats` (8 by default) with 3 lines each. */
  find(query: string, scope: Scope, maxChats?: number): Promise<Found>;
  /** At most 12 lines of a chat; undefined when it has none, is not there, or may not be seen. */
  read(chat: string, place: Place, scope: Scope): Promise<Stretch | undefined>;
  /** Removes a deleted chat, with every byte that the file holds of it, before it resolves. Its late entries are not taken in any more. */
  forget(chat: string): Promise<void>;
  state(): IndexState;
  /** Resolves when no build is under way and everything in the log so far is found. */
  settled(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
