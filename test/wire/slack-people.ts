// What people do in the loopback Slack: write, share messages, edit, delete, react, open the app's
// thread. Each makes the events that the platform would send, in the shape of the recorded ones.
import type { AnyBlock, RichTextElement, RichTextSection } from "@slack/types";
import { permalink, takeAway } from "./slack-chat.ts";
import { blockId, namesIn, replaceVersion, shownVersion } from "./slack-content.ts";
import {
  emitAssistantStarted,
  emitChanged,
  emitHomeOpened,
  emitMention,
  emitMessage,
  emitReaction,
} from "./slack-events.ts";
import { givenFile, share, shownFile } from "./slack-files.ts";
import type { GivenFile } from "./slack-files.ts";
import type { ApiMessage, ChannelState, SlackState, Stored, StoredFile } from "./slack-state.ts";
import { escapeText } from "./slack-text.ts";

/** A message that is shared ("forwarded"): one that stands here (`id`), or one from anywhere. */
export interface GivenForward {
  /** Who wrote it: a user's id. */
  of?: string;
  text?: string;
  /** Where it stands; default a channel the app is not in. */
  channel?: string;
  id?: string;
  files?: GivenFile[];
  /** Written by a program: no author_id that is a person. */
  bot?: string;
}

export interface SayExtra {
  thread?: string;
  files?: GivenFile[];
  forward?: GivenForward | GivenForward[];
  /** `<@bot>` in front, as the app's name typed with an at sign. */
  mention?: true;
  /** In a thread: also sent to the channel. */
  broadcast?: true;
  /** Files come only with a later message_changed, as a slow upload's do. */
  lateFiles?: true;
  /** Any further field of the message. */
  fields?: Record<string, unknown>;
}

/** What is typed becomes `text` and a rich_text block: links and mentions are found, the rest is escaped. */
export function typed(state: SlackState, text: string): { text: string; block: AnyBlock } {
  const elements: RichTextElement[] = [];
  const parts: string[] = [];
  const pattern = /<@([UW][A-Z0-9]+)>|<!(channel|here|everyone)>|<#(C[A-Z0-9]+)>|(https?:\/\/[^\s<>]+)/g;
  let at = 0;
  const plain = (until: number): void => {
    if (until <= at) return;
    const words = text.slice(at, until);
    elements.push({ type: "text", text: words });
    parts.push(escapeText(words));
  };
  for (const match of text.matchAll(pattern)) {
    plain(match.index);
    at = match.index + match[0].length;
    const [all, user, range, channel, url] = match;
    if (user !== undefined) elements.push({ type: "user", user_id: user });
    else if (range !== undefined) elements.push({ type: "broadcast", range: range as "here" });
    else if (channel !== undefined) elements.push({ type: "channel", channel_id: channel });
    else elements.push({ type: "link", url: url ?? "" });
    if (channel !== undefined) parts.push(`<#${channel}|${state.channels.get(channel)?.name ?? ""}>`);
    else parts.push(url === undefined ? all : `<${escapeText(url)}>`);
  }
  plain(text.length);
  const section: RichTextSection = { type: "rich_text_section", elements };
  return { text: parts.join(""), block: { type: "rich_text", block_id: blockId(state), elements: [section] } };
}

function head(state: SlackState, user: string, ts: string): ApiMessage {
  const { team } = state.person(user);
  const away = team !== state.options.teamId;
  return {
    type: "message",
    user,
    ts,
    client_msg_id: `00000000-0000-4000-8000-${String(state.next()).padStart(12, "0")}`,
    text: "",
    team,
    // People of other workspaces carry where they come from.
    ...(away ? { user_team: team, source_team: team } : {}),
  };
}

