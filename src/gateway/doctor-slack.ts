// doctor's look at a Slack app: its two tokens, what they may do against what is used, and the manifest to make one from.
import { z } from "zod";
import { slackManifest, SLACK_PATH, SLACK_SCOPES, type SlackScope } from "../channels/registry.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import type { Config, SlackConfig } from "./config.ts";
import { askPlatform, failed, noPlatform, unreachable, warnings, type Finding, type Way } from "./doctor-calls.ts";

/** A Slack workspace's way in: where its Web API is. */
export type SlackWay = Way & { readonly apiUrl: string };

/** Who a bot token is, and what it may do; `scopes` undefined: Slack did not say. */
export type SlackBot = {
  readonly name: string;
  readonly team: string;
  readonly teamId: string;
  readonly botId: string | undefined;
  readonly scopes: readonly string[] | undefined;
};

const PLACE = { name: "Slack", key: "channels.slack.apiUrl" };
const ALL_PERMISSIONS = "OAuth & Permissions at https://api.slack.com/apps";
const APP_TOKENS = "Basic Information, App-Level Tokens at https://api.slack.com/apps";
const FROM_MANIFEST = "./tidegate doctor --slack-manifest prints a whole app's.";

const envelope = z.object({ ok: z.boolean(), error: z.string().optional(), needed: z.string().optional() });

/** Asks Slack's Web API one thing, as the holder of a token. `scopes`: what the token may do, as the answer's header says. */
async function askSlack<T>(
  way: SlackWay,
  token: string,
  method: string,
  shape: z.ZodType<T>,
  params: Readonly<Record<string, string>> = {},
): Promise<{ readonly is: T; readonly scopes: readonly string[] | undefined }> {
  const url = `${way.apiUrl.replace(/\/*$/u, "/")}${method}`;
  const request = {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(params).toString(),
  };
  const { status, headers, said } = await askPlatform(way, PLACE, url, request);
  if (status === 429) throw unreachable(PLACE, "it asks for a pause");
  const read = envelope.safeParse(said);
  if (!read.success) throw status === 200 ? noPlatform(PLACE) : unreachable(PLACE, `error ${status}`);
  if (!read.data.ok) throw refusal(read.data.error ?? "", read.data.needed ?? "");
  const is = shape.safeParse(said);
  if (!is.success) throw noPlatform(PLACE);
  const scopes = headers
    .get("x-oauth-scopes")
    ?.split(",")
    .map((scope) => scope.trim());
  return { is: is.data, scopes: scopes?.filter((scope) => scope !== "") };
}

/** Slack's error codes in words (docs.slack.dev/reference/methods/auth.test). */
function refusal(code: string, needed: string): GatewayError {
  switch (code) {
    case "invalid_auth":
    case "not_authed":
      return new GatewayError("channel-unauthorized", "Slack refused the token.");
    case "account_inactive":
    case "token_revoked":
      return new GatewayError("channel-unauthorized", "Slack says that the token was revoked.");
    case "token_expired":
      return new GatewayError("channel-unauthorized", "Slack says that the token has expired.");
    case "not_allowed_token_type":
      return new GatewayError("channel-unauthorized", "Slack says that this is a token of another kind.");
    case "missing_scope":
      return new GatewayError("channel-unauthorized", `Slack says that the token lacks ${slug(needed)}.`);
    case "ratelimited":
      return unreachable(PLACE, "it asks for a pause");
    default:
      return unreachable(PLACE, `it says ${slug(code)}`);
  }
}

/** A code of Slack's. What is none is outside text, and shown to nobody. */
function slug(code: string): string {
  return /^[\w:.,-]{1,80}$/u.test(code) ? code : "nothing that can be understood";
}

const whoami = z.object({
  user: z.string(),
  team: z.string(),
  team_id: z.string(),
  bot_id: z.string().optional(),
});

/** Who a bot token is. Throws a GatewayError; its hint names where a right one is. */
export async function askSlackBot(way: SlackWay, botToken: string): Promise<SlackBot> {
  return await hinted(`Copy the Bot User OAuth Token again from ${ALL_PERMISSIONS}.`, async () => {
    const { is, scopes } = await askSlack(way, botToken, "auth.test", whoami);
    return { name: oneLine(is.user), team: oneLine(is.team), teamId: is.team_id, botId: is.bot_id, scopes };
  });
}

/** Whether an app token opens Socket Mode. The address that comes is a ticket, and is not used. */
export async function askSlackSocket(way: SlackWay, appToken: string): Promise<void> {
  await hinted(`Generate one with connections:write under ${APP_TOKENS}.`, async () => {
    await askSlack(way, appToken, "apps.connections.open", z.object({ url: z.string() }));
  });
}

const member = z.object({ user: z.object({ is_bot: z.boolean().optional(), real_name: z.string().optional() }) });

/** What a member of the bot's workspace is called; undefined: there is none of that id. */
export async function askSlackMember(way: SlackWay, botToken: string, id: string): Promise<string | undefined> {
  try {
    const { is } = await askSlack(way, botToken, "users.info", member, { user: id });
    return is.user.is_bot === true ? undefined : oneLine(is.user.real_name ?? id);
  } catch (thrown) {
    if (thrown instanceof GatewayError && /user_not_(?:found|visible)/u.test(thrown.message)) return undefined;
    throw thrown;
  }
}

