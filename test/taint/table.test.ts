// The table of authority against a second one, written from the words of docs/spec.md, for every standing and every call.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Row } from "../../src/core/tool.ts";
import { MENU } from "../../src/gateway/commands.ts";
import { judge, present, type Call, type Standing } from "../../src/taint/guard.ts";
import { COLUMNS, columnOf, mayCommand, TABLE, type Cell, type Column } from "../../src/taint/table.ts";
import { printTable } from "./printed-table.ts";
import { callsOf, exceptions, outcomeOf, standingsOf, type Outcome } from "./standings.ts";

/** `listed`: whether the model is told of it; `given`: only where the run was given it. */
type Expected = {
  readonly listed: boolean | "given";
  readonly verdict: (call: Call, standing: Standing) => Outcome;
};

const byMode = (call: Call, { mode }: Standing): Outcome => {
  if (mode === "trust") return "allow";
  if (mode === "plan") return "deny";
  return mode === "edits" && call.inside === true && call.changesFiles === true ? "allow" : "mode asks";
};
const asksAfterReading = (call: Call, standing: Standing): Outcome =>
  standing.mode !== "plan" && standing.checkAfterReading ? "guard asks" : byMode(call, standing);
const insideElse =
  (otherwise: Expected["verdict"]): Expected["verdict"] =>
  (call, standing) =>
    call.inside === true ? "allow" : otherwise(call, standing);

const yes: Expected = { listed: true, verdict: () => "allow" };
const absent: Expected = { listed: false, verdict: () => "deny" };
const refused: Expected = { listed: true, verdict: () => "deny" };
const ask: Expected = { listed: true, verdict: asksAfterReading };
const mode: Expected = { listed: true, verdict: byMode };
const carrying: Expected = {
  listed: true,
  verdict: (call, standing) => (call.carries === false ? "allow" : asksAfterReading(call, standing)),
};
const given: Expected = { listed: "given", verdict: (call) => (call.given === true ? "allow" : "deny") };
const nowhereElse = { shared: absent, guest: absent, nobody: absent };

const EXPECTED: { readonly [R in Row]: { readonly [C in Column]: Expected } } = {
  plain: { clean: yes, marked: yes, person: yes, shared: yes, guest: yes, nobody: yes },
  history: { clean: yes, marked: yes, person: absent, ...nowhereElse },
  offer: { clean: yes, marked: refused, person: refused, ...nowhereElse },
  "cue-offer": { clean: yes, marked: yes, person: yes, ...nowhereElse },
  ask: { clean: yes, marked: yes, person: yes, shared: yes, guest: yes, nobody: yes },
  suggest: { clean: yes, marked: refused, person: refused, ...nowhereElse },
  plan: { clean: yes, marked: yes, person: yes, shared: yes, guest: yes, nobody: yes },
  skill: { clean: yes, marked: yes, person: yes, shared: absent, guest: absent, nobody: given },
  "app-read": { clean: yes, marked: carrying, person: carrying, shared: absent, guest: absent, nobody: given },
  "app-act": { clean: mode, marked: ask, person: ask, shared: absent, guest: absent, nobody: given },
  "engine-act": { clean: mode, marked: ask, person: ask, shared: absent, guest: absent, nobody: given },
  "engine-read": {
    clean: { listed: true, verdict: insideElse(byMode) },
    marked: { listed: true, verdict: insideElse(asksAfterReading) },
    person: { listed: true, verdict: insideElse(asksAfterReading) },
    shared: absent,
    guest: absent,
    nobody: { listed: true, verdict: insideElse(() => "deny") },
  },
};

/** Where the guard does otherwise than expected, in words; at most one for each column. */
function otherwise(row: Row, columns: readonly Column[] = COLUMNS): readonly string[] {
  return columns.flatMap((column) => {
    const { listed, verdict } = EXPECTED[row][column];
    const calls = callsOf(row);
    for (const standing of standingsOf(column)) {
      for (const wasGiven of [true, false]) {
        const wanted = listed === "given" ? wasGiven : listed;
        if (present(row, wasGiven, standing) !== wanted) return [`${row}, ${column}: listed ${String(!wanted)}`];
      }
      for (const call of calls) {
        const [is, wanted] = [outcomeOf(call, standing), verdict(call, standing)];
        if (is !== wanted)
          return [`${row}, ${column}: ${is} and not ${wanted} for ${JSON.stringify({ call, standing })}`];
      }
    }
    return [];
  });
}

