// Shows pieces and hints on Telegram, and says what came of it. Nothing here retries.
import type { Hint, MenuItem, Outlet } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { Room } from "../../core/message.ts";
import type { Piece, ReplyFile, Showing, Shown } from "../../core/reply.ts";
import type { Logger } from "../../core/surroundings.ts";
import { clipUnits } from "../../core/text.ts";
import { MAX_TEXT_UNITS, REPEAT_LINE, piecesOf, readBody } from "./cards.ts";
import type { Body, Key } from "./cards.ts";
import { channelError, describeFailure } from "./client.ts";
import type { CallSignal, Client, Failure } from "./client.ts";
import { captionOf, readyFile } from "./files.ts";
import { renderTelegram } from "./render.ts";

const SHOW_LIMIT_MS = 30_000;
/** For an upload. */
const FILE_LIMIT_MS = 120_000;
const HINT_LIMIT_MS = 10_000;
/** How long to leave the platform alone when it can't be reached. */
const UNREACHABLE_WAIT_MS = 3000;
/** How long to wait after "too many requests" that names no time. */
const TOO_FAST_WAIT_MS = 3000;
/** The words shown to who pressed: 200 characters (Bot API 10.3). */
const MAX_ANSWER_UNITS = 200;
/** Of a long text under way only the end is shown; formatting may make the rendered text a little longer. */
const DRAFT_WINDOW_UNITS = 3500;
const MAX_DESCRIPTION_UNITS = 256;

