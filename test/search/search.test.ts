// The search over a real store: it is always of the log's newest entry, whatever becomes of its file.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { Search } from "../../src/search/port.ts";
import { openSearch, type SearchOptions } from "../../src/search/search.ts";
import { tokensOf } from "../../src/search/words.ts";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { allBytes, append, codeOf, done, open, surroundings, temporaryFolder } from "../store/world.ts";
import { ANA, answer, edited, message, said, SECRET, textPart } from "./index-world.ts";

type World = { readonly store: Store; readonly search: Search; readonly folder: string } & AsyncDisposable;

async function searching(folder: string, store: Store, more: Partial<SearchOptions> = {}): Promise<Search> {
  return await openSearch({ folder, store, secrets: [SECRET], ...surroundings, ...more });
}

/** A store with three chats and a search over it, in a folder or in memory. */
async function world(folder = ":memory:", more: Partial<SearchOptions> = {}): Promise<World> {
  const stack = new AsyncDisposableStack();
  const store = stack.use(await openStore({ folder, ...surroundings }));
  await done(store, open("trip"), open("work"), open("home"));
  await done(
    store,
    append("trip", said("the venue is in Lisbon", "t1")),
    append("trip", answer("Lisbon it is.")),
    append("work", said("the venue for the meeting", "w1")),
    append("home", said("会議は明日です", "h1", ANA)),
  );
  const search = stack.use(await searching(folder, store, more));
  return { store, search, folder, [Symbol.asyncDispose]: async () => await stack.disposeAsync() };
}

/** The chats that hold what is looked for, best first. */
async function chats(search: Search, query: string, except?: string): Promise<readonly string[]> {
  const found = await search.find(query, except === undefined ? {} : { except });
  return found.chats.map(({ chat }) => chat);
}

/** Says which words the folder's files of the index hold, of these. */
function leftOf(folder: string, words: readonly string[]): readonly string[] {
  const bytes = Buffer.concat(
    readdirSync(folder)
      .filter((name) => name.startsWith("search.db"))
      .map((name) => execFileSync("cat", [join(folder, name)], { maxBuffer: 2 ** 30 })),
  );
  return words.filter((word) => bytes.includes(word));
}

/** Does something to a database file behind its owner's back. */
function statement(path: string, sql: string): void {
  // The list's own tables can be reached only so.
  using database = new DatabaseSync(path, { defensive: false });
  database.exec(sql);
}

