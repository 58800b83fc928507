// What people do on Slack, in order: connected, what was missed is read back, then what arrives is handed on, stored by the caller,
// and only then acknowledged. A connection that ends, or that Slack asks to renew, is replaced at once by a new one.
import type { Channel, RawUpdate, Since } from "../../core/channel.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { readMissed } from "./backfill.ts";
import { channelError, describeFailure } from "./client.ts";
import type { Client } from "./client.ts";
import type { Arrived, Connection } from "./connection.ts";
import type { Directory } from "./directory.ts";
import type { Chosen, MessageAction, Raw, Way } from "./event.ts";
import { askView, readAskPlace } from "./forms.ts";
import { workspaceOf } from "./places.ts";
import type { Me } from "./places.ts";
import { judge, wayOf } from "./keeping.ts";
import type { Kept } from "./keeping.ts";

export type IntakeParts = {
  readonly client: Client;
  readonly directory: Directory;
  readonly surroundings: Surroundings;
  /** Opens a new connection. Throws a GatewayError. */
  readonly open: (signal: AbortSignal) => Promise<Connection>;
  /** Told who the bot is, and its app, as soon as that is known. */
  readonly known: (me: Me, appId: string | undefined) => void;
};

const CALL_LIMIT_MS = 15_000;
const MODAL_LIMIT_MS = 2500;
/** One row of the store each: more at once would make one write long, and the first acknowledgement late. */
const MOST_IN_A_BATCH = 100;
const MOST_CHOSEN = 100;
/** A connection that lasted less than this is a short one. After a few of those in a row the next is asked for after a pause. */
const SHORT_MS = 10_000;
const MOST_SHORT = 4;

