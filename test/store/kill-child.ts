// Writes to a store as fast as it can, from several places at once, and prints each thing once the store says that it is there.
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { openStore } from "../../src/store/open.ts";
import { notice, surroundings } from "./world.ts";

const [, , folder = "", round = ""] = process.argv;
// At its end it would be too late.
flushCompileCache();
const store = await openStore({ folder, syncAside: true, ...surroundings });
// Straight to the pipe: what is printed after a commit must not wait in a buffer of this process.
const print = (line: string): void => {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    // Nobody listens any more: about to be killed.
  }
};

const writers = ["a", "b", "c"].map(async (conversation) => {
  for (let nth = 0; ; nth += 1) {
    const text = `${round}-${nth}-${"x".repeat((nth * 37) % 3_000)}`;
    const committed = await store.commit([
      notice(conversation, text),
      { do: "cursor", name: conversation, value: text },
    ]);
    if (committed.ok) print(`entry ${conversation} ${committed.entries[0]?.seq} ${text}`);
  }
});
const keeping = (async () => {
  for (let nth = 0; ; nth += 1) {
    const key = `${round}-${nth}`;
    const [row] = await store.inbound.keep("telegram", [{ key, raw: { key } }], 1);
    print(`kept ${key}`);
    if (nth % 2 === 0) continue;
    await store.commit([{ do: "inbound-done", ids: [row?.id ?? 0], outcome: "message" }, notice("inbox", key)]);
    print(`done ${key}`);
  }
})();
await Promise.all([...writers, keeping]);
