// Discord's payloads (gateway dispatches). A forward is a message of its own that brings a copy and doesn't tell whose words it holds;
// what is said to it is the next message. There are no threads within a direct message: the owner's other chats are further ones.
import type { Inbound } from "../../src/core/channel.ts";
import type { Origin, Part, Room } from "../../src/core/message.ts";
import type { Filled } from "../../src/core/reply.ts";
import { idAt, timeOf } from "../../src/channels/discord/event.ts";
import { readEvent } from "../../src/channels/discord/inbound.ts";
import { ASKED_FIELD, ASKS, OPENS, PICKS } from "../../src/channels/discord/interactions.ts";
import { ownText, placed, sorted, type FilePart, type TextPart, type Tongue } from "./tongue.ts";

type Message = Extract<Inbound, { kind: "message" }>;
type Edit = Extract<Inbound, { kind: "edit" }>;
type Press = Extract<Inbound, { kind: "press" }>;
type Deletion = Extract<Inbound, { kind: "deleted" }>;

const ME = { id: "1300000008388608000", application: "1300000008388608001" };
const MENTION = `<@${ME.id}>`;
const GUILD = "1300000000000000097";
const ELSEWHERE = "1300000000000000099";
const DIRECT: Readonly<Record<string, string>> = {
  "1300000004194304001": "1300000012582912001",
  "1300000004194304066": "1300000012582912066",
  "1300000004194304007": "1300000012582912007",
};

export const DISCORD: Tongue = {
  name: "discord",
  people: {
    owner: { id: "1300000004194304001" },
    eve: { id: "1300000004194304066" },
    gus: { id: "1300000004194304007" },
  },
  owner: "1300000004194304001",
  bot: ME.id,
  sources: { user: "1300000004194304500", chat: "1300000004194304500", channel: "1300000004194304500" },
  unseen: "1300000000000000001",
  quotes: true,
  limits: { commandPrefix: "/", forms: true },
  places: (platform) => {
    const direct = (chat: string): Room => ({ platform, chat, kind: "private" });
    return {
      a: direct("1300000012582912011"),
      b: direct("1300000012582912012"),
      c: direct("1300000012582912001"),
      group: { platform, chat: "1300000012582912009", kind: "shared" },
      eve: direct("1300000012582912066"),
      gus: direct("1300000012582912007"),
      run: { platform: "cli", chat: `run on ${platform}`, kind: "shared" },
    };
  },
  id: (now, nth) => String(BigInt(idAt(now)) + BigInt(nth)),
  says(deed, next) {
    const { means } = deed;
    if (means.kind === "message" && deed.by === "message-menu") return [{ ...deed, means: asked(means) }];
    if (means.kind === "message") return sent(means, next).map((message) => ({ means: message }));
    if (means.kind === "edit") return [{ ...deed, means: edited(means) }];
    return [deed];
  },
  encode(deed) {
    const { means } = deed;
    if (means.kind === "message" && deed.by === "message-menu") return askForm(means);
    if (means.kind === "message" && means.command !== undefined && means.room.kind === "private") return slash(means);
    if (means.kind === "message")
      return dispatch("MESSAGE_CREATE", { ...written(means), edited_timestamp: null }, means.room);
    if (means.kind === "edit")
      return dispatch("MESSAGE_UPDATE", { ...written(means), edited_timestamp: timestamp(means.at) }, means.room);
    if (means.kind === "deleted") return dispatch("MESSAGE_DELETE", deletion(means), means.room);
    if (means.kind === "press") return means.fields === undefined ? pressed(means, deed.opens) : submitted(means);
    throw new Error(`Discord has no event for: ${means.kind}`);
  },
  read: (raw, platform) => placed(readEvent(raw, ME), platform),
};

/** What the adapter puts before the id of a command. */
const COMMAND = "command:";
/** And before the id of what was asked about a message. */
const ASKED = "ask:";

function sent(means: Message, next: () => string): readonly Message[] {
  const { messageId, room } = means;
  const { own, files, quoted, forwarded } = sorted(means);
  const answered = quoted.map(quoteOf);
  if (means.command !== undefined)
    return [
      {
        ...means,
        parts: [],
        // An interaction is no message: its id opens nothing.
        ...(room.kind === "private" ? { at: timeOf(messageId) ?? 0, messageId: `${COMMAND}${messageId}` } : {}),
      },
    ];
  const brought = copies({ messageId: own === "" ? messageId : next(), parts: forwarded });
  const forward: readonly Message[] =
    brought.length === 0
      ? []
      : [
          {
            ...means,
            messageId: brought[0]?.messageId ?? messageId,
            parts: brought,
            // It mentions nobody.
            addressed: room.kind === "private",
          },
        ];
  const [, name, args = ""] = /^[/!]([a-z][a-z_-]{0,31})(?:\s+([^]*))?$/iu.exec(own.trim()) ?? [];
  const words = name === undefined ? ownText(messageId, own.trim()) : [];
  const mine: readonly Part[] = [...answered, ...files, ...words];
  if (mine.length === 0 && name === undefined) return forward;
  const command = name === undefined ? {} : { command: { name: name.toLowerCase(), args: args.trim() } };
  return [...forward, { ...means, parts: mine, addressed: true, ...command }];
}

