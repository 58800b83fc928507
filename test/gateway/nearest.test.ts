import { expect, test } from "vitest";
import { nearest } from "../../src/gateway/nearest.ts";

test.each([
  ["tokn", ["token", "apiRoot"], "token"],
  ["stauts", ["start", "status"], "status"],
  ["Engine", ["engine"], "engine"],
  ["zzz", ["token", "apiRoot"], undefined],
  ["x", ["ab"], undefined],
  ["", ["token"], undefined],
] as const)("G19, G22: the nearest to %j of %j is %s", (typed, names, found) => {
  expect(nearest(typed, names)).toBe(found);
});
