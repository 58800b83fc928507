// The shape of what Discord sends, as far as it is read here (API v10). Unknown fields are left out, and a field that is null
// counts as left out.
import * as z from "zod";

type Maybe<T> = T | null | undefined;

export type User = {
  id: string;
  username?: Maybe<string>;
  global_name?: Maybe<string>;
  bot?: Maybe<boolean>;
};

export type Member = { nick?: Maybe<string> };

export type Attachment = {
  id: string;
  filename: string;
  size?: Maybe<number>;
  url: string;
  content_type?: Maybe<string>;
  /** Length of a voice message, in seconds; ordinary audio has none. */
  duration_secs?: Maybe<number>;
  waveform?: Maybe<string>;
};

/** What a message can hold; a message, one replied to, and the copy in a forward name it alike. */
export type Content = {
  content?: Maybe<string>;
  attachments?: Maybe<Attachment[]>;
  sticker_items?: Maybe<{ name: string }[]>;
  poll?: Maybe<{ question: { text?: Maybe<string> }; answers?: Maybe<{ poll_media: { text?: Maybe<string> } }[]> }>;
  mentions?: Maybe<(User & { member?: Maybe<Member> })[]>;
};

/** Signs that the words are not the writer's own: a forward refers to a message and brings a copy of it. */
export type Brought = {
  message_reference?: Maybe<{ type?: Maybe<number>; channel_id?: Maybe<string>; message_id?: Maybe<string> }>;
  message_snapshots?: Maybe<{ message: Content }[]>;
};

export type Author = { author?: Maybe<User>; member?: Maybe<Member>; webhook_id?: Maybe<string> };

export type RepliedTo = Author & Brought & Content & { id: string };

/** A message as it is created, edited, or read back; an edit may leave out nearly everything. */
export type DiscordMessage = RepliedTo & {
  channel_id: string;
  channel_type?: Maybe<number>;
  guild_id?: Maybe<string>;
  type?: Maybe<number>;
  timestamp?: Maybe<string>;
  edited_timestamp?: Maybe<string>;
  mention_roles?: Maybe<string[]>;
  referenced_message?: Maybe<RepliedTo>;
};

export type Deletion = { id: string; channel_id: string; guild_id?: Maybe<string> };

type Option = { value?: Maybe<string | number | boolean>; options?: Maybe<Option[]> };

/** A press, a form, or a command. `components` of a form is looked through by hand: it nests in two ways. */
export type Interaction = {
  id: string;
  application_id: string;
  type: number;
  token: string;
  channel_id?: Maybe<string>;
  channel?: Maybe<{ type?: Maybe<number>; name?: Maybe<string> }>;
  guild_id?: Maybe<string>;
  /** 0: in a server, 1: in the bot's own direct messages, 2: among other people. */
  context?: Maybe<number>;
  user?: Maybe<User>;
  member?: Maybe<Member & { user: User }>;
  message?: Maybe<{ id: string }>;
  data?: Maybe<{
    type?: Maybe<number>;
    name?: Maybe<string>;
    options?: Maybe<Option[]>;
    target_id?: Maybe<string>;
    custom_id?: Maybe<string>;
    values?: Maybe<string[]>;
    components?: Maybe<unknown[]>;
  }>;
};

/** A place as the platform describes it: a channel, a thread, or a direct message. */
export type Place = {
  id: string;
  type: number;
  name?: Maybe<string>;
  guild_id?: Maybe<string>;
  last_message_id?: Maybe<string>;
};

/** What is kept of an event: Discord's own, and beside it what only the connection knows of where it came from. */
export type Kept = {
  t: string;
  d: unknown;
  /** `role`: the role of ours that was mentioned. */
  place?: Maybe<{ type?: Maybe<number>; name?: Maybe<string>; role?: Maybe<string> }>;
  /** Of a form that asks about a message: that message, and the direct message channel of who asks. */
  about?: Maybe<RepliedTo>;
  dm?: Maybe<string>;
  /** When an interaction came, by our clock: it can be answered for a time only. */
  at?: Maybe<number>;
};

const id = z.string().min(1).max(32);
const text = z.string();

const user = z.object({ id, username: text.nullish(), global_name: text.nullish(), bot: z.boolean().nullish() });
const member = z.object({ nick: text.nullish() });

const attachment = z.object({
  id,
  filename: text,
  size: z.number().nullish(),
  url: text,
  content_type: text.nullish(),
  duration_secs: z.number().nullish(),
  waveform: text.nullish(),
});

