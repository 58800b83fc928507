// Buttons, menus, modals, slash commands and shortcuts of the loopback Slack: what a person does with
// them, and what the app's acknowledgement makes of it. Payloads follow the recorded ones and Bolt's types.
import type { BlockAction, MessageShortcut, SlashCommand, ViewSubmitAction } from "@slack/bolt";
import { blockId } from "./slack-content.ts";
import { respond } from "./slack-chat.ts";
import { emit } from "./slack-events.ts";
import { Params } from "./slack-params.ts";
import { findMenu, isEmpty, setPicked, valueOf, valuesOf } from "./slack-inputs.ts";
import type { Given, Values } from "./slack-inputs.ts";
import { ownedBy } from "./slack-people.ts";
import type { PressState, ShownButton, SlackState, ViewState } from "./slack-state.ts";

type Loose = Record<string, unknown>;

/** A response_url lives half an hour and takes five posts. */
export const responseUrl: { readonly lifeMs: number; readonly uses: number } = { lifeMs: 1_800_000, uses: 5 };

function newPress(state: SlackState, user: string, channel: string | undefined, id: string): PressState {
  const press: PressState = {
    id,
    user,
    ...(channel === undefined ? {} : { channel }),
    acked: false,
    atMs: state.nowMs,
    responses: [],
    uses: 0,
    seen: state.ephemerals.length,
  };
  state.presses.set(id, press);
  return press;
}

const origins: WeakMap<PressState, string> = new WeakMap();

function urlOf(state: SlackState, press: PressState): string {
  return `${state.url}/actions/${state.options.teamId}/${press.id}/response`;
}

function heads(state: SlackState, user: string): { team: { id: string; domain: string }; user: UserHead; more: Loose } {
  const { name, team } = state.person(user);
  const { teamId, teamName } = state.options;
  return {
    team: { id: teamId, domain: teamName },
    user: { id: user, username: name.toLowerCase(), name: name.toLowerCase(), team_id: team },
    more: { enterprise: null, is_enterprise_install: false },
  };
}

interface UserHead {
  id: string;
  username: string;
  name: string;
  team_id: string;
}

export function findButton(buttons: readonly ShownButton[], wanted: string): ShownButton | undefined {
  return (
    buttons.find((one) => one.label === wanted) ??
    buttons.find((one) => one.data !== undefined && one.data === wanted) ??
    buttons.find((one) => one.actionId === wanted)
  );
}

/** Presses a button or picks an option, by its label or value. Answers the press's id. */
export function press(state: SlackState, channelId: string, user: string, ts: string, wanted: string): string {
  const shown = state.ephemerals.find((one) => one.id === ts) ?? ownedBy(state, channelId, ts).stored.shown;
  const button = findButton(shown.buttons.flat(), wanted);
  if (!button) {
    const there = shown.buttons.flat().map((one) => `"${one.label}" (${one.data ?? one.url ?? ""})`);
    throw new Error(`No button "${wanted}" on message ${ts}; there are: ${there.join(", ") || "none"}`);
  }
  return pressButton(state, channelId, user, ts, button);
}

/** A press with a value of one's own, as on a message that has other buttons by now. */
export function pressData(state: SlackState, channelId: string, user: string, ts: string, data: string): string {
  const shown = state.channels.get(channelId)?.messages.get(ts)?.shown;
  const everything = shown ? [shown, ...shown.edits].flatMap((version) => version.buttons.flat()) : [];
  const known = everything.find((one) => one.data === data);
  return pressButton(state, channelId, user, ts, known ?? { label: "Gone", data, actionId: data });
}

function action(state: SlackState, button: ShownButton): BlockAction["actions"][number] {
  const { label, data, url } = button;
  const text = { type: "plain_text" as const, text: label, emoji: true };
  const common = {
    action_id: button.actionId ?? "aaaaa",
    block_id: button.blockId ?? blockId(state),
    action_ts: state.ts(),
  };
  if (button.select) {
    return { type: "static_select", ...common, selected_option: { text, value: data ?? "" } };
  }
  return {
    type: "button",
    ...common,
    text,
    ...(data === undefined ? {} : { value: data }),
    ...(url === undefined ? {} : { url }),
  };
}

function pressButton(state: SlackState, channelId: string, user: string, ts: string, button: ShownButton): string {
  return act(state, channelId, user, ts, action(state, button));
}

/**
 * Sets what is picked in the message's menu of several, by labels or values, as one does by and by. An app hears of it each time,
 * except where the menu stands in an `input` block that doesn't ask for that. Answers the ids of what was told.
 */
