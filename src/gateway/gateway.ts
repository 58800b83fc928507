// The parts put together, without anything of the machine: what main opens with the real ones, and a simulation with its own.
import { Approvals } from "../cards/approvals.ts";
import type { Platform } from "../core/channel.ts";
import { openAdmission } from "./admission.ts";
import { MENU } from "./commands.ts";
import { deleteChat, deleteConversation, sweepFolders } from "./deleting.ts";
import { chooseEngines } from "./engine-choice.ts";
import { Inbox } from "./inbox.ts";
import { waysOut } from "./last-hop.ts";
import { leaf } from "./leafing.ts";
import { Outbox } from "./outbox.ts";
import type { Gateway, GatewayParts } from "./parts.ts";
import { People } from "./people.ts";
import { Queue } from "./queue.ts";
import { showHome, statusLines } from "./status.ts";
import { supervise, type ChannelState } from "./supervise.ts";

const DAY_MS = 86_400_000;
/** Raw updates and the text of what was shown are kept this long. */
const KEEP_MS = 7 * DAY_MS;

/** Opens a gateway: takes up what was left, connects every channel, and runs until disposed. */
export async function openGateway(parts: GatewayParts): Promise<Gateway> {
  const { store, platforms, surroundings } = parts;
  const { clock, log } = surroundings;
  const over = new AbortController();
  const { signal } = over;
  const ways = waysOut(platforms, parts.scrub);
  const outbox = new Outbox(store, ways, surroundings, parts.holdBack);
  const people = await People.open(store, parts.owner, parts.access, clock);
  const approvals = new Approvals(store, surroundings);
  const { engineOf, folder, files } = chooseEngines(parts, people);
  const queue = new Queue({
    store,
    outbox,
    engineOf,
    tools: parts.tools,
    owner: parts.owner.name,
    workFolder: folder,
    authority: {
      approvals,
      mode: parts.mode,
      checkAfterReading: parts.checkAfterReading,
      places: parts.places,
      given: new Set(),
      ownerRoom: () => people.lastPrivate?.room,
    },
    scrub: parts.scrub,
    surroundings,
  });
  const states = [...platforms.keys()].map((name): ChannelState => ({ name, state: "connecting", since: clock.now() }));

  const { doorway, limits, invites, invite } = openAdmission(
    parts,
    people,
    outbox,
    async (room, person, task) => await inbox.within(room, person, task),
  );
  const { search } = parts;
  const lines = async (): Promise<readonly string[]> => await statusLines(states, { store, queue, search });
  const leafing = { store, search, outbox, ways, surroundings };
  const deleting = {
    store,
    search,
    queue,
    engine: parts.engine,
    workFolder: files,
    owner: parts.owner.name,
    surroundings,
  };
  const inbox: Inbox = new Inbox({
    ...{ store, platforms, doorway, limits, joinWithinMs: parts.joinWithinMs },
    queue,
    outbox,
    commands: {
      store,
      queue,
      people,
      leafing,
      mode: parts.mode,
      checkAfterReading: parts.checkAfterReading,
      workFolder: folder,
      engines: { names: parts.engineNames, chosen: parts.defaultEngine },
      statusLines: lines,
      surroundings,
    },
    presses: {
      ...{ store, queue, outbox, approvals, people, mode: parts.mode, engineNames: parts.engineNames, ways },
      leaf: async (button, conversation, how) => await leaf(button, conversation, how, leafing),
      deleteChat: async (conversation, rows) => await deleteChat(conversation, rows, deleting),
      ...{ surroundings, signal },
    },
    home: async (opened) => await showHome({ ways, people, statusLines: lines, surroundings, signal }, opened),
    workFolder: files,
    scrub: parts.scrub,
    surroundings,
    signal,
  });

  const settled = async (on?: string): Promise<void> => {
    await inbox.settled(on);
    await queue.settled(on);
    await outbox.settled(on);
  };
  const prune = async (): Promise<void> => {
    while (!signal.aborted) {
      await store
        .commit([{ do: "prune", before: clock.now() - KEEP_MS }])
        .catch((error: unknown) => log.error({ err: error }, "old rows can't be pruned"));
      await clock.sleep(DAY_MS, signal);
    }
  };

  /** A menu is set when it differs from what was set last, not at every start: platforms limit how often it may be. */
  const setMenu = async ({ outlet }: Platform): Promise<void> => {
    const menu = JSON.stringify(MENU);
    if ((await store.records.cursor(`menu/${outlet.name}`)) === menu) return;
    await outlet.menu(MENU, signal);
    await store.commit([{ do: "cursor", name: `menu/${outlet.name}`, value: menu }]);
  };

  await sweepFolders(parts.work, store);
  await outbox.open();
  await queue.open(new Set(platforms.keys()));
  const channels = [...platforms.values()].map(async (platform, at) => {
    const state = states[at];
    const supervised = {
      store,
      take: (rows: Parameters<Inbox["take"]>[0]) => inbox.take(rows),
      settled: async () => await settled(platform.channel.name),
      connected: async () => {
        await setMenu(platform);
        await invite(platform.channel.name);
      },
      surroundings,
    };
    if (state !== undefined) await supervise(platform.channel, state, supervised, signal);
  });
  const pruning = prune().catch(() => undefined);
  return {
    states,
    queue,
    people,
    invites,
    ended: Promise.all(channels).then(async () => {
      // Disposed, nothing is waited for any more: the store may be closed by then.
      if (!signal.aborted) await settled();
    }),
    settled: async () => await settled(),
    async archive(conversation) {
      if ((await store.conversations.get(conversation)) === undefined) return false;
      await queue.end(conversation);
      return (await store.commit([{ do: "archive", conversation, archived: true }])).ok;
    },
    delete: async (conversation) => (await deleteConversation(conversation, deleting)) !== undefined,
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all([...channels, pruning]);
      await queue[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}
