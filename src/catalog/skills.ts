// Skills: standard folders of instructions, each with a SKILL.md. Whose they are can't be told from a folder, so each starts off, and
// is off again when anything in its folder has changed.
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, readdir, readFile, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import type { Clock } from "../core/surroundings.ts";
import { clipGraphemes, clipUnits, oneLine } from "../core/text.ts";
import type { Settings } from "../store/port.ts";
import { mayInWords, readSkillFile, type SkillFile } from "./front-matter.ts";
import type { Item, TurnedOn } from "./port.ts";

/** The skills of a folder. */
export type Skills = {
  /** In the order of their names; the same array until something changes. Asked for, it has the folder looked at again in a while. */
  readonly items: readonly Item[];
  /** Looks at the folder now; one that can't be read has no skills. Throws only when the store fails. */
  refresh(): Promise<void>;
  /** Sets when a skill is used, and agrees to its folder as it is now. */
  turnOn(id: string, how: "on" | "asked"): Promise<TurnedOn>;
  turnOff(id: string): Promise<void>;
  /** Its instructions, as they were agreed to; undefined when there is none of that id, it is off, or was changed. */
  skill(id: string): Promise<string | undefined>;
};

/** What is kept of a skill that is not off: under which digest of its folder that was said. */
type Kept = { readonly mode: "on" | "asked"; readonly digest: string };
/** A folder as found. `trouble`: it is no skill, in words for people. */
type Found = { readonly id: string; readonly print: string; readonly digest: string } & (
  | { readonly file: SkillFile }
  | { readonly trouble: string }
);

const SETTING = "skill/";
/** A changed folder is noticed after this long at the latest. */
const LOOK_EVERY_MS = 3_000;
const MAX_SKILLS = 200;
const MAX_FILE_BYTES = 100_000;
const MAX_FILES = 500;
const MAX_FOLDER_BYTES = 20_000_000;
const MAX_DEPTH = 8;
const MAX_SENTENCE = 140;
const MAX_ABOUT = 300;

/** Opens the folder; it need not be there. */
export async function openSkills(
  folder: string,
  parts: { readonly settings: Settings; readonly clock: Clock },
): Promise<Skills> {
  const skills = openedSkills(folder, parts);
  await skills.refresh();
  return skills;
}

function openedSkills(
  folder: string,
  { settings, clock }: { readonly settings: Settings; readonly clock: Clock },
): Skills {
  let items: readonly Item[] = [];
  let found: readonly Found[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    found = await lookThrough(folder, new Map(found.map((one) => [one.id, one])));
    const now = await Promise.all(found.map(async (one) => itemOf(one, await kept(settings, one.id))));
    if (JSON.stringify(now) !== JSON.stringify(items)) items = now;
  };
  /** One look at a time, and each that is asked for begins after it was asked for: what was just written is seen. */
  const refresh = async (): Promise<void> => {
    const before = looking;
    const mine = (async () => {
      await before?.catch(() => undefined);
      lookedAt = clock.now();
      await look();
    })();
    looking = mine;
    await mine;
    if (looking === mine) looking = undefined;
  };

  return {
    get items() {
      if (looking === undefined && clock.now() - lookedAt >= LOOK_EVERY_MS) refresh().catch(() => undefined);
      return items;
    },
    refresh,
    async turnOn(id, how) {
      await refresh();
      const skill = found.find((one) => one.id === id);
      if (skill === undefined) return { is: "not-yet", words: "There is no skill of that name." };
      if ("trouble" in skill) return { is: "not-yet", words: skill.trouble };
      await settings.set(SETTING + id, { mode: how, digest: skill.digest } satisfies Kept);
      await refresh();
      return { is: "on" };
    },
    async turnOff(id) {
      await settings.delete(SETTING + id);
      await refresh();
    },
    async skill(id) {
      // Read anew, and what is given is what was digested: no moment lies between.
      const state = await kept(settings, id);
      const now = isName(id) && state !== undefined ? await readSkill(folder, id) : undefined;
      if (now === undefined || "trouble" in now || now.digest !== state?.digest) return undefined;
      return now.file.body;
    },
  };
}

