// Doubts: what may or may not be meant by the spec.
import { expect, it } from "vitest";
import { secretsIn } from "../../src/taint/shapes.ts";
import { openReader } from "../../src/search/reading.ts";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Search } from "../../src/search/port.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { append, done, open, surroundings } from "../store/world.ts";
import { edited, said, SECRET } from "./index-world.ts";

async function searched(bodies: readonly EntryBody[], ask: (search: Search) => Promise<void>): Promise<void> {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  await using search = await openSearch({ folder: ":memory:", store, secrets: [SECRET], ...surroundings });
  await done(store, open("c"), ...bodies.map((body) => append("c", body)));
  await ask(search);
}

it("P31, A71: the marker in a secret's place can't be searched for, so nobody is told where secrets are", async () => {
  await searched([said(`the key is ${SECRET}`, "1")], async (search) => {
    expect((await search.find("hidden", {})).match).toBe("none");
    expect((await search.find("hiddem", {})).match).toBe("none");
  });
});

it("G48: of a long text without spaces or sentence ends, two characters that stand together are found wherever they do", async () => {
  const text = Array.from({ length: 3000 }, (_, nth) => String.fromCodePoint(0x4e00 + nth)).join("");
  await searched([said(text, "1")], async (search) => {
    const lost: number[] = [];
    for (let at = 1480; at < 1520; at += 1) {
      if ((await search.find(text.slice(at, at + 2), {})).match !== "exact") lost.push(at);
    }
    expect(lost).toEqual([]);
  });
});

it("P2: a quoted phrase is found where a long text is cut", async () => {
  const words = Array.from({ length: 600 }, (_, nth) => `w${nth}`);
  await searched([said(words.join(" "), "1")], async (search) => {
    const lost: number[] = [];
    for (let at = 230; at < 400; at += 1) {
      if ((await search.find(`"${words[at]} ${words[at + 1]}"`, {})).match !== "exact") lost.push(at);
    }
    expect(lost).toEqual([]);
  });
});

it("D49: edits of old messages of a long chat that come together read the chat once", async () => {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  const bodies = Array.from({ length: 2000 }, (_, nth) => said(`line ${nth}`, `m${nth}`));
  const edits = Array.from({ length: 20 }, (_, nth) => edited(`m${nth}`, "changed"));
  await done(store, open("c"), ...[...bodies, ...edits].map((body) => append("c", body)));
  let entries = 0;
  const reader = openReader(
    {
      read: async (...given) => {
        const read = await store.log.read(...given);
        entries += read.length;
        return read;
      },
    },
    secretsIn([]),
  );
  await reader.read(await store.log.page(2000, 100));
  expect(entries).toBeLessThan(3 * 2000);
});
