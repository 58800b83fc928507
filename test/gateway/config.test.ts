// The config: where it is found, what is said of each mistake, and that the example and the schema are its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { GatewayError } from "../../src/core/error.ts";
import { configSchema, configShape } from "../../src/gateway/config.ts";
import { loadConfig, type Loaded } from "../../src/gateway/config-file.ts";
import { engineHost } from "../../src/gateway/engine-host.ts";
import { realRandom } from "../../src/gateway/real.ts";
import { openWatchdog } from "../../src/gateway/watchdog.ts";

let place = "";

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "tidegate-config-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(place, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function load(yaml: string, env: Record<string, string> = {}): Promise<Loaded> {
  const file = write("here/tidegate.yaml", yaml);
  return await loadConfig({ file, env, cwd: place, home: join(place, "home") });
}

/** What is said of a config that is refused, without its first line. */
async function mistakes(yaml: string, env: Record<string, string> = {}): Promise<string[]> {
  const thrown: unknown = await load(yaml, env).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof GatewayError)) throw new Error(`Not refused in words: ${yaml}`);
  expect(thrown.code).toBe("config-invalid");
  expect(thrown.message).toContain(join(place, "here", "tidegate.yaml"));
  return thrown.message.includes("\n")
    ? thrown.message
        .split("\n")
        .slice(1)
        .map((line) => line.trim())
    : [thrown.message];
}

const MODEL = "kind: openai, model: m, apiKey: k-123456";

