// No statement that runs again and again may read a table from end to end: stores grow for years.
import { expect, it } from "vitest";
import { applyChanges } from "../../src/store/changes.ts";
import { findConversations } from "../../src/store/conversations.ts";
import { openDatabase, type Database } from "../../src/store/database.ts";
import { removeConversation } from "../../src/store/erase.ts";
import { findInbound, keep } from "../../src/store/inbound.ts";
import { followLog } from "../../src/store/log.ts";
import { findOutgoing } from "../../src/store/outbox.ts";
import type { Change } from "../../src/store/port.ts";
import { findRecords } from "../../src/store/records.ts";
import { migrate } from "../../src/store/schema.ts";
import { append, notice, open, room, SAM, say, show, started, surroundings } from "./world.ts";

it("finds the unsettled among 1,000 conversations, and everything else, by an index", async () => {
  using database = openDatabase(":memory:");
  database.exec("PRAGMA foreign_keys = ON");
  migrate(database);
  const seen = new Set<string>();
  const noting = (sql: string): string => {
    seen.add(sql);
    return sql;
  };
  const noted: Database = {
    ...database,
    get: (sql, ...values) => database.get(noting(sql), ...values),
    all: (sql, ...values) => database.all(noting(sql), ...values),
    run: (sql, ...values) => database.run(noting(sql), ...values),
  };
  const apply = (...changes: readonly Change[]): void => {
    expect(applyChanges(noted, surroundings.random, changes).ok).toBe(true);
  };
  for (let nth = 0; nth < 1_000; nth += 1) apply(open(`c${nth}`), notice(`c${nth}`, "x"));
  // As many rows as make the planner's choice plain, were it ever to ask.
  const [row] = keep(noted, "telegram", [{ key: "1", raw: 1 }], 1);
  apply(
    say("c5", "hi"),
    append("c7", started("t", 1)),
    { do: "title", conversation: "c5", title: "t" },
    { do: "engine", conversation: "c5", engine: "e" },
    { do: "archive", conversation: "c6", archived: true },
    { do: "archive", conversation: "c6", archived: false },
    { do: "inbound-done", ids: [row!.id], outcome: "message" },
    { do: "claim", key: "k", by: "x", at: 1 },
    { do: "button", key: "k", button: { conversation: "c5", does: "stop", turn: "t" } },
    { do: "mode", conversation: "c5", mode: "trust" },
    append("c5", { kind: "marked", taint: { kind: "person", label: "l", source: "s" } }),
    { do: "expect-marks", conversation: "c5", count: 1 },
    { do: "know", known: { platform: "t", id: "1", kind: "person", name: "n", standing: "guest", at: 1 } },
    { do: "forget-known", platform: "t", id: "2" },
    { do: "session", session: { conversation: "c5", engine: "e", resumeId: "r", seen: 1, redacted: false } },
    { do: "forget-session", conversation: "c5", engine: "f" },
    { do: "cursor", name: "c", value: "1" },
    { do: "plan", rows: [show("c5", "k")] },
    {
      do: "outgoing",
      id: 1,
      from: { state: "planned", attempt: 0 },
      to: { state: "shown", attempt: 1, ref: "9" },
      instead: [show("c5", "k")],
    },
    { do: "prune", before: 1 },
    { do: "move-room", platform: "telegram", from: "c8", to: "z" },
  );
  const [conversations, outbox, records, log] = [
    findConversations(noted),
    findOutgoing(noted),
    findRecords(noted),
    followLog(noted),
  ];
  expect((await conversations.unsettled()).map(({ conversation }) => conversation)).toEqual(["c5", "c7"]);
  await Promise.all([
    conversations.get("c5"),
    conversations.list({ limit: 5 }),
    conversations.current(room("c5"), SAM),
    conversations.holding(room("c5"), "9"),
    conversations.state("c5"),
    conversations.marks("c5"),
    conversations.marks("c6"),
    log.read("c5", { after: 1 }),
    log.read("c5", { last: true, limit: 1 }),
    log.head(),
    log.follow(0, new AbortController().signal)[Symbol.asyncIterator]().next(),
    outbox.open(),
    outbox.shown(room("c5"), "k", 0),
    outbox.counts(),
    findInbound(noted).pending("telegram"),
    records.button("k"),
    records.claim("k"),
    records.cursor("c"),
    records.session("c5", "e"),
  ]);
  removeConversation(noted, "c5");

  const plans = [...seen].map((sql) => {
    const { length } = sql.match(/\?/gu) ?? [];
    const nothing = Array.from({ length }, () => null);
    return {
      sql,
      steps: (database.all(`EXPLAIN QUERY PLAN ${sql}`, ...nothing) as { detail: string }[]).map(
        ({ detail }) => detail,
      ),
    };
  });
  expect(plans.length).toBeGreaterThan(40);
  // Walking an index in its order is how "the newest" is found; reading a table without one is not allowed. Sorting is for
  // the few conversations that hold copies of one message, and for the marks of one chat.
  const slow = plans.filter(({ sql, steps }) =>
    steps.some(
      (step) =>
        (step.startsWith("SCAN ") && !/ USING (?:COVERING )?INDEX |CONSTANT ROW/u.test(step)) ||
        (step.includes("TEMP B-TREE") && !/ FROM (?:message_id|mark) /u.test(sql)),
    ),
  );
  expect(slow).toEqual([]);
  const unsettled = plans.find(({ sql }) => sql.includes("since IS NOT NULL"));
  expect(unsettled?.steps.join()).toContain("USING INDEX conversation_unsettled");
});
