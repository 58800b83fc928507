// What people look for is found: a set of made-up chats in twelve languages, with known answers.
import { afterAll, assert, beforeAll, expect, it } from "vitest";
import { MAX_CHATS, type Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { lines, scoreOf, setChanges, setChats, typoPairs, wordsOf, type Score } from "./relevance.ts";
import { QUERIES } from "./relevance-set.ts";

let store: Store;
let search: Search;
let score: Score;

beforeAll(async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const surroundings = { clock: realClock, random: realRandom, log: silent };
  store = await openStore({ folder: ":memory:", ...surroundings });
  await store.commit(setChanges());
  search = await openSearch({ folder: ":memory:", store, secrets: [], ...surroundings });
  await search.settled();
  score = await scoreOf(async (query) => (await search.find(query, {})).chats.map(({ chat }) => chat));
});

afterAll(async () => {
  await search[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

it("P2, G48: of 50 queries in twelve languages, nearly all have the right chat in front", () => {
  assert.isAtLeast(score.third, 0.98, score.missed.join("\n"));
  assert.isAtLeast(score.first, 0.98, score.missed.join("\n"));
  assert.isAtLeast(score.gain, 0.984, score.missed.join("\n"));
});

it("P2, P38, G48: of 200 misspelt words at least 99 % find a chat with the word that was meant", () => {
  assert.isAtLeast(score.typos, 0.99, score.missed.join("\n"));
});

it("P2, P7: each of those words finds at most eight chats, and exactly what it says when it is spelt right", async () => {
  for (const { wrong, right } of typoPairs()) {
    for (const word of [wrong, right]) {
      const found = await search.find(word, {});
      expect(found.chats.length).toBeLessThanOrEqual(MAX_CHATS);
      if (word === right) expect(found.match).toBe("exact");
    }
  }
});

it("P2: the set is what it says: 50 queries whose chats exist, 200 pairs whose right word is said and whose wrong one isn't", () => {
  const chats = setChats();
  const ids = new Set(chats.map(({ id }) => id));
  const said = new Set(chats.flatMap(({ said }) => said.flatMap(({ text }) => wordsOf(text))));
  const queries = lines(QUERIES);
  expect(queries).toHaveLength(50);
  for (const query of queries) {
    for (const id of (query.split(" > ")[1] ?? "").split(/ \/ | /u)) expect(ids).toContain(id);
  }
  const pairs = typoPairs();
  expect(new Set(pairs.map(({ wrong }) => wrong)).size).toBe(200);
  for (const { wrong, right } of pairs) {
    expect(said).toContain(right.toLowerCase());
    expect(said).not.toContain(wrong.toLowerCase());
  }
});
