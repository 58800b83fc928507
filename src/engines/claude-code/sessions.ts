// Sessions on the disk: where each trust level keeps them, ids that carry the level, running totals, and forgetting.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { Usage } from "../../core/turn.ts";
import type { EngineHost } from "../host.ts";
import type { Result, Tokens, Totals } from "./events.ts";

/** Who may be heard in a session: the owner alone, or others too. One is never resumed as the other. */
export type Level = "owner" | "locked";

/** Absolute folders of one engine. */
export type Folders = {
  /** The program's config folder of a level; undefined for the owner's own, where the program finds it. */
  readonly config: Readonly<Record<Level, string | undefined>>;
  /** The same, named in any case. */
  readonly kept: Readonly<Record<Level, string>>;
  readonly totals: string;
  readonly scratch: string;
};

/** `ownSignIn`: the owner's own sign-in is used, so their sessions are where the owner's others are. */
export function foldersOf(host: EngineHost, name: string, ownSignIn: boolean): Folders {
  const root = join(host.sessions, "claude-code", name.replaceAll(/[^\w.-]/gu, "_").replace(/^\.+/u, "_"));
  const own = host.claudeFolder ?? join(host.home, ".claude");
  const config = { owner: ownSignIn ? host.claudeFolder : join(root, "owner"), locked: join(root, "locked") };
  return {
    config,
    kept: { owner: ownSignIn ? own : join(root, "owner"), locked: config.locked },
    totals: join(root, "totals"),
    scratch: join(root, "scratch"),
  };
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/u;

/** What the gateway keeps of a session. */
export function resumeIdOf(level: Level, session: string): string {
  return `${level}:${session}`;
}

/** The session of a resume id; undefined when it is none of ours. */
export function sessionOf(resumeId: string): { readonly level: Level; readonly session: string } | undefined {
  const [level, session, ...rest] = resumeId.split(":");
  if (level !== "owner" && level !== "locked") return undefined;
  if (session === undefined || rest.length > 0 || !UUID.test(session)) return undefined;
  return { level, session };
}

/** Makes a folder that only the owner may look into. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

const TOKENS = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
});
const TOTALS = z.object({ costUsd: z.number(), models: z.record(z.string(), TOKENS) });
const NOTHING: Totals = { costUsd: 0, models: {} };

/**
 * What one turn used: the session's running totals less those before it. `resumed` without known totals before it: what the program says
 * of the turn's main line, and no cost. Writes down the totals.
 */
export async function usageOf(folders: Folders, result: Result, resumed: boolean): Promise<Usage | undefined> {
  const file = join(folders.totals, `${result.session}.json`);
  const before = resumed ? await readTotals(file) : NOTHING;
  const { totals } = result;
  await keepTotals(file, totals).catch(() => undefined);
  const models = Object.entries(totals.models).map(([model, now]) => ({
    model,
    used: less(now, before?.models[model]),
  }));
  // Whoever said most answered; others helped.
  const model = models.toSorted((one, other) => other.used.outputTokens - one.used.outputTokens)[0]?.model ?? "";
  const grew = before !== undefined && models.every(({ used }) => Object.values(used).every((tokens) => tokens >= 0));
  if (!grew) return nothingIn(result.usage) ? undefined : { model, ...result.usage };
  const sum = models.reduce((all, { used }) => plus(all, used), less(NO_TOKENS));
  if (nothingIn(sum)) return undefined;
  const costUsd = Math.round((totals.costUsd - before.costUsd) * 1e9) / 1e9;
  return { model, ...sum, ...(costUsd >= 0 ? { costUsd } : {}) };
}

const NO_TOKENS: Tokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function nothingIn(tokens: Tokens): boolean {
  return tokens.inputTokens === 0 && tokens.outputTokens === 0;
}

function less(now: Tokens, before: Tokens = NO_TOKENS): Tokens {
  return {
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
    cacheReadTokens: now.cacheReadTokens - before.cacheReadTokens,
    cacheWriteTokens: now.cacheWriteTokens - before.cacheWriteTokens,
  };
}

function plus(one: Tokens, other: Tokens): Tokens {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}

async function readTotals(file: string): Promise<Totals | undefined> {
  try {
    return TOTALS.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

async function keepTotals(file: string, totals: Totals): Promise<void> {
  await privateFolder(dirname(file));
  await writeFile(file, JSON.stringify(totals), { mode: 0o600 });
}

/**
 * Removes a session's files: the program names them by the session, in a folder for each place that it was run in. A session that is not
 * there is fine.
 */
export async function forgetSession(folders: Folders, level: Level, session: string): Promise<void> {
  if (!UUID.test(session)) return;
  const kept = folders.kept[level];
  const projects = join(kept, "projects");
  const places = await readdir(projects, { withFileTypes: true }).catch(() => []);
  const everywhere = places.filter((place) => place.isDirectory()).map(({ name }) => join(projects, name));
  const besides = ["todos", "tasks", "file-history", "session-env", "shell-snapshots", "debug"].map((name) =>
    join(kept, name),
  );
  for (const folder of [...everywhere, ...besides]) {
    for (const name of await readdir(folder).catch(() => []))
      if (name.startsWith(session)) await rm(join(folder, name), { recursive: true, force: true });
  }
  // What its commands printed.
  const printed = await readdir(folders.scratch, { recursive: true }).catch(() => []);
  for (const path of printed.filter((one) => basename(one) === session))
    await rm(join(folders.scratch, path), { recursive: true, force: true });
  await rm(join(folders.totals, `${session}.json`), { force: true });
}
