// The search in a process that holds nothing but a store and its index, so that memory and pauses are its own. Called by search.ts.
import { Session } from "node:inspector/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { realClock } from "../../src/gateway/real.ts";
import type { Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { scoreOf, setChanges, type Score } from "../search/relevance.ts";
import { serve, steadyMs } from "./calls.ts";
import type { QueryClass } from "./search-corpus.ts";
import { SURROUNDINGS, utterance } from "./search-entries.ts";

/** What queries took, one after the other: milliseconds on the clock, and of the processor's time. */
export type Took = { readonly ms: readonly number[]; readonly busyMs: readonly number[] };

/** One class's queries, each once and then in rounds. `answered`: the share that found something. */
export type ClassSeen = {
  readonly name: string;
  readonly first: Took;
  readonly warm: Took;
  readonly writing: Took;
  readonly answered: number;
};

/** A known item as asked: its line is the seq of its entry. */
export type Item = { readonly chat: string; readonly line: number; readonly query: string };

/** Of the items: the shares whose line, and whose chat, was among what was shown. */
export type ItemsSeen = { readonly line: number; readonly chat: number };

/** What a build of the whole index showed. `busyMs`: processor time of all threads. `stopMs`: the longest that the event loop stood still meanwhile; `idleStopMs`: and after it. */
export type BuildSeen = {
  readonly tookMs: number;
  readonly busyMs: number;
  readonly stopMs: number;
  readonly idleStopMs: number;
  readonly mostMb: number;
};

/** A function's own share of the time, from 0 to 1. */
export type Hot = { readonly share: number; readonly at: string };

const WARM_ROUNDS = 2;
const WRITES_ALONE = 300;
const BATCH = 250;
const BATCHES = 12;
/** How long the event loop is watched with nothing to do. */
const MOST_IDLE_MS = 20_000;
/** Between two messages that come in while queries are asked. */
const WRITE_EVERY_MS = 10;

let store: Store | undefined;
let search: Search | undefined;
let written = 0;
/** What is said while it is measured, over and over. Made elsewhere, so that its making takes no memory here. */
let news: readonly string[] = [];

/** Opens the search of a folder over its open store. */
export async function searchOver(folder: string, over: Store): Promise<Search> {
  return await openSearch({ folder, store: over, secrets: [], ...SURROUNDINGS });
}

if (process.send !== undefined) {
  serve({
    /** Opens the store alone; gives the process's memory in MB. */
    async idle(folder: string) {
      store = await openStore({ folder, ...SURROUNDINGS });
      await store.log.page(0, 500);
      return await residentMb();
    },
    async open(folder: string, texts: readonly string[]) {
      news = texts;
      search = await searchOver(folder, open(store));
      await search.settled();
    },
    build,
    memory: residentMb,
    profile,
    times,
    items,
    readers,
    writes,
    relevance: relevanceScore,
    async close() {
      await search?.[Symbol.asyncDispose]();
      await store?.[Symbol.asyncDispose]();
    },
  });
}

/** Makes the index of a folder that has none. */
async function build(folder: string): Promise<BuildSeen> {
  await using held = await openStore({ folder, ...SURROUNDINGS });
  await held.log.page(0, 500);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const [from, busyFrom] = [steadyMs(), process.cpuUsage()];
  let mostMb = 0;
  const watch = setInterval(() => (mostMb = Math.max(mostMb, process.memoryUsage.rss() / 1e6)), 250);
  delay.enable();
  await using over = await searchOver(folder, held);
  await over.settled();
  const tookMs = steadyMs() - from;
  const { user, system } = process.cpuUsage(busyFrom);
  const stopMs = delay.max / 1e6;
  clearInterval(watch);
  delay.reset();
  await sleep(Math.min(tookMs, MOST_IDLE_MS));
  delay.disable();
  return { tookMs, busyMs: (user + system) / 1000, stopMs, idleStopMs: delay.max / 1e6, mostMb };
}

/** Runs queries in rounds under V8's profiler; gives the functions with the most time of their own. */
async function profile(queries: readonly string[], rounds: number): Promise<readonly Hot[]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  for (let round = 0; round < rounds; round += 1) await timesOf(queries);
  const { profile: seen } = await session.post("Profiler.stop");
  session.disconnect();
  const sums = new Map<string, number>();
  const frames = new Map(seen.nodes.map(({ id, callFrame }) => [id, callFrame]));
  let all = 0;
  for (const [nth, id] of (seen.samples ?? []).entries()) {
    const frame = frames.get(id);
    if (frame === undefined || frame.functionName === "(idle)" || frame.url.startsWith("node:inspector")) continue;
    const took = seen.timeDeltas?.[nth] ?? 0;
    const at = `${frame.functionName || "(anonymous)"} ${frame.url.replace(/^.*\/(?=(?:src|test)\/)/u, "")}:${frame.lineNumber + 1}`;
    sums.set(at, (sums.get(at) ?? 0) + took);
    all += took;
  }
  const most = [...sums].sort(([, one], [, other]) => other - one).slice(0, 12);
  return most.map(([at, took]) => ({ share: took / all, at }));
}

