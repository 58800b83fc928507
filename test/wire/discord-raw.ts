// Recorded dispatches in the loopback Discord: what they show becomes part of the channel, so that the bot
// can answer there, edit its own message under a press and respond to the press.
import { ChannelType } from "discord-api-types/v10";
import type { APIChannel, APIMessage, APIUser } from "discord-api-types/v10";
import { shownOf } from "./discord-content.ts";
import type { World } from "./discord-interactions.ts";
import type { ChannelState, DiscordState, Dispatch } from "./discord-state.ts";

type Raw = Record<string, unknown>;

/** The place an event speaks of, made as well as the event tells. */
function placeOf(state: DiscordState, id: string, d: Raw, about: Raw | undefined): ChannelState {
  const known = state.channels.get(id);
  if (known) return known;
  const guildId = d["guild_id"] as string | undefined;
  if (guildId !== undefined && !state.guilds.has(guildId)) state.addGuild(guildId, "Guild", "1");
  const type = (about?.["type"] ??
    d["channel_type"] ??
    (guildId === undefined ? ChannelType.DM : ChannelType.GuildText)) as number;
  const api = {
    type,
    name: guildId === undefined ? null : "recorded",
    last_message_id: null,
    flags: 0,
    ...(guildId === undefined ? {} : { guild_id: guildId, position: 0, permission_overwrites: [] }),
    ...about,
    id,
  } as unknown as APIChannel;
  return state.addChannel(api, guildId);
}

function keepMessage(state: DiscordState, channel: ChannelState, api: APIMessage): void {
  const whole: APIMessage = { ...emptyMessage, ...api, channel_id: channel.api.id };
  const known = channel.messages.get(api.id);
  if (known) known.api = { ...known.api, ...api };
  else if (whole.author.id !== "") state.store(channel, { api: whole, shown: shownOf(state, whole, []) });
}

const emptyMessage = {
  author: { id: "", username: "", discriminator: "0", global_name: null, avatar: null } as APIUser,
  content: "",
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  components: [],
};

function keep(state: DiscordState, t: string, d: Raw): void {
  const id = d["channel_id"];
  if (t === "THREAD_CREATE") {
    placeOf(state, d["id"] as string, d, d);
    return;
  }
  if (typeof id !== "string") return;
  const channel = placeOf(state, id, d, d["channel"] as Raw | undefined);
  if (t === "MESSAGE_CREATE" || t === "MESSAGE_UPDATE") {
    const author = d["author"] as APIUser | undefined;
    if (author) state.users.set(author.id, { ...state.users.get(author.id), ...author });
    keepMessage(state, channel, d as unknown as APIMessage);
  }
  if (t === "MESSAGE_DELETE") channel.messages.delete(d["id"] as string);
  if (t === "INTERACTION_CREATE") keepInteraction(state, channel, d);
}

function keepInteraction(state: DiscordState, channel: ChannelState, d: Raw): void {
  const member = d["member"] as { user: APIUser } | undefined;
  const user = (d["user"] as APIUser | undefined) ?? member?.user;
  const message = d["message"] as APIMessage | undefined;
  if (message) keepMessage(state, channel, message);
  const kinds: Record<number, "command" | "press" | "submit"> = { 2: "command", 3: "press", 5: "submit" };
  state.interactions.set(d["id"] as string, {
    id: d["id"] as string,
    token: d["token"] as string,
    kind: kinds[d["type"] as number] ?? "press",
    userId: user?.id ?? "",
    channelId: channel.api.id,
    ...(message ? { messageId: message.id } : {}),
    createdMs: state.nowMs,
    delivered: true,
    awaitsFill: false,
    ephemeral: false,
    answers: [],
    dispatch: d,
  });
}

/** Hands a dispatch to every session as it is, whatever its intents. */
export function pushRaw({ state, gateway }: World, dispatch: Dispatch): void {
  const { t, d } = dispatch;
  if (typeof d === "object" && d !== null) keep(state, t, d as Raw);
  gateway.dispatch({ t, d });
  state.watch.changed();
}
