// Cards that can be leafed through, when something goes wrong, and asked for in a group.
import { expect, it } from "vitest";
import { journey } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { puppet } from "./puppet.ts";
import { only, PLATFORMS } from "./stage.ts";

async function earlier(day: Journey, ...said: readonly string[]): Promise<void> {
  for (const words of said) {
    day.say(words);
    await day.shown(`I was told: ${words.split("\n")[0]}`);
  }
  day.command("new");
  await day.settled();
}

// Elsewhere it can be found out whether a message stands there.
it.each(only("telegram"))("D21, G47: a card that was never seen to arrive is counted by /status (%s)", async (on) => {
  await using day = await journey({ on, puppet: puppet().engine });
  await earlier(day, "The ptarmigan nests under the old mill");
  day.fail("post", { kind: "resetAfterStore" });
  day.command("search mill");
  await day.settled();
  day.command("status");
  expect((await day.shown("Engine:")).text).toContain("could not be shown");
});

it.each(only("telegram"))(
  "G47: a press turns the card that it stands on, also when nobody could say whether that card arrived (%s)",
  async (on) => {
    await using day = await journey({ on, puppet: puppet().engine });
    await earlier(day, "The ptarmigan nests under the old mill");
    day.fail("post", { kind: "resetAfterStore" });
    day.command("search mill");
    await day.settled();
    const card = await day.shown("Found for “mill”");
    day.press(card, "1");
    await day.becomes(card, "→ ");
    await day.settled();
    expect(day.sent().filter(({ text }) => text.includes("→ "))).toHaveLength(1);
  },
);

it.each(PLATFORMS)(
  "G47: what is asked in a group is answered in private, also when the owner last sat at a terminal that is gone (%s)",
  async (on) => {
    await using day = await journey({ on, puppet: puppet().engine, groups: "mention", terminal: true });
    await earlier(day, "We chose the old mill as the venue");
    day.mention("hello", { in: day.group });
    await day.shown("hello", { in: day.group });
    day.keyboard.write("good morning\n");
    await day.until(() => day.screen.includes("I was told: good morning"), "the terminal's answer");
    await day.settled();
    await day.restart({ terminal: false });
    day.command("search mill", { in: day.group });
    await day.settled();
    expect(day.texts().some((text) => text.includes("Found for “mill”"))).toBe(true);
  },
);
