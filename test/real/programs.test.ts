// Which programs all of this is proven against: what is pinned, what is installed, and what the programs say of themselves.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { changed, thisMachine } from "./lock.ts";

const run = promisify(execFile);
const programs = join(import.meta.dirname, "programs");
const installed = createRequire(join(programs, "package.json"));

type Package = { readonly version: string; readonly claudeCodeVersion?: string };
const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const packageAt = (name: string): Package => read(join(programs, "node_modules", name, "package.json")) as Package;
const pinned = (read(join(programs, "package.json")) as { readonly dependencies: Record<string, string> }).dependencies;

/** What a program says when asked for its version, in a home of its own. */
async function saidBy(command: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), "tidegate-real-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const { stdout } = await run(command, ["--version"], { env: { PATH: process.env["PATH"], HOME: home } });
  return stdout.trim();
}

describe("the real programs", () => {
  test("are pinned to one version each, and installed as pinned", () => {
    expect(Object.keys(pinned)).toEqual(expect.arrayContaining(["@anthropic-ai/claude-agent-sdk", "@openai/codex"]));
    for (const [name, version] of Object.entries(pinned)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/u);
      expect([name, packageAt(name).version]).toEqual([name, version]);
    }
  });

  test("Codex says the pinned version of itself", async () => {
    expect(await saidBy(join(programs, "node_modules/.bin/codex"))).toBe(`codex-cli ${pinned["@openai/codex"]}`);
  });

  test("Claude Code says the version that the pinned SDK is made for", async () => {
    const { os, cpu, libc } = thisMachine();
    const musl = os === "linux" && libc === "musl" ? "-musl" : "";
    const own = installed.resolve(`@anthropic-ai/claude-agent-sdk-${os}-${cpu}${musl}/package.json`);
    const { claudeCodeVersion } = packageAt("@anthropic-ai/claude-agent-sdk");
    expect(await saidBy(join(own, "../claude"))).toBe(`${claudeCodeVersion} (Claude Code)`);
  });
});

describe("an install", () => {
  const here = { os: "linux", cpu: "x64", libc: "glibc" };
  const wanted = {
    "": {},
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
    "node_modules/a-linux-x64": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
    "node_modules/a-linux-arm64": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["arm64"] },
    "node_modules/a-musl": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
    "node_modules/a-darwin": { version: "1.0.0", optional: true, os: ["darwin"] },
  };
  const { "node_modules/a": a, "node_modules/a-linux-x64": native } = wanted;
  const full = { "node_modules/a": a, "node_modules/a-linux-x64": native };
  const found = (installed: Record<string, object>, gone = ""): readonly string[] =>
    changed(wanted, installed, here, (folder) => folder !== gone);

  test("is taken as it is when it holds all that the lock names for this machine", () => {
    expect(found(full)).toEqual([]);
  });

  test.each([
    [
      "a program left out because its download failed",
      found({ "node_modules/a": a }),
      "node_modules/a-linux-x64 is missing",
    ],
    ["a deleted folder", found(full, "node_modules/a"), "node_modules/a is missing"],
    [
      "another version",
      found({ ...full, "node_modules/a": { ...a, version: "0.9.0" } }),
      "node_modules/a is 0.9.0 instead of 1.0.0",
    ],
    [
      "other content under the same version",
      found({ ...full, "node_modules/a": { ...a, integrity: "sha512-b" } }),
      "node_modules/a is another 1.0.0 than the lock's",
    ],
    [
      "a package that the lock no longer names",
      found({ ...full, "node_modules/b": { version: "2.0.0" } }),
      "node_modules/b is not asked for",
    ],
  ])("is made anew for %s", (_name, faults, fault) => {
    expect(faults).toEqual([fault]);
  });
});
