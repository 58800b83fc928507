// A fast world for authority: the real gateway over the real store in memory, with a quiet platform, a puppet for an engine and time
// that jumps. What people do comes in the payloads of Telegram, Slack or Discord, through that adapter's own reader. One plot is lived
// from its first step to its last; what each conversation may hold is known by the watch alone.
//
// Steps happen at set times, whatever the gateway does meanwhile: so two versions of a plot differ in their words and in nothing else.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { threadId } from "node:worker_threads";
import { setImmediate as turn } from "node:timers/promises";
import type { Inbound, Sender } from "../../src/core/channel.ts";
import { roomKey, type Message, type Origin, type Part, type Person, type Room } from "../../src/core/message.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import type { Tool } from "../../src/core/tool.ts";
import type { TurnInput } from "../../src/core/turn.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import { openConversation } from "../../src/gateway/opening.ts";
import type { Gateway, GatewayParts } from "../../src/gateway/parts.ts";
import type { Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { pastChatTools } from "../../src/search/tools.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change, Known, Store } from "../../src/store/port.ts";
import { TABLE, columnOf } from "../../src/taint/table.ts";
import { PLAIN_PARTS } from "../gateway/plain-parts.ts";
import { VirtualClock } from "../sim/clock.ts";
import { Dice } from "../sim/dice.ts";
import { QuietPlatform, type Shown } from "./platform.ts";
import { puppet, type PuppetMemory } from "./puppet.ts";
import { CATALOG_WORDS, shelf, type Shelf } from "./shelf.ts";
import {
  openWords,
  outsideName,
  outsideWords,
  secretWords,
  type Brings,
  type Order,
  type Plot,
  type Step,
  type Version,
  type Where,
  type Who,
} from "./steps.ts";
import { gist, tidy, type Deed, type Tongue } from "./tongue.ts";
import { TONGUES } from "./tongues.ts";
import { Watch, type Act } from "./watch.ts";

/** Who is who and where, for a fault to plant. */
export type Scene = { readonly owner: Sender; readonly places: Readonly<Record<Where, Room>> };
/** A fault to plant: changes what a gateway is made of. */
export type Plant = (parts: GatewayParts, scene: Scene) => GatewayParts;

/** What a history came to. */
export type Lived = {
  /** Rules that were broken, each with its id first. */
  readonly faults: readonly string[];
  /** All that anyone but the owner was shown, in order. */
  readonly sights: readonly string[];
  readonly acts: readonly Act[];
  /** What came of every call, in each conversation's order. */
  readonly verdicts: readonly string[];
};

/** Which row of the table the tools of cards are of. */
const CARD_ROWS: Readonly<Record<string, Tool["row"]>> = {
  offer: "offer",
  suggest_replies: "suggest",
  ask: "ask",
  update_plan: "plan",
  use_skill: "skill",
};
const OWNER_NAME = "Sam Owner";
/** Quoted texts are cut by the platforms, which must not depend on how long anyone's words are: of a long one those that matter. */
const LONG_QUOTE = 3000;
const silent = (): void => undefined;

/** Ground for many worlds, since opening a store costs more than living in it: each has a platform of its own there, of another name. */
type Ground = { readonly store: Store; readonly clock: VirtualClock; readonly random: Dice; worlds: number };
const WORLDS_ON_GROUND = 40;
let ground: Ground | undefined;

async function standOn(): Promise<Ground> {
  if (ground === undefined || ground.worlds >= WORLDS_ON_GROUND) {
    const clock = new VirtualClock();
    const random = new Dice(1, "keys");
    const surroundings = { clock, random, log: { debug: silent, info: silent, warn: silent, error: silent } };
    // The one before ends with its memory.
    ground = { store: await openStore({ folder: ":memory:", ...surroundings }), clock, random, worlds: 0 };
  }
  ground.worlds += 1;
  return ground;
}
/** `soon` is amid a turn, `at-once` at the very moment that a turn's next thing happens. */
const PAUSE_MS = { "at-once": 20, soon: 33, half: 400, long: 600_000, hours: 4_000_000 } as const;
const LAST_MS = 4_000_000;
const FORM_MS = 5;
const LOOK_MS = 20;
const MOST_STEPS = 5000;

/** A world, to be lived in step by step. */
export class World implements AsyncDisposable {
  readonly platform: QuietPlatform;
  readonly tongue: Tongue;
  readonly owner: Sender;
  readonly watch: Watch;
  readonly clock: VirtualClock;
  /** Of this world's own platform. */
  readonly name: string;
  readonly places: Readonly<Record<Where, Room>>;
  readonly verdicts: Map<string, string[]> = new Map();
  readonly faults: string[];
  readonly #plot: Omit<Plot, "steps">;
  readonly #version: Version;
  readonly #plant: Plant | undefined;
  readonly #memory: PuppetMemory = new Map();
  readonly #surroundings: Surroundings;
  readonly #owner: string;
  /** Who pressed, by what the press is answered to. */
  readonly #pressers = new Map<string, Who>();
  readonly #said = new Map<
    string,
    { readonly id: string; readonly own: boolean; readonly conversation?: string; readonly text: string }[]
  >();
  readonly #marks = new Map<string, readonly string[]>();
  readonly #entries = new Map<string, number>();
  readonly #raw: Store;
  readonly #store: Store;
  #search: Search | undefined;
  #past: readonly Tool[] = [];
  #gateway: Gateway | undefined;
  #n = 0;
  /** Counted apart: how often the model reads its mail may depend on anyone's words, and what people do may not. */
  #mails = 2000;
  #touchesFiles = false;
  #fetches = false;
  readonly #shelf: Shelf;

  private constructor(
    on: Ground,
    plot: Omit<Plot, "steps">,
    version: Version,
    count: (branch: string) => void,
    plant?: Plant,
  ) {
    this.clock = on.clock;
    this.name = `sim${on.worlds}`;
    this.tongue = TONGUES[plot.tongue];
    this.platform = new QuietPlatform(this.tongue, () => this.clock.now());
    this.places = this.tongue.places(this.name);
    this.owner = { ...this.tongue.people.owner, name: OWNER_NAME, bot: false };
    this.#owner = `${this.name}/${this.owner.id}`;
    this.#plot = plot;
    this.#version = version;
    this.#plant = plant;
    this.watch = new Watch(this.#owner, (name) => this.#row(name), count);
    this.faults = this.watch.faults;
    const note = (fields: Record<string, unknown>, words: string): void => {
      const { err } = fields;
      if (err instanceof Error) this.faults.push(`an error inside: ${words}: ${err.stack}`);
    };
    this.#surroundings = {
      clock: this.clock,
      random: on.random,
      log: { debug: silent, info: silent, warn: note, error: note },
    };
    this.#shelf = shelf(this.#appTools, () => {
      if (this.watch.cardPresses === 0)
        this.faults.push("O64: something was turned on before the owner pressed anything");
      this.watch.count("something was turned on");
    });
    this.#raw = on.store;
    this.#store = this.watch.over(on.store);
  }

  static async open(
    plot: Omit<Plot, "steps">,
    version: Version,
    count: (branch: string) => void,
    plant?: Plant,
  ): Promise<World> {
    const world = new World(await standOn(), plot, version, count, plant);
    await world.#learnToLookBack();
    await world.#commit(world.#known.map((known) => ({ do: "know", known })));
    await world.#open();
    return world;
  }

  /** The real search and its tools, over this world's chats alone: those of the worlds before it lie on the same ground. */
  async #learnToLookBack(): Promise<void> {
    const { log } = this.#store;
    const from = await log.head();
    const store: Store = {
      ...this.#store,
      log: {
        ...log,
        page: async (after, limit) => await log.page(Math.max(after, from), limit),
        follow: (after, signal) => log.follow(Math.max(after, from), signal),
      },
    };
    this.#search = await openSearch({ folder: ":memory:", store, secrets: [], ...this.#surroundings });
    this.#past = pastChatTools({ search: this.#search, store, secrets: [] });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await this.#search?.[Symbol.asyncDispose]();
    // Whoever asked to be let in would be counted in the next world as well.
    await this.#commit(
      Object.values(this.tongue.people).map(({ id }) => ({ do: "forget-known", platform: this.name, id })),
    );
  }

  async #commit(changes: readonly Change[]): Promise<void> {
    const done = this.#store.commit(changes);
    await this.until(this.clock.now() + 1);
    await done;
  }

  get #known(): readonly Known[] {
    const guest = { platform: this.name, standing: "guest", at: 1 } as const;
    return [
      { ...guest, id: this.tongue.people.gus.id, kind: "person", name: "Gus" },
      { ...guest, id: this.places.group.chat, kind: "group", name: "The group" },
    ];
  }

  /** Lets everything happen up to a time. */
  async until(at: number): Promise<void> {
    for (let steps = 0; ; steps += 1) {
      await turn();
      if (steps > MOST_STEPS) {
        this.faults.push("it never comes to rest");
        // What goes round for ever is left behind, and the ground that it stands on.
        ground = undefined;
        throw new Error("it never comes to rest");
      }
      if (this.#touchesFiles)
        while (process.getActiveResourcesInfo().some((kind) => kind.startsWith("FSReq"))) await turn();
      if (this.clock.nextAt > at) break;
      this.clock.step(at);
    }
    this.clock.step(at);
  }

  async #open(): Promise<void> {
    const { joinWithinMs, mode, engine } = this.#plot;
    const ears = {
      clock: this.clock,
      another: (input: TurnInput) =>
        [...this.watch.seen.values()].findLast(({ id }) => id !== input.conversation)?.id ?? "none",
      given: (input: TurnInput, what: string) => this.#given(input, what),
      calling: (input: TurnInput) => this.watch.asked.delete(input.turn),
      came: (input: TurnInput, name: string, args: unknown, outcome: string, text: string) =>
        this.#came(input, name, args, outcome, text),
    };
    const engines = [puppet("plain", this.#memory, ears), puppet("own", this.#memory, ears)] as const;
    if (this.#search === undefined) throw new Error("no search");
    const parts: GatewayParts = {
      ...PLAIN_PARTS,
      store: this.#store,
      search: this.#search,
      catalog: this.#shelf,
      platforms: new Map([[this.name, this.platform.connect(this.name)]]),
      engine: async (name) => (name === "own" ? engines[1] : engines[0]),
      engineNames: ["plain", "own"],
      defaultEngine: engine,
      tools: [...this.#tools, ...this.#past],
      owner: { name: OWNER_NAME, ids: new Map([[this.name, this.tongue.owner]]) },
      access: { guests: "ask", groups: "mention", guestHourly: 20, guestDaily: 60, guestEngine: "plain" },
      mode,
      joinWithinMs,
      work: join(tmpdir(), `tidegate-authority-nowhere-${process.pid}-${threadId}`),
      surroundings: this.#surroundings,
    };
    this.#touchesFiles = true;
    const opening = openGateway(this.#plant?.(parts, this) ?? parts);
    await this.until(this.clock.now() + 1);
    this.#gateway = await opening;
    this.#touchesFiles = this.#fetches;
  }

  async #close(): Promise<void> {
    const closing = this.#gateway?.[Symbol.asyncDispose]();
    await this.until(this.clock.now() + 100);
    await closing;
    this.#gateway = undefined;
  }

  // ---- what the puppet has

  readonly #tools: readonly Tool[] = [
    this.#tool("look_back", "history", "read", async (_input, { conversation, signal }) => {
      await this.clock.sleep(LOOK_MS, signal);
      const others = [...this.watch.seen.values()].filter(
        (one) => one.person === this.#owner && one.id !== conversation,
      );
      const found = [...this.watch.home].filter(([, id]) => others.some((one) => one.id === id));
      await this.clock.sleep(LOOK_MS, signal);
      const from = new Set(found.map(([, id]) => id));
      return {
        outcome: "ok",
        text: found.map(([secret]) => secret).join("\n"),
        marks: others
          .filter(({ id, marks }) => from.has(id) && marks.length > 0)
          .map(({ id }) => ({ kind: "app", label: "your chat", source: `chat/${id}` })),
      };
    }),
    this.#tool("send", "app-act", "act", async () => ({ outcome: "ok", text: "sent" })),
    this.#tool("mail", "app-read", "read", async (_input, { signal }) => {
      await this.clock.sleep(LOOK_MS, signal);
      this.#mails += 1;
      return {
        outcome: "ok",
        text: outsideWords(this.#mails, "send", this.#version),
        marks: [{ kind: "app", label: "the mail", source: "mail" }],
      };
    }),
    this.#tool("ask_cue", "cue-offer", "read", async () => ({ outcome: "ok", text: "offered" })),
  ];

  /** Of the app that is connected. */
  readonly #appTools: readonly Tool[] = [
    this.#tool("quartz__send", "app-act", "act", async () => ({ outcome: "ok", text: "sent" })),
    this.#tool("quartz__read", "app-read", "read", async () => {
      return { outcome: "ok", text: "the ledger", marks: [{ kind: "app", label: "quartz", source: "app/quartz" }] };
    }),
  ];

  #tool(name: string, row: Tool["row"], effect: Tool["effect"], run: Tool["run"]): Tool {
    return { name, description: name, input: { type: "object" }, row, effect, check: (input) => input, run };
  }

  #row(name: string): Tool["row"] | undefined {
    return (
      [...this.#tools, ...this.#past, ...this.#appTools].find((tool) => tool.name === name)?.row ?? CARD_ROWS[name]
    );
  }

  #given(input: TurnInput, what: string): void {
    const one = this.watch.seen.get(input.conversation);
    if (one === undefined) return;
    const leaks = this.watch.leaked(one.id, what);
    if (leaks.length > 0) this.faults.push(`A55: a turn of ${one.name} was given ${leaks.join(" ")}`);
    const closed = one.person_ || input.attendance !== "owner" || one.room.kind === "shared";
    if (closed && input.tools.some(({ name }) => this.#row(name) === "history"))
      this.faults.push(`P14: a turn of ${one.name} has the history tool`);
    if (input.attendance !== "owner" || one.room.kind === "shared") {
      const known = [...what.matchAll(CATALOG_WORDS)].map(([word]) => word);
      const on = input.tools.map(({ name }) => name).filter((name) => /^quartz__|^use_skill$/u.test(name));
      if (known.length + on.length > 0)
        this.faults.push(`A56: a turn of ${one.name} was told of ${[...known, ...on].join(" ")}`);
    } else if (what.search(CATALOG_WORDS) !== -1) this.watch.count("the owner's turn knows what can be turned on");
    if (input.attendance === "owner" && one.person !== this.#owner)
      this.faults.push(`A51: a turn of ${one.name} counts as the owner's`);
    this.watch.count(`a turn of ${this.#column(input)}`);
  }

  #column({ conversation, attendance }: TurnInput): string {
    const one = this.watch.seen.get(conversation);
    if (one === undefined) return "?";
    const marks = one.person_
      ? ([{ kind: "person", label: "", source: "" }] as const)
      : one.other || one.marks.length > 0
        ? ([{ kind: "app", label: "", source: "" }] as const)
        : [];
    return columnOf({ attendance, room: one.room.kind, marks });
  }

  #came(input: TurnInput, name: string, args: unknown, outcome: string, text: string): void {
    const one = this.watch.seen.get(input.conversation);
    if (one === undefined) return;
    const leaks = this.watch.leaked(one.id, text);
    if (leaks.length > 0) this.faults.push(`A55: a call of ${one.name} was given ${leaks.join(" ")}`);
    const asked = (this.watch.asked.get(input.turn) ?? []).map(({ by }) => `asked by ${by}, `).join("");
    const words = outcome === "denied" ? ` ${text.replaceAll(/words from .*/gu, "words from …")}` : "";
    if (input.attendance !== "owner" || one.room.kind === "shared")
      for (const [word] of text.matchAll(CATALOG_WORDS))
        this.faults.push(`A56: a call of ${one.name} was told of ${word}`);
    const verdict = `${name}: ${asked}${outcome}${words}`;
    const list = this.verdicts.get(one.name) ?? [];
    this.verdicts.set(one.name, list);
    list.push(verdict);
    const row = this.#row(name) ?? (name === "read_file" ? "engine-read" : "engine-act");
    this.watch.count(
      `${row} in ${this.#column(input)}: ${asked === "" ? (outcome === "ok" ? "allow" : "deny") : "ask"}`,
    );
    // An own use leaves its trace by the puppet's own events; that of an engine without any is told here.
    const cell = TABLE[row][this.#column(input) as "clean"];
    if (cell === "absent" && outcome === "ok") this.faults.push(`A14: ${name} ran in ${one.name}, where it is absent`);
    void args;
  }

  // ---- what people do

  /** Does a step and lets its pause pass. */
  async step(step: Step): Promise<void> {
    // A file is fetched when its burst ends, which may be in a later step: from now on the disk is waited for.
    this.#fetches ||= "brings" in step && /file|voice/u.test(step.brings);
    this.#touchesFiles = this.#fetches;
    const at = this.clock.now() + PAUSE_MS[step.pause];
    switch (step.do) {
      case "say":
        await this.#say(step);
        break;
      case "delete":
        this.#delete(step);
        break;
      case "ask-about":
        this.#askAbout(step);
        break;
      case "edit":
        this.#edit(step);
        break;
      case "command":
        this.#command(step);
        break;
      case "press":
        await this.#press(step);
        break;
      case "restart":
        this.watch.count(this.#gateway?.queue.count === 0 ? "a restart at rest" : "a restart in the middle of a turn");
        await this.#close();
        await this.#open();
        break;
    }
    await this.until(at);
    this.#shelf.reset();
    await this.#monotone();
  }

  /** Lets all that is under way come to its end. */
  async rest(): Promise<void> {
    await this.until(this.clock.now() + LAST_MS);
    await this.#monotone(true);
  }

  #sender(who: Who, posing: boolean, n: number): Sender {
    if (who === "owner") return this.owner;
    return { ...this.tongue.people[who], name: posing ? OWNER_NAME : outsideName(n, this.#version), bot: false };
  }

  #words(who: Who, where: Where, order: Order, n: number): string {
    if (who !== "owner") return outsideWords(n, order, this.#version);
    return where === "group" ? openWords(n, order) : secretWords(n, order, this.#version);
  }

  async #say({ who, where, brings, order, brought, posing }: Extract<Step, { do: "say" }>): Promise<void> {
    this.#n += 1;
    const n = this.#n;
    if (where === "run") {
      await this.#runUnattended(secretWords(n, order, this.#version));
      return;
    }
    const room = this.#roomOf(who, where);
    const messageId = this.platform.nextId();
    const text = this.#words(who, where, order, n);
    const own: Part = { kind: "text", messageId, origin: { kind: "own" }, text };
    const more = this.#brought(messageId, room, who, brings, brought, n);
    this.#hear(who, {
      means: {
        kind: "message",
        room,
        from: this.#sender(who, posing, n),
        at: this.clock.now(),
        messageId,
        parts: [...more, own],
        addressed: true,
      },
    });
    this.#note(room, who, messageId, text);
  }

  /** Something arrives from the platform, in whatever it makes of it; gives what was read of it. */
  hear(deed: Deed): readonly { readonly said: Inbound; readonly heard: Inbound }[] {
    const { means } = deed;
    return this.tongue.says(deed, this.platform.nextId).map((one) => {
      if (
        this.#gateway?.queue.count !== 0 &&
        means.kind === "message" &&
        means.parts.some((part) => part.origin.kind === "forwarded")
      )
        this.watch.count("a forward in the middle of a turn");
      const raw = this.tongue.encode(one);
      this.platform.push(raw);
      return { said: one.means, heard: this.tongue.read(raw, this.name) };
    });
  }

  /** The same, of one of the three: the adapter must have read what was meant. */
  #hear(who: Who, deed: Deed): void {
    for (const { said, heard } of this.hear(deed)) {
      const meant = gist(tidy(said));
      if (meant !== gist(heard)) this.faults.push(`T45: meant ${meant} and read ${gist(heard)}`);
      if (heard.kind === "press") this.#pressers.set(heard.ref, who);
    }
  }

  async #runUnattended(text: string): Promise<void> {
    const person: Person = { platform: "cli", id: "owner", name: OWNER_NAME, role: "owner" };
    const open = openConversation(this.places.run, person, this.#surroundings);
    const at = this.clock.now();
    const part: Part = { kind: "text", messageId: "1", origin: { kind: "own" }, text };
    const message: Message = { from: person, at, ids: ["1"], parts: [part] };
    await this.#commit([
      ...open.changes,
      { do: "append", conversation: open.id, at, body: { kind: "message", message } },
    ]);
    this.#gateway?.queue.wake(open.id);
  }

  #note(room: Room, who: Who, id: string, text: string): void {
    const key = `${roomKey(room)} ${who}`;
    const list = this.#said.get(key) ?? [];
    this.#said.set(key, list);
    list.push({ id, own: true, text });
  }

  #roomOf(who: Who, where: Where): Room {
    // In a private chat sits who it belongs to.
    if (where === "group") return this.places.group;
    if (who === "owner") return where === "a" || where === "b" ? this.places[where] : this.places.c;
    return this.places[who];
  }

  #brought(messageId: string, room: Room, who: Who, brings: Brings, order: Order, n: number): readonly Part[] {
    const text = outsideWords(n + 1000, order, this.#version);
    const name = outsideName(n, this.#version);
    const forwarded = (as: "user" | "hidden-user" | "chat" | "channel"): Origin => ({
      kind: "forwarded",
      as,
      from: name,
      ...(as === "hidden-user" ? {} : { id: this.tongue.sources[as] }),
    });
    const words = (origin: Origin, what = text): readonly Part[] => [{ kind: "text", messageId, origin, text: what }];
    const file = (kind: "document" | "voice", origin: Origin): readonly Part[] => [
      { kind: "file", messageId, origin, file: { kind, name: `${text}.txt`, mediaType: "text/plain", handle: "h" } },
    ];
    const own = this.#said.get(`${roomKey(room)} ${who}`) ?? [];
    const ours = this.platform.shown.filter((one) => roomKey(one.room) === roomKey(room));
    const pick = <T>(list: readonly T[], earlier: boolean): T | undefined => (earlier ? list[0] : list.at(-1));
    switch (brings) {
      case "nothing":
        return [];
      case "forward-user":
      case "forward-hidden-user":
      case "forward-chat":
      case "forward-channel":
        return words(forwarded(brings.slice("forward-".length) as "user"));
      case "quote-own":
      case "quote-earlier-own": {
        const one = pick(own, brings === "quote-earlier-own");
        if (one === undefined) return [];
        const { id } = this.tongue.people[who];
        return words({ kind: "quoted", from: name, id, messageId: one.id, ours: false }, one.text);
      }
      case "quote-ours":
      case "quote-earlier-ours":
      case "quote-card": {
        // Of a long one nothing may be left to quote, and no platform quotes nothing.
        const cards = ours.filter(
          (one) => quotable(one.text) !== "" && (one.presses.length > 0 || brings !== "quote-card"),
        );
        const one = pick(cards, brings === "quote-earlier-ours");
        if (one === undefined) return [];
        return words(this.#ours(one), quotable(one.text));
      }
      case "quote-stranger": {
        const id = this.tongue.sources.user;
        return words({ kind: "quoted", from: name, id, messageId: own[0]?.id ?? this.tongue.unseen, ours: false });
      }
      case "quote-unknown": {
        const { id } = this.owner;
        return words({ kind: "quoted", from: name, id, messageId: this.tongue.unseen, ours: false });
      }
      case "quote-nowhere":
        return words({ kind: "quoted", from: OWNER_NAME, ours: false });
      case "file":
        return file("document", { kind: "own" });
      case "voice":
        return file("voice", { kind: "own" });
      case "forwarded-voice":
        return file("voice", forwarded("user"));
    }
  }

  #edit({ who, where, brings, order, brought }: Extract<Step, { do: "edit" }>): void {
    this.#n += 1;
    const n = this.#n;
    const room = this.#roomOf(who, where);
    const last = this.#said.get(`${roomKey(room)} ${who}`)?.at(-1);
    if (last === undefined) return;
    const text = this.#words(who, where, order, n);
    const own: Part = { kind: "text", messageId: last.id, origin: { kind: "own" }, text };
    const parts = [
      ...this.#brought(last.id, room, who, brings, brought, n).filter((part) => part.kind === "text"),
      own,
    ];
    const from = this.#sender(who, false, n);
    const means = { kind: "edit", room, from, at: this.clock.now(), messageId: last.id, parts } as const;
    this.#hear(who, { means, before: last.text });
  }

  #delete({ who, where }: Extract<Step, { do: "delete" }>): void {
    const room = this.#roomOf(who, where);
    const last = this.#said.get(`${roomKey(room)} ${who}`)?.pop();
    if (last !== undefined) this.#hear(who, { means: { kind: "deleted", room, messageId: last.id } });
  }

  #askAbout({ who, where, of, order, brought }: Extract<Step, { do: "ask-about" }>): void {
    this.#n += 1;
    const n = this.#n;
    const room = this.#roomOf(who, where);
    const { people, sources, bot } = this.tongue;
    const own = this.#said.get(`${roomKey(room)} ${who}`)?.at(-1)?.text;
    const ours = this.platform.shown.findLast((one) => roomKey(one.room) === roomKey(room))?.text;
    const name = outsideName(n, this.#version);
    const chosen = {
      own: { text: own, from: this.#sender(who, false, n).name, id: people[who].id },
      ours: { text: ours === undefined ? undefined : quotable(ours), from: "Tidegate", id: bot },
      stranger: { text: outsideWords(n + 1000, brought, this.#version), from: name, id: sources.user },
    }[of];
    const { text, from, id } = chosen;
    if (text === undefined) return;
    const messageId = this.platform.nextId();
    const parts: readonly Part[] = [
      { kind: "text", messageId, origin: { kind: "forwarded", as: "user", from, id }, text },
      { kind: "text", messageId, origin: { kind: "own" }, text: this.#words(who, "c", order, n) },
    ];
    this.#hear(who, {
      means: {
        kind: "message",
        room: this.#roomOf(who, "c"),
        from: this.#sender(who, false, n),
        at: this.clock.now(),
        messageId,
        parts,
        addressed: true,
      },
      by: "message-menu",
    });
    if (this.tongue.limits.forms) this.watch.count(`asked about ${of}`);
  }

  #ours({ ref }: Shown): Origin {
    return { kind: "quoted", from: "Tidegate", id: this.tongue.bot, messageId: ref, ours: true };
  }

  #command({ who, where, name, args }: Extract<Step, { do: "command" }>): void {
    this.#n += 1;
    const messageId = this.platform.nextId();
    const room = this.#roomOf(who, where);
    const from = this.#sender(who, false, this.#n);
    this.#hear(who, {
      means: {
        kind: "message",
        room,
        from,
        at: this.clock.now(),
        messageId,
        parts: [],
        addressed: true,
        command: { name, args },
      },
    });
  }

  async #press({ who, where, card, answer, byText, written }: Extract<Step, { do: "press" }>): Promise<void> {
    this.#n += 1;
    const n = this.#n;
    const room = where === "group" ? this.places.group : this.#roomOf("owner", where);
    const has = (one: Shown, label: string): boolean => one.presses.some((press) => press.label === label);
    const is = (one: Shown): boolean => {
      const approval = one.text.startsWith("**May I?**");
      if (card === "offer") return has(one, "Don't suggest");
      if (card === "question") return has(one, "Skip");
      if (card === "chip") return !has(one, "Skip") && one.presses.some(({ label }) => label.startsWith("call send"));
      // What the owner does not want suggested is never suggested in any chat: the plots leave it out.
      if (card === "choice" && has(one, "Don't suggest")) return false;
      if (card === "plan") return one.presses.some(({ label }) => label === "Keep planning");
      if (card === "choice") return !approval && one.presses.length > 0;
      return approval && one.presses.length > 0 && one.text.includes('"words": "owner') === (card === "own");
    };
    const one = this.platform.shown.findLast((shown) => roomKey(shown.room) === roomKey(room) && is(shown));
    if (one === undefined) return;
    const from = this.#sender(who, true, n);
    if (who === "owner") {
      this.watch.cardPresses += 1;
      if (!["offer", "question", "chip"].includes(card)) this.watch.ownerPresses += 1;
    }
    if (byText) {
      const messageId = this.platform.nextId();
      const word = answer === "no" ? "no" : "yes";
      // Where nothing can be quoted, the card is named by its number.
      const [, number = ""] = /\(no\. (\d+)\)/u.exec(one.text) ?? [];
      // Whoever can't see it can name it, and has none of its words.
      const seen = who === "owner" || where === "group" ? quotable(one.text) : "May I?";
      const quoted: readonly Part[] = [{ kind: "text", messageId, origin: this.#ours(one), text: seen }];
      const text = this.tongue.quotes ? word : `${word} ${number}`;
      const means = {
        kind: "message",
        room: this.#roomOf(who, where),
        from,
        at: this.clock.now(),
        messageId,
        parts: [...(this.tongue.quotes ? quoted : []), { kind: "text", messageId, origin: { kind: "own" }, text }],
        addressed: true,
      } as const;
      this.#hear(who, { means });
      return;
    }
    const label =
      card === "plan"
        ? { allow: "Start", always: "Start", no: "Keep planning" }[answer]
        : card === "offer" || card === "question" || card === "chip"
          ? { allow: "", always: "", no: card === "offer" ? "Not now" : "Skip" }[answer]
          : { allow: "Allow once", always: "Always", no: "Don't" }[answer];
    const button = one.presses.find((press) => press.label.startsWith(label)) ?? one.presses[0];
    if (button === undefined) return;
    if (who !== "owner") this.watch.count("someone else presses the owner's button");
    if (card === "offer" || card === "question" || card === "chip")
      this.watch.count(`${who === "owner" ? "the owner" : "someone else"} presses: ${card}`);
    // What is answered to a press is seen by who pressed, and nobody else.
    const press = { kind: "press", room, from, data: button.press, messageId: one.ref } as const;
    const ref = this.platform.nextId();
    const opens = button.opens === true ? ({ opens: true } as const) : {};
    this.#hear(who, { means: { ...press, ref }, ...opens });
    if (button.opens !== true || !this.tongue.limits.forms) return;
    // Someone else has no form to fill in, and sends one all the same.
    await this.until(this.clock.now() + FORM_MS);
    const form = this.platform.forms.findLast((form) => this.#pressers.get(form.ref) === who)?.form;
    if (form === undefined && who === "owner") return;
    const field = form?.fields[0]?.id ?? "changes";
    const words = this.#words(who, where, written, n);
    if (who === "owner") this.watch.ownerPresses += 1;
    this.#hear(who, {
      means: { ...press, ref: this.platform.nextId(), data: form?.press ?? button.press, fields: { [field]: [words] } },
    });
  }

  /** No conversation loses a mark, and the store tells the same of them as the log does. */
  async #monotone(all = false): Promise<void> {
    for (const one of this.watch.seen.values()) {
      if (!all && this.#entries.get(one.id) === one.entries) continue;
      this.#entries.set(one.id, one.entries);
      const marks = (await this.#raw.conversations.marks(one.id)) ?? [];
      const now = marks.map(({ kind, source }) => `${kind} ${source}`);
      const before = this.#marks.get(one.id) ?? [];
      if (before.some((mark, at) => now[at] !== mark)) this.faults.push(`A58: ${one.name} lost a mark`);
      if (one.person_ && !marks.some(({ kind }) => kind === "person"))
        this.faults.push(`A17, A23: ${one.name} has no person mark`);
      this.#marks.set(one.id, now);
    }
  }

  /** What came of it all. */
  lived(): Lived {
    const { a, b, c, group, eve, gus } = this.places;
    const pressed = [...this.#pressers].filter(([, who]) => who === "owner").map(([ref]) => ref);
    const owners = new Set([...[a, b, c].map(roomKey), ...pressed]);
    for (const { room, text } of this.platform.sights) {
      const seen = [...text.matchAll(CATALOG_WORDS)].map(([word]) => word);
      if (seen.length > 0 && !owners.has(room)) this.faults.push(`A56: ${room} was shown ${seen.join(" ")}`);
    }
    const mallorys = new Set([...[group, eve, gus].map(roomKey), "answer to eve", "answer to gus"]);
    const sights = this.platform.sights
      .map((sight) => {
        const who = this.#pressers.get(sight.room);
        return who === undefined ? sight : { ...sight, room: `answer to ${who}` };
      })
      .filter(({ room }) => mallorys.has(room));
    return {
      faults: this.faults,
      // Ids and keys are random, and drawn in the order in which anything happens anywhere.
      sights: sights.map(({ room, what, text }) => `${room} ${what} ${text}`.replaceAll(/(?<=[Ss]im)\d+/gu, "")),
      acts: this.watch.acts,
      verdicts: [...this.verdicts]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([name, list]) => list.map((one) => `${name}: ${one}`)),
    };
  }
}

/** What is quoted of a text of ours. */
function quotable(text: string): string {
  if (text.length <= LONG_QUOTE) return text;
  return text
    .split("\n")
    .filter((line) => /^call |SECRET-|\(\d+\)/u.test(line))
    .join("\n");
}

/** Lives a plot through. */
export async function live(
  plot: Plot,
  version: Version,
  count: (branch: string) => void,
  plant?: Plant,
): Promise<Lived> {
  const world = await World.open(plot, version, count, plant);
  try {
    // Each of the owner's other chats has a secret of its own first.
    const note = { do: "say", who: "owner", brings: "nothing", order: "none", brought: "none", posing: false } as const;
    await world.step({ ...note, where: "a", pause: "at-once" });
    await world.step({ ...note, where: "b", pause: "long" });
    for (const step of plot.steps) await world.step(step);
    await world.rest();
    await world[Symbol.asyncDispose]();
  } catch (thrown) {
    world.faults.push(`it can't go on: ${String(thrown)}`);
  }
  return world.lived();
}