describe("a mistake", () => {
  test.each([
    ["chanels: {}", "chanels: there is no such key. Did you mean channels?"],
    ["owner: { nme: Sam }", "owner.nme: there is no such key. Did you mean name?"],
    ["channels: { telegrm: { token: x } }", "channels.telegrm: there is no such key. Did you mean telegram?"],
    [`engines: { a: { ${MODEL}, apikey: x } }`, "engines.a.apikey: there is no such key. Did you mean apiKey?"],
    ["pace: { telegram: { perchatms: 3 } }", "pace.telegram.perchatms: there is no such key. Did you mean perChatMs?"],
    ["channels: { discrd: { token: x } }", "channels.discrd: there is no such key. Did you mean discord?"],
    [
      "channels: { slack: { botToken: xoxb-1, appToken: xapp-1, apiurl: http://127.0.0.1:9 } }",
      "channels.slack.apiurl: there is no such key. Did you mean apiUrl?",
    ],
    [
      "channels: { discord: { token: x, messageContents: true } }",
      "channels.discord.messageContents: there is no such key. Did you mean messageContent?",
    ],
    ["owner: { slak: U01OWNER }", "owner.slak: there is no such key. Did you mean slack?"],
    [
      "pace: { slack: { perGroupPerMinute: 3 } }",
      "pace.slack.perGroupPerMinute: there is no such key; known here: perChatMs, perSecond",
    ],
    ["engines: { a: { kind: demo, colour: x } }", "engines.a.colour: there is no such key; known here: kind, work"],
    [
      "engines: { a: { kind: codex, baseURL: https://x.example } }",
      "engines.a.baseURL: there is no such key. Did you mean baseUrl?",
    ],
    [
      "engines: { a: { kind: codex, sdk: here } }",
      "engines.a.sdk: there is no such key; known here: kind, model, apiKey, baseUrl, command, work",
    ],
    [
      "engines: { a: { kind: claude-code, comand: x } }",
      "engines.a.comand: there is no such key. Did you mean command?",
    ],
    ["__proto__: {}", expect.stringContaining("__proto__: there is no such key; known here: data, work")],
  ])("G22: unknown key in %s", async (yaml, said) => {
    expect(await mistakes(yaml)).toEqual([said]);
  });

  test.each([
    ["a token", 'channels: { telegram: { token: "${NO_TOKEN}" } }', "channels.telegram.token", "NO_TOKEN"],
    [
      "an address, told once",
      'engines: { a: { kind: openai-compatible, model: m, baseUrl: "${NO_URL}" } }',
      "engines.a.baseUrl",
      "NO_URL",
    ],
    ["an empty variable", 'owner: { name: "${EMPTY}" }', "owner.name", "EMPTY"],
    ["a name that every object has", 'owner: { name: "${constructor}" }', "owner.name", "constructor"],
  ])("G23: missing variable in %s", async (_, yaml, path, name) => {
    expect(await mistakes(yaml, { EMPTY: "" })).toEqual([
      `${path}: the environment variable ${name} is not set (a .env beside the config is read too)`,
    ]);
  });

  test.each([
    ["joinWithinMs: soon", "joinWithinMs: expected a number, found text"],
    ["joinWithinMs: -1", "joinWithinMs: expected a number of at least 0"],
    ["data: 5", "data: expected text, found a number"],
    ["owner: { telegram: [1] }", "owner.telegram: expected text or a whole number"],
    ["access: { groups: all }", "access.groups: expected one of off, mention"],
    ["access: { guests: alow }", "access.guests: expected one of ask, block"],
    ["access: { guestHourly: 1.5 }", "access.guestHourly: expected a whole number, found a number"],
    ["access: { guestDaily: -1 }", "access.guestDaily: expected a number of at least 0"],
    ["access: { guestEngine: gpt }", "access.guestEngine: there is no engine of that name; `engines` has: demo"],
    ["mode: tust", "mode: expected one of ask, edits, trust, plan. Did you mean trust?"],
    ["checkAfterReading: maybe", "checkAfterReading: expected true or false, found text"],
    ["channels: { telegram: }", "channels.telegram: expected keys with values, found nothing"],
    ["channels: { telegram: {} }", "channels.telegram.token: this is missing; expected text"],
    [
      "engines: { a: { kind: opnai, model: m } }",
      "engines.a.kind: expected one of openai, anthropic, google, openai-compatible, claude-code, codex, demo. Did you mean openai?",
    ],
    [
      "engines: { a: { kind: openai-compatible, model: m, baseUrl: nowhere } }",
      "engines.a.baseUrl: expected an address that begins with http:// or https://",
    ],
    [
      "engines: { a: { kind: claude, model: m } }",
      "engines.a.kind: expected one of openai, anthropic, google, openai-compatible, claude-code, codex, demo",
    ],
    ["engines: { a: { kind: codex, command: '' } }", "engines.a.command: expected text, found an empty one"],
    ["engines: { a: { kind: claude-code, model: 5 } }", "engines.a.model: expected text, found a number"],
    ...["../a", "a/b", ".a", "a".repeat(65)].map((name): [string, string] => [
      `engines: { "${name}": { kind: codex } }`,
      `engines.${name}: an engine of this kind needs a name of letters, digits, dots, - and _ (64 at most, no dot first)`,
    ]),
    ["channels: { slack: {} }", "channels.slack.botToken: this is missing; expected text"],
    ["channels: { discord: {} }", "channels.discord.token: this is missing; expected text"],
    [
      "channels: { slack: { botToken: xoxb-1, signingSecret: s, port: 70000 } }",
      "channels.slack.port: expected a number of at most 65535",
    ],
    [
      "owner: { slack: sam }",
      expect.stringMatching(/^owner\.slack: expected a Slack member id such as U01OWNER, or T01/u),
    ],
    [
      "owner: { discord: 80351110224678912 }",
      expect.stringMatching(/^owner\.discord: expected a Discord user id in quotes/u),
    ],
    ['owner: { discord: "sam" }', expect.stringMatching(/^owner\.discord: expected a Discord user id in quotes/u)],
    ["engine: gpt", "engine: there is no engine of that name; `engines` has: demo"],
    ["- a\n- b", "the whole file: expected keys with values, found a list"],
  ])("G24: wrong type in %s", async (yaml, said) => {
    expect(await mistakes(yaml)).toEqual([said]);
  });

  const WAYS = "give appToken for Socket Mode, or signingSecret and port for HTTP";
  test.each([
    ["no way in", "botToken: xoxb-1", `appToken: this is missing; ${WAYS}`],
    [
      "two ways in",
      "botToken: xoxb-1, appToken: xapp-1, port: 3000",
      `appToken: ${WAYS}. Both are given: leave one out`,
    ],
    ["HTTP without a port", "botToken: xoxb-1, signingSecret: s", `port: this is missing; ${WAYS}`],
    ["HTTP without a secret", "botToken: xoxb-1, port: 3000", `signingSecret: this is missing; ${WAYS}`],
    [
      "a user token",
      "botToken: xoxp-1, appToken: xapp-1",
      /^botToken: this is a user token \(xoxp-\), which would speak as/u,
    ],
    [
      "both the same",
      "botToken: xapp-1, appToken: xapp-1",
      /^botToken: this is the app-level token, which belongs into/u,
    ],
    [
      "one that expires",
      "botToken: xoxe.xoxb-1, appToken: xapp-1",
      /^botToken: this token expires, since token rotation/u,
    ],
    [
      "another thing",
      "botToken: 8f742231, appToken: xapp-1",
      /^botToken: expected a bot token, which begins with xoxb-/u,
    ],
    [
      "no app token",
      "botToken: xoxb-1, appToken: xoxb-1",
      /^appToken: expected an app-level token, which begins with xapp/u,
    ],
  ])("G24, F21: Slack's keys together: %s", async (_, keys, said) => {
    const [line = "", ...rest] = await mistakes(`channels: { slack: { ${keys} } }`);
    expect(rest).toEqual([]);
    expect(line.replace("channels.slack.", "")).toMatch(said instanceof RegExp ? said : new RegExp(`^${said}$`, "u"));
    expect(line).not.toContain("8f742231");
  });

  test("G23, F21: a Slack token that is not set is told once, not as one of the wrong kind", async () => {
    expect(
      await mistakes('channels: { slack: { botToken: "${BOT}", appToken: "${APP}" } }', { APP: "xapp-1" }),
    ).toEqual([
      "channels.slack.botToken: the environment variable BOT is not set (a .env beside the config is read too)",
    ]);
  });

  test.each([
    ["owner: { name: Sam", "line 1, column"],
    ["a: 1\n\tb: 2", "line 2, column"],
    ["owner: { name: Sam }\nowner: {}", "line 2, column 1: Map keys must be unique"],
    ["owner: *nobody", "can't be read as YAML"],
    [
      `a: &a [x]\nb: &b [${"*a,".repeat(30)}]\nc: &c [${"*b,".repeat(30)}]\nd: [${"*c,".repeat(30)}]`,
      "can't be read as YAML",
    ],
  ])("G24: YAML that can't be read: %j", async (yaml, said) => {
    expect((await mistakes(yaml)).join("\n")).toContain(said);
  });

  test("G22, G23, G24: all mistakes are told at once, and none repeats a secret", async () => {
    const said = await mistakes(
      `engines: { a: { kind: openai, model: m, apiKey: sk-very-secret, prices: { inputPerMillion: x }, extra: 1 } }\nowner: { name: "\${GONE}" }`,
    );
    expect(said.map((line) => line.split(":")[0])).toEqual([
      "owner.name",
      "engines.a.prices.inputPerMillion",
      "engines.a.prices.outputPerMillion",
      "engines.a.extra",
    ]);
    expect(said.join()).not.toContain("sk-very-secret");
  });
});