export function telegramOutlet(client: Client, log: Logger): Outlet {
  const { api } = client;

  const show = async (room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> => {
    const body = readBody(piece.body);
    if (body === undefined) return { is: "refused", why: "other", detail: "The piece is none of Telegram's." };
    const chat = Number(room.chat);
    const { edit } = how;
    if (body.file !== undefined && edit === undefined && !how.plain) {
      return await showFile(room, body, body.file, how, signal);
    }
    const { text, options } = messageOf(body, piece.plain, how);
    if (edit !== undefined) {
      const inline = body.keyboard ? { reply_markup: { inline_keyboard: body.keyboard } } : {};
      const result = await client.call(SHOW_LIMIT_MS, signal, (signal) =>
        api.editMessageText(chat, Number(edit), text, { ...options, ...inline }, signal),
      );
      return result.ok ? { is: "shown", ref: edit } : shownOf(result.failure, edit);
    }
    const result = await client.call(SHOW_LIMIT_MS, signal, (signal) =>
      api.sendMessage(
        chat,
        text,
        {
          ...options,
          ...threadOf(room),
          ...markupOf(body, room),
          ...(body.silent ? { disable_notification: true } : {}),
        },
        signal,
      ),
    );
    return result.ok ? sent(result.value) : shownOf(result.failure, undefined);
  };

  const showFile = async (
    room: Room,
    body: Body,
    file: ReplyFile,
    how: Showing,
    signal: AbortSignal,
  ): Promise<Shown> => {
    const ready = await readyFile(file);
    // Shown without its markup it is its words.
    if ("why" in ready) return { is: "refused", why: "other", detail: ready.why };
    const chat = Number(room.chat);
    const caption = captionOf(file, how.repeat ? REPEAT_LINE : undefined);
    const options = {
      ...threadOf(room),
      ...markupOf(body, room),
      ...(caption === undefined ? {} : { caption }),
      disable_notification: true,
    };
    const { input } = ready;
    if (ready.photo) {
      const result = await client.call(FILE_LIMIT_MS, signal, (signal) => api.sendPhoto(chat, input, options, signal));
      if (result.ok) return sent(result.value);
      if (!isNoPhoto(result.failure)) return shownOf(result.failure, undefined);
    }
    const result = await client.call(FILE_LIMIT_MS, signal, (signal) => api.sendDocument(chat, input, options, signal));
    return result.ok ? sent(result.value) : shownOf(result.failure, undefined);
  };

  const hint = async (room: Room, given: Hint, signal: AbortSignal): ReturnType<Outlet["hint"]> => {
    const run = hintCall(room, given);
    if (run === undefined) return undefined;
    const result = await client.call(HINT_LIMIT_MS, signal, run);
    if (result.ok) return undefined;
    log.debug({ room: room.chat, hint: given.kind, why: describeFailure(result.failure) }, "Telegram took no hint.");
    const shown = shownOf(result.failure, "");
    return shown.is === "wait" ? shown : undefined;
  };

  const hintCall = (room: Room, given: Hint): ((signal: CallSignal) => Promise<unknown>) | undefined => {
    const chat = Number(room.chat);
    if (given.kind === "typing") return (signal) => api.sendChatAction(chat, "typing", threadOf(room), signal);
    // Drafts exist in private chats only; elsewhere a text under way is an edited message.
    if (room.kind !== "private") return undefined;
    const last = renderTelegram(tailOf(given.text), { maxUnits: MAX_TEXT_UNITS }).at(-1);
    // An empty text shows "Thinking…".
    if (last === undefined && given.text.trim() !== "") return undefined;
    return (signal) =>
      api.sendMessageDraft(
        chat,
        draftId(given.key),
        last?.html ?? "",
        { parse_mode: "HTML", can_stop: true, keep_on_stop: true, ...threadOf(room) },
        signal,
      );
  };

  return {
    name: "telegram",
    pieces: piecesOf,
    show,
    hint,
    async answer(ref, answer, signal) {
      // There are no forms: nothing that opens one is ever drawn so here.
      const words = answer !== undefined && "words" in answer ? answer.words : undefined;
      const text = words === undefined ? {} : { text: clipUnits(words, MAX_ANSWER_UNITS, "…") };
      const result = await client.call(HINT_LIMIT_MS, signal, (signal) => api.answerCallbackQuery(ref, text, signal));
      // Too old, or answered before: the spinner has ended either way.
      if (!result.ok) log.debug({ why: describeFailure(result.failure) }, "Telegram took no answer to a press.");
    },
    recover: () => Promise.resolve({ is: "unknowable" }),
    link: messageLink,
    async menu(items, signal) {
      const result = await client.call(SHOW_LIMIT_MS, signal, (signal) =>
        api.setMyCommands(items.map(commandOf), {}, signal),
      );
      if (result.ok) return;
      const { failure } = result;
      if (failure.kind === "refused" && failure.code === 400)
        throw new GatewayError("bad-request", "Telegram refused the list of commands.", {
          cause: new Error(describeFailure(failure)),
        });
      throw channelError("setMyCommands", failure);
    },
  };
}

type MessageOptions = {
  parse_mode?: "HTML";
  link_preview_options: { is_disabled: true };
};

/** What a new message brings with it. A keyboard in the place of the letters is for a private chat: elsewhere all would have it. */
function markupOf(
  body: Body,
  room: Room,
): {
  reply_markup?:
    | { inline_keyboard: Key[][] }
    | { keyboard: { text: string }[][]; one_time_keyboard: true; resize_keyboard: true }
    | { remove_keyboard: true };
} {
  const { keyboard, keys, unkeyed } = body;
  if (keyboard !== undefined) return { reply_markup: { inline_keyboard: keyboard } };
  if (room.kind !== "private") return {};
  if (keys !== undefined) {
    return {
      reply_markup: { keyboard: keys.map((text) => [{ text }]), one_time_keyboard: true, resize_keyboard: true },
    };
  }
  return unkeyed === true ? { reply_markup: { remove_keyboard: true } } : {};
}

function sent({ message_id: id }: { readonly message_id: unknown }): Shown {
  // Accepted, but by something that doesn't say what it made of it.
  return typeof id === "number" ? { is: "shown", ref: String(id) } : { is: "unknown" };
}

/** The server can make no photo of what it got: it may still be sent as a document. */
function isNoPhoto(failure: Failure): boolean {
  if (failure.kind !== "refused") return false;
  return failure.code === 413 || /PHOTO_|IMAGE_PROCESS_FAILED|too big for a photo/u.test(failure.description);
}

function messageOf(body: Body, plain: string, how: Showing): { text: string; options: MessageOptions } {
  const line = how.plain ? REPEAT_LINE : `<i>${REPEAT_LINE}</i>`;
  const text = how.plain ? plain : body.html;
  return {
    text: how.repeat ? `${line}\n${text}` : text,
    options: {
      ...(how.plain ? {} : { parse_mode: "HTML" }),
      // Nothing that we show loads by itself.
      link_preview_options: { is_disabled: true },
    },
  };
}

function threadOf(room: Room): { message_thread_id?: number } {
  return room.thread === undefined ? {} : { message_thread_id: Number(room.thread) };
}

function commandOf({ name, description }: MenuItem): { command: string; description: string } {
  return { command: name.toLowerCase(), description: clipUnits(description, MAX_DESCRIPTION_UNITS, "…") };
}

/** A supergroup's own id is what a bot sees, made positive and less by so much (core.telegram.org/api/bots/ids). */
const MOVED_BY = 1_000_000_000_000;
const MAX_SUPERGROUP = 997_852_516_352;
const ID = /^[1-9]\d{0,15}$/u;

/**
 * The address of a message (core.telegram.org/api/links, "Message links"), which opens for whoever is in the group. Undefined in
 * private chats and basic groups, whose messages have none, and for what is no message's id.
 */
function messageLink({ chat, thread, kind }: Room, messageId: string): string | undefined {
  const group = /^-\d{13}$/u.test(chat) ? -Number(chat) - MOVED_BY : 0;
  if (kind !== "shared" || group < 1 || group > MAX_SUPERGROUP || !ID.test(messageId)) return undefined;
  if (thread === undefined) return `https://t.me/c/${group}/${messageId}`;
  return ID.test(thread) ? `https://t.me/c/${group}/${thread}/${messageId}` : undefined;
}

/** What the platform's refusals mean, by its own words (Bot API server; texts start in lower case, codes are all capitals). */
const REFUSALS: readonly { readonly why: RefusedWhy; readonly words: RegExp; readonly detail: string }[] = [
  { why: "not-parseable", words: /can't parse entities/u, detail: "The formatting was refused." },
  { why: "too-long", words: /message is too long|MESSAGE_TOO_LONG/u, detail: "The text is too long." },
  {
    why: "edit-gone",
    words: /message to edit not found|message can't be edited|MESSAGE_ID_INVALID|no text in the message to edit/u,
    detail: "The message to edit is gone.",
  },
  {
    why: "gone",
    words: /message thread not found|TOPIC_(?:CLOSED|DELETED|ID_INVALID)|topic (?:is )?(?:closed|deleted)/iu,
    detail: "The topic is closed or gone.",
  },
  {
    why: "gone",
    words: /chat not found|PEER_ID_INVALID|CHAT_ID_INVALID|user not found|USER_DEACTIVATED|user is deactivated/u,
    detail: "The chat is gone.",
  },
  {
    why: "gone",
    words:
      /bot (?:was|is) (?:kicked|blocked|not a member)|group chat was (?:deactivated|deleted)|(?:not enough|have no) rights to send|CHAT_(?:WRITE_FORBIDDEN|RESTRICTED)|need administrator rights/u,
    detail: "The bot may not write there.",
  },
];

type RefusedWhy = Extract<Shown, { is: "refused" }>["why"];

/** What a failed show means. `edit`: the message that was to be edited; an edit may be repeated, a new message may not. */
export function shownOf(failure: Failure, edit: string | undefined): Shown {
  if (failure.kind === "no-answer") {
    return failure.sent ? { is: "unknown" } : { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  }
  const { code, description } = failure;
  if (failure.movedTo !== undefined) return { is: "moved", chat: failure.movedTo };
  if (code === 429) return { is: "wait", waitMs: failure.retryAfterMs ?? TOO_FAST_WAIT_MS, why: "too-fast" };
  if (code === 401 || code === 404)
    return { is: "refused", why: "unauthorized", detail: "Telegram refused the bot's token." };
  // The message may have been stored before the server failed.
  if (code >= 500)
    return edit === undefined ? { is: "unknown" } : { is: "wait", waitMs: UNREACHABLE_WAIT_MS, why: "unreachable" };
  // It already says so.
  if (edit !== undefined && description.includes("message is not modified")) return { is: "shown", ref: edit };
  const known = REFUSALS.find(({ words }) => words.test(description));
  if (known) return { is: "refused", why: known.why, detail: known.detail };
  if (code === 403) return { is: "refused", why: "gone", detail: "The bot may not write there." };
  return { is: "refused", why: "other", detail: describeFailure(failure) };
}

/** A draft's number, not 0, the same for the same key: the app animates from one version to the next. */
function draftId(key: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01_00_01_93);
  return hash & 0x7f_ff_ff_ff || 1;
}

/** The end of a long text from the beginning of a line on; a code block that was open there is opened again. */
function tailOf(text: string): string {
  if (text.length <= DRAFT_WINDOW_UNITS) return text;
  const from = text.length - DRAFT_WINDOW_UNITS;
  const line = text.indexOf("\n", from - 1) + 1;
  const start = line === 0 || line >= text.length ? from : line;
  let fence: string | undefined;
  for (const [whole, mark = ""] of text.slice(0, start).matchAll(/^ {0,3}(`{3,}|~{3,}).*$/gmu)) {
    if (fence === undefined) fence = whole;
    else if (whole.trim() === mark && mark.startsWith(fence.trim().slice(0, 3))) fence = undefined;
  }
  const tail = text.slice(start).replace(/^[\uDC00-\uDFFF]/u, "");
  return fence === undefined ? `…\n${tail}` : `…\n${fence}\n${tail}`;
}
