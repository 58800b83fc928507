// The shape of what Telegram sends, as far as it is read here (Bot API 10.3). Unknown fields are left out, and a field that is
// null counts as left out.
import * as z from "zod";

type Maybe<T> = T | null | undefined;

export type User = {
  id: number;
  is_bot?: Maybe<boolean>;
  first_name?: Maybe<string>;
  last_name?: Maybe<string>;
  username?: Maybe<string>;
};

export type Chat = {
  id: number;
  type: string;
  title?: Maybe<string>;
  first_name?: Maybe<string>;
  last_name?: Maybe<string>;
  username?: Maybe<string>;
};

export type Entity = { type: string; offset: number; length: number; user?: Maybe<User> };

export type StoredFile = {
  file_id: string;
  file_size?: Maybe<number>;
  file_name?: Maybe<string>;
  mime_type?: Maybe<string>;
};

type Place = { latitude: number; longitude: number };

/** What a message can hold; a message, one replied to, and one replied to elsewhere name it alike. */
export type Content = {
  text?: Maybe<string>;
  entities?: Maybe<Entity[]>;
  caption?: Maybe<string>;
  caption_entities?: Maybe<Entity[]>;
  rich_message?: Maybe<{ blocks: unknown[] }>;
  animation?: Maybe<StoredFile>;
  audio?: Maybe<StoredFile>;
  document?: Maybe<StoredFile>;
  live_photo?: Maybe<StoredFile>;
  photo?: Maybe<(StoredFile & { width: number; height: number })[]>;
  sticker?: Maybe<StoredFile & { emoji?: Maybe<string>; is_animated?: Maybe<boolean>; is_video?: Maybe<boolean> }>;
  video?: Maybe<StoredFile>;
  video_note?: Maybe<StoredFile>;
  voice?: Maybe<StoredFile>;
  contact?: Maybe<{ phone_number: string; first_name: string; last_name?: Maybe<string> }>;
  dice?: Maybe<{ emoji: string; value: number }>;
  poll?: Maybe<{ question: string; options: { text: string }[] }>;
  checklist?: Maybe<{ title: string; tasks: { text: string }[] }>;
  venue?: Maybe<{ title: string; address: string; location: Place }>;
  location?: Maybe<Place>;
};

/** Any origin: one of a type that is not known yet is still an origin, and must not pass for own words. */
export type ForwardOrigin = {
  type: string;
  sender_user?: Maybe<User>;
  sender_user_name?: Maybe<string>;
  sender_chat?: Maybe<Chat>;
  chat?: Maybe<Chat>;
};

export type Author = { from?: Maybe<User>; sender_chat?: Maybe<Chat> };

/** Signs that the words are not the sender's own. Older servers say it with the `forward_` fields alone. */
export type Brought = {
  forward_origin?: Maybe<ForwardOrigin>;
  forward_date?: Maybe<number>;
  forward_sender_name?: Maybe<string>;
  is_automatic_forward?: Maybe<boolean>;
  via_bot?: Maybe<User>;
};

/** The message replied to; in a topic perhaps only the one that made the topic. */
export type RepliedTo = Author & Brought & Content & { message_id: number };

export type Threaded = { message_thread_id?: Maybe<number>; is_topic_message?: Maybe<boolean> };

export type TelegramMessage = Author &
  Brought &
  Content &
  Threaded & {
    message_id: number;
    date: number;
    edit_date?: Maybe<number>;
    chat: Chat;
    media_group_id?: Maybe<string>;
    reply_to_message?: Maybe<RepliedTo>;
    external_reply?: Maybe<Content & { origin: ForwardOrigin }>;
    quote?: Maybe<{ text: string }>;
    migrate_to_chat_id?: Maybe<number>;
    migrate_from_chat_id?: Maybe<number>;
  };

/** What is left of a message that the platform no longer has is its chat and its id. */
export type Press = {
  id: string;
  from: User;
  message?: Maybe<Threaded & { message_id: number; chat: Chat }>;
  data?: Maybe<string>;
};

export type MemberChange = {
  chat: Chat;
  new_chat_member: { status: string; is_member?: Maybe<boolean>; can_send_messages?: Maybe<boolean> };
};

