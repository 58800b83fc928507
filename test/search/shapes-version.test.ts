// An index remembers how it was scrubbed. Who changes what looks like a secret has to say so, or old indexes keep what was found since.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const taint = fileURLToPath(new URL("../../src/taint/", import.meta.url));
const FILES = ["folded.ts", "labels.ts", "scrub.ts", "shapes.ts", "spoken.ts", "tokens.ts", "values.ts"];

/** Of the code that decides, without its comments and its layout. Changed on purpose: raise SHAPES_VERSION in src/search/scrubbed.ts, then put in what the test says. */
const DIGEST = "77baf6665698de96";

test("A71: a change of what is taken for a secret makes indexes anew", () => {
  const code = FILES.map((file) => readFileSync(join(taint, file), "utf8"))
    .join("\n")
    .split("\n")
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/u.test(line))
    .join("")
    .replaceAll(/\s+/gu, "");
  expect(createHash("sha256").update(code).digest("hex").slice(0, 16)).toBe(DIGEST);
});
