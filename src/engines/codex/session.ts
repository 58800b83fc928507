// One run of the program, from its private home to the kept thread: home → program → thread → turn → the thread's file out → home gone.
import { mkdir, readFile, stat } from "node:fs/promises";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnInput } from "../../core/turn.ts";
import type { EngineHost } from "../host.ts";
import { startProgram, type Program } from "../process.ts";
import { orStopped } from "../stop.ts";
import { openHome, ownersFolder, type Home } from "./home.ts";
import { changedInstructions } from "./instructions.ts";
import { isThreadFile, type KeptThreads } from "./kept.ts";
import { SEALED, type ImageInput, type Requests, type TextInput } from "./protocol.ts";
import { gone, openRpc, Refused, type Rpc } from "./rpc.ts";
import { configToml, KEY_VARIABLE, NO_GIT } from "./settings.ts";
import { digestOf, dynamicTools, namedTools, readResumeId, resumeId, shortHash, type NamedTool } from "./tools.ts";
import { openTurn, type RunningTurn } from "./turn.ts";

/** What all runs of an engine share. */
export type Codex = {
  readonly command: string;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
  readonly host: EngineHost;
  readonly kept: KeptThreads;
  readonly surroundings: Surroundings;
};

/** A thread that is open in a running program. Disposed of, the program ends, the thread is kept and the home is gone. */
export type Session = AsyncDisposable & {
  readonly resumeId: string;
  readonly restarted: "lost" | "replaced" | undefined;
  /** Starts the turn; once in a session, since a second start while one runs would be taken for words to it. */
  readonly begin: () => Promise<RunningTurn>;
  /** Whether all that the turn said is in the kept thread: known once it is disposed of. */
  readonly kept: () => boolean;
  /** The turn failed: what became of the thread goes by why. */
  readonly failed: (error: GatewayError) => void;
};

/** The program's own prompt is for work with files and commands: a turn without them gets this in its place. */
const LOCKED_PROMPT =
  "You answer people in a chat app. You have the tools that are listed and no others: no commands, no files, no web.";
const RESUME_MS = 60_000;
const INTERRUPT_MS = 400;
const NOTE_MS = 5_000;

/** Opens the thread that `input` resumes, or a new one. Leaves nothing behind when it throws, as it does when the turn is stopped. */
export async function openSession(codex: Codex, input: TurnInput): Promise<Session> {
  const { host, surroundings } = codex;
  const withKey = codex.apiKey !== undefined;
  const tools = namedTools(input.tools);
  const digest = digestOf(tools, `${input.locked ? "locked" : "own"}/${withKey ? "key" : "sign-in"}`);
  const { model, baseUrl } = codex;
  const config = configToml({ locked: input.locked, model, withKey, baseUrl, home: host.home });
  const home = await openHome(host, config, !withKey);
  let program: Program | undefined;
  try {
    // A chat's own folder may not be there yet.
    if (!input.locked) await mkdir(input.workFolder, { recursive: true, mode: 0o700 });
    program = await startProgram(
      {
        ...{ command: codex.command, args: ["app-server"], called: "Codex" },
        cwd: input.locked ? home.empty : input.workFolder,
        env: {
          ...host.env,
          ...NO_GIT,
          HOME: home.folder,
          CODEX_HOME: home.folder,
          ...(withKey ? { [KEY_VARIABLE]: codex.apiKey } : {}),
        },
      },
      surroundings.clock,
      host.watchdog,
    );
    const rpc = openRpc(program.child.stdin, program.child.stdout, surroundings.clock);
    void program.ended.then(() => rpc.close());
    const opened = await orStopped(
      greet(rpc).then(async () => await openThread({ codex, input, rpc, home, tools, digest })),
      input.signal,
    );
    return session({ codex, input, home, tools, digest, rpc, program, opened });
  } catch (thrown) {
    await program?.[Symbol.asyncDispose]();
    if (program !== undefined && !input.signal.aborted)
      surroundings.log.warn({ complaints: program.complaints().slice(-2000) }, "Codex can't open a thread");
    await clear(home, surroundings.log);
    throw thrown;
  }
}

/** What can't be cleared away is no fault of the turn's: the watchdog tries again at the end. */
async function clear(home: Home, log: Surroundings["log"]): Promise<void> {
  try {
    await home[Symbol.asyncDispose]();
  } catch (thrown) {
    log.warn({ err: thrown }, "a private home of Codex's can't be cleared away");
  }
}

async function greet(rpc: Rpc): Promise<void> {
  await rpc.request("initialize", {
    clientInfo: { name: "tidegate", title: null, version: "1" },
    capabilities: { experimentalApi: true, requestAttestation: false },
  });
  rpc.notify("initialized");
}

type Opening = {
  readonly codex: Codex;
  readonly input: TurnInput;
  readonly rpc: Rpc;
  readonly home: Home;
  readonly tools: readonly NamedTool[];
  readonly digest: string;
};

type Opened = {
  readonly thread: string;
  readonly file: string | undefined;
  readonly model: string;
  /** The digest of the instructions that it heard last; undefined for a new one, which hears them as its first. */
  readonly told: string | undefined;
  readonly restarted: Session["restarted"];
};

