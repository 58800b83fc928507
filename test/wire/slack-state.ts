// What the loopback Slack remembers: people, conversations, messages as they are shown, files, views,
// and what the app is subscribed to. Shapes follow @slack/types and the recorded payloads.
import type { AnyBlock, MessageAttachment, MessageMetadata } from "@slack/types";
import { Watch } from "./http.ts";
import type { Delivery } from "./slack-delivery.ts";

/** A refusal by the platform: HTTP 200 and `ok: false`, except that a rate limit is a 429. */
export class Refusal extends Error {
  readonly code: string;
  readonly extra: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, extra: Record<string, unknown> = {}, retryAfterSeconds?: number) {
    super(code);
    this.code = code;
    this.extra = extra;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface ShownButton {
  label: string;
  /** The value that comes back; of a select, the option's. */
  data?: string;
  url?: string;
  actionId?: string;
  blockId?: string;
  /** An option of a menu to pick from. */
  select?: true;
  style?: string;
}

/** One version of a message, as people saw it. */
export interface ShownVersion {
  /** What a person reads: no markup, names for mentions. */
  text: string;
  /** The `text` field as it was sent: beside blocks it is only what a notification shows. */
  raw: string;
  /** The standard Markdown of markdown blocks, `markdown_text` or a stream. */
  markdown?: string;
  blocks: AnyBlock[];
  /** Buttons by row, menus to pick one from with an entry for each option. */
  buttons: ShownButton[][];
  menus: ShownMenu[];
  /** Only small grey context lines. */
  quiet: boolean;
  /** Whom it notifies by a mention: user ids, `channel`, `here`, `everyone`, group ids. */
  pings: string[];
  metadata?: MessageMetadata;
  atMs: number;
}

/** Something to pick several of: a menu of checkboxes, or one that folds open. */
export interface ShownMenu {
  /** `multi_static_select` or `checkboxes`. */
  kind: string;
  /** What stands above or beside it. */
  label: string;
  placeholder: string;
  options: { label: string; data: string; description?: string }[];
}

/** A message as the conversation shows it now. */
export interface ShownMessage extends ShownVersion {
  /** Its `ts`. */
  id: string;
  channel: string;
  thread?: string;
  from: string;
  /** Sent by the app under test. */
  byBot: boolean;
  /** Links and media in it are not unfolded. */
  previewsOff: boolean;
  /** Who alone sees it. */
  ephemeralFor?: string;
  files: ShownFile[];
  streaming?: "open" | "stopped" | "closed";
  deleted: boolean;
  /** Earlier versions, oldest first; the present one is the message itself. */
  edits: ShownVersion[];
}

export interface ShownFile {
  id: string;
  name: string;
  title: string;
  mimeType: string;
  size: number;
  /** Its bytes as UTF-8. */
  text: string;
}

/** A message as `conversations.history` gives it. */
export interface ApiMessage {
  type: "message";
  subtype?: string;
  ts: string;
  user?: string;
  bot_id?: string;
  app_id?: string;
  bot_profile?: Record<string, unknown>;
  team?: string;
  user_team?: string;
  source_team?: string;
  text: string;
  username?: string;
  client_msg_id?: string;
  blocks?: AnyBlock[];
  attachments?: (MessageAttachment & Record<string, unknown>)[];
  files?: ApiFile[];
  upload?: boolean;
  display_as_bot?: boolean;
  metadata?: MessageMetadata;
  edited?: { user: string; ts: string };
  thread_ts?: string;
  parent_user_id?: string;
  reply_count?: number;
  reply_users_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  is_locked?: boolean;
  subscribed?: boolean;
  hidden?: boolean;
  streaming_state?: "in_progress" | "completed" | "errored";
  assistant_app_thread?: { title: string; title_blocks: unknown[]; artifacts: unknown[] };
  reactions?: { name: string; users: string[]; count: number }[];
  root?: ApiMessage;
}

/** A file as messages and `files.info` carry it; the recorded field names. */
export interface ApiFile {
  id: string;
  created: number;
  timestamp: number;
  name: string;
  title: string;
  mimetype: string;
  filetype: string;
  pretty_type: string;
  user: string;
  user_team: string;
  editable: boolean;
  size: number;
  mode: "hosted" | "snippet" | "tombstone";
  is_external: boolean;
  external_type: string;
  is_public: boolean;
  public_url_shared: boolean;
  display_as_bot: boolean;
  username: string;
  url_private: string;
  url_private_download: string;
  media_display_type: string;
  permalink: string;
  permalink_public: string;
  is_starred: boolean;
  has_rich_preview: boolean;
  file_access: string;
  alt_txt?: string;
  channels?: string[];
  groups?: string[];
  ims?: string[];
  shares?: { public?: Record<string, FileShare[]>; private?: Record<string, FileShare[]> };
}

export interface FileShare {
  ts: string;
  channel_name?: string;
  team_id?: string;
  thread_ts?: string;
}

export interface Person {
  id: string;
  name: string;
  team: string;
  bot: boolean;
  /** Of the device they write on, as the datetime picker takes it; default UTC. */
  timeZone?: string;
}

export type ChannelKind = "channel" | "group" | "im" | "mpim";

export interface ChannelState {
  id: string;
  name: string;
  kind: ChannelKind;
  /** The other person, in an im. */
  user?: string;
  botIsMember: boolean;
  archived: boolean;
  /** The app's messages tab is switched off, or the person's account is gone: why a post is refused. */
  refuses?: string;
  messages: Map<string, Stored>;
}

export interface Stored {
  shown: ShownMessage;
  api: ApiMessage;
}

export interface StoredFile {
  api: ApiFile;
  bytes: Buffer;
  /** Announced by getUploadURLExternal; posted; shared. */
  upload?: { key: string; length: number; uploaded: boolean; done: boolean };
}

export interface TriggerState {
  id: string;
  user: string;
  atMs: number;
  used: boolean;
}

export interface ViewState {
  api: Record<string, unknown> & { id: string; hash: string };
  user: string;
  trigger?: string;
}

/** What became of a press, command, shortcut or submission. */
export interface PressState {
  id: string;
  user: string;
  channel?: string;
  acked: boolean;
  atMs: number;
  ackedAtMs?: number;
  /** What was acknowledged with, if anything. */
  payload?: Record<string, unknown>;
  /** What the person sees when nobody answered within 3 s, or nobody was there. */
  failed?: string;
  /** Posts to the response_url. */
  responses: Record<string, unknown>[];
  uses: number;
  /** How many ephemeral messages there were before it. */
  seen: number;
}

export interface StateOptions {
  teamId: string;
  teamName: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  botUserId: string;
  botId: string;
  botName: string;
  appId: string;
  /** Granted to the bot token. */
  scopes: readonly string[];
  /** Event subscriptions, as the app's settings name them. */
  events: readonly string[];
  /** Milliseconds since 1970; a test may bring its own clock. */
  now: () => number;
  triggerLifeMs: number;
  /** `callback_id` of the message shortcut. */
  shortcutCallbackId: string;
  slashCommand: string;
}

export interface StatusEntry {
  channel: string;
  thread: string;
  status: string;
  loadingMessages: string[];
  atMs: number;
}

export class SlackState {
  readonly options: StateOptions;
  readonly watch: Watch;
  readonly people: Map<string, Person> = new Map();
  readonly channels: Map<string, ChannelState> = new Map();
  readonly files: Map<string, StoredFile> = new Map();
  readonly triggers: Map<string, TriggerState> = new Map();
  readonly views: Map<string, ViewState> = new Map();
  /** Open modals of a person, the top one last. */
  readonly modals: Map<string, string[]> = new Map();
  readonly homes: Map<string, string> = new Map();
  readonly presses: Map<string, PressState> = new Map();
  /** What people have picked in a message and not sent, by person and message, then by block and element. */
  readonly picks: Map<string, Map<string, readonly string[]>> = new Map();
  readonly ephemerals: ShownMessage[] = [];
  readonly statuses: StatusEntry[] = [];
  readonly titles: { channel: string; thread: string; title: string }[] = [];
  readonly prompts: {
    channel: string;
    thread: string;
    title?: string;
    prompts: { title: string; message: string }[];
  }[] = [];
  /** `http://127.0.0.1:PORT`, known once it listens. */
  url = "";
  /** Set by the wire: where events go. */
  delivery: Delivery | undefined;
  /** What people do now is not delivered, only kept: a gap. */
  missing = false;
  #ids = 0;
  #lastMicros = 0n;

  constructor(options: StateOptions, describe: () => string) {
    this.options = options;
    this.watch = new Watch(describe);
    this.people.set(options.botUserId, {
      id: options.botUserId,
      name: options.botName,
      team: options.teamId,
      bot: true,
    });
  }

  get nowMs(): number {
    return this.options.now();
  }

  get nowSeconds(): number {
    return Math.floor(this.nowMs / 1000);
  }

  /** A rising number, for ids. */
  next(): number {
    this.#ids += 1;
    return this.#ids;
  }

  /** `F01FILE0007` and the like: unique, and the same in each run. */
  id(prefix: string): string {
    return `${prefix}${String(this.next()).padStart(7, "0")}`;
  }

  /** Ids of messages are times: seconds and six digits, rising. */
  ts(): string {
    const wanted = BigInt(Math.floor(this.nowMs)) * 1000n;
    this.#lastMicros = wanted > this.#lastMicros ? wanted : this.#lastMicros + 1n;
    return `${this.#lastMicros / 1_000_000n}.${String(this.#lastMicros % 1_000_000n).padStart(6, "0")}`;
  }

  person(id: string): Person {
    const known = this.people.get(id);
    if (known) return known;
    const made = { id, name: id.toLowerCase(), team: this.options.teamId, bot: false };
    this.people.set(id, made);
    return made;
  }

  /** As a test's own mistake: throws when there is none. */
  channel(id: string): ChannelState {
    const channel = this.channels.get(id);
    if (!channel) throw new Error(`No conversation ${id}: make it with dm, addChannel or addGroup first`);
    return channel;
  }

  dm(user: string): ChannelState {
    const known = [...this.channels.values()].find((one) => one.kind === "im" && one.user === user);
    if (known) return known;
    const person = this.person(user);
    const id = `D${person.id.slice(1)}`;
    return this.addChannel({ id, name: "directmessage", kind: "im", user });
  }

  addChannel(
    given: Pick<ChannelState, "id" | "name" | "kind"> & Partial<Omit<ChannelState, "messages">>,
  ): ChannelState {
    const channel: ChannelState = { botIsMember: true, archived: false, ...given, messages: new Map() };
    this.channels.set(channel.id, channel);
    this.watch.changed();
    return channel;
  }

  store(channel: ChannelState, stored: Stored): void {
    channel.messages.set(stored.shown.id, stored);
    if (stored.api.thread_ts !== undefined && stored.api.thread_ts !== stored.api.ts) countReply(channel, stored.api);
    this.watch.changed();
  }

  find(ts: string): { channel: ChannelState; stored: Stored } | undefined {
    for (const channel of this.channels.values()) {
      const stored = channel.messages.get(ts);
      if (stored) return { channel, stored };
    }
    return undefined;
  }

  trigger(user: string): string {
    const id = `${this.next()}${this.nowSeconds}.${this.nowMs}.${this.id("trigger")}`;
    this.triggers.set(id, { id, user, atMs: this.nowMs, used: false });
    return id;
  }
}

/** A parent knows how many replies it has and who wrote them. */
function countReply(channel: ChannelState, reply: ApiMessage): void {
  const parent = reply.thread_ts === undefined ? undefined : channel.messages.get(reply.thread_ts)?.api;
  if (!parent) return;
  const users = new Set(parent.reply_users ?? []);
  users.add(reply.user ?? reply.bot_id ?? "");
  parent.thread_ts = parent.ts;
  parent.reply_count = (parent.reply_count ?? 0) + 1;
  parent.reply_users = [...users];
  parent.reply_users_count = users.size;
  parent.latest_reply = reply.ts;
  parent.is_locked = false;
}
