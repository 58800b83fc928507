// The gateway of the loopback Discord (v10, JSON): hello, heartbeats, identify with a check of intents,
// sessions that can be resumed with what was missed, and every way in which a connection goes wrong.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ApplicationFlags, GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from "discord-api-types/v10";
import type {
  APIMessage,
  GatewayHelloData,
  GatewayIdentifyData,
  GatewayReadyDispatchData,
  GatewayResumeData,
} from "discord-api-types/v10";
import { WebSocketServer } from "ws";
import type { RawData, WebSocket } from "ws";
import { redacted } from "./discord-content.ts";
import { guildDispatch, noFlags } from "./discord-state.ts";
import type { ChannelState, DiscordState, Dispatch } from "./discord-state.ts";

/** One dispatch of a session, kept for a resume. */
interface Logged {
  s: number;
  t: string;
  d: unknown;
}

export interface Session {
  id: string;
  intents: number;
  seq: number;
  /** Highest seq the client has said that it saw, by a heartbeat or a resume. */
  seenSeq: number;
  log: Logged[];
  resumable: boolean;
  connection: Connection | undefined;
}

interface Connection {
  socket: WebSocket;
  session: Session | undefined;
  /** Half-open: nothing goes out and nothing that comes in is heard. */
  frozen: boolean;
  /** Heartbeats are heard and not acknowledged. */
  mute: boolean;
}

export interface GatewayOptions {
  heartbeatMs: number;
  /** The port of an earlier time; 0 picks one. */
  port?: number;
}

const privileged = GatewayIntentBits.GuildMembers | GatewayIntentBits.GuildPresences | GatewayIntentBits.MessageContent;
const allIntents = Object.values(GatewayIntentBits)
  .filter((bit): bit is GatewayIntentBits => typeof bit === "number")
  .reduce((sum, bit) => sum | bit, 0);

export class Gateway {
  readonly #state: DiscordState;
  #heartbeatMs: number;
  readonly sessions: Map<string, Session> = new Map();
  readonly #connections: Set<Connection> = new Set();
  #server: WebSocketServer | undefined;
  #refusals: { times: number; code?: number } = { times: 0 };
  #silentHellos = 0;
  #missing = 0;
  #closing = false;
  port = 0;
  /** How often each was asked for. */
  connects = 0;
  identifies = 0;
  resumes = 0;
  heartbeats = 0;
  /** What clients sent, by opcode, newest last. */
  readonly closes: number[] = [];

  constructor(state: DiscordState, options: GatewayOptions) {
    this.#state = state;
    this.#heartbeatMs = options.heartbeatMs;
    state.emit = (dispatch) => this.dispatch(dispatch);
  }

