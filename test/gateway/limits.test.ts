// How many answers guests get.
import { expect, test } from "vitest";
import { Limits, type Taken } from "../../src/gateway/limits.ts";
import { DAY, doorstep, HOUR, MINUTE } from "./doorstep.ts";

const ANA = { guest: "telegram/1" };
const inGroup = (guest: string): { guest: string; group: string } => ({
  guest: `telegram/${guest}`,
  group: "telegram/-100",
});
const word = (taken: Taken): string => (taken.is === "ok" ? "ok" : taken.tell ? "told" : "silent");

test("A50: an hour's answers are given, then the limit is said once; the first is free an hour after it was taken", async () => {
  await using here = await doorstep();
  const limits = new Limits(here.store, { hourly: 3, daily: 60 }, here.surroundings.clock);
  const take = async (): Promise<string> => word(await limits.take(ANA));
  expect([await take(), await take()]).toEqual(["ok", "ok"]);
  here.wait(30 * MINUTE);
  expect([await take(), await take(), await take(), await take()]).toEqual(["ok", "told", "silent", "silent"]);
  expect(word(await limits.take({ guest: "telegram/2" }))).toBe("ok");
  here.wait(30 * MINUTE - 1);
  expect(await take()).toBe("silent");
  here.wait(1);
  expect([await take(), await take(), await take(), await take()]).toEqual(["ok", "ok", "told", "silent"]);
});

test("A50: a day's answers are given, then the limit is said once", async () => {
  await using here = await doorstep();
  const limits = new Limits(here.store, { hourly: 2, daily: 4 }, here.surroundings.clock);
  const said: string[] = [];
  for (let hour = 0; hour < 26; hour += 1) {
    said.push(word(await limits.take(ANA)));
    here.wait(HOUR);
  }
  expect(said).toEqual([...Array<string>(4).fill("ok"), "told", ...Array<string>(19).fill("silent"), "ok", "ok"]);
});

test("A50: in a group the group's answers count too, whoever asks; who has none left there has none alone either", async () => {
  await using here = await doorstep();
  const limits = new Limits(here.store, { hourly: 2, daily: 60 }, here.surroundings.clock);
  expect(word(await limits.take(inGroup("1")))).toBe("ok");
  expect(word(await limits.take(inGroup("2")))).toBe("ok");
  // Said once in the group, not once to each.
  expect([word(await limits.take(inGroup("3"))), word(await limits.take(inGroup("4")))]).toEqual(["told", "silent"]);
  // What was refused counts for nobody.
  expect([word(await limits.take({ guest: "telegram/3" })), word(await limits.take({ guest: "telegram/3" }))]).toEqual([
    "ok",
    "ok",
  ]);
  expect([word(await limits.take(ANA)), word(await limits.take(ANA))]).toEqual(["ok", "told"]);
});

test("A50: of two at once one takes the last", async () => {
  await using here = await doorstep();
  const limits = new Limits(here.store, { hourly: 3, daily: 60 }, here.surroundings.clock);
  const five = await Promise.all(Array.from({ length: 5 }, async () => word(await limits.take(ANA))));
  expect(five).toEqual(["ok", "ok", "ok", "told", "silent"]);
});

test("A50: what was committed counts after a restart, that it was said included", async () => {
  await using here = await doorstep();
  const rules = { hourly: 2, daily: 60 };
  const take = async (limits: Limits): Promise<string> => {
    const taken = await limits.take(inGroup("1"));
    if (taken.changes.length > 0) await here.store.commit(taken.changes);
    return word(taken);
  };
  const first = new Limits(here.store, rules, here.surroundings.clock);
  expect([await take(first), await take(first)]).toEqual(["ok", "ok"]);
  expect(await take(new Limits(here.store, rules, here.surroundings.clock))).toBe("told");
  expect(await take(new Limits(here.store, rules, here.surroundings.clock))).toBe("silent");
  here.wait(HOUR);
  expect(await take(new Limits(here.store, rules, here.surroundings.clock))).toBe("ok");
  // What is kept is no more than counts.
  here.wait(DAY);
  const last = new Limits(here.store, rules, here.surroundings.clock);
  await take(last);
  expect(JSON.parse((await here.store.records.cursor("limit/telegram/1")) ?? "")).toEqual({
    times: [here.now()],
    said: false,
  });
});

test("A50: a crash before the message is committed counts nothing: it comes again", async () => {
  await using here = await doorstep();
  const rules = { hourly: 1, daily: 1 };
  expect(word(await new Limits(here.store, rules, here.surroundings.clock).take(ANA))).toBe("ok");
  expect(word(await new Limits(here.store, rules, here.surroundings.clock).take(ANA))).toBe("ok");
});

test.each([
  { hourly: 0, daily: 60 },
  { hourly: 20, daily: 0 },
])("A50: 0 means none: %j", async (rules) => {
  await using here = await doorstep();
  const limits = new Limits(here.store, rules, here.surroundings.clock);
  expect([word(await limits.take(ANA)), word(await limits.take(ANA))]).toEqual(["told", "silent"]);
  here.wait(2 * DAY);
  expect(word(await limits.take(ANA))).toBe("silent");
});
