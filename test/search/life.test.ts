// Attacks on the life of the index: ends, deletions and failures at bad moments.
import { readdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { append, done, open, surroundings, temporaryFolder } from "../store/world.ts";
import { answer, message, said, textPart } from "./index-world.ts";

async function filled(folder: string, count = 4000): Promise<Store> {
  const store = await openStore({ folder, ...surroundings });
  await done(store, open("big"), open("other"), append("other", said("the one heron", "o1")));
  const bodies = Array.from({ length: count }, (_, nth) => append("big", answer(`heron number ${nth} walks by`)));
  await done(store, ...bodies);
  return store;
}

const workers = (): number => process.getActiveResourcesInfo().filter((one) => one === "MessagePort").length;

it("D35, P13: ended while a chat is forgotten during a build, it leaves no build behind", async () => {
  using folder = temporaryFolder();
  await using store = await filled(folder.path);
  const before = workers();
  const search = await openSearch({ folder: folder.path, store, secrets: [], farBehind: 0, ...surroundings });
  expect(search.state().is).toBe("building");
  const forgetting = search.forget("other").catch(() => undefined);
  await search[Symbol.asyncDispose]();
  await forgetting;
  expect(workers()).toBe(before);
  await wait(1500);
  expect(readdirSync(folder.path).filter((name) => name.startsWith("search.db"))).toEqual([]);
});

it("D35, P13: forgetting after its end begins nothing", async () => {
  using folder = temporaryFolder();
  await using store = await filled(folder.path);
  const before = workers();
  const search = await openSearch({ folder: folder.path, store, secrets: [], farBehind: 0, ...surroundings });
  await search[Symbol.asyncDispose]();
  await search.forget("other").catch(() => undefined);
  expect(workers()).toBe(before);
});

it.each([Number.NaN, 1.5, 1e300, -1])("P13, D49: a message at %s does not break the index", async (at) => {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  await using search = await openSearch({ folder: ":memory:", store, secrets: [], ...surroundings });
  await done(store, open("c"), append("c", message([textPart("the venue", "1")], undefined, at)));
  expect((await search.find("venue", {})).match).toBe("exact");
  await done(store, append("c", said("the harbour", "2")));
  expect((await search.find("harbour", {})).match).toBe("exact");
});

it("P13: an error of the store while a batch is read does not throw the index away", async () => {
  using folder = temporaryFolder();
  await using store = await openStore({ folder: folder.path, ...surroundings });
  await done(store, open("c"), append("c", said("the venue", "1")));
  let fails = false;
  const log: Store["log"] = {
    head: () => store.log.head(),
    looks: (...given) => store.log.looks(...given),
    follow: (...given) => store.log.follow(...given),
    read: (...given) => store.log.read(...given),
    page: async (...given) => {
      if (fails) throw new Error("planted");
      return await store.log.page(...given);
    },
  };
  await using search = await openSearch({
    folder: folder.path,
    store: { ...store, log },
    secrets: [],
    ...surroundings,
  });
  expect((await search.find("venue", {})).match).toBe("exact");
  fails = true;
  await done(store, append("c", said("the harbour", "2")));
  for (let nth = 0; nth < 3; nth += 1) await search.find("harbour", {}).catch(() => undefined);
  fails = false;
  await search.settled();
  expect(search.state().is).toBe("ready");
  expect((await search.find("harbour", {})).match).toBe("exact");
});
