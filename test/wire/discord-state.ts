// What the loopback Discord remembers: people, guilds, channels, messages as they are shown, files,
// interactions, commands. Shapes follow discord-api-types (v10) where the state is sent out as it is.
import {
  ChannelType,
  GuildDefaultMessageNotifications,
  GuildExplicitContentFilter,
  GuildMFALevel,
  GuildNSFWLevel,
  GuildPremiumTier,
  GuildVerificationLevel,
  Locale,
} from "discord-api-types/v10";
import type {
  APIApplicationCommand,
  APIAttachment,
  APIChannel,
  APIDMChannel,
  APIGroupDMChannel,
  APIGuildForumChannel,
  APIMessage,
  APIModalInteractionResponseCallbackData,
  APITextChannel,
  APIThreadChannel,
  APIUser,
  GatewayGuildCreateDispatchData,
  MessageFlags,
} from "discord-api-types/v10";
import { Watch } from "./http.ts";
import type { Names } from "./discord-markdown.ts";
import { refusalOf } from "./discord-refusal.ts";

export interface ShownButton {
  label: string;
  /** custom_id of a button, value of a select's option. */
  data?: string;
  url?: string;
  /** An option of a menu to pick from; the menu's own custom_id. */
  select?: string;
  disabled?: true;
}

export interface ShownFile {
  id: string;
  /** As a person sees it. */
  name: string;
  text: string;
  size: number;
  mimeType?: string;
  /** The words for whom doesn't see it. */
  alt?: string;
}

/** One version of a message, as people saw it. */
export interface ShownVersion {
  /** What a person reads: the Markdown's markers are gone. */
  text: string;
  /** What was sent. */
  markdown: string;
  /** Rows of buttons; a select is a row of its options. */
  buttons: ShownButton[][];
  /** No address in it loads anything (SUPPRESS_EMBEDS). */
  previewsOff: boolean;
  /** Who is pinged or marked as mentioned: user ids, `&role`, `@everyone`, `@here`. */
  pings: string[];
  files: ShownFile[];
  atMs: number;
}

/** A message as the channel shows it now. */
export interface ShownMessage extends ShownVersion {
  id: string;
  channelId: string;
  fromId: string;
  /** Sent by the bot under test. */
  byBot: boolean;
  replyTo?: string;
  nonce?: string;
  /** Sent without a notification (SUPPRESS_NOTIFICATIONS). */
  quiet: boolean;
  /** All of it is small grey print (`-#`). */
  small: boolean;
  /** Only who pressed sees it. */
  ephemeral: boolean;
  /** The platform's own line ("… started a thread", "… pinned a message"), in the name of who did it. */
  system: boolean;
  /** "Gateway is thinking…" */
  loading: boolean;
  /** Earlier versions, oldest first; the present one is the message itself. */
  edits: ShownVersion[];
}

export interface Stored {
  shown: ShownMessage;
  api: APIMessage;
}

export type TextualChannel = APIDMChannel | APIGroupDMChannel | APITextChannel | APIThreadChannel;

export interface ChannelState {
  api: TextualChannel | APIGuildForumChannel;
  guildId: string | undefined;
  messages: Map<string, Stored>;
  /** The person of a DM. */
  userId?: string;
  /** The JSON error code with which the bot is refused here: 50001, 50007, 50013. */
  refused?: number;
}

export interface GuildState {
  id: string;
  name: string;
  ownerId: string;
  /** The role that the platform made for the bot. */
  botRoleId: string;
  roles: Map<string, string>;
}

export interface StoredFile {
  attachment: APIAttachment;
  bytes: Buffer;
  path: string;
  /** As a person sees it. */
  name: string;
}

