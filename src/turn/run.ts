// THE MAIN PATH: the log → what an engine is told → its events → the log.
//
//   turn-started ─→ told(log) ─→ engine.run ─→ text, tools, usage ─→ entries ─→ turn-ended
//                                    └─ drafts of the part under way, for whoever shows them
import type { Conversation, EntryBody } from "../core/conversation.ts";
import type { Engine } from "../core/engine.ts";
import { asGatewayError, GatewayError } from "../core/error.ts";
import type { Surroundings } from "../core/surroundings.ts";
import type { Tool } from "../core/tool.ts";
import type { Draft, TurnEvent, TurnInput, Usage } from "../core/turn.ts";
import type { Change, Store } from "../store/port.ts";
import type { Approvals } from "../cards/approvals.ts";
import { askChoice } from "../cards/choices.ts";
import { lookChanges } from "../cards/looks.ts";
import type { Room } from "../core/message.ts";
import type { Mode } from "../core/taint.ts";
import { attendanceOf, instructions, told } from "./input.ts";
import { toolbox, type Places, type ToolboxTurn } from "./toolbox.ts";

/** One turn to run. */
export type TurnOrder = {
  readonly conversation: Conversation;
  /** Drawn by the caller; a second try of a turn keeps its id, so that what it shows takes the place of the first. */
  readonly turn: string;
  readonly again: boolean;
  /** Every message up to this seq is answered. */
  readonly upTo: number;
  /** Nobody is there: not woken by a person's message. */
  readonly unattended: boolean;
  readonly engine: Engine;
  readonly tools: readonly Tool[];
  readonly owner: string;
  readonly workFolder: string;
  readonly authority: TurnAuthority;
  /** Takes known secrets out of what the log keeps of an answer. */
  readonly scrub: (text: string) => string;
  /** Fires with `STOP` when a person stops the turn; with anything else the turn is left open, as after a crash. */
  readonly signal: AbortSignal;
};

/** What the guard and the approvals of a turn go by, besides its conversation. */
export type TurnAuthority = {
  readonly approvals: Approvals;
  /** For conversations that chose none. */
  readonly mode: Mode;
  readonly checkAfterReading: boolean;
  readonly places: Places;
  /** The tools that a run with nobody there was given, by name. */
  readonly given: ReadonlySet<string>;
  /** The owner's private chat last used: where a turn that runs elsewhere asks. */
  readonly ownerRoom: () => Room | undefined;
};

/** The reason that a turn's signal carries when a person stops it. */
export const STOP: unique symbol = Symbol("stopped by a person");

/**
 * A turn reads about this many of its log's newest entries. Where it begins moves in steps, so that from turn to turn an engine is
 * told the same beginning, and its service's cache holds.
 */
const MAX_ENTRIES = 2000;
const STEP_ENTRIES = 1000;

/**
 * Runs one turn to its end. Yields drafts of the text under way, each replacing the one before; everything that lasts is in
 * the log before the generator ends. Throws only when the store does, or when the signal fired for another reason than `STOP`.
 */
