// One run of one bot against the loopback servers, and what it shows.
import { join } from "node:path";
import { Server } from "./calls.ts";
import { Subject, type Places, type PlatformName, type Program, type Settings } from "./subject.ts";

/** The program of each loopback platform. */
export const PLATFORMS: Readonly<Record<PlatformName, URL>> = {
  telegram: new URL("telegram-server.ts", import.meta.url),
  slack: new URL("slack-server.ts", import.meta.url),
  discord: new URL("discord-server.ts", import.meta.url),
};

export const MODELS: URL = new URL("models-server.ts", import.meta.url);

/** The servers of a bench; each run opens them anew. */
export class Servers implements AsyncDisposable {
  readonly telegram: Server = new Server(PLATFORMS.telegram);
  readonly models: Server = new Server(MODELS);

  /** Fresh servers, which know of nothing before. */
  async open(): Promise<Places> {
    const modelUrl = await this.models.call<string>("open");
    return { ...(await this.telegram.call<{ apiRoot: string; token: string }>("open")), modelUrl };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.telegram[Symbol.asyncDispose](), this.models[Symbol.asyncDispose]()]);
  }
}

/** How much a run asks. */
export type Load = { readonly samples: number; readonly replies: number };

/** How a bot does under load. Times in milliseconds. */
export type Pull = {
  readonly toModelP50Ms: number;
  readonly toModelP99Ms: number;
  readonly repliesPerSecond: number;
  readonly busyMsPerReply: number;
};

/** What one run showed. Times in milliseconds, memory in MB. */
export type Seen = Pull & { readonly firstPollMs: number; readonly idleMb: number; readonly loadedMb: number };

const CHATS = 20;
const WARM_UP = 300;

/** People whom nobody has met, the bots of earlier runs included: a long talk is slower to go on with than a new one. */
let met = 2000;
export function newChats(): readonly number[] {
  met += CHATS;
  return Array.from({ length: CHATS }, (_, nth) => met + nth);
}

/** Starts the bot, looks at it idle, one message at a time and under load, and stops it. */
export async function run(
  servers: Servers,
  program: (places: Places) => Program,
  load: Load,
  folder: string,
): Promise<Seen> {
  const { telegram, models } = servers;
  const places = await servers.open();
  await using subject = new Subject(program(places), join(folder, "notes.txt"));
  const firstPollMs = (await subject.until(telegram.call<number>("connected"))) - subject.startedAt;
  const idleMb = await subject.settledMb();
  const pull = await underLoad(subject, telegram, models, load);
  return { firstPollMs, idleMb, ...pull, loadedMb: subject.residentMb() };
}

/** One message at a time, and then 20 chats side by side. */
export async function underLoad(subject: Subject, platform: Server, models: Server, load: Load): Promise<Pull> {
  // Code that ran a few times only is slow for everyone; what people meet is a bot that has been up for a while.
  await subject.until(platform.call("sideBySide", newChats(), WARM_UP));
  await models.call("reached");

  const said = await subject.until(platform.call<Record<string, number>>("oneByOne", newChats(), load.samples));
  const reached = await models.call<Record<string, number>>("reached");
  const toModel = Object.entries(said).map(([mark, at]) => (reached[mark] ?? Number.NaN) - at);

  const busyBefore = subject.busyMs();
  const tookMs = await subject.until(platform.call<number>("sideBySide", newChats(), load.replies));
  return {
    toModelP50Ms: percentile(toModel, 0.5),
    toModelP99Ms: percentile(toModel, 0.99),
    repliesPerSecond: (load.replies / tookMs) * 1000,
    busyMsPerReply: (subject.busyMs() - busyBefore) / load.replies,
  };
}

/** The value that `share` of all are not above. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Starts the bot and stops it at its first poll; gives how long that took. */
export async function start(servers: Servers, program: (places: Places) => Program, folder: string): Promise<number> {
  await using subject = new Subject(program(await servers.open()), join(folder, "notes.txt"));
  return (await subject.until(servers.telegram.call<number>("connected"))) - subject.startedAt;
}

/** Only the load, with Node's profiler on; the profile lies in `folder` afterwards. */
export async function profiled(
  platform: Server,
  models: Server,
  program: (settings: Settings, modelUrl: string) => Program,
  replies: number,
  folder: string,
): Promise<void> {
  const modelUrl = await models.call<string>("open");
  const settings = await platform.call<Settings>("open");
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
  await using subject = new Subject(program(settings, modelUrl), join(folder, "notes.txt"), nodeArgs);
  await subject.until(platform.call("connected"));
  if (replies > 0) await subject.until(platform.call("sideBySide", newChats(), replies));
}