describe.each(["in memory", "in a folder"])("an index %s", (where) => {
  it("P2, P5: finds what was said up to this moment, leaves the asking chat out, and follows edits", async () => {
    using folder = temporaryFolder();
    await using all = await world(where === "in memory" ? ":memory:" : folder.path);
    const { store, search } = all;
    expect(await chats(search, "lisbon")).toEqual(["trip"]);
    expect((await chats(search, "venue")).toSorted()).toEqual(["trip", "work"]);
    expect(await chats(search, "venue", "trip")).toEqual(["work"]);
    expect(await chats(search, "会議")).toEqual(["home"]);
    await done(store, append("home", said("a venue at home", "h2")));
    expect((await chats(search, "venue")).toSorted()).toEqual(["home", "trip", "work"]);
    await done(store, append("home", edited("h2", "a place at home")));
    expect((await chats(search, "venue")).toSorted()).toEqual(["trip", "work"]);
    expect(await codeOf(async () => await search.find("?!", {}))).toBe("bad-request");
    expect(search.state()).toEqual({ is: "ready" });
  });

  it("P28, P31, A71: a secret is not found by itself, by a part of it, or by what it was masked with", async () => {
    using folder = temporaryFolder();
    await using all = await world(where === "in memory" ? ":memory:" : folder.path);
    const { store, search } = all;
    await done(
      store,
      append("work", said(`the key is ${SECRET}`, "w2")),
      append("work", said(SECRET.slice(0, 12), "w3")),
      append("work", said(SECRET.slice(12), "w4")),
    );
    const found = await search.find("key", {});
    expect(JSON.stringify(found)).toContain("[hidden]");
    for (const part of [SECRET, SECRET.slice(0, 12), SECRET.slice(12), "swallow", "moth"]) {
      expect(JSON.stringify(await search.find(part, {}))).not.toMatch(/swallow|moth/u);
    }
    const stretch = await search.read("work", { direction: "end" }, {});
    expect(JSON.stringify(stretch)).not.toMatch(/swallow|moth/u);
    await search.settled();
    if (where === "in a folder") expect(leftOf(folder.path, ["swallow", "moth", SECRET.slice(12)])).toEqual([]);
  });

  it("D35, P6: a deleted chat is found no more, and nothing that comes late brings it back", async () => {
    using folder = temporaryFolder();
    await using all = await world(where === "in memory" ? ":memory:" : folder.path);
    const { store, search } = all;
    expect(await chats(search, "lisbon")).toEqual(["trip"]);
    // What is in the log by then, and not in the index yet.
    await done(store, append("trip", said("Lisbon again", "t3")));
    const forgotten = search.forget("trip");
    await done(store, append("trip", said("Lisbon for ever", "t4")));
    await forgotten;
    await store.conversations.delete("trip");
    expect(await chats(search, "lisbon")).toEqual([]);
    expect(await search.read("trip", { direction: "end" }, {})).toBeUndefined();
    expect(await chats(search, "venue")).toEqual(["work"]);
    await search.settled();
    if (where === "in a folder") expect(leftOf(folder.path, ["Lisbon", "for ever"])).toEqual([]);
    await search.forget("trip");
    await search.forget("never there");
    expect(await chats(search, "meeting")).toEqual(["work"]);
  });

  it("P31: what goes on while nobody asks is taken in", async () => {
    using folder = temporaryFolder();
    await using all = await world(where === "in memory" ? ":memory:" : folder.path);
    for (let nth = 0; nth < 100; nth += 1) await done(all.store, append("home", answer(`line ${nth} zebra`)));
    await all.search.settled();
    expect((await all.search.find("zebra", {})).chats[0]?.hits).toHaveLength(3);
  });
});