/** Only what was kept in the shape that is written here counts. */
async function kept(settings: Settings, id: string): Promise<Kept | undefined> {
  const state = await settings.get<Partial<Kept>>(SETTING + id);
  if ((state?.mode !== "on" && state?.mode !== "asked") || typeof state.digest !== "string") return undefined;
  return { mode: state.mode, digest: state.digest };
}

function itemOf(skill: Found, state: Kept | undefined): Item {
  const base = {
    kind: "skill",
    id: skill.id,
    name: skill.id,
    featured: false,
    reviewed: false,
    connects: { by: "nothing" },
  } as const;
  if ("trouble" in skill)
    return {
      ...base,
      tagline: "",
      about: "",
      state: "off",
      may: [],
      cues: { words: [], not: [] },
      trouble: skill.trouble,
    };
  const { description, tools, cues } = skill.file;
  const changed = state !== undefined && state.digest !== skill.digest;
  return {
    ...base,
    tagline: firstSentence(description),
    about: clipGraphemes(description, MAX_ABOUT, "…"),
    state: state === undefined || changed ? "off" : state.mode,
    may: mayInWords(tools),
    cues: { words: cues, not: [] },
    ...(changed
      ? { trouble: "It was changed since it was turned on, so it is off. Look at it, and turn it on again." }
      : {}),
  };
}

function firstSentence(description: string): string {
  const [sentence = description] = /^.{1,1024}?[.!?。！？](?=\s|$)|^.{1,1024}/u.exec(description) ?? [];
  return clipGraphemes(sentence, MAX_SENTENCE, "…");
}

// ---- folders

/** All that may be skills. What looks as it did when it was read before is not read again. */
async function lookThrough(folder: string, before: ReadonlyMap<string, Found>): Promise<readonly Found[]> {
  const names = await namesIn(folder);
  const found: Found[] = [];
  for (const name of names.filter((one) => !one.startsWith(".")).slice(0, MAX_SKILLS)) {
    const known = before.get(name);
    const print = known === undefined ? undefined : await printOf(join(folder, name));
    const same = known !== undefined && print !== undefined && known.print === print;
    const skill = same ? known : await readSkill(folder, name);
    if (skill !== undefined) found.push(skill);
  }
  return found;
}

/** Undefined: not a folder, or one without a SKILL.md. */
async function readSkill(folder: string, name: string): Promise<Found | undefined> {
  const path = join(folder, name);
  try {
    if (!(await lstat(path)).isDirectory()) return await linkedAway(path, name);
    const file = await lstat(join(path, "SKILL.md")).catch(() => undefined);
    if (file === undefined) return undefined;
    const entries = await entriesOf(path);
    const print = printed(entries);
    const no = (trouble: string): Found => ({ id: shownName(name), print, digest: "", trouble });
    if (!isName(name))
      return no("The folder's name has other characters than a-z, 0-9 and single hyphens, or more than 64.");
    const problem = entries.find((entry) => "problem" in entry);
    if (problem !== undefined && "problem" in problem) return no(problem.problem);
    if (!file.isFile()) return no("Its SKILL.md is no plain file.");
    if (file.size > MAX_FILE_BYTES) return no("Its SKILL.md has more than 100 kB.");
    const { digest, text } = await contents(path, entries);
    const skill = readSkillFile(text);
    if ("trouble" in skill) return no(skill.trouble);
    if (skill.name !== name) return no(`Its SKILL.md calls it ${skill.name}, which is not the folder's name.`);
    return { id: name, print, digest, file: skill };
  } catch {
    return { id: shownName(name), print: "", digest: "", trouble: "The folder can't be read." };
  }
}

