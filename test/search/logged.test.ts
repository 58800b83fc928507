// Attacks on what a look leaves behind: what is on the disk, and what the log holds.
import { expect, it } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import { openSearch } from "../../src/search/search.ts";
import { pastChatTools } from "../../src/search/tools.ts";
import { openStore } from "../../src/store/open.ts";
import { toolbox, type ToolboxTurn } from "../../src/turn/toolbox.ts";
import { append, done, open, say, surroundings } from "../store/world.ts";
import { SECRET } from "./index-world.ts";

async function called(input: unknown) {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  await using search = await openSearch({ folder: ":memory:", store, secrets: [SECRET], ...surroundings });
  const taint = { kind: "person", label: "Ana on Telegram", source: "telegram/2" } as const;
  await done(store, open("a"), say("a", "the venue"), append("a", { kind: "marked", taint }));
  const commits: { readonly bodies: readonly EntryBody[]; readonly acts: boolean }[] = [];
  const turn: ToolboxTurn = {
    ...{ conversation: "asking", turn: "t", workFolder: "/work", given: new Set<string>() },
    standing: async () => ({ attendance: "owner", room: "private", marks: [], mode: "ask", checkAfterReading: true }),
    places: { judge: async () => ({ inside: true, closed: false }), namesClosed: () => false },
    signal: new AbortController().signal,
    said: () => [],
    append: async (bodies, { acts = false } = {}) => {
      commits.push({ bodies, acts });
      return true;
    },
    ask: async () => "no",
  };
  const box = await toolbox(pastChatTools({ search, store, secrets: [SECRET] }), turn);
  const result = await box.call({ id: "1", name: "search_chats", input });
  return { commits, result };
}

it("P22, P37: the marks of a look are on the disk before its result is handed on", async () => {
  const { commits, result } = await called({ query: "venue" });
  expect(result.outcome).toBe("ok");
  const marking = commits.filter(({ bodies }) => bodies.some(({ kind }) => kind === "marked"));
  expect(marking.map(({ acts }) => acts)).toEqual([true]);
});

it("P30: the log holds the words that were looked for without a secret in them", async () => {
  const { commits } = await called({ query: `venue ${SECRET}` });
  expect(JSON.stringify(commits)).not.toContain(SECRET);
});