describe("a config", () => {
  test("G26: is what --config names, else $TIDEGATE_CONFIG, else in this folder, else in the home folder", async () => {
    const home = join(place, "home");
    const cwd = join(place, "cwd");
    mkdirSync(cwd);
    const places = { cwd, home, env: {} };
    const nameOf = async (more: object): Promise<string> =>
      (await loadConfig({ ...places, ...more })).config.owner.name;
    expect((await loadConfig(places)).file).toBeUndefined();
    write("home/.tidegate/tidegate.yaml", "owner: { name: at home }");
    expect(await nameOf({})).toBe("at home");
    write("cwd/tidegate.yaml", "owner: { name: here }");
    expect(await nameOf({})).toBe("here");
    const env = { TIDEGATE_CONFIG: write("other.yaml", "owner: { name: by variable }") };
    expect(await nameOf({ env })).toBe("by variable");
    write("cwd/named.yaml", "owner: { name: by name }");
    expect(await nameOf({ env, file: "named.yaml" })).toBe("by name");
    await expect(loadConfig({ ...places, file: "gone.yaml" })).rejects.toMatchObject({
      code: "config-missing",
      message: `${join(cwd, "gone.yaml")} can't be read.`,
      hint: expect.stringContaining("./tidegate init"),
    });
  });

  test("G25: a .env beside it fills variables, and real ones win", async () => {
    write("here/.env", "A_TOKEN=from-file\nNAME=from-file\n");
    const { config, secrets } = await load(
      'owner: { name: "${NAME}" }\nchannels: { telegram: { token: "1:${A_TOKEN}" } }',
      {
        NAME: "from the shell",
      },
    );
    expect(config.owner.name).toBe("from the shell");
    expect(config.channels.telegram?.token).toBe("1:from-file");
    expect(secrets).toEqual(["1:from-file"]);
    expect(process.env["A_TOKEN"]).toBeUndefined();
  });

  test("G25, F7: every token and secret of a channel is known as one", async () => {
    const at = async (channels: string): Promise<Loaded> => await load(`channels: { ${channels} }`, { A: "xoxb-1" });
    const socket = await at(
      'slack: { botToken: "${A}", appToken: xapp-1 }, discord: { token: d-1 }, telegram: { token: "1:t" }',
    );
    const http = await at('slack: { botToken: "${A}", signingSecret: s-1, port: 3000 }');
    expect(socket.secrets).toEqual(["1:t", "xoxb-1", "xapp-1", "d-1"]);
    expect(http.secrets).toEqual(["xoxb-1", "s-1"]);
    expect(socket.config.channels.slack).toMatchObject({ host: "127.0.0.1", apiUrl: "https://slack.com/api/" });
    expect(socket.config.channels.discord).toMatchObject({
      messageContent: false,
      apiUrl: "https://discord.com/api",
    });
  });

  test("F8: ~ and relative paths are resolved, relative ones against the config file", async () => {
    const at = async (yaml: string): Promise<Loaded["config"]> => (await load(yaml)).config;
    expect(await at("data: ~/mine")).toMatchObject({
      data: join(place, "home/mine"),
      work: join(place, "home/mine/work"),
    });
    expect(await at("data: ../beside\nwork: files")).toMatchObject({
      data: join(place, "beside"),
      work: join(place, "here/files"),
    });
    expect(await at("data: /elsewhere")).toMatchObject({ data: "/elsewhere" });
    const { engines } = await at(
      "engines: { a: { kind: demo, work: here }, b: { kind: demo, work: ~/b }, c: { kind: demo } }",
    );
    expect(engines).toEqual({
      a: { kind: "demo", work: join(place, "here/here") },
      b: { kind: "demo", work: join(place, "home/b") },
      c: { kind: "demo" },
    });
  });

  test("F8: so are an engine's program and SDK; a program's bare name is left to the PATH", async () => {
    const { config } = await load(
      `engines:
  a: { kind: claude-code, command: ~/bin/claude, sdk: lib, work: here }
  b: { kind: codex, command: ../codex/bin/codex }
  c: { kind: codex, command: codex-next, work: ~/c }
  d: { kind: claude-code, command: claude }
  e: { kind: codex }
`,
    );
    expect(config.engines).toEqual({
      a: {
        kind: "claude-code",
        command: join(place, "home/bin/claude"),
        sdk: join(place, "here/lib"),
        work: join(place, "here/here"),
      },
      b: { kind: "codex", command: join(place, "codex/bin/codex") },
      c: { kind: "codex", command: "codex-next", work: join(place, "home/c") },
      d: { kind: "claude-code", command: "claude" },
      e: { kind: "codex" },
    });
  });

  test("G25: the keys of engines are secrets, and no child's environment has one", async () => {
    const { secrets } = await load(
      'engines: { a: { kind: claude-code, apiKey: "${A}" }, b: { kind: codex, apiKey: sk-codex-1 } }',
      { A: "sk-claude-1" },
    );
    expect(secrets).toEqual(["sk-claude-1", "sk-codex-1"]);
    await using watchdog = openWatchdog(realRandom);
    const env = { PATH: "/bin", LANG: "sk-codex-1", ANTHROPIC_API_KEY: "sk-claude-1", CODEX_HOME: "relative" };
    const host = engineHost({ env, home: place, data: join(place, "data"), secrets, watchdog });
    expect(host.env).toEqual({ PATH: "/bin" });
    expect(host).toMatchObject({ codexFolder: resolve("relative"), sessions: join(place, "data/engine-sessions") });
    expect(host).not.toHaveProperty("claudeFolder");
  });
});

