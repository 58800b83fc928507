// Every standing and every call there is to judge, for the tests of the table and the guard.
import { MODES, type Taint } from "../../src/core/taint.ts";
import type { Row } from "../../src/core/tool.ts";
import { judge, type Call, type Standing } from "../../src/taint/guard.ts";
import { COLUMNS, TABLE, type Column } from "../../src/taint/table.ts";

export const ANA: Taint = { kind: "person", label: "Ana on Telegram", source: "telegram/2" };
export const MAIL: Taint = { kind: "app", label: "Mail", source: "mail" };
export const PAGE: Taint = { kind: "web", label: "example.org", source: "https://example.org/" };
export const FILE: Taint = { kind: "download", label: "the file a.pdf", source: "download: a.pdf" };

const WITHOUT_PEOPLE: readonly (readonly Taint[])[] = [[MAIL], [PAGE], [FILE], [MAIL, PAGE, FILE]];
const WITH_PEOPLE: readonly Standing["marks"][] = [[ANA], [MAIL, ANA], [ANA, PAGE, FILE], undefined];
const ANY: readonly Standing["marks"][] = [[], ...WITHOUT_PEOPLE, ...WITH_PEOPLE];
const ROOMS = ["private", "shared"] as const;

type Place = Pick<Standing, "attendance" | "room" | "marks">;

/** What puts a turn into a column: all that the column's words say of it, and nothing else. */
const PLACES: { readonly [C in Column]: readonly Place[] } = {
  clean: [{ attendance: "owner", room: "private", marks: [] }],
  marked: WITHOUT_PEOPLE.map((marks) => ({ attendance: "owner", room: "private", marks })),
  person: WITH_PEOPLE.map((marks) => ({ attendance: "owner", room: "private", marks })),
  shared: ANY.map((marks) => ({ attendance: "owner", room: "shared", marks })),
  guest: ROOMS.flatMap((room) => ANY.map((marks) => ({ attendance: "guest" as const, room, marks }))),
  nobody: ROOMS.flatMap((room) => ANY.map((marks) => ({ attendance: "nobody" as const, room, marks }))),
};

/** Every standing of a column: in each mode, with marks asked about and not. */
export function standingsOf(column: Column): readonly Standing[] {
  return PLACES[column].flatMap((place) =>
    MODES.flatMap((mode) => [true, false].map((checkAfterReading) => ({ ...place, mode, checkAfterReading }))),
  );
}

/** Every call of a row: with each fact known, known to be otherwise, and not known. Closed places are left out. */
export function callsOf(row: Row): readonly Call[] {
  const facts = [true, false, undefined];
  return facts.flatMap((inside) =>
    facts.flatMap((changesFiles) =>
      facts.flatMap((carries) =>
        [true, undefined].map((given): Call => {
          const call = { row, act: "It wants to.", inside, changesFiles, carries, given };
          // What is not known is left out.
          return Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined)) as Call;
        }),
      ),
    ),
  );
}

/** Every row, standing and call of which `holds` is not true: so many that they are not asserted one by one. */
export function exceptions(holds: (call: Call, standing: Standing) => boolean): readonly string[] {
  const found: string[] = [];
  for (const row of Object.keys(TABLE) as Row[]) {
    const calls = callsOf(row);
    for (const column of COLUMNS)
      for (const standing of standingsOf(column))
        for (const call of calls) if (!holds(call, standing)) found.push(JSON.stringify({ column, call, standing }));
  }
  return found.slice(0, 5);
}

/** A verdict in a word: who asks, when it asks. */
export type Outcome = "allow" | "mode asks" | "guard asks" | "deny";

export function outcomeOf(call: Call, standing: Standing): Outcome {
  const verdict = judge(call, standing);
  return verdict.is === "ask" ? `${verdict.by} asks` : verdict.is;
}
