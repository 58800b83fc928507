// An orderly stop in the middle of something: what was under way goes on at the next start as though nothing had been.
import { describe, expect, it } from "vitest";
import { journey, toldTo } from "./gateway.ts";
import { inTurn, onEach } from "./stage.ts";

const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);
const REPEAT = "(This may be a repeat.)";
const LIVES = [
  ...inTurn([{ how: "SIGTERM of the program", program: true }]),
  ...onEach([{ how: "a disposal in this process" }]),
];

describe("a stop", () => {
  it.each(LIVES)("D43, T3: $how while a picture is fetched leaves it to the next start ($on)", async (life) => {
    await using day = await journey({ ...life, engines: { local: { images: true } } });
    day.fail("fetch", { kind: "hang" });
    day.say("What is this?", { photo: { bytes: PICTURE, name: "plant.jpg" } });
    await day.called("fetch", 1);
    await day.stop();
    day.on.clearFaults();
    await day.start();
    const request = await day.asked(1);
    await day.shown("What is this?");
    expect(JSON.stringify(request.body)).toContain(Buffer.from(PICTURE).toString("base64"));
    expect(toldTo(request).join("\n")).not.toContain("could not be fetched");
    expect(day.texts()).toHaveLength(1);
    expect(day.models.requestCount).toBe(1);
  });

  it.each(LIVES)(
    "D43, D12: $how waits for a message that is being sent, so that it is never doubted ($on)",
    async (life) => {
      await using day = await journey(life);
      // Far less than a stop waits for: the answer comes while it does.
      day.fail("post", { kind: "slow", delayMs: 500 });
      day.say("Go");
      await day.called("post", 1);
      await day.stop();
      expect(day.texts()).toEqual(["You said: Go"]);
      await day.start();
      day.say("And on");
      await day.shown("You said: And on");
      expect(day.texts().join("\n")).not.toContain(REPEAT);
      expect(day.texts()).toEqual(["You said: Go", "You said: And on"]);
    },
  );
});
