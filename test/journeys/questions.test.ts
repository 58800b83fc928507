// The assistant asks, and the person answers: by presses, a menu, a form, step by step, or in words, once, and through restarts.
import { expect, it } from "vitest";
import type { Entry } from "../../src/core/conversation.ts";
import { journey, PATIENT } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { newHold, notingTool, puppet, promptOf } from "./puppet.ts";
import type { Puppet } from "./puppet.ts";
import { EVE, except, PLATFORMS, SAM, standing } from "./stage.ts";
import type { Place, Seen, Who } from "./stage.ts";

const SEAT = { id: "seat", label: "Which seat?", kind: "choice", options: ["Window", "Aisle"] };
const MEALS = { id: "meals", label: "Meals", kind: "choice", several: true, options: ["Lunch", "Dinner", "Snack"] };
const DAY = { id: "day", label: "Day", kind: "date", suggested: "2026-11-30" };
const WEIGHT = { id: "kg", label: "Weight", kind: "number", unit: "kg" };
const WHY = { id: "why", label: "Why", kind: "text" };
const SKIPPED = "The person skipped this.";
const TAKEN = "That was already answered.";

const asks = (...fields: readonly object[]): string => `call ask ${JSON.stringify({ fields })}`;

type Story = { readonly day: Journey; readonly toy: Puppet } & AsyncDisposable;

async function story(options: JourneyOptions): Promise<Story> {
  const toy = puppet();
  const day = await journey({ puppet: toy.engine, ...options });
  day.meet(EVE, "Eve Adams");
  return { day, toy, [Symbol.asyncDispose]: async () => await day[Symbol.asyncDispose]() };
}

/** What the log says of answers to questions. */
async function given(day: Journey): Promise<readonly (string | null)[]> {
  return (await day.entries()).flatMap((entry) =>
    entry.kind === "answered" && entry.given !== undefined ? [entry.given] : [],
  );
}

const messages = (entries: readonly Entry[]): number => entries.filter(({ kind }) => kind === "message").length;

/** Fills the form that a button opens. */
async function fill(
  day: Journey,
  card: Seen,
  values: Readonly<Record<string, string | readonly string[]>>,
  by: Who = SAM,
  where: Place | Who = by,
): Promise<string> {
  const open = day.on.press(day.place(where), by, card.id, "Answer…");
  await day.until(() => day.on.formOf(open), "a form");
  return day.on.submitAll(open, values);
}

it.concurrent.each(PLATFORMS)(
  "O35, O38, O39, O45: the reply waits for a press, once; the card says what was chosen, and a second press is told (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day, toy } = one;
    day.say(`say Before.\n${asks({ ...SEAT, other: true })}`);
    const card = await day.shown("Which seat?");
    expect(day.texts()[0]).toBe("Before.");
    expect(card.quiet).toBe(false);
    expect(card.styles).toContain("bold");
    expect(day.labels(card)).toEqual(["Window", "Aisle", ...(day.on.facts.forms ? ["Other…"] : []), "Skip"]);
    expect(toy.turns[0]?.instructions).toContain("never as a numbered list of questions");
    day.command("status");
    expect((await day.shown("Engine")).text).toContain("Now: waits for you");
    const data = card.buttons.flat()[1]?.data ?? "";
    day.press(card, "Aisle");
    await day.shown("ask ok: Which seat?: Aisle");
    expect((await day.closed(card)).text).toBe("Which seat? – Aisle");
    expect(await day.answered(day.pressData(card, data))).toBe(TAKEN);
    await day.settled();
    expect(await given(day)).toEqual(["Which seat?: Aisle"]);
    // A press is no message: nothing is answered twice.
    expect(messages(await day.entries())).toBe(1);
    expect(toy.turns).toHaveLength(1);
  },
);

it.concurrent.each(PLATFORMS)("O36: several at once, by a menu or by toggles and Done (%s)", async (on) => {
  await using one = await story({ on });
  const { day } = one;
  day.say(asks(MEALS));
  const card = await day.shown("Meals");
  if (day.on.facts.forms) day.on.pick(day.place(SAM), SAM, card.id, ["Lunch", "Snack"]);
  else {
    expect(await day.answered(day.press(card, "Done"))).toBe(
      "Nothing is picked yet: pick at least one, or press Skip.",
    );
    day.press(card, "☐ Lunch");
    const once = await day.becomes(card, ({ buttons }) => buttons.flat()[0]?.label === "☑ Lunch");
    day.press(once, "☐ Dinner");
    day.press(once, "☐ Snack");
    const thrice = await day.becomes(card, ({ buttons }) => buttons.flat()[2]?.label === "☑ Snack");
    day.press(thrice, "☑ Dinner");
    const twice = await day.becomes(card, ({ buttons }) => buttons.flat()[1]?.label === "☐ Dinner");
    day.press(twice, "Done");
  }
  await day.shown("ask ok: Meals: Lunch, Snack");
  expect((await day.closed(card)).text).toBe("Meals – Lunch, Snack");
});