const bot = z.object({ bot: z.object({ app_id: z.string() }) });

/** Whether both tokens belong to one app, as far as can be told: an app token names its app (xapp-1-A…-…). */
async function areOfOneApp(way: SlackWay, botToken: string, botId: string, appToken: string): Promise<boolean> {
  const [, app] = /^xapp-\d+-(A[A-Z0-9]+)-/u.exec(appToken) ?? [];
  if (app === undefined) return true;
  const found = await askSlack(way, botToken, "bots.info", bot, { bot: botId }).catch(() => undefined);
  return found === undefined || found.is.bot.app_id === app;
}

async function hinted<T>(hint: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    const error = asGatewayError(thrown, "channel-unreachable");
    if (error.code !== "channel-unauthorized") throw error;
    throw new GatewayError(error.code, error.message, { hint, cause: error });
  }
}

type Stated = Pick<Config, "owner" | "access">;

/** Asks for the tokens' own facts; reads no message, and connects nothing. */
export async function checkSlack(config: Stated, slack: SlackConfig, way: Way): Promise<readonly Finding[]> {
  const at: SlackWay = { ...way, apiUrl: slack.apiUrl };
  const found = await Promise.all([checkBot(config, slack, at), checkWayIn(slack, at)]);
  return found.flat();
}

async function checkBot(config: Stated, slack: SlackConfig, way: SlackWay): Promise<readonly Finding[]> {
  const what = "slack";
  try {
    const { name, team, teamId, botId, scopes } = await askSlackBot(way, slack.botToken);
    const { owner } = config;
    const [ownersTeam] = owner.slack?.includes("/") === true ? owner.slack.split("/") : [];
    const together =
      slack.appToken === undefined ||
      botId === undefined ||
      (await areOfOneApp(way, slack.botToken, botId, slack.appToken));
    return [
      { is: "ok", what, words: `@${name} answers in ${team} (${teamId})` },
      ...checkScopes(scopes, config.access.groups === "mention"),
      ...(together
        ? []
        : [
            {
              is: "FAIL" as const,
              what,
              words: "botToken and appToken belong to two different apps. Copy both from one.",
            },
          ]),
      ...warnings(what, [
        [
          owner.slack === undefined,
          "owner.slack is not set: until you are paired the bot answers nobody. ./tidegate start prints a pairing code.",
        ],
        [
          ownersTeam !== undefined && ownersTeam !== teamId,
          `owner.slack is of the workspace ${ownersTeam}, and the bot is in ${teamId}: it hears you only in channels that both share.`,
        ],
      ]),
    ];
  } catch (thrown) {
    return [failed(what, thrown)];
  }
}

/** What the bot may do against what is used. */
function checkScopes(granted: readonly string[] | undefined, shared: boolean): readonly Finding[] {
  const what = "slack rights";
  if (granted === undefined)
    return [{ is: "warn", what, words: "what the bot may do can't be told, since Slack's answer doesn't say." }];
  const needed = SLACK_SCOPES.filter((one) => shared || one.shared !== true);
  const missing = needed.filter(({ scope }) => !granted.includes(scope));
  const known = new Set<string>(SLACK_SCOPES.map(({ scope }) => scope));
  const unused = granted.filter((scope) => !known.has(scope));
  const early = granted.filter((scope) => known.has(scope) && !needed.some((one) => one.scope === scope));
  if (missing.length > 0) {
    const list = missing.map(({ scope, why }: SlackScope) => `${scope} (${why})`).join(", ");
    const todo = `Add them under ${ALL_PERMISSIONS}, then install the app again. ${FROM_MANIFEST}`;
    return [{ is: "FAIL", what, words: `the bot lacks ${list}. ${todo}` }];
  }
  const surplus = warnings(what, [
    [unused.length > 0, `nothing uses ${unused.join(", ")}. Take them away under ${ALL_PERMISSIONS}.`],
    [
      early.length > 0,
      `with access.groups off nothing uses ${early.join(", ")}. Take them away, or set access.groups to mention.`,
    ],
  ]);
  return surplus.length > 0 ? surplus : [{ is: "ok", what, words: `just the ${needed.length} that are used` }];
}

/** Socket Mode's token, or what is to be set up for HTTP. */
async function checkWayIn(slack: SlackConfig, way: SlackWay): Promise<readonly Finding[]> {
  const what = "slack events";
  if (slack.appToken === undefined) {
    const words = `come over HTTP to http://${slack.host}:${slack.port}${SLACK_PATH}. The app's Request URLs must lead there; that Slack reaches it, only Slack can say, under Event Subscriptions.`;
    return [{ is: "ok", what, words }];
  }
  try {
    await askSlackSocket(way, slack.appToken);
    return [{ is: "ok", what, words: "the app token opens Socket Mode" }];
  } catch (thrown) {
    return [failed(what, thrown)];
  }
}

/** A manifest for the app that a config means, as JSON to paste; without one, for an app that its owner alone writes to. */
export function slackManifestText(config?: Pick<Config, "access" | "channels">): string {
  const slack = config?.channels.slack;
  const overHttp = slack !== undefined && slack.appToken === undefined;
  const manifest = slackManifest({
    shared: config?.access.groups === "mention",
    ...(overHttp ? { requestUrl: `https://YOUR-ADDRESS.example${SLACK_PATH}` } : {}),
  });
  return JSON.stringify(manifest, undefined, 2);
}
