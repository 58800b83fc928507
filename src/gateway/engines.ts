// The engines of a config, each made when it is first asked for, so that only what is used is loaded.
import type { Engine } from "../core/engine.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";

/** Makes one engine by its name in the config. */
export type MakeEngine = (name: string) => Promise<Engine>;

/** Hands out engines by name and owns them: disposing it disposes all that were made. */
export class Engines implements AsyncDisposable {
  readonly #names: ReadonlySet<string>;
  readonly #make: MakeEngine;
  readonly #surroundings: Surroundings;
  readonly #made = new Map<string, Promise<Engine>>();

  constructor(names: readonly string[], make: MakeEngine, surroundings: Surroundings) {
    this.#names = new Set(names);
    this.#make = make;
    this.#surroundings = surroundings;
  }

  /** The engine of that name. One that the config lacks, or that can't be made, answers every turn with the reason in words. */
  async get(name: string): Promise<Engine> {
    const there = this.#made.get(name);
    if (there !== undefined) return await there;
    const made = this.#names.has(name)
      ? this.#make(name).catch((thrown: unknown) => {
          this.#surroundings.log.error({ err: thrown, engine: name }, "an engine can't be made");
          return brokenEngine(name, asGatewayError(thrown, "engine-missing"));
        })
      : Promise.resolve(
          brokenEngine(
            name,
            new GatewayError("engine-missing", `The engine of this chat, ${name}, is no longer in the config.`, {
              hint: "Choose another with /engine.",
            }),
          ),
        );
    this.#made.set(name, made);
    return await made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of await Promise.all(this.#made.values())) await engine[Symbol.asyncDispose]();
  }
}

/** Stands in for an engine with tools of its own where others read along: it answers why not, and does nothing. */
export function lockedOut(name: string): Engine {
  const broken = brokenEngine(name, new GatewayError("engine-not-locked"));
  return { ...broken, can: { ...broken.can, ownTools: false } };
}

function brokenEngine(name: string, error: GatewayError): Engine {
  return {
    name,
    // What a turn of it did before the gateway went down is not known: it counts as having acted.
    can: { tools: false, images: false, plan: false, ownTools: true, sessions: false, holdMs: 0 },
    async *run() {
      yield { kind: "end", reason: "error", error };
    },
    // What it kept, if anything, is still there.
    forget: async () => await Promise.reject(error),
    check: async () => await Promise.reject(error),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
