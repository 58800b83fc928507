// What people do in the loopback Discord: write, edit, take back, forward, react, open threads. Each makes
// the event that the platform would send (compare test/fixtures/discord).
import { ChannelType, MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";
import type { APIEmbed, APIMessage, APIMessageSnapshot, APIUser } from "discord-api-types/v10";
import {
  addSystemLine,
  gatewayMessage,
  mentionsOf,
  messageHead,
  restMessage,
  rewrite,
  shownOf,
  withoutReference,
} from "./discord-content.ts";
import type { World } from "./discord-interactions.ts";
import { openThread } from "./discord-methods.ts";
import { isThread, memberOf, noFlags } from "./discord-state.ts";
import type { ChannelState, DiscordState, Stored } from "./discord-state.ts";

/** Over the control port bytes are base64 text. */
export interface GivenFile {
  name: string;
  bytes?: Uint8Array | string;
  /** Instead of bytes. */
  text?: string;
  mimeType?: string;
  /** Claim another size than the bytes have. */
  size?: number;
}

/** What is forwarded: a message that stands in a channel, or words from a place the bot does not see. */
export type GivenForward =
  | { channel: string; id: string }
  | { text: string; files?: GivenFile[]; embeds?: APIEmbed[]; channel?: string; guild?: string };

export interface SayExtra {
  /** A thread's id: the message goes there instead. */
  thread?: string;
  files?: GivenFile[];
  forward?: GivenForward;
  /** The message that this one answers. */
  replyTo?: string;
  /** With `replyTo`: the answer mentions its writer, as the apps do unless told otherwise. Default true. */
  pingReply?: boolean;
  /** The bot is mentioned at the beginning. */
  mention?: boolean;
  /** False: MESSAGE_CREATE without `channel_type`. */
  channelType?: boolean;
  /** Posted by a webhook of this name rather than by the person. */
  webhook?: string;
  /** Any further field of the message, as the platform names it. */
  fields?: Partial<APIMessage>;
}

export function channelOf(state: DiscordState, id: string): ChannelState {
  const channel = state.channels.get(id);
  if (!channel) throw new Error(`No channel ${id}: make it with dm, addChannel or addThread first`);
  return channel;
}

export function personOf(state: DiscordState, id: string): APIUser {
  return state.users.get(id) ?? state.addUser(id);
}

/** A person's message; answers its id. */
export function say(world: World, channelId: string, userId: string, text: string, extra: SayExtra = {}): string {
  const { state, gateway } = world;
  const channel = channelOf(state, extra.thread ?? channelId);
  const content = extra.mention === true ? `<@${state.me.id}> ${text}`.trim() : text;
  if (content.length > 4000) throw new Error("No app lets a person write more than 4000 characters");
  const author = extra.webhook === undefined ? personOf(state, userId) : webhookUser(state, extra.webhook);
  const replied = extra.replyTo === undefined ? undefined : channel.messages.get(extra.replyTo);
  if (extra.replyTo !== undefined && !replied)
    throw new Error(`No message ${extra.replyTo} in channel ${channelId} to reply to`);
  const repliedAuthor = extra.pingReply === false ? undefined : replied?.api.author;
  const mentioned = mentionsOf(state, channel, content, undefined, repliedAuthor);
  const files = (extra.files ?? []).map((file) => addFile(state, channel.api.id, file));
  const api: APIMessage = {
    ...messageHead(state, channel, author, content),
    mentions: mentioned.users,
    mention_roles: mentioned.roles,
    mention_everyone: mentioned.everyone,
    attachments: files,
    ...(isThread(channel) ? { position: channel.messages.size } : {}),
    ...(replied
      ? {
          type: MessageType.Reply,
          message_reference: {
            type: MessageReferenceType.Default,
            channel_id: channel.api.id,
            message_id: replied.api.id,
            ...(channel.guildId === undefined ? {} : { guild_id: channel.guildId }),
          },
          referenced_message: withoutReference(replied.api),
        }
      : {}),
    ...(extra.forward ? forwardOf(state, extra.forward) : {}),
    ...(extra.webhook === undefined ? {} : { webhook_id: author.id }),
    // The app's own number for what it sent, as live events carry it.
    nonce: state.nextId(),
    ...extra.fields,
  };
  const stored: Stored = { api, shown: shownOf(state, api, mentioned.pings) };
  state.store(channel, stored);
  const { dmChannelType } = state.options;
  const typed = extra.channelType ?? (channel.guildId !== undefined || dmChannelType);
  gateway.dispatchMessage("MESSAGE_CREATE", gatewayMessage(state, channel, api, typed));
  return api.id;
}

function webhookUser(state: DiscordState, name: string): APIUser {
  return { ...personOf(state, state.nextId()), username: name, global_name: null, bot: true };
}

export function addFile(state: DiscordState, channelId: string, file: GivenFile): APIMessage["attachments"][number] {
  const { bytes, text, name, mimeType = "application/octet-stream", size } = file;
  const data = text === undefined ? bytesOf(bytes) : Buffer.from(text);
  const given = { bytes: data, name, mimeType, ...(size === undefined ? {} : { size }) };
  return state.addFile(channelId, given).attachment;
}

function bytesOf(bytes: Uint8Array | string | undefined): Buffer {
  return typeof bytes === "string" ? Buffer.from(bytes, "base64") : Buffer.from(bytes ?? new Uint8Array());
}

/** A snapshot: what was said, when, and its files; never who said it. */
function forwardOf(state: DiscordState, forward: GivenForward): Partial<APIMessage> {
  const reference = {
    type: MessageReferenceType.Forward,
    channel_id: forward.channel ?? state.nextId(),
    message_id: "id" in forward ? forward.id : state.nextId(),
  };
  const head: Partial<APIMessage> = { flags: MessageFlags.HasSnapshot, type: MessageType.Default };
  if ("id" in forward) {
    const from = channelOf(state, forward.channel);
    const stored = from.messages.get(forward.id);
    if (!stored) throw new Error(`No message ${forward.id} in channel ${forward.channel} to forward`);
    const { api } = stored;
    return {
      ...head,
      message_reference: { ...reference, ...(from.guildId === undefined ? {} : { guild_id: from.guildId }) },
      message_snapshots: [{ message: snapshotOf(api) }],
    };
  }
  const files = (forward.files ?? []).map((file) => addFile(state, reference.channel_id, file));
  const before = state.nowMs - 3_600_000;
  const message: APIMessageSnapshot["message"] = {
    type: MessageType.Default,
    content: forward.text,
    timestamp: new Date(before).toISOString().replace("Z", "000+00:00"),
    edited_timestamp: null,
    flags: noFlags,
    mentions: [],
    mention_roles: [],
    embeds: forward.embeds ?? [],
    components: [],
    attachments: files,
  };
  return {
    ...head,
    message_reference: { ...reference, ...(forward.guild === undefined ? {} : { guild_id: forward.guild }) },
    message_snapshots: [{ message }],
  };
}

function snapshotOf(api: APIMessage): APIMessageSnapshot["message"] {
  const { type, content, timestamp, edited_timestamp, mentions, mention_roles, embeds, attachments } = api;
  const { flags = noFlags, components = [] } = api;
  return {
    type,
    content,
    timestamp,
    edited_timestamp,
    flags,
    mentions,
    mention_roles,
    embeds,
    components,
    attachments,
  } satisfies APIMessageSnapshot["message"];
}

function storedOf(state: DiscordState, channelId: string, id: string): { channel: ChannelState; stored: Stored } {
  const channel = channelOf(state, channelId);
  const stored = channel.messages.get(id);
  if (!stored) throw new Error(`No message ${id} in channel ${channelId}`);
  return { channel, stored };
}

function update(world: World, channel: ChannelState, stored: Stored, channelType?: boolean): void {
  const { nonce: _, ...rest } = stored.api;
  const typed = channelType ?? (channel.guildId !== undefined || world.state.options.dmChannelType);
  world.gateway.dispatchMessage("MESSAGE_UPDATE", gatewayMessage(world.state, channel, rest, typed));
  world.state.watch.changed();
}

/** A person's edit: MESSAGE_UPDATE with the whole message and the time of the edit. */
export function editSaid(
  world: World,
  channelId: string,
  id: string,
  text: string,
  fields: Partial<APIMessage> = {},
): void {
  const { state } = world;
  const { channel, stored } = storedOf(state, channelId, id);
  if (stored.shown.byBot) throw new Error(`Message ${id} is the bot's own`);
  const mentioned = mentionsOf(state, channel, text, undefined);
  const next: APIMessage = {
    ...stored.api,
    content: text,
    mentions: mentioned.users,
    mention_roles: mentioned.roles,
    mention_everyone: mentioned.everyone,
    edited_timestamp: state.nowIso,
    ...fields,
  };
  rewrite(state, stored, next, stored.shown.pings);
  update(world, channel, stored);
}

/** The platform looked up an address: MESSAGE_UPDATE with an embed and no time of an edit. */
export function unfurl(world: World, channelId: string, id: string, embed?: APIEmbed): void {
  const { channel, stored } = storedOf(world.state, channelId, id);
  if (stored.shown.previewsOff) throw new Error(`Message ${id} lets nothing be looked up (SUPPRESS_EMBEDS)`);
  const made: APIEmbed = embed ?? {
    type: "link" as never,
    title: "A page",
    description: "Words of a page",
    url: "https://example.com/",
  };
  stored.api = { ...stored.api, embeds: [...stored.api.embeds, made] };
  update(world, channel, stored);
}

/** Someone pinned it: an update that changes nothing of the words, and a line that says so. */
export function pin(world: World, channelId: string, id: string): void {
  const { channel, stored } = storedOf(world.state, channelId, id);
  stored.api = { ...stored.api, pinned: true };
  update(world, channel, stored);
  const reference = { type: MessageReferenceType.Default, channel_id: channel.api.id, message_id: id };
  const pinner = personOf(world.state, channel.userId ?? stored.api.author.id);
  addSystemLine(world, channel, pinner, { type: MessageType.ChannelPinnedMessage, message_reference: reference });
}

/** Takes messages back; several at once are one event, as a moderator's purge is. */
export function remove(world: World, channelId: string, ids: string[]): void {
  const channel = channelOf(world.state, channelId);
  for (const id of ids) channel.messages.delete(id);
  world.gateway.dispatchDeletion(channel, ids);
  world.state.watch.changed();
}

export function react(world: World, channelId: string, userId: string, id: string, emoji = "👍"): void {
  const { state, gateway } = world;
  const { channel, stored } = storedOf(state, channelId, id);
  const guild = channel.guildId === undefined ? undefined : state.guilds.get(channel.guildId);
  const bit = guild ? 1 << 10 : 1 << 13;
  const d = {
    type: 0,
    user_id: userId,
    message_id: id,
    message_author_id: stored.api.author.id,
    channel_id: channel.api.id,
    emoji: { id: null, name: emoji },
    burst: false,
    ...(guild
      ? {
          guild_id: guild.id,
          member: { ...memberOf(state, guild, userId), user: { bot: false, ...personOf(state, userId) } },
        }
      : {}),
  };
  gateway.dispatch({ t: "MESSAGE_REACTION_ADD", d }, (intents) => (intents & bit) !== 0);
}

export interface ThreadOptions {
  id?: string;
  name?: string;
  /** The message it is about; the thread then has its id. */
  message?: string;
  user?: string;
}

/** A thread that a person opens. */
export function addThread(world: World, parentId: string, options: ThreadOptions = {}): string {
  const { state } = world;
  const parent = channelOf(state, parentId);
  if (parent.guildId === undefined || isThread(parent)) throw new Error(`Channel ${parentId} can have no threads`);
  const owner = options.user ?? [...state.users.keys()].find((id) => id !== state.me.id) ?? state.me.id;
  const thread = openThread(world, parent, {
    name: options.name ?? "Thread",
    owner: personOf(state, owner),
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(options.message === undefined ? {} : { messageId: options.message }),
  });
  return thread.id;
}

/** A post in a forum: a thread whose first message has the thread's id. */
export function addPost(
  world: World,
  forumId: string,
  userId: string,
  title: string,
  text: string,
  extra: SayExtra = {},
): string {
  const forum = channelOf(world.state, forumId);
  if (forum.api.type !== ChannelType.GuildForum) throw new Error(`Channel ${forumId} is no forum`);
  const id = addThread(world, forumId, { name: title, user: userId });
  return say(world, id, userId, text, { ...extra, fields: { id, ...extra.fields } });
}

/** The raw message of a stored one, as a live event would carry it once more. */
export function again(world: World, channelId: string, id: string): void {
  const { channel, stored } = storedOf(world.state, channelId, id);
  world.gateway.dispatchMessage("MESSAGE_CREATE", gatewayMessage(world.state, channel, stored.api));
}

export function resolvedMessage(state: DiscordState, stored: Stored): APIMessage {
  // What a person picks is shown whole, whatever the intents are.
  const { nonce: _, ...rest } = stored.api;
  return {
    ...restMessage(state, stored.api),
    content: rest.content,
    attachments: rest.attachments,
    embeds: rest.embeds,
  };
}
