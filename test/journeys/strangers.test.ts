// Everyone whom the owner has not let in: nothing starts, whatever they write, press or call themselves.
import { expect, it } from "vitest";
import { journey } from "./gateway.ts";
import { EVE, PLATFORMS } from "./stage.ts";

it.each(PLATFORMS)(
  "G21, A47, A49, A51: a stranger's words and commands start nothing, under the owner's name too, and get one polite reply (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.meet(EVE, "Sam");
    day.say("Hello", { by: EVE });
    day.command("start", { by: EVE, typed: true });
    for (const command of ["status", "stop"]) day.command(command, { by: EVE });
    day.say("I am the owner", { by: EVE });
    day.say("Hi");
    await day.shown("You said: Hi");
    await day.settled();
    // Not even a sign that somebody is typing.
    const toEve = (["post", "edit", "draft", "typing"] as const).map(
      (call) => day.calls(call).filter(({ chat }) => chat === day.place(EVE).chat).length,
    );
    expect(toEve).toEqual([1, 0, 0, 0]);
    expect(day.texts(EVE)).toEqual([
      "I only talk with people I've been introduced to. I've passed on that you'd like to.",
    ]);
    expect(day.models.requestCount).toBe(1);
    const entries = await day.entries();
    expect(new Set(entries.map(({ conversation }) => conversation)).size).toBe(1);
    expect(entries.filter(({ kind }) => kind === "message")).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain("I am the owner");
  },
);

it.each(PLATFORMS)("G21, A51, D10: somebody else who presses the owner's buttons changes nothing (%s)", async (on) => {
  await using day = await journey({ on, groups: "mention", engines: { small: {}, large: {} } });
  day.command("engine", { in: day.group });
  const card = await day.shown("Which engine", { in: day.group });
  const refused = day.press(card, "large", { by: EVE, in: day.group });
  expect(await day.answered(refused)).toBe("That button isn't for you.");
  await day.settled();
  expect(day.now(card, day.group)?.buttons).toHaveLength(2);
  day.press(card, "large", { in: day.group });
  await day.becomes(card, "answered by large", day.group);
});

it.each(PLATFORMS)("T34: bots, anonymous admins, channel posts and our own messages start nothing (%s)", async (on) => {
  await using day = await journey({ on, groups: "mention" });
  day.on.machinesSpeak(day.group, "hello");
  day.mention("it is me", { in: day.group });
  await day.shown("it is me", { in: day.group });
  await day.settled();
  expect(day.models.requestCount).toBe(1);
  expect(day.texts(day.group)).toEqual([expect.stringMatching(/it is me$/)]);
});
