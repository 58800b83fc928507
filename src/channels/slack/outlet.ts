// Shows pieces and hints on Slack, and says what came of it. Nothing here retries, and no address that we send unfolds or pings.
import type { AnyBlock, ModalView } from "@slack/types";
import type { LostPiece, Outlet, PressAnswer, Recovered } from "../../core/channel.ts";
import type { Room } from "../../core/message.ts";
import type { Piece, Showing, Shown } from "../../core/reply.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { clipUnits } from "../../core/text.ts";
import { REPEAT_BLOCK, piecesOf, plainBlocks, readBody } from "./cards.ts";
import type { Body } from "./cards.ts";
import { UNREACHABLE_WAIT_MS, describeFailure, isTooFast, shownOf } from "./client.ts";
import type { Client, Failure } from "./client.ts";
import type { Directory } from "./directory.ts";
import { formView, wordsView, type FormPlace } from "./forms.ts";
import { HOME, messageLink } from "./places.ts";
import type { Me } from "./places.ts";
import { readRef } from "./pressed.ts";
import { openStreams, steady } from "./stream.ts";
import { FILE, uploadFile } from "./upload.ts";
import { escapeSlack } from "./words.ts";

export type OutletTimes = {
  /** How long a message of unknown outcome may still be on its way. */
  readonly settleMs: number;
};

const SHOW_LIMIT_MS = 30_000;
const HINT_LIMIT_MS = 10_000;
/** A trigger lives three seconds; after that the platform only refuses. */
const FORM_LIMIT_MS = 3000;
const SETTLE_MS = 2000;
const NOT_YET_MS = 500;
/** Clocks differ. */
const MARGIN_MS = 120_000;
const PAGE = 200;
const MOST_PAGES = 5;
const MAX_ANSWER_UNITS = 3000;

/** What our own messages carry, unseen by people: each by its nonce. */
const EVENT_TYPE = "tidegate";

/** A trigger may be gone before the press is stored: after a restart, say. */
const TOO_LATE = "The form could not be opened in time. Press the button again.";
const TYPING_WORDS = "is thinking…";

