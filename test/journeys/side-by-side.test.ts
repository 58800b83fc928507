// One person in several places: what is said in one is in no other.
import { expect, it } from "vitest";
import { journey, PATIENT, toldTo } from "./gateway.ts";
import { PLATFORMS } from "./stage.ts";

it.each(PLATFORMS)(
  "G46, G5, D45: a platform and the terminal are two conversations, side by side, and never mix (%s)",
  async (on) => {
    await using day = await journey({ on, terminal: true });
    const gate = day.models.gate();
    day.models.always((request) =>
      request.lastUserText.includes("Telegram")
        ? [{ wait: gate }, "For Telegram."]
        : `You said: ${request.lastUserText}`,
    );
    day.say("From Telegram: heron");
    await day.models.until(() => gate.reached, PATIENT);
    day.keyboard.write("From the terminal: stork\n");
    await day.until(() => day.screen.includes("You said: From the terminal: stork"));
    day.keyboard.write("And again: ibis\n");
    await day.until(() => day.screen.includes("You said: And again: ibis"));
    gate.release();
    await day.shown("For Telegram.");
    expect(day.screen).not.toContain("For Telegram.");
    expect(day.screen).not.toContain("heron");
    expect(day.texts()).toEqual(["For Telegram."]);
    expect(day.models.requests.map((request) => toldTo(request).length).toSorted((a, b) => a - b)).toEqual([1, 1, 3]);
    day.keyboard.end();
    await day.settled();
  },
);

/** In a shared room the words come in a frame. */
const asked = (text: string): string => /topic-\d/u.exec(text)?.[0] ?? text;

it.each(PLATFORMS)(
  "D45, G5: answers that come in another order than the questions each land where they were asked (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention" });
    const topics = Array.from({ length: 6 }, (_, at) => ({
      name: `topic-${at}`,
      place: day.side(`Topic ${at}`),
      gate: day.models.gate(`topic-${at}`),
    }));
    day.models.always((request) => [
      { wait: asked(request.lastUserText) },
      `Answer for ${asked(request.lastUserText)}`,
    ]);
    for (const { name, place } of topics) day.mention(name, { in: place });
    await day.asked(6);
    for (const { gate, name, place } of topics.toReversed()) {
      gate.release();
      await day.shown(`Answer for ${name}`, { in: place });
    }
    await day.settled();
    expect(topics.map(({ place }) => day.texts(place))).toEqual(topics.map(({ name }) => [`Answer for ${name}`]));
  },
);
