// A running process of the program's with its session: one turn after the other, never two at once.
import type { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import type { TurnInput } from "../../core/turn.ts";
import { SERVER_NAME, toolServer } from "../door-tools.ts";
import type { EngineHost } from "../host.ts";
import { orStopped } from "../stop.ts";
import { reader } from "./events.ts";
import { ended } from "./faults.ts";
import type { Start } from "./options.ts";
import { PLAN_TOOL, understand } from "./own-tools.ts";
import { launch, type Launched } from "./program.ts";
import type { AgentSdk, Block, PermissionAnswer, Query, UserMessage } from "./sdk.ts";
import type { TurnFeed } from "./turn-feed.ts";

/** How the program names our tools. */
export const OURS: string = `mcp__${SERVER_NAME}__`;

export class Live implements AsyncDisposable {
  readonly key: string;
  /** Its session, once it has told it. */
  session: string | undefined;
  #ended = false;
  readonly #ends: AbortController = new AbortController();
  readonly #start: Start;
  readonly #surroundings: Surroundings;
  readonly #program: Launched;
  readonly #query: Query;
  #turn: TurnFeed | undefined;
  readonly #said: UserMessage[] = [];
  #more: () => void = () => undefined;
  #disposing: Promise<void> | undefined;

  constructor(sdk: AgentSdk, start: Start, resume: string | undefined, surroundings: Surroundings, host: EngineHost) {
    this.key = start.key;
    this.#start = start;
    this.#surroundings = surroundings;
    this.#program = launch(host, surroundings.clock, start.secret);
    const instance = toolServer(() => this.#tools());
    this.#query = sdk.query({
      prompt: this.#prompts(),
      options: {
        ...start.options,
        ...(resume === undefined ? {} : { resume }),
        mcpServers: { [SERVER_NAME]: { type: "sdk", name: SERVER_NAME, instance, alwaysLoad: true } },
        canUseTool: async (name, input, { toolUseID, signal }) => await this.#mayUse(name, input, toolUseID, signal),
        spawnClaudeCodeProcess: this.#program.spawn,
      },
    });
    void this.#listen();
  }

  /** Fires when the process is gone. */
  get gone(): AbortSignal {
    return this.#ends.signal;
  }

  /** Begins a turn. The one before must have ended. */
  begin(turn: TurnFeed, blocks: Block[]): void {
    this.#turn = turn;
    if (this.#ended) turn.push({ is: "over", why: this.#why() });
    this.#said.push({ type: "user", message: { role: "user", content: blocks }, parent_tool_use_id: null });
    this.#more();
  }

  /** Asks the program to leave off; what it says to that still comes. */
  async interrupt(): Promise<void> {
    await this.#query.interrupt().catch(() => undefined);
  }

  /** The turn is over for whoever read it; what still comes for it is dropped, and what it waits for is refused. */
  end(): void {
    this.#turn?.close();
    this.#turn = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Whoever still reads the turn would wait for what never comes.
    if (!this.#ended) this.#turn?.push({ is: "over", why: this.#why() });
    this.end();
    this.#ended = true;
    this.#more();
    this.#disposing ??= this.#close();
    await this.#disposing;
  }

  async #close(): Promise<void> {
    await this.#program[Symbol.asyncDispose]();
    this.#query.close();
    this.#ends.abort();
  }

  async *#prompts(): AsyncGenerator<UserMessage, void> {
    while (!this.#ended) {
      const next = this.#said.shift();
      if (next !== undefined) yield next;
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#more = resolve;
        await promise;
      }
    }
  }

  async #listen(): Promise<void> {
    const read = reader();
    const { clock, log } = this.#surroundings;
    try {
      for await (const message of this.#query) {
        if (this.#turn !== undefined) this.#turn.aliveAtMs = clock.now();
        for (const said of read(message)) {
          if (said.is === "session") this.session = said.id;
          this.#turn?.push({ is: "said", said });
        }
      }
    } catch {
      // What is thrown says that it ended, in words that may be anybody's: they are shown to nobody.
    }
    if (!this.#ended) log.debug({ level: this.#start.level }, "claude code ended by itself");
    this.#ended = true;
    this.#turn?.push({ is: "over", why: this.#why() });
    this.#ends.abort();
    await this[Symbol.asyncDispose]();
  }

  #why(): GatewayError {
    return this.#program.failure() ?? ended(this.#program.complaints());
  }

  #tools(): Pick<TurnInput, "tools" | "call"> | undefined {
    const turn = this.#turn;
    if (turn === undefined) return undefined;
    const { tools, call } = turn.input;
    return { tools, call: async (made) => await this.#waited(turn, call(made)) };
  }

  async #waited<T>(turn: TurnFeed, work: Promise<T>): Promise<T> {
    turn.waiting += 1;
    try {
      return await orStopped(work, turn.over);
    } finally {
      turn.waiting -= 1;
      turn.aliveAtMs = this.#surroundings.clock.now();
    }
  }

  async #mayUse(
    name: string,
    given: Record<string, unknown>,
    id: string,
    signal: AbortSignal,
  ): Promise<PermissionAnswer> {
    const turn = this.#turn;
    if (turn === undefined) return refused("No turn runs now, so this was not done.");
    // The server answers for these.
    if (name.startsWith(OURS)) return { behavior: "allow", updatedInput: given };
    if (this.#start.level === "locked") return refused("This tool is not available in this chat.");
    if (name === PLAN_TOOL) return { behavior: "allow", updatedInput: given };
    const understood = understand(id, name, given, turn.work);
    if (understood === undefined) return refused("It can't be told what this would touch, so it was not done.");
    const { use, runs, shown, effect } = understood;
    const start = { kind: "tool-start", call: shown, effect } as const;
    try {
      const verdict = await this.#waited(turn, turn.input.allow(use));
      if (verdict.is === "deny") {
        const result = { outcome: "denied", text: verdict.words } as const;
        await turn.show(start, { kind: "tool-end", callId: id, result });
        return refused(verdict.words);
      }
      if (signal.aborted) return refused("The turn was stopped before this ran.");
      // It is in the log before it runs.
      if (!(await turn.show(start))) return refused("The turn was stopped before this ran.");
      return { behavior: "allow", updatedInput: runs };
    } catch {
      return refused("The turn was stopped before this ran.");
    }
  }
}

function refused(message: string): PermissionAnswer {
  return { behavior: "deny", message };
}