describe("reading a chat", () => {
  it("P3, P4: gives 12 lines around, before, after and at the end, in the order of the chat, and tells of more", async () => {
    await using all = await world();
    const { store, search } = all;
    await done(store, open("long"));
    // The clock goes back: the order is the log's.
    for (let nth = 1; nth <= 40; nth += 1)
      await done(store, append("long", said(`line ${nth}`, `l${nth}`), 1000 - nth));
    const lines = async (place: Parameters<Search["read"]>[1]): Promise<string> => {
      const stretch = await search.read("long", place, {});
      const numbers = stretch?.lines.map(({ line }) => line) ?? [];
      return `${stretch?.before ? "… " : ""}${numbers.at(0)}–${numbers.at(-1)}${stretch?.after ? " …" : ""} (${numbers.length})`;
    };
    expect(await lines({ direction: "around", line: 20 })).toBe("… 14–25 … (12)");
    expect(await lines({ direction: "around", line: 2 })).toBe("1–12 … (12)");
    expect(await lines({ direction: "around", line: 40 })).toBe("… 29–40 (12)");
    expect(await lines({ direction: "before", line: 20 })).toBe("… 8–19 … (12)");
    expect(await lines({ direction: "before", line: 5 })).toBe("1–4 … (4)");
    expect(await lines({ direction: "after", line: 20 })).toBe("… 21–32 … (12)");
    expect(await lines({ direction: "after", line: 0 })).toBe("1–12 … (12)");
    expect(await lines({ direction: "after", line: 38 })).toBe("… 39–40 (2)");
    expect(await lines({ direction: "end" })).toBe("… 29–40 (12)");
    expect(await search.read("long", { direction: "after", line: 40 }, {})).toEqual({
      lines: [],
      before: true,
      after: false,
    });
    expect(await search.read("long", { direction: "before", line: 1 }, {})).toEqual({
      lines: [],
      before: false,
      after: true,
    });
  });

  it("P3, P5: a chat that is not there, that has nothing, or that asks is not there", async () => {
    await using all = await world();
    await done(all.store, open("empty"), append("empty", { kind: "notice", text: "hello", quiet: true }));
    for (const place of [
      { direction: "end" },
      { direction: "around", line: 1 },
      { direction: "after", line: 0 },
    ] as const) {
      expect(await all.search.read("trip", place, { except: "trip" })).toBeUndefined();
      expect(await all.search.read("nowhere", place, {})).toBeUndefined();
      expect(await all.search.read("empty", place, {})).toBeUndefined();
      expect(await all.search.read("trip", place, { except: "work" })).toBeDefined();
    }
  });

  it("P3: puts the passages of a long line together again, and keeps a message of several speakers whole", async () => {
    await using all = await world();
    const { store, search } = all;
    const long = `begin ${"many words of one line. ".repeat(4200)}end`;
    await done(store, open("long"), append("long", answer(long)));
    expect((await search.read("long", { direction: "end" }, {}))?.lines.map(({ text }) => text)).toEqual([long]);
    expect((await search.find("begin", {})).chats[0]?.hits[0]?.text.length).toBeLessThan(4000);
    await done(store, open("many"));
    const parts = ["a", "b", "c"].map((from) => textPart(from, "x", { kind: "forwarded", as: "hidden-user", from }));
    for (let nth = 0; nth < 7; nth += 1) await done(store, append("many", message([textPart("me", "x"), ...parts])));
    const stretch = await search.read("many", { direction: "around", line: 4 }, {});
    expect(stretch?.lines.map(({ line }) => line)).toEqual([3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]);
  });
});

describe("a deleted chat", () => {
  it(
    "D35: leaves no byte in any file of the index, where many others stay and are found",
    { timeout: 120_000 },
    async () => {
      using folder = temporaryFolder();
      await using store = await openStore({ folder: folder.path, ...surroundings });
      await using search = await searching(folder.path, store);
      const kept = ["a", "b", "c", "d"];
      await done(store, open("secretive"), open("tiny"), ...kept.map((id) => open(id)));
      // So many different words that some stand between the pages of the list.
      const own: string[] = [];
      for (let batch = 0; batch < 20; batch += 1) {
        const changes = Array.from({ length: 50 }, (_, nth) => {
          const n = batch * 50 + nth;
          const word = `zq${(n * 7919).toString(36)}vx`;
          const scripts = ["щгадка", "σκιάχτρο", "密約合意", "ความลับสุด", "गुप्तचर", "سرّيّة"];
          const text = `${word} ${scripts[n % scripts.length]}${n} ${"secret plan ".repeat(n % 3)}`;
          if (nth % 2 === 0)
            own.push(word, ...tokensOf(text).filter((token) => Buffer.byteLength(token) > 5 && token.includes(`${n}`)));
          return append(
            nth % 2 === 0 ? "secretive" : (kept[n % kept.length] ?? "a"),
            nth % 2 === 0 ? said(text, `m${n}`) : answer(`${n} venue of ordinary words wd${n}ok`),
          );
        });
        await done(store, ...changes);
        await search.settled();
      }
      await done(store, append("secretive", edited("m0", "zqeditedvx instead")), append("tiny", said("zqtinyvx", "y")));
      own.push("zqeditedvx", "щгадка", "密約", "σκιαχτρο", "ความลับ", "गुप्त");
      await search.settled();
      expect(leftOf(folder.path, own).length).toBeGreaterThan(own.length / 2);
      await store.conversations.delete("secretive");
      await search.forget("secretive");
      expect(leftOf(folder.path, own)).toEqual([]);
      expect(leftOf(folder.path, ["secretive"])).toEqual([]);
      // A list of one part is written anew as well.
      await store.conversations.delete("tiny");
      await search.forget("tiny");
      expect(leftOf(folder.path, ["zqtiny", "zqtinyvx"])).toEqual([]);
      for (const n of [1, 501, 999]) expect((await search.find(`wd${n}ok`, {})).match).toBe("exact");
      expect(await chats(search, "zqtinyvx")).toEqual([]);
      using database = new DatabaseSync(join(folder.path, "search.db"));
      database.exec("INSERT INTO posting (posting) VALUES ('integrity-check')");
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    },
  );

  it("D35: is taken out at the next start when the program ended between the store's deletion and ours, or in the middle of ours", async () => {
    using folder = temporaryFolder();
    {
      await using all = await world(folder.path);
      await all.search.settled();
      await all.store.conversations.delete("trip");
    }
    expect(leftOf(folder.path, ["Lisbon"])).toEqual(["Lisbon"]);
    {
      await using store = await openStore({ folder: folder.path, ...surroundings });
      await using search = await searching(folder.path, store);
      await search.settled();
      expect(leftOf(folder.path, ["Lisbon", "lisbon"])).toEqual([]);
      expect(await chats(search, "venue")).toEqual(["work"]);
    }
    {
      using database = new DatabaseSync(join(folder.path, "search.db"));
      database.exec("INSERT INTO fact VALUES ('erase', '1')");
    }
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await using search = await searching(folder.path, store);
    await search.settled();
    using database = new DatabaseSync(join(folder.path, "search.db"));
    expect(database.prepare("SELECT count(*) AS n FROM fact WHERE name = 'erase'").get()).toEqual({ n: 0 });
  });
});

