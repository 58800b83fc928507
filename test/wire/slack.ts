// A loopback Slack (Web API, Socket Mode, signed HTTP) for the real Bolt: it keeps conversations as
// people see them, enforces the platform's limits and error codes, and goes wrong on request. In the
// same process use the object; from another one POST /control/VERB with a JSON array of arguments.
// As a program: `node test/wire/slack.ts --port N --control N`.
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { portsFromArgs, pushCapped, readBody, sendJson, serveControl } from "./http.ts";
import type { Listening, Seen, UntilOptions } from "./http.ts";
import { readBlocks } from "./slack-blocks.ts";
import { optionsOf } from "./slack-elements.ts";
import { endStream } from "./slack-chat.ts";
import { namesIn } from "./slack-content.ts";
import { controlVerbs } from "./slack-control.ts";
import { Delivery } from "./slack-delivery.ts";
import type { DeliveryOptions, Envelope } from "./slack-delivery.ts";
import { Faults, Flood, failEarly, failLate } from "./slack-faults.ts";
import type { Fault, FloodLimits } from "./slack-faults.ts";
import { download, receiveUpload } from "./slack-files.ts";
import type { Given } from "./slack-inputs.ts";
import { checkScopes, methods, openConnection } from "./slack-methods.ts";
import { readParams } from "./slack-params.ts";
import type { Params } from "./slack-params.ts";
import * as people from "./slack-people.ts";
import type { SayExtra } from "./slack-people.ts";
import * as presses from "./slack-presses.ts";
import { keepRaw, typeOfRaw } from "./slack-raw.ts";
import { Refusal, SlackState } from "./slack-state.ts";
import type {
  ChannelState,
  Person,
  PressState,
  ShownButton,
  ShownMessage,
  StateOptions,
  StatusEntry,
  StoredFile,
} from "./slack-state.ts";

export interface SlackOptions extends Partial<StateOptions>, Partial<DeliveryOptions> {
  port?: number;
  /** Also listen for control: true picks a free port. */
  control?: number | true;
  /** Calls kept in `calls`, default 10,000; 0 keeps none. */
  callLogCap?: number;
  flood?: FloodLimits;
  /** Deliver by HTTP to this address instead of by sockets. */
  deliverTo?: string;
}

export interface Call {
  /** Rises by one per call, also when old calls are dropped from the log. */
  index: number;
  method: string;
  payload: Record<string, unknown>;
  atMs: number;
  /** "open" until it is answered; a fault's name when the client got no answer. */
  outcome: string;
  error?: string;
}

/** What a message must show: a part of its text, a pattern, or anything a function can tell. */
export type Match = string | RegExp | ((message: ShownMessage) => boolean);

/** What the person who pressed sees of it. */
export interface PressAnswer {
  acked: boolean;
  /** Shown to the person when nobody acknowledged: `operation_timeout`, `dispatch_failed`. */
  failed?: string;
  /** What only they were shown since, in that conversation. */
  words?: string;
  /** The modal that the press opened. */
  modal?: ShownModal;
  responses: Record<string, unknown>[];
}

export interface ShownModal {
  id: string;
  title: string;
  submit: string;
  text: string;
  fields: ShownField[];
  buttons: ShownButton[][];
  callbackId: string;
  privateMetadata: string;
}

export interface ShownField {
  label: string;
  id: string;
  /** The element's type: `plain_text_input`, `datepicker` … */
  kind: string;
  long: boolean;
  optional: boolean;
  hint?: string;
  /** What stands there at first. */
  value?: string;
  options?: { label: string; data: string; description?: string }[];
}

/** Scopes of an app that does all that this one can; a test may grant fewer. */
export const allScopes: readonly string[] = [
  "app_mentions:read",
  "assistant:write",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "files:read",
  "files:write",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "im:write",
  "mpim:history",
  "mpim:read",
  "mpim:write",
  "reactions:read",
  "reactions:write",
  "users:read",
];