/** What came of an interaction so far. */
export interface InteractionState {
  id: string;
  token: string;
  kind: "command" | "shortcut" | "press" | "submit";
  userId: string;
  channelId: string;
  /** The message under the button that was pressed. */
  messageId?: string;
  createdMs: number;
  /** Sent to a client. False in a gap. */
  delivered: boolean;
  /** The first response. */
  callback?: { type: number; data: Record<string, unknown>; atMs: number };
  /** The message that `@original` means. */
  originalId?: string;
  /** Deferred with a new message that is still to be filled. */
  awaitsFill: boolean;
  ephemeral: boolean;
  /** What this person saw in answer, in order. */
  answers: ShownMessage[];
  dispatch: Record<string, unknown>;
}

export interface ModalState {
  interactionId: string;
  userId: string;
  data: APIModalInteractionResponseCallbackData;
}

export interface StateOptions {
  token: string;
  botId: string;
  botName: string;
  now: () => number;
  /** MESSAGE_CONTENT is switched on in the developer portal. */
  messageContent: boolean;
  /** How long an enforced nonce gives the first message again. */
  nonceWindowMs: number;
  /** How long an attachment's signed address is good. */
  linkLifeMs: number;
  callbackLimitMs: number;
  tokenLifeMs: number;
  /** Left out of MESSAGE_CREATE in DMs when false. */
  dmChannelType: boolean;
  /** Messages kept per channel; 0 keeps all. */
  messageCap: number;
}

export type Dispatch = { t: string; d: unknown };

/** No flag at all, for which the type package's enums have no member. */
export const noFlags: never = 0 as never;

/** Several bits at once, for which there is no member either. */
export function flagsOf(bits: unknown): MessageFlags {
  return bits as MessageFlags;
}

const epochMs = 1_420_070_400_000n;

export class DiscordState {
  readonly options: StateOptions;
  readonly me: APIUser;
  readonly watch: Watch;
  readonly users: Map<string, APIUser> = new Map();
  readonly guilds: Map<string, GuildState> = new Map();
  readonly channels: Map<string, ChannelState> = new Map();
  readonly files: Map<string, StoredFile> = new Map();
  readonly interactions: Map<string, InteractionState> = new Map();
  readonly ephemerals: Map<string, Stored> = new Map();
  /** The form that stands open, by person. */
  readonly modals: Map<string, ModalState> = new Map();
  commands: APIApplicationCommand[] = [];
  /** How often the command list was replaced. */
  commandPuts = 0;
  readonly typing: { channelId: string; atMs: number }[] = [];
  readonly nonces: Map<string, { atMs: number; channelId: string; messageId: string }> = new Map();
  /** Where attachments are downloaded from. */
  cdnUrl = "";
  /** Hands an event to every session; the gateway sets it. */
  emit: (dispatch: Dispatch) => void = () => undefined;
  #lastId = 0n;

  constructor(options: StateOptions, describe: () => string) {
    this.options = options;
    this.me = userOf({ id: options.botId, username: options.botName, bot: true, global_name: null });
    this.users.set(this.me.id, this.me);
    this.watch = new Watch(describe);
  }

  get nowMs(): number {
    return this.options.now();
  }

  get nowIso(): string {
    return isoOf(this.nowMs);
  }

