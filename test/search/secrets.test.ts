// Attacks on what the tools send.
import { expect, it, onTestFinished } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import { openSearch } from "../../src/search/search.ts";
import { pastChatTools } from "../../src/search/tools.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change } from "../../src/store/port.ts";
import { append, done, open, surroundings } from "../store/world.ts";
import { gone, said, SECRET, toolStart } from "./index-world.ts";

const [HEAD, TAIL] = [SECRET.slice(0, 11), SECRET.slice(11)];

async function world(...changes: readonly Change[]) {
  const store = await openStore({ folder: ":memory:", ...surroundings });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const search = await openSearch({ folder: ":memory:", store, secrets: [SECRET], ...surroundings });
  onTestFinished(() => search[Symbol.asyncDispose]());
  await done(store, ...changes);
  const tools = pastChatTools({ search, store, secrets: [SECRET] });
  const run = async (name: string, input: unknown) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(name);
    return await tool.run(tool.check(input), {
      ...{ conversation: "asking", turn: "t", signal: new AbortController().signal },
      taints: async () => [],
    });
  };
  return { store, search, run };
}

const chat = (...bodies: readonly EntryBody[]): readonly Change[] => [
  open("c"),
  ...bodies.map((body) => append("c", body)),
];

it("P38: match is of the chats that are sent", async () => {
  const { run } = await world(
    ...[open("exact"), open("close")],
    append("exact", toolStart({ command: `${"filler words go ".repeat(25)} invoice` })),
    append("close", said("invoices invoices invoices", "1")),
  );
  const { text } = await run("search_chats", { query: "invoice", limit: 1 });
  const sent = JSON.parse(text) as { match: string; chats: { id: string }[] };
  expect(sent.chats.map(({ id }) => id)).toEqual(["close"]);
  expect(sent.match).toBe("close");
});

it("A71, P28: a secret in two messages is hidden in both when what stood between them was taken back", async () => {
  const { run } = await world(...chat(said(`is ${HEAD}`, "1"), said("oops", "2"), gone("2"), said(TAIL, "3")));
  for (const query of [HEAD, TAIL]) expect((await run("search_chats", { query })).text).not.toMatch(/swallow|moth/u);
});

it("A71, P28: the same when it is taken back later", async () => {
  const { run } = await world(...chat(said(`is ${HEAD}`, "1"), said("oops", "2"), said(TAIL, "3"), gone("2")));
  for (const query of [HEAD, TAIL]) expect((await run("search_chats", { query })).text).not.toMatch(/swallow|moth/u);
});

it("A71, P28: the same with a message of only an image between", async () => {
  const photo: EntryBody = {
    kind: "message",
    message: {
      from: { platform: "telegram", id: "1001", name: "Sam", role: "owner" },
      at: 5,
      ids: ["2"],
      parts: [
        {
          kind: "file",
          messageId: "2",
          origin: { kind: "own" },
          file: { kind: "photo", name: "a.jpg", mediaType: "image/jpeg", handle: "h" },
        },
      ],
    },
  };
  const { run } = await world(...chat(said(`is ${HEAD}`, "1"), photo, said(TAIL, "3")));
  for (const query of [HEAD, TAIL]) expect((await run("search_chats", { query })).text).not.toMatch(/swallow|moth/u);
});

it("P29, P31: a password that is an argument of its own is hidden", async () => {
  const word = ["Tr0ub", "4dor", "3x9Q"].join("");
  const { run } = await world(
    ...chat(
      toolStart({ command: ["mysql", "-u", "root", "--password", word] }),
      toolStart({ name: "password", value: word }),
      toolStart({ headers: [["Authorization", `Bearer`, word]] }),
    ),
  );
  expect((await run("search_chats", { query: word })).text).not.toContain(word);
});

it("P28, P31: a step is scrubbed before it is cut at 16,000 characters", async () => {
  const key = [
    "-----BEGIN PRIVATE",
    "KEY-----\n",
    "QUJDREVGR0hJSktM".repeat(994),
    "\n-----END PRIVATE",
    "KEY-----",
  ].join(" ");
  const room = 16_000 - key.length - 14;
  const { run } = await world(...chat(toolStart({ a: key, b: "x".repeat(Math.max(0, room)), c: `walrus ${SECRET}` })));
  const { text } = await run("read_chat", { chat: "c" });
  expect(key.length).toBeLessThan(16_000);
  expect(text).not.toMatch(/swallow/u);
});

it("P28: a secret in a step's name, an object's key, with what draws nothing, or beside half a character is hidden", async () => {
  const { run } = await world(
    ...chat(
      toolStart({ [SECRET]: "walrus" }),
      toolStart({}, { call: { id: "c", name: SECRET, input: { a: "walrus" } } }),
      said(`walrus ${SECRET.split("").join("\u200b")}`, "2"),
      said(`walrus \ud800${SECRET}\udc00`, "3"),
    ),
  );
  const { text } = await run("read_chat", { chat: "c" });
  expect(text.normalize("NFKC").replaceAll("\u200b", "")).not.toMatch(/swallow/u);
});

it("P28, P31, A71: a known secret in full width can't be found by its plain form", async () => {
  const wide = Array.from(SECRET)
    .map((one) => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0))
    .join("");
  const { run } = await world(...chat(said(`walrus ${wide}`, "1")));
  const { text } = await run("search_chats", { query: "swallow" });
  expect(text.normalize("NFKC")).not.toMatch(/swallow/u);
});

it("P28, P31, A71: a known secret with accents that the index folds away can't be found by its plain form", async () => {
  const { run } = await world(...chat(said(`walrus ${SECRET.replace("a", "a\u0301")}`, "1")));
  const { text } = await run("search_chats", { query: "swallow" });
  expect(text.normalize("NFD").replaceAll("\u0301", "")).not.toMatch(/swallow/u);
});
