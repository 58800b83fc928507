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
import { attendanceOf, instructions, told } from "./input.ts";
import { toolbox } from "./toolbox.ts";

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
  /** Fires with `STOP` when a person stops the turn; with anything else the turn is left open, as after a crash. */
  readonly signal: AbortSignal;
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
  { clock, log }: Surroundings,
): AsyncGenerator<Draft, void> {
  const { turn } = order;
  const id = order.conversation.id;
  // A power cut may take what can be made again: only what acts must be on the disk first.
  const append = async (bodies: readonly EntryBody[], sync = false): Promise<void> => {
    const at = clock.now();
    const changes = bodies.map((body): Change => ({ do: "append", conversation: id, body, at }));
    const done = await store.commit(changes, { sync });
    if (!done.ok) throw new GatewayError("not-found", "The chat was deleted while the turn ran.");
  };

  const from = Math.max(0, Math.floor((order.conversation.head - MAX_ENTRIES) / STEP_ENTRIES) * STEP_ENTRIES);
  const before = await store.log.read(id, { after: from });
  const attendance = order.unattended ? "nobody" : attendanceOf(before, order.upTo);
  const { engine, upTo, again } = order;
  await append([{ kind: "turn-started", turn, engine: engine.name, upTo, attendance, again }], engine.can.ownTools);
  // What came in until the turn was claimed belongs to it: an edit above all.
  const entries = [...before, ...(await store.log.read(id, { after: before.at(-1)?.seq ?? 0 }))];
  const { history, prompt } = told(entries);
  const marks = entries.flatMap((entry) => (entry.kind === "marked" ? [entry.taint] : []));

  const answer = new Answer(turn);
  const box = toolbox(order.tools, {
    conversation: id,
    turn,
    attendance,
    marks: () => marks,
    signal: order.signal,
    // What was said before a call stands before it in the log, in the same commit.
    append: async (body) => {
      const starts = body.kind === "tool-start";
      await append([...(starts ? answer.closePart() : []), body], starts);
    },
  });
  const session = order.engine.can.sessions ? await store.records.session(id, order.engine.name) : undefined;
  const input: TurnInput = {
    conversation: id,
    turn,
    instructions: instructions(order.owner),
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
        await append([...answer.closePart(), { kind: "tool-start", turn, call, effect, by: "engine" }], true);
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
  #part = 0;
  #text = "";
  saidAnything = false;

  constructor(turn: string) {
    this.#turn = turn;
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
    const body: EntryBody = { kind: "text", turn: this.#turn, part: this.#part, text };
    this.#part += 1;
    return [body];
  }
}