  async listen(port = 0): Promise<void> {
    const server = new WebSocketServer({
      host: "127.0.0.1",
      port,
      verifyClient: (_info, answer) => this.#admit(answer),
    });
    server.on("connection", (socket, request) => this.#welcome(socket, request));
    await once(server, "listening");
    this.#server = server;
    this.#closing = false;
    this.port = (server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#closing = true;
    for (const { socket } of this.#connections) socket.terminate();
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
  }

  // ---- Going wrong

  /** The next connections are refused: by HTTP 503 before they open, or by a close code right after. */
  refuse(times: number, code?: number): void {
    this.#refusals = { times, ...(code === undefined ? {} : { code }) };
  }

  silenceHello(times: number): void {
    this.#silentHellos = times;
  }

  setHeartbeatMs(heartbeatMs: number): void {
    this.#heartbeatMs = heartbeatMs;
  }

  /** Ends every connection without a word (1006 for the client), or with a close code. */
  cut(code?: number): void {
    for (const { socket } of this.#connections) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
    }
  }

  /** `deaf`: not even a closing handshake is answered. */
  freeze(on: boolean, deaf = false): void {
    for (const connection of this.#connections) {
      connection.frozen = on;
      if (on && deaf) connection.socket.pause();
      else if (!on) connection.socket.resume();
    }
  }

  mute(on: boolean): void {
    for (const connection of this.#connections) connection.mute = on;
  }

  send(op: number, d: unknown = null): void {
    for (const connection of this.#connections) this.#send(connection, { op, d, s: null, t: null });
  }

  /** Any text as a frame, to try what is no JSON. */
  sendText(text: string): void {
    for (const { socket } of this.#connections) socket.send(text);
  }

  /** Sessions are forgotten: the next resume is refused. */
  forget(): void {
    for (const session of this.sessions.values()) session.resumable = false;
  }

  /** What happens inside never reaches any session, live or by a resume. */
  missed<T>(act: () => T): T {
    this.#missing++;
    try {
      return act();
    } finally {
      this.#missing--;
    }
  }

  /** The process behind a session is gone for good, however its connection ended. */
  get connected(): number {
    return [...this.#connections].filter((one) => one.session !== undefined).length;
  }

  get open(): number {
    return this.#connections.size;
  }

  // ---- Events

  /** Hands an event to every session whose intents ask for it; whether any did. */
  dispatch(dispatch: Dispatch, wanted: (intents: number) => boolean = () => true): boolean {
    if (this.#missing > 0) return false;
    let heard = false;
    for (const session of this.sessions.values()) {
      if (!session.resumable && !session.connection) continue;
      if (!wanted(session.intents)) continue;
      heard = true;
      this.#deliver(session, dispatch);
    }
    return heard;
  }

  /** A message event: intents decide whether it comes, and with what in it. */
  dispatchMessage(t: string, message: APIMessage & { guild_id?: string }): boolean {
    if (this.#missing > 0) return false;
    let heard = false;
    const bit = message.guild_id === undefined ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
    for (const session of this.sessions.values()) {
      if ((!session.resumable && !session.connection) || (session.intents & bit) === 0) continue;
      const whole = (session.intents & GatewayIntentBits.MessageContent) !== 0;
      heard = true;
      this.#deliver(session, { t, d: whole ? message : redacted(this.#state, message) });
    }
    return heard;
  }

  /** One deletion, or several as a moderator's purge has them. */
  dispatchDeletion(channel: ChannelState, ids: string[]): void {
    const inGuild = channel.guildId !== undefined;
    const bit = inGuild ? GatewayIntentBits.GuildMessages : GatewayIntentBits.DirectMessages;
    const place = { channel_id: channel.api.id, ...(inGuild ? { guild_id: channel.guildId } : {}) };
    const what =
      ids.length === 1
        ? { t: "MESSAGE_DELETE", d: { id: ids[0], ...place } }
        : { t: "MESSAGE_DELETE_BULK", d: { ids, ...place } };
    this.dispatch(what, (intents) => (intents & bit) !== 0);
  }

  #deliver(session: Session, { t, d }: Dispatch): void {
    session.seq++;
    // A copy, so that what changes later does not change what was said.
    const logged: Logged = { s: session.seq, t, d: structuredClone(d) };
    session.log.push(logged);
    if (session.log.length > 5000) session.log.splice(0, 2500);
    const { connection } = session;
    if (connection) this.#send(connection, { op: GatewayOpcodes.Dispatch, ...logged });
  }

  #send(connection: Connection, frame: Record<string, unknown>): void {
    if (connection.frozen || connection.socket.readyState !== 1) return;
    connection.socket.send(JSON.stringify(frame));
  }

  // ---- Connections

  #admit(answer: (ok: boolean, code?: number, message?: string) => void): void {
    if (this.#refusals.times > 0 && this.#refusals.code === undefined) {
      this.#refusals.times--;
      answer(false, 503, "Service Unavailable");
      return;
    }
    answer(true);
  }

  #welcome(socket: WebSocket, request: IncomingMessage): void {
    this.connects++;
    const connection: Connection = { socket, session: undefined, frozen: false, mute: false };
    this.#connections.add(connection);
    socket.on("error", () => socket.terminate());
    socket.on("close", (code) => this.#gone(connection, code));
    socket.on("message", (data) => {
      if (connection.frozen) return;
      try {
        this.#hear(connection, data);
      } catch {
        socket.close(GatewayCloseCodes.DecodeError, "Error while decoding payload.");
      }
      this.#state.watch.changed();
    });
    if (this.#refusals.times > 0) {
      this.#refusals.times--;
      socket.close(this.#refusals.code ?? 1011);
    } else if (new URL(request.url ?? "", "http://127.0.0.1").searchParams.get("v") !== "10") {
      socket.close(GatewayCloseCodes.InvalidAPIVersion, "Invalid API version.");
    } else if (this.#silentHellos > 0) {
      this.#silentHellos--;
    } else {
      const d = { heartbeat_interval: this.#heartbeatMs } satisfies GatewayHelloData;
      this.#send(connection, { op: GatewayOpcodes.Hello, d, s: null, t: null });
    }
    this.#state.watch.changed();
  }

  #gone(connection: Connection, code: number): void {
    this.#connections.delete(connection);
    this.closes.push(code);
    const { session } = connection;
    if (session?.connection === connection) {
      session.connection = undefined;
      // The client said goodbye: what it was is over.
      if ((code === 1000 || code === 1001) && !this.#closing) this.sessions.delete(session.id);
    }
    this.#state.watch.changed();
  }

  #hear(connection: Connection, data: RawData): void {
    const { op, d } = JSON.parse((data as Buffer).toString("utf8")) as { op: GatewayOpcodes; d: unknown };
    switch (op) {
      case GatewayOpcodes.Heartbeat:
        this.heartbeats++;
        if (connection.session && typeof d === "number") connection.session.seenSeq = d;
        if (!connection.mute) this.#send(connection, { op: GatewayOpcodes.HeartbeatAck, d: null, s: null, t: null });
        return;
      case GatewayOpcodes.Identify:
        return this.#identify(connection, d as GatewayIdentifyData);
      case GatewayOpcodes.Resume:
        return this.#resume(connection, d as GatewayResumeData);
      case GatewayOpcodes.PresenceUpdate:
      case GatewayOpcodes.VoiceStateUpdate:
      case GatewayOpcodes.RequestGuildMembers:
      case GatewayOpcodes.RequestSoundboardSounds:
        if (!connection.session) connection.socket.close(GatewayCloseCodes.NotAuthenticated, "Not authenticated.");
        return;
      default:
        connection.socket.close(GatewayCloseCodes.UnknownOpcode, "Unknown opcode.");
    }
  }

  #identify(connection: Connection, data: GatewayIdentifyData): void {
    this.identifies++;
    const { socket } = connection;
    const { token, messageContent } = { ...this.#state.options };
    if (connection.session) return socket.close(GatewayCloseCodes.AlreadyAuthenticated, "Already authenticated.");
    if (data.token !== token) return socket.close(GatewayCloseCodes.AuthenticationFailed, "Authentication failed.");
    if (typeof data.intents !== "number" || (data.intents & ~allIntents) !== 0) {
      return socket.close(GatewayCloseCodes.InvalidIntents, "Invalid intent(s).");
    }
    const allowed = messageContent ? GatewayIntentBits.MessageContent : 0;
    if ((data.intents & privileged & ~allowed) !== 0) {
      return socket.close(GatewayCloseCodes.DisallowedIntents, "Disallowed intent(s).");
    }
    const session: Session = {
      id: `session-${this.#state.nextId()}`,
      intents: data.intents,
      seq: 0,
      seenSeq: 0,
      log: [],
      resumable: true,
      connection,
    };
    connection.session = session;
    this.sessions.set(session.id, session);
    const guilds = (data.intents & GatewayIntentBits.Guilds) === 0 ? [] : [...this.#state.guilds.values()];
    const ready = {
      v: 10,
      user: { ...this.#state.me, verified: true, mfa_enabled: false, email: null, flags: noFlags },
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url,
      ...(data.shard ? { shard: data.shard } : {}),
      application: {
        id: this.#state.me.id,
        flags: appFlags(messageContent),
        flags_new: String(appFlags(messageContent)),
      },
    } satisfies GatewayReadyDispatchData;
    this.#deliver(session, { t: "READY", d: ready });
    for (const guild of guilds) this.#deliver(session, { t: "GUILD_CREATE", d: guildDispatch(this.#state, guild) });
  }

  #resume(connection: Connection, data: GatewayResumeData): void {
    this.resumes++;
    const { socket } = connection;
    if (data.token !== this.#state.options.token) {
      return socket.close(GatewayCloseCodes.AuthenticationFailed, "Authentication failed.");
    }
    const session = this.sessions.get(data.session_id);
    if (!session?.resumable) {
      this.sessions.delete(data.session_id);
      this.#send(connection, { op: GatewayOpcodes.InvalidSession, d: false, s: null, t: null });
      return;
    }
    if (data.seq > session.seq) return socket.close(GatewayCloseCodes.InvalidSeq, "Invalid seq.");
    // A resume may come on the connection that stands, after an op9 that allows it.
    if (session.connection !== connection) session.connection?.socket.terminate();
    session.connection = connection;
    session.seenSeq = data.seq;
    connection.session = session;
    for (const logged of session.log.filter((one) => one.s > data.seq)) {
      this.#send(connection, { op: GatewayOpcodes.Dispatch, ...logged });
    }
    session.seq++;
    this.#send(connection, { op: GatewayOpcodes.Dispatch, s: session.seq, t: "RESUMED", d: { _trace: [] } });
  }
}

/** GATEWAY_MESSAGE_CONTENT_LIMITED when the intent is switched on in the portal of an app in few guilds. */
export function appFlags(messageContent: boolean): ApplicationFlags {
  return messageContent ? ApplicationFlags.GatewayMessageContentLimited : noFlags;
}
