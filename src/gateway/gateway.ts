// The parts put together, without anything of the machine: what main opens with the real ones, and a simulation with its own.
import { openAdmission } from "./admission.ts";
import { openCardDesk } from "./card-desk.ts";
import { connectAll, statesOf } from "./connecting.ts";
import { deleteChat, deleteConversation, sweepFolders } from "./deleting.ts";
import { chooseEngines } from "./engine-choice.ts";
import { forgetting } from "./forgetting.ts";
import { Inbox } from "./inbox.ts";
import { waysOut } from "./last-hop.ts";
import { followSignIns, leaf, type LeafingParts } from "./leafing.ts";
import { Outbox } from "./outbox.ts";
import type { Gateway, GatewayParts } from "./parts.ts";
import { People } from "./people.ts";
import { Queue } from "./queue.ts";
import { isWaiting, showHome, statusLines, statusOf, STATUS_WORDS } from "./status.ts";

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
  const people = await People.open(store, parts.owner, parts.access, clock);
  const states = statesOf(platforms, clock);
  const { engineOf, folder, exposed, files } = chooseEngines(parts, people);
  const desk = openCardDesk({ parts, people, ways, states, files, signal });
  const { approvals, questions, waiting } = desk;
  const outbox = new Outbox(store, ways, surroundings, parts.holdBack, (conversation) =>
    isWaiting(conversation, waiting),
  );
  const queue = new Queue({
    store,
    outbox,
    engineOf,
    locked: exposed,
    tools: parts.tools,
    cards: desk.forTurns,
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

  const { doorway, limits, invites, invite } = openAdmission(
    parts,
    people,
    outbox,
    async (room, person, task) => await inbox.within(room, person, task),
  );
  const { search, catalog } = parts;
  const lines = async (): Promise<readonly string[]> =>
    await statusLines(states, { store, queue, search, waits: waiting });
  const leafing: LeafingParts = {
    store,
    search,
    outbox,
    ways,
    acts: { catalog, store, signal },
    drawing: new Set(),
    signIns: new Map(),
    surroundings,
  };
  const cards = desk.withQueue(queue);
  const deleting = {
    store,
    search,
    queue,
    forgetting: forgetting(parts),
    workFolder: files,
    owner: parts.owner.name,
    leave: cards.leave,
    surroundings,
  };
  const inbox: Inbox = new Inbox({
    ...{ store, platforms, doorway, limits, questions, joinWithinMs: parts.joinWithinMs },
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
      leave: cards.leave,
      nowIn: (conversation) => STATUS_WORDS[statusOf(conversation, { queue, waits: waiting })],
      statusLines: lines,
      surroundings,
    },
    presses: {
      ...{ store, queue, outbox, approvals, questions, people, mode: parts.mode, engineNames: parts.engineNames, ways },
      card: cards.press,
      leaf: async (button, conversation, how) => await leaf(button, conversation, how, leafing),
      ...{ moveOn: cards.moveOn, leave: cards.leave },
      deleteChat: async (conversation, rows) => await deleteChat(conversation, rows, deleting),
      ...{ surroundings, signal },
    },
    finishSignIn: async (address) => await parts.finishSignIn?.(address),
    home: async (opened) => await showHome({ ways, people, statusLines: lines, surroundings, signal }, opened),
    workFolder: files,
    scrub: parts.scrub,
    surroundings,
    signal,
  });

  const settled = async (on?: string): Promise<void> => {
    await inbox.settled(on);
    await Promise.all([cards.settled(), ...leafing.drawing]);
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

  await sweepFolders(parts.work, store);
  await desk.restore();
  await outbox.open();
  await queue.open(new Set(platforms.keys()));
  await cards.open();
  const turns = {
    ...{ approvals, questions, settled },
    heard: async (on: string) => await inbox.settled(on),
    shown: async (on: string) => await outbox.settled(on),
  };
  const take: Inbox["take"] = (rows) => inbox.take(rows);
  const channels = connectAll({ store, platforms, states, take, invite, turns, surroundings }, signal);
  const following = followSignIns(leafing, signal);
  const pruning = prune().catch(() => undefined);
  const catchingUp = deleting.forgetting.carryOut().catch((error: unknown) => {
    log.warn({ err: error }, "sessions of deleted chats can't be forgotten");
  });
  return {
    states,
    queue,
    people,
    catalog,
    tools: parts.tools,
    invites,
    ended: Promise.all(channels).then(async () => {
      // Disposed, nothing is waited for any more: the store may be closed by then.
      if (!signal.aborted) await settled();
    }),
    settled: async () => await settled(),
    async archive(conversation) {
      if ((await store.conversations.get(conversation)) === undefined) return false;
      await queue.end(conversation);
      await cards.leave({ id: conversation });
      return (await store.commit([{ do: "archive", conversation, archived: true }])).ok;
    },
    delete: async (conversation) => (await deleteConversation(conversation, deleting)) !== undefined,
    async [Symbol.asyncDispose]() {
      over.abort();
      await cards[Symbol.asyncDispose]();
      await Promise.all([...channels, pruning, catchingUp, following, ...leafing.drawing]);
      await queue[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}
