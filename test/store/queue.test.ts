// Group commit when things go wrong: who is told, and what goes on.
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { openQueue, type Job } from "../../src/store/queue.ts";
import { surroundings } from "./world.ts";

function table(): Database {
  const database = openDatabase(":memory:");
  database.exec("CREATE TABLE t (v)");
  onTestFinished(() => database[Symbol.dispose]());
  return database;
}

const count = (database: Database): unknown => (database.get("SELECT count(*) AS n FROM t") as { n: number }).n;

const put =
  (database: Database, value: string, keep = true): Job<string> =>
  () => {
    database.run("INSERT INTO t VALUES (?)", value);
    return { value, keep };
  };

describe("a batch", () => {
  it("is one transaction, and undoes only what is not to be kept", async () => {
    const database = table();
    let commits = 0;
    const queue = openQueue(database, surroundings.clock, () => (commits += 1));
    const all = [put(database, "a"), put(database, "b", false), put(database, "c")].map((job) => queue.add(job));
    expect(count(database)).toBe(0);
    expect(await Promise.all(all)).toEqual(["a", "b", "c"]);
    expect(database.all("SELECT v FROM t")).toEqual([{ v: "a" }, { v: "c" }]);
    expect(commits).toBe(1);
    expect(await queue.add(put(database, "alone", false))).toBe("alone");
    expect([count(database), commits, database.inTransaction()]).toEqual([2, 1, false]);
  });

  it("tells everyone in it when the disk is full, and writes again when there is room", async () => {
    const database = table();
    const queue = openQueue(database, surroundings.clock, () => undefined);
    await queue.add(put(database, "before"));
    const pages = (database.get("PRAGMA page_count") as { page_count: number }).page_count;
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const outcomes = await Promise.allSettled([
      queue.add(put(database, "small")),
      queue.add(put(database, "big".repeat(20_000))),
      queue.add(put(database, "small")),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(outcomes[0]).toMatchObject({ reason: { code: "data-broken", message: expect.stringContaining("full") } });
    expect(count(database)).toBe(1);
    database.exec("PRAGMA max_page_count = 100000");
    expect(await queue.add(put(database, "after"))).toBe("after");
    expect(count(database)).toBe(2);
  });

  it("tells everyone when the transaction can't even begin", async () => {
    const database = table();
    const queue = openQueue(database, surroundings.clock, () => undefined);
    database.exec("BEGIN");
    await expect(queue.add(put(database, "x"))).rejects.toBeDefined();
    expect(await queue.add(put(database, "y"))).toBe("y");
  });

  it("rejects only the job that throws, with its GatewayError or as `internal`", async () => {
    const database = table();
    const queue = openQueue(database, surroundings.clock, () => undefined);
    const broken: Job<string> = () => {
      database.run("INSERT INTO t VALUES ('half')");
      throw new TypeError("a mistake in the job");
    };
    const [first, second] = await Promise.allSettled([queue.add(broken), queue.add(put(database, "good"))]);
    expect(first).toMatchObject({ status: "rejected", reason: { code: "internal" } });
    expect(second).toMatchObject({ status: "fulfilled" });
    await expect(queue.add(broken)).rejects.toMatchObject({ code: "internal" });
    expect(database.all("SELECT v FROM t")).toEqual([{ v: "good" }]);
  });
});

describe("a task after a commit", () => {
  it("has the database for itself: jobs wait, and its caller is told when it has ended", async () => {
    const database = table();
    const queue = openQueue(database, surroundings.clock, () => undefined);
    const order: string[] = [];
    const hold = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const task = async (): Promise<void> => {
      began.resolve();
      await hold.promise;
      order.push("task");
    };
    const first = queue.add(put(database, "first"), { after: task });
    await began.promise;
    const second = queue.add(put(database, "second"));
    const closing = queue.close();
    expect(count(database)).toBe(1);
    hold.resolve();
    await Promise.all([first.then(() => order.push("first")), second.then(() => order.push("second"))]);
    expect(order[0]).toBe("task");
    await closing;
    await expect(queue.add(put(database, "late"))).rejects.toMatchObject({ code: "internal" });
  });

  it("that fails rejects its caller, and jobs go on", async () => {
    const database = table();
    const queue = openQueue(database, surroundings.clock, () => undefined);
    const failing = queue.add(put(database, "a"), { after: () => Promise.reject(new Error("no")) });
    const next = queue.add(put(database, "b"));
    await expect(failing).rejects.toThrow("no");
    expect(await next).toBe("b");
  });
});

it("D6: a commit that needs no sync goes along with one that does, and none is made for it alone", async () => {
  const database = table();
  const modes: string[] = [];
  const watched = {
    ...database,
    exec: (sql: string): void => {
      modes.push(sql);
      database.exec(sql);
    },
  };
  const queue = openQueue(watched, surroundings.clock, () => undefined);
  await queue.add(put(database, "a"), { sync: false });
  await Promise.all([queue.add(put(database, "b"), { sync: false }), queue.add(put(database, "c"))]);
  await queue.add(put(database, "d"));
  await queue.add(put(database, "e"), { sync: false });
  expect(modes).toEqual(["PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL", "PRAGMA synchronous = NORMAL"]);
  expect(count(database)).toBe(5);
});
