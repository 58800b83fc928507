// Replies to send next, from end to end: a keyboard on Telegram, buttons with an echo elsewhere.
import { expect, it } from "vitest";
import { app, toyCatalog } from "../cards/catalog.ts";
import { journey, type Journey } from "./gateway.ts";
import { newHold, notingTool, promptOf, allToolsOf } from "./puppet.ts";
import { letIn, offered, scripted, suggests, tap, type Step } from "./scripted.ts";
import { EVE, except, only, PLATFORMS, SAM } from "./stage.ts";

const TABLE = "Here they are:\n\n| town | trains |\n| --- | ---: |\n| Kiel | 12 |\n| Ulm | 9 |\n";
const AS_CHART = "Show it as a chart";

/** The messages of people, as the log has them. */
async function said(day: Journey): Promise<readonly string[]> {
  return (await day.entries()).flatMap((entry) =>
    entry.kind === "message"
      ? [entry.message.parts.map((part) => (part.kind === "text" ? `${part.origin.kind}: ${part.text}` : "")).join("|")]
      : [],
  );
}

it.each(PLATFORMS)(
  "O46, O47, O48, O53: what the assistant suggests last stands under its reply over a restart; a touch sends exactly those words as the person's own, once, and takes them away (%s)",
  async (on) => {
    const toy = scripted({
      "Which trains?": [
        suggests("Book the 9:05"),
        "The 9:05 and the 18:05.",
        suggests("Book the 18:05", "Go on", "Which is cheaper?"),
      ],
    });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Which trains?");
    await day.shown("The 9:05 and the 18:05.");
    await day.settled();
    // The last call counts, and what says nothing of its own is left out.
    expect(offered(day)).toEqual(["Book the 18:05", "Which is cheaper?"]);

    await day.restart();
    expect(offered(day)).toEqual(["Book the 18:05", "Which is cheaper?"]);
    tap(day, "Book the 18:05");
    await day.shown("I was told: Book the 18:05");
    await day.settled();
    expect(offered(day)).toEqual([]);
    expect(day.texts().filter((text) => text.includes("The 9:05"))).toHaveLength(1);
    expect(await said(day)).toEqual(["own: Which trains?", "own: Book the 18:05"]);
    expect(toy.turns.map(promptOf)).toEqual(["Which trains?", "Book the 18:05"]);
    expect(toy.turns.at(-1)?.attendance).toBe("owner");
    // Nobody wrote a message there: who said it stands there instead.
    expect(day.texts().filter((text) => text === "Sam: Book the 18:05")).toHaveLength(day.on.facts.keyboard ? 0 : 1);
    // The chat is still called by what it began with, and the words are found as the person's.
    day.command("search 18:05");
    const found = await day.shown("Found for “18:05”");
    expect(found.text).toContain("Which trains?");
  },
);

it.each(PLATFORMS)(
  "O46, O48: further text behind the call goes on in a paragraph of its own, and they stand under all of it (%s)",
  async (on) => {
    const toy = scripted({ Hello: ["One.", suggests("Say two"), "Two."] });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Hello");
    const answer = await day.shown("Two.");
    await day.settled();
    expect(answer.text).toMatch(/^One\.\n+Two\.$/u);
    expect(offered(day)).toEqual(["Say two"]);
  },
);

it.each(PLATFORMS)("O53: typed words take them away, and so does a command, also after a restart (%s)", async (on) => {
  const toy = scripted({
    Hello: ["Good morning.", suggests("Book the 9:05")],
    Again: ["Good evening.", suggests("Book the 18:05")],
  });
  await using day = await journey({ on, puppet: toy.engine });
  day.say("Hello");
  await day.shown("Good morning.");
  await day.settled();
  expect(offered(day)).toEqual(["Book the 9:05"]);
  await day.restart();
  day.say("Something else");
  await day.shown("I was told: Something else");
  await day.settled();
  expect(offered(day)).toEqual([]);

  day.say("Again");
  await day.shown("Good evening.");
  await day.settled();
  expect(offered(day)).toEqual(["Book the 18:05"]);
  day.command("status");
  await day.shown("Engine");
  await day.settled();
  expect(offered(day)).toEqual([]);
  expect(day.texts().filter((text) => /^Good (?:morning|evening)\.$/u.test(text))).toHaveLength(2);
});

