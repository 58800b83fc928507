// Who can be asked: with nobody there, or behind a pipe, the tool is in no list, and a call is told so.
import { expect, it } from "vitest";
import { emptyCatalog } from "../catalog/empty.ts";
import { Questions } from "../../src/cards/questions.ts";
import { turnCards } from "../../src/cards/turn-cards.ts";
import type { Attendance } from "../../src/core/taint.ts";
import { openStore } from "../../src/store/open.ts";
import { toolbox } from "../../src/turn/toolbox.ts";
import { pass, stageSurroundings } from "../gateway/stage.ts";

it.each([
  ["owner", true, true],
  ["guest", true, true],
  ["nobody", true, false],
  ["owner", false, false],
] as const)(
  "O44, A10: %s, whom the platform can wait for (%s): it is listed (%s)",
  async (attendance, waits, listed) => {
    const surroundings = stageSurroundings();
    const store = await openStore({ folder: ":memory:", ...surroundings });
    const questions = new Questions(store, surroundings);
    const place = { platform: "stage", chat: "1", kind: "private" } as const;
    const who: { attendance: Attendance; person: string; name: string } = {
      attendance,
      person: "stage/1",
      name: "Sam",
    };
    const engine = { ...{ tools: true, images: false, plan: false, ownTools: false, sessions: false }, holdMs: 1000 };
    const cards = await turnCards(
      { catalog: emptyCatalog(), store, questions, own: [], forms: () => false, waits: () => waits, surroundings },
      {
        ...{ conversation: "c", turn: "t", room: "private", place, engine, words: "" },
        ...who,
        clean: async () => true,
      },
    );
    const standing = { attendance, room: "private", marks: [], mode: "ask", checkAfterReading: true } as const;
    const box = await toolbox(cards.tools, {
      ...{
        conversation: "c",
        turn: "t",
        workFolder: "/work/c",
        given: new Set(),
        signal: new AbortController().signal,
      },
      places: { judge: async () => ({ inside: false, closed: false }), namesClosed: () => false },
      ...{ standing: async () => standing, append: async () => true, said: () => [], ask: async () => undefined },
    });
    expect(box.specs.some(({ name }) => name === "ask")).toBe(listed);
    expect(box.guidance.some((line) => line.includes("Ask with the ask tool"))).toBe(listed);
    if (listed) return;
    const input = { fields: [{ id: "why", label: "Why?", kind: "text" }] };
    const called = box.call({ id: "1", name: "ask", input });
    await pass(surroundings.clock, 0);
    expect((await called).text).toContain("Nobody is here to be asked. Pick the sensible default");
    expect(questions.live).toEqual([]);
  },
);
