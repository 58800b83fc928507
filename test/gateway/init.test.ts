// ./tidegate init: questions on a pipe, what is written, and that it is tried against loopback Telegram and models.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { init } from "../../src/gateway/init.ts";
import { loadConfig } from "../../src/gateway/config-file.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { welcome } from "../../src/gateway/welcome.ts";
import { slackManifestText } from "../../src/gateway/doctor-slack.ts";
import { startDiscord } from "../wire/discord.ts";
import { startModels, type ModelsWire } from "../wire/models.ts";
import { startSlack } from "../wire/slack.ts";
import { startTelegram, type TelegramWire } from "../wire/telegram.ts";
import { changed } from "./doctor-look.ts";

let place = "";
let telegram: TelegramWire;
let models: ModelsWire;

beforeEach(async () => {
  place = mkdtempSync(join(tmpdir(), "tidegate-init-"));
  telegram = await startTelegram();
  models = await startModels({ models: ["qwen3", "llama4"] });
});
afterEach(async () => {
  await telegram[Symbol.asyncDispose]();
  await models[Symbol.asyncDispose]();
  rmSync(place, { recursive: true, force: true });
});

type Asked = {
  readonly said: string;
  readonly done: Promise<boolean>;
  readonly input: PassThrough;
  readonly saw: (text: string) => Promise<void>;
};

type More = {
  readonly env?: Record<string, string>;
  readonly config?: string;
  readonly ollama?: boolean;
  /** Where Slack and Discord are; left out: out of reach. */
  readonly slack?: string;
  readonly discord?: string;
  readonly fetch?: typeof fetch;
};

