// The connection to Discord's gateway: discord.js's own shard, which identifies, beats and resumes, watched over from outside.
//
// Left alone the shard tries a port that refuses for ever, waits for ever for a resume that isn't answered, closes a dead
// connection only 30 s after it has found it out, opens a new one after it was told to end, and what it can't read of a packet ends
// the process. Each of these is kept from it here.
import { DefaultWebSocketManagerOptions, WebSocketShard, WebSocketShardEvents } from "@discordjs/ws";
import type { IContextFetchingStrategy, SessionInfo } from "discord.js";
import * as z from "zod";
import { GatewayError } from "../../core/error.ts";
import type { Clock, Logger, Surroundings } from "../../core/surroundings.ts";
import { channelError } from "./client.ts";
import type { Client } from "./client.ts";
import type { Me } from "./event.ts";

/** Deadlines; tests shrink them. */
export type SocketTimes = {
  /** How long the platform may take for its first word on a connection. */
  readonly helloMs?: number;
  /** How long it may take until a connection is ready, the first one and each after a cut. */
  readonly readyMs?: number;
  /** A connection on which nothing came for that long is dead. The platform asks for a beat every 41 s, and answers each. */
  readonly staleMs?: number;
  /** Time between two new sessions: one each 5 s is allowed (discord.com/developers/docs/events/gateway#rate-limiting). */
  readonly identifyGapMs?: number;
};

/** An event: its name, its content, and its number within the session. */
export type Packet = { readonly t: string; readonly d: unknown; readonly s: number };

/** What outlives a connection, so that the next one takes up the session where what is stored ends. */
export type SessionMemory = {
  session?: SessionInfo | undefined;
  /** The number of the last event that came. */
  received: number;
  /** Events of this session that came and are not stored yet, in order. A new session has a set of its own. */
  unsettled: Set<number>;
  identifiedAt: number;
};

export type SocketParts = {
  readonly client: Client;
  readonly token: string;
  readonly intents: number;
  readonly memory: SessionMemory;
  readonly surroundings: Surroundings;
  readonly times: SocketTimes;
  /** A new session: whatever was missed since the last one doesn't come. */
  onReady(me: Me, guilds: number): void;
  /** The session goes on, and what was missed comes. */
  onResumed(): void;
  onPacket(packet: Packet): void;
  /** It can't go on. Said once. */
  onEnd(error: GatewayError): void;
};

export type Socket = {
  /** Ends it. `keep`: the session may be taken up again. */
  end(keep: boolean): void;
};

/** Where a rejection inside the shard would be nobody's: it starts each of these without waiting for it. */
const UNWATCHED = ["onMessage", "onClose", "heartbeat", "internalConnect"] as const;

/** Closed with this code a session lives on; with 1000 the platform ends it. */
const KEEP_CODE = 4200;
const END_CODE = 1000;
/** How long a close may take before the connection is cut. */
const CLOSE_MS = 250;
/** More new sessions than this in so long are a platform in trouble. It allows 1000 a day, and then takes the token back. */
const MAX_SESSIONS = 3;
const SESSION_FLAP_MS = 60_000;
/** After this many connections that came to nothing the address of the session is not used any more. */
const TRIES_BY_SESSION = 2;

const gatewayInfo: z.ZodType<{ url: string; session_start_limit: { remaining: number; reset_after: number } }> =
  z.object({
    url: z.string(),
    session_start_limit: z.object({ remaining: z.number(), reset_after: z.number() }),
  });

const ready: z.ZodType<{ user: { id: string }; application: { id: string }; guilds: unknown[] }> = z.object({
  user: z.object({ id: z.string() }),
  application: z.object({ id: z.string() }),
  guilds: z.array(z.unknown()),
});

