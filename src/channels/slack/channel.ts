// Slack through Bolt: Socket Mode, or requests to a port of ours. What arrives is handed on before it is acknowledged, and files are
// fetched within limits.
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import type { Channel, Pace, Platform } from "../../core/channel.ts";
import { GatewayError, asGatewayError } from "../../core/error.ts";
import type { FileRef } from "../../core/message.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { describeFailure, openClient } from "./client.ts";
import type { Client } from "./client.ts";
import { openServer, openSocket } from "./connection.ts";
import type { Connection, ConnectionTimes } from "./connection.ts";
import { openDirectory } from "./directory.ts";
import { isRecord } from "./event.ts";
import { readUpdate } from "./inbound.ts";
import type { Me } from "./places.ts";
import { openIntake } from "./intake.ts";
import { SLACK_COMMAND } from "./manifest.ts";
import { slackOutlet } from "./outlet.ts";
import type { OutletTimes } from "./outlet.ts";
import { noAnswer } from "./transport.ts";

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
  /** The owner's id, where it is known from the config. */
  readonly owner?: string | undefined;
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

/** Slack lets a file have 1 GB; what an engine can do with one is far less, and it lies on this machine's disk. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;
const CALL_LIMIT_MS = 15_000;
const FILE_LIMIT_MS = 300_000;

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
      return `open ${link} and write there: pair ${code}`;
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

// ---- Files

const handleShape: z.ZodType<{ id: string; url?: string | undefined; external?: true | undefined }> = z.object({
  id: z.string().min(1),
  url: z.string().optional(),
  external: z.literal(true).optional(),
});

/** Addresses that the token may go to: Slack's own, and that of the API, which a test plays. */
function isSlacks(url: URL, apiUrl: string): boolean {
  const api = new URL(apiUrl);
  return url.host === api.host || (url.protocol === "https:" && /(?:^|\.)slack\.com$/u.test(url.hostname));
}

/** The bytes go to a file beside `path` and take its place when they are all there, so that nobody sees half of them. */
async function fetchFile(
  client: Client,
  apiUrl: string,
  file: FileRef,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  if (file.bytes !== undefined && file.bytes > MAX_FILE_BYTES) throw tooLarge();
  const { url, html } = await findFile(client, file, signal);
  if (!URL.canParse(url) || !isSlacks(new URL(url), apiUrl)) throw unavailable("not at Slack");

  const part = `${path}.part`;
  // Left by a crash, or planted: it must be new, or the bytes would go where a link points.
  await rm(part, { force: true });
  try {
    let bytes = 0;
    let problem: GatewayError | undefined;
    const loaded = await client.call(FILE_LIMIT_MS, signal, async (signal) => {
      const response = await client.download(url, signal);
      const type = response.headers["content-type"] ?? "";
      // Without the right to a file Slack answers with its page for signing in, or sends there.
      if (response.statusCode !== 200 || (type.startsWith("text/html") && !html)) {
        response.destroy();
        throw noAnswer(
          response.statusCode === 200 ? "a page instead of the file" : `status ${response.statusCode ?? 0}`,
          true,
        );
      }
      const count = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const chunk of source) {
          bytes += chunk.length;
          // What was stated need not be what comes.
          if (bytes > MAX_FILE_BYTES) throw (problem = tooLarge());
          yield chunk;
        }
      };
      await pipeline(response, count, createWriteStream(part, { flags: "wx", mode: 0o600 }));
    });
    if (problem) throw problem;
    if (!loaded.ok) throw unavailable(describeFailure(loaded.failure));
    if (bytes === 0) throw new GatewayError("file-empty", "The file is empty: it holds 0 bytes.");
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    throw asGatewayError(thrown, "file-unavailable");
  }
}

/** Where a file lies. From a channel shared with another workspace only its id comes, and the rest is asked for. */
async function findFile(client: Client, file: FileRef, signal: AbortSignal): Promise<{ url: string; html: boolean }> {
  const handle = handleShape.safeParse(parseJson(file.handle));
  if (!handle.success) throw unavailable("no file of Slack's");
  const { id, url, external } = handle.data;
  if (external)
    throw new GatewayError("file-unavailable", "The file lies outside Slack, and only its link was shared.");
  if (url !== undefined) return { url, html: file.mediaType === "text/html" };
  const found = await client.call(CALL_LIMIT_MS, signal, () => client.api.files.info({ file: id }));
  if (!found.ok) throw unavailable(describeFailure(found.failure));
  const about = found.value.file;
  if ((about?.size ?? 0) > MAX_FILE_BYTES) throw tooLarge();
  const address = about?.url_private_download ?? about?.url_private;
  if (!address) throw unavailable("no address");
  return { url: address, html: about?.mimetype === "text/html" };
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(): GatewayError {
  return new GatewayError("file-too-large", "The file is larger than the 100 MB that are fetched from Slack.");
}

function unavailable(why: string): GatewayError {
  return new GatewayError("file-unavailable", "Slack doesn't give the file out. Try sending it again.", {
    cause: new Error(why),
  });
}