/** Starts it in a world where Telegram and Ollama are the loopback servers; the vendors don't answer. */
function start(lines: readonly string[], more: More = {}): Asked {
  const input = new PassThrough();
  const output = new PassThrough();
  let said = "";
  const looks = new Set<() => void>();
  output.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
    for (const look of looks) look();
  });
  for (const line of lines) input.write(`${line}\n`);
  const reach: typeof fetch = async (url, options) => {
    const { href } = new URL(url instanceof Request ? url.url : url);
    const moved = href
      .replace("https://api.telegram.org", telegram.apiRoot)
      .replace("https://slack.com/api/", more.slack ?? "https://nowhere.invalid/")
      .replace("https://discord.com/api", more.discord ?? "https://nowhere.invalid")
      .replace("http://127.0.0.1:11434", more.ollama === true ? models.baseUrl : "https://nowhere.invalid");
    if (!moved.startsWith("http://127.0.0.1:") || moved.startsWith("http://127.0.0.1:8080"))
      throw new TypeError("fetch failed");
    return await (more.fetch ?? fetch)(moved, options);
  };
  const world = {
    input,
    output,
    env: { USER: "sam", ...more.env },
    home: place,
    cwd: join(place, "cwd"),
    fetch: reach,
    clock: realClock,
    random: realRandom,
  };
  return {
    get said() {
      return said;
    },
    done: init(more.config === undefined ? {} : { config: more.config }, world),
    input,
    saw: async (text) =>
      await new Promise<void>((resolve) => {
        const look = (): void => {
          if (!said.includes(text)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
      }),
  };
}

const path = (name: string): string => join(place, name);
const read = (name: string): string => readFileSync(path(name), "utf8");
const mode = (name: string): number => statSync(path(name)).mode & 0o777;
const CONFIG = ".tidegate/tidegate.yaml";

describe("init", () => {
  test("G28, F10: asks for token, owner and engine, writes a commented config and .env with mode 0600, tries all, and says what is next", async () => {
    const compatible = models.openaiUrl;
    const at = start(["Sam", "1", telegram.token, "1001", "4", compatible, "sk-mine", ""]);
    expect(await at.done).toBe(true);
    expect([mode(".tidegate"), mode(CONFIG), mode(".tidegate/.env")]).toEqual([0o700, 0o600, 0o600]);
    expect(read(".tidegate/.env")).toBe(`TELEGRAM_BOT_TOKEN=${telegram.token}\nMODEL_API_KEY=sk-mine\n`);
    const yaml = read(CONFIG);
    expect(yaml).toContain('token: "${TELEGRAM_BOT_TOKEN}"');
    expect(yaml.split("\n").filter((line) => line.trim().startsWith("#")).length).toBeGreaterThan(6);
    for (const secret of [telegram.token, "sk-mine"]) expect(yaml + at.said).not.toContain(secret);
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(config).toMatchObject({
      owner: { name: "Sam", telegram: "1001" },
      channels: { terminal: {}, telegram: { token: telegram.token } },
      engine: "local",
      engines: { local: { kind: "openai-compatible", model: "qwen3", baseUrl: compatible, apiKey: "sk-mine" } },
    });
    for (const said of [
      "@BotFather",
      "this is @gateway_test_bot",
      "telegram: @gateway_test_bot answers.",
      "engine local: qwen3 is there.",
    ]) {
      expect(at.said).toContain(said);
    }
    expect(at.said.trimEnd().split("\n").at(-1)).toBe("Next: ./tidegate start");
  });

  test("G28: finds the owner's id by a message, asks whether that was them, and leaves the message for the gateway", async () => {
    const asked = start(["Sam", "telegram", telegram.token, "w"]);
    await asked.saw("Write anything to @gateway_test_bot now");
    telegram.addUser({ id: 666, first_name: "Not", last_name: "Me" });
    telegram.addUser({ id: 1001, first_name: "Sam", last_name: "E." });
    await telegram.until((wire) => wire.polling);
    telegram.say(666, 666, "hello bot");
    await asked.saw("Was that you: Not Me (666)?");
    asked.input.write("n\n");
    telegram.say(1001, 1001, "it's me");
    await asked.saw("Was that you: Sam E. (1001)?");
    asked.input.write("y\ndemo\n");
    expect(await asked.done).toBe(true);
    expect(read(CONFIG)).toContain("telegram: 1001");
    expect(telegram.confirmedOffset).toBe(0);
    expect(telegram.pendingUpdates).toBe(2);
  });

  test("G28: names keys that are set, a local server that answers, and programs on PATH", async () => {
    const bin = path("bin");
    mkdirSync(bin);
    for (const [name, rights] of [
      ["claude", 0o755],
      ["codex", 0o755],
      ["gemini", 0o644],
      ["grok", 0o755],
      ["other", 0o755],
    ] as const) {
      writeFileSync(join(bin, name), "");
      chmodSync(join(bin, name), rights);
    }
    mkdirSync(path("claude-of-mine"));
    writeFileSync(path("claude-of-mine/.credentials.json"), "{}");
    const env = {
      CLAUDE_CONFIG_DIR: path("claude-of-mine"),
      PATH: `relative:${bin}`,
      ANTHROPIC_API_KEY: "sk-ant-1",
      GOOGLE_GENERATIVE_AI_API_KEY: "g-1",
      OPENAI_API_KEY: "",
    };
    const asked = start(["", "", "demo"], { env, ollama: true });
    expect(await asked.done).toBe(true);
    expect(asked.said).toMatch(/1 {2}openai +with a key of yours/u);
    expect(asked.said).toMatch(/2 {2}anthropic +ANTHROPIC_API_KEY is set/u);
    expect(asked.said).toMatch(/3 {2}google +GOOGLE_GENERATIVE_AI_API_KEY is set/u);
    expect(asked.said).toMatch(/4 {2}openai-compatible +http:\/\/127\.0\.0\.1:11434\/v1 answers: qwen3, llama4/u);
    expect(asked.said).toMatch(/5 {2}claude-code +claude is on this machine: with your sign-in of it\./u);
    expect(asked.said).toMatch(/6 {2}codex +codex is on this machine: with a key, or your sign-in \(codex login\)\./u);
    expect(asked.said).toMatch(/7 {2}demo /u);
    expect(asked.said).toContain("Found on this machine too: grok. Tidegate can use them in a later version.");
    // What is found first is what Enter takes.
    expect(asked.said).toContain("Number or name [2]:");
    expect(asked.said).not.toContain("sk-ant-1");
    expect(existsSync(path(".tidegate/.env"))).toBe(false);
  });

  test("G28: a variable that is set is named in the config, and its value is written nowhere", async () => {
    models.always("hi");
    const env = { THE_KEY: "sk-of-the-shell", PATH: "" };
    const asked = start(["", "", "4", models.openaiUrl, "$NO_KEY", "$THE_KEY", "llama4"], { env });
    expect(await asked.done).toBe(true);
    expect(asked.said).toContain("NO_KEY is not set.");
    expect(read(CONFIG)).toContain('apiKey: "${THE_KEY}"');
    expect(readdirSync(path(".tidegate"))).toEqual(["tidegate.yaml"]);
    expect(read(CONFIG) + asked.said).not.toContain("sk-of-the-shell");
  });

  test("G28: a .env keeps its lines, and a name that holds something else is left alone", async () => {
    mkdirSync(path(".tidegate"));
    writeFileSync(path(".tidegate/.env"), "# mine\nTELEGRAM_BOT_TOKEN=1:another\nOTHER=x", { mode: 0o644 });
    const asked = start(["", "1", telegram.token, "1001", "4", models.openaiUrl, "with 'q", "with'q#", "qwen3"], {
      env: { MODEL_API_KEY: "sk-of-the-shell" },
    });
    expect(await asked.done).toBe(true);
    expect(read(".tidegate/.env")).toBe(
      `# mine\nTELEGRAM_BOT_TOKEN=1:another\nOTHER=x\nTELEGRAM_BOT_TOKEN_2=${telegram.token}\nMODEL_API_KEY_2="with'q#"\n`,
    );
    expect(mode(".tidegate/.env")).toBe(0o600);
    const { config } = await loadConfig({ env: { MODEL_API_KEY: "sk-of-the-shell" }, cwd: place, home: place });
    expect(config.channels.telegram?.token).toBe(telegram.token);
    expect(config.engines["local"]).toMatchObject({ apiKey: "with'q#" });
  });

  test("G28: a config that is there is replaced only after a yes, and then kept beside", async () => {
    mkdirSync(path(".tidegate"));
    writeFileSync(path(CONFIG), "# precious\n");
    const no = start([""]);
    expect(await no.done).toBe(true);
    expect(no.said).toContain("Nothing was changed");
    expect(read(CONFIG)).toBe("# precious\n");
    const yes = start(["maybe", "yes", "", "", "demo"]);
    expect(await yes.done).toBe(true);
    expect(read(`${CONFIG}.old`)).toBe("# precious\n");
    expect(mode(`${CONFIG}.old`)).toBe(0o600);
    expect(read(CONFIG)).toContain("engine: demo");
  });

  test("G28, G26: writes where start will look, or where --config says, and then says so", async () => {
    const named = start(["", "", "demo"], { config: "mine/t.yaml" });
    expect(await named.done).toBe(true);
    expect(named.said).toContain(`Next: ./tidegate start --config ${path("cwd/mine/t.yaml")}`);
    const variable = start(["", "", "demo"], { env: { TIDEGATE_CONFIG: path("by/v.yaml") } });
    expect(await variable.done).toBe(true);
    expect(existsSync(path("by/v.yaml"))).toBe(true);
    writeFileSync(path("cwd/tidegate.yaml"), "");
    const here = start(["y", "", "", "demo"]);
    expect(await here.done).toBe(true);
    expect(read("cwd/tidegate.yaml")).toContain("engine: demo");
    expect(existsSync(path(CONFIG))).toBe(false);
  });

  test("G44, G28: a wrong token is explained and asked for again; an id that is no number too", async () => {
    const asked = start(["", "9", "1", "nonsense", "100200300:wrong-token", telegram.token, "@sam", "1001", "demo"]);
    expect(await asked.done).toBe(true);
    expect(asked.said).toContain("Choose from 1 to 3.");
    expect(asked.said).toContain("A token looks like 123456789:");
    expect(asked.said).toContain("Telegram refused the token. Copy it again from @BotFather");
    expect(asked.said).toContain("That is not a number.");
    expect(asked.said).not.toContain("wrong-token");
  });

  test("G28: with Telegram out of reach the token can be kept untried; the check then fails in words", async () => {
    await telegram.goDown();
    const asked = start(["", "1", "100200300:untried", "y", "", "demo"]);
    expect(await asked.done).toBe(false);
    expect(asked.said).toContain("Without it ./tidegate start prints a link");
    expect(asked.said).toMatch(/FAIL {2}telegram: Telegram can't be reached/u);
    expect(asked.said).toContain("look with ./tidegate doctor");
    expect(asked.said).not.toContain("untried\n");
    expect(read(CONFIG)).toContain("# telegram: 123456789");
  });

  test("G28, F21: Slack: shows the manifest, tries both tokens, looks the owner's id up, and tries what was written", async () => {
    await using slack = await startSlack();
    slack.addUser({ id: "U01OWNER", name: "Sam E." });
    const asked = start(
      [
        ...["Sam", "slack", "xoxp-user-token", "xoxb-wrong-token", "xoxb-test-token"],
        ...["xoxb-test-token", "xapp-wrong-token", "xapp-test-token"],
        ...["sam", "U0NOBODY", "U01OWNER", "demo"],
      ],
      { slack: slack.apiUrl },
    );
    // What was written names the real Slack, which is the loopback one here.
    expect(await asked.done).toBe(true);
    for (const said of [
      slackManifestText(),
      "This one begins with xoxb-.",
      "Slack refused the token. Copy the Bot User OAuth Token again",
      "ok: this is @tidegate in workspace.",
      "This one begins with xapp-.",
      "Slack refused the token. Generate one with connections:write",
      "ok: it opens Socket Mode.",
      "A member id is a U",
      "Nobody in this workspace has that id.",
      "ok: that is Sam E..",
      "ok    slack: @tidegate answers in workspace (T01TEAM)",
      "ok    slack events: the app token opens Socket Mode",
    ])
      expect(asked.said).toContain(said);
    expect(read(".tidegate/.env")).toBe("SLACK_BOT_TOKEN=xoxb-test-token\nSLACK_APP_TOKEN=xapp-test-token\n");
    expect(read(CONFIG) + asked.said).not.toMatch(/xox[bp]-\w|xapp-\w/u);
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(config.owner).toEqual({ name: "Sam", slack: "U01OWNER" });
    expect(config.channels).toMatchObject({
      terminal: {},
      slack: { botToken: "xoxb-test-token", appToken: "xapp-test-token" },
    });
    expect(config.channels.telegram).toBeUndefined();
  });

  test("G28, F21: Discord: tries the token, shows the link, and asks whether the bot's maker is the owner", async () => {
    await using discord = await startDiscord();
    const owner = { id: "80351110224678912", username: "sam", discriminator: "0", global_name: null, avatar: null };
    const asked = start(["Sam", "3", "two words", "wrong-discord-token", discord.token, "", "demo"], {
      discord: discord.apiUrl,
      fetch: changed({ "applications/@me": { body: { owner } } }),
    });
    expect(await asked.done).toBe(true);
    for (const said of [
      "A token has no spaces.",
      "Discord refused the token. Take a new one at https://discord.com/developers/applications",
      "ok: this is gateway.",
      `https://discord.com/oauth2/authorize?client_id=${discord.appId}&scope=bot+applications.commands&permissions=0`,
      "This bot was made by sam (80351110224678912). Is that you? [Y/n]:",
      "ok    discord: gateway answers",
    ])
      expect(asked.said).toContain(said);
    expect(read(".tidegate/.env")).toBe(`DISCORD_BOT_TOKEN=${discord.token}\n`);
    expect(read(CONFIG) + asked.said).not.toMatch(/discord-token|discord-test/u);
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(config.owner).toEqual({ name: "Sam", discord: "80351110224678912" });
    expect(config.channels.discord).toMatchObject({ token: discord.token, messageContent: false });
  });

  test("G28: several apps at once; an id that is left for later says what start does, and the check that it is missing", async () => {
    await using slack = await startSlack();
    await using discord = await startDiscord();
    const asked = start(
      [
        ...["Sam", "telegram discord,2", telegram.token, "1001"],
        ...["xoxb-test-token", "xapp-test-token", ""],
        ...[discord.token, "@sam", "", "demo"],
      ],
      { slack: slack.apiUrl, discord: discord.apiUrl },
    );
    expect(await asked.done).toBe(true);
    expect(
      asked.said.match(/\.\/tidegate start prints a code: whoever sends it to the bot first is the owner/gu),
    ).toHaveLength(2);
    expect(asked.said).toContain("That is not a number.");
    for (const app of ["slack", "discord"]) expect(asked.said).toContain(`Your id is still missing: owner.${app}.`);
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(Object.keys(config.channels).toSorted()).toEqual(["discord", "slack", "telegram", "terminal"]);
    expect(config.owner).toEqual({ name: "Sam", telegram: "1001" });
    expect(read(CONFIG)).toContain("# slack: U01OWNER");
  });

  test("G28, G44: with Slack and Discord out of reach tokens can be kept untried, or the app left out", async () => {
    const asked = start([
      "Sam",
      "2,3",
      "xoxb-untried",
      "y",
      "xapp-untried",
      "y",
      "U01OWNER",
      "discord-untried",
      "y",
      "5",
      "demo",
    ]);
    expect(await asked.done).toBe(false);
    for (const said of ["FAIL  slack: Slack can't be reached", "FAIL  discord: Discord can't be reached"])
      expect(asked.said).toContain(said);
    expect(asked.said).not.toContain("-untried");
    const { config } = await loadConfig({ env: {}, cwd: place, home: place });
    expect(config.owner).toEqual({ name: "Sam", slack: "U01OWNER", discord: "5" });
    const without = start(["y", "Sam", "2,3", "xoxb-untried", "y", "", "", "demo"]);
    expect(await without.done).toBe(true);
    expect(read(CONFIG)).toMatch(/# slack:\n +# +botToken: "\$\{SLACK_BOT_TOKEN\}"/u);
  });

  test("G44, G28: an engine that refuses is told at once, in words", async () => {
    await using strict = await startModels({ apiKey: "the-right-one" });
    const asked = start(["", "", "4", strict.openaiUrl, "the-wrong-one", "test-model"]);
    expect(await asked.done).toBe(false);
    expect(asked.said).toMatch(/FAIL {2}engine local: The model's service refused the key/u);
    expect(asked.said).not.toContain("the-wrong-one");
  });

  test("G43, G28: answers that end early, and a file that can't be written, say what was written and what was not", async () => {
    const early = start(["Sam", ""]);
    early.input.end();
    await expect(early.done).rejects.toMatchObject({
      message: "The answers ended before the last question. Nothing was written.",
    });
    expect(readdirSync(place)).toEqual([]);
    mkdirSync(path("cwd/folder.yaml"), { recursive: true });
    const blocked = start(["y", "", "1", telegram.token, "1001", "demo"], { config: "folder.yaml" });
    await expect(blocked.done).rejects.toMatchObject({
      message: expect.stringContaining("folder.yaml.old can't be written. Nothing was changed."),
    });
    writeFileSync(path("cwd/file"), "");
    const under = start(["", "1", telegram.token, "1001", "demo"], { config: "file/t.yaml" });
    await expect(under.done).rejects.toMatchObject({
      message: expect.stringContaining("t.yaml can't be written. Nothing was written."),
    });
  });

  test("G28: what is typed as a name stays a name", async () => {
    const asked = start(['Sam "${HOME}" # \u001B[31m: {x}', "", "demo"]);
    expect(await asked.done).toBe(true);
    const { config } = await loadConfig({ env: { HOME: "leaked" }, cwd: place, home: place });
    expect(config.owner.name).toBe('Sam "$ {HOME}" # [31m: {x}');
  });
});

test("G27, G44: the welcome of a first start is short and says what to try and what is next", () => {
  let text = "";
  welcome({ tty: true, print: (more) => (text += more) });
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(6);
  for (const said of ["demo", "what can you do", "/stop", "/help", "./tidegate init"]) expect(text).toContain(said);
});
