// The contract, on both of our stores.
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { storeContract, type StoreUnderTest } from "../contracts/store.ts";
import { surroundings, temporaryFolder } from "./world.ts";

storeContract("on disk", async (): Promise<StoreUnderTest> => {
  const folder = temporaryFolder();
  const openIt = (): Promise<Store> => openStore({ folder: join(folder.path, "data"), ...surroundings });
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
});

storeContract(
  "in memory",
  async (): Promise<StoreUnderTest> => {
    const store = await openStore({ folder: ":memory:", ...surroundings });
    onTestFinished(() => store[Symbol.asyncDispose]());
    return { store, reopen: () => Promise.reject(new Error("nothing to reopen")) };
  },
  "a store in memory ends with its disposal",
);
