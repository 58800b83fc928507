// /activity: what was done in a chat, and when earlier chats were looked through, newest first; and one step of it as a whole.
import type { Approval, ApprovalOutcome, Look, Page } from "../core/card.ts";
import type { Conversation, Entry, PlacedEntry } from "../core/conversation.ts";
import { lookLine } from "../cards/looks.ts";
import { stepPage, stepRow, type StepWent } from "../cards/own-tools.ts";
import type { Store } from "../store/port.ts";
import { GONE, timeOf, titleOf, type Drawn, type Leaf } from "./leaves.ts";

type ActivityPage = Extract<Page, { of: "activity" }>;
type StepPage = Extract<Page, { of: "step" }>;
type StartEntry = Extract<Entry, { kind: "tool-start" }>;

/** One thing that was done, or that was asked for and refused before it began. */
type Step = { readonly entry: Entry; readonly row: string; readonly opens: boolean };

const PAGE_ROWS = 8;
/** So many entries are read at a time, and so many times for one page. */
const WINDOW_ENTRIES = 400;
const MOST_WINDOWS = 25;
/** What came of a step stands this near behind it, or is taken for not known. */
const AFTER_ENTRIES = 400;
/** Tools whose whole result stands in the chat by itself. */
const SELF_SHOWN: ReadonlySet<string> = new Set(["ask", "offer", "suggest_replies", "update_plan"]);
const NOTHING = "Nothing yet: what I do here, and when I look through your earlier chats for an answer, stands here.";

/** A page of it. `maxChars`: of its text. */
export async function drawActivity(page: ActivityPage, store: Store, maxChars: number): Promise<Drawn> {
  const looks = await store.log.looks(PAGE_ROWS + 1, page.before);
  const steps = await stepsBefore(page.chat, page.step ?? Number.MAX_SAFE_INTEGER, store);
  const shown: (Step | PlacedEntry)[] = [];
  const lines: string[] = [];
  let [nextLook, nextStep] = [0, 0];
  let chars = HEAD.length;
  while (shown.length < PAGE_ROWS) {
    const [look, step] = [looks[nextLook], steps.found[nextStep]];
    const one = look !== undefined && (step === undefined || isLater(look.entry, step.entry)) ? look : step;
    if (one === undefined) break;
    const words = "row" in one ? one.row : await lookRow(one, store);
    const line = `${shown.length + 1}. ${timeOf(one.entry.at)} · ${words}`;
    chars += line.length + 2;
    if (chars > maxChars && shown.length > 0) break;
    if (one === look) nextLook += 1;
    else nextStep += 1;
    shown.push(one);
    lines.push(line);
  }
  const isMore = nextLook < looks.length || nextStep < steps.found.length || steps.left > 1;
  const older = {
    ...(page.chat === undefined ? {} : { chat: page.chat, step: cursorOf(steps, nextStep) }),
    ...placeOf(looks, nextLook, page),
  };
  const turns: readonly Leaf[] = [
    ...(page.back === undefined ? [] : [{ label: "Newer", page: page.back }]),
    ...(isMore ? [{ label: "Older", page: { of: "activity", ...older, back: page } } as const] : []),
  ];
  const rows = [shown.flatMap((one, at) => opening(one, at, page)), turns].filter((row) => row.length > 0);
  return { text: lines.length === 0 ? NOTHING : [HEAD, ...lines].join("\n\n"), rows, quiet: false };
}

const HEAD = "**Activity**, newest first";

/** Below which seq the next page goes on. */
function cursorOf({ found, left }: Steps, next: number): number {
  return next < found.length ? (found[next]?.entry.seq ?? 0) + 1 : left;
}

function placeOf(looks: readonly PlacedEntry[], next: number, { before }: ActivityPage): { readonly before?: number } {
  const last = looks[next - 1]?.place ?? before;
  return last === undefined ? {} : { before: last };
}

/** In one chat by its own order; a clock may be set back. */
function isLater(one: Entry, other: Entry): boolean {
  return one.conversation === other.conversation ? one.seq > other.seq : one.at > other.at;
}

async function lookRow({ entry }: PlacedEntry, store: Store): Promise<string> {
  const asking = await store.conversations.get(entry.conversation);
  const what = entry.kind === "looked" ? lookLine(entry.look) : "";
  return `${what} · in ${asking === undefined ? GONE : `“${titleOf(asking)}”`}`;
}

function opening(one: Step | PlacedEntry, at: number, back: ActivityPage): readonly Leaf[] {
  const label = String(at + 1);
  const { entry } = one;
  if ("row" in one)
    return one.opens ? [{ label, page: { of: "step", chat: entry.conversation, seq: entry.seq, back } }] : [];
  const look: Look | undefined = entry.kind === "looked" ? entry.look : undefined;
  return (look?.chats.length ?? 0) > 0 ? [{ label, page: { of: "look", look: one.place, open: true, back } }] : [];
}

