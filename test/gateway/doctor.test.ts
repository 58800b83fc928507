// ./tidegate doctor: one line per check, what to do about each fault, and nothing changed by looking.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MENU } from "../../src/gateway/commands.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { listen } from "../../src/gateway/socket.ts";
import { openSearch } from "../../src/search/search.ts";
import { lockFolder } from "../../src/store/lock.ts";
import { openStore } from "../../src/store/open.ts";
import { startModels } from "../wire/models.ts";
import { startTelegram } from "../wire/telegram.ts";
import { hasty, Place } from "./doctor-look.ts";

let home: Place;
let place = "";

beforeEach(() => {
  home = new Place();
  place = home.folder;
});
afterEach(() => home[Symbol.dispose]());

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const data = (): string => join(place, ".tidegate");
const look: Place["look"] = async (yaml, how) => await home.look(yaml, how);

describe("doctor", () => {
  test("G29: with nothing set up, nothing is broken, nothing is made, and the next step is said", async () => {
    const { healthy, lines } = await look();
    expect(healthy).toBe(true);
    expect(lines).toEqual([
      "ok    tidegate: 1.2.3",
      expect.stringMatching(/^warn {2}config: .*\.\/tidegate init/u),
      expect.stringContaining("ok    data: "),
      expect.stringMatching(/^(?:ok|warn) +disk: .*free/u),
      expect.stringContaining("ok    gateway: not running. ./tidegate start"),
      "ok    engine demo: The demo engine always answers.",
      "Nothing is broken.",
    ]);
    expect(readdirSync(place)).toEqual([]);
  });

  test("G29, G44: a config with mistakes is broken, all of them told", async () => {
    const { healthy, lines } = await look("chanels: {}\nengine: gone\n");
    expect(healthy).toBe(false);
    expect(lines.join("\n")).toMatch(
      /^FAIL {2}config: .*2 mistakes[\s\S]*Did you mean channels\?[\s\S]*\.\/tidegate doctor/mu,
    );
    expect(lines.at(-1)).toBe("One thing is broken.");
  });

  test("G29: a bot is asked for itself, its webhook, what waits, its groups and its menu", async () => {
    await using telegram = await startTelegram();
    const config = (rest: string): string =>
      `channels: { telegram: { token: "${telegram.token}", apiRoot: "${telegram.apiRoot}" } }\n${rest}`;
    telegram.addUser(1001);
    telegram.say(1001, 1001, "waiting");
    const first = await look(config("access: { groups: mention }\n"));
    expect(first.healthy).toBe(true);
    const said = first.lines.join("\n");
    expect(said).toContain("ok    telegram: @gateway_test_bot answers; 1 updates wait for it");
    expect(said).toMatch(/warn {2}telegram: owner\.telegram is not set.*\.\/tidegate init/u);
    expect(said).toMatch(/warn {2}telegram: the command menu lacks new, /u);
    expect(said).toMatch(/warn {2}telegram: its privacy mode is off/u);
    expect(said).not.toContain(telegram.token);
    expect(telegram.callCount("getUpdates")).toBe(0);
    expect(telegram.pendingUpdates).toBe(1);

    const commands = MENU.map(({ name, description }) => ({ command: name, description }));
    await fetch(`${telegram.apiRoot}/bot${telegram.token}/setMyCommands`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ commands }),
    });
    const second = await look(config("owner: { telegram: 1001 }\n"));
    expect(second.lines.filter((line) => line.includes("telegram:"))).toEqual([
      "ok    telegram: @gateway_test_bot answers; 1 updates wait for it",
    ]);
  });

  test("G29, G44: a wrong token, a Telegram out of reach and one that never answers are each said with what to do", async () => {
    await using telegram = await startTelegram();
    const config = (token: string): string =>
      `channels: { telegram: { token: "${token}", apiRoot: "${telegram.apiRoot}" } }\nowner: { telegram: 1 }\n`;
    const wrong = await look(config("100200300:wrong-token"));
    expect(wrong.healthy).toBe(false);
    expect(wrong.lines.join("\n")).toMatch(
      /^FAIL {2}telegram: Telegram refused the token\. .*@BotFather.*channels\.telegram\.token/mu,
    );
    const late = await look(config(telegram.token), { clock: hasty });
    expect(late.lines.join("\n")).toMatch(/^FAIL {2}telegram: Telegram can't be reached \(no answer in time\)/mu);
    await telegram.goDown();
    const gone = await look(config(telegram.token));
    expect(gone.lines.join("\n")).toMatch(/^FAIL {2}telegram: Telegram can't be reached \(no connection\)/mu);
    for (const { lines } of [wrong, late, gone]) expect(lines.join()).not.toMatch(/wrong-token|test-token|:\d+:\d+\)/u);
  });

  test("G29, G44: each engine is tried, and what is wrong with it is said", async () => {
    const gone = await startModels();
    await gone[Symbol.asyncDispose]();
    await using models = await startModels({ apiKey: "right-key", models: ["there"], onlyThese: true });
    const engine = (key: string, model: string): string =>
      `{ kind: openai-compatible, baseUrl: "${models.openaiUrl}", apiKey: ${key}, model: ${model} }`;
    const { healthy, lines } = await look(
      `engines:\n  good: ${engine("right-key", "there")}\n  locked: ${engine("wrong-key", "there")}\n  lost: ${engine("right-key", "gone")}\n  off: { kind: openai-compatible, baseUrl: "${gone.openaiUrl}", model: m }\n`,
    );
    expect(healthy).toBe(false);
    const said = lines.join("\n");
    expect(said).toContain("ok    engine good: there is there.");
    expect(said).toMatch(/^FAIL {2}engine locked: The model's service refused the key/mu);
    expect(said).toMatch(/^FAIL {2}engine lost: The model's service doesn't know this model/mu);
    expect(said).toMatch(/^FAIL {2}engine off: The model's service can't be reached/mu);
    expect(said).toContain("3 things are broken.");
    expect(said).not.toMatch(/right-key|wrong-key/u);
  });

  test("G29: a data folder that others can open, that is damaged, or that is a file", async () => {
    {
      await using _store = await openStore({ folder: data(), clock: realClock, random: realRandom, log });
    }
    expect((await look()).lines.join("\n")).toContain(`ok    data: ${data()}, 1 MB`);
    chmodSync(data(), 0o755);
    const open = await look();
    expect(open.healthy).toBe(true);
    expect(open.lines.join("\n")).toContain(`Run: chmod 700 ${data()}`);
    writeFileSync(join(data(), "tidegate.db"), "no database at all ".repeat(100));
    const damaged = await look();
    expect(damaged.healthy).toBe(false);
    expect(damaged.lines.join("\n")).toMatch(/^FAIL {2}data: /mu);
    rmSync(data(), { recursive: true });
    writeFileSync(data(), "");
    expect((await look()).lines.join("\n")).toMatch(/^FAIL {2}data: .* is not a folder/mu);
  });

  test("G29, D49: the index of earlier chats: there, to be made at the next start, or in the way; never a fault by itself", async () => {
    {
      const surroundings = { clock: realClock, random: realRandom, log };
      await using store = await openStore({ folder: data(), ...surroundings });
      expect((await look()).lines.join("\n")).toContain(
        "ok    index: it is made just now, or by the next start: there is none yet",
      );
      await using _search = await openSearch({ folder: data(), store, secrets: [], ...surroundings });
    }
    const index = join(data(), "search.db");
    const before = readFileSync(index);
    expect((await look()).lines.join("\n")).toContain("ok    index: earlier chats can be looked through, 1 MB");
    // Looking changes nothing.
    expect(readFileSync(index).equals(before)).toBe(true);
    writeFileSync(index, "no database at all ".repeat(100));
    const damaged = await look();
    expect(damaged.healthy).toBe(true);
    expect(damaged.lines.join("\n")).toMatch(/^warn {2}index: search\.db can't be read/mu);
  });

  test("G29: secrets that others on the machine can read", async () => {
    const yaml =
      "engines: { m: { kind: openai-compatible, baseUrl: 'http://127.0.0.1:9/v1', model: m, apiKey: abcdef-1 } }\n";
    writeFileSync(join(place, ".env"), "X=1\n");
    chmodSync(join(place, ".env"), 0o644);
    const said = (await look(yaml)).lines.join("\n");
    expect(said).toContain(`Run: chmod 600 ${join(place, ".env")}`);
    expect(said).not.toContain(`chmod 600 ${join(place, "tidegate.yaml")}`);
  });

  test("G29: a gateway that runs says how its channels do; one that holds the folder and doesn't answer is a fault", async () => {
    mkdirSync(data(), { mode: 0o700 });
    {
      await using _socket = await listen(data(), async () => "telegram connected", log);
      expect((await look()).lines).toContain("ok    gateway: running; telegram connected");
    }
    {
      await using _socket = await listen(data(), async () => await new Promise(() => undefined), log);
      const { healthy, lines } = await look(undefined, { clock: hasty });
      expect(healthy).toBe(false);
      expect(lines.join("\n")).toMatch(/^FAIL {2}gateway: It runs, but gives no answer/mu);
    }
    using _lock = lockFolder(data());
    const held = await look();
    expect(held.healthy).toBe(false);
    expect(held.lines.join("\n")).toMatch(/^FAIL {2}gateway: Another Tidegate is already running/mu);
  });

  test("G29: engine programs on PATH are named: those that can answer, and those that can't yet", async () => {
    for (const name of ["claude", "codex", "grok"]) writeFileSync(join(place, name), "", { mode: 0o755 });
    expect((await look(undefined, { path: place })).of("programs")).toEqual([
      "ok    claude, codex on this machine: ./tidegate init makes one answer here, or engines in the config",
      "ok    grok on this machine; Tidegate can use them in a later version",
    ]);
    const used = await look("engines: { a: { kind: claude-code, sdk: nowhere } }\n", { path: place });
    expect(used.of("programs")[0]).toBe(
      "ok    codex on this machine: ./tidegate init makes one answer here, or engines in the config",
    );
  });

  test("G29: what engines keep of chats is counted, and what no engine of the config keeps is named", async () => {
    const sessions = join(data(), "engine-sessions");
    const yaml = "engines: { demo: { kind: demo }, coder: { kind: codex, command: gone } }\n";
    expect((await look(yaml)).of("sessions")).toEqual([]);
    const keep = (path: string, bytes: number): void => {
      mkdirSync(join(sessions, path, ".."), { recursive: true });
      writeFileSync(join(sessions, path), "x".repeat(bytes));
    };
    keep("codex/coder/a.jsonl", 1_500_000);
    expect((await look(yaml)).of("sessions")).toEqual(["ok    engines keep 1 session of chats, 2 MB"]);
    keep("codex/coder/b.jsonl", 10);
    keep("codex/coder/b.json", 600_000);
    keep("claude-code/coder/projects/x/c.jsonl", 10);
    keep("claude-code/coder/projects/x/c/subagents/agent-1.jsonl", 10);
    const { of, healthy } = await look(yaml);
    expect(healthy).toBe(false);
    expect(of("sessions")).toEqual([
      "ok    engines keep 3 sessions of chats, 3 MB",
      `warn  ${join(sessions, "claude-code/coder")} is of an engine that the config doesn't name. Name it again, or remove that folder.`,
    ]);
  });
});
