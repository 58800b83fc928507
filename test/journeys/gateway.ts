// What every journey stands on: the real gateway between a loopback platform and a loopback model, over one data folder that
// outlives stops and kills. In this process where that is enough, as the real program where its end is part of the story.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Catalog } from "../../src/catalog/port.ts";
import { emptyCatalog } from "../catalog/empty.ts";
import { terminal } from "../../src/channels/terminal/channel.ts";
import type { Pace, Platform } from "../../src/core/channel.ts";
import type { Entry } from "../../src/core/conversation.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import type { Tool } from "../../src/core/tool.ts";
import { createEngine } from "../../src/engines/registry.ts";
import type { EngineSettings } from "../../src/engines/registry.ts";
import { engineHost } from "../../src/gateway/engine-host.ts";
import { Engines } from "../../src/gateway/engines.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import type { Gateway, GatewayParts } from "../../src/gateway/parts.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openReadOnly, openStore } from "../../src/store/open.ts";
import type { ReadOnlyStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { pastChatTools } from "../../src/search/tools.ts";
import { holdBack, scrubber } from "../../src/taint/scrub.ts";
import { nowTool } from "../../src/turn/now.ts";
import { countingWatchdog } from "../engines/host.ts";
import { PLAIN_PARTS } from "../gateway/plain-parts.ts";
import { startModels } from "../wire/models.ts";
import type { ModelsWire } from "../wire/models.ts";
import type { ModelRequest } from "../wire/models-script.ts";
import type { DiscordWire } from "../wire/discord.ts";
import type { SlackWire } from "../wire/slack.ts";
import type { TelegramWire } from "../wire/telegram.ts";
import type { DiscordStage } from "./stage-discord.ts";
import type { SlackStage } from "./stage-slack.ts";
import type { TelegramStage } from "./stage-telegram.ts";
import { openStage, SAM } from "./stage.ts";
import type {
  Answered,
  Called,
  CallKind,
  Extra,
  Fault,
  Place,
  PlatformName,
  Seen,
  Stage,
  StageOptions,
  Who,
} from "./stage.ts";

/** A loaded machine may be slow; nothing here takes long by itself. */
export const PATIENT: { readonly timeoutMs: number } = { timeoutMs: 12_000 };

export type JourneyOptions = {
  /** The real program instead of the parts in this process. */
  readonly program?: boolean;
  /** Telegram by default. */
  readonly on?: PlatformName;
  /** 0 by default: each message is its own. */
  readonly joinWithinMs?: number;
  readonly groups?: "off" | "mention";
  /** No limits by default. `draftMs` counts in this process only. */
  readonly pace?: Partial<Pace>;
  /** Engines by name; `model` names the model that the loopback server sees. The first one is the default. */
  readonly engines?: Readonly<Record<string, ModelSettings>>;
  readonly apiKey?: string;
  /** How long anything is waited for; `PATIENT` by default. */
  readonly timeoutMs?: number;
  /** Engines that are programs, before those; the first one is the default. */
  readonly programs?: (models: ModelsWire) => Readonly<Record<string, EngineSettings>>;
  /** A terminal beside the platform, in this process only. */
  readonly terminal?: boolean;
  /** In this process only, as all that follows. */
  readonly access?: Partial<GatewayParts["access"]>;
  readonly authority?: Partial<Pick<GatewayParts, "mode" | "checkAfterReading" | "places">>;
  readonly secrets?: readonly string[];
  /** Beside the clock, and beside the tools for earlier chats unless one of these stands in for them. */
  readonly tools?: readonly Tool[];
  /** What can be turned on, in each of its lives; nothing by default. */
  readonly catalog?: (
    store: Store,
    surroundings: Surroundings,
  ) => (Catalog & Pick<GatewayParts, "finishSignIn">) | Promise<Catalog & Pick<GatewayParts, "finishSignIn">>;
  /** Stands in for the engines, under the name "puppet", which becomes the default. */
  readonly puppet?: (surroundings: Surroundings) => Engine;
} & StageOptions;

type ModelSettings = {
  readonly model?: string;
  readonly images?: boolean;
  readonly firstByteMs?: number;
  readonly idleMs?: number;
  readonly maxSteps?: number;
};

type Running = AsyncDisposable & { readonly gateway?: Gateway; readonly store?: Store; kill?(): Promise<void> };

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What a message must show: a part of its text, a pattern, or anything a function can tell. */
export type Match = string | RegExp | ((message: Seen) => boolean);

/** Who speaks, and where: the owner by default, and the private chat of who speaks. `mention`: to the bot by name, where others are. */
export type Said = Extra & { readonly by?: Who; readonly in?: Place | Who; readonly mention?: true };

/** Where a message of the bot is looked for, the owner's private chat by default; `after`: only behind this message. */
export type Where = { readonly in?: Place | Who; readonly after?: string | Pick<Seen, "id"> };

/** Opens both loopback servers and starts the gateway; what is asked for afterwards is waited for, never slept for. */
export async function journey(options: JourneyOptions = {}): Promise<Journey> {
  const made = await newJourney(options);
  try {
    await made.start();
    return made;
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw new Error(`It did not start: ${made.notes}`, { cause: error });
  }
}

/** Without starting the gateway. */
export async function newJourney(options: JourneyOptions = {}): Promise<Journey> {
  const made = new Journey(options, await openStage(options.on ?? "telegram", options), await startModels(options));
  made.on.meet(SAM, "Sam");
  return made;
}

export class Journey implements AsyncDisposable {
  readonly on: Stage;
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
  #group: Place | undefined;

  constructor(options: JourneyOptions, stage: Stage, models: ModelsWire) {
    this.#options = options;
    this.on = stage;
    this.models = models;
    this.folder = mkdtempSync(join(tmpdir(), "tidegate-journey-"));
  }

  /** For what only Telegram has. */
  get telegram(): TelegramWire {
    if (this.on.name !== "telegram") throw new Error(`This journey is on ${this.on.name}.`);
    return (this.on as TelegramStage).wire;
  }

  /** A group in which the bot is. */
  get group(): Place {
    return (this.#group ??= this.on.group("Neighbours"));
  }

  /** For what only Slack has. */
  get slack(): SlackWire {
    if (this.on.name !== "slack") throw new Error(`This journey is on ${this.on.name}.`);
    return (this.on as SlackStage).wire;
  }

  /** For what only Discord has. */
  get discord(): DiscordWire {
    if (this.on.name !== "discord") throw new Error(`This journey is on ${this.on.name}.`);
    return (this.on as DiscordStage).wire;
  }

  /** A person stands for their private chat. */
  place(place: Place | Who): Place {
    return typeof place === "string" ? this.on.dm(place) : place;
  }

  get data(): string {
    return join(this.folder, "data");
  }

  get gateway(): Gateway {
    if (this.#running?.gateway === undefined) throw new Error("The gateway is not running in this process.");
    return this.#running.gateway;
  }

  /** Starts over the same data folder and waits until the platform sees it listening. */
  async start(): Promise<void> {
    await this.begin();
    await this.until(() => this.on.connected, "a connection");
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
    await this.#gone();
  }

  /** SIGKILL, and until the process is gone. */
  async kill(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running?.kill === undefined) throw new Error("Only the program can be killed.");
    await running.kill();
    await this.#gone();
  }

  /** Until the platform has noticed: what people do from now on is not for who was there. */
  async #gone(): Promise<void> {
    await this.until(() => !this.on.attached, "the end of the connection");
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
    await Promise.all([this.on[Symbol.asyncDispose](), this.models[Symbol.asyncDispose]()]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The commands that a text lists, each on a line of its own. */
  listed({ text }: Pick<Seen, "text">): readonly string[] {
    const begin = `• ${this.on.facts.prefix}`;
    return text
      .split("\n")
      .flatMap((line) => (line.startsWith(begin) ? [/^\w+/u.exec(line.slice(begin.length))?.[0] ?? ""] : []));
  }

  // ---- What people do

  /** Answers the message's id. */
  say(text: string, { by = SAM, in: place = by, mention, ...extra }: Said = {}): string {
    return this.on.say(this.place(place), by, text, mention === true, extra);
  }

  /** To the bot by name, where others are. */
  mention(text: string, said: Said = {}): string {
    return this.say(text, { ...said, mention: true });
  }

  /** A command without its sign: "new", "engine large". `typed`: as a message, where those differ. */
  command(text: string, { by = SAM, in: place = by, typed = false }: Said & { typed?: boolean } = {}): void {
    this.on.command(this.place(place), by, text, typed);
  }

  /** The writer changes a message. */
  edit(id: string, text: string, { by = SAM, in: place = by }: Said = {}): void {
    this.on.edit(this.place(place), by, id, text);
  }

  /** Presses a button by its label; answers the press's id. */
  press(message: Pick<Seen, "id">, label: string, { by = SAM, in: place = SAM }: Said = {}): string {
    return this.on.press(this.place(place), by, message.id, label);
  }

  /** A press with data of one's own, as after the buttons were replaced. */
  pressData(message: Pick<Seen, "id">, data: string, { by = SAM, in: place = SAM }: Said = {}): string {
    return this.on.pressData(this.place(place), by, message.id, data);
  }

  meet(who: Who, name: string): void {
    this.on.meet(who, name);
  }

  /** The person's id as the gateway writes it: "telegram/1001". */
  key(who: Who): string {
    return `${this.on.name}/${this.on.id(who)}`;
  }

  /** A command as people read it: "/new". */
  cmd(name: string): string {
    return `${this.on.facts.prefix}${name}`;
  }

  /** Another room in which the owner talks with the bot, beside the private chat; `mention` there, for it may be a shared one. */
  side(name: string): Place {
    return this.on.thread(this.place(SAM), name);
  }

  // ---- What stands there

  /** Waits for a message of the bot. */
  async shown(match: Match, { in: place = SAM, after }: Where = {}): Promise<Seen> {
    const fits = matcher(match);
    const behind = typeof after === "object" ? after.id : after;
    return await this.until(
      () =>
        this.sent(place).find(
          (message) => (behind === undefined || this.on.isAfter(message.id, behind)) && fits(message),
        ),
      `a message by the bot in ${typeof place === "string" ? place : place.chat}: ${String(match)}`,
    );
  }

  /** All that the bot shows in a place now, in order. */
  sent(place: Place | Who = SAM): readonly Seen[] {
    return this.on.sent(this.place(place));
  }

  texts(place: Place | Who = SAM): string[] {
    return this.sent(place).map(({ text }) => text);
  }

  /** A message as it is now. */
  now(message: Pick<Seen, "id">, place: Place | Who = SAM): Seen | undefined {
    return this.sent(place).find(({ id }) => id === message.id);
  }

  /** Waits until a message has become something else. */
  async becomes(message: Pick<Seen, "id">, match: Match, place: Place | Who = SAM): Promise<Seen> {
    const fits = matcher(match);
    return await this.until(
      () => {
        const now = this.now(message, place);
        return now !== undefined && fits(now) && now;
      },
      `message ${message.id} to become ${String(match)}`,
    );
  }

  /** Waits until a message has no button any more. */
  async closed(message: Pick<Seen, "id">, place: Place | Who = SAM): Promise<Seen> {
    return await this.becomes(message, ({ buttons }) => buttons.length === 0, place);
  }

  /** What a press was answered with, once it is. */
  async answer(press: string): Promise<Answered> {
    return await this.until(() => this.on.answerTo(press), `an answer to press ${press}`);
  }

  /** The words that a press was answered with, once it is; only who pressed sees them. */
  async answered(press: string): Promise<string> {
    return await this.until(() => this.on.answerTo(press)?.text, `words for press ${press}`);
  }

  /** Waits until a text under way shows, with these words in it. */
  async growing(words = "", place: Place | Who = SAM): Promise<string> {
    return await this.until(
      () => this.on.underWay(this.place(place)).find((text) => text.includes(words)),
      `a text under way with “${words}”`,
    );
  }

  /** The labels of a message's buttons. */
  labels(message: Pick<Seen, "buttons">): readonly string[] {
    return message.buttons.flat().map(({ label }) => label);
  }

  // ---- Going wrong

  fail(call: CallKind, fault: Fault): void {
    this.on.fail(call, fault);
  }

  calls(call: CallKind): readonly Called[] {
    return this.on.calls(call);
  }

  // ---- Waiting

  /** Waits for anything; what a test reads of the gateway itself is looked at whenever the platform or a note changes. */
  async until<T>(
    predicate: () => T,
    what: string = predicate.toString(),
  ): Promise<Exclude<T, false | null | undefined>> {
    const { timeoutMs = PATIENT.timeoutMs } = this.#options;
    return await this.on.until(predicate, { timeoutMs, what });
  }

  /** Waits until a call was made that often. */
  async called(call: CallKind, count = 1): Promise<void> {
    await this.until(() => this.calls(call).length >= count, `${count} calls of ${call}`);
  }

  /** Waits until all that people did is with the gateway. */
  async taken(): Promise<void> {
    await this.until(() => this.on.pending === 0, "every update taken");
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
    await this.taken();
    await this.gateway.settled();
  }

  /** Every entry of every conversation, archived ones too, by conversation from the oldest on. */
  async entries(): Promise<readonly Entry[]> {
    const running = this.#running?.store;
    if (running !== undefined) return await entriesOf(running);
    await using store = await openReadOnly(this.data);
    return await entriesOf(store);
  }

  /** Nothing can be written where the index of earlier chats is. */
  breakIndex(): void {
    const index = join(this.data, "search.db");
    rmSync(index, { force: true });
    mkdirSync(join(index, "in the way"), { recursive: true });
  }

  /** Whether any file of the data folder holds these words. */
  holds(words: string): boolean {
    const bytes = Buffer.from(words, "utf8");
    return filesIn(this.data).some((file) => readFileSync(file).includes(bytes));
  }

  #engines(): Readonly<Record<string, EngineSettings>> {
    const { engines = { local: {} }, programs, apiKey } = this.#options;
    const api = Object.fromEntries(
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
    return { ...programs?.(this.models), ...api };
  }

  #pace(): Partial<Pace> {
    return { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, ...this.#options.pace };
  }

  async #open(): Promise<Running> {
    const { joinWithinMs = 0, groups = "off", access, authority, secrets = [], tools = [] } = this.#options;
    const surroundings: Surroundings = { clock: realClock, random: realRandom, log: this.#log() };
    const opened = new AsyncDisposableStack();
    const store = opened.use(await openStore({ folder: this.data, ...surroundings }));
    const hidden = [...this.on.secrets, ...secrets];
    const search = opened.use(await openSearch({ folder: this.data, store, secrets: hidden, ...surroundings }));
    // A story may bring a stand-in that only notes what it is asked.
    const standIn = tools.some(({ row }) => row === "history");
    const past = standIn ? [] : pastChatTools({ search, store, secrets: hidden });
    const settings = this.#engines();
    const { puppet } = this.#options;
    const { PATH } = process.env;
    const watchdog = countingWatchdog();
    const host = engineHost({ env: { PATH }, home: this.folder, data: this.data, secrets: hidden, watchdog });
    const given = await this.#options.catalog?.(store, surroundings);
    const catalog = opened.use(given ?? emptyCatalog());
    const names = [...(puppet === undefined ? [] : ["puppet"]), ...Object.keys(settings)];
    const make = async (name: string): ReturnType<typeof createEngine> =>
      name === "puppet" && puppet !== undefined
        ? puppet(surroundings)
        : await createEngine(name, settings[name]!, surroundings, host);
    const engines = opened.use(new Engines(names, make, surroundings));
    const platforms = new Map<string, Platform>([[this.on.name, this.on.platform(surroundings, this.#pace())]]);
    if (this.#options.terminal === true) platforms.set("terminal", this.#terminal(surroundings));
    for (const { channel } of platforms.values()) opened.use(channel);
    const gateway = opened.use(
      await openGateway({
        store,
        search,
        catalog,
        ...(given?.finishSignIn === undefined ? {} : { finishSignIn: given.finishSignIn }),
        platforms,
        engine: async (name) => await engines.get(name),
        engineNames: names,
        defaultEngine: names[0] ?? "local",
        tools: [nowTool(realClock), ...past, ...tools],
        ...PLAIN_PARTS,
        owner: { name: "Sam", ids: new Map(this.#options.unpaired === true ? [] : [[this.on.name, this.on.id(SAM)]]) },
        access: { ...PLAIN_PARTS.access, groups, ...access },
        ...authority,
        joinWithinMs,
        work: join(this.data, "work"),
        scrub: scrubber(hidden),
        holdBack: holdBack(hidden),
        tell: (words) => {
          this.told += `${words}\n`;
          this.on.changed();
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
      this.on.changed();
    });
    return terminal({ input: this.keyboard, output, color: false }, surroundings);
  }

  #spawn(): Running {
    const file = join(this.folder, "tidegate.yaml");
    const { joinWithinMs = 0, groups = "off" } = this.#options;
    const { draftMs: _, perGroupPerMinute, ...rates } = this.#pace();
    // Only Telegram has such a rate.
    const pace = this.on.name === "telegram" ? { ...rates, perGroupPerMinute } : rates;
    writeFileSync(
      file,
      // JSON is YAML.
      JSON.stringify({
        data: "data",
        owner: { name: "Sam", [this.on.name]: this.on.id(SAM) },
        access: { groups },
        joinWithinMs,
        channels: { [this.on.name]: this.on.settings() },
        engines: this.#engines(),
        pace: { [this.on.name]: pace },
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
      this.on.changed();
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
      this.on.changed();
    };
    return { debug: keep, info: keep, warn: keep, error: keep };
  }

  /** For a person who wants to read what the bot says: `JOURNEY_TALK=file npx vitest run test/journeys`. */
  #keepTalk(): void {
    const file = process.env["JOURNEY_TALK"];
    if (file !== undefined)
      appendFileSync(file, `${this.on.describe().split("updates pending")[0] ?? ""}${this.notes}----\n`);
  }
}

/** The data of a button that there never was, in the form that a platform's buttons have. */
export function unknownKey(known: Pick<Seen, "buttons">): string {
  const [data = ""] = known.buttons.flat().flatMap((button) => button.data ?? []);
  return `${data.slice(0, -1)}${data.endsWith("A") ? "B" : "A"}`;
}

function matcher(match: Match): (message: Seen) => boolean {
  if (typeof match === "function") return match;
  if (typeof match === "string") return ({ text }) => text.includes(match);
  return ({ text }) => match.test(text);
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
