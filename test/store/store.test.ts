// The contract, on each of our stores.
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { storeContract, type StoreUnderTest } from "../contracts/store.ts";
import { surroundings, temporaryFolder } from "./world.ts";

const onDisk = (syncAside: boolean) => async (): Promise<StoreUnderTest> => {
  const folder = temporaryFolder();
  const openIt = (): Promise<Store> => openStore({ folder: join(folder.path, "data"), syncAside, ...surroundings });
  let store = await openIt();
  onTestFinished(async () => {
    await store[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return {
    store,
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = await openIt();
      return store;
    },
  };
};

storeContract("on disk", onDisk(false));
storeContract("on disk, synced aside", onDisk(true));

storeContract(
  "in memory",
  async (): Promise<StoreUnderTest> => {
    const store = await openStore({ folder: ":memory:", ...surroundings });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return { store, reopen: () => Promise.reject(new Error("nothing to reopen")) };
  },
  "a store in memory ends with its disposal",
);