export function pick(
  state: SlackState,
  channelId: string,
  user: string,
  ts: string,
  names: readonly string[],
): string[] {
  const { stored } = ownedBy(state, channelId, ts);
  const menu = findMenu((stored.api.blocks ?? []) as unknown as Loose[]);
  if (!menu) throw new Error(`Message ${ts} has no menu to pick several from`);
  const { block, element } = menu;
  const isTold = block["type"] !== "input" || block["dispatch_action"] === true;
  const told: string[] = [];
  for (let count = names.length === 0 ? 0 : 1; count <= names.length; count++) {
    const value = setPicked(state, user, ts, menu, names.slice(0, count));
    if (!isTold) continue;
    told.push(
      act(state, channelId, user, ts, {
        type: "multi_static_select",
        action_id: String(element["action_id"]),
        block_id: String(block["block_id"]),
        action_ts: state.ts(),
        selected_options: value.selected_options ?? [],
      }),
    );
  }
  return told;
}

function act(
  state: SlackState,
  channelId: string,
  user: string,
  ts: string,
  done: BlockAction["actions"][number],
): string {
  const channel = state.channel(channelId);
  const stored = channel.messages.get(ts);
  const ephemeral = state.ephemerals.find((one) => one.id === ts);
  const thread = stored?.api.thread_ts ?? ephemeral?.thread;
  const pressed = newPress(state, user, channelId, state.trigger(user));
  origins.set(pressed, ts);
  const { team, user: who, more } = heads(state, user);
  const payload = {
    type: "block_actions",
    user: who,
    api_app_id: state.options.appId,
    token: "verification-token",
    container: {
      type: "message",
      message_ts: ts,
      channel_id: channelId,
      is_ephemeral: ephemeral !== undefined,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    },
    trigger_id: pressed.id,
    team,
    ...more,
    channel: { id: channelId, name: channel.name },
    // What only one person sees is not sent along.
    ...(stored ? { message: structuredClone(stored.api) as BlockAction["message"] & object } : {}),
    state: { values: valuesOf(state, user, ts, (stored?.api.blocks ?? []) as unknown as Loose[]) },
    response_url: urlOf(state, pressed),
    actions: [done],
  } satisfies Omit<BlockAction, "enterprise">;
  emit(state, "interactive", payload, pressed);
  return pressed.id;
}

/** A button on the app's home or in the open modal. */
export function pressInView(state: SlackState, user: string, viewId: string, button: ShownButton): string {
  const view = state.views.get(viewId);
  if (!view) throw new Error(`No view ${viewId}`);
  const pressed = newPress(state, user, undefined, state.trigger(user));
  const { team, user: who, more } = heads(state, user);
  emit(
    state,
    "interactive",
    {
      type: "block_actions",
      user: who,
      api_app_id: state.options.appId,
      token: "verification-token",
      container: { type: "view", view_id: viewId },
      trigger_id: pressed.id,
      team,
      ...more,
      view: structuredClone(view.api),
      actions: [action(state, button)],
    },
    pressed,
  );
  return pressed.id;
}

/** Sends the open modal with what was filled in, by label, block_id or action_id. Answers the submission's id. */
export function submit(state: SlackState, viewId: string, fields: Readonly<Record<string, Given>>): string {
  const view = state.views.get(viewId);
  if (!view) throw new Error(`No view ${viewId}`);
  const values: Values = {};
  const left = new Set(Object.keys(fields));
  for (const block of view.api["blocks"] as Loose[]) {
    if (block["type"] !== "input") continue;
    const element = block["element"] as Loose;
    const label = String((block["label"] as Loose)["text"]);
    const names = [label, String(block["block_id"]), String(element["action_id"])];
    const name = names.find((one) => left.has(one));
    if (name !== undefined) left.delete(name);
    const value = valueOf(state, view.user, element, name === undefined ? undefined : fields[name]);
    if (isEmpty(value) && block["optional"] !== true) throw new Error(`The field "${label}" must be filled in`);
    const { min_length: min, max_length: max } = element;
    const length = value.value?.length ?? 0;
    if (typeof max === "number" && length > max) {
      throw new Error(`The field "${label}" takes no more than ${max} characters`);
    }
    if (typeof min === "number" && length > 0 && length < min) {
      throw new Error(`The field "${label}" takes no less than ${min} characters`);
    }
    values[String(block["block_id"])] = { [String(element["action_id"])]: value };
  }
  if (left.size > 0) throw new Error(`The form has no field ${[...left].join(", ")}`);
  const pressed = newPress(state, view.user, undefined, state.trigger(view.user));
  submitted.set(pressed, viewId);
  const { team, user, more } = heads(state, view.user);
  const payload = {
    type: "view_submission",
    team,
    user,
    api_app_id: state.options.appId,
    token: "verification-token",
    trigger_id: pressed.id,
    view: { ...structuredClone(view.api), state: { values } } as unknown as ViewSubmitAction["view"],
    response_urls: [],
    ...more,
  } satisfies Omit<ViewSubmitAction, "enterprise">;
  emit(state, "interactive", payload, pressed);
  return pressed.id;
}

