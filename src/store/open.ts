// Opening the store: for writing, by the one gateway of a data folder, or for reading beside it.
import { statSync } from "node:fs";
import type { Surroundings } from "../core/surroundings.ts";
import { applyChanges } from "./changes.ts";
import { findConversations, readConversations } from "./conversations.ts";
import { eraseFreed, mustErase, removeConversation } from "./erase.ts";
import { makePrivateFile, openForReading, openForWriting, openInMemory, storeFiles } from "./file.ts";
import { findInbound, keep } from "./inbound.ts";
import { followLog, readLog } from "./log.ts";
import { findOutgoing } from "./outbox.ts";
import type { Conversations, Log, Store } from "./port.ts";
import { openQueue } from "./queue.ts";
import { findRecords } from "./records.ts";
import { fileKeyv, memoryKeyv, openSettings, type ConnectKeyv, type KeptSettings } from "./settings.ts";
import { walSync } from "./wal.ts";

const IN_MEMORY = ":memory:";

/**
 * Opens the store of a data folder, making and migrating it as needed; ":memory:" gives one that ends with its disposal. The
 * caller holds the folder's lock (lock.ts) before and until after. Throws `data-newer` for a newer program's file and
 * `data-broken` for one that can't be opened; such a file is left as it is. `syncAside`: the disk is waited for off the event loop,
 * so that a slow one holds up only those who need it.
 */
export async function openStore(
  options: { readonly folder: string; readonly syncAside?: boolean } & Surroundings,
): Promise<Store> {
  const { folder, clock, random, log, syncAside = false } = options;
  const inMemory = folder === IN_MEMORY;
  const ending = new AbortController();
  const wal = syncAside && !inMemory ? walSync(storeFiles(folder).main, options, ending.signal) : undefined;
  const database = inMemory ? openInMemory() : openForWriting(folder);
  const followed = followLog(database);
  const queue = openQueue(database, clock, () => followed.wake(), wal);
  const kept: KeptSettings = {
    read: () =>
      (database.all("SELECT key, value FROM kept_setting") as readonly { key: string; value: string }[]).map(
        ({ key, value }) => [key, JSON.parse(value)] as const,
      ),
    forget: () => queue.add(() => ({ value: database.exec("DELETE FROM kept_setting"), keep: true })),
  };
  const isEmpty = (): boolean =>
    !inMemory && (statSync(storeFiles(folder).settings, { throwIfNoEntry: false })?.size ?? 0) === 0;
  const settings = openSettings(inMemory ? memoryKeyv() : settingsIn(folder), kept, isEmpty);
  const erase = async (): Promise<void> => {
    // Of several deletions in one transaction, the first one's rewriting serves all.
    if (!inMemory && mustErase(database)) await eraseFreed(storeFiles(folder).main);
  };
  const close = async (): Promise<void> => {
    ending.abort();
    await settings[Symbol.asyncDispose]();
    await queue.close();
    followed.end();
    database[Symbol.dispose]();
    await wal?.[Symbol.asyncDispose]();
  };
  let closing: Promise<void> | undefined;

  await erase().catch((thrown: unknown) =>
    log.warn({ err: thrown }, "traces of a deleted chat are still in the data file"),
  );
  return {
    commit: (changes, how) =>
      queue.add(() => {
        const value = applyChanges(database, random, changes);
        return { value, keep: value.ok };
      }, how),
    log: followed,
    conversations: {
      ...findConversations(database),
      delete: (id) =>
        queue.add(
          () => {
            followed.forget(id);
            return { value: removeConversation(database, id), keep: true };
          },
          { after: erase },
        ),
    },
    inbound: {
      ...findInbound(database),
      keep: (channel, updates, at) =>
        queue.add(() => ({ value: keep(database, channel, updates, at), keep: true }), { sync: false }),
    },
    outbox: findOutgoing(database),
    records: findRecords(database),
    settings,
    [Symbol.asyncDispose]() {
      // Whoever asks a second time waits for the same end.
      closing ??= close();
      return closing;
    },
  };
}

/** What can be read beside a live gateway, or when none runs. */
export type ReadOnlyStore = {
  readonly log: Omit<Log, "follow">;
  readonly conversations: Pick<Conversations, "get" | "list">;
} & AsyncDisposable;

/** Opens the store of a data folder for reading; makes and changes nothing. Throws a GatewayError when there is none or it can't be read. */
export async function openReadOnly(folder: string): Promise<ReadOnlyStore> {
  const database = openForReading(folder);
  return {
    log: readLog(database),
    conversations: readConversations(database),
    async [Symbol.asyncDispose]() {
      database[Symbol.dispose]();
    },
  };
}

function settingsIn(folder: string): ConnectKeyv {
  const path = storeFiles(folder).settings;
  const connect = fileKeyv(path);
  return async () => {
    makePrivateFile(path);
    return connect();
  };
}
