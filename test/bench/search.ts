// What looking through earlier chats costs and finds, beside plain full-text search. Prints Markdown tables.
//
//   node test/bench/search.ts [--messages 200000] [--no-rivals] [--profile] [--keep FOLDER]
//
// --profile: also where the time of each class goes. --keep: makes the data in this folder and leaves it there, or takes what is there from
// before; the index is made anew. The others are measured with 200,000 messages at most.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openStore } from "../../src/store/open.ts";
import type { Change } from "../../src/store/port.ts";
import { scoreOf, setChats, type Score } from "../search/relevance.ts";
import { Server, steadyMs } from "./calls.ts";
import { percentile } from "./run.ts";
import { chatter, questionsAbout, type Questions } from "./search-corpus.ts";
import { opening, SURROUNDINGS, utterance } from "./search-entries.ts";
import { miniSearch, trigramTable, wordTable, type Rival } from "./search-rivals.ts";
import type { BuildSeen, ClassSeen, Hot, Item, ItemsSeen, Took } from "./search-subject.ts";

const SUBJECT = new URL("search-subject.ts", import.meta.url);
const MOST_FOR_RIVALS = 200_000;
const PER_COMMIT = 1_000;
/** The others take up to a second for a query. */
const RIVAL_QUERIES = 50;
const RIVAL_ITEMS = 200;

/** How to run it. */
export type SearchBench = {
  readonly messages: number;
  readonly rivals?: boolean;
  readonly profile?: boolean;
  readonly keep?: string;
};

/** What the data came to. `lines`: the seq of each message that is asked for. */
type Filled = { readonly textBytes: number; readonly lines: ReadonlyMap<number, number>; readonly last: string };

type Ours = {
  readonly build: BuildSeen;
  readonly bytes: number;
  readonly idleMb: number;
  readonly openMb: number;
  readonly loadedMb: number;
  readonly classes: readonly ClassSeen[];
  readonly right: ItemsSeen;
  readonly misspelt: ItemsSeen;
  readonly readers: readonly number[];
  readonly writes: { readonly alone: Took; readonly together: Took };
  readonly relevance: Score;
  readonly hot: readonly (readonly [string, readonly Hot[]])[];
};

type RivalSeen = {
  readonly name: string;
  readonly perSecond: number;
  readonly bytes: number;
  readonly heapMb: number;
  readonly classes: ReadonlyMap<string, readonly number[]>;
  readonly right: number;
  readonly misspelt: number;
  readonly relevance: Score;
};

