// The index as rows: it says the same however it came about, and nothing of what it must not hold.
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { build } from "../../src/search/building.ts";
import { Index } from "../../src/search/index.ts";
import { openIndex } from "../../src/search/schema.ts";
import { loadVocabulary } from "../../src/search/spelling.ts";
import { isDiskFull } from "../../src/store/database.ts";
import { openStore } from "../../src/store/open.ts";
import { HIDDEN } from "../../src/taint/scrub.ts";
import { secretsIn } from "../../src/taint/shapes.ts";
import { append, done, open, started, surroundings, temporaryFolder } from "../store/world.ts";
import {
  ANA,
  answer,
  contents,
  edited,
  filePart,
  gone,
  happen,
  happenings,
  indexOver,
  message,
  optionsOver,
  OWNER,
  said,
  SECRET,
  textPart,
  toolStart,
} from "./index-world.ts";

const RUNS = process.env["TIDEGATE_DEEP"] === "1" ? 3000 : 60;

type Row = { readonly line: number; readonly who: number; readonly text: string };

/** The lines that an index holds after these entries of one chat, as "who text", in order. */
async function linesAfter(...bodies: readonly Parameters<typeof append>[1][]): Promise<readonly string[]> {
  await using store = await openStore({ folder: ":memory:", ...surroundings });
  await done(store, open("c"), ...bodies.map((body) => append("c", body)));
  await using index = indexOver(store);
  await index.take(await store.log.head());
  const rows = index.database.all("SELECT line, who, text FROM passage WHERE text <> '' ORDER BY n") as readonly Row[];
  return rows.map(({ line, who, text }) => `${line} ${["you", "assistant", "them", "step"][who]}: ${text}`);
}