const content = {
  content: text.nullish(),
  attachments: z.array(attachment).nullish(),
  sticker_items: z.array(z.object({ name: text })).nullish(),
  poll: z
    .object({
      question: z.object({ text: text.nullish() }),
      answers: z.array(z.object({ poll_media: z.object({ text: text.nullish() }) })).nullish(),
    })
    .nullish(),
  mentions: z.array(user.extend({ member: member.nullish() })).nullish(),
};

const brought = {
  message_reference: z
    .object({ type: z.number().nullish(), channel_id: id.nullish(), message_id: id.nullish() })
    .nullish(),
  message_snapshots: z.array(z.object({ message: z.object(content) })).nullish(),
};

const repliedTo = z.object({
  id,
  author: user.nullish(),
  member: member.nullish(),
  webhook_id: id.nullish(),
  ...brought,
  ...content,
});

const option: z.ZodType<Option> = z.lazy(() =>
  z.object({ value: z.union([text, z.number(), z.boolean()]).nullish(), options: z.array(option).nullish() }),
);

const shapes: {
  kept: z.ZodType<Kept>;
  message: z.ZodType<DiscordMessage>;
  deletion: z.ZodType<Deletion>;
  interaction: z.ZodType<Interaction>;
  place: z.ZodType<Place>;
  repliedTo: z.ZodType<RepliedTo>;
} = {
  kept: z.object({
    t: text,
    d: z.unknown(),
    place: z.object({ type: z.number().nullish(), name: text.nullish(), role: id.nullish() }).nullish(),
    about: repliedTo.nullish(),
    dm: id.nullish(),
    at: z.number().nullish(),
  }),
  message: repliedTo.extend({
    channel_id: id,
    channel_type: z.number().nullish(),
    guild_id: id.nullish(),
    type: z.number().nullish(),
    timestamp: text.nullish(),
    edited_timestamp: text.nullish(),
    mention_roles: z.array(id).nullish(),
    referenced_message: repliedTo.nullish(),
  }),
  deletion: z.object({ id, channel_id: id, guild_id: id.nullish() }),
  interaction: z.object({
    id,
    application_id: id,
    type: z.number(),
    token: text,
    channel_id: id.nullish(),
    channel: z.object({ type: z.number().nullish(), name: text.nullish() }).nullish(),
    guild_id: id.nullish(),
    context: z.number().nullish(),
    user: user.nullish(),
    member: member.extend({ user }).nullish(),
    message: z.object({ id }).nullish(),
    data: z
      .object({
        type: z.number().nullish(),
        name: text.nullish(),
        options: z.array(option).nullish(),
        target_id: id.nullish(),
        custom_id: text.nullish(),
        values: z.array(text).nullish(),
        components: z.array(z.unknown()).nullish(),
      })
      .nullish(),
  }),
  place: z.object({
    id,
    type: z.number(),
    name: text.nullish(),
    guild_id: id.nullish(),
    last_message_id: id.nullish(),
  }),
  repliedTo,
};

export const EVENT: typeof shapes = shapes;

/** This bot itself. Its id comes with the connection; until then no mention is ours. */
export type Me = { readonly id: string; readonly application: string };

/** The type of a channel that is a direct message (discord.com/developers/docs/resources/channel#channel-object-channel-types). */
export const DM_CHANNEL: number = 1;

/** Kinds of interactions and of what a command is invoked on. */
export const INTERACTION: { readonly command: 2; readonly component: 3; readonly form: 5 } = {
  command: 2,
  component: 3,
  form: 5,
};
export const MESSAGE_COMMAND: number = 3;

/** The first milliseconds of Discord's ids: 2015 (discord.com/developers/docs/reference#snowflakes). */
const EPOCH = 1_420_070_400_000n;

/** When an id was given out, in milliseconds since 1970; undefined when it is none. */
export function timeOf(id: string): number | undefined {
  return /^\d{1,20}$/u.test(id) ? Number((BigInt(id) >> 22n) + EPOCH) : undefined;
}

/** The smallest id that may have been given out at `atMs`. */
export function idAt(atMs: number): string {
  const since = BigInt(Math.max(0, Math.floor(atMs))) - EPOCH;
  return String(since > 0n ? since << 22n : 0n);
}

/** Ids grow with time, and their texts in length. */
export function laterOf(one: string, other: string): string {
  return isLater(one, other) ? one : other;
}

export function isLater(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