it.each(PLATFORMS)(
  "O49, O50, O52, O66: a table of numbers has the gateway's own, also in a chat with words from outside, where nothing that the assistant suggests stands (%s)",
  async (on) => {
    const table: readonly Step[] = [TABLE, suggests("Which is cheaper?")];
    const toy = scripted({ Trains: table, "And now?": table });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Trains");
    const clean = await day.shown("Here they are:");
    await day.settled();
    expect(offered(day)).toEqual([AS_CHART, "Which is cheaper?"]);
    day.say("Eve wrote this", { forward: { of: EVE } });
    await day.shown("I was told:", { after: clean });
    await day.settled();
    day.say("And now?");
    await day.shown("Here they are:", { after: clean });
    await day.settled();
    expect(offered(day)).toEqual([AS_CHART]);
    expect(toy.results.map(({ outcome }) => outcome)).toEqual(["ok", "denied"]);
    tap(day, AS_CHART);
    await day.shown(`I was told: ${AS_CHART}`);
    await day.settled();
    expect(offered(day)).toEqual([]);
  },
);

it.each(PLATFORMS)("O50, O62: an engine that only chats has none that needs tools (%s)", async (on) => {
  const toy = scripted({ Trains: [TABLE] }, { tools: false });
  await using day = await journey({ on, puppet: toy.engine });
  day.say("Trains");
  await day.shown("Here they are:");
  await day.settled();
  expect(offered(day)).toEqual([]);
});

it.each(PLATFORMS)("O54: none stands under what ended otherwise than well (%s)", async (on) => {
  const hold = newHold();
  const limit: Step = { end: { kind: "end", reason: "limit" } };
  const toy = scripted({
    Much: [TABLE, suggests("Book the 9:05"), limit],
    Slow: [TABLE, suggests("Book the 9:05"), { wait: hold }],
  });
  await using day = await journey({ on, puppet: toy.engine });
  day.say("Much");
  await day.shown("I ended here");
  await day.settled();
  expect(offered(day)).toEqual([]);
  day.say("Slow");
  await hold.begun.promise;
  day.command("stop");
  await day.shown("Stopped.");
  await day.settled();
  expect(offered(day)).toEqual([]);
});

it.each(PLATFORMS)("O46, O54: there are none in a group, and none for a guest (%s)", async (on) => {
  const toy = scripted({ Trains: [TABLE, suggests("Book the 9:05")] });
  await using day = await journey({ on, puppet: toy.engine, groups: "mention" });
  day.mention("Trains", { in: day.group });
  await day.shown("Here they are:", { in: day.group });
  await day.settled();
  expect(day.sent(day.group).flatMap((message) => day.labels(message))).toEqual([]);
  expect(allToolsOf(toy.turns[0])).not.toContain("suggest_replies");
  expect(offered(day)).toEqual([]);

  await letIn(day, EVE);
  day.say("Trains", { by: EVE });
  await day.shown("Here they are:", { in: EVE });
  await day.settled();
  expect(day.sent(EVE).flatMap((message) => day.labels(message))).toEqual([]);
  if (day.on.facts.keyboard) expect(day.on.keyboard(day.place(EVE))).toBeUndefined();
  expect(toy.results.map(({ outcome }) => outcome)).toEqual(["denied", "denied"]);
});

it.each(PLATFORMS)(
  "O53: a reply behind which something newer waits gets none, and neither does the chat when that is answered (%s)",
  async (on) => {
    const hold = newHold();
    const toy = scripted({ Slow: ["Slowly.", { wait: hold }, suggests("Book the 9:05")] });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Slow");
    await hold.begun.promise;
    day.say("Next");
    await day.shown("Got it.");
    hold.released.resolve();
    await day.shown("I was told: Next");
    await day.settled();
    expect(offered(day)).toEqual([]);
    expect((await day.entries()).filter((entry) => entry.kind === "text" && entry.chips !== undefined)).toEqual([]);
  },
);

// A key is the person's own message there: it can be sent twice like any other.
it.each(except("telegram"))(
  "O27, O47, O53: two touches at once send it once, and a late one is told that the chat has moved on (%s)",
  async (on) => {
    const toy = scripted({ Hello: ["Good morning.", suggests("Book the 9:05", "Leave it be")] });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Hello");
    const answer = await day.shown((message) => message.buttons.length > 0);
    await day.settled();
    const [one, other] = answer.buttons.flat().map(({ data = "" }) => data);
    // On the phone, and on the desk.
    day.pressData(answer, one!);
    day.pressData(answer, other!);
    await day.shown("I was told:");
    await day.settled();
    expect(toy.turns).toHaveLength(2);
    expect(day.on.toldOnly(SAM)).toHaveLength(1);
    expect(day.on.toldOnly(SAM)[0]).toMatch(/moved on|already sent/u);

    await day.restart();
    const late = day.pressData(answer, one!);
    expect(await day.answered(late)).toBe("The chat has moved on.");
    await day.settled();
    expect(toy.turns).toHaveLength(2);
  },
);

