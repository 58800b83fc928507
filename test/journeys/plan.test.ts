// The mode that only plans: what follows its answers, and how it is left.
import { expect, it } from "vitest";
import { journey } from "./gateway.ts";
import { promptOf, puppet } from "./puppet.ts";
import { except, only, PLATFORMS, SAM } from "./stage.ts";

it.each(PLATFORMS)(
  "A70, A35: a plan is followed by Start and Keep planning; Start leaves the mode for this chat and says so in the owner's name (%s)",
  async (on) => {
    const toy = puppet();
    await using day = await journey({ on, puppet: toy.engine });
    day.command("mode plan");
    await day.shown("Mode of this chat: plan.");
    day.say("How would you do it?");
    const kept = await day.shown("Shall I start on it?");
    expect(day.labels(kept)).toEqual(["Start", "Keep planning"]);
    const keep = day.press(kept, "Keep planning");
    if (day.on.facts.forms) {
      await day.until(() => day.on.formOf(keep));
      // Nothing to add.
      day.on.submit(keep, "");
    }
    await day.becomes(kept, "Still planning");

    day.say("And else?");
    const card = await day.shown("Shall I start on it?", { after: kept.id });
    day.press(card, "Start");
    await day.shown("Go ahead with the plan.");
    await day.settled();
    expect(day.now(card)).toMatchObject({ text: "Started.", buttons: [] });
    expect(toy.turns.map(promptOf)).toEqual(["How would you do it?", "And else?", "Go ahead with the plan."]);
    expect(toy.turns.at(-1)?.attendance).toBe("owner");
    // No further card: the chat plans no more.
    day.command("status");
    expect((await day.shown("Engine")).text).toContain("Mode: ask");
    expect(day.texts().filter((text) => text.includes("Shall I start"))).toEqual([]);
  },
);

// Telegram has no forms.
it.each(except("telegram"))(
  "T50, A70: Keep planning opens a form, what is written goes on in the owner's name, and a second form is told that it is too late (%s)",
  async (on) => {
    const toy = puppet();
    await using day = await journey({ on, puppet: toy.engine });
    day.command("mode plan");
    await day.shown("Mode of this chat: plan.");
    day.say("How would you do it?");
    const card = await day.shown("Shall I start on it?");
    const first = day.press(card, "Keep planning");
    const form = await day.until(() => day.on.formOf(first));
    expect(form).toMatchObject({ title: "Keep planning", labels: ["What should be different?"] });
    // It is open, and nothing is decided: the buttons are there.
    expect(day.labels(day.now(card)!)).toEqual(["Start", "Keep planning"]);
    day.on.submit(first, "Cheaper, and in blue");
    await day.becomes(card, "Still planning");
    await day.shown("I was told: Cheaper, and in blue");
    await day.settled();
    expect(toy.turns.map(promptOf)).toEqual(["How would you do it?", "Cheaper, and in blue"]);
    const late = day.pressData(card, card.buttons.flat().at(-1)!.data!);
    expect(await day.answered(late)).toBe("That was already answered.");
    expect(day.on.formOf(late)).toBeUndefined();
    expect(day.on.toldOnly(SAM)).toEqual(["That was already answered."]);
    expect(toy.turns).toHaveLength(2);
  },
);

// The loopback Discord keeps one form open for each person.
it.each(only("slack"))("T50: of two forms that are open at once one counts, and the other is told (%s)", async (on) => {
  const toy = puppet();
  await using day = await journey({ on, puppet: toy.engine });
  day.command("mode plan");
  await day.shown("Mode of this chat: plan.");
  day.say("How would you do it?");
  const card = await day.shown("Shall I start on it?");
  // On the phone, and on the desk.
  const [one, two] = [day.press(card, "Keep planning"), day.press(card, "Keep planning")];
  await day.until(() => day.on.formOf(one) && day.on.formOf(two));
  day.on.submit(one, "In blue");
  const other = day.on.submit(two, "In red");
  expect(await day.answered(other)).toBe("That was already answered.");
  await day.shown("I was told: In blue");
  await day.settled();
  expect(toy.turns.map(promptOf)).toEqual(["How would you do it?", "In blue"]);
});
