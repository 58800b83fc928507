// The commands. Results go to standard output, everything else to standard error; a refusal is a sentence, never a stack trace.
import { Command, CommanderError } from "commander";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Logger } from "../core/surroundings.ts";
import { backUp } from "../store/backup.ts";
import { openReadOnly } from "../store/open.ts";
import packageInfo from "../../package.json" with { type: "json" };
import type { Loaded } from "./config-file.ts";
import type { Gateway } from "./gateway.ts";
import { nearest } from "./nearest.ts";
import { ask, type Carry, type Request } from "./socket.ts";
import { untilStopped } from "./signals.ts";

/** A gateway opened for a command; disposing it drains and closes everything. */
export type Opened = {
  readonly lock: Disposable;
  readonly gateway: Gateway;
  readonly carry: Carry;
  readonly log: Logger;
} & AsyncDisposable;

/** What commands are made of; main has the real ones. */
export type CliParts = {
  readonly readConfig: (file: string | undefined) => Promise<Loaded>;
  readonly open: (loaded: Loaded, channels: boolean) => Promise<Opened>;
};

type Options = { readonly config?: string };

/** Runs one command line; gives the exit code. */
export async function runCli(argv: readonly string[], parts: CliParts): Promise<number> {
  const program = describeCommands(parts);
  try {
    await program.parseAsync(argv.length === 0 ? ["start"] : [...argv], { from: "user" });
    return 0;
  } catch (thrown) {
    // commander has said it already: help, the version, or what is wrong with the line.
    if (thrown instanceof CommanderError) return thrown.exitCode;
    const error = asGatewayError(thrown);
    if (error.code === "internal") process.stderr.write(`${describeFault(thrown)}\n`);
    process.stderr.write(`${error.message}${error.hint === undefined ? "" : `\n${error.hint}`}\n`);
    return 1;
  }
}

function describeCommands(parts: CliParts): Command {
  const program = new Command("tidegate")
    .description(packageInfo.description)
    .version(packageInfo.version)
    .exitOverride();
  // How the launcher is called in texts: ./tidegate, wherever it lies.
  program.name("./tidegate").helpCommand(false).showSuggestionAfterError(true);
  const command = (name: string, description: string): Command =>
    program.command(name).description(description).option("--config <file>", "the config file").exitOverride();

  command("start", "Run the gateway (the terminal chat with the demo engine when there is no config)").action(
    async (options: Options) => {
      await start(await parts.readConfig(options.config), parts);
    },
  );
  command("init", "Write a config: asks for a bot token and an engine, and tries them").action(
    async (options: Options) => {
      const { init } = await import("./init.ts");
      await init(options.config);
    },
  );
  command("doctor", "Check the config, the channels, the engines and the data folder").action(
    async (options: Options) => {
      const { doctor } = await import("./doctor.ts");
      const healthy = await doctor(async () => await parts.readConfig(options.config));
      if (!healthy) throw new CommanderError(1, "doctor", "");
    },
  );
  command("run", "Run one prompt with nobody attending, and print the answer")
    .argument("<prompt>", "what to ask")
    .action(async (prompt: string, options: Options) => await request({ do: "run", prompt }, options, parts));
  command("chats", "List the chats, newest first")
    .option("--all", "archived ones too")
    .action(async (options: Options & { readonly all?: boolean }) => await chats(options, parts));
  command("export", "Print a chat as JSON lines")
    .argument("<id>", "its id, from chats")
    .action(async (id: string, options: Options) => await exportChat(id, options, parts));
  command("archive", "Put a chat away")
    .argument("<id>", "its id, from chats")
    .action(async (id: string, options: Options) => await request({ do: "archive", conversation: id }, options, parts));
  command("delete", "Delete a chat for good")
    .argument("<id>", "its id, from chats")
    .action(async (id: string, options: Options) => await request({ do: "delete", conversation: id }, options, parts));
  command("backup", "Copy everything durable into one file")
    .argument("<file>", "a file that is not there yet")
    .action(async (file: string, options: Options) => {
      const { config } = await parts.readConfig(options.config);
      await backUp(config.data, file);
      process.stdout.write(`Backed up to ${file}.\n`);
    });
  program.on("command:*", ([name = ""]: string[]) => {
    const near = nearest(
      name,
      program.commands.map((one) => one.name()),
    );
    throw new GatewayError(
      "bad-request",
      `There is no command ${name}.${near === undefined ? "" : ` Did you mean ${near}?`}`,
      { hint: "./tidegate --help lists them." },
    );
  });
  return program;
}

async function start(loaded: Loaded, parts: CliParts): Promise<void> {
  await using opened = await parts.open(loaded, true);
  await untilStopped(opened.gateway.ended, opened.log);
}

/** Hands a request to the live gateway, or takes the lock and carries it out here. */
async function request(asked: Request, options: Options, parts: CliParts): Promise<void> {
  const loaded = await parts.readConfig(options.config);
  const answer = await ask(loaded.config.data, asked);
  if (answer !== undefined) {
    process.stdout.write(`${answer}\n`);
    return;
  }
  await using opened = await parts.open(loaded, false);
  process.stdout.write(`${await opened.carry(asked, new AbortController().signal)}\n`);
}

async function chats(options: Options & { readonly all?: boolean }, parts: CliParts): Promise<void> {
  const { config } = await parts.readConfig(options.config);
  await using store = await openReadOnly(config.data);
  for (const one of await store.conversations.list({ archived: options.all ?? false })) {
    const when = new Date(one.lastAt).toISOString().slice(0, 16).replace("T", " ");
    process.stdout.write(
      `${one.id}  ${when}  ${one.room.platform}  ${one.title}${one.archived ? "  (archived)" : ""}\n`,
    );
  }
}

async function exportChat(id: string, options: Options, parts: CliParts): Promise<void> {
  const { config } = await parts.readConfig(options.config);
  await using store = await openReadOnly(config.data);
  if ((await store.conversations.get(id)) === undefined)
    throw new GatewayError("not-found", `There is no chat ${id}.`, { hint: "./tidegate chats --all lists them." });
  const PAGE = 500;
  for (let after = 0; ;) {
    const page = await store.log.read(id, { after, limit: PAGE });
    for (const { seq, at, kind, conversation: _, ...rest } of page)
      process.stdout.write(`${JSON.stringify({ seq, at, kind, ...rest })}\n`);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.seq;
  }
}

/** A fault of the program itself, for a report: where it was, not what it held. */
function describeFault(thrown: unknown): string {
  return thrown instanceof Error
    ? `${thrown.name} ${
        thrown.stack
          ?.split("\n")
          .find((line) => line.includes("at "))
          ?.trim() ?? ""
      }`
    : typeof thrown;
}
