// What of all that Slack sends is kept, under which key, and stripped to what is worth keeping. Pure.
//
// A key is the same for an event, its redelivery, its other kind (a mention comes as `app_mention` and as `message`) and its copy in
// the conversation's history. Other people's words that don't concern the bot are not kept at all.
import type { RawUpdate } from "../../core/channel.ts";
import { isShare } from "./content.ts";
import { isRecord, SHAPES } from "./event.ts";
import type { Before, MessageAction, MessageEvent, Raw, SlackMessage, Way } from "./event.ts";
import { ASK_VIEW } from "./forms.ts";
import { lateFiles, readUpdate, speaksTo } from "./inbound.ts";
import type { Me } from "./places.ts";
import { SLACK_SHORTCUT } from "./manifest.ts";

/** `people`: ids whose names belong beside it. `places`: the same for channels. `own`: whose private chat with the bot it needs. */
export type Kept = {
  readonly is: "kept";
  readonly update: RawUpdate & { readonly raw: Raw };
  readonly people: readonly string[];
  readonly places: readonly string[];
  readonly own?: string;
  /** Who wrote it, where it is a message. */
  readonly author?: string;
};

export type Judged =
  | Kept
  /** A message was chosen by the shortcut: a form is to be shown, nothing is kept. */
  | { readonly is: "shortcut"; readonly action: MessageAction }
  | { readonly is: "dropped"; readonly because: string };

/** Of a message's mentions only so many are looked up. */
const MAX_MENTIONS = 10;

/** Which kind of delivery a body is, as HTTP doesn't say it. */
export function wayOf(body: unknown): Way {
  if (isRecord(body) && body["command"] !== undefined) return "slash_commands";
  return isRecord(body) && body["event"] !== undefined ? "events_api" : "interactive";
}

export function judge(type: Way, body: unknown, me: Me): Judged {
  if (!isRecord(body)) return dropped("it holds nothing");
  switch (type) {
    case "events_api":
    case "history":
      return judgeEvent(type, body, me);
    case "slash_commands":
      return judgeCommand(body);
    case "interactive":
      return judgeInteraction(body, me);
  }
}

function dropped(because: string): Judged {
  return { is: "dropped", because };
}

function kept(key: string, raw: Raw, more: Partial<Omit<Kept, "is" | "update">> & Pick<RawUpdate, "mark"> = {}): Kept {
  const { mark, people = [], places = [], own, author } = more;
  const update = { key, raw, ...(mark === undefined ? {} : { mark }) };
  return {
    is: "kept",
    update,
    people,
    places,
    ...(own === undefined ? {} : { own }),
    ...(author === undefined ? {} : { author }),
  };
}

function judgeEvent(type: Way, body: Record<string, unknown>, me: Me): Judged {
  const { event } = body;
  const raw: Raw = { type, body: { event } };
  const meaning = readUpdate(raw, me);
  if (meaning.kind === "ignored") return dropped(meaning.because);
  // Kept for a look, under Slack's own id; without one there is nothing that a redelivery could be known by.
  if (meaning.kind === "malformed") {
    const id = body["event_id"];
    return typeof id === "string" ? kept(`event/${id}`, raw) : dropped(meaning.problem);
  }
  if (meaning.kind === "home") {
    const home = SHAPES.home.parse(event);
    const id = typeof body["event_id"] === "string" ? body["event_id"] : `${home.user}/${home.event_ts ?? ""}`;
    return kept(`home/${id}`, { type, body: { event: { type: "app_home_opened", ...home } } }, { people: [home.user] });
  }
  const message = SHAPES.message.parse(event);
  const place = `${me.teamId}/${message.channel}`;
  if (meaning.kind === "deleted") {
    const before = message.previous_message ?? undefined;
    if (meaning.room.kind === "shared" && before && !speaksTo(before, me)) return dropped("not for the bot");
    return kept(`${place}/${meaning.messageId}/deleted`, { type, body: { event: deletion(message, before) } });
  }
  if (meaning.kind === "edit") {
    const { message: after, previous_message: before } = message;
    const concerns = [after, before].some((one) => one && speaksTo(one, me));
    if (meaning.room.kind === "shared" && !concerns) return dropped("not for the bot");
    return kept(
      `${place}/${meaning.messageId}/${after?.edited?.ts ?? ""}`,
      { type, body: { event: edit(message) } },
      wanted(after ?? message, message.channel, me),
    );
  }
  if (meaning.kind !== "message") return dropped("of no use");
  if (!meaning.addressed) return dropped("not for the bot");
  const late = lateFiles(message).map(({ id }) => id);
  const said = late.length > 0 ? (message.message ?? message) : message;
  const { ts, thread_ts: thread } = said;
  const at = thread && thread !== ts ? `${message.channel}/${thread}` : message.channel;
  return kept(
    late.length > 0 ? `${place}/${ts}/files/${late.join("/")}` : `${place}/${ts}`,
    { type, body: { event: late.length > 0 ? edit(message) : { ...message, ...lean(message) } } },
    { ...wanted(said, message.channel, me), mark: { place: at, at: ts } },
  );
}

