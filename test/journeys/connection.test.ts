// The line to Telegram: a wrong token, a second poller, a silence, a network that goes and comes. Never a leak of the token.
import { describe, expect, it } from "vitest";
import { Journey, journey, PATIENT, SAM } from "./gateway.ts";
import { startModels } from "../wire/models.ts";
import { startTelegram } from "../wire/telegram.ts";

it.concurrent("T28, G44: a token that is refused at the start stops Telegram alone, with a sentence and the next step", async () => {
  const day = new Journey({ terminal: true }, await startTelegram(), await startModels());
  await using _day = day;
  day.telegram.fail("getMe", { kind: "error", code: 401, times: "always" });
  await day.begin();
  await day.telegram.until(() => day.notes.includes("Telegram refused the bot's token."), PATIENT);
  expect(day.notes).toContain("Check channels.telegram.token in the config; @BotFather shows the right one.");
  const state = day.gateway.states.find(({ name }) => name === "telegram");
  expect(state?.words).toContain("Telegram refused the bot's token.");
  day.keyboard.write("Are you there?\n");
  await day.telegram.until(() => day.screen.includes("You said: Are you there?"), PATIENT);
  day.keyboard.write("/status\n");
  await day.telegram.until(() => day.screen.includes("Telegram refused the bot's token."), PATIENT);
});

it.concurrent("T28: a token that is refused later stops Telegram too, and nothing is lost when it counts again", async () => {
  await using day = await journey({ times: { pollSeconds: 1, graceMs: 10_000 } });
  day.telegram.fail("getUpdates", { kind: "error", code: 401, times: 1 });
  const gate = day.models.gate();
  day.models.reply([{ wait: gate }, "The answer."]);
  day.say("Go");
  await day.models.until(() => gate.reached, PATIENT);
  await day.telegram.until(() => day.notes.includes("Telegram refused the bot's token."), PATIENT);
  gate.release();
  await day.shown("The answer.");
});

it.concurrent("T29, D29: a 409 is backed off and tried again, and says that another program reads the messages", async () => {
  await using day = await journey({ times: { pollSeconds: 1, graceMs: 10_000 } });
  day.telegram.fail("getUpdates", { kind: "error", code: 409 });
  await day.telegram.until(() => day.gateway.states[0]?.state === "retrying" && day.gateway.states[0], PATIENT);
  expect(day.gateway.states[0]?.words).toContain("Another program is reading this Telegram bot's messages.");
  day.say("Still there?");
  await day.shown("You said: Still there?");
  expect(day.gateway.states[0]).toMatchObject({ state: "connected" });
  expect(day.gateway.states[0]?.words).toBeUndefined();
});

it.concurrent("T30: a poll that never answers is noticed, the connection is made anew, and nothing is lost", async () => {
  await using day = await journey({ times: { pollSeconds: 1, graceMs: 300 } });
  day.telegram.fail("getUpdates", { kind: "hang" });
  await day.telegram.until(() => day.gateway.states[0]?.state === "retrying", PATIENT);
  expect(day.gateway.states[0]?.words).toContain("Telegram can't be reached.");
  day.say("Hello?");
  await day.shown("You said: Hello?");
  // On a slow machine the short time may pass once more.
  await day.telegram.until(() => day.gateway.states[0]?.state === "connected", PATIENT);
});

it.concurrent("T27, D1, D28: after the network was gone, what people wrote meanwhile is answered, in order", async () => {
  await using day = await journey({ times: { pollSeconds: 1, graceMs: 300 } });
  await day.telegram.goDown();
  day.say("One");
  await day.telegram.until(() => day.gateway.states[0]?.state === "retrying", PATIENT);
  day.say("/stop");
  await day.telegram.comeBack();
  await day.shown("Stopped.");
  day.say("Two");
  await day.shown("You said: Two");
  await day.settled();
  expect(day.texts()).toEqual(["Stopped.", "You said: Two"]);
});

describe.concurrent("T36: the token is in no note, reply or file", () => {
  it("T36, G34: the program's own notes after failures of every kind hold neither the token nor what was said", async () => {
    await using day = await journey({ program: true });
    const { token } = day.telegram;
    const secret = token.split(":")[1]!;
    day.telegram.fail("sendMessage", { kind: "html502" });
    day.telegram.fail("sendMessage", {
      kind: "error",
      code: 400,
      description: 'Bad Request: can\'t parse entities: "pelican"',
    });
    day.models.reply("A **pelican** answers.");
    day.say("Tell me of the flamingo");
    await day.shown("pelican answers");
    day.telegram.fail("getUpdates", { kind: "resetBeforeStore" });
    day.telegram.fail("getMe", { kind: "html502" });
    day.say("", { document: { bytes: new Uint8Array(0), name: "cormorant.txt" } });
    await day.shown("0 bytes");
    day.models.reply(
      [{ status: 500, message: `upstream said ${token}` }],
      [{ status: 400, message: `upstream said ${token}` }],
    );
    day.say("More");
    await day.shown((message) => message.text.includes("service"));
    await day.stop();
    expect(day.notes).not.toBe("");
    for (const word of [secret, "flamingo", "pelican", "cormorant"]) expect(day.notes).not.toContain(word);
    expect(day.texts().join("\n")).not.toContain(secret);
    expect(day.holds(secret)).toBe(false);
    expect(day.owner).toBe(SAM);
  });
});