describe("a file that can't be gone on with", () => {
  const spoil: readonly { readonly what: string; readonly how: (path: string) => void }[] = [
    { what: "is missing", how: (path) => execFileSync("rm", ["-f", path]) },
    { what: "is empty", how: (path) => writeFileSync(path, "") },
    {
      what: "is no database",
      how: (path) => writeFileSync(path, "not a database at all, but a long enough text".repeat(100)),
    },
    {
      what: "is cut in half",
      how: (path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096),
    },
    { what: "is of a newer version", how: (path) => statement(path, "PRAGMA user_version = 99") },
    {
      what: "is of an older cutting of words",
      how: (path) => statement(path, "UPDATE fact SET value = '0' WHERE name = 'tokens'"),
    },
    { what: "has lost a table", how: (path) => statement(path, "DROP TABLE term") },
    { what: "is another log's", how: (path) => statement(path, "UPDATE chat SET at = at + 1") },
    { what: "is of chats that there never were", how: (path) => statement(path, "UPDATE chat SET id = 'x' || id") },
  ];

  it.each(spoil)("P13, P31, D49: that $what is made anew from the log", async ({ how }) => {
    using folder = temporaryFolder();
    {
      await using all = await world(folder.path);
      await all.search.settled();
    }
    const path = join(folder.path, "search.db");
    how(path);
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await using search = await searching(folder.path, store);
    expect((await chats(search, "venue")).toSorted()).toEqual(["trip", "work"]);
    expect(search.state()).toEqual({ is: "ready" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).filter((name) => /search\.db\.|broken/u.test(name))).toEqual([]);
  });

  it("P28, P31, A71, D49: of other secrets is made anew, and then holds none of the new ones", async () => {
    using folder = temporaryFolder();
    {
      await using all = await world(folder.path, { secrets: [] });
      await done(all.store, append("work", said(`note ${SECRET}`, "w9")));
      expect(JSON.stringify(await all.search.find("note", {}))).toContain(SECRET);
    }
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await using search = await searching(folder.path, store);
    expect(JSON.stringify(await search.find("note", {}))).not.toContain(SECRET);
    await search.settled();
    expect(leftOf(folder.path, [SECRET])).toEqual([]);
  });

  it("P13: of another program is kept aside, whole", async () => {
    using folder = temporaryFolder();
    statement(join(folder.path, "search.db"), "CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')");
    const before = readFileSync(join(folder.path, "search.db"));
    await using all = await world(folder.path);
    expect(await chats(all.search, "lisbon")).toEqual(["trip"]);
    expect(readFileSync(join(folder.path, "search.db.foreign")).equals(before)).toBe(true);
  });

  it("P31, D49: that knows more of the log than there is, as after a power cut, is made anew", async () => {
    using folder = temporaryFolder();
    const main = join(folder.path, "tidegate.db");
    {
      await using all = await world(folder.path);
      await all.search.settled();
    }
    // As the store's file was before its end got lost; what is said next takes the same places.
    const earlier = readFileSync(main);
    {
      await using store = await openStore({ folder: folder.path, ...surroundings });
      await done(
        store,
        append("trip", said("lost words", "t5"), 77),
        open("lost"),
        append("lost", said("lost words", "l1"), 78),
      );
      await using search = await searching(folder.path, store);
      expect((await chats(search, "lost")).length).toBe(2);
    }
    writeFileSync(main, earlier);
    await using store = await openStore({ folder: folder.path, ...surroundings });
    await done(store, append("work", said("new words", "w5"), 80), append("work", said("newer words", "w6"), 81));
    await using search = await searching(folder.path, store);
    expect(await chats(search, "lost")).toEqual([]);
    expect(await chats(search, "newer")).toEqual(["work"]);
    expect((await search.find("new words", {})).chats[0]?.hits.map(({ line }) => line)).toContain(2);
  });

  it("P13: while it is in use is made anew once, and then said to be broken in words, with no file left", async () => {
    using folder = temporaryFolder();
    await using all = await world(folder.path);
    const { store, search } = all;
    const breakList = (): void =>
      statement(join(folder.path, "search.db"), "UPDATE posting_data SET block = x'ffffffffffffffff'");
    expect(await chats(search, "lisbon")).toEqual(["trip"]);
    breakList();
    expect(await chats(search, "lisbon")).toEqual(["trip"]);
    expect(search.state()).toEqual({ is: "ready" });
    await done(store, append("home", said("still here", "h5")));
    expect(await chats(search, "still")).toEqual(["home"]);
    breakList();
    expect(await codeOf(async () => await search.find("lisbon", {}))).toBe("search-broken");
    expect(await codeOf(async () => await search.read("trip", { direction: "end" }, {}))).toBe("search-broken");
    expect(search.state()).toEqual({ is: "broken" });
    // The store goes on, and so does deleting.
    await done(store, append("home", said("and here", "h6")));
    await search.settled();
    await store.conversations.delete("home");
    await search.forget("home");
    expect(existsSync(join(folder.path, "search.db"))).toBe(false);
  });

  it("P13: a folder where no file can be made means words, and the rest goes on", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "search.db", "in the way"), { recursive: true });
    await using all = await world(folder.path);
    expect(all.search.state()).toEqual({ is: "broken" });
    expect(await codeOf(async () => await all.search.find("lisbon", {}))).toBe("search-broken");
    await all.search.settled();
    await all.search.forget("trip");
  });
});

