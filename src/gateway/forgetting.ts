// What engines keep of deleted chats. It is noted before a chat's rows go, so that neither a crash nor a program that is missing just
// then leaves a session behind that nothing leads to any more.
import type { Engine } from "../core/engine.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { EngineSession, Store } from "../store/port.ts";

/** One session that is to go with its chat. */
type Doomed = Pick<EngineSession, "conversation" | "engine" | "resumeId">;

/** Forgets sessions of chats that are gone, sooner or later. */
export type Forgetting = {
  /** Notes what engines keep of a chat. Call it before the chat is deleted; of one that stays after all nothing is forgotten. */
  readonly note: (conversation: string) => Promise<void>;
  /** Has all be forgotten that is noted of chats that are gone. Gives what can't be forgotten now, which stays noted. */
  readonly carryOut: () => Promise<readonly Doomed[]>;
};

/** Under which the notes are kept. */
const KEY = "sessions-to-forget";
/** An engine that needs longer is asked again at the next start. */
const FORGET_LIMIT_MS = 10_000;

export function forgetting(parts: {
  readonly store: Store;
  readonly engine: (name: string) => Promise<Engine>;
  readonly surroundings: Surroundings;
}): Forgetting {
  const { store, engine: engineOf, surroundings } = parts;
  const { clock, log } = surroundings;
  /** Noted in this life: such a chat may be about to go, though it is still there when another's deletion looks. */
  const going = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, since each reads the notes and writes them back. */
  const inTurn = async <T>(run: () => Promise<T>): Promise<T> => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return await mine;
  };
  const noted = async (): Promise<readonly Doomed[]> => (await store.settings.get<readonly Doomed[]>(KEY)) ?? [];
  const forget = async ({ engine: name, resumeId }: Doomed): Promise<boolean> => {
    const done = new AbortController();
    try {
      const late = clock.sleep(FORGET_LIMIT_MS, done.signal).then(() => {
        throw new Error("it takes too long");
      });
      late.catch(() => undefined);
      const engine = await engineOf(name);
      await Promise.race([engine.forget(resumeId), late]);
      return true;
    } catch (error) {
      log.warn({ err: error, engine: name }, "a deleted chat's session can't be forgotten now; each start tries again");
      return false;
    } finally {
      done.abort();
    }
  };
  return {
    note: async (conversation) =>
      await inTurn(async () => {
        const sessions = await store.records.sessions(conversation);
        if (sessions.length === 0) return;
        going.add(conversation);
        const doomed = sessions.map(({ engine, resumeId }): Doomed => ({ conversation, engine, resumeId }));
        await store.settings.set(KEY, [...(await noted()), ...doomed]);
      }),
    carryOut: async () =>
      await inTurn(async () => {
        const all = await noted();
        if (all.length === 0) return [];
        const left: Doomed[] = [];
        for (const one of all) {
          // A deletion that an earlier life did not end: the chat goes on with its session.
          const stays = (await store.conversations.get(one.conversation)) !== undefined;
          if (stays ? going.has(one.conversation) : !(await forget(one))) left.push(one);
        }
        if (left.length === 0) await store.settings.delete(KEY);
        else await store.settings.set(KEY, left);
        return left;
      }),
  };
}
