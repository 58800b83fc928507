// A chat platform without faults or pace: it takes what people do, in the payloads of a real one and through that one's own reader, and
// remembers what each room was ever shown.
import type { Platform, PressAnswer, RawUpdate } from "../../src/core/channel.ts";
import { roomKey, type Room } from "../../src/core/message.ts";
import type { Form, Piece, Reply } from "../../src/core/reply.ts";
import type { Tongue } from "./tongue.ts";

type Body = {
  readonly text: string;
  readonly presses: readonly { readonly label: string; readonly press: string; readonly opens?: true }[];
};

/** A message of ours as it stands now. */
export type Shown = Body & { readonly room: Room; readonly ref: string };

/** Something that a room was shown, in order. `what`: a message, an edit, a hint or the answer to a press. */
export type Sight = { readonly room: string; readonly what: string; readonly text: string };

/** The platform; it lives on while gateways come and go. */
export class QuietPlatform {
  readonly shown: Shown[] = [];
  readonly sights: Sight[] = [];
  /** Forms that were opened, each by the press that did it. */
  readonly forms: { readonly ref: string; readonly form: Form }[] = [];
  /** Gives new ids. */
  readonly nextId: () => string;
  readonly #tongue: Tongue;
  readonly #updates: RawUpdate[] = [];
  #taken = 0;
  #arrived: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(tongue: Tongue, now: () => number) {
    this.#tongue = tongue;
    let ids = 0;
    this.nextId = () => {
      ids += 1;
      return tongue.id(now(), ids);
    };
  }

  push(raw: unknown): void {
    this.#updates.push({ key: `u${this.#updates.length}`, raw });
    this.#arrived.resolve();
  }

  /** Both ports of one name. Only what goes out through them is remembered. */
  connect(name: string): Platform {
    // oxlint-disable-next-line typescript/no-this-alias -- a generator can't be an arrow function
    const platform = this;
    return {
      channel: {
        name,
        limits: {
          joins: true,
          nearLimitUnits: 4000,
          drafts: { private: "none", shared: "none" },
          growingUnits: 2000,
          keyboard: false,
          copies: false,
          ...this.#tongue.limits,
          typingMs: 600_000,
          maxFileBytes: 1_000_000,
          pace: { perChatMs: 0, perGroupPerMinute: 0, perSecond: 0, draftMs: 0 },
        },
        async *inbound(signal) {
          yield [];
          const ended = new Promise<void>((resolve) =>
            signal.addEventListener("abort", () => resolve(), { once: true }),
          );
          while (!signal.aborted) {
            if (platform.#taken === platform.#updates.length) {
              platform.#arrived = Promise.withResolvers<void>();
              await Promise.race([platform.#arrived.promise, ended]);
              continue;
            }
            const batch = platform.#updates.slice(platform.#taken);
            yield batch;
            platform.#taken += batch.length;
          }
        },
        read: (raw) => platform.#tongue.read(raw, name),
        fetch: async () => undefined,
        invite: () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      },
      outlet: {
        name,
        pieces: (reply) => pieces(reply),
        show: async (room, piece, { edit }) => {
          const body = piece.body as Body;
          const buttons = body.presses.map(({ label }) => `[${label}]`).join("");
          platform.sights.push({
            room: roomKey(room),
            what: edit === undefined ? "message" : "edit",
            text: `${body.text}${buttons}`,
          });
          const ref = edit ?? platform.nextId();
          const at = platform.shown.findIndex((one) => one.ref === ref);
          if (at === -1) platform.shown.push({ ...body, room, ref });
          else platform.shown[at] = { ...body, room, ref };
          return { is: "shown", ref };
        },
        hint: async (room, hint) => {
          platform.sights.push({ room: roomKey(room), what: "hint", text: hint.kind });
          return undefined;
        },
        answer: async (ref, answer) => {
          if (answer !== undefined && "form" in answer) platform.forms.push({ ref, form: answer.form });
          platform.sights.push({ room: ref, what: "answer", text: answer === undefined ? "" : wordsOf(answer) });
        },
        recover: async () => ({ is: "unknowable" }),
        link: () => undefined,
        menu: async () => undefined,
      },
    };
  }
}

/** All that a person reads of an answer to a press. */
function wordsOf(answer: PressAnswer): string {
  if ("words" in answer) return answer.words;
  // The key in it is random, and nothing that is seen.
  const { press: _, ...form } = answer.form;
  return JSON.stringify(form);
}

function pieces({ text, rows }: Reply): readonly Piece[] {
  if (text === "") return [];
  const presses = rows.flatMap((row) => row.flatMap((one) => ("press" in one ? [one] : [])));
  const body: Body = { text, presses };
  return [{ body, plain: text }];
}
