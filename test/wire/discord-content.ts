// What a message of the loopback Discord may hold, and how it is shown: 2,000 UTF-16 units, 10 files of
// 10 MiB, whom it mentions and whom it pings, replies, and what an app without the privileged intent gets to see.
import { MessageFlags, MessageReferenceType, MessageType } from "discord-api-types/v10";
import type {
  APIAllowedMentions,
  APIAttachment,
  APIMessage,
  APIUser,
  GatewayMessageCreateDispatchData,
  TextChannelType,
} from "discord-api-types/v10";
import { readComponents, shownButtons } from "./discord-components.ts";
import { findMentions, isSmall, readMarkdown } from "./discord-markdown.ts";
import { invalidForm, problem, refusalOf, textOf } from "./discord-refusal.ts";
import { flagsOf, memberOf, noFlags } from "./discord-state.ts";
import type { ChannelState, DiscordState, ShownMessage, ShownVersion, Stored, StoredFile } from "./discord-state.ts";
import type { World } from "./discord-interactions.ts";
import type { FilePart } from "./multipart.ts";

export type Body = Record<string, unknown>;

export interface Given {
  body: Body;
  /** By part name: `files[0]`, `files[1]` … */
  files: Record<string, FilePart>;
}

const mebibyte = 1024 * 1024;
/** Flags that an app may set on a new message: no embeds, no notification; ephemeral only in answers. */
const settable = MessageFlags.SuppressEmbeds | MessageFlags.SuppressNotifications;

/** Trimmed, as the platform keeps it. */
function readContent(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "string" && typeof value !== "number") {
    throw invalidForm(problem("content", "STRING_TYPE_CONVERT", "Could not convert to string."));
  }
  const content = String(value);
  if (content.length > 2000) {
    throw invalidForm(problem("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length."));
  }
  return content.trim();
}

function readFlags(value: unknown, allowed: number): number {
  const flags = Number(value ?? 0);
  if (!Number.isInteger(flags) || flags < 0) {
    throw invalidForm(problem("flags", "NUMBER_TYPE_COERCE", `Value "${textOf(value)}" is not int.`));
  }
  if ((flags & MessageFlags.IsComponentsV2) !== 0) {
    throw invalidForm(problem("flags", "NOT_HERE", "Components V2 are no part of this loopback."));
  }
  return flags & allowed;
}

/** New uploads, named and described by `attachments`; `standing`: the files that a message has already. */
function readFiles(
  state: DiscordState,
  channelId: string,
  given: Given,
  standing: readonly APIAttachment[] = [],
): StoredFile[] {
  const parts = Object.entries(given.files);
  if (parts.length > 10) {
    throw invalidForm(problem("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length."));
  }
  const sizes = parts.map(([, part]) => part.bytes.length);
  if (sizes.some((size) => size > 10 * mebibyte) || sizes.reduce((sum, size) => sum + size, 0) > 25 * mebibyte) {
    throw refusalOf(40_005);
  }
  const described = Array.isArray(given.body["attachments"]) ? (given.body["attachments"] as Body[]) : [];
  described.forEach((about, at) => {
    const id = textOf(about["id"]);
    const path = `attachments.${at}`;
    if (!(`files[${id}]` in given.files) && !standing.some((one) => one.id === id)) {
      throw invalidForm(problem(path, "ATTACHMENT_NOT_FOUND", "Attachment data not found"));
    }
    if (textOf(about["description"]).length > 1024) {
      throw invalidForm(problem(`${path}.description`, "BASE_TYPE_MAX_LENGTH", "Must be 1024 or fewer in length."));
    }
  });
  return parts.map(([name, part]) => {
    const number = /^files\[(\d+)\]$/.exec(name)?.[1];
    if (number === undefined) throw invalidForm(problem(name, "FORM_FIELD_UNKNOWN", "Unknown file field"));
    const about = described.find((one) => textOf(one["id"]) === number);
    const filename = (about?.["filename"] as string | undefined) ?? decodeURIComponent(part.filename);
    const stored = state.addFile(channelId, { bytes: part.bytes, name: filename, mimeType: part.mimeType });
    const description = about?.["description"];
    if (typeof description === "string") stored.attachment.description = description;
    return stored;
  });
}