/** Makes the data, measures, and prints. */
export async function searchBench(how: SearchBench): Promise<void> {
  const folder = how.keep ?? mkdtempSync(join(tmpdir(), "tidegate-search-"));
  mkdirSync(folder, { recursive: true });
  try {
    const questions = questionsAbout(how.messages);
    note("questions made");
    const filled = await fill(folder, how.messages, questions);
    const ours = await measureOurs(folder, questions, filled, how.profile === true);
    tellClasses(how.messages, ours);
    tellRest(how.messages, ours, filled);
    for (const [name, hot] of ours.hot) tellHot(name, hot);
    if (how.rivals !== false && how.messages <= MOST_FOR_RIVALS) {
      const rivals = await measureRivals(folder, how.messages, questions);
      tellSideBySide(how.messages, ours, filled, rivals);
    }
    tellMissed(ours.relevance);
  } finally {
    if (how.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const idOf = (chat: number): string => `chat-${chat}`;

/** Through the store's own port, a thousand entries a commit, without waiting for the disk. */
async function fill(folder: string, messages: number, { items }: Questions): Promise<Filled> {
  const isThere = existsSync(join(folder, "tidegate.db"));
  const wanted = new Set(items.map(({ n }) => n));
  const lines = new Map<number, number>();
  const seqs = new Map<number, number>();
  let textBytes = 0;
  let changes: Change[] = [];
  const from = steadyMs();
  await using store = await openStore({ folder, ...SURROUNDINGS });
  const commit = async (): Promise<void> => {
    if (!isThere) await store.commit(changes, { sync: false });
    changes = [];
  };
  for (const { n, chat, who, text, at } of chatter(messages)) {
    const seq = (seqs.get(chat) ?? 0) + 1;
    seqs.set(chat, seq);
    if (wanted.has(n)) lines.set(n, seq);
    textBytes += Buffer.byteLength(text);
    if (seq === 1) changes.push(opening(idOf(chat), chat, at));
    changes.push(utterance(idOf(chat), who, text, n + 1, at));
    if (changes.length >= PER_COMMIT) await commit();
  }
  await commit();
  note(`${messages} messages in the store after ${((steadyMs() - from) / 1000).toFixed(0)} s`);
  return { textBytes, lines, last: idOf(Math.max(...seqs.keys())) };
}

async function measureOurs(
  folder: string,
  { classes, items }: Questions,
  { lines, last }: Filled,
  profile: boolean,
): Promise<Ours> {
  const path = join(folder, "search.db");
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${path}${ending}`, { force: true });
  const build = await built(folder);
  note(`index built in ${(build.tookMs / 1000).toFixed(1)} s`);
  const bytes = statSync(path).size;
  const asked = (query: (item: Questions["items"][number]) => string | undefined): readonly Item[] =>
    items.flatMap((item) => {
      const words = query(item);
      return words === undefined ? [] : [{ chat: idOf(item.chat), line: lines.get(item.n) ?? 0, query: words }];
    });
  const news = Array.from(chatter(2_000, 99), ({ text }) => text);
  await using subject = new Server(SUBJECT);
  const idleMb = await subject.call<number>("idle", folder);
  await subject.call("open", folder, news);
  const openMb = await subject.call<number>("memory");
  const seen = await subject.call<readonly ClassSeen[]>("times", classes, last);
  note("queries timed");
  const loadedMb = await subject.call<number>("memory");
  const right = await subject.call<ItemsSeen>(
    "items",
    asked(({ query }) => query),
  );
  const misspelt = await subject.call<ItemsSeen>(
    "items",
    asked((item) => item.misspelt),
  );
  const readers = await subject.call<readonly number[]>(
    "readers",
    asked(({ query }) => query),
  );
  const writes = await subject.call<Ours["writes"]>("writes", last);
  const relevance = await subject.call<Score>("relevance");
  const hot: (readonly [string, readonly Hot[]])[] = [];
  if (profile) {
    for (const { name, queries } of classes) {
      hot.push([name, await subject.call<readonly Hot[]>("profile", queries, 2)]);
    }
  }
  await subject.call("close");
  return { build, bytes, idleMb, openMb, loadedMb, classes: seen, right, misspelt, readers, writes, relevance, hot };
}

async function built(folder: string): Promise<BuildSeen> {
  await using builder = new Server(SUBJECT);
  return await builder.call<BuildSeen>("build", folder);
}

async function measureRivals(folder: string, messages: number, questions: Questions): Promise<readonly RivalSeen[]> {
  const seen: RivalSeen[] = [];
  for (const make of [wordTable, trigramTable, miniSearch]) {
    const place = mkdtempSync(join(folder, "rival-"));
    using rival = make(place);
    seen.push(measureRival(rival, messages, questions, await relevanceOf(make, place)));
    note(`${rival.name} measured`);
    rmSync(place, { recursive: true });
  }
  return seen;
}

function measureRival(rival: Rival, messages: number, { classes, items }: Questions, relevance: Score): RivalSeen {
  const before = process.memoryUsage().heapUsed;
  const from = steadyMs();
  let docs: { id: number; chat: string; text: string }[] = [];
  for (const { n, chat, text } of chatter(messages)) {
    docs.push({ id: n + 1, chat: idOf(chat), text });
    if (docs.length < PER_COMMIT && n + 1 < messages) continue;
    rival.add(docs);
    docs = [];
  }
  const perSecond = (messages / (steadyMs() - from)) * 1000;
  const heapMb = (process.memoryUsage().heapUsed - before) / 1e6;
  const bytes = rival.bytes();
  const times = classes.map(({ name, queries }) => {
    const took = queries.slice(0, RIVAL_QUERIES).map((query) => {
      const from = process.cpuUsage();
      rival.find(query);
      const { user, system } = process.cpuUsage(from);
      return (user + system) / 1000;
    });
    return [name, took] as const;
  });
  const share = (asked: readonly { readonly n: number; readonly query: string | undefined }[]): number => {
    const some = asked.filter(({ query }) => query !== undefined).slice(0, RIVAL_ITEMS);
    return some.filter(({ n, query = "" }) => rival.find(query).some(({ id }) => id === n + 1)).length / some.length;
  };
  const right = share(items);
  const misspelt = share(items.map((item) => ({ n: item.n, query: item.misspelt })));
  return { name: rival.name, perSecond, bytes, heapMb, classes: new Map(times), right, misspelt, relevance };
}

async function relevanceOf(make: (folder: string) => Rival, folder: string): Promise<Score> {
  const place = mkdtempSync(join(folder, "set-"));
  using rival = make(place);
  rival.add(
    setChats().flatMap(({ id: chat, said }, nth) =>
      said.map(({ text }, line) => ({ id: 100 * nth + line, chat, text })),
    ),
  );
  return await scoreOf(async (query) => [...new Set(rival.find(query).map(({ chat }) => chat))]);
}

function tellClasses(messages: number, { classes }: Ours): void {
  const heads = [
    "first pass p50",
    "p99",
    "warm p50",
    "p99",
    "p99 on the processor",
    "while writing p50",
    "p99",
    "answered",
  ];
  row([`${messages.toLocaleString("en-US")} messages, ms`, ...heads]);
  row(["---", ...heads.map(() => "---:")]);
  for (const { name, first, warm, writing, answered } of classes) {
    const times = [first.ms, warm.ms].flatMap((took) => [ms(took, 0.5), ms(took, 0.99)]);
    row([name, ...times, ms(warm.busyMs, 0.99), ms(writing.ms, 0.5), ms(writing.ms, 0.99), percent(answered)]);
  }
  row(["target", "", "< 15", "", "< 10", "", "", "< 10", ""]);
  process.stdout.write("\n");
}

function tellRest(messages: number, ours: Ours, { textBytes }: Filled): void {
  const { build, writes, readers, right, misspelt, relevance } = ours;
  row([`${messages.toLocaleString("en-US")} messages, ${mb(textBytes)} MB of text`, "", "target"]);
  row(["---", "---:", "---"]);
  row(["build, messages/s", ((messages / build.tookMs) * 1000).toFixed(0), "> 20,000"]);
  row(["the same for a second of processor time", ((messages / build.busyMs) * 1000).toFixed(0), ""]);
  row(["longest stop of the event loop meanwhile, ms", build.stopMs.toFixed(1), "< 20"]);
  row(["the same with nothing to do, ms", build.idleStopMs.toFixed(1), ""]);
  row(["most memory meanwhile, MB", build.mostMb.toFixed(0), ""]);
  row(["a message into the index, one at a time, p50, ms", ms(writes.alone.ms, 0.5), ""]);
  row(["the same, processor, p50, ms", ms(writes.alone.busyMs, 0.5), "< 0.7"]);
  row(["the same, clock, p99, ms", ms(writes.alone.ms, 0.99), ""]);
  row(["a message into the index, 250 at once, ms", ms(writes.together.ms, 0.5), ""]);
  row(["the same, processor, ms", ms(writes.together.busyMs, 0.5), "< 0.7"]);
  row(["index ÷ text", (ours.bytes / textBytes).toFixed(2), "< 2.5"]);
  row(["memory beyond the store alone, opened, MB", (ours.openMb - ours.idleMb).toFixed(0), "< 150"]);
  row(["the same after all queries, MB", (ours.loadedMb - ours.idleMb).toFixed(0), "< 150"]);
  row(["12 lines around one, p50, ms", ms(readers, 0.5), "< 1"]);
  row(["the same, p99, ms", ms(readers, 0.99), "< 1"]);
  row(["known messages found, spelt right", percent(right.line), "≥ 99 % at 200,000"]);
  row(["their chats", percent(right.chat), ""]);
  row(["known messages found, with a typo", percent(misspelt.line), "≥ 95 % at 200,000"]);
  row(["their chats", percent(misspelt.chat), ""]);
  row([
    "50 queries of the set, in front / in three",
    `${percent(relevance.first)} / ${percent(relevance.third)}`,
    "≥ 90 % in three",
  ]);
  row(["their nDCG at 8", relevance.gain.toFixed(3), ""]);
  row(["200 typos of the set found", percent(relevance.typos), "≥ 95 %"]);
  const [load = 0] = loadavg();
  process.stdout.write(
    `\nWith ${load.toFixed(1)} programs at work on ${availableParallelism()} cores (a minute's average).\n\n`,
  );
}

function tellSideBySide(messages: number, ours: Ours, { textBytes }: Filled, rivals: readonly RivalSeen[]): void {
  row([`${messages.toLocaleString("en-US")} messages`, "Tidegate", ...rivals.map(({ name }) => name)]);
  row(["---", "---:", ...rivals.map(() => "---:")]);
  // On the processor, since all of them share it with whatever else runs.
  for (const { name, warm } of ours.classes) {
    row([
      `${name}, p99 on the processor, ms`,
      ms(warm.busyMs, 0.99),
      ...rivals.map(({ classes }) => ms(classes.get(name) ?? [], 0.99)),
    ]);
  }
  const each = (name: string, own: string, other: (rival: RivalSeen) => string): void =>
    row([name, own, ...rivals.map(other)]);
  each("known messages found, spelt right", percent(ours.right.line), ({ right }) => percent(right));
  each("known messages found, with a typo", percent(ours.misspelt.line), ({ misspelt }) => percent(misspelt));
  each("50 queries of the set, in three", percent(ours.relevance.third), ({ relevance }) => percent(relevance.third));
  each("their nDCG at 8", ours.relevance.gain.toFixed(3), ({ relevance }) => relevance.gain.toFixed(3));
  each("200 typos of the set found", percent(ours.relevance.typos), ({ relevance }) => percent(relevance.typos));
  each("index ÷ text", (ours.bytes / textBytes).toFixed(2), ({ bytes }) => (bytes / textBytes).toFixed(2));
  each("memory on the heap, MB", "", ({ heapMb }) => heapMb.toFixed(0));
  each("build, messages/s", ((messages / ours.build.tookMs) * 1000).toFixed(0), ({ perSecond }) =>
    perSecond.toFixed(0),
  );
  process.stdout.write(
    `\nThe others: ${RIVAL_QUERIES} queries of each class and ${RIVAL_ITEMS} known messages. Every word must be there; where no line has them all, any.\n\n`,
  );
}

function tellHot(name: string, hot: readonly Hot[]): void {
  row([`share, ${name}`, "function"]);
  row(["---:", "---"]);
  for (const { share, at } of hot) row([percent(share), at]);
  process.stdout.write("\n");
}

function tellMissed({ missed }: Score): void {
  process.stdout.write(`Of the set, not found: ${missed.join("; ") || "nothing"}.\n`);
}

function ms(values: readonly number[], share: number): string {
  return percentile(values, share).toFixed(2);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function row(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

function note(words: string): void {
  process.stderr.write(`${words}\n`);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      messages: { type: "string", default: "200000" },
      rivals: { type: "boolean", default: true },
      profile: { type: "boolean", default: false },
      keep: { type: "string" },
    },
    allowNegative: true,
  });
  const { messages, rivals, profile, keep } = values;
  await searchBench({ messages: Number(messages), rivals, profile, ...(keep === undefined ? {} : { keep }) });
}