describe("what is in the index", () => {
  it("P31, P4: what was said and done, by whom, and nothing else of the log", async () => {
    const lines = await linesAfter(
      said("the venue", "1"),
      said("hello", "2", ANA),
      answer("It is in Lisbon."),
      toolStart({ command: "ls -la", description: "List", nested: [{ path: "/tmp" }], count: 3 }),
      toolStart({ who: "Bo" }, { by: "gateway", call: { id: "d", name: "send_mail", input: { to: "Bo" } } }),
      toolStart({ query: "lisbon" }, { by: "gateway", effect: "read" }),
      { kind: "tool-end", turn: "t1", callId: "c", result: { outcome: "ok", text: "output" } },
      { kind: "command", name: "chats", args: "" },
      { kind: "notice", text: "noticed", quiet: true },
      message([filePart("plan.pdf", "3"), textPart("the plan", "3")]),
    );
    expect(lines).toEqual([
      "1 you: the venue",
      "2 them: hello",
      "3 assistant: It is in Lisbon.",
      "4 step: Bash: ls -la · List · /tmp",
      "5 step: send_mail: Bo",
      "10 step: Sent a file: plan.pdf",
      "10 you: the plan",
    ]);
  });

  it("P27: what others wrote is theirs, and what was quoted from here is not there twice", async () => {
    const lines = await linesAfter(
      message([
        textPart("look", "1"),
        textPart("forwarded words", "1", { kind: "forwarded", as: "user", from: "Bo", id: "8" }),
        filePart("bo.pdf", "1", { kind: "forwarded", as: "user", from: "Bo", id: "8" }),
        textPart("someone else's", "1", { kind: "forwarded", as: "hidden-user", from: "Cy" }),
        textPart("what we said", "1", { kind: "quoted", from: "Tidegate", ours: true }),
        textPart("what I said", "1", { kind: "quoted", from: "Sam", id: OWNER.id, ours: false }),
        textPart("what Bo said", "1", { kind: "quoted", from: "Bo", id: "8", ours: false }),
        textPart("isn't it", "1"),
      ]),
    );
    expect(lines).toEqual([
      "1 you: look",
      "1 them: forwarded words\nSent a file: bo.pdf",
      "1 them: someone else's",
      "1 them: what Bo said",
      "1 you: isn't it",
    ]);
  });

  it("P31: an edit takes the place of the words it is about, and what was taken back is gone", async () => {
    const lines = await linesAfter(
      message([textPart("first", "1"), textPart("second", "2"), filePart("a.txt", "2")]),
      edited("2", "better"),
      edited("2", "best"),
      said("taken back", "3"),
      gone("3"),
      said("taken back and said anew", "4"),
      gone("4"),
      edited("4", "here again"),
      edited("5", "of nothing"),
    );
    expect(lines).toEqual(["1 you: first", "1 step: Sent a file: a.txt", "1 you: best", "6 you: here again"]);
  });

  it("P31: of a turn that was tried twice there is what the second try said and did", async () => {
    const lines = await linesAfter(
      said("go", "1"),
      { ...started("t0", 1) },
      answer("of the turn before"),
      { ...started("t1", 1) },
      answer("half an ans"),
      toolStart({ command: "rm x" }),
      said("come on", "2"),
      { ...started("t1", 1, true) },
      answer("the whole answer"),
    );
    expect(lines).toEqual([
      "1 you: go",
      "3 assistant: of the turn before",
      "7 you: come on",
      "9 assistant: the whole answer",
    ]);
  });

  it("P28, P30, A71: no secret, whole, in two messages that follow each other, in an edit, or in a step", async () => {
    const [head, tail] = [SECRET.slice(0, 11), SECRET.slice(11)];
    const lines = await linesAfter(
      said(`whole ${SECRET} here`, "1"),
      said(`begins ${head}`, "2"),
      said(`${tail} ends`, "3"),
      answer("between"),
      said(`begins ${head}`, "4"),
      said("no end", "5"),
      edited("5", `${tail} is edited in`),
      message([textPart(`burst ${head}`, "6"), textPart(tail, "7")]),
      toolStart({ command: `login ${SECRET}`, password: "hunter2x" }),
    );
    expect(lines).toEqual([
      `1 you: whole ${HIDDEN} here`,
      `2 you: begins ${HIDDEN}`,
      `3 you: ${HIDDEN} ends`,
      "4 assistant: between",
      `5 you: begins ${HIDDEN}`,
      `6 you: ${HIDDEN} is edited in`,
      `8 you: burst ${HIDDEN}\n${HIDDEN}`,
      `9 step: Bash: login ${HIDDEN} · ${HIDDEN}`,
    ]);
  });

  it("P28: what an edit brought in or took away is what the next message is judged with", async () => {
    const [head, tail] = [SECRET.slice(0, 11), SECRET.slice(11)];
    expect(await linesAfter(said(head, "1"), edited("1", "nothing"), said(tail, "2"))).toEqual([
      "1 you: nothing",
      `3 you: ${tail}`,
    ]);
    expect(await linesAfter(said("nothing", "1"), edited("1", head), said(tail, "2"))).toEqual([
      `1 you: ${HIDDEN}`,
      `3 you: ${HIDDEN}`,
    ]);
  });

  it("P28: a secret is not put together from what two writers said, nor from what is apart", async () => {
    const [head, tail] = [SECRET.slice(0, 11), SECRET.slice(11)];
    const lines = await linesAfter(
      said(head, "1"),
      said(tail, "2", ANA),
      said(head, "3"),
      answer("no"),
      said(tail, "4"),
    );
    expect(lines).toEqual([`1 you: ${head}`, `2 them: ${tail}`, `3 you: ${head}`, "4 assistant: no", `5 you: ${tail}`]);
  });
});