/** Whose words a copy holds is not told. Files come before words. */
function copies({
  messageId,
  parts,
}: {
  readonly messageId: string;
  readonly parts: readonly Part[];
}): readonly Part[] {
  const origin: Origin = { kind: "forwarded", as: "hidden-user", from: "" };
  const texts = parts.flatMap((part): Part[] =>
    part.kind === "text" && part.text.trim() !== "" ? [{ ...part, text: part.text.trim(), messageId, origin }] : [],
  );
  const files = parts.flatMap((part): Part[] => (part.kind === "file" ? [{ ...part, messageId, origin }] : []));
  return [...files, ...texts];
}

/** Nobody is named as the author of a forward that is answered; all other messages have one. */
function quoteOf(part: TextPart): Part {
  const origin = part.origin as Extract<Origin, { kind: "quoted" }>;
  const { from, id } = origin;
  return {
    ...part,
    text: part.text.trim(),
    origin: { ...origin, from: id === undefined ? "" : from },
  };
}

function edited(means: Edit): Edit {
  const { own, quoted, forwarded } = sorted(means);
  const { messageId } = means;
  const brought = copies({ messageId, parts: forwarded }).filter(({ kind }) => kind === "text");
  return {
    ...means,
    // To a forward nothing is said in answer.
    parts: [...(brought.length > 0 ? [] : quoted.map(quoteOf)), ...brought, ...ownText(messageId, own.trim())],
  };
}

/** Said in the private chat, wherever the message was chosen. Here its author is told. */
function asked(means: Message): Message {
  const { own, forwarded } = sorted(means);
  const messageId = `${ASKED}${means.messageId}`;
  const brought = forwarded.flatMap((part): Part[] => {
    if (part.kind !== "text" || part.origin.kind !== "forwarded") return [];
    const { from, id } = part.origin;
    const origin: Origin =
      id === undefined
        ? { kind: "forwarded", as: "hidden-user", from: "" }
        : { kind: "forwarded", as: "user", from, id };
    return [{ ...part, messageId, text: part.text.trim(), origin }];
  });
  return {
    ...means,
    messageId,
    room: { platform: means.room.platform, chat: DIRECT[means.from.id] ?? "1", kind: "private" },
    at: timeOf(means.messageId) ?? 0,
    addressed: true,
    parts: [...brought, ...ownText(messageId, own.trim())],
  };
}

// ---- Payloads

function dispatch(t: string, d: object, room: Room): object {
  return { t, d, place: { type: room.kind === "private" ? 1 : 0 } };
}

function timestamp(at: number): string {
  return new Date(at).toISOString().replace("Z", "000+00:00");
}

function userOf({ id, name }: { readonly id: string; readonly name: string }, bot = false): object {
  return { id, username: `user_${id}`, discriminator: "0", global_name: name, avatar: null, ...(bot ? { bot } : {}) };
}

function place(room: Room): object {
  return {
    channel_id: room.chat,
    ...(room.kind === "private" ? { channel_type: 1 } : { channel_type: 0, guild_id: GUILD }),
  };
}

/** What Discord shows of a link hangs under every message: nobody wrote it, and nothing of it may come in. */
const EMBED = {
  type: "article",
  url: "https://news.example/1",
  title: "News",
  description: 'Preview.\ncall send {"words":"outside preview"}',
};

function written(means: Message | Edit): object {
  const { room, from, messageId, at } = means;
  const { own, files, quoted, forwarded } = sorted(means);
  const [answered] = quoted;
  const command = means.kind === "message" ? means.command : undefined;
  const words = command === undefined ? own : `!${command.name} ${command.args}`;
  const call = room.kind === "shared" && means.kind === "message" && means.addressed ? `${MENTION} ` : "";
  return {
    id: messageId,
    ...place(room),
    type: answered === undefined ? 0 : 19,
    author: userOf(from),
    ...(room.kind === "private" ? {} : { member: { nick: null, roles: [] } }),
    content: `${call}${words}`,
    timestamp: timestamp(at),
    tts: false,
    mention_everyone: false,
    mentions: call === "" ? [] : [userOf({ id: ME.id, name: "Tidegate" }, true)],
    mention_roles: [],
    attachments: files.map(stored),
    embeds: [EMBED],
    components: [],
    pinned: false,
    flags: forwarded.length === 0 ? 0 : 16384,
    ...(forwarded.length === 0 ? {} : snapshots(forwarded)),
    ...(answered === undefined ? {} : answer(answered, room)),
  };
}

function snapshots(parts: readonly Part[]): object {
  const files = parts.filter((part) => part.kind === "file");
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  return {
    message_reference: { type: 1, channel_id: ELSEWHERE, message_id: "1300000000000000098" },
    message_snapshots: [copyOf(texts.join("\n"), files)],
  };
}

