// Codex as an engine, by its app-server: one process a turn, in a private home, with the thread kept between them.
//
//   home → program → thread (resumed, or new and told the whole chat) → turn → events ─→ program ended → thread kept → home gone
import type { Engine } from "../../core/engine.ts";
import { asGatewayError, GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnEvent, TurnInput } from "../../core/turn.ts";
import type { EngineHost } from "../host.ts";
import { orStopped } from "../stop.ts";
import { notSignedIn } from "./faults.ts";
import { isSignedIn } from "./home.ts";
import { keptThreads, threadsFolder } from "./kept.ts";
import { PINNED_VERSION } from "./protocol.ts";
import { openSession, type Codex, type Session } from "./session.ts";
import { readResumeId } from "./tools.ts";
import { usableVersion } from "./version.ts";

/** What the config may say of Codex. */
export type CodexOptions = {
  readonly name: string;
  /** The program: a name on the PATH or a file. */
  readonly command?: string | undefined;
  /** Left out: the program's own choice. */
  readonly model?: string | undefined;
  /** Left out: the owner's own sign-in of the program. */
  readonly apiKey?: string | undefined;
  /** Another address that speaks OpenAI's Responses; left out: OpenAI's. */
  readonly baseUrl?: string | undefined;
};

type End = Extract<TurnEvent, { kind: "end" }>;

/** Seen with the pinned version: a tool's answer and an approval were both taken after 10 minutes and 20 seconds. */
const HOLD_MS = 600_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes the engine; the program itself is looked at by `check` and by the first turn. */
export async function codexEngine(
  options: CodexOptions,
  surroundings: Surroundings,
  host: EngineHost,
): Promise<Engine> {
  const { name, command = "codex", model, apiKey, baseUrl } = options;
  const kept = keptThreads(threadsFolder(host.sessions, name), surroundings);
  const key = apiKey?.trim();
  const codex: Codex = { command, model, apiKey: key === "" ? undefined : key, baseUrl, host, kept, surroundings };
  const running = new Set<AsyncDisposable>();
  const over = new AbortController();
  let version: Promise<string> | undefined;
  /** Looked up once, for as long as it will do. */
  const usable = async (): Promise<string> => {
    version ??= usableVersion(command, host, surroundings.clock);
    try {
      return await version;
    } catch (thrown) {
      version = undefined;
      throw thrown;
    }
  };
  // With the first turn, since whoever only looks at the engine is to change nothing.
  let tidying = false;
  const tidily = (): void => {
    if (tidying) return;
    tidying = true;
    void tidyDaily(kept.tidy, surroundings, over.signal);
  };

  return {
    name,
    can: { tools: true, images: true, plan: true, ownTools: true, locked: true, sessions: true, holdMs: HOLD_MS },
    run(input) {
      tidily();
      return run(codex, input, usable, running);
    },
    forget: async (resumeId) => await kept.forget(readResumeId(resumeId)?.thread ?? ""),
    async check(signal) {
      // An upgrade since the last look is seen.
      version = undefined;
      const found = await orStopped(usable(), signal);
      if (codex.apiKey === undefined && !(await isSignedIn(host))) throw notSignedIn();
      const how = codex.apiKey === undefined ? "is signed in" : "has a key";
      const words = `Codex ${found} is there and ${how}.`;
      if (found === PINNED_VERSION) return { words };
      return {
        words,
        warn: `Tidegate is tested with Codex ${PINNED_VERSION}: with ${found} some things may not work.`,
      };
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all([...running].map(async (one) => await one[Symbol.asyncDispose]()));
    },
  };
}

/** One turn. Whatever happens, the program has ended and its home is gone before the end is told. */
async function* run(
  codex: Codex,
  input: TurnInput,
  usable: () => Promise<string>,
  running: Set<AsyncDisposable>,
): AsyncGenerator<TurnEvent, void> {
  const { signal } = input;
  let session: Session | undefined;
  let end: End = { kind: "end", reason: "done" };
  const left: TurnEvent[] = [];
  try {
    signal.throwIfAborted();
    if (codex.apiKey === undefined && !(await isSignedIn(codex.host))) throw notSignedIn();
    session = await opened(codex, input, usable);
    running.add(session);
    const { resumeId, restarted } = session;
    yield { kind: "session", resumeId, kept: false, ...(restarted === undefined ? {} : { restarted }) };
    const turn = await orStopped(session.begin(), signal);
    try {
      yield* turn.events();
      if (turn.went().limit) end = { kind: "end", reason: "limit" };
    } finally {
      left.push(...turn.close());
    }
  } catch (thrown) {
    end = endOf(codex, thrown, signal);
    if (end.reason === "error") session?.failed(end.error);
  } finally {
    await session?.[Symbol.asyncDispose]();
    if (session !== undefined) running.delete(session);
  }
  yield* left;
  if (session?.kept() === true) yield { kind: "session", resumeId: session.resumeId, kept: true };
  yield end;
}

/** A session once the version will do as well: both are found out side by side. */
async function opened(codex: Codex, input: TurnInput, usable: () => Promise<string>): Promise<Session> {
  const [version, opening] = await Promise.allSettled([orStopped(usable(), input.signal), openSession(codex, input)]);
  if (opening.status === "rejected") throw version.status === "rejected" ? version.reason : opening.reason;
  if (version.status === "fulfilled") return opening.value;
  await opening.value[Symbol.asyncDispose]();
  throw version.reason;
}

function endOf(codex: Codex, thrown: unknown, signal: AbortSignal): End {
  if (signal.aborted) return { kind: "end", reason: "stopped" };
  const known = thrown instanceof GatewayError;
  if (!known) codex.surroundings.log.warn({ err: thrown }, "a turn of Codex's failed");
  // What isn't ours may hold the program's words.
  const error = known ? asGatewayError(thrown) : new GatewayError("engine-failed");
  return { kind: "end", reason: "error", error };
}

async function tidyDaily(tidy: () => Promise<void>, { clock, log }: Surroundings, stop: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await tidy();
      await clock.sleep(DAY_MS, stop);
    }
  } catch (thrown) {
    if (!stop.aborted) log.warn({ err: thrown }, "unused Codex threads can't be removed");
  }
}
