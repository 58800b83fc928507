// Engine programs on this machine, found by looking along PATH and for the files of their sign-ins; none is run.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** A program that answers turns: what it is called on PATH, and in the config. */
export type EngineProgram = {
  readonly program: "claude" | "codex";
  readonly kind: "claude-code" | "codex";
  /** What signs its owner in. */
  readonly signIn: string;
  /** Where it keeps that, in its folder; which is in the home folder unless the variable names another. */
  readonly kept: string;
  readonly folder: string;
  readonly variable: string;
};

const USABLE: readonly EngineProgram[] = [
  {
    ...{ program: "claude", kind: "claude-code", signIn: "run claude once" },
    ...{ kept: ".credentials.json", folder: ".claude", variable: "CLAUDE_CONFIG_DIR" },
  },
  {
    ...{ program: "codex", kind: "codex", signIn: "codex login" },
    ...{ kept: "auth.json", folder: ".codex", variable: "CODEX_HOME" },
  },
];

/** Programs that will answer turns in a later version. */
const LATER = ["gemini", "copilot", "grok"] as const;

/** What was found. */
export type FoundPrograms = { readonly usable: readonly EngineProgram[]; readonly later: readonly string[] };

/** Those that are on `path`, as PATH is written. */
export async function findPrograms(path: string): Promise<FoundPrograms> {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const there = async (name: string): Promise<boolean> =>
    (await Promise.all(folders.map(async (folder) => await isProgram(join(folder, name))))).includes(true);
  const [usable, later] = await Promise.all([
    Promise.all(USABLE.map(async (one) => ((await there(one.program)) ? [one] : []))),
    Promise.all(LATER.map(async (name) => ((await there(name)) ? [name] : []))),
  ]);
  return { usable: usable.flat(), later: later.flat() };
}

/** Whether a sign-in lies where the program keeps it. False says nothing where a keychain holds it, as on macOS. */
export async function seemsSignedIn(
  { kept, folder, variable }: EngineProgram,
  machine: { readonly env: Readonly<Record<string, string | undefined>>; readonly home: string },
): Promise<boolean> {
  const named = machine.env[variable];
  const file = join(named === undefined || named === "" ? join(machine.home, folder) : named, kept);
  return await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
