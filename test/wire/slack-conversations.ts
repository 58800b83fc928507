// conversations.*, users.*, bots.info and auth.test of the loopback Slack.
import type {
  AuthTestResponse,
  BotsInfoResponse,
  ConversationsHistoryResponse,
  ConversationsInfoResponse,
  ConversationsListResponse,
  ConversationsMembersResponse,
  ConversationsOpenResponse,
  ConversationsRepliesResponse,
  UsersInfoResponse,
} from "@slack/web-api";
import type { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { ApiMessage, ChannelState, Person, SlackState } from "./slack-state.ts";

export function authTest(state: SlackState): AuthTestResponse {
  const { teamId, teamName, botUserId, botId, botName } = state.options;
  return {
    ok: true,
    url: `https://${teamName}.slack.test/`,
    team: teamName,
    user: botName,
    team_id: teamId,
    user_id: botUserId,
    bot_id: botId,
    is_enterprise_install: false,
  } satisfies AuthTestResponse;
}

export function botsInfo(state: SlackState, params: Params): BotsInfoResponse {
  const { botId, appId, botName, botUserId } = state.options;
  if (params.has("bot") && params.text("bot") !== botId) throw new Refusal("bot_not_found");
  return {
    ok: true,
    bot: {
      id: botId,
      deleted: false,
      name: botName,
      updated: 1_700_000_000,
      app_id: appId,
      user_id: botUserId,
      icons: {},
    },
  } satisfies BotsInfoResponse;
}

function memberOf(state: SlackState, params: Params): ChannelState {
  const channel = state.channels.get(params.text("channel") ?? "");
  if (!channel || (channel.kind !== "channel" && !channel.botIsMember)) throw new Refusal("channel_not_found");
  if (!channel.botIsMember) throw new Refusal("not_in_channel");
  return channel;
}

/** A page's start, hidden in what the client hands back. */
function readCursor(params: Params): number {
  const cursor = params.text("cursor");
  if (cursor === undefined || cursor === "") return 0;
  const at = /^page:(\d+)$/.exec(Buffer.from(cursor, "base64").toString())?.[1];
  if (at === undefined) throw new Refusal("invalid_cursor");
  return Number(at);
}

function cursorTo(at: number): string {
  return Buffer.from(`page:${at}`).toString("base64");
}

interface Page<T> {
  items: T[];
  hasMore: boolean;
  next: string;
}

function page<T>(all: T[], params: Params, usual: number, most: number): Page<T> {
  const limit = params.number("limit") ?? usual;
  if (limit < 1 || limit > most) throw new Refusal("invalid_limit");
  const at = readCursor(params);
  const hasMore = all.length > at + limit;
  return { items: all.slice(at, at + limit), hasMore, next: hasMore ? cursorTo(at + limit) : "" };
}

/** `oldest` and `latest` themselves are left out unless `inclusive`. */
function inTime(params: Params): (ts: string) => boolean {
  const oldest = params.text("oldest") || "0";
  const latest = params.text("latest") || undefined;
  const inclusive = params.flag("inclusive");
  for (const bound of [oldest, latest ?? "0"]) {
    if (!/^\d+(\.\d+)?$/.test(bound)) throw new Refusal(bound === oldest ? "invalid_ts_oldest" : "invalid_ts_latest");
  }
  return (ts) => {
    const at = micros(ts);
    const from = micros(oldest);
    if (at < from || (at === from && !inclusive)) return false;
    if (latest === undefined) return true;
    const to = micros(latest);
    return at < to || (at === to && inclusive);
  };
}

export function micros(ts: string): bigint {
  const [seconds = "0", rest = ""] = ts.split(".", 2);
  return BigInt(seconds) * 1_000_000n + BigInt(rest.slice(0, 6).padEnd(6, "0"));
}

function given(api: ApiMessage, params: Params): ApiMessage {
  const copy = structuredClone(api);
  if (!params.flag("include_all_metadata")) delete copy.metadata;
  return copy;
}

const isReply = (api: ApiMessage): boolean => api.thread_ts !== undefined && api.thread_ts !== api.ts;

/** Newest first; replies stand only in their threads, unless they were sent to the channel too. */
export function history(state: SlackState, params: Params): ConversationsHistoryResponse {
  const channel = memberOf(state, params);
  const within = inTime(params);
  const all = [...channel.messages.values()]
    .map(({ api }) => api)
    .filter((api) => within(api.ts) && (!isReply(api) || api.subtype === "thread_broadcast"))
    .toSorted((a, b) => (micros(a.ts) < micros(b.ts) ? 1 : -1));
  const { items, hasMore, next } = page(all, params, 100, 999);
  return {
    ok: true,
    messages: items.map((api) => given(api, params)) as ConversationsHistoryResponse["messages"] & object,
    has_more: hasMore,
    pin_count: 0,
    ...(hasMore ? { response_metadata: { next_cursor: next } } : {}),
  } satisfies ConversationsHistoryResponse;
}

/** The parent first, then the replies, oldest first. A reply's own ts gives that reply alone. */
export function replies(state: SlackState, params: Params): ConversationsRepliesResponse {
  const channel = memberOf(state, params);
  const ts = params.required("ts");
  const start = channel.messages.get(ts)?.api;
  if (!start) throw new Refusal("thread_not_found");
  const within = inTime(params);
  const rest = isReply(start)
    ? []
    : [...channel.messages.values()]
        .map(({ api }) => api)
        .filter((api) => api.thread_ts === ts && api.ts !== ts && within(api.ts))
        .toSorted((a, b) => (micros(a.ts) > micros(b.ts) ? 1 : -1));
  const { items, hasMore, next } = page(rest, params, 1000, 1000);
  return {
    ok: true,
    messages: [start, ...items].map((api) => given(api, params)) as ConversationsRepliesResponse["messages"] & object,
    has_more: hasMore,
    ...(hasMore ? { response_metadata: { next_cursor: next } } : {}),
  } satisfies ConversationsRepliesResponse;
}

export function openConversation(state: SlackState, params: Params): ConversationsOpenResponse {
  const known = params.text("channel");
  if (known !== undefined && known !== "") {
    const channel = state.channels.get(known);
    if (!channel) throw new Refusal("channel_not_found");
    return {
      ok: true,
      no_op: true,
      already_open: true,
      channel: { id: channel.id },
    } satisfies ConversationsOpenResponse;
  }
  const users = params.required("users").split(",");
  for (const user of users) if (!state.people.has(user)) throw new Refusal("user_not_found");
  const [user = ""] = users;
  if (users.length > 1) {
    const id = state.id("G01MPIM");
    const channel = state.addChannel({ id, name: `mpdm-${users.join("--")}`, kind: "mpim" });
    return { ok: true, channel: { id: channel.id } } satisfies ConversationsOpenResponse;
  }
  if (state.person(user).bot) throw new Refusal("cannot_dm_bot");
  const existed = [...state.channels.values()].some((one) => one.kind === "im" && one.user === user);
  const channel = state.dm(user);
  return {
    ok: true,
    ...(existed ? { no_op: true, already_open: true } : {}),
    channel: { id: channel.id },
  } satisfies ConversationsOpenResponse;
}

function channelInfo(state: SlackState, channel: ChannelState): object {
  const { kind, id, name, user, archived, botIsMember } = channel;
  const team = { context_team_id: state.options.teamId };
  if (kind === "im") {
    return {
      id,
      created: 1_700_000_000,
      is_im: true,
      is_org_shared: false,
      is_archived: archived,
      user,
      is_open: true,
      ...team,
    };
  }
  return {
    id,
    name,
    name_normalized: name,
    created: 1_700_000_000,
    creator: "U00CREATOR",
    is_channel: kind === "channel",
    is_group: kind === "group",
    is_im: false,
    is_mpim: kind === "mpim",
    is_private: kind !== "channel",
    is_archived: archived,
    is_member: botIsMember,
    is_general: false,
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
    shared_team_ids: [state.options.teamId],
    topic: { value: "", creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
    ...team,
  };
}

export function conversationInfo(state: SlackState, params: Params): ConversationsInfoResponse {
  const channel = state.channels.get(params.text("channel") ?? "");
  if (!channel || (channel.kind !== "channel" && !channel.botIsMember)) throw new Refusal("channel_not_found");
  return {
    ok: true,
    channel: channelInfo(state, channel) as ConversationsInfoResponse["channel"] & object,
  } satisfies ConversationsInfoResponse;
}

const listNames = { channel: "public_channel", group: "private_channel", im: "im", mpim: "mpim" } as const;

/** `mine`: only where the app is a member. */
export function listConversations(state: SlackState, params: Params, mine: boolean): ConversationsListResponse {
  const types = (params.text("types") || "public_channel").split(",").map((type) => type.trim());
  for (const type of types) {
    if (!Object.values<string>(listNames).includes(type)) throw new Refusal("invalid_types");
  }
  const all = [...state.channels.values()].filter(
    (channel) =>
      types.includes(listNames[channel.kind]) &&
      (channel.botIsMember || (!mine && channel.kind === "channel")) &&
      !(params.flag("exclude_archived") && channel.archived),
  );
  const { items, next } = page(all, params, 100, 1000);
  return {
    ok: true,
    channels: items.map((channel) => channelInfo(state, channel)),
    response_metadata: { next_cursor: next },
  } satisfies ConversationsListResponse;
}

export function members(state: SlackState, params: Params): ConversationsMembersResponse {
  const channel = memberOf(state, params);
  const writers = [...channel.messages.values()].map(({ shown }) => shown.from);
  const ids = new Set([state.options.botUserId, ...(channel.user === undefined ? writers : [channel.user])]);
  return { ok: true, members: [...ids], response_metadata: { next_cursor: "" } } satisfies ConversationsMembersResponse;
}

export function userInfo(state: SlackState, params: Params): UsersInfoResponse {
  const person = state.people.get(params.text("user") ?? "");
  if (!person) throw new Refusal("user_not_found");
  return { ok: true, user: userObject(state, person) } satisfies UsersInfoResponse;
}

function userObject(state: SlackState, person: Person): NonNullable<UsersInfoResponse["user"]> {
  const { id, name, team, bot } = person;
  return {
    id,
    team_id: team,
    name: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "."),
    deleted: false,
    color: "9f69e7",
    real_name: name,
    tz: "Europe/Berlin",
    tz_offset: 3600,
    profile: {
      real_name: name,
      real_name_normalized: name,
      display_name: name,
      display_name_normalized: name,
      team,
      image_48: `${state.url}/icons/48.png`,
    },
    is_admin: false,
    is_owner: false,
    is_bot: bot,
    is_app_user: false,
    ...(team === state.options.teamId ? {} : { is_stranger: true }),
    updated: 1_700_000_000,
  };
}
