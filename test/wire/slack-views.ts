// Modals, the app's home and the assistant calls of the loopback Slack.
import type {
  AssistantThreadsSetStatusResponse,
  AssistantThreadsSetSuggestedPromptsResponse,
  AssistantThreadsSetTitleResponse,
  ViewsOpenResponse,
  ViewsPublishResponse,
  ViewsUpdateResponse,
} from "@slack/web-api";
import { checkBlocks } from "./slack-blocks.ts";
import { blockId } from "./slack-content.ts";
import type { Params } from "./slack-params.ts";
import { Refusal } from "./slack-state.ts";
import type { SlackState, ViewState } from "./slack-state.ts";

type Loose = Record<string, unknown>;

export const viewLimits = { title: 24, button: 24, privateMetadata: 3000, callbackId: 255, bytes: 250_000 } as const;

/** A trigger lives 3 s and works once; each way it fails has a code of its own. */
function useTrigger(state: SlackState, params: Params): string {
  const id = params.text("trigger_id") ?? "";
  const trigger = state.triggers.get(id);
  if (!trigger) throw new Refusal("invalid_trigger_id");
  if (trigger.used) throw new Refusal("exchanged_trigger_id");
  if (state.nowMs - trigger.atMs > state.options.triggerLifeMs) throw new Refusal("expired_trigger_id");
  trigger.used = true;
  return trigger.user;
}

function refuseView(problem: string): Refusal {
  return new Refusal("invalid_arguments", { response_metadata: { messages: [`[ERROR] ${problem}`] } });
}

/** The view when it may be shown. */
function readView(params: Params, kind: "modal" | "home"): Loose {
  const view = params.json("view", "invalid_arguments") as Loose | undefined;
  if (!view || view["type"] !== kind) throw refuseView(`failed to match all allowed schemas [json-pointer:/view]`);
  if (!Array.isArray(view["blocks"])) throw refuseView("missing required field: blocks [json-pointer:/view]");
  try {
    checkBlocks(view["blocks"], kind);
  } catch (error) {
    if (error instanceof Refusal && error.code === "invalid_blocks")
      throw new Refusal("invalid_arguments", error.extra);
    throw error;
  }
  if (kind === "modal") {
    checkLabel(view["title"], viewLimits.title, "title", true);
    checkLabel(view["close"], viewLimits.button, "close", false);
    const hasInput = (view["blocks"] as Loose[]).some((block) => block["type"] === "input");
    checkLabel(view["submit"], viewLimits.button, "submit", hasInput);
  }
  const { private_metadata: secret, callback_id: callback } = view;
  if (typeof secret === "string" && secret.length > viewLimits.privateMetadata)
    throw refuseView("private_metadata too long");
  if (typeof callback === "string" && callback.length > viewLimits.callbackId) throw refuseView("callback_id too long");
  if (Buffer.byteLength(JSON.stringify(view)) > viewLimits.bytes) throw new Refusal("view_too_large");
  return view;
}

function checkLabel(given: unknown, max: number, name: string, needed: boolean): void {
  if (given === undefined) {
    if (needed) throw refuseView(`missing required field: ${name} [json-pointer:/view]`);
    return;
  }
  const { type, text } = given as Loose;
  if (type !== "plain_text" || typeof text !== "string" || text === "") throw refuseView(`invalid ${name}`);
  if (text.length > max) throw refuseView(`must be less than ${max + 1} characters [json-pointer:/view/${name}/text]`);
}

/** The view as the platform hands it out: ids, hash, empty state. */
function makeView(state: SlackState, given: Loose, old?: ViewState): ViewState["api"] {
  const id = old?.api.id ?? state.id("V");
  const blocks = (given["blocks"] as Loose[]).map((block) => ({
    ...block,
    block_id: block["block_id"] ?? blockId(state),
  }));
  return {
    id,
    team_id: state.options.teamId,
    type: given["type"],
    blocks,
    private_metadata: given["private_metadata"] ?? "",
    callback_id: given["callback_id"] ?? "",
    state: { values: {} },
    hash: `${state.nowSeconds}.${state.next()}`,
    title: given["title"] ?? { type: "plain_text", text: "View Title", emoji: true },
    clear_on_close: given["clear_on_close"] ?? false,
    notify_on_close: given["notify_on_close"] ?? false,
    close: given["close"] ?? null,
    submit: given["submit"] ?? null,
    previous_view_id: null,
    root_view_id: id,
    app_id: state.options.appId,
    external_id: given["external_id"] ?? "",
    app_installed_team_id: state.options.teamId,
    bot_id: state.options.botId,
  };
}

