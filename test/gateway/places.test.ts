import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Places, closedPlaces } from "../../src/gateway/places.ts";

let root = "";
let home = "";
let data = "";
let work = "";
let places: Places;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "places-")));
  home = join(root, "home");
  data = join(home, "tg", "data");
  work = join(data, "work", "c1");
  await mkdir(work, { recursive: true });
  await mkdir(join(data, "work", "c2"));
  await mkdir(join(home, ".claude"));
  await mkdir(join(root, "bin"));
  await mkdir(join(root, "elsewhere"));
  await mkdir(join(work, "sub"));
  await Promise.all([
    writeFile(join(home, "tg", "tidegate.yaml"), ""),
    writeFile(join(home, "tg", ".env"), ""),
    writeFile(join(data, "tidegate.db"), ""),
    writeFile(join(work, "notes.md"), ""),
    writeFile(join(root, "bin", "start"), ""),
    symlink(join(root, "bin", "start"), join(root, "bin", "tidegate")),
    symlink(join(home, ".claude"), join(work, "to-claude")),
    symlink(join(root, "temporary", "tidegate-codex-x"), join(work, "to-run")),
    symlink("../../tidegate.db", join(work, "to-db")),
    symlink(join(home, ".codex", "new.json"), join(work, "to-nothing-yet")),
    symlink(join(root, "elsewhere"), join(work, "to-elsewhere")),
    symlink("sub", join(work, "to-sub")),
    symlink("loop-b", join(work, "loop-a")),
    symlink("loop-a", join(work, "loop-b")),
    symlink(data, join(root, "data-link")),
    symlink(join(root, "elsewhere"), join(home, ".claude", "out")),
  ]);
  places = closedPlaces({
    data,
    configFile: join(home, "tg", "tidegate.yaml"),
    home,
    launcher: join(root, "bin", "tidegate"),
    claudeFolder: join(root, "own-claude"),
    codexFolder: join(root, "own-codex"),
    temporary: join(root, "temporary"),
  });
});

afterAll(() => rm(root, { recursive: true, force: true }));

const OPEN = { inside: true, closed: false };
const OUTSIDE = { inside: false, closed: false };
const CLOSED = { inside: false, closed: true };

