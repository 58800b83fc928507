// How the tests run: each file in a process of its own, so that a wire server or a database left open ends with it.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const deep = process.env["TIDEGATE_DEEP"] === "1";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real engine programs are installed and run apart: `npm run test:real`.
    exclude: ["test/real/**"],
    pool: "forks",
    // All cores: most of the time a test waits.
    maxWorkers: availableParallelism(),
    testTimeout: deep ? 900_000 : 20_000,
    hookTimeout: deep ? 60_000 : 20_000,
    // What programs print is compared as plain text.
    env: { NO_COLOR: "1" },
  },
});
