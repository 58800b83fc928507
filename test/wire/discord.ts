// A loopback Discord (REST and gateway v10, discord-api-types 0.38) for the real discord.js: it keeps
// channels as people see them, enforces the platform's limits and errors, and goes wrong on request. In
// the same process use the object; from another one POST /control/VERB with a JSON array of arguments.
// As a program: `node test/wire/discord.ts --port N --control N`.
import type { IncomingMessage, ServerResponse } from "node:http";
import { ChannelType, ForumLayoutType } from "discord-api-types/v10";
import type {
  APIApplicationCommand,
  APIEmbed,
  APIGroupDMChannel,
  APIGuildForumChannel,
  APIMessage,
  APITextChannel,
  APIUser,
} from "discord-api-types/v10";
import { controlVerbs } from "./discord-control.ts";
import { gatewayMessage } from "./discord-content.ts";
import { Buckets, Faults, matchesRoute } from "./discord-faults.ts";
import type { Fault, Rates } from "./discord-faults.ts";
import { Gateway } from "./discord-gateway.ts";
import { call as answerCall, needsToken } from "./discord-methods.ts";
import type { Request } from "./discord-methods.ts";
import * as people from "./discord-people.ts";
import type { SayExtra, ThreadOptions } from "./discord-people.ts";
import * as presses from "./discord-presses.ts";
import type { ShownModal } from "./discord-presses.ts";
import type { Entries } from "./discord-modals.ts";
import * as raw from "./discord-raw.ts";
import { Refusal, refusalOf, unauthorized } from "./discord-refusal.ts";
import { answer, failEarly, failLate, readGiven } from "./discord-serve.ts";
import { DiscordState, guildDispatch, noFlags } from "./discord-state.ts";
import type {
  ChannelState,
  Dispatch,
  InteractionState,
  ShownMessage,
  StateOptions,
  StoredFile,
} from "./discord-state.ts";
import { listen, portsFromArgs, pushCapped, readBody, sendJson, serveControl } from "./http.ts";
import type { Listening, Seen, UntilOptions } from "./http.ts";

export interface DiscordOptions extends Partial<StateOptions> {
  port?: number;
  /** Also listen for verbs over HTTP; a number is the port. */
  control?: boolean | number;
  heartbeatMs?: number;
  rates?: Rates;
  /** Calls kept in `calls`, default 10,000; 0 keeps none. */
  callLogCap?: number;
}

export interface Call {
  /** Rises by one per call, also when old calls are dropped from the log. */
  index: number;
  method: string;
  /** Without `/api/v10`, decoded. */
  path: string;
  payload: Record<string, unknown>;
  /** Whether the bot's token came with it. */
  authorized: boolean;
  atMs: number;
  /** "open" until it is answered, "ok", "refused", or a fault's name. */
  outcome: string;
  error?: { status: number; code: number; message: string };
}

/** What a message must show: a part of its text, a pattern, or anything a function can tell. */
export type Match = string | RegExp | ((message: ShownMessage) => boolean);

/** How a press went, as who pressed saw it. */
export interface PressOutcome {
  /** "waiting" up to 3 s, then "failed" ("This interaction failed"), or what it was answered with. */
  state: "waiting" | "failed" | "message" | "thinking" | "deferred" | "updated" | "modal";
  /** The first words in answer, if any. */
  words?: string;
  ephemeral: boolean;
  answers: ShownMessage[];
  /** The number of the first response's type. */
  type?: number;
  afterMs?: number;
}

const outcomes: Record<number, PressOutcome["state"]> = {
  4: "message",
  5: "thinking",
  6: "deferred",
  7: "updated",
  9: "modal",
};

export class DiscordWire implements AsyncDisposable {
  readonly calls: Call[] = [];
  readonly state: DiscordState;
  readonly gateway: Gateway;
  /** The guild that channels belong to unless said otherwise. */
  readonly guildId = "900000000000000001";
  /** For discord.js's `rest.api`; the library adds `/v10`. */
  apiUrl = "";
  controlUrl: string | undefined;
  readonly #faults = new Faults();
  readonly #buckets: Buckets;
  readonly #callLogCap: number;
  #api: Listening | undefined;
  #control: Listening | undefined;
  #callIndex = 0;
  /** Calls that were refused with 401, 403 or 429: the platform bans an address after 10,000 in 10 minutes. */
  invalidCalls = 0;
  readonly #counts: Map<string, number> = new Map();

