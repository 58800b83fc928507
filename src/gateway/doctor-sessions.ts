// doctor's look at what engines keep of chats: how many sessions, how large, and what belongs to no engine of the config.
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { warnings, type Finding } from "./doctor-calls.ts";

const WHAT = "sessions";
const MB = 1024 * 1024;

/** A folder `kind/name` with the sessions in it. */
type Kept = { readonly kind: string; readonly name: string; readonly sessions: number; readonly bytes: number };

/** Nothing of it can be lost: the log is the record, and an engine that finds none is told the conversation. */
export async function checkSessions(config: Pick<Config, "data" | "engines">): Promise<readonly Finding[]> {
  const folder = join(config.data, "engine-sessions");
  const kept = await lookInto(folder);
  if (kept.length === 0) return [];
  const sum = (of: (one: Kept) => number): number => kept.reduce((total, one) => total + of(one), 0);
  const count = sum(({ sessions }) => sessions);
  const words = `engines keep ${count === 1 ? "1 session" : `${count} sessions`} of chats, ${Math.ceil(sum(({ bytes }) => bytes) / MB)} MB`;
  const left = kept.filter(({ kind, name }) => config.engines[name]?.kind !== kind);
  return [
    { is: "ok", what: WHAT, words },
    ...left.flatMap(({ kind, name }) => {
      const there = `${join(folder, kind, name)} is of an engine that the config doesn't name.`;
      return warnings(WHAT, [[true, `${there} Name it again, or remove that folder.`]]);
    }),
  ];
}

async function lookInto(folder: string): Promise<readonly Kept[]> {
  const kinds = await foldersIn(folder);
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const names = await foldersIn(join(folder, kind));
      return await Promise.all(
        names.map(async (name) => ({ kind, name, ...(await measure(join(folder, kind, name))) })),
      );
    }),
  );
  return found.flat();
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const there = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return there.filter((one) => one.isDirectory()).map(({ name }) => name);
}

/** A session is a file of JSON lines; those of its subagents lie in a folder of its name. */
async function measure(folder: string): Promise<Pick<Kept, "sessions" | "bytes">> {
  const files = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  let [sessions, bytes] = [0, 0];
  for (const { name, parentPath } of files.filter((one) => one.isFile())) {
    if (name.endsWith(".jsonl") && !parentPath.endsWith("/subagents")) sessions += 1;
    // One may go while it is looked at.
    bytes += (await stat(join(parentPath, name)).catch(() => undefined))?.size ?? 0;
  }
  return { sessions, bytes };
}
