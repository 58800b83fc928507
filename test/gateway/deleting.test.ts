// In which order a chat is deleted, and what a failure on the way leaves.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "../../src/core/engine.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Room } from "../../src/core/message.ts";
import { deleteChat } from "../../src/gateway/deleting.ts";
import { Engines } from "../../src/gateway/engines.ts";
import { forgetting } from "../../src/gateway/forgetting.ts";
import type { Store } from "../../src/store/port.ts";
import { bareGateway, surroundings } from "./bare.ts";

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

const NOTES = "sessions-to-forget";
const PATIENT = { timeout: 10_000 };

/** An engine that keeps a file for each session, in a folder of its own. */
function keeper(name: string, folder: string): Engine {
  return {
    name,
    can: { tools: false, images: false, plan: false, ownTools: false, sessions: true, holdMs: 0 },
    async *run() {
      yield { kind: "end", reason: "done" };
    },
    forget: async (resumeId) => rmSync(join(folder, `${name}-${resumeId}`), { force: true }),
    check: async () => ({ words: "It keeps." }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A chat with a session of each of two engines. */
async function chatWithSessions(store: Store, folder: string, id: string): Promise<void> {
  await store.commit([
    { do: "open", id, room, person: "telegram/1001", title: "Chat", at: 1 },
    ...["one", "two"].map((engine) => {
      writeFileSync(join(folder, `${engine}-${id}`), "what was said");
      return { do: "session", session: { conversation: id, engine, resumeId: id, seen: 1, redacted: false } } as const;
    }),
  ]);
}

test("D48: deleting a chat deletes each engine's session of it, and no other chat's", async () => {
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  await using here = await bareGateway({ engine: async (name) => keeper(name, kept) });
  await chatWithSessions(here.store, kept, "c1");
  await chatWithSessions(here.store, kept, "c2");
  expect(await here.gateway.delete("c1")).toBe(true);
  expect(readdirSync(kept).toSorted()).toEqual(["one-c2", "two-c2"]);
  expect(await here.store.settings.get(NOTES)).toBeUndefined();
});

test("D48: what an engine that can't be made keeps of a deleted chat goes at a later start, and only that", async () => {
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  const missing = new GatewayError("engine-missing", "The program is not there.");
  const broken = new Engines(
    ["one", "two"],
    async (name) => await (name === "two" ? Promise.reject(missing) : Promise.resolve(keeper(name, kept))),
    surroundings,
  );
  let noted: unknown;
  {
    await using here = await bareGateway({ engine: async (name) => await broken.get(name) });
    await chatWithSessions(here.store, kept, "c1");
    await chatWithSessions(here.store, kept, "c2");
    expect(await here.gateway.delete("c1")).toBe(true);
    expect(readdirSync(kept).toSorted()).toEqual(["one-c2", "two-c1", "two-c2"]);
    noted = await here.store.settings.get(NOTES);
    expect(noted).toEqual([{ conversation: "c1", engine: "two", resumeId: "c1" }]);
  }
  const before = async (store: Store): Promise<void> => {
    await chatWithSessions(store, kept, "c2");
    await store.settings.set(NOTES, noted);
  };
  // The program is there again.
  await using again = await bareGateway({ engine: async (name) => keeper(name, kept), before });
  await expect.poll(() => readdirSync(kept).toSorted(), PATIENT).toEqual(["one-c2", "two-c2"]);
  await expect.poll(async () => await again.store.settings.get(NOTES), PATIENT).toBeUndefined();
});

test("D48, D34: a crash between the rows and the sessions leaves the note; one before the rows forgets nothing of a chat that stays", async () => {
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  await using here = await bareGateway({ engine: async (name) => keeper(name, kept) });
  const { store } = here;
  await chatWithSessions(store, kept, "c1");
  await chatWithSessions(store, kept, "c2");
  const parts = { store, engine: async (name: string) => keeper(name, kept), surroundings };
  await forgetting(parts).note("c1");
  await forgetting(parts).note("c2");
  await store.conversations.delete("c1");
  expect(await forgetting(parts).carryOut()).toEqual([]);
  expect(readdirSync(kept).toSorted()).toEqual(["one-c2", "two-c2"]);
  expect(await store.settings.get(NOTES)).toBeUndefined();
});

test("D48: of two chats that are deleted at once, the end of one takes away no note of the other", async () => {
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  const [noted, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using here = await bareGateway({
    engine: async (name) => keeper(name, kept),
    seen: (store) => ({
      ...store,
      conversations: {
        ...store.conversations,
        // The first is noted and still there for as long as the second takes.
        delete: async (id) => {
          if (id === "c1") {
            noted.resolve();
            await over.promise;
          }
          return await store.conversations.delete(id);
        },
      },
    }),
  });
  await chatWithSessions(here.store, kept, "c1");
  await chatWithSessions(here.store, kept, "c2");
  const first = here.gateway.delete("c1");
  await noted.promise;
  expect(await here.gateway.delete("c2")).toBe(true);
  expect(readdirSync(kept).toSorted()).toEqual(["one-c1", "two-c1"]);
  over.resolve();
  expect(await first).toBe(true);
  expect(readdirSync(kept)).toEqual([]);
  expect(await here.store.settings.get(NOTES)).toBeUndefined();
});

test("D48, E28: what stands open in a chat ends once its turn has, which might leave one more card behind", async () => {
  const begun = Promise.withResolvers<void>();
  const stalling: Engine = {
    ...keeper("demo", ""),
    async *run({ signal }) {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield { kind: "end", reason: "stopped" };
    },
  };
  await using here = await bareGateway({ engine: async () => await Promise.resolve(stalling) });
  const { store, search, work, gateway } = here;
  const { queue } = gateway;
  const part = { kind: "text", messageId: "m", origin: { kind: "own" }, text: "Go" } as const;
  const from = { platform: "telegram", id: "1001", name: "Sam", role: "owner" } as const;
  await store.commit([
    { do: "open", id: "c1", room, person: "telegram/1001", title: "Chat", at: 1 },
    {
      ...{ do: "append", conversation: "c1", at: 1 },
      body: { kind: "message", message: { from, at: 1, ids: ["m"], parts: [part] } },
    },
  ]);
  queue.wake("c1");
  await begun.promise;
  const left: (string | undefined)[] = [];
  const leave = async (): Promise<void> => void left.push(await Promise.resolve(queue.running("c1")));
  const engine = async (name: string): Promise<Engine> => await Promise.resolve(keeper(name, work));
  const parts = { store, search, queue, leave, owner: "Sam", surroundings, workFolder: (id: string) => join(work, id) };
  await deleteChat("c1", [], { ...parts, forgetting: forgetting({ store, engine, surroundings }) });
  expect(left.at(-1)).toBeUndefined();
  expect(left).toHaveLength(1);
});

test("D48, G18: what can't be forgotten yet is said in the chat, in place of the words that all is gone", async () => {
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  await using here = await bareGateway();
  const { store, search, gateway, work } = here;
  const said = async (engine: (name: string) => Promise<Engine>, id: string): Promise<string> => {
    await chatWithSessions(store, kept, id);
    const parts = { store, search, queue: gateway.queue, leave: async () => undefined, owner: "Sam", surroundings };
    const workFolder = (one: string): string => join(work, one);
    await deleteChat(id, [], { ...parts, workFolder, forgetting: forgetting({ store, engine, surroundings }) });
    const current = await store.conversations.current(room, "telegram/1001");
    const last = (await store.log.read(current?.id ?? "")).at(-1);
    return last?.kind === "notice" ? last.text : "";
  };
  expect(await said(async (name) => keeper(name, kept), "c1")).toMatch(/its files and all that was kept of it here\./u);
  const gone = new Engines([], async () => await Promise.reject(new Error("never made")), surroundings);
  const words = await said(async (name) => await gone.get(name), "c2");
  expect(words).toContain("What **one** and **two** kept of it can't be deleted now; it goes at the next start");
  expect(words).not.toContain("all that was kept");
  // What is left of an earlier chat is not said of a later one.
  expect(await said(async (name) => (name === "two" ? await gone.get(name) : keeper(name, kept)), "c3")).toContain(
    "What **two** kept",
  );
});

test("D48: an engine that fails or never answers holds nothing up, and is named", async () => {
  await using here = await bareGateway();
  const { store } = here;
  const kept = mkdtempSync(join(tmpdir(), "tg-kept-"));
  onTestFinished(() => rmSync(kept, { recursive: true }));
  await chatWithSessions(store, kept, "c1");
  const engine = async (name: string): Promise<Engine> => ({
    ...keeper(name, kept),
    forget: async () => await (name === "one" ? new Promise<void>(() => undefined) : Promise.reject(new Error("no"))),
  });
  const hasty = { ...surroundings, clock: { ...surroundings.clock, sleep: async () => undefined } };
  const both = forgetting({ store, engine, surroundings: hasty });
  await both.note("c1");
  await store.conversations.delete("c1");
  expect((await both.carryOut()).map(({ engine }) => engine)).toEqual(["one", "two"]);
  expect(await store.settings.get(NOTES)).toHaveLength(2);
});
