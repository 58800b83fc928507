// The config: its shape, its defaults, and what is said when something in it is wrong.
import { z } from "zod";
import { MODES, type Mode } from "../core/taint.ts";
import type { OwnApp } from "../catalog/entries.ts";
import { appName, ownApp } from "./config-apps.ts";
import { engine, FOLDER_NAME, keepsSessions, type EngineConfig } from "./config-engines.ts";

const text = z.string().min(1);
const id = z.union([text, z.number().int()]).transform(String);
const positive = z.number().min(0);
const answers = (count: number): z.ZodDefault<z.ZodNumber> => z.number().int().min(0).default(count);
const address = z.url({ protocol: /^https?$/ });
const slackId = z
  .string({ error: wrongSlackId })
  .regex(/^(?:[TE][A-Z0-9]+\/)?[UW][A-Z0-9]+$/u, { error: wrongSlackId });
// YAML reads bare digits as a number, and one of that length loses its last ones.
const discordId = z.string({ error: wrongDiscordId }).regex(/^\d+$/u, { error: wrongDiscordId });

const pace = z
  .strictObject({
    perChatMs: positive.optional().describe("At least this many milliseconds between two messages to one chat."),
    perGroupPerMinute: positive.optional().describe("At most this many messages a minute to one group. Telegram only."),
    perSecond: positive.optional().describe("At most this many messages a second in all. 0: no limit."),
  })
  .describe("The platform's own limits by default.");

const appPace = pace.omit({ perGroupPerMinute: true }).describe("The platform's own limits by default.");

const slack = z
  .strictObject({
    botToken: text.describe("The Bot User OAuth Token: xoxb-…"),
    appToken: text.optional().describe("Socket Mode: an app-level token with connections:write, xapp-…"),
    signingSecret: text.optional().describe("HTTP instead: the app's signing secret, with a port."),
    port: z.number().int().min(1).max(65_535).optional().describe("Where events come in over HTTP, at /slack/events."),
    host: text.default("127.0.0.1").describe("The address of this machine that the port is opened on."),
    apiUrl: address.default("https://slack.com/api/"),
  })
  .superRefine((stated, context) => {
    for (const [key, message] of slackMistakes(stated)) context.addIssue({ code: "custom", path: [key], message });
  });

const discord = z.strictObject({
  token: text.describe("The bot's token."),
  messageContent: z
    .boolean()
    .default(false)
    .describe(
      "Ask for the privileged intent of that name, which the portal must grant. Not needed for mentions and replies.",
    ),
  apiUrl: address.default("https://discord.com/api"),
});

type SlackKeys = Pick<SlackConfig, "botToken" | "appToken" | "signingSecret" | "port">;

/** What is wrong with Slack's keys taken together: which tokens are which, and that just one way in is stated. */
function slackMistakes(stated: SlackKeys): readonly (readonly [key: string, words: string])[] {
  const { botToken, appToken, signingSecret, port } = stated;
  const http = signingSecret !== undefined || port !== undefined;
  const rows: readonly (readonly [holds: boolean, key: string, words: string])[] = [
    [!begins(botToken, "xoxb-"), "botToken", notBotToken(botToken)],
    [appToken !== undefined && !begins(appToken, "xapp-"), "appToken", NOT_APP_TOKEN],
    [appToken !== undefined && http, "appToken", `${WAYS}. Both are given: leave one out`],
    [appToken === undefined && !http, "appToken", `this is missing; ${WAYS}`],
    [appToken === undefined && http && signingSecret === undefined, "signingSecret", `this is missing; ${WAYS}`],
    [appToken === undefined && http && port === undefined, "port", `this is missing; ${WAYS}`],
  ];
  return rows.flatMap(([holds, key, words]) => (holds ? [[key, words] as const] : []));
}

const WAYS = "give appToken for Socket Mode, or signingSecret and port for HTTP";
const NOT_APP_TOKEN =
  "expected an app-level token, which begins with xapp- (at api.slack.com/apps: Basic Information, App-Level Tokens)";

/** Tokens are told apart by their beginning. One that still is a variable says nothing yet. */
function begins(token: string, prefix: string): boolean {
  return token.startsWith(prefix) || token.startsWith("${");
}

function notBotToken(token: string): string {
  const where = "(at api.slack.com/apps: OAuth & Permissions, Bot User OAuth Token)";
  if (token.startsWith("xoxp-"))
    return `this is a user token (xoxp-), which would speak as you. Take the one that begins with xoxb- ${where}`;
  if (token.startsWith("xapp-"))
    return `this is the app-level token, which belongs into appToken. Take the one that begins with xoxb- ${where}`;
  if (token.startsWith("xoxe"))
    return "this token expires, since token rotation is on. Make an app without it (./tidegate doctor --slack-manifest)";
  return `expected a bot token, which begins with xoxb- ${where}`;
}

function wrongSlackId(): string {
  return "expected a Slack member id such as U01OWNER, or T01TEAM/U01OWNER (in Slack: your profile, ⋮, Copy member ID)";
}

function wrongDiscordId(): string {
  return 'expected a Discord user id in quotes, such as "80351110224678912" (in Discord: Developer Mode, then Copy User ID)';
}

