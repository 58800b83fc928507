// Claude Code as an engine, by its Agent SDK: a process of the program's for each turn, kept for a while where the next may use it.
import type { Checked, Engine } from "../../core/engine.ts";
import { asGatewayError, GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import type { EngineHost } from "../host.ts";
import { orStopped } from "../stop.ts";
import { checked } from "./check.ts";
import { Live } from "./live.ts";
import type { Setup } from "./options.ts";
import { blocksOf } from "./prompt.ts";
import { loadSdk, programOf, type FoundSdk } from "./sdk.ts";
import { foldersOf, forgetSession, sessionOf } from "./sessions.ts";
import { Starting } from "./starting.ts";
import { follow, type End, type Outcome } from "./turn.ts";
import { WarmProcesses } from "./warm.ts";

/** What the config may say of Claude Code. */
export type ClaudeOptions = {
  readonly name: string;
  /** Left out: the program's own choice. */
  readonly model?: string | undefined;
  /** Left out: the owner's own sign-in of the program. */
  readonly apiKey?: string | undefined;
  /** Another address that speaks the same; left out: Anthropic's. */
  readonly baseUrl?: string | undefined;
  /** The program's file, where it is not the one that comes with the SDK. */
  readonly command?: string | undefined;
  /** The folder whose node_modules holds the Agent SDK, where it isn't installed beside Tidegate. */
  readonly sdk?: string | undefined;
};

/** Measured: calls and permissions held for 10 minutes are still taken. */
const HOLD_MS = 600_000;

/** Nothing is loaded before it is needed: the package is heavy, and it may be missing. */
export async function claudeEngine(
  options: ClaudeOptions,
  surroundings: Surroundings,
  host: EngineHost,
): Promise<Engine> {
  return await Promise.resolve(new ClaudeEngine(options, surroundings, host));
}

class ClaudeEngine implements Engine {
  readonly name: string;
  readonly can: Engine["can"] = {
    ...{ tools: true, images: true, plan: true, ownTools: true, locked: true, sessions: true },
    holdMs: HOLD_MS,
  };
  readonly #setup: Setup;
  readonly #sdkFolder: string | undefined;
  readonly #surroundings: Surroundings;
  readonly #warm: WarmProcesses;
  readonly #starting: Starting;
  readonly #running = new Set<Live>();
  /** Sessions that a turn has now. */
  readonly #taken = new Map<string, Promise<void>>();
  #sdk: Promise<FoundSdk> | undefined;

  constructor({ name, sdk, ...options }: ClaudeOptions, surroundings: Surroundings, host: EngineHost) {
    this.name = name;
    const { model, apiKey, baseUrl, command } = options;
    const folders = foldersOf(host, name, apiKey === undefined);
    this.#setup = { model, apiKey, baseUrl, command, host, folders };
    this.#sdkFolder = sdk;
    this.#surroundings = surroundings;
    this.#warm = new WarmProcesses(surroundings.clock);
    this.#starting = new Starting(this.#setup, surroundings);
  }

  async *run(input: TurnInput): AsyncGenerator<TurnEvent, void> {
    let end: End = { kind: "end", reason: "stopped" };
    try {
      if (!input.signal.aborted) end = yield* this.#answer(input);
    } catch (thrown) {
      if (!input.signal.aborted) {
        const error = asGatewayError(thrown, "engine-failed");
        if (error.cause !== undefined)
          this.#surroundings.log.error({ err: thrown, engine: this.name }, "claude code failed");
        end = { kind: "end", reason: "error", error: new GatewayError(error.code, error.message, hintOf(error)) };
      }
    }
    yield end;
  }

  async forget(resumeId: string): Promise<void> {
    const known = sessionOf(resumeId);
    if (known === undefined) return;
    await this.#warm.end(known.session);
    await forgetSession(this.#setup.folders, known.level, known.session);
  }

  async check(signal: AbortSignal): Promise<Checked> {
    const found = await orStopped(this.#found(), signal);
    return await orStopped(checked(found, this.#setup, this.#surroundings.clock), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([
      this.#warm[Symbol.asyncDispose](),
      ...[...this.#running].map(async (live) => await live[Symbol.asyncDispose]()),
    ]);
    await this.#starting[Symbol.asyncDispose]();
  }

  async #found(): Promise<FoundSdk> {
    this.#sdk ??= loadSdk(this.#sdkFolder);
    try {
      return await this.#sdk;
    } catch (thrown) {
      // It may be installed meanwhile.
      this.#sdk = undefined;
      throw thrown;
    }
  }

  /** The session that was asked for, else a new one; if it is lost, a new one that is told all, once. */
  async *#answer(input: TurnInput): AsyncGenerator<TurnEvent, End, undefined> {
    const level = input.locked ? "locked" : "owner";
    const known = input.resumeId === undefined ? undefined : sessionOf(input.resumeId);
    const session = known?.level === level ? known.session : undefined;
    if (session === undefined) {
      const restarted = input.resumeId === undefined ? undefined : known === undefined ? "lost" : "replaced";
      // Nobody will ask for it again, and once another's id is told nothing leads to it.
      if (restarted === "replaced" && input.resumeId !== undefined) await this.forget(input.resumeId);
      return (yield* this.#attempt(input, undefined, restarted)) ?? failedAgain();
    }
    const release = await this.#alone(session, input.signal);
    try {
      const end = yield* this.#attempt(input, session, undefined);
      if (end !== undefined) return end;
      await this.forget(`${level}:${session}`);
      return (yield* this.#attempt(input, undefined, "lost")) ?? failedAgain();
    } finally {
      release();
    }
  }

  /** Undefined: the session is not there. */
  async *#attempt(
    input: TurnInput,
    session: string | undefined,
    restarted: "lost" | "replaced" | undefined,
  ): AsyncGenerator<TurnEvent, End | undefined, undefined> {
    const { clock } = this.#surroundings;
    const found = await orStopped(this.#found(), input.signal);
    programOf(found, this.#setup.command);
    const start = await this.#starting.start(input);
    const first = session === undefined ? input.catchUp.whole() : input.catchUp.missed();
    const blocks = await blocksOf(first, input.prompt);
    const warm = session === undefined ? undefined : await this.#warm.take(session, start.key);
    const live = warm ?? new Live(found.sdk, start, session, this.#surroundings, this.#setup.host);
    this.#running.add(live);
    let outcome: Outcome | undefined;
    try {
      const { apiKey, folders } = this.#setup;
      outcome = yield* follow(live, input, blocks, {
        ...{ clock, level: start.level, work: start.cwd, folders, resumed: session !== undefined, restarted },
        access: apiKey === undefined ? "sign-in" : "key",
      });
    } finally {
      live.end();
      this.#running.delete(live);
      if (outcome?.is === "ended" && outcome.reuse) await this.#warm.keep(live);
      else await live[Symbol.asyncDispose]();
    }
    if (outcome.is === "no-session") return undefined;
    if (outcome.is === "ended") return outcome.end;
    // One that waited had ended by itself: nothing of the turn was done.
    if (warm !== undefined) return yield* this.#attempt(input, session, restarted);
    return { kind: "end", reason: "error", error: outcome.why };
  }

  /** Waits for the session's turn under way, if there is one. Two at once would lose one of the two. */
  async #alone(session: string, signal: AbortSignal): Promise<() => void> {
    for (let before = this.#taken.get(session); before !== undefined; before = this.#taken.get(session))
      await orStopped(before, signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken.set(session, promise);
    return () => {
      this.#taken.delete(session);
      resolve();
    };
  }
}

function failedAgain(): End {
  const error = new GatewayError("engine-failed", "Claude Code can't begin a session.");
  return { kind: "end", reason: "error", error };
}

function hintOf({ hint }: GatewayError): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}
