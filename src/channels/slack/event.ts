// The shape of what Slack sends, as far as it is read here (recorded payloads; docs.slack.dev/reference/events). Unknown fields are
// left out, and a field that is null counts as left out. What is kept in the store has passed these shapes, so it holds no more.
import * as z from "zod";

type Maybe<T> = T | null | undefined;

export type SlackFile = {
  id: string;
  name?: Maybe<string>;
  title?: Maybe<string>;
  mimetype?: Maybe<string>;
  size?: Maybe<number>;
  mode?: Maybe<string>;
  subtype?: Maybe<string>;
  is_external?: Maybe<boolean>;
  url_private?: Maybe<string>;
  url_private_download?: Maybe<string>;
};

/** What hangs under a message: a shared message, or what Slack or an app shows of a link. */
export type Attachment = {
  is_share?: Maybe<boolean>;
  is_msg_unfurl?: Maybe<boolean>;
  from_url?: Maybe<string>;
  original_url?: Maybe<string>;
  text?: Maybe<string>;
  message_blocks?: Maybe<unknown[]>;
  author_id?: Maybe<string>;
  author_name?: Maybe<string>;
  author_subname?: Maybe<string>;
  channel_team?: Maybe<string>;
  team_id?: Maybe<string>;
  files?: Maybe<SlackFile[]>;
};

export type SlackMessage = {
  ts: string;
  subtype?: Maybe<string>;
  text?: Maybe<string>;
  user?: Maybe<string>;
  username?: Maybe<string>;
  team?: Maybe<string>;
  user_team?: Maybe<string>;
  bot_id?: Maybe<string>;
  thread_ts?: Maybe<string>;
  parent_user_id?: Maybe<string>;
  edited?: Maybe<{ ts?: Maybe<string> }>;
  files?: Maybe<SlackFile[]>;
  attachments?: Maybe<Attachment[]>;
  blocks?: Maybe<unknown[]>;
};

/** What a message was before; not every such copy says which one it was. */
export type Before = Omit<SlackMessage, "ts"> & { ts?: Maybe<string> };

export type MessageEvent = SlackMessage & {
  type: string;
  channel: string;
  channel_type?: Maybe<string>;
  deleted_ts?: Maybe<string>;
  message?: Maybe<SlackMessage>;
  previous_message?: Maybe<Before>;
};

export type HomeOpened = { user: string; tab?: Maybe<string>; event_ts?: Maybe<string> };

export type Actor = { id: string; name?: Maybe<string>; username?: Maybe<string>; team_id?: Maybe<string> };

/** What a field or a menu holds (docs.slack.dev/reference/views/view-submission). */
export type StateValue = {
  type?: Maybe<string>;
  value?: Maybe<string>;
  selected_date?: Maybe<string>;
  selected_time?: Maybe<string>;
  selected_option?: Maybe<{ value?: Maybe<string> }>;
  selected_options?: Maybe<{ value?: Maybe<string> }[]>;
};

/** By block, then by action. */
type State = { values: Record<string, Record<string, StateValue>> };

export type Action = {
  type?: Maybe<string>;
  action_id?: Maybe<string>;
  value?: Maybe<string>;
  action_ts?: Maybe<string>;
  selected_option?: Maybe<{ value?: Maybe<string> }>;
};

/** A press on a button or a choice from a menu. */
export type BlockActions = {
  user: Actor;
  team?: Maybe<{ id: string }>;
  trigger_id?: Maybe<string>;
  channel?: Maybe<{ id: string }>;
  container?: Maybe<{
    type?: Maybe<string>;
    message_ts?: Maybe<string>;
    thread_ts?: Maybe<string>;
    channel_id?: Maybe<string>;
    is_ephemeral?: Maybe<boolean>;
  }>;
  message?: Maybe<{ ts?: Maybe<string>; thread_ts?: Maybe<string> }>;
  view?: Maybe<{ id: string; type?: Maybe<string> }>;
  /** What is picked in the message. */
  state?: Maybe<State>;
  actions: Action[];
};

export type ViewSubmission = {
  user: Actor;
  team?: Maybe<{ id: string }>;
  trigger_id?: Maybe<string>;
  view: {
    id: string;
    callback_id?: Maybe<string>;
    private_metadata?: Maybe<string>;
    state?: Maybe<State>;
  };
};

/** A message shortcut: somebody chose one message out of any place. */
export type MessageAction = {
  callback_id: string;
  trigger_id: string;
  user: Actor;
  team?: Maybe<{ id: string }>;
  channel?: Maybe<{ id: string }>;
  message: SlackMessage;
};

