// The Discord channel connected to the loopback platform, for tests.
import { onTestFinished } from "vitest";
import { discord } from "../../src/channels/discord/channel.ts";
import type { DiscordSettings, DiscordTimes } from "../../src/channels/discord/channel.ts";
import type { Platform, Since } from "../../src/core/channel.ts";
import type { Room } from "../../src/core/message.ts";
import type { Showing, Shown } from "../../src/core/reply.ts";
import { ONCE, Pull, recordedSurroundings, reply } from "../contracts/channel.ts";
import { startDiscord } from "../wire/discord.ts";
import type { DiscordOptions, DiscordWire } from "../wire/discord.ts";

export const OWNER = "2001";
export const STRANGER = "2002";
export const PLACE = "3001";
export const never: AbortSignal = new AbortController().signal;

/** Deadlines that a test can wait for; a new session need not wait for the platform's 5 s. */
export const QUICK: DiscordTimes = { identifyGapMs: 0, helloMs: 2000, readyMs: 3000 };

export type Stage = {
  readonly wire: DiscordWire;
  readonly dm: string;
  readonly room: Room;
  readonly platform: Platform & { readonly lines: string[] };
  readonly pull: Pull;
  /** Another one at the same platform, as after a restart. */
  readonly again: (since?: Since) => Pull;
};

export function platformOf(
  wire: DiscordWire,
  settings: Partial<DiscordSettings> = {},
  times: DiscordTimes = {},
): Stage["platform"] {
  const { surroundings, lines } = recordedSurroundings();
  const given = { token: wire.token, apiUrl: wire.apiUrl, owner: OWNER, messageContent: false, ...settings };
  return { ...discord(given, surroundings, { ...QUICK, ...times }), lines };
}

export type StageOptions = {
  readonly wire?: DiscordOptions;
  readonly settings?: Partial<DiscordSettings>;
  readonly times?: DiscordTimes;
};

/** A platform with the owner, a stranger and a channel, and our channel at it, not connected yet. */
export async function stage({ wire: options, settings, times }: StageOptions = {}): Promise<Stage> {
  const wire = await startDiscord(options);
  onTestFinished(() => wire[Symbol.asyncDispose]());
  wire.addUser({ id: OWNER, name: "Sam" });
  wire.addUser({ id: STRANGER, name: "Kim" });
  wire.addChannel(PLACE, "general");
  const dm = wire.dm(OWNER);
  const platform = platformOf(wire, settings, times);
  const open = (platform: Platform, since?: Since): Pull => {
    const pull = new Pull(platform, since);
    onTestFinished(() => pull[Symbol.asyncDispose]());
    return pull;
  };
  const pull = open(platform);
  return {
    wire,
    dm,
    room: { platform: "discord", chat: dm, kind: "private" },
    platform,
    pull,
    again: (since = pull.since) => open(platformOf(wire, settings, times), since),
  };
}

export async function showText(platform: Platform, room: Room, text: string, how: Showing = ONCE): Promise<Shown> {
  const [piece] = platform.outlet.pieces(reply(text));
  if (piece === undefined) throw new Error("Nothing to show.");
  return await platform.outlet.show(room, piece, how, never);
}
