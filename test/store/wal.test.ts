// The sync beside the event loop, on a real file.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/database.ts";
import { openQueue } from "../../src/store/queue.ts";
import { gathered, walSync } from "../../src/store/wal.ts";
import { VirtualClock } from "../sim/clock.ts";
import { temporaryFolder } from "./world.ts";

function bench() {
  const folder = temporaryFolder();
  const path = join(folder.path, "a.db");
  const clock = new VirtualClock();
  const failures = { now: Promise.withResolvers<void>(), count: 0 };
  const silent = (): void => undefined;
  const error = (): void => {
    failures.count += 1;
    failures.now.resolve();
    failures.now = Promise.withResolvers();
  };
  const closing = new AbortController();
  const wal = walSync(path, { clock, log: { debug: silent, info: silent, warn: silent, error } }, closing.signal);
  return { folder, log: `${path}-wal`, clock, failures, closing, wal };
}

test("D6: a disk that fails is tried again, and whoever waits is told when it has succeeded, not before", async () => {
  const { folder, log, clock, failures, wal } = bench();
  using _ = folder;
  let done = false;
  const failed = failures.now.promise;
  const synced = wal.sync().then(() => (done = true));
  await failed;
  expect(done).toBe(false);
  writeFileSync(log, "frames");
  while (!clock.step(Number.POSITIVE_INFINITY)) await turn();
  await synced;
  expect(failures.count).toBe(1);
  await wal[Symbol.asyncDispose]();
});

test("D43: at the end nobody waits for a disk that fails", async () => {
  const { folder, failures, closing, wal } = bench();
  using _ = folder;
  const failed = failures.now.promise;
  const synced = wal.sync();
  await failed;
  closing.abort();
  await expect(synced).rejects.toThrow(/ENOENT/u);
  await wal[Symbol.asyncDispose]();
});

test("D6: who asks while a sync is under way waits for one more, and all who do share it", async () => {
  const begun: PromiseWithResolvers<void>[] = [];
  const sync = gathered(async () => {
    const one = Promise.withResolvers<void>();
    begun.push(one);
    await one.promise;
  });
  const order: string[] = [];
  const first = sync().then(() => order.push("first"));
  const others = [sync(), sync()].map(async (one) => await one.then(() => order.push("other")));
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await first;
  while (begun.length < 2) await turn();
  expect(order).toEqual(["first"]);
  const late = sync().then(() => order.push("late"));
  begun[1]?.resolve();
  await Promise.all(others);
  while (begun.length < 3) await turn();
  expect(order).toEqual(["first", "other", "other"]);
  begun[2]?.resolve();
  await late;
  expect(begun).toHaveLength(3);
  await sync.idle();
});

test("D6: one that failed holds up none of those that come after it", async () => {
  let fails = true;
  const sync = gathered(async () => {
    await turn();
    if (fails) throw new Error("no");
  });
  const first = sync();
  const second = sync();
  await expect(first).rejects.toThrow("no");
  fails = false;
  await second;
  await sync();
});

test("D6: a commit that asks for the disk is told when it has come, one that doesn't at once", async () => {
  const surroundings = { clock: new VirtualClock() };
  using database = openDatabase(":memory:");
  database.exec("CREATE TABLE t (x)");
  const disk = Promise.withResolvers<void>();
  const queue = openQueue(database, surroundings.clock, () => undefined, { sync: async () => await disk.promise });
  const put = (): { readonly value: number; readonly keep: boolean } => ({
    value: database.run("INSERT INTO t VALUES (1)").changes,
    keep: true,
  });
  let told = false;
  const synced = queue.add(put).then(() => (told = true));
  const plain = queue.add(put, { sync: false });
  surroundings.clock.step(Number.POSITIVE_INFINITY);
  await plain;
  await turn();
  expect(told).toBe(false);
  disk.resolve();
  await synced;
});
