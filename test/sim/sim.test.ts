// Seeded histories of the whole gateway, and proof that what is checked of them can fail.
//
// One seed alone, with its trace: TIDEGATE_SEED=17 npx vitest run test/sim (TIDEGATE_DISK=1: over a file). More of them: TIDEGATE_DEEP=1.
import { beforeAll, describe, expect, test } from "vitest";
import { PLANTS } from "./plants.ts";
import { live, type WorldOptions } from "./world.ts";

const { TIDEGATE_SEED: one, TIDEGATE_DISK: onDisk, TIDEGATE_DEEP: deep } = process.env;
const SEEDS = one === undefined ? Array.from({ length: deep === "1" ? 2000 : 50 }, (_, nth) => nth + 1) : [Number(one)];
const TIME_LIMIT_MS = deep === "1" ? 900_000 : 60_000;
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

/** What was found wrong, each with its seed and the way to see it again. */
const found: { readonly fault: string; readonly where: string }[] = [];
let messages = 0;
let lives = 0;

beforeAll(async () => {
  for (const seed of SEEDS) {
    const options = optionsOf(seed);
    const history = await live(options);
    messages += history.messages;
    lives += history.lives;
    if (one !== undefined) process.stdout.write(`${history.lines.join("\n")}\n`);
    const tail = history.lines.slice(-LINES_SHOWN).map((line) => line.slice(0, LINE_CHARS));
    const again = `TIDEGATE_SEED=${seed}${options.disk === true ? " TIDEGATE_DISK=1" : ""} npx vitest run test/sim`;
    const where = `seed ${seed}, its whole trace: ${again}\n…\n${tail.join("\n")}`;
    for (const fault of history.faults) found.push({ fault, where });
  }
}, TIME_LIMIT_MS);

/** What is said of a fault: which it is, and of the first one also how to see it again. */
function told(faults: typeof found): readonly string[] {
  return faults.map(({ fault, where }, nth) => (nth === 0 ? `${fault}\n${where}` : fault));
}

/** No history broke any of these rules. */
function expectKept(...rules: readonly string[]): void {
  expect(told(found.filter(({ fault }) => rules.some((rule) => fault.startsWith(`${rule}:`))))).toEqual([]);
}

describe("in no history of the simulated world, whatever fails and wherever the gateway is killed", () => {
  test("D42: is anything amiss at all", () => {
    expect(told(found)).toEqual([]);
    expect(messages).toBeGreaterThan(SEEDS.length);
    if (one === undefined) expect(lives).toBeGreaterThan(2 * SEEDS.length);
  });

  test("D2, D3, D4: is an accepted message lost or taken in twice", () => {
    expectKept(
      "a message is taken in once",
      "an update has its effect once",
      "a command is carried out once",
      "messages stand in the order they were written",
      "nothing is left over",
    );
  });

  test("D7: has a log a gap, or loses what was committed", () => {
    expectKept("a log is whole", "what was kept stays in its log");
  });

  test("D9, D10: is a choice taken twice, or a press left without an answer", () => {
    expectKept("a choice has one winner", "a press is answered");
  });

  test("D11, D12, D13: is an entry planned twice, a row's fate changed, or an attempt made before it is noted", () => {
    expectKept(
      "a message is planned once",
      "a row is planned, attempted, then over",
      "an attempt is noted before it is made",
    );
  });

  test("D14, D15, D18: is an answer not shown, shown twice without a mark, or sent before the platform's wait is over", () => {
    expectKept("what stands in the log is seen", "nothing is shown twice unmarked", "the platform's wait is kept");
  });

  test("D22, G42: does anything overtake an answer, or a draft come after it", () => {
    expectKept("answers are seen in the order of the log", "no draft comes after its answer");
  });

  test("D24, D25: does a turn that may have acted run again, or any a third time", () => {
    expectKept("an engine is asked once, or once more after a crash");
  });

  test("D26, A37, A40: is an approval left open, or answered twice", () => {
    expectKept("an approval is answered once");
  });

  test("O37, O39, O43: is a question left open, or answered twice", () => {
    expectKept("a question is answered once", "a message is taken in once");
  });

  test("O24, O27, O32: is a request carried on that nobody took, twice or never", () => {
    expectKept("what is carried on was taken, and goes on once", "every message is answered by one turn");
  });

  test("O53, O54: does anything stand open behind what is newer, or show buttons that are over", () => {
    expectKept("what stands open is the newest there", "what can be pressed is what stands");
  });

  test("O57, O58: does a turn end with its plan unfolded, or folded twice", () => {
    expectKept("a plan is folded once, at its turn's end");
  });

  test("A10, A38, A39: does what acts run without the owner's answer, twice on one, or on one that stood for another call", () => {
    expectKept("an act runs only with the owner's leave");
  });

  test("A16, A17, A23: does a forward or a group come in before its mark", () => {
    expectKept("someone else's words are marked before they come in");
  });

  test("A50, A51: does an engine with tools of its own run where others read along, or keep silent there", () => {
    expectKept("an engine with tools of its own is the owner's alone", "where an engine may not answer, that is said");
  });

  test("D43: does an orderly end not come", () => {
    expect(told(found.filter(({ fault }) => /stop when told|be stopped/.test(fault)))).toEqual([]);
  });

  test("G4, G6, G39: is a message answered by two turns or none, or a turn without one end", () => {
    expectKept("every message is answered by one turn");
  });

  test("G8, G9: is a turn asked a wording that had changed before it, or started by an edit", () => {
    expectKept(
      "a turn is asked the wording of its start",
      "the last wording is kept",
      "every message is answered by one turn",
    );
  });

  test("G11, G12: is a new chat told what was said before it, or a chat replaced unasked", () => {
    expectKept("a new chat knows nothing of the one before", "no chat takes another's place unasked");
  });

  test("G13: does a stopped turn go on", () => {
    expectKept("stop stops");
  });

  test("G21: does a stranger meet anything but silence", () => {
    expectKept("a stranger meets silence");
  });
});

test(
  "D42: the same seed gives the same history",
  async () => {
    for (const seed of [1, 2, 3, 5, 8, 10]) {
      const first = await live(optionsOf(seed));
      const second = await live(optionsOf(seed));
      expect({ seed, digest: second.digest }).toEqual({ seed, digest: first.digest });
    }
    const [here, there] = [await live({ seed: 1 }), await live({ seed: 2 })];
    expect(here.digest).not.toBe(there.digest);
  },
  TIME_LIMIT_MS,
);

describe("a planted fault is seen", () => {
  test.each(Object.entries(PLANTS))(
    "D42: %s",
    async (_, { rule, plant }) => {
      const seen = new Set<string>();
      for (let seed = 1; seed <= PLANT_SEEDS && !seen.has(rule); seed += 1) {
        const { faults } = await live({ seed, plant });
        for (const fault of faults) seen.add(fault.split(":")[0] ?? "");
      }
      expect([...seen]).toContain(rule);
    },
    TIME_LIMIT_MS,
  );
});
