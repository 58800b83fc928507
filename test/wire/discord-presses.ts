// What people press in the loopback Discord: buttons and menus, slash commands, message commands, forms.
// Each makes an INTERACTION_CREATE (compare test/fixtures/discord), which is delivered once and never again.
import {
  ApplicationCommandType,
  ChannelType,
  ComponentType,
  InteractionContextType,
  InteractionType,
  Locale,
} from "discord-api-types/v10";
import type { APIApplicationCommand, APIBaseInteraction, APIChannel } from "discord-api-types/v10";
import { listOf } from "./discord-components.ts";
import type { Raw } from "./discord-components.ts";
import { typedOptions } from "./discord-commands.ts";
import type { World } from "./discord-interactions.ts";
import { entered, modalFields, submittedRows, valuesOf } from "./discord-modals.ts";
import type { Entries, ModalField, ModalOption } from "./discord-modals.ts";
import { channelOf, personOf, resolvedMessage } from "./discord-people.ts";
import { isThread, memberOf, noFlags } from "./discord-state.ts";
import type { ChannelState, DiscordState, InteractionState, Stored } from "./discord-state.ts";

const everything = "2251799813685247";

interface Wanted {
  kind: InteractionState["kind"];
  channelId: string;
  userId: string;
  type: InteractionType;
  data: Record<string, unknown>;
  message?: Stored;
}

/** Makes the interaction and hands it to the sessions; answers its id. */
function interact(world: World, wanted: Wanted): string {
  const { state, gateway } = world;
  const channel = channelOf(state, wanted.channelId);
  const id = state.nextId();
  const token = `interaction-token-${id}`;
  const user = personOf(state, wanted.userId);
  const guild = channel.guildId === undefined ? undefined : state.guilds.get(channel.guildId);
  const under = wanted.message
    ? { message: { ...resolvedMessage(state, wanted.message), channel_type: channel.api.type } }
    : {};
  const dispatch = {
    id,
    application_id: state.me.id,
    type: wanted.type,
    token,
    version: 1,
    // oxlint-disable-next-line typescript/no-deprecated -- every live event has it beside `channel`
    channel_id: channel.api.id,
    channel: partialChannel(channel),
    data: wanted.data,
    ...under,
    ...(guild
      ? {
          guild_id: guild.id,
          guild: { id: guild.id, features: [], locale: Locale.EnglishUS },
          guild_locale: Locale.EnglishUS,
          member: { ...memberOf(state, guild, user.id), permissions: everything, user },
        }
      : { user }),
    app_permissions: everything,
    locale: Locale.EnglishUS,
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: guild ? { "0": guild.id } : { "0": "0" },
    context: contextOf(channel),
    attachment_size_limit: 10_485_760,
  } satisfies APIBaseInteraction<InteractionType, unknown> & { entitlement_sku_ids: string[] };
  const interaction: InteractionState = {
    id,
    token,
    kind: wanted.kind,
    userId: user.id,
    channelId: channel.api.id,
    ...(wanted.message ? { messageId: wanted.message.shown.id } : {}),
    createdMs: state.nowMs,
    delivered: false,
    awaitsFill: false,
    ephemeral: false,
    answers: [],
    dispatch,
  };
  state.interactions.set(id, interaction);
  interaction.delivered = gateway.dispatch({ t: "INTERACTION_CREATE", d: dispatch });
  state.watch.changed();
  // Unanswered so long it has failed, which is something to be seen.
  setTimeout(() => state.watch.changed(), state.options.callbackLimitMs + 1).unref();
  return id;
}

function contextOf({ api, guildId }: ChannelState): InteractionContextType {
  if (guildId !== undefined) return InteractionContextType.Guild;
  return api.type === ChannelType.DM ? InteractionContextType.BotDM : InteractionContextType.PrivateChannel;
}

/** With what live events have beside the type package's fields. */
type EventChannel = Partial<APIChannel> & Pick<APIChannel, "id" | "type"> & { permissions?: string };

function partialChannel(channel: ChannelState): EventChannel {
  const { api } = channel;
  if (channel.guildId === undefined) {
    const last = "last_message_id" in api ? api.last_message_id : null;
    return { id: api.id, type: api.type, flags: noFlags, last_message_id: last };
  }
  return {
    ...(isThread(channel) ? { ...channel.api, member_ids_preview: [channel.api.owner_id] } : {}),
    id: api.id,
    type: api.type,
    name: api.name,
    guild_id: channel.guildId,
    permissions: everything,
    ...("parent_id" in api ? { parent_id: api.parent_id } : {}),
    ...(isThread(channel) ? { member_count: 2 } : {}),
  } as EventChannel;
}

/** The message in its channel, or one that only this person sees. */
function messageIn(state: DiscordState, channelId: string, id: string): Stored {
  const stored = channelOf(state, channelId).messages.get(id) ?? state.ephemerals.get(id);
  if (!stored) throw new Error(`No message ${id} in channel ${channelId}`);
  return stored;
}

/** Presses a button, or picks a menu's option, by its label or its data. */
export function press(world: World, channelId: string, userId: string, id: string, button: string): string {
  const stored = messageIn(world.state, channelId, id);
  const buttons = stored.shown.buttons.flat();
  const found = buttons.find((one) => one.label === button) ?? buttons.find((one) => one.data === button);
  if (found?.data === undefined || found.disabled) {
    const there = buttons.map((one) => `"${one.label}" (${one.data ?? one.url ?? ""})`).join(", ");
    throw new Error(`No button "${button}" to press on message ${id}; there are: ${there || "none"}`);
  }
  return pressData(world, channelId, userId, id, found.data);
}

