// Calls between the bench and its servers, which are processes of their own: a verb, its arguments, its answer.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** What one side can be asked for, by name. */
export type Verbs = Readonly<Record<string, (...args: never[]) => unknown>>;

type Ask = { readonly id: number; readonly verb: string; readonly args: readonly never[] };
type Answer = { readonly id: number; readonly value?: unknown; readonly error?: string };

/** Milliseconds on the machine's one steady clock: what two processes read at the same moment is the same. */
export function steadyMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Answers the parent's calls until it goes. */
export function serve(verbs: Verbs): void {
  process.on("message", (ask: Ask) => void answer(verbs, ask));
  process.on("disconnect", () => process.exit());
}

async function answer(verbs: Verbs, { id, verb, args }: Ask): Promise<void> {
  const send = (answer: Answer): void => void process.send?.(answer);
  try {
    send({ id, value: await verbs[verb]?.(...args) });
  } catch (thrown) {
    send({ id, error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) });
  }
}

/** A server in a process of its own. */
export class Server implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #open: Map<number, PromiseWithResolvers<unknown>> = new Map();
  #next = 0;

  constructor(program: URL) {
    this.#child = fork(program, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child.on("message", ({ id, value, error }: Answer) => {
      const call = this.#open.get(id);
      this.#open.delete(id);
      if (error === undefined) call?.resolve(value);
      else call?.reject(new Error(error));
    });
    this.#child.on("exit", (code) => {
      for (const call of this.#open.values()) call.reject(new Error(`A server of the bench ended with ${code}.`));
    });
  }

  async call<T>(verb: string, ...args: readonly unknown[]): Promise<T> {
    const call = Promise.withResolvers<unknown>();
    const id = this.#next++;
    this.#open.set(id, call);
    this.#child.send({ id, verb, args });
    return (await call.promise) as T;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }
}
