// ./tidegate init: a few questions, a config that is tried at once, and what to do next.
import { chmod, copyFile, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import { oneLine } from "../core/text.ts";
import { loadConfig } from "./config-file.ts";
import { getMe, tryEngine, type Finding } from "./doctor-calls.ts";
import { checkDiscord } from "./doctor-discord.ts";
import { checkSlack } from "./doctor-slack.ts";
import { askDiscordToken } from "./init-discord.ts";
import { askEngine } from "./init-engine.ts";
import { writeFiles } from "./init-files.ts";
import { Questions } from "./init-questions.ts";
import { askSlackApp } from "./init-slack.ts";
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
const SLACK = "https://slack.com/api/";
const DISCORD = "https://discord.com/api";
const CHECK_LIMIT_MS = 30_000;

/** Asks, writes, and tries what was written. False: it is written, but something in it doesn't work yet. Throws a GatewayError. */
export async function init(options: { readonly config?: string }, world: InitWorld): Promise<boolean> {
  using questions = new Questions(world.input, world.output);
  const file = await whereTo(options.config, world);
  questions.say(
    `This writes ${file}: what to call you, your chat apps, and what answers. Nothing is written before the last answer.`,
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
  const apps = await askApps(questions);
  const telegram = apps.has("telegram") ? await askTelegramBot(questions, { ...world, apiRoot: TELEGRAM }) : undefined;
  const slack = apps.has("slack") ? await askSlackApp(questions, { ...world, apiUrl: SLACK }) : undefined;
  const discord = apps.has("discord") ? await askDiscordToken(questions, { ...world, apiUrl: DISCORD }) : undefined;
  const engine = await askEngine(questions, world);
  if (replaces) await keepOld(file);
  const written = await writeFiles(file, { owner, telegram, slack, discord, engine }, world.env);
  questions.say(`\nWritten: ${written.join(" and ")}, for nobody else to read. Trying it:`);
  const works = await tryOut(file, questions, world);
  questions.say(
    works
      ? `\nNext: ./tidegate start${startOption(file, world)}`
      : `\nSomething doesn't work yet. Change ${file}, look with ./tidegate doctor${startOption(file, world)}, then ./tidegate start${startOption(file, world)}`,
  );
  return works;
}

const APPS = [
  { name: "telegram", words: "a bot, made in a minute" },
  { name: "slack", words: "an app in a workspace of yours" },
  { name: "discord", words: "a bot in a server of yours" },
] as const;

/** Asks where the owner wants to chat. None: in the terminal alone. */
async function askApps(questions: Questions): Promise<ReadonlySet<(typeof APPS)[number]["name"]>> {
  questions.say("\nWhere do you want to write to it?");
  for (const [at, { name, words }] of APPS.entries()) questions.say(`  ${at + 1}  ${name.padEnd(18)} ${words}`);
  for (;;) {
    const answer = await questions.ask("Numbers or names, with commas between (Enter: only in the terminal)");
    const named = answer
      .toLowerCase()
      .split(/[\s,]+/u)
      .filter((word) => word !== "");
    const found = named.map((word) => APPS[Number(word) - 1]?.name ?? APPS.find(({ name }) => name === word)?.name);
    if (!found.includes(undefined)) return new Set(found.filter((name) => name !== undefined));
    questions.say(`  Choose from 1 to ${APPS.length}.`);
  }
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
  const loaded = await loadConfig({ file, env: world.env, cwd: world.cwd, home: world.home });
  const { config } = loaded;
  const { telegram, slack, discord } = config.channels;
  /** What doctor would find. What it only warns of can wait for doctor, but for who the owner is. */
  const look = (findings: readonly Finding[], app: "slack" | "discord"): boolean => {
    for (const { is, what, words } of findings)
      if (is !== "warn") questions.say(`  ${is.padEnd(4)}  ${what}: ${words}`);
    if (config.owner[app] === undefined) questions.say(`        Your id is still missing: owner.${app}.`);
    return findings.every(({ is }) => is !== "FAIL");
  };
  const results = [
    telegram === undefined ||
      (await attempt("telegram", async () => {
        const { username } = await getMe({ ...telegram, fetch: world.fetch, clock: world.clock });
        return `@${username} answers.${config.owner.telegram === undefined ? " Your id is still missing: owner.telegram." : ""}`;
      })),
    slack === undefined || look(await checkSlack(config, slack, world), "slack"),
    discord === undefined || look(await checkDiscord(config, discord, world), "discord"),
  ];
  for (const [name, settings] of Object.entries(config.engines)) {
    const works = await attempt(`engine ${name}`, async () => {
      const { words, warn } = await tryEngine(name, settings, loaded, world, CHECK_LIMIT_MS);
      return warn === undefined ? words : `${words}\n        ${warn}`;
    });
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
