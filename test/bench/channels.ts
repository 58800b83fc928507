// What each channel costs, and all three in one gateway: the start, a message's way to the model, the load, and a broken connection.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Server } from "./calls.ts";
import { MODELS, newChats, percentile, PLATFORMS, underLoad, type Load, type Pull } from "./run.ts";
import { compiledIn, Subject, tidegateOn, type PlatformName, type Program, type Settings } from "./subject.ts";

/** What was seen of one channel. Times in milliseconds, memory in MB; of each, one value a run, but for the breaks. */
export type ChannelSeen = {
  readonly started: StartSeen;
  readonly pulls: readonly Pull[];
  /** From the cut of a connection until what was written during the gap reached the model. */
  readonly gapMs: readonly number[];
  /** The same where what was written never comes by itself, and stands in the history alone. */
  readonly missedMs: readonly number[];
  /** All messages of the runs, and those of them that reached the model exactly once. */
  readonly written: number;
  readonly once: number;
};

export type StartSeen = {
  readonly connectedMs: readonly number[];
  /** The processor time until then, all threads: other work on the machine changes it little. */
  readonly busyMs: readonly number[];
  /** The same when nothing was compiled before. */
  readonly coldMs: readonly number[];
  readonly idleMb: readonly number[];
};

export type ChannelsSeen = { readonly of: Readonly<Record<PlatformName, ChannelSeen>>; readonly together: StartSeen };

type Bench = {
  readonly project: string;
  readonly folder: string;
  readonly runs: number;
  readonly load: Load;
  readonly note: (words: string) => void;
};

const NAMES = ["telegram", "slack", "discord"] as const satisfies readonly PlatformName[];

/** Breaks in one run. More in a short time are a platform in trouble, and the channels wait before they come again. */
const GAPS = 3;
const CALM_MS = 1000;
/** Discord allows a new session every 5 seconds. */
const SESSION_MS = 6000;
/** By then a message that comes twice has come twice. */
const LATE_MS = 1500;
const WARM_UP = 40;

/** Measures each channel alone and all together, by turns. */
export async function measureChannels(bench: Bench): Promise<ChannelsSeen> {
  await using servers = new ChannelServers();
  const { folder, runs, note } = bench;
  const all = Object.fromEntries([...NAMES, "together"].map((name) => [name, emptyChannel()])) as Record<
    PlatformName | "together",
    Filled
  >;
  const groups = [...NAMES.map((name) => [name, [name]] as const), ["together", NAMES] as const];
  // Tidegate's own compiled code is there from the first start on.
  for (const [, names] of groups) await start(bench, servers, names, emptyChannel());
  for (let nth = 1; nth <= runs; nth += 1) {
    for (const [group, names] of groups) {
      await start(bench, servers, names, all[group], join(folder, "compiled-anew"));
      if (group === "together") await start(bench, servers, names, all[group]);
      else {
        await run(bench, servers, group, all[group]);
        await breaks(bench, servers, group, all[group]);
      }
    }
    note(`channels: run ${nth} of ${runs}`);
  }
  const { together, ...of } = all;
  return { of, together: together.started };
}

/** The rows of the printed table: a name, each channel's figure, that of all in one, and the target. */
export function channelRows({ of, together }: ChannelsSeen): readonly (readonly string[])[] {
  const row = (
    name: string,
    target: string,
    digits: number,
    value: (seen: ChannelSeen) => readonly number[],
  ): string[] => [name, ...NAMES.map((channel) => spread(value(of[channel]), digits)), "", target];
  const starts = (name: string, target: string, value: (seen: StartSeen) => readonly number[]): string[] => [
    name,
    ...[...NAMES.map((channel) => of[channel].started), together].map((seen) => spread(value(seen), 0)),
    target,
  ];
  return [
    ["", "Telegram", "Slack", "Discord", "all three", "target"],
    ["---", "---:", "---:", "---:", "---:", "---"],
    starts("start → connected, ms", "< 1,500", (seen) => seen.connectedMs),
    starts("processor time until then, ms", "", (seen) => seen.busyMs),
    starts("start → connected at the first start of all, ms", "", (seen) => seen.coldMs),
    starts("resident memory, idle, MB", "< 170, all three", (seen) => seen.idleMb),
    row("event → model request, p50, ms", "< 15", 2, ({ pulls }) => pulls.map((pull) => pull.toModelP50Ms)),
    row("event → model request, p99, ms", "", 2, ({ pulls }) => pulls.map((pull) => pull.toModelP99Ms)),
    row("replies/s, 20 chats side by side", "", 0, ({ pulls }) => pulls.map((pull) => pull.repliesPerSecond)),
    row("processor time a reply, ms", "", 2, ({ pulls }) => pulls.map((pull) => pull.busyMsPerReply)),
    row("cut → a message of the gap at the model, ms", "< 3,000", 0, (seen) => seen.gapMs),
    row("the same, found in the history alone, ms", "< 3,000", 0, (seen) => seen.missedMs),
    [
      "messages that reached the model once",
      ...NAMES.map((channel) => `${of[channel].once} of ${of[channel].written}`),
      "",
      "all",
    ],
  ];
}

