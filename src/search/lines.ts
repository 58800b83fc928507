// From entries of the log to the words that are found: who said what, without secrets, cut into passages. Pure.
import type { Entry } from "../core/conversation.ts";
import { personKey, type Message, type Part } from "../core/message.ts";
import { clipUnits, codePointStart, dropControls, graphemeStart, oneLine } from "../core/text.ts";
import type { Find, Range } from "../taint/folded.ts";
import { scrubAcross } from "../taint/shapes.ts";
import type { Who } from "./port.ts";

/**
 * Words of one writer that stand together. `writer` tells writers apart; a step has none. `keys`: what each piece of a step is called, to
 * be judged with it and then left out.
 */
export type Run = {
  readonly who: Who;
  readonly writer: string | undefined;
  readonly pieces: readonly string[];
  readonly keys?: readonly string[];
};

/** The newest edit of each platform message. */
export type Edits = ReadonlyMap<string, Extract<Entry, { kind: "edited" }>>;

/** A passage: `slot` is its place in its line. A run's passages have slots that follow each other; a gap parts two runs. */
export type Passage = { readonly slot: number; readonly who: Who; readonly text: string };

/** Slots of one line. */
export const SLOTS = 64;
const MAX_RUNS = 16;
const PASSAGE_CHARS = 1500;

/** A step says at most this. What is looked through for secrets before the cut is more than the longest of them. */
const MAX_STEP_CHARS = 500;
const MAX_STEP_READ_CHARS = 16_000;
const CUT_END_CHARS = 1000;
const STEP_BORDERS = [" ", ", "];
const MAX_STEP_WORDS = 32;
const MAX_STEP_DEPTH = 4;
/** What an engine's own tool writes into a file or was told at length is no more looked for than what a tool gives back. */
const BULK: ReadonlySet<string> = new Set([
  ...["diff", "content", "old_string", "new_string", "new_source", "edits", "prompt", "patch", "changes"],
]);

/** What of a neighbour is looked at for the other part of a secret. */
const NEIGHBOUR_CHARS = 4000;

/** The runs of an entry, before secrets are taken out; none for what is not looked for. */
export function runsOf(entry: Entry, edits: Edits): readonly Run[] {
  if (entry.kind === "message") return messageRuns(entry.message, edits);
  if (entry.kind === "text")
    return wordsOf(entry.text).map((text) => ({ who: "assistant", writer: "", pieces: [text] }));
  if (entry.kind !== "tool-start") return [];
  if (entry.by === "engine") return [stepRun({ name: entry.call.name, input: withoutBulk(entry.call.input) })];
  return entry.effect === "act" ? [stepRun(entry.call)] : [];
}

/** When it was said: a person's message when it was sent. */
export function saidAt(entry: Entry): number {
  // A platform's word; the index takes whole numbers only, and one entry must not break it.
  return entry.kind === "message" && Number.isSafeInteger(entry.message.at) ? entry.message.at : entry.at;
}

function messageRuns(message: Message, edits: Edits): readonly Run[] {
  const runs: { who: Who; writer: string | undefined; pieces: string[] }[] = [];
  for (const part of partsNow(message, edits)) {
    const said = saidBy(message, part);
    if (said === undefined) continue;
    const words = part.kind === "text" ? wordsOf(part.text) : [`Sent a file: ${oneLine(part.file.name)}`];
    const last = runs.at(-1);
    if (last?.who === said.who && last.writer === said.writer) last.pieces.push(...words);
    else if (runs.length < MAX_RUNS && words.length > 0) runs.push({ ...said, pieces: words });
    // A message of more is no person's typing: the rest of it is nobody's own.
    else if (last !== undefined && words.length > 0)
      runs[runs.length - 1] = { who: "them", writer: "?", pieces: [...last.pieces, ...words] };
  }
  return runs;
}

