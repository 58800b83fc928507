import { expect, it } from "vitest";
import type { TurnDesk } from "../../src/cards/desk.ts";
import { offerTool } from "../../src/cards/offer-tool.ts";
import type { Offer } from "../../src/core/card.ts";
import type { ToolContext } from "../../src/core/tool.ts";

const context: ToolContext = {
  conversation: "c",
  turn: "t",
  signal: new AbortController().signal,
  taints: async () => [],
};
const never: Pick<TurnDesk, "propose"> = {
  propose: async () => {
    throw new Error("Nothing is to be asked of the desk.");
  },
};

it.each([
  undefined,
  [],
  {},
  { kind: "app" },
  { kind: "thing", target: "mail", why: "" },
  { kind: "app", target: " ", why: "" },
  { kind: "app", target: 7, why: "" },
  { kind: "app", target: "mail" },
  { kind: "app", target: "mail", why: 3 },
])("O10: input of another shape is refused in words: %j", (input) => {
  expect(() => offerTool(never).check(input)).toThrow(/^(?:kind|target|why) must be /u);
});

it("O10, O18, O64: it asks the desk, hands the card on, and says what came of it", async () => {
  const offer = { kind: "offer", id: "o" } as Offer;
  const asked: unknown[] = [];
  const tool = offerTool({
    async propose(...given) {
      asked.push(given);
      return { is: "offer", offer, words: "A card stands." };
    },
  });
  const input = tool.check({ kind: "skill", target: " trips ", why: "It plans." });
  expect(await tool.run(input, context)).toEqual({ outcome: "ok", text: "A card stands.", offer });
  expect(asked).toEqual([[{ kind: "skill", id: "trips" }, "It plans.", "assistant"]]);
  expect(tool).toMatchObject({ row: "offer", effect: "read" });
});

it("O18: where none is shown, the reason and its words are the answer, and no card goes along", async () => {
  const tool = offerTool({ propose: async () => ({ is: "none", reason: "muted", words: "Not wanted." }) });
  const answer = await tool.run({ kind: "app", target: "mail", why: "" }, context);
  expect(answer).toEqual({ outcome: "not-run", text: "No card is shown (muted). Not wanted." });
});
