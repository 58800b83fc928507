// Attacks on what is in the index.
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change } from "../../src/store/port.ts";
import { runs } from "../deep.ts";
import { append, done, open, surroundings, temporaryFolder } from "../store/world.ts";
import { answer, contents, happenings, indexOver, message, said, SECRET, textPart } from "./index-world.ts";

const [HEAD, TAIL] = [SECRET.slice(0, 11), SECRET.slice(11)];

async function textOf(...bodies: readonly Parameters<typeof append>[1][]): Promise<string> {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  await done(store, open("c"), ...bodies.map((body) => append("c", body)));
  await using index = indexOver(store);
  await index.take(await store.log.head());
  return JSON.stringify(index.database.all("SELECT line, text FROM passage ORDER BY n"));
}

describe("a secret in two messages of one writer that follow each other", () => {
  it("A71, P28: is hidden when the second one answers somebody's message", async () => {
    const reply = message([
      textPart("what Bo said", "2", { kind: "quoted", from: "Bo", id: "8", ours: false }),
      textPart(TAIL, "2"),
    ]);
    expect(await textOf(said(`is ${HEAD}`, "1"), reply)).not.toMatch(/swallow|moth/u);
  });

  it("A71, P28: is hidden when the first one ends with a forward", async () => {
    const first = message([
      textPart(HEAD, "1"),
      textPart("what Bo said", "1", { kind: "forwarded", as: "user", from: "Bo", id: "8" }),
    ]);
    expect(await textOf(first, said(TAIL, "2"))).not.toMatch(/swallow|moth/u);
  });

  it("A71, P28: is hidden in an assistant's answer that a message of the owner's interrupts", async () => {
    expect(await textOf(answer(`is ${HEAD}`), answer(TAIL, "t1", 1))).not.toMatch(/swallow|moth/u);
  });
});

it(
  "D49: equals one built afresh through restarts, deletions, edits and answers begun anew",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(happenings, fc.infiniteStream(fc.nat(9)), async (all, dice) => {
        using folder = temporaryFolder();
        await using store = await openStore({ folder: folder.path, ...surroundings });
        const options = { folder: folder.path, store, secrets: [SECRET], ...surroundings };
        let search = await openSearch(options);
        const names = new Map<string, string>();
        const waiting: Promise<unknown>[] = [];
        for (const [at, one] of all.entries()) {
          const { value: thrown } = dice.next() as { value: number };
          if (thrown === 0) {
            await search[Symbol.asyncDispose]();
            search = await openSearch(options);
          }
          if (thrown === 1) waiting.push(search.find("venue", {}).catch((error: unknown) => error));
          if (one.do === "delete") {
            const id = names.get(one.chat);
            if (id === undefined) continue;
            names.delete(one.chat);
            waiting.push(search.find("venue", {}).catch((error: unknown) => error));
            await store.conversations.delete(id);
            // Not told of every one: the program may have ended in between.
            if (thrown > 3) waiting.push(search.forget(id));
            else {
              await search[Symbol.asyncDispose]();
              search = await openSearch(options);
            }
          } else if (one.do === "write") {
            const id = names.get(one.chat) ?? `${one.chat}${at}`;
            const first: readonly Change[] = names.has(one.chat) ? [] : [open(id)];
            names.set(one.chat, id);
            await store.commit([...first, append(id, one.body, at)]);
          } else await search.find("venue", {});
        }
        await Promise.all(waiting);
        await search.settled();
        expect(search.state().is).toBe("ready");
        await search[Symbol.asyncDispose]();
        await using fresh = indexOver(store);
        await fresh.take(await store.log.head());
        const database = new DatabaseSync(join(folder.path, "search.db"), { defensive: false });
        const wrapped = {
          exec: (sql: string) => database.exec(sql),
          all: (sql: string) =>
            database
              .prepare(sql)
              .all()
              .map((row) => ({ ...row })),
          get: (sql: string) => ({ ...database.prepare(sql).get() }),
        };
        const one = contents(wrapped as never) as Record<string, unknown>;
        database.close();
        const other = contents(fresh.database) as Record<string, unknown>;
        expect({ ...one, place: 0 }).toEqual(JSON.parse(JSON.stringify({ ...other, place: 0 })));
      }),
      { numRuns: runs(60) },
    );
  },
);
