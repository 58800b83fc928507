// From the config to the platforms that are to be connected, and to who the owner is on each.
import type { ChannelChoice } from "../channels/registry.ts";
import type { Pace } from "../core/channel.ts";
import type { Config } from "./config.ts";

/** The screen and keyboard of whoever started the program. */
export type Terminal = Extract<ChannelChoice, { name: "terminal" }>["settings"];

/** The platforms that a config names. A terminal is there only when it is asked for, since there is just one. */
export function channelChoices({ channels, owner, pace }: Config, terminal: Terminal): readonly ChannelChoice[] {
  const { telegram, slack, discord } = channels;
  const choices: readonly (ChannelChoice | undefined)[] = [
    telegram && { name: "telegram", settings: { ...telegram, pace: stated(pace.telegram) } },
    slack && { name: "slack", settings: { ...slack, pace: stated(pace.slack) } },
    discord && { name: "discord", settings: { ...discord, ...ownerOf(owner.discord), pace: stated(pace.discord) } },
    channels.terminal && { name: "terminal", settings: terminal },
  ];
  return choices.filter((choice) => choice !== undefined);
}

/** Who the owner is, on the platforms where the config says so. */
export function ownerIds({ telegram, slack, discord }: Config["owner"]): ReadonlyMap<string, string> {
  return new Map(
    Object.entries({ telegram, slack, discord }).filter((one): one is [string, string] => one[1] !== undefined),
  );
}

function ownerOf(owner: string | undefined): { readonly owner?: string } {
  return owner === undefined ? {} : { owner };
}

/** What is left out stays the platform's own. */
function stated(pace: Readonly<Record<string, number | undefined>> = {}): Partial<Pace> {
  return Object.fromEntries(Object.entries(pace).filter(([, value]) => value !== undefined));
}
