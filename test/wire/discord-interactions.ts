// Interactions of the loopback Discord: the first response within 3 s and once only, then messages by the
// interaction's token for 15 minutes; answers that only who pressed can see; forms.
import { InteractionResponseType, InteractionType, MessageFlags, MessageType } from "discord-api-types/v10";
import type { APIMessage, RESTPostAPIInteractionCallbackWithResponseResult } from "discord-api-types/v10";
import { draftMessage, editStored, gatewayMessage, restMessage } from "./discord-content.ts";
import type { Body, Given } from "./discord-content.ts";
import type { Gateway } from "./discord-gateway.ts";
import { readModal } from "./discord-modals.ts";
import { invalidForm, problem, refusalOf } from "./discord-refusal.ts";
import type { ChannelState, DiscordState, InteractionState, Stored } from "./discord-state.ts";

export interface World {
  state: DiscordState;
  gateway: Gateway;
}

const kindNumber: Record<InteractionState["kind"], InteractionType> = {
  command: InteractionType.ApplicationCommand,
  shortcut: InteractionType.ApplicationCommand,
  press: InteractionType.MessageComponent,
  submit: InteractionType.ModalSubmit,
};

/** POST /interactions/{id}/{token}/callback. */
export function callback(world: World, id: string, token: string, given: Given, withResponse: boolean): unknown {
  const { state } = world;
  const interaction = state.interactions.get(id);
  if (!interaction || interaction.token !== token) throw refusalOf(10_062);
  if (interaction.callback) throw refusalOf(40_060);
  if (state.nowMs - interaction.createdMs > state.options.callbackLimitMs) throw refusalOf(10_062);
  const type = given.body["type"] as InteractionResponseType;
  const data = (given.body["data"] ?? {}) as Body;
  const inner: Given = { body: data, files: given.files };
  const channel = state.channels.get(interaction.channelId);
  if (!channel) throw refusalOf(10_003);
  const flags = Number(data["flags"] ?? 0) & MessageFlags.Ephemeral;
  let message: APIMessage | undefined;
  switch (type) {
    case InteractionResponseType.ChannelMessageWithSource:
      message = addAnswer(world, interaction, channel, inner, flags).api;
      interaction.originalId = message.id;
      break;
    case InteractionResponseType.DeferredChannelMessageWithSource: {
      const loading = flags | MessageFlags.Loading;
      message = addAnswer(world, interaction, channel, { body: {}, files: {} }, loading).api;
      interaction.originalId = message.id;
      interaction.awaitsFill = true;
      break;
    }
    case InteractionResponseType.DeferredMessageUpdate:
    case InteractionResponseType.UpdateMessage: {
      const under = interaction.messageId;
      if (under === undefined) throw wrongType(type);
      if (type === InteractionResponseType.UpdateMessage) change(world, under, interaction, inner);
      interaction.originalId = under;
      break;
    }
    case InteractionResponseType.Modal:
      if (interaction.kind === "submit") throw wrongType(type);
      state.modals.set(interaction.userId, {
        interactionId: id,
        userId: interaction.userId,
        data: readModal(data),
      });
      break;
    default:
      throw wrongType(type);
  }
  interaction.ephemeral = flags !== 0;
  interaction.callback = { type, data, atMs: state.nowMs };
  state.watch.changed();
  if (!withResponse) return undefined;
  return {
    interaction: {
      id,
      type: kindNumber[interaction.kind],
      response_message_id: message?.id ?? interaction.originalId ?? "",
      response_message_loading: interaction.awaitsFill,
      response_message_ephemeral: interaction.ephemeral,
    },
    resource: { type, ...(message ? { message: restMessage(state, message) } : {}) },
  } satisfies RESTPostAPIInteractionCallbackWithResponseResult;
}

function wrongType(type: number): Error {
  return invalidForm(problem("type", "BASE_TYPE_CHOICES", `A response of type ${type} does not fit this interaction.`));
}

/** A message in answer to an interaction, for everyone or only for who acted. */
function addAnswer(
  { state, gateway }: World,
  interaction: InteractionState,
  channel: ChannelState,
  given: Given,
  flags: number,
): Stored {
  const first = interaction.callback === undefined;
  const stored = draftMessage(state, channel, given, {
    flags,
    fields: {
      application_id: state.me.id,
      webhook_id: state.me.id,
      ...(first && interaction.kind === "command" ? { type: MessageType.ChatInputCommand } : {}),
      ...(first && interaction.kind === "shortcut" ? { type: MessageType.ContextMenuCommand } : {}),
      interaction_metadata: metadataOf(state, interaction),
    },
  });
  interaction.answers.push(stored.shown);
  if ((flags & MessageFlags.Ephemeral) !== 0) {
    state.ephemerals.set(stored.shown.id, stored);
    state.watch.changed();
    return stored;
  }
  state.store(channel, stored);
  gateway.dispatchMessage("MESSAGE_CREATE", gatewayMessage(state, channel, stored.api));
  return stored;
}

