// The line to the platform: a wrong token, a second poller, a silence, a network that goes and comes. Never a leak of the token.
import { describe, expect, it } from "vitest";
import { journey, newJourney, PATIENT } from "./gateway.ts";
import { only, PLATFORMS } from "./stage.ts";

it.concurrent.each(PLATFORMS)(
  "T28, G44: a token that is refused at the start stops that platform alone, with a sentence and the next step (%s)",
  async (on) => {
    await using day = await newJourney({ on, terminal: true });
    day.on.refuseToken("always");
    await day.begin();
    const { refusedToken, checkToken } = day.on.facts;
    await day.until(() => day.notes.includes(refusedToken));
    expect(day.notes).toContain(checkToken);
    const state = day.gateway.states.find(({ name }) => name === on);
    expect(state).toMatchObject({ state: "stopped", words: `${refusedToken} ${checkToken}` });
    day.keyboard.write("Are you there?\n");
    await day.until(() => day.screen.includes("You said: Are you there?"));
    day.keyboard.write("/status\n");
    await day.until(() => day.screen.includes(refusedToken));
  },
);

// Only there a connection that stands can hear so.
it.concurrent.each(only("telegram"))(
  "T28: a token that is refused later stops Telegram too, and nothing is lost when it counts again (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.telegram.fail("getUpdates", { kind: "error", code: 401, times: 1 });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "The answer."]);
    day.say("Go");
    await day.models.until(() => gate.reached, PATIENT);
    await day.until(() => day.notes.includes(day.on.facts.refusedToken));
    gate.release();
    await day.shown("The answer.");
  },
);

// Only there a second program ends the first one's connection.
it.concurrent.each(only("telegram"))(
  "T29, D29: a 409 is backed off and tried again, and says that another program reads the messages (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.telegram.fail("getUpdates", { kind: "error", code: 409 });
    day.say("Hello?");
    await day.until(() => day.gateway.states[0]?.state === "retrying" && day.gateway.states[0]);
    expect(day.gateway.states[0]?.words).toContain("Another program is reading this Telegram bot's messages.");
    day.say("Still there?");
    await day.shown("You said: Still there?");
    expect(day.gateway.states[0]).toMatchObject({ state: "connected" });
    expect(day.gateway.states[0]?.words).toBeUndefined();
  },
);

it.concurrent.each(PLATFORMS)(
  "T30: a connection that falls silent is noticed, made anew, and nothing is lost (%s)",
  async (on) => {
    await using day = await journey({ on, impatient: true });
    day.on.freeze();
    day.say("Hello?");
    await day.shown("You said: Hello?");
    // On a slow machine the short time may pass once more.
    await day.until(() => day.gateway.states[0]?.state === "connected");
  },
);

it.concurrent.each(PLATFORMS)(
  "T27, D1, D28: after the network was gone, what people wrote meanwhile is answered, in order (%s)",
  async (on) => {
    await using day = await journey({ on, impatient: true });
    await day.on.goDown();
    day.say("One");
    await day.until(() => day.gateway.states[0]?.state === "retrying");
    day.command("stop", { typed: true });
    await day.on.comeBack();
    await day.shown("Stopped.");
    day.say("Two");
    await day.shown("You said: Two");
    await day.settled();
    expect(day.texts()).toEqual(["Stopped.", "You said: Two"]);
  },
);

describe.concurrent("T36: the token is in no note, reply or file", () => {
  it.each(PLATFORMS)(
    "T36, G34: the program's own notes after failures of every kind hold neither the token nor what was said (%s)",
    async (on) => {
      await using day = await journey({ on, program: true });
      const [token = ""] = day.on.secrets;
      const secret = token.split(":").at(-1)!;
      day.fail("post", { kind: "html502" });
      day.fail("post", { kind: "notParseable", words: "pelican" });
      day.models.reply("A **pelican** answers.");
      day.say("Tell me of the flamingo");
      await day.shown("pelican answers");
      day.on.cut();
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
    },
  );
});
