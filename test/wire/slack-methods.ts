// The Web API methods that the loopback Slack plays, with the scopes each needs. Answers are held to
// @slack/web-api's response types: one of the wrong shape does not compile.
import type { AppsConnectionsOpenResponse } from "@slack/web-api";
import {
  appendStream,
  deleteMessage,
  getPermalink,
  postEphemeral,
  postMessage,
  startStream,
  stopStream,
  updateMessage,
} from "./slack-chat.ts";
import {
  authTest,
  botsInfo,
  conversationInfo,
  history,
  listConversations,
  members,
  openConversation,
  replies,
  userInfo,
} from "./slack-conversations.ts";
import { completeUpload, fileInfo, uploadUrl } from "./slack-files.ts";
import type { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { SlackState } from "./slack-state.ts";
import { openView, publishView, setPrompts, setStatus, setTitle, updateView } from "./slack-views.ts";

/** Any of these is enough; none means that every token will do. */
type Scopes = readonly string[] | ((state: SlackState, params: Params) => readonly string[]);

export interface Method {
  run: (state: SlackState, params: Params) => { ok: boolean };
  scopes: Scopes;
}

const prefixes = { channel: "channels", group: "groups", im: "im", mpim: "mpim" } as const;

function byKind(verb: "history" | "read"): Scopes {
  return (state, params) => {
    const kind = state.channels.get(params.text("channel") ?? "")?.kind;
    return kind === undefined ? [] : [`${prefixes[kind]}:${verb}`];
  };
}

const listed: Record<string, string> = {
  public_channel: "channels:read",
  private_channel: "groups:read",
  im: "im:read",
  mpim: "mpim:read",
};

function byTypes(_state: SlackState, params: Params): readonly string[] {
  const types = (params.text("types") || "public_channel").split(",").map((type) => type.trim());
  return types.flatMap((type) => listed[type] ?? []);
}

const write = ["chat:write"];
const assistant = ["assistant:write", "chat:write"];

export const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["api.test", { run: () => ({ ok: true }), scopes: [] }],
  ["auth.test", { run: authTest, scopes: [] }],
  ["bots.info", { run: botsInfo, scopes: ["users:read"] }],
  ["chat.postMessage", { run: postMessage, scopes: write }],
  ["chat.update", { run: updateMessage, scopes: write }],
  ["chat.delete", { run: deleteMessage, scopes: write }],
  ["chat.postEphemeral", { run: postEphemeral, scopes: write }],
  ["chat.getPermalink", { run: getPermalink, scopes: [] }],
  ["chat.startStream", { run: startStream, scopes: write }],
  ["chat.appendStream", { run: appendStream, scopes: write }],
  ["chat.stopStream", { run: stopStream, scopes: write }],
  ["conversations.history", { run: history, scopes: byKind("history") }],
  ["conversations.replies", { run: replies, scopes: byKind("history") }],
  ["conversations.open", { run: openConversation, scopes: ["im:write", "mpim:write"] }],
  ["conversations.info", { run: conversationInfo, scopes: byKind("read") }],
  ["conversations.members", { run: members, scopes: byKind("read") }],
  ["conversations.list", { run: (state, params) => listConversations(state, params, false), scopes: byTypes }],
  ["users.conversations", { run: (state, params) => listConversations(state, params, true), scopes: byTypes }],
  ["users.info", { run: userInfo, scopes: ["users:read"] }],
  ["files.getUploadURLExternal", { run: uploadUrl, scopes: ["files:write"] }],
  ["files.completeUploadExternal", { run: completeUpload, scopes: ["files:write"] }],
  ["files.info", { run: fileInfo, scopes: ["files:read"] }],
  ["views.open", { run: openView, scopes: [] }],
  ["views.push", { run: openView, scopes: [] }],
  ["views.update", { run: updateView, scopes: [] }],
  ["views.publish", { run: publishView, scopes: [] }],
  ["assistant.threads.setStatus", { run: setStatus, scopes: assistant }],
  ["assistant.threads.setTitle", { run: setTitle, scopes: assistant }],
  ["assistant.threads.setSuggestedPrompts", { run: setPrompts, scopes: assistant }],
]);

/** Throws unless the bot token was granted what the method needs. Lists of conversations need all they name. */
export function checkScopes(state: SlackState, method: Method, name: string, params: Params): void {
  const needed = typeof method.scopes === "function" ? method.scopes(state, params) : method.scopes;
  if (needed.length === 0) return;
  const granted = (scope: string): boolean => state.options.scopes.includes(scope);
  const enough =
    name.endsWith(".conversations") || name === "conversations.list" ? needed.every(granted) : needed.some(granted);
  if (enough) return;
  throw new Refusal("missing_scope", { needed: needed.join(","), provided: state.options.scopes.join(",") });
}

/** Only with the app-level token. */
export function openConnection(state: SlackState): AppsConnectionsOpenResponse {
  return { ok: true, url: state.delivery?.ticket() ?? "" } satisfies AppsConnectionsOpenResponse;
}
