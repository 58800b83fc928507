// What taking in a batch of entries does to the index: which lines are new, and which older ones say something else from now on.
import type { Entry, PlacedEntry } from "../core/conversation.ts";
import type { Log } from "../store/port.ts";
import type { Find } from "../taint/folded.ts";
import { endingOf, passagesOf, reachesOver, runsOf, saidAt, type Ending, type Passage, type Run } from "./lines.ts";

/**
 * A line as it is from now on. `place` is its entry's, undefined for a line that stands in the index already and is replaced. `keeps`: a
 * message keeps its place in the index when it says nothing any more, since an edit can bring words back.
 */
export type Put = {
  readonly chat: string;
  readonly line: number;
  readonly place: number | undefined;
  readonly at: number;
  readonly passages: readonly Passage[];
  readonly keeps: boolean;
};

/** What a batch comes to. `chats`: the newest entry of each chat in it. */
export type Reading = {
  readonly puts: readonly Put[];
  readonly chats: ReadonlyMap<string, { readonly place: number; readonly seq: number; readonly at: number }>;
};

/** Reads batches in the order of the log. Keeps how the chats that were last spoken in ended, which may hold secrets. */
export type Reader = {
  read(entries: readonly PlacedEntry[]): Promise<Reading>;
  /** Keeps nothing of a chat. */
  forget(chat: string): void;
};

const MAX_ENDINGS = 1000;

/** `secretsIn` finds what must not be in the index. `pause` is waited for now and then while much is read. */
export function openReader(log: Pick<Log, "read">, secretsIn: Find, pause?: () => Promise<void>): Reader {
  const past: Past = { log, pause };
  const find = remembering(secretsIn);
  const endings = new Map<string, Ending | undefined>();

  const putOf = ({ entry, runs }: Said, near: Parameters<typeof passagesOf>[1], place?: number): Put => ({
    ...{ chat: entry.conversation, line: entry.seq, place, at: saidAt(entry) },
    passages: passagesOf(runs, near, find),
    keeps: entry.kind === "message",
  });

  /** A line that stands in the index, with those of its neighbours that a secret reaches over to. */
  const putAgain = (said: Said, before: Said | undefined, after: Said | undefined): Put => {
    const ending = before === undefined ? undefined : endingOf(before.runs, find);
    const following = after?.runs ?? [];
    return putOf(said, {
      before: reachesOver(ending, said.runs, find) ? ending : undefined,
      after: reachesOver(endingOf(said.runs, find), following, find) ? following : [],
    });
  };

  const endingBefore = async (entry: Entry): Promise<Ending | undefined> => {
    if (entry.seq === 1) return undefined;
    if (endings.has(entry.conversation)) return endings.get(entry.conversation);
    for await (const said of saidBefore(past, entry)) if (says(said)) return endingOf(said.runs, find);
    return undefined;
  };

  const keepEnding = (chat: string, ending: Ending | undefined): void => {
    endings.delete(chat);
    endings.set(chat, ending);
    for (const oldest of endings.keys()) {
      if (endings.size <= MAX_ENDINGS) break;
      endings.delete(oldest);
    }
  };

  /** A new line, and the one before it where a secret goes from that into this. */
  const takeSaid = async (entry: Entry, place: number): Promise<readonly Put[]> => {
    const runs = runsOf(entry, new Map());
    const before = await endingBefore(entry);
    const reaches = reachesOver(before, runs, find);
    const put = putOf({ entry, runs }, { before: reaches ? before : undefined }, place);
    // What says nothing parts no two messages.
    keepEnding(entry.conversation, endingOf(runs, find) ?? before);
    if (!reaches) return [put];
    const [last, lastButOne] = await firstOf(saidBefore(past, entry), 2);
    return last === undefined ? [put] : [put, putAgain(last, lastButOne, { entry, runs })];
  };

  const takeEdit = async (edit: Extract<Entry, { kind: "edited" }>): Promise<readonly Put[]> => {
    endings.delete(edit.conversation);
    // Newest first: the two after the message that say anything, the message, the two before it.
    const window: Said[] = [];
    let found = -1;
    for await (const said of saidBefore(past, edit)) {
      const isIt = found === -1 && said.entry.kind === "message" && said.entry.message.ids.includes(edit.messageId);
      if (!isIt && !says(said)) continue;
      window.push(said);
      if (isIt) {
        window.splice(0, window.length - 3);
        found = window.length - 1;
      }
      // The window may be long where the message is old: no more of it is of use.
      if (found === -1 && window.length > 2) window.shift();
      if (found !== -1 && window.length > found + 2) break;
    }
    if (found === -1) return [];
    const speaking = window.filter(says);
    return [found, found - 1, found + 1].flatMap((index) => {
      const said = window[index];
      if (said === undefined) return [];
      const at = speaking.indexOf(said);
      return [at === -1 ? putAgain(said, undefined, undefined) : putAgain(said, speaking[at + 1], speaking[at - 1])];
    });
  };

  /** What a turn's first try said and did. */
  const takeAgain = async (again: Extract<Entry, { kind: "turn-started" }>): Promise<readonly Put[]> => {
    endings.delete(again.conversation);
    const puts: Put[] = [];
    for await (const entry of entriesBefore(past, again)) {
      if (entry.kind === "turn-started") break;
      if (entry.kind !== "text" && entry.kind !== "tool-start") continue;
      puts.push({
        chat: entry.conversation,
        line: entry.seq,
        place: undefined,
        at: entry.at,
        passages: [],
        keeps: false,
      });
    }
    return puts;
  };

  const take = async ({ entry, place }: PlacedEntry): Promise<readonly Put[]> => {
    switch (entry.kind) {
      case "message":
      case "text":
        return await takeSaid(entry, place);
      case "tool-start": {
        const runs = runsOf(entry, new Map());
        return runs.length === 0 ? [] : [putOf({ entry, runs }, {}, place)];
      }
      case "edited":
        return await takeEdit(entry);
      case "turn-started":
        return entry.again ? await takeAgain(entry) : [];
      default:
        return [];
    }
  };

  return {
    async read(entries) {
      const puts = new Map<string, Put>();
      const chats = new Map<string, { place: number; seq: number; at: number }>();
      for (const placed of entries) {
        for (const put of await take(placed)) {
          const key = `${put.line} ${put.chat}`;
          // A line that is new in this batch is written once, as the last of it left it.
          puts.set(key, { ...put, place: put.place ?? puts.get(key)?.place });
        }
        const { conversation, seq, at } = placed.entry;
        chats.set(conversation, { place: placed.place, seq, at });
      }
      return { puts: [...puts.values()], chats };
    },
    forget: (chat) => void endings.delete(chat),
  };
}

