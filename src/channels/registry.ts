// Which platforms there are. Each is loaded only when the config names it.
import type { Platform } from "../core/channel.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { DiscordSettings } from "./discord/channel.ts";
import type { SlackSettings } from "./slack/channel.ts";
import type { TelegramSettings } from "./telegram/channel.ts";
import type { TerminalOptions } from "./terminal/channel.ts";

// What doctor and init tell a person to set up at a platform's own site. Neither file loads its SDK.
export { discordInvite, DISCORD_PERMISSIONS } from "./discord/invite.ts";
export { SLACK_PATH, SLACK_SCOPES, slackManifest, type SlackScope } from "./slack/manifest.ts";

/** A platform's name with its settings from the config. */
export type ChannelChoice =
  | { readonly name: "telegram"; readonly settings: TelegramSettings }
  | { readonly name: "slack"; readonly settings: SlackSettings }
  | { readonly name: "discord"; readonly settings: DiscordSettings }
  | { readonly name: "terminal"; readonly settings: TerminalOptions };

/** Makes both ports of a platform; nothing is asked of it before `inbound` is pulled. */
export async function connectChannel(choice: ChannelChoice, surroundings: Surroundings): Promise<Platform> {
  switch (choice.name) {
    case "telegram": {
      const { telegram } = await import("./telegram/channel.ts");
      return telegram(choice.settings, surroundings);
    }
    case "slack": {
      const { slack } = await import("./slack/channel.ts");
      return slack(choice.settings, surroundings);
    }
    case "discord": {
      const { discord } = await import("./discord/channel.ts");
      return discord(choice.settings, surroundings);
    }
    case "terminal": {
      const { terminal } = await import("./terminal/channel.ts");
      return terminal(choice.settings, surroundings);
    }
  }
}