/** A link in the place of a folder is not followed: what it leads to isn't this folder's. */
async function linkedAway(path: string, name: string): Promise<Found | undefined> {
  const stats = await lstat(path);
  if (!stats.isSymbolicLink()) return undefined;
  return {
    id: shownName(name),
    print: printed([{ path: "", stats }]),
    digest: "",
    trouble: "It is a link to another place, which isn't followed.",
  };
}

type FolderEntry =
  | { readonly path: string; readonly stats: Stats }
  | { readonly path: string; readonly problem: string };

/** Everything in a skill's folder, in order. The first problem ends it. */
async function entriesOf(root: string): Promise<readonly FolderEntry[]> {
  const entries: FolderEntry[] = [];
  let bytes = 0;
  const walk = async (within: string, depth: number): Promise<string | undefined> => {
    for (const name of await namesIn(join(root, within), false)) {
      const path = within === "" ? name : `${within}/${name}`;
      const stats = await lstat(join(root, path));
      bytes += stats.isFile() ? stats.size : 0;
      entries.push({ path, stats });
      if (entries.length > MAX_FILES) return `It has more than ${MAX_FILES} files.`;
      if (bytes > MAX_FOLDER_BYTES) return "Its files have more than 20 MB.";
      if (stats.isSymbolicLink()) {
        if (!(await staysIn(root, join(root, path)))) return "It holds a link that leads out of its folder.";
      } else if (stats.isDirectory()) {
        if (depth >= MAX_DEPTH) return "Its folders are nested too deep.";
        const problem = await walk(path, depth + 1);
        if (problem !== undefined) return problem;
      } else if (!stats.isFile()) return "It holds something that is neither a file nor a folder.";
    }
    return undefined;
  };
  const problem = await walk("", 0);
  if (problem !== undefined) entries.push({ path: "", problem });
  return entries;
}

async function staysIn(root: string, link: string): Promise<boolean> {
  const [inside, to] = await Promise.all([realpath(root), realpath(link).catch(() => "")]);
  return to.startsWith(inside + sep);
}

async function printOf(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    return printed(stats.isDirectory() ? await entriesOf(path) : [{ path: "", stats }]);
  } catch {
    return undefined;
  }
}

/** What shows without reading that something was written: a change of content sets the time of change, which no program can set back. */
function printed(entries: readonly FolderEntry[]): string {
  return entries
    .map((entry) =>
      "problem" in entry
        ? entry.problem
        : `${entry.path}\0${entry.stats.ino} ${entry.stats.size} ${entry.stats.mtimeMs} ${entry.stats.ctimeMs}`,
    )
    .join("\n");
}

/** The text of SKILL.md, and a digest over all files with their paths. */
async function contents(
  root: string,
  entries: readonly FolderEntry[],
): Promise<{ readonly digest: string; readonly text: string }> {
  const hash = createHash("sha256");
  let text = "";
  for (const entry of entries) {
    if ("problem" in entry || entry.stats.isDirectory()) continue;
    const path = join(root, entry.path);
    const bytes = entry.stats.isSymbolicLink() ? Buffer.from(`link to ${await readlink(path)}`) : await bytesOf(path);
    hash.update(`${JSON.stringify(entry.path)} ${bytes.length}\n`).update(bytes);
    if (entry.path === "SKILL.md") text = bytes.toString("utf8");
  }
  return { digest: hash.digest("hex"), text };
}

/** A plain file's bytes; never follows a link or waits for a pipe that took its place meanwhile. */
async function bytesOf(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  try {
    if (!(await file.stat()).isFile()) throw new Error("It is no plain file any more.");
    return await readFile(file);
  } finally {
    await file.close();
  }
}

async function namesIn(folder: string, mayBeGone = true): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (thrown) {
    if (mayBeGone) return [];
    throw thrown;
  }
}

function isName(name: string): boolean {
  return name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(name);
}

function shownName(name: string): string {
  return clipGraphemes(oneLine(clipUnits(name, 400)), 64, "…");
}
