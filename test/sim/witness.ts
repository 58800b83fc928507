// Sees every change that the store really made, whichever life of the gateway asked for it and whether it ever learned of it.
import type { Entry } from "../../src/core/conversation.ts";
import type { Change, Committed, OutgoingRow, Store } from "../../src/store/port.ts";

/** One transaction that was done; `deleted`: it took a conversation away. */
export type Witnessed = {
  readonly at: number;
  readonly life: number;
  readonly changes: readonly Change[];
  readonly entries: readonly Entry[];
  readonly rows: readonly OutgoingRow[];
  readonly deleted?: string;
};

export type Witness = {
  readonly done: Witnessed[];
  /** By the platform's key, the inbound row and when it was kept. */
  readonly kept: Map<string, { readonly id: number; readonly at: number }>;
};

export function witness(): Witness {
  return { done: [], kept: new Map() };
}

export type WitnessParts = {
  readonly now: () => number;
  readonly life: number;
  readonly trace: (line: string) => void;
  /** Told when a deletion begins (1) and when it is over (-1). */
  readonly deleting: (by: 1 | -1) => void;
};

/** The store with a witness in front. */
export function witnessed(store: Store, seen: Witness, { now, life, trace, deleting }: WitnessParts): Store {
  return {
    ...store,
    async commit(changes) {
      const committed: Committed = await store.commit(changes);
      trace(`commit ${JSON.stringify(changes)} ${committed.ok ? "ok" : committed.because}`);
      if (committed.ok) seen.done.push({ at: now(), life, changes, entries: committed.entries, rows: committed.rows });
      return committed;
    },
    conversations: {
      ...store.conversations,
      async delete(id) {
        deleting(1);
        try {
          const sessions = await store.conversations.delete(id);
          seen.done.push({ at: now(), life, changes: [], entries: [], rows: [], deleted: id });
          trace(`deleted ${id}`);
          return sessions;
        } finally {
          deleting(-1);
        }
      },
    },
    inbound: {
      ...store.inbound,
      async keep(channel, updates, at) {
        const rows = await store.inbound.keep(channel, updates, at);
        for (const row of rows) seen.kept.set(row.key, { id: row.id, at: now() });
        trace(`kept ${rows.map((row) => row.key).join(" ")}`);
        return rows;
      },
    },
  };
}