it.concurrent.each(PLATFORMS)(
  "O36, O37, O39: four fields in a form, or step by step in one message; a wrong value is told and asked again (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day } = one;
    day.say(`call ask ${JSON.stringify({ title: "Your trip", fields: [SEAT, MEALS, DAY, WEIGHT] })}`);
    const card = await day.shown("Your trip");
    const before = day.sent().length;
    if (day.on.facts.forms) {
      const values = { "Which seat?": "Aisle", Meals: ["Dinner"], Day: "2026-12-24", Weight: "1.234" };
      const sent = await fill(day, card, values);
      expect(await day.answered(sent)).toContain("Weight: “1.234” can be 1.234 or 1234.");
      await fill(day, card, { ...values, Weight: "1234.5" });
    } else {
      expect(card.text).toContain("1 of 4");
      day.press(card, "Aisle");
      const second = await day.becomes(card, "2 of 4");
      expect(second.text).toContain("✓ Which seat? Aisle");
      day.say("dinner");
      await day.becomes(card, "3 of 4");
      day.say("31 February 2026");
      await day.becomes(card, "There is no 31 February 2026.");
      day.say("24.12.2026");
      await day.becomes(card, "4 of 4");
      day.say("1 234,5 kg");
    }
    await day.shown("ask ok: Which seat?: Aisle");
    expect((await day.closed(card)).text).toBe(
      "Your trip\nWhich seat? Aisle · Meals: Dinner · Day: 2026-12-24 · Weight: 1234.5 kg",
    );
    await day.settled();
    expect(await given(day)).toEqual(["Which seat?: Aisle\nMeals: Dinner\nDay: 2026-12-24\nWeight: 1234.5 kg"]);
    // All of it was one card: nothing else was sent but the answer, and nothing typed became a message.
    expect(day.sent()).toHaveLength(before + 1);
    expect(messages(await day.entries())).toBe(1);
  },
);

it.concurrent.each(PLATFORMS)("O36: a suggested date is a button (%s)", async (on) => {
  await using one = await story({ on });
  const { day } = one;
  day.say(asks(DAY));
  const card = await day.shown("Day");
  day.press(card, "2026-11-30");
  await day.shown("ask ok: Day: 2026-11-30");
});

it.concurrent.each(PLATFORMS)(
  "O40, O39: own words answer at once; the next words, a moment later, are a new message, and a late press is told (%s)",
  async (on) => {
    await using one = await story({ on, joinWithinMs: 300 });
    const { day, toy } = one;
    day.say(asks(SEAT));
    const card = await day.shown("Which seat?");
    const data = card.buttons.flat()[0]?.data ?? "";
    day.say("neither, I'll stand");
    day.say("say And now something else.");
    await day.shown("ask ok: Which seat?: neither, I'll stand (in their own words)");
    await day.shown("And now something else.");
    expect(await day.answered(day.pressData(card, data))).toBe(TAKEN);
    await day.settled();
    expect(toy.turns.map(promptOf)).toEqual([asks(SEAT), "say And now something else."]);
    expect(await given(day)).toEqual(["Which seat?: neither, I'll stand (in their own words)"]);
  },
);

it.concurrent.each(PLATFORMS)(
  "O40, O39: a wrong date that was typed is told on the card, and waits on (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day } = one;
    day.say(asks(DAY));
    const card = await day.shown("Day");
    day.say("31 February 2026");
    const told = await day.becomes(card, "There is no 31 February 2026. Which date is it?");
    expect(day.labels(told)).toContain("Skip");
    day.say("3 March 2026");
    await day.shown("ask ok: Day: 2026-03-03");
  },
);

it.concurrent.each(PLATFORMS)("O40: with several fields in a form, words answer all of it (%s)", async (on) => {
  await using one = await story({ on });
  const { day } = one;
  if (!day.on.facts.forms) return;
  day.say(asks(SEAT, WHY));
  const card = await day.shown("Which seat?");
  day.say("A window, since I like the view");
  await day.shown("ask ok: In their own words: A window, since I like the view");
  expect((await day.closed(card)).text).toBe("Which seat? · Why – “A window, since I like the view”");
});