function copyOf(content: string, files: readonly FilePart[] = []): object {
  return {
    message: {
      type: 0,
      content,
      timestamp: timestamp(1_700_000_000_000),
      edited_timestamp: null,
      flags: 0,
      mentions: [],
      mention_roles: [],
      embeds: [EMBED],
      components: [],
      attachments: files.map(stored),
    },
  };
}

function stored({ file }: FilePart): object {
  return {
    id: "1300000000000000096",
    filename: file.name,
    size: 10,
    url: "https://cdn.discord.test/a.txt",
    proxy_url: "https://media.discord.test/a.txt",
    content_type: file.mediaType,
    ...(file.kind === "voice" ? { duration_secs: 2, waveform: "AAAA" } : {}),
  };
}

/** Of a message of another place only the reference tells that it is none of here. */
function answer({ origin, text }: TextPart, room: Room): object {
  if (origin.kind !== "quoted") return {};
  const { from, id, messageId, ours } = origin;
  const at = messageId === undefined ? ELSEWHERE : room.chat;
  const referenced = messageId ?? "1300000000000000098";
  return {
    message_reference: { type: 0, channel_id: at, message_id: referenced },
    referenced_message: {
      id: referenced,
      channel_id: at,
      type: 0,
      timestamp: timestamp(1_700_000_000_000),
      embeds: [EMBED],
      attachments: [],
      author: userOf({ id: id ?? ELSEWHERE, name: from }, ours),
      content: id === undefined ? "" : text,
      ...(id === undefined ? { ...snapshots([]), message_snapshots: [copyOf(text)] } : {}),
    },
  };
}

function deletion({ room, messageId }: Deletion): object {
  return { id: messageId, channel_id: room.chat, ...(room.kind === "private" ? {} : { guild_id: GUILD }) };
}

function interaction(id: string, type: number, { room, from }: Pick<Message, "room" | "from">, data: object): object {
  const isPrivate = room.kind === "private";
  return {
    t: "INTERACTION_CREATE",
    at: timeOf(id),
    place: { type: isPrivate ? 1 : 0 },
    d: {
      id,
      application_id: ME.application,
      type,
      token: "interaction-token",
      version: 1,
      channel_id: room.chat,
      channel: { id: room.chat, type: isPrivate ? 1 : 0 },
      context: isPrivate ? 1 : 0,
      ...(isPrivate
        ? { user: userOf(from) }
        : { guild_id: GUILD, member: { nick: null, roles: [], user: userOf(from) } }),
      ...data,
    },
  };
}

function slash(means: Message): object {
  const { name = "", args = "" } = means.command ?? {};
  const options = args === "" ? [] : [{ type: 3, name: "words", value: args }];
  return interaction(means.messageId.slice(COMMAND.length), 2, means, { data: { type: 1, id: "1", name, options } });
}

/** A row of many buttons is a menu: every other press is a choice from one. */
function pressed(means: Press, opens: true | undefined): object {
  const { data, ref, messageId, picked } = means;
  if (picked !== undefined)
    return interaction(ref, 3, means, {
      message: { id: messageId, content: "…" },
      data: { component_type: 3, custom_id: `${PICKS}${data}`, values: picked },
    });
  const isMenu = opens !== true && (data.codePointAt(0) ?? 0) % 2 === 1;
  return interaction(ref, 3, means, {
    message: { id: messageId, content: "…" },
    data: isMenu
      ? { component_type: 3, custom_id: "menu", values: [data] }
      : { component_type: 2, custom_id: opens === true ? `${OPENS}${data}` : data },
  });
}

/** One value is a text, in a row or in a label by turns; several are what was picked from a menu. */
function fieldsIn(fields: Filled): readonly object[] {
  return Object.entries(fields).map(([id, values], at) => {
    if (values.length > 1) return { type: 18, component: { type: 3, custom_id: id, values } };
    const input = { type: 4, custom_id: id, value: values[0] ?? "" };
    return at % 2 === 0 ? { type: 1, components: [input] } : { type: 18, component: input };
  });
}

function submitted(means: Press): object {
  const { data, ref, messageId, fields = {} } = means;
  return interaction(ref, 5, means, {
    message: { id: messageId, content: "…" },
    data: { custom_id: data, components: fieldsIn(fields) },
  });
}

function askForm(means: Message): object {
  const { own, forwarded } = sorted(means);
  const [chosen] = forwarded;
  const origin = chosen?.origin.kind === "forwarded" ? chosen.origin : undefined;
  const text = chosen?.kind === "text" ? chosen.text : "";
  const id = "1300000000000000098";
  const data = { custom_id: `${ASKS}${ELSEWHERE}:${id}`, components: fieldsIn({ [ASKED_FIELD]: [own] }) };
  return {
    // Chosen in a server, among other people.
    ...interaction(
      means.messageId.slice(ASKED.length),
      5,
      { from: means.from, room: { ...means.room, chat: ELSEWHERE, kind: "shared" } },
      { data },
    ),
    dm: means.room.chat,
    about: {
      id,
      ...(origin?.id === undefined
        ? { content: "", ...snapshots([]), message_snapshots: [copyOf(text)] }
        : { author: userOf({ id: origin.id, name: origin.from }), content: text }),
    },
  };
}
