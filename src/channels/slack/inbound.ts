// What a Slack update means. Pure: nothing is asked, nothing is remembered, nothing is thrown.
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Part, Room } from "../../core/message.ts";
import { cleanName, contentOf, named, wordsOf } from "./content.ts";
import type { Names } from "./content.ts";
import { isRecord, SHAPES } from "./event.ts";
import type { Before, MessageEvent, Raw, SlackFile, SlackMessage } from "./event.ts";
import { fieldName, homeRoom, ignored, namesOf, parsed, placeOf, senderOf } from "./places.ts";
import type { Me } from "./places.ts";
import { SLACK_COMMAND } from "./manifest.ts";
import { readCommand, readInteraction, slashCommand } from "./pressed.ts";

/** The kinds of message that people write. All others are Slack's own notices: joins, topics, pins and so on. */
const WRITTEN: ReadonlySet<string> = new Set(["", "file_share", "thread_broadcast", "me_message"]);

/** The account that writes Slack's own notices. */
const SLACKBOT = "USLACKBOT";

export function readUpdate(given: unknown, me: Me): Inbound {
  return parsed("raw", SHAPES.raw, given, (raw) => {
    switch (raw.type) {
      case "events_api":
      case "history":
        return readEvent(raw, me);
      case "interactive":
        return readInteraction(raw, me);
      case "slash_commands":
        return parsed("command", SHAPES.command, raw.body, (command) => readCommand(command, raw, me));
    }
  });
}

// ---- Events

function readEvent(raw: Raw, me: Me): Inbound {
  const event = isRecord(raw.body) ? raw.body["event"] : undefined;
  if (!isRecord(event)) return { kind: "malformed", problem: "event: it holds none" };
  const names = namesOf(raw, me);
  switch (event["type"]) {
    case "message":
    case "app_mention":
      return parsed("event", SHAPES.message, event, (message) => {
        if (message.subtype === "message_changed") return readChange(message, names, me);
        if (message.subtype === "message_deleted") return readDeletion(message, me);
        return readMessage(message, names, me);
      });
    case "app_home_opened":
      return parsed("event", SHAPES.home, event, (home) =>
        home.tab === "home"
          ? { kind: "home", room: homeRoom(home.user), from: senderOf(home.user, undefined, names, me) }
          : ignored("the app's messages were opened"),
      );
    default:
      return ignored(`an event that is not used: ${fieldName(event["type"])}`);
  }
}

function readMessage(message: MessageEvent, names: Names, me: Me): Inbound {
  const from = authorOf(message, names, me);
  if (typeof from === "string") return ignored(from);
  // A mention that was put in by an edit: an edit alone starts nothing.
  if (message.type === "app_mention" && message.edited) return ignored("a mention that came by an edit");
  const room = roomOf(message, message.ts, message.thread_ts);
  const words = ownWords(message, names, me);
  const command = commandOf(words);
  const parts = contentOf(message, command === undefined ? words : "", me.teamId, names);
  if (parts.length === 0 && command === undefined) return ignored("nothing in it to answer");
  const roomName = room.kind === "shared" ? named(names, message.channel) : undefined;
  return {
    kind: "message",
    room,
    from,
    at: timeOf(message.ts),
    messageId: message.ts,
    parts,
    ...(roomName === undefined ? {} : { roomName: cleanName(roomName) }),
    addressed: room.kind === "private" || message.type === "app_mention" || speaksTo(message, me),
    // Such words need be no command at all ("!important"): they are handed on as well.
    ...(command === undefined ? {} : { command: { ...command, typed: ownPart(words, message.ts) } }),
  };
}

/**
 * Slack says "changed" for real edits, for links that it unfolds, for titles, for threads that get an answer, and for a message
 * that is deleted while it has a thread. An edit is never a command, and only its words are given, since the files of the message
 * are where they were.
 */
