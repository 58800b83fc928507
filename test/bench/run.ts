// One run of one bot against the loopback servers, and what it shows.
import { join } from "node:path";
import { Server } from "./calls.ts";
import { Subject, type Places, type Program } from "./subject.ts";

/** The servers of a bench; each run opens them anew. */
export class Servers implements AsyncDisposable {
  readonly telegram: Server = new Server(new URL("telegram-server.ts", import.meta.url));
  readonly models: Server = new Server(new URL("models-server.ts", import.meta.url));

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

/** What one run showed. Times in milliseconds, memory in MB. */
export type Seen = {
  readonly firstPollMs: number;
  readonly idleMb: number;
  readonly toModelP50Ms: number;
  readonly toModelP99Ms: number;
  readonly repliesPerSecond: number;
  readonly busyMsPerReply: number;
  readonly loadedMb: number;
};

const CHATS = 20;
const WARM_UP = 300;

/** People whom nobody has met, the bots of earlier runs included: a long talk is slower to go on with than a new one. */
let met = 2000;
function newChats(): readonly number[] {
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
  const firstPollMs = (await subject.until(telegram.call<number>("firstPoll"))) - subject.startedAt;
  const idleMb = await subject.settledMb();
  // Code that ran a few times only is slow for everyone; what people meet is a bot that has been up for a while.
  await subject.until(telegram.call("sideBySide", newChats(), WARM_UP));
  await models.call("reached");

  const said = await subject.until(telegram.call<Record<string, number>>("oneByOne", newChats(), load.samples));
  const reached = await models.call<Record<string, number>>("reached");
  const toModel = Object.entries(said).map(([mark, at]) => (reached[mark] ?? Number.NaN) - at);

  const busyBefore = subject.busyMs();
  const tookMs = await subject.until(telegram.call<number>("sideBySide", newChats(), load.replies));
  return {
    firstPollMs,
    idleMb,
    toModelP50Ms: percentile(toModel, 0.5),
    toModelP99Ms: percentile(toModel, 0.99),
    repliesPerSecond: (load.replies / tookMs) * 1000,
    busyMsPerReply: (subject.busyMs() - busyBefore) / load.replies,
    loadedMb: subject.residentMb(),
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
  return (await subject.until(servers.telegram.call<number>("firstPoll"))) - subject.startedAt;
}

/** Only the load, with Node's profiler on; the profile lies in `folder` afterwards. */
export async function profiled(
  servers: Servers,
  program: (places: Places) => Program,
  replies: number,
  folder: string,
): Promise<void> {
  const places = await servers.open();
  const nodeArgs = ["--cpu-prof", `--cpu-prof-dir=${folder}`];
  await using subject = new Subject(program(places), join(folder, "notes.txt"), nodeArgs);
  await subject.until(servers.telegram.call("firstPoll"));
  if (replies > 0) await subject.until(servers.telegram.call("sideBySide", newChats(), replies));
}
