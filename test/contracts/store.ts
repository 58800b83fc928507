// What every store must do, whatever it keeps its data in.
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import type { PlacedEntry } from "../../src/core/conversation.ts";
import type { Taint } from "../../src/core/taint.ts";
import { OUTSIDE_KEY } from "../../src/store/port.ts";
import type { Change, Known, OutgoingRow, PlannedShow, Store } from "../../src/store/port.ts";
import { append, done, ended, notice, open, room, SAM, say, show, started } from "../store/world.ts";

/** A store under test. `reopen` closes it and opens what it has left. */
export type StoreUnderTest = { readonly store: Store; readonly reopen: () => Promise<Store> };

/** Runs the suite. `openOne` gives an empty store that ends with the test; `forgets` says why it has nothing to reopen, if so. */
export function storeContract(name: string, openOne: () => Promise<StoreUnderTest>, forgets?: string): void {
  const openLasting = (context: TestContext): Promise<StoreUnderTest> => {
    if (forgets !== undefined) context.skip(forgets);
    return openOne();
  };

  describe(`D46: a store ${name}`, () => {
    describe("log", () => {
      it("gives entries back as they were appended, in order", async () => {
        const { store } = await openOne();
        const { entries } = await done(
          store,
          open("a"),
          say("a", "hi \u0000 \ud800 🙂", ["7", "8"]),
          notice("a", "noted", 9),
        );
        expect(entries.map(({ seq, at, kind }) => [seq, at, kind])).toEqual([
          [1, 5, "message"],
          [2, 9, "notice"],
        ]);
        expect(await store.log.read("a")).toEqual(entries);
        expect(await store.conversations.get("a")).toMatchObject({ head: 2, openedAt: 1, lastAt: 9, title: "Chat a" });
      });

      it("reads ranges: after a seq, at most so many, the newest ones", async () => {
        const { store } = await openOne();
        await done(store, open("a"), ...Array.from({ length: 10 }, (_, nth) => notice("a", `${nth + 1}`)));
        const seqs = async (range: Parameters<Store["log"]["read"]>[1]): Promise<number[]> =>
          (await store.log.read("a", range)).map(({ seq }) => seq);
        expect(await seqs({ after: 7 })).toEqual([8, 9, 10]);
        expect(await seqs({ after: 2, limit: 3 })).toEqual([3, 4, 5]);
        expect(await seqs({ limit: 2, last: true })).toEqual([9, 10]);
        expect(await seqs({ after: 9, limit: 5, last: true })).toEqual([10]);
        expect(await store.log.read("unknown")).toEqual([]);
      });

      it("D7: 50 concurrent appends to several conversations leave no gap", async () => {
        const { store } = await openOne();
        const names = ["a", "b", "c"];
        await done(store, ...names.map((id) => open(id)));
        const committed = await Promise.all(
          Array.from({ length: 50 }, (_, nth) => store.commit([notice(names[nth % 3]!, `${nth}`)])),
        );
        expect(committed.every(({ ok }) => ok)).toBe(true);
        for (const id of names) {
          const log = await store.log.read(id);
          expect(log.map(({ seq }) => seq)).toEqual(log.map((_, nth) => nth + 1));
        }
      });

      it("D6: what was committed is there after a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        const { entries } = await done(store, open("a"), say("a", "hello"));
        const again = await reopen();
        expect(await again.log.read("a")).toEqual(entries);
        expect((await done(again, notice("a", "more"))).entries[0]?.seq).toBe(2);
      });

      it("commits what was handed in before it was closed", async () => {
        const { store } = await openOne();
        const underWay = store.commit([open("a")]);
        await store[Symbol.asyncDispose]();
        expect(await underWay).toMatchObject({ ok: true });
        await expect(store.commit([notice("a", "late")])).rejects.toMatchObject({ code: "internal" });
      });
    });

    describe("following", () => {
      it("D8: starts after a place, then gives each entry once as it is committed", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"), notice("a", "1"), notice("b", "2"), notice("a", "3"));
        const stop = new AbortController();
        const all = follower(store, 0, stop.signal);
        const first = await all.until(3);
        expect(first.map(({ entry }) => [entry.conversation, entry.seq])).toEqual([
          ["a", 1],
          ["b", 1],
          ["a", 2],
        ]);
        const late = follower(store, first[1]!.place, stop.signal);
        await Promise.all([store.commit([notice("b", "4")]), store.commit([notice("a", "5")])]);
        expect((await all.until(5)).slice(3)).toEqual((await late.until(3)).slice(1));
        expect((await late.until(3)).map(({ entry }) => entry)).toEqual([
          (await store.log.read("a"))[1],
          (await store.log.read("b"))[1],
          (await store.log.read("a"))[2],
        ]);
        stop.abort();
        await Promise.all([all.ended, late.ended]);
      });

      it("D8: gives a long log in batches of at most 500, whoever is slow", async () => {
        const { store } = await openOne();
        await done(store, open("a"), ...Array.from({ length: 1_201 }, (_, nth) => notice("a", `${nth}`)));
        const sizes: number[] = [];
        for await (const batch of store.log.follow(0, AbortSignal.any([]))) {
          sizes.push(batch.length);
          if (batch.at(-1)?.entry.seq === 1_201) break;
        }
        expect(sizes).toEqual([500, 500, 201]);
      });

      it("D8: half a transaction is never seen, and a refused one not at all", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"), { do: "claim", key: "taken", by: "x", at: 1 });
        const stop = new AbortController();
        const uneven: number[] = [];
        const following = (async () => {
          for await (const batch of store.log.follow(0, stop.signal)) {
            const [a, b] = await Promise.all([store.log.read("a"), store.log.read("b")]);
            if (a.length !== b.length) uneven.push(a.length - b.length);
            if (batch.some(({ entry }) => JSON.stringify(entry).includes("refused"))) uneven.push(Number.NaN);
            if (batch.at(-1)?.entry.seq === 60) break;
          }
        })();
        for (let nth = 0; nth < 60; nth += 3) {
          await Promise.all([
            store.commit([notice("a", "1"), notice("b", "1")]),
            store.commit([notice("a", "refused"), { do: "claim", key: "taken", by: "y", at: 1 }]),
            store.commit([notice("b", "2"), notice("a", "2")]),
            store.commit([notice("a", "refused"), notice("gone", "refused")]),
            store.commit([notice("b", "3"), notice("a", "3")]),
          ]);
        }
        await following;
        stop.abort();
        expect(uneven).toEqual([]);
      });

      it("ends when the signal fires, while asleep or before the start, and when the store closes", async () => {
        const { store } = await openOne();
        const stop = new AbortController();
        const asleep = follower(store, 0, stop.signal);
        const closing = follower(store, 0, new AbortController().signal);
        await done(store, open("a"), notice("a", "1"));
        await Promise.all([asleep.until(1), closing.until(1)]);
        stop.abort();
        await asleep.ended;
        await follower(store, 0, stop.signal).ended;
        await store[Symbol.asyncDispose]();
        await closing.ended;
      });

      it("knows the place of the newest entry", async () => {
        const { store } = await openOne();
        expect(await store.log.head()).toBe(0);
        await done(store, open("a"), notice("a", "1"), notice("a", "2"));
        const [last] = (await follower(store, 0, new AbortController().signal).until(2)).slice(-1);
        expect(await store.log.head()).toBe(last?.place);
      });
    });

    describe("a refused commit", () => {
      it("leaves nothing behind, of any kind of change, and doesn't harm those beside it", async () => {
        const { store } = await openOne();
        const [kept] = await store.inbound.keep("telegram", [{ key: "1", raw: 1 }], 1);
        await done(
          store,
          open("a"),
          say("a", "one"),
          { do: "plan", rows: [show("a", "k")] },
          { do: "claim", key: "card:1", by: "x", at: 1 },
          { do: "know", known: known("6") },
        );
        const [row] = await store.outbox.open();
        const before = await everything(store, row!);
        const changes: readonly Change[] = [
          open("new"),
          notice("a", "more"),
          { do: "title", conversation: "a", title: "Other" },
          { do: "engine", conversation: "a", engine: "other" },
          { do: "archive", conversation: "a", archived: true },
          { do: "inbound-done", ids: [kept!.id], outcome: "message" },
          { do: "claim", key: "card:2", by: "x", at: 1 },
          { do: "button", key: "key", button: { conversation: "a", does: "stop", turn: "t" } },
          { do: "mode", conversation: "a", mode: "trust" },
          append("a", { kind: "marked", taint: ANA }),
          { do: "know", known: known("5") },
          { do: "forget-known", platform: "telegram", id: "6" },
          { do: "session", session: { conversation: "a", engine: "demo", resumeId: "r", seen: 1, redacted: false } },
          { do: "cursor", name: "outbox", value: "9" },
          { do: "plan", rows: [show("a", "k2")] },
          {
            do: "outgoing",
            id: row!.id,
            from: { state: "planned", attempt: 0 },
            to: { state: "shown", attempt: 1, ref: "9" },
          },
          { do: "prune", before: 99 },
          { do: "move-room", platform: "telegram", from: "a", to: "z" },
        ];
        const refusals: readonly Change[] = [
          { do: "claim", key: "card:1", by: "y", at: 2 },
          notice("never-opened", "x"),
          // Marked by the changes before it.
          { do: "expect-marks", conversation: "a", count: 0 },
          { do: "outgoing", id: row!.id, from: { state: "planned", attempt: 7 }, to: { state: "shown", attempt: 8 } },
        ];
        // Alone, and among others in one transaction.
        const alone = await store.commit([...changes, refusals[0]!]);
        expect(alone).toEqual({ ok: false, because: "claimed", by: "x" });
        expect(await everything(store, row!)).toEqual(before);
        const [first, second, third, fourth, beside] = await Promise.all([
          ...refusals.map((refusal) => store.commit([...changes, refusal])),
          store.commit([{ do: "cursor", name: "beside", value: "1" }]),
        ]);
        expect([first, second, third, fourth]).toEqual([
          { ok: false, because: "claimed", by: "x" },
          { ok: false, because: "gone" },
          { ok: false, because: "marked" },
          { ok: false, because: "changed" },
        ]);
        expect(beside).toMatchObject({ ok: true });
        expect(await store.records.cursor("beside")).toBe("1");
        expect(await everything(store, row!)).toEqual(before);
      });

      it("rejects only its own caller when a change can't be written at all", async () => {
        const { store } = await openOne();
        await done(store, open("a"));
        const circular: Record<string, unknown> = {};
        circular["self"] = circular;
        const unwritable = show("a", "k", room("a"), { piece: { body: circular, plain: "" } });
        const [bad, good] = await Promise.allSettled([
          store.commit([notice("a", "lost"), { do: "plan", rows: [unwritable] }]),
          store.commit([notice("a", "kept")]),
        ]);
        expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
        expect((await store.log.read("a")).map((entry) => entry.kind === "notice" && entry.text)).toEqual(["kept"]);
        expect((await Promise.allSettled([store.commit([open("a")])]))[0]?.status).toBe("rejected");
        expect(await done(store, notice("a", "after"))).toMatchObject({ ok: true });
      });
    });

    describe("conversations", () => {
      it("opens one as the current one of its room and person, and no one else's", async () => {
        const { store } = await openOne();
        const thread = room("1", "9");
        await done(store, open("a", 1, room("1")), open("b", 2, thread), {
          ...open("c", 3, room("1")),
          person: "telegram/5",
        } as Change);
        expect((await store.conversations.current(room("1"), SAM))?.id).toBe("a");
        await done(store, open("d", 4, room("1")));
        expect((await store.conversations.current(room("1"), SAM))?.id).toBe("d");
        expect((await store.conversations.current(thread, SAM))?.id).toBe("b");
        expect((await store.conversations.current(room("1"), "telegram/5"))?.id).toBe("c");
        expect((await store.conversations.get("b"))?.room).toEqual(thread);
        expect(await store.conversations.get("nobody")).toBeUndefined();
      });

      it("lists the newest first, archived ones only when asked for", async () => {
        const { store } = await openOne();
        await done(store, open("a", 1), open("b", 2), open("c", 3), notice("a", "late", 50));
        await done(store, { do: "archive", conversation: "b", archived: true });
        const ids = async (which?: Parameters<Store["conversations"]["list"]>[0]): Promise<string[]> =>
          (await store.conversations.list(which)).map(({ id }) => id);
        expect(await ids()).toEqual(["a", "c"]);
        expect(await ids({ archived: true })).toEqual(["a", "c", "b"]);
        expect(await ids({ limit: 1 })).toEqual(["a"]);
      });

      it("an archived one is nobody's current one; taken back it is, unless its place was taken", async () => {
        const { store } = await openOne();
        const where = room("1");
        const archive = (archived: boolean): Change => ({ do: "archive", conversation: "a", archived });
        await done(store, open("a", 1, where), archive(true));
        expect(await store.conversations.current(where, SAM)).toBeUndefined();
        await done(store, archive(false));
        expect(await store.conversations.current(where, SAM)).toMatchObject({ id: "a", archived: false });
        await done(store, archive(true), open("b", 2, where), archive(false));
        expect((await store.conversations.current(where, SAM))?.id).toBe("b");
        expect((await store.conversations.get("a"))?.archived).toBe(false);
      });

      it("changes title, engine and mode", async () => {
        const { store } = await openOne();
        await done(
          store,
          open("a"),
          { do: "title", conversation: "a", title: "Trip" },
          { do: "engine", conversation: "a", engine: "demo" },
        );
        expect((await store.conversations.get("a"))?.mode).toBeUndefined();
        expect(await store.conversations.get("a")).toMatchObject({ title: "Trip", engine: "demo" });
        await done(store, { do: "mode", conversation: "a", mode: "trust" });
        await done(store, { do: "mode", conversation: "a", mode: "plan" });
        expect((await store.conversations.get("a"))?.mode).toBe("plan");
        expect((await store.conversations.list())[0]?.mode).toBe("plan");
      });

      it("finds the conversation that holds a platform's message, the copy rather than what it was copied from", async () => {
        const { store } = await openOne();
        const where = room("1");
        await done(
          store,
          open("a", 1, where),
          say("a", "hi", ["7", "8"]),
          open("other", 1, room("2")),
          say("other", "hi", ["9"]),
        );
        expect((await store.conversations.holding(where, "8"))?.id).toBe("a");
        expect(await store.conversations.holding(where, "9")).toBeUndefined();
        await done(store, open("fork", 2, where), say("fork", "hi", ["7"]));
        expect((await store.conversations.holding(where, "7"))?.id).toBe("fork");
        await store.conversations.delete("fork");
        expect((await store.conversations.holding(where, "7"))?.id).toBe("a");
      });

      it("A24, A60: a message of ours that holds words which someone else chose is held by no conversation", async () => {
        const { store } = await openOne();
        const where = room("a");
        await done(store, open("a"), { do: "plan", rows: [show("a", "card/1"), show("a", `${OUTSIDE_KEY}card/2`)] });
        for (const [nth, { id }] of (await store.outbox.open()).entries())
          await done(store, {
            do: "outgoing",
            id,
            from: { state: "planned", attempt: 0 },
            to: { state: "shown", attempt: 1, ref: `${nth}` },
          });
        expect((await store.conversations.holding(where, "0"))?.id).toBe("a");
        expect(await store.conversations.holding(where, "1")).toBeUndefined();
        // It is shown all the same, so that it can be edited.
        expect((await store.outbox.shown(where, `${OUTSIDE_KEY}card/2`, 0))?.ref).toBe("1");
      });

      it("knows what is unsettled: messages no turn has taken and turns that have not ended, oldest first", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"), open("quiet"), notice("quiet", "x"), say("b", "one"), say("a", "two"));
        expect(await store.conversations.unsettled()).toEqual([
          { conversation: "b", waiting: 1 },
          { conversation: "a", waiting: 1 },
        ]);
        await done(store, append("b", started("t1", 1)));
        expect(await store.conversations.state("b")).toEqual({
          conversation: "b",
          waiting: 0,
          openTurn: { turn: "t1", seq: 2, again: false },
        });
        // A message during the turn waits beyond its end; the end of another turn ends nothing.
        await done(store, say("b", "three"), append("b", ended("other")));
        expect(await store.conversations.state("b")).toEqual({
          conversation: "b",
          waiting: 3,
          openTurn: { turn: "t1", seq: 2, again: false },
        });
        await done(store, append("b", ended("t1")));
        expect(await store.conversations.state("b")).toEqual({ conversation: "b", waiting: 3 });
        await done(store, append("b", started("t2", 3, true)));
        expect((await store.conversations.unsettled())[0]).toEqual({
          conversation: "b",
          waiting: 0,
          openTurn: { turn: "t2", seq: 6, again: true },
        });
        await done(store, append("b", ended("t2")), append("a", started("t3", 1)), append("a", ended("t3")));
        expect(await store.conversations.unsettled()).toEqual([]);
        expect(await store.conversations.state("unknown")).toEqual({ conversation: "unknown", waiting: 0 });
      });

      it("keeps what is unsettled over a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        await done(store, open("a"), say("a", "one"), append("a", started("t", 1)), say("a", "two"));
        const before = await store.conversations.unsettled();
        expect(await (await reopen()).conversations.unsettled()).toEqual(before);
      });
    });

    describe("marks", () => {
      const marked = (conversation: string, taint: Taint): Change => append(conversation, { kind: "marked", taint });
      const page: Taint = { kind: "web", label: "a page", source: "https://example.org/" };

      it("A27, A58: are the union of what the log says, oldest first, each kind and source once, and only grow", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"));
        expect(await store.conversations.marks("a")).toEqual([]);
        await done(store, marked("a", page), say("a", "hi"), marked("a", ANA));
        await done(store, marked("a", { ...ANA, label: "Someone else" }), marked("a", { ...ANA, kind: "app" }));
        expect(await store.conversations.marks("a")).toEqual([page, ANA, { ...ANA, kind: "app" }]);
        expect(await store.conversations.marks("b")).toEqual([]);
        expect((await store.log.read("a")).filter(({ kind }) => kind === "marked")).toHaveLength(4);
        await done(store, { do: "archive", conversation: "a", archived: true }, { do: "prune", before: 99 });
        await done(store, { do: "archive", conversation: "a", archived: false }, { do: "mode", ...TRUSTED });
        await done(store, { do: "move-room", platform: "telegram", from: "a", to: "z" });
        expect(await store.conversations.marks("a")).toHaveLength(3);
      });

      it("A27: many at once, from rivals, are each kept once", async () => {
        const { store } = await openOne();
        await done(store, open("a"));
        const sources = Array.from({ length: 30 }, (_, nth) => `telegram/${nth % 10}`);
        await Promise.all(sources.map((source) => store.commit([marked("a", { ...ANA, source })])));
        expect((await store.conversations.marks("a"))?.map(({ source }) => source)).toEqual(sources.slice(0, 10));
      });

      it("A27, A64: stay over a reopening, and are found however long the log is", async (context) => {
        const { store, reopen } = await openLasting(context);
        await done(store, open("a"), marked("a", ANA));
        await done(store, ...Array.from({ length: 3_000 }, () => notice("a", "x")), marked("a", page));
        expect(await (await reopen()).conversations.marks("a")).toEqual([ANA, page]);
      });

      it("A28: are undefined where there is no such conversation, and go when it is deleted", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"), marked("a", ANA), marked("b", page));
        await store.conversations.delete("a");
        expect(await store.conversations.marks("a")).toBeUndefined();
        expect(await store.conversations.marks("never")).toBeUndefined();
        expect(await store.conversations.marks("b")).toEqual([page]);
        // One of the same id begins clean.
        await done(store, open("a"));
        expect(await store.conversations.marks("a")).toEqual([]);
      });

      it("A15, A62: what was judged by fewer marks is refused whole, and passes when they are the same", async () => {
        const { store } = await openOne();
        const expecting = (count: number, conversation = "a"): Change => ({ do: "expect-marks", conversation, count });
        await done(store, open("a"), open("b"), marked("b", ANA));
        await done(store, expecting(0), notice("a", "clean"));
        await done(store, marked("a", ANA), marked("a", ANA));
        const late = [notice("b", "lost"), expecting(0), notice("a", "lost")];
        expect(await store.commit(late)).toEqual({ ok: false, because: "marked" });
        expect(await store.log.read("b")).toHaveLength(1);
        await done(store, expecting(1), notice("a", "kept"));
        expect(await store.commit([expecting(0, "never")])).toEqual({ ok: false, because: "gone" });
        // Of a mark and an act that race, the one that is handed in first decides.
        const [, act] = await Promise.all([
          store.commit([marked("a", page)]),
          store.commit([expecting(1), notice("a", "raced")]),
        ]);
        expect(act).toEqual({ ok: false, because: "marked" });
        const [before] = await Promise.all([
          store.commit([expecting(2), notice("a", "raced")]),
          store.commit([marked("a", { ...page, source: "other" })]),
        ]);
        expect(before.ok).toBe(true);
      });
    });

    describe("deleting", () => {
      it("D34: forgets all that belongs to a conversation and nothing else, and gives its sessions", async () => {
        const { store } = await openOne();
        const rows = await store.inbound.keep("telegram", [{ key: "1", raw: "secret" }], 1);
        const session = { conversation: "a", engine: "demo", resumeId: "r", seen: 1, redacted: false };
        await done(
          store,
          open("a"),
          open("b"),
          say("a", "one"),
          say("b", "two"),
          { do: "inbound-done", ids: rows.map(({ id }) => id), outcome: "message" },
          { do: "claim", key: "card:a", by: "x", at: 1 },
          { do: "session", session },
          { do: "plan", rows: [show("a", "ka"), show("b", "kb")] },
          { do: "button", key: "ba", button: { conversation: "a", does: "stop", turn: "t" } },
          { do: "button", key: "bb", button: { conversation: "b", does: "stop", turn: "t" } },
        );
        const other = await everything(store, (await store.outbox.open())[1]!, "b");
        expect(await store.conversations.delete("a")).toEqual([session]);
        expect(await store.conversations.get("a")).toBeUndefined();
        expect(await store.conversations.current(room("a"), SAM)).toBeUndefined();
        expect(await store.conversations.holding(room("a"), "one")).toBeUndefined();
        expect(await store.conversations.unsettled()).toEqual([{ conversation: "b", waiting: 1 }]);
        expect(await store.log.read("a")).toEqual([]);
        expect(await store.records.button("ba")).toBeUndefined();
        expect(await store.records.claim("card:a")).toBeUndefined();
        expect(await store.records.session("a", "demo")).toBeUndefined();
        const [left] = await store.outbox.open();
        expect(await everything(store, left!, "b")).toEqual({
          ...other,
          open: [left],
          claim: undefined,
          list: other.list.filter(({ id }) => id !== "a"),
          unsettled: [{ conversation: "b", waiting: 1 }],
        });
        // The raw update is forgotten, and still known.
        expect(await store.inbound.keep("telegram", [{ key: "1", raw: "again" }], 1)).toEqual([]);
        expect(await store.conversations.delete("a")).toEqual([]);
      });

      it("D34: nothing that comes late brings a deleted conversation back", async () => {
        const { store } = await openOne();
        await done(store, open("a"), say("a", "one"));
        await store.conversations.delete("a");
        expect(await store.commit([notice("a", "late")])).toEqual({ ok: false, because: "gone" });
        const { rows } = await done(
          store,
          { do: "plan", rows: [show("a", "late"), show("", "of no conversation", room("9"))] },
          { do: "cursor", name: "outbox", value: "1" },
          { do: "button", key: "late", button: { conversation: "a", does: "stop", turn: "t" } },
          { do: "session", session: { conversation: "a", engine: "demo", resumeId: "r", seen: 1, redacted: false } },
          { do: "title", conversation: "a", title: "late" },
          { do: "engine", conversation: "a", engine: "late" },
          { do: "archive", conversation: "a", archived: false },
        );
        expect(rows.map(({ key }) => key)).toEqual(["of no conversation"]);
        expect(await store.outbox.open()).toEqual(rows);
        expect(await store.records.cursor("outbox")).toBe("1");
        expect(await store.records.button("late")).toBeUndefined();
        expect(await store.records.session("a", "demo")).toBeUndefined();
        expect(await store.conversations.list()).toEqual([]);
      });

      it("lets followers go on, and places are never used again", async () => {
        const { store } = await openOne();
        await done(store, open("a"), notice("a", "1"), open("b"));
        const newest = await store.log.head();
        await store.conversations.delete("a");
        await done(store, notice("b", "2"));
        const [next] = await follower(store, newest, new AbortController().signal).until(1);
        expect(next).toMatchObject({ entry: { conversation: "b", seq: 1 } });
      });
    });

    describe("inbound", () => {
      it("D2: gives just the rows whose key is new, also when they come at once", async () => {
        const { store } = await openOne();
        const update = (key: string): { key: string; raw: unknown } => ({ key, raw: { text: `raw ${key}` } });
        const first = await store.inbound.keep("telegram", [update("1"), update("2"), update("1")], 3);
        expect(first).toMatchObject([
          { channel: "telegram", key: "1", raw: { text: "raw 1" }, at: 3 },
          { channel: "telegram", key: "2" },
        ]);
        const [b, c] = await Promise.all([
          store.inbound.keep("telegram", [update("2"), update("3")], 4),
          store.inbound.keep("telegram", [update("3"), update("4")], 4),
        ]);
        expect([...b, ...c].map(({ key }) => key)).toEqual(["3", "4"]);
        expect((await store.inbound.keep("slack", [update("1")], 5)).length).toBe(1);
        expect(await store.inbound.pending("telegram")).toEqual([...first, ...b, ...c]);
      });

      it("D3: done and the entry that it became are one transaction; done again it stays as it was", async () => {
        const { store } = await openOne();
        const [row] = await store.inbound.keep("telegram", [{ key: "1", raw: 1 }], 1);
        const finished: Change = { do: "inbound-done", ids: [row!.id], outcome: "message" };
        expect(await store.commit([finished, notice("unknown", "x")])).toEqual({ ok: false, because: "gone" });
        expect(await store.inbound.pending("telegram")).toEqual([row]);
        await done(store, open("a"), finished, notice("a", "x"));
        expect(await store.inbound.pending("telegram")).toEqual([]);
        await done(store, { ...finished, outcome: "again" });
        expect(await store.inbound.pending("telegram")).toEqual([]);
      });

      it("D2, D4: what is not done is pending again in its order, and every key is still known", async (context) => {
        const { store, reopen } = await openLasting(context);
        const updates = ["9", "5", "7"].map((key) => ({ key, raw: { key } }));
        const rows = await store.inbound.keep("telegram", updates, 1);
        await done(store, { do: "inbound-done", ids: [rows[1]!.id], outcome: "ignored" });
        const again = await reopen();
        expect(await again.inbound.pending("telegram")).toEqual([rows[0], rows[2]]);
        expect(await again.inbound.keep("telegram", updates, 2)).toEqual([]);
      });
    });

    describe("outbox", () => {
      const shown = { state: "shown", attempt: 1 } as const;
      const planned = { state: "planned", attempt: 0 } as const;
      const keys = (rows: readonly PlannedShow[]): string[] => rows.map(({ key }) => key);

      it("D11: plans rows and moves the cursor in one transaction, in the order of each room", async () => {
        const { store } = await openOne();
        await done(store, open("a"), open("b"));
        const { rows } = await done(
          store,
          { do: "plan", rows: [show("a", "a1"), show("b", "b1"), show("a", "a2")] },
          { do: "cursor", name: "outbox", value: "3" },
        );
        expect(rows).toMatchObject([show("a", "a1"), show("b", "b1"), show("a", "a2")]);
        expect(new Set(rows.map(({ nonce }) => nonce)).size).toBe(3);
        await done(store, { do: "plan", rows: [show("a", "a3")] });
        expect(keys(await store.outbox.open())).toEqual(["a1", "a2", "a3", "b1"]);
        expect((await store.outbox.open())[0]).toEqual(rows[0]);
        expect(await store.records.cursor("outbox")).toBe("3");
      });

      it("D12: a result counts only for the state and attempt it was made from", async () => {
        const { store } = await openOne();
        await done(store, open("a"), { do: "plan", rows: [show("a", "k")] });
        const [row] = await store.outbox.open();
        const attempt = (from: OutgoingRow["attempt"], state: "planned" | "attempting"): Change => ({
          do: "outgoing",
          id: row!.id,
          from: { state, attempt: from },
          to: { state: "attempting", attempt: from + 1, firstAttemptAt: 10 + from, detail: `try ${from + 1}` },
        });
        await done(store, attempt(0, "planned"));
        expect(await store.commit([attempt(0, "planned")])).toEqual({ ok: false, because: "changed" });
        await done(store, attempt(1, "attempting"));
        const late: Change = {
          do: "outgoing",
          id: row!.id,
          from: { state: "attempting", attempt: 1 },
          to: { state: "refused", attempt: 1 },
        };
        expect(await store.commit([late])).toEqual({ ok: false, because: "changed" });
        expect(await store.outbox.open()).toEqual([
          { ...row, state: "attempting", attempt: 2, firstAttemptAt: 10, detail: "try 2" },
        ]);
        const result = { state: "shown", attempt: 2, ref: "77", plain: true, repeat: false } as const;
        await done(store, { do: "outgoing", id: row!.id, from: { state: "attempting", attempt: 2 }, to: result });
        expect(await store.outbox.open()).toEqual([]);
        expect(await store.outbox.shown(room("a"), "k", 0)).toEqual({
          ...row,
          ...result,
          firstAttemptAt: 10,
          detail: "try 2",
        });
        expect(await store.commit([{ do: "outgoing", id: 99, from: planned, to: shown }])).toEqual({
          ok: false,
          because: "changed",
        });
      });

      it("rows instead of another stand right behind it, before all that came later, however often", async () => {
        const { store } = await openOne();
        await done(store, open("a"), { do: "plan", rows: [show("a", "1"), show("a", "2"), show("a", "3")] });
        const replace = async (key: string, ...instead: readonly string[]): Promise<readonly OutgoingRow[]> => {
          const row = (await store.outbox.open()).find((one) => one.key === key);
          const to = { state: "refused", attempt: 1 } as const;
          return (
            await done(store, {
              do: "outgoing",
              id: row!.id,
              from: planned,
              to,
              instead: instead.map((one) => show("a", one)),
            })
          ).rows;
        };
        expect(await replace("2", "2a", "2b", "2c")).toMatchObject([show("a", "2a"), show("a", "2b"), show("a", "2c")]);
        expect(keys(await store.outbox.open())).toEqual(["1", "2a", "2b", "2c", "3"]);
        await replace("2b", "2b-i", "2b-ii");
        await done(store, { do: "plan", rows: [show("a", "4")] });
        await replace("1", "1a");
        expect(keys(await store.outbox.open())).toEqual(["1a", "2a", "2b-i", "2b-ii", "2c", "3", "4"]);
        // Far more often than halving a gap between two numbers could go on.
        let key = "2a";
        for (let nth = 0; nth < 200; nth += 1) {
          await replace(key, `x${nth}`, `y${nth}`);
          key = `x${nth}`;
        }
        const order = keys(await store.outbox.open());
        expect(order.slice(0, 3)).toEqual(["1a", "x199", "y199"]);
        expect(order.slice(-6)).toEqual(["y0", "2b-i", "2b-ii", "2c", "3", "4"]);
        expect(order.length).toBe(207);
      });

      it("finds the last one shown for a key and index, and whose message it is", async () => {
        const { store } = await openOne();
        await done(store, open("a"), {
          do: "plan",
          rows: [show("a", "k"), show("a", "k"), show("a", "k", room("a"), { index: 1 })],
        });
        const rows = await store.outbox.open();
        for (const [nth, { id }] of rows.entries()) {
          await done(store, { do: "outgoing", id, from: planned, to: { ...shown, ref: nth < 2 ? "70" : "71" } });
        }
        expect((await store.outbox.shown(room("a"), "k", 0))?.id).toBe(rows[1]?.id);
        expect((await store.outbox.shown(room("a"), "k", 1))?.ref).toBe("71");
        expect(await store.outbox.shown(room("a"), "k", 2)).toBeUndefined();
        expect(await store.outbox.shown(room("b"), "k", 0)).toBeUndefined();
        expect((await store.conversations.holding(room("a"), "71"))?.id).toBe("a");
      });

      it("counts what waits, by state", async () => {
        const { store } = await openOne();
        await done(store, open("a"), { do: "plan", rows: ["1", "2", "3", "4", "5"].map((key) => show("a", key)) });
        const rows = await store.outbox.open();
        for (const [nth, state] of (["shown", "attempting", "unknown", "refused"] as const).entries()) {
          await done(store, { do: "outgoing", id: rows[nth]!.id, from: planned, to: { state, attempt: 1 } });
        }
        expect(await store.outbox.counts()).toEqual({ planned: 2, unknown: 1, refused: 1 });
      });

      it("keeps rows, their nonces and their order over a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        await done(store, open("a"), { do: "plan", rows: [show("a", "1"), show("a", "2")] });
        const before = await store.outbox.open();
        expect(await (await reopen()).outbox.open()).toEqual(before);
      });
    });

    describe("records", () => {
      it("D9: of many rivals for a claim exactly one wins, with its entry, and the others learn who", async () => {
        const { store } = await openOne();
        await done(store, open("a"));
        const rivals = Array.from({ length: 40 }, (_, nth) => `rival ${nth}`);
        const outcomes = await Promise.all(
          rivals.map((by) =>
            store.commit([
              { do: "claim", key: "card:1", by, at: 1 },
              append("a", { kind: "answered", card: "1", by, text: by }),
            ]),
          ),
        );
        const winners = rivals.filter((_, nth) => outcomes[nth]?.ok);
        expect(winners).toHaveLength(1);
        expect(outcomes.filter(({ ok }) => !ok)).toEqual(
          Array.from({ length: 39 }, () => ({ ok: false, because: "claimed", by: winners[0] })),
        );
        expect(await store.records.claim("card:1")).toBe(winners[0]);
        expect(await store.log.read("a")).toMatchObject([{ kind: "answered", by: winners[0], seq: 1 }]);
        expect(await store.records.claim("card:2")).toBeUndefined();
      });

      it("T47: finds the cursors whose names begin so, whatever signs are in them", async () => {
        const { store } = await openOne();
        const cursor = (name: string, value: string): Change => ({ do: "cursor", name, value });
        await store.commit([cursor("mark/a_b/x", "1"), cursor("mark/a_b/y/z", "2"), cursor("mark/acb/x", "3")]);
        await store.commit([cursor("mark/a_b/x", "4"), cursor("mark/a_", "5"), cursor("MARK/a_b/q", "6")]);
        expect(await store.records.cursors("mark/a_b/")).toEqual(
          new Map([
            ["x", "4"],
            ["y/z", "2"],
          ]),
        );
        expect(await store.records.cursors("none/")).toEqual(new Map());
      });

      it("keeps sessions and cursors, the newest of each", async () => {
        const { store } = await openOne();
        const session = { conversation: "a", engine: "demo", resumeId: "r1", seen: 1, redacted: false };
        await done(store, open("a"), { do: "session", session }, { do: "cursor", name: "c", value: "1" });
        expect(await store.records.session("a", "demo")).toEqual(session);
        const later = { ...session, resumeId: "r2", seen: 9, redacted: true };
        await done(store, { do: "session", session: later }, { do: "cursor", name: "c", value: "2" });
        expect(await store.records.session("a", "demo")).toEqual(later);
        expect(await store.records.cursor("c")).toBe("2");
        await done(store, { do: "forget-session", conversation: "a", engine: "demo" });
        expect(await store.records.session("a", "demo")).toBeUndefined();
        expect(await store.records.cursor("d")).toBeUndefined();
      });

      it("A47: knows people and groups by platform and id, in the order of their standing's time, the newest of each", async () => {
        const { store } = await openOne();
        expect(await store.records.known()).toEqual([]);
        const ana = known("5", { name: "Ana \u202e", at: 3 });
        const [group, elsewhere] = [known("-1", { kind: "group", at: 2 }), known("5", { platform: "slack", at: 1 })];
        await done(store, { do: "know", known: ana }, { do: "know", known: group }, { do: "know", known: elsewhere });
        expect(await store.records.known()).toEqual([elsewhere, group, ana]);
        const blocked: Known = { ...group, name: "Renamed", standing: "blocked", at: 9 };
        await done(store, { do: "know", known: blocked });
        expect(await store.records.known()).toEqual([elsewhere, ana, blocked]);
        await done(store, { do: "forget-known", platform: "telegram", id: "5" });
        await done(store, { do: "forget-known", platform: "telegram", id: "never" });
        expect(await store.records.known()).toEqual([elsewhere, blocked]);
      });

      it("A47: keeps who is known over a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        await done(store, { do: "know", known: known("5") }, { do: "know", known: known("6", { standing: "owner" }) });
        const before = await store.records.known();
        expect(before).toHaveLength(2);
        expect(await (await reopen()).records.known()).toEqual(before);
      });

      it("D10: a button's key stands for the same after a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        const option = {
          conversation: "a",
          does: "option",
          card: "c",
          action: { do: "delete-chat", conversation: "b" },
          done: "Deleted.",
        } as const;
        const stop = { conversation: "a", does: "stop", turn: "t" } as const;
        await done(
          store,
          open("a"),
          { do: "button", key: "k1", button: option },
          { do: "button", key: "k2", button: stop },
        );
        const again = await reopen();
        expect([await again.records.button("k1"), await again.records.button("k2")]).toEqual([option, stop]);
        expect(await again.records.button("k3")).toBeUndefined();
      });
    });

    describe("settings", () => {
      it("D40: keeps values by key", async () => {
        const { store } = await openOne();
        expect(await store.settings.get("mute")).toBeUndefined();
        await store.settings.set("mute", { apps: ["mail"], until: 5 });
        await store.settings.set("mode", "ask");
        expect(await store.settings.get("mute")).toEqual({ apps: ["mail"], until: 5 });
        await store.settings.delete("mode");
        expect(await store.settings.get("mode")).toBeUndefined();
      });

      it("D40: keeps them over a reopening", async (context) => {
        const { store, reopen } = await openLasting(context);
        await store.settings.set("mute", ["mail"]);
        expect(await (await reopen()).settings.get("mute")).toEqual(["mail"]);
      });
    });

    describe("upkeep", () => {
      it("D36: prune forgets old raw updates and shown text, and keeps what recognises a repeat and what waits", async () => {
        const { store } = await openOne();
        const rows = await store.inbound.keep(
          "telegram",
          [
            { key: "1", raw: "old" },
            { key: "2", raw: "waits" },
          ],
          1,
        );
        await done(store, open("a"), { do: "inbound-done", ids: [rows[0]!.id], outcome: "message" }, say("a", "one"), {
          do: "plan",
          rows: [show("a", "old"), show("a", "waits"), show("a", "new", room("a"), { at: 50 })],
        });
        const outgoing = await store.outbox.open();
        for (const nth of [0, 2])
          await done(store, {
            do: "outgoing",
            id: outgoing[nth]!.id,
            from: { state: "planned", attempt: 0 },
            to: { state: "shown", attempt: 1, ref: `${nth}` },
          });
        await done(store, { do: "prune", before: 50 });
        expect(await store.inbound.pending("telegram")).toEqual([rows[1]]);
        expect(await store.inbound.keep("telegram", [{ key: "1", raw: "old" }], 9)).toEqual([]);
        expect(await store.outbox.open()).toEqual([outgoing[1]]);
        expect(await store.outbox.shown(room("a"), "old", 0)).toMatchObject({
          ref: "0",
          piece: { body: null, plain: "" },
        });
        expect((await store.outbox.shown(room("a"), "new", 0))?.piece).toEqual(outgoing[2]?.piece);
        expect(await store.log.read("a")).toHaveLength(1);
      });

      it("A49: prune forgets when strangers were last answered, once that is long ago, and no other cursor", async () => {
        const { store } = await openOne();
        const cursor = (name: string, value: string): Change => ({ do: "cursor", name, value });
        await done(store, cursor("turned-away/telegram/5", "49"), cursor("turned-away/telegram/6", "50"));
        await done(store, cursor("turned-away", "1"), cursor("turned-aware/x", "1"), cursor("outbox", "1"));
        await done(store, { do: "prune", before: 50 });
        const names = ["turned-away/telegram/5", "turned-away/telegram/6", "turned-away", "turned-aware/x", "outbox"];
        const values = await Promise.all(names.map((name) => store.records.cursor(name)));
        expect(values).toEqual([undefined, "50", "1", "1", "1"]);
      });

      it("A52: move-room takes the standing of a group along, and leaves that of a person who has its id", async () => {
        const { store } = await openOne();
        const group = known("-1", { kind: "group", standing: "blocked" });
        const person = known("7");
        await done(store, { do: "know", known: group }, { do: "know", known: person });
        await done(store, { do: "move-room", platform: "slack", from: "-1", to: "-2" });
        await done(store, { do: "move-room", platform: "telegram", from: "7", to: "8" });
        expect(await store.records.known()).toEqual([group, person]);
        // The new chat may have been asked about already: what was decided about the old one holds.
        await done(store, { do: "know", known: known("-9", { kind: "group", standing: "asked" }) });
        await done(store, { do: "move-room", platform: "telegram", from: "-1", to: "-9" });
        expect(await store.records.known()).toEqual([{ ...group, id: "-9" }, person]);
      });

      it("move-room takes every key of the old chat and its threads along", async () => {
        const { store } = await openOne();
        await done(
          store,
          open("chat", 1, room("old")),
          open("thread", 1, room("old", "9")),
          open("neighbour", 1, room("old2")),
          open("other", 1, { ...room("old"), platform: "slack" }),
          say("chat", "hi", ["7"]),
          say("thread", "hi", ["8"]),
          say("neighbour", "hi", ["7"]),
          {
            do: "plan",
            rows: [
              show("chat", "a", room("old")),
              show("thread", "b", room("old", "9")),
              show("neighbour", "c", room("old2")),
            ],
          },
        );
        const [first] = await store.outbox.open();
        await done(store, {
          do: "outgoing",
          id: first!.id,
          from: { state: "planned", attempt: 0 },
          to: { state: "shown", attempt: 1, ref: "70" },
        });
        await done(store, { do: "move-room", platform: "telegram", from: "old", to: "new" });
        const current = async (where: ReturnType<typeof room>): Promise<string | undefined> =>
          (await store.conversations.current(where, SAM))?.id;
        expect(await current(room("new"))).toBe("chat");
        expect(await current(room("new", "9"))).toBe("thread");
        expect(await current(room("old"))).toBeUndefined();
        expect(await current(room("old2"))).toBe("neighbour");
        expect(await current({ ...room("old"), platform: "slack" })).toBe("other");
        expect((await store.conversations.get("thread"))?.room).toEqual(room("new", "9"));
        expect((await store.conversations.holding(room("new"), "7"))?.id).toBe("chat");
        expect((await store.conversations.holding(room("new"), "70"))?.id).toBe("chat");
        expect((await store.conversations.holding(room("new", "9"), "8"))?.id).toBe("thread");
        expect(await store.conversations.holding(room("old"), "7")).toBeUndefined();
        expect((await store.conversations.holding(room("old2"), "7"))?.id).toBe("neighbour");
        expect((await store.outbox.shown(room("new"), "a", 0))?.ref).toBe("70");
        expect((await store.outbox.open()).map((row) => row.room)).toEqual([room("new", "9"), room("old2")]);
      });

      it("move-room into a chat that is known already keeps the old chat's conversation as the current one", async () => {
        const { store } = await openOne();
        await done(
          store,
          open("mine", 1, room("old")),
          open("early", 2, room("new")),
          open("apart", 3, room("new", "9")),
          {
            do: "plan",
            rows: [show("mine", "1", room("old")), show("early", "2", room("new")), show("mine", "3", room("old"))],
          },
        );
        await done(store, { do: "move-room", platform: "telegram", from: "old", to: "new" });
        expect((await store.conversations.current(room("new"), SAM))?.id).toBe("mine");
        expect((await store.conversations.current(room("new", "9"), SAM))?.id).toBe("apart");
        expect((await store.conversations.list()).map(({ id }) => id)).toEqual(["apart", "early", "mine"]);
        // Rows of both keep the order in which they were planned.
        expect((await store.outbox.open()).map(({ key }) => key)).toEqual(["1", "2", "3"]);
      });
    });
  });
}

