// The Slack app that a person makes for this gateway at api.slack.com/apps: its manifest, and what each right in it is for.
// Only types come from the SDK, so that reading this loads none of it.
import type { AppsManifestCreateArguments } from "@slack/web-api";

/** An app's description as Slack takes it (docs.slack.dev/reference/app-manifest). */
export type SlackManifest = AppsManifestCreateArguments["manifest"];

type Scope = NonNullable<NonNullable<NonNullable<SlackManifest["oauth_config"]>["scopes"]>["bot"]>[number];
type Event = NonNullable<
  NonNullable<NonNullable<SlackManifest["settings"]>["event_subscriptions"]>["bot_events"]
>[number];

/** A right of the bot's token. `shared`: needed only where the bot answers in channels and group chats. */
export type SlackScope = { readonly scope: Scope; readonly why: string; readonly shared?: true };

/** Every right that is used, and no other. */
export const SLACK_SCOPES: readonly SlackScope[] = [
  { scope: "chat:write", why: "to answer" },
  { scope: "commands", why: "for /tidegate and the message shortcut" },
  { scope: "im:history", why: "to read what you write to it" },
  { scope: "im:read", why: "to find your chat again after a gap" },
  { scope: "im:write", why: "to open a chat with you" },
  { scope: "files:read", why: "to fetch the files that you send" },
  { scope: "files:write", why: "to send long texts as files" },
  { scope: "users:read", why: "to know people's names" },
  { scope: "app_mentions:read", why: "to hear mentions in channels", shared: true },
  { scope: "channels:history", why: "to hear replies in public channels", shared: true },
  { scope: "channels:read", why: "to know public channels' names", shared: true },
  { scope: "groups:history", why: "to hear replies in private channels", shared: true },
  { scope: "groups:read", why: "to know private channels' names", shared: true },
  { scope: "mpim:history", why: "to hear replies in group messages", shared: true },
  { scope: "mpim:read", why: "to know group messages as such", shared: true },
];

/** The slash command that stands for all commands. */
export const SLACK_COMMAND = "/tidegate";
/** The message shortcut's name for programs. */
export const SLACK_SHORTCUT = "tidegate_ask";
/** Where Bolt's HTTP receiver takes everything. */
export const SLACK_PATH = "/slack/events";

const PRIVATE_EVENTS: readonly Event[] = ["app_home_opened", "message.im"];
const SHARED_EVENTS: readonly Event[] = ["app_mention", "message.channels", "message.groups", "message.mpim"];

/** How the app is to be used. */
export type SlackUse = {
  /** It answers in channels and group chats too. */
  readonly shared?: boolean;
  /** The public address for events over HTTP; left out: Socket Mode. */
  readonly requestUrl?: string;
};

/** The manifest to paste at api.slack.com/apps, Create New App, From a manifest. */
export function slackManifest({ shared = false, requestUrl }: SlackUse = {}): SlackManifest {
  const toUrl = requestUrl === undefined ? {} : { request_url: requestUrl };
  return {
    display_information: { name: "Tidegate", description: "A gateway to AI engines of your own." },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: "tidegate", always_online: false },
      shortcuts: [
        {
          type: "message",
          name: "Ask about this",
          callback_id: SLACK_SHORTCUT,
          description: "Take this message to your chat with Tidegate.",
        },
      ],
      slash_commands: [
        {
          command: SLACK_COMMAND,
          description: "Tidegate's commands",
          usage_hint: "new, stop, status, help, …",
          // As typed: a name in the arguments is only ever a word.
          should_escape: false,
          ...(requestUrl === undefined ? {} : { url: requestUrl }),
        },
      ],
    },
    oauth_config: {
      scopes: { bot: SLACK_SCOPES.filter((one) => shared || one.shared !== true).map(({ scope }) => scope) },
    },
    settings: {
      event_subscriptions: { ...toUrl, bot_events: [...PRIVATE_EVENTS, ...(shared ? SHARED_EVENTS : [])] },
      interactivity: { is_enabled: true, ...toUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: requestUrl === undefined,
      // A token that expires after 12 hours would need somebody to renew it.
      token_rotation_enabled: false,
    },
  };
}
