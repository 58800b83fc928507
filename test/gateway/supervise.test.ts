// Supervising one channel over a store that fails.
import { expect, test } from "vitest";
import type { Channel, RawUpdate, Since } from "../../src/core/channel.ts";
import { supervise, type ChannelState } from "../../src/gateway/supervise.ts";
import type { InboundRow, Store } from "../../src/store/port.ts";
import { LIMITS, stage } from "./stage.ts";

test("D4, D29: what was stored and not done is taken up, once and first, though reading it fails at the first try", async () => {
  const { store, surroundings, pass } = await stage();
  const { clock } = surroundings;
  const keeping = store.inbound.keep("stage", [{ key: "1", raw: "left from last time" }], clock.now());
  await pass(0);
  await keeping;

  let reads = 0;
  const failing: Store = {
    ...store,
    inbound: {
      keep: async (...what) => await store.inbound.keep(...what),
      pending: async (channel) => {
        reads += 1;
        if (reads === 1) throw new Error("the disk does not answer");
        return await store.inbound.pending(channel);
      },
    },
  };
  const batches: RawUpdate[][] = [[], [{ key: "2", raw: "new" }], [{ key: "3", raw: "newer" }]];
  const channel: Channel = {
    name: "stage",
    limits: LIMITS,
    async *inbound(signal) {
      // Given again until it was taken: the platform was told of nothing.
      for (let batch = batches[0]; batch !== undefined; batch = batches[0]) {
        yield batch;
        batches.shift();
      }
      await clock.sleep(3_600_000, signal).catch(() => undefined);
    },
    read: () => ({ kind: "ignored", because: "not asked here" }),
    fetch: async () => undefined,
    invite: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const taken: InboundRow[] = [];
  const state: ChannelState = { name: "stage", state: "connecting", since: clock.now() };
  const over = new AbortController();
  const supervised = supervise(
    channel,
    state,
    {
      store: failing,
      take: (rows) => taken.push(...rows),
      answered: async () => undefined,
      left: async () => undefined,
      connected: async () => undefined,
      surroundings,
    },
    over.signal,
  );
  await pass(60_000);
  expect(taken.map(({ raw }) => raw)).toEqual(["left from last time", "new", "newer"]);
  expect(reads).toBe(2);
  expect(state.state).toBe("connected");
  over.abort();
  await pass(0);
  await supervised;
});

test("T47: how far each place was heard is kept with what was heard, and handed back to the channel", async () => {
  const { store, surroundings, pass } = await stage();
  const { clock } = surroundings;
  const given: Since[] = [];
  const at = (place: string, upTo: string): RawUpdate => ({
    key: `${place}/${upTo}`,
    raw: "x",
    mark: { place, at: upTo },
  });
  const channel: Channel = {
    name: "stage",
    limits: LIMITS,
    async *inbound(_signal, since) {
      given.push(since);
      yield [];
      if (given.length === 1) yield [at("D1", "1"), at("D2", "1"), at("D1", "2"), { key: "press", raw: "y" }];
      if (given.length < 3) throw new Error("cut");
      yield [];
    },
    read: () => ({ kind: "ignored", because: "not asked here" }),
    fetch: async () => undefined,
    invite: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
  const other = store.commit([{ do: "cursor", name: "mark/other/D9", value: "9" }]);
  await pass(0);
  await other;
  const state: ChannelState = { name: "stage", state: "connecting", since: clock.now() };
  const supervised = supervise(
    channel,
    state,
    {
      store,
      take: () => undefined,
      answered: async () => undefined,
      left: async () => undefined,
      connected: async () => undefined,
      surroundings,
    },
    new AbortController().signal,
  );
  await pass(60_000);
  await supervised;
  const marks = new Map([
    ["D1", "2"],
    ["D2", "1"],
  ]);
  const heardAt = expect.any(Number) as number;
  expect(given).toEqual([{ marks: new Map() }, { marks, heardAt }, { marks, heardAt }]);
});

/** A channel that gives these lines one by one, and then ends. */
function pipe(lines: readonly string[], given: string[], joins = false): Channel {
  return {
    name: "stage",
    limits: { ...LIMITS, joins },
    async *inbound() {
      yield [];
      for (const line of lines) {
        given.push(line);
        yield [{ key: line, raw: line }];
      }
    },
    read: () => ({ kind: "ignored", because: "not asked here" }),
    fetch: async () => undefined,
    invite: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

test("G36: on a pipe the next line is taken when it is a person's turn, and its end waits for what is left", async () => {
  const { store, surroundings, pass } = await stage();
  const given: string[] = [];
  const turns: PromiseWithResolvers<void>[] = [];
  const left = Promise.withResolvers<void>();
  let over = false;
  const state: ChannelState = { name: "stage", state: "connecting", since: 0 };
  const supervised = supervise(
    pipe(["one", "two"], given),
    state,
    {
      store,
      take: () => undefined,
      answered: async () => {
        const turn = Promise.withResolvers<void>();
        turns.push(turn);
        await turn.promise;
      },
      left: async () => await left.promise,
      connected: async () => undefined,
      surroundings,
    },
    new AbortController().signal,
  ).then(() => (over = true));
  await pass(1000);
  // The first batch is empty, and waited for like any other: rows of the last start may be under way.
  expect({ given: [...given], waits: turns.length }).toEqual({ given: [], waits: 1 });
  turns[0]?.resolve();
  await pass(1000);
  expect({ given: [...given], waits: turns.length }).toEqual({ given: ["one"], waits: 2 });
  turns[1]?.resolve();
  await pass(1000);
  expect(given).toEqual(["one", "two"]);
  turns[2]?.resolve();
  await pass(1000);
  expect([state.state, over]).toEqual(["ended", false]);
  left.resolve();
  await supervised;
});

test("G36, D33: the gateway's own end waits for nobody", async () => {
  const { store, surroundings, pass } = await stage();
  const over = new AbortController();
  const never = async (): Promise<void> => await new Promise(() => undefined);
  const parts = {
    store,
    take: () => undefined,
    answered: never,
    left: never,
    connected: async () => undefined,
    surroundings,
  };
  const first: ChannelState = { name: "stage", state: "connecting", since: 0 };
  const second: ChannelState = { name: "stage", state: "connecting", since: 0 };
  const waiting = supervise(pipe(["one"], []), first, parts, over.signal);
  // Nothing waits line by line on a keyboard: it has ended, and what is left is waited for.
  const ended = supervise(pipe(["one"], [], true), second, parts, over.signal);
  await pass(1000);
  expect([first.state, second.state]).toEqual(["connected", "ended"]);
  over.abort();
  await pass(0);
  await Promise.all([waiting, ended]);
});