export function openIntake(parts: IntakeParts): Channel["inbound"] {
  const { client, directory, surroundings } = parts;
  const { clock, log, random } = surroundings;
  // Outlives a connection: how far what was heard is stored, until when nothing was missed, and the messages whose forms are open.
  const marks = new Map<string, string>();
  let wholeUntil: number | undefined;
  const chosen = new Map<string, Chosen>();

  const identify = async (signal: AbortSignal): Promise<Me> => {
    const who = await client.call(CALL_LIMIT_MS, signal, () => client.api.auth.test());
    if (!who.ok) {
      // After a silence the other connections may lead nowhere as well.
      if (who.failure.kind === "no-answer") client.refresh();
      throw channelError("auth.test", who.failure);
    }
    const { user_id: userId = "", bot_id: botId = "", team_id: teamId = "", user: name = "", url } = who.value;
    const workspace = workspaceOf(url);
    return { userId, botId, teamId, name, ...(workspace === undefined ? {} : { workspace }) };
  };

  const openAskForm = async (action: MessageAction, me: Me, signal: AbortSignal): Promise<void> => {
    const { message, trigger_id: trigger, user, team } = action;
    const home = team?.id ?? user.team_id ?? me.teamId;
    const key = random.key(9);
    if (chosen.size >= MOST_CHOSEN) chosen.delete(chosen.keys().next().value ?? "");
    chosen.set(key, { message, team: home });
    const { ts, user: author, bot_id: bot, text } = message;
    const view = askView({
      key,
      team: message.user_team ?? message.team ?? home,
      ts,
      ...(author ? { user: author } : {}),
      ...(bot ? { bot } : {}),
      text: text ?? "",
    });
    const shown = await client.call(MODAL_LIMIT_MS, signal, () => client.api.views.open({ trigger_id: trigger, view }));
    if (!shown.ok) log.warn({ why: describeFailure(shown.failure) }, "Slack opened no form for a chosen message.");
  };

  /** The message that a form was about: whole when it is still in memory, else as much as the form has carried. */
  const chosenOf = (carried: string | null | undefined): Chosen | undefined => {
    const place = readAskPlace(carried);
    if (place === undefined) return undefined;
    const { key, team, ts, user, bot, text } = place;
    return (
      chosen.get(key) ?? { team, message: { ts, text, ...(user ? { user } : {}), ...(bot ? { bot_id: bot } : {}) } }
    );
  };

  /** With names and places, which are asked for now: what they were when it was said. */
  const complete = async (kept: Kept, signal: AbortSignal): Promise<readonly RawUpdate[]> => {
    const { update, own } = kept;
    const { raw } = update;
    const view = raw.type === "interactive" ? (raw.body as { view?: { private_metadata?: string } }).view : undefined;
    const about = own !== undefined && view !== undefined ? chosenOf(view.private_metadata) : undefined;
    const author = about?.message.user;
    const people = author ? [...kept.people, author] : kept.people;
    const [names, im] = await Promise.all([
      directory.names(people, kept.places, signal),
      own === undefined ? undefined : directory.chatWith(own, signal),
    ]);
    // A program that mentions the bot: two of them would answer each other without end.
    if (kept.author !== undefined && directory.isProgram(kept.author)) return [];
    const whole: Raw = {
      ...raw,
      ...(Object.keys(names).length > 0 ? { names } : {}),
      ...(im === undefined ? {} : { im }),
      ...(about === undefined ? {} : { chosen: about }),
      ...(raw.type === "interactive" || raw.type === "slash_commands" ? { at: clock.now() } : {}),
    };
    return [{ ...update, raw: whole }];
  };

  const take = async (
    given: readonly { way: Way; body: unknown }[],
    me: Me,
    signal: AbortSignal,
  ): Promise<readonly RawUpdate[]> => {
    const wanted = new Map<string, Kept>();
    for (const { way, body } of given) {
      const judged = judge(way, body, me);
      if (judged.is === "kept") wanted.set(judged.update.key, wanted.get(judged.update.key) ?? judged);
      else if (judged.is === "shortcut") void openAskForm(judged.action, me, signal);
      else log.debug({ why: judged.because }, "Something from Slack is not kept.");
    }
    const completed = await Promise.all([...wanted.values()].map(async (kept) => await complete(kept, signal)));
    return completed.flat();
  };

  const stored = (updates: readonly RawUpdate[]): void => {
    for (const { mark } of updates) {
      if (mark !== undefined && mark.at > (marks.get(mark.place) ?? "")) marks.set(mark.place, mark.at);
    }
  };

  /** What was missed, as one batch: of a part that is stored nobody could tell later that more should follow. */
  const missed = async (since: Since, me: Me, signal: AbortSignal): Promise<readonly RawUpdate[]> => {
    const found = await readMissed(client, since, surroundings, signal);
    const given = found.map(({ event }) => ({ way: "history" as const, body: { event } }));
    return signal.aborted ? [] : await take(given, me, signal);
  };

  /** Who the bot is, and a connection, both asked for at the same time: each costs a way to Slack and back. */
  const connect = async (signal: AbortSignal): Promise<{ me: Me; connection: Connection }> => {
    const given = new AbortController();
    const [who, opened] = await Promise.allSettled([
      identify(signal).catch((thrown: unknown) => {
        given.abort();
        throw thrown;
      }),
      parts.open(AbortSignal.any([signal, given.signal])),
    ]);
    if (who.status === "fulfilled" && opened.status === "fulfilled") return { me: who.value, connection: opened.value };
    if (opened.status === "fulfilled") await opened.value.close();
    // The bot's own token first: without it the other says nothing of use.
    throw who.status === "rejected" ? who.reason : opened.status === "rejected" ? opened.reason : undefined;
  };

  const acknowledge = async (arrived: readonly Arrived[]): Promise<void> => {
    for (const { ack } of arrived) {
      // The connection may have ended meanwhile: Slack sends it again, and its key is known.
      await ack().catch(() => log.debug({}, "An acknowledgement did not reach Slack."));
    }
  };

  /** Hands on what arrived, and acknowledges it once more is asked for: then it is stored. */
  const handed = async function* (
    arrived: readonly Arrived[],
    me: Me,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RawUpdate[], void, undefined> {
    for (let at = 0; at < arrived.length; at += MOST_IN_A_BATCH) {
      const part = arrived.slice(at, at + MOST_IN_A_BATCH);
      const updates = await take(
        part.map(({ body }) => ({ way: wayOf(body), body })),
        me,
        signal,
      );
      if (updates.length > 0) yield updates;
      stored(updates);
      await acknowledge(part);
    }
  };

  return async function* inbound(signal, since) {
    if (signal.aborted) return;
    const { me, connection: first } = await connect(signal);
    let connection = first;
    try {
      parts.known(me, connection.appId);
      for (const [place, at] of since.marks) if (at > (marks.get(place) ?? "")) marks.set(place, at);
      yield [];
      // Before anything was ever stored there is only what this process remembers.
      wholeUntil = since.heardAt ?? wholeUntil;
      let short = 0;
      for (;;) {
        const openedAt = clock.now();
        // Whatever arrives meanwhile waits: once it is stored, what was heard counts as whole until then.
        const late = await missed({ marks, ...(wholeUntil === undefined ? {} : { heardAt: wholeUntil }) }, me, signal);
        if (late.length > 0) yield late;
        stored(late);
        for (
          let arrived = await connection.next(signal);
          arrived !== undefined;
          arrived = await connection.next(signal)
        )
          yield* handed(arrived, me, signal);
        if (signal.aborted) return;
        wholeUntil = connection.heardAt();
        await connection.close();
        short = clock.now() - openedAt < SHORT_MS ? short + 1 : 0;
        if (short > MOST_SHORT)
          throw channelError("socket", { kind: "no-answer", sent: true, what: "cut off at once" });
        log.debug({}, "The connection to Slack has ended; a new one is opened.");
        client.refresh();
        connection = await parts.open(signal);
      }
    } finally {
      await connection.close();
    }
  };
}