export function slackOutlet(
  client: Client,
  directory: Directory,
  me: () => Me,
  { clock, log }: Surroundings,
  { settleMs = SETTLE_MS }: Partial<OutletTimes>,
): Outlet {
  const { api } = client;
  const { postMessage } = api.chat;
  const streams = openStreams(client);
  let streamable = true;

  const post = async (room: Room, body: Body, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> => {
    const result = await client.call(SHOW_LIMIT_MS, signal, () =>
      postMessage({
        channel: room.chat,
        ...threadOf(room),
        text: body.text,
        blocks: blocksOf(body, piece.plain, how),
        unfurl_links: false,
        unfurl_media: false,
        metadata: { event_type: EVENT_TYPE, event_payload: { nonce: how.nonce } },
      }),
    );
    if (!result.ok) return shownOf(result.failure, undefined);
    const { ts } = result.value;
    // Accepted, but by something that doesn't say what it made of it.
    return ts ? { is: "shown", ref: ts } : { is: "unknown" };
  };

  const update = async (
    room: Room,
    body: Body,
    piece: Piece,
    how: Showing,
    edit: string,
    signal: AbortSignal,
  ): Promise<Shown> => {
    const run = (): Promise<unknown> =>
      api.chat.update({
        channel: room.chat,
        ts: edit,
        text: body.text,
        blocks: blocksOf(body, piece.plain, how),
      });
    let result = await client.call(SHOW_LIMIT_MS, signal, run);
    if (!result.ok && isStillStreaming(result.failure)) {
      // A stream of before a restart, or one whose end has not arrived.
      const ended = await streams.end(room, edit, signal);
      if (ended !== undefined) return ended;
      result = await client.call(SHOW_LIMIT_MS, signal, run);
    }
    return result.ok ? { is: "shown", ref: edit } : shownOf(result.failure, edit);
  };

  const publish = async (room: Room, body: Body, piece: Piece, signal: AbortSignal): Promise<Shown> => {
    const result = await client.call(SHOW_LIMIT_MS, signal, () =>
      api.views.publish({
        user_id: room.chat.slice(HOME.length),
        // A page takes no markdown blocks.
        view: { type: "home", blocks: plainBlocks(piece.plain, body) },
      }),
    );
    // Published again it is the same page.
    return result.ok ? { is: "shown", ref: "home" } : shownOf(result.failure, "home");
  };

  const show = async (room: Room, piece: Piece, how: Showing, signal: AbortSignal): Promise<Shown> => {
    const body = readBody(piece.body);
    if (body === undefined) return { is: "refused", why: "other", detail: "The piece is none of Slack's." };
    if (room.chat.startsWith(HOME)) return await publish(room, body, piece, signal);
    const { edit, growing } = how;
    // Without it, its words alone.
    if (body.file !== undefined && !how.plain) {
      // A file stays as it is.
      return edit === undefined ? await uploadFile(client, room, body.file, signal) : { is: "shown", ref: edit };
    }
    const grows = growing === true && !how.plain && !how.repeat;
    if (edit === undefined) {
      if (grows && streamable && room.kind === "private" && room.thread !== undefined) {
        const begun = await streams.start(room, body.markdown, signal);
        // An app or a workspace without streams says so; nothing was shown then, and nothing else is asked for again.
        if (begun.is !== "refused" || begun.why !== "other") return begun;
        streamable = false;
        log.info({ why: begun.detail }, "Slack offers no streams here; texts grow by edits.");
      }
      return await post(room, body, piece, how, signal);
    }
    if (edit.startsWith(FILE)) return { is: "refused", why: "edit-gone", detail: "A file can't be edited." };
    if (streams.has(room, edit)) {
      const done = grows
        ? await streams.grow(room, edit, body.markdown, signal)
        : await streams.end(room, edit, signal);
      if (done !== undefined) return done;
    }
    return await update(room, body, piece, how, edit, signal);
  };

  /** Looks through our own messages there since then for the lost one. */
  const look = async (room: Room, lost: LostPiece, signal: AbortSignal): Promise<Recovered> => {
    const oldest = ((lost.since - MARGIN_MS) / 1000).toFixed(6);
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const which = {
        channel: room.chat,
        oldest,
        limit: PAGE,
        include_all_metadata: true,
        ...(cursor ? { cursor } : {}),
      };
      const { thread } = room;
      const page = await client.call(SHOW_LIMIT_MS, signal, async () =>
        thread === undefined
          ? await api.conversations.history(which)
          : await api.conversations.replies({ ...which, ts: thread }),
      );
      if (!page.ok) {
        const { failure } = page;
        if (isTooFast(failure)) return { is: "wait", waitMs: failure.retryAfterMs ?? UNREACHABLE_WAIT_MS };
        return failure.kind === "no-answer" ? { is: "wait", waitMs: UNREACHABLE_WAIT_MS } : { is: "unknowable" };
      }
      for (const own of (page.value.messages ?? []) as readonly Own[]) {
        const ref = own.user === me().userId ? refOf(own, lost) : undefined;
        if (ref !== undefined) return { is: "shown", ref };
      }
      cursor = page.value.response_metadata?.next_cursor || undefined;
      if (cursor === undefined) return { is: "absent" };
    }
    // It may stand further on.
    return { is: "unknowable" };
  };

  return {
    name: "slack",
    pieces: piecesOf,
    show,
    async hint(room, given, signal) {
      // Slack knows no other sign of writing than the status of a thread with the app.
      if (given.kind !== "typing" || room.kind !== "private" || room.thread === undefined) return undefined;
      const { chat: channel_id, thread: thread_ts } = room;
      const result = await client.call(HINT_LIMIT_MS, signal, () =>
        api.assistant.threads.setStatus({ channel_id, thread_ts, status: TYPING_WORDS }),
      );
      if (result.ok) return undefined;
      log.debug({ why: describeFailure(result.failure) }, "Slack took no hint.");
      const shown = shownOf(result.failure, "");
      return shown.is === "wait" ? shown : undefined;
    },
    async answer(ref, answer, signal) {
      const place = readRef(ref);
      if (place === undefined || answer === undefined) return;
      const { user, channel, thread, message, trigger } = place;
      const window = windowOf(answer, { channel, thread, message });
      if (window !== undefined && trigger !== undefined) {
        const view = window;
        const shown = await client.call(FORM_LIMIT_MS, signal, () => api.views.open({ trigger_id: trigger, view }));
        if (shown.ok) return;
        log.debug({ why: describeFailure(shown.failure) }, "Slack opened no form.");
        // Without an answer it may be open.
        if (shown.failure.kind === "no-answer" && shown.failure.sent) return;
      } else if ("form" in answer) return;
      const words = "form" in answer ? TOO_LATE : answer.words;
      const text = escapeSlack(clipUnits(words, MAX_ANSWER_UNITS, "…"));
      const chat = channel ?? (await directory.chatWith(user, signal));
      if (chat === undefined) return;
      const shown = await client.call(HINT_LIMIT_MS, signal, async () =>
        // From the app's page there is no place in a conversation; the private chat is one-to-one.
        channel === undefined
          ? await postMessage({ channel: chat, text, unfurl_links: false, unfurl_media: false })
          : await api.chat.postEphemeral({
              channel: chat,
              user,
              text,
              ...(thread === undefined ? {} : { thread_ts: thread }),
            }),
      );
      if (!shown.ok) log.debug({ why: describeFailure(shown.failure) }, "Slack took no answer to a press.");
    },
    async recover(room, lost, signal): Promise<Recovered> {
      // Published again it is the same page.
      if (room.chat.startsWith(HOME)) return { is: "absent" };
      // Until it is known who we are, nothing that stands there would count as ours.
      if (me().userId === "") return { is: "wait", waitMs: NOT_YET_MS };
      const asideMs = lost.since + settleMs - clock.now();
      if (asideMs > 0) return { is: "wait", waitMs: asideMs };
      return await look(room, lost, signal);
    },
    link: (room, messageId) => messageLink(me().workspace, room, messageId),
    // Slack's commands stand in the app's manifest; there is nothing to register.
    menu: () => Promise.resolve(),
  };
}