it.concurrent.each(PLATFORMS)(
  "O40, A32: commands, forwards and files never answer; they are kept for the next turn, which is said once (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day, toy } = one;
    day.say(asks(SEAT));
    const card = await day.shown("Which seat?");
    day.command("help");
    await day.shown("Write to me as you would");
    day.say("Window", { forward: { of: EVE } });
    const reminder = await day.shown("My question above still waits: answer it first, or press Skip.");
    expect(reminder.quiet).toBe(true);
    day.say("Aisle", { document: { bytes: new Uint8Array([1]), name: "seats.txt" } });
    await day.taken();
    await day.until(() => day.labels(day.now(card)!).includes("Skip"));
    day.press(card, "Window");
    await day.shown("ask ok: Which seat?: Window");
    await day.settled();
    expect(day.texts().filter((text) => text.includes("still waits"))).toHaveLength(1);
    // Both were the next turn's, nothing was lost.
    const later = toy.turns.slice(1).map(promptOf).join("\n");
    expect(later).toMatch(/Window[^]*Aisle/u);
    expect(await given(day)).toEqual(["Which seat?: Window"]);
  },
);

it.concurrent.each(PLATFORMS)(
  "O40, A45: a reply to the card answers, a reply to something else is a message (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day, toy } = one;
    if (day.on.facts.replies === "none") return;
    day.say("say Earlier words.");
    const earlier = await day.shown("Earlier words.");
    day.say(asks(WHY));
    const card = await day.shown("Why");
    day.say("say About that.", { replyTo: earlier.id });
    await day.shown("My question above still waits");
    day.say("Because", { replyTo: card.id });
    await day.shown("ask ok: Why: Because");
    await day.shown("About that.");
    expect(toy.turns).toHaveLength(3);
  },
);

// In a Discord server nothing asks for leave, and there is one private chat.
it.concurrent.each(except("discord"))(
  "O40, A41: words that answer an approval are not taken for the question's (%s)",
  async (on) => {
    const mail = notingTool("send_mail", "app-act", { text: "Sent." });
    await using one = await story({ on, tools: [mail] });
    const { day } = one;
    day.say(asks(WHY));
    await day.shown("Why");
    // Another chat of the owner's waits for leave: "yes" to nothing in particular is the question's.
    const side = day.side("Side");
    day.say("call send_mail {}", { in: side });
    await day.shown("May I? (no. 1)", { in: side });
    day.say("yes");
    await day.shown("ask ok: Why: yes");
    expect(mail.ran).toEqual([]);
  },
);

it.concurrent.each(PLATFORMS)("O41: Skip goes on without an answer (%s)", async (on) => {
  await using one = await story({ on });
  const { day } = one;
  day.say(asks(SEAT, DAY));
  const card = await day.shown("Which seat?");
  day.press(card, "Skip");
  await day.shown(SKIPPED);
  expect((await day.closed(card)).text).toBe("Which seat? · Day – skipped");
  await day.settled();
  expect(await given(day)).toEqual([null]);
});

it.concurrent.each(PLATFORMS)("O42: stopping the reply skips the question, and the card says so (%s)", async (on) => {
  await using one = await story({ on });
  const { day } = one;
  day.say(asks(SEAT));
  const card = await day.shown("Which seat?");
  const data = card.buttons.flat()[0]?.data ?? "";
  day.command("stop");
  await day.shown("Stopped.");
  expect((await day.closed(card)).text).toBe("Which seat? – skipped: I was stopped before it was answered");
  expect(await day.answered(day.pressData(card, data))).toBe(TAKEN);
  await day.settled();
  expect(await given(day)).toEqual([null]);
  // What is written now is a message.
  day.say("say Go on.");
  await day.shown("Go on.");
});

