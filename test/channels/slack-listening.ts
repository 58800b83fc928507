// A person's workspace with the channel under test connected to it, and its batches pulled by hand.
import { onTestFinished } from "vitest";
import { slack } from "../../src/channels/slack/channel.ts";
import type { SlackSettings, SlackTimes } from "../../src/channels/slack/channel.ts";
import type { Inbound, Platform, RawUpdate, Since } from "../../src/core/channel.ts";
import { recordedSurroundings } from "../contracts/channel.ts";
import { startSlack } from "../wire/slack.ts";
import type { SlackOptions, SlackWire } from "../wire/slack.ts";

export const OWNER = "U01OWNER";
export const FRIEND = "U02FRIEND";
export const NOTHING: Since = { marks: new Map() };

/** Deadlines that a test can wait for. */
export const QUICK: SlackTimes = { helloMs: 1500, pingMs: 300, settleMs: 0 };

export type Heard = { readonly update: RawUpdate; readonly inbound: Inbound };

/** Pulls batches by hand, so that a test decides when one is acknowledged. */
export class Listening {
  readonly platform: Platform;
  readonly #stop = new AbortController();
  readonly #batches: AsyncIterator<readonly RawUpdate[]>;
  #asked: Promise<IteratorResult<readonly RawUpdate[]>> | undefined;
  #left: Heard[] = [];

  constructor(platform: Platform, since: Since = NOTHING) {
    this.platform = platform;
    this.#batches = platform.channel.inbound(this.#stop.signal, since)[Symbol.asyncIterator]();
  }

  /** The next batch, which acknowledges the one before; undefined at the end. */
  async batch(): Promise<readonly RawUpdate[] | undefined> {
    this.#asked ??= this.#batches.next();
    const { done, value } = await this.#asked;
    this.#asked = undefined;
    return done === true ? undefined : value;
  }

  /** The next update and what it means, as read back from a store. */
  async next(): Promise<Heard> {
    for (;;) {
      const first = this.#left.shift();
      if (first !== undefined) return first;
      const batch = await this.batch();
      if (batch === undefined) throw new Error("The channel ended.");
      this.#left = batch.map((update) => ({
        update,
        inbound: this.platform.channel.read(JSON.parse(JSON.stringify(update.raw))),
      }));
    }
  }

  async message(): Promise<Extract<Inbound, { kind: "message" }>> {
    const { inbound } = await this.next();
    if (inbound.kind !== "message") throw new Error(`A message was awaited: ${JSON.stringify(inbound)}`);
    return inbound;
  }

  async press(): Promise<Extract<Inbound, { kind: "press" }>> {
    const { inbound } = await this.next();
    if (inbound.kind !== "press") throw new Error(`A press was awaited: ${JSON.stringify(inbound)}`);
    return inbound;
  }

  /** Asks for more without waiting for it: what came so far is stored. */
  ask(): void {
    this.#asked ??= this.#batches.next();
    this.#asked.catch(() => undefined);
  }

  get signal(): AbortController {
    return this.#stop;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    while ((await this.batch()) !== undefined);
  }
}

type More = { settings?: Partial<SlackSettings>; times?: SlackTimes };

export type Workspace = {
  readonly wire: SlackWire;
  readonly lines: string[];
  readonly dm: string;
  readonly connect: (more?: More) => Platform;
  /** Connected, and told so. */
  readonly listen: (since?: Since, more?: More) => Promise<Listening>;
};

export async function workspace(options: SlackOptions = {}): Promise<Workspace> {
  const wire = await startSlack(options);
  onTestFinished(async () => await wire[Symbol.asyncDispose]());
  wire.addUser({ id: OWNER, name: "Sam" });
  wire.addUser({ id: FRIEND, name: "Robin" });
  const { surroundings, lines } = recordedSurroundings();
  const connect: Workspace["connect"] = ({ settings = {}, times = {} } = {}) => {
    const platform = slack(
      { botToken: wire.botToken, appToken: wire.appToken, apiUrl: wire.apiUrl, ...settings },
      surroundings,
      { ...QUICK, ...times },
    );
    onTestFinished(async () => await platform.channel[Symbol.asyncDispose]());
    return platform;
  };
  return {
    wire,
    lines,
    dm: wire.dm(OWNER),
    connect,
    async listen(since, more) {
      const listening = new Listening(connect(more), since);
      onTestFinished(() => listening.signal.abort());
      const first = await listening.batch();
      if (first?.length !== 0)
        throw new Error("The first batch says that the channel is connected, and holds nothing.");
      return listening;
    },
  };
}

/** The words of a message's own parts. */
export function words(inbound: Inbound): string {
  if (inbound.kind !== "message" && inbound.kind !== "edit") return "";
  return inbound.parts.map((part) => (part.kind === "text" ? part.text : `[${part.file.name}]`)).join("\n");
}
