// The REST routes of the loopback Discord (v10): what each takes, does and answers.
import {
  ChannelType,
  MessageFlags,
  MessageReferenceType,
  MessageType,
  ThreadAutoArchiveDuration,
} from "discord-api-types/v10";
import type {
  APIApplication,
  APIChannel,
  APIMessage,
  APIThreadChannel,
  APIUser,
  RESTGetAPIGatewayBotResult,
} from "discord-api-types/v10";
import { readCommands } from "./discord-commands.ts";
import {
  addSystemLine,
  draftMessage,
  editStored,
  gatewayMessage,
  restMessage,
  withoutReference,
} from "./discord-content.ts";
import type { Given } from "./discord-content.ts";
import { appFlags } from "./discord-gateway.ts";
import { callback, deleteOriginal, editOriginal, followUp, readOriginal } from "./discord-interactions.ts";
import type { World } from "./discord-interactions.ts";
import { invalidForm, notFound, problem, refusalOf, textOf } from "./discord-refusal.ts";
import { flagsOf, guildDispatch, isThread, isoOf, noFlags } from "./discord-state.ts";
import type { ChannelState, DiscordState, Stored } from "./discord-state.ts";

export interface Request extends Given {
  method: string;
  /** Without `/api/v10`, decoded. */
  path: string;
  query: URLSearchParams;
}

type Route = (world: World, request: Request, ids: string[]) => unknown;

/** `*` is one step of the path, handed to the route in order. */
const routes: [method: string, path: string, route: Route][] = [
  ["GET", "/gateway/bot", ({ gateway }) => gatewayBot(gateway.url)],
  ["GET", "/gateway", ({ gateway }) => ({ url: gateway.url })],
  ["GET", "/users/@me", ({ state }) => state.me],
  ["POST", "/users/@me/channels", ({ state }, { body }) => openDm(state, body)],
  ["GET", "/users/*", ({ state }, _request, [id = ""]) => userOf(state, id)],
  ["GET", "/applications/@me", ({ state }) => application(state)],
  ["GET", "/oauth2/applications/@me", ({ state }) => application(state)],
  ["GET", "/applications/*/commands", ({ state }, _request, [app]) => ofApp(state, app, () => state.commands)],
  [
    "PUT",
    "/applications/*/commands",
    ({ state }, { body }, [app]) => ofApp(state, app, () => putCommands(state, body)),
  ],
  ["GET", "/guilds/*", ({ state }, _request, [id = ""]) => guild(state, id)],
  ["GET", "/channels/*", ({ state }, _request, [id = ""]) => state.reachable(id).api],
  ["POST", "/channels/*/messages", create],
  ["GET", "/channels/*/messages", history],
  ["GET", "/channels/*/messages/*", ({ state }, _request, ids) => restMessage(state, message(state, ids).stored.api)],
  ["PATCH", "/channels/*/messages/*", edit],
  ["DELETE", "/channels/*/messages/*", remove],
  ["POST", "/channels/*/typing", typing],
  ["POST", "/channels/*/threads", startThread],
  ["POST", "/channels/*/messages/*/threads", startThread],
  [
    "POST",
    "/interactions/*/*/callback",
    (world, request, [id = "", token = ""]) =>
      callback(world, id, token, request, request.query.get("with_response") === "true"),
  ],
  ["POST", "/webhooks/*/*", (world, request, [app = "", token = ""]) => followUp(world, app, token, request)],
  [
    "GET",
    "/webhooks/*/*/messages/*",
    (world, _request, [app = "", token = "", name = ""]) => readOriginal(world, app, token, name),
  ],
  [
    "PATCH",
    "/webhooks/*/*/messages/*",
    (world, request, [app = "", token = "", name = ""]) => editOriginal(world, app, token, name, request),
  ],
  [
    "DELETE",
    "/webhooks/*/*/messages/*",
    (world, _request, [app = "", token = "", name = ""]) => deleteOriginal(world, app, token, name),
  ],
];

/** Routes that a token in the path opens, so that no Authorization header is wanted. */
export function needsToken(path: string): boolean {
  return !/^\/(?:interactions|webhooks)\//.test(path);
}

/** Undefined is a 204. */
export function call(world: World, request: Request): unknown {
  for (const [method, path, route] of routes) {
    if (method !== request.method) continue;
    const ids = match(path, request.path);
    if (ids) return route(world, request, ids);
  }
  throw notFound();
}

function match(pattern: string, path: string): string[] | undefined {
  const wanted = pattern.split("/");
  const there = path.split("/");
  if (wanted.length !== there.length) return undefined;
  const ids: string[] = [];
  for (const [at, step] of wanted.entries()) {
    const given = there[at] ?? "";
    if (step === "*") ids.push(given);
    else if (step !== given) return undefined;
  }
  return ids;
}

