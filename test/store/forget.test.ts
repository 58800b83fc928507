// Raw updates that are done with: what they held goes or stays, and the key stays for dedupe.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { allBytes, done, open, say, surroundings, temporaryFolder } from "./world.ts";

test("D34, D5, D2: an update that is done with and forgotten leaves its key, so that it is recognised, and none of its words", async () => {
  using folder = temporaryFolder();
  const updates = ["wryneck", "bluethroat", "hawfinch"].map((raw, at) => ({ key: String(at), raw: { text: raw } }));
  {
    await using store = await openStore({ folder: folder.path, ...surroundings });
    const rows = await store.inbound.keep("telegram", updates, 1);
    const [forgotten, kept, late] = rows.map(({ id }) => id);
    await done(store, { do: "inbound-done", ids: [forgotten!], outcome: "ignored", forget: true });
    await done(store, { do: "inbound-done", ids: [kept!], outcome: "malformed" });
    // Done with first, forgotten later: how it was done with stays as it was.
    await done(store, { do: "inbound-done", ids: [late!], outcome: "pressed" });
    await done(store, { do: "inbound-done", ids: [late!], outcome: "again", forget: true });
    expect(await store.inbound.pending("telegram")).toEqual([]);
    expect(await store.inbound.keep("telegram", updates, 2)).toEqual([]);
    using reader = new DatabaseSync(join(folder.path, "tidegate.db"), { readOnly: true });
    expect(reader.prepare("SELECT outcome, raw FROM inbound ORDER BY id").all()).toMatchObject([
      { outcome: "ignored", raw: null },
      { outcome: "malformed", raw: expect.stringContaining("bluethroat") },
      { outcome: "pressed", raw: null },
    ]);
    // Whatever chat is deleted, the file is rewritten.
    await done(store, open("c1"), say("c1", "hello"));
    await store.conversations.delete("c1");
    const bytes = allBytes(folder.path);
    expect(["wryneck", "bluethroat", "hawfinch"].filter((word) => bytes.includes(word))).toEqual(["bluethroat"]);
  }
  await using again = await openStore({ folder: folder.path, ...surroundings });
  expect(await again.inbound.keep("telegram", updates, 3)).toEqual([]);
});
