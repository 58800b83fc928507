// Discord over its gateway: what people write and press is handed on before it is acknowledged, and what was missed is read back.
import type { Channel, Pace, Platform, Since } from "../../core/channel.ts";
import { asGatewayError } from "../../core/error.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { channelError, describeFailure, isGeneral, openClient } from "./client.ts";
import type { Client } from "./client.ts";
import type { Me } from "./event.ts";
import { MAX_FILE_BYTES, fetchFile } from "./files.ts";
import { fillGaps, gapsOf, heardUntil } from "./history.ts";
import { readEvent } from "./inbound.ts";
import { openIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { discordIntents } from "./invite.ts";
import { discordOutlet } from "./outlet.ts";
import { openPlaces } from "./places.ts";
import type { Places } from "./places.ts";
import { openPresses } from "./presses.ts";
import type { PressTimes, Presses } from "./presses.ts";
import { openSocket } from "./socket.ts";
import type { SessionMemory, SocketTimes } from "./socket.ts";

export type DiscordSettings = {
  readonly token: string;
  readonly apiUrl: string;
  /** The owner's id: their direct messages are opened at the start, and what was said there meanwhile is read back. */
  readonly owner?: string;
  /** Asks for what a message says that neither mentions the bot nor is sent to it. To be turned on in the portal as well. */
  readonly messageContent: boolean;
  /** What differs from the platform's own rates. */
  readonly pace?: Partial<Pace>;
};

/** For tests, which can't wait as long as the platform lets things last. */
export type DiscordTimes = SocketTimes &
  PressTimes & {
    /** For so long the channel is opened anew because what was missed can't be read back. */
    readonly fillMs?: number;
  };

/** 5 messages in 5 s per channel have been observed, edits apart; the buckets that answers name are kept to as well. */
const PACE: Pace = { perChatMs: 1000, perGroupPerMinute: 0, perSecond: 40, draftMs: 1300 };

/** Servers tell of their channels right after the start. Longer than this nobody waits for it. */
const SERVERS_WAIT_MS = 1500;
const SERVERS_LOOK_MS = 50;

export function discord(settings: DiscordSettings, surroundings: Surroundings, times: DiscordTimes = {}): Platform {
  const client = openClient(settings.token, settings.apiUrl, surroundings.clock);
  const closed = new AbortController();
  const presses = openPresses(client, surroundings, times, closed.signal);
  const places = openPlaces(client, surroundings.clock);
  // A token begins with the bot's id; what the connection says takes its place.
  const who = { me: { id: idIn(settings.token), application: "" } satisfies Me };
  return {
    channel: discordChannel({ client, presses, places, who, closed, settings, surroundings, times }),
    outlet: discordOutlet(client, presses, places, () => who.me, surroundings),
  };
}

type ChannelParts = {
  readonly client: Client;
  readonly presses: Presses;
  readonly places: Places;
  readonly who: { me: Me };
  readonly closed: AbortController;
  readonly settings: DiscordSettings;
  readonly surroundings: Surroundings;
  readonly times: DiscordTimes;
};

function discordChannel({
  client,
  presses,
  places,
  who,
  closed,
  settings,
  surroundings,
  times,
}: ChannelParts): Channel {
  const { clock, log } = surroundings;
  const { fillMs = 120_000 } = times;
  // All of this outlives a broken connection.
  const memory: SessionMemory = { received: 0, unsettled: new Set(), identifiedAt: 0 };
  const seen = new Set<string>();
  const kept = new Set<string>();
  let earlier: ReadonlyMap<string, string> | undefined;
  let failingSince: number | undefined;
  let connected = false;

  /** Opens the owner's direct messages, and reads back what was missed there and at every place that was heard before. */
  const fill = async (
    intake: Intake,
    { marks, heardAt }: Since,
    servers: number,
    signal: AbortSignal,
  ): Promise<void> => {
    const { owner } = settings;
    const dm = owner === undefined ? undefined : await places.openDm(owner, signal);
    if (dm?.ok === false) {
      const { failure } = dm;
      if (isGeneral(failure)) throw channelError("the owner's chat", failure);
      log.warn(
        { why: describeFailure(failure) },
        "The owner can't be written to on Discord: a server has to be shared.",
      );
    }
    for (let waited = 0; places.servers < servers && waited < SERVERS_WAIT_MS; waited += SERVERS_LOOK_MS)
      await clock.sleep(SERVERS_LOOK_MS, signal).catch(() => undefined);
    const gaps = gapsOf(marks, heardAt, dm?.ok ? dm.value.id : undefined, places, clock.now());
    await fillGaps(
      { client, places, surroundings },
      gaps,
      (messages, place) => intake.takeMissed(messages, place),
      signal,
    );
  };

  return {
    name: "discord",
    limits: {
      joins: true,
      // The apps cut at 2,000.
      nearLimitUnits: 1900,
      drafts: { private: "edit", shared: "edit" },
      growingUnits: 1800,
      commandPrefix: "/",
      forms: true,
      keyboard: false,
      copies: false,
      typingMs: 10_000,
      maxFileBytes: MAX_FILE_BYTES,
      pace: { ...PACE, ...settings.pace },
    },
    async *inbound(signal, since) {
      const ended = new AbortController();
      const over = AbortSignal.any([signal, closed.signal, ended.signal]);
      if (over.aborted) return;
      const marks = new Map(since.marks);
      earlier ??= new Map(since.marks);
      const intake = openIntake(
        { places, presses, memory, me: () => who.me, marks, earlier, seen, kept, surroundings },
        over,
      );
      let heardAt = heardUntil(since);
      let whole = true;
      let fills = 0;
      let filling = Promise.resolve();
      const ready = Promise.withResolvers<void>();
      ready.promise.catch(() => undefined);
      const socket = await openSocket(
        {
          client,
          token: settings.token,
          intents: discordIntents(settings.messageContent),
          memory,
          surroundings,
          times,
          onReady(me, servers) {
            who.me = me;
            whole = false;
            places.restart();
            intake.filling(true);
            ready.resolve();
            // The marks as they are now: what comes from now on must not hide what is missing before it.
            const missing = { marks: new Map(marks), ...(heardAt === undefined ? {} : { heardAt }) };
            const mine = ++fills;
            // One after the other: a session that ends while its gap is filled leaves two.
            filling = filling.then(async () => {
              try {
                await fill(intake, missing, servers, over);
                failingSince = undefined;
              } catch (thrown) {
                const error = asGatewayError(thrown, "channel-unreachable");
                failingSince ??= clock.now();
                const goesOn = error.code !== "channel-unauthorized" && clock.now() - failingSince >= fillMs;
                if (!goesOn || over.aborted) {
                  intake.fail(error);
                  return;
                }
                // One place that never can be read must not keep everything else away.
                log.error({ err: error }, "What was missed on Discord can't be read back; it is left out.");
              }
              if (mine !== fills || over.aborted) return;
              whole = true;
              intake.filling(false);
            });
          },
          onResumed: () => ready.resolve(),
          onPacket(packet) {
            // A new session of the same connection begins where the last thing was heard: what came before waits in the intake.
            heardAt = clock.now();
            intake.take(packet);
          },
          onEnd(error) {
            ready.reject(error);
            intake.fail(error);
          },
        },
        over,
      ).catch((error: unknown) => {
        if (over.aborted) return undefined;
        throw error;
      });
      if (socket === undefined) return;
      try {
        over.addEventListener("abort", () => ready.resolve(), { once: true });
        if (over.aborted) return;
        await ready.promise;
        connected = true;
        if (over.aborted) return;
        yield [];
        for (let batch = await intake.next(); batch !== undefined; batch = await intake.next()) {
          yield batch.updates;
          // Asked for more: this batch is stored.
          batch.stored();
        }
      } finally {
        ended.abort();
        // Told to end, the bot shows as gone at once.
        socket.end(!signal.aborted && !closed.signal.aborted);
        // What is not read back yet doesn't come by a resume.
        if (!whole) memory.session = undefined;
      }
    },
    read: (raw) => readEvent(raw, who.me),
    fetch: (file, path, signal) => fetchFile(client, clock, file, path, signal),
    invite(code) {
      if (!connected) return undefined;
      return `https://discord.com/users/${who.me.id}, Message, and write: pair ${code}`;
    },
    [Symbol.asyncDispose]() {
      closed.abort("closed");
      client.close();
      return Promise.resolve();
    },
  };
}

function idIn(token: string): string {
  const id = Buffer.from(token.split(".", 1)[0] ?? "", "base64").toString("latin1");
  return /^\d{15,20}$/u.test(id) ? id : "";
}