export async function* runTurn(
  order: TurnOrder,
  store: Store,
  { clock, random, log }: Surroundings,
): AsyncGenerator<Draft, void> {
  const { turn } = order;
  const id = order.conversation.id;
  // A power cut may take what can be made again: only what acts must be on the disk first.
  const append = async (
    bodies: readonly EntryBody[],
    { expected, acts = false, looked }: NonNullable<Parameters<ToolboxTurn["append"]>[1]> = {},
  ): Promise<boolean> => {
    const at = clock.now();
    const still: readonly Change[] =
      expected === undefined ? [] : [{ do: "expect-marks", conversation: id, count: expected.length }];
    const changes = bodies.map((body): Change => ({ do: "append", conversation: id, body, at }));
    const look = looked === undefined ? [] : lookChanges({ conversation: id, turn, look: looked, at }, random);
    const done = await store.commit([...still, ...changes, ...look], { sync: acts });
    if (!done.ok && done.because !== "marked")
      throw new GatewayError("not-found", "The chat was deleted while the turn ran.");
    return done.ok;
  };

  const from = Math.max(0, Math.floor((order.conversation.head - MAX_ENTRIES) / STEP_ENTRIES) * STEP_ENTRIES);
  const before = await store.log.read(id, { after: from });
  const attendance = order.unattended ? "nobody" : attendanceOf(before, order.upTo);
  const { engine, upTo, again } = order;
  await append([{ kind: "turn-started", turn, engine: engine.name, upTo, attendance, again }], {
    acts: engine.can.ownTools,
  });
  // What came in until the turn was claimed belongs to it: an edit above all.
  const entries = [...before, ...(await store.log.read(id, { after: before.at(-1)?.seq ?? 0 }))];
  const { history, prompt, messages } = told(entries);
  // All of it was taken back before it was answered: there is nothing to say.
  if (prompt.length === 0 && messages.length > 0) {
    await append([{ kind: "turn-ended", turn, reason: "done" }]);
    return;
  }

  const answer = new Answer(turn, order.scrub);
  const { authority } = order;
  const { room } = order.conversation;
  const box = await toolbox(order.tools, {
    conversation: id,
    turn,
    workFolder: order.workFolder,
    given: authority.given,
    places: authority.places,
    signal: order.signal,
    append,
    // What was said before a call stands before it in the log.
    said: () => answer.closePart(),
    async standing() {
      const [marks, now] = await Promise.all([store.conversations.marks(id), store.conversations.get(id)]);
      const { mode = authority.mode } = now ?? order.conversation;
      return { attendance, room: room.kind, marks, mode, checkAfterReading: authority.checkAfterReading };
    },
    async ask(ask, signal) {
      if (room.kind === "private")
        return await authority.approvals.ask({ ...ask, conversation: id, turn }, room, signal);
      const showIn = authority.ownerRoom();
      if (showIn === undefined) return undefined;
      return await authority.approvals.ask({ ...ask, conversation: id, turn, showIn }, room, signal);
    },
  });
  const session = order.engine.can.sessions ? await store.records.session(id, order.engine.name) : undefined;
  const input: TurnInput = {
    conversation: id,
    turn,
    instructions: instructions(order.owner, attendance, order.engine.can.tools ? box.guidance : []),
    history,
    prompt,
    attendance,
    tools: order.engine.can.tools ? box.specs : [],
    call: box.call,
    allow: box.allow,
    workFolder: order.workFolder,
    signal: order.signal,
    ...(session === undefined ? {} : { resumeId: session.resumeId }),
  };

  let end: Extract<TurnEvent, { kind: "end" }> | undefined;
  let usage: Usage | undefined;
  try {
    if (prompt.length === 0) throw new GatewayError("internal", "There was nothing to answer.");
    for await (const event of order.engine.run(input)) {
      if (event.kind === "text") {
        answer.add(event.delta);
        yield answer.draft();
      } else if (event.kind === "tool-start") {
        const { call, effect } = event;
        await append([...answer.closePart(), { kind: "tool-start", turn, call, effect, by: "engine" }], {
          acts: true,
        });
        yield answer.draft();
      } else if (event.kind === "tool-end") {
        await append([{ kind: "tool-end", turn, callId: event.callId, result: event.result }]);
      } else if (event.kind === "usage") usage = event.usage;
      else if (event.kind === "session") {
        const seen = entries.at(-1)?.seq ?? 0;
        await store.commit([
          {
            do: "session",
            session: { conversation: id, engine: order.engine.name, resumeId: event.resumeId, seen, redacted: false },
          },
        ]);
      } else if (event.kind === "end") {
        end = event;
        break;
      }
    }
  } catch (thrown) {
    const error = asGatewayError(thrown, "engine-failed");
    log.error({ err: thrown, conversation: id, engine: order.engine.name }, "a turn failed");
    end = { kind: "end", reason: "error", error };
  }
  if (order.signal.aborted && order.signal.reason !== STOP) throw order.signal.reason;
  await append([
    ...answer.closePart(),
    ...(usage === undefined ? [] : [{ kind: "usage", turn, engine: engine.name, usage } as const]),
    ended(turn, order.signal.aborted ? { kind: "end", reason: "stopped" } : end, answer),
  ]);
  if (attendance === "owner" && room.kind === "private" && !order.signal.aborted && end?.reason === "done") {
    const { mode = authority.mode } = (await store.conversations.get(id)) ?? order.conversation;
    if (mode === "plan") await store.commit(planCard(id, { clock, random }));
  }
}

/** What follows an answer in the mode that only plans. */
function planCard(conversation: string, { clock, random }: Pick<Surroundings, "clock" | "random">): readonly Change[] {
  const text = "This chat only plans. Shall I start on it?";
  const options = [
    { label: "Start", action: { do: "start-plan" }, done: "Started." },
    { label: "Keep planning", action: { do: "keep-planning" }, done: "Still planning. /mode changes that." },
  ] as const;
  return askChoice({ conversation, at: clock.now(), text, options }, random);
}

function ended(turn: string, end: Extract<TurnEvent, { kind: "end" }> | undefined, answer: Answer): EntryBody {
  const failure =
    end === undefined
      ? new GatewayError("engine-failed", "The engine ended without an answer.")
      : end.reason === "error"
        ? end.error
        : end.reason === "done" && !answer.saidAnything
          ? new GatewayError("engine-empty")
          : undefined;
  if (failure !== undefined)
    return { kind: "turn-ended", turn, reason: "error", code: failure.code, words: withHint(failure) };
  return { kind: "turn-ended", turn, reason: end?.reason ?? "done" };
}

function withHint(error: GatewayError): string {
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}

/** The text of a turn, part by part. A tool call ends a part. */
class Answer {
  readonly #turn: string;
  readonly #scrub: (text: string) => string;
  #part = 0;
  #text = "";
  saidAnything = false;

  constructor(turn: string, scrub: (text: string) => string) {
    this.#turn = turn;
    this.#scrub = scrub;
  }

  add(delta: string): void {
    this.#text += delta;
  }

  draft(): Draft {
    return { turn: this.#turn, part: this.#part, text: this.#text };
  }

  /** The entry for the part under way, if it says anything; a new part begins. */
  closePart(): readonly EntryBody[] {
    const text = this.#text;
    this.#text = "";
    if (text.trim() === "") return [];
    this.saidAnything = true;
    const body: EntryBody = { kind: "text", turn: this.#turn, part: this.#part, text: this.#scrub(text) };
    this.#part += 1;
    return [body];
  }
}
