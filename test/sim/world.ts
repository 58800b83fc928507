// A seeded world: the real gateway over the real store, with played people, platform and engines, in virtual time. The gateway is
// killed wherever it waits for anything, and opened again. The same seed gives the same history.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { toyCatalog } from "../cards/catalog.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Logger, Surroundings } from "../../src/core/surroundings.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import type { Gateway, GatewayParts } from "../../src/gateway/parts.ts";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { PLAIN_PARTS } from "../gateway/plain-parts.ts";
import { settingsOf } from "../gateway/plain-settings.ts";
import { check, leftovers, type Life } from "./check.ts";
import { quiet, VirtualClock } from "./clock.ts";
import { Dice } from "./dice.ts";
import { ENGINES, THINGS, playedEngine, playedTools, type Run } from "./engine.ts";
import { Gate, gatedClock, gatedStore } from "./gate.ts";
import { OWNER, People } from "./people.ts";
import { PlayedPlatform } from "./platform.ts";
import { witness, witnessed } from "./witness.ts";

export type WorldOptions = {
  readonly seed: number;
  /** The store is a file, closed and opened again at each start. */
  readonly disk?: boolean;
  /** How often people act. */
  readonly acts?: number;
  /** A fault to plant: changes what a gateway is made of. */
  readonly plant?: (parts: GatewayParts) => GatewayParts;
};

/** What happened, and what of it must not have. */
export type History = {
  readonly digest: string;
  readonly faults: readonly string[];
  readonly lines: readonly string[];
  readonly lives: number;
  readonly messages: number;
};

const HOUR_MS = 3_600_000;
/** Nothing that the gateway does in peace takes longer: it is how long an approval waits for its answer. */
const PEACE_MS = HOUR_MS;
/** Several turns may wait in one chat, each for approvals that nobody answers. */
const PATIENCE_MS = 48 * HOUR_MS;
const MAX_STEPS = 200_000;

/** Lives one history through to its end. */
export async function live(options: WorldOptions): Promise<History> {
  await using world = new World(options);
  return await world.live();
}

