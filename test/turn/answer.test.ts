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
