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
