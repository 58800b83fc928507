// Engine programs on this machine, found by looking along PATH; none is run.
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Programs that will answer turns in a later version. */
const PROGRAMS = ["claude", "codex", "gemini", "copilot", "grok"] as const;

/** Those of them that are on `path`, as PATH is written. */
export async function findPrograms(path: string): Promise<readonly string[]> {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await Promise.all(
    PROGRAMS.map(async (name) => {
      const there = await Promise.all(folders.map(async (folder) => await isProgram(join(folder, name))));
      return there.includes(true) ? [name] : [];
    }),
  );
  return found.flat();
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
