// The program killed at every point of a message's way. After the next start nothing is lost, nothing runs twice, and what nobody
// can know is said.
import { describe, expect, it } from "vitest";
import { journey, PATIENT } from "./gateway.ts";
import type { Journey, JourneyOptions } from "./gateway.ts";
import { inTurn, onEach, standing } from "./stage.ts";

const REPEAT = "(This may be a repeat.)";

type Point = {
  readonly at: string;
  readonly options?: JourneyOptions;
  /** Brings the gateway to the point at which it is killed. */
  readonly reach: (day: Journey) => Promise<void>;
  /** What the chat shows in the end, and how often the model was asked in all. */
  readonly shows: readonly string[];
  /** Where the platform can say what became of a message, if that differs. */
  readonly found?: readonly string[];
  readonly asked: number;
};

/** Nothing is with the platform yet: the same on all of them. */
const BEFORE: readonly Point[] = [
  {
    at: "the raw row is stored and waits to be joined",
    options: { joinWithinMs: 1500 },
    reach: async (day) => {
      day.say("Go");
      // Told to forget the update: it is stored. Its entry would come later.
      await day.taken();
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
      await day.growing("Half of");
    },
    shows: ["You said: Go"],
    asked: 2,
  },
];

/** What became of a message that was being sent can be asked on some platforms and not on others. */
const SENDING: readonly Point[] = [
  {
    at: "the attempt is marked and nothing has come of it",
    reach: async (day) => {
      day.fail("post", { kind: "hang" });
      day.say("Go");
      await day.called("post", 1);
    },
    shows: [`${REPEAT}\nYou said: Go`],
    found: ["You said: Go"],
    asked: 1,
  },
  {
    at: "the platform has stored it and never answers",
    reach: async (day) => {
      day.fail("post", { kind: "hangAfterStore" });
      day.say("Go");
      await day.shown("You said: Go");
    },
    shows: ["You said: Go", `${REPEAT}\nYou said: Go`],
    found: ["You said: Go"],
    asked: 1,
  },
  {
    at: "the platform has stored it and the connection is reset",
    reach: async (day) => {
      day.fail("post", { kind: "resetAfterStore" });
      day.say("Go");
      await day.shown("You said: Go");
    },
    shows: ["You said: Go", `${REPEAT}\nYou said: Go`],
    found: ["You said: Go"],
    asked: 1,
  },
];

describe("D41: SIGKILL at each point of a message's way", () => {
  it.each([...inTurn(BEFORE), ...onEach(SENDING)])(
    "D41, D1, D3, D4, D6: $at ($on)",
    async ({ options, reach, shows, found, asked, on }) => {
      await using day = await journey({ on, ...options, program: true });
      await reach(day);
      await day.kill();
      await day.start();
      const wanted = day.on.facts.lost === "found" ? (found ?? shows) : shows;
      // What comes after shows that everything before it is done with.
      await day.until(() => wanted.every((text) => day.texts().includes(text)));
      day.command("status");
      const status = await day.shown("Engine: local");
      expect(status.text).toContain("nothing is running");
      expect(day.texts().filter((text) => text !== status.text)).toEqual(wanted);
      expect(day.models.requestCount).toBe(asked);
      day.say("And on");
      await day.shown("You said: And on");
    },
  );

  it.each(standing("telegram", "discord"))(
    "D41, D13: shown: killed when the message is seen, it stands there once, or once more with the mark (%s)",
    async (on) => {
      await using day = await journey({ on, program: true });
      day.say("Go");
      await day.shown("You said: Go");
      await day.kill();
      await day.start();
      day.say("And on");
      await day.shown("You said: And on");
      // The instant between seeing it and noting it can't be told from outside.
      const [first, ...rest] = day.texts();
      expect(first).toBe("You said: Go");
      const once = ["You said: And on"];
      const twice = day.on.facts.lost === "found" ? once : [`${REPEAT}\nYou said: Go`, ...once];
      expect([once, twice]).toContainEqual(rest);
      expect(day.models.requestCount).toBe(2);
    },
  );

  it.each(standing("slack"))(
    "D41, D25: killed twice in the same turn, it ends in words and is not tried a third time (%s)",
    async (on) => {
      await using day = await journey({ on, program: true });
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
    },
  );

  it.each(standing("telegram", "discord"))(
    "D41, D14: killed while an answer grows in a group, the message that grew becomes the answer (%s)",
    async (on) => {
      await using day = await journey({ on, program: true, groups: "mention" });
      day.models.reply(["Half of ", { wait: "middle" }, "it"], "The whole of it.");
      day.mention("go", { in: day.group });
      const growing = await day.shown("Half of", { in: day.group });
      await day.kill();
      await day.start();
      await day.shown("The whole of it.", { in: day.group });
      day.command("status", { in: day.group });
      await day.shown("nothing is running", { in: day.group });
      const texts = day.texts(day.group).slice(0, -1);
      // The first form's own outcome may be unknown as well; then it stands there and the answer below it.
      const once = ["The whole of it."];
      expect([once, ["Half of", ...once]]).toContainEqual(texts);
      expect(day.now(growing, day.group)).toBeDefined();
      expect(day.models.requestCount).toBe(2);
    },
  );

  it.each(standing("telegram", "slack"))(
    "D41, D10, D9: killed with a question open, its buttons work afterwards, once (%s)",
    async (on) => {
      await using day = await journey({ on, program: true, engines: { small: {}, large: {} } });
      day.command("engine");
      const card = await day.shown("Which engine");
      await day.kill();
      // Only Telegram keeps a press for a program that is not there.
      const early = on === "telegram" ? day.press(card, "large") : undefined;
      await day.start();
      await day.answer(early ?? day.press(card, "large"));
      await day.until(() => day.sent().some(({ text }) => text.includes("answered by large")));
      const again = day.pressData(card, card.buttons.flat()[0]!.data!);
      expect(await day.answered(again)).toBe("That was already answered.");
    },
  );
});

it.each(standing("telegram", "discord"))(
  "D43, D44: an orderly stop in mid-answer logs no draft, and the next start answers once (%s)",
  async (on) => {
    await using day = await journey({ on, program: true });
    day.models.reply(["Half of ", { wait: "middle" }, "it"]);
    day.say("Go");
    await day.growing("Half of");
    await day.stop();
    expect(day.texts()).toEqual(day.on.facts.drafts === "native" ? [] : ["Half of"]);
    expect(JSON.stringify(await day.entries())).not.toContain("Half of");
    await day.start();
    await day.shown("You said: Go");
    expect(day.texts()).toEqual(["You said: Go"]);
  },
);
