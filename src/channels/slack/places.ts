// Where something happened on Slack, and who did it. Pure.
import type * as z from "zod";
import type { Inbound, Sender } from "../../core/channel.ts";
import type { Room } from "../../core/message.ts";
import { cleanName, named } from "./content.ts";
import type { Names } from "./content.ts";
import type { Actor, Raw } from "./event.ts";

/** This bot itself, as `auth.test` says; empty until it has connected, when nothing is ours. */
export type Me = {
  readonly userId: string;
  readonly botId: string;
  readonly teamId: string;
  /** The workspace's address, without a slash at the end. */
  readonly workspace?: string;
  readonly name: string;
};

/** The room of a person's page of the app; nothing is posted there. */
export const HOME = "home:";

export function placeOf(channel: string, thread: string | null | undefined): Room {
  return {
    platform: "slack",
    chat: channel,
    ...(thread ? { thread } : {}),
    kind: isDirect(channel) ? "private" : "shared",
  };
}

/** Only a conversation of the bot with one person has an id of this kind; a group's direct messages have another. */
function isDirect(channel: string): boolean {
  return channel.startsWith("D");
}

export function homeRoom(user: string): Room {
  return { platform: "slack", chat: `${HOME}${user}`, kind: "private" };
}

export function senderOf(user: string, team: string | null | undefined, names: Names, me: Me): Sender {
  const home = team ?? me.teamId;
  return {
    id: `${home}/${user}`,
    ...(home === me.teamId ? { homeId: user } : {}),
    name: cleanName(named(names, user) ?? "") || user,
    bot: false,
  };
}

export function actorOf(actor: Actor, team: string | undefined, names: Names, me: Me): Sender {
  const called = named(names, actor.id) ?? actor.name ?? actor.username;
  return senderOf(actor.id, actor.team_id ?? team, called ? { ...names, [actor.id]: called } : names, me);
}

export function namesOf(raw: Raw, me: Me): Names {
  return { ...raw.names, [me.userId]: me.name };
}

// ---- Where a message is opened

const CONVERSATION = /^[CDG][A-Z0-9]{1,30}$/u;
const TIME = /^\d{1,12}\.\d{6}$/u;

/**
 * The address of a message, as Slack gives it (docs.slack.dev, "chat.getPermalink"). `workspace`: that one's address, once it is
 * known. Undefined also for the app's own page, and for what is no message's id.
 */
export function messageLink(
  workspace: string | undefined,
  { chat, thread }: Room,
  messageId: string,
): string | undefined {
  if (workspace === undefined || !CONVERSATION.test(chat) || !TIME.test(messageId)) return undefined;
  const link = `${workspace}/archives/${chat}/p${messageId.replace(".", "")}`;
  // What opens a thread stands in the channel itself.
  if (thread === undefined || thread === messageId) return link;
  return TIME.test(thread) ? `${link}?thread_ts=${thread}&cid=${chat}` : undefined;
}

/** A workspace's address of what `auth.test` says it is, without a slash at the end; undefined when that is none. */
export function workspaceOf(url: string | undefined): string | undefined {
  const address = URL.parse(url ?? "");
  return address?.protocol === "https:" && address.hostname !== "" ? address.origin : undefined;
}

// ---- Reading

export function parsed<T>(kind: string, shape: z.ZodType<T>, given: unknown, then: (value: T) => Inbound): Inbound {
  const result = shape.safeParse(given);
  if (result.success) return then(result.data);
  const [issue] = result.error.issues;
  // Path and expectation come from the shape; nothing of what was received is repeated.
  return { kind: "malformed", problem: `${[kind, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "wrong"}` };
}

export function ignored(because: string): Inbound {
  return { kind: "ignored", because };
}

/** A name that came from outside, fit for a log line. */
export function fieldName(name: unknown): string {
  return typeof name === "string" && /^[\w ]{1,48}$/u.test(name) ? name : "(no plain name)";
}