/** Opens the connection; resolves once the library has begun, and says what comes of it by the callbacks. Throws a GatewayError. */
export async function openSocket(parts: SocketParts, signal: AbortSignal): Promise<Socket> {
  const { client, memory, surroundings, times } = parts;
  const { clock, log } = surroundings;
  const { helloMs = 10_000, readyMs = 20_000, staleMs = 60_000, identifyGapMs = 5000 } = times;

  const asked = await client.call({ method: "GET", path: "/gateway/bot", limitMs: helloMs }, signal);
  if (!asked.ok) throw channelError("gateway/bot", asked.failure);
  const found = gatewayInfo.safeParse(asked.value);
  if (!found.success || !isSocketUrl(found.data.url)) throw unreachable("gateway/bot: not understood");
  const { url, session_start_limit: limit } = found.data;
  if (memory.session === undefined && limit.remaining < 1)
    throw new GatewayError("channel-unreachable", "Discord lets this bot open no more sessions today.", {
      hint: `It may again in ${Math.ceil(limit.reset_after / 60_000)} minutes.`,
    });

  // What was not stored comes again with the resume, and is counted then.
  memory.received = settled(memory);
  memory.unsettled = new Set();
  const over = new AbortController();
  let aliveAt = clock.now();
  let up = false;
  let tries = 0;
  let loss = 0;
  const shielded = new WeakSet<Connection>();
  let sessions: readonly number[] = [];

  const fail = (error: GatewayError): void => {
    if (over.signal.aborted) return;
    end(true);
    parts.onEnd(error);
  };

  /** From now on it may be away for so long. */
  const lost = (): void => {
    up = false;
    const mine = ++loss;
    void clock.sleep(readyMs, over.signal).then(
      () => {
        if (!up && mine === loss) fail(unreachable("the gateway doesn't get ready"));
      },
      () => undefined,
    );
  };

  const arrived = (): void => {
    up = true;
    tries = 0;
  };

  const options: unknown = {
    ...DefaultWebSocketManagerOptions,
    token: parts.token,
    intents: parts.intents,
    shardCount: 1,
    gatewayInformation: { ...found.data, url, shards: 1 },
    // Before the library gives up the connection: then nobody would hear of its end.
    handshakeTimeout: Math.ceil(helloMs * 0.8),
    helloTimeout: helloMs,
    readyTimeout: readyMs,
  };
  const strategy: IContextFetchingStrategy = {
    options: options as IContextFetchingStrategy["options"],
    async retrieveSessionInfo() {
      // It asks before it opens a connection. Told to end while it waits to open the next one, it would open it all the same.
      if (over.signal.aborted) return await new Promise<null>(() => undefined);
      const { session } = memory;
      if (session === undefined) return null;
      return { ...session, sequence: settled(memory), ...(tries > TRIES_BY_SESSION ? { resumeURL: url } : {}) };
    },
    updateSessionInfo(_, info) {
      if (!over.signal.aborted) remember(memory, info, url);
    },
    async waitForIdentify(_, signal) {
      const waitMs = Math.max(0, memory.identifiedAt + identifyGapMs - clock.now());
      await clock.sleep(waitMs, AbortSignal.any([signal, over.signal]));
      memory.identifiedAt = clock.now();
    },
  };

  const shard = new WebSocketShard(strategy, 0);
  const isOver = (): boolean => over.signal.aborted;
  shard.on(WebSocketShardEvents.Debug, () => shield(shard, shielded));
  shard.on(WebSocketShardEvents.Hello, () => (aliveAt = clock.now()));
  shard.on(WebSocketShardEvents.HeartbeatComplete, () => (aliveAt = clock.now()));
  shard.on(WebSocketShardEvents.Ready, ({ data }) => {
    aliveAt = clock.now();
    const who = ready.safeParse(data);
    if (!who.success || isOver()) return;
    sessions = [...sessions.filter((at) => aliveAt - at < SESSION_FLAP_MS), aliveAt];
    if (sessions.length > MAX_SESSIONS) {
      fail(unreachable("one session after another"));
      return;
    }
    arrived();
    const { user, application, guilds } = who.data;
    parts.onReady({ id: user.id, application: application.id }, guilds.length);
  });
  shard.on(WebSocketShardEvents.Resumed, () => {
    aliveAt = clock.now();
    if (isOver()) return;
    arrived();
    parts.onResumed();
  });
  shard.on(WebSocketShardEvents.Dispatch, ({ data }) => {
    aliveAt = clock.now();
    const { t, d, s }: { t: unknown; d?: unknown; s: unknown } = data;
    if (!isOver() && typeof t === "string" && typeof s === "number") parts.onPacket({ t, d, s });
  });
  shard.on(WebSocketShardEvents.Closed, ({ code }) => {
    if (isOver()) return;
    const refused = closedFor(code);
    if (refused !== undefined) {
      memory.session = undefined;
      fail(refused);
    } else if (up) {
      log.info({ code }, "The connection to Discord was cut; it is taken up again.");
      lost();
    }
  });
  shard.on(WebSocketShardEvents.Error, ({ error }) => {
    log.debug({ why: error.name }, "The connection to Discord has trouble.");
  });
  guard(shard, log, (name) => {
    if (name === "internalConnect") tries += 1;
  });

  const cut = (): void => connectionOf(shard)?.terminate();

  const end = (keep: boolean): void => {
    if (over.signal.aborted) return;
    over.abort("over");
    if (!keep) memory.session = undefined;
    // With a dead peer a close takes 30 s. Nobody waits for that.
    const closing = shard.destroy({ code: keep ? KEEP_CODE : END_CODE, reason: "ended" });
    void Promise.race([closing, clock.sleep(CLOSE_MS)]).then(cut, cut);
  };

  lost();
  void shard.connect().catch(() => undefined);
  void watch(clock, staleMs, over.signal, () => {
    const now = clock.now();
    if (now - aliveAt < staleMs) return;
    log.warn({ silentMs: now - aliveAt }, "The connection to Discord is silent; it is cut and opened again.");
    aliveAt = now;
    cut();
  });
  return { end };
}