describe("a build in its thread", () => {
  async function filled(folder: string, count = 3000): Promise<Store> {
    const store = await openStore({ folder, ...surroundings });
    await done(store, open("big"), open("other"), append("other", said("the one heron", "o1")));
    const bodies = Array.from({ length: count }, (_, nth) => append("big", answer(`heron number ${nth} walks by`)));
    await done(store, ...bodies);
    return store;
  }

  it("P13: is told of in words while it goes on, and then everything is found", async () => {
    using folder = temporaryFolder();
    await using store = await filled(folder.path);
    await using search = await searching(folder.path, store, { farBehind: 100 });
    expect(search.state()).toMatchObject({ is: "building" });
    const failure: unknown = await search.find("heron", {}).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({
      code: "search-building",
      message: expect.stringMatching(/being built \(\d+ % done\)/u),
    });
    expect(await codeOf(async () => await search.read("big", { direction: "end" }, {}))).toBe("search-building");
    await done(store, append("other", said("said meanwhile", "o2")));
    await search.settled();
    expect(search.state()).toEqual({ is: "ready" });
    expect(await chats(search, "meanwhile")).toEqual(["other"]);
    expect(await chats(search, "2999")).toEqual(["big"]);
    expect(readdirSync(folder.path).filter((name) => name.startsWith("search.db.new"))).toEqual([]);
    expect(statSync(join(folder.path, "search.db")).mode & 0o777).toBe(0o600);
  });

  it("D35: that may hold a deleted chat starts again, and holds nothing of it", async () => {
    using folder = temporaryFolder();
    await using store = await filled(folder.path, 9000);
    await using search = await searching(folder.path, store, { farBehind: 100 });
    const share = (): number => {
      const state = search.state();
      return state.is === "building" ? state.share : 1;
    };
    while (share() === 0) await new Promise((resolve) => void setImmediate(resolve));
    // The rows alone: the whole deletion takes longer than the build.
    statement(
      join(folder.path, "tidegate.db"),
      "PRAGMA foreign_keys = ON; DELETE FROM conversation WHERE id = 'other'",
    );
    await search.forget("other");
    expect(leftOf(folder.path, ["the one heron"])).toEqual([]);
    await search.settled();
    expect(leftOf(folder.path, ["the one heron"])).toEqual([]);
    expect(await chats(search, "heron")).toEqual(["big"]);
  });

  it("P13: ends with the search, and the next one begins anew; two that open one after the other find the same", async () => {
    using folder = temporaryFolder();
    await using store = await filled(folder.path);
    for (let round = 0; round < 3; round += 1) {
      const search = await searching(folder.path, store, { farBehind: 100 });
      expect(search.state()).toMatchObject({ is: "building" });
      await search[Symbol.asyncDispose]();
      expect(await codeOf(async () => await search.find("heron", {}))).toBe("search-broken");
    }
    await using search = await searching(folder.path, store);
    expect(await chats(search, "2999")).toEqual(["big"]);
    await search[Symbol.asyncDispose]();
    await using again = await searching(folder.path, store, { farBehind: 100 });
    expect(again.state()).toEqual({ is: "ready" });
    expect(await chats(again, "2999")).toEqual(["big"]);
  });

  it("P13: that fails twice is broken, in words", async () => {
    using folder = temporaryFolder();
    await using store = await filled(folder.path);
    const log = { ...store.log, head: async () => (await store.log.head()) + 1_000_000 };
    // Built, it is as far behind as before.
    await using search = await searching(folder.path, store, { store: { ...store, log }, farBehind: 100 });
    await search.settled();
    expect(search.state()).toEqual({ is: "broken" });
    expect(await codeOf(async () => await search.find("heron", {}))).toBe("search-broken");
  });
});

describe("two at once", () => {
  it("D32, F13: a store that is only read can be searched beside a gateway, and neither takes anything in twice", async () => {
    using folder = temporaryFolder();
    await using all = await world(folder.path);
    await all.search.settled();
    await using reader = await openReadOnly(folder.path);
    await using beside = await openSearch({ folder: folder.path, store: reader, secrets: [SECRET], ...surroundings });
    for (let nth = 0; nth < 10; nth += 1) {
      await done(all.store, append("home", said(`word${nth}`, `n${nth}`)));
      const [one, other] = await Promise.all([all.search.find(`word${nth}`, {}), beside.find(`word${nth}`, {})]);
      expect(one.match).toBe("exact");
      expect(other).toEqual(one);
    }
    expect(allBytes(folder.path).length).toBeGreaterThan(0);
    using database = new DatabaseSync(join(folder.path, "search.db"));
    expect(database.prepare("SELECT count(*) AS n FROM passage WHERE text LIKE 'word%'").get()).toEqual({ n: 10 });
  });
});
