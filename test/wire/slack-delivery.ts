// How the loopback Slack hands over what happens: by Socket Mode (envelopes on WebSockets, repeated
// until acknowledged) or by signed HTTP posts with retry headers. Events are repeated at most three
// times; presses, commands and submissions never are.
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import type { PressState, SlackState } from "./slack-state.ts";

export type EnvelopeType = "events_api" | "interactive" | "slash_commands";

/** One thing to hand over, with every try so far. */
export interface Envelope {
  /** The newest envelope's id; each try on a socket has one of its own. */
  id: string;
  type: EnvelopeType;
  payload: Record<string, unknown>;
  /** 0 is the first try. */
  attempt: number;
  reason: string;
  state: "waiting" | "sent" | "acknowledged" | "lost";
  /** Each try: where it went, and the HTTP status or "ack". */
  tries: { via: string; attempt: number; answer?: string; atMs: number }[];
  press?: PressState;
}

export interface DeliveryOptions {
  /** Not acknowledged for that long means failed; the platform's 3 s. */
  ackTimeoutMs: number;
  /** The wait before each repetition while a connection is there; the platform's: at once, a minute, five. */
  retryDelaysMs: readonly number[];
  /** The server's own pings; 0 sends none. */
  serverPingMs: number;
}

interface Socket {
  id: number;
  ws: WebSocket;
  helloed: boolean;
  frozen: boolean;
  /** Told to reconnect: gets nothing new. */
  leaving: boolean;
  pings: number;
}