async function watch(clock: Clock, staleMs: number, over: AbortSignal, look: () => void): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(staleMs / 4, over).catch(() => undefined);
    if (!over.aborted) look();
  }
}

/** The last event up to which everything is stored: a resume from there brings the rest again. */
function settled({ unsettled, received }: SessionMemory): number {
  const [first] = unsettled;
  return first === undefined ? received : Math.min(received, first - 1);
}

function remember(memory: SessionMemory, info: SessionInfo | null, url: string): void {
  if (info === null) {
    memory.session = undefined;
    return;
  }
  if (memory.session?.sessionId === info.sessionId) {
    memory.received = Math.max(memory.received, info.sequence);
    return;
  }
  // An address that is none would end the process where the library opens it.
  memory.session = isSocketUrl(info.resumeURL) ? info : { ...info, resumeURL: url };
  memory.received = info.sequence;
  memory.unsettled = new Set();
}

function isSocketUrl(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && /^wss?:$/u.test(new URL(url).protocol);
}

/** What fails inside the shard is logged and ends nothing: a packet that can't be read is left out, a connection is watched anyway. */
function guard(shard: WebSocketShard, log: Logger, called: (name: string) => void): void {
  for (const name of UNWATCHED) {
    const run = Reflect.get(shard, name) as (...given: readonly unknown[]) => Promise<unknown>;
    Reflect.set(shard, name, async (...given: readonly unknown[]) => {
      called(name);
      try {
        return await run.apply(shard, [...given]);
      } catch (error) {
        log.warn(
          { in: name, why: error instanceof Error ? error.name : "" },
          "Something from Discord can't be understood.",
        );
        return undefined;
      }
    });
  }
}

/** The socket under the shard, of the library `ws`. */
type Connection = { terminate(): void; on(event: "error", listener: () => void): unknown };

/** The library stops listening for errors of a connection that it gives up while it opens, and an error nobody hears is fatal. */
function shield(shard: WebSocketShard, shielded: WeakSet<Connection>): void {
  const connection = connectionOf(shard);
  if (connection === undefined || shielded.has(connection)) return;
  shielded.add(connection);
  connection.on("error", () => undefined);
}

function connectionOf(shard: WebSocketShard): Connection | undefined {
  const connection: unknown = Reflect.get(shard, "connection");
  const is = typeof connection === "object" && connection !== null && "terminate" in connection && "on" in connection;
  return is ? (connection as Connection) : undefined;
}

/** Closes that the platform means for good (discord.com/developers/docs/topics/opcodes-and-status-codes#gateway). */
function closedFor(code: number): GatewayError | undefined {
  switch (code) {
    case 4004:
      return new GatewayError("channel-unauthorized", "Discord refused the bot's token.", {
        hint: "Take a new one in the Developer Portal: your application, Bot, Reset Token.",
      });
    case 4014:
      return new GatewayError("channel-unauthorized", "Discord doesn't let this bot see the content of messages.", {
        hint: "Turn on Message Content Intent in the Developer Portal (your application, Bot, Privileged Gateway Intents), or set messageContent: false in the config.",
      });
    case 4010:
    case 4011:
    case 4012:
    case 4013:
      return new GatewayError("channel-unauthorized", `Discord doesn't take this connection (close code ${code}).`);
    default:
      return undefined;
  }
}

function unreachable(why: string): GatewayError {
  return new GatewayError("channel-unreachable", "Discord can't be reached.", { cause: new Error(why) });
}
