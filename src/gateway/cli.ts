// The commands. Results go to standard output, everything else to standard error; a refusal is a sentence, never a stack trace.
import { homedir } from "node:os";
import { Command, CommanderError } from "commander";
import { asGatewayError } from "../core/error.ts";
import type { Logger } from "../core/surroundings.ts";
import { dropControls } from "../core/text.ts";
import packageInfo from "../../package.json" with { type: "json" };
import type { Loaded } from "./config-file.ts";
import type { Gateway } from "./parts.ts";
import { backUpTo, exportChat, listChats, refuseNoData } from "./reading.ts";
import { realClock, realRandom } from "./real.ts";
import { ask, PEOPLE_VERBS, peopleRequest, type Carry, type Request } from "./socket.ts";
import { stopSignal, surviveFaults } from "./signals.ts";
import { welcome } from "./welcome.ts";

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
  // Whoever reads along may leave early, as in `./tidegate chats | head`: what is left is not printed.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
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
    .exitOverride()
    .showHelpAfterError("./tidegate --help lists the commands.")
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: (.)/u, (_, first: string) => first.toUpperCase())),
    });
  // How the launcher is called in texts: ./tidegate, wherever it lies.
  program.name("./tidegate").helpCommand(false);
  const command = (name: string, description: string): Command =>
    program
      .command(name)
      .description(description)
      .option("--config <file>", "the config file")
      .exitOverride()
      .showHelpAfterError(`./tidegate ${name} --help says more.`);

  command("start", "Run the gateway (the terminal chat with the demo engine when there is no config)").action(
    async (options: Options) => {
      await start(await parts.readConfig(options.config), parts);
    },
  );
  command("init", "Write a config: asks for your chat apps and an engine, and tries them").action(
    async (options: Options) => {
      const { init } = await import("./init.ts");
      const { stdin: input, stdout: output, env } = process;
      const world = {
        input,
        output,
        env,
        home: homedir(),
        cwd: process.cwd(),
        fetch,
        clock: realClock,
        random: realRandom,
      };
      if (!(await init(options, world))) throw new CommanderError(1, "init", "");
    },
  );
  command("doctor", "Check the config, the channels, the engines and the data folder")
    .option("--slack-manifest", "print the manifest to make a Slack app from, and check nothing")
    .action(async (options: Options & { readonly slackManifest?: boolean }) => {
      const { doctor, printSlackManifest } = await import("./doctor.ts");
      const world = {
        readConfig: async () => await parts.readConfig(options.config),
        print: (line: string) => void process.stdout.write(`${line}\n`),
        note: (line: string) => void process.stderr.write(`${line}\n`),
        fetch,
        env: process.env,
        home: homedir(),
        version: `${packageInfo.version}, on Node ${process.versions.node}`,
        clock: realClock,
        random: realRandom,
      };
      if (options.slackManifest === true) await printSlackManifest(world);
      else if (!(await doctor(world))) throw new CommanderError(1, "doctor", "");
    });
  command("run", "Run one prompt with nobody attending, and print the answer")
    .argument("<prompt>", "what to ask")
    .option("--tools <names>", "just these tools, separated by commas, such as now,memory__read_graph")
    .action(async (prompt: string, options: Options & { readonly tools?: string }) => {
      const tools = options.tools
        ?.split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
      await request({ do: "run", prompt, ...(tools === undefined ? {} : { tools }) }, options, parts);
    });
  command("apps", "List the apps that are connected, and those that can be").action(
    async (options: Options) => await request({ do: "apps" }, options, parts),
  );
  command("chats", "List the chats, newest first").action(
    async (options: Options) => await listChats((await parts.readConfig(options.config)).config.data),
  );
  command("search", "Look through all chats for words")
    .argument("<words...>", "what to look for")
    .action(async (words: readonly string[], options: Options) => await searchChats(words.join(" "), options, parts));
  command("export", "Print a chat as JSON lines")
    .argument("<id>", "its id, from chats")
    .action(
      async (id: string, options: Options) =>
        await exportChat(id, (await parts.readConfig(options.config)).config.data),
    );
  command("archive", "Put a chat away")
    .argument("<id>", "its id, from chats")
    .action(async (id: string, options: Options) => await request({ do: "archive", conversation: id }, options, parts));
  command("delete", "Delete a chat for good")
    .argument("<id>", "its id, from chats")
    .action(async (id: string, options: Options) => await request({ do: "delete", conversation: id }, options, parts));
  command("people", "List who may speak, let in, block or forget someone, or pair with your bot")
    .argument("[verb]", PEOPLE_VERBS.join(", "), "list")
    .argument("[id]", "a platform and an id there, such as telegram/12345")
    .action(
      async (verb: string, id: string | undefined, options: Options) =>
        await request(peopleRequest(verb, id), options, parts),
    );
  command("backup", "Copy everything durable into one file")
    .argument("<file>", "a file that is not there yet")
    .action(async (file: string, options: Options) => {
      await backUpTo(file, (await parts.readConfig(options.config)).config.data);
    });
  return program;
}

async function start(loaded: Loaded, parts: CliParts): Promise<void> {
  if (loaded.file === undefined) {
    const tty = process.stdin.isTTY && process.stdout.isTTY;
    welcome({ tty, print: (text) => void (tty ? process.stdout : process.stderr).write(text) });
  }
  const stopped = stopSignal();
  try {
    await using opened = await parts.open(loaded, true);
    surviveFaults(opened.log);
    await Promise.race([opened.gateway.ended, stopped]);
  } finally {
    // An open pipe would keep the process alive with nothing left to do.
    process.stdin.destroy();
  }
}

/** Where there is nothing to look through, nothing is made for it. */
async function searchChats(words: string, options: Options, parts: CliParts): Promise<void> {
  await refuseNoData((await parts.readConfig(options.config)).config.data);
  await request({ do: "search", words }, options, parts);
}

/** Hands a request to the live gateway, or takes the lock and carries it out here. */
async function request(asked: Request, options: Options, parts: CliParts): Promise<void> {
  const loaded = await parts.readConfig(options.config);
  const answer = await ask(loaded.config.data, asked);
  if (answer !== undefined) {
    print(answer);
    return;
  }
  await using opened = await parts.open(loaded, false);
  print(await opened.carry(asked, new AbortController().signal));
}

/** An answer, as it is; at a terminal without what would steer it. */
function print(answer: string): void {
  process.stdout.write(`${process.stdout.isTTY ? dropControls(answer) : answer}\n`);
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
