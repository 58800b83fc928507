// How the tests run. Most files have a process of their own, so that a wire server or a database left open ends with it; those of
// folders that only compute share one, which saves them its start and the loading of what they all import.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const deep = process.env["TIDEGATE_DEEP"] === "1";
const computing = ["architecture", "core", "taint", "markdown", "cards", "search", "turn"].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
// Real engine programs are installed and run apart: `npm run test:real`.
const exclude = ["test/real/**"];

export default defineConfig({
  test: {
    pool: "forks",
    // One more than cores: much of the time a test waits.
    maxWorkers: availableParallelism() + 1,
    testTimeout: deep ? 900_000 : 20_000,
    hookTimeout: deep ? 60_000 : 20_000,
    // What programs print is compared as plain text.
    env: { NO_COLOR: "1" },
    projects: [
      { extends: true, test: { name: "apart", include: ["test/**/*.test.ts"], exclude: [...exclude, ...computing] } },
      { extends: true, test: { name: "together", include: computing, exclude, isolate: false } },
    ],
  },
});
