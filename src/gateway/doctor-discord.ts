// doctor's look at a Discord bot: its token, what the portal grants, its commands, and the link that adds it to a server.
import { z } from "zod";
import { discordInvite, DISCORD_PERMISSIONS } from "../channels/registry.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { MENU } from "./commands.ts";
import type { Config, DiscordConfig } from "./config.ts";
import { askPlatform, failed, noPlatform, unreachable, warnings, type Finding, type Way } from "./doctor-calls.ts";

/** A Discord bot and the way to it. */
export type DiscordWay = Way & { readonly token: string; readonly apiUrl: string };

/** A bot and the application that it belongs to. `owner`: who made it, where that is one person. */
export type DiscordBot = {
  readonly name: string;
  readonly applicationId: string;
  readonly owner: { readonly id: string; readonly name: string } | undefined;
  readonly flags: number;
  readonly takenAway: boolean;
  readonly needsGrant: boolean;
};

const PLACE = { name: "Discord", key: "channels.discord.apiUrl" };
const PORTAL = "https://discord.com/developers/applications";
const API_VERSION = "v10";

/** Asks Discord's REST one thing, as the bot. */
async function askDiscord<T>(way: DiscordWay, path: string, shape: z.ZodType<T>): Promise<T> {
  const url = `${way.apiUrl.replace(/\/+$/u, "")}/${API_VERSION}/${path}`;
  // Discord turns away programs that don't say that they are bots (docs.discord.com/developers/reference, User Agent).
  const headers = { authorization: `Bot ${way.token}`, "user-agent": "DiscordBot (tidegate, 1)" };
  const { status, said } = await askPlatform(way, PLACE, url, { headers });
  if (status === 401) {
    throw new GatewayError("channel-unauthorized", "Discord refused the token.", {
      hint: `Take a new one at ${PORTAL}, Bot, Reset Token.`,
    });
  }
  if (status === 429) throw unreachable(PLACE, "it asks for a pause");
  if (status !== 200) throw unreachable(PLACE, `error ${status}`);
  const read = shape.safeParse(said);
  if (!read.success) throw noPlatform(PLACE);
  return read.data;
}

const user = z.object({ id: z.string(), username: z.string() });
const application = z.object({
  id: z.string(),
  flags: z.number().default(0),
  team: z.unknown(),
  owner: user.optional(),
  interactions_endpoint_url: z.string().nullish(),
  bot_require_code_grant: z.boolean().default(false),
});

/** Who the bot is. Throws a GatewayError. */
export async function askDiscordBot(way: DiscordWay): Promise<DiscordBot> {
  const [me, app] = await Promise.all([
    askDiscord(way, "users/@me", user),
    askDiscord(way, "applications/@me", application),
  ]);
  const { owner, team } = app;
  return {
    name: oneLine(me.username),
    applicationId: app.id,
    // A team's application names the team there.
    owner:
      owner === undefined || (team ?? undefined) !== undefined
        ? undefined
        : { id: owner.id, name: oneLine(owner.username) },
    flags: app.flags,
    takenAway: (app.interactions_endpoint_url ?? "") !== "",
    needsGrant: app.bot_require_code_grant,
  };
}

/** The link that adds a bot to a server, with what this config needs there. */
export function discordInviteFor(bot: DiscordBot, groups: Config["access"]["groups"]): string {
  return discordInvite(bot.applicationId, { shared: groups === "mention" });
}

const guilds = z.array(z.object({ id: z.string(), name: z.string(), permissions: z.string() }));
const commands = z.array(z.object({ name: z.string(), type: z.number().default(1) }));

/** What the portal says that a bot may be sent (docs.discord.com/developers/resources/application, Application Flags). */
const GRANTS = [
  { name: "Presence", bits: (1 << 12) | (1 << 13) },
  { name: "Server Members", bits: (1 << 14) | (1 << 15) },
  { name: "Message Content", bits: (1 << 18) | (1 << 19) },
] as const;
const ADMINISTRATOR = 1n << 3n;
/** The context-menu command beside the slash commands. */
const ASK_ABOUT = "Ask about this";

