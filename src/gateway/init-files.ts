// What init writes: the config, and secrets into the .env beside it, both for nobody else to read.
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseEnv } from "node:util";
import { GatewayError } from "../core/error.ts";
import type { DiscordAnswers } from "./init-discord.ts";
import type { EngineAnswers, Key } from "./init-engine.ts";
import type { SlackAnswers } from "./init-slack.ts";
import type { TelegramAnswers } from "./init-telegram.ts";

/** All answers. */
export type Answers = {
  readonly owner: string;
  readonly telegram: TelegramAnswers | undefined;
  readonly slack: SlackAnswers | undefined;
  readonly discord: DiscordAnswers | undefined;
  readonly engine: EngineAnswers;
};

/** The variables that hold an app's secrets; undefined: that app is not used. */
type Kept = {
  readonly telegram: string | undefined;
  readonly slackBot: string | undefined;
  readonly slackApp: string | undefined;
  readonly discord: string | undefined;
  readonly engine: string | undefined;
};

/** Writes the config to `file` and its secrets beside it. Gives the files that were written. Throws a GatewayError. */
export async function writeFiles(
  file: string,
  answers: Answers,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const envFile = join(dirname(file), ".env");
  const written: string[] = [];
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const before = await readFile(envFile, "utf8").catch((thrown: unknown) => {
      if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return "";
      throw thrown;
    });
    const kept = new Map(Object.entries(parseEnv(before)));
    const lines: string[] = [];
    /** The variable for a secret: the usual name, or with a number where that name holds something else. */
    const keep = ({ variable, value }: Key): string => {
      if (value === undefined) return variable;
      for (let nth = 1; ; nth += 1) {
        const name = nth === 1 ? variable : `${variable}_${nth}`;
        // A real variable would win over the file.
        const there = env[name] ?? kept.get(name);
        if (there === value) return name;
        if (there !== undefined && there !== "") continue;
        kept.set(name, value);
        lines.push(`${name}=${quoted(value)}\n`);
        return name;
      }
    };
    const keepIn = (variable: string, value: string | undefined): string | undefined =>
      value === undefined ? undefined : keep({ variable, value });
    const { telegram, slack, discord, engine } = answers;
    const variables: Kept = {
      telegram: keepIn("TELEGRAM_BOT_TOKEN", telegram?.token),
      slackBot: keepIn("SLACK_BOT_TOKEN", slack?.botToken),
      slackApp: keepIn("SLACK_APP_TOKEN", slack?.appToken),
      discord: keepIn("DISCORD_BOT_TOKEN", discord?.token),
      engine: engine.key === undefined ? undefined : keep(engine.key),
    };
    if (lines.length > 0) {
      const gap = before === "" || before.endsWith("\n") ? "" : "\n";
      await replace(envFile, `${before}${gap}${lines.join("")}`);
      written.push(envFile);
    }
    await replace(file, configText(answers, variables));
    return [file, ...written];
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    const done = written.length === 0 ? "Nothing was written." : `Only ${written.join(", ")} was written.`;
    throw new GatewayError("bad-request", `${file} can't be written. ${done}`, {
      cause,
      hint: "Check that its folder is yours, or name another file with --config.",
    });
  }
}

/** A file is there whole or not at all. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.new`;
  try {
    await rm(draft, { force: true });
    await writeFile(draft, text, { mode: 0o600, flag: "wx" });
    await chmod(draft, 0o600);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** The config as it is written; secrets stand in it by their variables only. */
function configText({ owner, telegram, slack, discord, engine }: Answers, kept: Kept): string {
  const engineLines = [
    engine.baseUrl === undefined ? "" : `    baseUrl: ${literal(engine.baseUrl)}\n`,
    engine.model === undefined ? "" : `    model: ${literal(engine.model)}\n`,
    kept.engine === undefined ? "" : `    apiKey: ${variable(kept.engine)}\n`,
  ];
  return `# Tidegate's config, written by ./tidegate init. Check it with ./tidegate doctor after a change.
# Every key there is, with its default: config/tidegate.example.yaml
# \${NAME} takes an environment variable, or a line of the .env beside this file.

# Everything durable: chats, files, the log.
data: ~/.tidegate

owner:
  # What the assistant calls you.
  name: ${literal(owner)}
  # Who you are in each app. Nobody else is answered there, unless you let them in.
${[
  used(`telegram: ${telegram?.owner ?? "123456789"}`, telegram?.owner !== undefined),
  used(`slack: ${slack?.owner ?? "U01OWNER"}`, slack?.owner !== undefined),
  used(`discord: "${discord?.owner ?? "80351110224678912"}"`, discord?.owner !== undefined),
].join("\n")}

# Where you chat. The terminal chat opens when Tidegate is started in a terminal.
channels:
  terminal: {}
  # A bot of your own: send /newbot to @BotFather for a token.
${used(`telegram:\n  token: ${variable(kept.telegram ?? "TELEGRAM_BOT_TOKEN")}`, telegram !== undefined)}
  # An app of your own: ./tidegate doctor --slack-manifest prints what to paste at https://api.slack.com/apps.
${used(
  `slack:\n  botToken: ${variable(kept.slackBot ?? "SLACK_BOT_TOKEN")}\n  appToken: ${variable(kept.slackApp ?? "SLACK_APP_TOKEN")}`,
  slack !== undefined,
)}
  # A bot of your own: https://discord.com/developers/applications
${used(`discord:\n  token: ${variable(kept.discord ?? "DISCORD_BOT_TOKEN")}`, discord !== undefined)}

# What a new chat starts with. /engine NAME changes it for one chat.
engine: ${engine.name}
engines:
  ${engine.name}:
    kind: ${engine.kind}
${engineLines.join("")}`;
}

/** Lines of a block, as a comment where they are only an example. */
function used(lines: string, really: boolean): string {
  return lines.replaceAll(/^/gmu, really ? "  " : "  # ");
}

function variable(name: string): string {
  return `"\${${name}}"`;
}

/** A quoted YAML text; what looks like a variable in it is none. */
function literal(text: string): string {
  return JSON.stringify(text.replaceAll("${", "$ {"));
}

/** A value as a .env takes it. */
function quoted(value: string): string {
  if (/^[\w.:/+=@-]+$/u.test(value)) return value;
  const quote = ["'", '"', "`"].find((mark) => !value.includes(mark));
  const text = `${quote}${value}${quote}`;
  if (quote !== undefined && parseEnv(`A=${text}`)["A"] === value) return text;
  throw new GatewayError("bad-request", "That key holds marks that a .env can't. Nothing was written.", {
    hint: "Put it into an environment variable, and answer $NAME.",
  });
}
