// The parts of a turn's system text on apps and skills: what is connected, and what could be turned on. Names and descriptions come
// from a config or a folder: each stands on one line of its own, shortened, so that none can pass for a line of ours.
import type { TargetKind } from "../core/card.ts";
import { clipGraphemes, clipUnits, oneLine } from "../core/text.ts";
import type { Item } from "../catalog/port.ts";
import { couldBeOn, wordsOf } from "./cues.ts";
import { mutedKey } from "./mutes.ts";

/** What the map is drawn from. `words`: what the person typed in the latest message, own words only. */
export type MapInput = {
  readonly items: readonly Item[];
  /** Apps by their ids, skills as `skill:<id>`. */
  readonly muted: ReadonlySet<string>;
  /** Ids of apps that the engine reaches by itself. */
  readonly reaches: readonly string[];
  readonly words: string;
};

export type MapSection = {
  /** At most 2,400 UTF-16 units; empty when nothing could be turned on. */
  readonly text: string;
  /** Whether a thing could be turned on, drawn or left out for length. False for what is muted, too: ask for that first. */
  readonly holds: (kind: TargetKind, id: string) => boolean;
};

const MAX_MAP_UNITS = 2_400;
const MAX_CONNECTED_UNITS = 2_000;
const MAX_ID = 64;
const MAX_NAME = 80;
const MAX_TAGLINE = 140;

const called = new WeakMap<Item, readonly [name: string, id: string]>();

const HEADING = "What could be turned on. None of it is on now, so none of it can be used yet:";
const RULES = [
  "Offer one of these with the offer tool only when it clearly does what was asked for, and nothing else; never what the person said they don't use.",
  "First answer as far as you can without it. Don't explain how it is set up: the card does that.",
].join("\n");

/**
 * The map: first what the person named, then what is featured, then by alphabet. What doesn't fit goes from the end, and its number
 * is said; what was named is shortened before any of it goes.
 */
export function mapSection({ items, muted, reaches, words }: MapInput): MapSection {
  const there = items.filter(
    (item) => couldBeOn(item) && !muted.has(mutedKey(item)) && !(item.kind === "app" && reaches.includes(item.id)),
  );
  const keys = new Set(there.map(({ kind, id }) => `${kind} ${id}`));
  return { text: drawn(there, wordsOf(words)), holds: (kind, id) => keys.has(`${kind} ${id}`) };
}

function drawn(there: readonly Item[], said: string): string {
  if (there.length === 0) return "";
  const named = new Set(there.filter((item) => isNamed(item, said)));
  const rank = (item: Item): number => (named.has(item) ? 0 : item.featured ? 1 : 2);
  const inOrder = there.toSorted((one, other) => rank(one) - rank(other) || byAlphabet(one, other));
  // As much of each line as lets all that were named stay, then as many lines as fit.
  for (const line of [full, short, shortest]) {
    const lines = inOrder.map(line);
    const kept = fitting(lines);
    if (kept >= named.size || line === shortest)
      return [HEADING, ...lines.slice(0, kept), ...leftOut(lines.length - kept), RULES].join("\n");
  }
  return "";
}

/** How many of the lines fit, counted from the first. */
function fitting(lines: readonly string[]): number {
  const frame = HEADING.length + 1 + RULES.length;
  const needed = lines.reduce((sum, line) => sum + line.length + 1, frame);
  if (needed <= MAX_MAP_UNITS) return lines.length;
  let units = frame;
  let kept = 0;
  for (const line of lines) {
    units += line.length + 1;
    const said = leftOut(lines.length - kept - 1).reduce((sum, one) => sum + one.length + 1, 0);
    if (units + said > MAX_MAP_UNITS) break;
    kept++;
  }
  return kept;
}

function leftOut(count: number): readonly string[] {
  return count === 0 ? [] : [`(${count} more could be turned on, but ${count === 1 ? "is" : "are"} left out here.)`];
}

function full(item: Item): string {
  const tagline = plain(item.tagline, MAX_TAGLINE);
  return tagline === "" ? short(item) : `${short(item)}: ${tagline}`;
}

function short(item: Item): string {
  const name = plain(item.name, MAX_NAME);
  const asked = item.state === "asked" ? ", used when asked for" : "";
  return `${shortest(item)}${name === "" || name === item.id ? "" : ` (${name})`}${asked}`;
}

function shortest({ kind, id }: Item): string {
  return `- ${kind} ${plain(id, MAX_ID)}`;
}

/**
 * The apps that are connected, as a section of its own; empty when none is. What can't be reached now says so. At most 2,000 UTF-16
 * units.
 */
export function connectedSection(items: readonly Item[]): string {
  const on = items.filter(({ kind, state }) => kind === "app" && state === "on").toSorted(byAlphabet);
  if (on.length === 0) return "";
  const lines = on.map(
    (item) =>
      `- ${plain(item.id, MAX_ID)}__… (${plain(item.name, MAX_NAME)})${item.trouble === undefined ? "" : ": can't be reached now"}`,
  );
  const heading = "Apps that are connected, by what the names of their tools begin with:";
  let kept = lines.length;
  const whole = (): string =>
    [heading, ...lines.slice(0, kept), ...(kept < lines.length ? [`(and ${lines.length - kept} more)`] : [])].join(
      "\n",
    );
  while (kept > 0 && whole().length > MAX_CONNECTED_UNITS) kept--;
  return whole();
}

/** What a person's words call for and is not on: said so that a model doesn't act as if it were. Empty when there is nothing. */
export function notConnectedSection(item: Item | undefined): string {
  if (item === undefined || !couldBeOn(item)) return "";
  const name = `${plain(item.name, MAX_NAME)} (${shortest(item).slice(2)})`;
  return item.kind === "app"
    ? `Not connected yet: ${name}. Nothing of it can be read or done in this turn: answer as far as you can, and don't act as if you had looked. A card may offer to connect it.`
    : `Not turned on: the skill ${name}. Answer as far as you can without it. A card may offer to use it.`;
}

/** Whether a message has its name or its id in it, as whole words. */
function isNamed(item: Item, said: string): boolean {
  return said !== "" && calledOf(item).some((one) => one !== "" && said.includes(one));
}

/** Its name and its id as words. Items stay the same from turn to turn. */
function calledOf(item: Item): readonly [name: string, id: string] {
  const known = called.get(item);
  if (known !== undefined) return known;
  const made = [wordsOf(item.name), wordsOf(item.id)] as const;
  called.set(item, made);
  return made;
}

function byAlphabet(one: Item, other: Item): number {
  return compare(calledOf(one)[0], calledOf(other)[0]) || compare(one.kind, other.kind) || compare(one.id, other.id);
}

/** By code units: the same on each machine, whatever its language. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function plain(text: string, maxChars: number): string {
  const line = oneLine(clipUnits(text, 2_000));
  return line.length <= maxChars ? line : clipUnits(clipGraphemes(line, maxChars, "…"), 2 * maxChars, "…");
}