  /** A snowflake: milliseconds since 2015 in the upper bits; each is larger than all before. */
  nextId(): string {
    const byTime = (BigInt(Math.floor(this.nowMs)) - epochMs) << 22n;
    this.#lastId = byTime > this.#lastId ? byTime : this.#lastId + 1n;
    return String(this.#lastId);
  }

  /** Ids that come from outside may be newer than what the clock says. */
  seenId(id: string): void {
    if (/^\d+$/.test(id) && BigInt(id) > this.#lastId && BigInt(id) < (BigInt(Math.floor(this.nowMs)) - epochMs) << 22n)
      this.#lastId = BigInt(id);
  }

  get names(): Names {
    return {
      user: (id) => {
        const user = this.users.get(id);
        return user ? (user.global_name ?? user.username) : undefined;
      },
      role: (id) => [...this.guilds.values()].find((guild) => guild.roles.has(id))?.roles.get(id),
      channel: (id) => this.channels.get(id)?.api.name ?? undefined,
    };
  }

  addUser(user: string | (Partial<APIUser> & { id: string; name?: string })): APIUser {
    const { name, ...given } = typeof user === "string" ? { id: user, name: undefined } : user;
    const known = this.users.get(given.id);
    const full = userOf({
      ...(known ?? { username: `user${given.id}` }),
      ...(name === undefined
        ? {}
        : { username: name.toLowerCase().replaceAll(/[^a-z0-9_.]/g, "_"), global_name: name }),
      ...given,
    });
    this.users.set(full.id, full);
    return full;
  }

  addGuild(id: string, name: string, ownerId: string): GuildState {
    const botRoleId = this.nextId();
    const guild: GuildState = { id, name, ownerId, botRoleId, roles: new Map([[botRoleId, this.me.username]]) };
    this.guilds.set(id, guild);
    return guild;
  }

  /** The one DM channel with a person. */
  dm(userId: string): ChannelState {
    for (const channel of this.channels.values()) {
      if (channel.api.type === ChannelType.DM && channel.userId === userId) return channel;
    }
    const user = this.users.get(userId) ?? this.addUser(userId);
    const id = this.nextId();
    const api = {
      id,
      type: ChannelType.DM,
      name: null,
      last_message_id: null,
      flags: noFlags,
      recipients: [user],
    } satisfies APIDMChannel;
    const channel: ChannelState = { api, guildId: undefined, messages: new Map(), userId };
    this.channels.set(id, channel);
    return channel;
  }

  addChannel(api: APIChannel, guildId: string | undefined): ChannelState {
    const channel: ChannelState = { api: api as ChannelState["api"], guildId, messages: new Map() };
    this.channels.set(api.id, channel);
    return channel;
  }

  /** The channel a call is about, or the refusal the platform would give. */
  reachable(id: string): ChannelState {
    const channel = this.channels.get(id);
    if (!channel) throw refusalOf(10_003);
    if (channel.refused === 50_001) throw refusalOf(50_001);
    return channel;
  }

  /** The same for a call that writes. */
  writable(id: string): ChannelState {
    const channel = this.reachable(id);
    if (channel.refused !== undefined) throw refusalOf(channel.refused);
    if (channel.api.type === ChannelType.GuildForum) throw refusalOf(50_008);
    return channel;
  }

  /** Keeps a message; the channel now ends with it. */
  store(channel: ChannelState, stored: Stored): void {
    const { messages } = channel;
    messages.set(stored.shown.id, stored);
    if ("last_message_id" in channel.api) channel.api.last_message_id = stored.shown.id;
    const { messageCap } = this.options;
    if (messageCap > 0 && messages.size > messageCap) {
      for (const oldest of messages.keys()) {
        messages.delete(oldest);
        break;
      }
    }
    this.watch.changed();
  }

  /** A file behind a signed address that ends. The platform keeps plain letters in a file's name only. */
  addFile(channelId: string, given: { bytes: Buffer; name: string; mimeType: string; size?: number }): StoredFile {
    const id = this.nextId();
    const filename = given.name.replaceAll(/\s+/g, "_").replaceAll(/[^A-Za-z0-9_.-]/g, "") || "unknown";
    const path = `/attachments/${channelId}/${id}/${filename}`;
    const until = Math.floor((this.nowMs + this.options.linkLifeMs) / 1000).toString(16);
    const url = `${this.cdnUrl}${path}?ex=${until}&is=${Math.floor(this.nowMs / 1000).toString(16)}&hm=0123456789abcdef&`;
    const attachment = {
      id,
      filename,
      size: given.size ?? given.bytes.length,
      url,
      proxy_url: url,
      content_type: given.mimeType,
      content_scan_version: 0,
      ...(filename === given.name ? {} : { title: given.name.replace(/\.[^.]*$/, "") }),
    } satisfies APIAttachment & { content_scan_version: number };
    const stored: StoredFile = { attachment, bytes: given.bytes, path, name: given.name };
    this.files.set(id, stored);
    return stored;
  }

  /** The same file behind an address that is good from now on, as each answer of the platform has it. */
  signed(attachment: APIAttachment): APIAttachment {
    const stored = this.files.get(attachment.id);
    if (!stored) return attachment;
    const until = Math.floor((this.nowMs + this.options.linkLifeMs) / 1000).toString(16);
    const url = attachment.url.replace(/ex=[0-9a-f]+/, `ex=${until}`);
    return { ...attachment, url, proxy_url: url };
  }
}

export function isoOf(atMs: number): string {
  return new Date(atMs).toISOString().replace("Z", "000+00:00");
}

function userOf(given: Partial<APIUser> & { id: string }): APIUser {
  const { id, username = `user${given.id}`, global_name = username, ...rest } = given;
  return {
    avatar: null,
    avatar_decoration_data: null,
    collectibles: null,
    discriminator: "0",
    primary_guild: null,
    public_flags: noFlags,
    ...rest,
    id,
    username,
    global_name,
  } satisfies APIUser;
}

export function isThread(channel: ChannelState): channel is ChannelState & { api: APIThreadChannel } {
  const { type } = channel.api;
  return (
    type === ChannelType.PublicThread || type === ChannelType.PrivateThread || type === ChannelType.AnnouncementThread
  );
}

/** What GUILD_CREATE says of a guild. */
export function guildDispatch(state: DiscordState, guild: GuildState): GatewayGuildCreateDispatchData {
  const own = [...state.channels.values()].filter(
    (channel) => channel.guildId === guild.id && channel.refused !== 50_001,
  );
  const roleBase = {
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position: 0,
    // All permissions; what the bot may not do is a refusal of its channel.
    permissions: "2251799813685247",
    mentionable: true,
    flags: noFlags,
  };
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    banner: null,
    description: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: GuildVerificationLevel.None,
    default_message_notifications: GuildDefaultMessageNotifications.OnlyMentions,
    explicit_content_filter: GuildExplicitContentFilter.Disabled,
    emojis: [],
    features: [],
    mfa_level: GuildMFALevel.None,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: noFlags,
    rules_channel_id: null,
    vanity_url_code: null,
    premium_tier: GuildPremiumTier.None,
    preferred_locale: Locale.EnglishUS,
    public_updates_channel_id: null,
    nsfw_level: GuildNSFWLevel.Default,
    stickers: [],
    premium_progress_bar_enabled: false,
    hub_type: null,
    safety_alerts_channel_id: null,
    incidents_data: null,
    joined_at: isoOf(1_700_000_000_000),
    large: false,
    unavailable: false,
    member_count: state.users.size,
    voice_states: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
    roles: [
      { ...roleBase, id: guild.id, name: "@everyone", managed: false },
      ...Array.from(guild.roles, ([id, name]) => {
        const managed = id === guild.botRoleId;
        return { ...roleBase, id, name, managed, ...(managed ? { tags: { bot_id: state.me.id } } : {}) };
      }),
    ],
    members: [{ ...memberOf(state, guild, state.me.id), user: state.me }],
    channels: own.filter((channel) => !isThread(channel)).map((channel) => channel.api) as never,
    threads: own.filter((channel) => isThread(channel)).map((channel) => channel.api),
  } satisfies GatewayGuildCreateDispatchData;
}

/** The member's part of an event, without the user. */
export function memberOf(
  state: DiscordState,
  guild: GuildState,
  userId: string,
): Omit<GatewayGuildCreateDispatchData["members"][number], "user"> {
  return {
    roles: userId === state.me.id ? [guild.botRoleId] : [],
    premium_since: null,
    pending: false,
    nick: null,
    mute: false,
    joined_at: isoOf(1_700_000_000_000),
    flags: noFlags,
    deaf: false,
    communication_disabled_until: null,
    banner: null,
    avatar: null,
  };
}
