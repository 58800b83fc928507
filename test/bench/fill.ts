// A data folder as after years: many conversations, each with a log of whole exchanges.
import type { EntryBody } from "../../src/core/conversation.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openStore } from "../../src/store/open.ts";
import type { Change } from "../../src/store/port.ts";

const PER_COMMIT = 50;
/** What one exchange adds to a log. */
export const ENTRIES_PER_EXCHANGE = 5;
const DAY_MS = 86_400_000;

/** Fills a folder through the store's own port, as large commits. */
export async function fillStore(folder: string, conversations: number, entriesEach: number): Promise<void> {
  const from = Date.now() - 400 * DAY_MS;
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  await using store = await openStore({ folder, clock: realClock, random: realRandom, log: silent });
  for (let first = 0; first < conversations; first += PER_COMMIT) {
    const changes: Change[] = [];
    for (let nth = first; nth < Math.min(first + PER_COMMIT, conversations); nth += 1) {
      changes.push(...talk(nth, Math.ceil(entriesEach / ENTRIES_PER_EXCHANGE), from + nth * 3_000_000).changes);
    }
    await store.commit(changes);
  }
  // As after a run: all of it was shown.
  await store.commit([{ do: "cursor", name: "outbox", value: String(await store.log.head()) }]);
}

/** One conversation of whole exchanges, and the changes that make it. */
export function talk(
  nth: number,
  exchanges: number,
  from: number,
): { readonly id: string; readonly changes: readonly Change[] } {
  const id = `conversation-${nth}`;
  const chat = String(5_000_000 + nth);
  const room = { platform: "telegram", chat, kind: "private" } as const;
  const changes: Change[] = [{ do: "open", id, room, person: "telegram/1001", title: `Talk ${nth}`, at: from }];
  for (let exchange = 0; exchange < exchanges; exchange += 1) {
    const at = from + exchange * 60_000;
    for (const body of bodies(`turn-${nth}-${exchange}`, exchange, at)) {
      changes.push({ do: "append", conversation: id, body, at });
    }
  }
  return { id, changes };
}

function bodies(turn: string, exchange: number, at: number): readonly EntryBody[] {
  const messageId = String(2 * exchange + 1);
  const upTo = exchange * ENTRIES_PER_EXCHANGE + 1;
  const usage = { model: "test-model", inputTokens: 900, outputTokens: 80, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return [
    {
      kind: "message",
      message: {
        from: { platform: "telegram", id: "1001", name: "Sam", role: "owner" },
        at,
        ids: [messageId],
        parts: [
          {
            kind: "text",
            text: `Question ${exchange}: which way does the water run?`,
            messageId,
            origin: { kind: "own" },
          },
        ],
      },
    },
    { kind: "turn-started", turn, engine: "local", upTo, attendance: "owner", again: false },
    {
      kind: "text",
      turn,
      part: 0,
      text: `Answer ${exchange}. ${"Out at ebb, in at flood, and not at all between. ".repeat(4)}`,
    },
    { kind: "usage", turn, engine: "local", usage },
    { kind: "turn-ended", turn, reason: "done" },
  ];
}
