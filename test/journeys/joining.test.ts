// What belongs together becomes one message: bursts, albums, a long text that the app cut. What doesn't, doesn't.
import { expect, it } from "vitest";
import { journey, PATIENT, toldTo, words } from "./gateway.ts";
import { EVE, PLATFORMS, SAM } from "./stage.ts";

it.concurrent.each(PLATFORMS)(
  "G1: three messages in a burst are one message, in order, and answered once (%s)",
  async (on) => {
    await using day = await journey({ on, joinWithinMs: 400 });
    for (const text of ["one", "two", "three"]) day.say(text);
    const answer = await day.shown("You said");
    expect(answer.text).toBe("You said: one\ntwo\nthree");
    await day.settled();
    expect(day.models.requestCount).toBe(1);
    const messages = (await day.entries()).filter((entry) => entry.kind === "message");
    expect(messages).toHaveLength(1);
    expect(messages[0]?.message.parts.map((part) => part.kind === "text" && part.text)).toEqual([
      "one",
      "two",
      "three",
    ]);
  },
);

it.concurrent.each(PLATFORMS)(
  "G1: with joinWithinMs 0 nothing is joined; a second message is the next turn's (%s)",
  async (on) => {
    await using day = await journey({ on });
    const gate = day.models.gate();
    day.models.reply([{ wait: gate }, "first"]);
    day.say("one");
    await day.models.until(() => gate.reached, PATIENT);
    day.say("two");
    gate.release();
    await day.shown("You said: two");
    expect(day.models.requestCount).toBe(2);
  },
);

it.concurrent.each(PLATFORMS)(
  "G2, T5, T2: an album of three photos with one caption is one message, though nothing else is joined (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { local: { images: true } } });
    const pictures = [0, 1, 2].map((at) => ({ bytes: new Uint8Array([0xff, 0xd8, 0xff, at]), name: `${at}.jpg` }));
    day.on.album(day.place(SAM), SAM, ["Which one is best?", "", ""], pictures);
    await day.shown("You said");
    await day.settled();
    expect(day.models.requestCount).toBe(1);
    const told = toldTo(await day.asked(1)).join("\n");
    expect(told.match(/image_url/g)).toHaveLength(6);
    expect(told).toContain("Which one is best?");
    const message = (await day.entries()).find((entry) => entry.kind === "message");
    expect(message?.message.parts.map(({ kind }) => kind)).toEqual(
      // Elsewhere an album is one message with its words.
      {
        telegram: ["file", "text", "file", "file"],
        slack: ["text", "file", "file", "file"],
        discord: ["file", "file", "file", "text"],
      }[on],
    );
    expect(message?.message.ids).toHaveLength(on === "telegram" ? 3 : 1);
  },
);

it.concurrent.each(PLATFORMS)(
  "G2: a text that the app cut at its limit waits for its second piece, though nothing else is joined (%s)",
  async (on) => {
    await using day = await journey({ on });
    const cutAt = day.on.facts.cutsAt;
    const whole = words(Math.floor(cutAt * 1.2));
    const cut = whole.lastIndexOf(" ", cutAt);
    day.say(whole.slice(0, cut));
    day.say(whole.slice(cut + 1));
    await day.asked(1);
    const told = toldTo(await day.asked(1));
    await day.settled();
    expect(day.models.requestCount).toBe(1);
    expect(told[0]?.replaceAll(/\s+/g, " ")).toBe(`user: ${whole.replaceAll(/\s+/g, " ")}`);
  },
);

it.concurrent.each(PLATFORMS)(
  "G3: a command is never joined with the text around it, and takes its place in the order (%s)",
  async (on) => {
    await using day = await journey({ on, joinWithinMs: 400 });
    day.say("before");
    day.command("new");
    day.say("after");
    await day.shown("You said: after");
    await day.settled();
    const conversations = new Map<string, string[]>();
    for (const entry of await day.entries()) {
      const said = conversations.get(entry.conversation) ?? [];
      if (entry.kind === "message")
        said.push(...entry.message.parts.map((part) => (part.kind === "text" ? part.text : "")));
      conversations.set(entry.conversation, said);
    }
    expect([...conversations.values()]).toEqual([["before"], ["after"]]);
  },
);

it.concurrent.each(PLATFORMS)(
  "G3: rooms, threads and people are not joined with each other, however close their messages are (%s)",
  async (on) => {
    await using day = await journey({ on, joinWithinMs: 400, groups: "mention" });
    const [red, blue] = [day.on.thread(day.group, "Red"), day.on.thread(day.group, "Blue")];
    day.mention("red", { in: red });
    day.mention("blue", { in: blue });
    day.say("private");
    await day.shown("private");
    await day.shown("red", { in: red });
    await day.shown("blue", { in: blue });
    await day.settled();
    expect(day.models.requestCount).toBe(3);
    expect([red, blue].map((place) => day.texts(place).map((text) => text.split(" ").at(-1)))).toEqual([
      ["red"],
      ["blue"],
    ]);
    expect(day.on.everything).toHaveLength(3);
    // Nor are people with each other: the group counts by now.
    day.mention("sam", { in: blue });
    day.mention("eve", { by: EVE, in: blue });
    await day.until(() => day.sent(blue).length === 3);
    await day.settled();
    expect(day.models.requestCount).toBe(5);
  },
);
