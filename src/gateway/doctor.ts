// ./tidegate doctor: looks at everything a start needs, and says what to do about each fault. Changes nothing.
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Clock, Random } from "../core/surroundings.ts";
import { scrubber } from "../taint/scrub.ts";
import type { Config } from "./config.ts";
import type { Loaded } from "./config-file.ts";
import { checkApps } from "./doctor-apps.ts";
import { failed, tryEngine, warnings, type Finding } from "./doctor-calls.ts";
import { checkData, checkGateway } from "./doctor-data.ts";
import { checkDiscord } from "./doctor-discord.ts";
import { checkSessions } from "./doctor-sessions.ts";
import { checkSlack, slackManifestText } from "./doctor-slack.ts";
import { checkTelegram } from "./doctor-telegram.ts";
import { findPrograms } from "./found-programs.ts";

/** The world that doctor looks at. */
export type DoctorWorld = {
  readonly readConfig: () => Promise<Loaded>;
  readonly print: (line: string) => void;
  readonly fetch: typeof fetch;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
};

const CHECK_LIMIT_MS = 10_000;

/** Prints a line per check; false when anything is broken. */
export async function doctor(world: DoctorWorld): Promise<boolean> {
  const program: Finding = { is: "ok", what: "tidegate", words: world.version };
  let loaded: Loaded;
  try {
    loaded = await world.readConfig();
  } catch (thrown) {
    const error = asGatewayError(thrown, "config-invalid");
    const words = `${error.message}\n${error.hint ?? "Correct it, then look again with ./tidegate doctor."}`;
    return report([program, { is: "FAIL", what: "config", words }], world.print);
  }
  const { config, secrets } = loaded;
  const { telegram, slack, discord } = config.channels;
  // Side by side: each has a deadline of its own, and the slowest one is the wait.
  const found = await Promise.all([
    checkConfig(loaded),
    checkData(config.data),
    checkGateway(config.data, world.clock),
    telegram === undefined ? [] : checkTelegram(config, { ...telegram, fetch: world.fetch, clock: world.clock }),
    slack === undefined ? [] : checkSlack(config, slack, world),
    discord === undefined ? [] : checkDiscord(config, discord, world),
    ...Object.keys(config.engines).map(async (name) => await checkEngine(loaded, name, world)),
    checkApps(config.data, world.clock),
    checkSessions(config),
    checkPrograms(world.env["PATH"] ?? "", config),
  ]);
  const scrub = scrubber(secrets);
  return report([program, ...found.flat()], (line) => world.print(scrub(line)));
}

/** Prints the manifest of a Slack app as JSON to paste, for what the config means. `note` is for what is no part of it. */
export async function printSlackManifest(world: {
  readonly readConfig: () => Promise<Loaded>;
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
}): Promise<void> {
  const loaded = await world.readConfig().catch((thrown: unknown) => {
    // The tokens that a config needs come from the app that the manifest is for.
    if (thrown instanceof GatewayError) return undefined;
    throw thrown;
  });
  world.print(slackManifestText(loaded?.config));
  const why =
    loaded === undefined ? "The config can't be read yet" : loaded.file === undefined ? "There is no config yet" : "";
  if (why !== "")
    world.note(
      `${why}, so this app hears direct messages only. A config with access.groups: mention gives it channels too.`,
    );
}

function report(findings: readonly Finding[], print: (line: string) => void): boolean {
  for (const { is, what, words } of findings) {
    print(`${is.padEnd(4)}  ${what}: ${words.replaceAll("\n", "\n      ")}`);
  }
  const broken = findings.filter(({ is }) => is === "FAIL").length;
  print(broken === 0 ? "Nothing is broken." : `${broken === 1 ? "One thing is" : `${broken} things are`} broken.`);
  return broken === 0;
}

function ok(what: string, words: string): Finding {
  return { is: "ok", what, words };
}

async function checkConfig({ file, config, secrets }: Loaded): Promise<readonly Finding[]> {
  if (file === undefined) {
    return [
      {
        is: "warn",
        what: "config",
        words: "there is none, so the demo answers in the terminal. ./tidegate init makes one.",
      },
    ];
  }
  const open: string[] = [];
  for (const one of secrets.length === 0 ? [] : [file, join(dirname(file), ".env")]) {
    const mode = (await stat(one).catch(() => undefined))?.mode ?? 0;
    if ((mode & 0o077) !== 0) open.push(one);
  }
  const engines = Object.keys(config.engines);
  return [
    ok("config", `${file}; new chats start with the engine ${config.engine ?? engines[0]}`),
    ...open.map((one): Finding => ({
      is: "warn",
      what: "config",
      words: `others on this machine can read ${one}. Run: chmod 600 ${one}`,
    })),
  ];
}

async function checkEngine(loaded: Loaded, name: string, world: DoctorWorld): Promise<readonly Finding[]> {
  const what = `engine ${name}`;
  const settings = loaded.config.engines[name];
  if (settings === undefined) return [failed(what, new GatewayError("engine-missing"))];
  try {
    const { words, warn } = await tryEngine(name, settings, loaded, world, CHECK_LIMIT_MS);
    return [ok(what, words), ...warnings(what, [[warn !== undefined, warn ?? ""]])];
  } catch (thrown) {
    return [failed(what, thrown)];
  }
}

/** Programs that could answer and no engine of the config is, and those that can't yet. */
async function checkPrograms(path: string, { engines }: Config): Promise<readonly Finding[]> {
  const { usable, later } = await findPrograms(path);
  const used = new Set<string>(Object.values(engines).map(({ kind }) => kind));
  const unused = usable.filter(({ kind }) => !used.has(kind)).map(({ program }) => program);
  const what = "programs";
  const how = "./tidegate init makes one answer here, or engines in the config";
  return [
    ...(unused.length === 0 ? [] : [ok(what, `${unused.join(", ")} on this machine: ${how}`)]),
    ...(later.length === 0
      ? []
      : [ok(what, `${later.join(", ")} on this machine; Tidegate can use them in a later version`)]),
  ];
}
