// What is put away or left behind: /archive in the middle of an answer, and cards that were asked in another chat.
import { expect, it } from "vitest";
import { journey, PATIENT } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { PLATFORMS } from "./stage.ts";

/** A turn that has begun to say something and waits. */
async function answering(day: Journey): Promise<{ release(): void }> {
  const gate = day.models.gate();
  day.models.reply(["So far. ", { wait: gate }, "And the rest."]);
  day.say("Write something long");
  await day.models.until(() => gate.reached, PATIENT);
  await day.growing();
  return gate;
}

it.each(PLATFORMS)(
  "G17, G13: /archive ends the turn that runs; what it had said stands above, and nothing of it comes after (%s)",
  async (on) => {
    await using day = await journey({ on, pace: { draftMs: 0 } });
    const gate = await answering(day);
    day.command("archive");
    const line = await day.shown("is put away");
    await day.models.until((wire) => wire.requests[0]?.aborted, PATIENT);
    gate.release();
    day.say("Next");
    await day.shown("You said: Next");
    await day.settled();
    expect(day.texts()).toEqual(["So far.", "Stopped.", line.text, "You said: Next"]);
  },
);

it.each(PLATFORMS)("G33, G17: archive on the command line ends a turn as well (%s)", async (on) => {
  await using day = await journey({ on, pace: { draftMs: 0 } });
  const gate = await answering(day);
  const [first] = await day.entries();
  expect(await day.gateway.archive(first!.conversation)).toBe(true);
  expect((await day.entries()).at(-1)).toMatchObject({ kind: "turn-ended", reason: "stopped" });
  gate.release();
  await day.settled();
  expect(day.texts()).toEqual(["So far.", "Stopped."]);
});

it.each(PLATFORMS)(
  "G16: a card of /engine that was asked before /new changes nothing, and says so (%s)",
  async (on) => {
    await using day = await journey({
      on,
      engines: { small: { model: "small-model" }, large: { model: "large-model" } },
    });
    day.say("Hi");
    await day.shown("You said: Hi");
    day.command("engine");
    const card = await day.shown("Which engine");
    day.command("new");
    await day.shown("New chat");
    const press = day.press(card, "large");
    const answer = await day.answered(press);
    expect(answer).toBe(`That was about an earlier chat. ${day.cmd("engine")} asks for this one.`);
    day.say("Who answers?");
    await day.shown("You said: Who answers?");
    await day.settled();
    expect(day.models.requests.map(({ model }) => model)).toEqual(["small-model", "small-model"]);
    expect(day.texts().join("\n")).not.toContain("answered by large");
    expect(JSON.stringify(await day.entries())).not.toContain('"answered"');
  },
);

it.each(PLATFORMS)(
  "G16: a card of /engine names an engine that has left the config: nothing changes, and it says so (%s)",
  async (on) => {
    await using day = await journey({
      on,
      engines: { small: { model: "small-model" }, large: { model: "large-model" } },
    });
    day.command("engine");
    const card = await day.shown("Which engine");
    await day.settled();
    await day.restart({ engines: { small: { model: "small-model" } } });
    const press = day.press(card, "large");
    const answer = await day.answered(press);
    expect(answer).toBe("The config has no engine large any more.");
    day.say("Who answers?");
    await day.shown("You said: Who answers?");
    await day.settled();
    expect(day.models.last?.model).toBe("small-model");
    // The choice is still open: the engine that is there can be taken.
    day.press(card, "small (now)");
    await day.becomes(card, "answered by small");
  },
);