describe("in every standing and for every call", () => {
  test("A1: the history tools are there in the owner's private chat, clean or marked by no person", () => {
    expect(otherwise("history", ["clean", "marked"])).toEqual([]);
  });

  test("A2, P14, P17: and absent with a person mark, with marks that can't be told, in a shared room, for a guest, with nobody there", () => {
    expect(otherwise("history", ["person", "shared", "guest", "nobody"])).toEqual([]);
    for (const column of ["person", "shared", "guest", "nobody"] as const)
      for (const standing of standingsOf(column)) expect(present("history", true, standing)).toBe(false);
  });

  test("A3: the assistant's offers are possible in the clean chat, refused in a marked one, absent elsewhere", () => {
    expect(otherwise("offer")).toEqual([]);
  });

  test("A4: cue offers are possible in every private chat of the owner, and nowhere else", () => {
    expect(otherwise("cue-offer")).toEqual([]);
  });

  test("A5: a question is possible everywhere", () => {
    expect(otherwise("ask")).toEqual([]);
  });

  test("A6: suggested replies of the assistant's are possible in the clean chat alone", () => {
    expect(otherwise("suggest")).toEqual([]);
  });

  test("A7: a plan is possible everywhere, and so is what reads nothing of anyone's", () => {
    expect([...otherwise("plan"), ...otherwise("plain")]).toEqual([]);
  });

  test("A72: a skill's instructions are there in the owner's private chats, and for a run that was given them", () => {
    expect(otherwise("skill")).toEqual([]);
  });

  test("A8: an app's reading tool runs in the owner's chats, and asks in a marked one where its arguments could carry data out", () => {
    expect(otherwise("app-read", ["clean", "marked", "person"])).toEqual([]);
  });

  test("A9: app tools are absent for guests and in shared rooms, and with nobody there a run has what it was given", () => {
    const columns = ["shared", "guest", "nobody"] as const;
    expect([...otherwise("app-read", columns), ...otherwise("app-act", columns)]).toEqual([]);
  });

  test("A10: what acts goes by the mode in the clean chat and asks in a marked one", () => {
    const columns = ["clean", "marked", "person"] as const;
    expect([...otherwise("app-act", columns), ...otherwise("engine-act", columns)]).toEqual([]);
  });

  test("A11: what acts never runs in shared rooms and for guests, and with nobody there only what the run was given", () => {
    const columns = ["shared", "guest", "nobody"] as const;
    expect([...otherwise("app-act", columns), ...otherwise("engine-act", columns)]).toEqual([]);
  });

  test("A12: an engine's own read passes inside the work folder, and outside it counts as a command, asks, or never runs", () => {
    expect(otherwise("engine-read")).toEqual([]);
  });

  test("A14: what is absent is refused in words when called anyway, and nobody is asked who is not there", () => {
    const found = exceptions((call, standing) => {
      const verdict = judge(call, standing);
      if (verdict.is === "deny" && !/^[A-Z].{15,}\.$/.test(verdict.words)) return false;
      if (verdict.is === "ask" && standing.attendance !== "owner") return false;
      return verdict.is === "deny" || present(call.row, call.given === true, standing);
    });
    expect(found).toEqual([]);
  });
});

test("A13: the owner has every command in private, some in a shared room, a guest three, and nobody none", () => {
  const commands = [...MENU.map(({ name }) => name), "fork", "rewind", "search", "activity", "settings", "unheard-of"];
  const allowed = (column: Column): readonly string[] => commands.filter((one) => mayCommand(column, one)).toSorted();
  for (const column of ["clean", "marked", "person"] as const) expect(allowed(column)).toEqual(commands.toSorted());
  expect(allowed("shared")).toEqual(["engine", "fork", "help", "new", "rewind", "status", "stop"]);
  expect(allowed("guest")).toEqual(["help", "new", "stop"]);
  expect(allowed("nobody")).toEqual([]);
});

test("A14, A31: a turn falls into the least trusted column that fits", () => {
  for (const column of COLUMNS)
    for (const { marks, ...standing } of standingsOf(column))
      if (marks !== undefined) expect(columnOf({ ...standing, marks })).toBe(column);
});

describe("A59: the table is one data structure that the guard uses", () => {
  test("docs/trust.md prints it", () => {
    const printed = printTable();
    const lines = printed.split("\n");
    expect(lines).toHaveLength(2 + Object.keys(TABLE).length);
    for (const line of lines) expect(line.split("|")).toHaveLength(COLUMNS.length + 3);
    const page = join(import.meta.dirname, "..", "..", "docs", "trust.md");
    if (existsSync(page)) expect(readFileSync(page, "utf8").split("\n")).toEqual(expect.arrayContaining(lines));
  });

  test("each cell that is another is seen by the tests above", () => {
    const cells = new Set(Object.values(TABLE).flatMap((row) => Object.values(row)));
    const survivors: string[] = [];
    for (const row of Object.keys(TABLE) as Row[])
      for (const column of COLUMNS) {
        const line = TABLE[row] as { -readonly [C in Column]: Cell };
        const right = line[column];
        for (const wrong of cells) {
          // What leads to that very cell leads nowhere.
          if (wrong === right || same(right, wrong, column) || (row === "engine-act" && wrong === "inside")) continue;
          line[column] = wrong;
          try {
            if (otherwise(row, [column]).length === 0) survivors.push(`${row}, ${column}: ${wrong}`);
          } finally {
            line[column] = right;
          }
        }
      }
    expect(survivors).toEqual([]);
  });
});

/** Cells that differ in what is said, or by whom, and never in what may run. */
function same(one: Cell, other: Cell, column: Column): boolean {
  const pairs: readonly (readonly Cell[])[] = [
    ["yes", "default"],
    ["refused", "own-only"],
    // Outside the folder both ask, where what acts asks.
    ...(column === "marked" || column === "person" ? [["inside", "inside-asks"] as const] : []),
  ];
  return pairs.some((pair) => pair.includes(one) && pair.includes(other));
}