export type SlashCommand = {
  command: string;
  text?: Maybe<string>;
  user_id: string;
  user_name?: Maybe<string>;
  team_id?: Maybe<string>;
  channel_id: string;
  trigger_id: string;
};

/** By what way it came: Slack's own three kinds of delivery, and what was read back from a conversation's history. */
export type Way = "events_api" | "interactive" | "slash_commands" | "history";

/** What is kept in the store of something that arrived. */
export type Raw = {
  type: Way;
  body: unknown;
  /** Names of people and places in it by their ids, as they were when it arrived. */
  names?: Maybe<Record<string, string>>;
  /** The private chat with the bot of whoever did it, where it was done elsewhere. */
  im?: Maybe<string>;
  /** When it arrived, where the platform doesn't say, in milliseconds since 1970. */
  at?: Maybe<number>;
  /** The message that a shortcut was used on. */
  chosen?: Maybe<Chosen>;
};

export type Chosen = { message: SlackMessage; team: string };

const text = z.string();
const id = text.min(1);
const some = text.nullish();

const file = z.object({
  id,
  name: some,
  title: some,
  mimetype: some,
  size: z.number().nullish(),
  mode: some,
  subtype: some,
  is_external: z.boolean().nullish(),
  url_private: some,
  url_private_download: some,
});

const attachment = z.object({
  is_share: z.boolean().nullish(),
  is_msg_unfurl: z.boolean().nullish(),
  from_url: some,
  original_url: some,
  text: some,
  message_blocks: z.array(z.unknown()).nullish(),
  author_id: some,
  author_name: some,
  author_subname: some,
  channel_team: some,
  team_id: some,
  files: z.array(file).nullish(),
});

const said = {
  ts: id,
  subtype: some,
  text: some,
  user: some,
  username: some,
  team: some,
  user_team: some,
  bot_id: some,
  thread_ts: some,
  parent_user_id: some,
  edited: z.object({ ts: some }).nullish(),
  files: z.array(file).nullish(),
  attachments: z.array(attachment).nullish(),
  blocks: z.array(z.unknown()).nullish(),
};
const message = z.object(said);
const option = z.object({ value: some }).nullish();
const state = z
  .object({
    values: z.record(
      text,
      z.record(
        text,
        z.object({
          type: some,
          value: some,
          selected_date: some,
          selected_time: some,
          selected_option: option,
          selected_options: z.array(z.object({ value: some })).nullish(),
        }),
      ),
    ),
  })
  .nullish();
const actor = z.object({ id, name: some, username: some, team_id: some });
const team = z.object({ id }).nullish();

/** The shapes of what is read. */
export const SHAPES: {
  readonly raw: z.ZodType<Raw>;
  readonly message: z.ZodType<MessageEvent>;
  readonly home: z.ZodType<HomeOpened>;
  readonly actions: z.ZodType<BlockActions>;
  readonly submission: z.ZodType<ViewSubmission>;
  readonly shortcut: z.ZodType<MessageAction>;
  readonly command: z.ZodType<SlashCommand>;
} = {
  raw: z.object({
    type: z.enum(["events_api", "interactive", "slash_commands", "history"]),
    body: z.unknown(),
    names: z.record(text, text).nullish(),
    im: some,
    at: z.number().nullish(),
    chosen: z.object({ message, team: text }).nullish(),
  }),
  message: z.object({
    ...said,
    type: text,
    channel: id,
    channel_type: some,
    deleted_ts: some,
    message: message.nullish(),
    previous_message: z.object({ ...said, ts: some }).nullish(),
  }),
  home: z.object({ user: id, tab: some, event_ts: some }),
  actions: z.object({
    user: actor,
    team,
    trigger_id: some,
    channel: z.object({ id }).nullish(),
    container: z
      .object({
        type: some,
        message_ts: some,
        thread_ts: some,
        channel_id: some,
        is_ephemeral: z.boolean().nullish(),
      })
      .nullish(),
    message: z.object({ ts: some, thread_ts: some }).nullish(),
    view: z.object({ id, type: some }).nullish(),
    state,
    actions: z
      .array(
        z.object({
          type: some,
          action_id: some,
          value: some,
          action_ts: some,
          selected_option: option,
        }),
      )
      .min(1),
  }),
  submission: z.object({
    user: actor,
    team,
    trigger_id: some,
    view: z.object({
      id,
      callback_id: some,
      private_metadata: some,
      state,
    }),
  }),
  shortcut: z.object({
    callback_id: text,
    trigger_id: id,
    user: actor,
    team,
    channel: z.object({ id }).nullish(),
    message,
  }),
  command: z.object({
    command: text,
    text: some,
    user_id: id,
    user_name: some,
    team_id: some,
    channel_id: id,
    trigger_id: id,
  }),
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
