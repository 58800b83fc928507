// From a conversation's log to what an engine is told: the standing words, everything before, and what is said now.
import { FOR_MODEL, type Entry } from "../core/conversation.ts";
import { ownWords, type FileRef, type Message, type Part, type Untrusted } from "../core/message.ts";
import { oneLine } from "../core/text.ts";
import type { Attendance } from "../core/taint.ts";
import type { HistoryBlock, HistoryItem, PromptPart } from "../core/turn.ts";
import { FRAME_RULE, frame, sourceOf } from "../taint/frame.ts";
import { asResumed, type Noted } from "./resumed.ts";

/** What the log holds for an engine. `prompt` is what the last started turn answers. */
export type Told = {
  /** Everything before what is answered, the newest of it. */
  readonly history: readonly HistoryItem[];
  /** Of the same, what an engine has not seen whose session knows the log up to this seq. */
  readonly since: (seen: number) => readonly HistoryItem[];
  readonly prompt: readonly PromptPart[];
  /** What is answered, as messages: a request that goes on and a late answer among them. */
  readonly messages: readonly Message[];
  /** What the person last typed of that, exactly. */
  readonly words: Untrusted;
};

/** At most this many characters of the past are told; older exchanges are left out whole, oldest first. An engine may fit less. */
export const MAX_HISTORY_CHARS = 2_000_000;

/** The standing words to a model, with those about its tools and what could be turned on. A guest's turn says nothing of the owner. */
export function instructions(
  owner: string,
  attendance: Attendance,
  guidance: readonly string[] = [],
  sections: readonly string[] = [],
): string {
  return [
    attendance === "guest"
      ? "You are an assistant, reached through a chat app by way of Tidegate. You talk with a guest: be of help with words, and say so when something is not yours to do."
      : `You are ${owner}'s assistant, reached through a chat app by way of Tidegate.`,
    "Answer in the language of the last message, in Markdown, as short as the matter allows: people read you on a phone.",
    FRAME_RULE,
    ...guidance,
    // What differs from turn to turn comes last: an engine's service may keep what stands before it.
    ...sections.map((section) => `\n${section}`),
  ].join("\n");
}

/** Who is there in a turn that answers everything up to `upTo`: the owner only when each of those messages is the owner's own. */
export function attendanceOf(entries: readonly Entry[], upTo: number): Attendance {
  const messages: Message[] = [];
  for (const entry of entries.toReversed()) {
    if (entry.kind === "message" && entry.seq <= upTo) messages.push(entry.message);
    else if (entry.kind === "resumed" && entry.seq <= upTo) messages.push(asResumed(entry));
    // Only the owner's own press carries something on.
    else if (entry.kind === "carried-on" && entry.seq <= upTo) messages.push(asMessage(entry));
    else if (entry.kind === "turn-started" && messages.length > 0) break;
  }
  return messages.length > 0 && messages.every((message) => message.from.role === "owner") ? "owner" : "guest";
}

/** Reads a log, oldest entry first, up to its last started turn. Edits are applied wherever they stand. */
export function told(entries: readonly Entry[]): Told {
  const edits: Edits = new Map(
    entries.flatMap((entry) => (entry.kind === "edited" ? [[entry.messageId, entry] as const] : [])),
  );
  const past: Past[] = [];
  let startedAt = 0;
  let waiting: { readonly seq: number; readonly message: Noted }[] = [];
  let words: Untrusted = "";
  let taken: readonly Noted[] = [];
  let blocks: HistoryBlock[] = [];
  const calls = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === "message") waiting.push({ seq: entry.seq, message: edited(entry.message, edits) });
    else if (entry.kind === "carried-on") waiting.push({ seq: entry.seq, message: asMessage(entry) });
    else if (entry.kind === "resumed") waiting.push({ seq: entry.seq, message: asResumed(entry) });
    else if (entry.kind === "turn-started") {
      const upTo = waiting.filter((one) => one.seq <= entry.upTo).map((one) => one.message);
      // A second try answers the same messages: nothing new is waiting then.
      if (upTo.length > 0 || !entry.again) {
        close(past, taken, blocks, startedAt);
        taken = upTo;
        startedAt = entry.seq;
        words = lastWords(entries, entry.upTo, edits);
      }
      blocks = [];
      calls.clear();
      waiting = waiting.filter((one) => one.seq > entry.upTo);
    } else if (FOR_MODEL[entry.kind] !== "no") addBlock(blocks, calls, entry);
  }
  const kept = newest(past);
  return {
    history: kept.map(({ item }) => item),
    since: (seen) => kept.filter(({ startedAt }) => startedAt > seen).map(({ item }) => item),
    prompt: say(taken),
    messages: taken,
    words,
  };
}

/** An item with the seq at which its turn began. */
type Past = { readonly item: HistoryItem; readonly startedAt: number };

/** The same without what other engines did with tools of their own. */
export function withoutOwn(history: readonly HistoryItem[]): readonly HistoryItem[] {
  return history.flatMap((item): readonly HistoryItem[] => {
    if (item.role === "user" || !item.blocks.some((block) => block.kind === "call" && block.own === true))
      return [item];
    const blocks = item.blocks.filter((block) => block.kind === "text" || block.own !== true);
    return blocks.length === 0 ? [] : [{ role: "assistant", blocks }];
  });
}

/**
 * An offer was taken: what a model is told of it, and the request once more, character for character as the person typed it, unframed
 * as their own words are. Nothing of what the assistant said of it is repeated.
 */
