// What is longer than the platform takes: halves that keep every sign of the text, and a growing text that stays one message.
import { expect, it } from "vitest";
import { journey, words } from "./gateway.ts";
import type { Journey } from "./gateway.ts";
import { PLATFORMS } from "./stage.ts";

const TOO_LONG = { kind: "tooLong" } as const;

/** Everything on show, without the ends of lines that a platform trims. */
const joined = (day: Journey): string => day.texts().join(" ").replaceAll(/\s+/gu, " ");

it.each(PLATFORMS)(
  "D21, T17: an answer that the platform finds too long is shown as two that keep every sign, as plain text (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.fail("post", TOO_LONG);
    day.models.reply("The product `a*b*c` and `d*e*f` here. And `__init__` with `<b>` and `x_y_z` there.");
    day.say("Go");
    await day.shown("__init__");
    await day.settled();
    expect(day.texts()).toHaveLength(2);
    expect(joined(day)).toBe("The product a*b*c and d*e*f here. And __init__ with <b> and x_y_z there.");
    expect(day.sent().flatMap(({ styles }) => styles)).toEqual([]);
  },
);

it.each(PLATFORMS)(
  "D21, D10: a card that the platform finds too long keeps its buttons, and a press takes the choice (%s)",
  async (on) => {
    await using day = await journey({
      on,
      engines: { small: { model: "small-model" }, large: { model: "large-model" } },
    });
    day.fail("post", TOO_LONG);
    day.command("engine");
    await day.until(() => day.sent().length === 2);
    expect(joined(day)).toBe("Which engine should answer in this chat?");
    const last = day.sent().at(-1)!;
    expect(day.labels(last)).toEqual(["small (now)", "large"]);
    const press = day.press(last, "large");
    await day.answer(press);
    day.say("Hi");
    await day.shown("You said: Hi");
    await day.settled();
    expect(day.models.last?.model).toBe("large-model");
  },
);

it.each(PLATFORMS)(
  "T22, G13: in a group a text under way that outgrows a message stays one, shows its end and keeps its Stop button (%s)",
  async (on) => {
    await using day = await journey({ on, groups: "mention", pace: { draftMs: 0 } });
    const [middle, end] = [day.models.gate("middle"), day.models.gate("end")];
    const one = day.on.facts.maxUnits;
    const short = words(Math.floor(one * 0.7));
    const long = words(Math.floor(one * 2.2));
    const latest = long.slice(-40).trim().split(" ").at(-1)!;
    day.models.reply([short, { wait: middle }, long.slice(short.length), { wait: end }, " Never said."]);
    day.mention("go", { in: day.group });
    const growing = await day.shown("word", { in: day.group });
    middle.release();
    const shown = await day.becomes(growing, latest, day.group);
    expect(day.sent(day.group)).toHaveLength(1);
    expect(day.labels(shown)).toEqual(["Stop"]);
    day.press(growing, "Stop", { in: day.group });
    await day.shown("Stopped.", { in: day.group });
    await day.settled();
    // What was said is kept whole, in as many messages as it takes, none with a button any more.
    expect(day.texts(day.group).join(" ")).toContain("word0 word1 ");
    expect(day.texts(day.group).join(" ")).toContain(latest);
    expect(day.sent(day.group).flatMap((message) => message.buttons.flat())).toEqual([]);
    expect(day.models.requests[0]?.aborted).toBe(true);
  },
);
