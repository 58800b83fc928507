// The commands as a person types them: real processes through ./tidegate, a home of their own, loopback Telegram and models.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import packageInfo from "../../package.json" with { type: "json" };
import { ERRORS } from "../../src/core/error.ts";
import { startModels } from "../wire/models.ts";
import { startTelegram } from "../wire/telegram.ts";
import { Home } from "./cli-child.ts";

const TRACE = /^\s+at .+:\d+/mu;
const COMMANDS = [
  "start",
  "init",
  "doctor",
  "run",
  "apps",
  "chats",
  "search",
  "export",
  "archive",
  "delete",
  "people",
  "backup",
];
/** Asks for the help of each command in one process: starting the program for each takes long. */
const HELPS = `
import { runCli } from ${JSON.stringify(new URL("../../src/gateway/cli.ts", import.meta.url).href)};
// Each command listens to both for their errors.
for (const output of [process.stdout, process.stderr]) output.setMaxListeners(0);
for (const command of ${JSON.stringify(COMMANDS)}) if ((await runCli([command, "--help"], {})) !== 0) process.exitCode = 1;
`;
const OWNER = 1001;

const mode = (file: string): number => statSync(file).mode & 0o777;

/** A config with a Telegram bot and a model behind loopback servers. */
const wired = (apiRoot: string, openaiUrl: string): string => `
owner: { name: Sam, telegram: ${OWNER} }
joinWithinMs: 0
channels: { telegram: { token: "\${BOT_TOKEN}", apiRoot: "${apiRoot}" } }
engines: { local: { kind: openai-compatible, baseUrl: "${openaiUrl}", model: test-model } }
pace: { telegram: { perChatMs: 0, perSecond: 0 } }
`;

describe("the command line", { timeout: 60_000 }, () => {
  test("F3: every command has its help with --config, and an unknown one exits with the nearest", async () => {
    await using home = new Home();
    const { code, out } = await home.run(["--help"]);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(out).toMatch(new RegExp(`^  ${command}\\b`, "mu"));
    const helps = await home.node(HELPS);
    expect(helps).toMatchObject({ code: 0, err: "" });
    expect(helps.out.match(/--config/gu)).toHaveLength(COMMANDS.length);
    for (const command of COMMANDS) expect(helps.out).toContain(`Usage: ./tidegate ${command} `);
    const typo = await home.run(["chat"]);
    expect(typo).toMatchObject({ code: 1, out: "" });
    expect(typo.err).toMatch(/unknown command 'chat'[\s\S]*Did you mean chats\?[\s\S]*\.\/tidegate --help/iu);
    expect((await home.run(["export"])).err).toContain("./tidegate export --help");
    expect(home.has(".tidegate")).toBe(false);
  });

  test("F21: doctor --slack-manifest prints JSON alone, with no config, and with one that has channels on", async () => {
    await using home = new Home();
    const { code, out, err } = await home.run(["doctor", "--slack-manifest"]);
    expect(code).toBe(0);
    const manifest = JSON.parse(out) as { oauth_config: { scopes: { bot: string[] } } };
    expect(manifest.oauth_config.scopes.bot).toContain("im:history");
    expect(manifest.oauth_config.scopes.bot).not.toContain("channels:history");
    expect(err).toMatch(/^There is no config yet.*access\.groups: mention/u);
    home.config("access: { groups: mention }\n");
    const shared = await home.run(["doctor", "--slack-manifest"]);
    expect(shared).toMatchObject({ code: 0, err: "", out: expect.stringContaining("channels:history") });
    expect(home.has(".tidegate")).toBe(false);
  });

  test("F11: --version prints the version of the package, and the change log has it", async () => {
    await using home = new Home();
    expect(await home.run(["--version"])).toEqual({ code: 0, out: `${packageInfo.version}\n`, err: "" });
    expect(readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8")).toContain(packageInfo.version);
  });

  test("F10: texts name the commands as they are typed, ./tidegate first", async () => {
    const src = fileURLToPath(new URL("../../src", import.meta.url));
    const bare = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) =>
        readFileSync(join(src, name), "utf8")
          .split("\n")
          .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/u.test(line))
          .filter((line) => new RegExp(`(?<!\\./)\\btidegate (?:${COMMANDS.join("|")})\\b`, "u").test(line))
          .map((line) => `${name}: ${line.trim()}`),
      );
    expect(bare).toEqual([]);
  });

  test("G27, G36, G44, F2, F4: the first start needs nothing, answers line for line, and says the next step beside the answers", async () => {
    await using home = new Home();
    const { code, out, err } = await home.run([], { input: "hello\nwhat can you do\n" });
    expect(code).toBe(0);
    expect(out.indexOf("Hello!")).toBe(0);
    expect(out.indexOf("what time is it")).toBeGreaterThan(0);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).toContain("./tidegate init");
    expect(out + err).not.toMatch(TRACE);
    expect(mode(home.data)).toBe(0o700);
  });

  test("F4, G44: a config with a mistake ends with exit code 1 in words, on standard error alone, and makes nothing", async () => {
    await using home = new Home();
    home.config("chanels: {}\n");
    for (const command of [["start"], ["chats"], ["run", "hi"], ["backup", "copy"]]) {
      const { code, out, err } = await home.run(command);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain("chanels: there is no such key. Did you mean channels?");
      expect(err).not.toMatch(TRACE);
    }
    expect(home.has(".tidegate")).toBe(false);
  });

  test("F4: a reader that leaves early is no fault", async () => {
    await using home = new Home();
    await home.run([], { input: "say one\nsay two\n" });
    const [line = ""] = (await home.run(["chats"])).out.split(" ");
    const running = home.start(["export", line]);
    running.child.stdout?.destroy();
    expect(await running.end).toMatchObject({ code: 0, err: "" });
  });
});

