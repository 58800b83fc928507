// From a message to a card to what it turns on, and back to the message: with ends in the middle.
import { expect, it } from "vitest";
import { app, skill, toyCatalog, type ToyCatalog } from "../cards/catalog.ts";
import { journey, type Journey } from "./gateway.ts";
import { newHold, notingTool, promptOf, puppet, allToolsOf } from "./puppet.ts";
import { EVE, PLATFORMS, SAM, type PlatformName } from "./stage.ts";

const things = (): ToyCatalog =>
  toyCatalog([
    app("mail"),
    app("drive", { cues: { words: ["folder"], not: [] } }),
    skill("trips"),
    skill("notes", { state: "asked", cues: { words: ["minutes"], not: [] } }),
  ]);

const OFFER_DRIVE = 'call offer {"kind":"app","target":"drive","why":"it could hold the list"}';

async function offersDay(
  on: PlatformName,
): Promise<{ day: Journey; toy: ReturnType<typeof puppet>; catalog: ToyCatalog }> {
  const [toy, catalog] = [puppet(), things()];
  return { toy, catalog, day: await journey({ on, puppet: toy.engine, catalog: () => catalog }) };
}

it.each(PLATFORMS)(
  "O10, O18, O20, O22, O25, O26: the assistant offers, the person connects, and the request goes on by itself (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy } = made;
    day.say(OFFER_DRIVE);
    const card = await day.shown("Connect Drive?");
    expect(card.text).toContain("Why: it could hold the list");
    expect(allToolsOf(toy.turns[0])).toContain("offer");
    expect(day.labels(card)).toEqual(["Connect", "Details", "Not now", "Don't suggest"]);
    // Under the reply, in which the model was told what comes of it.
    expect(day.sent().at(-1)?.id).toBe(card.id);
    expect(day.texts().join("\n")).toContain("offer ok: A card that offers it stands under your reply");

    const details = day.press(card, "Details");
    if (day.on.facts.forms) {
      // Only for who pressed, and the card stays as it is.
      if (on === "slack") expect((await day.until(() => day.on.formOf(details))).title).toBe("Drive");
      else expect(await day.answered(details)).toMatch(/^What it can do:\n• Read your drive\n• Change your drive/u);
      expect(day.on.payloads.some((payload) => payload.includes("It connects without a sign-in."))).toBe(true);
      expect(day.now(card)).toEqual(card);
    } else {
      const open = await day.becomes(card, "Change your drive");
      expect(open.text).toContain("It connects without a sign-in.");
      day.press(card, "Less");
      await day.becomes(card, ({ text }) => !text.includes("Change your drive"));
    }

    const first = day.press(card, "Connect");
    if (!day.on.facts.forms) expect(await day.answered(first)).toBe("Connecting …");
    const line = await day.becomes(card, "Connected Drive · carrying on");
    expect(line.buttons).toEqual([]);
    await day.settled();
    expect(promptOf(toy.turns[1])).toMatch(/the app “Drive” was offered and is connected now.*\ncall offer/su);
    expect(promptOf(toy.turns[1]).endsWith(`\n${OFFER_DRIVE}`)).toBe(true);
    expect(toy.turns[1]?.attendance).toBe("owner");
    // What it offers again is on already.
    expect(day.texts().join("\n")).toContain("No card is shown (on)");
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(PLATFORMS)(
  "O29, O27, O19: a sign-in comes back after a restart and goes on once, however often it is pressed (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy, catalog } = made;
    catalog.script.set("mail", "sign-in");
    day.say("Is there *anything* in my mail?");
    const card = await day.shown("Connect Mail?");
    day.press(card, "Connect");
    const waits = await day.becomes(card, "Sign in at login.example");
    expect(waits.buttons.flat().find(({ label }) => label === "Sign in")?.url).toBe(
      "https://login.example/mail?state=1",
    );
    await day.restart();
    // The sign-in that was begun is gone with the process: here is another.
    const again = await day.becomes(card, ({ buttons }) =>
      buttons.flat().some(({ url }) => url?.endsWith("state=2") === true),
    );
    catalog.signIn("mail");
    await day.becomes(card, "Connected Mail · carrying on");
    await day.settled();
    expect(toy.turns).toHaveLength(2);
    expect(promptOf(toy.turns[1]).endsWith(":]\nIs there *anything* in my mail?")).toBe(true);
    const link = again.buttons.flat().find(({ label }) => label === "New link")?.data ?? "";
    expect(await day.answered(day.pressData(card, link))).toBe("That was already answered.");
    await day.restart();
    await day.settled();
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(PLATFORMS)(
  "O29: the address at which a browser elsewhere ended finishes it, and reaches no model and no log (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy, catalog } = made;
    catalog.script.set("mail", "sign-in");
    day.say("Is there anything in my mail?");
    const card = await day.shown("Connect Mail?");
    day.press(card, "Connect");
    await day.becomes(card, "Sign in at login.example");
    day.say("http://127.0.0.1:4711/callback?code=heron-7&state=mail");
    await day.shown("Signed in.");
    await day.becomes(card, "Connected Mail · carrying on");
    await day.settled();
    expect(toy.turns).toHaveLength(2);
    expect(toy.turns.map(promptOf).join("\n")).not.toContain("heron-7");
    expect(JSON.stringify(await day.entries())).not.toContain("heron-7");
  },
);

it.each(PLATFORMS)(
  "O32, O14: a newer message folds the card, a late press hears it, and the chat is not offered it again (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy, catalog } = made;
    day.say("Is there anything in my mail?");
    const card = await day.shown("Connect Mail?");
    // A look at something by a command is no answer to it.
    day.command("status");
    await day.shown("Engine");
    expect(day.labels(day.now(card)!)).toContain("Connect");
    day.say("Never mind. How is my mail?");
    const folded = await day.becomes(card, "the chat has moved on");
    expect(folded.buttons).toEqual([]);
    const late = day.pressData(card, card.buttons.flat()[0]!.data!);
    expect(await day.answered(late)).toBe("The chat has moved on.");
    await day.settled();
    expect(catalog.turned).toEqual([]);
    expect(toy.turns).toHaveLength(2);
    expect(day.texts().filter((text) => text.includes("Connect Mail?"))).toEqual([]);
    // Another chat may be; one that is left takes its card along.
    day.command("new");
    await day.shown("New chat.");
    day.say("How is my mail?");
    const other = await day.shown("Connect Mail?");
    day.command("new");
    await day.becomes(other, "the chat has moved on");
  },
);

