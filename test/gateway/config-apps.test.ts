// Apps and skills in the config: what is said of mistakes, what is a secret, and that a whole app list comes of it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appSecrets, readApps } from "../../src/gateway/apps.ts";
import { loadConfig, type Loaded } from "../../src/gateway/config-file.ts";
import { entryOf } from "../wire/mcp-stage.ts";

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "tidegate-config-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

async function load(yaml: string, env: Record<string, string> = {}): Promise<Loaded> {
  const file = join(place, "tidegate.yaml");
  writeFileSync(file, yaml);
  return await loadConfig({ file, env, cwd: place, home: join(place, "home") });
}
const refused = async (yaml: string): Promise<string> =>
  await load(yaml).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.message : ""),
  );

describe("a mistake", () => {
  it.each([
    ["apps: { notes: { comand: [x] } }", "apps.notes.comand: there is no such key. Did you mean command?"],
    [
      "apps: { notes: { url: https://x.example, header: {} } }",
      "apps.notes.header: there is no such key. Did you mean headers?",
    ],
    ["apps: { notes: {} }", "apps.notes: give either a command or a url"],
    ["apps: { notes: { command: [x], url: https://x.example } }", "apps.notes: give either a command or a url"],
    ["apps: { notes: { command: x } }", "apps.notes.command: expected a list, found text"],
    ["apps: { notes: { command: [x], connected: maybe } }", "apps.notes.connected: expected true or false, found text"],
    [
      "apps: { notes: { url: file:///etc/passwd } }",
      "apps.notes.url: expected an address that begins with http:// or https://",
    ],
    ["apps: { notes: { url: here } }", "apps.notes.url: expected an address that begins with http:// or https://"],
    [
      'apps: { notes: { command: [x], env: { A: "${NOT_SET}" } } }',
      "apps.notes.env.A: the environment variable NOT_SET is not set",
    ],
    ["skill: x", "skill: there is no such key. Did you mean skills?"],
    ["skills: [x]", "skills: expected text, found a list"],
    ["app: {}", "app: there is no such key. Did you mean apps?"],
  ])("G44, G45: %s", async (yaml, words) => {
    expect(await refused(yaml)).toContain(words);
  });

  it.each(["Notes", "no_tes", "a--b", "-a", "a.b", "x".repeat(65), "a b"])(
    "A43, G44: %s names no app: its tools could be called like others",
    async (name) => {
      expect(await refused(`apps: { "${name}": { command: [x] } }`)).toContain(`apps.${name}: `);
    },
  );
});

describe("what comes of it", () => {
  it("F5: env and headers from variables are secrets, alone or within other words; what stands there itself is not", async () => {
    const yaml = `
apps:
  notes: { command: [x, "\${ARGUMENT}"], env: { A: "\${NOTE_TOKEN}", B: plain-words, C: "\${HOME}/notes" }, tagline: "\${TAGLINE}" }
  far: { url: "https://x.example?key=\${ADDRESS_KEY}", headers: { Authorization: "Bearer \${FAR_TOKEN}" } }
`;
    const env = {
      NOTE_TOKEN: "n-123456",
      FAR_TOKEN: "f-123456",
      ARGUMENT: "an-argument",
      TAGLINE: "a-tagline",
      HOME: "/home/sam",
    };
    const all = { ...env, ADDRESS_KEY: "k-123456" };
    const { secrets, config } = await load(yaml, all);
    // By themselves: they are taken out of texts wherever they stand.
    expect(secrets).toEqual(["n-123456", "k-123456", "f-123456"]);
    expect(config.apps["far"]?.headers).toEqual({ Authorization: "Bearer f-123456" });
  });

  it("F5: the keys and secrets that apps take from variables are secrets too; a client's id is none", () => {
    const client = { idKey: "ID", secretKey: "SECRET" };
    const entries = [
      entryOf("a", { kind: "stdio", command: ["x"], keys: ["KEY", "UNSET"] }),
      entryOf("b", { kind: "http", url: "https://x.example", signIn: true, client }),
      entryOf("c", { kind: "http", url: "https://x.example", signIn: false }),
    ];
    expect(appSecrets(entries, { KEY: "k-1", ID: "i-1", SECRET: "s-1", OTHER: "o-1" })).toEqual(["k-1", "s-1"]);
  });

  it("F5: the folder that an app is given in its command is no secret: answers and cards about its files say where they are", async () => {
    const folders = { TIDEGATE_FILES: "/home/sam/documents", OBSIDIAN_VAULT: "/home/sam/vault" };
    expect(appSecrets(await readApps({}), folders)).toEqual([]);
  });

  it("O3: own apps stand behind the shipped ones, and one of the same name takes a shipped one's place", async () => {
    const { config } = await load(
      "apps: { memory: { command: [x], connected: true }, mine: { url: https://x.example } }",
    );
    const [shipped, all] = [await readApps({}), await readApps(config.apps)];
    expect(shipped.length).toBeGreaterThanOrEqual(25);
    expect(shipped.every(({ reviewed }) => reviewed)).toBe(true);
    expect(all.map(({ id }) => id)).toEqual([
      ...shipped.map(({ id }) => id).filter((id) => id !== "memory"),
      "memory",
      "mine",
    ]);
    expect(all.at(-2)).toMatchObject({ id: "memory", reviewed: false, annotations: false, connected: true });
    expect(all.at(-1)).toMatchObject({ tagline: "An app of your own", connect: { kind: "http", signIn: true } });
  });

  it("G45: skills lie in the data folder unless the config names another, from where it stands", async () => {
    expect((await load("data: here")).config.skills).toBe(join(place, "here", "skills"));
    expect((await load("skills: mine")).config.skills).toBe(join(place, "mine"));
    expect((await load("skills: ~/mine")).config.skills).toBe(join(place, "home", "mine"));
  });
});