function asMessage({ from, at, seq, target, request, instructions }: CarriedOn): Message {
  const name = `“${oneLine(target.name)}”`;
  const note =
    target.kind === "app"
      ? `[Tidegate: the app ${name} was offered and is connected now; its tools are here.`
      : instructions === undefined
        ? `[Tidegate: the skill ${name} was offered and is on now.`
        : `[Tidegate: the skill ${name} was offered and is to be used for this request. Its instructions:]\n\n${instructions}\n\n[Tidegate: these were the instructions.`;
  const id = `carried-on/${seq}`;
  const own = (text: string): Part => ({ kind: "text", messageId: id, origin: { kind: "own" }, text });
  return { from, at, ids: [id], parts: [own(`${note} Carry on with what the person asked:]`), own(request)] };
}

type CarriedOn = Extract<Entry, { kind: "carried-on" }>;

/** What was typed last of what is answered: a request that goes on, or the newest message's own words. An answer goes on from those. */
function lastWords(entries: readonly Entry[], upTo: number, edits: Edits): Untrusted {
  const last = entries.findLast(
    (entry) => (entry.kind === "message" || entry.kind === "carried-on") && entry.seq <= upTo,
  );
  if (last?.kind === "carried-on") return last.request;
  return last?.kind === "message" ? ownWords(edited(last.message, edits)) : "";
}

function close(past: Past[], taken: readonly Noted[], blocks: readonly HistoryBlock[], startedAt: number): void {
  if (taken.length > 0) {
    const said = say(taken);
    const parts: readonly PromptPart[] = said.length > 0 ? said : [{ kind: "text", text: TAKEN_BACK }];
    past.push({ item: { role: "user", parts }, startedAt });
  }
  if (blocks.length > 0) past.push({ item: { role: "assistant", blocks }, startedAt });
}

function addBlock(blocks: HistoryBlock[], calls: Map<string, number>, entry: Entry): void {
  if (entry.kind === "text") blocks.push({ kind: "text", text: entry.text });
  else if (entry.kind === "tool-start") {
    calls.set(entry.call.id, blocks.length);
    const own = entry.by === "engine" ? ({ own: true } as const) : {};
    blocks.push({
      kind: "call",
      call: entry.call,
      result: { outcome: "not-run", text: "This did not finish." },
      ...own,
    });
  } else if (entry.kind === "tool-end") {
    const index = calls.get(entry.callId);
    const block = index === undefined ? undefined : blocks[index];
    if (index !== undefined && block?.kind === "call") blocks[index] = { ...block, result: entry.result };
  } else if (entry.kind === "turn-ended" && entry.reason !== "done") {
    blocks.push({ kind: "text", text: UNFINISHED[entry.reason] });
  }
}

const TAKEN_BACK = "[This message was deleted by its writer.]";

const UNFINISHED = {
  stopped: "[The person stopped this answer here.]",
  limit: "[This answer was ended here: it took too many steps.]",
  error: "[This answer failed here.]",
  interrupted: "[This answer was interrupted here.]",
} as const;

/** The newest edit of each platform message. */
type Edits = ReadonlyMap<string, Extract<Entry, { kind: "edited" }>>;

function edited(message: Message, edits: Edits): Message {
  if (!message.ids.some((id) => edits.has(id))) return message;
  return {
    ...message,
    parts: message.ids.flatMap((id) => {
      const before = message.parts.filter((part) => part.messageId === id);
      const after = edits.get(id);
      if (after === undefined) return before;
      if (after.gone === true) return [];
      // An edit states the words anew; the file that came with them stays.
      return [...before.filter((part) => part.kind === "file"), ...after.parts.filter((part) => part.kind === "text")];
    }),
  };
}

function say(messages: readonly Noted[]): readonly PromptPart[] {
  const parts: PromptPart[] = [];
  const addText = (text: string): void => {
    const last = parts.at(-1);
    if (last?.kind === "text") parts[parts.length - 1] = { kind: "text", text: `${last.text}\n${text}` };
    else parts.push({ kind: "text", text });
  };
  for (const { part, from } of messages.flatMap(({ note, parts, from }) => [
    ...(note === undefined ? [] : [{ part: note, from }]),
    ...parts.map((part) => ({ part, from })),
  ])) {
    if (typeof part === "string") {
      addText(part);
      continue;
    }
    const source =
      sourceOf(part.origin, from.platform) ??
      (from.role === "owner" ? undefined : ({ how: "written", from: from.name, where: from.platform } as const));
    if (part.kind === "text") addText(source === undefined ? part.text : frame(part.text, source));
    else {
      addText(about(part.file, from.platform));
      if (part.file.path !== undefined && part.file.mediaType.startsWith("image/")) {
        parts.push({ kind: "image", path: part.file.path, mediaType: part.file.mediaType });
      }
    }
  }
  return parts;
}

function about(file: FileRef, where: string): string {
  const what = frame(file.name, { how: "file", from: file.kind, where });
  if (file.path === undefined)
    return `[A file came with this that could not be fetched (${file.problem ?? "it is not known why"}). Its name:]\n${what}`;
  return `[A file came with this: ${file.kind}, ${file.mediaType}, ${file.bytes ?? "?"} bytes. Its name:]\n${what}`;
}

function newest(history: readonly Past[]): readonly Past[] {
  let chars = 0;
  let from = history.length;
  for (let index = history.length - 1; index >= 0; index -= 1) {
    const item = history[index]?.item;
    if (item === undefined) break;
    chars += size(item);
    if (chars > MAX_HISTORY_CHARS) break;
    // The past begins with a person's words: an answer without its question is left out as well.
    if (item.role === "user") from = index;
  }
  return history.slice(from);
}

function size(item: HistoryItem): number {
  if (item.role === "user")
    return item.parts.reduce((sum, part) => sum + (part.kind === "text" ? part.text.length : 4000), 0);
  return item.blocks.reduce(
    (sum, block) => sum + (block.kind === "text" ? block.text.length : block.result.text.length + 200),
    0,
  );
}
