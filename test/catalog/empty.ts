// A catalogue with nothing in it, for gateways under test that need none.
import type { Catalog } from "../../src/catalog/port.ts";

export function emptyCatalog(): Catalog {
  return {
    items: [],
    tools: [],
    turnOn: async () => ({ is: "not-yet", words: "There is nothing of that name." }),
    turnOff: async () => {},
    agree: async () => ({ is: "not-yet", words: "There is nothing of that name." }),
    skill: async () => undefined,
    changes: (signal) => ({
      async *[Symbol.asyncIterator]() {
        if (!signal.aborted)
          await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
        yield* [];
      },
    }),
    [Symbol.asyncDispose]: async () => {},
  };
}
