// The catalogue: apps and skills side by side, what is on of them, and news of what changes by itself.
import type { TargetKind } from "../core/card.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import type { Settings } from "../store/port.ts";
import { App, type AppAround, type AppRecord } from "./app.ts";
import type { AppEntry } from "./entries.ts";
import type { Bounds } from "./link.ts";
import type { Variables } from "./needs.ts";
import { openSignIns, type Secrets } from "./oauth.ts";
import type { Catalog, Item, TurnedOn } from "./port.ts";
import { openSkills } from "./skills.ts";
import { openVault } from "./vault.ts";

/**
 * What a catalogue is opened with. `entries`: the shipped list, then the owner's own. `folder`: the data folder, for the key file. `work`:
 * programs run in folders of their own under it.
 */
export type CatalogSetup = {
  readonly entries: readonly AppEntry[];
  readonly skillsFolder: string;
  readonly settings: Settings;
  readonly folder: string;
  readonly work: string;
  readonly env: Variables;
  readonly surroundings: Surroundings;
  readonly bounds?: Partial<Bounds>;
};

/** Sign-ins whose browser runs on another machine than this. */
export type SignIns = {
  /**
   * Takes the address at which a browser failed after a sign-in (it begins with http://127.0.0.1), and finishes that sign-in. Gives the
   * app's id; undefined when it is no such address, or no sign-in waits for it. Throws a GatewayError in words when the service refuses.
   */
  finishSignIn(address: string): Promise<string | undefined>;
};

type News = { readonly app: string; readonly signedIn: boolean };

/** Which apps are on, and what was agreed to, by app. */
const RECORDS_KEY = "apps";
const NO_SUCH_APP: TurnedOn = { is: "not-yet", words: "There is no app of that name." };
const BOUNDS: Bounds = { startMs: 60_000, listMs: 10_000, callMs: 60_000, maxBytes: 10 * 1024 * 1024 };

/**
 * Opens it. Apps that are on are connected in the background: opening waits for none. Without one, nothing of the protocol is loaded.
 */
export async function openCatalog(setup: CatalogSetup): Promise<Catalog & SignIns> {
  const { entries, settings, surroundings } = setup;
  const followers = new Set<(news: News) => void>();
  const tell = (news: News): void => {
    for (const follower of followers) follower(news);
  };
  const records = new Map(Object.entries((await settings.get<Record<string, AppRecord>>(RECORDS_KEY)) ?? {}));
  let keeping = Promise.resolve();
  const keep = async (app: string, record: AppRecord | undefined): Promise<void> => {
    if (record === undefined) records.delete(app);
    else records.set(app, record);
    // One after another: the last one to be written is the newest.
    const written = keeping.then(async () => await settings.set(RECORDS_KEY, Object.fromEntries(records)));
    keeping = written.catch(() => undefined);
    await written;
  };
  const cache: { items?: readonly Item[]; skills?: readonly Item[]; tools?: readonly Tool[] } = {};
  const forgetCache = (): void => {
    delete cache.items;
    delete cache.tools;
  };
  const finishing = new Set<Promise<void>>();
  const signIns = openSignIns(
    settings,
    openVault<Secrets>(setup.folder, settings, surroundings.random),
    surroundings,
    ({ id }) => {
      const done: Promise<void> = (async () => {
        try {
          await apps.get(id)?.signedIn();
        } catch (err) {
          surroundings.log.error({ app: id, err }, "an app can't be turned on after its sign-in");
        }
        forgetCache();
        tell({ app: id, signedIn: true });
      })().finally(() => finishing.delete(done));
      finishing.add(done);
    },
  );
  const around: AppAround = {
    env: setup.env,
    work: setup.work,
    folder: setup.folder,
    bounds: { ...BOUNDS, ...setup.bounds },
    surroundings,
    signIns,
    keep,
    changed: (app, itself) => {
      forgetCache();
      if (itself) tell({ app, signedIn: false });
    },
  };
  const apps = new Map(entries.map((entry) => [entry.id, new App(entry, records.get(entry.id), around)]));
  const skills = await openSkills(setup.skillsFolder, { settings, clock: surroundings.clock });
  for (const app of apps.values()) app.start();

  return {
    get items() {
      if (cache.items === undefined || cache.skills !== skills.items) {
        cache.skills = skills.items;
        cache.items = [...[...apps.values()].map((app) => app.item), ...cache.skills];
      }
      return cache.items;
    },
    get tools() {
      cache.tools ??= [...apps.values()].flatMap((app) => app.tools);
      return cache.tools;
    },
    async turnOn(kind: TargetKind, id, how, signal) {
      if (kind === "skill") return await skills.turnOn(id, how);
      return (await apps.get(id)?.turnOn(signal)) ?? NO_SUCH_APP;
    },
    async turnOff(kind, id) {
      await (kind === "skill" ? skills.turnOff(id) : apps.get(id)?.turnOff());
    },
    agree: async (id, signal) => (await apps.get(id)?.agree(signal)) ?? NO_SUCH_APP,
    skill: async (id) => await skills.skill(id),
    changes: (signal) => follow(followers, signal),
    async finishSignIn(address) {
      const url = URL.parse(address.trim());
      // The person has pressed for it in the chat: what they paste is looked at for nothing but a sign-in that waits.
      const ours = url?.protocol === "http:" && url.hostname === "127.0.0.1" && url.pathname === "/callback";
      if (!ours) return undefined;
      return (await signIns.finish(url.searchParams))?.id;
    },
    async [Symbol.asyncDispose]() {
      await signIns[Symbol.asyncDispose]();
      await Promise.allSettled(finishing);
      await Promise.all([...apps.values()].map(async (app) => await app[Symbol.asyncDispose]()));
      await keeping;
    },
  };
}

/** Hears from now on, whenever it is read. */
function follow(followers: Set<(news: News) => void>, signal: AbortSignal): AsyncIterable<News> {
  const waiting: News[] = [];
  let wake = Promise.withResolvers<void>();
  const hear = (news: News): void => {
    waiting.push(news);
    wake.resolve();
  };
  followers.add(hear);
  const stop = (): void => {
    followers.delete(hear);
    wake.resolve();
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return (async function* () {
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers();
      for (const news of waiting.splice(0)) if (!signal.aborted) yield news;
    }
  })();
}
