// What is known of the places where people talk: told by the connection, or asked when it wasn't.
import * as z from "zod";
import type { Room } from "../../core/message.ts";
import type { Clock } from "../../core/surroundings.ts";
import { CALL_LIMIT_MS, channelError, isGeneral, patiently } from "./client.ts";
import type { Client, Outcome } from "./client.ts";
import { EVENT, isLater } from "./event.ts";
import type { Place } from "./event.ts";

export type Places = {
  /** Takes in what an event says of servers, channels, threads and roles. */
  learn(t: string, d: unknown): void;
  /** A new session tells of everything again; where something was said last is not known until then. */
  restart(): void;
  /** What is known of a place. */
  known(id: string): Place | undefined;
  /**
   * The same, asked of the platform when it isn't known; undefined when it is gone or closed. Throws a GatewayError when the
   * platform can't be asked: what stands there must not count as nothing.
   */
  find(id: string, signal: AbortSignal): Promise<Place | undefined>;
  /** Places of servers where something was said after this id, the latest first. */
  activeSince(id: string): readonly string[];
  /** The direct message channel of somebody. */
  openDm(user: string, signal: AbortSignal, limitMs?: number): Promise<Outcome<Place>>;
  /** The roles that are ours alone: to mention one is to mention us. */
  isOurRole(id: string, me: string): boolean;
  /** How many servers have been told of. */
  readonly servers: number;
};

const ID = /^[1-9]\d{0,19}$/u;

/**
 * The address of a message, as Discord's apps copy it (and discord.js gives it). `server`: the one that the channel belongs to.
 * Undefined where that isn't known, and for what is no message's id.
 */
export function messageLink({ chat, kind }: Room, messageId: string, server: string | undefined): string | undefined {
  if (!ID.test(chat) || !ID.test(messageId)) return undefined;
  if (kind === "private") return `https://discord.com/channels/@me/${chat}/${messageId}`;
  return server !== undefined && ID.test(server)
    ? `https://discord.com/channels/${server}/${chat}/${messageId}`
    : undefined;
}

const role = z.object({ id: z.string(), tags: z.object({ bot_id: z.string().nullish() }).nullish() });
const server = z.object({
  id: z.string(),
  channels: z.array(z.unknown()).nullish(),
  threads: z.array(z.unknown()).nullish(),
  roles: z.array(z.unknown()).nullish(),
});
const roleEvent = z.object({ role: z.unknown() });

const ABOUT_ONE: ReadonlySet<string> = new Set(["CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE"]);

export function openPlaces(client: Client, clock: Clock): Places {
  const places = new Map<string, Place>();
  const roles = new Map<string, string>();
  const servers = new Set<string>();

  const learnPlace = (given: unknown, guild?: string): Place | undefined => {
    const { success, data } = EVENT.place.safeParse(given);
    if (!success) return undefined;
    const place: Place = { ...data, ...(guild === undefined ? {} : { guild_id: guild }) };
    places.set(place.id, place);
    return place;
  };
  const learnRole = (given: unknown): void => {
    const { success, data } = role.safeParse(given);
    if (success && data.tags?.bot_id) roles.set(data.id, data.tags.bot_id);
  };

  return {
    learn(t, d) {
      if (ABOUT_ONE.has(t)) learnPlace(d);
      else if (t === "GUILD_ROLE_CREATE") learnRole(roleEvent.safeParse(d).data?.role);
      else if (t === "GUILD_CREATE") {
        const { success, data } = server.safeParse(d);
        if (!success) return;
        for (const one of [...(data.channels ?? []), ...(data.threads ?? [])]) learnPlace(one, data.id);
        for (const one of data.roles ?? []) learnRole(one);
        servers.add(data.id);
      }
    },
    restart() {
      servers.clear();
      for (const [id, { last_message_id: _, ...place }] of places) places.set(id, place);
    },
    known: (id) => places.get(id),
    async find(id, signal) {
      const known = places.get(id);
      if (known) return known;
      const look = { method: "GET", path: `/channels/${id}` } as const;
      const asked = await patiently(async () => await client.call(look, signal), clock, signal);
      if (asked.ok) return learnPlace(asked.value);
      if (isGeneral(asked.failure)) throw channelError("channel", asked.failure);
      return undefined;
    },
    activeSince(id) {
      return [...places.values()]
        .flatMap((place) => {
          const last = place.last_message_id;
          return place.guild_id && last && isLater(last, id) ? [{ id: place.id, last }] : [];
        })
        .sort((one, other) => (isLater(one.last, other.last) ? -1 : 1))
        .map((place) => place.id);
    },
    async openDm(user, signal, limitMs = CALL_LIMIT_MS) {
      const asked = await client.call(
        { method: "POST", path: "/users/@me/channels", body: { recipient_id: user }, limitMs },
        signal,
      );
      if (!asked.ok) return asked;
      const place = learnPlace(asked.value);
      return place === undefined
        ? { ok: false, failure: { kind: "no-answer", sent: true, what: "not understood" } }
        : { ok: true, value: place };
    },
    isOurRole: (id, me) => roles.get(id) === me,
    get servers() {
      return servers.size;
    },
  };
}
