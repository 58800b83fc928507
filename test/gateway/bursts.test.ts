import { expect, test } from "vitest";
import { Seat } from "../../src/gateway/bursts.ts";
import { VirtualClock } from "../sim/clock.ts";
import { pass } from "./stage.ts";

function seat(clock: VirtualClock): {
  readonly seat: Seat<string>;
  readonly delivered: string[];
  readonly idle: () => number;
} {
  const delivered: string[] = [];
  let idle = 0;
  const made = new Seat<string>(
    clock,
    async (items) => void delivered.push(items.join("+")),
    () => (idle += 1),
  );
  return { seat: made, delivered, idle: () => idle };
}

const say = (item: string, waitMs = 300): { readonly item: string; readonly id: string; readonly waitMs: number } => ({
  item,
  id: item,
  waitMs,
});

test("G1: messages that follow each other within the wait are one, each wait starting anew", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered } = seat(clock);
  for (const item of ["a", "b", "c"]) {
    one.join(say(item));
    await pass(clock, 250);
  }
  expect(delivered).toEqual([]);
  await pass(clock, 100);
  one.join(say("d"));
  await pass(clock, 400);
  expect(delivered).toEqual(["a+b+c", "d"]);
});

test("G1: without a wait nothing is joined", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered } = seat(clock);
  one.join(say("a", 0));
  one.join(say("b", 0));
  await pass(clock, 0);
  expect(delivered).toEqual(["a", "b"]);
});

test("G2: a piece that looks cut waits a second for its rest, and the rest ends the wait", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered } = seat(clock);
  one.join(say("cut", 1000));
  await pass(clock, 900);
  one.join(say("rest", 0));
  await pass(clock, 0);
  expect(delivered).toEqual(["cut+rest"]);
});

test("G1: someone who never pauses is answered all the same", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered } = seat(clock);
  for (let n = 0; n < 60; n += 1) {
    one.join(say(`${n}`));
    await pass(clock, 200);
  }
  expect(delivered.length).toBeGreaterThan(1);
});

test("G3: a task waits for the burst before it, and what comes after it is a burst of its own", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered, idle } = seat(clock);
  one.join(say("a"));
  one.inOrder(async () => void delivered.push("/new"));
  one.join(say("b"));
  await pass(clock, 1000);
  expect(delivered).toEqual(["a", "/new", "b"]);
  expect(idle()).toBeGreaterThan(0);
});

test("G8: what still waits can be replaced, what is delivered can't", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered } = seat(clock);
  one.join(say("a"));
  expect(one.replace("a", () => "edited")).toBe(true);
  await pass(clock, 1000);
  expect(one.replace("a", () => "again")).toBe(false);
  expect(delivered).toEqual(["edited"]);
});

test("T48: what waits can be taken out; the rest goes on, and a burst of nothing is none", async () => {
  const clock = new VirtualClock();
  const { seat: one, delivered, idle } = seat(clock);
  for (const item of ["a", "b", "c"]) one.join(say(item));
  expect(one.withdraw("b")).toBe("b");
  expect(one.withdraw("b")).toBeUndefined();
  await pass(clock, 400);
  expect(delivered).toEqual(["a+c"]);
  expect(one.withdraw("a")).toBeUndefined();
  one.join(say("d"));
  expect(one.withdraw("d")).toBe("d");
  await pass(clock, 400);
  expect(delivered).toEqual(["a+c"]);
  expect(idle()).toBe(2);
});