const ANA: Taint = { kind: "person", label: "Ana on Telegram", source: "telegram/2" };
const TRUSTED = { conversation: "a", mode: "trust" } as const;

function known(id: string, more: Partial<Known> = {}): Known {
  return { platform: "telegram", id, kind: "person", name: "Ana", standing: "guest", at: 1, ...more };
}

/** A follower that collects. `until` resolves with all so far once there are that many. It is stopped with the test. */
function follower(
  store: Store,
  after: number,
  signal: AbortSignal,
): { until(count: number): Promise<readonly PlacedEntry[]>; ended: Promise<void> } {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const seen: PlacedEntry[] = [];
  let grown = Promise.withResolvers<void>();
  const ended = (async () => {
    for await (const batch of store.log.follow(after, AbortSignal.any([signal, stop.signal]))) {
      seen.push(...batch);
      grown.resolve();
      grown = Promise.withResolvers();
    }
  })();
  return {
    async until(count) {
      while (seen.length < count) await grown.promise;
      return [...seen];
    },
    ended,
  };
}

/** Whatever the changes of the refusal test could have left a trace in. */
async function everything(
  store: Store,
  row: OutgoingRow,
  conversation = "a",
): Promise<Record<string, unknown> & { list: readonly { id: string }[] }> {
  return {
    list: await store.conversations.list({ archived: true }),
    current: await store.conversations.current(room(conversation), SAM),
    moved: await store.conversations.current(room("z"), SAM),
    unsettled: await store.conversations.unsettled(),
    log: await store.log.read(conversation),
    pending: await store.inbound.pending("telegram"),
    claim: await store.records.claim("card:2"),
    button: await store.records.button("key"),
    known: await store.records.known(),
    marks: await store.conversations.marks(conversation),
    session: await store.records.session(conversation, "demo"),
    cursor: await store.records.cursor("outbox"),
    open: await store.outbox.open(),
    shown: await store.outbox.shown(room(conversation), row.key, 0),
    counts: conversation === "a" ? await store.outbox.counts() : undefined,
    held: await store.conversations.holding(room(conversation), "9"),
  };
}