  constructor(options: DiscordOptions) {
    const stateOptions: StateOptions = {
      token: options.token ?? "discord-test-token",
      botId: options.botId ?? "910000000000000001",
      botName: options.botName ?? "gateway",
      now: options.now ?? Date.now,
      messageContent: options.messageContent ?? false,
      nonceWindowMs: options.nonceWindowMs ?? 5 * 60_000,
      linkLifeMs: options.linkLifeMs ?? 24 * 3_600_000,
      callbackLimitMs: options.callbackLimitMs ?? 3000,
      tokenLifeMs: options.tokenLifeMs ?? 15 * 60_000,
      dmChannelType: options.dmChannelType ?? true,
      messageCap: options.messageCap ?? 0,
    };
    this.state = new DiscordState(stateOptions, () => this.describe());
    this.gateway = new Gateway(this.state, { heartbeatMs: options.heartbeatMs ?? 41_250 });
    this.#buckets = new Buckets(options.rates ?? {}, stateOptions.now);
    this.#callLogCap = options.callLogCap ?? 10_000;
  }

  get token(): string {
    return this.state.options.token;
  }

  get botId(): string {
    return this.state.me.id;
  }

  get appId(): string {
    return this.state.me.id;
  }

  get gatewayUrl(): string {
    return this.gateway.url;
  }

  /** The role that the platform made for the bot in a guild. */
  botRole(guildId: string = this.guildId): string {
    return this.#guild(guildId).botRoleId;
  }

