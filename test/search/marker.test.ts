// What stands in a secret's place says nothing.
import { expect, it } from "vitest";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Search } from "../../src/search/port.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { append, done, open, surroundings } from "../store/world.ts";
import { said, SECRET } from "./index-world.ts";

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
