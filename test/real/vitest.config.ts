// How the tests against real programs run. Each drives programs as heavy as itself, so two at a time are what two cores bear.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// oxlint-disable-next-line import/no-default-export -- vitest reads its configuration from there
export default defineConfig({
  root: fileURLToPath(new URL("../../", import.meta.url)),
  test: {
    include: ["test/real/**/*.test.ts"],
    exclude: ["test/real/programs/**"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { NO_COLOR: "1" },
  },
});
