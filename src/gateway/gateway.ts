// The parts put together, without anything of the machine: what main opens with the real ones, and a simulation with its own.
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Platform } from "../core/channel.ts";
import type { Conversation } from "../core/conversation.ts";
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import type { InboundRow, Store } from "../store/port.ts";
import type { Access } from "./access.ts";
import { CONVERSATION_ID, MENU, openConversation } from "./commands.ts";
import { Inbox } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import type { Way } from "./plans.ts";
import { Queue } from "./queue.ts";
import { supervise, type ChannelState } from "./supervise.ts";

/** All that a gateway is made of. It owns none of it: the store, platforms and engines are disposed by who made them. */
export type GatewayParts = {
  readonly store: Store;
  readonly platforms: ReadonlyMap<string, Platform>;
  /** The engine of a name, made when it is first asked for; a missing one answers so in words. */
  readonly engine: (name: string) => Promise<Engine>;
  readonly engineNames: readonly string[];
  readonly defaultEngine: string;
  readonly tools: readonly Tool[];
  readonly access: Access;
  readonly groups: "off" | "mention";
  readonly joinWithinMs: number;
  readonly owner: string;
  readonly work: string;
  readonly scrub: (text: string) => string;
  readonly surroundings: Surroundings;
};

/** A running gateway. */
export type Gateway = {
  readonly states: readonly ChannelState[];
  readonly queue: Queue;
  /** Resolves when every channel has ended by itself and all of it is answered and shown. */
  readonly ended: Promise<void>;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
  archive(conversation: string): Promise<boolean>;
  /** Deletes a conversation without traces; false when there is none. */
  delete(conversation: string): Promise<boolean>;
  [Symbol.asyncDispose](): Promise<void>;
};

const DAY_MS = 86_400_000;
/** Raw updates and the text of what was shown are kept this long. */
const KEEP_MS = 7 * DAY_MS;

const STATE_WORDS: Readonly<Record<ChannelState["state"], string>> = {
  connecting: "connecting",
  connected: "connected",
  retrying: "not connected, trying again",
  stopped: "stopped",
  ended: "ended",
};

