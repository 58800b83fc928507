// Recorded payloads in the loopback Slack: how each is handed over, and what it leaves behind, so that
// the app can answer a person it never met in a conversation nobody made.
import type { EnvelopeType } from "./slack-delivery.ts";
import { shownVersion } from "./slack-content.ts";
import type { ApiMessage, ChannelKind, ChannelState, SlackState } from "./slack-state.ts";

type Loose = Record<string, unknown>;

export function typeOfRaw(payload: Loose): EnvelopeType {
  if (payload["type"] === "event_callback") return "events_api";
  return typeof payload["command"] === "string" ? "slash_commands" : "interactive";
}

function isObject(value: unknown): value is Loose {
  return typeof value === "object" && value !== null;
}

const kinds: Record<string, ChannelKind> = { D: "im", G: "group", C: "channel" };

function placeOf(state: SlackState, id: unknown, kind: unknown, user: unknown): ChannelState | undefined {
  if (typeof id !== "string") return undefined;
  const known = state.channels.get(id);
  if (known) return known;
  const named = Object.values(kinds).find((one) => one === kind) ?? kinds[id.slice(0, 1)] ?? "channel";
  const person = named === "im" && typeof user === "string" ? { user } : {};
  return state.addChannel({ id, name: "recorded", kind: named, ...person });
}

export function keepRaw(state: SlackState, payload: Loose): void {
  if (payload["type"] === "event_callback" && isObject(payload["event"])) return keepEvent(state, payload["event"]);
  const { channel, user, message } = payload;
  const userId = isObject(user) ? user["id"] : payload["user_id"];
  if (typeof userId === "string") state.person(userId);
  const trigger = payload["trigger_id"];
  if (typeof trigger === "string" && typeof userId === "string") {
    state.triggers.set(trigger, { id: trigger, user: userId, atMs: state.nowMs, used: false });
  }
  const place = placeOf(state, isObject(channel) ? channel["id"] : payload["channel_id"], undefined, userId);
  // A press stands on a message of the app's own.
  if (place && isObject(message)) {
    keepMessage(state, place, { ...message, bot_id: state.options.botId, user: state.options.botUserId });
  }
}

function keepEvent(state: SlackState, event: Loose): void {
  if (event["type"] !== "message" && event["type"] !== "app_mention") return;
  const place = placeOf(state, event["channel"], event["channel_type"], event["user"]);
  if (!place) return;
  if (event["subtype"] === "message_deleted") {
    place.messages.delete(String(event["deleted_ts"]));
    return;
  }
  if (event["subtype"] !== "message_changed") return keepMessage(state, place, event);
  if (isObject(event["message"])) keepMessage(state, place, event["message"]);
}

function keepMessage(state: SlackState, place: ChannelState, given: Loose): void {
  const { channel: _1, event_ts: _2, channel_type: _3, ...rest } = given;
  const api = { text: "", ...rest, type: "message" } as ApiMessage;
  if (typeof api.user === "string") state.person(api.user);
  // Its thread must stand, or nothing could be answered there.
  const parent = api.thread_ts;
  if (parent !== undefined && parent !== api.ts && !place.messages.has(parent)) {
    keepMessage(state, place, { ts: parent, user: given["parent_user_id"] ?? api.user, text: "" });
  }
  const old = place.messages.get(api.ts);
  const version = shownVersion(state, {
    text: api.text,
    blocks: undefined,
    markdown: undefined,
    attachments: undefined,
    metadata: undefined,
  });
  state.store(place, {
    api: { ...old?.api, ...api },
    shown: {
      ...version,
      id: api.ts,
      channel: place.id,
      ...(parent === undefined ? {} : { thread: parent }),
      from: api.user ?? api.bot_id ?? "",
      byBot: api.bot_id === state.options.botId,
      previewsOff: false,
      files: [],
      deleted: false,
      edits: old?.shown.edits ?? [],
    },
  });
}
