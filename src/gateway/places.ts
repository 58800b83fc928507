// Places that are closed to every tool of every engine, in every mode.
import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";

/** Which places tools are kept from. */
export type Places = {
  /**
   * Whether all of a call's paths lie in the conversation's own work folder, and whether any of them is, lies in or holds a
   * closed place. Paths may be relative to the work folder, start with `~`, lead through links, or not exist yet.
   */
  readonly judge: (
    paths: readonly string[],
    workFolder: string,
  ) => Promise<{ readonly inside: boolean; readonly closed: boolean }>;
  /**
   * Whether a shell command's text speaks of a closed place. A help against what is said openly, and no sandbox: a shell can
   * put a name together in ways that no reading of its text finds.
   */
  readonly namesClosed: (command: string) => boolean;
};

/** Claude Code's file in the home folder; the program's own copies of it lie beside it, under names that begin so. */
const CLAUDE_FILE = ".claude.json";
/** Where engines keep their own sessions and sign-ins, in the home folder. */
const ENGINE_STORES = [
  ...[".claude", CLAUDE_FILE, ".codex", ".gemini", ".copilot", ".config/github-copilot", ".grok", ".qwen", ".kimi"],
  ...[".local/share/opencode", ".config/opencode", ".tidegate"],
];

/** What the homes of Codex's runs are called, in the folder for temporary files: each holds a sign-in while its run lasts. */
const RUN_HOMES = "tidegate-codex-";
/** Where engines keep sessions in the data folder, and the variables that name their own folders: a command may say just these. */
const NAMES = ["engine-sessions", "CLAUDE_CONFIG_DIR", "CODEX_HOME"];

/** The longest path that Linux takes, in bytes; counted in units here, since no tool needs half of it. */
const MAX_PATH_UNITS = 4096;
/** As many as Linux follows. */
const MAX_LINKS = 40;

/** A place or a path as it is written, and as it really is. */
type Forms = { readonly written: string; readonly real: string };

/** A closed place. `family`: whatever has a name that begins so. */
type Root = { readonly path: string; readonly family?: true };

/** The closed places of this gateway. Absolute paths; `launcher` is the `tidegate` command's file. */
export function closedPlaces(where: {
  readonly data: string;
  /** Undefined when there is none. */
  readonly configFile: string | undefined;
  readonly home: string;
  readonly launcher: string;
  /** The engines' own folders where variables of theirs name others than those in the home folder. */
  readonly claudeFolder?: string;
  readonly codexFolder?: string;
  /** The folder for temporary files. */
  readonly temporary: string;
}): Places {
  const home = resolve(where.home);
  const { configFile, claudeFolder, codexFolder } = where;
  const folders = [
    // What runs here shows its memory, files and environment there.
    ...[where.data, where.launcher, "/proc"],
    ...(configFile === undefined ? [] : [configFile, join(dirname(resolve(configFile)), ".env")]),
    ...ENGINE_STORES.map((store) => join(home, store)),
    ...[claudeFolder, codexFolder].filter((folder) => folder !== undefined),
  ].map((root) => resolve(root));
  const roots: readonly Root[] = [
    ...folders.map((path) => ({ path })),
    { path: join(home, CLAUDE_FILE), family: true },
    { path: join(resolve(where.temporary), RUN_HOMES), family: true },
  ];

  const judgeOne = async (path: string, work: Forms, closed: readonly (Root & Forms)[]): Promise<Verdict> => {
    const full = fullPath(path, work.written, home);
    if (full === undefined) return REFUSED;
    const written = resolve(full);
    // The system follows a link before it takes `..`; programs that tidy a path first do it the other way round.
    const reals = [await realPath(full), await realPath(written)];
    return {
      inside: reals.every((real) => within(real, work.real)),
      closed: closed.some(
        (root) =>
          closes(root, root.written, written, [work.written, work.real]) ||
          reals.some((real) => closes(root, root.real, real, [work.real])),
      ),
    };
  };

  return {
    async judge(paths, workFolder) {
      if (paths.length === 0) return { inside: false, closed: false };
      if (!isAbsolute(workFolder)) return REFUSED;
      try {
        const work = await formsOf({ path: workFolder });
        const closed = await Promise.all(roots.map(async (root) => ({ ...root, ...(await formsOf(root)) })));
        const asked = paths.flatMap((path) => [path, ...spread(path)]);
        const verdicts = await Promise.all(asked.map((path) => judgeOne(path, work, closed)));
        return {
          inside: verdicts.every(({ inside }) => inside),
          closed: verdicts.some(({ closed }) => closed),
        };
      } catch {
        // A place that can't be looked at may be any place.
        return REFUSED;
      }
    },
    namesClosed: namer(folders, home, where.launcher),
  };
}