function gatewayBot(url: string): RESTGetAPIGatewayBotResult {
  return {
    url,
    shards: 1,
    session_start_limit: { total: 1000, remaining: 999, reset_after: 86_400_000, max_concurrency: 1 },
  } satisfies RESTGetAPIGatewayBotResult;
}

function openDm(state: DiscordState, body: Record<string, unknown>): APIChannel {
  const id = textOf(body["recipient_id"]);
  if (!state.users.has(id) || id === state.me.id) {
    throw invalidForm(problem("recipient_id", "INVALID_RECIPIENT", "Invalid Recipient(s)"));
  }
  return state.dm(id).api;
}

function userOf(state: DiscordState, id: string): APIUser {
  const user = state.users.get(id);
  if (!user) throw refusalOf(10_013);
  return user;
}

function application(state: DiscordState): APIApplication {
  const flags = appFlags(state.options.messageContent);
  return {
    id: state.me.id,
    name: state.me.username,
    icon: null,
    description: "",
    // oxlint-disable-next-line typescript/no-deprecated -- still there, and the type demands it
    summary: "",
    bot: state.me,
    bot_public: false,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    team: null,
    flags,
    flags_new: String(flags),
  } satisfies APIApplication;
}

function ofApp<T>(state: DiscordState, app: string | undefined, act: () => T): T {
  if (app !== state.me.id) throw refusalOf(10_002);
  return act();
}

function putCommands(state: DiscordState, body: unknown): unknown {
  state.commands = readCommands(state, body);
  state.commandPuts++;
  state.watch.changed();
  return state.commands;
}

function guild(state: DiscordState, id: string): unknown {
  const found = state.guilds.get(id);
  if (!found) throw refusalOf(10_004);
  const { channels: _channels, threads: _threads, members: _members, ...rest } = guildDispatch(state, found);
  return rest;
}

function create({ state, gateway }: World, request: Request, [id = ""]: string[]): unknown {
  const channel = state.writable(id);
  const { nonce } = request.body;
  const text = nonceOf(nonce);
  const enforced = request.body["enforce_nonce"] === true && text !== undefined;
  if (enforced) {
    const known = state.nonces.get(text);
    const first = known && state.nowMs - known.atMs < state.options.nonceWindowMs ? known : undefined;
    const stored = first && state.channels.get(first.channelId)?.messages.get(first.messageId);
    // The same author said this already: nothing new is made.
    if (stored) return { ...restMessage(state, stored.api), nonce };
  }
  const stored = draftMessage(state, channel, request);
  if (text !== undefined) {
    stored.api.nonce = nonce as string | number;
    stored.shown.nonce = text;
    state.nonces.set(text, { atMs: state.nowMs, channelId: id, messageId: stored.shown.id });
  }
  state.store(channel, stored);
  gateway.dispatchMessage("MESSAGE_CREATE", gatewayMessage(state, channel, stored.api));
  return { ...restMessage(state, stored.api), ...(text === undefined ? {} : { nonce }) };
}

function nonceOf(nonce: unknown): string | undefined {
  if (nonce === undefined || nonce === null || nonce === "") return undefined;
  if (typeof nonce !== "string" && typeof nonce !== "number") {
    throw invalidForm(problem("nonce", "NONCE_TYPE_INVALID_TYPE", "Nonce must be a string or an int."));
  }
  const text = String(nonce);
  if (text.length > 25) throw invalidForm(problem("nonce", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length."));
  return text;
}

/** Newest first, whatever the filter; `after` gives the oldest of what is newer. */
function history({ state }: World, { query }: Request, [id = ""]: string[]): APIMessage[] {
  const channel = state.reachable(id);
  const limit = Number(query.get("limit") ?? 50);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    const kind = limit < 1 ? "MIN" : "MAX";
    throw invalidForm(problem("limit", `NUMBER_TYPE_${kind}`, `int value should be between 1 and 100.`));
  }
  const after = snowflake(query, "after");
  const before = snowflake(query, "before");
  let found = Array.from(channel.messages.values(), (stored) => stored.api).sort(older);
  if (after !== undefined) found = found.filter((one) => BigInt(one.id) > after).slice(0, limit);
  else if (before !== undefined) found = found.filter((one) => BigInt(one.id) < before).slice(-limit);
  else found = found.slice(-limit);
  return found.reverse().map((one) => restMessage(state, one));
}

function older(a: APIMessage, b: APIMessage): number {
  return BigInt(a.id) < BigInt(b.id) ? -1 : 1;
}

function snowflake(query: URLSearchParams, name: string): bigint | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^\d+$/.test(value)) {
    throw invalidForm(problem(name, "NUMBER_TYPE_COERCE", `Value "${value}" is not snowflake.`));
  }
  return BigInt(value);
}