export function openView(state: SlackState, params: Params): ViewsOpenResponse {
  const view = readView(params, "modal");
  const user = useTrigger(state, params);
  const api = makeView(state, view);
  state.views.set(api.id, { api, user, trigger: params.text("trigger_id") ?? "" });
  state.modals.set(user, [...(state.modals.get(user) ?? []), api.id]);
  state.watch.changed();
  return { ok: true, view: structuredClone(api) as ViewsOpenResponse["view"] & object } satisfies ViewsOpenResponse;
}

export function updateView(state: SlackState, params: Params): ViewsUpdateResponse {
  const known = state.views.get(params.text("view_id") ?? "");
  if (!known) throw new Refusal("not_found");
  const hash = params.text("hash");
  if (hash !== undefined && hash !== "" && hash !== known.api.hash) throw new Refusal("hash_conflict");
  known.api = makeView(state, readView(params, "modal"), known);
  state.watch.changed();
  return {
    ok: true,
    view: structuredClone(known.api) as ViewsUpdateResponse["view"] & object,
  } satisfies ViewsUpdateResponse;
}

export function publishView(state: SlackState, params: Params): ViewsPublishResponse {
  const user = params.required("user_id");
  if (!state.people.has(user)) throw new Refusal("user_not_found");
  const view = readView(params, "home");
  const old = state.views.get(state.homes.get(user) ?? "");
  const hash = params.text("hash");
  if (hash !== undefined && hash !== "" && old && hash !== old.api.hash) throw new Refusal("hash_conflict");
  const api = makeView(state, view, old);
  state.views.set(api.id, { api, user });
  state.homes.set(user, api.id);
  state.watch.changed();
  return {
    ok: true,
    view: structuredClone(api) as ViewsPublishResponse["view"] & object,
  } satisfies ViewsPublishResponse;
}

// ---- The assistant's thread

function readThread(state: SlackState, params: Params): { channel: string; thread: string } {
  const channel = params.required("channel_id");
  const thread = params.required("thread_ts");
  const known = state.channels.get(channel);
  if (!known?.botIsMember) throw new Refusal("channel_not_found");
  if (!known.messages.has(thread)) throw new Refusal("invalid_thread_ts");
  return { channel, thread };
}

/** An empty status clears; a reply of the app clears as well. */
export function setStatus(state: SlackState, params: Params): AssistantThreadsSetStatusResponse {
  const place = readThread(state, params);
  const status = params.text("status");
  if (status === undefined) throw new Refusal("invalid_arguments");
  const loadingMessages = (params.json("loading_messages", "invalid_arguments") as string[] | undefined) ?? [];
  if (loadingMessages.length > 10) throw new Refusal("invalid_arguments");
  state.statuses.push({ ...place, status, loadingMessages, atMs: state.nowMs });
  state.watch.changed();
  return { ok: true } satisfies AssistantThreadsSetStatusResponse;
}

export function setTitle(state: SlackState, params: Params): AssistantThreadsSetTitleResponse {
  const place = readThread(state, params);
  state.titles.push({ ...place, title: params.required("title") });
  state.watch.changed();
  return { ok: true } satisfies AssistantThreadsSetTitleResponse;
}

export function setPrompts(state: SlackState, params: Params): AssistantThreadsSetSuggestedPromptsResponse {
  const { channel, thread } = readThread(state, params);
  const prompts =
    (params.json("prompts", "invalid_arguments") as { title: string; message: string }[] | undefined) ?? [];
  if (prompts.length > 4) throw new Refusal("too_many_prompts");
  const title = params.text("title");
  state.prompts.push({ channel, thread, ...(title === undefined ? {} : { title }), prompts });
  state.watch.changed();
  return { ok: true } satisfies AssistantThreadsSetSuggestedPromptsResponse;
}
