// Cards that can be leafed through: one message each, drawn from what is kept, and kept nowhere themselves.
import { expect, test } from "vitest";
import { emptyCatalog } from "../catalog/empty.ts";
import { lookChanges, lookKey } from "../../src/cards/looks.ts";
import type { Page } from "../../src/core/card.ts";
import { personKey } from "../../src/core/message.ts";
import { leaf, leafChanges } from "../../src/gateway/leafing.ts";
import { drawPage } from "../../src/gateway/pages.ts";
import { OUTSIDE_KEY, PASSING_KEY, type Change, type PlannedShow } from "../../src/store/port.ts";
import { surroundings } from "./bare.ts";
import { HOME, SAM, shelf, type Shelf } from "./shelf.ts";

/** So many chats that each say so many long things, for a platform of short messages. */
async function longShelf(chats: number, lines: number): Promise<Shelf> {
  const long = "and _much_ more of [it](x) ".repeat(20);
  return await shelf(
    Array.from({ length: chats }, (_, chat) => ({
      title: `Chat ${chat} *with* [marks]`,
      says: Array.from({ length: lines }, (__, line) => `heron ${chat}-${line} ${long}`),
    })),
    1000,
  );
}

function rowsOf(changes: readonly Change[]): readonly PlannedShow[] {
  return changes.flatMap((change) => (change.do === "plan" ? change.rows : []));
}

test("G47: a page is one message, however much it could show, and each of its buttons is durable", async () => {
  await using here = await longShelf(8, 20);
  const line = 7;
  const around = { of: "lines", chat: here.ids[0] ?? "", line, direction: "around", query: "heron" } as const;
  const look = {
    query: "heron",
    chats: here.ids.map((conversation) => ({ conversation, title: "x", lines: [2, 3, 4] })),
  };
  const pages: readonly Page[] = [
    { of: "results", query: "heron" },
    { ...around, back: { of: "activity" } },
    { of: "look", look, open: true },
  ];
  for (const page of pages) {
    const changes = await leafChanges(page, here.here, here.parts);
    const rows = rowsOf(changes);
    expect(rows).toHaveLength(1);
    expect(rows[0]?.piece.plain).toContain("heron");
    const buttons = changes.flatMap((change) => (change.do === "button" ? [change.button] : []));
    expect(buttons.length).toBeGreaterThan(0);
    for (const button of buttons) expect(button).toMatchObject({ does: "leaf", key: rows[0]?.key });
  }
});

test("G47, D35: what a page shows is kept until it is shown or refused, and not a moment longer", async () => {
  await using here = await longShelf(1, 2);
  for (const state of ["shown", "refused"] as const) {
    const done = await here.store.commit(await leafChanges({ of: "results", query: "heron" }, here.here, here.parts));
    const [row] = done.ok ? done.rows : [];
    expect(row?.piece.plain).toContain("heron");
    expect(row?.key.startsWith(PASSING_KEY)).toBe(true);
    const { id, attempt } = row!;
    await here.store.commit([
      { do: "outgoing", id, from: { state: "planned", attempt }, to: { state, attempt: 1, ref: `m${id}` } },
    ]);
    if (state === "shown")
      expect((await here.store.outbox.shown(HOME, row!.key, 0))?.piece).toEqual({ body: null, plain: "" });
    // What is refused is found nowhere else: by its words.
    const backup = JSON.stringify(await here.store.outbox.open());
    expect(backup).not.toContain("heron");
  }
  // Quoted, it is not ours: it holds others' words.
  expect(PASSING_KEY.startsWith(OUTSIDE_KEY)).toBe(true);
  expect(await here.store.conversations.holding(HOME, "m1")).toBeUndefined();
});

test("P34: a look's line is edited into the list and back under one key, and its own row is passing too", async () => {
  await using here = await longShelf(1, 2);
  const look = { query: "heron", chats: [{ conversation: here.ids[0] ?? "", title: "x", lines: [1] }] };
  const order = { conversation: here.here.id, turn: "t", look, at: 1 };
  const [entry, button] = lookChanges(order, surroundings.random);
  const pressed = button?.do === "button" && button.button.does === "leaf" ? button.button : undefined;
  expect(entry).toMatchObject({ do: "append", body: { kind: "looked", look } });
  expect(pressed?.key.startsWith(PASSING_KEY)).toBe(true);
  expect(pressed?.key).toBe(lookKey(button?.do === "button" ? button.key : ""));
  const more: Change = { do: "cursor", name: "seen", value: "yes" };
  await leaf(pressed!, here.here, { more: [more], on: undefined }, here.parts);
  expect(await here.store.records.cursor("seen")).toBe("yes");
  const [row] = await here.store.outbox.open();
  expect(row).toMatchObject({ key: pressed?.key, conversation: here.here.id });
});

test("P34, D35: a chat that is gone, and lines that were taken back, are said to be", async () => {
  await using here = await longShelf(2, 2);
  const linkTo = async (): Promise<undefined> => undefined;
  const parts = { store: here.store, search: here.search, catalog: emptyCatalog(), linkTo, maxChars: 1700 };
  const look = {
    query: "heron",
    chats: [
      { conversation: here.ids[0] ?? "", title: "x", lines: [1] },
      { conversation: "nosuchchat12", title: "Kept title", lines: [1] },
    ],
  };
  const drawn = await drawPage({ of: "look", look, open: true }, parts);
  expect(drawn.text).toContain("heron 0-0");
  expect(drawn.text).toContain("a chat that is deleted");
  expect(drawn.text).not.toContain("Kept title");
  const gone = { of: "lines", chat: "nosuchchat12", line: 1, direction: "around", back: { of: "activity" } } as const;
  expect(await drawPage(gone, parts)).toMatchObject({ rows: [[{ label: "Back" }]] });
});

test("P28: what looks like a secret in a title of old is not shown", async () => {
  await using here = await longShelf(1, 1);
  await here.store.commit([{ do: "title", conversation: here.ids[0] ?? "", title: "my password is Sunfl0wer-Kite" }]);
  const linkTo = async (): Promise<undefined> => undefined;
  const parts = { store: here.store, search: here.search, catalog: emptyCatalog(), linkTo, maxChars: 1700 };
  const { text } = await drawPage({ of: "results", query: "heron" }, parts);
  expect(text).toContain("my password is");
  expect(text).not.toContain("Sunfl0wer");
});

test("P34, G47: a line links to its own message, an answer to what was shown of it", async () => {
  await using here = await longShelf(1, 2);
  const [row] = rowsOf(await leafChanges({ of: "results", query: "heron" }, here.here, here.parts));
  expect(row?.piece.plain).toContain("https://stage.example/0-");
  expect(personKey(SAM)).toBe("stage/1001");
});