export type DraftStop = { chat: Chat; message_thread_id?: Maybe<number> };

const id = z.int();
const text = z.string();

const user = z.object({
  id,
  is_bot: z.boolean().nullish(),
  first_name: text.nullish(),
  last_name: text.nullish(),
  username: text.nullish(),
});

const chat = z.object({
  id,
  type: text,
  title: text.nullish(),
  first_name: text.nullish(),
  last_name: text.nullish(),
  username: text.nullish(),
});

const entity = z.object({ type: text, offset: z.int(), length: z.int(), user: user.nullish() });

const stored = {
  file_id: text.min(1),
  file_size: z.number().nullish(),
  file_name: text.nullish(),
  mime_type: text.nullish(),
};
const file = z.object(stored);
const photo = z.array(z.object({ ...stored, width: z.number(), height: z.number() }));
const place = z.object({ latitude: z.number(), longitude: z.number() });

const content = {
  text: text.nullish(),
  entities: z.array(entity).nullish(),
  caption: text.nullish(),
  caption_entities: z.array(entity).nullish(),
  rich_message: z.object({ blocks: z.array(z.unknown()) }).nullish(),
  animation: file.nullish(),
  audio: file.nullish(),
  document: file.nullish(),
  live_photo: file.nullish(),
  photo: photo.nullish(),
  sticker: z
    .object({
      ...stored,
      emoji: text.nullish(),
      is_animated: z.boolean().nullish(),
      is_video: z.boolean().nullish(),
    })
    .nullish(),
  video: file.nullish(),
  video_note: file.nullish(),
  voice: file.nullish(),
  contact: z.object({ phone_number: text, first_name: text, last_name: text.nullish() }).nullish(),
  dice: z.object({ emoji: text, value: z.number() }).nullish(),
  poll: z.object({ question: text, options: z.array(z.object({ text })) }).nullish(),
  checklist: z.object({ title: text, tasks: z.array(z.object({ text })) }).nullish(),
  venue: z.object({ title: text, address: text, location: place }).nullish(),
  location: place.nullish(),
};

const origin = z.object({
  type: text,
  sender_user: user.nullish(),
  sender_user_name: text.nullish(),
  sender_chat: chat.nullish(),
  chat: chat.nullish(),
});

const author = { from: user.nullish(), sender_chat: chat.nullish() };

const brought = {
  forward_origin: origin.nullish(),
  forward_date: z.number().nullish(),
  forward_sender_name: text.nullish(),
  is_automatic_forward: z.boolean().nullish(),
  via_bot: user.nullish(),
};

const repliedTo = z.object({
  message_id: id,
  ...author,
  ...content,
  ...brought,
});

const threaded = { message_thread_id: id.nullish(), is_topic_message: z.boolean().nullish() };

const message = z.object({
  message_id: id,
  date: z.number(),
  edit_date: z.number().nullish(),
  chat,
  ...author,
  ...content,
  ...brought,
  ...threaded,
  media_group_id: text.nullish(),
  reply_to_message: repliedTo.nullish(),
  external_reply: z.object({ origin, ...content }).nullish(),
  quote: z.object({ text }).nullish(),
  migrate_to_chat_id: id.nullish(),
  migrate_from_chat_id: id.nullish(),
});

const pressed = z.object({ message_id: id, chat, ...threaded });

/** The shapes of the kinds of update that are read. */
export const UPDATE: {
  readonly message: z.ZodType<TelegramMessage>;
  readonly callback_query: z.ZodType<Press>;
  readonly my_chat_member: z.ZodType<MemberChange>;
  readonly stopped_message_generation: z.ZodType<DraftStop>;
} = {
  message,
  callback_query: z.object({ id: text.min(1), from: user, message: pressed.nullish(), data: text.nullish() }),
  my_chat_member: z.object({
    chat,
    new_chat_member: z.object({
      status: text,
      is_member: z.boolean().nullish(),
      can_send_messages: z.boolean().nullish(),
    }),
  }),
  stopped_message_generation: z.object({ chat, message_thread_id: id.nullish() }),
};
