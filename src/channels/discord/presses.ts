// Answers to what people do beside writing: each has to be answered within 3 s, or the app says that it failed.
//
// What is stored first is acknowledged after that. A button that opens a form is the exception: the form must be the first answer,
// so such a press waits for it as long as it can.
import * as z from "zod";
import type { PressAnswer } from "../../core/channel.ts";
import type { Form } from "../../core/reply.ts";
import type { Surroundings } from "../../core/surroundings.ts";
import { clipUnits } from "../../core/text.ts";
import { describeFailure } from "./client.ts";
import type { Client, Outcome } from "./client.ts";
import { EVENT, INTERACTION } from "./event.ts";
import type { Interaction, RepliedTo } from "./event.ts";
import { modalOf } from "./forms.ts";
import { escapeLines } from "./inline.ts";
import { ASKED_FIELD, ASKS, refOf } from "./interactions.ts";
import type { PressRef } from "./interactions.ts";

/** For tests, which can't wait as long as Discord does. */
export type PressTimes = {
  /** How long a press waits for its form; the platform gives 3 s. */
  readonly formMs?: number;
  /** How long an interaction can be answered: its token lives for 15 minutes. */
  readonly tokenMs?: number;
};

export type Presses = {
  /** What the person did is stored: the app may say so. */
  stored(interaction: Interaction, at: number): void;
  /** Words only for who did it, where nothing is stored for it. */
  refuse(interaction: Interaction, words: string): void;
  /** Opens the form that asks about a message that was picked. */
  ask(interaction: Interaction, resolved: unknown): void;
  /**
   * The message that this person opened such a form for, when it still is at hand. It is never read back by the form's id: that
   * comes from the person's own app, which could name a message that they may not see.
   */
  asked(user: string, customId: string): RepliedTo | undefined;
  /** Ends a press; never throws. */
  answer(ref: string, answer: PressAnswer | undefined, signal: AbortSignal): Promise<void>;
};

/** Callback types (discord.com/developers/docs/interactions/receiving-and-responding). */
const REPLY = 4;
const DEFERRED = 6;
const MODAL = 9;
const EPHEMERAL = 64;
const NO_PREVIEWS = 4;

const CALLBACK_LIMIT_MS = 5000;
/** The platform takes 2,000, and escapes may double what is said. */
const MAX_WORDS_UNITS = 1900;
const MAX_PLAIN_UNITS = 900;
const MAX_REMEMBERED = 500;

const TAKEN = "Got it.";
const IN_OUR_CHAT = "I'll answer in our chat.";
const TOO_LATE = "That took too long. Press the button again.";

const refShape: z.ZodType<PressRef> = z.object({
  id: z.string(),
  token: z.string(),
  application: z.string(),
  chat: z.string(),
  at: z.number(),
  opens: z.literal(true).optional(),
});

const resolvedMessages: z.ZodType<{ data: { target_id: string; resolved: { messages: Record<string, unknown> } } }> =
  z.object({
    data: z.object({ target_id: z.string(), resolved: z.object({ messages: z.record(z.string(), z.unknown()) }) }),
  });

