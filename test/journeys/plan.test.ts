// The mode that only plans: what follows its answers, and how it is left.
import { expect, it } from "vitest";
import { journey, PATIENT } from "./gateway.ts";
import { promptOf, puppet } from "./puppet.ts";

it("A70, A35: a plan is followed by Start and Keep planning; Start leaves the mode for this chat and says so in the owner's name", async () => {
  const toy = puppet();
  await using day = await journey({ puppet: toy.engine });
  day.say("/mode plan");
  await day.shown("Mode of this chat: plan.");
  day.say("How would you do it?");
  const kept = await day.shown("Shall I start on it?");
  expect(kept.keyboard.flat().map(({ text }) => text)).toEqual(["Start", "Keep planning"]);
  day.telegram.press(day.owner, day.owner, kept.id, "Keep planning");
  await day.telegram.until((wire) => wire.message(day.owner, kept.id)!.text.startsWith("Still planning"), PATIENT);

  day.say("And else?");
  const card = await day.shown("Shall I start on it?", { after: kept.id });
  day.telegram.press(day.owner, day.owner, card.id, "Start");
  await day.shown("Go ahead with the plan.");
  await day.settled();
  expect(day.telegram.message(day.owner, card.id)).toMatchObject({ text: "Started.", keyboard: [] });
  expect(toy.turns.map(promptOf)).toEqual(["How would you do it?", "And else?", "Go ahead with the plan."]);
  expect(toy.turns.at(-1)?.attendance).toBe("owner");
  // No further card: the chat plans no more.
  day.say("/status");
  expect((await day.shown("Engine")).text).toContain("Mode: ask");
  expect(day.texts().filter((text) => text.includes("Shall I start"))).toEqual([]);
});
