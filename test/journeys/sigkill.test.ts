// The program killed at every point of a message's way. After the next start nothing is lost, nothing runs twice, and what nobody
// can know is said.
import { describe, expect, it } from "vitest";
import { journey, PATIENT, SAM } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";

const REPEAT = "(This may be a repeat.)";

type Point = {
  readonly at: string;
  readonly options?: JourneyOptions;
  /** Brings the gateway to the point at which it is killed. */
  readonly reach: (day: Journey) => Promise<void>;
  /** What the chat shows in the end, and how often the model was asked in all. */
  readonly shows: readonly string[];
  readonly asked: number;
};

const POINTS: readonly Point[] = [
  {
    at: "the raw row is stored and waits to be joined",
    options: { joinWithinMs: 1500 },
    reach: async (day) => {
      day.say("Go");
      // Told to forget the update: it is stored. Its entry would come later.
      await day.telegram.until((wire) => wire.pendingUpdates === 0, PATIENT);
    },
    shows: ["You said: Go"],
    asked: 1,
  },
  {
    at: "the entry is appended behind a turn that runs",
    reach: async (day) => {
      day.models.reply([{ wait: "first" }, "never said"]);
      day.say("One");
      await day.models.until(() => day.models.gate("first").reached, PATIENT);
      day.say("Two");
      // The acknowledgement is in the same commit as the entry.
      await day.shown("answer that next");
    },
    shows: ["Got it. I'll answer that next.", "You said: One", "You said: Two"],
    asked: 3,
  },
  {
    at: "the turn is started and the model has it",
    reach: async (day) => {
      day.models.reply([{ wait: "started" }, "never said"]);
      day.say("Go");
      await day.models.until(() => day.models.gate("started").reached, PATIENT);
    },
    shows: ["You said: Go"],
    asked: 2,
  },
  {
    at: "the answer is in mid-stream",
    reach: async (day) => {
      day.models.reply(["Half of ", { wait: "middle" }, "it"]);
      day.say("Go");
      await day.telegram.until((wire) => wire.drafts(SAM).some(({ text }) => text.includes("Half of")), PATIENT);
    },
    shows: ["You said: Go"],
    asked: 2,
  },
  {
    at: "the attempt is marked and nothing has come of it",
    reach: async (day) => {
      day.telegram.fail("sendMessage", { kind: "hang" });
      day.say("Go");
      await day.telegram.until((wire) => wire.callCount("sendMessage") === 1, PATIENT);
    },
    shows: [`${REPEAT}\nYou said: Go`],
    asked: 1,
  },
  {
    at: "the platform has stored it and never answers",
    reach: async (day) => {
      day.telegram.fail("sendMessage", { kind: "hangAfterStore" });
      day.say("Go");
      await day.shown("You said: Go");
    },
    shows: ["You said: Go", `${REPEAT}\nYou said: Go`],
    asked: 1,
  },
  {
    at: "the platform has stored it and the connection is reset",
    reach: async (day) => {
      day.telegram.fail("sendMessage", { kind: "resetAfterStore" });
      day.say("Go");
      await day.shown("You said: Go");
    },
    shows: ["You said: Go", `${REPEAT}\nYou said: Go`],
    asked: 1,
  },
];

describe("D41: SIGKILL at each point of a message's way", () => {
  for (const { at, options, reach, shows, asked } of POINTS) {
    it(`D41, D1, D3, D4, D6: ${at}`, async () => {
      await using day = await journey({ ...options, program: true });
      await reach(day);
      await day.kill();
      await day.start();
      // What comes after shows that everything before it is done with.
      await day.telegram.until(() => day.texts().length >= shows.length, PATIENT);
      day.say("/status");
      const status = await day.shown("Engine: local");
      expect(status.text).toContain("nothing is running");
      expect(day.texts().filter((text) => text !== status.text)).toEqual(shows);
      expect(day.models.requestCount).toBe(asked);
      day.say("And on");
      await day.shown("You said: And on");
    });
  }

  it("D41, D13: shown: killed when the message is seen, it stands there once, or once more with the mark", async () => {
    await using day = await journey({ program: true });
    day.say("Go");
    await day.shown("You said: Go");
    await day.kill();
    await day.start();
    day.say("And on");
    await day.shown("You said: And on");
    // The instant between seeing it and noting it can't be told from outside.
    const [first, ...rest] = day.texts();
    expect(first).toBe("You said: Go");
    expect([["You said: And on"], [`${REPEAT}\nYou said: Go`, "You said: And on"]]).toContainEqual(rest);
    expect(day.models.requestCount).toBe(2);
  });

  it("D41, D25: killed twice in the same turn, it ends in words and is not tried a third time", async () => {
    await using day = await journey({ program: true });
    day.models.reply([{ wait: "one" }], [{ wait: "two" }]);
    day.say("Go");
    await day.models.until(() => day.models.gate("one").reached, PATIENT);
    await day.kill();
    await day.start();
    await day.models.until(() => day.models.gate("two").reached, PATIENT);
    await day.kill();
    await day.start();
    expect((await day.shown("interrupted twice")).text).toContain("Write again");
    day.say("Go again");
    await day.shown("You said: Go again");
    expect(day.texts()).toHaveLength(2);
    expect(day.models.requestCount).toBe(3);
  });

  it("D41, D14: killed while an answer grows in a group, the message that grew becomes the answer", async () => {
    const group = -1_000_000_000_970;
    await using day = await journey({ program: true, groups: "mention", wire: { username: "gate_bot" } });
    day.telegram.addSupergroup(group);
    day.models.reply(["Half of ", { wait: "middle" }, "it"], "The whole of it.");
    day.telegram.say(group, SAM, "@gate_bot go");
    const growing = await day.shown("Half of", { chat: group });
    await day.kill();
    await day.start();
    await day.shown("The whole of it.", { chat: group });
    day.telegram.say(group, SAM, "/status@gate_bot");
    await day.shown("nothing is running", { chat: group });
    const texts = day.texts(group).slice(0, -1);
    // The first form's own outcome may be unknown as well; then it stands there and the answer below it.
    expect([["The whole of it."], ["Half of", "The whole of it."]]).toContainEqual(texts);
    expect(day.telegram.message(group, growing.id)).toBeDefined();
    expect(day.models.requestCount).toBe(2);
  });

  it("D41, D10, D9: killed with a question open, its buttons work afterwards, once", async () => {
    await using day = await journey({ program: true, engines: { small: {}, large: {} } });
    day.say("/engine");
    const card = await day.shown("Which engine");
    await day.kill();
    const press = day.telegram.press(SAM, SAM, card.id, "large");
    await day.start();
    await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
    await day.telegram.until((wire) => wire.sent(SAM).some(({ text }) => text.includes("answered by large")), PATIENT);
    const again = day.telegram.pressData(SAM, SAM, card.id, card.keyboard.flat()[0]!.data!);
    expect((await day.telegram.until((wire) => wire.answerTo(again), PATIENT)).text).toBe("That was already answered.");
  });
});

it("D43, D44: an orderly stop in mid-answer logs no draft, and the next start answers once", async () => {
  await using day = await journey({ program: true });
  day.models.reply(["Half of ", { wait: "middle" }, "it"]);
  day.say("Go");
  await day.telegram.until((wire) => wire.drafts(SAM).some(({ text }) => text.includes("Half of")), PATIENT);
  await day.stop();
  expect(day.texts()).toEqual([]);
  expect(JSON.stringify(await day.entries())).not.toContain("Half of");
  await day.start();
  await day.shown("You said: Go");
  expect(day.texts()).toEqual(["You said: Go"]);
});
