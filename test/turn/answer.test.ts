// The text of a turn, part by part.
import fc from "fast-check";
import { expect, it } from "vitest";
import { Answer } from "../../src/turn/answer.ts";

const same = (text: string): string => text;

it("O46, O57: what is said behind a call that ends no part is a paragraph of its own", () => {
  const answer = new Answer("t", same);
  answer.pause();
  answer.add("One.");
  answer.pause();
  answer.add(" \n");
  answer.add(" Two");
  answer.add(" and three.");
  expect(answer.draft().text).toBe("One.\n\nTwo and three.");
  answer.pause();
  expect(answer.closePart()).toMatchObject([{ part: 0, text: "One.\n\nTwo and three." }]);
  answer.add("Four");
  expect(answer.draft()).toMatchObject({ part: 1, text: "Four" });
});

it("O57: no word is lost, wherever calls come between", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string())), (deltas) => {
      const answer = new Answer("t", same);
      for (const delta of deltas) {
        if (delta === null) answer.pause();
        else answer.add(delta);
      }
      const bare = (text: string): string => text.replaceAll(/\s/gu, "");
      expect(bare(answer.draft().text)).toBe(bare(deltas.join("")));
    }),
  );
});

it("C43: a draft without text says what the engine's own tools are at, the newest of those that run; with text, and to others, it doesn't", () => {
  const answer = new Answer("t", (text) => text.replaceAll("hunter2", "[hidden]"), true);
  answer.began({ id: "1", name: "Read", input: { path: "a.ts" } });
  answer.began({ id: "2", name: "Bash", input: { command: "echo hunter2" } });
  expect(answer.draft()).toEqual({ turn: "t", part: 0, text: "", doing: String.raw`_Bash: echo \[hidden\]_` });
  answer.ended("2");
  expect(answer.draft().doing).toBe("_Reading a.ts_");
  answer.add("So");
  expect(answer.draft()).toEqual({ turn: "t", part: 0, text: "So" });
  answer.closePart();
  answer.ended("1");
  expect(answer.draft()).toEqual({ turn: "t", part: 1, text: "" });
  const toOthers = new Answer("t", same);
  toOthers.began({ id: "1", name: "Read", input: { path: "a.ts" } });
  expect(toOthers.draft()).toEqual({ turn: "t", part: 0, text: "" });
});