/** The config's shape. What the schema file and every check of a config come from. */
export const configShape: z.ZodType<Config> = z
  .strictObject({
    data: text.default("~/.tidegate").describe("Everything durable. Made with mode 0700."),
    work: text.optional().describe("One folder per chat in here, for files. By default `work` in the data folder."),
    owner: z
      .strictObject({
        name: text.default("the owner").describe("What the assistant calls you."),
        telegram: id.optional().describe("Your numeric Telegram id. Left out: a pairing link makes you known there."),
        slack: slackId
          .optional()
          .describe(
            "Your Slack member id, such as U01OWNER; T01TEAM/U01OWNER in another workspace than the bot's. Left out: a pairing code makes you known there.",
          ),
        discord: discordId
          .optional()
          .describe("Your Discord user id, in quotes. Left out: a pairing code makes you known there."),
      })
      .default({ name: "the owner" }),
    access: z
      .strictObject({
        guests: z
          .enum(["ask", "block"])
          .default("ask")
          .describe(
            "ask: whoever writes to the bot becomes a request in your chat. block: everyone else gets silence.",
          ),
        groups: z
          .enum(["off", "mention"])
          .default("off")
          .describe("mention: answer in groups that you let in, or spoke to the bot in, when mentioned or replied to."),
        guestHourly: answers(20).describe("Answers an hour, for one guest and for one group. 0: none at all."),
        guestDaily: answers(60).describe("Answers a day, for one guest and for one group. 0: none at all."),
        guestEngine: text
          .optional()
          .describe(
            "The engine that answers guests, with none of its own tools. By default the one that a new chat starts with.",
          ),
      })
      .default({ guests: "ask", groups: "off", guestHourly: 20, guestDaily: 60 }),
    mode: z
      .enum(MODES)
      .default("ask")
      .describe(
        "What an engine may do by itself. ask: acts ask. edits: changes in the work folder pass. trust: acts pass. plan: it only reads.",
      ),
    checkAfterReading: z
      .boolean()
      .default(true)
      .describe("Acts ask, whatever the mode, once a chat holds words from outside."),
    joinWithinMs: positive
      .default(300)
      .describe("Messages of one person that come this close together are one. 0: never wait."),
    channels: z
      .strictObject({
        telegram: z.strictObject({ token: text, apiRoot: address.default("https://api.telegram.org") }).optional(),
        slack: slack.optional(),
        discord: discord.optional(),
        terminal: z.strictObject({}).optional(),
      })
      .default({ terminal: {} }),
    engine: text.optional().describe("The engine that a new chat starts with. By default the first of `engines`."),
    engines: z.record(text, engine).default({ demo: { kind: "demo" } }),
    apps: z
      .record(appName, ownApp)
      .default({})
      .describe("MCP servers of your own, beside the shipped catalogue: a command or an address."),
    skills: text.optional().describe("The folder of your skills. By default `skills` in the data folder."),
    pace: z
      .strictObject({ telegram: pace.optional(), slack: appPace.optional(), discord: appPace.optional() })
      .default({}),
  })
  .superRefine((config, context) => {
    const names = Object.keys(config.engines);
    const named: readonly (readonly [path: readonly string[], name: string | undefined])[] = [
      [["engine"], config.engine],
      [["access", "guestEngine"], config.access.guestEngine],
    ];
    if (names.length === 0)
      context.addIssue({
        code: "custom",
        path: ["engines"],
        message: "name at least one engine, such as `demo: { kind: demo }`",
      });
    // Such a name is also that of a folder.
    for (const name of names.filter((one) => keepsSessions(config.engines[one]) && !FOLDER_NAME.test(one)))
      context.addIssue({
        code: "custom",
        path: ["engines", name],
        message: "an engine of this kind needs a name of letters, digits, dots, - and _ (64 at most, no dot first)",
      });
    for (const [path, name] of names.length === 0 ? [] : named) {
      if (name === undefined || names.includes(name)) continue;
      context.addIssue({
        code: "custom",
        path: [...path],
        message: `there is no engine of that name; \`engines\` has: ${names.join(", ")}`,
      });
    }
  });

type Pace = {
  readonly perChatMs?: number | undefined;
  readonly perGroupPerMinute?: number | undefined;
  readonly perSecond?: number | undefined;
};

/** A checked config. Paths are still as written. */
export type Config = {
  readonly data: string;
  readonly work?: string | undefined;
  readonly owner: {
    readonly name: string;
    readonly telegram?: string | undefined;
    readonly slack?: string | undefined;
    readonly discord?: string | undefined;
  };
  readonly access: {
    readonly guests: "ask" | "block";
    readonly groups: "off" | "mention";
    readonly guestHourly: number;
    readonly guestDaily: number;
    readonly guestEngine?: string | undefined;
  };
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly joinWithinMs: number;
  readonly channels: {
    readonly telegram?: { readonly token: string; readonly apiRoot: string } | undefined;
    readonly slack?: SlackConfig | undefined;
    readonly discord?: DiscordConfig | undefined;
    readonly terminal?: { readonly [key: string]: never } | undefined;
  };
  readonly engine?: string | undefined;
  readonly engines: Readonly<Record<string, EngineConfig>>;
  readonly apps: Readonly<Record<string, OwnApp>>;
  readonly skills?: string | undefined;
  readonly pace: {
    readonly telegram?: Pace | undefined;
    readonly slack?: Omit<Pace, "perGroupPerMinute"> | undefined;
    readonly discord?: Omit<Pace, "perGroupPerMinute"> | undefined;
  };
};

/** Slack as the config states it: with `appToken`, or with `signingSecret` and `port`. */
export type SlackConfig = {
  readonly botToken: string;
  readonly appToken?: string | undefined;
  readonly signingSecret?: string | undefined;
  readonly port?: number | undefined;
  readonly host: string;
  readonly apiUrl: string;
};

/** Discord as the config states it. */
export type DiscordConfig = { readonly token: string; readonly messageContent: boolean; readonly apiUrl: string };

/** The schema for editors. Written to config/schema.json by `npm run schema`; a test fails when that is stale. */
export function configSchema(): Record<string, unknown> {
  return z.toJSONSchema(configShape, { io: "input", unrepresentable: "any" });
}