describe("chats on the command line", { timeout: 60_000 }, () => {
  test("G30: run prints only the answer; a failed turn exits non-zero with one sentence on standard error", async () => {
    await using home = new Home();
    expect(await home.run(["run", "say only this"])).toEqual({ code: 0, out: "only this\n", err: "" });
    const failed = await home.run(["run", "fail engine-overloaded"]);
    expect(failed).toEqual({ code: 1, out: "", err: `${ERRORS["engine-overloaded"]}\n` });
  });

  test("G31, G33: chats prints a line each, id first, newest first, archived ones marked", async () => {
    await using home = new Home();
    await home.run(["run", "say first"]);
    await home.run(["run", "say second"]);
    const lines = (await home.run(["chats"])).out.trimEnd().split("\n");
    expect(lines.map((line) => line.replace(/^\S+ +\S+ \S+ +/u, ""))).toEqual(["cli  say second", "cli  say first"]);
    const [first = ""] = lines[1]?.split(" ") ?? [];
    expect(await home.run(["archive", first])).toEqual({ code: 0, out: "Archived.\n", err: "" });
    const after = (await home.run(["chats"])).out.trimEnd().split("\n");
    expect(after.filter((line) => line.includes("(archived)")).map((line) => line.split(" ")[0])).toEqual([first]);
    expect((await home.run(["export", first])).out).toContain("first");
  });

  test("F13, P2, P6: search prints a line per hit, its chat's id first, however it is spelt; nothing found exits 1 in words", async () => {
    await using home = new Home();
    await home.run(["run", "say the harbour is closed"]);
    await home.run(["run", "say bring the umbrella"]);
    const ids = (await home.run(["chats"])).out.split("\n").map((line) => line.split(" ")[0] ?? "");
    await home.run(["archive", ids[1] ?? ""]);
    const exact = await home.run(["search", "harbour", "closed"]);
    expect({ code: exact.code, err: exact.err }).toEqual({ code: 0, err: "" });
    for (const line of exact.out.trimEnd().split("\n")) expect(line.startsWith(`${ids[1]}  `)).toBe(true);
    expect(exact.out).toMatch(/cli \(archived\)  assistant: the harbour is closed$/mu);
    const close = await home.run(["search", "umbrela"]);
    for (const line of close.out.trimEnd().split("\n"))
      expect(line.startsWith(`${ids[0]}  `) && line.includes("  cli (close)  ")).toBe(true);
    for (const [words, told] of [
      ["zeppelin", "Nothing was found."],
      ["x", /short|two/iu],
      ["?!", /word/iu],
    ] as const) {
      const { code, out, err } = await home.run(["search", words]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(told);
      expect(err).not.toMatch(TRACE);
    }
    // Deleting takes it out of the index's file too.
    await home.run(["delete", ids[0] ?? ""]);
    expect((await home.run(["search", "umbrella"])).code).toBe(1);
    for (const file of ["search.db", "search.db-wal", "tidegate.db"])
      if (home.has(join(".tidegate", file)))
        expect(readFileSync(join(home.data, file)).includes("umbrella")).toBe(false);
  });

  test("G32: export prints JSON lines with seq, at and kind first, in order, without gaps", async () => {
    await using home = new Home();
    await home.run(["run", "say exported"]);
    const [id = ""] = (await home.run(["chats"])).out.split(" ");
    const { out, code, err } = await home.run(["export", id]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const entries = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
    for (const entry of entries) expect(Object.keys(entry).slice(0, 3)).toEqual(["seq", "at", "kind"]);
    // The shape that programs outside rely on: fields may be added, none of these may go.
    expect(entries).toMatchObject([
      {
        kind: "message",
        message: {
          from: { platform: "cli", id: "owner", role: "owner" },
          parts: [{ kind: "text", origin: { kind: "own" }, text: "say exported" }],
        },
      },
      { kind: "turn-started", turn: expect.any(String) },
      { kind: "text", text: "exported" },
      { kind: "turn-ended", reason: "done" },
    ]);
  });

  test("G33: delete leaves nothing; an unknown id exits 1 in words", async () => {
    await using home = new Home();
    await home.run(["run", "say quokka"]);
    const [id = ""] = (await home.run(["chats"])).out.split(" ");
    expect(await home.run(["delete", id])).toEqual({ code: 0, out: "Deleted.\n", err: "" });
    expect((await home.run(["chats"])).out).toBe("");
    for (const command of ["archive", "delete", "export"]) {
      const { code, out, err } = await home.run([command, id]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/There is no/u);
      expect(err).not.toMatch(TRACE);
    }
  });

  test("D37: backup writes one private file, also while a gateway runs, and overwrites none", async () => {
    await using home = new Home();
    await home.gateway();
    await home.run(["run", "say kept"]);
    const copy = home.path("copy.db");
    expect(await home.run(["backup", copy])).toEqual({ code: 0, out: `Backed up to ${copy}.\n`, err: "" });
    expect(mode(copy)).toBe(0o600);
    const before = readFileSync(copy);
    const again = await home.run(["backup", copy]);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("Nothing was overwritten");
    expect(readFileSync(copy).equals(before)).toBe(true);
  });

  test("G43: a backup that can't be finished says so and leaves no file", async () => {
    await using home = new Home();
    await home.run(["run", "say kept"]);
    const { code, err } = await home.run(["backup", home.path("no/such/folder/copy.db")]);
    expect(code).toBe(1);
    expect(err).toMatch(/copy\.db can't be written/u);
    expect(err).not.toMatch(TRACE);
    expect(home.has("no")).toBe(false);
  });
});

describe("beside a live gateway", { timeout: 60_000 }, () => {
  test("D31: a second start is refused and names the folder; the lock of a killed one is taken over", async () => {
    await using home = new Home();
    const first = await home.gateway();
    const second = await home.run(["start"]);
    expect(second).toMatchObject({ code: 1, out: "" });
    expect(second.err).toContain(`already running on the data folder ${home.data}`);
    expect(second.err).not.toMatch(TRACE);
    first.child.kill("SIGKILL");
    await first.end;
    expect(await home.run(["start"], { input: "say back\n" })).toMatchObject({ code: 0, out: "back\n" });
  });

  test("D32, D33, F4: reading works beside it, and what changes something goes through its private socket", async () => {
    await using home = new Home();
    const gateway = await home.gateway();
    expect(mode(join(home.data, "gateway.sock"))).toBe(0o600);
    gateway.say("say from the terminal");
    await gateway.seen(/from the terminal/u);
    expect(await home.run(["run", "say from outside"])).toEqual({ code: 0, out: "from outside\n", err: "" });
    expect(await home.run(["run", "fail engine-refused"])).toMatchObject({
      code: 1,
      out: "",
      err: `${ERRORS["engine-refused"]}\n`,
    });
    const lines = (await home.run(["chats"])).out.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    const [id = ""] = lines.find((line) => line.includes("say from outside"))?.split(" ") ?? [];
    expect((await home.run(["export", id])).out).toContain("from outside");
    expect(await home.run(["archive", id])).toMatchObject({ code: 0, out: "Archived.\n" });
    expect(await home.run(["delete", id])).toMatchObject({ code: 0, out: "Deleted.\n" });
    expect(await home.run(["delete", id])).toMatchObject({ code: 1, out: "" });
    expect((await home.run(["chats"])).out).not.toContain(id);
    expect(gateway.child.exitCode).toBeNull();
  });

  test("F4: SIGTERM ends it with exit code 0 and everything closed, though its input is still open", async () => {
    await using home = new Home();
    const gateway = await home.gateway();
    gateway.say("say goodbye");
    await gateway.seen(/goodbye/u);
    gateway.child.kill("SIGTERM");
    const { code, err } = await gateway.end;
    expect(code).toBe(0);
    expect(err).not.toMatch(TRACE);
    expect(readdirSync(home.data).filter((name) => /\.sock$|-wal$|-shm$|-journal$/u.test(name))).toEqual([]);
  });

  test("D43: SIGTERM in the middle of an answer ends it at once, and the next start answers what was asked", async () => {
    await using models = await startModels();
    await using home = new Home();
    home.config(`engines: { m: { kind: openai-compatible, baseUrl: "${models.openaiUrl}", model: m } }\n`);
    models.reply([{ hang: true }], "answered after all");
    const gateway = await home.gateway();
    gateway.say("are you there?");
    await models.until((wire) => wire.requestCount === 1, { timeoutMs: 15_000 });
    gateway.child.kill("SIGTERM");
    expect(await gateway.end).toMatchObject({ code: 0, out: "" });
    expect(await home.run(["start"])).toMatchObject({ code: 0, out: "answered after all\n" });
    expect(models.requestCount).toBe(2);
  });

  test("G36: with Telegram too, the end of standard input ends the terminal alone", async () => {
    await using telegram = await startTelegram();
    await using models = await startModels();
    await using home = new Home();
    home.config(wired(telegram.apiRoot, models.openaiUrl).replace("channels: {", "channels: { terminal: {},"));
    telegram.addUser(OWNER);
    const gateway = home.start(["start"], { env: { BOT_TOKEN: telegram.token }, input: "" });
    await telegram.until((wire) => wire.polling, { timeoutMs: 15_000 });
    telegram.say(OWNER, OWNER, "still there?");
    await telegram.shown(OWNER, "You said: still there?", { timeoutMs: 15_000 });
    gateway.child.kill("SIGTERM");
    expect(await gateway.end).toMatchObject({ code: 0 });
  });
});

describe("secrets and words", { timeout: 60_000 }, () => {
  /** Writes its own environment to a file when it ends. */
  const reveal = (file: string): string =>
    `data:text/javascript,import{writeFileSync}from"node:fs";process.on("exit",()=>writeFileSync(${JSON.stringify(file)},JSON.stringify(process.env)))`;

  test("G25: a .env fills the config and never enters the process's own environment; real variables win", async () => {
    await using models = await startModels({ apiKey: "key-from-the-file" });
    await using home = new Home();
    home.config(
      `engines: { m: { kind: openai-compatible, baseUrl: "${models.openaiUrl}", model: "\${MODEL}", apiKey: "\${MODEL_KEY}" } }\n`,
    );
    home.write(".env", "MODEL_KEY=key-from-the-file\nMODEL=not-this-one\n");
    const file = home.path("environment.json");
    const how = { env: { MODEL: "test-model" }, node: ["--import", reveal(file)] };
    expect(await home.run(["run", "hi"], how)).toMatchObject({ code: 0, out: "You said: hi\n" });
    expect(models.last?.model).toBe("test-model");
    const environment = JSON.parse(readFileSync(file, "utf8")) as Record<string, string>;
    expect(environment["MODEL"]).toBe("test-model");
    expect(environment).not.toHaveProperty("MODEL_KEY");
    expect(JSON.stringify(environment)).not.toContain("key-from-the-file");
  });

  test("G34, G44, F7: whatever fails, the log holds neither words nor token, and a wrong token is explained", async () => {
    await using telegram = await startTelegram();
    await using models = await startModels();
    await using home = new Home();
    home.config(wired(telegram.apiRoot, models.openaiUrl));
    telegram.addUser(OWNER);
    const gateway = home.start(["start"], { env: { BOT_TOKEN: telegram.token } });
    await telegram.until((wire) => wire.polling, { timeoutMs: 15_000 });
    telegram.fail("getUpdates", { kind: "error", code: 502 });
    telegram.fail("sendMessage", { kind: "resetAfterStore" });
    models.reply([{ status: 400, message: "wombat wombat" }], [{ fail: "badKey" }], [{ text: "wom" }, { cut: true }]);
    for (const [at, word] of ["quokka one", "quokka two", "quokka three", "quokka four"].entries()) {
      telegram.say(OWNER, OWNER, word);
      await models.until((wire) => wire.requestCount > at, { timeoutMs: 15_000 });
    }
    await telegram.shown(OWNER, "You said: quokka four", { timeoutMs: 15_000 });
    gateway.child.kill("SIGTERM");
    const { code, out, err } = await gateway.end;
    expect(code).toBe(0);
    expect(err).toContain("connected");
    for (const secret of [telegram.token, encodeURIComponent(telegram.token), "quokka", "wombat", "wom\\b"]) {
      expect(out + err).not.toMatch(new RegExp(secret, "u"));
    }

    const wrong = home.start(["start"], { env: { BOT_TOKEN: "100200300:wrong-token" } });
    const said = await wrong.seen(/channel-unauthorized.*\n/u);
    expect(said).not.toContain("wrong-token");
    wrong.child.kill("SIGTERM");
    const ended = await wrong.end;
    expect(ended.code).toBe(0);
    expect(ended.out + ended.err).not.toContain("wrong-token");
  });
});
