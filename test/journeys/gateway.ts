// What every journey stands on: the real gateway between a loopback Telegram and a loopback model, over one data folder that
// outlives stops and kills. In this process where that is enough, as the real program where its end is part of the story.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { telegram } from "../../src/channels/telegram/channel.ts";
import type { TelegramTimes } from "../../src/channels/telegram/channel.ts";
import { terminal } from "../../src/channels/terminal/channel.ts";
import type { Pace, Platform } from "../../src/core/channel.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import type { Tool } from "../../src/core/tool.ts";
import { createEngine } from "../../src/engines/registry.ts";
import { Engines } from "../../src/gateway/engines.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import type { Gateway, GatewayParts } from "../../src/gateway/parts.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import type { ReadOnlyStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { holdBack, scrubber } from "../../src/taint/scrub.ts";
import { nowTool } from "../../src/turn/now.ts";
import { PLAIN_PARTS } from "../gateway/plain-parts.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import type { ModelRequest } from "../wire/models-script.ts";
import type { SayExtra } from "../wire/telegram-people.ts";
import type { ShownMessage } from "../wire/telegram-state.ts";
import { startTelegram } from "../wire/telegram.ts";
import type { Match, TelegramOptions, TelegramWire } from "../wire/telegram.ts";

/** The owner, and the private chat of theirs. */
export const SAM = 1001;
/** Somebody else. */
export const EVE = 6666;

/** A loaded machine may be slow; nothing here takes long by itself. */
export const PATIENT: { readonly timeoutMs: number } = { timeoutMs: 12_000 };

export type JourneyOptions = {
  /** The real program instead of the parts in this process. */
  readonly program?: boolean;
  readonly owner?: number;
  /** 0 by default: each message is its own. */
  readonly joinWithinMs?: number;
  readonly groups?: "off" | "mention";
  /** No limits by default. `draftMs` counts in this process only. */
  readonly pace?: Partial<Pace>;
  /** In this process only. */
  readonly times?: TelegramTimes;
  /** Engines by name; `model` names the model that the loopback server sees. The first one is the default. */
  readonly engines?: Readonly<Record<string, ModelSettings>>;
  readonly wire?: TelegramOptions;
  readonly apiKey?: string;
  /** A terminal beside Telegram, in this process only. */
  readonly terminal?: boolean;
  /** The config names no owner on Telegram. In this process only, as all that follows. */
  readonly unpaired?: boolean;
  readonly access?: Partial<GatewayParts["access"]>;
  readonly authority?: Partial<Pick<GatewayParts, "mode" | "checkAfterReading" | "places">>;
  readonly secrets?: readonly string[];
  /** Beside the clock. */
  readonly tools?: readonly Tool[];
  /** Stands in for the engines, under the name "puppet", which becomes the default. */
  readonly puppet?: (surroundings: Surroundings) => Engine;
};

type ModelSettings = {
  readonly model?: string;
  readonly images?: boolean;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
  readonly maxSteps?: number;
};

type Running = AsyncDisposable & { readonly gateway?: Gateway; readonly store?: Store; kill?(): Promise<void> };

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Opens both loopback servers and starts the gateway; what is asked for afterwards is waited for, never slept for. */
export async function journey(options: JourneyOptions = {}): Promise<Journey> {
  const made = new Journey(options, await startTelegram(options.wire ?? {}), await startModels(options));
  made.telegram.addUser({ id: options.owner ?? SAM, first_name: "Sam", username: "sam" });
  await made.start();
  return made;
}

export class Journey implements AsyncDisposable {
  readonly telegram: TelegramWire;
  readonly models: ModelsWire;
  readonly folder: string;
  /** What the gateway noted for its operator, from all its lives. */
  notes = "";
  /** What was told to whoever started it. */
  told = "";
  /** The terminal's screen, when there is one. */
  screen = "";
  keyboard: PassThrough = new PassThrough();
  #options: JourneyOptions;
  #running: Running | undefined;

  constructor(options: JourneyOptions, wire: TelegramWire, models: ModelsWire) {
    this.#options = options;
    this.telegram = wire;
    this.models = models;
    this.folder = mkdtempSync(join(tmpdir(), "tidegate-journey-"));
  }

  get owner(): number {
    return this.#options.owner ?? SAM;
  }

  get data(): string {
    return join(this.folder, "data");
  }

  get gateway(): Gateway {
    if (this.#running?.gateway === undefined) throw new Error("The gateway is not running in this process.");
    return this.#running.gateway;
  }

  /** Starts over the same data folder and waits until Telegram is being polled. */
  async start(): Promise<void> {
    await this.begin();
    await this.telegram.until((wire) => wire.polling, { ...PATIENT, what: "the first poll" });
  }

  /** Starts without waiting: for starts that go wrong. */
  async begin(): Promise<void> {
    this.#running = this.#options.program === true ? this.#spawn() : await this.#open();
  }

  /** An orderly end. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.[Symbol.asyncDispose]();
  }

  /** SIGKILL, and until the process is gone. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running?.kill === undefined) throw new Error("Only the program can be killed.");
    await running.kill();
  }

  /** `changes` are edits of the config meanwhile. */
  async restart(changes: JourneyOptions = {}): Promise<void> {
    await this.stop();
    this.#options = { ...this.#options, ...changes };
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.#keepTalk();
    await Promise.all([this.telegram[Symbol.asyncDispose](), this.models[Symbol.asyncDispose]()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The owner writes in the private chat. */
  say(text: string, extra?: SayExtra): number {
    return this.telegram.say(this.owner, this.owner, text, extra).message_id;
  }

  /** A message of the bot in the owner's private chat. */
  async shown(match: Match, options: { readonly after?: number; readonly chat?: number } = {}): Promise<ShownMessage> {
    const { chat = this.owner, after } = options;
    return await this.telegram.shown(chat, match, { ...PATIENT, ...(after === undefined ? {} : { after }) });
  }

  /** The texts of all that the bot shows in a chat now, in order. */
  texts(chat: number = this.owner): string[] {
    return this.telegram.sent(chat).map((message) => message.text);
  }

  /** Waits until a model was asked `count` times in all. */
  async asked(count: number): Promise<ModelRequest> {
    await this.models.until((wire) => wire.requestCount >= count, { ...PATIENT, what: `${count} model requests` });
    const request = this.models.requests[count - 1];
    if (request === undefined) throw new Error("That request is no longer kept.");
    return request;
  }

  /** Waits until nothing is under way: all in the log, answered and shown. */
  async settled(): Promise<void> {
    await this.telegram.until((wire) => wire.pendingUpdates === 0, { ...PATIENT, what: "every update taken" });
    await this.gateway.settled();
  }

  /** Every entry of every conversation, archived ones too, by conversation from the oldest on. */
  async entries(): Promise<readonly Entry[]> {
    const running = this.#running?.store;
    if (running !== undefined) return await entriesOf(running);
    await using store = await openReadOnly(this.data);
    return await entriesOf(store);
  }

  /** Whether any file of the data folder holds these words. */
  holds(words: string): boolean {
    const bytes = Buffer.from(words, "utf8");
    return filesIn(this.data).some((file) => readFileSync(file).includes(bytes));
  }

  #engines(): Readonly<
    Record<string, ModelSettings & { kind: "openai-compatible"; baseUrl: string; apiKey?: string; model: string }>
  > {
    const { engines = { local: {} }, apiKey } = this.#options;
    return Object.fromEntries(
      Object.entries(engines).map(([name, settings]) => [
        name,
        {
          kind: "openai-compatible",
          baseUrl: this.models.openaiUrl,
          model: "test-model",
          ...(apiKey === undefined ? {} : { apiKey }),
          ...settings,
        } as const,
      ]),
    );
  }

  #pace(): Partial<Pace> {
    return { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, ...this.#options.pace };
  }

  async #open(): Promise<Running> {
    const { times, joinWithinMs = 0, groups = "off", access, authority, secrets = [], tools = [] } = this.#options;
    const surroundings: Surroundings = { clock: realClock, random: realRandom, log: this.#log() };
    const opened = new AsyncDisposableStack();
    const store = opened.use(await openStore({ folder: this.data, ...surroundings }));
    const settings = this.#engines();
    const { puppet } = this.#options;
    const names = [...(puppet === undefined ? [] : ["puppet"]), ...Object.keys(settings)];
    const make = async (name: string): ReturnType<typeof createEngine> =>
      name === "puppet" && puppet !== undefined
        ? puppet(surroundings)
        : await createEngine(name, settings[name]!, surroundings);
    const engines = opened.use(new Engines(names, make, surroundings));
    const { token, apiRoot } = this.telegram;
    const platforms = new Map<string, Platform>([
      ["telegram", telegram({ token, apiRoot, pace: this.#pace() }, surroundings, times)],
    ]);
    if (this.#options.terminal === true) platforms.set("terminal", this.#terminal(surroundings));
    for (const { channel } of platforms.values()) opened.use(channel);
    const gateway = opened.use(
      await openGateway({
        store,
        platforms,
        engine: async (name) => await engines.get(name),
        engineNames: names,
        defaultEngine: names[0] ?? "local",
        tools: [nowTool(realClock), ...tools],
        ...PLAIN_PARTS,
        owner: { name: "Sam", ids: new Map(this.#options.unpaired === true ? [] : [["telegram", String(this.owner)]]) },
        access: { ...PLAIN_PARTS.access, groups, ...access },
        ...authority,
        joinWithinMs,
        work: join(this.data, "work"),
        scrub: scrubber([token, ...secrets]),
        holdBack: holdBack([token, ...secrets]),
        tell: (words) => {
          this.told += `${words}\n`;
          this.telegram.state.watch.changed();
        },
        surroundings,
      }),
    );
    return { gateway, store, [Symbol.asyncDispose]: async () => await opened.disposeAsync() };
  }

  #terminal(surroundings: Surroundings): Platform {
    this.keyboard = new PassThrough();
    const output = new PassThrough();
    output.on("data", (bytes: Buffer) => {
      this.screen += bytes.toString("utf8");
      // Whoever waits for something on the screen waits at the platform's watch.
      this.telegram.state.watch.changed();
    });
    return terminal({ input: this.keyboard, output, color: false }, surroundings);
  }

  #spawn(): Running {
    const file = join(this.folder, "tidegate.yaml");
    const { joinWithinMs = 0, groups = "off" } = this.#options;
    const { draftMs: _, ...pace } = this.#pace();
    const { token, apiRoot } = this.telegram;
    writeFileSync(
      file,
      // JSON is YAML.
      JSON.stringify({
        data: "data",
        owner: { name: "Sam", telegram: this.owner },
        access: { groups },
        joinWithinMs,
        channels: { telegram: { token, apiRoot } },
        engines: this.#engines(),
        pace: { telegram: pace },
      }),
      { mode: 0o600 },
    );
    const child = spawn(process.execPath, [join(root, "tidegate"), "start", "--config", file], {
      cwd: this.folder,
      env: { PATH: process.env["PATH"], HOME: this.folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (bytes: Buffer): void => {
      this.notes += bytes.toString("utf8");
      this.telegram.state.watch.changed();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    return {
      kill: async () => await ended(child, "SIGKILL"),
      [Symbol.asyncDispose]: async () => await ended(child, "SIGTERM"),
    };
  }

  #log(): Surroundings["log"] {
    const keep = (fields: Record<string, unknown>, note: string): void => {
      this.notes += `${JSON.stringify(fields, (_key, value: unknown) => (value instanceof Error ? `${value.name}: ${value.message}` : value))} ${note}\n`;
      this.telegram.state.watch.changed();
    };
    return { debug: keep, info: keep, warn: keep, error: keep };
  }

  /** For a person who wants to read what the bot says: `JOURNEY_TALK=file npx vitest run test/journeys`. */
  #keepTalk(): void {
    const file = process.env["JOURNEY_TALK"];
    if (file !== undefined)
      appendFileSync(file, `${this.telegram.describe().split("updates pending")[0] ?? ""}${this.notes}----\n`);
  }
}

async function entriesOf(store: Pick<ReadOnlyStore, "log" | "conversations">): Promise<readonly Entry[]> {
  const conversations = await store.conversations.list({ archived: true });
  const logs = await Promise.all(
    conversations.toSorted((a, b) => a.openedAt - b.openedAt).map(async ({ id }) => await store.log.read(id)),
  );
  return logs.flat();
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function ended(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (child.exitCode !== null || child.signalCode !== null) resolve();
  child.once("exit", () => resolve());
  child.kill(signal);
  return promise;
}

/** What a model was told, message by message: "user: …", "assistant: …", "tool: …". */
export function toldTo(request: ModelRequest): string[] {
  const { messages } = request.body as { messages: { role: string; content: unknown }[] };
  return messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
}

/** Text long enough to cross a platform's limit, each word there once. */
export function words(chars: number): string {
  let text = "";
  for (let at = 0; text.length < chars; at += 1) text += at % 12 === 11 ? `word${at}.\n\n` : `word${at} `;
  return text.trim();
}
