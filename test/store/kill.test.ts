// What a commit promised is there after SIGKILL at any moment.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { done, open, runChild, surroundings, temporaryFolder } from "./world.ts";

const ROUNDS = 10;
const WRITTEN = ["a", "b", "c", "inbox"];

// Two series side by side: most of the time goes into starting processes.
describe.concurrent.each(["one", "another"])("killed again and again, %s series", (series) => {
  it(
    "D6, D3: all that the process said it had committed is there, whole and without gaps",
    { timeout: 120_000 },
    async () => {
      using folder = temporaryFolder();
      const data = join(folder.path, "data");
      {
        await using store = await openStore({ folder: data, ...surroundings });
        await done(store, ...WRITTEN.map((id) => open(id)));
      }
      const kept = new Set<string>();
      const finished = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        // At another moment each time: while it starts to write, and in the middle of it.
        const printed = await runUntil(folder.path, round, 1 + ((round * 29 + series.length * 17) % 83));
        {
          // The log beside the file was left as it was: a reader finds its way too.
          await using reader = await openReadOnly(data);
          expect(await reader.conversations.list()).toHaveLength(WRITTEN.length);
        }
        await using store = await openStore({ folder: data, ...surroundings });
        const logs = new Map(await Promise.all(WRITTEN.map(async (id) => [id, await texts(store, id)] as const)));
        for (const line of printed) {
          const [what, first = "", seq = "", text] = line.split(" ");
          if (what === "entry") expect(logs.get(first)?.[Number(seq) - 1]).toBe(text);
          if (what === "kept") kept.add(first);
          if (what === "done") finished.add(first);
        }
        const pending = new Set((await store.inbound.pending("telegram")).map(({ key }) => key));
        const inbox = new Set(logs.get("inbox"));
        expect(inbox.size).toBe(logs.get("inbox")?.length);
        expect([...finished].filter((key) => !inbox.has(key))).toEqual([]);
        // Each row is pending or became its one entry, never both and never neither.
        expect([...kept].filter((key) => pending.has(key) === inbox.has(key))).toEqual([]);
      }
      expect(kept.size).toBeGreaterThan(0);
      expect(finished.size).toBeGreaterThan(0);
    },
  );
});

/** What a child printed that was killed at its line number `enough`. */
async function runUntil(folder: string, round: number, enough: number): Promise<readonly string[]> {
  const printed: string[] = [];
  const child = runChild(new URL("kill-child.ts", import.meta.url), [join(folder, "data"), `${round}`], {
    // The children are mostly busy starting; compiled once, they take a third of the time.
    NODE_COMPILE_CACHE: join(folder, "compiled"),
  });
  for await (const line of child.lines) {
    if (printed.push(line) === enough) void child.kill();
  }
  await child.kill();
  expect(printed.length).toBeGreaterThanOrEqual(enough);
  return printed;
}

/** The texts of a log, when it has no gaps and agrees with what was committed together with it. */
async function texts(store: Store, id: string): Promise<readonly string[]> {
  const entries = await store.log.read(id);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, nth) => nth + 1));
  expect((await store.conversations.get(id))?.head).toBe(entries.length);
  const all = entries.map((entry) => (entry.kind === "notice" ? entry.text : ""));
  // The entry and the cursor of one transaction are both there or both not.
  if (id !== "inbox") expect(await store.records.cursor(id)).toBe(all.at(-1));
  return all;
}
