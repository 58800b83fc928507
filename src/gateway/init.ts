// ./tidegate init: a few questions, a config that is tried at once, and what to do next.
import { chmod, copyFile, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import { oneLine } from "../core/text.ts";
import { loadConfig } from "./config-file.ts";
import { getMe, tryEngine } from "./doctor-calls.ts";
import { askEngine } from "./init-engine.ts";
import { writeFiles } from "./init-files.ts";
import { Questions } from "./init-questions.ts";
import { askTelegramBot } from "./init-telegram.ts";

/** The world that init works in. */
export type InitWorld = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly cwd: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly random: Random;
};

const TELEGRAM = "https://api.telegram.org";
const CHECK_LIMIT_MS = 30_000;

/** Asks, writes, and tries what was written. False: it is written, but something in it doesn't work yet. Throws a GatewayError. */
export async function init(options: { readonly config?: string }, world: InitWorld): Promise<boolean> {
  using questions = new Questions(world.input, world.output);
  const file = await whereTo(options.config, world);
  questions.say(
    `This writes ${file}: what to call you, a chat app, and what answers. Nothing is written before the last answer.`,
  );
  const replaces = await exists(file);
  if (
    replaces &&
    !(await questions.confirm(`${file} is there already. Replace it? (The old one is kept as .old)`, false))
  ) {
    questions.say("Nothing was changed. ./tidegate doctor checks what is there.");
    return true;
  }
  const owner = oneLine(
    await questions.ask("\nWhat shall the assistant call you?", oneLine(world.env["USER"] ?? "") || "the owner"),
  );
  const telegram = await askTelegramBot(questions, { apiRoot: TELEGRAM, fetch: world.fetch, clock: world.clock });
  const engine = await askEngine(questions, world);
  if (replaces) await keepOld(file);
  const written = await writeFiles(file, { owner, telegram, engine }, world.env);
  questions.say(`\nWritten: ${written.join(" and ")}, for nobody else to read. Trying it:`);
  const works = await tryOut(file, questions, world);
  questions.say(
    works
      ? `\nNext: ./tidegate start${startOption(file, world)}`
      : `\nSomething doesn't work yet. Change ${file}, look with ./tidegate doctor${startOption(file, world)}, then ./tidegate start${startOption(file, world)}`,
  );
  return works;
}

/** The file that `start` would read; where there is none yet, the one in the home folder. */
async function whereTo(named: string | undefined, world: InitWorld): Promise<string> {
  const given = named ?? world.env["TIDEGATE_CONFIG"] ?? "";
  if (given.startsWith("~/")) return join(world.home, given.slice(2));
  if (given !== "") return isAbsolute(given) ? given : resolve(world.cwd, given);
  const here = join(world.cwd, "tidegate.yaml");
  return (await exists(here)) ? here : join(world.home, ".tidegate", "tidegate.yaml");
}

async function keepOld(file: string): Promise<void> {
  try {
    await copyFile(file, `${file}.old`);
    await chmod(`${file}.old`, 0o600);
  } catch (cause) {
    throw new GatewayError("bad-request", `${file}.old can't be written. Nothing was changed.`, { cause });
  }
}

/** Loads what was written as `start` will, and tries each part against the real thing. */
async function tryOut(file: string, questions: Questions, world: InitWorld): Promise<boolean> {
  const attempt = async (what: string, run: () => Promise<string>): Promise<boolean> => {
    try {
      questions.say(`  ok    ${what}: ${await run()}`);
      return true;
    } catch (thrown) {
      const error = asGatewayError(thrown);
      questions.say(`  FAIL  ${what}: ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`);
      return false;
    }
  };
  const { config } = await loadConfig({ file, env: world.env, cwd: world.cwd, home: world.home });
  const { telegram } = config.channels;
  const results = [
    telegram === undefined ||
      (await attempt("telegram", async () => {
        const { username } = await getMe({ ...telegram, fetch: world.fetch, clock: world.clock });
        return `@${username} answers.${config.owner.telegram === undefined ? " Your id is still missing: owner.telegram." : ""}`;
      })),
  ];
  for (const [name, settings] of Object.entries(config.engines)) {
    const works = await attempt(`engine ${name}`, async () => await tryEngine(name, settings, world, CHECK_LIMIT_MS));
    results.push(works);
  }
  return results.every(Boolean);
}

/** ` --config FILE` where `start` would not find the file by itself. */
function startOption(file: string, world: InitWorld): string {
  const found = [join(world.cwd, "tidegate.yaml"), join(world.home, ".tidegate", "tidegate.yaml")];
  const named = world.env["TIDEGATE_CONFIG"];
  if (named !== undefined && named !== "") return resolve(world.cwd, named) === file ? "" : ` --config ${file}`;
  return found.includes(file) ? "" : ` --config ${file}`;
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
