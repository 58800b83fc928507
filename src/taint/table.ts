// The table of authority: for everything that can be done, what each kind of turn may do of it. One structure, used by the
// guard, the commands and the page that prints it.
import type { Room } from "../core/message.ts";
import type { Attendance, Taint } from "../core/taint.ts";
import type { Row } from "../core/tool.ts";

/** The kinds of turn, from the most trusted to the least. */
export const COLUMNS = ["clean", "marked", "person", "shared", "guest", "nobody"] as const;
export type Column = (typeof COLUMNS)[number];

/**
 * What a cell says.
 * - `yes`: it runs. `absent`: not listed, and refused when called anyway. `refused`: listed, answered in words.
 * - `mode`: by the owner's mode. `asks`: asks, naming the sources. `carries-asks`: asks when its arguments could carry data out.
 * - `given`: only what the run was given. `inside`: inside the work folder; else as `engine-act`.
 * - `inside-asks`: inside the work folder; else it asks. `inside-only`: inside the work folder; else never.
 * - `own-only`: only the gateway's own. `default`: the tool answers that nobody is there.
 */
export type Cell =
  | "yes"
  | "absent"
  | "refused"
  | "mode"
  | "asks"
  | "carries-asks"
  | "given"
  | "inside"
  | "inside-asks"
  | "inside-only"
  | "own-only"
  | "default";

/** Every cell. A row or column that is missing does not compile; what is not here does not exist. */
export const TABLE: { readonly [R in Row]: { readonly [C in Column]: Cell } } = {
  // What reads nothing of anyone's and changes nothing, such as the clock.
  plain: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes", nobody: "yes" },
  history: { clean: "yes", marked: "yes", person: "absent", shared: "absent", guest: "absent", nobody: "absent" },
  offer: { clean: "yes", marked: "refused", person: "refused", shared: "absent", guest: "absent", nobody: "absent" },
  "cue-offer": { clean: "yes", marked: "yes", person: "yes", shared: "absent", guest: "absent", nobody: "absent" },
  ask: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes", nobody: "default" },
  suggest: {
    clean: "yes",
    marked: "own-only",
    person: "own-only",
    shared: "absent",
    guest: "absent",
    nobody: "absent",
  },
  plan: { clean: "yes", marked: "yes", person: "yes", shared: "yes", guest: "yes", nobody: "yes" },
  // Instructions that the owner turned on: theirs, and nobody else's to read.
  skill: { clean: "yes", marked: "yes", person: "yes", shared: "absent", guest: "absent", nobody: "given" },
  "app-read": {
    clean: "yes",
    marked: "carries-asks",
    person: "carries-asks",
    shared: "absent",
    guest: "absent",
    nobody: "given",
  },
  "app-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "absent", nobody: "given" },
  "engine-act": { clean: "mode", marked: "asks", person: "asks", shared: "absent", guest: "absent", nobody: "given" },
  "engine-read": {
    clean: "inside",
    marked: "inside",
    person: "inside-asks",
    shared: "absent",
    guest: "absent",
    nobody: "inside-only",
  },
};

/** The commands of each column; `all` is every one there is. */
export const COMMANDS_BY_COLUMN: { readonly [C in Column]: "all" | readonly string[] } = {
  clean: "all",
  marked: "all",
  person: "all",
  shared: ["new", "stop", "help", "status", "engine", "fork", "rewind"],
  guest: ["new", "stop", "help"],
  nobody: [],
};

/** Whether whoever is in a column may give a command. */
export function mayCommand(column: Column, command: string): boolean {
  const commands = COMMANDS_BY_COLUMN[column];
  return commands === "all" || commands.includes(command);
}

/** Which column a turn falls into: the least trusted that fits. */
export function columnOf(turn: {
  readonly attendance: Attendance;
  readonly room: Room["kind"];
  readonly marks: readonly Taint[];
}): Column {
  if (turn.attendance === "nobody") return "nobody";
  if (turn.attendance === "guest") return "guest";
  if (turn.room !== "private") return "shared";
  if (turn.marks.some((mark) => mark.kind === "person")) return "person";
  return turn.marks.length > 0 ? "marked" : "clean";
}