export const allEvents: readonly string[] = [
  "app_home_opened",
  "app_mention",
  "assistant_thread_context_changed",
  "assistant_thread_started",
  "member_joined_channel",
  "message.channels",
  "message.groups",
  "message.im",
  "message.mpim",
  "reaction_added",
];

export class SlackWire implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly state: SlackState;
  readonly delivery: Delivery;
  /** For Bolt's `slackApiUrl`: `http://127.0.0.1:PORT/api/`. */
  apiUrl = "";
  controlUrl: string | undefined;
  readonly #faults = new Faults();
  readonly #flood: Flood | undefined;
  readonly #callLogCap: number;
  readonly #counts: Map<string, number> = new Map();
  #server: Server | undefined;
  #port = 0;
  #control: Listening | undefined;
  #callIndex = 0;
  #revoked: string | undefined;

  constructor(options: SlackOptions) {
    const stateOptions: StateOptions = {
      teamId: options.teamId ?? "T01TEAM",
      teamName: options.teamName ?? "workspace",
      botToken: options.botToken ?? "xoxb-test-token",
      appToken: options.appToken ?? "xapp-test-token",
      signingSecret: options.signingSecret ?? "test-signing-secret",
      botUserId: options.botUserId ?? "U01BOT",
      botId: options.botId ?? "B01BOT",
      botName: options.botName ?? "tidegate",
      appId: options.appId ?? "A01APP",
      scopes: options.scopes ?? allScopes,
      events: options.events ?? allEvents,
      now: options.now ?? Date.now,
      triggerLifeMs: options.triggerLifeMs ?? 3000,
      shortcutCallbackId: options.shortcutCallbackId ?? "ask",
      slashCommand: options.slashCommand ?? "/tidegate",
    };
    this.state = new SlackState(stateOptions, () => this.describe());
    this.delivery = new Delivery(this.state, {
      ackTimeoutMs: options.ackTimeoutMs ?? 3000,
      retryDelaysMs: options.retryDelaysMs ?? [0, 60_000, 300_000],
      serverPingMs: options.serverPingMs ?? 10_000,
    });
    this.state.delivery = this.delivery;
    this.delivery.onAcknowledged = (press) => presses.acknowledged(this.state, press);
    if (options.deliverTo !== undefined) this.delivery.deliverTo(options.deliverTo);
    this.#flood = options.flood ? new Flood(options.flood, stateOptions.now) : undefined;
    this.#callLogCap = options.callLogCap ?? 10_000;
  }

  async #listen(port: number): Promise<void> {
    const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
      void this.#serve(request, response);
    });
    server.on("clientError", (_error, socket) => socket.destroy());
    server.on("upgrade", (request: IncomingMessage, stream, head) => this.delivery.upgrade(request, stream, head));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", () => resolve());
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    this.state.url = `http://127.0.0.1:${this.#port}`;
    this.apiUrl = `${this.state.url}/api/`;
  }

  async listen(options: Pick<SlackOptions, "port" | "control">): Promise<void> {
    await this.#listen(options.port ?? 0);
    if (options.control !== undefined) {
      const control = await serveControl(controlVerbs(this), options.control === true ? 0 : options.control);
      this.#control = control;
      this.controlUrl = control.url;
    }
  }

  async #closeServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.state.watch.close();
    this.delivery.close();
    await Promise.all([this.#closeServer(), this.#control?.close()]);
  }

  get botToken(): string {
    return this.state.options.botToken;
  }

  get appToken(): string {
    return this.state.options.appToken;
  }

  get signingSecret(): string {
    return this.state.options.signingSecret;
  }

  get teamId(): string {
    return this.state.options.teamId;
  }

  get botUserId(): string {
    return this.state.options.botUserId;
  }

  get botId(): string {
    return this.state.options.botId;
  }

  get appId(): string {
    return this.state.options.appId;
  }

  // ---- People and conversations

  addUser(user: Partial<Person> & { id: string }): Person {
    const person = { name: user.id.toLowerCase(), team: this.teamId, bot: false, ...user };
    this.state.people.set(person.id, person);
    return person;
  }

  /** The direct messages with a person; made when there are none. Answers the conversation's id. */
  dm(user: string): string {
    return this.state.dm(user).id;
  }

  addChannel(
    id: string,
    name: string = id.toLowerCase(),
    options: Partial<Pick<ChannelState, "botIsMember" | "archived">> & { private?: boolean; group?: boolean } = {},
  ): string {
    const { private: isPrivate, group, ...rest } = options;
    const kind = group ? "mpim" : isPrivate ? "group" : "channel";
    return this.state.addChannel({ id, name, kind, ...rest }).id;
  }

  archive(channel: string): void {
    this.state.channel(channel).archived = true;
  }

  /** The app is thrown out of a channel, or invited again. */
  setMember(channel: string, member: boolean): void {
    this.state.channel(channel).botIsMember = member;
  }

  /** From now on posts there are refused with that code, e.g. `messages_tab_disabled`. */
  refusePosts(channel: string, code: string | undefined): void {
    const there = this.state.channel(channel);
    if (code === undefined) delete there.refuses;
    else there.refuses = code;
  }

  say(channel: string, user: string, text: string, extra?: SayExtra): string {
    return people.say(this.state, channel, user, text, extra);
  }

  /** Another app's message. */
  sayAsBot(channel: string, text: string, extra?: { old?: true; thread?: string; mention?: true }): string {
    return people.sayAsBot(this.state, channel, text, extra);
  }

  edit(channel: string, id: string, text: string): void {
    people.edit(this.state, channel, id, text);
  }

  remove(channel: string, id: string): void {
    people.remove(this.state, channel, id);
  }

  /** A link in it is unfolded: message_changed with equal words. */
  unfurl(channel: string, id: string, text?: string): void {
    people.unfurl(this.state, channel, id, text);
  }

  /** A change of a message that touches no words. */
  touch(channel: string, id: string): void {
    people.touch(this.state, channel, id);
  }

  react(channel: string, user: string, id: string, name = "+1"): void {
    people.react(this.state, channel, user, id, name);
  }

  /** A press of a button, or a pick of a menu, by label or value; answers the press's id. */
  press(channel: string, user: string, id: string, label: string): string {
    return presses.press(this.state, channel, user, id, label);
  }

  pressData(channel: string, user: string, id: string, data: string): string {
    return presses.pressData(this.state, channel, user, id, data);
  }

  /** Picks in the message's menu of several, by labels or values, without sending it; answers the ids of what the app was told. */
  pick(channel: string, user: string, id: string, labels: readonly string[]): string[] {
    return presses.pick(this.state, channel, user, id, labels);
  }

  /** A button on the app's home. */
  pressHome(user: string, label: string): string {
    return this.#pressInView(user, this.state.homes.get(user), label);
  }

  /** A button in the open modal. */
  pressModal(user: string, label: string): string {
    return this.#pressInView(user, this.state.modals.get(user)?.at(-1), label);
  }

  #pressInView(user: string, viewId: string | undefined, label: string): string {
    const blocks = this.state.views.get(viewId ?? "")?.api["blocks"];
    const shown = readBlocks((blocks ?? []) as unknown[], namesIn(this.state));
    const button = presses.findButton(shown.buttons.flat(), label);
    if (viewId === undefined || !button) throw new Error(`No button "${label}" in a view of ${user}`);
    return presses.pressInView(this.state, user, viewId, button);
  }

  /** Fills in and sends the modal that a press opened, or the top one of a person. */
  submit(pressOrUser: string, fields: Readonly<Record<string, Given>>): string {
    return presses.submit(this.state, this.#modalOf(pressOrUser), fields);
  }

  /** Closes it without sending. */
  dismiss(pressOrUser: string): void {
    presses.dismiss(this.state, this.#modalOf(pressOrUser));
  }

  #modalOf(pressOrUser: string): string {
    const opened = [...this.state.views.values()].find((view) => view.trigger === pressOrUser);
    const id = opened?.api.id ?? this.state.modals.get(pressOrUser)?.at(-1);
    if (id === undefined) throw new Error(`No modal is open for ${pressOrUser}`);
    return id;
  }

  /** A slash command; `text` is what stands behind its name. */
  command(channel: string, user: string, text: string, name?: string): string {
    return presses.command(this.state, channel, user, text, name);
  }

  /** The message shortcut. */
  shortcut(channel: string, user: string, id: string, callbackId?: string): string {
    return presses.shortcut(this.state, channel, user, id, callbackId);
  }

  openHome(user: string, tab?: "home" | "messages"): void {
    people.openHome(this.state, user, tab);
  }

  /** A new chat with the assistant, as a thread of the direct messages; answers its ts. */
  startAssistantThread(user: string): string {
    return people.startAssistantThread(this.state, user);
  }

  // ---- Delivery

  /** A recorded payload, as it is: what it shows becomes part of the state, so that it can be answered. */
  pushRaw(payload: Record<string, unknown>): Envelope {
    keepRaw(this.state, payload);
    return this.delivery.emit(typeOfRaw(payload), payload);
  }

  /** What happens inside is not delivered, only kept in the history. */
  miss<T>(run: () => T): T {
    this.state.missing = true;
    try {
      return run();
    } finally {
      this.state.missing = false;
    }
  }

  /** Sends again what was sent: the newest event, or those of a message or an event id. Answers how many. */
  redeliver(which?: string): number {
    const events = this.delivery.envelopes.filter((one) => one.type === "events_api");
    const fits = (one: Envelope): boolean =>
      one.payload["event_id"] === which || (one.payload["event"] as Record<string, unknown>)["ts"] === which;
    const chosen = which === undefined ? events.slice(-1) : events.filter(fits);
    for (const one of chosen) this.delivery.repeat(one);
    return chosen.length;
  }

  /** The minutes until the next repetition have passed. */
  retryNow(): void {
    this.delivery.retryNow();
  }

  /** Sent or waiting, and not acknowledged. */
  get pending(): Envelope[] {
    return this.delivery.pending;
  }

  /** Sockets that are open and were greeted. */
  get connections(): number {
    return this.delivery.sockets;
  }

  deliverTo(url: string | undefined): void {
    this.delivery.deliverTo(url);
  }

  // ---- Going wrong

  /** `"*"` is every method; `"download"` the fetching of a file. */
  fail(method: string, fault: Fault): void {
    this.#faults.plan(method, fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Every call is refused with that code, until `undefined`: `invalid_auth`, `token_revoked`, `account_inactive`. */
  revoke(code: string | undefined = "invalid_auth"): void {
    this.#revoked = code;
  }

  restore(): void {
    this.#revoked = undefined;
  }

  /** Destroys every socket. */
  cut(): void {
    this.delivery.cut();
  }

  /** Half-open: no pongs, no events, and what is sent goes nowhere. */
  freeze(): void {
    this.delivery.freeze();
  }

  /** The platform asks for a new connection. */
  refresh(reason: "refresh_requested" | "warning" | "link_disabled" = "refresh_requested"): void {
    this.delivery.disconnect(reason);
  }

  /** The next connections are refused with these HTTP statuses. */
  refuseConnections(times: number, status = 503): void {
    for (let left = times; left > 0; left--) this.delivery.refusals.push(status);
  }

  /** The next connections are accepted and never greeted. */
  noHello(times = 1): void {
    this.delivery.noHelloTimes += times;
  }

  closeWith(code: number, reason?: string): void {
    this.delivery.closeWith(code, reason);
  }

  /** The network is gone: open connections are cut and new ones refused, until `comeBack`. */
  async goDown(): Promise<void> {
    this.delivery.cut();
    await this.#closeServer();
  }

  /** On the same port as before. */
  async comeBack(): Promise<void> {
    await this.#listen(this.#port);
  }

  /** The platform ends a stream by itself. */
  closeStream(ts: string): void {
    endStream(this.state, this.#stored(ts), "server");
  }

  /** The reader presses the stream's stop. */
  stopStream(ts: string): void {
    endStream(this.state, this.#stored(ts), "reader");
  }

  #stored(ts: string): Parameters<typeof endStream>[1] {
    const found = this.state.find(ts);
    if (!found) throw new Error(`No message ${ts}`);
    return found.stored;
  }

  // ---- What can be seen

  /** Everything the conversation shows, in order. */
  messages(channel: string): ShownMessage[] {
    const there = this.state.channels.get(channel);
    return there ? Array.from(there.messages.values(), ({ shown }) => shown) : [];
  }

  /** What the app under test wrote, in order; what it deleted is gone. */
  sent(channel: string): ShownMessage[] {
    return this.messages(channel).filter((message) => message.byBot && !message.deleted);
  }

  message(channel: string, id: string): ShownMessage | undefined {
    return this.state.channels.get(channel)?.messages.get(id)?.shown;
  }

  /** What only that person was shown. */
  ephemerals(user: string): ShownMessage[] {
    return this.state.ephemerals.filter((message) => message.ephemeralFor === user);
  }

  answerTo(pressId: string): PressAnswer | undefined {
    const press = this.state.presses.get(pressId);
    if (!press) return undefined;
    const words = this.#wordsFor(press);
    const view = [...this.state.views.values()].find((one) => one.trigger === pressId);
    return {
      acked: press.acked,
      ...(press.failed === undefined ? {} : { failed: press.failed }),
      ...(words === undefined ? {} : { words }),
      ...(view ? { modal: this.#shownModal(view.api.id) } : {}),
      responses: press.responses,
    };
  }

  #wordsFor(press: PressState): string | undefined {
    const later = this.state.ephemerals
      .slice(press.seen)
      .find(
        ({ ephemeralFor, channel }) =>
          ephemeralFor === press.user && (press.channel === undefined || channel === press.channel),
      );
    return later?.text;
  }

  /** The app's home as the person sees it. */
  home(user: string): { text: string; buttons: ShownButton[][]; blocks: unknown[] } | undefined {
    const view = this.state.views.get(this.state.homes.get(user) ?? "");
    if (!view) return undefined;
    const blocks = view.api["blocks"] as unknown[];
    const { text, buttons } = readBlocks(blocks, namesIn(this.state));
    return { text, buttons, blocks };
  }

  /** The modal that is open for the person. */
  modal(user: string): ShownModal | undefined {
    const id = this.state.modals.get(user)?.at(-1);
    return id === undefined ? undefined : this.#shownModal(id);
  }

  #shownModal(id: string): ShownModal {
    const api: Record<string, unknown> = this.state.views.get(id)?.api ?? {};
    const blocks = api["blocks"] as Record<string, unknown>[];
    const label = (given: unknown): string =>
      typeof given === "object" && given !== null ? String((given as { text: unknown }).text) : "";
    const { text, buttons } = readBlocks(blocks, namesIn(this.state));
    return {
      id,
      title: label(api["title"]),
      submit: label(api["submit"]),
      text,
      fields: blocks
        .filter((block) => block["type"] === "input")
        .map((block) => {
          const element = block["element"] as Record<string, unknown>;
          const { initial_value: text, initial_date: date, initial_time: time } = element;
          const value = text ?? date ?? time;
          const options = optionsOf(element).map((option) => ({
            label: label(option["text"]),
            data: String(option["value"]),
            ...(option["description"] === undefined ? {} : { description: label(option["description"]) }),
          }));
          return {
            label: label(block["label"]),
            id: String(block["block_id"]),
            kind: String(element["type"]),
            long: element["multiline"] === true,
            optional: block["optional"] === true,
            ...(block["hint"] === undefined ? {} : { hint: label(block["hint"]) }),
            ...(typeof value === "string" ? { value } : {}),
            ...(options.length === 0 ? {} : { options }),
          };
        }),
      buttons,
      callbackId: String(api["callback_id"]),
      privateMetadata: String(api["private_metadata"]),
    };
  }

  /** Every status set in an assistant's thread, in order. */
  get statuses(): StatusEntry[] {
    return this.state.statuses;
  }

  /** Statuses that are set and were not cleared. */
  get typing(): StatusEntry[] {
    const last = new Map(this.statuses.map((entry) => [`${entry.channel}/${entry.thread}`, entry]));
    return [...last.values()].filter((entry) => {
      const answered = this.sent(entry.channel).some(
        (message) => message.thread === entry.thread && message.atMs >= entry.atMs,
      );
      return entry.status !== "" && !answered;
    });
  }

  file(id: string): StoredFile | undefined {
    return this.state.files.get(id);
  }

  /** How often a method was called, faults included; not limited by the log's cap. */
  callCount(method: string): number {
    return this.#counts.get(method) ?? 0;
  }

  callsOf(method: string): Call[] {
    return this.calls.filter((call) => call.method === method);
  }

  // ---- Waiting

  /** Looks at the predicate now and after each change; its first answer that is not false, null or undefined. */
  until<T>(predicate: (wire: this) => T, options?: UntilOptions): Promise<Seen<T>> {
    const what = options?.what ?? predicate.toString();
    return this.state.watch.until(() => predicate(this), { ...options, what });
  }

  /** Waits for a message of the app in a conversation; with `after`, for one with a later ts. */
  shown(channel: string, match: Match, options: UntilOptions & { after?: string } = {}): Promise<ShownMessage> {
    const { after = "" } = options;
    const fits = matcher(match);
    return this.until(() => this.sent(channel).find((message) => message.id > after && fits(message)), {
      ...options,
      what: options.what ?? `a message by the app in ${channel}: ${String(match)}`,
    });
  }

  describe(): string {
    const lines: string[] = [];
    for (const [id, channel] of this.state.channels) {
      lines.push(`${channel.kind} ${id} (${channel.name}), ${channel.messages.size} messages`);
      for (const { shown } of [...channel.messages.values()].slice(-15)) {
        const keys = shown.buttons.map((row) => row.map((one) => `[${one.label}]`).join(" "));
        const who = shown.byBot ? "app" : shown.from;
        const thread = shown.thread === undefined ? "" : ` in ${shown.thread}`;
        lines.push(`  ${shown.id}${thread} ${who}: ${JSON.stringify(shown.text)} ${keys.join(" / ")}`.trimEnd());
      }
    }
    for (const message of this.state.ephemerals.slice(-5)) {
      lines.push(`only for ${message.ephemeralFor} in ${message.channel}: ${JSON.stringify(message.text)}`);
    }
    lines.push(`sockets ${this.connections}, not acknowledged ${this.pending.length}`);
    lines.push("last calls:");
    for (const call of this.calls.slice(-15)) {
      const payload = JSON.stringify(call.payload).slice(0, 160);
      lines.push(`  ${call.method} ${payload} → ${call.outcome} ${call.error ?? ""}`);
    }
    return lines.join("\n");
  }

  // ---- Serving

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [path = "", query = ""] = (request.url ?? "").split("?", 2);
      if (path.startsWith("/files-pri/")) return await this.#download(path, request, response);
      const body = await readBody(request);
      const method = /^\/api\/([\w.]+)$/.exec(path)?.[1];
      if (method !== undefined) return await this.#answer(method, request, body, query, response);
      const upload = /^\/upload\/v1\/([\w-]+)$/.exec(path)?.[1];
      if (upload !== undefined) {
        return receiveUpload(this.state, upload, request.headers["content-type"] ?? "", body, response);
      }
      const press = /^\/actions\/[^/]+\/([^/]+)\/response$/.exec(path)?.[1];
      if (press !== undefined) return this.#respond(press, body, response);
      // The sign-in page, and whatever else a browser would see.
      response.writeHead(path === "/" ? 200 : 404, { "content-type": "text/html" });
      response.end("<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>");
    } catch (error) {
      // A client that went away in the middle is no concern of ours; a bug of ours must be seen.
      if (request.destroyed && !response.writable) return;
      sendJson(response, 500, { ok: false, error: "fatal_error", bug: String(error) });
    }
  }

  async #download(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#counts.set("download", (this.#counts.get("download") ?? 0) + 1);
    try {
      await download(this.state, path, request, response, this.#faults.take("download", undefined));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { retryAfterSeconds: seconds } = error;
      if (seconds === undefined) response.writeHead(403);
      else response.writeHead(429, { "retry-after": String(seconds) });
      response.end();
    } finally {
      this.state.watch.changed();
    }
  }

  #respond(press: string, body: Buffer, response: ServerResponse): void {
    const given = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
    const { status, error } = presses.postResponse(this.state, press, given);
    if (error !== undefined) return sendJson(response, status, { ok: false, error });
    response.writeHead(200, { "content-type": "text/plain" });
    response.end("ok");
  }

  async #answer(
    name: string,
    request: IncomingMessage,
    body: Buffer,
    query: string,
    response: ServerResponse,
  ): Promise<void> {
    const params = readParams(request, body, query);
    const { token: inBody, ...payload } = params.raw;
    const call: Call = { index: this.#callIndex++, method: name, payload, atMs: this.state.nowMs, outcome: "open" };
    pushCapped(this.calls, call, this.#callLogCap);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const token =
      (request.headers.authorization ?? "").replace(/^Bearer /, "") || (typeof inBody === "string" ? inBody : "");
    const channel = payload["channel"] ?? payload["channel_id"];
    const fault = this.#faults.take(name, channel);
    try {
      if (fault && (await failEarly(fault, response))) {
        call.outcome = fault.kind;
        return;
      }
      const result = this.#run(name, token, params);
      if (failLate(fault, response)) {
        call.outcome = fault?.kind ?? "";
        return;
      }
      call.outcome = "ok";
      sendJson(response, 200, result, this.#headers(token));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      call.outcome = "refused";
      call.error = error.code;
      const { retryAfterSeconds: seconds } = error;
      sendJson(
        response,
        seconds === undefined ? 200 : 429,
        { ok: false, error: error.code, ...error.extra },
        { ...this.#headers(token), ...(seconds === undefined ? {} : { "retry-after": String(seconds) }) },
      );
    } finally {
      this.state.watch.changed();
    }
  }

  #run(name: string, token: string, params: Params): object {
    const { botToken, appToken } = this.state.options;
    if (token === "") throw new Refusal("not_authed");
    if (this.#revoked !== undefined) throw new Refusal(this.#revoked);
    if (token !== botToken && token !== appToken) throw new Refusal("invalid_auth");
    if (name === "apps.connections.open") {
      if (token !== appToken) throw new Refusal("not_allowed_token_type");
      return openConnection(this.state);
    }
    const method = methods.get(name);
    if (!method) throw new Refusal("unknown_method", { req_method: name });
    if (token !== botToken && name !== "auth.test" && name !== "api.test") throw new Refusal("not_allowed_token_type");
    checkScopes(this.state, method, name, params);
    this.#flood?.count(name, params.text("channel") ?? "");
    return method.run(this.state, params);
  }

  /** Every answer says what the token may do. */
  #headers(token: string): Record<string, string> {
    const { botToken, appToken, scopes } = this.state.options;
    if (token === appToken) return { "x-oauth-scopes": "connections:write" };
    return token === botToken ? { "x-oauth-scopes": scopes.join(",") } : {};
  }
}

function matcher(match: Match): (message: ShownMessage) => boolean {
  if (typeof match === "function") return match;
  if (typeof match === "string") return (message) => message.text.includes(match);
  return (message) => match.test(message.text);
}

export async function startSlack(options: SlackOptions = {}): Promise<SlackWire> {
  const wire = new SlackWire(options);
  await wire.listen(options);
  return wire;
}

if (import.meta.main) {
  const { port, control } = portsFromArgs(process.argv.slice(2));
  const wire = await startSlack({ port, control: control === 0 ? true : control });
  const { apiUrl, controlUrl, botToken, appToken } = wire;
  process.stdout.write(`${JSON.stringify({ apiUrl, controlUrl, botToken, appToken })}\n`);
}
