// A small index in memory, filled directly: what a search reads, without the log it comes from.
import { findIn } from "../../src/search/query.ts";
import { IN_MEMORY, makeIndex, WHO } from "../../src/search/schema.ts";
import { loadVocabulary } from "../../src/search/spelling.ts";
import { chatToken, tokensOf } from "../../src/search/words.ts";
import type { Found, Scope, Who } from "../../src/search/port.ts";

/** One passage. `at` counts days; by default one after the other. */
export type Told = {
  readonly chat: string;
  readonly text: string;
  readonly who?: Who;
  readonly day?: number;
  readonly line?: number;
};

export type Finding = (query: string, scope?: Scope, maxChats?: number) => Found;

const DAY_MS = 86_400_000;

/** Fills an index and gives its search. */
export async function filledIndex(told: readonly Told[]): Promise<Finding> {
  const database = makeIndex(IN_MEMORY, "");
  const chats = new Map<string, number>();
  const dfs = new Map<string, number>();
  for (const [nth, { chat: id, text, who = "you", day = nth, line = nth + 1 }] of told.entries()) {
    const chat = chats.get(id) ?? chats.size + 1;
    if (!chats.has(id)) database.run("INSERT INTO chat (n, id, place, seq, at) VALUES (?, ?, 0, 0, 0)", chat, id);
    chats.set(id, chat);
    const n = (nth + 1) * 64;
    database.run(
      "INSERT INTO passage (n, chat, line, who, at, text) VALUES (?, ?, ?, ?, ?, ?)",
      ...[n, chat, line, WHO.indexOf(who), Date.UTC(2026, 0, 1) + day * DAY_MS, text],
    );
    const tokens = new Set(tokensOf(text));
    database.run("INSERT INTO posting (rowid, tokens) VALUES (?, ?)", n, [...tokens, chatToken(chat)].join(" "));
    for (const token of tokens) dfs.set(token, (dfs.get(token) ?? 0) + 1);
  }
  for (const [term, df] of dfs) database.run("INSERT INTO term (term, df) VALUES (?, ?)", term, df);
  const vocabulary = await loadVocabulary(database, { soon: (task) => queueMicrotask(task) });
  return (query, scope = {}, maxChats = 8) => findIn(database, vocabulary, query, scope, maxChats);
}

/** The chats of an answer, in order. */
export function chatsOf(found: Found): readonly string[] {
  return found.chats.map(({ chat }) => chat);
}

/** What is lit in the best hit of the first chat. */
export function litOf(found: Found): readonly string[] {
  const hit = found.chats[0]?.hits[0];
  return hit?.lit.map(({ start, end }) => hit.text.slice(start, end)) ?? [];
}
