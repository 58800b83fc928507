// Pages of cards that can be leafed through: what they show of odd texts, and what they leave behind.
import { expect, test } from "vitest";
import { emptyCatalog } from "../catalog/empty.ts";
import { renderTelegram } from "../../src/channels/telegram/render.ts";
import { lookChanges } from "../../src/cards/looks.ts";
import type { Page } from "../../src/core/card.ts";
import { leafChanges } from "../../src/gateway/leafing.ts";
import { drawPage } from "../../src/gateway/pages.ts";
import { press } from "../../src/gateway/presses.ts";
import type { Search } from "../../src/search/port.ts";
import type { Change } from "../../src/store/port.ts";
import { surroundings } from "./bare.ts";
import { HOME, SAM, shelf } from "./shelf.ts";

const BACK: Page = { of: "activity" };

test("D34, G47: the buttons of /activity keep nothing of the chats that were looked at, nor of the one that looked", async () => {
  await using day = await shelf([
    { title: "ptarmigan at dawn", says: ["ptarmigan at dawn"] },
    { title: "who looked", says: ["hello"] },
  ]);
  const [seen = "", looked = ""] = day.ids;
  const look = { query: "capercaillie", chats: [{ conversation: seen, title: "ptarmigan at dawn", lines: [1] }] };
  await day.store.commit(lookChanges({ conversation: looked, turn: "t", look, at: 1 }, surroundings.random));
  const changes = await leafChanges({ of: "activity" }, day.here, day.parts);
  const done = await day.store.commit(changes);
  const [row] = done.ok ? done.rows : [];
  await day.store.commit([
    {
      do: "outgoing",
      id: row!.id,
      from: { state: "planned", attempt: 0 },
      to: { state: "shown", attempt: 1, ref: "m" },
    },
  ]);
  await day.erase(seen);
  await day.erase(looked);
  expect(day.holds("ptarmigan")).toBe(false);
  expect(day.holds("capercaillie")).toBe(false);
});

test("D34, G47: a page that still waits to be shown is no hiding place for a chat that is deleted", async () => {
  await using day = await shelf([{ title: "bird", says: ["heron and ptarmigan"] }]);
  await day.store.commit(await leafChanges({ of: "results", query: "heron" }, day.here, day.parts));
  await day.erase(day.ids[0]!);
  expect(day.holds("ptarmigan")).toBe(false);
  expect(JSON.stringify(await day.store.outbox.open())).not.toContain("ptarmigan");
});

test("G47: what was looked for is shown as it was typed, on one line", async () => {
  await using day = await shelf([{ title: "bird", says: ["heron and stork"] }]);
  for (const query of ["heron\n# stork", "heron\n\n---\nstork", "zeppelin\n- dirigible"]) {
    const { text } = await day.draw({ of: "results", query });
    const [html = ""] = renderTelegram(text).map((piece) => JSON.stringify(piece));
    expect(html.split("bird")[0]).not.toMatch(/<b>\s*stork|•|—{3}|\\n- /u);
    expect(text.split("\n")[0]).toMatch(/”/u);
  }
});

test("G47: an address stays one when a word of it is lit", async () => {
  await using day = await shelf([{ title: "bird", says: ["see www.heron.example for more"] }]);
  const { text } = await day.draw({ of: "results", query: "heron" });
  const drawn = JSON.stringify(renderTelegram(text));
  expect(drawn).not.toContain('href=\\"http://www\\"');
});

test("G47: each numbered button stands for a chat that is listed, however long titles are", async () => {
  const long = "a\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301".repeat(60);
  await using day = await shelf(Array.from({ length: 8 }, (_, nth) => ({ title: `${long} ${nth}`, says: ["heron"] })));
  const { text, rows } = await day.draw({ of: "results", query: "heron" });
  for (const { label } of rows.flat()) expect(text).toContain(`${label}. `);
});

test("G47: a chat whose title draws nothing is called something", async () => {
  for (const title of ["\u200b", "\u2800\u2800", ""]) {
    await using day = await shelf([{ title, says: ["heron"] }]);
    const { text } = await day.draw({ of: "results", query: "heron" });
    expect(text).toMatch(/\*\*1\. [^*]*\p{L}[^*]*\*\*/u);
  }
});

test("G47: while the index is being built a way back is not a dead end", async () => {
  await using day = await shelf([{ title: "x", says: ["heron"] }]);
  const parts = { ...day.parts, catalog: emptyCatalog(), linkTo: async () => undefined, maxChars: 1700 };
  const building = {
    ...parts.search,
    find: async () => await Promise.reject(new Error("building")),
  } as unknown as Search;
  const drawn = await drawPage({ of: "results", query: "heron" }, { ...parts, search: building });
  expect(drawn.rows.flat().length).toBeGreaterThan(0);
});

test("G47: lines of a page before or after have the link of a line that is on it, or none", async () => {
  await using day = await shelf([{ title: "x", says: Array.from({ length: 40 }, (_, nth) => `heron ${nth}`) }]);
  const links: number[] = [];
  const parts = {
    ...day.parts,
    maxChars: 1700,
    catalog: emptyCatalog(),
    linkTo: async (_: unknown, line: number) => {
      links.push(line);
      return `https://stage.example/${line}`;
    },
  };
  const page = { of: "lines", chat: day.ids[0]!, line: 20, direction: "before", back: BACK } as const;
  const { text, rows } = await drawPage(page, parts);
  expect(text).not.toContain("heron 19");
  const urls = rows.flat().flatMap((leaf) => ("url" in leaf ? [leaf.url] : []));
  expect(urls).not.toContain("https://stage.example/20");
});

test("D34, D41: a press keeps nothing of the page that it stood under, also when the power goes before it was answered", async () => {
  await using day = await shelf([{ title: "bird", says: ["heron and ptarmigan"] }]);
  const [added] = await day.store.inbound.keep(
    "stage",
    [{ key: "k1", raw: { message: { text: "heron and ptarmigan" } } }],
    1,
  );
  const key = "press-key-12";
  const button = { conversation: day.here.id, does: "leaf", key: "outside/passing/page/x", page: BACK } as const;
  await day.store.commit([{ do: "button", key, button }]);
  const parts = {
    store: day.store,
    ways: new Map(),
    surroundings,
    leaf: async (_: unknown, __: unknown, { more }: { more: readonly Change[] }) => {
      await day.store.commit(more);
      throw new Error("the power goes");
    },
  } as unknown as Parameters<typeof press>[0];
  const inbound = { kind: "press", room: HOME, data: key, ref: "r" } as unknown as Parameters<typeof press>[1];
  await expect(press(parts, inbound, added!.id, SAM, async (_, task) => await task())).rejects.toThrow(
    "the power goes",
  );
  await day.erase(day.ids[0]!);
  expect(day.holds("ptarmigan")).toBe(false);
});
