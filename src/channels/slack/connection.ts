// One connection that Slack delivers over: Socket Mode, or requests to a port of ours. Bolt's receivers parse, check signatures and
// acknowledge; what arrives waits here until it is asked for. A connection that has ended is never used again.
//
// Bolt's own way of connecting again is off: it leaves a rejected promise to nobody, which ends the process, and waits seconds where
// a renewal can be had at once. Of Bolt only the receiver that is used is loaded: its front door brings a web framework and 8 MB along.
import type { Server } from "node:http";
import type { App, ReceiverEvent } from "@slack/bolt";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { channelError } from "./client.ts";
import type { Client } from "./client.ts";
import { isRecord } from "./event.ts";
import { SLACK_PATH } from "./manifest.ts";

export type Arrived = { readonly body: unknown; readonly ack: () => Promise<void> };

export type Connection = {
  /** All that waits, at least one; undefined when the connection has ended or the signal fires. What waited before its end comes first. */
  next(signal: AbortSignal): Promise<readonly Arrived[] | undefined>;
  /** When anything was last heard, milliseconds since 1970. */
  heardAt(): number;
  /** How many connections the app has, this one among them. */
  readonly connections: number;
  /** The app's id, where the platform has said it. */
  readonly appId?: string;
  close(): Promise<void>;
};

export type ConnectionTimes = {
  /** From the first call to Slack's "hello". */
  readonly helloMs: number;
  /** A ping that is not answered for this long ends the connection. */
  readonly pingMs: number;
  /** A connection that has brought nothing for this long is renewed: it may be open and dead. */
  readonly staleMs: number;
};

/** How long an orderly end may take before the socket is cut. */
const CLOSE_MS = 300;
/** At most this much waits unacknowledged; Slack sends again what was not acknowledged. */
const MOST_WAITING = 5000;

type Mailbox = {
  readonly take: (event: ReceiverEvent) => void;
  readonly end: () => void;
  readonly next: Connection["next"];
};

function openMailbox(): Mailbox {
  let waiting: Arrived[] = [];
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    take({ body, ack }) {
      if (ended || waiting.length >= MOST_WAITING) return;
      waiting.push({ body, ack: async () => await ack() });
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    async next(signal) {
      for (;;) {
        if (waiting.length > 0 || ended || signal.aborted) break;
        const { promise, resolve } = Promise.withResolvers<void>();
        const stop = (): void => resolve();
        wake = stop;
        signal.addEventListener("abort", stop, { once: true });
        await promise;
        signal.removeEventListener("abort", stop);
      }
      if (signal.aborted || waiting.length === 0) return undefined;
      const taken = waiting;
      waiting = [];
      return taken;
    },
  };
}

/** The class that an old-style module holds, whose own default some loaders take off and Node doesn't. */
function classOf<T extends object>(module: { readonly default: T } | T): T {
  return "default" in module ? module.default : module;
}

/** All that a receiver wants of Bolt's app. What it hands over is stored before it is acknowledged. */
function appOf(mailbox: Mailbox): App {
  const app = {
    processEvent: (event: ReceiverEvent): Promise<void> => {
      mailbox.take(event);
      return Promise.resolve();
    },
  };
  return app as unknown as App;
}

/** What is read of a frame before the library sees it. */
type Frame = { type: string; connections?: number; appId?: string };

/** The library reads frames in a listener that nobody waits for: what it would stumble over must not reach it. */
function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== "string") return undefined;
  let frame: unknown;
  try {
    frame = JSON.parse(data);
  } catch {
    return undefined;
  }
  if (!isRecord(frame) || typeof frame["type"] !== "string") return undefined;
  const { type, payload, num_connections: connections, connection_info: about } = frame;
  if (type === "events_api" && !(isRecord(payload) && isRecord(payload["event"]))) return undefined;
  return {
    type,
    ...(typeof connections === "number" ? { connections } : {}),
    ...(isRecord(about) && typeof about["app_id"] === "string" ? { appId: about["app_id"] } : {}),
  };
}

