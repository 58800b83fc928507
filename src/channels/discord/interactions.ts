// What a press, a command or a form means. Pure, as all reading.
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Part, Room, Untrusted } from "../../core/message.ts";
import { contentOf, nameOf } from "./content.ts";
import { DM_CHANNEL, INTERACTION, MESSAGE_COMMAND, timeOf } from "./event.ts";
import type { Interaction, Kept, Me } from "./event.ts";
import { filledIn } from "./forms.ts";

/** What begins the id of a button that opens a form: its press is answered with the form, or it is too late for one. */
export const OPENS = "f:";

/** What begins the id of a menu of which several can be picked at once; its key follows, and what was picked is no key. */
export const PICKS = "m:";

/** What begins the id of the form that asks about a message; its channel and the message's id follow. */
export const ASKS = "ask:";

/** The field of that form. */
export const ASKED_FIELD = "words";

/** What is needed to answer a press: kept with it, so that it can be answered after a restart as well. */
export type PressRef = {
  readonly id: string;
  readonly token: string;
  readonly application: string;
  readonly chat: string;
  /** When it came, by our clock. */
  readonly at: number;
  /** Its first answer may be a form. */
  readonly opens?: true | undefined;
};

type Pressed = { readonly key: string; readonly opens: boolean; readonly picked?: readonly Untrusted[] };

export function readInteraction(interaction: Interaction, kept: Kept, me: Me): Inbound {
  const from = senderOf(interaction);
  if (from === undefined) return { kind: "malformed", problem: "INTERACTION_CREATE.user: nobody did it" };
  const { type, data } = interaction;
  if (type === INTERACTION.form && data?.custom_id?.startsWith(ASKS)) return readQuestion(interaction, from, kept, me);
  const room = roomOf(interaction, kept);
  if (room === undefined) return { kind: "ignored", because: "an interaction outside any chat of the bot" };
  switch (type) {
    case INTERACTION.command:
      return readCommand(interaction, room, from);
    case INTERACTION.component:
    case INTERACTION.form: {
      const pressed = keyOf(interaction);
      if (pressed === undefined) return { kind: "ignored", because: "a press that carries no data" };
      return {
        kind: "press",
        room,
        from,
        data: pressed.key,
        ref: JSON.stringify(refOf(interaction, kept.at ?? timeOf(interaction.id) ?? 0)),
        ...(interaction.message ? { messageId: interaction.message.id } : {}),
        ...(pressed.picked === undefined ? {} : { picked: pressed.picked }),
        ...(type === INTERACTION.form ? { fields: filledIn(data?.components) } : {}),
      };
    }
    default:
      return { kind: "ignored", because: "an interaction that is not used" };
  }
}

/** The key under a button, under a menu with what was picked of it, or the one that was picked from a row's menu. */
export function keyOf({ data }: Interaction): Pressed | undefined {
  const { custom_id: given, values } = data ?? {};
  if (given?.startsWith(PICKS)) return { key: given.slice(PICKS.length), opens: false, picked: values ?? [] };
  const id = values?.[0] ?? given;
  if (!id) return undefined;
  return id.startsWith(OPENS) ? { key: id.slice(OPENS.length), opens: true } : { key: id, opens: false };
}

export function refOf(interaction: Interaction, at: number): PressRef {
  const { id, token, application_id: application, channel_id: chat } = interaction;
  const opens = interaction.type === INTERACTION.component && keyOf(interaction)?.opens === true;
  return { id, token, application, chat: chat ?? "", at, ...(opens ? { opens } : {}) };
}

function readCommand(interaction: Interaction, room: Room, from: Sender): Inbound {
  const { id, data } = interaction;
  if (data?.type === MESSAGE_COMMAND) return { kind: "ignored", because: "a form was opened for it" };
  if (!data?.name) return { kind: "malformed", problem: "INTERACTION_CREATE.data.name: no command" };
  const args = (data.options ?? []).map(({ value }) => String(value ?? "")).join(" ");
  return {
    kind: "message",
    room,
    from,
    at: timeOf(id) ?? 0,
    // No message has that id.
    messageId: `command:${id}`,
    parts: [],
    addressed: true,
    command: { name: data.name.toLowerCase(), args: args.trim() },
  };
}

/** A question about a message that was picked: said in the private chat, the message brought in as a forward with its author. */
function readQuestion(interaction: Interaction, from: Sender, { about, dm }: Kept, me: Me): Inbound {
  if (!dm) return { kind: "ignored", because: "a question of someone who can't be written to" };
  if (!about) return { kind: "ignored", because: "a question about nothing" };
  const { data } = interaction;
  const id = `ask:${interaction.id}`;
  const room: Room = { platform: "discord", chat: dm, kind: "private" };
  const [, channel = dm] = (data?.custom_id ?? "").split(":");
  const brought = [
    ...(about.message_snapshots ?? []).map(({ message }) => ({ message, author: undefined })),
    { message: about, author: about.author },
  ];
  const forwarded = brought.flatMap(({ message, author }) =>
    contentOf(
      message,
      { channel, message: about.id, ours: { user: me.id } },
      author
        ? { kind: "forwarded", as: "user", from: nameOf(author, undefined), id: author.id }
        : { kind: "forwarded", as: "hidden-user", from: "" },
    ),
  );
  const words = (filledIn(data?.components)[ASKED_FIELD]?.[0] ?? "").trim();
  const own: Part[] = words === "" ? [] : [{ kind: "text", messageId: id, origin: { kind: "own" }, text: words }];
  const parts = [...forwarded.map((part) => ({ ...part, messageId: id })), ...own];
  if (parts.length === 0) return { kind: "ignored", because: "nothing in it to answer" };
  return { kind: "message", room, from, at: timeOf(interaction.id) ?? 0, messageId: id, parts, addressed: true };
}

function senderOf({ member, user }: Interaction): Sender | undefined {
  const who = member?.user ?? user;
  if (!who) return undefined;
  return { id: who.id, name: nameOf(who, member), bot: who.bot === true };
}

/**
 * Where it happened. A direct message of other people, into which somebody called the bot, is typed like one with the bot; only the
 * context tells them apart, and the bot may not write there.
 */
function roomOf(interaction: Interaction, { place }: Kept): Room | undefined {
  const { channel_id: chat, channel, guild_id: guild, context } = interaction;
  if (!chat || (context ?? 0) > 1) return undefined;
  const isPrivate = !guild && (channel?.type ?? place?.type) === DM_CHANNEL;
  return { platform: "discord", chat, kind: isPrivate ? "private" : "shared" };
}
