import { describe, expect, test } from "vitest";
import type { EntryBody } from "../../src/core/conversation.ts";
import { GatewayError } from "../../src/core/error.ts";
import type { Tool } from "../../src/core/tool.ts";
import { toolbox, type ToolboxTurn } from "../../src/turn/toolbox.ts";
import { nowTool } from "../../src/turn/now.ts";

type Ran = { readonly log: EntryBody[]; readonly runs: string[] };

function tool(ran: Ran, more: Partial<Tool> = {}): Tool {
  return {
    name: "look",
    description: "",
    input: { type: "object" },
    effect: "read",
    needs: { attendance: ["owner"], refusesMarks: ["person"] },
    check: (input) => input,
    run: async () => {
      ran.runs.push(ran.log.map((entry) => entry.kind).join(","));
      return { outcome: "ok", text: "seen" };
    },
    ...more,
  };
}

function turn(ran: Ran, more: Partial<ToolboxTurn> = {}): ToolboxTurn {
  return {
    conversation: "c",
    turn: "t",
    attendance: "owner",
    marks: () => [],
    signal: new AbortController().signal,
    append: async (body) => {
      // A disk takes its time.
      await Promise.resolve().then(() => undefined);
      ran.log.push(body);
    },
    ...more,
  };
}

const call = { id: "1", name: "look", input: {} };

describe("a turn's tools", () => {
  test("D23: the call is in the log before the tool runs, and its end after", async () => {
    const ran: Ran = { log: [], runs: [] };
    expect(await toolbox([tool(ran)], turn(ran)).call(call)).toEqual({ outcome: "ok", text: "seen" });
    expect(ran.runs).toEqual(["tool-start"]);
    expect(ran.log.map((entry) => entry.kind)).toEqual(["tool-start", "tool-end"]);
  });

  test("E27: a tool that this turn may not use is not listed, and is refused in words when called anyway", async () => {
    const ran: Ran = { log: [], runs: [] };
    const box = toolbox([tool(ran)], turn(ran, { attendance: "guest" }));
    expect(box.specs).toEqual([]);
    expect(await box.call(call)).toMatchObject({ outcome: "denied" });
    expect(ran).toEqual({ log: [], runs: [] });
  });

  test("E27: a mark that comes in mid-turn closes the tool for the next call", async () => {
    const ran: Ran = { log: [], runs: [] };
    let marked = false;
    const marks: ToolboxTurn["marks"] = () => (marked ? [{ kind: "person", label: "Ana", source: "telegram/2" }] : []);
    const box = toolbox([tool(ran)], turn(ran, { marks }));
    expect(await box.call(call)).toMatchObject({ outcome: "ok" });
    marked = true;
    expect(await box.call(call)).toMatchObject({ outcome: "denied" });
    expect(ran.runs).toHaveLength(1);
  });

  test("E27: what acts does not run while nobody can be asked", async () => {
    const ran: Ran = { log: [], runs: [] };
    expect(await toolbox([tool(ran, { effect: "act" })], turn(ran)).call(call)).toMatchObject({ outcome: "denied" });
    expect(ran.runs).toEqual([]);
  });

  test("E27: the engine's own tools do not run", async () => {
    const ran: Ran = { log: [], runs: [] };
    expect(await toolbox([], turn(ran)).allow({ id: "1", name: "Bash", input: {} })).toMatchObject({ is: "deny" });
  });

  test("E14: an unknown tool, input that it can't use and a failure are results in words, without outside text", async () => {
    const ran: Ran = { log: [], runs: [] };
    const broken = tool(ran, {
      check: () => {
        throw new GatewayError("tool-input", "zone must be a string.");
      },
    });
    const failing = tool(ran, { run: async () => await Promise.reject(new Error("raw text of a library")) });
    expect(await toolbox([], turn(ran)).call(call)).toMatchObject({ outcome: "not-run" });
    expect(await toolbox([broken], turn(ran)).call(call)).toEqual({ outcome: "error", text: "zone must be a string." });
    expect(await toolbox([failing], turn(ran)).call(call)).toEqual({ outcome: "error", text: "The tool failed." });
  });

  test("E17: nothing runs once the turn was stopped", async () => {
    const ran: Ran = { log: [], runs: [] };
    expect(await toolbox([tool(ran)], turn(ran, { signal: AbortSignal.abort() })).call(call)).toMatchObject({
      outcome: "not-run",
    });
    expect(ran.runs).toEqual([]);
  });
});

describe("the now tool", () => {
  const clock = { now: () => Date.UTC(2026, 10, 30, 12, 34, 56), sleep: async () => undefined, soon: () => undefined };
  const context = { conversation: "c", turn: "t", signal: new AbortController().signal };
  const ask = async (input: unknown): Promise<string> => {
    const now = nowTool(clock);
    return (await now.run(now.check(input), context)).text;
  };

  test("E25: it tells weekday, date, time and zone", async () => {
    expect(await ask({ zone: "Europe/Berlin" })).toBe("Monday, 30 November 2026 at 13:34:56 CET");
    expect(await ask({ zone: "UTC" })).toContain("12:34:56 UTC");
    expect(await ask({})).toContain("2026");
  });

  test.each([[{ zone: 5 }], [{ zone: "Mars/Base" }]])("E14: %j is refused in words", async (input) => {
    await expect(ask(input)).rejects.toThrow(/zone/);
  });
});
