// Keeps one channel connected: what it yields is stored before the next is asked for, and when it dies it alone is restarted.
import type { Channel, RawUpdate, Since } from "../core/channel.ts";
import { asGatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Change, InboundRow, Store } from "../store/port.ts";

/** How a channel does, for status. `since`: milliseconds since 1970. */
export type ChannelState = {
  readonly name: string;
  /** `stopped`: the platform refused us, and only the owner can change that. */
  state: "connecting" | "connected" | "retrying" | "stopped" | "ended";
  since: number;
  words?: string;
};

const FIRST_WAIT_MS = 1000;
const LAST_WAIT_MS = 60_000;
/** Platforms have been seen to refuse good tokens while they were in trouble, so a refused one is tried again, rarely. */
const REFUSED_WAIT_MS = 600_000;

/** What supervising needs: `take` gets rows in order, each once per start. */
export type SuperviseParts = {
  readonly store: Store;
  readonly take: (rows: readonly InboundRow[]) => void;
  /** Awaited where each message is answered before the next is taken: resolves when a person there is to say something. */
  readonly answered: () => Promise<void>;
  /** Called when the channel has no more: resolves when all of it is answered, though nobody is there to be asked. */
  readonly left: () => Promise<void>;
  /** Called each time the channel has connected; what fails there is logged and ends nothing. */
  readonly connected: () => Promise<void>;
  readonly surroundings: Surroundings;
};

/**
 * Runs a channel until the signal fires or the channel has no more (a pipe at its end). Every failure is said in `state` and in
 * the log, and tried again after 1 s, doubling up to 60 s, with jitter; a refused token after 10 minutes.
 */
export async function supervise(
  channel: Channel,
  state: ChannelState,
  parts: SuperviseParts,
  signal: AbortSignal,
): Promise<void> {
  const { store, surroundings } = parts;
  const { clock, random, log } = surroundings;
  const over = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  let failures = 0;
  let first = true;
  while (!signal.aborted) {
    let batches = 0;
    try {
      for await (const batch of channel.inbound(signal, await heardSince(store, channel.name))) {
        if (state.state !== "connected") {
          enter(state, "connected", clock.now());
          log.info({ channel: channel.name }, "connected");
          void parts
            .connected()
            .catch((error: unknown) =>
              log.warn({ err: error, channel: channel.name }, "the command menu can't be set"),
            );
        }
        // The first batch says that it is connected. Only the next one shows that it stays so.
        batches += 1;
        if (batches > 1) failures = 0;
        if (first) {
          parts.take(await store.inbound.pending(channel.name));
          first = false;
        }
        if (batch.length > 0) {
          const heardAt = clock.now();
          parts.take(await store.inbound.keep(channel.name, batch, heardAt));
          // Synced, and the rows with it: asking for the next batch acknowledges this one. What was heard is worked on meanwhile.
          await store.commit([
            { do: "cursor", name: `heard/${channel.name}`, value: String(heardAt) },
            ...marksOf(channel.name, batch),
          ]);
        }
        if (!channel.limits.joins) await Promise.race([parts.answered(), over]);
      }
      enter(state, "ended", clock.now());
      await Promise.race([parts.left(), over]);
      return;
    } catch (thrown) {
      if (signal.aborted) break;
      const error = asGatewayError(thrown, "channel-unreachable");
      failures += 1;
      const refused = error.code === "channel-unauthorized";
      const backoffMs = Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, failures - 1));
      const waitMs = refused ? REFUSED_WAIT_MS : backoffMs * (0.75 + random.fraction() / 2);
      const words = error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
      enter(state, refused ? "stopped" : "retrying", clock.now(), words);
      const fields = { channel: channel.name, code: error.code, waitMs: Math.round(waitMs) };
      if (refused) log.error(fields, words);
      else log.warn(fields, `${words} It is tried again.`);
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }
  enter(state, "ended", clock.now());
}

/** How far a platform was heard: its own marks, and when anything last came from there. */
async function heardSince(store: Store, channel: string): Promise<Since> {
  const heardAt = await store.records.cursor(`heard/${channel}`);
  const marks = await store.records.cursors(markPrefix(channel));
  return { marks, ...(heardAt === undefined ? {} : { heardAt: Number(heardAt) }) };
}

/** The last of each place: the channel gives them in order. */
function marksOf(channel: string, batch: readonly RawUpdate[]): readonly Change[] {
  const last = new Map(batch.flatMap(({ mark }) => (mark === undefined ? [] : [[mark.place, mark.at] as const])));
  return [...last].map(([place, at]) => ({ do: "cursor", name: `${markPrefix(channel)}${place}`, value: at }));
}

function markPrefix(channel: string): string {
  return `mark/${channel}/`;
}

function enter(state: ChannelState, now: ChannelState["state"], since: number, words?: string): void {
  state.state = now;
  state.since = since;
  if (words === undefined) delete state.words;
  else state.words = words;
}