async function openThread({ codex, input, rpc, home, tools, digest }: Opening): Promise<Opened> {
  const { kept, surroundings } = codex;
  const params = {
    ...SEALED,
    cwd: input.locked ? home.empty : input.workFolder,
    ...(codex.model === undefined ? {} : { model: codex.model }),
    // The text of a resume goes for the turns after it only at a compaction, but is then all that is left.
    developerInstructions: input.instructions,
    ...(input.locked ? { baseInstructions: LOCKED_PROMPT } : {}),
  };
  let restarted: Opened["restarted"];
  if (input.resumeId !== undefined) {
    const asked = readResumeId(input.resumeId);
    restarted = "lost";
    if (asked !== undefined && asked.digest !== digest) {
      restarted = "replaced";
      await kept.forget(asked.thread);
    } else if (asked !== undefined) {
      const put = await kept.putBack(asked.thread, home.folder);
      if (put.is === "dropped") restarted = "replaced";
      if (put.is === "there") {
        try {
          const { thread, model } = await rpc.request(
            "thread/resume",
            { ...params, threadId: asked.thread, excludeTurns: true },
            RESUME_MS,
          );
          return { thread: thread.id, file: thread.path ?? undefined, model, told: put.told, restarted: undefined };
        } catch (thrown) {
          // It is none of the thread's fault that its turn was stopped.
          if (input.signal.aborted) throw thrown;
          // Whatever it was, the next turn is not to meet it again.
          await kept.forget(asked.thread);
          if (!(thrown instanceof Refused)) throw thrown;
          surroundings.log.warn({ thread: asked.thread, code: thrown.code }, "Codex refused a kept thread");
        }
      }
    }
  }
  const { thread, model } = await rpc.request("thread/start", {
    ...params,
    historyMode: "legacy",
    dynamicTools: dynamicTools(tools),
    ...(input.locked ? { environments: [] } : {}),
  });
  return { thread: thread.id, file: thread.path ?? undefined, model, told: undefined, restarted };
}

function session(parts: Opening & { readonly program: Program; readonly opened: Opened }): Session {
  const { codex, input, home, tools, digest, rpc, program, opened } = parts;
  const { log } = codex.surroundings;
  const { thread } = opened;
  const told = shortHash(input.instructions);
  let running: RunningTurn | undefined;
  let turnId: string | undefined;
  let failure: GatewayError | undefined;
  let isKept = false;
  let closing: Promise<void> | undefined;

  const begin = async (): Promise<RunningTurn> => {
    if (running !== undefined) throw new GatewayError("internal", "A turn of this session has begun already.");
    const turn = openTurn({
      ...{ input, thread, tools, model: opened.model, surroundings: codex.surroundings },
      closed: [home.root, ownersFolder(codex.host)],
      signedIn: codex.apiKey === undefined,
      async note(said) {
        const item = { type: "message", role: "developer", content: [{ type: "input_text", text: said }] } as const;
        // Without it the model knows only that it was declined.
        await rpc.request("thread/inject_items", { threadId: thread, items: [item] }, NOTE_MS).catch(() => undefined);
      },
    });
    running = turn;
    rpc.hear(turn.ears);
    void program.ended.then(({ code, signal }) => {
      if (closing === undefined)
        log.warn({ code, signal, complaints: program.complaints().slice(-2000) }, "Codex ended by itself");
      turn.fail(gone());
    });
    const anew = opened.told === undefined;
    const before = anew ? input.catchUp.whole() : input.catchUp.missed();
    const { turn: started } = await rpc.request("turn/start", {
      threadId: thread,
      input: [...(before === "" ? [] : [words(before)]), ...(await promptOf(input))],
      ...(anew || opened.told === told ? {} : { additionalContext: changedInstructions(input.instructions) }),
      ...(input.locked ? { environments: [] } : {}),
    });
    turnId = started.id;
    turn.began(started.id);
    return turn;
  };

  const close = async (): Promise<void> => {
    try {
      const went = running?.went();
      if (went?.completed === false && turnId !== undefined)
        await rpc.request("turn/interrupt", { threadId: thread, turnId }, INTERRUPT_MS).catch(() => undefined);
      await program[Symbol.asyncDispose]();
      if (went !== undefined && turnId !== undefined) isKept = (await keep(went.compacted)) && went.completed;
    } finally {
      await clear(home, log);
    }
  };
  /** Out of the home, unless the same would fail again. */
  const keep = async (compacted: boolean): Promise<boolean> => {
    if (failure?.code === "engine-context-full") await codex.kept.forget(thread);
    if (failure?.code === "engine-context-full" || failure?.code === "engine-refused") return false;
    const { file } = opened;
    try {
      if (file === undefined || !isThreadFile(file, thread, home.folder)) return false;
      await stat(file);
      // A compaction leaves out what went beside the turns: it is told again.
      return await codex.kept.keep(thread, file, compacted ? "" : told);
    } catch (thrown) {
      log.warn({ err: thrown, thread }, "a Codex thread can't be kept");
      return false;
    }
  };

  return {
    resumeId: resumeId(thread, digest),
    restarted: opened.restarted,
    begin,
    kept: () => isKept,
    failed: (error) => {
      failure = error;
    },
    async [Symbol.asyncDispose]() {
      closing ??= close();
      await closing;
    },
  };
}

function words(text: string): TextInput {
  return { type: "text", text, text_elements: [] };
}

async function promptOf({ prompt }: TurnInput): Promise<Requests["turn/start"]["input"]> {
  return await Promise.all(
    prompt.map(async (part): Promise<TextInput | ImageInput> => {
      if (part.kind === "text") return words(part.text);
      const bytes = await readFile(part.path).catch(() => undefined);
      if (bytes === undefined) return words("[A picture that can't be read any more.]");
      return { type: "image", url: `data:${part.mediaType};base64,${bytes.toString("base64")}` };
    }),
  );
}