function readChange(event: MessageEvent, names: Names, me: Me): Inbound {
  const { message, previous_message: before } = event;
  if (!message) return { kind: "malformed", problem: "event.message: what was changed is missing" };
  if (message.subtype === "tombstone") {
    return isOurs(before ?? undefined, me)
      ? ignored("our own message")
      : { kind: "deleted", room: roomOf(event, message.ts, message.thread_ts), messageId: message.ts };
  }
  const from = authorOf(message, names, me);
  if (typeof from === "string") return ignored(from);
  const room = roomOf(event, message.ts, message.thread_ts);
  const late = lateFiles(event);
  if (late.length > 0) {
    const parts = contentOf({ ts: message.ts, files: late }, "", me.teamId, names);
    const addressed = room.kind === "private" || speaksTo(message, me);
    return { kind: "message", room, from, at: timeOf(message.ts), messageId: message.ts, parts, addressed };
  }
  const at = message.edited?.ts;
  if (!at || at === before?.edited?.ts) return ignored("a change that is no edit");
  if (before && before.text === message.text) return ignored("an edit that left the words as they were");
  const parts = contentOf(message, ownWords(message, names, me), me.teamId, names).filter(
    ({ kind }) => kind === "text",
  );
  if (parts.length === 0) return ignored("an edit that leaves nothing to read");
  return {
    kind: "edit",
    room,
    from,
    at: timeOf(at),
    messageId: message.ts,
    parts,
  };
}

/** Files of a message that were not there when it came: a slow upload's follow in a change of it. */
export function lateFiles({ message, previous_message: before }: MessageEvent): SlackFile[] {
  if (!message || !before) return [];
  const there = new Set((before.files ?? []).map(({ id }) => id));
  return (message.files ?? []).filter(({ id, mode }) => !there.has(id) && mode !== "tombstone");
}

function readDeletion(event: MessageEvent, me: Me): Inbound {
  const { deleted_ts: ts, previous_message: before } = event;
  if (!ts) return { kind: "malformed", problem: "event.deleted_ts: what was deleted is missing" };
  if (isOurs(before ?? undefined, me)) return ignored("our own message");
  if (before?.bot_id) return ignored("a program's message");
  return { kind: "deleted", room: roomOf(event, ts, before?.thread_ts), messageId: ts };
}

/** A shared place is talked in by threads: a mention at its top level opens one. In a private chat the top level is the place. */
function roomOf(event: MessageEvent, ts: string, thread: string | null | undefined): Room {
  const room = placeOf(event.channel, thread && thread !== ts ? thread : undefined);
  return room.kind === "private" ? room : { ...room, thread: room.thread ?? ts };
}

/** Who wrote it, or why it is nobody to answer. */
function authorOf(message: SlackMessage, names: Names, me: Me): Sender | string {
  if (isOurs(message, me)) return "our own message";
  if (message.bot_id || message.subtype === "bot_message") return "a program's message";
  if (message.user === SLACKBOT) return "a notice of Slack's";
  if (!WRITTEN.has(message.subtype ?? "")) return `a notice: ${fieldName(message.subtype)}`;
  if (!message.user) return "a message that nobody wrote";
  return senderOf(message.user, message.user_team ?? message.team, names, me);
}

function isOurs(message: Before | undefined, me: Me): boolean {
  return (
    (message?.user !== undefined && message.user !== null && message.user === me.userId) ||
    (typeof message?.bot_id === "string" && message.bot_id === me.botId)
  );
}

// ---- Whose words

/** In a shared room: the bot is mentioned, or the thread hangs on one of our own messages. */
export function speaksTo(message: Before, me: Me): boolean {
  return me.userId !== "" && (mentions(message.text, me) || message.parent_user_id === me.userId);
}

function mentions(text: string | null | undefined, me: Me): boolean {
  return text !== null && text !== undefined && (text.includes(`<@${me.userId}>`) || text.includes(`<@${me.userId}|`));
}

/** What the writer typed, without the mention of the bot that it begins with. */
function ownWords(message: SlackMessage, names: Names, me: Me): string {
  const text = message.text ?? "";
  const [lead = ""] = /^\s*<@([^|>]+)(?:\|[^>]*)?>[\s,:]*/u.exec(text) ?? [];
  return mentions(lead, me)
    ? wordsOf({ ...message, text: text.slice(lead.length), blocks: [] }, names)
    : wordsOf(message, names);
}

function ownPart(text: string, messageId: string): Part {
  return { kind: "text", messageId, origin: { kind: "own" }, text };
}

/** Slack takes what begins with a slash for itself, but for a space before it; in threads it knows no commands at all. */
function commandOf(words: string): { name: string; args: string } | undefined {
  const [, name, args = ""] = /^\s*[/!]([a-z][\w-]{0,63})(?=\s|$)([^]*)$/iu.exec(words) ?? [];
  if (name === undefined) return undefined;
  // Typed as the slash command is.
  return `/${name.toLowerCase()}` === SLACK_COMMAND
    ? slashCommand(args)
    : { name: name.toLowerCase(), args: args.trim() };
}

function timeOf(ts: string): number {
  const at = Math.round(Number(ts) * 1000);
  return Number.isSafeInteger(at) ? at : 0;
}