/** Asks for the bot's own facts; reads no message, and connects nothing. */
export async function checkDiscord(
  config: Pick<Config, "owner" | "access">,
  discord: DiscordConfig,
  way: Way,
): Promise<readonly Finding[]> {
  const what = "discord";
  const at: DiscordWay = { ...way, token: discord.token, apiUrl: discord.apiUrl };
  try {
    const bot = await askDiscordBot(at);
    const [servers, registered] = await Promise.all([
      ifTold(askDiscord(at, "users/@me/guilds", guilds)),
      ifTold(askDiscord(at, `applications/${bot.applicationId}/commands`, commands)),
    ]);
    const shared = config.access.groups === "mention";
    const granted = GRANTS.filter(({ bits }) => (bot.flags & bits) !== 0).map(({ name }) => name);
    const unused = granted.filter((name) => name !== "Message Content" || !discord.messageContent);
    const missing = registered === undefined ? [] : missingCommands(registered);
    const invite = discordInviteFor(bot, config.access.groups);
    const page = `${PORTAL}/${bot.applicationId}`;
    const where =
      servers === undefined ? "" : `; it is in ${servers.length === 1 ? "one server" : `${servers.length} servers`}`;
    return [
      { is: "ok", what, words: `${bot.name} answers${where}. This link adds it to one: ${invite}` },
      ...(discord.messageContent && !granted.includes("Message Content")
        ? [
            broken(
              what,
              `messageContent is on, but the intent is not granted, so Discord ends each connection (4014). Turn on Message Content Intent at ${page}/bot, or leave messageContent out.`,
            ),
          ]
        : []),
      ...(bot.takenAway
        ? [
            broken(
              what,
              `an Interactions Endpoint URL is set, which takes commands and presses away. Empty it at ${page}/information.`,
            ),
          ]
        : []),
      ...(shared ? (servers ?? []).flatMap((server) => checkServer(server, invite)) : []),
      ...warnings(what, [
        [
          config.owner.discord === undefined,
          "owner.discord is not set: until you are paired the bot answers nobody. ./tidegate start prints a pairing code.",
        ],
        [
          servers?.length === 0,
          "nobody can write to it before they share a server with it: open the link above for a server of yours.",
        ],
        [
          servers?.some(({ permissions }) => has(permissions, ADMINISTRATOR)),
          "it is Administrator in a server, which nothing uses. Take that from its role there.",
        ],
        [unused.length > 0, `nothing uses the intents ${unused.join(", ")}. Turn them off at ${page}/bot.`],
        [
          bot.needsGrant,
          `Requires OAuth2 Code Grant is on, so the link above leads nowhere. Turn it off at ${page}/bot.`,
        ],
        [missing.length > 0, `its commands lack ${missing.join(", ")}. ./tidegate start registers them.`],
      ]),
    ];
  } catch (thrown) {
    const error = asGatewayError(thrown, "channel-unreachable");
    if (error.code !== "channel-unauthorized") return [failed(what, error)];
    return [
      broken(what, `${error.message} ${error.hint ?? ""} Put it into channels.discord.token, or run ./tidegate init.`),
    ];
  }
}

/** What there is to say of the rest is said also when this one answer does not come. */
async function ifTold<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === "channel-unreachable") return undefined;
    throw thrown;
  }
}

function missingCommands(registered: z.infer<typeof commands>): readonly string[] {
  const slash = registered.filter(({ type }) => type === 1).map(({ name }) => name);
  return [
    ...MENU.map(({ name }) => name).filter((name) => !slash.includes(name)),
    ...(registered.some(({ name }) => name === ASK_ABOUT) ? [] : [`"${ASK_ABOUT}"`]),
  ];
}

type Server = z.infer<typeof guilds>[number];

/** What the bot may do in a server as such; a channel may still take some of it away. */
function checkServer({ name, permissions }: Server, invite: string): readonly Finding[] {
  if (has(permissions, ADMINISTRATOR)) return [];
  const missing = DISCORD_PERMISSIONS.filter(({ bit }) => !has(permissions, bit)).map((one) => one.name);
  return warnings("discord", [
    [missing.length > 0, `in ${oneLine(name)} it lacks ${missing.join(", ")}. Open this again: ${invite}`],
  ]);
}

function has(permissions: string, bit: bigint): boolean {
  return /^\d+$/u.test(permissions) && (BigInt(permissions) & bit) !== 0n;
}

function broken(what: string, words: string): Finding {
  return { is: "FAIL", what, words };
}
