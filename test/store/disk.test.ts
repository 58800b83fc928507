// What only a store on disk can promise: who may read it, versions, reading beside a writer, backups, and forgetting.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { backUp } from "../../src/store/backup.ts";
import { openDatabase } from "../../src/store/database.ts";
import { eraseFreed, mustErase, removeConversation } from "../../src/store/erase.ts";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import type { EntryBody } from "../../src/core/conversation.ts";
import { roomKey, type Origin, type Part, type Room } from "../../src/core/message.ts";
import type { Store } from "../../src/store/port.ts";
import { fileVersion, migrate, MIGRATIONS } from "../../src/store/schema.ts";
import {
  allBytes,
  append,
  codeOf,
  done,
  ended,
  notice,
  open,
  room,
  say,
  show,
  started,
  surroundings,
  temporaryFolder,
} from "./world.ts";

const openIn = (folder: string): Promise<Store> => openStore({ folder, ...surroundings });

describe("the folder", () => {
  it("D39: has mode 0700 and its files 0600, also when they were wider before", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "deep", "data");
    mkdirSync(path, { recursive: true });
    chmodSync(path, 0o755);
    writeFileSync(join(path, "tidegate.db"), "", { mode: 0o644 });
    await using store = await openIn(path);
    await done(store, open("a"));
    await store.settings.set("k", 1);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    const modes = Object.fromEntries(readdirSync(path).map((name) => [name, statSync(join(path, name)).mode & 0o777]));
    expect(modes).toEqual({
      "settings.db": 0o600,
      "tidegate.db": 0o600,
      "tidegate.db-shm": 0o600,
      "tidegate.db-wal": 0o600,
    });
  });

  it("D40: settings have a file of their own, made at their first use", async () => {
    using folder = temporaryFolder();
    await using store = await openIn(folder.path);
    await done(store, open("a"));
    expect(readdirSync(folder.path)).not.toContain("settings.db");
    await store.settings.set("k", 1);
    expect(readdirSync(folder.path)).toContain("settings.db");
  });

  it("settings that can't be read say so, and are tried again", async () => {
    using folder = temporaryFolder();
    const settings = join(folder.path, "settings.db");
    writeFileSync(settings, "not a database, but long enough to be taken for one".repeat(20));
    await using store = await openIn(folder.path);
    expect(await codeOf(() => store.settings.get("k"))).toBe("data-broken");
    renameSync(settings, `${settings}.broken`);
    expect(await store.settings.get("k")).toBeUndefined();
  });
});

