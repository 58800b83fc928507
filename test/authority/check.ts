// What must hold of a plot, whichever words it has: within each history, and between two that differ in words alone.
import fc from "fast-check";
import { PLOTS } from "./plots.ts";
import { BASE, type Plot, type Version } from "./steps.ts";
import { live, type Lived, type Plant } from "./world.ts";

/** What came of many plots. */
export type Report = {
  readonly lives: number;
  readonly branches: Readonly<Record<string, number>>;
  /** Which rule was broken, and the shortest plot that breaks it. */
  readonly broken?: { readonly rule: string; readonly plot: string };
};

const OTHER_SECRETS: Version = { ...BASE, secrets: 1 };
const OTHER_OUTSIDE: Version = { ...BASE, outside: 1 };
const OTHER_WORDING: Version = { ...BASE, wording: 1 };

/** Lives a plot in its four versions; gives the first rule that is broken. */
export async function broken(plot: Plot, count: (branch: string) => void, plant?: Plant): Promise<string | undefined> {
  const base = await live(plot, BASE, count, plant);
  if (base.faults[0] !== undefined) return base.faults[0];
  const versions = [
    [OTHER_SECRETS, "A56: someone else can tell what the owner said elsewhere", (one: Lived) => one.sights],
    [OTHER_OUTSIDE, "A57: an act that nobody pressed for depends on someone else's words", unpressed],
    [OTHER_WORDING, "A34: a verdict depends on the wording", (one: Lived) => one.verdicts],
  ] as const;
  for (const [version, rule, seen] of versions) {
    const other = await live(plot, version, count, plant);
    if (other.faults[0] !== undefined) return other.faults[0];
    const difference = firstDifference(seen(base), seen(other));
    if (difference !== undefined) return `${rule}: ${difference}`;
  }
  return undefined;
}

/** By conversation: what happens elsewhere meanwhile may take another while. */
function unpressed({ acts }: Lived): readonly string[] {
  const lines = acts.filter(({ pressed }) => !pressed).map(({ conversation, what }) => ({ conversation, what }));
  return Object.entries(Object.groupBy(lines, ({ conversation }) => conversation))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, list]) => (list ?? []).map(({ what }) => `${name}: ${what}`));
}

function firstDifference(one: readonly string[], other: readonly string[]): string | undefined {
  const at = Array.from({ length: Math.max(one.length, other.length) }, (_, nth) => nth).find(
    (nth) => one[nth] !== other[nth],
  );
  return at === undefined ? undefined : `${JSON.stringify(one[at])} and ${JSON.stringify(other[at])}`;
}

/** What a report is of, beside what is drawn: a fault planted, all of it `on` one platform, and plots that come before. */
export type Asked = {
  readonly plant?: Plant | undefined;
  readonly on?: Plot["tongue"] | undefined;
  readonly first?: readonly Plot[] | undefined;
};

/** Lives as many plots as asked for, or up to the first that breaks a rule. */
export async function report(seed: number, plots: number, { plant, on, first = [] }: Asked = {}): Promise<Report> {
  const branches: Record<string, number> = {};
  let lives = 0;
  let last = "";
  const count = (branch: string): void => void (branches[branch] = (branches[branch] ?? 0) + 1);
  const drawn = on === undefined ? PLOTS : PLOTS.map((plot) => ({ ...plot, tongue: on }));
  const property = fc.asyncProperty(drawn, async (plot) => {
    lives += 4;
    // Each branch counts once a plot.
    const seen = new Set<string>();
    const rule = await broken(plot, (branch) => void seen.add(branch), plant);
    for (const branch of seen) count(branch);
    if (rule !== undefined) last = rule;
    return rule === undefined;
  });
  const details = await fc.check(property, {
    ...{ seed, numRuns: plots + first.length, endOnFailure: plant !== undefined },
    examples: first.map((plot): [Plot] => [plot]),
  });
  if (!details.failed) return { lives, branches };
  const plot = `seed ${seed}, ${JSON.stringify(details.counterexample)}`;
  return { lives, branches, broken: { rule: last, plot } };
}