/** The parts as the edits left them. An edit states the words anew; the file that came with them stays. */
function partsNow(message: Message, edits: Edits): readonly Part[] {
  if (!message.ids.some((id) => edits.has(id))) return message.parts;
  return message.ids.flatMap((id) => {
    const before = message.parts.filter((part) => part.messageId === id);
    const after = edits.get(id);
    if (after === undefined) return before;
    if (after.gone === true) return [];
    return [...before.filter((part) => part.kind === "file"), ...after.parts.filter((part) => part.kind === "text")];
  });
}

/** Undefined for a quote of what was said here, or by the writer: it stands where it was said. */
function saidBy({ from }: Message, { origin, kind }: Part): Pick<Run, "who" | "writer"> | undefined {
  if (origin.kind === "own") {
    if (from.role !== "owner") return { who: "them", writer: personKey(from) };
    return kind === "file" ? { who: "step", writer: undefined } : { who: "you", writer: personKey(from) };
  }
  if (origin.kind === "quoted" && (origin.ours || origin.id === from.id)) return undefined;
  return { who: "them", writer: `${origin.kind}/${from.platform}/${origin.id ?? `?${origin.from}`}` };
}

/** The text as it is kept, or nothing. */
function wordsOf(text: string): string[] {
  const words = dropControls(text).trim();
  return words === "" ? [] : [words];
}

function stepRun({ name, input }: { readonly name: string; readonly input: unknown }): Run {
  const words = stringsIn(input, "", 0).slice(0, MAX_STEP_WORDS);
  let left = MAX_STEP_READ_CHARS;
  const pieces = words.map(([, text]) => {
    // Whole or not at all: a secret may stand where it would be cut.
    const piece = left > 0 ? text : "";
    left -= piece.length;
    return piece;
  });
  return {
    who: "step",
    writer: undefined,
    pieces: [oneLine(name), ...pieces],
    keys: ["", ...words.map(([key]) => key)],
  };
}

function withoutBulk(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !BULK.has(key)));
}

function stringsIn(input: unknown, key: string, depth: number): readonly (readonly [key: string, text: string])[] {
  if (typeof input === "string")
    return wordsOf(input.slice(0, MAX_STEP_READ_CHARS)).map((text) => [key, text] as const);
  if (typeof input !== "object" || input === null || depth === MAX_STEP_DEPTH) return [];
  return Object.entries(input)
    .slice(0, MAX_STEP_WORDS)
    .flatMap(([name, value]) => stringsIn(value, Array.isArray(input) ? key : name, depth + 1));
}

// ---- without secrets

/** How runs end, for what follows: the last that each writer said, and the secrets in that. */
export type Ending = readonly { readonly writer: string; readonly text: string; readonly found: readonly Range[] }[];

/** Undefined when nobody said anything. */
export function endingOf(runs: readonly Run[], find: Find): Ending | undefined {
  const ends = [...Map.groupBy(runs, ({ writer }) => writer)].flatMap(([writer, theirs]) => {
    const text = theirs.at(-1)?.pieces.at(-1)?.slice(-NEIGHBOUR_CHARS);
    return writer === undefined || text === undefined ? [] : [{ writer, text, found: find(text) }];
  });
  return ends.length === 0 ? undefined : ends;
}

function beginningOf(runs: readonly Run[], writer: string | undefined): string | undefined {
  return writer === undefined
    ? undefined
    : runs.find((run) => run.writer === writer)?.pieces[0]?.slice(0, NEIGHBOUR_CHARS);
}

/** Whether there is a secret in what one writer said in two messages that neither of them shows by itself. */
export function reachesOver(before: Ending | undefined, after: readonly Run[], find: Find): boolean {
  return before?.some((end) => reaches(end, beginningOf(after, end.writer), find)) ?? false;
}

function reaches(before: Ending[number], text: string | undefined, find: Find): boolean {
  if (text === undefined) return false;
  const together = ["", "\n"].map((border) => {
    const found = find(before.text + border + text);
    return { found, from: before.text.length + border.length };
  });
  const right = find(text);
  return together.some(({ found, from }) => {
    const apart = [...before.found, ...right.map(({ start, end }) => ({ start: start + from, end: end + from }))];
    return found.length !== apart.length || found.some((one, index) => !isSame(one, apart[index]));
  });
}