/** Previews under a message are other people's words. */
function lean(message: SlackMessage): Pick<SlackMessage, "attachments"> {
  const shared = (message.attachments ?? []).filter((one) => isShare(one, message.text ?? ""));
  return { attachments: shared };
}

function edit(event: MessageEvent): MessageEvent {
  const { message, previous_message: before } = event;
  return {
    ...place(event),
    ...(message ? { message: { ...message, ...lean(message) } } : {}),
    // What it is compared with.
    ...(before
      ? { previous_message: { ts: before.ts, text: before.text, edited: before.edited, files: before.files } }
      : {}),
  };
}

function deletion(event: MessageEvent, before: Before | undefined): MessageEvent {
  const { message, deleted_ts: ts } = event;
  return {
    ...place(event),
    ...(ts ? { deleted_ts: ts } : {}),
    ...(before ? { previous_message: { ts: before.ts, thread_ts: before.thread_ts } } : {}),
    ...(message ? { message: { ts: message.ts, subtype: message.subtype, thread_ts: message.thread_ts } } : {}),
  };
}

function place({ type, ts, subtype, channel, channel_type: kind }: MessageEvent): MessageEvent {
  return { type, ts, subtype, channel, channel_type: kind };
}

function wanted(message: SlackMessage, channel: string, me: Me): Pick<Kept, "people" | "places" | "author"> {
  const mentioned = [...(message.text ?? "").matchAll(/<@([UW]\w+)(?:\|[^>]*)?>/gu)].map(([, id]) => id ?? "");
  const people = [message.user ?? "", ...mentioned.slice(0, MAX_MENTIONS)].filter(
    (id) => id !== "" && id !== me.userId,
  );
  return {
    people: [...new Set(people)],
    places: channel.startsWith("D") ? [] : [channel],
    ...(message.user ? { author: message.user } : {}),
  };
}

function judgeCommand(body: Record<string, unknown>): Judged {
  const read = SHAPES.command.safeParse(body);
  if (!read.success) return dropped("a command that can't be read");
  const { data } = read;
  return kept(
    `command/${data.trigger_id}`,
    { type: "slash_commands", body: data },
    { people: [data.user_id], ...(data.channel_id.startsWith("D") ? { own: data.user_id } : {}) },
  );
}

function judgeInteraction(body: Record<string, unknown>, me: Me): Judged {
  const { type } = body;
  if (type === "message_action") {
    const read = SHAPES.shortcut.safeParse(body);
    if (!read.success || read.data.callback_id !== SLACK_SHORTCUT) return dropped("a shortcut that can't be read");
    return { is: "shortcut", action: read.data };
  }
  if (type === "block_actions") {
    const read = SHAPES.actions.safeParse(body);
    if (!read.success) return dropped("a press that can't be read");
    // The message under the button is our own words: only what says where it was is kept.
    const raw: Raw = { type: "interactive", body: { type, ...read.data } };
    const meaning = readUpdate(raw, me);
    if (meaning.kind !== "press") return dropped(meaning.kind === "ignored" ? meaning.because : "of no use");
    const { trigger_id: trigger, actions, user } = read.data;
    const key = `press/${trigger ?? user.id}/${actions[0]?.action_ts ?? ""}`;
    return kept(key, raw, { people: [user.id] });
  }
  if (type === "view_submission") {
    const read = SHAPES.submission.safeParse(body);
    if (!read.success) return dropped("a form that can't be read");
    const { view, user } = read.data;
    const raw: Raw = { type: "interactive", body: { type, ...read.data } };
    const asked = view.callback_id === ASK_VIEW;
    if (!asked && readUpdate(raw, me).kind !== "press") return dropped("a form that is none of ours");
    return kept(`form/${view.id}`, raw, { people: [user.id], ...(asked ? { own: user.id } : {}) });
  }
  return dropped("an interaction that is not used");
}
