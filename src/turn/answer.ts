// The text of a turn, part by part, and how it ended.
import type { Chips } from "../core/card.ts";
import type { EntryBody } from "../core/conversation.ts";
import { GatewayError } from "../core/error.ts";
import type { ToolCall } from "../core/tool.ts";
import type { Draft, TurnEvent } from "../core/turn.ts";
import { doingLine } from "../cards/own-tools.ts";

/** The text of a turn, part by part. A tool call ends a part. */
export class Answer {
  readonly #turn: string;
  readonly #scrub: (text: string) => string;
  #part = 0;
  #text = "";
  #paused = false;
  readonly #tellsDoing: boolean;
  /** The calls of the engine's own tools that run now, in words, by their ids. */
  readonly #doing = new Map<string, string>();

  /** `tellsDoing`: a draft says what the engine's own tools are at. Their arguments are for the owner alone. */
  constructor(turn: string, scrub: (text: string) => string, tellsDoing = false) {
    this.#turn = turn;
    this.#scrub = scrub;
    this.#tellsDoing = tellsDoing;
  }

  add(delta: string): void {
    if (this.#paused && delta.trim() === "") return;
    this.#text = this.#paused ? `${this.#text.trimEnd()}\n\n${delta.trimStart()}` : this.#text + delta;
    this.#paused = false;
  }

  /** A call came between, whether or not it ends the part: what is said next begins a paragraph. */
  pause(): void {
    this.#paused = this.#text.trim() !== "";
  }

  get saidAnything(): boolean {
    return this.#part > 0 || this.#text.trim() !== "";
  }

  /** A tool of the engine's own begins to run. */
  began(call: ToolCall): void {
    if (this.#tellsDoing) this.#doing.set(call.id, doingLine(call, this.#scrub));
  }

  ended(callId: string): void {
    this.#doing.delete(callId);
  }

  draft(): Draft {
    const doing = this.#text.trim() === "" ? [...this.#doing.values()].at(-1) : undefined;
    return { turn: this.#turn, part: this.#part, text: this.#text, ...(doing === undefined ? {} : { doing }) };
  }

  /** The entry for the part under way, if it says anything; a new part begins. */
  closePart(chips: Chips = []): readonly EntryBody[] {
    const text = this.#text;
    this.#text = "";
    this.#paused = false;
    if (text.trim() === "") return [];
    const body: EntryBody = {
      ...{ kind: "text", turn: this.#turn, part: this.#part, text: this.#scrub(text) },
      ...(chips.length === 0 ? {} : { chips }),
    };
    this.#part += 1;
    return [body];
  }
}

export type TurnEnded = Extract<EntryBody, { kind: "turn-ended" }>;

/** The last entry of a turn: an error where the engine failed, or said nothing. */
export function ended(turn: string, end: Extract<TurnEvent, { kind: "end" }> | undefined, answer: Answer): TurnEnded {
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