it.each(PLATFORMS)(
  "O47: words too long for a button stand in the body, and are sent whole; none is shortened (%s)",
  async (on) => {
    const long = `Book the ${"very ".repeat(21)}early`;
    const emoji = "🚂".repeat(120);
    const tooLong = "x".repeat(121);
    const toy = scripted({ Hello: ["Good morning.", suggests(tooLong, long, emoji)] });
    await using day = await journey({ on, puppet: toy.engine });
    expect(long.length).toBeLessThanOrEqual(120);
    day.say("Hello");
    const answer = await day.shown("Good morning.");
    await day.settled();
    expect(day.on.payloads.some((payload) => payload.includes(tooLong))).toBe(false);
    if (day.on.facts.keyboard) expect(offered(day)).toEqual([long, emoji]);
    else {
      expect(offered(day)).toEqual(["1", "2"]);
      expect(day.now(answer)?.text).toContain(long);
    }
    tap(day, day.on.facts.keyboard ? emoji : "2");
    await day.until(() => toy.turns.length === 2);
    await day.settled();
    expect(promptOf(toy.turns[1])).toBe(emoji);
    expect(day.now(answer)?.text).toBe("Good morning.");
  },
);

it.each(PLATFORMS)("O47, O53: under an answer of several messages they stand under its last one (%s)", async (on) => {
  const long = Array.from({ length: 900 }, (_, at) => `word${at}`).join(" ");
  const toy = scripted({ Long: [long, suggests("Shorter, please")] });
  await using day = await journey({ on, puppet: toy.engine });
  day.say("Long");
  await day.shown("word899");
  await day.settled();
  expect(offered(day)).toEqual(["Shorter, please"]);
  tap(day, "Shorter, please");
  await day.shown("I was told: Shorter, please");
  await day.settled();
  expect(offered(day)).toEqual([]);
  expect(day.texts().filter((text) => text.includes("word899"))).toHaveLength(1);
});

it.each(PLATFORMS)(
  "O46: an answer that was in the log and not shown when the program ended is shown with them by the next (%s)",
  async (on) => {
    const toy = scripted({ Hello: ["Good morning.", suggests("Book the 9:05")] });
    await using day = await journey({ on, puppet: toy.engine });
    day.fail("post", { kind: "resetBeforeStore", times: "always" });
    day.fail("edit", { kind: "resetBeforeStore", times: "always" });
    day.say("Hello");
    await day.until(() => toy.results.length === 1);
    await day.called("post");
    await day.gateway.queue.settled();
    await day.stop();
    expect(offered(day)).toEqual([]);
    day.on.clearFaults();
    await day.start();
    await day.shown("Good morning.");
    await day.settled();
    expect(offered(day)).toEqual(["Book the 9:05"]);
    expect(toy.turns).toHaveLength(1);
  },
);

it.each(PLATFORMS)("O46: a turn that was cut off and begun anew has them under its second try (%s)", async (on) => {
  const hold = newHold();
  let tries = 0;
  const first = scripted({ Hello: ["Good", { call: "now" }, " morning.", { wait: hold }] });
  const second = scripted({ Hello: ["Good day.", suggests("Book the 9:05")] });
  await using day = await journey({ on, puppet: () => (tries++ === 0 ? first : second).engine() });
  day.say("Hello");
  await hold.begun.promise;
  await day.shown("Good");
  await day.restart();
  await day.shown("Good day.");
  await day.settled();
  expect(offered(day)).toEqual(["Book the 9:05"]);
});

it.each(only("telegram"))(
  "O53: the keyboard goes with the next message that can take it away, also behind a card with buttons (%s)",
  async (on) => {
    const toy = scripted({ Hello: ["Good morning.", suggests("Book the 9:05")] });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Hello");
    await day.shown("Good morning.");
    await day.settled();
    day.command("delete");
    await day.shown("for good?");
    await day.settled();
    await day.restart();
    day.command("help");
    await day.shown("Write to me as you would");
    await day.settled();
    expect(day.on.keyboard(day.place(SAM))).toBeUndefined();
  },
);

