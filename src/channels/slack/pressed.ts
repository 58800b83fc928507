// What people press, send and choose on Slack: buttons, menus, forms, the message shortcut and the slash command. Pure.
import * as z from "zod";
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Origin, Part } from "../../core/message.ts";
import { chosenContent, cleanName, named } from "./content.ts";
import type { Names } from "./content.ts";
import { isRecord, SHAPES } from "./event.ts";
import type { BlockActions, Raw, SlackMessage, SlashCommand, ViewSubmission } from "./event.ts";
import { filledOf, pickedOf } from "./fields.ts";
import { ASK_FIELD, ASK_VIEW, FORM_VIEW, readFormPlace } from "./forms.ts";
import { PICKED, SUBMITS } from "./menu.ts";
import { actorOf, fieldName, homeRoom, ignored, namesOf, parsed, placeOf } from "./places.ts";
import type { Me } from "./places.ts";

export function readInteraction(raw: Raw, me: Me): Inbound {
  const { body } = raw;
  if (!isRecord(body)) return { kind: "malformed", problem: "interactive: it holds nothing" };
  switch (body["type"]) {
    case "block_actions":
      return parsed("block_actions", SHAPES.actions, body, (press) => readPress(press, raw, me));
    case "view_submission":
      return parsed("view_submission", SHAPES.submission, body, (sent) => readSubmission(sent, raw, me));
    default:
      return ignored(`an interaction that is not used: ${fieldName(body["type"])}`);
  }
}

/** The key is a button's value, or the value of what was picked from a menu. A button that only opens a link has none. */
function readPress(press: BlockActions, raw: Raw, me: Me): Inbound {
  const [action] = press.actions;
  const data = action?.value ?? action?.selected_option?.value;
  if (!data) return ignored("a press that carries no data");
  const { container, user } = press;
  const from = actorOf(user, press.team?.id, namesOf(raw, me), me);
  const channel = press.channel?.id ?? container?.channel_id;
  const onHome = container?.type === "view" || (!channel && press.view?.type === "home");
  if (!channel && !onHome) return ignored("a press outside any conversation");
  const ts = container?.message_ts ?? press.message?.ts ?? undefined;
  const thread = container?.thread_ts ?? press.message?.thread_ts;
  const room = channel ? placeOf(channel, thread === ts ? undefined : thread) : homeRoom(user.id);
  return {
    kind: "press",
    room,
    from,
    data,
    ref: writeRef({
      user: user.id,
      ...(channel ? { channel } : {}),
      ...(room.thread === undefined ? {} : { thread: room.thread }),
      ...(ts && channel ? { message: ts } : {}),
      ...(press.trigger_id ? { trigger: press.trigger_id } : {}),
    }),
    ...(ts && channel ? { messageId: ts } : {}),
    ...(action?.action_id?.startsWith(SUBMITS) === true ? { picked: pickedIn(press) } : {}),
  };
}

/** What stands picked in the message whose menu is sent; each pick by itself says nothing yet. */
function pickedIn({ state }: BlockActions): readonly string[] {
  const elements = Object.values(state?.values ?? {}).flatMap((block) => Object.values(block));
  return elements.filter(({ type }) => type === PICKED).flatMap(pickedOf);
}

function readSubmission(sent: ViewSubmission, raw: Raw, me: Me): Inbound {
  const { view, user } = sent;
  const from = actorOf(user, sent.team?.id, namesOf(raw, me), me);
  const fields = filledOf(view.state?.values ?? {});
  if (view.callback_id === ASK_VIEW) return readAsked(view.id, fields[ASK_FIELD]?.[0] ?? "", from, raw, me);
  const place = view.callback_id === FORM_VIEW ? readFormPlace(view.private_metadata) : undefined;
  if (place === undefined) return ignored("a form that is none of ours");
  const { press: data, channel, thread } = place;
  return {
    kind: "press",
    room: channel === undefined ? homeRoom(user.id) : placeOf(channel, thread),
    from,
    data,
    ref: writeRef({
      user: user.id,
      ...(channel === undefined ? {} : { channel }),
      ...(thread === undefined ? {} : { thread }),
    }),
    ...(place.message === undefined ? {} : { messageId: place.message }),
    fields,
  };
}

/** The form of the message shortcut was sent: a message in the person's own chat, with the chosen one brought in. */
function readAsked(view: string, words: string, from: Sender, raw: Raw, me: Me): Inbound {
  const { im, chosen } = raw;
  if (!im || !chosen) return ignored("a chosen message that is not known any more");
  const id = `ask:${view}`;
  const names = namesOf(raw, me);
  const origin = chosenFrom(chosen.message, chosen.team, names);
  const own: Part[] =
    words.trim() === "" ? [] : [{ kind: "text", messageId: id, origin: { kind: "own" }, text: words }];
  const brought = chosenContent(chosen.message, origin, names).map((part): Part => ({ ...part, messageId: id }));
  if (own.length + brought.length === 0) return ignored("nothing in it to answer");
  return {
    kind: "message",
    room: placeOf(im, undefined),
    from,
    at: raw.at ?? 0,
    messageId: id,
    parts: [...brought, ...own],
    addressed: true,
  };
}

function chosenFrom(message: SlackMessage, team: string, names: Names): Origin {
  const author = message.user ?? message.bot_id;
  const from = cleanName((author ? named(names, author) : undefined) ?? message.username ?? "");
  if (!author) return { kind: "forwarded", as: "hidden-user", from };
  return {
    kind: "forwarded",
    as: "user",
    from: from || author,
    id: `${message.user_team ?? message.team ?? team}/${author}`,
  };
}

/** A slash command is taken by Slack wherever it is typed, also between two people: then the person's own chat is meant. */
export function readCommand(command: SlashCommand, raw: Raw, me: Me): Inbound {
  const { user_id: id, user_name: called } = command;
  return {
    kind: "message",
    room: placeOf(raw.im ?? command.channel_id, undefined),
    from: actorOf({ id, name: called, team_id: command.team_id }, undefined, namesOf(raw, me), me),
    at: raw.at ?? 0,
    messageId: `command:${command.trigger_id}`,
    parts: [],
    addressed: true,
    command: slashCommand(command.text ?? ""),
  };
}

/** What stands behind the one command that stands for all. */
export function slashCommand(text: string): { name: string; args: string } {
  const [, name = "help", args = ""] = /^\s*[/!]?([a-z][\w-]{0,63})(?=\s|$)([^]*)$/iu.exec(text) ?? [];
  return { name: name.toLowerCase(), args: args.trim() };
}

/** Where and to whom a press is answered. */
type PressRef = {
  user: string;
  channel?: string | undefined;
  thread?: string | undefined;
  message?: string | undefined;
  trigger?: string | undefined;
};

const ref: z.ZodType<PressRef> = z.object({
  user: z.string().min(1),
  channel: z.string().optional(),
  thread: z.string().optional(),
  message: z.string().optional(),
  trigger: z.string().optional(),
});

function writeRef(place: PressRef): string {
  return JSON.stringify(place);
}

/** Undefined when it is none of ours. */
export function readRef(given: string): PressRef | undefined {
  try {
    const read = ref.safeParse(JSON.parse(given));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
