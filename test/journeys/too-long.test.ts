// What is longer than the platform takes: halves that keep every sign of the text, and a growing text that stays one message.
import { expect, it } from "vitest";
import { journey, PATIENT, SAM, words } from "./gateway.ts";
import type { Journey } from "./gateway.ts";

const GROUP = -1_000_000_000_910;
const TOO_LONG = { kind: "error", code: 400, description: "Bad Request: message is too long" } as const;

/** Everything on show, without the ends of lines that a platform trims. */
const joined = (day: Journey): string => day.texts().join(" ").replaceAll(/\s+/gu, " ");

it("D21, T17: an answer that Telegram finds too long is shown as two that keep every sign, as plain text", async () => {
  await using day = await journey();
  day.telegram.fail("sendMessage", TOO_LONG);
  day.models.reply("The product `a*b*c` and `d*e*f` here. And `__init__` with `<b>` and `x_y_z` there.");
  day.say("Go");
  await day.shown("__init__");
  await day.settled();
  expect(day.texts()).toHaveLength(2);
  expect(joined(day)).toBe("The product a*b*c and d*e*f here. And __init__ with <b> and x_y_z there.");
  expect(day.telegram.sent(SAM).flatMap((message) => message.entities)).toEqual([]);
});

it("D21, D10: a card that Telegram finds too long keeps its buttons, and a press takes the choice", async () => {
  await using day = await journey({ engines: { small: { model: "small-model" }, large: { model: "large-model" } } });
  day.telegram.fail("sendMessage", TOO_LONG);
  day.say("/engine");
  await day.telegram.until((wire) => wire.sent(SAM).length === 2, PATIENT);
  expect(joined(day)).toBe("Which engine should answer in this chat?");
  const last = day.telegram.sent(SAM).at(-1)!;
  expect(last.keyboard.flat().map(({ text }) => text)).toEqual(["small (now)", "large"]);
  const press = day.telegram.press(SAM, SAM, last.id, "large");
  await day.telegram.until((wire) => wire.answerTo(press), PATIENT);
  day.say("Hi");
  await day.shown("You said: Hi");
  await day.settled();
  expect(day.models.last?.model).toBe("large-model");
});

it("T22, G13: in a group a text under way that outgrows a message stays one, shows its end and keeps its Stop button", async () => {
  await using day = await journey({ groups: "mention", pace: { draftMs: 0 }, wire: { username: "gate_bot" } });
  day.telegram.addSupergroup(GROUP);
  const [middle, end] = [day.models.gate("middle"), day.models.gate("end")];
  const long = words(9000);
  const latest = long.slice(-40).trim().split(" ").at(-1)!;
  day.models.reply([words(3000), { wait: middle }, long.slice(3000), { wait: end }, " Never said."]);
  day.telegram.say(GROUP, SAM, "@gate_bot go");
  const growing = await day.shown("word", { chat: GROUP });
  middle.release();
  const shown = await day.telegram.until((wire) => {
    const message = wire.message(GROUP, growing.id);
    return message?.text.includes(latest) && message;
  }, PATIENT);
  expect(day.telegram.sent(GROUP)).toHaveLength(1);
  expect(shown.keyboard.flat().map(({ text }) => text)).toEqual(["Stop"]);
  day.telegram.press(GROUP, SAM, growing.id, "Stop");
  await day.shown("Stopped.", { chat: GROUP });
  await day.settled();
  // What was said is kept whole, in as many messages as it takes, none with a button any more.
  expect(day.texts(GROUP).join(" ")).toContain("word0 word1 ");
  expect(day.texts(GROUP).join(" ")).toContain(latest);
  expect(day.telegram.sent(GROUP).flatMap((message) => message.keyboard.flat())).toEqual([]);
  expect(day.models.requests[0]?.aborted).toBe(true);
});