const submitted: WeakMap<PressState, string> = new WeakMap();

export function closeModal(state: SlackState, viewId: string): void {
  const view = state.views.get(viewId);
  if (!view) return;
  const left = (state.modals.get(view.user) ?? []).filter((id) => id !== viewId);
  state.modals.set(view.user, left);
  state.watch.changed();
}

/** The person closes the modal; the app hears of it only when it asked to. */
export function dismiss(state: SlackState, viewId: string): void {
  const view = state.views.get(viewId) as ViewState;
  closeModal(state, viewId);
  if (view.api["notify_on_close"] !== true) return;
  const { team, user, more } = heads(state, view.user);
  emit(state, "interactive", {
    type: "view_closed",
    team,
    user,
    api_app_id: state.options.appId,
    token: "verification-token",
    view: structuredClone(view.api),
    is_cleared: false,
    ...more,
  });
}

export function command(state: SlackState, channelId: string, user: string, text: string, name?: string): string {
  const channel = state.channel(channelId);
  const pressed = newPress(state, user, channelId, state.trigger(user));
  const { teamId, teamName, appId, slashCommand } = state.options;
  const payload = {
    token: "verification-token",
    team_id: teamId,
    team_domain: teamName,
    channel_id: channelId,
    channel_name: channel.name,
    user_id: user,
    user_name: state.person(user).name.toLowerCase(),
    command: name ?? slashCommand,
    text,
    api_app_id: appId,
    is_enterprise_install: "false",
    response_url: urlOf(state, pressed),
    trigger_id: pressed.id,
  } satisfies SlashCommand;
  emit(state, "slash_commands", payload, pressed);
  return pressed.id;
}

/** The message shortcut, from the menu of a message. */
export function shortcut(state: SlackState, channelId: string, user: string, ts: string, callbackId?: string): string {
  const { channel, stored } = ownedBy(state, channelId, ts);
  const pressed = newPress(state, user, channelId, state.trigger(user));
  const { team, user: who, more } = heads(state, user);
  const payload = {
    type: "message_action",
    token: "verification-token",
    action_ts: state.ts(),
    team,
    user: who,
    channel: { id: channelId, name: channel.name },
    ...more,
    callback_id: callbackId ?? state.options.shortcutCallbackId,
    trigger_id: pressed.id,
    response_url: urlOf(state, pressed),
    message_ts: ts,
    message: structuredClone(stored.api) as MessageShortcut["message"],
    api_app_id: state.options.appId,
  } satisfies Omit<MessageShortcut, "enterprise"> & { api_app_id: string };
  emit(state, "interactive", payload, pressed);
  return pressed.id;
}

/** What an acknowledgement's payload does: words for who pressed, or the modal's fate. */
export function acknowledged(state: SlackState, press: PressState): void {
  const viewId = submitted.get(press);
  const { payload, channel } = press;
  if (viewId !== undefined) {
    const act = payload?.["response_action"];
    if (act === undefined) closeModal(state, viewId);
    if (act === "clear") state.modals.set(press.user, []);
    if (act === "update" || act === "push") {
      const view = state.views.get(viewId);
      if (view && typeof payload?.["view"] === "object") Object.assign(view.api, payload["view"]);
    }
    return;
  }
  if (payload === undefined || channel === undefined) return;
  if (typeof payload["text"] !== "string" && !Array.isArray(payload["blocks"])) return;
  respond(state, channel, press.user, new Params(payload), origins.get(press));
}

/** A post to a response_url: the HTTP status to answer with. */
export function postResponse(state: SlackState, id: string, body: Loose): { status: number; error?: string } {
  const press = state.presses.get(id);
  if (!press?.channel) return { status: 404, error: "invalid_url" };
  if (state.nowMs - press.atMs > responseUrl.lifeMs) return { status: 404, error: "expired_url" };
  if (press.uses >= responseUrl.uses) return { status: 404, error: "used_url" };
  press.uses += 1;
  press.responses.push(body);
  respond(state, press.channel, press.user, new Params(body), origins.get(press));
  state.watch.changed();
  return { status: 200 };
}
