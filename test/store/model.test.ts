// Random transactions, all handed in at once, against a model that does them one by one.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { PlacedEntry } from "../../src/core/conversation.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Store } from "../../src/store/port.ts";
import { runs } from "../deep.ts";
import { byRoom, emptyModel, marksIn, transact, unsettledIn, waitingRows, without, type Model } from "./model.ts";
import { append, ended, notice, room, SAM, say, show, started, surroundings } from "./world.ts";

const conversation = fc.constantFrom("c0", "c1", "c2", "c3");
const where = fc.constantFrom(room("1"), room("2"), room("1", "9"), room("2", "9"));
const small = fc.nat(4);
const CLAIMS = 6;
const state = fc.constantFrom("planned", "attempting", "shown", "refused", "unknown");
const rows = fc.array(
  fc.tuple(conversation, small, where).map(([id, key, at]) => show(id, `k${key}`, at)),
  { maxLength: 3 },
);

const change: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: conversation.map((id) => notice(id, "x")), weight: 3 },
  { arbitrary: conversation.map((id) => say(id, "hi")), weight: 3 },
  fc
    .tuple(conversation, small, small, fc.boolean())
    .map(([id, turn, upTo, again]) => append(id, started(`t${turn}`, upTo * 2, again))),
  fc.tuple(conversation, small).map(([id, turn]) => append(id, ended(`t${turn}`))),
  fc
    .tuple(conversation, fc.constantFrom("person", "web"), fc.nat(2))
    .map(([id, kind, source]) => append(id, { kind: "marked", taint: { kind, label: "l", source: `${source}` } })),
  fc.tuple(conversation, fc.nat(3)).map(([id, count]): Change => ({ do: "expect-marks", conversation: id, count })),
  fc.tuple(conversation, fc.boolean()).map(([id, archived]): Change => ({ do: "archive", conversation: id, archived })),
  fc.tuple(fc.nat(CLAIMS), small).map(([key, by]): Change => ({ do: "claim", key: `${key}`, by: `${by}`, at: 1 })),
  fc.tuple(small, small).map(([name, value]): Change => ({ do: "cursor", name: `${name}`, value: `${value}` })),
  rows.map((planned): Change => ({ do: "plan", rows: planned })),
  {
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom("planned", "attempting"), state, fc.nat(1), rows)
      .map(([id, from, to, attempt, instead]): Change => ({
        do: "outgoing",
        id,
        from: { state: from, attempt },
        to: { state: to, attempt: attempt + 1 },
        instead,
      })),
    weight: 2,
  },
  fc
    .constantFrom(["1", "2"] as const, ["2", "1"] as const)
    .map(([from, to]): Change => ({ do: "move-room", platform: "telegram", from, to })),
);

/** Opens come with an id of their own each, so they are made while the list is gone through. */
type Step = {
  readonly changes: readonly Change[];
  readonly opens?: readonly [at: ReturnType<typeof room>, person: string];
  readonly deletes?: string;
};

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { arbitrary: fc.record({ changes: fc.array(change, { maxLength: 5 }) }), weight: 8 },
    {
      arbitrary: fc.record({
        changes: fc.array(change, { maxLength: 2 }),
        opens: fc.tuple(where, fc.constantFrom(SAM, "telegram/5")),
      }),
      weight: 2,
    },
    { arbitrary: conversation.map((deletes) => ({ changes: [], deletes })), weight: 1 },
  ),
  { maxLength: 40 },
);

it(
  "D7, D8, D9, D12, A27: any list of transactions does what a plain model of the store does",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        await using store = await openStore({ folder: ":memory:", ...surroundings });
        const followed: PlacedEntry[] = [];
        const stop = new AbortController();
        const following = (async () => {
          for await (const batch of store.log.follow(0, stop.signal)) followed.push(...batch);
        })();
        let model = emptyModel();
        const answers: Promise<unknown>[] = [];
        const expected: unknown[] = [];
        const written = new Map<string, number>();
        let opened = 0;
        for (const { changes, opens, deletes } of all) {
          if (deletes !== undefined) {
            answers.push(store.conversations.delete(deletes));
            expected.push([]);
            model = without(model, deletes);
            continue;
          }
          const id = `c${opened % 4}`;
          const fits = opens !== undefined && !model.conversations.some((one) => one.id === id);
          const list: readonly Change[] = fits
            ? [{ do: "open", id, room: opens[0], person: opens[1], title: id, at: opened }, ...changes]
            : changes;
          const { model: after, committed } = transact(model, list);
          answers.push(store.commit(list));
          expected.push(expect.objectContaining(committed));
          if (committed.ok) {
            opened += Number(fits);
            for (const one of list)
              if (one.do === "append") written.set(one.conversation, (written.get(one.conversation) ?? 0) + 1);
          }
          model = after;
        }
        expect(await Promise.all(answers)).toEqual(expected);
        await agree(store, model);
        // What the follower saw is in order, each once; what is still there it saw in full.
        stop.abort();
        await following;
        const places = followed.map(({ place }) => place);
        expect(places).toEqual([...new Set(places)].toSorted((a, b) => a - b));
        for (const { id, log } of model.conversations) {
          expect(
            followed.flatMap(({ entry }) => (entry.conversation === id ? [entry] : [])).slice(-log.length || Infinity),
          ).toEqual(log);
        }
      }),
      { numRuns: runs(150) },
    );
  },
);

async function agree(store: Store, model: Model): Promise<void> {
  const list = await store.conversations.list({ archived: true });
  expect(list.map(({ id }) => id).toSorted()).toEqual(model.conversations.map(({ id }) => id).toSorted());
  for (const { id, log, room: at, person, archived, current } of model.conversations) {
    expect(await store.log.read(id)).toEqual(log);
    expect(list.find((one) => one.id === id)).toMatchObject({ head: log.length, room: at, person, archived });
    expect((await store.conversations.current(at, person))?.id === id).toBe(current);
    expect(await store.conversations.state(id)).toEqual(unsettledIn(id, log));
    expect(await store.conversations.marks(id)).toEqual(marksIn(log));
  }
  const unsettled = model.conversations
    .map(({ id, log }) => unsettledIn(id, log))
    .filter(({ waiting, openTurn }) => waiting > 0 || openTurn !== undefined);
  const known = await store.conversations.unsettled();
  expect(known.toSorted(byName)).toEqual(unsettled.toSorted(byName));
  for (let key = 0; key <= CLAIMS; key += 1)
    expect(await store.records.claim(`${key}`)).toBe(model.claims[`${key}`]?.by);
  for (const [name, value] of Object.entries(model.cursors)) expect(await store.records.cursor(name)).toBe(value);
  expect(byRoom(await store.outbox.open())).toEqual(waitingRows(model));
  const count = (...states: readonly string[]): number => model.rows.filter((row) => states.includes(row.state)).length;
  expect(await store.outbox.counts()).toEqual({
    planned: count("planned", "attempting"),
    unknown: count("unknown"),
    refused: count("refused"),
  });
}

function byName(a: { readonly conversation: string }, b: { readonly conversation: string }): number {
  return a.conversation < b.conversation ? -1 : 1;
}
