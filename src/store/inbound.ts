// Raw updates: kept before they are acknowledged, known by the platform's own key for ever.
import type { RawUpdate } from "../core/channel.ts";
import type { Database } from "./database.ts";
import type { InboundRow, InboundRows } from "./port.ts";

/** Stores those whose key is new and gives their rows. */
export function keep(
  database: Database,
  channel: string,
  updates: readonly RawUpdate[],
  at: number,
): readonly InboundRow[] {
  return updates.flatMap(({ key, raw }) => {
    const row = database.get(
      "INSERT INTO inbound (channel, key, raw, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
      ...[channel, key, JSON.stringify(raw) ?? "null", at],
    ) as { id: number } | undefined;
    return row === undefined ? [] : [{ id: row.id, channel, key, raw, at }];
  });
}

/** Marks rows done; those that are done already stay as they were. `forget`: what they held goes, done before or not. */
export function finish(database: Database, ids: readonly number[], outcome: string, forget: boolean): void {
  for (const id of ids) {
    database.run("UPDATE inbound SET done = 1, outcome = ? WHERE id = ? AND done = 0", outcome, id);
    if (forget) database.run("UPDATE inbound SET raw = NULL WHERE id = ?", id);
  }
}

/**
 * Ties done rows to the conversation that they became part of, so that deleting it takes their raw text too. Of a row that
 * became part of several, only the key is kept: each of them must be able to take it all.
 */
export function tie(database: Database, ids: readonly number[], conversations: ReadonlySet<string>): void {
  const [first] = conversations;
  if (first === undefined) return;
  for (const id of ids) {
    database.run(
      `UPDATE inbound SET raw = CASE WHEN ? OR coalesce(conversation, ?) <> ? THEN NULL ELSE raw END, conversation = ?
       WHERE id = ?`,
      ...[Number(conversations.size > 1), first, first, first, id],
    );
  }
}

export function findInbound(database: Database): Pick<InboundRows, "pending"> {
  return {
    async pending(channel) {
      return (
        database.all(
          "SELECT id, key, raw, at FROM inbound WHERE channel = ? AND done = 0 ORDER BY id",
          channel,
        ) as readonly { id: number; key: string; raw: string; at: number }[]
      ).map(({ id, key, raw, at }) => ({ id, channel, key, raw: JSON.parse(raw) as unknown, at }));
    },
  };
}
