// Writes to a store and takes it into the index as fast as it can, and prints each message once the index has it.
import { writeSync } from "node:fs";
import { openSearch } from "../../src/search/search.ts";
import { openStore } from "../../src/store/open.ts";
import { append, done, open, surroundings } from "../store/world.ts";
import { edited, said, SECRET } from "./index-world.ts";

const [, , folder = "", round = ""] = process.argv;
const store = await openStore({ folder, ...surroundings });
const search = await openSearch({ folder, store, secrets: [SECRET], ...surroundings });
await done(store, open(round));
for (let nth = 0; ; nth += 1) {
  await done(
    store,
    ...Array.from({ length: 40 }, (_, n) => append(round, said(`word${round}n${nth}n${n} and more`, `${nth}-${n}`))),
    append(round, edited(`${nth}-7`, `edited${round}n${nth}`)),
  );
  await search.settled();
  writeSync(1, `${nth}\n`);
}