/** What opens above the conversation: a form, or words that have a title. */
function windowOf(answer: PressAnswer, from: Omit<FormPlace, "press">): ModalView | undefined {
  if ("form" in answer) return formView(answer.form, from);
  return answer.title === undefined ? undefined : wordsView(answer.title, answer.words);
}

type Own = {
  readonly ts?: string;
  readonly user?: string;
  readonly text?: string;
  readonly streaming_state?: string;
  readonly files?: readonly { readonly id?: string; readonly name?: string }[];
  readonly metadata?: { readonly event_type?: string; readonly event_payload?: { readonly nonce?: unknown } };
};

/** The lost piece's own id if this message is it: by its nonce, a file by its name, a stream, which takes no nonce, by how it begins. */
function refOf(own: Own, { piece, nonce, since }: LostPiece): string | undefined {
  const { ts, metadata, files } = own;
  const body = readBody(piece.body);
  if (ts === undefined || body === undefined) return undefined;
  if (metadata?.event_type === EVENT_TYPE) return metadata.event_payload?.nonce === nonce ? ts : undefined;
  // Without a nonce of its own a message of before the attempt could be taken for it.
  if (Number(ts) * 1000 < since - 1000) return undefined;
  if (body.file !== undefined) {
    const file = files?.find(({ name }) => name === body.file?.name);
    return file?.id === undefined ? undefined : `${FILE}${file.id}`;
  }
  if (own.streaming_state === undefined) return undefined;
  const begin = bare(own.text ?? "").slice(0, 80);
  // One that has only begun holds nothing yet when all of it was held back.
  const isIt = begin === "" ? steady(body.markdown) === "" : bare(piece.plain).startsWith(begin);
  return isIt ? ts : undefined;
}

/** Letters and digits alone: marks and escapes differ between what was sent and what is read back. */
function bare(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt);/gu, "").replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function isStillStreaming(failure: Failure): boolean {
  return failure.kind === "refused" && failure.code === "streaming_state_conflict";
}

function blocksOf(body: Body, plain: string, how: Showing): AnyBlock[] {
  const blocks = how.plain ? plainBlocks(plain, body) : body.blocks;
  return how.repeat ? [REPEAT_BLOCK, ...blocks] : [...blocks];
}

function threadOf(room: Room): { thread_ts?: string } {
  return room.thread === undefined ? {} : { thread_ts: room.thread };
}
