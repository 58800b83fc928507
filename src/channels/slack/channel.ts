// Slack through Bolt: Socket Mode, or requests to a port of ours. What arrives is handed on before it is acknowledged.
import type { Channel, Pace, Platform } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { openClient } from "./client.ts";
import type { Client } from "./client.ts";
import { openServer, openSocket } from "./connection.ts";
import type { Connection, ConnectionTimes } from "./connection.ts";
import { openDirectory } from "./directory.ts";
import { MAX_FILE_BYTES, fetchFile } from "./files.ts";
import { readUpdate } from "./inbound.ts";
import type { Me } from "./places.ts";
import { openIntake } from "./intake.ts";
import { SLACK_COMMAND } from "./manifest.ts";
import { slackOutlet } from "./outlet.ts";
import type { OutletTimes } from "./outlet.ts";

export type SlackSettings = {
  readonly botToken: string;
  /** For Socket Mode. */
  readonly appToken?: string | undefined;
  /** For requests to a port, instead of Socket Mode. */
  readonly signingSecret?: string | undefined;
  readonly port?: number | undefined;
  /** The address that the port is opened on; a proxy with a certificate stands before it. */
  readonly host?: string | undefined;
  readonly apiUrl: string;
  /** What differs from the platform's own rates. */
  readonly pace?: Partial<Pace> | undefined;
};

/** For tests, which can't wait as long as the platform lets things last. */
export type SlackTimes = Partial<ConnectionTimes & OutletTimes>;

const HELLO_MS = 15_000;
/** Pings go out three times as often. A dead connection is noticed a little later than this. */
const PING_MS = 9000;
/** Nothing heard is usual with one person; renewing costs a call per conversation. */
const STALE_MS = 15 * 60_000;
const PORT = 3000;
const HOST = "127.0.0.1";

/** One message per second and place passes (docs.slack.dev, "Rate limits"); an update of one is allowed about 50 times a minute. */
const PACE: Pace = { perChatMs: 1000, perGroupPerMinute: 0, perSecond: 0, draftMs: 1200 };

const CROWDED =
  "Slack reports more than one connection of this app, and each gets only a part of the messages. Is another program running with the same tokens?";

const NOBODY: Me = { userId: "", botId: "", teamId: "", name: "" };

export function slack(settings: SlackSettings, surroundings: Surroundings, times: SlackTimes = {}): Platform {
  const client = openClient(settings.botToken, settings.apiUrl, surroundings);
  const directory = openDirectory(client, surroundings);
  // Outlives a connection, so that rows of before can be read.
  let me = NOBODY;
  let app: string | undefined;
  const open = opener(settings, client, surroundings, times);
  const channel: Channel = {
    name: "slack",
    limits: {
      joins: true,
      // The apps cut at about 4,000.
      nearLimitUnits: 3900,
      drafts: { private: "edit", shared: "edit" },
      growingUnits: 10_000,
      commandPrefix: `${SLACK_COMMAND} `,
      forms: true,
      keyboard: false,
      copies: false,
      // The status goes by itself after two minutes.
      typingMs: 100_000,
      maxFileBytes: MAX_FILE_BYTES,
      pace: { ...PACE, ...settings.pace },
    },
    inbound: openIntake({
      client,
      directory,
      surroundings,
      open,
      known: (who, appId) => {
        me = who;
        app = appId ?? app;
      },
    }),
    read: (raw) => readUpdate(raw, me),
    fetch: (file, path, signal) => fetchFile(client, settings.apiUrl, file, path, signal),
    invite: (code) => {
      if (me.userId === "") return undefined;
      const link =
        app === undefined
          ? `slack://user?team=${me.teamId}&id=${me.userId}`
          : `https://slack.com/app_redirect?app=${app}&team=${me.teamId}`;
      return `${link} and write there: pair ${code}`;
    },
    [Symbol.asyncDispose]() {
      client.close();
      return Promise.resolve();
    },
  };
  return { channel, outlet: slackOutlet(client, directory, () => me, surroundings, times) };
}

function opener(
  settings: SlackSettings,
  client: Client,
  surroundings: Surroundings,
  { helloMs = HELLO_MS, pingMs = PING_MS, staleMs = STALE_MS }: SlackTimes,
): (signal: AbortSignal) => Promise<Connection> {
  let opened = 0;
  let wasCrowded = false;
  const { appToken, signingSecret, port = PORT, host = HOST } = settings;
  if (signingSecret !== undefined)
    return async () => await openServer({ signingSecret, port, host }, client, surroundings);
  if (appToken !== undefined)
    return async (signal) => {
      const times = { helloMs, pingMs, staleMs };
      const connection = await openSocket(appToken, client, surroundings, times, signal);
      const { connections } = connection;
      // One that was just replaced may still be counted, once.
      if (connections > 1 && (opened === 0 || wasCrowded)) surroundings.log.warn({ connections }, CROWDED);
      opened += 1;
      wasCrowded = connections > 1;
      return connection;
    };
  throw new GatewayError("config-invalid", "Slack needs an appToken for Socket Mode, or a signingSecret and a port.", {
    hint: "Set channels.slack.appToken in the config.",
  });
}