/** Every query once after the opening, and then again in rounds; and once more while messages come in. */
async function times(classes: readonly QueryClass[], chat: string): Promise<readonly ClassSeen[]> {
  const firsts: (Took & { readonly answered: number })[] = [];
  for (const { queries } of classes) {
    const chats: number[] = [];
    const took = await timesOf(queries, chats);
    firsts.push({ ...took, answered: chats.filter((count) => count > 0).length / queries.length });
  }
  const warms: Took[] = [];
  for (const { queries } of classes)
    warms.push(await timesOf(Array.from({ length: WARM_ROUNDS }, () => queries).flat()));
  const ending = new AbortController();
  const writer = keepWriting(chat, ending.signal);
  const writings: Took[] = [];
  for (const { queries } of classes) writings.push(await timesOf(queries, [], async () => await sleep(1)));
  ending.abort();
  await writer;
  const none: Took = { ms: [], busyMs: [] };
  return classes.map(({ name }, nth) => {
    const first = firsts[nth] ?? { ...none, answered: 0 };
    return { name, first, warm: warms[nth] ?? none, writing: writings[nth] ?? none, answered: first.answered };
  });
}

/** `pause`: else nobody but the queries would get a turn. */
async function timesOf(
  queries: readonly string[],
  chats: number[] = [],
  pause: () => Promise<unknown> = async () => undefined,
): Promise<Took> {
  const ms: number[] = [];
  const busyMs: number[] = [];
  for (const query of queries) {
    const [from, busyFrom] = [steadyMs(), process.cpuUsage()];
    const found = await open(search).find(query, {});
    const { user, system } = process.cpuUsage(busyFrom);
    ms.push(steadyMs() - from);
    busyMs.push((user + system) / 1000);
    chats.push(found.chats.length);
    await pause();
  }
  return { ms, busyMs };
}

async function keepWriting(chat: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await write(chat, 1);
    await sleep(WRITE_EVERY_MS);
  }
}

/** New messages at the end of a chat. */
async function write(chat: string, count: number): Promise<void> {
  const changes = Array.from({ length: count }, () => {
    written += 1;
    return utterance(chat, "you", news[written % news.length] ?? "", 10_000_000 + written, realClock.now());
  });
  await open(store).commit(changes, { sync: false });
}

async function items(asked: readonly Item[]): Promise<ItemsSeen> {
  let [lines, chats] = [0, 0];
  for (const { chat, line, query } of asked) {
    const found = (await open(search).find(query, {})).chats.find((one) => one.chat === chat);
    if (found !== undefined) chats += 1;
    if (found?.hits.some((hit) => hit.line === line) === true) lines += 1;
  }
  return { line: lines / asked.length, chat: chats / asked.length };
}

async function readers(places: readonly Item[]): Promise<readonly number[]> {
  const took: number[] = [];
  for (const { chat, line } of places) {
    const from = steadyMs();
    const stretch = await open(search).read(chat, { direction: "around", line }, {});
    took.push(steadyMs() - from);
    if (stretch === undefined) throw new Error(`no lines around ${line} of ${chat}`);
  }
  return took;
}

/** What bringing the index to the log's end takes for a message, one at a time and many together. */
async function writes(chat: string): Promise<{ readonly alone: Took; readonly together: Took }> {
  const drains = async (times: number, count: number): Promise<Took> => {
    const took: { readonly ms: number[]; readonly busyMs: number[] } = { ms: [], busyMs: [] };
    for (let nth = 0; nth < times; nth += 1) {
      await write(chat, count);
      const [from, busyFrom] = [steadyMs(), process.cpuUsage()];
      await open(search).read(chat, { direction: "end" }, {});
      const { user, system } = process.cpuUsage(busyFrom);
      took.ms.push((steadyMs() - from) / count);
      took.busyMs.push((user + system) / 1000 / count);
    }
    return took;
  };
  return { alone: await drains(WRITES_ALONE, 1), together: await drains(BATCHES, BATCH) };
}

async function relevanceScore(): Promise<Score> {
  await using held = await openStore({ folder: ":memory:", ...SURROUNDINGS });
  await held.commit(setChanges());
  await using over = await searchOver(":memory:", held);
  await over.settled();
  return await scoreOf(async (query) => (await over.find(query, {})).chats.map(({ chat }) => chat));
}

/** The memory after a thorough collection of garbage, in MB; V8 gives some of it back a moment later. */
async function residentMb(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let nth = 0; nth < 3; nth += 1) {
    collect();
    await sleep(300);
  }
  return process.memoryUsage.rss() / 1e6;
}

function open<T>(held: T | undefined): T {
  if (held === undefined) throw new Error("nothing is open yet");
  return held;
}
