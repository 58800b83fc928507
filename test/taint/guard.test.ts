import { describe, expect, test } from "vitest";
import { MODES, type Taint } from "../../src/core/taint.ts";
import type { Row } from "../../src/core/tool.ts";
import { judge, present, sources, type Call, type Standing } from "../../src/taint/guard.ts";
import { COLUMNS, TABLE } from "../../src/taint/table.ts";
import { ATTACKS } from "../injection/corpus.ts";
import { ANA, exceptions, FILE, MAIL, outcomeOf, PAGE, standingsOf } from "./standings.ts";

const ROWS = Object.keys(TABLE) as Row[];
const stand = (more: Partial<Standing> = {}): Standing => ({
  attendance: "owner",
  room: "private",
  marks: [],
  mode: "ask",
  checkAfterReading: true,
  ...more,
});
const act = (more: Partial<Call> = {}): Call => ({ row: "engine-act", act: "It wants to act.", ...more });

describe("A31: the guard is one pure function", () => {
  test("the same question has the same answer, and asking changes nothing", () => {
    const found = exceptions((call, standing) => {
      const [before, first] = [JSON.stringify({ call, standing }), JSON.stringify(judge(call, standing))];
      return JSON.stringify(judge(call, standing)) === first && JSON.stringify({ call, standing }) === before;
    });
    expect(found).toEqual([]);
  });

  test("marks that can't be told count as a person's", () => {
    const found = exceptions(
      (call, standing) =>
        standing.marks !== undefined || outcomeOf(call, standing) === outcomeOf(call, { ...standing, marks: [ANA] }),
    );
    expect(found).toEqual([]);
    for (const row of ROWS)
      expect(present(row, false, stand({ marks: undefined }))).toBe(present(row, false, stand({ marks: [ANA] })));
  });

  test("another mark never opens anything", () => {
    const rank = { allow: 0, "mode asks": 1, "guard asks": 2, deny: 3 } as const;
    const found = exceptions((call, standing) => {
      const { marks } = standing;
      if (marks === undefined || !standing.checkAfterReading) return true;
      return [ANA, MAIL, PAGE, FILE].every((more) => {
        const after = { ...standing, marks: [...marks, more] };
        const given = call.given === true;
        return (
          rank[outcomeOf(call, after)] >= rank[outcomeOf(call, standing)] &&
          (present(call.row, given, standing) || !present(call.row, given, after))
        );
      });
    });
    expect(found).toEqual([]);
  });
});

describe("A20: what is closed", () => {
  test("is denied to every call in every standing", () => {
    expect(exceptions((call, standing) => outcomeOf({ ...call, closed: true }, standing) === "deny")).toEqual([]);
  });

  test("is asked about each time where nothing keeps a tool out of it, never by the mode's asks, whose leave may be for good; and never opens what is shut", () => {
    const found = exceptions((call, standing) => {
      const [plain, loose] = [outcomeOf(call, standing), outcomeOf({ ...call, closed: "maybe" }, standing)];
      if (plain !== "allow" && plain !== "mode asks") return loose === plain;
      return loose === (standing.attendance === "owner" ? "guard asks" : "deny");
    });
    expect(found).toEqual([]);
  });
});

describe("A32: once marked", () => {
  const kinds: readonly Taint[] = [ANA, MAIL, PAGE, FILE];

  test.each(kinds)("by a $kind, acts ask in every mode but the one that does nothing", (mark) => {
    for (const mode of MODES) {
      const standing = stand({ marks: [mark], mode });
      const wanted = mode === "plan" ? "deny" : "guard asks";
      // A command, a fetch, a search; a change of files, inside the work folder too; an app's tool that isn't known to read.
      expect(outcomeOf(act(), standing)).toBe(wanted);
      expect(outcomeOf(act({ inside: true, changesFiles: true }), standing)).toBe(wanted);
      expect(outcomeOf(act({ row: "app-act" }), standing)).toBe(wanted);
      expect(outcomeOf(act({ row: "app-read", carries: true }), standing)).toBe(wanted);
      expect(outcomeOf(act({ row: "app-read" }), standing)).toBe(wanted);
      expect(outcomeOf(act({ row: "app-read", carries: false }), standing)).toBe("allow");
    }
  });
});

