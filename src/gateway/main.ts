// The composition root: reads the config, opens the real parts, connects them, and drains them at the end.
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectChannel } from "../channels/registry.ts";
import type { Platform } from "../core/channel.ts";
import type { Surroundings } from "../core/surroundings.ts";
import { createEngine } from "../engines/registry.ts";
import { openSearch } from "../search/search.ts";
import { pastChatTools } from "../search/tools.ts";
import { lockFolder } from "../store/lock.ts";
import { openStore } from "../store/open.ts";
import type { Store } from "../store/port.ts";
import { holdBack, scrubber } from "../taint/scrub.ts";
import { nowTool } from "../turn/now.ts";
import { appSecrets, openApps, readApps } from "./apps.ts";
import { carry } from "./carry.ts";
import { channelChoices, ownerIds } from "./channel-choices.ts";
import { runCli, type Opened } from "./cli.ts";
import { loadConfig, type Loaded } from "./config-file.ts";
import { engineHost } from "./engine-host.ts";
import { Engines } from "./engines.ts";
import { openGateway } from "./gateway.ts";
import type { Gateway } from "./parts.ts";
import { openLog, type OpenLog } from "./logging.ts";
import { realClock, realRandom } from "./real.ts";
import { closedPlaces } from "./places.ts";
import { listen } from "./socket.ts";
import { openWatchdog } from "./watchdog.ts";

/** The command itself: closed to every tool. */
const LAUNCHER = fileURLToPath(new URL("../../tidegate", import.meta.url));

/** Reads the config that `--config`, the environment and the folders name. */
async function readConfig(file: string | undefined): Promise<Loaded> {
  return await loadConfig({ file, env: process.env, cwd: process.cwd(), home: homedir() });
}

/** The channels that a config names. */
async function connect({ config }: Loaded, surroundings: Surroundings): Promise<ReadonlyMap<string, Platform>> {
  const color = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
  const choices = channelChoices(config, { input: process.stdin, output: process.stdout, color });
  return new Map(
    await Promise.all(
      choices.map(async (choice) => [choice.name, await connectChannel(choice, surroundings)] as const),
    ),
  );
}

/** Notes go to a file where a person chats at the terminal, else to standard error. */
async function openNotes(loaded: Loaded, secrets: readonly string[], channels: boolean): Promise<OpenLog> {
  const scrub = scrubber(secrets);
  const chats = channels && loaded.config.channels.terminal !== undefined;
  if (chats && process.stdin.isTTY) return await openLog({ file: join(loaded.config.data, "tidegate.log") }, scrub);
  return await openLog(process.stderr.isTTY ? "pretty" : "stderr", scrub, chats || !channels ? "warn" : "info");
}

/** Opens the gateway of a config; `channels` false: without any, for one command that takes the lock itself. */
async function open(loaded: Loaded, channels: boolean): Promise<Opened> {
  const { config } = loaded;
  const opened = new AsyncDisposableStack();
  try {
    const lock = opened.use(lockFolder(config.data));
    const apps = await readApps(config.apps);
    const secrets = [...loaded.secrets, ...appSecrets(apps, loaded.env)];
    const notes = opened.adopt(await openNotes(loaded, secrets, channels), (one) => one.close());
    const watchdog = opened.use(openWatchdog(realRandom, realClock));
    const surroundings: Surroundings = { clock: realClock, random: realRandom, log: notes.log, watchdog };
    const store: Store = opened.use(await openStore({ folder: config.data, syncAside: true, ...surroundings }));
    const catalog = opened.use(await openApps(apps, loaded, store.settings, surroundings));
    const search = opened.use(await openSearch({ folder: config.data, store, secrets, ...surroundings }));
    const host = engineHost({ env: process.env, home: homedir(), data: config.data, secrets, watchdog });
    const wordMs = process.stdin.isTTY ? 15 : 0;
    const names = Object.keys(config.engines);
    const make = async (name: string): ReturnType<typeof createEngine> => {
      const settings = config.engines[name] ?? { kind: "demo" };
      const stated = settings.kind === "demo" ? { ...settings, wordMs } : settings;
      return await createEngine(name, stated, surroundings, host);
    };
    const engines = opened.use(new Engines(names, make, surroundings));
    const defaultEngine = config.engine ?? names[0] ?? "demo";
    const platforms = channels ? await connect(loaded, surroundings) : new Map<string, Platform>();
    for (const { channel } of platforms.values()) opened.use(channel);
    // Made while the channels connect, so that the first message does not wait for it.
    if (channels) void engines.get(defaultEngine);
    const gateway: Gateway = opened.use(
      await openGateway({
        store,
        search,
        catalog,
        finishSignIn: async (address) => await catalog.finishSignIn(address),
        platforms,
        engine: async (name) => await engines.get(name),
        engineNames: names,
        defaultEngine,
        tools: [nowTool(realClock), ...pastChatTools({ search, store, secrets })],
        owner: { name: config.owner.name, ids: ownerIds(config.owner) },
        access: config.access,
        mode: config.mode,
        checkAfterReading: config.checkAfterReading,
        places: closedPlaces({ ...host, data: config.data, configFile: loaded.file, launcher: LAUNCHER }),
        joinWithinMs: config.joinWithinMs,
        work: config.work,
        workOf: (engine) => config.engines[engine]?.work,
        scrub: scrubber(secrets),
        holdBack: holdBack(secrets),
        tell: (words) => void process.stderr.write(`${words}\n`),
        surroundings,
      }),
    );
    const carried = carry(gateway, store, search, config.owner.name, scrubber(secrets), surroundings);
    if (channels) opened.use(await listen(config.data, carried, notes.log));
    const all = opened.move();
    return {
      lock,
      gateway,
      carry: carried,
      log: notes.log,
      [Symbol.asyncDispose]: async () => await all.disposeAsync(),
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

process.exitCode = await runCli(process.argv.slice(2), { readConfig, open });