export function openPresses(
  client: Client,
  { clock, log }: Surroundings,
  times: PressTimes,
  closed: AbortSignal,
): Presses {
  const { formMs = 2500, tokenMs = 870_000 } = times;
  /** The first answer to an interaction, on its way or given. */
  const firsts = new Map<string, Promise<boolean>>();
  const about = new Map<string, RepliedTo>();

  const ageOf = ({ at }: PressRef): number => clock.now() - at;

  /** Gives the first answer, once. */
  const first = (
    ref: Pick<PressRef, "id" | "token">,
    type: number,
    data: unknown,
    signal: AbortSignal,
  ): Promise<boolean> => {
    if (firsts.has(ref.id)) return Promise.resolve(false);
    const sent = client.call(
      {
        method: "POST",
        path: `/interactions/${ref.id}/${encodeURIComponent(ref.token)}/callback`,
        query: { with_response: "false" },
        body: { type, ...(data === undefined ? {} : { data }) },
        auth: false,
        limitMs: CALLBACK_LIMIT_MS,
      },
      signal,
    );
    const done = sent.then((outcome) => {
      if (!outcome.ok) log.debug({ why: describeFailure(outcome.failure) }, "Discord took no answer to a press.");
      return outcome.ok;
    });
    remember(firsts, ref.id, done);
    return done;
  };

  const ephemeral = (words: string): object => ({
    content: shownAs(words),
    flags: EPHEMERAL | NO_PREVIEWS,
    allowed_mentions: { parse: [] },
  });

  const tell = async (ref: PressRef, words: string, signal: AbortSignal): Promise<void> => {
    if (ageOf(ref) < tokenMs) {
      const before = firsts.get(ref.id);
      // Still unanswered: the words are the answer.
      if (before === undefined && ageOf(ref) < formMs && (await first(ref, REPLY, ephemeral(words), signal))) return;
      await before;
      const told = await client.call(
        {
          method: "POST",
          path: `/webhooks/${ref.application}/${encodeURIComponent(ref.token)}`,
          body: ephemeral(words),
          auth: false,
          limitMs: CALLBACK_LIMIT_MS,
        },
        signal,
      );
      if (told.ok || (told.failure.kind === "no-answer" && told.failure.sent)) return;
      log.debug({ why: describeFailure(told.failure) }, "Discord took no words for a press.");
    }
    // The token is too old, or was never good: said to all who are there.
    const said: Outcome<unknown> = await client.call(
      {
        method: "POST",
        path: `/channels/${ref.chat}/messages`,
        body: {
          content: shownAs(words),
          flags: NO_PREVIEWS,
          allowed_mentions: { parse: [] },
          nonce: ref.id,
          enforce_nonce: true,
        },
      },
      signal,
    );
    if (!said.ok) log.debug({ why: describeFailure(said.failure) }, "Discord took no words for a press.");
  };

  /** Waits for the form; without one the press ends as any other, so that it never shows as failed. */
  const waitForForm = async (ref: PressRef): Promise<void> => {
    await clock.sleep(Math.max(0, formMs - Math.max(0, ageOf(ref))), closed).catch(() => undefined);
    await first(ref, DEFERRED, undefined, closed);
  };

  return {
    stored(interaction, at) {
      const ref = refOf(interaction, at);
      if (ref.opens) void waitForForm(ref);
      else if (interaction.type === INTERACTION.component || interaction.message)
        void first(ref, DEFERRED, undefined, closed);
      else {
        const asks = interaction.data?.custom_id?.startsWith(ASKS) === true;
        void first(ref, REPLY, ephemeral(asks ? IN_OUR_CHAT : TAKEN), closed);
      }
    },
    refuse(interaction, words) {
      void first(interaction, REPLY, ephemeral(words), closed);
    },
    ask(interaction, raw) {
      const { success, data } = resolvedMessages.safeParse(raw);
      const target = success ? data.data.target_id : "";
      const picked = EVENT.repliedTo.safeParse(success ? data.data.resolved.messages[target] : undefined);
      const customId = `${ASKS}${interaction.channel_id ?? ""}:${target}`;
      if (!picked.success) {
        void first(interaction, REPLY, ephemeral("That message can't be read."), closed);
        return;
      }
      remember(about, `${(interaction.member?.user ?? interaction.user)?.id} ${customId}`, picked.data);
      const form: Form = {
        press: customId,
        title: "Ask about this",
        submit: "Ask",
        fields: [{ id: ASKED_FIELD, kind: "text", label: "What should I do with it?", long: true, optional: false }],
      };
      void first(interaction, MODAL, modalOf(form), closed);
    },
    asked: (user, customId) => about.get(`${user} ${customId}`),
    async answer(given, answer, signal) {
      const ref = readRef(given);
      if (ref === undefined) return;
      if (answer === undefined) {
        // Deferred when it was stored; only one that waits for a form has its end still to come.
        if (ref.opens && ageOf(ref) < formMs) await first(ref, DEFERRED, undefined, signal);
        return;
      }
      if ("words" in answer) {
        await tell(ref, answer.words, signal);
        return;
      }
      if (ref.opens && ageOf(ref) < formMs && (await first(ref, MODAL, modalOf(answer.form), signal))) return;
      await tell(ref, TOO_LATE, signal);
    },
  };
}

function readRef(given: string): PressRef | undefined {
  try {
    return refShape.safeParse(JSON.parse(given)).data;
  } catch {
    return undefined;
  }
}

/** What is older than the platform remembers it is not needed; the number keeps it from growing. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  if (map.size <= MAX_REMEMBERED) return;
  for (const [oldest] of map) {
    map.delete(oldest);
    break;
  }
}

/** Words for a press are plain: they may name what others wrote. */
function shownAs(words: string): string {
  const whole = escapeLines(clipUnits(words, MAX_WORDS_UNITS, "…"));
  return whole.length <= MAX_WORDS_UNITS ? whole : escapeLines(clipUnits(words, MAX_PLAIN_UNITS, "…"));
}