export class Delivery {
  readonly envelopes: Envelope[] = [];
  /** WebSocket connections so far. */
  connected = 0;
  noHelloTimes = 0;
  refusals: number[] = [];
  readonly #state: SlackState;
  readonly #options: DeliveryOptions;
  readonly #server: WebSocketServer = new WebSocketServer({ noServer: true });
  readonly #sockets: Set<Socket> = new Set();
  readonly #tickets: Set<string> = new Set();
  readonly #timers: Set<NodeJS.Timeout> = new Set();
  readonly #pingTimer: NodeJS.Timeout | undefined;
  #turn = 0;
  #httpUrl: string | undefined;
  #httpLine: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(state: SlackState, options: DeliveryOptions) {
    this.#state = state;
    this.#options = options;
    if (options.serverPingMs > 0) {
      this.#pingTimer = setInterval(() => this.#ping(), options.serverPingMs);
      this.#pingTimer.unref();
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#pingTimer);
    for (const timer of this.#timers) clearTimeout(timer);
    this.cut();
    this.#server.close();
  }

  /** From now on by HTTP posts to that address. */
  deliverTo(url: string | undefined): void {
    this.#httpUrl = url;
  }

  /** Not yet acknowledged and not given up. */
  get pending(): Envelope[] {
    return this.envelopes.filter((one) => one.state === "waiting" || one.state === "sent");
  }

  /** Sockets that are open and said hello. */
  get sockets(): number {
    return [...this.#sockets].filter((socket) => socket.helloed && socket.ws.readyState === socket.ws.OPEN).length;
  }

  // ---- Sockets

  /** For apps.connections.open: an address that works once. */
  ticket(): string {
    const ticket = `ticket-${this.#state.next()}`;
    this.#tickets.add(ticket);
    return `${this.#state.url.replace("http:", "ws:")}/link/?ticket=${ticket}&app_id=${this.#state.options.appId}`;
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on("error", () => stream.destroy());
    const ticket = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("ticket") ?? "";
    const refusal = this.refusals.shift();
    if (refusal !== undefined || !this.#tickets.delete(ticket)) {
      stream.end(`HTTP/1.1 ${refusal ?? 408} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      this.#state.watch.changed();
      return;
    }
    this.#server.handleUpgrade(request, stream, head, (ws) => this.#open(ws));
  }

  #open(ws: WebSocket): void {
    this.connected += 1;
    const socket: Socket = { id: this.connected, ws, helloed: false, frozen: false, leaving: false, pings: 0 };
    this.#sockets.add(socket);
    ws.on("message", (data) => this.#heard(socket, (data as Buffer).toString("utf8")));
    ws.on("ping", () => {
      socket.pings += 1;
      this.#state.watch.changed();
    });
    ws.on("error", () => ws.terminate());
    ws.on("close", () => this.#gone(socket));
    if (this.noHelloTimes > 0) {
      this.noHelloTimes -= 1;
      this.#state.watch.changed();
      return;
    }
    socket.helloed = true;
    ws.send(
      JSON.stringify({
        type: "hello",
        num_connections: this.sockets,
        debug_info: { host: "applink-loopback", build_number: 1, approximate_connection_time: 18_060 },
        connection_info: { app_id: this.#state.options.appId },
      }),
    );
    this.#state.watch.changed();
    for (const envelope of this.envelopes) if (envelope.state === "waiting") this.#send(envelope);
  }

  #heard(socket: Socket, text: string): void {
    if (socket.frozen) return;
    const message = JSON.parse(text) as { envelope_id?: string; payload?: Record<string, unknown> };
    const envelope = this.envelopes.findLast((one) => one.id === message.envelope_id);
    if (!envelope) return;
    this.#acknowledge(envelope, "ack", message.payload ?? {});
  }

  #acknowledge(envelope: Envelope, answer: string, payload: Record<string, unknown>): void {
    if (envelope.state === "acknowledged") return;
    envelope.state = "acknowledged";
    const last = envelope.tries.at(-1);
    if (last) last.answer = answer;
    const { press } = envelope;
    if (press) {
      press.acked = true;
      press.ackedAtMs = this.#state.nowMs;
      if (Object.keys(payload).length > 0) press.payload = payload;
      this.onAcknowledged?.(press);
    }
    this.#state.watch.changed();
  }

  /** Set by the wire: what an acknowledgement's payload does (a modal closes, words are shown). */
  onAcknowledged: ((press: PressState) => void) | undefined;

  #gone(socket: Socket): void {
    this.#sockets.delete(socket);
    for (const envelope of this.envelopes) {
      if (envelope.state === "sent" && envelope.tries.at(-1)?.via === `socket ${socket.id}`) {
        this.#failed(envelope, "connection_failed");
      }
    }
    this.#state.watch.changed();
  }

  #ping(): void {
    for (const socket of this.#sockets) if (!socket.frozen && socket.ws.readyState === socket.ws.OPEN) socket.ws.ping();
  }

  /** Destroys every connection without a word. */
  cut(): void {
    for (const socket of [...this.#sockets]) {
      socket.ws.terminate();
      this.#gone(socket);
    }
  }

  /** Half-open: what is sent goes nowhere, nothing is read, so no pong comes back either. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.frozen = true;
      socket.ws.pause();
    }
  }

  closeWith(code: number, reason = ""): void {
    for (const socket of this.#sockets) socket.ws.close(code, reason);
  }

  /** The platform asks for a new connection; the old one gets nothing more. */
  disconnect(reason: "refresh_requested" | "warning" | "link_disabled"): void {
    for (const socket of this.#sockets) {
      socket.leaving = reason !== "warning";
      socket.ws.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "applink-loopback" } }));
    }
  }

  /** A line that is no envelope, or no JSON at all. */
  sendRaw(text: string): void {
    for (const socket of this.#sockets) socket.ws.send(text);
  }

  // ---- Handing over

  emit(type: EnvelopeType, payload: Record<string, unknown>, press?: PressState): Envelope {
    const envelope: Envelope = {
      id: "",
      type,
      payload,
      attempt: 0,
      reason: "",
      state: "waiting",
      tries: [],
      ...(press ? { press } : {}),
    };
    this.envelopes.push(envelope);
    if (this.#httpUrl === undefined) this.#send(envelope);
    else this.#post(envelope);
    this.#state.watch.changed();
    return envelope;
  }

  /** Sends it once more under a new envelope id, acknowledged or not: the platform's at-least-once. */
  repeat(envelope: Envelope): void {
    envelope.attempt += 1;
    envelope.reason = "timeout";
    envelope.state = "waiting";
    if (this.#httpUrl === undefined) this.#send(envelope);
    else this.#post(envelope);
  }

  /** Every waiting repetition is sent now. */
  retryNow(): void {
    for (const envelope of this.envelopes) {
      if (envelope.state !== "waiting") continue;
      if (this.#httpUrl === undefined) this.#send(envelope);
      else this.#post(envelope);
    }
  }

  #pick(): Socket | undefined {
    const open = [...this.#sockets].filter(
      ({ ws, helloed, leaving }) => helloed && !leaving && ws.readyState === ws.OPEN,
    );
    this.#turn += 1;
    return open[this.#turn % Math.max(open.length, 1)];
  }

  #send(envelope: Envelope): void {
    const socket = this.#pick();
    if (!socket) {
      // Nobody is there: an event waits for its repetition, a person sees at once that it failed.
      if (envelope.type === "events_api") this.#nobody(envelope);
      else this.#lose(envelope, "dispatch_failed");
      return;
    }
    envelope.id = `envelope-${this.#state.next()}`;
    envelope.state = "sent";
    envelope.tries.push({ via: `socket ${socket.id}`, attempt: envelope.attempt, atMs: this.#state.nowMs });
    const text = JSON.stringify({
      envelope_id: envelope.id,
      type: envelope.type,
      accepts_response_payload: envelope.type !== "events_api",
      payload: envelope.payload,
      ...(envelope.type === "events_api"
        ? { retry_attempt: envelope.attempt, retry_reason: envelope.attempt === 0 ? "" : envelope.reason }
        : {}),
    });
    if (!socket.frozen) socket.ws.send(text);
    const { id } = envelope;
    this.#later(this.#options.ackTimeoutMs, () => {
      if (envelope.state === "sent" && envelope.id === id) this.#failed(envelope, "timeout");
    });
  }

  #nobody(envelope: Envelope): void {
    envelope.state = "waiting";
    if (envelope.attempt === 0) {
      envelope.attempt = 1;
      envelope.reason = "connection_failed";
    }
  }

  #failed(envelope: Envelope, reason: string): void {
    if (envelope.type !== "events_api") return this.#lose(envelope, "operation_timeout");
    if (envelope.attempt >= this.#options.retryDelaysMs.length) return this.#lose(envelope, reason);
    const waitMs = this.#options.retryDelaysMs[envelope.attempt] ?? 0;
    envelope.attempt += 1;
    envelope.reason = reason;
    envelope.state = "waiting";
    const again = (): void => {
      if (envelope.state !== "waiting" || this.#closed) return;
      if (this.#httpUrl === undefined) this.#send(envelope);
      else this.#post(envelope);
    };
    if (waitMs === 0) setImmediate(again);
    else this.#later(waitMs, again);
    this.#state.watch.changed();
  }

  #lose(envelope: Envelope, failed: string): void {
    envelope.state = "lost";
    if (envelope.press) envelope.press.failed = failed;
    this.#state.watch.changed();
  }

  #later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, ms);
    timer.unref();
    this.#timers.add(timer);
  }

  // ---- HTTP

  /** One after the other, so that order is kept as long as the app answers. */
  #post(envelope: Envelope): void {
    this.#httpLine = this.#httpLine.then(() => this.#postNow(envelope));
  }

  async #postNow(envelope: Envelope): Promise<void> {
    if (this.#closed || this.#httpUrl === undefined) return;
    envelope.state = "sent";
    const entry: Envelope["tries"][number] = { via: "http", attempt: envelope.attempt, atMs: this.#state.nowMs };
    envelope.tries.push(entry);
    try {
      const response = await fetch(this.#httpUrl, {
        method: "POST",
        ...this.signed(httpBody(envelope), envelope.type === "events_api"),
        signal: AbortSignal.timeout(this.#options.ackTimeoutMs),
        ...{ redirect: "manual" as const },
      });
      const text = await response.text();
      entry.answer = String(response.status);
      if (response.ok) return this.#acknowledge(envelope, entry.answer, parsed(text));
      if (response.headers.get("x-slack-no-retry") === "1") return this.#lose(envelope, "http_error");
      this.#failed(envelope, "http_error");
    } catch (error) {
      const timeout = error instanceof Error && error.name === "TimeoutError";
      entry.answer = timeout ? "timeout" : "connection_failed";
      this.#failed(envelope, timeout ? "http_timeout" : "connection_failed");
    }
  }

  /** Body and headers of a request that the platform would sign; `at` (seconds) and `secret` to try wrong ones. */
  signed(
    body: { text: string; type: string; attempt?: number; reason?: string },
    retries = false,
    wrong: { at?: number; secret?: string } = {},
  ): { body: string; headers: Record<string, string> } {
    const at = wrong.at ?? this.#state.nowSeconds;
    const secret = wrong.secret ?? this.#state.options.signingSecret;
    const mac = createHmac("sha256", secret).update(`v0:${at}:${body.text}`).digest("hex");
    const again = retries && (body.attempt ?? 0) > 0;
    return {
      body: body.text,
      headers: {
        "content-type": body.type,
        "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
        "x-slack-request-timestamp": String(at),
        "x-slack-signature": `v0=${mac}`,
        ...(again
          ? { "x-slack-retry-num": String(body.attempt), "x-slack-retry-reason": body.reason ?? "http_error" }
          : {}),
      },
    };
  }
}

function parsed(text: string): Record<string, unknown> {
  if (text === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : { text };
  } catch {
    return { text };
  }
}

function httpBody(envelope: Envelope): { text: string; type: string; attempt: number; reason: string } {
  const { attempt, reason, payload } = envelope;
  const form = "application/x-www-form-urlencoded";
  switch (envelope.type) {
    case "events_api":
      return { text: JSON.stringify(payload), type: "application/json", attempt, reason };
    case "interactive":
      return {
        text: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
        type: form,
        attempt,
        reason,
      };
    case "slash_commands":
      return {
        text: new URLSearchParams(payload as Record<string, string>).toString(),
        type: form,
        attempt,
        reason,
      };
  }
}
