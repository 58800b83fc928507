// Plays one reply on one connection, as a stream or as one JSON answer.
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { sendJson } from "./http.ts";
import { argsText } from "./models-script.ts";
import type { Dialect, Finish, Gate, ModelRequest, Reply, SaidTool, Step, Usage } from "./models-script.ts";

export interface Stage {
  dialect: Dialect;
  request: ModelRequest;
  response: ServerResponse;
  requestSize: number;
  setState: (state: ModelRequest["state"]) => void;
  /** Waits at a gate. */
  pass: (gate: Gate | string) => Promise<void>;
}

/** Nothing more is to be said; the connection has its end or is left hanging. */
type Outcome = "go on" | "stop";

export async function speak(reply: Reply, stage: Stage): Promise<void> {
  const speech = new Speech(stage, typeof reply === "string" ? [reply] : reply);
  await speech.run();
}

class Speech {
  readonly #stage: Stage;
  readonly #steps: Step[];
  readonly #writer: ReturnType<Dialect["writer"]>;
  #opened = false;
  #text = "";
  #thinking = "";
  readonly #tools: SaidTool[] = [];
  readonly #usage: Usage = {};
  #finish: Finish | undefined;

  constructor(stage: Stage, steps: Step[]) {
    this.#stage = stage;
    this.#steps = steps;
    this.#writer = stage.dialect.writer(stage.request);
    // Usage opens some streams, so it is known from the start.
    for (const step of steps) {
      if (typeof step === "object" && "usage" in step) Object.assign(this.#usage, step.usage);
    }
  }

  async run(): Promise<void> {
    for (const step of this.#steps) {
      if (this.#gone) return;
      if ((await this.#take(step)) === "stop") return;
    }
    if (!this.#gone) await this.#end();
  }

  get #gone(): boolean {
    return this.#stage.request.aborted || this.#stage.response.destroyed;
  }

  async #take(step: Step): Promise<Outcome> {
    const { setState, response, dialect } = this.#stage;
    if (typeof step === "string") return this.#sayText(step);
    if ("text" in step) return this.#sayPieces(step.text, step.chunk);
    if ("thinking" in step) {
      this.#thinking += step.thinking;
      return this.#send(this.#writer.thinking(step.thinking));
    }
    if ("tool" in step) {
      const id = step.id ?? `call_${this.#stage.request.index}_${this.#tools.length}`;
      const tool = { id, name: step.tool, args: argsText(step.args) };
      this.#tools.push(tool);
      return this.#send(this.#writer.tool(tool));
    }
    if ("usage" in step) return "go on";
    if ("finish" in step) {
      this.#finish = step.finish;
      return "go on";
    }
    if ("open" in step) return this.#send("");
    if ("wait" in step) {
      await this.#stage.pass(step.wait);
      return "go on";
    }
    if ("cut" in step) {
      setState("cut");
      response.socket?.resetAndDestroy();
      return "stop";
    }
    if ("hang" in step) {
      setState("waiting");
      return "stop";
    }
    if ("endless" in step) {
      while (!this.#gone) {
        await this.#send(this.#writer.text(step.endless));
        // Others must have their turn, also while the socket takes everything at once.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return "stop";
    }
    if ("errorEvent" in step) {
      if (!this.#streams) return this.#refuse(500, dialect.errorBody(500, step.errorEvent));
      await this.#send(this.#writer.errorEvent(step.errorEvent));
      setState("done");
      response.end();
      return "stop";
    }
    if ("fail" in step) {
      const { status, body } = dialect.failure(step.fail, this.#stage.request.model);
      return this.#refuse(status, body, step.retryAfter);
    }
    const body = step.body ?? dialect.errorBody(step.status, step.message ?? "Refused");
    return this.#refuse(step.status, body, step.retryAfter);
  }

  get #streams(): boolean {
    return this.#stage.request.stream;
  }

  #sayText(text: string): Promise<Outcome> {
    this.#text += text;
    return this.#send(this.#writer.text(text));
  }

  async #sayPieces(text: string, chunk = text.length || 1): Promise<Outcome> {
    for (let at = 0; at < text.length && !this.#gone; at += chunk) {
      await this.#sayText(text.slice(at, at + chunk));
    }
    return "go on";
  }

  /** Opens the stream when it is not open yet; a request without streaming only collects. */
  async #send(data: string): Promise<Outcome> {
    const { response } = this.#stage;
    if (!this.#streams || this.#gone) return "go on";
    let out = data;
    if (!this.#opened) {
      this.#opened = true;
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
      });
      out = this.#writer.open(this.#wholeUsage()) + data;
    }
    if (!response.write(out)) {
      // Either the client reads on or it goes away; both end the wait.
      const stop = new AbortController();
      const { signal } = stop;
      await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]).catch(
        () => undefined,
      );
      stop.abort();
    }
    return "go on";
  }

  #refuse(status: number, body: unknown, retryAfter?: number): Outcome {
    const { response, setState } = this.#stage;
    if (this.#opened) throw new Error("An HTTP status can't come after the first output");
    setState("refused");
    const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
    sendJson(response, status, body, headers);
    return "stop";
  }

  async #end(): Promise<void> {
    const { response, setState, dialect, request } = this.#stage;
    const finish = this.#finish ?? (this.#tools.length > 0 ? "tool" : "stop");
    const usage = this.#wholeUsage();
    if (this.#streams) {
      await this.#send(this.#writer.end(finish, usage));
      setState("done");
      response.end();
      return;
    }
    const whole = { text: this.#text, thinking: this.#thinking, tools: this.#tools, finish, usage };
    setState("done");
    sendJson(response, 200, dialect.whole(request, whole));
  }

  #wholeUsage(): Required<Usage> {
    const { input, output, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = this.#usage;
    return {
      input: input ?? Math.ceil(this.#stage.requestSize / 4),
      output: output ?? Math.ceil((this.#text.length + this.#thinking.length) / 4) + 1,
      cacheRead,
      cacheWrite,
      reasoning,
    };
  }
}
