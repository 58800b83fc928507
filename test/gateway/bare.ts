// A gateway without any platform, over a store in memory: for what commands ask of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyCatalog } from "../catalog/empty.ts";
import type { Catalog } from "../../src/catalog/port.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { demoEngine } from "../../src/engines/demo/engine.ts";
import { openGateway } from "../../src/gateway/gateway.ts";
import type { Gateway } from "../../src/gateway/parts.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import type { Search } from "../../src/search/port.ts";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";
import { PLAIN_PARTS } from "./plain-parts.ts";

const silent = (): void => undefined;

/** The machine's own, with a log that nobody reads. */
export const surroundings: Surroundings = {
  clock: realClock,
  random: realRandom,
  log: { debug: silent, info: silent, warn: silent, error: silent },
};

/** `seen` is what the gateway gets of the store; `engine` comes when it resolves. */
export async function bareGateway(
  options: {
    readonly seen?: (store: Store, work: string) => Store;
    readonly engine?: (name: string) => Promise<Engine>;
    readonly catalog?: Catalog;
    /** What is there before it opens. */
    readonly before?: (store: Store) => Promise<unknown>;
  } = {},
): Promise<
  { readonly gateway: Gateway; readonly store: Store; readonly search: Search; readonly work: string } & AsyncDisposable
> {
  const {
    seen = (store) => store,
    catalog = emptyCatalog(),
    engine = async () => demoEngine({ name: "demo", clock: realClock }),
  } = options;
  const stack = new AsyncDisposableStack();
  const work = stack.adopt(mkdtempSync(join(tmpdir(), "tg-")), (folder) => rmSync(folder, { recursive: true }));
  const store = stack.use(await openStore({ folder: ":memory:", ...surroundings }));
  await options.before?.(store);
  const shown = seen(store, work);
  const search = stack.use(await openSearch({ folder: ":memory:", store, secrets: [], ...surroundings }));
  const gateway = stack.use(
    await openGateway({
      store: shown,
      search,
      catalog,
      platforms: new Map(),
      engine,
      engineNames: ["demo"],
      defaultEngine: "demo",
      tools: [],
      ...PLAIN_PARTS,
      joinWithinMs: 0,
      work,
      surroundings,
    }),
  );
  return { gateway, store, search, work, [Symbol.asyncDispose]: async () => await stack.disposeAsync() };
}
