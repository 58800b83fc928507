// chat.* of the loopback Slack: posts, edits, deletions, ephemerals, permalinks, streams.
import type { AnyBlock, AnyChunk } from "@slack/types";
import type {
  ChatAppendStreamResponse,
  ChatDeleteResponse,
  ChatGetPermalinkResponse,
  ChatPostEphemeralResponse,
  ChatPostMessageResponse,
  ChatStartStreamResponse,
  ChatStopStreamResponse,
  ChatUpdateResponse,
} from "@slack/web-api";
import { checkBlocks } from "./slack-blocks.ts";
import {
  botHead,
  fallbackText,
  namesIn,
  postable,
  readContent,
  readMetadata,
  readPlace,
  replaceVersion,
  richText,
  shownVersion,
  storeOwn,
  storedBlocks,
  textLimits,
  threadFields,
} from "./slack-content.ts";
import type { Content } from "./slack-content.ts";
import { emitChanged, emitDeleted, emitMessage } from "./slack-events.ts";
import type { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { ApiMessage, ChannelState, SlackState, Stored } from "./slack-state.ts";
import { escapeText, readMrkdwn } from "./slack-text.ts";

export function postMessage(state: SlackState, params: Params): ChatPostMessageResponse {
  const place = readPlace(state, params);
  const content = readContent(params, "some");
  const version = shownVersion(state, content);
  const api: ApiMessage = {
    ...botHead(state, state.ts()),
    ...threadFields(place),
    text: fallbackText(version, content),
    ...apiContent(state, content),
  };
  const broadcast = place.thread !== undefined && params.flag("reply_broadcast");
  if (broadcast) api.subtype = "thread_broadcast";
  const previewsOff = params.text("unfurl_links") === "false" && params.text("unfurl_media") === "false";
  storeOwn(state, place, api, version, { previewsOff });
  emitMessage(state, place.channel, withoutMetadata(api));
  return {
    ok: true,
    channel: place.channel.id,
    ts: api.ts,
    message: publicMessage(api) as ChatPostMessageResponse["message"] & object,
  } satisfies ChatPostMessageResponse;
}

/** Metadata reaches an app only where it asks for it. */
function withoutMetadata(api: ApiMessage): ApiMessage {
  const { metadata: _none, ...rest } = api;
  return rest;
}

function publicMessage(api: ApiMessage): object {
  return withoutMetadata(api);
}

function apiContent(state: SlackState, content: Content): Partial<ApiMessage> {
  const { text, blocks, markdown, attachments, metadata } = content;
  const made = (): AnyBlock[] | undefined => {
    if (markdown !== undefined) return storedBlocks(state, [{ type: "markdown", text: markdown }]);
    if (blocks !== undefined && blocks.length > 0) return storedBlocks(state, blocks);
    // Text alone comes back as rich text too.
    return text ? [richText(state, readMrkdwn(text, namesIn(state)))] : undefined;
  };
  const stored = made();
  return {
    ...(stored ? { blocks: stored } : {}),
    ...(attachments ? { attachments } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/** A message of the app's own; the platform tells apart one that is not there and one of someone else. */
function ownMessage(state: SlackState, params: Params, refusal: string): { channel: ChannelState; stored: Stored } {
  const channel = state.channels.get(params.text("channel") ?? "");
  if (!channel) throw new Refusal("channel_not_found");
  const stored = channel.messages.get(params.text("ts") ?? "");
  if (!stored || stored.shown.deleted) throw new Refusal("message_not_found");
  if (stored.api.bot_id !== state.options.botId) throw new Refusal(refusal);
  return { channel, stored };
}

export function updateMessage(state: SlackState, params: Params): ChatUpdateResponse {
  const { channel, stored } = ownMessage(state, params, "cant_update_message");
  if (channel.archived) throw new Refusal("is_archived");
  if (stored.shown.streaming === "open") throw new Refusal("streaming_state_conflict");
  const content = readContent(params, "some");
  const { text } = content;
  if (text !== undefined && (content.blocks ?? []).length === 0) {
    // Counted as stored: after &, < and > are escaped.
    const escaped = text.replaceAll(/&(?!amp;|lt;|gt;)/g, "&amp;");
    if (Buffer.byteLength(escaped) > textLimits.updateBytes) throw new Refusal("msg_too_long");
  }
  const previous = structuredClone(stored.api);
  // What was not given stays: blocks, attachments and metadata; an empty list or object removes.
  const blocks = content.blocks ?? (content.markdown === undefined ? stored.shown.blocks : undefined);
  const metadata = content.noMetadata ? undefined : (content.metadata ?? stored.shown.metadata);
  const whole: Content = { ...content, blocks, metadata, attachments: content.attachments ?? stored.api.attachments };
  const version = shownVersion(state, whole);
  replaceVersion(stored.shown, version);
  if (stored.shown.streaming) stored.shown.streaming = "stopped";
  const { api } = stored;
  delete api.blocks;
  delete api.metadata;
  delete api.streaming_state;
  Object.assign(api, apiContent(state, whole), {
    text: fallbackText(version, content),
    edited: { user: state.options.botUserId, ts: `${state.nowSeconds}.000000` },
  });
  state.watch.changed();
  emitChanged(state, channel, withoutMetadata(structuredClone(api)), withoutMetadata(previous));
  return {
    ok: true,
    channel: channel.id,
    ts: api.ts,
    text: api.text,
    message: publicMessage(api) as ChatUpdateResponse["message"] & object,
  } satisfies ChatUpdateResponse;
}

export function deleteMessage(state: SlackState, params: Params): ChatDeleteResponse {
  const { channel, stored } = ownMessage(state, params, "cant_delete_message");
  if (stored.shown.streaming === "open") throw new Refusal("cant_delete_message");
  takeAway(state, channel, stored);
  return { ok: true, channel: channel.id, ts: stored.api.ts } satisfies ChatDeleteResponse;
}

/** A message goes; the parent of a thread leaves a tombstone in its place. */
export function takeAway(state: SlackState, channel: ChannelState, stored: Stored): void {
  const previous = structuredClone(stored.api);
  stored.shown.deleted = true;
  if ((stored.api.reply_count ?? 0) === 0) {
    channel.messages.delete(stored.shown.id);
    const parent = stored.api.thread_ts === undefined ? undefined : channel.messages.get(stored.api.thread_ts)?.api;
    if (parent?.reply_count !== undefined) parent.reply_count -= 1;
    emitDeleted(state, channel, withoutMetadata(previous));
  } else {
    const { reply_count, reply_users, reply_users_count, latest_reply, thread_ts, ts } = stored.api;
    const tombstone = {
      subtype: "tombstone",
      text: "This message was deleted.",
      user: "USLACKBOT",
      hidden: true,
      type: "message",
      is_locked: false,
      ts,
      ...(thread_ts === undefined ? {} : { thread_ts }),
      ...(reply_count === undefined ? {} : { reply_count }),
      ...(reply_users === undefined ? {} : { reply_users }),
      ...(reply_users_count === undefined ? {} : { reply_users_count }),
      ...(latest_reply === undefined ? {} : { latest_reply }),
    } satisfies ApiMessage;
    stored.api = tombstone;
    Object.assign(stored.shown, { text: tombstone.text, raw: tombstone.text, buttons: [], blocks: [] });
    emitChanged(state, channel, tombstone, withoutMetadata(previous));
  }
  state.watch.changed();
}

export function postEphemeral(state: SlackState, params: Params): ChatPostEphemeralResponse {
  const channel = postable(state, params.text("channel") ?? "");
  const user = params.required("user");
  if (!state.people.has(user)) throw new Refusal("user_not_found");
  if (channel.kind === "im" && channel.user !== user) throw new Refusal("user_not_in_channel");
  const content = readContent(params, "some");
  const ts = state.ts();
  const thread = params.text("thread_ts");
  keepEphemeral(state, channel.id, user, content, ts, thread);
  return { ok: true, message_ts: ts } satisfies ChatPostEphemeralResponse;
}

export function keepEphemeral(
  state: SlackState,
  channel: string,
  user: string,
  content: Content,
  ts: string,
  thread: string | undefined,
): void {
  state.ephemerals.push({
    ...shownVersion(state, content),
    id: ts,
    channel,
    ...(thread === undefined ? {} : { thread }),
    from: state.options.botUserId,
    byBot: true,
    previewsOff: true,
    ephemeralFor: user,
    files: [],
    deleted: false,
    edits: [],
  });
  state.watch.changed();
}

export function getPermalink(state: SlackState, params: Params): ChatGetPermalinkResponse {
  const channel = state.channels.get(params.text("channel") ?? "");
  if (!channel) throw new Refusal("channel_not_found");
  const ts = params.text("message_ts") ?? "";
  if (!channel.messages.has(ts)) throw new Refusal("message_not_found");
  return {
    ok: true,
    channel: channel.id,
    permalink: permalink(state, channel.id, ts),
  } satisfies ChatGetPermalinkResponse;
}

export function permalink(state: SlackState, channel: string, ts: string): string {
  const link = `https://${state.options.teamName}.slack.test/archives/${channel}/p${ts.replace(".", "")}`;
  const thread = state.channels.get(channel)?.messages.get(ts)?.api.thread_ts;
  // docs.slack.dev, "chat.getPermalink": the address of a reply names its thread.
  return thread === undefined || thread === ts ? link : `${link}?thread_ts=${thread}&cid=${channel}`;
}

// ---- Streams

function readChunks(params: Params): { markdown: string; blocks: AnyBlock[] } {
  const markdown = params.text("markdown_text");
  const chunks = params.json("chunks", "invalid_chunks") as AnyChunk[] | undefined;
  if (markdown !== undefined && markdown !== "" && chunks !== undefined) {
    throw new Refusal("cannot_provide_both_markdown_text_and_chunks");
  }
  let text = markdown ?? "";
  const blocks: AnyBlock[] = [];
  for (const chunk of chunks ?? []) {
    if (chunk.type === "markdown_text" && "text" in chunk) text += chunk.text;
    else if (chunk.type === "blocks" && "blocks" in chunk) blocks.push(...checkBlocks(chunk.blocks, "message"));
    else if (chunk.type !== "task_update" && chunk.type !== "plan_update") throw new Refusal("invalid_chunks");
  }
  if (text.length > textLimits.markdownChars) throw new Refusal("msg_too_long");
  return { markdown: text, blocks };
}

export function startStream(state: SlackState, params: Params): ChatStartStreamResponse {
  const channel = postable(state, params.text("channel") ?? "");
  if (!params.has("thread_ts")) throw new Refusal("invalid_arguments");
  const place = readPlace(state, params);
  if (channel.kind !== "im") {
    if (!params.has("recipient_team_id")) throw new Refusal("missing_recipient_team_id");
    if (!params.has("recipient_user_id")) throw new Refusal("missing_recipient_user_id");
  }
  const { markdown } = readChunks(params);
  const api: ApiMessage = {
    ...botHead(state, state.ts()),
    ...threadFields(place),
    text: "",
    streaming_state: "in_progress",
  };
  const version = shownVersion(state, { text: "", blocks: [], markdown, attachments: undefined, metadata: undefined });
  const stored = storeOwn(state, place, api, version, { streaming: "open" });
  emitMessage(state, channel, api);
  grow(state, stored, "");
  return { ok: true, channel: channel.id, ts: api.ts } satisfies ChatStartStreamResponse;
}

function grow(state: SlackState, stored: Stored, more: string): void {
  const { shown, api } = stored;
  if (more !== "") {
    const markdown = `${shown.markdown ?? ""}${more}`;
    const { metadata } = shown;
    replaceVersion(
      shown,
      shownVersion(state, { text: "", blocks: shown.blocks, markdown, attachments: undefined, metadata }),
    );
  }
  api.text = escapeText(shown.text);
  api.blocks = [richText(state, shown.text)];
  state.watch.changed();
}

/** A stream that may be written to; the platform's codes for each way it may not. */
function openStream(state: SlackState, params: Params): { channel: ChannelState; stored: Stored } {
  const found = ownMessage(state, params, "message_not_owned_by_app");
  if (stoppedBy.get(found.stored) === "reader") throw new Refusal("stopped_by_user");
  if (found.stored.shown.streaming !== "open") throw new Refusal("message_not_in_streaming_state");
  return found;
}

const stoppedBy: WeakMap<Stored, "server" | "reader"> = new WeakMap();

/** The platform ends a stream by itself, or its reader does. */
export function endStream(state: SlackState, stored: Stored, by: "server" | "reader"): void {
  if (stored.shown.streaming !== "open") throw new Error(`Message ${stored.shown.id} is no open stream`);
  stored.shown.streaming = "closed";
  stored.api.streaming_state = "errored";
  stoppedBy.set(stored, by);
  state.watch.changed();
}

export function appendStream(state: SlackState, params: Params): ChatAppendStreamResponse {
  const { channel, stored } = openStream(state, params);
  const { markdown } = readChunks(params);
  grow(state, stored, markdown);
  return { ok: true, channel: channel.id, ts: stored.api.ts } satisfies ChatAppendStreamResponse;
}

export function stopStream(state: SlackState, params: Params): ChatStopStreamResponse {
  const { channel, stored } = openStream(state, params);
  const { markdown } = readChunks(params);
  const given = params.json("blocks", "invalid_blocks_format");
  const { metadata } = readMetadata(params);
  const previous = structuredClone(stored.api);
  grow(state, stored, markdown);
  if (given !== undefined) {
    const blocks = checkBlocks(given, "message");
    const { shown } = stored;
    const version = shownVersion(state, {
      text: "",
      blocks,
      markdown: shown.markdown,
      attachments: undefined,
      metadata: undefined,
    });
    replaceVersion(shown, version);
    stored.api.blocks = [...(stored.api.blocks ?? []), ...storedBlocks(state, blocks)];
  }
  if (metadata) {
    stored.shown.metadata = metadata;
    stored.api.metadata = metadata;
  }
  stored.shown.streaming = "stopped";
  stored.api.streaming_state = "completed";
  state.watch.changed();
  // No `edited`: nobody changed words that stood there.
  emitChanged(state, channel, withoutMetadata(structuredClone(stored.api)), withoutMetadata(previous));
  return {
    ok: true,
    channel: channel.id,
    ts: stored.api.ts,
    message: publicMessage(stored.api) as ChatStopStreamResponse["message"] & object,
  } satisfies ChatStopStreamResponse;
}

// ---- response_url

/** A post to a response_url: for who pressed alone, unless it says otherwise. */
export function respond(state: SlackState, channel: string, user: string, params: Params, origin?: string): void {
  const content = readContent(params, "any");
  const text = readMrkdwn(content.text ?? "", (id) => id);
  const seen = state.ephemerals.findIndex(({ id }) => id === origin);
  if (seen !== -1 && params.flag("delete_original")) {
    state.ephemerals.splice(seen, 1);
    return;
  }
  if (seen !== -1 && params.flag("replace_original")) {
    const shown = state.ephemerals[seen];
    if (shown) replaceVersion(shown, shownVersion(state, content));
    return;
  }
  if (params.flag("delete_original") || params.flag("replace_original")) {
    const stored = origin === undefined ? undefined : state.channels.get(channel)?.messages.get(origin);
    if (stored && params.flag("delete_original")) takeAway(state, state.channel(channel), stored);
    else if (stored) {
      replaceVersion(stored.shown, shownVersion(state, content));
      stored.api.text = text;
    }
    return;
  }
  if (params.text("response_type") === "in_channel") {
    const place = { channel: state.channel(channel) };
    const version = shownVersion(state, content);
    const api = { ...botHead(state, state.ts()), text: fallbackText(version, content) };
    storeOwn(state, place, api, version);
    return;
  }
  keepEphemeral(state, channel, user, content, state.ts(), params.text("thread_ts"));
}
