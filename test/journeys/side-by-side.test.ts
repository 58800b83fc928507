// One person in several places: what is said in one is in no other.
import { expect, it } from "vitest";
import { journey, PATIENT, SAM, toldTo } from "./gateway.ts";

it("G46, G5, D45: Telegram and the terminal are two conversations, side by side, and never mix", async () => {
  await using day = await journey({ terminal: true });
  const gate = day.models.gate();
  day.models.always((request) =>
    request.lastUserText.includes("Telegram") ? [{ wait: gate }, "For Telegram."] : `You said: ${request.lastUserText}`,
  );
  day.say("From Telegram: heron");
  await day.models.until(() => gate.reached, PATIENT);
  day.keyboard.write("From the terminal: stork\n");
  await day.telegram.until(() => day.screen.includes("You said: From the terminal: stork"), PATIENT);
  day.keyboard.write("And again: ibis\n");
  await day.telegram.until(() => day.screen.includes("You said: And again: ibis"), PATIENT);
  gate.release();
  await day.shown("For Telegram.");
  expect(day.screen).not.toContain("For Telegram.");
  expect(day.screen).not.toContain("heron");
  expect(day.texts()).toEqual(["For Telegram."]);
  expect(day.models.requests.map((request) => toldTo(request).length).toSorted((a, b) => a - b)).toEqual([1, 1, 3]);
  day.keyboard.end();
  await day.settled();
});

it("D45, G5: answers that come in another order than the questions each land where they were asked", async () => {
  await using day = await journey({ wire: { topicsInPrivate: true } });
  const topics = Array.from({ length: 6 }, (_, at) => ({
    name: `topic-${at}`,
    id: day.telegram.addTopic(SAM, `Topic ${at}`),
    gate: day.models.gate(`topic-${at}`),
  }));
  day.models.always((request) => [{ wait: request.lastUserText }, `Answer for ${request.lastUserText}`]);
  for (const { name, id } of topics) day.say(name, { threadId: id });
  await day.asked(6);
  for (const { gate, name, id } of topics.toReversed()) {
    gate.release();
    expect((await day.shown(`Answer for ${name}`)).threadId).toBe(id);
  }
  await day.settled();
  expect(day.texts()).toHaveLength(6);
});