/** A person's message. Answers its ts; the events are on their way. */
export function say(state: SlackState, channelId: string, user: string, text: string, extra: SayExtra = {}): string {
  const channel = state.channel(channelId);
  state.person(user);
  const words = typed(state, extra.mention ? `<@${state.options.botUserId}> ${text}`.trimEnd() : text);
  const ts = state.ts();
  const api: ApiMessage = { ...head(state, user, ts), text: words.text };
  if (words.text !== "") api.blocks = [words.block];
  if (extra.thread !== undefined) {
    const parent = channel.messages.get(extra.thread);
    if (!parent) throw new Error(`No message ${extra.thread} in ${channelId} to reply to`);
    api.thread_ts = extra.thread;
    if (parent.api.user !== undefined) api.parent_user_id = parent.api.user;
  }
  if (extra.forward !== undefined) {
    const list = Array.isArray(extra.forward) ? extra.forward : [extra.forward];
    api.attachments = list.map((one) => shared(state, one));
    // Recorded: a message shared on carries no client_msg_id.
    delete api.client_msg_id;
  }
  const files = (extra.files ?? []).map((given) => givenFile(state, given, user));
  if (files.length > 0 && !extra.lateFiles) {
    for (const file of files) share(state, file.api, channel, api);
    Object.assign(api, { subtype: "file_share", files: apiFiles(files), upload: true, display_as_bot: false });
  }
  if (extra.broadcast) api.subtype = "thread_broadcast";
  Object.assign(api, extra.fields);
  const stored = storePersons(state, channel, api, user, files);
  emitMessage(state, channel, api);
  if (words.text.includes(`<@${state.options.botUserId}>`)) emitMention(state, channel, api);
  if (extra.lateFiles) {
    const previous = structuredClone(api);
    for (const file of files) share(state, file.api, channel, api);
    Object.assign(api, { subtype: "file_share", files: apiFiles(files), upload: true });
    emitChanged(state, channel, structuredClone(api), previous);
  }
  return stored.shown.id;
}

function apiFiles(files: StoredFile[]): ApiMessage["files"] & object {
  return files.map(({ api }) => {
    // Messages don't list a file's shares.
    const { shares: _none, channels: _1, groups: _2, ims: _3, ...rest } = api;
    return rest;
  });
}

function storePersons(
  state: SlackState,
  channel: ChannelState,
  api: ApiMessage,
  from: string,
  files: StoredFile[] = [],
): Stored {
  const version = shownVersion(state, {
    text: api.text,
    blocks: undefined,
    markdown: undefined,
    attachments: api.attachments,
    metadata: undefined,
  });
  const stored: Stored = {
    api,
    shown: {
      ...version,
      id: api.ts,
      channel: channel.id,
      ...(api.thread_ts === undefined ? {} : { thread: api.thread_ts }),
      from,
      byBot: api.bot_id !== undefined && api.bot_id === state.options.botId,
      previewsOff: false,
      files: files.map(shownFile),
      deleted: false,
      edits: [],
    },
  };
  state.store(channel, stored);
  return stored;
}

/** The attachment of a shared message, as recorded. */
function shared(state: SlackState, given: GivenForward): NonNullable<ApiMessage["attachments"]>[number] {
  const channelId = given.channel ?? "C09ELSEWHERE";
  const there = given.id === undefined ? undefined : state.find(given.id);
  const author = there?.stored.api.user ?? given.of ?? "U09SOMEONE";
  const channel = there?.channel.id ?? channelId;
  const ts = there?.stored.api.ts ?? state.ts();
  const words = there ? { text: there.stored.api.text } : typed(state, given.text ?? "");
  const blocks = there ? (there.stored.api.blocks ?? []) : [typed(state, given.text ?? "").block];
  const name = namesIn(state)(author);
  const url = permalink(state, channel, ts);
  const files = (given.files ?? []).map((file) => givenFile(state, file, author));
  const apart = there?.stored.api.files ?? apiFiles(files);
  const channelName = state.channels.get(channel)?.name;
  const isBot = given.bot !== undefined || there?.stored.api.bot_id !== undefined;
  return {
    ts,
    ...(isBot ? { bot_id: given.bot ?? there?.stored.api.bot_id ?? "" } : { author_id: author }),
    channel_id: channel,
    channel_team: state.options.teamId,
    ...(channelName === undefined ? {} : { channel_name: channelName }),
    is_msg_unfurl: true,
    message_blocks: [{ team: state.options.teamId, channel, ts, message: { blocks } }],
    ...(apart.length > 0 ? { files: apart } : {}),
    color: "D0D0D0",
    from_url: url,
    is_share: true,
    fallback: `[August 29th, 2024 10:24 AM] ${name}: ${words.text}`,
    text: words.text,
    author_name: given.bot ?? name,
    ...(isBot ? {} : { author_link: `https://${state.options.teamName}.slack.test/team/${author}` }),
    author_icon: `${state.url}/icons/48.png`,
    author_subname: given.bot ?? name,
    mrkdwn_in: ["text"],
    footer: channelName === undefined ? "Slack Conversation" : `Posted in #${channelName}`,
  };
}