describe("a file that can't be used", () => {
  const refused = async (write: (file: string) => void): Promise<{ codes: string[]; untouched: boolean }> => {
    using folder = temporaryFolder();
    const file = join(folder.path, "tidegate.db");
    write(file);
    const before = readFileSync(file);
    const codes = [await codeOf(() => openIn(folder.path)), await codeOf(() => openReadOnly(folder.path))];
    return { codes, untouched: readFileSync(file).equals(before) && readdirSync(folder.path).length === 1 };
  };
  const sql = (text: string) => (file: string) => {
    using database = new DatabaseSync(file);
    database.exec(text);
  };
  const ours = "PRAGMA application_id = 0x54696465;";

  it("D38: of a newer version is refused in words and left untouched", async () => {
    const write = sql(`${ours} PRAGMA user_version = 99; CREATE TABLE future (a); INSERT INTO future VALUES (1)`);
    expect(await refused(write)).toEqual({ codes: ["data-newer", "data-newer"], untouched: true });
  });

  it.each([
    ["no database", (file: string) => writeFileSync(file, "hello ".repeat(500))],
    ["another program's database", sql("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")],
    [
      "a damaged one",
      (file: string) => {
        sql("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)")(file);
        writeFileSync(file, readFileSync(file).fill(0xff, 100, 4_096));
      },
    ],
  ])("is refused in words and left untouched: %s", async (_, write) => {
    expect(await refused(write)).toEqual({ codes: ["data-broken", "data-broken"], untouched: true });
  });

  it("D38: of an older version is migrated in one transaction: all steps or none", () => {
    using database = openDatabase(":memory:");
    migrate(database);
    database.exec("INSERT INTO cursor VALUES ('kept', '1')");
    const column = "ALTER TABLE cursor ADD COLUMN more TEXT DEFAULT 'x'";
    expect(() => migrate(database, [...MIGRATIONS, column, "CREATE TABLE cursor (again)"])).toThrow("already exists");
    expect(fileVersion(database)).toBe(MIGRATIONS.length);
    expect(database.get("SELECT * FROM cursor")).toEqual({ name: "kept", value: "1" });
    migrate(database, [...MIGRATIONS, column, "CREATE TABLE further (a)"]);
    expect(fileVersion(database)).toBe(MIGRATIONS.length + 2);
    expect(database.get("SELECT * FROM cursor")).toEqual({ name: "kept", value: "1", more: "x" });
  });

  it("A28, A67: of before there were marks comes out with a mark wherever it may hold words from outside, and nowhere else", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "tidegate.db");
    const group = { ...room("-1"), kind: "shared" } as const;
    const own = { kind: "own" } as const;
    const forwarded = { kind: "forwarded", as: "hidden-user", from: "Ana" } as const;
    const quoted = { kind: "quoted", from: "Ana", ours: false } as const;
    const text = (origin: Origin, words = "hi"): Part => ({ kind: "text", messageId: "1", origin, text: words });
    const photo = { kind: "photo", name: "p", mediaType: "image/png", handle: "h" } as const;
    const from = { platform: "telegram", id: "1001", name: "Sam", role: "owner" } as const;
    const message = (...parts: readonly Part[]): EntryBody => ({
      kind: "message",
      message: { from, at: 5, ids: ["1"], parts },
    });
    // Words that spell what a forward looks like are still the owner's.
    const spelled = text(own, '{"origin":{"kind":"forwarded"},"kind":"file","quoted":{"kind":"quoted"}}');
    const chats: Readonly<
      Record<string, { readonly body: EntryBody; readonly where?: Room; readonly marked: boolean }>
    > = {
      plain: { body: message(text(own)), marked: false },
      spelled: { body: message(spelled), marked: false },
      answered: { body: { kind: "text", turn: "t", part: 0, text: '"kind":"file"' }, marked: false },
      forward: { body: message(text(own), text(forwarded)), marked: true },
      quote: { body: message(text(quoted), text(own)), marked: true },
      file: { body: message({ kind: "file", messageId: "1", origin: own, file: photo }), marked: true },
      edit: { body: { kind: "edited", messageId: "1", parts: [text(quoted)] }, marked: true },
      group: { body: message(text(own)), where: group, marked: true },
      run: { body: message(text(own)), where: { platform: "cli", chat: "run", kind: "shared" }, marked: false },
    };
    {
      using database = openDatabase(file);
      migrate(database, MIGRATIONS.slice(0, 1));
      for (const [nth, [id, { body, where = room(id) }]] of Object.entries(chats).entries()) {
        database.run(
          `INSERT INTO conversation (id, room, platform, chat, room_kind, person, title, opened_at, last_at, current, head)
           VALUES (?, ?, ?, ?, ?, 'telegram/1001', 't', 1, ?, 1, 2)`,
          ...[id, roomKey(where), where.platform, where.chat, where.kind, nth],
        );
        const { kind, ...rest } = body;
        const entry = "INSERT INTO entry (conversation, seq, at, kind, body) VALUES (?, ?, 5, ?, ?)";
        database.run(entry, id, 1, kind, JSON.stringify(rest));
        database.run(entry, id, 2, "notice", JSON.stringify({ text: "ok", quiet: true }));
      }
      database.exec("INSERT INTO person VALUES ('telegram', '5', 'Ana', 'guest', 1)");
    }
    await using store = await openIn(folder.path);
    const before = { kind: "person", label: "words from before marks were kept", source: "before" } as const;
    for (const [nth, [id, { marked }]] of Object.entries(chats).entries()) {
      expect({ id, marks: await store.conversations.marks(id) }).toEqual({ id, marks: marked ? [before] : [] });
      const log = await store.log.read(id);
      expect(log.map(({ seq }) => seq)).toEqual(marked ? [1, 2, 3] : [1, 2]);
      if (marked) expect(log.at(-1)).toMatchObject({ kind: "marked", taint: before });
      expect(await store.conversations.get(id)).toMatchObject({ head: log.length, lastAt: nth });
      // The log goes on behind the mark.
      const [next] = (await done(store, notice(id, "more"))).entries;
      expect(next?.seq).toBe(log.length + 1);
    }
    // Standings of before this version were never read.
    expect(await store.records.known()).toEqual([]);
    await store[Symbol.asyncDispose]();
    await using again = await openIn(folder.path);
    expect(await again.conversations.marks("forward")).toEqual([before]);
  });

  it("of an older version can't be read beside a gateway that never ran; the words say what to do", async () => {
    using folder = temporaryFolder();
    sql(`${ours} CREATE TABLE old (a)`)(join(folder.path, "tidegate.db"));
    await expect(openReadOnly(folder.path)).rejects.toMatchObject({
      code: "data-broken",
      hint: expect.stringContaining("Start"),
    });
  });
});