/** Where earlier entries are read from. */
type Past = { readonly log: Pick<Log, "read">; readonly pause: (() => Promise<void>) | undefined };

/** An entry that says something, with what it says by the edits so far. */
type Said = { readonly entry: Entry; readonly runs: readonly Run[] };

/** Whether anybody's words are in it: a file alone, or what was taken back, parts no two messages. */
function says({ runs }: Said): boolean {
  return runs.some((run) => run.writer !== undefined);
}

/** The same text is asked about several times in a row: as it is, and with its neighbours. */
function remembering(find: Find): Find {
  let [last, found]: [string, ReturnType<Find>] = ["", find("")];
  return (text) => {
    if (text !== last) [last, found] = [text, find(text)];
    return found;
  };
}

/** What was said before an entry, newest first, as the entries up to that one leave it: edited, and without the first tries of turns. */
async function* saidBefore(past: Past, before: Entry): AsyncGenerator<Said> {
  const edits = new Map<string, Extract<Entry, { kind: "edited" }>>();
  if (before.kind === "edited") edits.set(before.messageId, before);
  let superseded = false;
  for await (const entry of entriesBefore(past, before)) {
    if (entry.kind === "edited" && !edits.has(entry.messageId)) edits.set(entry.messageId, entry);
    if (entry.kind === "turn-started") superseded = entry.again;
    if (entry.kind === "message" || (entry.kind === "text" && !superseded)) yield { entry, runs: runsOf(entry, edits) };
  }
}

const FIRST_READ = 8;
const MOST_READ = 256;

/** The entries of the same chat before this one, newest first. */
async function* entriesBefore({ log, pause }: Past, { conversation, seq }: Entry): AsyncGenerator<Entry> {
  let before = seq;
  for (let count = FIRST_READ; before > 1; count = Math.min(count * 4, MOST_READ)) {
    const after = Math.max(0, before - 1 - count);
    const entries = await log.read(conversation, { after, limit: before - 1 - after });
    // The chat was deleted meanwhile.
    if (entries.length === 0) return;
    yield* entries.toReversed();
    before = after + 1;
    // An old message in a long chat is far back.
    if (count === MOST_READ) await pause?.();
  }
}

async function firstOf(items: AsyncIterable<Said>, count: number): Promise<readonly Said[]> {
  const taken: Said[] = [];
  for await (const item of items) {
    if (!says(item)) continue;
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}