function message(state: DiscordState, [channelId = "", id = ""]: string[]): { channel: ChannelState; stored: Stored } {
  const channel = state.reachable(channelId);
  const stored = channel.messages.get(id);
  if (!stored) throw refusalOf(10_008);
  return { channel, stored };
}

function edit({ state, gateway }: World, request: Request, ids: string[]): APIMessage {
  const { channel, stored } = message(state, ids);
  if (channel.refused !== undefined) throw refusalOf(channel.refused);
  if (stored.api.author.id !== state.me.id) throw refusalOf(50_005);
  editStored(state, channel, stored, request);
  const { nonce: _, ...rest } = stored.api;
  gateway.dispatchMessage("MESSAGE_UPDATE", gatewayMessage(state, channel, rest));
  return restMessage(state, stored.api);
}

function remove({ state, gateway }: World, _request: Request, ids: string[]): void {
  const { channel, stored } = message(state, ids);
  if (stored.api.author.id !== state.me.id && channel.guildId === undefined) throw refusalOf(50_003);
  channel.messages.delete(stored.shown.id);
  gateway.dispatchDeletion(channel, [stored.shown.id]);
}

function typing({ state }: World, _request: Request, [id = ""]: string[]): void {
  state.writable(id);
  state.typing.push({ channelId: id, atMs: state.nowMs });
}

function startThread({ state, gateway }: World, { body }: Request, [id = "", messageId]: string[]): APIThreadChannel {
  const parent = state.writable(id);
  if (parent.guildId === undefined || isThread(parent)) throw refusalOf(50_024);
  if (messageId !== undefined && !parent.messages.has(messageId)) throw refusalOf(10_008);
  if (messageId !== undefined && state.channels.has(messageId)) throw refusalOf(160_004);
  const { name } = body;
  if (typeof name !== "string" || name.length < 1 || name.length > 100) {
    throw invalidForm(problem("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."));
  }
  return openThread({ state, gateway }, parent, {
    name,
    owner: state.me,
    ...(messageId === undefined ? {} : { messageId }),
  });
}

interface NewThread {
  id?: string;
  name: string;
  owner: APIUser;
  messageId?: string;
}

/** A thread with all that comes with it: the parent's line or the message's mark, and the thread's first line. */
export function openThread(world: World, parent: ChannelState, wanted: NewThread): APIThreadChannel {
  const { state, gateway } = world;
  const { name, owner, messageId } = wanted;
  const thread = threadOf(state, parent, messageId ?? wanted.id ?? state.nextId(), name, owner.id);
  gateway.dispatch({ t: "THREAD_CREATE", d: { ...thread, newly_created: true } }, (intents) => (intents & 1) !== 0);
  // A forum's post begins with its first message, nothing else.
  if (parent.api.type === ChannelType.GuildForum) return thread;
  const place = { guild_id: parent.guildId ?? "", channel_id: messageId === undefined ? thread.id : parent.api.id };
  const about = messageId === undefined ? undefined : parent.messages.get(messageId);
  if (!about) {
    const reference = { type: MessageReferenceType.Default, ...place };
    const fields = { type: MessageType.ThreadCreated, content: name, message_reference: reference };
    addSystemLine(world, parent, owner, fields);
    return thread;
  }
  about.api = { ...about.api, flags: flagsOf((about.api.flags ?? 0) | MessageFlags.HasThread), thread };
  gateway.dispatchMessage("MESSAGE_UPDATE", gatewayMessage(state, parent, withoutReference(about.api)));
  const inThread = state.channels.get(thread.id);
  if (inThread) {
    addSystemLine(world, inThread, owner, {
      type: MessageType.ThreadStarterMessage,
      message_reference: { type: MessageReferenceType.Default, ...place, message_id: about.api.id },
      referenced_message: withoutReference(about.api),
    });
  }
  return thread;
}

/** A thread, or a forum's post. That of a message has the message's id. */
function threadOf(
  state: DiscordState,
  parent: ChannelState,
  id: string,
  name: string,
  ownerId: string,
): APIThreadChannel {
  const made = state.nowIso;
  const api = {
    id,
    type: ChannelType.PublicThread,
    guild_id: parent.guildId ?? "",
    parent_id: parent.api.id,
    owner_id: ownerId,
    name,
    last_message_id: null,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    rate_limit_per_user: 0,
    flags: noFlags,
    applied_tags: [],
    thread_metadata: {
      archived: false,
      archive_timestamp: made,
      auto_archive_duration: ThreadAutoArchiveDuration.OneDay,
      locked: false,
      create_timestamp: isoOf(state.nowMs),
    },
  } satisfies APIThreadChannel;
  state.addChannel(api, parent.guildId);
  return api;
}