interface Mentioned {
  users: APIUser[];
  roles: string[];
  everyone: boolean;
  pings: string[];
}

/** Whom a text mentions when `allowed` has its say; without it, everyone it names. */
export function mentionsOf(
  state: DiscordState,
  channel: ChannelState,
  content: string,
  allowed: APIAllowedMentions | undefined,
  repliedTo?: APIUser,
): Mentioned {
  const found = findMentions(content);
  const parse = allowed ? new Set<string>(allowed.parse ?? []) : new Set(["users", "roles", "everyone"]);
  if (allowed && parse.has("users") && (allowed.users?.length ?? 0) > 0) {
    throw invalidForm(
      problem(
        "allowed_mentions",
        "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
        'parse:["users"] and users: [ids...] are mutually exclusive.',
      ),
    );
  }
  const may = (kind: "users" | "roles", id: string): boolean => parse.has(kind) || (allowed?.[kind] ?? []).includes(id);
  const ids = found.users.filter((id) => state.users.has(id) && may("users", id));
  if (repliedTo && (allowed?.replied_user ?? !allowed) && !ids.includes(repliedTo.id)) ids.push(repliedTo.id);
  // In a DM there is nobody but the two, and no roles.
  const inGuild = channel.guildId !== undefined;
  const guild = channel.guildId === undefined ? undefined : state.guilds.get(channel.guildId);
  const roles = found.roles.filter((id) => guild?.roles.has(id) === true && may("roles", id));
  const everyone = inGuild && parse.has("everyone") && found.everyone;
  const here = inGuild && parse.has("everyone") && found.here;
  return {
    users: ids.map((id) => state.users.get(id)).filter((user) => user !== undefined),
    roles,
    everyone: everyone || here,
    pings: [...ids, ...roles.map((id) => `&${id}`), ...(everyone ? ["@everyone"] : []), ...(here ? ["@here"] : [])],
  };
}

/** One version of a message as it is shown. */
export function versionOf(state: DiscordState, api: APIMessage, pings: string[]): ShownVersion {
  return {
    text: readMarkdown(api.content, state.names),
    markdown: api.content,
    buttons: shownButtons(api.components),
    previewsOff: ((api.flags ?? 0) & MessageFlags.SuppressEmbeds) !== 0,
    pings,
    files: api.attachments.map((attachment) => {
      const stored = state.files.get(attachment.id);
      const text = stored?.bytes.toString("utf8") ?? "";
      const { id, size, content_type: mimeType, description: alt } = attachment;
      return {
        id,
        name: stored?.name ?? attachment.filename,
        text,
        size,
        ...(mimeType === undefined ? {} : { mimeType }),
        ...(alt === undefined ? {} : { alt }),
      };
    }),
    atMs: state.nowMs,
  };
}

const systemTypes: ReadonlySet<MessageType> = new Set([
  MessageType.ChannelPinnedMessage,
  MessageType.ThreadCreated,
  MessageType.ThreadStarterMessage,
]);

export function shownOf(state: DiscordState, api: APIMessage, pings: string[]): ShownMessage {
  const flags = api.flags ?? 0;
  const replyTo = api.message_reference?.type === MessageReferenceType.Forward ? undefined : api.message_reference;
  return {
    id: api.id,
    channelId: api.channel_id,
    fromId: api.author.id,
    byBot: api.author.id === state.me.id,
    ...versionOf(state, api, pings),
    ...(replyTo?.message_id === undefined ? {} : { replyTo: replyTo.message_id }),
    ...(api.nonce === undefined ? {} : { nonce: String(api.nonce) }),
    system: systemTypes.has(api.type),
    quiet: (flags & MessageFlags.SuppressNotifications) !== 0,
    small: isSmall(api.content),
    ephemeral: (flags & MessageFlags.Ephemeral) !== 0,
    loading: (flags & MessageFlags.Loading) !== 0,
    edits: [],
  };
}

/** The fields that every message has. */
export function messageHead(state: DiscordState, channel: ChannelState, author: APIUser, content: string): APIMessage {
  return {
    id: state.nextId(),
    channel_id: channel.api.id,
    author,
    content,
    timestamp: state.nowIso,
    edited_timestamp: null,
    tts: false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    components: [],
    pinned: false,
    flags: noFlags,
    type: MessageType.Default,
  } satisfies APIMessage;
}

