// What a turn is at, where a platform has no drafts of its own: one quiet message that is edited, and at the end says where the steps
// are found. Its rows are forgotten once they are shown.
import type { Conversation } from "../core/conversation.ts";
import type { Reply } from "../core/reply.ts";
import type { Random } from "../core/surroundings.ts";
import { PASSING_KEY, type Change, type OutgoingRow, type Store } from "../store/port.ts";

const KEY_BYTES = 9;

/** What the line works with. `planned`: a reply as rows of the outbox, and `take` hands those on. */
export type DoingParts = {
  readonly store: Pick<Store, "commit" | "outbox">;
  readonly random: Random;
  readonly planned: (reply: Reply) => Change;
  readonly take: (rows: readonly OutgoingRow[]) => void;
  /** What people type before a command's name. */
  readonly commandPrefix: string;
};

/** One turn's line. */
export type DoingStatus = {
  /** Empty words: nothing just now. `waits`: for a person. A line that never stood there begins with words. */
  show(words: string, waits: boolean): Promise<void>;
  /** The turn is over. A line that never stood there shows nothing. */
  end(): Promise<void>;
};

export function doingStatus(
  { id, room }: Pick<Conversation, "id" | "room">,
  turn: string,
  parts: DoingParts,
): DoingStatus {
  const { store, random, planned, take, commandPrefix } = parts;
  const stop = random.key(KEY_BYTES);
  const key = `${PASSING_KEY}doing/${turn}`;
  let last: string | undefined;
  const commit = async (changes: readonly Change[]): Promise<void> => {
    const done = await store.commit(changes, { sync: false });
    if (done.ok) take(done.rows);
  };
  /** Over before it could be shown: it would only stand below the answer. False when it stands there, or is just being shown. */
  const withdrawn = async (): Promise<boolean> => {
    if ((await store.outbox.shown(room, key, 0)) !== undefined) return false;
    const open = (await store.outbox.open()).filter((row) => row.key === key);
    if (open.some(({ state }) => state !== "planned")) return false;
    const done = await store.commit(
      open.map(({ id: row, state, attempt }) => ({
        ...{ do: "outgoing", id: row, from: { state, attempt } },
        to: { state: "refused", attempt, detail: "what it said is over" },
      })),
      { sync: false },
    );
    return done.ok;
  };
  return {
    async show(words, waits) {
      const text = waits ? "_Waiting for you_" : words === "" ? "_Thinking …_" : words;
      if (text === last || (last === undefined && (waits || words === ""))) return;
      const button: readonly Change[] =
        last === undefined ? [{ do: "button", key: stop, button: { conversation: id, does: "stop", turn } }] : [];
      last = text;
      await commit([...button, planned({ key, text, rows: [[{ label: "Stop", press: stop }]], quiet: true })]);
    },
    async end() {
      if (last === undefined || (await withdrawn())) return;
      const text = `${commandPrefix}activity shows what I did here.`;
      await commit([planned({ key, text, rows: [], quiet: true })]);
    },
  };
}