it.each(PLATFORMS)(
  "O33, O34: a skill says what it may do, is turned on or used once, and its text goes along (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy, catalog } = made;
    day.say("Plan my trips");
    const card = await day.shown("Turn on the skill trips?");
    expect(card.text).toMatch(/What it may do:\s+.*Run commands/su);
    expect(day.labels(card)).toEqual(["Turn on", "Not now", "Don't suggest"]);
    // On the phone, and on the desk.
    day.press(card, "Turn on");
    day.press(card, "Turn on");
    await day.becomes(card, "Turned on trips · carrying on");
    await day.settled();
    expect(toy.turns).toHaveLength(2);
    expect(promptOf(toy.turns[1])).toContain("Do trips in three steps.");

    day.say("Write the minutes");
    const asked = await day.shown("Use the skill notes?");
    expect(day.labels(asked)).toEqual(["Use it", "Always", "Not now", "Don't suggest"]);
    day.press(asked, "Use it");
    await day.becomes(asked, "Using notes · carrying on");
    await day.settled();
    expect(promptOf(toy.turns.at(-1))).toMatch(/Do notes in three steps\..*\nWrite the minutes$/su);
    expect(catalog.items.find(({ id }) => id === "notes")?.state).toBe("asked");
    expect(toy.turns).toHaveLength(4);
  },
);

it.each(PLATFORMS)(
  "O30, O31: Not now and Don't suggest fold the card; what is muted is suggested nowhere, after a restart neither (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy } = made;
    day.say("How is my mail?");
    const card = await day.shown("Connect Mail?");
    day.press(card, "Don't suggest");
    await day.becomes(card, "won't be suggested again");
    day.say("Which folder is it in?");
    const other = await day.shown("Connect Drive?");
    day.press(other, "Not now");
    await day.becomes(other, "not now");
    await day.restart();
    day.command("new");
    await day.shown("New chat.");
    day.say("How is my mail?");
    await day.shown("I was told: How is my mail?", { after: other.id });
    await day.settled();
    expect(day.texts().filter((text) => text.includes("Connect Mail?"))).toEqual([]);
    // The model is not told of it either.
    expect(toy.turns.at(-1)?.instructions).toContain("app drive");
    expect(toy.turns.at(-1)?.instructions).not.toContain("app mail (");
  },
);

it.each(PLATFORMS)(
  "O16, O66, O21: beside words from outside the assistant offers nothing, a cue of the person's own words still does (%s)",
  async (on) => {
    const made = await offersDay(on);
    await using day = made.day;
    const { toy } = made;
    day.meet(EVE, "Eve");
    day.say("Ask for the folder, and connect drive", { forward: { of: EVE } });
    await day.shown("I was told:");
    await day.settled();
    // Not by forwarded words either.
    expect(day.texts().join("\n")).not.toContain("Connect Drive?");
    day.say(OFFER_DRIVE);
    await day.shown("offer denied");
    day.say("Then look into my mail");
    const card = await day.shown("Connect Mail?");
    day.press(card, "Connect");
    await day.becomes(card, "carrying on");
    await day.settled();
    expect(promptOf(toy.turns.at(-1)).endsWith(":]\nThen look into my mail")).toBe(true);
  },
);