function isSame(one: Range, other: Range | undefined): boolean {
  return one.start === other?.start && one.end === other.end;
}

/**
 * The passages of a line, without secrets. `before`, `after`: the words of its neighbours where a secret reaches over to them (see
 * `reachesOver`).
 */
export function passagesOf(
  runs: readonly Run[],
  { before, after = [] }: { readonly before?: Ending | undefined; readonly after?: readonly Run[] },
  find: Find,
): readonly Passage[] {
  const said = runs.map((run, index) => {
    if (run.keys !== undefined) return stepWords(run.pieces, run.keys, find);
    const isFirst = runs.findIndex(({ writer }) => writer === run.writer) === index;
    const isLast = runs.findLastIndex(({ writer }) => writer === run.writer) === index;
    const lead = (before ?? []).flatMap(({ writer, text }) => (isFirst && writer === run.writer ? [text] : []));
    const following = isLast ? beginningOf(after, run.writer) : undefined;
    const follow = following === undefined ? [] : [following];
    const scrubbed = scrubAcross([...lead, ...run.pieces, ...follow], find);
    return scrubbed.slice(lead.length, lead.length + run.pieces.length).join("\n");
  });
  // Each run may need one passage more than its share, and a gap.
  const spare = SLOTS - 2 * runs.length + 1;
  const size = Math.max(PASSAGE_CHARS, Math.ceil((2 * said.reduce((sum, text) => sum + text.length, 0)) / spare));
  const passages: Passage[] = [];
  let slot = 0;
  for (const [index, run] of runs.entries()) {
    for (const text of cut(said[index] ?? "", size)) {
      passages.push({ slot, who: run.who, text });
      slot += 1;
    }
    slot += 1;
  }
  return passages;
}

function stepWords(pieces: readonly string[], keys: readonly string[], find: Find): string {
  // As a command or a pair would have them: an option with its value, a name with its value.
  const leads = pieces.map((_, index) => {
    const key = keys[index] ?? "";
    return key === "" || key === keys[index - 1] ? "" : `${key}: `;
  });
  const judged = pieces.map((piece, index) => (leads[index] ?? "") + piece);
  const words = scrubAcross(judged, find, STEP_BORDERS).map((scrubbed, index) => {
    const lead = leads[index] ?? "";
    const text = scrubbed.startsWith(lead) ? scrubbed.slice(lead.length) : scrubbed;
    // What was cut before it was looked through may end within a secret.
    return (pieces[index]?.length ?? 0) < MAX_STEP_READ_CHARS ? text : text.slice(0, -CUT_END_CHARS);
  });
  const [name = "", ...rest] = words;
  return clipUnits(rest.length === 0 ? name : `${name}: ${rest.join(" · ")}`, MAX_STEP_CHARS, "…");
}

/** Where a text is best cut, best first. */
const SEAMS: readonly RegExp[] = [/\n\n/gu, /\n/gu, /[.!?…]\s|[。！？]/gu, /\s|[，、；：]/gu];

/** Cuts a text into passages of at most `size` units and, but for the last, at least half of it. Joined they are the text. */
function cut(text: string, size: number): readonly string[] {
  const passages: string[] = [];
  let from = 0;
  while (text.length - from > size) {
    const middle = from + Math.ceil(size / 2);
    const window = text.slice(middle, from + size);
    const seam = SEAMS.map((seam) => Array.from(window.matchAll(seam)).at(-1)).find((match) => match !== undefined);
    const at = seam === undefined ? graphemeStart(text, from + size, middle) : middle + seam.index + seam[0].length;
    const to = at > middle ? at : codePointStart(text, from + size);
    passages.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length) passages.push(text.slice(from));
  return passages;
}
