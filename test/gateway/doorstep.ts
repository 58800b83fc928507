// For the tests of who may speak: a real store in memory, a clock moved by hand, and short ways to say who and where.
import { randomBytes } from "node:crypto";
import type { Sender } from "../../src/core/channel.ts";
import type { Person, Room } from "../../src/core/message.ts";
import type { Surroundings } from "../../src/core/surroundings.ts";
import { People, type AccessRules } from "../../src/gateway/people.ts";
import { openStore } from "../../src/store/open.ts";
import type { Known, Store } from "../../src/store/port.ts";

export const MINUTE = 60_000;
export const HOUR: number = 60 * MINUTE;
export const DAY: number = 24 * HOUR;

export const RULES: AccessRules = { guests: "ask", groups: "mention", guestHourly: 20, guestDaily: 60 };
export const GROUP: Room = { platform: "telegram", chat: "-100", kind: "shared" };

export const alone = (id: string, platform = "telegram"): Room => ({ platform, chat: id, kind: "private" });
export const sender = (id: string, name = `Name ${id}`): Sender => ({ id, name, bot: false });
export const owner = (id: string, platform = "telegram"): Person => ({ platform, id, name: "Sam", role: "owner" });
export const known = (id: string, standing: Known["standing"], more: Partial<Known> = {}): Known => ({
  platform: "telegram",
  id,
  kind: id.startsWith("-") ? "group" : "person",
  name: `Name ${id}`,
  standing,
  at: 1,
  ...more,
});

/** A store with everything around it. `people` reads it anew, as a restart does; `owners`: ids by the config. */
export type Doorstep = {
  readonly store: Store;
  readonly surroundings: Surroundings;
  readonly now: () => number;
  readonly wait: (ms: number) => void;
  readonly people: (rules?: Partial<AccessRules>, owners?: Readonly<Record<string, string>>) => Promise<People>;
} & AsyncDisposable;

export async function doorstep(): Promise<Doorstep> {
  let now = 1_700_000_000_000;
  const silent = (): void => undefined;
  const surroundings: Surroundings = {
    clock: { now: () => now, sleep: async () => undefined, soon: (task) => void setImmediate(task) },
    random: { key: (bytes) => randomBytes(bytes).toString("base64url"), fraction: () => 0.5 },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  };
  const store = await openStore({ folder: ":memory:", ...surroundings });
  return {
    store,
    surroundings,
    now: () => now,
    wait: (ms) => (now += ms),
    people: async (rules = {}, owners = { telegram: "1001" }) =>
      await People.open(
        store,
        { name: "Sam", ids: new Map(Object.entries(owners)) },
        { ...RULES, ...rules },
        surroundings.clock,
      ),
    [Symbol.asyncDispose]: async () => await store[Symbol.asyncDispose](),
  };
}
