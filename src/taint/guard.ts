// The guard: whether one tool call may run. Pure; asked before every call, in every mode.
import type { Attendance, Taint } from "../core/taint.ts";
import type { Tool, Verdict } from "../core/tool.ts";

/** What the guard goes by. Never the wording of anything. */
export type Judged = {
  readonly tool: Pick<Tool, "effect" | "needs">;
  readonly attendance: Attendance;
  readonly marks: readonly Taint[];
};

/** Whether a tool exists in this turn at all: it is listed exactly when this holds, and refused when called anyway. */
export function present({ tool, attendance, marks }: Judged): boolean {
  return (
    tool.needs.attendance.includes(attendance) && !marks.some((mark) => tool.needs.refusesMarks.includes(mark.kind))
  );
}

/** Allow or deny one call, with words for the model. What acts is refused until it can be asked for. */
export function judge(judged: Judged): Verdict {
  if (!present(judged)) return { is: "deny", words: "This tool is not available in this chat." };
  if (judged.tool.effect === "act")
    return {
      is: "deny",
      words: "This would change something, and nobody can be asked for leave here. It was not done.",
    };
  return { is: "allow" };
}
