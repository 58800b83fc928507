// The events of the loopback Slack, in the shape of the recorded ones and held to @slack/types.
import type {
  AppHomeOpenedEvent,
  AppMentionEvent,
  AssistantThreadStartedEvent,
  ReactionAddedEvent,
} from "@slack/types";
import type { EnvelopeType } from "./slack-delivery.ts";
import type { ApiMessage, ChannelState, PressState, SlackState, Stored } from "./slack-state.ts";

const channelTypes = { channel: "channel", group: "group", im: "im", mpim: "mpim" } as const;
const subscriptions = {
  channel: "message.channels",
  group: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
} as const;

/** The envelope of an event, as it is posted or put on a socket. */
export function eventBody(state: SlackState, event: Record<string, unknown>): Record<string, unknown> {
  const { teamId, appId, botUserId } = state.options;
  const id = state.id("Ev");
  return {
    token: "verification-token",
    team_id: teamId,
    context_team_id: teamId,
    context_enterprise_id: null,
    api_app_id: appId,
    event,
    type: "event_callback",
    event_id: id,
    event_time: state.nowSeconds,
    authorizations: [
      { enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: `4-${id}`,
  };
}

export function emit(
  state: SlackState,
  type: EnvelopeType,
  payload: Record<string, unknown>,
  press?: PressState,
): void {
  if (state.missing) {
    if (press) press.failed = "dispatch_failed";
    return;
  }
  state.delivery?.emit(type, payload, press);
}

export function emitEvent(state: SlackState, subscription: string, event: Record<string, unknown>): void {
  if (state.options.events.includes(subscription)) emit(state, "events_api", eventBody(state, event));
}

/** A new message, as the app hears of it: where it is a member and has asked for such events. */
export function emitMessage(state: SlackState, channel: ChannelState, api: ApiMessage): void {
  if (!channel.botIsMember) return;
  // Only histories count the replies.
  const { reply_count: _1, reply_users: _2, reply_users_count: _3, latest_reply: _4, is_locked: _5, ...own } = api;
  const event = {
    ...own,
    channel: channel.id,
    event_ts: api.ts,
    channel_type: channelTypes[channel.kind],
  };
  emitEvent(state, subscriptions[channel.kind], event);
}

/** In channels a mention is told a second time, as a kind of its own with the same ts. */
export function emitMention(state: SlackState, channel: ChannelState, api: ApiMessage): void {
  if (!channel.botIsMember || channel.kind === "im") return;
  const event = {
    type: "app_mention",
    ...(api.user === undefined ? {} : { user: api.user }),
    ts: api.ts,
    ...(api.client_msg_id === undefined ? {} : { client_msg_id: api.client_msg_id }),
    text: api.text,
    ...(api.team === undefined ? {} : { team: api.team }),
    ...(api.thread_ts === undefined ? {} : { thread_ts: api.thread_ts }),
    ...(api.blocks === undefined ? {} : { blocks: api.blocks }),
    channel: channel.id,
    event_ts: api.ts,
  } satisfies AppMentionEvent & { client_msg_id?: string };
  // Files and shared messages stand in it as in the message itself.
  const more = {
    ...(api.files === undefined ? {} : { files: api.files, upload: false, display_as_bot: false }),
    ...(api.attachments === undefined ? {} : { attachments: api.attachments }),
  };
  emitEvent(state, "app_mention", { ...event, ...more });
}

export function emitChanged(state: SlackState, channel: ChannelState, message: ApiMessage, previous: ApiMessage): void {
  if (!channel.botIsMember) return;
  const ts = state.ts();
  emitEvent(state, subscriptions[channel.kind], {
    type: "message",
    subtype: "message_changed",
    message,
    previous_message: previous,
    channel: channel.id,
    hidden: true,
    ts,
    event_ts: ts,
    channel_type: channelTypes[channel.kind],
  });
}

export function emitDeleted(state: SlackState, channel: ChannelState, previous: ApiMessage): void {
  if (!channel.botIsMember) return;
  const ts = state.ts();
  emitEvent(state, subscriptions[channel.kind], {
    type: "message",
    subtype: "message_deleted",
    hidden: true,
    deleted_ts: previous.ts,
    channel: channel.id,
    previous_message: previous,
    ts,
    event_ts: ts,
    channel_type: channelTypes[channel.kind],
  });
}

export function emitHomeOpened(state: SlackState, user: string, channel: string, tab: "home" | "messages"): void {
  const viewId = state.homes.get(user);
  const view = viewId === undefined ? undefined : state.views.get(viewId)?.api;
  const event = {
    type: "app_home_opened",
    user,
    channel,
    tab,
    event_ts: state.ts(),
  } satisfies AppHomeOpenedEvent;
  emitEvent(state, "app_home_opened", { ...event, ...(view ? { view } : {}) });
}

export function emitReaction(
  state: SlackState,
  channel: ChannelState,
  stored: Stored,
  user: string,
  name: string,
): void {
  const event = {
    type: "reaction_added",
    user,
    reaction: name,
    item: { type: "message", channel: channel.id, ts: stored.api.ts },
    item_user: stored.api.user ?? "",
    event_ts: state.ts(),
  } satisfies ReactionAddedEvent;
  emitEvent(state, "reaction_added", event);
}

export function emitAssistantStarted(state: SlackState, user: string, channel: string, thread: string): void {
  const event = {
    type: "assistant_thread_started",
    assistant_thread: {
      user_id: user,
      context: { channel_id: "", team_id: state.options.teamId, enterprise_id: null },
      channel_id: channel,
      thread_ts: thread,
    },
    event_ts: state.ts(),
  } satisfies Omit<AssistantThreadStartedEvent, "assistant_thread"> & { assistant_thread: unknown };
  emitEvent(state, "assistant_thread_started", event);
}
