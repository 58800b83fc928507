// What a Discord bot asks for: the intents of its connection, and the link that adds it to a server with what it needs there.
// Plain numbers instead of the SDK's names, so that reading this loads none of it.

/** A part of the events that Discord sends (docs.discord.com/developers/events/gateway). `optIn`: to be turned on in the portal too. */
export type DiscordIntent = {
  readonly name: string;
  readonly bit: number;
  readonly why: string;
  readonly optIn?: true;
};

/** Every intent that is used, and no other. */
export const DISCORD_INTENTS: readonly DiscordIntent[] = [
  { name: "GUILDS", bit: 1 << 0, why: "to know channels and threads" },
  { name: "GUILD_MESSAGES", bit: 1 << 9, why: "to hear mentions and replies in servers" },
  { name: "DIRECT_MESSAGES", bit: 1 << 12, why: "to hear what you write to it" },
  { name: "MESSAGE_CONTENT", bit: 1 << 15, why: "to see what a message says that doesn't mention it", optIn: true },
];

/** The intents as the number that a connection states. */
export function discordIntents(messageContent: boolean): number {
  return DISCORD_INTENTS.filter(({ optIn }) => messageContent || optIn !== true).reduce((sum, { bit }) => sum | bit, 0);
}

/** A permission in a server's channels (docs.discord.com/developers/topics/permissions). Bits lie past 2^31, hence bigint. */
export type DiscordPermission = { readonly name: string; readonly bit: bigint };

/** What it does in a server where it answers, and no more. */
export const DISCORD_PERMISSIONS: readonly DiscordPermission[] = [
  { name: "View Channels", bit: 1n << 10n },
  { name: "Send Messages", bit: 1n << 11n },
  { name: "Send Messages in Threads", bit: 1n << 38n },
  // Long texts are sent as files.
  { name: "Attach Files", bit: 1n << 15n },
  // What was missed is read back, and a reply names what it answers.
  { name: "Read Message History", bit: 1n << 16n },
];

/**
 * The link that adds the bot to a server. `shared`: it answers in the server's channels too; else it asks for no permission there,
 * since sharing a server is all that Discord wants before two may write to each other.
 */
export function discordInvite(applicationId: string, { shared = false }: { readonly shared?: boolean } = {}): string {
  const permissions = shared ? DISCORD_PERMISSIONS.reduce((sum, { bit }) => sum | bit, 0n) : 0n;
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}