describe("A33: the reason", () => {
  const reason = (marks: readonly Taint[] | undefined): string => {
    const verdict = judge(act(), stand({ marks }));
    return verdict.is === "ask" ? verdict.reason : "it does not ask";
  };
  const many = (count: number): readonly Taint[] =>
    Array.from({ length: count }, (_, nth) => ({ kind: "person", label: `P${nth + 1}`, source: `telegram/${nth}` }));

  test("names up to three sources and how many more, then the act", () => {
    expect(reason(many(1))).toBe("This chat holds words from P1. It wants to act.");
    expect(reason(many(3))).toBe("This chat holds words from P1, P2, P3. It wants to act.");
    expect(reason(many(4))).toBe("This chat holds words from P1, P2, P3 and 1 more. It wants to act.");
    expect(reason(many(12))).toBe("This chat holds words from P1, P2, P3 and 9 more. It wants to act.");
    expect(reason(undefined)).toBe("This chat holds words from an unknown source. It wants to act.");
  });

  test("names a source once, whatever it marked by", () => {
    expect(sources([ANA, { ...ANA, kind: "app" }, PAGE])).toBe("Ana on Telegram, example.org");
  });

  test("is the act alone where only the mode asks", () => {
    expect(judge(act(), stand())).toEqual({ is: "ask", by: "mode", reason: "It wants to act." });
  });
});

describe("A34: the wording of outside text", () => {
  const words = ATTACKS.flatMap(({ parts }) => parts);

  test("changes no verdict, whoever is called by it", () => {
    const calls = ROWS.flatMap((row) => [act({ row }), act({ row, inside: true, carries: false, given: true })]);
    const standings = COLUMNS.flatMap((column) => standingsOf(column)).filter(({ marks }) => (marks?.length ?? 0) > 0);
    const plain = standings.map((standing) => calls.map((call) => outcomeOf(call, standing)));
    expect(words.length).toBeGreaterThan(100);
    for (const label of words.filter((_, nth) => nth % 20 === 0)) {
      const said = standings.map((standing) => {
        const marks = standing.marks?.map((mark) => ({ ...mark, label, source: label }));
        return calls.map((call) => outcomeOf(call, { ...standing, marks }));
      });
      expect(said).toEqual(plain);
    }
  });
});

describe("A35: in a clean chat the mode", () => {
  test.each([
    ["ask", ["mode asks", "mode asks", "mode asks"]],
    ["edits", ["mode asks", "allow", "mode asks"]],
    ["trust", ["allow", "allow", "allow"]],
    ["plan", ["deny", "deny", "deny"]],
  ] as const)("%s judges a command, a change inside the work folder and one outside it", (mode, wanted) => {
    const standing = stand({ mode });
    const calls = [
      act({ inside: true, changesFiles: false }),
      act({ inside: true, changesFiles: true }),
      act({ inside: false, changesFiles: true }),
    ];
    expect(calls.map((call) => outcomeOf(call, standing))).toEqual(wanted);
    // Reading is no act.
    expect(outcomeOf(act({ row: "engine-read", inside: true }), standing)).toBe("allow");
    expect(outcomeOf(act({ row: "app-read" }), standing)).toBe("allow");
  });

  test("trust never lets a guard's own ask pass", () => {
    const found = exceptions(
      (call, standing) =>
        outcomeOf(call, { ...standing, mode: "ask" }) !== "guard asks" ||
        outcomeOf(call, { ...standing, mode: "trust" }) === "guard asks",
    );
    expect(found).toEqual([]);
  });
});

describe("A36: checkAfterReading off", () => {
  test("leaves no ask about marks, and opens nothing that is closed", () => {
    const found = exceptions((call, on) => {
      if (!on.checkAfterReading) return true;
      const off = { ...on, checkAfterReading: false };
      const [is, was] = [outcomeOf(call, off), outcomeOf(call, on)];
      const listed = [true, false].every((given) => present(call.row, given, off) === present(call.row, given, on));
      return listed && is !== "guard asks" && (was === "guard asks" || is === was);
    });
    expect(found).toEqual([]);
  });

  test("still asks where nothing keeps a command out of closed places", () => {
    expect(outcomeOf(act({ closed: "maybe" }), stand({ mode: "trust", checkAfterReading: false }))).toBe("guard asks");
  });
});
