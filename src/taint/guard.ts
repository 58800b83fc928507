// The guard: whether one call may run. One pure function of who is there, whose words are in the chat, the owner's mode and the
// table; never of the wording of anything that came from outside. Asked before every call of every engine, in every mode.
import type { Room } from "../core/message.ts";
import type { Attendance, Mode, Taint } from "../core/taint.ts";
import type { Row, Verdict } from "../core/tool.ts";
import { columnOf, TABLE, type Cell, type Column } from "./table.ts";

/** Where a call comes from. `marks`: undefined when they can't be told, which counts as a person's. */
export type Standing = {
  readonly attendance: Attendance;
  readonly room: Room["kind"];
  readonly marks: readonly Taint[] | undefined;
  readonly mode: Mode;
  /** Whether marks are asked about; it never changes what is closed. */
  readonly checkAfterReading: boolean;
};

/** One call. What is left out of its facts counts as the worse. */
export type Call = {
  readonly row: Row;
  /** The act in words, for the one who is asked: what the tool is, nothing of its arguments. */
  readonly act: string;
  /** It touches only the conversation's work folder. */
  readonly inside?: boolean;
  /** It changes files and does nothing else. */
  readonly changesFiles?: boolean;
  /** Its arguments could carry data out; `false` only where that is known. */
  readonly carries?: boolean;
  /** The run was given this tool by name. */
  readonly given?: boolean;
  /** It touches a place that is closed to every tool; for a command also when nothing keeps it from one: `maybe`. */
  readonly closed?: boolean | "maybe";
};

const UNKNOWN: Taint = { kind: "person", label: "an unknown source", source: "unknown" };
const ABSENT = "This tool is not available in this chat.";
const CLOSED = "That place is closed to every tool.";
const MAX_SOURCES = 3;

/** Whether a tool exists in a turn at all: it is listed exactly when this holds, and refused when called anyway. */
export function present(row: Row, given: boolean, standing: Standing): boolean {
  const cell = TABLE[row][columnAt(standing)];
  return cell !== "absent" && (cell !== "given" || given);
}

/** Allow, ask with a reason, or deny in words. */
export function judge(call: Call, standing: Standing): Verdict {
  if (call.closed === true) return { is: "deny", words: CLOSED };
  const column = columnAt(standing);
  const verdict = byCell(TABLE[call.row][column], column, call, standing);
  // Of the mode's asks too: those could be allowed for good, and the next command is another.
  if (call.closed === "maybe" && (verdict.is === "allow" || (verdict.is === "ask" && verdict.by === "mode")))
    return asksAlways(call, standing);
  // Nobody can press a button: what would ask is refused at once.
  if (verdict.is === "ask" && standing.attendance !== "owner")
    return { is: "deny", words: "This needs the owner's leave, and the owner is not here. It was not done." };
  return verdict;
}

function columnAt({ attendance, room, marks }: Standing): Column {
  return columnOf({ attendance, room, marks: marks ?? [UNKNOWN] });
}

function byCell(cell: Cell, column: Column, call: Call, standing: Standing): Verdict {
  switch (cell) {
    case "yes":
    case "default":
      return { is: "allow" };
    case "absent":
      return { is: "deny", words: ABSENT };
    case "refused":
    case "own-only":
      return { is: "deny", words: "Not in a chat that holds words from outside." };
    case "given":
      return call.given === true
        ? { is: "allow" }
        : { is: "deny", words: "Nobody is here, and this run was not given that tool." };
    case "inside-only":
      return call.inside === true ? { is: "allow" } : { is: "deny", words: "Only the work folder may be read here." };
    case "inside":
      return call.inside === true ? { is: "allow" } : byCell(TABLE["engine-act"][column], column, call, standing);
    case "inside-asks":
      return call.inside === true ? { is: "allow" } : asks(call, standing);
    case "carries-asks":
      return call.carries === false ? { is: "allow" } : asks(call, standing);
    case "asks":
      return asks(call, standing);
    case "mode":
      return byMode(call, standing);
  }
}

function byMode(call: Call, { mode }: Standing): Verdict {
  switch (mode) {
    case "trust":
      return { is: "allow" };
    case "edits":
      return call.inside === true && call.changesFiles === true ? { is: "allow" } : modeAsks(call);
    case "ask":
      return modeAsks(call);
    case "plan":
      return { is: "deny", words: "This chat only plans for now: nothing is done until the owner starts the plan." };
  }
}

function modeAsks({ act }: Call): Verdict {
  return { is: "ask", by: "mode", reason: act };
}

/** A guard's own ask. With `checkAfterReading` off it is the mode's to say; a plan does nothing in either case. */
function asks(call: Call, standing: Standing): Verdict {
  if (!standing.checkAfterReading || standing.mode === "plan") return byMode(call, standing);
  return {
    is: "ask",
    by: "guard",
    reason: `This chat holds words from ${sources(standing.marks ?? [UNKNOWN])}. ${call.act}`,
  };
}

/** Nothing keeps it out of the closed places, so each time is asked about, whatever the mode. */
function asksAlways(call: Call, { attendance }: Standing): Verdict {
  if (attendance !== "owner")
    return {
      is: "deny",
      words: "Nothing would keep this out of the places that are closed to tools. It was not done.",
    };
  return { is: "ask", by: "guard", reason: `Nothing keeps a command out of closed places. ${call.act}` };
}

/** Up to three sources by name, and how many more. */
export function sources(marks: readonly Taint[]): string {
  const labels = [...new Set(marks.map((mark) => mark.label))];
  const named = labels.slice(0, MAX_SOURCES).join(", ");
  return labels.length > MAX_SOURCES ? `${named} and ${labels.length - MAX_SOURCES} more` : named;
}