/** Another app's message; `old`: with the subtype bot_message and no user. */
export function sayAsBot(
  state: SlackState,
  channelId: string,
  text: string,
  extra: { old?: true; thread?: string; mention?: true } = {},
): string {
  const channel = state.channel(channelId);
  const words = typed(state, extra.mention ? `<@${state.options.botUserId}> ${text}` : text);
  const api: ApiMessage = {
    type: "message",
    ts: state.ts(),
    text: words.text,
    bot_id: "B09OTHERBOT",
    team: state.options.teamId,
    ...(extra.old
      ? { subtype: "bot_message", username: "Other bot" }
      : { user: "U09OTHERBOT", app_id: "A09OTHERAPP", bot_profile: { id: "B09OTHERBOT", name: "Other bot" } }),
    ...(extra.thread === undefined ? {} : { thread_ts: extra.thread }),
    blocks: [words.block],
  };
  storePersons(state, channel, api, "U09OTHERBOT");
  emitMessage(state, channel, api);
  if (extra.mention) emitMention(state, channel, api);
  return api.ts;
}

export function ownedBy(state: SlackState, channelId: string, ts: string): { channel: ChannelState; stored: Stored } {
  const channel = state.channel(channelId);
  const stored = channel.messages.get(ts);
  if (!stored) throw new Error(`No message ${ts} in ${channelId}`);
  return { channel, stored };
}

/** The writer changes the words. */
export function edit(state: SlackState, channelId: string, ts: string, text: string): void {
  const { channel, stored } = ownedBy(state, channelId, ts);
  if (stored.shown.byBot) throw new Error(`Message ${ts} is the app's own`);
  const previous = structuredClone(stored.api);
  const words = typed(state, text);
  const { api } = stored;
  api.text = words.text;
  api.blocks = [words.block];
  api.edited = { user: api.user ?? "", ts: `${state.nowSeconds}.${String(state.next()).padStart(6, "0")}` };
  replaceVersion(
    stored.shown,
    shownVersion(state, {
      text: api.text,
      blocks: undefined,
      markdown: undefined,
      attachments: api.attachments,
      metadata: undefined,
    }),
  );
  state.watch.changed();
  emitChanged(state, channel, withSources(state, api), previous);
}

function withSources(state: SlackState, api: ApiMessage): ApiMessage {
  const { teamId } = state.options;
  return { ...structuredClone(api), source_team: api.source_team ?? teamId, user_team: api.user_team ?? teamId };
}

/** The platform unfolds a link: message_changed with the same words and no `edited`. */
export function unfurl(state: SlackState, channelId: string, ts: string, text = "A page that the link leads to"): void {
  const { channel, stored } = ownedBy(state, channelId, ts);
  const previous = structuredClone(stored.api);
  const url = /<(https?:[^|>]+)/.exec(stored.api.text)?.[1] ?? "https://example.test/";
  stored.api.attachments = [
    ...(stored.api.attachments ?? []),
    {
      from_url: url,
      id: 1,
      original_url: url,
      fallback: text,
      text,
      title: "A title from outside",
      title_link: url,
      service_name: "example.test",
    },
  ];
  state.watch.changed();
  emitChanged(state, channel, structuredClone(stored.api), previous);
}

/** A change that touches no words: pinned, a thread's metadata. */
export function touch(state: SlackState, channelId: string, ts: string): void {
  const { channel, stored } = ownedBy(state, channelId, ts);
  const previous = structuredClone(stored.api);
  emitChanged(state, channel, { ...structuredClone(stored.api), subscribed: true }, previous);
}

export function remove(state: SlackState, channelId: string, ts: string): void {
  const { channel, stored } = ownedBy(state, channelId, ts);
  takeAway(state, channel, stored);
}

export function react(state: SlackState, channelId: string, user: string, ts: string, name: string): void {
  const { channel, stored } = ownedBy(state, channelId, ts);
  stored.api.reactions = [...(stored.api.reactions ?? []), { name, users: [user], count: 1 }];
  emitReaction(state, channel, stored, user, name);
}

export function openHome(state: SlackState, user: string, tab: "home" | "messages" = "home"): void {
  emitHomeOpened(state, user, state.dm(user).id, tab);
}

/** The person opens a new chat with the assistant: a thread in the direct messages. Answers its ts. */
export function startAssistantThread(state: SlackState, user: string): string {
  const channel = state.dm(user);
  const { botUserId, botId } = state.options;
  const ts = state.ts();
  const api: ApiMessage = {
    type: "message",
    subtype: "assistant_app_thread",
    user: botUserId,
    bot_id: botId,
    text: "New chat",
    ts,
    thread_ts: ts,
    is_locked: false,
    assistant_app_thread: { title: "New chat", title_blocks: [], artifacts: [] },
  };
  storePersons(state, channel, api, botUserId).shown.byBot = false;
  emitAssistantStarted(state, user, channel.id, ts);
  return ts;
}