const example = readFileSync(new URL("../../config/tidegate.example.yaml", import.meta.url), "utf8");
const env = {
  TELEGRAM_BOT_TOKEN: "1:a",
  SLACK_BOT_TOKEN: "xoxb-1",
  SLACK_APP_TOKEN: "xapp-1",
  SLACK_SIGNING_SECRET: "s-1",
  DISCORD_BOT_TOKEN: "d-1",
  OPENAI_API_KEY: "o-1",
  ANTHROPIC_API_KEY: "a-1",
  GEMINI_API_KEY: "g-1",
  NOTES_TOKEN: "n-1",
  TICKETS_TOKEN: "t-1",
};
/** The same with Slack over HTTP, whose keys stand there as a comment, since both ways at once are a mistake. */
const overHttp = example
  .replace(/^ +appToken: .*\n/mu, "")
  .replaceAll(/^( +)# (signingSecret|port|host): /gmu, "$1$2: ");

/** Every key of the schema, as a path; a name of the owner's choice is `*`. */
function keys(node: unknown, path: readonly string[] = []): string[] {
  if (typeof node !== "object" || node === null) return [];
  const { properties, additionalProperties, oneOf, anyOf } = node as Record<string, unknown>;
  const inner = [
    ...Object.entries(properties ?? {}).flatMap(([key, one]) => [
      [...path, key].join("."),
      ...keys(one, [...path, key]),
    ]),
    ...keys(additionalProperties, [...path, "*"]),
    ...[oneOf, anyOf].flatMap((shapes) => (Array.isArray(shapes) ? shapes.flatMap((shape) => keys(shape, path)) : [])),
  ];
  return [...new Set(inner)];
}

function stated(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    const named = path.length === 1 && (path[0] === "engines" || path[0] === "apps");
    const here = [...path, named ? "*" : key];
    // What an app is handed is the owner's to name.
    const free = path.length === 2 && (key === "env" || key === "headers");
    return [here.join("."), ...(free ? [] : stated(one, here))];
  });
}