describe("judging paths", () => {
  it.each([
    "notes.md",
    "./sub/../notes.md",
    "new/folder/file.txt",
    ".",
    "to-sub/x",
    ".claude/settings.json",
    "sub/.env",
    "..notes",
    "**/*.{ts,tsx}",
    "{sub,src}/[...all].ts",
    "what?.md",
  ])("A20: the conversation's own work folder is open, though it lies in the data folder: %s", async (path) => {
    await expect(places.judge([path], work)).resolves.toEqual(OPEN);
    await expect(places.judge([join(work, path)], work)).resolves.toEqual(OPEN);
  });

  it.each([
    ["the data folder", () => data],
    ["what is in it", () => join(data, "tidegate.db")],
    ["what is not in it yet", () => join(data, "x", "y")],
    ["another conversation's folder", () => "../c2"],
    ["a file in another conversation's folder", () => join(data, "work", "c2", "a")],
    ["all conversations' folders", () => ".."],
    ["a folder whose name only begins like ours", () => `${work}2`],
    ["the config", () => "~/tg/tidegate.yaml"],
    [".env", () => join(home, "tg", ".env")],
    ["a folder that holds a closed one", () => "~/tg"],
    ["home", () => "~"],
    ["the root", () => "/"],
    ["the command", () => join(root, "bin", "tidegate")],
    ["the file behind the command", () => join(root, "bin", "start")],
    ["a closed place in other case", () => "~/.Claude/x"],
    ["the way back through the folder", () => "sub/../../../tidegate.db"],
    ["a data folder reached by a link", () => join(root, "data-link", "tidegate.db")],
    ["a link to a closed folder", () => "to-claude"],
    ["a file behind a link", () => "to-claude/.credentials.json"],
    ["a relative link", () => "to-db"],
    ["a link to what is not there yet in a closed place", () => "to-nothing-yet"],
    ["a way out that only the system sees", () => "to-claude/../.codex/auth.json"],
    ["a way out that only a tidied path has", () => "missing/../to-db"],
    ["a link in a closed place that leads out of it", () => "~/.claude/out/x"],
    ["a way round by /proc", () => `/proc/self/root${data}`],
    ["the environment of a process", () => "/proc/1/environ"],
    ["what a process has open", () => `/proc/${process.pid}/fd/1`],
    ["the sessions that engines keep", () => join(data, "engine-sessions", "codex", "c", "x.jsonl")],
    ["the folder that CLAUDE_CONFIG_DIR names", () => join(root, "own-claude", ".credentials.json")],
    ["the folder that CODEX_HOME names", () => join(root, "own-codex", "auth.json")],
    ["the home of a Codex run", () => join(root, "temporary", "tidegate-codex-a1B2c3", "auth.json")],
    ["the home of a run itself", () => join(root, "temporary", "tidegate-codex-a1B2c3")],
    ["the home of a run in other case", () => join(root, "Temporary", "Tidegate-Codex-a1")],
    ["the folder that holds the homes of runs", () => join(root, "temporary")],
    ["a link to the home of a run", () => "to-run/auth.json"],
    ["a wildcard that may take a store", () => "~/.cl*"],
    ["a wildcard that may take the home of a run", () => join(root, "temporary", "*", "auth.json")],
    ["a wildcard further on", () => "~/.claude/**/*.json"],
    ["a choice of folders", () => "~/{Documents,.codex}/x"],
    ["a choice that makes the way back", () => ".{,x}./c2/a"],
    ["a way back behind a wildcard", () => "*/../../c2"],
    ["more choices than anyone means", () => `{a,b}`.repeat(7)],
  ])("A20: closed: %s", async (_, path) => {
    await expect(places.judge([path()], work)).resolves.toEqual(CLOSED);
  });

  it.each([
    ...[".claude", ".claude.json", ".codex/auth.json", ".gemini", ".copilot", ".config/github-copilot/apps.json"],
    ...[".claude.json.backup", ".claude.json.backup.1764500000000", ".claude.json.tmp.4711", ".Claude.json.lock"],
    ...[".grok", ".qwen", ".kimi", ".local/share/opencode/auth.json", ".config/opencode", ".tidegate"],
  ])("A20: closed: an engine's own store %s, whether it is there or not", async (store) => {
    await expect(places.judge([`~/${store}`], work)).resolves.toEqual(CLOSED);
    await expect(places.judge([relative(work, join(home, store))], work)).resolves.toEqual(CLOSED);
  });

  it.each([
    ["an empty path", ""],
    ["a NUL byte", "notes.md\0.txt"],
    ["an endless path", "a/".repeat(2050)],
    ["a name too long for any disk", "a".repeat(300)],
    ["a loop of links", "loop-a/x"],
    ["the home of someone else", "~root/x"],
    ["an address", "file:///etc/passwd"],
  ])("A20: what can't be understood is refused: %s", async (_, path) => {
    await expect(places.judge([path], work)).resolves.toEqual(CLOSED);
  });

  it("A20: other places are outside but not closed, also by a link in the work folder", async () => {
    for (const path of [
      join(root, "elsewhere"),
      "~/Documents/a.txt",
      "to-elsewhere/a",
      "/etc/hosts",
      `${home}/tg/database`,
      `${root}/own-claude-notes`,
      `${root}/temporary/tidegate-code`,
      `${root}/elsewhere/*.txt`,
    ])
      await expect(places.judge([path], work)).resolves.toEqual(OUTSIDE);
  });

  it("A20: all paths must be inside, and one closed one is enough", async () => {
    await expect(places.judge(["notes.md", "sub"], work)).resolves.toEqual(OPEN);
    await expect(places.judge(["notes.md", "/etc/hosts"], work)).resolves.toEqual(OUTSIDE);
    await expect(places.judge(["notes.md", "to-db"], work)).resolves.toEqual(CLOSED);
    await expect(places.judge([], work)).resolves.toEqual(OUTSIDE);
  });

  it("A20: a work folder that is the data folder, holds it, or is unknown opens nothing closed", async () => {
    await expect(places.judge(["tidegate.db"], data)).resolves.toMatchObject({ closed: true });
    await expect(places.judge([".claude/x"], home)).resolves.toMatchObject({ closed: true });
    await expect(places.judge(["Documents/x"], home)).resolves.toEqual(OPEN);
    await expect(places.judge(["x"], "")).resolves.toEqual(CLOSED);
  });

  it("A20: a work folder named by a link is the folder behind it", async () => {
    const linked = join(root, "data-link", "work", "c1");
    await expect(places.judge(["notes.md", join(work, "sub")], linked)).resolves.toEqual(OPEN);
    await expect(places.judge(["../c2"], linked)).resolves.toEqual(CLOSED);
  });

  it("A20: whatever a path is, an answer comes, and never both inside and in the data folder", async () => {
    const part = fc.constantFrom(
      "..",
      ".",
      "",
      "sub",
      "to-sub",
      "to-db",
      "to-claude",
      "~",
      "work",
      "c2",
      "missing",
      "c1",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const path = parts.join("/");
        const { inside, closed } = await places.judge([path], work);
        expect(inside && closed).toBe(false);
        const real = await realpath(path.startsWith("/") ? path : `${work}/${path}`).catch(() => work);
        if (!path.startsWith("~") && path !== "" && !real.startsWith(work)) expect(inside).toBe(false);
      }),
    );
  });
});

