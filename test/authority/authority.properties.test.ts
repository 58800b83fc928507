// The properties of authority, over generated histories of the whole gateway with a model that is an enemy.
//
// Every plot is lived four times by the real gateway over the real store, in the payloads of Telegram, Slack or Discord: as it is, with
// other secrets, with other words of everyone else's, and with those words worded otherwise. TIDEGATE_SEED=17 repeats a seed;
// TIDEGATE_LIVES=1000000 lives that many histories, which takes hours.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, test } from "vitest";
import type { Report } from "./check.ts";
import { DEEP } from "../deep.ts";
import { PLANTS } from "./plants.ts";
import { RARE } from "./rare.ts";
import type { Share, Told } from "./share.ts";

const { TIDEGATE_SEED: given, TIDEGATE_LIVES: wanted } = process.env;
const SEED = given === undefined ? 20_260 : Number(given);
const VERSIONS = 4;
/** As many as the whole check has time for; a world with apps and cards in it takes long to live. */
const LIVES = wanted === undefined ? (DEEP ? 12_000 : 1_200) : Number(wanted);
const SHARES = DEEP ? availableParallelism() : 2;
const PLANT_PLOTS = 800;
const TIME_LIMIT_MS = DEEP || wanted !== undefined ? 36_000_000 : 600_000;

async function ask(share: Share): Promise<Told> {
  const worker = new Worker(new URL("share.ts", import.meta.url), { workerData: share });
  return await new Promise<Told>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

let reports: readonly Report[] = [];
const branches = new Map<string, number>();

beforeAll(async () => {
  const plots = Math.ceil(LIVES / VERSIONS / SHARES);
  const told = await Promise.all(
    Array.from({ length: SHARES }, async (_, nth) => {
      const first = RARE.filter((_plot, at) => at % SHARES === nth);
      return await ask({ seed: SEED + nth, plots, first });
    }),
  );
  reports = told.flatMap((one) => Object.values(one));
  for (const report of reports)
    for (const [branch, count] of Object.entries(report.branches))
      branches.set(branch, (branches.get(branch) ?? 0) + count);
  const all = plots * SHARES + RARE.length;
  const lines = [...branches]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([branch, count]) => `${((100 * count) / all).toFixed(1).padStart(6)} % ${branch}`);
  process.stdout.write(`seed ${SEED}: of ${all} plots these had at least once:\n${lines.join("\n")}\n`);
}, TIME_LIMIT_MS);

/** No plot broke any of these rules. */
function expectKept(...rules: readonly string[]): void {
  const broken = reports.flatMap(({ broken }) => (broken === undefined ? [] : [broken]));
  expect(broken.filter(({ rule }) => rules.some((one) => rule.startsWith(one)))).toEqual([]);
}

describe("in no history, whoever says what and whatever the model does", () => {
  test("A55: is a turn with others' words, or without the owner, given anything of another chat", () => {
    expectKept("A55");
  });
  test("A56: can anyone but the owner tell what they could not see", () => {
    expectKept("A56");
  });
  test("A57, A10, A11, A38: does an act that nobody pressed for depend on others' words", () => {
    expectKept("A57", "A10", "A11", "A38");
  });
  test("A34: does a verdict depend on wording", () => {
    expectKept("A34");
  });
  test("A58, A16, A17, A23, A28: is a mark missing, late or lost", () => {
    expectKept("A58", "A16", "A17", "A23", "A24", "A26");
  });
  test("P14, P16, A14, A15: is there a look at other chats where there may be none", () => {
    expectKept("P14", "P16", "A14", "A51");
  });
  test("T45, T51, A23: is anything read that nobody meant, on any platform", () => {
    expectKept("T45", "T50");
  });
  test("O16, O17, O52, O54, O66: is anything offered or suggested where others' words are, or others", () => {
    expectKept("O11", "O16", "O17", "O52");
  });
  test("O21, O27, O47, O64, O67: does anything go on that the owner has not typed and pressed for", () => {
    expectKept("O21", "O27", "O47", "O64");
  });
  test("O39: is a question answered by anyone but the one who was asked", () => {
    expectKept("O39");
  });
  test("A55, A58: is anything else amiss", () => {
    expect(reports.flatMap(({ broken }) => broken ?? [])).toEqual([]);
    expect(reports.reduce((sum, { lives }) => sum + lives, 0)).toBeGreaterThanOrEqual(LIVES);
  });
});