/** The median, and between what it was found. */
export function spread(values: readonly number[], digits: number): string {
  if (values.length === 0) return "";
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return `${percentile(values, 0.5).toFixed(digits)} (${least}–${most})`;
}

class ChannelServers implements AsyncDisposable {
  readonly models: Server = new Server(MODELS);
  readonly platforms: Readonly<Record<PlatformName, Server>> = {
    telegram: new Server(PLATFORMS.telegram),
    slack: new Server(PLATFORMS.slack),
    discord: new Server(PLATFORMS.discord),
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.models, ...Object.values(this.platforms)].map((one) => one[Symbol.asyncDispose]()));
  }
}

type Growing<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer V)[] ? V[] : T[K] };
type Filled = Growing<Omit<ChannelSeen, "started">> & { started: Growing<StartSeen> };

function emptyChannel(): Filled {
  const started = { connectedMs: [], busyMs: [], coldMs: [], idleMb: [] };
  return { started, pulls: [], gapMs: [], missedMs: [], written: 0, once: 0 };
}

/** Fresh servers and a program that is to talk to them. */
async function open(
  { project, folder }: Bench,
  { models, platforms }: ChannelServers,
  names: readonly PlatformName[],
): Promise<{ program: Program; data: string; connected: () => Promise<number> }> {
  const modelUrl = await models.call<string>("open");
  const settings: [PlatformName, Settings][] = [];
  for (const name of names) settings.push([name, await platforms[name].call<Settings>("open")]);
  const data = join(folder, "channels");
  return {
    program: tidegateOn(Object.fromEntries(settings), project, data, modelUrl),
    data,
    connected: async () =>
      Math.max(...(await Promise.all(names.map(async (name) => await platforms[name].call<number>("connected"))))),
  };
}

/** Only a start, looked at idle. `compiled`: a folder for compiled code that is empty, as at the first start of all. */
async function start(
  bench: Bench,
  servers: ChannelServers,
  names: readonly PlatformName[],
  { started }: Filled,
  compiled?: string,
): Promise<void> {
  const { program, data, connected } = await open(bench, servers, names);
  {
    const given = compiled === undefined ? program : compiledIn(compiled, program);
    await using subject = new Subject(given, join(bench.folder, "notes.txt"));
    if (compiled !== undefined) started.coldMs.push((await subject.until(connected())) - subject.startedAt);
    else {
      await noteStart(subject, connected, started);
      started.idleMb.push(await subject.settledMb());
    }
  }
  rmSync(data, { recursive: true });
  if (compiled !== undefined) rmSync(compiled, { recursive: true, force: true });
}

async function noteStart(
  subject: Subject,
  connected: () => Promise<number>,
  { connectedMs, busyMs }: Filled["started"],
): Promise<void> {
  connectedMs.push((await subject.until(connected())) - subject.startedAt);
  busyMs.push(subject.busyMs());
}

/** One channel under load. */
async function run(bench: Bench, servers: ChannelServers, name: PlatformName, seen: Filled): Promise<void> {
  const { program, data, connected } = await open(bench, servers, [name]);
  {
    await using subject = new Subject(program, join(bench.folder, "notes.txt"));
    await noteStart(subject, connected, seen.started);
    seen.started.idleMb.push(await subject.settledMb());
    seen.pulls.push(await underLoad(subject, servers.platforms[name], servers.models, bench.load));
    await count(servers, name, seen);
  }
  rmSync(data, { recursive: true });
}

/** One channel whose connection breaks, in the middle of 20 chats. */
async function breaks(bench: Bench, servers: ChannelServers, name: PlatformName, seen: Filled): Promise<void> {
  const platform = servers.platforms[name];
  const { program, data, connected } = await open(bench, servers, [name]);
  {
    await using subject = new Subject(program, join(bench.folder, "notes.txt"));
    await noteStart(subject, connected, seen.started);
    const chats = newChats();
    await subject.until(platform.call("sideBySide", chats, WARM_UP));
    const broken = async (missed: boolean): Promise<number> => {
      const { at, mark } = await subject.until(platform.call<{ at: number; mark: string }>("cut", chats, missed));
      const reached = await servers.models.call<Record<string, number>>("reached");
      return (reached[mark] ?? Number.NaN) - at;
    };
    for (let nth = 0; nth < GAPS; nth += 1) {
      await sleep(CALM_MS);
      seen.gapMs.push(await broken(false));
    }
    // Telegram keeps what nobody has fetched, and has no history to read.
    if (name !== "telegram") {
      if (name === "discord") await sleep(SESSION_MS);
      seen.missedMs.push(await broken(true));
    }
    await count(servers, name, seen);
  }
  rmSync(data, { recursive: true });
}

/** What was written so far, and what of it reached the model exactly once. */
async function count({ models, platforms }: ChannelServers, name: PlatformName, seen: Filled): Promise<void> {
  await sleep(LATE_MS);
  const written = await platforms[name].call<readonly string[]>("written");
  const times = await models.call<Record<string, number>>("times");
  seen.written += written.length;
  seen.once += written.filter((mark) => times[mark] === 1).length;
}