describe("config/tidegate.example.yaml", () => {
  test("G45, F5: loads, and has every key that there is", async () => {
    const { config } = await load(example, env);
    expect(Object.values(config.engines).map(({ kind }) => kind)).toEqual([
      "demo",
      "openai",
      "anthropic",
      "google",
      "openai-compatible",
      "claude-code",
      "codex",
    ]);
    const shown = [example, overHttp].flatMap((yaml) => stated(parse(yaml)));
    expect([...new Set(shown)].toSorted()).toEqual(["apps.*", "engines.*", ...keys(configSchema())].toSorted());
    const { slack } = (await load(overHttp, env)).config.channels;
    expect(slack).toMatchObject({ signingSecret: "s-1", port: 3000, host: "127.0.0.1" });
  });

  test("F5: shows the defaults as they are", async () => {
    const defaults = configShape.parse({});
    const shown = configShape.parse(parse(example));
    expect(shown).toMatchObject({
      data: defaults.data,
      access: defaults.access,
      mode: defaults.mode,
      checkAfterReading: defaults.checkAfterReading,
      joinWithinMs: defaults.joinWithinMs,
      engines: defaults.engines,
      owner: { name: defaults.owner.name },
    });
    const bare = configShape.parse({ channels: { telegram: { token: "x" } } });
    expect(shown.channels.telegram?.apiRoot).toBe(bare.channels.telegram?.apiRoot);
    const apps = configShape.parse({
      channels: { slack: { botToken: "xoxb-1", appToken: "xapp-1" }, discord: { token: "x" } },
    });
    expect(shown.channels.slack?.apiUrl).toBe(apps.channels.slack?.apiUrl);
    expect(configShape.parse(parse(overHttp)).channels.slack?.host).toBe(apps.channels.slack?.host);
    expect({ ...shown.channels.discord, token: "x" }).toEqual(apps.channels.discord);
    const [asShown, leftOut] = [(await load(example, env)).config, (await load("")).config];
    expect([asShown.work, asShown.skills]).toEqual([leftOut.work, leftOut.skills]);
  });

  test("F10: comments every block, and speaks of ./tidegate", () => {
    for (const block of example.split("\n\n"))
      expect(block.trim().startsWith("#") || /\n\s*#/u.test(`\n${block}`)).toBe(true);
    expect(example).not.toMatch(/(?<!\.\/)\btidegate (?:start|init|doctor)\b/u);
  });
});

test("G45: config/schema.json is what `npm run schema` writes", () => {
  const written = readFileSync(new URL("../../config/schema.json", import.meta.url), "utf8");
  expect(written, "stale: run npm run schema").toBe(`${JSON.stringify(configSchema(), undefined, 2)}\n`);
});
