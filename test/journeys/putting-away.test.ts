// What is put away or left behind: /archive in the middle of an answer, and cards that were asked in another chat.
import { expect, it } from "vitest";
import { journey, PATIENT, SAM } from "./gateway.ts";
import type { Journey } from "./gateway.ts";

/** A turn that has begun to say something and waits. */
async function answering(day: Journey): Promise<{ release(): void }> {
  const gate = day.models.gate();
  day.models.reply(["So far. ", { wait: gate }, "And the rest."]);
  day.say("Write something long");
  await day.models.until(() => gate.reached, PATIENT);
  await day.telegram.until((wire) => wire.drafts(SAM).length > 0, PATIENT);
  return gate;
}

it("G17, G13: /archive ends the turn that runs; what it had said stands above, and nothing of it comes after", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const gate = await answering(day);
  day.say("/archive");
  const line = await day.shown("is put away");
  await day.models.until((wire) => wire.requests[0]?.aborted, PATIENT);
  gate.release();
  day.say("Next");
  await day.shown("You said: Next");
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped.", line.text, "You said: Next"]);
});

it("G33, G17: archive on the command line ends a turn as well", async () => {
  await using day = await journey({ pace: { draftMs: 0 } });
  const gate = await answering(day);
  const [first] = await day.entries();
  expect(await day.gateway.archive(first!.conversation)).toBe(true);
  expect((await day.entries()).at(-1)).toMatchObject({ kind: "turn-ended", reason: "stopped" });
  gate.release();
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped."]);
});

it("G16: a card of /engine that was asked before /new changes nothing, and says so", async () => {
  await using day = await journey({ engines: { small: { model: "small-model" }, large: { model: "large-model" } } });
  day.say("Hi");
  await day.shown("You said: Hi");
  day.say("/engine");
  const card = await day.shown("Which engine");
  day.say("/new");
  await day.shown("New chat");
  const press = day.telegram.press(SAM, SAM, card.id, "large");
  const answer = await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  expect(answer.text).toBe("That was about an earlier chat. /engine asks for this one.");
  day.say("Who answers?");
  await day.shown("You said: Who answers?");
  await day.settled();
  expect(day.models.requests.map(({ model }) => model)).toEqual(["small-model", "small-model"]);
  expect(day.texts().join("\n")).not.toContain("answered by large");
  expect(JSON.stringify(await day.entries())).not.toContain('"answered"');
});

it("G16: a card of /engine names an engine that has left the config: nothing changes, and it says so", async () => {
  await using day = await journey({ engines: { small: { model: "small-model" }, large: { model: "large-model" } } });
  day.say("/engine");
  const card = await day.shown("Which engine");
  await day.settled();
  await day.restart({ engines: { small: { model: "small-model" } } });
  const press = day.telegram.press(SAM, SAM, card.id, "large");
  const answer = await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  expect(answer.text).toBe("The config has no engine large any more.");
  day.say("Who answers?");
  await day.shown("You said: Who answers?");
  await day.settled();
  expect(day.models.last?.model).toBe("small-model");
  // The choice is still open: the engine that is there can be taken.
  day.telegram.press(SAM, SAM, card.id, "small (now)");
  await day.telegram.until((wire) => wire.message(SAM, card.id)!.text.includes("answered by small"), PATIENT);
});