class World implements AsyncDisposable {
  readonly #settings = settingsOf();
  readonly #options: WorldOptions;
  readonly #clock = new VirtualClock();
  readonly #dice: Dice;
  readonly #keys: Dice;
  readonly #lines: string[] = [];
  readonly #runs: Run[] = [];
  readonly #bought: string[] = [];
  readonly #lives: Life[] = [];
  /** What is on there stays on, whichever life turned it on. */
  readonly #catalog = toyCatalog(THINGS);
  readonly #seen = witness();
  readonly #platform: PlayedPlatform;
  readonly #people: People;
  readonly #folder: string | undefined;
  readonly #joinWithinMs: number;
  /** What a new chat is answered by. */
  readonly #engine: string;
  /** How likely a step is to be the last of a life. */
  readonly #killing: number;
  readonly #diskFails: number;
  /** A world of cards: more is asked and offered, and people mostly press. */
  readonly #cards: boolean;
  #store: Store | undefined;
  #gate = new Gate();
  #gateway: Gateway | undefined;
  #post: (() => void)[] = [];
  #diskFailures = 0;
  readonly #faults: string[] = [];
  #kills: number;
  #steps = 0;
  #down = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#dice = new Dice(options.seed, "world");
    this.#keys = new Dice(options.seed, "keys");
    this.#platform = new PlayedPlatform(this.#clock, new Dice(options.seed, "platform"), this.#trace);
    this.#cards = this.#dice.chance(0.4);
    this.#people = new People(this.#clock, new Dice(options.seed, "people"), this.#platform, this.#cards);
    this.#folder = options.disk === true ? mkdtempSync(join(tmpdir(), "tidegate-sim-")) : undefined;
    this.#joinWithinMs = this.#dice.one([0, 300, 300]) ?? 300;
    this.#engine = this.#cards ? "plain" : (this.#dice.one(["plain", "plain", "own"]) ?? "plain");
    this.#killing = this.#dice.one(this.#cards ? [0, 0.01, 0.03] : [0, 0.002, 0.006, 0.02]) ?? 0;
    this.#kills = this.#dice.from(1, 6);
    this.#diskFails = this.#dice.chance(0.15) ? 0.01 : 0;
    for (const { kind, id } of THINGS) {
      const comes = ["on", "sign-in", "sign-in", { throws: "played: no answer" }, { notYet: "Not yet." }] as const;
      if (kind === "app") this.#catalog.script.set(id, this.#dice.one(comes) ?? "on");
    }
  }

  async live(): Promise<History> {
    this.#store = await this.#openStore();
    this.#open();
    let acts = this.#options.acts ?? this.#dice.from(10, 40);
    const next = (): void => {
      if (acts === 0) return;
      acts -= 1;
      if (this.#dice.chance(0.04)) this.#fromOutside();
      if (this.#dice.chance(0.08)) this.#signsIn();
      this.#clock.after(this.#people.act(), next);
    };
    this.#clock.after(1, next);
    await this.#run(() => acts === 0 && this.#platform.drained, 6 * HOUR_MS);
    // From here on nothing fails, and everything that was begun must come to its end.
    if (!this.#down && this.#killing > 0 && this.#dice.chance(0.3)) await this.#kill("killed");
    this.#trace("peace");
    this.#platform.faulty = false;
    await this.#run(() => !this.#down && this.#clock.nextAt > this.#clock.now() + PEACE_MS, PATIENCE_MS);
    // What outlived its turn and nobody answers is over after a day.
    const tomorrow = this.#clock.now() + 25 * HOUR_MS;
    await this.#run(() => this.#clock.nextAt > tomorrow, 25 * HOUR_MS);
    await this.#settle();
    if (this.#faults.length === 0) await this.#look();
    if (this.#faults.length === 0) await this.#stop();
    return {
      digest: createHash("sha256").update(this.#lines.join("\n")).digest("hex"),
      faults: this.#faults,
      lines: this.#lines,
      lives: this.#lives.length,
      messages: this.#people.written.length,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gate.shut();
    await this.#store?.[Symbol.asyncDispose]();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #trace = (line: string): void => void this.#lines.push(`${this.#clock.now() - 1_700_000_000_000} ${line}`);

  /** Lets everything happen, one event after the other, until `over`. Life may end at any of them. */
  async #run(over: () => boolean, patienceMs: number): Promise<void> {
    const until = this.#clock.now() + patienceMs;
    for (;;) {
      await this.#quiet();
      if (over()) return;
      this.#steps += 1;
      if (this.#steps > MAX_STEPS) {
        this.#faults.push("it never comes to rest: too many steps");
        return;
      }
      if (this.#mayDie() && this.#dice.chance(this.#killing)) {
        this.#kills -= 1;
        if (this.#gateway !== undefined && this.#dice.chance(0.25)) await this.#stop();
        await this.#kill("killed");
        continue;
      }
      if (!this.#clock.step(until)) {
        this.#faults.push(`it is not over after ${patienceMs} ms`);
        return;
      }
    }
  }

  /** Someone archives or deletes a chat from the command line. */
  #fromOutside(): void {
    const opened = this.#seen.done.flatMap(({ changes }) =>
      changes.flatMap((change) => (change.do === "open" ? [change.id] : [])),
    );
    const id = this.#dice.one(opened.slice(-4));
    if (id === undefined || this.#gateway === undefined) return;
    const what = this.#dice.chance(0.5) ? "delete" : "archive";
    this.#trace(`${what} ${id} from outside`);
    this.#gateway[what](id).catch((error: unknown) => this.#trace(`can't ${what}: ${String(error)}`));
  }

  /** The owner comes back from an app's page, whether or not anyone listens. */
  #signsIn(): void {
    const waits = THINGS.filter(({ kind, id }) => kind === "app" && this.#catalog.script.get(id) === "sign-in");
    const one = this.#dice.one(waits);
    if (one === undefined) return;
    this.#trace(`signed in to ${one.id}`);
    this.#catalog.signIn(one.id);
  }

  #mayDie(): boolean {
    return !this.#down && this.#platform.faulty && this.#kills > 0;
  }

  async #quiet(): Promise<void> {
    await quiet();
    // A file is being rewritten by a thread of its own; until it is done, nothing else is due.
    while (this.#folder !== undefined && this.#deletions > 0 && !this.#clock.busy) await turn();
  }

  #deletions = 0;

  async #openStore(): Promise<Store> {
    const surroundings: Surroundings = { clock: this.#clock, random: this.#keys, log: this.#log() };
    return await openStore({ folder: this.#folder ?? ":memory:", ...surroundings });
  }

  #log(): Logger {
    const write = (level: string) => (fields: Record<string, unknown>, note: string) => {
      const { err } = fields;
      this.#trace(`log ${level} ${note}${err instanceof Error ? ` ${err.message}` : ""}`);
      // Its way to say that something is wrong inside, which nothing here may cause.
      if (err instanceof Error && !(err instanceof GatewayError) && !err.message.startsWith("played")) {
        this.#faults.push(`an error inside: ${err.stack}`);
      }
    };
    return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  }

  /** A new life begins. */
  #open(): void {
    const store = this.#store;
    if (store === undefined) throw new Error("no store");
    const gate = new Gate();
    const life = this.#lives.length + 1;
    this.#lives.push({ from: this.#clock.now(), until: Number.POSITIVE_INFINITY, end: "lives" });
    this.#trace(`life ${life}`);
    this.#gate = gate;
    this.#down = false;
    const clock = gatedClock(this.#clock, gate);
    const seen = witnessed(store, this.#seen, {
      now: () => this.#clock.now(),
      life,
      trace: this.#trace,
      deleting: (by) => void (this.#deletions += by),
    });
    const dice = new Dice(this.#options.seed, `life ${life}`);
    const surroundings: Surroundings = { clock, random: dice, log: this.#log() };
    const engines = ENGINES.map((name) =>
      playedEngine(name, {
        clock,
        dice: new Dice(this.#options.seed, `${name} ${life}`),
        life,
        runs: this.#runs,
        cards: this.#cards,
        faulty: () => this.#platform.faulty,
        trace: this.#trace,
      }),
    );
    const gated = gatedStore(seen, gate, this.#courier, this.#refuse, this.#settings);
    const parts: Omit<GatewayParts, "search"> = {
      store: gated,
      catalog: this.#catalog,
      platforms: new Map([["sim", this.#platform.connect(clock, gate)]]),
      engine: async (name) => {
        const engine = engines.find((one) => one.name === name);
        return engine ?? (await Promise.reject(new Error(`no engine ${name}`)));
      },
      engineNames: ENGINES,
      defaultEngine: this.#engine,
      tools: playedTools(
        clock,
        new Dice(this.#options.seed, `tools ${life}`),
        (inTurn) => void this.#bought.push(inTurn),
      ),
      ...PLAIN_PARTS,
      owner: { name: "Sam", ids: new Map([["sim", OWNER.id]]) },
      access: { guests: "block", groups: "mention", guestHourly: 20, guestDaily: 60 },
      joinWithinMs: this.#joinWithinMs,
      work: join(this.#folder ?? tmpdir(), "tidegate-sim-nowhere"),
      surroundings,
    };
    const open = async (): Promise<Gateway> => {
      const search = await openSearch({ folder: ":memory:", store: gated, secrets: [], ...surroundings });
      const whole = { ...parts, search };
      return await openGateway(this.#options.plant?.(whole) ?? whole);
    };
    open().then(
      (gateway) => {
        this.#gateway = gateway;
      },
      (error: unknown) => {
        this.#trace(`can't open: ${String(error)}`);
        // Whoever started it starts it again.
        if (this.#diskFailures > 0) this.#clock.after(1, () => void this.#kill("killed"));
        else this.#faults.push(`it can't be opened: ${String(error)}`);
      },
    );
  }

  /** Brings writes to the store in the order they were made, some of them together. */
  readonly #courier = (deliver: () => void): void => {
    this.#post.push(deliver);
    if (this.#post.length > 1) return;
    const carry = (): void => {
      const together = this.#dice.chance(0.5) ? this.#post.length : 1;
      for (const one of this.#post.slice(0, together)) one();
      this.#post = this.#post.slice(together);
      if (this.#post.length > 0) go();
    };
    const go = (): void => {
      if (this.#dice.chance(0.8)) this.#clock.soon(carry);
      else this.#clock.after(this.#dice.from(1, 8), carry);
    };
    go();
  };

  readonly #refuse = (): Error | undefined => {
    if (!this.#platform.faulty || !this.#dice.chance(this.#diskFails)) return undefined;
    this.#diskFailures += 1;
    this.#trace("the disk fails");
    return new GatewayError("data-broken", "played: the disk is full");
  };

  /** The process is gone. What had reached the store is there, what had not is not. */
  async #kill(end: "killed" | "stopped"): Promise<void> {
    const life = this.#lives.at(-1);
    if (life?.end === "lives") {
      life.until = this.#clock.now();
      life.end = end;
    }
    this.#trace(end);
    this.#gate.shut();
    this.#gateway = undefined;
    this.#down = true;
    await this.#quiet();
    // What the dead wanted to write is passed over: each looks at its gate. What comes after them is not theirs.
    if (this.#folder !== undefined) {
      await this.#store?.[Symbol.asyncDispose]();
      await quiet();
      this.#store = await this.#openStore();
    }
    this.#clock.after(this.#dice.from(1, 20_000), () => this.#open());
  }

  /** An orderly end: it must come soon. */
  async #stop(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined) return;
    const life = this.#lives.at(-1);
    this.#trace("stopping");
    if (life !== undefined) {
      life.until = this.#clock.now();
      life.end = "stopped";
    }
    let over = false;
    gateway[Symbol.asyncDispose]().then(
      () => {
        over = true;
      },
      (error: unknown) => this.#faults.push(`it can't be stopped: ${String(error)}`),
    );
    const until = this.#clock.now() + 30_000;
    for (;;) {
      await this.#quiet();
      if (over) return;
      if (!this.#clock.step(until)) {
        this.#faults.push("it does not stop when told to");
        return;
      }
    }
  }

  /** Whoever waits for the end of all work is told, however many wait. */
  async #settle(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined) {
      this.#faults.push("there is no gateway at the end");
      return;
    }
    let settled = 0;
    for (let nth = 0; nth < 2; nth += 1) void gateway.settled().then(() => (settled += 1));
    await this.#run(() => settled === 2 || this.#clock.nextAt > this.#clock.now() + PEACE_MS, HOUR_MS);
    if (settled < 2) this.#faults.push("it never settles");
    if (gateway.queue.count > 0) this.#faults.push("turns still run");
  }

  async #look(): Promise<void> {
    const store = this.#store;
    if (store === undefined) return;
    const conversations = await store.conversations.list({ archived: true });
    const logs = new Map<string, Awaited<ReturnType<Store["log"]["read"]>>>();
    for (const { id } of conversations) logs.set(id, await store.log.read(id));
    this.#faults.push(
      ...(await leftovers(store)),
      ...check({
        seen: this.#seen,
        platform: this.#platform,
        people: this.#people,
        runs: this.#runs,
        lives: this.#lives,
        bought: this.#bought,
        diskFailures: this.#diskFailures,
        conversations,
        logs,
      }),
    );
  }
}
