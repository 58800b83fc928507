import { expect, test } from "vitest";
import { surely } from "../../src/gateway/surely.ts";
import { pass, stageSurroundings } from "./stage.ts";

test("G43: what fails is said once for each time and tried again until it succeeds", async () => {
  const surroundings = stageSurroundings();
  let tries = 0;
  const run = async (): Promise<void> => {
    tries += 1;
    if (tries < 3) throw new Error("the disk");
  };
  const done = surely(run, "it failed", surroundings, new AbortController().signal);
  await pass(surroundings.clock, 60_000);
  await done;
  expect(tries).toBe(3);
  expect(surroundings.notes).toHaveLength(2);
});

test("D43: what our own end cut off is no fault, and is not tried again", async () => {
  const surroundings = stageSurroundings();
  const over = new AbortController();
  let tries = 0;
  const run = async (): Promise<void> => {
    tries += 1;
    over.abort();
    throw new Error("cut off");
  };
  await surely(run, "it failed", surroundings, over.signal);
  expect(tries).toBe(1);
  expect(surroundings.notes).toEqual([]);
});