/** A press with any data, also on a message that does not have it any more. */
export function pressData(world: World, channelId: string, userId: string, id: string, data: string): string {
  const stored = messageIn(world.state, channelId, id);
  const option = stored.shown.buttons.flat().find((one) => one.data === data && one.select !== undefined);
  return interact(world, {
    kind: "press",
    channelId,
    userId,
    type: InteractionType.MessageComponent,
    message: stored,
    data:
      option?.select === undefined
        ? { component_type: ComponentType.Button, custom_id: data, id: 2 }
        : { component_type: ComponentType.StringSelect, custom_id: option.select, values: [data], id: 2 },
  });
}

/** Picks options of a message's menu, by label or value; the app sends them when the menu is closed. */
export function pick(world: World, channelId: string, userId: string, id: string, wanted: readonly string[]): string {
  const stored = messageIn(world.state, channelId, id);
  const menus = listOf(stored.api.components)
    .flatMap((row) => listOf(row["components"]))
    .filter((part) => part["type"] === ComponentType.StringSelect && part["disabled"] !== true);
  const holds = (menu: Raw): boolean =>
    wanted.every((one) => listOf(menu["options"]).some(({ label, value }) => label === one || value === one));
  const menu = menus.find(holds) ?? menus[0];
  if (menu === undefined) throw new Error(`No menu on message ${id}`);
  const values = valuesOf(listOf(menu["options"]) as unknown as ModalOption[], wanted);
  const { min_values: min = 1, max_values: max = 1, custom_id } = menu;
  if (values.length < Number(min) || values.length > Number(max))
    throw new Error(`The menu takes ${String(min)} to ${String(max)}, not ${values.length}`);
  return interact(world, {
    kind: "press",
    channelId,
    userId,
    type: InteractionType.MessageComponent,
    message: stored,
    data: { component_type: ComponentType.StringSelect, custom_id, values, id: menu["id"] },
  });
}

function registered(
  state: DiscordState,
  type: ApplicationCommandType,
  name: string,
  inGuild: boolean,
): APIApplicationCommand {
  const found = state.commands.find((one) => one.type === type && one.name === name);
  const context = inGuild ? InteractionContextType.Guild : InteractionContextType.BotDM;
  const hidden = found?.contexts ? !found.contexts.includes(context) : false;
  if (!found || hidden) {
    const there = state.commands.filter((one) => one.type === type).map((one) => one.name);
    throw new Error(
      `No command "${name}" ${hidden ? "in this place" : "is registered"}; there are: ${there.join(", ") || "none"}`,
    );
  }
  return found;
}

/** A slash command as typed: its name and the words for its options. */
export function command(world: World, channelId: string, userId: string, typed: string): string {
  const { state } = world;
  const [, name = "", words = ""] = /^\/?(\S+)\s*([\s\S]*)$/.exec(typed) ?? [];
  const inGuild = channelOf(state, channelId).guildId !== undefined;
  const found = registered(state, ApplicationCommandType.ChatInput, name, inGuild);
  const options = typedOptions(found, words);
  return interact(world, {
    kind: "command",
    channelId,
    userId,
    type: InteractionType.ApplicationCommand,
    data: { id: found.id, name, type: ApplicationCommandType.ChatInput, ...(options.length > 0 ? { options } : {}) },
  });
}

/** A message command from a message's menu; without a name, the only one there is. */
export function shortcut(world: World, channelId: string, userId: string, id: string, name?: string): string {
  const { state } = world;
  const channel = channelOf(state, channelId);
  const stored = messageIn(state, channelId, id);
  const wanted = name ?? state.commands.find((one) => one.type === ApplicationCommandType.Message)?.name ?? "";
  const found = registered(state, ApplicationCommandType.Message, wanted, channel.guildId !== undefined);
  return interact(world, {
    kind: "shortcut",
    channelId,
    userId,
    type: InteractionType.ApplicationCommand,
    data: {
      id: found.id,
      name: found.name,
      type: ApplicationCommandType.Message,
      target_id: id,
      resolved: { messages: { [id]: resolvedMessage(state, stored) } },
    },
  });
}

export interface ShownModal {
  /** The press that opened it. */
  pressId: string;
  customId: string;
  title: string;
  fields: ModalField[];
}

/** The form that a person has open. */
export function modal(state: DiscordState, userId: string): ShownModal | undefined {
  const open = state.modals.get(userId);
  if (!open) return undefined;
  const { data } = open;
  return { pressId: open.interactionId, customId: data.custom_id, title: data.title, fields: modalFields(data) };
}

/** Sends the open form, with fields by their id or label; what is left out stays as it was. */
export function submit(world: World, who: string, fields: Entries): string {
  const { state } = world;
  const open = [...state.modals.values()].find((one) => one.userId === who || one.interactionId === who);
  const opener = open && state.interactions.get(open.interactionId);
  if (!open || !opener) throw new Error(`No form is open for ${who}`);
  const entries = entered(modalFields(open.data), fields);
  const under =
    opener.messageId === undefined
      ? undefined
      : (state.channels.get(opener.channelId)?.messages.get(opener.messageId) ??
        state.ephemerals.get(opener.messageId));
  state.modals.delete(open.userId);
  return interact(world, {
    kind: "submit",
    channelId: opener.channelId,
    userId: open.userId,
    type: InteractionType.ModalSubmit,
    ...(under ? { message: under } : {}),
    data: { custom_id: open.data.custom_id, components: submittedRows(open.data, entries) },
  });
}