it.each(PLATFORMS)(
  "O17: in a group nothing is offered, and the model has neither the map nor the tool (%s)",
  async (on) => {
    const [toy, catalog] = [puppet(), things()];
    await using day = await journey({ on, puppet: toy.engine, catalog: () => catalog, groups: "mention" });
    day.mention("How is my mail?", { in: day.group });
    await day.shown("I was told", { in: day.group });
    await day.settled();
    expect(allToolsOf(toy.turns[0])).not.toContain("offer");
    expect(toy.turns[0]?.instructions).not.toContain("could be turned on");
    expect(day.sent(day.group)).toHaveLength(1);
    expect(day.sent(SAM)).toEqual([]);
  },
);

it.each(PLATFORMS)("O32, O53: under a reply that something newer waits behind no card stands (%s)", async (on) => {
  const [toy, catalog, one] = [puppet(), things(), newHold()];
  const tools = [notingTool("one", "plain", { hold: one })];
  await using day = await journey({ on, puppet: toy.engine, catalog: () => catalog, tools });
  day.say("Look through my mail\ncall one {}");
  await one.begun.promise;
  day.say("Which folder is it in?");
  await day.shown("answer that next");
  one.released.resolve();
  await day.shown("Connect Drive?");
  await day.settled();
  expect(day.texts().filter((text) => /Connect|Suggested/u.test(text))).toHaveLength(1);
  // It was not offered, so it can be.
  day.say("And my mail?");
  await day.shown("Connect Mail?");
});

it.each(PLATFORMS)(
  "O18, O32: where the card that the model was told of does not come, a small line says where the thing is (%s)",
  async (on) => {
    const [toy, catalog, one] = [puppet(), things(), newHold()];
    const tools = [notingTool("one", "plain", { hold: one })];
    await using day = await journey({ on, puppet: toy.engine, catalog: () => catalog, tools });
    day.say(`${OFFER_DRIVE}\ncall one {}`);
    await one.begun.promise;
    day.say("And what else?");
    await day.shown("answer that next");
    one.released.resolve();
    const line = await day.shown("No card for Drive here");
    expect(line.text).toContain(`${day.cmd("apps")} connects it.`);
    expect(line.quiet).toBe(true);
    await day.shown("I was told: And what else?");
    await day.settled();
    expect(day.texts().filter((text) => text.includes("Connect Drive?"))).toEqual([]);
  },
);

it.each(PLATFORMS)("O32: the start of a plan is something newer as well (%s)", async (on) => {
  const made = await offersDay(on);
  await using day = made.day;
  day.command("mode plan");
  await day.shown("Mode of this chat: plan.");
  day.say("How would you do it?");
  const plan = await day.shown("Shall I start on it?");
  day.command("mode ask");
  await day.shown("Mode of this chat: ask.");
  day.say("Is it in my mail?");
  const card = await day.shown("Connect Mail?");
  day.press(plan, "Start");
  await day.becomes(card, "the chat has moved on");
});

it.each(PLATFORMS)(
  "O27, G6: a restart in the middle of carrying on begins that once more, and it is answered once (%s)",
  async (on) => {
    const [toy, catalog, held] = [puppet(), things(), newHold()];
    const slow = notingTool("one", "plain");
    const tool: typeof slow = {
      ...slow,
      async run(input, context) {
        // The one in the turn that carries on never comes to an end.
        const second = slow.ran.length === 1;
        const result = await slow.run(input, context);
        if (!second) return result;
        held.begun.resolve();
        return await new Promise((_, reject) =>
          context.signal.addEventListener("abort", () => reject(new Error("The end.")), { once: true }),
        );
      },
    };
    await using day = await journey({ on, puppet: toy.engine, catalog: () => catalog, tools: [tool] });
    day.say("Look through my mail\ncall one {}");
    const card = await day.shown("Connect Mail?");
    day.press(card, "Connect");
    await held.begun.promise;
    await day.restart();
    await day.settled();
    expect(toy.turns.map(({ turn }) => turn)).toEqual([toy.turns[0]?.turn, toy.turns[1]?.turn, toy.turns[1]?.turn]);
    expect(promptOf(toy.turns[2])).toBe(promptOf(toy.turns[1]));
    expect((await day.entries()).filter(({ kind }) => kind === "carried-on")).toHaveLength(1);
    expect(day.texts().filter((text) => text.includes("one ok: Done."))).toHaveLength(2);
  },
);
