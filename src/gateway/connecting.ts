// Every channel of a gateway kept connected, each by itself: its menu set, its bot handed over, its people answered in turn.
import type { Platform } from "../core/channel.ts";
import type { Clock, Surroundings } from "../core/surroundings.ts";
import type { Store } from "../store/port.ts";
import { MENU } from "./commands.ts";
import { supervise, type ChannelState, type SuperviseParts } from "./supervise.ts";
import { nobodyLeft, personsTurn, type WhoseTurnParts } from "./whose-turn.ts";

/** What channels are kept connected with. `states`: of each platform, in their order. */
export type ConnectingParts = {
  readonly store: Store;
  readonly platforms: ReadonlyMap<string, Platform>;
  readonly states: readonly ChannelState[];
  readonly take: SuperviseParts["take"];
  /** Hands a pairing code over, where an owner may be paired. */
  readonly invite: (platform: string) => Promise<void>;
  readonly turns: Omit<WhoseTurnParts, "store">;
  readonly surroundings: Surroundings;
};

/** How each platform does before it is connected. */
export function statesOf(platforms: ReadonlyMap<string, Platform>, clock: Clock): readonly ChannelState[] {
  return [...platforms.keys()].map((name) => ({ name, state: "connecting", since: clock.now() }));
}

/** Runs every channel until the signal fires or it has no more; a promise each. */
export function connectAll(parts: ConnectingParts, signal: AbortSignal): readonly Promise<void>[] {
  const { store, platforms, states, take, invite, surroundings } = parts;
  const turns = { ...parts.turns, store };

  /** A menu is set when it differs from what was set last, not at every start: platforms limit how often it may be. */
  const setMenu = async ({ outlet }: Platform): Promise<void> => {
    const menu = JSON.stringify(MENU);
    if ((await store.records.cursor(`menu/${outlet.name}`)) === menu) return;
    await outlet.menu(MENU, signal);
    await store.commit([{ do: "cursor", name: `menu/${outlet.name}`, value: menu }]);
  };

  return [...platforms.values()].map(async (platform, at) => {
    const state = states[at];
    const { name } = platform.channel;
    const supervised: SuperviseParts = {
      ...{ store, take, surroundings },
      answered: async () => void (await personsTurn(name, turns, signal)),
      left: async () => await nobodyLeft(name, turns, signal),
      connected: async () => {
        await setMenu(platform);
        await invite(name);
      },
    };
    if (state !== undefined) await supervise(platform.channel, state, supervised, signal);
  });
}
