// What the guard costs: one verdict, and finding a conversation's marks in a short log and in a very long one.
import { MODES, type Taint } from "../../src/core/taint.ts";
import type { Row } from "../../src/core/tool.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { judge, type Call, type Standing } from "../../src/taint/guard.ts";
import { TABLE } from "../../src/taint/table.ts";
import { steadyMs } from "./calls.ts";
import { ENTRIES_PER_EXCHANGE, talk } from "./fill.ts";

/** What was seen, in microseconds: medians over batches. */
export type AuthoritySeen = {
  readonly judgeUs: number;
  readonly marksShortUs: number;
  readonly marksLongUs: number;
  readonly ratio: number;
};

const BATCHES = 41;
const VERDICTS_PER_BATCH = 20_000;
const LOOKUPS_PER_BATCH = 500;
const SHORT_LOG = 100;
const LONG_LOG = 100_000;
const MARKS = 5;

/** Measures both in a store of its own in `folder`. */
export async function measureAuthority(folder: string): Promise<AuthoritySeen> {
  const judgeUs = median(inBatches(verdicts()));
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  await using store = await openStore({ folder, clock: realClock, random: realRandom, log: silent });
  const [short, long] = [await marked(store, 0, SHORT_LOG), await marked(store, 1, LONG_LOG)];
  const shorts: number[] = [];
  const longs: number[] = [];
  const ratios: number[] = [];
  // By turns, so that a machine that is busy for a while is busy for both.
  for (let batch = -1; batch < BATCHES; batch += 1) {
    const [one, other] = [await lookups(store, short), await lookups(store, long)];
    // The first is code that has run a few times only.
    if (batch < 0) continue;
    shorts.push(one);
    longs.push(other);
    ratios.push(other / one);
  }
  return { judgeUs, marksShortUs: median(shorts), marksLongUs: median(longs), ratio: median(ratios) };
}

/** The rows of the printed table: a name, what was seen, and the target. */
export function authorityRows(seen: AuthoritySeen): readonly (readonly [string, string, string])[] {
  const entries = (count: number): string => count.toLocaleString("en-US");
  return [
    ["one verdict of the guard, µs", seen.judgeUs.toFixed(2), "< 20"],
    [`a chat's marks, log of ${entries(SHORT_LOG)} entries, µs`, seen.marksShortUs.toFixed(1), ""],
    [`a chat's marks, log of ${entries(LONG_LOG)} entries, µs`, seen.marksLongUs.toFixed(1), ""],
    ["long log ÷ short log", seen.ratio.toFixed(2), "about 1"],
  ];
}

/** Every row of the table in every column and mode, marks with names and without. */
function verdicts(): readonly (readonly [Call, Standing])[] {
  const standings = [
    ...[0, 1, MARKS].flatMap((count): Omit<Standing, "mode">[] => {
      const marks = marksOf(count);
      const apps = marks.map((mark): Taint => ({ ...mark, kind: "app" }));
      return [
        { attendance: "owner", room: "private", marks, checkAfterReading: true },
        { attendance: "owner", room: "private", marks: apps, checkAfterReading: true },
        { attendance: "owner", room: "private", marks, checkAfterReading: false },
        { attendance: "owner", room: "shared", marks, checkAfterReading: true },
        { attendance: "guest", room: "private", marks, checkAfterReading: true },
        { attendance: "nobody", room: "private", marks, checkAfterReading: true },
      ];
    }),
    { attendance: "owner", room: "private", marks: undefined, checkAfterReading: true } as const,
  ];
  const calls = (Object.keys(TABLE) as Row[]).flatMap((row): Call[] => [
    { row, act: "The assistant wants to run a command." },
    {
      row,
      act: "The assistant wants to change files.",
      inside: true,
      changesFiles: true,
      carries: false,
      closed: "maybe",
    },
  ]);
  return standings.flatMap((standing) =>
    MODES.flatMap((mode) => calls.map((call): readonly [Call, Standing] => [call, { ...standing, mode }])),
  );
}

function inBatches(cases: readonly (readonly [Call, Standing])[]): readonly number[] {
  const took: number[] = [];
  let allowed = 0;
  for (let batch = -1; batch < BATCHES; batch += 1) {
    const from = steadyMs();
    for (let nth = 0; nth < VERDICTS_PER_BATCH; nth += 1) {
      const [call, standing] = cases[nth % cases.length] ?? [];
      if (call !== undefined && standing !== undefined && judge(call, standing).is === "allow") allowed += 1;
    }
    if (batch >= 0) took.push(((steadyMs() - from) / VERDICTS_PER_BATCH) * 1000);
  }
  if (allowed === 0) throw new Error("no call was allowed: this measures nothing");
  return took;
}

async function marked(store: Store, nth: number, entries: number): Promise<string> {
  const { id, changes } = talk(nth, entries / ENTRIES_PER_EXCHANGE, realClock.now());
  const at = realClock.now();
  await store.commit([
    ...changes,
    ...marksOf(MARKS).map(
      (taint) => ({ do: "append", conversation: id, at, body: { kind: "marked", taint } }) as const,
    ),
  ]);
  return id;
}

async function lookups(store: Store, conversation: string): Promise<number> {
  const from = steadyMs();
  for (let nth = 0; nth < LOOKUPS_PER_BATCH; nth += 1) await store.conversations.marks(conversation);
  return ((steadyMs() - from) / LOOKUPS_PER_BATCH) * 1000;
}

function marksOf(count: number): readonly Taint[] {
  return Array.from({ length: count }, (_, nth) => ({
    kind: "person",
    label: `Person ${nth} on Telegram`,
    source: `telegram/${nth}`,
  }));
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
