// Which platforms there are. Each is loaded only when the config names it.
import type { Platform } from "../core/channel.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { TelegramSettings } from "./telegram/channel.ts";
import type { TerminalOptions } from "./terminal/channel.ts";

/** A platform's name with its settings from the config. */
export type ChannelChoice =
  | { readonly name: "telegram"; readonly settings: TelegramSettings }
  | { readonly name: "terminal"; readonly settings: TerminalOptions };

/** Makes both ports of a platform; nothing is asked of it before `inbound` is pulled. */
export async function connectChannel(choice: ChannelChoice, surroundings: Surroundings): Promise<Platform> {
  switch (choice.name) {
    case "telegram": {
      const { telegram } = await import("./telegram/channel.ts");
      return telegram(choice.settings, surroundings);
    }
    case "terminal": {
      const { terminal } = await import("./terminal/channel.ts");
      return terminal(choice.settings, surroundings);
    }
  }
}
