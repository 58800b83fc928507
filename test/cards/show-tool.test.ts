// The tool `show`, over a real store in memory and the real program that draws.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { showTool } from "../../src/cards/show-tool.ts";
import type { Message } from "../../src/core/message.ts";
import type { Tool, ToolResult } from "../../src/core/tool.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openPictures, type Pictures } from "../../src/pictures/drawing.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/port.ts";

const TABLE = "| City | People |\n|---|---|\n| A | 100 |\n| B | 50 |";
const SVG = "<svg viewBox='0 0 9 9'><rect width='9' height='9'/></svg>";
const quiet = (): void => undefined;

let store: Store;
let pictures: Pictures;
let folder: string;
let tool: Tool;
let turn = 0;

beforeAll(async () => {
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  store = await openStore({ folder: ":memory:", clock: realClock, random: realRandom, log });
  pictures = openPictures(realClock);
  folder = mkdtempSync(join(tmpdir(), "show-"));
  tool = showTool({ log: store.log, pictures, random: realRandom, folder: (id) => join(folder, id) });
});
afterAll(async () => {
  await pictures[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** A chat with these answers. */
async function chat(...answers: readonly string[]): Promise<string> {
  turn += 1;
  const id = `chat-${turn}`;
  await store.commit([
    { do: "open", id, room: { platform: "stage", chat: id, kind: "private" }, person: "stage/1", title: id, at: 1 },
    ...answers.map((text, part) => ({
      do: "append" as const,
      conversation: id,
      body: { kind: "text" as const, turn: `t${turn}`, part, text },
      at: 1,
    })),
  ]);
  return id;
}

async function show(conversation: string, input: unknown, signal = new AbortController().signal): Promise<ToolResult> {
  return tool.run(tool.check(input), { conversation, turn: "t", signal, taints: () => Promise.resolve([]) });
}

describe("show", () => {
  it("O61d: a chart of a given table, as a file of the conversation's folder that nobody else can read", async () => {
    const id = await chat();
    const result = await show(id, { kind: "chart", source: TABLE, chart: "bar", title: "Cities" });
    const shows = "Bar chart “Cities”: People for 2 rows, from A to B; values from 50 to 100.";
    expect(result).toMatchObject({
      outcome: "ok",
      text: `People see the picture now. ${shows}`,
      picture: { name: "chart.png", alt: shows },
    });
    const path = result.picture?.path ?? "";
    expect(dirname(path)).toBe(join(folder, id));
    expect(path).toMatch(/\/[\w-]{16}\.png$/u);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path).toString("latin1", 1, 4)).toBe("PNG");
  });

  it("O49, O61d: without a source the newest table of numbers in this chat's answers, and of no other chat", async () => {
    const id = await chat(
      TABLE.replace("People", "Old"),
      TABLE.replace("People", "New"),
      "| a | b |\n|---|---|\n| x | y |\n| z | w |",
    );
    const result = await show(id, { kind: "chart" });
    expect(result.picture?.alt).toBe("Bar chart: New for 2 rows, from A to B; values from 50 to 100.");
    const empty = await show(await chat("No table."), { kind: "chart" });
    expect(empty).toMatchObject({ outcome: "error" });
    expect(empty.text).toMatch(/^There is no table of numbers to draw/u);
  });

  it("O49: what a person wrote or a tool gave is no answer: no table of theirs is drawn", async () => {
    const id = await chat();
    const message: Message = {
      from: { platform: "stage", id: "1", name: "Sam", role: "owner" },
      at: 1,
      ids: ["1"],
      parts: [{ kind: "text", messageId: "1", text: TABLE, origin: { kind: "own" } }],
    };
    await store.commit([
      { do: "append", conversation: id, at: 1, body: { kind: "message", message } },
      {
        do: "append",
        conversation: id,
        at: 1,
        body: { kind: "tool-end", turn: "t", callId: "1", result: { outcome: "ok", text: TABLE } },
      },
    ]);
    expect(await show(id, { kind: "chart" })).toMatchObject({ outcome: "error" });
  });

  it("O61d: a diagram and an SVG, with or without the fence they were said in", async () => {
    const id = await chat();
    expect(
      await show(id, { kind: "diagram", source: "```mermaid\nflowchart TD\n A --> B\n```", title: "Flow" }),
    ).toMatchObject({
      picture: { name: "diagram.png", alt: "Flow. Flowchart." },
    });
    expect(await show(id, { kind: "svg", source: SVG })).toMatchObject({
      picture: { name: "svg.png", alt: "Preview of an SVG." },
    });
  });

  it("O61d: what can't be drawn is said in words, and no file is left", async () => {
    const id = await chat();
    expect(await show(id, { kind: "diagram", source: "gantt\n title x" })).toEqual({
      outcome: "error",
      text: "This kind of diagram can't be drawn here: flowcharts, sequence, class, state and entity diagrams can. Nothing was shown.",
    });
    expect(await show(id, { kind: "svg", source: "<svg" })).toMatchObject({ outcome: "error" });
    expect(existsSync(join(folder, id))).toBe(false);
  });

  it("O61d: a stopped reply shows nothing, and a folder that can't be written is said", async () => {
    const id = await chat();
    const stopped = new AbortController();
    stopped.abort();
    expect(await show(id, { kind: "svg", source: SVG }, stopped.signal)).toMatchObject({ outcome: "not-run" });
    expect(existsSync(join(folder, id))).toBe(false);
    writeFileSync(join(folder, id), "a file where the folder should be");
    const result = await show(id, { kind: "svg", source: SVG });
    expect(result).toEqual({ outcome: "error", text: "The picture couldn't be drawn or kept. Nothing was shown." });
  });

  it("O61d: words beside a picture are on one line and capped", async () => {
    const long = "x".repeat(3000);
    const result = await show(await chat(), { kind: "chart", source: TABLE.replaceAll("A", long) });
    expect(result.picture?.alt.length).toBeLessThanOrEqual(800);
    expect(result.picture?.alt).not.toContain("\n");
  });

  test.each([
    ["nothing", undefined, /must be an object/u],
    ["no kind", {}, /kind must be one of chart, diagram, svg/u],
    ["another kind", { kind: "table" }, /kind must be one of/u],
    ["a diagram of nothing", { kind: "diagram" }, /diagram needs its source/u],
    ["an empty SVG", { kind: "svg", source: "  " }, /svg needs its source/u],
    ["another chart", { kind: "chart", chart: "radar" }, /chart must be one of bar, line, pie/u],
    ["a source that is no text", { kind: "svg", source: 5 }, /source must be text/u],
    ["an endless source", { kind: "svg", source: "x".repeat(200_001) }, /source may have 200000/u],
    ["a title that is no text", { kind: "chart", title: {} }, /title must be text/u],
  ])("O61d, O70: input with %s is refused in words", (_, input, words) => {
    expect(() => tool.check(input)).toThrow(words);
  });

  it("O61d, O64: it reads, in every chat, and null stands for what is left out", () => {
    expect([tool.row, tool.effect]).toEqual(["plain", "read"]);
    expect(tool.check({ kind: "chart", source: null, chart: null, title: null })).toEqual({ kind: "chart" });
  });
});
