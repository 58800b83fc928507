// Seeded histories of the whole gateway, and proof that what is checked of them can fail.
//
// One seed alone, with its trace: TIDEGATE_SEED=17 npx vitest run test/sim (TIDEGATE_DISK=1: over a file). More of them: TIDEGATE_DEEP=1.
import { describe, expect, test } from "vitest";
import { PLANTS } from "./plants.ts";
import { live, type WorldOptions } from "./world.ts";

const { TIDEGATE_SEED: one, TIDEGATE_DISK: onDisk, TIDEGATE_DEEP: deep } = process.env;
const SEEDS = deep === "1" ? 2000 : 50;
/** Every so many seeds are over a file, shorter, since each commit is one to a real disk. */
const DISK_EVERY = 5;
const DISK_ACTS = 12;
/** A planted fault must show in one of so many seeds. */
const PLANT_SEEDS = 60;
const LINES_SHOWN = 20;
const LINE_CHARS = 200;

function optionsOf(seed: number): WorldOptions {
  const disk = one === undefined ? seed % DISK_EVERY === 0 : onDisk === "1";
  return disk ? { seed, disk, acts: DISK_ACTS } : { seed };
}

/** Lives a seed, and says all that is needed to see its fault again. */
async function expectNoFault(seed: number): Promise<string> {
  const options = optionsOf(seed);
  const { faults, lines, digest } = await live(options);
  const again = `TIDEGATE_SEED=${seed}${options.disk === true ? " TIDEGATE_DISK=1" : ""} npx vitest run test/sim`;
  if (one !== undefined) process.stdout.write(`${lines.join("\n")}\n`);
  const tail = lines.slice(-LINES_SHOWN).map((line) => line.slice(0, LINE_CHARS));
  expect(faults, `seed ${seed} (its whole trace: ${again})\n…\n${tail.join("\n")}`).toEqual([]);
  return digest;
}

const seeds = one === undefined ? Array.from({ length: SEEDS }, (_, nth) => nth + 1) : [Number(one)];

describe("the simulated world", () => {
  test("D42, D3, D4, D12, D15, D18, D22, D24, D25: nothing is lost, run twice, answered twice or out of order, whatever fails and wherever it is killed", async () => {
    for (const seed of seeds) await expectNoFault(seed);
  });

  test.skipIf(one !== undefined)("D42: the same seed gives the same history", async () => {
    for (const seed of [1, 2, 3, 5, 8, 10])
      expect((await live(optionsOf(seed))).digest, `seed ${seed}`).toBe((await live(optionsOf(seed))).digest);
    expect((await live({ seed: 1 })).digest).not.toBe((await live({ seed: 2 })).digest);
  });

  describe.skipIf(one !== undefined)("a planted fault is seen", () => {
    test.each(Object.entries(PLANTS))("D42: %s", async (_, { rule, plant }) => {
      const seen = new Set<string>();
      for (let seed = 1; seed <= PLANT_SEEDS; seed += 1) {
        const { faults } = await live({ seed, plant });
        for (const fault of faults) seen.add(fault.split(":")[0] ?? "");
        if (seen.has(rule)) return;
      }
      expect([...seen]).toContain(rule);
    });
  });
});
