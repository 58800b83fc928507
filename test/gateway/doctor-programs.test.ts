// doctor and init with engines that are programs: found or not, of which version, signed in or not. Scripts stand in for the programs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/gateway/config-file.ts";
import { init } from "../../src/gateway/init.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { pretendClaude } from "../wire/pretend-claude.ts";
import { Place, type Look } from "./doctor-look.ts";

let home: Place;
let place = "";

beforeEach(() => {
  home = new Place();
  place = home.folder;
});
afterEach(() => home[Symbol.dispose]());

/** A program that says its version, and nothing else. */
function script(name: string, version: string): void {
  const count = join(place, `${name}.runs`);
  writeFileSync(join(place, name), `#!/bin/sh\necho "$@" >> '${count}'\necho codex-cli ${version}\n`, { mode: 0o755 });
}

function signIn(folder: string, file: string, body: object): void {
  mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, folder, file), JSON.stringify(body));
}

const look = async (engine: string): Promise<Look> =>
  await home.look(`engines:\n  coder: ${engine}\n`, { path: `${place}:/usr/bin:/bin` });

describe("doctor", () => {
  test("G29: Codex that is missing, too old or not signed in is broken, each with what to run", async () => {
    const missing = await look("{ kind: codex }");
    expect(missing.healthy).toBe(false);
    expect(missing.of("engine coder")).toEqual([
      expect.stringMatching(/^FAIL {2}Codex can't be started: .*npm install -g @openai\/codex@0\.171\.0/u),
    ]);
    script("codex", "0.159.0");
    expect((await look("{ kind: codex }")).of("engine coder")).toEqual([
      expect.stringMatching(/^FAIL {2}Codex 0\.159\.0 is too old.*npm install -g @openai\/codex@0\.171\.0/u),
    ]);
    script("codex", "0.171.0");
    expect((await look("{ kind: codex }")).of("engine coder")).toEqual([
      expect.stringMatching(/^FAIL {2}Codex isn't signed in\. .*codex login/u),
    ]);
  });

  test("G29: Codex that is signed in, or has a key, is fine; another version than the tested one is a warning", async () => {
    script("codex", "0.171.0");
    signIn(".codex", "auth.json", { tokens: { access_token: "at-secret" } });
    const fine = await look("{ kind: codex }");
    expect(fine.healthy).toBe(true);
    expect(fine.of("engine coder")).toEqual([expect.stringMatching(/^ok {4}Codex 0\.171\.0 is there/u)]);
    expect(fine.said).not.toContain("at-secret");
    // Looking makes nothing: no data folder, no sessions.
    expect(existsSync(join(place, ".tidegate"))).toBe(false);
    script("next", "0.172.0");
    const newer = await look("{ kind: codex, command: ./next, apiKey: sk-secret-1 }");
    expect(newer.healthy).toBe(true);
    expect(newer.of("engine coder")).toEqual([
      expect.stringMatching(/^ok {4}Codex 0\.172\.0 is there and has a key/u),
      expect.stringMatching(/^warn {2}.*0\.171\.0/u),
    ]);
    expect(newer.said).not.toContain("sk-secret-1");
  });

  test("G29: Claude Code without its SDK says what to install, and where", async () => {
    const { healthy, of } = await look("{ kind: claude-code, sdk: ./lib }");
    expect(healthy).toBe(false);
    expect(of("engine coder")).toEqual([
      expect.stringMatching(/^FAIL {2}.*npm install @anthropic-ai\/claude-agent-sdk@0\.3\.332/u),
    ]);
  });

  test("G29: Claude Code is the program that would answer, and what is missing of it is said with what to do", async () => {
    await pretendClaude(join(place, "lib"));
    const found = async (more: string): Promise<readonly string[]> =>
      (await look(`{ kind: claude-code, sdk: ./lib${more} }`)).of("engine coder");
    expect(await found(", apiKey: k-secret-1")).toEqual([
      expect.stringMatching(/^ok {4}Claude Code 2\.1\.332 is there, with an API key\.$/u),
    ]);
    // The SDK puts no command on the PATH: its file is named.
    expect(await found("")).toEqual([
      expect.stringMatching(
        /^FAIL {2}Claude Code isn't signed in\. Run \S+\/claude-agent-sdk-\S+\/claude in a terminal/u,
      ),
    ]);
    script("other", "2.0.1");
    expect(await found(", apiKey: k-secret-1, command: ./other")).toEqual([
      expect.stringMatching(/^ok {4}Claude Code 2\.0\.1 is there/u),
    ]);
    for (const command of ["./gone", "claude-of-nowhere", "/bin/true"])
      expect(await found(`, apiKey: k-secret-1, command: ${command}`)).toEqual([
        expect.stringMatching(/^FAIL {2}.*Correct the engine's command, or leave it out/u),
      ]);
    const parts = join(await pretendClaude(join(place, "half")), "node_modules", "@anthropic-ai");
    for (const name of readdirSync(parts).filter((one) => one !== "claude-agent-sdk"))
      rmSync(join(parts, name), { recursive: true });
    expect((await look("{ kind: claude-code, sdk: ./half, apiKey: k }")).of("engine coder")).toEqual([
      expect.stringMatching(/^FAIL {2}.* not the program that comes with it\. .*--include=optional/u),
    ]);
  });
});

/** Answers init's questions; everything that it would ask of the network fails. */
async function answered(lines: readonly string[]): Promise<{ readonly works: boolean; readonly said: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let said = "";
  output.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  for (const line of lines) input.write(`${line}\n`);
  const reach: typeof fetch = async () => await Promise.reject(new TypeError("fetch failed"));
  const env = { PATH: `${place}:/usr/bin:/bin`, OPENAI_API_KEY: "sk-of-the-shell" };
  const world = { input, output, env, home: place, cwd: place, fetch: reach, clock: realClock, random: realRandom };
  return { works: await init({}, world), said };
}

describe("init", () => {
  test("G28: a program that is found is offered, its sign-in or a key taken, written and tried, without a turn", async () => {
    script("codex", "0.171.0");
    signIn(".codex", "auth.json", { tokens: { access_token: "at-secret" } });
    const { works, said } = await answered(["Sam", "", "codex", "", ""]);
    expect(said).toMatch(/5 {2}codex +codex is on this machine: with your sign-in of it\./u);
    expect(said).toMatch(/ok {4}engine codex: Codex 0\.171\.0 is there/u);
    expect(works).toBe(true);
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(config).toMatchObject({ engine: "codex", engines: { codex: { kind: "codex" } } });
    expect(config.engines["codex"]).toEqual({ kind: "codex" });
    // Nothing but its version was asked of it.
    expect(readFileSync(join(place, "codex.runs"), "utf8")).toBe("--version\n");
  });

  test("G28: with a key and a model of its own; a sign-in that is missing is said, and what is written stays", async () => {
    script("codex", "0.171.0");
    script("claude", "2.1.332");
    const keyed = await answered(["Sam", "", "codex", "$OPENAI_API_KEY", "gpt-5.6"]);
    expect(keyed.said).toMatch(/5 {2}claude-code +claude is on this machine: with a key, or your sign-in/u);
    expect(keyed.works).toBe(true);
    const yaml = readFileSync(join(place, ".tidegate/tidegate.yaml"), "utf8");
    expect(yaml).toContain('kind: codex\n    model: "gpt-5.6"\n    apiKey: "${OPENAI_API_KEY}"');
    script("codex", "0.172.0");
    expect((await answered(["y", "Sam", "", "codex", "$OPENAI_API_KEY", ""])).said).toMatch(
      /ok {4}engine codex: Codex 0\.172\.0 is there and has a key\.\n {8}.*0\.171\.0/u,
    );
    const without = await answered(["y", "Sam", "", "6", "", ""]);
    expect(without.works).toBe(false);
    expect(without.said).toMatch(/FAIL {2}engine codex: Codex isn't signed in\. .*codex login/u);
    expect(readFileSync(join(place, ".tidegate/tidegate.yaml"), "utf8")).toContain("kind: codex");
  });
});