/** One step: what it was called with, and what it gave back. */
export async function drawStep(page: StepPage, store: Store, maxChars: number): Promise<Drawn> {
  const { chat, seq, back } = page;
  const entries = await store.log.read(chat, { after: seq - 1, limit: AFTER_ENTRIES });
  const [entry] = entries;
  const leave: Leaf = { label: "Back", page: back };
  if (entry?.kind !== "tool-start") return { text: "That is not there any more.", rows: [[leave]], quiet: false };
  const before = await store.log.read(chat, { after: Math.max(0, seq - 1 - AFTER_ENTRIES), limit: AFTER_ENTRIES });
  const all = [...before.filter((one) => one.seq < seq), ...entries];
  const { went, result } = cameOf(entry, all, approvalsIn(all));
  const { call } = entry;
  const { text, whole } = stepPage({ call, went, result }, maxChars, `step-${seq}.txt`);
  const file = page.whole === true ? whole : undefined;
  const offers = whole !== undefined && file === undefined;
  const rows = [...(offers ? [{ label: "All of it, as a file", page: { ...page, whole: true as const } }] : []), leave];
  return { text, rows: [rows], quiet: false, ...(file === undefined ? {} : { file }) };
}

// ---- from the log

/** Newest first. `left`: below this seq nothing was read; 1 or less when that is all. */
type Steps = { readonly found: readonly Step[]; readonly left: number };

async function stepsBefore(chat: string | undefined, before: number, store: Store): Promise<Steps> {
  const conversation: Conversation | undefined = chat === undefined ? undefined : await store.conversations.get(chat);
  const found: Step[] = [];
  let left = Math.min(before, (conversation?.head ?? 0) + 1);
  for (let windows = 0; left > 1 && found.length <= PAGE_ROWS && windows < MOST_WINDOWS; windows += 1) {
    const after = Math.max(0, left - 1 - WINDOW_ENTRIES);
    const entries = await store.log.read(chat ?? "", { after, limit: left - 1 - after + AFTER_ENTRIES });
    found.push(...stepsIn(entries, left));
    left = after + 1;
  }
  return { found, left };
}

/** Newest first, of those below a seq; what came of them may stand behind. */
function stepsIn(entries: readonly Entry[], below: number): readonly Step[] {
  const approvals = approvalsIn(entries);
  const steps: Step[] = [];
  for (const entry of entries) {
    if (entry.kind !== "tool-start" || SELF_SHOWN.has(entry.call.name)) continue;
    const { went, isLook } = cameOf(entry, entries, approvals);
    // A look has a row of its own.
    if (entry.seq < below && !isLook)
      steps.push({ entry, row: stepRow(entry.call.name, entry.call.input, went), opens: true });
  }
  // The gateway's own tools are not begun before they are allowed: of those there is the question alone.
  for (const { entry, card, took, isTold } of approvals)
    if (!isTold && isRefusal(took) && entry.seq < below)
      steps.push({ entry, row: stepRow(card.tool, card.input ?? {}, took), opens: false });
  return steps.toSorted((one, other) => other.entry.seq - one.entry.seq);
}

/** An approval, and what came of it. `isTold`: a step of the engine's own says so already. */
type Asked = {
  readonly entry: Extract<Entry, { kind: "asked" }>;
  readonly card: Approval;
  readonly took: ApprovalOutcome | undefined;
  readonly tookSeq: number;
  isTold: boolean;
};

function approvalsIn(entries: readonly Entry[]): readonly Asked[] {
  const answers = new Map<string, Extract<Entry, { kind: "answered" }>>();
  for (const entry of entries) if (entry.kind === "answered") answers.set(entry.card, entry);
  return entries.flatMap((entry): readonly Asked[] => {
    if (entry.kind !== "asked" || entry.card.kind !== "approval") return [];
    const answer = answers.get(entry.card.id);
    const took = answer?.took;
    return [{ entry, card: entry.card, took, tookSeq: answer?.seq ?? Number.MAX_SAFE_INTEGER, isTold: false }];
  });
}

function isRefusal(took: ApprovalOutcome | undefined): took is "no" | "expired" | "stopped" {
  return took === "no" || took === "expired" || took === "stopped";
}

/** What came of a step: by its end, and where it was denied by what the owner said. */
function cameOf(
  start: StartEntry,
  entries: readonly Entry[],
  approvals: readonly Asked[],
): {
  readonly went: StepWent;
  readonly result: Extract<Entry, { kind: "tool-end" }>["result"] | undefined;
  readonly isLook: boolean;
} {
  const { turn, call } = start;
  const at = entries.findIndex(
    (one) => one.kind === "tool-end" && one.seq > start.seq && one.turn === turn && one.callId === call.id,
  );
  const end = entries[at];
  if (end?.kind !== "tool-end") {
    const isOver = entries.some((one) => one.kind === "turn-ended" && one.turn === turn && one.seq > start.seq);
    return { went: isOver ? "unknown" : "running", result: undefined, isLook: false };
  }
  const { result } = end;
  const isLook = entries[at + 1]?.kind === "looked" && result.outcome === "ok";
  if (result.outcome !== "denied") return { went: result.outcome, result, isLook };
  // The gateway's own are begun only once they are allowed: what was denied is what it found.
  if (start.by !== "engine") return { went: "withheld", result, isLook: false };
  const mine = approvals.find(
    ({ entry, card, took, tookSeq, isTold }) =>
      !isTold &&
      card.turn === turn &&
      card.tool === call.name &&
      entry.seq < end.seq &&
      // An answer that came after the turn had given up waiting changes nothing of this.
      (isRefusal(took) || tookSeq > end.seq),
  );
  if (mine === undefined) return { went: "denied", result, isLook: false };
  mine.isTold = true;
  return { went: isRefusal(mine.took) ? mine.took : "asked", result, isLook: false };
}