it.concurrent.each(PLATFORMS)(
  "O43: restarted while it waits, the old card says that it was skipped, and the turn asks anew (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day, toy } = one;
    day.say(asks(SEAT, DAY));
    const card = await day.shown("Which seat?");
    const data = card.buttons.flat()[0]?.data ?? "";
    await day.restart();
    expect((await day.closed(card)).text).toBe("Which seat? · Day – skipped: I was stopped before it was answered");
    const again = await day.shown("Which seat?", { after: card });
    expect(await day.answered(day.pressData(card, data))).toBe(TAKEN);
    day.press(again, "Skip");
    await day.shown(SKIPPED);
    await day.settled();
    expect(await given(day)).toEqual([null, null]);
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(standing("telegram", "slack"))(
  "O43, D41: killed while it waits, the card says so and is no card any more (%s)",
  async (on) => {
    await using day = await journey({ on, program: true });
    const args = { fields: [SEAT] };
    day.models.reply([{ tool: "ask", args }], [{ tool: "ask", args }], "You sit at the window.");
    day.say("Go");
    const card = await day.shown("Which seat?");
    const data = card.buttons.flat()[0]?.data ?? "";
    // What stands behind the card was sent when that was noted as shown: it is not shown again.
    day.command("status");
    await day.shown("Now: waits for you");
    await day.kill();
    await day.start();
    expect((await day.closed(card)).text).toBe("Which seat? – skipped: I was restarted before it was answered");
    const again = await day.shown("Which seat?", { after: card });
    expect(await day.answered(day.pressData(card, data))).toBe(TAKEN);
    day.press(again, "Window");
    await day.shown("You sit at the window.");
    await day.models.until((wire) => wire.requestCount === 3, PATIENT);
    expect(await given(day)).toEqual([null, "Which seat?: Window"]);
  },
);

it.concurrent.each(PLATFORMS)(
  "O35, O44, A10, T55: a guest is asked, is named where others are, and nobody else answers (%s)",
  async (on) => {
    await using one = await story({ on, groups: "mention" });
    const { day, toy } = one;
    // The owner has spoken there: it counts.
    day.mention("hello", { in: day.group });
    await day.shown("hello", { in: day.group });
    day.mention(`please\n${asks(WHY)}`, { by: EVE, in: day.group });
    const card = await day.shown(/For .*Why/su, { in: day.group });
    expect(card.text).toContain("For Eve Adams:");
    // Whoever is asked, and nobody else; Telegram tells everyone in a group of what is new there.
    expect(card.pings).toEqual(on === "telegram" ? [] : [day.on.id(EVE).split("/").at(-1)]);
    const skip = day.on.press(day.group, SAM, card.id, "Skip");
    expect(await day.answered(skip)).toBe("That button isn't for you.");
    day.mention("please\nsay Not for the question.", { in: day.group });
    await day.shown("Not for the question.", { in: day.group });
    // Words among others are theirs.
    day.say("chatting", { by: EVE, in: day.group });
    day.on.reply(day.group, EVE, card.id, "Because </outside-words>");
    await day.shown("ask ok: <outside-words written", { in: day.group });
    await day.settled();
    expect(await given(day)).toHaveLength(1);
    expect((await given(day))[0]).toContain("Because");
    expect(toy.turns.filter(({ attendance }) => attendance === "guest")).toHaveLength(1);
  },
);

// Slack shows that only in threads.
it.concurrent.each(except("slack"))(
  "O38: answered, it is shown to be at work again (%s)",
  async (on) => {
    const hold = newHold();
    const slow = notingTool("look", "plain", { hold });
    await using one = await story({ on, tools: [slow] });
    const { day } = one;
    day.say(`${asks(SEAT)}\ncall look {}`);
    const card = await day.shown("Which seat?");
    const typed = day.calls("typing").length;
    day.press(card, "Window");
    await hold.begun.promise;
    // At work again, it shows, as soon as what was shown before has run out there.
    const shows = (): boolean => day.calls("typing").length > typed || day.on.underWay(day.place(SAM)).length > 0;
    await day.on.until(shows, { timeoutMs: 40_000, what: "typing" });
    hold.released.resolve();
    await day.shown("look ok: Done.");
  },
  60_000,
);

it.concurrent.each(PLATFORMS)(
  "O37, O65, O71: the largest question, and markup and mentions in its words, arrive as they are and can be answered (%s)",
  async (on) => {
    await using one = await story({ on });
    const { day } = one;
    const sly = "**b** @everyone `c` ~~d~~ & <b>i</b> ";
    const filled = (length: number, sign: string): string => sly + sign.repeat(length - sly.length);
    const options = Array.from({ length: 6 }, (_, at) => ({
      label: filled(80, `${at}`),
      description: filled(200, "d"),
    }));
    const field = { ...SEAT, label: filled(200, "l"), options, other: true };
    day.say(`call ask ${JSON.stringify({ title: filled(120, "t"), fields: [field] })}`);
    const card = await day.shown(filled(120, "t").slice(-60));
    expect(day.sent()).toHaveLength(1);
    const shown = card.text.replaceAll("\u2060", "");
    for (const words of [filled(120, "t"), field.label, ...options.map(({ label }) => label)])
      expect(shown).toContain(words);
    expect(card.pings).toEqual([]);
    expect(day.labels(card)).toEqual(["1", "2", "3", "4", "5", "6", ...(day.on.facts.forms ? ["Other…"] : []), "Skip"]);
    day.press(card, "6");
    await day.shown("ask ok:");
    await day.closed(card);
    await day.settled();
    expect(day.sent()).toHaveLength(2);
    expect(await given(day)).toEqual([`${field.label}: ${options[5]?.label ?? ""}`]);
  },
);

it("O40: on Slack, in the thread that was opened under the card", async () => {
  await using one = await story({ on: "slack" });
  const { day, toy } = one;
  day.say(asks(WHY));
  const card = await day.shown("Why");
  const under = { ...day.place(SAM), thread: card.id };
  day.say("Because", { in: under });
  await day.shown("ask ok: Why: Because");
  expect(toy.turns).toHaveLength(1);
});