/** Opens a socket and waits for Slack's "hello". Throws a GatewayError. */
export async function openSocket(
  appToken: string,
  client: Client,
  { clock, log }: Surroundings,
  times: ConnectionTimes,
  signal: AbortSignal,
): Promise<Connection> {
  const mailbox = openMailbox();
  const { default: bolt } = await import("@slack/bolt/dist/receivers/SocketModeReceiver.js");
  const receiver = new (classOf(bolt))({
    appToken,
    logger: client.logger,
    autoReconnectEnabled: false,
    clientPingTimeout: times.pingMs,
    installerOptions: { clientOptions: client.options() },
  });
  receiver.init(appOf(mailbox));
  const { client: socket } = receiver;

  let heardAt = clock.now();
  let appId: string | undefined;
  let connections = 1;
  const over = new AbortController();
  socket.on("disconnected", () => {
    mailbox.end();
    over.abort();
  });
  // Called by its name for every event, the frames among them.
  const emit = socket.emit.bind(socket) as (name: string, ...rest: unknown[]) => boolean;
  const listen = (name: string, ...rest: unknown[]): boolean => {
    if (name !== "ws_message") return emit(name, ...rest);
    heardAt = clock.now();
    const frame = readFrame(rest[0]);
    if (frame === undefined) {
      log.warn({}, "Slack sent something that can't be understood.");
      return true;
    }
    if (frame.type === "hello") ({ appId, connections = 1 } = frame);
    return emit(name, ...rest);
  };
  socket.emit = listen as typeof socket.emit;
  // The second call cuts what the first has asked to end.
  const cut = (): void => {
    for (const _ of [1, 2]) void socket.disconnect().catch(() => undefined);
  };

  let opened = false;
  const started = await client.call(times.helloMs, signal, async (signal) => {
    signal.addEventListener("abort", () => void (opened || cut()), { once: true });
    // Given up in the moment between the answer and the socket: it is opened all the same, and nobody would end it.
    socket.on("connecting", () => void (signal.aborted && clock.soon(cut)));
    await receiver.start();
    opened = true;
  });
  if (!started.ok || signal.aborted) {
    cut();
    const { failure } = started.ok ? { failure: { kind: "no-answer", sent: true, what: "stopped" } as const } : started;
    throw channelError("apps.connections.open", failure, "appToken");
  }

  const watch = async (): Promise<void> => {
    for (;;) {
      const waitMs = heardAt + times.staleMs - clock.now();
      if (waitMs <= 0) break;
      await clock.sleep(waitMs, over.signal);
    }
    log.debug({}, "Slack has been silent for long; the connection is renewed.");
    cut();
  };
  // Its sleep ends with the connection.
  watch().catch(() => undefined);

  return {
    next: mailbox.next,
    heardAt: () => heardAt,
    connections,
    ...(appId === undefined ? {} : { appId }),
    async close() {
      if (over.signal.aborted) return;
      void socket.disconnect().catch(() => undefined);
      await clock.sleep(CLOSE_MS, over.signal).catch(() => undefined);
      if (!over.signal.aborted) cut();
    },
  };
}

/** Listens for Slack's requests. Throws a GatewayError. */
export async function openServer(
  settings: { readonly signingSecret: string; readonly port: number; readonly host: string },
  client: Client,
  { clock }: Surroundings,
): Promise<Connection> {
  const mailbox = openMailbox();
  let heardAt = clock.now();
  const { default: bolt } = await import("@slack/bolt/dist/receivers/HTTPReceiver.js");
  const receiver = new (classOf(bolt))({
    signingSecret: settings.signingSecret,
    endpoints: [SLACK_PATH],
    logger: client.logger,
  });
  const take = (event: ReceiverEvent): void => {
    heardAt = clock.now();
    mailbox.take(event);
  };
  receiver.init(appOf({ ...mailbox, take }));
  let server: Server;
  try {
    const { port, host } = settings;
    server = await receiver.start({ port, host });
  } catch (thrown) {
    const taken = isRecord(thrown) && thrown["code"] === "EADDRINUSE";
    throw new GatewayError(
      taken ? "channel-conflict" : "channel-unreachable",
      taken ? "The port for Slack's requests is taken." : "The port for Slack's requests can't be opened.",
      { hint: "Choose another one in channels.slack.port.", cause: thrown },
    );
  }
  return {
    next: mailbox.next,
    heardAt: () => heardAt,
    connections: 1,
    async close() {
      mailbox.end();
      const stopped = receiver.stop().catch(() => undefined);
      // What was acknowledged a moment ago is on its way.
      server.closeIdleConnections();
      await Promise.race([stopped, clock.sleep(CLOSE_MS)]);
      server.closeAllConnections();
    },
  };
}