/** What the histories must have come by, lest they prove nothing. */
const BRANCHES: readonly string[] = [
  ...["clean", "marked"].flatMap((column) => [`history in ${column}: allow`, `app-act in ${column}: ask`]),
  "app-act in clean: allow",
  "app-act in clean: deny",
  "app-read in marked: allow",
  "app-read in marked: ask",
  "app-read in person: allow",
  "app-read in person: ask",
  "app-act in person: ask",
  "engine-act in clean: allow",
  "engine-act in clean: ask",
  "engine-act in marked: ask",
  "engine-act in person: ask",
  "engine-read in clean: allow",
  "engine-read in person: allow",
  "engine-read in person: ask",
  "history in person: deny",
  ...["shared", "guest", "nobody"].flatMap((column) =>
    ["history", "app-read", "app-act", "engine-act"].map((row) => `${row} in ${column}: deny`),
  ),
  "quote here",
  "quote elsewhere",
  "quote elsewhere, left out",
  "quote unknown",
  "a message brought someone else's words",
  "a edited brought someone else's words",
  "a forward in the middle of a turn",
  "a result withheld",
  "approval once",
  "approval always",
  "approval no",
  "approval expired",
  "approval stopped",
  "a restart in the middle of a turn",
  "a turn begun again after a restart",
  "someone else presses the owner's button",
  "a message was taken back",
  "asked about own",
  "asked about ours",
  "asked about stranger",
  "what was written into a form went on as the owner's",
  ...["clean", "marked", "person", "shared", "guest"].flatMap((column) => [
    `ask in ${column}: allow`,
    `offer in ${column}: ${column === "clean" ? "allow" : "deny"}`,
    `suggest in ${column}: ${column === "clean" ? "allow" : "deny"}`,
  ]),
  ...["clean", "marked", "person"].map((column) => `skill in ${column}: allow`),
  ...["shared", "guest"].map((column) => `skill in ${column}: deny`),
  "the owner's turn knows what can be turned on",
  "an offer by assistant",
  "an offer by cue",
  "an offer by cue in a marked chat",
  ...["offer", "question", "chip"].flatMap((card) => [`the owner presses: ${card}`, `someone else presses: ${card}`]),
  "something was turned on",
  "a request was carried on",
  "a reply was sent by a press",
  "a question was answered by a press",
  "a question was answered by words",
  "a question was answered by words of a guest",
  "a question was answered skipped",
];

test("A55, A57: the histories come by every kind of turn, call, quote and answer", () => {
  expect(BRANCHES.filter((branch) => (branches.get(branch) ?? 0) === 0)).toEqual([]);
});

describe("a planted fault is caught", () => {
  let told: Told = {};
  beforeAll(async () => {
    const names = Object.keys(PLANTS);
    const halves = [0, 1].map((half) => names.filter((_, nth) => nth % 2 === half));
    const all = await Promise.all(halves.map(async (plants) => await ask({ seed: SEED, plots: PLANT_PLOTS, plants })));
    told = Object.assign({}, ...all) as Told;
  }, TIME_LIMIT_MS);
  test.each(Object.entries(PLANTS))("A59: %s", (name, { rules }) => {
    const rule = told[name]?.broken?.rule ?? "nothing";
    expect(
      rules.some((one) => rule.startsWith(one)),
      `what was caught: ${rule}`,
    ).toBe(true);
  });
});
