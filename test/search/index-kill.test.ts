// The index after SIGKILL at any moment: it goes on from where it was, with nothing twice and nothing missing.
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSearch } from "../../src/search/search.ts";
import { openIndex } from "../../src/search/schema.ts";
import { openStore } from "../../src/store/open.ts";
import { runChild, surroundings, temporaryFolder } from "../store/world.ts";
import { contents, indexOver, SECRET } from "./index-world.ts";

const ROUNDS = 4;

it(
  "P31, P13: killed at any moment it goes on where it was: what the log holds, once",
  { timeout: 120_000 },
  async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, "data");
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = runChild(new URL("index-kill-child.ts", import.meta.url), [data, `r${round}`], {
        NODE_COMPILE_CACHE: join(folder.path, "compiled"),
      });
      let printed = 0;
      for await (const _line of child.lines) {
        printed += 1;
        if (printed > round * 3) break;
      }
      await child.kill();
      await using store = await openStore({ folder: data, ...surroundings });
      let because: unknown;
      const log = {
        ...surroundings.log,
        info: (fields: Record<string, unknown>) => void (because = fields["because"]),
      };
      await using search = await openSearch({ folder: data, store, secrets: [SECRET], ...surroundings, log });
      // It was of use as it was.
      expect(because).toBeUndefined();
      await search.settled();
      expect((await search.find(`editedr${round}n0`, {})).match).toBe("exact");
      await using fresh = indexOver(store);
      await fresh.take(await store.log.head());
      const kept = openIndex(join(data, "search.db"), () => true);
      if ("unfit" in kept) throw new Error(kept.unfit);
      const [one, other] = [contents(kept), contents(fresh.database)];
      kept[Symbol.dispose]();
      expect(one).toEqual(other);
    }
  },
);