export interface CreateOptions {
  /** Flags beside those that any message may have. */
  flags?: number;
  fields?: Partial<APIMessage>;
}

/** A new message of the bot, checked; nothing is stored yet but its files. */
export function draftMessage(
  state: DiscordState,
  channel: ChannelState,
  given: Given,
  options: CreateOptions = {},
): Stored {
  const { body } = given;
  const content = readContent(body["content"]);
  const components = readComponents(body["components"]);
  const { flags = 0 } = options;
  const kept = readFlags(body["flags"], settable) | flags;
  const files = readFiles(state, channel.api.id, given);
  const embeds = (body["embeds"] ?? []) as APIMessage["embeds"];
  const loading = (flags & MessageFlags.Loading) !== 0;
  if (content === "" && files.length === 0 && embeds.length === 0 && !loading && components.length === 0) {
    throw refusalOf(50_006);
  }
  const reference = replyReference(channel, body["message_reference"]);
  const allowed = body["allowed_mentions"] as APIAllowedMentions | undefined;
  const mentioned = mentionsOf(state, channel, content, allowed, reference?.referenced_message?.author);
  const api: APIMessage = {
    ...messageHead(state, channel, state.me, content),
    components,
    embeds,
    flags: flagsOf(kept),
    attachments: files.map((file) => file.attachment),
    mentions: mentioned.users,
    mention_roles: mentioned.roles,
    mention_everyone: mentioned.everyone,
    ...reference,
    ...options.fields,
  };
  return { api, shown: shownOf(state, api, mentioned.pings) };
}

function replyReference(
  channel: ChannelState,
  given: unknown,
): Pick<APIMessage, "type" | "message_reference" | "referenced_message"> | undefined {
  if (given === undefined || given === null) return undefined;
  const { message_id, type = MessageReferenceType.Default, fail_if_not_exists = true } = given as Body;
  if (type !== MessageReferenceType.Default) {
    throw invalidForm(problem("message_reference", "NOT_HERE", "Only replies are part of this loopback."));
  }
  const stored = channel.messages.get(textOf(message_id));
  if (!stored) {
    if (fail_if_not_exists === false) return undefined;
    throw invalidForm(problem("message_reference", "MESSAGE_REFERENCE_UNKNOWN_MESSAGE", "Unknown message"));
  }
  return {
    type: MessageType.Reply,
    message_reference: {
      type: MessageReferenceType.Default,
      channel_id: channel.api.id,
      message_id: stored.api.id,
      ...(channel.guildId === undefined ? {} : { guild_id: channel.guildId }),
    },
    referenced_message: withoutReference(stored.api),
  };
}

/** A reply shows the message before it, not the one before that. */
export function withoutReference(api: APIMessage): APIMessage {
  const { referenced_message: _, nonce: _nonce, ...rest } = api;
  return rest;
}

/** Edits a stored message: only fields that are given change. */
export function editStored(state: DiscordState, channel: ChannelState, stored: Stored, given: Given): void {
  const { body } = given;
  const { api, shown } = stored;
  const next: APIMessage = { ...api };
  let { pings } = shown;
  if ("content" in body) {
    next.content = readContent(body["content"]);
    const allowed = body["allowed_mentions"] as APIAllowedMentions | null | undefined;
    const mentioned = mentionsOf(state, channel, next.content, allowed ?? undefined);
    next.mentions = mentioned.users;
    next.mention_roles = mentioned.roles;
    next.mention_everyone = mentioned.everyone;
    // An edit makes no sound, but who is named is marked: that counts as well.
    pings = [...new Set([...shown.pings, ...mentioned.pings])];
  }
  if ("components" in body) next.components = readComponents(body["components"]);
  if ("embeds" in body) next.embeds = (body["embeds"] ?? []) as APIMessage["embeds"];
  if ("attachments" in body || Object.keys(given.files).length > 0) {
    const fresh = readFiles(state, channel.api.id, given, api.attachments);
    const named = Array.isArray(body["attachments"]) ? (body["attachments"] as Body[]) : undefined;
    const kept = named
      ? api.attachments.filter((one) => named.some((about) => textOf(about["id"]) === one.id))
      : api.attachments;
    next.attachments = [...kept, ...fresh.map((file) => file.attachment)];
  }
  if ("flags" in body && body["flags"] !== null) {
    // Of a message that stands only this one flag can change.
    const flag = readFlags(body["flags"], MessageFlags.SuppressEmbeds);
    next.flags = flagsOf(((api.flags ?? 0) & ~MessageFlags.SuppressEmbeds) | flag);
  }
  if (
    next.content === "" &&
    next.attachments.length === 0 &&
    next.embeds.length === 0 &&
    (next.components ?? []).length === 0
  ) {
    throw refusalOf(50_006);
  }
  const loads = (api.flags ?? 0) & MessageFlags.Loading;
  next.flags = flagsOf((next.flags ?? 0) & ~MessageFlags.Loading);
  const onlyFlags = Object.keys(body).every((key) => key === "flags" || key === "allowed_mentions");
  if (!onlyFlags && loads === 0) next.edited_timestamp = state.nowIso;
  rewrite(state, stored, next, pings);
}