describe("an index that came about bit by bit", () => {
  it("P31, D35, D49: holds what one made at once holds: edits, first tries, deletions, secrets over two messages", async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async (all) => {
        await using store = await openStore({ folder: ":memory:", ...surroundings });
        const forgotten = new Set<string>();
        await using grown = indexOver(store, { forgotten });
        await grown.prepare();
        await happen(store, grown, all, forgotten);
        await grown.take(await store.log.head());
        await using fresh = indexOver(store);
        await fresh.take(await store.log.head());
        const [one, other] = [contents(grown.database), contents(fresh.database)] as [
          Record<string, unknown>,
          Record<string, unknown>,
        ];
        // Of a deleted chat the place is still known.
        expect({ ...one, place: 0 }).toEqual({ ...other, place: 0 });
        expect(one["terms"]).toEqual(one["counted"]);
        expect(one["strays"]).toEqual([]);
        // What the spelling knows goes with the rows.
        const loaded = await loadVocabulary(grown.database, surroundings.clock);
        for (const { term } of one["terms"] as readonly { term: string }[]) {
          expect(grown.vocabulary?.df(term)).toBe(loaded.df(term));
        }
        grown.database.exec("INSERT INTO posting (posting) VALUES ('integrity-check')");
        expect(JSON.stringify(one)).not.toContain(SECRET);
      }),
      { numRuns: RUNS },
    );
  });

  it("P31: holds what a build in its thread makes", async () => {
    await fc.assert(
      fc.asyncProperty(happenings, async (all) => {
        using folder = temporaryFolder();
        await using store = await openStore({ folder: ":memory:", ...surroundings });
        const forgotten = new Set<string>();
        await using grown = indexOver(store, { forgotten });
        await happen(store, grown, all, forgotten);
        await grown.take(await store.log.head());
        const order = { folder: folder.path, scrubber: "none" };
        await build(order, {
          log: store.log,
          secretsIn: secretsIn([SECRET]),
          told: () => undefined,
          isStopped: () => false,
        });
        const built = openIndex(join(folder.path, "search.db.new"), () => true);
        if ("unfit" in built) throw new Error(built.unfit);
        const one = contents(grown.database) as Record<string, unknown>;
        const other = contents(built) as Record<string, unknown>;
        built[Symbol.dispose]();
        expect({ ...one, place: 0 }).toEqual({ ...other, place: 0 });
      }),
      { numRuns: RUNS / 5 },
    );
  });

  it("P31, P13: keeps its place with its rows, so that a failure in between repeats nothing and leaves nothing out", async () => {
    await using store = await openStore({ folder: ":memory:", ...surroundings });
    await done(store, open("c"), ...["one", "two", "three"].map((text) => append("c", said(text, text))));
    let fails = true;
    const find = secretsIn([SECRET]);
    await using index = indexOver(store, {
      secretsIn(text) {
        if (fails && text === "three") throw new Error("planted");
        return find(text);
      },
    });
    await expect(index.take(await store.log.head())).rejects.toThrow("planted");
    expect(index.place).toBe(0);
    fails = false;
    await index.take(await store.log.head());
    await using fresh = indexOver(store);
    await fresh.take(await store.log.head());
    expect(contents(index.database)).toEqual(contents(fresh.database));
  });

  it("P13: goes on by itself after a full disk", async () => {
    await using store = await openStore({ folder: ":memory:", ...surroundings });
    await using index = indexOver(store);
    index.database.exec("PRAGMA max_page_count = 30");
    await done(store, open("c"));
    for (let nth = 0; nth < 60; nth += 1) {
      const text = `${nth} ${"words that take room ".repeat(200)}`;
      await done(store, append("c", said(text, `m${nth}`)));
    }
    const failure: unknown = await index.take(await store.log.head()).catch((thrown: unknown) => thrown);
    expect(isDiskFull(failure)).toBe(true);
    index.database.exec("PRAGMA max_page_count = 100000");
    await index.take(await store.log.head());
    await using fresh = indexOver(store);
    await fresh.take(await store.log.head());
    expect(contents(index.database)).toEqual(contents(fresh.database));
  });

  it("P31: is not taken in twice by two that follow the same log into one file", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "search.db");
    await using store = await openStore({ folder: ":memory:", ...surroundings });
    await done(store, open("c"), append("c", said("one", "1")));
    await using first = indexOver(store, { path });
    await first.prepare();
    const opened = openIndex(path, () => true);
    if ("unfit" in opened) throw new Error(opened.unfit);
    await using second = new Index(opened, optionsOver(store, { path }));
    await second.prepare();
    for (let nth = 2; nth < 12; nth += 1) {
      await done(store, append("c", said(`word${nth}`, `${nth}`)));
      const head = await store.log.head();
      await Promise.all([first.take(head), second.take(head)]);
      expect([first.place, second.place]).toEqual([head, head]);
    }
    await using fresh = indexOver(store);
    await fresh.take(await store.log.head());
    expect(contents(first.database)).toEqual(contents(fresh.database));
  });
});
