// What of Discord's events concerns us, and in which order it is handed on to be stored.
//
// What was missed goes before what is said now, which waits for it; only what has to be answered within 3 s doesn't wait long. What
// was missed is handed on in the order in which it was said, whatever the place: so the newest mark tells how far all was heard.
import type { RawUpdate } from "../../core/channel.ts";
import { GatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { describeFailure } from "./client.ts";
import { DM_CHANNEL, EVENT, INTERACTION, MESSAGE_COMMAND, isLater, laterOf } from "./event.ts";
import type { Deletion, DiscordMessage, Interaction, Kept, Me, Place } from "./event.ts";
import { readEvent } from "./inbound.ts";
import { ASKS } from "./interactions.ts";
import type { Places } from "./places.ts";
import type { Presses } from "./presses.ts";
import type { Packet, SessionMemory } from "./socket.ts";

export type IntakeParts = {
  readonly places: Places;
  readonly presses: Presses;
  readonly memory: SessionMemory;
  readonly me: () => Me;
  /** How far each place was heard; goes on with what is handed on. */
  readonly marks: Map<string, string>;
  /** How far each place was heard in an earlier life. */
  readonly earlier: ReadonlyMap<string, string>;
  /** Messages of shared rooms that were handed on in this life. */
  readonly seen: Set<string>;
  /** Keys of what was stored in this life: the history and a resume bring some of it again. */
  readonly kept: Set<string>;
  readonly surroundings: Surroundings;
};

/** One thing to store, and what follows once it is stored. */
type Item = { readonly update: RawUpdate; readonly stored: () => void };

export type Intake = {
  /** An event that came now. */
  take(packet: Packet): void;
  /** Messages of a place that were missed. */
  takeMissed(messages: readonly unknown[], place: Place): void;
  /** While more of what was missed is looked for, that and what is said now waits. */
  filling(is: boolean): void;
  /** Ends the waiting of `next`. */
  fail(error: unknown): void;
  /** What is to be stored next; undefined once the signal has fired. `stored` is to be called when it is. */
  next(): Promise<{ readonly updates: readonly RawUpdate[]; readonly stored: () => void } | undefined>;
};

const MAX_SEEN = 4000;
const MAX_BATCH = 100;
/** Of the 3 s in which a form has to be answered. */
const QUESTION_LIMIT_MS = 2000;
/** How long a press waits while more of what was missed is looked for; one that opens a form has 2.5 s in all. */
const PRESS_WAIT_MS = 1000;
const NOT_HERE = "Write to me directly, or where I'm a member.";
const NOT_AT_HAND = "I don't have that message any more. Please ask about it once more.";
const NOT_REACHED = "I can't write to you. Allow direct messages from this server's members, and try again.";

export function openIntake(parts: IntakeParts, signal: AbortSignal): Intake {
  const { places, presses, memory, me, marks, earlier, seen, kept, surroundings } = parts;
  const { clock, log } = surroundings;
  const urgent: Item[] = [];
  const missed: Item[] = [];
  const live: Item[] = [];
  let isFilling = false;
  let failure: { readonly error: unknown } | undefined;
  let wake: (() => void) | undefined;
  const stir = (): void => wake?.();
  signal.addEventListener("abort", stir, { once: true });

  /** Messages are looked at one after the other, since a place may have to be asked for first. */
  let inOrder: Promise<void> = Promise.resolve();

  const place = (id: string, guild: string | null | undefined, type: number | null | undefined): Kept["place"] => {
    const known = places.known(id);
    const name = known?.name && guild ? `#${known.name}` : undefined;
    const is = type ?? known?.type;
    return { ...(is === undefined ? {} : { type: is }), ...(name === undefined ? {} : { name }) };
  };

  const roleIn = (message: DiscordMessage): string | undefined =>
    message.mention_roles?.find((id) => places.isOurRole(id, me().id));

  const messageOf = (t: string, message: DiscordMessage): Kept => {
    const role = roleIn(message);
    return {
      t,
      d: message,
      place: {
        ...place(message.channel_id, message.guild_id, message.channel_type),
        ...(role === undefined ? {} : { role }),
      },
    };
  };

  /** A message that concerns us; other people's words in a server that are not for us are not even kept. */
  const created = (message: DiscordMessage): RawUpdate | undefined => {
    const raw = messageOf("MESSAGE_CREATE", message);
    const meaning = readEvent(raw, me());
    if (meaning.kind === "malformed") log.warn({ problem: meaning.problem }, "A Discord message can't be understood.");
    if (meaning.kind !== "message" || !meaning.addressed) return undefined;
    const { channel_id: channel, id } = message;
    remember(seen, id);
    return { key: id, raw, mark: { place: channel, at: id } };
  };

  /**
   * An edit of something that was handed on. What was handed on before a restart is known by its place's mark, and by being addressed:
   * the ids themselves are the store's.
   */
  const edited = (message: DiscordMessage): RawUpdate | undefined => {
    const raw = messageOf("MESSAGE_UPDATE", message);
    const meaning = readEvent(raw, me());
    if (meaning.kind !== "edit") return undefined;
    if (meaning.room.kind === "shared" && !seen.has(message.id)) {
      const before = readEvent({ ...raw, t: "MESSAGE_CREATE" }, me());
      if (!mayBeStored(message) || before.kind !== "message" || !before.addressed) return undefined;
    }
    return { key: `${message.id}/${message.edited_timestamp ?? ""}`, raw };
  };

  const deleted = (deletion: Deletion): RawUpdate | undefined => {
    const { id, channel_id: channel, guild_id: guild } = deletion;
    if (guild && !seen.has(id) && !mayBeStored(deletion)) return undefined;
    return { key: `${id}/deleted`, raw: { t: "MESSAGE_DELETE", d: deletion, place: place(channel, guild, undefined) } };
  };

  const mayBeStored = ({ id, channel_id: channel }: Deletion): boolean => {
    const mark = earlier.get(channel);
    return mark !== undefined && !isLater(id, mark);
  };

  /** Where a message stands when it doesn't say: a direct message may come without its type. */
  const placed = async (message: DiscordMessage): Promise<DiscordMessage> => {
    if (message.guild_id || typeof message.channel_type === "number") return message;
    const found = await places.find(message.channel_id, signal);
    return found === undefined ? message : within(message, found);
  };

  const updatesOf = async ({ t, d }: Packet): Promise<(RawUpdate | undefined)[]> => {
    switch (t) {
      case "MESSAGE_CREATE":
      case "MESSAGE_UPDATE": {
        const { success, data, error } = EVENT.message.safeParse(d);
        if (success) return [(t === "MESSAGE_CREATE" ? created : edited)(await placed(data))];
        const at = error.issues[0]?.path.join(".") ?? "";
        log.warn({ event: t, at }, "An event from Discord can't be understood; it is left out.");
        return [];
      }
      case "MESSAGE_DELETE":
      case "MESSAGE_DELETE_BULK":
        return deletionsOf(d).map(deleted);
      default:
        return [];
    }
  };

  const settle = (packet: Packet): (() => void) => {
    const { unsettled } = memory;
    unsettled.add(packet.s);
    return () => unsettled.delete(packet.s);
  };

  const push = (lane: Item[], update: RawUpdate, stored: () => void): void => {
    lane.push({ update, stored });
    stir();
  };

  /** A press has its place in the order, but can't wait for the whole of what was missed. */
  const pushPress = (update: RawUpdate, stored: () => void): void => {
    const item: Item = { update, stored };
    live.push(item);
    stir();
    if (!isFilling) return;
    void clock.sleep(PRESS_WAIT_MS, signal).then(
      () => {
        const at = live.indexOf(item);
        if (at < 0 || !isFilling) return;
        urgent.push(...live.splice(at, 1));
        stir();
      },
      () => undefined,
    );
  };

  const takeMessage = (packet: Packet): void => {
    const settled = settle(packet);
    inOrder = inOrder
      .then(async () => {
        const updates = (await updatesOf(packet)).filter((update) => update !== undefined);
        // The last one tells that all are stored.
        for (const [index, update] of updates.entries())
          push(live, update, index === updates.length - 1 ? settled : () => undefined);
        if (updates.length === 0) settled();
      })
      .catch((error: unknown) => {
        // Where it stands can't be asked now: it isn't settled, so the session gives it again.
        if (error instanceof GatewayError) return fail(error);
        settled();
        log.warn({ err: error, event: packet.t }, "An event from Discord can't be handled; it is left out.");
      });
  };

  const takeInteraction = (packet: Packet): void => {
    const { success, data: interaction } = EVENT.interaction.safeParse(packet.d);
    if (!success) {
      log.warn({ event: packet.t }, "A press on Discord can't be understood; it is left out.");
      return;
    }
    const { type, data, channel_id: channel, guild_id: guild } = interaction;
    if (type === INTERACTION.command && data?.type === MESSAGE_COMMAND) {
      presses.ask(interaction, packet.d);
      return;
    }
    const settled = settle(packet);
    const at = clock.now();
    const kept: Kept = {
      t: packet.t,
      d: interaction,
      at,
      place: place(channel ?? "", guild, interaction.channel?.type),
    };
    if (type === INTERACTION.form && data?.custom_id?.startsWith(ASKS)) {
      void takeQuestion(interaction, kept, settled);
      return;
    }
    const meaning = readEvent(kept, me());
    if (meaning.kind !== "press" && meaning.kind !== "message") {
      settled();
      presses.refuse(interaction, NOT_HERE);
      return;
    }
    // Behind what was said before it.
    inOrder = inOrder.then(() =>
      pushPress({ key: interaction.id, raw: kept }, () => {
        settled();
        presses.stored(interaction, at);
      }),
    );
  };

  /** A question about a message is said in the private chat of who asks, which has to be there first. */
  const takeQuestion = async (interaction: Interaction, kept: Kept, settled: () => void): Promise<void> => {
    const user = interaction.member?.user ?? interaction.user;
    const id = interaction.data?.custom_id ?? "";
    const about = user && presses.asked(user.id, id);
    if (user === undefined || user === null || about === undefined) {
      settled();
      presses.refuse(interaction, NOT_AT_HAND);
      return;
    }
    const dm = await places.openDm(user.id, signal, QUESTION_LIMIT_MS);
    const raw: Kept = { ...kept, about, ...(dm.ok ? { dm: dm.value.id } : {}) };
    const meaning = readEvent(raw, me());
    if (meaning.kind !== "message") {
      if (!dm.ok) log.info({ why: describeFailure(dm.failure) }, "Somebody on Discord can't be written to.");
      settled();
      presses.refuse(interaction, NOT_REACHED);
      return;
    }
    pushPress({ key: interaction.id, raw }, () => {
      settled();
      presses.stored(interaction, kept.at ?? 0);
    });
  };

  const fail = (error: unknown): void => {
    failure ??= { error };
    stir();
  };

  return {
    take(packet) {
      places.learn(packet.t, packet.d);
      if (packet.t === "INTERACTION_CREATE") takeInteraction(packet);
      else if (packet.t.startsWith("MESSAGE_")) takeMessage(packet);
    },
    takeMissed(messages, where) {
      for (const given of messages) {
        const { success, data } = EVENT.message.safeParse(given);
        if (!success) log.warn({ place: where.id }, "A message that was missed can't be understood; it is left out.");
        const update = success ? created(within(data, where)) : undefined;
        if (update !== undefined) push(missed, update, () => undefined);
      }
    },
    filling(is) {
      isFilling = is;
      // The history brings some of what is said now as well, which has its place among the presses.
      const heard = new Set(live.map(({ update }) => update.key));
      const rest = missed.filter(({ update }) => !heard.has(update.key));
      rest.sort((one, other) => (isLater(one.update.key, other.update.key) ? 1 : -1));
      missed.splice(0, missed.length, ...rest);
      stir();
    },
    fail,
    async next() {
      for (;;) {
        if (signal.aborted) return undefined;
        const said = missed.length > 0 ? missed : live;
        const lanes = isFilling ? [urgent] : [urgent, said];
        const given = lanes.flatMap((lane) => lane.splice(0, MAX_BATCH));
        // The history and a resume bring some of what is stored already.
        for (const { update, stored } of given) if (kept.has(update.key)) stored();
        const batch = given.filter(({ update }) => !kept.has(update.key));
        if (batch.length > 0)
          return {
            updates: onceEach(batch.map(({ update }) => update)).map((update) => marked(update, marks)),
            stored() {
              for (const { update, stored } of batch) {
                remember(kept, update.key);
                stored();
              }
            },
          };
        // What came before it is handed on first.
        if (given.length > 0) continue;
        if (failure !== undefined) throw failure.error;
        const woken = Promise.withResolvers<undefined>();
        wake = () => woken.resolve(undefined);
        await woken.promise;
      }
    },
  };
}

/** The message with what its place says of itself: history gives messages without it. */
function within(message: DiscordMessage, { type, guild_id: guild }: Place): DiscordMessage {
  return { ...message, channel_type: type, ...(guild && type !== DM_CHANNEL ? { guild_id: guild } : {}) };
}

function onceEach(updates: readonly RawUpdate[]): readonly RawUpdate[] {
  return [...new Map(updates.map((update) => [update.key, update])).values()];
}

/** What is repeated from before takes no mark back. */
function marked(update: RawUpdate, marks: Map<string, string>): RawUpdate {
  const { mark } = update;
  if (mark === undefined) return update;
  const at = laterOf(marks.get(mark.place) ?? "0", mark.at);
  marks.set(mark.place, at);
  return { ...update, mark: { ...mark, at } };
}

function deletionsOf(d: unknown): readonly Deletion[] {
  const one = EVENT.deletion.safeParse(d);
  if (one.success) return [one.data];
  const { ids, ...rest } = (typeof d === "object" && d !== null ? d : {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id: unknown) => EVENT.deletion.safeParse({ ...rest, id }).data ?? []);
}

function remember(set: Set<string>, id: string): void {
  set.add(id);
  if (set.size <= MAX_SEEN) return;
  for (const oldest of set) {
    set.delete(oldest);
    break;
  }
}