  async #listenApi(port?: number): Promise<void> {
    this.#api = await listen((request, response) => {
      void this.#serve(request, response);
    }, port);
    this.apiUrl = `${this.#api.url}/api`;
    this.state.cdnUrl = this.#api.url;
  }

  async listen(options: Pick<DiscordOptions, "port" | "control">): Promise<void> {
    await this.#listenApi(options.port);
    await this.gateway.listen();
    if (options.control !== undefined && options.control !== false) {
      const port = options.control === true ? 0 : options.control;
      const control = await serveControl(controlVerbs(this), port);
      this.#control = control;
      this.controlUrl = control.url;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.state.watch.close();
    await Promise.all([this.gateway.close(), this.#api?.close(), this.#control?.close()]);
  }

  // ---- People and places

  addUser(user: string | (Partial<APIUser> & { id: string; name?: string })): APIUser {
    return this.state.addUser(user);
  }

  /** Another program; with its messages the bot must not talk. */
  addBot(id: string, name: string): APIUser {
    return this.state.addUser({ id, name, bot: true });
  }

  /** The id of the DM channel with a person, made when there is none. */
  dm(user: string): string {
    return this.state.dm(user).api.id;
  }

  /** A guild that the bot is in; it hears of it when it is connected. */
  addGuild(id: string, name = "Guild"): void {
    const owner = [...this.state.users.keys()].find((user) => user !== this.botId) ?? this.botId;
    const guild = this.state.addGuild(id, name, owner);
    this.gateway.dispatch({ t: "GUILD_CREATE", d: guildDispatch(this.state, guild) }, (intents) => (intents & 1) !== 0);
  }

  #guild(id: string): ReturnType<DiscordState["addGuild"]> {
    if (!this.state.guilds.has(id)) this.addGuild(id);
    return this.state.guilds.get(id) as ReturnType<DiscordState["addGuild"]>;
  }

  /** A text channel of a guild. */
  addChannel(id: string, name = "general", options: { guild?: string } = {}): string {
    const guild = this.#guild(options.guild ?? this.guildId);
    const api = {
      id,
      type: ChannelType.GuildText,
      guild_id: guild.id,
      name,
      position: 0,
      permission_overwrites: [],
      parent_id: null,
      nsfw: false,
      topic: null,
      last_message_id: null,
      rate_limit_per_user: 0,
      flags: noFlags,
    } satisfies APITextChannel;
    return this.#addGuildChannel(api);
  }

  addGuildChannel(id: string, name?: string, options?: { guild?: string }): string {
    return this.addChannel(id, name, options);
  }

  addForum(id: string, name = "forum", options: { guild?: string } = {}): string {
    const guild = this.#guild(options.guild ?? this.guildId);
    const api = {
      id,
      type: ChannelType.GuildForum,
      guild_id: guild.id,
      name,
      position: 0,
      permission_overwrites: [],
      parent_id: null,
      nsfw: false,
      topic: null,
      last_message_id: null,
      available_tags: [],
      default_reaction_emoji: null,
      default_sort_order: null,
      default_forum_layout: ForumLayoutType.NotSet,
      flags: noFlags,
    } satisfies APIGuildForumChannel;
    return this.#addGuildChannel(api);
  }

  #addGuildChannel(api: APITextChannel | APIGuildForumChannel): string {
    this.state.addChannel(api, api.guild_id);
    this.gateway.dispatch({ t: "CHANNEL_CREATE", d: api }, (intents) => (intents & 1) !== 0);
    return api.id;
  }

  /** A group DM with several people: no guild, and not private either. */
  addGroupDm(id: string, name: string, users: string[]): string {
    const api = {
      id,
      type: ChannelType.GroupDM,
      name,
      icon: null,
      owner_id: users[0] ?? this.botId,
      recipients: users.map((user) => people.personOf(this.state, user)),
      last_message_id: null,
      flags: noFlags,
    } satisfies APIGroupDMChannel;
    this.state.addChannel(api, undefined);
    return id;
  }

  /** A role of a guild. */
  addRole(id: string, name: string, guildId: string = this.guildId): string {
    this.#guild(guildId).roles.set(id, name);
    return id;
  }

  /** A thread in a text channel, opened by a person; answers its id. */
  addThread(channel: string, options: ThreadOptions | string = {}): string {
    return people.addThread(this, channel, typeof options === "string" ? { name: options } : options);
  }

  /** A post in a forum; the thread and its first message have one id. */
  addPost(forum: string, user: string, title: string, text: string, extra?: SayExtra): string {
    return people.addPost(this, forum, user, title, text, extra);
  }

  // ---- What people do

  /** A person's message; answers its id. */
  say(channel: string, user: string, text: string, extra?: SayExtra): string {
    return people.say(this, channel, user, text, extra);
  }

  edit(channel: string, id: string, text: string, fields?: Partial<APIMessage>): void {
    people.editSaid(this, channel, id, text, fields);
  }

  remove(channel: string, ...ids: string[]): void {
    people.remove(this, channel, ids);
  }

  unfurl(channel: string, id: string, embed?: APIEmbed): void {
    people.unfurl(this, channel, id, embed);
  }

  pin(channel: string, id: string): void {
    people.pin(this, channel, id);
  }

  react(channel: string, user: string, id: string, emoji?: string): void {
    people.react(this, channel, user, id, emoji);
  }

  /** Presses a button or picks an option, by its label or data; answers the press's id. */
  press(channel: string, user: string, id: string, label: string): string {
    return presses.press(this, channel, user, id, label);
  }

  /** A press with data of one's own, as on a message that has changed meanwhile. */
  pressData(channel: string, user: string, id: string, data: string): string {
    return presses.pressData(this, channel, user, id, data);
  }

  /** Picks options of a message's menu at once, by label or value; answers the press's id. */
  pick(channel: string, user: string, id: string, options: readonly string[]): string {
    return presses.pick(this, channel, user, id, options);
  }

  /** Sends the form that is open for a person, or that a press opened; answers the submission's id. */
  submit(who: string, fields: Entries): string {
    return presses.submit(this, who, fields);
  }

  /** A slash command, such as "new" or "/search words"; it must be registered. */
  command(channel: string, user: string, typed: string): string {
    return presses.command(this, channel, user, typed);
  }

  /** A message command from the menu of a message. */
  shortcut(channel: string, user: string, id: string, name?: string): string {
    return presses.shortcut(this, channel, user, id, name);
  }

  /** The person closes the bot's DMs: sends are refused with 50007. */
  closeDms(user: string): void {
    this.state.dm(user).refused = 50_007;
  }

  openDms(user: string): void {
    delete this.state.dm(user).refused;
  }

  /** The bot may not see a channel (50001), or not write there (50013). */
  forbid(channel: string, code: 50001 | 50013 = 50_001): void {
    people.channelOf(this.state, channel).refused = code;
  }

  allow(channel: string): void {
    delete people.channelOf(this.state, channel).refused;
  }

  /** The channel is gone: 10003 from now on. */
  deleteChannel(id: string): void {
    const channel = people.channelOf(this.state, id);
    this.state.channels.delete(id);
    const kind = "thread_metadata" in channel.api ? "THREAD_DELETE" : "CHANNEL_DELETE";
    this.gateway.dispatch({ t: kind, d: channel.api }, (intents) => (intents & 1) !== 0);
    this.state.watch.changed();
  }

  // ---- Going wrong

  fail(route: string, fault: Fault): void {
    this.#faults.plan(route, fault);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** Ends every gateway connection without a word. */
  cut(): void {
    this.gateway.cut();
  }

  closeWith(code: number): void {
    this.gateway.cut(code);
  }

  /**
   * Half-open: the connection stands, nothing passes. What happens meanwhile waits for a resume. `deaf`: as when
   * the other side is gone for good, not even a closing handshake is answered, and the library waits 30 s for one.
   */
  freeze(options: { deaf?: boolean } = {}): void {
    this.gateway.freeze(true, options.deaf);
  }

  thaw(): void {
    this.gateway.freeze(false);
  }

  /** Heartbeats of the connections that stand are no longer acknowledged. */
  zombie(): void {
    this.gateway.mute(true);
  }

  /** op7: the client is asked to reconnect and resume. */
  reconnect(): void {
    this.gateway.send(7);
  }

  refresh(): void {
    this.reconnect();
  }

  /** op9; without `resumable` the session is gone. */
  invalidSession(resumable = false): void {
    if (!resumable) this.forgetSessions();
    this.gateway.send(9, resumable);
  }

  /** A resume is refused from now on: what was missed is only in the history. */
  forgetSessions(): void {
    this.gateway.forget();
  }

  /** The next connections are refused: by HTTP 503, or right after opening by a close code. */
  refuseConnections(times = 1, code?: number): void {
    this.gateway.refuse(times, code);
  }

  /** The next connections get no hello. */
  noHello(times = 1): void {
    this.gateway.silenceHello(times);
  }

  /** The token is no longer good: 401, and 4004 on the gateway. */
  revokeToken(): void {
    this.state.options.token = `revoked-${this.state.nextId()}`;
  }

  /** The portal's switch for the privileged intent. */
  setMessageContent(on: boolean): void {
    this.state.options.messageContent = on;
  }

  /** Nothing answers any more, REST or gateway, until `comeBack`. */
  async goDown(): Promise<void> {
    await Promise.all([this.#api?.close(), this.gateway.close()]);
  }

  /** On the same ports as before. */
  async comeBack(): Promise<void> {
    await this.#listenApi(this.#api?.port);
    await this.gateway.listen(this.gateway.port);
  }

  /** What happens inside reaches no session, live or by a resume: only the history has it. */
  miss<T>(act: () => T): T {
    return this.gateway.missed(act);
  }

  /** The same MESSAGE_CREATE, or the same interaction, once more. */
  redeliver(id: string): void {
    const interaction = this.state.interactions.get(id);
    if (interaction) {
      this.gateway.dispatch({ t: "INTERACTION_CREATE", d: interaction.dispatch });
      return;
    }
    for (const channel of this.state.channels.values()) {
      if (channel.messages.has(id)) return people.again(this, channel.api.id, id);
    }
    throw new Error(`Nothing with the id ${id} to deliver again`);
  }

  /** An enforced nonce no longer gives the first message again. */
  forgetNonces(): void {
    this.state.nonces.clear();
  }

  /** Makes a press older: past 3 s it takes no first response, past 15 minutes its token is dead. */
  age(pressId: string, ms: number): void {
    const interaction = this.#interaction(pressId);
    interaction.createdMs -= ms;
    this.state.watch.changed();
  }

  /** A dispatch as recorded: what it shows becomes part of the channel. Any junk goes out as it is. */
  pushRaw(dispatch: Dispatch): void {
    raw.pushRaw(this, dispatch);
  }

  // ---- What can be seen

  /** Everything the channel shows, in order. */
  messages(channel: string): ShownMessage[] {
    const found = this.state.channels.get(channel);
    return found ? Array.from(found.messages.values(), (stored) => stored.shown) : [];
  }

  /** What the bot under test wrote, in order. */
  sent(channel: string): ShownMessage[] {
    return this.messages(channel).filter((message) => message.byBot && !message.system);
  }

  message(channel: string, id: string): ShownMessage | undefined {
    return this.state.channels.get(channel)?.messages.get(id)?.shown;
  }

  /** What only this person sees, in order. */
  ephemerals(user: string): ShownMessage[] {
    const seen = [...this.state.interactions.values()].filter((one) => one.userId === user);
    return seen.flatMap((one) => one.answers.filter((message) => this.state.ephemerals.has(message.id)));
  }

  answerTo(pressId: string): PressOutcome {
    const { callback, createdMs, answers, ephemeral } = this.#interaction(pressId);
    const late = this.state.nowMs - createdMs > this.state.options.callbackLimitMs;
    const first = answers.find((message) => message.text !== "");
    return {
      state: callback ? (outcomes[callback.type] ?? "deferred") : late ? "failed" : "waiting",
      ephemeral: ephemeral || (first?.ephemeral ?? false),
      answers,
      ...(first ? { words: first.text } : {}),
      ...(callback ? { type: callback.type, afterMs: callback.atMs - createdMs } : {}),
    };
  }

  #interaction(id: string): InteractionState {
    const interaction = this.state.interactions.get(id);
    if (!interaction) throw new Error(`No press ${id}`);
    return interaction;
  }

  /** The form that is open for a person. */
  modal(user: string): ShownModal | undefined {
    return presses.modal(this.state, user);
  }

  get typing(): { channelId: string; atMs: number }[] {
    return this.state.typing;
  }

  get commands(): APIApplicationCommand[] {
    return this.state.commands;
  }

  /** How often the list of commands was written. */
  get commandPuts(): number {
    return this.state.commandPuts;
  }

  /** Presses that no first response has answered yet. */
  get pending(): string[] {
    return [...this.state.interactions.values()].filter((one) => one.delivered && !one.callback).map((one) => one.id);
  }

  /** A client is connected and identified. */
  get connected(): boolean {
    return this.gateway.connected > 0;
  }

  file(id: string): StoredFile | undefined {
    return this.state.files.get(id);
  }

  /** How often a route was called, faults included: "POST /channels/*\/messages", or a short name ("send"). */
  callCount(route: string): number {
    let count = 0;
    for (const [key, times] of this.#counts) {
      const [method = "", path = ""] = key.split(" ", 2);
      if (matchesRoute(route, method, path)) count += times;
    }
    return count;
  }

  callsOf(route: string): Call[] {
    return this.calls.filter((one) => matchesRoute(route, one.method, one.path));
  }

  // ---- Waiting

  /** Looks at the predicate now and after each change; its first answer that is not false, null or undefined. */
  until<T>(predicate: (wire: this) => T, options?: UntilOptions): Promise<Seen<T>> {
    const what = options?.what ?? predicate.toString();
    return this.state.watch.until(() => predicate(this), { ...options, what });
  }

  /** Waits for a message of the bot in a channel; with `after`, for one that is newer. */
  shown(channel: string, match: Match, options: UntilOptions & { after?: string } = {}): Promise<ShownMessage> {
    const { after = "0" } = options;
    const fits = matcher(match);
    return this.until(() => this.sent(channel).find((message) => BigInt(message.id) > BigInt(after) && fits(message)), {
      ...options,
      what: options.what ?? `a message by the bot in ${channel}: ${String(match)}`,
    });
  }

  describe(): string {
    const lines: string[] = [];
    const show = (message: ShownMessage): void => {
      const keys = message.buttons.map((row) => row.map((one) => `[${one.label}]`).join(" ")).join(" / ");
      const who = message.byBot ? "bot" : message.fromId;
      lines.push(`  #${message.id} ${who}: ${JSON.stringify(message.text)} ${keys}`.trimEnd());
    };
    for (const [id, channel] of this.state.channels) {
      lines.push(`channel ${id} (type ${channel.api.type}), ${channel.messages.size} messages`);
      for (const { shown } of [...channel.messages.values()].slice(-15)) show(shown);
    }
    if (this.state.ephemerals.size > 0) lines.push("seen by one person only:");
    for (const { shown } of this.state.ephemerals.values()) show(shown);
    for (const user of this.state.modals.keys())
      lines.push(`form open for ${user}: ${JSON.stringify(this.modal(user))}`);
    const { connects, identifies, resumes, connected } = this.gateway;
    lines.push(`gateway: connects ${connects}, identifies ${identifies}, resumes ${resumes}, connected ${connected}`);
    if (this.pending.length > 0) lines.push(`presses not answered: ${this.pending.join(", ")}`);
    lines.push("last calls:");
    for (const { method, path, payload, outcome, error } of this.calls.slice(-15)) {
      const said = JSON.stringify(payload).slice(0, 160);
      lines.push(`  ${method} ${path} ${said} → ${outcome} ${error ? `${error.code} ${error.message}` : ""}`.trimEnd());
    }
    return lines.join("\n");
  }

  // ---- Serving

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? "", "http://127.0.0.1");
      const path = decodeURIComponent(url.pathname);
      const body = await readBody(request);
      if (path.startsWith("/attachments/")) return this.#sendFile(path, url, response);
      const match = /^\/api\/v10(\/.*)$/.exec(path);
      if (!match) return sendJson(response, 404, { message: "404: Not Found", code: 0 });
      await this.#answer(request, body, match[1] ?? "", url.searchParams, response);
    } catch (error) {
      // A client that went away in the middle is no concern of ours; a bug of ours must be seen.
      if (request.destroyed && !response.writable) return;
      sendJson(response, 500, { message: `500: Internal Server Error: ${String(error)}`, code: 0 });
    }
  }

  async #answer(
    request: IncomingMessage,
    body: Buffer,
    path: string,
    query: URLSearchParams,
    response: ServerResponse,
  ): Promise<void> {
    const method = request.method ?? "GET";
    const authorized = request.headers.authorization === `Bot ${this.token}`;
    const call: Call = {
      index: this.#callIndex++,
      method,
      path,
      payload: {},
      authorized,
      atMs: this.state.nowMs,
      outcome: "open",
    };
    pushCapped(this.calls, call, this.#callLogCap);
    const key = `${method} ${path}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    let headers: Record<string, string> = {};
    try {
      const given = readGiven(request, body);
      call.payload = given.body;
      const fault = this.#faults.take(method, path);
      if (fault && (await failEarly(fault, call, response))) return;
      if (needsToken(path) && !authorized) throw unauthorized();
      headers = this.#buckets.count(method, path);
      const asked: Request = { ...given, method, path, query };
      const result = answerCall(this, asked);
      if (failLate(fault, call, response)) return;
      call.outcome = "ok";
      answer(response, result, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      call.outcome = "refused";
      call.error = { status: error.status, code: error.code, message: error.message };
      if ([401, 403, 429].includes(error.status)) this.invalidCalls++;
      sendJson(response, error.status, error.body, { ...headers, ...error.headers });
    } finally {
      this.state.watch.changed();
    }
  }

  /** A signed address: good until the time in it, and only as it was given. */
  #sendFile(path: string, url: URL, response: ServerResponse): void {
    const stored = [...this.state.files.values()].find((one) => one.path === path);
    const until = Number.parseInt(url.searchParams.get("ex") ?? "0", 16) * 1000;
    if (!stored || until < this.state.nowMs) {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end("This content is no longer available.");
      return;
    }
    const { attachment, bytes } = stored;
    response.writeHead(200, {
      "content-type": attachment.content_type ?? "application/octet-stream",
      "content-length": bytes.length,
    });
    response.end(bytes);
  }

  /** The channel's state, for what no verb covers. */
  channel(id: string): ChannelState {
    return people.channelOf(this.state, id);
  }

  /** Sends a stored message's event as it is now, with fields of one's own. */
  dispatchMessage(t: string, channel: string, id: string, fields: Partial<APIMessage> = {}): void {
    const place = this.channel(channel);
    const stored = place.messages.get(id);
    if (!stored) throw refusalOf(10_008);
    this.gateway.dispatchMessage(t, { ...gatewayMessage(this.state, place, stored.api), ...fields });
  }
}

function matcher(match: Match): (message: ShownMessage) => boolean {
  if (typeof match === "function") return match;
  if (typeof match === "string") return (message) => message.text.includes(match);
  return (message) => match.test(message.text);
}

export async function startDiscord(options: DiscordOptions = {}): Promise<DiscordWire> {
  const wire = new DiscordWire(options);
  await wire.listen(options);
  return wire;
}

if (import.meta.main) {
  const { port, control } = portsFromArgs(process.argv.slice(2));
  const wire = await startDiscord({ port, control, callLogCap: 1000, messageCap: 10_000 });
  const { apiUrl, controlUrl, token } = wire;
  process.stdout.write(`${JSON.stringify({ apiUrl, controlUrl, token })}\n`);
}