type Verdict = { readonly inside: boolean; readonly closed: boolean };

/** Unknown means refuse. */
const REFUSED: Verdict = { inside: false, closed: true };

async function formsOf({ path, family }: Root): Promise<Forms> {
  const written = resolve(path);
  // What the family's name begins with is no file: only its folder can be a link.
  const real = family === true ? join(await realPath(dirname(written)), basename(written)) : await realPath(written);
  return { written, real };
}

/**
 * What a path may mean where it is read as a pattern: each choice of its braces, and the folder of which a wildcard may take anything.
 * A file may be named so too, so the path as it is counts besides.
 */
function spread(path: string): readonly string[] {
  if (!/[*?[{]/u.test(path)) return [];
  return choices(path).flatMap((one) => {
    const [before = ""] = one.split(/[*?[]/u, 1);
    if (before === one) return [one];
    // A wildcard may stand for a link, so nobody can say where the way back from it leads.
    if (one.slice(before.length).split("/").includes("..")) return [UNKNOWN];
    const folder = before.slice(0, before.lastIndexOf("/") + 1);
    return [folder === "" ? "." : folder];
  });
}

/** A path that is refused. */
const UNKNOWN = "";
const MAX_CHOICES = 64;

/** The path with each choice of its innermost braces, and so on until none are left. */
function choices(path: string): readonly string[] {
  let all = [path];
  for (;;) {
    const next = all.flatMap((one) => {
      const [braces, inner] = /\{([^{}]{0,4096})\}/u.exec(one) ?? [];
      return braces === undefined || inner === undefined
        ? [one]
        : inner.split(",").map((x) => one.replace(braces, () => x));
    });
    if (next.length > MAX_CHOICES) return [UNKNOWN];
    if (next.length === all.length && next.every((one, at) => one === all[at])) return all;
    all = next;
  }
}

/** The path from the root on, its `..` still in it; undefined when nobody can say what a tool would make of it. */
function fullPath(path: string, work: string, home: string): string | undefined {
  if (path === "" || path.length > MAX_PATH_UNITS || path.includes("\0")) return undefined;
  // An address, or the home of someone else.
  if (/^[a-z][a-z\d+.-]*:\/\//iu.test(path) || /^~[^/]/u.test(path)) return undefined;
  if (path.startsWith("~")) return home + path.slice(1);
  return isAbsolute(path) ? path : `${work}${sep}${path}`;
}

/** The real path of what is there, with the rest of the path behind it. Throws when it can't be found out. */
async function realPath(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || links > MAX_LINKS) throw error;
  }
  const folder = dirname(path);
  if (folder === path) return path;
  const target = await readlink(path).catch(() => undefined);
  // A link to what is not there yet: writing to it makes its target.
  if (target !== undefined) return await realPath(isAbsolute(target) ? target : `${folder}${sep}${target}`, links + 1);
  return join(await realPath(folder, links), basename(path));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/**
 * Whether a closed root closes the path: it is in the root, or holds it, since reading a folder reads what is in it. Only the
 * work folder inside a root is open. Some disks take `.Claude` for `.claude`, so case does not count.
 */
function closes({ family }: Root, root: string, path: string, works: readonly string[]): boolean {
  const [closed, asked] = [root.toLowerCase(), path.toLowerCase()];
  if (family === true) return asked.startsWith(closed) || within(dirname(closed), asked);
  if (works.some((work) => work !== root && within(work, root) && within(path, work))) return false;
  return within(asked, closed) || within(closed, asked);
}

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function namer(roots: readonly string[], home: string, launcher: string): (command: string) => boolean {
  const names = roots.map((root) => basename(root)).filter((name) => name.startsWith("."));
  // A store with an ordinary name in a hidden folder is known by both.
  const pairs = roots
    .filter((root) => within(root, home))
    .map((root) => root.slice(home.length + 1))
    .filter((rest) => rest.startsWith(".") && rest.includes("/"))
    .map((rest) => rest.split("/").slice(-2).join("/"));
  const words = new Set(["tidegate", basename(launcher), ...names, ...pairs, ...NAMES].map(literally));
  const pattern = new RegExp(
    `(?:${roots.map(literally).join("|")})(?![\\w-])|(?<![\\w.-])(?:${[...words].join("|")})(?![\\w-])|${literally(RUN_HOMES)}`,
    "i",
  );
  return (command) => {
    // As the shell would see it: without quotes and escapes, the home folder by its name, no doubled or idle parts.
    const plain = command
      .replaceAll(/["'\\]/g, "")
      .replaceAll(/\$HOME\b|\$\{HOME\}|(?<![\w./-])~(?=\/|\s|$)/giu, () => home)
      .replaceAll(/\/(?:\.?\/)+/g, "/");
    return pattern.test(plain);
  };
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