describe("reading beside the gateway", () => {
  it("D32: sees what is committed while it writes, and works when none runs", async () => {
    using folder = temporaryFolder();
    const store = await openIn(folder.path);
    await done(store, open("a"), say("a", "one"));
    const reader = await openReadOnly(folder.path);
    for (let nth = 2; nth < 40; nth += 1) {
      const underWay = store.commit([notice("a", `${nth}`)]);
      expect(await reader.log.read("a")).toHaveLength(nth - 1);
      await underWay;
      expect(await reader.log.read("a", { after: nth - 1 })).toMatchObject([{ seq: nth }]);
    }
    expect(await reader.conversations.list()).toEqual(await store.conversations.list());
    await store[Symbol.asyncDispose]();
    expect(await reader.conversations.get("a")).toMatchObject({ head: 39 });
    await reader[Symbol.asyncDispose]();
    const bytes = readFileSync(join(folder.path, "tidegate.db"));
    await using alone = await openReadOnly(folder.path);
    expect(await alone.log.read("a")).toHaveLength(39);
    expect(readFileSync(join(folder.path, "tidegate.db")).equals(bytes)).toBe(true);
  });

  it("refuses in words a folder or a file that is not there, and makes neither", async () => {
    using folder = temporaryFolder();
    const missing = join(folder.path, "missing");
    await expect(openReadOnly(missing)).rejects.toMatchObject({
      code: "data-broken",
      message: expect.stringContaining(missing),
    });
    expect(existsSync(missing)).toBe(false);
    expect(await codeOf(() => openReadOnly(folder.path))).toBe("data-broken");
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe("a backup", () => {
  it("D37: made while commits go on is one moment of everything, settings included", async () => {
    using folder = temporaryFolder();
    const [from, to, file] = [join(folder.path, "data"), join(folder.path, "restored"), join(folder.path, "backup.db")];
    await using store = await openIn(from);
    await done(store, open("a"), open("b"), { do: "plan", rows: [show("a", "k")] });
    const texts = "x".repeat(2_000);
    await done(store, ...Array.from({ length: 200 }, () => [notice("a", texts), notice("b", texts)]).flat());
    for (let nth = 0; nth < 30; nth += 1) await store.settings.set(`key ${nth}`, { nth });
    const enough = new AbortController();
    const writing = (async () => {
      for (let nth = 0; !enough.signal.aborted; nth += 1)
        await done(store, notice("a", `${nth}`), notice("b", `${nth}`));
    })();
    await backUp(from, file);
    enough.abort();
    await writing;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).toSorted()).toEqual(["backup.db", "data"]);
    expect(await codeOf(() => backUp(from, file))).toBe("bad-request");

    mkdirSync(to);
    renameSync(file, join(to, "tidegate.db"));
    await using restored = await openIn(to);
    const a = await restored.log.read("a");
    expect(a.length).toBeGreaterThanOrEqual(200);
    expect(a).toEqual((await store.log.read("a")).slice(0, a.length));
    expect(await restored.log.read("b")).toHaveLength(a.length);
    expect(await restored.outbox.open()).toEqual(await store.outbox.open());
    for (let nth = 0; nth < 30; nth += 1) expect(await restored.settings.get(`key ${nth}`)).toEqual({ nth });
    // They have moved to their own place: what is changed there stays changed.
    await restored.settings.delete("key 0");
    await restored[Symbol.asyncDispose]();
    await using later = await openIn(to);
    expect([await later.settings.get("key 0"), await later.settings.get("key 1")]).toEqual([undefined, { nth: 1 }]);
  });

  it("D37: works when no gateway runs, and a failed one leaves no file", async () => {
    using folder = temporaryFolder();
    const [from, file] = [join(folder.path, "data"), join(folder.path, "backup.db")];
    expect(await codeOf(() => backUp(from, file))).toBe("data-broken");
    {
      await using store = await openIn(from);
      await done(store, open("a"), notice("a", "1"));
    }
    expect(await codeOf(() => backUp(from, join(folder.path, "missing", "backup.db")))).toBe("data-broken");
    expect(readdirSync(folder.path)).toEqual(["data"]);
    await backUp(from, file);
    using copy = new DatabaseSync(file);
    expect(copy.prepare("SELECT count(*) AS n FROM entry").get()).toEqual({ n: 1 });
  });
});

describe("rows that are done", () => {
  it("keep the outcome they were done with first", async () => {
    using folder = temporaryFolder();
    await using store = await openIn(folder.path);
    const [row] = await store.inbound.keep("telegram", [{ key: "1", raw: 1 }], 1);
    for (const outcome of ["ignored", "message"]) await done(store, { do: "inbound-done", ids: [row!.id], outcome });
    using file = openDatabase(join(folder.path, "tidegate.db"), { readOnly: true });
    expect(file.all("SELECT done, outcome FROM inbound")).toEqual([{ done: 1, outcome: "ignored" }]);
  });
});

describe("deleting", () => {
  it("D34: leaves no byte of it in any file of the folder, and every byte of the others", async () => {
    using folder = temporaryFolder();
    await using store = await openIn(folder.path);
    const ids = Array.from({ length: 24 }, (_, nth) => `chat-${nth}`);
    // Written in turns and changed afterwards, with texts from a few bytes to many pages, so that rows move between pages.
    await Promise.all(
      ids.map((id, nth) =>
        done(store, open(id), { do: "title", conversation: id, title: `${secret(id)} ${"t".repeat(nth * 9)}` }),
      ),
    );
    const write = async (id: string, nth: number, round: number): Promise<void> => {
      const text = `${secret(id)} ${"long ".repeat((nth * round * 53) % 5_000)} ${secret(id)}`;
      const button = { conversation: id, does: "option", card: "c", action: { do: "nothing" }, done: text } as const;
      const session = { conversation: id, engine: `e${round % 3}`, resumeId: secret(id), seen: round, redacted: false };
      const piece = { body: { text }, plain: text };
      const [row] = await store.inbound.keep("telegram", [{ key: `${id}/${round}`, raw: { text } }], 1);
      const { rows } = await done(
        store,
        say(id, text, [`${secret(id)}${round}`]),
        { do: "inbound-done", ids: [row!.id], outcome: "message" },
        { do: "claim", key: `card:${id}/${round}`, by: secret(id), at: 1 },
        { do: "button", key: `${id}/${round}`, button },
        { do: "session", session },
        append(id, started(`${secret(id)}${round}`, 1)),
        append(id, { kind: "text", turn: "t", part: 0, text }),
        append(id, ended(`${secret(id)}${round}`)),
        { do: "plan", rows: [show(id, `${secret(id)}${round}`, room(id), { piece })] },
      );
      const to = {
        state: "shown",
        attempt: 1,
        ref: `${secret(id)}-${round}`,
        detail: text.slice(0, nth * 20),
      } as const;
      await done(store, { do: "outgoing", id: rows[0]!.id, from: { state: "planned", attempt: 0 }, to });
    };
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(ids.map((id, nth) => write(id, nth, round)));
    }
    await done(store, { do: "title", conversation: ids[3]!, title: secret(ids[3]!).repeat(30) });
    const found = (): readonly string[] => {
      const bytes = allBytes(folder.path);
      return ids.filter((id) => bytes.includes(secret(id)));
    };
    expect(found()).toEqual(ids);
    const gone = ids.filter((_, nth) => nth % 2 === 1);
    // One after the other and several at once; commits go on meanwhile.
    await store.conversations.delete(gone[0]!);
    expect(found()).toEqual(ids.filter((id) => id !== gone[0]));
    await Promise.all([
      ...gone.slice(1).map((id) => store.conversations.delete(id)),
      done(store, notice(ids[0]!, "meanwhile")),
    ]);
    expect(found()).toEqual(ids.filter((id) => !gone.includes(id)));
    expect(await store.log.read(ids[0]!)).toHaveLength(12 * 4 + 1);
    expect((await store.conversations.list()).length).toBe(12);
  });

  it("D34: says so when traces stay because somebody goes on reading, and removes them at the next start", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "tidegate.db");
    {
      await using store = await openIn(folder.path);
      await done(store, open("a"), open("b"), notice("a", secret("a")));
      {
        using reader = openDatabase(file, { readOnly: true });
        reader.exec("BEGIN; SELECT * FROM entry");
        using writer = openDatabase(file);
        writer.exec("PRAGMA foreign_keys = ON; BEGIN");
        removeConversation(writer, "a");
        writer.exec("COMMIT");
        await expect(eraseFreed(file, 1)).rejects.toMatchObject({
          code: "data-broken",
          hint: expect.stringContaining("next"),
        });
        expect(mustErase(writer)).toBe(true);
      }
      expect((await store.conversations.list()).map(({ id }) => id)).toEqual(["b"]);
    }
    await using _store = await openIn(folder.path);
    using after = openDatabase(file, { readOnly: true });
    expect(mustErase(after)).toBe(false);
    expect(allBytes(folder.path).includes(secret("a"))).toBe(false);
  });

  it("D34: a deletion that a crash cut off from its erasing is finished at the next start", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "tidegate.db");
    {
      await using store = await openIn(folder.path);
      await done(store, open("a"), notice("a", secret("a")));
    }
    using crashed = new DatabaseSync(file);
    // What the transaction of a deletion leaves, had the process ended right after it; without SQLite's own overwriting.
    crashed.exec(
      "PRAGMA secure_delete = OFF; PRAGMA foreign_keys = ON; BEGIN; DELETE FROM conversation; INSERT INTO chore VALUES ('erase'); COMMIT",
    );
    crashed.close();
    expect(allBytes(folder.path).includes(secret("a"))).toBe(true);
    await using _store = await openIn(folder.path);
    expect(allBytes(folder.path).includes(secret("a"))).toBe(false);
  });
});

/** Text that is nowhere else, and not a part of another one's. */
function secret(id: string): string {
  return `<secret of ${id}>`;
}