describe("a command's text", () => {
  it.each([
    ["the data folder", () => `cat ${data}/tidegate.db`],
    ["it by home", () => "ls ~/tg/data"],
    ["it by $HOME", () => "sqlite3 $HOME/tg/data/tidegate.db"],
    ["it by ${HOME}", () => 'cat "${HOME}"/tg/data/x'],
    ["it with doubled strokes", () => `cat ${home}//tg/./data/x`],
    ["the config", () => "cat ~/tg/tidegate.yaml"],
    [".env", () => "cp .env /tmp/x"],
    ["a store", () => "tar c ~/.claude"],
    ["a store from inside home", () => "cd; cat .codex/auth.json"],
    ["a store in other case", () => "cat ~/.CLAUDE/x"],
    ["a store in quotes", () => `cat ~/.cl''aude "/x"`],
    ["a store with escapes", () => String.raw`cat ~/\.claude.json`],
    ["a store in a hidden folder", () => "cd ~ && cat .config/opencode/x"],
    ["a store in a folder of its own", () => "ls ~/.local/share/opencode"],
    ["the command", () => "tidegate data erase"],
    ["the command later in the line", () => "true;Tidegate --help"],
    ["the command by its place", () => "./tidegate"],
    ["the sessions that engines keep", () => "cd tg; tar c engine-sessions"],
    ["a folder of a program's own", () => `ls ${root}/own-codex`],
    ["it by its variable", () => 'cat "$CLAUDE_CONFIG_DIR/.credentials.json"'],
    ["it by its variable in braces", () => "cat ${CODEX_HOME}/auth.json"],
    ["the home of a run", () => "cat /tmp/tidegate-codex-*/auth.json"],
    ["a store as an option's value", () => `grep -f${home}/.claude.json x`],
  ])("A20: is seen to name %s", (_, command) => {
    expect(places.namesClosed(command())).toBe(true);
  });

  it.each([
    "ls -la",
    "node -e 'process.env.PATH'",
    "cat environment.env2",
    "npm run tidegates",
    "ls ~/Documents",
    "cat .envrc",
    "git log",
  ])("A20: names nothing closed: %s", (command) => {
    expect(places.namesClosed(command)).toBe(false);
  });
});