function channelName(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Opens a gateway: takes up what was left, connects every channel, and runs until disposed. */
export async function openGateway(parts: GatewayParts): Promise<Gateway> {
  const { store, platforms, surroundings } = parts;
  const { clock, log } = surroundings;
  const over = new AbortController();
  const { signal } = over;
  const workFolder = (conversation: string): string => join(parts.work, conversation);
  const ways: ReadonlyMap<string, Way> = new Map(
    [...platforms].map(([name, { channel, outlet }]) => [name, { outlet, limits: channel.limits }]),
  );
  const outbox = new Outbox(store, ways, surroundings);
  const engineOf = async (conversation: Conversation): Promise<Engine> =>
    await parts.engine(conversation.engine ?? parts.defaultEngine);
  const queue = new Queue({
    store,
    outbox,
    engineOf,
    tools: parts.tools,
    owner: parts.owner,
    workFolder,
    surroundings,
  });
  const states = [...platforms.keys()].map((name): ChannelState => ({ name, state: "connecting", since: clock.now() }));

  const deleteConversation = async (id: string): Promise<Conversation | undefined> => {
    const conversation = await store.conversations.get(id);
    if (conversation === undefined) return undefined;
    // What is said from now on belongs to a new chat: it must not go with this one.
    await store.commit([{ do: "archive", conversation: id, archived: true }]);
    const sessions = await queue.close(id, async () => {
      // Files first: once the rows are gone, nothing leads to them any more.
      await rm(workFolder(id), { recursive: true, force: true });
      return await store.conversations.delete(id).catch(async (error: unknown) => {
        if ((await store.conversations.get(id)) !== undefined) throw error;
        log.warn(
          { err: error, conversation: id },
          "a chat is deleted; its last traces in the data file go at the next start",
        );
        return [];
      });
    });
    for (const session of sessions) {
      const engine = await parts.engine(session.engine);
      await engine
        .forget(session.resumeId)
        .catch((error: unknown) => log.warn({ err: error, engine: session.engine }, "a session can't be forgotten"));
    }
    return conversation;
  };

  /** After a deletion asked for in the chat, the current conversation says so, or a new one where there is none. */
  const deleteChat = async (id: string, inbound: readonly number[]): Promise<string> => {
    const conversation = await deleteConversation(id);
    if (conversation === undefined) return "It is deleted already.";
    const { platform } = conversation.room;
    const person = conversation.person.slice(platform.length + 1);
    const current = await store.conversations.current(conversation.room, conversation.person);
    const next =
      current === undefined
        ? openConversation(conversation.room, { platform, id: person, name: parts.owner, role: "owner" }, surroundings)
        : { id: current.id, changes: [] };
    await store.commit([
      ...next.changes,
      {
        do: "append",
        conversation: next.id,
        at: clock.now(),
        body: {
          kind: "notice",
          text: "That chat is deleted: its messages, its files and all that was kept of it here. Your next message starts a new one.",
          quiet: true,
        },
      },
      { do: "inbound-done", ids: inbound, outcome: "deleted", forget: true },
    ]);
    return "Deleted.";
  };

  const statusLines = async (): Promise<readonly string[]> => {
    const { planned, unknown, refused } = await store.outbox.counts();
    const count = (number: number, one: string, many: string): readonly string[] =>
      number === 0 ? [] : [number === 1 ? `1 ${one}` : `${number} ${many}`];
    return [
      ...states.map(
        (one) =>
          `${channelName(one.name)}: ${STATE_WORDS[one.state]}${one.words === undefined ? "" : `. ${one.words}`}`,
      ),
      ...count(planned + unknown, "message waits to be shown", "messages wait to be shown"),
      ...count(
        refused,
        "message could not be shown in the last 7 days",
        "messages could not be shown in the last 7 days",
      ),
      ...(queue.count > 1 ? [`Answers being written in all chats: ${queue.count}`] : []),
    ];
  };

  const inbox = new Inbox({
    store,
    platforms,
    access: parts.access,
    groups: parts.groups,
    joinWithinMs: parts.joinWithinMs,
    queue,
    outbox,
    commands: {
      store,
      queue,
      engines: { names: parts.engineNames, chosen: parts.defaultEngine },
      statusLines,
      surroundings,
    },
    presses: { store, queue, outbox, engineNames: parts.engineNames, ways, deleteChat, surroundings, signal },
    workFolder,
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
      take: (rows: readonly InboundRow[]) => inbox.take(rows),
      settled: async () => await settled(platform.channel.name),
      connected: async () => await setMenu(platform),
      surroundings,
    };
    if (state !== undefined) await supervise(platform.channel, state, supervised, signal);
  });
  const pruning = prune().catch(() => undefined);
  return {
    states,
    queue,
    ended: Promise.all(channels).then(async () => await settled()),
    settled: async () => await settled(),
    async archive(conversation) {
      if ((await store.conversations.get(conversation)) === undefined) return false;
      await queue.end(conversation);
      return (await store.commit([{ do: "archive", conversation, archived: true }])).ok;
    },
    delete: async (conversation) => (await deleteConversation(conversation)) !== undefined,
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all([...channels, pruning]);
      await queue[Symbol.asyncDispose]();
      await outbox[Symbol.asyncDispose]();
    },
  };
}

/** Folders of chats that are gone: a crash in the middle of a deletion may have left one. What isn't named like a chat is left alone. */
async function sweepFolders(work: string, store: Store): Promise<void> {
  const names = await readdir(work).catch(() => []);
  for (const name of names.filter((one) => CONVERSATION_ID.test(one))) {
    if ((await store.conversations.get(name)) === undefined)
      await rm(join(work, name), { recursive: true, force: true });
  }
}
