// In which order a chat is deleted, and what a failure on the way leaves.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Room } from "../../src/core/message.ts";
import type { Store } from "../../src/store/port.ts";
import { bareGateway } from "./bare.ts";

const room: Room = { platform: "telegram", chat: "1001", kind: "private" };

/** A chat with a file of its own. */
async function chatWithFile(store: Store, work: string): Promise<string> {
  await store.commit([{ do: "open", id: "c1", room, person: "telegram/1001", title: "Chat", at: 1 }]);
  mkdirSync(join(work, "c1"));
  const file = join(work, "c1", "picture.jpg");
  writeFileSync(file, "bytes");
  return file;
}

test("D34: a chat's files are gone before its rows are, since without them nothing leads to the files", async () => {
  const there: boolean[] = [];
  await using here = await bareGateway({
    seen: (store, work) => ({
      ...store,
      conversations: {
        ...store.conversations,
        delete: async (id) => {
          there.push(existsSync(join(work, id)));
          return await store.conversations.delete(id);
        },
      },
    }),
  });
  await chatWithFile(here.store, here.work);
  expect(await here.gateway.delete("c1")).toBe(true);
  expect(there).toEqual([false]);
  expect(await here.store.conversations.get("c1")).toBeUndefined();
});

test("D34: when the rows are gone and only the rewriting fails, it counts as deleted; when they are not, it does not", async () => {
  let fails: "before" | "after" = "before";
  await using here = await bareGateway({
    seen: (store) => ({
      ...store,
      conversations: {
        ...store.conversations,
        delete: async (id) => {
          if (fails === "after") await store.conversations.delete(id);
          throw new Error("the disk does not answer");
        },
      },
    }),
  });
  const file = await chatWithFile(here.store, here.work);
  await expect(here.gateway.delete("c1")).rejects.toThrow("the disk does not answer");
  expect(await here.store.conversations.get("c1")).toBeDefined();
  fails = "after";
  expect(await here.gateway.delete("c1")).toBe(true);
  expect(existsSync(file)).toBe(false);
  expect(await here.gateway.delete("c1")).toBe(false);
});
