// Whatever an engine's own tool says that it is about to do: it never just may where a closed place is touched or could be.
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MODES } from "../../src/core/taint.ts";
import type { OwnUse } from "../../src/core/tool.ts";
import { engineHost } from "../../src/gateway/engine-host.ts";
import { closedPlaces, type Places } from "../../src/gateway/places.ts";
import { realRandom } from "../../src/gateway/real.ts";
import { openWatchdog } from "../../src/gateway/watchdog.ts";
import type { Standing } from "../../src/taint/guard.ts";
import { COLUMNS } from "../../src/taint/table.ts";
import { toolbox } from "../../src/turn/toolbox.ts";
import { standingsOf } from "../taint/standings.ts";

let root = "";
let work = "";
let places: Places;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "canary-")));
  const [home, data] = [join(root, "home"), join(root, "data")];
  work = join(data, "work", "c1");
  await mkdir(work, { recursive: true });
  await mkdir(home);
  await using watchdog = openWatchdog(realRandom);
  const env = { CLAUDE_CONFIG_DIR: join(root, "variable-claude"), CODEX_HOME: join(root, "variable-codex") };
  const host = engineHost({ env, home, data, secrets: [], watchdog });
  const launcher = join(root, "bin", "tidegate");
  places = closedPlaces({ ...host, data, configFile: join(root, "conf", "tidegate.yaml"), launcher });
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Every place with something in it that no tool may read. */
const CLOSED: readonly (readonly [what: string, path: () => string])[] = [
  ["the log", () => join(root, "data", "tidegate.db")],
  ["the settings", () => join(root, "data", "settings.db")],
  ["another chat's files", () => join(root, "data", "work", "c2", "a.txt")],
  ["a session that Claude Code keeps", () => join(root, "data", "engine-sessions", "claude-code", "c", "x.jsonl")],
  ["a session that Codex keeps", () => join(root, "data", "engine-sessions", "codex", "c", "x.jsonl")],
  ["the config", () => join(root, "conf", "tidegate.yaml")],
  [".env", () => join(root, "conf", ".env")],
  ["the command", () => join(root, "bin", "tidegate")],
  ...[
    ...[".claude/.credentials.json", ".claude.json", ".codex/auth.json", ".gemini/oauth_creds.json"],
    ...[".copilot/config.json", ".config/github-copilot/apps.json", ".grok/auth.json", ".qwen/oauth_creds.json"],
    ...[
      ".kimi/config.toml",
      ".local/share/opencode/auth.json",
      ".config/opencode/opencode.json",
      ".tidegate/tidegate.yaml",
    ],
  ].map((store) => [`~/${store}`, () => join(root, "home", store)] as const),
  ["where CLAUDE_CONFIG_DIR leads", () => join(root, "variable-claude", ".credentials.json")],
  ["where CODEX_HOME leads", () => join(root, "variable-codex", "auth.json")],
  ["the home of a Codex run", () => join(tmpdir(), "tidegate-codex-a1B2c3", "auth.json")],
  ["a process's environment", () => "/proc/self/environ"],
];

/** The ways in which a tool may name a path: its kind, and what the adapter says of it. */
function usesOf(path: string): readonly OwnUse[] {
  const use = (more: Partial<OwnUse> & Pick<OwnUse, "does">): OwnUse => ({ id: "1", name: "Own", input: {}, ...more });
  const named = [path, relative(work, path)];
  return [
    ...named.flatMap((one) =>
      (["read", "write", "command", "fetch", "search", "other"] as const).map((does) => use({ does, paths: [one] })),
    ),
    // Among others, and by what holds it.
    use({ does: "read", paths: ["notes.md", path] }),
    use({ does: "read", paths: [join(path, "..")] }),
    use({ does: "read", paths: [join(path, "..", "*")] }),
    // Said in the command alone, plainly, or not at all; the sandbox keeps none of these three out.
    ...[`cat ${path}`, `cat "${path}" | base64`, "cat $(printf %s L3RtcA== | base64 -d)"].map((command) =>
      use({ does: "command", command, paths: ["."] }),
    ),
    use({ does: "command" }),
    // The adapter does not say what it touches.
    use({ does: "read", input: { path } }),
    use({ does: "write", input: { path } }),
    use({ does: "other", input: { path } }),
    ...[pathToFileURL(path).href, `file:${path}`, `FILE://localhost${path}`].map((url) =>
      use({ does: "fetch", input: { url, prompt: "What is in it?" } }),
    ),
  ];
}

/** Each mode in each column; which marks and rooms make a column is the guard's own test. */
const standings: readonly Standing[] = COLUMNS.flatMap((column) => standingsOf(column).slice(0, 2 * MODES.length));

/** What a turn of this standing says to a use: `asked` when only the owner's press lets it through. */
async function outcome(
  use: OwnUse,
  standing: Standing,
  judged: Awaited<ReturnType<Places["judge"]>>,
): Promise<"allow" | "asked" | "always" | "deny"> {
  let asked: "asked" | "always" | undefined;
  const box = await toolbox([], {
    conversation: "c",
    turn: "t",
    workFolder: work,
    standing: async () => standing,
    given: new Set(["Own"]),
    // Looked at on the disk once for all standings.
    places: { ...places, judge: async () => judged },
    signal: new AbortController().signal,
    said: () => [],
    append: async () => true,
    ask: async ({ always }) => {
      asked = always ? "always" : "asked";
      return "once";
    },
  });
  const { is } = await box.allow(use);
  return is === "deny" ? "deny" : (asked ?? "allow");
}

describe("A20: a canary in every closed place", () => {
  test.each(CLOSED)(
    "%s is never just given to a tool of an engine's own, in any mode, with anyone there or nobody",
    async (_, path) => {
      const found = new Set<string>();
      for (const use of usesOf(path())) {
        const judged = await places.judge(use.paths ?? [], work);
        for (const standing of standings) {
          const is = await outcome(use, standing, judged);
          const { id: _id, ...what } = use;
          // A path that is named is refused; where only the owner can tell, the owner is asked, each time.
          const wanted = (use.paths ?? []).some((one) => one !== "." && one !== "notes.md")
            ? ["deny"]
            : ["deny", "asked"];
          if (!wanted.includes(is))
            found.add(`${is}: ${JSON.stringify(what)} in mode ${standing.mode} for ${standing.attendance}`);
        }
      }
      expect([...found]).toEqual([]);
    },
  );

  test("the same uses of a file of the chat's own are not all refused", async () => {
    const owner = standingsOf("clean").find(({ mode }) => mode === "trust");
    if (owner === undefined) throw new Error("There is no such standing");
    const is = await Promise.all(
      usesOf(join(work, "notes.md")).map(
        async (use) => await outcome(use, owner, await places.judge(use.paths ?? [], work)),
      ),
    );
    expect(is.filter((one) => one === "allow").length).toBeGreaterThan(5);
    expect(is).toContain("asked");
  });
});
