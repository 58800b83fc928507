// What a commit promised is there after SIGKILL at any moment.
import { expect, it } from "vitest";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import { done, open, runChild, surroundings, temporaryFolder } from "./world.ts";

const ROUNDS = 20;

it("D6, D3: all that a killed process said it had committed is there, whole and without gaps", async () => {
  using folder = temporaryFolder();
  {
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await done(store, ...["a", "b", "c", "inbox"].map((id) => open(id)));
  }
  const kept = new Set<string>();
  const finished = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const printed: string[] = [];
    const child = runChild(new URL("kill-child.ts", import.meta.url), folder.path, `${round}`);
    // At another moment each time: while it starts to write, and in the middle of it.
    const enough = 1 + ((round * 29) % 83);
    for await (const line of child.lines) {
      if (printed.push(line) === enough) void child.kill();
    }
    await child.kill();
    expect(printed.length).toBeGreaterThanOrEqual(enough);
    {
      // The log beside the file was left as it was: a reader finds its way too.
      await using reader = await openReadOnly(folder.path);
      expect(await reader.log.read("a")).not.toEqual([]);
    }
    await using store = await openStore({ folder: folder.path, ...surroundings });
    const logs = new Map<string, readonly string[]>();
    for (const id of ["a", "b", "c", "inbox"]) {
      const entries = await store.log.read(id);
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, nth) => nth + 1));
      expect((await store.conversations.get(id))?.head).toBe(entries.length);
      logs.set(
        id,
        entries.map((entry) => (entry.kind === "notice" ? entry.text : "")),
      );
      // The entry and the cursor of one transaction are both there or both not.
      if (id !== "inbox") expect(await store.records.cursor(id)).toBe(logs.get(id)?.at(-1));
    }
    for (const line of printed) {
      const [what, first = "", seq = "", text] = line.split(" ");
      if (what === "entry") expect(logs.get(first)?.[Number(seq) - 1]).toBe(text);
      if (what === "kept") kept.add(first);
      if (what === "done") finished.add(first);
    }
    const pending = new Set((await store.inbound.pending("telegram")).map(({ key }) => key));
    const inbox = logs.get("inbox") ?? [];
    expect(new Set(inbox).size).toBe(inbox.length);
    for (const key of finished) expect(inbox).toContain(key);
    // Each row is pending or became its one entry, never both and never neither.
    for (const key of kept) expect(pending.has(key)).toBe(!inbox.includes(key));
  }
  expect(kept.size).toBeGreaterThan(0);
  expect(finished.size).toBeGreaterThan(0);
});