it.each(PLATFORMS)(
  "O54: an offer stands alone, over a restart, and what comes next may have chips again (%s)",
  async (on) => {
    const toy = scripted({
      "Anything in my mail?": [TABLE, suggests("Book the 9:05")],
      Trains: [TABLE],
    });
    const catalog = toyCatalog([app("mail")]);
    await using day = await journey({ on, puppet: toy.engine, catalog: () => catalog });
    day.say("Anything in my mail?");
    const offer = await day.shown("Connect Mail?");
    await day.settled();
    expect(offered(day)).toEqual(day.on.facts.keyboard ? [] : day.labels(offer));
    await day.restart();
    day.say("Trains");
    await day.shown("Here they are:", { after: offer });
    await day.settled();
    // The offer has gone with that message.
    expect(day.now(offer)?.buttons).toEqual([]);
    expect(offered(day)).toEqual([AS_CHART]);
  },
);

it.each(PLATFORMS)("O54: under a plan that waits to be started stands neither an offer nor a chip (%s)", async (on) => {
  const toy = scripted({ "Anything in my mail?": [TABLE, suggests("Book the 9:05")] });
  await using day = await journey({ on, puppet: toy.engine, catalog: () => toyCatalog([app("mail")]) });
  day.command("mode plan");
  await day.shown("Mode of this chat: plan.");
  day.say("Anything in my mail?");
  const card = await day.shown("Shall I start on it?");
  await day.settled();
  await day.restart();
  expect(offered(day)).toEqual(day.on.facts.keyboard ? [] : day.labels(card));
  expect(day.texts().filter((text) => text.includes("Connect Mail?"))).toEqual([]);
});

it.each(PLATFORMS)("O54: a question and an approval are answered before there is a chip (%s)", async (on) => {
  const toy = scripted({
    Send: [
      suggests("Book the 9:05"),
      { call: "ask", input: { fields: [{ id: "who", label: "To whom?", kind: "text" }] } },
      { call: "send_mail" },
      "It is sent.",
    ],
  });
  const send = notingTool("send_mail", "app-act");
  await using day = await journey({ on, puppet: toy.engine, tools: [send] });
  const chip = (): boolean => offered(day).includes("Book the 9:05");
  day.say("Send");
  await day.shown("To whom?");
  expect(chip()).toBe(false);
  day.say("To Ada");
  const approval = await day.shown("send_mail");
  expect(chip()).toBe(false);
  day.press(approval, day.labels(approval)[0]!);
  await day.shown("It is sent.");
  await day.settled();
  expect(send.ran).toHaveLength(1);
  expect(offered(day)).toEqual(["Book the 9:05"]);
});

it.each(PLATFORMS)(
  "O48, O57: calls that show nothing where they stand leave the answer one part, which a later turn is told whole and in an order that an engine takes (%s)",
  async (on) => {
    const toy = scripted({
      Go: [
        "One.",
        { call: "update_plan", input: { steps: [{ text: "Look", state: "done" }] } },
        "Two.",
        suggests("Say three"),
      ],
    });
    await using day = await journey({ on, puppet: toy.engine });
    day.say("Go");
    await day.shown("Two.");
    await day.settled();
    day.say("And?");
    await day.shown("I was told: And?");
    const blocks = toy.turns[1]?.history.flatMap((item) => (item.role === "assistant" ? item.blocks : []));
    expect(
      blocks?.map((block) => (block.kind === "text" ? block.text : `${block.call.name} ${block.result.outcome}`)),
    ).toEqual(["update_plan ok", "suggest_replies ok", "One.\n\nTwo."]);
  },
);

it.each(only("telegram"))(
  "O46, O47, O53: in a terminal they have numbers, and the answer is not said again when they go",
  async (on) => {
    const toy = scripted({ Hello: ["Good morning.", suggests("Book the 9:05", "Book the 18:05")] });
    await using day = await journey({ on, puppet: toy.engine, terminal: true });
    day.keyboard.write("Hello\n");
    await day.until(() => day.screen.includes("2) Book the 18:05"));
    day.keyboard.write("2\n");
    await day.until(() => day.screen.includes("I was told: Book the 18:05"));
    await day.settled();
    expect(day.screen).toContain("Sam: Book the 18:05");
    expect(day.screen.split("Good morning.")).toHaveLength(2);
    expect(toy.turns.map(promptOf)).toEqual(["Hello", "Book the 18:05"]);
  },
);