/** Puts another version in a message's place; the one before is kept among its edits. */
export function rewrite(state: DiscordState, stored: Stored, next: APIMessage, pings: string[]): void {
  const { shown } = stored;
  const { text, markdown, buttons, previewsOff, files, atMs } = shown;
  if (!shown.loading) shown.edits.push({ text, markdown, buttons, previewsOff, pings: shown.pings, files, atMs });
  const { edits, nonce } = shown;
  stored.api = next;
  Object.assign(shown, shownOf(state, next, pings), { edits, ...(nonce === undefined ? {} : { nonce }) });
}

/** The platform's own line in a channel, such as "Sam pinned a message". It comes as any message does. */
export function addSystemLine(
  { state, gateway }: World,
  channel: ChannelState,
  author: APIUser,
  fields: Partial<APIMessage>,
): void {
  const api: APIMessage = { ...messageHead(state, channel, author, ""), ...fields };
  state.store(channel, { api, shown: shownOf(state, api, []) });
  gateway.dispatchMessage("MESSAGE_CREATE", gatewayMessage(state, channel, api));
}

/** As the REST API answers it: no guild, no member, no kind of channel; addresses signed anew. */
export function restMessage(state: DiscordState, api: APIMessage): APIMessage {
  const { nonce: _, ...rest } = api;
  const message: APIMessage = { ...rest, attachments: api.attachments.map((one) => state.signed(one)) };
  return state.options.messageContent ? message : redacted(state, message);
}

/** As an event carries it. */
export function gatewayMessage(
  state: DiscordState,
  channel: ChannelState,
  api: APIMessage,
  channelType = true,
): GatewayMessageCreateDispatchData {
  const guild = channel.guildId === undefined ? undefined : state.guilds.get(channel.guildId);
  return {
    ...api,
    ...(channelType ? { channel_type: channel.api.type as TextChannelType } : {}),
    ...(guild
      ? {
          guild_id: guild.id,
          ...(api.webhook_id === undefined ? { member: memberOf(state, guild, api.author.id) } : {}),
          mentions: api.mentions.map((user) => ({ ...user, member: memberOf(state, guild, user.id) })),
        }
      : {}),
  } satisfies GatewayMessageCreateDispatchData;
}

const isDm = (state: DiscordState, channelId: string): boolean => state.channels.get(channelId)?.guildId === undefined;

/**
 * What an app without MESSAGE_CONTENT gets: all of its own messages, of DMs, and of those that mention it;
 * of the rest no words, files, embeds or buttons.
 */
export function redacted<T extends APIMessage | GatewayMessageCreateDispatchData>(state: DiscordState, message: T): T {
  const referenced = message.referenced_message;
  const inner = referenced ? { referenced_message: redacted(state, referenced) } : {};
  const open =
    message.author.id === state.me.id ||
    isDm(state, message.channel_id) ||
    message.mentions.some((user) => user.id === state.me.id);
  if (open) return { ...message, ...inner };
  const snapshots = message.message_snapshots?.map((one) => ({
    ...one,
    message: { ...one.message, content: "", embeds: [], attachments: [] as APIAttachment[], components: [] },
  }));
  return {
    ...message,
    ...inner,
    content: "",
    embeds: [],
    attachments: [],
    components: [],
    ...(snapshots ? { message_snapshots: snapshots } : {}),
  };
}