function metadataOf(
  state: DiscordState,
  interaction: InteractionState,
): NonNullable<APIMessage["interaction_metadata"]> {
  const user = state.users.get(interaction.userId) ?? state.addUser(interaction.userId);
  const head = { id: interaction.id, user, authorizing_integration_owners: {} };
  if (interaction.kind === "press") {
    return { ...head, type: InteractionType.MessageComponent, interacted_message_id: interaction.messageId ?? "" };
  }
  if (interaction.kind === "submit") {
    return {
      ...head,
      type: InteractionType.ModalSubmit,
      triggering_interaction_metadata: { ...head, type: InteractionType.ApplicationCommand },
    };
  }
  return { ...head, type: InteractionType.ApplicationCommand };
}

/** Edits a message by an interaction: one in a channel, or one that only a person sees. */
function change({ state, gateway }: World, id: string, interaction: InteractionState, given: Given): APIMessage {
  const channel = state.channels.get(interaction.channelId);
  const inChannel = channel?.messages.get(id);
  const stored = inChannel ?? state.ephemerals.get(id);
  if (!channel || !stored) throw refusalOf(10_008);
  editStored(state, channel, stored, given);
  if (inChannel) gateway.dispatchMessage("MESSAGE_UPDATE", gatewayMessage(state, channel, stored.api));
  state.watch.changed();
  return stored.api;
}

/** The interaction behind a webhook's token; the token is good for 15 minutes after the first response. */
function byToken({ state }: World, app: string, token: string): InteractionState {
  if (app !== state.me.id) throw refusalOf(10_015);
  const interaction = [...state.interactions.values()].find((one) => one.token === token);
  // Before the first response there is no such webhook.
  if (!interaction?.callback) throw refusalOf(10_015);
  if (state.nowMs - interaction.createdMs > state.options.tokenLifeMs) throw refusalOf(50_027);
  return interaction;
}

/** POST /webhooks/{app}/{token}. */
export function followUp(world: World, app: string, token: string, given: Given): APIMessage {
  const { state } = world;
  const interaction = byToken(world, app, token);
  const channel = state.channels.get(interaction.channelId);
  if (!channel) throw refusalOf(10_003);
  // The first one fills the place that "is thinking" holds.
  if (interaction.awaitsFill && interaction.originalId !== undefined) {
    interaction.awaitsFill = false;
    return restMessage(state, change(world, interaction.originalId, interaction, given));
  }
  const flags = Number(given.body["flags"] ?? 0) & MessageFlags.Ephemeral;
  return restMessage(state, addAnswer(world, interaction, channel, given, flags).api);
}

/** The message a webhook's route names, `@original` included. */
function named(world: World, interaction: InteractionState, name: string): { id: string; stored: Stored } {
  const { state } = world;
  const id = name === "@original" ? interaction.originalId : name;
  const stored =
    id === undefined
      ? undefined
      : (state.channels.get(interaction.channelId)?.messages.get(id) ?? state.ephemerals.get(id));
  if (id === undefined || !stored) throw refusalOf(10_008);
  return { id, stored };
}

export function readOriginal(world: World, app: string, token: string, name: string): APIMessage {
  const interaction = byToken(world, app, token);
  return restMessage(world.state, named(world, interaction, name).stored.api);
}

export function editOriginal(world: World, app: string, token: string, name: string, given: Given): APIMessage {
  const interaction = byToken(world, app, token);
  const { id } = named(world, interaction, name);
  if (id === interaction.originalId) interaction.awaitsFill = false;
  return restMessage(world.state, change(world, id, interaction, given));
}

export function deleteOriginal(world: World, app: string, token: string, name: string): void {
  const { state, gateway } = world;
  const interaction = byToken(world, app, token);
  const { id } = named(world, interaction, name);
  const channel = state.channels.get(interaction.channelId);
  if (channel?.messages.delete(id) === true) {
    gateway.dispatchDeletion(channel, [id]);
  }
  state.ephemerals.delete(id);
  state.watch.changed();
}
