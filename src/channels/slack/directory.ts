// Names of people and channels, and private chats, by their ids: asked once and remembered for a while. What can't be found out in
// time goes by its id.
import type { Surroundings } from "../../core/surroundings.ts";
import { describeFailure } from "./client.ts";
import type { Client } from "./client.ts";

export type Directory = {
  /** Names for those ids that have one. Never throws. */
  names(people: readonly string[], places: readonly string[], signal: AbortSignal): Promise<Record<string, string>>;
  /** Whether that account is a program's, as far as its name was asked for. A mention doesn't say it by itself. */
  isProgram(user: string): boolean;
  /** The private chat of the bot with that person; undefined when there can be none, or it can't be found out now. */
  chatWith(user: string, signal: AbortSignal): Promise<string | undefined>;
};

/** A message must be acknowledged within three seconds, its name included. */
const LOOKUP_LIMIT_MS = 1500;
const REMEMBERED_MS = 60 * 60_000;
/** After a failed look-up, so that a right that is missing doesn't cost a call per message. */
const UNKNOWN_MS = 5 * 60_000;
const MOST_REMEMBERED = 2000;

type Found = { readonly value: string | undefined; readonly until: number };

export function openDirectory(client: Client, { clock, log }: Surroundings): Directory {
  const found = new Map<string, Found>();
  const programs = new Set<string>();
  const asking = new Map<string, Promise<string | undefined>>();

  const look = async (
    key: string,
    run: () => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    const there = found.get(key);
    if (there !== undefined && there.until > clock.now()) return there.value;
    const running = asking.get(key);
    if (running !== undefined) return await running;
    const ask = (async (): Promise<string | undefined> => {
      const result = await client.call(LOOKUP_LIMIT_MS, signal, run);
      if (!result.ok) log.debug({ why: describeFailure(result.failure) }, "Slack names nothing for an id.");
      const value = result.ok ? result.value : there?.value;
      if (signal.aborted) return value;
      if (found.size >= MOST_REMEMBERED) found.delete(found.keys().next().value ?? "");
      found.set(key, { value, until: clock.now() + (result.ok ? REMEMBERED_MS : UNKNOWN_MS) });
      return value;
    })().finally(() => asking.delete(key));
    asking.set(key, ask);
    return await ask;
  };

  const person = (user: string, signal: AbortSignal): Promise<string | undefined> =>
    look(
      user,
      async () => {
        const { user: found } = await client.api.users.info({ user });
        const { profile } = found ?? {};
        if (found?.is_bot === true) programs.add(user);
        return profile?.display_name || profile?.real_name || found?.real_name || found?.name || undefined;
      },
      signal,
    );

  const place = (channel: string, signal: AbortSignal): Promise<string | undefined> =>
    look(channel, async () => (await client.api.conversations.info({ channel })).channel?.name || undefined, signal);

  return {
    async names(people, places, signal) {
      const entries = await Promise.all([
        ...people.map(async (id) => [id, await person(id, signal)] as const),
        ...places.map(async (id) => [id, await place(id, signal)] as const),
      ]);
      return Object.fromEntries(entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined));
    },
    isProgram: (user) => programs.has(user),
    chatWith: (user, signal) =>
      look(`im/${user}`, async () => (await client.api.conversations.open({ users: user })).channel?.id, signal),
  };
}
